"""The table server next to boardgame.io (npm), on the same small game: prints JSON.

    npm ci --prefix bench/peer          # once
    python bench/peer.py [--runs 5]

Both play heaps (`bench/peer/heaps.py` and `heaps.js`), through the same load program and the same
light WebSocket: two seats a table, a move as soon as it is that seat's turn, the next game at once when
one is over. A move counts when the other seat has seen it. Mandalier keeps each move in SQLite with
synchronous FULL before anybody sees it; boardgame.io shows it first, and then puts it into memory, or
into files that it does not sync.

The servers run one after the other, in turn, each kept on one core with all its threads, the load
program on the others. `moves_per_core_s` goes by the processor time of the
server (all threads), so it holds on a machine that does other things as well; the ratio is the
median of the runs' ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from server import Line, Load, Seat, Server, _loop_run, _post

HERE = Path(__file__).parent / "peer"
STORES = ("memory", "flatfile")


def chosen(chooser: random.Random, heaps: list[int]) -> tuple[int, int]:
    """A move: any heap, any number."""
    heap = chooser.choice([i for i, left in enumerate(heaps) if left])
    return heap, chooser.randint(1, min(3, heaps[heap]))


# boardgame.io --------------------------------------------------------------------------------------


class Ctx(msgspec.Struct):
    turn_of: str = msgspec.field(name="currentPlayer")
    gameover: Any = None


class Heaps(msgspec.Struct):
    heaps: list[int]


class Shown(msgspec.Struct):
    G: Heaps
    ctx: Ctx
    number: int = msgspec.field(name="_stateID", default=0)


class Synced(msgspec.Struct):
    state: Shown


read_kind = msgspec.json.Decoder(list[msgspec.Raw]).decode
read_text = msgspec.json.Decoder(str).decode
read_state = msgspec.json.Decoder(Shown).decode
read_sync = msgspec.json.Decoder(Synced).decode


class PeerSeat:
    """One seat of one match; it speaks socket.io's text frames."""

    def __init__(self, load: PeerLoad, number: int) -> None:
        self.load = load
        self.number = number
        self.player = str(number % 2)
        self.chooser = random.Random(number)
        self.other: PeerSeat | None = None
        self.match = self.key = ""
        self.played = -1

    async def connect(self, port: int) -> None:
        self.joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        _, self.line = await asyncio.get_running_loop().create_connection(
            lambda: Line("/socket.io/?EIO=4&transport=websocket", self.hear), "127.0.0.1", port
        )
        await self.joined

    def sit(self, match: str, key: str) -> None:
        self.match, self.key, self.played = match, key, -1
        self.emit("sync", match, self.player, key, 2)

    def emit(self, *message: Any) -> None:
        self.line.send(b"42/heaps," + msgspec.json.encode(message))

    def hear(self, raw: bytes) -> None:
        if raw.startswith(b"42/heaps,"):
            kind, *rest = read_kind(raw[9:])
            name = read_text(kind)
            if name == "update" and read_text(rest[0]) == self.match:
                self.see(read_state(rest[1]))
            elif name == "sync" and read_text(rest[0]) == self.match:
                self.see(read_sync(rest[1]).state)
        elif raw == b"2":
            self.line.send(b"3")
        elif raw.startswith(b"0"):
            self.line.send(b"40/heaps,")
        elif raw.startswith(b"40/heaps,"):
            self.joined.set_result(None)

    def see(self, state: Shown) -> None:
        if state.ctx.gameover is not None:
            if self.player == "0":
                self.load.next_game(self)
        elif state.ctx.turn_of == self.player and state.number > self.played:
            if state.number > 0:
                self.load.seen(self.match)
            self.played = state.number
            heap, taken = chosen(self.chooser, state.G.heaps)
            self.load.sent[self.match] = time.perf_counter()
            action = {
                "type": "MAKE_MOVE",
                "payload": {
                    "type": "take",
                    "args": [heap, taken],
                    "playerID": self.player,
                    "credentials": self.key,
                },
            }
            self.emit("update", action, state.number, self.match, self.player)


