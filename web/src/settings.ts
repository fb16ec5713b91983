// What a person has chosen for this browser.

import { preferred, type Language } from "./texts";

export interface Settings {
  language: Language;
  theme: "auto" | "light" | "dark";
  sound: boolean;
  motion: "auto" | "full" | "none";
  size: "normal" | "large" | "larger";
}

const KEY = "mandalier.settings";
type Listener = (now: Settings) => void;
const listeners = new Set<Listener>();

const first = (): Settings => ({
  language: preferred(),
  theme: "auto",
  sound: false,
  motion: "auto",
  size: "normal",
});

function kept(): Partial<Settings> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
  } catch {
    return {}; // a browser that keeps nothing, or something that is not ours
  }
}

let now: Settings = { ...first(), ...kept() };

export const settings = (): Readonly<Settings> => now;

/** Change some settings, keep them, and tell everybody. */
export function choose(change: Partial<Settings>): void {
  now = { ...now, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...kept(), ...change }));
  } catch {
    // they last until the page is closed
  }
  for (const listener of [...listeners]) listener(now);
}

/** Be told of changes; the result ends it. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");
for (const query of [dark, still])
  query.addEventListener("change", () => listeners.forEach((listener) => listener(now)));

/** The theme to draw in. */
export const theme = (): "light" | "dark" =>
  now.theme === "auto" ? (dark.matches ? "dark" : "light") : now.theme;

/** Whether things may move. */
export const moves = (): boolean => (now.motion === "auto" ? !still.matches : now.motion === "full");
