"""SVG from (tag, attributes, children) tuples, through one writer that escapes everything.

A child is another tuple, a list of such that stand side by side, or text. `Written` is what this writer has written before: drawings keep
their definitions as such, so that they are written once. A `Part` is written when its text is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

Node = Any
"""(tag, attributes, children), a list of nodes, a text, Written, or a Part."""


class Part:
    """A node that is told by what it shows, and written only when its text is wanted."""

    __slots__ = ()

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def mark(self) -> int:
        """A number that only parts of the same text have; it is known without the text, and holds as
        long as this process."""
        raise NotImplementedError


class Written(str):
    """SVG made by `write`; it goes into a picture as it is."""

    __slots__ = ()

    @property
    def text(self) -> str:
        return str(self)

    @property
    def mark(self) -> int:
        return hash(self)


SHORT = 1000
"""What was written before and is shorter is no piece of its own."""
SPECIAL = re.compile("[&<>\"'\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def escaped(text: str) -> str:
    """Text as it may stand in an element or an attribute; what XML cannot hold is left out."""
    if SPECIAL.search(text) is None:
        return text
    return SPECIAL.sub(lambda found: ENTITIES.get(found[0], ""), text)


def write(node: Node) -> Written:
    """The text of a tree."""
    texts: list[str] = []
    put = texts.append
    _write(node, put, lambda part: put(part.text))
    return Written("".join(texts))


def pieces(node: Node) -> list[Written | Part]:
    """The text of a tree in pieces: its parts, and what is between them."""
    found: list[Written | Part] = []
    texts: list[str] = []

    def take(part: Written | Part) -> None:
        if type(part) is Written and len(part) < SHORT:
            texts.append(part)
            return
        if texts:
            found.append(Written("".join(texts)))
            texts.clear()
        found.append(part)

    _write(node, texts.append, take)
    found.append(Written("".join(texts)))
    return found


def _write(node: Node, put: Callable[[str], None], take: Callable[[Written | Part], None]) -> None:
    kind = type(node)
    if kind is str:
        put(escaped(node))
        return
    if kind is list:
        for child in node:
            _write(child, put, take)
        return
    if kind is not tuple:
        take(node)
        return
    tag, attributes, children = node
    put("<" + tag)
    for name, value in attributes.items():
        kind = type(value)
        if kind is float:
            short = round(value, 1)
            put(f' {name}="{int(short) if short == int(short) else short}"')
        elif kind is int:
            put(f' {name}="{value}"')
        elif value is not None:
            put(f' {name}="{escaped(value)}"')
    if children:
        put(">")
        for child in children:
            _write(child, put, take)
        put(f"</{tag}>")
    else:
        put("/>")


def el(tag: str, attributes: dict[str, Any] | None = None, *children: Node) -> Node:
    """An element."""
    return tag, attributes or {}, children


def group(attributes: dict[str, Any] | None, children: Iterable[Node]) -> Node:
    return "g", attributes or {}, tuple(children)


def placed(x: float, y: float, *children: Node) -> Node:
    """A group at a place."""
    return [_placed(x, y), *children, PLACED]


PLACED = Written("</g>")


@lru_cache(maxsize=256)
def _placed(x: float, y: float) -> Written:
    return Written(f'<g transform="{moved(x, y)}">')


def moved(x: float, y: float, scale: float = 1.0, turned: float = 0.0) -> str:
    """A transform attribute: to a place, turned (degrees, clockwise), made larger."""
    made = f"translate({x:.4g} {y:.4g})"
    if turned:
        made += f"rotate({turned:.4g})"
    if scale != 1.0:
        made += f"scale({scale:.4g})"
    return made


def thing(key: str, title: str, *children: Node, **attributes: Any) -> Node:
    """What a person can touch or ask about: it has an id, a role and a name.

    It never has a transform of its own, so that a page can set it in motion.
    """
    given = {
        "id": key,
        "role": "img",
        **{name.replace("_", "-"): v for name, v in attributes.items()},
    }
    return "g", given, (("title", {}, (title,)), *children)


def piece(key: str, kind: str, symbol: str, x: float, y: float, title: str = "") -> Node:
    """A card, stone or other piece: a symbol at a place. Pieces of one kind look alike."""
    attributes = {"id": key, "data-k": kind, "href": "#" + symbol, "x": x, "y": y}
    if not title:
        return "use", attributes, ()
    attributes["role"] = "img"
    return "use", attributes, (("title", {}, (title,)),)
