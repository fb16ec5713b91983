"""A tree kept for the next thought: what is kept, and when it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mandalier
from mandalier.games.game import State, game
from mandalier.games.kernel import twin_type
from mandalier.search import searcher
from mandalier.search.bot import Budget, bot
from mandalier.search.searcher import Found, Searcher, Style
from mandalier.search.tree import NODE
from tests.support import some_state

FORMS = ["compiled", "interpreted"]


def after_a_while(
    search: Searcher,
    state: State,
    chunks: int,
    overlooked: Callable[[int, float], bool] | None = None,
) -> list[Found]:
    """Have the seat to move think by the clock, until it was asked so often whether to stop."""
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) >= chunks

    return search.run(state.view(state.waiting[0]), Budget(ms=60_000), 1, overlooked, stop)


def a_small_rest(seats: int) -> State:
    """A game of pyramids with a dozen moves to choose from."""
    state = mandalier.deal("pyramids", seats, seed=4)
    while len(state.legal(state.waiting[0])) > 12:
        state.play(state.legal(state.waiting[0])[0], state.waiting[0])
    return state


def node_of(search: Searcher, node: int) -> dict[str, Any]:
    record = search.desk.nodes[node]
    names: Any = twin_type(NODE).__slots__
    if search.engine.compiled:
        return dict(zip(names, record.item(), strict=True))
    return {name: getattr(record, name) for name in names}


def children_of(search: Searcher, node: int) -> list[int]:
    found: list[int] = []
    child = node_of(search, node)["first"]
    while child:
        found.append(child)
        child = node_of(search, child)["next"]
    return found


def all_below(search: Searcher, node: int) -> list[Any]:
    """What was found below a node, to the last digit, as lists in lists."""
    links = {"first", "next"}
    return [
        (
            {name: value for name, value in node_of(search, child).items() if name not in links},
            all_below(search, child),
        )
        for child in children_of(search, node)
    ]


def most_visited(search: Searcher, node: int) -> int:
    return max(children_of(search, node), key=lambda child: node_of(search, child)["visits"])


def play_on(search: Searcher, state: State, plies: int) -> int:
    """Play the moves most looked at; the node where they lead."""
    node = 0
    for _ in range(plies):
        node = most_visited(search, node)
        one = node_of(search, node)
        module = state.game.module
        state.play(module.text(state.look(), one["move"]), one["seat"])
    return node


@pytest.fixture(autouse=True)
def _small_numbers_and_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few visits make a node worth keeping; each chunk is twice the one before it."""
    monkeypatch.setattr(searcher, "WORTH_KEEPING", 2)
    monkeypatch.setattr(searcher, "CHUNK_MS", 1e9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("seats", "plies"), [(2, 2), (3, 3), (5, 3)])
def test_what_is_kept_is_what_was_found_below_the_moves_played(
    form: str, seats: int, plies: int
) -> None:
    state = a_small_rest(seats)
    seat = state.waiting[0]
    search = Searcher(getattr(game("pyramids"), form), Style(playout=0, explore=0.3))
    after_a_while(search, state, 7)
    node = play_on(search, state, plies)
    before = all_below(search, node)
    kept = sum(one["visits"] for one, _ in before)
    assert kept >= 2
    found_at = search._in_old_tree(state.view(seat))
    assert found_at == node
    assert search._open(1, found_at) == len(before)
    assert search.kept == kept
    assert all_below(search, 0) == before
    assert not any(search.desk.place)
    used = int(search.desk.counts[0])
    assert used == 1 + len(str(before).split("'visits'")) - 1


def test_a_kept_tree_is_searched_on() -> None:
    state = some_state("pyramids", 2, 4, 6)
    search = Searcher(game("pyramids").fastest, Style())
    after_a_while(search, state, 9)
    play_on(search, state, 2)
    found = after_a_while(search, state, 3)
    assert search.kept > 0
    assert sum(one.visits for one in found) == search.kept + search.iterations
    assert {one.move for one in found} == {
        state.game.module.parse(move)[0] for move in state.legal(state.waiting[0])
    }


def kept_by(search: Searcher, state: State) -> int:
    after_a_while(search, state, 2)
    return search.kept


def test_a_tree_is_kept_for_no_other_seat_game_or_position() -> None:
    begun = some_state("pyramids", 2, 4, 6)
    seat = begun.waiting[0]
    search = Searcher(game("pyramids").fastest, Style())

    def thought_and_played() -> State:
        state = begun.copy()
        after_a_while(search, state, 9)
        play_on(search, state, 2)
        assert state.waiting == (seat,)
        return state

    assert kept_by(search, thought_and_played()) > 0  # or nothing below would be shown
    thought_and_played()
    assert kept_by(search, some_state("pyramids", 2, 5, 8)) == 0  # another game
    thought_and_played()
    assert kept_by(search, some_state("pyramids", 2, 4, 2)) == 0  # an earlier position
    after_a_while(search, begun, 9)
    other = begun.copy()
    play_on(search, other, 1)
    assert other.waiting != (seat,)
    assert kept_by(search, other) == 0  # the other seat, of the same game
    thought_and_played()
    assert kept_by(Searcher(game("pyramids").fastest, Style()), thought_and_played()) == 0


def test_no_tree_is_kept_where_something_is_hidden() -> None:
    for name in ("sand", "stones"):
        state = some_state(name, 2, 4, 6)
        search = Searcher(game(name).fastest, Style())
        after_a_while(search, state, 9)
        play_on(search, state, 1)
        if state.waiting[0] != some_state(name, 2, 4, 6).waiting[0]:
            play_on_anyhow(state)
        assert kept_by(search, state) == 0


def play_on_anyhow(state: State) -> None:
    seat = state.waiting[0]
    while state.waiting[0] == seat:
        state.play(state.legal(seat)[0], seat)


def test_a_counted_budget_gives_the_same_thought_whatever_was_asked_before() -> None:
    state = some_state("pyramids", 2, 4, 6)
    search = Searcher(game("pyramids").fastest, Style())
    after_a_while(search, state, 9)
    play_on(search, state, 2)
    view = state.view(state.waiting[0])
    budget = Budget(ms=60_000, iterations=700)
    found = search.run(view, budget, 3)
    assert search.kept == 0
    assert found == Searcher(game("pyramids").fastest, Style()).run(view, budget, 3)
    after_a_while(search, state, 3)
    assert search.kept == 0  # what a counted thought left is not gone on from


def test_a_thought_that_leaves_moves_out_leaves_no_tree_behind() -> None:
    state = some_state("pyramids", 2, 4, 6)
    search = Searcher(game("pyramids").fastest, Style())
    after_a_while(search, state, 9, lambda move, prior: move % 2 == 0)
    play_on(search, state, 2)
    assert kept_by(search, state) == 0


def test_master_goes_on_from_its_last_thought() -> None:
    state = mandalier.deal("pyramids", 2, seed=5)
    master = bot("master")
    first = master.think(state.view(0), Budget(ms=60), seed=1)
    state.play(first.move, 0)
    while state.waiting == (1,):
        reply = bot("eager").think(state.view(1), seed=1).move
        state.play(reply, 1)
    second = master.think(state.view(0), Budget(ms=60), seed=1)
    assert second.move in state.legal(0)
