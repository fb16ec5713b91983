"""The search: what it sees, what it keeps to, and that its two forms agree."""

from __future__ import annotations

from typing import Any

import pytest

import mandalier
from mandalier.games.game import GAMES, State, game
from mandalier.search import searcher
from mandalier.search.bot import Budget, bot
from mandalier.search.searcher import Searcher, Style
from tests.support import OPTIONS, TABLES, plays, some_state

SOME = [(name, seats) for name, seats in TABLES if seats != 4]


def forged(state: State, seed: int) -> State:
    """Another full state that the seat to move cannot tell from this one."""
    return state.view(state.waiting[0]).imagine(seed)


@pytest.mark.parametrize(("name", "seats"), SOME)
@pytest.mark.parametrize("races", [True, False])
def test_compiled_and_interpreted_search_find_the_same(
    name: str, seats: int, races: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searcher, "FEW", 100 if races else 0)
    state = some_state(name, seats, 3, 12)
    if state.over:
        state = some_state(name, seats, 3, 2)
    view = state.view(state.waiting[0])
    engines = game(name).compiled, game(name).interpreted
    found = [Searcher(e, Style()).run(view, Budget(iterations=50), 7) for e in engines]
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "seats"), SOME)
def test_positions_a_seat_cannot_tell_apart_get_the_same_thought(name: str, seats: int) -> None:
    thinker = bot("mcts:120")
    for ply, state in enumerate(plays(name, seats, 11)):
        if state.over or ply % 9:
            continue
        seat = state.waiting[0]
        thoughts = [
            thinker.think(one.view(seat), seed=5)
            for one in (state, forged(state, 1), forged(state, 2))
        ]
        assert thoughts[0] == thoughts[1] == thoughts[2]


@pytest.mark.parametrize("name", GAMES)
def test_a_full_state_is_refused(name: str) -> None:
    state = mandalier.deal(name, seed=1, options=OPTIONS.get(name))
    full: Any = state
    for who in ("random", "eager", "mcts:10"):
        with pytest.raises(TypeError, match=r"state\.view"):
            bot(who).think(full)


def test_a_seat_that_is_not_to_move_gets_no_thought() -> None:
    state = mandalier.deal("sand", seed=1)
    with pytest.raises(mandalier.MandalierError, match="not the turn of seat 1"):
        bot("mcts:10").think(state.view(1))


def test_where_a_move_wins_at_once_a_search_is_sure_to_win() -> None:
    seen = 0
    for seed in range(40):
        games = [state.copy() for state in plays("pyramids", 2, seed)]
        before = games[-2]
        seat = before.waiting[0]
        wins = set()
        for move in before.legal():
            after = before.copy()
            after.play(move)
            if after.result is not None and after.result.winners == (seat,):
                wins.add(move)
        if wins and len(wins) < len(before.legal()):
            seen += 1
            thought = bot("mcts:2000").think(before.view(seat), seed=1)
            assert thought.move in wins or thought.candidates[0].win == 1.0
    assert seen


def test_no_line_is_searched_beyond_the_budget() -> None:
    view = mandalier.deal("sand", seed=2).view(0)
    for iterations in (1, 7, 100, 401, 1000):
        thought = bot("mcts:5").think(view, Budget(iterations=iterations), seed=1)
        assert thought.iterations == iterations
        assert sum(one.visits for one in thought.candidates) <= iterations + 32


def test_a_search_that_is_told_to_stop_answers_with_what_it_has() -> None:
    search = Searcher(game("sand").fastest, Style())
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    found = search.run(mandalier.deal("sand", seed=2).view(0), Budget(ms=60_000), 1, stop=stop)
    assert len(asked) == 3
    assert found[0].visits > 0


@pytest.mark.parametrize("later", [0.001, 0.02])
def test_a_deadline_is_kept_on_a_machine_that_becomes_slow(
    later: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that goes on with every iteration, and faster after the first two hundred: as on a
    machine that gets other work to do."""
    search = Searcher(game("sand").fastest, Style())

    def clock() -> float:
        return 0.0001 * min(search.iterations, 200) + later * max(0, search.iterations - 200)

    monkeypatch.setattr("mandalier.search.searcher.time.perf_counter", clock)
    search.run(mandalier.deal("sand", seed=2).view(0), Budget(ms=400), 1)
    one_chunk = 2 * searcher.CHUNK_MS / 1000 / 0.0001 * later  # as long as it was before
    assert 0.39 < clock() < 0.4 + one_chunk
    if later == 0.001:
        assert clock() < 0.41  # by then it knows


def test_a_full_tree_goes_on_being_searched() -> None:
    view = mandalier.deal("sand", seed=2).view(0)
    search = Searcher(game("sand").fastest, Style(), nodes=200)
    found = search.run(view, Budget(iterations=3000), 1)
    assert sum(one.visits for one in found) == 3000


@pytest.mark.parametrize("text", ["mcts", "mcts:", "mcts:0", "mcts:x", "mcts:²", "mcts:999999999"])
def test_a_search_without_a_number_of_iterations_is_refused(text: str) -> None:
    with pytest.raises(mandalier.MandalierError, match="mcts:1000"):
        bot(text)


def test_a_bot_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(mandalier.MandalierError, match="random, greedy, eager"):
        bot("deep blue")


@pytest.mark.parametrize("budget", [{"ms": 0}, {"ms": -1}, {"iterations": 0}])
def test_a_budget_of_nothing_is_refused(budget: dict[str, int]) -> None:
    with pytest.raises(mandalier.MandalierError, match="above 0"):
        Budget(**budget)
