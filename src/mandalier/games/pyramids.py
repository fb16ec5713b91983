"""Mandala, the game for Icehouse pyramids by Kory Heath, after Reiner Knizia's Tutankhamen.

Two to five seats walk along one path of 75 pyramids, from outside inwards, and take the pyramids
they stop at; what all have passed falls into the eye. Once the five of a group are off the path,
the group is scored. A pawn never goes back, so each pyramid left behind is one for the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mandalier.games.contract import COMMON, MAX_SEATS, NO_BANK, NOT_EXACT, STANDING
from mandalier.games.kernel import (
    Array,
    Record,
    bits_in,
    flags,
    list_bits,
    mix,
    new_states,
    rule,
    seed_generator,
    shuffle,
)
from mandalier.games.position import Paint
from mandalier.games.words import listed, say, say_n

TITLE = "Mandala for Icehouse pyramids"
CREDIT = "Kory Heath, after Reiner Knizia"
RULES = 1
SEATS = range(2, MAX_SEATS + 1)
COLOURS = "rybgk"
COLOUR_NAMES = ("red", "yellow", "blue", "green", "black")
SIZES = 3
REASONS = ("end",)

GROUPS = tuple(f"{colour}{size}" for colour in COLOURS for size in range(1, SIZES + 1))
OF_A_GROUP = 5
PLACES = OF_A_GROUP * len(GROUPS)
MOST = 3  # points for most of a group
SECOND = 2  # and for second most; a sole holder gets both

STATE = np.dtype(
    [
        *COMMON,
        ("turn", "i1"),  # the seat to move
        ("last", "i1"),  # the last place that still holds a pyramid, 0 when the game is over
        ("pawn", "i1", (MAX_SEATS,)),  # [seat] its place, 0 before its first move
        ("points", "i1", (MAX_SEATS,)),  # [seat]
        ("left", "i8", (2,)),  # masks of where pyramids lie: of places 1 to 40, of the others
        ("path", "i1", (PLACES,)),  # [place − 1] 1 + the group of the pyramid there, 0 for a gap
        # stacks: a count for each group
        ("held", "i8", (MAX_SEATS,)),  # [seat] all it has taken, of scored groups too
        ("off", "i8"),  # off the path; what of it no seat holds is in the eye
    ],
    align=True,
)

MOVES = PLACES  # place − 1
HALF = 40  # places in the first mask of `left`; the second has the others


# Stacks ----------------------------------------------------------------------------------------
# Stacks hold the counts (0 to 5) of all fifteen groups, four bits each, in one number: so the
# groups are compared and scored all at once. The fourth bit is spare, for comparisons.

ONE_OF_EACH = sum(1 << 4 * group for group in range(len(GROUPS)))
ALL_OFF = OF_A_GROUP * ONE_OF_EACH
TOP = 4 * (len(GROUPS) - 1)


@rule
def stack_of(stacks: int, group: int) -> int:
    """How many of this group."""
    return (stacks >> 4 * group) & 15


@rule
def present(stacks: int) -> int:
    """1 for each count that is not 0: itself stacks."""
    return ((stacks + 7 * ONE_OF_EACH) >> 3) & ONE_OF_EACH


@rule
def complete(off: int) -> int:
    """1 for each count that is 5."""
    return off & (off >> 2) & ONE_OF_EACH


@rule
def groups_in(stacks: int) -> int:
    """The sum of the counts, up to 15."""
    return ((stacks * ONE_OF_EACH) >> TOP) & 15


# The rules -------------------------------------------------------------------------------------


@rule
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.seats = seats
    for i in range(PLACES):
        s.path[i] = 1 + i // OF_A_GROUP
    shuffle(s, s.path, PLACES)


@rule
def lay_out(s: Record) -> None:
    """The path lies already; all pawns stand before it."""
    s.last = PLACES
    s.left[0] = (1 << HALF) - 1
    s.left[1] = (1 << PLACES - HALF) - 1


@rule
def waiting(s: Record) -> int:
    if s.over != 0:
        return 0
    return 1 << int(s.turn)


@rule
def legal(s: Record, seat: int, out: Array) -> int:
    """Every place ahead of the pawn that still holds a pyramid, however far."""
    if s.over != 0 or seat != s.turn:
        return 0
    pawn = int(s.pawn[seat])
    n = list_bits(out, 0, 0, s.left[0] & (-1 << min(pawn, HALF)))
    return list_bits(out, n, HALF, s.left[1] & (-1 << max(pawn - HALF, 0)))


@rule
def play(s: Record, seat: int, move: int) -> None:
    """Take a pyramid; what all have passed goes to the eye; pass the turn; score."""
    scored = complete(s.off)
    came_from = int(s.pawn[seat])
    s.pawn[seat] = move + 1
    s.held[seat] += take(s, move)
    last = int(s.last)
    while last > 0 and s.path[last - 1] == 0:
        last -= 1
    s.last = last
    rear = PLACES
    walking = 0  # how many seats have not reached the end
    for other in range(s.seats):
        place = int(s.pawn[other])
        rear = min(rear, place)
        walking += place < last
    if came_from < rear:  # only the rearmost pawn leaves pyramids behind all pawns
        clear_path(s, came_from, rear)
    if walking > 1:
        pass_turn(s, seat)
    else:
        end(s, rear)
    done = complete(s.off) - scored
    if done != 0:
        score_groups(s, done)


@rule
def take(s: Record, move: int) -> int:
    """Take one pyramid off the path, as stacks."""
    half = int(move >= HALF)
    s.left[half] &= ~(1 << (move - HALF * half))
    pyramid = 1 << 4 * (s.path[move] - 1)
    s.path[move] = 0
    s.off += pyramid
    return int(pyramid)


@rule
def clear_path(s: Record, first: int, stop: int) -> int:
    """Take the pyramids at places first + 1 to stop off the path, as stacks. Before these places
    there must be none."""
    s.left[0] &= -1 << min(stop, HALF)
    s.left[1] &= -1 << max(stop - HALF, 0)
    stacks = 0
    for i in range(first, stop):
        stacks += (1 << 4 * s.path[i]) >> 4  # nothing for a gap
        s.path[i] = 0
    s.off += stacks
    return int(stacks)


@rule
def pass_turn(s: Record, seat: int) -> None:
    """A seat that has reached the end is skipped (R1)."""
    while True:
        seat += 1
        if seat == s.seats:
            seat = 0
        if s.pawn[seat] < s.last:
            s.turn = seat
            return


@rule
def end(s: Record, rear: int) -> None:
    """If a single seat still has pyramids ahead of it, which is the rearmost then, it takes them
    without moving its pawn."""
    if rear < s.last:
        seat = 0
        while s.pawn[seat] != rear:
            seat += 1
        s.held[seat] += clear_path(s, rear, int(s.last))
    s.last = 0
    s.over = 1


@rule
def score_groups(s: Record, done: int) -> None:
    """Score these groups: most 3, second most 2, ties to the pawn further along, 5 for a sole
    holder. The eye is no competitor."""
    held = 0
    contested = 0  # by two seats or more
    for seat in range(s.seats):
        holds = present(s.held[seat])
        contested |= held & holds
        held |= holds
    for seat in range(s.seats):
        ahead = 0  # how many seats are before it, group by group
        enough = s.held[seat] + ONE_OF_EACH  # to be before it
        for other in range(s.seats):
            wins_tie = ONE_OF_EACH * (s.pawn[other] > s.pawn[seat])
            # the fourth bit of each count stays if it is no less
            spare = (s.held[other] | 8 * ONE_OF_EACH) + wins_tie - enough
            ahead += (spare >> 3) & ONE_OF_EACH
        two_ahead = (ahead >> 1) | (ahead >> 2)
        scores = done & present(s.held[seat]) & ~two_ahead
        second = scores & ahead
        most = scores - second
        s.points[seat] += (
            MOST * groups_in(most)
            + SECOND * groups_in(most & ~contested)
            + SECOND * groups_in(second)
        )


@rule
def roll(s: Record, bank: Array) -> None:
    """Chance has no part after the setup."""


@rule
def resume(s: Record) -> None:
    """Chance has no part after the setup."""


@rule
def score(s: Record, out: Array) -> int:
    """Most points; on a tie the pawn further along. (Seats that tie at place 0, before they have
    moved, share the win of a game that stops there.)"""
    best = 0
    winners = 0
    for seat in range(s.seats):
        out[seat] = s.points[seat]
        standing = 128 * s.points[seat] + s.pawn[seat]
        if standing > best:
            best = standing
            winners = 0
        if standing == best:
            winners |= 1 << seat
    return winners


@rule
def appraise(s: Record, out: Array) -> None:
    """A group not scored yet is worth the more to a seat, the more of it the seat holds beyond
    each other; and a pawn is better off with much of the path before it."""
    for seat in range(s.seats):
        worth = 100 * s.points[seat]
        open_groups = 0
        for group in range(len(GROUPS)):
            if stack_of(s.off, group) < OF_A_GROUP:
                open_groups += 1
                mine = stack_of(s.held[seat], group)
                before = 0
                for other in range(s.seats):
                    if other != seat and stack_of(s.held[other], group) >= mine:
                        before += 1
                if mine > 0 and before < 2:
                    worth += (70 + 45 * mine) // (1 + before)
        out[seat] = worth - 4 * open_groups * s.pawn[seat] // s.seats


# Who sees what ---------------------------------------------------------------------------------


@rule
def hide(s: Record, seat: int) -> None:
    """All is open but the generator, which has nothing left to do."""
    for i in range(4):
        s.rng[i] = 0
    s.viewer = 1 + seat


@rule
def imagine(s: Record, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.viewer = 0


# The end, exactly ------------------------------------------------------------------------------

ALL_OPEN = True
NEAR_END = (30, 12, 10, 9)  # [seats − 2] pyramids ahead of the rearmost pawn, at most


@rule
def stage(s: Record) -> int:
    """All is open, so every position could be searched to the end, given the time."""
    rear = PLACES
    for seat in range(s.seats):
        rear = min(rear, int(s.pawn[seat]))
    return 1 if lying_ahead(s, rear) <= NEAR_END[s.seats - 2] else NOT_EXACT


@rule
def standing(s: Record, out: Array) -> None:
    for seat in range(s.seats):
        out[seat] = STANDING * s.points[seat]
        if s.over != 0:  # on a tie the pawn further along
            for other in range(s.seats):
                out[seat] += int(s.pawn[other] < s.pawn[seat])


@rule
def least(one: int, other: int) -> int:
    """The lower of the counts of each group; counts up to 7."""
    higher = 15 * ((((one | 8 * ONE_OF_EACH) - other) >> 3) & ONE_OF_EACH)
    return (other & higher) | (one & ~higher)


@rule
def digest(s: Record) -> int:
    """Of two seats' pyramids only what may still decide a group: whether each has one, and by how
    many one is ahead, up to one more than are left."""
    h = int(s.turn)
    rear = PLACES
    for seat in range(s.seats):
        h = h << 7 | int(s.pawn[seat])
        rear = min(rear, int(s.pawn[seat]))
    h = mix(h, 1 + int(s.over))
    word = 0
    for i in range(rear, s.last):
        if word >= 1 << 56:
            h = mix(h, word)
            word = 0
        word = word << 4 | int(s.path[i])
    h = mix(h, word)
    is_open = 15 * (ONE_OF_EACH - complete(s.off))
    if s.seats > 2:
        for seat in range(s.seats):
            h = mix(h, s.held[seat] & is_open)
        return h
    first = s.held[0] & is_open
    second = s.held[1] & is_open
    both = least(first, second)
    both -= present(both)
    first -= both
    second -= both
    enough = (ALL_OFF - s.off + ONE_OF_EACH) & is_open
    h = mix(h, least(first, second + enough))
    return mix(h, least(second, first + enough))


@rule
def bounds(s: Record, out: Array) -> None:
    out[0] = -most_gain(s, 1)
    out[1] = most_gain(s, 0)


@rule
def most_gain(s: Record, seat: int) -> int:
    """The most a seat can gain on the other by what it could still take of each group, and the
    other nothing."""
    is_open = ONE_OF_EACH - complete(s.off)
    theirs = s.held[1 - seat]
    mine = s.held[seat] + lying(s, int(s.pawn[seat]), int(s.last))
    some = is_open & present(mine)
    contested = is_open & present(theirs)
    level = ((mine | 8 * ONE_OF_EACH) - theirs) >> 3  # or ahead
    gain = (MOST + SECOND) * (groups_in(some & ~contested) - groups_in(contested & ~some))
    both = some & contested
    gain += (MOST - SECOND) * (groups_in(both & level) - groups_in(both & ~level))
    return int(STANDING * gain + 1)


# What nets see ---------------------------------------------------------------------------------

SIGHTS = (4 + 5 * MAX_SEATS + 3, len(GROUPS), 3 * MAX_SEATS + 8)
NOTICED = 27
SIGHTS_VERSION = 1

# Where the numbers of a group begin that come one a seat, and the others after them
_HELD, _AHEAD, _NOW, _OTHERS = 0, MAX_SEATS, 2 * MAX_SEATS, 3 * MAX_SEATS


@rule
@flags(boundscheck=False)
def lying(s: Record, first: int, stop: int) -> int:
    """The pyramids at places first + 1 to stop, as stacks."""
    stacks = 0
    for i in range(max(first, 0), min(stop, PLACES)):
        stacks += (1 << 4 * s.path[i]) >> 4  # nothing for a gap
    return int(stacks)


@rule
@flags(boundscheck=False)
def lying_of(s: Record, group: int, first: int, stop: int) -> int:
    """How many of a group lie at places first + 1 to stop."""
    count = 0
    for i in range(max(first, 0), min(stop, PLACES)):
        count += int(s.path[i] == 1 + group)
    return count


@rule
def pyramids_in(stacks: int) -> int:
    """The sum of the counts, up to 75."""
    pairs = (stacks & 0x0F0F0F0F0F0F0F0F) + ((stacks >> 4) & 0x0F0F0F0F0F0F0F0F)
    return ((pairs * 0x0101010101010101) >> 56) & 255


@rule
def lying_ahead(s: Record, place: int) -> int:
    """How many pyramids lie beyond a place."""
    low = bits_in(s.left[0] & (-1 << min(place, HALF)))
    return low + bits_in(s.left[1] & (-1 << max(place - HALF, 0)))


@rule
def seats_before(s: Record, seat: int) -> int:
    """For each group the number of seats that stand before this one: itself stacks."""
    before = 0
    enough = s.held[seat] + ONE_OF_EACH
    for other in range(s.seats):
        wins_tie = ONE_OF_EACH * (s.pawn[other] > s.pawn[seat])
        before += (((s.held[other] | 8 * ONE_OF_EACH) + wins_tie - enough) >> 3) & ONE_OF_EACH
    return int(before)


@rule
def observe(s: Record, seat: int, out: Array) -> None:
    """The whole: number of seats; of each seat its pawn, its distance, its points, how much lies
    ahead of it, whose turn it is; how much lies on the path, how many seats stand behind and how
    many groups are open. Each group: what each seat holds, has ahead of it and would score for it
    now; how many are in the eye and on the path; where the nearest ones lie. Scored groups are
    blank but for a mark."""
    seats = int(s.seats)
    for i in range(SIGHTS[0] + SIGHTS[1] * SIGHTS[2]):
        out[i] = 0
    out[seats - 2] = 1
    scored = complete(s.off)
    held = 0
    contested = 0
    behind = 0
    for other in range(seats):
        holds = present(s.held[other])
        contested |= held & holds
        held |= holds
        behind += int(s.pawn[other] < s.pawn[seat])
    for k in range(seats):
        other = (seat + k) % seats
        pawn = int(s.pawn[other])
        out[4 + k] = pawn
        out[4 + MAX_SEATS + k] = pawn - s.pawn[seat]
        out[4 + 2 * MAX_SEATS + k] = s.points[other]
        out[4 + 3 * MAX_SEATS + k] = lying_ahead(s, pawn)
        out[4 + 4 * MAX_SEATS + k] = int(s.turn == other and s.over == 0)
        observe_seat(s, other, k, scored, contested, out)
    out[SIGHTS[0] - 3] = pyramids_in(ALL_OFF - s.off)
    out[SIGHTS[0] - 2] = behind
    out[SIGHTS[0] - 1] = len(GROUPS) - groups_in(scored)
    in_eye = s.off
    for other in range(seats):
        in_eye -= s.held[other]
    for group in range(len(GROUPS)):
        at = SIGHTS[0] + group * SIGHTS[2] + _OTHERS
        if stack_of(scored, group) != 0:
            out[at] = 1
        else:
            out[at + 1] = stack_of(in_eye, group)
            out[at + 2] = OF_A_GROUP - stack_of(s.off, group)
    observe_distances(s, int(s.pawn[seat]), SIGHTS[0] + _OTHERS + 3, out)
    observe_next(s, int(s.pawn[(seat + 1) % seats]), SIGHTS[0] + _OTHERS + 6, out)


@rule
def observe_seat(s: Record, seat: int, k: int, scored: int, contested: int, out: Array) -> None:
    """What the k-th seat holds, has ahead and would score of each group that is open."""
    ahead = lying(s, int(s.pawn[seat]), int(s.last))
    before = seats_before(s, seat)
    held = s.held[seat]
    for group in range(len(GROUPS)):
        if stack_of(scored, group) == 0:
            at = SIGHTS[0] + group * SIGHTS[2] + k
            mine = stack_of(held, group)
            out[at + _HELD] = mine
            out[at + _AHEAD] = stack_of(ahead, group)
            if mine > 0:
                rank = stack_of(before, group)
                sole = SECOND * (1 - stack_of(contested, group))
                out[at + _NOW] = MOST + sole if rank == 0 else SECOND if rank == 1 else 0


@rule
def observe_distances(s: Record, pawn: int, first: int, out: Array) -> None:
    """Of each group the distance of the nearest ahead of a pawn, how many others lie before it,
    and the distance of the second; 0 where there is none."""
    skipped = lying_ahead(s, pawn)
    for place in range(int(s.last), pawn, -1):
        here = int(s.path[place - 1])
        if here != 0:
            skipped -= 1
            at = first + (here - 1) * SIGHTS[2]
            out[at + 2] = out[at]
            out[at] = place - pawn
            out[at + 1] = skipped


@rule
def observe_next(s: Record, pawn: int, first: int, out: Array) -> None:
    """The same for the next seat, without the second: distance and how many lie before it."""
    skipped = lying_ahead(s, pawn)
    for place in range(int(s.last), pawn, -1):
        here = int(s.path[place - 1])
        if here != 0:
            skipped -= 1
            at = first + (here - 1) * SIGHTS[2]
            out[at] = place - pawn
            out[at + 1] = skipped


@rule
def notice(s: Record, seat: int, move: int, out: Array) -> None:
    """How far it goes and what it leaves behind, how the seats then stand in its group, what
    leaves the path, who scores at once, and whether the game is over."""
    place = move + 1
    pawn = int(s.pawn[seat])
    group = int(s.path[move]) - 1
    skipped = lying(s, pawn, move)
    behind = 0
    overtaken = 0
    ahead_next = PLACES + 1  # the next pawn ahead of the place
    rear = PLACES  # the rearmost other pawn
    walking = 0
    last = int(s.last)
    if place == last:
        last -= 1
        while last > 0 and s.path[last - 1] == 0:
            last -= 1
    for other in range(s.seats):
        if other != seat:
            at = int(s.pawn[other])
            behind += int(at < place)
            overtaken += int(pawn < at < place)
            rear = min(rear, at)
            walking += int(at < last)
            if at > place:
                ahead_next = min(ahead_next, at)
    fallen = 0
    if pawn < rear:
        fallen = lying(s, pawn, min(move, rear))
    ends = walking + int(place < last) < 2
    beyond = lying_ahead(s, place)
    out[0] = place - pawn
    out[1] = pyramids_in(skipped)
    out[2] = int(out[1] == 0)
    out[3] = overtaken
    out[4] = behind
    out[5] = s.seats - 1 - behind
    out[6] = place
    out[7] = beyond
    out[8] = beyond - (lying_ahead(s, ahead_next) if ahead_next <= PLACES else 0)
    out[9] = pyramids_in(fallen)
    out[10] = int(ends)
    notice_group(s, seat, place, group, skipped, fallen, out)
    notice_skipped(s, seat, place, skipped - fallen, out)
    notice_points(s, seat, place, group, fallen, ends, last, out)


@rule
def notice_group(
    s: Record, seat: int, place: int, group: int, skipped: int, fallen: int, out: Array
) -> None:
    """How the seats stand in the group of the pyramid at a place, before and after it is taken."""
    mine = stack_of(s.held[seat], group)
    rival = 0
    before = 0
    after = 0
    rivals = 0
    for other in range(s.seats):
        if other != seat:
            count = stack_of(s.held[other], group)
            rival = max(rival, count)
            rivals += int(count > 0)
            before += int(count + int(s.pawn[other] > s.pawn[seat]) > mine)
            after += int(count + int(s.pawn[other] > place) > mine + 1)
    sole = SECOND * int(rivals == 0)
    now = 0
    if mine > 0:
        now = MOST + sole if before == 0 else SECOND if before == 1 else 0
    then = MOST + sole if after == 0 else SECOND if after == 1 else 0
    out[11] = mine + 1
    out[12] = rival
    out[13] = then
    out[14] = then - now
    out[15] = min(after, 2)
    out[16] = OF_A_GROUP - 1 - stack_of(s.off, group) - stack_of(fallen, group)
    out[17] = lying_of(s, group, place, int(s.last))
    out[18] = stack_of(skipped, group)


@rule
def notice_skipped(s: Record, seat: int, place: int, skipped: int, out: Array) -> None:
    """What is left to seats behind: of groups the seat holds, of groups they hold, of the others;
    and how many ties turn as the pawn overtakes."""
    held = 15 * present(s.held[seat])
    theirs = 0
    ties = 0
    is_open = ONE_OF_EACH - complete(s.off)
    for other in range(s.seats):
        if other != seat and s.pawn[other] < place:
            holds = present(s.held[other])
            theirs |= 15 * holds
            if s.pawn[other] > s.pawn[seat]:
                differ = s.held[other] ^ s.held[seat]
                ties += groups_in(holds & is_open & ~present(differ))
    out[19] = pyramids_in(skipped & held)
    out[20] = pyramids_in(skipped & theirs)
    out[21] = pyramids_in(skipped & ~(held | theirs))
    out[22] = ties


@rule
def notice_points(
    s: Record, seat: int, place: int, group: int, fallen: int, ends: bool, last: int, out: Array
) -> None:
    """What the move scores at once, for the seat, the next seat and the best other; and how many
    pyramids somebody takes at the end."""
    off = s.off + fallen + (1 << 4 * group)
    taker = -1
    rest = 0
    if ends:
        rest = ALL_OFF - off
        off = ALL_OFF
        for other in range(s.seats):
            at = place if other == seat else int(s.pawn[other])
            if at < last:
                taker = other
    done = complete(off) - complete(s.off)
    out[23] = 0
    out[24] = 0
    out[25] = 0
    out[26] = pyramids_in(rest) if taker == seat else -pyramids_in(rest)
    if done != 0:
        next_seat = (seat + 1) % s.seats
        for other in range(s.seats):
            gains = gain_of(s, other, done, seat, place, 1 << 4 * group, taker, rest)
            if other == seat:
                out[23] = gains
            else:
                out[25] = max(out[25], gains)
                if other == next_seat:
                    out[24] = gains


@rule
def gain_of(
    s: Record, who: int, done: int, seat: int, place: int, taken: int, taker: int, rest: int
) -> int:
    """What a seat scores for groups that are done once `seat` has taken a pyramid at a place, and
    `taker` the rest of the path."""
    mine = s.held[who] + taken * (who == seat) + rest * (who == taker)
    at = place if who == seat else int(s.pawn[who])
    ahead = 0
    others = 0
    for other in range(s.seats):
        if other != who:
            held = s.held[other] + taken * (other == seat) + rest * (other == taker)
            wins_tie = ONE_OF_EACH * ((place if other == seat else s.pawn[other]) > at)
            others |= present(held)
            ahead += (((held | 8 * ONE_OF_EACH) + wins_tie - mine - ONE_OF_EACH) >> 3) & ONE_OF_EACH
    scores = done & present(mine) & ~((ahead >> 1) | (ahead >> 2))
    most = scores & ~ahead
    return int(
        MOST * groups_in(most)
        + SECOND * groups_in(most & ~others)
        + SECOND * groups_in(scores & ahead)
    )


@rule
def reshuffle(s: Record, seed: int) -> None:
    """Everybody knows all."""
    seed_generator(s, seed, 0)


# Texts -----------------------------------------------------------------------------------------

GROUP_NUMBERS = {text: group for group, text in enumerate(GROUPS)}
PYRAMID = re.compile(f"[{COLOURS}][1-{SIZES}]|.", re.DOTALL)


def _pyramids(text: str, gap: str = "") -> list[str]:
    """The pyramids, and gaps, of a text that writes one after the other."""
    found = PYRAMID.findall(text)
    for one in found:
        if one not in GROUP_NUMBERS and one != gap:
            raise ValueError(say("{name} is no pyramid; they are r1 … k3", name=repr(one)))
    return found


def _stacks(groups: Sequence[int]) -> int:
    """Groups, one for each pyramid, as stacks."""
    for group, name in enumerate(GROUPS):
        if (n := groups.count(group)) > OF_A_GROUP:
            raise ValueError(
                say("there are {n} {group}, not {all}", n=n, group=name, all=OF_A_GROUP)
            )
    return sum(1 << 4 * group for group in groups)


class Path:
    """The path from outside in, gaps as "-": "r1-k3…"; "-" alone for an empty one."""

    covers = ("left", "off", "last")

    def write(self, s: Any, name: str) -> str | None:
        return "".join(GROUPS[here - 1] if here else "-" for here in s.path) if s.last else "-"

    def read(self, s: Any, name: str, text: str) -> None:
        found = _pyramids(text, "-") if text != "-" else ["-"] * PLACES
        if len(found) != PLACES:
            raise ValueError(say("a path has {n} places, not {given}", n=PLACES, given=len(found)))
        s.path = [1 + GROUP_NUMBERS.get(one, -1) for one in found]
        for i in range(2):
            places = s.path[HALF * i : HALF * (i + 1)]
            s.left[i] = sum(1 << bit for bit, here in enumerate(places) if here)
        s.off = ALL_OFF - _stacks([here - 1 for here in s.path if here])
        s.last = max((place for place, here in enumerate(s.path, 1) if here), default=0)


class Stacks:
    """Stacks as their pyramids, seat by seat, "-" for none: "r1r1k3,-,y2,-,-"."""

    covers: tuple[str, ...] = ()

    def write(self, s: Any, name: str) -> str | None:
        if not any(s.held):
            return None
        return ",".join(self._pile(stacks) or "-" for stacks in s.held)

    def _pile(self, stacks: int) -> str:
        return "".join(name * stack_of(stacks, group) for group, name in enumerate(GROUPS))

    def read(self, s: Any, name: str, text: str) -> None:
        parts = text.split(",")
        if len(parts) != MAX_SEATS:
            raise ValueError(
                say("{n} seats have to be named, not {given}", n=MAX_SEATS, given=len(parts))
            )
        piles = [_pyramids(part) if part != "-" else [] for part in parts]
        s.held = [_stacks([GROUP_NUMBERS[one] for one in pile]) for pile in piles]


CODECS: Mapping[str, Any] = {"path": Path(), "held": Stacks()}
MOVE_TEXTS = tuple(str(place) for place in range(1, PLACES + 1))
MOVE_NUMBERS = {text: move for move, text in enumerate(MOVE_TEXTS)}


def goal() -> str:
    return say(
        "75 pyramids lie along one path into the eye: fifteen groups of five alike, in five "
        "colours and three sizes. On your turn move your pawn ahead to any pyramid and take it; "
        "there is no way back. Pyramids that all pawns have passed fall into the eye. When the "
        "last of a group leaves the path, whoever holds most of the group gets 3 points and the "
        "second 2, or a sole holder 5; ties go to the pawn further along. If only one seat still "
        "has pyramids ahead it takes them all, and the game ends. Most points win."
    )


def help_texts() -> dict[str, str]:
    """What each kind of move looks like and does."""
    return {"17": say("move your pawn ahead to place 17 and take the pyramid that lies there")}


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        raise ValueError(say("pyramids has no option {name}", name=repr(name)))
    return {}


def apply_options(s: Any, options: Mapping[str, Any]) -> None:
    """There are none."""


def text(s: Any, move: int) -> str:
    return MOVE_TEXTS[move]


def parse(text: str) -> tuple[int, Sequence[int]]:
    if text not in MOVE_NUMBERS:
        raise ValueError(say("a move is the number of a place, 1 to {last}", last=PLACES))
    return MOVE_NUMBERS[text], ()


def prepare(s: Any, arguments: Sequence[int]) -> None:
    """A move's number says all."""


