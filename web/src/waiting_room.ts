// A table before its game: who sits where, and who is asked to come.

import { button, opponent } from "./controls";
import { asked } from "./dialog";
import { fill, h } from "./dom";
import { gameOf, keepLevel, levelOf, levelsOf, pictureOf } from "./house";
import { icon } from "./icons";
import type { BotOut, GameOut, SeatInfo } from "./protocol";
import { entitle } from "./router";
import { send, watch, type Message, type Whole } from "./socket";
import { say } from "./texts";
import { attempt, notify } from "./toast";
import { configInWords, seatName } from "./words";

interface Room {
  table: string;
  game: GameOut;
  bots: BotOut[];
  level: string;
}

/** Show the table until its game begins; the result takes it away again. */
export function mountWaitingRoom(element: HTMLElement, table: string): () => void {
  let room: Room | null = null;
  let newest: Whole | null = null;
  let shown = "";
  const seats = h("ul", { class: "seats", "aria-label": say("Seats") });
  const foot = h("div", { class: "row wrap" });
  const live = h("p", { class: "soft", role: "status" });

  const show = (): void => {
    if (!room || !newest) return;
    const key = JSON.stringify([newest.info.seats, newest.info.status, newest.mine]);
    if (key === shown) return;
    shown = key;
    const focused = (document.activeElement as HTMLElement | null)?.dataset["key"];
    fill(seats, ...newest.info.seats.map((seat) => seatRow(room!, newest!, seat)));
    fill(foot, ...startButtons(room, newest));
    live.textContent = newsOf(newest);
    if (focused) element.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
  };

  const begin = async (position: Whole): Promise<void> => {
    const name = position.info.config.game;
    const [game, bots] = await Promise.all([gameOf(name), levelsOf(name)]);
    if (!game) return;
    room = { table, game, bots, level: levelOf(name, bots) };
    entitle(say("A table of {game}", { game: game.title }));
    fill(
      element,
      h(
        "div",
        { class: "sheet room" },
        h("header", {}, h("img", { src: pictureOf(name), alt: "", width: 160, height: 80 }), h("div", {}, h("h1", {}, game.title), h("p", { class: "soft" }, configInWords(position.info.config).join(" · ")))),
        h("div", { class: "columns" }, h("section", {}, h("h2", {}, say("Seats")), seats, foot, live), invitation(table, game)),
      ),
    );
    show();
  };

  let began = false;
  return watch(table, {
    position(position): void {
      newest = position;
      if (!began) {
        began = true;
        void attempt(begin(position));
      } else show();
    },
  });
}

const act = (message: Message): Promise<unknown> => attempt(send(message));

function seatRow(room: Room, position: Whole, seat: SeatInfo): HTMLElement {
  const { table } = room;
  const here = position.mine.includes(seat.seat);
  const host = position.hosting;
  const number = h("span", { class: `token seat-${seat.seat}`, "aria-hidden": "true" }, String(seat.seat));
  const name =
    seat.kind === "open"
      ? h("span", { class: "who free" }, say("This seat is free"))
      : h("span", { class: "who" }, icon(seat.kind === "bot" || seat.kind === "program" ? "bot" : "person"), h("span", {}, h("strong", {}, seatName(seat)), here ? h("em", {}, ` ${say("you")}`) : null));
  const actions = h("span", { class: "row" });
  if (seat.kind === "open") {
    if (!position.mine.length)
      actions.append(button(say("Sit here"), () => act({ type: "sit", table, seat: seat.seat }), "primary", { "data-key": `sit${seat.seat}` }));
    else
      actions.append(button(say("Share this screen"), () => beside(room, seat.seat), "plain", { "data-key": `beside${seat.seat}`, title: say("Somebody beside you plays on this screen") }));
    if (host) actions.append(button(say("Add bot"), () => act({ type: "addbot", table, seat: seat.seat, bot: room.level }), "", { "data-key": `bot${seat.seat}` }));
  } else if (here || host) {
    const words = here ? say("Stand up") : say("Remove");
    actions.append(button(words, () => act({ type: "rise", table, seat: seat.seat }), "plain", { "data-key": `rise${seat.seat}`, "aria-label": `${words}: ${seatName(seat)}` }));
  }
  return h("li", {}, number, name, actions);
}

/** Somebody else at the same screen. */
async function beside(room: Room, seat: number): Promise<void> {
  const name = await asked(say("Two at one screen"), say("Who sits down beside you?"), "", say("Sit down"));
  if (name) await act({ type: "sit", table: room.table, seat, name });
}

function startButtons(room: Room, position: Whole): HTMLElement[] {
  if (!position.hosting || position.info.status !== "gathering") return [];
  const { table } = room;
  const free = position.info.seats.some((seat) => seat.kind === "open");
  const choose = (level: string): void => {
    room.level = level;
    keepLevel(room.game.name, level);
  };
  const start = (): Promise<unknown> => act({ type: "start", table, ...(free ? { fill_with: room.level } : {}) });
  return [
    button(free ? say("Start, bots on free seats") : say("Start"), start, "primary", { "data-key": "start" }),
    ...(free ? [opponent(say("Level of bots"), room.bots, room.level, choose)] : []),
  ];
}

function newsOf(position: Whole): string {
  const free = position.info.seats.filter((seat) => seat.kind === "open").length;
  if (position.info.status === "sealing") return say("The deal is being prepared …");
  if (!free) return position.hosting ? say("All are here.") : say("All are here; the host starts.");
  return position.info.config.start_when_full ? say("The game begins when all seats are taken.") : say("The host starts the game.");
}

function invitation(table: string, game: GameOut): HTMLElement {
  const link = `${location.origin}/t/${table}`;
  const field = h("input", { type: "text", readonly: true, value: link, "aria-label": say("Link to this table") });
  field.addEventListener("focus", () => field.select());
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      notify(say("Link copied."));
    } catch {
      field.focus(); // selected, to be copied by hand
    }
  };
  const share = (): Promise<void> => navigator.share({ title: game.title, url: link }).catch(() => undefined);
  return h(
    "section",
    { class: "invite" },
    h("h2", {}, say("Invite")),
    h("p", {}, say("Whoever opens this link can take a seat or watch.")),
    h("div", { class: "row" }, field, button([icon("link"), say("Copy")], copy, "", { "data-key": "copy" })),
    "share" in navigator ? button(say("Share …"), share) : null,
    h("img", { class: "code", src: `/qr.svg?path=/t/${table}`, alt: say("QR code of the link"), width: 180, height: 180 }),
  );
}
