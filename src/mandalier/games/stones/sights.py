"""What nets see of Mandala Stones: a position and a move as small whole numbers."""

from __future__ import annotations

from mandalier.games.kernel import Array, Record, bits_in, flags, rule
from mandalier.games.stones.rules import (
    AROUND,
    AROUND_BITS,
    BY_HEIGHT,
    COLOURS,
    COLUMNS,
    OBJECTIVES,
    PICK_MOVE,
    PLACES,
    SCORE_MOVE,
    STACKS,
    STONES,
    TOPS_MOVE,
    circle_after,
    colours_in,
    columns_topped,
    given_stacks,
    height,
    is_last_round,
    north_of,
    stacks_around,
)

MOST_SEATS = 4
A_SEAT = 3 * COLUMNS + 8  # numbers that tell of a seat's board
TO_COME = 6  # spaces of the mandala that are told

# Where the numbers of the whole begin
_POINTS = 3 + MOST_SEATS
_MANDALA = _POINTS + 2 * MOST_SEATS
_PICKS = _MANDALA + 5 + TO_COME
_OWN = _PICKS + 9
_BOARDS = _OWN + 4 * COLUMNS + COLUMNS + 2 * len(OBJECTIVES) + 1

SIGHTS = (_BOARDS + MOST_SEATS * A_SEAT, len(COLOURS), 4 * MOST_SEATS + 4)
NOTICED = 45
SIGHTS_VERSION = 1


# Boards as they would be -----------------------------------------------------------------------
# A move lifts the tops of some columns, or puts a tower onto a column: `lifted` has a bit for each
# column whose top is gone, `onto` is the column of the new tower, or −1.


@rule
def tower_then(s: Record, seat: int, column: int, lifted: int, onto: int, tower: int) -> int:
    if column == onto:
        return tower
    return int(s.tower[seat][column]) >> 4 * ((lifted >> column) & 1)


@rule
def heights_then(s: Record, seat: int, lifted: int, onto: int, tower: int) -> int:
    """The heights among a seat's columns, as bits."""
    heights = 0
    for column in range(COLUMNS):
        heights |= 1 << height(tower_then(s, seat, column, lifted, onto, tower))
    return heights


@rule
def column_points(column: int, tower: int, heights: int) -> int:
    """What a tower on a column would score, by the heights of all; 0 where there is none."""
    if tower == 0:
        return 0
    if column == 0:
        return bits_in(heights)
    if column == COLUMNS - 1:
        return 1 + colours_in(tower)
    return (BY_HEIGHT[column] >> 4 * height(tower)) & 15


@rule
def by_colour(s: Record, seat: int, lifted: int, onto: int, tower: int) -> int:
    """For each colour what the towers it tops would score, eight bits each; above them how many
    they are, four bits each."""
    heights = heights_then(s, seat, lifted, onto, tower)
    found = 0
    for column in range(COLUMNS):
        then = tower_then(s, seat, column, lifted, onto, tower)
        if then > 0:
            found += column_points(column, then, heights) << 8 * (then & 3)
            found += 1 << 32 + 4 * (then & 3)
    return found


@rule
def tops_of(found: int, colour: int) -> int:
    return (found >> 32 + 4 * colour) & 15


@rule
def points_of(found: int, colour: int) -> int:
    """What scoring a colour would give; 0 if it may not be scored."""
    return ((found >> 8 * colour) & 255) * int(tops_of(found, colour) > 1)


@rule
def best_of(found: int) -> int:
    best = 0
    for colour in range(4):
        best = max(best, points_of(found, colour))
    return best


@rule
def met_then(s: Record, seat: int, lifted: int, onto: int, tower: int) -> int:
    """The objectives a board meets, as bits."""
    stones = 0
    towers = 0
    patterns = 0
    tops = 0
    for column in range(COLUMNS):
        then = tower_then(s, seat, column, lifted, onto, tower)
        if then > 0:
            stones += height(then)
            towers += 1
            patterns |= (then >> 2) & 3
            tops += 1 << 4 * (then & 3)
    met = int(patterns == 1) | int(patterns == 2) << 1
    for colour in range(4):
        met |= int((tops >> 4 * colour) & 15 == 2) << 2 + colour
    return (
        met
        | int(towers == 2) << 6
        | int(towers == 5) << 7
        | int(stones == 3) << 8
        | (int(stones == 6) << 9)
    )


