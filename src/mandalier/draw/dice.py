"""The picture of dice: little Mondrians on a grid, dice where they came to rest, and a gallery.

Each canvas has a picture of our own: its blocks, and only those, as rectangles between heavy black
lines, laid out from the number of the card. The second signs of blocks: red a ring, blue waves,
yellow a triangle, black a cross. Dice have their seat's colour, and pips of a shape: round, square,
diamond, triangle. The board is turned so that the viewer's edge is at the bottom.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any

from mandalier.draw import parts
from mandalier.draw.dice_stage import PIP_SHAPES, SIGNS, card_title, motion, stage
from mandalier.draw.sheet import Drawn, Path, Sheet, kept
from mandalier.draw.style import BLOCKS as BLOCK_COLOURS
from mandalier.draw.style import PIPS, SEATS, SERIF, Theme, ink_on, mixed, text
from mandalier.draw.svg import Node, Written, el, group, moved, thing, write
from mandalier.games.contract import SPECTATOR
from mandalier.games.dice.geometry import side_of
from mandalier.games.dice.rules import (
    blocks_in,
    counted,
    first_player,
    has_chosen,
    icons_left,
    master,
    picture_size,
    values_of,
)
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    BLOCKS,
    CANVASES,
    CARD,
    COLLECT,
    DICE,
    DONE_MOVE,
    EXHIBIT,
    ICONS,
    KEEP_MOVE,
    LEAVE_MOVE,
    OFFERED,
    PREPARE,
    READY_MOVE,
    ROUNDS,
    STROKES,
    TARGETS,
    THROW_MOVE,
    UNSEEN,
    UNSEEN_CARDS,
    columns_of,
    rows_of,
)
from mandalier.games.dice.texts import bits_of, cell_text, taken_by
from mandalier.games.dice.words import blocks_text, colour_names, icon_names, phase_names
from mandalier.games.words import listed, say, say_n

__all__ = ["asked", "clicks", "draw", "motion", "stage", "thumb", "words"]

INK = "#17171a"
CANVAS = 78  # the side of a card in its own drawing, in millimetres
Rectangle = tuple[float, float, float, float]  # x, y, width, height


# Canvases --------------------------------------------------------------------------------------


PLATE = 24  # the side of the plate with a card's value, in its lower right corner
SMALL = 48.0  # cards not so wide are shown with a larger value
THIN = 17.0  # no block is thinner, so that its sign has room


@lru_cache(maxsize=512)
def composition(card: int, blocks: int) -> tuple[Rectangle, ...]:
    """So many rectangles of differing sizes that fill a canvas, laid out from the card's number;
    the last one has room for the plate."""
    chooser = Random(card * 7919 + 11)
    while True:
        made: list[Rectangle] = [(0, 0, CANVAS, CANVAS)]
        while len(made) < blocks:
            made.sort(key=lambda one: one[2] * one[3])
            x, y, wide, high = made.pop(-1 if chooser.random() < 0.8 or len(made) < 2 else -2)
            share = chooser.choice((0.27, 0.34, 0.42, 0.58, 0.66, 0.73))
            if wide > high or (wide == high and chooser.random() < 0.5):
                left = round(wide * share)
                made += [(x, y, left, high), (x + left, y, wide - left, high)]
            else:
                upper = round(high * share)
                made += [(x, y, wide, upper), (x, y + upper, wide, high - upper)]
        if min(min(one[2], one[3]) for one in made) >= THIN:
            chooser.shuffle(made)
            made.sort(key=lambda one: one[0] + one[2] == CANVAS == one[1] + one[3])
            if made[-1][2] > PLATE and made[-1][3] > PLATE:
                return tuple(made)


@lru_cache(maxsize=512)
def canvas(card: int, value: int, blocks: int, small: bool = False) -> Written:
    """A card's picture, 78 wide and high. The plate lies on a white block, if there is one; it is
    larger on a card that is shown small."""
    letters = "".join(BLOCKS[i] * (blocks >> 10 * i & 1023) for i in range(4))
    letters += "w" * (blocks >> 40)
    shown: list[Node] = []
    for letter, (x, y, wide, high) in zip(letters, composition(card, len(letters)), strict=True):
        fill = BLOCK_COLOURS[letter]
        outline = f"M{x:.0f} {y:.0f}h{wide:.0f}v{high:.0f}h{-wide:.0f}z"
        shown.append(el("path", {"d": outline, "fill": fill}))
        if letter != "w":
            sign = {"d": SIGNS[letter], "stroke": ink_on(fill), "stroke-opacity": 0.6}
            sign["stroke-width"] = 2.4
            sign["transform"] = moved(round(x + wide / 2), round(y + high / 2))
            shown.append(el("path", sign))
    shown.append(el("path", {"d": f"M0 0h{CANVAS}v{CANVAS}h-{CANVAS}z"}))
    whole = group({"fill": "none", "stroke": INK, "stroke-width": 3.6}, shown)
    side, size = (42, 40) if small else (PLATE, 20)
    corner = CANVAS - side
    plate = {"d": f"M{corner} {corner}h{side}v{side}h-{side}z", "fill": "#fffdf6", "stroke": INK}
    where = (CANVAS - side / 2 + 0.5, CANVAS - side / 2 + size * 0.34)
    number = text(*where, str(value), size, INK, "middle", bold=True, font_family=SERIF)
    return write(group(None, [whole, el("path", {**plate, "stroke-width": 2}), number]))


@lru_cache(maxsize=64)
def die(seat: int, face: int) -> Written:
    """A die from above, 16 wide; its pips have the shape of its seat."""
    shade = SEATS[seat]
    ink = ink_on(shade)
    shape = PIP_SHAPES[seat]
    pips = [el("path", {"d": shape, "transform": moved(4.4 * x, 4.4 * y)}) for x, y in PIPS[face]]
    body = {"x": -8, "y": -8, "width": 16, "height": 16, "rx": 2.6}
    return write(
        group(
            None,
            [
                el("rect", {**body, "x": -7.2, "y": -6.8, "fill": "#000", "fill-opacity": 0.35}),
                el("rect", {**body, "fill": shade, "stroke": "#fffdf6", "stroke-width": 1.1}),
                group({"fill": ink}, pips),
            ],
        )
    )


@lru_cache
def _defined(theme: Theme) -> Written:
    """The gold of frames, and the light on the wall."""
    gold = [("0", "#d9b868"), ("0.35", "#a97f32"), ("0.6", "#e6cd8c"), ("1", "#8a6526")]
    return write(
        el(
            "defs",
            None,
            el(
                "linearGradient",
                {"id": "dice-gold", "x2": "1", "y2": "1"},
                *(el("stop", {"offset": at, "stop-color": shade}) for at, shade in gold),
            ),
            el(
                "radialGradient",
                {"id": "dice-light"},
                el("stop", {"offset": "0", "stop-color": theme.glow}),
                el("stop", {"offset": "1", "stop-color": theme.glow, "stop-opacity": 0}),
            ),
        )
    )


ICON_GLYPHS = {
    "L": "M-9 3q2-9 10-9M-3-9 2-6-2-1",
    "R": "M9 3q-2-9-10-9M3-9-2-6 2-1",
    "B": "M-9-5Q0 4 9-5M-6-1-8 3M0 0V4M6-1 8 3",
    "D": "M0-10V3M-4-1 0 4 4-1",
    "F": "M-9 2h12M-1-3 4 2-1 7M8-6v12",
}


@kept(lambda sheet, card, *_: (sheet.s.value[card], sheet.s.blocks[card]))
def _card(sheet: Sheet, card: int, x: float, y: float, wide: float) -> Node:
    """A card at a place."""
    s = sheet.s
    art = canvas(card, s.value[card], s.blocks[card], wide < SMALL)
    return group(
        {"transform": moved(x, y, wide / CANVAS)},
        [thing(f"card-{card}", card_title(s, card), art)],
    )


# The picture -----------------------------------------------------------------------------------


def draw(sheet: Sheet) -> Drawn:
    s, t = sheet.s, sheet.theme
    others = sheet.around[1:]
    columns, rows = _turned_size(sheet)
    if sheet.tall:
        shown = [_situation(sheet, 10, 18)]
        y = 26.0
        for seat in others:
            shown.append(_other(sheet, seat, 10, y, 380))
            y += 50
        if s.phase == EXHIBIT:
            shown += _gallery(sheet, 6, y, 388, 330)
            y += 340
        else:
            cell = 388 / columns
            shown.append(_grid(sheet, 6, y, cell))
            y += cell * rows + 8
        shown += _own(sheet, 10, y, 380)
        return Drawn(400, round(y + 172), _defined(t), shown)
    cell = min(600 / rows, 640 / columns)
    wide = cell * columns if s.phase != EXHIBIT else 620
    left = 18 + wide + 22
    room = 1060 - left - 16
    shown = [_situation(sheet, left, 34)]
    y = 48.0
    for seat in others:
        shown.append(_other(sheet, seat, left, y, room))
        y += 64
    if s.phase == EXHIBIT:
        shown += _gallery(sheet, 18, 20, wide, 600)
    else:
        shown.append(_grid(sheet, 18, 20, cell))
    shown.append(_table(sheet, left, y + 22, room))
    shown += _own(sheet, left, 404, room)
    return Drawn(1060, 640, _defined(t), shown)


def _turned_size(sheet: Sheet) -> tuple[int, int]:
    """Columns and rows as the viewer sees them."""
    s = sheet.s
    size = columns_of(s), rows_of(s)
    return size[::-1] if side_of(s, sheet.near) & 1 else size


def _turned(sheet: Sheet, x: float, y: float) -> tuple[float, float]:
    """A point of the table as the viewer sees it, in the table's own units."""
    s, side = sheet.s, side_of(sheet.s, sheet.near)
    wide, high = columns_of(s) * CARD, rows_of(s) * CARD
    return ((x, y), (y, wide - x), (wide - x, high - y), (high - y, x))[side]


