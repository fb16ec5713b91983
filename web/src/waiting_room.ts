// A table before its game: who sits where.

import { fill, h } from "./dom";
import { send, watch, type Whole } from "./socket";
import { say } from "./texts";

export function mountWaitingRoom(element: HTMLElement, table: string): () => void {
  const seats = h("ul", { class: "seats" });
  const start = h("button", { onclick: () => void send({ type: "start", table, fill_with: "eager" }) }, say("Start"));
  fill(element, seats, start);
  return watch(table, {
    position(position: Whole): void {
      const sit = (seat: number) => (): void => void send({ type: "sit", table, seat });
      fill(
        seats,
        ...position.info.seats.map((seat) =>
          h("li", {}, seat.name || seat.bot || h("button", { onclick: sit(seat.seat) }, say("Sit here"))),
        ),
      );
    },
  });
}
