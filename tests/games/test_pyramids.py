"""The rules of pyramids: each of them by a golden record, by plain numbers, and by a second engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandalier
from mandalier.games import kernel
from mandalier.games.game import IllegalMove, MandalierError, PositionError, State, game
from mandalier.games.record import dumps, loads, replay
from mandalier.lab.perft import perft
from mandalier.lab.simulate import Run, simulate
from tests.games.brute_pyramids import Brute
from tests.golden.make_pyramids import FIVE_TIMES, GROUPS, STORIES, record_of, story
from tests.support import Golden, Goldens

GOLDENS = Goldens("pyramids")
pins = GOLDENS.pins
SEATS = game("pyramids").seats
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="too long without compiled rules")


def told(state: State) -> dict[str, Any]:
    return state.view().describe()


def pawns(state: State) -> list[int]:
    return [seat["pawn"] for seat in told(state)["seats"]]


def held(state: State, seat: int) -> dict[str, int]:
    found: dict[str, int] = told(state)["seats"][seat]["held"]
    return found


def places(state: State) -> list[int]:
    """The places that still hold a pyramid."""
    return [place for place, name in enumerate(told(state)["path"], 1) if name]


# Golden records: moves and the eye -------------------------------------------------------------


def test_every_golden_record_is_pinned_by_a_test() -> None:
    assert GOLDENS.names == GOLDENS.pinned == set(STORIES)


@pytest.mark.parametrize("name", STORIES)
def test_a_golden_record_made_anew_is_the_one_in_the_file(name: str) -> None:
    text = Golden("pyramids", name).path.read_text(encoding="utf-8")
    assert text == dumps(record_of(name)) + "\n"
    assert replay(loads(text)).record() == loads(text)


@pins("a-pawn-goes-ahead-to-any-pyramid-and-never-back")
def test_a_pawn_goes_ahead_to_any_pyramid_and_never_back(golden: Golden) -> None:
    assert golden.at(0).legal() == [str(place) for place in range(1, 76)]
    before = golden.at(2)
    assert pawns(before) == [30, 5]
    assert before.legal() == [str(place) for place in range(31, 76)]
    assert pawns(golden.at(3)) == [40, 5]
    assert golden.at(3).legal() == [str(n) for n in range(6, 76) if n not in (30, 40)]
    assert golden.end.legal() == [str(place) for place in range(41, 76)]


@pins("no-two-pawns-share-a-place-but-the-start")
def test_no_two_pawns_share_a_place_but_the_start(golden: Golden) -> None:
    assert pawns(golden.at(0)) == [0, 0, 0]
    assert not {"17", "20"} & set(golden.at(-1).legal())
    assert pawns(golden.end) == [17, 20, 18]
    assert "18" not in golden.end.legal(0)


@pins("a-pawn-at-the-start-keeps-all")
def test_a_pawn_at_the_start_keeps_all_on_the_path(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert pawns(before) == [40, 50, 0]
    assert places(before) == [n for n in range(1, 76) if n not in (40, 50)]
    assert told(before)["eye"] == {}
    assert places(after) == [n for n in range(4, 76) if n not in (40, 50)]
    assert told(after)["eye"] == {"r1": 1, "r2": 1}


@pins("pyramids-behind-the-rearmost-pawn-go-to-the-eye")
def test_pyramids_behind_the_rearmost_pawn_go_to_the_eye(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert (pawns(before), places(before)[:5]) == ([3, 0], [1, 2, 4, 5, 6])
    assert told(before)["eye"] == {}
    assert (pawns(after), places(after)[:5]) == ([3, 7], [4, 5, 6, 8, 9])
    assert told(after)["eye"] == {"r1": 1, "y2": 1}


@pins("a-mover-who-stays-rearmost-leaves-pyramids-for-nobody")
def test_a_mover_who_stays_rearmost_leaves_pyramids_for_nobody(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert (pawns(before), places(before)[0]) == ([1, 30], 2)
    assert (pawns(after), places(after)[0]) == ([6, 30], 7)
    assert told(after)["eye"] == {"r1": 1, "r3": 1, "y2": 1, "k3": 1}


# Golden records: the end of the path -----------------------------------------------------------


@pins("r1-a-seat-with-nothing-ahead-is-skipped")
def test_a_seat_with_nothing_ahead_is_skipped_without_a_move_in_the_record(golden: Golden) -> None:
    assert pawns(golden.at(1)) == [75, 0, 0]
    assert [seat["at_the_end"] for seat in told(golden.at(1))["seats"]] == [True, False, False]
    moves = golden.record["moves"]
    assert [entry.split()[0] for entry in moves] == ["0", "1", "2", "1", "2"]
    assert golden.end.waiting == (1,)
    assert not golden.end.over


@pins("r1-the-end-may-come-before-place-75")
def test_the_end_may_come_before_place_75(golden: Golden) -> None:
    assert [seat["at_the_end"] for seat in told(golden.at(1))["seats"]] == [False] * 4
    at_the_end = [seat["at_the_end"] for seat in told(golden.at(2))["seats"]]
    assert at_the_end == [True, True, False, False]
    moves = golden.record["moves"]
    assert [entry.split()[0] for entry in moves] == ["0", "1", "2", "3", "2"]
    assert golden.end.waiting == (3,)


@pins("r1-a-skipped-seat-still-scores")
def test_a_skipped_seat_still_scores(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert pawns(before)[0] == 75
    assert held(before, 0) == {"r1": 2}
    assert before.scores == (0, 0, 0)
    assert held(after, 1) == {"r1": 3}
    assert after.scores == (2, 3, 0)


@pins("the-last-seat-takes-the-rest-and-its-pawn-stays")
def test_the_last_seat_takes_the_rest_and_its_pawn_stays(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    rest = [told(before)["path"][place - 1] for place in range(21, 75)]
    assert pawns(before) == [10, 20]
    assert Counter(rest) + Counter(held(before, 1)) == Counter(held(after, 1))
    assert pawns(after) == [75, 20]
    assert places(after) == []
    assert after.result == mandalier.Result((4, 71), (1,), "end")


@pins("the-last-of-three-seats-takes-the-rest")
def test_the_last_of_three_seats_takes_the_rest(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert (pawns(before), before.waiting) == ([75, 70, 2], (1,))
    assert pawns(after) == [75, 74, 2]
    assert sum(held(after, 2).values()) == 1 + 75 - 2 - 3
    assert told(after)["eye"] == {"r1": 1}
    assert after.over


@pins("the-game-ends-when-the-last-taken-pyramid-leaves-nobody-with-one-ahead")
def test_the_last_pyramid_taken_leaves_nobody_ahead_and_the_game_ends(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert pawns(before) == [74, 0]
    assert told(after)["eye"] == dict.fromkeys(GROUPS[:-2], 5) | {"k2": 4, "k3": 4}
    assert [sum(held(after, seat).values()) for seat in (0, 1)] == [1, 1]
    assert after.result == mandalier.Result((5, 5), (1,), "end")


@pins("worked-check-one-move-75")
def test_worked_check_a_first_move_to_75_ends_the_game(golden: Golden) -> None:
    assert golden.record["moves"] == ["0 75"]
    after = golden.end
    assert pawns(after) == [75, 0]
    assert [sum(held(after, seat).values()) for seat in (0, 1)] == [1, 74]
    # all are sole holdings of five but k3, where seat 1 has four and seat 0 one
    assert after.result == mandalier.Result((2, 14 * 5 + 3), (1,), "end")


# Golden records: scoring -----------------------------------------------------------------------


@pins("worked-check-seven-to-sixty-eight")
def test_worked_check_seven_to_sixty_eight(golden: Golden) -> None:
    third, fourth, end = golden.at(3), golden.at(4), golden.end
    assert golden.record["setup"]["path"] == list(FIVE_TIMES)
    assert (third.scores, told(third)["scored"]) == ((0, 0), [])
    assert told(fourth)["eye"]["r1"] == 1
    assert held(fourth, 0) == held(fourth, 1) == {"r1": 2}
    assert told(fourth)["scored"] == ["r1"]
    assert fourth.scores == (2, 3)
    assert fourth.legal() == [str(place) for place in range(47, 76) if place != 61]
    assert sum(held(end, 1).values()) - sum(held(fourth, 1).values()) == 13
    assert end.result == mandalier.Result((7, 68), (1,), "end")


@pins("worked-check-counts-2-2-1")
def test_worked_check_counts_2_2_1(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert before.scores == (0, 0, 0)
    assert pawns(after) == [30, 41, 50]
    assert [held(after, seat)["r1"] for seat in range(3)] == [2, 2, 1]
    assert after.scores == (2, 3, 0)


@pins("worked-check-counts-1-0-with-four-in-the-eye")
def test_worked_check_a_sole_holder_of_one_gets_five(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert before.scores == (0, 0)
    assert told(after)["eye"]["r1"] == 4
    assert (held(after, 0), "r1" in held(after, 1)) == ({"r1": 1}, False)
    assert after.scores == (5, 0)


SCORED_R1: dict[str, tuple[list[int], list[int], int, tuple[int, ...]]] = {
    # how many r1 each seat holds, where the pawns stand, how many are in the eye, points
    "most-three-second-two-without-a-tie": ([3, 2], [3, 41], 0, (3, 2)),
    "tie-for-most-goes-to-the-pawn-further-along": ([2, 2], [8, 41], 1, (2, 3)),
    "tie-is-by-the-pawns-after-the-move": ([2, 2], [50, 31], 1, (3, 2)),
    "tie-for-second-goes-to-the-pawn-further-along": ([3, 1, 1], [9, 41, 51], 0, (3, 0, 2)),
    "tie-of-all-five-is-by-the-pawns": ([1] * 5, [40, 10, 50, 20, 30], 0, (2, 0, 3, 0, 0)),
    "a-sole-holder-of-all-five-gets-five": ([5, 0], [5, 43], 0, (5, 0)),
    "the-eye-is-no-competitor": ([1, 1], [6, 40], 3, (2, 3)),
    "all-five-in-the-eye-score-nothing": ([0, 0], [6, 40], 5, (0, 0)),
    "a-group-scores-as-soon-as-its-last-pyramid-is-taken": ([2, 3], [20, 42], 0, (2, 3)),
}


@pins(*SCORED_R1)
def test_the_last_move_scores_a_group(golden: Golden) -> None:
    counts, stand, in_the_eye, points = SCORED_R1[golden.path.stem]
    before, after = golden.at(-1), golden.end
    assert told(before)["scored"] == []
    assert not any(before.scores)
    assert told(after)["scored"] == ["r1"]
    assert [held(after, seat).get("r1", 0) for seat in range(after.seats)] == counts
    assert told(after)["eye"].get("r1", 0) == in_the_eye
    assert pawns(after) == stand
    assert after.scores == points


@pins("several-groups-score-at-once")
def test_several_groups_score_at_once(golden: Golden) -> None:
    before, after = golden.at(-1), golden.end
    assert (told(before)["scored"], before.scores) == ([], (0, 0))
    assert told(after)["scored"] == ["r1", "y1", "b1", "g1", "k1"]
    assert held(after, 0) == {"r1": 1, "g1": 1, "k1": 1}
    assert held(after, 1) == {"y1": 1, "k1": 1}
    # r1 and g1 for seat 0 alone, y1 for seat 1 alone, b1 for nobody, k1 level with seat 1 ahead
    assert after.scores == (5 + 5 + 2, 5 + 3)
    said = before.view(0).explain(golden.last)
    assert "r1 and g1: 5 points for seat 0" in said
    assert "y1: 5 points for seat 1" in said
    assert "nothing for b1, all in the eye" in said
    assert "k1: 3 points for seat 1, 2 for seat 0" in said


@pins("a-tie-of-points-goes-to-the-pawn-further-along")
def test_a_tie_of_points_goes_to_the_pawn_further_along(golden: Golden) -> None:
    end = golden.end
    assert pawns(end) == [71, 75, 74]
    assert end.result == mandalier.Result((27, 27, 21), (1,), "end")


@pins("a-seat-that-never-moved-may-win")
def test_a_seat_that_never_moved_may_win(golden: Golden) -> None:
    end = golden.end
    assert pawns(end) == [75, 74, 73, 0]
    assert end.result == mandalier.Result((2, 2, 2, 69), (3,), "end")


@pins("five-seats-play-to-the-end")
def test_five_seats_play_to_the_end(golden: Golden) -> None:
    end = golden.end
    assert end.result == mandalier.Result((15, 13, 16, 14, 17), (4,), "end")
    assert told(end)["scored"] == list(GROUPS)
    assert sum(end.scores) == 15 * 5


# What is refused -------------------------------------------------------------------------------


def refused(state: State, move: str) -> str:
    with pytest.raises(IllegalMove) as error:
        state.play(move)
    return error.value.reason


@pytest.mark.parametrize(
    ("moves", "move", "words"),
    [
        ("30 5", "30", "stands at place 30 and never goes back; the next pyramid is at 31"),
        ("30 5", "12", "stands at place 30 and never goes back"),
        ("30 31 32", "31", "stands at place 31 and never goes back; the next pyramid is at 33"),
        ("30 5 40", "30", "place 30 is empty; the nearest pyramids are at 29 and 31"),
        ("31 32 33 34", "34", "place 34 is empty; the next pyramid is at 35"),
        ("75 10 20", "75", "the last pyramid of the path is at place 74"),
        ("74 75 1", "74", "the last pyramid of the path is at place 73"),
    ],
)
def test_a_move_against_the_rules_is_refused_with_the_reason(
    moves: str, move: str, words: str
) -> None:
    state = story({}, 4 if moves.startswith("7") else 2, moves)
    assert words in refused(state, move)


@pytest.mark.parametrize(
    "text", ["0", "76", "-1", "+5", "05", " 5", "5 ", "5.0", "r1", "", "17a", "１", "5 > 1", "*"]
)
def test_a_text_that_is_no_place_is_refused(text: str) -> None:
    assert refused(story({}, 2, ""), text) == "a move is the number of a place, 1 to 75"


def test_nobody_moves_out_of_turn_or_after_the_end() -> None:
    state = story({}, 3, "75 10")
    with pytest.raises(IllegalMove, match="not the turn of seat 0"):
        state.play("30", 0)
    with pytest.raises(IllegalMove, match="the game is over"):
        story({}, 2, "75").play("3", 1)


def path(change: Callable[[list[Any]], Any]) -> list[Any]:
    changed: list[Any] = list(FIVE_TIMES)
    change(changed)
    return changed


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({}, "its path"),
        ({"path": list(FIVE_TIMES), "pawns": [1, 2]}, "its path"),
        ({"Path": list(FIVE_TIMES)}, "its path"),
        ({"path": "".join(FIVE_TIMES)}, "as a list of groups"),
        ({"path": None}, "as a list of groups"),
        ({"path": []}, "the path has 0 r1, not 5"),
        ({"path": path(list.pop)}, "the path has 4 k3, not 5"),
        ({"path": path(lambda p: p.append("g2"))}, "the path has 6 g2, not 5"),
        ({"path": path(lambda p: p.__setitem__(0, "b1"))}, "the path has 4 r1, not 5"),
        ({"path": path(lambda p: p.__setitem__(6, "r4"))}, "place 7: 'r4' is none of r1 … k3"),
        ({"path": path(lambda p: p.__setitem__(6, "R1"))}, "place 7: 'R1'"),
        ({"path": path(lambda p: p.__setitem__(74, "-"))}, "place 75: '-'"),
        ({"path": path(lambda p: p.__setitem__(1, None))}, "place 2: None"),
        ({"path": path(lambda p: p.__setitem__(1, 3))}, "place 2: 3"),
        ({"path": path(lambda p: p.__setitem__(1, ["r2"]))}, r"place 2: \['r2'\]"),
    ],
)
def test_a_setup_that_cannot_be_is_refused_with_the_reason(
    setup: dict[str, Any], words: str
) -> None:
    form = {"mandalier": 1, "game": "pyramids", "rules": 1, "seats": 2, "options": {}, "moves": []}
    with pytest.raises(ValueError, match=words):
        replay({**form, "setup": setup})


@pytest.mark.parametrize("seats", [1, 6, 0])
def test_there_are_two_to_five_seats(seats: int) -> None:
    with pytest.raises(MandalierError, match="2, 3, 4 or 5 seats"):
        mandalier.deal("pyramids", seats, 1)


def test_there_are_no_options() -> None:
    with pytest.raises(MandalierError, match="no option 'open stacks'"):
        mandalier.deal("pyramids", 2, 1, {"open stacks": True})


def test_nothing_is_left_to_chance() -> None:
    module = game("pyramids").module
    with pytest.raises(ValueError, match="no part"):
        module.chance_text(story({}, 2, "").look())
    with pytest.raises(MandalierError, match="no chance is due"):
        story({}, 2, "").roll("17")
    record = {**story({}, 2, "").record(), "moves": ["* 17"]}
    with pytest.raises(MandalierError, match="no chance is due"):
        replay(record)


STARTS = "".join(FIVE_TIMES)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("seats=2 path=r1", "a path has 75 places, not 1"),
        (f"seats=2 path={STARTS.replace('r1', 'r9', 1)}", "is no pyramid"),
        (f"seats=2 path={STARTS.replace('r1', 'r2', 1)}", "there are 6 r2, not 5"),
        (f"seats=2 path={STARTS} pawn=0,0,4,0,0", "no seat 2, yet"),
        (f"seats=2 path={STARTS} pawn=76,0,0,0,0", "stands at no place"),
        (f"seats=2 path=-{STARTS[2:]} pawn=1,1,0,0,0 held=r1,-,-,-,-", "two pawns stand at place"),
        (f"seats=2 path={STARTS} pawn=1,0,0,0,0", "a pyramid lies at place 1, where a pawn"),
        (f"seats=2 path=r1--{STARTS[6:]} pawn=2,3,0,0,0", "lies behind all pawns"),
        (f"seats=2 path={STARTS} held=r1,-,-,-,-", "the seats hold 1 r1, but 0 are off"),
        (f"seats=2 path={STARTS} held=r1r1r1r1r1r1,-,-,-,-", "there are 6 r1"),
        (f"seats=2 path={STARTS} held=r1,-", "5 seats have to be named, not 2"),
        (f"seats=2 path={STARTS} points=3,0,0,0,0", "add up to 0, not 3"),
        (f"seats=2 path={STARTS} turn=2", "seat 2 has no pyramid"),
        (f"seats=2 path={STARTS} over=1", "nothing lies on the path"),
        (f"seats=2 path={STARTS} chance=1", "chance has no part"),
        ("seats=2 path=-", "fewer than two seats on their way the game is over"),
        (f"seats=2 path={STARTS} rng=1,2", "4 parts"),
        (f"seats=2 path={STARTS} eye=r1", "no such field"),
        (f"seats=2 path={STARTS} turn=1 turn=1", "twice"),
        (f"seats=2 path={STARTS} turn=one", "whole number"),
        (f"seats=2 path={STARTS} turn=1000", "turn=1000"),
        (f"seats=9 path={STARTS}", "no such number of seats"),
    ],
)
def test_a_position_that_cannot_be_is_refused_with_the_reason(line: str, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        mandalier.position("pyramids " + line)


def test_a_position_pastes_into_a_test_as_one_line() -> None:
    """Worked check: 2, 2, 1 with pawns at 30, 41, 50. The group is scored as the fifth is taken."""
    gaps = "-" * 49 + "r1" + "".join(name * 5 for name in GROUPS[1:])[: 2 * 25]
    line = f"pyramids seats=3 turn=2 path={gaps} pawn=30,41,45,0,0 held=r1r1,r1r1,-,-,-"
    with pytest.raises(PositionError, match="the points have to add up to 0, not 27"):
        mandalier.position(f"{line} points=9,9,9,0,0")
    state = mandalier.position(line)
    assert isinstance(state, State)
    state.play("50")
    assert state.scores == (2, 3, 0)


# Counts and digests ----------------------------------------------------------------------------


def sequences(seats: int, depth: int) -> int:
    """Counted by hand. Depth 1: any place. Depth 2: any other place, and with two seats nothing
    after a first move to 75. Depth 3, two seats: first p, then q, both below 75, then the places
    beyond p but q. Three seats: any three places in any order, but not after 75, 74 or 74, 75,
    which leave one seat. More seats: any three places."""
    if depth == 1:
        return 75
    if depth == 2:
        return 74 * 74 if seats == 2 else 75 * 74
    if seats == 2:
        return 73 * (74 * 75 // 2) - 74 * 73 // 2
    return 75 * 74 * 73 - (2 * 73 if seats == 3 else 0)


COUNTED_IN_C = {2: 199874, 3: 405004, 4: 405150, 5: 405150}
"""The counts at depth 3 by an independent engine in C (bench/limit), seeds 1 to 5 alike."""


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("depth", [1, 2, pytest.param(3, marks=needs_numba)])
def test_the_sequences_of_moves_are_as_many_as_counted_by_hand(seats: int, depth: int) -> None:
    assert perft(mandalier.deal("pyramids", seats, seats), depth) == sequences(seats, depth)
    assert sequences(seats, 3) == COUNTED_IN_C[seats]


PLAYED_IN_C: dict[int, tuple[int, int, list[int], list[int]]] = {
    # seats: moves, sum of the games' digests, points and wins by seat
    2: (14157, 4264790971320, [43535, 54285], [961, 1039]),
    3: (22667, 4306293828031, [33671, 34171, 39003], [659, 646, 695]),
    4: (30083, 4247817218562, [28758, 28612, 29525, 30780], [507, 465, 512, 516]),
    5: (36943, 4326313374009, [24772, 24505, 24945, 25087, 25861], [406, 395, 390, 395, 414]),
}
"""2,000 random games of seed 7 by an independent engine in C (bench/limit)."""


@needs_numba
@pytest.mark.parametrize("seats", SEATS)
def test_two_thousand_random_games_go_as_in_the_c_engine(seats: int) -> None:
    data = simulate(Run.of("pyramids", seats, games=2000, seed=7), workers=1).data()
    moves, digest, points, wins = PLAYED_IN_C[seats]
    assert (data["moves"], data["digest"]) == (moves, digest)
    assert [row["wins"] for row in data["by_seat"]] == wins
    assert [round(row["score_mean"] * 2000) for row in data["by_seat"]] == points
    assert data["reasons"] == {"end": 2000}


# A second engine -------------------------------------------------------------------------------

CHOOSERS: dict[str, Callable[[random.Random, list[str]], str]] = {
    "any": lambda chooser, moves: chooser.choice(moves),
    "near": lambda chooser, moves: chooser.choice(moves[:4]),
    "next": lambda chooser, moves: moves[0] if chooser.random() < 0.8 else chooser.choice(moves),
    "far": lambda chooser, moves: chooser.choice(moves[-12:]),
}


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("choose", CHOOSERS)
def test_whole_games_go_as_by_the_plain_rules(seats: int, choose: str) -> None:
    chooser = random.Random(seats)
    for seed in range(12 if choose in ("near", "next") else 40):
        state = mandalier.deal("pyramids", seats, seed)
        brute = Brute(told(state)["path"], seats)
        same(state, brute)
        while not state.over:
            move = CHOOSERS[choose](chooser, state.legal())
            state.play(move)
            brute.play(move)
            same(state, brute)
        assert state.result
        assert state.result.scores == tuple(brute.points)
        assert list(state.result.winners) == brute.winners
        assert state.result.reason == "end"


def same(state: State, brute: Brute) -> None:
    seen = told(state)
    assert state.over == brute.over
    assert [state.legal(seat) for seat in brute.seats] == [
        brute.legal() if seat == brute.turn else [] for seat in brute.seats
    ]
    assert seen["path"] == list(brute.path.values())
    assert seen["eye"] == Counter(brute.eye)
    assert sorted(seen["scored"]) == sorted(brute.scored)
    for seat in brute.seats:
        assert seen["seats"][seat]["pawn"] == brute.pawns[seat]
        assert seen["seats"][seat]["held"] == Counter(brute.held[seat])
        assert seen["seats"][seat]["points"] == brute.points[seat]
        assert seen["seats"][seat]["at_the_end"] == (not brute.ahead_of(seat))


# Laws of symmetry ------------------------------------------------------------------------------

TABLES = st.integers(SEATS[0], SEATS[-1])
SEEDS = st.integers(0, 2**40)


@settings(max_examples=80)
@given(seats=TABLES, seed=SEEDS, names=st.permutations(GROUPS), step=st.integers(1, 20))
def test_other_names_for_the_groups_change_nothing_else(
    seats: int, seed: int, names: list[str], step: int
) -> None:
    renamed = dict(zip(GROUPS, names, strict=True))
    one = mandalier.deal("pyramids", seats, seed)
    other = story(tuple(renamed[name] for name in told(one)["path"]), seats, "")
    chooser = random.Random(seed)
    while not one.over:
        assert one.legal() == other.legal()
        move = chooser.choice(one.legal()[:step])
        one.play(move)
        other.play(move)
        assert one.scores == other.scores
        for seat in range(seats):
            assert {renamed[name]: n for name, n in held(one, seat).items()} == held(other, seat)
    assert one.result == other.result


@settings(max_examples=80)
@given(
    seats=TABLES,
    seed=SEEDS,
    plies=st.integers(0, 30),
    by=st.integers(1, 4),
    step=st.integers(1, 20),
)
def test_seats_that_change_places_in_a_circle_change_places_in_the_result(
    seats: int, seed: int, plies: int, by: int, step: int
) -> None:
    chooser = random.Random(seed)
    one = mandalier.deal("pyramids", seats, seed)
    for _ in range(plies):
        trial = one.copy()
        trial.play(chooser.choice(one.legal()[:step]))
        if trial.over:
            break
        one = trial
    other = turned_round(one, by % seats)
    while not one.over:
        assert one.legal() == other.legal()
        move = chooser.choice(one.legal()[:step])
        one.play(move)
        other.play(move)
        assert turned(list(one.scores), by % seats) == list(other.scores)
    assert one.result
    assert other.result
    assert [(seat + by) % seats for seat in one.result.winners] == list(other.result.winners)


def turned(row: list[int], by: int) -> list[int]:
    return row[len(row) - by :] + row[: len(row) - by]


def turned_round(state: State, by: int) -> State:
    """The same position with every seat that much further round the table."""
    s, seats = state.look(), state.seats
    for name in ("pawn", "points", "held"):
        row = getattr(s, name)
        setattr(s, name, turned(row[:seats], by) + row[seats:])
    s.turn = (s.turn + by) % seats
    engine = state.game.interpreted
    states = engine.states(1)
    engine.write(s, states)
    return State(state.game, engine, states)


@settings(max_examples=60)
@given(seats=TABLES, seed=SEEDS, step=st.integers(1, 20))
def test_all_points_are_given_but_those_of_groups_that_only_the_eye_holds(
    seats: int, seed: int, step: int
) -> None:
    state = mandalier.deal("pyramids", seats, seed)
    chooser = random.Random(seed)
    while not state.over:
        before = state.scores
        state.play(chooser.choice(state.legal()[:step]))
        assert all(now >= then for now, then in zip(state.scores, before, strict=True))
        seen = told(state)
        given_out = [name for name in seen["scored"] if seen["eye"].get(name) != 5]
        assert sum(state.scores) == 5 * len(given_out)


@settings(max_examples=40)
@given(seats=TABLES, seed=SEEDS, step=st.integers(1, 20))
def test_what_nobody_can_reach_again_does_not_matter(seats: int, seed: int, step: int) -> None:
    """Changing places of two pyramids right before the rearmost pawn passes both changes nothing."""
    one = mandalier.deal("pyramids", seats, seed)
    laid = told(one)["path"]
    laid[0], laid[1] = laid[1], laid[0]
    other = story(tuple(laid), seats, "")
    chooser = random.Random(seed)
    while not one.over:
        moves = [move for move in one.legal() if int(move) > 2]
        move = chooser.choice(moves[:step])
        one.play(move)
        other.play(move)
        if min(pawns(one)) >= 2:
            assert one.view().look() == other.view().look()
            return
