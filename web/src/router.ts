// Which page an address is. A page mounts itself into an element, and says how to take it away.

import { h } from "./dom";
import { say } from "./texts";

export type Unmount = () => void;
export type Page = (element: HTMLElement, ...parts: string[]) => Unmount | void;

type Load = () => Promise<Page>;

// Each page is a chunk of its own; the server asks for that of an address at once (page.py).
const PAGES: [RegExp, Load][] = [
  [/^\/$/, async () => (await import("./lobby")).mountLobby],
  [/^\/new\/?$/, async () => (await import("./new_table")).mountNewTable],
  [/^\/games\/([a-z]+)\/?$/, async () => (await import("./game_page")).mountGame],
  [/^\/t\/([\w-]+)\/?$/, async () => (await import("./table_page")).mountTablePage],
  [/^\/settings\/?$/, async () => (await import("./settings_page")).mountSettings],
  [/^\/you\/?$/, async () => (await import("./you")).mountYou],
];

let element: HTMLElement | null = null;
let leave: Unmount | null = null;
let shows = 0;

/** Show the page of the address in this element, and follow links from then on. */
export function start(into: HTMLElement): void {
  element = into;
  void show();
}

/** Go to another address of the page. */
export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  void show();
  scrollTo(0, 0);
}

/** Name the page, in the window's title. */
export function entitle(name: string): void {
  document.title = name ? `${name} · Mandalier` : "Mandalier";
}

async function show(): Promise<void> {
  if (!element) return;
  leave?.();
  leave = null;
  element.replaceChildren();
  element.className = "main";
  const mine = ++shows;
  for (const [pattern, load] of PAGES) {
    const found = pattern.exec(location.pathname);
    if (!found) continue;
    try {
      const page = await load();
      if (mine === shows) leave = page(element, ...found.slice(1)) ?? null;
    } catch {
      if (mine === shows) apologize(say("This page does not come"), say("The server does not answer. Is there a network?"), true);
    }
    return;
  }
  apologize(say("Nothing here"), say("There is no page at this address."));
}

function apologize(title: string, text: string, mayCome = false): void {
  entitle(title);
  const again = h("button", { type: "button", class: "button primary", onclick: () => location.reload() }, say("Try again"));
  element?.append(
    h("div", { class: "sheet narrow" }, h("h1", {}, title), h("p", {}, text), h("p", { class: "row wrap" }, mayCome && again, h("a", { href: "/", class: "button" }, say("To the games")))),
  );
}

addEventListener("popstate", () => void show());
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (!PAGES.some(([pattern]) => pattern.test(link.pathname))) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
});
