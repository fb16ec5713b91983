"""Small nets that value a position and judge moves, fast enough to be asked at every leaf.

What a seat sees comes as small whole numbers (`observe`, `notice`). The things that are alike (the
colours of sand, the groups of pyramids) go through one and the same layer and are added up, so what
is learnt of one holds for all. From there two layers lead to each seat's chance to win and points;
a move's numbers and the last layer lead to how likely a strong player makes it.

Sums run in one order and in single precision, without shortcuts, so that a net says the same, to
the last digit, compiled or not, on any machine.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np

from mandalier.games.contract import MAX_SEATS, notice, observe
from mandalier.games.errors import MandalierError
from mandalier.games.kernel import Array, Record, primitive, rule
from mandalier.games.words import say

WEIGHTS = "weights"
"""The folder, beside this file, of the nets that come with the package."""
FORMAT = 1
"""The version of this file's arithmetic: nets of another are refused."""

# The numbers a net begins with
G, E, P, H1, H2, H3, N, HP = range(8)
NUMBERS = 8
"""globals, entities, numbers of an entity, widths of three layers, numbers of a move, width of the
layer for moves"""
OUTPUTS = 2 * MAX_SEATS
POINT_SCALE = 32.0
"""Points are learnt in units of this many."""
MOST_WIDTH = 128
WORK = 4 * MOST_WIDTH + OUTPUTS
"""Numbers that an evaluation needs to work with: its layers, the last for moves, its outputs."""
DEEP, MOVE_BASE, MOVE_LAYER, OUT = 0, MOST_WIDTH, 2 * MOST_WIDTH, 4 * MOST_WIDTH


def sizes(numbers: Any) -> list[tuple[str, tuple[int, ...]]]:
    """The parts of a net, in their order, with their shapes."""
    g, _, p, h1, h2, h3, n, hp = (int(x) for x in numbers[:NUMBERS])
    return [
        ("entity", (p, h1)),
        ("entity_globals", (g, h1)),
        ("entity_bias", (h1,)),
        ("second", (h1, h2)),
        ("second_globals", (g, h2)),
        ("second_bias", (h2,)),
        ("third", (h2, h3)),
        ("third_bias", (h3,)),
        ("out", (h3, OUTPUTS)),
        ("out_bias", (OUTPUTS,)),
        ("move", (n, hp)),
        ("move_deep", (h3, hp)),
        ("move_bias", (hp,)),
        ("move_out", (hp,)),
    ]


# Evaluation ------------------------------------------------------------------------------------
# A net is one flat array of single floats after NUMBERS whole ones. Each has two bodies that do the
# same sums in the same order: one for the compiler, one in numpy.


def _layer(
    net: Array, at: int, x: Array, first: int, n: int, out: Array, to: int, width: int
) -> int:
    # indices without a sign need no test for counting from the end
    u_to = np.uint64(to)
    for i in range(n):
        value = np.float32(x[np.uint64(first + i)])
        if value != 0.0:
            row = np.uint64(at + i * width)
            for j in range(np.uint64(width)):
                out[u_to + j] += value * net[row + j]
    return at + n * width


@primitive(_layer, boundscheck=False)
def layer(
    net: Array, at: int, x: Array, first: int, n: int, out: Array, to: int, width: int
) -> int:
    """Add n inputs times their weights (at net[at]) to out[to …]; where the next weights are."""
    weights = net[at : at + n * width].reshape(n, width)
    for i in range(n):
        value = np.float32(x[first + i])
        if value != 0.0:
            out[to : to + width] += value * weights[i]
    return at + n * width


def _bias(net: Array, at: int, out: Array, to: int, width: int) -> int:
    for j in range(np.uint64(width)):
        out[np.uint64(to) + j] = net[np.uint64(at) + j]
    return at + width


@primitive(_bias, boundscheck=False)
def bias(net: Array, at: int, out: Array, to: int, width: int) -> int:
    """Begin a layer with its bias; where the next weights are."""
    out[to : to + width] = net[at : at + width]
    return at + width


def _add_positive(x: Array, first: int, out: Array, to: int, width: int) -> int:
    for j in range(np.uint64(width)):
        out[np.uint64(to) + j] += max(x[np.uint64(first) + j], np.float32(0.0))
    return 0


@primitive(_add_positive, boundscheck=False)
def add_positive(x: Array, first: int, out: Array, to: int, width: int) -> int:
    """Add what is positive of a layer to another."""
    out[to : to + width] += np.maximum(x[first : first + width], np.float32(0.0))
    return 0


def _copy(x: Array, first: int, out: Array, to: int, width: int) -> int:
    for j in range(np.uint64(width)):
        out[np.uint64(to) + j] = x[np.uint64(first) + j]
    return 0


