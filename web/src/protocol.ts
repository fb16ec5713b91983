// Made from src/mandalier/server/protocol.py by `make protocol`. Do not edit.

export const VERSION = 1;

/** A table, but for the game on it. */
export interface TableInfo {
  id: string;
  config: TableConfig;
  host: string;
  status: "gathering" | "sealing" | "playing" | "paused" | "over" | "closed";
  seats: SeatInfo[];
  chat: boolean;
  /** The commitment, the words and the seals (see docs/fairness). */
  fair: Record<string, unknown>;
  created: number;
  offers: Offer[];
  outcome: Outcome | null;
  /** The table of the next game. */
  rematch: string | null;
}

/** How a table is to be. */
export interface TableConfig {
  /** sand, stones, pyramids or dice */
  game: string;
  /** null: the game's least */
  seats?: number | null;
  /** the game's options, house data under `data` included */
  options?: Record<string, unknown>;
  clock?: ClockRule;
  /** whether the list of tables shows it, or the link alone */
  visibility?: "public" | "link";
  /** none; the legal moves; or a bot's advice as well */
  hints?: "none" | "legal" | "advice";
  spectators?: boolean;
  spectator_delay_s?: number;
  chat?: boolean;
  /** whether moves may be taken back if all people here agree */
  undo?: boolean;
  start_when_full?: boolean;
  /** bots take their time, as people do; false: they answer at once */
  bot_pace?: boolean;
  /** a bot level that fills empty seats at a start */
  fill_with?: string | null;
}

/** How time is kept. `move`: so many seconds for each turn; `game`: so many for the whole game, and `increment` seconds more after each move; `days`: so many days for each turn. Whose time for the game is up has lost; whose time for a turn is up is played for by a bot until they `return`. */
export interface ClockRule {
  kind?: "none" | "move" | "game" | "days";
  seconds?: number;
  increment?: number;
  days?: number;
}

/** Who sits on a seat. */
export interface SeatInfo {
  seat: number;
  kind: "open" | "person" | "program" | "bot";
  name: string;
  /** A bot's level; also the bot that stands in for somebody who has left. */
  bot: string | null;
  /** Whether its person has left, and a bot plays meanwhile. */
  away: boolean;
  /** Whether it has resigned or lost on time. */
  out: boolean;
}

/** Something that waits for the others' consent. */
export interface Offer {
  what: "undo" | "pause" | "resume";
  seat: number;
  agreed: number[];
}

/** How a game ended. The reason is one of the game's, or `resigned`, `time`, `closed`. */
export interface Outcome {
  reason: string;
  scores: number[];
  winners: number[];
}

/** Milliseconds left for each seat at the time `now` of the server; who is in `running` is using them up. */
export interface Clocks {
  now: number;
  left: number[];
  running: number[];
}

/** One entry of the record, as far as the seat may know it. */
export interface LogLine {
  /** The seat; null for chance. */
  who: number | null;
  /** The entry's text; null while it is hidden. */
  text: string | null;
  words: string;
}

/** A legal move, and what it does. */
export interface LegalMove {
  move: string;
  words: string;
}

/** A position for programs. */
export interface PlainView {
  form: "data";
  view: Record<string, unknown>;
  legal: (string | LegalMove)[];
}

/** A position for a page: SVG whose elements have ids. */
export interface PictureView {
  form: "picture";
  /** The whole; empty where `parts` has it. */
  svg: string;
  /** The legal moves as ids to click: a tree of ids, at its ends `{"move": text}`, if there are few also `"says"`: what the move does (else ask by `explain`). */
  paths: Record<string, unknown>;
  /** The position read aloud. */
  words: string;
  /** The table for throws, while there are any. */
  stage: Stage | null;
  /** What you can do now, in a sentence; empty when you are not to move. */
  prompt: string;
  /** The SVG in parts, if `hello` asked for that: put together they are the whole. In the place of parts that you have there is where: [1, 4] are parts 1, 2 and 3 of those you have of this table, counted from 0. You have the parts of its last `position` message on this connection; after `hello` and `watch` a position brings them all. (A position within `refused` is whole and changes nothing of that.) */
  parts: (string | number[])[] | null;
}

