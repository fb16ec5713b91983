"""The picture of sand: cards of coloured sand around two mandalas.

A mandala is a flower of six petals, one a colour; a petal is filled once its colour lies there, so
that everyone sees what is missing. The upper field is the other seat's, the lower one the viewer's
own. In the hand each card shows which of its colour it is: clicking the third green takes three.
The colours' second signs: r sun, o flame, y star, g leaf, p moon, k square.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from mandalier.draw import parts
from mandalier.draw.sheet import Drawn, Path, Sheet, kept
from mandalier.draw.style import SAND, SERIF, Theme, ink_on, mixed, text
from mandalier.draw.svg import Node, Written, el, group, moved, piece, placed, thing, write
from mandalier.games.contract import SPECTATOR
from mandalier.games.kernel import count_of, kinds, size
from mandalier.games.sand import (
    CLAIM_MOVE,
    COLOURS,
    DISCARD_MOVE,
    FIELD_MOVE,
    FIRST_CUP,
    HAND_LIMIT,
    MOST_TO_FIELD,
    RIVER,
    colour_names,
)
from mandalier.games.words import listed, say, say_n, spoken

WIDE, HIGH = 40, 56  # a card

SIGNS = {
    "r": "M0-9A9 9 0 1 1-.01-9ZM0-4.5A4.5 4.5 0 1 0 .01-4.5Z",
    "o": "M0-10C7-3 8 2 6 6 4 9.5-4 9.5-6 6-8 2-6-2-3-4-3 0-1 1 0 1 2-2 1-6 0-10Z",
    "y": "M0-10 2.5-3 9.5-3.1 4 1.300 6 8.5 0 4.200-6 8.5-4 1.300-9.5-3.1-2.5-3Z",
    "g": "M0-11C8-4 8 4 0 11-8 4-8-4 0-11ZM-.8-4V7H.8V-4Z",
    "p": "M3-9A9 9 0 1 0 8 5 7.5 7.5 0 0 1 3-9Z",
    "k": "M-8-8H8V8H-8ZM-3.5-3.5V3.5H3.5V-3.5Z",
}
PETAL = "M0 0C52-30 46-92 0-120-46-92-52-30 0 0Z"


@lru_cache
def _defined(theme: Theme) -> Written:
    """Cards, petals and backs."""
    made: list[Node] = [
        el(
            "pattern",
            {"id": "grain", "width": 13, "height": 11, "patternUnits": "userSpaceOnUse"},
            el(
                "path",
                {
                    "d": "M1 2h1M5 6h1M9 1h1M11 8h1M3 9h1M7 3.5h1",
                    "stroke": "#fff",
                    "stroke-opacity": 0.34,
                },
            ),
            el(
                "path",
                {"d": "M3 4h1M8 8h1M12 4h1M1 7h1M6 10h1", "stroke": "#000", "stroke-opacity": 0.2},
            ),
        )
    ]
    made += _ornaments(theme)
    for colour, sand in SAND.items():
        made += _card(colour, sand)
    made.append(
        group(
            {"id": "sand-back"},
            [
                el(
                    "rect",
                    {
                        "width": WIDE,
                        "height": HIGH,
                        "rx": 5,
                        "fill": "#6d5a46",
                        "stroke": "#3d3024",
                        "stroke-width": 0.8,
                    },
                ),
                el(
                    "rect",
                    {
                        "x": 3,
                        "y": 3,
                        "width": 34,
                        "height": 50,
                        "rx": 3,
                        "fill": "none",
                        "stroke": "#d8bf8a",
                        "stroke-width": 0.8,
                    },
                ),
                el(
                    "path",
                    {
                        "d": "M20 12 31 28 20 44 9 28ZM20 19 26 28 20 37 14 28Z",
                        "fill": "none",
                        "stroke": "#d8bf8a",
                    },
                ),
                el("rect", {"width": WIDE, "height": HIGH, "rx": 5, "fill": "url(#grain)"}),
            ],
        )
    )
    return write(el("defs", None, *made))


def _ornaments(theme: Theme) -> Iterator[Node]:
    """What a flower is drawn with: rings, beads, small petals; a large petal; and its fillings."""
    line = {"fill": "none", "stroke": theme.line}
    small = "M0-64C13-80 13-100 0-112-13-100-13-80 0-64Z"
    between = [
        el(
            "path",
            {
                "d": small,
                "transform": f"rotate({60 * k + 30})",
                "fill": theme.glow,
                "fill-opacity": 0.6,
            },
        )
        for k in range(6)
    ]
    yield group(
        {"id": f"sand-ornament-{theme.name}", **line, "stroke-opacity": 0.7},
        [
            el("circle", {"r": 125}),
            el(
                "circle",
                {
                    "r": 120.5,
                    "stroke-width": 2.4,
                    "stroke-dasharray": "0 6.3",
                    "stroke-linecap": "round",
                },
            ),
            el("circle", {"r": 116, "stroke-opacity": 0.5}),
            *between,
        ],
    )
    veins = "M0-14V-96M0-30Q18-46 24-66M0-30Q-18-46-24-66M0-52Q12-64 16-82M0-52Q-12-64-16-82"
    yield group(
        {"id": f"sand-petal-{theme.name}", "stroke": theme.line, "stroke-width": 1.2},
        [
            el("path", {"d": PETAL}),
            el("path", {"d": veins, "fill": "none", "stroke-opacity": 0.55}),
        ],
    )
    strong = 0.78 if theme.name == "light" else 0.9
    for colour, sand in SAND.items():
        shade = mixed(sand, "#6b6680", 0.45) if theme.name == "dark" and colour == "k" else sand
        stops = [("0", 0.15), ("0.55", 0.5), ("1", strong)]
        yield el(
            "radialGradient",
            {
                "id": f"sand-p{colour}-{theme.name}",
                "cx": 0,
                "cy": 0,
                "r": 120,
                "gradientUnits": "userSpaceOnUse",
            },
            *(
                el("stop", {"offset": at, "stop-color": shade, "stop-opacity": f"{how:g}"})
                for at, how in stops
            ),
        )


def _card(colour: str, sand: str) -> Iterator[Node]:
    ink = ink_on(sand)
    yield el(
        "linearGradient",
        {"id": f"sand-g{colour}", "x1": "0", "y1": "0", "x2": "0.3", "y2": "1"},
        el("stop", {"offset": "0", "stop-color": mixed(sand, "#ffffff", 0.16)}),
        el("stop", {"offset": "1", "stop-color": mixed(sand, "#000000", 0.1)}),
    )
    yield el("path", {"id": f"sand-s{colour}", "d": SIGNS[colour], "fill": ink})
    whole = {"width": WIDE, "height": HIGH, "rx": 5}
    yield group(
        {"id": f"sand-{colour}"},
        [
            el(
                "rect",
                {
                    **whole,
                    "fill": f"url(#sand-g{colour})",
                    "stroke": mixed(sand, "#fff8e8", 0.55),
                    "stroke-width": 1,
                },
            ),
            el("rect", {**whole, "fill": "url(#grain)"}),
            el(
                "circle",
                {
                    "cx": 20,
                    "cy": 31,
                    "r": 14.5,
                    "fill": "none",
                    "stroke": ink,
                    "stroke-opacity": 0.35,
                    "stroke-dasharray": "1.5 3",
                },
            ),
            el("use", {"href": f"#sand-s{colour}", "transform": "translate(20 31)"}),
            el("use", {"href": f"#sand-s{colour}", "transform": "translate(8.5 8)scale(.5)"}),
        ],
    )


# The picture -----------------------------------------------------------------------------------


def draw(sheet: Sheet) -> Drawn:
    t, far, near = sheet.theme, sheet.around[1], sheet.near
    if sheet.tall:
        shown = [
            parts.name(sheet, far, 10, 22),
            _score(sheet, far, 118, 24),
            _backs(sheet, far, 10, 31, 0.62, 12),
            _river_and_cup(sheet, far, (132, 8, 40, 3), (11, 86)),
            _mandala(sheet, 0, 6, 96, 191, 356),
            _mandala(sheet, 1, 203, 96, 191, 356),
            _deck(sheet, 12, 462, 0.85),
            _discard(sheet, 56, 460, 68, 66),
            _river_and_cup(sheet, near, (132, 460, 40, 3), (136, 559)),
            parts.name(sheet, near, 10, 559),
            _score(sheet, near, 390, 558),
            _hand(sheet, 10, 570, 380, 1.42),
        ]
        return Drawn(400, 664, _defined(t), shown)
    shown = [
        parts.name(sheet, far, 24, 32),
        _backs(sheet, far, 24, 46, 0.8, 27),
        _river_and_cup(sheet, far, (424, 14, 48, 6), (762, 80)),
        _score(sheet, far, 956, 40),
        _mandala(sheet, 0, 20, 110, 394, 350),
        _mandala(sheet, 1, 424, 110, 394, 350),
        _deck(sheet, 856, 128, 1.75),
        _discard(sheet, 834, 282, 124, 120),
        parts.name(sheet, near, 24, 488),
        _score(sheet, near, 548, 490),
        _hand(sheet, 26, 502, 522, 1.9),
        _river_and_cup(sheet, near, (590, 492, 52, 7), (590, 606)),
    ]
    return Drawn(980, 626, _defined(t), shown)


@kept(lambda sheet, seat, *_: (sheet.s.hand_n[seat], sheet.names[seat]))
def _backs(sheet: Sheet, seat: int, x: float, y: float, scale: float, step: float) -> Node:
    """A hand that is not shown: so many backs; or its cards, where the viewer may see them."""
    n = sheet.s.hand_n[seat]
    cards = [
        piece(f"hand{seat}-{k}", "back", "sand-back", (k - 1) * step / scale, 0)
        for k in range(1, n + 1)
    ]
    title = say_n(
        "{n} card in the hand of {who}", "{n} cards in the hand of {who}", n, who=sheet.names[seat]
    )
    return group({"transform": moved(x, y, scale)}, [thing(f"hand{seat}", title, *cards)])


def _hand(sheet: Sheet, x: float, y: float, wide: float, scale: float) -> Node:
    """The viewer's cards; the backs of the near seat's, for a spectator."""
    if sheet.seat == SPECTATOR:
        return _backs(sheet, sheet.near, x, y, scale, wide / 9)
    return _own_hand(sheet, x, y, wide, scale)


@kept(lambda sheet, *_: (sheet.seat, sheet.s.hand[sheet.seat]))
def _own_hand(sheet: Sheet, x: float, y: float, wide: float, scale: float) -> Node:
    """The viewer's cards by colour, each with its number in its colour."""
    hand = sheet.s.hand[sheet.seat]
    counts = [count_of(hand, c) for c in range(6)]
    groups = sum(n > 0 for n in counts)
    room = wide / scale
    step = min(21.0, (room - groups * (WIDE + 3)) / max(1, sum(counts) - groups))
    shown, at = [], 0.0
    for c, n in enumerate(counts):
        for k in range(1, n + 1):
            shown.append(_card_in_hand(sheet.seat, c, k, n, at, spoken()))
            at += step if k < n else WIDE + 3
    frame = {
        "x": -4,
        "y": -4,
        "width": room + 8,
        "height": HIGH + 8,
        "rx": 8,
        "fill": sheet.theme.deep,
    }
    title = say_n("your hand: {n} card", "your hand: {n} cards", sum(counts))
    tray = thing(f"hand{sheet.seat}", title, el("rect", frame))
    return group({"transform": moved(x, y, scale)}, [tray, *shown])


