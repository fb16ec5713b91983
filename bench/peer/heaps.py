"""Heaps, the small game both servers are measured with: `heaps.js` has it for boardgame.io.

Nine heaps of twenty pebbles. On your turn take one to three from a heap. Who takes the last pebble
wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mandalier.games.contract import COMMON, NO_BANK
from mandalier.games.kernel import Array, Record, rule, seed_generator
from mandalier.games.position import Paint
from mandalier.games.sketch import put, put_number, words

TITLE = "Heaps"
CREDIT = "everybody's"
RULES = 1
SEATS = range(2, 3)
REASONS = ("empty",)
HEAPS = 9
PEBBLES = 20
MOST = 3
MOVES = HEAPS * MOST

STATE = np.dtype(
    [
        *COMMON,
        ("turn", "i1"),  # the seat to move
        ("left", "i2"),  # pebbles on all heaps
        ("heap", "i1", (HEAPS,)),  # [heap] pebbles on it
    ],
    align=True,
)


@rule
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.seats = seats


@rule
def lay_out(s: Record) -> None:
    s.left = HEAPS * PEBBLES
    for i in range(HEAPS):
        s.heap[i] = PEBBLES


@rule
def waiting(s: Record) -> int:
    return 0 if s.over != 0 else 1 << int(s.turn)


@rule
def legal(s: Record, seat: int, out: Array) -> int:
    if s.over != 0 or seat != s.turn:
        return 0
    n = 0
    for i in range(HEAPS):
        for taken in range(1, min(MOST, int(s.heap[i])) + 1):
            out[n] = i * MOST + taken - 1
            n += 1
    return n


@rule
def play(s: Record, seat: int, move: int) -> None:
    taken = move % MOST + 1
    s.heap[move // MOST] -= taken
    s.left -= taken
    if s.left == 0:
        s.over = 1
    else:
        s.turn = 1 - s.turn


@rule
def roll(s: Record, bank: Array) -> None:
    s.chance = 0


@rule
def resume(s: Record) -> None:
    s.chance = 0


@rule
def score(s: Record, out: Array) -> int:
    for seat in range(2):
        out[seat] = 0
    if s.over == 0:
        return 0
    out[s.turn] = 1
    return 1 << int(s.turn)


@rule
def appraise(s: Record, out: Array) -> None:
    for seat in range(2):
        out[seat] = 0


@rule
def hide(s: Record, seat: int) -> None:
    for i in range(4):
        s.rng[i] = 0
    s.viewer = 1 + seat


@rule
def imagine(s: Record, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.viewer = 0


@rule
def reshuffle(s: Record, seed: int) -> None:
    seed_generator(s, seed, 0)


MOVE_TEXTS = tuple(f"{heap} {taken + 1}" for heap in range(HEAPS) for taken in range(MOST))
MOVE_NUMBERS = {text: move for move, text in enumerate(MOVE_TEXTS)}
CODECS: Mapping[str, Any] = {}


def goal() -> str:
    return "Take one to three pebbles from a heap. Who takes the last one wins."


def help_texts() -> dict[str, str]:
    return {"4 2": "take two pebbles from heap 4"}


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    if given:
        raise ValueError("heaps has no options")
    return {}


def apply_options(s: Any, options: Mapping[str, Any]) -> None:
    pass


def bank() -> Any:
    return NO_BANK


def text(s: Any, move: int) -> str:
    return MOVE_TEXTS[move]


def parse(text: str) -> tuple[int, Sequence[int]]:
    if text not in MOVE_NUMBERS:
        raise ValueError("a move looks like 4 2")
    return MOVE_NUMBERS[text], ()


def prepare(s: Any, arguments: Sequence[int]) -> None:
    pass


def setup(s: Any) -> dict[str, Any]:
    return {}


def set_up(s: Any, seats: int, setup: Mapping[str, Any]) -> None:
    s.seats = seats


def chance_text(s: Any) -> str:
    return ""


def set_chance(s: Any, text: str) -> None:
    raise ValueError("there is no chance in heaps")


def describe(s: Any) -> dict[str, Any]:
    return {"turn": s.turn, "heaps": list(s.heap)}


TURN, LYING, BETWEEN, LAST = words('"turn":'), words(',"heaps":['), words(","), words("]")


@rule
def sketch(s: Record, out: Array) -> int:
    n = put_number(out, put(out, 0, TURN), s.turn)
    n = put(out, n, LYING)
    for i in range(HEAPS):
        if i > 0:
            n = put(out, n, BETWEEN)
        n = put_number(out, n, s.heap[i])
    return put(out, n, LAST)


def sums(s: Any, seat: int) -> list[tuple[str, int]]:
    return []


def refusal(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    return "that heap has not so many pebbles"


def explain(s: Any, seat: int, move: int) -> str:
    return f"take {move % MOST + 1} from heap {move // MOST}"


def board(s: Any, paint: Paint) -> list[str]:
    return [" ".join(map(str, s.heap))]


def fault(s: Any) -> str:
    return ""
