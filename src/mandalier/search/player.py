"""A player of a certain strength: a search that may be short-sighted, and exact search near the end.

What makes a player weaker is what makes people weaker. It looks only so many moves ahead and then
judges at a glance; moves that promise little at a glance do not come to its mind; it takes others to
play without much thought, and so misses what they threaten; it is a little wrong about what moves
are worth; and it likes some kind of move more than it should. It never moves at random.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mandalier.games.contract import MAX_SEATS, appraise, hide, imagine, legal, play, resume, roll
from mandalier.games.engine import Engine
from mandalier.games.game import View, check_seed
from mandalier.games.kernel import HASH, Array, mix, rule
from mandalier.search.bot import NO_LIMIT, Budget, Candidate, Thought, check_view
from mandalier.search.exact import Solution, Solver
from mandalier.search.net import shipped_net
from mandalier.search.searcher import Found, Searcher, Style, asked
from mandalier.search.why import reasons

POSITIONS = 20
"""Positions that exact search may look at for one iteration of a budget of iterations."""
ROOM_MS = 15.0
"""Kept back from a budget of time for what comes after the search: lines, reasons, texts."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well a player plays. The defaults are the strongest."""

    budget: Budget
    style: Style = field(default_factory=Style)
    notices: float = 1.0
    """The share of the moves that come to its mind: those that promise most at a glance."""
    doubt: float = 0.0
    """How far it is wrong about what a move is worth, in chances to win."""
    liking: float = 0.0
    """How much more than it is worth it takes a kind of move to be, if it has a liking."""
    exact: float = 0.0
    """The share of its budget in which it tries to solve the rest of the game."""
    nets: bool = False
    """Whether it is helped by a net, for a game that comes with one."""


Liking = Callable[[View, str], bool]
"""Whether a move is of the kind that is liked."""


class Player:
    """A player of this level. It uses its memory again for every thought, so it is for one thread
    at a time."""

    def __init__(self, name: str, level: Level, liking: Liking | None = None) -> None:
        self.name = name
        self.level = level
        self._liking = liking
        self._searchers: dict[Engine, Searcher] = {}
        self._solvers: dict[Engine, Solver] = {}

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        started = time.perf_counter()
        engine = check_view(view).game.at_hand
        seed = check_seed(seed)
        budget = _with_room(budget.or_else(self.level.budget))
        if self.level.exact:
            solution = self._solve(engine, view, budget, seed)
            if solution is not None and solution.is_final:
                return self._told(view, _candidates_of(solution), solution.positions)
        searcher = self._searcher(engine, view)
        found = searcher.run(view, _left(budget, started), seed, self._overlooked(view, seed))
        if self.level.doubt or self._liking:
            found = self._judged(view, found, seed)
        return self._told(view, searcher.candidates(view, found), searcher.iterations)

    def weigh(self, view: View, move: int, budget: Budget = NO_LIMIT, seed: int = 0) -> Candidate:
        """What this player expects of one move, by its number, if it looks at no other."""
        engine = check_view(view).game.at_hand
        budget, text = (
            budget.or_else(self.level.budget),
            str(view.game.module.text(view.look(), move)),
        )
        if self.level.exact:
            solution = self._solve(engine, view, budget, seed)
            if solution is not None and solution.is_final:
                solved = {one.move: one for one in _candidates_of(solution)}
                if solved[text].visits:
                    return solved[text]
        searcher = self._searcher(engine, view)
        found = searcher.run(view, budget, check_seed(seed), lambda other, prior: other != move)
        return searcher.candidates(view, [one for one in found if one.move == move])[0]

    def _told(self, view: View, candidates: tuple[Candidate, ...], iterations: int) -> Thought:
        move = candidates[0].move
        why = reasons(view, candidates, move) if len(candidates) > 1 else ()
        return Thought(move, candidates, why, iterations, self.name)

    # Exact search

    def _solve(self, engine: Engine, view: View, budget: Budget, seed: int) -> Solution | None:
        if engine not in self._solvers:
            self._solvers[engine] = Solver(engine)
        share = self.level.exact
        part = Budget(
            ms=None if budget.ms is None else budget.ms * share,
            iterations=None
            if budget.iterations is None
            else max(1, int(budget.iterations * POSITIONS * share)),
        )
        return self._solvers[engine].solve(view, part, seed)

    # Search

    def _searcher(self, engine: Engine, view: View) -> Searcher:
        if engine not in self._searchers:
            net = shipped_net(view.game.module) if self.level.nets else None
            style = replace(self.level.style, by_net=asked(net))
            self._searchers[engine] = Searcher(engine, style, net)
        return self._searchers[engine]

    # What is human about it

    def _overlooked(self, view: View, seed: int) -> Callable[[int, float], bool] | None:
        if self.level.notices >= 1:
            return None
        merits = glance_at(view, seed)
        ranked = sorted(merits, key=lambda move: (-merits[move], mix(seed & HASH, move)))
        noticed = set(ranked[: max(2, math.ceil(self.level.notices * len(ranked)))])
        return lambda move, _: move not in noticed

    def _judged(self, view: View, found: list[Found], seed: int) -> list[Found]:
        """What was found, in the order in which this player would choose."""
        module, s = view.game.module, view.look()

        def judged(one: Found) -> float:
            worth = one.worth + self.level.doubt * spread(mix(seed & HASH, one.move))
            if self._liking and self._liking(view, str(module.text(s, one.move))):
                worth += self.level.liking
            return worth

        seen = [one for one in found if one.visits]
        rest = [one for one in found if not one.visits]
        return sorted(seen, key=lambda one: (-judged(one), one.move)) + rest


