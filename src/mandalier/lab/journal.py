"""What a long run keeps on disk, so that it can go on where it was stopped.

Two files: the records, in order, and a journal beside them. A line of the journal is written after
the records it tells of, and both reach the disk before the next one: what the journal says is there,
is there, even after a kill.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from mandalier.games.errors import MandalierError
from mandalier.games.words import say

Entry = dict[str, Any]


def journal_of(out: Path | None, journal: Path | None) -> Path | None:
    """Where the journal is: by default `out` with ".journal" added."""
    if out is not None and journal is None:
        return out.with_name(out.name + ".journal")
    return journal


class Journal:
    """The entries of a run so far. Without a file they are only counted in memory, by the caller."""

    def __init__(
        self,
        header: Mapping[str, Any],
        journal: Path | None,
        out: Path | None = None,
        *,
        overwrite: bool = False,
        keep: Callable[[list[Entry]], list[Entry]] = lambda entries: entries,
    ) -> None:
        """`keep` says which of the entries found are still needed."""
        self.entries: list[Entry] = []
        """What was found in the file."""
        self._header = json.loads(json.dumps(header))
        self._out: IO[bytes] | None = None
        self._journal: IO[bytes] | None = None
        if journal is not None:
            _check_files(journal, out)
            if not overwrite:
                self._resume(journal, out)
            self.entries = keep(self.entries)
            self._open(journal, out)

    def _resume(self, journal: Path, out: Path | None) -> None:
        if not journal.exists():
            if out is not None and out.exists() and out.stat().st_size:
                text = say("{file} is there already; --overwrite writes it anew", file=out)
                raise MandalierError(text)
            return
        lines = [line for line in journal.read_bytes().split(b"\n")[:-1] if line]
        if not lines:
            return
        try:
            header, *self.entries = map(json.loads, lines)
        except ValueError:
            header = None
        if header != self._header:
            text = say("{file} belongs to another run; --overwrite begins anew", file=journal)
            raise MandalierError(text)
        if out is not None and (out.stat().st_size if out.exists() else 0) < self._end():
            text = say("{file} is shorter than its journal says; --overwrite begins anew", file=out)
            raise MandalierError(text)

    def _end(self) -> int:
        """Where the records end that the entries tell of."""
        return int(self.entries[-1]["end"]) if self.entries else 0

    def _open(self, journal: Path, out: Path | None) -> None:
        if out is not None:
            self._out = open(out, "r+b" if out.exists() else "w+b")
            self._out.truncate(self._end())
            self._out.seek(self._end())
        # only whole lines count: write the journal anew, then go on behind it
        fresh = journal.with_name(journal.name + ".new")
        lines = [self._header, *self.entries]
        fresh.write_text("".join(json.dumps(line) + "\n" for line in lines))
        fresh.replace(journal)
        self._journal = open(journal, "ab")

    def add(self, entry: Entry, text: str = "") -> None:
        """Write records, then the entry that says they are there."""
        end = 0
        if self._out is not None:
            self._out.write(text.encode())
            _to_disk(self._out)
            end = self._out.tell()
        if self._journal is not None:
            self._journal.write(json.dumps({**entry, "end": end}).encode() + b"\n")
            _to_disk(self._journal)

    def close(self) -> None:
        for file in (self._out, self._journal):
            if file is not None:
                file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_files(journal: Path, out: Path | None) -> None:
    for file in filter(None, (journal, out)):
        if file.exists() and not file.is_file():
            raise MandalierError(
                say("{file} is no ordinary file, so nobody can go on with it", file=file)
            )
    if out is not None and out.resolve() == journal.resolve():
        raise MandalierError(say("{file} cannot be the records and the journal", file=out))


def _to_disk(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
