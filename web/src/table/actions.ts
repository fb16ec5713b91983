// What one may do at a table besides moving: take back, ask for advice, pause, go, give up.

import { fill, h } from "../dom";
import { icon } from "../icons";
import { choose, settings } from "../settings";
import { Refusal, send, type Message, type Whole } from "../socket";
import { say } from "../texts";
import { confirmed, showDialog } from "../dialog";
import { nameOf } from "./people";

export class Actions {
  readonly element = h("div", { class: "actions", role: "group", "aria-label": say("At this table") });
  /** Questions of others that wait for an answer. */
  readonly offers = h("div", { class: "offers" });
  private shown = "";

  constructor(
    private readonly table: string,
    private readonly onproblem: (text: string) => void,
  ) {}

  show(position: Whole): void {
    const { info, mine } = position;
    const key = JSON.stringify([info.status, info.seats, info.offers, info.outcome, mine, position.seat, settings().sound]);
    if (key === this.shown) return;
    this.shown = key;
    const going = info.status === "playing" || info.status === "paused";
    const own = info.seats.filter((seat) => mine.includes(seat.seat));
    const isAway = own.some((seat) => seat.away);
    const playing = going && own.length > 0 && !isAway;
    const others = info.seats.some((seat) => seat.kind !== "bot" && !mine.includes(seat.seat));
    fill(
      this.element,
      going && isAway && this.button(say("Come back"), { type: "return", table: this.table, seat: own.find((seat) => seat.away)!.seat }, "button primary"),
      playing && info.status === "playing" && this.button(say("Pause"), { type: "pause", table: this.table }),
      playing && info.status === "paused" && this.button(say("Go on"), { type: "resume", table: this.table }, "button primary"),
      playing && others && this.ask(say("Leave"), say("Leave the table?"), say("A bot plays for you until you come back."), { type: "leave", table: this.table, seat: position.seat }),
      playing && this.ask(say("Resign"), say("Give the game up?"), info.seats.length > 2 ? say("A bot plays your seat to the end.") : say("The other side wins."), { type: "resign", table: this.table, seat: position.seat }),
      h("button", { type: "button", class: "chip", onclick: () => this.share() }, icon("link"), say("Invite")),
      h("button", { type: "button", class: "chip", "aria-pressed": String(settings().sound), onclick: () => this.sound() }, settings().sound ? say("Sound on") : say("Sound off")),
    );
    this.showOffers(position);
  }

  /** Do something; a refusal is shown in its words. */
  async do(message: Message): Promise<unknown> {
    try {
      return (await send(message)).data ?? true;
    } catch (error) {
      this.onproblem(error instanceof Refusal ? error.reason : String(error));
      return null;
    }
  }

  private button(label: string, message: Message, look = "chip"): HTMLElement {
    return h("button", { type: "button", class: look, onclick: () => void this.do(message) }, label);
  }

  private ask(label: string, title: string, text: string, message: Message): HTMLElement {
    const asked = async (): Promise<void> => {
      if (await confirmed(title, text, label)) await this.do(message);
    };
    return h("button", { type: "button", class: "chip", onclick: () => void asked() }, label);
  }

  private sound(): void {
    choose({ sound: !settings().sound });
    const button = this.element.querySelector("[aria-pressed]");
    button?.setAttribute("aria-pressed", String(settings().sound));
    if (button) button.textContent = settings().sound ? say("Sound on") : say("Sound off");
  }

  private share(): void {
    const link = `${location.origin}/t/${this.table}`;
    const done = h("p", { role: "status" });
    const copy = async (): Promise<void> => {
      try {
        await navigator.clipboard.writeText(link);
        done.textContent = say("Copied.");
      } catch {
        done.textContent = say("Copy it by hand, please.");
      }
    };
    showDialog(
      say("Invite to this table"),
      h("p", {}, say("Whoever opens this link may watch, or sit down where a seat is free.")),
      h("p", { class: "row" }, h("input", { type: "text", readonly: true, value: link, "aria-label": say("Link to this table") }), h("button", { type: "button", class: "button primary", onclick: () => void copy() }, say("Copy"))),
      done,
      h("p", {}, h("a", { href: `/t/${this.table}?sofa`, target: "_blank", rel: "noopener" }, say("Sofa mode: the board on a big screen, hands on phones"))),
    );
  }

  private showOffers(position: Whole): void {
    const { info, mine } = position;
    fill(
      this.offers,
      ...info.offers.map((offer) => {
        const name = nameOf(info.seats[offer.seat]);
        const text = { undo: say("{name} asks to take a move back.", { name }), pause: say("{name} asks for a pause.", { name }), resume: say("{name} asks to go on.", { name }) }[offer.what];
        const waits = !mine.length || mine.some((seat) => offer.agreed.includes(seat));
        const answer = (yes: boolean): Message => ({ type: "agree", table: this.table, what: offer.what, yes });
        return h(
          "div",
          { class: "offer", role: "alert" },
          h("p", {}, waits && mine.includes(offer.seat) ? say("Waiting for the others to agree.") : text),
          !waits && h("p", { class: "row" }, this.button(say("Agree"), answer(true), "button primary"), this.button(say("Decline"), answer(false), "button")),
        );
      }),
    );
  }
}
