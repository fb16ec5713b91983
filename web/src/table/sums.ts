// Why a score is what it is: its sum, and when the points came.

import { showDialog } from "../dialog";
import { fill, h } from "../dom";
import type { Sum, SumsData } from "../protocol";
import { Refusal, send, type Whole } from "../socket";
import { say } from "../texts";
import { nameOf } from "./people";

/** The sums of all seats, as far as the viewer knows them. */
export async function askSums(table: string, seat: number | null): Promise<Sum[]> {
  const done = await send({ type: "sums", table, seat });
  return (done.data as SumsData).sums;
}

/** A seat's sum, to be read. */
export function sumTable(position: Whole, sum: Sum, onlook?: (ply: number) => void): HTMLElement {
  const rows = sum.parts.map((part) => h("tr", {}, h("th", { scope: "row" }, part.words), h("td", {}, String(part.points))));
  const whole = h("tr", { class: "whole" }, h("th", { scope: "row" }, say("Together")), h("td", {}, String(sum.points)));
  const gains = onlook
    ? sum.gained.filter((gain) => gain.ply >= 0).map((gain) =>
        h("li", {}, h("button", { type: "button", class: "link", onclick: () => onlook(gain.ply + 1) }, say("Move {n}", { n: gain.ply + 1 })), ` ${gain.points > 0 ? "+" : "−"}${Math.abs(gain.points)} `, h("span", { class: "soft" }, position.log[gain.ply]?.words ?? "")),
      )
    : [];
  return h(
    "div",
    { class: "sum" },
    h("table", {}, h("caption", {}, nameOf(position.info.seats[sum.seat])), h("tbody", {}, ...rows, whole)),
    gains.length > 0 && h("details", {}, h("summary", {}, say("When the points came")), h("ul", { class: "gains" }, ...gains)),
  );
}

/** Open the sums, a seat's first. */
export async function openSums(table: string, position: Whole, first: number, onlook: (ply: number) => void): Promise<void> {
  const body = h("div", { class: "sums" }, h("p", { role: "status" }, say("Counting …")));
  const close = showDialog(say("Why this score?"), body);
  try {
    const sums = await askSums(table, position.seat ?? -1);
    const look = (ply: number): void => {
      close();
      onlook(ply);
    };
    const n = sums.length;
    const inOrder = sums.map((_, i) => sums[(first + i) % n]!);
    fill(body, ...inOrder.map((sum) => sumTable(position, sum, look)));
  } catch (error) {
    fill(body, h("p", { role: "alert" }, error instanceof Refusal ? error.reason : String(error)));
  }
}
