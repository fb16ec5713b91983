"""What a client receives does not depend on what it may not know: every byte of it is the same in two
games that differ in nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.game import State, View, game
from mandalier.server.fairness import Fair
from tests.server.harness import Client, Server, bearer, run, running
from tests.support import OPTIONS

SECRET = bytes(range(32))
PLIES = 14
EVERY = 5  # after so many moves they ask whatever can be asked
SWAPS = 60  # tried to make one game's hidden things into the other's
BY_CHANCE_ELSEWHERE = (
    (re.compile(r'"n":\d+,'), '"n":0,'),
    (re.compile(r'"created":\d+'), '"created":0'),
    (re.compile(r'"now":\d+'), '"now":0'),
    (re.compile(r'"age_ms":\d+'), '"age_ms":0'),
)
"""What tells the time or the number of the message."""


# Two games that differ only in what a seat may not know -----------------------------------------------


def replayed(name: str, setup: Any, moves: list[tuple[int, str]]) -> Iterator[State]:
    """The positions of a game. Raises MandalierError where a move is not possible."""
    found = game(name)
    state = State.from_setup(found, 2, setup, found.check_options({}), 0)
    yield state
    for seat, move in moves:
        state.move(move, seat)
        if state.chance_due:
            raise MandalierError("what chance brings is not known beforehand")
        yield state


def random_moves(name: str, setup: Any, seed: int) -> list[tuple[int, str]]:
    chooser = random.Random(seed)
    found = game(name)
    state = State.from_setup(found, 2, setup, found.check_options({}), 0)
    moves: list[tuple[int, str]] = []
    while len(moves) < PLIES and not state.over and not state.chance_due:
        seat = state.waiting[0]
        moves.append((seat, chooser.choice(state.legal(seat))))
        state.move(moves[-1][1], seat)
    return moves[:-1] if state.chance_due else moves


def seen(name: str, setup: Any, moves: list[tuple[int, str]], viewer: int) -> list[View]:
    """What a seat and a spectator know at each ply."""
    states = replayed(name, setup, moves)
    return [state.view(who) for state in states for who in (viewer, SPECTATOR)]


def swapped(setup: Any, chooser: random.Random, viewer: int) -> Any:
    """A setup with two cards, or stones, or somebody else's objectives changed."""
    if "deck" in setup:
        deck = list(setup["deck"])
        i, j = chooser.randrange(40), chooser.randrange(len(deck))
        deck[i], deck[j] = deck[j], deck[i]
        return {**setup, "deck": "".join(deck)}
    if chooser.random() < 0.3:
        objectives = [list(pair) for pair in setup["objectives"]]
        taken = {one for pair in objectives for one in pair}
        free = sorted(set(OBJECTIVES) - taken)
        objectives[1 - viewer][chooser.randrange(2)] = chooser.choice(free)
        return {**setup, "objectives": objectives}
    stacks = [list(stack) for stack in setup["stacks"]]
    (a, i), (b, j) = ((chooser.randrange(len(stacks)), chooser.randrange(3)) for _ in range(2))
    stacks[a][i], stacks[b][j] = stacks[b][j], stacks[a][i]
    return {**setup, "stacks": ["".join(stack) for stack in stacks]}


OBJECTIVES = [
    "ring-only",
    "star-only",
    "two-red",
    "two-blue",
    "two-yellow",
    "two-purple",
    "two-columns",
    "five-columns",
    "three-stones",
    "six-stones",
]


def twin_of(name: str, setup: Any, moves: list[tuple[int, str]], viewer: int, seed: int) -> Any:
    """Another setup, from which the same moves lead through positions that look the same to a seat
    and to spectators, and another to the other seat."""
    chooser = random.Random(seed)
    known, other = seen(name, setup, moves, viewer), setup
    for _ in range(SWAPS):
        trial = swapped(other, chooser, viewer)
        try:
            if seen(name, trial, moves, viewer) == known:
                other = trial
        except (MandalierError, ValueError):
            continue
    assert other != setup
    return other


