"""How fast the table server is: prints JSON.

    python bench/server.py moves [--form picture] [--tables 64] [--database postgresql://…]
    python bench/server.py paced --tables 1000 --rate 500
    python bench/server.py two --database postgresql://… --share 0.3 --tables 200
    python bench/server.py soak --seconds 3600

A server is started as a process of its own (two by `two`), with all durability, and a load program
plays sand by real sockets (for `moves`, the server with all its threads is kept on one core, the load
program on the others): two seats a table, a move as soon as it is that seat's turn (or at a
pace); of `two`, each connects to one by lot, so that half the tables have their seats on both. A move
counts when the other seat has seen it. Two servers, a database and the load program do not fit on two
cores: with `--share` each server has so much of one, whether it is alone or not. `moves_per_core_s` is by the processor time the
servers took, so it holds on a machine that does other things as well. `soak` tells the memory of the
server minute by minute; it should be flat once the first games have been put away (a minute after
their end).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

# A socket as light as can be: the load must not be what is measured --------------------------------


class Sight(msgspec.Struct):
    view: Any = None
    legal: list[str] = []
    paths: Any = None


class Info(msgspec.Struct):
    status: str
    rematch: str | None = None


class FromServer(msgspec.Struct):
    type: str
    table: str = ""
    at: int = 0
    seat: int | None = None
    waiting: list[int] = []
    info: Info | None = None
    view: Sight | None = None
    time: float = 0.0
    code: str = ""
    reason: str = ""


OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
decode = msgspec.json.Decoder(FromServer).decode


class Line(asyncio.Protocol):
    """A WebSocket, client side; what it receives may be compressed, as browsers ask for it."""

    def __init__(self, path: str, hear: Callable[[bytes], None], compressed: bool = False) -> None:
        self.path = path
        self.hear = hear
        self.inflate = zlib.decompressobj(wbits=-15).decompress if compressed else None
        self.buffer = bytearray()
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.received = 0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\n{OFFER if self.inflate else ''}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        self.buffer += data
        if not self.open.done():
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self.buffer[:20]:
                self.open.set_exception(ConnectionError(bytes(self.buffer[:200]).decode()))
                return
            if self.inflate and b"permessage-deflate" not in self.buffer[:end]:
                self.open.set_exception(ConnectionError("the server does not compress"))
                return
            del self.buffer[: end + 4]
            self.open.set_result(None)
        while (frame := self._frame()) is not None:
            self.hear(frame)

    def _frame(self) -> bytes | None:
        if len(self.buffer) < 2:
            return None
        size, at = self.buffer[1], 2
        if size == 126:
            if len(self.buffer) < 4:
                return None
            size, at = struct.unpack_from(">H", self.buffer, 2)[0], 4
        elif size == 127:
            if len(self.buffer) < 10:
                return None
            size, at = struct.unpack_from(">Q", self.buffer, 2)[0], 10
        if len(self.buffer) < at + size:
            return None
        first, body = self.buffer[0], bytes(self.buffer[at : at + size])
        kind = first & 15
        del self.buffer[: at + size]
        if first & 0x40 and self.inflate:
            body = self.inflate(body + b"\0\0\xff\xff")
        if kind == 8:
            self.transport.close()
            return None
        return body

    def send(self, message: bytes) -> None:
        size = len(message)
        head = bytes([0x81, 0x80 | size]) if size < 126 else b"\x81\xfe" + struct.pack(">H", size)
        self.transport.write(head + b"\0\0\0\0" + message)  # masked by zeros


# Players -------------------------------------------------------------------------------------------


class Seat:
    """One seat of one table."""

    def __init__(self, load: Load, key: str, number: int, form: str) -> None:
        self.load = load
        self.key = key
        self.number = number
        self.form = form
        self.chooser = random.Random(number)
        self.played = -1
        self.count = 0
        self.turn: FromServer | None = None
        self.other: Seat | None = None
        self.table = ""

    async def connect(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        _, self.line = await loop.create_connection(
            lambda: Line("/api/v1/live", self.hear, self.load.compressed), "127.0.0.1", port
        )
        await self.line.open
        # pictures as a page asks for them
        self.say(type="hello", token=self.key, form=self.form, parts=self.form == "picture")

    def say(self, **message: Any) -> None:
        self.line.send(msgspec.json.encode(message))

    def sit(self, table: str, seat: int | None) -> None:
        self.table = table
        self.played = -1
        self.say(type="watch", id="w", table=table)
        if seat is not None:
            self.say(type="sit", id=f"s{table}", table=table, seat=seat, program=True)

    def hear(self, raw: bytes) -> None:
        message = decode(raw)
        if message.type == "position" and message.table == self.table:
            self._see(message)
        elif message.type == "beat":
            self.say(type="beat", time=message.time)
        elif message.type == "refused":
            self.load.refused[message.code] = self.load.refused.get(message.code, 0) + 1

    def _see(self, message: FromServer) -> None:
        assert message.info is not None
        if message.info.rematch:
            self.say(type="unwatch", id="u", table=self.table)
            self.sit(message.info.rematch, None)
        elif message.info.status == "over":
            if self.number % 2 == 0:
                self.load.games += 1
                self.say(type="rematch", id="r", table=self.table)
        elif message.seat in message.waiting and message.at > self.played:
            if self.played >= 0 or message.at > 4:
                self.load.seen(self.table)
            self.turn = message
            if not self.load.paced:
                self.play()
            else:
                self.load.ready.append(self)

    def play(self) -> None:
        message, self.turn = self.turn, None
        if message is None or message.view is None:
            return
        move = self.choose(message.view)
        self.played = message.at
        self.count += 1
        self.load.sent[self.table] = time.perf_counter()
        self.say(
            type="move",
            id=str(self.count),
            table=self.table,
            at=message.at,
            move=move,
        )

    def choose(self, sight: Sight) -> str:
        return self.chooser.choice(sight.legal or _ends(sight.paths))


def _ends(tree: Any) -> list[str]:
    found: list[str] = []
    for inner in tree.values():
        if isinstance(inner, dict):
            found += [inner["move"]] if isinstance(inner.get("move"), str) else _ends(inner)
    return found


class Load:
    """All tables."""

    def __init__(self, paced: float, compressed: bool = False) -> None:
        self.paced = paced
        self.compressed = compressed
        self.seats: list[Seat] = []
        self.ready: list[Seat] = []
        self.sent: dict[str, float] = {}
        self.took: list[float] = []
        self.moves = 0
        self.games = 0
        self.refused: dict[str, int] = {}
        self.lot = random.Random(7)

    def seen(self, table: str) -> None:
        """The other seat has seen the move."""
        self.moves += 1
        sent = self.sent.pop(table, None)
        if sent is not None:
            self.took.append(time.perf_counter() - sent)

    async def open(
        self,
        ports: list[int],
        tables: int,
        form: str,
        game: str = "sand",
        seat: type[Seat] = Seat,
    ) -> None:
        for number in range(len(self.seats) // 2, len(self.seats) // 2 + tables):
            here = ports[number % len(ports)]
            keys = [_post(here, "/api/v1/guests", {"name": f"Player {i}"})["token"] for i in (0, 1)]
            config = {"game": game, "start_when_full": True}
            table = _post(here, "/api/v1/tables", config, keys[0])["table"]["id"]
            pair = [seat(self, key, 2 * number + i, form) for i, key in enumerate(keys)]
            for i, one in enumerate(pair):
                await one.connect(self.lot.choice(ports))
                one.sit(table, i)
            self.seats += pair
            if number % 20 == 0:
                await asyncio.sleep(0)

    async def keep_pace(self, seconds: float) -> None:
        """Moves at an even pace, whoever is to move."""
        until, due = time.perf_counter() + seconds, time.perf_counter()
        while time.perf_counter() < until:
            due += 1 / self.paced
            wait = due - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            if self.ready:
                self.ready.pop(random.randrange(len(self.ready))).play()

    def forget(self) -> None:
        self.moves = self.games = 0
        self.took.clear()


def _post(port: int, path: str, body: Any, key: str = "") -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        json.dumps(body).encode(),
        {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


EVERY_S = 60.0
FIRST_TABLES = 4
SETTLING = 15  # so often is looked, every two seconds, whether a server has what it needs
SETTLED_KB = 2_000
SHARED_US = 5_000

# Servers -------------------------------------------------------------------------------------------


class Server:
    """`mandalier serve`, as it comes."""

    process: subprocess.Popen[str]
    group: Path | None = None

    def __init__(self, *arguments: str, program: Sequence[str] = ("-m", "mandalier")) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [
                sys.executable,
                *(*program, "serve", "--quiet", "--no-limits", "--here", f"--port={self.port}"),
                *arguments,
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        began = time.perf_counter()
        assert self.process.stdout.readline(), "the server did not start"
        self.ready_s = time.perf_counter() - began

    @property
    def cpu_s(self) -> float:
        """Of all its threads; as the scheduler counts it, not in ticks."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9

    @property
    def memory_kb(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def keep_to_one_core(self) -> None:
        """Leave the other cores to the load program; without this, what it is woken for pushes the
        server aside."""
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) > 1:
            for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
                os.sched_setaffinity(int(thread.name), cores[:1])
            os.sched_setaffinity(0, cores[1:])

    def keep_to_a_share(self, share: float) -> None:
        """Give it so much of a core and no more, as a machine of its own would; for root alone."""
        group = Path(f"/sys/fs/cgroup/cpu/mandalier-bench-{self.process.pid}")
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text(str(SHARED_US))
        (group / "cpu.cfs_quota_us").write_text(str(round(share * SHARED_US)))
        (group / "cgroup.procs").write_text(str(self.process.pid))
        self.group = group

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        while self.group and (self.group / "cgroup.procs").read_text():
            time.sleep(0.1)  # what it has started goes, too
        if self.group:
            self.group.rmdir()


