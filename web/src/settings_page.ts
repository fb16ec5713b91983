import { fill, h } from "./dom";

export function mountSettings(element: HTMLElement): void {
  fill(element, h("h1", {}, "Mandalier"));
}
