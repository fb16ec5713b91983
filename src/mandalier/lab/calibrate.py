"""Are values what they say? Bots play, and what was expected is compared with what came.

Of the positions valued at 70 %, seven of ten should be won; of those valued at 5 points ahead, the
mean result should be 5 points ahead. Two things can be calibrated: the values of the ledger
(lab/values.py), of full states, for every seat; and what a bot expects of its best move, from the
view of the seat that moves.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from mandalier.games.game import State, check_seed, game
from mandalier.lab.values import leads_of, playouts, result_value
from mandalier.search.bot import NO_LIMIT, Budget, bot
from mandalier.search.glance import BOTS

BINS = 10
LEAD_BINS = 8
EVERY = 8
"""One position in so many is valued: those of one game are much alike."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One expectation for one seat, and what came."""

    game: int
    win: float
    lead: float
    won: float
    led: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples with much the same expectation."""

    n: int
    expected: float
    came: float
    error: float
    """The standard error of `came`, taking samples of one game for one."""


@dataclass(frozen=True)
class Calibration:
    """What was found."""

    game: str
    seats: int
    by: str
    players: str
    games: int
    seed: int
    samples: tuple[Sample, ...]

    @property
    def wins(self) -> list[Bin]:
        """By tenths of the chance to win."""
        parts: list[list[Sample]] = [[] for _ in range(BINS)]
        for one in self.samples:
            parts[min(BINS - 1, int(one.win * BINS))].append(one)
        return [_bin(part, lambda s: s.win, lambda s: s.won) for part in parts if part]

    @property
    def leads(self) -> list[Bin]:
        """By as many samples in each bin."""
        ordered = sorted(self.samples, key=lambda s: s.lead)
        cuts = [len(ordered) * i // LEAD_BINS for i in range(LEAD_BINS + 1)]
        parts = [ordered[a:b] for a, b in itertools.pairwise(cuts) if b > a]
        return [_bin(part, lambda s: s.lead, lambda s: s.led) for part in parts]

    @property
    def win_gap(self) -> float:
        """By how much chances to win are off, in the mean over samples (of bins)."""
        return sum(one.n * abs(one.came - one.expected) for one in self.wins) / self._n

    @property
    def lead_gap(self) -> float:
        return sum(one.n * abs(one.came - one.expected) for one in self.leads) / self._n

    @property
    def brier(self) -> float:
        """The mean squared error of chances to win; 0.25 for somebody who always says a half."""
        return sum((one.win - one.won) ** 2 for one in self.samples) / self._n

    @property
    def _n(self) -> int:
        return max(1, len(self.samples))

    def data(self) -> dict[str, Any]:
        def bins(found: Sequence[Bin]) -> list[dict[str, float]]:
            return [
                {"n": one.n, "expected": one.expected, "came": one.came, "error": one.error}
                for one in found
            ]

        return {
            "game": self.game,
            "seats": self.seats,
            "by": self.by,
            "players": self.players,
            "games": self.games,
            "seed": self.seed,
            "samples": len(self.samples),
            "win_gap": self.win_gap,
            "lead_gap": self.lead_gap,
            "brier": self.brier,
            "wins": bins(self.wins),
            "leads": bins(self.leads),
        }


def _bin(
    part: Sequence[Sample], expected: Callable[[Sample], float], came: Callable[[Sample], float]
) -> Bin:
    n = len(part)
    mean = sum(map(came, part)) / n
    games = max(1, len({one.game for one in part}))
    variance = sum((came(one) - mean) ** 2 for one in part) / n
    return Bin(n, sum(map(expected, part)) / n, mean, (variance / games) ** 0.5)


def calibrate(
    name: str,
    by: str,
    *,
    seats: int | None = None,
    games: int = 100,
    players: str = "eager",
    budget: Budget = NO_LIMIT,
    seed: int | None = 0,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Let bots play, and value positions by a bot, or by playouts named like "eager:500"."""
    found = game(name)
    seats = found.check_seats(seats)
    seed = check_seed(seed)
    found.load()
    value = _of_playouts(by) if by.partition(":")[0] in BOTS else _of_bot(by, budget)
    player = bot(players)
    samples: list[Sample] = []
    for k in range(games):
        chooser = random.Random(f"{seed} {k}")
        state = State.dealt(found, seats, chooser.getrandbits(60), options)
        expected: list[tuple[int, float, float]] = []
        while not state.over:
            if chooser.randrange(EVERY) == 0:
                expected += value(state, chooser.getrandbits(60))
            seat = state.waiting[0]
            thought = player.think(state.view(seat), budget, chooser.getrandbits(60))
            state.play(thought.move, seat)
        result = state.result
        assert result is not None
        won, led = result_value(state).wins, leads_of(result.scores)
        samples += [Sample(k, win, lead, won[seat], led[seat]) for seat, win, lead in expected]
        if progress:
            progress(k + 1, games)
    return Calibration(name, seats, by, players, games, seed, tuple(samples))


