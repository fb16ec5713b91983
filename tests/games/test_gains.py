"""When a score came about."""

from __future__ import annotations

import pytest

import mandalier
from mandalier.games.errors import RecordError
from mandalier.games.gains import gains
from tests.support import TABLES, plays, viewers

each_table = pytest.mark.parametrize(("name", "seats"), TABLES)


@each_table
def test_what_a_game_brought_adds_up_to_its_result(name: str, seats: int) -> None:
    *_, state = plays(name, seats, 9)
    record = state.record()
    for viewer in viewers(seats)[::-2]:
        found = gains(record, viewer)
        scores = [sum(one.points for one in found if one.seat == seat) for seat in range(seats)]
        assert scores == record["result"]["scores"]
        assert all(one.words and one.points for one in found)
        assert [one.ply for one in found] == sorted(one.ply for one in found)


def test_a_gain_names_the_move_that_brought_it() -> None:
    state = mandalier.deal("pyramids", seats=2, seed=4)
    state.play("75")
    one = gains(state.record())[0]
    assert (one.ply, one.words) == (
        0,
        mandalier.deal("pyramids", seats=2, seed=4).view(0).explain("75"),
    )


def test_points_in_a_hidden_cup_count_for_their_owner_alone() -> None:
    *_, state = plays("sand", 2, 3)
    record = state.record()
    record["moves"] = record["moves"][: len(record["moves"]) * 3 // 4]
    del record["result"]
    before = mandalier.replay(record)
    for viewer in (0, 1):
        found = gains(record, viewer)
        for seat in (0, 1):
            points = sum(one.points for one in found if one.seat == seat)
            assert points == sum(n for _, n in before.view(viewer).sums(seat))


def test_a_wrong_record_is_refused_with_its_ply() -> None:
    record = mandalier.deal("sand", seed=1).record()
    record["moves"] = ["0 m1x"]
    with pytest.raises(RecordError, match="ply 0"):
        gains(record)
