"""Exact search: the same as trying everything, and lines that come to what they claim."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from mandalier.games import kernel
from mandalier.games.game import State, game
from mandalier.search import exact
from mandalier.search.bot import Budget
from mandalier.search.exact import Solution, Solver, solve
from tests.support import engines, plays

needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="too long without compiled rules")


def solver(name: str, compiled: bool = True) -> Solver:
    return Solver(engines(name)[0 if compiled else 1], entries=1 << 12)


def solved(state: State, by: Solver, **more: Any) -> Solution:
    found = by.solve(state.view(state.waiting[0]), **more)
    assert found is not None
    return found


# Trying everything, in plain Python over the table's own states, by the words of the rules -------

Values = tuple[float, ...]


def final(state: State) -> Values:
    """How each seat stands to the best other: in points, and in sixteenths by what breaks ties."""
    assert state.result is not None
    s = state.look()
    seats = range(state.seats)
    breaks = [-seat for seat in seats]  # stones: a tie goes to the earlier seat
    if state.game.name == "pyramids":  # to the pawn further along
        breaks = list(s.pawn[: state.seats])
    elif state.game.name == "sand":  # to the smaller cup
        breaks = [-_cup(s, seat) for seat in seats]
    ranks = [sum(breaks[other] < breaks[seat] for other in seats) for seat in seats]
    stands = [n + rank / 16 for n, rank in zip(state.result.scores, ranks, strict=True)]
    leads = tuple(n - max(stands[:i] + stands[i + 1 :]) for i, n in enumerate(stands))
    for seat, lead in enumerate(leads):
        assert (seat in state.result.winners) == (lead >= 0)
    return leads


def _cup(s: Any, seat: int) -> int:
    module = game("sand").module
    return int(module.size(s.claimed[seat] + s.start[seat]))


def brute(state: State) -> Values:
    if state.over:
        return final(state)
    values, seat = brute_moves(state), state.waiting[0]
    return max(values.values(), key=lambda value: value[seat])


def brute_moves(state: State) -> dict[str, Values]:
    seat = state.waiting[0]
    values = {}
    for move in state.legal(seat):
        after = state.copy()
        after.play(move, seat)
        values[move] = brute(after)
    return values


def win_and_lead(value: float) -> tuple[float, float]:
    return (0.5 if value == 0 else float(value > 0), round(value))


def ends(name: str, seats: int, left: int, games: int) -> Iterator[State]:
    """Positions near the end of random games, with few moves left."""
    for seed in range(games):
        for state in plays(name, seats, seed):
            if not state.over and size(state) <= left:
                yield state
                break


def size(state: State) -> int:
    """How much there is to try, very roughly."""
    s = state.look()
    if state.game.name == "pyramids":
        return int(game("pyramids").module.lying_ahead(s, min(s.pawn[: s.seats])))
    if state.game.name == "sand" and not s.deck_out:  # the game may go on after the claims
        return 99
    return 0 if game(state.game.name).module.stage(s) else 99


# The same as brute force -----------------------------------------------------------------------


BOTH = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_numba), False])
LEFT = {2: 7, 3: 6, 4: 5, 5: 5}


@BOTH
@pytest.mark.parametrize("seats", LEFT)
def test_the_end_of_pyramids_is_solved_as_by_trying_everything(seats: int, compiled: bool) -> None:
    by = solver("pyramids", compiled)
    tested = 0
    for state in ends("pyramids", seats, LEFT[seats], 40):
        found = solved(state, by)
        expected = brute_moves(state)
        seat = state.waiting[0]
        assert found.is_final
        assert found.worlds == 0
        assert {move.move for move in found.moves} == set(expected)
        for move in found.moves:
            assert move.is_exact
            assert (move.win, move.lead) == win_and_lead(expected[move.move][seat])
        tested += len(found.moves) > 1
    assert tested > 10


@BOTH
@pytest.mark.parametrize(("name", "seats"), [("sand", 2), ("stones", 2), ("stones", 3)])
def test_what_is_hidden_is_averaged_over_worlds_tried_entirely(
    name: str, seats: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "WORLDS", 4)
    by = solver(name, compiled)
    tested = 0
    for state in ends(name, seats, 12, 60):
        view, seat = state.view(state.waiting[0]), state.waiting[0]
        found = solved(state, by, seed=3)
        assert found.is_final
        assert found.worlds == 4
        worlds = [brute_moves(view.imagine(exact.world_seed(3, i))) for i in range(4)]
        for move in found.moves:
            values = [win_and_lead(world[move.move][seat]) for world in worlds]
            assert move.win == pytest.approx(sum(win for win, _ in values) / 4)
            assert move.lead == pytest.approx(sum(lead for _, lead in values) / 4)
        tested += len(found.moves) > 1
        if tested == (4 if seats == 2 else 2):
            return
    raise AssertionError("too few positions to test")


@needs_numba
@pytest.mark.parametrize(("name", "seats"), [("pyramids", 2), ("pyramids", 3), ("sand", 2)])
def test_compiled_and_interpreted_search_find_the_same(name: str, seats: int) -> None:
    one, other = solver(name), solver(name, False)
    for state in ends(name, seats, 9, 6):
        assert solved(state, one, seed=1) == solved(state, other, seed=1)


# What is found ---------------------------------------------------------------------------------


@needs_numba
@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_numba), False])
def test_a_counted_budget_finds_the_same_whatever_was_solved_before(compiled: bool) -> None:
    by, budget = Solver(engines("sand")[0 if compiled else 1]), Budget(iterations=360)
    solved = 0
    for state in plays("sand", 2, 11):
        if not state.waiting or not by.can_solve(view := state.view(state.waiting[-1])):
            continue
        first = by.solve(view, budget, seed=5)
        solved += first is not None
        assert first == by.solve(view, budget, seed=5)
        assert first == Solver(engines("sand")[1]).solve(view, budget, seed=5)
    assert solved > 5


@pytest.mark.parametrize(("seats", "left"), [(2, 18), (3, 9), (5, 7)])
def test_the_line_of_a_solved_position_replays_to_what_it_claims(seats: int, left: int) -> None:
    by = solver("pyramids")
    for state in ends("pyramids", seats, left, 15):
        seat = state.waiting[0]
        found = solved(state, by)
        assert found.line[0] == f"{seat} {found.best.move}"
        for entry in found.line:
            who, _, move = entry.partition(" ")
            state.play(move, int(who))
        assert state.result is not None
        scores = list(state.result.scores)
        assert scores.pop(seat) - max(scores) == found.best.lead
        assert (seat in state.result.winners) == bool(found.best.win)


@needs_numba
def test_best_play_is_no_worse_than_any_other_against_best_replies() -> None:
    """In longer endings, where nothing else can be tried entirely: random play of either seat never
    does better than the value found."""
    by, chooser = solver("pyramids"), random.Random(5)
    for state in ends("pyramids", 2, 16, 12):
        lead = solved(state, by, every=False).best.lead
        seat = state.waiting[0]
        for stubborn in (seat, 1 - seat):
            trial = state.copy()
            while not trial.over:
                who = trial.waiting[0]
                move = chooser.choice(trial.legal(who))
                if who != stubborn:
                    move = solved(trial, by, every=False).best.move
                trial.play(move, who)
            assert trial.result is not None
            reached = trial.result.scores[seat] - trial.result.scores[1 - seat]
            assert reached <= lead if stubborn == seat else reached >= lead


@pytest.mark.parametrize(("name", "seats"), [("pyramids", 2), ("pyramids", 4), ("stones", 2)])
def test_positions_with_the_same_digest_have_the_same_future(name: str, seats: int) -> None:
    module = game(name).module
    met_again = 0
    futures: dict[tuple[int, ...], Values] = {}
    for state in ends(name, seats, 7, 8):
        for one in _all_after(state, 4):
            made = _standings(one)
            leads = [points - made[0] for points in made]
            if seats == 2:  # what was made so far does not matter
                known = (module.digest(one.look()),)
                future = tuple(16 * n - made[i] + made[1 - i] for i, n in enumerate(brute(one)))
            else:
                known, future = (module.digest(one.look()), *leads), brute(one)
            met_again += known in futures
            assert futures.setdefault(known, future) == future
    assert met_again or name == "stones"  # where lines hardly ever meet


@pytest.mark.parametrize("name", ["pyramids", "stones"])
def test_what_comes_of_a_position_lies_within_its_bounds(name: str) -> None:
    for state in ends(name, 2, 5, 8):
        for one in _all_after(state, 3):
            made, out = _standings(one), [0, 0]
            game(name).module.bounds(one.look(), out)
            assert out[0] <= 16 * brute(one)[0] - made[0] + made[1] <= out[1]


def _standings(state: State) -> list[int]:
    points = [0] * 5
    game(state.game.name).module.standing(state.look(), points)
    return points[: state.seats]


def _all_after(state: State, plies: int) -> Iterator[State]:
    """A position and all that may come of it soon."""
    if not state.over:
        yield state
        for move in state.legal(state.waiting[0])[:6] if plies else ():
            after = state.copy()
            after.play(move, state.waiting[0])
            yield from _all_after(after, plies - 1)


@pytest.mark.parametrize(("name", "seats"), [("pyramids", 3), ("stones", 3), ("sand", 2)])
def test_whether_a_position_is_searched_depends_on_what_a_seat_knows(name: str, seats: int) -> None:
    module = game(name).module
    for state in plays(name, seats, 4):
        for seat in range(seats):
            assert module.stage(state.look()) == module.stage(state.view(seat).look())


# Budgets ---------------------------------------------------------------------------------------


def test_an_opening_is_not_solved() -> None:
    for name in ("pyramids", "stones", "sand"):
        state = next(plays(name, 2, 1))
        assert solve(state.view(0)) is None


def test_a_budget_that_does_not_reach_gives_nothing() -> None:
    by = solver("pyramids", False)
    state = next(ends("pyramids", 2, 20, 9))
    view = state.view(state.waiting[0])
    assert by.solve(view, Budget(iterations=5)) is None
    assert by.solve(view, stop=lambda: True) is None


@needs_numba
def test_with_a_short_budget_the_other_moves_are_only_known_to_be_no_better() -> None:
    by = solver("pyramids")
    for state in ends("pyramids", 2, 18, 9):
        view = state.view(state.waiting[0])
        full, quick = by.solve(view), by.solve(view, every=False)
        assert full is not None
        assert quick is not None
        assert quick.best == full.best
        values = {move.move: move.lead for move in full.moves}
        for move in quick.moves:
            assert move.lead >= values[move.move]
            assert move.is_exact <= (move.lead == values[move.move])
        assert quick.positions <= full.positions


def test_a_full_state_is_refused() -> None:
    full: Any = next(plays("pyramids", 2, 1))
    with pytest.raises(TypeError, match=r"state\.view"):
        solve(full)


def test_a_game_that_is_not_searched_so_gets_no_answer() -> None:
    state = next(plays("dice", 2, 1))
    assert solver("dice", False).solve(state.view(0)) is None
