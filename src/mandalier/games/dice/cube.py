"""The die as a cube: its numbers, its 24 rotations, its footprint on the table.

Quaternions are (w, x, y, z) and turn the die in axes x right, y away from seat 0, z up. A die
at rest is told by its face and its yaw: the pair fixes the whole orientation, side faces
included, so a die that is put back on the table is the die that was picked up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Quaternion = tuple[float, float, float, float]
Square = list[float]  # x, y, yaw in radians

# The numbers round a corner run counter-clockwise 1, 2, 3; opposite faces add up to 7.
FACE_OF_AXIS = {(2, 1): 1, (0, 1): 2, (1, 1): 3, (1, -1): 4, (0, -1): 5, (2, -1): 6}

_H = math.sqrt(0.5)

# The rotation that brings each face up; face 0 does not exist.
UP: tuple[Quaternion, ...] = (
    (1.0, 0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0),
    (_H, 0.0, -_H, 0.0),
    (_H, _H, 0.0, 0.0),
    (_H, -_H, 0.0, 0.0),
    (_H, 0.0, _H, 0.0),
    (0.0, 1.0, 0.0, 0.0),
)


def times(p: Sequence[float], q: Sequence[float]) -> Quaternion:
    """The rotation q followed by the rotation p."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def turn(x: float, y: float, z: float) -> Quaternion:
    """The rotation by the vector's length in radians about the vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    s = math.sin(angle / 2) / angle
    return (math.cos(angle / 2), s * x, s * y, s * z)


def back(q: Sequence[float]) -> Quaternion:
    """The inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def rotated(q: Sequence[float], v: Sequence[float]) -> tuple[float, float, float]:
    """The vector v, rotated."""
    _, x, y, z = times(times(q, (0.0, *v)), back(q))
    return (x, y, z)


def heights(q: Sequence[float]) -> tuple[float, float, float]:
    """How far up each of the die's own axes points, from -1 to 1."""
    w, x, y, z = q
    return (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))


def face_up(q: Sequence[float]) -> int:
    """The number nearest to up."""
    ups = heights(q)
    axis = max(range(3), key=lambda i: abs(ups[i]))
    return FACE_OF_AXIS[(axis, 1 if ups[axis] > 0 else -1)]


def tilt(q: Sequence[float]) -> float:
    """The angle in radians by which the die is off lying flat."""
    return math.acos(min(1.0, max(abs(up) for up in heights(q))))


def lying(face: int, yaw: float) -> Quaternion:
    """The orientation of a die that lies with this face up, turned by yaw (radians)."""
    return times((math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)), UP[face])


def yaw_of(q: Sequence[float], face: int) -> float:
    """The yaw (radians) of a die with this face up: `lying` undone."""
    w, _, _, z = times(q, back(UP[face]))
    return 2 * math.atan2(z, w)


# All rotations of a cube onto itself: the face that comes up, then its quarter turns.
ROTATIONS: tuple[Quaternion, ...] = tuple(
    lying(face, quarter * math.pi / 2) for face in range(1, 7) for quarter in range(4)
)


def overlap(a: Sequence[float], b: Sequence[float], side: float) -> tuple[float, float, float]:
    """How deep two squares of this side overlap, and the unit vector that moves b clear of a.

    The depth is at most 0 when they are apart (then it tells no distance).
    """
    dx, dy = b[0] - a[0], b[1] - a[1]
    if dx * dx + dy * dy >= 2 * side * side:
        return (0.0, 1.0, 0.0)
    off = b[2] - a[2]
    reach = side / 2 * (1 + abs(math.cos(off)) + abs(math.sin(off)))
    best = (math.inf, 1.0, 0.0)
    for yaw in (a[2], a[2] + math.pi / 2, b[2], b[2] + math.pi / 2):
        ux, uy = math.cos(yaw), math.sin(yaw)
        along = dx * ux + dy * uy
        depth = reach - abs(along)
        if depth < best[0]:
            sign = 1.0 if along >= 0 else -1.0
            best = (depth, sign * ux, sign * uy)
    return best


def move_clear(squares: list[Square], held: Sequence[bool], side: float, slack: float) -> bool:
    """Push overlapping squares apart until none overlap; held ones give way to none but held.

    Returns whether it came to that; squares far apart are not touched.
    """
    for _ in range(400):
        clear = True
        for i in range(len(squares)):
            for j in range(i):
                clear = _part(squares[j], squares[i], held[j], held[i], side, slack) and clear
        if clear:
            return True
    return False


def _part(a: Square, b: Square, a_held: bool, b_held: bool, side: float, slack: float) -> bool:
    depth, ux, uy = overlap(a, b, side)
    if depth <= 0:
        return True
    share = 0.5 if a_held == b_held else (0.0 if a_held else 1.0)
    push = depth + slack
    a[0] -= ux * push * share
    a[1] -= uy * push * share
    b[0] += ux * push * (1 - share)
    b[1] += uy * push * (1 - share)
    return False