Expected = Callable[[State, int], list[tuple[int, float, float]]]
"""(state, seed): seats, with their chances to win and leads"""


def _of_playouts(by: str) -> Expected:
    evaluator = playouts(by)

    def expected(state: State, seed: int) -> list[tuple[int, float, float]]:
        value = evaluator.value(state, seed)
        return [(seat, value.wins[seat], value.leads[seat]) for seat in range(state.seats)]

    return expected


def _of_bot(by: str, budget: Budget) -> Expected:
    thinker = bot(by)

    def expected(state: State, seed: int) -> list[tuple[int, float, float]]:
        seat = state.waiting[0]
        thought = thinker.think(state.view(seat), budget, seed)
        best = next((one for one in thought.candidates if one.move == thought.move), None)
        if best is None or len(thought.candidates) < 2:
            return []
        return [(seat, best.win, best.lead)]

    return expected


# A picture -------------------------------------------------------------------------------------

SIZE, EDGE = 300, 46


def picture(found: Calibration) -> str:
    """An SVG: what was expected across, what came upwards; on the line, all is as it should be."""
    reach = max([1.0, *(abs(x) for one in found.leads for x in (one.expected, one.came))])
    wins = _plot(found.wins, 0.0, 1.0, "chance to win", lambda x: f"{100 * x:.0f} %")
    leads = _plot(found.leads, -reach, reach, "lead in points", lambda x: f"{x:+.0f}")
    side = SIZE + 2 * EDGE
    title = f"{found.game}, {found.seats} seats: {found.by}, {found.games} games of {found.players}"
    title = escape(title)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * side} {side + 24}" '
            'font-family="sans-serif" font-size="12" role="img">',
            f"<title>{title}</title>",
            f'<rect width="{2 * side}" height="{side + 24}" fill="#fff"/>',
            f'<text x="{side}" y="18" text-anchor="middle" font-size="14">{title}</text>',
            f'<g transform="translate(0 24)">{wins}</g>',
            f'<g transform="translate({side} 24)">{leads}</g>',
            "</svg>\n",
        ]
    )


def _plot(
    bins: Sequence[Bin], low: float, high: float, name: str, said: Callable[[float], str]
) -> str:
    def across(x: float) -> float:
        return round(EDGE + SIZE * (min(high, max(low, x)) - low) / (high - low), 1)

    def up(y: float) -> float:
        return round(EDGE + SIZE - SIZE * (min(high, max(low, y)) - low) / (high - low), 1)

    most = max((one.n for one in bins), default=1)
    parts = [
        f'<rect x="{EDGE}" y="{EDGE}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#999"/>',
        f'<line x1="{across(low)}" y1="{up(low)}" x2="{across(high)}" y2="{up(high)}" '
        'stroke="#999" stroke-dasharray="4 4"/>',
        f'<text x="{EDGE + SIZE / 2}" y="{SIZE + EDGE + 34}" text-anchor="middle">'
        f"expected {name}</text>",
        f'<text transform="translate(12 {EDGE + SIZE / 2}) rotate(-90)" text-anchor="middle">'
        f"what came</text>",
    ]
    for tick in (low, (low + high) / 2, high):
        parts.append(
            f'<text x="{across(tick)}" y="{SIZE + EDGE + 16}" text-anchor="middle">{said(tick)}</text>'
            f'<text x="{EDGE - 4}" y="{up(tick) + 4}" text-anchor="end">{said(tick)}</text>'
        )
    for one in bins:
        x, radius = across(one.expected), round(2 + 6 * (one.n / most) ** 0.5, 1)
        parts.append(
            f'<line x1="{x}" x2="{x}" y1="{up(one.came - 2 * one.error)}" '
            f'y2="{up(one.came + 2 * one.error)}" stroke="#2b6cb0"/>'
            f'<circle cx="{x}" cy="{up(one.came)}" r="{radius}" fill="#2b6cb0" fill-opacity="0.7"/>'
        )
    return "".join(parts)
