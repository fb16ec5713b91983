"""The rules of dice a second time, as slowly and plainly as they read, to compare the game with.

Nothing of the game module is used here: the cards are typed from the rules, touching is worked out
with fractions of a square in the plane. How dice come to rest is taken from the `land` texts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

DECK = (
    "1 rby rbk byk rry rb by; 2 rby rb by yk rk bb; 3 ry bk by rb yk y; 4 ry bk b y r k; "
    "5 b b y r k; 6 r b y k; 7 b y k"
)
MASTERY = {"b": 8, "y": 10, "r": 12, "k": 14}
ICONS = "LRBDF"
CARD = 780
ROUNDS = 4

Point = tuple[float, float]
Cell = tuple[int, int]
Card = tuple[int, str]
"""Value and blocks."""


def cards(seats: int) -> dict[int, Card]:
    """All cards by their ids: canvases in the order of the deck, then blanks seat by seat."""
    found: list[Card] = []
    for part in DECK.split("; "):
        value, *blocks = part.split()
        found += [(int(value), one.ljust(4, "w")) for one in blocks]
    found += [(value, "w") for _ in range(seats) for value in (1, 2, 3)]
    return dict(enumerate(found, 1))


def touches(die: Sequence[int], cell: Cell) -> bool:
    """Whether the footprint of a die overlaps a card's place by more than 1 mm²."""
    x, y, yaw, _ = die
    turn = math.radians(yaw / 10)
    corners: list[Point] = [
        (
            x + dx * math.cos(turn) + dy * math.sin(turn),
            y - dx * math.sin(turn) + dy * math.cos(turn),
        )
        for dx, dy in ((-80, -80), (80, -80), (80, 80), (-80, 80))
    ]
    for axis in (0, 1):
        corners = _cut(corners, axis, cell[axis] * CARD, 1)
        corners = _cut(corners, axis, (cell[axis] + 1) * CARD, -1)
    pairs = zip(corners, corners[1:] + corners[:1], strict=True)
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2
    return area > 100  # tenths of a millimetre, squared


def _cut(corners: list[Point], axis: int, line: float, side: int) -> list[Point]:
    """The part of a shape on one side of a line."""
    kept: list[Point] = []
    for i, there in enumerate(corners):
        here = corners[i - 1]
        before, after = ((p[axis] - line) * side for p in (here, there))
        if (before < 0) != (after < 0):
            part = before / (before - after)
            kept.append(
                (here[0] + part * (there[0] - here[0]), here[1] + part * (there[1] - here[1]))
            )
        if after >= 0:
            kept.append(there)
    return kept


