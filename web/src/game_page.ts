import { fill, h } from "./dom";

export function mountGame(element: HTMLElement): void {
  fill(element, h("h1", {}, "Mandalier"));
}
