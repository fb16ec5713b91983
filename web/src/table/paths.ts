// A move is a path of clicks: the legal moves as a tree of ids (see docs/protocol.md). No path is the
// beginning of another one, so a path that has come to an end is a move.

export interface End {
  move: string;
  says?: string;
}
export interface Tree {
  [id: string]: Tree | End;
}

export const isEnd = (node: Tree | End | undefined): node is End => typeof node?.["move"] === "string";

/** Where a path leads; undefined if nowhere. */
export function follow(tree: Tree, path: readonly string[]): Tree | End | undefined {
  let node: Tree | End | undefined = tree;
  for (const id of path) {
    if (!node || isEnd(node)) return undefined;
    node = node[id];
  }
  return node;
}

/** The ids that may be clicked next. */
export function nextOf(tree: Tree, path: readonly string[]): string[] {
  const node = follow(tree, path);
  return node && !isEnd(node) ? Object.keys(node) : [];
}

/** The first path to a move. */
export function pathTo(node: Tree | End, move: string): string[] | null {
  if (isEnd(node)) return node.move === move ? [] : null;
  for (const [id, below] of Object.entries(node)) {
    const rest = pathTo(below, move);
    if (rest) return [id, ...rest];
  }
  return null;
}

/** All moves below a node. */
export function endsBelow(node: Tree | End | undefined): End[] {
  if (!node) return [];
  return isEnd(node) ? [node] : Object.values(node).flatMap(endsBelow);
}