class Brute:
    """A game."""

    def __init__(self, grid: Sequence[Sequence[int]], seats: int) -> None:
        self.seats = range(seats)
        self.wide, self.high = len(grid[0]), len(grid)
        self.card = cards(seats)
        self.place: dict[Cell, int | None] = {
            (x, y): grid[y][x] for y in range(self.high) for x in range(self.wide)
        }
        self.hand = [set(range(37 + 3 * seat, 40 + 3 * seat)) for seat in self.seats]
        self.kept: list[list[int]] = [[] for _ in self.seats]
        self.keep = 0
        self.round = 0
        self._begin_round()

    def _begin_round(self) -> None:
        self.round += 1
        self.phase = "prepare"
        first = self.round - 1
        self.order = [(first + k) % len(self.seats) for k in self.seats]
        self.turn = self.order[0]
        self.chosen: list[str | None] = [None for _ in self.seats]
        self.left: list[set[str]] = []
        self.thrown = [0 for _ in self.seats]
        self.dice: dict[tuple[int, int], tuple[int, ...]] = {}  # those that lie inside
        self.outside = ""  # the icon of a die that may be thrown again
        self.again = False
        self.done: set[int] = set()

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def waiting(self) -> list[int]:
        if self.phase == "prepare":
            return [seat for seat in self.seats if self.chosen[seat] is None]
        if self.phase == "keep":
            return [seat for seat in self.seats if len(self.kept[seat]) < self.keep]
        return [] if self.over else [self.turn]

    def icons(self) -> set[str]:
        """What the seat to throw may throw by; empty if it is not about to throw."""
        if self.phase != "strokes" or (self.outside and not self.again):
            return set()
        return {self.outside} if self.again else self.left[self.turn]

    def legal(self, seat: int) -> list[str]:
        """All moves of a seat that is not about to throw."""
        if self.phase == "prepare":
            return ["ready " + "".join(some) for some in combinations(ICONS, self.round + 1)]
        if self.phase == "strokes":
            return ["again", "leave"]
        if self.phase == "keep":
            last = max(self.kept[seat], default=0)
            later = sorted(card for card in self.hand[seat] if card > last)
            need = self.keep - len(self.kept[seat])
            return [f"keep {card}" for k, card in enumerate(later) if len(later) - k >= need]
        takes = [take for cell in self.place for take in self._takes(seat, cell)]
        return [*takes, "done"]

    def _touching(self, seat: int, cell: Cell) -> list[int]:
        return sorted(n for (of, n), die in self.dice.items() if of == seat and touches(die, cell))

    def _sum(self, seat: int, dice: Sequence[int]) -> int:
        return sum(self.dice[seat, n][3] for n in dice)

    def _takes(self, seat: int, cell: Cell) -> list[str]:
        card, mine = self.place[cell], self._touching(seat, cell)
        if card is None or not mine:
            return []
        for rank, other in enumerate(self.order):
            if other == seat or other in self.done:
                continue
            theirs = self._sum(other, self._touching(other, cell))
            due = self._sum(seat, mine)
            if theirs > due or (theirs == due and rank < self.order.index(seat)):
                return []
        found, value = [], self.card[card][0]
        for count in range(1, len(mine) + 1):
            for used in combinations(mine, count):
                text = f"take {'abcdef'[cell[0]]}{cell[1] + 1} " + "".join(map(str, used))
                short = value - self._sum(seat, used)
                if short <= 0:
                    found.append(text)
                else:
                    helping = [own for own in self.hand[seat] if self.card[own][0] >= short]
                    found += [f"{text} +{own}" for own in helping]
        return found

    def play(self, seat: int, move: str, land: str) -> None:
        """Play a move; `land` is how the dice came to rest, after a throw."""
        words = move.split()
        if words[0] == "ready":
            self.chosen[seat] = words[1]
            if None not in self.chosen:
                self.phase = "strokes"
                self.left = [set(icons or "") for icons in self.chosen]
        elif words[0] == "again":
            self.again = True
        elif words[0] == "leave":
            self._next_stroke()
        elif words[0] == "throw":
            self._throw(seat, words[1], land)
        elif words[0] == "take":
            self._take(seat, words)
        elif words[0] == "done":
            self._done(seat)
        elif words[0] == "keep":
            self.kept[seat].append(int(words[1]))
            if not self.waiting():
                self.phase = "over"

    def _throw(self, seat: int, icon: str, land: str) -> None:
        second = self.again
        if not second:
            self.left[seat].remove(icon)
            self.thrown[seat] += 1
        mine = (seat, self.thrown[seat])
        _, how, lying = land.split(" ", 2)
        for one in lying.split("; "):
            name, *numbers = one.split()
            of, number = map(int, name.split("."))
            x, y, yaw, face = map(int, numbers)
            if 0 <= x <= self.wide * CARD and 0 <= y <= self.high * CARD:
                self.dice[of, number] = (x, y, yaw, face)
            else:
                self.dice.pop((of, number), None)
        if mine not in self.dice and how == "free" and not second:
            self.outside = icon
        else:
            self._next_stroke()

    def _next_stroke(self) -> None:
        self.outside, self.again = "", False
        if all(thrown == self.round + 1 for thrown in self.thrown):
            self.phase, self.turn = "collect", self.order[0]
        else:
            self.turn = (self.turn + 1) % len(self.seats)

    def _take(self, seat: int, words: Sequence[str]) -> None:
        cell = ("abcdef".index(words[1][0]), int(words[1][1]) - 1)
        card, boost = self.place[cell], int(words[3][1:]) if len(words) == 4 else None
        assert card is not None
        if boost is not None:
            self.hand[seat].remove(boost)
        self.place[cell] = boost
        self.hand[seat].add(card)
        for number in words[2]:
            del self.dice[seat, int(number)]

    def _done(self, seat: int) -> None:
        self.done.add(seat)
        if len(self.done) < len(self.seats):
            self.turn = (seat + 1) % len(self.seats)
        elif self.round < ROUNDS:
            self._begin_round()
        else:
            self.phase = "keep"
            self.keep = min(map(len, self.hand)) // 2 * 2

    def result(self) -> tuple[list[int], list[int]]:
        """Points and winners."""
        pictures = [[self.card[card] for card in kept] for kept in self.kept]
        points = [sum(value for value, _ in picture) for picture in pictures]
        for colour, bonus in MASTERY.items():
            blocks = [_count(picture, colour) for picture in pictures]
            if max(blocks) and blocks.count(max(blocks)) == 1:
                points[blocks.index(max(blocks))] += bonus
        best = [seat for seat in self.seats if points[seat] == max(points)]
        white = {seat: _count(pictures[seat], "w") for seat in best}
        return points, [seat for seat in best if white[seat] == max(white.values())]


def _count(picture: Sequence[Card], colour: str) -> int:
    return sum(blocks.count(colour) for _, blocks in picture)