def _grid(sheet: Sheet, left: float, top: float, cell: float) -> Node:
    """Cards, gaps, and the dice where they lie."""
    s, t = sheet.s, sheet.theme
    columns, rows = _turned_size(sheet)
    scale = cell / CARD
    table = {
        "x": left - 3,
        "y": top - 3,
        "width": cell * columns + 6,
        "height": cell * rows + 6,
        "rx": 4,
        "fill": t.deep,
        "stroke": t.line,
    }
    shown: list[Node] = [el("rect", table)]
    for i in range(columns_of(s) * rows_of(s)):
        row, column = divmod(i, columns_of(s))
        mx, my = _turned(sheet, column * CARD + CARD / 2, row * CARD + CARD / 2)
        x, y = left + (mx - CARD / 2) * scale, top + (my - CARD / 2) * scale
        shown.append(_cell(sheet, cell_text(s, i), s.grid[i], x, y, cell))
    shown += _dice(sheet, left, top, cell)
    return group(None, shown)


@kept(lambda sheet, _, card, *__: (sheet.s.value[card], sheet.s.blocks[card]) if card else None)
def _cell(sheet: Sheet, name: str, card: int, x: float, y: float, cell: float) -> Node:
    """A card on the grid, or a gap."""
    t = sheet.theme
    if card:
        title = say("{cell}: {card}", cell=name, card=card_title(sheet.s, card))
        return thing("cell-" + name, title, _card(sheet, card, x + 1, y + 1, cell - 2))
    gap = {
        "x": x + 2,
        "y": y + 2,
        "width": cell - 4,
        "height": cell - 4,
        "rx": 3,
        "fill": t.deep,
        "stroke": t.line,
        "stroke-dasharray": "2 5",
    }
    return thing("cell-" + name, say("{cell}: a gap", cell=name), el("rect", gap))


