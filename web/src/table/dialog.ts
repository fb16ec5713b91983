// Questions and sheets over the table.

import { h, newId } from "../dom";
import { icon } from "../icons";
import { say } from "../texts";

type Child = Node | string | null | undefined | false;

/** Open a sheet; it closes by its cross, by Escape, and by a click beside it. */
export function sheet(title: string, ...children: Child[]): HTMLDialogElement {
  const label = newId();
  const close = h("button", { type: "button", class: "round", "aria-label": say("Close") }, icon("cross"));
  const made = h(
    "dialog",
    { class: "sheet-over", "aria-labelledby": label },
    h("header", {}, h("h2", { id: label }, title), close),
    h("div", { class: "sheet-body" }, ...children),
  );
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

/** Ask before something that cannot be taken back. */
export function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const agree = h("button", { type: "button", class: "button" }, yes);
    const not = h("button", { type: "button", class: "button quiet" }, say("No"));
    const made = sheet(title, h("p", {}, text), h("p", { class: "row" }, agree, not));
    agree.addEventListener("click", () => {
      answer = true;
      made.close();
    });
    not.addEventListener("click", () => made.close());
    made.addEventListener("close", () => resolve(answer));
  });
}
