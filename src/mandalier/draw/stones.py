"""The picture of stones: circles and stacks, towers in columns, and the mandala that all lay.

A stone lies in slight perspective. Its colour has an outline and a number of marks on its edge (red
round, 1; blue square, 2; yellow six-sided, 3; purple four-leaved, 4); the marks' shape is the
pattern: a ring, a star, or a bar where it is hidden. So a stack tells all it may from its side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import cos, pi, sin
from typing import Any

from mandalier.draw import parts
from mandalier.draw.sheet import Drawn, Path, Sheet, kept
from mandalier.draw.style import SERIF, STONES, Theme, ink_on, mixed, text
from mandalier.draw.svg import Node, Written, el, group, moved, piece, thing, write
from mandalier.games.contract import SPECTATOR
from mandalier.games.stones import (
    ALL_COLUMNS,
    AROUND,
    BY_HEIGHT,
    CIRCLES,
    COLOURS,
    COLUMNS,
    HIDDEN,
    PLACES,
    SCORE_MOVE,
    SIDE_NAMES,
    STONE_LETTERS,
    TOPS_MOVE,
    artist_on,
    circle_after,
    colour_names,
    colour_points,
    columns_in_use,
    columns_topped,
    given_stacks,
    height,
    is_last_round,
    is_met,
    north_of,
    objective_names,
    spaces_in,
    stones_in,
)
from mandalier.games.words import listed, say, say_n, spoken

OUTLINES = {
    "r": "M20 0A20 20 0 1 1-20 0A20 20 0 1 1 20 0Z",
    "b": "M-9-18H9Q18-18 18-9V9Q18 18 9 18H-9Q-18 18-18 9V-9Q-18-18-9-18Z",
    "y": "M-7.5-18.5H7.5Q10.5-18.5 12-16L20-2.5Q21.500 0 20 2.500L12 16Q10.5 18.5 7.5 18.5H-7.5Q-10.5 18.5-12 16L-20 2.500Q-21.500 0-20-2.500L-12-16Q-10.5-18.5-7.5-18.5Z",
    "p": "M0-14A11 11 0 0 1 14 0 11 11 0 0 1 0 14 11 11 0 0 1-14 0 11 11 0 0 1 0-14Z",
}
OUTLINES["y"] = OUTLINES["y"].replace(".500", ".5")
STAR = "M0-11 2.6-3.6 10.5-3.4 4.2 1.4 6.5 8.900 0 4.400-6.5 8.900-4.2 1.400-10.5-3.400-2.600-3.600Z".replace(
    "00", ""
)
DOTS = "".join(
    f"M{x} {y}a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z" for x in (-11, -5) for y in (-2, -8)
)
FLAT = 0.72  # how much a stone's face is foreshortened
THICK = 9
STEP = 9  # from one stone of a stack to the next


def symbol_of(stone: int) -> str:
    """The symbol of a stone as it lies in a stack."""
    return "stone-" + "".join((COLOURS[stone & 3], "?os?"[stone >> 2 & 3])).replace("?", "h")


@lru_cache
def _defined(theme: Theme) -> Written:
    made: list[Node] = []
    for colour, shade in STONES.items():
        made += _stone(colour, shade)
    for pattern in "os":
        made.append(_artist(pattern, theme))
    return write(el("defs", None, *made))


def _stone(colour: str, shade: str) -> Iterator[Node]:
    ink = ink_on(shade)
    outline = {"d": OUTLINES[colour]}
    if colour == "p":
        outline["transform"] = "scale(1.17)"
    yield el(
        "radialGradient",
        {"id": f"stone-g{colour}", "cx": "0.38", "cy": "0.3", "r": "0.85"},
        el("stop", {"offset": "0", "stop-color": mixed(shade, "#ffffff", 0.34)}),
        el("stop", {"offset": "0.55", "stop-color": shade}),
        el("stop", {"offset": "1", "stop-color": mixed(shade, "#000000", 0.16)}),
    )
    yield el("path", {**outline, "id": f"stone-o{colour}"})
    edge = mixed(shade, {"y": "#6b3a00", "p": "#160033"}.get(colour, "#1a0510"), 0.36)
    yield group(
        {"id": f"stone-e{colour}"},
        [
            el(
                "use",
                {
                    "href": f"#stone-o{colour}",
                    "fill": edge,
                    "transform": f"translate(0 {down})scale(1 {FLAT})",
                },
            )
            for down in (THICK, THICK * 2 / 3, THICK / 3)
        ],
    )
    yield group(
        {"id": f"stone-f{colour}"},
        [
            el(
                "use",
                {
                    "href": f"#stone-o{colour}",
                    "fill": f"url(#stone-g{colour})",
                    "stroke": mixed(shade, "#ffffff", 0.5),
                    "stroke-width": 0.9,
                },
            )
        ],
    )
    marks = COLOURS.index(colour) + 1
    edge_ink = ink_on(edge)
    for pattern, face in (
        ("o", _ring(ink)),
        ("s", el("path", {"d": STAR, "fill": ink, "fill-opacity": 0.88})),
        ("h", None),
    ):
        whole = [el("use", {"href": f"#stone-f{colour}"})] + ([face] if face else [])
        yield group({"id": f"stone-t{colour}{pattern}"}, whole)
        at = [6.0 * (i - (marks - 1) / 2) for i in range(marks)]
        yield group(
            {"id": f"stone-{colour}{pattern}"},
            [
                el("use", {"href": f"#stone-e{colour}"}),
                el(
                    "path",
                    {"d": "".join(_mark(pattern, x) for x in at), **_mark_style(pattern, edge_ink)},
                ),
                el("use", {"href": f"#stone-t{colour}{pattern}", "transform": f"scale(1 {FLAT})"}),
            ],
        )


def _ring(ink: str) -> Node:
    return el(
        "circle",
        {"r": 7.5, "fill": "none", "stroke": ink, "stroke-width": 3.4, "stroke-opacity": 0.88},
    )


def _mark(pattern: str, x: float) -> str:
    y = 18
    if pattern == "o":
        return f"M{x - 1.7:g} {y}a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z"
    if pattern == "s":
        return f"M{x:g} {y - 2.6:g}l.9 1.700 1.700.9-1.700.9-.9 1.700-.9-1.700-1.700-.9 1.700-.9z".replace(
            "00", ""
        )
    return f"M{x - 1.7:g} {y}h3.4"


def _mark_style(pattern: str, ink: str) -> dict[str, Any]:
    if pattern == "s":
        return {"fill": ink, "stroke": ink, "stroke-width": 0.6}
    return {"fill": "none", "stroke": ink, "stroke-width": 1.2}


def _artist(pattern: str, theme: Theme) -> Node:
    """A figure that looks for stones of one pattern."""
    body, ink = ("#2f6f73", "#fff6df") if pattern == "o" else ("#b98b2f", "#221a0c")
    sign = (
        el("circle", {"cy": -7, "r": 5, "fill": "none", "stroke": ink, "stroke-width": 2.4})
        if pattern == "o"
        else el("path", {"d": STAR, "fill": ink, "transform": "translate(0 -7)scale(.72)"})
    )
    return group(
        {"id": f"artist-{pattern}"},
        [
            el(
                "ellipse",
                {"cx": 2, "cy": 9, "rx": 18, "ry": 7, "fill": "#000", "fill-opacity": 0.22},
            ),
            el(
                "path",
                {
                    "d": "M-15 7C-13-2-9-8-7-17A8 8 0 1 1 7-17C9-8 13-2 15 7Q0 14-15 7Z",
                    "fill": body,
                    "stroke": mixed(body, "#ffffff", 0.55),
                    "stroke-width": 1.2,
                },
            ),
            el(
                "circle",
                {
                    "cy": -25,
                    "r": 8.5,
                    "fill": body,
                    "stroke": mixed(body, "#ffffff", 0.55),
                    "stroke-width": 1.2,
                },
            ),
            el("circle", {"cx": -2.5, "cy": -28, "r": 2.4, "fill": "#fff", "fill-opacity": 0.4}),
            sign,
        ],
    )


# The picture -----------------------------------------------------------------------------------


def draw(sheet: Sheet) -> Drawn:
    others = sheet.around[1:]
    shown: list[Node] = []
    if sheet.tall:
        wide = 388 / max(2, len(others))
        for i, seat in enumerate(others):
            shown.append(_small_board(sheet, seat, 6 + i * wide, 4, wide - 6))
        shown.append(_board(sheet, 200, 304, 118, 1.0))
        shown += _own_board(sheet, 6, 520, 238)
        shown.append(_mandala(sheet, 322, 604, 72))
        shown += _buttons(sheet, 6, 692, 388)
        shown += _objectives(sheet, sheet.near, 10, 744)
        return Drawn(400, 774, _defined(sheet.theme), shown)
    shown.append(_board(sheet, 322, 334, 177, 1.45))
    wide = 400 / max(2, len(others))
    for i, seat in enumerate(others):
        shown.append(_small_board(sheet, seat, 650 + i * wide, 14, wide - 8))
    shown.append(_mandala(sheet, 850, 254, 122))
    shown += _own_board(sheet, 650, 394, 400)
    shown += _buttons(sheet, 650, 566, 400)
    shown += _objectives(sheet, sheet.near, 654, 622)
    return Drawn(1060, 654, _defined(sheet.theme), shown)


def _stack(pile: int, name: str, step: float) -> list[Node]:
    """The stones of a pile, the lowest first."""
    return [
        piece(f"{name}-{k + 1}", _kind(stone), symbol_of(stone), 0, -k * step)
        for k, stone in enumerate(stones_in(pile))
    ]


def _kind(stone: int) -> str:
    """A stone whose pattern is hidden can turn out either way: it is told by its colour alone."""
    return STONE_LETTERS[stone] if stone < HIDDEN else COLOURS[stone & 3] + "?"


def _board(sheet: Sheet, cx: float, cy: float, unit: float, scale: float) -> Node:
    """The circles, the stacks around them and the artists; (cx, cy) is the middle."""
    s = sheet.s
    shown = [_ground(sheet, cx, cy, unit, scale)]
    for circle in range(9):
        x, y = cx + (circle % 3 - 1) * unit, cy + (circle // 3 - 1) * unit
        shown.append(_circle(sheet, circle, not artist_on(s, circle), x, y, unit * 0.29))
    for stack in range(24):
        x, y = _place(stack)
        shown.append(_stack_at(sheet, stack, cx + x * unit, cy + y * unit, scale))
    for circle in range(9):
        artist = artist_on(s, circle)
        if artist:
            x, y = cx + (circle % 3 - 1) * unit, cy + (circle // 3 - 1) * unit
            shown.append(_artist_at(sheet, circle, artist, x, y, scale))
    # what lies farther down the table lies before what is behind it
    return group(None, shown)


@kept(lambda *_: None)
def _ground(sheet: Sheet, cx: float, cy: float, unit: float, scale: float) -> Node:
    """What circles and stacks lie on."""
    t = sheet.theme
    half = unit * 1.5 + 26 * scale
    left, top = cx - half, cy - half - 8 * scale
    frame = {
        "x": max(4, left),
        "y": top,
        "width": min(2 * half, 2 * cx - 8),
        "height": 2 * half + 15 * scale,
        "rx": 18,
        "fill": t.board,
        "stroke": t.line,
    }
    ring = {"cx": cx, "cy": cy, "fill": "none", "stroke": t.line, "stroke-opacity": 0.5}
    rings = [el("circle", {**ring, "r": unit * r}) for r in (0.72, 1.42, 1.62)]
    return [el("rect", frame), *rings]


def _place(stack: int) -> tuple[float, float]:
    """Where a stack is, in units from the middle."""
    row, i = divmod(stack, 7)
    if i < 3:
        return i - 1.0, row - 1.5
    return i - 3 - 1.5, row - 1.0


@kept(lambda *_: None)
def _circle(sheet: Sheet, circle: int, is_free: bool, x: float, y: float, r: float) -> Node:
    t = sheet.theme
    name = CIRCLES[circle]
    title = say("circle {circle}", circle=name) + (", " + say("free") if is_free else "")
    size = 13 if sheet.tall else 15
    shown = [
        el(
            "circle",
            {"cx": x, "cy": y, "r": r, "fill": t.deep, "stroke": t.line, "stroke-width": 1.5},
        ),
        el(
            "circle",
            {
                "cx": x,
                "cy": y,
                "r": r * 0.8,
                "fill": "none",
                "stroke": t.line,
                "stroke-opacity": 0.6,
                "stroke-dasharray": "2 4",
            },
        ),
    ]
    if is_free:
        shown.append(text(x, y + size / 3, name, size, t.soft, "middle"))
    return thing(f"circle-{name}", title, *shown)


@kept(lambda sheet, i, *_: sheet.s.stack[i])
def _stack_at(sheet: Sheet, i: int, x: float, y: float, scale: float) -> Node:
    s, t = sheet.s, sheet.theme
    pile = s.stack[i]
    up = height(pile)
    base = y + (up - 1) * STEP * scale / 2 - 3 * scale
    if not up:
        rim = {
            "cx": x,
            "cy": y,
            "rx": 14 * scale,
            "ry": 10 * scale,
            "fill": t.deep,
            "stroke": t.line,
            "stroke-dasharray": "2 3",
        }
        return thing(f"stack-{i + 1}", say("stack {n}, empty", n=i + 1), el("ellipse", rim))
    title = say("stack {n}: {stones}", n=i + 1, stones=_pile_words(pile))
    return group(
        {"transform": moved(x, base, scale)},
        [thing(f"stack-{i + 1}", title, *_stack(pile, f"s{i + 1}", STEP))],
    )


def _pile_words(pile: int) -> str:
    """The stones of a pile from the top."""
    return _pile_in(pile, spoken())


@lru_cache(maxsize=1 << 12)
def _pile_in(pile: int, _: str) -> str:
    names = colour_names()
    patterns = (say("pattern hidden"), say("ring"), say("star"), say("pattern hidden"))
    stones = [
        say("{colour} ({pattern})", colour=names[stone & 3], pattern=patterns[stone >> 2])
        for stone in reversed(stones_in(pile))
    ]
    return say("from the top {stones}", stones=", ".join(stones)) if len(stones) > 1 else stones[0]


@kept(lambda *_: None)
def _artist_at(sheet: Sheet, circle: int, artist: int, x: float, y: float, scale: float) -> Node:
    pattern = "os"[artist - 1]
    title = (
        say("ring artist on {circle}", circle=CIRCLES[circle])
        if artist == 1
        else say("star artist on {circle}", circle=CIRCLES[circle])
    )
    where = moved(x, y + 8 * scale, scale)
    return group(
        {"transform": where},
        [piece(f"artist-{CIRCLES[circle]}", "artist-" + pattern, "artist-" + pattern, 0, 0, title)],
    )


# Boards of the seats


def _small_board(sheet: Sheet, seat: int, x: float, y: float, wide: float) -> Node:
    """Another seat: its points and towers."""
    column = wide / COLUMNS
    scale = min((column - 2) / 44, 0.72 if sheet.tall else 0.9)
    high = 62 if sheet.tall else 84
    shown = [parts.name(sheet, seat, x, y + 15), _score(sheet, seat, x + wide - 2, y + 15, "end")]
    for i in range(COLUMNS):
        shown.append(_small_column(sheet, seat, i, x + i * column, y + 24, column, high, scale))
    return group(None, shown)


def _column_of(sheet: Sheet, seat: int, i: int, *_: Any) -> tuple[Any, ...]:
    """What a column shows."""
    return sheet.s.tower[seat][i], sheet.names[seat]


@kept(_column_of)
def _small_column(
    sheet: Sheet, seat: int, i: int, x: float, y: float, wide: float, high: float, scale: float
) -> Node:
    t = sheet.theme
    rect = {
        "x": x + 1,
        "y": y,
        "width": wide - 2,
        "height": high,
        "rx": 6,
        "fill": t.board,
        "stroke": t.line,
    }
    stones = group(
        {"transform": moved(x + wide / 2, y + high - 22 * scale, scale)},
        _stack(sheet.s.tower[seat][i], f"t{seat}-{i + 1}", 11.5),
    )
    title = _column_title(sheet, seat, i)
    return thing(f"column{seat}-{i + 1}", title, el("rect", rect), stones)


def _points_of(sheet: Sheet, seat: int, *_: Any) -> tuple[Any, ...]:
    """What a seat's points show."""
    s = sheet.s
    known = (s.points[seat], tuple(s.objective[seat])) if s.over else None
    return sheet.points[seat], sheet.names[seat], known


