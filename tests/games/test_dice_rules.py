"""The rules of dice: each of them by a golden record, and the numbers that follow from them."""

from __future__ import annotations

import copy
import math
import random
from typing import Any

import pytest

import mandalier
from mandalier.games.dice import geometry, house, rules, texts
from mandalier.games.errors import RecordError
from mandalier.games.game import IllegalMove, MandalierError, State, View
from mandalier.games.record import replay
from tests.games.brute_dice import Brute
from tests.golden.make_dice import STORIES, Story, record_of
from tests.support import Golden, Goldens

GOLDENS = Goldens("dice")
pins = GOLDENS.pins
BY_SURROGATE = {"outcomes": "surrogate"}


def told(state: State) -> dict[str, Any]:
    return state.view().describe()


def seat_told(state: State, seat: int) -> dict[str, Any]:
    found: dict[str, Any] = told(state)["seats"][seat]
    return found


def lying(state: State, seat: int) -> dict[int, int]:
    """The dice of a seat on the table: number and face."""
    return {die["die"]: die["face"] for die in seat_told(state, seat)["dice"]}


def touched(state: State, seat: int, number: int) -> list[str]:
    for die in seat_told(state, seat)["dice"]:
        if die["die"] == number:
            return list(die["touches"])
    return []


def hand(state: State, seat: int) -> list[int]:
    return list(seat_told(state, seat)["hand"])


def card_at(state: State, cell: str) -> int | None:
    found: int | None = told(state)["grid"][int(cell[1]) - 1]["abcdef".index(cell[0])]
    return found


def ways(state: State) -> str:
    """The icons by which the seat to move may throw."""
    return "".join(sorted({move[6] for move in state.legal() if move.startswith("throw ")}))


def refused(state: State, move: str, seat: int | None = None) -> str:
    with pytest.raises(IllegalMove) as error:
        state.copy().play(move, seat)
    return error.value.reason


def test_every_golden_record_is_pinned_by_a_test() -> None:
    assert GOLDENS.names == GOLDENS.pinned == set(STORIES)


@pytest.mark.parametrize("name", STORIES)
def test_a_golden_record_made_anew_is_the_one_in_the_file(name: str) -> None:
    assert record_of(name) == Golden("dice", name).record


# Setup and preparing ---------------------------------------------------------------------------


@pins("setup-two-seats-five-by-five")
def test_two_seats_play_on_five_by_five(golden: Golden) -> None:
    grid = told(golden.end)["grid"]
    assert (len(grid), {len(row) for row in grid}) == (5, {5})
    assert [hand(golden.end, seat) for seat in range(2)] == [[37, 38, 39], [40, 41, 42]]
    cards = told(golden.end)["cards"]
    assert [cards[str(blank)]["value"] for blank in (37, 38, 39)] == [1, 2, 3]
    assert {cards[str(blank)]["white"] for blank in (37, 38, 39)} == {1}


@pins("setup-three-seats-six-wide-by-five")
def test_three_seats_play_on_six_by_five(golden: Golden) -> None:
    grid = told(golden.end)["grid"]
    assert (len(grid), {len(row) for row in grid}) == (5, {6})
    assert [seat["side"] for seat in told(golden.end)["seats"]] == ["bottom", "left", "top"]


@pins("setup-four-seats-six-by-six")
def test_four_seats_play_on_six_by_six(golden: Golden) -> None:
    grid = told(golden.end)["grid"]
    assert (len(grid), {len(row) for row in grid}) == (6, {6})
    assert sorted(card for row in grid for card in row) == list(range(1, 37))
    sides = [seat["side"] for seat in told(golden.end)["seats"]]
    assert sides == ["bottom", "left", "top", "right"]


@pins("prepare-different-icons-one-more-than-the-round")
def test_a_seat_prepares_different_icons_one_more_than_the_round(golden: Golden) -> None:
    sizes = {
        told(state)["round"]: {len(move) - len("ready ") for move in state.legal(0)}
        for state in map(golden.at, range(len(golden.record["moves"])))
        if told(state)["phase"] == "prepare" and 0 in state.waiting
    }
    assert sizes == {1: {2}, 2: {3}, 3: {4}}
    assert len(golden.at(0).legal(0)) == math.comb(5, 2)
    assert "2 icons" in refused(golden.at(0), "ready LRB", 0)
    assert "named once" in refused(golden.at(0), "ready LL", 0)
    assert "order" in refused(golden.at(0), "ready DL", 0)
    assert [seat["prepared"] for seat in told(golden.end)["seats"]] == ["LRBD", "RBDF"]


