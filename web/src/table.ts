// A table where a game is played.

import { drawing, fill, h } from "./dom";
import { watch, type Whole } from "./socket";

/** Show a table whose game has begun; the result takes it away again. */
export function mountTable(element: HTMLElement, table: string): () => void {
  const board = h("div", { class: "board" });
  fill(element, board);
  return watch(table, {
    position(position: Whole): void {
      const view = position.view;
      if (view?.form === "picture") fill(board, drawing(view.svg));
    },
  });
}
