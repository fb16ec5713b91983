"""The house data of the dice game: read from `deck.toml`, checked, and frozen.

Every entry of the file says where it comes from, `printed` or `house`. A table may bring its
own file; whatever is wrong in it is refused with the name of the entry and what would be right.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from mandalier.games.words import say

Source = Literal["printed", "house"]

SOURCES = ("printed", "house")
SIDES = ("bottom", "left", "top", "right")
COLOURS = ("red", "blue", "yellow", "black")
BLOCKS = "rbyk"
ICONS = "LRBDF"
STEADINESS = ("steady", "normal", "shaky")
CANVASES = 36
BLANKS_A_SEAT = 3
FORM = '{ …, source = "house" }'


@dataclass(frozen=True, slots=True)
class Canvas:
    """A card of the grid: its value and its coloured blocks, one letter each."""

    id: int
    value: int
    blocks: str
    white: int
    source: Source


@dataclass(frozen=True, slots=True)
class Grid:
    """The cards laid out for a number of seats, and the side each seat sits at."""

    columns: int
    rows: int
    sides: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Size:
    """Lengths of the pieces, and the weight of a die."""

    card_mm: float
    brush_mm: float
    die_mm: float
    die_rounding_mm: float
    die_g: float


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and the largest whole number a gesture may give, both allowed."""

    direction_tenth_deg: tuple[int, int]
    hand_speed_mm_s: tuple[int, int]
    hand_spin_tenth_rad_s: tuple[int, int]
    flick_speed_mm_s: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Start:
    """Where the die is when the hand lets go of it."""

    flick_outside_mm: float
    hand_outside_mm: float
    aside_mm: float
    hand_height_mm: float
    hand_loft_deg: float
    drop_height_mm: float


@dataclass(frozen=True, slots=True)
class HandNoise:
    """One standard deviation of a thrown die's direction, speed (a share) and place."""

    direction_deg: float
    speed: float
    place_mm: float


@dataclass(frozen=True, slots=True)
class DropNoise:
    """One standard deviation of a dropped die's place, sideways speed and spin."""

    place_mm: float
    speed_m_s: float
    spin_rad_s: float


@dataclass(frozen=True, slots=True)
class FlickNoise:
    """One standard deviation of a flick's direction, speed (a share) and point of contact."""

    direction_deg: float
    speed: float
    offset_mm: float


@dataclass(frozen=True, slots=True)
class Noise:
    """What a hand adds to a gesture at `normal`, and how the table's setting scales it."""

    right: HandNoise
    left: HandNoise
    blind: HandNoise
    drop: DropNoise
    flick: FlickNoise
    cut: float
    scale: Mapping[str, float]
    blind_at_most: float


@dataclass(frozen=True, slots=True)
class Physics:
    """The constants of the simulation."""

    gravity_m_s2: float
    step_hz: int
    frame_hz: int
    contact_ms: float
    table_bounce: float
    table_friction: float
    die_bounce: float
    die_friction: float
    rest_speed: float
    settle_s: float
    flat_within_deg: float
    taps: int


@dataclass(frozen=True, slots=True, eq=False)
class House:
    """Everything a table of the dice game is told by its data file."""

    version: int
    canvases: tuple[Canvas, ...]
    blanks: tuple[int, ...]
    white_blocks_a_blank: int
    mastery: Mapping[str, int]
    grid: Mapping[int, Grid]
    size: Size
    limits: Limits
    start: Start
    noise: Noise
    physics: Physics
    sources: Mapping[str, Source]


