"""The rules of Mandala Stones, and who sees what: the record, tables to look moves up in, and all
that happens to a record."""

from __future__ import annotations

import numpy as np

from mandalier.games.contract import COMMON
from mandalier.games.kernel import (
    SCRIBBLE,
    Array,
    Record,
    below,
    primitive,
    rule,
    seed_generator,
    shuffle,
)

TITLE = "Mandala Stones"
CREDIT = "Filip Głowacz"
RULES = 1
SEATS = range(2, 5)
COLOURS = "rbyp"
COLOUR_NAMES = ("red", "blue", "yellow", "purple")
PATTERNS = ("ring", "star")
REASONS = ("hands", "stuck")
OBJECTIVES = (
    "ring-only",
    "star-only",
    *(f"two-{name}" for name in COLOUR_NAMES),
    "two-columns",
    "five-columns",
    "three-stones",
    "six-stones",
)

STONES = 96
OF_A_KIND = 12
STACKS = 24
COLUMNS = 5
CIRCLES = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
STARTS = (1, 3, 5, 7)  # the circles where artists start: b1 a2 c2 b3
MOST_RINGS = 8

STATE = np.dtype(
    [
        *COMMON,
        ("turn", "i1"),  # the seat to move
        ("open_stacks", "i1"),  # 1 when the patterns of covered stones are shown (R2)
        ("laid_n", "i1"),  # stones laid so far
        ("objective", "i1", (4, 2)),  # [seat] 1 + the objective, 0 when hidden
        ("points", "i2", (4,)),  # [seat] without objectives
        ("artists", "i2", (2,)),  # [pattern] bit i: one stands on circle i
        ("order", "i4"),  # in which the next move lays stones: 1 + column in three bits each, the
        # first in the lowest; 0 is left to right
        ("showing", "i4", (2,)),  # [pattern] bit i: it shows on top of stack i
        # piles of stones: four bits each, see below, the top in the lowest
        ("stack", "i4", (STACKS,)),
        ("tower", "i4", (4, COLUMNS)),  # [seat][column]
        ("laid", "i1", (STONES,)),  # the mandala space by space, then the stones set aside
        # house data
        ("rings", "i1", (MOST_RINGS,)),  # spaces in each ring of the mandala
        ("plus", "i1", (STONES,)),  # [space − 1] points for covering it
        ("hands", "i1", (3,)),  # [seats − 2] the space with so many hands
        ("worth", "i1", (len(OBJECTIVES),)),  # [objective] its points
    ],
    align=True,
)

# A stone is colour + 4 for a ring, + 8 for a star, + 12 when its pattern is hidden; 0 is none.
RING = 4
HIDDEN = 12
COVERED = 0xCCC0  # the bits of the patterns under a top

# Stacks and circles are numbered from 0. The stacks around a circle lie at these distances from
# the one north of it, which is circle + 4 × row of the circle.
SIDE_NAMES = "NESW"
AROUND = (0, 4, 7, 3)
AROUND_BITS = sum(1 << n for n in AROUND)
ALL_CIRCLES = (1 << len(CIRCLES)) - 1
ALL_COLUMNS = (1 << COLUMNS) - 1

# What a column's tower scores by its height, 0 to 4, four bits each; columns 1 and 5 differ.
BY_HEIGHT = (0, 0x11240, 0x14310, 0x64210, 0)

PICK_MOVE = 0
PLACES = 4 * COLUMNS  # moves of an artist from one circle to another
SCORE_MOVE = PICK_MOVE + 9 * 8 * PLACES
TOPS_MOVE = SCORE_MOVE + len(COLOURS)
MOVES = TOPS_MOVE + ALL_COLUMNS


# Tables ----------------------------------------------------------------------------------------
# Which moves an artist has on a circle depends on five columns and four sides, and which tops may
# be scored on five columns: so the moves' distances from the first are looked up, and a list is
# written a whole row at a time, without a branch. Compiled code reads arrays, the twin lists.

ROW = 32
WRITTEN = 64  # entries at a time; with fewer the compiler does not think of wide instructions
TOPS_ROW = 32 * 32


