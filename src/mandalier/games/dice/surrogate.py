"""The dice throw for search: a bank of simulated throws, moved and turned into place.

A million throws a second a core instead of two hundred. The bank (`bank.npy`, one array of
16-bit numbers, loaded by memory map) holds, all simulated by `physics`:

- *hand throws*: paths of dice over the empty table, by speed and spin, heading along +x;
- *flicks*: the same, by speed and by how far off the middle the finger hits;
- *drops*: where a die dropped beside another ends, and where that one does, by their distance;
- *impacts*: what a tumbling and what a sliding die does to one that lies, by the speed, by how
  squarely it comes, and by how the other lies. A near miss is an impact too, so the chance of a
  hit is the simulated one.

A throw picks a path, moves it to its start, turns it (and mirrors half of them), follows it to
the first die in reach, replays an impact there, and follows both dice on as sliding ones.

The rules below run compiled or as plain Python, with the same results. Lengths are tenths of a
millimetre, angles tenths of a degree, x right and y down, as in the record; the bank's own frame
has y to the left of the throw.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mandalier.games.kernel import next_word, rule

FORMAT = 3
BANK = Path(__file__).parent / "bank.npy"

# The icons in the order of the rules, and the columns of a die's row.
L, R, B, D, F = range(5)
X, Y, YAW, FACE, NAME, ON = range(6)  # NAME = 8 seat + number; ON: 0 off the table, 1 on it
MOVING = 2  # ON of a die that is under way

# A bank begins with a head: FORMAT, the sections' places (two numbers each), then constants.
HEAD = 64
HANDS, FLICKS, DROPS, TUMBLES, SLIDES, NORMALS = range(6)
CONSTANTS = 16

# Hand throws: [speed][spin][sample], a row of a head and POINTS points (x, y, z, speed).
POINTS = 12
PATH_HEAD = 6  # speed at release; x from, x to, y from, y to of the low part; spare
HAND_ROW = PATH_HEAD + 4 * POINTS
HAND_SPEEDS, HAND_FROM, HAND_STEP = 32, 150.0, 56.25  # mm/s
HAND_SPINS, SPIN_FROM, SPIN_STEP = 8, -300.0, 75.0  # tenths of a rad/s
HAND_SAMPLES = 96

# Flicks: [speed][offset][sample], a row of the speed, the end's x and y, and whether it rolled.
FLICK_ROW = 4
FLICK_SPEEDS, FLICK_FROM, FLICK_STEP = 64, 250.0, 52.5
FLICK_OFFSETS, OFFSET_STEP = 18, 0.3  # mm
FLICK_SAMPLES = 4

# Drops: [distance][sample]; the last distance is "no die near". A steadier hand than `normal`
# changes the place of a drop here, not its sideways speed: it matters little beside the bounce.
DROP_DISTANCES, DISTANCE_STEP = 21, 40.0
DROP_SAMPLES = 1440
THROWN_BACK = 0.3  # how often a die that bounces off another is turned back by a third
FAR = 400.0  # a die so far off leaves a drop that misses it as it is

# What an impact did: [hit, speed before, thrown dx, dy, struck dx, dy, turned, tipped].
IMPACT_ROW = 8
TIPPED_NOT, TIPPED_ASIDE, TIPPED_OVER = range(3)

# Impacts of tumbling dice: [speed][nearness][aside][height]; of sliding ones: [speed][aside][yaw].
# Either section begins with its cells' first rows.
T_SPEEDS, T_NEARS, T_ASIDES, T_HEIGHTS = 4, 5, 4, 2
TUMBLE_CELLS = T_SPEEDS * T_NEARS * T_ASIDES * T_HEIGHTS
S_SPEEDS, S_ASIDES, S_YAWS = 8, 12, 3
SLIDE_CELLS = S_SPEEDS * S_ASIDES * S_YAWS

REACH = 240.0  # a sliding die's centre passes this near to one that it may touch
TOUCH = 190.0  # where two dice that slide into each other are taken to meet
NEAR = 140.0  # a tumbling die's centre comes this near to a die's top or sides
SURE = 85.0  # nearer than that they certainly touch
TOP = 160.0
FRICTION = 3.43  # what slows a sliding die, in m/s²: gravity times the table's friction
EVENTS = 12  # collisions followed in one throw
SPOT = EVENTS + 4  # the row of the working place where a contact is noted

# The constants of the house in the head, from CONSTANTS on.
K_NOISE = CONSTANTS  # [left, right, blind][direction 1/100 °, speed 1/10000, place 1/100 mm]
K_DROP = K_NOISE + 9  # place 1/100 mm
K_FLICK = K_DROP + 1  # direction 1/100 °, speed 1/10000, offset 1/1000 mm
K_SCALE = K_FLICK + 3  # steady, normal, shaky, blind at most: 1/1000
K_START = K_SCALE + 4  # hand outside, aside, flick outside, card: tenths of a millimetre

TURN = math.pi / 1800.0


@cache
def bank() -> Any:
    """The bank shipped with the game, as a plain array over the mapped file."""
    found = np.load(BANK, mmap_mode="r").view(np.ndarray)
    if found[0] != FORMAT:
        raise ValueError(f"{BANK.name} has format {found[0]}, not {FORMAT}: build it again")
    return found


def new_work() -> Any:
    """Room for the dice that are under way in one throw: [event][field]."""
    return np.zeros((SPOT + 2, 8))


@rule
def section(bank: Any, which: int) -> int:
    """Where a section begins."""
    return int(bank[1 + 2 * which]) * 32768 + int(bank[2 + 2 * which])


@rule
def normal(bank: Any, g: Any) -> float:
    """A standard normal draw from the bank's table of 1,024."""
    at = section(bank, NORMALS) + (next_word(g) >> 22)
    return int(bank[at]) / 8192.0


