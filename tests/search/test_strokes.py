"""The search for dice: what it sees, what it keeps to, and that it finds what is to be found."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

import mandalier
from mandalier.games import kernel
from mandalier.games.dice import rules
from mandalier.games.dice.state import COLLECT, DONE_MOVE, EXHIBIT, PREPARE, ROUNDS
from mandalier.games.dice.texts import bits_of
from mandalier.games.game import State, View, deal, game
from mandalier.search import strokes
from mandalier.search.bot import Budget, Thought, bot
from mandalier.search.strokes.desk import Clock, Desk, Style
from mandalier.search.strokes.picture import MOST_PICTURES
from mandalier.search.strokes.takes import LEAD_COUNTS, R_N, R_VALUE, RESULT
from mandalier.search.strokes.thinker import Exhibition, search_collect
from tests.support import plays

SURROGATE = {"outcomes": "surrogate"}
FEW = Budget(iterations=60)


@pytest.fixture(scope="module")
def games() -> list[list[State]]:
    """The states of a random game for each number of seats, each before a move."""
    return [[s.copy() for s in plays("dice", seats, seed)][:-1] for seats, seed in ((2, 4), (3, 5))]


def some(states: list[State], phase: int, which: int = 0) -> State:
    """A state of this phase."""
    return [state for state in states if state.look().phase == phase][which]


def think(state: State, budget: Budget = FEW, seed: int = 1, **style: Any) -> Thought:
    return strokes.think(state.view(state.waiting[0]), budget, seed, **style)


# What it sees


def test_the_same_seed_gives_the_same_thought_in_every_phase(games: list[list[State]]) -> None:
    for states in games:
        for phase in range(4):
            state = some(states, phase)
            assert think(state) == think(state)


@pytest.mark.parametrize("phase", [PREPARE, EXHIBIT])
def test_positions_a_seat_cannot_tell_apart_get_the_same_thought(
    games: list[list[State]], phase: int
) -> None:
    for states in games:
        hidden = [s for s in states if s.look().phase == phase and len(s.waiting) == 1]
        view = hidden[-1].view(hidden[-1].waiting[0])
        thoughts = [
            strokes.think(view.imagine(seed).view(view.seat), FEW, seed=3) for seed in range(3)
        ]
        assert thoughts[0] == thoughts[1] == thoughts[2]


def test_what_is_forged_into_a_view_changes_nothing(games: list[list[State]]) -> None:
    state = [s for s in games[0] if s.look().phase == PREPARE and len(s.waiting) == 1][1]
    seat = state.waiting[0]
    forged = state.view(seat).look()
    forged.prepared[1 - seat] = 31
    forged.rng = [1, 2, 3, 4]
    assert strokes.think(View(game("dice"), forged), FEW, 3) == think(state, seed=3)


def test_a_full_state_is_refused(games: list[list[State]]) -> None:
    with pytest.raises(TypeError, match="a bot is given a View, not a State"):
        strokes.think(games[0][0])  # type: ignore[arg-type]


def test_it_plays_dice_only() -> None:
    view = mandalier.deal("sand", seed=1).view(0)
    for name in ("strokes", "aimer"):
        with pytest.raises(mandalier.MandalierError, match=f"the bot {name} plays dice only"):
            bot(name).think(view)


# What it keeps to


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_it_answers_in_whole_games_is_legal(seats: int) -> None:
    state = deal("dice", seats, 11, SURROGATE)
    players = [bot(name) for name in ("strokes:40", "aimer", "strokes:8", "aimer")][:seats]
    ply = 0
    while not state.over:
        seat = state.waiting[ply % len(state.waiting)]
        thought = players[seat].think(state.view(seat), seed=ply)
        for candidate in thought.candidates:
            state.check(candidate.move, seat)
            assert 0.0 <= candidate.win <= 1.0
        state.play(thought.move, seat)
        ply += 1
    assert state.result


def test_the_compiled_and_the_interpreted_search_find_the_same(games: list[list[State]]) -> None:
    for states in games:
        for phase in range(4):
            state = some(states, phase, 1)
            found = [
                think(state, Budget(iterations=16), 5, engine=engine)
                for engine in (game("dice").compiled, game("dice").interpreted)
            ]
            assert found[0] == found[1]


def test_no_more_iterations_are_done_than_asked_for(games: list[list[State]]) -> None:
    for phase in range(4):
        thought = think(some(games[0], phase), Budget(iterations=300))
        assert 0 < thought.iterations <= 300


def test_a_clock_stops_at_the_first_of_its_two_ends() -> None:
    clock = Clock(Budget(ms=60_000, iterations=5))
    assert clock.runs()
    clock.used = 5
    assert not clock.runs()
    assert not Clock(Budget(ms=0.001, iterations=5)).runs()


def test_a_wrong_name_is_refused_in_words() -> None:
    with pytest.raises(mandalier.MandalierError, match="a number of iterations, like strokes:2000"):
        bot("strokes:many")


# Collecting


def all_values(desk: Desk) -> dict[int, float]:
    """By brute force over all legal moves: the best value that can follow each first move."""
    best: dict[int, float] = {}
    out = [0] * (DONE_MOVE + 1)

    def go_on(s: Any, first: int) -> None:
        for move in out[: rules.list_takes(s, desk.seat, out)].copy():
            trial = kernel.new_states(desk.module.STATE, 1, False)
            trial[0] = s
            here = first if first >= 0 else move
            if move != DONE_MOVE:
                rules.play(trial[0], desk.seat, move)
                go_on(trial[0], here)
            else:
                value = value_of(desk, trial[0])
                best[here] = max(best.get(here, -9.0), value)

    world = kernel.new_states(desk.module.STATE, 1, False)
    world[0] = desk.s
    world[0].viewer = 0
    go_on(world[0], -1)
    return best


def value_of(desk: Desk, s: Any) -> float:
    """What it is worth to be done here."""
    from mandalier.search.strokes import takes

    states = game("dice").interpreted.states(8)
    states[2] = s
    return float(takes.value_here(states, desk.minds[0], 0))


def test_the_search_of_takes_finds_what_trying_all_moves_finds() -> None:
    tried = 0
    for seed in range(40):
        for state in plays("dice", 2 + seed % 3, seed):
            s = state.look()
            if state.over or s.phase != COLLECT or not 6 <= len(state.legal()) <= 40:
                continue
            desk = Desk(state.view(s.turn), 1, Style(), game("dice").interpreted)
            results, firsts, _ = search_collect(desk, Clock(Budget(iterations=100_000)))
            found = max(
                float(results[r * RESULT + R_VALUE])
                for r in range(1 + len(firsts))
                if results[r * RESULT + R_N]
            )
            assert found == pytest.approx(max(all_values(desk).values()))
            tried += 1
            break
        if tried == 6:
            return
    raise AssertionError("too few positions")


# The exhibition


def payoff(s: Any, pictures: tuple[int, ...]) -> tuple[float, float]:
    """The share of the win and the lead of seat 0, by the rules."""
    end = kernel.new_states(game("dice").module.STATE, 1, False)
    end[0] = s
    end[0].kept = [*pictures, *[0] * (4 - len(pictures))]
    end[0].over, end[0].viewer = 1, 0
    points = [0] * 5
    winners = rules.score(end[0], points)
    n = len(pictures)
    lead = points[0] - max(points[1:n])
    return (winners & 1) / winners.bit_count(), lead


def exhibition(seed: int, seats: int, cards: int) -> Desk:
    """A position in which all have so many cards to choose their pictures from."""
    chooser = random.Random(seed)
    state = deal("dice", seats, seed, SURROGATE)
    s = state.look()
    s.phase, s.round, s.viewer = EXHIBIT, ROUNDS, 1
    pack = chooser.sample(range(1, 37), cards * seats)
    for seat in range(seats):
        s.hand[seat] = sum(1 << card for card in pack[cards * seat : cards * (seat + 1)])
    s.grid = [0 if s.hand[0] >> card & 1 else card for card in s.grid]
    return Desk(View(game("dice"), s), 1, Style(), game("dice").compiled)


@pytest.mark.parametrize("seed", range(4))
def test_neither_of_two_seats_gains_by_another_choice_of_pictures(seed: int) -> None:
    desk = exhibition(seed, 2, 5 + seed % 2)
    solved = Exhibition(desk, list(desk.s.hand[:2]))
    solved.solve(2000)
    mixed = [
        {cards: often for cards, often, _, _ in solved.judge(seat) if often > 0} for seat in (0, 1)
    ]
    all_pictures = [
        [sum(1 << c for c in chosen) for chosen in combinations(bits_of(hand), solved.size)]
        for hand in map(int, desk.s.hand[:2])
    ]

    def worth(first: int, second: int) -> float:
        share, lead = payoff(desk.s, (first, second))
        return share + LEAD_COUNTS * lead

    value = sum(p * q * worth(a, b) for a, p in mixed[0].items() for b, q in mixed[1].items())
    best = max(sum(q * worth(a, b) for b, q in mixed[1].items()) for a in all_pictures[0])
    least = min(sum(p * worth(a, b) for a, p in mixed[0].items()) for b in all_pictures[1])
    assert least - 1e-9 <= value <= best + 1e-9
    assert best - least < 0.03


def test_pictures_of_three_seats_win_their_share_between_them() -> None:
    desk = exhibition(8, 3, 5)
    solved = Exhibition(desk, list(desk.s.hand[:3]))
    solved.solve(600)
    shares = []
    for seat in range(3):
        judged = solved.judge(seat)
        assert sum(often for _, often, _, _ in judged) == pytest.approx(1)
        assert len(judged) <= MOST_PICTURES
        shares.append(sum(often * win for _, often, win, _ in judged))
    assert sum(shares) == pytest.approx(1, abs=0.08)


def test_a_choice_of_pictures_is_carried_through_whatever_the_seeds() -> None:
    state = next(s for s in plays("dice", 2, 4) if s.look().phase == EXHIBIT).copy()
    seat = state.waiting[0]
    s = state.look()
    solved = Exhibition(Desk(state.view(seat), 1, Style(), game("dice").compiled), list(s.hand[:2]))
    solved.solve(1500)
    pictures = {cards for cards, often, _, _ in solved.judge(seat) if often > 0}
    seed = 0
    while state.waiting and state.waiting[0] == seat:
        state.play(strokes.think(state.view(seat), Budget(iterations=1500), seed).move, seat)
        seed += 1
    assert state.look().kept[seat] in pictures
