"""What a drawing is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

from mandalier.draw.style import Theme
from mandalier.draw.svg import Node, Written, write
from mandalier.games.contract import SPECTATOR
from mandalier.games.words import spoken

Path = list[str]
"""Ids to click, in order."""


@dataclass(frozen=True)
class Sheet:
    """What a drawing is to be made for."""

    s: Any  # the hidden state, as a twin
    seat: int  # whose view it is, or SPECTATOR
    theme: Theme
    arrangement: str
    names: tuple[str, ...]  # of the seats
    waiting: int  # bit i: seat i may move now
    points: list[int]  # of the seats, as far as the viewer knows them
    winners: int  # bit i: seat i has won, at the end of the game

    @cached_property
    def near(self) -> int:
        """The seat at the bottom."""
        return 0 if self.seat == SPECTATOR else self.seat

    @cached_property
    def around(self) -> list[int]:
        """The seats, from the one at the bottom clockwise."""
        n = self.s.seats
        return [(self.near + i) % n for i in range(n)]

    @property
    def tall(self) -> bool:
        return self.arrangement == "tall"

    def has_won(self, seat: int) -> bool:
        return bool(self.winners >> seat & 1)

    def moves_now(self, seat: int) -> bool:
        return bool(self.waiting >> seat & 1)


MOST_KEPT = 1 << 13
_kept: dict[Any, Written] = {}
"""Parts as they were written before: from one position to the next most stay as they are."""


def kept(inputs: Callable[..., Any]) -> Callable[[Callable[..., Node]], Callable[..., Node]]:
    """Mark what draws a part: it is written once for the same inputs, and kept.

    `inputs` is given what the part is given, the sheet first, and tells all that the part depends on
    besides the theme, the arrangement, the language and the other arguments. A test draws every
    position of many games both ways, so that none is forgotten.
    """

    def mark(draw: Callable[..., Node]) -> Callable[..., Node]:
        @wraps(draw)
        def drawn(sheet: Sheet, *given: Any) -> Written:
            key = (draw, sheet.theme.name, sheet.tall, spoken(), given, inputs(sheet, *given))
            found = _kept.get(key)
            if found is None:
                if len(_kept) >= MOST_KEPT:
                    _kept.clear()
                found = _kept[key] = write(draw(sheet, *given))
            return found

        return drawn

    return mark


@dataclass(frozen=True)
class Drawn:
    """A drawing: its size, what is defined once, and what is to be seen."""

    width: int
    height: int
    defined: Written
    shown: Sequence[Node]
