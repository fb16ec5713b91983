// The first page: pick a game, play at once, or join a table.

import { fill, h } from "./dom";
import type { GameOut, GamesOut, TableConfig, TableOut } from "./protocol";
import { somebody } from "./person";
import { entitle, go } from "./router";
import { ask } from "./socket";
import { say } from "./texts";

/** Make a table and go there. */
export async function openTable(config: TableConfig): Promise<TableOut> {
  await somebody();
  const made = await ask<TableOut>("POST", "/api/v1/tables", config);
  go(`/t/${made.table.id}`);
  return made;
}

export function mountLobby(element: HTMLElement): void {
  entitle("");
  const games = h("ul", { class: "games" });
  fill(element, h("h1", {}, say("Four art games at one table")), games);
  void ask<GamesOut>("GET", "/api/v1/games").then((found) => fill(games, ...found.games.map(card)));
}

function card(game: GameOut): HTMLElement {
  const play = (): void => void openTable({ game: game.name, fill_with: "eager", start_when_full: true });
  return h("li", { class: "card" }, h("h2", {}, game.title), h("p", {}, game.credit), h("button", { onclick: play }, say("Play")));
}
