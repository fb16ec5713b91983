"""Mandala, the card game by Trevor Benjamin and Brett J. Gilbert (Lookout, 2019).

Two seats play cards of coloured sand into two mandalas. A mandala that shows all six colours is
destroyed: the seats claim the colours of its mountain in turn, and what a claimed card is worth
depends on the order in which its owner first took the colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mandalier.games.contract import COMMON, STANDING
from mandalier.games.kernel import (
    ONES,
    Array,
    Record,
    below,
    count_of,
    flags,
    kinds,
    list_runs,
    mix,
    rule,
    seed_generator,
    shuffle,
    size,
)
from mandalier.games.position import Counts, Deck, Numerals, Paint, letters_of, pile_of
from mandalier.games.sketch import (
    NULL,
    QUOTE,
    put,
    put_flag,
    put_number,
    put_number_or_null,
    put_pile,
    words,
)
from mandalier.games.words import say, spoken

TITLE = "Mandala"
CREDIT = "Trevor Benjamin & Brett J. Gilbert"
RULES = 1
SEATS = range(2, 3)
COLOURS = "roygpk"
COLOUR_NAMES = ("red", "orange", "yellow", "green", "purple", "black")
REASONS = ("river", "deck", "locked", "stalled")

CARDS = 108
OF_A_COLOUR = 18
FIRST_HAND = 6
FIRST_CUP = 2
HAND_LIMIT = 8
MOUNTAIN_DRAW = 3
REFILL = 2
RIVER = 6
STALLED = 40  # discards in a row (R5)
BOUNDLESS = 1000  # points, more than a game has

STATE = np.dtype(
    [
        *COMMON,
        ("turn", "i1"),  # the seat to move
        ("claiming", "i1"),  # 1 + the mandala being claimed, or 0
        ("mover", "i1"),  # the seat that completed it
        ("deck_out", "i1"),  # 1 once the deck has run out: the next mandala is the last
        ("discards_in_row", "i1"),
        ("due", "i1"),  # cards an interrupted draw still has to draw
        ("draw_to", "i1"),  # and for what: see the constants TO_…
        ("deck_n", "i1"),
        ("hand_n", "i1", (2,)),  # [seat]
        ("river_n", "i1", (2,)),  # [seat]
        ("drawn", "i1", (2,)),  # [seat] cards the seat has drawn since the last shuffle
        # piles: a count for each colour
        ("hand", "i8", (2,)),  # [seat]
        ("mountain", "i8", (2,)),  # [mandala]
        ("field", "i8", (2, 2)),  # [mandala][seat]
        ("slot", "i8", (2,)),  # [seat] each colour's place in the river, 1–6, or 0
        ("claimed", "i8", (2,)),  # [seat] cup cards claimed in the open (R7)
        ("start", "i8", (2,)),  # [seat] the two cup cards of the setup
        ("discard", "i8"),
        ("pool", "i8", (3,)),  # [seat 0, seat 1, spectator] the deck as last shuffled, less what
        # this viewer saw leave it (R8)
        ("deck", "i1", (CARDS,)),  # the last of deck_n is the top
    ],
    align=True,
)

TO_DISCARD_MOVE = 0
TO_MOUNTAIN_MOVE = 1  # + mandala: a draw after a mountain move there
TO_REFILL = 3  # + mandala: onto a new mountain

MOUNTAIN_MOVE = 0
FIELD_MOVE = 12
MOST_TO_FIELD = HAND_LIMIT - 1
DISCARD_MOVE = FIELD_MOVE + 2 * 6 * MOST_TO_FIELD
CLAIM_MOVE = DISCARD_MOVE + 6 * HAND_LIMIT
MOVES = CLAIM_MOVE + 6


# The rules -------------------------------------------------------------------------------------


@rule
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.seats = seats
    for i in range(CARDS):
        s.deck[i] = i // OF_A_COLOUR
    shuffle(s, s.deck, CARDS)


@rule
def lay_out(s: Record) -> None:
    s.deck_n = CARDS
    for viewer in range(3):
        s.pool[viewer] = OF_A_COLOUR * ONES
    for mandala in range(2):
        refill(s, mandala, REFILL)
    for seat in range(2):
        s.hand[seat] = draw_cards(s, seat, FIRST_HAND)
        s.hand_n[seat] = FIRST_HAND
    for seat in range(2):
        s.start[seat] = draw_cards(s, seat, FIRST_CUP)


@rule
def take_top(s: Record, count: int) -> int:
    """Take cards from the top of the deck, as a pile."""
    pile = 0
    top = s.deck_n - 1
    for i in range(top, top - count, -1):
        pile += 1 << 8 * s.deck[i]
        s.deck[i] = 0
    s.deck_n = top + 1 - count
    return pile


@rule
def draw_cards(s: Record, seat: int, count: int) -> int:
    """Take cards from the deck for a seat, which sees them leave it while the other does not."""
    pile = take_top(s, count)
    s.pool[seat] -= pile
    s.drawn[seat] += count
    return pile


@rule
def refill(s: Record, mandala: int, count: int) -> None:
    """Cards from the deck onto a mountain, for all to see."""
    pile = take_top(s, count)
    s.mountain[mandala] += pile
    for viewer in range(3):
        s.pool[viewer] -= pile


@rule
def waiting(s: Record) -> int:
    if s.over != 0 or s.chance != 0:
        return 0
    return int(1 << s.turn)


@rule
@flags(boundscheck=False)
def legal(s: Record, seat: int, out: Array) -> int:
    if s.over != 0 or s.chance != 0 or seat != s.turn:
        return 0
    if s.claiming != 0:
        return list_runs(out, 0, CLAIM_MOVE, 1, kinds(s.mountain[s.claiming - 1]))
    hand = s.hand[seat]
    held = kinds(hand)
    keep_one = hand - held if held & (held - 1) == 0 else hand
    n = 0
    if s.hand_n[seat] > 1 or s.deck_n > 0 or s.discard != 0:  # R1
        for mandala in range(2):
            barred = kinds(s.field[mandala][0] + s.field[mandala][1])
            n = list_runs(out, n, MOUNTAIN_MOVE + mandala * 6, 1, held & ~barred)
    for mandala in range(2):
        barred = kinds(s.mountain[mandala] + s.field[mandala][1 - seat])
        first = FIELD_MOVE + mandala * 6 * MOST_TO_FIELD
        n = list_runs(out, n, first, MOST_TO_FIELD, keep_one & ~(255 * barred))
    return list_runs(out, n, DISCARD_MOVE, HAND_LIMIT, hand)


@rule
def play(s: Record, seat: int, move: int) -> None:
    if move >= CLAIM_MOVE:
        claim(s, seat, move - CLAIM_MOVE)
    elif move >= DISCARD_MOVE:
        which = move - DISCARD_MOVE
        count = which % HAND_LIMIT + 1
        s.discard += leave_hand(s, seat, which // HAND_LIMIT, count)
        s.discards_in_row += 1
        s.draw_to = TO_DISCARD_MOVE
        s.due = count
    elif move >= FIELD_MOVE:
        which = move - FIELD_MOVE
        place = which // MOST_TO_FIELD
        pile = leave_hand(s, seat, place % 6, which % MOST_TO_FIELD + 1)
        s.field[place // 6][seat] += pile
        s.discards_in_row = 0
        check_complete(s, place // 6)
    else:
        s.mountain[move // 6] += leave_hand(s, seat, move % 6, 1)
        s.discards_in_row = 0
        s.draw_to = TO_MOUNTAIN_MOVE + move // 6
        s.due = min(MOUNTAIN_DRAW, HAND_LIMIT - s.hand_n[seat])
    go_on(s)


@rule
def leave_hand(s: Record, seat: int, colour: int, count: int) -> int:
    pile = count << 8 * colour
    s.hand[seat] -= pile
    s.hand_n[seat] -= count
    return pile


@rule
def go_on(s: Record) -> None:
    """Draw what is due and end the turn, which may make one more draw due (a new mountain)."""
    while s.due > 0:
        if not draw(s):
            return
        after_draw(s)


@rule
def draw(s: Record) -> bool:
    """Draw what is due. False if the deck has to be shuffled first (after an exact draw too)."""
    count = min(s.due, s.deck_n)
    if s.draw_to >= TO_REFILL:
        refill(s, s.draw_to - TO_REFILL, count)
    else:
        seat = s.turn
        s.hand[seat] += draw_cards(s, seat, count)
        s.hand_n[seat] += count
    s.due -= count
    if s.deck_n == 0:
        s.deck_out = 1
        if s.discard != 0:
            s.chance = 1
            return False
    s.due = 0  # R3: a draw takes what there is
    return True


@rule
def roll(s: Record, bank: Array) -> None:
    n = 0
    for colour in range(6):
        for _ in range(count_of(s.discard, colour)):
            s.deck[n] = colour
            n += 1
    shuffle(s, s.deck, n)


@rule
def resume(s: Record) -> None:
    """The shuffled deck is in place: it is the discard now, and the draw goes on."""
    s.chance = 0
    s.deck_n = size(s.discard)
    for viewer in range(3):
        s.pool[viewer] = s.discard
    s.drawn[0] = 0
    s.drawn[1] = 0
    s.discard = 0
    if draw(s):
        after_draw(s)
        go_on(s)


@rule
def after_draw(s: Record) -> None:
    to = s.draw_to
    s.draw_to = 0
    if to >= TO_REFILL:
        s.turn = 1 - s.mover
        s.mover = 0
    elif to >= TO_MOUNTAIN_MOVE:
        check_complete(s, to - TO_MOUNTAIN_MOVE)
    elif s.discards_in_row >= STALLED:
        s.over = 4
    else:
        s.turn = 1 - s.turn


@rule
def check_complete(s: Record, mandala: int) -> None:
    """End the turn; a mandala that shows all six colours is destroyed before it ends."""
    first = s.field[mandala][0]
    second = s.field[mandala][1]
    if kinds(s.mountain[mandala] + first + second) != ONES:
        s.turn = 1 - s.turn
        return
    s.mover = s.turn
    if first + second == 0:  # R2
        s.discard += s.mountain[mandala]
        s.mountain[mandala] = 0
        finish_destruction(s, mandala)
        return
    s.claiming = 1 + mandala
    larger = size(first) - size(second)
    s.turn = 1 - s.mover
    if larger != 0:
        s.turn = 0 if larger > 0 else 1


@rule
def claim(s: Record, seat: int, colour: int) -> None:
    mandala = s.claiming - 1
    pile = s.mountain[mandala] & (255 << 8 * colour)
    s.mountain[mandala] -= pile
    if s.field[mandala][seat] == 0:
        s.discard += pile
    else:
        if count_of(s.slot[seat], colour) == 0:
            s.river_n[seat] += 1
            s.slot[seat] += s.river_n[seat] << 8 * colour
            pile -= 1 << 8 * colour
        s.claimed[seat] += pile
    s.turn = 1 - s.turn
    if s.mountain[mandala] == 0:
        finish_destruction(s, mandala)


@rule
def finish_destruction(s: Record, mandala: int) -> None:
    """The mountain is empty: clear the fields, end the game or lay a new mountain."""
    s.claiming = 0
    for seat in range(2):
        s.discard += s.field[mandala][seat]
        s.field[mandala][seat] = 0
    if s.river_n[0] == RIVER or s.river_n[1] == RIVER:
        s.over = 1
    elif s.deck_out != 0:
        s.over = 2
    elif is_locked(s):
        s.over = 3
    else:
        s.draw_to = TO_REFILL + mandala
        s.due = REFILL


@rule
def is_locked(s: Record) -> bool:
    """R4: a colour has no card left in hands, deck, discard, mountains or fields."""
    gone = kinds(s.slot[0]) + kinds(s.slot[1])
    for seat in range(2):
        gone += s.claimed[seat] + s.start[seat]
    return bool(kinds(OF_A_COLOUR * ONES - gone) != ONES)


@rule
def score(s: Record, out: Array) -> int:
    for seat in range(2):
        cup = s.claimed[seat] + s.start[seat]
        points = 0
        for colour in range(6):
            points += count_of(cup, colour) * count_of(s.slot[seat], colour)
        out[seat] = points
    lead = out[0] - out[1]
    if lead == 0:
        lead = size(s.claimed[1] + s.start[1]) - size(s.claimed[0] + s.start[0])
    if lead == 0:
        return 3  # R6
    return 1 if lead > 0 else 2


@rule
def appraise(s: Record, out: Array) -> None:
    """A mountain is worth the more, the nearer its mandala is to complete, and most to the seat
    that would choose first; a seat without a field there gets nothing."""
    score(s, out)
    for seat in range(2):
        worth = 100 * out[seat]
        for mandala in range(2):
            fields = s.field[mandala]
            lead = size(fields[seat]) - size(fields[1 - seat])
            share = 45 if lead == 0 else 60 if lead > 0 else 35
            shown = size(kinds(s.mountain[mandala] + fields[0] + fields[1]))
            if fields[seat] != 0:
                worth += mountain_worth(s, mandala, seat) * share * shown * shown // 36
        out[seat] = worth + 25 * s.hand_n[seat]


@rule
def mountain_worth(s: Record, mandala: int, seat: int) -> int:
    """What all its cards would score in a seat's cup."""
    worth = 0
    for colour in range(6):
        count = count_of(s.mountain[mandala], colour)
        slot = count_of(s.slot[seat], colour)
        if slot != 0:
            worth += count * slot
        elif count > 0:
            worth += (count - 1) * min(RIVER, s.river_n[seat] + 1) + 1
    return worth