@kept(_points_of)
def _score(sheet: Sheet, seat: int, x: float, y: float, anchor: str) -> Node:
    """A seat's points; at the end with those of its objective."""
    s, t, who = sheet.s, sheet.theme, sheet.names[seat]
    points = sheet.points[seat]
    title = say_n("{who}: {n} point", "{who}: {n} points", points, who=who)
    if s.over:
        names = objective_names()
        cards = [names[card - 1] for card in s.objective[seat]]
        title += "; " + say(
            "{n} of them for one of: {objectives}",
            n=points - s.points[seat],
            objectives=listed(cards),
        )
    label = text(x, y, str(points), 20, t.ink, anchor, bold=True, font_family=SERIF)
    return thing(f"score{seat}", title, label)


def _column_title(sheet: Sheet, seat: int, i: int) -> str:
    tower = sheet.s.tower[seat][i]
    stones = _pile_words(tower) if tower else say("empty")
    return say(
        "column {n} of {who}: {stones}; {rule}",
        n=i + 1,
        who=sheet.names[seat],
        stones=stones,
        rule=_rule(i),
    )


def _rule(i: int) -> str:
    """How a column scores."""
    if i == 0:
        return say("scores 1 for each different height on this board, 0 too")
    if i == COLUMNS - 1:
        return say("scores the colours in the tower, plus 1")
    by = [BY_HEIGHT[i] >> 4 * up & 15 for up in range(1, 5)]
    return say("scores {a}, {b}, {c} or {d} for heights 1 to 4", a=by[0], b=by[1], c=by[2], d=by[3])


