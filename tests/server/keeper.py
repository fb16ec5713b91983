"""A database in memory, as far as accounts and notifications need a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

EVENTS = (
    "CREATE TABLE events (tbl TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL,"
    " at BIGINT NOT NULL, seat INTEGER, person TEXT NOT NULL, client TEXT,"
    " data TEXT NOT NULL, PRIMARY KEY (tbl, seq))"
)


class MemoryKeeper:
    def __init__(self, *migrations: tuple[str, ...]) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for sql in (EVENTS, *(sql for migration in migrations for sql in migration)):
            self.connection.execute(sql)

    async def write(self, *statements: tuple[str, Sequence[Any]]) -> None:
        self.connection.execute("BEGIN")
        try:
            for sql, values in statements:
                self.connection.execute(sql, values)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, values).fetchall()

    def everything(self) -> str:
        """All that lies in the database, as text."""
        return "\n".join(self.connection.iterdump())