# What nets see ---------------------------------------------------------------------------------
# The mandala that shows more colours comes first, so that the two need no telling apart.

SIGHTS = (46, 6, 27)
NOTICED = 36
SIGHTS_VERSION = 1
SEES_ASIDE = True


@rule
def shown_in(s: Record, mandala: int) -> int:
    """1 for each colour that a mandala shows, as a pile."""
    return kinds(s.mountain[mandala] + s.field[mandala][0] + s.field[mandala][1])


@rule
def riper(s: Record) -> int:
    """The mandala that shows more colours, or has the larger mountain."""
    first = 16 * size(shown_in(s, 0)) + size(s.mountain[0])
    return int(16 * size(shown_in(s, 1)) + size(s.mountain[1]) > first)


@rule
def cup_points(s: Record, seat: int, cup: int) -> int:
    points = 0
    for colour in range(6):
        points += count_of(cup, colour) * count_of(s.slot[seat], colour)
    return points


@rule
def observe(s: Record, seat: int, out: Array) -> None:
    other = 1 - seat
    cup = s.claimed[seat] + s.start[seat]
    own = cup_points(s, seat, cup)
    theirs = cup_points(s, other, s.claimed[other])
    riper_one = riper(s)
    out[0] = int(s.turn == seat)
    out[1] = int(s.claiming == 1 + riper_one)
    out[2] = int(s.claiming == 2 - riper_one)
    out[3] = int(s.claiming != 0 and s.mover == seat)
    out[4] = s.deck_out
    out[5] = s.deck_n
    out[6] = s.hand_n[seat]
    out[7] = s.hand_n[other]
    out[8] = s.river_n[seat]
    out[9] = s.river_n[other]
    out[10] = min(127, own)
    out[11] = min(127, theirs)
    out[12] = max(-127, min(127, own - theirs))
    out[13] = min(127, size(cup))
    out[14] = min(127, size(s.claimed[other]))
    out[15] = min(127, size(s.discard))
    out[16] = s.discards_in_row
    out[17] = size(kinds(s.hand[seat]))
    for k in range(2):
        observe_mandala(s, seat, riper_one ^ k, 18 + 14 * k, out)
    first = s.mountain[riper_one]
    second = s.mountain[1 - riper_one]
    fields = s.field[riper_one]
    others = s.field[1 - riper_one]
    for colour in range(6):
        at = 46 + 27 * colour
        held = count_of(s.hand[seat], colour)
        slot = count_of(s.slot[seat], colour)
        their_slot = count_of(s.slot[other], colour)
        on_first = count_of(first, colour)
        on_second = count_of(second, colour)
        mine_1 = count_of(fields[seat], colour)
        mine_2 = count_of(others[seat], colour)
        theirs_1 = count_of(fields[other], colour)
        theirs_2 = count_of(others[other], colour)
        in_cup = count_of(cup, colour)
        claimed = count_of(s.claimed[other], colour)
        out[at] = held
        out[at + 1] = on_first
        out[at + 2] = on_second
        out[at + 3] = mine_1
        out[at + 4] = mine_2
        out[at + 5] = theirs_1
        out[at + 6] = theirs_2
        out[at + 7] = slot
        out[at + 8] = their_slot
        out[at + 9] = in_cup
        out[at + 10] = claimed
        out[at + 11] = count_of(s.pool[seat], colour)
        out[at + 12] = count_of(s.discard, colour)
        out[at + 13] = int(slot == 0)
        out[at + 14] = int(their_slot == 0)
        out[at + 15] = int(on_first + mine_1 + theirs_1 > 0)
        out[at + 16] = int(on_second + mine_2 + theirs_2 > 0)
        out[at + 17] = min(127, on_first * slot)
        out[at + 18] = min(127, on_second * slot)
        out[at + 19] = min(127, on_first * their_slot)
        out[at + 20] = min(127, on_second * their_slot)
        out[at + 21] = min(127, in_cup * slot)
        out[at + 22] = min(127, claimed * their_slot)
        out[at + 23] = int(held > 0 and mine_1 + theirs_1 == 0)
        out[at + 24] = int(held > 0 and mine_2 + theirs_2 == 0)
        out[at + 25] = int(held > 0 and on_first + theirs_1 == 0)
        out[at + 26] = int(held > 0 and on_second + theirs_2 == 0)


