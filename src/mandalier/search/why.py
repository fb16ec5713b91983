"""Why a move: the two or three facts that set it apart from the next best moves, in words.

    reasons(view, thought.candidates, thought.move)

The facts come from the game (games/facts); here those are chosen that the move has and the other
moves have not, or less of, each other move counting by how near it came. A fact that speaks against
the best other move may be among them. Everything is made from the view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mandalier.games.facts import Fact, facts_of
from mandalier.games.game import View
from mandalier.games.words import say
from mandalier.search.bot import Candidate

MOST = 3
RIVALS = 4
"""Other moves that a move is compared with."""
NOTICEABLE = 0.2
"""Facts that make a smaller difference are not told."""
POINTS_A_WIN = 20.0
"""The points of lead that a sure win is taken for, where values of moves are compared."""


def reasons(
    view: View, candidates: Sequence[Candidate], chosen: str, seat: int | None = None
) -> tuple[str, ...]:
    """Why the chosen move, against the candidates a bot considered (the best first).

    The move is one of the seat whose view this is. Somebody else's move is explained to a viewer by
    naming its seat; candidates are left out then, as they would tell what that seat holds."""
    mover = view.seat if seat is None else seat
    if mover != view.seat:
        candidates = ()
    found = _facts(view, mover, chosen)
    others = [one for one in candidates if one.move != chosen][:RIVALS]
    rivals = [(_facts(view, mover, one.move), one.move) for one in others]
    weights = _nearness(candidates, chosen, others)
    told = [(_difference(fact, rivals, weights), True, fact.text) for fact in found.values()]
    told += [(worth, False, text) for worth, text in _against(found, rivals, weights)]
    told.sort(key=lambda one: -one[0])
    best = [one for one in told if one[0] >= NOTICEABLE][:MOST]
    if not any(own for _, own, _ in best):  # the moves do much the same: say what this one does
        ranked = sorted((one for one in told if one[1] and one[0] > 0), key=lambda one: -one[0])
        best += ranked[:1] or [(0.0, True, fact.text) for fact in _weightiest(found)][:1]
    best.sort(key=lambda one: not one[1])
    return tuple(text for _, _, text in best)


def compare(view: View, better: str, worse: str) -> tuple[str, ...]:
    """What the better of two moves has that the worse has not, and what speaks against that."""
    sure = (Candidate(better, 1.0, 0.0), Candidate(worse, 0.0, 0.0))
    return reasons(view, sure, better)


def _facts(view: View, seat: int, move: str) -> dict[str, Fact]:
    module, s = view.game.module, view.look()
    number, arguments = module.parse(move)
    if arguments:
        out = [0] * (module.MOVES + 64)
        listed = out[: module.legal(s, seat, out)]
        number = _nearest(module, s, listed, number, arguments)
    return {fact.key: fact for fact in facts_of(module)(s, seat, number)}


def _nearest(
    module: Any, s: Any, listed: Sequence[int], number: int, arguments: Sequence[int]
) -> int:
    """The listed move of this kind whose numbers are nearest: a throw with numbers of its own is
    meant for what is aimed at by numbers much like these."""
    parsed = [(n, *module.parse(module.text(s, n))) for n in listed]
    like = [(n, numbers) for n, kind, numbers in parsed if kind == number and numbers]
    spread = [1 + max(column) - min(column) for column in zip(*(n for _, n in like), strict=True)]

    def distance(numbers: Sequence[int]) -> float:
        columns = zip(numbers, arguments, spread, strict=True)
        return float(sum(abs(a - b) / wide for a, b, wide in columns))

    return min(like, key=lambda one: distance(one[1]), default=(number, ()))[0]


def _weightiest(facts: dict[str, Fact]) -> list[Fact]:
    return sorted(facts.values(), key=lambda fact: -fact.weight)


def _value(one: Candidate) -> float:
    return POINTS_A_WIN * one.win + one.lead


def _nearness(
    candidates: Sequence[Candidate], chosen: str, others: Sequence[Candidate]
) -> list[float]:
    """How much each other move counts: the nearest most; all together 1."""
    own = next((_value(one) for one in candidates if one.move == chosen), None)
    if own is None:
        return [1 / max(1, len(others))] * len(others)
    shares = [1 / (1 + abs(own - _value(one))) for one in others]
    return [share / sum(shares) for share in shares]


Rivals = Sequence[tuple[dict[str, Fact], str]]


def _difference(fact: Fact, rivals: Rivals, weights: Sequence[float]) -> float:
    """What a fact of the chosen move is worth beyond what the others have of it."""
    if not rivals:
        return fact.weight
    theirs = (
        weight * (other[fact.key].weight if fact.key in other else 0.0)
        for (other, _), weight in zip(rivals, weights, strict=True)
    )
    return fact.weight - sum(theirs) if fact.weight > 0 else 0.0


def _against(
    own: dict[str, Fact], rivals: Rivals, weights: Sequence[float]
) -> list[tuple[float, str]]:
    """The fact that speaks most against another move, if the chosen one avoids it."""
    found = []
    for (facts, move), weight in zip(rivals, weights, strict=True):
        for fact in facts.values():
            avoided = (own[fact.key].weight if fact.key in own else 0.0) - fact.weight
            if fact.weight < 0 and avoided > 0:
                text = say("{move} {fact}", move=move, fact=fact.text)
                found.append((weight * avoided * 2, text))
    return sorted(found, key=lambda one: -one[0])[:1]
