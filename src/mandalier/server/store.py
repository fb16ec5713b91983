"""Where tables are kept: one interface, SQLite by default, PostgreSQL for several servers.

All that happens at a table is a row of `events`: (table, seq) is its primary key, so of two who
append the same number one is refused, by the database itself; (table, client) is unique, so a
message sent twice counts once. `append` returns when the row outlives a crash, and groups of rows
that come at the same time share one commit.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server import accounts, notify

Statement = tuple[str, Sequence[Any]]
"""SQL that both databases understand, with ? for values, and the values."""

LARGEST_GROUP = 512
MANY = 4
GATHER_S = 0.001
"""When so many rows come at a time, so long more are waited for: a commit costs as much as writing
a dozen of them."""
BUSY_MS = 10_000


class Conflict(Exception):
    """Somebody else has appended this number, or this client's message, already."""


class StoreError(MandalierError):
    """The database cannot be used; the message says why."""


class Event(msgspec.Struct, frozen=True):
    """One thing that happened at a table. `at` is in milliseconds since 1970."""

    table: str
    seq: int
    kind: str
    at: int
    seat: int | None = None
    person: str = ""
    client: str | None = None
    data: dict[str, Any] = {}

    @property
    def row(self) -> tuple[Any, ...]:
        data = msgspec.json.encode(self.data).decode()
        return (
            self.table,
            self.seq,
            self.kind,
            self.at,
            self.seat,
            self.person,
            self.client,
            data,
        )

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Event:
        table, seq, kind, at, seat, person, client, data = row
        return cls(table, seq, kind, at, seat, person, client, msgspec.json.decode(data))


COLUMNS = "tbl, seq, kind, at, seat, person, client, data"
INSERT = f"INSERT OR IGNORE INTO events ({COLUMNS}) VALUES"
ROW = "(?, ?, ?, ?, ?, ?, ?, ?)"

MIGRATIONS: list[tuple[str, ...]] = [
    (
        "CREATE TABLE tables (id TEXT PRIMARY KEY, game TEXT NOT NULL, status TEXT NOT NULL,"
        " visibility TEXT NOT NULL, host TEXT NOT NULL, created BIGINT NOT NULL,"
        " due BIGINT, secret TEXT NOT NULL, config TEXT NOT NULL)",
        "CREATE INDEX tables_by_status ON tables (status, visibility, created)",
        "CREATE INDEX tables_by_due ON tables (due) WHERE due IS NOT NULL",
        "CREATE TABLE events (tbl TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL,"
        " at BIGINT NOT NULL, seat INTEGER, person TEXT NOT NULL, client TEXT,"
        " data TEXT NOT NULL, PRIMARY KEY (tbl, seq))",
        "CREATE UNIQUE INDEX events_by_client ON events (tbl, client) WHERE client IS NOT NULL",
        "CREATE INDEX events_by_person ON events (person, tbl)",
    ),
    accounts.MIGRATION,
    notify.MIGRATION,
    (
        "CREATE TABLE gone (person TEXT PRIMARY KEY, at BIGINT NOT NULL)",
        "CREATE INDEX people_banned ON people (id) WHERE banned <> ''",
    ),
    (
        # a third less to write for a move: whoever moves at a table has sat down there before
        "DROP INDEX events_by_person",
        "CREATE INDEX events_by_person ON events (person, tbl) WHERE kind <> 'move'",
    ),
]
"""Forward only: each is carried out once, in order; what is here never changes, only grows."""


class Store(ABC):
    """Tables and their events, and SQL for what else a server keeps."""

    is_shared = False
    """Whether other servers may have the same tables at hand."""
    hint: Callable[[Event], None] | None = None
    """Called when somebody has appended. It may fail to come, and it may come without what the event
    is (its kind is "" then)."""
    missed: Callable[[], Coroutine[Any, Any, None]] | None = None
    """Called when hints may have been lost."""

    @abstractmethod
    async def open(self) -> None:
        """Connect, and bring the database up to date."""

    @abstractmethod
    async def close(self) -> None:
        """Write what is waiting, and let go."""

    @abstractmethod
    async def append(self, event: Event) -> None:
        """Keep an event for good. Raises Conflict if its number, or its client id, is taken."""

    @abstractmethod
    async def write(self, *statements: Statement) -> None:
        """Carry out statements, all or none."""

    @abstractmethod
    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""

    async def events(self, table: str, after: int = 0) -> list[Event]:
        """The events of a table after a number, in order."""
        sql = f"SELECT {COLUMNS} FROM events WHERE tbl = ? AND seq > ? ORDER BY seq"
        return [Event.of_row(row) for row in await self.rows(sql, (table, after))]

    async def events_of(self, tables: Mapping[str, int]) -> dict[str, list[Event]]:
        """The same of several tables, each with its number."""
        return {table: await self.events(table, after) for table, after in tables.items()}


