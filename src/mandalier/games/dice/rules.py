"""Mondrian, the dice game, by Israel Cendrero and Sheila Santos (Tranjis Games, 2016).

Two to four seats throw dice onto a grid of cards. In each of four rounds a seat prepares the ways
in which it will throw, throws one die a stroke, and collects cards its dice lie on. At the end all
exhibit pictures of the same size, which score by values and by the masteries of four colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mandalier.games.dice.geometry import cells_touched, edge_of, in_reach, side_of, take_aim
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    ALL_DICE,
    ALL_ICONS,
    BLANKS,
    BOOSTS,
    CANVASES,
    CARD,
    CARDS,
    CHOSEN,
    COLLECT,
    DICE,
    DIRECTION,
    DONE_MOVE,
    EXHIBIT,
    FLICK_SPEED,
    HAND_SPEED,
    HAND_SPIN,
    KEEP_MOVE,
    LEAVE_MOVE,
    OFFERED,
    PREPARE,
    READY_MOVE,
    ROUNDS,
    STROKES,
    TAKE_MOVE,
    TARGETS,
    THROW_MOVE,
    UNSEEN,
    UNSEEN_CARDS,
    B,
    D,
    F,
    L,
    R,
    columns_of,
    rows_of,
)
from mandalier.games.dice.surrogate import surrogate_throw
from mandalier.games.kernel import (
    Array,
    Record,
    below,
    bits_in,
    next_word,
    primitive,
    rule,
    seed_generator,
    shuffle,
)


@rule
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    seed_generator(s, seed, 0)
    s.seats = seats
    for i in range(CANVASES):
        s.grid[i] = 1 + i
    shuffle(s, s.grid, CANVASES)
    for i in range(columns_of(s) * rows_of(s), CANVASES):
        s.grid[i] = 0


@rule
def lay_out(s: Record) -> None:
    s.round = 1
    for seat in range(s.seats):
        s.hand[seat] = 7 << (CANVASES + 1 + BLANKS * seat)


@rule
def first_player(s: Record) -> int:
    return int((s.round - 1) % s.seats)


@rule
def picture_size(s: Record) -> int:
    """How many cards each seat exhibits: the largest even number not above the smallest hand."""
    smallest = CARDS
    for seat in range(s.seats):
        smallest = min(smallest, bits_in(s.hand[seat]))
    return smallest - (smallest & 1)


@rule
def has_chosen(s: Record, seat: int) -> bool:
    """Whether a seat's picture is complete, in a hidden state too."""
    kept = int(s.kept[seat])
    return kept == UNSEEN_CARDS or bits_in(kept) == picture_size(s)


@rule
def waiting(s: Record) -> int:
    if s.over != 0 or s.chance != 0:
        return 0
    seats = 0
    if s.phase == PREPARE:
        for seat in range(s.seats):
            seats |= int(s.prepared[seat] == 0) << seat
    elif s.phase == EXHIBIT:
        for seat in range(s.seats):
            seats |= int(not has_chosen(s, seat)) << seat
    else:
        seats = 1 << s.turn
    return seats


@rule
def legal(s: Record, seat: int, out: Array) -> int:
    if not 0 <= seat < s.seats or (waiting(s) >> seat) & 1 == 0:
        return 0
    if s.phase == PREPARE:
        return list_preparations(s, out)
    if s.phase == STROKES:
        return list_strokes(s, seat, out)
    if s.phase == COLLECT:
        return list_takes(s, seat, out)
    return list_cards(s, seat, out)


