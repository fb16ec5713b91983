"""Builds the bank of simulated throws that `mandalier.games.dice.surrogate` replays.

Every sample has a seed of its own, so the bank depends on the seed alone, not on the workers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from mandalier.games.dice import cube, data, physics
from mandalier.games.dice import surrogate as bankform
from mandalier.games.dice.gesture import Die, Gesture, Hand, Random, Release, Table
from mandalier.games.workers import end_with_parent

TUMBLE_SAMPLES = 32_000
SLIDE_SAMPLES = 32_000
BATCH = 64

Progress = Callable[[int, int], None]
Rows = list[list[int]]

_TABLE = Table(9, 9, ("left",))
_FINE_HZ = 240


def _simulate(
    start: Release, seed: int, house: data.House, dice: tuple[Die, ...] = ()
) -> tuple[physics.Throw, physics.Outcome]:
    """A throw from a release of our own; the gesture only names the die."""
    table = replace(_TABLE, dice=dice)
    gesture = Gesture(0, 1, "D", (0, 0))
    if not dice and start.spin[2] == 0 and start.velocity[2] != 0:
        house = replace(house, physics=replace(house.physics, frame_hz=_FINE_HZ))
    run = physics.Throw(table, gesture, Hand(), seed, house, start)
    return run, run.outcome()


# ------------------------------------------------------------------------------- the releases


def hand_release(index: int, seed: int, house: data.House) -> tuple[Release, int]:
    """The hand throw of this place in the bank, and its speed in mm/s."""
    luck = Random(seed, 10 + 8 * index)
    cell = index // bankform.HAND_SAMPLES
    speed_bin, spin_bin = divmod(cell, bankform.HAND_SPINS)
    speed = bankform.HAND_FROM + (speed_bin + luck.share()) * bankform.HAND_STEP
    roll = (bankform.SPIN_FROM + (spin_bin + luck.share()) * bankform.SPIN_STEP) / 10
    loft = math.radians(house.start.hand_loft_deg)
    start = Release(
        place=(0.0, 0.0, house.start.hand_height_mm / 1000),
        turn=luck.rotation(),
        velocity=(speed / 1000 * math.cos(loft), 0.0, speed / 1000 * math.sin(loft)),
        spin=(0.0, roll, 0.0),
    )
    return start, round(speed)


def flick_release(speed: float, offset_mm: float, house: data.House) -> Release:
    """A flick along +x, in mm/s."""
    side = house.size.die_mm / 1000
    return Release(
        place=(0.0, 0.0, side / 2),
        turn=cube.lying(1, 0.0),
        velocity=(speed / 1000, 0.0, 0.0),
        spin=(0.0, 0.0, 6 * speed / 1000 * offset_mm / 1000 / side**2),
    )


# --------------------------------------------------------------------------------- the samples


def hand_row(index: int, seed: int, house: data.House) -> list[int]:
    """The path of a hand throw: points evenly spread over its low part."""
    start, speed = hand_release(index, seed, house)
    run, _ = _simulate(start, seed + index, house)
    path = np.array([frame[0, :3] for frame in run.frames]) * 1e4
    low = int(np.argmax(path[:, 2] < bankform.TOP + bankform.NEAR + 10))
    path = path[low:]
    steps = np.hypot(np.diff(path[:, 0]), np.diff(path[:, 1]))
    far = np.concatenate([[0.0], np.cumsum(steps)])
    pace = np.concatenate([steps * _FINE_HZ / 10, [0.0]])
    at = np.linspace(0, far[-1], bankform.POINTS)
    keep = np.concatenate([[True], steps > 1e-6])
    columns = [np.interp(at, far[keep], column[keep]) for column in (*path.T, pace)]
    columns[0][-1], columns[1][-1] = path[-1, 0], path[-1, 1]
    x, y = columns[0], columns[1]
    head = [speed, x.min(), x.max(), y.min(), y.max(), 0]
    return [round(float(v)) for v in (*head, *np.stack(columns, axis=1).ravel())]


def flick_of(index: int, seed: int) -> tuple[float, float]:
    """The speed (mm/s) and the offset (mm) of the flick of this place in the bank."""
    luck = Random(seed, 11 + 8 * index)
    cell = index // bankform.FLICK_SAMPLES
    speed_bin, offset_bin = divmod(cell, bankform.FLICK_OFFSETS)
    speed = bankform.FLICK_FROM + (speed_bin + luck.share()) * bankform.FLICK_STEP
    return speed, (offset_bin + luck.share()) * bankform.OFFSET_STEP


def flick_row(index: int, seed: int, house: data.House) -> list[int]:
    """The end of a flick."""
    speed, offset = flick_of(index, seed)
    _, end = _simulate(flick_release(speed, offset, house), seed + index, house)
    return [round(speed), end.landed[0].x, -end.landed[0].y, int(end.rolled)]


def drop_row(index: int, seed: int, house: data.House) -> list[int]:
    """A drop with a die at the distance of its cell, on the x axis."""
    luck = Random(seed, 12 + 8 * index)
    bin_ = index // bankform.DROP_SAMPLES
    given, cut = house.noise.drop, house.noise.cut
    draws = [luck.normal(cut) for _ in range(4)]
    start = Release(
        place=(0.0, 0.0, house.start.drop_height_mm / 1000),
        turn=luck.rotation(),
        velocity=(draws[0] * given.speed_m_s, draws[1] * given.speed_m_s, 0.0),
        spin=(draws[2] * given.spin_rad_s, draws[3] * given.spin_rad_s, 0.0),
    )
    dice: tuple[Die, ...] = ()
    if bin_ < bankform.DROP_DISTANCES - 1:
        if bin_ == 0:  # spread evenly over the disc
            far = bankform.DISTANCE_STEP * math.sqrt(luck.share())
        else:
            far = (bin_ + luck.share()) * bankform.DISTANCE_STEP
        dice = (Die(1, 1, round(far), 0, luck.below(3600), 1),)
    _, end = _simulate(start, seed + index, house, dice)
    return _impact_row(end, dice, 0, (0.0, 0.0), (1.0, 0.0), 1.0)


def _impact_row(
    end: physics.Outcome,
    dice: tuple[Die, ...],
    speed: float,
    place: tuple[float, float],
    heading: tuple[float, float],
    sign: float,
) -> list[int]:
    """What happened, seen from the place of the impact along its heading."""

    def seen(x: float, y: float) -> tuple[int, int]:
        ux, uy = heading
        return round(x * ux + y * uy), round(sign * (y * ux - x * uy))

    thrown = end.landed[0]
    row = [int(end.hit), round(speed), *seen(thrown.x - place[0], -thrown.y - place[1])]
    struck = next((die for die in end.landed[1:]), dice[0] if dice else None)
    if struck is None:
        return [*row, 0, 0, 0, 0]
    lay = dice[0]
    turned = (struck.yaw - lay.yaw + 1800) % 3600 - 1800
    tipped = bankform.TIPPED_NOT
    if struck.face != lay.face:
        over = struck.face == 7 - lay.face
        tipped = bankform.TIPPED_OVER if over else bankform.TIPPED_ASIDE
    return [*row, *seen(struck.x - lay.x, lay.y - struck.y), round(sign * turned), tipped]


def tumble_row(index: int, seed: int, house: data.House, bank: Any) -> list[int]:
    """A tumbling die meets one that lies near its path: the cell, then the row."""
    luck = Random(seed, 13 + 8 * index)
    spot = [0.0] * 8
    hands = bankform.section(bank, bankform.HANDS)
    throws = bankform.HAND_SPEEDS * bankform.HAND_SPINS * bankform.HAND_SAMPLES
    while True:
        which = luck.below(throws)
        row = hands + which * bankform.HAND_ROW
        point = row + bankform.PATH_HEAD + 4 * luck.below(bankform.POINTS)
        off, angle = 260 * luck.share(), 2 * math.pi * luck.share()
        x = round(int(bank[point]) + off * math.cos(angle))
        y = round(int(bank[point + 1]) + off * math.sin(angle))
        die = Die(1, 1, x, -y, luck.below(3600), 1)
        if bankform.tumble_contact(bank, row, 1.0, x, y, die.yaw, spot) >= 0:
            break
    start, _ = hand_release(which, seed, house)
    _, end = _simulate(start, seed + which, house, (die,))
    px, py, ux, uy, speed, height, near = spot[:7]
    left = (y - py) * ux - (x - px) * uy
    ahead = (x - px) * ux + (y - py) * uy
    aside = math.atan2(abs(left), ahead) / math.pi
    cell = bankform.tumble_cell(speed, near, aside, height)
    sign = 1.0 if left >= 0 else -1.0
    return [cell, *_impact_row(end, (die,), speed, (px, py), (ux, uy), sign)]


def slide_row(index: int, seed: int, house: data.House, bank: Any) -> list[int]:
    """A sliding die meets one that lies in its way: the cell, then the row."""
    luck = Random(seed, 14 + 8 * index)
    slowing = 200 * bankform.FRICTION
    flicks = bankform.section(bank, bankform.FLICKS)
    while True:
        wanted = (55 * luck.share()) ** 2  # mm/s where they meet
        release = math.sqrt(wanted**2 + slowing * (250 + 4500 * luck.share() ** 2))
        speed_bin = bankform.bin_of(
            release, bankform.FLICK_FROM, bankform.FLICK_STEP, bankform.FLICK_SPEEDS
        )
        off = abs(luck.normal(3.0)) * house.noise.flick.offset_mm * (0.5 + luck.share())
        cell = speed_bin * bankform.FLICK_OFFSETS + bankform.bin_of(
            off, 0.0, bankform.OFFSET_STEP, bankform.FLICK_OFFSETS
        )
        which = cell * bankform.FLICK_SAMPLES + luck.below(bankform.FLICK_SAMPLES)
        row = flicks + which * bankform.FLICK_ROW
        long = float(bank[row + 1])  # it heads along +x, wherever it swerves in the end
        met = long - wanted**2 / slowing
        if met < 200:
            continue
        aside = bankform.REACH * (2 * luck.share() - 1)
        along = met + math.sqrt(max(0.0, bankform.TOUCH**2 - aside**2))
        x, y = round(along), round(aside)
        die = Die(1, 1, x, -y, luck.below(3600), 1)
        meets = bankform.slide_contact(0.0, 0.0, long, 0.0, x, -y)
        if meets >= 0:
            break
    start = flick_release(*flick_of(which, seed), house)
    _, end = _simulate(start, seed + which, house, (die,))
    sign = 1.0 if y >= 0 else -1.0
    yaw = bankform.quarter(sign * die.yaw)
    speed = max(1.0, math.sqrt(slowing * (long - meets)))
    cell = bankform.slide_cell(speed, abs(y), yaw)
    return [cell, *_impact_row(end, (die,), speed, (meets, 0.0), (1.0, 0.0), sign)]


# -------------------------------------------------------------------------------- the building

_bank: Any = None


def _begin(bank: Any) -> None:
    global _bank
    _bank = bank
    end_with_parent()


def _batch(task: tuple[str, int, int, int, data.House | None]) -> Rows:
    kind, first, count, seed, house = task
    house = house or data.house()
    makers: dict[str, Callable[[int], list[int]]] = {
        "hand": lambda i: hand_row(i, seed, house),
        "flick": lambda i: flick_row(i, seed, house),
        "drop": lambda i: drop_row(i, seed, house),
        "slide": lambda i: slide_row(i, seed, house, _bank),
        "tumble": lambda i: tumble_row(i, seed, house, _bank),
    }
    return [makers[kind](i) for i in range(first, first + count)]


def counts() -> dict[str, int]:
    """How many samples of each kind a bank holds."""
    b = bankform
    return {
        "hand": b.HAND_SPEEDS * b.HAND_SPINS * b.HAND_SAMPLES,
        "flick": b.FLICK_SPEEDS * b.FLICK_OFFSETS * b.FLICK_SAMPLES,
        "drop": b.DROP_DISTANCES * b.DROP_SAMPLES,
        "slide": SLIDE_SAMPLES,
        "tumble": TUMBLE_SAMPLES,
    }


def _in_cells(rows: Rows, cells: int) -> list[int]:
    """Impacts by cell: where each cell's rows begin, then the rows; no cell is left empty."""
    sorted_rows: list[Rows] = [[] for _ in range(cells)]
    for cell, *row in rows:
        sorted_rows[cell].append(row)
    for cell in range(cells):
        if not sorted_rows[cell]:
            near = min((c for c in range(cells) if sorted_rows[c]), key=lambda c: abs(c - cell))
            sorted_rows[cell] = sorted_rows[near][:20]
    starts = [0, *accumulate(len(rows) for rows in sorted_rows)]
    return starts + [number for rows in sorted_rows for row in rows for number in row]