@rule
def observe_mandala(s: Record, seat: int, mandala: int, at: int, out: Array) -> None:
    shown = shown_in(s, mandala)
    mine = size(s.field[mandala][seat])
    theirs = size(s.field[mandala][1 - seat])
    missing = ONES - shown
    out[at] = size(shown)
    out[at + 1] = int(size(missing) == 1)
    out[at + 2] = int(size(missing) == 2)
    out[at + 3] = size(s.mountain[mandala])
    out[at + 4] = mine
    out[at + 5] = theirs
    out[at + 6] = mine - theirs
    out[at + 7] = int(mine > theirs)
    out[at + 8] = int(mine == theirs)
    out[at + 9] = int(mine == 0)
    out[at + 10] = int(theirs == 0)
    out[at + 11] = min(127, mountain_worth(s, mandala, seat))
    out[at + 12] = min(127, mountain_worth(s, mandala, 1 - seat))
    out[at + 13] = size(missing & kinds(s.hand[seat]))


@rule
def notice(s: Record, seat: int, move: int, out: Array) -> None:
    for i in range(NOTICED):
        out[i] = 0
    other = 1 - seat
    mandala = -1
    mine = 0  # cards that go into the own field
    up = 0  # and onto the mountain
    if move >= CLAIM_MOVE:
        colour = move - CLAIM_MOVE
        out[3] = 1
        notice_claim(s, seat, colour, out)
    elif move >= DISCARD_MOVE:
        which = move - DISCARD_MOVE
        colour = which // HAND_LIMIT
        out[2] = 1
        out[4] = which % HAND_LIMIT + 1
        out[33] = int(s.deck_n <= which % HAND_LIMIT + 1)
    elif move >= FIELD_MOVE:
        which = move - FIELD_MOVE
        mandala = which // MOST_TO_FIELD // 6
        colour = which // MOST_TO_FIELD % 6
        mine = which % MOST_TO_FIELD + 1
        out[1] = 1
        out[4] = mine
    else:
        mandala = move // 6
        colour = move % 6
        up = 1
        out[0] = 1
        out[4] = 1
        drawn = min(MOUNTAIN_DRAW, HAND_LIMIT + 1 - s.hand_n[seat])
        out[32] = drawn
        out[33] = int(s.deck_n <= drawn)
    held = count_of(s.hand[seat], colour)
    slot = count_of(s.slot[seat], colour)
    their_slot = count_of(s.slot[other], colour)
    out[5] = held
    out[6] = held - out[4] if move < CLAIM_MOVE else 0
    out[7] = slot
    out[8] = their_slot
    out[9] = int(slot == 0)
    out[10] = int(their_slot == 0)
    out[11] = count_of(s.pool[seat], colour)
    out[12] = s.hand_n[seat] - (out[4] if move < CLAIM_MOVE else 0)
    out[13] = count_of(s.mountain[0], colour) + count_of(s.mountain[1], colour)
    if mandala >= 0:
        shown = shown_in(s, mandala)
        after = shown | (1 << 8 * colour)
        field = size(s.field[mandala][seat]) + mine
        theirs = size(s.field[mandala][other])
        lead = field - theirs
        out[14] = size(after)
        out[15] = int(after != shown)
        out[16] = int(after == ONES)
        out[17] = size(s.mountain[mandala]) + up
        out[18] = field
        out[19] = theirs
        out[20] = lead
        out[21] = int(lead > 0)
        out[22] = int(lead <= 0)  # on a tie the seat that did not complete it chooses first
        out[23] = min(127, mountain_worth(s, mandala, seat) + up * slot)
        out[24] = min(127, mountain_worth(s, mandala, other) + up * their_slot)
        out[25] = int(mine > 0 and mine == field)
        out[26] = size(kinds(s.hand[seat]) & (ONES - after))
        out[27] = int(size(after) == 5)
        out[34] = int(size(after) == 5 and kinds(s.hand[seat]) & (ONES - after) == 0)
        out[35] = count_of(s.mountain[1 - mandala], colour)


