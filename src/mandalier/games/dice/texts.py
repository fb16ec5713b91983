"""The texts of moves, setups, outcomes and positions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mandalier.games.dice.geometry import cells_touched, take_aim
from mandalier.games.dice.house import DEFAULT, House
from mandalier.games.dice.rules import FARTHEST, HIT, at_corner, die_in_hand
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    ALL_DICE,
    BOOSTS,
    CANVASES,
    CARD,
    CARDS,
    DICE,
    DONE_MOVE,
    EXHIBIT,
    ICONS,
    KEEP_MOVE,
    LEAVE_MOVE,
    PREPARE,
    READY_MOVE,
    SEATS,
    STATE,
    TAKE_MOVE,
    TARGETS,
    THROW_MOVE,
    UNSEEN,
    UNSEEN_CARDS,
    columns_of,
    numbers_of,
    rows_of,
)
from mandalier.games.kernel import new_states
from mandalier.games.position import Numbers
from mandalier.games.words import say

NUMBER = r"(?:0|-?[1-9][0-9]{0,14})"
THROW = re.compile(
    rf"throw (?:([LRBF]) ({NUMBER}) ({NUMBER}) ({NUMBER})|(D) ({NUMBER}) ({NUMBER}))"
)
TAKE = re.compile(r"take ([a-i])([1-9]) ([1-5]+)(?: \+([1-9][0-9]?))?")
KEEP = re.compile(r"keep ([1-9][0-9]?)")
LAND = re.compile(r"land (hit|free) (.*)")
DIE = rf"[0-3]\.[1-5] {NUMBER} {NUMBER} {NUMBER} [1-6]"
THROW_ENTRY = re.compile(rf"[0-4] throw (?:[LRBF] {NUMBER} {NUMBER} {NUMBER}|D {NUMBER} {NUMBER})")
LAND_ENTRY = re.compile(rf"\* land (hit|free) {DIE}(?:; {DIE})*")
LANDED = re.compile(rf"([0-3])\.([1-5]) ({NUMBER}) ({NUMBER}) ({NUMBER}) ([1-6])")
COLUMN_LETTERS = "abcdefghi"
MOST_COLUMNS = len(COLUMN_LETTERS)


def icons_text(icons: int) -> str:
    return "".join(letter for i, letter in enumerate(ICONS) if icons >> i & 1)


def bits_of(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def dice_text(dice: int) -> str:
    return "".join(str(die + 1) for die in bits_of(dice))


def cell_text(s: Any, cell: int) -> str:
    row, column = divmod(cell, columns_of(s))
    return COLUMN_LETTERS[column] + str(row + 1)


def text(s: Any, move: int) -> str:
    if move < AIM_MOVE:
        return "ready " + icons_text(move - READY_MOVE + 1)
    if move < AGAIN_MOVE:
        return _throw_text(s, move)
    if move in (AGAIN_MOVE, LEAVE_MOVE, DONE_MOVE):
        return {AGAIN_MOVE: "again", LEAVE_MOVE: "leave", DONE_MOVE: "done"}[move]
    if move < DONE_MOVE:
        dice, cell, boost = taken_by(s, s.turn, move)
        return f"take {cell_text(s, cell)} {dice_text(dice)}" + (f" +{boost}" if boost else "")
    return f"keep {move - KEEP_MOVE + 1}"


def _throw_text(s: Any, move: int) -> str:
    """The text of a throw with the gesture in the state, or with that of an aim."""
    gesture, icon = s.gesture, move - THROW_MOVE
    if move < THROW_MOVE:
        icon, target = divmod(move - AIM_MOVE, TARGETS)
        gesture = gesture_at(s, s.turn, icon, target)
    return " ".join(["throw", ICONS[icon], *map(str, gesture[: numbers_of(icon)])])


def gesture_at(s: Any, seat: int, icon: int, target: int) -> list[int]:
    """The gesture of an aim."""
    states = new_states(STATE, 1, False)
    states[0] = s
    take_aim(states[0], seat, icon, target)
    return list(states[0].gesture)


def taken_by(s: Any, seat: int, move: int) -> tuple[int, int, int]:
    """The dice, the cell (−1 if these dice touch none of that kind) and the boost of a take."""
    which, boost = divmod(move - TAKE_MOVE, BOOSTS)
    dice = which // 4 + 1
    lowest = next(i for i in range(DICE) if dice >> i & 1)
    return dice, at_corner(s, s.touch[seat][lowest], which % 4), boost


def parse(text: str) -> tuple[int, Sequence[int]]:
    """A move; its arguments are the gesture of a throw, and the cell of a take, in rows of nine."""
    word, _, rest = text.partition(" ")
    if text in ("again", "leave", "done"):
        return {"again": AGAIN_MOVE, "leave": LEAVE_MOVE, "done": DONE_MOVE}[text], ()
    if found := THROW.fullmatch(text):
        icon = ICONS.index(found[1] or found[5])
        return THROW_MOVE + icon, tuple(int(n) for n in found.groups() if n and n not in ICONS)
    if found := TAKE.fullmatch(text):
        dice = sum(1 << int(n) - 1 for n in set(found[3]))
        boost = int(found[4] or 0)
        if dice_text(dice) != found[3]:
            raise ValueError(say("the dice of a take are named once each, ascending, like 14"))
        if boost > CARDS:
            raise ValueError(say("cards are numbered 1 to {n}", n=CARDS))
        column, row = COLUMN_LETTERS.index(found[1]), int(found[2]) - 1
        corner = (column & 1) + 2 * (row & 1)
        number = TAKE_MOVE + ((dice - 1) * 4 + corner) * BOOSTS + boost
        return number, (row * MOST_COLUMNS + column,)
    if (found := KEEP.fullmatch(text)) and int(found[1]) <= CARDS:
        return KEEP_MOVE + int(found[1]) - 1, ()
    icons = sum(1 << i for i, letter in enumerate(ICONS) if letter in rest)
    if word == "ready" and icons and icons_text(icons) == rest:
        return READY_MOVE + icons - 1, ()
    raise ValueError(_how_to_write(word))


def _how_to_write(word: str) -> str:
    if word == "ready":
        return say("icons are named once each, in the order L R B D F, like ready LD")
    if word == "throw":
        return say(
            "a throw is its icon and whole numbers, like throw L 35 820 12 or throw D 1950 1170"
        )
    if word == "take":
        return say("a take is a cell, dice and perhaps a card, like take c3 14 +17")
    if word == "keep":
        return say("cards are kept one by one, like keep 12; they are numbered 1 to {n}", n=CARDS)
    return say(
        "a move looks like ready LD, throw D 1950 1170, again, leave, take c3 14, done or keep 12"
    )


def prepare(s: Any, arguments: Sequence[int]) -> None:
    """The gesture of a throw of one's own."""
    if len(arguments) > 1:
        s.gesture = (list(arguments) + [0])[:3]