def bank() -> Any:
    return NO_BANK


def setup(s: Any) -> dict[str, Any]:
    return {"path": [GROUPS[here - 1] for here in s.path]}


def set_up(s: Any, seats: int, setup: Mapping[str, Any]) -> None:
    path = setup.get("path")
    if set(setup) != {"path"} or not isinstance(path, list):
        raise ValueError(say("the setup of pyramids is its path, as a list of groups"))
    for place, name in enumerate(path, 1):
        if not isinstance(name, str) or name not in GROUP_NUMBERS:
            raise ValueError(
                say("place {place}: {name} is none of r1 … k3", place=place, name=repr(name))
            )
    for name in GROUPS:
        if (n := path.count(name)) != OF_A_GROUP:
            raise ValueError(
                say("the path has {n} {group}, not {all}", n=n, group=name, all=OF_A_GROUP)
            )
    s.seats = seats
    s.path = [1 + GROUP_NUMBERS[name] for name in path]


def chance_text(s: Any) -> str:
    raise ValueError(say("chance has no part in pyramids after the setup"))


def set_chance(s: Any, text: str) -> None:
    raise ValueError(say("chance has no part in pyramids after the setup"))


# Words -----------------------------------------------------------------------------------------


def colour_names() -> tuple[str, ...]:
    return (say("red"), say("yellow"), say("blue"), say("green"), say("black"))


