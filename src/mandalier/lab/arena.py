"""Which bot is stronger: a match played on all cores, with how sure that is.

    from mandalier.lab.arena import Match, arena
    result = arena(Match.of("sand", ["greedy", "random"], games=100, seed=7))
    print(result.line)

With budgets of iterations (or none) the result is the same on any number of workers. A match that
was stopped goes on where it was, if it has a journal.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import isinf
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from mandalier.games.errors import MandalierError
from mandalier.games.record import dumps
from mandalier.games.words import say
from mandalier.games.workers import end_with_parent
from mandalier.lab.intervals import (
    Span,
    Stop,
    anytime_interval,
    elo_of,
    mean_interval,
    share_interval,
)
from mandalier.lab.journal import Journal, journal_of
from mandalier.lab.match import Entrant, Interrupted, Match, Played, Seats, play_game
from mandalier.lab.origin import commit
from mandalier.lab.simulate import SHARD_SECONDS, Progress

MOST_IN_A_SHARD = 64

__all__ = ["Entrant", "Match", "MatchResult", "Standing", "Stop", "arena"]

# What comes of it ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """How an entrant stands to the others at its table."""

    entrant: str
    share: float
    """Of the wins; the fair one is one in `seats`."""
    share_span: Span
    lead: float
    """Its points less the mean of the others'."""
    lead_span: Span
    elo: float
    """Above each of the others (see `elo_of`)."""
    elo_span: Span
    think_ms: float
    """For a move, on average."""
    longest_ms: float

    @property
    def elo_text(self) -> str:
        """The Elo with half its interval; or, at an end of the scale, what it is beyond."""
        low, high = self.elo_span
        if isinf(low) and isinf(high):
            return say("unknown")
        if isinf(high):
            return say("above {elo:+.0f}", elo=low)
        if isinf(low):
            return say("below {elo:+.0f}", elo=high)
        if isinf(self.elo):
            return say("{low:+.0f} to {high:+.0f}", low=low, high=high)
        return f"{self.elo:+.0f} ± {(high - low) / 2:.0f}"

    def data(self) -> dict[str, Any]:
        return {
            "bot": self.entrant,
            "share": self.share,
            "share_interval": list(self.share_span),
            "lead": self.lead,
            "lead_interval": _finite(self.lead_span),
            "elo": _finite([self.elo])[0],
            "elo_interval": _finite(self.elo_span),
            "think_ms": round(self.think_ms, 3),
            "longest_ms": round(self.longest_ms, 3),
        }


def _finite(numbers: Sequence[float]) -> list[float | None]:
    """As JSON has it, which knows no infinity."""
    return [None if isinf(n) else n for n in numbers]


