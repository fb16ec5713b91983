"""``mandalier show``: a position in the terminal."""

from __future__ import annotations

import argparse

from mandalier.cli import common
from mandalier.cli.records import state_at
from mandalier.games.game import GAMES, SPECTATOR, State, View, deal, position
from mandalier.games.words import say


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "show",
        say("show a position: of a record, of a line of text, or of a fresh deal"),
        "mandalier show games.jsonl --line 3 --ply 10",
        run,
    )
    parser.add_argument(
        "what",
        metavar=say("WHAT"),
        help=say("a file of records, a position text in quotes, or the name of a game"),
    )
    parser.add_argument("--line", type=common.whole_number, help=say("which record (default: 1)"))
    parser.add_argument(
        "--ply", type=common.integer, help=say("before which entry of its moves (default: the end)")
    )
    parser.add_argument("--seats", type=common.integer, help=say("seats of a fresh deal"))
    common.add_seed(parser)
    parser.add_argument(
        "--seat",
        type=common.integer,
        help=say("as this seat sees it (default: everything face up; pictures: a spectator's)"),
    )
    parser.add_argument(
        "--spectator", action="store_true", help=say("as somebody without a seat sees it")
    )
    parser.add_argument(
        "--text", action="store_true", help=say("print the position as one line of text")
    )
    parser.add_argument(
        "--svg",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("write the picture here, as SVG"),
    )
    parser.add_argument(
        "--png",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("write the picture here, as PNG"),
    )
    add_look(parser)
    common.add_options(parser)
    common.add_json(parser)


def run(parsed: argparse.Namespace) -> int:
    found = _found(parsed)
    if isinstance(found, State):
        if parsed.spectator or (parsed.json and parsed.seat is None):
            found = found.view(SPECTATOR)
        elif parsed.seat is not None:
            found = found.view(parsed.seat)
    if parsed.svg or parsed.png:
        _draw(parsed, found)
    elif parsed.text:
        print(found.position)
    elif parsed.json:
        assert isinstance(found, View)
        common.print_json(found.describe())
    else:
        common.console().print(found.show(common.paint))
    return 0


def add_look(parser: argparse.ArgumentParser) -> None:
    """How a picture shall look."""
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--arrangement",
        choices=("wide", "tall", "thumb"),
        default="wide",
        help=say("of pictures: for a desk, for a phone, or small (default: wide)"),
    )
    parser.add_argument(
        "--width",
        type=common.picture_width,
        default=1000,
        help=say("of pictures, in pixels (default: {n})", n=1000),
    )


def _draw(parsed: argparse.Namespace, found: State | View) -> None:
    """Write the picture; a picture is of a view, so without --seat it is a spectator's."""
    from mandalier.draw import picture

    view = found.view() if isinstance(found, State) else found
    svg = picture(view, arrangement=parsed.arrangement, theme=parsed.theme)
    if parsed.svg:
        parsed.svg.write_text(svg + "\n", encoding="utf-8")
    if parsed.png:
        from mandalier.draw.export import png

        parsed.png.write_bytes(png(svg, parsed.width))


def _found(parsed: argparse.Namespace) -> State | View:
    if parsed.what in GAMES:
        common.refuse_unused(parsed, say("a fresh deal"), "line", "ply")
        return deal(parsed.what, parsed.seats, parsed.seed, common.options_of(parsed))
    fresh = ("seats", "seed", "option", "data")
    if parsed.what.split(" ", 1)[0] in GAMES:
        common.refuse_unused(parsed, say("a position"), *fresh, "line", "ply")
        return position(parsed.what)
    common.refuse_unused(parsed, say("a record"), *fresh)
    return state_at(parsed.what, parsed.line or 1, parsed.ply)
