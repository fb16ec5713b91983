"""Four art games at one table: exact rules, fast engines, records anyone can check."""

from mandalier.games.game import (
    GAMES,
    SPECTATOR,
    IllegalMove,
    MandalierError,
    PositionError,
    Result,
    State,
    View,
    deal,
    position,
)

__version__ = "0.1.0"

__all__ = [
    "GAMES",
    "SPECTATOR",
    "IllegalMove",
    "MandalierError",
    "PositionError",
    "Result",
    "State",
    "View",
    "deal",
    "position",
]