@rule
def notice_claim(s: Record, seat: int, colour: int, out: Array) -> None:
    mountain = s.mountain[s.claiming - 1]
    count = count_of(mountain, colour)
    other = 1 - seat
    slot = count_of(s.slot[seat], colour)
    their_slot = count_of(s.slot[other], colour)
    fields = s.field[s.claiming - 1]
    out[4] = count
    if fields[seat] != 0:
        in_cup = count_of(s.start[seat], colour)
        new_slot = s.river_n[seat] + 1
        if slot != 0:
            out[28] = min(127, count * slot)
        elif new_slot <= RIVER:
            out[28] = min(127, (count - 1 + in_cup) * new_slot)
            out[29] = new_slot
            out[30] = int(new_slot == RIVER)
    if fields[other] != 0:
        new_slot = min(RIVER, s.river_n[other] + 1)
        out[31] = min(127, count * their_slot if their_slot != 0 else (count - 1) * new_slot)
    out[17] = size(kinds(mountain)) - 1
    out[18] = size(fields[seat])
    out[19] = size(fields[other])


# Claims, exactly ------------------------------------------------------------------------------


@rule
def stage(s: Record) -> int:
    """Claims are searched, as nothing is drawn before they are over."""
    return int(s.claiming)


@rule
def standing(s: Record, out: Array) -> None:
    score(s, out)
    for seat in range(2):
        out[seat] *= STANDING
    if s.over != 0:  # on a tie the smaller cup
        more = size(s.claimed[0] + s.start[0]) - size(s.claimed[1] + s.start[1])
        out[0] += int(more < 0)
        out[1] += int(more > 0)


