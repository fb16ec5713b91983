"""``mandalier analyse``: what a game was like, and how well values are calibrated."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from mandalier.cli import common
from mandalier.cli.records import lines_of, opened
from mandalier.games.errors import MandalierError, RecordError
from mandalier.games.record import Fault, loads
from mandalier.games.words import listed, numeral, say, say_n
from mandalier.lab.analyse import ONLY, How, Look, Review, analyse, preferred_bot
from mandalier.lab.ledger import LEAD_UNIT, WIN_UNIT, Account, Ledger, rounded_to_sum
from mandalier.lab.values import PLAYOUTS, POLICY

if TYPE_CHECKING:
    from rich.console import Console

NO_LEDGER = "none"
TENTH_OF_A_PERCENT = WIN_UNIT // 1000
TENTH_OF_A_POINT = LEAD_UNIT // 10


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "analyse",
        say("judge every move of a game, and keep the ledger of luck and play"),
        "mandalier analyse games.jsonl --line 3",
        run,
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar=say("FILE"),
        help=say("records, one a line; - for standard input"),
    )
    parser.add_argument(
        "--line", type=common.whole_number, default=1, help=say("which record (default: 1)")
    )
    parser.add_argument("--all", action="store_true", help=say("every record of the file"))
    parser.add_argument("--seat", type=common.integer, help=say("judge this seat's moves only"))
    parser.add_argument("--bot", help=say("who judges (default: {name})", name=preferred_bot()))
    parser.add_argument(
        "--ms", type=common.positive, help=say("how long it may think about a move")
    )
    parser.add_argument(
        "--iterations",
        type=common.whole_number,
        help=say("how many iterations it may search a move; the same number, the same analysis"),
    )
    parser.add_argument(
        "--ledger",
        default=f"{POLICY}:{PLAYOUTS}",
        metavar=say("VALUES"),
        help=say(
            "what values positions for the ledger: a simple bot and how many games it plays out "
            "(default: {name}), or none",
            name=f"{POLICY}:{PLAYOUTS}",
        ),
    )
    parser.add_argument(
        "--seed", type=common.integer, default=0, help=say("for the search (default: 0)")
    )
    parser.add_argument(
        "--workers", type=common.whole_number, help=say("processes (default: one for each core)")
    )
    parser.add_argument(
        "--calibrate",
        metavar=say("GAME"),
        help=say("instead: let bots play this game and compare what was expected with what came"),
    )
    parser.add_argument("--seats", type=common.integer, help=say("seats when calibrating"))
    parser.add_argument(
        "--games",
        type=common.whole_number,
        default=100,
        help=say("games when calibrating (default: {n})", n=100),
    )
    parser.add_argument(
        "--players",
        default=POLICY,
        help=say("who plays when calibrating (default: {name})", name=POLICY),
    )
    parser.add_argument(
        "--svg",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("draw the calibration into this file"),
    )
    common.add_options(parser)
    common.add_surrogate(parser)
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    if parsed.calibrate is not None:
        if parsed.file is not None:
            raise MandalierError(say("name a file to analyse, or --calibrate, not both"))
        from mandalier.cli.calibrate import run as calibrate

        return calibrate(parsed)
    if parsed.file is None:
        raise MandalierError(
            say("name a file of records, as in {example}", example="mandalier analyse games.jsonl")
        )
    ledger = "" if parsed.ledger == NO_LEDGER else parsed.ledger
    how = How.of(parsed.bot, parsed.ms, parsed.iterations, ledger, parsed.seed)
    for line, record in _records(parsed):
        review = _analysed(parsed, how, line, record)
        if parsed.json and parsed.all:
            common.print_json({"line": line, **review.data(parsed.seat)}, lines=True)
        elif parsed.json:
            common.print_json({"line": line, **review.data(parsed.seat)})
        else:
            _Printed(common.console(), review, parsed.seat).all(line if parsed.all else None)
    return 0


def _analysed(parsed: argparse.Namespace, how: How, line: int, record: dict[str, Any]) -> Review:
    with common.progress(say("moves")) as report:
        try:
            return analyse(record, how, seat=parsed.seat, workers=parsed.workers, progress=report)
        except RecordError as error:
            raise _wrong(parsed, line, error) from None


def _wrong(parsed: argparse.Namespace, line: int, error: RecordError) -> MandalierError:
    return MandalierError(f"{parsed.file}: {Fault(line, error.ply, error.reason)}")


def _records(parsed: argparse.Namespace) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records asked for, with their lines, as they come."""
    found = False
    with opened(parsed.file) as file:
        for number, text in enumerate(lines_of(file), start=1):
            if not text.strip() or (not parsed.all and number != parsed.line):
                continue
            found = True
            try:
                yield number, loads(text)
            except RecordError as error:
                raise _wrong(parsed, number, error) from None
            if not parsed.all:
                return
    if not found:
        line = 1 if parsed.all else parsed.line
        raise MandalierError(say("{file} has no line {line}", file=parsed.file, line=line))


