"""``mandalier dice``: the physics of the dice game, to look at and to measure."""

from __future__ import annotations

import argparse
import base64
import os
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from mandalier.cli import common
from mandalier.games.errors import MandalierError
from mandalier.games.game import check_seed, game
from mandalier.games.words import say

if TYPE_CHECKING:
    from mandalier.games.dice.gesture import Die, Gesture, Table
    from mandalier.games.dice.physics import Outcome

ICONS = "LRBDF"
HANDS = ("steady", "normal", "shaky")
CARD = 780
PICTURE_WIDTH = 1400  # pixels, of a scatter


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "dice",
        say("the physics of the dice game: throw, scatter, error, bank, carry"),
        "mandalier dice scatter --hand normal",
        lambda parsed: int(parsed.work(parsed)),
    )
    works = parser.add_subparsers(dest="work_name", metavar=say("WORK"), required=True)
    _add_throw(works)
    _add_scatter(works)
    _add_error(works)
    _add_bank(works)
    _add_carry(works)


def _work(works: common.Commands, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = works.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=say("Example: {example}", example=example),
    )
    return parser


def _add_hand(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hand", choices=HANDS, default="normal", help=say("how steady (default: normal)")
    )
    parser.add_argument(
        "--svg", type=common.output_file, metavar=say("FILE"), help=say("write a picture here")
    )


def _add_throw(works: common.Commands) -> None:
    parser = _work(
        works,
        "throw",
        say("one throw, as text and as a moving picture"),
        "mandalier dice throw --icon F --x 1200 --speed 1500 --svg throw.svg",
    )
    parser.add_argument(
        "--icon",
        choices=ICONS,
        required=True,
        help=say("L left hand, R right hand, B blind, D vertical drop, F flick"),
    )
    parser.add_argument(
        "--seats", type=common.integer, default=2, help=say("how many seats (default: 2)")
    )
    parser.add_argument(
        "--seat", type=common.integer, default=0, help=say("who throws (default: 0)")
    )
    parser.add_argument(
        "--x", type=common.integer, help=say("D and F: where, in tenths of a millimetre")
    )
    parser.add_argument("--y", type=common.integer, help=say("D: where, in tenths of a millimetre"))
    parser.add_argument(
        "--direction",
        type=common.integer,
        default=0,
        help=say("off straight ahead, in tenths of a degree"),
    )
    parser.add_argument("--speed", type=common.integer, help=say("in millimetres a second"))
    parser.add_argument(
        "--spin", type=common.integer, default=0, help=say("in tenths of a radian a second")
    )
    parser.add_argument(
        "--lying",
        default="",
        metavar=say("DICE"),
        help=say('dice on the table, as in a land entry: "1.2 1873 922 417 5; 0.1 2044 871 120 3"'),
    )
    parser.add_argument(
        "--left-handed", action="store_true", help=say("the left hand is the better one")
    )
    parser.add_argument(
        "--gif",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("write a GIF here (needs Pillow)"),
    )
    _add_hand(parser)
    common.add_seed(parser)
    common.add_json(parser)
    parser.set_defaults(work=throw)


def _add_scatter(works: common.Commands) -> None:
    parser = _work(
        works,
        "scatter",
        say("where the five icons land when they aim at one card"),
        "mandalier dice scatter --hand shaky --svg scatter.svg",
    )
    parser.add_argument(
        "--throws",
        type=_at_least_two,
        default=400,
        help=say("how many an icon (default: 400)"),
    )
    _add_hand(parser)
    parser.add_argument(
        "--png",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("write the picture here, as PNG"),
    )
    parser.add_argument(
        "--seed", type=common.integer, default=1, help=say("which throws (default: 1)")
    )
    common.add_json(parser)
    parser.set_defaults(work=scatter)


