"""What a position is worth to each seat: its chance to win, and its lead in points at the end.

An `Evaluator` values full states, as somebody would who sees all hands but not what lies face down
for everybody: the order of a deck is put anew (`reshuffle`) for every look at it. So a position has
one value, to which a move adds or takes away, and what is drawn adds or takes away: see
lab/ledger.py.

`Playouts` plays a position to its end many times, with the same simple bot at every seat, each bot
seeing what its seat may know, and now and then moving at random. Its values are fair for such players by construction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from mandalier.games.contract import (
    MAX_SEATS,
    deal,
    imagine,
    play,
    reshuffle,
    resume,
    roll,
    score,
    waiting,
)
from mandalier.games.engine import Engine
from mandalier.games.errors import MandalierError
from mandalier.games.game import Game, State, View
from mandalier.games.kernel import (
    Array,
    Record,
    new_states,
    next_word,
    rule,
    seed_generator,
    to_bytes,
)
from mandalier.games.words import say
from mandalier.search.glance import BOTS, RANDOM, SCRATCH, bot_number, choose

PLAYOUTS = 500
POLICY = "eager"
WHIM = (1 << 32) // 6  # of 2³²: how often a player does anything at all, so that no two games are
# alike even where nothing is left to chance
REDRAWS = 8  # other orders of a deck that are tried to see whether a move draws from it
SHARE = 60  # a win is counted in 60ths: it can be shared by two to five

# Where the totals of playouts are
WINS, LEADS, WIN_SQUARES, LEAD_SQUARES = (k * MAX_SEATS for k in range(4))
TOTALS = 4 * MAX_SEATS
START = 1 + SCRATCH  # the state that playouts begin from; those before it are for the bots
FROM_HERE, FROM_MOVE, FROM_VIEW, FROM_DEAL = range(4)


@dataclass(frozen=True, slots=True)
class Value:
    """What a position is worth, seat by seat."""

    wins: tuple[float, ...]
    """Chances to win; a shared win counts as its share."""
    leads: tuple[float, ...]
    """Expected points at the end, less those of the best other seat."""
    win_errors: tuple[float, ...] = ()
    """The standard errors of what was sampled; none where the value is exact."""
    lead_errors: tuple[float, ...] = ()


class Evaluator(Protocol):
    """Anything that can value positions. The same seed gives the same value."""

    name: str

    def value(self, state: State, seed: int = 0) -> Value:
        """The value of a position, chance that is due included."""

    def after(self, state: State, seat: int, move: str, seed: int = 0) -> Value:
        """The mean value after a move, over all that it may draw."""

    def baseline(self, game: Game, seats: int, options: Mapping[str, Any]) -> Value:
        """The value of a table before anything is dealt."""


# Playouts --------------------------------------------------------------------------------------


@rule
def play_out(
    states: Array,
    policy: int,
    begin: int,
    seat: int,
    move: int,
    seed: int,
    games: int,
    g: Array,
    out: Array,
    points: Array,
    bank: Array,
    totals: Array,
) -> None:
    """Play games to the end from states[START], after a move or after a deal, and add them up.

    FROM_HERE and FROM_MOVE begin from a full state, FROM_VIEW from a hidden one and with a move."""
    s = states[0]
    for k in range(games):
        seed_generator(g[0], seed, k)
        own = (next_word(g[0]) << 30) | (next_word(g[0]) >> 2)
        states[0] = states[START]
        if begin == FROM_DEAL:
            deal(s, seat, own)
        elif begin == FROM_VIEW:
            imagine(s, own)
        else:
            reshuffle(s, own)
        if begin in (FROM_MOVE, FROM_VIEW):
            play(s, seat, move)
        while s.over == 0:
            if s.chance != 0:
                roll(s, bank)
                resume(s)
            else:
                next_seat = 0
                may = waiting(s)
                while (may >> next_seat) & 1 == 0:
                    next_seat += 1
                bot = policy
                if next_word(g[0]) < WHIM:
                    bot = RANDOM
                play(s, next_seat, choose(states, bot, next_seat, g[0], out, points, bank))
        add_up(s, points, totals)


@rule
def add_up(s: Record, points: Array, totals: Array) -> None:
    """Add the result of a finished game to the totals."""
    winners = score(s, points)
    n = 0
    for seat in range(s.seats):
        n += (winners >> seat) & 1
    for seat in range(s.seats):
        win = SHARE // n * ((winners >> seat) & 1)
        best = -1000000
        for other in range(s.seats):
            if other != seat:
                best = max(best, int(points[other]))
        lead = int(points[seat]) - best
        totals[WINS + seat] += win
        totals[LEADS + seat] += lead
        totals[WIN_SQUARES + seat] += win * win
        totals[LEAD_SQUARES + seat] += lead * lead


class _Tables:
    """What playouts of one game work with."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.states = engine.states(2 + SCRATCH)
        self.g = engine.generators(1)
        self.out = engine.move_list()
        self.points = engine.array(MAX_SEATS)
        self._run = engine.bind(play_out)

    def run(self, policy: int, begin: int, seat: int, move: int, seed: int, games: int) -> Any:
        totals = self.engine.array(TOTALS)
        self._run(
            self.states,
            policy,
            begin,
            seat,
            move,
            seed,
            games,
            self.g,
            self.out,
            self.points,
            self.engine.bank,
            totals,
        )
        return totals