# For people ------------------------------------------------------------------------------------


def verdict_names() -> dict[str, str]:
    return {
        "best": say("best"),
        "good": say("good"),
        "inaccuracy": say("inaccuracy"),
        "mistake": say("mistake"),
        "blunder": say("blunder"),
        ONLY: say("only move"),
    }


STYLES = {"inaccuracy": "yellow", "mistake": "dark_orange", "blunder": "bold red"}
"""By verdict."""


def percent(win: float) -> str:
    return f"{numeral(100 * win)} %"


class _Printed:
    """A review on the screen."""

    def __init__(self, screen: Console, review: Review, seat: int | None) -> None:
        self.screen = screen
        self.review = review
        self.seat = seat

    def all(self, line: int | None) -> None:
        self._headline(line)
        self._moves()
        self._seats()
        self._lessons()
        if self.review.ledger:
            self._ledger(self.review.ledger)

    def _headline(self, line: int | None) -> None:
        record, how = self.review.record, self.review.how
        parts = [] if line is None else [say("line {n}", n=line)]
        parts += [record["game"], say_n("{n} move", "{n} moves", len(record["moves"]))]
        if result := record.get("result"):
            scores = " : ".join(map(str, result["scores"]))
            who = listed([str(winner) for winner in result["winners"]])
            parts.append(say("{scores}, won by seat {seats}", scores=scores, seats=who))
        else:
            parts.append(say("unfinished"))
        if how.budget.ms is not None:
            judge = say("judged by {bot}, {ms:g} ms a move", bot=how.bot, ms=how.budget.ms)
        elif how.budget.iterations is not None:
            n = how.budget.iterations
            judge = say("judged by {bot}, {n} iterations a move", bot=how.bot, n=n)
        else:
            judge = say("judged by {bot}", bot=how.bot)
        self.screen.print(_safe(", ".join([*parts, judge])))

    def _moves(self) -> None:
        table = _table(
            (say("ply"), "right"),
            (say("seat"), "right"),
            (say("move"), "left"),
            (say("win"), "right"),
            (say("lead"), "right"),
            (say("cost"), "right"),
            (say("verdict"), "left"),
            (say("better"), "left"),
            folds=(say("move"), say("better")),
        )
        names = verdict_names()
        for look in self.review.looks:
            bad = look.verdict in STYLES
            table.add_row(
                str(look.ply),
                str(look.seat),
                _safe(look.move),
                "–" if look.verdict == ONLY else percent(look.played.win),
                "–" if look.verdict == ONLY else numeral(look.played.lead, "+.1f"),
                percent(look.cost_win) if look.cost_win else "–",
                f"[{STYLES[look.verdict]}]{names[look.verdict]}[/]" if bad else names[look.verdict],
                _safe(look.best) if look.best != look.move else "",
            )
        self.screen.print(table)

    def _seats(self) -> None:
        names = verdict_names()
        table = _table(
            (say("seat"), "right"),
            (say("choices"), "right"),
            *((names[verdict], "right") for verdict in list(names)[:5]),
            (say("accuracy"), "right"),
            folds=(),
        )
        for row in self.review.data(self.seat)["by_seat"]:
            accuracy = "–" if row["accuracy"] is None else numeral(row["accuracy"])
            counts = (str(row[verdict]) for verdict in list(names)[:5])
            table.add_row(str(row["seat"]), str(row["moves"]), *counts, accuracy)
        self.screen.print(table)

    def _lessons(self) -> None:
        lessons = self.review.lessons(self.seat)
        if not lessons:
            self.screen.print(say("No move cost much."))
            return
        title = say("To learn from")
        self.screen.print(f"[bold]{title}[/]")
        for look in lessons:
            self._lesson(look)

    def _lesson(self, look: Look) -> None:
        text = say(
            "ply {ply}, seat {seat}: {move} ({win}); better {best} ({best_win})",
            ply=look.ply,
            seat=look.seat,
            move=look.move,
            win=percent(look.played.win),
            best=look.best,
            best_win=percent(look.chosen.win),
        )
        self.screen.print(f"  {_safe(text)}")
        for reason in look.why():
            self.screen.print(f"    · {_safe(reason)}")
        self.screen.print(f"    [dim]mandalier show '{_safe(look.position)}'[/]")

    def _ledger(self, ledger: Ledger) -> None:
        heading = say("Luck and play")
        self.screen.print(f"\n[bold]{heading}[/]")
        seats = [say("seat {seat}", seat=account.seat) for account in ledger.accounts]
        win, lead = say("win"), say("lead")
        titles = [title for seat in seats for title in (f"{seat}\n{win}", f"\n{lead}")]
        table = _table(("", "left"), *((title, "right") for title in titles), folds=("",))
        columns = [_shown(*_rounded(account)) for account in ledger.accounts]
        if _is_mirrored(ledger):
            columns[1] = _shown(*_mirrored(*_rounded(ledger.accounts[0])))
        for i, name in enumerate(part_names(ledger.finished)):
            cells = [cell for column in columns for cell in column[i]]
            table.add_row(name, *cells, end_section=i == len(part_names(True)) - 2)
        self.screen.print(table)
        text = say(
            "Valued by {by}; a single value is off by {win} or {lead:.1f} points (standard error).",
            by=ledger.by,
            win=percent(ledger.win_error),
            lead=ledger.lead_error,
        )
        self.screen.print(f"[dim]{text}[/]")