class PeerLoad(Load):
    """All matches of a boardgame.io server."""

    def __init__(self, port: int) -> None:
        super().__init__(0.0)
        self.port = port
        self.asking = ThreadPoolExecutor(4)
        self.tasks: set[Any] = set()

    def new_match(self) -> tuple[str, list[str]]:
        match = _post(self.port, "/games/heaps/create", {"numPlayers": 2})["matchID"]
        join = f"/games/heaps/{match}/join"
        keys = [
            _post(self.port, join, {"playerID": str(i), "playerName": f"Player {i}"})
            for i in (0, 1)
        ]
        return match, [key["playerCredentials"] for key in keys]

    async def begin(self, pair: list[PeerSeat]) -> None:
        loop = asyncio.get_running_loop()
        match, keys = await loop.run_in_executor(self.asking, self.new_match)
        for seat, key in zip(pair, keys, strict=True):
            seat.sit(match, key)

    def next_game(self, seat: PeerSeat) -> None:
        self.games += 1
        assert seat.other is not None
        task = asyncio.ensure_future(self.begin([seat, seat.other]))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def open_matches(self, tables: int) -> None:
        for number in range(tables):
            pair = [PeerSeat(self, 2 * number + i) for i in (0, 1)]
            pair[0].other, pair[1].other = pair[1], pair[0]
            for seat in pair:
                await seat.connect(self.port)
            await self.begin(pair)


class Peer(Server):
    """boardgame.io's server."""

    def __init__(self, store: str, folder: str) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            ["node", str(HERE / "server.js"), store, str(self.port), folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline(), (
            "boardgame.io did not start: npm ci --prefix bench/peer"
        )


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# Mandalier -----------------------------------------------------------------------------------------


class HeapsSeat(Seat):
    def choose(self, sight: Any) -> str:
        heap, taken = chosen(self.chooser, sight.view["heaps"])
        return f"{heap} {taken}"


# Measuring -----------------------------------------------------------------------------------------


async def measure(server: Server, load: Load, asked: argparse.Namespace) -> dict[str, Any]:
    if isinstance(load, PeerLoad):
        await load.open_matches(asked.tables)
    else:
        await load.open([server.port], asked.tables, "data", game="heaps", seat=HeapsSeat)
    await asyncio.sleep(asked.warm)
    load.forget()
    cpu, began = server.cpu_s, time.perf_counter()
    await asyncio.sleep(asked.seconds)
    wall, cpu = time.perf_counter() - began, server.cpu_s - cpu
    took = sorted(load.took) or [0.0]
    return {
        "moves_per_s": round(load.moves / wall, 1),
        "moves_per_core_s": round(load.moves / cpu, 1),
        "games": load.games,
        "p50_ms": round(statistics.median(took) * 1000, 2),
        "p99_ms": round(took[int(len(took) * 0.99)] * 1000, 2),
        **({"refused": load.refused} if load.refused else {}),
    }


def once(which: str, asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mandalier-bench-") as folder:
        server = (
            Server(f"--data-folder={folder}", program=[str(HERE / "serve.py")])
            if which == "mandalier"
            else Peer(which, folder)
        )
        cores = os.sched_getaffinity(0)
        server.keep_to_one_core()
        load = Load(0.0) if which == "mandalier" else PeerLoad(server.port)
        try:
            found: dict[str, Any] = _loop_run(measure(server, load, asked))
            return found
        finally:
            server.stop()
            os.sched_setaffinity(0, cores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--warm", type=float, default=4.0)
    asked = parser.parse_args()
    runs: dict[str, list[Any]] = {which: [] for which in ("mandalier", *STORES)}
    for _ in range(asked.runs):
        for which, done in runs.items():
            done.append(once(which, asked))
            print(which, json.dumps(done[-1]), file=sys.stderr)
    result: dict[str, Any] = {
        "game": "heaps, 2 seats",
        "tables": asked.tables,
        "mandalier_store": "sqlite, synchronous FULL",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load_average": os.getloadavg()[0],
        "runs": runs,
    }
    for store in STORES:
        pairs = list(zip(runs["mandalier"], runs[store], strict=True))
        result[f"times_{store}"] = {
            by: round(statistics.median(ours[by] / theirs[by] for ours, theirs in pairs), 2)
            for by in ("moves_per_s", "moves_per_core_s")
        }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