def _dice(sheet: Sheet, left: float, top: float, cell: float) -> list[Node]:
    s = sheet.s
    turn = (0, -90, 180, 90)[side_of(s, sheet.near)]
    shown = []
    for seat in range(s.seats):
        for k in range(DICE):
            if s.face[seat][k]:
                x, y = _turned(sheet, s.x[seat][k], s.y[seat][k])
                at = left + x * cell / CARD, top + y * cell / CARD
                scale = cell / CANVAS * (1.12 if sheet.tall else 1)
                shown.append(_die_at(sheet, seat, k, *at, turn - s.yaw[seat][k] / 10, scale))
    return shown


def _die_of(sheet: Sheet, seat: int, k: int, *_: Any) -> tuple[Any, ...]:
    s = sheet.s
    return s.face[seat][k], s.touch[seat][k], columns_of(s), rows_of(s), sheet.names[seat]


@kept(_die_of)
def _die_at(
    sheet: Sheet, seat: int, k: int, x: float, y: float, turned: float, scale: float
) -> Node:
    s, face = sheet.s, sheet.s.face[seat][k]
    cells = listed([cell_text(s, c) for c in bits_of(s.touch[seat][k])])
    title = say(
        "die {k} of {who} shows {face}, on {cells}",
        k=k + 1,
        who=sheet.names[seat],
        face=face,
        cells=cells,
    )
    lies = thing(f"die-{seat}-{k + 1}", title, die(seat, face))
    return group({"transform": moved(x, y, scale, turned)}, [lies])


