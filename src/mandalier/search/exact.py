"""Exact search of a game's end.

Where all is open it solves the game: the value of a move is what comes of it when every seat plays
for the win first, then for its lead over the best other. (With three seats or more that is what
each seat expects the others to do; of moves equally good for it a seat takes the one with the lowest
number.) Where something is hidden each of the seat's moves is searched in many imagined worlds, each
exactly, and its values are averaged.

    from mandalier.search.exact import solve
    found = solve(state.view(0), Budget(ms=500))
    found.best.move, found.best.lead, found.line
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from mandalier.games.contract import MAX_SEATS, NOT_EXACT, STANDING
from mandalier.games.engine import Engine
from mandalier.games.game import View
from mandalier.games.kernel import HASH, mix
from mandalier.search.alphabeta import (
    BEGIN,
    FAR,
    FINAL,
    FORGET,
    GO_ON,
    NODES,
    OUTLOOK,
    ROOM,
    SET_UP,
    STAGE_OF,
    UNKNOWN,
    desk_for,
    work,
)
from mandalier.search.bot import NO_LIMIT, Budget, check_view

ENTRIES = 1 << 19  # 20 MB
COUNTED_ENTRIES = 1 << 14  # used where a budget counts positions, in both forms
CHUNK = 4096  # positions searched between two looks at the clock
TWIN_CHUNK = 64
WORLDS = 100  # worlds imagined at most
FEWEST_WORLDS = 8


@dataclass(frozen=True, slots=True)
class Solved:
    """What exact search found of one move."""

    move: str
    win: float
    """The chance to win: 1, 0, or a share, where nothing is hidden."""
    lead: float
    """The lead in points over the best other seat."""
    is_exact: bool
    """False: it was only shown to come to no more than this, which is enough to prefer another."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What exact search found of a position."""

    moves: tuple[Solved, ...]
    """The best first."""
    line: tuple[str, ...]
    """Best play from here to the end, as entries of a record; none where worlds were imagined."""
    is_final: bool
    """Whether it saw the end of the game on every line; else the end of this stage, with what the
    game makes of it at a glance."""
    worlds: int
    """How many worlds were imagined; 0 where nothing is hidden."""
    positions: int
    """How many were searched."""

    @property
    def best(self) -> Solved:
        return self.moves[0]


class OutOfBudgetError(Exception):
    """The budget is spent."""