@rule
def worth_of(s: Record, seat: int, met: int) -> int:
    """The points of the better of a seat's objectives that are met."""
    best = 0
    for k in range(2):
        objective = int(s.objective[seat][k]) - 1
        if objective >= 0 and (met >> objective) & 1:
            best = max(best, int(s.worth[objective]))
    return best


@rule
def gift(s: Record, space: int) -> int:
    """The points for covering a space, numbered from 0."""
    return int(s.plus[space]) if space < STONES else 0


@rule
def clipped(number: int) -> int:
    return max(-127, min(127, number))


# A position ------------------------------------------------------------------------------------


@rule
def observe(s: Record, seat: int, out: Array) -> None:
    """The whole: number of seats, turn, points, the mandala and its next spaces, picks by how many
    stones they yield, the seat's own columns and objectives, every seat's board. Each colour: what
    it tops and would score on every board, and where it shows on the stacks."""
    for i in range(SIGHTS[0] + SIGHTS[1] * SIGHTS[2]):
        out[i] = 0
    seats = int(s.seats)
    out[seats - 2] = 1
    for k in range(seats):
        other = (seat + k) % seats
        out[3 + k] = int(s.turn == other and s.over == 0)
        out[_POINTS + k] = clipped(int(s.points[other]))
        out[_POINTS + MOST_SEATS + k] = clipped(int(s.points[seat]) - int(s.points[other]))
        observe_board(s, other, k, out)
    observe_mandala(s, seat, out)
    observe_picks(s, out)
    observe_own(s, seat, out)
    observe_stacks(s, out)


@rule
def observe_board(s: Record, seat: int, k: int, out: Array) -> None:
    """The k-th seat's columns: height, what each would score, how many towers share its top; and
    what its colours would score."""
    at = _BOARDS + k * A_SEAT
    found = by_colour(s, seat, 0, -1, 0)
    heights = heights_then(s, seat, 0, -1, 0)
    towers = 0
    stones = 0
    rings = 0
    seconds = 0
    for column in range(COLUMNS):
        tower = int(s.tower[seat][column])
        if tower > 0:
            up = height(tower)
            towers += 1
            stones += up
            rings += (tower >> 2) & 1
            out[at + column] = up
            out[at + COLUMNS + column] = column_points(column, tower, heights)
            out[at + 2 * COLUMNS + column] = tops_of(found, tower & 3)
            if up > 1:
                seconds += 1 << 4 * ((tower >> 4) & 3)
    best = 0
    second = 0
    for colour in range(len(COLOURS)):
        points = points_of(found, colour)
        if points > best:
            second = best
            best = points
        else:
            second = max(second, points)
        entity = SIGHTS[0] + colour * SIGHTS[2] + 4 * k
        out[entity] = tops_of(found, colour)
        out[entity + 1] = points
        out[entity + 2] = (found >> 8 * colour) & 255
        out[entity + 3] = (seconds >> 4 * colour) & 15
    at += 3 * COLUMNS
    out[at] = best
    out[at + 1] = second
    out[at + 2] = towers
    out[at + 3] = stones
    out[at + 4] = rings
    out[at + 5] = towers - rings
    out[at + 6] = bits_in(heights)
    out[at + 7] = int(towers == COLUMNS)


@rule
def observe_mandala(s: Record, seat: int, out: Array) -> None:
    """How far it is to the hand space, whose turns are left in the round, the next spaces."""
    n = int(s.laid_n)
    out[_MANDALA] = n
    out[_MANDALA + 1] = max(0, s.hands[s.seats - 2] - n)
    out[_MANDALA + 2] = int(is_last_round(s))
    out[_MANDALA + 3] = s.seats - 1 - s.turn  # seats that follow in this round
    out[_MANDALA + 4] = s.seats - 1 - seat
    for i in range(TO_COME):
        out[_MANDALA + 5 + i] = gift(s, n + i)


