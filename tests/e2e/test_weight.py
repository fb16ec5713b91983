"""How much a visit brings."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import Response

from tests.e2e.conftest import Visit
from tests.e2e.players import new_table, sit_down

LARGEST = 25_000
"""Bytes of script, packed, for a whole table without dice."""
THREE = "WebGLRenderer"


@pytest.mark.parametrize("game", ["sand", "stones", "pyramids"])
def test_a_table_without_dice_brings_little_script_and_none_to_draw_dice(
    visitor: Visit, game: str
) -> None:
    ada = visitor(reduced_motion="reduce")
    table = new_table(ada, game)
    scripts: dict[str, Response] = {}

    def see(answer: Response) -> None:
        if answer.request.resource_type == "script":
            scripts[answer.url] = answer

    ada.page.on("response", see)
    page = sit_down(ada, table)
    page.locator(".target").first.click()
    page.wait_for_load_state("networkidle")
    bodies = [answer.body() for answer in scripts.values()]
    assert bodies
    assert not [body for body in bodies if THREE.encode() in body]
    assert sum(len(gzip.compress(body, 9)) for body in bodies) < LARGEST
