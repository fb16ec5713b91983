"""The picture of pyramids: a spiral of 75 lying pyramids that all point to the eye.

A pyramid tells its size by its length and by one, two or three pips, its colour also by the pips'
shape: red round, yellow square, blue diamond, green triangle, black bar. What a seat holds stands
on its board in stacks, one for each of the fifteen groups; a group that is scored is faded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, degrees, hypot, pi, sin
from typing import Any

from mandalier.draw import parts
from mandalier.draw.sheet import Drawn, Path, Sheet, kept
from mandalier.draw.style import PYRAMIDS, SEATS, SERIF, Theme, ink_on, mixed, text
from mandalier.draw.svg import Node, Written, el, group, moved, piece, thing, write
from mandalier.games.contract import SPECTATOR
from mandalier.games.pyramids import (
    ALL_OFF,
    COLOURS,
    GROUPS,
    OF_A_GROUP,
    PLACES,
    SIZES,
    colour_names,
    complete,
    counts_of,
    eye_of,
    stack_of,
)
from mandalier.games.words import listed, say, say_n

LENGTH, WIDTH = (17, 23, 30), (11, 15, 19)  # of a lying pyramid, by size
INNER, OUTER = 0.335, 0.93  # radius of the last and the first place, of that of the board
TURNS = 3.32
START = 0.62 * pi  # where the first place is, clockwise from the top, and a half turn


@lru_cache
def places() -> list[tuple[float, float, float]]:
    """Where the places lie on a board of radius 1, and how far a pyramid there is turned to point
    at the centre. Along an even spiral, so many steps of equal length."""

    def at(turned: float) -> tuple[float, float]:
        r = OUTER + (INNER - OUTER) * turned / TURNS
        angle = START + 2 * pi * turned
        return r * sin(angle), -r * cos(angle)

    fine = [at(TURNS * i / 3000) for i in range(3001)]
    lengths = [0.0]
    for (x0, y0), (x1, y1) in pairwise(fine):
        lengths.append(lengths[-1] + hypot(x1 - x0, y1 - y0))
    made, i = [], 0
    for place in range(PLACES):
        while lengths[i] < lengths[-1] * place / (PLACES - 1) - 1e-9:
            i += 1
        x, y = fine[i]
        made.append((x, y, degrees(atan2(-x, y))))
    return made


PIPS = {
    "r": "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    "y": "M-1.8-1.8h3.6v3.6h-3.6z",
    "b": "M0-2.6 2.2 0 0 2.6-2.2 0z",
    "g": "M0-2.4 2.4 1.8h-4.8z",
    "k": "M-.9-2.6h1.8v5.2h-1.8z",
}


@lru_cache
def _defined(theme: Theme) -> Written:
    made: list[Node] = [
        el(
            "radialGradient",
            {"id": "pyr-eye"},
            el("stop", {"offset": "0", "stop-color": theme.glow}),
            el("stop", {"offset": "0.6", "stop-color": theme.glow, "stop-opacity": 0.55}),
            el("stop", {"offset": "1", "stop-color": theme.glow, "stop-opacity": 0}),
        )
    ]
    for colour, shade in PYRAMIDS.items():
        for size in range(1, SIZES + 1):
            made.append(_lying(colour, shade, size, theme))
            made.append(_standing(colour, shade, size))
    return write(el("defs", None, *made))


def _pips(colour: str, size: int, y: float, gap: float) -> Node:
    ink = ink_on(PYRAMIDS[colour])
    at = [gap * (i - (size - 1) / 2) for i in range(size)]
    return group(
        {"fill": ink, "fill-opacity": 0.92},
        [el("path", {"d": PIPS[colour], "transform": moved(x, y)}) for x in at],
    )


def _lying(colour: str, shade: str, size: int, theme: Theme) -> Node:
    """Seen from above, its tip up: two sides, and the rim of its base."""
    half, long = WIDTH[size - 1] / 2, LENGTH[size - 1]
    tip, base = -long / 2, long / 2
    left = {"d": f"M0 {tip:g}L{-half:g} {base:g}H0z", "fill": mixed(shade, "#ffffff", 0.2)}
    right = {"d": f"M0 {tip:g}L{half:g} {base:g}H0z", "fill": mixed(shade, "#000000", 0.16)}
    rim = {
        "d": f"M{-half:g} {base:g}H{half:g}L{half - 1.5:g} {base + 2.5:g}H{1.5 - half:g}z",
        "fill": mixed(shade, "#000000", 0.45),
    }
    edge = {
        "d": f"M0 {tip:g}L{-half:g} {base:g}H{half:g}z",
        "fill": "none",
        "stroke": mixed(shade, "#ffffff", 0.55),
        "stroke-width": 0.6,
        "stroke-linejoin": "round",
    }
    return group(
        {"id": f"pyr-{colour}{size}"},
        [
            el("path", rim),
            el("path", left),
            el("path", right),
            el("path", edge),
            _pips(colour, size, base - 3.6, 4.7),
        ],
    )


def _standing(colour: str, shade: str, size: int) -> Node:
    """Seen from the side, its tip at the origin, to be set one on the other."""
    half, high = (6.5, 8.0, 9.5)[size - 1], (13, 17, 21)[size - 1]
    left = {"d": f"M0 0L{-half:g} {high - 2}L-1.5 {high}z", "fill": mixed(shade, "#ffffff", 0.22)}
    right = {"d": f"M0 0L{half:g} {high - 2}L-1.5 {high}z", "fill": mixed(shade, "#000000", 0.1)}
    edge = {
        "d": f"M0 0L{-half:g} {high - 2}L-1.5 {high}L{half:g} {high - 2}z",
        "fill": "none",
        "stroke": mixed(shade, "#ffffff", 0.6),
        "stroke-width": 0.7,
        "stroke-linejoin": "round",
    }
    pips = _pips(colour, size, high - 4.2, 4.3)
    return group(
        {"id": f"pyr-up-{colour}{size}"},
        [el("path", left), el("path", right), el("path", edge), pips],
    )


# The picture -----------------------------------------------------------------------------------


def draw(sheet: Sheet) -> Drawn:
    t, s = sheet.theme, sheet.s
    seats = [*sheet.around[1:], sheet.near]  # the near seat at the bottom
    if sheet.tall:
        shown = [_spiral(sheet, 200, 200, 192, 1.0)]
        shown += _groups_left(sheet, 10, 402, 25.4)
        for i, seat in enumerate(seats):
            shown.append(_held(sheet, seat, 10, 448 + i * 67, 25.4))
        return Drawn(400, 450 + 67 * s.seats, _defined(t), shown)
    shown = [_spiral(sheet, 310, 310, 300, 1.6)]
    shown += _groups_left(sheet, 636, 30, 25.6)
    row = 104
    for i, seat in enumerate(seats):
        shown.append(_held(sheet, seat, 636, 96 + i * row, 25.6))
    return Drawn(1040, 620, _defined(t), shown)


ROW = 5  # so many places are told, and sent, together


def _spiral(sheet: Sheet, cx: float, cy: float, radius: float, scale: float) -> Node:
    s = sheet.s
    shown = [_ground(sheet, cx, cy, radius), _eye(sheet, cx, cy, radius * 0.235)]
    shown += [_row(sheet, first, cx, cy, radius, scale) for first in range(0, PLACES, ROW)]
    waiting_there = 0
    for seat in range(s.seats):
        if s.pawn[seat]:
            x, y, _ = places()[s.pawn[seat] - 1]
            shown.append(_pawn(sheet, seat, cx + x * radius, cy + y * radius, scale))
        else:
            first = (
                cx - radius * 0.98 + 10 * scale + waiting_there % 3 * 22 * scale,
                cy + radius * 0.97 - waiting_there // 3 * 26 * scale,
            )
            shown.append(_pawn(sheet, seat, *first, scale))
            waiting_there += 1
    return group(None, shown)


@kept(lambda *_: None)
def _ground(sheet: Sheet, cx: float, cy: float, radius: float) -> Node:
    """What the path lies on, and the path as a faint ribbon."""
    t = sheet.theme
    rim = {
        "cx": cx,
        "cy": cy,
        "r": radius * 0.985,
        "fill": "none",
        "stroke": t.line,
        "stroke-opacity": 0.5,
        "stroke-dasharray": "1 6",
    }
    table = {"cx": cx, "cy": cy, "r": radius, "fill": t.board, "stroke": t.line}
    return [el("circle", table), el("circle", rim), _track(sheet, cx, cy, radius)]


@kept(lambda sheet, first, *_: tuple(sheet.s.path[first : first + ROW]))
def _row(sheet: Sheet, first: int, cx: float, cy: float, radius: float, scale: float) -> Node:
    """Some places of the path, one after the other."""
    return [
        _place(sheet, i, sheet.s.path[i], cx, cy, radius, scale)
        for i in range(first, min(first + ROW, PLACES))
    ]


@kept(lambda *_: None)
def _place(
    sheet: Sheet, i: int, here: int, cx: float, cy: float, radius: float, scale: float
) -> Node:
    x, y, turned = places()[i]
    left, top = cx + x * radius, cy + y * radius
    if not here:
        place = {"cx": left, "cy": top, "r": 2.2 * scale}
        dot = {**place, "fill": sheet.theme.line, "fill-opacity": 0.7}
        return thing(f"place-{i + 1}", say("place {place}, empty", place=i + 1), el("circle", dot))
    name = GROUPS[here - 1]
    title = say(
        "place {place}: {colour} {size}",
        place=i + 1,
        colour=colour_names()[(here - 1) // SIZES],
        size=name[1],
    )
    lies = piece(f"p{i + 1}", name, "pyr-" + name, 0, 0, title)
    return group({"transform": moved(left, top, scale, turned)}, [lies])


def _track(sheet: Sheet, cx: float, cy: float, radius: float) -> Node:
    """The path as a faint ribbon."""
    t = sheet.theme
    (x, y, _), *rest = places()
    line = f"M{cx + x * radius:.0f} {cy + y * radius:.0f}"
    for x, y, _ in rest:
        r = hypot(x, y) * radius
        line += f"A{r:.0f} {r:.0f} 0 0 1 {cx + x * radius:.1f} {cy + y * radius:.1f}"
    shade = t.deep if t.name == "light" else mixed(t.board, t.line, 0.2)
    ribbon = {
        "d": line,
        "fill": "none",
        "stroke": shade,
        "stroke-width": radius * 0.152,
        "stroke-linecap": "round",
    }
    return el("path", ribbon)


@kept(lambda sheet, *_: eye_of(sheet.s))
def _eye(sheet: Sheet, cx: float, cy: float, r: float) -> Node:
    """What has fallen into the eye."""
    s, t = sheet.s, sheet.theme
    fallen = counts_of(eye_of(s))
    n = sum(fallen.values())
    listed_ones = ", ".join(f"{count} {name}" for name, count in fallen.items())
    title = say_n("the eye: {n} pyramid", "the eye: {n} pyramids", n) + (
        f" ({listed_ones})" if n else ""
    )
    almond = f"M{-r:.0f} 0Q0 {-r * 1.05:.0f} {r:.0f} 0Q0 {r * 1.05:.0f} {-r:.0f} 0Z"
    iris = "#2c8f9b"
    shown = [
        el("circle", {"r": r * 1.25, "fill": "url(#pyr-eye)"}),
        el("path", {"d": almond, "fill": "#fffaf0", "stroke": t.ink, "stroke-width": 2}),
        el(
            "circle",
            {"r": r * 0.44, "fill": iris, "stroke": mixed(iris, "#000000", 0.4), "stroke-width": 2},
        ),
        el("circle", {"r": r * 0.34, "fill": "#0d1a1f"}),
        text(
            0,
            5.5 if sheet.tall else 7,
            str(n),
            16 if sheet.tall else 22,
            "#fffaf0",
            "middle",
            bold=True,
        ),
    ]
    return group({"transform": moved(cx, cy)}, [thing("eye", title, *shown)])


@kept(lambda sheet, seat, *_: (sheet.s.pawn[seat], sheet.names[seat], sheet.moves_now(seat)))
def _pawn(sheet: Sheet, seat: int, x: float, y: float, scale: float) -> Node:
    s, t = sheet.s, sheet.theme
    shade = SEATS[seat]
    ink = ink_on(shade)
    at = s.pawn[seat]
    title = (
        say("pawn of {who} at place {place}", who=sheet.names[seat], place=at)
        if at
        else say("pawn of {who} before the path", who=sheet.names[seat])
    )
    rim = t.accent if sheet.moves_now(seat) else "#fffaf0"
    body = "M-9 9C-8 3-5 0-4.5-5A7 7 0 1 1 4.5-5C5 0 8 3 9 9Q0 13-9 9Z"
    shown = [
        el(
            "ellipse", {"cx": 1.5, "cy": 10, "rx": 11, "ry": 4, "fill": "#000", "fill-opacity": 0.3}
        ),
        el("path", {"d": body, "fill": shade, "stroke": rim, "stroke-width": 1.6}),
        text(0, -5.5, str(seat), 12.5, ink, "middle", bold=True),
    ]
    return group({"transform": moved(x, y, scale)}, [thing(f"pawn-{seat}", title, *shown)])


def _groups_left(sheet: Sheet, x: float, y: float, step: float) -> list[Node]:
    """How many of each group lie on the path yet; a scored group has a tick."""
    scored, left = complete(sheet.s.off), ALL_OFF - sheet.s.off
    return [
        _groups_of(
            sheet,
            first,
            tuple([stack_of(left, first + i) for i in range(SIZES)]),
            tuple([bool(stack_of(scored, first + i)) for i in range(SIZES)]),
            x,
            y,
            step,
        )
        for first in range(0, len(GROUPS), SIZES)
    ]


@kept(lambda *_: None)
def _groups_of(
    sheet: Sheet,
    first: int,
    left: tuple[int, ...],
    scored: tuple[bool, ...],
    x: float,
    y: float,
    step: float,
) -> Node:
    """The groups of a colour: how many lie on the path, and whether they have been scored."""
    return [
        _group_left(sheet, first + i, n, done, x, y, step)
        for i, (n, done) in enumerate(zip(left, scored, strict=True))
    ]


@kept(lambda *_: None)
def _group_left(sheet: Sheet, g: int, n: int, done: bool, x: float, y: float, step: float) -> Node:
    t, name = sheet.theme, GROUPS[g]
    middle = x + g * step + step / 2
    what = say("{colour} {size}", colour=colour_names()[g // SIZES], size=name[1])
    title = (
        say("{group}: scored", group=what)
        if done
        else say("{group}: {n} on the path", group=what, n=n)
    )
    up = group(
        {"transform": moved(middle, y), "opacity": "0.35" if done else None},
        [el("use", {"href": f"#pyr-up-{name}"})],
    )
    count = "✓" if done else str(n)
    label = text(middle, y + 36, count, 13, t.soft if done else t.ink, "middle")
    return thing(f"group-{name}", title, up, label)


def _held(sheet: Sheet, seat: int, x: float, y: float, step: float) -> Node:
    """A seat's stacks, group by group, with its points."""
    wide = step * len(GROUPS)
    shown = [
        parts.name(sheet, seat, x, y + 13),
        _standing_of(sheet, seat, x + wide, y),
        _stacks(sheet, seat, x, y, step),
    ]
    return group(None, shown)


