"""Alpha-beta for two seats, max-n for more: what exact.py solves the end of a game with.

The contract says which part of a game is searched (`stage`), what it comes to (`standing`), when
two positions are the same (`digest`) and what can still change (`bounds`). The stack of the search
is kept in arrays, so that it can be left to look at the clock, and gone on with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mandalier.games.contract import (
    MAX_SEATS,
    STANDING,
    appraise,
    bounds,
    digest,
    imagine,
    legal,
    play,
    stage,
    standing,
    waiting,
)
from mandalier.games.engine import Engine
from mandalier.games.kernel import Array, Record, mix, new_states, rule

FRAME = np.dtype(
    [
        ("seat", "i8"),  # who moves here
        ("first", "i8"),  # where its moves begin
        ("n", "i8"),  # how many there are
        ("i", "i8"),  # how many have been taken up
        ("alpha", "i8"),  # seat 0 is sure of this much elsewhere
        ("beta", "i8"),  # and seat 1 of no more than this
        ("low", "i8"),  # alpha and beta as they were on entering
        ("high", "i8"),
        ("best", "i8"),
        ("move", "i8"),  # the move that gives the best
        ("key", "i8"),
        ("made", "i8"),  # seat 0's lead by the points made so far
    ],
    align=True,
)
"""A position on the way from the root to where the search is."""

ENTRY = np.dtype(
    [
        ("key", "i8"),
        ("value", "i4", (MAX_SEATS,)),  # [0] alone for two seats: what is still to come
        ("move", "i2"),
        ("kind", "i1"),  # 0 for an empty place, else one of these
    ],
    align=True,
)
"""What is known of a position."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3

PLIES = 80  # the longest line
MOVES_ROOM = 16384  # moves listed along a line
UNKNOWN = 1 << 40
FAR = 1 << 30  # beyond every value
PLY, ENTERING, TOP, NODES, STAGE, FINAL, ROOM = range(7)
COUNTS = 7


class Desk(NamedTuple):
    """All a search works with, as one argument."""

    states: Any  # [0] the root, then the positions along a line
    frames: Any  # [ply]
    counts: Any  # see the constants above
    moves: Any  # of all frames, one after the other
    merits: Any  # of these moves: the highest is tried first
    tried: Any  # [seat × MOVES + move] how often a move has refuted another
    table: Any  # 2**n entries, of which the first counts[ROOM], a power of two, are used
    values: Any  # [ply × MAX_SEATS + seat] max-n's values
    out: Any
    points: Any


# Both searches ---------------------------------------------------------------------------------


@rule
def begin(desk: Desk, seat: int, move: int, alpha: int, beta: int) -> None:
    """Take up a move of the root's, to be searched between these values (of seat 0)."""
    desk.counts[STAGE] = stage(desk.states[0])
    desk.counts[PLY] = 1
    desk.counts[ENTERING] = 1
    desk.counts[TOP] = 0
    desk.states[1] = desk.states[0]
    play(desk.states[1], seat, move)
    desk.frames[1].alpha = alpha
    desk.frames[1].beta = beta


@rule
def is_leaf(desk: Desk, s: Record) -> bool:
    return bool(s.over != 0 or s.chance != 0 or stage(s) != desk.counts[STAGE])


@rule
def stand(desk: Desk, s: Record) -> None:
    """What a leaf comes to, in `points`: the result, or at the end of a stage the outlook."""
    if s.over != 0:
        standing(s, desk.points)
        return
    desk.counts[FINAL] = 0
    appraise(s, desk.points)
    for seat in range(s.seats):
        desk.points[seat] = STANDING * desk.points[seat] // 100


@rule
def list_moves(desk: Desk, ply: int, known: int) -> None:
    """List a position's moves; the known best one first, then those that served before."""
    s = desk.states[ply]
    frame = desk.frames[ply]
    seat = 0
    while (waiting(s) >> seat) & 1 == 0:
        seat += 1
    n = legal(s, seat, desk.out)
    first = int(desk.counts[TOP])
    rows = len(desk.tried) // MAX_SEATS
    for i in range(n):
        move = int(desk.out[i])
        desk.moves[first + i] = move
        desk.merits[first + i] = FAR if move == known else desk.tried[seat * rows + move]
    desk.counts[TOP] = first + n
    frame.seat = seat
    frame.first = first
    frame.n = n
    frame.i = 0
    frame.move = -1


@rule
def next_move(desk: Desk, ply: int) -> int:
    """The best of the moves not taken up yet."""
    frame = desk.frames[ply]
    at = int(frame.first + frame.i)
    best = at
    for i in range(at + 1, int(frame.first + frame.n)):
        if desk.merits[i] > desk.merits[best]:
            best = i
    move = desk.moves[best]
    merit = desk.merits[best]
    while best > at:  # the others keep their order
        desk.moves[best] = desk.moves[best - 1]
        desk.merits[best] = desk.merits[best - 1]
        best -= 1
    desk.moves[at] = move
    desk.merits[at] = merit
    frame.i += 1
    return int(move)


