// Beside the board: who plays, the result, the log, the chat, and what else one may do.

import { fill, h } from "../dom";
import { icon } from "../icons";
import type { Whole } from "../socket";
import { say } from "../texts";
import { Actions } from "./actions";
import { Chat } from "./chat";
import { Log } from "./log";
import { People } from "./people";
import type { Play } from "./play";
import { Result } from "./result";
import { openSums } from "./sums";

type Tab = "log" | "chat";

export class Panel {
  readonly element = h("aside", { class: "panel", "aria-label": say("Around the table") });
  readonly chat: Chat;
  onclose: () => void = () => undefined;
  onnews: (some: boolean) => void = () => undefined;
  private readonly people: People;
  private readonly log: Log;
  private readonly result: Result;
  private readonly actions: Actions;
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private tab: Tab = "log";
  private position: Whole | null = null;

  constructor(table: string, play: Play) {
    const look = (ply: number): void => {
      void play.lookBack(ply);
      this.onclose();
    };
    this.people = new People((seat) => this.position && void openSums(table, this.position, seat, look));
    play.onscore = (seat) => this.position && void openSums(table, this.position, seat, look);
    this.log = new Log(look);
    play.onlook = (ply) => this.log.mark(ply);
    this.result = new Result(table, look);
    this.actions = new Actions(table, (text) => play.problem(text));
    this.chat = new Chat(table);
    this.chat.onunread = () => this.news();
    const close = h("button", { type: "button", class: "round close", "aria-label": say("Close"), onclick: () => this.onclose() }, icon("cross"));
    const tabs = h("div", { class: "tabs", role: "tablist" }, this.made("log", say("Moves")), this.made("chat", say("Chat")));
    tabs.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      this.open(this.tab === "log" ? "chat" : "log");
      this.tabs.get(this.tab)!.focus();
    });
    for (const [name, part] of [["log", this.log.element], ["chat", this.chat.element]] as const) {
      const holder = h("div", { role: "tabpanel", id: `tab-${name}`, "aria-labelledby": `to-${name}`, class: "tabpanel" }, part);
      this.holders.set(name, holder);
    }
    fill(this.element, close, this.people.element, this.actions.offers, this.result.element, tabs, ...this.holders.values(), this.actions.element);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.onclose();
    });
    this.open("log");
  }

  private readonly holders = new Map<Tab, HTMLElement>();

  show(position: Whole): void {
    this.position = position;
    this.people.show(position);
    this.result.show(position);
    this.actions.show(position);
    this.log.show(position);
    this.chat.open(position.info.chat && position.mine.length > 0);
    if (position.info.offers.length) this.onnews(true);
  }

  /** It has been opened, where it is not always there. */
  opened(): void {
    if (this.tab === "chat") this.chat.unread = 0;
    this.log.toEnd();
    this.news();
    this.element.querySelector<HTMLElement>(".close")?.focus();
  }

  end(): void {
    this.people.stop();
  }

  private open(tab: Tab): void {
    this.tab = tab;
    for (const [name, button] of this.tabs) {
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
      this.holders.get(name)!.hidden = name !== tab;
    }
    if (tab === "chat") this.chat.unread = 0;
    this.news();
  }

  private news(): void {
    const seen = this.tab === "chat" && this.element.offsetParent !== null;
    if (seen) this.chat.unread = 0;
    this.tabs.get("chat")?.classList.toggle("unread", this.chat.unread > 0);
    this.onnews(this.chat.unread > 0);
  }

  private made(tab: Tab, label: string): HTMLButtonElement {
    const button = h("button", { type: "button", role: "tab", id: `to-${tab}`, "aria-controls": `tab-${tab}`, onclick: () => this.open(tab) }, label);
    this.tabs.set(tab, button);
    return button;
  }
}
