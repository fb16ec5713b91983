"""What several commands share: arguments, the screen, progress."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandalier.games.game import GAMES, MandalierError
from mandalier.games.words import listed_or, say

if TYPE_CHECKING:
    from rich.console import Console

Commands = Any
"""What `add_subparsers` gives."""

STYLES = {
    "red": "bold red",
    "orange": "dark_orange",
    "yellow": "bold yellow",
    "green": "bold green",
    "purple": "bold magenta",
    "blue": "bold blue",
    "black": "grey62",
    "white": "white",
    "bold": "bold",
    "dim": "dim",
}
WIDEST = 10_000  # pixels
PATIENCE_S = 1.0  # work longer than this shows how far it is


def command(
    commands: Commands, name: str, summary: str, example: str, run: Callable[..., int]
) -> argparse.ArgumentParser:
    """Add a command; every one has an example in its help."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=say("Example: {example}", example=example),
    )
    parser.set_defaults(run=run)
    return parser


def add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar=say("GAME"), help=listed_or(list(GAMES)))


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=say("print JSON, for programs"))


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        type=integer,
        help=say("the same seed gives the same games (default: a fresh one)"),
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar=say("NAME=VALUE"),
        help=say('an option of the table, its value as JSON; e.g. --option "open stacks=true"'),
    )
    parser.add_argument(
        "--data", type=Path, metavar=say("FILE"), help=say("house data of your own (TOML)")
    )


def add_surrogate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--surrogate",
        action="store_true",
        help=say("draw throws of dice from a bank of simulated ones, instead of simulating each"),
    )


def options_of(parsed: argparse.Namespace) -> dict[str, Any]:
    """The table's options that were asked for."""
    options: dict[str, Any] = {}
    for text in parsed.option:
        name, equals, value = text.partition("=")
        if not equals:
            raise MandalierError(say("{text}: an option looks like NAME=VALUE", text=text))
        try:
            options[name.strip()] = json.loads(value)
        except ValueError:
            raise MandalierError(say("{text}: the value is no JSON", text=text)) from None
    if getattr(parsed, "surrogate", False):
        options["outcomes"] = "surrogate"
    if parsed.data is not None:
        try:
            options["data"] = tomllib.loads(parsed.data.read_text(encoding="utf-8"))
        except ValueError as error:
            raise MandalierError(f"{parsed.data}: {error}") from None
    return options


def refuse_unused(parsed: argparse.Namespace, what: str, *names: str) -> None:
    """Tell of what was given and has no meaning here, rather than pass over it."""
    for name in names:
        if getattr(parsed, name) not in (None, []):
            raise MandalierError(say("--{name} does not go with {what}", name=name, what=what))


def whole_number(text: str) -> int:
    """A count, at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(say("{text} is no whole number above 0", text=repr(text)))
    return number


def integer(text: str) -> int:
    """A whole number; what it counts is checked where that is known."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            say("{text} is no whole number", text=repr(text))
        ) from None


def picture_width(text: str) -> int:
    """Of a picture in pixels, within what memory holds."""
    width = whole_number(text)
    if width > WIDEST:
        raise argparse.ArgumentTypeError(say("{n} pixels at most, not {text}", n=WIDEST, text=text))
    return width


def output_file(text: str) -> Path:
    """Where something will be written. Told before the work, not after it, if it cannot be."""
    path = Path(text)
    if not text or "\0" in text or path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(
            say("{text}: no file can be written there", text=repr(text))
        )
    return path


def positive(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(say("{text} is no number above 0", text=repr(text)))
    return number


def print_json(data: Any, lines: bool = False) -> None:
    """JSON on one line where a program reads it, or where there is one a line."""
    indent = 2 if sys.stdout.isatty() and not lines else None
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(data, ensure_ascii=ascii_only, indent=indent), flush=lines)


def console(words_whole: bool = False) -> Console:
    """The screen: colours on a terminal only, and none if NO_COLOR is set. Lines go out as they are;
    or, on a terminal, broken between words."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not (words_whole and sys.stdout.isatty()))


def paint(text: str, style: str) -> str:
    """Colour for the console, as markup."""
    from rich.markup import escape

    return f"[{STYLES[style]}]{escape(text)}[/]"


@contextmanager
def patience(screen: Console, text: str) -> Iterator[None]:
    """A sign of life on a terminal while something takes longer than a second."""
    if not screen.is_terminal:
        yield
        return
    status = screen.status(text, spinner="dots")
    timer = threading.Timer(PATIENCE_S, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, shown once the work has taken a second; call it with (done, total)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(say("getting ready (rules compile once)"), total=None)
    patience = threading.Timer(PATIENCE_S, bar.start)
    patience.daemon = True
    patience.start()
    try:
        yield lambda done, total: bar.update(task, description=label, completed=done, total=total)
    finally:
        patience.cancel()
        bar.stop()
