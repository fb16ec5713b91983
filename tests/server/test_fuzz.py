"""What no client should send, in masses: everything is answered or closed cleanly, the server logs no
error, and no table is touched but the senders' own.

MANDALIER_FUZZ says how many messages (a part of them unless it does; 100,000 take some minutes).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from mandalier.games.game import GAMES
from mandalier.server import protocol as p
from mandalier.server.protocol_text import ROUTES
from tests.server.garbage import Garbage, Known
from tests.server.harness import Client, bearer, run
from tests.server.process import PATIENCE_S, Process
from tests.support import OPTIONS

MESSAGES = int(os.environ.get("MANDALIER_FUZZ", "20000"))
BY_SOCKET, BY_HTTP, BY_BYTES = 0.80, 0.17, 0.03
BURST = 40
ROUND = 400
SENDERS = 4
MOST_ROWS = "SELECT * FROM {} ORDER BY 1, 2"
READ_BEAT = msgspec.json.Decoder(p.ClientMessage).decode


# Those who must not notice -------------------------------------------------------------------------


class Bystanders:
    """People at tables of their own, who mind their own business while others send garbage."""

    def __init__(self, server: Process, folder: Path) -> None:
        self.server = server
        self.database = folder / "tables.db"
        self.keys: list[str] = []
        self.tables: list[str] = []
        self.clients: list[Client] = []

    @contextlib.asynccontextmanager
    async def seated(self) -> AsyncIterator[Bystanders]:
        async with contextlib.AsyncExitStack() as stack:
            http = await stack.enter_async_context(api(self.server))
            self.keys = [await new_key(http, name) for name in ("Ada", "Bob")]
            for game, spectators in (("pyramids", True), ("stones", False)):
                table = await new_table(http, self.keys[0], game, spectators=spectators)
                self.tables.append(table)
                for seat, key in enumerate(self.keys):
                    client = await connect(stack, self.server, key)
                    client.table = table
                    await client.done("watch")
                    await client.done("sit", seat=seat, program=True)
                    self.clients.append(client)
            for client in self.clients:
                await client.until(lambda c: c.status == "playing")
            for client in self.clients:
                if client.my_turn:
                    await client.move()
            yield self

    def kept(self) -> dict[str, list[Any]]:
        """All that the database has of them."""
        found: dict[str, list[Any]] = {}
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            marks = ", ".join("?" * len(self.tables))
            for sql in (
                f"SELECT * FROM events WHERE tbl IN ({marks}) ORDER BY tbl, seq",
                f"SELECT * FROM tables WHERE id IN ({marks}) ORDER BY id",
                f"SELECT id, name, kind, banned FROM people WHERE id IN"
                f" (SELECT person FROM events WHERE tbl IN ({marks})) ORDER BY id",
            ):
                found[sql] = database.execute(sql, self.tables).fetchall()
            sql = "SELECT person, COUNT(*) FROM credentials WHERE person IN (SELECT person FROM"
            sql += f" events WHERE tbl IN ({marks})) GROUP BY person"
            found[sql] = sorted(database.execute(sql, self.tables).fetchall())
        return found

    async def finish(self) -> None:
        """Nobody has moved in between; the games go on to their end."""
        await asyncio.gather(*(client.play_to_the_end(i) for i, client in enumerate(self.clients)))
        for client in self.clients:
            assert client.status == "over"


def api(server: Process) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.base, timeout=PATIENCE_S)


async def new_key(http: httpx.AsyncClient, name: str) -> str:
    answer = await http.post("/api/v1/guests", json={"name": name})
    http.cookies.clear()
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


async def new_table(http: httpx.AsyncClient, key: str, game: str, **config: Any) -> str:
    body = {"game": game, "options": OPTIONS.get(game, {}), **config}
    answer = await http.post("/api/v1/tables", json=body, headers=bearer(key))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"]["id"])


async def connect(stack: contextlib.AsyncExitStack, server: Process, key: str) -> Client:
    live = f"ws://127.0.0.1:{server.port}/api/v1/live"
    socket = await stack.enter_async_context(websockets.connect(live, max_size=2**24))
    client = Client(socket)
    stack.push_async_callback(client.close)
    await client.send("hello", token=key, form="data")
    return client


# Those who send garbage ----------------------------------------------------------------------------


class Sender:
    """A connection that sends garbage in bursts, and counts the answers."""

    def __init__(self, server: Process, key: str, garbage: Garbage) -> None:
        self.server = server
        self.key = key
        self.garbage = garbage
        self.sent = 0
        self.codes: Counter[str] = Counter()

    async def round(self, messages: int) -> None:
        live = f"ws://127.0.0.1:{self.server.port}/api/v1/live"
        async with websockets.connect(live, max_size=2**24) as socket:
            form = self.garbage.chooser.choice(("data", "data", "picture"))
            await socket.send(json.dumps({"type": "hello", "token": self.key, "form": form}))
            assert json.loads(await socket.recv())["type"] == "welcome"
            for start in range(0, messages, BURST):
                await self._burst(socket, min(BURST, messages - start))

    async def _burst(self, socket: ClientConnection, messages: int) -> None:
        """All of a burst is answered, in order but for hints; a last message that is right tells
        that it has been read to its end."""
        given = [self.garbage.message() for _ in range(messages)]
        mark = f"mark{self.sent}"
        for one in given:
            await socket.send(one)
        await socket.send(json.dumps({"type": "unwatch", "id": mark, "table": "-"}))
        answers, expected, at_the_end = 0, 1 + sum(map(is_answered, given)), False
        while not at_the_end or answers < expected:
            message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S))
            kind = message["type"]
            if kind == "position":
                self.garbage.known.at = message["at"]
                view = message["view"] or {}
                legal = [
                    one if isinstance(one, str) else one["move"] for one in view.get("legal", ())
                ]
                self.garbage.known.moves = legal or self.garbage.known.moves
            elif kind in ("done", "refused", "welcome"):
                answers += 1
                self.codes[message.get("code", kind)] += 1
                at_the_end = at_the_end or message.get("id") == mark
            else:
                assert kind in ("beat", "said"), message
        assert answers == expected
        self.sent += messages


def is_answered(message: str | bytes) -> bool:
    """A beat is not; all else is."""
    try:
        return not isinstance(READ_BEAT(message), p.Beat)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return True


async def send_garbage(
    server: Process, others: list[str], messages: int, seed: int, codes: Counter[str]
) -> int:
    """Two persons at a table that is at some stage send garbage: to each other, and to others."""
    chooser = random.Random(seed)
    sent = 0
    async with api(server) as http:
        keys = [await new_key(http, name) for name in ("Mallory", "Trudy")]
        while sent < messages:
            game = chooser.choice(list(GAMES))
            table = await new_table(http, keys[0], game, visibility="public")
            await prepare(http, keys, table, chooser.randrange(4))
            known = Known([table, table] + others * 2)
            senders = [
                Sender(server, keys[i], Garbage(chooser.getrandbits(32), known)) for i in (0, 1)
            ]
            await asyncio.gather(*(sender.round(ROUND // 2) for sender in senders))
            sent += sum(sender.sent for sender in senders)
            for sender in senders:
                codes += sender.codes
            close = {"type": "close", "id": "the end", "table": table}
            await http.post("/api/v1/messages", json=close, headers=bearer(keys[0]))
    return sent


async def prepare(http: httpx.AsyncClient, keys: list[str], table: str, stage: int) -> None:
    """Nobody is seated yet; one; both, so that it is dealt; or the game is given up already."""
    for seat in range(min(stage, 2)):
        sit = {"type": "sit", "id": "s", "table": table, "seat": seat, "program": True}
        answer = await http.post("/api/v1/messages", json=sit, headers=bearer(keys[seat]))
        assert answer.json()["answer"]["type"] == "done", answer.text
    if stage == 3:
        for _ in range(500):
            status = (await http.get(f"/api/v1/tables/{table}")).json()["table"]["status"]
            if status == "playing":
                break
            await asyncio.sleep(0.01)
        resign = {"type": "resign", "id": "r", "table": table}
        await http.post("/api/v1/messages", json=resign, headers=bearer(keys[1]))


# By HTTP and by bytes ------------------------------------------------------------------------------


class Asker:
    """Requests in odd forms over connections that are kept as long as the server keeps them."""

    def __init__(self, server: Process, seed: int, others: list[str]) -> None:
        self.server = server
        self.chooser = random.Random(seed)
        self.known = Known(list(others))
        self.garbage = Garbage(seed, self.known)
        self.key = "nobody"
        self.statuses: Counter[int] = Counter()
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, times: int) -> None:
        async with api(self.server) as http:
            for number in range(times):
                if number % 250 == 0:
                    self.key = await new_key(http, "Mallory")
                    own = await new_table(http, self.key, "sand")
                    self.known.tables = [own, own, *self.known.tables[-3:]]
                await self._one()
        await self._hang_up()

    async def _one(self) -> None:
        head, body, is_stream = self._request()
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        assert self.reader is not None
        self.writer.write(head + body)
        try:
            await self.writer.drain()
            found = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            if getattr(error, "partial", b""):
                raise  # half an answer
            self.statuses[0] += 1  # closed cleanly
            await self._hang_up()
            return
        status = int(found.split(b" ", 2)[1])
        self.statuses[status] += 1
        assert status < 500, (head, body, found)
        headers = dict(
            line.lower().split(b": ", 1) for line in found.split(b"\r\n")[1:] if b": " in line
        )
        length = int(headers.get(b"content-length", b"0"))
        if (
            is_stream
            or b"transfer-encoding" in headers
            or b"close" in headers.get(b"connection", b"")
        ):
            await self._hang_up()
            return
        told = await asyncio.wait_for(self.reader.readexactly(length), PATIENCE_S)
        assert b"Traceback" not in told
        if status >= 400 and b"application/json" in headers.get(b"content-type", b""):
            assert set(json.loads(told)) == {"code", "reason"}, told

    async def _hang_up(self) -> None:
        if self.writer is not None:
            self.writer.close()
            with contextlib.suppress(OSError):
                await self.writer.wait_closed()
        self.reader = self.writer = None

    def _request(self) -> tuple[bytes, bytes, bool]:
        pick = self.chooser.choice
        route = pick(ROUTES)
        method = (
            route.method
            if self.chooser.random() < 0.85
            else pick(("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"))
        )
        path = route.path
        for name in route.in_path:
            path = path.replace(
                f"{{{name}}}", self._text(pick([*self.known.tables, "%00", "..", "é"]))
            )
        for name in route.query:
            path += f"{'&' if '?' in path else '?'}{name}={self._text(pick(ODD_VALUES))}"
        if self.chooser.random() < 0.05:
            path = pick(
                ("/", "//", "/api", "/api/v2/me", "/t/x", "/../../etc/passwd", "/%ff", "/?%")
            )
        made = self.garbage.message()
        body = made if isinstance(made, bytes) else made.encode("utf-8", "surrogatepass")
        if route.body is None and self.chooser.random() < 0.7:
            body = b""
        if self.chooser.random() < 0.01:
            body = b"x" * pick((200_000, 300_000))
        headers = [f"Host: 127.0.0.1:{self.server.port}".encode()]
        if method not in ("GET", "OPTIONS", "TRACE") or body:
            headers.append(b"Content-Length: %d" % len(body))
            headers.append(
                b"Content-Type: " + pick((b"application/json", b"text/plain", b"\xff", b""))
            )
        headers.append(b"Authorization: " + self._authorization())
        if self.chooser.random() < 0.05:
            headers.append(pick(ODD_HEADERS))
        target = path.encode("latin-1", "replace")
        head = b"\r\n".join([f"{method} ".encode() + target + b" HTTP/1.1", *headers, b"", b""])
        return head, body, path.partition("?")[0].endswith("/stream")

    @staticmethod
    def _text(value: str) -> str:
        return value.replace(" ", "%20").replace("#", "%23")

    def _authorization(self) -> bytes:
        forged = (
            "",
            "Bearer",
            "Bearer ",
            "Basic QWRhOg==",
            f"Bearer {self.key[:-1]}x",
            "Bearer \xff",
        )
        return (
            f"Bearer {self.key}" if self.chooser.random() < 0.7 else self.chooser.choice(forged)
        ).encode("latin-1")


ODD_VALUES = (
    "",
    "0",
    "-1",
    "1",
    "9" * 15,
    "9" * 40,
    "²",
    "x",
    "en",
    "picture",
    "%F0%9F",
    "sand",
    "'",
)
ODD_HEADERS = (
    b"Origin: https://elsewhere.example",
    b"Origin: null",
    b"Sec-Fetch-Site: cross-site",
    b"Host: elsewhere.example",
    b"Content-Length: -1",
    b"Transfer-Encoding: chunked",
    b"Cookie: mandalier=" + b"x" * 3000,
    b"Cookie: mandalier=\xff\xfe; ;;=",
    b"X-Forwarded-For: 1.2.3.4, ::1, unknown",
    b"X-Forwarded-Proto: ftp",
    b"Accept-Language: " + b"q," * 500,
    b"Last-Event-ID: \xb2",
    b"Upgrade: websocket",
    b"Expect: 100-continue",
    b"Range: bytes=0-9999999999",
)
HANDSHAKE = (
    "GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)


async def send_bytes(server: Process, times: int, seed: int) -> None:
    """Bytes that are no HTTP, or no frames of a WebSocket: the connection is closed, that is all."""
    chooser = random.Random(seed)
    for _ in range(times):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        if chooser.random() < 0.7:
            writer.write(HANDSHAKE.format(port=server.port).encode())
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        with contextlib.suppress(OSError):  # it may be closed by then
            writer.write(odd_bytes(chooser))
            await writer.drain()
            writer.write_eof()
            told = await asyncio.wait_for(reader.read(), PATIENCE_S)
            assert b"Traceback" not in told
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def odd_bytes(chooser: random.Random) -> bytes:
    """Frames: not masked, of unknown kinds, cut off, fragments out of order, text that is no UTF-8,
    longer than the server takes, control frames that are too long; or anything at all."""
    noise = chooser.randbytes(chooser.randrange(1, 120))
    mask = b"\0\0\0\0"
    return chooser.choice(
        (
            noise,
            b"\x81\x05hello",
            bytes([0x80 | chooser.randrange(16), 0x85]) + mask + b"hello",
            bytes([chooser.randrange(256), chooser.randrange(256)]) + mask + noise,
            b"\x80\x85" + mask + b"hello",
            b"\x01\x85" + mask + b"hello" + b"\x01\x85" + mask + b"hello",
            b"\x81\x84" + mask + b"\xff\xfe\xfd\xfc",
            b"\x81\xff" + (2**40).to_bytes(8, "big") + mask + noise,
            b"\x81\xfe\xff\xff" + mask + b"[" * 65_535,
            b"\x88\x81" + mask + b"\x03",
            b"\x88\x82" + mask + (999).to_bytes(2, "big"),
            b"\x89\xfe\x01\x00" + mask + b"x" * 256,
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
            b"POST /api/v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{",
            b"POST /api/v1/guests HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        )
    )


# The tests -----------------------------------------------------------------------------------------


def gaps(database: Path) -> list[Any]:
    """Tables whose events are not numbered from 1 without a gap."""
    with contextlib.closing(sqlite3.connect(database)) as found:
        return found.execute(
            "SELECT tbl, COUNT(*), MIN(seq), MAX(seq) FROM events GROUP BY tbl"
            " HAVING COUNT(*) <> MAX(seq) OR MIN(seq) <> 1"
        ).fetchall()


@pytest.mark.parametrize("seed", [1])
def test_whatever_is_sent_is_answered_or_closed_cleanly_and_touches_no_other_table(
    tmp_path: Path, seed: int
) -> None:
    async def work() -> None:
        server = Process(tmp_path, f"--data-folder={tmp_path}")
        await server.start()
        codes: Counter[str] = Counter()
        try:
            async with Bystanders(server, tmp_path).seated() as others:
                await asyncio.sleep(1)  # the row that lists read follows a moment later
                before = others.kept()
                heard = [client.position for client in others.clients]
                asker = Asker(server, seed, others.tables)
                done = await asyncio.gather(
                    *(
                        send_garbage(
                            server,
                            others.tables,
                            int(MESSAGES * BY_SOCKET / SENDERS),
                            100 * seed + n,
                            codes,
                        )
                        for n in range(SENDERS)
                    ),
                    asker.ask(int(MESSAGES * BY_HTTP)),
                    send_bytes(server, int(MESSAGES * BY_BYTES), seed),
                )
                sent = sum(n for n in done if n)
                print(f"{sent} messages: {dict(codes)}; HTTP: {dict(asker.statuses)}")
                assert codes.keys() <= {"done", "refused", "welcome", *p.REFUSALS}
                assert not codes["busy"]
                assert others.kept() == before
                assert [client.position for client in others.clients] == heard
                await others.finish()
                async with api(server) as http:
                    assert (await http.get("/healthz")).status_code == 200
            assert await server.stop(signal.SIGTERM) in (0, -signal.SIGTERM)
            assert not server.complaints, server.complaints
            said = server.log.read_text().splitlines()
            assert len(said) < 10  # hints about proxies and names, once each, and nothing else
            assert not [line for line in said if " warning " not in line]
            assert not gaps(tmp_path / "tables.db")
        finally:
            await server.stop()

    run(work(), 600 + MESSAGES / 20)