@pins("prepare-is-shown-when-all-have-chosen")
def test_what_is_prepared_is_shown_when_all_have_chosen(golden: Golden) -> None:
    before = golden.at(2)
    assert before.waiting == (2,)
    for viewer in (1, 2, mandalier.SPECTATOR):
        seats = before.view(viewer).describe()["seats"]
        assert seats[0]["prepared"] is None
        assert [seat["has_prepared"] for seat in seats] == [True, True, False]
    assert before.view(0).describe()["seats"][0]["prepared"] == "LD"
    assert "not the turn" in refused(before, "ready BF", 0)
    shown = [seat["prepared"] for seat in told(golden.end)["seats"]]
    assert shown == ["LD", "BF", "DF"]
    assert golden.end.waiting == (0,)


@pins("prepare-in-round-four-all-five-is-a-move-too")
def test_in_round_four_all_five_icons_are_prepared_by_a_move(golden: Golden) -> None:
    assert golden.at(-2).legal(0) == ["ready LRBDF"]
    assert told(golden.end)["phase"] == "strokes"


@pins("first-player-is-the-next-seat-each-round")
def test_the_next_seat_is_first_player_each_round(golden: Golden) -> None:
    firsts = {}
    for ply in range(len(golden.record["moves"])):
        state = golden.at(ply)
        number = told(state)["round"]
        if told(state)["phase"] == "strokes" and number not in firsts:
            firsts[number] = state.waiting
    assert firsts == {1: (0,), 2: (1,), 3: (2,), 4: (0,)}
    assert told(golden.end)["phase"] == "exhibition"


# Strokes ---------------------------------------------------------------------------------------


@pins("strokes-one-die-each-in-turn-order")
def test_one_die_each_is_thrown_in_turn_order_from_the_first_player(golden: Golden) -> None:
    entries = golden.record["moves"]
    begun = max(i for i, entry in enumerate(entries) if "ready" in entry)
    throwers = [entry[0] for entry in entries[begun:] if " throw " in entry]
    assert throwers == list("120" * 3)
    assert told(golden.end)["phase"] == "collect"
    assert lying(golden.end, 2) == {1: 1, 2: 1, 3: 1}


@pins("strokes-by-any-of-the-icons-left")
def test_any_icon_left_may_be_used_and_each_once(golden: Golden) -> None:
    assert ways(golden.at(2)) == "DL"
    assert "not prepared" in refused(golden.at(2), "throw F 0 0 900")
    assert ways(golden.at(6)) == "L"
    assert "already" in refused(golden.at(6), "throw D 0 0")
    assert lying(golden.end, 0) == {1: 4, 2: 1}


@pins("inside-a-die-stays-be-there-a-gap-or-a-card")
def test_a_die_inside_stays_on_a_gap_as_on_a_card(golden: Golden) -> None:
    assert card_at(golden.end, "a1") is None
    assert touched(golden.end, 1, 1) == ["a1"]
    assert touched(golden.end, 0, 1) == ["b2"]


@pins("outside-free-the-same-die-is-thrown-the-same-way-once-more")
def test_a_free_die_outside_may_be_thrown_once_more_the_same_way(golden: Golden) -> None:
    offered, chosen = golden.at(4), golden.at(5)
    assert offered.legal() == ["again", "leave"]
    assert "again" in refused(offered, "throw L 0 800 0")
    assert ways(chosen) == "L"
    assert "same way" in refused(chosen, "throw D 390 390")
    assert told(chosen)["throw"]["die"] == 1
    assert lying(golden.at(7), 0) == {1: 5}
    assert golden.at(7).waiting == (1,)
    assert ways(golden.end) == "D"


@pins("outside-again-the-second-result-stands")
def test_there_is_no_third_throw(golden: Golden) -> None:
    assert lying(golden.end, 0) == {}
    assert golden.end.waiting == (1,)