@kept(lambda sheet, seat, *_: (sheet.s.points[seat], sheet.s.pawn[seat], sheet.names[seat]))
def _standing_of(sheet: Sheet, seat: int, right: float, y: float) -> Node:
    """A seat's points, and where its pawn stands."""
    s, t = sheet.s, sheet.theme
    points = s.points[seat]
    score = say_n("{who}: {n} point", "{who}: {n} points", points, who=sheet.names[seat])
    at = say("place {place}", place=s.pawn[seat]) if s.pawn[seat] else ""
    small = 13 if sheet.tall else 14
    number = text(right - 4, y + 14, str(points), 19, t.ink, "end", bold=True, font_family=SERIF)
    return [
        text(right - 40, y + 13, at, small, t.soft, "end"),
        thing(f"score{seat}", score, number),
    ]


@kept(
    lambda sheet, seat, *_: (
        sheet.s.held[seat],
        complete(sheet.s.off),
        sheet.names[seat],
        sheet.moves_now(seat),
    )
)
def _stacks(sheet: Sheet, seat: int, x: float, y: float, step: float) -> Node:
    s, t = sheet.s, sheet.theme
    high = 42 if sheet.tall else 68
    rect = {
        "x": x - 3,
        "y": y + 19,
        "width": step * len(GROUPS) + 6,
        "height": high,
        "rx": 8,
        "fill": t.board,
        "stroke": t.accent if sheet.moves_now(seat) else t.line,
    }
    held = counts_of(s.held[seat])
    title = say(
        "{who} holds {pyramids}",
        who=sheet.names[seat],
        pyramids=", ".join(f"{n} {name}" for name, n in held.items()) or say("nothing"),
    )
    scored = complete(s.off)
    bottom = y + 19 + high - 3
    stacks = []
    for name, n in held.items():
        g = GROUPS.index(name)
        done = bool(stack_of(scored, g))
        stacks.append(_stack(sheet, seat, name, n, done, x + g * step + step / 2, bottom))
    return thing(f"held{seat}", title, el("rect", rect), *stacks)


