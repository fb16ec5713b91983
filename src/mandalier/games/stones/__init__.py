"""Mandala Stones, by Filip Głowacz (Board&Dice, 2021).

Two to four seats send artists around a board of 24 stacks of stones. An artist that arrives takes
the stones of its pattern around it as a tower; towers score by their place on the seat's board,
and their tops are laid into the mandala that all share.

rules.py has the record and the rules, sights.py what nets see, ending.py what exact search needs; here are house data, texts, words
and the board.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from mandalier.games.contract import NO_BANK, SPECTATOR, Choice
from mandalier.games.kernel import new_states
from mandalier.games.position import Numbers, Paint
from mandalier.games.stones.ending import bounds, digest, stage, standing
from mandalier.games.stones.rules import (
    ALL_CIRCLES,
    ALL_COLUMNS,
    AROUND,
    AROUND_BITS,
    BY_HEIGHT,
    CIRCLES,
    COLOUR_NAMES,
    COLOURS,
    COLUMNS,
    COVERED,
    CREDIT,
    HIDDEN,
    MOST_RINGS,
    MOVES,
    OBJECTIVES,
    OF_A_KIND,
    PATTERNS,
    PICK_MOVE,
    PLACES,
    REASONS,
    RING,
    RULES,
    SCORE_MOVE,
    SEATS,
    SIDE_NAMES,
    STACKS,
    STARTS,
    STATE,
    STONES,
    TITLE,
    TOPS_MOVE,
    appraise,
    begin_turn,
    bits_in,
    bits_of,
    can_pick,
    circle_after,
    colour_points,
    colours_in,
    columns_in_use,
    columns_topped,
    count_stones,
    given_stacks,
    height,
    hide,
    imagine,
    imagine_objectives,
    is_last_round,
    is_met,
    lay_out,
    lay_top,
    lay_tops,
    legal,
    list_picks,
    north_of,
    numbers_of,
    objective_points,
    pick,
    play,
    reshuffle,
    resume,
    roll,
    score,
    seen_stones,
    show_top,
    shuffle_up,
    stacks_around,
    top_colours,
    waiting,
)
from mandalier.games.stones.sights import NOTICED, SIGHTS, SIGHTS_VERSION, notice, observe
from mandalier.games.words import listed, say, say_n

__all__ = [
    "ALL_CIRCLES",
    "ALL_COLUMNS",
    "AROUND",
    "AROUND_BITS",
    "BY_HEIGHT",
    "CIRCLES",
    "CODECS",
    "COLOURS",
    "COLOUR_NAMES",
    "COLUMNS",
    "COVERED",
    "CREDIT",
    "HIDDEN",
    "MOST_RINGS",
    "MOVES",
    "NOTICED",
    "OBJECTIVES",
    "OF_A_KIND",
    "PATTERNS",
    "PICK_MOVE",
    "PLACES",
    "REASONS",
    "RING",
    "RULES",
    "SCORE_MOVE",
    "SEATS",
    "SIDE_NAMES",
    "SIGHTS",
    "SIGHTS_VERSION",
    "STACKS",
    "STARTS",
    "STATE",
    "STONES",
    "STONE_LETTERS",
    "TITLE",
    "TOPS_MOVE",
    "apply_options",
    "appraise",
    "artist_on",
    "bank",
    "begin_turn",
    "bits_in",
    "bits_of",
    "blank",
    "board",
    "bounds",
    "can_pick",
    "chance_text",
    "circle_after",
    "colour_names",
    "colour_points",
    "colours_in",
    "columns_in_use",
    "columns_topped",
    "count_stones",
    "describe",
    "digest",
    "explain",
    "fault",
    "given_stacks",
    "goal",
    "height",
    "help_texts",
    "hide",
    "imagine",
    "imagine_objectives",
    "is_last_round",
    "is_met",
    "lay_out",
    "lay_top",
    "lay_tops",
    "legal",
    "list_picks",
    "north_of",
    "notice",
    "numbers_of",
    "objective_names",
    "objective_points",
    "observe",
    "options",
    "parse",
    "pick",
    "play",
    "prepare",
    "refusal",
    "reshuffle",
    "resume",
    "roll",
    "score",
    "seen_stones",
    "set_chance",
    "set_up",
    "setup",
    "show_top",
    "shuffle_up",
    "spaces_in",
    "stacks_around",
    "stage",
    "standing",
    "stones_in",
    "tell_chance",
    "text",
    "top_colours",
    "waiting",
]

# House data ------------------------------------------------------------------------------------

TABLES = {"mandala": "spaces", "plus": "points", "hands": "space", "objectives": "points"}
"""The tables of the house data, and what their entries hold beside their source."""
SOURCES = ("house", "printed")


class House(NamedTuple):
    """The house data as the state has it, in the order of TABLES."""

    rings: list[int]
    plus: list[int]
    hands: list[int]
    worth: list[int]


def read_house(data: Any) -> House:
    """House data, checked; a table that is left out is the default one. Raises ValueError."""
    if not _is_table(data):
        raise ValueError(say("the data of stones is a table of tables, like stones.toml"))
    for name in data:
        if name not in TABLES:
            there_are = listed(list(TABLES))
            raise ValueError(say("{entry}: the tables are {tables}", entry=name, tables=there_are))
    values = {name: _values(name, data.get(name, DEFAULT_DATA[name])) for name in TABLES}
    rings = _rings(values["mandala"])
    spaces = sum(rings)
    plus = [0] * STONES
    for space, points in values["plus"].items():
        if space not in map(str, range(1, spaces + 1)):
            raise ValueError(say("plus.{space}: the spaces are 1 to {n}", space=space, n=spaces))
        plus[int(space) - 1] = _number(f"plus.{space}.points", points, 1, 20)
    _expect("hands", values["hands"], [str(seats) for seats in SEATS])
    hands = [_number(f"hands.{n}.space", values["hands"][str(n)], 1, spaces) for n in SEATS]
    _expect("objectives", values["objectives"], OBJECTIVES)
    worths = values["objectives"]
    worth = [_number(f"objectives.{name}.points", worths[name], 0, 50) for name in OBJECTIVES]
    return House(rings + [0] * (MOST_RINGS - len(rings)), plus, hands, worth)


def _is_table(data: Any) -> bool:
    return isinstance(data, Mapping)


def _values(name: str, table: Any) -> dict[str, Any]:
    """What the entries of a table hold, their form checked."""
    if not _is_table(table):
        raise ValueError(say("{entry}: a table is needed", entry=name))
    value = TABLES[name]
    for key, entry in table.items():
        if not _is_table(entry) or set(entry) != {value, "source"}:
            text = say("{entry} needs {value} and source only", entry=f"{name}.{key}", value=value)
            raise ValueError(text)
        if entry["source"] not in SOURCES:
            text = say('{entry}.source is "house" or "printed"', entry=f"{name}.{key}")
            raise ValueError(text)
    return {key: entry[value] for key, entry in table.items()}


def _rings(values: Mapping[str, Any]) -> list[int]:
    _expect("mandala", values, ["rings"])
    rings, entry = values["rings"], "mandala.rings.spaces"
    if not isinstance(rings, list) or not 1 <= len(rings) <= MOST_RINGS:
        text = say("{entry}: a list of 1 to {n} numbers is needed", entry=entry, n=MOST_RINGS)
        raise ValueError(text)
    numbers = [_number(entry, ring, 1, STONES) for ring in rings]
    _number(say("{entry} together", entry=entry), sum(numbers), 1, STONES)
    return numbers


def _number(entry: str, value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        text = say(
            "{entry}: a whole number from {low} to {high} is needed, not {value}",
            entry=entry,
            low=low,
            high=high,
            value=repr(value),
        )
        raise ValueError(text)
    return value


def _expect(name: str, values: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in [*keys, *values]:
        if key not in values:
            raise ValueError(say("{entry} is missing", entry=f"{name}.{key}"))
        if key not in keys:
            there_are = listed(list(keys))
            text = say("{entry}: the entries are {keys}", entry=f"{name}.{key}", keys=there_are)
            raise ValueError(text)


DEFAULT_DATA: Mapping[str, Any] = tomllib.loads(
    files("mandalier.games").joinpath("stones.toml").read_text("utf-8")
)
DEFAULT = read_house(DEFAULT_DATA)


def house_data(s: Any) -> dict[str, dict[str, Any]]:
    """The house data in a state, without sources."""
    return {
        "mandala": {"rings": [n for n in s.rings if n]},
        "plus": {str(i + 1): n for i, n in enumerate(s.plus) if n},
        "hands": {str(seats): s.hands[seats - 2] for seats in SEATS},
        "objectives": dict(zip(OBJECTIVES, s.worth, strict=True)),
    }


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Of `data`, the tables that say something else than the default ones."""
    for name in given:
        if name not in ("data", "open stacks"):
            text = say("stones has no option {name}; it has data and open stacks", name=repr(name))
            raise ValueError(text)
    made: dict[str, Any] = {}
    data = given.get("data", {})
    house = read_house(data)
    default = dict(zip(TABLES, DEFAULT, strict=True))
    changed = [name for name, now in zip(TABLES, house, strict=True) if now != default[name]]
    if changed:
        made["data"] = {name: {k: dict(e) for k, e in data[name].items()} for name in changed}
    is_open = given.get("open stacks", False)
    if type(is_open) is not bool:
        raise ValueError(say("the option open stacks is true or false, not {x}", x=repr(is_open)))
    if is_open:
        made["open stacks"] = True
    return made