class Solver:
    """Exact search for one game. It uses its memory again for every solution, so it is for one
    thread at a time."""

    def __init__(self, engine: Engine, entries: int = 0) -> None:
        """`entries`, a power of two: how many positions it remembers (40 bytes each)."""
        self.engine = engine
        default = ENTRIES if engine.compiled else COUNTED_ENTRIES
        self._entries = entries or default
        self._desk = desk_for(engine, self._entries)
        self._work = engine.bind(work)
        self._chunk = CHUNK if engine.compiled else TWIN_CHUNK
        self._end: float | None = None
        self._positions_left: int | None = None
        self._stop: Callable[[], bool] | None = None

    def can_solve(self, view: View) -> bool:
        """Whether this is a part of the game that is searched exactly."""
        self.engine.write(view.look(), self._desk.states)
        return self._call(STAGE_OF) != NOT_EXACT

    def solve(
        self,
        view: View,
        budget: Budget = NO_LIMIT,
        seed: int = 0,
        every: bool = True,
        stop: Callable[[], bool] | None = None,
    ) -> Solution | None:
        """Solve a position for the seat whose view this is and whose turn it is. None: this is not
        a part of the game for it, or the budget did not reach.

        A budget of iterations counts positions, and gives the same solution whatever was solved
        before, compiled or not; with one of time what is remembered helps. `every`: after the best
        move find the exact values of the others, too, while the budget lasts. `stop()` is asked
        every few milliseconds whether to give up.
        """
        self._end = None if budget.ms is None else time.perf_counter() + budget.ms / 1000
        self._positions_left = budget.iterations
        self._stop = stop
        self._desk.counts[NODES] = 0
        self._desk.counts[FINAL] = 1
        self._desk.counts[ROOM] = self._entries
        if budget.iterations is not None:
            self._desk.counts[ROOM] = min(self._entries, COUNTED_ENTRIES)
            self._call(FORGET)
        if not self.can_solve(check_view(view)):
            return None
        try:
            if getattr(self.engine.game, "ALL_OPEN", False):
                return self._solve_open(view, every)
            return self._solve_worlds(view, seed)
        except OutOfBudgetError:
            return None

    def _solve_open(self, view: View, every: bool) -> Solution:
        self._call(SET_UP, 0)
        seat, moves = view.seat, self._legal(view.seat)
        best, values = self._ranked(seat, moves)
        line: tuple[str, ...] = ()
        try:
            line = self._line(seat, best)
            self.engine.write(view.look(), self._desk.states)
            self._call(SET_UP, 0)
            for move in sorted(moves, key=lambda move: -values[move].worth):
                if every and not values[move].is_exact:
                    rung = self._climb(values[move].worth, partial(self._reaches, seat, move))
                    values[move] = self._on_rung(rung, True)
        except OutOfBudgetError:
            self._call(FORGET)
        moves.sort(key=lambda move: (-values[move].worth, move != best, move))
        module, s = self.engine.game, view.look()
        solved = tuple(
            Solved(str(module.text(s, move)), value.win, value.lead, value.is_exact)
            for move, value in ((move, values[move]) for move in moves)
        )
        return Solution(solved, line, self._is_final, 0, self._positions)

    def _ranked(self, seat: int, moves: list[int]) -> tuple[int, dict[int, _Value]]:
        """The best move, and the values of all, as far as they had to be known for that."""
        if self._field("seats") != 2:
            values = {move: self._value(seat, move, -FAR, FAR) for move in moves}
            return max(moves, key=lambda move: (values[move].worth, -move)), values
        order = list(moves)
        failed = dict.fromkeys(moves, FAR)  # the lowest rung each was found not to reach

        def any_reaches(rung: int) -> bool:
            """Whether any move does; it comes first from then on."""
            for move in [move for move in order if failed[move] > rung]:
                if self._reaches(seat, move, rung):
                    order.remove(move)
                    order.insert(0, move)
                    return True
                failed[move] = rung
            return False

        outlook = self._call(OUTLOOK) * (1 if seat == 0 else -1)
        rung = self._climb(outlook // STANDING, any_reaches)
        values = {
            move: self._on_rung(rung if move == order[0] else failed[move] - 1, move == order[0])
            for move in moves
        }
        return order[0], values

    def _climb(self, guess: int, reaches: Callable[[int], bool]) -> int:
        """The highest rung that is reached, near a guess: a question that asks for no more than yes
        or no is answered much sooner than one for a value."""
        low, high = -FAR, FAR  # reached, not reached
        rung, stride = guess, 1
        while high - low > 1:
            if reaches(rung):
                low = rung
                rung = rung + stride if high == FAR else (low + high) // 2
            else:
                high = rung
                rung = rung - stride if low == -FAR else (low + high) // 2
            stride = min(2 * stride, 8)
        return low

    def _reaches(self, seat: int, move: int, rung: int) -> bool:
        """Whether a move comes to a rung at least."""
        needed = _height(rung)
        return self._value(seat, move, needed - 1, needed).worth >= needed

    def _on_rung(self, rung: int, is_exact: bool) -> _Value:
        lead = min(rung, 0) if rung <= WON else rung - WON
        return _Value(rung, {SHARED: 0.5}.get(rung, float(rung > SHARED)), float(lead), is_exact)

    def _value(self, seat: int, move: int, low: int, high: int) -> _Value:
        """What a move comes to for a seat, exact if it is between low and high."""
        desk = self._desk
        seats = int(self._field("seats"))
        if seats == 2 and seat == 1:
            self._call(BEGIN, seat, move, -high, -low)
        else:
            self._call(BEGIN, seat, move, low, high)
        while (value := self._call(GO_ON, self._next_chunk())) == UNKNOWN:
            self._call(FORGET)
        if seats == 2:
            worth = value if seat == 0 else -value
            win = 0.5 if worth == 0 else float(worth > 0)
            return _Value(worth, win, self._in_points(worth), low < worth < high)
        row = [int(n) for n in desk.values[MAX_SEATS : MAX_SEATS + seats]]
        worth = row[seat] - max(n for other, n in enumerate(row) if other != seat)
        win = 1 / row.count(max(row)) if row[seat] == max(row) else 0.0
        return _Value(worth, win, self._in_points(worth), True)

    def _solve_worlds(self, view: View, seed: int) -> Solution | None:
        seat, moves = view.seat, self._legal(view.seat)
        wins = dict.fromkeys(moves, 0.0)
        leads = dict.fromkeys(moves, 0.0)
        worlds = 0
        try:
            while worlds < WORLDS:
                self.engine.write(view.look(), self._desk.states)
                self._call(SET_UP, world_seed(seed, worlds))
                values = {move: self._value(seat, move, -FAR, FAR) for move in moves}
                for move, value in values.items():
                    wins[move] += value.win
                    leads[move] += value.lead
                worlds += 1
        except OutOfBudgetError:
            if worlds < FEWEST_WORLDS:
                return None
        module, s = self.engine.game, view.look()
        solved = [
            Solved(str(module.text(s, move)), wins[move] / worlds, leads[move] / worlds, True)
            for move in moves
        ]
        is_final = self._is_final
        solved.sort(key=lambda one: (-one.win, -one.lead) if is_final else (-one.lead, -one.win))
        return Solution(tuple(solved), (), is_final, worlds, self._positions)

    def _line(self, seat: int, move: int) -> tuple[str, ...]:
        """Best play from the root with a given first move."""
        module, states = self.engine.game, self._desk.states
        line: list[str] = []
        while True:
            line.append(f"{seat} {module.text(self.engine.read(states), move)}")
            self.engine.play_at(states, 0, seat, move)
            s = self.engine.read(states)
            if s.over or s.chance or self._call(STAGE_OF) == NOT_EXACT:
                return tuple(line)
            seat = int(module.waiting(s)).bit_length() - 1
            move, _ = self._ranked(seat, self._legal(seat))

    def _legal(self, seat: int) -> list[int]:
        out = self.engine.move_list()
        n = self.engine.legal_at(self._desk.states, 0, seat, out)
        return [int(move) for move in out[:n]]

    def _call(self, what: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> int:
        return int(self._work(self._desk, what, a, b, c, d))

    def _next_chunk(self) -> int:
        """How many positions to search before the next look at the clock."""
        if self._end is not None and time.perf_counter() >= self._end:
            raise OutOfBudgetError
        if self._stop is not None and self._stop():
            raise OutOfBudgetError
        if self._positions_left is None:
            return self._chunk
        left = self._positions_left - self._positions
        if left <= 0:
            raise OutOfBudgetError
        return min(left, self._chunk)

    def _field(self, name: str) -> Any:
        return getattr(self.engine.read(self._desk.states), name)

    @property
    def _positions(self) -> int:
        return int(self._desk.counts[NODES])

    @property
    def _is_final(self) -> bool:
        return bool(self._desk.counts[FINAL])

    def _in_points(self, worth: int) -> float:
        return float(round(worth / STANDING)) if self._is_final else worth / STANDING


class _Value(NamedTuple):
    worth: int
    win: float
    lead: float
    is_exact: bool


# Rungs: what two seats may play for, as a ladder. Up to 0 a rung is a lead (below 0, or a tie that is
# lost), then come the shared win and the win, then leads again.
SHARED, WON = 1, 2


def _height(rung: int) -> int:
    """The lowest value that reaches a rung."""
    if rung in (SHARED, WON):
        return rung - SHARED
    return STANDING * (rung if rung < SHARED else rung - WON) - STANDING // 2


def world_seed(seed: int, i: int) -> int:
    """The seed of the i-th world imagined."""
    return mix(seed & HASH, i)


_here = threading.local()


def solve(
    view: View, budget: Budget = NO_LIMIT, seed: int = 0, every: bool = True
) -> Solution | None:
    """`Solver.solve` with a solver of this thread's."""
    engine = check_view(view).game.fastest
    solvers: dict[Engine, Solver] = _here.__dict__.setdefault("solvers", {})
    if engine not in solvers:
        solvers[engine] = Solver(engine)
    return solvers[engine].solve(view, budget, seed, every)