def _own_board(sheet: Sheet, x: float, y: float, wide: float) -> list[Node]:
    """The near seat's columns, large, each with its scoring rule as a ladder."""
    seat = sheet.near
    column = wide / COLUMNS
    shown = [parts.name(sheet, seat, x, y + 15), _score(sheet, seat, x + wide - 4, y + 17, "end")]
    for i in range(COLUMNS):
        shown.append(_own_column(sheet, seat, i, x + i * column, y + 24, column))
    return shown


def _own_column_of(sheet: Sheet, seat: int, i: int, *_: Any) -> tuple[Any, ...]:
    by_rule = i in (0, COLUMNS - 1) and sheet.s.tower[seat][i]
    now = colour_points(sheet.s, seat, 1 << i) if by_rule else 0
    return (*_column_of(sheet, seat, i), now)


@kept(_own_column_of)
def _own_column(sheet: Sheet, seat: int, i: int, x: float, y: float, wide: float) -> Node:
    t = sheet.theme
    high = 138 if sheet.tall else 140
    scale = min((wide - 4) / 44, 1.25) if not sheet.tall else (wide - 3) / 44
    rect = {
        "x": x + 1,
        "y": y,
        "width": wide - 2,
        "height": high,
        "rx": 8,
        "fill": t.board,
        "stroke": t.line,
    }
    base = y + high - (44 * scale if sheet.tall else 54)
    stones = _stack(sheet.s.tower[seat][i], f"t{seat}-{i + 1}", 15.5)
    return thing(
        f"column{seat}-{i + 1}",
        _column_title(sheet, seat, i),
        el("rect", rect),
        *_worth(sheet, seat, i, x, y + high - 6, wide),
        group({"transform": moved(x + wide / 2, base, scale)}, stones),
    )