def setup(s: Any) -> dict[str, Any]:
    columns, rows = columns_of(s), rows_of(s)
    return {"grid": [s.grid[row * columns : (row + 1) * columns] for row in range(rows)]}


def set_up(s: Any, seats: int, setup: Mapping[str, Any]) -> None:
    grid = setup.get("grid")
    if set(setup) != {"grid"} or not isinstance(grid, list):
        raise ValueError(say("the setup of dice is its grid, as rows of card ids"))
    s.seats = seats
    columns, rows = columns_of(s), rows_of(s)
    if len(grid) != rows or any(not isinstance(r, list) or len(r) != columns for r in grid):
        text = say("the grid has {rows} rows of {columns} cards", rows=rows, columns=columns)
        raise ValueError(text)
    cards = [card for row in grid for card in row]
    for card in cards:
        if type(card) is not int or not 1 <= card <= CANVASES:
            text = say("{card} is no canvas; they are 1 to {n}", card=repr(card), n=CANVASES)
            raise ValueError(text)
        if cards.count(card) > 1:
            raise ValueError(say("card {card} is there twice", card=card))
    s.grid = cards + [0] * (CANVASES - len(cards))


def chance_text(s: Any) -> str:
    dice = (
        f"{s.landed[i] // DICE}.{s.landed[i] % DICE + 1}"
        f" {s.landed_x[i]} {s.landed_y[i]} {s.landed_yaw[i]} {s.landed_face[i]}"
        for i in range(s.landed_n)
    )
    return f"land {'hit' if s.hit == HIT else 'free'} " + "; ".join(dice)


