"""Where dice lie and where throws go: the cells a die touches, and the gestures of aims."""

from __future__ import annotations

import numpy as np

from mandalier.games.dice.state import (
    ASIDE,
    CANVASES,
    CARD,
    DICE,
    DIRECTION,
    FLICK_OUTSIDE,
    FLICK_SPEED,
    HALF,
    HAND_SPEED,
    HAND_SPIN,
    OUTSIDE,
    REACH,
    TOUCHED,
    D,
    F,
    L,
    R,
    columns_of,
    rows_of,
)
from mandalier.games.kernel import Record, primitive, rule

# Sines -----------------------------------------------------------------------------------------
# From whole numbers alone, so that a record is the same game on every machine.

RIGHT = 900
SINE_BITS = 30
SINE_UNIT = float(1 << SINE_BITS)


def _sines() -> list[int]:
    """[900 + angle] the sines from −90° to 90°, times 2³⁰."""
    bits = 96
    one = 1 << bits
    turn = 314159265358979323846264338327950288 * one // (1800 * 10**35)
    sine, cosine, term = turn, one, turn
    for k in range(2, 20):
        term = term * turn // (k * one)
        sign = 1 if k & 2 == 0 else -1
        if k & 1:
            sine += sign * term
        else:
            cosine += sign * term
    s, c, found = 0, one, [0]
    for _ in range(RIGHT):
        s, c = (s * cosine + c * sine) >> bits, (c * cosine - s * sine) >> bits
        found.append((s + (1 << bits - SINE_BITS - 1)) >> bits - SINE_BITS)
    return [-n for n in found[:0:-1]] + found


SINES = _sines()
SINES_ARRAY = np.array(SINES, "i8")


def _sine(angle: int) -> int:
    return int(SINES_ARRAY[RIGHT + angle])


@primitive(_sine)
def sine(angle: int) -> int:
    """The sine of an angle from −900 to 900, times 2³⁰."""
    return SINES[RIGHT + angle]


@rule
def cosine(angle: int) -> int:
    return sine(RIGHT - abs(angle))


@rule
def square_root(n: int) -> int:
    """The largest whole number whose square is at most n (below 2⁵⁰)."""
    root = 0
    for shift in range(24, -1, -1):
        trial = root | 1 << shift
        if trial * trial <= n:
            root = trial
    return root


# Which cards a die touches


@rule
def cells_touched(s: Record, x: int, y: int, yaw: int) -> int:
    """The cells a die overlaps by more than 1 mm² (R2), as bits."""
    columns = columns_of(s)
    left = (x - REACH) // CARD
    top = (y - REACH) // CARD
    right = (x + REACH) // CARD
    bottom = (y + REACH) // CARD
    alone = left == right and top == bottom
    cells = 0
    for row in range(max(top, 0), min(bottom, rows_of(s) - 1) + 1):
        for column in range(max(left, 0), min(right, columns - 1) + 1):
            if alone or overlap(x - CARD * column, y - CARD * row, yaw % RIGHT) > TOUCHED:
                cells |= 1 << (row * columns + column)
    return cells


@rule
def overlap(x: int, y: int, yaw: int) -> float:
    """The area of a die at (x, y), turned by 0 to 90°, on a card whose top left corner is (0, 0)."""
    u = HALF * cosine(yaw) / SINE_UNIT
    v = HALF * sine(yaw) / SINE_UNIT
    return (
        beyond(float(x), float(y), u, v)
        - beyond(float(x - CARD), float(y), u, v)
        - beyond(float(x), float(y - CARD), u, v)
        + beyond(float(x - CARD), float(y - CARD), u, v)
    )


@rule
def beyond(x: float, y: float, u: float, v: float) -> float:
    """The area of a square around (x, y) where both coordinates are positive: what lies under its
    upper sides less what lies under its lower ones."""
    area = under(x + u - v, y - v - u, x - u - v, y + v - u)
    area += under(x - u - v, y + v - u, x - u + v, y + v + u)
    area += under(x - u + v, y + v + u, x + u + v, y - v + u)
    area += under(x + u + v, y - v + u, x + u - v, y - v - u)
    return abs(area)


@rule
def under(x0: float, y0: float, x1: float, y1: float) -> float:
    """The area between a side and the axis where both coordinates are positive; negative if the
    side runs to the left."""
    if x0 > x1:
        return -under_right(x1, y1, x0, y0)
    return under_right(x0, y0, x1, y1)


@rule
def under_right(x0: float, y0: float, x1: float, y1: float) -> float:
    """The same of a side that runs to the right."""
    if x1 <= 0.0:
        return 0.0
    if x0 < 0.0:
        y0 += (y1 - y0) * -x0 / (x1 - x0)
        x0 = 0.0
    if y0 <= 0.0:
        if y1 <= 0.0:
            return 0.0
        return y1 * y1 / (y1 - y0) * (x1 - x0) / 2.0
    if y1 < 0.0:
        return y0 * y0 / (y0 - y1) * (x1 - x0) / 2.0
    return (y0 + y1) * (x1 - x0) / 2.0


# Aims. How far a throw carries on the average, measured in the simulation, in tenths of a
# millimetre by mm/s: a hand throw v × 1.027 + v² × 0.00115, a flick v² / 671.