def _worth(sheet: Sheet, seat: int, i: int, left: float, y: float, column: float) -> list[Node]:
    """What the column scores: by heights 1 to 4, the present one in bold; or by its own rule."""
    s, t = sheet.s, sheet.theme
    tower = s.tower[seat][i]
    up = height(tower)
    size = 12.5 if sheet.tall else 14
    if i in (0, COLUMNS - 1):
        now = colour_points(s, seat, 1 << i) if up else 0
        sign = "M-9 0v-4h3v4zM-4.5 0v-8h3v8zM0 0v-12h3v12z" if i == 0 else DOTS
        icon = {"d": sign, "fill": t.soft, "transform": moved(left + column / 2 - 4, y)}
        number = "+1" if i and not now else str(now or "")
        label = text(
            left + column / 2 + 5, y, number, size, t.accent if now else t.soft, bold=bool(now)
        )
        return [el("path", icon), label]
    by = [BY_HEIGHT[i] >> 4 * k & 15 for k in range(1, 5)]
    gap = column / 4.6
    first = left + column / 2 - 1.5 * gap
    return [
        text(
            first + k * gap,
            y,
            str(n),
            size,
            t.accent if k + 1 == up else t.soft,
            "middle",
            bold=k + 1 == up,
        )
        for k, n in enumerate(by)
    ]


