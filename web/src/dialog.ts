// Dialogues: the browser's own, so that focus, Escape and screen readers are as everywhere.

import { button } from "./controls";
import { h, newId } from "./dom";
import { icon } from "./icons";
import { say } from "./texts";

/** Show something above the page; the result closes it. */
export function showDialog(title: string, ...content: (Node | string)[]): () => void {
  const id = newId();
  const close = (): void => made.close();
  const made = h(
    "dialog",
    { class: "dialog", "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title), button([icon("cross")], close, "plain", { "aria-label": say("Close") })),
    h("div", { class: "dialog-body" }, ...content),
  );
  made.addEventListener("close", () => made.remove());
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close(); // beside it
  });
  document.body.append(made);
  made.showModal();
  return close;
}

/** Ask before something that cannot be taken back. */
export function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const done = (given: boolean) => (): void => {
      answer = given;
      close();
    };
    const close = showDialog(
      title,
      h("p", {}, text),
      h("div", { class: "row end" }, button(say("Cancel"), done(false)), button(yes, done(true), "danger")),
    );
    document.querySelector("dialog:last-of-type")?.addEventListener("close", () => resolve(answer));
  });
}

/** Ask for a line of text; null if none is given. */
export function asked(title: string, label: string, given: string, yes: string, most = 40): Promise<string | null> {
  return new Promise((resolve) => {
    let answer: string | null = null;
    const id = newId();
    const input = h("input", { id, type: "text", value: given, maxlength: most, required: true, autocomplete: "off" });
    const form = h(
      "form",
      { method: "dialog", class: "stack" },
      h("div", { class: "field" }, h("label", { for: id }, label), input),
      h("div", { class: "row end" }, h("button", { class: "button primary" }, yes)),
    );
    form.addEventListener("submit", () => (answer = input.value.trim() || null));
    showDialog(title, form);
    input.select();
    form.closest("dialog")?.addEventListener("close", () => resolve(answer));
  });
}