@rule
def pick(g: Any, n: int) -> int:
    """A number from 0 to n - 1."""
    return (next_word(g) * n) >> 32


@rule
def share(g: Any) -> float:
    """A random number from 0 to 1."""
    return next_word(g) / 4294967296.0


@rule
def bin_of(value: float, start: float, step: float, bins: int) -> int:
    """The bin a value falls in; values beyond the ends belong to the end bins."""
    at = int((value - start) / step) if value > start else 0
    return at if at < bins else bins - 1


# ------------------------------------------------------------------------------ how they meet


@rule
def side_distance(px: float, py: float, x: float, y: float, c: float, s: float) -> float:
    """How far a point is from the square of a die at (x, y), whose yaw has cosine c, sine s."""
    dx = px - x
    dy = py - y
    u = abs(dx * c - dy * s) - 80.0
    v = abs(dx * s + dy * c) - 80.0
    if u < 0.0:
        u = 0.0
    if v < 0.0:
        v = 0.0
    return math.sqrt(u * u + v * v)


@rule
def tumble_contact(
    bank: Any, row: int, scale: float, x: float, y: float, yaw: float, out: Any
) -> float:
    """Where on a hand throw's path the die comes near one at (x, y) in the path's frame.

    Returns the place on the path (point and part), or -1; fills out with x, y, direction x and
    y, speed, height above the table and the nearness.
    """
    margin = 80.0 * 1.42 + NEAR
    if x < bank[row + 1] * scale - margin or x > bank[row + 2] * scale + margin:
        return -1.0
    if y < bank[row + 3] * scale - margin or y > bank[row + 4] * scale + margin:
        return -1.0
    c = math.cos(yaw * TURN)
    s = -math.sin(yaw * TURN)  # the path's y is to the left: side_distance has it down
    before = 1e9
    found = -1.0
    at = row + PATH_HEAD
    for k in range(POINTS - 1):
        x0 = bank[at] * scale
        y0 = bank[at + 1] * scale
        x1 = bank[at + 4] * scale
        y1 = bank[at + 5] * scale
        for part in range(4):
            t = part / 4.0
            px = x0 + t * (x1 - x0)
            py = y0 + t * (y1 - y0)
            pz = bank[at + 2] + t * (bank[at + 6] - bank[at + 2])
            near = side_distance(px, py, x, y, c, s)
            above = pz - TOP
            if above > 0.0:
                near = math.sqrt(near * near + above * above)
            if near > before and found >= 0.0:
                return found
            before = near
            if near < NEAR:
                found = k + t
                out[0] = px
                out[1] = py
                long = math.sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0))
                out[2] = (x1 - x0) / long if long > 0.0 else 1.0
                out[3] = (y1 - y0) / long if long > 0.0 else 0.0
                out[4] = bank[at + 3] + t * (bank[at + 7] - bank[at + 3])
                out[5] = pz
                out[6] = near
                if near < SURE:
                    return found
        at += 4
    return found


