"""The path of the dice in one throw as a few hundred bytes, for the screen.

60 pictures a second. A position is x, y and z of the die's centre in tenths of a millimetre (x
right and y down from the grid's top left as seen by seat 0, z up from the table); an
orientation is a quaternion as in `cube`, in 32 bits: the place of its largest part and ten
bits for each of the others. Positions are coded by how much they bend, orientations by how
much they change, each as a short number, and the whole is deflated.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mandalier.games.dice.cube import Quaternion

FORMAT = 1
_STEPS = 1023 / math.sqrt(2)  # ten bits over the range of a part that is not the largest


@dataclass(frozen=True, slots=True)
class Track:
    """One die's path: from picture `start` on, at rest before and after."""

    seat: int
    die: int
    start: int
    places: tuple[tuple[int, int, int], ...]
    turns: tuple[Quaternion, ...]


def squeeze(q: Sequence[float]) -> tuple[int, int, int, int]:
    """A quaternion as the place of its largest part and three numbers of ten bits."""
    largest = max(range(4), key=lambda i: abs(q[i]))
    sign = 1.0 if q[largest] >= 0 else -1.0
    parts = [
        min(1023, max(0, round((sign * q[i] + math.sqrt(0.5)) * _STEPS)))
        for i in range(4)
        if i != largest
    ]
    return (largest, parts[0], parts[1], parts[2])


def unsqueeze(packed: Sequence[int]) -> Quaternion:
    """`squeeze` undone, to about a tenth of a degree."""
    parts = [part / _STEPS - math.sqrt(0.5) for part in packed[1:]]
    parts.insert(packed[0], math.sqrt(max(0.0, 1.0 - sum(part * part for part in parts))))
    w, x, y, z = parts
    return (w, x, y, z)


def _short(numbers: Iterable[int]) -> bytes:
    """Whole numbers, small ones in one byte: sign in the lowest bit, seven bits a byte."""
    out = bytearray()
    for number in numbers:
        rest = number * 2 if number >= 0 else -number * 2 - 1
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return bytes(out)


class _Numbers:
    """Reads what `_short` wrote."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def next(self) -> int:
        rest = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            rest |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return -(rest + 1 >> 1) if rest & 1 else rest >> 1


def pack_trajectory(tracks: Sequence[Track]) -> bytes:
    """The tracks as bytes; orientations lose what 32 bits cannot hold."""
    numbers = [len(tracks)]
    for track in tracks:
        numbers += [track.seat, track.die, track.start, len(track.places)]
        for axis in range(3):
            before = bend = 0
            for place in track.places:
                step = place[axis] - before
                numbers.append(step - bend)
                before, bend = place[axis], step
        last = (0, 512, 512, 512)
        for q in track.turns:
            packed = squeeze(q)
            numbers.append(packed[0] - last[0])
            numbers += [packed[i] - last[i] for i in (1, 2, 3)]
            last = packed
    return bytes([FORMAT]) + zlib.compress(_short(numbers), 9, -15)


def unpack_trajectory(data: bytes) -> tuple[Track, ...]:
    """`pack_trajectory` undone."""
    if not data or data[0] != FORMAT:
        raise ValueError(f"not a trajectory of format {FORMAT}: {data[:8]!r}")
    numbers = _Numbers(zlib.decompress(data[1:], -15))
    return tuple(_track(numbers) for _ in range(numbers.next()))


def _track(numbers: _Numbers) -> Track:
    seat, die, start, count = (numbers.next() for _ in range(4))
    axes: list[list[int]] = []
    for _ in range(3):
        here = step = 0
        axes.append([])
        for _ in range(count):
            step += numbers.next()
            here += step
            axes[-1].append(here)
    turns = []
    last = [0, 512, 512, 512]
    for _ in range(count):
        last = [part + numbers.next() for part in last]
        turns.append(unsqueeze(last))
    return Track(seat, die, start, tuple(zip(*axes, strict=True)), tuple(turns))
