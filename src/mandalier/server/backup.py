"""Backups while the server runs: one consistent copy of all that it keeps.

SQLite copies its file by itself, page by page as one transaction sees it, without stopping writers.
For PostgreSQL its own `pg_dump` does the same.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server.store import check_version

PATIENCE_S = 30.0


class BackupError(MandalierError):
    """A backup that cannot be made; the message says why."""


def place_for(asked: Path, ending: str) -> Path:
    """The file to write: the one asked for, or in a folder one named after the time."""
    if asked.is_dir():
        asked = asked / time.strftime(f"mandalier-%Y%m%d-%H%M%S{ending}")
    if asked.exists():
        raise BackupError(say("{file} is there already; name another file", file=asked))
    return asked


def copy_sqlite(database: Path, to: Path) -> int:
    """Copy a database that may be in use, see that the copy is whole, and say how many events it
    has. The copy appears under its name only when it is complete."""
    if not database.is_file():
        raise BackupError(
            say("there is no {file}: no server has kept anything there", file=database)
        )
    part = to.with_name(to.name + ".part")
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))  # it holds secrets
    try:
        source = sqlite3.connect(database, timeout=PATIENCE_S)
        copy = sqlite3.connect(part)
        try:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            wrong = [row[0] for row in copy.execute("PRAGMA quick_check") if row[0] != "ok"]
            if wrong:
                raise BackupError(f"{database}: {wrong[0]}")
            check_version(copy.execute("PRAGMA user_version").fetchone()[0], str(database))
            events = int(copy.execute("SELECT COUNT(*) FROM events").fetchone()[0])
        finally:
            copy.close()
            source.close()
        _to_disk(part)
        part.rename(to)
        _to_disk(to.parent)
    except sqlite3.Error as error:
        raise BackupError(f"{database}: {error}") from None
    finally:
        part.unlink(missing_ok=True)
    return events


def _to_disk(path: Path) -> None:
    """What is written outlives a loss of power from here on."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def dump_postgres(address: str, to: Path) -> None:
    """Have pg_dump write its compressed archive. The password is not shown in its arguments."""
    program = shutil.which("pg_dump")
    if program is None:
        raise BackupError(
            say("pg_dump is not here; install PostgreSQL's client programs, or run it elsewhere")
        )
    parts = urlsplit(address)
    environment = dict(os.environ)
    if parts.password is not None:
        environment["PGPASSWORD"] = unquote(parts.password)
        user, _, host = parts.netloc.rpartition("@")
        parts = parts._replace(netloc=f"{user.partition(':')[0]}@{host}")
    part = to.with_name(to.name + ".part")
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        done = subprocess.run(
            [program, "--format=custom", f"--file={part}", f"--dbname={urlunsplit(parts)}"],
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise BackupError(" ".join(done.stderr.split()) or "pg_dump")
        _to_disk(part)
        part.rename(to)
        _to_disk(to.parent)
    finally:
        part.unlink(missing_ok=True)
