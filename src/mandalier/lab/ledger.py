"""The luck ledger: what the deal, draws and throws gave each seat of a game, and what play added.

The value of the position is followed from before the deal to the result. Every step changes it, and
the changes belong to the deal, to a move, or to what came of chance after it; so together they are
the result, less what the table was worth before. Values are kept as whole numbers (WIN_UNIT a win,
LEAD_UNIT a point), which makes the sum exact.

    before the deal + deal + draws and throws + moves = result

A move that turns up cards is taken in two steps: to the mean over all that it might turn up (the
move), and from there to what it did turn up (the draw).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mandalier.games.game import GAMES, State
from mandalier.games.record import play_entry, start
from mandalier.lab.values import Evaluator, Value, draws

WIN_UNIT = 60_000
LEAD_UNIT = 1_000
DEAL, MOVE, DRAW, CHANCE = "deal", "move", "draw", "chance"


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the value."""

    kind: str
    """deal, move, draw (what a move turned up) or chance (an entry of the record by *)."""
    ply: int | None
    """The entry of the record; None for the deal."""
    seat: int | None
    """Whose move it was, or followed."""
    wins: tuple[int, ...]
    leads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A chance to win, in units of WIN_UNIT, and a lead, in units of LEAD_UNIT."""

    win: int
    lead: int


@dataclass(frozen=True, slots=True)
class Account:
    """One seat's ledger. The parts add up to the result, exactly."""

    seat: int
    before: Amount
    """What the seat is worth before anything is dealt."""
    deal: Amount
    own_luck: Amount
    """What chance gave it after its own moves."""
    other_luck: Amount
    """What chance gave it (mostly took) after others' moves."""
    own_play: Amount
    other_play: Amount
    result: Amount

    PARTS = ("before", "deal", "own_luck", "other_luck", "own_play", "other_play")

    @property
    def parts(self) -> tuple[Amount, ...]:
        return tuple(getattr(self, name) for name in self.PARTS)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The whole ledger of a game."""

    by: str
    """What valued the positions."""
    accounts: tuple[Account, ...]
    steps: tuple[Step, ...]
    win_error: float
    """The largest standard error of a value, as a chance to win."""
    lead_error: float
    finished: bool
    """Whether the record ends with a result; if not, the last value stands for it."""


@dataclass(frozen=True, slots=True)
class Point:
    """The values at one entry of a record: after the move, before and after what it turned up."""

    ply: int
    kind: str
    seat: int | None
    before_draw: Value | None
    after: Value


def value_entry(record: Mapping[str, Any], ply: int, evaluator: Evaluator, seed: int) -> Point:
    """Value the position after entry `ply` of a record, and what its move was worth before it
    turned anything up. Entries can be valued in any order, and anywhere."""
    state = start(record)
    entries = record["moves"]
    for at in range(ply):
        play_entry(state, at, entries[at])
    return value_step(state, record, ply, evaluator, seed)


def value_step(
    state: State, record: Mapping[str, Any], ply: int, evaluator: Evaluator, seed: int
) -> Point:
    """`value_entry` for a state that stands before the entry; it is played."""
    entry = record["moves"][ply]
    who, _, move = entry.partition(" ")
    if who == "*":
        play_entry(state, ply, entry)
        return Point(ply, CHANCE, None, None, evaluator.value(state, seed))
    seat = int(who)
    before_draw = None
    if draws(state, seat, move):
        before_draw = evaluator.after(state, seat, move, seed)
    play_entry(state, ply, entry)
    return Point(ply, MOVE, seat, before_draw, evaluator.value(state, seed))


def value_start(record: Mapping[str, Any], evaluator: Evaluator, seed: int) -> tuple[Value, Value]:
    """The values before the deal and after it."""
    game = GAMES[record["game"]]
    before = evaluator.baseline(game, record["seats"], record["options"])
    return before, evaluator.value(start(record), seed)


def book(
    record: Mapping[str, Any], by: str, first: tuple[Value, Value], points: Sequence[Point]
) -> Ledger:
    """The ledger from the values at the start and at every entry, in order."""
    before, dealt = first
    steps = list(_steps(dealt, before, points))
    last = points[-1].after if points else dealt
    values = [before, dealt, *(point.after for point in points)]
    values += [point.before_draw for point in points if point.before_draw is not None]
    return Ledger(
        by=by,
        accounts=tuple(_account(seat, before, last, steps) for seat in range(record["seats"])),
        steps=tuple(steps),
        win_error=max((e for v in values for e in v.win_errors), default=0.0),
        lead_error=max((e for v in values for e in v.lead_errors), default=0.0),
        finished="result" in record,
    )


def keep_ledger(record: Mapping[str, Any], evaluator: Evaluator, seed: int = 0) -> Ledger:
    """The ledger of a record, in this process."""
    state = start(record)
    points = [
        value_step(state, record, ply, evaluator, seed) for ply in range(len(record["moves"]))
    ]
    return book(record, evaluator.name, value_start(record, evaluator, seed), points)


def _units(value: Value) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A value in whole numbers."""
    wins = tuple(round(win * WIN_UNIT) for win in value.wins)
    return wins, tuple(round(lead * LEAD_UNIT) for lead in value.leads)


def _steps(dealt: Value, before: Value, points: Sequence[Point]) -> Iterator[Step]:
    at = _units(before)
    now = _units(dealt)
    yield _step(DEAL, None, None, at, now)
    mover: int | None = None
    for point in points:
        at = now
        if point.kind == MOVE:
            mover = point.seat
        if point.before_draw is not None:
            now = _units(point.before_draw)
            yield _step(MOVE, point.ply, mover, at, now)
            at, now = now, _units(point.after)
            yield _step(DRAW, point.ply, mover, at, now)
        else:
            now = _units(point.after)
            yield _step(point.kind, point.ply, mover, at, now)


Units = tuple[tuple[int, ...], tuple[int, ...]]


def _step(kind: str, ply: int | None, seat: int | None, before: Units, after: Units) -> Step:
    wins, leads = (
        tuple(b - a for a, b in zip(one, other, strict=True))
        for one, other in zip(before, after, strict=True)
    )
    return Step(kind, ply, seat, wins, leads)


def _account(seat: int, before: Value, last: Value, steps: Sequence[Step]) -> Account:
    def added(*kinds: str, own: bool | None = None) -> Amount:
        mine = [
            step
            for step in steps
            if step.kind in kinds and (own is None or (step.seat == seat) == own)
        ]
        return Amount(sum(step.wins[seat] for step in mine), sum(step.leads[seat] for step in mine))

    def amount(value: Value) -> Amount:
        wins, leads = _units(value)
        return Amount(wins[seat], leads[seat])

    return Account(
        seat=seat,
        before=amount(before),
        deal=added(DEAL),
        own_luck=added(DRAW, CHANCE, own=True),
        other_luck=added(DRAW, CHANCE, own=False),
        own_play=added(MOVE, own=True),
        other_play=added(MOVE, own=False),
        result=amount(last),
    )


def rounded_to_sum(parts: Sequence[int], unit: int) -> list[int]:
    """Parts in units of `unit`, rounded so that they add up to their sum rounded: what is shown
    adds up too."""
    total = round(sum(parts) / unit)
    floors = [part // unit for part in parts]
    rest = sorted(range(len(parts)), key=lambda i: (-(parts[i] % unit), i))
    for i in rest[: total - sum(floors)]:
        floors[i] += 1
    return floors


__all__ = [
    "Account",
    "Amount",
    "Ledger",
    "Point",
    "Step",
    "book",
    "keep_ledger",
    "rounded_to_sum",
    "value_entry",
    "value_start",
]
