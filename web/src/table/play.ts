// The game on the table: positions come in and are shown, moves go out.

import { fill, h } from "../dom";
import { icon } from "../icons";
import type { Motion, PictureView, RecallData, Stage } from "../protocol";
import { entitle } from "../router";
import { moves } from "../settings";
import { lookFrom, present, Refusal, send, type Whole } from "../socket";
import { say } from "../texts";
import type { Throwing } from "../throw";
import { Board } from "./board";
import { Curtain } from "./curtain";
import { told } from "./log";
import { Moving, type Choice } from "./moving";
import type { Tree } from "./paths";
import { nameOf } from "./people";
import { verdict } from "./result";
import { Bar, type Saying } from "./saying";
import { invitation, isSofa } from "./sofa";
import { play as sound } from "./sounds";

const MOST_STEPS = 8;
const RESULT_MS = 1200;
const CURTAIN_MS = 1100;
const ASK_AFTER_MS = 120;

interface Thought {
  at: number;
  move: string;
  why: string[];
}

export class Play {
  readonly status = h("h1", { class: "status" });
  readonly undo = h("button", { type: "button", class: "round", "aria-label": say("Take back"), title: say("Take back"), disabled: true, onclick: () => void this.takeBack() }, icon("undo"));
  readonly hint = h("button", { type: "button", class: "round", "aria-label": say("Hint"), title: say("Hint"), hidden: true, onclick: () => void this.advise() }, icon("hint"));
  readonly element: HTMLElement;
  onscore: (seat: number) => void = () => undefined;
  onresult: () => void = () => undefined;
  onlook: (ply: number | null) => void = () => undefined;

  private readonly board = new Board();
  private readonly bar = new Bar();
  private readonly curtain = new Curtain();
  private readonly moving: Moving;
  private readonly felt = h("div", { class: "felt" });
  private readonly aside = h("div", { class: "beside" });
  private readonly spoken = h("div", { class: "unseen", role: "log", "aria-live": "polite" });
  private readonly sized = new ResizeObserver(() => this.fit());
  private readonly sofa = isSofa();

  private now: Whole | null = null; // the newest position
  private shown: Whole | null = null; // the one on the board
  private past: number | null = null; // or an earlier one: so many entries of the log
  private paths = "";
  private choice: Choice = { path: [], end: null, pointed: null };
  private remark: Saying | null = null; // said until something else is done
  private says = new Map<string, string>();
  private asking = 0;
  private sending = false;
  private isOnItsWay = false; // the newest position is not on the board yet
  private run = 0;
  private viewing: number | null = null; // with several seats: whose hand is shown
  private covered: number | null = null; // the seat the curtain is down for
  private curtainTimer = 0;
  private wasMyTurn = false;
  private throwing: Promise<Throwing> | null = null; // a table to throw on, where there is one
  private aim: { how: string; goal: string } | null = null; // what is being aimed, in words
  private aimedAt: string | null = null; // which of the throws it is
  private advised = ""; // the last hint
  private unseen: Motion[] = []; // the last throw, until it is shown
  private readonly seen = new WeakSet<Motion>();
  private thrower: string | null = null; // who throws, while it is shown
  private byKeys = false; // the last move was made by keys: the next one will be, too

  constructor(private readonly table: string) {
    this.moving = new Moving(this.board, {
      changed: (choice) => this.changed(choice),
      send: (move) => void this.send(move),
      astray: (clicks, id) => void this.astray(clicks, id),
    });
    this.board.onshown = () => this.moving.targets.place();
    fill(this.felt, this.board.element);
    this.element = h("div", { class: "play" }, this.felt, this.aside, this.bar.element, this.curtain.element, this.spoken);
    this.sized.observe(this.felt);
    document.addEventListener("keydown", this.key);
    document.documentElement.classList.toggle("on-sofa", this.sofa);
  }

  end(): void {
    this.sized.disconnect();
    document.removeEventListener("keydown", this.key);
    document.documentElement.classList.remove("on-sofa");
    window.clearTimeout(this.curtainTimer);
    this.board.settle();
    void this.throwing?.then((table) => table.end());
    badge(false);
  }

  // Positions

  take(position: Whole): void {
    if (this.sofa && position.seat !== null) return;
    const isFirst = this.now === null;
    this.now = position;
    if (!this.choosesSeat(position)) return;
    if (this.past !== null) {
      if (this.past <= position.log.length) {
        this.describe();
        return;
      }
      this.past = null;
      this.onlook(null);
    }
    void this.present(position, isFirst);
  }

