// Throws of dice on a table seen in three dimensions: aim one, or watch one. Loaded only where there
// is a table to throw on.
//
// Nothing here knows a rule: what can be thrown, from where, how far and how hard is said by the
// server (`Stage`), and what comes of it, too (`Motion`).

import { fill, h } from "../dom";
import type { Gauge, Motion, Stage } from "../protocol";
import { say } from "../texts";
import { Aiming } from "./aiming";
import { Flat } from "./flat";
import type { Mark, Shown, Sight } from "./looks";
import { Flight, resting, type Pose } from "./path";

const SLOWER = 1.2; // than it was, for the eye
const HOLD_MS = 650;
const LATE_MS = 300; // a throw that came so late, or had to wait, is shown from its beginning
const GO_MS = 350; // of dice that leave the table
const CLOTH_MS = 420;
const FADE_MS = 240;
const SLOW_MS = 40; // of a picture
const MANY_SLOW = 10;
const SHIFT = 5; // with the shift key gauges go by so many steps

export interface Options {
  /** Whether things may move. */
  moves: () => boolean;
  /** Something is to be heard: how loud, from 0 to 1. */
  strike: (loud: number) => void;
  /** What is aimed at has changed. */
  changed: (aiming: Aiming) => void;
}

/** A table that lies over the picture of the board while something is thrown. */
export class Throwing {
  readonly element = h("div", { class: "throwing", hidden: true });
  private readonly gauges = h("div", { class: "gauges" });
  private sight: Sight | null = null;
  private aiming: Aiming | null = null;
  private settle: ((move: string | null) => void) | null = null;
  private flight: { flight: Flight; since: number; skip: () => void; strikes: [number, number][] } | null = null;
  private still: readonly Pose[] = [];
  private playing: Promise<void> = Promise.resolve();
  private waiting = 0; // throws that come after the one that is playing
  private ends = 0; // it ends so many milliseconds after its beginning
  private hand: Pose | null = null; // a die that has been let go and is not on its way yet
  private mark: Mark | null = null;
  private cloth = 0;
  private clothTo = 0;
  private before = 0;
  private slow = 0; // pictures that took too long
  private isCheap = false;
  private frame = 0;
  private readonly sized = new ResizeObserver(() => this.fit());

  constructor(private readonly options: Options) {
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", () => this.aiming?.calm());
    element.addEventListener("keydown", (event) => this.key(event));
    this.sized.observe(element);
  }

  get isAiming(): boolean {
    return this.aiming !== null;
  }

  /** Let the player aim the throw with this id. Comes to the text of the move, or to null if they go
   * back. The table stays, for the throw to be shown on it. */
  async aim(stage: Stage, id: string, move?: string): Promise<string | null> {
    const thrown = stage.throws.find((one) => one.id === id);
    if (!thrown) return null;
    this.cancel();
    const aiming = (this.aiming = new Aiming(thrown, stage));
    if (move) aiming.take(move);
    const chosen = new Promise<string | null>((settle) => (this.settle = settle));
    await this.open(stage);
    if (this.aiming !== aiming) return chosen;
    const { element } = this;
    element.setAttribute("role", "application");
    element.setAttribute("aria-label", `${thrown.title}. ${thrown.how} ${this.keysTold(thrown.gauges)}`);
    element.tabIndex = 0;
    element.dataset["kind"] = thrown.kind;
    fill(this.gauges, ...thrown.gauges.map((gauge) => this.slider(gauge)));
    element.append(this.gauges);
    this.clothTo = thrown.kind === "blind" ? 1 : 0;
    if (!this.options.moves()) this.cloth = this.clothTo;
    element.focus({ preventScroll: true });
    this.tell();
    return chosen;
  }

  /** Aim like this move. */
  suggest(move: string): void {
    this.aiming?.take(move);
    this.tell();
  }

  /** Throw as it is aimed now. */
  go(): void {
    const { aiming } = this;
    if (!aiming) return;
    this.hand = aiming.pose(performance.now());
    this.finish(aiming.text);
  }

