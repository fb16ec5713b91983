"""Intervals cover as often as they say, and tests that stop early err no more often than they say."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from mandalier.games.errors import MandalierError
from mandalier.lab.intervals import (
    Stop,
    anytime_interval,
    elo_of,
    log_wealth,
    mean_interval,
    share_interval,
    share_of,
    student,
)

RUNS = 600


def deals(share: float, count: int, seed: int, games: int = 2, alike: float = 0.0) -> list[float]:
    """Shares of deals whose games a bot wins with this chance; some deals decide all their games
    alike, whoever plays them."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        wins = generator.random(games) < share
        if generator.random() < alike:
            wins[:] = wins[0]
        found.append(float(wins.mean()))
    return found


def test_elo_is_the_usual_one_at_two_seats_and_0_at_the_fair_share_of_more() -> None:
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.75) == pytest.approx(-elo_of(0.25)) == pytest.approx(190.85, abs=0.01)
    for seats in range(2, 6):
        assert elo_of(1 / seats, seats) == pytest.approx(0)
        assert share_of(elo_of(0.7, seats), seats) == pytest.approx(0.7)
    assert elo_of(1.0) == math.inf
    assert elo_of(0.0, 4) == -math.inf


@pytest.mark.parametrize(
    ("df", "factor"), [(1, 12.706), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)]
)
def test_students_factor_is_that_of_the_tables(df: int, factor: float) -> None:
    assert student(0.95, df) == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9, 0.97])
@pytest.mark.parametrize("count", [10, 50])
@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_intervals_of_shares_cover_the_truth(share: float, count: int, alike: float) -> None:
    covered = 0
    for seed in range(RUNS):
        low, high = share_interval(deals(share, count, seed, alike=alike), 2)
        covered += low <= share <= high
    assert covered / RUNS > 0.92


def test_deals_that_belong_together_count_once() -> None:
    apart = share_interval(deals(0.6, 100, 1), 2)
    together = share_interval(deals(0.6, 100, 1, alike=1.0), 2)
    assert together[1] - together[0] > 1.2 * (apart[1] - apart[0])


def test_a_bot_that_won_all_its_games_is_not_taken_for_unbeatable() -> None:
    low, high = share_interval([1.0] * 20, 2)
    assert 0.8 < low < 0.9
    assert high == 1.0
    low, high = share_interval([0.5] * 5, 2)
    assert low < 0.45
    assert high > 0.55


def test_intervals_of_leads_cover_the_truth() -> None:
    covered = 0
    for seed in range(RUNS):
        values = np.random.default_rng(seed).normal(3.0, 10.0, 12)
        _, (low, high) = mean_interval(list(values))
        covered += low <= 3.0 <= high
    assert 0.93 < covered / RUNS < 0.975
    assert mean_interval([4.0]) == (4.0, (-math.inf, math.inf))


def verdict_after(stop: Stop, share: float, seed: int, most: int, seats: int = 2) -> str:
    """What the test says of a bot with this chance to win, looked at after every deal."""
    outcomes: Counter[float] = Counter()
    for value in deals(share, most, seed, games=seats, alike=0.3):
        outcomes[value] += 1
        if said := stop.verdict(outcomes, seats):
            return said
    return ""


@pytest.mark.parametrize("seats", [2, 4])
def test_a_test_that_stops_early_is_wrong_no_more_often_than_it_says(seats: int) -> None:
    stop = Stop.of(0, 100, 0.1)
    runs = 150
    even = [verdict_after(stop, share_of(0, seats), k, 250, seats) for k in range(runs)]
    better = [verdict_after(stop, share_of(100, seats), k, 250, seats) for k in range(runs)]
    assert even.count("stronger") <= 0.1 * runs + 8
    assert better.count("weaker") <= 0.1 * runs + 8
    assert even.count("weaker") > even.count("stronger") + runs / 4
    assert better.count("stronger") > better.count("weaker") + runs / 4


def test_a_clear_case_is_told_soon() -> None:
    stop = Stop.of(0, 50)
    assert all(verdict_after(stop, 0.85, seed, 80) == "stronger" for seed in range(40))
    assert all(verdict_after(stop, 0.2, seed, 80) == "weaker" for seed in range(40))


def test_a_bet_on_what_is_not_so_makes_no_money_on_average() -> None:
    fair = {0.0: 1, 0.5: 2, 1.0: 1}  # the outcomes of one deal, by how likely they are
    values = [value for value, n in fair.items() for _ in range(n)]
    for up in (True, False):
        after = [math.exp(log_wealth(Counter([a, b]), 0.5, up)) for a in values for b in values]
        assert sum(after) / len(after) == pytest.approx(1.0)


def test_the_interval_for_any_time_holds_at_all_times_at_once() -> None:
    missed = 0
    for seed in range(60):
        outcomes: Counter[float] = Counter()
        ever = False
        for n, value in enumerate(deals(0.7, 120, seed, alike=0.5), start=1):
            outcomes[value] += 1
            if n % 5 == 0:
                low, high = anytime_interval(outcomes)
                ever = ever or not low <= 0.7 <= high
        missed += ever
    assert missed <= 0.05 * 60 + 3
    low, high = anytime_interval(Counter(deals(0.7, 2000, 1)))
    assert 0.65 < low < 0.7 < high < 0.76


@pytest.mark.parametrize(
    ("elo0", "elo1", "error"), [(0, 0, 0.05), (50, 0, 0.05), (0, 50, 0.0), (0, 50, 0.5)]
)
def test_a_test_that_cannot_be_is_refused(elo0: float, elo1: float, error: float) -> None:
    with pytest.raises(MandalierError):
        Stop.of(elo0, elo1, error)
