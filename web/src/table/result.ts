// The end of a game: who has won, every score as its sum, the next game, and what may be kept.

import { fill, h } from "../dom";
import { go } from "../router";
import { Refusal, send, type Whole } from "../socket";
import { say } from "../texts";
import { nameOf } from "./people";
import { askSums, sumTable } from "./sums";

/** How a game ended, in a sentence. */
export function verdict(position: Whole): string {
  const outcome = position.info.outcome;
  if (!outcome) return "";
  if (outcome.reason === "closed") return say("The table was closed.");
  const names = outcome.winners.map((seat) => nameOf(position.info.seats[seat]));
  if (names.length === 1) {
    if (position.mine.length === 1 && position.mine[0] === outcome.winners[0]) return say("You have won!");
    return say("{name} has won.", { name: names[0]! });
  }
  return names.length ? say("A shared win: {names}.", { names: names.join(", ") }) : say("The game is over.");
}

function because(position: Whole): string {
  const outcome = position.info.outcome;
  if (outcome?.reason === "resigned") return say("The other side has resigned.");
  if (outcome?.reason === "time") return say("The other side's time was up.");
  return "";
}

export class Result {
  readonly element = h("section", { class: "result", hidden: true, "aria-label": say("Result") });
  private shown = "";

  constructor(
    private readonly table: string,
    private readonly onlook: (ply: number) => void,
  ) {}

  show(position: Whole): void {
    const outcome = position.info.outcome;
    this.element.hidden = !outcome;
    const key = JSON.stringify([outcome, position.info.rematch, position.seat]);
    if (!outcome || key === this.shown) return;
    this.shown = key;
    const places = position.info.seats
      .map((seat) => ({ seat, points: outcome.scores[seat.seat] ?? 0, won: outcome.winners.includes(seat.seat) }))
      .sort((a, b) => Number(b.won) - Number(a.won) || b.points - a.points);
    const sums = h("div", { class: "sums" });
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const path = `/api/v1/tables/${this.table}`;
    fill(
      this.element,
      h("h2", {}, verdict(position)),
      because(position) ? h("p", { class: "soft" }, because(position)) : null,
      h("ol", { class: "places" }, ...places.map(({ seat, points, won }) => h("li", { class: won && "won" }, h("span", { class: `disc seat-${seat.seat}`, "aria-hidden": "true" }, String(seat.seat)), h("span", { class: "who" }, nameOf(seat)), h("b", {}, String(points))))),
      h("p", { class: "row" }, this.next(position, problem), h("a", { class: "button", href: "/" }, say("To the games"))),
      problem,
      position.view && h("details", {}, h("summary", {}, say("Why these scores?")), sums),
      position.view && h("details", {},
        h("summary", {}, say("Keep this game")),
        h("ul", { class: "files" },
          h("li", {}, h("a", { href: `${path}/record`, download: `${position.info.config.game}-${this.table}.json` }, say("Record")), h("span", { class: "soft" }, ` ${say("every move, to replay and analyse")}`)),
          h("li", {}, h("a", { href: `${path}/fair`, download: `fair-${this.table}.json` }, say("Fair-deal sheet")), h("span", { class: "soft" }, ` ${say("shows that nobody could have chosen the deal")}`)),
        ),
      ),
    );
    if (position.view) void this.addSums(position, sums);
  }

  private next(position: Whole, problem: HTMLElement): HTMLElement | null {
    const there = position.info.rematch;
    if (there) return h("a", { class: "button primary", href: `/t/${there}` }, say("To the next game"));
    if (!position.mine.length) return null;
    const ask = async (): Promise<void> => {
      try {
        const done = await send({ type: "rematch", table: this.table });
        go(`/t/${(done.data as { table: string }).table}`);
      } catch (error) {
        problem.textContent = error instanceof Refusal ? error.reason : String(error);
        problem.hidden = false;
      }
    };
    return h("button", { type: "button", class: "button primary", onclick: () => void ask() }, say("Play again"));
  }

  private async addSums(position: Whole, into: HTMLElement): Promise<void> {
    try {
      const sums = await askSums(this.table, position.seat ?? -1);
      fill(into, ...sums.map((sum) => sumTable(position, sum, this.onlook)));
    } catch {
      into.parentElement?.remove();
    }
  }
}
