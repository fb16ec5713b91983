// The first page: pick a game, play at once, or join a table.

import "./common";
import { button, opponent } from "./controls";
import { fill, h } from "./dom";
import { games, keepLevel, levelOf, levelsOf, pictureOf, seatsInWords } from "./house";
import { icon } from "./icons";
import { playNow } from "./opening";
import { whoIsHere } from "./person";
import type { BotOut, GameOut, TableInfo, TablesOut } from "./protocol";
import { entitle } from "./router";
import { onChange } from "./settings";
import { ask } from "./socket";
import { say } from "./texts";
import { attempt } from "./toast";
import { clockInWords, seatName, statusInWords } from "./words";

const REFRESH_MS = 8_000;

export function mountLobby(element: HTMLElement): () => void {
  entitle("");
  const cards = h("ul", { class: "games", "aria-busy": true });
  const mine = h("section", { class: "tables", hidden: true });
  const open = h("section", { class: "tables" });
  fill(
    element,
    h(
      "div",
      { class: "hero" },
      h("h1", {}, say("Four art games, one table")),
      h("p", {}, say("Sand, stones, pyramids and painted squares. Play with friends or against bots, here in the browser: no account, nothing to install.")),
    ),
    mine,
    cards,
    open,
  );
  void attempt(showGames(cards));
  const refresh = (): void => {
    if (document.visibilityState === "hidden") return;
    void showTables(open, mine).catch(() => undefined); // the notice about the connection says it
  };
  refresh();
  const again = window.setInterval(refresh, REFRESH_MS);
  const end = onChange(() => cards.querySelectorAll("img").forEach((image) => (image.src = pictureOf(image.dataset["game"]!))));
  return () => {
    clearInterval(again);
    end();
  };
}

async function showGames(cards: HTMLElement): Promise<void> {
  const found = await games();
  fill(cards, ...(await Promise.all(found.map(async (game) => card(game, await levelsOf(game.name))))));
  cards.removeAttribute("aria-busy");
}

function card(game: GameOut, bots: BotOut[]): HTMLElement {
  let level = levelOf(game.name, bots);
  const choose = (name: string): void => {
    level = name;
    keepLevel(game.name, name);
  };
  const image = h("img", { src: pictureOf(game.name), alt: "", width: 400, height: 200, "data-game": game.name });
  return h(
    "li",
    { class: "card" },
    h("a", { href: `/games/${game.name}`, class: "cover", tabindex: -1, "aria-hidden": "true" }, image),
    h(
      "div",
      { class: "card-body" },
      h("h2", {}, h("a", { href: `/games/${game.name}` }, game.title)),
      h("p", { class: "credit" }, game.credit),
      h("p", { class: "seats-of" }, seatsInWords(game.seats)),
      h(
        "div",
        { class: "row" },
        button(say("Play"), () => attempt(playNow(game.name, level)), "primary", { "aria-label": say("Play {game} against a bot", { game: game.title }) }),
        opponent(say("Opponent at {game}", { game: game.title }), bots, level, choose),
        h("a", { href: `/new?game=${game.name}`, class: "button", "aria-label": say("{game} with friends", { game: game.title }) }, say("With friends")),
      ),
    ),
  );
}

async function showTables(open: HTMLElement, mine: HTMLElement): Promise<void> {
  const [all, own, found] = await Promise.all([
    ask<TablesOut>("GET", "/api/v1/tables"),
    whoIsHere() ? ask<TablesOut>("GET", "/api/v1/me/tables") : { tables: [], turns: [] },
    games(),
  ]);
  const titles = new Map(found.map((game) => [game.name, game.title]));
  const isMine = new Set(own.tables.map((table) => table.id));
  const others = all.tables.filter((table) => !isMine.has(table.id) && table.status !== "over" && table.status !== "closed");
  mine.hidden = !own.tables.length;
  const turns = new Set(own.turns);
  const urgent = [...own.tables].sort((a, b) => Number(turns.has(b.id)) - Number(turns.has(a.id)));
  change(mine, say("Your tables"), urgent, titles, "", turns);
  change(open, say("Open tables"), others, titles, say("No table is open to all at the moment. Open one, and others find it here."));
}

/** Show a list of tables; what is the same as before is left alone, with the focus in it. */
function change(section: HTMLElement, title: string, tables: TableInfo[], titles: Map<string, string>, none: string, turns = new Set<string>()): void {
  const key = title + JSON.stringify([tables, ...turns]);
  if (section.dataset["shown"] === key) return;
  section.dataset["shown"] = key;
  fill(
    section,
    h("h2", {}, title),
    tables.length ? h("ul", { class: "list" }, ...tables.map((table) => row(table, titles.get(table.config.game) ?? table.config.game, turns.has(table.id)))) : h("p", { class: "soft" }, none),
  );
}

function row(table: TableInfo, title: string, isMyTurn: boolean): HTMLElement {
  const people = table.seats.filter((seat) => seat.kind !== "open").map(seatName);
  return h(
    "li",
    {},
    h(
      "a",
      { href: `/t/${table.id}` },
      h("img", { src: pictureOf(table.config.game), alt: "", width: 80, height: 40, loading: "lazy" }),
      h("span", { class: "what" }, h("strong", {}, title), h("span", {}, people.join(", ") || say("nobody yet"))),
      h("span", { class: "how" }, isMyTurn ? h("strong", { class: "turn" }, say("Your turn")) : h("span", {}, statusInWords(table)), h("span", {}, clockInWords(table.config.clock ?? {}))),
      icon("forth"),
    ),
  );
}