def set_chance(s: Any, text: str) -> None:
    form = LAND.fullmatch(text)
    found = [LANDED.fullmatch(part) for part in form[2].split("; ")] if form else [None]
    dice = [[int(n) for n in die.groups()] for die in found if die]
    if not form or len(dice) < len(found):
        raise ValueError(
            say("an outcome looks like land hit 1.2 1873 922 417 5; 0.1 2044 871 120 3")
        )
    thrown = s.turn * DICE + die_in_hand(s, s.turn)
    landed = [seat * DICE + k - 1 for seat, k, *_ in dice]
    if landed[0] != thrown:
        raise ValueError(say("the thrown die comes first: {die}", die=die_name(thrown)))
    for die in landed[1:]:
        if landed.count(die) > 1:
            raise ValueError(say("die {die} is named twice", die=die_name(die)))
        if not s.face[die // DICE][die % DICE]:
            raise ValueError(say("die {die} does not lie on the table", die=die_name(die)))
    if form[1] == "free" and len(dice) > 1:
        raise ValueError(say("a throw that is free moves no other die"))
    if any(abs(place) > FARTHEST for die in dice for place in die[2:4]):
        raise ValueError(say("no die lands farther off than {n}", n=FARTHEST))
    _put_outcome(s, HIT if form[1] == "hit" else 1, landed, dice)


def entry_numbers(entry: str) -> Sequence[int] | None:
    """An entry of a record: who (−1 for chance), and the numbers that `enter` reads."""
    if entry[2:6] == "land" and (form := LAND_ENTRY.fullmatch(entry)):
        numbers = entry.replace(".", " ").replace(";", "").split()
        return [-1, HIT if form[1] == "hit" else 1, *map(int, numbers[3:])]
    if entry[2:7] == "throw" and THROW_ENTRY.fullmatch(entry):
        return [int(entry[0]), THROW_MOVE + ICONS.index(entry[8]), *map(int, entry[10:].split())]
    return _short_entry(entry)


@lru_cache(maxsize=1 << 16)
def _short_entry(entry: str) -> Sequence[int] | None:
    """An entry without a gesture or an outcome: there are not so many."""
    if entry[:1] not in tuple("01234") or entry[1:2] != " ":
        return None
    try:
        number, arguments = parse(entry[2:])
    except ValueError:
        return None
    return (int(entry[0]), number, *arguments)


def dice_in(outcome: str) -> list[list[int]]:
    """The dice of an outcome: seat, number, x, y, yaw, face."""
    return [[int(n) for n in found.groups()] for found in LANDED.finditer(outcome)]


def _put_outcome(s: Any, hit: int, landed: list[int], dice: list[list[int]]) -> None:
    spare = [0] * (ALL_DICE - len(dice))
    s.hit, s.landed_n, s.landed = hit, len(dice), landed + spare
    _, _, xs, ys, yaws, faces = (list(row) for row in zip(*dice, strict=True))
    s.landed_x, s.landed_y, s.landed_yaw = xs + spare, ys + spare, yaws + spare
    s.landed_face = faces + spare


def die_name(die: int) -> str:
    return f"{die // DICE}.{die % DICE + 1}"


# Positions


class HouseData(Numbers):
    """Numbers, left out when they are the default ones."""

    def write(self, s: Any, name: str) -> str | None:
        return None if getattr(s, name) == getattr(DEFAULT, name) else super().write(s, name)


class Grid:
    """The grid row by row: cards by number, "-" for a gap."""

    covers: tuple[str, ...] = ()

    def write(self, s: Any, name: str) -> str | None:
        rows = setup(s)["grid"]
        return "/".join(",".join(str(card or "-") for card in row) for row in rows)

    def read(self, s: Any, name: str, text: str) -> None:
        if s.seats not in SEATS:
            raise ValueError(say("seats come before the grid"))
        rows = [row.split(",") for row in text.split("/")]
        if len(rows) != rows_of(s) or any(len(row) != columns_of(s) for row in rows):
            text = say(
                "{rows} rows of {columns} cards are needed", rows=rows_of(s), columns=columns_of(s)
            )
            raise ValueError(text)
        cards = [0 if card == "-" else _card(card) for row in rows for card in row]
        s.grid = cards + [0] * (CANVASES - len(cards))


def _card(text: str) -> int:
    if text not in map(str, range(1, 1 + CARDS)):
        raise ValueError(say("{card} is no card; they are 1 to {n}", card=repr(text), n=CARDS))
    return int(text)


class Sets:
    """A set for each seat: "-" an empty one, "?" one that is hidden."""

    covers: tuple[str, ...] = ()
    hidden = UNSEEN_CARDS

    def write(self, s: Any, name: str) -> str | None:
        sets = getattr(s, name)
        words = {0: "-", self.hidden: "?"}
        return "/".join(words.get(one) or self.show(one) for one in sets) if any(sets) else None

    def read(self, s: Any, name: str, text: str) -> None:
        words = {"-": 0, "?": self.hidden}
        sets = [words[one] if one in words else self.find(one) for one in text.split("/")]
        if len(sets) != 4:
            raise ValueError(say("four parts are needed here, - for what is empty"))
        setattr(s, name, sets)

    def show(self, one: int) -> str:
        return ",".join(map(str, bits_of(one)))

    def find(self, text: str) -> int:
        cards = [_card(card) for card in text.split(",")]
        if cards != sorted(set(cards)):
            raise ValueError(say("cards are named once each, ascending"))
        return sum(1 << card for card in cards)


class Icons(Sets):
    """Icons as their letters."""

    hidden = UNSEEN

    def show(self, one: int) -> str:
        return icons_text(one)

    def find(self, text: str) -> int:
        icons = sum(1 << i for i, letter in enumerate(ICONS) if letter in text)
        if icons_text(icons) != text:
            raise ValueError(say("icons are named once each, in the order L R B D F"))
        return icons


class Dice:
    """The dice on the table, as an outcome has them but with commas: 1.2,1873,922,417,5;…"""

    covers = ("x", "y", "yaw", "touch")

    def write(self, s: Any, name: str) -> str | None:
        dice = [
            f"{die_name(i)},{s.x[o][k]},{s.y[o][k]},{s.yaw[o][k]},{s.face[o][k]}"
            for i in range(ALL_DICE)
            for o, k in [divmod(i, DICE)]
            if s.face[o][k]
        ]
        return ";".join(dice) or None

    def read(self, s: Any, name: str, text: str) -> None:
        for seat, number, x, y, yaw, face in _read_dice(text):
            if seat not in range(s.seats) or not 0 <= yaw < 3600:
                raise ValueError(say("there is no such seat or yaw"))
            if not (0 <= x <= CARD * columns_of(s) and 0 <= y <= CARD * rows_of(s)):
                raise ValueError(say("die {die} is not inside", die=f"{seat}.{number}"))
            k = number - 1
            s.x[seat][k], s.y[seat][k], s.yaw[seat][k], s.face[seat][k] = x, y, yaw, face
            s.touch[seat][k] = cells_touched(s, x, y, yaw)


def _read_dice(text: str) -> list[list[int]]:
    found = [LANDED.fullmatch(part.replace(",", " ")) for part in text.split(";")]
    if None in found:
        raise ValueError(say("dice look like 1.2,1873,922,417,5;0.1,2044,871,120,3"))
    dice = [[int(n) for n in die.groups()] for die in found if die]
    if len({(seat, k) for seat, k, *_ in dice}) < len(dice):
        raise ValueError(say("a die is named twice"))
    return dice


class Outcome:
    """An outcome before it is played: "hit" or "free" and the dice, as on the table."""

    covers = ("landed_n", "landed", "landed_x", "landed_y", "landed_yaw", "landed_face")

    def write(self, s: Any, name: str) -> str | None:
        if not s.hit:
            return None
        return chance_text(s)[5:].replace("; ", ";").replace(" ", ",")

    def read(self, s: Any, name: str, text: str) -> None:
        word, _, rest = text.partition(",")
        if word not in ("hit", "free"):
            raise ValueError(say("an outcome begins with hit or free"))
        dice = _read_dice(rest)
        landed = [seat * DICE + k - 1 for seat, k, *_ in dice]
        _put_outcome(s, HIT if word == "hit" else 1, landed, dice)


CODECS: Mapping[str, Any] = {
    **{name: HouseData() for name in House._fields},
    "grid": Grid(),
    "hand": Sets(),
    "kept": Sets(),
    "prepared": Icons(),
    "used": Icons(),
    "face": Dice(),
    "hit": Outcome(),
}


def secret(s: Any, entry: str) -> bool:
    """What a seat prepares, and what it exhibits, is shown when all have chosen."""
    move = entry.partition(" ")[2]
    prepared = s.phase == PREPARE and move.startswith("ready ")
    return prepared or (s.phase == EXHIBIT and not s.over and move.startswith("keep "))
