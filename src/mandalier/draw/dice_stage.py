"""The table of dice as a solid thing: where cards and dice lie, what may be thrown and from where,
and the throws that were made. A page plays and aims throws with this and knows no rules.

Lengths are tenths of a millimetre and angles tenths of a degree, counter-clockwise; x to the right
and y down from the grid's top left corner, as seen by seat 0.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mandalier.draw.style import BLOCKS as BLOCK_COLOURS
from mandalier.draw.style import SEATS, ink_on
from mandalier.games.contract import SPECTATOR
from mandalier.games.dice.carry import carry
from mandalier.games.dice.geometry import edge_of, side_of
from mandalier.games.dice.rules import die_in_hand, icons_left, waiting
from mandalier.games.dice.state import (
    ASIDE,
    BLOCKS,
    CARD,
    CHOSEN,
    DICE,
    DIRECTION,
    FLICK_OUTSIDE,
    FLICK_SPEED,
    HALF,
    HAND_SPEED,
    HAND_SPIN,
    ICONS,
    OFFERED,
    OUTSIDE,
    PREPARE,
    STEADINESS,
    STROKES,
    B,
    D,
    F,
    L,
    R,
    columns_of,
    rows_of,
)
from mandalier.games.dice.texts import bits_of, cell_text, dice_in
from mandalier.games.dice.words import blocks_text, colour_names, icon_names
from mandalier.games.words import listed, say, spoken

KINDS = {L: "hand", R: "hand", B: "blind", D: "drop", F: "flick"}
ASIDE_OF = {L: -1, R: 1}
ROUNDING = 18  # of a die's edges, a little more than they have: it catches the light
DROP_HEIGHT = 1000
HAND_HEIGHT = 600
PIP_SHAPES = (
    "M-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z",
    "M-1.3-1.3h2.6v2.6h-2.6z",
    "M0-1.9 1.9 0 0 1.9-1.9 0z",
    "M0-1.8 1.8 1.4h-3.6z",
)
SIGNS = {
    "r": "M0-4.5A4.5 4.5 0 1 1-.01-4.5Z",
    "b": "M-6-2q3-3 6 0t6 0M-6 3q3-3 6 0t6 0",
    "y": "M0-5 5 4h-10z",
    "k": "M-4.5 0h9M0-4.5v9",
    "w": "",
}
PAINTS = "rbykw"


def stage(s: Any, seat: int) -> dict[str, Any] | None:
    """The table while dice are thrown or about to be; None at other times."""
    if s.phase not in (PREPARE, STROKES) or s.over:
        return None
    return table(s, seat) | {"throws": _throws(s, seat)}


def table(s: Any, seat: int) -> dict[str, Any]:
    """Cards and dice as they lie, for a viewer."""
    near = 0 if seat == SPECTATOR else seat
    return {
        "wide": columns_of(s) * CARD,
        "high": rows_of(s) * CARD,
        "tile": CARD,
        "die": round(2 * HALF),
        "rounding": ROUNDING,
        "turned": side_of(s, near),
        "paints": [
            {
                "fill": BLOCK_COLOURS[letter],
                "sign": SIGNS[letter],
                "ink": ink_on(BLOCK_COLOURS[letter]),
            }
            for letter in PAINTS
        ],
        "looks": [
            {"fill": SEATS[other], "ink": ink_on(SEATS[other]), "pip": PIP_SHAPES[other]}
            for other in range(s.seats)
        ],
        "tiles": [_tile(s, cell) for cell in range(columns_of(s) * rows_of(s)) if s.grid[cell]],
        "dice": [
            _die(other, k + 1, s.x[other][k], s.y[other][k], s.yaw[other][k], s.face[other][k])
            for other in range(s.seats)
            for k in range(DICE)
            if s.face[other][k]
        ],
        "throws": [],
    }


def _tile(s: Any, cell: int) -> dict[str, Any]:
    card, columns = s.grid[cell], columns_of(s)
    return {
        "id": f"cell-{cell_text(s, cell)}",
        "title": say("{cell}: {card}", cell=cell_text(s, cell), card=card_title(s, card)),
        "x": cell % columns * CARD,
        "y": cell // columns * CARD,
        "label": str(s.value[card]),
        "parts": _painted(card, s.blocks[card]),
    }


@lru_cache(maxsize=512)
def _painted(card: int, blocks: int) -> list[list[int]]:
    """The rectangles of a card's picture, each with the number of its paint."""
    from mandalier.draw.dice import composition

    paints = [i for i in range(4) for _ in range(blocks >> 10 * i & 1023)]
    paints += [4] * (blocks >> 40)
    return [
        [*map(round, part), paint]
        for part, paint in zip(composition(card, len(paints)), paints, strict=True)
    ]


def card_title(s: Any, card: int) -> str:
    return _card_title(card, s.value[card], blocks_text(s, card), spoken())


@lru_cache(maxsize=1 << 10)
def _card_title(card: int, value: int, blocks: str, _: str) -> str:
    names = dict(zip(BLOCKS, colour_names(), strict=True))
    coloured = listed([names[letter] for letter in blocks if letter in names])
    return say(
        "card {card} worth {value}: {blocks}",
        card=card,
        value=value,
        blocks=coloured or say("all white"),
    )


