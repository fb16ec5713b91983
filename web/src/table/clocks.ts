// Clocks that run here as they run at the server.

import type { Clocks } from "../protocol";

/** Milliseconds as people read them. */
export function timeText(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  if (s >= 86_400) return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
  const two = (n: number): string => String(n).padStart(2, "0");
  if (s >= 3600) return `${Math.floor(s / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
  return `${Math.floor(s / 60)}:${two(s % 60)}`;
}

export class Ticking {
  private clocks: Clocks | null = null;
  private since = 0;
  private timer = 0;

  constructor(private readonly show: (left: number[], running: number[]) => void) {}

  set(clocks: Clocks | null): void {
    this.clocks = clocks;
    this.since = performance.now();
    window.clearInterval(this.timer);
    if (clocks?.running.length) this.timer = window.setInterval(() => this.tick(), 250);
    this.tick();
  }

  stop(): void {
    window.clearInterval(this.timer);
  }

  private tick(): void {
    const clocks = this.clocks;
    if (!clocks) return;
    const gone = performance.now() - this.since;
    const left = clocks.left.map((ms, seat) => (clocks.running.includes(seat) ? ms - gone : ms));
    this.show(left, clocks.running);
  }
}