@lru_cache(maxsize=1 << 12)
def _card_in_hand(seat: int, c: int, k: int, n: int, at: float, _: str) -> Written:
    """The k-th card of n of a colour, in the language at hand."""
    colour = COLOURS[c]
    title = say("{colour}, card {k} of {n}", colour=colour_names()[c], k=k, n=n)
    shown = [piece(f"hand{seat}-{colour}-{k}", colour, f"sand-{colour}", at, 0, title)]
    if n > 1:
        ink = ink_on(SAND[colour])
        shown.append(text(at + 8.5, 51, str(k), 9, ink, "middle", bold=True, pointer_events="none"))
    return write(shown)


def _cup_of(sheet: Sheet, seat: int, *_: Any) -> tuple[Any, ...]:
    """What river and cup of a seat show."""
    s = sheet.s
    return s.slot[seat], s.claimed[seat], s.start[seat], sheet.names[seat]


@kept(_cup_of)
def _river_and_cup(
    sheet: Sheet, seat: int, river: tuple[float, ...], cup: tuple[float, ...]
) -> Node:
    return [_river(sheet, seat, *river), _cup(sheet, seat, *cup)]


def _river(sheet: Sheet, seat: int, x: float, y: float, wide: float, gap: float) -> Node:
    """Six slots, each with what a card is worth there, its colour, and under it the cup's cards of
    that colour; then the cup's other cards."""
    s = sheet.s
    contents = s.claimed[seat] + s.start[seat]
    colour_in = {count_of(s.slot[seat], c): c for c in range(6) if count_of(s.slot[seat], c)}
    shown = []
    for slot in range(1, RIVER + 1):
        left = x + (slot - 1) * (wide + gap)
        c = colour_in.get(slot)
        n = count_of(contents, c) if c is not None else 0
        shown.append(_slot(sheet, seat, sheet.names[seat], slot, c, n, left, y, wide))
    return group(None, shown)