def _situation(sheet: Sheet, x: float, y: float) -> Node:
    s, t = sheet.s, sheet.theme
    said = say("round {n} of {all}, {phase}", n=s.round, all=ROUNDS, phase=phase_names()[s.phase])
    return text(
        x, y, said, 14 if sheet.tall else 17, t.soft, font_family=SERIF, font_style="italic"
    )


def _other(sheet: Sheet, seat: int, x: float, y: float, wide: float) -> Node:
    """Another seat: its icons, its cards in small."""
    s = sheet.s
    shown = [parts.name(sheet, seat, x, y + 14), _score(sheet, seat, x + wide - 2, y + 15)]
    shown.append(_icons_small(sheet, seat, x + (170 if sheet.tall else 190), y + 14))
    cards = bits_of(s.hand[seat] & ~s.kept[seat])
    size = 25.0 if sheet.tall else 34.0
    step = min(size + 2, (wide - size) / max(1, len(cards) - 1))
    shown += [_card(sheet, card, x + i * step, y + 20, size) for i, card in enumerate(cards)]
    return group(None, shown)


@kept(lambda sheet, seat, *_: (sheet.points[seat], sheet.names[seat]))
def _score(sheet: Sheet, seat: int, x: float, y: float) -> Node:
    points = sheet.points[seat]
    title = say_n(
        "{who}: {n} point as it stands",
        "{who}: {n} points as it stands",
        points,
        who=sheet.names[seat],
    )
    return thing(
        f"score{seat}",
        title,
        text(x, y, str(points), 19, sheet.theme.ink, "end", bold=True, font_family=SERIF),
    )


def _icons_of(sheet: Sheet, seat: int, *_: Any) -> tuple[Any, ...]:
    s = sheet.s
    if s.phase == EXHIBIT:
        return (bool(has_chosen(s, seat)),)
    return s.prepared[seat], s.used[seat]


@kept(_icons_of)
def _icons_small(sheet: Sheet, seat: int, x: float, y: float) -> Node:
    """The icons a seat has prepared: used ones struck out."""
    s, t = sheet.s, sheet.theme
    if s.phase == EXHIBIT:
        label = say("picture complete") if has_chosen(s, seat) else ""
        return [text(x, y, label, 13, t.soft)]
    prepared = s.prepared[seat]
    if prepared in (0, UNSEEN):
        return [text(x, y, say("has prepared") if prepared else "…", 13, t.soft)]
    shown = []
    names = icon_names()
    for k, i in enumerate(bits_of(prepared)):
        used = s.used[seat] >> i & 1
        title = names[i] + (", " + say("used") if used else "")
        letter = text(
            x + k * 20,
            y,
            ICONS[i],
            14,
            t.soft if used else t.ink,
            "middle",
            bold=not used,
            text_decoration="line-through" if used else None,
        )
        shown.append(thing(f"icon{seat}-{ICONS[i]}", title, letter))
    return shown


