// The bar below the board: what can be done, what a move would do, why something cannot be done.

import { fill, h } from "../dom";
import { icon } from "../icons";
import { say } from "../texts";

export interface Saying {
  text: string;
  /** Further sentences. */
  more?: readonly string[];
  tone?: "plain" | "prompt" | "choosing" | "aim" | "preview" | "problem" | "advice";
  play?: (() => void) | undefined;
  back?: (() => void) | undefined;
  /** The button of `play` says something else. */
  label?: string;
  /** To the next thing that can be chosen, or the one before. */
  step?: ((by: number) => void) | undefined;
}

export class Bar {
  private readonly words = h("div", { class: "words" });
  private readonly buttons = h("div", { class: "row", role: "group", "aria-label": say("This move") });
  readonly element = h("div", { class: "bar" }, this.words, this.buttons);
  private shown = "";

  show(saying: Saying): void {
    const key = JSON.stringify([saying.text, saying.more, saying.tone, saying.label, !!saying.play, !!saying.back, !!saying.step]);
    if (key !== this.shown) {
      this.shown = key;
      const focused = this.buttons.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["what"] : null;
      this.element.dataset["tone"] = saying.tone ?? "plain";
      fill(this.words, h("p", {}, saying.text), ...(saying.more ?? []).map((one) => h("p", { class: "soft" }, one)));
      fill(
        this.buttons,
        saying.back && this.button("back", say("Back"), "back"),
        saying.step && this.button("before", say("The one before"), "back"),
        saying.step && this.button("after", say("The next one"), "forth"),
        saying.play && h("button", { type: "button", class: "button primary", "data-what": "play" }, saying.label ?? say("Play")),
      );
      if (focused) this.buttons.querySelector<HTMLElement>(`[data-what=${focused}]`)?.focus();
    }
    this.buttons.onclick = (event) => {
      const what = (event.target as Element).closest<HTMLElement>("[data-what]")?.dataset["what"];
      if (what === "play") saying.play?.();
      if (what === "back") saying.back?.();
      if (what === "before") saying.step?.(-1);
      if (what === "after") saying.step?.(1);
    };
  }

  private button(what: string, label: string, name: "back" | "forth"): HTMLElement {
    if (what === "back") return h("button", { type: "button", class: "button", "data-what": what }, label);
    return h("button", { type: "button", class: "round step", "data-what": what, "aria-label": label, title: label }, icon(name));
  }
}
