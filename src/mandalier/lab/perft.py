"""Counting sequences of moves: the measure by which two engines of the same rules are compared.

A sequence counts if it has exactly the length asked for. Where chance comes between moves it is
drawn by the generator in the state, so the count belongs to a seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mandalier.games.contract import legal, play, resume, roll, waiting
from mandalier.games.engine import CHANCE
from mandalier.games.game import State
from mandalier.games.kernel import SCRIBBLE, Array, rule


@rule
def count_sequences(
    states: Array, lists: Array, at: Array, ends: Array, bank: Array, depth: int
) -> int:
    """The sequences of `depth` moves from states[0]; states[d] is the state d moves on.

    `lists` holds the moves of each level; at[d] and ends[d] say where level d stands in its part.
    """
    total = 0
    level = 0
    begin = 1
    while level >= 0:
        if begin == 1:
            begin = 0
            at[level] = 0
            ends[level] = list_all(states, lists[level], level)
            if level == depth - 1:
                total += ends[level]
                at[level] = ends[level]
        if at[level] == ends[level]:
            level -= 1
        else:
            entry = lists[level][at[level]]
            at[level] += 1
            states[level + 1] = states[level]
            after = states[level + 1]
            play(after, entry & 63, entry >> 6)
            while after.chance != 0:
                roll(after, bank)
                resume(after)
            level += 1
            begin = 1
    return total


@rule
def list_all(states: Array, out: Array, level: int) -> int:
    """List what every waiting seat may do, as 64 × move + seat."""
    s = states[level]
    may = waiting(s)
    n = 0
    for seat in range(s.seats):
        if (may >> seat) & 1 != 0:
            part = out[n:]
            count = legal(s, seat, part)
            for i in range(count):
                out[n + i] = part[i] << 6 | seat
            n += count
    return n


def perft(state: State, depth: int, progress: Callable[[int, int], None] | None = None) -> int:
    """The number of sequences of `depth` moves from here."""
    if depth < 1:
        return 1
    engine = state.game.fastest
    states = engine.states(depth + 2)
    width = state.game.module.MOVES * state.seats + SCRIBBLE
    lists = np.zeros((depth + 1, width), "i4")
    room = lists if engine.compiled else lists.tolist()
    at, ends = engine.array(depth + 1), engine.array(depth + 1)
    count = engine.bind(count_sequences)
    engine.write(state.look(), states)
    if depth == 1:
        return int(count(states, room, at, ends, engine.bank, 1))
    first = [(seat, number) for seat in state.waiting for number in state.numbers(seat)]
    total = 0
    for done, (seat, number) in enumerate(first):
        engine.write(state.look(), states)
        status = engine.play_at(states, 0, seat, number)
        while status == CHANCE:
            engine.roll_at(states, 0)
            status = engine.resume_at(states, 0)
        total += int(count(states, room, at, ends, engine.bank, depth - 1))
        if progress:
            progress(done + 1, len(first))
    return total