def _objectives(sheet: Sheet, seat: int, x: float, y: float) -> list[Node]:
    """The seat's two secret objectives, a tick where one is met."""
    s, t = sheet.s, sheet.theme
    cards = [card - 1 for card in s.objective[seat] if card]
    size = 13 if sheet.tall else 14.5
    if not cards:
        return [
            thing(
                f"objectives{seat}",
                say("objectives hidden"),
                text(x, y, say("objectives hidden"), size, t.soft),
            )
        ]
    return [
        _objective(sheet, seat, k, card, bool(is_met(s, seat, card)), x, y)
        for k, card in enumerate(cards)
    ]


@kept(lambda sheet, _, __, card, *___: sheet.s.worth[card])
def _objective(sheet: Sheet, seat: int, k: int, card: int, met: bool, x: float, y: float) -> Node:
    t, points, what = sheet.theme, sheet.s.worth[card], objective_names()[card]
    label = say_n("{what}: {n} point", "{what}: {n} points", points, what=what)
    title = label + ", " + (say("met") if met else say("not met"))
    line = y + k * (18 if sheet.tall else 20)
    size = 13 if sheet.tall else 14.5
    tick = {
        "d": "M2-4l3 4 6-9" if met else "M3-7h6v6h-6z",
        "fill": "none",
        "stroke": t.accent if met else t.soft,
        "stroke-width": 1.8,
        "transform": moved(x, line),
    }
    said = text(x + 18, line, label, size, t.ink if met else t.soft)
    return thing(f"objective{seat}-{k + 1}", title, el("path", tick), said)


