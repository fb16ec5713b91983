"""Puts the built page into wheels and source archives, so that installing one needs no Node."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _page() -> Any:
    """web/build.py; None in a source archive without it, which has the page built."""
    path = Path(__file__).parent / "web" / "build.py"
    spec = importlib.util.spec_from_file_location("page_build", path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


class PageHook(BuildHookInterface[Any]):
    """Builds the page unless it is there, of the sources that are there."""

    def dependencies(self) -> list[str]:
        page = _page()
        if page is None or page.is_built() or page.has_node():
            return []
        return [page.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # `make play` and `make web` build it where the server looks
        if page := _page():
            page.build()
        build_data["artifacts"].append("/src/mandalier/web/**")
