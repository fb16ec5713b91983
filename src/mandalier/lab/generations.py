"""A training run: self-play, learning, and the match that decides, generation by generation.

In each generation the best net so far plays against itself on all cores, a learner learns from the
last games of all generations, and what it learnt meets the best net in paired deals; it takes its
place only if the lower bound of what it gains is above zero. Everything is in the run's folder, so a
stopped run goes on where it was. The same seed gives the same run, on any number of workers.

How a net learns is the learner's affair: the one there is, with torch, is in lab/train.py.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mandalier.games.errors import MandalierError
from mandalier.games.game import game
from mandalier.games.words import say
from mandalier.lab.selfplay import Batch, Caps, Match, play_batch, play_match
from mandalier.search import net as nets
from mandalier.search.searcher import Style

BATCH_ROWS = 512
LEAST_STEPS = 50
SURE_OF = 1.645  # promotion at 95 %, one-sided
SHARDS = 8
"""Pieces of work of a generation for each number of seats. It is part of the plan, as each begins
with a seed of its own, and not of the machine."""

Tell = Callable[[str, int, int], None]
"""(what is being done, how much of it is done, how much there is)"""
Data = dict[str, Any]
"""What self-play wrote down, as arrays."""


@dataclass(frozen=True)
class Plan:
    """What a run does. Kept in the run's folder; a run goes on by the plan it began with."""

    game: str
    seats: tuple[int, ...]
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    widths: tuple[int, int, int, int] = (32, 48, 32, 16)
    games: int = 1500  # a generation
    window: int = 1_200_000  # positions that are learnt from
    passes: float = 12.0  # how often a position is learnt from, in each generation it is new in
    caps: Caps = field(default_factory=Caps)
    style: Style = field(default_factory=Style)
    match_deals: int = 200
    match_iterations: int = 48
    rate: float = 6e-3
    aside: bool = False
    """Whether nets are taught what seats see that wait, and asked for it."""
    begun_with: str = ""
    """The net's file that the run began with; "" if it began with random play."""

    def data(self) -> Any:
        """As JSON."""
        return json.loads(json.dumps(asdict(self)))


class Learner(Protocol):
    """What learns from games, and remembers between generations."""

    def learn(
        self, replay: Replay, numbers: list[int], steps: int, seeds: tuple[int, int], tell: Tell
    ) -> Data:
        """Learn in so many steps; what it was wrong by. One seed is for how a net begins, one for
        what it is shown."""

    def flat(self) -> Any:
        """The net as the rules read it."""

    def begin_with(self, flat: Any) -> None:
        """Learn on from a net, as the rules read it."""

    def save(self, path: Path) -> None: ...

    def load(self, path: Path) -> None: ...


# What is learnt from ---------------------------------------------------------------------------


class Replay:
    """The last positions of self-play."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: deque[Data] = deque()
        self.rows = 0

    def add(self, data: Mapping[str, Any]) -> None:
        part = {name: data[name] for name in data if name != "games"}
        part["first_move"] = np.concatenate([[0], np.cumsum(part["moves"])])[:-1]
        self.parts.append(part)
        self.rows += len(part["moves"])
        while self.rows - len(self.parts[0]["moves"]) > self.window:
            self.rows -= len(self.parts.popleft()["moves"])

    def draw(self, chooser: np.random.Generator, rows: int) -> Data:
        """Some positions at random, with their moves."""
        sizes = np.array([len(part["moves"]) for part in self.parts])
        wanted = chooser.choice(len(sizes), rows, p=sizes / sizes.sum())
        drawn: list[Data] = []
        for k in np.unique(wanted):
            part = self.parts[k]
            index = chooser.integers(0, sizes[k], int((wanted == k).sum()))
            counts = part["moves"][index].astype("i8")
            at = np.repeat(part["first_move"][index] - np.cumsum(counts) + counts, counts)
            at += np.arange(len(at))
            drawn.append(
                {
                    **{n: part[n][index] for n in ("sights", "wins", "points", "found", "seats")},
                    "counts": counts,
                    "noticed": part["noticed"][at],
                    "target": part["target"][at],
                }
            )
        return {name: np.concatenate([one[name] for one in drawn]) for name in drawn[0]}

    def scales(self, numbers: list[int]) -> tuple[Any, Any]:
        """How far each number a net sees spreads, alike for all entities; and each of a move."""
        g, e, p = numbers[:3]
        data = self.parts[0]
        sights = data["sights"].astype("f4")
        spread = np.sqrt((sights**2).mean(0))
        each = np.sqrt((spread[g:].reshape(e, p) ** 2).mean(0)) if e else spread[g:]
        whole = np.concatenate([spread[:g], np.tile(each, e)])
        moves = np.sqrt((data["noticed"].astype("f4") ** 2).mean(0))
        return np.maximum(whole, 0.1), np.maximum(moves, 0.1)


# The match that decides ------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What a challenger gained over the best net so far: its share of the wins above a fair one,
    in the mean over paired deals."""

    gain: float
    error: float
    """the standard error of the gain"""
    lead: float

    @classmethod
    def of(cls, shares: Any, leads: Any) -> Verdict:
        error = float(np.std(shares, ddof=1)) / math.sqrt(len(shares))
        return cls(float(np.mean(shares)), error, float(np.mean(leads)))

    @property
    def least(self) -> float:
        """The lower bound of the gain, at 95 %, one-sided."""
        return self.gain - SURE_OF * self.error

    @property
    def is_promotion(self) -> bool:
        return self.least > 0


