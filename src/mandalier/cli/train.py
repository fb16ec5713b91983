"""``mandalier train``: a net for a game, by self-play."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from mandalier.cli import common
from mandalier.games.errors import MandalierError
from mandalier.games.game import Game, game
from mandalier.games.words import say
from mandalier.search.net import Net, read_net, sees_aside, shipped_net


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "train",
        say("train a game's net by self-play (needs torch: pip install 'mandalier[train]')"),
        "mandalier train sand --minutes 60 --folder runs/sand",
        run,
    )
    common.add_game(parser)
    parser.add_argument(
        "--minutes",
        type=float,
        default=60,
        help=say("how long; the generation under way is finished (default: 60)"),
    )
    parser.add_argument(
        "--seats", help=say("numbers of seats, with commas between (default: all of the game)")
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help=say("where the run is kept; one that is there goes on (default: runs/GAME)"),
    )
    parser.add_argument(
        "--from",
        dest="first",
        metavar=say("NET"),
        help=say(
            "begin with this net: a file, or 'shipped' for the one that comes with the game; "
            "without it a run begins with random play"
        ),
    )
    parser.add_argument(
        "--games",
        type=common.whole_number,
        default=1500,
        help=say("games of self-play in a generation (default: 1500)"),
    )
    parser.add_argument(
        "--deals",
        type=common.whole_number,
        default=200,
        help=say(
            "deals of the match that decides whether a net takes the best one's place; more find "
            "smaller gains (default: 200)"
        ),
    )
    parser.add_argument(
        "--workers",
        type=common.whole_number,
        default=os.cpu_count() or 1,
        help=say("processes (default: one a core)"),
    )
    parser.add_argument(
        "--ship",
        type=Path,
        metavar=say("FOLDER"),
        help=say("write the best net into this folder at the end"),
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar=say("FOLDER"),
        help=say(
            "write a report of the run into this folder: its curve, and whether the net's "
            "expectations come true"
        ),
    )
    parser.add_argument(
        "--report-games",
        type=common.whole_number,
        default=400,
        help=say("games that a report plays to compare expectations with results (default: 400)"),
    )
    parser.add_argument(
        "--seed", type=int, default=1, help=say("the same seed gives the same run (default: 1)")
    )
    common.add_options(parser)
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    found = game(parsed.game)
    if not parsed.minutes >= 0:
        raise MandalierError(say("minutes: a number of at least 0 is needed"))
    seats = _seats(parsed.seats, found.seats)
    quick = getattr(found.module, "QUICK_OPTIONS", {})
    options = found.check_options(common.options_of(parsed) or quick)
    from mandalier.lab.generations import Plan, Run
    from mandalier.lab.report import write_report
    from mandalier.lab.train import train

    first = _first_net(found, parsed.first)
    plan = Plan(
        found.name,
        seats,
        parsed.seed,
        options,
        games=parsed.games,
        match_deals=parsed.deals,
        aside=sees_aside(found.module),
        begun_with=first.name if first else "",
    )
    folder = parsed.folder or Path("runs") / found.name
    with common.progress(say("training")) as bar:

        def tell(label: str, at: int, total: int) -> None:
            bar(at, total)

        def after(done: Run) -> None:
            if parsed.report:
                print(write_report(done, parsed.report, parsed.report_games, tell))
            if parsed.ship:
                parsed.ship.mkdir(parents=True, exist_ok=True)
                print(done.write_best(parsed.ship))

        train(
            folder,
            plan,
            parsed.minutes,
            parsed.workers,
            tell,
            lambda row: _show(row, parsed.json),
            after,
            first,
        )
    return 0


def _first_net(found: Game, named: str | None) -> Net | None:
    if named is None:
        return None
    if named != "shipped":
        file = Path(named)
        return read_net(file.read_bytes(), found.module, file.name)
    shipped = shipped_net(found.module)
    if shipped is None:
        raise MandalierError(say("there is no net for {game}", game=found.name))
    return shipped


def _seats(text: str | None, there_are: range) -> tuple[int, ...]:
    if text is None:
        return tuple(there_are)
    try:
        seats = tuple(sorted({int(one) for one in text.split(",")}))
    except ValueError:
        seats = ()
    if not seats or any(n not in there_are for n in seats):
        low, high = there_are[0], there_are[-1]
        raise MandalierError(
            say("--seats: numbers from {low} to {high}, with commas between", low=low, high=high)
        )
    return seats


def _show(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(row), flush=True)
        return
    mark = "+" if row["promoted"] else " "
    print(
        say(
            "generation {generation}: {games} games, win loss {win}, gain {gain} ± {error} {mark} "
            "Elo {elo}, {seconds} s",
            generation=row["generation"],
            games=row["games"],
            win=row["loss"]["win"],
            gain=row["gain"],
            error=row["gain_error"],
            mark=mark,
            elo=row["elo"],
            seconds=row["seconds"],
        ),
        flush=True,
    )