@pins("outside-left-the-die-is-lost")
def test_the_second_throw_may_be_left(golden: Golden) -> None:
    assert lying(golden.end, 0) == {}
    assert golden.end.waiting == (1,)
    assert "only after" in refused(golden.end, "leave")


@pins("outside-after-a-hit-there-is-no-second-throw")
def test_a_die_that_hit_another_and_ends_outside_is_lost(golden: Golden) -> None:
    assert lying(golden.end, 1) == {}
    assert golden.end.waiting == (0,)
    assert "again" not in golden.end.legal()


@pins("hit-dice-stay-where-they-come-to-rest-with-the-face-they-show")
def test_a_die_that_was_hit_stays_where_it_rests(golden: Golden) -> None:
    assert lying(golden.at(-1), 0) == {1: 5}
    assert lying(golden.end, 0) == {1: 2}
    assert touched(golden.end, 0, 1) == ["d2"]
    assert touched(golden.end, 1, 1) == ["c3"]


@pins("hit-dice-that-go-outside-are-lost-for-the-round")
def test_a_die_that_is_knocked_outside_is_lost_and_its_owner_throws_on(golden: Golden) -> None:
    assert lying(golden.end, 0) == {}
    assert lying(golden.end, 1) == {1: 6}
    assert golden.end.waiting == (0,)
    assert "again" not in golden.end.legal()
    assert ways(golden.end) == "D"


@pins("hit-by-a-second-throw-too")
def test_a_second_throw_may_hit_as_well(golden: Golden) -> None:
    assert lying(golden.end, 0) == {}
    assert lying(golden.end, 1) == {1: 6}


@pins("r1-inside-is-the-centre-in-the-rectangle-with-its-border")
def test_inside_is_the_centre_within_the_rectangle_border_included(golden: Golden) -> None:
    assert lying(golden.end, 0) == {1: 2}
    assert lying(golden.end, 1) == {1: 3}
    assert touched(golden.end, 0, 1) == ["a1"]
    assert touched(golden.end, 1, 1) == ["e5"]
    assert golden.end.legal() == ["again", "leave"]


@pins("r1-a-lost-die-can-be-neither-hit-nor-used")
def test_a_lost_die_is_off_the_table(golden: Golden) -> None:
    state = replay(golden.record, 6)
    with pytest.raises(ValueError, match=r"0\.1 does not lie"):
        state.roll("land hit 1.1 1950 1950 0 1; 0.1 500 500 0 6")
    assert "any more; yours lying are 2" in refused(golden.end, "take a1 1")


@pins("r2-a-touch-needs-more-than-one-square-millimetre")
def test_one_square_millimetre_is_no_touch(golden: Golden) -> None:
    assert touched(golden.end, 0, 1) == ["b1", "a2", "b2"]
    assert touched(golden.end, 1, 1) == ["a1", "b1", "a2", "b2"]


@pins("r2-the-footprint-is-turned-by-the-yaw")
def test_the_footprint_is_turned_by_the_yaw(golden: Golden) -> None:
    assert touched(golden.end, 0, 1) == ["a1"]
    assert touched(golden.end, 1, 1) == ["a1", "b1"]


@pins("r3-every-die-of-an-outcome-lies-on-a-face")
def test_every_die_of_an_outcome_lies_on_one_face(golden: Golden) -> None:
    assert (lying(golden.end, 0), lying(golden.end, 1)) == ({1: 6}, {1: 1})
    for face in ("0", "7", "", "1.5"):
        with pytest.raises(ValueError, match="an outcome looks like"):
            golden.at(-1).roll(f"land hit 1.1 1950 2120 0 1; 0.1 1950 1950 0 {face}")


# Collecting ------------------------------------------------------------------------------------


@pins("collect-from-the-first-player-in-turn-order")
def test_seats_collect_from_the_first_player_in_turn_order(golden: Golden) -> None:
    assert [entry for entry in golden.record["moves"] if "done" in entry][-3:] == [
        "1 done",
        "2 done",
        "0 done",
    ]
    assert told(golden.end)["round"] == 3


