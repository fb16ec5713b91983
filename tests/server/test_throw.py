"""Throws: what may be thrown is declared, and everybody at the table sees the same throw."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mandalier import deal, draw
from mandalier.games.dice.texts import dice_in
from mandalier.games.dice.trajectory import unpack_trajectory
from mandalier.server.protocol_stage import Stage
from tests.server.harness import Client, Refused, Server, run, running

PICTURE = {"form": "picture"}
outcomes = pytest.mark.parametrize("outcomes", ["physics", "surrogate"])


async def ready(server: Server, clients: list[Client], icons: str) -> None:
    """All seats prepare."""
    for client in clients:
        await client.move(f"ready {icons}")
    for client in clients:
        await client.until_at(clients[-1].at)


def thrower_of(clients: list[Client]) -> Client:
    return next(client for client in clients if client.my_turn)


def usual(throw: dict[str, Any], **changes: int) -> str:
    numbers = [changes.get(gauge["name"], gauge["usual"]) for gauge in throw["gauges"]]
    return " ".join([throw["move"], *map(str, numbers)])


def test_a_stage_is_drawn_as_it_is_declared() -> None:
    """So it goes out as it is."""
    chooser, state = random.Random(2), deal("dice", 3, seed=4, options={"outcomes": "surrogate"})
    with_throws = 0
    while not state.over:
        for seat in range(3):
            if found := draw.stage(state.view(seat)):
                declared = msgspec.convert(found, Stage)
                assert msgspec.json.encode(found) == msgspec.json.encode(declared)
                with_throws += bool(declared.throws and declared.dice)
        seat = chooser.choice(state.waiting)
        state.play(chooser.choice(state.legal(seat)), seat)
    assert with_throws > 10


@outcomes
def test_everybody_sees_the_same_throw_end_where_the_record_has_it(
    tmp_path: Path, outcomes: str
) -> None:
    async def test(server: Server) -> None:
        options = {"outcomes": outcomes}
        async with (
            server.seated(game="dice", hello=PICTURE, options=options) as clients,
            server.client(await server.key("Eve"), **PICTURE) as eve,
        ):
            eve.table = clients[0].table
            await eve.done("watch")
            await ready(server, clients, "DF")
            thrower = thrower_of(clients)
            throw = thrower.position["view"]["stage"]["throws"][0]
            await thrower.move(usual(throw))
            seen = []
            for client in (*clients, eve):
                await client.until_at(thrower.at)
                (motion,) = client.position["motions"]
                assert motion["at"] == client.at
                assert (motion["seat"], motion["kind"]) == (throw["seat"], throw["kind"])
                seen.append((motion["path"], motion["end"]))
            assert seen[0] == seen[1] == seen[2]
            path, end = seen[0]
            landed = dice_in(thrower.log[-1]["text"])
            tracks = unpack_trajectory(base64.b64decode(path))
            assert [(t.seat, t.die) for t in tracks] == [(d["seat"], d["die"]) for d in end]
            for track, die, numbers in zip(tracks, end, landed, strict=True):
                assert [die[k] for k in ("seat", "die", "x", "y", "yaw", "face")] == numbers
                assert abs(track.places[-1][0] - die["x"]) <= 1
                assert abs(track.places[-1][1] - die["y"]) <= 1

    run(over(tmp_path, test))


async def over(tmp_path: Path, test: Any) -> None:
    async with running(tmp_path / "db") as server:
        await test(server)


def test_each_icon_is_played_by_its_gauges_and_refused_beyond_them(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game="dice", hello=PICTURE) as clients:
            thrown: set[str] = set()
            for icons in ("LR", "BDF"):
                await ready(server, clients, icons)
                while not all(client.my_turn for client in clients):  # until the next round
                    thrower = thrower_of(clients)
                    stage = thrower.position["view"]["stage"]
                    if stage and stage["throws"]:
                        throw = stage["throws"][0]
                        for gauge in throw["gauges"]:
                            for beyond in (gauge["low"] - 1, gauge["high"] + 1):
                                with pytest.raises(Refused, match="illegal"):
                                    await thrower.move(usual(throw, **{gauge["name"]: beyond}))
                        thrown.add(throw["id"])
                        await thrower.move(usual(throw))
                    else:
                        await thrower.move("leave" if stage else "done")
                    for client in clients:
                        await client.until_at(thrower.at)
            assert thrown == {f"icon-{icon}" for icon in "LRBDF"}

    run(over(tmp_path, test))


def test_only_who_is_to_throw_is_told_what_may_be_thrown(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game="dice", hello=PICTURE) as clients:
            assert all(c.position["view"]["stage"]["throws"] == [] for c in clients)
            await ready(server, clients, "LB")
            thrower = thrower_of(clients)
            for client in clients:
                told = [t["id"] for t in client.position["view"]["stage"]["throws"]]
                assert told == (["icon-L", "icon-B"] if client is thrower else [])

    run(over(tmp_path, test))


def test_who_was_away_is_shown_the_throws_since_and_a_newcomer_only_what_is_in_the_air(
    tmp_path: Path,
) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game="dice", hello=PICTURE) as clients:
            await ready(server, clients, "DF")
            since = clients[0].at
            for _ in range(2):
                thrower = thrower_of(clients)
                await thrower.move(usual(thrower.position["view"]["stage"]["throws"][0]))
                for client in clients:
                    await client.until_at(thrower.at)
            async with server.client(clients[0].key, **PICTURE) as again:
                again.table = clients[0].table
                again.log = list(clients[0].log)
                await again.done("watch", since=since)
                await again.until(lambda c: c.position)
                assert len(again.position["motions"]) == 2
                assert all(motion["age_ms"] >= 0 for motion in again.position["motions"])
            table = server.hall.tables[clients[0].table]
            scene = table.sitting.scene
            assert scene is not None
            from mandalier.server.scene import UNDER_WAY_MS, Style

            late = scene.ms + UNDER_WAY_MS
            assert scene.motions(None, 0, Style(), late, 0) == []
            assert scene.motions(None, 0, Style(form="data"), scene.ms, 0) == []
            (fresh, *_) = scene.motions(None, 0, Style(), scene.ms + 30, 0)[-1:]
            assert fresh.age_ms == 30
            # who sees the game late sees the throw from its beginning
            assert scene.motions(None, 7, Style(), scene.ms + 60_030, 60_000)[-1].age_ms == 30

    run(over(tmp_path, test))


def test_an_earlier_throw_is_recalled_with_its_path(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        options = {"outcomes": "physics"}
        async with server.seated(game="dice", hello=PICTURE, options=options) as clients:
            await ready(server, clients, "DF")
            thrower = thrower_of(clients)
            await thrower.move(usual(thrower.position["view"]["stage"]["throws"][0]))
            (motion,) = thrower.position["motions"]
            data = (await thrower.done("recall", ply=len(thrower.log)))["data"]
            assert data["motion"]["path"] == motion["path"]
            assert (await thrower.done("recall", ply=1))["data"]["motion"] is None

    run(over(tmp_path, test))


def test_a_throw_survives_a_restart_with_its_path(tmp_path: Path) -> None:
    """Another server, or this one after a crash, shows the same throw."""

    async def test() -> None:
        options = {"outcomes": "physics"}
        async with (
            running(tmp_path / "db") as server,
            server.seated(game="dice", hello=PICTURE, options=options) as clients,
        ):
            await ready(server, clients, "DF")
            thrower = thrower_of(clients)
            await thrower.move(usual(thrower.position["view"]["stage"]["throws"][0]))
            (motion,) = thrower.position["motions"]
            key, table, ply = thrower.key, thrower.table, len(thrower.log)
        async with running(tmp_path / "db") as server, server.client(key, **PICTURE) as again:
            again.table = table
            await again.done("watch")
            data = (await again.done("recall", ply=ply))["data"]
            assert data["motion"]["path"] == motion["path"]

    run(test())


def test_a_throw_taken_back_is_shown_no_more(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game="dice", hello=PICTURE) as clients:
            await ready(server, clients, "DF")
            thrower = thrower_of(clients)
            other = next(client for client in clients if client is not thrower)
            before = thrower.at
            await thrower.move(usual(thrower.position["view"]["stage"]["throws"][0]))
            await thrower.done("undo", at=thrower.at)
            done = await other.done("agree", what="undo")
            await thrower.until_at(done["seq"])
            scene = server.hall.tables[thrower.table].sitting.scene
            assert scene is not None
            from mandalier.server.scene import Style

            assert scene.motions(before, 0, Style(), scene.ms, 0) == []

    run(over(tmp_path, test))
