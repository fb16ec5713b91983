// All that goes over the network, and the only file that touches it.
//
//   ask("GET", "/api/v1/games")        the HTTP interface; refusals are thrown as Refusal
//   watch(table, {position, said})     be told of a table; the first position comes at once if known
//   send({type: "move", ...})          a message for a table; resolves with `done`
//   connected(listener)                whether the server is heard
//
// A message keeps its id until it is answered: after a lost connection it is sent again with the
// same id, and counts once. Where WebSockets do not get through, server-sent events and POST do.

import {
  VERSION,
  type Beat,
  type Done,
  type Hello,
  type LogLine,
  type PictureView,
  type Position,
  type ProblemOut,
  type Refused,
  type Said,
  type ToClient,
  type ToServer,
  type TableInfo,
  type Unwatch,
  type Watch,
} from "./protocol";
import { say } from "./texts";

export type Style = Required<Pick<Hello, "language" | "theme" | "arrangement">>;
type Omitting<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** What is sent to a table; the id is made up here. */
export type Message = Omitting<Exclude<ToServer, Hello | Beat | Watch | Unwatch>, "id">;

/** A position with the whole log, put together from what came in pieces. */
export type Whole = Position & { log: LogLine[] };

export interface Watcher {
  position?(position: Whole): void;
  said?(said: Said): void;
  /** The table cannot be watched: there is none, or it is not for this person. */
  refused?(refusal: Refusal): void;
}

/** "no" in the server's words. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    readonly reason: string,
    readonly status = 0,
  ) {
    super(reason);
  }
}

// The HTTP interface ----------------------------------------------------------------------------

/** Ask the HTTP interface. Throws a Refusal, with the code "offline" if nobody answers. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response;
  const joiner = path.includes("?") ? "&" : "?";
  const init: RequestInit = { method, headers: { accept: "application/json" } };
  if (body !== undefined) init.body = JSON.stringify(body);
  try {
    answer = await fetch(`${path}${joiner}language=${style.language}`, init);
  } catch {
    throw new Refusal("offline", say("The server does not answer. Is there a network?"));
  }
  if (answer.ok) return (await answer.json()) as T;
  const problem = (await answer.json().catch(() => null)) as ProblemOut | null;
  throw new Refusal(
    problem?.code ?? "error",
    problem?.reason ?? say("The server could not do it ({status}).", { status: answer.status }),
    answer.status,
  );
}

// The connection --------------------------------------------------------------------------------

const LONGEST_WAIT_MS = 15_000;
const ANSWER_MS = 10_000;
const TRIES_BEFORE_FALLBACK = 3;

interface Watched {
  watchers: Set<Watcher>;
  last: Whole | null;
  parts?: string[]; // of the picture
  said: Said[];
  seat: number | null;
  stream: EventSource | null;
}

interface Pending {
  message: ToServer & { id: string };
  resolve(done: Done): void;
  reject(refusal: Refusal): void;
}

let style: Style = { language: "en", theme: "light", arrangement: "wide" };
let socket: WebSocket | null = null;
let greeted = false;
let ever = false; // whether a WebSocket has ever worked here
let failures = 0;
let byPost = false;
let expected = 0;
let beatMs = 15_000;
let silence = 0;
let returning = 0;
let heard = false;
const tables = new Map<string, Watched>();
const pending = new Map<string, Pending>();
const observers = new Set<(heard: boolean) => void>();

const prefix = Math.random().toString(36).slice(2, 10) + Date.now().toString(36);
let counter = 0;
const newId = (): string => `${prefix}-${++counter}`;

/** Be told whether the server is heard; at once how it is now. */
export function connected(listener: (heard: boolean) => void): () => void {
  observers.add(listener);
  listener(heard);
  return () => observers.delete(listener);
}

function tell(now: boolean): void {
  if (heard === now) return;
  heard = now;
  observers.forEach((listener) => listener(now));
}

/** How pictures and words are to come from now on. */
export function present(change: Partial<Style>): void {
  const next = { ...style, ...change };
  if (JSON.stringify(next) === JSON.stringify(style)) return;
  style = next;
  if (byPost) for (const id of tables.keys()) listenTo(id);
  else if (greeted) write(hello());
}

export const presented = (): Readonly<Style> => style;

const hello = (): Hello => ({ type: "hello", protocol: VERSION, form: "picture", parts: true, ...style });

