"""Bots and clocks: bots have time for all their moves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import mandalier
from mandalier.games.game import GAMES
from mandalier.games.kernel import can_compile
from mandalier.search.bot import Budget
from mandalier.server import thinkers as thinkers_module
from mandalier.server.clock import Clock
from mandalier.server.protocol import ClockRule
from mandalier.server.table import PACE_MS, pace_ms
from mandalier.server.thinkers import Thinkers, hurried
from tests.server.harness import Server
from tests.server.test_table import on_server


def clock(**rule: object) -> Clock:
    made = Clock(ClockRule(**rule), 2)  # type: ignore[arg-type]
    made.turn_to((0,), 1_000)
    return made


def test_time_for_a_whole_game_lasts_for_many_moves() -> None:
    made = clock(kind="game", seconds=60)
    assert made.share_of(0, 1_000) == 1_000
    assert made.share_of(0, 31_000) == 500
    assert made.share_of(0, 100_000) == 0
    assert made.share_of(1, 1_000) is None  # it is not their turn
    assert clock(kind="game", seconds=60, increment=4).share_of(0, 1_000) == 3_000


def test_time_for_a_move_is_not_used_up() -> None:
    assert clock(kind="move", seconds=2).share_of(0, 1_000) == 500
    assert clock().share_of(0, 1_000) is None


@pytest.mark.parametrize("game", GAMES)
def test_a_master_hurries_when_time_is_short(game: str) -> None:
    assert hurried("master", game, 100) == Budget(ms=100)
    assert hurried("master:3", game, 0) == Budget(ms=20)
    assert hurried("master", game, 5_000) is None
    for quick in ("novice", "expert:2", "eager", "strokes:500"):
        assert hurried(quick, game, 100) is None  # its own iterations stay what they are


def test_the_pace_of_bots_is_that_of_people_if_there_is_time() -> None:
    for share in (None, 60_000.0):
        assert PACE_MS[0] <= pace_ms(share) <= PACE_MS[1]
    assert pace_ms(100.0) == 100.0
    assert pace_ms(0.0) == 0.0


def test_a_table_has_a_bot_made_ready_for_its_game_once(tmp_path: Path) -> None:
    class Asked(Thinkers):
        prepared: list[str]

        async def prepare(self, game: str) -> None:
            self.prepared.append(game)

    async def test(server: Server) -> None:
        key = await server.key()
        for game in ("sand", "stones", "sand"):
            await server.table(key, game)
        await asyncio.sleep(0)
        assert thinkers.prepared == ["sand", "stones"]

    thinkers = Asked(1)
    thinkers.prepared = []
    on_server(tmp_path, test, thinkers=thinkers, prepares_bots=True)


def test_a_prepared_worker_has_thought_about_the_game() -> None:
    async def work() -> None:
        thinkers = Thinkers(1)
        try:
            await thinkers.prepare("pyramids")
            assert len(thinkers.processes) == 1
        finally:
            thinkers.close()

    asyncio.run(work())


@pytest.mark.skipif(not can_compile(), reason="is about compiled rules")
def test_a_worker_searches_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    found = mandalier.games.game.game("pyramids")
    monkeypatch.setattr(found, "_ready", None)
    monkeypatch.setattr(thinkers_module, "_warming", {})
    assert not found.at_hand.compiled
    view = mandalier.deal("pyramids", seats=2, seed=1).view(0)
    thinkers_module._think(view, "eager", Budget(), 1, "en")
    warming = thinkers_module._warming["pyramids"]
    assert warming is not None
    warming.wait()
    assert found.at_hand.compiled


def test_a_thought_that_nobody_wants_any_more_frees_its_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(thinkers_module, "GRACE_S", 0.2)
    thinkers = Thinkers(1)
    view = mandalier.deal("pyramids", seats=2, seed=1).view(0)

    async def ask() -> None:
        assert (await thinkers.think(view, "eager", seed=1)).by == "eager"
        endless = asyncio.create_task(thinkers.think(view, "mcts:100000000", seed=1))
        while not (thinkers.asked == 2 and thinkers.waiting == 0):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        endless.cancel()
        assert (await thinkers.think(view, "eager", seed=2)).by == "eager"

    try:
        asyncio.run(ask())
        assert thinkers.crashes == 0  # it was let go, not waited for until patience was at an end
    finally:
        thinkers.close()
