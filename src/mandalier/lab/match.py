"""One match between bots: who plays, which games those are, and how one of them goes.

Every deal is played once for each seat, with the bots a seat further each time, so that luck of the
deal and of the seat falls on all alike. A game depends on the match's seed, its deal and rotation
alone: the deal, what chance does after it, and the seeds the seats think with are the same in all
rotations. So a bot against itself scores exactly its fair share, and A against B is the mirror of B
against A.
"""

from __future__ import annotations

import hashlib
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from mandalier.games.errors import IllegalMove, MandalierError
from mandalier.games.game import LARGEST_SEED, State, check_seed, deal, game
from mandalier.games.words import listed_or, say
from mandalier.search.bot import NO_LIMIT, Bot, Budget, Thought, bot
from mandalier.search.program import ProgramError, patience_s

FORFEITS = ("illegal", "crash", "late", "program")
"""Why a seat may lose a game before its end: it answered what the rules forbid, or no move at all;
it raised an exception; it took longer than the limit; it is a program that failed."""
RING_AGAIN_S = 0.2
WARM_S = 300.0  # a search compiles for a minute on a slow machine


# Who plays -------------------------------------------------------------------------------------

NAME = re.compile(r"""(?:[^,"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')*""", re.DOTALL)
BUDGET = re.compile(r"(.*)@(\d+(?:\.\d+)?)(ms|s|it)", re.DOTALL)


def split_names(text: str) -> tuple[str, ...]:
    """Names with commas between; a comma in quotes, or after a backslash, belongs to the name."""
    names, at = [], 0
    while True:
        found = NAME.match(text, at)
        assert found is not None
        names.append(found[0].strip())
        if found.end() == len(text):
            return tuple(names)
        if text[found.end()] != ",":
            raise MandalierError(say("{text}: a quote is opened and not closed", text=text))
        at = found.end() + 1


@dataclass(frozen=True)
class Entrant:
    """A bot and the budget it plays with: "master@500ms", "mcts:100", "master@1s@2000it"."""

    name: str
    budget: Budget = NO_LIMIT

    @classmethod
    def of(cls, text: str, budget: Budget = NO_LIMIT) -> Entrant:
        """The entrant written so; a budget of its own goes before the one given to all."""
        name, ms, iterations = text.strip(), None, None
        while found := BUDGET.fullmatch(name):
            name, number, unit = found.groups()
            if unit != "it":
                ms = float(number) * (1000 if unit == "s" else 1)
            elif number.isdecimal():
                iterations = int(number)
            else:
                raise MandalierError(say("{text}: iterations are a whole number", text=text))
        bot(name, of_the_house=True)  # see that there is one
        return cls(name, Budget(ms, iterations).or_else(budget))

    @property
    def title(self) -> str:
        ms, iterations = self.budget.ms, self.budget.iterations
        time = "" if ms is None else f"@{ms:g}ms"
        return self.name + time + ("" if iterations is None else f"@{iterations}it")

    @property
    def limit_s(self) -> float:
        """After how long it loses the game, where the match sets no limit."""
        return patience_s(self.budget)


