"""A throw before physics: the table, the gesture, the hand's noise, and the die at its release.

Lengths are tenths of a millimetre and angles tenths of a degree, counter-clockwise; x to the right
and y down from the grid's top left corner as seen by seat 0. A `Release` is in the world's units:
metres and radians, y up the page, z up from the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mandalier.games.dice import cube, data
from mandalier.games.dice.cube import Quaternion
from mandalier.games.words import say

TENTH_MM = 1e-4  # metres
MOST_DICE = 24  # a game has 20; a study may lay more

_MASK = 0xFFFFFFFF


class Random:
    """The generator sfc32, seeded by (seed, stream): the same numbers in every version."""

    def __init__(self, seed: int, stream: int) -> None:
        self.a, self.b = seed & _MASK, seed >> 32 & _MASK
        self.c, self.d = stream & _MASK, 1 + (stream >> 32) & _MASK
        for _ in range(12):
            self.next()

    def next(self) -> int:
        t = (self.a + self.b + self.d) & _MASK
        self.d = (self.d + 1) & _MASK
        self.a = self.b ^ (self.b >> 9)
        self.b = (self.c + (self.c << 3)) & _MASK
        self.c = ((self.c << 21 | self.c >> 11) + t) & _MASK
        return t

    def below(self, n: int) -> int:
        return self.next() * n >> 32

    def share(self) -> float:
        """From 0 to 1, neither included."""
        return (self.next() + 0.5) / 4294967296.0

    def normal(self, cut: float = math.inf) -> float:
        """A standard normal draw, cut at `cut` deviations."""
        r = math.sqrt(-2 * math.log(self.share()))
        return max(-cut, min(cut, r * math.cos(2 * math.pi * self.share())))

    def rotation(self) -> Quaternion:
        """Any orientation, all alike."""
        u, v, w = self.share(), 2 * math.pi * self.share(), 2 * math.pi * self.share()
        p, q = math.sqrt(1 - u), math.sqrt(u)
        return (q * math.cos(w), p * math.sin(v), p * math.cos(v), q * math.sin(w))


@dataclass(frozen=True, slots=True)
class Die:
    """A die at rest: whose, its number, its centre, its yaw and the face that is up."""

    seat: int
    die: int
    x: int
    y: int
    yaw: int
    face: int


@dataclass(frozen=True, slots=True)
class Table:
    """The grid's columns and rows, the side of each seat, the dice lying on the table."""

    columns: int
    rows: int
    sides: tuple[str, ...]
    dice: tuple[Die, ...] = ()


@dataclass(frozen=True, slots=True)
class Gesture:
    """What the player gives: the die, the icon and the whole numbers of `throw …`."""

    seat: int
    die: int
    icon: str
    numbers: tuple[int, ...]

    def text(self) -> str:
        return " ".join(("throw", self.icon, *map(str, self.numbers)))


@dataclass(frozen=True, slots=True)
class Hand:
    """How steady the table lets hands be, and whether this seat's better hand is the left."""

    steadiness: str = "normal"
    left_handed: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """The thrown die as it leaves the hand, in the world's units."""

    place: tuple[float, float, float]
    turn: Quaternion
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]


def table_for(seats: int, dice: tuple[Die, ...] = (), house: data.House | None = None) -> Table:
    """The table of a game with this many seats."""
    grid = (house or data.house()).grid[seats]
    return Table(grid.columns, grid.rows, grid.sides, dice)


def is_inside(table: Table, x: int, y: int, house: data.House) -> bool:
    """R1: the centre lies within the outer rectangle of the grid, its border line included."""
    card = round(house.size.card_mm * 10)
    return 0 <= x <= table.columns * card and 0 <= y <= table.rows * card


# ------------------------------------------------------------------------------- the checks


