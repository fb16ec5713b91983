"""Positions in which one move is clearly right, and master finds it: tactics.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import mandalier
from mandalier.games import kernel
from mandalier.games.game import GAMES, State, View, game
from mandalier.search.bot import Budget, bot
from mandalier.search.exact import Solver

TACTICS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("tactics.toml").read_text(encoding="utf-8")
)
ALL = [
    pytest.param(name, one["position"], one["right"], id=f"{name}: {one['says']}")
    for name, those in TACTICS.items()
    for one in those
]
ENOUGH = 10
ITERATIONS = 4000
"""Far fewer than master has time for on any machine."""
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="too long without compiled rules")


def view_of(position: str) -> View:
    state = mandalier.position(position)
    assert isinstance(state, State)
    state.game.load()
    return state.view(state.waiting[0])


@needs_numba
@pytest.mark.parametrize(("name", "position", "right"), ALL)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_master_finds_the_right_move(name: str, position: str, right: list[str], seed: int) -> None:
    view = view_of(position)
    assert set(right) < set(view.legal())
    thought = bot("master").think(view, Budget(iterations=ITERATIONS), seed=seed)
    assert thought.move in right, thought.candidates[:3]


def test_every_game_has_enough_positions_and_none_twice() -> None:
    assert set(TACTICS) == set(GAMES)
    for those in TACTICS.values():
        assert len({one["position"] for one in those}) == len(those) >= ENOUGH
        assert len({one["says"] for one in those}) == len(those)


@needs_numba
@pytest.mark.parametrize(
    ("position", "right"),
    [pytest.param(one["position"], one["right"], id=one["says"]) for one in TACTICS["pyramids"]],
)
def test_in_pyramids_every_other_move_loses(position: str, right: list[str]) -> None:
    view = view_of(position)
    found = Solver(game("pyramids").fastest).solve(view)
    assert found is not None
    assert {one.move for one in found.moves if one.win == 1} == set(right)
    assert {one.win for one in found.moves if one.move not in right} == {0.0}
