"""Training a game's net by self-play: the only place that needs torch.

A run goes in generations. In each, the best net so far plays against itself on all cores, a net
learns from the last games of all generations, and it meets the best one in paired deals; it takes
its place only if the lower bound of what it gains is above zero. Everything is in the run's folder,
so a stopped run goes on where it was; the same seed gives the same run.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from mandalier.games.contract import MAX_SEATS
from mandalier.games.errors import MandalierError
from mandalier.games.game import check_seed, game
from mandalier.games.words import say
from mandalier.lab.selfplay import Batch, Caps, Match, play_batch, play_match
from mandalier.search import net as nets
from mandalier.search.searcher import Style

try:
    import torch
    from torch import nn
except ImportError as error:  # pragma: no cover
    raise MandalierError(say("training needs torch: pip install 'mandalier[train]'")) from error

BATCH_ROWS = 512
POINTS_PART, MOVES_PART = 0.5, 1.0  # of the loss, beside winning
FOUND_PART = 0.3  # how much of the target is what the search found, not how the game ended
SURE_OF = 1.645  # promotion at 95 %, one-sided


@dataclass(frozen=True)
class Plan:
    """What a run does. Kept in the run's folder; a run goes on by the plan it began with."""

    game: str
    seats: tuple[int, ...]
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    widths: tuple[int, int, int, int] = (32, 48, 32, 16)
    games: int = 2000  # a generation
    window: int = 600_000  # positions that are learnt from
    passes: float = 2.0  # how often a position is learnt from, in each generation it is new in
    caps: Caps = field(default_factory=Caps)
    style: Style = field(default_factory=Style)
    match_deals: int = 200
    match_iterations: int = 48
    rate: float = 2e-3


class Model(nn.Module):
    """The net of search/net.py, for learning. Inputs are divided by their scale first."""

    def __init__(self, numbers: list[int], scale: Any, move_scale: Any) -> None:
        super().__init__()
        self.numbers = numbers
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self.register_buffer("move_scale", torch.tensor(move_scale, dtype=torch.float32))
        for name, shape in nets.sizes(numbers):
            fan = shape[0] if len(shape) > 1 else 0
            start = torch.randn(shape) * math.sqrt(1.5 / fan) if fan else torch.zeros(shape)
            if name in {"out", "move_out"}:
                start = torch.randn(shape) * 0.05
            self.register_parameter(name, nn.Parameter(start))

    def forward(self, sights: Any) -> tuple[Any, Any]:
        """The last layer, and the outputs."""
        g, e, p = self.numbers[:3]
        x = sights / self.scale
        whole = x[:, :g]
        each = x[:, g:].reshape(len(x), e, p)
        shared = whole @ self.entity_globals + self.entity_bias
        total = torch.relu(each @ self.entity + shared[:, None, :]).sum(1)
        second = torch.relu(total @ self.second + whole @ self.second_globals + self.second_bias)
        deep = torch.relu(second @ self.third + self.third_bias)
        return deep, deep @ self.out + self.out_bias

    def moves(self, deep: Any, noticed: Any, row: Any) -> Any:
        """Logits of moves; row[i] is the position of move i."""
        base = deep @ self.move_deep + self.move_bias
        layer = torch.relu((noticed / self.move_scale) @ self.move + base[row])
        return layer @ self.move_out

    def flat(self) -> Any:
        """The net as the rules read it, scales worked in."""
        parts = {name: p.detach().numpy().astype("f4") for name, p in self.named_parameters()}
        g, _, p = self.numbers[:3]
        scale = self.scale.numpy()
        for name, part in (("entity_globals", scale[:g]), ("second_globals", scale[:g])):
            parts[name] = parts[name] / part[:, None]
        parts["entity"] = parts["entity"] / scale[g : g + p, None]
        parts["move"] = parts["move"] / self.move_scale.numpy()[:, None]
        # as the file will have them
        whole = nets.flatten(self.numbers, parts)
        return whole.astype("f2").astype("f4")


