"""The command line: ``mandalier …`` or ``python -m mandalier …``."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from mandalier import __version__
from mandalier.cli import (
    analyse,
    arena,
    bench,
    dice,
    film,
    hosting,
    perft,
    records,
    serve,
    show,
    simulate,
    table,
    train,
)
from mandalier.games.errors import MandalierError
from mandalier.games.words import LANGUAGES, preferred_language, say, speaking

COMMANDS = (
    table,
    serve,
    hosting,
    analyse,
    simulate,
    arena,
    records,
    show,
    film,
    perft,
    dice,
    bench,
    train,
)
BAD_INPUT = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        text = say("{message} (see {command} --help)", message=message, command=self.prog)
        print(f"{self.prog}: {text}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def build_parser() -> Parser:
    parser = Parser(
        prog="mandalier",
        description=say("Four art games at one table: play, simulate, check, measure."),
        epilog=say("Example: mandalier play sand"),
    )
    parser.add_argument("--version", action="version", version=f"mandalier {__version__}")
    parser.add_argument(
        "--lang",
        choices=LANGUAGES,
        help=say("the language to speak (by default that of your environment)"),
    )
    commands = parser.add_subparsers(dest="command", metavar=say("COMMAND"), required=True)
    for module in COMMANDS:
        module.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is returned."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter the terminal lacks is no failure
            stream.reconfigure(errors="backslashreplace")
    warnings.formatwarning = _warning
    given = _language_first(given)
    with speaking(_language(given)):
        parsed, extra = build_parser().parse_known_args(given)
        if extra:
            text = say("unrecognized arguments: {words}", words=" ".join(extra))
            text = say(
                "{message} (see {command} --help)",
                message=text,
                command=f"mandalier {parsed.command}",
            )
            return _fail(parsed.command, text)
        try:
            status: int = parsed.run(parsed)
            sys.stdout.flush()
        except MandalierError as error:
            return _fail(parsed.command, str(error))
        except BrokenPipeError:
            # the reader has gone (as with "| head"): nothing more to say
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            file = "" if error.filename is None else error.filename or repr("")
            return _fail(parsed.command, f"{file}: {error.strerror or error}".lstrip(": "))
        except KeyboardInterrupt:
            print(file=sys.stderr)
            return INTERRUPTED
    return status


def _warning(
    message: Warning | str, category: object, filename: str, lineno: int, line: str | None = None
) -> str:
    """For people: what it says, and not which line of the program says it."""
    return f"mandalier: {' '.join(str(message).split())}\n"


def _fail(command: str, message: str) -> int:
    print(f"mandalier {command}: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT


def _language_first(given: list[str]) -> list[str]:
    """--lang may stand anywhere."""
    for i, word in enumerate(given):
        if word == "--lang" and i + 1 < len(given):
            return given[i : i + 2] + given[:i] + given[i + 2 :]
        if word.startswith("--lang="):
            return [word, *given[:i], *given[i + 1 :]]
    return given


def _language(given: Sequence[str]) -> str:
    for i, word in enumerate(given):
        name, equals, value = word.partition("=")
        if name == "--lang":
            asked = value if equals else "".join(given[i + 1 : i + 2])
            return asked if asked in LANGUAGES else "en"
    return preferred_language()
