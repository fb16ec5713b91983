// Throws of dice on a table seen in three dimensions: aim one, or watch one. Loaded only where there
// is a table to throw on: `const throwing = await import("./throw")`.
//
// Nothing here knows a rule: what can be thrown, from where, how far and how hard is said by the
// server (`Stage`), and what comes of it, too (`Motion`).

import type { Motion, Stage } from "../protocol";

export interface ThrowOptions {
  /** Draw on a flat canvas even where WebGL is at hand. */
  flat?: boolean;
  /** Show the end at once, without motion; by default what the reader's system asks for. */
  still?: boolean;
  /** Sentences for a live region. */
  speak?: (text: string) => void;
  dark?: boolean;
  /** Stops it: aiming comes to null, playing to its end. */
  signal?: AbortSignal;
}

/** Whether this browser draws in three dimensions. */
export declare function canWebGL(): boolean;

/** Let the player aim the throw of this icon (its id in the picture), in an element that is as large
 * as the picture of the board. Comes to the text of the move, or to null on Escape. */
export declare function aim(host: HTMLElement, stage: Stage, icon: string, options?: ThrowOptions): Promise<string | null>;

/** Show a throw that was made, from `motion.age_ms` on; ends with the dice at rest. A press or a key
 * ends it at once. Nothing is left in the element afterwards. */
export declare function play(host: HTMLElement, motion: Motion, options?: ThrowOptions): Promise<void>;
