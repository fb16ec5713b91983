// Which page an address is. A page mounts itself into an element, and says how to take it away.

import { mountGame } from "./game_page";
import { mountLobby } from "./lobby";
import { mountNewTable } from "./new_table";
import { mountSettings } from "./settings_page";
import { mountTablePage } from "./table_page";
import { mountYou } from "./you";
import { h } from "./dom";
import { say } from "./texts";

export type Unmount = () => void;
export type Page = (element: HTMLElement, ...parts: string[]) => Unmount | void;

const PAGES: [RegExp, Page][] = [
  [/^\/$/, mountLobby],
  [/^\/new\/?$/, mountNewTable],
  [/^\/games\/([a-z]+)\/?$/, mountGame],
  [/^\/t\/([\w-]+)\/?$/, mountTablePage],
  [/^\/settings\/?$/, mountSettings],
  [/^\/you\/?$/, mountYou],
];

let element: HTMLElement | null = null;
let leave: Unmount | null = null;

/** Show the page of the address in this element, and follow links from then on. */
export function start(into: HTMLElement): void {
  element = into;
  show();
}

/** Go to another address of the page. */
export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  show();
  scrollTo(0, 0);
}

/** Name the page, in the window's title. */
export function entitle(name: string): void {
  document.title = name ? `${name} · Mandalier` : "Mandalier";
}

function show(): void {
  if (!element) return;
  leave?.();
  leave = null;
  element.replaceChildren();
  element.className = "main";
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(location.pathname);
    if (found) {
      leave = page(element, ...found.slice(1)) ?? null;
      return;
    }
  }
  entitle(say("Nothing here"));
  element.append(
    h("div", { class: "sheet narrow" }, h("h1", {}, say("Nothing here")), h("p", {}, h("a", { href: "/" }, say("To the games")))),
  );
}

addEventListener("popstate", show);
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (!PAGES.some(([pattern]) => pattern.test(link.pathname))) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
});
