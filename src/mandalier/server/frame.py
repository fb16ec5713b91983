"""All there is to see of a table at one moment."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mandalier.games.words import say, speaking
from mandalier.search.levels import title_of
from mandalier.server import protocol as p
from mandalier.server.scene import Scene, Style, encode
from mandalier.server.sitting import Sitting


class Frame(Struct, frozen=True):
    """A moment of a table: the position, who sits where, the clocks. It never changes."""

    ms: int
    seq: int
    scene: Scene | None
    waiting: tuple[int, ...]
    info: p.TableInfo
    left: tuple[int, ...] | None
    running: tuple[int, ...]
    info_made: list[Any]
    """The info that was last made into JSON at this table, and the JSON: most moves leave it."""

    @classmethod
    def of(cls, sitting: Sitting, ms: int) -> Frame:
        clocks = sitting.clocks_at(ms)
        left = tuple(clocks.left) if clocks else None
        running = tuple(clocks.running) if clocks else ()
        made, info = sitting.info_made, sitting.info
        return cls(ms, sitting.seq, sitting.scene, sitting.waiting, info, left, running, made)

    @property
    def info_json(self) -> bytes:
        """The table as JSON."""
        if self.info_made[0] is not self.info:
            self.info_made[:] = [self.info, encode(self.info)]
        found: bytes = self.info_made[1]
        return found

    def names_for(self, style: Style) -> tuple[str, ...]:
        """The names on a picture of the table."""
        if style.form != "picture":
            return ()
        with speaking(style.language):
            return tuple(map(_name_of, self.info.seats))

    def clocks_at(self, now: int) -> p.Clocks | None:
        if self.left is None:
            return None
        gone = max(0, now - self.ms)
        left = [
            max(0, ms - gone) if seat in self.running else ms for seat, ms in enumerate(self.left)
        ]
        return p.Clocks(now, left, list(self.running))


def _name_of(seat: p.SeatInfo) -> str:
    if seat.kind == "bot" and seat.bot:
        return title_of(seat.bot)
    return seat.name or say("seat {seat}", seat=seat.seat)
