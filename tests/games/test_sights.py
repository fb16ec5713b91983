"""What nets see of a game: `observe` and `notice`, for every game that has them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandalier.games import kernel
from mandalier.games.contract import notice, observe
from mandalier.games.engine import Engine
from mandalier.games.game import GAMES, game
from mandalier.games.kernel import Array, rule
from tests.support import TABLES, engines, hidden, plays, some_state

SEEN = [(name, seats) for name, seats in TABLES if hasattr(GAMES[name].module, "observe")]
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="compares with compiled rules")
seen_games = pytest.mark.parametrize(("name", "seats"), SEEN)


@rule
def observe_at(states: Array, i: int, seat: int, out: Array) -> None:
    observe(states[i], seat, out)


@rule
def notice_at(states: Array, i: int, seat: int, move: int, out: Array) -> None:
    notice(states[i], seat, move, out)


def length(name: str) -> int:
    whole, things, each = game(name).module.SIGHTS
    return int(whole + things * each)


def observed(name: str, s: Any, seat: int) -> list[int]:
    out = [99] * length(name)
    game(name).module.observe(s, seat, out)
    return out


def noticed(name: str, s: Any, seat: int, move: int) -> list[int]:
    out = [99] * game(name).module.NOTICED
    game(name).module.notice(s, seat, move, out)
    return out


def entity(name: str, numbers: list[int], i: int) -> list[int]:
    whole, _, each = game(name).module.SIGHTS
    return numbers[whole + i * each : whole + (i + 1) * each]


@seen_games
def test_a_net_sees_what_its_seat_may_know_and_nothing_else(name: str, seats: int) -> None:
    for state in plays(name, seats, 21):
        for seat in range(seats):
            other = state.view(seat).imagine(len(state.log))
            for s in (hidden(name, state.look(), seat), other.look()):
                assert observed(name, s, seat) == observed(name, state.look(), seat)
                for move in state.numbers(seat)[::7]:
                    assert noticed(name, s, seat, move) == noticed(name, state.look(), seat, move)


@seen_games
def test_what_a_net_sees_fits_in_a_byte_and_all_of_it_is_written(name: str, seats: int) -> None:
    for seed in range(30, 36):
        for state in plays(name, seats, seed):
            s = state.look()
            for seat in range(seats):
                numbers = observed(name, s, seat)
                assert min(numbers) >= -127
                assert max(numbers) <= 127
                for move in state.numbers(seat):
                    numbers = noticed(name, s, seat, move)
                    assert min(numbers) >= -127
                    assert max(numbers) <= 127


@seen_games
def test_seeing_changes_nothing(name: str, seats: int) -> None:
    for state in plays(name, seats, 22):
        s = state.look()
        before = kernel.to_bytes(s)
        for seat in range(seats):
            observed(name, s, seat)
            for move in state.numbers(seat)[::5]:
                noticed(name, s, seat, move)
        assert kernel.to_bytes(s) == before


@needs_numba
@seen_games
def test_compiled_and_interpreted_nets_see_the_same(name: str, seats: int) -> None:
    both = [(engine, *_bound(engine)) for engine in engines(name)]
    chooser = random.Random(seats)
    for state in plays(name, seats, 23):
        seat = chooser.randrange(seats)
        numbers = state.numbers(seat)
        moves = chooser.sample(numbers, min(9, len(numbers)))
        found = []
        for engine, see, heed in both:
            states = engine.states(1)
            engine.write(state.look(), states)
            out = engine.array(length(name), "i1")
            see(states, 0, seat, out)
            rows = [list(out)]
            for move in moves:
                out = engine.array(GAMES[name].module.NOTICED, "i1")
                heed(states, 0, seat, move, out)
                rows.append(list(out))
            found.append(rows)
        assert found[0] == found[1]


def _bound(engine: Engine) -> tuple[Any, Any]:
    return engine.bind(observe_at), engine.bind(notice_at)


# Pyramids --------------------------------------------------------------------------------------

PYRAMIDS = game("pyramids").module
TABLE = st.integers(2, 5)
SEED = st.integers(0, 2**40)
PLIES = st.integers(0, 60)


def regrouped(s: Any, order: list[int]) -> Any:
    """The same position of pyramids with group i in the place of order[i]."""
    made = hidden("pyramids", s, 0)
    made.path = [1 + order[here - 1] if here else 0 for here in s.path]
    made.held = [_stacks(stacks, order) for stacks in s.held]
    made.off = _stacks(s.off, order)
    return made


def _stacks(stacks: int, order: list[int]) -> int:
    return sum(PYRAMIDS.stack_of(stacks, i) << 4 * to for i, to in enumerate(order))


@settings(max_examples=60)
@given(seats=TABLE, seed=SEED, plies=PLIES, shuffled=st.permutations(range(15)))
def test_groups_of_pyramids_are_alike_to_a_net(
    seats: int, seed: int, plies: int, shuffled: list[int]
) -> None:
    state = some_state("pyramids", seats, seed, plies)
    s = state.look()
    other = regrouped(s, shuffled)
    for seat in range(seats):
        one, two = observed("pyramids", s, seat), observed("pyramids", other, seat)
        whole = PYRAMIDS.SIGHTS[0]
        assert one[:whole] == two[:whole]
        for group, to in enumerate(shuffled):
            assert entity("pyramids", one, group) == entity("pyramids", two, to)
        for move in state.numbers(seat):
            assert noticed("pyramids", s, seat, move) == noticed("pyramids", other, seat, move)


@settings(max_examples=60)
@given(seats=TABLE, seed=SEED, plies=PLIES)
def test_a_net_stands_in_the_place_of_its_seat(seats: int, seed: int, plies: int) -> None:
    s = some_state("pyramids", seats, seed, plies).look()
    turned = hidden("pyramids", s, 0)  # each seat one further
    for field in ("pawn", "points", "held"):
        rows = getattr(s, field)
        setattr(turned, field, [rows[(i - 1) % seats] for i in range(seats)] + rows[seats:])
    turned.turn = (s.turn + 1) % seats
    for seat in range(seats):
        assert observed("pyramids", s, seat) == observed("pyramids", turned, (seat + 1) % seats)


@settings(max_examples=80)
@given(seats=TABLE, seed=SEED, plies=PLIES)
def test_a_net_is_told_what_a_move_of_pyramids_scores_and_ends(
    seats: int, seed: int, plies: int
) -> None:
    state = some_state("pyramids", seats, seed, plies)
    s = state.look()
    for seat in state.waiting:
        for move in state.numbers(seat):
            numbers = noticed("pyramids", s, seat, move)
            after = hidden("pyramids", s, seat)
            PYRAMIDS.play(after, seat, move)
            gains = [after.points[i] - s.points[i] for i in range(seats)]
            assert numbers[23] == gains[seat]
            assert numbers[24] == gains[(seat + 1) % seats]
            assert numbers[25] == max(gains[:seat] + gains[seat + 1 :])
            assert numbers[10] == after.over
            if not after.over:
                assert numbers[9] == PYRAMIDS.pyramids_in(after.off - s.off) - 1
                sights = observed("pyramids", after, seat)
                group = entity("pyramids", sights, s.path[move] - 1)
                if PYRAMIDS.stack_of(after.off, s.path[move] - 1) < 5:
                    assert numbers[11] == group[0]
                    assert numbers[13] == group[10]
                    assert numbers[16] == group[17]
                    assert numbers[17] == group[5]
            else:
                taken = [PYRAMIDS.pyramids_in(after.held[i] - s.held[i]) for i in range(seats)]
                others = sum(taken) - taken[seat]
                assert numbers[26] == (taken[seat] - 1 if taken[seat] > 1 else -others)


@pytest.mark.skipif(not kernel.can_compile(), reason="sums are compared in compiled code")
def test_the_sum_of_stacks_is_the_same_compiled_and_interpreted() -> None:
    add = kernel.bind(PYRAMIDS.pyramids_in, PYRAMIDS, compiled=True)
    for stacks in (0, PYRAMIDS.ALL_OFF, PYRAMIDS.ONE_OF_EACH, 5 << 56):
        assert add(stacks) == PYRAMIDS.pyramids_in(stacks)
    assert PYRAMIDS.pyramids_in(PYRAMIDS.ALL_OFF) == 75


# Stones ----------------------------------------------------------------------------------------

STONES = game("stones").module
BOARD = 3 * 5 + 8  # numbers that tell of a seat's board


def stone_boards(numbers: list[int]) -> list[list[int]]:
    first = STONES.SIGHTS[0] - 4 * BOARD
    return [numbers[first + k * BOARD : first + (k + 1) * BOARD] for k in range(4)]


def dyed(s: Any, order: list[int]) -> Any:
    """The same position of stones with colour i in the place of order[i], in objectives too."""
    made = hidden("stones", s, s.turn)
    made.viewer = 0
    made.stack = [_dyed_pile(pile, order) for pile in s.stack]
    made.tower = [[_dyed_pile(pile, order) for pile in row] for row in s.tower]
    made.laid = [_dyed_pile(pile, order) for pile in s.laid]
    made.objective = [
        [3 + order[card - 3] if 3 <= card <= 6 else card for card in row] for row in s.objective
    ]
    return made


def _dyed_pile(pile: int, order: list[int]) -> int:
    stones = [pile >> shift & 15 for shift in (0, 4, 8, 12)]
    dyed = [stone & 12 | order[stone & 3] if stone else 0 for stone in stones]
    return sum(stone << 4 * i for i, stone in enumerate(dyed))


@settings(max_examples=60)
@given(seats=st.integers(2, 4), seed=SEED, plies=PLIES, shuffled=st.permutations(range(4)))
def test_colours_of_stones_are_alike_to_a_net(
    seats: int, seed: int, plies: int, shuffled: list[int]
) -> None:
    state = some_state("stones", seats, seed, plies)
    s = state.look()
    other = dyed(s, shuffled)
    for seat in range(seats):
        one, two = observed("stones", s, seat), observed("stones", other, seat)
        assert stone_boards(one) == stone_boards(two)
        for colour, to in enumerate(shuffled):
            assert entity("stones", one, colour) == entity("stones", two, to)
        for move in state.numbers(seat)[::3]:
            if move < STONES.SCORE_MOVE or move >= STONES.TOPS_MOVE:
                assert noticed("stones", s, seat, move) == noticed("stones", other, seat, move)


@settings(max_examples=80)
@given(seats=st.integers(2, 4), seed=SEED, plies=PLIES)
def test_a_net_is_told_what_a_move_of_stones_scores_and_makes(
    seats: int, seed: int, plies: int
) -> None:
    state = some_state("stones", seats, seed, plies)
    s = state.look()
    for seat in state.waiting:
        for move in state.numbers(seat)[::3]:
            numbers = noticed("stones", s, seat, move)
            after = hidden("stones", s, seat)
            STONES.play(after, seat, move)
            assert numbers[10] == after.points[seat] - s.points[seat]
            assert numbers[13] == after.laid_n - s.laid_n
            assert numbers[22] == (STONES.is_last_round(after) and not STONES.is_last_round(s))
            board = stone_boards(observed("stones", after, seat))[0]
            assert numbers[3:5] == board[15:17]
            assert numbers[7] == board[15] - stone_boards(observed("stones", s, seat))[0][15]
            assert numbers[5] == sum(board[5:10])
            assert numbers[8] == STONES.objective_points(after, seat)
            if move < STONES.SCORE_MOVE:
                column = move % 5
                assert numbers[28] == board[column]
                assert numbers[29] == board[5 + column]
                assert numbers[36] + 1 == board[10 + column]
                assert numbers[9] == 5 - board[17]


@settings(max_examples=40)
@given(seats=st.integers(2, 4), seed=SEED, plies=PLIES)
def test_a_net_counts_the_picks_of_stones_by_what_they_yield(
    seats: int, seed: int, plies: int
) -> None:
    state = some_state("stones", seats, seed, plies)
    s = state.look()
    for seat in state.waiting:
        empty = sum(tower == 0 for tower in s.tower[seat])
        picks = [
            noticed("stones", s, seat, m) for m in state.numbers(seat) if m < STONES.SCORE_MOVE
        ]
        if empty:
            told = observed("stones", s, seat)[3 + 4 + 8 + 11 :][:8]
            for k in range(1, 5):
                found = sum(numbers[28] == k for numbers in picks)
                assert found == (told[k - 1] + told[3 + k]) * k * empty
