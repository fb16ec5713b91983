"""What a drawing is given, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mandalier.draw.style import Theme
from mandalier.draw.svg import Node, Written
from mandalier.games.contract import SPECTATOR

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


@dataclass(frozen=True)
class Drawn:
    """A drawing: its size, what is defined once, and what is to be seen."""

    width: int
    height: int
    defined: Written
    shown: Sequence[Node]
