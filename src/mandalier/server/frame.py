"""All there is to see of a table at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server.scene import Scene, Style, encode
from mandalier.server.sitting import Sitting


@dataclass(frozen=True)
class Frame:
    """A moment of a table: the position, who sits where, the clocks. It never changes."""

    ms: int
    seq: int
    scene: Scene | None
    waiting: tuple[int, ...]
    info: p.TableInfo
    left: tuple[int, ...] | None
    running: tuple[int, ...]

    @classmethod
    def of(cls, sitting: Sitting, ms: int) -> Frame:
        clocks = sitting.clocks_at(ms)
        return cls(
            ms,
            sitting.seq,
            sitting.scene,
            sitting.waiting,
            sitting.info,
            tuple(clocks.left) if clocks else None,
            tuple(clocks.running) if clocks else (),
        )

    @cached_property
    def info_json(self) -> bytes:
        return encode(self.info)

    def names_for(self, style: Style) -> tuple[str, ...]:
        """The names on a picture of the table."""
        if style.form != "picture":
            return ()
        return tuple(seat.name or say("seat {seat}", seat=seat.seat) for seat in self.info.seats)

    def clocks_at(self, now: int) -> p.Clocks | None:
        if self.left is None:
            return None
        gone = max(0, now - self.ms)
        left = [
            max(0, ms - gone) if seat in self.running else ms for seat, ms in enumerate(self.left)
        ]
        return p.Clocks(now, left, list(self.running))