@dataclass(frozen=True)
class Match:
    """What is played. Equal matches have the same games, but for what budgets of time do.

    Two entrants: the first one, the challenger, sits in each seat in turn and the second one in all
    the others. As many entrants as seats: each of them in each seat, in the same order around.
    """

    game: str
    seats: int
    entrants: tuple[Entrant, ...]
    deals: int
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    limit_s: float | None = None

    @classmethod
    def of(
        cls,
        name: str,
        bots: Sequence[str | Entrant],
        *,
        seats: int | None = None,
        games: int = 100,
        seed: int | None = None,
        budget: Budget = NO_LIMIT,
        options: Mapping[str, Any] | None = None,
        limit_s: float | None = None,
    ) -> Match:
        """A match, checked. Games are rounded up to whole deals; throws of dice are drawn from the
        bank unless the options say otherwise."""
        found = game(name)
        seats = found.check_seats(seats)
        entrants = tuple(b if isinstance(b, Entrant) else Entrant.of(b, budget) for b in bots)
        if len(entrants) not in {2, seats}:
            text = say(
                "a match at {seats} seats is between {numbers} bots, not {n}; a ladder ranks more",
                seats=seats,
                numbers=listed_or([str(n) for n in sorted({2, seats})]),
                n=len(entrants),
            )
            raise MandalierError(text)
        if games < 1:
            raise MandalierError(say("at least one game is needed, not {n}", n=games))
        if limit_s is not None and not limit_s > 0:
            raise MandalierError(say("a limit is above 0 seconds, not {n:g}", n=limit_s))
        checked = found.check_options({**quick_options(name), **(options or {})})
        return cls(name, seats, entrants, -(-games // seats), check_seed(seed), checked, limit_s)

    @property
    def rotations(self) -> int:
        """How many games a deal is."""
        return self.seats

    @property
    def games(self) -> int:
        return self.deals * self.rotations

    @property
    def has_challenger(self) -> bool:
        """Whether it is one against all others, and not everyone for itself."""
        return len(self.entrants) == 2

    def seating(self, rotation: int) -> tuple[int, ...]:
        """[seat] the number of the entrant."""
        if self.has_challenger:
            return tuple(int(seat != rotation) for seat in range(self.seats))
        return tuple((seat - rotation) % self.seats for seat in range(self.seats))

    def header(self) -> dict[str, Any]:
        """What makes it this match, as plain data. How many of its games are played does not."""
        return {
            "game": self.game,
            "rules": game(self.game).module.RULES,
            "seats": self.seats,
            "bots": [entrant.title for entrant in self.entrants],
            "seed": self.seed,
            "options": dict(self.options),
            "limit_s": self.limit_s,
        }


def quick_options(name: str) -> dict[str, Any]:
    """Options by which a game is quick: chance from its bank instead of simulated physics."""
    return {"outcomes": "surrogate"} if hasattr(game(name).module, "outcome") else {}


def derived_seed(*parts: int) -> int:
    """A seed from other numbers."""
    text = " ".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) & LARGEST_SEED


# The bots at their seats -----------------------------------------------------------------------


class Seats:
    """The bots of a match, in this process. A program is started anew for each seat and game, so
    that it cannot remember what another seat saw of the same deal."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._bots: dict[str, Bot] = {}
        game(match.game).load()
        for entrant in match.entrants:
            made = bot(entrant.name, of_the_house=True)
            if not hasattr(made, "close"):
                self._bots[entrant.name] = made
                self._warm(made)

    def _warm(self, who: Bot) -> None:
        """Let it load and compile what it needs before any clock runs."""
        state = deal(self.match.game, self.match.seats, 0, self.match.options)
        # what is wrong with it shows, and counts, in the games
        with suppress(Exception, _TimeUp), _alarm(WARM_S):
            who.think(state.view(state.waiting[0]), Budget(iterations=1), 0)

    @contextmanager
    def at(self, rotation: int) -> Iterator[list[Bot]]:
        """[seat] the bot, for one game."""
        names = [self.match.entrants[i].name for i in self.match.seating(rotation)]
        bots = [self._bots.get(name) or bot(name, of_the_house=True) for name in names]
        try:
            yield bots
        finally:
            for who in bots:
                if hasattr(who, "close"):
                    who.close()


class _TimeUp(BaseException):
    """A bot thinks beyond its limit. No `except Exception` of its own keeps it thinking."""


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Interrupt what runs longer, where that can be done: in a main thread, not on Windows."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(*_: object) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, RING_AGAIN_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)


class _Forfeit(Exception):
    def __init__(self, why: str, words: str) -> None:
        super().__init__(words)
        self.why, self.words = why, words


def _move(who: Bot, state: State, seat: int, budget: Budget, seed: int, limit_s: float) -> float:
    """Let a bot think and play its move; return how long it thought. Raises _Forfeit."""
    view, began = state.view(seat), time.perf_counter()
    try:
        with _alarm(limit_s):
            thought = who.think(view, budget, seed)
        seconds = time.perf_counter() - began
        if seconds > limit_s:
            raise _TimeUp
    except _TimeUp:
        raise _Forfeit("late", say("no move after {seconds:g} seconds", seconds=limit_s)) from None
    except ProgramError as error:
        raise _Forfeit("program", str(error)) from None
    except Exception as error:
        raise _Forfeit("crash", f"{type(error).__name__}: {error}") from None
    move = getattr(thought, "move", None)
    if not isinstance(thought, Thought) or not isinstance(move, str):
        raise _Forfeit("illegal", say("it answered {found}", found=repr(thought)))
    try:
        state.play(move, seat)
    except IllegalMove as error:
        raise _Forfeit("illegal", f"{error.move}: {error.reason}") from None
    return seconds


# One game --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A game of a match."""

    number: int
    shares: tuple[float, ...]
    """[seat] of the win: 1 for a sole winner, parts of it for shared ones."""
    points: tuple[int, ...]  # [seat]
    reason: str
    """How the game ended by the rules, or "forfeit"."""
    moves: tuple[int, ...]  # [seat]
    think_s: tuple[float, ...]
    """[seat] the seconds it thought in all."""
    longest_s: tuple[float, ...]
    """[seat] the seconds it thought about one move at most."""
    forfeit: Mapping[str, Any] | None = None
    """The seat that lost before the end, why (one of FORFEITS), and what happened, in words."""

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Played:
        """What `data` gave, after a while on disk."""
        fields: dict[str, Any] = {k: tuple(v) if type(v) is list else v for k, v in found.items()}
        return cls(**fields)


class Interrupted(Exception):
    """The match was stopped while a game was on."""


def play_game(
    seats: Seats, number: int, is_stopped: Callable[[], bool] = bool
) -> tuple[Played, State]:
    """Play one game of a match. Whatever a bot does wrong loses it the game, no more."""
    match = seats.match
    deal_number, rotation = divmod(number, match.rotations)
    entrants = [match.entrants[i] for i in match.seating(rotation)]
    state = deal(match.game, match.seats, derived_seed(match.seed, deal_number), match.options)
    times: list[list[float]] = [[] for _ in range(match.seats)]
    forfeit, ply = None, 0
    with seats.at(rotation) as bots:
        while not state.over and forfeit is None:
            if is_stopped():
                raise Interrupted
            seat = state.waiting[0]
            own = derived_seed(match.seed, deal_number, seat, ply)
            limit_s = match.limit_s or entrants[seat].limit_s
            try:
                seconds = _move(bots[seat], state, seat, entrants[seat].budget, own, limit_s)
                times[seat].append(round(seconds, 6))
            except _Forfeit as error:
                forfeit = {"seat": seat, "why": error.why, "words": error.words}
            ply += 1
    return _played(state, number, times, forfeit), state


def _played(
    state: State, number: int, times: Sequence[Sequence[float]], forfeit: dict[str, Any] | None
) -> Played:
    """A game that has come to its end. After a forfeit all others share the win."""
    result = state.result
    winners = [seat for seat in range(state.seats) if forfeit and seat != forfeit["seat"]]
    if result is not None:
        winners = list(result.winners)
    return Played(
        number=number,
        shares=tuple((seat in winners) / len(winners) for seat in range(state.seats)),
        points=state.scores,
        reason="forfeit" if result is None else result.reason,
        moves=tuple(map(len, times)),
        think_s=tuple(round(sum(own), 6) for own in times),
        longest_s=tuple(max(own, default=0.0) for own in times),
        forfeit=forfeit,
    )
