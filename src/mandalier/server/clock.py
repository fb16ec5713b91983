"""The clocks of a table, as its events have set them. Times are milliseconds."""

from __future__ import annotations

from collections.abc import Collection

from mandalier.server.protocol import ClockRule

DAY = 86_400_000
MOST_LAG = 500
"""The most that is made up for in one move for the way it took to come here."""
GRACE = MOST_LAG
"""A flag falls so long after the time is up: a move may be on its way."""

MOVES_TO_COME = 60
"""For so many more moves a bot makes its time last."""


class Clock:
    """How much time each seat has left, and whose is running."""

    def __init__(self, rule: ClockRule, seats: int) -> None:
        self.rule = rule
        self.kept = rule.kind != "none"
        self.left = [self._whole] * seats
        self.running: dict[int, int] = {}
        """Seat → since when."""
        self._exempt: set[int] = set()

    @property
    def _whole(self) -> int:
        return self.rule.days * DAY if self.rule.kind == "days" else self.rule.seconds * 1000

    def turn_to(self, waiting: Collection[int], now: int) -> None:
        """These seats are to move from now on."""
        if not self.kept:
            return
        for seat in [seat for seat in self.running if seat not in waiting]:
            self._halt(seat, now)
        for seat in waiting:
            if seat not in self.running and seat not in self._exempt:
                if self.rule.kind in ("move", "days"):
                    self.left[seat] = self._whole
                self.running[seat] = now

    def moved(self, seat: int, now: int, lag: int) -> None:
        """A seat has moved: its time stops, less what the way took, plus the increment."""
        if seat in self.running:
            spent = max(0, now - self.running.pop(seat) - lag)
            self.left[seat] = max(0, self.left[seat] - spent)
            if self.rule.kind == "game":
                self.left[seat] += self.rule.increment * 1000

    def go_on(self, waiting: Collection[int], now: int) -> None:
        """After a pause: with what was left."""
        self.running = {seat: now for seat in waiting if seat not in self._exempt}

    def exempt(self, seat: int, now: int) -> None:
        """A bot plays here from now on that no time is taken from."""
        self.running.pop(seat, None)
        self._exempt.add(seat)

    def come_back(self, seat: int, waiting: Collection[int], now: int) -> None:
        """A person whose turn a bot has taken over plays again, with the time for a turn."""
        if seat in self._exempt:
            self._exempt.discard(seat)
            self.left[seat] = self._whole
            self.turn_to([*self.running, *(i for i in waiting if i == seat)], now)

    @property
    def ends_games(self) -> bool:
        """Whether who has no time left has lost. Where it was the time for one turn, a bot plays on
        until they come back."""
        return self.rule.kind == "game"

    def stop(self, now: int) -> None:
        for seat in list(self.running):
            self._halt(seat, now)

    def _halt(self, seat: int, now: int) -> None:
        self.left[seat] = max(0, self.left[seat] - (now - self.running.pop(seat)))

    def left_at(self, now: int) -> list[int]:
        """What each seat has left at a time."""
        return [
            max(0, left - max(0, now - self.running[seat])) if seat in self.running else left
            for seat, left in enumerate(self.left)
        ]

    def is_up(self, seat: int, now: int) -> bool:
        """Whether a seat's flag has fallen."""
        return (
            self.kept
            and seat in self.running
            and now - self.running[seat] >= self.left[seat] + GRACE
        )

    def share_of(self, seat: int, now: int) -> float | None:
        """How much of its time a seat can spend on one move and have enough for the next ones;
        None where time does not matter."""
        if not self.kept or seat not in self.running:
            return None
        left = self.left_at(now)[seat]
        if self.rule.kind == "game":
            return left / MOVES_TO_COME + self.rule.increment * 1000 / 2
        return left / 4

    @property
    def deadline(self) -> int | None:
        """When the first flag falls, if nobody moves."""
        if not self.kept or not self.running:
            return None
        return min(since + self.left[seat] for seat, since in self.running.items()) + GRACE

    @property
    def first_to_fall(self) -> int | None:
        if not self.running:
            return None
        return min(self.running, key=lambda seat: self.running[seat] + self.left[seat])
