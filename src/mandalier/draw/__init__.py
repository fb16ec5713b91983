"""Pictures of games: SVG made from what a seat may know, and moves as paths of clicks.

    picture(view)                      the position as SVG; the viewer's seat is at the bottom
    showing(view)                      all that a page shows of a position, the picture in pieces
    clicks(view)                       every legal move, as ids of the picture to click in order
    tree(view)                         the same as a tree, for a page
    words(view)                        the position read aloud
    prompt(view)                       what the seat can do now, in a sentence
    stage(view)                        the table as a solid thing, where there is something to throw
    motion(view, outcome, path)        what is thrown, seen in motion
    why(view, ids)                     why these clicks are no move, in words

A picture is made from a `View` alone, and from nothing else: two positions that a seat cannot tell
apart give it equal bytes.

Ids name places: ``m1-r-2`` is the second red card on mountain 1. Where pieces can be told apart the
id is the piece's own (``card-17``, ``die-0-3``, ``pawn-1``, ``p17``) and goes with it. Other pieces
carry their kind in ``data-k``: of two pictures, a piece of a kind that is gone from one place and a
piece of that kind that is new in another are the same piece on its way. No element with an id has a
transform of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal, Protocol

from mandalier.draw.sheet import Drawn, Path, Sheet
from mandalier.draw.style import THEMES
from mandalier.draw.svg import Node, Part, Written, pieces, write
from mandalier.games.contract import MAX_SEATS, SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.game import State, View, position
from mandalier.games.kernel import SCRIBBLE
from mandalier.games.words import listed_or, say

Arrangement = Literal["wide", "tall", "thumb"]
ThemeName = Literal["light", "dark"]
ARRANGEMENTS: tuple[Arrangement, ...] = ("wide", "tall", "thumb")


class Drawing(Protocol):
    """What draws one game, in the module of the game's name."""

    def draw(self, sheet: Sheet) -> Drawn:
        """The picture, wide or tall."""

    def thumb(self, sheet: Sheet) -> Drawn:
        """A small picture without ids."""

    def clicks(self, s: Any, seat: int, moves: Sequence[tuple[int, str]]) -> list[tuple[str, Path]]:
        """Paths for legal moves (number and text)."""

    def asked(self, s: Any, seat: int, ids: Sequence[str]) -> str | int | None:
        """The text (or the number) of the move that somebody seems to want who clicks so, if one
        can be told. Raises ValueError or LookupError where ids make no sense."""

    def words(self, s: Any, seat: int) -> str:
        """The position as a short paragraph."""

    # What a seat that is to move can do, in a sentence; `moves` are the texts of its legal moves:
    #   prompt(s, seat, moves) -> str
    # Where something is thrown, as `stage` and `motion` below give it:
    #   stage(s, seat) -> dict | None
    #   motion(s, seat, outcome, path) -> dict


@cache
def drawing(name: str) -> Drawing:
    """The drawing of a game."""
    return import_module(f"mandalier.draw.{name}")


def picture(
    view: View,
    *,
    arrangement: Arrangement = "wide",
    theme: ThemeName = "light",
    names: Sequence[str] | None = None,
) -> str:
    """The position as SVG. `names` are the players', by seat."""
    if arrangement not in ARRANGEMENTS:
        raise MandalierError(_no_such(say("arrangement"), arrangement, ARRANGEMENTS))
    if theme not in THEMES:
        raise MandalierError(_no_such(say("theme"), theme, tuple(THEMES)))
    s, artist = view.look(), drawing(view.game.name)
    title = f"{view.game.name} ({view.game.title})"
    if arrangement != "thumb":
        title = artist.words(s, view.seat)
    return write(_drawn(view, s, title, arrangement, theme, names))


def _drawn(
    view: View,
    s: Any,
    title: str,
    arrangement: Arrangement,
    theme: ThemeName,
    names: Sequence[str] | None,
) -> Node:
    """The picture as a tree."""
    artist, module = drawing(view.game.name), view.game.module
    called = tuple(names or ())[: s.seats]
    called += tuple(say("seat {seat}", seat=seat) for seat in range(len(called), s.seats))
    waiting = module.waiting(s)
    points = [0] * MAX_SEATS
    winners = module.score(s, points) if arrangement != "thumb" else 0
    winners = winners if s.over else 0
    sheet = Sheet(s, view.seat, THEMES[theme], arrangement, called, waiting, points, winners)
    drawn = artist.thumb(sheet) if arrangement == "thumb" else artist.draw(sheet)
    return _svg(drawn, sheet, title)


@dataclass(frozen=True, slots=True)
class Showing:
    """All that a page shows of a position."""

    pieces: list[Written | Part]
    """The picture: put together, their texts are that of `picture`."""
    paths: dict[str, Any]
    words: str
    stage: dict[str, Any] | None
    prompt: str


def showing(
    view: View,
    *,
    arrangement: Arrangement = "wide",
    theme: ThemeName = "light",
    names: Sequence[str] | None = None,
    numbers: Sequence[int] | None = None,
    most_said: int = 1 << 30,
) -> Showing:
    """`picture`, `tree`, `words`, `stage` and `prompt` at once. The seat's legal moves may be given
    by their numbers; where there are more than `most_said` the tree does not say what they do."""
    s, artist, seat = view.hidden, drawing(view.game.name), view.seat
    said = artist.words(s, seat)
    if numbers is None:
        moves = _moves_of(view, s)
    else:
        moves = [(number, view.game.module.text(s, number)) for number in numbers]
    staged = getattr(artist, "stage", None)
    prompted = getattr(artist, "prompt", None) if moves else None
    return Showing(
        pieces(_drawn(view, s, said, arrangement, theme, names)),
        _tree(view, s, moves, len(moves) <= most_said) if moves else {},
        said,
        staged(s, seat) if staged else None,
        str(prompted(s, seat, [text for _, text in moves])) if prompted else "",
    )


