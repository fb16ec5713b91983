"""What a game was like: every move against the best one, and what luck gave.

A bot judges each move from what its seat could know at the time. The cost of a move is what it gave
away of the chance to win, and of the expected lead, against the move the bot would have made.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from mandalier.games.errors import MandalierError
from mandalier.games.game import View, check_seed, position
from mandalier.games.record import replay
from mandalier.games.words import listed_or, say
from mandalier.games.workers import worker_pool
from mandalier.lab.ledger import (
    LEAD_UNIT,
    WIN_UNIT,
    Account,
    Amount,
    Ledger,
    Point,
    book,
    value_entry,
    value_start,
)
from mandalier.lab.values import PLAYOUTS, POLICY, playouts
from mandalier.search.bot import MAKERS, Bot, Budget, Candidate, bot
from mandalier.search.why import compare

PREFERRED = ("master", "mcts:4000")
"""Who judges, if nobody is named: the first of these that is there."""
ITERATIONS = 4000
VERDICTS = ("best", "good", "inaccuracy", "mistake", "blunder")
ONLY = "only"
LIMITS = (0.01, 0.05, 0.10, 0.15)
"""A move that costs up to so much of the chance to win is best, good, an inaccuracy, a mistake; one
that costs more is a blunder."""
ACCURACY = 0.15  # the cost at which a move's accuracy has fallen to 37 %
LESSONS = 3
FEW_LOOKS = 0.5  # a move looked at less, as a part of how often the best was, is looked at again
PATIENCE_S = 3.0  # work that takes longer is shared out


@dataclass(frozen=True)
class How:
    """How a game is analysed. The same `How` gives the same analysis, unless it counts time."""

    bot: str
    budget: Budget
    ledger: str = ""
    """What values positions for the ledger (see lab/values.py); "" for no ledger."""
    seed: int = 0

    @classmethod
    def of(
        cls,
        bot_name: str | None = None,
        ms: float | None = None,
        iterations: int | None = None,
        ledger: str = "",
        seed: int | None = 0,
    ) -> How:
        """How to analyse, checked; what is not said is left to defaults."""
        name = bot_name or preferred_bot()
        bot(name)
        if ledger:
            playouts(ledger)
        if ms is None and iterations is None and ":" not in name:
            iterations = ITERATIONS
        return cls(name, Budget(ms, iterations), ledger, check_seed(seed))


def preferred_bot(names: Sequence[str] = PREFERRED) -> str:
    """The first of these bots that is there."""
    return next(name for name in names if name.partition(":")[0] in MAKERS)


@dataclass(frozen=True)
class Look:
    """What is to be said of one move of a game."""

    ply: int
    seat: int
    move: str
    best: str
    verdict: str
    """One of VERDICTS; ONLY if there was no other move, and so nothing to value."""
    played: Candidate
    chosen: Candidate
    """What was played and what the bot would have played."""
    cost_win: float
    """What the move gave away; 0 if nothing."""
    cost_lead: float
    candidates: tuple[Candidate, ...]
    position: str
    """The view of the seat that moved, as a line of text."""

    @property
    def view(self) -> View:
        found = position(self.position)
        assert isinstance(found, View)
        return found

    def why(self) -> tuple[str, ...]:
        """What the best move has that the played one has not."""
        return compare(self.view, self.best, self.move) if self.move != self.best else ()


@dataclass
class Review:
    """A whole game, analysed."""

    record: Mapping[str, Any]
    how: How
    looks: list[Look] = field(default_factory=list)
    ledger: Ledger | None = None

    def of_seat(self, seat: int) -> list[Look]:
        return [look for look in self.looks if look.seat == seat and look.verdict != ONLY]

    def accuracy(self, seat: int) -> float | None:
        """0 to 100: 100 for a seat that gave nothing away; None for one that had no choice."""
        looks = self.of_seat(seat)
        if not looks:
            return None
        return 100 * sum(math.exp(-look.cost_win / ACCURACY) for look in looks) / len(looks)

    def lessons(self, seat: int | None = None) -> list[Look]:
        """The costliest moves, of one seat or of all."""
        costly = [
            look
            for look in self.looks
            if look.verdict in VERDICTS[2:] and seat in (None, look.seat)
        ]
        return sorted(costly, key=lambda look: (-look.cost_win, look.ply))[:LESSONS]

    def data(self, seat: int | None = None) -> dict[str, Any]:
        """The review as plain data; `seat` narrows the moves down to one seat's."""
        seats = range(self.record["seats"])
        return {
            "game": self.record["game"],
            "rules": self.record["rules"],
            "seats": self.record["seats"],
            "result": self.record.get("result"),
            "by": self.how.bot,
            "budget": asdict(self.how.budget),
            "seed": self.how.seed,
            "moves": [_look_data(look) for look in self.looks if seat in (None, look.seat)],
            "by_seat": [self._seat_data(one) for one in seats if seat in (None, one)],
            "lessons": [
                {"ply": look.ply, "seat": look.seat, "position": look.position}
                for look in self.lessons(seat)
            ],
            "ledger": _ledger_data(self.ledger) if self.ledger else None,
        }

    def _seat_data(self, seat: int) -> dict[str, Any]:
        looks = self.of_seat(seat)
        return {
            "seat": seat,
            "moves": len(looks),
            **{verdict: sum(look.verdict == verdict for look in looks) for verdict in VERDICTS},
            "lost_win": sum(look.cost_win for look in looks),
            "accuracy": self.accuracy(seat),
        }


