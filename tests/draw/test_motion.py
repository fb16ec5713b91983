"""What a page needs to see pieces move: pieces keep their ids, or their kind tells them."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

import mandalier
from mandalier import draw
from mandalier.games.contract import SPECTATOR
from mandalier.games.game import State, View
from tests.support import plays


def kinds(view: View) -> dict[str, str]:
    """The kind of each piece by its id."""
    root = ET.fromstring(draw.picture(view))
    return {key: kind for e in root.iter() if (key := e.get("id")) and (kind := e.get("data-k"))}


def ids(view: View) -> set[str]:
    return {key for e in ET.fromstring(draw.picture(view)).iter() if (key := e.get("id"))}


def moved(state: State, move: str, viewer: int) -> tuple[Counter[str], Counter[str]]:
    """The kinds of the pieces that are gone, and of those that are new, after a move."""
    before = kinds(state.view(viewer))
    seat = state.waiting[0]
    state.play(move, seat)
    after = kinds(state.view(viewer))
    gone = Counter(kind for key, kind in before.items() if key not in after)
    new = Counter(kind for key, kind in after.items() if key not in before)
    return gone, new


def test_a_card_goes_from_the_hand_to_the_mountain() -> None:
    state = mandalier.deal("sand", seed=7)
    before = kinds(state.view(0))
    assert "m1-y-1" not in before
    gone, new = moved(state, "m1y", SPECTATOR)
    assert new["y"] == 1  # for who does not see the hand, a card turns up
    assert gone == Counter()  # and three were drawn for it


def test_cards_of_a_colour_go_to_the_field_together() -> None:
    state = mandalier.deal("sand", seed=7)
    gone, new = moved(state, "f1y2", 0)
    assert gone == new == Counter({"y": 2})


def test_an_artist_and_its_stones_move() -> None:
    for state in plays("stones", 2, 5):
        if state.over:
            break
        seat = state.waiting[0]
        picks = [move for move in state.legal(seat) if "-" in move]
        if not picks:
            continue
        move = random.Random(len(state.log)).choice(picks)
        gone, new = moved(state.copy(), move, seat)
        assert gone == new
        assert sum(n for kind, n in gone.items() if kind.startswith("artist-")) == 1


def test_a_scored_top_goes_to_the_mandala() -> None:
    for state in plays("stones", 2, 6):
        seat = state.waiting[0] if state.waiting else 0
        for move in [m for m in state.legal(seat) if m.startswith("tops")][:2]:
            gone, new = moved(state.copy(), move, seat)
            assert gone == new
            assert sum(gone.values()) == len(move) - len("tops ")


def test_a_pyramid_goes_to_its_taker_and_others_to_the_eye() -> None:
    state = mandalier.deal("pyramids", seats=2, seed=7)
    state.play("5")
    before = state.view(0).describe()["path"]
    gone, new = moved(state, "9", 0)
    assert gone == Counter([before[8], *before[:4]])
    assert new == Counter([before[8]])


@pytest.mark.parametrize("seats", range(2, 6))
def test_each_pawn_keeps_its_id(seats: int) -> None:
    for state in plays("pyramids", seats, 8):
        pawns = {key for key in ids(state.view()) if key.startswith("pawn-")}
        assert pawns == {f"pawn-{seat}" for seat in range(seats)}


@pytest.mark.parametrize("seats", range(2, 5))
def test_a_canvas_has_its_id_wherever_it_lies(seats: int) -> None:
    for ply, state in enumerate(plays("dice", seats, 8)):
        told = state.view().describe()
        if ply % 6 or told["phase"] == "exhibition":
            continue
        lying = {card for row in told["grid"] for card in row if card}
        held = {card for seat in told["seats"] for card in seat["hand"]}
        shown = {key for key in ids(state.view()) if key.startswith("card-")}
        assert shown == {f"card-{card}" for card in lying | held}
        dice = {(seat, one["die"]) for seat in range(seats) for one in told["seats"][seat]["dice"]}
        assert {key for key in ids(state.view()) if key.startswith("die-")} == {
            f"die-{seat}-{die}" for seat, die in dice
        }