@rule
def slide_contact(x0: float, y0: float, x1: float, y1: float, x: float, y: float) -> float:
    """How far along the line a sliding die meets one at (x, y), or -1."""
    dx = x1 - x0
    dy = y1 - y0
    long = math.sqrt(dx * dx + dy * dy)
    if long < 1.0:
        return -1.0
    along = ((x - x0) * dx + (y - y0) * dy) / long
    aside = ((y - y0) * dx - (x - x0) * dy) / long
    if along < 0.0 or aside > REACH or aside < -REACH:
        return -1.0
    rest = TOUCH * TOUCH - aside * aside
    meets = along - math.sqrt(rest) if rest > 0.0 else along
    if meets < 0.0:
        meets = 0.0
    return meets if meets <= long else -1.0


@rule
def tumble_cell(speed: float, near: float, aside: float, height: float) -> int:
    """The cell of an impact of a tumbling die; aside from 0 (ahead) to 1 (beside)."""
    cell = bin_of(speed, 0.0, 250.0, T_SPEEDS)
    cell = cell * T_NEARS + bin_of(near, SURE - 11.0, 11.0, T_NEARS)
    cell = cell * T_ASIDES + bin_of(aside, 0.0, 0.25, T_ASIDES)
    return cell * T_HEIGHTS + bin_of(height, 0.0, 135.0, T_HEIGHTS)


@rule
def slide_cell(speed: float, aside: float, yaw: float) -> int:
    """The cell of an impact of a sliding die; aside in tenths of a millimetre, yaw in 0…900."""
    cell = bin_of(math.sqrt(speed), 0.0, 6.85, S_SPEEDS)
    cell = cell * S_ASIDES + bin_of(aside, 0.0, 20.0, S_ASIDES)
    return cell * S_YAWS + bin_of(yaw, 0.0, 300.0, S_YAWS)


@rule
def impact(bank: Any, which: int, cells: int, cell: int, g: Any) -> int:
    """Where a drawn impact of this cell stands in the bank."""
    at = section(bank, which)
    first = int(bank[at + cell])
    count = int(bank[at + cell + 1]) - first
    drawn = first + pick(g, count)
    return at + cells + 1 + drawn * IMPACT_ROW


@rule
def quarter(angle: float) -> float:
    """An angle of a square: from 0 to 900."""
    return angle - math.floor(angle / 900.0) * 900.0


@rule
def tip(face: int, tipped: int, g: Any) -> int:
    """The face a die shows after it was tipped."""
    if tipped == TIPPED_NOT:
        return face
    if tipped == TIPPED_OVER:
        return 7 - face
    k = pick(g, 4)
    for other in range(1, 7):
        if other != face and other != 7 - face:
            if k == 0:
                return other
            k -= 1
    return face


# ------------------------------------------------------------------------- what moves afterwards


@rule
def set_off(
    work: Any,
    at: int,
    die: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    passed: int,
    ex: float,
    ey: float,
) -> None:
    """Note a die that sets off from (x0, y0) towards (x1, y1) and ends, if nothing is in the
    way, at (ex, ey); it has dealt with the dice `passed`."""
    work[at][0] = die
    work[at][1] = x0
    work[at][2] = y0
    work[at][3] = x1
    work[at][4] = y1
    work[at][5] = passed
    work[at][6] = ex
    work[at][7] = ey


@rule
def first_met(dice: Any, n: int, x0: float, y0: float, x1: float, y1: float, passed: int) -> int:
    """The first die in the way of a sliding one, or -1."""
    found = -1
    least = 1e9
    low_x = min(x0, x1) - REACH
    high_x = max(x0, x1) + REACH
    low_y = min(y0, y1) - REACH
    high_y = max(y0, y1) + REACH
    for j in range(n):
        if dice[j][ON] == 1 and (passed >> j) & 1 == 0:
            x = dice[j][X]
            y = dice[j][Y]
            if low_x < x < high_x and low_y < y < high_y:
                meets = slide_contact(x0, y0, x1, y1, float(x), float(y))
                if 0.0 <= meets < least:
                    least = meets
                    found = j
    return found