  /** With several seats of one's own: from which to look. Whether the position may be shown. */
  private choosesSeat(position: Whole): boolean {
    const { mine, waiting, seat, info } = position;
    window.clearTimeout(this.curtainTimer);
    if (mine.length < 2 || this.sofa || info.outcome) {
      this.curtain.remove();
      this.covered = null;
      return true;
    }
    if (this.viewing === null) {
      this.viewing = seat;
      lookFrom(this.table, seat);
      if (position.private) this.cover(seat!);
      return !position.private;
    }
    if (seat !== this.viewing) return false; // one from before
    if (this.covered !== null) return this.covered !== seat;
    const next = mine.find((one) => waiting.includes(one));
    if (next === undefined || waiting.includes(seat)) return true;
    if (position.private) this.curtainTimer = window.setTimeout(() => this.cover(next), moves() ? CURTAIN_MS : 0);
    else this.lookAs(next);
    return true;
  }

  /** Let the curtain down until the person of this seat is there. */
  private cover(seat: number): void {
    this.covered = seat;
    this.moving.offer({});
    this.paths = "";
    this.curtain.drop(nameOf(this.now!.info.seats[seat]), () => {
      this.covered = null;
      if (this.viewing === seat && this.now) void this.present(this.now, true);
      else {
        this.felt.classList.add("turning"); // the other hand is not to be seen meanwhile
        this.lookAs(seat);
      }
    });
  }

  private lookAs(seat: number): void {
    this.viewing = seat;
    lookFrom(this.table, seat);
  }

  /** Show a position: each step of the way to it, in order. */
  private async present(position: Whole, still = false): Promise<void> {
    const run = ++this.run;
    this.isOnItsWay = true;
    const before = this.shown;
    this.shown = position;
    this.felt.classList.remove("turning");
    const view = position.view as PictureView;
    const isTurned = before?.seat !== position.seat;
    // a position that comes on the heels of another must not hide its throw
    this.unseen = [...this.unseen, ...position.motions].filter((motion) => !this.seen.has(motion)).slice(-1);
    if (view.stage || this.unseen.length) void this.tableToThrowOn();
    if (before && !isTurned && !still && moves()) {
      for (const ply of between(before, position)) {
        const found = await this.recalled(ply);
        if (run !== this.run) return;
        if (!found) continue;
        await this.watch(found.motion, position, run);
        if (run !== this.run) return;
        await this.board.show((found.view as PictureView).svg, position.log[ply - 1]?.who ?? null);
        if (run !== this.run) return;
      }
    }
    const thrown = this.unseen[0];
    if (thrown && (thrown.at === position.at || position.log.at(-1)?.who === null)) await this.watch(thrown, position, run, before === null);
    else if (!this.sending) void this.throwing?.then((table) => table.leave());
    if (run !== this.run) return;
    if (before && !isTurned) this.announce(before, position);
    const last = [...position.log].reverse().find((line) => line.who !== null);
    const hasMoved = before !== null && position.log.length > before.log.length;
    void this.board.show(view.svg, hasMoved ? (last?.who ?? null) : null, still || isTurned);
    if (hasMoved) sound("place");
    this.isOnItsWay = false;
    this.offer(position);
    this.describe();
  }

  private offer(position: Whole): void {
    const tree = (this.sofa || this.sending ? {} : (position.view as PictureView).paths) as Tree;
    const paths = JSON.stringify([position.seat, tree]);
    if (paths === this.paths) {
      this.moving.targets.place();
      return;
    }
    this.paths = paths;
    this.advised = "";
    this.says.clear();
    this.remark = null;
    this.board.element.classList.toggle("unlit", position.info.config.hints === "none");
    this.moving.offer(tree);
    if (this.byKeys && this.moving.isOpen && isIdle()) {
      this.byKeys = false;
      this.moving.targets.focus();
    }
  }

  private async recalled(ply: number): Promise<RecallData | null> {
    try {
      const done = await send({ type: "recall", table: this.table, ply, seat: this.now?.seat ?? -1 });
      return done.data as RecallData;
    } catch {
      return null;
    }
  }