class _Reader:
    """Takes entries out of the file one by one, so that what is left over is known."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = tree
        self.sources: dict[str, Source] = {}

    def table(self, name: str) -> dict[str, Any]:
        found = self.tree.get(name)
        if not isinstance(found, dict):
            raise ValueError(say("{name} is missing; it should be a table [{name}]", name=name))
        return found

    def entry(self, name: str) -> dict[str, Any]:
        """The entry `name` ("size.die_mm"), without its source; it can be taken once."""
        here: Any = self.tree
        *above, last = name.split(".")
        for part in above:
            here = here.get(part) if isinstance(here, dict) else None
        found = here.pop(last, None) if isinstance(here, dict) else None
        if not isinstance(found, dict):
            raise ValueError(
                say("{name} is missing; write {name} = {form}", name=name, form=FORM)
                if found is None
                else say("{name} should be {form}, not {x}", name=name, form=FORM, x=repr(found))
            )
        rest = dict(found)
        self.sources[name] = checked_source(name, rest.pop("source", None))
        return rest

    def number(self, name: str, low: float, high: float) -> float:
        return in_range(f"{name}.is", only(name, self.entry(name), "is"), low, high)

    def count(self, name: str, low: int, high: int) -> int:
        return whole(f"{name}.is", only(name, self.entry(name), "is"), low, high)

    def leftovers(self) -> None:
        for name, rest in self.tree.items():
            if rest:
                more = f"{name}.{next(iter(rest))}" if isinstance(rest, dict) else name
                raise ValueError(
                    say("{name} is not an entry of the dice data; take it out", name=more)
                )


def checked_source(name: str, value: object) -> Source:
    if value == "printed" or value == "house":
        return value
    raise ValueError(
        say('{name}.source is {x}; it should be "printed" or "house"', name=name, x=repr(value))
    )


def only(name: str, entry: dict[str, Any], *fields: str) -> Any:
    """The fields of an entry, which must be exactly these; one field comes without a list."""
    for field in fields:
        if field not in entry:
            raise ValueError(say("{entry} is missing", entry=f"{name}.{field}"))
    for field in entry:
        if field not in fields:
            wanted = ", ".join((*fields, "source"))
            raise ValueError(
                say(
                    "{name}.{field} is unknown; {name} holds {fields}",
                    name=name,
                    field=field,
                    fields=wanted,
                )
            )
    values = [entry[field] for field in fields]
    return values[0] if len(values) == 1 else values


def in_range(name: str, value: object, low: float, high: float) -> float:
    """A finite number from low to high."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not low <= value <= high:  # type: ignore
        raise ValueError(
            say(
                "{name} is {x}; it should be a number from {low:g} to {high:g}",
                name=name,
                x=repr(value),
                low=low,
                high=high,
            )
        )
    return float(value)  # type: ignore[arg-type]


