// Short notices at the foot of the page: they go by themselves, and a screen reader says them.

import { h } from "./dom";
import { Refusal } from "./socket";
import { say } from "./texts";

const SHOWN_MS = 6000;
let shelf: HTMLElement | null = null;

/** Say something in passing. */
export function notify(text: string, kind: "news" | "problem" = "news"): void {
  if (!shelf?.isConnected) {
    shelf = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    document.body.append(shelf);
  }
  const toast = h("p", { class: `toast ${kind}` }, text);
  shelf.append(toast);
  while (shelf.children.length > 3) shelf.firstElementChild!.remove();
  window.setTimeout(() => toast.remove(), SHOWN_MS);
}

/** Do something, and say what went wrong if it did; undefined then. */
export async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : say("Something went wrong in this page.");
    notify(reason, "problem");
    if (!(error instanceof Refusal)) throw error;
    return undefined;
  }
}