@rule
def apply_impact(
    bank: Any,
    dice: Any,
    work: Any,
    at: int,
    die: int,
    other: int,
    passed: int,
    line: int,
    scale: float,
    px: float,
    py: float,
    ux: float,
    uy: float,
    sign: float,
    g: Any,
) -> int:
    """Replay an impact at (px, py), heading (ux, uy) on the page, and set both dice off."""
    tx = int(bank[line + 2]) * scale
    ty = int(bank[line + 3]) * scale * sign
    sx = int(bank[line + 4]) * scale
    sy = int(bank[line + 5]) * scale * sign
    # The impact's y is to the left of the heading; left of (ux, uy) on the page is (uy, -ux).
    ex = px + tx * ux + ty * uy
    ey = py + tx * uy - ty * ux
    set_off(work, at, die, px, py, ex, ey, passed | 1 << other, ex, ey)
    x = float(dice[other][X])
    y = float(dice[other][Y])
    dice[other][YAW] = (int(dice[other][YAW]) + int(sign * int(bank[line + 6]))) % 3600
    dice[other][FACE] = tip(int(dice[other][FACE]), int(bank[line + 7]), g)
    dice[other][ON] = MOVING
    ex = x + sx * ux + sy * uy
    ey = y + sx * uy - sy * ux
    set_off(work, at + 1, other, x, y, ex, ey, 1 << die, ex, ey)
    return at + 2


@rule
def slide_on(bank: Any, dice: Any, n: int, work: Any, under_way: int, g: Any) -> int:
    """Let all dice under way slide to their ends, into others too; returns who was moved."""
    moved = 0
    events = 0
    while under_way > 0:
        under_way -= 1
        die = int(work[under_way][0])
        x0 = work[under_way][1]
        y0 = work[under_way][2]
        x1 = work[under_way][3]
        y1 = work[under_way][4]
        passed = int(work[under_way][5])
        moved |= 1 << die
        other = -1
        if events < EVENTS:
            other = first_met(dice, n, x0, y0, x1, y1, passed)
        if other < 0:
            dice[die][X] = math.floor(work[under_way][6] + 0.5)
            dice[die][Y] = math.floor(work[under_way][7] + 0.5)
            dice[die][ON] = 1
            continue
        events += 1
        under_way = slide_into(bank, dice, work, under_way, die, other, passed, x0, y0, x1, y1, g)
    return moved


@rule
def slide_into(
    bank: Any,
    dice: Any,
    work: Any,
    at: int,
    die: int,
    other: int,
    passed: int,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    g: Any,
) -> int:
    """A die on its way from (x0, y0) to (x1, y1) meets another."""
    x = float(dice[other][X])
    y = float(dice[other][Y])
    meets = slide_contact(x0, y0, x1, y1, x, y)
    long = math.sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0))
    ux = (x1 - x0) / long
    uy = (y1 - y0) / long
    speed = math.sqrt(2.0 * FRICTION * (long - meets) * 100.0)
    left = (x - x0) * uy - (y - y0) * ux
    sign = 1.0 if left >= 0.0 else -1.0
    heading = math.atan2(-uy, ux) / TURN
    yaw = quarter(sign * (float(dice[other][YAW]) - heading))
    cell = slide_cell(speed, abs(left), yaw)
    line = impact(bank, SLIDES, SLIDE_CELLS, cell, g)
    if bank[line] == 0:
        work[at][5] = passed | 1 << other  # missed: the rest of its way stands in this row
        return at + 1
    ratio = speed / int(bank[line + 1])
    scale = min(2.0, max(0.5, ratio * ratio))
    return apply_impact(
        bank,
        dice,
        work,
        at,
        die,
        other,
        passed,
        line,
        scale,
        x0 + meets * ux,
        y0 + meets * uy,
        ux,
        uy,
        sign,
        g,
    )


@rule
def part(dice: Any, n: int, moved: int) -> None:
    """Move dice that came to lie in each other a little apart."""
    for i in range(n):
        if (moved >> i) & 1 == 0 or dice[i][ON] != 1:
            continue
        for j in range(n):
            if j == i or dice[j][ON] != 1:
                continue
            dx = float(dice[i][X] - dice[j][X])
            dy = float(dice[i][Y] - dice[j][Y])
            if dx * dx + dy * dy < 160.0 * 160.0:
                far = math.sqrt(dx * dx + dy * dy)
                if far < 1.0:
                    dx = 1.0
                    dy = 0.0
                    far = 1.0
                dice[i][X] = int(dice[j][X] + math.floor(dx * 165.0 / far + 0.5))
                dice[i][Y] = int(dice[j][Y] + math.floor(dy * 165.0 / far + 0.5))