@pins("collect-a-die-that-reaches-the-value-takes-the-card")
def test_a_die_that_reaches_the_value_takes_the_card_and_leaves_a_gap(golden: Golden) -> None:
    assert golden.at(-2).legal() == ["take c3 1", "done"]
    assert "touches c3 only" in refused(golden.at(-2), "take c2 1")
    assert hand(golden.end, 0) == [19, 37, 38, 39]
    assert card_at(golden.end, "c3") is None
    assert lying(golden.end, 0) == {}


@pins("collect-faces-add-up")
def test_faces_of_several_dice_add_up(golden: Golden) -> None:
    assert "worth 7; boost it" in refused(golden.at(-2), "take c3 2")
    assert golden.at(-2).legal() == ["take c3 2 +39", "take c3 12", "done"]
    assert 36 in hand(golden.end, 0)


@pins("collect-a-boost-fills-the-place")
def test_a_boost_makes_up_for_the_rest_and_fills_the_place(golden: Golden) -> None:
    before = golden.at(-2)
    assert before.legal() == ["take c3 1 +38", "take c3 1 +39", "done"]
    assert "come to 3 and 1" in refused(before, "take c3 1 +37")
    assert "not in your hand" in refused(before, "take c3 1 +40")
    assert "worth 5; boost it" in refused(before, "take c3 1")
    assert card_at(golden.end, "c3") == 38
    assert hand(golden.end, 0) == [25, 37, 39]


@pins("collect-a-canvas-may-boost-and-a-card-taken-a-moment-ago")
def test_a_card_taken_a_moment_ago_may_boost(golden: Golden) -> None:
    assert "not in your hand" in refused(golden.at(-3), "take c3 2 +13")
    assert "take c3 2 +13" in golden.at(-2).legal()
    assert card_at(golden.end, "c3") == 13
    assert hand(golden.end, 0) == [29, 37, 38, 39]


@pins("collect-a-boost-only-if-the-dice-alone-do-not-reach")
def test_dice_that_reach_the_value_are_not_boosted(golden: Golden) -> None:
    assert golden.end.legal() == ["take c3 1", "done"]
    assert "need no boost" in refused(golden.end, "take c3 1 +37")


@pins("collect-with-more-dice-than-needed")
def test_more_dice_than_needed_may_be_used(golden: Golden) -> None:
    assert golden.at(-1).legal() == ["take c3 1", "take c3 2", "take c3 12", "done"]
    assert "ascending" in refused(golden.at(-1), "take c3 21")
    assert lying(golden.end, 0) == {}


@pins("collect-a-die-on-several-cards-takes-one-of-them")
def test_a_die_on_several_cards_takes_one_of_them(golden: Golden) -> None:
    before = golden.at(-1)
    assert set(before.legal()) == {f"take {cell} 1" for cell in ("b2", "c2", "b3", "c3")} | {"done"}
    assert golden.end.legal() == ["done"]
    assert "none of your dice" in refused(golden.end, "take b2 1")


@pins("collect-dice-of-one-take-all-touch-the-card")
def test_all_dice_of_a_take_touch_the_card(golden: Golden) -> None:
    assert "die 2 touches d3 only" in refused(golden.end, "take c3 12")
    assert not any(" 12" in move for move in golden.end.legal())


@pins("contests-the-highest-sum-has-priority")
def test_the_highest_sum_has_priority(golden: Golden) -> None:
    assert "seat 1 has priority on c3" in refused(golden.at(-1), "take c3 1")
    assert "take c3 12" in golden.end.legal()
    assert golden.end.waiting == (1,)


@pins("contests-a-tie-goes-to-the-earlier-seat-of-this-round")
def test_a_tie_goes_to_the_earlier_seat_of_this_round(golden: Golden) -> None:
    assert golden.end.waiting == (1,)
    assert "take c3 1" in golden.end.legal()


@pins("contests-boosts-do-not-count")
def test_a_boost_gives_no_priority(golden: Golden) -> None:
    assert "has priority" in refused(golden.at(-2), "take c3 1 +39")
    assert 22 in hand(golden.end, 1)


@pins("contests-used-dice-no-longer-count")
def test_used_dice_no_longer_give_priority(golden: Golden) -> None:
    assert "take c3 1" in golden.at(-1).legal()
    assert "its dice there show 4, yours 3" in refused(golden.end, "take c3 1")


