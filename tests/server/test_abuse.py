"""People and programs that ask for too much, or for what is not theirs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import websockets

from mandalier.games.errors import MandalierError
from mandalier.games.game import View
from mandalier.search.bot import Budget, Thought
from mandalier.server.session import Limits
from mandalier.server.store import Event, Sqlite, Store, StoreError, store_for
from mandalier.server.thinkers import Thinkers, check_level
from tests.server.cluster import cluster
from tests.server.harness import Server, bearer, run, running
from tests.server.test_table import on_server


class SlowThinkers(Thinkers):
    """Bots that think until they are told to stop."""

    def __init__(self) -> None:
        super().__init__(1)
        self.enough = asyncio.Event()
        self.given_up = 0

    async def think(
        self,
        view: View,
        name: str,
        *,
        seed: int,
        budget: Budget | None = None,
        language: str = "en",
    ) -> Thought:
        try:
            await self.enough.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return Thought(view.legal()[0])


# Rates -----------------------------------------------------------------------------------------


def test_chat_is_limited_by_person_however_it_comes(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            codes = []
            for i in range(4):
                body = {"type": "chat", "id": f"p{i}", "table": one.table, "text": "buy!"}
                answer = await server.http.post(
                    "/api/v1/messages", json=body, headers=bearer(one.key)
                )
                codes.append(answer.json()["answer"].get("code", "done"))
            assert codes == ["done", "done", "done", "too_fast"]
            assert await one.refused("chat", text="buy!") == "too_fast"
            async with server.client(one.key) as again:
                again.table = one.table
                assert await again.refused("chat", text="buy!") == "too_fast"
            await two.done("chat", text="no, thank you")

    on_server(tmp_path, test, limits=Limits(1e9, 1e9, chat_per_second=1e-6, chat_burst=3))


def test_hints_are_limited_by_person(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "stones") as (one, _):
            await one.done("hint", bot="random")
            await one.done("hint", bot="random")
            assert await one.refused("hint", bot="random") == "too_fast"
            async with server.client(one.key) as again:
                again.table = one.table
                assert await again.refused("hint", bot="random") == "too_fast"

    on_server(tmp_path, test, limits=Limits(1e9, 1e9, hints_per_second=1e-6, hints_burst=2))


def test_moves_and_beats_do_not_wait_for_a_hint(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        thinkers = server.hall.thinkers
        assert isinstance(thinkers, SlowThinkers)
        async with server.seated(2, "stones") as (one, two):
            await one.send("hint", id="h1", table=one.table)
            assert await one.refused("hint") == "too_fast"  # one question at a time
            await one.move()
            await two.until_at(one.at)
            thinkers.enough.set()
            await one.until(lambda c: any(m.get("id") == "h1" for m in c.heard))

    async def work() -> None:
        async with running(tmp_path / "tables.db", thinkers=SlowThinkers()) as server:
            await test(server)

    run(work())


def test_nobody_thinks_on_for_somebody_who_has_gone(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        thinkers = server.hall.thinkers
        assert isinstance(thinkers, SlowThinkers)
        async with server.seated(2, "stones") as (one, _):
            await one.send("hint", id="h1", table=one.table)
            await one.done("sums")
            await one.close()
            while not thinkers.given_up:
                await asyncio.sleep(0.01)

    async def work() -> None:
        async with running(tmp_path / "tables.db", thinkers=SlowThinkers()) as server:
            await test(server)

    run(work())


# Bots ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("mcts:9999999", "sand"),  # hours of thought
        ("strokes", "sand"),  # of another game
        ("strokes:99999999", "dice"),
        ("adept:x", "sand"),
        ("adept:²", "sand"),
        ("nobody", "sand"),
        ("", "sand"),
    ],
)
def test_only_bots_that_play_the_game_and_come_to_an_end_are_asked(name: str, game: str) -> None:
    with pytest.raises(MandalierError):
        check_level(name, game)


@pytest.mark.parametrize(
    ("name", "game"), [("master", "sand"), ("adept:3", "dice"), ("strokes:500", "dice")]
)
def test_a_bot_may_have_a_number(name: str, game: str) -> None:
    assert check_level(name, game) == name


def test_a_bot_that_does_not_play_the_game_gets_no_seat(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        table = await server.table(key, "sand")
        async with server.client(key) as ada:
            ada.table = table
            await ada.done("watch")
            for bot in ("strokes", "mcts:9999999"):
                assert await ada.refused("addbot", bot=bot) == "no_such_bot"
                assert await ada.refused("start", fill_with=bot) == "no_such_bot"
            await ada.done("sit", seat=0, program=True)
            await ada.done("sit", seat=1, program=True)
            await ada.until(lambda c: c.status == "playing")
            assert await ada.refused("hint", bot="mcts:9999999", seat=0) == "no_such_bot"
            assert await ada.refused("leave", bot="strokes", seat=0) == "no_such_bot"
        body = {"game": "sand", "fill_with": "strokes"}
        answer = await server.http.post("/api/v1/tables", json=body, headers=bearer(key))
        assert answer.json()["code"] == "bad_table"

    on_server(tmp_path, test)


# Texts that no database takes ------------------------------------------------------------------


def event(table: str, client: str) -> Event:
    return Event(table, 1, "chat", 1, client=client)


async def one_bad_row_among_good_ones(store: Store, bad: str) -> None:
    await store.open()
    try:
        names = [f"t{i}" for i in range(8)]
        outcomes = await asyncio.gather(
            *(store.append(event(name, bad if name == "t3" else "c")) for name in names),
            return_exceptions=True,
        )
        assert [name for name, bad in zip(names, outcomes, strict=True) if bad] == ["t3"]
        assert isinstance(outcomes[3], StoreError)
        for name in names:
            assert len(await store.events(name)) == (name != "t3")
        await store.append(event("t3", "good"))
    finally:
        await store.close()


def test_a_row_that_cannot_be_kept_does_not_take_others_along(tmp_path: Path) -> None:
    run(one_bad_row_among_good_ones(Sqlite(tmp_path / "tables.db"), "\ud800"))


def test_a_row_that_postgres_cannot_keep_does_not_take_others_along() -> None:
    with cluster() as postgres:
        run(one_bad_row_among_good_ones(store_for(postgres.address), "a\0b"))


def test_a_question_that_sqlite_cannot_answer_is_an_error_in_words(tmp_path: Path) -> None:
    async def work() -> None:
        store = Sqlite(tmp_path / "tables.db")
        await store.open()
        try:
            for value in ("\ud800", 10**30):
                with pytest.raises(StoreError):
                    await store.rows("SELECT ?", (value,))
            with pytest.raises(StoreError):
                await store.rows("SELECT * FROM nothing")
        finally:
            await store.close()

    run(work())


@pytest.mark.parametrize("bad", ["a\0b", "a\x1fb", ""])
def test_an_id_has_no_characters_that_a_database_refuses(tmp_path: Path, bad: str) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, _):
            body = {"type": "sums", "id": bad, "table": one.table}
            answer = await server.http.post("/api/v1/messages", json=body, headers=bearer(one.key))
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_message")

    on_server(tmp_path, test)


@pytest.mark.parametrize("since", ["9" * 5000, "٣", "-1", "x", ""])
def test_a_stream_begins_whatever_it_is_to_begin_with(tmp_path: Path, since: str) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, _):
            path = f"/api/v1/tables/{one.table}/stream"
            async with server.http.stream("GET", path, params={"since": since}) as answer:
                assert answer.status_code == 200
                lines = answer.aiter_lines()
                first = await anext(line async for line in lines if line.startswith("data:"))
                assert '"type":"position"' in first

    on_server(tmp_path, test)


@pytest.mark.parametrize("table", ["%00", "a%0Ab", "é", "x" * 33, "no-such"])
def test_a_table_that_cannot_be_is_not_looked_for(tmp_path: Path, table: str) -> None:
    async def test(server: Server) -> None:
        answer = await server.http.get(f"/api/v1/tables/{table}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_such_table")

    on_server(tmp_path, test)


# Who looks on ----------------------------------------------------------------------------------


def test_with_a_delay_nobody_who_looks_on_learns_the_end_sooner(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        config: dict[str, Any] = {"spectator_delay_s": 3600, "visibility": "public"}
        async with server.seated(2, "sand", **config) as (one, two):
            await one.done("resign")
            await two.until(lambda c: c.status == "over")
            eve = await server.key("Eve")
            path = f"/tables/{one.table}"
            assert (await server.get(f"{path}/result", one.key))["outcome"]
            assert (await server.get(f"{path}/record", one.key))["moves"] == []
            for key in (eve, None):
                assert (await server.get(path, key))["table"]["status"] != "over"
                assert (await server.get(f"{path}/result", key))["outcome"] is None
                assert (await server.get("/results", key))["results"] == []
                for what in ("record", "fair"):
                    answer = await server.http.get(f"/api/v1{path}/{what}", headers=bearer(key))
                    assert answer.status_code == 409
            await server.hall._write_notes()
            for info in (await server.get("/tables"))["tables"]:
                assert info["outcome"] is None

    on_server(tmp_path, test)


def test_a_table_with_a_delay_is_seen_at_once_until_it_is_dealt(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        ada, bob = await server.key("Ada"), await server.key("Bob")
        table = await server.table(ada, "sand", spectator_delay_s=3600)
        async with server.client(bob) as client:
            client.table = table
            await client.done("watch")
            await client.until(lambda c: c.status == "gathering")
            await client.done("sit", seat=1)

    on_server(tmp_path, test)


def test_nobody_fills_the_disk_and_games_come_to_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mandalier.server.table.MOST_EVENTS", 12)

    async def test(server: Server) -> None:
        async with server.seated(2, "pyramids", hints="none") as (one, two):
            while one.position["seq"] < 12:
                await one.done("setchat", on=True)
                await one.until(lambda c: c.position["seq"] >= 5)
                await asyncio.sleep(0.01)
            for message in ({"type": "chat", "text": "hm"}, {"type": "leave"}, {"type": "pause"}):
                assert await one.refused(**message) == "not_now"
            await asyncio.gather(one.play_to_the_end(), two.play_to_the_end(1))
            assert one.position["info"]["outcome"]["reason"] == "end"

    on_server(tmp_path, test)


# Sockets ---------------------------------------------------------------------------------------


def test_a_client_of_another_version_is_told_and_let_go(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        async with websockets.connect(server.live) as socket:
            await socket.send(f'{{"type": "hello", "protocol": 99, "token": "{key}"}}')
            assert '"code":"version"' in str(await socket.recv())
            with pytest.raises(websockets.ConnectionClosed):
                await socket.recv()
        assert socket.close_code == 4001

    on_server(tmp_path, test)