def _look_data(look: Look) -> dict[str, Any]:
    def value(number: float) -> float | None:
        return None if look.verdict == ONLY else number

    return {
        "ply": look.ply,
        "seat": look.seat,
        "move": look.move,
        "verdict": look.verdict,
        "win": value(look.played.win),
        "lead": value(look.played.lead),
        "cost_win": look.cost_win,
        "cost_lead": look.cost_lead,
        "best": look.best,
        "best_win": value(look.chosen.win),
        "best_lead": value(look.chosen.lead),
        "why": list(look.why()),
        "candidates": [
            {"move": one.move, "win": one.win, "lead": one.lead, "visits": one.visits}
            for one in look.candidates
        ],
    }


def _ledger_data(ledger: Ledger) -> dict[str, Any]:
    def amount(one: Amount) -> dict[str, int]:
        return {"win": one.win, "lead": one.lead}

    def account(one: Account) -> dict[str, Any]:
        parts = {name: amount(part) for name, part in zip(one.PARTS, one.parts, strict=True)}
        return {"seat": one.seat, **parts, "result": amount(one.result)}

    return {
        "by": ledger.by,
        "units": {"win": WIN_UNIT, "lead": LEAD_UNIT},
        "finished": ledger.finished,
        "errors": {"win": ledger.win_error, "lead": ledger.lead_error},
        "accounts": [account(one) for one in ledger.accounts],
        "steps": [asdict(step) for step in ledger.steps],
    }


# One move --------------------------------------------------------------------------------------


@cache
def _thinker(name: str) -> Bot:
    return bot(name)


def verdict_of(cost: float) -> str:
    """The verdict on a move that costs so much of the chance to win."""
    return VERDICTS[sum(cost > limit for limit in LIMITS)]


def look_at(view: View, move: str, how: How, ply: int = 0) -> Look:
    """Judge one move of the seat whose view this is."""
    thinker = _thinker(how.bot)
    view.game.load()
    if len(view.legal()) == 1:
        only = Candidate(move, 0.0, 0.0)
        return Look(ply, view.seat, move, move, ONLY, only, only, 0.0, 0.0, (), view.position)
    thought = thinker.think(view, how.budget, how.seed)
    seen = tuple(one for one in thought.candidates if one.visits > 0 or one.line)
    if not seen:
        seen = thought.candidates
    if not seen:
        others = listed_or([name for name in PREFERRED if name.partition(":")[0] in MAKERS])
        text = say(
            "{bot} does not say what it expects of a move; ask {others}",
            bot=how.bot,
            others=others,
        )
        raise MandalierError(text)
    chosen = next(one for one in seen if one.move == thought.move)
    same = _same_move(view, move)
    played = next((one for one in seen if one.move == same), None)
    enough = FEW_LOOKS * chosen.visits
    if played is None or (played is not chosen and played.visits < enough):
        played = _second_look(thinker, view, same, how) or played
    if played is None:
        played = _by_playouts(view, move, chosen, how)
    cost_win = max(0.0, chosen.win - played.win)
    cost_lead = max(0.0, chosen.lead - played.lead)
    verdict = verdict_of(cost_win)
    if verdict == "best":
        chosen = played
    return Look(
        ply=ply,
        seat=view.seat,
        move=move,
        best=move if verdict == "best" else chosen.move,
        verdict=verdict,
        played=played,
        chosen=chosen,
        cost_win=cost_win,
        cost_lead=cost_lead,
        candidates=seen,
        position=view.position,
    )