@rule
def step(desk: Desk, ply: int) -> None:
    """Play the next move of a position."""
    move = next_move(desk, ply)
    desk.states[ply + 1] = desk.states[ply]
    play(desk.states[ply + 1], int(desk.frames[ply].seat), move)


@rule
def move_in_hand(desk: Desk, ply: int) -> int:
    """The move of a position that has been taken up last."""
    frame = desk.frames[ply]
    return int(desk.moves[int(frame.first + frame.i) - 1])


@rule
def place_of(desk: Desk, found: int) -> int:
    """Where the table has a position, or would put it."""
    at = found & (int(desk.counts[ROOM]) - 1)
    if desk.table[at].key != found and desk.table[at ^ 1].key == found:
        at ^= 1
    return at


@rule
def place_for(desk: Desk, found: int) -> int:
    """A place to keep a position at; the first of two holds what was there, in the second."""
    at = found & (int(desk.counts[ROOM]) - 1) & ~1
    if desk.table[at].key != found and desk.table[at].kind != 0:
        desk.table[at + 1] = desk.table[at]
    return at


# Two seats -------------------------------------------------------------------------------------
# Values are seat 0's lead, so seat 0 looks for the highest and seat 1 for the lowest.


@rule
def search_two(desk: Desk, limit: int) -> int:
    """Search on for so many positions; the value once it is found, UNKNOWN before."""
    ply = int(desk.counts[PLY])
    nodes = 0
    while True:
        value = UNKNOWN
        if desk.counts[ENTERING] != 0:
            nodes += 1
            value = enter_two(desk, ply)
        while value != UNKNOWN:
            if ply == 1:
                desk.counts[NODES] += nodes
                return value
            ply -= 1
            value = back_up_two(desk, ply, value)
        step(desk, ply)
        desk.frames[ply + 1].alpha = desk.frames[ply].alpha
        desk.frames[ply + 1].beta = desk.frames[ply].beta
        ply += 1
        desk.counts[ENTERING] = 1
        if nodes >= limit:
            desk.counts[PLY] = ply
            desk.counts[NODES] += nodes
            return UNKNOWN


@rule
def enter_two(desk: Desk, ply: int) -> int:
    """The value of a position if it is known; else its moves are listed."""
    s = desk.states[ply]
    frame = desk.frames[ply]
    if is_leaf(desk, s):
        stand(desk, s)
        return int(desk.points[0] - desk.points[1])
    standing(s, desk.points)
    made = int(desk.points[0] - desk.points[1])
    bounds(s, desk.points)
    least = made + int(desk.points[0])
    most = made + int(desk.points[1])
    if least >= frame.beta or least == most:
        return least
    if most <= frame.alpha:
        return most
    frame.made = made
    frame.alpha = max(frame.alpha, least)
    frame.beta = min(frame.beta, most)
    frame.key = digest(s)
    known = -1
    at = desk.table[place_of(desk, int(frame.key))]
    if at.kind != 0 and at.key == frame.key:
        value = int(at.value[0] + made)
        if at.kind == EXACT:
            return value
        if at.kind == AT_LEAST:
            frame.alpha = max(frame.alpha, value)
        else:
            frame.beta = min(frame.beta, value)
        if frame.alpha >= frame.beta:
            return value
        known = int(at.move)
    frame.low = frame.alpha
    frame.high = frame.beta
    list_moves(desk, ply, known)
    frame.best = -FAR if frame.seat == 0 else FAR
    return UNKNOWN


@rule
def back_up_two(desk: Desk, ply: int, value: int) -> int:
    """Tell a position what the move in hand came to; its value, if that is clear now."""
    frame = desk.frames[ply]
    if frame.seat == 0:
        if value > frame.best:
            frame.best = value
            frame.move = move_in_hand(desk, ply)
            frame.alpha = max(frame.alpha, value)
    elif value < frame.best:
        frame.best = value
        frame.move = move_in_hand(desk, ply)
        frame.beta = min(frame.beta, value)
    if frame.alpha < frame.beta and frame.i < frame.n:
        return UNKNOWN
    if frame.alpha >= frame.beta:
        rows = len(desk.tried) // MAX_SEATS
        desk.tried[int(frame.seat) * rows + int(frame.move)] += frame.n * frame.n
    desk.counts[TOP] = frame.first
    at = desk.table[place_for(desk, int(frame.key))]
    at.key = frame.key
    at.value[0] = frame.best - frame.made
    at.move = frame.move
    at.kind = EXACT
    if frame.best >= frame.high:
        at.kind = AT_LEAST
    elif frame.best <= frame.low:
        at.kind = AT_MOST
    return int(frame.best)


