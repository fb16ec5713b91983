"""Facts of a game that a move changes, in words: what explanations are made of.

A game may have a module of its name here, with `facts(s, seat, move)`: s is a twin hidden for the
seat, and the move one of its legal moves. Nothing a fact says may come from beyond the hidden state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a move brings about, or gives away."""

    key: str
    """What it is about. Facts of two moves with one key are compared by their weights."""
    weight: float
    """What it may be worth to the seat that moves, about, in points; below 0 if it costs."""
    text: str
    """In words that begin with a verb, so that a move may stand before: "completes mandala 2"."""


FactsOf = Callable[[Any, int, int], list[Fact]]


@cache
def facts_of(module: ModuleType) -> FactsOf:
    """The function that finds the facts of a game's moves; for a game without, one that finds
    none."""
    name = f"{__name__}.{module.__name__.rpartition('.')[2]}"
    if find_spec(name) is None:
        return lambda s, seat, move: []
    found: FactsOf = import_module(name).facts
    return found