def eye_of(s: Any) -> int:
    """What lies in the eye, or was given out from there as points."""
    return int(s.off - sum(s.held))


def ranking(s: Any, group: int) -> list[int]:
    """The seats that hold pyramids of a group, first the one with most."""
    standing = [(stack_of(s.held[seat], group), s.pawn[seat], seat) for seat in range(s.seats)]
    return [seat for count, _, seat in sorted(standing, reverse=True) if count]


def counts_of(stacks: int) -> dict[str, int]:
    counts = {name: stack_of(stacks, group) for group, name in enumerate(GROUPS)}
    return {name: n for name, n in counts.items() if n}


def tell_chance(s: Any, outcome: str) -> str:
    raise ValueError(say("nothing is left to chance after the setup"))


def describe(s: Any) -> dict[str, Any]:
    return {
        "turn": s.turn,
        "path": [GROUPS[here - 1] if here else None for here in s.path],
        "eye": counts_of(eye_of(s)),
        "scored": list(counts_of(complete(s.off))),
        "seats": [
            {
                "pawn": s.pawn[seat],
                "at_the_end": s.pawn[seat] >= s.last,
                "held": counts_of(s.held[seat]),
                "points": s.points[seat],
            }
            for seat in range(s.seats)
        ],
    }


def sums(s: Any, seat: int) -> list[tuple[str, int]]:
    """Group by group. Where seats hold as many, the pawns decided, as they stood then: that is one
    part for all such groups."""
    parts, rest = [], int(s.points[seat])
    for name in counts_of(complete(s.off)):
        counts = [stack_of(s.held[other], GROUP_NUMBERS[name]) for other in range(s.seats)]
        mine = counts[seat]
        if not mine or counts.count(mine) > 1:
            continue
        ahead = sum(n > mine for n in counts)
        if ahead > 1:
            continue
        if ahead:
            part = (say("{group}: second with {n}", group=name, n=mine), SECOND)
        elif mine == sum(counts):
            part = (say("{group}: held by nobody else", group=name), MOST + SECOND)
        else:
            part = (say("{group}: most with {n}", group=name, n=mine), MOST)
        parts.append(part)
        rest -= part[1]
    if rest:
        parts.append((say("groups held alike, by the pawn further along"), rest))
    return parts


