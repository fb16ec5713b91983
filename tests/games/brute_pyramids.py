"""The rules of pyramids a second time, as slowly and plainly as they read, to compare the game with.

Nothing of the game module is used here. The path is a list of names with None for a gap, and all
that a seat has taken is a list of names.
"""

from __future__ import annotations

from collections.abc import Sequence

GROUPS = [colour + size for colour in "rybgk" for size in "123"]


class Brute:
    """A game."""

    def __init__(self, path: Sequence[str], seats: int) -> None:
        self.path: dict[int, str | None] = dict(enumerate(path, 1))  # by place
        self.pawns = [0] * seats
        self.held: list[list[str]] = [[] for _ in range(seats)]
        self.eye: list[str] = []
        self.points = [0] * seats
        self.scored: list[str] = []
        self.turn = 0
        self.over = False

    @property
    def seats(self) -> range:
        return range(len(self.pawns))

    def ahead_of(self, seat: int) -> list[int]:
        """The places ahead of a pawn that still hold a pyramid."""
        return [place for place in self.path if self.path[place] and place > self.pawns[seat]]

    def legal(self) -> list[str]:
        return [] if self.over else [str(place) for place in self.ahead_of(self.turn)]

    def play(self, move: str) -> None:
        place = int(move)
        assert place in self.ahead_of(self.turn)
        self.pawns[self.turn] = place
        self._take(place, self.held[self.turn])
        for behind in range(1, min(self.pawns) + 1):
            self._take(behind, self.eye)
        self._go_on()
        self._score()

    def _take(self, place: int, to: list[str]) -> None:
        pyramid = self.path[place]
        if pyramid:
            to.append(pyramid)
            self.path[place] = None

    def _go_on(self) -> None:
        """Whose turn is it? The last seat takes the rest."""
        walking = [seat for seat in self.seats if self.ahead_of(seat)]
        if len(walking) == 1:
            for place in self.ahead_of(walking[0]):
                self._take(place, self.held[walking[0]])
        if len(walking) < 2:
            self.over = True
            return
        self.turn = (self.turn + 1) % len(self.seats)
        while self.turn not in walking:
            self.turn = (self.turn + 1) % len(self.seats)

    def _score(self) -> None:
        for group in GROUPS:
            if group not in self.scored and group not in self.path.values():
                self.scored.append(group)
                self._score_group(group)

    def _score_group(self, group: str) -> None:
        holders = [seat for seat in self.seats if group in self.held[seat]]
        holders.sort(key=lambda seat: (self.held[seat].count(group), self.pawns[seat]))
        if len(holders) == 1:
            self.points[holders[0]] += 5
        elif holders:
            self.points[holders[-1]] += 3
            self.points[holders[-2]] += 2

    @property
    def winners(self) -> list[int]:
        best = max((self.points[seat], self.pawns[seat]) for seat in self.seats)
        return [seat for seat in self.seats if (self.points[seat], self.pawns[seat]) == best]
