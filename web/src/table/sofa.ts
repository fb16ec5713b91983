// Sofa mode: the shared board on a big screen, without anybody's secrets; hands are on phones.

import { h } from "../dom";
import type { Whole } from "../socket";
import { say } from "../texts";

export const isSofa = (): boolean => new URLSearchParams(location.search).has("sofa");

/** How to bring a phone to the table. */
export function invitation(table: string, position: Whole): HTMLElement {
  const link = `${location.origin}/t/${table}`;
  const seats = position.info.seats.filter((seat) => seat.kind === "person").length;
  return h(
    "aside",
    { class: "sofa" },
    h("img", { src: `/qr.svg?path=/t/${table}`, alt: say("A code that opens this table on a phone"), width: 132, height: 132 }),
    h("p", {}, seats ? say("Hands are on phones: scan, and play there.") : say("Scan to play on a phone.")),
    h("p", { class: "soft" }, link.replace(/^https?:\/\//, "")),
  );
}