def _own(sheet: Sheet, x: float, y: float, wide: float) -> list[Node]:
    """The near seat: palette, what can be done, masteries, hand."""
    s, seat = sheet.s, sheet.near
    shown = [parts.name(sheet, seat, x, y + 16), _score(sheet, seat, x + wide - 2, y + 17)]
    shown += _palette(sheet, x, y + 28, wide) if s.phase != EXHIBIT else []
    if sheet.tall:
        shown.append(_masteries_of(sheet, x + 108, y + 16, 58))
    cards = bits_of(s.hand[seat] & ~s.kept[seat])
    top = y + (34 if s.phase == EXHIBIT else 76 if sheet.tall else 88)
    size = 62.0 if sheet.tall else 70.0
    lines = 1 if len(cards) * 50 <= wide + 4 else 2
    each = max(1, -(-len(cards) // lines))
    size = min(size, (wide + 4) / each - 4, 62.0 if lines == 2 else 70.0)
    if lines == 2 and sheet.tall:
        size = min(size, 45.0)
    step = min(size + 4, (wide - size) / max(1, each - 1))
    for i, card in enumerate(cards):
        shown.append(_card(sheet, card, x + i % each * step, top + i // each * (size + 4), size))
    return shown


def _palette(sheet: Sheet, x: float, y: float, wide: float) -> list[Node]:
    """The five icons: those to choose from, those prepared, those used; and buttons."""
    s, seat = sheet.s, sheet.near
    mine = sheet.seat != SPECTATOR and sheet.moves_now(seat)
    prepared, used = s.prepared[seat], s.used[seat]
    names, shown = icon_names(), []
    r = 19.0 if sheet.tall else 23.0
    left = (
        icons_left(s, seat)
        if s.phase == STROKES and s.turn == seat and s.second != OFFERED
        else prepared & ~used
    )
    for i, letter in enumerate(ICONS):
        cx = x + r + i * (2 * r + 6)
        is_prepared = bool(prepared >> i & 1) if prepared != UNSEEN else False
        bright = mine and (s.phase == PREPARE or (s.phase == STROKES and left >> i & 1))
        title = names[i]
        if is_prepared:
            title += ", " + (say("used") if used >> i & 1 else say("prepared"))
        ready = is_prepared and not used >> i & 1
        faded = s.phase != PREPARE and not bright and not ready
        shown.append(_icon(sheet, letter, title, ready, bright, faded, cx, y, r))
    at = x + 5 * (2 * r + 6) + 4
    room = x + wide - at
    if mine and s.second == OFFERED:
        half = (room - 6) / 2
        shown.append(
            parts.button(
                sheet, "again", say("again"), say("throw the same die once more"), at, y + 4, half
            )
        )
        shown.append(
            parts.button(
                sheet,
                "leave",
                say("leave"),
                say("leave the die outside"),
                at + half + 6,
                y + 4,
                half,
            )
        )
    elif mine and s.phase == COLLECT:
        shown.append(
            parts.button(
                sheet, "done", say("done"), say("end collecting"), at, y + 4, min(room, 110)
            )
        )
    return shown


@kept(lambda *_: None)
def _icon(
    sheet: Sheet,
    letter: str,
    title: str,
    ready: bool,
    bright: bool,
    faded: bool,
    cx: float,
    y: float,
    r: float,
) -> Node:
    t = sheet.theme
    ink = t.on_accent if ready else t.ink
    disc = {
        "cx": cx,
        "cy": y + r,
        "r": r - 1,
        "fill": t.accent if ready else t.board,
        "stroke": t.accent if bright else t.line,
        "stroke-width": 2 if bright else 1,
        "opacity": "0.5" if faded else None,
    }
    glyph = {
        "d": ICON_GLYPHS[letter],
        "fill": "none",
        "stroke": ink,
        "stroke-width": 2,
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
        "transform": moved(cx, y + r - 5, r / 24),
        "opacity": "0.5" if faded else None,
    }
    under = t.soft if faded else ink
    name = text(cx, y + 2 * r - 5, letter, 12.5, under, "middle", bold=True)
    return thing(f"icon-{letter}", title, el("circle", disc), el("path", glyph), name)


def _masters(s: Any) -> list[int]:
    """The seat with most blocks of each colour, or −1."""
    return [master(s, i, False) for i in range(len(BLOCKS))]


def _counts_of(sheet: Sheet, *_: Any) -> tuple[Any, ...]:
    """What blocks are counted of, and what they are worth."""
    s = sheet.s
    cards = tuple([counted(s, seat, False) for seat in range(s.seats)])
    return cards, tuple(s.value), tuple(s.blocks), tuple(s.bonus), sheet.names, sheet.near


@kept(_counts_of)
def _masteries_of(sheet: Sheet, x: float, y: float, step: float) -> Node:
    return _masteries(sheet, _masters(sheet.s), x, y, step)


def _masteries(sheet: Sheet, masters: list[int], x: float, y: float, step: float) -> list[Node]:
    """What most blocks of a colour are worth, and who has them."""
    s, t = sheet.s, sheet.theme
    names, shown = colour_names(), []
    for i, (colour, seat) in enumerate(zip(BLOCKS, masters, strict=True)):
        left = x + i * step
        who = say("nobody") if seat < 0 else sheet.names[seat]
        title = say("most {colour}: {n} points; now {who}", colour=names[i], n=s.bonus[i], who=who)
        fill = BLOCK_COLOURS[colour]
        swatch = {"x": left, "y": y - 12, "width": 14, "height": 14, "fill": fill, "stroke": t.ink}
        sign = {"d": SIGNS[colour], "fill": "none", "stroke": ink_on(fill), "stroke-width": 2}
        ink = t.soft if seat < 0 else t.ink
        size = 13 if sheet.tall else 15
        inside = [
            el("rect", {**swatch, "stroke-width": 1.2}),
            el("path", {**sign, "transform": moved(left + 7, y - 5, 0.7)}),
            text(left + 18, y, str(s.bonus[i]), size, ink, bold=seat >= 0),
        ]
        if seat >= 0 and sheet.tall:
            disc = {"cx": left + 43, "cy": y - 5, "r": 7, "fill": SEATS[seat]}
            inside.append(el("circle", disc))
            number = text(
                left + 43, y - 0.5, str(seat), 12.5, ink_on(SEATS[seat]), "middle", bold=True
            )
            inside.append(number)
        shown.append(thing(f"mastery-{colour}", title, *inside))
    return shown


@kept(_counts_of)
def _table(sheet: Sheet, x: float, y: float, wide: float) -> Node:
    """How many blocks of each colour every seat has, the most in bold on its seat's colour; white
    ones, which decide ties; and what the cards are worth."""
    s, t = sheet.s, sheet.theme
    step = (wide - 60) / 6
    masters = _masters(s)
    shown = _masteries(sheet, masters, x + 44, y, step)
    left = x + 44 + 4 * step
    white = {
        "x": left,
        "y": y - 12,
        "width": 14,
        "height": 14,
        "fill": BLOCK_COLOURS["w"],
        "stroke": t.ink,
    }
    shown.append(
        thing(
            "mastery-w", say("white blocks decide ties"), el("rect", {**white, "stroke-width": 1.2})
        )
    )
    shown.append(text(left + step, y, say("values"), 14, t.soft))
    for row, seat in enumerate([*sheet.around[1:], sheet.near]):
        line = y + 27 + 26 * row
        cards = counted(s, seat, False)
        cards = 0 if cards == UNSEEN_CARDS else cards
        blocks = blocks_in(s, cards)
        shown.append(el("circle", {"cx": x + 16, "cy": line - 5, "r": 9, "fill": SEATS[seat]}))
        shown.append(text(x + 16, line, str(seat), 13, ink_on(SEATS[seat]), "middle", bold=True))
        for i in range(5):
            n = blocks >> 10 * i & 1023
            best = i < 4 and masters[i] == seat
            at = x + 51 + i * step
            if best:
                pill = {"x": at - 14, "y": line - 17, "width": 28, "height": 23, "rx": 11}
                shown.append(el("rect", {**pill, "fill": t.accent}))
            fill = t.on_accent if best else t.ink if n else t.soft
            shown.append(text(at, line, str(n or "·"), 15, fill, "middle", bold=best))
        shown.append(text(x + 51 + 5 * step, line, str(values_of(s, cards)), 15, t.ink))
    return shown


# The gallery


def _gallery(sheet: Sheet, x: float, y: float, wide: float, high: float) -> list[Node]:
    """Each seat's picture in its frame; one that is not shown yet behind a cloth."""
    s, t = sheet.s, sheet.theme
    across = 2 if s.seats > 2 or wide < 500 else 1
    down = -(-s.seats // across)
    wall = {"x": x, "y": y, "width": wide, "height": high, "rx": 8, "fill": t.board}
    shown: list[Node] = [el("rect", {**wall, "stroke": t.line})]
    places = [*sheet.around[1:], sheet.near]
    for i, seat in enumerate(places):
        cx = x + wide * (i % across + 0.5) / across
        cy = y + high * (i // across + 0.5) / down
        light = {"cx": cx, "cy": cy - 10, "rx": wide / across / 2, "ry": high / down / 2}
        shown.append(el("ellipse", {**light, "fill": "url(#dice-light)"}))
        shown.append(_framed(sheet, seat, cx, cy, wide / across - 34, high / down - 52))
    return shown


def _framed(sheet: Sheet, seat: int, cx: float, cy: float, wide: float, high: float) -> Node:
    s, t = sheet.s, sheet.theme
    size = max(2, picture_size(s))
    shapes = [(size // r, r) for r in range(1, size + 1) if size % r == 0]
    columns, rows = max(
        shapes,
        key=lambda shape: (
            min(wide / shape[0], high / shape[1]) * (1 if max(shape) <= 2 * min(shape) else 0.75)
        ),
    )
    cell = min(wide / columns, high / rows, 150)
    left, top = cx - cell * columns / 2, cy - cell * rows / 2 - 6
    w, h = cell * columns, cell * rows
    title = say("picture of {who}", who=sheet.names[seat])
    shown: list[Node] = [
        el(
            "rect",
            {
                "x": left - 10,
                "y": top - 10,
                "width": w + 20,
                "height": h + 20,
                "fill": "url(#dice-gold)",
                "stroke": "#6d5220",
                "stroke-width": 1.5,
            },
        ),
        el(
            "rect",
            {
                "x": left - 6,
                "y": top - 6,
                "width": w + 12,
                "height": h + 12,
                "fill": "none",
                "stroke": "#ecd9a0",
                "stroke-width": 1,
            },
        ),
        el("rect", {"x": left - 2, "y": top - 2, "width": w + 4, "height": h + 4, "fill": t.deep}),
    ]
    if s.kept[seat] == UNSEEN_CARDS:
        folds = "".join(
            f"M{left + w * k / 6:.0f} {top:.0f}q8 {h / 2:.0f} 0 {h:.0f}" for k in range(1, 6)
        )
        shown.append(
            el(
                "path",
                {
                    "d": f"M{left:.0f} {top:.0f}h{w:.0f}v{h:.0f}h{-w:.0f}z",
                    "fill": mixed(SEATS[seat], "#202020", 0.35),
                },
            )
        )
        shown.append(
            el(
                "path",
                {
                    "d": folds,
                    "fill": "none",
                    "stroke": "#000",
                    "stroke-opacity": 0.25,
                    "stroke-width": 3,
                },
            )
        )
    else:
        for i, card in enumerate(bits_of(s.kept[seat])):
            shown.append(
                _card(sheet, card, left + i % columns * cell, top + i // columns * cell, cell)
            )
    label = text(
        cx,
        top + h + 26,
        sheet.names[seat][:22],
        13 if sheet.tall else 15,
        t.soft,
        "middle",
        font_family=SERIF,
        font_style="italic",
    )
    return thing(f"picture{seat}", title, *shown, label)


def thumb(sheet: Sheet) -> Drawn:
    """The cards that lie in the grid, as far as they fit."""
    s, t = sheet.s, sheet.theme
    shown: list[Node] = []
    columns = columns_of(s)
    cell = 92 / rows_of(s)
    left = 100 - cell * columns / 2
    for i in range(columns * rows_of(s)):
        card = s.grid[i]
        x, y = left + i % columns * cell, 4 + i // columns * cell
        if card:
            blocks = s.blocks[card]
            letters = blocks_text(s, card).replace("w", "") + "w"
            fill = BLOCK_COLOURS[letters[0]]
            shown.append(
                el(
                    "rect",
                    {
                        "x": x,
                        "y": y,
                        "width": cell - 1,
                        "height": cell - 1,
                        "fill": fill if blocks else t.board,
                        "stroke": INK,
                        "stroke-width": 0.8,
                    },
                )
            )
    return Drawn(200, 100, Written(""), shown)


# Clicks ----------------------------------------------------------------------------------------

ANY_ORDER = 3  # so many dice of a take may be clicked in any order; more only in ascending order


def clicks(s: Any, seat: int, moves: Sequence[tuple[int, str]]) -> list[tuple[str, Path]]:
    """Prepare: the icons in any order. Throw: the icon, then the card or die aimed at. Take: the
    dice, the card's cell and, where the dice do not reach its value, the boosting card of the
    hand. Keep: the card."""
    made: list[tuple[str, Path]] = []
    for move, name in moves:
        if move < AIM_MOVE:
            icons = ["icon-" + ICONS[i] for i in bits_of(move - READY_MOVE + 1)]
            made += [(name, list(order)) for order in permutations(icons)]
        elif move < THROW_MOVE:
            icon, target = divmod(move - AIM_MOVE, TARGETS)
            made.append((name, ["icon-" + ICONS[icon], _target(s, target)]))
        elif move in (AGAIN_MOVE, LEAVE_MOVE, DONE_MOVE):
            made.append((name, [name]))
        elif move < DONE_MOVE:
            dice, cell, boost = taken_by(s, seat, move)
            keys = [f"die-{seat}-{k + 1}" for k in bits_of(dice)]
            end = ["cell-" + cell_text(s, cell)] + ([f"card-{boost}"] if boost else [])
            orders = permutations(keys) if len(keys) <= ANY_ORDER else [tuple(keys)]
            made += [(name, [*order, *end]) for order in orders]
        else:
            made.append((name, [f"card-{move - KEEP_MOVE + 1}"]))
    return made


def _target(s: Any, target: int) -> str:
    if target < CANVASES:
        return "cell-" + cell_text(s, target)
    return f"die-{(target - CANVASES) // DICE}-{(target - CANVASES) % DICE + 1}"


def _target_of(s: Any, key: str) -> int:
    """The inverse of `_target`."""
    kind, _, name = key.partition("-")
    if kind == "die":
        seat, k = (int(n) for n in name.split("-"))
        return CANVASES + seat % int(s.seats) * DICE + (k - 1) % DICE
    if kind == "card":
        return list(s.grid).index(int(name))
    return [cell_text(s, i) for i in range(columns_of(s) * rows_of(s))].index(name)


def asked(s: Any, seat: int, ids: Sequence[str]) -> str | int | None:
    if not ids:
        return None
    throw = s.phase == STROKES and ids[0].startswith("icon-")
    if throw and len(ids) > 1:
        return AIM_MOVE + ICONS.index(ids[0][5:]) * TARGETS + _target_of(s, ids[1])
    icons = [key[5:] for key in ids if key.startswith("icon-")]
    cards = [key[5:] for key in ids if key.startswith("card-")]
    cells = [key[5:] for key in ids if key.startswith("cell-")]
    dice = sorted({key[-1] for key in ids if key.startswith(f"die-{seat}-")})
    if s.phase == PREPARE and icons:
        return "ready " + "".join(letter for letter in ICONS if letter in icons)
    if s.phase == STROKES and icons:
        return f"throw {icons[0]} " + ("0 0" if icons[0] == "D" else "0 0 0")
    if s.phase == COLLECT and cells and not dice:
        cell = _target_of(s, "cell-" + cells[0])
        lying = [str(k + 1) for k in range(DICE) if s.face[seat][k]]
        dice = [k for k in lying if s.touch[seat][int(k) - 1] >> cell & 1] or lying[:1] or ["1"]
    if s.phase == COLLECT and dice and cells:
        return f"take {cells[0]} {''.join(dice)}" + (f" +{cards[0]}" if cards else "")
    if s.phase == EXHIBIT and cards:
        return "keep " + cards[0]
    return ids[0] if ids[0] in ("again", "leave", "done") else None


# Words -----------------------------------------------------------------------------------------


def prompt(s: Any, seat: int, moves: Sequence[str]) -> str:
    if s.phase == PREPARE:
        return say("Choose {n} ways to throw in this round.", n=s.round + 1)
    if s.phase == EXHIBIT:
        n = picture_size(s)
        return say("Choose the {n} cards of your picture, one after the other.", n=n)
    if s.phase == STROKES:
        if "again" in moves:
            return say("Your die lies outside: throw it again, or leave it.")
        return say("Choose how to throw your next die.")
    if any(move.startswith("take") for move in moves):
        return say(
            "Take cards: your dice on it have to reach its value. Choose the dice, then the card."
        )
    return say("Your dice take no card now: say that you are done.")


def words(s: Any, seat: int) -> str:
    from mandalier.games.dice.rules import waiting

    said = [parts.whose_turn(s, seat, waiting(s))]
    said.append(
        say("round {n} of {all}, {phase}", n=s.round, all=ROUNDS, phase=phase_names()[s.phase])
        + "."
    )
    if s.phase == EXHIBIT:
        said.append(say("Pictures of {n} cards.", n=picture_size(s)))
    else:
        said.append(say("seat {seat} is first player", seat=first_player(s)) + ".")
    for other in range(s.seats):
        dice = [
            say(
                "{face} on {cells}",
                face=s.face[other][k],
                cells=listed([cell_text(s, c) for c in bits_of(s.touch[other][k])]),
            )
            for k in range(DICE)
            if s.face[other][k]
        ]
        cards = [card_title(s, card) for card in bits_of(s.hand[other])]
        who = say("You") if other == seat else say("seat {seat}", seat=other)
        said.append(say("{who}: {cards}.", who=who, cards="; ".join(cards) or say("no cards")))
        if dice:
            said.append(say("Dice of {who}: {dice}.", who=who, dice="; ".join(dice)))
    return " ".join(said)