class Playouts:
    """Values by playing positions out. The name says how: "eager:500"."""

    def __init__(self, name: str = f"{POLICY}:{PLAYOUTS}", engine: Engine | None = None) -> None:
        policy, colon, games = name.partition(":")
        if policy not in BOTS or (colon and not (games.isdecimal() and 2 <= int(games) <= 10**6)):
            text = say(
                "{name}: playouts are named by a bot and a number, as in eager:500", name=name
            )
            raise MandalierError(text)
        self.games = int(games) if colon else PLAYOUTS
        self.name = f"{policy}:{self.games}"
        self._policy = bot_number(policy)
        self._engine = engine
        self._tables: dict[str, _Tables] = {}

    def _of(self, game: Game) -> _Tables:
        if game.name not in self._tables:
            self._tables[game.name] = _Tables(self._engine or game.fastest)
        return self._tables[game.name]

    def value(self, state: State, seed: int = 0) -> Value:
        if state.over:
            return result_value(state)
        tables = self._of(state.game)
        tables.engine.write(state.look(), tables.states, START)
        totals = tables.run(self._policy, FROM_HERE, 0, 0, seed, self.games)
        return _mean(totals, self.games, state.seats)

    def of_move(self, view: View, move: str, seed: int = 0) -> Value:
        """What a move is worth, as far as the seat may know whose view this is."""
        tables, (s, number) = self._of(view.game), prepared(view, move)
        tables.engine.write(s, tables.states, START)
        totals = tables.run(self._policy, FROM_VIEW, view.seat, number, seed, self.games)
        return _mean(totals, self.games, int(s.seats))

    def after(self, state: State, seat: int, move: str, seed: int = 0) -> Value:
        tables, (s, number) = self._of(state.game), prepared(state, move)
        tables.engine.write(s, tables.states, START)
        totals = tables.run(self._policy, FROM_MOVE, seat, number, seed, self.games)
        return _mean(totals, self.games, state.seats)

    def baseline(self, game: Game, seats: int, options: Mapping[str, Any]) -> Value:
        tables = self._of(game)
        s = new_states(game.module.STATE, 1, False)[0]
        game.module.apply_options(s, options)
        tables.engine.write(s, tables.states, START)
        games = 10 * self.games
        return _mean(tables.run(self._policy, FROM_DEAL, seats, 0, 0, games), games, seats)


def _mean(totals: Any, games: int, seats: int) -> Value:
    def means(first: int, unit: int) -> tuple[float, ...]:
        return tuple(int(totals[first + seat]) / (unit * games) for seat in range(seats))

    def errors(first: int, squares: int, unit: int) -> tuple[float, ...]:
        variances = (
            int(totals[squares + seat]) / games - (int(totals[first + seat]) / games) ** 2
            for seat in range(seats)
        )
        return tuple((max(0.0, variance) / games) ** 0.5 / unit for variance in variances)

    return Value(
        means(WINS, SHARE),
        means(LEADS, 1),
        errors(WINS, WIN_SQUARES, SHARE),
        errors(LEADS, LEAD_SQUARES, 1),
    )


# Positions -------------------------------------------------------------------------------------


def result_value(state: State) -> Value:
    """The value of a finished game: how it ended."""
    result = state.result
    assert result is not None
    wins = tuple(
        1 / len(result.winners) if seat in result.winners else 0.0 for seat in range(state.seats)
    )
    return Value(wins, leads_of(result.scores))


def leads_of(points: tuple[int, ...]) -> tuple[float, ...]:
    """What each seat has more than the best other one."""
    return tuple(
        float(own - max(points[:seat] + points[seat + 1 :])) for seat, own in enumerate(points)
    )


def prepared(state: State | View, move: str) -> tuple[Any, int]:
    """The state (or view) as a twin, ready for a move with all that its text says, and the move's number."""
    module = state.game.module
    number, arguments = module.parse(move)
    s = state.look()
    if arguments:
        module.prepare(s, arguments)
    return s, number


def draws(state: State, seat: int, move: str) -> bool:
    """Whether a move turns up something that no seat knew: whether another order of what lies face
    down shows any seat something else after it."""
    module = state.game.module
    s, number = prepared(state, move)
    states = new_states(module.STATE, 2, False)
    seen: Any = None
    for seed in range(REDRAWS):
        states[0] = s
        if seed:
            module.reshuffle(states[0], seed)
        module.play(states[0], seat, number)
        shown = []
        for viewer in range(state.seats):
            states[1] = states[0]
            module.hide(states[1], viewer)
            shown.append(to_bytes(states[1]))
        if seen is not None and shown != seen:
            return True
        seen = shown
    return False


@cache
def playouts(name: str) -> Playouts:
    """The playouts of this name; their tables are used again."""
    return Playouts(name)
