"""Learning a game's net from self-play: the only place that needs torch.

What a run does, generation by generation, is in lab/generations.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mandalier.games.contract import MAX_SEATS
from mandalier.games.errors import MandalierError
from mandalier.games.game import check_seed
from mandalier.games.words import say
from mandalier.games.workers import worker_pool
from mandalier.lab.generations import BATCH_ROWS, Data, Plan, Replay, Run, Tell
from mandalier.search import net as nets

try:
    import torch
    from torch import nn
except ImportError as error:  # pragma: no cover
    raise MandalierError(say("training needs torch: pip install 'mandalier[train]'")) from error

POINTS_PART, MOVES_PART = 0.5, 1.0  # of the loss, beside winning
FOUND_PART = 0.3  # how much of the target is what the search found, not how the game ended


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

    def _scales(self) -> dict[str, Any]:
        """What the weights of each part that reads inputs are to be divided by."""
        g, _, p = self.numbers[:3]
        scale = self.scale.numpy()
        return {
            "entity_globals": scale[:g, None],
            "second_globals": scale[:g, None],
            "entity": scale[g : g + p, None],
            "move": self.move_scale.numpy()[:, None],
        }

    def flat(self) -> Any:
        """The net as the rules read it, scales worked in."""
        parts = {name: p.detach().numpy().astype("f4") for name, p in self.named_parameters()}
        for name, scale in self._scales().items():
            parts[name] = parts[name] / scale
        # as the file will have them
        whole = nets.flatten(self.numbers, parts)
        return whole.astype("f2").astype("f4")

    def take(self, flat: Any) -> None:
        """Become the net that the rules read there: what `flat` undoes."""
        scales, at = self._scales(), nets.NUMBERS
        with torch.no_grad():
            for name, shape in nets.sizes(self.numbers):
                part = flat[at : at + math.prod(shape)].reshape(shape) * scales.get(name, 1.0)
                self.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(part)))
                at += math.prod(shape)


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


class TorchLearner:
    """The learner of generations.py: gradient descent on one core, so that sums are made in the
    same order everywhere."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.model: Model | None = None
        self._first: Any = None

    def learn(
        self, replay: Replay, numbers: list[int], steps: int, seeds: tuple[int, int], tell: Tell
    ) -> Data:
        torch.manual_seed(seeds[0] & 0x7FFFFFFF)
        torch.set_num_threads(1)
        if self.model is None:
            self.model = Model(numbers, *replay.scales(numbers))
            if self._first is not None:
                self.model.take(self._first)
        chooser = np.random.default_rng(seeds[1])
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.rate, weight_decay=1e-4)
        rates = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, self.rate, total_steps=steps, pct_start=0.05, final_div_factor=50
        )
        total: dict[str, float] = {}
        for step in range(steps):
            loss, shown = loss_of(self.model, replay.draw(chooser, BATCH_ROWS))
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

    def begin_with(self, flat: Any) -> None:
        self._first = flat

    def flat(self) -> Any:
        assert self.model is not None
        return self.model.flat()

    def save(self, path: Path) -> None:
        assert self.model is not None
        saved = {
            "numbers": self.model.numbers,
            "scale": self.model.scale,
            "move_scale": self.model.move_scale,
            "model": self.model.state_dict(),
        }
        torch.save(saved, path)

    def load(self, path: Path) -> None:
        saved = torch.load(path, weights_only=True)
        scale, move_scale = saved["scale"].numpy(), saved["move_scale"].numpy()
        self.model = Model(saved["numbers"], scale, move_scale)
        self.model.load_state_dict(saved["model"])


def train(
    folder: Path,
    plan: Plan,
    minutes: float,
    workers: int,
    tell: Tell,
    show: Callable[[Data], None],
    after: Callable[[Run], None] = lambda run: None,
    first: nets.Net | None = None,
) -> None:
    """Train for so many minutes (the generation under way is finished), and then `after`."""
    check_seed(plan.seed)
    end = time.monotonic() + 60 * minutes
    with worker_pool(workers) as executor:
        run = Run(folder, plan, TorchLearner(plan.rate), executor, first)
        while time.monotonic() < end:
            show(run.step(tell))
        after(run)