@pins("r4-a-boosting-card-is-an-ordinary-card-at-once")
def test_a_boosting_card_may_be_claimed_in_the_same_round(golden: Golden) -> None:
    boosted = golden.at(-3)
    assert card_at(boosted, "c3") == 37
    assert "show 2, yours 1" in refused(boosted, "take c3 2")
    assert hand(golden.end, 1) == [37, 40, 41, 42]
    assert card_at(golden.end, "c3") is None


@pins("r5-priority-is-compared-seat-by-seat")
def test_the_sums_of_two_others_do_not_add_up(golden: Golden) -> None:
    assert "take c3 1" in golden.at(-1).legal()
    assert 13 in hand(golden.end, 0)


@pins("r5-priority-holds-though-the-other-could-not-take-the-card")
def test_who_could_not_take_the_card_has_priority_all_the_same(golden: Golden) -> None:
    assert golden.end.waiting == (1,)
    assert "seat 0 has priority" in refused(golden.end, "take c3 1 +30")
    after = golden.end
    after.play("done")
    assert after.legal() == ["done"]


@pins("r5-seats-that-are-done-no-longer-count")
def test_seats_that_are_done_no_longer_count(golden: Golden) -> None:
    assert lying(golden.at(-1), 0) == {1: 6}
    assert 13 in hand(golden.end, 1)


@pins("collect-ends-with-done-also-with-nothing-to-take")
def test_every_seat_says_done_also_with_nothing_to_take(golden: Golden) -> None:
    assert [golden.at(ply).legal() for ply in (-2, -1)] == [["done"], ["done"]]
    assert told(golden.end)["round"] == 2


@pins("after-a-round-dice-go-back-and-gaps-stay")
def test_after_a_round_dice_go_back_and_gaps_stay(golden: Golden) -> None:
    assert lying(golden.at(-1), 1) == {1: 1}
    assert [lying(golden.end, seat) for seat in range(2)] == [{}, {}]
    assert card_at(golden.end, "c3") is None
    assert sum(card is None for row in told(golden.end)["grid"] for card in row) == 1
    assert golden.end.waiting == (0, 1)


# The exhibition --------------------------------------------------------------------------------


@pins("exhibition-of-the-largest-even-number-not-above-the-smallest-hand")
def test_pictures_have_the_largest_even_number_not_above_the_smallest_hand(golden: Golden) -> None:
    assert [len(hand(golden.end, seat)) for seat in range(2)] == [5, 8]
    assert told(golden.end)["picture_size"] == 4
    assert golden.end.waiting == (0, 1)


@pins("exhibition-of-two-cards-at-least")
def test_pictures_have_two_cards_at_least(golden: Golden) -> None:
    assert told(golden.end)["picture_size"] == 2


@pins("exhibition-cards-are-kept-in-ascending-order")
def test_cards_are_kept_one_by_one_in_ascending_order(golden: Golden) -> None:
    assert golden.at(-3).legal(0) == ["keep 1", "keep 2", "keep 13", "keep 19", "keep 25"]
    assert "on you have 3 only" in refused(golden.at(-3), "keep 37", 0)
    assert "ascending" in refused(golden.end, "keep 1", 0)
    assert "kept already" in refused(golden.end, "keep 19", 0)
    assert golden.end.legal(0) == ["keep 37", "keep 38", "keep 39"]
    assert golden.end.legal(1)[0] == "keep 3"


@pins("exhibition-pictures-are-shown-when-all-are-complete")
def test_pictures_are_shown_when_all_are_complete(golden: Golden) -> None:
    for ply in range(-8, 0):
        state = golden.at(ply)
        for viewer in (0, 1, mandalier.SPECTATOR):
            seats = state.view(viewer).describe()["seats"]
            assert [seat for seat in range(2) if seats[seat]["kept"] is not None] == (
                [viewer] if viewer < 2 else []
            )
            assert seats[1]["has_chosen"] == (ply >= -4)
    half, later = golden.at(-7).view(0), golden.at(-6).view(0)
    assert half == later
    assert [seat["kept"] for seat in told(golden.end)["seats"]] == [
        [1, 2, 38, 39],
        [3, 4, 41, 42],
    ]


