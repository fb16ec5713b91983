"""Who knows what: nothing a seat is not entitled to leaves the table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandalier.games import kernel
from mandalier.games.game import IllegalMove, State, View, game
from tests.support import TABLES, hidden, plays, some_state, viewers

SEED = st.integers(0, 2**40)
PLIES = st.integers(0, 120)
TABLE = st.sampled_from(TABLES)


@settings(max_examples=600)
@given(table=TABLE, seed=SEED, plies=PLIES, world=SEED)
def test_a_world_imagined_from_a_view_looks_the_same_to_its_viewer(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in viewers(seats):
        view = state.view(seat)
        imagined = view.imagine(world)
        assert imagined.view(seat) == view
        assert game(name).module.fault(imagined.look()) == ""
        assert imagined.over == state.over
        assert imagined.waiting == state.waiting


@settings(max_examples=300)
@given(table=TABLE, seed=SEED, plies=PLIES)
def test_hiding_twice_is_hiding_once(table: tuple[str, int], seed: int, plies: int) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in viewers(seats):
        once = hidden(name, state.look(), seat)
        assert kernel.to_bytes(hidden(name, once, seat)) == kernel.to_bytes(once)


@settings(max_examples=300)
@given(table=TABLE, seed=SEED, plies=PLIES, world=SEED)
def test_states_a_seat_cannot_tell_apart_give_it_the_same_of_everything(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in viewers(seats):
        other = state.view(seat).imagine(world)
        assert _all_told(state, seat) == _all_told(other, seat)


def _all_told(state: State, seat: int) -> list[str]:
    """Everything a viewer is ever told about a state."""
    view = state.view(seat)
    told = [view.position, view.show(), json.dumps(view.describe()), *view.legal()]
    told += [view.explain(move) for move in view.legal()[:10]]
    if seat < state.seats:
        told += state.legal(seat)
        for move in getattr(game(state.game.name).module, "MOVE_TEXTS", ())[::7]:
            if move not in told:
                try:
                    state.copy().play(move, seat)
                except IllegalMove as error:
                    told.append(str(error))
    return told


@settings(max_examples=200)
@given(table=TABLE, seed=SEED, plies=PLIES)
def test_the_full_and_the_hidden_state_have_the_same_legal_moves(
    table: tuple[str, int], seed: int, plies: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in range(seats):
        assert state.view(seat).legal() == state.legal(seat)


@settings(max_examples=100)
@given(table=TABLE, seed=SEED, plies=PLIES, world=SEED)
def test_worlds_imagined_in_worlds_are_worlds(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in viewers(seats):
        imagined = state.view(seat).imagine(world)
        for other in viewers(seats):
            view = imagined.view(other)
            assert view.imagine(world + 1).view(other) == view


@settings(max_examples=60)
@given(table=TABLE, seed=SEED, plies=PLIES, world=SEED)
def test_an_imagined_world_can_be_played_to_its_end(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies).view(0).imagine(world)
    turn = 0
    while not state.over:
        seat = state.waiting[turn % len(state.waiting)]
        moves = state.legal(seat)
        state.play(moves[turn * 7919 % len(moves)], seat)
        turn += 1
        assert turn < 3000
        assert game(name).module.fault(state.look()) == ""


@settings(max_examples=150)
@given(table=TABLE, seed=SEED, plies=PLIES, world=SEED)
def test_reshuffling_changes_nothing_that_any_seat_knows(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    s = state.look()
    game(name).module.reshuffle(s, world)
    assert game(name).module.fault(s) == ""
    for seat in viewers(seats):
        assert hidden(name, s, seat) == state.view(seat).look()


def test_reshuffling_puts_a_deck_and_covered_stones_in_another_order() -> None:
    for name, field in (("sand", "deck"), ("stones", "stack")):
        state = some_state(name, 2, 5, 10)
        s = state.look()
        game(name).module.reshuffle(s, 1)
        assert getattr(s, field) != getattr(state.look(), field)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_full_state_is_refused_where_a_view_is_needed(name: str, seats: int) -> None:
    state = next(plays(name, seats, 1))
    with pytest.raises(TypeError, match="full"):
        View(game(name), state.look())


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_view_holds_no_generator(name: str, seats: int) -> None:
    for state in plays(name, seats, 2):
        for seat in viewers(seats):
            assert state.view(seat).look().rng == [0] * 4