HAND_A, HAND_B, HAND_UNIT = 102_700, 115, 100_000
FLICK_STOP = 671
TO_KNOCK = (0, 300, 2000)  # how much further to aim at a die: [nothing, by hand, by a flick]


@rule
def target_x(s: Record, target: int) -> int:
    if target < CANVASES:
        return target % columns_of(s) * CARD + CARD // 2
    return int(s.x[(target - CANVASES) // DICE][(target - CANVASES) % DICE])


@rule
def target_y(s: Record, target: int) -> int:
    if target < CANVASES:
        return target // columns_of(s) * CARD + CARD // 2
    return int(s.y[(target - CANVASES) // DICE][(target - CANVASES) % DICE])


@rule
def side_of(s: Record, seat: int) -> int:
    return int(s.side[s.seats - 2][seat])


@rule
def edge_of(s: Record, seat: int) -> int:
    """The length of a seat's own edge of the grid."""
    return CARD * (rows_of(s) if side_of(s, seat) & 1 else columns_of(s))


@rule
def along(s: Record, seat: int, x: int, y: int) -> int:
    """Where a point is along the seat's edge, from its left end."""
    side = side_of(s, seat)
    place = y if side & 1 else x
    return place if side < 2 else edge_of(s, seat) - place


@rule
def ahead(s: Record, seat: int, x: int, y: int) -> int:
    """How far a point is from the seat's edge."""
    side = side_of(s, seat)
    if side == 0:
        return CARD * rows_of(s) - y
    if side == 1:
        return x
    if side == 2:
        return y
    return CARD * columns_of(s) - x


@rule
def to_the_left(s: Record, seat: int, icon: int, x: int, y: int) -> int:
    """How far a point is to the left of where the seat's hand is."""
    hand = edge_of(s, seat) // 2
    if icon == L:
        hand -= s.start[ASIDE]
    elif icon == R:
        hand += s.start[ASIDE]
    return hand - along(s, seat, x, y)


@rule
def in_reach(s: Record, seat: int, icon: int, target: int) -> bool:
    """Whether a throw within the ranges of a gesture carries about as far as a target."""
    if icon == D:
        return True
    x = target_x(s, target)
    y = target_y(s, target)
    if icon == F:
        far = ahead(s, seat, x, y) + s.start[FLICK_OUTSIDE]
        speed = int(s.ranges[FLICK_SPEED][1])
        return bool(FLICK_STOP * far <= speed * speed)
    a = to_the_left(s, seat, icon, x, y)
    d = ahead(s, seat, x, y) + s.start[OUTSIDE]
    low = int(s.ranges[DIRECTION][0])
    high = int(s.ranges[DIRECTION][1])
    if a * cosine(low) < d * sine(low) or a * cosine(high) > d * sine(high):
        return False
    speed = int(s.ranges[HAND_SPEED][1])
    reach = (HAND_A * speed + HAND_B * speed * speed) // HAND_UNIT
    reach += reach // 8
    return bool(a * a + d * d <= reach * reach)


@rule
def clamp(s: Record, which: int, number: int) -> int:
    """The nearest number in the range of a gesture's number."""
    return int(max(s.ranges[which][0], min(s.ranges[which][1], number)))


@rule
def take_aim(s: Record, seat: int, icon: int, target: int) -> None:
    """Put the gesture that should reach a target into the state."""
    knock = int(target >= CANVASES)
    aim_at(s, seat, icon, target_x(s, target), target_y(s, target), knock)


@rule
def aim_at(s: Record, seat: int, icon: int, x: int, y: int, knock: int) -> None:
    """Put the gesture that should reach a point into the state; further, if it shall knock."""
    if icon == D:
        s.gesture[0] = x
        s.gesture[1] = y
        s.gesture[2] = 0
    elif icon == F:
        far = ahead(s, seat, x, y) + s.start[FLICK_OUTSIDE] + TO_KNOCK[2 * knock]
        s.gesture[0] = along(s, seat, x, y)
        s.gesture[1] = clamp(s, DIRECTION, 0)
        s.gesture[2] = clamp(s, FLICK_SPEED, square_root(FLICK_STOP * far))
    else:
        a = to_the_left(s, seat, icon, x, y)
        d = ahead(s, seat, x, y) + s.start[OUTSIDE]
        far = square_root(a * a + d * d) + TO_KNOCK[knock]
        root = square_root(HAND_A * HAND_A + 4 * HAND_B * HAND_UNIT * far)
        s.gesture[0] = direction_to(s, a, d)
        s.gesture[1] = clamp(s, HAND_SPEED, (root - HAND_A) // (2 * HAND_B))
        s.gesture[2] = clamp(s, HAND_SPIN, 0)


@rule
def direction_to(s: Record, a: int, d: int) -> int:
    """The direction to a point so far to the left and ahead, in the range of a gesture."""
    low = int(s.ranges[DIRECTION][0])
    high = int(s.ranges[DIRECTION][1])
    while low < high:
        middle = (low + high + 1) >> 1
        if a * cosine(middle) >= d * sine(middle):
            low = middle
        else:
            high = middle - 1
    return low
