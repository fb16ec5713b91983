"""The parts of a position that a throw needs: the table as a solid thing, the ways to throw, and the
paths of dice that were thrown. Part of the protocol."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Paint(Struct, frozen=True):
    """What a part of a picture is painted with: its colour, and a sign in its middle as a path of
    SVG around (0, 0), drawn in `ink`."""

    fill: str
    sign: str
    ink: str


class Tile(Struct, frozen=True):
    """A square that lies on the table: its corner in tenths of a millimetre, and its picture: parts
    of x, y, width, height (of 78 across the whole) and the number of the paint."""

    id: str
    title: str
    x: int
    y: int
    label: str
    parts: list[list[int]]


class Die(Struct, frozen=True):
    """A die at rest: its centre in tenths of a millimetre, x to the right and y down from the top
    left corner of the tiles as seat 0 sees them; how far it is turned, counter-clockwise in tenths
    of a degree; the face that is up."""

    id: str
    seat: int
    die: int
    x: int
    y: int
    yaw: int
    face: int
    inside: bool = True
    """Whether it lies where it counts; else it is taken off the table."""


class DieLook(Struct, frozen=True):
    """The dice of a seat: the colours of body and pips, and a pip as a path of SVG in
    millimetres."""

    fill: str
    ink: str
    pip: str


class Gauge(Struct, frozen=True):
    """A whole number that a throw takes: its range, a value to begin with, and how it is said: in
    `unit`, after dividing by `per`."""

    name: Literal["x", "y", "place", "direction", "speed", "spin"]
    title: str
    low: int
    high: int
    usual: int
    step: int
    unit: str
    per: int


class Carry(Struct, frozen=True):
    """Where throws land on the average: for each of `speeds`, in tenths of a millimetre from where
    the hand lets go, how far away they come to rest, and by how much they scatter along the way and
    across it (one standard deviation). Speeds in between carry in between."""

    speeds: list[int]
    far: list[int]
    along: list[int]
    across: list[int]


class Throw(Struct, frozen=True):
    """A way to throw: the move is `move` and then the numbers, with spaces. The hand is at (x, y, z)
    looking along `ahead` (tenths of a degree, counter-clockwise from the right), which a
    `direction` adds to. A `place` moves it along the edge, and a drop is from over (x, y)."""

    id: str
    """The id of its icon in the picture."""
    move: str
    kind: Literal["hand", "blind", "drop", "flick"]
    side: Literal[-1, 0, 1]
    """Which hand: −1 the left, 1 the right."""
    title: str
    how: str
    """What to do, in words."""
    seat: int
    die: int
    x: int
    y: int
    z: int
    ahead: int
    gauges: list[Gauge]
    carry: Carry


class Stage(Struct, frozen=True):
    """The table as a solid thing, for throws: sizes in tenths of a millimetre."""

    wide: int
    high: int
    tile: int
    die: int
    rounding: int
    turned: int
    """By how many quarters the table is turned, clockwise, so that the viewer's edge is near."""
    paints: list[Paint]
    looks: list[DieLook]
    tiles: list[Tile]
    dice: list[Die]
    throws: list[Throw]
    """What you may throw now."""


class Motion(Struct, frozen=True):
    """Dice that were thrown on the way to position `at`: the table before, and where they went."""

    at: int
    age_ms: int
    """So long ago it began, for who comes late."""
    seat: int
    kind: Literal["hand", "blind", "drop", "flick"]
    side: Literal[-1, 0, 1]
    stage: Stage
    path: str
    """The paths of the dice, 60 pictures a second, in base64: see "Throws"."""
    end: list[Die]
    """Where those that moved came to rest, the thrown one first."""
