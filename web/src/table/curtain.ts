// Several people at one screen: between two hands that are secret, a curtain.

import { fill, h, newId } from "../dom";
import { say } from "../texts";

export class Curtain {
  readonly element = h("div", { class: "curtain", hidden: true, role: "dialog", "aria-modal": "true" });
  private onlift: () => void = () => undefined;

  get isDown(): boolean {
    return !this.element.hidden;
  }

  /** Let it down until somebody says to be there. */
  drop(name: string, onlift: () => void): void {
    this.onlift = onlift;
    if (this.isDown && this.element.dataset["name"] === name) return;
    this.element.dataset["name"] = name;
    const label = newId();
    const button = h("button", { type: "button", class: "button primary", onclick: () => this.lift() }, say("I am {name}: show my hand", { name }));
    this.element.setAttribute("aria-labelledby", label);
    fill(
      this.element,
      h("div", {}, h("p", { class: "soft" }, say("Pass the screen on")), h("h2", { id: label }, say("It is the turn of {name}", { name })), h("p", {}, say("Nobody else should look now.")), button),
    );
    this.element.hidden = false;
    button.focus();
  }

  lift(): void {
    this.element.hidden = true;
    this.onlift();
  }

  /** Take it away without anybody's doing. */
  remove(): void {
    this.element.hidden = true;
  }
}
