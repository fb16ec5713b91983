// What is around every page: the name, the way to the settings, and whether the server is heard.

import { fill, h } from "./dom";
import { onPerson } from "./person";
import { connected } from "./socket";
import { say } from "./texts";
import { icon } from "./icons";

let ends: (() => void)[] = [];

/** Build the frame; the result is where pages go. */
export function mountFrame(page: HTMLElement): HTMLElement {
  ends.forEach((end) => end());
  const main = h("main", { id: "main", class: "main", tabindex: -1 });
  const you = h("a", { href: "/you", class: "you" });
  const notice = h("p", { class: "notice", role: "status", hidden: true });
  const header = h(
    "header",
    { class: "top" },
    h("a", { href: "/", class: "mark", "aria-label": say("Mandalier, to the games") }, icon("mark"), h("span", {}, "Mandalier")),
    h("nav", { "aria-label": say("About you") }, you, h("a", { href: "/settings", class: "round", "aria-label": say("Settings") }, icon("settings"))),
  );
  const skip = h("a", { href: "#main", class: "skip" }, say("To the content"));
  fill(page, skip, header, notice, main);
  let was = false;
  ends = [
    onPerson((person) => fill(you, icon("person"), h("span", { class: "name" }, person?.name ?? say("You")))),
    connected((heard) => {
      notice.hidden = heard || !was;
      notice.textContent = notice.hidden ? "" : say("The connection is lost; coming back …");
      was ||= heard;
    }),
  ];
  return main;
}