  /** Say aloud what has happened. */
  private announce(before: Whole, position: Whole): void {
    const from = before.log.length;
    for (const line of position.log.slice(from)) this.spoken.append(h("p", {}, told(position, line)));
    if (position.info.outcome && !before.info.outcome) {
      this.spoken.append(h("p", {}, verdict(position)));
      sound("end");
      window.setTimeout(() => this.onresult(), moves() ? RESULT_MS : 0);
    }
    while (this.spoken.childElementCount > 12) this.spoken.firstChild?.remove();
  }

  // Looking back

  /** Show the position after so many entries of the log; the game goes on meanwhile. */
  async lookBack(ply: number): Promise<void> {
    const now = this.now;
    if (!now) return;
    if (ply >= now.log.length) return this.backToNow();
    const run = ++this.run;
    const wasPast = this.past;
    this.isOnItsWay = false;
    this.past = Math.max(0, ply);
    this.onlook(this.past);
    this.moving.offer({});
    this.paths = "";
    this.describe();
    const found = await this.recalled(this.past);
    if (run !== this.run || !found) return;
    if (wasPast !== null && this.past === wasPast + 1) await this.watch(found.motion, now, run);
    if (run !== this.run) return;
    await this.board.show((found.view as PictureView).svg, now.log[this.past - 1]?.who ?? null, wasPast !== null && Math.abs(wasPast - this.past) > 2);
  }

  private backToNow(): void {
    this.past = null;
    this.onlook(null);
    if (this.now) void this.present(this.now, true);
  }

  // Throwing

  private tableToThrowOn(): Promise<Throwing> {
    this.throwing ??= import("../throw").then(({ Throwing }) => {
      const table = new Throwing({
        moves,
        strike: (loud) => sound("strike", loud),
        changed: (aiming) => {
          this.aim = { how: aiming.thrown.how, goal: aiming.goal ?? "" };
          this.remark = null;
          this.describe();
        },
      });
      this.felt.append(table.element);
      return table;
    });
    return this.throwing;
  }

  /** What was chosen is thrown: take aim. */
  private async takeAim(stage: Stage, id: string): Promise<void> {
    this.aimedAt = id;
    const table = await this.tableToThrowOn();
    this.board.element.inert = true;
    const move = this.choice.path.at(-1) === id ? await table.aim(stage, id, this.advised) : null;
    if (this.aimedAt !== id) return; // something else is aimed now
    this.aimedAt = this.aim = null;
    this.board.element.inert = false;
    if (move) return this.send(move);
    table.close(true);
    if (this.choice.path.at(-1) === id) this.moving.back();
    this.moving.targets.focus(id);
  }

  /** Show a throw. */
  private async watch(motion: Motion | null, position: Whole, run: number, anew = false): Promise<void> {
    if (!motion) return;
    const table = await this.tableToThrowOn();
    if (run !== this.run) return;
    this.seen.add(motion);
    this.thrower = nameOf(position.info.seats[motion.seat]);
    this.describe();
    await table.play(motion, anew);
    this.thrower = null;
  }

  // Moving

  private changed(choice: Choice): void {
    const isNew = choice.path.length !== this.choice.path.length || choice.pointed !== this.choice.pointed;
    this.choice = choice;
    if (isNew && (choice.pointed || choice.path.length)) this.remark = null;
    if (choice.path.length) this.board.settle();
    const stage = (this.shown?.view as PictureView | undefined)?.stage;
    const thrown = this.moving.isDragging ? undefined : stage?.throws.find(({ id }) => id === choice.path.at(-1));
    if (stage && thrown) {
      if (this.aimedAt !== thrown.id) void this.takeAim(stage, thrown.id);
    } else if (!this.sending) void this.throwing?.then((table) => table.cancel());
    this.describe();
  }

  private async send(move: string): Promise<void> {
    const position = this.now;
    if (!position || this.sending) return;
    if (this.moving.targets.isFocused && !this.moving.targets.isTouched) this.byKeys = true;
    this.sending = true;
    this.moving.offer({});
    this.paths = "";
    this.remark = null;
    this.describe();
    try {
      await send({ type: "move", table: this.table, at: position.at, move, seat: position.seat });
    } catch (error) {
      this.problem(error instanceof Refusal ? error.reason : String(error));
      void this.throwing?.then((table) => table.close());
    }
    this.sending = false;
    if (this.past === null && this.now && !this.curtain.isDown && !this.isOnItsWay) this.offer(this.now);
    this.describe();
  }

