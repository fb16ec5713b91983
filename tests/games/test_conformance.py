"""What every game keeps, run for every row of GAMES and every number of seats."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import mandalier
from mandalier.games import kernel
from mandalier.games.game import (
    GAMES,
    IllegalMove,
    MandalierError,
    PositionError,
    Result,
    State,
    View,
    game,
)
from mandalier.games.record import dumps, loads, replay
from tests.support import TABLES, engine_game, engines, plays, state_bytes, viewers

SEEDS = range(6)

pytestmark = pytest.mark.parametrize(("name", "seats"), TABLES)
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="compares with compiled rules")


def test_random_play_comes_to_an_end_with_a_result(name: str, seats: int) -> None:
    for seed in SEEDS:
        *_, state = plays(name, seats, seed)
        result = state.result
        assert isinstance(result, Result)
        assert len(result.scores) == seats
        assert result.winners
        assert set(result.winners) <= set(range(seats))
        assert list(result.winners) == sorted(result.winners)
        assert result.reason in game(name).module.REASONS
        assert state.waiting == ()
        assert all(state.legal(seat) == [] for seat in range(seats))


def test_legal_moves_ascend_and_each_can_be_played(name: str, seats: int) -> None:
    for state in plays(name, seats, 3):
        for seat in range(seats):
            numbers = state.numbers(seat)
            assert numbers == sorted(set(numbers))
            assert bool(numbers) == (seat in state.waiting)
            assert all(0 <= number < game(name).module.MOVES for number in numbers)
        for seat in state.waiting:
            for move in random.Random(len(state.log)).sample(
                state.legal(seat), min(5, len(state.legal(seat)))
            ):
                trial = state.copy()
                trial.play(move, seat)
                assert trial.log[len(state.log)] == f"{seat} {move}"


def test_a_running_game_waits_for_somebody(name: str, seats: int) -> None:
    for state in plays(name, seats, 4):
        assert bool(state.waiting) != state.over
        assert (state.result is None) != state.over


def test_move_texts_parse_back(name: str, seats: int) -> None:
    module = game(name).module
    for state in plays(name, seats, 5):
        s = state.look()
        for seat in state.waiting:
            for number in state.numbers(seat):
                parsed, arguments = module.parse(module.text(s, number))
                assert parsed == number or arguments


def test_a_record_replays_to_equal_bytes(name: str, seats: int) -> None:
    for seed in SEEDS:
        *_, state = plays(name, seats, seed)
        record = state.record()
        again = replay(loads(dumps(record)))
        assert state_bytes(again) == state_bytes(state)
        assert again.record() == record


def test_a_record_replays_up_to_every_entry(name: str, seats: int) -> None:
    bytes_at = {}
    for state in plays(name, seats, 6):
        bytes_at[len(state.log)] = state_bytes(state)
    record = state.record()
    for ply, expected in bytes_at.items():
        assert state_bytes(replay(record, ply)) == expected


def test_a_copy_is_played_apart_from_its_original(name: str, seats: int) -> None:
    for state in plays(name, seats, 7):
        if state.over:
            break
        before, log = state.position, state.log
        copy = state.copy()
        seat = copy.waiting[0]
        copy.play(copy.legal(seat)[-1], seat)
        assert (state.position, state.log) == (before, log)
        assert copy.position != before


def test_no_piece_appears_or_vanishes(name: str, seats: int) -> None:
    module = game(name).module
    for seed in SEEDS:
        for state in plays(name, seats, seed):
            assert module.fault(state.look()) == ""


@needs_numba
def test_compiled_and_interpreted_rules_give_identical_states(name: str, seats: int) -> None:
    compiled, interpreted = engines(name)
    for seed in range(25):
        one = engine_game(compiled, seats, seed)
        other = engine_game(interpreted, seats, seed)
        for ply, (a, b) in enumerate(zip(one, other, strict=True)):
            assert a == b, f"seed {seed}, ply {ply}"


@needs_numba
def test_compiled_and_interpreted_views_and_worlds_are_identical(name: str, seats: int) -> None:
    compiled, interpreted = engines(name)
    for state in plays(name, seats, 8):
        for seat in viewers(seats):
            results = []
            for engine in (compiled, interpreted):
                states = engine.states(1)
                engine.write(state.look(), states)
                engine.hide_at(states, 0, seat)
                view = kernel.to_bytes(engine.read(states))
                engine.imagine_at(states, 0, 99)
                results.append((view, kernel.to_bytes(engine.read(states))))
            assert results[0] == results[1]


def test_the_same_seed_gives_the_same_game(name: str, seats: int) -> None:
    for seed in (0, 1, 2**63 - 1):
        one, other = (mandalier.deal(name, seats, seed) for _ in range(2))
        assert one.position == other.position
    assert mandalier.deal(name, seats, 1).position != mandalier.deal(name, seats, 2).position


def test_positions_parse_back_to_the_same_bytes(name: str, seats: int) -> None:
    for seed in SEEDS:
        for state in plays(name, seats, seed):
            line = state.position
            assert "\n" not in line
            again = mandalier.position(line)
            assert isinstance(again, State)
            assert kernel.to_bytes(again.look()) == kernel.to_bytes(state.look())
            assert again.position == line
        for seat in viewers(seats):
            view = state.view(seat)
            back = mandalier.position(view.position)
            assert isinstance(back, View)
            assert back == view


def test_a_position_can_be_played_on(name: str, seats: int) -> None:
    for at, state in enumerate(plays(name, seats, 9)):
        if at == 5:
            again = mandalier.position(state.position)
            assert isinstance(again, State)
            while not again.over:
                assert again.legal(again.waiting[0]) == state.legal(state.waiting[0])
                move, seat = again.legal(again.waiting[0])[0], again.waiting[0]
                again.play(move, seat)
                state.play(move, seat)
            assert again.result == state.result
            return


def test_every_position_reads_well_and_explains_its_moves(name: str, seats: int) -> None:
    for state in plays(name, seats, 10):
        assert repr(state).startswith(f"<{name}")
        for seat in viewers(seats):
            shown = state.view(seat).show()
            assert max(map(len, shown.splitlines())) <= 88, shown
        for seat in state.waiting:
            view = state.view(seat)
            for move in view.legal()[:20]:
                assert view.explain(move)


def test_descriptions_are_plain_data(name: str, seats: int) -> None:
    for state in plays(name, seats, 11):
        for seat in viewers(seats):
            described = state.view(seat).describe()
            assert json.loads(json.dumps(described)) == described
            assert described["game"] == name


def test_a_sketch_tells_what_a_description_tells(name: str, seats: int) -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), "no name comes twice"
        return dict(pairs)

    compiled, interpreted = engines(name)
    for state in plays(name, seats, 12):
        for engine in (compiled, interpreted) if kernel.can_compile() else (interpreted,):
            states = engine.states(1)
            engine.write(state.look(), states)
            for seat in viewers(seats):
                told = state.view(seat).describe()
                sketch = engine.sketched_at(states, 0, seat)
                assert bool(sketch) == hasattr(game(name).module, "sketch")
                for field, value in json.loads(b"{%b}" % sketch, object_pairs_hook=once).items():
                    assert value == told[field]
                if sketch and engine is compiled:
                    at_once = State(state.game, engine, states).sketch(seat)
                    assert json.loads(at_once or b"", object_pairs_hook=once) == told


def test_the_parts_of_a_score_add_up_to_it(name: str, seats: int) -> None:
    module = game(name).module
    for state in plays(name, seats, 11):
        for viewer in viewers(seats):
            view, known = state.view(viewer), [0] * 5
            module.score(view.look(), known)
            for seat in range(seats):
                parts = view.sums(seat)
                assert sum(points for _, points in parts) == known[seat]
                assert all(words for words, _ in parts)
        assert [sum(p for _, p in state.view(0).sums(seat)) for seat in range(seats)] == list(
            state.scores
        ) or not state.over


def test_every_illegal_move_is_refused_with_a_reason_and_changes_nothing(
    name: str, seats: int
) -> None:
    module = game(name).module
    texts = getattr(module, "MOVE_TEXTS", None)
    for state in plays(name, seats, 12):
        before = state.position
        for seat in range(seats):
            legal = set(state.legal(seat))
            others = [text for text in texts or () if text not in legal]
            chosen = random.Random(len(before)).sample(others, min(40, len(others)))
            for move in [*chosen, "", "x", "m1z", "1" * 30, "m1r ", "é"]:
                with pytest.raises(IllegalMove) as refused:
                    state.play(move, seat)
                assert refused.value.reason
                assert "\n" not in str(refused.value)
                if not state.over and seat in state.waiting:
                    assert set(refused.value.legal) == legal
        assert state.position == before


def test_a_seat_that_is_not_there_is_refused(name: str, seats: int) -> None:
    state = mandalier.deal(name, seats, 1)
    no_seats: tuple[Any, ...] = (-1, seats, 99, "0", 0.5)
    for seat in no_seats:
        with pytest.raises(MandalierError, match="no seat"):
            state.play(state.legal(state.waiting[0])[0], seat)
        with pytest.raises(MandalierError, match="no seat"):
            state.view(seat)
        with pytest.raises(MandalierError, match="no seat"):
            state.legal(seat)


def test_what_is_no_text_is_refused_as_a_move_and_as_a_position(name: str, seats: int) -> None:
    state = mandalier.deal(name, seats, 1)
    seat = state.waiting[0]
    no_texts: tuple[Any, ...] = (None, 17, b"m1r", ["m1r"])
    for thing in no_texts:
        with pytest.raises(IllegalMove, match="a move is a text"):
            state.play(thing, seat)
        with pytest.raises(PositionError, match="a position is a line of text"):
            mandalier.position(thing)


def test_the_game_has_words_for_newcomers(name: str, seats: int) -> None:
    found = GAMES[name]
    assert len(found.module.goal()) > 200
    assert found.title
    assert found.module.CREDIT
    assert found.module.help_texts()
