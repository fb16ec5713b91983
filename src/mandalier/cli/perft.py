"""``mandalier perft``: how many sequences of moves there are."""

from __future__ import annotations

import argparse
import time

from mandalier.cli import common
from mandalier.games.game import MandalierError, State, deal, position
from mandalier.games.words import say
from mandalier.lab.perft import perft

DEEPEST = 60


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "perft",
        say("count the sequences of legal moves from a position"),
        "mandalier perft pyramids --seats 3 --depth 3 --seed 1",
        run,
    )
    parser.add_argument(
        "what", metavar=say("WHAT"), help=say("the name of a game, or a position text in quotes")
    )
    parser.add_argument(
        "--depth", type=common.whole_number, default=3, help=say("how many moves deep (default: 3)")
    )
    parser.add_argument(
        "--seats", type=common.integer, help=say("how many seats (default: the fewest)")
    )
    common.add_seed(parser)
    common.add_options(parser)
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    if parsed.depth > DEEPEST:
        raise MandalierError(
            say("depth {n} would never end; {most} at most", n=parsed.depth, most=DEEPEST)
        )
    if " " in parsed.what.strip():
        common.refuse_unused(parsed, say("a position"), "seats", "seed", "option", "data")
        state = position(parsed.what)
    else:
        state = deal(parsed.what, parsed.seats, parsed.seed, common.options_of(parsed))
    if not isinstance(state, State):
        raise MandalierError(say("moves are counted from a full position, and this is a view"))
    counts = {}
    for depth in range(1, parsed.depth + 1):
        began = time.perf_counter()
        with common.progress(say("depth {n}", n=depth)) as report:
            counts[depth] = perft(state, depth, report)
        seconds = time.perf_counter() - began
        if not parsed.json:
            print(f"{depth:3} {counts[depth]:15,}  {seconds:8.2f} s", flush=True)
    if parsed.json:
        common.print_json({"position": state.position, "perft": counts})
    return 0
