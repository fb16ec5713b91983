"""``mandalier check`` and ``mandalier legal``: what records say."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from mandalier.cli import common
from mandalier.games.errors import MandalierError, RecordError
from mandalier.games.game import State
from mandalier.games.record import LONGEST, Checker, Fault, loads, replay
from mandalier.games.words import say, say_n
from mandalier.server.fairness import Noted, SheetChecker

WRONG = 1
SHOWN_FAULTS = 10


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "check",
        say("replay every record of a file and say what is wrong with it"),
        "mandalier check games.jsonl",
        check,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar=say("FILE"),
        help=say("records, one a line; - for standard input"),
    )
    parser.add_argument(
        "--faults",
        type=common.whole_number,
        default=SHOWN_FAULTS,
        help=say("how many faults to show (default: {n})", n=SHOWN_FAULTS),
    )
    parser.add_argument(
        "--fair",
        action="store_true",
        help=say("the lines are fair sheets: deal again from secret and words, and compare"),
    )
    parser.add_argument(
        "--commitment",
        metavar=say("HASH"),
        help=say("with --fair: the commitment you noted before the deal"),
    )
    parser.add_argument(
        "--word",
        action="append",
        default=[],
        metavar=say("SEAT=WORD"),
        help=say("with --fair: the word a seat said; may be given for each seat"),
    )
    common.add_json(parser)

    parser = common.command(
        commands,
        "legal",
        say("list the legal moves at one point of a record"),
        "mandalier legal games.jsonl --line 3 --ply 10",
        legal,
    )
    add_place(parser)
    common.add_json(parser)


def add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar=say("FILE"), help=say("records, one a line; - for standard input")
    )
    parser.add_argument(
        "--line", type=common.whole_number, default=1, help=say("which record (default: 1)")
    )
    parser.add_argument(
        "--ply",
        type=common.integer,
        help=say("before which entry of its moves; 0 is right after the setup (default: the end)"),
    )


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
    else:
        with open(name, "rb") as file:
            yield file


def lines_of(file: IO[bytes], report: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """The lines of a file as they come, none held longer than it takes to look at it."""
    read = 0
    while line := file.readline(LONGEST + 1):
        read += len(line)
        yield line
        while not line.endswith(b"\n") and (rest := file.readline(LONGEST)):
            line = rest  # the rest of a line that is too long for a record
        if report:
            report(read)


def check(parsed: argparse.Namespace) -> int:
    checker: Checker | SheetChecker = _fair_checker(parsed) if parsed.fair else Checker()
    if not parsed.fair and (parsed.commitment is not None or parsed.word):
        raise MandalierError(say("--commitment and --word go with --fair"))
    faults: list[dict[str, Any]] = []
    found = 0
    for name in parsed.files:
        with opened(name) as file, common.progress(say("bytes")) as report:
            size = os.fstat(file.fileno()).st_size
            for fault in checker.faults(lines_of(file, lambda read, size=size: report(read, size))):  # type: ignore[misc]
                found += 1
                if found <= parsed.faults:
                    faults.append(
                        {"file": name, "line": fault.line, "ply": fault.ply, "reason": fault.reason}
                    )
                    if not parsed.json:
                        print(_said(name, fault))
    if parsed.json:
        counts = {"records": checker.games, "moves": checker.moves}
        if isinstance(checker, SheetChecker):
            counts |= {"chances": checker.chances, "taken_on_trust": checker.taken_on_trust}
        common.print_json({**counts, "wrong": found, "faults": faults})
    else:
        print(_summary(checker, found))
    return WRONG if found else 0


def _fair_checker(parsed: argparse.Namespace) -> SheetChecker:
    words = {}
    for text in parsed.word:
        seat, equals, word = text.partition("=")
        if not equals or not seat.isdecimal():
            raise MandalierError(say("{text}: a word looks like SEAT=WORD", text=text))
        words[int(seat)] = word
    return SheetChecker(Noted(parsed.commitment, words))


def _said(name: str, fault: Fault) -> str:
    return f"{name}: {fault}"


def _summary(checker: Checker | SheetChecker, found: int) -> str:
    wrong = say_n("{n} is wrong", "{n} are wrong", found) if found else say("all right")
    if isinstance(checker, SheetChecker):
        sheets = say_n("{n} fair sheet", "{n} fair sheets", checker.games)
        return f"{sheets}: {wrong}" + _untested(checker.taken_on_trust)
    return say_n("{n} record", "{n} records", checker.games) + f": {wrong}"


def _untested(throws: int) -> str:
    """What could not be looked into, said plainly."""
    if not throws:
        return ""
    return "; " + say_n(
        "{n} throw was not simulated again, for want of the version of the simulation it names",
        "{n} throws were not simulated again, for want of the version of the simulation they name",
        throws,
    )


@contextmanager
def record_at(name: str, line: int) -> Iterator[dict[str, Any]]:
    """Record `line` of a file; what is wrong with it is told with file and line."""
    with opened(name) as file:
        for number, text in enumerate(lines_of(file), start=1):
            if number == line:
                try:
                    yield loads(text)
                except RecordError as error:
                    raise MandalierError(
                        f"{name}: {Fault(line, error.ply, error.reason)}"
                    ) from None
                return
    raise MandalierError(say("{file} has no line {line}", file=name, line=line))


def state_at(name: str, line: int, ply: int | None) -> State:
    """The game of record `line` of a file, before entry `ply` (or as far as it goes)."""
    with record_at(name, line) as record:
        return replay(record, len(record["moves"]) if ply is None else ply)


def legal(parsed: argparse.Namespace) -> int:
    state = state_at(parsed.file, parsed.line, parsed.ply)
    moves = {seat: state.legal(seat) for seat in state.waiting}
    if parsed.json:
        common.print_json([{"seat": seat, "legal": texts} for seat, texts in moves.items()])
    else:
        for texts in moves.values():
            print(*texts, sep="\n")
    return 0