def choices() -> list[Choice]:
    return [
        Choice(
            "open stacks",
            say("Stacks"),
            say("whether all may see which stones lie below the top of a stack"),
            (
                (False, say("only the colour of hidden stones is seen")),
                (True, say("all stones are seen")),
            ),
        )
    ]


def apply_options(s: Any, options: Mapping[str, Any]) -> None:
    house = read_house(options.get("data", {}))
    for name, value in house._asdict().items():
        setattr(s, name, list(value))
    s.open_stacks = int(options.get("open stacks", False))


def blank(s: Any) -> None:
    """Prepare a record full of zeros for the fields of a position text."""
    apply_options(s, {})


# Texts -----------------------------------------------------------------------------------------

LETTERS = COLOURS + COLOURS.upper()
STONE_LETTERS = "...." + LETTERS + COLOURS
"""By stone; one whose pattern is hidden stands in brackets."""
PILE = re.compile(rf"(?:\(([{COLOURS}]{{1,3}})\))?([{LETTERS}]+)")
ARTIST_LETTERS = "-o*"


def stones_in(pile: int) -> list[int]:
    """The stones of a pile, bottom to top."""
    return [pile >> shift & 15 for shift in (12, 8, 4, 0) if pile >> shift]


def pile_text(pile: int) -> str:
    """A pile, bottom to top, like rYp, or (ry)P when the patterns under the top are hidden."""
    stones = stones_in(pile)
    hidden = "".join(STONE_LETTERS[stone] for stone in stones if stone >= HIDDEN)
    known = "".join(STONE_LETTERS[stone] for stone in stones if stone < HIDDEN)
    return (f"({hidden})" if hidden else "") + known


