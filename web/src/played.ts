// The games somebody has played to their end, to be looked at again.

import { button } from "./controls";
import { fill, h } from "./dom";
import { games, pictureOf } from "./house";
import { icon } from "./icons";
import type { GameResult, ResultsOut } from "./protocol";
import { ask } from "./socket";
import { language, say } from "./texts";
import { attempt } from "./toast";
import { seatName } from "./words";

/** The list; hidden while it is empty. */
export function gamesPlayed(): HTMLElement {
  const list = h("ul", { class: "list" });
  const foot = h("p", { class: "row" });
  const section = h("section", { class: "box", hidden: true }, h("h2", {}, say("Games you have played")), list, foot);
  const bring = async (next: string | null): Promise<void> => {
    const [found, known] = await Promise.all([ask<ResultsOut>("GET", `/api/v1/me/results${next ? `?before=${next}` : ""}`), games()]);
    const titles = new Map(known.map((game) => [game.name, game.title]));
    list.append(...found.results.map((one) => row(one, titles.get(one.game) ?? one.game)));
    section.hidden = !list.childElementCount;
    fill(foot, found.next ? button(say("Earlier games"), () => attempt(bring(found.next))) : null);
  };
  void bring(null).catch(() => undefined);
  return section;
}

function row(one: GameResult, title: string): HTMLElement {
  const others = one.seats.filter((seat) => !one.mine.includes(seat.seat)).map(seatName);
  const day = new Date(one.started).toLocaleDateString(language(), { dateStyle: "medium" });
  return h(
    "li",
    {},
    h(
      "a",
      { href: `/t/${one.table}` },
      h("img", { src: pictureOf(one.game), alt: "", width: 80, height: 40, loading: "lazy" }),
      h("span", { class: "what" }, h("strong", {}, title), h("span", {}, others.join(", "))),
      h("span", { class: "how" }, h("strong", {}, `${verdict(one)} ${one.outcome.scores.join(" – ")}`), h("span", {}, day)),
      icon("forth"),
    ),
  );
}

function verdict({ mine, outcome }: GameResult): string {
  if (mine.length > 1) return "";
  if (!outcome.winners.some((seat) => mine.includes(seat))) return outcome.winners.length ? say("lost") : "";
  return outcome.winners.length > 1 ? say("shared") : say("won");
}
