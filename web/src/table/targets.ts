// What can be clicked next, as buttons over the drawing: lit, named, reached by Tab and arrow keys.

import { h } from "../dom";
import type { Board } from "./board";

const MANY = 24;
const DRAG_PX = 7;
const NEAR_PX = 28;

export interface Handlers {
  /** It was pointed at: by mouse, by focus, or by a first touch. */
  point(id: string | null): void;
  /** It was chosen; `sure` unless a touch has not shown yet what it does. */
  choose(id: string, sure: boolean): void;
  /** It is being dragged: choose it if it can be, and say whether there is somewhere to go. */
  lift(id: string): boolean;
  /** It was dropped on something, or nothing. */
  drop(id: string | null): void;
  back(): void;
}

export class Targets {
  private buttons = new Map<string, HTMLButtonElement>();
  private touched = false;
  private byPointer = false;
  private drag: { id: string; x: number; y: number; ghost: HTMLElement | null } | null = null;
  private listening: AbortController | null = null;
  private dropped = 0;
  pointed: string | null = null;

  constructor(
    private readonly board: Board,
    private readonly on: Handlers,
  ) {
    const over = board.over;
    over.addEventListener("keydown", (event) => this.key(event));
    over.addEventListener("pointerdown", (event) => this.down(event));
  }

  /** Whether the last thing done here was done by mouse or touch. */
  get isTouched(): boolean {
    return this.byPointer;
  }

  get isFocused(): boolean {
    return this.board.over.contains(document.activeElement);
  }

  /** Light these. */
  set(ids: readonly string[], chosen: readonly string[]): void {
    const focused = this.isFocused ? (document.activeElement as HTMLElement).dataset["id"] : null;
    const wanted = [...chosen.map((id) => [id, true] as const), ...ids.map((id) => [id, false] as const)];
    const kept = new Map<string, HTMLButtonElement>();
    for (const [id, isChosen] of wanted) {
      if (kept.has(id) || !this.board.part(id)) continue;
      const button = this.buttons.get(id) ?? this.made(id);
      button.className = isChosen ? "target chosen" : "target";
      button.setAttribute("aria-label", this.board.title(id));
      if (isChosen) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
      kept.set(id, button);
    }
    for (const [id, button] of this.buttons) if (!kept.has(id)) button.remove();
    this.buttons = kept;
    // in the order of the drawing, so that what is drawn above is hit first
    const inOrder = [...kept.values()].sort((a, b) => this.rank(a) - this.rank(b));
    const { over } = this.board;
    // what stays is left where it is: a finger may be on it
    inOrder.forEach((button, i) => {
      if (over.children[i] !== button) over.insertBefore(button, over.children[i] ?? null);
    });
    this.board.over.classList.toggle("many", ids.length > MANY);
    this.place();
    if (this.pointed && !kept.has(this.pointed)) this.point(null);
    this.rove(focused && kept.has(focused) ? focused : null);
    if (focused !== null && focused !== undefined) this.focus(kept.has(focused) && !chosen.includes(focused) ? focused : undefined);
  }

  /** Put the buttons over what they stand for. */
  place(): void {
    const svg = this.board.svg;
    if (!svg) return;
    const whole = svg.getBoundingClientRect();
    if (!whole.width) return;
    const least = (matchMedia("(pointer: coarse)").matches ? 30 : 18) / whole.width;
    for (const [id, button] of this.buttons) {
      const part = this.board.part(id);
      if (!part) continue;
      const box = part.getBoundingClientRect();
      let [left, top] = [(box.left - whole.left) / whole.width, (box.top - whole.top) / whole.height];
      let [wide, high] = [box.width / whole.width, box.height / whole.height];
      const lowest = (least * whole.width) / whole.height;
      if (wide < least) [left, wide] = [left - (least - wide) / 2, least];
      if (high < lowest) [top, high] = [top - (lowest - high) / 2, lowest];
      const style = button.style;
      style.left = percent(left);
      style.top = percent(top);
      style.width = percent(wide);
      style.height = percent(high);
    }
  }

  focus(id?: string): void {
    const button = id ? this.buttons.get(id) : this.open()[0];
    if (button) button.focus({ preventScroll: true });
    else if (this.isFocused) (document.activeElement as HTMLElement).blur();
  }

  /** Point at the next one, or the one before. */
  step(by: number): void {
    const open = this.open();
    const now = open.findIndex((button) => button.dataset["id"] === this.pointed);
    const next = open[(now + by + open.length) % open.length];
    if (next) {
      this.point(next.dataset["id"]!);
      next.focus({ preventScroll: true });
    }
  }

  point(id: string | null): void {
    if (this.pointed === id) return;
    if (this.pointed) this.buttons.get(this.pointed)?.classList.remove("pointed");
    this.pointed = id;
    if (id) this.buttons.get(id)?.classList.add("pointed");
    this.on.point(id);
  }

  private open(): HTMLButtonElement[] {
    return [...this.board.over.querySelectorAll<HTMLButtonElement>(".target:not(.chosen)")];
  }

