"""A server in this process, on a real socket, and clients for it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn
import websockets
from websockets.asyncio.client import ClientConnection

from mandalier.server.app import build
from mandalier.server.hall import Hall
from mandalier.server.session import Limits
from mandalier.server.store import store_for
from mandalier.server.thinkers import Thinkers
from mandalier.server.wire import LiveSocket
from tests.support import OPTIONS

T = TypeVar("T")
PATIENCE_S = 90.0  # machines may be busy; nothing is asserted about time
NO_LIMITS = Limits(*[1e9] * 8)


def run(work: Coroutine[Any, Any, T], seconds: float = 3 * PATIENCE_S) -> T:
    """Run a test that waits for things; if they do not come it fails."""

    async def bounded() -> T:
        return await asyncio.wait_for(work, seconds)

    return asyncio.run(bounded())


class Server:
    """A running server."""

    def __init__(self, hall: Hall, port: int) -> None:
        self.hall = hall
        self.base = f"http://127.0.0.1:{port}"
        self.live = f"ws://127.0.0.1:{port}/api/v1/live"
        self.http = httpx.AsyncClient(base_url=self.base, timeout=PATIENCE_S)

    async def key(self, name: str = "Ada") -> str:
        """A new person's token."""
        answer = await self.http.post("/api/v1/guests", json={"name": name})
        self.http.cookies.clear()
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    async def get(self, path: str, key: str | None = None) -> Any:
        answer = await self.http.get(f"/api/v1{path}", headers=bearer(key))
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def table(self, key: str, game: str = "sand", **config: Any) -> str:
        """A new table."""
        body = {"game": game, "options": OPTIONS.get(game, {}), **config}
        answer = await self.http.post("/api/v1/tables", json=body, headers=bearer(key))
        assert answer.status_code == 201, answer.text
        return str(answer.json()["table"]["id"])

    @contextlib.asynccontextmanager
    async def client(self, key: str, **hello: Any) -> AsyncIterator[Client]:
        async with websockets.connect(self.live, max_size=2**24) as socket:
            client = Client(socket)
            try:
                await client.send("hello", **{"token": key, "form": "data", **hello})
                yield client
            finally:
                await client.close()

    @contextlib.asynccontextmanager
    async def seated(
        self, seats: int = 2, game: str = "sand", hello: Any = None, **config: Any
    ) -> AsyncIterator[list[Client]]:
        """A table with a client on every seat, dealt."""
        async with contextlib.AsyncExitStack() as stack:
            keys = [await self.key(f"Player {i}") for i in range(seats)]
            table = await self.table(keys[0], game, seats=seats, **config)
            clients = [
                await stack.enter_async_context(self.client(key, **(hello or {}))) for key in keys
            ]
            for seat, client in enumerate(clients):
                client.table, client.key = table, keys[seat]
                await client.done("watch")
                await client.done("sit", seat=seat, program=True)
            for client in clients:
                await client.until(lambda c: c.status == "playing")
            yield clients


