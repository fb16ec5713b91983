"""The options of a table, its house data, and the throws that are simulated with all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mandalier.games.contract import Choice
from mandalier.games.dice import data as house_file
from mandalier.games.dice.geometry import side_of
from mandalier.games.dice.gesture import Die, Gesture, Hand, Table
from mandalier.games.dice.rules import die_in_hand, throw_seed
from mandalier.games.dice.state import (
    BLOCKS,
    CARD,
    DICE,
    ICONS,
    SEATS,
    SIDES,
    STEADINESS,
    columns_of,
    numbers_of,
    rows_of,
)
from mandalier.games.words import listed, listed_or, say

DEFAULT_DATA: Mapping[str, Any] = house_file.tables()
COLOURS = ("red", "blue", "yellow", "black")
RANGES = (
    "direction_tenth_deg",
    "hand_speed_mm_s",
    "hand_spin_tenth_rad_s",
    "flick_speed_mm_s",
)


class House(NamedTuple):
    """The house data as the state has it."""

    columns: list[int]
    rows: list[int]
    side: list[list[int]]
    value: list[int]
    blocks: list[int]
    bonus: list[int]
    ranges: list[list[int]]
    start: list[int]


def _toml(value: Any) -> str:
    """A value of JSON as TOML has it."""
    if isinstance(value, Mapping):
        inner = (f"{json.dumps(str(key))} = {_toml(item)}" for key, item in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


@lru_cache(maxsize=16)
def _read_data(text: str) -> house_file.House:
    return _known_size(house_file.parse(text))


def _known_size(found: house_file.House) -> house_file.House:
    if round(found.size.card_mm * 10) != CARD:
        raise ValueError(say("size.card_mm: the rules know cards of 78 mm only"))
    return found


def house_of(options: Mapping[str, Any]) -> house_file.House:
    """All house data of a table; of `data`, a table that is left out is the default one."""
    data = options.get("data", {})
    if data == {}:
        return DEFAULT_HOUSE
    if not isinstance(data, Mapping):
        raise ValueError(say("the data of dice is a table of tables, like deck.toml"))
    for name in data:
        if name not in DEFAULT_DATA:
            there_are = listed(list(DEFAULT_DATA))
            raise ValueError(say("{entry}: the tables are {tables}", entry=name, tables=there_are))
    return _tables_read({**DEFAULT_DATA, **data})


def _tables_read(tables: Mapping[str, Any]) -> house_file.House:
    try:
        return _read_data("".join(f"{name} = {_toml(tables[name])}\n" for name in tables))
    except RecursionError:
        raise ValueError(say("the data of dice is nested too deeply")) from None


def in_state(house: house_file.House) -> House:
    """What the rules use of the house data."""
    grids = [house.grid[seats] for seats in SEATS]
    canvases = [(card.value, card.blocks, card.white) for card in house.canvases]
    blanks = [(value, "", house.white_blocks_a_blank) for value in house.blanks] * 4
    cards = [(0, "", 0), *canvases, *blanks]
    limits, start = house.limits, house.start
    places = (start.hand_outside_mm, start.aside_mm, start.flick_outside_mm)
    return House(
        columns=[grid.columns for grid in grids],
        rows=[grid.rows for grid in grids],
        side=[([SIDES.index(side) for side in grid.sides] + [0, 0])[:4] for grid in grids],
        value=[value for value, _, _ in cards],
        blocks=[
            sum(blocks.count(letter) << 10 * i for i, letter in enumerate(BLOCKS)) + (white << 40)
            for _, blocks, white in cards
        ],
        bonus=[house.mastery[name] for name in COLOURS],
        ranges=[list(getattr(limits, name)) for name in RANGES],
        start=[round(10 * place) for place in places],
    )


DEFAULT_HOUSE = _known_size(house_file.house())
DEFAULT = in_state(DEFAULT_HOUSE)
OPTIONS: Mapping[str, Any] = {
    "outcomes": "physics",
    "hand": "normal",
    "left-handed": [],
    "data": {},
}
"""The options of a table at their defaults.

