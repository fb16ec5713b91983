"""When a score came about: the points each entry of a record brought, as a viewer knows them.

`View.sums` tells what a score is made of in a position; of stones and pyramids a position does not
remember the turns. This does, by playing the record again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mandalier.games.contract import MAX_SEATS, SPECTATOR
from mandalier.games.game import State
from mandalier.games.record import check_form, play_entry, start
from mandalier.games.words import say


@dataclass(frozen=True, slots=True)
class Gain:
    """What an entry brought a seat, or cost it."""

    ply: int  # the index of the entry; −1 for what the setup gave
    seat: int
    points: int
    words: str  # what the entry did


def gains(record: Mapping[str, Any], viewer: int = SPECTATOR) -> list[Gain]:
    """Every change of a seat's points, in order; those of a seat add up to its score as the viewer
    knows it. Raises RecordError."""
    record = check_form(record)
    state = start(record)
    known = [0] * record["seats"]
    found = _changes(state, viewer, known, -1, say("at the start"))
    for ply, entry in enumerate(record["moves"]):
        who, _, text = entry.partition(" ")
        said = "" if who == "*" else _explained(state, who, text)
        play_entry(state, ply, entry)
        said = said or str(state.game.module.tell_chance(state.look(), text))
        found += _changes(state, viewer, known, ply, said)
    return found


def _explained(state: State, who: str, text: str) -> str:
    """What a move does, in the words its seat was given."""
    if who not in map(str, state.waiting):
        return text  # play_entry says what is wrong
    try:
        return state.view(int(who)).explain(text)
    except ValueError:
        return text


def _changes(state: State, viewer: int, known: list[int], ply: int, said: str) -> list[Gain]:
    now = [0] * MAX_SEATS
    state.game.module.score(state.view(viewer).look(), now)
    changed = [seat for seat, before in enumerate(known) if now[seat] != before]
    found = [Gain(ply, seat, now[seat] - known[seat], said) for seat in changed]
    known[:] = now[: len(known)]
    return found


__all__ = ["Gain", "gains"]