def whole(name: str, value: object, low: int, high: int) -> int:
    """A whole number from low to high."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(
            say(
                "{name} is {x}; it should be a whole number from {low} to {high}",
                name=name,
                x=repr(value),
                low=low,
                high=high,
            )
        )
    return value


def _canvases(tree: dict[str, Any], blocks_a_canvas: int) -> tuple[Canvas, ...]:
    found = tree.pop("canvases", None)
    if not isinstance(found, list) or len(found) != CANVASES:
        count = len(found) if isinstance(found, list) else 0
        raise ValueError(
            say("canvases holds {n} cards; it should be a list of {all}", n=count, all=CANVASES)
        )
    return tuple(_canvas(i, card, blocks_a_canvas) for i, card in enumerate(found, start=1))


def _canvas(place: int, card: object, blocks_a_canvas: int) -> Canvas:
    name = f"canvases[{place}]"
    if not isinstance(card, dict):
        raise ValueError(
            say(
                "{name} should be {form}, not {x}",
                name=name,
                form="{ id, value, blocks, source }",
                x=repr(card),
            )
        )
    number, value, blocks, source = only(name, card, "id", "value", "blocks", "source")
    if number != place:
        raise ValueError(
            say(
                "{name}.id is {x}; the cards stand in order, so it is {n}",
                name=name,
                x=repr(number),
                n=place,
            )
        )
    if not isinstance(blocks, str) or set(blocks) - set(BLOCKS):
        raise ValueError(
            say(
                "{name}.blocks is {x}; it takes the letters r, b, y and k",
                name=name,
                x=repr(blocks),
            )
        )
    if len(blocks) > blocks_a_canvas:
        raise ValueError(
            say(
                "{name}.blocks has {n} blocks; a canvas has {all} in all",
                name=name,
                n=len(blocks),
                all=blocks_a_canvas,
            )
        )
    return Canvas(
        id=place,
        value=whole(f"{name}.value", value, 1, 30),
        blocks=blocks,
        white=blocks_a_canvas - len(blocks),
        source=checked_source(name, source),
    )


def _grid(reader: _Reader, seats: int) -> Grid:
    name = f"grid.seats_{seats}"
    columns, rows, sides = only(name, reader.entry(name), "columns", "rows", "sides")
    columns = whole(f"{name}.columns", columns, 1, 9)
    rows = whole(f"{name}.rows", rows, 1, 9)
    if columns * rows > CANVASES:
        raise ValueError(
            say(
                "{name} lays {n} cards; there are {all} canvases",
                name=name,
                n=columns * rows,
                all=CANVASES,
            )
        )
    good = isinstance(sides, list) and len(sides) == seats and len(set(map(str, sides))) == seats
    if not good or any(side not in SIDES for side in sides):
        raise ValueError(
            say(
                "{name}.sides is {x}; it should name {n} different sides of {sides}",
                name=name,
                x=repr(sides),
                n=seats,
                sides=", ".join(SIDES),
            )
        )
    return Grid(columns, rows, tuple(sides), reader.sources[name])


def _limits(reader: _Reader) -> Limits:
    def pair(field: str, low: int, high: int) -> tuple[int, int]:
        name = f"gesture.{field}"
        first, last = only(name, reader.entry(name), "from", "to")
        first = whole(f"{name}.from", first, low, high)
        return first, whole(f"{name}.to", last, first, high)

    return Limits(
        direction_tenth_deg=pair("direction_tenth_deg", -900, 900),
        hand_speed_mm_s=pair("hand_speed_mm_s", 0, 5000),
        hand_spin_tenth_rad_s=pair("hand_spin_tenth_rad_s", -1000, 1000),
        flick_speed_mm_s=pair("flick_speed_mm_s", 0, 5000),
    )


def _noise(reader: _Reader) -> Noise:
    def triple(icon: str, *highest: tuple[str, float]) -> list[float]:
        name = f"noise.{icon}"
        values = only(name, reader.entry(name), *(field for field, _ in highest))
        return [
            in_range(f"{name}.{field}", value, 0.0, high)
            for (field, high), value in zip(highest, values, strict=True)
        ]

    def hand(icon: str) -> HandNoise:
        return HandNoise(*triple(icon, ("direction_deg", 30), ("speed", 0.3), ("place_mm", 50)))

    def scale(name: str) -> float:
        return in_range(f"{name}.scale", only(name, reader.entry(name), "scale"), 0.0, 3.0)

    return Noise(
        right=hand("right"),
        left=hand("left"),
        blind=hand("blind"),
        drop=DropNoise(*triple("drop", ("place_mm", 50), ("speed_m_s", 0.5), ("spin_rad_s", 30))),
        flick=FlickNoise(*triple("flick", ("direction_deg", 30), ("speed", 0.3), ("offset_mm", 5))),
        cut=reader.number("noise.cut", 0.0, 4.0),
        scale={name: scale(f"steadiness.{name}") for name in STEADINESS},
        blind_at_most=scale("steadiness.blind_at_most"),
    )


def _size(reader: _Reader) -> Size:
    size = Size(
        card_mm=reader.number("size.card_mm", 20, 200),
        brush_mm=reader.number("size.brush_mm", 20, 300),
        die_mm=reader.number("size.die_mm", 8, 30),
        die_rounding_mm=reader.number("size.die_rounding_mm", 0.2, 3),
        die_g=reader.number("size.die_g", 0.5, 50),
    )
    if abs(size.die_mm - 16.0) > 1e-9:
        # The record's rules fix a footprint of 160 by 160 tenths of a millimetre.
        raise ValueError(
            say("size.die_mm.is is {n:g}; the rules know dice of 16 mm only", n=size.die_mm)
        )
    return size


def _start(reader: _Reader) -> Start:
    return Start(
        flick_outside_mm=reader.number("start.flick_outside_mm", 20, 300),
        hand_outside_mm=reader.number("start.hand_outside_mm", 20, 300),
        aside_mm=reader.number("start.aside_mm", 0, 300),
        hand_height_mm=reader.number("start.hand_height_mm", 20, 300),
        hand_loft_deg=reader.number("start.hand_loft_deg", 0, 80),
        drop_height_mm=reader.number("start.drop_height_mm", 20, 300),
    )


def _physics(reader: _Reader) -> Physics:
    physics = Physics(
        gravity_m_s2=reader.number("physics.gravity_m_s2", 1, 30),
        step_hz=reader.count("physics.step_hz", 2400, 20000),
        frame_hz=reader.count("physics.frame_hz", 20, 240),
        contact_ms=reader.number("physics.contact_ms", 1, 10),
        table_bounce=reader.number("physics.table_bounce", 0.01, 0.8),
        table_friction=reader.number("physics.table_friction", 0.05, 1.5),
        die_bounce=reader.number("physics.die_bounce", 0.01, 0.8),
        die_friction=reader.number("physics.die_friction", 0.0, 1.5),
        rest_speed=reader.number("physics.rest_speed", 0.0005, 0.02),
        settle_s=reader.number("physics.settle_s", 1, 20),
        flat_within_deg=reader.number("physics.flat_within_deg", 0.2, 10),
        taps=reader.count("physics.taps", 0, 1000),
    )
    if physics.step_hz % physics.frame_hz:
        raise ValueError(
            say(
                "physics.step_hz is {n}; it should be a multiple of physics.frame_hz, {frames}",
                n=physics.step_hz,
                frames=physics.frame_hz,
            )
        )
    return physics


def parse(text: str) -> House:
    """The house data in `text`; ValueError names the first entry that is wrong."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(say("the dice data is not TOML: {error}", error=error)) from None
    return _checked(tree)


