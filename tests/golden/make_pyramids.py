"""Makes the golden records of pyramids, each by itself: ``python -m tests.golden.make_pyramids NAME``.

Without a name it lists them. The order of the path is free, so a record is told by what lies at
the places that matter; the rest of the path goes from r1 to k3 again and again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mandalier.games.game import State
from mandalier.games.record import replay
from tests.golden import write

FOLDER = Path(__file__).parent / "pyramids"
GROUPS = tuple(f"{colour}{size}" for colour in "rybgk" for size in (1, 2, 3))
FIVE_TIMES = GROUPS * 5
"""The path of two of the worked checks: r1 … k3 five times over."""

STORIES: dict[str, Callable[[], State]] = {}
"""The maker of each record, by its name."""


def record_of(name: str) -> dict[str, Any]:
    """The golden record of this name, made anew."""
    return STORIES[name]().record()


def golden(maker: Callable[[], State]) -> Callable[[], State]:
    """Name a record as its maker, with dashes."""
    STORIES[maker.__name__.replace("_", "-")] = maker
    return maker


def path_with(given: Mapping[int, str]) -> list[str]:
    """A path with these groups at these places."""
    rest = list(FIVE_TIMES)
    for name in given.values():
        rest.remove(name)
    return [given[place] if place in given else rest.pop(0) for place in range(1, 76)]


def story(path: Mapping[int, str] | tuple[str, ...], seats: int, moves: str) -> State:
    """A game on a path; `moves` are the places by turns."""
    laid = path_with(path) if isinstance(path, Mapping) else list(path)
    form = {"mandalier": 1, "game": "pyramids", "rules": 1, "seats": seats, "options": {}}
    state = replay({**form, "setup": {"path": laid}, "moves": []})
    for move in moves.split():
        state.move(move)
    return state


# Moves and the eye -----------------------------------------------------------------------------


@golden
def a_pawn_goes_ahead_to_any_pyramid_and_never_back() -> State:
    return story({}, 2, "30 5 40 31")


@golden
def no_two_pawns_share_a_place_but_the_start() -> State:
    return story({}, 3, "17 20 18")


@golden
def a_pawn_at_the_start_keeps_all() -> State:
    return story({}, 3, "40 50 3")


@golden
def pyramids_behind_the_rearmost_pawn_go_to_the_eye() -> State:
    return story({1: "r1", 2: "y2", 4: "k3", 5: "k3"}, 2, "3 7")


@golden
def a_mover_who_stays_rearmost_leaves_pyramids_for_nobody() -> State:
    """Seat 0 is the rearmost before its move and after it."""
    return story({2: "r1", 4: "y2", 5: "k3"}, 2, "1 30 6")


# The end of the path ---------------------------------------------------------------------------


@golden
def r1_a_seat_with_nothing_ahead_is_skipped() -> State:
    return story({}, 3, "75 10 20 30 40")


@golden
def r1_the_end_may_come_before_place_75() -> State:
    """Seat 1 takes 75, so seat 0 at 74 has reached the end though it could go on before."""
    return story({}, 4, "74 75 10 20 30")


@golden
def r1_a_skipped_seat_still_scores() -> State:
    """Seat 0 is through with two r1 when the last r1 are taken."""
    path = {10: "r1", 75: "r1", 20: "r1", 21: "r1", 22: "r1"}
    return story(path, 3, "10 20 5 75 21 6 22")


@golden
def the_last_seat_takes_the_rest_and_its_pawn_stays() -> State:
    return story({}, 2, "10 20 75")


@golden
def the_last_of_three_seats_takes_the_rest() -> State:
    """Seat 1 takes the last pyramid ahead of itself; so seat 2 alone has any ahead."""
    return story({}, 3, "75 70 2 74")


@golden
def the_game_ends_when_the_last_taken_pyramid_leaves_nobody_with_one_ahead() -> State:
    return story({}, 2, "74 75")


@golden
def worked_check_one_move_75() -> State:
    return story(FIVE_TIMES, 2, "75")


# Scoring ---------------------------------------------------------------------------------------


@golden
def worked_check_seven_to_sixty_eight() -> State:
    return story(FIVE_TIMES, 2, "16 31 46 61 75")


@golden
def worked_check_counts_2_2_1() -> State:
    """r1 lies at 10, 30 / 20, 41 / 50; the last is taken with pawns at 30, 41 and 50."""
    path = {10: "r1", 20: "r1", 30: "r1", 41: "r1", 50: "r1"}
    return story(path, 3, "10 20 9 30 41 50")


@golden
def worked_check_counts_1_0_with_four_in_the_eye() -> State:
    path = {1: "r1", 2: "r1", 3: "r1", 4: "r1", 6: "r1"}
    return story(path, 2, "6 10")


@golden
def most_three_second_two_without_a_tie() -> State:
    path = {1: "r1", 2: "r1", 3: "r1", 40: "r1", 41: "r1"}
    return story(path, 2, "1 40 2 41 3")


@golden
def tie_for_most_goes_to_the_pawn_further_along() -> State:
    """Two each; the fifth goes to the eye by a move of seat 0, but seat 1 is ahead."""
    path = {3: "r1", 5: "r1", 7: "r1", 40: "r1", 41: "r1"}
    return story(path, 2, "3 40 5 41 8")


@golden
def tie_is_by_the_pawns_after_the_move() -> State:
    """Seat 0 was behind; the move that completes the group puts it ahead."""
    path = {3: "r1", 4: "r1", 30: "r1", 31: "r1", 50: "r1"}
    return story(path, 2, "4 30 5 31 50")


@golden
def tie_for_second_goes_to_the_pawn_further_along() -> State:
    """3, 1, 1 at the pawns 9, 41, 51: the seat at 51 is second, the one at 41 gets nothing."""
    path = {1: "r1", 2: "r1", 9: "r1", 40: "r1", 50: "r1"}
    return story(path, 3, "1 40 50 2 41 51 9")


@golden
def tie_of_all_five_is_by_the_pawns() -> State:
    """One each: the seats at 50 and 40 get 3 and 2, three others nothing."""
    path = {10: "r1", 20: "r1", 30: "r1", 40: "r1", 50: "r1"}
    return story(path, 5, "40 10 50 20 30")


@golden
def a_sole_holder_of_all_five_gets_five() -> State:
    path = {1: "r1", 2: "r1", 3: "r1", 4: "r1", 5: "r1"}
    return story(path, 2, "1 40 2 41 3 42 4 43 5")


@golden
def the_eye_is_no_competitor() -> State:
    """Three in the eye, one each at the seats: 3 points and 2."""
    path = {1: "r1", 2: "r1", 3: "r1", 6: "r1", 40: "r1"}
    return story(path, 2, "6 40")


@golden
def all_five_in_the_eye_score_nothing() -> State:
    path = {1: "r1", 2: "r1", 3: "r1", 4: "r1", 5: "r1"}
    return story(path, 2, "6 40")


@golden
def a_group_scores_as_soon_as_its_last_pyramid_is_taken() -> State:
    """Four are held and the fifth lies on the path: nothing yet. It is taken: 3 and 2."""
    path = {3: "r1", 4: "r1", 40: "r1", 41: "r1", 42: "r1"}
    return story(path, 2, "3 40 4 41 20 42")


@golden
def several_groups_score_at_once() -> State:
    """The last move sends the rest of four groups into the eye and takes the last of a fifth."""
    path = {1: "r1", 2: "k1", 40: "y1", 41: "k1"}
    path |= dict(enumerate(["r1"] * 4 + ["y1"] * 4 + ["b1"] * 5 + ["k1"] * 3 + ["g1"] * 5, 3))
    return story(path, 2, "1 40 2 41 23")


@golden
def a_tie_of_points_goes_to_the_pawn_further_along() -> State:
    """Found among random games: two of three seats are level, the later one is further along."""
    for seed in range(10_000):
        chooser = random.Random(seed)
        state = story(FIVE_TIMES, 3, "")
        while not state.over:
            state.move(chooser.choice(state.legal()[:9]))
        scores = state.scores
        assert state.result
        if scores.count(max(scores)) == 2 and scores.index(max(scores)) not in state.result.winners:
            return state
    raise AssertionError("no such game was found")


@golden
def a_seat_that_never_moved_may_win() -> State:
    return story(FIVE_TIMES, 4, "75 74 73")


@golden
def five_seats_play_to_the_end() -> State:
    state = story(FIVE_TIMES, 5, "")
    while not state.over:
        moves = state.legal()
        state.move(moves[len(state.log) * 5 % min(len(moves), 9)])
    return state


if __name__ == "__main__":
    write(FOLDER, STORIES, record_of)