# Everything a client receives -------------------------------------------------------------------------


class Recorder:
    """Plays a game through the real socket, and keeps all bytes that some receive on the way."""

    def __init__(self, server: Server, form: str, patch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.hello = {"form": "data", "explain": True}
        if form != "data":
            self.hello = {"form": "picture", "parts": form == "parts"}
        self.patch = patch
        self.keys: list[str] = []
        patch.setattr("mandalier.server.hall.new_secret", lambda: SECRET)
        # who comes while dice are in the air sees them fly: that depends on the time alone
        patch.setattr("mandalier.server.scene.UNDER_WAY_MS", 0)

    async def open(self) -> None:
        self.keys = [await self.server.key(f"Player {i}") for i in range(3)]

    def deal(self, setup: Any) -> None:
        """From now on this is what is dealt."""

        def dealt(fair: Fair, name: str, options: Any = None) -> State:
            return State.from_setup(game(name), len(fair.words), setup, options or {}, 0)

        self.patch.setattr(Fair, "deal", dealt)

    async def game(self, name: str, viewer: int, moves: Any) -> dict[str, list[str]]:
        """What the viewer, a spectator and the other seat receive while these moves are played:
        pairs of seat and text, or a function that gives such pairs for the clients."""
        server = self.server
        table = await server.table(self.keys[0], name, options=OPTIONS.get(name, {}))
        async with (
            server.client(self.keys[0], **self.hello) as zero,
            server.client(self.keys[1], **self.hello) as one,
            server.client(self.keys[2], **self.hello) as eve,
        ):
            clients = {0: zero, 1: one, SPECTATOR: eve}
            for seat, client in clients.items():
                client.table = table
                await client.done("watch")
                if seat != SPECTATOR:
                    await client.done("sit", seat=seat, program=True)
            for client in clients.values():
                await client.until(lambda c: c.status == "playing")
                await client.done("watch")  # it is sent the position, and then that it is done
            began = {seat: len(client.raw) for seat, client in clients.items()}
            asked: dict[int, list[str]] = {seat: [] for seat in clients}
            for ply, (seat, move) in enumerate(moves(clients) if callable(moves) else moves):
                done = await clients[seat].done("move", at=clients[seat].at, move=move, seat=seat)
                for who, client in clients.items():
                    await client.until_at(done["seq"])
                    if who in (viewer, SPECTATOR) and ply % EVERY == EVERY - 1:
                        await self._ask(client, who)
                        asked[who] += await self._fetch(table, who)
            for who in (viewer, SPECTATOR):
                await self._ask(clients[who], who)
                asked[who] += await self._fetch(table, who)
            received = {
                who: [*client.raw[began[who] :], *asked[who]] for who, client in clients.items()
            }
        return {
            name: plain(received[who], table)
            for name, who in (
                ("viewer", viewer),
                ("spectator", SPECTATOR),
                ("other", 1 - viewer),
            )
        }

    async def _ask(self, client: Client, who: int) -> None:
        """Everything a client may ask, sensible or not."""
        ply = len(client.log)
        for message, fields in (
            ("why", {"clicks": ["nowhere"]}),
            ("why", {"clicks": ["hand-r", "mountain-1"]}),
            ("recall", {"ply": ply // 2}),
            ("recall", {"ply": ply, "seat": -1}),
            ("sums", {}),
            ("explain", {"move": first_legal(client) or "m1r"}),
            ("move", {"at": client.at, "move": "there is no such move"}),
            ("move", {"at": 0, "move": first_legal(client) or "m1r"}),
            ("move", {"at": client.at, "move": "m1r", "seat": 0 if who == SPECTATOR else 1 - who}),
            ("hint", {"bot": "greedy"}),
            ("premove", {"move": "not now"}),
            ("premove", {"move": ""}),
            ("agree", {"what": "undo"}),
            ("word", {"word": "late"}),
            ("watch", {"since": client.at}),
        ):
            if message == "premove" and client.my_turn:
                continue
            await client.ask(message, **fields)

    async def _fetch(self, table: str, who: int) -> list[str]:
        """The same by HTTP."""
        headers = bearer(self.keys[who]) if who != SPECTATOR else {}
        found = []
        for path in ("", "/seats", "/result", "/position", "/position?form=picture&explain=1"):
            found.append(await self._text(f"/api/v1/tables/{table}{path}", headers))
        for path in ("record", "fair", "position?seat=0", "position?seat=1"):
            found.append(await self._text(f"/api/v1/tables/{table}/{path}", headers))
        url = f"/api/v1/tables/{table}/stream?form=picture"
        async with self.server.http.stream("GET", url, headers=headers) as stream:
            async for line in stream.aiter_lines():
                found.append(line)
                if '"type":"position"' in line:
                    break
        return found

    async def _text(self, path: str, headers: dict[str, str]) -> str:
        answer: httpx.Response = await self.server.http.get(path, headers=headers)
        return f"{answer.status_code} {answer.text}"


def first_legal(client: Client) -> str | None:
    view = client.position["view"]
    if view["form"] == "data":
        return str(view["legal"][0]["move"]) if view["legal"] else None
    node = view["paths"]
    while node and not isinstance(node.get("move"), str):
        node = next(iter(node.values()))
    return str(node["move"]) if node else None


def plain(received: list[str], table: str) -> list[str]:
    """Without what tells the time, the table's name, and beats."""
    found = []
    for text in received:
        if '"type":"beat"' not in text:
            made = text.replace(table, "TABLE")
            for pattern, put in BY_CHANCE_ELSEWHERE:
                made = pattern.sub(put, made)
            found.append(made)
    return found


# The tests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["data", "picture", "parts"])
@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("name", ["sand", "stones"])
def test_a_client_receives_the_same_bytes_whatever_others_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, viewer: int, form: str
) -> None:
    setup = State.dealt(game(name), 2, 77, {}).record()["setup"]
    moves = random_moves(name, setup, 5)
    twin = twin_of(name, setup, moves, viewer, 3)
    views = [list(replayed(name, one, moves))[-1].view(1 - viewer) for one in (setup, twin)]
    assert views[0] != views[1]

    async def work() -> None:
        async with running(tmp_path / "tables.db") as server:
            recorder = Recorder(server, form, monkeypatch)
            await recorder.open()
            received = []
            for dealt in (setup, twin):
                recorder.deal(dealt)
                received.append(await recorder.game(name, viewer, moves))
            one, two = received
            assert len(one["viewer"]) > 5 * len(moves)
            assert one["viewer"] == two["viewer"]
            assert one["spectator"] == two["spectator"]
            assert one["other"] != two["other"]  # who may know receives something else

    run(work())


@pytest.mark.parametrize("form", ["data", "picture", "parts"])
@pytest.mark.parametrize("phase", ["prepare", "exhibition"])
def test_a_client_receives_the_same_bytes_whatever_others_have_chosen_in_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str, form: str
) -> None:
    async def work() -> None:
        async with running(tmp_path / "tables.db") as server:
            recorder = Recorder(server, form, monkeypatch)
            await recorder.open()
            one, two = [
                await recorder.game("dice", 0, secretly(server, phase, which)) for which in (0, 1)
            ]
            assert one["viewer"] == two["viewer"]
            assert one["spectator"] == two["spectator"]
            assert one["other"] != two["other"]

    run(work())


def secretly(server: Server, phase: str, which: int) -> Any:
    """Random moves up to the phase, in which seat 1 chooses this or that before seat 0 does."""

    def moves(clients: dict[int, Client]) -> Iterator[tuple[int, str]]:
        chooser = random.Random(14)
        sitting = server.hall.tables[clients[0].table].sitting
        while True:
            state = sitting.state
            assert state is not None
            if len(state.waiting) == 2 and state.view(0).describe()["phase"] == phase:
                options = state.legal(1)
                if len(options) > 1:
                    yield 1, (options[0], options[-1])[which]
                    return
            seat = state.waiting[0]
            yield seat, chooser.choice(state.legal(seat))

    return moves