def read_pile(text: str) -> int:
    """The inverse of `pile_text`."""
    found = PILE.fullmatch(text)
    stones = [STONE_LETTERS.rindex(letter) for letter in (found[1] or "")] if found else []
    stones += [STONE_LETTERS.index(letter) for letter in found[2]] if found else []
    if not 1 <= len(stones) <= 4:
        raise ValueError(say("{pile} is no pile of 1 to 4 stones, like rYp", pile=repr(text)))
    return sum(stone << 4 * i for i, stone in enumerate(reversed(stones)))


def _write_piles(piles: list[int]) -> str:
    return ",".join(pile_text(pile) or "-" for pile in piles)


def _read_piles(text: str, n: int) -> list[int]:
    parts = text.split(",")
    if len(parts) != n:
        raise ValueError(say("{n} piles are needed here, not {m}", n=n, m=len(parts)))
    return [0 if part == "-" else read_pile(part) for part in parts]


class Stacks:
    """The stacks of the main board, which tell what shows on top."""

    covers = ("showing",)

    def write(self, s: Any, name: str) -> str | None:
        return _write_piles(s.stack) if any(s.stack) else None

    def read(self, s: Any, name: str, text: str) -> None:
        s.stack = _read_piles(text, STACKS)
        for i in range(STACKS):
            show_top(s, i)


class BySeat:
    """A text for each seat that plays."""

    covers: tuple[str, ...] = ()

    def write(self, s: Any, name: str) -> str | None:
        rows = getattr(s, name)
        return "/".join(map(self.row_text, rows[: s.seats])) if np.any(rows) else None

    def read(self, s: Any, name: str, text: str) -> None:
        rows = text.split("/")
        if len(rows) not in SEATS:
            raise ValueError(say("a text for each seat is needed, with / between them"))
        setattr(s, name, [self.read_row(row) for row in rows] + getattr(s, name)[len(rows) :])

    def row_text(self, row: list[int]) -> str:
        return _write_piles(row)

    def read_row(self, text: str) -> list[int]:
        return _read_piles(text, COLUMNS)


class Objectives(BySeat):
    """Two objectives a seat, or "?"."""

    def row_text(self, row: list[int]) -> str:
        return ",".join(OBJECTIVES[card - 1] for card in row) if any(row) else "?"

    def read_row(self, text: str) -> list[int]:
        return [0, 0] if text == "?" else _read_objectives(text.split(","))


