"""Parts that are kept from one picture to the next never show in the wrong one."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from mandalier import deal
from mandalier.draw import picture, sheet, showing
from mandalier.draw import words as said
from mandalier.games.contract import SPECTATOR
from mandalier.games.game import GAMES, State
from mandalier.games.words import speaking
from tests.support import OPTIONS

NAMES = (("Ada", "Bert", "Cy", "Di", "Ed"), ("Zoe", "Ada", "X", "Bert", "Di"))


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing drawn yet."""
    monkeypatch.setattr(sheet, "_kept", {})
    monkeypatch.setattr(sheet, "_kept_before", {})


@dataclass(frozen=True)
class Look:
    """Somebody who looks at a position, in some way."""

    state: State
    seat: int
    language: str
    how: dict[str, Any]


def looks_at(name: str) -> list[Look]:
    """Seats, names, languages, themes and positions in one mixed order."""
    chooser = random.Random(7)
    looks = []
    for seed in range(3):
        state = deal(name, seed=seed, options=OPTIONS.get(name))
        while not state.over:
            if chooser.random() < 0.35:
                looks.append((state.copy(), chooser.choice([SPECTATOR, *range(state.seats)])))
            seat = chooser.choice(state.waiting)
            state.play(chooser.choice(state.legal(seat)), seat)
        looks += [(state.copy(), seat) for seat in (SPECTATOR, *range(state.seats))]
    chooser.shuffle(looks)
    return [
        Look(
            state,
            seat,
            chooser.choice(["en", "fr"]),
            {
                "arrangement": chooser.choice(["wide", "wide", "tall"]),
                "theme": chooser.choice(["light", "dark"]),
                "names": chooser.choice(NAMES),
            },
        )
        for state, seat in looks
    ]


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_is_the_same_whatever_was_drawn_before(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one store of parts, and each picture for itself."""
    looks = looks_at(name)

    def drawn(look: Look) -> tuple[str, str]:
        with speaking(look.language):
            view = look.state.view(look.seat)
            return picture(view, **look.how), said(view)

    together = [drawn(look) for look in looks]
    for i in random.Random(8).sample(range(len(looks)), min(60, len(looks))):
        forget(monkeypatch)
        assert drawn(looks[i]) == together[i]


@pytest.mark.parametrize("name", GAMES)
def test_parts_with_one_mark_are_one_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So of a part whose mark is known nothing need be sent."""
    texts: dict[int, str] = {}
    again = 0
    for look in looks_at(name):
        forget(monkeypatch)
        with speaking(look.language):
            view = look.state.view(look.seat)
            pieces = showing(view, **look.how).pieces
            assert "".join(piece.text for piece in pieces) == picture(view, **look.how)
        for piece in pieces:
            again += piece.mark in texts
            assert texts.setdefault(piece.mark, piece.text) == piece.text
    assert again > 100


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    forget(monkeypatch)
    monkeypatch.setattr(sheet, "MOST_KEPT", 20)
    chooser, state = random.Random(1), deal("sand", seed=1)
    while not state.over:
        picture(state.view(0))
        assert len(sheet._kept) <= 20
        assert len(sheet._kept_before) <= 20
        state.play(chooser.choice(state.legal()))
