"""Bots for dice: a search over icons, aims and strengths, and the peer it is measured against.

    from mandalier.search import strokes
    strokes.think(state.view(0), Budget(ms=1000), seed=7)
    strokes.think(state.view(0), Budget(iterations=500), seed=7, mastery=0.5, liking="F")

mind.py says what hands are worth, quick.py plays on quickly, takes.py searches what to collect,
picture.py solves the exhibition; thinker.py puts them together on a desk (desk.py) and facts.py
says why. levels.py has the levels, aimer.py the peer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mandalier.games.engine import Engine
from mandalier.games.errors import MandalierError
from mandalier.games.game import View, check_seed
from mandalier.games.words import say
from mandalier.search.bot import NO_LIMIT, Budget, Thought, check_view
from mandalier.search.strokes.aimer import Aimer
from mandalier.search.strokes.desk import Clock, Desk, Style
from mandalier.search.strokes.levels import LEVELS
from mandalier.search.strokes.thinker import think_of

OWN = Budget(ms=1000)
"""What it takes without a budget."""


def think(
    view: View,
    budget: Budget = NO_LIMIT,
    seed: int = 0,
    *,
    engine: Engine | None = None,
    by: str = "strokes",
    **style: Any,
) -> Thought:
    """A thought about a move of dice, in a style (see desk.Style). With a budget of iterations,
    the same seed gives the same thought. It searches compiled unless another engine is given."""
    check_view(view)
    if view.game.name != "dice":
        raise MandalierError(say("the bot {name} plays dice only", name=by))
    clock = Clock(budget.or_else(OWN))
    desk = Desk(view, check_seed(seed), Style(**style), engine or view.game.fastest)
    return replace(think_of(desk, clock), by=by)


def think_as(
    level: str, view: View, budget: Budget = NO_LIMIT, seed: int = 0, personality: int = 0
) -> Thought:
    """A thought of this level of dice (see levels.py), with its own budget unless one is given."""
    found = LEVELS[level]
    by = f"{level}:{personality}" if personality else level
    return think(view, budget.or_else(found.budget), seed, by=by, **found.style_of(personality))


class Strokes:
    """The search as a bot: "strokes", or "strokes:2000" with as many iterations."""

    def __init__(self, name: str = "strokes") -> None:
        self.name = name
        _, colon, number = name.partition(":")
        if colon and not (number.isdecimal() and int(number) > 0):
            raise MandalierError(
                say("a bot {name} is called with a number of iterations, like strokes:2000",
                    name=repr(name))
            )  # fmt: skip
        self.own = Budget(iterations=int(number)) if colon else OWN

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        return think(view, budget.or_else(self.own), seed, by=self.name)


__all__ = ["LEVELS", "Aimer", "Strokes", "Style", "think", "think_as"]