  /** What was clicked leads nowhere: say what it is, and which rule forbids it. */
  private async astray(clicks: readonly string[], id: string): Promise<void> {
    const scored = /^score(\d)$/.exec(id);
    if (scored) return this.onscore(Number(scored[1]));
    const name = this.board.title(id);
    if (name) this.say({ text: name });
    if (!this.moving.isOpen || this.past !== null || this.now?.seat == null) return;
    try {
      const done = await send({ type: "why", table: this.table, clicks: [...clicks, id], seat: this.now.seat });
      const { why } = done.data as { why: string };
      if (!why) return;
      sound("no");
      this.say({ text: name || say("Not possible"), more: [why], tone: "problem" });
      this.spoken.append(h("p", {}, why));
    } catch {
      // then there is no more to say
    }
  }

  private async takeBack(): Promise<void> {
    if (!this.now) return;
    try {
      await send({ type: "undo", table: this.table, at: this.now.at, seat: this.now.seat });
    } catch (error) {
      this.problem(error instanceof Refusal ? error.reason : String(error));
    }
  }

  private async advise(): Promise<void> {
    const position = this.now;
    if (!position) return;
    this.say({ text: say("Thinking …"), tone: "advice" });
    this.hint.disabled = true;
    try {
      const done = await send({ type: "hint", table: this.table, seat: position.seat });
      const thought = done.data as Thought;
      if (thought.at !== this.now?.at || this.past !== null) return;
      this.advised = thought.move;
      this.moving.suggest(thought.move);
      if (this.aim) void this.throwing?.then((table) => table.suggest(thought.move));
      const says = await this.explained(thought.move);
      this.say({ text: says || thought.move, more: thought.why, tone: "advice" });
    } catch (error) {
      this.problem(error instanceof Refusal ? error.reason : String(error));
    } finally {
      this.hint.disabled = false;
    }
  }

  /** What a move does, in words. */
  private async explained(move: string): Promise<string> {
    const known = this.says.get(move);
    if (known !== undefined) return known;
    try {
      const done = await send({ type: "explain", table: this.table, move, seat: this.now?.seat ?? null });
      const { says } = done.data as { says: string };
      this.says.set(move, says);
      return says;
    } catch {
      return "";
    }
  }

  // Words

  problem(text: string): void {
    sound("no");
    this.say({ text, tone: "problem" });
    this.spoken.append(h("p", {}, text));
  }

  private say(saying: Saying): void {
    this.remark = saying;
    this.describe();
  }

  /** Bring the words around the board up to date. */
  private describe(): void {
    const position = this.now;
    if (!position) return;
    const { info, waiting, mine } = position;
    const isMine = info.status === "playing" && mine.some((seat) => waiting.includes(seat));
    const movers = waiting.map((seat) => nameOf(info.seats[seat])).join(", ");
    const alone = mine.length === 1;
    let status = info.outcome ? verdict(position) : "";
    if (info.status === "paused") status = say("Paused");
    if (!status) status = isMine && alone && !this.sofa ? say("Your turn") : movers ? say("{name} to move", { name: movers }) : say("The game goes on");
    const shown = this.past === null ? status : say("Move {n} of {all}", { n: this.past, all: position.log.length });
    if (this.status.textContent !== shown) this.status.textContent = shown;
    this.status.classList.toggle("mine", isMine && this.past === null);
    const game = info.config.game[0]!.toUpperCase() + info.config.game.slice(1);
    entitle(isMine && !this.sofa ? `● ${status} · ${game}` : `${status} · ${game}`);
    if (isMine && !this.wasMyTurn) {
      sound("turn");
      if (!this.sofa) this.spoken.append(h("p", {}, status));
    }
    if (isMine !== this.wasMyTurn) badge(isMine);
    this.wasMyTurn = isMine;
    const canMove = isMine && !this.sofa && this.past === null;
    this.undo.disabled = info.status !== "playing" || this.past !== null || !position.log.some((line) => line.who !== null && mine.includes(line.who));
    this.undo.hidden = this.sofa || !mine.length || !!info.outcome;
    this.hint.hidden = info.config.hints !== "advice" || this.sofa || !mine.length || !!info.outcome;
    this.hint.disabled = !canMove;
    if (this.sofa && !this.aside.childElementCount) fill(this.aside, invitation(this.table, position));
    this.bar.show(this.saying(position, canMove));
  }

