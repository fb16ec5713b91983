"""One line of text for a state, which parses back to the same bytes.

``sand turn=1 hand=rroygp/oykkgp …``: the game, then ``field=value`` for each field of the record
that is not at its default. Numbers are written plainly and lists row by row (``1,2/3,4``); a game
names a *codec* for a field that reads better in letters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from mandalier.games.contract import MAX_SEATS, SPECTATOR
from mandalier.games.errors import PositionError
from mandalier.games.kernel import Twin, count_of, new_states, to_row
from mandalier.games.words import say

Paint = Callable[[str, str], str]
"""paint(text, name of a colour or style) → the text as it shall appear."""

SEPARATORS = (",", "/", "|", ";")


def plain(text: str, style: str) -> str:
    """The paint that adds nothing."""
    return text


class Codec(Protocol):
    """How one field is written. A codec may write further fields along (`covers`)."""

    covers: tuple[str, ...]

    def write(self, s: Twin, name: str) -> str | None:
        """The field's text; None at its default."""

    def read(self, s: Twin, name: str, text: str) -> None: ...


def _write_rows(value: Any, leaf: Callable[[Any], str], depth: int) -> str:
    if depth == 0:
        return leaf(value)
    return SEPARATORS[depth - 1].join(_write_rows(row, leaf, depth - 1) for row in value)