async def measure(asked: argparse.Namespace, servers: list[Server]) -> dict[str, Any]:
    load = Load(asked.rate if asked.what in ("paced", "soak") else 0.0, asked.compressed)
    ports = [server.port for server in servers]
    await load.open(ports, min(FIRST_TABLES, asked.tables), asked.form)
    # what one server needs however many come: the rules (which take a while to be there on a machine
    # that does other things as well), the pictures, the buffers
    first_kb, first = 0, len(load.seats)
    for _ in range(SETTLING):
        await (load.keep_pace(2) if load.paced else asyncio.sleep(2))
        before, first_kb = first_kb, sum(server.memory_kb for server in servers)
        if first_kb - before < SETTLED_KB:
            break
    await load.open(ports, asked.tables - first // 2, asked.form)
    if load.paced:
        await load.keep_pace(asked.warm)
    else:
        await asyncio.sleep(asked.warm)
    load.forget()
    cpu, began = sum(server.cpu_s for server in servers), time.perf_counter()
    memory: list[int] = []
    if asked.what == "soak":
        pacing = asyncio.ensure_future(load.keep_pace(asked.seconds))
        while not pacing.done():
            await asyncio.wait([pacing], timeout=EVERY_S)
            memory.append(sum(server.memory_kb for server in servers))
    elif load.paced:
        await load.keep_pace(asked.seconds)
    else:
        await asyncio.sleep(asked.seconds)
    wall = time.perf_counter() - began
    cpu = sum(server.cpu_s for server in servers) - cpu
    moves, took = load.moves, sorted(load.took) or [0.0]
    full_kb = sum(server.memory_kb for server in servers)
    return {
        **({"memory_kb": memory} if memory else {}),
        "moves_per_s": round(moves / wall, 1),
        "moves_per_core_s": round(moves / cpu, 1) if cpu else None,
        "moves": moves,
        "games": load.games,
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "p50_ms": round(statistics.median(took) * 1000, 2),
        "p99_ms": round(took[int(len(took) * 0.99)] * 1000, 2),
        "kb_a_socket": round((full_kb - first_kb) / max(1, len(load.seats) - first), 1),
        "server_kb": full_kb,
        "refused": load.refused,
        "received_bytes_a_move": round(
            sum(seat.line.received for seat in load.seats)
            / max(1, sum(s.count for s in load.seats))
        ),
    }


def once(asked: argparse.Namespace, how_many: int) -> dict[str, Any]:
    """One run against so many servers."""
    with tempfile.TemporaryDirectory(prefix="mandalier-bench-") as folder:
        where = [f"--database={asked.database}"] if asked.database else [f"--data-folder={folder}"]
        servers = [Server(*where) for _ in range(how_many)]
        if asked.what == "moves":
            servers[0].keep_to_one_core()
        for server in servers:
            if asked.share:
                server.keep_to_a_share(asked.share)
        try:
            found = _loop_run(measure(asked, servers))
            return {"ready_s": [round(server.ready_s, 2) for server in servers], **found}
        finally:
            for server in servers:
                server.stop()


def _loop_run(work: Any) -> Any:
    import uvloop

    return uvloop.run(work)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("moves", "paced", "two", "soak"))
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--form", choices=("data", "picture"), default="data")
    parser.add_argument(
        "--rate", type=float, default=500.0, help="moves a second, for paced and soak"
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--warm", type=float, default=6.0, help="seconds before it counts")
    parser.add_argument(
        "--compressed", action="store_true", help="sockets that ask for compression, as browsers do"
    )
    parser.add_argument(
        "--share", type=float, help="of a core that each server gets (by cgroups, as root)"
    )
    parser.add_argument("--database", help="postgresql://…; SQLite without it")
    asked = parser.parse_args()
    # the rules compile once on a machine, and a bench is not about that
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mandalier.games.game", "sand"], check=True
    )
    if asked.what == "two" and not asked.database:
        parser.error("two servers need a PostgreSQL --database")
    result: dict[str, Any] = {
        "what": asked.what,
        "form": asked.form,
        "compressed": asked.compressed,
        "tables": asked.tables,
        "store": "postgresql" if asked.database else "sqlite, synchronous FULL",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
    }
    if asked.what == "two":
        result["one"] = once(asked, 1)
        result["two"] = once(asked, 2)
        result["ratio"] = round(result["two"]["moves_per_s"] / result["one"]["moves_per_s"], 2)
    else:
        result.update(once(asked, 1))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
