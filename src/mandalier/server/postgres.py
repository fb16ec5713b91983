"""The store in PostgreSQL, for several servers.

Events that come at the same time go in one statement, which is one commit and one notification.
Notifications are hints: they bring an event to who has all before it; whoever lacks one of these, or
may have missed a notification, reads the events from the tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from mandalier.games.words import say
from mandalier.server.store import (
    COLUMNS,
    GATHER_S,
    LARGEST_GROUP,
    MANY,
    MIGRATIONS,
    Conflict,
    Event,
    Statement,
    Store,
    StoreError,
    check_version,
)

log = logging.getLogger("mandalier.store")

CHANNEL = "mandalier"
LONGEST_NOTE = 7_000  # bytes; PostgreSQL takes 8,000
ONE_AT_A_TIME = 5_077_161  # the lock held while the database is brought up to date
CONNECTIONS = 4
COMMAND_S = 30
RECONNECT_S = (0.1, 2.0)
GIVE_UP_S = 20.0
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # it is going down, or coming up
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that broke in the middle of a statement
)

APPEND = f"""
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::int[], $6::text[],
    $7::text[], $8::text[], $9::text[], $10::int[]) AS given ({COLUMNS}, note, page)
), kept AS (
  INSERT INTO events ({COLUMNS}) SELECT {COLUMNS} FROM given ON CONFLICT DO NOTHING
  RETURNING tbl, seq
), told AS (
  SELECT pg_notify('{CHANNEL}', '[' || string_agg(note, ',') || ']')
  FROM given JOIN kept USING (tbl, seq) GROUP BY page
)
SELECT tbl, seq, (SELECT count(*) FROM told) FROM kept
"""
"""All rows that can be kept, and the notifications of these, in one round trip. A row whose number or
client id is taken is left out of the answer."""


SINCE = f"""
SELECT {", ".join(f"e.{name.strip()}" for name in COLUMNS.split(","))}
FROM unnest($1::text[], $2::bigint[]) AS known (tbl, seq)
JOIN events e ON e.tbl = known.tbl AND e.seq > known.seq ORDER BY e.tbl, e.seq
"""
"""What has come to tables since what is known of each."""


class Postgres(Store):
    """A PostgreSQL database."""

    is_shared = True

    def __init__(self, address: str) -> None:
        self.address = address
        self._pool: asyncpg.Pool | None = None
        self._listener: asyncpg.Connection | None = None
        self._writer: asyncpg.Connection | None = None
        self._waiting: list[tuple[Event, asyncio.Future[None]]] = []
        self._more = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        self._more = asyncio.Event()
        try:
            self._pool = await asyncpg.create_pool(
                self.address, min_size=0, max_size=CONNECTIONS, command_timeout=COMMAND_S
            )
            await self._migrate()
            await self._listen()
            self._writer = await asyncpg.connect(self.address, command_timeout=COMMAND_S)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
            raise StoreError(
                say("the database cannot be used: {error}", error=_without_password(str(error)))
            ) from None
        self._tasks = [
            asyncio.ensure_future(self._write_all()),
            asyncio.ensure_future(self._keep_listening()),
        ]

    async def close(self) -> None:
        while self._waiting:
            await asyncio.sleep(0.01)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in (self._listener, self._writer):
            if connection is not None:
                with contextlib.suppress(Exception):
                    await connection.close(timeout=2)
        if self._pool is not None:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._pool.close(), 5)

    async def _migrate(self) -> None:
        assert self._pool is not None
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")
            await connection.execute("CREATE TABLE IF NOT EXISTS form (version INTEGER NOT NULL)")
            at = await connection.fetchval("SELECT COALESCE(MAX(version), 0) FROM form")
            check_version(at, say("the database"))
            for number, statements in enumerate(MIGRATIONS[at:], start=at + 1):
                for sql in statements:
                    await connection.execute(sql)
                await connection.execute("INSERT INTO form (version) VALUES ($1)", number)

    # Appending

    async def append(self, event: Event) -> None:
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((event, done))
        self._more.set()
        await done

    async def _write_all(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._waiting:
                group = self._next_group()
                await self._write_group(group)
                if len(group) >= MANY:
                    await asyncio.sleep(GATHER_S)

    def _next_group(self) -> list[tuple[Event, asyncio.Future[None]]]:
        """Events to be kept together, no two for the same number; in one order on all servers, so
        that they cannot wait for each other."""
        group: list[tuple[Event, asyncio.Future[None]]] = []
        rest: list[tuple[Event, asyncio.Future[None]]] = []
        taken: set[str] = set()
        for event, done in self._waiting:
            if len(group) < LARGEST_GROUP and event.table not in taken:
                taken.add(event.table)
                group.append((event, done))
            else:
                rest.append((event, done))
        self._waiting = rest
        return sorted(group, key=lambda item: item[0].table)

    async def _write_group(self, group: list[tuple[Event, asyncio.Future[None]]]) -> None:
        columns = list(map(list, zip(*(event.row for event, _ in group), strict=True)))
        notes = _notes([event for event, _ in group])
        try:
            kept = await self._append_rows(columns, notes)
        except Exception as error:
            if len(group) > 1 and not isinstance(error, AWAY):
                # one of them is to blame, and shall not take the others along
                for one in group:
                    await self._write_group([one])
                return
            log.warning("events could not be kept: %s", _without_password(str(error)))
            for _, done in group:
                if not done.done():
                    done.set_exception(StoreError(_without_password(str(error))))
            return
        for event, done in group:
            if done.done():
                continue
            if (event.table, event.seq) in kept:
                done.set_result(None)
            else:
                done.set_exception(Conflict(f"{event.table} {event.seq}"))

    async def _append_rows(
        self, columns: list[list[Any]], notes: tuple[list[str], list[int]]
    ) -> set[tuple[str, int]]:
        """Which rows are kept. A connection that breaks in between leaves it open whether they are:
        then they are asked for."""
        loop = asyncio.get_running_loop()
        give_up, wait, broke = loop.time() + GIVE_UP_S, RECONNECT_S[0], False
        while True:
            try:
                if self._writer is None or self._writer.is_closed():
                    self._writer = await asyncpg.connect(self.address, command_timeout=COMMAND_S)
                kept = {(r[0], r[1]) for r in await self._writer.fetch(APPEND, *columns, *notes)}
                return kept | await self._already_there(columns, kept) if broke else kept
            except AWAY as error:
                if self._writer is not None:
                    self._writer.terminate()
                if loop.time() > give_up:
                    raise
                log.warning("the database is away (%s)", type(error).__name__)
                broke = True
                await asyncio.sleep(wait)
                wait = min(2 * wait, RECONNECT_S[1])

    async def _already_there(
        self, columns: list[list[Any]], kept: set[tuple[str, int]]
    ) -> set[tuple[str, int]]:
        """The rows that a first try, of which no answer came, has kept."""
        assert self._writer is not None
        found = await self._writer.fetch(
            f"SELECT {COLUMNS} FROM events WHERE (tbl, seq) IN"
            " (SELECT * FROM unnest($1::text[], $2::bigint[]))",
            columns[0],
            columns[1],
        )
        ours = set(zip(*columns, strict=True))
        return {(row[0], row[1]) for row in found if tuple(row) in ours} - kept

    # The rest

    async def write(self, *statements: Statement) -> None:
        assert self._pool is not None
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                for sql, values in statements:
                    await connection.execute(_numbered(sql), *values)
        except asyncpg.IntegrityConstraintViolationError as error:
            raise Conflict(str(error)) from None
        except (*AWAY, asyncpg.PostgresError) as error:
            raise StoreError(_without_password(str(error))) from None

    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        assert self._pool is not None
        try:
            async with self._pool.acquire() as connection:
                return [tuple(row) for row in await connection.fetch(_numbered(sql), *values)]
        except (*AWAY, asyncpg.PostgresError) as error:
            raise StoreError(_without_password(str(error))) from None

    async def events_of(self, tables: Mapping[str, int]) -> dict[str, list[Event]]:
        """By the connection that listens, which does nothing else: one call at a time."""
        found: dict[str, list[Event]] = {table: [] for table in tables}
        try:
            if self._listener is None or self._listener.is_closed():
                raise StoreError(say("the store is closed"))
            for row in await self._listener.fetch(SINCE, list(tables), list(tables.values())):
                found[row[0]].append(Event.of_row(row))
        except (*AWAY, asyncpg.PostgresError) as error:
            raise StoreError(_without_password(str(error))) from None
        return found

    # Hints

    async def _listen(self) -> None:
        self._listener = await asyncpg.connect(self.address, command_timeout=COMMAND_S)
        await self._listener.add_listener(CHANNEL, self._noted)

    def _noted(self, _: Any, __: int, ___: str, note: str) -> None:
        if self.hint is not None:
            for event in read_note(note):
                self.hint(event)

    async def _keep_listening(self) -> None:
        """Listen anew when the connection breaks; what was missed is read."""
        behind = False
        while True:
            await asyncio.sleep(0.5)
            try:
                if self._listener is None or self._listener.is_closed():
                    behind = True
                    await self._listen()
                if behind and self.missed is not None:
                    await self.missed()
                behind = False
            except (*AWAY, asyncpg.PostgresError, StoreError) as error:
                log.warning("the database is away (%s)", type(error).__name__)


read_note = msgspec.json.Decoder(list[Event]).decode


def _notes(events: Sequence[Event]) -> tuple[list[str], list[int]]:
    """What is told of each event, and the number of the notification that tells it: there are as few
    of these as their size allows. Of an event that is too large only its table and number."""
    notes, pages = [], []
    size, page = 2, 0
    for event in events:
        note = msgspec.json.encode(event)
        if len(note) + 2 > LONGEST_NOTE:
            note = msgspec.json.encode(Event(event.table, event.seq, "", 0))
        size += len(note) + 1
        if size > LONGEST_NOTE:
            size, page = len(note) + 3, page + 1
        notes.append(note.decode())
        pages.append(page)
    return notes, pages


_MARK = re.compile(r"'[^']*'|\?")


def _numbered(sql: str) -> str:
    """? as PostgreSQL wants it: $1, $2 …"""
    count = 0

    def number(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] != "?":
            return found[0]
        count += 1
        return f"${count}"

    return _MARK.sub(number, sql)


def _without_password(text: str) -> str:
    return re.sub(r"(postgres(?:ql)?://[^:/@\s]*):[^@\s]*@", r"\1:…@", text)