/** A part of a score. */
export interface Part {
  words: string;
  points: number;
}

/** Points that an entry of the log brought, or cost; those of the setup have `ply` −1. */
export interface Gained {
  ply: number;
  points: number;
}

/** A seat's points as far as you may know them: what they are made of, and when they came. */
export interface Sum {
  seat: number;
  points: number;
  parts: Part[];
  gained: Gained[];
}

/** The `data` of the answer to `sums`. */
export interface SumsData {
  at: number;
  sums: Sum[];
}

/** The `data` of the answer to `recall`: the position after so many entries of the log. */
export interface RecallData {
  ply: number;
  seat: number | null;
  view: PlainView | PictureView;
  /** With a picture: what was thrown to get there. */
  motion: Motion | null;
}

/** The table as a solid thing, for throws: sizes in tenths of a millimetre. */
export interface Stage {
  wide: number;
  high: number;
  tile: number;
  die: number;
  rounding: number;
  /** By how many quarters the table is turned, clockwise, so that the viewer's edge is near. */
  turned: number;
  paints: Paint[];
  looks: DieLook[];
  tiles: Tile[];
  dice: Die[];
  /** What you may throw now. */
  throws: Throw[];
}

/** A square that lies on the table: its corner in tenths of a millimetre, and its picture: parts of x, y, width, height (of 78 across the whole) and the number of the paint. */
export interface Tile {
  id: string;
  title: string;
  x: number;
  y: number;
  label: string;
  parts: number[][];
}

/** What a part of a picture is painted with: its colour, and a sign in its middle as a path of SVG around (0, 0), drawn in `ink`. */
export interface Paint {
  fill: string;
  sign: string;
  ink: string;
}

/** A die at rest: its centre in tenths of a millimetre, x to the right and y down from the top left corner of the tiles as seat 0 sees them; how far it is turned, counter-clockwise in tenths of a degree; the face that is up. */
export interface Die {
  id: string;
  seat: number;
  die: number;
  x: number;
  y: number;
  yaw: number;
  face: number;
  /** Whether it lies where it counts; else it is taken off the table. */
  inside: boolean;
}

/** The dice of a seat: the colours of body and pips, and a pip as a path of SVG in millimetres. */
export interface DieLook {
  fill: string;
  ink: string;
  pip: string;
}

/** A way to throw: the move is `move` and then the numbers, with spaces. The hand is at (x, y, z) looking along `ahead` (tenths of a degree, counter-clockwise from the right), which a `direction` adds to. A `place` moves it along the edge, and a drop is from over (x, y). */
export interface Throw {
  /** The id of its icon in the picture. */
  id: string;
  move: string;
  kind: "hand" | "blind" | "drop" | "flick";
  /** Which hand: −1 the left, 1 the right. */
  side: -1 | 0 | 1;
  title: string;
  /** What to do, in words. */
  how: string;
  seat: number;
  die: number;
  x: number;
  y: number;
  z: number;
  ahead: number;
  gauges: Gauge[];
  carry: Carry;
}

/** A whole number that a throw takes: its range, a value to begin with, and how it is said: in `unit`, after dividing by `per`. */
export interface Gauge {
  name: "x" | "y" | "place" | "direction" | "speed" | "spin";
  title: string;
  low: number;
  high: number;
  usual: number;
  step: number;
  unit: string;
  per: number;
}

/** Where throws land on the average: for each of `speeds`, in tenths of a millimetre from where the hand lets go, how far away they come to rest, and by how much they scatter along the way and across it (one standard deviation). Speeds in between carry in between. */
export interface Carry {
  speeds: number[];
  far: number[];
  along: number[];
  across: number[];
}

