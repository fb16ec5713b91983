"""Games that a search plays against itself, written down for a net to learn from; and matches
between two searches. All of it compiled: a worker plays a batch in one call.

Game k of a batch depends on (seed, k) alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mandalier.games.contract import (
    MAX_SEATS,
    deal,
    hide,
    notice,
    observe,
    play,
    resume,
    roll,
    score,
    waiting,
)
from mandalier.games.engine import Engine
from mandalier.games.game import game
from mandalier.games.kernel import (
    GENERATOR,
    Array,
    Record,
    game_seed,
    new_states,
    next_word,
    rule,
    seed_generator,
)
from mandalier.search import net as nets
from mandalier.search.mcts import (
    BY_ALL,
    BY_MOVER,
    HALVE,
    OPEN,
    SURE,
    TRUST,
    Desk,
    desk_for,
    lowest_seat,
    search,
)
from mandalier.search.net import Net
from mandalier.search.searcher import RACERS, Style, set_style
from mandalier.search.tree import ROOT


class Book(NamedTuple):
    """What self-play writes down. A row is a position; its moves lie one after the other."""

    sights: Any  # [row × sights]
    seat: Any  # [row] who saw it
    moves: Any  # [row] how many legal moves; 0 where only the outcome is to be learnt
    noticed: Any  # [move × noticed]
    target: Any  # [move] how likely the search would make it
    wins: Any  # [row × MAX_SEATS] the outcome, from the seat that saw it on
    points: Any  # [row × MAX_SEATS]
    found: Any  # [row] what the search found the seat's chance to win to be
    counts: Any  # [0] rows [1] moves [2] games


ROWS, MOVES_N, GAMES_N = range(3)
ROWS_A_GAME = 400  # as often as it is seen
MOVES_A_ROW = 60


def book_for(module: Any, rows: int, moves: int) -> Book:
    globals_, entities, each = module.SIGHTS
    return Book(
        sights=np.zeros(rows * (globals_ + entities * each), "i1"),
        seat=np.zeros(rows, "i1"),
        moves=np.zeros(rows, "i2"),
        noticed=np.zeros(moves * module.NOTICED, "i1"),
        target=np.zeros(moves, "f4"),
        wins=np.zeros(rows * MAX_SEATS, "f4"),
        points=np.zeros(rows * MAX_SEATS, "f4"),
        found=np.zeros(rows, "f4"),
        counts=np.zeros(4, "i8"),
    )


@rule
def self_play(
    desk: Desk,
    table: Array,
    book: Book,
    g: Array,
    seats: int,
    seed: int,
    first: int,
    games: int,
    full: int,
    fast: int,
    often: int,
    aside: bool,
) -> None:
    """Play games and write them down, until there are enough or the book is full.

    One move in `often` is searched with `full` iterations and written down with what the search
    makes of its moves; the others with `fast` ones, for their outcome (playout caps). With `aside`
    every position is written as the next seat sees it too.
    """
    s = table[0]
    for k in range(first, first + games):
        if not has_room(book, len(desk.marks), aside):
            return
        own = game_seed(g[0], seed, k)
        table[0] = table[1]
        deal(s, seats, own)
        seed_generator(g[0], own, 2)
        begin = int(book.counts[ROWS])
        while s.over == 0:
            if s.chance != 0:
                roll(s, desk.bank)
                resume(s)
            else:
                seat = lowest_seat(waiting(s))
                is_full = next_word(g[0]) % often == 0
                desk.states[0] = s
                hide(desk.states[0], seat)
                row = book.counts[ROWS]
                move = one_move(desk, book, g, seat, full if is_full else fast, is_full)
                if aside and book.counts[ROWS] > row:
                    write_aside(desk, book, s, seat)
                play(s, seat, move)
        write_outcome(desk, s, book, begin)
        book.counts[GAMES_N] += 1


@rule
def has_room(book: Book, most_moves: int, aside: bool) -> bool:
    """Whether a whole long game surely fits."""
    rows = len(book.seat) - book.counts[ROWS]
    if aside:
        rows //= 2
    moves = len(book.target) - book.counts[MOVES_N]
    return bool(rows > ROWS_A_GAME and moves > 40 * min(most_moves, 300))


@rule
def one_move(desk: Desk, book: Book, g: Array, seat: int, iterations: int, write: bool) -> int:
    """The move self-play makes; it is written down what the search thinks of all of them."""
    high = next_word(g[0])
    seed = (high << 30) | (next_word(g[0]) >> 2)
    n = search(desk, OPEN, seed, 0, 0, 0, 0.0)
    child = int(desk.nodes[int(desk.counts[ROOT])].first)
    if n > 1:
        child = search(desk, HALVE, seed, 0, iterations, RACERS, 1.0)
    move = int(desk.nodes[child].move)
    if len(book.noticed) > 0 and book.counts[ROWS] + 2 <= len(book.seat):
        write_position(desk, book, seat, n, write and n > 1)
    return move


@rule
def write_position(desk: Desk, book: Book, seat: int, n: int, write: bool) -> None:
    """Write what the seat sees, and what the search made of its moves."""
    row = int(book.counts[ROWS])
    write_sights(desk, book, desk.states[0], seat)
    if write and book.counts[MOVES_N] + n <= len(book.target):
        book.found[row] = write_moves(desk, book, seat)
        book.moves[row] = n


@rule
def write_aside(desk: Desk, book: Book, s: Record, seat: int) -> None:
    """Write what the next seat sees of a position in which `seat` is to move."""
    row = int(book.counts[ROWS])
    write_sights(desk, book, s, (seat + 1) % int(s.seats))
    if s.seats == 2 and book.found[row - 1] >= 0.0:
        book.found[row] = 1.0 - book.found[row - 1]


@rule
def write_sights(desk: Desk, book: Book, s: Record, seat: int) -> None:
    row = int(book.counts[ROWS])
    observe(s, seat, desk.sights)
    size = len(desk.sights)
    for i in range(size):
        book.sights[row * size + i] = desk.sights[i]
    book.seat[row] = seat
    book.moves[row] = 0
    book.found[row] = -1.0
    book.counts[ROWS] = row + 1


@rule
def write_moves(desk: Desk, book: Book, seat: int) -> float:
    """Write what is noticed of each move, and how likely a better player makes it: its prior, moved
    by what the search found; what was not visited counts as the mean of what was. Return the mean
    chance to win."""
    s = desk.states[0]
    nodes = desk.nodes
    root = int(desk.counts[ROOT])
    visits = 0
    gain = 0.0
    wins = 0.0
    most = 0
    child = int(nodes[root].first)
    while child != 0:
        at = nodes[child]
        visits += at.visits
        gain += at.total
        wins += at.win
        most = max(most, int(at.visits))
        child = int(at.next)
    mean = gain / max(1, visits)
    # the targets, not yet normal
    first = int(book.counts[MOVES_N])
    k = first
    size = len(desk.noticed)
    best = -1e18
    child = int(nodes[root].first)
    while child != 0:
        at = nodes[child]
        value = at.total / at.visits if at.visits > 0 else mean
        logit = math.log(max(at.prior, 1e-9)) + TRUST * (SURE + most) * value
        best = max(best, logit)
        book.target[k] = logit
        notice(s, seat, at.move, desk.noticed)
        for i in range(size):
            book.noticed[k * size + i] = desk.noticed[i]
        k += 1
        child = int(at.next)
    total = 0.0
    for i in range(first, k):
        book.target[i] = math.exp(book.target[i] - best)
        total += book.target[i]
    for i in range(first, k):
        book.target[i] /= total
    book.counts[MOVES_N] = k
    return wins / max(1, visits)


@rule
def write_outcome(desk: Desk, s: Record, book: Book, begin: int) -> None:
    """Write the outcome of a game beside all its positions."""
    winners = score(s, desk.points)
    seats = int(s.seats)
    count = 0
    for seat in range(seats):
        count += (winners >> seat) & 1
    for row in range(begin, book.counts[ROWS]):
        for k in range(MAX_SEATS):
            at = row * MAX_SEATS + k
            book.wins[at] = 0.0
            book.points[at] = 0.0
            if k < seats:
                seat = (book.seat[row] + k) % seats
                book.wins[at] = float((winners >> seat) & 1) / count
                book.points[at] = float(desk.points[seat])


# Matches ---------------------------------------------------------------------------------------


@rule
def match(
    desk: Desk,
    rival: Desk,
    table: Array,
    g: Array,
    seats: int,
    seed: int,
    first: int,
    deals: int,
    iterations: int,
    shares: Array,
    leads: Array,
) -> None:
    """Every deal is played once with the challenger at each seat, the rival at all others; write
    its mean share of the win less a fair one, and its mean lead, for each deal."""
    s = table[0]
    for k in range(deals):
        share = 0.0
        lead = 0.0
        for own_seat in range(seats):
            own = game_seed(g[0], seed, first + k)
            table[0] = table[1]
            deal(s, seats, own)
            seed_generator(g[0], own, 3)
            while s.over == 0:
                if s.chance != 0:
                    roll(s, desk.bank)
                    resume(s)
                elif lowest_seat(waiting(s)) == own_seat:
                    play_searched(desk, s, own_seat, g, iterations)
                else:
                    play_searched(rival, s, lowest_seat(waiting(s)), g, iterations)
            winners = score(s, desk.points)
            count = 0
            best = -1000000
            for seat in range(seats):
                count += (winners >> seat) & 1
                if seat != own_seat:
                    best = max(best, int(desk.points[seat]))
            share += float((winners >> own_seat) & 1) / count
            lead += desk.points[own_seat] - best
        shares[k] = share / seats - 1.0 / seats
        leads[k] = lead / seats


@rule
def play_searched(desk: Desk, s: Record, seat: int, g: Array, iterations: int) -> None:
    high = next_word(g[0])
    seed = (high << 30) | (next_word(g[0]) >> 2)
    desk.states[0] = s
    hide(desk.states[0], seat)
    n = search(desk, OPEN, seed, 0, 0, 0, 0.0)
    child = int(desk.nodes[int(desk.counts[ROOT])].first)
    if n > 1:
        child = search(desk, HALVE, seed, 0, iterations, RACERS, 0.0)
    play(s, seat, desk.nodes[child].move)


# Work for a process ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Caps:
    """How many iterations self-play spends on a move."""

    full: int = 96
    fast: int = 24
    often: int = 4


@dataclass(frozen=True)
class Batch:
    """Some games of self-play, for a worker."""

    game: str
    seats: int
    options: Mapping[str, Any]
    style: Style
    net: Any
    """The net as one array, or None for random play."""
    caps: Caps
    seed: int
    first: int
    games: int
    by_all: bool = False
    """Whether the net was taught what seats see that wait, and is asked for that."""


def _desk(engine: Engine, style: Style, net: Any, by_all: bool, iterations: int) -> Desk:
    room = min(400_000, 2000 + 150 * iterations)
    desk = desk_for(engine, room, None if net is None else Net(net, {}, ""))
    by_net = 0 if net is None else BY_ALL if by_all else BY_MOVER
    set_style(engine, desk, replace(style, by_net=by_net))
    return desk


def _table(engine: Engine, options: Mapping[str, Any]) -> Any:
    """[0] the game, [1] a record with the table's options."""
    table = engine.states(2)
    s = engine.read(table, 1)
    engine.game.apply_options(s, options)
    engine.write(s, table, 1)
    return table


