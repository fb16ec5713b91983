"""The kernel: one text of the rules, two forms, the same effect."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandalier.games import kernel
from mandalier.games.game import GAMES, game
from mandalier.games.kernel import (
    GENERATOR,
    ONES,
    bind,
    count_of,
    fingerprint,
    kinds,
    list_runs,
    new_states,
    next_word,
    rule,
    seed_generator,
    size,
    slot,
)

needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="compares with compiled rules")
COUNTS = st.lists(st.integers(0, 40), min_size=6, max_size=6)


def pile_of(counts: list[int]) -> int:
    return sum(n << 8 * i for i, n in enumerate(counts))


@given(COUNTS)
def test_a_pile_answers_like_the_list_of_its_counts(counts: list[int]) -> None:
    pile = pile_of(counts)
    assert [count_of(pile, i) for i in range(6)] == counts
    assert kinds(pile) == pile_of([min(n, 1) for n in counts])
    assert size(pile) == sum(counts)
    assert (kinds(pile) == ONES) == all(counts)


@needs_numba
@given(COUNTS)
def test_a_compiled_pile_answers_the_same(counts: list[int]) -> None:
    pile = pile_of(counts)
    for question in (kinds, size):
        assert bind(question, compiled=True)(pile) == question(pile)


@needs_numba
@given(st.lists(st.integers(0, 8), min_size=6, max_size=6), st.integers(0, 20), st.integers(0, 50))
def test_runs_are_listed_the_same_in_both_forms(counts: list[int], n: int, first: int) -> None:
    lists: list[Any] = [[0] * 3000, np.zeros(3000, "i2")]
    ends = [
        bind(list_runs, compiled=form)(lists[form], n, first, 9, pile_of(counts))
        for form in (False, True)
    ]
    assert ends[0] == ends[1] == n + sum(counts)
    assert lists[0][: ends[0]] == lists[1][: ends[0]].tolist()


@needs_numba
def test_a_list_of_moves_that_is_too_short_is_an_error_not_a_crash() -> None:
    with pytest.raises(IndexError, match="too short"):
        bind(list_runs, compiled=True)(np.zeros(100, "i2"), 0, 0, 1, 1)


@rule
def _words(g: Any, out: Any, seed: int, stream: int) -> None:
    seed_generator(g[0], seed, stream)
    for i in range(len(out)):
        out[i] = next_word(g[0])


def words(seed: int, stream: int, n: int, compiled: bool) -> list[int]:
    out = kernel.new_array("i8", n, compiled)
    bind(_words, compiled=compiled)(new_states(GENERATOR, 1, compiled), out, seed, stream)
    return [int(word) for word in out]


@needs_numba
@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_the_generator_is_the_same_in_both_forms(seed: int, stream: int) -> None:
    assert words(seed, stream, 20, False) == words(seed, stream, 20, True)


def test_the_generator_is_sfc32() -> None:
    # computed from the published algorithm in plain arithmetic, apart from the kernel
    mask = 2**32 - 1
    a, b, c, d = 5, 6, 7, 1
    expected = []
    for _ in range(20):
        word = (a + b + d) & mask
        a, b, c, d = (
            b ^ b >> 9,
            (c + (c << 3)) & mask,
            (((c << 21 | c >> 11) & mask) + word) & mask,
            d + 1,
        )
        expected.append(word)
    assert words(5 | 6 << 32, 7, 8, False) == expected[12:]


def test_streams_of_one_seed_have_nothing_in_common() -> None:
    seen = [tuple(words(7, stream, 4, False)) for stream in range(2000)]
    assert len(set(seen)) == 2000
    assert abs(sum(w[0] for w in seen) / 2000 / 2**32 - 0.5) < 0.03


def test_every_order_of_four_cards_is_equally_likely() -> None:
    g: Any = new_states(GENERATOR, 1, False)[0]
    kernel.seed_generator(g, 1, 0)
    counts: Counter[tuple[int, ...]] = Counter()
    n = 24_000
    for _ in range(n):
        cards = [0, 1, 2, 3]
        kernel.shuffle(g, cards, 4)
        counts[tuple(cards)] += 1
    expected = n / math.factorial(4)
    chi_square = sum((seen - expected) ** 2 / expected for seen in counts.values())
    assert len(counts) == 24
    assert chi_square < 49.7  # 23 degrees of freedom, 99.9 %


def test_game_seeds_differ_and_fit() -> None:
    g: Any = new_states(GENERATOR, 1, False)[0]
    seeds = [kernel.game_seed(g, 7, k) for k in range(5000)]
    assert len(set(seeds)) == 5000
    assert all(0 <= seed < 2**62 for seed in seeds)


# Twins


@pytest.mark.parametrize("name", GAMES)
def test_a_twin_and_a_row_hold_the_same_bytes(name: str) -> None:
    dtype = game(name).module.STATE
    states = np.zeros(1, dtype)
    view = states.view("u1")
    view[:] = np.arange(view.size) % 100
    twin = kernel.to_twin(states[0])
    again = np.zeros(1, dtype)
    kernel.to_row(twin, again[0])
    for field in dtype.names:
        assert np.array_equal(states[field], again[field])


def test_copying_twins_shares_nothing() -> None:
    states = new_states(game("sand").module.STATE, 2, False)
    states[0].hand[1] = 5
    states[0].field[1][0] = 3
    states[1] = states[0]
    states[0].hand[1] = 6
    states[0].field[1][0] = 4
    assert (states[1].hand[1], states[1].field[1][0]) == (5, 3)


def test_a_number_too_large_for_its_field_is_an_error() -> None:
    s: Any = new_states(game("sand").module.STATE, 1, False)[0]
    s.deck_n = 128
    with pytest.raises(OverflowError):
        kernel.to_bytes(s)


# Binding

FACTOR = 3


@slot
def provided(x: int) -> int:
    raise NotImplementedError


@rule
def helper(x: int) -> int:
    return x * FACTOR


@rule
def driver(x: int) -> int:
    return helper(provided(x))


def module_with(provide: Any) -> ModuleType:
    made = ModuleType(f"made_{provide.__code__.co_firstlineno}")
    provide.__name__ = "provided"
    made.__dict__["provided"] = rule(provide)
    return made


def plus_one(x: int) -> int:
    return x + 1


def plus_two(x: int) -> int:
    return x + 2


def test_binding_fills_slots_for_each_game_apart() -> None:
    one, two = module_with(plus_one), module_with(plus_two)
    assert bind(driver, one, compiled=False)(10) == 33
    assert bind(driver, two, compiled=False)(10) == 36


@needs_numba
def test_binding_fills_slots_in_compiled_code_too() -> None:
    assert bind(driver, module_with(plus_one), compiled=True)(10) == 33
    assert bind(driver, module_with(plus_two), compiled=True)(10) == 36


def test_a_slot_nobody_fills_is_an_error() -> None:
    with pytest.raises(TypeError, match="provided is for a game to provide"):
        bind(driver, compiled=False)
    with pytest.raises(TypeError, match="has no such rule"):
        bind(driver, ModuleType("empty"), compiled=False)


@rule
def ping(x: int) -> int:
    return pong(x)


@rule
def pong(x: int) -> int:
    return ping(x)


@needs_numba
def test_rules_that_call_each_other_in_a_circle_are_refused() -> None:
    with pytest.raises(TypeError, match="circle"):
        bind(ping, compiled=True)


@needs_numba
def test_the_fingerprint_notices_a_changed_callee_constant_or_flag(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = module_with(plus_one)
    before = fingerprint(driver, module)
    assert fingerprint(driver, module) == before
    assert fingerprint(driver, module_with(plus_two)) != before
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert fingerprint(driver, module) != before
    monkeypatch.undo()
    monkeypatch.setitem(kernel.FLAGS, "nogil", False)
    assert fingerprint(driver, module) != before


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout.strip()


GAME = """
import mandalier
state = mandalier.deal("sand", seed=5)
while not state.over:
    state.play(state.legal()[-1])