def _buttons(sheet: Sheet, x: float, y: float, wide: float) -> list[Node]:
    """To score a colour, or tops: where that is possible now."""
    s, seat = sheet.s, sheet.seat
    if seat == SPECTATOR or not sheet.moves_now(seat) or not columns_in_use(s, seat):
        return []
    shown, names, at = [], colour_names(), x
    room = (wide - 12) / 3
    for c, colour in enumerate(COLOURS):
        columns = columns_topped(s, seat, c)
        if columns & (columns - 1):
            points = colour_points(s, seat, columns)
            title = say_n(
                "score {colour}: {n} point", "score {colour}: {n} points", points, colour=names[c]
            )
            shown.append(_colour_button(sheet, colour, f"+{points}", title, at, y, room))
            at += room + 6
    label = say("tops") + " ✓"
    title = say("score one point for each tower chosen: choose towers, then this")
    shown.append(parts.button(sheet, "confirm-tops", label, title, at, y, room))
    return shown


@kept(lambda *_: None)
def _colour_button(
    sheet: Sheet, colour: str, label: str, title: str, x: float, y: float, wide: float
) -> Node:
    shade = STONES[colour]
    high = 30 if sheet.tall else 32
    rect = {
        "x": x,
        "y": y,
        "width": wide,
        "height": high,
        "rx": high / 2,
        "fill": shade,
        "stroke": sheet.theme.line,
    }
    stone = group(
        {"transform": moved(x + 20, y + high / 2 - 2, 0.55)},
        [el("use", {"href": f"#stone-{colour}h"})],
    )
    return thing(
        f"score-{colour}",
        title,
        el("rect", rect),
        stone,
        text(x + wide / 2 + 8, y + high / 2 + 5, label, 15, ink_on(shade), "middle", bold=True),
    )


# The mandala


def spaces(s: Any) -> list[tuple[float, float]]:
    """Where the mandala's spaces are, in steps between rings from the centre, clockwise from the
    top and outwards."""
    places = []
    first = 0.0 if s.rings[0] == 1 else 0.6
    for ring, n in enumerate(n for n in s.rings if n):
        r = ring + first
        places += [(r * sin(2 * pi * i / n), -r * cos(2 * pi * i / n)) for i in range(n)]
    return places


def _mandala_of(sheet: Sheet, *_: Any) -> tuple[Any, ...]:
    s = sheet.s
    rings, gifts = tuple(s.rings), tuple(s.plus)
    return rings, gifts, s.hands[s.seats - 2], s.laid_n, tuple(s.laid), bool(is_last_round(s))