def _die(seat: int, die: int, x: int, y: int, yaw: int, face: int) -> dict[str, Any]:
    return {
        "id": f"die-{seat}-{die}",
        "seat": seat,
        "die": die,
        "x": x,
        "y": y,
        "yaw": yaw,
        "face": face,
        "inside": True,
    }


# What may be thrown ----------------------------------------------------------------------------


def _throws(s: Any, seat: int) -> list[dict[str, Any]]:
    if seat == SPECTATOR or s.phase != STROKES or s.second == OFFERED:
        return []
    if not waiting(s) >> seat & 1:
        return []
    return [_throw(s, seat, icon) for icon in bits_of(icons_left(s, seat))]


def _throw(s: Any, seat: int, icon: int) -> dict[str, Any]:
    x, y, ahead = _hand(s, seat, icon)
    known = carry(ICONS[icon], STEADINESS[s.steadiness + 1], bool(s.left_handed >> seat & 1))
    return {
        "id": f"icon-{ICONS[icon]}",
        "move": f"throw {ICONS[icon]}",
        "kind": KINDS[icon],
        "side": ASIDE_OF.get(icon, 0),
        "title": icon_names()[icon],
        "how": _how(icon),
        "seat": seat,
        "die": die_in_hand(s, seat) + (0 if s.second == CHOSEN else 1),
        "x": x,
        "y": y,
        "z": {D: DROP_HEIGHT, F: round(HALF)}.get(icon, HAND_HEIGHT),
        "ahead": ahead,
        "gauges": _gauges(s, seat, icon),
        "carry": {
            "speeds": list(known.speeds),
            "far": list(known.far),
            "along": list(known.along),
            "across": list(known.across),
        },
    }


def _hand(s: Any, seat: int, icon: int) -> tuple[int, int, int]:
    """Where the hand lets go, and which way is straight ahead. A place along the edge begins at its
    left end, so there the hand is for a flick; a drop has no edge."""
    wide, high, side = columns_of(s) * CARD, rows_of(s) * CARD, side_of(s, seat)
    if icon == D:
        return wide // 2, high // 2, 900
    aside = 0 if icon == F else edge_of(s, seat) // 2 + s.start[ASIDE] * ASIDE_OF.get(icon, 0)
    outside = s.start[FLICK_OUTSIDE if icon == F else OUTSIDE]
    return (
        (aside, high + outside, 900),
        (-outside, aside, 0),
        (wide - aside, -outside, 2700),
        (wide + outside, high - aside, 1800),
    )[side]


def _gauges(s: Any, seat: int, icon: int) -> list[dict[str, Any]]:
    wide, high = columns_of(s) * CARD, rows_of(s) * CARD
    turn = _gauge("direction", say("direction"), s.ranges[DIRECTION], 0, 10, "°", 10)
    if icon == D:
        across = _gauge("x", say("from the left"), (0, wide), wide // 2, 50, "mm", 10)
        return [across, _gauge("y", say("from the top"), (0, high), high // 2, 50, "mm", 10)]
    if icon == F:
        edge = edge_of(s, seat)
        where = _gauge("place", say("along the edge"), (0, edge), edge // 2, 50, "mm", 10)
        return [where, turn, _speed(s.ranges[FLICK_SPEED], 0.35)]
    spin = _gauge("spin", say("spin"), s.ranges[HAND_SPIN], 0, 10, "rad/s", 10)
    return [turn, _speed(s.ranges[HAND_SPEED], 0.7), spin]


def _speed(ends: Sequence[int], share: float) -> dict[str, Any]:
    usual = round((ends[0] + share * (ends[1] - ends[0])) / 10) * 10
    return _gauge("speed", say("speed"), ends, min(usual, ends[1]), 10, "m/s", 1000)


def _gauge(
    name: str, title: str, ends: Sequence[int], usual: int, step: int, unit: str, per: int
) -> dict[str, Any]:
    low, high = ends
    usual = max(low, min(high, usual))
    return {
        "name": name,
        "title": title,
        "low": low,
        "high": high,
        "usual": usual,
        "step": step,
        "unit": unit,
        "per": per,
    }


def _how(icon: int) -> str:
    return {
        L: say("Swipe the die over the table, from the left."),
        R: say("Swipe the die over the table, from the right."),
        B: say("Swipe over the cloth: the table is hidden, and the hand less sure."),
        D: say("Move the die over the table, and let go."),
        F: say("Pull the die back like a sling: the further, the faster."),
    }[icon]


# What was thrown -------------------------------------------------------------------------------


def motion(s: Any, seat: int, outcome: str, path: bytes) -> dict[str, Any]:
    """A throw, `s` being the position with the die in the air."""
    wide, high = columns_of(s) * CARD, rows_of(s) * CARD
    icon = s.icon - 1
    return {
        "seat": s.turn,
        "kind": KINDS[icon],
        "side": ASIDE_OF.get(icon, 0),
        "stage": table(s, seat),
        "path": base64.b64encode(path).decode(),
        "end": [
            {
                **_die(owner, die, x, y, yaw % 3600, face),
                "inside": 0 <= x <= wide and 0 <= y <= high,
            }
            for owner, die, x, y, yaw, face in dice_in(outcome)
        ],
    }
