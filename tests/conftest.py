"""Fixtures and settings all tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from mandalier.games.words import speaking

settings.register_profile(
    "mandalier",
    deadline=None,  # a rule may be compiled on its first call
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("mandalier")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first: at the end one worker would be left with them, and the others idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(autouse=True)
def _in_english(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Tests read what is said, in English whatever the machine speaks."""
    monkeypatch.setenv("MANDALIER_LANG", "en")
    with speaking("en"):
        yield
