// One game: what it looks like, how it goes, whose it is.

import "./common";
import { button, opponent } from "./controls";
import { fill, h } from "./dom";
import { gameOf, keepLevel, levelOf, levelsOf, pictureOf, seatsInWords } from "./house";
import { playNow } from "./opening";
import type { BotOut, GameOut } from "./protocol";
import { entitle } from "./router";
import { onChange } from "./settings";
import { language, say } from "./texts";
import { attempt } from "./toast";
import rules from "rules:all";

export function mountGame(element: HTMLElement, name = ""): () => void {
  let repaint = (): void => undefined;
  const show = async (): Promise<void> => {
    const [game, bots] = await Promise.all([gameOf(name), levelsOf(name)]);
    if (!game) {
      fill(element, h("div", { class: "sheet narrow" }, h("h1", {}, say("No such game")), h("a", { href: "/" }, say("To the games"))));
      return;
    }
    entitle(game.title);
    const image = h("img", { class: "showpiece", alt: say("A game of {game} in its middle", { game: game.title }) });
    const onPhones = h("source", { media: "(max-width: 600px) and (orientation: portrait)" });
    repaint = () => {
      onPhones.srcset = pictureOf(name, "tall");
      image.src = pictureOf(name, "wide");
    };
    repaint();
    fill(element, h("article", { class: "game" }, head(game, bots), h("picture", {}, onPhones, image), about(game), inFull(name)));
  };
  void attempt(show());
  return onChange(() => repaint());
}

function head(game: GameOut, bots: BotOut[]): HTMLElement {
  let level = levelOf(game.name, bots);
  return h(
    "header",
    {},
    h("h1", {}, game.title),
    h("p", { class: "credit" }, say("by {who}", { who: game.credit }), " · ", seatsInWords(game.seats)),
    h(
      "div",
      { class: "row wrap" },
      button(say("Play"), () => attempt(playNow(game.name, level)), "primary"),
      opponent(say("Opponent"), bots, level, (chosen) => {
        level = chosen;
        keepLevel(game.name, chosen);
      }),
      h("a", { href: `/new?game=${game.name}`, class: "button" }, say("With friends")),
    ),
  );
}

function about(game: GameOut): HTMLElement {
  const moves = Object.entries(game.moves).map(([text, words]) => [h("dt", {}, h("code", {}, text)), h("dd", {}, words)]);
  return h(
    "section",
    { class: "prose" },
    h("h2", {}, say("In short")),
    h("p", { class: "lead" }, game.goal),
    h("h2", {}, say("Moves, and how the log writes them")),
    h("dl", { class: "moves" }, ...moves.flat()),
    h("p", { class: "soft" }, say("Mandalier is independent and unofficial: neither authors nor publishers have made or endorsed it. If you like the game, buy the box.")),
  );
}

function inFull(name: string): HTMLElement | null {
  const bring = rules[name];
  if (!bring) return null;
  const body = h("div", { class: "prose", lang: "en" });
  const made = h(
    "details",
    { class: "more rules" },
    h("summary", {}, language() === "en" ? say("The rules in full") : say("The rules in full, in English")),
    body,
  );
  made.addEventListener("toggle", () => {
    if (made.open && !body.firstChild) void bring().then((text) => (body.innerHTML = text.default));
  });
  return made;
}

