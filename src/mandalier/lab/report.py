"""What came of training a net: the curve of its run, and whether what the net expects comes true.

Everything is from the run's own folder, and from games that its best net plays against itself
afresh, none of which it has learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mandalier.games.contract import MAX_SEATS
from mandalier.games.game import game
from mandalier.games.kernel import Array, rule
from mandalier.games.words import say
from mandalier.lab.calibrate import Calibration, Sample, picture
from mandalier.lab.generations import Data, Plan, Run, Tell, in_order, write_json
from mandalier.lab.origin import commit
from mandalier.lab.selfplay import Batch, play_batch
from mandalier.search import net as nets
from mandalier.search.net import read_outputs, run_net

EVERY = 4
"""One position in so many is looked at: those of one game are much alike."""
FRESH = 5
"""What a report's games are dealt by, where a run uses the numbers before (see `Run.seed_for`)."""


@rule
def appraise_rows(
    net: Array,
    rows: Array,
    n: int,
    size: int,
    seats: int,
    sights: Array,
    work: Array,
    wins: Array,
    points: Array,
    found: Array,
) -> None:
    """What a net expects for the seat that sees, in each of n rows of sights: its chance to win, and
    its points less the mean of the others'."""
    for i in range(n):
        for k in range(size):
            sights[k] = rows[i * size + k]
        run_net(net, sights, work)
        read_outputs(work, 0, seats, wins, points)
        others = 0.0
        for k in range(1, seats):
            others += points[k]
        found[2 * i] = wins[0]
        found[2 * i + 1] = points[0] - others / (seats - 1)


def expectations(module: ModuleType, net: Any, sights: Any, seats: int) -> Any:
    """For each row of sights, the chance to win and the lead that a net expects: [row][2]"""
    engine = game(nets.game_name(module)).fastest
    rows = np.ascontiguousarray(sights, "i2").ravel()
    n, size = sights.shape
    found = engine.array(2 * n, "f8")
    engine.bind(appraise_rows)(
        net,
        rows if engine.compiled else rows.tolist(),
        n,
        size,
        seats,
        engine.array(size, "i2"),
        np.zeros(nets.WORK, "f4"),
        engine.array(MAX_SEATS, "f8"),
        engine.array(MAX_SEATS, "f8"),
        found,
    )
    return np.asarray(found).reshape(n, 2)


def samples_of(module: ModuleType, net: Any, k: int, played: Data) -> list[Sample]:
    """What a net expected in some positions of game k, and what came."""
    seats = int(played["seats"][0])
    sights = played["sights"][::EVERY]
    wins, points = played["wins"][::EVERY, 0], played["points"][::EVERY, :seats]
    leads = points[:, 0] - points[:, 1:].mean(1)
    expected = expectations(module, net, sights, seats)
    return [
        Sample(k, float(win), float(lead), float(won), float(led))
        for (win, lead), won, led in zip(expected, wins, leads, strict=True)
    ]


