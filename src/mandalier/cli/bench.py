"""``mandalier bench``: how fast the engines are here, next to the limit."""

from __future__ import annotations

import argparse

from mandalier.cli import common
from mandalier.games.words import say
from mandalier.lab.bench import NAMES, measure


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "bench",
        say("measure the engines on this machine"),
        "mandalier bench --json",
        run,
    )
    parser.add_argument(
        "--only", choices=NAMES, action="append", help=say("measure only this (may be given again)")
    )
    parser.add_argument(
        "--repeat",
        type=common.whole_number,
        default=5,
        help=say("how often; the median counts (default: 5)"),
    )
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    with common.progress(say("measuring")) as report:
        results = measure(parsed.only or NAMES, parsed.repeat, report)
    if parsed.json:
        common.print_json(results)
        return 0
    for name, values in results.items():
        if isinstance(values, dict):
            print(name)
            for key, value in values.items():
                print(f"  {key:32} {value}")
        else:
            print(f"{name}: {values}")
    return 0
