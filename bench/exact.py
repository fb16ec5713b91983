"""How long exact play of the end of pyramids takes: `python bench/exact.py` prints JSON.

Positions of two seats with the last places whole ahead of the rearmost pawn, reached by random short
steps. Times are of the processor, for the best move and its value.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time

from mandalier.games.game import View, deal, game
from mandalier.lab.origin import commit
from mandalier.search.exact import Solver

PLACES = 75
STEP = 4  # moves from which random play chooses


def endings(places: int, n: int) -> list[View]:
    """Positions with so many places ahead of the rearmost pawn, or one or two fewer."""
    chooser, found, seed = random.Random(1), list[View](), 0
    while len(found) < n:
        state, seed = deal("pyramids", 2, seed), seed + 1
        while not state.over:
            rear = min(state.look().pawn[:2])
            if PLACES - rear <= places:
                break
            near = [move for move in state.legal() if int(move) <= PLACES - places + 2]
            state.play(chooser.choice((near or state.legal())[:STEP]))
        if not state.over and places - 2 <= PLACES - min(state.look().pawn[:2]) <= places:
            found.append(state.view(state.waiting[0]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=20)
    parser.add_argument("--positions", type=int, default=100)
    parsed = parser.parse_args()
    found = game("pyramids")
    found.load()
    solver = Solver(found.fastest)
    seconds, positions = [], []
    for k, view in enumerate(endings(parsed.places, parsed.positions + 1)):
        begun = time.process_time()
        solution = solver.solve(view, every=False)
        took = time.process_time() - begun
        assert solution is not None
        assert solution.is_final
        if k:  # the first one loads
            seconds.append(took)
            positions.append(solution.positions)
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    result = {
        "places": parsed.places,
        "positions": len(seconds),
        "median_s": round(statistics.median(seconds), 4),
        "longest_s": round(max(seconds), 4),
        "median_searched": statistics.median(positions),
    }
    print(json.dumps({"commit": commit(), **machine, **result}, indent=1))


if __name__ == "__main__":
    main()
