"""What a position of dice promises at the end of a round: hands weighed for the exhibition.

A card is worth its value and what its blocks add to the chance of a mastery. A seat shows its best
cards, as many as the smallest hand allows; cards beyond that count in part while rounds are to
come, as the smallest hand may grow. `weigh` gives each card its worth to each seat, `appraise_hands`
each seat its points and its chance to win.

The rules run compiled or as plain Python, with the same results: they use no more of real numbers
than the four operations and square roots.
"""

from __future__ import annotations

import math

import numpy as np

from mandalier.games.dice.state import (
    CANVASES,
    CARDS,
    EXHIBIT,
    PREPARE,
    ROUNDS,
)
from mandalier.games.kernel import Record, bits_in, rule

COLOURS = 4
MOST_LACKING = 31
ACC_N, ACC_WIN, ACC_LEAD, ACC_SQUARES, ACC_INSIDE, ACC_LOST, ACC_TOUCH = range(7)
"""What is counted of the samples of a candidate: how many; the chance to win, the lead, and the
square of the chance, added up; how often the thrown die was inside, and fewer dice of others lay on
cards; from ACC_TOUCH on, how often it touched each cell."""
FACTS = ACC_TOUCH + CANVASES

MIND = np.dtype(
    [
        ("rng", "i8", (4,)),  # the search's own generator
        ("seed", "i8"),  # of the search
        ("seat", "i8"),  # who thinks
        ("alone", "i1"),  # 1: it does not see the others' dice and throws
        ("short", "i1"),  # 1: it does not look beyond the die in hand
        ("rounds", "i1"),  # how many rounds after this one it plays out
        ("worth", "f8", (4, 1 + CARDS)),  # [seat][card] in points, in the picture
        ("rank", "f8", (1 + CARDS,)),  # [card] its worth while a picture is chosen
        ("net", "f8", (4, 1 + CARDS)),  # [seat][card] one more card in the hand
        ("boost", "i1", (4, 1 + MOST_LACKING)),  # [seat][lacking] its cheapest card of that value
        ("sums", "i2", (4, CANVASES)),  # [seat][cell] the faces of its dice there
        ("gain", "f8", (CANVASES,)),  # [cell] what one more die there brings the thrower
        ("shown", "i1"),  # how many cards each seat shows
        ("picture", "i8", (4,)),  # [seat] the cards it would show
        ("blocks", "f8", (4, COLOURS)),  # [seat][colour] in its picture
        ("chance", "f8", (4, COLOURS)),  # [seat][colour] of that mastery
        ("weight", "f8", (4, COLOURS)),  # [seat][colour] what a block more adds, in points
        ("values", "f8", (4,)),  # [seat] of its picture
        ("spare", "f8", (4,)),  # [seat] what the cards beyond it may be worth
        ("points", "f8", (4,)),  # [seat] expected
        ("win", "f8", (4,)),  # [seat] its chance
    ],
    align=True,
)

# By rounds to come, 0 to 4: fitted to 10,000 quick games (no net of boosted trees did better).
SIGMA = (0.7, 1.3, 2.4, 2.8, 3.0)  # blocks: how a colour's majority may still shift
SPARE = (0.04, 0.3, 0.36, 0.36, 0.36)  # what a card beyond the picture counts
STAYS = (1.0, 0.78, 0.76, 0.7, 0.65)  # how much of a lead lasts to the end, on the average
TAU = (4.0, 10.8, 15.6, 17.8, 19.0)  # points: how a lead may still shift
TIE = 0.4  # blocks: a tie brings nothing


@rule
def step(z: float) -> float:
    """From 0 to 1, a half at 0."""
    return 0.5 + 0.5 * z / math.sqrt(1.0 + z * z)


@rule
def rounds_to_come(s: Record) -> int:
    """The rounds after this one; before its preparation, it too."""
    if s.over != 0 or s.phase == EXHIBIT:
        return 0
    return int(ROUNDS - s.round + int(s.phase == PREPARE))


@rule
def block_count(s: Record, card: int, colour: int) -> int:
    return int((s.blocks[card] >> 10 * colour) & 1023)


@rule
def weigh_colours(s: Record, m: Record, sigma: float) -> None:
    """Each seat's chance of each mastery, and what a block more is worth to it."""
    for colour in range(COLOURS):
        first = -1.0
        second = -1.0
        for seat in range(s.seats):
            have = m.blocks[seat][colour]
            if have > first:
                second = first
                first = have
            elif have > second:
                second = have
        for seat in range(s.seats):
            have = m.blocks[seat][colour]
            ahead = have - (second if have >= first else first)
            now = step((ahead - TIE) / sigma)
            m.chance[seat][colour] = now
            more = step((ahead + 1.0 - TIE) / sigma) - now
            fewer = now - step((ahead - 1.0 - TIE) / sigma)
            m.weight[seat][colour] = s.bonus[colour] * 0.5 * (more + fewer)


@rule
def weigh_card(s: Record, m: Record, seat: int, card: int) -> float:
    """What a card is worth in a seat's picture."""
    worth = float(s.value[card])
    for colour in range(COLOURS):
        worth += m.weight[seat][colour] * block_count(s, card, colour)
    return worth


@rule
def show_all(s: Record, m: Record, seat: int) -> None:
    """Weigh a whole hand, in the measure of the picture it has to shrink to."""
    hand = int(s.hand[seat])
    share = m.shown / max(bits_in(hand), 1)
    for colour in range(COLOURS):
        m.blocks[seat][colour] = 0.0
    while hand != 0:
        lowest = hand & -hand
        hand -= lowest
        card = bits_in(lowest - 1)
        for colour in range(COLOURS):
            m.blocks[seat][colour] += share * block_count(s, card, colour)


