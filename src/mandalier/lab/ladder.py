"""A ladder: how strong many bots are, on one scale.

Neighbours on the ladder play each other, as an arena has them play. From all their games the
strengths are found that make the results likeliest (Bradley and Terry's model, for more seats
Luce's: a bot wins in proportion to 10^(Elo/400)). Bots that the games put side by side and that have
not met yet, meet then, until all neighbours have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from mandalier.games.errors import MandalierError
from mandalier.games.words import listed, say
from mandalier.lab.arena import MatchResult, arena
from mandalier.lab.intervals import ELO, LEVEL, Span
from mandalier.lab.match import Entrant, Match
from mandalier.lab.simulate import Progress
from mandalier.search.bot import LEVELS, MAKERS

ANCHORS = ("random", "greedy", "eager", "mcts:100", "mcts:1000", "mcts:10000")
"""Bots that stay what they are, so that ladders of different days can be compared."""
ZERO = "eager"
"""The bot whose Elo is 0, if it is on the ladder; else the first one named is."""
PLACING_GAMES = 8
RESAMPLES = 400
Floats = npt.NDArray[np.float64]


def rungs() -> tuple[str, ...]:
    """The bots of a ladder if none are named: the anchors and the levels there are."""
    return (*(name for name in ANCHORS if name.partition(":")[0] in MAKERS), *LEVELS)


# The fit ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meeting:
    """Deals in which one bot (by its number) challenged a table of another."""

    challenger: int
    table: int
    shares: tuple[float, ...]  # [deal]


def fit(count: int, meetings: Sequence[Meeting], seats: int, weights: Sequence[Floats]) -> Floats:
    """[bot] the Elo that makes the results likeliest, 0 on average.

    `weights` tells for each meeting how often its deals count, and last how often a deal with the
    fair share is added: without one a bot that lost all its games would have no finite place.
    """
    fair = 1 / seats
    pairs = np.array([[m.challenger, m.table] for m in meetings])
    size = np.array([w.sum() for w in weights]) * seats
    won = np.array(
        [w @ np.array([*m.shares, fair]) for m, w in zip(meetings, weights, strict=True)]
    )
    won *= seats
    design = np.zeros((len(meetings), count))
    design[np.arange(len(meetings)), pairs[:, 0]] = 1
    design[np.arange(len(meetings)), pairs[:, 1]] = -1
    strength = np.zeros(count)
    for _ in range(100):  # Newton's method, on a concave function
        p = 1 / (1 + (seats - 1) * np.exp(-design @ strength))
        slope = design.T @ (won - size * p)
        curve = design.T @ (design * (size * p * (1 - p))[:, None])
        step = np.linalg.lstsq(curve, slope, rcond=1e-12)[0]
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    elo = strength * ELO / np.log(10)
    return np.asarray(elo - elo.mean())


def resampled(count: int, meetings: Sequence[Meeting], seats: int, seed: int) -> Floats:
    """[resample][bot] fits with the deals weighted at random (the Bayesian bootstrap): their
    scatter is that of the fit."""
    generator = np.random.default_rng(seed)
    return np.array(
        [
            fit(
                count,
                meetings,
                seats,
                [generator.exponential(size=len(m.shares) + 1) for m in meetings],
            )
            for _ in range(RESAMPLES)
        ]
    )


def span_of(samples: Floats, level: float = LEVEL) -> Span:
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


# The ladder ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rung:
    """A bot's place."""

    bot: str
    elo: float
    elo_span: Span
    step: float | None
    """Its Elo above the bot below; None for the lowest."""
    step_span: Span | None
    games: int
    think_ms: float

    def data(self) -> dict[str, Any]:
        return {
            "bot": self.bot,
            "elo": round(self.elo, 1),
            "elo_interval": _rounded(self.elo_span),
            "step": None if self.step is None else round(self.step, 1),
            "step_interval": None if self.step_span is None else _rounded(self.step_span),
            "games": self.games,
            "think_ms": round(self.think_ms, 3),
        }


def _rounded(span: Span) -> list[float]:
    return [round(value, 1) for value in span]


@dataclass(frozen=True)
class LadderResult:
    """The rungs, the strongest first, and the matches they come from."""

    game: str
    seats: int
    seed: int
    rungs: tuple[Rung, ...]
    matches: tuple[MatchResult, ...]
    interrupted: bool = False

    @property
    def line(self) -> str:
        """What it is and where it comes from."""
        match = self.matches[0].match
        commits = dict.fromkeys(c for result in self.matches for c in result.commits)
        parts = [
            f"{self.game}/{self.seats}",
            *(f"{name} {value}" for name, value in match.options.items()),
            say("{n} games", n=sum(result.games for result in self.matches)),
            say("seed {seed}", seed=self.seed),
            say("commit {commit}", commit=", ".join(commits)),
            say("rules {version}", version=match.header()["rules"]),
        ]
        return ", ".join(parts)

    def data(self) -> dict[str, Any]:
        match = self.matches[0].match
        return {
            "game": self.game,
            "rules": match.header()["rules"],
            "seats": self.seats,
            "options": dict(match.options),
            "seed": self.seed,
            "line": self.line,
            "interrupted": self.interrupted,
            "rungs": [rung.data() for rung in self.rungs],
            "matches": [
                {
                    "bots": [entrant.title for entrant in result.match.entrants],
                    "games": result.games,
                    "share": round(result.standing().share, 4),
                    "share_interval": [round(p, 4) for p in result.standing().share_span],
                    "forfeits": len(result.forfeits),
                    "commits": list(result.commits),
                }
                for result in self.matches
            ],
        }


