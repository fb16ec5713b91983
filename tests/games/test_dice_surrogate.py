"""The surrogate: the same with and without the compiler, near to the physics, and fast."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandalier.games import kernel
from mandalier.games.dice import bank_builder, data, study, surrogate
from mandalier.games.dice.gesture import Gesture, Hand, Random, Table, table_for

ICONS = data.ICONS


def lists(bank: object) -> list[int]:
    return [int(number) for number in np.asarray(bank).tolist()]


BANK = surrogate.bank()
TWIN = lists(BANK)


def throw_once(compiled: bool, seed: int, icon: str, count: int) -> tuple[int, list[list[int]]]:
    luck = Random(seed, 0)
    table = study.any_table(luck, count)
    gesture = study.any_gesture(luck, table, icon)
    dice = np.zeros((24, 6), np.int64)
    for i, d in enumerate(table.dice):
        dice[i] = (d.x, d.y, d.yaw, d.face, 8 * d.seat + d.die, 1)
    g = kernel.new_states(kernel.GENERATOR, 1, compiled)[0]
    kernel.bind(kernel.seed_generator, compiled=compiled)(g, seed, 1)
    given_dice = dice if compiled else dice.tolist()
    work = surrogate.new_work() if compiled else surrogate.new_work().tolist()
    a0, a1, a2 = (*gesture.numbers, 0)[:3]
    done = kernel.bind(surrogate.surrogate_throw, compiled=compiled)(
        BANK if compiled else TWIN,
        given_dice,
        count + 1,
        work,
        count,
        ICONS.index(icon),
        a0,
        a1,
        a2,
        seed % 3,
        0,
        data.SIDES.index(table.sides[gesture.seat]),
        table.columns,
        table.rows,
        g,
    )
    return int(done), [[int(v) for v in row] for row in given_dice]


@pytest.mark.parametrize("icon", ICONS)
def test_compiled_and_interpreted_throws_are_the_same(icon: str) -> None:
    for seed in range(120):
        assert throw_once(True, seed, icon, seed % 20) == throw_once(False, seed, icon, seed % 20)


@given(seed=st.integers(0, 2**40), icon=st.sampled_from(ICONS), count=st.integers(0, 20))
@settings(max_examples=300, deadline=None)
def test_a_throw_leaves_a_table_that_can_be(seed: int, icon: str, count: int) -> None:
    done, dice = throw_once(True, seed, icon, count)
    assert done >> 1 + count & 1
    for i, (x, y, yaw, face, _, on) in enumerate(dice[: count + 1]):
        assert 1 <= face <= 6
        assert 0 <= yaw < 3600
        assert on in (0, 1)
        assert abs(x) < 40_000
        assert abs(y) < 40_000
        if done & 1 == 0 and i < count:
            assert not done >> 1 + i & 1


def test_the_bank_is_small_and_mapped() -> None:
    assert surrogate.BANK.stat().st_size < 5_000_000
    assert isinstance(np.load(surrogate.BANK, mmap_mode="r"), np.memmap)
    assert BANK.dtype == np.int16


def test_the_bank_holds_the_house_numbers() -> None:
    constants = bank_builder._constants(data.house())
    assert BANK[surrogate.K_NOISE : surrogate.K_NOISE + len(constants)].tolist() == constants
    assert surrogate.K_NOISE + len(constants) == surrogate.K_START + 4


@pytest.mark.parametrize("index", [0, 777, 4_000])
def test_the_bank_can_be_built_again(index: int) -> None:
    house = data.house()
    for section, width, made in (
        (surrogate.HANDS, surrogate.HAND_ROW, bank_builder.hand_row(index, 20, house)),
        (surrogate.FLICKS, surrogate.FLICK_ROW, bank_builder.flick_row(index, 20, house)),
        (surrogate.DROPS, surrogate.IMPACT_ROW, bank_builder.drop_row(index, 20, house)),
    ):
        row = surrogate.section(BANK, section) + index * width
        assert BANK[row : row + width].tolist() == made
    for section, cells, (cell, *made) in (
        (
            surrogate.TUMBLES,
            surrogate.TUMBLE_CELLS,
            bank_builder.tumble_row(index, 20, house, TWIN),
        ),
        (surrogate.SLIDES, surrogate.SLIDE_CELLS, bank_builder.slide_row(index, 20, house, TWIN)),
    ):
        at = surrogate.section(BANK, section)
        first, end = (int(BANK[at + cell + k]) for k in (0, 1))
        rows = BANK[at + cells + 1 :][8 * first : 8 * end].reshape(-1, 8).tolist()
        assert made in rows


@pytest.mark.parametrize("icon", ICONS)
def test_faces_are_even(icon: str) -> None:
    table, gesture = study.scene(icon, Random(1, 1), 5, False)
    seen = [0] * 6
    dice = np.zeros((24, 6), np.int64)
    g = kernel.new_states(kernel.GENERATOR, 1, True)[0]
    kernel.bind(kernel.seed_generator, compiled=True)(g, 5, 0)
    throw = kernel.bind(surrogate.surrogate_throw, compiled=True)
    a0, a1, a2 = (*gesture.numbers, 0)[:3]
    for _ in range(6000):
        throw(
            BANK,
            dice,
            1,
            surrogate.new_work(),
            0,
            ICONS.index(icon),
            a0,
            a1,
            a2,
            1,
            0,
            0,
            table.columns,
            table.rows,
            g,
        )
        seen[dice[0][3] - 1] += 1
    assert sum((n - 1000) ** 2 / 1000 for n in seen) < 24.1


# The measure is 1,000 physical throws a scene; here a quick look that nothing is out of place.
@pytest.mark.parametrize("icon", ICONS)
def test_the_surrogate_lands_where_the_physics_lands(icon: str) -> None:
    error = study.surrogate_error(icon, scenes=2, physical=150, quick=20_000, seed=4321)
    assert error.variation < error.floor + 0.08
    assert error.hit < 0.12


@pytest.mark.parametrize("side", range(4))
def test_every_side_throws_the_same_way(side: int) -> None:
    sides = ("bottom", "left", "top", "right")
    table = Table(6, 6, (sides[side],))
    for icon, numbers in (("R", (50, 900, 0)), ("F", (1000, 100, 1400))):
        cells = study.surrogate_cells(table, Gesture(0, 1, icon, numbers), Hand(), 20_000, 1)
        grid = np.rot90(cells[:36].reshape(6, 6), side)
        table0 = Table(6, 6, ("bottom",))
        expected = study.surrogate_cells(table0, Gesture(0, 1, icon, numbers), Hand(), 20_000, 2)
        assert np.abs(grid - expected[:36].reshape(6, 6)).sum() / 2 < 0.03


def test_a_steady_hand_scatters_less() -> None:
    spread = []
    for steadiness in data.STEADINESS:
        cells = study.surrogate_cells(
            table_for(2), Gesture(0, 1, "R", (0, 1000, 0)), Hand(steadiness), 20_000, 1
        )[:25]
        spread.append(-sum(p * math.log(p) for p in cells if p > 0))
    assert spread == sorted(spread)