# ------------------------------------------------------------------------------- the three ways


@rule
def heading_of(side: int) -> int:
    """Straight ahead from a side (0 bottom, 1 left, 2 top, 3 right), as an angle of the page."""
    if side == 0:
        return 900
    if side == 1:
        return 0
    if side == 2:
        return 2700
    return 1800


@rule
def follow_hand(
    bank: Any,
    dice: Any,
    n: int,
    work: Any,
    die: int,
    row: int,
    scale: float,
    pace: float,
    x0: float,
    y0: float,
    heading: float,
    sign: float,
    g: Any,
) -> int:
    """Follow a hand throw's path to its end, or to the first die it strikes.

    Returns how many dice are under way then, plus 8 if the thrown die has struck one.
    """
    c = math.cos(heading * TURN)
    s = math.sin(heading * TURN)
    last = row + PATH_HEAD + 4 * (POINTS - 1)
    spot = work[SPOT]
    best = work[SPOT + 1]
    passed = 0
    while True:
        struck = -1
        soonest = 1e9
        for j in range(n):
            if dice[j][ON] == 1 and (passed >> j) & 1 == 0:
                dx = float(dice[j][X]) - x0
                dy = y0 - float(dice[j][Y])
                met = tumble_contact(
                    bank,
                    row,
                    scale,
                    dx * c + dy * s,
                    sign * (dy * c - dx * s),
                    sign * (float(dice[j][YAW]) - heading),
                    spot,
                )
                if 0.0 <= met < soonest:
                    soonest = met
                    struck = j
                    for k in range(7):
                        best[k] = spot[k]
        if struck < 0:
            ex = bank[last] * scale
            ey = bank[last + 1] * scale * sign
            px = x0 + ex * c - ey * s
            py = y0 - ex * s - ey * c
            set_off(work, 0, die, px, py, px, py, passed, px, py)
            return 1
        px = x0 + best[0] * c - sign * best[1] * s
        py = y0 - best[0] * s - sign * best[1] * c
        ux = best[2] * c - sign * best[3] * s
        uy = -best[2] * s - sign * best[3] * c
        x = float(dice[struck][X])
        y = float(dice[struck][Y])
        left = (x - px) * uy - (y - py) * ux
        ahead = (x - px) * ux + (y - py) * uy
        side = 1.0 if left >= 0.0 else -1.0
        aside = math.atan2(abs(left), ahead) / math.pi
        speed = best[4] * pace
        line = impact(bank, TUMBLES, TUMBLE_CELLS, tumble_cell(speed, best[6], aside, best[5]), g)
        if bank[line] == 0:
            passed |= 1 << struck
            continue
        ratio = (speed + 50.0) / (int(bank[line + 1]) + 50.0)
        return 8 + apply_impact(
            bank,
            dice,
            work,
            0,
            die,
            struck,
            passed,
            line,
            min(1.6, max(0.6, ratio)),
            px,
            py,
            ux,
            uy,
            side,
            g,
        )


