"""Bytes that never become a request, or become one without end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
import websockets

from mandalier.server.config import Config
from mandalier.server.hall import Hall
from mandalier.server.house import House
from mandalier.server.security import Guard
from mandalier.server.store import Sqlite
from mandalier.server.wire import LARGEST_HEAD, BoundedHttp
from tests.server.harness import run


class Impatient(BoundedHttp):
    head_s = 0.2


@contextlib.asynccontextmanager
async def serving(folder: Path, http: type[BoundedHttp] = BoundedHttp) -> AsyncIterator[int]:
    """A server as `mandalier serve` makes it; its port."""
    house = House(Config(), Hall(Sqlite(folder / "tables.db")), folder, page=None)
    await house.open()
    config = uvicorn.Config(
        house.asgi, port=0, http=http, ws="websockets-sansio", lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    task = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task
        await house.close()


async def say(port: int, *parts: bytes) -> bytes:
    """Say this, part by part as it is taken, and hear all until the other side hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)
            if reader.at_eof() or writer.is_closing():
                break
        return await reader.read()
    except ConnectionError:  # it has hung up while there was more to be said
        return b""
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def test_a_head_without_end_is_turned_away(tmp_path: Path) -> None:
    async def work() -> None:
        async with serving(tmp_path) as port:
            lines = [b"X-%d: " % i + b"a" * 1000 + b"\r\n" for i in range(200)]
            end = b"Connection: close\r\n\r\n"
            assert b" 200 " not in await say(port, REQUEST, *lines, end)
            one = b"X: " + b"a" * LARGEST_HEAD + b"\r\n"
            assert b" 200 " not in await say(port, REQUEST, one, one, end)
            assert (await say(port, REQUEST, one)).startswith(b"HTTP/1.1 431 ")
            much = b"X: " + b"a" * (LARGEST_HEAD // 2) + b"\r\n"
            assert (await say(port, REQUEST, much, end)).startswith(b"HTTP/1.1 200 ")

    run(work())


def test_who_does_not_come_to_the_end_of_a_head_is_turned_away(tmp_path: Path) -> None:
    async def work() -> None:
        async with serving(tmp_path, Impatient) as port:
            assert (await say(port)).startswith(b"HTTP/1.1 408 ")
            assert (await say(port, REQUEST)).startswith(b"HTTP/1.1 408 ")
            said = await say(port, REQUEST + b"\r\n", REQUEST)  # the second one hangs
            assert said.startswith(b"HTTP/1.1 200 ")
            assert b"HTTP/1.1 408 " in said

    run(work())


def test_a_socket_outlives_the_time_a_head_may_take(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            serving(tmp_path, Impatient) as port,
            websockets.connect(f"ws://localhost:{port}/api/v1/live") as socket,
        ):
            await asyncio.sleep(3 * Impatient.head_s)
            await socket.send('{"type": "hello", "token": "nobody"}')
            assert '"code":"unknown_person"' in str(await socket.recv())

    run(work())


def test_a_body_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guard, "body_s", 0.1)

    async def work() -> None:
        async with serving(tmp_path) as port:
            head = b"POST /api/v1/guests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
            said = await say(port, head + b"Connection: close\r\n\r\n{")
            assert said.startswith(b"HTTP/1.1 400 ")
            assert b"did not come to its end" in said

    run(work())
