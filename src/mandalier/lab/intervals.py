"""How sure a result is: intervals, Elo, and a test that may stop at any time.

Games of a deal are played with the seats rotated, so they belong together and are no independent
sample. What counts here is therefore the deal: one number for each, the mean over its games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from mandalier.games.errors import MandalierError
from mandalier.games.words import say

ELO = 400.0
"""So many points of Elo make a bot ten times as likely to win."""
LEVEL = 0.95
Span = tuple[float, float]


# Elo -------------------------------------------------------------------------------------------


def elo_of(share: float, seats: int = 2) -> float:
    """The Elo of a bot above each of the others at its table, if it has this share of the wins.

    A bot wins with a chance in proportion to its strength 10^(Elo/400) (Luce's rule; for two seats
    this is the usual Elo). So the fair share, one in `seats`, is 0.
    """
    if share <= 0.0:
        return -math.inf
    if share >= 1.0:
        return math.inf
    return ELO * math.log10(share * (seats - 1) / (1.0 - share))


def share_of(elo: float, seats: int = 2) -> float:
    """The share of the wins of a bot with so much Elo above each of the others."""
    return 1.0 / (1.0 + (seats - 1) * math.exp(-elo / ELO * math.log(10.0)))


# Intervals -------------------------------------------------------------------------------------


def student(level: float, df: int) -> float:
    """The factor of a two-sided interval from `df` + 1 samples (Student's t, by the first terms of
    its expansion; from two samples it is exact)."""
    if df < 1:
        return math.inf
    if df == 1:
        return math.tan(math.pi * level / 2)
    z = NormalDist().inv_cdf((1 + level) / 2)
    return (
        z
        + (z**3 + z) / (4 * df)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3)
    )


def mean_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, Span]:
    """The mean of what deals gave, and its interval; infinite if there is but one deal."""
    n = len(values)
    if n == 0:
        return 0.0, (-math.inf, math.inf)
    mean = sum(values) / n
    if n == 1:
        return mean, (-math.inf, math.inf)
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    half = student(level, n - 1) * math.sqrt(variance / n)
    return mean, (mean - half, mean + half)


def share_interval(values: Sequence[float], games: int, level: float = LEVEL) -> Span:
    """The interval of a share, from the shares of deals of `games` games each.

    Wilson's interval, which stays sound near 0 and 1, for as many games as would scatter like these
    deals. One deal that scatters as independent games would is added, so that a few deals that
    happen to agree are not taken for certainty.
    """
    n = len(values)
    if n == 0:
        return 0.0, 1.0
    p = sum(values) / n
    apart = p * (1 - p)
    if apart <= 0:
        size = float(n)  # all won or all lost: a deal is counted once
        z = NormalDist().inv_cdf((1 + level) / 2)
    else:
        around = sum((value - p) ** 2 for value in values)
        size = n * apart / ((around + apart / games) / n)
        z = student(level, max(1, n - 1))
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(apart / size + z * z / (4 * size * size))
    return max(0.0, middle - half), min(1.0, middle + half)


# Stopping early --------------------------------------------------------------------------------

STAKE_STEP = 1.7
"""Stakes so far apart are bet side by side: small ones win by small differences, large by large."""
SMALLEST_STAKE = 0.02
MOST_VARIANCE = 0.25  # of a share


def log_wealth(
    outcomes: Mapping[float, int], mean: float, up: bool, least: float = SMALLEST_STAKE
) -> float:
    """The logarithm of what one has who bets, from 1, that the mean is above (or below) `mean`.

    Whatever has a mean that is not above makes no money on average, so the chance that it ever has
    1/α is at most α, however often one looks (Ville's inequality). The bets are a mixture, made at
    the beginning, of fixed stakes from `least` up, so it only matters how often each outcome was
    there.
    """
    if not outcomes:
        return 0.0
    values = np.fromiter(outcomes.keys(), float)
    counts = np.fromiter(outcomes.values(), float)
    signed = (values - mean) if up else (mean - values)
    most = 1.0 / (mean if up else 1.0 - mean)  # with more, one outcome could make a debt
    most *= 0.98
    least = min(least, most)
    count = 1 + math.ceil(math.log(most / least) / math.log(STAKE_STEP))
    stakes = np.geomspace(least, most, count)
    logs = np.log1p(stakes[:, None] * signed[None, :]) @ counts
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).mean()))


@dataclass(frozen=True)
class Stop:
    """When a match may be stopped: as soon as it is clear that the first bot is stronger than
    `elo0`, or that it is weaker than `elo1`, with these chances of saying so wrongly."""

    elo0: float = 0.0
    elo1: float = 50.0
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def of(cls, elo0: float, elo1: float, error: float = 0.05) -> Stop:
        """A test, checked, wrong either way with at most this chance."""
        if not elo0 < elo1:
            text = say("the first Elo is below the second, unlike {a:g}:{b:g}", a=elo0, b=elo1)
            raise MandalierError(text)
        if not 0 < error < 0.5:
            raise MandalierError(say("an error rate is above 0 and below 0.5, not {p:g}", p=error))
        return cls(elo0, elo1, error, error)

    def verdict(self, outcomes: Mapping[float, int], seats: int) -> str:
        """ "stronger", "weaker", or "" while it is open."""
        low, high = share_of(self.elo0, seats), share_of(self.elo1, seats)
        least = (high - low) / MOST_VARIANCE  # what pays best if deals scatter most
        if log_wealth(outcomes, low, True, least) >= -math.log(self.alpha):
            return "stronger"
        if log_wealth(outcomes, high, False, least) >= -math.log(self.beta):
            return "weaker"
        return ""

    def data(self) -> dict[str, Any]:
        return {"elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta}


def anytime_interval(outcomes: Mapping[float, int], level: float = LEVEL) -> Span:
    """An interval of the mean that holds however often one looks, and so also after stopping: the
    means against which nobody has yet won 2/(1 − level)."""
    if not outcomes:
        return 0.0, 1.0
    enough = math.log(2 / (1 - level))
    total = sum(outcomes.values())
    mean = sum(value * n for value, n in outcomes.items()) / total
    return (
        _edge(lambda m: log_wealth(outcomes, m, up=True) >= enough, 0.0, mean),
        _edge(lambda m: log_wealth(outcomes, m, up=False) >= enough, 1.0, mean),
    )


def _edge(is_out: Callable[[float], bool], outside: float, inside: float) -> float:
    """Where it is no longer out, between two points."""
    if inside == outside:
        return outside
    tiny = 1e-9
    if not is_out(outside + (tiny if outside < inside else -tiny)):
        return outside
    for _ in range(40):
        middle = (outside + inside) / 2
        if is_out(middle):
            outside = middle
        else:
            inside = middle
    return outside