def check(table: Table, gesture: Gesture, hand: Hand, seed: int, house: data.House) -> None:
    """ValueError for a call that describes no throw."""
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed}")
    if hand.steadiness not in data.STEADINESS:
        raise ValueError(f"steadiness is one of {data.STEADINESS}, not {hand.steadiness!r}")
    if not 0 <= gesture.seat < len(table.sides):
        raise ValueError(say("there is no seat {seat} at this table", seat=gesture.seat))
    if len(table.dice) >= MOST_DICE:
        raise ValueError(
            say(
                "{n} dice lie on the table, of {most} at most",
                n=len(table.dice),
                most=MOST_DICE - 1,
            )
        )
    names = [(d.seat, d.die) for d in table.dice] + [(gesture.seat, gesture.die)]
    if len(set(names)) < len(names):
        raise ValueError(say("a die is named twice"))
    for d in table.dice:
        if not 1 <= d.face <= 6:
            raise ValueError(
                say("die {die} shows {n}; a face is 1 to 6", die=f"{d.seat}.{d.die}", n=d.face)
            )
    for (what, low, high), number in zip(
        limits(table, gesture, house), gesture.numbers, strict=False
    ):
        if not low <= number <= high:
            raise ValueError(
                say(
                    "{gesture}: {name} is {number}; it is from {low} to {high}",
                    gesture=gesture.text(),
                    name=what,
                    number=number,
                    low=low,
                    high=high,
                )
            )


def limits(table: Table, gesture: Gesture, house: data.House) -> tuple[tuple[str, int, int], ...]:
    """The name and the range of each number of a gesture with this icon, by this seat."""
    card = round(house.size.card_mm * 10)
    wide, high = table.columns * card, table.rows * card
    edge = wide if table.sides[gesture.seat] in ("bottom", "top") else high
    given = house.limits
    kinds: dict[str, tuple[tuple[str, int, int], ...]] = {
        "D": (("x", 0, wide), ("y", 0, high)),
        "F": (
            ("place", 0, edge),
            ("direction", *given.direction_tenth_deg),
            ("speed", *given.flick_speed_mm_s),
        ),
    }
    kinds["L"] = kinds["R"] = kinds["B"] = (
        ("direction", *given.direction_tenth_deg),
        ("speed", *given.hand_speed_mm_s),
        ("spin", *given.hand_spin_tenth_rad_s),
    )
    if gesture.icon not in kinds:
        raise ValueError(f"an icon is one of {data.ICONS}, not {gesture.icon!r}")
    expected = kinds[gesture.icon]
    if len(gesture.numbers) != len(expected):
        names = " ".join(name for name, _, _ in expected)
        raise ValueError(f"throw {gesture.icon} takes {names}, not {gesture.numbers}")
    return expected


# ------------------------------------------------------------------------------ the release


def noise_scale(icon: str, hand: Hand, house: data.House) -> float:
    """What the table's setting makes of the noise of this icon."""
    scale = house.noise.scale[hand.steadiness]
    return min(scale, house.noise.blind_at_most) if icon == "B" else scale


def hand_noise(icon: str, hand: Hand, house: data.House) -> data.HandNoise:
    """The noise of L, R or B for a right-handed or left-handed seat."""
    if icon == "B":
        return house.noise.blind
    return house.noise.left if (icon == "L") != hand.left_handed else house.noise.right


def seat_frame(table: Table, seat: int, house: data.House) -> tuple[float, ...]:
    """The middle of the seat's edge (x, y), straight ahead (x, y) and the edge's length."""
    wide, high = table.columns * house.size.card_mm / 1000, table.rows * house.size.card_mm / 1000
    return {
        "bottom": (wide / 2, -high, 0.0, 1.0, wide),
        "left": (0.0, -high / 2, 1.0, 0.0, high),
        "top": (wide / 2, 0.0, 0.0, -1.0, wide),
        "right": (wide, -high / 2, -1.0, 0.0, high),
    }[table.sides[seat]]