  private rank(button: HTMLButtonElement): number {
    return Number(button.dataset["rank"]);
  }

  private made(id: string): HTMLButtonElement {
    const button = h("button", { type: "button", class: "target", tabindex: -1, "data-id": id });
    const all = this.board.svg ? [...this.board.svg.querySelectorAll("[id]")] : [];
    button.dataset["rank"] = String(all.findIndex((one) => one.id === id));
    button.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse" && !this.drag) this.point(id);
    });
    button.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.drag && this.pointed === id) this.point(null);
    });
    button.addEventListener("focus", () => {
      this.rove(id);
      if (!this.touched) this.point(id);
    });
    button.addEventListener("click", (event) => {
      if (performance.now() - this.dropped < 80) return; // the end of a drag
      const byTouch = event.detail > 0 && this.touched;
      const known = this.pointed === id;
      this.point(id);
      this.on.choose(id, !byTouch || known);
    });
    return button;
  }

  private rove(id: string | null): void {
    const open = this.open();
    const one = (id && this.buttons.get(id)) || open[0];
    for (const button of this.buttons.values()) button.tabIndex = button === one ? 0 : -1;
  }

  // Keys

  private key(event: KeyboardEvent): void {
    const here = event.target as HTMLButtonElement;
    this.byPointer = this.touched = false;
    const way = WAYS[event.key];
    if (way) {
      event.preventDefault();
      this.neighbour(here, way)?.focus({ preventScroll: true });
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const open = this.open();
      open[event.key === "Home" ? 0 : open.length - 1]?.focus({ preventScroll: true });
    }
  }

  /** The nearest one that way; what lies to the side counts as further. */
  private neighbour(from: HTMLElement, [dx, dy]: readonly [number, number]): HTMLButtonElement | null {
    const here = middle(from);
    let best: HTMLButtonElement | null = null;
    let least = Infinity;
    for (const button of this.open()) {
      if (button === from) continue;
      const there = middle(button);
      const [x, y] = [there.x - here.x, there.y - here.y];
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (along < 2) continue;
      const far = along + 2.2 * aside;
      if (far < least) [least, best] = [far, button];
    }
    return best;
  }

  // Touch and drag

  private down(event: PointerEvent): void {
    this.touched = event.pointerType !== "mouse";
    this.byPointer = true;
    const button = (event.target as Element).closest<HTMLButtonElement>(".target");
    if (!button || event.button > 0) return;
    this.drag = { id: button.dataset["id"]!, x: event.clientX, y: event.clientY, ghost: null };
    this.listening?.abort();
    const { signal } = (this.listening = new AbortController());
    addEventListener("pointermove", (move) => this.move(move), { signal });
    addEventListener("pointerup", (up) => this.up(up), { signal });
    addEventListener("pointercancel", () => this.end(null), { signal });
  }

  private move(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || !event.buttons) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < DRAG_PX) return;
      if (!this.on.lift(drag.id)) return this.end(null);
      drag.ghost = this.carried(drag.id);
      document.body.append(drag.ghost);
    }
    drag.ghost.style.translate = `${x}px ${y}px`;
    this.point(this.under(event.clientX, event.clientY));
  }

  private up(event: PointerEvent): void {
    if (this.drag?.ghost) {
      this.dropped = performance.now();
      this.end(this.under(event.clientX, event.clientY));
    } else this.end(null);
  }

  private end(id: string | null): void {
    const carried = this.drag?.ghost;
    this.listening?.abort();
    this.drag = null;
    carried?.remove();
    if (carried) this.on.drop(id);
  }

  /** What is under a point, or near it. */
  private under(x: number, y: number): string | null {
    let best: string | null = null;
    let least = NEAR_PX;
    for (const button of this.open()) {
      const box = button.getBoundingClientRect();
      const [dx, dy] = [Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)];
      const far = Math.hypot(dx, dy);
      if (far <= least && (far < least || far === 0)) [least, best] = [far, button.dataset["id"]!];
    }
    return best;
  }

  /** A copy of what is dragged, under the pointer. */
  private carried(id: string): HTMLElement {
    const part = this.board.part(id)!;
    const box = part.getBoundingClientRect();
    const seen = part.getScreenCTM()!;
    const holder = h("div", { class: "carried", "aria-hidden": "true" });
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const copy = part.cloneNode(true) as SVGElement;
    for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
    const turned = document.createElementNS("http://www.w3.org/2000/svg", "g");
    turned.setAttribute("transform", `matrix(${seen.a} ${seen.b} ${seen.c} ${seen.d} ${seen.e - box.left} ${seen.f - box.top})`);
    turned.append(copy);
    svg.append(turned);
    svg.setAttribute("width", String(box.width));
    svg.setAttribute("height", String(box.height));
    holder.append(svg);
    holder.style.left = `${box.left}px`;
    holder.style.top = `${box.top}px`;
    return holder;
  }
}

const WAYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

function middle(element: Element): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}
