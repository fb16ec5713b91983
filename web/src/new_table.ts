// A new table: everything about it in plain words. What a game offers to choose, the game says.

import "./common";
import { number, segments, toggle, type Option } from "./controls";
import { fill, h } from "./dom";
import { games, pictureOf } from "./house";
import { openTable } from "./opening";
import type { ClockRule, GameOut, TableConfig } from "./protocol";
import { entitle } from "./router";
import { say } from "./texts";
import { attempt } from "./toast";

type Draft = TableConfig & { clock: ClockRule; options: Record<string, unknown> };

export function mountNewTable(element: HTMLElement): void {
  entitle(say("A new table"));
  const asked = new URLSearchParams(location.search).get("game");
  fill(element, h("div", { class: "sheet" }, h("h1", {}, say("A new table")), h("p", { role: "status" }, "…")));
  void attempt(games().then((found) => showForm(element, found, asked)));
}

function showForm(element: HTMLElement, found: GameOut[], asked: string | null): void {
  const first = found.find((game) => game.name === asked) ?? found[0];
  if (!first) return;
  const draft: Draft = { game: first.name, seats: first.seats[0] ?? 2, options: {}, clock: { kind: "none" }, visibility: "link" };
  const ofGame = h("div", { class: "stack" });
  const showGame = (game: GameOut): void => {
    Object.assign(draft, { game: game.name, seats: game.seats[0], options: {} });
    fill(ofGame, ...gameFields(game, draft));
  };
  const pick = h(
    "fieldset",
    { class: "field" },
    h("legend", {}, say("Game")),
    h("div", { class: "pick" }, ...found.map((game) => gameRadio(game, game === first, () => showGame(game)))),
  );
  showGame(first);
  const form = h(
    "form",
    { class: "stack" },
    pick,
    ofGame,
    clockFields(draft),
    segments(
      say("Who may join"),
      [
        { value: "link" as const, words: say("Who has the link") },
        { value: "public" as const, words: say("Everybody"), about: say("The table stands in the list of open tables.") },
      ],
      "link",
      (value) => (draft.visibility = value),
    ),
    h("details", { class: "more" }, h("summary", {}, say("More settings")), moreFields(draft)),
    h("div", { class: "row last" }, h("button", { class: "button primary large" }, say("Open the table"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(openTable(draft));
  });
  fill(element, h("div", { class: "sheet" }, h("h1", {}, say("A new table")), form));
}

function gameRadio(game: GameOut, chosen: boolean, onchoose: () => void): HTMLElement {
  const input = h("input", { type: "radio", name: "game", value: game.name, checked: chosen, onchange: onchoose });
  return h("label", { class: "tile" }, input, h("img", { src: pictureOf(game.name), alt: "", width: 160, height: 80 }), h("span", {}, game.title));
}

function gameFields(game: GameOut, draft: Draft): HTMLElement[] {
  const made: HTMLElement[] = [];
  if (game.seats.length > 1) {
    const seats = game.seats.map((n) => ({ value: n, words: String(n) }));
    made.push(segments(say("Seats"), seats, game.seats[0] ?? 2, (n) => (draft.seats = n)));
  }
  for (const choice of game.choices) {
    const values: Option<unknown>[] = choice.values.map(({ value, words }) => ({ value, words }));
    const field = segments(choice.words, values, choice.values[0]?.value, (value) => (draft.options[choice.name] = value));
    field.append(h("p", { class: "about" }, choice.about));
    made.push(field);
  }
  return made;
}

function clockFields(draft: Draft): HTMLElement {
  const details = h("div", { class: "row wrap" });
  const set = (change: Partial<ClockRule>): void => void (draft.clock = { ...draft.clock, ...change });
  const show = (kind: ClockRule["kind"]): void => {
    draft.clock = { kind: kind ?? "none" };
    if (kind === "move") {
      set({ seconds: 60 });
      fill(details, number(say("Seconds a turn"), 60, [5, 3600], (seconds) => set({ seconds })));
    } else if (kind === "game") {
      set({ seconds: 900, increment: 10 });
      fill(
        details,
        number(say("Minutes each"), 15, [1, 600], (minutes) => set({ seconds: minutes * 60 })),
        number(say("Seconds more a move"), 10, [0, 600], (increment) => set({ increment })),
      );
    } else if (kind === "days") {
      set({ days: 3 });
      fill(details, number(say("Days a turn"), 3, [1, 30], (days) => set({ days })));
    } else fill(details);
  };
  const field = segments(
    say("Clock"),
    [
      { value: "none" as const, words: say("None") },
      { value: "move" as const, words: say("Each turn"), about: say("Whose time is up hands the seat to a bot until they come back.") },
      { value: "game" as const, words: say("Whole game"), about: say("Whose time is up has lost; of more than two, a bot plays on.") },
      { value: "days" as const, words: say("Days"), about: say("A game by the way: come back when it is your turn.") },
    ],
    "none",
    show,
  );
  field.append(details);
  return field;
}

const hintsField = (draft: Draft): HTMLElement =>
  segments(
    say("Help"),
    [
      { value: "advice" as const, words: say("Advice"), about: say("Who wants may ask a bot what it would play.") },
      { value: "legal" as const, words: say("Legal moves"), about: say("What can be done is lit, and no more.") },
      { value: "none" as const, words: say("None"), about: say("Nothing is lit; what is not allowed is refused.") },
    ],
    "advice",
    (value) => (draft.hints = value),
  );

function moreFields(draft: Draft): HTMLElement {
  const delay = segments(
    say("Those who watch see it"),
    [
      { value: 0, words: say("at once") },
      { value: 60, words: say("a minute later") },
      { value: 300, words: say("five minutes later") },
    ],
    0,
    (seconds) => (draft.spectator_delay_s = seconds),
  );
  return h(
    "div",
    { class: "stack" },
    hintsField(draft),
    toggle(say("Others may watch"), true, (on) => {
      draft.spectators = on;
      delay.hidden = !on;
    }),
    delay,
    toggle(say("Chat"), true, (on) => (draft.chat = on)),
    toggle(say("Moves may be taken back"), true, (on) => (draft.undo = on), say("if all at the table agree")),
    toggle(say("Begin as soon as all seats are taken"), true, (on) => (draft.start_when_full = on)),
    toggle(say("Bots take their time"), true, (on) => (draft.bot_pace = on)),
  );
}