@kept(lambda *_: None)
def _slot(
    sheet: Sheet,
    seat: int,
    who: str,
    slot: int,
    c: int | None,
    n: int,
    x: float,
    y: float,
    wide: float,
) -> Node:
    """A slot of a river, free or with a colour of which n lie in the cup."""
    t, scale = sheet.theme, wide / (WIDE + 2)
    high = HIGH * scale
    frame = {
        "x": x,
        "y": y,
        "width": wide - 2,
        "height": high,
        "rx": 5,
        "fill": t.deep,
        "stroke": t.line,
        "stroke-dasharray": None if c is not None else "3 3",
    }
    middle = x + wide / 2 - 1
    if c is None:
        label = say("slot {n} of the river of {who}, free: worth {n} each", n=slot, who=who)
        at = y + high / 2 + 6
        number = text(middle, at, str(slot), 18, t.soft, "middle", font_family=SERIF)
        return thing(f"river{seat}-{slot}", label, el("rect", frame), number)
    small = 13 if sheet.tall else 15
    label = say(
        "slot {slot} of the river of {who}: {colour}, {n} in the cup, worth {slot} each",
        slot=slot,
        who=who,
        colour=colour_names()[c],
        n=n,
    )
    card = group(
        {"transform": moved(x, y, scale)},
        [piece(f"r{seat}-{COLOURS[c]}", COLOURS[c], f"sand-{COLOURS[c]}", 0, 0)],
    )
    worth = text(middle, y + high + small + 1, f"{n}×{slot}", small, t.ink, "middle", bold=True)
    return thing(f"river{seat}-{slot}", label, el("rect", frame), card, worth)


