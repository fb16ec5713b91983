"""How fast nets and searches are: `python bench/nets.py` prints JSON.

Positions are from random games, seen by the seat to move; times are of the processor, not of the
clock, and the best of several runs, so that what else the machine does counts for less.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time
from typing import Any

import numpy as np

from mandalier.games.contract import MAX_SEATS, observe
from mandalier.games.engine import Engine
from mandalier.games.game import GAMES, View, deal
from mandalier.games.kernel import Array, rule
from mandalier.lab.origin import commit
from mandalier.search import net as nets
from mandalier.search.bot import Budget
from mandalier.search.net import Net, appraise_position, run_net, shipped_net
from mandalier.search.searcher import Searcher, Style, asked

POSITIONS = 256
ROUNDS = 200
SEARCHED = 12
ITERATIONS = 8_000
OBSERVE, RUN, BOTH = range(3)


@rule
def ask(
    states: Array,
    n: int,
    rounds: int,
    what: int,
    net: Array,
    sights: Array,
    work: Array,
    wins: Array,
    points: Array,
) -> float:
    """Look at positions, ask the net, or both, as a search does at a leaf."""
    total = 0.0
    for _ in range(rounds):
        for i in range(n):
            s = states[i]
            seat = int(s.viewer) - 1
            if what == OBSERVE:
                observe(s, seat, sights)
                total += sights[0]
            elif what == RUN:
                if i % 8 == 0:
                    observe(s, seat, sights)
                run_net(net, sights, work)
                total += work[nets.OUT]
            else:
                appraise_position(s, seat, net, sights, work, wins, points)
                total += wins[0]
    return total


def views(name: str, seats: int, n: int, seed: int = 5) -> list[View]:
    """Positions of random games, in which the seat may choose, as it sees them."""
    chooser, found = random.Random(seed), list[View]()
    while len(found) < n:
        state = deal(name, seats, chooser.getrandbits(40))
        while not state.over and len(found) < n:
            seat = state.waiting[0]
            moves = state.legal(seat)
            if chooser.random() < 0.2 and len(moves) > 1:
                found.append(state.view(seat))
            state.play(chooser.choice(moves), seat)
    return found


def evaluations(engine: Engine, net: Net, seen: list[View], repeat: int) -> dict[str, float]:
    states = engine.states(len(seen))
    for i, view in enumerate(seen):
        engine.write(view.look(), states, i)
    whole, things, each = engine.game.SIGHTS
    arrays = (
        engine.array(whole + things * each, "i2"),
        np.zeros(nets.WORK, "f4"),
        engine.array(MAX_SEATS, "f8"),
        engine.array(MAX_SEATS, "f8"),
    )
    run = engine.bind(ask)
    per_second = {}
    for what, label in ((OBSERVE, "observed"), (RUN, "net"), (BOTH, "valued")):
        best = float("inf")
        for _ in range(repeat):
            run(states, len(seen), 2, what, net.flat, *arrays)
            begun = time.process_time()
            run(states, len(seen), ROUNDS, what, net.flat, *arrays)
            best = min(best, time.process_time() - begun)
        per_second[f"{label}_per_s"] = round(len(seen) * ROUNDS / best)
    return per_second


def searches(engine: Engine, net: Net, seen: list[View], repeat: int) -> dict[str, float]:
    found = {}
    for by_net, label in ((0, "by_playouts"), (asked(net), "by_net")):
        searcher = Searcher(engine, Style(by_net=by_net), net)
        searcher.run(seen[0], Budget(iterations=10), 1)
        rates = []
        for view in seen[:SEARCHED]:
            best = float("inf")
            for _ in range(repeat):
                begun = time.process_time()
                searcher.run(view, Budget(iterations=ITERATIONS), 1)
                best = min(best, time.process_time() - begun)
            rates.append(ITERATIONS / best)
        found[f"{label}_per_s"] = round(statistics.harmonic_mean(rates))
    return found


def measure(repeat: int) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for name, found in GAMES.items():
        net = shipped_net(found.module)
        if net is None:
            continue
        engine = found.fastest
        for seats in found.seats:
            seen = views(name, seats, POSITIONS)
            tables[f"{name}/{seats}"] = {
                "net": net.name,
                "weights": len(net.flat) - nets.NUMBERS,
                "positions": evaluations(engine, net, seen, repeat),
                "iterations": searches(engine, net, seen, repeat),
            }
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    print(json.dumps({"commit": commit(), **machine, "tables": measure(repeat)}, indent=1))


if __name__ == "__main__":
    main()