/** Dice that were thrown on the way to position `at`: the table before, and where they went. */
export interface Motion {
  at: number;
  /** So long ago it began, for who comes late. */
  age_ms: number;
  seat: number;
  kind: "hand" | "blind" | "drop" | "flick";
  side: -1 | 0 | 1;
  stage: Stage;
  /** The paths of the dice, 60 pictures a second, in base64: see "Throws". */
  path: string;
  /** Where those that moved came to rest, the thrown one first. */
  end: Die[];
}

/** Comes first: the protocol's version, who you are, and how positions should come. */
export interface Hello {
  type: "hello";
  protocol?: number;
  /** a program's token, if no header carries it */
  token?: string | null;
  form?: "data" | "picture";
  language?: "en" | "fr" | "pt";
  /** with `data`: each legal move and log line in words, too */
  explain?: boolean;
  theme?: "light" | "dark";
  arrangement?: "wide" | "tall";
  /** with `picture`: send only those parts that have changed */
  parts?: boolean;
}

/** The answer to the server's `beat`, at once and with its `time`: this measures the delay that clocks make up for. */
export interface Beat {
  type: "beat";
  time: number;
}

/** Look at a table from now on: answered by `done` and a `position`. Sent again it brings the position again, which is what to do after a gap in `n`. */
export interface Watch {
  type: "watch";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** the last `at` you know: the log goes on from there */
  since?: number | null;
  /** with several seats: the one to look from; −1: as a spectator */
  seat?: number | null;
}

/** Look away. */
export interface Unwatch {
  type: "unwatch";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
}

/** Take a seat: this one, or a free one by lot. Several seats are hot-seat. */
export interface Sit {
  type: "sit";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a seat's number, from 0 */
  seat?: number | null;
  /** a name to show */
  name?: string | null;
  /** Whether a program plays here: it is shown as such. */
  program?: boolean;
}

/** Give a seat up again, before the start. The host may also clear anybody's. */
export interface Rise {
  type: "rise";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a seat's number, from 0 */
  seat: number;
}