@kept(_mandala_of)
def _mandala(sheet: Sheet, cx: float, cy: float, radius: float) -> Node:
    """Stones laid from the centre outwards; free spaces with their gifts; the one that brings the
    last round."""
    s, t = sheet.s, sheet.theme
    places = spaces(s)
    rings = sum(n > 0 for n in s.rings)
    step = radius / (rings - 0.5)
    scale = step * 0.47 / 20
    shown: list[Node] = [
        el("circle", {"cx": cx, "cy": cy, "r": radius + 5, "fill": t.board, "stroke": t.line}),
        *(
            el(
                "circle",
                {
                    "cx": cx,
                    "cy": cy,
                    "r": k * step,
                    "fill": "none",
                    "stroke": t.line,
                    "stroke-opacity": 0.4,
                },
            )
            for k in range(1, rings)
        ),
    ]
    end = s.hands[s.seats - 2]
    inside: list[Node] = []
    for i, (x, y) in enumerate(places):
        at = (x * step / scale, y * step / scale)
        if i < s.laid_n:
            inside.append(_laid(sheet, i, s.laid[i], *at))
        else:
            inside.append(_space(sheet, s.plus[i], i + 1 == end, *at, scale))
    laid = min(s.laid_n, len(places))
    title = say("mandala: {n} of {spaces}", n=laid, spaces=len(places))
    if s.laid_n > len(places):
        title += say(", {n} set aside", n=s.laid_n - len(places))
    title += "; " + (
        say("last round") if is_last_round(s) else say("last round after space {n}", n=end)
    )
    shown.append(group({"transform": moved(cx, cy, scale)}, inside))
    label_y = cy + radius + (20 if sheet.tall else 24)
    shown.append(
        text(
            cx,
            label_y,
            f"{laid}/{end}",
            13 if sheet.tall else 15,
            t.accent if is_last_round(s) else t.soft,
            "middle",
        )
    )
    return thing("mandala", title, *shown)


@kept(lambda *_: None)
def _laid(_: Sheet, i: int, stone: int, x: float, y: float) -> Node:
    symbol = "stone-t" + COLOURS[stone & 3] + "?os"[stone >> 2]
    return piece(f"l{i + 1}", STONE_LETTERS[stone], symbol, x, y)


@kept(lambda *_: None)
def _space(sheet: Sheet, gift: int, is_end: bool, x: float, y: float, scale: float) -> Node:
    t = sheet.theme
    shown: list[Node] = []
    if is_end:
        rim = {"cx": x, "cy": y, "r": 15, "fill": "none", "stroke": t.accent, "stroke-width": 4}
        shown.append(el("circle", rim))
        shown.append(el("circle", {"cx": x, "cy": y, "r": 6, "fill": t.accent}))
    elif gift:
        shown.append(el("circle", {"cx": x, "cy": y, "r": 17, "fill": t.glow, "stroke": t.line}))
    else:
        shown.append(el("circle", {"cx": x, "cy": y, "r": 4, "fill": t.line, "fill-opacity": 0.6}))
    if gift:
        size = 12.5 if sheet.tall else 13
        at = (x, y + size * 0.36 / scale)
        shown.append(text(*at, f"+{gift}", size / scale, t.ink, "middle", bold=True))
    return shown


def thumb(sheet: Sheet) -> Drawn:
    """The mandala so far."""
    s, t = sheet.s, sheet.theme
    places = spaces(s)
    rings = sum(n > 0 for n in s.rings)
    step = 46 / (rings - 0.5)
    shown: list[Node] = [
        el("circle", {"cx": 100, "cy": 50, "r": 49, "fill": t.board, "stroke": t.line})
    ]
    for i, (x, y) in enumerate(places):
        stone = s.laid[i] if i < s.laid_n else 0
        fill = STONES[COLOURS[stone & 3]] if stone else t.line
        shown.append(
            el(
                "circle",
                {
                    "cx": 100 + x * step,
                    "cy": 50 + y * step,
                    "r": step * 0.45 if stone else 1.2,
                    "fill": fill,
                },
            )
        )
    return Drawn(200, 100, Written(""), shown)


# Clicks ----------------------------------------------------------------------------------------