def _constants(house: data.House) -> list[int]:
    """The house's numbers that the rules of the surrogate need, in their order in the head."""
    noise, start = house.noise, house.start
    hands = [noise.left, noise.right, noise.blind]
    return [
        *(
            round(v)
            for h in hands
            for v in (100 * h.direction_deg, 10000 * h.speed, 100 * h.place_mm)
        ),
        round(100 * noise.drop.place_mm),
        round(100 * noise.flick.direction_deg),
        round(10000 * noise.flick.speed),
        round(1000 * noise.flick.offset_mm),
        *(round(1000 * noise.scale[name]) for name in data.STEADINESS),
        round(1000 * noise.blind_at_most),
        round(10 * start.hand_outside_mm),
        round(10 * start.aside_mm),
        round(10 * start.flick_outside_mm),
        round(10 * house.size.card_mm),
    ]


def _normals(cut: float) -> list[int]:
    bell = NormalDist()
    values = [bell.inv_cdf((k + 0.5) / 1024) for k in range(1024)]
    return [round(8192 * max(-cut, min(cut, value))) for value in values]


def assemble(sections: list[list[int]], house: data.House) -> Any:
    """The bank: the head, then the sections."""
    head = [bankform.FORMAT]
    place = bankform.HEAD
    for section in sections:
        head += divmod(place, 32768)
        place += len(section)
    head += [0] * (bankform.CONSTANTS - len(head))
    head += _constants(house)
    head += [0] * (bankform.HEAD - len(head))
    return np.array(head + [n for section in sections for n in section], dtype=np.int16)


