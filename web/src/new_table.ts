import { fill, h } from "./dom";

export function mountNewTable(element: HTMLElement): void {
  fill(element, h("h1", {}, "Mandalier"));
}