@primitive(_copy, boundscheck=False)
def copy(x: Array, first: int, out: Array, to: int, width: int) -> int:
    out[to : to + width] = x[first : first + width]
    return 0


def _clear(out: Array, to: int, width: int) -> int:
    for j in range(np.uint64(width)):
        out[np.uint64(to) + j] = 0.0
    return 0


@primitive(_clear, boundscheck=False)
def clear(out: Array, to: int, width: int) -> int:
    out[to : to + width] = 0.0
    return 0


def _weigh(net: Array, at: int, x: Array, first: int, width: int) -> float:
    total = np.float32(0.0)
    for j in range(np.uint64(width)):
        total += max(x[np.uint64(first) + j], np.float32(0.0)) * net[np.uint64(at) + j]
    return float(total)


@primitive(_weigh, boundscheck=False)
def weigh(net: Array, at: int, x: Array, first: int, width: int) -> float:
    """What is positive of a layer, times weights, added up in order."""
    total = np.float32(0.0)
    for one in np.maximum(x[first : first + width], np.float32(0.0)) * net[at : at + width]:
        total += one
    return float(total)


@rule
def run_net(net: Array, sights: Array, work: Array) -> int:
    """Value a position from what a seat sees: outputs at work[OUT], the last layer at work[DEEP];
    return where the weights for moves are."""
    g = int(net[G])
    e = int(net[E])
    p = int(net[P])
    h1 = int(net[H1])
    h2 = int(net[H2])
    h3 = int(net[H3])
    shared = MOST_WIDTH
    one = 2 * MOST_WIDTH
    total = 3 * MOST_WIDTH
    entity = NUMBERS
    at = bias(net, entity + (p + g) * h1, work, shared, h1)
    layer(net, entity + p * h1, sights, 0, g, work, shared, h1)
    clear(work, total, h1)
    for k in range(e):
        copy(work, shared, work, one, h1)
        layer(net, entity, sights, g + k * p, p, work, one, h1)
        add_positive(work, one, work, total, h1)
    after = at + (h1 + g) * h2
    bias(net, after, work, shared, h2)
    layer(net, at, work, total, h1, work, shared, h2)
    layer(net, at + h1 * h2, sights, 0, g, work, shared, h2)
    at = after + h2
    clear(work, one, h2)
    add_positive(work, shared, work, one, h2)
    after = at + h2 * h3
    bias(net, after, work, shared, h3)
    layer(net, at, work, one, h2, work, shared, h3)
    at = after + h3
    clear(work, DEEP, h3)
    add_positive(work, shared, work, DEEP, h3)
    bias(net, at + h3 * OUTPUTS, work, OUT, OUTPUTS)
    layer(net, at, work, DEEP, h3, work, OUT, OUTPUTS)
    return at + (h3 + 1) * OUTPUTS


@rule
def ready_for_moves(net: Array, at: int, work: Array) -> int:
    """What moves share of their layer, at work[MOVE_BASE]; where it begins in the net."""
    n = int(net[N])
    h3 = int(net[H3])
    hp = int(net[HP])
    bias(net, at + (n + h3) * hp, work, MOVE_BASE, hp)
    layer(net, at + n * hp, work, DEEP, h3, work, MOVE_BASE, hp)
    return at


@rule
def run_move(net: Array, at: int, noticed: Array, work: Array) -> float:
    """How likely a move looks, as a logit."""
    n = int(net[N])
    hp = int(net[HP])
    copy(work, MOVE_BASE, work, MOVE_LAYER, hp)
    layer(net, at, noticed, 0, n, work, MOVE_LAYER, hp)
    return weigh(net, at + (n + int(net[H3]) + 1) * hp, work, MOVE_LAYER, hp)


@rule
def doubled(single: float) -> float:
    """A number in double precision (`float` alone does it in Python, the sum when compiled)."""
    return 0.0 + float(single)


@rule
def appraise_position(
    s: Record, seat: int, net: Array, sights: Array, work: Array, wins: Array, points: Array
) -> int:
    """Each seat's chance to win and expected points, as this seat sees it; return where the weights
    for moves are."""
    observe(s, seat, sights)
    at = run_net(net, sights, work)
    read_outputs(work, seat, int(s.seats), wins, points)
    return at


@rule
def read_outputs(work: Array, seat: int, seats: int, wins: Array, points: Array) -> None:
    """What `run_net` found for this seat, as each seat's chance to win and expected points."""
    most = doubled(work[OUT])
    for k in range(1, seats):
        most = max(most, doubled(work[OUT + k]))
    total = 0.0
    for k in range(seats):
        other = (seat + k) % seats
        wins[other] = math.exp(doubled(work[OUT + k]) - most)
        total += wins[other]
        points[other] = POINT_SCALE * doubled(work[OUT + MAX_SEATS + k])
    for k in range(seats):
        wins[k] /= total