  /** Do not throw. */
  cancel(): void {
    if (!this.aiming) return;
    this.finish(null);
  }

  /** Show a throw that was made, from `age_ms` on, and go away; after the one that is playing. A press
   * or a key ends it at once. Who has come `anew` does not see what is over already. */
  async play(motion: Motion, anew = false): Promise<void> {
    const before = this.playing;
    this.playing = this.playAfter(before, motion, anew);
    return this.playing;
  }

  private async playAfter(before: Promise<void>, motion: Motion, anew: boolean): Promise<void> {
    const came = performance.now();
    this.cancel();
    const flight = await Flight.of(motion).catch(() => null);
    const whole_ms = (flight?.lasts_ms ?? 0) * SLOWER;
    const isSeen = flight && this.options.moves() && (!anew || motion.age_ms <= whole_ms);
    if (isSeen) this.waiting++;
    await before;
    if (!isSeen) return this.close();
    this.waiting--;
    const isLate = performance.now() - came > LATE_MS || (!anew && motion.age_ms > LATE_MS);
    const began = isLate ? performance.now() : came - motion.age_ms;
    const { element } = this;
    element.removeAttribute("role");
    element.removeAttribute("tabindex");
    element.setAttribute("aria-label", say("A throw"));
    await this.open(motion.stage);
    element.dataset["playing"] = String(motion.at);
    this.hand = null;
    this.clothTo = 0;
    await new Promise<void>((skip) => {
      this.flight = { flight, since: began, skip, strikes: flight.strikes() };
      this.ends = whole_ms + GO_MS;
      this.wake();
    });
    delete element.dataset["playing"];
    this.flight = null;
    this.still = [];
    if (!this.waiting) this.close(true);
  }

  /** End what is playing, now. */
  skip(): void {
    this.flight?.skip();
  }

  /** Take the table away, unless something is playing on it. */
  leave(): void {
    if (!this.flight) this.close();
  }

  /** Take the table away. */
  close(softly = false): void {
    this.cancel();
    const { element } = this;
    this.hand = null;
    this.cloth = this.clothTo = 0;
    if (element.hidden || !softly || !this.options.moves()) {
      element.hidden = true;
      return;
    }
    element.classList.add("going");
    window.setTimeout(() => {
      if (element.classList.contains("going")) element.hidden = true;
      element.classList.remove("going");
    }, FADE_MS);
  }

  end(): void {
    this.close();
    this.skip();
    window.cancelAnimationFrame(this.frame);
    this.sized.disconnect();
    this.sight?.free();
    this.sight = null;
    this.element.remove();
  }

  // The table

  private async open(stage: Stage): Promise<void> {
    const { element } = this;
    element.classList.remove("going");
    element.hidden = false;
    if (!this.sight) {
      const sight = await makeSight(element);
      if (this.sight) sight.free();
      else {
        this.sight = sight;
        sight.canvas.setAttribute("aria-hidden", "true");
        element.prepend(sight.canvas);
        sight.canvas.addEventListener("webglcontextlost", () => this.flatten(stage));
      }
    }
    element.dataset["sight"] = this.sight instanceof Flat ? "flat" : "solid";
    this.sight!.set(stage);
    this.fit();
    this.still = stage.dice.map((die) => resting(die, stage.die));
    this.wake();
  }

  /** The solid table is gone: go on with a flat one. */
  private flatten(stage: Stage): void {
    if (!this.element.isConnected || this.sight instanceof Flat) return;
    this.sight?.canvas.remove();
    this.sight = flatSight(this.element);
    this.element.prepend(this.sight.canvas);
    this.element.dataset["sight"] = "flat";
    this.sight.set(stage);
    this.fit();
  }

  private fit(): void {
    if (!this.sight) return;
    const { clientWidth, clientHeight } = this.sight.canvas;
    if (!clientWidth || !clientHeight) return;
    this.sight.size(clientWidth, clientHeight);
    this.wake();
  }

