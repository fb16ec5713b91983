"""What all pictures share: colours, themes, letters.

The colours of pieces are chosen here once. They keep apart under every colour-vision deficiency
and, in steps of lightness, without any colour; besides, each has a second sign (see the drawing of
each game), so that nobody has to tell them by colour at all. `tests/draw/test_style.py` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mandalier.draw.svg import Node

SAND = {
    "r": "#ae2229",
    "o": "#cc7818",
    "y": "#fbdc74",
    "g": "#7cc0a2",
    "p": "#55187f",
    "k": "#1b1822",
}
STONES = {"r": "#c8361c", "b": "#69a7ee", "y": "#f7dd7c", "p": "#4b1a86"}
PYRAMIDS = {"r": "#cf3a22", "y": "#fbdb55", "b": "#17449c", "g": "#70bc9c", "k": "#1f1d20"}
BLOCKS = {"r": "#d3301f", "b": "#1f4fa3", "y": "#f6cf2f", "k": "#17171a", "w": "#fbf8f0"}
SEATS = ("#1fa9c2", "#b8520e", "#6d2fa8", "#f0c83f", "#10233f")
"""The seats' own colours. A seat's second sign is its number, and its pips or pawn."""


# The pips of each face, on a 3 by 3 lattice from -1 to 1.
PIPS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)


@dataclass(frozen=True)
class Theme:
    """The colours around the pieces."""

    name: str
    paper: str  # the table
    board: str  # what pieces lie on
    deep: str  # hollows in it
    line: str  # fine lines and ornaments
    ink: str  # text
    soft: str  # text that matters less
    glow: str  # light behind what matters
    accent: str  # whose turn it is; buttons
    on_accent: str  # text on that


LIGHT = Theme(
    name="light",
    paper="#f4eee2",
    board="#fbf7ee",
    deep="#e9e0cf",
    line="#c9b994",
    ink="#2a2520",
    soft="#675d50",
    glow="#fff6d8",
    accent="#8a3b12",
    on_accent="#fffaf0",
)
DARK = Theme(
    name="dark",
    paper="#14161d",
    board="#1f222c",
    deep="#0f1117",
    line="#5d5a66",
    ink="#f3ecdd",
    soft="#b9b0a1",
    glow="#3a3550",
    accent="#f0b965",
    on_accent="#1b1509",
)
THEMES = {"light": LIGHT, "dark": DARK}

SERIF = "Iowan Old Style,Palatino Linotype,Palatino,Book Antiqua,Georgia,serif"
SANS = "ui-rounded,Avenir Next,Segoe UI,system-ui,DejaVu Sans,sans-serif"


def _channel(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def linear(colour: str) -> tuple[float, float, float]:
    """The red, green and blue light of a colour, 0 to 1."""
    r, g, b = (_channel(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return r, g, b


@lru_cache
def luminance(colour: str) -> float:
    r, g, b = linear(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """A colour with so much of another one in it."""
    parts = []
    for i in (1, 3, 5):
        a, b = int(one[i : i + 2], 16), int(other[i : i + 2], 16)
        parts.append(round(a + (b - a) * share))
    return "#" + "".join(f"{part:02x}" for part in parts)


@lru_cache
def ink_on(colour: str) -> str:
    """A dark or a light ink, whichever reads better on a colour."""
    dark, light = "#17140f", "#fffdf6"
    return dark if contrast(dark, colour) >= contrast(light, colour) else light


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    fill: str | None = None,
    anchor: str | None = None,
    bold: bool = False,
    **more: Any,
) -> Node:
    """A line of text; its anchor is "middle", "end" or the start."""
    attributes: dict[str, Any] = {"x": x, "y": y, "font-size": size, "fill": fill}
    attributes["text-anchor"] = anchor
    attributes["font-weight"] = "600" if bold else None
    attributes.update({name.replace("_", "-"): value for name, value in more.items()})
    return "text", attributes, (words,)
