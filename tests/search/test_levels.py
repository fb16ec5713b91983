"""Levels: names, that they play every game, that they know no more than a seat, and keep time."""

from __future__ import annotations

from typing import Any

import pytest

import mandalier
from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES
from mandalier.search.bot import LEVELS, Budget, bot
from mandalier.search.levels import bots_for, roster
from tests.support import OPTIONS, TABLES, plays

FEW = Budget(iterations=60)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", GAMES)
def test_every_level_plays_every_game_and_tells_what_it_expects(name: str, level: str) -> None:
    state = mandalier.deal(name, seed=4, options=OPTIONS.get(name))
    view = state.view(state.waiting[0])
    thought = bot(level).think(view, FEW, seed=1)
    assert thought.move in view.legal()
    assert thought.by == level
    assert thought.candidates[0].move == thought.move
    assert all(0 <= one.win <= 1 for one in thought.candidates)
    assert thought == bot(level).think(view, FEW, seed=1)


def test_the_roster_lists_each_bot_with_the_games_it_plays() -> None:
    listed = {one.name: one for one in roster()}
    assert tuple(listed)[: len(LEVELS)] == LEVELS
    assert all(listed[name].games == tuple(GAMES) for name in LEVELS)
    assert listed["aimer"].games == ("dice",)
    assert all(one.words for one in listed.values())
    for name in GAMES:
        state = mandalier.deal(name, seed=4, options=OPTIONS.get(name))
        view = state.view(state.waiting[0])
        for who in bots_for(name):
            assert bot(who).think(view, Budget(iterations=5), seed=1).move in view.legal()


@pytest.mark.parametrize("text", ["adept:", "adept:0", "adept:x", "adept:1000", "adept:²"])
def test_a_personality_is_a_number(text: str) -> None:
    with pytest.raises(MandalierError, match="adept:3"):
        bot(text)


@pytest.mark.parametrize("name", GAMES)
def test_a_level_with_a_liking_often_plays_otherwise(name: str) -> None:
    moves: dict[str, list[str]] = {"novice:1": [], "novice:2": []}
    for seed in (8, 9, 10, 11):  # random games of pyramids are short
        for ply, state in enumerate(plays(name, 2, seed)):
            if not state.over and state.waiting and ply % 3 == 0 and ply < 20:
                for who, made in moves.items():
                    view = state.view(state.waiting[0])
                    made.append(bot(who).think(view, Budget(iterations=30), seed=ply).move)
    assert moves["novice:1"] != moves["novice:2"]


@pytest.mark.parametrize(("name", "seats"), [(n, s) for n, s in TABLES if s != 4])
@pytest.mark.parametrize("level", ["novice", "adept:3", "master"])
def test_positions_a_seat_cannot_tell_apart_get_the_same_thought(
    name: str, seats: int, level: str
) -> None:
    """To the last digit, whatever is forged where the seat cannot see."""
    thinker = bot(level)
    for ply, state in enumerate(plays(name, seats, 11)):
        if state.over or not state.waiting or ply % 11:
            continue
        seat = state.waiting[-1]
        forged = [state, *(state.view(seat).imagine(k) for k in (1, 2))]
        thoughts = [thinker.think(one.view(seat), FEW, seed=5) for one in forged]
        assert thoughts[0] == thoughts[1] == thoughts[2]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", GAMES)
def test_a_full_state_is_refused(name: str, level: str) -> None:
    full: Any = mandalier.deal(name, seed=1, options=OPTIONS.get(name))
    with pytest.raises(TypeError, match=r"state\.view"):
        bot(level).think(full)
