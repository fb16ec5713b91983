"""The end of Mandala Stones, for exact search: the last round, and scoring once no artist can be
given a stone any more."""

from __future__ import annotations

from mandalier.games.contract import NOT_EXACT, STANDING
from mandalier.games.kernel import Array, Record, mix, rule
from mandalier.games.stones.rules import (
    COLUMNS,
    STACKS,
    STONES,
    can_pick,
    height,
    is_last_round,
    score,
)

MOST_A_STONE = 6  # a stone scores no more than this, its space in the mandala apart


@rule
def stage(s: Record) -> int:
    """In the last round each seat has one turn at most. And where no artist can be given a stone,
    none ever moves again: all that is left is on the boards."""
    return 1 if is_last_round(s) or not can_pick(s) else NOT_EXACT


@rule
def standing(s: Record, out: Array) -> None:
    score(s, out)
    for seat in range(s.seats):
        out[seat] *= STANDING
        if s.over != 0:
            out[seat] += s.seats - 1 - seat  # a tie goes to the earlier seat


@rule
def digest(s: Record) -> int:
    h = mix(int(s.turn), int(s.over) << 20 | int(s.laid_n) << 8 | int(s.hands[s.seats - 2]))
    h = mix(h, int(s.artists[0]) << 16 | int(s.artists[1]))
    for seat in range(s.seats):
        for k in range(2):
            card = int(s.objective[seat][k])
            h = mix(h, card << 8 | (int(s.worth[card - 1]) if card > 0 else 0))
        for column in range(COLUMNS):
            h = mix(h, int(s.tower[seat][column]))
    for i in range(0, STACKS, 3):
        h = mix(h, s.stack[i] << 32 | s.stack[i + 1] << 16 | s.stack[i + 2])
    word = 0
    for space in range(s.laid_n, STONES):
        word = word << 5 | int(s.plus[space])
        if word >= 1 << 50:
            h = mix(h, word)
            word = 0
    return mix(h, word)


@rule
def bounds(s: Record, out: Array) -> None:
    """No seat can make more than what its stones and all spaces to come are worth, in the stacks
    and on its board."""
    gifts = 0
    for space in range(s.laid_n, STONES):
        gifts += s.plus[space]
    best = 0
    for card in range(len(s.worth)):
        best = max(best, int(s.worth[card]))
    for seat in range(2):
        stones = 4 * COLUMNS if can_pick(s) else 0
        for column in range(COLUMNS):
            stones += height(int(s.tower[seat][column]))
        most = STANDING * (MOST_A_STONE * stones + gifts + best) + 2
        out[1 - seat] = most if seat == 0 else -most
