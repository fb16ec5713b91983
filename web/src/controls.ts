// Form controls: each has a label, works by keyboard, and tells its value when it changes.

import { h, newId } from "./dom";
import { icon } from "./icons";
import type { BotOut } from "./protocol";

export interface Option<T> {
  value: T;
  words: string;
  about?: string;
}

/** A choice among a few, all in sight. */
export function segments<T>(
  legend: string,
  options: Option<T>[],
  chosen: T,
  onchoose: (value: T) => void,
): HTMLFieldSetElement {
  const name = newId();
  const about = h("p", { class: "about" });
  const tellAbout = (option: Option<T> | undefined): void => {
    about.textContent = option?.about ?? "";
    about.hidden = !option?.about;
  };
  const same = (a: T, b: T): boolean => JSON.stringify(a) === JSON.stringify(b);
  const labels = options.map((option) => {
    const input = h("input", { type: "radio", name, checked: same(option.value, chosen) });
    input.addEventListener("change", () => {
      tellAbout(option);
      onchoose(option.value);
    });
    return h("label", { class: "segment" }, input, h("span", {}, option.words));
  });
  tellAbout(options.find((option) => same(option.value, chosen)));
  return h("fieldset", { class: "field" }, h("legend", {}, legend), h("div", { class: "segments" }, ...labels), about);
}

/** Which bot sits opposite; what it is like is told beside the list when the list is pointed at. */
export function opponent(label: string, bots: BotOut[], chosen: string, onchoose: (name: string) => void): HTMLElement {
  const id = newId();
  const made = h("select", { id }, ...bots.map((bot) => h("option", { value: bot.name, selected: bot.name === chosen, title: bot.words }, bot.title)));
  const tell = (): void => void (made.title = bots.find((bot) => bot.name === made.value)?.words ?? "");
  made.addEventListener("change", () => {
    tell();
    onchoose(made.value);
  });
  tell();
  return h("div", { class: "opponent" }, icon("bot"), h("label", { for: id, class: "unseen" }, label), made);
}

/** Yes or no. */
export function toggle(label: string, on: boolean, onchoose: (on: boolean) => void, about = ""): HTMLElement {
  const input = h("input", { type: "checkbox", role: "switch", checked: on });
  input.addEventListener("change", () => onchoose(input.checked));
  return h("label", { class: "toggle" }, input, h("span", {}, label, about ? h("small", {}, about) : null));
}

/** A whole number. */
export function number(
  label: string,
  value: number,
  [least, most]: [number, number],
  onchoose: (value: number) => void,
): HTMLElement {
  const id = newId();
  const input = h("input", { id, type: "number", min: least, max: most, step: 1, value, inputmode: "numeric", required: true });
  input.addEventListener("input", () => {
    if (input.validity.valid) onchoose(input.valueAsNumber);
  });
  return h("div", { class: "field number" }, h("label", { for: id }, label), input);
}

/** A button that cannot be pressed twice while its work goes on. */
export function button(
  words: string | (Node | string)[],
  onpress: () => unknown,
  kind: "" | "primary" | "plain" | "danger" = "",
  more: Record<string, string | boolean | null> = {},
): HTMLButtonElement {
  const made = h("button", { type: "button", class: `button ${kind}`.trim(), ...more }, ...[words].flat());
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    const work = onpress();
    if (!(work instanceof Promise)) return;
    made.setAttribute("aria-disabled", "true");
    void work.finally(() => made.removeAttribute("aria-disabled"));
  });
  return made;
}
