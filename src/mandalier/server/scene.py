"""A position of a table as it goes out: hidden for each viewer, drawn once for each way of looking.

Everything here is made from a `View`. Log lines that a viewer may not know yet (the choices all make
at the same time, the order of a new deck) are veiled until the rules show them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from mandalier.games.contract import SPECTATOR
from mandalier.games.game import State, View
from mandalier.games.words import speaking
from mandalier.server import protocol as p
from mandalier.server.protocol_stage import Motion

if TYPE_CHECKING:
    from mandalier.draw import Showing

MOTIONS_KEPT = 4
UNDER_WAY_MS = 2_500  # who comes later sees the dice at rest
MANY_MOVES = 40  # explaining so many takes too long to be done for every position
NOTHING: frozenset[int] = frozenset()
encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Style:
    """How a client wants its positions."""

    form: p.Form = "picture"
    language: p.Language = "en"
    explain: bool = False
    theme: Literal["light", "dark"] = "light"
    arrangement: Literal["wide", "tall"] = "wide"
    parts: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the position is told by data alone, which has no words in it."""
        return self.form == "data" and not self.explain

    @property
    def in_words(self) -> bool:
        return self.explain or self.form == "picture"


class Known:
    """What a client has of a table's picture: the marks of its parts, in order. It is what this
    connection was sent, and nothing else."""

    __slots__ = ("marks",)

    def __init__(self) -> None:
        self.marks = array("q")


class Before:
    """The position before another one, and what viewers were shown of it."""

    __slots__ = ("_views", "state")

    def __init__(self, state: State | None = None, views: dict[int, View] | None = None) -> None:
        self.state = state
        self._views = views or {}

    def view(self, viewer: int) -> View:
        """What a viewer knew then; mostly it is asked for once."""
        assert self.state is not None
        return self._views.pop(viewer, None) or self.state.view(viewer)


class Chronicle:
    """The log in words, for one viewer in one language: each move explained by what the viewer knew
    before it. It goes along with the table; where it was not there it replays the game."""

    def __init__(self, start: Callable[[], State], viewer: int) -> None:
        self._start = start
        self._viewer = viewer
        self._now: State | None = None
        """The last position that was told."""
        self._state: State | None = None
        """The game as far as it had to be replayed."""
        self._words: list[str] = []

    def of(self, now: State, before: Before) -> list[str]:
        """The words of all entries up to now."""
        if now is self._now:
            return self._words
        if before.state is not None and before.state is self._now:  # it has been told up to there
            new = now.entries(len(self._words))
            if now.plies > len(self._words) and self._is_one_move(new):
                who, _, text = new[0].partition(" ")
                self._words.append(intern(before.view(self._viewer).explain(text, int(who))))
                if len(new) > 1:
                    self._words.append(self._told_of(now, new[1][2:]))
                self._now = now
                return self._words
        return self._replay(now)

    @staticmethod
    def _is_one_move(new: list[str]) -> bool:
        return new[0][0] != "*" and (len(new) == 1 or (len(new) == 2 and new[1][0] == "*"))

    def _replay(self, now: State) -> list[str]:
        """The same, from the last position that was told if it is on the way to this one."""
        log, read = now.log, self._now.log if self._now else ()
        if read[: len(log)] == log:
            return self._words[: len(log)]  # who sees the game later than others
        first = len(read)
        if log[:first] != read:
            first = next(i for i, entry in enumerate(read) if log[i : i + 1] != (entry,))
            del self._words[first:]
        state = self._state
        if state is None or log[: state.plies] != state.log:
            state = self._state = self._start()
        for i in range(state.plies, len(log)):
            who, _, text = log[i].partition(" ")
            told = ""
            if who == "*":
                state.roll(text)
                if i >= first:
                    told = self._told_of(state, text)
            else:
                if i >= first:
                    told = state.view(self._viewer).explain(text, int(who))
                state.move(text, int(who))
            if i >= first:
                self._words.append(intern(told))
        self._now = now
        return self._words

    @staticmethod
    def _told_of(state: State, text: str) -> str:
        """What chance has brought, `state` being right after it."""
        return str(state.game.module.tell_chance(state.look(), text))


FIRST = Before()


