"""Golden records: each pins one rule, and is written anew singly (see README.md)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mandalier.games.record import dumps


def write(folder: Path, stories: Iterable[str], record_of: Callable[[str], Any]) -> None:
    """The command line of a maker: write the records of these names; without a name, list them."""
    names = sys.argv[1:]
    if not names:
        print(*stories, sep="\n")
    for name in names:
        if name not in stories:
            sys.exit(f"there is no golden record {name!r} in {folder.name}")
        (folder / f"{name}.jsonl").write_text(dumps(record_of(name)) + "\n", encoding="utf-8")