@rule
def digest(s: Record) -> int:
    h = mix(s.turn, s.claiming << 48 | s.mover << 40 | s.deck_out << 32 | s.over << 16 | s.chance)
    h = mix(h, s.discards_in_row << 24 | s.due << 16 | s.draw_to << 8 | s.deck_n)
    for i in range(2):
        for pile in (s.hand[i], s.mountain[i], s.field[0][i], s.field[1][i]):
            h = mix(h, pile)
        for pile in (s.slot[i], s.claimed[i], s.start[i]):
            h = mix(h, pile)
    h = mix(h, s.discard)
    for first in range(0, s.deck_n, 20):
        word = 0
        for i in range(first, min(first + 20, s.deck_n)):
            word = word << 3 | int(s.deck[i])
        h = mix(h, word)
    return h


@rule
def bounds(s: Record, out: Array) -> None:
    """A claim may be worth much beyond its points: no bounds."""
    out[0] = -STANDING * BOUNDLESS
    out[1] = STANDING * BOUNDLESS


# Who sees what ---------------------------------------------------------------------------------


@rule
def hide(s: Record, seat: int) -> None:
    for i in range(4):
        s.rng[i] = 0
    for i in range(CARDS):
        s.deck[i] = 0
    row = seat if seat < 2 else 2
    for viewer in range(3):
        if viewer != row:
            s.pool[viewer] = 0
    for other in range(2):
        if other != seat:
            s.hand[other] = 0
            if s.over == 0:
                s.start[other] = 0
    s.viewer = 1 + seat


@rule
def imagine(s: Record, seed: int) -> None:
    """Deal the unseen cards: the deck from its make-up (R8), the rest to hands and cups.

    A game that goes on has a card of each colour left in play (R4), so worlds without one are
    dealt again.
    """
    seed_generator(s, seed, 0)
    viewer = s.viewer - 1
    row = viewer if viewer < 2 else 2
    s.viewer = 0
    unseen = OF_A_COLOUR * ONES - seen(s)
    deal_unseen(s, viewer, s.pool[row], unseen)
    while s.over == 0 and s.claiming == 0 and is_locked(s):
        for seat in range(2):
            if seat != viewer:
                s.start[seat] = 0
                s.hand[seat] = 0
        deal_unseen(s, viewer, s.pool[row], unseen)
    imagine_pools(s, row)


@rule
def reshuffle(s: Record, seed: int) -> None:
    """Nobody knows the order of the deck."""
    seed_generator(s, seed, 0)
    shuffle(s, s.deck, s.deck_n)


@rule
def seen(s: Record) -> int:
    """All cards but those in the deck and in wiped places, as a pile."""
    pile = s.discard
    for i in range(2):
        pile += s.mountain[i] + s.field[0][i] + s.field[1][i]
        pile += s.hand[i] + s.claimed[i] + s.start[i] + kinds(s.slot[i])
    return int(pile)


@rule
def deal_unseen(s: Record, viewer: int, pool: int, unseen: int) -> None:
    # s.deck serves as the table: first the cards that may lie in the deck, then the others
    n = 0
    for colour in range(6):
        for _ in range(min(count_of(pool, colour), count_of(unseen, colour))):
            s.deck[n] = colour
            n += 1
    shuffle(s, s.deck, n)
    for colour in range(6):
        for _ in range(count_of(unseen, colour) - count_of(pool, colour)):
            s.deck[n] = colour
            n += 1
    for seat in range(2):
        if seat != viewer:
            if s.over == 0:
                s.start[seat] = pick_unseen(s, n, FIRST_CUP)
                n -= FIRST_CUP
            s.hand[seat] = pick_unseen(s, n, s.hand_n[seat])
            n -= s.hand_n[seat]


@rule
def pick_unseen(s: Record, n: int, count: int) -> int:
    """Take random cards of those on the table that are not in the deck, as a pile."""
    pile = 0
    first = s.deck_n
    for end in range(n, n - count, -1):
        i = first + below(s, end - first)
        pile += 1 << 8 * s.deck[i]
        s.deck[i] = s.deck[end - 1]
        s.deck[end - 1] = 0
    return pile


@rule
def imagine_pools(s: Record, row: int) -> None:
    """Give the other viewers a make-up of the deck that fits this world.

    The viewer's own make-up less the deck is what the seats it cannot see into have drawn. What
    a seat drew itself its view has not kept apart: its hand stands for it, then cards that its
    make-up does not hold.
    """
    deck = 0
    for i in range(s.deck_n):
        deck += 1 << 8 * s.deck[i]
    drawn = s.pool[row] - deck
    if row < 2:
        own = first_cards(s.hand[row], s.drawn[row])
        others = OF_A_COLOUR * ONES - s.pool[row] - s.hand[row]
        own += first_cards(others, s.drawn[row] - size(own))
        s.pool[1 - row] = deck + own
        s.pool[2] = s.pool[row] + own
    else:
        by_0 = first_cards(drawn, s.drawn[0])
        s.pool[0] = deck + drawn - by_0
        s.pool[1] = deck + by_0


@rule
def first_cards(pile: int, count: int) -> int:
    """So many cards of a pile (or all it has), lowest colours first."""
    taken = 0
    for colour in range(6):
        n = min(count, count_of(pile, colour))
        taken += n << 8 * colour
        count -= n
    return taken


# Texts -----------------------------------------------------------------------------------------

CODECS: Mapping[str, Any] = {
    "hand": Counts(COLOURS, total="hand_n"),
    "deck": Deck(COLOURS, total="deck_n"),
    **{f: Counts(COLOURS) for f in ("mountain", "field", "claimed", "start", "discard")},
    "slot": Numerals(),
    "pool": Numerals(),
}
MOVE_TEXTS = (
    *(f"m{mandala}{colour}" for mandala in (1, 2) for colour in COLOURS),
    *(
        f"f{mandala}{colour}{count}"
        for mandala in (1, 2)
        for colour in COLOURS
        for count in range(1, MOST_TO_FIELD + 1)
    ),
    *(f"d{colour}{count}" for colour in COLOURS for count in range(1, HAND_LIMIT + 1)),
    *(f"c{colour}" for colour in COLOURS),
)
MOVE_NUMBERS = {text: move for move, text in enumerate(MOVE_TEXTS)}


