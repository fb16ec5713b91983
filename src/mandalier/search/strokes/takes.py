"""Collecting, searched to the end: every set of takes a seat can make, in every order that matters.

A take with a die too many is never better than without it: the die left over still counts in
contests and may take something else. So only the smallest sets of dice are tried, with each card
that may boost them. What a set of takes is worth is appraised after the others have collected too,
so a card may be taken because another seat would have it.
"""

from __future__ import annotations

from mandalier.games.dice.rules import (
    cells_to_take,
    dice_touch,
    play,
    sum_of,
    take,
)
from mandalier.games.dice.state import BOOSTS, CANVASES, COLLECT, DICE, DONE_MOVE
from mandalier.games.kernel import Array, Record, bits_in, rule
from mandalier.search.strokes.mind import appraise_hands, lead_of
from mandalier.search.strokes.quick import corner_of, quick_collect

MOST_TAKES = 4096
"""Room for the takes of one position."""
SEEN = 1 << 14
"""Room for the positions already looked at."""
LEAD_COUNTS = 0.002
"""What a point of lead counts beside the chance to win."""

# The place of the search between two calls
DEPTH, NODES, SEEN_N, AT, COUNT = 0, 1, 2, 4, 12
PLACE = 20

# What is kept of each first move (0: done at once; i: take i − 1): the best that can follow it
R_N, R_VALUE, R_WIN, R_LEAD, R_LINE, R_HANDS = 0, 1, 2, 3, 4, 4 + DICE
RESULT = R_HANDS + 4


@rule
def list_smallest(s: Record, seat: int, out: Array, first: int) -> int:
    """The seat's takes by sets of dice none of which could be left out."""
    free = cells_to_take(s, seat)
    n = 0
    if free == 0:
        return 0
    for dice in range(1, 1 << DICE):
        cells = dice_touch(s, seat, dice) & free
        if cells == 0:
            continue
        total = sum_of(s, seat, dice)
        spare = total - least_face(s, seat, dice) if dice & (dice - 1) != 0 else -99
        while cells != 0:
            lowest = cells & -cells
            cells -= lowest
            cell = bits_in(lowest - 1)
            value = int(s.value[s.grid[cell]])
            which = ((dice - 1) * 4 + corner_of(s, cell)) * BOOSTS
            if total >= value:
                if spare < value and n < MOST_TAKES:
                    out[first + n] = which
                    n += 1
                continue
            hand = int(s.hand[seat])
            while hand != 0:
                low = hand & -hand
                hand -= low
                card = bits_in(low - 1)
                helps = int(s.value[card])
                if total + helps >= value > spare + helps and n < MOST_TAKES:
                    out[first + n] = which + card
                    n += 1
    return n


@rule
def least_face(s: Record, seat: int, dice: int) -> int:
    least = 6
    for die in range(DICE):
        if (dice >> die) & 1 != 0:
            least = min(least, int(s.face[seat][die]))
    return least


@rule
def key_of(s: Record, seat: int, first: int) -> int:
    """A number for what can still be taken; equal positions have equal ones."""
    key = first + 1
    key = (key * 1000003 + (int(s.hand[seat]) & 0xFFFFFF)) & 0x3FFFFFFFFFF
    key = (key * 1000003 + (int(s.hand[seat]) >> 24)) & 0x3FFFFFFFFFF
    for die in range(DICE):
        key = (key * 7 + int(s.face[seat][die])) & 0x3FFFFFFFFFF
    for cell in range(CANVASES):
        key = (key * 1000003 + int(s.grid[cell])) & 0x3FFFFFFFFFF
    return key + 1


@rule
def is_new(key: int, seen: Array, place: Array) -> bool:
    """Whether a position is met for the first time; it is noted."""
    at = key & (SEEN - 1)
    while seen[at] != 0:
        if seen[at] == key:
            return False
        at = (at + 1) & (SEEN - 1)
    if place[SEEN_N] < SEEN * 3 // 4:
        seen[at] = key
        place[SEEN_N] += 1
    return True


@rule
def value_here(states: Array, m: Record, depth: int) -> float:
    """What it is worth to be done in states[2 + depth], when the others have collected too."""
    states[1] = states[2 + depth]
    s = states[1]
    seat = int(m.seat)
    this = int(s.round)
    play(s, seat, DONE_MOVE)
    while s.phase == COLLECT and s.round == this:
        quick_collect(s, m)
    appraise_hands(s, m)
    return float(m.win[seat] + LEAD_COUNTS * lead_of(s, m, seat))


@rule
def note_value(
    states: Array, m: Record, depth: int, takes: Array, place: Array, found: Array
) -> None:
    """Value the takes so far, and keep them if they are the best after their first."""
    value = value_here(states, m, depth)
    s = states[1]
    first = int(place[AT]) if depth > 0 else 0
    at = first * RESULT
    found[at + R_N] += 1.0
    if found[at + R_N] > 1.0 and value <= found[at + R_VALUE]:
        return
    found[at + R_VALUE] = value
    found[at + R_WIN] = m.win[m.seat]
    found[at + R_LEAD] = lead_of(s, m, int(m.seat))
    for i in range(DICE):
        took = 0.0
        if i < depth:
            took = takes[i * MOST_TAKES + place[AT + i] - 1] + 1.0
        found[at + R_LINE + i] = took
    for seat in range(s.seats):
        found[at + R_HANDS + seat] = float(s.hand[seat])


@rule
def search_takes(
    states: Array,
    minds: Array,
    takes: Array,
    seen: Array,
    place: Array,
    found: Array,
    nodes: int,
) -> bool:
    """Go on with the search of the takes in states[2], for so many positions; whether all is
    searched. A new search has `place`, `seen` and `found` full of zeros."""
    m = minds[0]
    seat = int(m.seat)
    if place[NODES] == 0:
        note_value(states, m, 0, takes, place, found)
        place[COUNT] = list_smallest(states[2], seat, takes, 0)
        place[NODES] = 1
    for _ in range(nodes):
        depth = int(place[DEPTH])
        if place[AT + depth] == place[COUNT + depth]:
            if depth == 0:
                return True
            place[DEPTH] = depth - 1
            continue
        which = int(takes[depth * MOST_TAKES + place[AT + depth]])
        place[AT + depth] += 1
        states[3 + depth] = states[2 + depth]
        s = states[3 + depth]
        take(s, seat, which)
        if not is_new(key_of(s, seat, int(place[AT])), seen, place):
            continue
        place[NODES] += 1
        depth += 1
        note_value(states, m, depth, takes, place, found)
        if depth < DICE:
            place[DEPTH] = depth
            place[AT + depth] = 0
            place[COUNT + depth] = list_smallest(s, seat, takes, depth * MOST_TAKES)
    return False
