"""Several servers on one PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from mandalier.games.game import GAMES
from mandalier.games.record import replay
from mandalier.server import postgres as postgres_store
from mandalier.server.hall import Hall
from mandalier.server.store import Conflict, Event, store_for
from tests.server.cluster import Cluster, cluster
from tests.server.harness import Client, run, running

NAMES = (f"tables_{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture
def database(postgres: Cluster) -> str:
    return postgres.database(next(NAMES))


@pytest.mark.parametrize("name", GAMES)
def test_programs_on_two_servers_play_a_whole_game(database: str, name: str) -> None:
    play_on_two_servers(database, name)


def test_events_too_large_for_a_notification_are_read(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "LONGEST_NOTE", 150)
    play_on_two_servers(database, "sand")


def test_events_that_come_after_a_gap_are_read(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hinted, lot = Hall._hinted, random.Random(3)

    def forgetful(hall: Hall, event: Event) -> None:
        if lot.random() < 0.7 or event.kind != "move":
            hinted(hall, event)
        else:
            asyncio.get_running_loop().call_later(0.02, hinted, hall, event)

    monkeypatch.setattr(Hall, "_hinted", forgetful)
    play_on_two_servers(database, "sand")


def play_on_two_servers(database: str, name: str) -> None:
    async def work() -> None:
        async with (
            running(database) as here,
            running(database) as there,
            here.seated(2, name) as (one, _),
            there.client(await there.key("Eve")) as eve,
        ):
            keys = [await here.key("Ada"), await there.key("Bob")]
            table = await here.table(keys[0], name)
            async with here.client(keys[0]) as ada, there.client(keys[1]) as bob:
                for seat, client in enumerate((ada, bob)):
                    client.table = table
                    await client.done("watch")
                    await client.done("sit", seat=seat, program=True)
                eve.table = table
                await eve.done("watch")
                await asyncio.gather(ada.play_to_the_end(), bob.play_to_the_end(1))
                await eve.until(lambda c: c.status == "over")
                record = await there.get(f"/tables/{table}/record")
                assert record == await here.get(f"/tables/{table}/record")
                assert replay(record).over
                assert [line["text"] for line in ada.log] == [
                    entry.partition(" ")[2] for entry in record["moves"]
                ]
                assert ada.log == bob.log == eve.log
            assert one.status == "playing"

    run(work())


def test_of_four_who_play_the_same_ply_one_wins_and_all_learn_it(database: str) -> None:
    async def work() -> None:
        async with running(database) as here, running(database) as there:
            key = await here.key()
            table = await here.table(key, "pyramids")
            clients: list[Client] = []
            async with (
                here.client(key) as a,
                here.client(key) as b,
                there.client(key) as c,
                there.client(key) as d,
            ):
                clients = [a, b, c, d]
                for client in clients:
                    client.table = table
                    await client.done("watch")
                await a.done("sit", seat=0)
                await a.done("sit", seat=1)
                for client in clients:
                    await client.until(lambda c: c.status == "playing")
                for ply in range(12):
                    if a.status != "playing":
                        break
                    at, legal = a.at, a.legal[:4]
                    moves = [legal[i % len(legal)] for i in range(4)]
                    answers = await asyncio.gather(
                        *(
                            client.ask("move", id=f"{i}-{ply}", at=at, move=move)
                            for i, (client, move) in enumerate(zip(clients, moves, strict=True))
                        )
                    )
                    kept = [answer for answer in answers if answer["type"] == "done"]
                    assert len(kept) == 1
                    assert {n["code"] for n in answers if n["type"] == "refused"} == {"stale"}
                    for client in clients:
                        await client.until_at(kept[0]["seq"])
                    assert a.log == b.log == c.log == d.log
                    assert len(a.log) == ply + 1

    run(work())


def test_the_database_keeps_each_number_and_each_client_id_once(database: str) -> None:
    async def work() -> None:
        here, there = store_for(database), store_for(database)
        await asyncio.gather(here.open(), there.open())

        def event(seq: int, client: str | None, table: str = "t") -> Event:
            return Event(table, seq, "chat", 1, client=client, data={"text": "'; DROP"})

        await here.append(event(1, "a"))
        for store, twice in ((there, event(1, "b")), (there, event(2, "a")), (here, event(1, "c"))):
            with pytest.raises(Conflict):
                await store.append(twice)

        async def try_all(store: Any, name: str) -> int:
            kept = 0
            for seq in range(2, 60):
                try:
                    await store.append(event(seq, f"{name}{seq}"))
                    kept += 1
                except Conflict:
                    pass
            return kept

        kept = await asyncio.gather(*(try_all(s, n) for s, n in ((here, "h"), (there, "t"))))
        assert sum(kept) == 58
        found = await here.events("t")
        assert [e.seq for e in found] == list(range(1, 60))
        assert found[0].data == {"text": "'; DROP"}
        # many tables at a time, in groups
        many = [event(1, None, f"t{i}") for i in range(1500)]
        await asyncio.gather(*(here.append(e) for e in many))
        assert (await there.rows("SELECT COUNT(*) FROM events WHERE tbl LIKE 't_%'"))[0][0] == 1500
        await here.close()
        await there.close()

    run(work())


def test_games_go_on_when_postgresql_is_killed_and_started_again(postgres: Cluster) -> None:
    database = postgres.database(next(NAMES))

    async def work() -> None:
        async with running(database) as here, here.seated(2, "sand") as (one, two):
            playing = asyncio.gather(one.play_to_the_end(), two.play_to_the_end(1))
            for _ in range(2):
                await asyncio.sleep(0.1)
                await asyncio.to_thread(postgres.kill)
                await asyncio.to_thread(postgres.start)
            await playing
            record = await here.get(f"/tables/{one.table}/record")
            assert replay(record).over
            assert [line["text"] for line in one.log] == [
                entry.partition(" ")[2] for entry in record["moves"]
            ]

    run(work())