  /** Draw, and go on drawing as long as something moves. */
  private wake(): void {
    if (!this.frame) this.frame = window.requestAnimationFrame((now) => this.draw(now));
  }

  private draw(now: number): void {
    this.frame = 0;
    if (this.element.hidden || !this.sight) return;
    const took = Math.min(100, now - this.before);
    this.before = now;
    this.paced(took);
    const far = this.clothTo - this.cloth;
    this.cloth += Math.sign(far) * Math.min(Math.abs(far), took / CLOTH_MS);
    this.sight.draw(this.shown(now));
    if (this.flight && now - this.flight.since > this.ends + (this.waiting ? 0 : HOLD_MS)) this.flight.skip();
    const moves = this.options.moves();
    if (this.flight || (moves && (this.aiming || Math.abs(far) > 0.001))) this.wake();
  }

  /** See whether pictures come quickly enough. */
  private paced(took: number): void {
    this.slow = took > SLOW_MS ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < MANY_SLOW || this.isCheap) return;
    this.isCheap = true;
    this.sight!.cheaper();
    this.fit();
  }

  private shown(now: number): Shown {
    const { flight, aiming } = this;
    if (flight) {
      const ms = (now - flight.since) / SLOWER;
      while (flight.strikes[0] && flight.strikes[0][0] <= ms) this.options.strike(flight.strikes.shift()![1]);
      const gone = Math.min(1, Math.max(0, (ms - flight.flight.lasts_ms) / GO_MS));
      const dice = flight.flight.at(ms).map((pose) => (flight.flight.isLost(pose) ? { ...pose, faint: gone } : pose));
      return { dice, mark: null, cloth: this.cloth };
    }
    const hand = aiming ? aiming.pose(this.options.moves() ? now : 0) : this.hand;
    const others = hand ? this.still.filter((one) => one.seat !== hand.seat || one.die !== hand.die) : this.still;
    return { dice: hand ? [...others, hand] : others, mark: aiming ? this.mark : null, cloth: this.cloth };
  }

  // Aiming

  private finish(move: string | null): void {
    const { settle } = this;
    this.aiming = this.settle = this.mark = null;
    this.gauges.remove();
    delete this.element.dataset["kind"];
    settle?.(move);
  }

  private tell(): void {
    const { aiming } = this;
    if (!aiming) return;
    this.mark = aiming.mark;
    for (const slider of this.gauges.querySelectorAll("input")) {
      const gauge = aiming.thrown.gauges.find((one) => one.name === slider.name)!;
      const value = aiming.value(gauge.name);
      slider.value = String(gauge.name === "direction" ? -value : value);
      const text = read(gauge, value);
      slider.setAttribute("aria-valuetext", text);
      slider.parentElement!.querySelector("b")!.textContent = gauge.name === "direction" && value ? `${value > 0 ? "←" : "→"} ${amount(gauge, value)}` : text;
    }
    this.options.changed(aiming);
    this.wake();
  }

  private slider(gauge: Gauge): HTMLElement {
    const isTurned = gauge.name === "direction"; // positive is to the left
    const [low, high] = isTurned ? [-gauge.high, -gauge.low] : [gauge.low, gauge.high];
    const slider = h("input", { type: "range", name: gauge.name, min: low, max: high, step: gauge.step, "aria-label": gauge.title });
    slider.addEventListener("input", () => {
      this.aiming?.set(gauge.name, isTurned ? -Number(slider.value) : Number(slider.value));
      this.tell();
    });
    return h("label", {}, h("span", {}, gauge.title, h("b", {})), slider);
  }

  private keysTold(gauges: readonly Gauge[]): string {
    const [aside, along] = keyed(gauges);
    return say("Left and right: {one}; up and down: {other}; Enter throws, Escape goes back.", { one: aside!.title, other: along!.title });
  }

  private down(event: PointerEvent): void {
    if (this.flight) return this.skip();
    const { aiming, sight } = this; // a table in three dimensions may still be on its way
    if (!aiming || !sight || event.button > 0 || (event.target as Element).closest(".gauges")) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.element.focus({ preventScroll: true });
    aiming.press(sight.tableAt(event.clientX, event.clientY), [event.clientX, event.clientY], event.timeStamp);
    this.tell();
  }

  private move(event: PointerEvent): void {
    const { aiming } = this;
    if (!aiming || !this.sight || (event.target as Element).closest(".gauges")) return;
    if (!aiming.isHeld) {
      if (event.pointerType !== "mouse") return;
      aiming.hover(this.sight.tableAt(event.clientX, event.clientY));
    } else
      for (const one of event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event])
        aiming.move(this.sight.tableAt(one.clientX, one.clientY), [one.clientX, one.clientY], one.timeStamp);
    this.tell();
  }

  private up(event: PointerEvent): void {
    const { aiming } = this;
    if (!aiming?.isHeld) return;
    if (aiming.release(event.timeStamp)) this.go();
    else this.tell();
  }

  private key(event: KeyboardEvent): void {
    if (this.flight) return this.skip();
    const { aiming } = this;
    if (!aiming) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (aiming.isHeld) {
        aiming.calm();
        this.tell();
      } else this.cancel();
    } else if (event.key === "Enter" || (event.key === " " && event.target === this.element)) {
      event.preventDefault();
      event.stopPropagation();
      this.go();
    } else if (event.target === this.element) this.steer(event, aiming);
  }

  private steer(event: KeyboardEvent, aiming: Aiming): void {
    let way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const [aside, along] = keyed(aiming.thrown.gauges);
    // a place on the table is told as seat 0 sees it
    if (aside?.name === "x") for (let i = 0; i < aiming.stage.turned; i++) way = [-way[1], way[0]];
    const steps = event.shiftKey ? SHIFT : 1;
    const signs = [aside?.name === "direction" ? -1 : 1, along?.name === "y" ? 1 : -1];
    [aside, along].forEach((gauge, i) => {
      if (gauge && way![i]) aiming.set(gauge.name, aiming.value(gauge.name) + way![i]! * signs[i]! * gauge.step * steps);
    });
    this.tell();
  }
}

