// Choosing a move: from the tree of paths, by clicks, keys or a drag, to its preview, to sending it.

import type { Board } from "./board";
import { endsBelow, follow, isEnd, nextOf, pathTo, type End, type Tree } from "./paths";
import { Targets } from "./targets";

export interface Choice {
  /** What has been chosen so far: ids. */
  path: readonly string[];
  /** The move the pointed-at target would make, or the only one left. */
  end: End | null;
  /** What is pointed at. */
  pointed: string | null;
}

export interface Asker {
  changed(choice: Choice): void;
  send(move: string): void;
  /** Something was clicked that leads nowhere. */
  astray(clicks: readonly string[], id: string): void;
}

export class Moving {
  private tree: Tree = {};
  private path: string[] = [];
  private lifted: string[] | null = null;
  readonly targets: Targets;

  constructor(
    private readonly board: Board,
    private readonly asker: Asker,
  ) {
    this.targets = new Targets(board, {
      point: () => this.tell(),
      choose: (id, sure) => this.choose(id, sure),
      lift: (id) => this.lift(id),
      drop: (id) => this.drop(id),
      back: () => this.back(),
    });
    board.element.addEventListener("click", (event) => this.beside(event));
    board.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.back()) event.stopPropagation();
    });
  }

  get isOpen(): boolean {
    return Object.keys(this.tree).length > 0;
  }

  get isDragging(): boolean {
    return this.lifted !== null;
  }

  /** The legal moves now; none while it is nobody's turn here. */
  offer(tree: Tree): void {
    this.tree = tree;
    this.path = [];
    this.lifted = null;
    this.light();
  }

  /** Go one click back. */
  back(): boolean {
    if (!this.path.length) return false;
    const last = this.path.pop()!;
    const focused = this.targets.isFocused;
    this.light();
    if (focused) this.targets.focus(last);
    return true;
  }

  /** Show a move, as if its path had been clicked up to the last click. */
  suggest(move: string): void {
    const path = pathTo(this.tree, move);
    if (!path) return;
    const last = path.pop()!;
    this.path = path;
    this.light();
    this.targets.point(last);
    this.targets.focus(last);
  }

  /** Play what is previewed. */
  confirm(): void {
    const end = this.choice.end;
    if (end) this.asker.send(end.move);
  }

  get choice(): Choice {
    const { pointed } = this.targets;
    const next = pointed ? follow(this.tree, [...this.path, pointed]) : undefined;
    const ends = endsBelow(next);
    const moves = new Set(ends.map((end) => end.move));
    const sure = next && (isEnd(next) || moves.size === 1) ? ends[0]! : null;
    return { path: this.path, end: sure, pointed };
  }

  private light(): void {
    this.targets.set(nextOf(this.tree, this.path), this.path);
    this.tell();
  }

  private tell(): void {
    this.asker.changed(this.choice);
  }

  private choose(id: string, sure: boolean): void {
    const at = this.path.indexOf(id);
    if (at >= 0) {
      this.path.length = at; // once more: not this one
      this.light();
      this.targets.focus(id);
      return;
    }
    const next = follow(this.tree, [...this.path, id]);
    if (!next) return;
    if (isEnd(next)) {
      if (sure) this.asker.send(next.move);
      else this.tell();
      return;
    }
    const focused = this.targets.isFocused;
    this.path.push(id);
    this.light();
    if (focused) this.targets.focus();
  }

  private lift(id: string): boolean {
    if (this.path.includes(id)) return false;
    const next = follow(this.tree, [...this.path, id]);
    if (!next || isEnd(next)) return false;
    this.lifted = [...this.path];
    this.path.push(id);
    this.light();
    return true;
  }

  private drop(id: string | null): void {
    const before = this.lifted;
    this.lifted = null;
    if (id && follow(this.tree, [...this.path, id])) {
      this.choose(id, true);
      return;
    }
    if (before) this.path = before;
    this.light();
  }

  /** A click on something that is not lit. */
  private beside(event: MouseEvent): void {
    if ((event.target as Element).closest(".target")) return;
    const ids = this.board.at(event.clientX, event.clientY);
    const open = new Set(nextOf(this.tree, this.path));
    const lit = ids.find((id) => open.has(id));
    if (lit) {
      this.choose(lit, this.targets.pointed === lit);
      this.targets.point(lit);
      return;
    }
    if (ids[0]) this.asker.astray(this.path, ids.find((id) => this.board.title(id)) ?? ids[0]);
    else this.back();
  }
}