def build_bank(
    path: Path | None = None,
    seed: int = 20,
    workers: int | None = None,
    house: data.House | None = None,
    progress: Progress | None = None,
) -> Any:
    """Simulate and arrange the bank; write it to `path` if one is given."""
    wanted = counts()
    total, done = sum(wanted.values()), 0
    flat: dict[str, list[int]] = {}
    rows: dict[str, Rows] = {}
    cards = house or data.house()
    for kinds in (["hand", "flick", "drop"], ["slide", "tumble"]):
        bank = assemble([flat.get("hand", []), flat.get("flick", [])], cards)
        with ProcessPoolExecutor(
            workers or os.cpu_count(), initializer=_begin, initargs=(bank.tolist(),)
        ) as pool:
            for kind in kinds:
                rows[kind] = []
                for batch in pool.map(_batch, _tasks(kind, wanted[kind], seed, house)):
                    rows[kind] += batch
                    done += len(batch)
                    if progress:
                        progress(done, total)
        for kind in kinds:
            flat[kind] = [n for row in rows[kind] for n in row]
    made = assemble(
        [
            flat["hand"],
            flat["flick"],
            flat["drop"],
            _in_cells(rows["tumble"], bankform.TUMBLE_CELLS),
            _in_cells(rows["slide"], bankform.SLIDE_CELLS),
            _normals(cards.noise.cut),
        ],
        cards,
    )
    if path is not None:
        np.save(path, made)
    return made


def _tasks(
    kind: str, count: int, seed: int, house: data.House | None
) -> Iterator[tuple[str, int, int, int, data.House | None]]:
    for first in range(0, count, BATCH):
        yield kind, first, min(BATCH, count - first), seed, house
