"""Views as JSON, written by rules.

`describe` tells a view as plain data, for programs. A server that plays thousands of moves a second
would spend a third of its time on that, so a game may provide the slot `sketch` too, which writes the
same from the record itself. It is given a hidden record, so it cannot tell more than a view.
"""

from __future__ import annotations

import numpy as np

from mandalier.games.contract import hide, sketch
from mandalier.games.kernel import Array, count_of, rule

LONGEST = 4096
"""Bytes that a sketch may take."""
DIGIT = ord("0")
MINUS = ord("-")
QUOTE = ord('"')


def words(text: str) -> Array:
    """A text as the bytes that `put` writes."""
    return np.frombuffer(text.encode(), "u1")


NULL, TRUE, FALSE = words("null"), words("true"), words("false")


@rule
def sketch_at(states: Array, i: int, hidden: Array, seat: int, out: Array) -> int:
    """Write what a seat (or SPECTATOR) may know of a state; `hidden` is room for one state."""
    hidden[0] = states[i]
    hide(hidden[0], seat)
    return sketch(hidden[0], out)


@rule
def put(out: Array, n: int, text: Array) -> int:
    """Write a text after the first n bytes; return the new n."""
    for i in range(len(text)):
        out[n + i] = text[i]
    return n + len(text)


@rule
def put_number(out: Array, n: int, number: int) -> int:
    """Write a whole number."""
    if number < 0:
        out[n] = MINUS
        return put_number_from(out, n + 1, -number)
    return put_number_from(out, n, number)


@rule
def put_number_from(out: Array, n: int, number: int) -> int:
    scale = 1
    while number // scale > 9:
        scale *= 10
    while scale > 0:
        out[n] = DIGIT + number // scale % 10
        n += 1
        scale //= 10
    return n


@rule
def put_number_or_null(out: Array, n: int, number: int, there: bool) -> int:
    """Write a whole number, or null where there is none."""
    return put_number(out, n, number) if there else put(out, n, NULL)


@rule
def put_flag(out: Array, n: int, flag: int) -> int:
    """Write true or false."""
    return put(out, n, TRUE) if flag != 0 else put(out, n, FALSE)


@rule
def put_pile(out: Array, n: int, pile: int, letters: Array) -> int:
    """Write a pile as letters, in quotes."""
    out[n] = QUOTE
    n += 1
    for i in range(len(letters)):
        for _ in range(count_of(pile, i)):
            out[n] = letters[i]
            n += 1
    out[n] = QUOTE
    return n + 1
