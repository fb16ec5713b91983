"""``mandalier film``: a recorded game as a moving picture."""

from __future__ import annotations

import argparse

from mandalier.cli import common
from mandalier.cli.records import record_at
from mandalier.cli.show import add_look
from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.words import say, say_n

HOLD_MS = 900
LONGEST_HOLD_MS = 60_000


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "film",
        say("make a moving picture of a recorded game, a frame a move"),
        "mandalier film games.jsonl --line 3 --gif game.gif",
        run,
    )
    parser.add_argument(
        "file", metavar=say("FILE"), help=say("records, one a line; - for standard input")
    )
    parser.add_argument(
        "--line", type=common.whole_number, default=1, help=say("which record (default: 1)")
    )
    parser.add_argument(
        "--gif",
        type=common.output_file,
        required=True,
        metavar=say("FILE"),
        help=say("write the GIF here"),
    )
    parser.add_argument(
        "--seat", type=common.integer, help=say("as this seat saw it (default: as a spectator did)")
    )
    parser.add_argument(
        "--hold",
        type=_hold,
        default=HOLD_MS,
        metavar=say("MS"),
        help=say("how long each move is shown, in milliseconds (default: {n})", n=HOLD_MS),
    )
    add_look(parser)


def _hold(text: str) -> int:
    """A time in milliseconds; a GIF knows no long ones."""
    if (ms := common.whole_number(text)) > LONGEST_HOLD_MS:
        raise argparse.ArgumentTypeError(
            say("{n} milliseconds at most, not {text}", n=LONGEST_HOLD_MS, text=text)
        )
    return ms


def run(parsed: argparse.Namespace) -> int:
    from mandalier.draw.export import film

    with record_at(parsed.file, parsed.line) as record:
        if parsed.seat is not None and parsed.seat not in range(record["seats"]):
            raise MandalierError(say("there is no seat {seat} at this table", seat=parsed.seat))
        with common.progress(say("frames")) as report:
            frames = film(
                record,
                parsed.gif,
                seat=SPECTATOR if parsed.seat is None else parsed.seat,
                width=parsed.width,
                hold_ms=parsed.hold,
                arrangement=parsed.arrangement,
                theme=parsed.theme,
                report=report,
            )
    size_kb = parsed.gif.stat().st_size // 1000
    print(
        say_n(
            "{n} frame, {size} kB: {file}",
            "{n} frames, {size} kB: {file}",
            frames,
            size=size_kb,
            file=parsed.gif,
        )
    )
    return 0