@kept(lambda *_: None)
def _stack(sheet: Sheet, seat: int, name: str, n: int, done: bool, x: float, y: float) -> Node:
    """The pyramids of a group that a seat holds."""
    rise, scale = (3.2, 1.12) if sheet.tall else (7.0, 1.3)
    tip = -(13, 17, 21)[int(name[1]) - 1]
    stack = [
        piece(f"h{seat}-{name}-{k + 1}", name, "pyr-up-" + name, 0, tip - k * rise)
        for k in range(n)
    ]
    if n > 1:
        top, size = tip - (n - 1) * rise + 5, 12.5 / min(scale, 1.15)
        stack.append(text(8, top, str(n), size, sheet.theme.ink, "middle", bold=True))
    where = moved(x - (n > 1) * 1.5, y, scale)
    return group({"transform": where, "opacity": "0.38" if done else None}, stack)


def thumb(sheet: Sheet) -> Drawn:
    """The spiral as dots."""
    s, t = sheet.s, sheet.theme
    shown: list[Node] = [
        el("circle", {"cx": 100, "cy": 50, "r": 49, "fill": t.board, "stroke": t.line})
    ]
    for i, (x, y, _) in enumerate(places()):
        if s.path[i]:
            group_here = s.path[i] - 1
            fill = PYRAMIDS[COLOURS[group_here // SIZES]]
            shown.append(
                el(
                    "circle",
                    {
                        "cx": 100 + 48 * x,
                        "cy": 50 + 48 * y,
                        "r": 1.8 + group_here % SIZES * 0.5,
                        "fill": fill,
                    },
                )
            )
    for seat in range(s.seats):
        if s.pawn[seat]:
            x, y, _ = places()[s.pawn[seat] - 1]
            shown.append(
                el(
                    "circle",
                    {
                        "cx": 100 + 48 * x,
                        "cy": 50 + 48 * y,
                        "r": 4,
                        "fill": SEATS[seat],
                        "stroke": t.ink,
                    },
                )
            )
    return Drawn(200, 100, Written(""), shown)


# Clicks ----------------------------------------------------------------------------------------


def clicks(s: Any, seat: int, moves: Sequence[tuple[int, str]]) -> list[tuple[str, Path]]:
    """The pyramid; or the pawn, dragged to it."""
    made: list[tuple[str, Path]] = []
    for _, name in moves:
        made += [(name, ["p" + name]), (name, [f"pawn-{seat}", "p" + name])]
    return made


def asked(s: Any, seat: int, ids: Sequence[str]) -> str | None:
    place = ids[-1].removeprefix("place-").removeprefix("p") if ids else ""
    return place if place.isdecimal() and 1 <= int(place) <= PLACES else None


# Words -----------------------------------------------------------------------------------------


def prompt(_: Any, __: int, ___: Sequence[str]) -> str:
    return say("Take any pyramid ahead of your pawn. Your pawn goes there, and never back.")


def words(s: Any, seat: int) -> str:
    said = [parts.whose_turn(s, seat, 1 << s.turn)]
    colours = colour_names()
    for other in range(s.seats):
        held = [
            say(
                "{n} {colour} {size}",
                n=n,
                colour=colours[GROUPS.index(name) // SIZES],
                size=name[1],
            )
            for name, n in counts_of(s.held[other]).items()
            if stack_of(s.off, GROUPS.index(name)) < OF_A_GROUP
        ]
        who = say("You") if other == seat else say("seat {seat}", seat=other)
        said.append(
            say_n(
                "{who}: at place {place}, {n} point, open groups: {held}.",
                "{who}: at place {place}, {n} points, open groups: {held}.",
                s.points[other],
                who=who,
                place=s.pawn[other],
                held=listed(held) or say("none"),
            )
        )
    pawn = s.pawn[seat] if seat != SPECTATOR else min(s.pawn[: s.seats])
    ahead = [i for i in range(pawn, PLACES) if s.path[i]][:5]
    next_ones = [
        say(
            "place {place}: {colour} {size}",
            place=i + 1,
            colour=colours[(s.path[i] - 1) // SIZES],
            size=GROUPS[s.path[i] - 1][1],
        )
        for i in ahead
    ]
    if next_ones:
        said.append(say("Next on the path: {pyramids}.", pyramids="; ".join(next_ones)))
    said.append(
        say_n(
            "{n} pyramid lies in the eye.",
            "{n} pyramids lie in the eye.",
            sum(counts_of(eye_of(s)).values()),
        )
    )
    return " ".join(said)
