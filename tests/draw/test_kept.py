"""Parts that are kept from one picture to the next never show in the wrong one."""

from __future__ import annotations

import random

import pytest

from mandalier import deal
from mandalier.draw import picture, sheet
from mandalier.draw import words as said
from mandalier.games.contract import SPECTATOR
from mandalier.games.game import GAMES
from mandalier.games.words import speaking
from tests.support import OPTIONS

NAMES = (("Ada", "Bert", "Cy", "Di", "Ed"), ("Zoe", "Ada", "X", "Bert", "Di"))


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_is_the_same_whatever_was_drawn_before(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seats, names, languages, themes and positions in one mixed order, with one store of parts;
    and each picture for itself."""
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
    how = [
        {
            "arrangement": chooser.choice(["wide", "wide", "tall"]),
            "theme": chooser.choice(["light", "dark"]),
            "names": chooser.choice(NAMES),
        }
        for _ in looks
    ]
    languages = [chooser.choice(["en", "fr"]) for _ in looks]

    def drawn(i: int) -> tuple[str, str]:
        state, seat = looks[i]
        with speaking(languages[i]):
            view = state.view(seat)
            return picture(view, **how[i]), said(view)  # type: ignore[arg-type]

    together = [drawn(i) for i in range(len(looks))]
    for i in chooser.sample(range(len(looks)), min(60, len(looks))):
        monkeypatch.setattr(sheet, "_kept", {})
        assert drawn(i) == together[i]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "_kept", {})
    monkeypatch.setattr(sheet, "MOST_KEPT", 20)
    chooser, state = random.Random(1), deal("sand", seed=1)
    while not state.over:
        picture(state.view(0))
        assert len(sheet._kept) <= 20
        state.play(chooser.choice(state.legal()))
