"""Pictures that come in parts: put together, they are the whole, whatever has happened before."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mandalier.games.game import GAMES
from tests.server.harness import Client, Server, bearer, run, running

MOVES = 24


async def whole(server: Server, client: Client, language: str = "en") -> str:
    """The same picture, all at once."""
    path = f"/tables/{client.table}/position?form=picture&seat={client.position['seat']}"
    if client.position["seat"] is None:
        path = f"/tables/{client.table}/position?form=picture&seat=-1"
    found = await server.get(f"{path}&language={language}", client.key)
    assert found["at"] == client.at
    return str(found["view"]["svg"])


def sent(client: Client) -> list[Any]:
    """What came of the last picture."""
    raw = next(text for text in reversed(client.raw) if '"type":"position"' in text)
    parts: list[Any] = json.loads(raw)["view"]["parts"]
    return parts


def moves_in(tree: dict[str, Any]) -> list[str]:
    if isinstance(tree.get("move"), str):
        return [tree["move"]]
    return [move for inner in tree.values() for move in moves_in(inner)]


@pytest.mark.parametrize("name", GAMES)
def test_parts_put_together_are_the_whole_picture(tmp_path: Path, name: str) -> None:
    async def work() -> None:
        chooser = random.Random(name)
        hello = {"form": "picture", "parts": True}
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, name, hello) as seated,
            server.client(await server.key("Eve"), **hello) as eve,
        ):
            eve.table = seated[0].table
            await eve.done("watch", seat=-1)
            await eve.until(lambda c: c.position)
            clients = [*seated, eve]
            for ply in range(MOVES):
                movers = [client for client in seated if client.my_turn]
                if not movers:
                    break
                mover = chooser.choice(movers)
                if ply % 5 == 2:  # positions that come with a refusal change nothing
                    refused = await mover.ask("move", at=mover.at, move="nonsense")
                    assert refused["position"]["view"]["svg"] == await whole(server, mover)
                move = chooser.choice(moves_in(mover.position["view"]["paths"]))
                seat = mover.position["seat"]
                done = await mover.done("move", at=mover.at, move=move, seat=seat)
                for client in clients:
                    await client.until_at(done["seq"])
                    assert client.position["view"]["svg"] == await whole(server, client)
                if ply % 7 == 3:
                    await mover.done("recall", ply=1)
                if ply % 6 == 4:
                    await mover.ask("undo", at=mover.at, seat=seat)
                    for other in seated:
                        if other is not mover:
                            await other.ask("agree", what="undo")
                    for client in clients:
                        await client.done("watch", since=client.at)

    run(work())


def test_after_a_move_only_what_has_changed_is_sent(tmp_path: Path) -> None:
    async def work() -> None:
        hello = {"form": "picture", "parts": True}
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, "sand", hello) as (one, two),
        ):
            first = next(t for t in one.raw if '"parts":["' in t)
            assert all(isinstance(part, str) for part in json.loads(first)["view"]["parts"])
            done = await one.done(
                "move", at=one.at, move=moves_in(one.position["view"]["paths"])[0]
            )
            for client in (one, two):
                await client.until_at(done["seq"])
                texts = [part for part in sent(client) if isinstance(part, str)]
                assert texts
                assert sum(map(len, texts)) < len(client.position["view"]["svg"]) / 3
                assert not any("<defs" in text for text in texts)

    run(work())


def test_who_watches_again_or_in_another_style_gets_every_part(tmp_path: Path) -> None:
    async def work() -> None:
        hello = {"form": "picture", "parts": True}
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, "sand", hello) as (one, _),
        ):
            for language in ("en", "fr"):
                for what in ("watch", "hello"):
                    before = len([text for text in one.raw if '"type":"position"' in text])
                    if what == "watch":
                        await one.done("watch", since=one.at)
                    else:
                        await one.send("hello", token=one.key, language=language, **hello)

                    def has_more(client: Client, before: int = before) -> bool:
                        return len([t for t in client.raw if '"type":"position"' in t]) > before

                    await one.until(has_more)
                    assert all(isinstance(part, str) for part in sent(one))
                assert one.position["view"]["svg"] == await whole(server, one, language)

    run(work())


def test_who_does_not_ask_for_parts_gets_whole_pictures(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, "sand", {"form": "picture"}) as (one, two),
        ):
            done = await one.done(
                "move", at=one.at, move=moves_in(one.position["view"]["paths"])[0]
            )
            for client in (one, two):
                await client.until_at(done["seq"])
                assert client.position["view"]["parts"] is None
                assert client.position["view"]["svg"].startswith("<svg")

    run(work())


def test_a_stream_brings_parts_to_who_asks_for_them(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            running(tmp_path / "tables.db") as server,
            server.seated(2, "sand", {"form": "picture", "parts": True}) as (one, _),
        ):
            url = f"/api/v1/tables/{one.table}/stream?form=picture&parts=1&theme=dark"
            async with server.http.stream("GET", url, headers=bearer(one.key)) as stream:
                had: list[str] = []
                async for line in stream.aiter_lines():
                    if '"type":"position"' not in line:
                        continue
                    message = json.loads(line.removeprefix("data: "))
                    parts = message["view"]["parts"]
                    if had:
                        assert any(isinstance(part, list) for part in parts)
                        break
                    had = parts
                    assert "".join(had).startswith("<svg")
                    moves = moves_in(one.position["view"]["paths"])
                    await one.done("move", at=one.at, move=moves[0])

    run(work())
