"""The exhibition as the game it is: all choose their pictures at the same time.

All hands are known, as every card came from the open. A picture that has no more of anything than
another is never better, so few are left; over these, regret matching finds how often each seat
should choose which. Two seats play the whole matrix of pictures, more draw each other's pictures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mandalier.games.kernel import (
    Array,
    Record,
    bits_in,
    next_word,
    primitive,
    rule,
    seed_generator,
)
from mandalier.search.strokes.mind import appraise_hands, most_worth, weigh_card

PICTURE = np.dtype(
    [
        ("cards", "i8"),
        ("value", "i8"),
        ("blocks", "i8", (5,)),  # red, blue, yellow, black, white
        ("regret", "f8"),
        ("now", "f8"),  # how often it is chosen in this iteration
        ("often", "f8"),  # over all iterations, the later ones counting more
        ("win", "f8"),  # what it brings against the others' choices
        ("lead", "f8"),
    ],
    align=True,
)
MOST_PICTURES = 256
"""Room for the pictures of one seat."""
LEAD_COUNTS = 0.002


def _four() -> Any:
    return np.zeros(4, np.int64)


@primitive(_four)
def four() -> Array:
    """Room for a number for each seat."""
    return [0] * 4


@rule
def fill_picture(s: Record, p: Record, cards: int) -> None:
    p.cards = cards
    p.value = 0
    p.regret = 0.0
    p.often = 0.0
    for i in range(5):
        p.blocks[i] = 0
    while cards != 0:
        lowest = cards & -cards
        cards -= lowest
        card = bits_in(lowest - 1)
        p.value += s.value[card]
        for i in range(5):
            p.blocks[i] += (s.blocks[card] >> 10 * i) & 1023


@rule
def covers(p: Record, q: Record) -> bool:
    """Whether picture p has as much of everything as q."""
    if p.value < q.value:
        return False
    for i in range(4):
        if p.blocks[i] < q.blocks[i]:
            return False
    same = p.value == q.value
    for i in range(4):
        if p.blocks[i] > q.blocks[i]:
            same = False
    return bool(not same or p.blocks[4] >= q.blocks[4])


@rule
def list_pictures(
    s: Record, seat: int, size: int, order: Array, pictures: Array, spare: int, room: int
) -> int:
    """The pictures a seat may well choose, from row seat × MOST_PICTURES on; how many.

    `order` holds its cards, the best first; row `spare` is used up.
    """
    n = bits_in(s.hand[seat])
    first = seat * MOST_PICTURES
    count = 0
    chosen = (1 << size) - 1
    while chosen < 1 << n:
        cards = 0
        for i in range(n):
            cards |= ((chosen >> i) & 1) << order[i]
        fill_picture(s, pictures[spare], cards)
        count = add_picture(pictures, first, count, spare, room)
        low = chosen & -chosen
        carried = chosen + low
        chosen = carried | ((chosen ^ carried) // low >> 2)
    return count


@rule
def add_picture(pictures: Array, first: int, count: int, spare: int, room: int) -> int:
    """Add the picture in row `spare` unless another covers it, in the place of those it covers."""
    p = pictures[spare]
    for i in range(first, first + count):
        if covers(pictures[i], p):
            return count
    kept = first
    for i in range(first, first + count):
        if not covers(p, pictures[i]):
            if kept < i:
                pictures[kept] = pictures[i]
            kept += 1
    if kept < first + room:
        pictures[kept] = p
        kept += 1
    return kept - first


@rule
def settle(s: Record, pictures: Array, picks: Array, points: Array) -> int:
    """The points of each seat when it shows the picture in the row it picked; the winners."""
    for seat in range(s.seats):
        points[seat] = pictures[picks[seat]].value
    for colour in range(4):
        most = 0
        master = -1
        for seat in range(s.seats):
            blocks = pictures[picks[seat]].blocks[colour]
            if blocks > most:
                most = blocks
                master = seat
            elif blocks == most:
                master = -1
        if master >= 0:
            points[master] += s.bonus[colour]
    best = -1
    winners = 0
    for seat in range(s.seats):
        rank = points[seat] * 1024 + pictures[picks[seat]].blocks[4]
        if rank > best:
            best = rank
            winners = 0
        if rank == best:
            winners |= 1 << seat
    return winners


@rule
def lead_in(s: Record, points: Array, seat: int) -> float:
    best = -1
    for other in range(s.seats):
        if other != seat:
            best = max(best, points[other])
    return float(points[seat] - best)


@rule
def share_of(winners: int, seat: int) -> float:
    return ((winners >> seat) & 1) / bits_in(winners)


@rule
def fill_matrix(s: Record, pictures: Array, counts: Array, matrix: Array) -> None:
    """Two seats: what each pair of pictures is worth to seat 0."""
    picks = four()
    points = four()
    at = 0
    for i in range(counts[0]):
        for j in range(counts[1]):
            picks[0] = i
            picks[1] = MOST_PICTURES + j
            winners = settle(s, pictures, picks, points)
            matrix[at] = share_of(winners, 0) + LEAD_COUNTS * lead_in(s, points, 0)
            at += 1


@rule
def choose_by_regret(pictures: Array, first: int, count: int, counts_for: float) -> None:
    """How often each picture is chosen now: as much as not to have chosen it is regretted."""
    total = 0.0
    for i in range(first, first + count):
        total += pictures[i].regret
    for i in range(first, first + count):
        p = pictures[i]
        p.now = p.regret / total if total > 0.0 else 1.0 / count
        p.often += counts_for * p.now


@rule
def solve_two(pictures: Array, counts: Array, matrix: Array, start: int, iterations: int) -> None:
    """Go on with regret matching of two seats over the whole matrix."""
    rows = int(counts[0])
    columns = int(counts[1])
    for t in range(start, start + iterations):
        choose_by_regret(pictures, 0, rows, t + 1.0)
        regret_columns(pictures, matrix, rows, columns)
        choose_by_regret(pictures, MOST_PICTURES, columns, t + 1.0)
        regret_rows(pictures, matrix, rows, columns)


@rule
def regret_rows(pictures: Array, matrix: Array, rows: int, columns: int) -> None:
    mean = 0.0
    for i in range(rows):
        p = pictures[i]
        p.win = 0.0
        for j in range(columns):
            p.win += matrix[i * columns + j] * pictures[MOST_PICTURES + j].now
        mean += p.now * p.win
    for i in range(rows):
        p = pictures[i]
        p.regret = max(0.0, p.regret + p.win - mean)


@rule
def regret_columns(pictures: Array, matrix: Array, rows: int, columns: int) -> None:
    for j in range(columns):
        pictures[MOST_PICTURES + j].win = 0.0
    for i in range(rows):
        now = pictures[i].now
        if now > 0.0:
            for j in range(columns):
                pictures[MOST_PICTURES + j].win -= matrix[i * columns + j] * now
    mean = 0.0
    for j in range(columns):
        p = pictures[MOST_PICTURES + j]
        mean += p.now * p.win
    for j in range(columns):
        p = pictures[MOST_PICTURES + j]
        p.regret = max(0.0, p.regret + p.win - mean)


@rule
def solve_many(
    s: Record, g: Record, pictures: Array, counts: Array, start: int, iterations: int
) -> None:
    """Go on with regret matching of any number of seats, each against what the others draw."""
    picks = four()
    points = four()
    for t in range(start, start + iterations):
        for seat in range(s.seats):
            first = seat * MOST_PICTURES
            choose_by_regret(pictures, first, int(counts[seat]), t + 1.0)
            picks[seat] = draw(g, pictures, first, int(counts[seat]), False)
        for seat in range(s.seats):
            regret_draw(s, pictures, picks, points, seat, int(counts[seat]))


@rule
def regret_draw(
    s: Record, pictures: Array, picks: Array, points: Array, seat: int, count: int
) -> None:
    first = seat * MOST_PICTURES
    picked = picks[seat]
    mean = 0.0
    for i in range(first, first + count):
        picks[seat] = i
        winners = settle(s, pictures, picks, points)
        p = pictures[i]
        p.win = share_of(winners, seat) + LEAD_COUNTS * lead_in(s, points, seat)
        mean += p.now * p.win
    picks[seat] = picked
    for i in range(first, first + count):
        p = pictures[i]
        p.regret = max(0.0, p.regret + p.win - mean)


@rule
def draw(g: Record, pictures: Array, first: int, count: int, over_all: bool) -> int:
    """A row, drawn by how often it is chosen now, or over all iterations."""
    total = 0.0
    for i in range(first, first + count):
        total += pictures[i].often if over_all else pictures[i].now
    left = total * (next_word(g) / 4294967296.0)
    for i in range(first, first + count):
        left -= pictures[i].often if over_all else pictures[i].now
        if left < 0.0:
            return i
    return first + count - 1


@rule
def judge(s: Record, g: Record, pictures: Array, counts: Array, seat: int, draws: int) -> None:
    """What each picture of a seat brings, in `win` and `lead`, against the others' choices: all
    of them if there is one other, else so many draws."""
    picks = four()
    points = four()
    first = seat * MOST_PICTURES
    for i in range(first, first + counts[seat]):
        pictures[i].win = 0.0
        pictures[i].lead = 0.0
    other = 1 - seat
    rounds = int(counts[other]) if s.seats == 2 else draws
    total = 0.0
    for k in range(rounds):
        counts_for = 1.0
        if s.seats == 2:
            picks[other] = other * MOST_PICTURES + k
            counts_for = pictures[picks[other]].often
        else:
            for rival in range(s.seats):
                if rival != seat:
                    at = rival * MOST_PICTURES
                    picks[rival] = draw(g, pictures, at, int(counts[rival]), True)
        total += counts_for
        for i in range(first, first + counts[seat]):
            picks[seat] = i
            winners = settle(s, pictures, picks, points)
            pictures[i].win += counts_for * share_of(winners, seat)
            pictures[i].lead += counts_for * lead_in(s, points, seat)
    for i in range(first, first + counts[seat]):
        pictures[i].win /= total
        pictures[i].lead /= total


@rule
def order_hand(s: Record, m: Record, seat: int, order: Array) -> None:
    """A seat's cards, those of most worth in a picture first."""
    hand = int(s.hand[seat])
    left = hand
    while left != 0:
        lowest = left & -left
        left -= lowest
        card = bits_in(lowest - 1)
        m.rank[card] = weigh_card(s, m, seat, card)
    n = 0
    while hand != 0:
        card = most_worth(m, hand)
        hand ^= 1 << card
        order[n] = card
        n += 1


# What `exhibit` can be asked for
LIST, SOLVE, JUDGE = range(3)


@rule
def exhibit(
    states: Array,
    minds: Array,
    what: int,
    a: int,
    b: int,
    pictures: Array,
    counts: Array,
    matrix: Array,
    order: Array,
) -> None:
    """LIST the pictures of all seats of states[0], at most `a` a seat, of `b` cards; SOLVE the
    iterations from `a` on, `b` of them; JUDGE the pictures of seat `a` by `b` draws."""
    s = states[0]
    m = minds[0]
    if what == LIST:
        seed_generator(m, 1, 0)
        appraise_hands(s, m)
        for seat in range(s.seats):
            order_hand(s, m, seat, order)
            spare = 4 * MOST_PICTURES
            counts[seat] = list_pictures(s, seat, b, order, pictures, spare, a)
        if s.seats == 2:
            fill_matrix(s, pictures, counts, matrix)
    elif what == SOLVE:
        if s.seats == 2:
            solve_two(pictures, counts, matrix, a, b)
        else:
            solve_many(s, m, pictures, counts, a, b)
    else:
        judge(s, m, pictures, counts, a, b)