print(state.result, state.game.fastest.compiled)
"""


@needs_numba
def test_without_jit_the_same_game_is_played_and_numba_not_imported() -> None:
    check = "\nimport sys; assert 'numba' not in sys.modules"
    plain = run_python(GAME + check, MANDALIER_JIT="0")
    assert plain.endswith("False")
    assert plain.split(" Tr")[0].split(" Fa")[0] == run_python(GAME).split(" Tr")[0]


def test_without_numba_installed_everything_works_on_the_twin() -> None:
    hide = "import sys, importlib.util\nfind = importlib.util.find_spec\n"
    hide += (
        "importlib.util.find_spec = lambda name, *a: None if name == 'numba' else find(name, *a)\n"
    )
    hide += "sys.modules['numba'] = None\n"
    assert run_python(hide + GAME).endswith("False")


def test_a_numba_that_cannot_be_imported_is_told_of_and_done_without(tmp_path: Path) -> None:
    package = tmp_path / "numba"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('Numba needs another NumPy')")
    done = subprocess.run(
        [sys.executable, "-c", GAME],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "MANDALIER_JIT": "1"},
    )
    assert done.stdout.strip().endswith("False")
    assert "rules are not compiled, as numba fails: Numba needs another NumPy" in done.stderr


def test_importing_the_package_is_light() -> None:
    code = "import sys, mandalier; print([m for m in ('numba', 'rich', 'mujoco', 'torch') if m in sys.modules])"
    assert run_python(code) == "[]"


@needs_numba
def test_a_changed_rule_is_compiled_into_a_folder_of_its_own(tmp_path: Path) -> None:
    run_python(
        "import mandalier.games.game as g; g.game('pyramids').load()", MANDALIER_CACHE=str(tmp_path)
    )
    folders = {folder.name for folder in tmp_path.iterdir()}
    module = game("pyramids").module
    assert fingerprint(module.legal, module) in folders


@needs_numba
def test_what_is_compiled_into_its_caller_needs_nothing_on_disk(tmp_path: Path) -> None:
    code = """
