"""Simulated games: the same for any number of workers, resumable, ready for other executors."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import mandalier
from mandalier.games import kernel
from mandalier.games.game import MandalierError, game
from mandalier.games.record import Checker, loads, replay
from mandalier.lab import simulate as simulation
from mandalier.lab.simulate import Player, Run, simulate
from mandalier.search.bot import bot_move
from mandalier.search.glance import BOTS
from tests.support import OPTIONS, TABLES


def data_of(run: Run, **how: Any) -> dict[str, Any]:
    found = simulate(run, **how).data()
    found.pop("seconds")
    return found


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "SHARD_SECONDS", 1e-5)
    monkeypatch.setattr(simulation, "PROBE_GAMES", 3)


class Inline(Executor):
    """An executor that works at once and remembers its shards."""

    def __init__(self) -> None:
        self.shards: list[tuple[int, int]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.shards.append((args[1], args[2]))
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_any_way_of_sharing_out_the_work_gives_the_same_result(
    name: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.of(name, seats, games=120, seed=5, options=OPTIONS.get(name))
    alone = data_of(run, workers=1)
    assert alone["games"] == 120
    executor = Inline()
    monkeypatch.setattr(simulation, "SHARD_SECONDS", 1e-5)
    assert data_of(run, executor=executor) == alone
    assert len(executor.shards) > 1
    assert data_of(run, executor=ThreadPoolExecutor(1)) == alone


def test_worker_processes_give_the_same_result(small_shards: None) -> None:
    run = Run.of("sand", games=300, seed=5)
    assert data_of(run, workers=2) == data_of(run, workers=1)


@pytest.mark.skipif(not kernel.can_compile(), reason="compares with compiled rules")
@pytest.mark.parametrize(("name", "seats"), TABLES)
@pytest.mark.parametrize("bot", sorted(BOTS))
def test_compiled_and_interpreted_bots_play_the_same_games(name: str, seats: int, bot: str) -> None:
    run = Run.of(name, seats, games=4, seed=9, bots=(bot,), options=OPTIONS.get(name))
    found = game(name)
    assert Player(run, found.compiled).tally(0, 4) == Player(run, found.interpreted).tally(0, 4)


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_records_written_check_and_add_up_to_the_summary(
    name: str, seats: int, tmp_path: Path
) -> None:
    out = tmp_path / "games.jsonl"
    bots = ("greedy",) + ("random",) * (seats - 1)
    run = Run.of(name, seats, games=40, seed=3, bots=bots, options=OPTIONS.get(name))
    with_records = data_of(run, out=out, workers=1)
    assert with_records == data_of(run, workers=1)
    lines = out.read_text().splitlines()
    assert len(lines) == 40
    assert list(Checker().faults(lines)) == []
    wins = [0] * seats
    for line in lines:
        for seat in loads(line)["result"]["winners"]:
            wins[seat] += 1
    assert wins == [row["wins"] for row in with_records["by_seat"]]


def test_game_k_depends_on_seed_and_k_alone(tmp_path: Path) -> None:
    long, short = tmp_path / "long.jsonl", tmp_path / "short.jsonl"
    simulate(Run.of("sand", games=30, seed=8), out=long, workers=1)
    simulate(Run.of("sand", games=10, seed=8), out=short, workers=1)
    assert long.read_text().startswith(short.read_text())
    simulate(Run.of("sand", games=30, seed=9), out=short, workers=1, overwrite=True)
    assert not set(long.read_text().splitlines()) & set(short.read_text().splitlines())


class Stopped(Exception):
    pass


@pytest.mark.usefixtures("small_shards")
def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    run = Run.of("sand", games=60, seed=4)
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    expected = data_of(run, out=whole, workers=1)

    def stop(done: int, total: int) -> None:
        if done >= 20:
            raise Stopped

    with pytest.raises(Stopped):
        simulate(run, out=part, workers=1, progress=stop)
    stopped_at = len(part.read_text().splitlines())
    assert 20 <= stopped_at < 60
    with open(part, "a") as file:
        file.write('{"half a rec')  # what a kill leaves behind
    with open(f"{part}.journal", "a") as file:
        file.write('{"tally": [1')
    assert data_of(run, out=part, workers=1) == expected
    assert part.read_text() == whole.read_text()


@pytest.mark.usefixtures("small_shards")
def test_a_run_without_records_resumes_by_its_journal(tmp_path: Path) -> None:
    run = Run.of("pyramids", 3, games=60, seed=4)
    journal = tmp_path / "run.journal"

    def stop(done: int, total: int) -> None:
        if done >= 20:
            raise Stopped

    with pytest.raises(Stopped):
        simulate(run, journal=journal, workers=1, progress=stop)
    assert data_of(run, journal=journal, workers=1) == data_of(run, workers=1)


def test_a_finished_run_is_not_played_again(tmp_path: Path) -> None:
    run = Run.of("sand", games=20, seed=4)
    out = tmp_path / "games.jsonl"
    first = data_of(run, out=out, workers=1)
    before = out.read_bytes()
    executor = Inline()
    assert data_of(run, out=out, executor=executor) == first
    assert executor.shards == []
    assert out.read_bytes() == before


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("precious\n")
    with pytest.raises(MandalierError, match="is there already"):
        simulate(Run.of("sand", games=5, seed=1), out=out)
    assert out.read_text() == "precious\n"
    simulate(Run.of("sand", games=5, seed=1), out=out, overwrite=True, workers=1)
    assert len(out.read_text().splitlines()) == 5
    with pytest.raises(MandalierError, match="another run"):
        simulate(Run.of("sand", games=5, seed=2), out=out)


def test_a_file_cut_short_behind_its_journals_back_is_noticed(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    simulate(Run.of("sand", games=5, seed=1), out=out, workers=1)
    out.write_text("")
    with pytest.raises(MandalierError, match="shorter than its journal"):
        simulate(Run.of("sand", games=5, seed=1), out=out, workers=1)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"name": "chess"}, "no game"),
        ({"name": "sand", "seats": 3}, "2 seats"),
        ({"name": "sand", "games": 0}, "at least one game"),
        ({"name": "sand", "bots": ("clever",)}, "no bot"),
        ({"name": "pyramids", "seats": 4, "bots": ("random", "greedy")}, "2 bots"),
        ({"name": "sand", "seed": -1}, "seed"),
        ({"name": "sand", "options": {"colour": "blue"}}, "no option"),
    ],
)
def test_a_run_that_cannot_be_says_why(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(MandalierError, match=words):
        Run.of(**asked)


def win_rate(name: str, seats: int, bot: str) -> float:
    bots = (bot,) + ("random",) * (seats - 1)
    run = Run.of(name, seats, games=200, seed=2, bots=bots, options=OPTIONS.get(name))
    return float(simulate(run, workers=1).data()["by_seat"][0]["win_rate"])


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_eager_beats_random(name: str, seats: int) -> None:
    assert win_rate(name, seats, "eager") > 0.75


@pytest.mark.parametrize("name", ["sand", "pyramids"])
def test_greedy_beats_random_where_points_at_once_are_worth_having(name: str) -> None:
    assert win_rate(name, 2, "greedy") > 0.6


@pytest.mark.parametrize("bot", sorted(BOTS))
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_bot_plays_by_what_its_seat_may_know(name: str, seats: int, bot: str) -> None:
    state = mandalier.deal(name, seats, 6, OPTIONS.get(name))
    while not state.over and len(state.log) < 30:
        seat = state.waiting[0]
        view = state.view(seat)
        world = view.imagine(1)
        move = bot_move(view, bot, seed=11)
        assert move == bot_move(world.view(seat), bot, seed=11)
        assert move in state.legal(seat)
        state.play(move, seat)


def test_a_bot_out_of_turn_says_so() -> None:
    state = mandalier.deal("sand", seed=1)
    with pytest.raises(MandalierError, match="not the turn of seat 1"):
        bot_move(state.view(1), "random", 1)


def test_the_journal_of_a_run_is_readable_data(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    simulate(Run.of("sand", games=5, seed=1), out=out, workers=1)
    header, *rest = map(json.loads, (tmp_path / "games.jsonl.journal").read_text().splitlines())
    assert header["run"][0] == "sand"
    assert rest[-1]["end"] == out.stat().st_size
    assert replay(loads(out.read_text().splitlines()[-1])).over


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # it has ended, and nobody has asked how


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_workers_end_when_the_run_they_work_for_is_killed() -> None:
    code = """
import os, time
from mandalier.games.workers import worker_pool
pool = worker_pool(2)
workers = [pool.submit(os.getpid) for _ in range(2)]
print(*{worker.result() for worker in workers}, flush=True)
time.sleep(600)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    workers = [int(pid) for pid in run.stdout.readline().split()]
    assert workers
    assert all(map(is_running, workers))
    run.kill()
    run.wait()
    run.stdout.close()
    for _ in range(600):
        if not any(map(is_running, workers)):
            return
        time.sleep(0.1)
    raise AssertionError(f"still there: {workers}")