@pins("score-values-and-masteries")
def test_values_and_masteries_make_the_score(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((11 + 12 + 14, 11 + 8 + 10), (0,), "exhibition")


@pins("score-a-tie-for-most-gives-the-bonus-to-nobody")
def test_a_tie_for_most_and_none_at_all_give_nobody_the_bonus(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((13 + 8, 14 + 12), (1,), "exhibition")


@pins("score-the-rest-of-the-hand-is-discarded")
def test_only_kept_cards_count(golden: Golden) -> None:
    """Card 1 has red, blue and yellow; 24 and 29 one black each, of which one is kept."""
    result = golden.end.result
    assert result
    assert result.scores == (1 + 6 + 12 + 8 + 10, 4 + 6 + 14)


@pins("winner-a-tie-goes-to-more-white-blocks")
def test_a_tie_goes_to_more_white_blocks(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((20, 20), (1,), "exhibition")


@pins("winner-a-further-tie-is-shared")
def test_a_further_tie_is_shared(golden: Golden) -> None:
    assert golden.end.result == mandalier.Result((5, 5), (0, 1), "exhibition")


@pins("four-seats-play-to-the-end")
def test_four_seats_play_to_the_end(golden: Golden) -> None:
    result = golden.end.result
    assert result
    # blue: seat 2 has two; yellow and red: one each at two seats or more; black: seat 3 has two
    assert result.scores == (12, 12, 21 + 8 + 10, 19 + 14)


# Texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "outcome",
    [
        "land free 0.1 1 2 3",
        "land free 0.1 1 2 3 4 ",
        "land free 0.1 01 2 3 4",
        "land free 0.1 -0 2 3 4",
        "land free 0.1 1.5 2 3 4",
        "land free 0.1 1 2 3 4;0.2 1 2 3 4",
        "land hot 0.1 1 2 3 4",
        "land free 0.2 1 2 3 4",
        "land free 1.1 1 2 3 4",
        "land hit 0.1 1 2 3 4; 0.1 1 2 3 4",
        "land hit 0.1 1 2 3 4; 1.1 1 2 3 4",
        "land free",
        "",
    ],
)
def test_an_outcome_that_cannot_be_is_refused(outcome: str) -> None:
    state = Story().ready("LD").state
    state.move("throw D 0 0")
    before = state.position
    with pytest.raises(ValueError, match=r"."):
        state.roll(outcome)
    assert state.position == before


def test_a_free_throw_moves_no_other_die() -> None:
    state = Story().ready("LD").throw("c3 5").state
    state.move("throw D 0 0")
    with pytest.raises(ValueError, match="moves no other"):
        state.roll("land free 1.1 1 2 3 4; 0.1 5 6 7 1")


def test_yaw_is_any_whole_number_and_turns_a_die_by_what_is_left_of_it() -> None:
    for yaw in (450, 4050, -3150, 450 - 3600 * 10**9):
        state = Story().ready("LD").throw(f"free ? 690 390 {yaw} 1").state
        assert touched(state, 0, 1) == ["a1", "b1"]


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("throw D 3901 0", "from 0 to 3900"),
        ("throw D 0 -1", "from 0 to 3900"),
        ("throw L 601 800 0", "from -600 to 600"),
        ("throw L 0 399 0", "from 400 to 1250"),
        ("throw L 0 800 301", "from -300 to 300"),
        ("throw L 0 800", "a throw is"),
        ("throw D 0 0 0", "a throw is"),
        ("throw L 00 800 0", "a throw is"),
        ("throw", "a throw is"),
    ],
)
def test_a_gesture_out_of_its_range_is_refused(move: str, reason: str) -> None:
    assert reason in refused(Story().ready("LD").state, move)


def test_places_of_a_flick_are_along_the_own_edge() -> None:
    state = Story(seats=3).ready("DF", "DF", "DF").throw("a1 1").state
    assert "from 0 to 3900" in refused(state, "throw F 3901 0 900")
    state = Story(seats=3).ready("DF", "DF", "DF").state
    assert "from 0 to 4680" in refused(state, "throw F 4681 0 900")


