// What the server has: games and bots. Asked once in each language.

import type { BotOut, BotsOut, GameOut, GamesOut } from "./protocol";
import { settings, theme } from "./settings";
import { ask } from "./socket";
import { language, say, sayN } from "./texts";

const kept = new Map<string, Promise<unknown>>();

function once<T>(path: string): Promise<T> {
  const key = `${language()} ${path}`;
  let found = kept.get(key) as Promise<T> | undefined;
  if (!found) {
    found = ask<T>("GET", path);
    kept.set(key, found);
    found.catch(() => kept.delete(key));
  }
  return found;
}

export const games = async (): Promise<GameOut[]> => (await once<GamesOut>("/api/v1/games")).games;
export const bots = async (): Promise<BotOut[]> => (await once<BotsOut>("/api/v1/bots")).bots;

/** The levels of bots at a game, from the weakest. */
export async function levelsOf(game: string): Promise<BotOut[]> {
  return (await bots()).filter((bot) => bot.title && bot.games.includes(game));
}

export async function gameOf(name: string): Promise<GameOut | undefined> {
  return (await games()).find((game) => game.name === name);
}

/** The address of a game's picture. */
export function pictureOf(game: string, arrangement: "thumb" | "wide" | "tall" = "thumb"): string {
  return `/pictures/${game}.svg?theme=${theme()}&arrangement=${arrangement}&language=${settings().language}`;
}

export function seatsInWords(seats: number[]): string {
  const [least = 0, most = 0] = [seats[0], seats[seats.length - 1]];
  if (least === most) return sayN("{n} player", "{n} players", least);
  return say("{least} to {most} players", { least, most });
}

const LEVEL = "mandalier.level.";

/** The bot last chosen at a game, or one to begin with. */
export function levelOf(game: string, among: BotOut[]): string {
  let last: string | null = null;
  try {
    last = localStorage.getItem(LEVEL + game);
  } catch {
    // a browser that keeps nothing
  }
  if (among.some((bot) => bot.name === last)) return last!;
  return (among[Math.floor((among.length - 1) / 3)] ?? among[0])?.name ?? "random";
}

export function keepLevel(game: string, level: string): void {
  try {
    localStorage.setItem(LEVEL + game, level);
  } catch {
    // then it is asked again
  }
}