def _checked(tree: dict[str, Any]) -> House:
    reader = _Reader(tree)
    version = reader.count("version", 1, 1)
    blocks = reader.count("blocks_a_canvas", 1, 9)
    canvases = _canvases(tree, blocks)
    blanks = only("blanks", reader.entry("blanks"), "values")
    if not isinstance(blanks, list) or len(blanks) != BLANKS_A_SEAT:
        raise ValueError(
            say("blanks.values is {x}; it should be {n} values", x=repr(blanks), n=BLANKS_A_SEAT)
        )
    house = House(
        version=version,
        canvases=canvases,
        blanks=tuple(whole("blanks.values", value, 0, 30) for value in blanks),
        white_blocks_a_blank=reader.count("white_blocks_a_blank", 0, 9),
        mastery={
            colour: whole(
                f"mastery.{colour}.points",
                only(f"mastery.{colour}", reader.entry(f"mastery.{colour}"), "points"),
                0,
                100,
            )
            for colour in COLOURS
        },
        grid={seats: _grid(reader, seats) for seats in (2, 3, 4)},
        size=_size(reader),
        limits=_limits(reader),
        start=_start(reader),
        noise=_noise(reader),
        physics=_physics(reader),
        sources=reader.sources,
    )
    reader.leftovers()
    return house


def load(path: Path | None = None) -> House:
    """The house data in a file; without a path, the file shipped with the game."""
    if path is None:
        return house()
    return parse(path.read_text(encoding="utf-8"))


@cache
def tables() -> Mapping[str, Any]:
    """The tables of the file shipped with the game."""
    return tomllib.loads((Path(__file__).parent / "deck.toml").read_text(encoding="utf-8"))


@cache
def house() -> House:
    """The data shipped with the game."""
    return _checked(deepcopy(dict(tables())))