def goal() -> str:
    return say(
        "Two mandalas lie between you. On your turn place one card on a mountain and draw, place "
        "cards of one colour into a field of yours, or exchange cards of one colour. In a mandala "
        "a colour belongs to one place: the mountain, your field or the other field. When all six "
        "colours lie in a mandala it is destroyed: whoever has more cards in their field chooses "
        "a colour of the mountain first, then you take turns. The first card of a new colour goes "
        "into your river, the others into your cup. At the end a cup card is worth the place of "
        "its colour in your river, 1 to 6. The game ends with a full river, or after the deck."
    )


def help_texts() -> dict[str, str]:
    """What each kind of move looks like and does."""
    return {
        "m1r": say("place a red card on mountain 1, then draw up to 3 cards (8 in hand at most)"),
        "f2g3": say("place 3 green cards into your field of mandala 2; keep at least one card"),
        "dy2": say("discard 2 yellow cards, then draw as many"),
        "cr": say("claim all red cards of the mountain of the mandala being destroyed"),
    }


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        raise ValueError(say("sand has no option {name}", name=repr(name)))
    return {}


def apply_options(s: Any, options: Mapping[str, Any]) -> None:
    """There are none."""


def text(s: Any, move: int) -> str:
    return MOVE_TEXTS[move]


def parse(text: str) -> tuple[int, Sequence[int]]:
    if text not in MOVE_NUMBERS:
        raise ValueError(say("a move looks like m1r, f2g3, dy2 or cr"))
    return MOVE_NUMBERS[text], ()


def prepare(s: Any, arguments: Sequence[int]) -> None:
    """A move's number says all."""


def setup(s: Any) -> dict[str, Any]:
    return {"deck": "".join(COLOURS[colour] for colour in reversed(s.deck))}


def set_up(s: Any, seats: int, setup: Mapping[str, Any]) -> None:
    deck = setup.get("deck")
    if set(setup) != {"deck"} or not isinstance(deck, str):
        raise ValueError(say("the setup of sand is its deck, as text"))
    s.seats = seats
    s.deck = _deck(deck, OF_A_COLOUR * ONES)


def _deck(text: str, expected: int) -> list[int]:
    """A deck text, top first, as the cards of the state; it must hold the cards of this pile."""
    pile_of(text, COLOURS)  # none but these letters
    for colour, name in enumerate(colour_names()):
        n, due = text.count(COLOURS[colour]), count_of(expected, colour)
        if n != due:
            raise ValueError(
                say("the deck has {n} {colour} cards, not {due}", n=n, colour=name, due=due)
            )
    return [COLOURS.index(letter) for letter in reversed(text)] + [0] * (CARDS - len(text))


def chance_text(s: Any) -> str:
    return "shuffle " + "".join(COLOURS[i] for i in reversed(s.deck[: size(s.discard)]))


def set_chance(s: Any, text: str) -> None:
    kind, _, deck = text.partition(" ")
    if kind != "shuffle":
        raise ValueError(say("chance in sand looks like: shuffle, a space, the new deck"))
    s.deck = _deck(deck, s.discard)


# Words -----------------------------------------------------------------------------------------


def colour_names() -> tuple[str, ...]:
    return _colour_names(spoken())


@lru_cache
def _colour_names(language: str) -> tuple[str, ...]:
    """In the language at hand."""
    return (say("red"), say("orange"), say("yellow"), say("green"), say("purple"), say("black"))


def river_of(s: Any, seat: int) -> str:
    """The colours of a river, slot 1 first."""
    return _river(s.slot[seat])


@lru_cache(maxsize=1 << 12)
def _river(slot: int) -> str:
    slots = [count_of(slot, colour) for colour in range(6)]
    return "".join(
        COLOURS[colour] for _, colour in sorted(zip(slots, range(6), strict=True)) if slots[colour]
    )


def describe(s: Any) -> dict[str, Any]:
    row = min(s.viewer - 1, 2)
    others = sum(s.drawn[seat] for seat in range(2) if seat != row)
    return {
        "turn": s.turn,
        "claiming": s.claiming or None,
        "completed_by": s.mover if s.claiming else None,
        "deck": s.deck_n,
        "deck_out": bool(s.deck_out),
        "deck_and_drawn_by_others": letters_of(s.pool[row], COLOURS),
        "drawn_by_others": others,
        "discard": letters_of(s.discard, COLOURS),
        "discards_in_row": s.discards_in_row,
        "mandalas": [
            {
                "mountain": letters_of(s.mountain[mandala], COLOURS),
                "fields": [letters_of(s.field[mandala][seat], COLOURS) for seat in range(2)],
            }
            for mandala in range(2)
        ],
        "seats": [
            {
                "hand": letters_of(s.hand[seat], COLOURS) if seat == row else None,
                "hand_cards": s.hand_n[seat],
                "river": river_of(s, seat),
                "cup_claimed": letters_of(s.claimed[seat], COLOURS),
                "cup_start": letters_of(s.start[seat], COLOURS) if seat == row or s.over else None,
                "cup_cards": size(s.claimed[seat]) + FIRST_CUP,
            }
            for seat in range(2)
        ],
    }


# The same as JSON, for servers: see sketch.py.
LETTERS = words(COLOURS)
TURN, CLAIMING, COMPLETED_BY = words('"turn":'), words(',"claiming":'), words(',"completed_by":')
DECK, DECK_OUT = words(',"deck":'), words(',"deck_out":')
POOL, DRAWN = words(',"deck_and_drawn_by_others":'), words(',"drawn_by_others":')
DISCARD, IN_ROW = words(',"discard":'), words(',"discards_in_row":')
MANDALAS, NEXT_MANDALA = words(',"mandalas":[{"mountain":'), words(']},{"mountain":')
FIELDS, NEXT_FIELD = words(',"fields":['), words(",")
PLAYERS, NEXT_PLAYER = words(']}],"seats":[{"hand":'), words('},{"hand":')
HAND_CARDS, IN_RIVER = words(',"hand_cards":'), words(',"river":')
CUP_CLAIMED, CUP_START = words(',"cup_claimed":'), words(',"cup_start":')
CUP_CARDS, LAST = words(',"cup_cards":'), words("}]")