@rule
def show_best(s: Record, m: Record, seat: int, spare: float) -> None:
    """A seat's picture: its cards of most worth. Those beyond it count `spare`."""
    hand = int(s.hand[seat])
    for colour in range(COLOURS):
        m.blocks[seat][colour] = 0.0
    m.values[seat] = 0.0
    m.spare[seat] = 0.0
    m.picture[seat] = 0
    left = hand
    while left != 0:
        lowest = left & -left
        left -= lowest
        card = bits_in(lowest - 1)
        m.rank[card] = weigh_card(s, m, seat, card)
    shown = 0
    while hand != 0:
        best = most_worth(m, hand)
        hand ^= 1 << best
        if shown < m.shown:
            m.picture[seat] |= 1 << best
            m.values[seat] += s.value[best]
            for colour in range(COLOURS):
                m.blocks[seat][colour] += block_count(s, best, colour)
        else:
            m.spare[seat] += spare * m.rank[best]
        shown += 1


@rule
def most_worth(m: Record, cards: int) -> int:
    """The card of highest rank among these."""
    best = -1
    while cards != 0:
        lowest = cards & -cards
        cards -= lowest
        card = bits_in(lowest - 1)
        if best < 0 or m.rank[card] > m.rank[best]:
            best = card
    return best


@rule
def smallest_hand(s: Record) -> int:
    smallest = CARDS
    for seat in range(s.seats):
        smallest = min(smallest, bits_in(s.hand[seat]))
    return smallest


@rule
def appraise_hands(s: Record, m: Record) -> None:
    """Each seat's expected points and chance to win, by the hands alone."""
    left = rounds_to_come(s)
    smallest = smallest_hand(s)
    m.shown = smallest - (smallest & 1) if left == 0 else smallest
    for seat in range(s.seats):
        show_all(s, m, seat)
    for _ in range(2):
        weigh_colours(s, m, SIGMA[left])
        for seat in range(s.seats):
            show_best(s, m, seat, SPARE[left])
    weigh_colours(s, m, SIGMA[left])
    for seat in range(s.seats):
        points = m.values[seat] + m.spare[seat]
        for colour in range(COLOURS):
            points += s.bonus[colour] * m.chance[seat][colour]
        m.points[seat] = points
    draw_near(s, m, STAYS[left])
    foresee_winner(s, m, TAU[left])


@rule
def draw_near(s: Record, m: Record, stays: float) -> None:
    """Leave only this part of the differences between the seats."""
    mean = 0.0
    for seat in range(s.seats):
        mean += m.points[seat] / s.seats
    for seat in range(s.seats):
        m.points[seat] = mean + stays * (m.points[seat] - mean)


@rule
def foresee_winner(s: Record, m: Record, tau: float) -> None:
    """Each seat's chance to win, by the expected points."""
    total = 0.0
    for seat in range(s.seats):
        chance = 1.0
        for other in range(s.seats):
            if other != seat:
                chance *= step((m.points[seat] - m.points[other]) / tau)
        m.win[seat] = chance
        total += chance
    for seat in range(s.seats):
        m.win[seat] /= total


@rule
def lead_of(s: Record, m: Record, seat: int) -> float:
    """How far a seat's expected points are before those of the best other seat."""
    best = -1000.0
    for other in range(s.seats):
        if other != seat and m.points[other] > best:
            best = m.points[other]
    return float(m.points[seat] - best)


@rule
def weigh(s: Record, m: Record) -> None:
    """Give each card on the grid and in hands its worth to each seat."""
    appraise_hands(s, m)
    smallest = smallest_hand(s)
    for seat in range(s.seats):
        for cell in range(CANVASES):
            card = int(s.grid[cell])
            if card != 0:
                m.worth[seat][card] = weigh_card(s, m, seat, card)
        for other in range(s.seats):
            hand = int(s.hand[other])
            while hand != 0:
                lowest = hand & -hand
                hand -= lowest
                card = bits_in(lowest - 1)
                m.worth[seat][card] = weigh_card(s, m, seat, card)
        weigh_more(s, m, seat, smallest)
        find_boosts(s, m, seat)


@rule
def weigh_more(s: Record, m: Record, seat: int, smallest: int) -> None:
    """What one more card adds: to a hand larger than the smallest only what is better."""
    displaced = 0.0
    if bits_in(s.hand[seat]) > smallest:
        hand = int(s.hand[seat])
        least = 100.0
        while hand != 0:
            lowest = hand & -hand
            hand -= lowest
            least = min(least, float(m.worth[seat][bits_in(lowest - 1)]))
        displaced = least * (1.0 - SPARE[rounds_to_come(s)])
    for card in range(1, 1 + CARDS):
        worth = m.worth[seat][card]
        m.net[seat][card] = max(0.1 * worth, worth - displaced)


@rule
def find_boosts(s: Record, m: Record, seat: int) -> None:
    """The cheapest card of a hand for each number of points that may be lacking; 0 for none."""
    for lacking in range(1 + MOST_LACKING):
        m.boost[seat][lacking] = 0
    hand = int(s.hand[seat])
    while hand != 0:
        lowest = hand & -hand
        hand -= lowest
        card = bits_in(lowest - 1)
        for lacking in range(1, 1 + min(int(s.value[card]), MOST_LACKING)):
            other = int(m.boost[seat][lacking])
            if other == 0 or m.worth[seat][card] < m.worth[seat][other]:
                m.boost[seat][lacking] = card