@rule
def observe_picks(s: Record, out: Array) -> None:
    """How many ways an artist has to 1, 2, 3 and 4 stones, for each pattern; and the stacks that
    are left."""
    artists = int(s.artists[0] | s.artists[1])
    for circle in range(9):
        if (artists >> circle) & 1:
            given = given_stacks(s, circle)
            first = _PICKS - 1 + 4 * ((s.artists[1] >> circle) & 1)
            if given != 0:
                for to in range(9):
                    if not (artists >> to) & 1:
                        n = bits_in((given >> north_of(to)) & AROUND_BITS)
                        if n > 0:
                            out[first + n] += 1
    out[_PICKS + 8] = bits_in(int(s.showing[0] | s.showing[1]))


@rule
def observe_own(s: Record, seat: int, out: Array) -> None:
    """Each height of each of its columns as a mark of its own, how many towers have the colour on
    top that lies second in a column, and its objectives: what they are worth, and which are met."""
    found = by_colour(s, seat, 0, -1, 0)
    for column in range(COLUMNS):
        tower = int(s.tower[seat][column])
        up = height(tower)
        if up > 0:
            out[_OWN + 4 * column + up - 1] = 1
        if up > 1:
            out[_OWN + 4 * COLUMNS + column] = tops_of(found, (tower >> 4) & 3)
    met = met_then(s, seat, 0, -1, 0)
    at = _OWN + 5 * COLUMNS
    for k in range(2):
        card = int(s.objective[seat][k])
        if card > 0:
            out[at + card - 1] = s.worth[card - 1]
    for objective in range(len(OBJECTIVES)):
        out[at + len(OBJECTIVES) + objective] = (met >> objective) & 1
    out[at + 2 * len(OBJECTIVES)] = worth_of(s, seat, met)


@rule
@flags(boundscheck=False)
def observe_stacks(s: Record, out: Array) -> None:
    """Of each colour how many rings and stars show, how many stacks have it second, and whether
    an objective of the seat asks for two of it (told with the objectives)."""
    rings = 0
    stars = 0
    seconds = 0
    stones = 0
    for i in range(STACKS):
        pile = int(s.stack[i])
        colour = 8 * (pile & 3)
        rings += ((pile >> 2) & 1) << colour
        stars += ((pile >> 3) & 1) << colour
        seconds += int(pile > 0xF) << 8 * ((pile >> 4) & 3)
        stones += height(pile)
    for colour in range(len(COLOURS)):
        at = SIGHTS[0] + colour * SIGHTS[2] + 4 * MOST_SEATS
        out[at] = (rings >> 8 * colour) & 255
        out[at + 1] = (stars >> 8 * colour) & 255
        out[at + 2] = (seconds >> 8 * colour) & 255
        out[at + 3] = out[_OWN + 5 * COLUMNS + 2 + colour]


# A move ----------------------------------------------------------------------------------------


@rule
def notice(s: Record, seat: int, move: int, out: Array) -> None:
    """Which kind of move; what it scores and lays; what the board is then worth; what an artist
    takes, uncovers and sets free."""
    for i in range(NOTICED):
        out[i] = 0
    before = by_colour(s, seat, 0, -1, 0)
    if move < SCORE_MOVE:
        out[0] = 1
        notice_pick(s, seat, move - PICK_MOVE, before, out)
    elif move < TOPS_MOVE:
        out[1] = 1
        columns = columns_topped(s, seat, move - SCORE_MOVE)
        points = points_of(before, move - SCORE_MOVE)
        notice_laying(s, seat, columns, points, before, out)
    else:
        out[2] = 1
        columns = move - TOPS_MOVE + 1
        notice_laying(s, seat, columns, bits_in(columns), before, out)


@rule
def notice_board(
    s: Record, seat: int, lifted: int, onto: int, tower: int, before: int, out: Array
) -> None:
    """The board after the move: what its colours would score, how its tops match, its objectives;
    and how many towers and stones it then has."""
    found = by_colour(s, seat, lifted, onto, tower)
    best = 0
    second = 0
    all_points = 0
    most = 0
    for colour in range(len(COLOURS)):
        points = points_of(found, colour)
        second = max(second, min(best, points))
        best = max(best, points)
        all_points += (found >> 8 * colour) & 255
        most = max(most, tops_of(found, colour))
    out[3] = best
    out[4] = second
    out[5] = all_points
    out[6] = most
    out[7] = best - best_of(before)
    out[8] = worth_of(s, seat, met_then(s, seat, lifted, onto, tower))


