"""How much one client may ask for: buckets that fill with time, and drain with each request."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_KEYS = 50_000


class Limiter:
    """A bucket for each key: `burst` requests at once, `per_second` more as time goes by.

    Memory is bounded: of more than MOST_KEYS keys those not seen for longest are let go, whose
    buckets have had the most time to fill.
    """

    def __init__(
        self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second = per_second
        self.burst = max(1.0, burst)
        self.clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # (left, at)

    def allows(self, key: Hashable, cost: float = 1.0) -> bool:
        """Whether this request may be: if so it is taken from the key's bucket."""
        now = self.clock()
        left, at = self._buckets.get(key, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.per_second)
        allowed = left >= cost
        self._buckets[key] = (left - cost if allowed else left, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST_KEYS:
            self._buckets.popitem(last=False)
        return allowed

    def wait_s(self, key: Hashable, cost: float = 1.0) -> float:
        """How long until a request of this cost will be allowed."""
        now = self.clock()
        left, at = self._buckets.get(key, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.per_second)
        return max(0.0, (cost - left) / self.per_second)

    def __len__(self) -> int:
        return len(self._buckets)


class Counted:
    """How many of something are open for each key, up to a limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: dict[Hashable, int] = {}

    def take(self, key: Hashable) -> bool:
        n = self._open.get(key, 0)
        if n >= self.most:
            return False
        self._open[key] = n + 1
        return True

    def give_back(self, key: Hashable) -> None:
        n = self._open.get(key, 0) - 1
        if n > 0:
            self._open[key] = n
        else:
            self._open.pop(key, None)

    def __len__(self) -> int:
        return sum(self._open.values())


def per_hour(n: int, clock: Callable[[], float] = time.monotonic) -> Limiter:
    """So many an hour, all at once if need be."""
    return Limiter(n / 3600, n, clock)