const WAYS: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Which gauges the arrow keys move: to the sides, and up and down. */
function keyed(gauges: readonly Gauge[]): [Gauge | undefined, Gauge | undefined] {
  const named = (name: Gauge["name"]): Gauge | undefined => gauges.find((one) => one.name === name);
  return [named("x") ?? named("direction"), named("y") ?? named("speed")];
}

/** The value of a gauge as people read it. */
function read(gauge: Gauge, value: number): string {
  const text = amount(gauge, value);
  if (gauge.name === "direction" && value) return value > 0 ? say("{angle} to the left", { angle: text }) : say("{angle} to the right", { angle: text });
  return value < 0 ? `−${text}` : text;
}

/** How much that is, whichever way. */
function amount(gauge: Gauge, value: number): string {
  const number = Math.abs(value) / gauge.per;
  const shown = number.toLocaleString(document.documentElement.lang, { maximumFractionDigits: gauge.per > 100 ? 2 : gauge.unit === "mm" ? 0 : 1 });
  return gauge.unit === "°" ? `${shown}°` : `${shown} ${gauge.unit}`;
}

async function makeSight(element: HTMLElement): Promise<Sight> {
  if (canWebGL()) {
    try {
      const { Solid } = await import("./solid");
      return new Solid(colour(element, "--accent"), colour(element, "--board"));
    } catch {
      // then it is flat
    }
  }
  return flatSight(element);
}

const flatSight = (element: HTMLElement): Sight => new Flat(colour(element, "--accent"), colour(element, "--board"), colour(element, "--ink"));
const colour = (element: HTMLElement, name: string): string => getComputedStyle(element).getPropertyValue(name).trim();

/** Whether this browser draws in three dimensions. */
export function canWebGL(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}
