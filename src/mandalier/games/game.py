"""The games as Python plays them: deal, look, move, read the result.

    state = mandalier.deal("sand", seed=7)
    state.legal()          # ['m1r', 'm1o', …]
    state.play("m1r")
    state.view(1)          # what seat 1 may know
    state.result           # None until the game is over
    state.record()         # the whole game, as data

A `State` is one game at the table, a `View` what one seat (or a spectator) may know of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from mandalier.games import kernel
from mandalier.games.contract import MAX_SEATS, SPECTATOR
from mandalier.games.engine import CHANCE, OVER, Engine, engine_of
from mandalier.games.errors import IllegalMove, MandalierError, PositionError
from mandalier.games.position import Paint, plain, read_position, write_position
from mandalier.games.words import listed_or, say, say_n

RECORD_VERSION = 1
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str


class Game:
    """One of the games: its names, its module and its engines."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self._module = module
        self._ready: Engine | None = None
        self._warming: kernel.WarmUp | None = None

    @cached_property
    def module(self) -> ModuleType:
        return import_module(self._module)

    @property
    def title(self) -> str:
        return str(self.module.TITLE)

    @property
    def seats(self) -> range:
        seats: range = self.module.SEATS
        return seats

    @property
    def interpreted(self) -> Engine:
        return engine_of(self.module, False)

    @property
    def compiled(self) -> Engine:
        """The compiled engine; its first use compiles, which takes seconds on a new machine."""
        return engine_of(self.module, True)

    @property
    def fastest(self) -> Engine:
        """For long work: compiled wherever rules can be compiled."""
        compiles = kernel.can_compile() and kernel.numba_works()
        return self.compiled if compiles else self.interpreted

    @property
    def at_hand(self) -> Engine:
        """For the table: compiled once `warm_up` is through, interpreted until then."""
        return self._ready or self.interpreted

    def load(self) -> None:
        """Compile, or read from the cache, what a game at the table needs; then use it."""
        if self._ready is None and kernel.can_compile() and kernel.numba_works():
            self.compiled.warm(self.seats[0])
            self._ready = self.compiled

    def load_all(self) -> None:
        """The same, and what tells of it to a server's clients."""
        if kernel.can_compile() and kernel.numba_works():
            self.compiled.warm_sketch()
        self.load()

    def warm_up(self) -> kernel.WarmUp | None:
        """Get the compiled rules ready in the background, once, while the twin plays."""
        if self._ready is not None or not kernel.can_compile():
            return None
        if self._warming is None:
            self._warming = kernel.WarmUp([self.name], self.load_all)
        return self._warming

    def check_seats(self, seats: int | None) -> int:
        if seats is None:
            return self.seats[0]
        if type(seats) is not int or seats not in self.seats:
            numbers = listed_or([str(n) for n in self.seats])
            text = say(
                "{game} is for {numbers} seats, not {n}",
                game=self.name,
                numbers=numbers,
                n=repr(seats),
            )
            raise MandalierError(text)
        return seats

    def check_options(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        if given is not None and not isinstance(given, Mapping):
            raise MandalierError(
                say("options are names with values, not {found}", found=repr(given))
            )
        try:
            checked: dict[str, Any] = self.module.options(dict(given or {}))
        except ValueError as error:
            raise MandalierError(str(error)) from None
        return checked


GAMES: dict[str, Game] = {
    name: Game(name, f"mandalier.games.{name}") for name in ("sand", "stones", "pyramids", "dice")
}


def game(name: str) -> Game:
    """The game of this name."""
    if name not in GAMES:
        there_are = listed_or(list(GAMES))
        raise MandalierError(
            say("there is no game {name}; it is {games}", name=repr(name), games=there_are)
        )
    return GAMES[name]


def check_seed(seed: int | None) -> int:
    """The seed, or a fresh one."""
    if seed is None:
        import secrets

        return secrets.randbelow(LARGEST_SEED)
    if type(seed) is not int or not 0 <= seed <= LARGEST_SEED:
        text = say(
            "a seed is a whole number from 0 to {largest}, not {seed}",
            largest=LARGEST_SEED,
            seed=repr(seed),
        )
        raise MandalierError(text)
    return seed


def draw_chance(engine: Engine, states: Any, options: Mapping[str, Any]) -> tuple[str, bytes]:
    """Draw the outcome of chance that is due in states[0], by the generator there; return its
    text. A game may have it from outside its rules (a simulation of physics), with how it came
    about, for a screen."""
    module = engine.game
    s = engine.read(states)
    from_outside = getattr(module, "outcome", None)
    found = from_outside(s, options) if from_outside else None
    if found is None:
        engine.roll_at(states, 0)
        return str(module.chance_text(engine.read(states))), b""
    outcome, path = found
    module.set_chance(s, outcome)
    engine.write(s, states)
    return str(outcome), bytes(path)


Drawer = Callable[["View"], str]
_drawer: Drawer | None = None


def draw_with(drawer: Drawer) -> None:
    """Have views drawn as SVG in notebooks. (Games know nothing of pictures.)"""
    global _drawer
    _drawer = drawer


class Position:
    """What a State and a View have in common."""

    game: Game

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows."""
        return _drawer(self._seen()) if _drawer else None

    def _seen(self) -> View:
        raise NotImplementedError

    def look(self) -> Any:
        """A copy of the state as a twin: plain numbers and lists, by the names in the module."""
        raise NotImplementedError

    @property
    def position(self) -> str:
        """The position as one line of text, which `mandalier.position` reads back."""
        return write_position(self.game.name, self.game.module, self.look())

    def show(self, paint: Paint = plain) -> str:
        """The position as lines of text; `paint` may add colour."""
        s = self.look()
        return "\n".join([self._headline(s), *self.game.module.board(s, paint)])

    def _headline(self, s: Any) -> str:
        module = self.game.module
        parts = [f"{self.game.name} ({module.TITLE})"]
        if s.viewer:
            seen_by = s.viewer - 1
            parts.append(
                say("as a spectator sees it")
                if seen_by == SPECTATOR
                else say("as seat {seat} sees it", seat=seen_by)
            )
        parts.append(self._situation(s))
        return ", ".join(parts)

    def _situation(self, s: Any) -> str:
        module = self.game.module
        if s.over:
            return say("over ({reason})", reason=module.REASONS[s.over - 1])
        if s.chance:
            return say("chance to be drawn")
        seats = [seat for seat in range(s.seats) if module.waiting(s) >> seat & 1]
        return say_n(
            "seat {seats} to move", "seats {seats} to move", len(seats), seats=_seats(seats)
        )

    def __repr__(self) -> str:
        return f"<{self.show()}>"


def _seats(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats))


class View(Position):
    """What one seat, or a spectator, may know of a game. It is made by `State.view`."""

    def __init__(self, game: Game, hidden: Any) -> None:
        if not hidden.viewer:
            raise TypeError("a view is made from a hidden state, and this one is full")
        self.game = game
        self._hidden = hidden

    def look(self) -> Any:
        return kernel.twin_copy(self._hidden)

    @property
    def hidden(self) -> Any:
        """The record, not to be changed; `look` gives a copy."""
        return self._hidden

    def _seen(self) -> View:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.game is other.game and self._hidden == other._hidden

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restored_view, (self.game.name, kernel.to_bytes(self._hidden))

    @property
    def seat(self) -> int:
        """The seat it is for, or SPECTATOR."""
        return int(self._hidden.viewer) - 1

    def legal(self) -> list[str]:
        """The seat's legal moves; none when it is not its turn."""
        module = self.game.module
        out = [0] * module.MOVES
        n = module.legal(self._hidden, self.seat, out)
        return [module.text(self._hidden, move) for move in out[:n]]

    def explain(self, move: str, seat: int | None = None) -> str:
        """What a legal move of this seat, or of another, does: in words, from what is known here."""
        module, s = self.game.module, self._hidden
        seat = self.seat if seat is None else seat
        number, arguments = _parse(self.game, move)
        if arguments:  # one of the listed moves may have just this text
            out = [0] * (module.MOVES + kernel.SCRIBBLE)
            listed = out[: module.legal(s, seat, out)]
            number = next((n for n in listed if module.text(s, n) == move), number)
        return str(module.explain(s, seat, number))

    def describe(self) -> dict[str, Any]:
        """The view as plain data with names, for JSON."""
        s, module = self._hidden, self.game.module
        waiting = tuple(seat for seat in range(s.seats) if module.waiting(s) >> seat & 1)
        common = _common(self.game, s.seats, self.seat, waiting, s.over)
        return {**common, **module.describe(s)}

    def sums(self, seat: int) -> list[tuple[str, int]]:
        """What a seat's points are made of, as far as this viewer knows: words and points."""
        if type(seat) is not int or not 0 <= seat < self._hidden.seats:
            raise MandalierError(say("there is no seat {seat} at this table", seat=seat))
        parts: list[tuple[str, int]] = self.game.module.sums(self._hidden, seat)
        return parts

    def imagine(self, seed: int | None = None) -> State:
        """One full world that this viewer cannot rule out."""
        engine = self.game.interpreted
        states = engine.states(1)
        states[0] = self._hidden
        engine.imagine_at(states, 0, check_seed(seed))
        return State(self.game, engine, states)


def _common(
    game: Game, seats: int, viewer: int, waiting: tuple[int, ...], over: int
) -> dict[str, Any]:
    """What is told of a view of any game."""
    return {
        "game": game.name,
        "rules": game.module.RULES,
        "seats": seats,
        "viewer": None if viewer == SPECTATOR else viewer,
        "waiting": list(waiting),
        "over": game.module.REASONS[over - 1] if over else None,
    }


@lru_cache(maxsize=4096)
def _common_json(game: Game, seats: int, viewer: int, waiting: tuple[int, ...], over: int) -> bytes:
    """The same as JSON, without what the game tells by these names in its own way."""
    told = _common(game, seats, viewer, waiting, over)
    own = _own_names(game)
    told = {name: value for name, value in told.items() if name not in own}
    return json.dumps(told, separators=(",", ":")).encode()[:-1]


@cache
def _own_names(game: Game) -> frozenset[str]:
    """What a game's sketch tells, by its names."""
    state = State.dealt(game, None, 0, None)
    sketched = state._engine.sketched_at(state._states, 0, SPECTATOR)
    return frozenset(json.loads(b"{%b}" % sketched))


def _parse(game: Game, text: str) -> tuple[int, Sequence[int]]:
    try:
        parsed: tuple[int, Sequence[int]] = game.module.parse(text)
    except ValueError as error:
        raise IllegalMove(repr(text), str(error)) from None
    return parsed


WAITING = tuple(
    tuple(seat for seat in range(MAX_SEATS) if status >> seat & 1)
    for status in range(1 << MAX_SEATS)
)
"""[status] the seats that may move."""


class State(Position):
    """One game at the table."""

    def __init__(self, game: Game, engine: Engine, states: Any, status: int | None = None) -> None:
        self.game = game
        self._engine = engine
        self._states = states
        self._legal: dict[int, list[int]] = {}
        self._status: int = engine.status_at(states, 0) if status is None else status
        self._setup: dict[str, Any] | None = None
        self._options: dict[str, Any] = {}
        self._log: list[str] = []
        self._path = b""
        self._seats: int | None = None

    # Setting up

    @classmethod
    def dealt(
        cls, game: Game, seats: int | None, seed: int | None, options: Mapping[str, Any] | None
    ) -> State:
        """A fresh game from a seed."""
        engine = game.at_hand
        states, checked = cls._empty(game, engine, options)
        engine.shuffle_up_at(states, 0, game.check_seats(seats), check_seed(seed))
        return cls._laid_out(game, engine, states, checked)

    @classmethod
    def from_setup(
        cls, game: Game, seats: int, setup: Mapping[str, Any], options: Mapping[str, Any], seed: int
    ) -> State:
        """A game from a known setup; the seed is for chance to come. Raises ValueError."""
        engine = game.at_hand
        states, checked = cls._empty(game, engine, options)
        s = engine.read(states)
        game.module.set_up(s, game.check_seats(seats), setup)
        kernel.seed_generator(s, check_seed(seed), 0)
        engine.write(s, states)
        return cls._laid_out(game, engine, states, checked)

    @staticmethod
    def _empty(
        game: Game, engine: Engine, options: Mapping[str, Any] | None
    ) -> tuple[Any, dict[str, Any]]:
        checked = game.check_options(options)
        states = engine.states(1)
        s = engine.read(states)
        game.module.apply_options(s, checked)
        engine.write(s, states)
        return states, checked

    @classmethod
    def _laid_out(cls, game: Game, engine: Engine, states: Any, options: dict[str, Any]) -> State:
        setup = game.module.setup(engine.read(states))
        engine.lay_out_at(states, 0)
        made = cls(game, engine, states)
        made._setup, made._options = setup, options
        return made

    def copy(self) -> State:
        """The same game, to be played on apart from this one."""
        states = self._engine.states(1)
        states[0] = self._states[0]
        made = State(self.game, self._engine, states, self._status)
        made._setup, made._options, made._log = self._setup, self._options, self._log[:]
        made._legal, made._seats = self._legal.copy(), self._seats
        return made

    def __eq__(self, other: object) -> bool:
        """Whether two games stand the same and came the same way."""
        if not isinstance(other, State):
            return NotImplemented
        mine, theirs = (state.__reduce__()[1] for state in (self, other))
        return mine == theirs

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        s = kernel.to_bytes(self.look())
        return _restored, (self.game.name, s, self._setup, self._options, tuple(self._log))

    # Looking

    def look(self) -> Any:
        return self._engine.read(self._states)

    def _seen(self) -> View:
        """In a notebook a game is seen by the seat that is to move."""
        return self.view(self.waiting[0] if self.waiting else 0)

    @property
    def seats(self) -> int:
        if self._seats is None:
            first = self._states[0]
            self._seats = int(first["seats"] if self._engine.compiled else first.seats)
        return self._seats

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that may move now."""
        if self._status >= CHANCE:
            return ()
        return WAITING[self._status]

    @property
    def over(self) -> bool:
        return bool(self._status & OVER)

    @property
    def chance_due(self) -> bool:
        """Whether chance comes next: only in a game replayed up to just before it."""
        return bool(self._status & CHANCE)

    @property
    def log(self) -> tuple[str, ...]:
        """The entries of the record: who, a space, what."""
        return tuple(self._log)

    @property
    def plies(self) -> int:
        """How many entries the log has."""
        return len(self._log)

    def entries(self, first: int) -> list[str]:
        """The log from an entry on."""
        return self._log[first:]

    @property
    def scores(self) -> tuple[int, ...]:
        """The points as they stand."""
        return self._score()[0]

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it runs."""
        if not self.over:
            return None
        scores, winners = self._score()
        module = self.game.module
        return Result(scores, winners, module.REASONS[self.look().over - 1])

    def _score(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        points, winners = self._engine.score_at(self._states, 0)
        seats = self.seats
        return tuple(points[:seats]), tuple(seat for seat in range(seats) if winners >> seat & 1)

    def view(self, seat: int = SPECTATOR) -> View:
        """What a seat may know; a spectator's view if no seat is named."""
        if seat != SPECTATOR:
            self._known_seat(seat)
        s = self.look()
        self.game.module.hide(s, seat)
        return View(self.game, s)

    def _known_seat(self, seat: int) -> None:
        if type(seat) is not int or not 0 <= seat < self.seats:
            raise MandalierError(say("there is no seat {seat} at this table", seat=repr(seat)))

    def sketch(self, seat: int = SPECTATOR) -> bytes | None:
        """What `view(seat).describe()` tells, as JSON, at once; None if there is no such way here:
        in this game, or as its rules are not compiled."""
        engine = self._engine
        sketched = engine.sketched_at(self._states, 0, seat) if engine.compiled else b""
        if not sketched:
            return None
        over = self.look().over if self.over else 0
        common = _common_json(self.game, self.seats, seat, self.waiting, over)
        return b"%b,%b}" % (common, sketched)

    # Playing

    def legal(self, seat: int | None = None) -> list[str]:
        """A seat's legal moves; without a seat, those of the one to move."""
        if seat is None:
            if not self.waiting:
                return []
            seat = self._the_waiting_seat()
        table = self.game.module.__dict__.get("MOVE_TEXTS")
        if table is not None:
            return [table[move] for move in self.numbers(seat)]
        s, text = self.look(), self.game.module.text
        return [text(s, move) for move in self.numbers(seat)]

    def numbers(self, seat: int) -> list[int]:
        """The numbers of a seat's legal moves, ascending."""
        found = self._legal.get(seat)
        if found is None:
            self._known_seat(seat)
            room = self._engine.room
            moves = room[: self._engine.legal_at(self._states, 0, seat, room)]
            found = self._legal[seat] = moves.tolist() if self._engine.compiled else moves
        return found

    def _the_waiting_seat(self) -> int:
        waiting = self.waiting
        if len(waiting) != 1:
            raise MandalierError(
                say("seats {seats} may move: say which one", seats=_seats(waiting))
            )
        return waiting[0]

    def play(self, move: str, seat: int | None = None) -> None:
        """Play a move, and whatever chance follows it. Without a seat, for the one to move."""
        self.move(move, seat)
        while self._status & CHANCE:
            self.roll()

    def move(self, move: str, seat: int | None = None) -> None:
        """Play a move and leave the chance that may follow it to `roll`."""
        if seat is None:
            status = self._status
            if status >= CHANCE or status & (status - 1):
                seat = self._who(move)
            else:
                seat = status.bit_length() - 1
        number, arguments = self._legal_move(move, seat)
        if arguments:
            self._prepare(arguments)
        self._status = self._engine.play_at(self._states, 0, seat, number)
        self._log.append(f"{seat} {move}")
        self._legal.clear()

    def check(self, move: str, seat: int | None = None) -> None:
        """Raise IllegalMove, with the rule in words, unless the move may be played."""
        self._legal_move(move, self._who(move) if seat is None else seat)

    def _who(self, move: str) -> int:
        if self.over:
            raise IllegalMove(move, say("the game is over"))
        if self.chance_due:
            raise IllegalMove(move, say("chance comes first: call roll()"))
        return self._the_waiting_seat()

    def _legal_move(self, move: str, seat: int) -> tuple[int, Sequence[int]]:
        """The move's number and arguments; raises IllegalMove with the rule in words."""
        if type(seat) is not int or not 0 <= seat < self.seats:
            raise IllegalMove(
                str(move), say("there is no seat {seat} at this table", seat=repr(seat))
            )
        if not isinstance(move, str):
            raise IllegalMove(repr(move), say("a move is a text"), self.legal(seat))
        try:
            number, arguments = self.game.module.parse(move)
        except ValueError as error:
            raise IllegalMove(repr(move), str(error), self.legal(seat)) from None
        if not arguments and number in self.numbers(seat):
            return number, arguments
        if reason := self._refusal(seat, number, arguments):
            raise IllegalMove(move, reason, self.legal(seat))
        return number, arguments

    def _refusal(self, seat: int, number: int, arguments: Sequence[int]) -> str:
        if self.over:
            return say("the game is over")
        if self.chance_due:
            return say("chance comes first: call roll()")
        if seat not in self.waiting:
            return say("it is not the turn of seat {seat}", seat=seat)
        reason: str = self.game.module.refusal(self.view(seat)._hidden, seat, number, arguments)
        if not reason and not arguments:
            raise AssertionError(
                f"no rule forbids {number} here, yet it is not legal: {self.position}"
            )
        return reason

    def _prepare(self, arguments: Sequence[int]) -> None:
        s = self.look()
        self.game.module.prepare(s, arguments)
        self._engine.write(s, self._states)

    def roll(self, outcome: str | None = None) -> None:
        """Let chance happen: a known outcome (as in a record), or one drawn by the generator."""
        if not self.chance_due:
            raise MandalierError(say("no chance is due here"))
        self._path = b""
        if outcome is None:
            outcome, self._path = draw_chance(self._engine, self._states, self._options)
        else:
            s = self.look()
            self.game.module.set_chance(s, outcome)
            self._engine.write(s, self._states)
        self._log.append(f"* {outcome}")
        self._status = self._engine.resume_at(self._states, 0)

    @property
    def path(self) -> bytes:
        """How the last chance that was drawn here came about, for a screen; empty if nothing tells."""
        return self._path

    def reseed(self, seed: int) -> None:
        """Start the generator of chance anew: what is drawn from here on comes of this seed."""
        s = self.look()
        kernel.seed_generator(s, check_seed(seed), 0)
        self._engine.write(s, self._states)

    # The record

    def record(self) -> dict[str, Any]:
        """The whole game as data: setup, moves, chance and, when it is over, the result."""
        if self._setup is None:
            raise MandalierError(say("this game began from a position, so its setup is not known"))
        module, result = self.game.module, self.result
        made: dict[str, Any] = {
            "mandalier": RECORD_VERSION,
            "game": self.game.name,
            "rules": module.RULES,
            "seats": self.seats,
            "options": self._options,
            "setup": self._setup,
            "moves": list(self._log),
        }
        if result:
            made["result"] = {
                "reason": result.reason,
                "scores": list(result.scores),
                "winners": list(result.winners),
            }
        return made


def _restored(
    name: str, s: bytes, setup: dict[str, Any] | None, options: dict[str, Any], log: Sequence[str]
) -> State:
    found = game(name)
    engine = found.at_hand
    states = engine.states(1)
    engine.write(kernel.from_bytes(s, found.module.STATE), states)
    made = State(found, engine, states)
    made._setup, made._options, made._log = setup, options, list(log)
    return made


def _restored_view(name: str, s: bytes) -> View:
    return View(game(name), kernel.from_bytes(s, game(name).module.STATE))


def deal(
    name: str,
    seats: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> State:
    """A new game. The same seed gives the same deal; without a seed it is another each time."""
    return State.dealt(game(name), seats, seed, options)


def position(text: str) -> State | View:
    """The state, or the view, of a line of text (see `State.position`)."""
    if not isinstance(text, str):
        raise PositionError(say("a position is a line of text, not {found}", found=repr(text)))
    name, _, rest = text.strip().partition(" ")
    found = game(name)
    s: Any = read_position(found.module, rest)
    if s.viewer:
        return View(found, s)
    engine = found.at_hand
    states = engine.states(1)
    engine.write(s, states)
    return State(found, engine, states)


__all__ = [
    "GAMES",
    "SPECTATOR",
    "Game",
    "IllegalMove",
    "MandalierError",
    "PositionError",
    "Result",
    "State",
    "View",
    "deal",
    "game",
    "position",
]


if __name__ == "__main__":
    # compile a game's rules into the cache, for a process that plays on the twin meanwhile
    kernel.wait_turn(sys.argv[1])
    game(sys.argv[1]).load_all()
    kernel.sweep_cache()
