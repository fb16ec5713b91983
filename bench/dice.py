"""Measures of the dice game's physics and of its surrogate, as JSON.

    python bench/dice.py [--full]

--full adds the long runs: 20,000 random gestures, 20,000 faces an icon, 1,000 physical throws a
scene for the surrogate's error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict
from typing import Any

from mandalier.games.dice import data, physics, study
from mandalier.games.dice.gesture import Hand, Random
from mandalier.lab.simulate import Player, Run

FIRST = """
import time
began = time.perf_counter()
from mandalier.games.dice import gesture as g, physics as p
p.throw(g.table_for(2), g.Gesture(0, 1, "R", (0, 900, 0)), g.Hand(), 1)
print(time.perf_counter() - began)
"""


def milliseconds_a_throw(lying: int, count: int = 150) -> dict[str, float]:
    """CPU time of a throw aimed into the grid, by icon and over all icons."""
    found = {}
    for icon in data.ICONS:
        calls = []
        for k in range(count):
            table, gesture = study.scene(icon, Random(31, k), lying, False)
            calls.append((table, gesture, Hand(), k))
        physics.throw(*calls[0])
        began = time.process_time()
        for call in calls:
            physics.throw(*call)
        found[icon] = 1000 * (time.process_time() - began) / count
    found["mean"] = sum(found.values()) / len(found)
    return {name: round(value, 2) for name, value in found.items()}


def first_throw_seconds() -> float:
    """The first throw of a process, the import included; the best of three."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", FIRST],
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(3)
    ]
    return round(min(float(run.stdout) for run in runs), 3)


def bytes_a_throw(count: int = 300) -> float:
    """The trajectory's size, over all icons with nine dice lying."""
    total = 0
    for k in range(count):
        icon = data.ICONS[k % 5]
        table, gesture = study.scene(icon, Random(33, k), 9, bool(k % 2))
        total += len(physics.throw(table, gesture, Hand(), k).trajectory)
    return round(total / count)


def games_per_second(outcomes: str, games: int) -> float:
    """Full random games of two seats, in CPU time of one core."""
    player = Player(Run.of("dice", 2, games=10**6, seed=7, options={"outcomes": outcomes}))
    player.tally(0, 2)
    began = time.process_time()
    player.tally(2, games)
    return round(games / (time.process_time() - began), 1)


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--full", action="store_true")
    full = reader.parse_args().full
    found: dict[str, Any] = {"engine": physics.engine()}
    found["first_throw_s"] = first_throw_seconds()
    found["cpu_ms_a_throw"] = {n: milliseconds_a_throw(n) for n in (1, 10, 20)}
    found["trajectory_bytes"] = bytes_a_throw()
    found["games_per_s"] = {
        "physics": games_per_second("physics", 20),
        "surrogate": games_per_second("surrogate", 5000),
    }
    found["surrogate_throws_per_s"] = {
        icon: round(study.surrogate_speed(icon)) for icon in data.ICONS
    }
    if full:
        found["random_gestures"] = asdict(study.run_gestures(20_000, 2024))
        found["chi_square_20000"] = {
            icon: round(study.chi_square_of_faces(icon, 20_000, 11), 2) for icon in data.ICONS
        }
    scenes, throws = (8, 1000) if full else (2, 200)
    found["surrogate_error"] = [
        asdict(study.surrogate_error(icon, scenes, physical=throws, at_die=at_die))
        | {"aimed_at_a_die": at_die}
        for at_die in (False, True)
        for icon in data.ICONS
    ]
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