def _cup(sheet: Sheet, seat: int, x: float, y: float) -> Node:
    """How many cards the cup has, and those that are not worth anything yet."""
    s, t = sheet.s, sheet.theme
    contents = s.claimed[seat] + s.start[seat]
    unseen = FIRST_CUP - size(s.start[seat])
    small = 13 if sheet.tall else 15
    n = size(s.claimed[seat]) + FIRST_CUP
    at = x + 50
    shown: list[Node] = [
        el("path", {"d": f"M{x:.0f} {y - 12:.0f}h18q1 13-9 13t-9-13z", "fill": t.line}),
        el("path", {"d": f"M{x + 4:.0f} {y + 2:.0f}h10", "stroke": t.line, "stroke-width": 2}),
        text(x + 24, y, str(n), small, t.ink, bold=True),
    ]
    spare = [c for c in range(6) if count_of(contents, c) and not count_of(s.slot[seat], c)]
    lying = [("sand-" + COLOURS[c], count_of(contents, c)) for c in spare]
    lying += [("sand-back", unseen)] if unseen else []
    for symbol, count in lying:
        card = el("use", {"href": "#" + symbol})
        shown.append(group({"transform": moved(at, y - 15, 0.36)}, [card]))
        shown.append(text(at + 17, y, str(count), small, t.soft))
        at += 30 if count < 10 else 38
    names = colour_names()
    inside = [
        say("{n} {colour}", n=count_of(contents, c), colour=names[c])
        for c in range(6)
        if count_of(contents, c)
    ]
    if unseen:
        inside.append(say("{n} hidden", n=unseen))
    title = say("the cup of {who}: {cards}", who=sheet.names[seat], cards=listed(inside))
    return thing(f"cup{seat}", title, *shown)


