"""The tree of a search: a pool of nodes in one array, and what is kept of it for the next thought."""

from __future__ import annotations

import numpy as np

from mandalier.games.kernel import Array, rule

NODE = np.dtype(
    [
        ("first", "i4"),  # its first child, 0 for none
        ("next", "i4"),  # the next child of its parent
        ("move", "i4"),  # the move that leads to it
        ("seat", "i4"),  # who makes that move
        ("visits", "i4"),
        ("seen", "i4"),  # how often the move was possible when its parent was visited
        ("prior", "f8"),  # how likely the move looked before it was searched; below 0: overlooked
        ("total", "f8"),  # the sum of what it was worth to the seat that makes it
        ("win", "f8"),  # of that seat's chances to win
        ("lead", "f8"),  # of its leads in points
    ],
    align=True,
)
"""A node of the tree. No child is ever node 0, so 0 stands for none."""

USED, MARK, ROOT = 0, 1, 2
"""Where a search counts its nodes in use, the mark that counts now, and the root."""


@rule
def keep_below(nodes: Array, counts: Array, place: Array, root: int) -> None:
    """Move a node and all below it to the front of the pool, in their order, as the root and its
    tree; all others are forgotten.

    A child always stands behind its parent, so one walk through the pool finds all that stay.
    `place` is full of zeros, and is again at the end."""
    used = int(counts[USED])
    place[root] = 1
    for i in range(root, used):
        if place[i] != 0:
            child = int(nodes[i].first)
            while child != 0:
                place[child] = 1
                child = int(nodes[child].next)
    n = 0
    for i in range(root, used):
        if place[i] != 0:
            place[i] = n
            n += 1
    nodes[root].next = 0
    for i in range(root, used):
        to = int(place[i])
        if i == root or to != 0:
            nodes[to] = nodes[i]
            if nodes[to].first != 0:
                nodes[to].first = place[nodes[to].first]
            if nodes[to].next != 0:
                nodes[to].next = place[nodes[to].next]
    for i in range(root, used):
        place[i] = 0
    counts[USED] = n
    counts[ROOT] = 0
