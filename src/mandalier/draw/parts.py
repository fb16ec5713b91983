"""Parts that several drawings share."""

from __future__ import annotations

from typing import Any

from mandalier.draw.sheet import Sheet, kept
from mandalier.draw.style import SEATS, ink_on, text
from mandalier.draw.svg import Node, el, moved, thing
from mandalier.games.contract import SPECTATOR
from mandalier.games.words import listed, say

LONGEST_NAME = 18
LAUREL = "M-2 11C-13 8-13-6-7-10M2 11C13 8 13-6 7-10M-9 8l-3 1M-11.5 3l-3.5 0M-11-2l-3-2M9 8l3 1M11.5 3l3.5 0M11-2l3-2"


@kept(lambda sheet, seat, *_: (sheet.names[seat], sheet.moves_now(seat), sheet.has_won(seat)))
def name(sheet: Sheet, seat: int, x: float, y: float) -> Node:
    """A seat's name, with its colour and number, lit when it may move or has won."""
    t = sheet.theme
    now = sheet.moves_now(seat)
    called = sheet.names[seat]
    if len(called) > LONGEST_NAME:
        called = called[: LONGEST_NAME - 1] + "…"
    size = 14 if sheet.tall else 16
    title = sheet.names[seat]
    if now:
        title = say("{who}, to move", who=title)
    elif sheet.has_won(seat):
        title = say("{who} has won", who=title)
    disc = {
        "cx": x + 8,
        "cy": y - 5,
        "r": 8,
        "fill": SEATS[seat],
        "stroke": t.accent if now else t.line,
        "stroke-width": 2 if now else 1,
    }
    number = text(x + 8, y - 0.5, str(seat), 12.5, ink_on(SEATS[seat]), "middle", bold=True)
    lit = now or sheet.has_won(seat)
    shown = [
        el("circle", disc),
        number,
        text(
            x + (26 if sheet.has_won(seat) else 21),
            y,
            called,
            size,
            t.accent if lit else t.ink,
            bold=lit,
        ),
    ]
    if sheet.has_won(seat):
        leaf = {"d": LAUREL, "fill": "none", "stroke": t.accent, "stroke-width": 2}
        shown.append(
            el("path", {**leaf, "stroke-linecap": "round", "transform": moved(x + 8, y - 5, 0.86)})
        )
    return thing(f"seat{seat}", title, *shown)


def whose_turn(s: Any, seat: int, waiting: int) -> str:
    """Who has to move, as a sentence."""
    if s.over:
        return say("The game is over.")
    if seat != SPECTATOR and waiting >> seat & 1:
        return say("It is your turn.")
    seats = [say("seat {seat}", seat=i) for i in range(s.seats) if waiting >> i & 1]
    if not seats:
        return say("Chance is to be drawn.")
    return say("To move: {seats}.", seats=listed(seats))


@kept(lambda *_: None)
def button(sheet: Sheet, key: str, label: str, title: str, x: float, y: float, wide: float) -> Node:
    """Something to press that is no piece of the game."""
    t = sheet.theme
    high = 30 if sheet.tall else 32
    rect = {"x": x, "y": y, "width": wide, "height": high, "rx": high / 2, "fill": t.accent}
    shown = [
        el("rect", rect),
        text(
            x + wide / 2,
            y + high / 2 + 5,
            label,
            14 if sheet.tall else 15,
            t.on_accent,
            "middle",
            bold=True,
        ),
    ]
    return thing(key, title, *shown)