# A run -----------------------------------------------------------------------------------------


class Run:
    """A run in a folder. Its state is in run.json, written last and at once, so that a run that is
    killed goes on after its last whole generation."""

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        learner: Learner,
        executor: Executor,
        first: nets.Net | None = None,
    ) -> None:
        """`first`: the net that the plan says the run begins with."""
        self.folder, self.plan, self.learner, self.executor = folder, plan, learner, executor
        folder.mkdir(parents=True, exist_ok=True)
        self.module = game(plan.game).module
        if not hasattr(self.module, "SIGHTS"):
            text = say("{game} shows nothing to nets: it has no observe", game=plan.game)
            raise MandalierError(text)
        self.replay = Replay(plan.window)
        self.generation = 0
        self.best: Any = None
        self.best_by_all = False
        self.curve: list[Data] = []
        self.elo = 0.0
        self._take_up(first)

    @property
    def numbers(self) -> list[int]:
        """The numbers a net of this run begins with."""
        g, e, p = self.module.SIGHTS
        h1, h2, h3, hp = self.plan.widths
        return [g, e, p, h1, h2, h3, self.module.NOTICED, hp]

    def _take_up(self, first: nets.Net | None) -> None:
        """Go on where the folder says the run stopped."""
        planned = self.folder / "plan.json"
        plan = self.plan.data()
        if not planned.exists():
            write_json(planned, {**plan, "sights": nets.sights_version(self.module)})
            self._begin_with(first)
            return
        kept_plan = json.loads(planned.read_text(encoding="utf-8"))
        seen = kept_plan.pop("sights", nets.sights_version(self.module))
        state = self.folder / "run.json"
        if state.exists():  # what it began with no longer matters, and may have been replaced
            plan["begun_with"] = kept_plan.get("begun_with", "")
        if not _is_same_plan(kept_plan, plan) or seen != nets.sights_version(self.module):
            text = say(
                "{folder} holds a run of another plan; name another folder", folder=self.folder
            )
            raise MandalierError(text)
        if not state.exists():
            self._begin_with(first)
            return
        kept = json.loads(state.read_text(encoding="utf-8"))
        self.generation, self.curve, self.elo = kept["generation"], kept["curve"], kept["elo"]
        self.best_by_all = bool(kept.get("best_by_all", False))
        for k in range(self.generation):
            path = self.folder / f"games-{k}.npz"
            if path.exists():
                with np.load(path) as data:
                    self.replay.add(dict(data))
        self.learner.load(self._model_path(self.generation))
        best = self.folder / f"best-{self.generation}.npy"
        self.best = np.load(best) if best.exists() else None

    def _begin_with(self, first: nets.Net | None) -> None:
        if first is None:
            return
        if [int(x) for x in first.flat[: nets.NUMBERS]] != self.numbers:
            raise MandalierError(
                say("{file} has another shape than the nets of this run", file=first.name)
            )
        self.best, self.elo = first.flat, float(first.origin.get("elo", 0.0))
        self.best_by_all = first.sees_aside
        self.learner.begin_with(first.flat)

    def _model_path(self, generation: int) -> Path:
        return self.folder / f"model-{generation}.pt"

    def step(self, tell: Tell) -> Data:
        """One generation; what came of it."""
        begun = time.monotonic()
        played = self._self_play(tell)
        self.replay.add(played)
        played_at = time.monotonic()
        steps = max(LEAST_STEPS, int(self.plan.passes * len(played["moves"]) / BATCH_ROWS))
        seeds = self.seed_for(2), self.seed_for(3)
        loss = self.learner.learn(self.replay, self.numbers, steps, seeds, tell)
        learnt_at = time.monotonic()
        challenger = self.learner.flat()
        verdict = Verdict.of(*self._match(challenger, tell))
        if verdict.is_promotion:
            self.best, self.best_by_all = challenger, self.plan.aside
            self.elo += _elo(verdict.gain)
        self.generation += 1
        row = {
            "generation": self.generation,
            "games": int(played["games"].sum()),
            "positions": len(played["moves"]),
            "loss": {name: round(value, 4) for name, value in loss.items()},
            "gain": round(verdict.gain, 4),
            "gain_error": round(verdict.error, 4),
            "lead": round(verdict.lead, 3),
            "promoted": verdict.is_promotion,
            "elo": round(self.elo, 1),
            "played_s": round(played_at - begun, 1),
            "learnt_s": round(learnt_at - played_at, 1),
            "seconds": round(time.monotonic() - begun, 1),
        }
        self.curve.append(row)
        self._keep(played)
        return row

    def seed_for(self, what: int, k: int = 0) -> int:
        """A seed for each thing a run does by chance."""
        numbers = np.random.SeedSequence([self.plan.seed, self.generation, what, k])
        return int(numbers.generate_state(1, np.uint64)[0] >> 2)

    def _self_play(self, tell: Tell) -> Data:
        jobs = batches(
            self.plan,
            self.best,
            self.best_by_all,
            self.plan.games,
            lambda seats: self.seed_for(1, seats),
        )
        return joined(in_order(self.executor, play_batch, jobs, say("self-play"), tell))

    def _match(self, challenger: Any, tell: Tell) -> tuple[Any, Any]:
        plan = self.plan
        deals = max(2, plan.match_deals // (SHARDS * len(plan.seats)))
        jobs = [
            Match(
                plan.game,
                seats,
                plan.options,
                plan.style,
                challenger,
                self.best,
                plan.match_iterations,
                self.seed_for(4, seats),
                shard * deals,
                deals,
                (plan.aside, self.best_by_all),
            )
            for shard in range(SHARDS)
            for seats in plan.seats
        ]
        done = list(in_order(self.executor, play_match, jobs, say("match"), tell))
        shares, leads = (np.concatenate([one[i] for one in done]) for i in (0, 1))
        return shares, leads

    def _keep(self, played: Mapping[str, Any]) -> None:
        now = self.generation
        np.savez(self.folder / f"games-{now - 1}.npz", **played)
        self.learner.save(self._model_path(now))
        if self.best is not None:
            np.save(self.folder / f"best-{now}.npy", self.best)
        kept = {
            "generation": now,
            "curve": self.curve,
            "elo": self.elo,
            "best_by_all": self.best_by_all,
        }
        write_json(self.folder / "run.json", kept)
        # what nobody asks for any more
        for k in range(now - len(self.replay.parts)):
            (self.folder / f"games-{k}.npz").unlink(missing_ok=True)
        for k in range(now):
            self._model_path(k).unlink(missing_ok=True)
            (self.folder / f"best-{k}.npy").unlink(missing_ok=True)

    def write_best(self, folder: Path) -> Path:
        """Write the best net, to be shipped; older ones of this game in the folder go."""
        name, data = self.net_file()
        for old in folder.glob(f"{self.plan.game}-*.net"):
            old.unlink()
        (folder / name).write_bytes(data)
        return folder / name

    def net_file(self) -> tuple[str, bytes]:
        """The name and the contents of the best net's file."""
        if self.best is None:
            raise MandalierError(say("no net has beaten random play yet"))
        origin = {
            "plan": self.plan.data(),
            "aside": self.best_by_all,
            "generations": self.generation,
            "games": self.games,
            "elo": round(self.elo, 1),
        }
        return nets.net_file(self.module, self.best, origin)

    @property
    def games(self) -> int:
        """The games of self-play so far."""
        return sum(int(row["games"]) for row in self.curve)


def _is_same_plan(kept: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
    """Whether a plan that was kept is this one; what an older version did not know counts as what
    it is by default, as that is how it was played."""
    default = Plan("", (), 0).data()

    def filled(kept: Any, default: Any) -> Any:
        if not isinstance(kept, dict) or not isinstance(default, dict):
            return kept
        return {**default, **{name: filled(kept[name], default.get(name)) for name in kept}}

    return bool(filled(kept, default) == plan)


# Work for other processes ----------------------------------------------------------------------


def batches(
    plan: Plan, net: Any, by_all: bool, games: int, seed: Callable[[int], int]
) -> list[Batch]:
    """About so many games of self-play, in pieces, with the same number for each number of seats."""
    each = max(1, games // (SHARDS * len(plan.seats)))
    return [
        Batch(
            plan.game,
            seats,
            plan.options,
            plan.style,
            net,
            plan.caps,
            seed(seats),
            shard * each,
            each,
            by_all,
        )
        for shard in range(SHARDS)
        for seats in plan.seats
    ]


def joined(parts: Iterable[Mapping[str, Any]]) -> Data:
    """What several batches wrote down, as one."""
    done = list(parts)
    return {name: np.concatenate([one[name] for one in done]) for name in done[0]}


def in_order(
    executor: Executor, work: Callable[[Any], Any], jobs: list[Any], label: str, tell: Tell
) -> Iterator[Any]:
    """What comes of each job, in the order of the jobs."""
    waiting: list[Future[Any]] = [executor.submit(work, job) for job in jobs]
    for done, one in enumerate(waiting):
        tell(label, done, len(jobs))
        yield one.result()


def _elo(gain: float) -> float:
    """A share above a fair one, as of two seats, on Elo's scale."""
    share = min(0.99, max(0.01, 0.5 + gain))
    return 400 * math.log10(share / (1 - share))


def write_json(path: Path, data: Any) -> None:
    """Write a file at once: it is there whole, or as it was."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    new.replace(path)