@rule
def sketch(s: Record, out: Array) -> int:
    row = min(s.viewer - 1, 2)
    n = put_number(out, put(out, 0, TURN), s.turn)
    n = put_number_or_null(out, put(out, n, CLAIMING), s.claiming, s.claiming != 0)
    n = put_number_or_null(out, put(out, n, COMPLETED_BY), s.mover, s.claiming != 0)
    n = put_number(out, put(out, n, DECK), s.deck_n)
    n = put_flag(out, put(out, n, DECK_OUT), s.deck_out)
    n = put_pile(out, put(out, n, POOL), s.pool[row], LETTERS)
    others = s.drawn[0] + s.drawn[1]
    if row < 2:
        others -= s.drawn[row]
    n = put_number(out, put(out, n, DRAWN), others)
    n = put_pile(out, put(out, n, DISCARD), s.discard, LETTERS)
    n = put_number(out, put(out, n, IN_ROW), s.discards_in_row)
    for mandala in range(2):
        n = put(out, n, NEXT_MANDALA if mandala else MANDALAS)
        n = put_pile(out, n, s.mountain[mandala], LETTERS)
        n = put_pile(out, put(out, n, FIELDS), s.field[mandala][0], LETTERS)
        n = put_pile(out, put(out, n, NEXT_FIELD), s.field[mandala][1], LETTERS)
    for seat in range(2):
        n = put(out, n, NEXT_PLAYER if seat else PLAYERS)
        n = put_pile(out, n, s.hand[seat], LETTERS) if seat == row else put(out, n, NULL)
        n = put_number(out, put(out, n, HAND_CARDS), s.hand_n[seat])
        n = put_river(out, put(out, n, IN_RIVER), s.slot[seat])
        n = put_pile(out, put(out, n, CUP_CLAIMED), s.claimed[seat], LETTERS)
        n = put(out, n, CUP_START)
        if seat == row or s.over != 0:
            n = put_pile(out, n, s.start[seat], LETTERS)
        else:
            n = put(out, n, NULL)
        n = put_number(out, put(out, n, CUP_CARDS), size(s.claimed[seat]) + FIRST_CUP)
    return put(out, n, LAST)


@rule
def put_river(out: Array, n: int, slot: int) -> int:
    out[n] = QUOTE
    n += 1
    for place in range(1, RIVER + 1):
        for colour in range(6):
            if count_of(slot, colour) == place:
                out[n] = LETTERS[colour]
                n += 1
    out[n] = QUOTE
    return n + 1


def sums(s: Any, seat: int) -> list[tuple[str, int]]:
    """The cup, colour by colour; what is hidden in it is left out."""
    cup, names = s.claimed[seat] + s.start[seat], colour_names()
    worth = [(count_of(cup, colour), count_of(s.slot[seat], colour)) for colour in range(6)]
    return [
        (
            say("{colour} in the cup: {n}, worth {each} each", colour=names[c], n=n, each=each),
            n * each,
        )
        for c, (n, each) in enumerate(worth)
        if n
    ]


