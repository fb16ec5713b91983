"""Facts of stones: what towers are worth where they stand, what the board leaves to the others,
the mandala's spaces, objectives."""

from __future__ import annotations

from typing import Any

from mandalier.games.facts import Fact
from mandalier.games.kernel import bits_in, new_states
from mandalier.games.stones import (
    ALL_CIRCLES,
    AROUND_BITS,
    CIRCLES,
    COLUMNS,
    HIDDEN,
    SCORE_MOVE,
    STACKS,
    STATE,
    TOPS_MOVE,
    colour_names,
    colour_points,
    columns_in_use,
    columns_topped,
    given_stacks,
    height,
    is_last_round,
    is_met,
    north_of,
    objective_names,
    play,
)
from mandalier.games.words import say, say_n

NEAR_END = 8  # spaces before the last round from which it is spoken of
IN_REACH = 3  # spaces the next seat may well lay onto
STANDING = 0.4  # what a point that a tower would score is worth while it stands


def facts(s: Any, seat: int, move: int) -> list[Fact]:
    states = new_states(STATE, 1, False)
    states[0] = s
    after: Any = states[0]
    play(after, seat, move)
    for stack in range(STACKS):  # what is uncovered now the seat does not know
        if after.stack[stack] & HIDDEN == HIDDEN:
            for pattern in range(2):
                after.showing[pattern] &= ~(1 << stack)
    if move < SCORE_MOVE:
        found = _tower(after, seat, move % COLUMNS)
    else:
        found = [*_scored(s, after, seat, move), *_end_of_game(s, after, seat)]
    return [*found, *_tops(s, after, seat), *_objectives(s, after, seat), *_left(s, after, seat)]


def _tower(after: Any, seat: int, column: int) -> list[Fact]:
    """A new tower: what its column would score for it."""
    n = height(after.tower[seat][column])
    worth = colour_points(after, seat, 1 << column)
    text = say_n(
        "builds a tower of {n} stone on column {column}, where it would score {worth}",
        "builds a tower of {n} stones on column {column}, where it would score {worth}",
        n,
        column=column + 1,
        worth=worth,
    )
    found = [Fact("tower", STANDING * worth + 0.4 * n, text)]
    free = COLUMNS - bits_in(columns_in_use(after, seat))
    if free == 0:
        text = say("fills the last column, so a score has to follow")
        found.append(Fact("full", -0.8, text))
    return found


def _scored(s: Any, after: Any, seat: int, move: int) -> list[Fact]:
    laid = after.laid_n - s.laid_n
    gifts = sum(s.plus[s.laid_n : after.laid_n])
    points = after.points[seat] - s.points[seat] - gifts
    if move < TOPS_MOVE:
        text = say_n(
            "scores {n} point for {colour} tops",
            "scores {n} points for {colour} tops",
            points,
            colour=colour_names()[move - SCORE_MOVE],
        )
    else:
        text = say_n("scores {n} point for tops", "scores {n} points for tops", points)
    found = [Fact("scores", float(points), text)]
    if gifts:
        text = say_n(
            "covers spaces of the mandala that give {n} point",
            "covers spaces of the mandala that give {n} points",
            gifts,
        )
        found.append(Fact("gifts", float(gifts), text))
    found += _left_gifts(after, laid)
    freed = bits_in(columns_in_use(s, seat)) - bits_in(columns_in_use(after, seat))
    if freed:
        text = say_n("clears {n} column", "clears {n} columns", freed)
        found.append(Fact("clears", 0.4 * freed, text))
    return found


def _left_gifts(after: Any, laid: int) -> list[Fact]:
    """Points that the next seat may get for the mandala's next spaces."""
    nearest = after.plus[after.laid_n : after.laid_n + IN_REACH]
    if not laid or not any(nearest) or after.over:
        return []
    text = say_n(
        "leaves a space that gives {n} point to seat {seat}",
        "leaves a space that gives {n} points to seat {seat}",
        max(nearest),
        seat=after.turn,
    )
    return [Fact("left gift", -0.4 * max(nearest), text)]


def _end_of_game(s: Any, after: Any, seat: int) -> list[Fact]:
    lead = _lead(after, seat)
    if is_last_round(after):
        if is_last_round(s):
            return []
        text = say("brings the last round")
        return [Fact("ends", max(-4.0, min(4.0, 0.5 * lead)), text)]
    left = after.hands[after.seats - 2] - after.laid_n
    if left > NEAR_END:
        return []
    text = say_n(
        "leaves {n} space before the last round", "leaves {n} spaces before the last round", left
    )
    return [Fact("ends", max(-2.0, min(2.0, 0.15 * lead)) * (1 - left / (NEAR_END + 1)), text)]


def _lead(s: Any, seat: int) -> int:
    others = (s.points[other] for other in range(s.seats) if other != seat)
    return int(s.points[seat] - max(others))


def _best_tops(s: Any, seat: int) -> tuple[int, int, int]:
    """What the best colour would score, which it is, and how many towers it tops."""
    best = (0, 0, 0)
    for colour in range(4):
        columns = columns_topped(s, seat, colour)
        if (n := bits_in(columns)) > 1:
            best = max(best, (colour_points(s, seat, columns), colour, n))
    return best


def _tops(s: Any, after: Any, seat: int) -> list[Fact]:
    before, (points, colour, n) = _best_tops(s, seat)[0], _best_tops(after, seat)
    if points <= before:
        return []
    text = say(
        "has {n} {colour} tops ready, worth {points} together",
        n=n,
        colour=colour_names()[colour],
        points=points,
    )
    return [Fact("tops", STANDING * (points - before), text)]


def _objectives(s: Any, after: Any, seat: int) -> list[Fact]:
    """Objectives met or given up; they count at the end only."""
    near = min(1.0, after.laid_n / max(1, after.hands[after.seats - 2]))
    found = []
    for card in s.objective[seat]:
        if not card:
            continue
        was, now = (is_met(one, seat, card - 1) for one in (s, after))
        if was == now:
            continue
        worth = s.worth[card - 1]
        name = objective_names()[card - 1]
        if now:
            text = say("meets an objective: {name} ({n})", name=name, n=worth)
        else:
            text = say("gives up an objective for now: {name} ({n})", name=name, n=worth)
        weight = 0.7 * near * near * worth
        found.append(Fact(f"objective {card}", weight if now else -weight, text))
    return found


def _best_pick(s: Any) -> tuple[int, int]:
    """The most stones an artist would be given anywhere, and the circle."""
    artists = s.artists[0] | s.artists[1]
    best = (0, 0)
    for circle in range(9):
        if not artists >> circle & 1:
            continue
        given = given_stacks(s, circle)
        for to in range(9):
            if (ALL_CIRCLES & ~artists) >> to & 1:
                n = _count(given & (AROUND_BITS << north_of(to)))
                best = max(best, (n, to))
    return best


def _count(mask: int) -> int:
    return int(mask).bit_count()


def _left(s: Any, after: Any, seat: int) -> list[Fact]:
    """The best the artists offer to the next seat."""
    if after.over or bits_in(columns_in_use(after, after.turn)) == COLUMNS:
        return []
    n, circle = _best_pick(after)
    if n < 2:
        text = say("leaves seat {seat} no tower of two", seat=after.turn)
        return [Fact("leaves", 0.0, text)]
    text = say(
        "leaves a tower of {n} at {circle} to seat {seat}",
        n=n,
        circle=CIRCLES[circle],
        seat=after.turn,
    )
    return [Fact("leaves", -0.6 * (n - 1), text)]
