"""The bots at a table in the terminal: made by name, got ready, asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mandalier.cli import common
from mandalier.games.game import Game, View, check_seed
from mandalier.games.words import say
from mandalier.lab.match import Entrant
from mandalier.search.bot import (
    BY_ITERATIONS,
    MAKERS,
    NO_LIMIT,
    OF_THE_HOUSE,
    Bot,
    Budget,
    Thought,
    bot,
)
from mandalier.search.glance import BOTS
from mandalier.search.warm import warm_up
from mandalier.search.why import reasons

if TYPE_CHECKING:
    from rich.console import Console

    from mandalier.games.kernel import WarmUp

OPPONENTS = ("journeyman", "eager")
"""Who sits at the other seats if nobody is named: the first of these that is there."""
HINTERS = ("master", "mcts:2000")
"""Who gives hints: the first that is there."""
HINT_MS = 1000.0
SHOWN = 5  # candidates of a hint


def first_there(names: Sequence[str]) -> str:
    """The first of these bots that is there."""
    return next(name for name in names if name.partition(":")[0] in MAKERS)


def names_of_bots() -> list[str]:
    """How bots are called, for a list."""
    return [
        *(f"{name}:1000" if name in BY_ITERATIONS else name for name in MAKERS),
        "program:COMMAND",
    ]


def looks_ahead(name: str) -> bool:
    """Whether a bot searches, and so wants compiled rules."""
    kind = name.partition(":")[0]
    return kind not in BOTS and kind not in OF_THE_HOUSE


class Players:
    """The bots of one table. Those that search get ready in another process meanwhile."""

    def __init__(
        self, found: Game, seats: Sequence[str | None], screen: Console, think_ms: float | None
    ) -> None:
        """One name a seat, which may have a budget of its own (master@500ms); None for a person."""
        self.screen = screen
        self.budget = NO_LIMIT if think_ms is None else Budget(ms=think_ms)
        self.hinter = first_there(HINTERS)
        self._game = found
        self._named: dict[str, Bot] = {}
        self._entrants = {
            seat: Entrant.of(name, self.budget) for seat, name in enumerate(seats) if name
        }
        self._at = {seat: self._made(who.name) for seat, who in self._entrants.items()}
        waited_for = {who.name for who in self._entrants.values() if looks_ahead(who.name)}
        self._warm_up: WarmUp | None = None
        if waited_for:
            hints = [self.hinter] if None in seats else []
            self._warm_up = warm_up(found, sorted({*waited_for, *hints}))
        else:
            found.warm_up()

    def _made(self, name: str) -> Bot:
        """A bot of this name: programs run once for each seat, the others are shared."""
        if name.partition(":")[0] in OF_THE_HOUSE:
            return bot(name, of_the_house=True)
        if name not in self._named:
            self._named[name] = bot(name)
        return self._named[name]

    def think(self, view: View, seed: int) -> Thought:
        """What the bot at the view's seat does."""
        entrant = self._entrants[view.seat]
        if looks_ahead(entrant.name):
            self._get_ready()
        who = say("seat {seat} ({who})", seat=view.seat, who=entrant.title)
        with common.patience(self.screen, say("{who} is thinking", who=who)):
            return self._at[view.seat].think(view, entrant.budget, check_seed(seed))

    def hint(self, view: View, seed: int) -> Thought:
        """What the hinting bot would do in the place of the view's seat, and why."""
        self._get_ready()
        with common.patience(self.screen, say("{who} is thinking", who=self.hinter)):
            self._game.load()
            budget = self.budget if self.budget.ms else Budget(ms=HINT_MS)
            return self._made(self.hinter).think(view, budget, check_seed(seed))

    def _get_ready(self) -> None:
        """Wait for the compiled rules, once."""
        if self._warm_up is not None:
            with common.patience(self.screen, say("getting ready (rules compile once)")):
                self._warm_up.wait()
            self._warm_up = None
        self._game.load()

    def replace(self, seat: int, name: str) -> None:
        """Put another bot at a seat."""
        self._entrants[seat] = Entrant.of(name)
        self._at[seat] = self._made(name)

    def close(self) -> None:
        """End the programs that play."""
        for one in self._at.values():
            if close := getattr(one, "close", None):
                close()


def why(view: View, thought: Thought, seat: int) -> tuple[str, ...]:
    """Why a bot made its move, for somebody who sees this view: from that view alone, unless it is
    the bot's own."""
    if view.seat == seat:
        return thought.why or reasons(view, thought.candidates, thought.move)
    return reasons(view, (), thought.move, seat)