@dataclass
class MatchResult:
    """What came of a match, or of the part played so far. Only whole deals count."""

    match: Match
    stop: Stop | None = None
    played: list[Played] = field(default_factory=list)
    verdict: str = ""
    """"stronger" or "weaker", if `stop` has told."""
    interrupted: bool = False
    commits: tuple[str, ...] = ()
    """Of the code that played."""
    seconds: float = 0.0

    @property
    def deals(self) -> int:
        return len(self.played) // self.match.rotations

    @property
    def games(self) -> int:
        return self.deals * self.match.rotations

    @property
    def forfeits(self) -> list[dict[str, Any]]:
        """Which entrant lost which game before its end, and why."""
        return [
            {"game": p.number, "bot": self._who(p, p.forfeit["seat"]).title, **p.forfeit}
            for p in self.played[: self.games]
            if p.forfeit
        ]

    def deal_shares(self, entrant: int = 0) -> list[float]:
        """[deal] of the wins, the mean for an entrant over the games of a deal."""
        return [self._share(entrant, games) for games in self._deals()]

    def deal_leads(self, entrant: int = 0) -> list[float]:
        """[deal] the mean lead, where all games of the deal came to their end."""
        return [
            sum(self._lead(entrant, played) for played in games) / len(games)
            for games in self._deals()
            if not any(played.forfeit for played in games)
        ]

    def outcomes(self, entrant: int = 0) -> Counter[float]:
        """How many deals gave which share; with two seats the five of a pentanomial test."""
        return Counter(self.deal_shares(entrant))

    def standing(self, entrant: int = 0) -> Standing:
        """How one entrant stands. After a test that may stop at any time the interval is one that
        holds at any time, and somewhat wider."""
        match, shares = self.match, self.deal_shares(entrant)
        share = sum(shares) / len(shares) if shares else 1 / match.seats
        if self.stop is None:
            span = share_interval(shares, match.rotations)
        else:
            span = anytime_interval(self.outcomes(entrant))
        lead, lead_span = mean_interval(self.deal_leads(entrant))
        ms, longest_ms = self._pace(entrant)
        return Standing(
            entrant=match.entrants[entrant].title,
            share=share,
            share_span=span,
            lead=lead,
            lead_span=lead_span,
            elo=elo_of(share, match.seats),
            elo_span=(elo_of(span[0], match.seats), elo_of(span[1], match.seats)),
            think_ms=ms,
            longest_ms=longest_ms,
        )

    @property
    def standings(self) -> list[Standing]:
        """The challenger's; or everyone's, if each seat has a bot of its own."""
        count = 1 if self.match.has_challenger else self.match.seats
        return [self.standing(entrant) for entrant in range(count)]

    @property
    def line(self) -> str:
        """The result with its origin, in one line."""
        match, header = self.match, self.match.header()
        parts = [
            f"{match.game}/{match.seats} " + " v ".join(header["bots"]),
            *(f"{name} {value}" for name, value in match.options.items()),
            say("{n} games", n=self.games),
            say("seed {seed}", seed=match.seed),
            say("commit {commit}", commit=", ".join(self.commits)),
            say("rules {version}", version=header["rules"]),
        ]
        return f"{', '.join(parts)}: {self.standing().elo_text} Elo"

    def data(self) -> dict[str, Any]:
        """All of it as plain data; the same for any number of workers, but for times."""
        stopped = None
        if self.stop is not None:
            stopped = {**self.stop.data(), "verdict": self.verdict or None}
        return {
            **self.match.header(),
            "games": self.games,
            "games_asked": self.match.games,
            "deals": self.deals,
            "standings": [standing.data() for standing in self.standings],
            "deal_shares": {f"{k:g}": n for k, n in sorted(self.outcomes().items())},
            "reasons": dict(Counter(p.reason for p in self.played[: self.games])),
            "forfeits": self.forfeits,
            "stop_early": stopped,
            "interrupted": self.interrupted,
            "commits": list(self.commits),
            "line": self.line,
            "seconds": round(self.seconds, 3),
        }

    def _deals(self) -> Iterator[list[Played]]:
        size = self.match.rotations
        for k in range(self.deals):
            yield self.played[k * size : (k + 1) * size]

    def _seating(self, played: Played) -> tuple[int, ...]:
        return self.match.seating(played.number % self.match.rotations)

    def _who(self, played: Played, seat: int) -> Entrant:
        return self.match.entrants[self._seating(played)[seat]]

    def _share(self, entrant: int, games: Sequence[Played]) -> float:
        own = sum(p.shares[self._seating(p).index(entrant)] for p in games)
        return round(own / len(games), 12)  # sums of thirds and fifths come out alike

    def _lead(self, entrant: int, played: Played) -> float:
        own = played.points[self._seating(played).index(entrant)]
        return own - (sum(played.points) - own) / (self.match.seats - 1)

    def _pace(self, entrant: int) -> tuple[float, float]:
        moves, seconds, longest = 0, 0.0, 0.0
        for played in self.played[: self.games]:
            for seat, who in enumerate(self._seating(played)):
                if who == entrant:
                    moves += played.moves[seat]
                    seconds += played.think_s[seat]
                    longest = max(longest, played.longest_s[seat])
        return 1000 * seconds / max(1, moves), 1000 * longest


# Playing it ------------------------------------------------------------------------------------