def scales(data: Mapping[str, Any], numbers: list[int]) -> tuple[Any, Any]:
    """How far each input spreads; alike for all entities."""
    g, e, p = numbers[:3]
    sights = data["sights"].astype("f4")
    spread = np.sqrt((sights**2).mean(0))
    each = np.sqrt((spread[g:].reshape(e, p) ** 2).mean(0)) if e else spread[g:]
    whole = np.concatenate([spread[:g], np.tile(each, e)])
    moves = np.sqrt((data["noticed"].astype("f4") ** 2).mean(0))
    return np.maximum(whole, 0.1), np.maximum(moves, 0.1)


class Replay:
    """The last positions of self-play."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: deque[dict[str, Any]] = deque()
        self.rows = 0

    def add(self, data: dict[str, Any]) -> None:
        part = {name: data[name] for name in data if name != "games"}
        part["first_move"] = np.concatenate([[0], np.cumsum(part["moves"])])[:-1]
        self.parts.append(part)
        self.rows += len(part["moves"])
        while self.rows - len(self.parts[0]["moves"]) > self.window:
            self.rows -= len(self.parts.popleft()["moves"])

    def draw(self, chooser: np.random.Generator, rows: int) -> dict[str, Any]:
        """Some positions at random, with their moves."""
        sizes = np.array([len(part["moves"]) for part in self.parts])
        wanted = chooser.choice(len(sizes), rows, p=sizes / sizes.sum())
        drawn: list[dict[str, Any]] = []
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


def loss_of(model: Model, data: Mapping[str, Any]) -> tuple[Any, dict[str, float]]:
    """How wrong the net is about winners, points and moves."""
    sights = torch.from_numpy(data["sights"]).float()
    seats = torch.from_numpy(data["seats"]).long()
    seated = torch.arange(MAX_SEATS)[None, :] < seats[:, None]
    deep, out = model(sights)
    logits = out[:, :MAX_SEATS].masked_fill(~seated, -1e9)
    wins = torch.from_numpy(data["wins"])
    found = torch.from_numpy(data["found"])
    wins = torch.where((found >= 0)[:, None], _mixed(wins, found, seated), wins)
    by_win = -(wins * torch.log_softmax(logits, 1).masked_fill(~seated, 0)).sum(1).mean()
    points = torch.from_numpy(data["points"]) / nets.POINT_SCALE
    off = nn.functional.huber_loss(out[:, MAX_SEATS:], points, reduction="none")
    by_points = (off * seated).sum(1).mean()
    counts = torch.from_numpy(data["counts"])
    by_moves = torch.zeros(())
    if counts.sum():
        row = torch.repeat_interleave(torch.arange(len(counts)), counts)
        logit = model.moves(deep, torch.from_numpy(data["noticed"]).float(), row)
        most = torch.full((len(counts),), -1e9).scatter_reduce(0, row, logit.detach(), "amax")
        total = torch.zeros(len(counts)).index_add(0, row, torch.exp(logit - most[row]))
        target = torch.from_numpy(data["target"])
        by_moves = -(target * (logit - most[row] - torch.log(total[row]))).sum()
        by_moves = by_moves / (counts > 0).sum()
    loss = by_win + POINTS_PART * by_points + MOVES_PART * by_moves
    shown = {"win": by_win.item(), "points": by_points.item(), "moves": by_moves.detach().item()}
    return loss, shown


def _mixed(wins: Any, found: Any, seated: Any) -> Any:
    """The outcome, moved towards what the search found for the seat itself; where it won alone, what
    it was not sure of is shared by the others."""
    own = (1 - FOUND_PART) * wins[:, :1] + FOUND_PART * found[:, None]
    others = wins[:, 1:]
    sitting = seated[:, 1:].float()
    rest = others.sum(1, keepdim=True)
    share = torch.where(rest > 0, others / rest.clamp(min=1e-9), sitting / sitting.sum(1)[:, None])
    return torch.cat([own, share * (1 - own)], 1)


# A run -----------------------------------------------------------------------------------------


class Run:
    """A run in a folder."""

    def __init__(self, folder: Path, plan: Plan, executor: Executor, workers: int) -> None:
        self.folder, self.plan, self.executor, self.workers = folder, plan, executor, workers
        folder.mkdir(parents=True, exist_ok=True)
        self.module = game(plan.game).module
        if not hasattr(self.module, "SIGHTS"):
            text = say("{game} shows nothing to nets: it has no observe", game=plan.game)
            raise MandalierError(text)
        self.replay = Replay(plan.window)
        self.generation = 0
        self.model: Model | None = None
        self.best: Any = None
        self.curve: list[dict[str, Any]] = []
        self.elo = 0.0
        self._take_up()

    def _take_up(self) -> None:
        """Go on where the folder says the run stopped."""
        state = self.folder / "run.json"
        plan = json.loads(json.dumps(asdict(self.plan)))
        if not state.exists():
            _write_json(self.folder / "plan.json", plan)
            return
        if json.loads((self.folder / "plan.json").read_text()) != plan:
            text = say(
                "{folder} holds a run of another plan; name another folder", folder=self.folder
            )
            raise MandalierError(text)
        kept = json.loads(state.read_text())
        self.generation, self.curve, self.elo = kept["generation"], kept["curve"], kept["elo"]
        for k in range(self.generation):
            path = self.folder / f"games-{k}.npz"
            if path.exists():
                with np.load(path) as data:
                    self.replay.add(dict(data))
        saved = torch.load(self.folder / "model.pt", weights_only=False)
        self.model = Model(saved["numbers"], saved["scale"], saved["move_scale"])
        self.model.load_state_dict(saved["model"])
        self.best = saved["best"]

    def step(self, tell: Callable[[str, int, int], None]) -> dict[str, Any]:
        """One generation; what came of it."""
        begun = time.monotonic()
        played = self._self_play(tell)
        self.replay.add(played)
        played_s = time.monotonic() - begun
        loss = self._learn(len(played["moves"]), tell)
        assert self.model is not None
        challenger = self.model.flat()
        shares, leads = self._match(challenger, tell)
        gain, spread = float(shares.mean()), float(shares.std(ddof=1) / math.sqrt(len(shares)))
        promoted = gain - SURE_OF * spread > 0
        if promoted:
            self.best = challenger
            self.elo += _elo(gain)
        self.generation += 1
        row = {
            "generation": self.generation,
            "games": int(played["games"].sum()),
            "positions": len(played["moves"]),
            "loss": {name: round(value, 4) for name, value in loss.items()},
            "gain": round(gain, 4),
            "gain_error": round(spread, 4),
            "lead": round(float(leads.mean()), 3),
            "promoted": promoted,
            "elo": round(self.elo, 1),
            "played_s": round(played_s, 1),
            "seconds": round(time.monotonic() - begun, 1),
        }
        self.curve.append(row)
        self._keep(played)
        return row

    def _seed(self, what: int, k: int = 0) -> int:
        """A seed for each thing a run does by chance."""
        numbers = np.random.SeedSequence([self.plan.seed, self.generation, what, k])
        return int(numbers.generate_state(1, np.uint64)[0] >> 2)

    def _self_play(self, tell: Callable[[str, int, int], None]) -> dict[str, Any]:
        plan = self.plan
        games = max(1, plan.games // (SHARDS * len(plan.seats)))
        jobs = [
            Batch(
                plan.game,
                seats,
                plan.options,
                plan.style,
                self.best,
                plan.caps,
                self._seed(1, seats),
                shard * games,
                games,
            )
            for shard in range(SHARDS)
            for seats in plan.seats
        ]
        done = list(_in_order(self.executor, play_batch, jobs, say("self-play"), tell))
        return {name: np.concatenate([one[name] for one in done]) for name in done[0]}

    def _learn(self, new: int, tell: Callable[[str, int, int], None]) -> dict[str, float]:
        plan = self.plan
        torch.manual_seed(self._seed(2) & 0x7FFFFFFF)
        torch.set_num_threads(max(1, self.workers))
        if self.model is None:
            g, e, p = self.module.SIGHTS
            h1, h2, h3, hp = plan.widths
            numbers = [g, e, p, h1, h2, h3, self.module.NOTICED, hp]
            self.model = Model(numbers, *scales(self.replay.parts[0], numbers))
        chooser = np.random.default_rng(self._seed(3))
        steps = max(50, int(plan.passes * new / BATCH_ROWS))
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=plan.rate, weight_decay=1e-4)
        rates = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, plan.rate / 20)
        total: dict[str, float] = {}
        for step in range(steps):
            loss, shown = loss_of(self.model, self.replay.draw(chooser, BATCH_ROWS))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer.step()
            rates.step()
            if step >= steps // 2:
                for name, value in shown.items():
                    total[name] = total.get(name, 0.0) + value / (steps - steps // 2)
            if step % 20 == 0:
                tell(say("learning"), step, steps)
        return total

    def _match(self, challenger: Any, tell: Callable[[str, int, int], None]) -> tuple[Any, Any]:
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
                self._seed(4, seats),
                shard * deals,
                deals,
            )
            for shard in range(SHARDS)
            for seats in plan.seats
        ]
        done = list(_in_order(self.executor, play_match, jobs, say("match"), tell))
        return tuple(np.concatenate([one[i] for one in done]) for i in (0, 1))  # type: ignore[return-value]

    def _keep(self, played: dict[str, Any]) -> None:
        assert self.model is not None
        np.savez(self.folder / f"games-{self.generation - 1}.npz", **played)
        _forget(self.folder, self.generation, len(self.replay.parts))
        saved = {
            "numbers": self.model.numbers,
            "scale": self.model.scale.numpy(),
            "move_scale": self.model.move_scale.numpy(),
            "model": self.model.state_dict(),
            "best": self.best,
        }
        torch.save(saved, self.folder / "model.pt.new")
        (self.folder / "model.pt.new").replace(self.folder / "model.pt")
        kept = {"generation": self.generation, "curve": self.curve, "elo": self.elo}
        _write_json(self.folder / "run.json", kept)
        with open(self.folder / "curve.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(self.curve[-1]) + "\n")

    def write_best(self, folder: Path) -> Path:
        """Write the best net, to be shipped; older ones of this game in the folder go."""
        if self.best is None:
            raise MandalierError(say("no net has beaten random play yet"))
        for old in folder.glob(f"{self.plan.game}-*.net"):
            old.unlink()
        origin = {
            "plan": json.loads(json.dumps(asdict(self.plan))),
            "generations": self.generation,
            "games": sum(row["games"] for row in self.curve),
            "elo": round(self.elo, 1),
        }
        return nets.write_net(folder, self.module, self.best, origin)


SHARDS = 8


def _in_order(
    executor: Executor,
    work: Callable[[Any], Any],
    jobs: list[Any],
    label: str,
    tell: Callable[[str, int, int], None],
) -> Iterable[Any]:
    waiting: list[Future[Any]] = [executor.submit(work, job) for job in jobs]
    for done, one in enumerate(waiting):
        tell(label, done, len(jobs))
        yield one.result()


def _elo(gain: float) -> float:
    """A share above a fair one, as of two seats, on Elo's scale."""
    share = min(0.99, max(0.01, 0.5 + gain))
    return 400 * math.log10(share / (1 - share))


def _forget(folder: Path, generation: int, kept: int) -> None:
    """Games that have left the window."""
    for k in range(generation - kept):
        (folder / f"games-{k}.npz").unlink(missing_ok=True)


def _write_json(path: Path, data: Any) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(data, indent=1), encoding="utf-8")
    new.replace(path)


def train(
    folder: Path,
    plan: Plan,
    minutes: float,
    workers: int,
    tell: Callable[[str, int, int], None],
    show: Callable[[dict[str, Any]], None],
) -> Run:
    """Train for so many minutes (the generation under way is finished)."""
    check_seed(plan.seed)
    end = time.monotonic() + 60 * minutes
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
        run = Run(folder, plan, executor, workers)
        while time.monotonic() < end:
            show(run.step(tell))
    return run
