"""The rules of stones a second time, as slowly and plainly as they read, to compare the game with.

Nothing of the game module is used here. Stacks and towers are lists of letters, bottom to top; the
main board is a grid of cells, whose edges are the stacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

COLOURS = "rbyp"
SIDES = "NESW"
CIRCLES = [letter + digit for digit in "123" for letter in "abc"]
HANDS = {2: 40, 3: 48, 4: 56}
PLUS = {6: 1, 27: 1, 13: 2, 20: 2, 34: 2, 44: 2, 52: 2}
SPACES = 61
BY_HEIGHT = {2: [4, 2, 1, 1], 3: [1, 3, 4, 1], 4: [1, 2, 4, 6]}
TWO_OF = {"two-red": "r", "two-blue": "b", "two-yellow": "y", "two-purple": "p"}


def _edges() -> list[tuple[int, int]]:
    """The stacks in order, as points of a grid on which the circles are at odd rows and columns."""
    found = []
    for row in range(7):
        for column in range(7):
            if (row + column) % 2 == 1:
                found.append((row, column))
    return found


EDGES = _edges()


def around(circle: str) -> list[int]:
    """The numbers of the stacks around a circle: N E S W."""
    row, column = 2 * int(circle[1]) - 1, 2 * "abc".index(circle[0]) + 1
    edges = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
    return [1 + EDGES.index(edge) for edge in edges]


AROUND = {circle: around(circle) for circle in CIRCLES}


class Brute:
    """A game."""

    def __init__(
        self,
        stacks: Sequence[str],
        artists: Mapping[str, str],
        objectives: Sequence[Sequence[str]],
        hands: Mapping[int, int] = HANDS,
        plus: Mapping[int, int] = PLUS,
        spaces: int = SPACES,
    ) -> None:
        self.stacks = {number: list(stack) for number, stack in enumerate(stacks, 1)}
        self.artists = dict(artists)
        self.objectives = objectives
        self.seats = len(objectives)
        self.end_space = hands[self.seats]
        self.plus = plus
        self.spaces = spaces
        self.towers: list[dict[int, list[str]]] = [
            {column: [] for column in range(1, 6)} for _ in range(self.seats)
        ]
        self.points = [0] * self.seats
        self.mandala: list[str] = []
        self.aside: list[str] = []
        self.turn = 0
        self.last_round = False
        self.reason = ""
        self._begin_turn()

    # Moves

    def legal(self) -> list[str]:
        if self.reason:
            return []
        return self.picks() + self.scores()

    def picks(self) -> list[str]:
        empty = [column for column, tower in self.towers[self.turn].items() if not tower]
        return [
            f"{here}-{there} {side} {column}"
            for here in self.artists
            for there in CIRCLES
            if there not in self.artists
            for side, _ in self.yielded(here, there)
            for column in empty
        ]

    def yielded(self, here: str, there: str) -> list[tuple[str, int]]:
        """The stacks that yield a stone to the artist that moves from here to there, N E S W."""
        others = [circle for circle in self.artists if circle != here]
        found = []
        for side, number in zip(SIDES, AROUND[there], strict=True):
            if not self.stacks[number]:
                continue
            if any(number in AROUND[other] for other in others):
                continue
            pattern = "ring" if self.stacks[number][-1].islower() else "star"
            if pattern == self.artists[here]:
                found.append((side, number))
        return found

    def scores(self) -> list[str]:
        towers = self.towers[self.turn]
        moves = [f"score {colour}" for colour in COLOURS if len(self.topped(colour)) >= 2]
        used = [str(column) for column, tower in towers.items() if tower]
        for n in range(1, 6):
            moves += ["tops " + "".join(columns) for columns in combinations(used, n)]
        return moves

    def topped(self, colour: str) -> list[int]:
        """The mover's columns that this colour tops."""
        towers = self.towers[self.turn].items()
        return [column for column, tower in towers if tower and tower[-1].lower() == colour]

    def play(self, move: str) -> None:
        move, _, order = move.partition(" > ")
        if move.startswith("score"):
            columns = self.topped(move[-1])
            self.points[self.turn] += sum(self.worth(column) for column in columns)
            self._lay(columns, order)
        elif move.startswith("tops"):
            columns = [int(n) for n in move.split()[1]]
            self.points[self.turn] += len(columns)
            self._lay(columns, order)
        else:
            self._pick(*move.split())
        self.turn += 1
        if self.turn == self.seats:
            self.turn = 0
            if self.last_round:
                self.reason = "hands"
                return
        self._begin_turn()

    def _pick(self, way: str, start: str, column: str) -> None:
        here, there = way.split("-")
        given = self.yielded(here, there)
        while given[0][0] != start:
            given.append(given.pop(0))
        self.artists[there] = self.artists.pop(here)
        self.towers[self.turn][int(column)] = [self.stacks[number].pop() for _, number in given]

    def worth(self, column: int) -> int:
        """What the tower on this column of the mover scores."""
        towers = self.towers[self.turn]
        if column == 1:
            return len({len(tower) for tower in towers.values()})
        if column == 5:
            return 1 + len({stone.lower() for stone in towers[5]})
        return BY_HEIGHT[column][len(towers[column]) - 1]

    def _lay(self, columns: list[int], order: str) -> None:
        for column in [int(n) for n in order.split()] or columns:
            stone = self.towers[self.turn][column].pop()
            if len(self.mandala) == self.spaces:
                self.aside.append(stone)
                continue
            self.mandala.append(stone)
            self.points[self.turn] += self.plus.get(len(self.mandala), 0)
            if len(self.mandala) == self.end_space:
                self.last_round = True

    def _begin_turn(self) -> None:
        if not self.legal():
            self.reason = "stuck"

    # The end

    def is_met(self, seat: int, objective: str) -> bool:
        towers = [tower for tower in self.towers[seat].values() if tower]
        tops = [tower[-1] for tower in towers]
        stones = sum(len(tower) for tower in towers)
        if objective in TWO_OF:
            return [top.lower() for top in tops].count(TWO_OF[objective]) == 2
        return {
            "ring-only": bool(tops) and all(top.islower() for top in tops),
            "star-only": bool(tops) and all(top.isupper() for top in tops),
            "two-columns": len(towers) == 2,
            "five-columns": len(towers) == 5,
            "three-stones": stones == 3,
            "six-stones": stones == 6,
        }[objective]

    def objective_points(self, seat: int) -> int:
        """The better of its two objectives."""
        worth = {"ring-only": 7, "star-only": 7}
        mine = self.objectives[seat]
        return max(worth.get(name, 5) if self.is_met(seat, name) else 0 for name in mine)

    @property
    def totals(self) -> list[int]:
        return [self.points[seat] + self.objective_points(seat) for seat in range(self.seats)]

    @property
    def winner(self) -> int:
        return self.totals.index(max(self.totals))
