"""One game's rules in one form, compiled or interpreted, over arrays of its states."""

from __future__ import annotations

import threading
from functools import cache, cached_property
from types import ModuleType
from typing import Any

from mandalier.games import contract, kernel, sketch
from mandalier.games.contract import (
    hide,
    imagine,
    lay_out,
    legal,
    play,
    resume,
    roll,
    score,
    shuffle_up,
    waiting,
)
from mandalier.games.kernel import Array, Twin, rule

CHANCE = 1 << 8
OVER = 1 << 9

# What `act` can be asked for
LEGAL, PLAY, SHUFFLE_UP, LAY_OUT, ROLL, RESUME, SCORE, STATUS = range(8)


@rule
def act(states: Array, i: int, what: int, a: int, b: int, out: Array, bank: Array) -> int:
    """All a game at the table needs, as one rule: it is compiled and loaded in one piece, and a
    call from Python with an array and an index costs a quarter of one with a record."""
    s = states[i]
    if what == LEGAL:
        return legal(s, a, out)
    if what == SCORE:
        return score(s, out)
    if what == PLAY:
        play(s, a, b)
    elif what == ROLL:
        roll(s, bank)
    elif what == RESUME:
        resume(s)
    elif what == SHUFFLE_UP:
        shuffle_up(s, a, b)
    elif what == LAY_OUT:
        lay_out(s)
    if s.over != 0:
        return OVER
    if s.chance != 0:
        return CHANCE
    return waiting(s)


@rule
def hide_at(states: Array, i: int, seat: int) -> None:
    hide(states[i], seat)


@rule
def imagine_at(states: Array, i: int, seed: int) -> None:
    imagine(states[i], seed)


class Engine:
    """A game's rules in one form. A status says who may move (bit i for seat i), or CHANCE or
    OVER."""

    def __init__(self, game: ModuleType, compiled: bool) -> None:
        self.game = game
        self.compiled = compiled
        self._act = self.bind(act)
        self._out = self.move_list()
        self._by_thread = threading.local()

    def status_at(self, states: Array, i: int) -> int:
        return int(self._act(states, i, STATUS, 0, 0, self._out, self.bank))

    def legal_at(self, states: Array, i: int, seat: int, out: Array) -> int:
        """List the seat's legal moves in `out` (a `move_list`); how many there are."""
        return self._act(states, i, LEGAL, seat, 0, out, self.bank)  # type: ignore[no-any-return]

    def play_at(self, states: Array, i: int, seat: int, move: int) -> int:
        """Play a move; the status after it."""
        return self._act(states, i, PLAY, seat, move, self._out, self.bank)  # type: ignore[no-any-return]

    def roll_at(self, states: Array, i: int) -> None:
        self._act(states, i, ROLL, 0, 0, self._out, self.bank)

    def resume_at(self, states: Array, i: int) -> int:
        return int(self._act(states, i, RESUME, 0, 0, self._out, self.bank))

    def shuffle_up_at(self, states: Array, i: int, seats: int, seed: int) -> None:
        self._act(states, i, SHUFFLE_UP, seats, seed, self._out, self.bank)

    def lay_out_at(self, states: Array, i: int) -> int:
        return int(self._act(states, i, LAY_OUT, 0, 0, self._out, self.bank))

    def deal_at(self, states: Array, i: int, seats: int, seed: int) -> int:
        """Deal into a record full of zeros but for its options; the status."""
        self.shuffle_up_at(states, i, seats, seed)
        return self.lay_out_at(states, i)

    def score_at(self, states: Array, i: int) -> tuple[list[int], int]:
        """The points of each possible seat, and the winners as bits."""
        winners = int(self._act(states, i, SCORE, 0, 0, self._out, self.bank))
        return [int(n) for n in self._out[: contract.MAX_SEATS]], winners

    def bind(self, fn: Any) -> Any:
        """A rule or driver in this engine's form."""
        return kernel.bind(fn, self.game, compiled=self.compiled)

    @cached_property
    def hide_at(self) -> Any:
        """hide_at(states, i, seat)"""
        return self.bind(hide_at)

    def sketched_at(self, states: Array, i: int, seat: int) -> bytes:
        """What `describe` tells of the state a seat sees, as JSON without its outer brackets; empty
        if the game tells it by `describe` alone."""
        if self._sketch is None:
            return b""
        rooms = getattr(self._by_thread, "sketching", None)
        if rooms is None:
            rooms = self._by_thread.sketching = self.states(1), self.array(sketch.LONGEST, "u1")
        hidden, out = rooms
        n = self._sketch(states, i, hidden, seat, out)
        return out[:n].tobytes() if self.compiled else bytes(out[:n])

    @cached_property
    def _sketch(self) -> Any:
        return self.bind(sketch.sketch_at) if hasattr(self.game, "sketch") else None

    @cached_property
    def imagine_at(self) -> Any:
        """imagine_at(states, i, seed)"""
        return self.bind(imagine_at)

    @cached_property
    def bank(self) -> Array:
        """What chance draws from (see `contract.roll`)."""
        data = self.game.bank() if hasattr(self.game, "bank") else contract.NO_BANK
        return data if self.compiled else data.data  # a list of it takes 70 MB and a while

    def states(self, n: int) -> Array:
        return kernel.new_states(self.game.STATE, n, self.compiled)

    def generators(self, n: int) -> Array:
        return kernel.new_states(kernel.GENERATOR, n, self.compiled)

    def array(self, n: int, dtype: str = "i8") -> Array:
        return kernel.new_array(dtype, n, self.compiled)

    def move_list(self) -> Array:
        """Room for every legal move of a state."""
        return self.array(self.game.MOVES + kernel.SCRIBBLE, "i2")

    @property
    def room(self) -> Array:
        """A `move_list` that this thread may use until it asks for something else: one a state would
        be most of what a table takes."""
        room = getattr(self._by_thread, "room", None)
        if room is None:
            room = self._by_thread.room = self.move_list()
        return room

    def read(self, states: Array, i: int = 0) -> Any:
        """A copy of one state, as a twin."""
        if self.compiled:
            return kernel.to_twin(states[i])
        copy = kernel.new_states(self.game.STATE, 1, False)
        copy[0] = states[i]
        return copy[0]

    def write(self, s: Twin, states: Array, i: int = 0) -> None:
        """Put a twin into an array."""
        if self.compiled:
            kernel.to_row(s, states[i])
        else:
            states[i] = s

    def warm(self, seats: int) -> None:
        """Compile (or load) what a game at the table needs, by playing one."""
        states, moves = self.states(1), self.move_list()
        s = self.read(states)
        self.game.apply_options(s, {})
        self.write(s, states)
        self.shuffle_up_at(states, 0, seats, 0)
        status = self.lay_out_at(states, 0)
        while not status & OVER:
            if status & CHANCE:
                self.roll_at(states, 0)
                status = self.resume_at(states, 0)
            else:
                seat = (status & -status).bit_length() - 1
                self.legal_at(states, 0, seat, moves)
                status = self.play_at(states, 0, seat, int(moves[0]))
        self.score_at(states, 0)

    def warm_sketch(self) -> None:
        """Compile (or load) what tells views to a server's clients."""
        self.sketched_at(self.states(1), 0, 0)


@cache
def engine_of(game: ModuleType, compiled: bool) -> Engine:
    """The engine of a game module in this form."""
    return Engine(game, compiled)
