"""Four art games at one table: exact rules, fast engines, records anyone can check."""

from mandalier.games.errors import IllegalMove, MandalierError, PositionError, RecordError
from mandalier.games.game import (
    GAMES,
    SPECTATOR,
    Result,
    State,
    View,
    deal,
    draw_with,
    position,
)
from mandalier.games.record import replay
from mandalier.search.bot import bot_move


def _picture(view: View) -> str:
    from mandalier.draw import picture

    return picture(view)


draw_with(_picture)

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "SPECTATOR",
    "IllegalMove",
    "MandalierError",
    "PositionError",
    "RecordError",
    "Result",
    "State",
    "View",
    "bot_move",
    "deal",
    "position",
    "replay",
]