def _read_objectives(names: Any) -> list[int]:
    if not isinstance(names, list) or len(names) != 2:
        raise ValueError(say("a seat has two objectives"))
    for name in names:
        if name not in OBJECTIVES:
            there_are = listed(list(OBJECTIVES))
            text = say("there is no objective {name}; they are {names}", name=name, names=there_are)
            raise ValueError(text)
    return [1 + OBJECTIVES.index(name) for name in names]


class Artists:
    """The circles row by row: o a ring artist, * a star artist."""

    covers: tuple[str, ...] = ()

    def write(self, s: Any, name: str) -> str | None:
        on = [ARTIST_LETTERS[artist_on(s, circle)] for circle in range(9)]
        return "/".join("".join(on[row : row + 3]) for row in (0, 3, 6)) if any(s.artists) else None

    def read(self, s: Any, name: str, text: str) -> None:
        if not re.fullmatch(r"[-o*]{3}/[-o*]{3}/[-o*]{3}", text):
            raise ValueError(say("three rows of three circles are needed, like -o-/o-*/-*-"))
        on = text.replace("/", "")
        s.artists = [sum(1 << i for i in range(9) if on[i] == letter) for letter in "o*"]


class Laid:
    """The stones of the mandala as letters, from the centre."""

    covers = ("laid_n",)

    def write(self, s: Any, name: str) -> str | None:
        return "".join(STONE_LETTERS[stone] for stone in s.laid[: s.laid_n]) or None

    def read(self, s: Any, name: str, text: str) -> None:
        if not re.fullmatch(rf"[{LETTERS}]{{1,{STONES}}}", text):
            raise ValueError(say("up to {n} of {letters} are needed", n=STONES, letters=LETTERS))
        s.laid_n = len(text)
        s.laid = [STONE_LETTERS.index(letter) for letter in text] + [0] * (STONES - len(text))


class HouseData(Numbers):
    """Numbers, left out when they are the default ones; zeros at the end are left out too."""

    def write(self, s: Any, name: str) -> str | None:
        value = getattr(s, name)
        if value == getattr(DEFAULT, name):
            return None
        used = max((i + 1 for i, number in enumerate(value) if number), default=1)
        return ",".join(map(str, value[:used]))

    def read(self, s: Any, name: str, text: str) -> None:
        missing = len(getattr(DEFAULT, name)) - 1 - text.count(",")
        super().read(s, name, text + ",0" * missing)


CODECS: Mapping[str, Any] = {
    "stack": Stacks(),
    "tower": BySeat(),
    "objective": Objectives(),
    "artists": Artists(),
    "laid": Laid(),
    **{field: HouseData() for field in House._fields},
}

MOVE_TEXTS = (
    *(
        f"{CIRCLES[circle]}-{CIRCLES[circle_after(circle, which)]} {side} {column + 1}"
        for circle in range(9)
        for which in range(8)
        for side in SIDE_NAMES
        for column in range(COLUMNS)
    ),
    *(f"score {colour}" for colour in COLOURS),
    *("tops " + "".join(str(i + 1) for i in bits_of(columns)) for columns in range(1, 32)),
)
MOVE_NUMBERS = {text: move for move, text in enumerate(MOVE_TEXTS)}


def goal() -> str:
    return say(
        "Four artists stand among 24 stacks of stones. On your turn send one of them to an empty "
        "circle: of the stacks around it that touch no other artist it takes the top stones of "
        "its own pattern, and they become a tower on an empty column of your board. Or score: "
        "all towers topped by one colour, two at least, each by the rule under its column; or "
        "the tops of any towers for one point each. Scored tops are laid into the mandala, where "
        "some spaces give points and one brings the last round. At the end the better of your "
        "two secret objectives counts, if it is met. Most points win."
    )


def help_texts() -> dict[str, str]:
    """What each kind of move looks like and does."""
    return {
        "a2-b2 N 3": say(
            "move the artist on a2 to b2 and take the stones it is given, clockwise from the north, "
            "as a tower onto column 3"
        ),
        "score p": say("score all towers with a purple top, two at least, and lay these tops"),
        "tops 135": say("score one point each for the tops of columns 1, 3 and 5, and lay them"),
        "score p > 5 1 4": say("the same, and lay the tops in this order of columns"),
    }


def text(s: Any, move: int) -> str:
    return MOVE_TEXTS[move]


