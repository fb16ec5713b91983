"""The rules of stones: each of them by a golden record, by plain positions, and by a second engine."""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import permutations
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandalier
from mandalier.cli import main
from mandalier.games import kernel
from mandalier.games.game import IllegalMove, MandalierError, PositionError, State, View, game
from mandalier.games.record import dumps, loads, replay
from mandalier.lab.perft import perft
from mandalier.lab.simulate import Run, simulate
from tests.games.brute_stones import Brute
from tests.golden.make_stones import AROUND, MET, NEARLY, STORIES, Story, hands, record_of
from tests.support import Golden, Goldens, plays, viewers

GOLDENS = Goldens("stones")
pins = GOLDENS.pins
SEATS = game("stones").seats
COLOURS = "rbyp"
LETTERS = COLOURS + COLOURS.upper()
SIDES = "NESW"
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="too long without compiled rules")


def told(state: State, seat: int = mandalier.SPECTATOR) -> dict[str, Any]:
    return state.view(seat).describe()


def towers(state: State, seat: int = 0) -> list[str]:
    found: list[str] = told(state)["seats"][seat]["towers"]
    return found


def objective_points(state: State) -> list[int]:
    return [seat["objective_points"] for seat in told(state)["seats"]]


def picks(state: State, way: str = "") -> list[str]:
    return [move for move in state.legal() if "-" in move and move.startswith(way)]


def full_stacks(state: State) -> list[str]:
    """The stacks with all patterns."""
    module = game("stones").module
    return [module.pile_text(pile) for pile in state.look().stack]


def after(state: State, move: str) -> State:
    copy = state.copy()
    copy.play(move)
    return copy


def seats_that_moved(golden: Golden, last: int) -> list[int]:
    return [int(entry[0]) for entry in golden.record["moves"][-last:]]


def standing(
    *boards: Sequence[str],
    laid: int = 0,
    turn: int = 0,
    artists: str = "-o-/*-*/-o-",
    stacks: Mapping[int, str] | None = None,
    empty: Sequence[int] = (),
) -> State:
    """A position with these towers (one board a seat), so many stones laid, these stacks (by
    their numbers) and empty ones; all other stones lie on the other stacks."""
    stacks = dict(stacks or {}) | dict.fromkeys(empty, "")
    bag = Counter(LETTERS * 12)
    bag.subtract("".join("".join(board) for board in boards) + "".join(stacks.values()))
    rest = [letter for i in range(12) for letter in LETTERS if bag[letter] > i]
    free = [n for n in range(1, 25) if n not in stacks]
    on_top = len(rest) - 4 * len(free)
    count = max(laid, on_top)
    mandala, rest = rest[:count], rest[count:]
    for i, n in enumerate(free):
        stacks[n] = "".join(rest[i :: len(free)])
    fields = {
        "seats": len(boards),
        "turn": turn,
        "objective": "/".join(
            f"two-{a},{b}" for a, b in list(zip(NAMES.values(), SPARE, strict=True))[: len(boards)]
        ),
        "artists": artists,
        "stack": ",".join(stacks[n] or "-" for n in range(1, 25)),
        "tower": "/".join(",".join(tower or "-" for tower in board) for board in boards),
        "laid": "".join(mandala),
    }
    if not any(map(any, boards)):
        del fields["tower"]
    line = " ".join(f"{name}={value}" for name, value in fields.items() if value not in (0, ""))
    state = mandalier.position("stones " + line)
    assert isinstance(state, State)
    return state


NOTHING = ("", "", "", "", "")
NAMES = dict(zip(COLOURS, ("red", "blue", "yellow", "purple"), strict=True))
SPARE = ("two-columns", "five-columns", "three-stones", "six-stones")

# Golden records --------------------------------------------------------------------------------


def test_every_golden_record_is_pinned_by_a_test() -> None:
    assert GOLDENS.names == GOLDENS.pinned == set(STORIES)


@pytest.mark.parametrize("name", STORIES)
def test_a_golden_record_made_anew_is_the_one_in_the_file(name: str) -> None:
    text = Golden("stones", name).path.read_text(encoding="utf-8")
    assert text == dumps(record_of(name)) + "\n"
    assert replay(loads(text)).record() == loads(text)


@pins("setup-lays-stacks-artists-and-objectives")
def test_the_setup_lays_stacks_artists_and_objectives(golden: Golden) -> None:
    setup, state = golden.record["setup"], golden.end
    seen = told(state)
    assert full_stacks(state) == setup["stacks"]
    assert Counter("".join(setup["stacks"])) == dict.fromkeys(LETTERS, 12)
    assert seen["artists"] == {"b1": "star", "a2": "ring", "c2": "star", "b3": "ring"}
    assert [told(state, seat)["seats"][seat]["objectives"] for seat in range(3)] == (
        setup["objectives"]
    )
    assert (seen["mandala"], seen["turn"], state.waiting) == ("", 0, (0,))
    assert state.scores == (0, 0, 0)


# Golden records: picks -------------------------------------------------------------------------


