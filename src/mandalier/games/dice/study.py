"""Measures of the dice physics: the laws, the faces, the scatter, the surrogate's error.

Every function is seeded and gives plain figures; the pictures are in `mandalier.draw.dice_throw`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mandalier.games import kernel
from mandalier.games.dice import cube, data, physics, surrogate
from mandalier.games.dice.gesture import Die, Gesture, Hand, Random, Table, limits, table_for
from mandalier.games.dice.physics import Outcome
from mandalier.games.dice.surrogate import surrogate_throw
from mandalier.games.dice.trajectory import unpack_trajectory
from mandalier.games.kernel import rule

OVERLAP_ALLOWED = 10  # tenths of a millimetre
ANY_SEED = 2**62 - 1
THROWN = 6  # the number of the thrown die in a study, which no lying die has


# ----------------------------------------------------------------------------- random situations


def any_table(luck: Random, count: int, seats: int = 0) -> Table:
    """A table with `count` dice lying anywhere in the grid, half of them close to another."""
    table = table_for(seats or 2 + luck.below(3))
    wide, high = table.columns * 780, table.rows * 780
    dice: list[Die] = []
    while len(dice) < count:
        if dice and luck.below(2):
            beside = dice[luck.below(len(dice))]
            far, angle = 165 + 100 * luck.share(), 2 * math.pi * luck.share()
            x, y = round(beside.x + far * math.cos(angle)), round(beside.y + far * math.sin(angle))
        else:
            x, y = luck.below(wide + 1), luck.below(high + 1)
        k = len(dice)
        die = Die(k // 5, 1 + k % 5, x, y, luck.below(3600), 1 + luck.below(6))
        if 0 <= x <= wide and 0 <= y <= high and not any(_overlap(die, d) > 0 for d in dice):
            dice.append(die)
    return replace(table, dice=tuple(dice))


def any_gesture(luck: Random, table: Table, icon: str = "") -> Gesture:
    """Any gesture that is allowed at this table, by any seat."""
    seat = luck.below(len(table.sides))
    icon = icon or data.ICONS[luck.below(len(data.ICONS))]
    blank = Gesture(seat, THROWN, icon, (0,) * (2 if icon == "D" else 3))
    numbers = tuple(
        low + luck.below(high - low + 1) for _, low, high in limits(table, blank, data.house())
    )
    return replace(blank, numbers=numbers)


def _overlap(a: Die, b: Die) -> float:
    """How deep two lying dice overlap, in tenths of a millimetre."""
    one, other = ((d.x, -d.y, math.radians(d.yaw / 10)) for d in (a, b))
    return cube.overlap(one, other, 160.0)[0]


# --------------------------------------------------------------------------------------- the laws


def law_breaks(table: Table, out: Outcome) -> list[str]:
    """The laws an outcome breaks, in words."""
    found = []
    after = {(d.seat, d.die): d for d in (*table.dice, *out.landed)}
    dice = list(after.values())
    for i, a in enumerate(dice):
        for b in dice[:i]:
            if _overlap(a, b) > OVERLAP_ALLOWED:
                found.append(f"{a} lies in {b}")
    for track, die in zip(unpack_trajectory(out.trajectory), out.landed, strict=True):
        if min(z for _, _, z in track.places) < 60:
            found.append(f"{die} was under the table")
        if abs(track.places[-1][2] - 80) > 5 or cube.tilt(track.turns[-1]) > math.radians(2.5):
            found.append(f"{die} does not lie flat")
        if cube.face_up(track.turns[-1]) != die.face or not 1 <= die.face <= 6:
            found.append(f"{die} shows another face than its path ends on")
        if max(abs(track.places[-1][0] - die.x), abs(track.places[-1][1] - die.y)) > 1:
            found.append(f"{die} is not where its path ends")
    if out.settled_ms > 5000:
        found.append(f"settled after {out.settled_ms} ms")
    if out.energy and max(out.energy) > out.energy[0] * 1.02 + 0.01 and not out.taps:
        found.append(f"energy grew from {out.energy[0]} to {max(out.energy)} mJ")
    if not out.hit and len(out.landed) > 1:
        found.append("dice moved that were not hit")
    return found


@dataclass(frozen=True, slots=True)
class Figures:
    """What a long run of random gestures showed."""

    throws: int
    longest_ms: int
    hits: int
    taps: int
    ruled: int
    bytes_a_throw: float
    seconds: float


def run_gestures(count: int, seed: int, most_dice: int = 20, first: int = 0) -> Figures:
    """Random gestures on random tables, from number `first` of this seed on; AssertionError if
    one breaks a law."""
    longest = hits = taps = ruled = size = 0
    began = time.process_time()
    for k in range(first, first + count):
        luck = Random(seed, k)
        table = any_table(luck, luck.below(most_dice + 1))
        gesture = any_gesture(luck, table)
        hand = Hand(data.STEADINESS[luck.below(3)], bool(luck.below(2)))
        out = physics.throw(table, gesture, hand, luck.next())
        broken = law_breaks(table, out)
        assert not broken, f"seed {seed}, throw {k}: {broken}; {table} {gesture} {hand}"
        longest = max(longest, out.settled_ms)
        hits += out.hit
        taps += out.taps > 0
        ruled += out.ruled
        size += len(out.trajectory)
    return Figures(count, longest, hits, taps, ruled, size / count, time.process_time() - began)


def chi_square_of_faces(icon: str, count: int, seed: int) -> float:
    """How uneven the faces of `count` throws of one icon are (5 degrees of freedom)."""
    seen = [0] * 6
    for k in range(count):
        luck = Random(seed, k)
        table = any_table(luck, luck.below(3), seats=2)
        out = physics.throw(table, any_gesture(luck, table, icon), Hand(), k)
        seen[out.landed[0].face - 1] += 1
    return sum((n - count / 6) ** 2 / (count / 6) for n in seen)


# ------------------------------------------------------------------------------------- the scatter


@dataclass(frozen=True, slots=True)
class Scatter:
    """Where the throws of one icon land that are aimed at one card."""

    icon: str
    gesture: Gesture
    throws: int
    spread_mm: tuple[float, float]  # along the ellipse's long and short axis
    angle_deg: float  # of the long axis, counter-clockwise
    middle: tuple[float, float]  # tenths of a millimetre
    touches_aimed: float
    outside: float
    points: tuple[tuple[int, int], ...]


def touches(die: Die, column: int, row: int) -> bool:
    """Whether a die's footprint overlaps a card by more than 1 mm²."""
    c, s = math.cos(math.radians(die.yaw / 10)), math.sin(math.radians(die.yaw / 10))
    corners = [
        (die.x + 80 * (u * c + v * s), die.y + 80 * (v * c - u * s))
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    for axis, low in ((0, column * 780), (1, row * 780)):
        corners = _cut(corners, axis, low, 1)
        corners = _cut(corners, axis, low + 780, -1)
    area = sum(
        a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    )
    return abs(area) / 2 > 100


def _cut(
    corners: list[tuple[float, float]], axis: int, line: float, side: int
) -> list[tuple[float, float]]:
    """The part of a polygon on one side of a line along an axis."""
    kept = []
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        da, db = side * (a[axis] - line), side * (b[axis] - line)
        if da >= 0:
            kept.append(a)
        if (da > 0 > db) or (da < 0 < db):
            t = da / (da - db)
            kept.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return kept


def aim(icon: str, column: int, row: int, table: Table, hand: Hand, seed: int = 1) -> Gesture:
    """Seat 0's gesture whose throws land, on average, on the middle of a card."""
    x, y = column * 780 + 390, row * 780 + 390
    if icon == "D":
        return Gesture(0, 1, icon, (x, y))
    start = data.house().start
    wide, high = table.columns * 780, table.rows * 780
    aside = {"L": -10 * start.aside_mm, "R": 10 * start.aside_mm, "B": 0.0}.get(icon, 0.0)
    x0 = x if icon == "F" else wide / 2 + aside
    outside = 10 * (start.flick_outside_mm if icon == "F" else start.hand_outside_mm)
    direction = round(math.degrees(math.atan2(x0 - x, high + outside - y)) * 10)
    wanted = math.hypot(x0 - x, high + outside - y)
    low, top = (500, 2500) if icon == "F" else (400, 1250)
    while top - low > 8:
        speed = (low + top) // 2
        numbers = (x, direction, speed) if icon == "F" else (direction, speed, 0)
        lands = [
            physics.throw(table, Gesture(0, 1, icon, numbers), hand, seed + k).landed[0]
            for k in range(48)
        ]
        reached = sum(math.hypot(d.x - x0, high + outside - d.y) for d in lands) / len(lands)
        low, top = (speed, top) if reached < wanted else (low, speed)
    return Gesture(0, 1, icon, (x, direction, low) if icon == "F" else (direction, low, 0))


def scatter(
    steadiness: str = "normal",
    count: int = 400,
    column: int = 2,
    row: int = 3,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Scatter]:
    """Each icon aimed at one card of an empty table for two, by seat 0. The aims are the same for
    every seed."""
    table, hand = table_for(2), Hand(steadiness)
    found = []
    for icon in data.ICONS:
        found.append(_scatter(icon, table, hand, count, column, row, seed))
        if progress:
            progress(len(found) * count, len(data.ICONS) * count)
    return found


def _scatter(
    icon: str, table: Table, hand: Hand, count: int, column: int, row: int, seed: int
) -> Scatter:
    gesture = aim(icon, column, row, table, hand)
    first = 10_000 * seed
    outs = [physics.throw(table, gesture, hand, (first + k) & ANY_SEED) for k in range(count)]
    lands = [out.landed[0] for out in outs]
    points = np.array([(d.x, d.y) for d in lands], dtype=float)
    values, axes = np.linalg.eigh(np.cov(points.T))
    long_axis = axes[:, 1]
    short, long = (math.sqrt(max(0.0, value)) / 10 for value in values)  # of two throws one is 0
    return Scatter(
        icon=icon,
        gesture=gesture,
        throws=count,
        spread_mm=(long, short),
        angle_deg=math.degrees(math.atan2(-long_axis[1], long_axis[0])) % 180,
        middle=(float(points[:, 0].mean()), float(points[:, 1].mean())),
        touches_aimed=sum(touches(d, column, row) for d in lands) / count,
        outside=sum(not out.inside[0] for out in outs) / count,
        points=tuple((d.x, d.y) for d in lands),
    )


def scatter_text(found: Sequence[Scatter]) -> str:
    """The scatter as a Markdown table."""
    names = {"L": "left hand", "R": "right hand", "B": "blind", "D": "drop", "F": "flick"}
    lines = [
        "| icon | gesture | long axis | short axis | touches the card | outside |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        lines.append(
            f"| {names[one.icon]} | `{one.gesture.text()}` | {one.spread_mm[0]:.0f} mm "
            f"| {one.spread_mm[1]:.0f} mm | {one.touches_aimed:.0%} | {one.outside:.0%} |"
        )
    return "\n".join(lines)


# ---------------------------------------------------------------------------- the surrogate's error


@rule
def surrogate_throws(
    bank: Any,
    lying: Any,
    dice: Any,
    n: int,
    work: Any,
    icon: int,
    a0: int,
    a1: int,
    a2: int,
    hand: int,
    side: int,
    columns: int,
    rows: int,
    times: int,
    cells: Any,
    g: Any,
) -> None:
    """Throw `times` times; count in cells: each card, then outside, hit, a face changed."""
    cards = columns * rows
    for _ in range(times):
        for i in range(n):
            for k in range(6):
                dice[i][k] = lying[i][k]
        done = surrogate_throw(
            bank, dice, n, work, n - 1, icon, a0, a1, a2, hand, 0, side, columns, rows, g
        )
        if dice[n - 1][5] == 0:
            cells[cards] += 1
        else:
            column = min(columns - 1, int(dice[n - 1][0]) // 780)
            row = min(rows - 1, int(dice[n - 1][1]) // 780)
            cells[row * columns + column] += 1
        cells[cards + 1] += done & 1
        changed = 0
        for i in range(n - 1):
            if dice[i][3] != lying[i][3]:
                changed = 1
        cells[cards + 2] += changed


def surrogate_cells(
    table: Table,
    gesture: Gesture,
    hand: Hand,
    times: int,
    seed: int,
    bank: Any = None,
    compiled: bool = True,
) -> Any:
    """Shares of throws by card, then outside, hit, a face changed: by the surrogate."""
    bank = surrogate.bank() if bank is None else bank
    n = len(table.dice) + 1
    lying = np.zeros((n, 6), np.int64)
    for i, d in enumerate(table.dice):
        lying[i] = (d.x, d.y, d.yaw, d.face, 8 * d.seat + d.die, 1)
    lying[n - 1, 4] = 8 * gesture.seat + gesture.die
    cells = np.zeros(table.columns * table.rows + 3, np.int64)
    run = kernel.bind(surrogate_throws, compiled=compiled)
    g = kernel.new_states(kernel.GENERATOR, 1, compiled)[0]
    kernel.bind(kernel.seed_generator, compiled=compiled)(g, seed, 0)
    a0, a1, a2 = (*gesture.numbers, 0)[:3]
    run(
        bank,
        lying,
        lying.copy(),
        n,
        surrogate.new_work(),
        data.ICONS.index(gesture.icon),
        a0,
        a1,
        a2,
        data.STEADINESS.index(hand.steadiness),
        data.SIDES.index(table.sides[gesture.seat]),
        table.columns,
        table.rows,
        times,
        cells,
        g,
    )
    return cells / times


def physical_cells(table: Table, gesture: Gesture, hand: Hand, times: int, seed: int) -> Any:
    """The same shares by the physics."""
    cards = table.columns * table.rows
    cells = np.zeros(cards + 3)
    faces = {(d.seat, d.die): d.face for d in table.dice}
    for k in range(times):
        out = physics.throw(table, gesture, hand, seed + k)
        thrown = out.landed[0]
        column = min(table.columns - 1, thrown.x // 780)
        row = min(table.rows - 1, thrown.y // 780)
        cells[row * table.columns + column if out.inside[0] else cards] += 1
        cells[cards + 1] += out.hit
        cells[cards + 2] += any(d.face != faces[d.seat, d.die] for d in out.landed[1:])
    return cells / times


@dataclass(frozen=True, slots=True)
class Error:
    """How far the surrogate is from the physics: means over the scenes, per icon."""

    icon: str
    scenes: int
    variation: float  # total variation of the landing cell (outside is a cell)
    worst: float
    floor: float  # what two samples of the physics' size would show of themselves
    hit: float
    physical_hit: float
    face: float
    outside: float


def scene(icon: str, luck: Random, lying: int, at_die: bool) -> tuple[Table, Gesture]:
    """A table and a gesture by seat 0 that is worth thinking about; perhaps at a die."""
    table = any_table(luck, lying, seats=2)
    house = data.house()
    target = table.dice[luck.below(len(table.dice))] if table.dice else None
    x, y = luck.below(3901), luck.below(3901)
    if at_die and target:
        x, y = target.x, target.y
    if icon == "D":
        return table, Gesture(0, THROWN, icon, (x, y))
    aside = {"L": -10, "R": 10}.get(icon, 0) * house.start.aside_mm
    place = luck.below(3901)
    x0 = place if icon == "F" else 1950 + aside
    direction = round(math.degrees(math.atan2(x0 - x, 4900 - y)) * 10)
    far = math.hypot(x0 - x, 4900 - y)
    if icon == "F":
        speed = min(2500, max(500, round(math.sqrt(686 * far) * (1 + 0.3 * luck.share()))))
        return table, Gesture(0, THROWN, icon, (place, max(-600, min(600, direction)), speed))
    speed = min(1250, max(400, round(400 + far / 4000 * 900 * (0.8 + 0.4 * luck.share()))))
    spin = luck.below(601) - 300 if luck.below(2) else 0
    return table, Gesture(0, THROWN, icon, (max(-600, min(600, direction)), speed, spin))


def surrogate_error(
    icon: str,
    scenes: int = 6,
    lying: int = 9,
    physical: int = 1000,
    quick: int = 40_000,
    seed: int = 777,
    at_die: bool = False,
    bank: Any = None,
    progress: Callable[[str], None] | None = None,
) -> Error:
    """Compare the surrogate with `physical` throws in each of some scenes."""
    rows = []
    for k in range(scenes):
        luck = Random(seed, 100 * k + data.ICONS.index(icon))
        table, gesture = scene(icon, luck, lying, at_die)
        real = physical_cells(table, gesture, Hand(), physical, 1_000_000 + 5000 * k)
        fast = surrogate_cells(table, gesture, Hand(), quick, k, bank)
        cards = len(real) - 2
        draws = np.random.default_rng(k).multinomial(physical, real[:cards], size=50) / physical
        floor = float(np.abs(draws - real[:cards]).sum(axis=1).mean()) / 2
        gap = np.abs(real - fast)
        rows.append((gap[:cards].sum() / 2, floor, gap[-2], real[-2], gap[-1], gap[cards - 1]))
        if progress:
            progress(
                f"{icon} {k} {gesture.text()} "
                + " ".join(f"{v:.3f}" for v in rows[-1])
                + f" fast hit {fast[-2]:.3f} face {real[-1]:.3f} {fast[-1]:.3f}"
            )
    mean = [float(v) for v in np.mean(rows, axis=0)]
    return Error(
        icon,
        scenes,
        mean[0],
        float(max(row[0] for row in rows)),
        mean[1],
        mean[2],
        mean[3],
        mean[4],
        mean[5],
    )


def error_text(errors: Sequence[Error]) -> str:
    """The errors as a Markdown table."""
    lines = [
        "| icon | scenes | total variation | worst scene | sampling floor | hit: physics "
        "| hit: off by | face change: off by | outside: off by |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for e in errors:
        lines.append(
            f"| {e.icon} | {e.scenes} | {e.variation:.3f} | {e.worst:.3f} | {e.floor:.3f} "
            f"| {e.physical_hit:.2f} | {e.hit:.3f} | {e.face:.3f} | {e.outside:.3f} |"
        )
    return "\n".join(lines)


def surrogate_speed(icon: str, lying: int = 9, throws: int = 400_000, scenes: int = 5) -> float:
    """Surrogate throws a second on this core, over a few scenes."""
    total = 0.0
    for k in range(scenes):
        table, gesture = scene(icon, Random(99, k), lying, False)
        surrogate_cells(table, gesture, Hand(), 10, k)
        began = time.process_time()
        surrogate_cells(table, gesture, Hand(), throws // scenes, k)
        total += time.process_time() - began
    return throws / total