/** Watch a table. `seat` chooses from which of one's seats; −1: as a spectator. */
export function watch(table: string, watcher: Watcher, seat: number | null = null): () => void {
  let found = tables.get(table);
  if (!found) {
    found = { watchers: new Set(), last: null, said: [], seat, stream: null };
    tables.set(table, found);
    begin(table);
  } else if (found.seat !== seat) {
    found.seat = seat;
    found.last = null;
    begin(table);
  }
  found.watchers.add(watcher);
  if (found.last) watcher.position?.(found.last);
  found.said.forEach((said) => watcher.said?.(said));
  return () => {
    found.watchers.delete(watcher);
    if (found.watchers.size || tables.get(table) !== found) return;
    tables.delete(table);
    found.stream?.close();
    if (greeted) write({ type: "unwatch", id: newId(), table });
    if (!tables.size && !pending.size) hangUp();
  };
}

/** Look from another of one's seats. */
export function lookFrom(table: string, seat: number | null): void {
  const found = tables.get(table);
  if (!found || found.seat === seat) return;
  found.seat = seat;
  found.last = null;
  begin(table);
}

/** Send a message to a table. Throws a Refusal. */
export function send(message: Message): Promise<Done> {
  const whole = { ...message, id: newId() } as ToServer & { id: string };
  return new Promise((resolve, reject) => {
    const waiting: Pending = { message: whole, resolve, reject };
    pending.set(whole.id, waiting);
    if (byPost) void post(waiting);
    else if (greeted) write(whole);
    else connect();
  });
}

function begin(table: string): void {
  if (byPost) listenTo(table);
  else if (greeted) writeWatch(table);
  else connect();
}

// By WebSocket