def test_unknown_options_are_an_error() -> None:
    wrong: list[dict[str, Any]] = [
        {"colour": 1},
        {"hand": "firm"},
        {"left-handed": [4]},
        {"data": {"cards": {}}},
    ]
    for options in wrong:
        with pytest.raises(MandalierError):
            mandalier.deal("dice", options=options)


def test_a_table_may_bring_house_data_of_its_own() -> None:
    mastery = {name: {"points": 20, "source": "house"} for name in house.COLOURS}
    state = mandalier.deal("dice", seed=1, options={"data": {"mastery": mastery}})
    assert told(state)["bonus"] == dict.fromkeys(house.COLOURS, 20)
    assert mandalier.position(state.position).look() == state.look()
    default = dict(house.DEFAULT_DATA["mastery"])
    assert mandalier.deal("dice", options={"data": {"mastery": default}}).record()["options"] == {}


# Aims and touches ------------------------------------------------------------------------------


def test_an_aim_played_by_its_number_is_the_throw_of_its_text() -> None:
    chooser = random.Random(3)
    state = mandalier.deal("dice", 4, 1, BY_SURROGATE)
    while not state.over:
        seat = chooser.choice(state.waiting)
        number = chooser.choice(state.numbers(seat))
        by_number = state.look()
        rules.play(by_number, seat, number)
        state.move(texts.text(state.look(), number), seat)
        assert state.look() == by_number
        if state.chance_due:
            state.roll()


def test_the_list_of_throws_is_short_and_offers_every_icon() -> None:
    chooser = random.Random(5)
    for seed in range(12):
        state = mandalier.deal("dice", 2 + seed % 3, seed, BY_SURROGATE)
        while not state.over:
            seat = chooser.choice(state.waiting)
            moves = state.legal(seat)
            if moves[0].startswith("throw"):
                s = state.look()
                assert len(moves) < 150
                assert ways(state) == "".join(sorted(texts.icons_text(rules.icons_left(s, seat))))
            state.play(chooser.choice(moves), seat)


def test_sines_are_those_of_mathematics() -> None:
    for angle in range(-900, 901):
        assert abs(geometry.SINES[900 + angle] - math.sin(math.radians(angle / 10)) * 2**30) < 0.51


def test_areas_are_those_of_clipped_squares() -> None:
    chooser = random.Random(7)
    for _ in range(2000):
        x, y = chooser.randrange(-150, 930), chooser.randrange(-150, 930)
        yaw = chooser.randrange(900)
        assert abs(geometry.overlap(x, y, yaw) - clipped_area(x, y, yaw)) < 1e-3


def clipped_area(x: int, y: int, yaw: int) -> float:
    """The area of a die on the card at the origin, by cutting its outline side by side."""
    cos, sin = math.cos(math.radians(yaw / 10)), math.sin(math.radians(yaw / 10))
    corners = [(80, 80), (-80, 80), (-80, -80), (80, -80)]
    outline = [(x + u * cos - v * sin, y - u * sin - v * cos) for u, v in corners]
    for axis, limit, sign in ((0, 0, 1), (0, 780, -1), (1, 0, 1), (1, 780, -1)):
        kept: list[tuple[float, float]] = []
        for p, q in zip(outline[-1:] + outline[:-1], outline, strict=True):
            a, b = sign * (p[axis] - limit), sign * (q[axis] - limit)
            if (a >= 0) != (b >= 0):
                part = a / (a - b)
                kept.append((p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])))
            if b >= 0:
                kept.append(q)
        outline = kept
    pairs = zip(outline[-1:] + outline[:-1], outline, strict=True)
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in pairs)) / 2


# Who knows what --------------------------------------------------------------------------------


def test_every_preparation_and_picture_is_imagined_sooner_or_later() -> None:
    before = Story(seats=3).state
    before.move("ready LD", 0)
    seen = {
        before.view(1).imagine(seed).view(0).describe()["seats"][0]["prepared"]
        for seed in range(300)
    }
    assert len(seen) == math.comb(5, 2)
    late = replay(record_of("exhibition-cards-are-kept-in-ascending-order"))
    worlds = [late.view(1).imagine(seed) for seed in range(400)]
    kept = {tuple(world.view(0).describe()["seats"][0]["kept"]) for world in worlds}
    assert {len(cards) for cards in kept} == {0, 1, 2, 3}
    assert (2, 19, 25) in kept