  private saying(position: Whole, canMove: boolean): Saying {
    const { choice } = this;
    if (this.past !== null) return this.sayPast(position, this.past);
    const back = choice.path.length ? (): void => void this.moving.back() : undefined;
    const touch = matchMedia("(pointer: coarse)").matches;
    const step = touch && choice.pointed ? (by: number): void => this.moving.targets.step(by) : undefined;
    if (this.thrower !== null) return { text: say("{name} throws.", { name: this.thrower }) };
    if (this.aim && !this.sending && !this.remark) {
      const { how, goal } = this.aim;
      const aloft = (act: (table: Throwing) => void) => (): void => void this.throwing?.then(act);
      return { text: goal || how, tone: "aim", label: say("Throw"), play: aloft((table) => table.go()), back: aloft((table) => table.cancel()) };
    }
    if (this.sending) return { text: say("Playing …") };
    if (this.remark) return { ...this.remark, back, play: choice.end && this.remark.tone === "advice" ? () => this.moving.confirm() : undefined };
    if (canMove && choice.end) {
      const { move, says } = choice.end;
      const text = says ?? this.says.get(move);
      if (text === undefined) this.explainSoon(move);
      return { text: text ?? this.named(choice), tone: "preview", play: () => this.moving.confirm(), back, step };
    }
    if (canMove && (choice.path.length || choice.pointed)) {
      const more = choice.pointed && !choice.path.includes(choice.pointed) ? [] : [touch ? say("Now choose something lit.") : say("Now choose something lit; Esc goes back.")];
      return { text: this.named(choice), more, tone: "choosing", back, step };
    }
    if (canMove) return { text: (position.view as PictureView).prompt || say("Choose something lit."), tone: "prompt" };
    const last = [...position.log].reverse().find((line) => line.who !== null);
    if (position.info.outcome) return { text: last ? told(position, last) : "", play: () => this.onresult(), label: say("Result") };
    return { text: last ? told(position, last) : position.mine.length ? say("The game begins.") : say("You are watching.") };
  }

  private sayPast(position: Whole, past: number): Saying {
    const line = position.log[past - 1];
    const news = position.log.length - (this.shown?.log.length ?? position.log.length);
    return {
      text: line ? told(position, line) : say("The game begins."),
      more: news > 0 ? [say("The game has gone on meanwhile.")] : [],
      tone: "advice",
      step: (by) => void this.lookBack(past + by),
      back: () => this.backToNow(),
    };
  }

  private named(choice: Choice): string {
    const ids = choice.pointed && !choice.path.includes(choice.pointed) ? [...choice.path, choice.pointed] : choice.path;
    const titles = ids.map((id) => this.board.title(id)).filter(Boolean);
    // only the last in full: what was chosen before is known
    return titles.map((title, i) => (i < titles.length - 1 ? title.split(": ")[0] : title)).join(" → ");
  }

  private explainSoon(move: string): void {
    window.clearTimeout(this.asking);
    this.asking = window.setTimeout(() => void this.explained(move).then(() => this.describe()), ASK_AFTER_MS);
  }

  // The window

  private fit(): void {
    const { width, height } = this.felt.getBoundingClientRect();
    if (width && height) present({ arrangement: width > height * 1.02 ? "wide" : "tall" });
    this.moving.targets.place();
  }

  private readonly key = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (this.past !== null) this.backToNow();
      else if (this.moving.back() || this.remark) this.forget();
    } else if (!isIdle()) return;
    else if (event.key.startsWith("Arrow") && this.past !== null) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) void this.lookBack(this.past + by);
    } else if (event.key.startsWith("Arrow") && this.moving.isOpen) {
      event.preventDefault();
      this.moving.targets.focus();
    } else if (event.key === "Enter") this.moving.confirm();
  };

  private forget(): void {
    this.remark = null;
    this.describe();
  }
}

/** The plies between two positions at which somebody had moved, if they are few. */
function between(before: Whole, after: Whole): number[] {
  const from = before.log.length;
  if (after.log_from < from) return []; // something was taken back
  const plies: number[] = [];
  for (let ply = from + 1; ply < after.log.length; ply++) if (after.log[ply]?.who !== null) plies.push(ply);
  return plies.length > MOST_STEPS ? [] : plies;
}

/** Whether nothing has the focus. */
function isIdle(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.id === "main";
}

function badge(on: boolean): void {
  const app = navigator as Navigator & { setAppBadge?: (n: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
  void (on ? app.setAppBadge?.(1) : app.clearAppBadge?.())?.catch(() => undefined);
}
