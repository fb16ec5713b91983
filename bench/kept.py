"""How much of its tree a search keeps from one thought to the next: `python bench/kept.py`.

Two seats play pyramids by `master`'s net, each with a search of its own. Printed are, over all
thoughts but each seat's first, how many visits were there when the thought began and how many it added,
as JSON.
"""

from __future__ import annotations

import argparse
import json

from mandalier.games.game import deal, game
from mandalier.lab.origin import commit
from mandalier.search.bot import Budget
from mandalier.search.net import shipped_net
from mandalier.search.searcher import Searcher, Style, asked


def measure(games: int, ms: float) -> dict[str, object]:
    found = game("pyramids")
    net = shipped_net(found.module)
    kept, added, none = 0, 0, 0
    for k in range(games):
        state = deal("pyramids", 2, seed=k)
        seats = [Searcher(found.fastest, Style(by_net=asked(net)), net) for _ in range(2)]
        seats[0].run(state.view(state.waiting[0]), Budget(iterations=10), 1)
        thoughts = [0, 0]
        while not state.over:
            seat = state.waiting[0]
            best = seats[seat].run(state.view(seat), Budget(ms=ms), k)[0]
            if thoughts[seat]:
                kept += seats[seat].kept
                added += seats[seat].iterations
                none += seats[seat].kept == 0
            thoughts[seat] += 1
            state.play(str(found.module.text(state.look(), best.move)), seat)
    return {
        "commit": commit(),
        "games": games,
        "ms": ms,
        "kept": kept,
        "added": added,
        "more": round(kept / added, 3),
        "thoughts_begun_anew": none,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--ms", type=float, default=100)
    parsed = parser.parse_args()
    print(json.dumps(measure(parsed.games, parsed.ms)))


if __name__ == "__main__":
    main()
