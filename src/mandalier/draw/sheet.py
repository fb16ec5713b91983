"""What a drawing is given, and what it gives."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

from mandalier.draw.style import Theme
from mandalier.draw.svg import Node, Part, Written, write
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

    @cached_property
    def tall(self) -> bool:
        return self.arrangement == "tall"

    @cached_property
    def manner(self) -> tuple[str, bool, str]:
        """What all parts depend on."""
        return self.theme.name, self.tall, spoken()

    def has_won(self, seat: int) -> bool:
        return bool(self.winners >> seat & 1)

    def moves_now(self, seat: int) -> bool:
        return bool(self.waiting >> seat & 1)


MOST_KEPT = 1 << 12
_kept: dict[Any, str] = {}
"""Parts as they were written before: from one position to the next most stay as they are."""
_kept_before: dict[Any, str] = {}
"""Those of the time before: what is wanted again is kept on."""


class Kept(Part):
    """A part that is written once for the same inputs, and kept."""

    __slots__ = ("_draw", "_given", "_key", "_sheet")

    def __init__(
        self, draw: Callable[..., Node], sheet: Sheet, given: tuple[Any, ...], key: Any
    ) -> None:
        self._draw = draw
        self._sheet = sheet
        self._given = given
        self._key = key

    @property
    def text(self) -> str:
        global _kept, _kept_before
        found = _kept.get(self._key)
        if found is None:
            found = _kept_before.get(self._key)
            if found is None:
                found = str(write(self._draw(self._sheet, *self._given)))
            if len(_kept) >= MOST_KEPT:
                _kept_before, _kept = _kept, {}
            _kept[self._key] = found
        return found

    @property
    def mark(self) -> int:
        # not of the key itself: −1 and −2, and numbers far apart, have one hash
        return hash(marshal.dumps(self._key, 2))


def kept(inputs: Callable[..., Any]) -> Callable[[Callable[..., Node]], Callable[..., Kept]]:
    """Mark what draws a part: it is written once for the same inputs, and kept.

    `inputs` is given what the part is given, the sheet first, and tells all that the part depends on
    besides the theme, the arrangement, the language and the other arguments. A test draws every
    position of many games both ways, so that none is forgotten.
    """

    def mark(draw: Callable[..., Node]) -> Callable[..., Kept]:
        name = f"{draw.__module__}.{draw.__qualname__}"

        @wraps(draw)
        def drawn(sheet: Sheet, *given: Any) -> Kept:
            return Kept(draw, sheet, given, (name, sheet.manner, given, inputs(sheet, *given)))

        return drawn

    return mark


@dataclass(frozen=True)
class Drawn:
    """A drawing: its size, what is defined once, and what is to be seen."""

    width: int
    height: int
    defined: Written
    shown: Sequence[Node]