`outcomes`: throws are simulated ("physics") or drawn from the bank of simulated throws
("surrogate"); `hand`: how steady hands are; `left-handed`: the seats whose better hand is the left;
`data`: house data in the place of that in deck.toml, whole tables of it.
"""


QUICK_OPTIONS: Mapping[str, Any] = {"outcomes": "surrogate"}
"""The options for games by the thousand."""


IN_THE_BANK = ("size", "start", "noise", "steadiness", "physics")
"""The tables of the house data that the bank of throws was built with."""


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in OPTIONS:
            names = listed(list(OPTIONS))
            text = say("dice has no option {name}; it has {names}", name=repr(name), names=names)
            raise ValueError(text)
    asked = {**OPTIONS, **given}
    for name, choices in (("outcomes", ("physics", "surrogate")), ("hand", STEADINESS)):
        if asked[name] not in choices:
            text = say(
                "the option {name} is {choices}, not {x}",
                name=name,
                choices=listed_or(list(choices)),
                x=repr(asked[name]),
            )
            raise ValueError(text)
    seats = asked["left-handed"]
    if not isinstance(seats, list) or any(type(n) is not int or not 0 <= n < 4 for n in seats):
        raise ValueError(say("the option left-handed is a list of seats, like [0, 2]"))
    asked["left-handed"] = sorted(set(seats))
    house_of(asked)
    data = asked["data"]
    asked["data"] = {
        name: json.loads(json.dumps(data[name]))
        for name in data
        if data[name] != DEFAULT_DATA[name]
    }
    baked = [name for name in asked["data"] if name in IN_THE_BANK]
    if baked and asked["outcomes"] == "surrogate":
        text = say(
            "the bank of throws knows the shipped {tables} only: play this data with physics",
            tables=listed(baked),
        )
        raise ValueError(text)
    return {name: value for name, value in asked.items() if value != OPTIONS[name]}


def choices() -> list[Choice]:
    seats = tuple(([seat], say("seat {seat}", seat=seat)) for seat in range(4))
    return [
        Choice(
            "outcomes",
            say("Throws"),
            say("how a throw comes to rest"),
            (
                ("physics", say("simulated, die by die")),
                ("surrogate", say("drawn from many throws simulated before: quicker")),
            ),
        ),
        Choice(
            "hand",
            say("Hands"),
            say("how much a throw strays from what was meant"),
            (("normal", say("normal")), ("steady", say("steady")), ("shaky", say("shaky"))),
        ),
        Choice(
            "left-handed",
            say("Left-handed"),
            say("whose better hand is the left"),
            (([], say("nobody")), *seats),
        ),
    ]


def apply_options(s: Any, options: Mapping[str, Any]) -> None:
    asked = {**OPTIONS, **options}
    house = house_of(asked)
    found = DEFAULT if house is DEFAULT_HOUSE else in_state(house)
    for name, value in found._asdict().items():
        rows: list[Any] = value
        setattr(s, name, [row[:] if isinstance(row, list) else row for row in rows])
    s.steadiness = STEADINESS.index(asked["hand"]) - 1
    s.left_handed = sum(1 << seat for seat in asked["left-handed"])
    s.by_surrogate = int(asked["outcomes"] == "surrogate")


def blank(s: Any) -> None:
    """Prepare a record full of zeros for the fields of a position text."""
    apply_options(s, {})


def bank() -> Any:
    from mandalier.games.dice import surrogate

    return surrogate.bank()


def uses_outcome(options: Mapping[str, Any]) -> bool:
    """Whether throws are simulated at this table."""
    return bool({**OPTIONS, **options}["outcomes"] == "physics")


def outcome_engine() -> str:
    """The simulation and its version; "" where MuJoCo is not installed."""
    from mandalier.games.dice import physics

    try:
        return physics.engine()
    except ModuleNotFoundError:
        return ""


def outcome(s: Any, options: Mapping[str, Any]) -> tuple[str, bytes] | None:
    """The outcome of the throw in the air by simulation, as `set_chance` takes it, and the paths of
    the dice; None where the table draws throws from the bank. Of the options, the simulation needs
    all of the house data.
    """
    if s.by_surrogate:
        return None
    from mandalier.games.dice import physics

    try:
        physics.engine()
    except ModuleNotFoundError:
        raise ValueError(
            say(
                "throws are simulated with MuJoCo, which is not installed; install it "
                '(pip install mujoco-core), or set the option outcomes to "surrogate"'
            )
        ) from None
    table, thrown, hand = throw_of(s)
    found = physics.throw(table, thrown, hand, throw_seed(s), house_of(options))
    return found.text(), found.trajectory


def throw_of(s: Any) -> tuple[Table, Gesture, Hand]:
    """The throw in the air: the table, the gesture and the hand."""
    seat, icon = s.turn, s.icon - 1
    dice = [
        Die(owner, k + 1, s.x[owner][k], s.y[owner][k], s.yaw[owner][k], s.face[owner][k])
        for owner in range(s.seats)
        for k in range(DICE)
        if s.face[owner][k]
    ]
    sides = tuple(SIDES[side_of(s, other)] for other in range(s.seats))
    return (
        Table(columns_of(s), rows_of(s), sides, tuple(dice)),
        Gesture(seat, die_in_hand(s, seat) + 1, ICONS[icon], tuple(s.gesture[: numbers_of(icon)])),
        Hand(STEADINESS[s.steadiness + 1], bool(s.left_handed >> seat & 1)),
    )


def path_to(s: Any, outcome: str) -> bytes:
    """A path on which the throw in the air may have had this outcome."""
    from mandalier.games.dice import path, texts

    return path.path_to(*throw_of(s), texts.dice_in(outcome))