/** The host puts a bot on a seat. */
export interface AddBot {
  type: "addbot";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a level, from GET /api/v1/bots */
  bot: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** The host starts; empty seats are filled with bots of this level. */
export interface Start {
  type: "start";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a level, from GET /api/v1/bots */
  fill_with?: string | null;
}

/** Play. `at` is that of the position you have in view: if it has changed since, the move is refused as `stale` (moves that all make at the same time do not disturb each other). */
export interface Move {
  type: "move";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  at: number;
  /** the text of a move, as in docs/<game>.md */
  move: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** A move to be played as soon as it is this seat's turn, if it is legal then. It lives as long as the server; an empty move takes it back. */
export interface Premove {
  type: "premove";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  move: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Take back your last move: at once where nothing hidden was shown and your turn is not over, else if the other people at the table agree. */
export interface Undo {
  type: "undo";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  at: number;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Answer to an offer, yes or no. */
export interface Agree {
  type: "agree";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  what: "undo" | "pause" | "resume";
  yes?: boolean;
}

/** Give the game up. With two seats it ends, with more a bot plays the seat on. */
export interface Resign {
  type: "resign";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Go: a bot stands in, and you can come back. */
export interface Leave {
  type: "leave";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a seat's number, from 0 */
  seat?: number | null;
  /** a level, from GET /api/v1/bots */
  bot?: string | null;
}

/** Come back to a seat you left. */
export interface Return {
  type: "return";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Ask to stop the clocks (all people agree), or do so if you are alone. */
export interface Pause {
  type: "pause";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
}

/** Ask to go on after a pause. */
export interface Resume {
  type: "resume";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
}

/** Open a table like this one for the next game; the same people are seated, each one seat further, and it starts. */
export interface Rematch {
  type: "rematch";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
}

/** Say something to the table. */
export interface Chat {
  type: "chat";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** what to say */
  text: string;
}

/** The host opens or closes the chat. */
export interface SetChat {
  type: "setchat";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  on: boolean;
}

/** This seat's word for the deal (docs/fairness). */
export interface Word {
  type: "word";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** anything */
  word: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** The seal of the word this seat will say after the start. */
export interface Seal {
  type: "seal";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** 64 hexadecimal digits */
  seal: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Ask a bot what it would play here. */
export interface Hint {
  type: "hint";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** a level, from GET /api/v1/bots */
  bot?: string | null;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** What a legal move would do, in words: answered in the `data` of `done`. */
export interface Explain {
  type: "explain";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** the text of a move, as in docs/<game>.md */
  move: string;
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** Why these clicks, ids of the picture in order, are no move: the rule, in words. */
export interface Why {
  type: "why";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  clicks: string[];
  /** a seat's number, from 0 */
  seat?: number | null;
}

/** An earlier position: the one after `ply` entries of the log, with what you could know then. Answered in the `data` of `done` (`RecallData`); the game is not disturbed. */
export interface Recall {
  type: "recall";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** 0: right after the deal */
  ply: number;
  /** with several seats: the one to look from; −1: as a spectator */
  seat?: number | null;
}

/** Why the score is what it is: answered in the `data` of `done` (`SumsData`). */
export interface Sums {
  type: "sums";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
  /** with several seats: the one to look from; −1: as a spectator */
  seat?: number | null;
}

/** The host ends the table without a result. */
export interface Close {
  type: "close";
  /** made up by the client; a message sent again with it gets the first answer again */
  id: string;
  /** the table */
  table: string;
}

/** The answer to `hello`. */
export interface Welcome {
  type: "welcome";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  protocol: number;
  version: string;
  person: string;
  name: string;
  /** How often the server sends a `beat`. Nothing for three times as long: connect anew. */
  beat_s: number;
}

/** The newest position of a table. A slow connection may miss some in between, never the newest. Replace your log from line `log_from` on by `log`. */
export interface Position {
  type: "position";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  table: string;
  /** Which position; send it with a move. */
  at: number;
  /** The table's last event, chat included. */
  seq: number;
  /** From whose seat you look; null as a spectator. */
  seat: number | null;
  /** Your seats. */
  mine: number[];
  /** Who may move. */
  waiting: number[];
  info: TableInfo;
  /** null before the deal. */
  view: PlainView | PictureView | null;
  log_from: number;
  log: LogLine[];
  clocks: Clocks | null;
  premove: string | null;
  /** With several seats: whether this one sees what the others may not. */
  private: boolean;
  /** Seats whose people have no connection now, as far as this server knows. */
  absent: number[];
  /** With pictures: what was thrown since the position you had. */
  motions: Motion[];
  /** Whether you are the host, who made the table. */
  hosting: boolean;
}

/** Your message was carried out, and outlives a crash of the server. */
export interface Done {
  type: "done";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  id: string;
  seq: number;
  data: unknown;
}

/** Your message was not carried out, why, and how things stand. */
export interface Refused {
  type: "refused";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  id: string | null;
  code: string;
  reason: string;
  position: Position | null;
}

/** Somebody said something, at this time (milliseconds since 1970). */
export interface Said {
  type: "said";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  table: string;
  seq: number;
  name: string;
  seat: number | null;
  text: string;
  at: number;
}

/** Answer with a `beat` with this `time`, at once. */
export interface ServerBeat {
  type: "beat";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  time: number;
  /** Your delay there and back, as measured so far. */
  delay_ms: number;
}

/** The server closes this connection; come back after so long (each client is told another). */
export interface Bye {
  type: "bye";
  /** Counts the messages of this connection, from 1. A gap: send `watch` again. */
  n: number;
  reason: string;
  return_after_ms: number;
}

export interface GuestIn {
  /** a name to show */
  name: string;
}

export interface PersonOut {
  id: string;
  name: string;
  kind: string;
}

export interface GuestOut {
  person: PersonOut;
  /** For programs: Authorization: Bearer … A browser gets a cookie instead, and this is empty. */
  token: string;
}

export interface TablesOut {
  tables: TableInfo[];
  next: string | null;
  /** The tables of these at which it is your turn. */
  turns: string[];
}

/** A game that is over. */
export interface GameResult {
  table: string;
  game: string;
  seats: SeatInfo[];
  outcome: Outcome;
  /** The seats you had. */
  mine: number[];
  /** When the table was made, in milliseconds since 1970. */
  started: number;
}

export interface ResultsOut {
  results: GameResult[];
  next: string | null;
}

export interface ValueOut {
  value: unknown;
  words: string;
}

/** An option of a game that people choose when they make a table. */
export interface ChoiceOut {
  /** What it is called in `options` of the table. */
  name: string;
  words: string;
  about: string;
  /** The default is the first. */
  values: ValueOut[];
}

export interface GameOut {
  name: string;
  title: string;
  credit: string;
  seats: number[];
  rules: number;
  goal: string;
  moves: Record<string, string>;
  choices: ChoiceOut[];
}

export interface GamesOut {
  games: GameOut[];
}

export interface BotOut {
  name: string;
  words: string;
  games: string[];
  /** What a level is called; empty for bots that are none, and rather for programs. */
  title: string;
}

export interface BotsOut {
  bots: BotOut[];
}

export interface TableOut {
  table: TableInfo;
  link: string;
}

export interface SeatsOut {
  seats: SeatInfo[];
}

export interface ResultOut {
  outcome: Outcome | null;
}

/** What a message sent by POST comes to. */
export interface AnswerOut {
  answer: Done | Refused;
}

export interface RenameIn {
  /** a name to show */
  name: string;
}

export interface DoneOut {
  done: boolean;
}

export interface CodesOut {
  /** Each lets you in once, from any browser. They are shown this once: write them down. */
  codes: string[];
}

export interface RecoverIn {
  code: string;
}

export interface RecoveredOut {
  id: string;
  name: string;
  /** For programs; a browser gets a cookie, and this is empty. */
  token: string;
  codes_left: number;
}

/** A token as its owner sees it later: not the token itself. */
export interface TokenInfo {
  id: string;
  label: string;
  scopes: string[];
  created: number;
}

export interface TokensOut {
  tokens: TokenInfo[];
}

export interface TokenIn {
  /** to know it by */
  label: string;
  scopes?: ("play" | "read")[];
}

export interface TokenOut {
  /** Shown this once. */
  token: string;
}

/** A subscription as its owner sees it. */
export interface SubscriptionInfo {
  id: string;
  way: string;
  address: string;
  confirmed: boolean;
  created: number;
}

export interface NoticesOut {
  /** What this server can do; empty if its host has turned nothing on. */
  ways: ("push" | "mail" | "hook")[];
  /** What a browser needs to subscribe to web push. */
  push_key: string | null;
  subscriptions: SubscriptionInfo[];
}

export interface SubscribeIn {
  way: "push" | "mail" | "hook";
  /** an e-mail address, an https address, or a browser's subscription */
  address: unknown;
  language?: "en" | "fr" | "pt";
}

/** A new subscription. A webhook's secret signs what it is sent, and is shown once; an e-mail address has to be confirmed by the code that was sent to it. */
export interface Subscribed {
  id: string;
  way: string;
  confirmed: boolean;
  secret: string | null;
}

export interface ConfirmIn {
  code: string;
}

export interface ProblemOut {
  code: string;
  reason: string;
}

export type ToServer = Hello | Beat | Watch | Unwatch | Sit | Rise | AddBot | Start | Move | Premove | Undo | Agree | Resign | Leave | Return | Pause | Resume | Rematch | Chat | SetChat | Word | Seal | Hint | Explain | Why | Recall | Sums | Close;
export type ToClient = Welcome | Position | Done | Refused | Said | ServerBeat | Bye;
export type RefusalCode = "bad_message" | "too_large" | "too_fast" | "version" | "unknown_person" | "no_such_table" | "no_such_seat" | "seat_taken" | "not_your_seat" | "bad_name" | "not_the_host" | "not_now" | "not_watching" | "not_your_turn" | "stale" | "illegal" | "no_undo" | "nothing_asked" | "no_hints" | "no_chat" | "no_such_bot" | "fairness" | "bad_table" | "old_rules" | "banned" | "not_by_token" | "busy";
