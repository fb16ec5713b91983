"""How fast the engines are on this machine, as ratios to a limit measured in the same run.

The limit is a hand-written C engine of each game (bench/limit in the repository), built here with
``cc -O3 -march=native``. It plays the same games from the same seeds, so equal digests also say
that both have the same rules. Without a C compiler or the repository the ratios are left out.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mandalier.games import kernel
from mandalier.games.contract import deal as deal_rule
from mandalier.games.contract import legal, play, resume, roll, score, waiting
from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES, deal, game
from mandalier.games.kernel import Array, below, game_seed, rule, seed_generator
from mandalier.games.record import Checker
from mandalier.games.words import say
from mandalier.lab.origin import commit
from mandalier.lab.simulate import Run, play_shard, simulate

SEED = 7
LIMIT_GAMES = 20_000
COPIES = 1_000_000
API_SECONDS = 0.5
CHECKED_RECORDS = 5_000
SIMULATED_GAMES = 1_000_000
OUT = 19  # numbers a C engine answers with: moves, digest, …
NAMES = ("engines", "copy", "api", "start", "check", "simulate")


# Random games, as the C engines play them ------------------------------------------------------


@rule
def random_games(
    states: Array,
    g: Array,
    out: Array,
    points: Array,
    bank: Array,
    seats: int,
    first: int,
    games: int,
) -> int:
    """Random games to the end; returns the moves played, and the digest in points[0]."""
    s = states[0]
    player = g[0]
    moves = 0
    digests = 0
    for k in range(first, first + games):
        states[0] = states[1]
        own = game_seed(player, SEED, k)
        deal_rule(s, seats, own)
        seed_generator(player, own, 1)
        digest = 2166136261
        while s.over == 0:
            seat = 0
            may = waiting(s)
            while (may >> seat) & 1 == 0:
                seat += 1
            n = legal(s, seat, out)
            move = out[below(player, n)]
            play(s, seat, move)
            digest = ((digest ^ move) * 16777619) & 0xFFFFFFFF
            moves += 1
            if s.chance != 0:
                roll(s, bank)
                resume(s)
        score(s, points)
        for seat in range(seats):
            digest = ((digest ^ (points[seat] + 1000)) * 16777619) & 0xFFFFFFFF
        digests += digest
    points[0] = digests
    return moves


@rule
def copies(states: Array, n: int) -> None:
    """Copy states n times, each from where the last one went."""
    for i in range(n):
        states[(i + 1) & 7] = states[i & 7]


def limit_folder() -> Path | None:
    """Where the C engines are, if this is a checkout."""
    for folder in (Path.cwd(), Path(__file__).resolve().parents[3]):
        if (folder / "bench" / "limit" / "limit.h").exists():
            return folder / "bench" / "limit"
    return None


def limit_engine(name: str) -> Callable[..., Any] | None:
    """The C engine of a game; None without a compiler or the sources."""
    folder, compiler = limit_folder(), os.environ.get("CC") or shutil.which("cc")
    if folder is None or compiler is None or not (folder / f"{name}.c").exists():
        return None
    made = Path(tempfile.mkdtemp(prefix="mandalier-bench-")) / f"{name}.so"
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", str(made), str(folder / f"{name}.c")], check=True)
    run: Any = ctypes.CDLL(str(made)).run
    run.restype = ctypes.c_int64
    run.argtypes = [ctypes.c_int64] * 4 + [ctypes.c_void_p]
    return run  # type: ignore[no-any-return]


def measure(
    names: Iterable[str], repeat: int = 5, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Run the benchmarks of these names."""
    if not kernel.can_compile():
        raise MandalierError(
            say("this measures compiled rules: numba is needed, and MANDALIER_JIT not 0")
        )
    names = list(names)
    results: dict[str, Any] = {"machine": machine()}
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names))
        results[name] = _MEASURES[name](repeat)
    return results


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import numpy as np

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": version("numba"),
        "commit": commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _options(name: str) -> dict[str, Any]:
    """A table without the physics, whose pace bench/dice.py measures."""
    return {"outcomes": "surrogate"} if hasattr(game(name).module, "outcome") else {}


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def engines(repeat: int) -> dict[str, Any]:
    """Random games by every game and number of seats, next to C: the ratio is the median of
    runs that alternate."""
    found: dict[str, Any] = {}
    for name, one in GAMES.items():
        c = limit_engine(name)
        for seats in one.seats:
            found[f"{name}/{seats}"] = _engine(one.name, seats, c, repeat)
    return found


