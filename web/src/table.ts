// A table where a game is played: the board, and all that is around it.

import { fill, h } from "./dom";
import { icon } from "./icons";
import { Panel } from "./table/panel";
import { Play } from "./table/play";
import { isSofa } from "./table/sofa";
import { watch, type Whole } from "./socket";
import { say } from "./texts";

/** Show a table whose game has begun; the result takes it away again. */
export function mountTable(element: HTMLElement, table: string): () => void {
  const play = new Play(table);
  const panel = new Panel(table, play);
  const more = h("button", { type: "button", class: "round to-panel", "aria-label": say("Players, moves and chat"), "aria-expanded": "false" }, icon("menu"), h("span", { class: "dot", hidden: true }));
  const top = h("div", { class: "table-top" }, h("a", { href: "/", class: "round", "aria-label": say("To the games") }, icon("mark")), play.status, h("div", { class: "row" }, play.undo, play.hint, more));
  const open = (isOpen: boolean): void => {
    panel.element.classList.toggle("open", isOpen);
    more.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) panel.opened();
  };
  more.addEventListener("click", () => open(!panel.element.classList.contains("open")));
  panel.onclose = () => {
    if (!panel.element.classList.contains("open")) return;
    open(false);
    more.focus();
  };
  play.onresult = () => {
    if (more.offsetParent) open(true);
  };
  panel.onnews = (some) => (more.querySelector<HTMLElement>(".dot")!.hidden = !some);
  fill(element, h("div", { class: "table" }, top, play.element, panel.element));
  const position = (position: Whole): void => {
    play.take(position);
    panel.show(position);
  };
  const stop = watch(table, { position, said: (said) => panel.chat.hear(said) }, isSofa() ? -1 : null);
  return () => {
    stop();
    play.end();
    panel.end();
  };
}