def _read_rows(text: str, leaf: Callable[[str], Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return leaf(text)
    parts = text.split(SEPARATORS[len(shape) - 1])
    if len(parts) != shape[0]:
        raise ValueError(say("{all} parts are needed here, not {n}", all=shape[0], n=len(parts)))
    return [_read_rows(part, leaf, shape[1:]) for part in parts]


def _read_number(text: str) -> int:
    if not text.lstrip("-").isdecimal() or text != str(int(text)):
        raise ValueError(say("{text} is no whole number", text=repr(text)))
    return int(text)


def _shape(s: Twin, name: str) -> tuple[int, ...]:
    return s.dtype[name].shape


class Numbers:
    """Plain numbers, row by row; left out when all are zero."""

    covers: tuple[str, ...] = ()

    def write(self, s: Twin, name: str) -> str | None:
        value = getattr(s, name)
        if not np.any(value):
            return None
        return _write_rows(value, str, len(_shape(s, name)))

    def read(self, s: Twin, name: str, text: str) -> None:
        setattr(s, name, _read_rows(text, _read_number, _shape(s, name)))


@lru_cache(maxsize=1 << 16)
def letters_of(pile: int, letters: str) -> str:
    """A pile as letters: counts 2, 0, 1 of "roy" are "rry"."""
    return "".join(letter * count_of(pile, i) for i, letter in enumerate(letters))


def pile_of(text: str, letters: str) -> int:
    """Letters as a pile: the inverse of `letters_of`."""
    return sum(1 << 8 * _index(letter, letters) for letter in text)


class Counts:
    """Piles (see kernel.py) as letters, "-" for an empty one.

    `total` names a field with the size of each pile: one that is hidden is then written "?5".
    """

    def __init__(self, letters: str, total: str = "") -> None:
        self.letters = letters
        self.total = total
        self.covers: tuple[str, ...] = (total,) if total else ()

    def write(self, s: Twin, name: str) -> str | None:
        value = getattr(s, name)
        if self.total:
            totals = getattr(s, self.total)
            return ",".join(self._pile(pile, n) for pile, n in zip(value, totals, strict=True))
        return _write_rows(value, self._pile, len(_shape(s, name))) if np.any(value) else None

    def _pile(self, pile: int, total: int = 0) -> str:
        if total and not pile:
            return f"?{total}"
        return letters_of(pile, self.letters) or "-"

    def _read_pile(self, text: str) -> int:
        return 0 if text == "-" or text.startswith("?") else pile_of(text, self.letters)

    def read(self, s: Twin, name: str, text: str) -> None:
        shape = _shape(s, name)
        setattr(s, name, _read_rows(text, self._read_pile, shape))
        if self.total:
            setattr(s, self.total, _read_rows(text, self._read_total, shape))

    def _read_total(self, text: str) -> int:
        return _read_number(text[1:]) if text.startswith("?") else len(text.replace("-", ""))


class Numerals(Numbers):
    """Piles as six numbers with points between them, for large ones: "17.17.18.18.16.16"."""

    def write(self, s: Twin, name: str) -> str | None:
        value = getattr(s, name)
        return _write_rows(value, self._pile, len(_shape(s, name))) if np.any(value) else None

    def _pile(self, pile: int) -> str:
        return ".".join(str(count_of(pile, i)) for i in range(6))

    def _read_pile(self, text: str) -> int:
        counts = [_read_number(part) for part in text.split(".")]
        if len(counts) != 6 or not all(0 <= n < 128 for n in counts):
            raise ValueError(say("six numbers from 0 to 127 are needed"))
        return sum(n << 8 * i for i, n in enumerate(counts))

    def read(self, s: Twin, name: str, text: str) -> None:
        setattr(s, name, _read_rows(text, self._read_pile, _shape(s, name)))


class Deck:
    """The first `total` entries of a list as letters, the last one first; "?88" when hidden."""

    def __init__(self, letters: str, total: str) -> None:
        self.letters = letters
        self.total = total
        self.covers = (total,)

    def write(self, s: Twin, name: str) -> str | None:
        n = getattr(s, self.total)
        if s.viewer and n:  # type: ignore[attr-defined]
            return f"?{n}"
        return "".join(self.letters[i] for i in reversed(getattr(s, name)[:n])) or None

    def read(self, s: Twin, name: str, text: str) -> None:
        pile = [0] * _shape(s, name)[0]
        if text.startswith("?"):
            n = _read_number(text[1:])
        else:
            n = len(text)
            pile[:n] = [_index(letter, self.letters) for letter in reversed(text)]
        if n > _shape(s, name)[0]:
            raise ValueError(say("at most {n} are possible", n=_shape(s, name)[0]))
        setattr(s, name, pile)
        setattr(s, self.total, n)


def _index(letter: str, letters: str) -> int:
    if letter not in letters:
        raise ValueError(
            say("{letter} is none of the letters {letters}", letter=repr(letter), letters=letters)
        )
    return letters.index(letter)


class Symbols:
    """One character an entry, by its index in `symbols`; index 0 is the default."""

    covers: tuple[str, ...] = ()

    def __init__(self, symbols: str) -> None:
        self.symbols = symbols

    def write(self, s: Twin, name: str) -> str | None:
        value = getattr(s, name)
        if not np.any(value):
            return None
        depth = len(_shape(s, name)) - 1
        return _write_rows(value, lambda row: "".join(self.symbols[i] for i in row), depth)

    def read(self, s: Twin, name: str, text: str) -> None:
        shape = _shape(s, name)

        def row(part: str) -> list[int]:
            if len(part) != shape[-1]:
                raise ValueError(
                    say("{all} characters are needed, not {n}", all=shape[-1], n=len(part))
                )
            return [_index(letter, self.symbols) for letter in part]

        setattr(s, name, _read_rows(text, row, shape[:-1]))


NUMBERS = Numbers()


def write_position(name: str, module: ModuleType, s: Twin) -> str:
    """The line of a state of the game of this name."""
    covered = {field for codec in module.CODECS.values() for field in codec.covers}
    parts = [name]
    for field in s.dtype.names or ():
        if field not in covered:
            text = module.CODECS.get(field, NUMBERS).write(s, field)
            if text is not None:
                parts.append(f"{field}={text}")
    return " ".join(parts)


def read_position(module: ModuleType, text: str) -> Twin:
    """The state of a line without the game's name. Raises PositionError."""
    s: Any = new_states(module.STATE, 1, False)[0]
    if blank := getattr(module, "blank", None):
        blank(s)  # what a record that is given no fields holds besides zeros
    covered = {field for codec in module.CODECS.values() for field in codec.covers}
    given: set[str] = set()
    for part in text.split():
        field, equals, value = part.partition("=")
        if field not in (s.dtype.names or ()) or field in covered or not equals:
            raise PositionError(say("{part}: there is no such field in a position", part=part))
        if field in given:
            raise PositionError(say("{field} is given twice", field=field))
        given.add(field)
        try:
            module.CODECS.get(field, NUMBERS).read(s, field, value)
            to_row(s, np.zeros(1, s.dtype)[0])
        except (ValueError, OverflowError) as error:
            raise PositionError(f"{part}: {error}") from None
    _check(module, s)
    return s  # type: ignore[no-any-return]


def _check(module: ModuleType, s: Any) -> None:
    if s.seats not in module.SEATS:
        raise PositionError(say("seats={n}: the game has no such number of seats", n=s.seats))
    if s.viewer not in range(MAX_SEATS + 1) and s.viewer != 1 + SPECTATOR:
        raise PositionError(say("viewer={n}: there is no such viewer", n=s.viewer))
    if s.over not in range(len(module.REASONS) + 1):
        raise PositionError(say("over={n}: there is no such end reason", n=s.over))
    if problem := module.fault(s):
        raise PositionError(problem)
