"""Bots: what they are given, what they answer, and how they are called by name.

A bot is given a `View`, so it can know no more than a seat may, and a `Budget`; it answers with a
`Thought`: its move, what it expects of each candidate, and why.

    from mandalier.search.bot import Budget, bot
    thought = bot("master").think(state.view(0), Budget(ms=500), seed=7)
    thought.move, thought.candidates[0].win, thought.why
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from mandalier.games.errors import MandalierError
from mandalier.games.game import View
from mandalier.games.words import listed_or, say


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a bot may think: so many milliseconds, so many iterations of its search, or until
    the first of both. With neither it takes what is its own."""

    ms: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("ms", self.ms), ("iterations", self.iterations)):
            if value is not None and not value > 0:
                raise MandalierError(
                    say("a budget is above 0: {name} is {value}", name=name, value=value)
                )

    def or_else(self, own: Budget) -> Budget:
        """This budget, or where it says nothing at all, the bot's own."""
        return own if self.ms is None and self.iterations is None else self


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a bot expects of one move, for the seat that thinks."""

    move: str
    win: float
    """The chance to win, 0 to 1; a shared win counts as its share."""
    lead: float
    """Expected points at the end, less those of the best other seat."""
    visits: int = 0
    """How often the search looked at it."""
    line: tuple[str, ...] = ()
    """The play it expects after it, as entries of a record: "1 m2g"."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A bot's answer."""

    move: str
    candidates: tuple[Candidate, ...] = ()
    """What was considered, the best first. Bots that do not look ahead have none."""
    why: tuple[str, ...] = ()
    """The two or three facts of the game that make the difference, in words."""
    iterations: int = 0
    by: str = ""
    """The name of the bot."""


NO_LIMIT = Budget()


class Bot(Protocol):
    """Anything that can think. It only ever sees a view."""

    name: str

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        """Choose a move for the seat whose view this is. With a budget of iterations, or none,
        the same seed gives the same thought."""


def check_view(view: Any) -> View:
    """See that this is a view in which its seat may move: a full state is refused."""
    if not isinstance(view, View):
        raise TypeError(
            f"a bot is given a View, not a {type(view).__name__}: call state.view(seat)"
        )
    s = view.look()
    if not view.game.module.waiting(s) >> view.seat & 1:
        raise MandalierError(say("it is not the turn of seat {seat}", seat=view.seat))
    return view


LEVELS = ("novice", "apprentice", "journeyman", "adept", "expert", "master")
"""The levels, the weakest first; each plays every game."""

# Bots by name. A maker is given what stands after the colon of a name such as "mcts:1000".
Maker = Callable[[str], Bot]
MAKERS: dict[str, tuple[str, str]] = {
    "random": ("mandalier.search.glance", "Glance"),
    "greedy": ("mandalier.search.glance", "Glance"),
    "eager": ("mandalier.search.glance", "Glance"),
    "mcts": ("mandalier.search.searcher", "Plain"),
    "net": ("mandalier.search.searcher", "Plain"),
    "aimer": ("mandalier.search.strokes", "Aimer"),
    "strokes": ("mandalier.search.strokes", "Strokes"),
    **dict.fromkeys(LEVELS, ("mandalier.search.levels", "AtLevel")),
}
"""[name] the module and the class that make it, called with the whole name."""

BY_ITERATIONS = ("mcts", "net")
"""Those whose name tells their iterations, as in "mcts:1000"."""

OF_THE_HOUSE: dict[str, tuple[str, str]] = {
    "program": ("mandalier.search.program", "Program"),
}
"""Those that only who runs mandalier may name, and never a guest: a name that is a command runs on
this machine."""


def bot(name: str, *, of_the_house: bool = False) -> Bot:
    """The bot of this name: "random", "mcts:1000", "master" …

    With `of_the_house` also "program:COMMAND", which runs the command. Names that come from somebody
    else must never be given so.
    """
    kind, _, _ = name.partition(":")
    makers = {**MAKERS, **OF_THE_HOUSE} if of_the_house else MAKERS
    if kind not in makers:
        bots = listed_or(list(makers))
        raise MandalierError(
            say("there is no bot {name}; it is {bots}", name=repr(name), bots=bots)
        )
    module, maker = makers[kind]
    made: Bot = getattr(import_module(module), maker)(name)
    return made


def bot_move(view: View, name: str, seed: int | None = None) -> str:
    """The move a bot plays for the seat whose view this is; the same seed, the same move."""
    from mandalier.games.game import check_seed

    return bot(name).think(view, seed=check_seed(seed)).move