def refusal(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    at, place = s.pawn[seat], move + 1
    ahead = [1 + i for i in range(at, s.last) if s.path[i]]
    if place <= at:
        return say(
            "your pawn stands at place {at} and never goes back; the next pyramid is at {next}",
            at=at,
            next=ahead[0],
        )
    if place in ahead:
        return ""
    if place > s.last:
        return say("the last pyramid of the path is at place {last}", last=s.last)
    before = [other for other in ahead if other < place]
    after = min(other for other in ahead if other > place)
    if not before:
        return say("place {place} is empty; the next pyramid is at {next}", place=place, next=after)
    return say(
        "place {place} is empty; the nearest pyramids are at {before} and {after}",
        place=place,
        before=before[-1],
        after=after,
    )


def explain(s: Any, seat: int, move: int) -> str:
    states = new_states(STATE, 1, False)
    states[0] = s
    after: Any = states[0]
    play(after, seat, move)
    taken = s.path[move] - 1
    parts = [
        say(
            "take {colour} {size} at place {place}",
            colour=colour_names()[taken // SIZES],
            size=taken % SIZES + 1,
            place=move + 1,
        )
    ]
    if fallen := counts_of(eye_of(after) - eye_of(s)):
        shown = [name if n == 1 else f"{n} {name}" for name, n in fallen.items()]
        parts.append(say("into the eye: {pyramids}", pyramids=listed(shown)))
    for other in range(s.seats):
        gained = sum(counts_of(after.held[other] - s.held[other]).values()) - (other == seat)
        if gained:
            said = say_n(
                "the last pyramid goes to {who}",
                "the last {n} pyramids go to {who}",
                gained,
                who=_who(other),
            )
            parts.append(said)
    parts += _explain_scoring(after, complete(after.off) - complete(s.off))
    if after.over:
        parts.append(say("the game is over"))
    return "; ".join(parts)


def _explain_scoring(after: Any, done: int) -> list[str]:
    """Who gets how much for these groups; those that end alike in one phrase."""
    alike: dict[tuple[int, ...], list[str]] = {}
    for name in counts_of(done):
        first_two = tuple(ranking(after, GROUP_NUMBERS[name])[:2])
        alike.setdefault(first_two, []).append(name)
    parts = []
    for seats, names in alike.items():
        groups, who = listed(names), [_who(seat) for seat in seats]
        if not who:
            said = say("nothing for {groups}, all in the eye", groups=groups)
        elif len(who) == 1:
            said = say("{groups}: 5 points for {who}", groups=groups, who=who[0])
        else:
            said = say(
                "{groups}: 3 points for {first}, 2 for {second}",
                groups=groups,
                first=who[0],
                second=who[1],
            )
        parts.append(said)
    return parts


def _who(seat: int) -> str:
    return say("seat {seat}", seat=seat)


ROW = 15  # places in a row of the board
MARGIN = 9


def board(s: Any, paint: Paint) -> list[str]:
    lines = []
    at_start = [seat for seat in range(s.seats) if s.pawn[seat] == 0]
    if at_start:
        pawns = " ".join(paint(f"[{seat}]", "bold") for seat in at_start)
        lines.append(say("before the path: {pawns}", pawns=pawns))
    for first in range(0, PLACES, ROW):
        places = range(first, first + ROW)
        lines.append("".join(paint(f"{i + 1:4}", "dim") for i in places))
        lines.append("".join(_place(s, i, paint) for i in places).rstrip())
    return [*lines, "", *_table(s, paint)]


def _place(s: Any, i: int, paint: Paint) -> str:
    """What is to be seen at a place, four columns wide."""
    if s.path[i]:
        return "  " + _name(s.path[i] - 1, paint)
    for seat in range(s.seats):
        if s.pawn[seat] == i + 1:
            return " " + paint(f"[{seat}]", "bold")
    return paint("   ·", "dim")


def _name(group: int, paint: Paint) -> str:
    return paint(GROUPS[group], COLOUR_NAMES[group // SIZES])


def _table(s: Any, paint: Paint) -> list[str]:
    """Who has how many of each group, and what is left on the path; scored groups are ticked."""
    scored = complete(s.off)
    titles = say("place"), say("points")
    gaps = ["  " if group % SIZES == 0 else " " for group in range(len(GROUPS))]
    head = "".join(gap + _name(group, paint) for group, gap in enumerate(gaps))
    lines = [" " * MARGIN + head + "".join("  " + title for title in titles)]

    def row(title: str, stacks: int, done: str = "") -> str:
        cells = []
        for group, gap in enumerate(gaps):
            n = stack_of(stacks, group)
            is_scored = stack_of(scored, group)
            shown = done if is_scored and done else str(n or "·")
            cells.append(gap + " " + (paint(shown, "dim") if is_scored or not n else shown))
        return title + "".join(cells)

    for seat in range(s.seats):
        title = say("seat {seat}", seat=seat).ljust(MARGIN)
        numbers = (s.pawn[seat], s.points[seat])
        tail = ("  " + str(n).rjust(len(title)) for n, title in zip(numbers, titles, strict=True))
        lines.append(row(paint(title, "bold"), s.held[seat]) + "".join(tail))
    lines.append(row(say("eye").ljust(MARGIN), eye_of(s)))
    lines.append(row(say("path").ljust(MARGIN), ALL_OFF - s.off, "✓"))
    return lines


def fault(s: Any) -> str:
    if s.chance:
        return say("chance has no part in pyramids after the setup")
    for seat in range(MAX_SEATS):
        if seat >= s.seats and (s.pawn[seat] or s.points[seat] or s.held[seat]):
            return say("there is no seat {seat}, yet it has something", seat=seat)
        if not 0 <= s.pawn[seat] <= PLACES:
            return say("the pawn of seat {seat} stands at no place of the path", seat=seat)
    return _path_fault(s) or _group_fault(s) or _turn_fault(s)


def _path_fault(s: Any) -> str:
    for place in filter(None, s.pawn):
        if s.pawn.count(place) > 1:
            return say("two pawns stand at place {place}", place=place)
        if s.path[place - 1]:
            return say("a pyramid lies at place {place}, where a pawn stands", place=place)
    if any(s.path[: min(s.pawn[: s.seats])]):
        return say("a pyramid lies behind all pawns; it belongs in the eye")
    return ""


def _group_fault(s: Any) -> str:
    due = 0
    for group, name in enumerate(GROUPS):
        held = sum(stack_of(stacks, group) for stacks in s.held)
        off = stack_of(s.off, group)
        if held > off:
            return say(
                "the seats hold {n} {group}, but {off} are off the path",
                n=held,
                group=name,
                off=off,
            )
        due += MOST + SECOND if off == OF_A_GROUP and held else 0
    if min(s.points) < 0 or sum(s.points) != due:
        return say("the points have to add up to {due}, not {n}", due=due, n=sum(s.points))
    return ""


def _turn_fault(s: Any) -> str:
    walking = [seat for seat in range(s.seats) if s.pawn[seat] < s.last]
    if s.over:
        return say("the game is over, so nothing lies on the path") if s.last else ""
    if len(walking) < 2:
        return say("with fewer than two seats on their way the game is over")
    if s.turn not in walking:
        return say("seat {seat} has no pyramid ahead of it, so it cannot be its turn", seat=s.turn)
    return ""