@rule
def hand_throw(
    bank: Any,
    dice: Any,
    n: int,
    work: Any,
    die: int,
    icon: int,
    direction: int,
    speed: int,
    spin: int,
    noise: int,
    scale: float,
    side: int,
    wide: int,
    high: int,
    g: Any,
) -> int:
    """L, R or B: pick a path of this speed and spin, and follow it."""
    kind = K_NOISE + 3 * noise
    heading = heading_of(side) + direction + scale * normal(bank, g) * int(bank[kind]) / 10.0
    pace = speed * (1.0 + scale * normal(bank, g) * int(bank[kind + 1]) / 10000.0)
    x0 = scale * normal(bank, g) * int(bank[kind + 2]) / 10.0
    y0 = scale * normal(bank, g) * int(bank[kind + 2]) / 10.0
    outside = int(bank[K_START])
    aside = 0
    if icon == L:
        aside = -int(bank[K_START + 1])
    if icon == R:
        aside = int(bank[K_START + 1])
    if side == 0:
        x0 += wide / 2.0 + aside
        y0 += high + outside
    elif side == 1:
        x0 -= outside
        y0 += high / 2.0 + aside
    elif side == 2:
        x0 += wide / 2.0 - aside
        y0 -= outside
    else:
        x0 += wide + outside
        y0 += high / 2.0 - aside
    # Between two bins' middles, one or the other is taken, by how near they are.
    shift_speed = HAND_STEP * (share(g) - 0.5)
    shift_spin = SPIN_STEP * (share(g) - 0.5)
    cell = bin_of(pace + shift_speed, HAND_FROM, HAND_STEP, HAND_SPEEDS) * HAND_SPINS
    cell += bin_of(spin + shift_spin, SPIN_FROM, SPIN_STEP, HAND_SPINS)
    drawn = pick(g, 2 * HAND_SAMPLES)
    sign = 1.0 if drawn & 1 else -1.0
    row = section(bank, HANDS) + (cell * HAND_SAMPLES + (drawn >> 1)) * HAND_ROW
    ratio = pace / int(bank[row])
    return follow_hand(
        bank, dice, n, work, die, row, 1.0 + 1.5 * (ratio - 1.0), ratio, x0, y0, heading, sign, g
    )


@rule
def throw_back(work: Any, at: int, dx: float, dy: float) -> None:
    """Let a die under way end on the other side of its start, seen along (dx, dy)."""
    along = (work[at][6] - work[at][1]) * dx + (work[at][7] - work[at][2]) * dy
    twice = 2.0 * along / (dx * dx + dy * dy + 1.0)
    work[at][6] -= twice * dx
    work[at][7] -= twice * dy
    work[at][3] = work[at][6]
    work[at][4] = work[at][7]


@rule
def drop(
    bank: Any, dice: Any, n: int, work: Any, die: int, x: int, y: int, scale: float, g: Any
) -> int:
    """D: pick a drop with the nearest die as far off as here."""
    place = scale * int(bank[K_DROP]) / 10.0
    px = x + place * normal(bank, g)
    py = y + place * normal(bank, g)
    nearest = -1
    least = 1e18
    for j in range(n):
        if dice[j][ON] == 1:
            dx = dice[j][X] - px
            dy = dice[j][Y] - py
            if dx * dx + dy * dy < least:
                least = dx * dx + dy * dy
                nearest = j
    far = math.sqrt(least) if nearest >= 0 else 1e9
    cell = bin_of(far, 0.0, DISTANCE_STEP, DROP_DISTANCES)
    drawn = pick(g, 2 * DROP_SAMPLES)
    sign = 1.0 if drawn & 1 else -1.0
    line = section(bank, DROPS) + (cell * DROP_SAMPLES + (drawn >> 1)) * IMPACT_ROW
    if bank[line] != 0 and nearest >= 0:
        ux = (dice[nearest][X] - px) / far if far > 1.0 else 1.0
        uy = (dice[nearest][Y] - py) / far if far > 1.0 else 0.0
        # A die that bounces off another flies over the rest, or is thrown back by one.
        under_way = apply_impact(
            bank, dice, work, 0, die, nearest, (1 << n) - 1, line, 1.0, px, py, ux, uy, sign, g
        )
        other = first_met(dice, n, px, py, work[0][6], work[0][7], 1 << nearest)
        if other >= 0 and share(g) < THROWN_BACK:
            throw_back(work, 0, dice[other][X] - px, dice[other][Y] - py)
        return 8 + under_way
    tx = float(bank[line + 2])
    ty = float(bank[line + 3]) * sign
    passed = 1 << nearest if nearest >= 0 else 0
    ex = px
    ey = py
    for _ in range(4):
        if far >= FAR:
            turn = pick(g, 3600) * TURN
            ux = math.cos(turn)
            uy = math.sin(turn)
        else:
            ux = (dice[nearest][X] - px) / far if far > 1.0 else 1.0
            uy = (dice[nearest][Y] - py) / far if far > 1.0 else 0.0
        ex = px + tx * ux + ty * uy
        ey = py + tx * uy - ty * ux
        if nearest < 0 or far < FAR:
            break
        dx = ex - dice[nearest][X]
        dy = ey - dice[nearest][Y]
        if dx * dx + dy * dy > TOUCH * TOUCH:
            break
    set_off(work, 0, die, px, py, ex, ey, passed, ex, ey)
    return 1