function connect(): void {
  if (socket || byPost) return;
  clearTimeout(returning);
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/live`;
  const opened = (socket = new WebSocket(address));
  expected = 0;
  opened.onopen = () => write(hello());
  opened.onmessage = (event) => {
    if (socket === opened) take(JSON.parse(String(event.data)) as ToClient);
  };
  opened.onclose = (event) => {
    if (socket === opened) lost(event.code);
  };
  listenForSilence();
}

/** Nothing at all for three beats: this connection is dead, whatever the browser thinks. */
function listenForSilence(): void {
  clearTimeout(silence);
  const waiting = greeted ? 3 * beatMs : ANSWER_MS;
  silence = window.setTimeout(() => {
    const dead = socket;
    if (!dead) return;
    dead.onclose = null;
    dead.close();
    lost(0);
  }, waiting);
}

function lost(code: number): void {
  const wasGreeted = greeted;
  socket = null;
  greeted = false;
  clearTimeout(silence);
  if (code === 4003) {
    // banned, forgotten or logged out elsewhere: who we are is asked anew
    abandon(new Refusal("unknown_person", say("You are not known here any more. Load the page again.")));
    return;
  }
  tell(false);
  if (!tables.size && !pending.size) return;
  failures = wasGreeted ? 0 : failures + 1;
  if (!ever && failures >= TRIES_BEFORE_FALLBACK) {
    fallBack();
    return;
  }
  comeBack(Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures) * (0.5 + Math.random()));
}

function comeBack(afterMs: number): void {
  clearTimeout(returning);
  returning = window.setTimeout(connect, afterMs);
}

function hangUp(): void {
  clearTimeout(returning);
  clearTimeout(silence);
  if (socket) {
    socket.onclose = null;
    socket.close(1000);
  }
  socket = null;
  greeted = false;
}

function write(message: ToServer): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function writeWatch(id: string): void {
  const found = tables.get(id);
  if (!found) return;
  const since = found.last && found.last.view ? found.last.at : null;
  write({ type: "watch", id: `watch-${id}`, table: id, since, seat: found.seat });
}

function take(message: ToClient): void {
  listenForSilence();
  if (message.n !== ++expected && greeted) {
    // something is missing: everything again
    expected = message.n;
    for (const [id, found] of tables) {
      found.last = null;
      writeWatch(id);
    }
  }
  expected = message.n;
  receive(message);
}

function receive(message: ToClient): void {
  switch (message.type) {
    case "welcome":
      beatMs = message.beat_s * 1000;
      if (greeted) return; // the answer to another style
      greeted = ever = true;
      failures = 0;
      tell(true);
      for (const id of tables.keys()) writeWatch(id);
      for (const { message: again } of pending.values()) write(again);
      return;
    case "beat":
      write({ type: "beat", time: message.time });
      return;
    case "position":
      show(message);
      return;
    case "said":
      hear(message);
      return;
    case "done":
    case "refused":
      answer(message);
      return;
    case "bye": {
      const gone = socket;
      if (gone) {
        gone.onclose = null;
        gone.close();
      }
      socket = null;
      greeted = false;
      clearTimeout(silence);
      tell(false);
      comeBack(message.return_after_ms);
    }
  }
}

function show(position: Position): void {
  const found = tables.get(position.table);
  if (!found) return;
  const before = found.last;
  const view = position.view as PictureView | null;
  if (view?.parts) {
    const had = found.parts;
    if (!had && typeof view.parts.at(-1) !== "string") return; // what was on its way before; all of it follows
    found.parts = view.parts.flatMap((part) => (typeof part === "string" ? part : had!.slice(...part)));
    view.svg = found.parts.join("");
  }
  if (position.log_from > (before?.log.length ?? 0)) {
    found.last = null; // lines are missing in between
    begin(position.table);
    return;
  }
  const log = [...(before?.log.slice(0, position.log_from) ?? []), ...position.log];
  const whole = (found.last = { ...position, log, log_from: position.log_from });
  found.watchers.forEach((watcher) => watcher.position?.(whole));
}

function hear(said: Said): void {
  const found = tables.get(said.table);
  if (!found || found.said.some((line) => line.seq === said.seq)) return;
  found.said.push(said);
  found.watchers.forEach((watcher) => watcher.said?.(said));
}

function answer(message: Done | Refused): void {
  const id = message.id ?? "";
  if (message.type === "refused" && !greeted && !byPost) {
    abandon(new Refusal(message.code, message.reason)); // the greeting itself
    return;
  }
  if (message.type === "refused" && id.startsWith("watch-")) {
    const refusal = new Refusal(message.code, message.reason);
    tables.get(id.slice("watch-".length))?.watchers.forEach((each) => each.refused?.(refusal));
    return;
  }
  if (message.type === "refused" && message.position) show(message.position);
  const waiting = pending.get(id);
  if (!waiting) return;
  if (message.type === "refused" && message.code === "busy" && !byPost) {
    // not done, and may be asked again with the same id
    window.setTimeout(() => pending.has(id) && write(waiting.message), 1000);
    return;
  }
  pending.delete(id);
  if (message.type === "done") waiting.resolve(message);
  else waiting.reject(new Refusal(message.code, message.reason));
}

function abandon(refusal: Refusal): void {
  tell(false);
  for (const waiting of pending.values()) waiting.reject(refusal);
  pending.clear();
  for (const found of tables.values()) found.watchers.forEach((each) => each.refused?.(refusal));
}

// By server-sent events and POST

function fallBack(): void {
  byPost = true;
  for (const id of tables.keys()) listenTo(id);
  for (const waiting of pending.values()) void post(waiting);
}

function listenTo(id: string): void {
  const found = tables.get(id);
  if (!found) return;
  found.stream?.close();
  found.last = null;
  const asked = new URLSearchParams({ form: "picture", parts: "1", ...style });
  if (found.seat !== null) asked.set("seat", String(found.seat));
  const stream = (found.stream = new EventSource(`/api/v1/tables/${id}/stream?${asked}`));
  stream.onopen = () => tell(true);
  stream.onmessage = (event) => {
    const message = JSON.parse(String(event.data)) as ToClient;
    if (message.type === "position") show(message);
    if (message.type === "said") hear(message);
    if (message.type === "bye") {
      stream.close();
      tell(false);
      window.setTimeout(() => listenTo(id), message.return_after_ms);
    }
  };
  stream.onerror = () => {
    tell(false);
    if (stream.readyState === EventSource.CLOSED)
      window.setTimeout(() => found.stream === stream && listenTo(id), 2_000 + 3_000 * Math.random());
  };
}

async function post(waiting: Pending): Promise<void> {
  const { id } = waiting.message;
  while (pending.has(id)) {
    try {
      const got = await ask<{ answer: Done | Refused }>("POST", "/api/v1/messages", waiting.message);
      answer(got.answer);
      return;
    } catch (error) {
      const refusal = error as Refusal;
      if (refusal.code !== "offline" && refusal.status < 500) {
        pending.delete(id);
        waiting.reject(refusal);
        return;
      }
      await new Promise((later) => setTimeout(later, 1000 + 2000 * Math.random()));
    }
  }
}

// The browser knows when the network is back, and when the page is looked at again
addEventListener("online", () => {
  if (!socket && (tables.size || pending.size)) {
    clearTimeout(returning);
    connect();
  }
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && !socket && (tables.size || pending.size)) connect();
});

/** Register what keeps the page ready for a time without network. */
export function keepReady(): void {
  if ("serviceWorker" in navigator && isSecureContext)
    void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}

export type { TableInfo };
