"""What one thought about dice works with: the position as its seat knows it, and room for search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from mandalier.games import kernel
from mandalier.games.dice import house, rules, texts
from mandalier.games.dice.state import CANVASES, CARD, ICONS, columns_of, numbers_of, rows_of
from mandalier.games.engine import Engine
from mandalier.games.game import View
from mandalier.search.bot import Budget
from mandalier.search.strokes import quick, takes
from mandalier.search.strokes.mind import ACC_LEAD, ACC_N, ACC_SQUARES, ACC_WIN, FACTS, MIND
from mandalier.search.strokes.quick import THROW


@dataclass(frozen=True, slots=True)
class Style:
    """How a player of dice thinks. The defaults are the strongest."""

    mastery: float = 1.0
    """How much of the masteries' points it sees."""
    contests: bool = True
    """Whether it reckons with the others' dice and throws."""
    ahead: bool = True
    """Whether it looks beyond the die in its hand, to the throws to come."""
    rounds: int = 0
    """How many rounds after this one it plays out in its samples."""
    aims: int = 64
    """How many candidates of a throw it considers."""
    collect: str = "exact"
    """"exact" or "greedy": how it searches what to take."""
    exhibition: str = "solve"
    """"solve", "best" (by worth to itself) or "values" (the most valuable cards)."""
    liking: str = ""
    """Icons it likes to throw by, such as "F", and prefers among what is nearly as good."""
    doubt: float = 0.0
    """How far it is wrong about what icons and throws are worth, in chances to win."""
    physics: bool = True
    """Whether it throws its best candidates in the simulation, at a table that has it."""


@dataclass
class Found:
    """A candidate and what its samples brought."""

    kind: int
    what: int
    text: str
    gesture: tuple[int, int, int] = (0, 0, 0)
    numbers: list[float] = field(default_factory=lambda: [0.0] * FACTS)
    """What was counted, see mind.ACC_N …"""
    liked: float = 0.0
    """What it takes the candidate to be worth beyond that: by a liking, or by mistake."""

    @property
    def visits(self) -> int:
        return int(self.numbers[ACC_N])

    def mean(self, fact: int) -> float:
        return self.numbers[fact] / max(self.numbers[ACC_N], 1.0)

    @property
    def win(self) -> float:
        return self.mean(ACC_WIN)

    @property
    def lead(self) -> float:
        return self.mean(ACC_LEAD)

    @property
    def value(self) -> float:
        return self.win + takes.LEAD_COUNTS * self.lead + self.liked

    @property
    def spread(self) -> float:
        """The variance of one sample's chance to win."""
        return max(0.0, self.mean(ACC_SQUARES) - self.win**2)


class Clock:
    """A budget that runs: so many iterations, or to a moment, or to the first of both."""

    def __init__(self, budget: Budget) -> None:
        self.start = time.monotonic()
        self.ends = None if budget.ms is None else self.start + budget.ms / 1000 * 0.96 - 0.003
        self.iterations = budget.iterations
        self.used = 0

    def part(self, share: float) -> Clock:
        """A clock for this share of what is left; it starts now."""
        part = Clock(Budget())
        if self.ends is not None:
            part.ends = part.start + max(0.0, self.ends - part.start) * share
        if self.iterations is not None:
            part.iterations = max(1, int(self.left * share))
        return part

    @property
    def left(self) -> int:
        """How many iterations are left, of a budget that counts them."""
        return (self.iterations or 0) - self.used

    def in_time(self) -> bool:
        return self.ends is None or time.monotonic() < self.ends

    def runs(self) -> bool:
        """Whether anything of the budget is left."""
        return self.in_time() and (self.iterations is None or self.left > 0)


_tables: dict[Any, Any] = {}
_surveying = Lock()


