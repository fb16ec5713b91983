// Tables in words.

import type { ClockRule, SeatInfo, TableConfig, TableInfo } from "./protocol";
import { say, sayN } from "./texts";

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 120 && seconds % 60) return sayN("{n} second", "{n} seconds", seconds);
  return sayN("{n} minute", "{n} minutes", Math.round(seconds / 60));
}

export function clockInWords(clock: ClockRule): string {
  const { kind = "none", seconds = 300, increment = 0, days = 3 } = clock;
  if (kind === "move") return say("{time} a turn", { time: duration(seconds) });
  if (kind === "days") return sayN("{n} day a turn", "{n} days a turn", days);
  if (kind === "none") return say("no clock");
  const time = duration(seconds);
  if (!increment) return say("{time} each", { time });
  return say("{time} each, and {n} s a move", { time, n: increment });
}

/** What is special about a table, in short phrases. */
export function configInWords(config: TableConfig): string[] {
  return [
    clockInWords(config.clock ?? {}),
    config.visibility === "public" ? say("open to all") : say("by link only"),
    config.hints === "none" ? say("legal moves not shown") : config.hints === "legal" ? say("no advice") : "",
    config.undo === false ? say("nothing is taken back") : "",
    config.spectators === false ? say("nobody watches") : "",
    config.spectator_delay_s ? say("watched {time} later", { time: duration(config.spectator_delay_s) }) : "",
    config.chat === false ? say("no chat") : "",
  ].filter(Boolean);
}

export function statusInWords(info: TableInfo): string {
  switch (info.status) {
    case "gathering":
    case "sealing": {
      const free = info.seats.filter((seat) => seat.kind === "open").length;
      return sayN("{n} seat free", "{n} seats free", free);
    }
    case "playing":
      return say("being played");
    case "paused":
      return say("paused");
    case "over":
      return say("over");
    case "closed":
      return say("closed");
  }
}

/** What a bot is called. */
export function botName(name: string): string {
  const levels: Record<string, string> = {
    novice: say("Novice"),
    apprentice: say("Apprentice"),
    journeyman: say("Journeyman"),
    adept: say("Adept"),
    expert: say("Expert"),
    master: say("Master"),
  };
  return levels[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** Who sits there, as one reads it. */
export function seatName(seat: SeatInfo): string {
  if (seat.kind === "open") return say("free");
  if (seat.kind === "bot") return botName(seat.bot ?? seat.name) || say("a bot");
  return seat.name;
}
