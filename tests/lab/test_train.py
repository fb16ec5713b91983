"""Training runs: that they can be repeated, stopped and trusted. What needs torch is tested where
torch is; the rest with a learner that learns nothing."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mandalier
from mandalier import cli
from mandalier.games.contract import MAX_SEATS
from mandalier.games.game import game
from mandalier.lab.generations import Plan, Replay, Run, Verdict, batches
from mandalier.lab.report import curve_picture, write_report
from mandalier.lab.selfplay import Batch, Caps, Match, play_batch, play_match
from mandalier.search import net as nets
from mandalier.search.net import read_net
from mandalier.search.searcher import Style

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="learns with torch"
)
WIDTHS = (8, 8, 8, 8)
TINY = Plan(
    "pyramids",
    (2, 3),
    seed=5,
    widths=WIDTHS,
    games=32,
    window=600,
    passes=0.5,
    caps=Caps(full=12, fast=4, often=3),
    match_deals=32,
    match_iterations=6,
)


class AtOnce(Executor):
    """An executor that works here and now."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


class Guesser:
    """A learner that guesses: a net at random, from the seed and from all it did before."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.memory = 0

    def learn(
        self, replay: Replay, numbers: list[int], steps: int, seeds: tuple[int, int], tell: Any
    ) -> dict[str, Any]:
        self.numbers = numbers
        drawn = replay.draw(np.random.default_rng(seeds[1]), 50)
        self.memory = (31 * self.memory + seeds[0] + int(drawn["sights"].sum())) % 2**40
        return {"win": float(self.memory % 97), "moves": 1.0, "points": 1.0}

    def flat(self) -> Any:
        chance = np.random.default_rng(self.memory)
        parts = {name: chance.normal(0, 0.1, shape) for name, shape in nets.sizes(self.numbers)}
        return nets.flatten(self.numbers, parts).astype("f2").astype("f4")

    def begin_with(self, flat: Any) -> None:
        self.memory = int(1000 * abs(flat[nets.NUMBERS :]).sum())

    def save(self, path: Path) -> None:
        path.write_text(json.dumps([self.numbers, self.memory]), encoding="utf-8")

    def load(self, path: Path) -> None:
        self.numbers, self.memory = json.loads(path.read_text(encoding="utf-8"))


def silent(label: str, done: int, there_are: int) -> None:
    pass


def a_run(folder: Path, plan: Plan = TINY) -> Run:
    return Run(folder, plan, Guesser(), AtOnce())


def without_clock(curve: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: row[name] for name in row if not name.endswith("s") or name == "loss"}
        for row in curve
    ]


def same(one: Any, other: Any) -> bool:
    return (one is None) == (other is None) and (one is None or np.array_equal(one, other))


# Runs ------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    runs = [a_run(tmp_path / name) for name in ("one", "other")]
    for run in runs:
        run.step(silent)
        run.step(silent)
    assert without_clock(runs[0].curve) == without_clock(runs[1].curve)
    assert same(runs[0].best, runs[1].best)
    assert runs[0].learner.flat().tobytes() == runs[1].learner.flat().tobytes()


def test_another_seed_gives_another_run(tmp_path: Path) -> None:
    plan = Plan(**{**TINY.__dict__, "seed": 6})
    runs = [a_run(tmp_path / "one"), a_run(tmp_path / "other", plan)]
    rows = [run.step(silent) for run in runs]
    assert rows[0]["loss"] != rows[1]["loss"]


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = a_run(tmp_path / "whole")
    for _ in range(3):
        whole.step(silent)
    a_run(tmp_path / "parts").step(silent)
    a_run(tmp_path / "parts").step(silent)
    last = a_run(tmp_path / "parts")
    assert last.generation == 2
    last.step(silent)
    assert without_clock(last.curve) == without_clock(whole.curve)
    assert same(last.best, whole.best)


def test_a_run_that_is_killed_while_it_writes_goes_on_after_its_last_whole_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = a_run(tmp_path / "whole")
    for _ in range(2):
        whole.step(silent)
    run = a_run(tmp_path / "killed")
    run.step(silent)

    def killed(self: Path, text: str, **kwargs: Any) -> int:
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", _unless(Path.write_text, "run.new", killed))
        with pytest.raises(InterruptedError):
            run.step(silent)
    again = a_run(tmp_path / "killed")
    assert again.generation == 1
    again.step(silent)
    assert without_clock(again.curve) == without_clock(whole.curve)


def _unless(write: Any, name: str, instead: Any) -> Any:
    def chosen(self: Path, *args: Any, **kwargs: Any) -> Any:
        return (instead if self.name == name else write)(self, *args, **kwargs)

    return chosen


def test_a_folder_with_a_run_of_another_plan_is_refused(tmp_path: Path) -> None:
    a_run(tmp_path)
    with pytest.raises(mandalier.MandalierError, match="another plan; name another folder"):
        a_run(tmp_path, Plan(**{**TINY.__dict__, "games": 33}))


def test_a_plan_written_before_something_could_be_chosen_is_the_plan_it_was(tmp_path: Path) -> None:
    a_run(tmp_path)
    path = tmp_path / "plan.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    del plan["style"]["blind"], plan["rate"]
    path.write_text(json.dumps(plan), encoding="utf-8")
    assert a_run(tmp_path).generation == 0


def test_a_run_for_features_of_another_version_does_not_go_on(tmp_path: Path) -> None:
    a_run(tmp_path)
    path = tmp_path / "plan.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    plan["sights"][2] += 1
    path.write_text(json.dumps(plan), encoding="utf-8")
    with pytest.raises(mandalier.MandalierError, match="another plan"):
        a_run(tmp_path)


def test_a_game_that_shows_nothing_to_nets_cannot_be_trained(tmp_path: Path) -> None:
    with pytest.raises(mandalier.MandalierError, match="dice shows nothing to nets"):
        a_run(tmp_path, Plan("dice", (2,), 1))


def test_the_net_of_a_run_can_be_shipped_and_takes_the_place_of_the_last_one(
    tmp_path: Path,
) -> None:
    run = a_run(tmp_path / "run")
    with pytest.raises(mandalier.MandalierError, match="no net has beaten random play"):
        run.write_best(tmp_path)
    run.step(silent)
    run.best = run.learner.flat()
    (tmp_path / "pyramids-0123456789ab.net").write_bytes(b"old")
    (tmp_path / "sand-0123456789ab.net").write_bytes(b"of another game")
    path = run.write_best(tmp_path)
    assert sorted(tmp_path.glob("*.net")) == sorted([path, tmp_path / "sand-0123456789ab.net"])
    net = read_net(path.read_bytes(), run.module, path.name)
    assert same(net.flat, run.best)
    assert net.origin["plan"]["seed"] == 5
    assert net.origin["generations"] == 1
    assert net.origin["games"] == 32


# The gate --------------------------------------------------------------------------------------


def test_a_run_that_begins_with_a_net_plays_by_it_and_counts_on_from_it(tmp_path: Path) -> None:
    before = a_run(tmp_path / "before")
    before.step(silent)
    before.best, before.elo = before.learner.flat(), 120.0
    name, data = before.net_file()
    first = read_net(data, before.module, name)
    plan = replace(TINY, begun_with=name)

    def on(folder: str) -> Run:
        return Run(tmp_path / folder, plan, Guesser(), AtOnce(), first)

    run = on("after")
    assert same(run.best, first.flat)
    assert run.elo == 120.0
    run.step(silent)
    other = a_run(tmp_path / "other")
    other.step(silent)
    assert run.curve[0]["loss"] != other.curve[0]["loss"]
    assert json.loads((tmp_path / "after" / "plan.json").read_text())["begun_with"] == name
    (tmp_path / "after" / "run.json").unlink()  # as if it had been killed in its first generation
    assert same(on("after").best, first.flat)
    with pytest.raises(mandalier.MandalierError, match="another plan"):
        a_run(tmp_path / "after")


def test_a_net_of_another_shape_is_no_beginning(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    run.step(silent)
    run.best = run.learner.flat()
    name, data = run.net_file()
    first = read_net(data, run.module, name)
    wider = replace(TINY, widths=(16, 8, 8, 8), begun_with=name)
    with pytest.raises(mandalier.MandalierError, match="another shape"):
        Run(tmp_path / "wider", wider, Guesser(), AtOnce(), first)


def test_a_net_is_promoted_only_if_the_lower_bound_of_its_gain_is_above_zero() -> None:
    chance = np.random.default_rng(1)
    for mean in (-0.1, 0.0, 0.02, 0.05, 0.1):
        shares = chance.normal(mean, 0.3, 200)
        verdict = Verdict.of(shares, shares)
        least = shares.mean() - 1.645 * shares.std(ddof=1) / math.sqrt(200)
        assert verdict.least == pytest.approx(least)
        assert verdict.is_promotion == (least > 0)
    assert not Verdict.of(np.array([0.5, -0.4]), np.zeros(2)).is_promotion
    assert Verdict.of(np.array([0.5, 0.49]), np.zeros(2)).is_promotion


def test_a_net_that_was_not_promoted_does_not_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(tmp_path)
    for promoted in (True, False):
        before = run.best
        monkeypatch.setattr(Verdict, "is_promotion", promoted)
        row = run.step(silent)
        assert row["promoted"] is promoted
        assert same(run.best, run.learner.flat()) is promoted
        if not promoted:
            assert same(run.best, before)


def test_a_net_against_itself_gains_nothing() -> None:
    flat = _some_flat()
    job = Match("pyramids", 3, {}, Style(), flat, flat, 8, seed=3, first=0, deals=10)
    shares, leads = play_match(job)
    assert shares == pytest.approx(np.zeros(10))
    assert len(leads) == 10


def _some_flat(seed: int = 1) -> Any:
    module: Any = game("pyramids").module
    h1, h2, h3, hp = WIDTHS
    numbers = [*module.SIGHTS, h1, h2, h3, module.NOTICED, hp]
    chance = np.random.default_rng(seed)
    return nets.flatten(
        numbers, {name: chance.normal(0, 0.1, shape) for name, shape in nets.sizes(numbers)}
    )


# Self-play -------------------------------------------------------------------------------------


def a_batch(caps: Caps, games: int = 6, first: int = 0, net: Any = None) -> dict[str, Any]:
    return play_batch(Batch("pyramids", 2, {}, Style(), net, caps, 9, first, games))


def test_only_moves_searched_in_full_teach_moves_and_all_positions_teach_the_outcome() -> None:
    data = a_batch(Caps(full=20, fast=4, often=4), games=30)
    full = data["moves"] > 0
    assert 0.15 < full.mean() < 0.35  # one in four
    assert (data["found"][full] >= 0).all()
    assert (data["found"][~full] < 0).all()
    assert data["wins"].sum(1) == pytest.approx(np.ones(len(full)))
    assert len(data["target"]) == data["moves"].sum()


def test_positions_of_sand_are_written_down_as_both_seats_see_them() -> None:
    caps = Caps(full=8, fast=4, often=2)
    data = play_batch(Batch("sand", 2, {}, Style(), None, caps, 9, 0, 2))
    turn = data["sights"][:, 0]  # whether the seat that sees it is to move
    assert (turn[0::2] == 1).all()
    assert (turn[1::2] == 0).all()
    assert not data["moves"][1::2].any()
    assert np.array_equal(data["wins"][0::2, 0], data["wins"][1::2, 1])
    full = data["found"][0::2] >= 0
    assert full.any()
    assert data["found"][1::2][full] == pytest.approx(1 - data["found"][0::2][full])
    assert (data["found"][1::2][~full] < 0).all()


def test_where_every_move_is_searched_in_full_every_choice_is_written_down() -> None:
    data = a_batch(Caps(full=12, fast=1, often=1))
    assert (data["moves"] > 1).mean() > 0.5  # all but moves without an alternative
    ends = np.cumsum(data["moves"])
    for start, end in zip(ends - data["moves"], ends, strict=True):
        if end > start:
            assert data["target"][start:end].sum() == pytest.approx(1, abs=1e-5)


def test_a_game_of_self_play_depends_on_the_seed_and_its_number_alone() -> None:
    caps = Caps(full=12, fast=4, often=3)
    net = _some_flat()
    whole = a_batch(caps, 4, net=net)
    parts = [a_batch(caps, 1, first=k, net=net) for k in range(4)]
    for name in ("sights", "moves", "target", "wins", "points", "found"):
        assert np.array_equal(whole[name], np.concatenate([part[name] for part in parts]))


def test_workers_change_nothing_of_what_is_played() -> None:
    jobs = batches(TINY, None, False, 32, lambda seats: seats)[:4]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for here, there in zip(map(play_batch, jobs), pool.map(play_batch, jobs), strict=True):
            assert all(np.array_equal(here[name], there[name]) for name in here)


def test_a_replay_forgets_the_oldest_positions_and_draws_moves_with_their_positions() -> None:
    replay = Replay(window=150)
    caps = Caps(full=12, fast=4, often=2)
    parts = [a_batch(caps, 4, first=4 * k) for k in range(6)]
    for part in parts:
        replay.add(part)
    kept = len(replay.parts)
    assert 0 < kept < 6
    assert replay.rows == sum(len(part["moves"]) for part in parts[-kept:])
    drawn = replay.draw(np.random.default_rng(2), 400)
    assert len(drawn["sights"]) == len(drawn["counts"]) == 400
    assert len(drawn["target"]) == drawn["counts"].sum()
    ends = np.cumsum(drawn["counts"])
    for start, end in zip(ends - drawn["counts"], ends, strict=True):
        if end > start:
            assert drawn["target"][start:end].sum() == pytest.approx(1, abs=1e-5)


# Reports ---------------------------------------------------------------------------------------


def test_a_report_tells_the_curve_and_compares_what_the_net_expects_with_what_comes(
    tmp_path: Path,
) -> None:
    run = a_run(tmp_path / "run")
    run.step(silent)
    run.best = run.learner.flat()
    path = write_report(run, tmp_path / "report", 12, silent)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["curve"] == run.curve
    assert data["net"] == run.net_file()[0]
    assert [one["seats"] for one in data["calibration"]] == [2, 3]
    for one in data["calibration"]:
        assert one["games"] == 6
        assert sum(part["n"] for part in one["wins"]) == one["samples"] > 0
        shares = sum(part["n"] * part["expected"] for part in one["wins"]) / one["samples"]
        assert 0 < shares < 1
    drawn = {file.name for file in (tmp_path / "report").glob("*.svg")}
    assert drawn == {"pyramids.svg", "pyramids-2-calibration.svg", "pyramids-3-calibration.svg"}


def test_a_curve_fills_the_points_of_promoted_nets_only() -> None:
    rows = [
        {"elo": 10.0 * k, "promoted": k % 2 == 0, "loss": {"win": 1.0, "moves": 2.0}}
        for k in range(5)
    ]
    drawn = curve_picture("sand", rows)
    assert drawn.count("<circle") == 5
    assert drawn.count('r="3.5" fill="#2b6cb0"') == 3


# With torch ------------------------------------------------------------------------------------


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is here")
def test_without_torch_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["train", "pyramids", "--minutes", "0", "--folder", str(tmp_path)]) != 0
    assert "mandalier[train]" in capsys.readouterr().err


@needs_torch
def test_the_net_that_learns_is_the_net_that_plays(tmp_path: Path) -> None:
    import torch

    from mandalier.lab.report import expectations
    from mandalier.lab.train import Model

    data = a_batch(Caps(full=12, fast=4, often=2), 4)
    run = a_run(tmp_path)
    replay = Replay(10_000)
    replay.add(data)
    torch.manual_seed(3)
    model = Model(run.numbers, *replay.scales(run.numbers))
    _, out = model(torch.from_numpy(data["sights"]).float())
    wins = torch.softmax(out[:, :2], 1)[:, 0].detach().numpy()
    points = out[:, MAX_SEATS : MAX_SEATS + 2].detach().numpy() * nets.POINT_SCALE
    found = expectations(run.module, model.flat(), data["sights"], 2)
    assert found[:, 0] == pytest.approx(wins, abs=0.01)  # half precision
    assert found[:, 1] == pytest.approx(points[:, 0] - points[:, 1], abs=0.5)


@needs_torch
def test_with_torch_a_run_learns_and_the_same_seed_gives_the_same_net(tmp_path: Path) -> None:
    from mandalier.lab.train import TorchLearner

    def torch_run(name: str) -> Run:
        return Run(tmp_path / name, TINY, TorchLearner(TINY.rate), AtOnce())

    whole, parts = torch_run("whole"), torch_run("parts")
    for _ in range(2):
        whole.step(silent)
        parts.step(silent)
        parts = torch_run("parts")
    assert without_clock(whole.curve) == without_clock(parts.curve)
    assert whole.learner.flat().tobytes() == parts.learner.flat().tobytes()


@needs_torch
def test_with_torch_a_net_that_is_learnt_on_from_is_itself_at_first(tmp_path: Path) -> None:
    import torch

    from mandalier.lab.train import Model

    run, replay = a_run(tmp_path), Replay(10_000)
    replay.add(a_batch(Caps(full=12, fast=4, often=2), 4))
    torch.manual_seed(3)
    one = Model(run.numbers, *replay.scales(run.numbers)).flat()
    other = Model(run.numbers, *replay.scales(run.numbers))
    assert not same(other.flat(), one)
    other.take(one)
    assert other.flat() == pytest.approx(one, rel=2e-3, abs=1e-6)  # half precision


@needs_torch
def test_with_torch_the_losses_fall() -> None:
    from mandalier.lab.train import TorchLearner

    replay = Replay(100_000)
    replay.add(a_batch(Caps(full=24, fast=4, often=2), 60))
    module: Any = game("pyramids").module
    numbers = [*module.SIGHTS, 16, 16, 16, module.NOTICED, 8]
    learner = TorchLearner(2e-3)
    first = learner.learn(replay, numbers, 20, (1, 2), silent)
    later = learner.learn(replay, numbers, 150, (1, 2), silent)
    assert later["win"] < first["win"]
    assert later["moves"] < first["moves"]


@needs_torch
def test_the_command_trains_ships_and_reports(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["train", "pyramids", "--seats", "2", "--games", "40", "--workers", "1"]
    folder = ["--folder", str(tmp_path / "run"), "--json"]
    out = ["--ship", str(tmp_path / "nets"), "--report", str(tmp_path), "--report-games", "4"]
    status = cli.main([*arguments, *folder, "--minutes", "0.001"])
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert status == 0
    assert (row["generation"], row["games"]) == (1, 40)
    if row["promoted"]:
        assert cli.main([*arguments, *folder, *out, "--minutes", "0"]) == 0
        assert len(list((tmp_path / "nets").glob("pyramids-*.net"))) == 1
        assert json.loads((tmp_path / "pyramids.json").read_text())["generations"] == 1