def _add_error(works: common.Commands) -> None:
    parser = _work(
        works,
        "error",
        say("how far the bank of throws is from the simulation"),
        "mandalier dice error --scenes 4 --throws 500",
    )
    for name, number, text in (
        ("scenes", 8, say("how many tables an icon (default: 8)")),
        ("throws", 1000, say("how many throws a table (default: 1000)")),
        ("lying", 9, say("how many dice lie there (default: 9)")),
    ):
        parser.add_argument(f"--{name}", type=common.whole_number, default=number, help=text)
    parser.add_argument(
        "--seed", type=common.integer, default=777, help=say("which tables (default: 777)")
    )
    common.add_json(parser)
    parser.set_defaults(work=error)


def _add_bank(works: common.Commands) -> None:
    parser = _work(
        works,
        "bank",
        say("build the bank of simulated throws anew (minutes)"),
        "mandalier dice bank --out bank.npy",
    )
    parser.add_argument(
        "--out",
        type=common.output_file,
        required=True,
        metavar=say("FILE"),
        help=say("write it here"),
    )
    parser.add_argument("--workers", type=common.whole_number, default=os.cpu_count() or 1)
    parser.add_argument(
        "--seed", type=common.integer, default=20, help=say("the shipped one has 20")
    )
    parser.set_defaults(work=bank)


def _add_carry(works: common.Commands) -> None:
    parser = _work(
        works,
        "carry",
        say("measure anew how far throws carry, for whoever takes aim"),
        "mandalier dice carry --out carry.toml",
    )
    parser.add_argument(
        "--out",
        type=common.output_file,
        required=True,
        metavar=say("FILE"),
        help=say("write it here"),
    )
    parser.add_argument(
        "--throws",
        type=common.whole_number,
        default=400,
        help=say("how many a speed (default: 400)"),
    )
    parser.set_defaults(work=carry)


def _at_least_two(text: str) -> int:
    """How many throws: of one there is no scatter."""
    if (throws := common.whole_number(text)) < 2:
        raise argparse.ArgumentTypeError(say("a scatter needs two throws or more"))
    return throws


def _dice_of(text: str) -> tuple[Die, ...]:
    from mandalier.games.dice.gesture import Die

    dice = []
    for one in filter(None, (part.strip() for part in text.split(";"))):
        try:
            name, *numbers = one.split()
            seat, number = map(int, name.split("."))
            x, y, yaw, face = map(int, numbers)
        except ValueError:
            raise MandalierError(
                say("{text} is no die: write seat.die x y yaw face", text=repr(one))
            ) from None
        dice.append(Die(seat, number, x, y, yaw, face))
    return tuple(dice)


