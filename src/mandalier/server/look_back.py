"""Questions about a game that change nothing: how it stood, and what the points are made of.

Both are answered from what the viewer may know; a spectator who sees the game late is told of what
has been shown.
"""

from __future__ import annotations

from mandalier.games.gains import gains
from mandalier.games.words import say, speaking
from mandalier.server import protocol as p
from mandalier.server.frame import Frame
from mandalier.server.scene import Scene, Style
from mandalier.server.sitting import Refusal
from mandalier.server.table import Table


def recall(table: Table, ply: int, viewer: int, style: Style) -> p.RecallData:
    """An earlier position. Raises Refusal."""
    frame, scene = _shown(table, viewer)
    if ply > len(scene.log):
        text = say("the log has {n} entries so far", n=len(scene.log))
        raise Refusal("not_now", text)
    with speaking(style.language):
        view, motion = scene.recalled(ply, viewer, style, frame.names_for(style))
    return p.RecallData(ply, viewer if viewer >= 0 else None, view, motion)


def sums(table: Table, viewer: int, language: p.Language) -> p.SumsData:
    """Every seat's points, as the viewer knows them. Raises Refusal."""
    _, scene = _shown(table, viewer)
    view = scene.state.view(viewer)
    found = gains(scene.record(), viewer)
    made = []
    with speaking(language):
        for seat in range(scene.state.seats):
            parts = [p.Part(words, points) for words, points in view.sums(seat)]
            # only when and how much: the words of a gain are those its own seat was given
            gained = [p.Gained(one.ply, one.points) for one in found if one.seat == seat]
            made.append(p.Sum(seat, sum(part.points for part in parts), parts, gained))
    return p.SumsData(scene.at, made)


def _shown(table: Table, viewer: int) -> tuple[Frame, Scene]:
    frame = table.frame_for(viewer)
    if frame is None or frame.scene is None:
        raise Refusal("not_now", say("the game has not begun"))
    return frame, frame.scene