def parse(text: str) -> tuple[int, Sequence[int]]:
    """A move, and the order of columns in which it lays its stones, if the text names one."""
    move = MOVE_NUMBERS.get(text)
    if move is not None:
        return move, ()
    start, _, end = text.partition(" > ")
    if start not in MOVE_NUMBERS:
        raise ValueError(say("a move looks like a2-b2 N 3, score p or tops 135"))
    move = MOVE_NUMBERS[start]
    if move < SCORE_MOVE:
        raise ValueError(say("an order of columns follows a score only; a pick lays no stones"))
    order = [int(n) for n in end.split(" ") if n in ("1", "2", "3", "4", "5")]
    if not order or " ".join(map(str, order)) != end or len(set(order)) != len(order):
        raise ValueError(say("an order looks like > 5 1 4: each column that is laid, once"))
    return move, tuple(order)


def prepare(s: Any, arguments: Sequence[int]) -> None:
    """The order in which the stones of the next move are laid."""
    s.order = sum(column << 3 * i for i, column in enumerate(arguments))


def bank() -> Any:
    return NO_BANK


def setup(s: Any) -> dict[str, Any]:
    return {
        "stacks": [pile_text(pile) for pile in s.stack],
        "artists": {CIRCLES[i]: PATTERNS[artist_on(s, i) - 1] for i in STARTS},
        "objectives": [[OBJECTIVES[card - 1] for card in s.objective[i]] for i in range(s.seats)],
    }


def set_up(s: Any, seats: int, setup: Mapping[str, Any]) -> None:
    if set(setup) != {"stacks", "artists", "objectives"}:
        raise ValueError(say("the setup of stones has stacks, artists and objectives"))
    s.seats = seats
    s.stack = _read_stacks(setup["stacks"])
    s.artists = _read_artists(setup["artists"])
    objectives = setup["objectives"]
    if not isinstance(objectives, list) or len(objectives) != seats:
        raise ValueError(say("objectives: a list of two for each of {n} seats is needed", n=seats))
    for seat in range(seats):
        s.objective[seat] = _read_objectives(objectives[seat])
    if problem := _twice_dealt(s):
        raise ValueError(problem)


def _read_stacks(stacks: Any) -> list[int]:
    if not isinstance(stacks, list) or len(stacks) != STACKS:
        raise ValueError(say("stacks: a list of {n} texts is needed", n=STACKS))
    for stack in stacks:
        if not isinstance(stack, str) or not stack.isalpha() or len(stack) != 4:
            raise ValueError(say("stacks: {stack} is not four letters", stack=repr(stack)))
    piles = [read_pile(stack) for stack in stacks]
    if problem := _miscounted(piles, True):
        raise ValueError(problem)
    return piles


def _read_artists(artists: Any) -> list[int]:
    starts = [CIRCLES[i] for i in STARTS]
    ok = isinstance(artists, Mapping) and set(artists) == set(starts)
    if not ok or sorted(map(str, artists.values())) != ["ring", "ring", "star", "star"]:
        circles = listed(starts)
        raise ValueError(say("artists: two ring and two star stand on {circles}", circles=circles))
    return [sum(1 << i for i in STARTS if artists[CIRCLES[i]] == name) for name in PATTERNS]


def chance_text(s: Any) -> str:
    raise ValueError(say("after the deal nothing is left to chance in stones"))


def set_chance(s: Any, text: str) -> None:
    raise ValueError(say("after the deal nothing is left to chance in stones"))


# Words -----------------------------------------------------------------------------------------


def colour_names() -> tuple[str, ...]:
    return (say("red"), say("blue"), say("yellow"), say("purple"))


def objective_names() -> tuple[str, ...]:
    """What each objective asks for."""
    return (
        say("only rings on top"),
        say("only stars on top"),
        *(say("exactly two {colour} tops", colour=name) for name in colour_names()),
        say("exactly two towers"),
        say("five towers"),
        say("exactly three stones"),
        say("exactly six stones"),
    )


def artist_on(s: Any, circle: int) -> int:
    """0, or 1 + the pattern of the artist on a circle."""
    return int((s.artists[0] >> circle & 1) + 2 * (s.artists[1] >> circle & 1))


def spaces_in(s: Any) -> int:
    return int(sum(s.rings))


def columns_text(columns: int) -> str:
    return listed([str(i + 1) for i in bits_of(columns)])


def tell_chance(s: Any, outcome: str) -> str:
    raise ValueError(say("nothing is left to chance after the setup"))