@rule
def play(s: Record, seat: int, move: int) -> None:
    if move < AIM_MOVE:
        s.prepared[seat] = move - READY_MOVE + 1
        if waiting(s) == 0:
            s.phase = STROKES
            s.turn = first_player(s)
    elif move < THROW_MOVE:
        which = move - AIM_MOVE
        take_aim(s, seat, which // TARGETS, which % TARGETS)
        throw(s, seat, which // TARGETS)
    elif move < AGAIN_MOVE:
        throw(s, seat, move - THROW_MOVE)
    elif move == AGAIN_MOVE:
        s.second = CHOSEN
    elif move == LEAVE_MOVE:
        end_stroke(s)
    elif move < DONE_MOVE:
        take(s, seat, move - TAKE_MOVE)
    elif move == DONE_MOVE:
        s.turn = (seat + 1) % s.seats
        if s.turn == first_player(s):
            end_round(s)
    else:
        s.kept[seat] |= 1 << (move - KEEP_MOVE + 1)
        if waiting(s) == 0:
            s.over = 1


@rule
def list_preparations(s: Record, out: Array) -> int:
    """Different icons, as many as the seat has dice: one more than the round."""
    n = 0
    for icons in range(1, 1 + ALL_ICONS):
        if bits_in(icons) == s.round + 1:
            out[n] = READY_MOVE + icons - 1
            n += 1
    return n


# Strokes


@rule
def icons_left(s: Record, seat: int) -> int:
    """The icons the seat may throw by now, as bits."""
    if s.second == CHOSEN:
        return 1 << int(s.icon - 1)
    return int(s.prepared[seat] & ~s.used[seat])


@rule
def die_in_hand(s: Record, seat: int) -> int:
    """The number − 1 of the die that is thrown next, or is in the air."""
    return bits_in(s.used[seat]) - int(s.icon != 0)


@rule
def list_strokes(s: Record, seat: int, out: Array) -> int:
    if s.second == OFFERED:
        out[0] = AGAIN_MOVE
        out[1] = LEAVE_MOVE
        return 2
    left = icons_left(s, seat)
    n = 0
    for icon in range(5):
        if (left >> icon) & 1 != 0:
            n = list_aims(s, seat, icon, n, out)
    return n


@rule
def list_aims(s: Record, seat: int, icon: int, n: int, out: Array) -> int:
    """A few aims that a thrower may think of, one at least: the cards in reach, and the others'
    dice that lie on cards. (A blind throw scatters over more than a card: every second will do.)
    """
    before = n
    first = AIM_MOVE + icon * TARGETS
    columns = columns_of(s)
    cards = 0
    for cell in range(columns * rows_of(s)):
        if s.grid[cell] != 0:
            cards |= 1 << cell
            odd = (cell % columns + cell // columns) & 1
            if (icon != B or odd == 0) and in_reach(s, seat, icon, cell):
                out[n] = first + cell
                n += 1
    if icon in (L, R, F):
        for die in range(ALL_DICE):
            owner = die // DICE
            if owner != seat and s.touch[owner][die % DICE] & cards != 0:
                if in_reach(s, seat, icon, CANVASES + die):
                    out[n] = first + CANVASES + die
                    n += 1
    if n == before:
        out[n] = first
        n += 1
    return n


@rule
def may_throw(s: Record, seat: int, icon: int) -> bool:
    """Whether a seat may throw by this icon now, as far as its gesture goes."""
    if (waiting(s) >> seat) & 1 == 0 or s.phase != STROKES or s.second == OFFERED:
        return False
    return bool((icons_left(s, seat) >> icon) & 1)


@rule
def gesture_limit(s: Record, seat: int, icon: int, k: int, end: int) -> int:
    """The least (end 0) or the greatest (end 1) that number k of a gesture may be."""
    if icon == D:
        return end * CARD * (rows_of(s) if k == 1 else columns_of(s))
    if icon == F and k == 0:
        return end * edge_of(s, seat)
    which = DIRECTION
    if icon == F:
        which = DIRECTION if k == 1 else FLICK_SPEED
    elif k > 0:
        which = HAND_SPEED if k == 1 else HAND_SPIN
    return int(s.ranges[which][end])


@rule
def throw(s: Record, seat: int, icon: int) -> None:
    """Let go of a die; where it lands is left to chance."""
    s.icon = 1 + icon
    s.used[seat] |= 1 << icon
    s.chance = 1


@rule
def resume(s: Record) -> None:
    """The dice have come to rest: those outside are lost, but for a free throw there is a second
    one."""
    s.chance = 0
    thrown_inside = False
    for i in range(s.landed_n):
        inside = put_down(s, i)
        if i == 0:
            thrown_inside = inside
    free = s.hit == 1
    s.hit = 0
    s.landed_n = 0
    for i in range(3):
        s.gesture[i] = 0
    if free and not thrown_inside and s.second == 0:
        s.second = OFFERED
    else:
        end_stroke(s)


@rule
def put_down(s: Record, i: int) -> bool:
    """Lay die i of an outcome where it landed, or off the table; whether it is inside (R1)."""
    seat = s.landed[i] // DICE
    die = s.landed[i] % DICE
    x = int(s.landed_x[i])
    y = int(s.landed_y[i])
    inside = 0 <= x <= CARD * columns_of(s) and 0 <= y <= CARD * rows_of(s)
    if inside:
        yaw = int(s.landed_yaw[i] % 3600)
        s.x[seat][die] = x
        s.y[seat][die] = y
        s.yaw[seat][die] = yaw
        s.face[seat][die] = s.landed_face[i]
        s.touch[seat][die] = cells_touched(s, x, y, yaw)
    else:
        lift(s, seat, die)
    s.landed[i] = 0
    s.landed_x[i] = 0
    s.landed_y[i] = 0
    s.landed_yaw[i] = 0
    s.landed_face[i] = 0
    return inside


@rule
def lift(s: Record, seat: int, die: int) -> None:
    """Take a die off the table."""
    s.x[seat][die] = 0
    s.y[seat][die] = 0
    s.yaw[seat][die] = 0
    s.face[seat][die] = 0
    s.touch[seat][die] = 0


@rule
def end_stroke(s: Record) -> None:
    """The next seat's stroke; when all dice are thrown, the first player collects."""
    s.icon = 0
    s.second = 0
    s.turn = (s.turn + 1) % s.seats
    if s.used[s.turn] == s.prepared[s.turn]:
        s.phase = COLLECT


# Collecting


@rule
def sum_on(s: Record, seat: int, cell: int) -> int:
    """The faces of a seat's dice that touch a cell, used ones no longer."""
    total = 0
    for die in range(DICE):
        total += int(s.face[seat][die]) * int((s.touch[seat][die] >> cell) & 1)
    return total


@rule
def rival(s: Record, seat: int, cell: int) -> int:
    """A seat that has priority on a cell over the one collecting, or −1 (R5).

    Those that have finished no longer count, and a tie goes to the earlier seat, which is the one
    collecting.
    """
    own = sum_on(s, seat, cell)
    other = int((seat + 1) % s.seats)
    while other != first_player(s):
        if sum_on(s, other, cell) > own:
            return other
        other = int((other + 1) % s.seats)
    return -1


@rule
def cells_to_take(s: Record, seat: int) -> int:
    """The cells with a card on which no other seat has priority, as bits."""
    cells = 0
    for die in range(DICE):
        cells |= s.touch[seat][die]
    left = cells
    while left != 0:
        lowest = left & -left
        left -= lowest
        cell = bits_in(lowest - 1)
        if s.grid[cell] == 0 or rival(s, seat, cell) >= 0:
            cells -= lowest
    return cells


@rule
def dice_touch(s: Record, seat: int, dice: int) -> int:
    """The cells that each of these dice touches, as bits."""
    cells = -1
    for die in range(DICE):
        if (dice >> die) & 1 != 0:
            cells &= s.touch[seat][die]
    return cells


@rule
def sum_of(s: Record, seat: int, dice: int) -> int:
    total = 0
    for die in range(DICE):
        total += int(s.face[seat][die]) * int((dice >> die) & 1)
    return total


@rule
def at_corner(s: Record, cells: int, corner: int) -> int:
    """The cell among these whose column (bit 0) and row (bit 1) are odd as `corner` says; −1 if
    there is none."""
    columns = columns_of(s)
    while cells != 0:
        lowest = cells & -cells
        cells -= lowest
        cell = bits_in(lowest - 1)
        if cell % columns & 1 == corner & 1 and cell // columns & 1 == corner >> 1:
            return cell
    return -1


@rule
def list_takes(s: Record, seat: int, out: Array) -> int:
    free = cells_to_take(s, seat)
    n = 0
    if free != 0:
        for dice in range(1, 32):
            cells = dice_touch(s, seat, dice) & free
            if cells != 0:
                for corner in range(4):
                    cell = at_corner(s, cells, corner)
                    if cell >= 0:
                        first = TAKE_MOVE + ((dice - 1) * 4 + corner) * BOOSTS
                        n = list_boosts(s, seat, cell, sum_of(s, seat, dice), first, n, out)
    out[n] = DONE_MOVE
    return n + 1


@rule
def list_boosts(s: Record, seat: int, cell: int, total: int, first: int, n: int, out: Array) -> int:
    """The take of a card without a boost if the dice reach its value; else with each card that
    makes them reach it."""
    lacking = s.value[s.grid[cell]] - total
    if lacking <= 0:
        out[n] = first
        return n + 1
    hand = s.hand[seat]
    while hand != 0:
        lowest = hand & -hand
        hand -= lowest
        card = bits_in(lowest - 1)
        if s.value[card] >= lacking:
            out[n] = first + card
            n += 1
    return n


@rule
def take(s: Record, seat: int, which: int) -> None:
    """Take a card; a boosting card fills its place at once (R4)."""
    dice = which // BOOSTS // 4 + 1
    boost = which % BOOSTS
    cell = at_corner(s, dice_touch(s, seat, dice), which // BOOSTS % 4)
    s.hand[seat] |= 1 << s.grid[cell]
    s.grid[cell] = boost
    if boost != 0:
        s.hand[seat] ^= 1 << boost
    for die in range(DICE):
        if (dice >> die) & 1 != 0:
            lift(s, seat, die)


@rule
def end_round(s: Record) -> None:
    """All dice go back; after the last round the exhibition begins."""
    for seat in range(s.seats):
        s.prepared[seat] = 0
        s.used[seat] = 0
        for die in range(DICE):
            lift(s, seat, die)
    s.turn = 0
    if s.round == ROUNDS:
        s.phase = EXHIBIT
    else:
        s.phase = PREPARE
        s.round += 1


# The exhibition


@rule
def list_cards(s: Record, seat: int, out: Array) -> int:
    """The cards the seat may keep next: above those kept, and with enough others above them."""
    kept = int(s.kept[seat])
    more = picture_size(s) - bits_in(kept)
    left = int(s.hand[seat])
    n = 0
    while bits_in(left) >= more:
        lowest = left & -left
        left -= lowest
        if lowest > kept:
            out[n] = KEEP_MOVE + bits_in(lowest - 1) - 1
            n += 1
    return n


@rule
def blocks_in(s: Record, cards: int) -> int:
    """The blocks of cards by colour, ten bits each."""
    blocks = 0
    while cards != 0:
        lowest = cards & -cards
        cards -= lowest
        blocks += s.blocks[bits_in(lowest - 1)]
    return blocks


@rule
def values_of(s: Record, cards: int) -> int:
    total = 0
    while cards != 0:
        lowest = cards & -cards
        cards -= lowest
        total += s.value[bits_in(lowest - 1)]
    return total


@rule
def best_picture(s: Record, seat: int) -> int:
    """What a seat has kept, completed by its most valuable cards among those it still may keep."""
    picture = int(s.kept[seat])
    left = 0
    hand = int(s.hand[seat])
    while hand != 0:
        lowest = hand & -hand
        hand -= lowest
        left |= lowest * int(lowest > picture)
    for _ in range(picture_size(s) - bits_in(picture)):
        best = most_valuable(s, left)
        left -= best
        picture |= best
    return picture


@rule
def most_valuable(s: Record, cards: int) -> int:
    """The card of highest value, as a bit."""
    best = 0
    most = -1
    while cards != 0:
        lowest = cards & -cards
        cards -= lowest
        value = s.value[bits_in(lowest - 1)]
        if value > most:
            most = value
            best = lowest
    return best


@rule
def counted(s: Record, seat: int, foreseen: bool) -> int:
    """The cards a seat's points are counted of: its picture, or its whole hand while the game
    runs; if foreseen, the picture that it is about to choose."""
    if s.over != 0:
        return int(s.kept[seat])
    if foreseen and s.phase == EXHIBIT:
        return best_picture(s, seat)
    return int(s.hand[seat])


@rule
def master(s: Record, colour: int, foreseen: bool) -> int:
    """The seat with strictly most blocks of a colour, or −1."""
    most = 0
    seat_with_most = -1
    for seat in range(s.seats):
        blocks = (blocks_in(s, counted(s, seat, foreseen)) >> 10 * colour) & 1023
        if blocks > most:
            most = blocks
            seat_with_most = seat
        elif blocks == most:
            seat_with_most = -1
    return seat_with_most


@rule
def count_points(s: Record, foreseen: bool, out: Array) -> None:
    for seat in range(s.seats):
        out[seat] = values_of(s, counted(s, seat, foreseen))
    for colour in range(4):
        seat = master(s, colour, foreseen)
        if seat >= 0:
            out[seat] += s.bonus[colour]


@rule
def score(s: Record, out: Array) -> int:
    count_points(s, False, out)
    best = -1
    winners = 0
    for seat in range(s.seats):
        # most points, then most white blocks
        rank = out[seat] << 10 | blocks_in(s, counted(s, seat, False)) >> 40
        if rank > best:
            best = rank
            winners = 0
        if rank == best:
            winners |= 1 << seat
    return winners


ICON_WORTH = (100, 150, 80, 300, 280)  # hundredths of points a throw may bring, about


@rule
def appraise(s: Record, out: Array) -> None:
    """A die on a card is worth a good part of it if it has priority; a throw to come a little."""
    count_points(s, True, out)
    for seat in range(s.seats):
        worth = 100 * out[seat]
        if s.phase != EXHIBIT:
            for die in range(DICE):
                worth += die_worth(s, seat, die)
            to_come = int(s.prepared[seat] & ~s.used[seat])
            if s.second == CHOSEN and s.turn == seat:
                to_come |= 1 << int(s.icon - 1)
            for icon in range(5):
                worth += ICON_WORTH[icon] * ((to_come >> icon) & 1)
        out[seat] = worth


@rule
def die_worth(s: Record, seat: int, die: int) -> int:
    """The die's part in the best card it may take, in hundredths of points."""
    best = 0
    cells = int(s.touch[seat][die])
    while cells != 0:
        lowest = cells & -cells
        cells -= lowest
        cell = bits_in(lowest - 1)
        card = int(s.grid[cell])
        total = sum_on(s, seat, cell)
        most = 0
        for other in range(s.seats):
            if other != seat:
                most = max(most, sum_on(s, other, cell))
        # a boost costs what the dice lack
        gain = min(total, int(s.value[card])) * (70 if total >= most else 15)
        best = max(best, gain * int(s.face[seat][die]) // max(total, 1))
    return best


# Chance ----------------------------------------------------------------------------------------


def _new_dice() -> Any:
    return np.zeros((ALL_DICE, 6), np.int64)


@primitive(_new_dice)
def new_dice() -> Array:
    """Room for the dice of a throw, as surrogate.py has them."""
    return [[0] * 6 for _ in range(ALL_DICE)]


def _new_work() -> Any:
    return np.zeros((18, 8))


@primitive(_new_work)
def new_work() -> Array:
    """Room for the dice that are under way, as surrogate.py has them."""
    return [[0.0] * 8 for _ in range(18)]


@rule
def roll(s: Record, bank: Array) -> None:
    """Draw where the throw in the air ends from a bank of simulated throws."""
    dice = new_dice()
    thrown = s.turn * DICE + die_in_hand(s, int(s.turn))
    n = 0
    for i in range(ALL_DICE):
        seat = i // DICE
        k = i % DICE
        if s.face[seat][k] != 0:
            dice[n][0] = s.x[seat][k]
            dice[n][1] = s.y[seat][k]
            dice[n][2] = s.yaw[seat][k]
            dice[n][3] = s.face[seat][k]
            dice[n][4] = i
            dice[n][5] = 1
            n += 1
    dice[n][4] = thrown
    moved = surrogate_throw(
        bank,
        dice,
        n + 1,
        new_work(),
        n,
        int(s.icon) - 1,
        int(s.gesture[0]),
        int(s.gesture[1]),
        int(s.gesture[2]),
        int(s.steadiness) + 1,
        int((s.left_handed >> s.turn) & 1),
        side_of(s, int(s.turn)),
        columns_of(s),
        rows_of(s),
        s,
    )
    s.hit = 1 + (moved & 1)
    s.landed_n = 0
    note_landed(s, dice, n)
    for i in range(n):
        if (moved >> (1 + i)) & 1 != 0:
            note_landed(s, dice, i)


@rule
def note_landed(s: Record, dice: Array, i: int) -> None:
    """Add a die to the outcome."""
    n = s.landed_n
    s.landed[n] = dice[i][4]
    s.landed_x[n] = dice[i][0]
    s.landed_y[n] = dice[i][1]
    s.landed_yaw[n] = dice[i][2]
    s.landed_face[n] = dice[i][3]
    s.landed_n = n + 1


@rule
def throw_seed(s: Record) -> int:
    """The seed of the simulation of the throw in the air: the next words of the generator."""
    high = next_word(s)
    return (high << 30) | (next_word(s) >> 2)


# Entries of records, as numbers ----------------------------------------------------------------

HIT = 2  # what `hit` is after a throw that touched a die; 1 after a free one
FARTHEST = 10**9  # how far off a die may land


@rule
def enter(s: Record, seat: int, numbers: Array, first: int, n: int, out: Array) -> bool:
    if seat < 0:
        return enter_outcome(s, numbers, first, n)
    move = int(numbers[first])
    if THROW_MOVE <= move < AGAIN_MOVE:
        return enter_gesture(s, seat, move - THROW_MOVE, numbers, first + 1)
    count = legal(s, seat, out)
    low = 0
    high = count
    while low < high:
        middle = (low + high) >> 1
        if out[middle] < move:
            low = middle + 1
        else:
            high = middle
    if low == count or out[low] != move:
        return False
    return not TAKE_MOVE <= move < DONE_MOVE or takes_from(s, seat, move, int(numbers[first + 1]))


@rule
def takes_from(s: Record, seat: int, move: int, place: int) -> bool:
    """Whether a legal take goes to the cell of this place, which counts columns in nines."""
    which = (move - TAKE_MOVE) // BOOSTS
    cell = at_corner(s, dice_touch(s, seat, which // 4 + 1), which % 4)
    columns = columns_of(s)
    return bool(cell // columns == place // 9 and cell % columns == place % 9)


@rule
def enter_gesture(s: Record, seat: int, icon: int, numbers: Array, first: int) -> bool:
    if not may_throw(s, seat, icon):
        return False
    s.gesture[2] = 0
    for k in range(2 if icon == D else 3):
        number = int(numbers[first + k])
        if not gesture_limit(s, seat, icon, k, 0) <= number <= gesture_limit(s, seat, icon, k, 1):
            return False
        s.gesture[k] = number
    return True


@rule
def enter_outcome(s: Record, numbers: Array, first: int, n: int) -> bool:
    """Whether the throw touched a die; then six numbers a die, the thrown one first: seat, number,
    x, y, yaw, face."""
    thrown = s.turn * DICE + die_in_hand(s, int(s.turn))
    named = 0
    count = 0
    for at in range(first + 1, first + n, 6):
        seat = int(numbers[at])
        k = int(numbers[at + 1]) - 1
        die = seat * DICE + k
        x = int(numbers[at + 2])
        y = int(numbers[at + 3])
        if (named >> die) & 1 != 0 or max(abs(x), abs(y)) > FARTHEST:
            return False
        if die != thrown if count == 0 else s.face[seat][k] == 0:
            return False
        named |= 1 << die
        s.landed[count] = die
        s.landed_x[count] = x
        s.landed_y[count] = y
        s.landed_yaw[count] = numbers[at + 4]
        s.landed_face[count] = numbers[at + 5]
        count += 1
    s.hit = numbers[first]
    s.landed_n = count
    return bool(s.hit == HIT or count == 1)


# Who sees what ---------------------------------------------------------------------------------
# All cards lie open or come from the open. Hidden are the choices that all make at the same time.


@rule
def hide(s: Record, seat: int) -> None:
    for i in range(4):
        s.rng[i] = 0
    for other in range(s.seats):
        if other != seat:
            if s.phase == PREPARE and s.prepared[other] != 0:
                s.prepared[other] = UNSEEN
            if s.phase == EXHIBIT and s.over == 0:
                s.kept[other] = UNSEEN_CARDS if has_chosen(s, other) else 0
    s.viewer = 1 + seat


@rule
def imagine(s: Record, seed: int) -> None:
    """Choose for the others at random. A seat that has yet to finish its picture may have kept any
    number of its cards."""
    seed_generator(s, seed, 0)
    viewer = s.viewer - 1
    s.viewer = 0
    n = picture_size(s)
    for seat in range(s.seats):
        if s.prepared[seat] == UNSEEN:
            s.prepared[seat] = some_of(s, ALL_ICONS, s.round + 1)
        if s.phase == EXHIBIT and s.over == 0 and seat != viewer:
            picture = some_of(s, int(s.hand[seat]), n)
            if not has_chosen(s, seat):
                picture = lowest_of(picture, below(s, n))
            s.kept[seat] = picture


@rule
def reshuffle(s: Record, seed: int) -> None:
    """Each choice is known to somebody; only throws to come are not."""
    seed_generator(s, seed, 0)


@rule
def some_of(g: Record, mask: int, count: int) -> int:
    """So many bits of a mask, any of them with the same chance."""
    chosen = 0
    left = bits_in(mask)
    while count > 0:
        lowest = mask & -mask
        mask -= lowest
        if below(g, left) < count:
            chosen |= lowest
            count -= 1
        left -= 1
    return chosen


@rule
def lowest_of(mask: int, count: int) -> int:
    """The lowest bits of a mask, so many of them."""
    lowest = 0
    for _ in range(count):
        lowest |= mask & -mask
        mask &= mask - 1
    return lowest
