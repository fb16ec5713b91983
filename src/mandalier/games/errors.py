"""What goes wrong at the edge of the package, in words for people."""

from __future__ import annotations

from collections.abc import Sequence

from mandalier.games.words import say

SHOWN_MOVES = 12  # legal moves listed in an error


class MandalierError(ValueError):
    """Something asked for that cannot be; the message says why, and what can."""


class PositionError(MandalierError):
    """A text that is no position; the message names the field and what is wrong with it."""


class RecordError(MandalierError):
    """A record that is wrong. `ply` is the index in `moves` of the entry at fault, if one is."""

    def __init__(self, reason: str, ply: int | None = None) -> None:
        self.reason = reason
        self.ply = ply
        super().__init__(
            reason if ply is None else say("ply {ply}: {reason}", ply=ply, reason=reason)
        )


class IllegalMove(MandalierError):
    """A move the rules forbid. `reason` is the rule in words, `legal` what may be played."""

    def __init__(self, move: str, reason: str, legal: Sequence[str] = ()) -> None:
        self.move = move
        self.reason = reason
        self.legal = tuple(legal)
        super().__init__(f"{move}: {reason}" + _legal_here(legal))


def _legal_here(legal: Sequence[str]) -> str:
    if not legal:
        return ""
    shown = ", ".join(legal[:SHOWN_MOVES])
    if len(legal) > SHOWN_MOVES:
        more = say("… {n} in all", n=len(legal))
        shown = f"{shown} {more}"
    return ". " + say("Legal here: {moves}", moves=shown)