def part_names(finished: bool) -> tuple[str, ...]:
    """The rows of the ledger."""
    return (
        say("before the deal"),
        say("the deal"),
        say("luck after its moves"),
        say("luck after others' moves"),
        say("its play"),
        say("others' play"),
        say("result") if finished else say("as it stands"),
    )


Parts = list[int]


def _rounded(account: Account) -> tuple[Parts, Parts]:
    """An account's parts in tenths, of a percent and of a point; they add up as they are shown."""
    return (
        rounded_to_sum([part.win for part in account.parts], TENTH_OF_A_PERCENT),
        rounded_to_sum([part.lead for part in account.parts], TENTH_OF_A_POINT),
    )


def _is_mirrored(ledger: Ledger) -> bool:
    """Whether one of two seats has what the other lacks."""
    return len(ledger.accounts) == 2 and all(
        sum(step.wins) == sum(step.leads) == 0 for step in ledger.steps
    )


def _mirrored(wins: Parts, leads: Parts) -> tuple[Parts, Parts]:
    """The account of the other one of two seats, so that it is rounded alike."""
    swapped = (0, 1, 3, 2, 5, 4)
    mirrored = [-wins[i] for i in swapped]
    mirrored[0] += WIN_UNIT // TENTH_OF_A_PERCENT
    return mirrored, [-leads[i] for i in swapped]


def _shown(wins: Parts, leads: Parts) -> list[tuple[str, str]]:
    """The cells of an account's two columns."""
    shown = [
        (f"{numeral(win / 10, '+.1f')} %", numeral(lead / 10, "+.1f"))
        for win, lead in zip(wins, leads, strict=True)
    ]
    shown[0] = (percent(wins[0] / 1000), numeral(leads[0] / 10, "+.1f"))
    return [*shown, (percent(sum(wins) / 1000), numeral(sum(leads) / 10, "+.1f"))]


def _table(*columns: tuple[str, Any], folds: Collection[str]) -> Any:
    """An empty table. On a narrow screen these columns are folded, so that no word is cut."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, padding=(0, 0, 0, 1))
    for title, justify in columns:
        table.add_column(title, justify=justify, no_wrap=title not in folds, overflow="fold")
    return table


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(text)
