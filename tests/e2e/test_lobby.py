"""From the lobby to a game, as people do it."""

from __future__ import annotations

from tests.e2e.conftest import Visit


def test_the_lobby_shows_every_game(visitor: Visit) -> None:
    page = visitor().visit("/")
    page.get_by_role("heading", name="Mandala Stones").wait_for()