def _pick_rows() -> list[list[int]]:
    """[empty columns × 32 + sides as `list_picks` packs them]"""
    rows = []
    for empty in range(32):
        columns = [column for column in range(COLUMNS) if empty >> column & 1]
        for sides in range(32):
            given = [side for side, bit in enumerate((0, 4, 2, 3)) if sides >> bit & 1]
            rows.append([side * COLUMNS + column for side in given for column in columns])
    return rows


def _tops_rows() -> list[list[int]]:
    """[columns with a tower]"""
    return [[m - 1 for m in range(1, 32) if m & ~towers == 0] for towers in range(32)]


def bits_of(number: int) -> list[int]:
    return [i for i in range(number.bit_length()) if number >> i & 1]


ROWS = _pick_rows() + _tops_rows()
ROW_LENGTHS = np.array([len(row) for row in ROWS], "i1")
ROW_ENTRIES = np.array([row + [0] * (ROW - len(row)) for row in ROWS] + [[0] * ROW], "i1").ravel()

NUMBERS = [sum(c << 4 * i for i, c in enumerate(bits_of(circles))) for circles in range(512)]
NUMBERS_ARRAY = np.array(NUMBERS, "i8")

TOUCHED = [sum({1 << n + c + c // 3 * 4 for c in bits_of(m) for n in AROUND}) for m in range(512)]
TOUCHED_ARRAY = np.array(TOUCHED, "i4")


def _list_row(out: Array, n: int, first: int, row: int) -> int:
    # what is written beyond the row is overwritten by the next one
    if n < 0 or n + SCRIBBLE > len(out) or row < 0 or row >= len(ROW_LENGTHS):
        raise IndexError("the list of moves is too short")
    to = np.uint64(n)  # an index without a sign needs no test for counting from the end
    entry = np.uint64(row * ROW)
    for k in range(WRITTEN):
        out[to + np.uint64(k)] = first + ROW_ENTRIES[entry + np.uint64(k)]
    return int(n + ROW_LENGTHS[np.uint64(row)])


@primitive(_list_row, boundscheck=False)
def list_row(out: Array, n: int, first: int, row: int) -> int:
    """List the moves of a row after the first n; return the new n. May scribble beyond it."""
    entries = ROWS[row]
    if not entries:
        return n
    end = n + len(entries)
    out[n:end] = [first + entry for entry in entries]
    return end


def _numbers_of(circles: int) -> int:
    return int(NUMBERS_ARRAY[circles])


@primitive(_numbers_of)
def numbers_of(circles: int) -> int:
    """The numbers of the circles given as bits, ascending, four bits each."""
    return NUMBERS[circles]


def _stacks_around(circles: int) -> int:
    return int(TOUCHED_ARRAY[circles])


@primitive(_stacks_around)
def stacks_around(circles: int) -> int:
    """The stacks that touch any of these circles, as bits."""
    return TOUCHED[circles]


# The rules -------------------------------------------------------------------------------------


@rule
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    # s.laid serves as the table on which things are shuffled
    seed_generator(s, seed, 0)
    s.seats = seats
    for i in range(STONES):
        kind = i // OF_A_KIND
        s.laid[i] = (kind >> 1) + (RING << (kind & 1))
    shuffle(s, s.laid, STONES)
    for i in range(STACKS):
        pile = 0
        for k in range(4 * i, 4 * i + 4):
            pile = pile << 4 | s.laid[k]
        s.stack[i] = pile
    for i in range(4):
        s.laid[i] = i >> 1
    shuffle(s, s.laid, 4)
    for i in range(4):
        s.artists[s.laid[i]] |= 1 << 2 * i + 1
    for i in range(10):
        s.laid[i] = i + 1
    shuffle(s, s.laid, 10)
    for i in range(2 * seats):
        s.objective[i >> 1][i & 1] = s.laid[i]
    for i in range(STONES):
        s.laid[i] = 0


@rule
def lay_out(s: Record) -> None:
    for i in range(STACKS):
        show_top(s, i)
    begin_turn(s)


@rule
def show_top(s: Record, i: int) -> None:
    for pattern in range(2):
        shows = (s.stack[i] >> (2 + pattern)) & 1
        s.showing[pattern] = (s.showing[pattern] & ~(1 << i)) | (shows << i)


@rule
def waiting(s: Record) -> int:
    return 0 if s.over != 0 else 1 << int(s.turn)


@rule
def roll(s: Record, bank: Array) -> None:
    """After the deal nothing is left to chance."""


@rule
def resume(s: Record) -> None:
    """Never due."""


@rule
def north_of(circle: int) -> int:
    return circle + 4 * (circle // 3)


@rule
def given_stacks(s: Record, circle: int) -> int:
    """The stacks that show the pattern of the artist on this circle and touch no other artist."""
    others = (s.artists[0] | s.artists[1]) & ~(1 << circle)
    return int(s.showing[(s.artists[1] >> circle) & 1] & ~stacks_around(others))


@rule
def columns_in_use(s: Record, seat: int) -> int:
    """The columns with a tower, as bits."""
    used = 0
    for column in range(COLUMNS):
        used |= int(s.tower[seat][column] > 0) << column
    return used


@rule
def top_colours(s: Record, seat: int) -> int:
    """How many towers each colour tops: four bits for each."""
    counts = 0
    for column in range(COLUMNS):
        tower = s.tower[seat][column]
        counts += int(tower > 0) << 4 * (tower & 3)
    return counts


@rule
def legal(s: Record, seat: int, out: Array) -> int:
    if s.over != 0 or seat != s.turn:
        return 0
    towers = columns_in_use(s, seat)
    n = 0
    if towers != ALL_COLUMNS:
        n = list_picks(s, towers ^ ALL_COLUMNS, out)
    twos = top_colours(s, seat) + 0x6666  # the highest of four bits: two or more
    for colour in range(4):
        out[n] = SCORE_MOVE + colour
        n += (twos >> (4 * colour + 3)) & 1
    return list_row(out, n, TOPS_MOVE, TOPS_ROW + towers)


@rule
def list_picks(s: Record, empty: int, out: Array) -> int:
    """Every artist to every empty circle, with each given stone first, onto each empty column."""
    stars = int(s.artists[1])
    artists = s.artists[0] | stars
    free = numbers_of(artists ^ ALL_CIRCLES)
    taken = numbers_of(artists)
    touched = 0
    twice = 0  # touched by two artists
    for i in range(4):
        around = AROUND_BITS << north_of((taken >> 4 * i) & 15)
        twice |= touched & around
        touched |= around
    n = 0
    for k in range(4):
        circle = (taken >> 4 * k) & 15
        alone = (AROUND_BITS << north_of(circle)) & ~twice  # touched by this artist only
        given = s.showing[(stars >> circle) & 1] & ~(touched ^ alone)
        first = PICK_MOVE + circle * 8 * PLACES
        for i in range(5):
            to = (free >> 4 * i) & 15
            around = (given >> north_of(to)) & AROUND_BITS
            sides = (around | around >> 5) & 29  # bits 0 4 7 3 closed up to 0 4 2 3
            n = list_row(out, n, first + (to - int(to > circle)) * PLACES, empty * 32 + sides)
    return n


@rule
def play(s: Record, seat: int, move: int) -> None:
    if move < SCORE_MOVE:
        pick(s, seat, move - PICK_MOVE)
    elif move < TOPS_MOVE:
        columns = columns_topped(s, seat, move - SCORE_MOVE)
        s.points[seat] += colour_points(s, seat, columns)
        lay_tops(s, seat, columns)
    else:
        count = lay_tops(s, seat, move - TOPS_MOVE + 1)
        s.points[seat] += count
    s.turn = (seat + 1) % s.seats
    begin_turn(s)


@rule
def circle_after(circle: int, which: int) -> int:
    """The circle an artist on `circle` goes to, by its number among the other eight."""
    return which + int(which >= circle)


@rule
def pick(s: Record, seat: int, which: int) -> None:
    """Move an artist and take all it is given, clockwise, the first stone at the bottom."""
    pair = which // PLACES
    circle = pair // 8
    to = circle_after(circle, pair % 8)
    s.artists[(s.artists[1] >> circle) & 1] ^= (1 << circle) | (1 << to)
    given = given_stacks(s, to)
    start = which // COLUMNS % 4
    north = north_of(to)
    tower = 0
    for i in range(start, start + 4):
        stack = north + AROUND[i & 3]
        bits = 4 * ((given >> stack) & 1)
        pile = s.stack[stack]
        tower = (tower << bits) | (pile & ((1 << bits) - 1))
        s.stack[stack] = pile >> bits
        show_top(s, stack)
    s.tower[seat][which % COLUMNS] = tower


@rule
def columns_topped(s: Record, seat: int, colour: int) -> int:
    """The columns whose tower has a top of this colour, as bits."""
    columns = 0
    for column in range(COLUMNS):
        tower = s.tower[seat][column]
        columns |= int(tower > 0 and tower & 3 == colour) << column
    return columns


@rule
def height(tower: int) -> int:
    return int(tower > 0) + int(tower > 0xF) + int(tower > 0xFF) + int(tower > 0xFFF)


@rule
def bits_in(number: int) -> int:
    """How many of the lowest five bits are set."""
    count = 0
    for i in range(5):
        count += (number >> i) & 1
    return count


@rule
def colours_in(tower: int) -> int:
    """How many different colours a tower has."""
    seen = 0
    while tower > 0:
        seen |= 1 << (tower & 3)
        tower >>= 4
    return bits_in(seen)


@rule
def colour_points(s: Record, seat: int, columns: int) -> int:
    """What the towers on these columns score, each by the rule under it."""
    points = 0
    heights = 0
    for column in range(COLUMNS):
        up = height(int(s.tower[seat][column]))
        heights |= 1 << up
        points += ((BY_HEIGHT[column] >> 4 * up) & 15) * ((columns >> column) & 1)
    if columns & 1:
        points += bits_in(heights)
    if columns >> 4 & 1:
        points += 1 + colours_in(int(s.tower[seat][4]))
    return points


@rule
def lay_tops(s: Record, seat: int, columns: int) -> int:
    """Move the top stones of these columns to the mandala; return how many they are."""
    before = int(s.laid_n)
    order = int(s.order)
    if order == 0:
        for column in range(COLUMNS):
            if columns >> column & 1:
                lay_top(s, seat, column)
    else:
        while order != 0:
            lay_top(s, seat, (order & 7) - 1)
            order >>= 3
        s.order = 0
    return int(s.laid_n) - before


@rule
def lay_top(s: Record, seat: int, column: int) -> None:
    tower = s.tower[seat][column]
    s.tower[seat][column] = tower >> 4
    n = int(s.laid_n)
    s.laid[n] = tower & 15
    s.points[seat] += s.plus[n]
    s.laid_n = n + 1


@rule
def is_last_round(s: Record) -> bool:
    """Whether the space with as many hands as seats is covered."""
    return bool(s.laid_n >= s.hands[s.seats - 2])


@rule
def begin_turn(s: Record) -> None:
    """A finished last round ends the game, and so does a seat that can neither pick nor score."""
    if s.turn == 0 and is_last_round(s):
        s.over = 1
    elif columns_in_use(s, int(s.turn)) == 0 and not can_pick(s):
        s.over = 2


@rule
def can_pick(s: Record) -> bool:
    """Whether any artist would be given a stone on any empty circle."""
    artists = int(s.artists[0] | s.artists[1])
    reached = stacks_around(artists ^ ALL_CIRCLES)
    for circle in range(9):
        if artists >> circle & 1 and given_stacks(s, circle) & reached != 0:
            return True
    return False


@rule
def is_met(s: Record, seat: int, objective: int) -> bool:
    """Whether a seat's board is what an objective asks for."""
    stones = 0
    patterns = 0
    for column in range(COLUMNS):
        tower = int(s.tower[seat][column])
        stones += height(tower)
        patterns |= (tower >> 2) & 3
    if objective < 2:
        return patterns == 1 << objective
    if objective < 6:
        return (top_colours(s, seat) >> 4 * (objective - 2)) & 15 == 2
    if objective < 8:
        return bits_in(columns_in_use(s, seat)) == (2 if objective == 6 else 5)
    return stones == (3 if objective == 8 else 6)


@rule
def objective_points(s: Record, seat: int) -> int:
    """The points of the better of a seat's objectives that are met."""
    best = 0
    for k in range(2):
        objective = int(s.objective[seat][k]) - 1
        if objective >= 0 and is_met(s, seat, objective):
            best = max(best, int(s.worth[objective]))
    return best


@rule
def score(s: Record, out: Array) -> int:
    winner = 0
    for seat in range(s.seats):
        out[seat] = int(s.points[seat])
        if s.over != 0:
            out[seat] += objective_points(s, seat)
        if out[seat] > out[winner]:
            winner = seat
    return 1 << winner


@rule
def appraise(s: Record, out: Array) -> None:
    """Towers are worth a good part of what their columns would score, more so where their tops
    share a colour."""
    score(s, out)
    for seat in range(s.seats):
        worth = 100 * out[seat]
        used = columns_in_use(s, seat)
        worth += 35 * colour_points(s, seat, used)
        best = 0
        for colour in range(len(COLOURS)):
            columns = columns_topped(s, seat, colour)
            if bits_in(columns) > 1:
                best = max(best, colour_points(s, seat, columns))
        out[seat] = worth + 45 * best


# Who sees what ---------------------------------------------------------------------------------


@rule
def hide(s: Record, seat: int) -> None:
    for i in range(4):
        s.rng[i] = 0
    s.order = 0
    if s.over == 0:
        for other in range(4):
            if other != seat:
                s.objective[other][0] = 0
                s.objective[other][1] = 0
    cover_patterns(s)
    s.viewer = 1 + seat


@rule
def cover_patterns(s: Record) -> None:
    """Wipe the patterns of covered stones, where these are not shown (R2)."""
    if s.open_stacks == 0:
        for i in range(STACKS):
            pile = int(s.stack[i])
            s.stack[i] = pile | (COVERED & ((1 << 4 * height(pile)) - 1))


@rule
def imagine(s: Record, seed: int) -> None:
    """Deal the covered patterns, of each colour what is left of it, and the unseen objectives."""
    seed_generator(s, seed, 0)
    viewer = s.viewer - 1
    s.viewer = 0
    deal_patterns(s)
    if s.over == 0:
        imagine_objectives(s, viewer)


@rule
def reshuffle(s: Record, seed: int) -> None:
    """Nobody has seen the covered patterns."""
    seed_generator(s, seed, 0)
    cover_patterns(s)
    deal_patterns(s)


@rule
def deal_patterns(s: Record) -> None:
    """Give covered stones a pattern, of each colour what is left of it."""
    rings = (OF_A_KIND * 0x1010101) - seen_stones(s, RING)  # a byte for each colour
    covered = rings + (OF_A_KIND * 0x1010101) - seen_stones(s, 2 * RING)
    for i in range(STACKS):
        pile = int(s.stack[i])
        for shift in range(4, 16, 4):
            if (pile >> shift) & HIDDEN == HIDDEN:
                colour = 8 * ((pile >> shift) & 3)
                is_ring = below(s, (covered >> colour) & 255) < (rings >> colour) & 255
                pile -= (2 * RING if is_ring else RING) << shift
                covered -= 1 << colour
                rings -= int(is_ring) << colour
        s.stack[i] = pile


@rule
def seen_stones(s: Record, pattern: int) -> int:
    """How many stones of each colour are known to have this pattern: a byte for each."""
    counts = 0
    for i in range(s.laid_n):
        counts += count_stones(int(s.laid[i]), pattern)
    for i in range(STACKS):
        counts += count_stones(int(s.stack[i]), pattern)
    for seat in range(s.seats):
        for column in range(COLUMNS):
            counts += count_stones(int(s.tower[seat][column]), pattern)
    return counts


@rule
def count_stones(pile: int, pattern: int) -> int:
    counts = 0
    while pile > 0:
        counts += int(pile & HIDDEN == pattern) << 8 * (pile & 3)
        pile >>= 4
    return counts


@rule
def imagine_objectives(s: Record, viewer: int) -> None:
    unseen = (1 << 10) - 1
    left = 10
    if viewer < s.seats:
        left = 8
        unseen -= (1 << (s.objective[viewer][0] - 1)) + (1 << (s.objective[viewer][1] - 1))
    for card in range(2 * s.seats):
        if card >> 1 != viewer:
            to_skip = below(s, left)
            left -= 1
            rest = unseen
            for _ in range(to_skip):
                rest &= rest - 1
            objective = 0
            while (rest >> objective) & 1 == 0:
                objective += 1
            unseen -= 1 << objective
            s.objective[card >> 1][card & 1] = 1 + objective