def release(table: Table, gesture: Gesture, hand: Hand, seed: int, house: data.House) -> Release:
    """The die as it leaves the hand: the gesture, with the hand's noise."""
    noise, turns = Random(seed, 1), Random(seed, 2)
    scale = noise_scale(gesture.icon, hand, house)
    draws = [scale * noise.normal(house.noise.cut) for _ in range(6)]
    if gesture.icon == "D":
        return _drop(gesture, draws, turns.rotation(), house)
    frame = seat_frame(table, gesture.seat, house)
    if gesture.icon == "F":
        return _flick(gesture, frame, draws, house)
    return _hand_throw(gesture, frame, draws, turns.rotation(), hand, house)


def _drop(gesture: Gesture, draws: list[float], turn: Quaternion, house: data.House) -> Release:
    given = house.noise.drop
    x, y = gesture.numbers
    return Release(
        place=(
            x * TENTH_MM + draws[0] * given.place_mm / 1000,
            -y * TENTH_MM + draws[1] * given.place_mm / 1000,
            house.start.drop_height_mm / 1000,
        ),
        turn=turn,
        velocity=(draws[2] * given.speed_m_s, draws[3] * given.speed_m_s, 0.0),
        spin=(draws[4] * given.spin_rad_s, draws[5] * given.spin_rad_s, 0.0),
    )


def _flick(
    gesture: Gesture, frame: tuple[float, ...], draws: list[float], house: data.House
) -> Release:
    given, start, side = house.noise.flick, house.start, house.size.die_mm / 1000
    mid_x, mid_y, ahead_x, ahead_y, edge = frame
    place, direction, speed = gesture.numbers
    along = place * TENTH_MM - edge / 2
    outside = start.flick_outside_mm / 1000
    angle = math.radians(direction / 10 + draws[0] * given.direction_deg)
    pace = max(0.0, speed / 1000 * (1 + draws[1] * given.speed))
    dx = ahead_x * math.cos(angle) - ahead_y * math.sin(angle)
    dy = ahead_x * math.sin(angle) + ahead_y * math.cos(angle)
    # A push off the middle of a side turns the die: 6 v d / a² for a cube of side a.
    turning = 6 * pace * draws[2] * given.offset_mm / 1000 / side**2
    return Release(
        place=(
            mid_x + ahead_y * along - ahead_x * outside,
            mid_y - ahead_x * along - ahead_y * outside,
            side / 2,
        ),
        turn=cube.lying(1, math.atan2(dy, dx)),
        velocity=(pace * dx, pace * dy, 0.0),
        spin=(0.0, 0.0, turning),
    )


def _hand_throw(
    gesture: Gesture,
    frame: tuple[float, ...],
    draws: list[float],
    turn: Quaternion,
    hand: Hand,
    house: data.House,
) -> Release:
    given, start = hand_noise(gesture.icon, hand, house), house.start
    mid_x, mid_y, ahead_x, ahead_y, _ = frame
    direction, speed, spin = gesture.numbers
    aside = {"L": -1, "R": 1, "B": 0}[gesture.icon] * start.aside_mm / 1000
    outside = start.hand_outside_mm / 1000
    angle = math.radians(direction / 10 + draws[0] * given.direction_deg)
    loft = math.radians(start.hand_loft_deg)
    pace = max(0.0, speed / 1000 * (1 + draws[1] * given.speed))
    dx = ahead_x * math.cos(angle) - ahead_y * math.sin(angle)
    dy = ahead_x * math.sin(angle) + ahead_y * math.cos(angle)
    level = pace * math.cos(loft)
    roll = spin / 10
    return Release(
        place=(
            mid_x + ahead_y * aside - ahead_x * outside + draws[2] * given.place_mm / 1000,
            mid_y - ahead_x * aside - ahead_y * outside + draws[3] * given.place_mm / 1000,
            start.hand_height_mm / 1000,
        ),
        turn=turn,
        velocity=(level * dx, level * dy, pace * math.sin(loft)),
        spin=(-roll * dy, roll * dx, 0.0),  # forward: over the level axis across the throw
    )
