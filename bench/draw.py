"""What a picture costs: Python time, and bytes as they are sent (gzip).

    python bench/draw.py [--games N]

Prints JSON: for each game, number of seats and arrangement the median and the slowest tenth of the
times of a picture over random games, and the same of its size.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from mandalier import draw
from mandalier.games.game import GAMES, View, deal

OPTIONS: dict[str, dict[str, Any]] = {"dice": {"outcomes": "surrogate"}}


def views(name: str, seats: int, games: int) -> Iterator[View]:
    """Who is to move sees, through random games."""
    for seed in range(games):
        chooser = random.Random(seed)
        state = deal(name, seats, seed, OPTIONS.get(name))
        while not state.over:
            seat = chooser.choice(state.waiting)
            yield state.view(seat)
            state.play(chooser.choice(state.legal(seat)), seat)
        yield state.view(0)


def milliseconds(work: Callable[[], Any]) -> float:
    """The best of three, as neighbours on the machine do not count."""
    times = []
    for _ in range(3):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def measured(some: list[View], arrangement: draw.Arrangement) -> dict[str, Any]:
    times, sizes = [], []
    for view in some:
        times.append(milliseconds(lambda view=view: draw.picture(view, arrangement=arrangement)))  # type: ignore[misc]
        svg = draw.picture(view, arrangement=arrangement).encode()
        sizes.append((len(gzip.compress(svg, 6)), len(svg)))
    packed, plain = zip(*sizes, strict=True)
    return {
        "pictures": len(some),
        "ms_median": round(median(times), 2),
        "ms_tenth_slowest": round(quantiles(times, n=10)[-1], 2),
        "gzip_bytes_median": int(median(packed)),
        "gzip_bytes_largest": max(packed),
        "bytes_median": int(median(plain)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=3, help="random games of each kind")
    games = parser.parse_args().games
    found: dict[str, Any] = {}
    for name, game in GAMES.items():
        for seats in game.seats:
            some = list(views(name, seats, games))
            for arrangement in draw.ARRANGEMENTS:
                found[f"{name}/{seats} {arrangement}"] = measured(
                    some[:: max(1, len(some) // 120)], arrangement
                )
            some = some[:: max(1, len(some) // 40)]
            times = [milliseconds(lambda view=view: draw.clicks(view)) for view in some]  # type: ignore[misc]
            trees = [milliseconds(lambda view=view: draw.tree(view)) for view in some]  # type: ignore[misc]
            found[f"{name}/{seats} clicks"] = {
                "ms_median": round(median(times), 2),
                "ms_slowest": round(max(times), 2),
            }
            found[f"{name}/{seats} tree"] = {
                "ms_median": round(median(trees), 2),
                "ms_slowest": round(max(trees), 2),
            }
    json.dump(found, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