def store_for(database: str | Path) -> Store:
    """The store for a file's path, or for a postgresql:// address."""
    if str(database).startswith(("postgresql://", "postgres://")):
        try:
            from mandalier.server.postgres import Postgres
        except ModuleNotFoundError as error:
            raise StoreError(
                say(
                    "PostgreSQL needs the package {name}: pip install {what}",
                    name=error.name,
                    what='"mandalier[postgres]"',
                )
            ) from None
        return Postgres(str(database))
    return Sqlite(Path(database))


# SQLite ----------------------------------------------------------------------------------------


class _Job:
    """An event or statements for the writer, and who waits for them."""

    __slots__ = ("done", "event", "statements")

    def __init__(
        self,
        done: asyncio.Future[None],
        statements: Sequence[Statement] = (),
        event: Event | None = None,
    ) -> None:
        self.done = done
        self.statements = statements
        self.event = event


class Sqlite(Store):
    """One file, one process, one thread that writes: every commit takes all that is waiting."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._round: list[_Job] = []
        """What this round of the loop has brought; it goes to the writer together."""
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._is_busy = False
        self._loop: asyncio.AbstractEventLoop
        self._lock: Any = None
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._thread: threading.Thread | None = None
        self._reading = ThreadPoolExecutor(1, "store-reader")

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._take()
            # it and what SQLite puts beside it hold what nobody may see before a game is over
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._writer = self._connect()
            _migrate(self._writer, self.path)
            self._reader = self._connect()
        except (sqlite3.Error, StoreError) as error:
            self._let_go()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path}: {error}") from None
        self._thread = threading.Thread(target=self._write_all, name="store-writer", daemon=True)
        self._thread.start()

    def _take(self) -> None:
        """See that no other process has this file: writers of SQLite starve each other."""
        self._lock = open(f"{self.path}.lock", "a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise StoreError(
                say(
                    "{file} belongs to another server that is running; stop it, name another "
                    "data folder, or give several servers a PostgreSQL database",
                    file=self.path,
                )
            ) from None

    def _connect(self) -> sqlite3.Connection:
        made = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        made.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("PRAGMA synchronous = FULL")
        made.execute("PRAGMA foreign_keys = ON")
        made.execute("PRAGMA wal_autocheckpoint = 4000")
        return made

    async def close(self) -> None:
        if self._thread:
            self._hand_over()
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None
        self._reading.shutdown()
        self._let_go()

    def _let_go(self) -> None:
        for connection in (self._reader, self._writer):
            if connection:
                connection.close()
        self._reader = self._writer = None
        if self._lock:
            self._lock.close()

    async def append(self, event: Event) -> None:
        await self._put(_Job(self._loop.create_future(), event=event))

    async def write(self, *statements: Statement) -> None:
        await self._put(_Job(self._loop.create_future(), statements))

    def _put(self, job: _Job) -> asyncio.Future[None]:
        if not self._thread or not self._thread.is_alive():
            raise StoreError(say("the store is closed"))
        if not self._round:
            self._loop.call_soon(self._hand_over)
        self._round.append(job)
        return job.done

    def _hand_over(self) -> None:
        if self._round:
            jobs, self._round = self._round, []
            self._jobs.put(jobs)

    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        reader = self._reader
        if reader is None:
            raise StoreError(say("the store is closed"))
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(
                self._reading, lambda: reader.execute(sql, values).fetchall()
            )
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise StoreError(str(error)) from None

    # In the writer's thread

    def _write_all(self) -> None:
        last = False
        while not last and (waiting := self._jobs.get()) is not None:
            if self._is_busy:
                time.sleep(GATHER_S)
            with contextlib.suppress(queue.Empty):
                while not last and len(waiting) < LARGEST_GROUP:
                    more = self._jobs.get_nowait()
                    last = more is None
                    waiting += more or ()
            self._is_busy = len(waiting) >= MANY
            for first in range(0, len(waiting), LARGEST_GROUP):
                self._commit(waiting[first : first + LARGEST_GROUP])

    def _commit(self, group: Sequence[_Job]) -> None:
        """Appended events go in one statement, which is one transaction: each call of SQLite gives
        the interpreter away, and getting it back takes a while when the server is busy."""
        events = [job for job in group if job.event is not None]
        others = [job for job in group if job.event is None]
        outcomes: dict[_Job, BaseException | None] = {}
        try:
            if events:
                outcomes.update(self._append_all(events))
            if others:
                outcomes.update(self._carry_out_all(others))
        except Exception as error:
            with contextlib.suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            if len(group) > 1 and not isinstance(error, sqlite3.OperationalError | OSError):
                # one of them is to blame, and shall not take the others along
                for job in group:
                    if job not in outcomes:
                        self._commit([job])
            else:
                for job in group:
                    outcomes.setdefault(job, StoreError(str(error)))
        with contextlib.suppress(RuntimeError):  # its loop has gone
            self._loop.call_soon_threadsafe(_tell, list(outcomes.items()))

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._writer is not None
        return self._writer

    def _append_all(self, jobs: Sequence[_Job]) -> dict[_Job, BaseException | None]:
        rows = [job.event.row for job in jobs if job.event is not None]
        values = ", ".join([ROW] * len(rows))
        done = self._connection.execute(f"{INSERT} {values}", [v for row in rows for v in row])
        if done.rowcount == len(rows):
            return dict.fromkeys(jobs)
        return {
            job: None if self._has(row) else Conflict(f"{row[0]} {row[1]}")
            for job, row in zip(jobs, rows, strict=True)
        }

    def _has(self, row: tuple[Any, ...]) -> bool:
        sql = f"SELECT {COLUMNS} FROM events WHERE tbl = ? AND seq = ?"
        found: tuple[Any, ...] | None = self._connection.execute(sql, row[:2]).fetchone()
        return found == row

    def _carry_out_all(self, jobs: Sequence[_Job]) -> dict[_Job, BaseException | None]:
        self._connection.execute("BEGIN IMMEDIATE")
        outcomes = {job: self._carry_out(job.statements) for job in jobs}
        self._connection.execute("COMMIT")
        return outcomes

    def _carry_out(self, statements: Sequence[Statement]) -> BaseException | None:
        """One job inside the group's transaction; what goes wrong undoes this job alone."""
        self._connection.execute("SAVEPOINT job")
        try:
            for sql, values in statements:
                self._connection.execute(sql, values)
        except sqlite3.Error as error:
            if not self._connection.in_transaction:
                raise  # it has taken the whole group along
            self._connection.execute("ROLLBACK TO job")
            if isinstance(error, sqlite3.IntegrityError):
                return Conflict(str(error))
            return StoreError(str(error))
        self._connection.execute("RELEASE job")
        return None


def _tell(jobs: Sequence[tuple[_Job, BaseException | None]]) -> None:
    for job, outcome in jobs:
        if not job.done.done():
            if outcome is None:
                job.done.set_result(None)
            else:
                job.done.set_exception(outcome)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    at = connection.execute("PRAGMA user_version").fetchone()[0]
    check_version(at, str(path))
    for number, statements in enumerate(MIGRATIONS[at:], start=at + 1):
        connection.execute("BEGIN IMMEDIATE")
        for sql in statements:
            connection.execute(sql)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    if os.name == "posix":
        path.chmod(0o600)


def check_version(at: int, where: str) -> None:
    """See that this program is not older than the database."""
    if at > len(MIGRATIONS):
        raise StoreError(
            say(
                "{where} was written by a newer version (its form is {at}, known here is {known})",
                where=where,
                at=at,
                known=len(MIGRATIONS),
            )
        )
