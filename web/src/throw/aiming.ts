// Aiming: from what a hand does to the numbers of a throw. Each kind has its own gesture; all of them
// can be set by keys as well. Nothing here knows a rule: ranges and reach come with the throw.

import type { Stage, Throw } from "../protocol";
import type { Mark } from "./looks";
import type { Pose } from "./path";
import { lying, times, type Turn } from "./turns";

type Point = readonly [x: number, y: number];

const SWIPE_MS = 90; // of a swipe, its last moments count
const SWIPE_SHARE = 0.55; // of a finger's speed goes into the die
const SLOWEST = 260; // a slower hand has not thrown (millimetres a second)
const FREE = 650; // how far a hand moves with its die, in tenths of a millimetre
const PULL_PX = 170; // a sling pulled so far is pulled all the way
const LEAST_PULL = 0.06;
const RIM = 1000; // a press so near to the hand, or behind it, moves a die along the edge
const TAP_MS = 220;
const TAP_PX = 8;

export class Aiming {
  private readonly values: number[];
  private readonly swipe: { at: number; x: number; y: number }[] = [];
  private held: Point | null = null; // where the die was taken, on the table
  private heldPx: Point = [0, 0];
  private heldSince = 0;
  private farthestPx = 0;
  private offset: Point = [0, 0];
  private pull: Point | null = null;
  private aims = false; // there is something to be shown

  constructor(
    readonly thrown: Throw,
    readonly stage: Stage,
  ) {
    this.values = thrown.gauges.map((gauge) => gauge.usual);
  }

  /** The move. */
  get text(): string {
    return [this.thrown.move, ...this.values].join(" ");
  }

  get isHeld(): boolean {
    return this.held !== null;
  }

  value(name: string): number {
    const at = this.thrown.gauges.findIndex((gauge) => gauge.name === name);
    return this.values[at] ?? 0;
  }

  set(name: string, value: number): void {
    const at = this.thrown.gauges.findIndex((gauge) => gauge.name === name);
    const gauge = this.thrown.gauges[at];
    if (!gauge) return;
    this.values[at] = Math.round(Math.min(gauge.high, Math.max(gauge.low, value)));
    this.aims = true;
  }

  /** Take the numbers of a move, if it is one of this throw. */
  take(move: string): void {
    if (!move.startsWith(`${this.thrown.move} `)) return;
    const given = move.slice(this.thrown.move.length + 1).split(" ").map(Number);
    this.thrown.gauges.forEach((gauge, i) => this.set(gauge.name, given[i] ?? gauge.usual));
  }

  // The hand

  /** Where the hand is over the table: where the die is let go. */
  get hand(): Point {
    const { kind, x, y } = this.thrown;
    if (kind === "drop") return [this.value("x"), this.value("y")];
    if (kind !== "flick") return [x, y];
    const [rx, ry] = this.right;
    return [x + rx * this.value("place"), y + ry * this.value("place")];
  }

  /** The die in the hand. */
  pose(ms: number): Pose {
    const { seat, die, kind, z } = this.thrown;
    const [x, y] = this.hand;
    if (kind === "flick") {
      const angle = this.thrown.ahead + this.value("direction");
      return { seat, die, x: x + (this.pull?.[0] ?? 0) * 0.5, y: y + (this.pull?.[1] ?? 0) * 0.5, z, turn: lying(1, angle) };
    }
    const sways = this.held ? 0 : Math.sin(ms / 640) * 22;
    const tilt: Turn = times([Math.cos(0.25), Math.sin(0.25) * 0.8, Math.sin(0.25) * 0.6, 0], lying(3, 300 + ms / 40));
    return { seat, die, x: x + this.offset[0], y: y + this.offset[1], z: z + sways, turn: tilt };
  }

  private get ahead(): number {
    return ((this.thrown.ahead + this.value("direction")) * Math.PI) / 1800;
  }

  /** To the right, for the one who throws, along the edge. */
  private get right(): Point {
    const ahead = (this.thrown.ahead * Math.PI) / 1800;
    return [Math.sin(ahead), Math.cos(ahead)];
  }

  /** Where the die comes to rest on the average; null while nothing is aimed at. */
  get mark(): Mark | null {
    if (!this.aims || this.thrown.kind === "blind") return null;
    const [x, y] = this.hand;
    const { speeds, far, along, across } = this.thrown.carry;
    const speed = this.value("speed");
    let above = speeds.findIndex((one) => one >= speed);
    if (above < 0) above = speeds.length - 1;
    const below = Math.max(0, above - 1);
    const span = speeds[above]! - speeds[below]!;
    const share = span ? Math.max(0, (speed - speeds[below]!) / span) : 0;
    const mixed = (list: readonly number[]): number => list[below]! + share * (list[above]! - list[below]!);
    const angle = this.ahead;
    const to: Point = [x + Math.cos(angle) * mixed(far), y - Math.sin(angle) * mixed(far)];
    const pulled: Point | null = this.pull && [x + this.pull[0], y + this.pull[1]];
    return { from: [x, y], to, along: mixed(along), across: mixed(across), angle, pulled };
  }

  /** The tile the throw would go to; null if none lies there. */
  get goal(): string | null {
    const mark = this.mark;
    if (!mark) return null;
    const [x, y] = mark.to;
    const { tiles, tile } = this.stage;
    return tiles.find((one) => x >= one.x && x < one.x + tile && y >= one.y && y < one.y + tile)?.title ?? null;
  }

  // The gesture: `press`, `move` and `release` take the place on the table and on the screen. A press
  // that has not let go comes to null.

