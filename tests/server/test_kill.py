"""Servers are killed at random moments while programs play: nothing that was acknowledged is lost.

MANDALIER_KILLS says how often (a few times unless it does; 200 take some ten minutes).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx
import websockets

from mandalier.games.record import replay
from mandalier.server.hall import Hall
from mandalier.server.store import Event, store_for
from mandalier.server.thinkers import Thinkers
from tests.server.cluster import Cluster, cluster
from tests.server.harness import bearer, run
from tests.server.process import PATIENCE_S, Process
from tests.support import OPTIONS

KILLS = int(os.environ.get("MANDALIER_KILLS", "5"))
PAIRS = 4
GAMES_PLAYED = ("sand", "stones", "pyramids", "dice")
UP_S = 0.6  # how long a server lives at most, once moves are kept again


class Tenacious:
    """A program that plays a seat whatever happens to its server: it connects again, and sends what
    was not answered once more, with the same id."""

    def __init__(self, servers: list[Process], table: str, seat: int, key: str, seed: int) -> None:
        self.servers = servers
        self.table = table
        self.seat = seat
        self.key = key
        self.chooser = random.Random(seed)
        self.acknowledged: dict[str, tuple[int, str]] = {}
        self.pending: dict[str, Any] | None = None
        self.sent = 0
        self.returns = 0
        self.over = False
        self.position: dict[str, Any] = {}

    async def play(self) -> None:
        while not self.over:
            server = self.chooser.choice(self.servers)
            try:
                url = f"ws://127.0.0.1:{server.port}/api/v1/live"
                async with websockets.connect(
                    url, max_size=2**24, open_timeout=PATIENCE_S
                ) as socket:
                    await self._talk(socket)
            except (OSError, websockets.WebSocketException, TimeoutError):
                self.returns += 1
                await asyncio.sleep(self.chooser.uniform(0.02, 0.1))

    async def _talk(self, socket: Any) -> None:
        await socket.send(json.dumps({"type": "hello", "token": self.key, "form": "data"}))
        await socket.send(json.dumps({"type": "watch", "id": "watch", "table": self.table}))
        if self.pending:
            await socket.send(json.dumps(self.pending))
        while not self.over:
            message = json.loads(await asyncio.wait_for(socket.recv(), 10))
            kind = message["type"]
            if kind == "position":
                self.position = message
            elif kind in ("done", "refused") and self.pending:
                if message["id"] == self.pending["id"]:
                    self._answered(message)
            await self._act(socket)

    def _answered(self, message: dict[str, Any]) -> None:
        assert self.pending is not None
        if message["type"] == "done":
            self.acknowledged[self.pending["id"]] = (message["seq"], self.pending["move"])
        elif message["code"] == "busy":
            raise TimeoutError  # it is sent again with the same id, at the next connection
        else:
            assert message["code"] in ("stale", "not_now", "not_your_turn"), message
        self.pending = None

    async def _act(self, socket: Any) -> None:
        position = self.position
        if not position or position["info"]["status"] not in ("playing", "over"):
            return
        if position["info"]["status"] == "over":
            self.over = self.pending is None
            return
        if self.pending is None and self.seat in position["waiting"]:
            self.sent += 1
            self.pending = {
                "type": "move",
                "id": f"m{self.sent}",
                "table": self.table,
                "at": position["at"],
                "move": self.chooser.choice(position["view"]["legal"]),
            }
            await socket.send(json.dumps(self.pending))


async def new_pair(servers: list[Process], game: str, seed: int) -> tuple[Tenacious, Tenacious]:
    """Two programs at a table that is dealt."""
    while True:
        try:
            return await _try_pair(servers, game, seed)
        except (httpx.HTTPError, AssertionError):
            await asyncio.sleep(0.05)


async def _try_pair(servers: list[Process], game: str, seed: int) -> tuple[Tenacious, Tenacious]:
    async with httpx.AsyncClient(base_url=servers[0].base, timeout=PATIENCE_S) as http:
        keys = []
        for name in ("Ada", "Bob"):
            answer = await http.post("/api/v1/guests", json={"name": name})
            assert answer.status_code == 201
            keys.append(answer.json()["token"])
        http.cookies.clear()
        body = {"game": game, "options": OPTIONS.get(game, {})}
        answer = await http.post("/api/v1/tables", json=body, headers=bearer(keys[0]))
        assert answer.status_code == 201
        table = answer.json()["table"]["id"]
        for seat, key in enumerate(keys):
            sit = {"type": "sit", "id": "s", "table": table, "seat": seat, "program": True}
            answer = await http.post("/api/v1/messages", json=sit, headers=bearer(key))
            assert answer.status_code == 200
    one, two = (Tenacious(servers, table, seat, keys[seat], seed + seat) for seat in (0, 1))
    return one, two


class Load:
    """Pairs of programs that play game after game."""

    def __init__(self, servers: list[Process]) -> None:
        self.servers = servers
        self.players: list[Tenacious] = []
        self.ending = False

    async def run(self, number: int) -> None:
        game = 0
        while not self.ending:
            name = GAMES_PLAYED[(number + game) % len(GAMES_PLAYED)]
            pair = await new_pair(self.servers, name, 1000 * number + 2 * game)
            self.players += pair
            await asyncio.gather(*(player.play() for player in pair))
            game += 1

    async def until_it_plays(self, playing: list[asyncio.Future[None]]) -> None:
        before = self.acknowledged
        while self.acknowledged < before + PAIRS:
            for task in playing:
                if task.done():
                    task.result()
            await asyncio.sleep(0.01)

    @property
    def acknowledged(self) -> int:
        return sum(len(player.acknowledged) for player in self.players)

    @property
    def returns(self) -> int:
        return sum(player.returns for player in self.players)


async def check(database: str | Path, players: list[Tenacious]) -> None:
    """No acknowledged move is lost, none counts twice, no gap, and every record replays."""
    hall = Hall(store_for(database), Thinkers(1))
    await hall.open()
    for player in players:
        events = await hall.store.events(player.table)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        kept: dict[str, Event] = {}
        for event in events:
            if event.kind == "move" and event.seat == player.seat:
                assert event.client not in kept
                kept[str(event.client).partition(":")[2]] = event
        for client, (seq, move) in player.acknowledged.items():
            assert (kept[client].seq, kept[client].data["move"]) == (seq, move)
        sitting = (await hall.table(player.table)).sitting
        assert sitting.status == "over"
        assert sitting.state is not None
        assert replay(sitting.record()).over
    await hall.close()


class Killed(Protocol):
    """What can be killed and started again."""

    async def stop(self) -> object: ...
    async def start(self) -> None: ...


class Database:
    """A PostgreSQL, as something to kill."""

    def __init__(self, postgres: Cluster) -> None:
        self.postgres = postgres

    async def stop(self) -> None:
        await asyncio.to_thread(self.postgres.kill)

    async def start(self) -> None:
        await asyncio.to_thread(self.postgres.start)


async def kill_under_load(servers: list[Process], victims: Sequence[Killed], kills: int) -> Load:
    """Programs play on these servers, and one victim after another is killed and started again."""
    chooser = random.Random(kills)
    load = Load(servers)
    playing: list[asyncio.Future[None]] = []
    try:
        for server in servers:
            await server.start()
        playing = [asyncio.ensure_future(load.run(n)) for n in range(PAIRS)]
        for number in range(kills):
            if number % 20 == 0:
                print(f"{number} kills, {load.acknowledged} moves acknowledged", flush=True)
            await asyncio.wait_for(load.until_it_plays(playing), PATIENCE_S)
            await asyncio.sleep(chooser.uniform(0, UP_S))
            victim = chooser.choice(victims)
            await victim.stop()
            await victim.start()
        load.ending = True
        await asyncio.wait_for(asyncio.gather(*playing), 3 * PATIENCE_S)
        for server in servers:
            assert await server.stop(signal.SIGTERM) in (0, -signal.SIGTERM)
            assert not server.complaints, server.complaints
    finally:
        for task in playing:
            task.cancel()
        for server in servers:
            await server.stop()
    print(f"{kills} kills, {load.acknowledged} moves acknowledged, {load.returns} returns")
    return load


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    async def work() -> None:
        server = Process(tmp_path, f"--data-folder={tmp_path}")
        load = await kill_under_load([server], [server], KILLS)
        assert load.returns > 0
        await check(tmp_path / "tables.db", load.players)

    run(work(), 600 + 30 * KILLS)


def test_no_acknowledged_move_is_lost_when_one_of_two_servers_or_postgresql_is_killed(
    tmp_path: Path,
) -> None:
    with cluster() as postgres:
        database = postgres.database("killed")

        async def work() -> None:
            servers = [Process(tmp_path, f"--database={database}") for _ in range(2)]
            load = await kill_under_load(servers, [*servers, Database(postgres)], KILLS)
            assert load.returns > 0
            await check(database, load.players)

        run(work(), 600 + 30 * KILLS)


async def messages_of(socket: Any) -> AsyncIterator[Any]:
    """What comes until the connection is closed."""
    with contextlib.suppress(websockets.ConnectionClosed):
        while True:
            yield await socket.recv()


def test_a_restart_says_goodbye_and_when_to_return(tmp_path: Path) -> None:
    async def work() -> None:
        server = Process(tmp_path, f"--data-folder={tmp_path}")
        await server.start()
        async with httpx.AsyncClient(base_url=server.base) as http:
            key = (await http.post("/api/v1/guests", json={"name": "Ada"})).json()["token"]
        async with websockets.connect(f"ws://127.0.0.1:{server.port}/api/v1/live") as socket:
            await socket.send(json.dumps({"type": "hello", "token": key}))
            await socket.recv()
            await server.stop(signal.SIGTERM)
            said = [json.loads(raw) async for raw in messages_of(socket)]
            assert said[-1]["type"] == "bye"
            assert said[-1]["return_after_ms"] > 0
            assert socket.close_code == 1012

    run(work())