class _Glance:
    """A state that is read when something is asked of it: most entries are no secret whatever it is."""

    def __init__(self, state: State) -> None:
        self._look = state.look
        self._seen: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._seen is None:
            self._seen = self._look()
        return getattr(self._seen, name)


@dataclass(frozen=True, slots=True)
class Thrown:
    """Something that was thrown, as it was to be seen: the position before, the move, what came of
    it and how."""

    at: int
    ms: int
    entry: int
    before: State
    seat: int
    move: str
    outcome: str
    path: bytes
    made: dict[tuple[int, str], Motion | None] = field(default_factory=dict)

    def seen(self, viewer: int, language: p.Language) -> Motion | None:
        key = (viewer, language)
        if key not in self.made:
            state = self.before.copy()
            state.move(self.move, self.seat)
            with speaking(language):
                self.made[key] = motion_of(state, viewer, self.outcome, self.path, self.at)
        return self.made[key]


class Scene:
    """One position of one table. It never changes, so it can be shown later, too."""

    def __init__(
        self,
        state: State,
        at: int,
        ms: int,
        veiled: frozenset[int],
        history: dict[int, int],
        chronicles: dict[tuple[int, str], Chronicle],
        start: Callable[[], State],
        thrown: tuple[Thrown, ...] = (),
        paths: Mapping[int, bytes] = MappingProxyType({}),
        before: Before = FIRST,
    ) -> None:
        self.state = state
        self._before = before
        self._views: dict[int, View] = {}
        self.at = at
        self.ms = ms
        self.veiled = veiled
        self._history = history
        """Of all positions so far: from which entry on the log differs from the one before."""
        self._chronicles = chronicles
        self._start = start
        self._sights: dict[int | tuple[int, Style, tuple[str, ...]], bytes] = {}
        self._news: dict[Any, tuple[bytes, array[int]]] = {}
        self._logs: dict[tuple[int, str | None, int], bytes] = {}
        self._private: dict[int, bool] = {}
        self._thrown = thrown
        """The last throws."""
        self._paths = paths
        """Of all throws: the number of the entry that tells the outcome, and the path."""

    @classmethod
    def first(cls, state: State, at: int, ms: int, start: Callable[[], State]) -> Scene:
        """The position after the deal."""
        return cls(state, at, ms, frozenset(), {at: 0}, {}, start)

    def then(
        self, state: State, at: int, ms: int, changed_from: int, path: bytes | None = None
    ) -> Scene:
        """The position after this one; the log differs from entry `changed_from` on. `path` is how
        the chance that followed a move came about, if that is to be seen."""
        thrown, paths = self._thrown, self._paths
        if paths or path is not None:
            thrown, paths = self._thrown_then(state, at, ms, changed_from, path)
        veiled = NOTHING
        secret = state.game.module.__dict__.get("secret")
        if secret is not None and not state.over:
            new = enumerate(state.entries(changed_from), changed_from)
            asked = [*((i, state.log[i]) for i in self.veiled if i < changed_from), *new]
            now = _Glance(state)
            found = [i for i, entry in asked if secret(now, entry)]
            veiled = frozenset(found) if found else NOTHING
        if self.veiled:
            lifted = [i for i in self.veiled if i < changed_from and i not in veiled]
            changed_from = min([changed_from, *lifted])
        self._history[at] = changed_from
        return Scene(
            state,
            at,
            ms,
            veiled,
            self._history,
            self._chronicles,
            self._start,
            thrown,
            paths,
            Before(self.state, self._views),
        )

    def _thrown_then(
        self, state: State, at: int, ms: int, changed_from: int, path: bytes | None
    ) -> tuple[tuple[Thrown, ...], Mapping[int, bytes]]:
        last = state.plies - 1
        thrown = tuple(one for one in self._thrown if one.entry < changed_from)
        paths = {i: kept for i, kept in self._paths.items() if i < changed_from}
        if path is None:
            return thrown, paths
        moved, fell = state.entries(last - 1)
        who, _, move = moved.partition(" ")
        now = Thrown(at, ms, last, self.state, int(who), move, fell[2:], path)
        return (*thrown, now)[-MOTIONS_KEPT:], {**paths, last: path}

    def motions(
        self, since: int | None, viewer: int, style: Style, now: int, delay_ms: int
    ) -> list[Motion]:
        """What was thrown since a position; to who comes anew, what is still under way."""
        if not self._thrown or style.form != "picture":
            return []
        found = []
        for one in self._thrown:
            age = max(0, now - one.ms - delay_ms)
            if one.at > since if since is not None else age < UNDER_WAY_MS:
                if (seen := one.seen(viewer, style.language)) is not None:
                    found.append(msgspec.structs.replace(seen, age_ms=age))
        return found

    @property
    def log(self) -> tuple[str, ...]:
        return self.state.log

    def log_from(self, since: int | None) -> int:
        """From which line on the log has changed since a position."""
        if since is None:
            return 0
        first = self.state.plies
        for at, changed_from in reversed(self._history.items()):  # mostly the one before the last
            if at == since:
                return first
            if at < since:
                break
            if at <= self.at:
                first = min(first, changed_from)
        return 0

    def log_of(self, viewer: int, style: Style, first: int) -> bytes:
        """The log from a line on, as JSON."""
        language = style.language if style.in_words else None
        if language is None and not self.veiled:
            viewer = SPECTATOR  # all see the same
        key = (viewer, language, first)
        if key not in self._logs:
            self._logs[key] = encode(self._lines(viewer, language, first))
        return self._logs[key]

    def _lines(self, viewer: int, language: str | None, first: int) -> list[p.LogLine]:
        words = self._words(viewer, language) if language else None
        lines = []
        for i, entry in enumerate(self.state.entries(first), first):
            who, _, text = entry.partition(" ")
            seat = None if who == "*" else int(who)
            if i in self.veiled and (seat is None or seat != viewer):
                told = words[i] if words and seat is None else ""
                lines.append(p.LogLine(seat, None, told))
            else:
                lines.append(p.LogLine(seat, text, words[i] if words else ""))
        return lines

    def _words(self, viewer: int, language: str) -> list[str]:
        key = (viewer, language)
        with speaking(language):
            if key not in self._chronicles:
                self._chronicles[key] = Chronicle(self._start, viewer)
            return self._chronicles[key].of(self.state, self._before)

    def sight_of(
        self,
        viewer: int,
        style: Style,
        names: tuple[str, ...] = (),
        known: Known | None = None,
    ) -> bytes:
        """The position as this viewer sees it, as JSON. The names are for pictures. With `known`, of
        a picture only what is not known there, and it is known from then on."""
        if style.form == "picture" and style.parts and known is not None:
            return self._news_of(viewer, style, names, known)
        key = viewer if style.is_plain else (viewer, style, names)
        found = self._sights.get(key)
        if found is None:
            found = self._sketch(viewer) if style.is_plain else None
            if found is None:
                with speaking(style.language):
                    found = encode(self._sight(viewer, style, names))
            if viewer == SPECTATOR or style.form != "picture":  # of a seat's, one has it as a rule
                self._sights[key] = found
        return found

    def _news_of(self, viewer: int, style: Style, names: tuple[str, ...], known: Known) -> bytes:
        key = (style, names, known.marks.tobytes()) if viewer == SPECTATOR else None
        made = self._news.get(key) if key else None
        if made is None:
            with speaking(style.language):
                moves = self._numbers(viewer)
                view, marks = parts_of(self._view(viewer), style, names, known.marks, moves)
            made = encode(view), marks
            if key:  # many may look on, and have seen the same
                self._news[key] = made
        found, known.marks = made
        return found

    def _sketch(self, viewer: int) -> bytes | None:
        """The position for programs, if the game has a quick way to tell it."""
        view = self.state.sketch(viewer)
        if view is None:
            return None
        legal = encode(self.state.legal(viewer)) if viewer in self.state.waiting else b"[]"
        return b'{"form":"data","view":%b,"legal":%b}' % (view, legal)

    def _view(self, viewer: int) -> View:
        """What a viewer knows; it is kept for the words of the next move."""
        if viewer not in self._views:
            self._views[viewer] = self.state.view(viewer)
        return self._views[viewer]

    def _numbers(self, viewer: int) -> list[int]:
        """The legal moves of a seat."""
        return self.state.numbers(viewer) if viewer in self.state.waiting else []

    def is_private(self, viewer: int) -> bool:
        """Whether a seat sees what a spectator may not."""
        if viewer not in self._private:
            seen, shown = (self.state.view(who).describe() for who in (viewer, SPECTATOR))
            self._private[viewer] = {**seen, "viewer": None} != shown
        return self._private[viewer]

    def recalled(
        self, ply: int, viewer: int, style: Style, names: tuple[str, ...] = ()
    ) -> tuple[p.PlainView | p.PictureView, Motion | None]:
        """The position after so many entries of the log, as the viewer saw it then, and what was
        thrown to get there."""
        state = self._start()
        motion = None
        for i, entry in enumerate(self.log[:ply]):
            who, _, text = entry.partition(" ")
            if who == "*":
                if i == ply - 1 and style.form == "picture":
                    motion = motion_of(state, viewer, text, self._paths.get(i, b""), self.at)
                state.roll(text)
            else:
                state.move(text, int(who))
        view = state.view(viewer)
        if style.form == "picture":
            found = picture_of(view, style, names)
            return msgspec.structs.replace(found, paths={}, stage=None, prompt=""), motion
        return p.PlainView(view.describe(), []), None

    def record(self) -> dict[str, Any]:
        """The whole game so far; never to go out as it is."""
        return self.state.record()

    def _sight(
        self, viewer: int, style: Style, names: tuple[str, ...]
    ) -> p.PlainView | p.PictureView:
        view = self.state.view(viewer)
        if style.form == "picture":
            return picture_of(view, style, names)
        legal: Any = self.state.legal(viewer) if viewer in self.state.waiting else []
        if style.explain:
            legal = [p.LegalMove(move, view.explain(move)) for move in legal]
        return p.PlainView(view.describe(), legal)