@rule
def notice_laying(s: Record, seat: int, columns: int, points: int, before: int, out: Array) -> None:
    """Scoring: the points, of the mandala too; what the tops might have scored by their colour;
    what comes next for others."""
    notice_board(s, seat, columns, -1, 0, before, out)
    n = int(s.laid_n)
    count = bits_in(columns)
    gifts = 0
    for i in range(n, min(STONES, n + count)):
        gifts += s.plus[i]
    heights = heights_then(s, seat, 0, -1, 0)
    by_rule = 0
    emptied = 0
    seconds = 0
    for column in range(COLUMNS):
        tower = int(s.tower[seat][column])
        if (columns >> column) & 1:
            by_rule += column_points(column, tower, heights)
            emptied += int(tower <= 0xF)
            out[16 + column] = height(tower)
            seconds += int(tower > 0xF)
    to_hand = s.hands[s.seats - 2] - n
    out[10] = points + gifts
    out[11] = points
    out[12] = gifts
    out[13] = count
    out[14] = by_rule - points
    out[15] = emptied
    out[21] = points - best_of(before)
    out[22] = int(to_hand > 0 and count >= to_hand)
    out[23] = max(0, to_hand - count)
    out[24] = gift(s, n + count)
    out[25] = gift(s, n + count + 1)
    out[26] = gift(s, n + count + 2)
    out[27] = seconds


@rule
def notice_pick(s: Record, seat: int, which: int, before: int, out: Array) -> None:
    """A pick: the tower, its column, how its colours match the other tops, what it uncovers, what
    the artist leaves free, and what the tower would have been to the next seat."""
    pair = which // PLACES
    circle = pair // 8
    to = circle_after(circle, pair % 8)
    given = given_stacks(s, circle)
    start = which // COLUMNS % 4
    column = which % COLUMNS
    north = north_of(to)
    tower = 0
    uncovered = 0  # colours, four bits each
    emptied = 0
    for i in range(start, start + 4):
        stack = north + AROUND[i & 3]
        if (given >> stack) & 1:
            pile = int(s.stack[stack])
            tower = tower << 4 | (pile & 15)
            if pile > 0xF:
                uncovered += 1 << 4 * ((pile >> 4) & 3)
            else:
                emptied += 1
    notice_board(s, seat, 0, column, tower, before, out)
    heights = heights_then(s, seat, 0, column, tower)
    up = height(tower)
    out[28] = up
    out[29] = column_points(column, tower, heights)
    out[30] = colours_in(tower)
    out[31 + column] = 1
    out[36] = tops_of(before, tower & 3)
    if up > 1:
        out[37] = tops_of(before, (tower >> 4) & 3)
        out[38] = int(tower & 3 == (tower >> 4) & 3)
    out[39] = bits_in(heights)
    total = 0  # what the column gives until it is empty, stone by stone
    rest = tower
    while rest > 0:
        total += column_points(column, rest, heights)
        rest >>= 4
    out[40] = total
    notice_left(s, seat, circle, to, tower, uncovered, out)
    out[44] = emptied
    towers = 0
    for other in range(COLUMNS):
        towers += int(s.tower[seat][other] > 0)
    out[9] = COLUMNS - 1 - towers


@rule
def notice_left(
    s: Record, seat: int, circle: int, to: int, tower: int, uncovered: int, out: Array
) -> None:
    """What a pick leaves to the next seat: stacks set free, stones uncovered in colours it has on
    top; and how well the tower's top would have matched there."""
    others = (s.artists[0] | s.artists[1]) & ~(1 << circle)
    free = stacks_around(1 << circle) & ~stacks_around(others | 1 << to)
    theirs = by_colour(s, (seat + 1) % s.seats, 0, -1, 0)
    match = 0
    for colour in range(4):
        match += ((uncovered >> 4 * colour) & 15) * int(tops_of(theirs, colour) > 0)
    out[41] = bits_in(free & (s.showing[0] | s.showing[1]))
    out[42] = match
    out[43] = tops_of(theirs, tower & 3)
