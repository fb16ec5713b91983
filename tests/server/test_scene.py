"""Positions of a table as they go out."""

from __future__ import annotations

import random

import pytest

from mandalier.games.contract import SPECTATOR
from mandalier.games.game import GAMES, State, deal, game
from mandalier.server.scene import Scene, Style
from tests.support import OPTIONS


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_the_log_in_words_is_the_same_for_who_is_there_and_who_comes_late(
    name: str, seed: int
) -> None:
    """Whether told move by move, with some missed and some taken back, or all at once."""
    chooser = random.Random(seed)
    first = deal(name, 2, seed=seed, options=OPTIONS.get(name))
    record = first.record()
    options = game(name).check_options(record["options"])

    def start() -> State:
        return State.from_setup(game(name), 2, record["setup"], options, 0)

    state, at = first.copy(), 1
    scene = Scene.first(state, at, 0, start)
    told = 0

    def ask() -> int:
        asked = [viewer for viewer in (0, 1, SPECTATOR) if chooser.random() < 0.8]
        for viewer in asked:
            style = Style("picture", chooser.choice(("en", "fr")))
            late = Scene(state, at, 0, scene.veiled, {at: 0}, {}, start)
            assert scene.log_of(viewer, style, 0) == late.log_of(viewer, style, 0)
        return len(asked) * state.plies

    while not state.over and at < 90:
        before, at = state, at + 1
        seat = chooser.choice(state.waiting)
        state = state.copy()
        state.play(chooser.choice(state.legal(seat)), seat)
        scene = scene.then(state, at, 0, before.plies)
        told += ask()
        if chooser.random() < 0.2:
            state, at = before.copy(), at + 1
            scene = scene.then(state, at, 0, state.plies)
            told += ask()
    assert told > 5