class Desk:
    """The position of a view, and what the search of one move needs."""

    def __init__(self, view: View, seed: int, style: Style, engine: Engine) -> None:
        self.engine, self.style, self.seat, self.seed = engine, style, view.seat, seed
        self.module = view.game.module
        self.s = view.look()
        self.module.hide(self.s, self.seat)  # whatever it was given, it knows no more than a seat
        for colour, points in enumerate(self.s.bonus):
            self.s.bonus[colour] = round(points * style.mastery)
        self.states = engine.states(8)
        self.minds = kernel.new_states(MIND, 1, engine.compiled)
        self.gesture = engine.array(3)
        self.table = self._table()
        self.reset()

    def reset(self) -> None:
        """Begin again from the position."""
        m = self.minds[0]
        self._set(m, "alone", 0 if self.style.contests else 1)
        self._set(m, "short", 0 if self.style.ahead else 1)
        self._set(m, "rounds", self.style.rounds)
        self.engine.write(self.s, self.states)
        self.engine.bind(quick.open_mind)(self.states, self.minds, self.seat, self.seed)

    def _set(self, m: Any, name: str, value: int) -> None:
        if self.engine.compiled:
            m[name] = value
        else:
            setattr(m, name, value)

    def _table(self) -> Any:
        """How throws scatter at a table like this one; made once a process."""
        s = self.s
        key = (
            self.engine.compiled,
            s.seats,
            *map(repr, (s.columns, s.rows, s.side, s.ranges, s.start)),
            s.steadiness,
            s.left_handed,
        )
        with _surveying:
            if key not in _tables:
                table = self.engine.array(quick.ROOM, "f8")
                self.engine.write(s, self.states)
                counts = self.engine.array(CANVASES)
                self.engine.bind(quick.survey)(self.states, table, counts, self.engine.bank)
                _tables[key] = table
        return _tables[key]

    @property
    def mind(self) -> Any:
        """The mind as a twin."""
        return kernel.to_twin(self.minds[0]) if self.engine.compiled else self.minds[0]

    # Candidates

    def aim(self, icon: int, x: int, y: int, knock: bool = False) -> Found:
        """A throw that should reach a point."""
        x = min(max(x, 0), CARD * columns_of(self.s))
        y = min(max(y, 0), CARD * rows_of(self.s))
        self.engine.bind(quick.gestures_of)(self.states, icon, x, y, int(knock), self.gesture)
        return self.throw(icon, [int(n) for n in self.gesture])

    def throw(self, icon: int, gesture: list[int]) -> Found:
        text = " ".join(["throw", ICONS[icon], *map(str, gesture[: numbers_of(icon)])])
        a, b, c = gesture
        return Found(THROW, icon, text, (a, b, c))

    def sample(self, one: Found, first: int, last: int) -> None:
        """Play a candidate in the worlds first to last − 1."""
        found = self._counts(one)
        for i, n in enumerate(one.gesture):
            self.gesture[i] = n
        self.engine.bind(quick.sample)(
            self.states, self.minds, one.kind, one.what, self.gesture,
            first, last, found, 0, self.table, self.engine.bank,
        )  # fmt: skip
        one.numbers = [float(n) for n in found]

    def sample_on(self, one: Found, first: int, last: int) -> None:
        """Play on from what the candidate came to in states[2]."""
        found = self._counts(one)
        self.engine.bind(quick.sample_on)(
            self.states, self.minds, first, last, found, 0, self.table, self.engine.bank
        )
        one.numbers = [float(n) for n in found]

    def _counts(self, one: Found) -> Any:
        """What was counted so far, to be gone on with."""
        found = self.engine.array(FACTS, "f8")
        for i, n in enumerate(one.numbers):
            found[i] = n
        return found

    # Physics

    @property
    def has_physics(self) -> bool:
        """Whether the table's throws are simulated, by the shipped house data."""
        import importlib.util

        same = all(getattr(self.s, n) == getattr(house.DEFAULT, n) for n in ("ranges", "start"))
        return not self.s.by_surrogate and same and importlib.util.find_spec("mujoco") is not None

    def simulate(self, one: Found, k: int) -> None:
        """Throw a candidate in the simulation, with luck k; states[2] is what it came to."""
        states = kernel.new_states(self.module.STATE, 1, False)
        states[0] = self.s
        world = states[0]
        world.viewer = 0
        kernel.seed_generator(world, self.seed, (1 << 40) + k)
        world.gesture = list(one.gesture)
        rules.throw(world, self.seat, one.what)
        drawn = house.outcome(world, {})
        assert drawn is not None
        texts.set_chance(world, drawn[0])
        rules.resume(world)
        self.engine.write(world, self.states, 2)


CHUNK = 32
"""How many samples are made in one call."""
ALONE = 500
"""How many are made of a candidate that has no rival: enough to say what is to be expected."""


def halve(desk: Desk, candidates: list[Found], clock: Clock, keep: int = 2) -> list[Found]:
    """Sample the candidates, and again and again only the better half of them, until the budget is
    used up; the best first. Those given up come after, in the order in which they lasted."""
    active = list(candidates)
    if clock.iterations is not None:
        active = active[: max(1, clock.iterations)]
    given_up: list[Found] = []
    if len(active) == 1:
        most = ALONE if clock.iterations is None else min(ALONE, clock.left)
        _sample_all(desk, active, most, clock, clock)
        return active
    for left in _phases(len(active), keep):
        each = None
        if clock.iterations is not None:
            each = max(clock.left // left, len(active)) // len(active)
            each = each if each * len(active) <= clock.left else 0
        _sample_all(desk, active, each, clock, clock.part(1 / left))
        active.sort(key=lambda one: -one.value)
        if left > 1:
            half = max(keep, (len(active) + 1) // 2)
            given_up = active[half:] + given_up
            active = active[:half]
    return active + given_up


def _sample_all(
    desk: Desk, active: list[Found], each: int | None, clock: Clock, part: Clock
) -> None:
    """Sample all of these in turns, so many times each, or to the end of this part of the time;
    once at least."""
    chunk = CHUNK if desk.engine.compiled else 1
    done = 0
    while each is None or done < each:
        many = chunk if each is None else min(chunk, each - done)
        for one in active:
            if one.visits and not part.in_time():
                return
            desk.sample(one, one.visits, one.visits + many)
            clock.used += many
        done += many


def _phases(n: int, keep: int) -> Iterator[int]:
    """How many phases are left, this one included, at the beginning of each."""
    phases = 1
    while n > keep:
        n = max(keep, (n + 1) // 2)
        phases += 1
    yield from range(phases, 0, -1)


__all__ = ["Clock", "Desk", "Found", "Style", "halve"]