@rule
def appraise_moves(
    s: Record,
    seat: int,
    n: int,
    out: Array,
    net: Array,
    at: int,
    noticed: Array,
    work: Array,
    logits: Array,
) -> None:
    """How likely each of n legal moves looks to this seat, after `appraise_position`: logits."""
    ready_for_moves(net, at, work)
    for i in range(n):
        notice(s, seat, out[i], noticed)
        logits[i] = run_move(net, at, noticed, work)


# Files -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Net:
    """A net in memory, with what its file says of it."""

    flat: Any
    origin: dict[str, Any]
    name: str

    @property
    def sees_aside(self) -> bool:
        """Whether it was taught what seats see that wait, too, not the seat to move alone."""
        return bool(self.origin.get("aside"))


def sees_aside(module: ModuleType) -> bool:
    """Whether a game shows nets what a seat sees that waits for its turn."""
    return bool(getattr(module, "SEES_ASIDE", False))


def game_name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def sights_version(module: ModuleType) -> list[int]:
    """What a net was made for: it is refused by any other."""
    return [FORMAT, module.RULES, module.SIGHTS_VERSION, *module.SIGHTS, module.NOTICED]


def flatten(numbers: list[int], parts: dict[str, Any]) -> Any:
    """A net as the rules read it."""
    flat = [np.array(numbers, "f4")]
    for name, shape in sizes(numbers):
        part = np.asarray(parts[name], "f4")
        if part.shape != shape:
            raise ValueError(f"{name} has the shape {part.shape}, not {shape}")
        flat.append(part.ravel())
    return np.ascontiguousarray(np.concatenate(flat))


def net_file(module: ModuleType, flat: Any, origin: dict[str, Any]) -> tuple[str, bytes]:
    """A net as a file, in half precision: its name, made of its contents, and these."""
    head = {
        "game": game_name(module),
        "sights": sights_version(module),
        "numbers": [int(x) for x in flat[:NUMBERS]],
        "origin": origin,
    }
    data = json.dumps(head, sort_keys=True).encode() + b"\n"
    data += np.asarray(flat[NUMBERS:], "<f2").tobytes()
    return f"{game_name(module)}-{hashlib.sha256(data).hexdigest()[:12]}.net", data


def read_net(data: bytes, module: ModuleType, name: str) -> Net:
    """Read a net; refuses one that is damaged, or made for other rules or features."""
    digest = hashlib.sha256(data).hexdigest()[:12]
    if not name.endswith(f"-{digest}.net"):
        raise MandalierError(
            say(
                "{file} is damaged: its contents do not have the hash that its name tells; install "
                "mandalier again, or train a net",
                file=name,
            )
        )
    line, _, rest = data.partition(b"\n")
    try:
        head = json.loads(line)
        numbers = [int(n) for n in head["numbers"]]
        made_for, origin = head["game"], dict(head["origin"])
        version = [int(n) for n in head["sights"]]
        count = sum(math.prod(shape) for _, shape in sizes(numbers))
    except (ValueError, KeyError, TypeError) as error:
        raise MandalierError(
            say("{file} is no net: it does not begin as one", file=name)
        ) from error
    if made_for != game_name(module):
        raise MandalierError(
            say(
                "{file} is a net for {other}, not for {game}",
                file=name,
                other=made_for,
                game=game_name(module),
            )
        )
    if version != sights_version(module):
        raise MandalierError(
            say(
                "{file} was made for another version of the rules, or of what nets see (it says "
                "{theirs}, this is {ours}); train it anew",
                file=name,
                theirs=" ".join(map(str, version)),
                ours=" ".join(map(str, sights_version(module))),
            )
        )
    if len(rest) != 2 * count or max(numbers[H1 : H3 + 1] + numbers[HP:]) > MOST_WIDTH:
        raise MandalierError(
            say(
                "{file} is no net: it has {bytes} bytes of weights, and its shape wants {wanted}",
                file=name,
                bytes=len(rest),
                wanted=2 * count,
            )
        )
    flat = np.concatenate([np.array(numbers, "f4"), np.frombuffer(rest, "<f2").astype("f4")])
    return Net(np.ascontiguousarray(flat), origin, name)


@cache
def shipped_net(module: ModuleType) -> Net | None:
    """The net that comes with the package for this game; None if there is none."""
    if not hasattr(module, "SIGHTS"):
        return None
    folder = files("mandalier.search") / WEIGHTS
    if not folder.is_dir():
        return None
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.startswith(f"{game_name(module)}-") and file.name.endswith(".net"):
            return read_net(file.read_bytes(), module, file.name)
    return None


def no_net() -> Any:
    """What a search by random play is given in the place of a net."""
    return np.zeros(NUMBERS, "f4")
