// Ways to get to a table.

import type { TableConfig, TableOut } from "./protocol";
import { somebody } from "./person";
import { go } from "./router";
import { ask, send } from "./socket";

/** Make a table, sit down at it, and go there. */
export async function openTable(config: TableConfig): Promise<string> {
  await somebody();
  const made = await ask<TableOut>("POST", "/api/v1/tables", config);
  const table = made.table.id;
  await send({ type: "sit", table, seat: 0 });
  go(`/t/${table}`);
  return table;
}

/** A game against bots, at once. */
export async function playNow(game: string, level: string): Promise<void> {
  await somebody();
  const config: TableConfig = { game, fill_with: level, start_when_full: false };
  const table = (await ask<TableOut>("POST", "/api/v1/tables", config)).table.id;
  await send({ type: "sit", table, seat: 0 });
  await send({ type: "start", table, fill_with: level });
  go(`/t/${table}`);
}
