"""Random games for tests, and the list of all tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from mandalier.games import kernel
from mandalier.games.contract import SPECTATOR
from mandalier.games.engine import CHANCE, OVER, Engine, engine_of
from mandalier.games.game import GAMES, State, deal, game

TABLES = [(name, seats) for name, found in GAMES.items() for seats in found.seats]
"""Every row of GAMES with every number of seats."""


def plays(name: str, seats: int, seed: int) -> Iterator[State]:
    """A random game, before every move and at its end."""
    chooser = random.Random(seed)
    state = deal(name, seats, seed)
    yield state
    while not state.over:
        seat = chooser.choice(state.waiting)
        state.play(chooser.choice(state.legal(seat)), seat)
        yield state


def some_state(name: str, seats: int, seed: int, plies: int) -> State:
    """A state some moves into a random game (or its end, if that comes first)."""
    *_, state = islice(plays(name, seats, seed), plies + 1)
    return state


def viewers(seats: int) -> list[int]:
    return [*range(seats), SPECTATOR]


def state_bytes(state: State) -> bytes:
    """The bytes of a state but for its generator, which a record does not tell."""
    s = state.look()
    s.rng = [0] * 4
    return kernel.to_bytes(s)


def hidden(name: str, s: Any, seat: int) -> Any:
    """A copy of a twin, hidden for a seat."""
    copy = kernel.new_states(game(name).module.STATE, 1, False)
    copy[0] = s
    game(name).module.hide(copy[0], seat)
    return copy[0]


def engine_game(engine: Engine, seats: int, seed: int, plies: int = 10_000) -> Iterator[bytes]:
    """The bytes after the deal and after every move of a random game by one engine."""
    states, out = engine.states(1), engine.move_list()
    s = engine.read(states)
    engine.game.apply_options(s, {})
    engine.write(s, states)
    chooser = random.Random(seed)
    engine.deal_at(states, 0, seats, seed)
    status = engine.status_at(states, 0)
    yield kernel.to_bytes(engine.read(states))
    while status != OVER and plies:
        if status == CHANCE:
            engine.roll_at(states, 0)
            status = engine.resume_at(states, 0)
        else:
            seat = chooser.choice([i for i in range(seats) if status >> i & 1])
            n = engine.legal_at(states, 0, seat, out)
            status = engine.play_at(states, 0, seat, int(out[chooser.randrange(n)]))
        plies -= 1
        yield kernel.to_bytes(engine.read(states))


def engines(name: str) -> tuple[Engine, Engine]:
    """The compiled and the interpreted engine of a game."""
    module = game(name).module
    return engine_of(module, True), engine_of(module, False)
