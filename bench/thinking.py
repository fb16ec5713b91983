"""Whether a search lets others work, and keeps its time when they do: `python bench/thinking.py`.

Printed as JSON: how much longer two searches at once, in two threads, take than one (1: the
interpreter is free for both; 2: they take turns), and how long `master`'s answer takes by the clock, on
the machine as it is and with a busy process more for every core.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from mandalier.games.game import View, deal, game
from mandalier.lab.origin import commit
from mandalier.search.bot import Budget, bot
from mandalier.search.net import shipped_net
from mandalier.search.searcher import Searcher, Style, asked

ITERATIONS = 60_000


def seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def at_once(works: list[Callable[[], Any]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def two_threads(repeat: int) -> dict[str, Any]:
    """The time of one search in a thread, of two at once, and how many times as long that is."""
    found = game("sand")
    net = shipped_net(found.module)
    view = deal("sand", seed=3).view(0)

    def search() -> Callable[[], Any]:
        searcher = Searcher(found.fastest, Style(by_net=asked(net)), net)
        searcher.run(view, Budget(iterations=500), 1)
        return lambda: searcher.run(view, Budget(iterations=ITERATIONS), 1)

    both = [search(), search()]
    rounds = [
        (seconds(lambda: at_once(both[:1])), seconds(lambda: at_once(both))) for _ in range(repeat)
    ]
    one, two = (min(times) for times in zip(*rounds, strict=True))
    return {"one_s": round(one, 3), "two_s": round(two, 3), "times": round(two / one, 2)}


def positions(n: int) -> list[View]:
    """Positions of a game of sand, and of one of stones and of pyramids."""
    found = []
    for name in ("sand", "stones", "pyramids"):
        state = deal(name, 2, seed=5)
        while not state.over and len(found) % n < n - 1:
            seat = state.waiting[0]
            found.append(state.view(seat))
            state.play(bot("eager").think(state.view(seat), seed=1).move, seat)
        found.append(state.view(state.waiting[0]))
    return found


def spin() -> None:
    while True:
        pass


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Other processes that do nothing but take time."""
    started = [multiprocessing.Process(target=spin, daemon=True) for _ in range(processes)]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.join()


def answers(views: list[View]) -> dict[str, float]:
    master = bot("master")
    for view in views:
        master.think(view, Budget(iterations=1))  # loaded, before any clock runs
    times = sorted(seconds(partial(master.think, view, seed=1)) for view in views)
    return {"median_s": round(times[len(times) // 2], 3), "longest_s": round(times[-1], 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--positions", type=int, default=4, help="of each game")
    parsed = parser.parse_args()
    cores = os.cpu_count() or 1
    views = positions(parsed.positions)
    found: dict[str, Any] = {"commit": commit(), "cores": cores, "load": os.getloadavg()[0]}
    found["threads"] = two_threads(parsed.repeat)
    found["answers"] = {"as_it_is": answers(views)}
    with busy(cores):
        found["answers"][f"with_{cores}_busy"] = answers(views)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