def arena(
    match: Match,
    *,
    stop: Stop | None = None,
    workers: int | None = None,
    out: Path | None = None,
    journal: Path | None = None,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match. With `out`, the records of its games are written there, in order.

    The journal (by default `out` with ".journal" added) says how far it has come: the same call
    again goes on from there, also one for more games. With `stop` it ends as soon as that has told.
    Ctrl-C ends it with what was played. An executor of your own takes the place of the process pool.
    """
    workers = os.cpu_count() or 1 if workers is None else workers
    if workers < 1:
        raise MandalierError(say("at least one worker is needed, not {n}", n=workers))
    result, began = MatchResult(match, stop), time.perf_counter()
    header = {"match": match.header(), "records": out is not None}
    with Journal(header, journal_of(out, journal), out, overwrite=overwrite) as kept:
        commits: list[str] = []
        found: list[Played] = []
        for entry in kept.entries:
            commits.append(entry["commit"])
            found += map(Played.of, entry["games"])
        counted = _Count(result, progress)
        counted.add(found[: match.games])
        with closing(_shards(match, len(found), out is not None, workers, executor)) as shards:
            try:
                while not result.verdict and (shard := next(shards, None)) is not None:
                    games = shard.games[: counted.add([played for played, _ in shard.games])]
                    entry = {"commit": commit(), "games": [played.data() for played, _ in games]}
                    commits.append(commit())
                    kept.add(entry, "".join(record for _, record in games))
                    counted.show()
            except KeyboardInterrupt:
                result.interrupted = True
    result.commits = tuple(dict.fromkeys(commits or [commit()]))
    result.seconds = time.perf_counter() - began
    return result


class _Count:
    """Adds games to a result, deal by deal, until the test has told."""

    def __init__(self, result: MatchResult, progress: Progress | None) -> None:
        self.result = result
        self.outcomes: Counter[float] = Counter()
        self._progress = progress

    def add(self, games: Sequence[Played]) -> int:
        """Add games in order; how many of them were still wanted."""
        result, size = self.result, self.result.match.rotations
        for n, played in enumerate(games):
            if result.verdict:
                return n
            result.played.append(played)
            if result.stop is not None and len(result.played) % size == 0:
                self.outcomes[result._share(0, result.played[-size:])] += 1
                result.verdict = result.stop.verdict(self.outcomes, result.match.seats)
        return len(games)

    def show(self) -> None:
        if self._progress:
            self._progress(len(self.result.played), self.result.match.games)


@dataclass(frozen=True)
class Shard:
    """Some games in a row, and their records if they are kept."""

    games: list[tuple[Played, str]]
    seconds: float


_here = threading.local()  # the bots of the match that is played in this thread
_stop: Any = None  # the event by which a match tells its workers to leave off


def _in_worker(stop: Any) -> None:
    """Set up a worker process. Ctrl-C is for the one who started it."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C from their first moment."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def play_shard(match: Match, first: int, games: int, keep: bool) -> Shard:
    """Play some games of a match; with `keep`, with their records. This is what an executor gets."""
    seats: Seats | None = getattr(_here, "seats", None)
    if seats is None or seats.match != match:
        seats = _here.seats = Seats(match)
    found, began = [], time.perf_counter()
    for number in range(first, first + games):
        try:
            played, state = play_game(seats, number, bool if _stop is None else _stop.is_set)
        except Interrupted:
            break
        found.append((played, dumps(state.record()) + "\n" if keep else ""))
    return Shard(found, time.perf_counter() - began)


def _shards(
    match: Match, first: int, keep: bool, workers: int, executor: Executor | None
) -> Generator[Shard, None, None]:
    """The shards from game `first` on, in order."""
    left = match.games - first
    if left <= 0:
        return
    if executor is not None:
        yield from _by(executor, match, first, keep, 64)
    elif workers == 1 or left == 1:
        yield from (play_shard(match, number, 1, keep) for number in range(first, match.games))
    else:
        Seats(match)  # compiles once for all workers
        context = get_context("spawn")
        stop = context.Event()
        pool = ProcessPoolExecutor(min(workers, left), context, _in_worker, (stop,))
        try:
            yield from _by(pool, match, first, keep, 2 * workers)
        except BrokenProcessPool:
            text = say("a worker process was ended from outside, perhaps for want of memory")
            raise MandalierError(text) from None
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _by(executor: Executor, match: Match, first: int, keep: bool, ahead: int) -> Iterator[Shard]:
    """Shards by an executor, a bounded number of them under way. They begin as single games and
    become as many as take a while."""
    under_way: deque[Future[Shard]] = deque()
    size = 1
    try:
        while first < match.games or under_way:
            while first < match.games and len(under_way) < ahead:
                count = min(size, match.games - first)
                with _deaf_children():
                    under_way.append(executor.submit(play_shard, match, first, count, keep))
                first += count
            shard = under_way.popleft().result()
            yield shard
            fitting = SHARD_SECONDS * len(shard.games) / max(shard.seconds, 1e-6)
            size = max(1, min(MOST_IN_A_SHARD, int(fitting)))
    finally:
        for future in under_way:
            future.cancel()