@rule
def flick(
    bank: Any,
    dice: Any,
    n: int,
    work: Any,
    die: int,
    place: int,
    direction: int,
    speed: int,
    scale: float,
    side: int,
    wide: int,
    high: int,
    g: Any,
) -> int:
    """F: pick a slide of this speed and offset, and follow its line."""
    heading = float(heading_of(side) + direction)
    heading += scale * normal(bank, g) * int(bank[K_FLICK]) / 10.0
    pace = speed * (1.0 + scale * normal(bank, g) * int(bank[K_FLICK + 1]) / 10000.0)
    offset = scale * normal(bank, g) * int(bank[K_FLICK + 2]) / 1000.0
    outside = int(bank[K_START + 2])
    if side == 0:
        x0 = float(place)
        y0 = float(high + outside)
    elif side == 1:
        x0 = float(-outside)
        y0 = float(place)
    elif side == 2:
        x0 = float(wide - place)
        y0 = float(-outside)
    else:
        x0 = float(wide + outside)
        y0 = float(high - place)
    cell = bin_of(pace, FLICK_FROM, FLICK_STEP, FLICK_SPEEDS) * FLICK_OFFSETS
    cell += bin_of(abs(offset), 0.0, OFFSET_STEP, FLICK_OFFSETS)
    sign = 1.0 if offset >= 0.0 else -1.0
    row = section(bank, FLICKS) + (cell * FLICK_SAMPLES + pick(g, FLICK_SAMPLES)) * FLICK_ROW
    ratio = pace / int(bank[row])
    grown = ratio * ratio
    c = math.cos(heading * TURN)
    s = math.sin(heading * TURN)
    ex = bank[row + 1] * grown
    ey = bank[row + 2] * grown * sign
    # It heads straight on and swerves late, if it tips over; only its end lies aside.
    set_off(
        work,
        0,
        die,
        x0,
        y0,
        x0 + ex * c,
        y0 - ex * s,
        0,
        x0 + ex * c - ey * s,
        y0 - ex * s - ey * c,
    )
    return 1


@rule
def surrogate_throw(
    bank: Any,
    dice: Any,
    n: int,
    work: Any,
    die: int,
    icon: int,
    a0: int,
    a1: int,
    a2: int,
    hand: int,
    left_handed: int,
    side: int,
    columns: int,
    rows: int,
    g: Any,
) -> int:
    """Throw die `die` (its row is filled) among the first n rows of `dice`, moved in place.

    `hand` is 0 steady, 1 normal, 2 shaky; `side` 0 bottom, 1 left, 2 top, 3 right; `n` is more
    than `die`. A die that ends outside the grid has ON = 0. Returns 1 if the thrown die touched
    another, plus 2 << i for each die i that moved (the thrown one always does).
    """
    card = int(bank[K_START + 3])
    wide = columns * card
    high = rows * card
    scale = int(bank[K_SCALE + hand]) / 1000.0
    if icon == B:
        scale = min(scale, int(bank[K_SCALE + 3]) / 1000.0)
    dice[die][ON] = MOVING
    dice[die][FACE] = 1 + pick(g, 6)
    dice[die][YAW] = pick(g, 3600)
    if icon == D:
        under_way = drop(bank, dice, n, work, die, a0, a1, scale, g)
    elif icon == F:
        under_way = flick(bank, dice, n, work, die, a0, a1, a2, scale, side, wide, high, g)
    else:
        noise = 2
        if icon != B:
            noise = 1 if (icon == R) == (left_handed == 0) else 0
        under_way = hand_throw(
            bank, dice, n, work, die, icon, a0, a1, a2, noise, scale, side, wide, high, g
        )
    hit = under_way >> 3
    moved = slide_on(bank, dice, n, work, under_way & 7, g)
    if moved != 1 << die:
        hit = 1
        part(dice, n, moved)
    for i in range(n):
        if (moved >> i) & 1:
            inside = 0 <= dice[i][X] <= wide and 0 <= dice[i][Y] <= high
            dice[i][ON] = 1 if inside else 0
    return hit | moved << 1
