"""One game's rules in one form, compiled or interpreted, over arrays of its states."""

from __future__ import annotations

from functools import cache, cached_property
from types import ModuleType
from typing import Any

from mandalier.games import contract, kernel
from mandalier.games.contract import (
    deal,
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

# A call from Python with an array and an index costs a quarter of one with a record, so these
# stand between Python and the rules.

CHANCE = 1 << 8
OVER = 1 << 9


@rule
def status_at(states: Array, i: int) -> int:
    """Who may move (bit i for seat i), with CHANCE and OVER."""
    s = states[i]
    if s.over != 0:
        return OVER
    if s.chance != 0:
        return CHANCE
    return waiting(s)


@rule
def legal_at(states: Array, i: int, seat: int, out: Array) -> int:
    return legal(states[i], seat, out)


@rule
def play_at(states: Array, i: int, seat: int, move: int) -> int:
    play(states[i], seat, move)
    return status_at(states, i)


@rule
def roll_at(states: Array, i: int, bank: Array) -> None:
    roll(states[i], bank)


@rule
def resume_at(states: Array, i: int) -> int:
    resume(states[i])
    return status_at(states, i)


@rule
def shuffle_up_at(states: Array, i: int, seats: int, seed: int) -> None:
    shuffle_up(states[i], seats, seed)


@rule
def lay_out_at(states: Array, i: int) -> int:
    lay_out(states[i])
    return status_at(states, i)


@rule
def deal_at(states: Array, i: int, seats: int, seed: int) -> None:
    deal(states[i], seats, seed)


@rule
def hide_at(states: Array, i: int, seat: int) -> None:
    hide(states[i], seat)


@rule
def imagine_at(states: Array, i: int, seed: int) -> None:
    imagine(states[i], seed)


@rule
def score_at(states: Array, i: int, out: Array) -> int:
    return score(states[i], out)


TABLE_RULES = (
    status_at,
    legal_at,
    play_at,
    roll_at,
    resume_at,
    shuffle_up_at,
    lay_out_at,
    score_at,
)
"""What a game at the table needs."""


class Engine:
    """A game's rules in one form. The functions are those above, bound to the game."""

    def __init__(self, game: ModuleType, compiled: bool) -> None:
        self.game = game
        self.compiled = compiled
        self.status_at = self.bind(status_at)
        self.legal_at = self.bind(legal_at)
        self.play_at = self.bind(play_at)
        self._roll_at = self.bind(roll_at)
        self.resume_at = self.bind(resume_at)
        self.shuffle_up_at = self.bind(shuffle_up_at)
        self.lay_out_at = self.bind(lay_out_at)
        self.deal_at = self.bind(deal_at)
        self.hide_at = self.bind(hide_at)
        self.imagine_at = self.bind(imagine_at)
        self.score_at = self.bind(score_at)

    def bind(self, fn: Any) -> Any:
        """A rule or driver in this engine's form."""
        return kernel.bind(fn, self.game, compiled=self.compiled)

    @cached_property
    def bank(self) -> Array:
        """What chance draws from (see `contract.roll`)."""
        data = self.game.bank() if hasattr(self.game, "bank") else contract.NO_BANK
        return data if self.compiled else data.tolist()

    def roll_at(self, states: Array, i: int) -> None:
        self._roll_at(states, i, self.bank)

    def states(self, n: int) -> Array:
        return kernel.new_states(self.game.STATE, n, self.compiled)

    def generators(self, n: int) -> Array:
        return kernel.new_states(kernel.GENERATOR, n, self.compiled)

    def array(self, n: int, dtype: str = "i8") -> Array:
        return kernel.new_array(dtype, n, self.compiled)

    def move_list(self) -> Array:
        """Room for every legal move of a state."""
        return self.array(self.game.MOVES + kernel.SCRIBBLE, "i2")

    def read(self, states: Array, i: int = 0) -> Any:
        """A copy of one state, as a twin."""
        if self.compiled:
            return kernel.to_twin(states[i])
        copy = kernel.new_states(self.game.STATE, 1, False)
        copy[0] = states[i]
        return copy[0]  # type: ignore[no-any-return]

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
        self.score_at(states, 0, self.array(contract.MAX_SEATS))


@cache
def engine_of(game: ModuleType, compiled: bool) -> Engine:
    """The engine of a game module in this form."""
    return Engine(game, compiled)