def _engine(name: str, seats: int, c: Callable[..., Any] | None, repeat: int) -> dict[str, Any]:
    engine = game(name).compiled
    states, g = engine.states(2), engine.generators(1)
    s = engine.read(states, 1)
    engine.game.apply_options(s, {})
    engine.write(s, states, 1)
    out, points = engine.move_list(), engine.array(8)
    ours = engine.bind(random_games)
    answer = (ctypes.c_int64 * OUT)()
    moves = ours(states, g, out, points, engine.bank, seats, 0, LIMIT_GAMES)
    digest = int(points[0])
    speeds, ratios = [], []
    for _ in range(repeat):
        mine = _seconds(lambda: ours(states, g, out, points, engine.bank, seats, 0, LIMIT_GAMES))
        speeds.append(moves / mine)
        if c is not None:
            theirs = _seconds(partial(c, seats, SEED, 0, LIMIT_GAMES, answer))
            ratios.append(theirs / mine)
    found: dict[str, Any] = {"moves_per_s": round(statistics.median(speeds))}
    if c is not None:
        found["ratio_to_c"] = round(statistics.median(ratios), 3)
        found["same_games"] = (int(answer[0]), int(answer[1])) == (moves, digest)
    return found


def copy(repeat: int) -> dict[str, Any]:
    """One state copied over another."""
    found = {}
    for name, one in GAMES.items():
        engine = one.compiled
        states = engine.states(8)
        work = engine.bind(copies)
        work(states, 8)
        best = min(_seconds(partial(work, states, COPIES)) for _ in range(repeat))
        found[name] = {"bytes": one.module.STATE.itemsize, "ns": round(best / COPIES * 1e9, 2)}
    return found


def api(repeat: int) -> dict[str, Any]:
    """Games through `state.legal()` and `state.play(text)`, compiled."""
    found = {}
    for name in GAMES:
        game(name).load()
        speeds = [_api_games(name, turn) for turn in range(repeat)]
        found[name] = {"moves_per_s": round(statistics.median(speeds))}
    return found


def _api_games(name: str, turn: int) -> float:
    moves, seed, word = 0, turn, 12345
    began = time.perf_counter()
    while time.perf_counter() - began < API_SECONDS:
        state = deal(name, seed=seed, options=_options(name))
        while not state.over:
            seat = state.waiting[0]
            legal_here = state.legal(seat)
            word = (word * 1103515245 + 12345) & 0x7FFFFFFF
            state.play(legal_here[(word >> 8) % len(legal_here)], seat)
            moves += 1
        seed += 1000
    return moves / (time.perf_counter() - began)


def start(repeat: int) -> dict[str, Any]:
    """Fresh processes, from their first line on: the import, and the first compiled move (the
    import included) on a cold and on a warm cache."""
    move = "import mandalier.games.game as g; g.game('sand').load(); g.deal('sand').legal()"
    with tempfile.TemporaryDirectory() as cache:
        cold = _in_a_process(move, MANDALIER_CACHE=cache)
        warm = [_in_a_process(move, MANDALIER_CACHE=cache) for _ in range(repeat)]
    imported = [_in_a_process("import mandalier") for _ in range(repeat)]
    return {
        "import_s": round(statistics.median(imported), 3),
        "first_compiled_move_cold_s": round(cold, 2),
        "first_compiled_move_warm_s": round(statistics.median(warm), 3),
    }


def _in_a_process(code: str, **environment: str) -> float:
    """How long the code takes in a fresh interpreter, without its start and end."""
    timed = f"import time; began = time.perf_counter(); {code}; print(time.perf_counter() - began)"
    given = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", timed], check=True, env=given, capture_output=True, text=True
    )
    return float(done.stdout)


def check(repeat: int) -> dict[str, Any]:
    """Records checked, from lines in memory."""
    found = {}
    for name, one in GAMES.items():
        run = Run.of(name, one.seats[0], CHECKED_RECORDS, SEED, options=_options(name))
        lines = play_shard(run, 0, CHECKED_RECORDS, True)[1].splitlines()
        checker = Checker()
        assert checker.fault(lines[0], 1) is None
        seconds = min(_seconds(partial(_check_all, checker, lines)) for _ in range(repeat))
        found[name] = {"records_per_minute": round(len(lines) / seconds * 60)}
    return found


def _check_all(checker: Checker, lines: list[str]) -> None:
    assert not list(checker.faults(lines))


def simulate_million(repeat: int) -> dict[str, Any]:
    """A million random games of sand on all cores, with the processes' start and no records."""
    import resource  # not on every system

    run = Run.of("sand", games=SIMULATED_GAMES, seed=SEED)
    seconds = _seconds(lambda: simulate(run))
    own, children = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "games": SIMULATED_GAMES,
        "seconds": round(seconds, 2),
        "workers": os.cpu_count(),
        "largest_process_mb": round(max(own, children) / 1024),
    }


_MEASURES: dict[str, Callable[[int], dict[str, Any]]] = {
    "engines": engines,
    "copy": copy,
    "api": api,
    "start": start,
    "check": check,
    "simulate": simulate_million,
}
