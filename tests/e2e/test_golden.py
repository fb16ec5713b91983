"""The table looks as it did when somebody last looked at it."""

from __future__ import annotations

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.e2e.golden import FOLDER, NAMES, difference, take

TOLERATED = 0.03
"""The share of the picture that may differ: other fonts, other machines."""


@pytest.mark.parametrize("name", NAMES)
def test_the_table_looks_as_in_the_golden_folder(browser: Browser, served: str, name: str) -> None:
    shot = take(browser, served, name)
    golden = Image.open(FOLDER / f"{name}.png").convert("RGB")
    share = difference(shot, golden)
    assert share <= TOLERATED, f"{share:.1%} differs: python -m tests.e2e.golden {name}, and look"


def test_another_picture_is_told_apart() -> None:
    one, other = (Image.open(FOLDER / f"{name}.png") for name in ("sand-tall", "stones-tall"))
    assert difference(one, one) == 0
    assert difference(one, other) > 5 * TOLERATED