def play_batch(batch: Batch) -> dict[str, Any]:
    """Play games of self-play; what was written down, as arrays."""
    engine = game(batch.game).fastest
    module = engine.game
    seen = 500 + ROWS_A_GAME * batch.games
    moves = 20_000 + seen * MOVES_A_ROW // batch.caps.often
    aside = nets.sees_aside(module)
    rows = 2 * seen if aside else seen
    book = book_for(module, rows, moves)
    engine.bind(self_play)(
        _desk(engine, batch.style, batch.net, batch.by_all, batch.caps.full),
        _table(engine, batch.options),
        book,
        new_states(GENERATOR, 1, engine.compiled),
        batch.seats,
        batch.seed,
        batch.first,
        batch.games,
        batch.caps.full,
        batch.caps.fast,
        batch.caps.often,
        aside,
    )
    n, m = int(book.counts[ROWS]), int(book.counts[MOVES_N])
    width = len(book.sights) // rows
    return {
        "sights": book.sights.reshape(rows, width)[:n].copy(),
        "moves": book.moves[:n].copy(),
        "noticed": book.noticed.reshape(moves, module.NOTICED)[:m].copy(),
        "target": book.target[:m].copy(),
        "wins": book.wins.reshape(rows, MAX_SEATS)[:n].copy(),
        "points": book.points.reshape(rows, MAX_SEATS)[:n].copy(),
        "found": book.found[:n].copy(),
        "seats": np.full(n, batch.seats, "i1"),
        "games": np.array([int(book.counts[GAMES_N])]),
    }


@dataclass(frozen=True)
class Match:
    """Some deals of a match between two nets (or random play, where one is None)."""

    game: str
    seats: int
    options: Mapping[str, Any]
    style: Style
    challenger: Any
    rival: Any
    iterations: int
    seed: int
    first: int
    deals: int
    by_all: tuple[bool, bool] = (False, False)
    """Whether the challenger, and the rival, were taught what seats see that wait."""


def play_match(job: Match) -> tuple[Any, Any]:
    """For each deal, the challenger's share of the win less a fair one, and its lead."""
    engine = game(job.game).fastest
    shares, leads = np.zeros(job.deals), np.zeros(job.deals)
    engine.bind(match)(
        _desk(engine, job.style, job.challenger, job.by_all[0], job.iterations),
        _desk(engine, job.style, job.rival, job.by_all[1], job.iterations),
        _table(engine, job.options),
        new_states(GENERATOR, 1, engine.compiled),
        job.seats,
        job.seed,
        job.first,
        job.deals,
        job.iterations,
        shares,
        leads,
    )
    return shares, leads