def picture_of(view: View, style: Style, names: tuple[str, ...] = ()) -> p.PictureView:
    """A view as SVG with the ids to click for each move."""
    shown = _showing(view, style, names)
    return _picture(shown, "".join([piece.text for piece in shown.pieces]), None)


def parts_of(
    view: View,
    style: Style,
    names: tuple[str, ...],
    known: array[int],
    numbers: Sequence[int] | None = None,
) -> tuple[p.PictureView, array[int]]:
    """The same, of which the parts with these marks are known; and the marks of its own parts."""
    shown = _showing(view, style, names, numbers)
    marks = array("q", [piece.mark for piece in shown.pieces])
    there = len(known)
    place: dict[int, int] | None = None
    parts: list[str | list[int]] = []
    run = [-1, -1]
    for i, (mark, piece) in enumerate(zip(marks, shown.pieces, strict=True)):
        at: int | None = i
        if i >= there or known[i] != mark:  # mostly it stays in its place or is new
            if place is None:
                place = {one: n for n, one in enumerate(known)}
            at = place.get(mark)
        if at is None:
            parts.append(piece.text)
            run = [-1, -1]
        elif at == run[1]:
            run[1] += 1
        else:
            run = [at, at + 1]
            parts.append(run)
    return _picture(shown, "", parts), marks


def _showing(
    view: View, style: Style, names: tuple[str, ...], numbers: Sequence[int] | None = None
) -> Showing:
    from mandalier import draw

    return draw.showing(
        view,
        arrangement=style.arrangement,
        theme=style.theme,
        names=names,
        numbers=numbers,
        most_said=MANY_MOVES,
    )


def _picture(shown: Showing, svg: str, parts: list[str | list[int]] | None) -> p.PictureView:
    stage: Any = shown.stage  # as a Stage would be written; a test sees to that
    return p.PictureView(svg, shown.paths, shown.words, stage, shown.prompt, parts)


def motion_of(state: State, viewer: int, outcome: str, path: bytes, at: int) -> Motion | None:
    """What a viewer sees of chance that is due and has this outcome; None if nothing moves. Where
    nothing was kept of how it came about, it is made up."""
    from mandalier import draw

    path_to = state.game.module.__dict__.get("path_to")
    if path_to is None:
        return None
    path = path or path_to(state.look(), outcome)
    found = draw.motion(state.view(viewer), outcome, path)
    return msgspec.convert({**found, "at": at, "age_ms": 0}, Motion) if found else None
