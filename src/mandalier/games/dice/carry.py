"""How far throws carry, for whoever takes aim: measured in the simulation with hands that do not
shake, and the scatter of the hand added.

`carry.toml` has the measure; `mandalier dice carry` makes it anew. It knows the shipped house data:
where a table brings its own physics or sizes, it is a guide and no more. Lengths are tenths of a
millimetre, from where the hand lets go.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from mandalier.games.dice import data
from mandalier.games.dice.gesture import (
    Gesture,
    Hand,
    hand_noise,
    noise_scale,
    seat_frame,
    table_for,
)

FILE = Path(__file__).parent / "carry.toml"
SPEEDS = {
    "hand": (400, 570, 740, 910, 1080, 1250),
    "flick": (500, 900, 1300, 1700, 2100, 2500),
    "drop": (0,),
}
# Spin hardly changes how far a cube carries (2% from end to end), so it is not in the table.


@dataclass(frozen=True, slots=True)
class Carry:
    """[speed] how far away throws come to rest, and one standard deviation of that along the way
    and across it."""

    speeds: tuple[int, ...]
    far: tuple[int, ...]
    along: tuple[int, ...]
    across: tuple[int, ...]


@cache
def measured(kind: str) -> Carry:
    """What was measured of `hand`, `flick` or `drop`."""
    found = tomllib.loads(FILE.read_text("utf-8"))[kind]
    return Carry(**{name: tuple(found[name]) for name in ("speeds", "far", "along", "across")})


@cache
def carry(icon: str, steadiness: str, left_handed: bool) -> Carry:
    """Where the throws of an icon by such a hand come to rest."""
    house, hand = data.house(), Hand(steadiness, left_handed)
    scale = noise_scale(icon, hand, house)
    if icon == "D":
        base, drop = measured("drop"), house.noise.drop
        falls_s = math.sqrt(2 * house.start.drop_height_mm / 1000 / house.physics.gravity_m_s2)
        place, drift = drop.place_mm * 10, drop.speed_m_s * 1e4 * falls_s
        wide = (_joined(base.along[0], scale * place, scale * drift),)
        return replace(base, along=wide, across=wide)
    if icon == "F":
        base = measured("flick")
        direction, pace, place = house.noise.flick.direction_deg, house.noise.flick.speed, 0.0
    else:
        base = measured("hand")
        given = hand_noise(icon, hand, house)
        direction, pace, place = given.direction_deg, given.speed, given.place_mm * 10
    turned = scale * math.radians(direction)
    return replace(
        base,
        along=tuple(
            _joined(n, scale * pace * base.speeds[i] * _slope(base, i), scale * place)
            for i, n in enumerate(base.along)
        ),
        across=tuple(
            _joined(n, turned * far, scale * place)
            for n, far in zip(base.across, base.far, strict=True)
        ),
    )


def _joined(*parts: float) -> int:
    return round(math.hypot(*parts))


def _slope(base: Carry, i: int) -> float:
    """By how much further a throw carries for 1 mm/s more."""
    low, high = max(0, i - 1), min(len(base.speeds) - 1, i + 1)
    return (base.far[high] - base.far[low]) / (base.speeds[high] - base.speeds[low])


# Measuring -------------------------------------------------------------------------------------


def measure(throws: int, progress: Callable[[int, int], None] | None = None) -> str:
    """`carry.toml`, measured anew with so many throws at each speed."""
    done, total = 0, throws * sum(map(len, SPEEDS.values()))
    parts = ["# How far throws carry; see carry.py. Made by `mandalier dice carry`.\n"]
    for kind, icon in (("hand", "B"), ("flick", "F"), ("drop", "D")):
        found = []
        for speed in SPEEDS[kind]:
            found.append(_measure(icon, speed, throws))
            done += throws
            if progress:
                progress(done, total)
        lines = [f"[{kind}]", f"speeds = {list(SPEEDS[kind])}"]
        for name, column in zip(("far", "along", "across"), zip(*found, strict=True), strict=True):
            lines.append(f"{name} = {list(column)}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _measure(icon: str, speed: int, throws: int) -> tuple[int, int, int]:
    """How far, and one standard deviation along and across."""
    import numpy as np

    from mandalier.games.dice import physics

    shipped = data.house()
    house = replace(shipped, noise=replace(shipped.noise, cut=0.0))
    table = table_for(2)
    middle = round(table.columns * house.size.card_mm * 5)
    numbers = {"B": (0, speed, 0), "F": (middle, 0, speed), "D": (middle, middle)}[icon]
    outside = house.start.flick_outside_mm if icon == "F" else house.start.hand_outside_mm
    edge = -seat_frame(table, 0, house)[1] * 1e4
    begin = middle if icon == "D" else edge + 10 * outside
    lands = [
        physics.throw(table, Gesture(0, 1, icon, numbers), Hand(), 50_000 + k, house).landed[0]
        for k in range(throws)
    ]
    ahead = np.array([begin - die.y for die in lands], dtype=float)
    aside = np.array([die.x - middle for die in lands], dtype=float)
    far = 0.0 if icon == "D" else float(ahead.mean())
    if icon == "D":
        both = math.sqrt((float(ahead.var()) + float(aside.var())) / 2)
        return 0, round(both), round(both)
    return round(far), round(float(ahead.std())), round(float(aside.std()))
