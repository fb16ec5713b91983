"""Compile, into the cache, what bots need for a game: run as a process of its own, while the table
is set and people think about their first move.

    python -m mandalier.search.warm sand master mcts:1000
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mandalier.games.errors import MandalierError
from mandalier.games.game import Game, deal, game
from mandalier.games.kernel import WarmUp, can_compile, wait_turn
from mandalier.search.bot import Budget, bot

MODULE = "mandalier.search.warm"


def warm(found: Game, names: Sequence[str]) -> None:
    """Have each bot think about a move of the game, in as little time as it can."""
    found.load()
    for name in names:
        state = deal(found.name, seed=0)
        try:
            bot(name).think(state.view(state.waiting[0]), Budget(iterations=1))
        except MandalierError:
            continue  # it will say so itself when it is asked


def warm_up(found: Game, names: Sequence[str]) -> WarmUp | None:
    """Warm up in another process, then load the game here; None where nothing can be compiled."""
    if not names or not can_compile():
        return None
    return WarmUp([found.name, *names], found.load, MODULE)


if __name__ == "__main__":
    wait_turn(sys.argv[1])
    warm(game(sys.argv[1]), sys.argv[2:])
