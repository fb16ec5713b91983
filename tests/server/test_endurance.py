"""Clients that do not read, clients that are gone, and many games: nobody is slowed, nothing grows.

`python bench/server.py soak` does the last at speed for as long as one likes, and looks at the memory
of the process.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
from base64 import b64encode
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mandalier.games.game import GAMES
from mandalier.server import app as app_module
from mandalier.server import hall as hall_module
from mandalier.server.session import Look
from tests.server.harness import Client, Server, run, running

SLOW = 8
ROUNDS = 3
GONE = ("Table", "Sitting", "Scene", "Session", "Look", "Chronicle", "State", "LiveSocket")


class Deaf:
    """A client that says what it has to say and then reads nothing, until `listen`."""

    def __init__(self, server: Server) -> None:
        self.port = int(server.base.rpartition(":")[2])
        self.buffer = bytearray()

    async def watch(self, key: str, table: str) -> None:
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        made.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(made, ("127.0.0.1", self.port))
        self.socket = made
        ask = (
            f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n"
        )
        await loop.sock_sendall(made, ask.encode())
        while not self.buffer.endswith(b"\r\n\r\n"):
            self.buffer += await loop.sock_recv(made, 1)
        self.buffer.clear()
        await self.say(type="hello", token=key, form="picture")
        await self.say(type="watch", id="w", table=table)

    async def say(self, **message: Any) -> None:
        body = json.dumps(message).encode()
        size = len(body)
        head = bytes([0x81, 0x80 | size]) if size < 126 else b"\x81\xfe" + size.to_bytes(2, "big")
        await asyncio.get_running_loop().sock_sendall(self.socket, head + b"\0\0\0\0" + body)

    async def ask_on(self, **message: Any) -> None:
        """The same for ever."""
        while True:
            await self.say(**message)

    async def listen(self) -> dict[str, Any]:
        """The next message."""
        while (found := self._message()) is None:
            more = await asyncio.get_running_loop().sock_recv(self.socket, 2**16)
            assert more, "the connection was closed"
            self.buffer += more
        return found

    def _message(self) -> dict[str, Any] | None:
        if len(self.buffer) < 10:
            return None
        size, at = self.buffer[1], 2
        if size == 126:
            size, at = int.from_bytes(self.buffer[2:4], "big"), 4
        elif size == 127:
            size, at = int.from_bytes(self.buffer[2:10], "big"), 10
        if len(self.buffer) < at + size:
            return None
        kind, body = self.buffer[0] & 15, bytes(self.buffer[at : at + size])
        del self.buffer[: at + size]
        assert kind == 1, "the connection was closed"
        found: dict[str, Any] = json.loads(body)
        return found

    def close(self) -> None:
        self.socket.close()


def waiting_for(server: Server, table: str) -> list[int]:
    """How much waits to be sent to each watcher of a table."""
    watchers = server.hall.tables[table].watchers
    return [len(look.session._waiting) for look in watchers if isinstance(look, Look)]


async def play_out(one: Client, two: Client) -> None:
    await asyncio.gather(one.play_to_the_end(), two.play_to_the_end(1))


def test_clients_that_read_nothing_slow_nobody_and_get_the_newest_position_when_they_do(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        async with (
            running(tmp_path / "tables.db", send_buffer=4_096) as server,
            server.seated(2, "stones") as (one, two),
        ):
            deaf = [Deaf(server) for _ in range(SLOW)]
            for i, client in enumerate(deaf):
                await client.watch(await server.key(f"Deaf {i}"), one.table)
            await play_out(one, two)
            assert one.status == two.status == "over"
            assert max(waiting_for(server, one.table)) <= 2  # a position and perhaps a beat
            for client in deaf:
                positions = 0
                while True:
                    message = await client.listen()
                    if message["type"] == "position":
                        positions += 1
                        if message["info"]["status"] == "over":
                            break
                assert message["at"] == one.at
                assert positions < len(one.log)
                client.close()

    run(work())


def test_who_asks_much_and_reads_nothing_is_disconnected(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            running(tmp_path / "tables.db", send_buffer=4_096) as server,
            server.seated(2, "stones") as (one, two),
        ):
            deaf = Deaf(server)
            await deaf.watch(await server.key("Deaf"), one.table)
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                await deaf.ask_on(type="recall", id="r", table=one.table, ply=0)
            deaf.close()
            await play_out(one, two)

    run(work())


def test_a_client_that_is_gone_without_a_word_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "BEAT_S", 0.2)

    async def work() -> None:
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, "sand") as (one, two),
        ):
            two.answers_beats = False
            await one.until(lambda c: c.position["absent"] == [1])
            assert two.socket.close_code in (None, 4000)
            assert not one.closed
            await one.move()

    run(work())


def census() -> Counter[str]:
    """How many of our objects there are, by kind; but for parts of pictures, of which so many are
    kept for the next one and no more."""
    gc.collect()
    gc.collect()
    kinds = [(type(one).__name__, str(type(one).__module__)) for one in gc.get_objects()]
    return Counter(
        name
        for name, module in kinds
        if module.startswith("mandalier.") and not module.startswith("mandalier.draw.")
    )


def test_nothing_is_left_of_games_that_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "SWEEP_S", 0.1)
    monkeypatch.setattr(hall_module, "NOTE_S", 0.1)

    async def work() -> None:
        async with running(tmp_path / "tables.db", idle_ms=0) as server:
            counts: list[Counter[str]] = []
            for _ in range(ROUNDS):
                for game in GAMES:
                    async with (
                        server.seated(2, game) as (one, two),
                        server.client(await server.key(), form="picture") as eve,
                    ):
                        eve.table = one.table
                        await eve.done("watch")
                        await one.done("chat", text="good luck")
                        await play_out(one, two)
                while server.hall.tables:
                    await asyncio.sleep(0.05)
                counts.append(census())
            # the first round also brings what is made once, such as compiled rules
            grown = {kind: n - counts[1][kind] for kind, n in counts[-1].items()}
            assert {kind: n for kind, n in grown.items() if n >= ROUNDS} == {}
            assert not server.hall._told
            assert not server.hall._noted

    run(work())


def test_tables_and_connections_go_without_the_garbage_collector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks for circles so seldom that whatever it has to find piles up for a long time."""
    monkeypatch.setattr(hall_module, "SWEEP_S", 0.1)
    monkeypatch.setattr(hall_module, "NOTE_S", 0.1)

    async def work() -> None:
        async with running(tmp_path / "tables.db", idle_ms=0) as server:
            gc.collect()
            gc.freeze()
            gc.disable()
            for game in GAMES:
                async with server.seated(2, game, hello={"form": "picture"}) as (one, two):
                    await one.done("chat", text="good luck")
                    await two.done("sums")
                    await one.refused("word", word="late")
                    await one.done("resign")
            while server.hall.tables:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.2)
            left = Counter(type(found).__name__ for found in gc.get_objects())
            assert not {kind: left[kind] for kind in GONE if left[kind]}

    try:
        run(work())
    finally:
        gc.enable()
        gc.unfreeze()