@dataclass(frozen=True)
class _How:
    """How the games of a ladder are played."""

    folder: Path
    workers: int | None
    overwrite: bool
    progress: Progress | None


class Ladder:
    """Bots that climb. What was played is kept in a folder, from where the same call goes on."""

    def __init__(
        self,
        name: str,
        bots: Sequence[str | Entrant],
        *,
        seats: int | None = None,
        games: int = 40,
        seed: int = 7,
        reach: int = 1,
        few: Mapping[str, int] | None = None,
        **match: Any,
    ) -> None:
        """`games` for each pair of neighbours; with a reach of 2, also between neighbours'
        neighbours. Pairs with one of the `few` play so many at most. `match` is what `Match.of`
        takes besides."""
        self.entrants = [b if isinstance(b, Entrant) else Entrant.of(b) for b in bots]
        titles = [entrant.title for entrant in self.entrants]
        if twice := sorted({title for title in titles if titles.count(title) > 1}):
            raise MandalierError(say("{bots} is on the ladder twice", bots=listed(twice)))
        if len(titles) < 2:
            raise MandalierError(say("a ladder needs two bots at least"))
        if reach < 1:
            raise MandalierError(say("the reach is at least 1, not {n}", n=reach))
        first = Match.of(name, self.entrants[:2], seats=seats, games=games, seed=seed, **match)
        self.game, self.seats, self.seed = name, first.seats, first.seed
        self._games, self._reach, self._match = games, reach, match
        self._few = dict(few or {})
        if strangers := sorted(self._few.keys() - set(titles)):
            raise MandalierError(say("{bots} is not on the ladder", bots=listed(strangers)))
        self._results: dict[tuple[int, int], MatchResult] = {}
        self.zero = titles.index(ZERO) if ZERO in titles else 0

    def climb(
        self,
        folder: Path | None = None,
        *,
        workers: int | None = None,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> LadderResult:
        """Let neighbours play until all have, first a few games to find out who they are."""
        with TemporaryDirectory(prefix="mandalier-ladder-") as scratch:
            kept = Path(scratch) if folder is None else folder
            kept.mkdir(parents=True, exist_ok=True)
            how = _How(kept, workers, overwrite, progress)
            going = self._play(self._neighbours(), min(PLACING_GAMES, self._games), how)
            while going and (pairs := self._open_pairs()):
                going = self._play(pairs, self._games, how)
        return self.result(interrupted=not going)

    def _order(self) -> list[int]:
        """The bots, the weakest first; as they were named, before there are games."""
        if not self._results:
            return list(range(len(self.entrants)))
        return [int(i) for i in np.argsort(self._elo(), kind="stable")]

    def _neighbours(self) -> list[tuple[int, int]]:
        order = self._order()
        pairs = [
            (min(a, b), max(a, b))
            for i, a in enumerate(order)
            for b in order[i + 1 : i + 1 + self._reach]
        ]
        return sorted(pairs)

    def _open_pairs(self) -> list[tuple[int, int]]:
        """Neighbours with games still to play."""
        return [pair for pair in self._neighbours() if self._played(pair) < self._wanted(pair)]

    def _wanted(self, pair: tuple[int, int]) -> int:
        return sum(match.games for match in self._matches(pair, self._games_of(pair)))

    def _games_of(self, pair: tuple[int, int]) -> int:
        titles = (self.entrants[i].title for i in pair)
        return min(self._games, *(self._few.get(title, self._games) for title in titles))

    def _played(self, pair: tuple[int, int]) -> int:
        a, b = pair
        found = [self._results.get(key) for key in ((a, b), (b, a))]
        return sum(result.games for result in found if result is not None)

    def _matches(self, pair: tuple[int, int], games: int) -> list[Match]:
        """The matches of a pair: at tables of more than two each challenges a table of the other."""
        a, b = (self.entrants[i] for i in pair)
        both = [(a, b)] if self.seats == 2 else [(a, b), (b, a)]
        return [
            Match.of(
                self.game,
                entrants,
                seats=self.seats,
                games=max(1, games // len(both)),
                seed=self.seed,
                **self._match,
            )
            for entrants in both
        ]

    def _play(self, pairs: Iterable[tuple[int, int]], games: int, how: _How) -> bool:
        """Play these pairs; False if it was interrupted."""
        matches = [
            (key, match)
            for a, b in pairs
            for key, match in zip(
                [(a, b), (b, a)],
                self._matches((a, b), min(games, self._games_of((a, b)))),
                strict=False,
            )
        ]
        total = sum(match.games for _, match in matches)
        before = 0
        for key, match in matches:
            titles = [entrant.title for entrant in match.entrants]
            journal = how.folder / f"{'-v-'.join(map(_file_name, titles))}.journal"
            self._results[key] = result = arena(
                match,
                workers=how.workers,
                journal=journal,
                overwrite=how.overwrite and key not in self._results,
                progress=_after(how.progress, before, total),
            )
            before += match.games
            if result.interrupted:
                return False
        return True

    def _meetings(self) -> list[Meeting]:
        return [
            Meeting(a, b, tuple(result.deal_shares())) for (a, b), result in self._results.items()
        ]

    def _elo(self) -> Floats:
        meetings = self._meetings()
        weights = [np.ones(len(m.shares) + 1) for m in meetings]
        return fit(len(self.entrants), meetings, self.seats, weights)

    def result(self, interrupted: bool = False) -> LadderResult:
        """The ladder as it stands."""
        elo = self._elo()
        samples = resampled(len(self.entrants), self._meetings(), self.seats, self.seed)
        elo, samples = elo - elo[self.zero], samples - samples[:, [self.zero]]
        order = [int(i) for i in np.argsort(elo, kind="stable")]
        rungs = []
        for place, i in enumerate(order):
            below = order[place - 1] if place else None
            games, ms = self._pace(i)
            rungs.append(
                Rung(
                    bot=self.entrants[i].title,
                    elo=float(elo[i]),
                    elo_span=span_of(samples[:, i]),
                    step=None if below is None else float(elo[i] - elo[below]),
                    step_span=None if below is None else span_of(samples[:, i] - samples[:, below]),
                    games=games,
                    think_ms=ms,
                )
            )
        matches = tuple(result for result in self._results.values())
        return LadderResult(
            self.game, self.seats, self.seed, tuple(reversed(rungs)), matches, interrupted
        )

    def _pace(self, bot: int) -> tuple[int, float]:
        """The games a bot played, and its milliseconds a move in them."""
        games, total = 0, 0.0
        for pair, result in self._results.items():
            if bot in pair:
                games += result.games
                total += result.games * result.standing(pair.index(bot)).think_ms
        return games, total / max(1, games)


def _after(progress: Progress | None, before: int, total: int) -> Progress | None:
    """The progress of a part of some work."""
    return (lambda done, _: progress(before + done, total)) if progress else None


def _file_name(title: str) -> str:
    return re.sub(r"[^\w.@-]+", "_", title)[:80]


# The plot --------------------------------------------------------------------------------------

WIDTH, ROW, TOP, LEFT, RIGHT = 760, 26, 64, 170, 90


def plot(result: LadderResult) -> str:
    """The ladder as a picture (SVG): a bot a row, the strongest on top, with its interval."""
    spans = [end for rung in result.rungs for end in (*rung.elo_span, rung.elo)]
    grid = _grid(min(spans), max(spans))
    low, high = grid[0], grid[-1]
    height = TOP + ROW * len(result.rungs) + 34

    def x(elo: float) -> float:
        return round(LEFT + (elo - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    seats = say("{n} seats", n=result.seats)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13" fill="#222">',
        f"<title>{escape(result.line)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="26" font-size="16">{escape(result.game)}, {escape(seats)}: Elo</text>',
        f'<text x="16" y="45" font-size="11" fill="#666">{escape(result.line)}</text>',
    ]
    bottom = height - 30
    for elo in grid:
        parts.append(
            f'<path d="M{x(elo)} {TOP - 6}V{bottom}" stroke="#ddd"/>'
            f'<text x="{x(elo)}" y="{height - 12}" text-anchor="middle" font-size="11" '
            f'fill="#666">{elo:+d}</text>'
        )
    for place, rung in enumerate(result.rungs):
        y = TOP + ROW * place + ROW // 2
        colour = "#888" if rung.bot in ANCHORS else "#b3261e"
        start, end = map(x, rung.elo_span)
        parts.append(
            f'<text x="{LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(rung.bot[:22])}</text>'
            f'<path d="M{start} {y}H{end}" stroke="{colour}" stroke-width="3" '
            'stroke-opacity="0.45" stroke-linecap="round"/>'
            f'<circle cx="{x(rung.elo)}" cy="{y}" r="5" fill="{colour}"/>'
            f'<text x="{WIDTH - 16}" y="{y + 4}" text-anchor="end">{rung.elo:+.0f}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _grid(low: float, high: float) -> list[int]:
    """Round numbers around an interval, at most a dozen."""
    step = next(s for s in (50, 100, 200, 500, 1000, 2000, 5000) if (high - low) / s <= 10)
    first, last = int(low // step), int(-(-high // step))
    return [n * step for n in range(first, max(last, first + 1) + 1)]
