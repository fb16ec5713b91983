"""Random games for tests, and the list of all tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from mandalier.games import kernel
from mandalier.games.contract import SPECTATOR
from mandalier.games.engine import CHANCE, OVER, Engine, engine_of
from mandalier.games.game import GAMES, State, deal, game
from mandalier.games.record import loads, replay

OPTIONS: dict[str, dict[str, Any]] = {"dice": {"outcomes": "surrogate"}}
"""Options with which tests play a game: throws from the bank are a thousand times quicker."""

TABLES = [(name, seats) for name, found in GAMES.items() for seats in found.seats]
"""Every row of GAMES with every number of seats."""
GOLDEN_FOLDER = Path(__file__).parent / "golden"


def plays(name: str, seats: int, seed: int) -> Iterator[State]:
    """A random game, before every move and at its end."""
    chooser = random.Random(seed)
    state = deal(name, seats, seed, OPTIONS.get(name))
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


class Golden:
    """A golden record: a game, or the beginning of one, that contains what one rule is about."""

    def __init__(self, game_name: str, name: str) -> None:
        self.path = GOLDEN_FOLDER / game_name / f"{name}.jsonl"

    @property
    def record(self) -> dict[str, Any]:
        return loads(self.path.read_text(encoding="utf-8"))

    def at(self, ply: int) -> State:
        """The game before an entry; −1 is the last one, as in a list."""
        record = self.record
        return replay(record, range(len(record["moves"]))[ply])

    @property
    def end(self) -> State:
        """The game after all its entries."""
        return replay(self.record)

    @property
    def last(self) -> str:
        """The last move, without the seat."""
        return str(self.record["moves"][-1].partition(" ")[2])


class Goldens:
    """A game's golden records, each of which a test has to pin."""

    def __init__(self, game_name: str) -> None:
        self.game_name = game_name
        self.pinned: set[str] = set()

    def pins(self, *names: str) -> pytest.MarkDecorator:
        """Mark a test that gets each of these records as `golden`."""
        self.pinned.update(names)
        goldens = [Golden(self.game_name, name) for name in names]
        return pytest.mark.parametrize("golden", goldens, ids=names)

    @property
    def names(self) -> set[str]:
        """The records that are there."""
        return {path.stem for path in (GOLDEN_FOLDER / self.game_name).glob("*.jsonl")}