def _no_such(what: str, given: object, known: Sequence[str]) -> str:
    known_ones = listed_or(list(known))
    return say(
        "there is no {what} {given}; it is {known}", what=what, given=repr(given), known=known_ones
    )


def _svg(drawn: Drawn, sheet: Sheet, title: str) -> Node:
    role = "img" if sheet.arrangement == "thumb" else "group"
    before, after = _opening(drawn.width, drawn.height, role, sheet.theme.paper)
    return [before, title, after[0], drawn.defined, after[1], *drawn.shown, CLOSING]


CLOSING = Written("</svg>")


@lru_cache(maxsize=64)
def _opening(
    width: int, height: int, role: str, paper: str
) -> tuple[Written, tuple[Written, Written]]:
    """What a picture begins with: up to its name, up to its definitions, and the paper after them."""
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width} {height}",
        "role": role,
        "aria-label": "|",
        "font-family": "Avenir Next,Segoe UI,system-ui,DejaVu Sans,sans-serif",
    }
    before, after = write(("svg", attributes, ("",))).split("|")
    rect = ("rect", {"width": width, "height": height, "fill": paper}, ())
    return Written(before), (Written(after.removesuffix(CLOSING)), write(rect))


def moves_of(view: View) -> list[tuple[int, str]]:
    """The legal moves of the view's seat: numbers and texts."""
    return _moves_of(view, view.look())


def _moves_of(view: View, s: Any) -> list[tuple[int, str]]:
    module = view.game.module
    if view.seat == SPECTATOR or not module.waiting(s) >> view.seat & 1:
        return []
    out = [0] * (module.MOVES + SCRIBBLE)
    n = module.legal(s, view.seat, out)
    return [(move, module.text(s, move)) for move in out[:n]]


def clicks(view: View) -> list[tuple[str, Path]]:
    """Every legal move of the view's seat with the ids of the picture to click, in order.

    A move may have several paths (stones chosen in any order; a pyramid clicked, or the pawn
    dragged to it). No path is another one's beginning: where the number of things to choose is
    free, an id that confirms ends the path. So a path that matches is a move, and a page need not
    ask.
    """
    return drawing(view.game.name).clicks(view.look(), view.seat, moves_of(view))


def tree(view: View, *, says: bool = True) -> dict[str, Any]:
    """The paths as a tree: ids inside ids, and at the ends {"move": its text, "says": what it does}.

    With says=False the ends have the move alone: explaining hundreds of moves takes a while, and a
    page may ask for the words of one by `view.explain`.
    """
    s = view.look()
    return _tree(view, s, _moves_of(view, s), says)


def _tree(view: View, s: Any, moves: Sequence[tuple[int, str]], says: bool) -> dict[str, Any]:
    module = view.game.module
    ends = {text: {"move": text} for _, text in moves}
    if says:
        for number, text in moves:
            ends[text]["says"] = module.explain(s, view.seat, number)
    root: dict[str, Any] = {}
    for move, path in drawing(view.game.name).clicks(s, view.seat, moves):
        node = root
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = ends[move]
    return root


def why(view: View, ids: Sequence[str]) -> str:
    """Why a path of clicks leads to no move, in the words of the rule; "" where nothing can be said."""
    s, module = view.look(), view.game.module
    if view.seat == SPECTATOR or not module.waiting(s) >> view.seat & 1:
        return "" if s.over else say("it is not your turn")
    try:  # the ids come from outside and may be anything
        move = drawing(view.game.name).asked(s, view.seat, ids)
        if move is None:
            return ""
        number, arguments = module.parse(move) if isinstance(move, str) else (move, ())
    except (ValueError, LookupError):
        return ""
    return str(module.refusal(s, view.seat, number, arguments))


def prompt(view: View) -> str:
    """What the view's seat can do now, in a sentence; "" if it is not to move."""
    made = getattr(drawing(view.game.name), "prompt", None)
    s, moves = view.look(), [text for _, text in moves_of(view)]
    return str(made(s, view.seat, moves)) if made and moves else ""


def stage(view: View) -> dict[str, Any] | None:
    """The table as a solid thing, for throws; None where there are none."""
    made = getattr(drawing(view.game.name), "stage", None)
    found: dict[str, Any] | None = made(view.look(), view.seat) if made else None
    return found


def motion(view: View, outcome: str, path: bytes) -> dict[str, Any] | None:
    """What is to be seen when chance that is due has this outcome, having come about on this path;
    None where nothing moves by itself."""
    made = getattr(drawing(view.game.name), "motion", None)
    found: dict[str, Any] | None = made(view.look(), view.seat, outcome, path) if made else None
    return found


@lru_cache
def sample(game: str) -> State:
    """A position from the middle of a game, to show what it looks like; not to be changed."""
    lines = files("mandalier.draw").joinpath("samples.txt").read_text("utf-8").splitlines()
    line = next(line for line in lines if line.startswith(f"{game} "))
    state = position(line)
    assert isinstance(state, State)
    return state


def words(view: View) -> str:
    """The position read aloud, in a short paragraph."""
    return drawing(view.game.name).words(view.look(), view.seat)


__all__ = [
    "clicks",
    "motion",
    "picture",
    "prompt",
    "sample",
    "showing",
    "stage",
    "tree",
    "why",
    "words",
]
