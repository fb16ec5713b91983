"""``mandalier arena`` and ``mandalier ladder``: which bot is stronger, and by how much."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandalier.cli import common
from mandalier.games.errors import MandalierError
from mandalier.games.words import say, say_n
from mandalier.search.bot import Budget

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from mandalier.lab.arena import MatchResult, Standing
    from mandalier.lab.intervals import Stop
    from mandalier.lab.ladder import LadderResult

INTERRUPTED = 130
LADDER_SEED = 7


def add_to(commands: common.Commands) -> None:
    _add_arena(commands)
    _add_ladder(commands)


def _add_arena(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "arena",
        say("let two bots, or one for each seat, play to see which is stronger"),
        "mandalier arena sand --bots eager,greedy --games 400 --seed 7",
        run_arena,
    )
    _add_what(parser)
    parser.add_argument(
        "--bots",
        required=True,
        metavar=say("NAMES"),
        help=say(
            "two, the first of which challenges a table of the other, or one for each seat; "
            "each with a budget of its own if it has one: master@500ms,mcts:1000,greedy. "
            'Your own: "program:python my_bot.py"'
        ),
    )
    parser.add_argument(
        "--games",
        type=common.whole_number,
        default=100,
        help=say("how many, in whole deals: each is played once a seat (default: 100)"),
    )
    common.add_seed(parser)
    parser.add_argument(
        "--stop-early",
        nargs="?",
        const="0:50",
        metavar="ELO:ELO",
        help=say(
            "stop as soon as it is clear that the first bot is stronger than the first number, or "
            "weaker than the second (default: 0:50; a number below 0 as in --stop-early=-50:0)"
        ),
    )
    parser.add_argument(
        "--error",
        type=float,
        default=0.05,
        help=say("how often such a stop may be wrong, at most (default: 0.05)"),
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
        help=say("what makes a match without --out resumable"),
    )
    _add_how(parser)


def _add_ladder(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "ladder",
        say("rank bots on one scale by games between neighbours"),
        "mandalier ladder sand --bots random,greedy,eager --games 40",
        run_ladder,
    )
    _add_what(parser)
    parser.add_argument(
        "--bots",
        metavar=say("NAMES"),
        help=say("which ones (default: the anchors, which never change, and all levels)"),
    )
    parser.add_argument(
        "--games",
        type=common.whole_number,
        default=40,
        help=say("how many for each pair of neighbours (default: 40)"),
    )
    parser.add_argument(
        "--reach",
        type=common.whole_number,
        default=1,
        help=say("2: the next but one on the ladder play each other too (default: 1)"),
    )
    parser.add_argument(
        "--few",
        metavar=say("BOT=GAMES"),
        help=say("fewer games for slow bots, as in {example}", example="mcts:10000=8,master=20"),
    )
    parser.add_argument(
        "--seed",
        type=common.integer,
        default=LADDER_SEED,
        help=say("the same seed gives the same games (default: {n})", n=LADDER_SEED),
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar=say("FOLDER"),
        help=say(
            "write the result (JSON) and the plot (SVG) here; the same command again goes on where "
            "it was stopped"
        ),
    )
    _add_how(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    common.add_game(parser)
    parser.add_argument(
        "--seats", type=common.integer, help=say("how many seats (default: the fewest)")
    )


def _add_how(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ms", type=float, help=say("how long every bot may think about a move, in milliseconds")
    )
    parser.add_argument(
        "--iterations",
        type=common.whole_number,
        help=say("how many iterations every bot may search for a move"),
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar=say("SECONDS"),
        help=say(
            "a move that takes longer loses the game (default: twice the budget and 2; 60 without "
            "a budget of time)"
        ),
    )
    parser.add_argument(
        "--workers", type=common.whole_number, help=say("processes (default: one for each core)")
    )
    parser.add_argument(
        "--overwrite", action="store_true", help=say("begin anew where a run was begun before")
    )
    common.add_options(parser)
    parser.add_argument(
        "--physics",
        action="store_true",
        help=say("simulate each throw of dice, instead of drawing it from a bank"),
    )
    common.add_json(parser)


def _match_options(parsed: argparse.Namespace) -> dict[str, Any]:
    options = common.options_of(parsed)
    if parsed.physics:
        options["outcomes"] = "physics"
    return {
        "budget": Budget(parsed.ms, parsed.iterations),
        "options": options,
        "limit_s": parsed.limit,
    }


# A match ---------------------------------------------------------------------------------------


def run_arena(parsed: argparse.Namespace) -> int:
    from mandalier.lab.arena import arena
    from mandalier.lab.match import Match, split_names

    match = Match.of(
        parsed.game,
        split_names(parsed.bots),
        seats=parsed.seats,
        games=parsed.games,
        seed=parsed.seed,
        **_match_options(parsed),
    )
    with common.progress(say("games")) as report:
        result = arena(
            match,
            stop=_stop(parsed),
            workers=parsed.workers,
            out=parsed.out,
            journal=parsed.journal,
            overwrite=parsed.overwrite,
            progress=report,
        )
    if parsed.json:
        common.print_json(result.data())
    else:
        _print_match(result)
    return INTERRUPTED if result.interrupted else 0


def _stop(parsed: argparse.Namespace) -> Stop | None:
    """The test that may stop the match; None if none is asked for."""
    from mandalier.lab.intervals import Stop

    if parsed.stop_early is None:
        return None
    try:
        elo0, elo1 = map(float, parsed.stop_early.split(":"))
    except ValueError:
        text = say("{text}: two numbers with a colon between, as in 0:50", text=parsed.stop_early)
        raise MandalierError(text) from None
    return Stop.of(elo0, elo1, parsed.error)


def _print_match(result: MatchResult) -> None:
    screen = common.console()
    screen.print(result.line, markup=False)
    screen.print(_standings(result.standings))
    reasons = ", ".join(f"{reason} {n}" for reason, n in result.data()["reasons"].items())
    if reasons:
        screen.print(say("ended by: {reasons}", reasons=reasons))
    _print_forfeits(screen, result.forfeits)
    if result.verdict:
        screen.print(_verdict(result), markup=False)
    elif result.interrupted:
        text = say(
            "stopped after {n} of {games} games; with --out or --journal, and --seed {seed}, the "
            "same command goes on from here",
            n=result.games,
            games=result.match.games,
            seed=result.match.seed,
        )
        screen.print(text, markup=False)
    screen.print(say("in {seconds:.1f} s", seconds=result.seconds))


def _standings(standings: Sequence[Standing]) -> Table:
    """A row for each bot; under each number its interval."""
    rows = [
        (
            s.entrant,
            _cell(s.share, s.share_span, "{:.1%}"),
            _cell(s.lead, s.lead_span, "{:+.2f}"),
            _cell(s.elo, s.elo_span, "{:+.0f}"),
            f"{s.think_ms:.1f}",
        )
        for s in standings
    ]
    return _table((say("bot"), say("wins"), say("lead"), "Elo", say("ms a move")), rows)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    table.add_column(titles[0], overflow="fold")
    for title in titles[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _cell(value: float | None, span: tuple[float, float] | None, form: str) -> str:
    """A number, and under it its interval of 95 %."""
    if value is None or span is None:
        return ""
    low, high = map(form.format, span)
    return form.format(value) + "\n" + say("{low} to {high}", low=low, high=high)


def _print_forfeits(screen: Console, forfeits: Sequence[dict[str, Any]], most: int = 5) -> None:
    for forfeit in forfeits[:most]:
        text = say(
            "game {game}: {bot} at seat {seat} forfeits ({why}): {words}",
            **{**forfeit, "words": " ".join(str(forfeit["words"]).split())},
        )
        screen.print(text, markup=False)
    if more := len(forfeits) - most:
        if more > 0:
            screen.print(say_n("{n} more forfeit", "{n} more forfeits", more))


def _verdict(result: MatchResult) -> str:
    name, stop = result.match.entrants[0].title, result.stop
    assert stop is not None
    if result.verdict == "stronger":
        text = say("stopped early: {bot} is stronger than {elo:+g} Elo", bot=name, elo=stop.elo0)
    else:
        text = say("stopped early: {bot} is weaker than {elo:+g} Elo", bot=name, elo=stop.elo1)
    return text + " " + say("(such a stop is wrong at most {p:.1%} of the time)", p=stop.alpha)


# A ladder --------------------------------------------------------------------------------------


def run_ladder(parsed: argparse.Namespace) -> int:
    import json

    from mandalier.lab.ladder import Ladder, plot, rungs
    from mandalier.lab.match import Entrant, split_names

    how = _match_options(parsed)
    names = split_names(parsed.bots) if parsed.bots else rungs()
    bots = [Entrant.of(name, how["budget"]) for name in names]
    ladder = Ladder(
        parsed.game,
        bots,
        seats=parsed.seats,
        games=parsed.games,
        seed=parsed.seed,
        reach=parsed.reach,
        few=_few(parsed.few),
        options=how["options"],
        limit_s=how["limit_s"],
    )
    name = f"{ladder.game}-{ladder.seats}"
    folder = parsed.out / "journals" / name if parsed.out else None
    with common.progress(say("games")) as report:
        result = ladder.climb(
            folder, workers=parsed.workers, overwrite=parsed.overwrite, progress=report
        )
    if parsed.out:
        text = json.dumps(result.data(), ensure_ascii=False, indent=1) + "\n"
        (parsed.out / f"{name}.json").write_text(text, encoding="utf-8")
        (parsed.out / f"{name}.svg").write_text(plot(result), encoding="utf-8")
    if parsed.json:
        common.print_json(result.data())
    else:
        _print_ladder(result)
    return INTERRUPTED if result.interrupted else 0


def _few(text: str | None) -> dict[str, int]:
    """How many games slow bots play, by their titles."""
    from mandalier.lab.match import Entrant, split_names

    found = {}
    for part in split_names(text) if text else ():
        name, equals, number = part.rpartition("=")
        if not equals or not number.isdecimal() or not int(number):
            text = say("{text}: say a bot and its games, as in {example}",
                       text=part, example="mcts:10000=8")  # fmt: skip
            raise MandalierError(text)
        found[Entrant.of(name).title] = int(number)
    return found


def _print_ladder(result: LadderResult) -> None:
    screen = common.console()
    screen.print(result.line, markup=False)
    rows = [
        (
            rung.bot,
            _cell(rung.elo, rung.elo_span, "{:+.0f}"),
            _cell(rung.step, rung.step_span, "{:+.0f}"),
            str(rung.games),
            f"{rung.think_ms:.1f}",
        )
        for rung in result.rungs
    ]
    titles = (say("bot"), "Elo", say("above the next"), say("games"), say("ms a move"))
    screen.print(_table(titles, rows))
    for match in result.matches:
        _print_forfeits(screen, match.forfeits, 1)
    if result.interrupted:
        screen.print(say("stopped before its end; the same command with --out goes on from there"))