  press(table: Point, px: Point, at: number): void {
    this.held = table;
    this.heldPx = px;
    this.heldSince = at;
    this.farthestPx = 0;
    this.swipe.length = 0;
    if (this.thrown.kind === "flick") {
      this.pull = null;
      const [dx, dy] = [table[0] - this.thrown.x, table[1] - this.thrown.y];
      const [rx, ry] = this.right;
      const isOutside = dx * ry - dy * rx < RIM; // before the table: the die goes there
      if (isOutside) this.set("place", dx * rx + dy * ry);
    }
    this.move(table, px, at);
  }

  /** A mouse that hovers with a die to be dropped. */
  hover(table: Point): void {
    if (this.thrown.kind === "drop" && !this.held) this.over(table);
  }

  move(table: Point, px: Point, at: number): void {
    if (!this.held) return;
    this.farthestPx = Math.max(this.farthestPx, Math.hypot(px[0] - this.heldPx[0], px[1] - this.heldPx[1]));
    if (this.thrown.kind === "drop") this.over(table);
    else if (this.thrown.kind === "flick") this.draw(table, px);
    else this.follow(table, at);
  }

  /** Let go: whether the die was thrown. */
  release(at: number): boolean {
    const { kind } = this.thrown;
    const tapped = at - this.heldSince < TAP_MS && this.farthestPx < TAP_PX ? this.held : null;
    this.held = null;
    if (kind === "drop") return !tapped;
    if (tapped) {
      this.calm();
      this.aimAt(tapped);
      return false;
    }
    const isThrown = kind === "flick" ? this.pull !== null : this.isSwiped(at);
    if (!isThrown) this.calm();
    return isThrown;
  }

  /** The hand goes back to where it was. */
  calm(): void {
    this.held = null;
    this.pull = null;
    this.offset = [0, 0];
    this.swipe.length = 0;
  }

  /** Aim so that the die comes to rest there, as far as it can. */
  private aimAt([x, y]: Point): void {
    const [hx, hy] = this.hand;
    const { far, speeds } = this.thrown.carry;
    const off = turned(Math.atan2(hy - y, x - hx) - (this.thrown.ahead * Math.PI) / 1800);
    if (Math.abs(off) > Math.PI / 2) return;
    const wanted = Math.hypot(x - hx, y - hy);
    let above = far.findIndex((one) => one >= wanted);
    if (above < 0) above = far.length - 1;
    const below = Math.max(0, above - 1);
    const span = far[above]! - far[below]!;
    const share = span ? Math.min(1, Math.max(0, (wanted - far[below]!) / span)) : 0;
    this.set("direction", (off * 1800) / Math.PI);
    this.set("speed", speeds[below]! + share * (speeds[above]! - speeds[below]!));
  }

  private over([x, y]: Point): void {
    this.set("x", x);
    this.set("y", y);
  }

  /** The sling: the further it is pulled back, the faster; it flies the other way. */
  private draw(table: Point, px: Point): void {
    const pull: Point = [table[0] - this.held![0], table[1] - this.held![1]];
    const share = Math.min(1, Math.hypot(px[0] - this.heldPx[0], px[1] - this.heldPx[1]) / PULL_PX);
    const off = turned(Math.atan2(pull[1], -pull[0]) - (this.thrown.ahead * Math.PI) / 1800);
    if (share < LEAST_PULL || Math.abs(off) > Math.PI / 2) {
      this.pull = null;
      return;
    }
    const gauge = this.thrown.gauges.find((one) => one.name === "speed")!;
    this.set("direction", (off * 1800) / Math.PI);
    this.set("speed", gauge.low + share * (gauge.high - gauge.low));
    const long = Math.hypot(...pull);
    const shown = Math.min(long, 1100) / (long || 1);
    this.pull = [pull[0] * shown, pull[1] * shown];
  }

  /** The hand that swipes: which way, and how fast. */
  private follow(table: Point, at: number): void {
    const moved: Point = [table[0] - this.held![0], table[1] - this.held![1]];
    const far = Math.hypot(...moved);
    const share = far > FREE ? FREE / far : 1;
    this.offset = [moved[0] * share, moved[1] * share];
    this.swipe.push({ at, x: table[0], y: table[1] });
    while (this.swipe.length > 2 && at - this.swipe[0]!.at > SWIPE_MS) this.swipe.shift();
    const [first, last] = [this.swipe[0]!, this.swipe.at(-1)!];
    const [dx, dy] = [last.x - first.x, last.y - first.y];
    const took = last.at - first.at;
    const pace = took > 0 ? (Math.hypot(dx, dy) / took) * 100 : 0; // millimetres a second
    if (pace < SLOWEST) return;
    const off = turned(Math.atan2(-dy, dx) - (this.thrown.ahead * Math.PI) / 1800);
    if (Math.abs(off) > Math.PI / 2) return;
    this.set("direction", (off * 1800) / Math.PI);
    this.set("speed", pace * SWIPE_SHARE);
  }

  private isSwiped(at: number): boolean {
    const [first, last] = [this.swipe[0], this.swipe.at(-1)];
    if (!first || !last || first === last || at - last.at > SWIPE_MS) return false;
    const pace = (Math.hypot(last.x - first.x, last.y - first.y) / Math.max(1, last.at - first.at)) * 100;
    const off = turned(Math.atan2(-(last.y - first.y), last.x - first.x) - (this.thrown.ahead * Math.PI) / 1800);
    return pace >= SLOWEST && Math.abs(off) <= Math.PI / 2;
  }
}

/** An angle between −π and π. */
function turned(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
