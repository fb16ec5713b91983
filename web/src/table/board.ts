// The drawing on the table: it shows the server's SVG, and lets pieces move to where they go.

import { drawing, h } from "../dom";
import { moves } from "../settings";
import { morph } from "./morph";
import { animate, spots } from "./motion";

export class Board {
  readonly element = h("div", { class: "board" });
  /** What lies over the drawing: what can be clicked. */
  readonly over = h("div", { class: "over" });
  svg: SVGSVGElement | null = null;
  onshown: () => void = () => undefined;
  private text = "";
  private stop: () => void = () => undefined;

  constructor() {
    this.element.append(this.over);
  }

  /** Show a drawing; what moved is seen to, if things may move. `mover` is the seat it came from. */
  show(text: string, mover: number | null = null, still = false): Promise<void> {
    this.settle();
    if (text === this.text) return Promise.resolve();
    this.text = text;
    const next = drawing(text) as SVGSVGElement | null;
    if (!next) return Promise.resolve();
    const old = this.svg;
    const alike = old?.getAttribute("viewBox") === next.getAttribute("viewBox");
    const before = old && alike && !still && moves() ? spots(old) : null;
    if (old) morph(old, next);
    else {
      this.svg = next;
      this.element.prepend(next);
    }
    const box = this.svg!.viewBox.baseVal;
    this.element.style.setProperty("--ratio", String(box.width / box.height));
    this.onshown();
    if (!before) return Promise.resolve();
    const flight = animate(this.svg!, before, mover);
    this.stop = flight.stop;
    return flight.done;
  }

  /** Have everything where it goes, now. */
  settle(): void {
    this.stop();
    this.stop = () => undefined;
  }

  part(id: string): SVGGraphicsElement | null {
    return this.svg?.querySelector<SVGGraphicsElement>(`#${CSS.escape(id)}`) ?? null;
  }

  /** The name of a thing. */
  title(id: string): string {
    return this.part(id)?.querySelector(":scope > title")?.textContent ?? "";
  }

  /** The ids of what lies at a point, the uppermost first. */
  at(x: number, y: number): string[] {
    const found = new Set<string>();
    for (const element of document.elementsFromPoint(x, y)) {
      if (!this.svg?.contains(element)) continue;
      for (let one: Element | null = element; one && one !== this.svg; one = one.parentElement)
        if (one.id) found.add(one.id);
    }
    return [...found];
  }
}