import mandalier.games.game as g
g.game('sand').load()  # its list of moves is compiled into `legal`
print(g.game('sand').at_hand.compiled)
"""
    assert run_python(code, MANDALIER_CACHE=str(tmp_path)) == "True"


@needs_numba
def test_the_twin_plays_while_the_rules_compile(tmp_path: Path) -> None:
    code = """
import mandalier
from mandalier.games.game import game
warm_up = game("pyramids").warm_up()
before = mandalier.deal("pyramids", seed=1)
assert not game("pyramids").at_hand.compiled
before.play(before.legal()[3])
warm_up.wait(120)
assert game("pyramids").at_hand.compiled
after = mandalier.deal("pyramids", seed=1)
after.play(after.legal()[3])
before.play("70"), after.play("70")
print(before.position == after.position)
"""
    assert run_python(code, MANDALIER_CACHE=str(tmp_path)) == "True"


@needs_numba
def test_who_warms_up_second_waits_and_gives_up_when_nobody_is_left_to_want_it(
    tmp_path: Path,
) -> None:
    fcntl = pytest.importorskip("fcntl")
    orphan = """
import subprocess, sys
command = [sys.executable, "-m", "mandalier.games.game", "pyramids"]
subprocess.Popen(command, stdin=subprocess.PIPE)
"""
    with open(tmp_path / "pyramids.turn", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # somebody compiles
        run_python(orphan, MANDALIER_CACHE=str(tmp_path))  # ends when the orphan has ended, too
        assert [found.name for found in tmp_path.iterdir()] == ["pyramids.turn"]


DRAW = """
import sys
from mandalier.games import kernel
g = kernel.new_states(kernel.GENERATOR, 1, True)
kernel.bind(kernel.seed_generator, compiled=True)(g[0], 7, 1)
print(kernel.bind(kernel.below, compiled=True)(g[0], 1000))
bound = {fn.__name__ for fn, _, compiled in kernel._bound if compiled}
print("next_word" in bound, "numba.np.linalg" in sys.modules)
"""


@needs_numba
def test_a_rule_kept_on_disk_is_loaded_without_what_it_calls_and_what_compiling_takes(
    tmp_path: Path,
) -> None:
    said = [run_python(DRAW, MANDALIER_CACHE=str(tmp_path)).split() for _ in range(2)]
    assert said[0][1:] == ["True", "True"]
    assert said[1] == [said[0][0], "False", "False"]