def spread(word: int) -> float:
    """A number from a hash, spread like a normal one: mean 0, deviation 1."""
    parts = (mix(word, k) >> 20 & 0xFFFF for k in range(1, 13))
    return sum(part / 65536 for part in parts) - 6


def _with_room(budget: Budget) -> Budget:
    """A budget of time without what the words take."""
    if budget.ms is None:
        return budget
    return replace(budget, ms=max(budget.ms / 2, budget.ms - ROOM_MS))


def _left(budget: Budget, started: float) -> Budget:
    """What is left of a budget of time."""
    if budget.ms is None:
        return budget
    return replace(budget, ms=max(1.0, budget.ms - (time.perf_counter() - started) * 1000))


def _candidates_of(solution: Solution) -> tuple[Candidate, ...]:
    """A solution as candidates. A move that was only shown to be no better counts as not visited."""
    visits = solution.worlds or 1
    return tuple(
        Candidate(
            one.move,
            one.win,
            one.lead,
            visits if one.is_exact else 0,
            solution.line if rank == 0 else (),
        )
        for rank, one in enumerate(solution.moves)
    )


# A glance --------------------------------------------------------------------------------------


@rule
def glance_at_moves(
    states: Array, seat: int, seed: int, out: Array, points: Array, merits: Array, bank: Array
) -> int:
    """What each legal move of states[0] promises at a glance, in one world, as a lead in hundredths
    of points; how many moves there are."""
    states[1] = states[0]
    world = states[1]
    hide(world, seat)
    imagine(world, seed)
    n = legal(states[0], seat, out)
    for i in range(n):
        states[2] = states[1]
        trial = states[2]
        play(trial, seat, out[i])
        while trial.chance != 0:
            roll(trial, bank)
            resume(trial)
        appraise(trial, points)
        best = -(1 << 30)
        for other in range(trial.seats):
            if other != seat:
                best = max(best, int(points[other]))
        merits[i] = int(points[seat]) - best
    return n


def glance_at(view: View, seed: int) -> dict[int, int]:
    """What each legal move promises at a glance, by its number."""
    engine: Any = view.game.at_hand
    states, out = engine.states(3), engine.move_list()
    merits = engine.array(view.game.module.MOVES)
    engine.write(view.look(), states)
    n = engine.bind(glance_at_moves)(
        states, view.seat, seed & HASH, out, engine.array(MAX_SEATS), merits, engine.bank
    )
    return {int(out[i]): int(merits[i]) for i in range(n)}


__all__: Sequence[str] = ("Level", "Liking", "Player", "glance_at", "spread")