def calibrations(
    plan: Plan,
    net: Any,
    by_all: bool,
    name: str,
    games: int,
    seed: int,
    executor: Executor,
    tell: Tell,
) -> list[Calibration]:
    """Let a net play games against itself, as in training, and compare what it expects with what
    comes; one calibration for each number of seats."""
    module: Any = game(plan.game).module
    each = max(1, games // len(plan.seats))
    jobs = [
        Batch(plan.game, seats, plan.options, plan.style, net, plan.caps, seed, k, 1, by_all)
        for seats in plan.seats
        for k in range(each)
    ]
    samples: dict[int, list[Sample]] = {seats: [] for seats in plan.seats}
    played = in_order(executor, play_batch, jobs, say("report"), tell)
    for job, one in zip(jobs, played, strict=True):
        samples[job.seats] += samples_of(module, net, job.first, one)
    return [
        Calibration(plan.game, seats, name, "self-play", each, seed, tuple(found))
        for seats, found in samples.items()
    ]


def write_report(run: Run, folder: Path, games: int, tell: Tell) -> Path:
    """Write what came of a run: GAME.json, and pictures of its curve and of each calibration."""
    folder.mkdir(parents=True, exist_ok=True)
    name = run.plan.game
    net = run.net_file()[0]
    seed = run.seed_for(FRESH)
    found = calibrations(run.plan, run.best, run.best_by_all, net, games, seed, run.executor, tell)
    path = folder / f"{name}.json"
    data = {
        "net": net,
        "commit": commit(),
        "plan": run.plan.data(),
        "generations": run.generation,
        "games": run.games,
        "elo": round(run.elo, 1),
        "calibration": [_rounded(one.data()) for one in found],
        "curve": run.curve,
    }
    write_json(path, data)
    (folder / f"{name}.svg").write_text(curve_picture(name, run.curve), encoding="utf-8")
    for one in found:
        file = folder / f"{name}-{one.seats}-calibration.svg"
        file.write_text(picture(one), encoding="utf-8")
    return path


def _rounded(data: Any) -> Any:
    if isinstance(data, float):
        return round(data, 4)
    if isinstance(data, dict):
        return {name: _rounded(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_rounded(value) for value in data]
    return data


# The curve -------------------------------------------------------------------------------------

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 720, 170, 60, 20, 40, 46
LOSSES = ("win", "moves", "points")


def curve_picture(name: str, curve: Sequence[Data]) -> str:
    """An SVG: above, the gains of the nets that were promoted, added up (filled points), and those
    that were not (hollow); below, what the net was wrong by, each over its value at the start."""
    n = max(1, len(curve) - 1)

    def x(i: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * i / n, 1)

    height = TOP + 2 * PANEL + GAP + 44
    title = escape(f"{name}: {len(curve)} generations")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{title}</text>',
    ]
    elo = [float(row["elo"]) for row in curve]
    parts += _panel(TOP, 0.0, max([1.0, *elo]), "Elo, added up", [x(i) for i in range(len(curve))])
    up = _scale(TOP, 0.0, max([1.0, *elo]))
    parts.append(_line([(x(i), up(value)) for i, value in enumerate(elo)], "#2b6cb0"))
    for i, row in enumerate(curve):
        fill = "#2b6cb0" if row["promoted"] else "#fff"
        parts.append(
            f'<circle cx="{x(i)}" cy="{up(elo[i])}" r="3.5" fill="{fill}" stroke="#2b6cb0"/>'
        )
    below = TOP + PANEL + GAP
    found = [loss for loss in LOSSES if curve and loss in curve[0]["loss"]]
    shares = {
        loss: [row["loss"][loss] / max(1e-9, curve[0]["loss"][loss]) for row in curve]
        for loss in found
    }
    most = max([1.0, *(value for values in shares.values() for value in values)])
    parts += _panel(below, 0.0, most, "losses, over the first", [x(i) for i in range(len(curve))])
    up = _scale(below, 0.0, most)
    for loss, colour in zip(found, ("#b3261e", "#2b6cb0", "#5b7f2a"), strict=False):
        values = shares[loss]
        parts.append(_line([(x(i), up(value)) for i, value in enumerate(values)], colour))
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{up(values[-1]) - 5}" text-anchor="end" '
            f'fill="{colour}">{loss}</text>'
        )
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{height - 8}" text-anchor="middle">'
        "generation</text></svg>"
    )
    return "\n".join(parts) + "\n"


def _scale(top: int, low: float, high: float) -> Any:
    return lambda value: round(top + PANEL - PANEL * (value - low) / (high - low), 1)


def _panel(top: int, low: float, high: float, name: str, ticks: Sequence[float]) -> list[str]:
    up = _scale(top, low, high)
    parts = [
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{PANEL}" fill="none" '
        'stroke="#999"/>',
        f'<text transform="translate(14 {top + PANEL / 2}) rotate(-90)" text-anchor="middle">'
        f"{name}</text>",
    ]
    for value in (low, (low + high) / 2, high):
        shown = f"{value:.0f}" if high > 10 else f"{value:.2f}"
        parts.append(f'<text x="{LEFT - 5}" y="{up(value) + 4}" text-anchor="end">{shown}</text>')
    step = max(1, len(ticks) // 10)
    for i in range(0, len(ticks), step):
        parts.append(
            f'<text x="{ticks[i]}" y="{top + PANEL + 15}" text-anchor="middle">{i + 1}</text>'
        )
    return parts


def _line(points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