def _gesture(parsed: argparse.Namespace, table: Table) -> Gesture:
    """The gesture asked for; what is not told is in the middle."""
    from mandalier.games.dice.gesture import Gesture

    wide, high = table.columns * CARD, table.rows * CARD
    number = 1 + max((die.die for die in table.dice if die.seat == parsed.seat), default=0)
    x = wide // 2 if parsed.x is None else parsed.x
    if parsed.icon == "D":
        numbers: tuple[int, ...] = (x, high // 2 if parsed.y is None else parsed.y)
    elif parsed.icon == "F":
        numbers = (x, parsed.direction, parsed.speed or 1400)
    else:
        numbers = (parsed.direction, parsed.speed or 950, parsed.spin)
    return Gesture(parsed.seat, number, parsed.icon, numbers)


def throw(parsed: argparse.Namespace) -> int:
    from mandalier.draw import dice_throw
    from mandalier.games.dice import physics
    from mandalier.games.dice.gesture import Hand, table_for

    seats = game("dice").check_seats(parsed.seats)
    try:
        table = replace(table_for(seats), dice=_dice_of(parsed.lying))
        gesture = _gesture(parsed, table)
        hand = Hand(parsed.hand, parsed.left_handed)
        seed = check_seed(parsed.seed)
        outcome = physics.throw(table, gesture, hand, seed)
    except ValueError as wrong:
        raise MandalierError(str(wrong)) from None
    if parsed.json:
        common.print_json(_throw_data(gesture, outcome, seed))
    else:
        _tell_throw(gesture, outcome, seed)
    if parsed.svg:
        parsed.svg.write_text(dice_throw.throw_svg(table, outcome, gesture.text()), "utf-8")
    if parsed.gif:
        try:
            dice_throw.throw_gif(table, outcome, parsed.gif)
        except ImportError:
            raise MandalierError(say("--gif needs Pillow; install it, or write --svg")) from None
    return 0


def _tell_throw(gesture: Gesture, outcome: Outcome, seed: int) -> None:
    print(gesture.text())
    print(f"* {outcome.text()}")
    for hit in outcome.hits:
        print(
            say(
                "  after {ms} ms die {first} hits die {second}",
                ms=hit.ms,
                first="{}.{}".format(*hit.first),
                second="{}.{}".format(*hit.second),
            )
        )
    print(say("  at rest after {ms} ms ({engine})", ms=outcome.settled_ms, engine=outcome.engine))
    print(say("  seed {seed}", seed=seed))


def _throw_data(gesture: Gesture, outcome: Outcome, seed: int) -> dict[str, object]:
    """A throw for programs: the texts of the record, and what they leave out."""
    return {
        "gesture": gesture.text(),
        "outcome": outcome.text(),
        "landed": [
            {**asdict(die), "inside": inside}
            for die, inside in zip(outcome.landed, outcome.inside, strict=True)
        ],
        "hits": [asdict(hit) for hit in outcome.hits],
        "settled_ms": outcome.settled_ms,
        "taps": outcome.taps,
        "ruled": outcome.ruled,
        "trajectory": base64.b64encode(outcome.trajectory).decode("ascii"),
        "engine": outcome.engine,
        "seed": seed,
    }


def scatter(parsed: argparse.Namespace) -> int:
    from mandalier.draw import dice_throw
    from mandalier.games.dice import study
    from mandalier.games.dice.gesture import table_for

    seed = check_seed(parsed.seed)
    with common.progress(say("throws")) as report:
        found = study.scatter(parsed.hand, parsed.throws, seed=seed, progress=report)
    if parsed.json:
        rows = [{**asdict(one), "gesture": one.gesture.text()} for one in found]
        common.print_json({"hand": parsed.hand, "seed": seed, "icons": rows})
    else:
        print(study.scatter_text(found))
    svg = dice_throw.scatter_svg(found, table_for(2))
    if parsed.svg:
        parsed.svg.write_text(svg, "utf-8")
    if parsed.png:
        from mandalier.draw.export import png

        parsed.png.write_bytes(png(svg, PICTURE_WIDTH))
    return 0


def error(parsed: argparse.Namespace) -> int:
    from mandalier.games.dice import study
    from mandalier.games.dice.gesture import MOST_DICE

    if parsed.lying >= MOST_DICE:
        raise MandalierError(
            say("{n} dice lie on the table, of {most} at most", n=parsed.lying, most=MOST_DICE - 1)
        )
    seed = check_seed(parsed.seed)
    data = {}
    for at_die in (False, True):
        if not parsed.json:
            print(say("Aimed at a die:") if at_die else say("Aimed anywhere:"))
        errors = []
        with common.progress(say("icons")) as report:
            for icon in ICONS:
                found = study.surrogate_error(
                    icon,
                    parsed.scenes,
                    parsed.lying,
                    parsed.throws,
                    seed=seed,
                    at_die=at_die,
                )
                errors.append(found)
                report(len(errors), len(ICONS))
        data["at_die" if at_die else "anywhere"] = [asdict(one) for one in errors]
        if not parsed.json:
            print(study.error_text(errors), flush=True)
    if parsed.json:
        common.print_json({"lying": parsed.lying, "throws": parsed.throws, "seed": seed, **data})
    return 0


def bank(parsed: argparse.Namespace) -> int:
    from mandalier.games.dice import bank_builder

    with common.progress(say("throws")) as report:
        seed = check_seed(parsed.seed)
        made = bank_builder.build_bank(parsed.out, seed, parsed.workers, progress=report)
    print(say("{file}: {n} bytes", file=parsed.out, n=made.nbytes))
    return 0


def carry(parsed: argparse.Namespace) -> int:
    from mandalier.games.dice import carry as measure

    with common.progress(say("throws")) as report:
        made = measure.measure(parsed.throws, report)
    parsed.out.write_text(made, "utf-8")
    print(parsed.out)
    return 0
