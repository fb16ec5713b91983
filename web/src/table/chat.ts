// What is said at the table. Quick phrases are read by each in their own language.

import { h } from "../dom";
import type { Said } from "../protocol";
import { Refusal, send } from "../socket";
import { say } from "../texts";

/** The phrases; sent in English, shown in the reader's language. */
const phrases = (): Map<string, string> =>
  new Map([
    ["Hello! Have fun.", say("Hello! Have fun.")],
    ["Good luck!", say("Good luck!")],
    ["Nice move!", say("Nice move!")],
    ["Well played!", say("Well played!")],
    ["Oops.", say("Oops.")],
    ["One moment, please.", say("One moment, please.")],
    ["Thank you!", say("Thank you!")],
    ["I have to go. Goodbye!", say("I have to go. Goodbye!")],
  ]);

export class Chat {
  private readonly list = h("ul", { class: "said", "aria-label": say("What was said"), tabindex: 0 });
  private readonly field = h("input", { type: "text", maxlength: 500, "aria-label": say("Say something"), placeholder: say("Say something"), autocomplete: "off", enterkeyhint: "send" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  readonly element: HTMLElement;
  unread = 0;
  onunread: () => void = () => undefined;

  constructor(private readonly table: string) {
    const form = h("form", { class: "row", onsubmit: (event) => this.submit(event) }, this.field, h("button", { class: "button primary", type: "submit" }, say("Send")));
    const quick = h("div", { class: "quick", role: "group", "aria-label": say("Quick phrases") });
    for (const [key, words] of phrases())
      quick.append(h("button", { type: "button", class: "chip", onclick: () => void this.say(key) }, words));
    this.element = h("div", { class: "chat" }, this.list, this.problem, quick, form);
  }

  hear(said: Said): void {
    const words = phrases().get(said.text) ?? said.text;
    const disc = said.seat === null ? null : h("span", { class: `disc seat-${said.seat}`, "aria-hidden": "true" }, String(said.seat));
    this.list.append(h("li", {}, disc, h("b", {}, said.name), ` ${words}`));
    this.list.scrollTop = this.list.scrollHeight;
    this.unread++;
    this.onunread();
  }

  /** Whether one may speak here. */
  open(isOpen: boolean): void {
    for (const part of this.element.querySelectorAll<HTMLInputElement | HTMLButtonElement>("input, button")) part.disabled = !isOpen;
    this.field.placeholder = isOpen ? say("Say something") : say("The chat is closed");
  }

  private submit(event: Event): void {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return;
    this.field.value = "";
    void this.say(text);
  }

  private async say(text: string): Promise<void> {
    this.problem.hidden = true;
    try {
      await send({ type: "chat", table: this.table, text });
    } catch (error) {
      this.problem.textContent = error instanceof Refusal ? error.reason : String(error);
      this.problem.hidden = false;
    }
  }
}