@kept(lambda sheet, seat, *_: (sheet.points[seat], sheet.names[seat], size(sheet.s.start[seat])))
def _score(sheet: Sheet, seat: int, x: float, y: float) -> Node:
    """What the cup is worth as far as the viewer knows it."""
    known = sheet.points[seat]
    unseen = FIRST_CUP - size(sheet.s.start[seat])
    points = f"{known}+" if unseen else str(known)
    who = sheet.names[seat]
    title = (
        say_n("{who}: {n} point or more", "{who}: {n} points or more", known, who=who)
        if unseen
        else say_n("{who}: {n} point", "{who}: {n} points", known, who=who)
    )
    label = text(x, y, points, 20, sheet.theme.ink, "end", bold=True, font_family=SERIF)
    return thing(f"score{seat}", title, label)


def _mandala(sheet: Sheet, m: int, x: float, y: float, wide: float, high: float) -> Node:
    far, near = sheet.around[1], sheet.near
    band = high * 0.3
    return placed(
        x,
        y,
        _ground(sheet, _kinds_in(sheet, m), sheet.s.claiming == m + 1, wide, high),
        _field(sheet, m, far, 0, 0, wide, band),
        _mountain(sheet, m, wide, high, band),
        _field(sheet, m, near, 0, high - band, wide, band),
    )


@kept(lambda *_: None)
def _ground(sheet: Sheet, colours: int, being_destroyed: bool, wide: float, high: float) -> Node:
    """What the cards lie on: a flower, whose petals are filled for the `kinds` that lie there."""
    t = sheet.theme
    frame = {
        "width": wide,
        "height": high,
        "rx": 14,
        "fill": t.board,
        "stroke": t.accent if being_destroyed else t.line,
        "stroke-width": 3 if being_destroyed else 1,
    }
    flower = _flower(sheet, colours, wide / 2, high / 2, min(wide, high) / 2 - 4)
    return [el("rect", frame), flower]


def _kinds_in(sheet: Sheet, m: int) -> int:
    """The colours of a mandala, as `kinds`."""
    s = sheet.s
    return kinds(s.mountain[m] + s.field[m][0] + s.field[m][1])


@kept(lambda sheet, m, *_: (sheet.s.mountain[m], _kinds_in(sheet, m)))
def _mountain(sheet: Sheet, m: int, wide: float, high: float, band: float) -> Node:
    """The cards between the fields."""
    s, t, names = sheet.s, sheet.theme, colour_names()
    middle = high - 2 * band
    rim = {
        "x": 3,
        "y": band,
        "width": wide - 6,
        "height": middle,
        "rx": 10,
        "fill": t.glow,
        "fill-opacity": 0.28,
        "stroke": t.line,
    }
    lies = _kinds_in(sheet, m)
    missing = listed([names[c] for c in range(6) if not count_of(lies, c)]) or "–"
    title = say("mountain {n}; the mandala still lacks {colours}", n=m + 1, colours=missing)
    rest = thing(f"mountain{m + 1}", title, el("rect", rim))
    whole, name = f"mountain{m + 1}", f"m{m + 1}"
    return [
        rest,
        *_columns(sheet, s.mountain[m], whole, name, 6, band + 5, wide - 12, middle - 10),
    ]