def bearer(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


class Refused(Exception):
    """The server refused a message."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.code = answer["code"]
        super().__init__(f"{answer['code']}: {answer['reason']}")


class Client:
    """One connection; it keeps all it is sent."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.table = ""
        self.key = ""
        self.heard: list[dict[str, Any]] = []
        self.raw: list[str] = []
        self.position: dict[str, Any] = {}
        self.log: list[Any] = []
        self.parts: dict[str, list[str]] = {}
        self.answers_beats = True
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Condition()
        self._number = 0
        self.closed = False
        self._listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        try:
            async for raw in self.socket:
                text = raw if isinstance(raw, str) else raw.decode()
                self.raw.append(text)
                await self._take(json.loads(text))
        except websockets.ConnectionClosed:
            pass
        finally:
            self.closed = True
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("closed"))
            async with self._news:
                self._news.notify_all()

    async def _take(self, message: dict[str, Any]) -> None:
        assert message["n"] == len(self.heard) + 1, "messages are numbered without a gap"
        self.heard.append(message)
        kind = message["type"]
        if kind == "beat" and self.answers_beats:
            await self.send("beat", time=message["time"])
        elif kind == "position":
            self.position = message
            assert message["log_from"] <= len(self.log)
            self.log[message["log_from"] :] = message["log"]
            self._put_together(message)
        elif kind in ("done", "refused") and message["id"] in self._answers:
            waiting = self._answers.pop(message["id"])
            if not waiting.done():
                waiting.set_result(message)
        async with self._news:
            self._news.notify_all()

    def _put_together(self, message: dict[str, Any]) -> None:
        """The picture of its parts, as a page does it."""
        view = message["view"]
        if view and view.get("parts") is not None:
            assert view["svg"] == ""
            had, made = self.parts.get(message["table"], []), []
            for part in view["parts"]:
                assert isinstance(part, str) or 0 <= part[0] < part[1] <= len(had), part
                made += [part] if isinstance(part, str) else had[part[0] : part[1]]
            self.parts[message["table"]] = made
            view["svg"] = "".join(made)

    async def send(self, type: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": type, **fields}))

    async def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a message and wait for its answer."""
        self._number += 1
        message = {"id": f"c{self._number}", "table": self.table, **fields}
        waiting = self._answers[message["id"]] = asyncio.get_running_loop().create_future()
        await self.send(type, **message)
        return await asyncio.wait_for(waiting, PATIENCE_S)

    async def done(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a message that is carried out."""
        answer = await self.ask(type, **fields)
        if answer["type"] == "refused":
            raise Refused(answer)
        return answer

    async def refused(self, type: str, **fields: Any) -> str:
        """Send a message that is refused: the code."""
        answer = await self.ask(type, **fields)
        assert answer["type"] == "refused", answer
        return str(answer["code"])

    async def until(self, what: Callable[[Client], Any]) -> None:
        """Wait until something is so."""

        async def wait() -> None:
            async with self._news:
                while not what(self):
                    assert not self.closed, "the connection was closed"
                    await self._news.wait()

        await asyncio.wait_for(wait(), PATIENCE_S)

    async def until_at(self, at: int) -> None:
        await self.until(lambda c: c.position.get("at", -1) >= at)

    @property
    def status(self) -> str:
        return str(self.position["info"]["status"]) if self.position else ""

    @property
    def at(self) -> int:
        return int(self.position["at"])

    @property
    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = self.position["view"]["view"]
        return found

    @property
    def legal(self) -> list[str]:
        found: list[str] = self.position["view"]["legal"]
        return found

    @property
    def my_turn(self) -> bool:
        return self.position.get("seat") in self.position.get("waiting", ())

    async def move(self, move: str | None = None, **fields: Any) -> dict[str, Any]:
        """Play (the first legal move, if none is named) and wait for the position after it."""
        done = await self.done("move", at=self.at, move=move or self.legal[0], **fields)
        await self.until_at(done["seq"])
        return done

    def is_to_act(self) -> bool:
        """Whether it is this client's turn, or the game is over."""
        return self.status in ("over", "closed") or (self.status == "playing" and self.my_turn)

    async def play_to_the_end(self, seed: int = 0) -> int:
        """Play random moves whenever it is this client's turn: how many."""
        chooser, moves = random.Random(seed), 0
        while True:
            await self.until(Client.is_to_act)
            if self.status != "playing":
                return moves
            at, move = self.at, chooser.choice(self.legal)
            done = await self.ask("move", at=at, move=move, seat=self.position["seat"])
            if done["type"] == "done":
                moves += 1
                await self.until_at(done["seq"])
            else:
                assert done["code"] in ("stale", "not_now"), done

    async def close(self) -> None:
        await self.socket.close()
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening


@contextlib.asynccontextmanager
async def running(
    database: Path | str,
    limits: Limits = NO_LIMITS,
    thinkers: Thinkers | None = None,
    page: Path | None = None,
    send_buffer: int | None = None,
    **more: Any,
) -> AsyncIterator[Server]:
    """A server on this database, until the end of the block."""
    hall = Hall(store_for(database), thinkers or Thinkers(1))
    for name, value in more.items():
        setattr(hall, name, value)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    if send_buffer is not None:  # that of the sockets it accepts, too
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    config = uvicorn.Config(
        build(hall, limits=limits, page=page),
        ws=LiveSocket,
        ws_ping_interval=None,
        log_level="warning",
        lifespan="on",
    )
    serving = uvicorn.Server(config)
    task = asyncio.ensure_future(serving.serve([listening]))
    while not serving.started:
        assert not task.done(), "the server did not start"
        await asyncio.sleep(0.01)
    server = Server(hall, listening.getsockname()[1])
    try:
        yield server
    finally:
        await server.http.aclose()
        serving.should_exit = True
        await task
        listening.close()
