"""Earlier positions, sums of scores, and who is here: nothing hidden goes out with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mandalier import draw
from mandalier.games.game import GAMES, State
from mandalier.games.record import play_entry, start
from tests.server.harness import Client, Refused, Server, run, running

each_game = pytest.mark.parametrize("name", list(GAMES))


def states_of(record: dict[str, Any]) -> list[State]:
    state = start(record)
    states = [state.copy()]
    for ply, entry in enumerate(record["moves"]):
        play_entry(state, ply, entry)
        states.append(state.copy())
    return states


@each_game
def test_an_earlier_position_is_what_the_seat_saw_then(tmp_path: Path, name: str) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game=name) as (ada, bob):
            for _ in range(6):
                mover = ada if ada.my_turn else bob
                await mover.move()
                await ada.until_at(mover.at)
                await bob.until_at(mover.at)
            table = server.hall.tables[ada.table]
            past = states_of(table.sitting.record())
            for ply, state in enumerate(past):
                for seat, client in enumerate((ada, bob)):
                    data = (await client.done("recall", ply=ply))["data"]
                    assert data["view"]["view"] == state.view(seat).describe()
                    assert data["view"]["legal"] == []
                    # nobody looks from a seat that is not theirs
                    other = (await client.done("recall", ply=ply, seat=1 - seat))["data"]
                    assert other == data
            with pytest.raises(Refused, match="entries so far"):
                await ada.done("recall", ply=len(past))

    run(running_with(tmp_path, test))


async def running_with(tmp_path: Path, test: Any) -> None:
    async with running(tmp_path / "db") as server:
        await test(server)


def test_an_earlier_position_comes_as_a_picture_without_clicks(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(hello={"form": "picture", "arrangement": "tall"}) as (ada, _):
            data = (await ada.done("recall", ply=0))["data"]
            assert data["view"]["paths"] == {}
            assert data["view"]["svg"].startswith("<svg")

    run(running_with(tmp_path, test))


def test_a_spectator_with_a_delay_looks_back_no_further_than_shown(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(spectator_delay_s=3600) as (ada, _):
            await ada.move()
            async with server.client(await server.key("Eve")) as eve:
                eve.table = ada.table
                assert await eve.refused("recall", ply=0) == "not_now"
                assert await eve.refused("sums") == "not_now"

    run(running_with(tmp_path, test))


@each_game
def test_sums_add_up_to_what_a_seat_knows_of_the_score(tmp_path: Path, name: str) -> None:
    async def test(server: Server) -> None:
        async with server.seated(game=name) as (ada, bob):
            for _ in range(12):
                mover = ada if ada.my_turn else bob
                await mover.move()
                await ada.until_at(mover.at)
                await bob.until_at(mover.at)
            state = server.hall.tables[ada.table].sitting.state
            assert state is not None
            for seat, client in enumerate((ada, bob)):
                sums = (await client.done("sums"))["data"]["sums"]
                view = state.view(seat)
                assert [one["seat"] for one in sums] == [0, 1]
                for one in sums:
                    expected = [{"words": w, "points": n} for w, n in view.sums(one["seat"])]
                    assert one["parts"] == expected
                    assert sum(gain["points"] for gain in one["gained"]) == one["points"]

    run(running_with(tmp_path, test))


def test_two_worlds_a_seat_cannot_tell_apart_are_recalled_alike(tmp_path: Path) -> None:
    """The other seat's hand and the deck may be anything: what is sent has the same bytes."""

    async def test(server: Server) -> None:
        async with server.seated(hello={"form": "picture"}) as (ada, _):
            first = (await ada.done("recall", ply=0))["data"]["view"]["svg"]
            state = server.hall.tables[ada.table].sitting.state
            assert state is not None
            names = ("Player 0", "Player 1")
            for seed in range(3):
                world = state.view(0).imagine(seed)
                assert draw.picture(world.view(0), names=names) == first

    run(running_with(tmp_path, test))


def test_hot_seat_is_told_when_a_seat_sees_secrets(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for game, secret in (("sand", True), ("pyramids", False)):
            key = await server.key()
            table = await server.table(key, game)
            async with server.client(key) as ada:
                ada.table = table
                await ada.done("watch")
                await ada.done("sit", seat=0)
                await ada.done("sit", seat=1)
                await ada.until(lambda c: c.status == "playing")
                assert ada.position["private"] is secret
                await ada.done("watch", seat=-1)
                await ada.until(lambda c: c.position["seat"] is None)
                assert not ada.position["private"]

    run(running_with(tmp_path, test))


def test_who_has_lost_the_connection_is_shown_as_absent(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (ada, bob):
            await ada.until(lambda c: c.position["absent"] == [])
            await bob.close()
            await ada.until(lambda c: c.position["absent"] == [1])
            async with server.client(bob.key) as again:
                again.table = bob.table
                await again.done("watch")
                await ada.until(lambda c: c.position["absent"] == [])
                await again.until(Client.is_to_act if again.my_turn else lambda c: c.position)

    run(running_with(tmp_path, test))