def _flower(sheet: Sheet, colours: int, x: float, y: float, radius: float) -> Node:
    """Six petals; those whose colour lies in the mandala (`kinds` of its cards) are filled with it."""
    name = sheet.theme.name
    shown = [el("use", {"href": f"#sand-ornament-{name}"})]
    for c in range(6):
        petal = {"href": f"#sand-petal-{name}", "transform": f"rotate({60 * c})", "fill": "none"}
        if count_of(colours, c):
            petal["fill"] = f"url(#sand-p{COLOURS[c]}-{name})"
        shown.append(el("use", petal))
    return group({"transform": moved(x, y, radius / 126)}, shown)


@kept(lambda sheet, m, seat, *_: (sheet.s.field[m][seat], sheet.names[seat]))
def _field(sheet: Sheet, m: int, seat: int, x: float, y: float, wide: float, high: float) -> Node:
    s, t = sheet.s, sheet.theme
    title = say_n(
        "field of {who} in mandala {m}: {n} card",
        "field of {who} in mandala {m}: {n} cards",
        size(s.field[m][seat]),
        who=sheet.names[seat],
        m=m + 1,
    )
    rect = el(
        "rect",
        {
            "x": x + 3,
            "y": y + 3,
            "width": wide - 6,
            "height": high - 6,
            "rx": 10,
            "fill": t.board,
            "fill-opacity": 0.01,
        },
    )
    cards = _columns(
        sheet, s.field[m][seat], "", f"f{m + 1}-{seat}", x + 6, y + 5, wide - 12, high - 10
    )
    return thing(f"field{m + 1}-{seat}", title, rect, *cards)


def _columns(
    sheet: Sheet, pile: int, whole: str, name: str, x: float, y: float, wide: float, high: float
) -> list[Node]:
    """The cards of a pile, each colour at its own place: six columns, or three in two rows."""
    return [
        _column(c, count_of(pile, c), whole, name, x, y, wide, high, sheet.tall, spoken())
        for c in range(6)
        if count_of(pile, c)
    ]