def clicks(s: Any, seat: int, moves: Sequence[tuple[int, str]]) -> list[tuple[str, Path]]:
    """Pick: the artist, the circle, the stack whose stone comes first (if several give one), the
    column. A colour: its button. Tops: columns in any order, then the button."""
    made: list[tuple[str, Path]] = []
    given = {circle: given_stacks(s, circle) for circle in range(9) if artist_on(s, circle)}
    for move, name in moves:
        if move >= TOPS_MOVE:
            columns = [
                f"column{seat}-{i + 1}" for i in range(COLUMNS) if move - TOPS_MOVE + 1 >> i & 1
            ]
            made += [(name, [*order, "confirm-tops"]) for order in permutations(columns)]
        elif move >= SCORE_MOVE:
            made.append((name, [f"score-{COLOURS[move - SCORE_MOVE]}"]))
        else:
            pair, side, column = move // PLACES, move // COLUMNS % 4, move % COLUMNS
            circle = pair // 8
            to = circle_after(circle, pair % 8)
            stacks = [north_of(to) + n for n in AROUND]
            path = [f"artist-{CIRCLES[circle]}", f"circle-{CIRCLES[to]}"]
            if sum(given[circle] >> stack & 1 for stack in stacks) > 1:
                path.append(f"stack-{stacks[side] + 1}")
            made.append((name, [*path, f"column{seat}-{column + 1}"]))
    return made


def asked(s: Any, seat: int, ids: Sequence[str]) -> str | None:
    if not ids:
        return None
    if ids[0].startswith("artist-"):
        return _pick_asked(s, seat, ids)
    if ids[0].startswith("score-"):
        return "score " + ids[0][6:]
    columns = sorted({key[-1] for key in ids if key.startswith(f"column{seat}-")})
    return "tops " + "".join(columns) if columns else None


def _pick_asked(s: Any, seat: int, ids: Sequence[str]) -> str | None:
    circles = [key[7:] for key in ids[1:] if key.startswith("circle-")]
    circles += [key[7:] for key in ids[1:] if key.startswith("artist-")]
    start = ids[0][7:]
    if columns_in_use(s, seat) == ALL_COLUMNS:
        circles = circles or [name for i, name in enumerate(CIRCLES) if not artist_on(s, i)]
    if not circles or circles[0] == start:
        return None
    to = CIRCLES.index(circles[0])
    stacks = [north_of(to) + n + 1 for n in AROUND]
    stack = next((int(key[6:]) for key in ids if key.startswith("stack-")), stacks[0])
    side = SIDE_NAMES[stacks.index(stack)] if stack in stacks else "N"
    empty = [i + 1 for i in range(COLUMNS) if not s.tower[seat][i]] or [1]
    column = next((key[-1] for key in ids if key.startswith(f"column{seat}-")), empty[0])
    return f"{start}-{circles[0]} {side} {column}"


# Words -----------------------------------------------------------------------------------------


def prompt(_: Any, __: int, moves: Sequence[str]) -> str:
    scores = any(move.startswith(("score", "tops")) for move in moves)
    if all(move.startswith(("score", "tops")) for move in moves):
        return say("Score a colour that lies on two towers or more, or the tops of any towers.")
    if scores:
        return say("Move an artist, who takes stones of its pattern around it; or score towers.")
    return say("Move an artist: it takes the stones of its pattern around its new circle.")


def words(s: Any, seat: int) -> str:
    said = [parts.whose_turn(s, seat, 1 << s.turn)]
    on = [
        say(
            "{pattern} artist on {circle}",
            pattern=(say("ring"), say("star"))[artist_on(s, i) - 1],
            circle=CIRCLES[i],
        )
        for i in range(9)
        if artist_on(s, i)
    ]
    said.append(say("Artists: {artists}.", artists=listed(on)))
    for other in range(s.seats):
        towers = [
            say("column {n} {stones}", n=i + 1, stones=_pile_words(s.tower[other][i]))
            for i in range(COLUMNS)
            if s.tower[other][i]
        ]
        who = say("You") if other == seat else say("seat {seat}", seat=other)
        said.append(
            say_n(
                "{who}: {n} point; towers: {towers}.",
                "{who}: {n} points; towers: {towers}.",
                s.points[other],
                who=who,
                towers="; ".join(towers) or say("none"),
            )
        )
    if seat != SPECTATOR:
        names = objective_names()
        said.append(
            say(
                "Your objectives: {objectives}.",
                objectives=listed([names[card - 1] for card in s.objective[seat] if card]),
            )
        )
    said.append(
        say("mandala: {n} of {spaces}", n=min(s.laid_n, spaces_in(s)), spaces=spaces_in(s)) + "."
    )
    return " ".join(said)
