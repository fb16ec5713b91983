"""Games of bots by the million: sharded, resumable, the same on any number of workers.

Game k of a run depends on the run's seed and on k alone. A shard is some games in a row; shards
are handed to an executor (anything with `submit`, like those of concurrent.futures) and their
results are taken in order.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mandalier.games.contract import MAX_SEATS, deal, play, resume, roll, score, waiting
from mandalier.games.engine import CHANCE, OVER, Engine
from mandalier.games.errors import MandalierError
from mandalier.games.game import RECORD_VERSION, check_seed, draw_chance, game
from mandalier.games.kernel import Array, game_seed, rule, seed_generator
from mandalier.games.record import dumps
from mandalier.games.words import say
from mandalier.games.workers import worker_pool
from mandalier.lab.journal import Journal, journal_of
from mandalier.search.glance import SCRATCH, bot_number, choose

SHARD_SECONDS = 0.7
PROBE_GAMES = 64
LOG = 4096  # moves played before a game's log is read
DEALT = 1 + SCRATCH  # the state that keeps the options of the table; 0 is the game, then scratch

# Where a tally keeps what
GAMES, MOVES, DIGEST = 0, 1, 2
REASON = 3
MOST_REASONS = 8
SCORES = REASON + MOST_REASONS
SQUARES = SCORES + MAX_SEATS
WINS = SQUARES + MAX_SEATS
SHARED = WINS + MAX_SEATS
TALLY = SHARED + MAX_SEATS


# The rules of a run ----------------------------------------------------------------------------


@rule
def play_on(
    states: Array, bots: Array, g: Array, out: Array, points: Array, log: Array, bank: Array
) -> int:
    """Let the bots play states[0] until chance is due, the game over or the log full; write the
    moves (64 × move + seat) into the log and return how many."""
    s = states[0]
    n = 0
    while s.over == 0 and s.chance == 0 and n < len(log):
        seat = 0
        may = waiting(s)
        while (may >> seat) & 1 == 0:
            seat += 1
        move = choose(states, bots[seat], seat, g[0], out, points, bank)
        play(s, seat, move)
        log[n] = move << 6 | seat
        n += 1
    return n


@rule
def hashed(digest: int, log: Array, n: int) -> int:
    """The digest of a game (FNV-1a over its moves, then its scores) with n more moves."""
    for i in range(n):
        digest = ((digest ^ (log[i] >> 6)) * 16777619) & 0xFFFFFFFF
    return digest


@rule
def count_game(states: Array, digest: int, moves: int, points: Array, tally: Array) -> None:
    """Add a finished game to a tally."""
    s = states[0]
    winners = score(s, points)
    shared = winners & (winners - 1) != 0
    for seat in range(s.seats):
        digest = ((digest ^ (points[seat] + 1000)) * 16777619) & 0xFFFFFFFF
        tally[SCORES + seat] += points[seat]
        tally[SQUARES + seat] += points[seat] * points[seat]
        if (winners >> seat) & 1 != 0:
            tally[WINS + seat] += 1
            if shared:
                tally[SHARED + seat] += 1
    tally[GAMES] += 1
    tally[MOVES] += moves
    tally[DIGEST] += digest
    tally[REASON + s.over - 1] += 1


@rule
def play_games(
    states: Array,
    bots: Array,
    g: Array,
    out: Array,
    points: Array,
    log: Array,
    bank: Array,
    seats: int,
    seed: int,
    first: int,
    games: int,
    tally: Array,
) -> None:
    """Play games in a row and add them to the tally."""
    s = states[0]
    for k in range(first, first + games):
        own = game_seed(g[0], seed, k)
        states[0] = states[DEALT]
        deal(s, seats, own)
        seed_generator(g[0], own, 1)
        digest = 2166136261
        moves = 0
        while s.over == 0:
            n = play_on(states, bots, g, out, points, log, bank)
            digest = hashed(digest, log, n)
            moves += n
            if s.chance != 0:
                roll(s, bank)
                resume(s)
        count_game(states, digest, moves, points, tally)


# Shards ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """What is simulated. Two equal runs give the same games."""

    game: str
    seats: int
    games: int
    seed: int
    bots: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        seats: int | None = None,
        games: int = 1000,
        seed: int | None = None,
        bots: tuple[str, ...] = ("random",),
        options: Mapping[str, Any] | None = None,
    ) -> Run:
        """A run, checked. One bot sits at every seat, or one is named for each."""
        found = game(name)
        seats = found.check_seats(seats)
        if games < 1:
            raise MandalierError(say("at least one game is needed, not {n}", n=games))
        for bot in bots:
            bot_number(bot)
        if len(bots) not in (1, seats):
            text = say(
                "{n} bots are named for {seats} seats; name one, or one a seat",
                n=len(bots),
                seats=seats,
            )
            raise MandalierError(text)
        bots = tuple(bots) * seats if len(bots) == 1 else tuple(bots)
        return cls(name, seats, games, check_seed(seed), bots, found.check_options(options))


class Player:
    """Plays the games of a run, in this process."""

    def __init__(self, run: Run, engine: Engine | None = None) -> None:
        self.run = run
        found = game(run.game)
        self.engine = engine = engine or found.fastest
        self.module = found.module
        self.states = engine.states(2 + SCRATCH)
        self.g = engine.generators(1)
        self.out = engine.move_list()
        self.points = engine.array(MAX_SEATS)
        self._texts = getattr(self.module, "MOVE_TEXTS", ())
        self._from_outside = hasattr(self.module, "outcome") and self.module.uses_outcome(
            run.options
        )
        self.log = engine.array(LOG if self._texts else 1, "i4")
        self.bots = engine.array(MAX_SEATS)
        for seat, bot in enumerate(run.bots):
            self.bots[seat] = bot_number(bot)
        s = engine.read(self.states, DEALT)
        self.module.apply_options(s, run.options)
        engine.write(s, self.states, DEALT)

    def tally(self, first: int, games: int) -> list[int]:
        """Play games without keeping them."""
        engine = self.engine
        tally = engine.array(TALLY)
        if self._from_outside:
            for k in range(first, first + games):
                self._play(k, tally, keep=False)
        else:
            engine.bind(play_games)(
                self.states,
                self.bots,
                self.g,
                self.out,
                self.points,
                self.log,
                engine.bank,
                self.run.seats,
                self.run.seed,
                first,
                games,
                tally,
            )
        return list(map(int, tally))

    def records(self, first: int, games: int, tally: list[int]) -> Iterator[str]:
        """Play games and give their records, as lines; the tally is added to."""
        total = self.engine.array(TALLY)
        for k in range(first, first + games):
            setup, entries = self._play(k, total, keep=True)
            yield dumps(self._record(setup, entries))
        for i in range(TALLY):
            tally[i] += int(total[i])

    def _play(self, k: int, tally: Array, keep: bool) -> tuple[dict[str, Any], list[str]]:
        """Play game k, chance by chance; its setup and, if they are to be kept, its entries."""
        engine, run, states = self.engine, self.run, self.states
        own = engine.bind(_game_seed_at)(self.g, run.seed, k)
        states[0] = states[DEALT]
        engine.shuffle_up_at(states, 0, run.seats, own)
        setup = self.module.setup(engine.read(states)) if keep else {}
        status = engine.lay_out_at(states, 0)
        engine.bind(_seed_at)(self.g, own, 1)
        entries: list[str] = []
        digest, moves = 2166136261, 0
        while status != OVER:
            before = engine.read(states) if keep and not self._texts else None
            n = engine.bind(play_on)(
                states, self.bots, self.g, self.out, self.points, self.log, engine.bank
            )
            digest = engine.bind(hashed)(digest, self.log, n)
            moves += n
            if keep:
                entries += self._entries(n, before)
            status = engine.status_at(states, 0)
            if status == CHANCE:
                entries.append("* " + draw_chance(engine, states, run.options)[0])
                status = engine.resume_at(states, 0)
        engine.bind(count_game)(states, digest, moves, self.points, tally)
        return setup, entries

    def _record(self, setup: dict[str, Any], entries: list[str]) -> dict[str, Any]:
        """The record of the game that has just ended."""
        run, s = self.run, self.engine.read(self.states)
        points, winners = self.engine.score_at(self.states, 0)
        return {
            "mandalier": RECORD_VERSION,
            "game": run.game,
            "rules": self.module.RULES,
            "seats": run.seats,
            "options": dict(run.options),
            "setup": setup,
            "moves": entries,
            "result": {
                "reason": self.module.REASONS[s.over - 1],
                "scores": points[: run.seats],
                "winners": [seat for seat in range(run.seats) if winners >> seat & 1],
            },
        }

    def _entries(self, n: int, before: Any) -> list[str]:
        """The entries of the last n moves; where a text depends on the state, it is the one
        before the only move."""
        logged = [(entry & 63, entry >> 6) for entry in map(int, self.log[:n])]
        if self._texts:
            return [f"{seat} {self._texts[move]}" for seat, move in logged]
        return [f"{seat} {self.module.text(before, move)}" for seat, move in logged]


@rule
def _game_seed_at(g: Array, seed: int, k: int) -> int:
    return game_seed(g[0], seed, k)


@rule
def _seed_at(g: Array, seed: int, stream: int) -> None:
    seed_generator(g[0], seed, stream)


_players: dict[str, Player] = {}


def play_shard(run: Run, first: int, games: int, keep: bool) -> tuple[list[int], str]:
    """Play some games of a run: their tally and, if they are to be kept, their records. This is
    what an executor gets."""
    key = repr(run)
    if key not in _players:
        _players.clear()
        _players[key] = Player(run)
    player = _players[key]
    if not keep:
        return player.tally(first, games), ""
    tally = [0] * TALLY
    lines = list(player.records(first, games, tally))
    return tally, "".join(line + "\n" for line in lines)


# A whole run -----------------------------------------------------------------------------------


@dataclass
class Summary:
    """What came of a run, or of the part played so far."""

    run: Run
    tally: list[int]
    seconds: float = 0.0

    @property
    def games(self) -> int:
        return self.tally[GAMES]

    @property
    def moves(self) -> int:
        return self.tally[MOVES]

    def data(self) -> dict[str, Any]:
        """The summary as plain data; the same for any number of workers but for `seconds`."""
        run, tally, n = self.run, self.tally, max(1, self.games)
        reasons = game(run.game).module.REASONS
        return {
            "game": run.game,
            "rules": game(run.game).module.RULES,
            "seats": run.seats,
            "bots": list(run.bots),
            "seed": run.seed,
            "options": dict(run.options),
            "games": self.games,
            "moves": self.moves,
            "moves_per_game": self.moves / n,
            "digest": tally[DIGEST],
            "reasons": {reason: tally[REASON + i] for i, reason in enumerate(reasons)},
            "by_seat": [self._seat(seat, n) for seat in range(run.seats)],
            "seconds": round(self.seconds, 3),
        }

    def _seat(self, seat: int, n: int) -> dict[str, Any]:
        mean = self.tally[SCORES + seat] / n
        variance = max(0.0, self.tally[SQUARES + seat] / n - mean * mean)
        return {
            "bot": self.run.bots[seat],
            "wins": self.tally[WINS + seat],
            "shared_wins": self.tally[SHARED + seat],
            "win_rate": self.tally[WINS + seat] / n,
            "score_mean": mean,
            "score_sd": variance**0.5,
        }


Progress = Callable[[int, int], None]
"""progress(games played, games in all)"""


def simulate(
    run: Run,
    *,
    workers: int | None = None,
    out: Path | None = None,
    journal: Path | None = None,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Play a run. With `out`, its records are written there, in order.

    The journal (by default `out` with ".journal" added) says how far the run has come: the same
    call again goes on from there. An executor of your own takes the place of the process pool.
    """
    with _Ledger(run, out, journal_of(out, journal), overwrite) as ledger:
        if game(run.game).fastest.compiled and ledger.done < run.games:
            play_shard(run, ledger.done, 1, out is not None)  # compile once for all workers
        began = time.perf_counter()
        if progress:
            progress(ledger.done, run.games)
        for tally, text, games in _shards(run, ledger.done, out is not None, workers, executor):
            ledger.add(tally, text, games)
            if progress:
                progress(ledger.done, run.games)
        return Summary(run, ledger.tally, time.perf_counter() - began)