def describe(s: Any) -> dict[str, Any]:
    on_mandala = min(s.laid_n, spaces_in(s))
    letters = "".join(STONE_LETTERS[stone] for stone in s.laid[: s.laid_n])
    return {
        "turn": s.turn,
        "last_round": is_last_round(s),
        "open_stacks": bool(s.open_stacks),
        "stacks": [pile_text(pile) for pile in s.stack],
        "covered": _covered(s),
        "artists": {CIRCLES[i]: PATTERNS[artist_on(s, i) - 1] for i in range(9) if artist_on(s, i)},
        "mandala": letters[:on_mandala],
        "aside": letters[on_mandala:],
        "data": house_data(s),
        "seats": [
            {
                "points": s.points[seat],
                "fifties": s.points[seat] // 50,
                "track": s.points[seat] % 50,
                "towers": [pile_text(pile) for pile in s.tower[seat]],
                "objectives": [OBJECTIVES[card - 1] for card in s.objective[seat] if card] or None,
                "objective_points": objective_points(s, seat) if s.over else None,
            }
            for seat in range(s.seats)
        ],
    }


def sums(s: Any, seat: int) -> list[tuple[str, int]]:
    """The points of all turns are one number on the board; objectives come to it at the end."""
    parts = [(say("towers, tops and spaces of the mandala"), int(s.points[seat]))]
    if s.over and (points := objective_points(s, seat)):
        best = next(
            card - 1
            for card in s.objective[seat]
            if card and is_met(s, seat, card - 1) and s.worth[card - 1] == points
        )
        parts.append((say("objective: {what}", what=objective_names()[best]), int(points)))
    return parts


def _covered(s: Any) -> dict[str, dict[str, int]]:
    """How many stones of each colour and pattern lie where their pattern is hidden."""
    seen = [seen_stones(s, RING), seen_stones(s, 2 * RING)]
    return {
        colour: {
            name: OF_A_KIND - (seen[pattern] >> 8 * i & 255)
            for pattern, name in enumerate(PATTERNS)
        }
        for i, colour in enumerate(COLOURS)
    }


