// A table: people gather at it, then a game is played.

import "./common";
import { fill, h } from "./dom";
import { somebody } from "./person";
import { entitle } from "./router";
import { Refusal, watch, type Whole } from "./socket";
import { mountTable } from "./table";
import { say } from "./texts";

/** Whether people still gather. */
export const isGathering = (position: Whole): boolean =>
  position.info.status === "gathering" || position.info.status === "sealing" || !position.view;

export function mountTablePage(element: HTMLElement, table = ""): () => void {
  let leave: (() => void) | null = null;
  let shown: "waiting" | "table" | null = null;
  let stop: (() => void) | null = null;
  let gone = false;
  entitle(say("A table"));
  fill(element, h("p", { class: "plain", role: "status" }, say("Looking for the table …")));

  const problem = (error: unknown): void => {
    leave?.();
    leave = shown = null;
    const reason = error instanceof Refusal ? error.reason : String(error);
    fill(
      element,
      h("div", { class: "sheet narrow" }, h("h1", {}, say("No table here")), h("p", {}, reason), h("p", {}, h("a", { href: "/", class: "button" }, say("To the games")))),
    );
  };

  const place = (position: Whole): void => {
    const wanted = isGathering(position) && position.info.status !== "closed" ? "waiting" : "table";
    if (wanted === shown) return;
    leave?.();
    shown = wanted;
    leave = null;
    if (wanted === "table") {
      element.replaceChildren();
      element.className = "main playing";
      leave = mountTable(element, table);
    } else gather().catch(problem);
  };
  const gather = async (): Promise<void> => {
    const { mountWaitingRoom } = await import("./waiting_room"); // most who come to a table play at once
    if (gone || shown !== "waiting" || leave) return;
    element.replaceChildren();
    element.className = "main";
    leave = mountWaitingRoom(element, table);
  };

  somebody()
    .then(() => {
      if (!gone) stop = watch(table, { position: place, refused: problem });
    })
    .catch(problem);

  return () => {
    gone = true;
    stop?.();
    leave?.();
  };
}
