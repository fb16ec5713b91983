// The paths of thrown dice as the server sends them: see "Throws" in docs/protocol.md.

import type { Die, Motion } from "../protocol";
import { lying, mixed, type Turn } from "./turns";

/** Where a die is: its centre in tenths of a millimetre (y down, z up), and how it is turned. */
export interface Pose {
  seat: number;
  die: number;
  x: number;
  y: number;
  z: number;
  turn: Turn;
}

interface Track {
  seat: number;
  die: number;
  start: number;
  /** x, y, z of each picture. */
  places: number[][];
  turns: Turn[];
}

const PICTURES_A_MS = 60 / 1000;
const STEPS = 1023 / Math.SQRT2;

/** A die at rest. */
export function resting(die: Die, size: number): Pose {
  return { seat: die.seat, die: die.die, x: die.x, y: die.y, z: size / 2, turn: lying(die.face, die.yaw) };
}

export class Flight {
  private constructor(
    private readonly tracks: readonly Track[],
    private readonly still: readonly Pose[],
    private readonly lost: ReadonlySet<string>,
  ) {}

  static async of(motion: Motion): Promise<Flight> {
    const tracks = await read(motion.path);
    const moved = new Set(tracks.map(keyOf));
    const still = motion.stage.dice.filter((die) => !moved.has(keyOf(die))).map((die) => resting(die, motion.stage.die));
    const lost = motion.end.filter((die) => !die.inside).map(keyOf);
    return new Flight(tracks, still, new Set(lost));
  }

  get lasts_ms(): number {
    return Math.max(0, ...this.tracks.map((track) => track.start + track.places.length - 1)) / PICTURES_A_MS;
  }

  /** All dice after so many milliseconds; `lost` ones do not count where they are going. */
  at(ms: number): Pose[] {
    const picture = Math.max(0, ms) * PICTURES_A_MS;
    return [...this.still, ...this.tracks.map((track) => poseOf(track, picture))];
  }

  isLost(pose: Pose): boolean {
    return this.lost.has(keyOf(pose));
  }

  /** When dice strike something hard: milliseconds and how loud (0 to 1). */
  strikes(): [ms: number, loud: number][] {
    const found: [number, number][] = [];
    for (const { start, places } of this.tracks)
      for (let i = 2; i < places.length; i++) {
        const [a, b, c] = [places[i - 2]!, places[i - 1]!, places[i]!];
        const bend = Math.hypot(c[0]! - 2 * b[0]! + a[0]!, c[1]! - 2 * b[1]! + a[1]!, c[2]! - 2 * b[2]! + a[2]!);
        const last = found.at(-1)?.[0] ?? -1000;
        const ms = (start + i) / PICTURES_A_MS;
        if (bend > 45 && ms - last > 45) found.push([ms, Math.min(1, bend / 220)]);
      }
    return found;
  }
}

const keyOf = (one: { seat: number; die: number }): string => `${one.seat}-${one.die}`;

function poseOf(track: Track, picture: number): Pose {
  const { seat, die, places, turns } = track;
  const at = Math.min(Math.max(picture - track.start, 0), places.length - 1);
  const before = Math.floor(at);
  const after = Math.min(before + 1, places.length - 1);
  const share = at - before;
  const [x, y, z] = [0, 1, 2].map((axis) => places[before]![axis]! * (1 - share) + places[after]![axis]! * share);
  return { seat, die, x: x!, y: y!, z: z!, turn: mixed(turns[before]!, turns[after]!, share) };
}

async function read(path: string): Promise<Track[]> {
  const bytes = Uint8Array.from(atob(path), (letter) => letter.charCodeAt(0));
  if (bytes[0] !== 1) throw new Error("a path of another kind");
  const plain = new Blob([bytes.slice(1)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const next = numbers(new Uint8Array(await new Response(plain).arrayBuffer()));
  return Array.from({ length: next() }, () => track(next));
}

/** Reads one whole number after another. */
function numbers(bytes: Uint8Array): () => number {
  let at = 0;
  return () => {
    let rest = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      rest += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) return rest % 2 ? -(rest + 1) / 2 : rest / 2;
    }
  };
}

function track(next: () => number): Track {
  const [seat, die, start, count] = [next(), next(), next(), next()];
  const places = Array.from({ length: count }, () => [0, 0, 0]);
  for (let axis = 0; axis < 3; axis++) {
    let here = 0;
    let step = 0;
    for (const place of places) {
      step += next();
      here += step;
      place[axis] = here;
    }
  }
  const packed = [0, 512, 512, 512];
  const turns = places.map(() => {
    for (let i = 0; i < 4; i++) packed[i] = packed[i]! + next();
    return opened(packed);
  });
  return { seat, die, start, places, turns };
}

/** A quaternion from the place of its largest part and the other three. */
function opened(packed: readonly number[]): Turn {
  const parts = packed.slice(1).map((part) => part / STEPS - Math.SQRT1_2);
  const rest = 1 - parts.reduce((sum, part) => sum + part * part, 0);
  parts.splice(packed[0]!, 0, Math.sqrt(Math.max(0, rest)));
  return parts as unknown as Turn;
}