def refusal(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    if move < SCORE_MOVE:
        return _refuse_pick(s, seat, move)
    if move < TOPS_MOVE:
        columns = columns_topped(s, seat, move - SCORE_MOVE)
        n = len(bits_of(columns))
        if n < 2:
            name = colour_names()[move - SCORE_MOVE]
            if n == 0:
                return say("{colour} tops none of your towers; two are needed", colour=name)
            return say("{colour} tops only one of your towers; two are needed", colour=name)
    else:
        columns = move - TOPS_MOVE + 1
        if bare := columns & ~columns_in_use(s, seat):
            return say("no tower stands on column {n}", n=bits_of(bare)[0] + 1)
    if arguments and sorted(arguments) != [i + 1 for i in bits_of(columns)]:
        return say("the order names each column that is laid, once: {n}", n=columns_text(columns))
    return ""


def _refuse_pick(s: Any, seat: int, move: int) -> str:
    pair, side, column = move // PLACES, move // COLUMNS % 4, move % COLUMNS
    circle = pair // 8
    to = circle_after(circle, pair % 8)
    empty = ALL_COLUMNS & ~columns_in_use(s, seat)
    if not empty:
        return say("towers stand on all your columns, so you have to score")
    if not artist_on(s, circle):
        return say("no artist stands on {circle}", circle=CIRCLES[circle])
    if artist_on(s, to):
        return say("an artist stands on {circle} already", circle=CIRCLES[to])
    if not empty >> column & 1:
        free = columns_text(empty)
        return say("a tower stands on column {n}; empty: {free}", n=column + 1, free=free)
    given = given_stacks(s, circle)
    stacks = [north_of(to) + n for n in AROUND]
    if given >> stacks[side] & 1:
        return ""
    starts = [SIDE_NAMES[i] for i in range(4) if given >> stacks[i] & 1]
    why = _why_not_given(s, circle, to, stacks[side])
    if not starts:
        return why + say("; nor does any other stack around {circle}", circle=CIRCLES[to])
    return why + say("; it could start with {sides}", sides=", ".join(starts))


def _why_not_given(s: Any, circle: int, to: int, stack: int) -> str:
    if not s.stack[stack]:
        return say("stack {n} is empty and yields no stone", n=stack + 1)
    for other in range(9):
        if other != circle and artist_on(s, other) and stacks_around(1 << other) >> stack & 1:
            return say(
                "stack {n} touches the artist on {o}, so it yields no stone",
                n=stack + 1,
                o=CIRCLES[other],
            )
    if artist_on(s, circle) == 1:
        return say("stack {n} shows a star, so it yields no stone to a ring artist", n=stack + 1)
    return say("stack {n} shows a ring, so it yields no stone to a star artist", n=stack + 1)


def explain(s: Any, seat: int, move: int) -> str:
    states = new_states(STATE, 1, False)
    states[0] = s
    after = states[0]
    play(after, seat, move)
    if move < SCORE_MOVE:
        return _explain_pick(s, move, after.tower[seat][move % COLUMNS])
    columns = move - TOPS_MOVE + 1
    if move < TOPS_MOVE:
        columns = columns_topped(s, seat, move - SCORE_MOVE)
        points = colour_points(s, seat, columns)
    else:
        points = after.laid_n - s.laid_n
    where = columns_text(columns)
    said = say_n(
        "{n} point (columns: {columns})", "{n} points (columns: {columns})", points, columns=where
    )
    if more := after.points[seat] - s.points[seat] - points:
        said += say(", and {n} for the mandala", n=more)
    if is_last_round(after) and not is_last_round(s):
        said += say("; this is the last round")
    return said


def _explain_pick(s: Any, move: int, tower: int) -> str:
    pair = move // PLACES
    names = {
        "start": CIRCLES[pair // 8],
        "to": CIRCLES[circle_after(pair // 8, pair % 8)],
        "tower": pile_text(tower),
        "n": move % COLUMNS + 1,
    }
    if artist_on(s, pair // 8) == 1:
        return say(
            "the ring artist goes from {start} to {to}: tower {tower} onto column {n}", **names
        )
    return say("the star artist goes from {start} to {to}: tower {tower} onto column {n}", **names)


# The board -------------------------------------------------------------------------------------


GIFTS_SHOWN = 8
MANDALA_WIDTH = 76


def board(s: Any, paint: Paint) -> list[str]:
    return [*_main_board(s, paint), "", *_boards(s, paint), "", *_mandala(s, paint)]


def _painted(pile: int, paint: Paint) -> str:
    """A pile text in colours."""
    styles = dict(zip(COLOURS, COLOUR_NAMES, strict=True))
    return "".join(
        paint(letter, styles[letter.lower()] if letter.isalpha() else "dim")
        for letter in pile_text(pile)
    )


def _cell(shown: str, painted: str, width: int) -> str:
    """Something painted in the middle of a cell."""
    left = (width - len(shown)) // 2
    return " " * left + painted + " " * (width - len(shown) - left)


def _main_board(s: Any, paint: Paint) -> list[str]:
    def stack(i: int) -> str:
        pile = s.stack[i]
        return _cell(pile_text(pile) or "–", _painted(pile, paint) or "–", 7)

    def circle(i: int) -> str:
        artist = artist_on(s, i)
        shown = CIRCLES[i] + " " + "·○★"[artist]
        return _cell(shown, paint(shown, "bold" if artist else "dim"), 8)

    lines = []
    for row in range(7):
        first = row // 2 * 7 + row % 2 * 3
        if row % 2 == 0:
            lines.append(" " * 7 + "".join(_cell("." * 7, stack(first + i), 15) for i in range(3)))
        else:
            cells = [stack(first + i) + circle(row // 2 * 3 + i) for i in range(3)]
            lines.append("".join([*cells, stack(first + 3)]))
    lines.append(paint(say("○ takes rings (small letters), ★ takes stars (capitals)"), "dim"))
    return [line.rstrip() for line in lines]


def _boards(s: Any, paint: Paint) -> list[str]:
    """The seats' towers in columns, under the rule of each."""
    rules = (say("heights"), "4 2 1 1", "1 3 4 1", "1 2 4 6", say("colours+1"))
    cells = [_cell(rule, paint(rule, "dim"), 10) for rule in rules]
    lines = [" " * 20 + "".join(str(n).center(10) for n in range(1, 6)), " " * 20 + "".join(cells)]
    for seat in range(s.seats):
        points = s.points[seat]
        shown = str(points) if points < 50 else f"{points} ({points // 50 * 50}+{points % 50})"
        name = say("seat {seat}", seat=seat)
        towers = [
            _cell(pile_text(pile) or "–", _painted(pile, paint) or "–", 10)
            for pile in s.tower[seat]
        ]
        row = paint(name, "bold") + " " * (8 - len(name)) + shown.ljust(12) + "".join(towers)
        lines.append(row.rstrip())
        lines.append(" " * 8 + _objectives_line(s, seat))
    return [line.rstrip() for line in lines]


def _objectives_line(s: Any, seat: int) -> str:
    cards = [card - 1 for card in s.objective[seat] if card]
    if not cards:
        return say("objectives hidden")
    named = [f"{objective_names()[card]} ({s.worth[card]})" for card in cards]
    return " · ".join(named) + (f" = {objective_points(s, seat)}" if s.over else "")


def _mandala(s: Any, paint: Paint) -> list[str]:
    """The mandala ring by ring, and what its free spaces hold."""
    spaces = spaces_in(s)
    lines, width, first = [""], 0, 0
    for ring in filter(None, s.rings):
        if width + ring > MANDALA_WIDTH:
            lines.append("")
            width = 0
        stones = s.laid[first : first + ring]
        lines[-1] += " " + "".join(_painted(stone, paint) or "·" for stone in stones)
        width += ring + 1
        first += ring
    laid = say("mandala: {n} of {spaces}", n=min(s.laid_n, spaces), spaces=spaces)
    if s.laid_n > spaces:
        laid += say(", {n} set aside", n=s.laid_n - spaces)
    end = say("last round after space {n}", n=s.hands[s.seats - 2])
    if is_last_round(s):
        end = say("last round")
    lines.insert(0, paint(laid, "bold") + "   " + end)
    if gifts := [f"+{n} ({i + 1})" for i, n in enumerate(s.plus) if n and i >= s.laid_n]:
        lines.append(say("to come: {gifts}", gifts=" ".join(gifts[:GIFTS_SHOWN])))
    return lines


def fault(s: Any) -> str:
    seat = s.viewer - 1
    if (seat >= s.seats and seat != SPECTATOR) or s.turn not in range(s.seats):
        return say("there is no such seat at this table")
    if problem := _house_fault(s):
        return problem
    piles = [*s.stack, *(pile for row in s.tower for pile in row), *s.laid]
    for problem in (_miscounted(piles, not s.viewer), _twice_dealt(s), _misplaced(s)):
        if problem:
            return problem
    states = new_states(STATE, 1, False)
    states[0] = s
    if s.viewer:
        hide(states[0], seat)
        if states[0] != s:
            return say("this shows what its viewer cannot see")
    states[0].over = 0
    begin_turn(states[0])
    if states[0].over and not s.over:
        return say("the game is over here ({reason})", reason=REASONS[states[0].over - 1])
    if states[0].over != s.over:
        return say("the game is not over here ({reason})", reason=REASONS[s.over - 1])
    return ""


def _house_fault(s: Any) -> str:
    data = {
        name: {key: {TABLES[name]: value, "source": "house"} for key, value in table.items()}
        for name, table in house_data(s).items()
    }
    try:
        read_house(data)
    except ValueError as error:
        return str(error)
    return ""


def _miscounted(piles: Sequence[int], all_known: bool) -> str:
    """What is wrong with the number of stones."""
    stones = [stone for pile in piles for stone in stones_in(pile)]
    for i, name in enumerate(colour_names()):
        n = sum(stone & 3 == i for stone in stones)
        if n != 2 * OF_A_KIND:
            return say(
                "there are {n} {colour} stones, not {all}", n=n, colour=name, all=2 * OF_A_KIND
            )
        for stone in (RING + i, 2 * RING + i):
            n = stones.count(stone)
            if n > OF_A_KIND or (all_known and n < OF_A_KIND):
                return say(
                    "there are {n} stones {x}, not {all}",
                    n=n,
                    x=STONE_LETTERS[stone],
                    all=OF_A_KIND,
                )
    return ""


def _twice_dealt(s: Any) -> str:
    cards = [card for row in s.objective for card in row if card]
    for card in cards:
        if cards.count(card) > 1:
            return say("the objective {name} is dealt twice", name=OBJECTIVES[card - 1])
    return ""


def _misplaced(s: Any) -> str:
    """What else cannot be."""
    rings, stars = (bits_of(circles) for circles in s.artists)
    if len(rings) != 2 or len(stars) != 2 or set(rings) & set(stars):
        return say("two ring artists and two star artists are needed, on four circles")
    for seat in range(4):
        mine = [*s.tower[seat], *s.objective[seat], s.points[seat]]
        if seat >= s.seats and any(mine):
            return say("there is no such seat at this table")
        known = not s.viewer or s.over or seat == s.viewer - 1
        if seat < s.seats and known and not all(s.objective[seat]):
            return say("seat {seat} needs two objectives", seat=seat)
    if s.order or s.chance or s.open_stacks not in (0, 1) or min(s.points) < 0:
        return say("order and chance are 0 here, open_stacks 0 or 1, and points not below 0")
    return ""
