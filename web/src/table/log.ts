// The log of moves, in words and in notation. Any line shows the position after it.

import { fill, h } from "../dom";
import type { LogLine } from "../protocol";
import type { Whole } from "../socket";
import { say } from "../texts";
import { nameOf } from "./people";

/** A line of the log, in a sentence. */
export function told(position: Whole, line: LogLine): string {
  const words = line.words || line.text || say("has chosen");
  if (line.who === null) return words;
  return `${nameOf(position.info.seats[line.who])}: ${words}`;
}

export class Log {
  readonly element = h("ol", { class: "log", "aria-label": say("Moves") });
  private rows: HTMLButtonElement[] = [];
  private lines: LogLine[] = [];

  private follows = true; // the newest line, until somebody scrolls up

  constructor(private readonly onlook: (ply: number) => void) {
    const list = this.element;
    list.addEventListener("scroll", () => {
      if (list.clientHeight) this.follows = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    });
    new ResizeObserver(() => this.follows && this.toEnd()).observe(list);
  }

  show(position: Whole): void {
    const { log } = position;
    let kept = 0;
    while (kept < this.lines.length && kept < log.length && same(this.lines[kept]!, log[kept]!)) kept++;
    this.rows.splice(kept).forEach((row) => row.parentElement?.remove());
    log.slice(kept).forEach((line, i) => this.element.append(this.row(position, line, kept + i)));
    this.lines = [...log];
    if (this.follows) this.toEnd();
    if (!log.length) fill(this.element, h("li", { class: "quiet" }, say("No move yet.")));
    else this.element.querySelector(".quiet")?.remove();
  }

  /** Mark the line whose position is shown; null: the present one. */
  mark(ply: number | null): void {
    this.rows.forEach((row, i) => {
      if (ply === i + 1) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    if (ply) this.rows[ply - 1]?.scrollIntoView({ block: "nearest" });
  }

  toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  private row(position: Whole, line: LogLine, index: number): HTMLLIElement {
    const seat = line.who === null ? null : h("span", { class: `disc seat-${line.who}`, "aria-hidden": "true" }, String(line.who));
    const row = h(
      "button",
      { type: "button", onclick: () => this.onlook(index + 1) },
      h("span", { class: "number" }, `${index + 1}`),
      seat ?? h("span", { class: "disc", "aria-hidden": "true" }, "·"),
      h("span", { class: "words" }, line.words || say("has chosen"), line.who === null ? null : h("span", { class: "unseen" }, ` (${nameOf(position.info.seats[line.who])})`)),
      line.text && line.who !== null && h("code", {}, line.text),
    );
    this.rows.push(row);
    return h("li", {}, row);
  }
}

const same = (one: LogLine, other: LogLine): boolean => one.who === other.who && one.text === other.text && one.words === other.words;
