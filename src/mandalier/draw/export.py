"""Pictures as PNG, and whole games as moving GIFs. These need the libraries of the extra `pictures`.

Letters are drawn with the fonts of the machine.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mandalier.draw import Arrangement, ThemeName, picture
from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.game import State
from mandalier.games.record import play_entry, start
from mandalier.games.words import say

COLOURS = 128  # of a frame in a GIF


def png(svg: str, width: int) -> bytes:
    """A picture as PNG, so many pixels wide."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MandalierError(_needs("resvg-py")) from None
    return bytes(svg_to_bytes(svg_string=svg, width=width))


def _needs(library: str) -> str:
    return say("this needs {library}: pip install 'mandalier[pictures]' brings it", library=library)


def states_of(record: Mapping[str, Any]) -> Iterator[State]:
    """The states of a record: after the setup, and after each of its entries. The same object, as
    it goes on."""
    state = start(record)
    yield state
    for ply, entry in enumerate(record["moves"]):
        play_entry(state, ply, entry)
        yield state


def film(
    record: Mapping[str, Any],
    path: Path,
    *,
    seat: int = SPECTATOR,
    width: int = 640,
    hold_ms: int = 900,
    arrangement: Arrangement = "wide",
    theme: ThemeName = "light",
    names: Sequence[str] | None = None,
    report: Callable[[int, int], None] | None = None,
) -> int:
    """A game as a GIF, a frame an entry, as a seat (or a spectator) saw it; how many frames."""
    try:
        from PIL import Image
    except ImportError:
        raise MandalierError(_needs("Pillow")) from None
    frames, last = [], ""
    for ply, state in enumerate(states_of(record)):
        svg = picture(state.view(seat), arrangement=arrangement, theme=theme, names=names)
        if svg != last:
            frame = Image.open(io.BytesIO(png(svg, width))).convert("RGB")
            frames.append(frame.quantize(COLOURS, dither=Image.Dither.NONE))
            last = svg
        if report:
            report(ply, len(record["moves"]))
    times = [hold_ms] * (len(frames) - 1) + [4 * hold_ms]
    frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return len(frames)