# Three seats and more --------------------------------------------------------------------------
# Values are what each seat's standing comes to. Points made count in them, as whoever is ahead may
# play otherwise than whoever is behind.


@rule
def search_many(desk: Desk, limit: int) -> int:
    """Search on for so many positions; 0 once the value is found (at values[MAX_SEATS …]), UNKNOWN
    before."""
    ply = int(desk.counts[PLY])
    nodes = 0
    while True:
        is_known = False
        if desk.counts[ENTERING] != 0:
            nodes += 1
            is_known = enter_many(desk, ply)
        while is_known:
            if ply == 1:
                desk.counts[NODES] += nodes
                return 0
            ply -= 1
            is_known = back_up_many(desk, ply)
        step(desk, ply)
        ply += 1
        desk.counts[ENTERING] = 1
        if nodes >= limit:
            desk.counts[PLY] = ply
            desk.counts[NODES] += nodes
            return UNKNOWN


@rule
def enter_many(desk: Desk, ply: int) -> bool:
    """Whether the value of a position is known; else its moves are listed."""
    s = desk.states[ply]
    row = ply * MAX_SEATS
    if is_leaf(desk, s):
        stand(desk, s)
        for seat in range(s.seats):
            desk.values[row + seat] = desk.points[seat]
        return True
    standing(s, desk.points)
    found = digest(s)
    for seat in range(s.seats):
        found = mix(found, int(desk.points[seat]))
    at = desk.table[place_of(desk, found)]
    if at.kind != 0 and at.key == found:
        for seat in range(s.seats):
            desk.values[row + seat] = at.value[seat]
        return True
    list_moves(desk, ply, -1)
    desk.frames[ply].key = found
    return False


@rule
def lead_at(values: Array, row: int, seats: int, seat: int) -> int:
    """How a seat stands to the best other one."""
    best = -FAR
    for other in range(seats):
        if other != seat:
            best = max(best, int(values[row + other]))
    return int(values[row + seat]) - best


@rule
def back_up_many(desk: Desk, ply: int) -> bool:
    """Tell a position what the move in hand came to; whether its value is clear now."""
    s = desk.states[ply]
    frame = desk.frames[ply]
    row = ply * MAX_SEATS
    seats = int(s.seats)
    value = lead_at(desk.values, row + MAX_SEATS, seats, int(frame.seat))
    move = move_in_hand(desk, ply)
    if frame.move < 0 or value > frame.best or (value == frame.best and move < frame.move):
        frame.best = value
        frame.move = move
        for seat in range(seats):
            desk.values[row + seat] = desk.values[row + MAX_SEATS + seat]
    if frame.i < frame.n:
        return False
    desk.counts[TOP] = frame.first
    at = desk.table[place_for(desk, int(frame.key))]
    at.key = frame.key
    for seat in range(seats):
        at.value[seat] = desk.values[row + seat]
    at.move = frame.move
    at.kind = EXACT
    return True


# Worlds ----------------------------------------------------------------------------------------

SET_UP, BEGIN, GO_ON, STAGE_OF, OUTLOOK, FORGET = range(6)


@rule
def work(desk: Desk, what: int, a: int, b: int, c: int, d: int) -> int:
    """All of it as one rule, so that it is compiled and loaded in one piece."""
    if what == GO_ON:
        return search_two(desk, a) if desk.states[0].seats == 2 else search_many(desk, a)
    if what == BEGIN:
        begin(desk, a, b, c, d)
    elif what == SET_UP:
        imagine(desk.states[0], a)
    elif what == OUTLOOK:
        return outlook(desk)
    elif what == FORGET:
        forget(desk)
    return stage(desk.states[0])


@rule
def forget(desk: Desk) -> None:
    """Begin as if nothing had been searched before."""
    for i in range(int(desk.counts[ROOM])):
        desk.table[i].key = 0
        desk.table[i].kind = 0
    for i in range(len(desk.tried)):
        desk.tried[i] = 0


@rule
def outlook(desk: Desk) -> int:
    """The middle of what seat 0's lead may come to."""
    standing(desk.states[0], desk.points)
    made = int(desk.points[0] - desk.points[1])
    bounds(desk.states[0], desk.points)
    return made + int(desk.points[0] + desk.points[1]) // 2


def desk_for(engine: Engine, entries: int) -> Desk:
    module, form = engine.game, engine.compiled
    return Desk(
        states=engine.states(PLIES + 2),
        frames=new_states(FRAME, PLIES + 2, form),
        counts=engine.array(COUNTS),
        moves=engine.array(MOVES_ROOM),
        merits=engine.array(MOVES_ROOM),
        tried=engine.array(MAX_SEATS * module.MOVES),
        table=new_states(ENTRY, entries, form),
        values=engine.array((PLIES + 2) * MAX_SEATS),
        out=engine.move_list(),
        points=engine.array(MAX_SEATS),
    )