def test_how_many_cards_another_has_kept_so_far_is_not_told() -> None:
    name = "exhibition-cards-are-kept-in-ascending-order"
    views: list[View] = []
    for ply in (-3, -2, -1):
        record = record_of(name)
        views.append(replay(record, len(record["moves"]) + ply).view(1))
    assert views[0] == views[1] == views[2]


def test_a_record_with_an_outcome_that_is_wrong_names_its_entry() -> None:
    record = record_of("collect-faces-add-up")
    at = next(i for i, entry in enumerate(record["moves"]) if entry.startswith("* "))
    record["moves"][at] = record["moves"][at].replace("0.1", "0.2")
    with pytest.raises(RecordError) as error:
        replay(record)
    assert error.value.ply == at


def test_the_bank_refuses_data_it_was_not_built_with() -> None:
    data = {"noise": copy.deepcopy(house.DEFAULT_DATA["noise"])}
    data["noise"]["right"]["direction_deg"] = 9.0
    assert mandalier.deal("dice", seed=1, options={"data": data}).look().seats == 2
    with pytest.raises(mandalier.MandalierError, match="shipped noise only"):
        mandalier.deal("dice", seed=1, options={"data": data, "outcomes": "surrogate"})


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_games_go_as_in_a_second_plain_telling_of_the_rules(seats: int) -> None:
    for seed in range(8):
        chooser = random.Random(seed)
        state = mandalier.deal("dice", seats, seed, BY_SURROGATE)
        brute = Brute(state.record()["setup"]["grid"], seats)
        while not state.over:
            assert state.waiting == tuple(brute.waiting())
            seat = chooser.choice(state.waiting)
            moves = state.legal(seat)
            if icons := brute.icons():
                assert {move[6] for move in moves} == icons
                if chooser.random() < 0.15:
                    moves = [wild_throw(chooser, min(icons))]
            else:
                assert sorted(moves) == sorted(brute.legal(seat))
                if len(moves) > 1 and chooser.random() < 0.9:  # take what there is
                    moves = [move for move in moves if move != "done"]
            told_before = len(state.log)
            move = chooser.choice(moves)
            state.play(move, seat)
            land = state.log[told_before + 1 :]
            brute.play(seat, move, land[0].removeprefix("* ") if land else "")
            assert [set(hand(state, i)) for i in range(seats)] == brute.hand
        assert state.result is not None
        points, winners = brute.result()
        assert (list(state.result.scores), list(state.result.winners)) == (points, winners)


def wild_throw(chooser: random.Random, icon: str) -> str:
    """A gesture of one's own, which may well end outside."""
    if icon == "D":
        return f"throw D {chooser.choice([0, 1, 3899])} {chooser.randrange(3900)}"
    slant = chooser.randint(-600, 600)
    if icon == "F":
        return f"throw F {chooser.randrange(3900)} {slant} {chooser.randint(500, 2500)}"
    return f"throw {icon} {slant} {chooser.randint(400, 1250)} {chooser.randint(-300, 300)}"


def test_the_board_in_letters_names_each_die_with_its_face() -> None:
    state = mandalier.deal("dice", seats=2, seed=1)
    for move in ("ready LD", "ready LD"):
        state.move(move, state.waiting[0])
    for move, outcome in (
        ("throw D 1950 1950", "land free 0.1 1950 1950 0 6"),
        ("throw D 100 100", "land free 1.1 2200 1800 0 3"),
        ("throw L 0 900 0", "land free 0.2 2000 2200 0 1"),
    ):
        state.move(move)
        state.roll(outcome)
    lines = state.show().splitlines()
    under_c3 = lines[lines.index(next(line for line in lines if line.startswith(" 3 "))) + 1]
    assert under_c3.split() == ["0.1:6", "+2"]
    state.move("throw L 0 900 0")
    state.roll("land hit 1.2 100 100 0 2; 0.2 2000 3800 0 4")
    assert "0.1:6 1.1:3" in state.show()
    assert "0.2:4" in state.show()