@pins("pick-takes-all-that-is-given-clockwise-from-the-first")
def test_a_pick_takes_all_that_is_given_clockwise_from_the_first(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    stacks, left = full_stacks(before), full_stacks(end)
    north, east, south, west = (stacks[n - 1][-1] for n in (1, 5, 8, 4))
    assert (south, west, north, east) == tuple("ybpr")
    made = {side: towers(after(before, f"b1-a1 {side} 3"), 1)[2] for side in SIDES}
    assert made == {"N": "pryb", "E": "rybp", "S": "ybpr", "W": "bpry"}
    assert towers(end, 1) == ["", "", "ybpr", "", ""]
    for n in range(1, 25):
        taken = n in (1, 5, 8, 4)
        assert left[n - 1] == (stacks[n - 1][:-1] if taken else stacks[n - 1])
    assert told(end)["artists"] == {"a1": "ring", "c2": "star", "b3": "ring", "c3": "star"}
    assert end.scores == (0, 0)


@pins("pick-leaves-a-stack-beside-another-artist")
def test_a_pick_leaves_a_stack_beside_another_artist(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert full_stacks(before)[7][-1].islower()
    assert told(before)["artists"]["a2"] == "star"
    assert full_stacks(end)[7] == full_stacks(before)[7]
    assert towers(end)[1] == "yrb"
    assert "b1-a1 S 2" not in before.legal()


@pins("pick-leaves-a-stone-of-the-other-pattern")
def test_a_pick_leaves_a_stone_of_the_other_pattern(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert full_stacks(before)[4][-1].isupper()
    assert full_stacks(end)[4] == full_stacks(before)[4]
    assert towers(end)[1] == "yr"
    assert {move.split()[1] for move in picks(before, "b1-a1")} == {"N", "W"}


@pins("pick-of-one-stone-has-one-start")
def test_a_pick_of_one_stone_has_one_start(golden: Golden) -> None:
    assert picks(golden.at(-1), "b1-b2") == [f"b1-b2 N {column}" for column in range(1, 6)]
    assert towers(golden.end) == ["", "", "", "", "p"]


@pins("pick-is-not-barred-by-the-moving-artist")
def test_a_pick_is_not_barred_by_the_moving_artist(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert 5 in AROUND["b1"]
    assert 5 in AROUND["a1"]
    assert "b1" in told(before)["artists"]
    assert towers(end)[3] == "ryb"
    assert full_stacks(before)[4].endswith("r")


@pins("pick-takes-only-the-top-of-each-stack")
def test_a_pick_takes_only_the_top_of_each_stack(golden: Golden) -> None:
    first = full_stacks(golden.at(0))[0]
    assert first.endswith("yr")
    assert towers(golden.at(1))[0] == "r"
    assert full_stacks(golden.at(1))[0] == first[:-1]
    assert towers(golden.end) == ["r", "y", "", "", ""]
    assert full_stacks(golden.end)[0] == first[:-2]


@pins("pick-needs-an-empty-column")
def test_a_pick_needs_an_empty_column(golden: Golden) -> None:
    state = golden.end
    assert all(towers(state))
    assert picks(state) == []
    assert len(state.legal()) == 1 + 31  # red tops two towers
    assert state.legal()[0] == "score r"


@pins("pick-or-score-is-free-to-choose")
def test_to_pick_or_to_score_is_free_to_choose(golden: Golden) -> None:
    state = golden.end
    assert picks(state)
    assert [move for move in state.legal() if "-" not in move] == [
        "score r",
        "tops 1",
        "tops 2",
        "tops 12",
    ]
    assert {move[-1] for move in picks(state)} == {"3", "4", "5"}


@pins("no-pick-is-possible-so-a-seat-has-to-score")
def test_without_a_possible_pick_a_seat_has_to_score(golden: Golden) -> None:
    state = golden.end
    assert towers(state, 1) == ["", "", "r", "b", ""]
    assert not state.over
    assert state.legal() == ["tops 3", "tops 4", "tops 34"]
    # there are stones of both patterns left, and artists of both; all of them are out of reach
    tops = "".join(stack[-1:] for stack in told(state)["stacks"])
    assert not tops.islower()
    assert not tops.isupper()


# Golden records: scores ------------------------------------------------------------------------


def columns_scored(state: State, end: State) -> dict[int, str]:
    """What stood on the columns that changed, from 1."""
    seat = state.waiting[0]
    pairs = zip(towers(state, seat), towers(end, seat), strict=True)
    return {i: was for i, (was, now) in enumerate(pairs, 1) if was != now}


@pins("worked-check-4-4-5-is-13")
def test_worked_check_4_and_4_and_5_are_13(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert [len(tower) for tower in towers(before)] == [1, 2, 3, 3, 4]
    assert columns_scored(before, end) == {1: "p", 4: "ybp", 5: "rbyp"}
    assert told(before)["mandala"] == ""
    assert before.scores == (0, 0)
    assert end.scores == (13, 0)
    assert told(end)["mandala"] == "ppp"
    assert towers(end) == ["", "rb", "rby", "yb", "rby"]


@pins("worked-check-second-stone-covers-plus-two-is-15")
def test_worked_check_the_second_stone_covers_plus_two(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert len(told(before)["mandala"]) == 11
    assert told(before)["data"]["plus"]["13"] == 2
    assert end.scores[0] - before.scores[0] == 15
    assert end.scores[1] == before.scores[1]
    assert told(end)["mandala"] == told(before)["mandala"] + "ppp"
    assert (
        before.view(0).explain("score p")
        == "13 points (columns: 1, 4 and 5), and 2 for the mandala"
    )


@pins("score-counts-an-empty-column-as-a-height")
def test_an_empty_column_counts_as_a_height(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert [len(tower) for tower in towers(before)] == [1, 0, 2, 2, 0]
    assert columns_scored(before, end) == {1: "p", 3: "rp"}
    assert end.scores[0] == 3 + 3


@pins("score-takes-heights-as-they-stand-before-anything-is-removed")
def test_heights_are_as_before_anything_is_removed(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert [len(tower) for tower in towers(before)] == [1] * 5
    assert towers(end) == list(NOTHING)
    assert end.scores[0] == 1 + 4 + 1 + 1 + 2


@pins("score-needs-two-towers-of-the-colour")
def test_a_colour_scores_with_two_towers_or_more(golden: Golden) -> None:
    state = golden.end
    assert towers(state) == ["p", "rb", "B", "", ""]
    assert [move for move in state.legal() if move.startswith("score")] == ["score b"]


@pins("score-takes-every-tower-of-the-colour-of-either-pattern")
def test_every_tower_of_the_colour_scores_of_either_pattern(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert columns_scored(before, end) == {1: "rb", 2: "YB", 4: "b"}
    assert end.scores[0] == 3 + 2 + 1
    assert told(end)["mandala"] == "bBb"


BY_HEIGHT = {  # the towers on columns 2 to 4, and what those with a yellow top score
    "score-columns-2-3-4-by-height-1": (["y", "Y", "y"], 4 + 1 + 1),
    "score-columns-2-3-4-by-height-2": (["ry", "RY", "by"], 2 + 3 + 2),
    "score-columns-2-3-4-by-height-3": (["rry", "ryy", "bby"], 1 + 4 + 4),
    "score-column-2-by-height-4": (["bbpy", "y", ""], 1 + 1),
    "score-column-3-by-height-4": (["y", "bbpy", ""], 4 + 1),
    "score-column-4-by-height-4": (["y", "", "bbpy"], 4 + 6),
}


@pins(*BY_HEIGHT)
def test_columns_2_3_and_4_score_by_their_height(golden: Golden) -> None:
    board, points = BY_HEIGHT[golden.path.stem]
    before, end = golden.at(-1), golden.end
    assert golden.last == "score y"
    assert towers(before)[1:4] == board
    assert towers(before)[0][-1:] != "y"
    assert towers(before)[4] == ""
    assert end.scores[0] == points


@pins("score-column-5-counts-colours-not-stones")
def test_column_5_counts_colours_not_stones(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert columns_scored(before, end) == {4: "r", 5: "brbr"}
    assert end.scores[0] == 1 + (2 + 1)


@pins("tops-one-point-each-of-any-colour")
def test_tops_are_one_point_each(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert columns_scored(before, end) == {1: "p", 3: "B", 4: "ry"}
    assert (before.scores, end.scores) == ((0, 0), (3, 0))
    assert told(end)["mandala"] == "pBy"


@pins("tops-may-leave-towers-that-could-be-laid")
def test_tops_are_of_any_towers(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert columns_scored(before, end) == {1: "rp"}
    assert towers(end) == ["r", "p", "BP", "", ""]
    assert end.scores == (1, 0)
    assert {"tops 12", "tops 13", "tops 123"} < set(before.legal())


# Golden records: the mandala -------------------------------------------------------------------


@pins("stones-are-laid-from-left-to-right")
def test_stones_are_laid_from_left_to_right(golden: Golden) -> None:
    assert towers(golden.at(-1)) == ["p", "rb", "", "by", "R"]
    assert told(golden.end)["mandala"] == "pbyR"


@pins("order-changes-the-picture-and-no-score")
def test_an_order_changes_the_picture_and_no_score(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    seen = told(before)
    assert golden.last == "score p > 5 1 4"
    assert towers(before) == ["p", "rb", "rby", "ybp", "RBYP"]
    assert len(seen["mandala"]) == 4
    assert seen["data"]["plus"]["6"] == 1
    plain = after(before, "score p")
    assert told(plain)["mandala"] == seen["mandala"] + "ppP"
    assert told(end)["mandala"] == seen["mandala"] + "Ppp"
    assert end.scores == plain.scores == (before.scores[0] + 13 + 1, before.scores[1])
    assert towers(end) == towers(plain)


@pins("order-of-tops")
def test_tops_may_be_laid_in_another_order(golden: Golden) -> None:
    assert golden.last == "tops 145 > 4 5 1"
    assert towers(golden.at(-1)) == ["p", "rb", "", "by", "R"]
    assert told(golden.end)["mandala"] == "yRp"
    assert golden.end.scores == (3, 0)
    assert after(golden.at(-1), "tops 145").scores == (3, 0)


@pins("plus-space-gives-points-for-tops-as-well")
def test_a_plus_space_gives_its_points_for_tops_as_well(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert len(told(before)["mandala"]) == 5
    assert end.scores[0] - before.scores[0] == 2 + 1
    assert end.scores[1] == before.scores[1]


@pins("plus-spaces-give-points-each")
def test_every_plus_space_gives_its_points_and_the_track_goes_by_fifties(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert told(before)["data"]["plus"] == {"1": 20, "2": 20, "3": 20}
    seen = told(end)["seats"][0]
    assert (seen["points"], seen["fifties"], seen["track"]) == (3 + 60, 1, 13)
    assert "63 (50+13)" in end.show()


@pins("stones-beyond-the-last-space-are-set-aside")
def test_stones_beyond_the_last_space_are_set_aside(golden: Golden) -> None:
    laid = [len(told(golden.at(ply))["mandala"]) for ply in (-4, -3, -2, -1)]
    assert laid == [46, 51, 56, 61]
    before, end = golden.at(-1), golden.end
    tops = "".join(tower[-1] for tower in towers(before, 3))
    assert (told(before)["aside"], told(end)["aside"]) == ("", tops)
    assert told(end)["mandala"] == told(before)["mandala"]
    assert end.look().points[3] - before.look().points[3] == 5
    assert told(golden.at(-2))["last_round"]
    assert end.result
    assert end.result.reason == "hands"


@pins("r1-fewer-hands-than-seats-are-plain")
def test_a_space_with_fewer_hands_than_seats_is_plain(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert (len(told(before)["mandala"]), len(told(end)["mandala"])) == (38, 40)
    assert told(end)["data"]["hands"] == {"2": 40, "3": 48, "4": 56}
    assert (end.seats, told(end)["last_round"], end.over) == (3, False, False)


@pins("r1-more-hands-than-seats-are-plain")
def test_a_space_with_more_hands_than_seats_is_plain(golden: Golden) -> None:
    end = golden.end
    assert told(end)["data"]["hands"] == {"2": 40, "3": 2, "4": 1}
    assert len(told(end)["mandala"]) == 2
    assert (end.seats, told(end)["last_round"], end.over) == (2, False, False)


# Golden records: the end -----------------------------------------------------------------------


@pins("end-first-seat-covers-the-hands-and-the-round-is-finished")
def test_the_round_is_finished_after_the_hands_are_covered(golden: Golden) -> None:
    before, covered, end = golden.at(-2), golden.at(-1), golden.end
    assert [len(told(s)["mandala"]) for s in (before, covered)] == [38, 40]
    assert not told(before)["last_round"]
    assert told(covered)["last_round"]
    assert covered.waiting == (1,)
    assert picks(covered)
    assert seats_that_moved(golden, 2) == [0, 1]
    assert end.result
    assert end.result.reason == "hands"


@pins("end-last-seat-covers-the-hands-and-the-game-is-over")
def test_the_game_is_over_at_once_if_the_last_seat_covers_the_hands(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert (len(told(before)["mandala"]), before.waiting) == (38, (1,))
    assert end.result
    assert end.result.reason == "hands"
    assert len(golden.record["moves"]) % 2 == 0


@pins("end-three-seats-the-middle-one-covers-the-hands")
def test_of_three_seats_only_those_after_the_one_that_covers_have_a_turn(golden: Golden) -> None:
    covered, end = golden.at(-1), golden.end
    assert seats_that_moved(golden, 2) == [1, 2]
    assert [len(told(golden.at(ply))["mandala"]) for ply in (-2, -1)] == [46, 48]
    assert (covered.waiting, told(covered)["last_round"]) == ((2,), True)
    assert end.result
    assert end.result.reason == "hands"
    assert len(golden.record["moves"]) % 3 == 0


@pins("end-four-seats-cover-space-56")
def test_four_seats_play_to_space_56(golden: Golden) -> None:
    assert seats_that_moved(golden, 3) == [1, 2, 3]
    assert [len(told(golden.at(ply))["mandala"]) for ply in (-3, -2)] == [54, 56]
    assert [told(golden.at(ply))["last_round"] for ply in (-3, -2, -1)] == [False, True, True]
    assert golden.end.result
    assert golden.end.result.reason == "hands"


@pins("stuck-at-the-beginning-of-a-turn")
def test_a_seat_that_can_neither_pick_nor_score_ends_the_game(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert seats_that_moved(golden, 1) == [0]
    assert not before.over
    assert towers(end, 1) == list(NOTHING)
    assert any(towers(end, 0))
    assert told(end)["stacks"] != [""] * 24
    assert not told(end)["last_round"]
    assert end.result
    assert end.result.reason == "stuck"


@pins("stuck-in-the-last-round")
def test_a_seat_that_is_stuck_in_the_last_round_ends_the_game(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert seats_that_moved(golden, 1) == [0]
    assert (len(told(before)["mandala"]), len(told(end)["mandala"])) == (36, 40)
    assert towers(before, 1) == list(NOTHING)
    assert told(end)["last_round"]
    assert end.result
    assert end.result.reason == "stuck"


# Golden records: objectives and ties -----------------------------------------------------------


@pins(*(f"objective-{name}-met" for name in MET))
def test_an_objective_that_is_met_counts(golden: Golden) -> None:
    name = golden.path.stem.removeprefix("objective-").removesuffix("-met")
    before, end = golden.at(-1), golden.end
    assert told(before)["seats"][0]["objective_points"] is None
    assert told(end)["seats"][0]["objectives"][0] == name
    assert towers(end) == [*MET[name], *[""] * (5 - len(MET[name]))]
    points = 7 if "only" in name else 5
    assert objective_points(end)[0] == points
    assert (before.scores[0], end.scores[0]) == (0, points)


@pins(*(f"objective-{name}-unmet" for name in NEARLY))
def test_an_objective_that_is_nearly_met_does_not_count(golden: Golden) -> None:
    name = golden.path.stem.removeprefix("objective-").removesuffix("-unmet")
    end = golden.end
    assert told(end)["seats"][0]["objectives"][0] == name
    assert towers(end) == [*NEARLY[name], *[""] * (5 - len(NEARLY[name]))]
    assert objective_points(end)[0] == 0
    assert end.scores[0] == 0


@pins("objective-ring-only-needs-a-tower", "objective-star-only-needs-a-tower")
def test_an_empty_board_shows_neither_only_rings_nor_only_stars(golden: Golden) -> None:
    end = golden.end
    assert towers(end) == list(NOTHING)
    assert told(end)["seats"][0]["objectives"][0] in golden.path.stem
    assert objective_points(end) == [0, 0]
    assert end.scores == (1, 1)


@pins("objective-looks-at-the-tops-only")
def test_two_red_looks_at_the_tops_only(golden: Golden) -> None:
    end = golden.end
    assert towers(end) == ["r", "RB", "ry", "ryp", ""]
    assert told(end)["seats"][0]["objectives"][0] == "two-red"
    assert objective_points(end)[0] == 0


@pins("objective-the-better-of-two-counts")
def test_the_better_of_two_objectives_counts(golden: Golden) -> None:
    end = golden.end
    assert told(end)["seats"][0]["objectives"] == ["two-columns", "ring-only"]
    assert towers(end) == ["ry", "b", "", "", ""]
    assert (objective_points(end)[0], end.scores[0]) == (7, 7)


@pins("objective-the-only-one-met-counts")
def test_the_only_objective_that_is_met_counts(golden: Golden) -> None:
    end = golden.end
    assert told(end)["seats"][0]["objectives"] == ["ring-only", "two-columns"]
    assert towers(end) == ["ry", "B", "", "", ""]
    assert (objective_points(end)[0], end.scores[0]) == (5, 5)


@pins("objective-worth-by-house-data")
def test_house_data_says_what_an_objective_is_worth(golden: Golden) -> None:
    end = golden.end
    assert told(end)["data"]["objectives"]["two-columns"] == 11
    assert (objective_points(end)[0], end.scores[0]) == (11, 11)


@pins("objectives-count-when-a-seat-is-stuck")
def test_objectives_count_however_the_game_ends(golden: Golden) -> None:
    before, end = golden.at(-1), golden.end
    assert objective_points(end) == [7, 0]
    # seat 1 would win on the points without objectives; with them it is a tie
    assert before.scores == (15, 22)
    assert end.result == mandalier.Result((22, 22), (0,), "stuck")


@pins("tie-goes-to-the-earlier-seat")
def test_a_tie_goes_to_the_earlier_seat(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((1, 1), (0,), "hands")
    assert objective_points(golden.end) == [0, 0]


@pins("tie-goes-to-the-earlier-of-the-seats-that-tie")
def test_a_tie_goes_to_the_earlier_of_the_seats_that_tie(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((0, 1, 1), (1,), "hands")


@pins("tie-may-come-about-by-an-objective")
def test_a_tie_may_come_about_by_an_objective(golden: Golden) -> None:
    end = golden.end
    assert end.look().points[:2] == [1, 6]
    assert end.result == mandalier.Result((6, 6), (0,), "hands")


# Plain positions -------------------------------------------------------------------------------


def test_the_stacks_lie_around_the_circles_as_the_rules_list_them() -> None:
    """A pick with all four stacks free takes from the right ones, for every circle and side."""
    for circle, around in AROUND.items():
        free = [c for c in AROUND if not set(AROUND[c]) & set(around)]
        others = free[:3]
        start = next(c for c in AROUND if c not in (circle, *others))
        letters = {c: "*" if c == start else "o" for c in (start, *others)}
        rows = ["".join(letters.get(c + r, "-") for c in "abc") for r in "123"]
        rows_text = "/".join(rows).replace("o", "*", 1)
        tops = dict(zip(around, ("R", "B", "Y", "P"), strict=True))
        state = standing(NOTHING, NOTHING, artists=rows_text, stacks=tops)
        for side, tower in zip(SIDES, ("RBYP", "BYPR", "YPRB", "PRBY"), strict=True):
            assert towers(after(state, f"{start}-{circle} {side} 1"))[0] == tower


def test_twelve_stacks_touch_two_circles_and_twelve_touch_one() -> None:
    uses = Counter(stack for around in AROUND.values() for stack in around)
    assert sorted(uses) == list(range(1, 25))
    assert Counter(uses.values()) == {1: 12, 2: 12}


@pytest.mark.parametrize("column", [2, 3, 4])
@pytest.mark.parametrize("height", [1, 2, 3, 4])
def test_every_height_scores_as_printed_on_its_column(column: int, height: int) -> None:
    printed = {2: "4211", 3: "1341", 4: "1246"}[column][height - 1]
    board = ["", "", "", "", ""]
    board[column - 1] = "b" * (height - 1) + "p"
    board[4] = "P"
    assert after(standing(board, NOTHING), "score p").scores[0] == int(printed) + 2


@pytest.mark.parametrize(
    ("board", "points"),
    [
        (("p", "", "", "", "p"), 2 + 2),
        (("p", "", "", "", "rp"), 3 + 3),
        (("p", "r", "", "", "rp"), 3 + 3),
        (("p", "rr", "rrr", "bbbb", "P"), 4 + 2),
        (("p", "rr", "rrr", "", "YYYP"), 5 + 3),
        (("yp", "rr", "bb", "yy", "RP"), 1 + 3),
        (("p", "r", "b", "y", "rbyp"), 2 + 5),
        (("rrrp", "", "", "", "rRrp"), 2 + 3),
    ],
)
def test_columns_1_and_5_score_heights_and_colours(board: Sequence[str], points: int) -> None:
    assert after(standing(board, NOTHING), "score p").scores[0] == points


@pytest.mark.parametrize("seats", SEATS)
def test_every_plus_space_gives_its_points_to_the_seat_that_covers_it(seats: int) -> None:
    plus = {6: 1, 27: 1, 13: 2, 20: 2, 34: 2, 44: 2, 52: 2}
    hand = {2: 40, 3: 48, 4: 56}[seats]
    for laid in range(hand - 1):
        state = standing(("p", "", "", "", ""), *[("b",) + ("",) * 4] * (seats - 1), laid=laid)
        points = [0] * seats
        points[0] = 1 + plus.get(laid + 1, 0)
        assert after(state, "tops 1").scores == tuple(points)
        assert not told(after(state, "tops 1"))["last_round"]
    state = standing(("p", "", "", "", ""), *[("b",) + ("",) * 4] * (seats - 1), laid=hand - 1)
    assert told(after(state, "tops 1"))["last_round"]
    assert "this is the last round" in state.view(0).explain("tops 1")


def test_several_hands_and_plus_spaces_may_be_covered_in_one_turn() -> None:
    state = standing(("p", "r", "b", "y", "P"), NOTHING, laid=39)
    played = after(state, "tops 12345")
    assert told(played)["last_round"]
    assert played.scores[0] == 5 + 2  # space 44


def test_the_last_seat_stuck_at_the_end_of_a_round_is_no_matter_of_hands() -> None:
    """Stuck is looked at when a turn begins: seat 0 begins none after a last round."""
    state = standing(NOTHING, ("p", "", "", "", ""), laid=95, turn=1, empty=range(1, 25))
    end = after(state, "tops 1")
    assert end.result
    assert end.result.reason == "hands"


# What is refused -------------------------------------------------------------------------------


def refused(state: State, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        state.play(move)
    return error.value.reason


BOARD = ("p", "rb", "", "ybp", "rbyp")
FULL = ("p", "rb", "y", "ybp", "rbyp")
# the artists stand as at the deal, the ring artists on b1 and b3; around b2 only stack 9 is free
# for the one on b1; around c3 only 21 and 24 are; around a3 18 and 22 are
SHOWN = {9: "rrR", 21: "bbY", 24: "rrb", 22: "", 18: "YYr", 1: "YYY", 5: "YYB", 4: ""}


@pytest.mark.parametrize(
    ("board", "move", "words"),
    [
        (BOARD, "score r", "red tops none of your towers; two are needed"),
        (BOARD, "score b", "blue tops only one of your towers; two are needed"),
        (BOARD, "tops 3", "no tower stands on column 3"),
        (BOARD, "tops 1345", "no tower stands on column 3"),
        (NOTHING, "tops 25", "no tower stands on column 2"),
        (BOARD, "score p > 5 1", "names each column that is laid, once: 1, 4 and 5"),
        (BOARD, "score p > 5 1 4 2", "names each column that is laid, once: 1, 4 and 5"),
        (BOARD, "score p > 5 1 2", "names each column that is laid, once: 1, 4 and 5"),
        (BOARD, "score r > 1 2", "red tops none of your towers"),
        (BOARD, "tops 12 > 1 4", "names each column that is laid, once: 1 and 2"),
        (BOARD, "tops 12 > 1", "names each column that is laid, once: 1 and 2"),
        (BOARD, "tops 23 > 3 2", "no tower stands on column 3"),
        (FULL, "b1-a1 N 3", "towers stand on all your columns, so you have to score"),
        (BOARD, "a1-c1 N 3", "no artist stands on a1"),
        (BOARD, "b1-a2 N 3", "an artist stands on a2 already"),
        (BOARD, "b1-c3 S 5", "a tower stands on column 5; empty: 3"),
        (NOTHING, "b1-c3 N 3", "stack 17 touches the artist on c2, so it yields no stone"),
        (NOTHING, "b1-c3 N 3", "it could start with S$"),
        (NOTHING, "b1-c3 E 3", "stack 21 shows a star, so it yields no stone to a ring artist"),
        (NOTHING, "b1-b2 N 3", "stack 9 shows a star.*; nor does any other stack around b2$"),
        (NOTHING, "b1-b2 E 3", "stack 13 touches the artist on c2.*nor does any other"),
        (NOTHING, "b1-a3 S 3", "stack 22 is empty and yields no stone; it could start with W$"),
        (NOTHING, "a2-c3 S 3", "stack 24 shows a ring, so it yields no stone to a star artist"),
        (NOTHING, "b1-a1 S 3", "stack 8 touches the artist on a2.*nor does any other"),
    ],
)
def test_a_move_against_the_rules_is_refused_with_the_reason(
    board: Sequence[str], move: str, words: str
) -> None:
    reason = refused(standing(board, NOTHING, stacks=SHOWN), move)
    assert re.search(words, reason), reason


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (text, "a move looks like a2-b2 N 3, score p or tops 135")
        for text in (
            *("", " ", "pick", "a2-b2", "a2-b2 N", "a2-b2 N 6", "a2-b2 N 0", "a2-a2 N 1"),
            *("a2-d2 N 1", "a0-b2 N 1", "A2-B2 N 1", "a2-b2 n 1", "a2 b2 N 1", "a2-b2  N 1"),
            *("a2-b2 N 1 ", "score", "score P", "score g", "score pp", "score  p", "tops"),
            *("tops 0", "tops 6", "tops 31", "tops 11", "tops 1 3", "tops 1,3", "top 1"),
            *("> 5 1 4", "a2-b2 N 3 >", "tops １", "score p>5", "score p >5 1 4"),
        )
    ]
    + [("a2-b2 N 3 > 3", "an order of columns follows a score only; a pick lays no stones")]
    + [
        (text, "an order looks like > 5 1 4: each column that is laid, once")
        for text in (
            *("score p > ", "score p > 5  1", "score p > 5,1", "score p > 55", "score p > 5 5"),
            *("score p > 0", "score p > 6 1", "score p > 1 ", "tops 1 > > 1", "tops 1 >  1"),
            *("score p > 1 2 3 4 5 1", "score p > ５"),
        )
    ],
)
def test_a_text_that_is_no_move_is_refused(move: str, words: str) -> None:
    assert refused(standing(BOARD, NOTHING), move) == words


def test_nobody_moves_out_of_turn_or_after_the_end() -> None:
    with pytest.raises(IllegalMove, match="not the turn of seat 1"):
        standing(BOARD, BOARD).play("tops 1", 1)
    with pytest.raises(IllegalMove, match="the game is over"):
        Golden("stones", "tie-goes-to-the-earlier-seat").end.play("tops 1", 0)


Setup = dict[str, Any]
GOOD_SETUP: Setup = Story(2).record["setup"]


def replaced(i: int, value: Any) -> Callable[[Setup], None]:
    return lambda setup: setup["stacks"].__setitem__(i, value)


def put(name: str, value: Any) -> Callable[[Setup], None]:
    return lambda setup: setup.__setitem__(name, value)


def artist(**artists: Any) -> Callable[[Setup], None]:
    return lambda setup: setup["artists"].update(artists)


ARTISTS = "artists: two ring and two star stand on b1, a2, c2 and b3"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda setup: setup.pop("stacks"), "has stacks, artists and objectives"),
        (lambda setup: setup.pop("artists"), "has stacks, artists and objectives"),
        (lambda setup: setup.pop("objectives"), "has stacks, artists and objectives"),
        (put("bag", []), "has stacks, artists and objectives"),
        (put("stacks", None), "stacks: a list of 24 texts"),
        (put("stacks", "rbyp" * 24), "stacks: a list of 24 texts"),
        (put("stacks", ["rRbB"] * 23), "stacks: a list of 24 texts"),
        (put("stacks", ["rRbB"] * 25), "stacks: a list of 24 texts"),
        (replaced(3, "rby"), "stacks: 'rby' is not four letters"),
        (replaced(3, "rbypr"), "stacks: 'rbypr' is not four letters"),
        (replaced(3, ""), "stacks: '' is not four letters"),
        (replaced(3, "(rb)"), r"stacks: '\(rb\)' is not four letters"),
        (replaced(3, None), "stacks: None is not four letters"),
        (replaced(3, ["r", "b", "y", "p"]), r"stacks: \['r', 'b', 'y', 'p'\] is not four"),
        (replaced(3, "rbyg"), "'rbyg' is no pile of 1 to 4 stones"),
        (replaced(3, "rbyé"), "'rbyé' is no pile"),
        (put("stacks", ["rbyp"] * 24), "there are 24 stones r, not 12"),
        (put("stacks", ["rrbb"] * 24), "there are 48 red stones, not 24"),
        (put("artists", None), ARTISTS),
        (put("artists", []), ARTISTS),
        (put("artists", ["b1", "a2", "c2", "b3"]), ARTISTS),
        (put("artists", {"b1": "ring", "a2": "star", "c2": "star"}), ARTISTS),
        (artist(b2="ring"), ARTISTS),
        (artist(a2="ring"), ARTISTS),
        (artist(a2="moon"), ARTISTS),
        (artist(a2=None), ARTISTS),
        (put("objectives", None), "objectives: a list of two for each of 2 seats"),
        (put("objectives", []), "objectives: a list of two for each of 2 seats"),
        (put("objectives", [["two-red", "two-blue"]] * 3), "a list of two for each of 2 seats"),
        (put("objectives", [["two-red", "two-blue"], ["six-stones"]]), "a seat has two"),
        (put("objectives", [["two-red", "two-blue"], None]), "a seat has two objectives"),
        (put("objectives", [["two-red", "two-blue"], "six-stones"]), "a seat has two objectives"),
        (put("objectives", [["two-red", "two-blue"], ["six-stones", "two-reds"]]), "two-reds"),
        (put("objectives", [["two-red", "two-blue"], ["six-stones", None]]), "no objective None"),
        (
            put("objectives", [["two-red", "two-blue"], ["six-stones", "two-red"]]),
            "the objective two-red is dealt twice",
        ),
        (
            put("objectives", [["two-red", "two-red"], ["six-stones", "two-blue"]]),
            "the objective two-red is dealt twice",
        ),
    ],
)
def test_a_setup_that_cannot_be_is_refused_with_the_reason(
    change: Callable[[Setup], Any], words: str
) -> None:
    setup = {
        "stacks": list(GOOD_SETUP["stacks"]),
        "artists": dict(GOOD_SETUP["artists"]),
        "objectives": [list(pair) for pair in GOOD_SETUP["objectives"]],
    }
    change(setup)
    form = {"mandalier": 1, "game": "stones", "rules": 1, "seats": 2, "options": {}, "moves": []}
    with pytest.raises(ValueError, match=words):
        replay({**form, "setup": setup})


@pytest.mark.parametrize("seats", [1, 5, 0])
def test_there_are_two_to_four_seats(seats: int) -> None:
    with pytest.raises(MandalierError, match="2, 3 or 4 seats"):
        mandalier.deal("stones", seats, 1)


def test_nothing_is_left_to_chance_after_the_deal() -> None:
    state = mandalier.deal("stones", 2, 1)
    for call in (game("stones").module.chance_text, partial(_set_chance, text="x")):
        with pytest.raises(ValueError, match="nothing is left to chance"):
            call(state.look())
    with pytest.raises(MandalierError, match="no chance is due"):
        replay({**state.record(), "moves": ["* rRbB"]})


def _set_chance(s: Any, text: str) -> None:
    game("stones").module.set_chance(s, text)


DEALT = mandalier.deal("stones", 2, 1).position


def field(name: str, value: str) -> str:
    """The position of a deal with one field changed, or added."""
    if f" {name}=" in DEALT:
        return re.sub(rf" {name}=\S+", f" {name}={value}", DEALT)
    return f"{DEALT} {name}={value}"


def with_piles(change: Callable[[list[str]], Any]) -> str:
    piles = re.findall(r" stack=(\S+)", DEALT)[0].split(",")
    change(piles)
    return field("stack", ",".join(piles))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (with_piles(list.pop), "24 piles are needed here, not 23"),
        (with_piles(lambda p: p.__setitem__(0, "rbg")), "'rbg' is no pile"),
        (with_piles(lambda p: p.__setitem__(0, "rbypr")), "'rbypr' is no pile"),
        (with_piles(lambda p: p.__setitem__(0, "r(b)y")), "no pile"),
        (with_piles(lambda p: p.__setitem__(0, "-")), "stones, not"),
        (with_piles(lambda p: p.__setitem__(0, p[0][:3])), "stones, not"),
        (with_piles(lambda p: p.__setitem__(0, p[0].swapcase())), "stones ., not 12"),
        (with_piles(lambda p: p.__setitem__(0, f"({p[0][:3].lower()}){p[0][3]}")), "stones ., not"),
        (field("artists", "oo-/**-"), "three rows of three circles"),
        (field("artists", "ooo/**-/---"), "two ring artists and two star artists are needed"),
        (field("artists", "oo-/*--/---"), "two ring artists and two star artists are needed"),
        (field("artists", "ox-/*-*/-o-"), "three rows of three circles"),
        (field("objective", "two-red,two-blue/two-red,six-stones"), "two-red is dealt twice"),
        (field("objective", "two-red,two-blue/?"), "seat 1 needs two objectives"),
        (field("objective", "two-red,two-blue"), "a text for each seat"),
        (field("objective", "two-red/two-blue"), "a seat has two objectives"),
        (field("objective", "two-red,red-two/two-blue,six-stones"), "no objective red-two"),
        (field("tower", "r,-,-,-/-,-,-,-,-"), "5 piles are needed here, not 4"),
        (field("tower", "r,-,-,-,-/-,-,-,-,-"), "25 red stones, not 24|13 stones r, not 12"),
        (field("laid", "r"), "25 red stones, not 24|13 stones r, not 12"),
        (field("laid", "g"), "up to 96 of rbypRBYP"),
        (field("points", "0,0,5,0"), "no such seat"),
        (field("points", "-1,0,0,0"), "points not below 0"),
        (field("turn", "2"), "no such seat"),
        (field("order", "1"), "order and chance are 0 here"),
        (field("open_stacks", "2"), "open_stacks 0 or 1"),
        (field("chance", "1"), "order and chance are 0 here"),
        (field("over", "1"), r"the game is not over here \(hands\)"),
        (field("over", "2"), r"the game is not over here \(stuck\)"),
        (field("seats", "3"), "seat 2 needs two objectives"),
        (field("seats", "5"), "no such number of seats"),
        (field("viewer", "1"), "shows what its viewer cannot see"),
        (field("showing", "1,2"), "no such field"),
        (field("rings", "90,7"), "mandala.rings.spaces together"),
        (field("rings", "-1,62"), "mandala.rings.spaces: .* not -1"),
        (field("plus", "21"), r"plus.1.points: a whole number from 1 to 20 is needed, not 21"),
        (field("hands", "62,48,56"), "hands.2.space: a whole number from 1 to 61"),
        (field("worth", "51,7,5,5,5,5,5,5,5,5"), "objectives.ring-only.points"),
    ],
)
def test_a_position_that_cannot_be_is_refused_with_the_reason(line: str, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        mandalier.position(line)


def test_a_view_that_knows_too_much_is_refused() -> None:
    view = mandalier.deal("stones", 2, 1).view(0).position
    assert isinstance(mandalier.position(view), View)
    with pytest.raises(PositionError, match="cannot see"):
        mandalier.position(re.sub(r"stack=\((.)(..)\)", r"stack=\1\2", view, count=1))
    with pytest.raises(PositionError, match="seat 0 needs two objectives"):
        mandalier.position(re.sub(r"objective=\S+", "objective=?/?", view))


# House data ------------------------------------------------------------------------------------

DATA = files("mandalier.games").joinpath("stones.toml").read_text("utf-8")


def test_the_house_data_of_the_rules_is_the_default_one() -> None:
    assert told(mandalier.deal("stones", 2, 1))["data"] == {
        "mandala": {"rings": [1, 6, 12, 18, 24]},
        "plus": {"6": 1, "13": 2, "20": 2, "27": 1, "34": 2, "44": 2, "52": 2},
        "hands": {"2": 40, "3": 48, "4": 56},
        "objectives": {name: 7 if "only" in name else 5 for name in MET},
    }


def changed(old: str, new: str) -> str:
    assert DATA.count(old) == 1, old
    return DATA.replace(old, new)


HOUSE = 'source = "house" }'
BAD_DATA = [
    (changed("[plus]", "[pluses]"), "pluses: the tables are mandala, plus, hands and objectives"),
    ("plus = 3", "plus: a table is needed"),
    ("[[hands]]\nspace = 3", "hands: a table is needed"),
    (changed("6 = { points = 1, " + HOUSE, "6 = 1"), "plus.6 needs points and source only"),
    (changed("6 = { points = 1, " + HOUSE, "6 = {points = 1}"), "plus.6 needs points and source"),
    (changed("6 = { points = 1, " + HOUSE, "6 = {" + HOUSE), "plus.6 needs points and source"),
    (
        changed("6 = { points = 1, ", "6 = { points = 1, note = 3, "),
        "plus.6 needs points and source only",
    ),
    (
        changed("6 = { points = 1, " + HOUSE, '6 = { points = 1, source = "guess" }'),
        'plus.6.source is "house" or "printed"',
    ),
    (
        changed("6 = { points = 1, " + HOUSE, "6 = { points = 1, source = 1 }"),
        'plus.6.source is "house" or "printed"',
    ),
    (changed("6 = { points = 1,", "6 = { points = 0,"), "plus.6.points: .* 1 to 20 .* not 0"),
    (changed("6 = { points = 1,", "6 = { points = 21,"), "plus.6.points: .* 1 to 20 .* not 21"),
    (changed("6 = { points = 1,", "6 = { points = 1.0,"), "plus.6.points: a whole number"),
    (changed("6 = { points = 1,", "6 = { points = true,"), "plus.6.points: .* not True"),
    (changed("6 = { points = 1,", '6 = { points = "1",'), "plus.6.points: .* not '1'"),
    (changed("6 = { points = 1,", "0 = { points = 1,"), "plus.0: the spaces are 1 to 61"),
    (changed("6 = { points = 1,", "62 = { points = 1,"), "plus.62: the spaces are 1 to 61"),
    (changed("6 = { points = 1,", "06 = { points = 1,"), "plus.06: the spaces are 1 to 61"),
    (changed("6 = { points = 1,", "six = { points = 1,"), "plus.six: the spaces are 1 to 61"),
    (changed("rings = {", "ring = {"), "mandala.rings is missing"),
    (
        changed("[plus]", "more = { spaces = [1], " + HOUSE + "\n[plus]"),
        "mandala.more: the entries",
    ),
    (changed("[1, 6, 12, 18, 24]", "[]"), "mandala.rings.spaces: a list of 1 to 8 numbers"),
    (changed("[1, 6, 12, 18, 24]", "61"), "mandala.rings.spaces: a list of 1 to 8 numbers"),
    (changed("[1, 6, 12, 18, 24]", str([8] * 9)), "mandala.rings.spaces: a list of 1 to 8"),
    (changed("[1, 6, 12, 18, 24]", "[1, 0, 60]"), "mandala.rings.spaces: .* not 0"),
    (changed("[1, 6, 12, 18, 24]", '[61, "5"]'), "mandala.rings.spaces: .* not '5'"),
    (
        changed("[1, 6, 12, 18, 24]", "[61, 36]"),
        "mandala.rings.spaces together: .* 1 to 96 .* not 97",
    ),
    (changed("[1, 6, 12, 18, 24]", "[51]"), "plus.52: the spaces are 1 to 51"),
    (changed("[1, 6, 12, 18, 24]", "[55]"), "hands.4.space: .* 1 to 55 .* not 56"),
    (changed("4 = { space = 56,", "4 = { space = 0,"), "hands.4.space: .* 1 to 61 .* not 0"),
    (changed("4 = { space = 56,", "4 = { space = 56.5,"), "hands.4.space: .* not 56.5"),
    (changed("4 = { space = 56,", "4 = { points = 56,"), "hands.4 needs space and source only"),
    (changed("4 = { space = 56,", "5 = { space = 56,"), "hands.4 is missing"),
    (
        changed("[objectives]", "5 = { space = 60, " + HOUSE + "\n[objectives]"),
        "hands.5: the entries are 2, 3 and 4",
    ),
    (changed("two-red =", "two-reds ="), "objectives.two-red is missing"),
    (DATA + "one-red = { points = 5, " + HOUSE, "objectives.one-red: the entries are"),
    (
        changed("two-red = { points = 5,", "two-red = { points = 51,"),
        "objectives.two-red.points: .* 0 to 50 .* not 51",
    ),
    (
        changed("two-red = { points = 5,", "two-red = { points = -1,"),
        "objectives.two-red.points: .* not -1",
    ),
    (changed("two-red = {", "two-red = 5 #"), "objectives.two-red needs points and source only"),
]


@pytest.mark.parametrize(("text", "words"), BAD_DATA)
def test_bad_house_data_is_refused_by_the_name_of_the_entry(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MandalierError, match=words):
        mandalier.deal("stones", 2, 1, {"data": tomllib.loads(text)})
    file = tmp_path / "house.toml"
    file.write_text(text, encoding="utf-8")
    assert main(["simulate", "stones", "--games", "1", "--data", str(file)]) == 2
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize("data", [None, [], "stones.toml", 3, [["plus", {}]]])
def test_house_data_is_a_table_of_tables(data: Any) -> None:
    with pytest.raises(MandalierError, match=r"a table of tables, like stones\.toml"):
        mandalier.deal("stones", 2, 1, {"data": data})


def test_house_data_that_says_nothing_new_is_left_out_of_the_record() -> None:
    whole = tomllib.loads(DATA)
    plain = mandalier.deal("stones", 2, 1)
    for data in (whole, {}, {"hands": whole["hands"]}):
        state = mandalier.deal("stones", 2, 1, {"data": data})
        assert state.record() == plain.record()
        assert state.record()["options"] == {}
    other = {**whole, **hands(39)}
    record = mandalier.deal("stones", 2, 1, {"data": other}).record()
    assert record["options"] == {"data": hands(39)}


def test_house_data_may_leave_out_tables_and_have_no_plus_spaces() -> None:
    small = {"rings": {"spaces": [1, 7], "source": "printed"}}
    data = {"mandala": small, "plus": {}, **hands(8, 7, 6)}
    state = mandalier.deal("stones", 2, 1, {"data": data})
    seen = told(state)["data"]
    assert (seen["mandala"]["rings"], seen["plus"]) == ([1, 7], {})
    assert seen["objectives"]["ring-only"] == 7
    chooser = random.Random(1)
    while not state.over:
        state.play(chooser.choice(state.legal()))
    assert len(told(state)["mandala"] + told(state)["aside"]) >= 8
    assert replay(state.record()).scores == state.scores
    with pytest.raises(MandalierError, match=r"plus\.13: the spaces are 1 to 8"):
        mandalier.deal("stones", 2, 1, {"data": {"mandala": small, **hands(8, 7, 6)}})


def test_house_data_is_kept_in_a_position() -> None:
    state = mandalier.deal("stones", 2, 1, {"data": hands(7)})
    assert "hands=7,48,56" in state.position
    again = mandalier.position(state.position)
    assert isinstance(again, State)
    assert told(again)["data"]["hands"]["2"] == 7
    assert "hands=" not in DEALT


# Options and who sees what ---------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 0, "true", None, [], "yes"])
def test_open_stacks_is_true_or_false(value: Any) -> None:
    with pytest.raises(MandalierError, match="open stacks is true or false"):
        mandalier.deal("stones", 2, 1, {"open stacks": value})


def test_there_are_no_other_options() -> None:
    with pytest.raises(
        MandalierError, match="no option 'open_stacks'; it has data and open stacks"
    ):
        mandalier.deal("stones", 2, 1, {"open_stacks": True})


@pytest.mark.parametrize("seats", SEATS)
def test_with_open_stacks_everybody_sees_the_patterns(seats: int) -> None:
    state = mandalier.deal("stones", seats, 5, {"open stacks": True})
    assert state.record()["options"] == {"open stacks": True}
    assert mandalier.deal("stones", seats, 5, {"open stacks": False}).record()["options"] == {}
    chooser = random.Random(1)
    while not state.over:
        for seat in viewers(seats):
            view = state.view(seat)
            seen = view.describe()
            assert seen["open_stacks"] is True
            assert seen["stacks"] == full_stacks(state)
            assert seen["covered"] == {colour: {"ring": 0, "star": 0} for colour in COLOURS}
            assert full_stacks(view.imagine(3)) == full_stacks(state)
            shown = [row["objectives"] is not None for row in seen["seats"]]
            assert shown == [other == seat for other in range(seats)]
        state.play(chooser.choice(state.legal()))
    again = replay(loads(dumps(state.record())))
    assert again.view() == state.view()
    plain = replay({**state.record(), "options": {}})
    assert plain.result == state.result


@pytest.mark.parametrize("seats", SEATS)
def test_views_show_colours_of_covered_stones_and_patterns_of_the_others(seats: int) -> None:
    for state in plays("stones", seats, 2):
        for seat in viewers(seats):
            seen = state.view(seat).describe()
            for shown, stack in zip(seen["stacks"], full_stacks(state), strict=True):
                covered, top = stack[:-1].lower(), stack[-1:]
                assert shown == (f"({covered})" if covered else "") + top
            for other in range(seats):
                row = seen["seats"][other]
                known = state.over or other == seat
                assert (row["objectives"] is not None) == known
                assert row["towers"] == told(state)["seats"][other]["towers"]


def test_a_view_counts_the_covered_patterns() -> None:
    for state in plays("stones", 3, 4):
        hidden = Counter("".join(stack[:-1] for stack in full_stacks(state)))
        for colour, counts in told(state)["covered"].items():
            assert counts == {"ring": hidden[colour], "star": hidden[colour.upper()]}


# How often an imagined world is which. The levels were chosen beforehand: each chi-square test
# rejects at 0.001, whose limits are given with the degrees of freedom.

LIMITS = {17: 40.79, 55: 93.17, 89: 135.98}


def chi_square_is_fine(counts: Mapping[Any, int], cells: int) -> bool:
    expected = sum(counts.values()) / cells
    assert len(counts) <= cells
    found = sum((n - expected) ** 2 / expected for n in counts.values())
    return found + (cells - len(counts)) * expected < LIMITS[cells - 1]


def worlds(view: View, count: int) -> list[Any]:
    """Twins of imagined worlds."""
    engine = view.game.interpreted
    states, hidden = engine.states(1), view.look()
    found = []
    for seed in range(count):
        states[0] = hidden
        engine.imagine_at(states, 0, seed)
        found.append(kernel.to_twin(_row(states[0])))
    return found


def _row(s: Any) -> Any:
    import numpy as np

    row = np.zeros(1, s.dtype)
    kernel.to_row(s, row[0])
    return row[0]


def test_covered_patterns_are_imagined_in_all_ways_alike() -> None:
    """Of four covered red stones two are rings, of three blue ones one: 6 × 3 ways."""
    shown = {1: "rRrB", 8: "RbBy", 15: "BP"}
    empty = [n for n in range(1, 25) if n not in shown]
    board = ("rb", "y", "", "", "")
    state = standing(board, board, laid=0, turn=1, stacks=shown, empty=empty)
    module = game("stones").module
    found: Counter[str] = Counter()
    for world in worlds(state.view(0), 3600):
        found["".join(module.pile_text(world.stack[n - 1])[:-1] for n in shown)] += 1
    assert {text.lower() for text in found} == {"rrrrbbb"}
    assert all(sum(map(str.islower, text[:4])) == 2 for text in found)
    assert all(sum(map(str.islower, text[4:])) == 1 for text in found)
    assert chi_square_is_fine(found, 18)


def test_every_covered_stone_is_a_ring_as_often_as_its_colour_is() -> None:
    """At a deal and in the middle of a game; a limit of 4.5 standard deviations for each of some
    hundred places, one in a thousand for all."""
    game_so_far = list(plays("stones", 2, 3))
    for state in (game_so_far[0], game_so_far[14]):
        view, count = state.view(1), 1500
        covered = view.describe()["covered"]
        rings: Counter[tuple[int, int]] = Counter()
        for world in worlds(view, count):
            for i, pile in enumerate(world.stack):
                for shift in (4, 8, 12):
                    rings[i, shift] += pile >> shift & 12 == 4
        for i, pile in enumerate(view.look().stack):
            for shift in (4, 8, 12):
                if pile >> shift:
                    of_it = covered[COLOURS[pile >> shift & 3]]
                    share = of_it["ring"] / (of_it["ring"] + of_it["star"])
                    spread = sqrt(count * share * (1 - share))
                    assert abs(rings[i, shift] - count * share) <= 4.5 * spread
                else:
                    assert rings[i, shift] == 0


def test_objectives_are_imagined_in_all_ways_alike() -> None:
    """Seat 0 of three does not know four of eight: any two are as likely as any other two, for
    one seat and across two seats."""
    state = mandalier.deal("stones", 3, 8)
    own = state.look().objective[0]
    one_seat: Counter[tuple[int, int]] = Counter()
    two_seats: Counter[tuple[int, int]] = Counter()
    for world in worlds(state.view(0), 5600):
        dealt = [card for seat in range(3) for card in world.objective[seat]]
        assert len(set(dealt)) == 6
        assert dealt[:2] == own
        one_seat[dealt[2], dealt[3]] += 1
        two_seats[dealt[3], dealt[4]] += 1
    assert chi_square_is_fine(one_seat, 8 * 7)
    assert chi_square_is_fine(two_seats, 8 * 7)


def test_a_spectator_imagines_all_objectives_alike() -> None:
    view = mandalier.deal("stones", 2, 8).view()
    pairs = Counter((w.objective[0][0], w.objective[1][1]) for w in worlds(view, 5400))
    assert chi_square_is_fine(pairs, 10 * 9)


def test_after_the_end_nobody_has_to_imagine_objectives() -> None:
    *_, state = plays("stones", 3, 8)
    for world in worlds(state.view(), 20):
        assert world.objective == state.look().objective


# Counts and digests ----------------------------------------------------------------------------

COUNTED_IN_C = {
    # seats: by seed 1 … 5, the sequences of 1, 2, 3, 4 moves
    2: (
        (115, 16475, 1952175, 231677875),
        (105, 14325, 1648425, 192208525),
        (110, 15175, 1738075, 200230575),
        (120, 17075, 2029875, 242775475),
        (115, 16125, 1892125, 222845325),
    ),
    3: (
        (115, 16475, 2419625, 287157125),
        (105, 14325, 2042625, 238200125),
        (110, 15175, 2153625, 248115625),
        (120, 17075, 2516000, 300932000),
        (115, 16125, 2345000, 276191500),
    ),
    4: (
        (115, 16475, 2419625, 355921875),
        (105, 14325, 2042625, 295196875),
        (110, 15175, 2153625, 307452500),
        (120, 17075, 2516000, 373020000),
        (115, 16125, 2345000, 342308125),
    ),
}
"""By an independent engine in C (bench/limit)."""


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_sequences_of_moves_are_as_many_as_in_the_c_engine(seats: int, seed: int) -> None:
    state = mandalier.deal("stones", seats, seed)
    deepest = (4 if seed == seats else 3) if kernel.can_compile() else 2
    counts = tuple(perft(state, depth) for depth in range(1, deepest + 1))
    assert counts == COUNTED_IN_C[seats][seed - 1][:deepest]


PLAYED_IN_C: dict[int, tuple[int, int, list[int], list[int]]] = {
    # seats: moves, sum of the games' digests, points and wins by seat
    2: (86532, 4258828960090, [55204, 56017], [1007, 993]),
    3: (108555, 4194911939250, [45054, 45903, 45744], [669, 688, 643]),
    4: (130336, 4254235088730, [40272, 40633, 40680, 39996], [542, 523, 505, 430]),
}
"""2,000 random games of seed 7 by an independent engine in C (bench/limit)."""


@needs_numba
@pytest.mark.parametrize("seats", SEATS)
def test_two_thousand_random_games_go_as_in_the_c_engine(seats: int) -> None:
    data = simulate(Run.of("stones", seats, games=2000, seed=7), workers=1).data()
    moves, digest, points, wins = PLAYED_IN_C[seats]
    assert (data["moves"], data["digest"]) == (moves, digest)
    assert [row["wins"] for row in data["by_seat"]] == wins
    assert [round(row["score_mean"] * 2000) for row in data["by_seat"]] == points
    assert data["reasons"] == {"hands": 2000, "stuck": 0}


# A second engine -------------------------------------------------------------------------------


def brute_of(state: State, **data: Any) -> Brute:
    setup = state.record()["setup"]
    return Brute(setup["stacks"], setup["artists"], setup["objectives"], **data)


def same(state: State, brute: Brute) -> None:
    seen = told(state)
    assert (seen["over"] or "") == brute.reason
    found = state.legal(brute.turn)
    assert sorted(found) == sorted(brute.legal())
    if brute.reason:
        return
    assert state.waiting == (brute.turn,)
    assert full_stacks(state) == ["".join(stack) for stack in brute.stacks.values()]
    assert seen["artists"] == brute.artists
    assert (seen["mandala"], seen["aside"]) == ("".join(brute.mandala), "".join(brute.aside))
    assert seen["last_round"] == brute.last_round
    for seat, row in enumerate(seen["seats"]):
        assert row["towers"] == ["".join(tower) for tower in brute.towers[seat].values()]
        assert row["points"] == brute.points[seat]


def play_both(state: State, brute: Brute, choose: Callable[[list[str]], str]) -> str:
    """A whole game by both; how it ended."""
    same(state, brute)
    while not state.over:
        move = choose(state.legal())
        state.play(move)
        brute.play(move)
        same(state, brute)
    assert state.result == mandalier.Result(tuple(brute.totals), (brute.winner,), brute.reason)
    assert objective_points(state) == [brute.objective_points(i) for i in range(brute.seats)]
    return brute.reason


def any_move(chooser: random.Random, moves: list[str]) -> str:
    return chooser.choice(moves)


def picks_first(chooser: random.Random, moves: list[str]) -> str:
    return chooser.choice([move for move in moves if "-" in move] or moves)


def colours_first(chooser: random.Random, moves: list[str]) -> str:
    scores = [move for move in moves if move.startswith("score")]
    return chooser.choice(scores or picks_first_or_tops(chooser, moves))


def picks_first_or_tops(chooser: random.Random, moves: list[str]) -> list[str]:
    if chooser.random() < 0.7:
        return [move for move in moves if "-" in move] or moves
    return moves


def tops_at_once(chooser: random.Random, moves: list[str]) -> str:
    return moves[-1] if moves[-1].startswith("tops") else chooser.choice(moves)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("choose", [any_move, picks_first, colours_first, tops_at_once])
def test_whole_games_go_as_by_the_plain_rules(
    seats: int, choose: Callable[[random.Random, list[str]], str]
) -> None:
    chooser = random.Random(seats)
    for seed in range(7):
        state = mandalier.deal("stones", seats, 100 + seed)
        play_both(state, brute_of(state), partial(choose, chooser))


@pytest.mark.parametrize("seats", SEATS)
def test_games_without_hands_within_reach_go_as_by_the_plain_rules(seats: int) -> None:
    """The last space is the one with hands and lies far, so that most games end stuck."""
    rings = {"rings": {"spaces": [1, 95], "source": "house"}}
    data = {"mandala": rings, "plus": {}, **hands(96, 96, 96)}
    far = {"hands": dict.fromkeys(SEATS, 96), "plus": {}, "spaces": 96}
    chooser = random.Random(seats)
    ends: Counter[str] = Counter()
    for seed in range(7):
        state = mandalier.deal("stones", seats, seed, {"data": data})
        ends[play_both(state, brute_of(state, **far), partial(tops_at_once, chooser))] += 1
    assert ends["stuck"] >= 3


@pytest.mark.parametrize("seats", SEATS)
def test_games_with_a_small_mandala_go_as_by_the_plain_rules(seats: int) -> None:
    """Stones are set aside in most games."""
    rings = {"rings": {"spaces": [1, 6, 4], "source": "house"}}
    gifts = {"points": 3, "source": "house"}
    data = {"mandala": rings, "plus": {"2": gifts, "11": gifts}, **hands(11, 10, 9)}
    small = {"hands": {2: 11, 3: 10, 4: 9}, "plus": {2: 3, 11: 3}, "spaces": 11}
    chooser = random.Random(seats)
    aside = 0
    for seed in range(12):
        state = mandalier.deal("stones", seats, seed, {"data": data})
        play_both(state, brute_of(state, **small), partial(picks_first, chooser))
        aside += len(told(state)["aside"])
    assert aside > 5


# Laws of symmetry ------------------------------------------------------------------------------

TABLES = st.integers(SEATS[0], SEATS[-1])
SEEDS = st.integers(0, 2**40)
EDGES = [(row, column) for row in range(7) for column in range(7) if (row + column) % 2]
"""The stacks on a grid on which the circles are at odd rows and columns."""


class Image:
    """A way to see the game in another light: other colours, patterns or sides."""

    def __init__(self, letters: str = LETTERS, turns: int = 0, mirror: bool = False) -> None:
        self.letters = str.maketrans(LETTERS, letters)
        self.turns, self.mirror = turns, mirror
        self.objectives: dict[str, str] = {}
        for i, colour in enumerate(COLOURS):
            self.objectives[f"two-{NAMES[colour]}"] = f"two-{NAMES[letters[i].lower()]}"
        self.swaps_patterns = letters[0].isupper()
        if self.swaps_patterns:
            self.objectives |= {"ring-only": "star-only", "star-only": "ring-only"}

    def point(self, row: int, column: int) -> tuple[int, int]:
        if self.mirror:
            column = 6 - column
        for _ in range(self.turns):
            row, column = column, 6 - row
        return row, column

    def circle(self, name: str) -> str:
        row, column = self.point(2 * int(name[1]) - 1, 2 * "abc".index(name[0]) + 1)
        return "abc"[column // 2] + "123"[row // 2]

    def side(self, side: str) -> str:
        if self.mirror:
            side = {"E": "W", "W": "E"}.get(side, side)
        return SIDES[(SIDES.index(side) + self.turns) % 4]

    def pile(self, pile: str) -> str:
        return pile.translate(self.letters)

    def stacks(self, stacks: Sequence[str]) -> list[str]:
        moved = {self.point(*edge): self.pile(s) for edge, s in zip(EDGES, stacks, strict=True)}
        return [moved[edge] for edge in EDGES]

    def move(self, move: str) -> str:
        if "-" in move:
            way, side, column = move.split()
            here, there = way.split("-")
            return f"{self.circle(here)}-{self.circle(there)} {self.side(side)} {column}"
        if move.startswith("score"):
            return f"score {self.pile(move[-1]).lower()}"
        return move

    def artist(self, pattern: str) -> str:
        return {"ring": "star", "star": "ring"}[pattern] if self.swaps_patterns else pattern

    def of(self, state: State) -> State:
        """A dealt game as it is seen so."""
        record = state.record()
        setup = record["setup"]
        artists = {self.circle(at): self.artist(pat) for at, pat in setup["artists"].items()}
        objectives = [
            [self.objectives.get(name, name) for name in pair] for pair in setup["objectives"]
        ]
        stacks = self.stacks(setup["stacks"])
        made = {"stacks": stacks, "artists": artists, "objectives": objectives}
        return replay({**record, "setup": made, "moves": []})


def go_alike(one: State, image: Image, chooser: random.Random) -> None:
    other = image.of(one)
    while not one.over:
        assert sorted(map(image.move, one.legal())) == sorted(other.legal())
        move = chooser.choice(one.legal())
        one.play(move)
        other.play(image.move(move))
        assert one.scores == other.scores
        assert [image.pile(stone) for stone in told(one)["mandala"]] == [*told(other)["mandala"]]
    for seat in range(one.seats):
        assert [image.pile(tower) for tower in towers(one, seat)] == towers(other, seat)
    assert image.stacks(full_stacks(one)) == full_stacks(other)
    assert one.result == other.result


@settings(max_examples=14)
@given(seats=TABLES, seed=SEEDS, colours=st.permutations(COLOURS))
def test_other_colours_change_nothing_but_the_colours_of_objectives(
    seats: int, seed: int, colours: list[str]
) -> None:
    letters = "".join(colours)
    image = Image(letters + letters.upper())
    go_alike(mandalier.deal("stones", seats, seed), image, random.Random(seed))


@settings(max_examples=10)
@given(seats=TABLES, seed=SEEDS)
def test_rings_and_stars_may_change_places(seats: int, seed: int) -> None:
    image = Image(LETTERS.swapcase())
    go_alike(mandalier.deal("stones", seats, seed), image, random.Random(seed))


@settings(max_examples=14)
@given(seats=TABLES, seed=SEEDS, turns=st.integers(1, 3))
def test_a_turned_main_board_changes_nothing(seats: int, seed: int, turns: int) -> None:
    image = Image(turns=turns)
    go_alike(mandalier.deal("stones", seats, seed), image, random.Random(seed))


@settings(max_examples=14)
@given(seats=TABLES, seed=SEEDS, turns=st.integers(0, 3), plies=st.integers(0, 30))
def test_a_main_board_in_a_mirror_turns_towers_round_above_their_first_stone(
    seats: int, seed: int, turns: int, plies: int
) -> None:
    """Clockwise is the other way round there: a tower has the same first stone, and the others
    are in the opposite order."""
    image, chooser = Image(turns=turns, mirror=True), random.Random(seed)
    one = mandalier.deal("stones", seats, seed)
    for _ in range(plies):
        trial = after(one, chooser.choice(one.legal()))
        if trial.over:
            break
        one = trial
    other = mirrored(one, image)
    assert sorted(map(image.move, one.legal())) == sorted(other.legal())
    for move in chooser.sample(picks(one), min(25, len(picks(one)))):
        seat, column = one.waiting[0], int(move[-1]) - 1
        tower = towers(after(one, move), seat)[column]
        seen = towers(after(other, image.move(move)), seat)[column]
        assert seen == tower[0] + tower[:0:-1]


def mirrored(state: State, image: Image) -> State:
    """A position with its main board seen another way."""
    stacks = ",".join(stack or "-" for stack in image.stacks(full_stacks(state)))
    artists = {image.circle(at): pattern for at, pattern in told(state)["artists"].items()}
    letters = {"ring": "o", "star": "*"}
    rows = [
        "".join(letters.get(artists.get(column + row, ""), "-") for column in "abc")
        for row in "123"
    ]
    line = re.sub(r" stack=\S+", f" stack={stacks}", state.position)
    made = mandalier.position(re.sub(r" artists=\S+", f" artists={'/'.join(rows)}", line))
    assert isinstance(made, State)
    return made


def laid_stones(state: State) -> str:
    """All stones laid, those set aside too."""
    seen = told(state)
    return str(seen["mandala"] + seen["aside"])


@settings(max_examples=12)
@given(seats=TABLES, seed=SEEDS)
def test_the_order_in_which_stones_are_laid_changes_no_score(seats: int, seed: int) -> None:
    chooser = random.Random(seed)
    state = mandalier.deal("stones", seats, seed)
    while not state.over:
        scoring = [move for move in state.legal() if "-" not in move]
        if scoring and chooser.random() < 0.4:
            move = chooser.choice(scoring)
            plain = after(state, move)
            seat = state.waiting[0]
            laid = [
                str(i)
                for i, (a, b) in enumerate(
                    zip(towers(state, seat), towers(plain, seat), strict=True), 1
                )
                if a != b
            ]
            order = chooser.choice(list(permutations(laid)))
            other = after(state, f"{move} > {' '.join(order)}")
            assert other.scores == plain.scores
            assert other.over == plain.over
            assert other.legal() == plain.legal()
            assert Counter(laid_stones(other)) == Counter(laid_stones(plain))
            assert towers(other, seat) == towers(plain, seat)
            tops = [towers(state, seat)[int(n) - 1][-1] for n in order]
            assert laid_stones(other) == laid_stones(state) + "".join(tops)
            state = other
        else:
            state.play(chooser.choice(state.legal()))


@settings(max_examples=25)
@given(seats=TABLES, seed=SEEDS)
def test_points_never_go_down_and_only_the_mover_scores(seats: int, seed: int) -> None:
    chooser = random.Random(seed)
    state = mandalier.deal("stones", seats, seed)
    while not state.over:
        seat, before = state.waiting[0], state.look().points
        state.play(picks_first(chooser, state.legal()))
        now = state.look().points
        assert now[seat] >= before[seat]
        assert [n for i, n in enumerate(now) if i != seat] == [
            n for i, n in enumerate(before) if i != seat
        ]
