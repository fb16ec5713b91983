"""``mandalier analyse --calibrate``: how well values hold on games of bots."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from mandalier.cli import common
from mandalier.games.words import numeral, say
from mandalier.lab.calibrate import Bin, Calibration, calibrate, picture
from mandalier.search.bot import Budget


def run(parsed: argparse.Namespace) -> int:
    by = parsed.bot or parsed.ledger
    with common.progress(say("games")) as report:
        found = calibrate(
            parsed.calibrate,
            by,
            seats=parsed.seats,
            games=parsed.games,
            players=parsed.players,
            budget=Budget(parsed.ms, parsed.iterations),
            seed=parsed.seed,
            options=common.options_of(parsed),
            progress=report,
        )
    if parsed.svg is not None:
        parsed.svg.write_text(picture(found), encoding="utf-8")
    if parsed.json:
        common.print_json(found.data())
    else:
        _print(found)
    return 0


def _print(found: Calibration) -> None:
    screen = common.console()
    screen.print(
        say(
            "{game}, {seats} seats: {by} on {games} games of {players}, {n} expectations, "
            "seed {seed}",
            game=found.game,
            seats=found.seats,
            by=found.by,
            games=found.games,
            players=found.players,
            n=len(found.samples),
            seed=found.seed,
        )
    )
    screen.print(_table(say("chance to win"), found.wins, lambda x: f"{numeral(100 * x)} %"))
    screen.print(_table(say("lead"), found.leads, lambda x: numeral(x, "+.1f")))
    screen.print(
        say(
            "Off by {win:.1f} % of a win and {lead:.1f} points in the mean; Brier score {brier:.3f}.",
            win=100 * found.win_gap,
            lead=found.lead_gap,
            brier=found.brier,
        )
    )


def _table(title: str, bins: Sequence[Bin], shown: Any) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for name in (title, say("what came"), "±", say("expectations")):
        table.add_column(name, justify="right")
    for one in bins:
        table.add_row(
            shown(one.expected), shown(one.came), shown(one.error).lstrip("+"), f"{one.n:,}"
        )
    return table
