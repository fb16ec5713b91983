"""A path for a throw of which only the outcome is known: from the bank of throws, or a record.

It is made up, and looks like a throw: the die leaves the hand as the gesture says, flies, hops and
rolls, strikes the first die that moved if one did, and comes to rest where the outcome has it; the
others are pushed from where they lay to where they came to rest. It shows how a throw may have
gone, and claims no more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from mandalier.games.dice import cube, data
from mandalier.games.dice.cube import Quaternion
from mandalier.games.dice.gesture import TENTH_MM, Die, Gesture, Hand, Release, Table, release
from mandalier.games.dice.trajectory import Track, pack_trajectory

FRAME_HZ = 60
GRAVITY = 98_100  # tenths of a millimetre a second a second
SIDE = 160
BOUNCE = 0.3  # the speed that is left to a hop
SLOWING = 8_000  # how quickly a die loses its speed on the table

Point = tuple[float, float]


def path_to(table: Table, gesture: Gesture, hand: Hand, landed: Sequence[Sequence[int]]) -> bytes:
    """Tracks of the thrown die and of those it moved, which end where they landed."""
    ends = [Die(*numbers) for numbers in landed]
    before = {(die.seat, die.die): die for die in table.dice}
    start = _let_go(table, gesture, hand)
    struck = [before[die.seat, die.die] for die in ends[1:]]
    first = min(struck, key=lambda die: _far(_place(start), (die.x, die.y)), default=None)
    corners = [_place(start), *([_beside(_place(start), first)] if first else []), _spot(ends[0])]
    thrown, hit = _thrown(start, corners, ends[0])
    tracks = [Track(gesture.seat, gesture.die, 0, *thrown)]
    for end in ends[1:]:
        tracks.append(_pushed(before[end.seat, end.die], end, hit))
    return pack_trajectory(tracks)


def _let_go(table: Table, gesture: Gesture, hand: Hand) -> Release:
    """The release by a hand that does not shake."""
    house = data.house()
    still = replace(house, noise=replace(house.noise, cut=0.0))
    return release(table, gesture, hand, 1, still)


def _place(start: Release) -> Point:
    return start.place[0] / TENTH_MM, -start.place[1] / TENTH_MM


def _spot(die: Die) -> Point:
    return float(die.x), float(die.y)


def _far(a: Point, b: Point) -> float:
    return math.hypot(b[0] - a[0], b[1] - a[1])


def _beside(start: Point, die: Die) -> Point:
    """Where the thrown die is when it touches another."""
    far = max(1.0, _far(start, _spot(die)))
    back = min(SIDE, far) / far
    return die.x + (start[0] - die.x) * back, die.y + (start[1] - die.y) * back


def _rest(die: Die) -> Quaternion:
    return cube.lying(die.face, math.radians(die.yaw / 10))


def _lowest(q: Quaternion) -> float:
    """How high the centre of a die is that stands on the table turned like this."""
    return SIDE / 2 * sum(abs(up) for up in cube.heights(q))


def _heights(start: Release) -> list[float]:
    """How high the die is at each picture, were it a point: it falls, and hops lower and lower."""
    z, up = start.place[2] / TENTH_MM, start.velocity[2] / TENTH_MM
    found = [z]
    while z > SIDE / 2 or abs(up) > 900:
        up -= GRAVITY / FRAME_HZ
        z += up / FRAME_HZ
        if z <= SIDE / 2:
            z, up = SIDE / 2, -BOUNCE * up
            if up < 900:
                up = 0.0
        found.append(z)
    return found


Course = tuple[tuple[tuple[int, int, int], ...], tuple[Quaternion, ...]]


def _thrown(start: Release, corners: list[Point], end: Die) -> tuple[Course, int]:
    """The thrown die's places and turns, and the picture in which it reaches the first corner."""
    lengths = [_far(a, b) for a, b in itertools.pairwise(corners)]
    whole = sum(lengths)
    heights = _heights(start)
    # at even speed in the air, then slower and slower: v t + v² / 2a is the whole way
    air = len(heights) / FRAME_HZ
    speed = SLOWING * (math.sqrt(air * air + 2 * whole / SLOWING) - air)
    pictures = max(len(heights), math.ceil((air + speed / SLOWING) * FRAME_HZ)) + 1
    rest, axis = _rest(end), _across(corners)
    places, turns, hit = [], [], 0
    for k in range(pictures):
        t = k / FRAME_HZ
        slow = min(max(0.0, t - air), speed / SLOWING)
        gone = speed * min(t, air) + speed * slow - SLOWING * slow * slow / 2
        gone = whole if k == pictures - 1 else min(whole, gone)
        x, y = _along(corners, lengths, gone)
        if not hit and gone >= lengths[0] - 1:
            hit = k
        left = 1 - gone / whole if whole > 1 else 1 - k / (pictures - 1)
        # it rolls to its rest: one side of the die is a quarter turn
        angle = -left * min(6 * math.pi, max(math.pi, whole / SIDE * math.pi / 2))
        q = cube.times(cube.turn(axis[0] * angle, axis[1] * angle, 0.0), rest)
        z = max(_lowest(q), heights[k] if k < len(heights) else 0.0)
        places.append((round(x), round(y), round(z)))
        turns.append(q)
    return (tuple(places), tuple(turns)), hit


def _across(corners: list[Point]) -> Point:
    """The level axis across the way the die rolls, in the world's axes."""
    (ax, ay), (bx, by) = corners[0], corners[-1]
    far = math.hypot(bx - ax, by - ay)
    if far < 1:
        return 1.0, 0.0
    return (by - ay) / far, (bx - ax) / far


def _along(corners: list[Point], lengths: list[float], gone: float) -> Point:
    for (a, b), length in zip(itertools.pairwise(corners), lengths, strict=True):
        if gone <= length or b is corners[-1]:
            share = min(1.0, gone / length) if length else 1.0
            return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
        gone -= length
    return corners[-1]


def _pushed(begin: Die, end: Die, hit: int) -> Track:
    """A die that was struck: it slides, slower and slower, and turns on the way."""
    far = _far(_spot(begin), _spot(end))
    pictures = max(3, math.ceil(math.sqrt(2 * far / SLOWING) * FRAME_HZ))
    a, b = _rest(begin), _rest(end)
    places, turns = [], []
    for k in range(pictures + 1):
        share = 1 - (1 - k / pictures) ** 2
        q = _between(a, b, share)
        x, y = (p + (r - p) * share for p, r in zip(_spot(begin), _spot(end), strict=True))
        places.append((round(x), round(y), round(_lowest(q))))
        turns.append(q)
    return Track(end.seat, end.die, hit, tuple(places), tuple(turns))


def _between(a: Quaternion, b: Quaternion, share: float) -> Quaternion:
    """A rotation on the shortest way from one to another."""
    dot = sum(p * q for p, q in zip(a, b, strict=True))
    sign = -1.0 if dot < 0 else 1.0
    angle = math.acos(min(1.0, abs(dot)))
    if angle < 1e-4:
        return b
    u, v = math.sin((1 - share) * angle), sign * math.sin(share * angle)
    w, x, y, z = ((u * p + v * q) / math.sin(angle) for p, q in zip(a, b, strict=True))
    return (w, x, y, z)