Shard = tuple[list[int], str, int]


def _shards(
    run: Run, first: int, keep: bool, workers: int | None, executor: Executor | None
) -> Iterator[Shard]:
    """The results of the shards from game `first` on, in order."""
    workers = workers or os.cpu_count() or 1
    if workers < 1:
        raise MandalierError(say("at least one worker is needed, not {n}", n=workers))
    if first >= run.games:
        return
    # the first few games tell how many make a shard
    count = min(PROBE_GAMES, run.games - first)
    began = time.perf_counter()
    yield (*play_shard(run, first, count, keep), count)
    first += count
    seconds = max(time.perf_counter() - began, 1e-6) / count
    size = max(1, round(SHARD_SECONDS / seconds))
    left = run.games - first
    if executor is not None:
        yield from _by(executor, run, first, size, keep, 64)
    elif workers == 1 or left <= size:
        while first < run.games:
            count = min(size, run.games - first)
            yield (*play_shard(run, first, count, keep), count)
            first += count
    else:
        with worker_pool(workers) as pool:
            yield from _by(pool, run, first, size, keep, 2 * workers)


def _by(
    executor: Executor, run: Run, first: int, size: int, keep: bool, ahead: int
) -> Iterator[Shard]:
    """Shards by an executor, a bounded number of them under way."""
    under_way: deque[tuple[Future[tuple[list[int], str]], int]] = deque()
    try:
        while first < run.games or under_way:
            while first < run.games and len(under_way) < ahead:
                count = min(size, run.games - first)
                under_way.append((executor.submit(play_shard, run, first, count, keep), count))
                first += count
            future, count = under_way.popleft()
            yield (*future.result(), count)
    finally:
        for future, _ in under_way:
            future.cancel()


class _Ledger:
    """The tally so far, kept on disk if there is a journal."""

    def __init__(self, run: Run, out: Path | None, journal: Path | None, overwrite: bool) -> None:
        header = {
            "run": [run.game, run.seats, run.games, run.seed, list(run.bots), dict(run.options)],
            "rules": game(run.game).module.RULES,
            "records": out is not None,
        }
        self._journal = Journal(
            header, journal, out, overwrite=overwrite, keep=lambda entries: entries[-1:]
        )
        found = self._journal.entries
        self.tally: list[int] = found[-1]["tally"] if found else [0] * TALLY

    @property
    def done(self) -> int:
        return self.tally[GAMES]

    def add(self, tally: list[int], text: str, games: int) -> None:
        """Count a shard."""
        assert tally[GAMES] == games
        self.tally = [a + b for a, b in zip(self.tally, tally, strict=True)]
        self._journal.add({"tally": self.tally}, text)

    def __enter__(self) -> _Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self._journal.close()
