"""Whole games against a bot, in a browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import Visit
from tests.e2e.players import Way, new_table, play_to_the_end, position, sit_down
from tests.e2e.visit import DESKTOP, PHONE

GAMES = ["sand", "stones", "pyramids", "dice"]
BROWSERS: dict[Way, dict[str, Any]] = {
    "mouse": {"viewport": DESKTOP},
    "touch": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
    "keys": {"viewport": DESKTOP},
}


@pytest.mark.parametrize("way", list(BROWSERS))
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_to_its_result(visitor: Visit, game: str, way: Way) -> None:
    ada = visitor(reduced_motion="reduce", **BROWSERS[way])
    table = new_table(ada, game)
    page = sit_down(ada, table)
    moves = play_to_the_end(page, way)
    info = position(ada, table)["info"]
    assert info["status"] == "over"
    assert moves > 3
    shown = page.locator(".places b").all_inner_texts()
    assert sorted(map(int, shown)) == sorted(info["outcome"]["scores"])
    assert "won" in page.title() or "shared" in page.title()