def _same_move(view: View, move: str) -> str:
    """The listed move that a text means, without what else it says (an order of columns)."""
    legal = view.legal()
    if move in legal:
        return move
    module = view.game.module
    number, _ = module.parse(move)
    return next((text for text in legal if module.parse(text)[0] == number), move)


def _second_look(thinker: Bot, view: View, move: str, how: How) -> Candidate | None:
    """A closer look at a move that the bot did not care for, if it can do that."""
    weigh = getattr(thinker, "weigh", None)
    if weigh is None:
        return None
    module, s = view.game.module, view.look()
    out = [0] * (module.MOVES + 64)
    listed = out[: module.legal(s, view.seat, out)]
    number = next((n for n in listed if module.text(s, n) == move), None)
    found: Candidate | None = None if number is None else weigh(view, number, how.budget, how.seed)
    return found


def _by_playouts(view: View, move: str, chosen: Candidate, how: How) -> Candidate:
    """The value of a move that the bot says nothing of: it differs from the chosen one's as it does
    when both are played out."""
    sampler = playouts(how.ledger or f"{POLICY}:{PLAYOUTS}")
    mine, best = (sampler.of_move(view, one, how.seed) for one in (move, chosen.move))
    win = chosen.win + mine.wins[view.seat] - best.wins[view.seat]
    lead = chosen.lead + mine.leads[view.seat] - best.leads[view.seat]
    return Candidate(move, max(0.0, min(1.0, win)), lead)


# A whole game ----------------------------------------------------------------------------------


Progress = Callable[[int, int], None]
Entry = tuple[Look | None, Point | None]


def analyse_entry(record: Mapping[str, Any], ply: int, how: How, judged: bool) -> Entry:
    """Analyse one entry of a record. This is what an executor gets."""
    look = None
    who, _, move = record["moves"][ply].partition(" ")
    if judged and who != "*":
        look = look_at(replay(record, ply).view(int(who)), move, how, ply)
    point = value_entry(record, ply, playouts(how.ledger), how.seed) if how.ledger else None
    return look, point


def analyse(
    record: Mapping[str, Any],
    how: How,
    *,
    seat: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Review:
    """Analyse a record (as `loads` gives it). With `seat`, only that seat's moves are judged; the
    ledger is always whole. An executor of your own takes the place of the process pool."""
    replay(record)
    if seat is not None and seat not in range(record["seats"]):
        raise MandalierError(say("there is no seat {seat} at this table", seat=seat))
    total = len(record["moves"])
    judged = [
        not entry.startswith("* ") and (seat is None or entry.startswith(f"{seat} "))
        for entry in record["moves"]
    ]
    entries: list[Entry] = []
    for entry in _entries(record, how, judged, workers, executor):
        entries.append(entry)
        if progress:
            progress(len(entries), total)
    review = Review(record, how, [look for look, _ in entries if look])
    if how.ledger:
        first = value_start(record, playouts(how.ledger), how.seed)
        points = [point for _, point in entries if point]
        review.ledger = book(record, playouts(how.ledger).name, first, points)
    return review


def _entries(
    record: Mapping[str, Any],
    how: How,
    judged: Sequence[bool],
    workers: int | None,
    executor: Executor | None,
) -> Iterator[Entry]:
    """The entries of a record, analysed, in order."""
    workers = workers or os.cpu_count() or 1
    plies = iter(range(len(judged)))
    if executor is None:
        began = time.perf_counter()
        for ply in plies:
            yield analyse_entry(record, ply, how, judged[ply])
            if ply == 0:
                began = time.perf_counter()  # the first one may have compiled rules
            elif workers > 1 and ply >= 3:
                each = (time.perf_counter() - began) / ply
                if each * (len(judged) - ply) > PATIENCE_S:
                    break
    rest = list(plies)
    if executor is not None:
        yield from _by(executor, record, how, judged, rest)
    elif rest:
        with worker_pool(workers) as pool:
            yield from _by(pool, record, how, judged, rest)


def _by(
    executor: Executor,
    record: Mapping[str, Any],
    how: How,
    judged: Sequence[bool],
    plies: Sequence[int],
) -> Iterator[Entry]:
    futures = [executor.submit(analyse_entry, record, ply, how, judged[ply]) for ply in plies]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
