"""``mandalier simulate``: many games of bots."""

from __future__ import annotations

import argparse

from mandalier.cli import common
from mandalier.games.words import say
from mandalier.lab.simulate import Run, Summary, simulate


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "simulate",
        say("let bots play many games"),
        "mandalier simulate sand --games 100000 --seed 7 --bots greedy,random",
        run,
    )
    common.add_game(parser)
    parser.add_argument(
        "--seats", type=common.integer, help=say("how many seats (default: the fewest)")
    )
    parser.add_argument(
        "--games",
        type=common.whole_number,
        default=1000,
        help=say("how many games (default: 1000)"),
    )
    common.add_seed(parser)
    parser.add_argument(
        "--bots",
        default="random",
        help=say("random, greedy or eager: one for all seats, or one a seat with commas between"),
    )
    parser.add_argument(
        "--workers", type=common.whole_number, help=say("processes (default: one for each core)")
    )
    parser.add_argument(
        "--out",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("write the records here; the same command again goes on where it was stopped"),
    )
    parser.add_argument(
        "--journal",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("what makes a run without --out resumable"),
    )
    parser.add_argument(
        "--overwrite", action="store_true", help=say("begin anew where a run was begun before")
    )
    common.add_options(parser)
    common.add_surrogate(parser)
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    asked = Run.of(
        parsed.game,
        parsed.seats,
        parsed.games,
        parsed.seed,
        tuple(name.strip() for name in parsed.bots.split(",")),
        common.options_of(parsed),
    )
    with common.progress(say("games")) as report:
        summary = simulate(
            asked,
            workers=parsed.workers,
            out=parsed.out,
            journal=parsed.journal,
            overwrite=parsed.overwrite,
            progress=report,
        )
    if parsed.json:
        common.print_json(summary.data())
    else:
        _print(summary)
    return 0


def _print(summary: Summary) -> None:
    data, screen = summary.data(), common.console()
    from rich import box
    from rich.table import Table

    screen.print(
        say(
            "{game}, {seats} seats, {games} games of {moves:.1f} moves, seed {seed}",
            game=data["game"],
            seats=data["seats"],
            games=data["games"],
            moves=data["moves_per_game"],
            seed=data["seed"],
        )
    )
    table = Table(box=box.SIMPLE)
    for title in (say("seat"), say("bot"), say("wins"), say("of these shared"), say("points"), "±"):
        table.add_column(title, justify="left" if title == say("bot") else "right")
    for seat, row in enumerate(data["by_seat"]):
        table.add_row(
            str(seat),
            row["bot"],
            f"{row['win_rate']:.1%}",
            f"{row['shared_wins'] / max(1, data['games']):.1%}",
            f"{row['score_mean']:.2f}",
            f"{row['score_sd']:.2f}",
        )
    screen.print(table)
    reasons = ", ".join(f"{reason} {n}" for reason, n in data["reasons"].items() if n)
    screen.print(say("ended by: {reasons}", reasons=reasons))
    screen.print(say("in {seconds:.1f} s", seconds=data["seconds"]))