def refusal(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    if (move >= CLAIM_MOVE) != bool(s.claiming):
        if s.claiming:
            return say("mandala {n} is being destroyed: claim a colour of it", n=s.claiming)
        return say("no mandala is being destroyed, so there is nothing to claim")
    if move >= CLAIM_MOVE:
        colour = move - CLAIM_MOVE
        lies = count_of(s.mountain[s.claiming - 1], colour)
        name = colour_names()[colour]
        return "" if lies else say("no {colour} card lies on that mountain", colour=name)
    if move >= DISCARD_MOVE:
        which = move - DISCARD_MOVE
        return _lacks(s, seat, which // HAND_LIMIT, which % HAND_LIMIT + 1)
    if move >= FIELD_MOVE:
        which = move - FIELD_MOVE
        return _refuse_field(s, seat, which // MOST_TO_FIELD, which % MOST_TO_FIELD + 1)
    return _refuse_mountain(s, seat, move // 6, move % 6)


def _lacks(s: Any, seat: int, colour: int, count: int) -> str:
    held = count_of(s.hand[seat], colour)
    if held >= count:
        return ""
    name = colour_names()[colour]
    if held == 0:
        return say("you hold no {colour} card", colour=name)
    return say("you hold only {n} {colour}", n=held, colour=name)


def _refuse_field(s: Any, seat: int, place: int, count: int) -> str:
    mandala, colour = place // 6, place % 6
    name = colour_names()[colour]
    if lack := _lacks(s, seat, colour, count):
        return lack
    if count_of(s.mountain[mandala], colour):
        return say(
            "{colour} lies on the mountain of mandala {n}; it cannot go into a field there",
            colour=name,
            n=mandala + 1,
        )
    if count_of(s.field[mandala][1 - seat], colour):
        return say(
            "{colour} lies in the other field of mandala {n}; it cannot go into yours",
            colour=name,
            n=mandala + 1,
        )
    if count == s.hand_n[seat]:
        return say("at least one card has to stay in your hand")
    return ""


def _refuse_mountain(s: Any, seat: int, mandala: int, colour: int) -> str:
    name = colour_names()[colour]
    if lack := _lacks(s, seat, colour, 1):
        return lack
    if count_of(s.field[mandala][seat], colour):
        return say(
            "{colour} lies in your field of mandala {n}; it cannot go on this mountain",
            colour=name,
            n=mandala + 1,
        )
    if count_of(s.field[mandala][1 - seat], colour):
        return say(
            "{colour} lies in the other field of mandala {n}; it cannot go on this mountain",
            colour=name,
            n=mandala + 1,
        )
    if s.hand_n[seat] == 1 and not s.deck_n and not s.discard:
        return say("deck and discard are empty, and a turn must not end with an empty hand")
    return ""


def explain(s: Any, seat: int, move: int) -> str:
    if move >= CLAIM_MOVE:
        return _explain_claim(s, seat, move - CLAIM_MOVE)
    drawn = min(MOUNTAIN_DRAW, HAND_LIMIT + 1 - s.hand_n[seat]) if move < FIELD_MOVE else 0
    said = _explain_cards(move, drawn, spoken())
    if move >= DISCARD_MOVE:
        return said
    if move >= FIELD_MOVE:
        place = (move - FIELD_MOVE) // MOST_TO_FIELD
        return said + _completes(s, place // 6, place % 6)
    return said + _completes(s, move // 6, move % 6)


@lru_cache(maxsize=1 << 10)
def _explain_cards(move: int, drawn: int, _: str) -> str:
    """What becomes of the cards of a move, in the language at hand."""
    names = colour_names()
    if move >= DISCARD_MOVE:
        which = move - DISCARD_MOVE
        return say(
            "discard {n} {colour} and draw as many",
            n=which % HAND_LIMIT + 1,
            colour=names[which // HAND_LIMIT],
        )
    if move >= FIELD_MOVE:
        which = move - FIELD_MOVE
        place = which // MOST_TO_FIELD
        return say(
            "{n} {colour} into field {mandala}",
            n=which % MOST_TO_FIELD + 1,
            colour=names[place % 6],
            mandala=place // 6 + 1,
        )
    return say(
        "{colour} onto mountain {n}, then draw {draw}",
        colour=names[move % 6],
        n=move // 6 + 1,
        draw=drawn,
    )


def _explain_claim(s: Any, seat: int, colour: int) -> str:
    mandala = s.claiming - 1
    name, count = colour_names()[colour], count_of(s.mountain[mandala], colour)
    if not s.field[mandala][seat]:
        return say(
            "take {n} {colour}; the field is empty, so they go to the discard",
            n=count,
            colour=name,
        )
    if slot := count_of(s.slot[seat], colour):
        return say(
            "take {n} {colour} into the cup, worth {worth} each", n=count, colour=name, worth=slot
        )
    return say(
        "take {n} {colour}: one into slot {slot} of the river, {rest} into the cup",
        n=count,
        colour=name,
        slot=s.river_n[seat] + 1,
        rest=count - 1,
    )


def _completes(s: Any, mandala: int, colour: int) -> str:
    shown = kinds(s.mountain[mandala] + s.field[mandala][0] + s.field[mandala][1])
    return say("; completes the mandala") if shown != ONES == shown | 1 << 8 * colour else ""


def board(s: Any, paint: Paint) -> list[str]:
    def cards(pile: int, hidden: int = 0) -> str:
        if hidden and not pile:
            return say("{n} hidden", n=hidden)
        counts = [count_of(pile, colour) for colour in range(6)]
        parts = [paint(COLOURS[c] * n, COLOUR_NAMES[c]) for c, n in enumerate(counts) if n]
        return " ".join(parts) or "–"

    lines = []
    for mandala in range(2):
        mountain, fields = s.mountain[mandala], s.field[mandala]
        lines.append(
            paint(say("mandala {n}", n=mandala + 1), "bold")
            + "  "
            + say("mountain: {cards}", cards=cards(mountain))
        )
        lines += [
            "           "
            + say("field of seat {seat}: {cards}", seat=seat, cards=cards(fields[seat]))
            for seat in range(2)
        ]
    for seat in range(2):
        river = [paint(c, COLOUR_NAMES[COLOURS.index(c)]) for c in river_of(s, seat)]
        river += ["·"] * (RIVER - len(river))
        shown = cards(s.claimed[seat] + s.start[seat])
        if unseen := FIRST_CUP - size(s.start[seat]):
            shown += " " + say("and {n} hidden", n=unseen)
        lines += [
            paint(say("seat {seat}", seat=seat), "bold")
            + "     "
            + say("river: {cards}", cards=" ".join(river)),
            "           " + say("cup: {cards}", cards=shown),
            "           " + say("hand: {cards}", cards=cards(s.hand[seat], s.hand_n[seat])),
        ]
    deck = say("deck: {n}", n=s.deck_n) + ("  " + say("(last mandala)") if s.deck_out else "")
    return [*lines, deck + "   " + say("discard: {cards}", cards=cards(s.discard))]


def fault(s: Any) -> str:
    in_sight = [count_of(seen(s), colour) for colour in range(6)]
    for colour, name in enumerate(colour_names()):
        missing = OF_A_COLOUR - in_sight[colour]
        if missing < 0 or (not s.viewer and missing != s.deck[: s.deck_n].count(colour)):
            return say("the {colour} cards are not {all} in all", colour=name, all=OF_A_COLOUR)
    if sum(in_sight) + s.deck_n + _hidden_cards(s) != CARDS:
        return say("the cards are not {all} in all", all=CARDS)
    for seat in range(2):
        if s.hand_n[seat] > HAND_LIMIT:
            return say("seat {seat} holds more than {n} cards", seat=seat, n=HAND_LIMIT)
        slots = sorted(filter(None, (count_of(s.slot[seat], colour) for colour in range(6))))
        if slots != list(range(1, s.river_n[seat] + 1)):
            return say("the river of seat {seat} has a gap", seat=seat)
    return ""


def _hidden_cards(s: Any) -> int:
    """The cards of hands and cups that a view has wiped."""
    hidden = sum(s.hand_n[seat] - size(s.hand[seat]) for seat in range(2))
    return int(hidden + sum(FIRST_CUP - size(s.start[seat]) for seat in range(2)))


def secret(s: Any, entry: str) -> bool:
    """The order of a new deck is known to nobody while the game lasts."""
    return entry.startswith("* ")


def tell_chance(s: Any, outcome: str) -> str:
    return say(
        "the discard is shuffled into a new deck of {n} cards", n=len(outcome) - len("shuffle ")
    )
