import { fill, h } from "./dom";

export function mountYou(element: HTMLElement): void {
  fill(element, h("h1", {}, "Mandalier"));
}