@lru_cache(maxsize=1 << 12)
def _column(
    c: int,
    n: int,
    whole: str,
    name: str,
    x: float,
    y: float,
    wide: float,
    high: float,
    tall: bool,
    _: str,
) -> Written:
    """The cards of a colour in a pile, in the language at hand."""
    rows = 2 if tall else 1
    cell, row = wide * rows / 6, high / rows
    if tall:
        scale = min((cell - 18) / WIDE, (row - 3) / HIGH)
    else:
        scale = min((cell - 4) / WIDE, high / (HIGH + 26))
    room = (cell - 4) / scale - WIDE if tall else high / scale - HIGH
    colour = COLOURS[c]
    step = min(14.0, room / max(1, n - 1))
    first = (room - step * (n - 1)) / 2
    places = [(first + step * k, 0.0) if tall else (0.0, first + step * k) for k in range(n)]
    cards = [
        piece(f"{name}-{colour}-{k + 1}", colour, f"sand-{colour}", *place)
        for k, place in enumerate(places)
    ]
    if n > 1:
        ink = ink_on(SAND[colour])
        left, top = places[-1]
        small = 15.5 if tall else 13
        cards.append(text(left + 30, top + 14.5, str(n), small, ink, "middle", bold=True))
    aside = scale * (WIDE + room) if tall else scale * WIDE
    left = x + c % (6 // rows) * cell + (cell - aside) / 2
    top = y + c // (6 // rows) * row + ((row - scale * HIGH) / 2 if tall else 0)
    if whole:
        title = say("{n} {colour} on the mountain", n=n, colour=colour_names()[c])
        cards = [thing(f"{whole}-{colour}", title, *cards)]
    return write(group({"transform": moved(left, top, scale)}, cards))


@kept(lambda sheet, *_: (sheet.s.deck_n, sheet.s.deck_out))
def _deck(sheet: Sheet, x: float, y: float, scale: float) -> Node:
    """The deck, as thick as it is."""
    s, t = sheet.s, sheet.theme
    frame = {"width": WIDE, "height": HIGH, "rx": 5, "fill": t.deep, "stroke": t.line}
    deck: list[Node] = [el("rect", {**frame, "stroke-dasharray": "3 3"})]
    deck += [
        el("use", {"href": "#sand-back", "x": -k * 0.8, "y": -k * 0.8})
        for k in range(min(5, (s.deck_n + 17) // 18))
    ]
    said = say_n("deck: {n} card", "deck: {n} cards", s.deck_n)
    if s.deck_out:
        said += " " + say("(last mandala)")
    small = 13 if sheet.tall else 15
    fill = t.accent if s.deck_out else t.ink
    number = str(s.deck_n) + ("!" if s.deck_out else "")
    label = text(
        WIDE / 2, HIGH + (small + 3) / scale, number, small / scale, fill, "middle", bold=True
    )
    return group({"transform": moved(x, y, scale)}, [thing("deck", said, *deck, label)])


@kept(lambda sheet, *_: sheet.s.discard)
def _discard(sheet: Sheet, x: float, y: float, wide: float, high: float) -> Node:
    """What has been discarded, colour by colour."""
    s, t = sheet.s, sheet.theme
    names, n = colour_names(), size(s.discard)
    small = 13 if sheet.tall else 15
    frame = {
        "x": x, "y": y, "width": wide, "height": high, "rx": 7,
        "fill": t.deep, "stroke": t.line, "stroke-dasharray": "4 4",
    }  # fmt: skip
    shown: list[Node] = [el("rect", frame)]
    across = 2 if sheet.tall else 3
    cell, row = (wide - 6) / across, (high - 6) / (6 // across)
    lies = []
    for c in range(6):
        if count := count_of(s.discard, c):
            left, top = x + 4 + c % across * cell, y + 4 + c // across * row
            shown.append(_discarded(sheet, c, count, left, top))
            lies.append(say("{n} {colour}", n=count, colour=names[c]))
    title = say_n("discard: {n} card", "discard: {n} cards", n) + (
        ": " + listed(lies) if lies else ""
    )
    label = text(x + wide / 2, y + high + small + 3, str(n), small, t.ink, "middle", bold=True)
    return thing("discard", title, *shown, label)


@kept(lambda *_: None)
def _discarded(sheet: Sheet, c: int, n: int, x: float, y: float) -> Node:
    """The cards of a colour in the discard: one, and how many."""
    scale = 0.33 if sheet.tall else 0.42
    card = group({"transform": moved(x, y, scale)}, [el("use", {"href": f"#sand-{COLOURS[c]}"})])
    ink = sheet.theme.ink
    if sheet.tall:
        return [card, text(x + WIDE * scale + 2, y + HIGH * scale - 5, str(n), 13, ink)]
    return [card, text(x + WIDE * scale / 2, y + HIGH * scale + 14, str(n), 14, ink, "middle")]


def thumb(sheet: Sheet) -> Drawn:
    """The two flowers."""
    s, t = sheet.s, sheet.theme
    shown: list[Node] = []
    for m in range(2):
        cards = s.mountain[m] + s.field[m][0] + s.field[m][1]
        petals = [
            el(
                "path",
                {
                    "d": PETAL,
                    "transform": f"rotate({60 * c})",
                    "fill": SAND[COLOURS[c]] if count_of(cards, c) else t.board,
                    "fill-opacity": 0.9,
                },
            )
            for c in range(6)
        ]
        rim = el("circle", {"r": 126, "fill": t.board})
        where = {"transform": moved(52 + 96 * m, 50, 0.37), "stroke": t.line, "stroke-width": 2}
        shown.append(group(where, [rim, *petals]))
    return Drawn(200, 100, Written(""), shown)


# Clicks ----------------------------------------------------------------------------------------


def clicks(s: Any, seat: int, moves: Sequence[tuple[int, str]]) -> list[tuple[str, Path]]:
    """Mountain: any card of the colour, then the mountain. Field and discard: the k-th card of the
    colour for k cards, then the own field, or the discard. Claim: the colour on the mountain."""
    made: list[tuple[str, Path]] = []
    for move, name in moves:
        if move >= CLAIM_MOVE:
            made.append((name, [f"mountain{s.claiming}-{COLOURS[move - CLAIM_MOVE]}"]))
        elif move >= DISCARD_MOVE:
            c, k = divmod(move - DISCARD_MOVE, HAND_LIMIT)
            made.append((name, [f"hand{seat}-{COLOURS[c]}-{k + 1}", "discard"]))
        elif move >= FIELD_MOVE:
            place, k = divmod(move - FIELD_MOVE, MOST_TO_FIELD)
            card = f"hand{seat}-{COLOURS[place % 6]}-{k + 1}"
            made.append((name, [card, f"field{place // 6 + 1}-{seat}"]))
        else:
            colour = COLOURS[move % 6]
            for k in range(1, count_of(s.hand[seat], move % 6) + 1):
                made.append((name, [f"hand{seat}-{colour}-{k}", f"mountain{move // 6 + 1}"]))
    return made


def asked(s: Any, seat: int, ids: Sequence[str]) -> str | None:
    place = ids[-1] if ids else ""
    if place.startswith("mountain") and "-" in place:
        return "c" + place[-1]
    if s.claiming:
        return "cr" if place else None  # any claim tells what is due
    if len(ids) < 2 or not ids[0].startswith(f"hand{seat}-"):
        return None
    colour, k = ids[0].split("-")[1:]
    if place.startswith("mountain"):
        return f"m{place[8]}{colour}"
    if place == f"field{place[5:6]}-{seat}":
        return f"f{place[5]}{colour}{min(int(k), MOST_TO_FIELD)}"
    return f"d{colour}{k}" if place == "discard" else None


# Words -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)
def _cards(pile: int, language: str) -> str:
    """The cards of a pile, in the language at hand."""
    names = colour_names()
    return listed(
        [
            say("{n} {colour}", n=count_of(pile, c), colour=names[c])
            for c in range(6)
            if count_of(pile, c)
        ]
    ) or say("nothing")


@lru_cache(maxsize=1 << 12)
def _mandala_words(m: int, mountain: int, near: int, far: int, language: str) -> str:
    """What lies in a mandala."""
    return say(
        "Mandala {n}: on the mountain {mountain}; in the near field {near}; in the far field {far}.",
        n=m + 1,
        mountain=_cards(mountain, language),
        near=_cards(near, language),
        far=_cards(far, language),
    )


def prompt(s: Any, seat: int, _: Sequence[str]) -> str:
    if not s.claiming:
        return say(
            "Put a card on a mountain, lay cards of one colour in a field of yours, or discard."
        )
    if s.field[s.claiming - 1][seat]:
        return say(
            "Take a colour from this mountain: for your river if it is new there, else for your cup."
        )
    return say("Choose a colour of this mountain; your field here is empty, so it is discarded.")


def words(s: Any, seat: int) -> str:
    def cards(pile: int) -> str:
        return _cards(pile, spoken())

    said = [parts.whose_turn(s, seat, 1 << s.turn)]
    if s.claiming:
        said.append(say("Mandala {n} is being destroyed.", n=s.claiming))
    near = 0 if seat == SPECTATOR else seat
    for m in range(2):
        piles = s.mountain[m], s.field[m][near], s.field[m][1 - near]
        said.append(_mandala_words(m, *piles, spoken()))
    if seat != SPECTATOR:
        said.append(
            say(
                "Your hand: {cards}. Your cup: {cup}.",
                cards=cards(s.hand[seat]),
                cup=cards(s.claimed[seat] + s.start[seat]),
            )
        )
    said.append(say_n("{n} card is left in the deck.", "{n} cards are left in the deck.", s.deck_n))
    return " ".join(said)
