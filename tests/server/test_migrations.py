"""Databases of every earlier form are brought up to date, and games in them go on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from mandalier.games.game import game
from mandalier.server import protocol as p
from mandalier.server.accounts import Accounts, hash_of
from mandalier.server.hall import Hall
from mandalier.server.sitting import Actor
from mandalier.server.store import MIGRATIONS, Event, Sqlite, Store, StoreError, store_for
from tests.server.cluster import Cluster, cluster
from tests.server.harness import run

FORMS = range(1, len(MIGRATIONS) + 1)
PINNED = ("7df2030b", "cc16ed0d", "64018897", "d87c4475", "65269b24")
"""The first digits of what each form is made by. A new form adds one; none ever changes."""

KEY = "mdc_" + "a" * 40
SECRET = "ab" * 32


def test_what_made_earlier_forms_never_changes() -> None:
    made = tuple(
        hashlib.sha256("\n".join(statements).encode()).hexdigest()[:8] for statements in MIGRATIONS
    )
    assert made[: len(PINNED)] == PINNED
    assert len(made) == len(PINNED), "pin the new form as well"


def rows_of_a_game() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """A game of two people, begun long ago, as statements."""
    config = json.dumps({"game": "pyramids", "seats": 2, "start_when_full": True})
    yield (
        "INSERT INTO tables (id, game, status, visibility, host, created, due, secret, config)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ("t1", "pyramids", "playing", "link", "ada", 5, None, SECRET, config),
    )
    setup = {"path": [f"{c}{n}" for c in "rybgk" for n in "123" for _ in range(5)]}
    events: list[tuple[str, int | None, str, dict[str, Any]]] = [
        ("sit", 0, "ada", {"kind": "program", "person": "ada", "name": "Ada"}),
        ("sit", 1, "ben", {"kind": "program", "person": "ben", "name": "Ben"}),
        ("start", None, "", {"fill": {}}),
        ("deal", None, "", {"setup": setup, "rules": game("pyramids").module.RULES}),
        ("chat", 0, "ada", {"text": "hello", "name": "Ada"}),
    ]
    for i, (kind, seat, person, data) in enumerate(events):
        row = ("t1", i + 1, kind, 10 + i, seat, person, f"{person}:{i}", json.dumps(data))
        yield (
            "INSERT INTO events (tbl, seq, kind, at, seat, person, client, data)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )


def rows_of_people() -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield (
        "INSERT INTO people (id, name, kind, created, seen, banned) VALUES (?, ?, ?, ?, ?, ?)",
        ("ada", "Ada", "guest", 1, 1, ""),
    )
    yield (
        "INSERT INTO credentials (hash, person, kind, label, scopes, created, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (hash_of(KEY), "ada", "cookie", "", "play read", 1, None),
    )


def rows_for(form: int) -> list[tuple[str, tuple[Any, ...]]]:
    return [*rows_of_a_game(), *(rows_of_people() if form >= 2 else ())]


async def goes_on(store: Store, form: int) -> None:
    """Open a database of an earlier form, and play on."""
    hall = Hall(store)
    await hall.open()
    try:
        table = await hall.table("t1")
        sitting = table.sitting
        assert sitting.status == "playing"
        assert [place.name for place in sitting.places] == ["Ada", "Ben"]
        assert [event.data["text"] for event in sitting.said] == ["hello"]
        seat = sitting.waiting[0]
        assert sitting.state is not None
        move = p.Move("m", "t1", sitting.at, sitting.state.legal(seat)[0], seat)
        assert await table.submit(move, Actor(("ada", "ben")[seat]), "m") == 6
        again = p.Chat("0", "t1", "hello")  # the first message, sent once more
        assert await table.submit(again, Actor("ada"), "0") == 1
        accounts = Accounts(store)
        if form >= 2:
            found = await accounts.identify(KEY)
            assert found is not None
            assert found.person.name == "Ada"
        _, key = await accounts.guest("Cem")
        assert await accounts.identify(key) is not None
        assert len(await store.events("t1")) == 6
    finally:
        await hall.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_an_earlier_form_is_brought_up_to_date(tmp_path: Path, form: int) -> None:
    file = tmp_path / "tables.db"
    with sqlite3.connect(file) as old:
        for statements in MIGRATIONS[:form]:
            for sql in statements:
                old.execute(sql)
        for sql, values in rows_for(form):
            old.execute(sql, values)
        old.execute(f"PRAGMA user_version = {form}")
    old.close()
    run(goes_on(Sqlite(file), form))
    new, fresh = tmp_path / "new.db", sqlite3.connect(file)
    run(opened_once(Sqlite(new)))
    forms = [
        sorted(c.execute("SELECT name, sql FROM sqlite_master"))
        for c in (fresh, sqlite3.connect(new))
    ]
    assert forms[0] == forms[1]  # nobody can tell how old it is


async def opened_once(store: Store) -> None:
    await store.open()
    await store.close()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.mark.parametrize("form", FORMS)
def test_a_postgres_of_an_earlier_form_is_brought_up_to_date(postgres: Cluster, form: int) -> None:
    address = postgres.database(f"form_{form}")

    async def work() -> None:
        from mandalier.server.postgres import _numbered

        old = await asyncpg.connect(address)
        await old.execute("CREATE TABLE form (version INTEGER NOT NULL)")
        for number, statements in enumerate(MIGRATIONS[:form], start=1):
            for sql in statements:
                await old.execute(sql)
            await old.execute("INSERT INTO form (version) VALUES ($1)", number)
        for sql, values in rows_for(form):
            await old.execute(_numbered(sql), *values)
        await old.close()
        await goes_on(store_for(address), form)

    run(work())


def test_servers_that_start_together_bring_a_postgres_up_to_date_once(postgres: Cluster) -> None:
    address = postgres.database("together")

    async def work() -> None:
        stores = [store_for(address) for _ in range(4)]
        await asyncio.gather(*(store.open() for store in stores))
        await stores[0].append(Event("t", 1, "chat", 1))
        assert len(await stores[1].events("t")) == 1
        rows = await stores[2].rows("SELECT version FROM form ORDER BY version")
        assert [row[0] for row in rows] == list(FORMS)
        await asyncio.gather(*(store.close() for store in stores))

    run(work())


def test_a_newer_form_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "tables.db"
    run(opened_once(Sqlite(file)))
    with sqlite3.connect(file) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="written by a newer version"):
        run(opened_once(Sqlite(file)))
    assert file.read_bytes() == before


def test_without_its_driver_a_postgres_is_refused_with_what_to_install() -> None:
    program = (
        "import sys; sys.modules['asyncpg'] = None\n"
        "from mandalier.cli import main\n"
        "sys.exit(main(['serve', '--database', 'postgresql://127.0.0.1/x', '--port', '0']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'pip install "mandalier[postgres]"' in done.stderr
