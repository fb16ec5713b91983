// Who sits at the table, whose turn it is, how much time they have, and who is not there.

import { fill, h } from "../dom";
import { icon } from "../icons";
import type { SeatInfo } from "../protocol";
import type { Whole } from "../socket";
import { say } from "../texts";
import { botName } from "../words";
import { Ticking, timeText } from "./clocks";

const LOW_MS = 30_000;

/** What a seat is called. */
export function nameOf(seat: SeatInfo | undefined): string {
  if (!seat) return "";
  if (seat.name && seat.kind !== "bot") return seat.name;
  if (seat.bot) return botName(seat.bot);
  return say("Seat {n}", { n: seat.seat });
}

/** What is to be said of a seat besides its name. */
function note(seat: SeatInfo, isAbsent: boolean): string {
  if (seat.out) return say("out of the game; a bot plays on");
  if (seat.away) return say("away; a bot plays meanwhile");
  if (isAbsent) return say("not connected");
  if (seat.kind === "bot") return say("bot");
  if (seat.kind === "program") return say("program");
  return "";
}

export class People {
  readonly element = h("ul", { class: "people", "aria-label": say("Players") });
  private times: HTMLElement[] = [];
  private readonly ticking = new Ticking((left, running) => {
    left.forEach((ms, seat) => {
      const shown = this.times[seat];
      if (!shown) return;
      shown.textContent = timeText(ms);
      shown.classList.toggle("low", ms < LOW_MS && running.includes(seat));
    });
  });

  constructor(private readonly onsum: (seat: number) => void) {}

  show(position: Whole): void {
    this.times = [];
    const rows = position.info.seats.map((seat) => {
      const time = h("span", { class: "time" });
      this.times[seat.seat] = time;
      const more = note(seat, position.absent.includes(seat.seat));
      const mayMove = position.waiting.includes(seat.seat);
      const name = nameOf(seat);
      const button = h(
        "button",
        { type: "button", class: "player", onclick: () => this.onsum(seat.seat), title: say("Why this score?") },
        h("span", { class: `disc seat-${seat.seat}`, "aria-hidden": "true" }, String(seat.seat)),
        h("span", { class: "who" }, name, position.mine.includes(seat.seat) && position.mine.length < 2 && h("small", {}, ` ${say("(you)")}`)),
        more ? h("small", { class: "note" }, seat.kind === "bot" && icon("bot"), more) : null,
        mayMove && h("span", { class: "unseen" }, `, ${say("to move")}`),
        position.clocks && time,
      );
      return h("li", { class: [mayMove && "to-move", (seat.away || position.absent.includes(seat.seat)) && "gone"].filter(Boolean).join(" ") }, button);
    });
    fill(this.element, ...rows);
    this.ticking.set(position.clocks);
  }

  stop(): void {
    this.ticking.stop();
  }
}
