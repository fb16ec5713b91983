"""Makes the golden records of stones, each by itself: ``python -m tests.golden.make_stones NAME``.

Without a name it lists them. A record is told as a `Story`: moves, and the stones that a pick is to
find. As the order of the stacks is free, a stone may be chosen when it is wanted; the story
exchanges it in the setup for one that has not mattered yet, and goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mandalier.games.game import State
from mandalier.games.record import replay
from tests.golden import write

FOLDER = Path(__file__).parent / "stones"
RINGS = "rbyp"
STARS = "RBYP"
STONES = RINGS + STARS
SIDES = "NESW"
AROUND = {
    "a1": (1, 5, 8, 4),
    "b1": (2, 6, 9, 5),
    "c1": (3, 7, 10, 6),
    "a2": (8, 12, 15, 11),
    "b2": (9, 13, 16, 12),
    "c2": (10, 14, 17, 13),
    "a3": (15, 19, 22, 18),
    "b3": (16, 20, 23, 19),
    "c3": (17, 21, 24, 20),
}
"""The stacks around each circle, N E S W, as the rules list them."""
OBJECTIVES = (
    ("two-red", "two-blue"),
    ("two-yellow", "two-purple"),
    ("three-stones", "six-stones"),
    ("two-columns", "five-columns"),
)

STORIES: dict[str, Callable[[], Story]] = {}
"""The maker of each record, by its name."""


def record_of(name: str) -> dict[str, Any]:
    """The golden record of this name, made anew."""
    return STORIES[name]().record


def golden(maker: Callable[[], Story]) -> Callable[[], Story]:
    """Name a record as its maker, with dashes."""
    STORIES[maker.__name__.replace("_", "-")] = maker
    return maker


class Failed(Exception):
    """This is no way to tell the story."""


class Story:
    """A game whose stacks are put in order as it goes."""

    state: State

    def __init__(
        self,
        seats: int = 2,
        artists: str = "ring star star ring",
        objectives: tuple[tuple[str, str], ...] = OBJECTIVES,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        bag = list(STONES * 12)
        random.Random(1).shuffle(bag)
        self.stacks = [bag[i : i + 4] for i in range(0, 96, 4)]
        self.settled: set[tuple[int, int]] = set()  # stack and height of stones that mattered
        self.chooser = random.Random(0)
        self.form = {
            "mandalier": 1,
            "game": "stones",
            "rules": 1,
            "seats": seats,
            "options": {"data": data} if data else {},
        }
        self.setup = {
            "artists": dict(zip(("b1", "a2", "c2", "b3"), artists.split(), strict=True)),
            "objectives": [list(pair) for pair in objectives[:seats]],
        }
        self.tell_again([])

    def tell_again(self, moves: list[str] | None = None) -> None:
        setup = {"stacks": ["".join(stack) for stack in self.stacks], **self.setup}
        if moves is None:
            moves = list(self.state.log)
        self.state = replay({**self.form, "setup": setup, "moves": moves}, len(moves))

    @property
    def record(self) -> dict[str, Any]:
        return self.state.record()

    @property
    def seen(self) -> dict[str, Any]:
        return self.state.view().describe()

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self.state.waiting[0]

    @property
    def towers(self) -> list[str]:
        """The towers of the seat to move."""
        found: list[str] = self.seen["seats"][self.seat]["towers"]
        return found

    # Which stones lie where

    def heights(self) -> list[int]:
        return heights_of(self.state)

    def open_around(self, here: str, there: str) -> list[int]:
        """The stacks around `there` with a stone that no other artist than the one on `here` bars,
        clockwise from the north."""
        barred = {n for other in self.seen["artists"] if other != here for n in AROUND[other]}
        heights = self.heights()
        return [n for n in AROUND[there] if n not in barred and heights[n - 1]]

    def want(self, stack: int, stones: str, height: int | None = None) -> None:
        """Have one of these stones on top of a stack, or at this height of it (1 … 4)."""
        at = (stack - 1, (height or self.heights()[stack - 1]) - 1)
        if self._stone(at) not in stones:
            assert at not in self.settled, f"the stone on stack {stack} has mattered already"
            other = next(
                (i, k)
                for k in range(4)
                for i in reversed(range(24))
                if (i, k) not in self.settled and self._stone((i, k)) in stones
            )
            here, there = self._stone(at), self._stone(other)
            self.stacks[at[0]][at[1]], self.stacks[other[0]][other[1]] = there, here
            self.tell_again()
        self.settled.add(at)

    def _stone(self, at: tuple[int, int]) -> str:
        return self.stacks[at[0]][at[1]]

    # Moves

    def play(self, move: str, tower: str = "") -> None:
        """A move; a pick may say the tower it is to make. Open stacks it leaves are to show the
        other pattern."""
        if "-" in move:
            way, side, _ = move.split()
            here, there = way.split("-")
            stacks = self.open_around(here, there)
            start = AROUND[there][SIDES.index(side)]
            stacks = stacks[stacks.index(start) :] + stacks[: stacks.index(start)]
            mine, others = self._patterns(here)
            wanted = list(tower)
            for n in stacks:
                if not tower:
                    self.settled.add((n - 1, self.heights()[n - 1] - 1))
                else:
                    self.want(n, wanted.pop(0) if wanted else others)
            assert set(tower) <= set(mine)
        self.state.move(move)
        if tower:
            assert tower in self.seen["seats"][self._moved]["towers"]

    @property
    def _moved(self) -> int:
        return int(self.state.log[-1][0])

    def _patterns(self, circle: str) -> tuple[str, str]:
        """The stones of the pattern of the artist on a circle, and the others."""
        is_ring = self.seen["artists"][circle] == "ring"
        return (RINGS, STARS) if is_ring else (STARS, RINGS)

    def tell(self, *moves: str) -> Story:
        """Some moves, as "tops 1" or, with the tower a pick makes, "b1-a1 N 3:rb"."""
        for move in moves:
            text, _, tower = move.partition(":")
            self.play(text, tower)
        return self

    def ways(self) -> list[tuple[str, str]]:
        """Every artist to every empty circle, in random order."""
        artists = self.seen["artists"]
        ways = [(here, there) for here in artists for there in AROUND if there not in artists]
        self.chooser.shuffle(ways)
        return ways

    def take(self, tower: str, column: int) -> Story:
        """A pick that makes this tower, by the first artist that can."""
        for here, there in self.ways():
            stacks = self.open_around(here, there)
            mine, others = self._patterns(here)
            if len(stacks) < len(tower) or tower[0] not in mine:
                continue
            for i in range(len(stacks)):
                wishes = [*tower, *[others] * (len(stacks) - len(tower))]
                turned = stacks[i:] + stacks[:i]
                if self._may_have(dict(zip(turned, wishes, strict=True))):
                    side = SIDES[AROUND[there].index(turned[0])]
                    self.play(f"{here}-{there} {side} {column}", tower)
                    return self
        raise Failed(f"nobody can make the tower {tower} here")

    def _may_have(self, wishes: Mapping[int, str]) -> bool:
        heights = self.heights()
        tops = {n: (n - 1, heights[n - 1] - 1) for n in wishes}
        return all(at not in self.settled or self._stone(at) in wishes[n] for n, at in tops.items())

    def idle(self) -> Story:
        """A pick of one stone."""
        for here, there in self.ways():
            mine, others = self._patterns(here)
            stacks = self.open_around(here, there)
            for i in range(len(stacks)):
                turned = stacks[i:] + stacks[:i]
                wishes = dict(zip(turned, [mine] + [others] * 3, strict=False))
                if self._may_have(wishes) and "" in self.towers:
                    for n, stones in wishes.items():
                        self.want(n, stones)
                    side = SIDES[AROUND[there].index(turned[0])]
                    self.play(f"{here}-{there} {side} {self.towers.index('') + 1}")
                    return self
        raise Failed("nobody can pick one stone here")

    def build(self, *towers: str) -> Story:
        """Towers for the seat to move, on columns 1, 2, …; the other seats idle. A way is found
        by trying."""
        return self._try(lambda: self._build(self.seat, towers))

    def _build(self, builder: int, towers: tuple[str, ...]) -> None:
        for column, tower in enumerate(towers, 1):
            if tower:
                self.until(builder)
                self.take(tower, column)

    def _try(self, work: Callable[[], None]) -> Story:
        """Do some work, again and again until it comes to its end."""
        moves, settled = list(self.state.log), set(self.settled)
        stacks = [list(stack) for stack in self.stacks]
        for seed in range(200):
            self.chooser.seed(seed)
            try:
                work()
                return self
            except Failed:
                self.settled = set(settled)
                self.stacks = [list(stack) for stack in stacks]
                self.tell_again(moves)
        raise Failed("no way was found")

    def until(self, seat: int) -> Story:
        """The other seats idle until it is the turn of this one."""
        while self.seat != seat:
            self.idle()
        return self

    def lay(self, count: int, then: int | None = 0) -> Story:
        """Play until so many stones are laid, no tower stands and it is the turn of a seat (of
        any, if it does not matter): a way is found by trying."""
        return self._try(lambda: self._lay(count, then))

    def _lay(self, count: int, then: int | None) -> None:
        while (laid := self.state.look().laid_n) < count:
            left = sum(self.heights())
            used = [str(i) for i, tower in enumerate(self.towers, 1) if tower]
            if used and (self.chooser.random() < 0.6 or 96 - left == count):
                self.play("tops " + "".join(used))
            else:
                self._pick_any(left - 96 + count)
        if then not in (None, self.seat) or laid + sum(self.heights()) != 96:
            raise Failed("somebody has a tower, or it is another seat's turn")

    def _pick_any(self, most: int) -> None:
        """A pick of so many stones at most, wherever it may be."""
        picks = [move for move in self.state.legal() if "-" in move]
        self.chooser.shuffle(picks)
        left = sum(self.heights())
        for move in picks:
            trial = self.state.copy()
            trial.move(move)
            if left - sum(heights_of(trial)) <= most:
                self.play(move)
                return
        raise Failed("there is no such pick")

    def fill_all(self) -> Story:
        """Picks by turns until all boards are full."""
        return self._try(self._fill_all)

    def _fill_all(self) -> None:
        while "" in self.towers:
            self._pick_any(2)


def heights_of(state: State) -> list[int]:
    """How many stones each stack has: four bits each."""
    return [(pile.bit_length() + 3) // 4 for pile in state.look().stack]


# Picks -----------------------------------------------------------------------------------------


@golden
def setup_lays_stacks_artists_and_objectives() -> Story:
    return Story(3, "star ring star ring")


@golden
def pick_takes_all_that_is_given_clockwise_from_the_first() -> Story:
    """After a2 is free, a1 gives four stones to the artist from b1."""
    return Story().tell("a2-c3 E 1:R", "b1-a1 S 3:ybpr")


@golden
def pick_leaves_a_stack_beside_another_artist() -> Story:
    """Stack 8 touches the artist on a2, though it shows a ring as well."""
    story = Story()
    story.want(8, RINGS)
    return story.tell("b1-a1 W 2:yrb")


@golden
def pick_leaves_a_stone_of_the_other_pattern() -> Story:
    """Stack 5, on the east, shows a star: the ring artist takes west and north only."""
    return Story().tell("b1-a1 W 2:yr")


@golden
def pick_of_one_stone_has_one_start() -> Story:
    return Story().tell("b1-b2 N 5:p")


@golden
def pick_is_not_barred_by_the_moving_artist() -> Story:
    """Stack 5 touches b1, which the artist leaves for a1."""
    return Story().tell("b1-a1 E 4:ryb")


@golden
def pick_takes_only_the_top_of_each_stack() -> Story:
    """The ring under a ring that is taken stays, until it is taken itself."""
    story = Story()
    story.want(1, "y", height=3)
    return story.tell("b1-a1 N 1:r", "a1-c1 N 1:b", "c1-a1 N 2:y")


@golden
def pick_needs_an_empty_column() -> Story:
    return Story().build("r", "b", "Y", "p", "R").until(0)


@golden
def pick_or_score_is_free_to_choose() -> Story:
    return Story().build("r", "R").until(0)


# No pick ---------------------------------------------------------------------------------------


class Emptying(Story):
    """Three artists go to corners, where they bar all stacks around them. The fourth, a ring
    artist, empties the eight stacks between, two at a time. When it goes to the last corner, no
    pick is left: what the corners share with other circles shows what they do not take.
    """

    CORNERS = ("b1-a1 N", "a2-a3 S", "c2-c1 N")
    ROUND = ("b3-b1 N", "b1-a2 W", "a2-c2 E", "c2-b3 S")

    def __init__(self) -> None:
        super().__init__()
        for stack in (2, 9, 11, 12, 13, 14, 16, 23):
            for height in range(1, 5):
                self.want(stack, RINGS, height)
        for stack in (1, 4, 21, 24, 6, 10, 15, 19):
            self.want(stack, RINGS)
        for stack in (3, 7, 18, 22, 5, 8, 17, 20):
            self.want(stack, STARS)
        for way in self.CORNERS + self.ROUND * 4:
            while "" not in self.towers:
                self.lay_tops()
            self.pick(way)

    def pick(self, way: str) -> None:
        """Go on to the leftmost empty column."""
        self.play(f"{way} {self.towers.index('') + 1}")

    def lay_tops(self, count: int = 5) -> None:
        """Lay the tops of so many towers, from the left."""
        used = [str(i) for i, tower in enumerate(self.towers, 1) if tower]
        self.play("tops " + "".join(used[:count]))

    def left(self, seat: int) -> int:
        """How many stones stand on a board."""
        return sum(map(len, self.seen["seats"][seat]["towers"]))


@golden
def stuck_at_the_beginning_of_a_turn() -> Story:
    """Seat 1 has laid all its stones when seat 0 makes the last pick there is."""
    story = Emptying()
    while story.seat != 0 or story.left(1):
        story.lay_tops(2 if story.seat else 1)
    story.pick("b3-c3 E")
    return story


@golden
def no_pick_is_possible_so_a_seat_has_to_score() -> Story:
    """As before, but seat 1 still has stones, and empty columns."""
    story = Emptying()
    while story.seat != 0 or story.left(1) > 2:
        story.lay_tops(2 if story.seat else 1)
    story.pick("b3-c3 E")
    return story


@golden
def stuck_in_the_last_round() -> Story:
    """Seat 1 lays its last stones. Then seat 0 covers the hand space, so the round would be
    finished; but seat 1 can do nothing."""
    story = Emptying()
    story.pick("b3-c3 E")
    for count in (5, 5, 1, 5, 5):
        story.lay_tops(count)
    return story


# Scores ----------------------------------------------------------------------------------------

WORKED = ("p", "rb", "rby", "ybp", "rbyp")
"""The worked check: heights 1, 2, 3, 3, 4, purple on top of columns 1, 4 and 5."""


@golden
def worked_check_4_4_5_is_13() -> Story:
    return Story().build(*WORKED).until(0).tell("score p")


@golden
def worked_check_second_stone_covers_plus_two_is_15() -> Story:
    return Story().lay(11).build(*WORKED).until(0).tell("score p")


@golden
def score_counts_an_empty_column_as_a_height() -> Story:
    """Heights 1, 2, 2 and two empty columns: three of them."""
    return Story().build("p", "", "rp", "rb").until(0).tell("score p")


@golden
def score_takes_heights_as_they_stand_before_anything_is_removed() -> Story:
    """Every height 1: one height on column 1, and 4, 1, 1 and 2 for the others."""
    return Story().build("p", "P", "p", "p", "P").until(0).tell("score p")


@golden
def score_needs_two_towers_of_the_colour() -> Story:
    return Story().build("p", "rb", "B").until(0)


@golden
def score_takes_every_tower_of_the_colour_of_either_pattern() -> Story:
    return Story().build("rb", "YB", "", "b", "y").until(0).tell("score b")


@golden
def score_columns_2_3_4_by_height_1() -> Story:
    return Story().build("", "y", "Y", "y").until(0).tell("score y")


@golden
def score_columns_2_3_4_by_height_2() -> Story:
    return Story().build("", "ry", "RY", "by").until(0).tell("score y")


@golden
def score_columns_2_3_4_by_height_3() -> Story:
    return Story().build("", "rry", "ryy", "bby").until(0).tell("score y")


@golden
def score_column_2_by_height_4() -> Story:
    return Story().build("r", "bbpy", "y").until(0).tell("score y")


@golden
def score_column_3_by_height_4() -> Story:
    return Story().build("", "y", "bbpy").until(0).tell("score y")


@golden
def score_column_4_by_height_4() -> Story:
    return Story().build("", "y", "", "bbpy").until(0).tell("score y")


@golden
def score_column_5_counts_colours_not_stones() -> Story:
    """Four stones of two colours: 2 + 1, beside a column 4 of height 1."""
    return Story().build("", "", "", "r", "brbr").until(0).tell("score r")


@golden
def tops_one_point_each_of_any_colour() -> Story:
    """The worked check of three towers; ring and star, three colours, any heights."""
    return Story().build("p", "yr", "B", "ry").until(0).tell("tops 134")


@golden
def tops_may_leave_towers_that_could_be_laid() -> Story:
    return Story().build("rp", "p", "BP").until(0).tell("tops 1")


# The mandala -----------------------------------------------------------------------------------


@golden
def stones_are_laid_from_left_to_right() -> Story:
    return Story().build("p", "rb", "", "by", "R").until(0).tell("tops 1245")


@golden
def order_changes_the_picture_and_no_score() -> Story:
    """The top of column 5 is a star. Space 6 gives a point whichever stone covers it."""
    return Story().lay(4).build(*WORKED[:4], "RBYP").until(0).tell("score p > 5 1 4")


@golden
def order_of_tops() -> Story:
    return Story().build("p", "rb", "", "by", "R").until(0).tell("tops 145 > 4 5 1")


@golden
def plus_space_gives_points_for_tops_as_well() -> Story:
    return Story().lay(5).build("p", "rb").until(0).tell("tops 12")


@golden
def plus_spaces_give_points_each() -> Story:
    """House data: three spaces in a row with 20 points, so the track is passed (50s and rest)."""
    twenty: dict[str, Any] = {"points": 20, "source": "house"}
    story = Story(data={"plus": {str(space): twenty for space in (1, 2, 3)}})
    return story.build("p", "rb", "B").until(0).tell("tops 123")


@golden
def stones_beyond_the_last_space_are_set_aside() -> Story:
    """All four seats have five towers and 46 stones are laid. The third seat lays the last."""
    story = Story(seats=4).lay(46).fill_all()
    return story.tell(*["tops 12345"] * 4)


@golden
def r1_fewer_hands_than_seats_are_plain() -> Story:
    """Three seats cover space 40, with two hands."""
    return Story(seats=3).lay(38).build("p", "rb").until(0).tell("tops 12")


def hands(two: int, three: int = 48, four: int = 56) -> dict[str, Any]:
    """House data with hands on these spaces."""
    spaces = {"2": two, "3": three, "4": four}
    return {"hands": {n: {"space": space, "source": "house"} for n, space in spaces.items()}}


@golden
def r1_more_hands_than_seats_are_plain() -> Story:
    """House data: four hands on space 1, three on space 2; two seats cover both."""
    return Story(data=hands(40, 2, 1)).build("p", "rb").until(0).tell("tops 12")


# The end ---------------------------------------------------------------------------------------


@golden
def end_first_seat_covers_the_hands_and_the_round_is_finished() -> Story:
    story = Story().lay(38).build("p", "rb").until(0).tell("tops 12")
    return story.tell(story.state.legal()[0])


@golden
def end_last_seat_covers_the_hands_and_the_game_is_over() -> Story:
    return Story().lay(38).build("p", "rb").until(0).idle().tell("tops 12")


@golden
def end_three_seats_the_middle_one_covers_the_hands() -> Story:
    story = Story(seats=3).lay(46, then=1).build("p", "rb").until(1).tell("tops 12")
    return story.tell(story.state.legal()[0])


@golden
def end_four_seats_cover_space_56() -> Story:
    """Seat 1 covers it."""
    story = Story(seats=4).lay(54, then=None).build("p", "b", "y").until(1).tell("tops 12")
    while not story.state.over:
        story.tell(story.state.legal()[0])
    return story


# Objectives ------------------------------------------------------------------------------------
# House data brings the last round with the first stone laid, so that any board can be the last.

MET = {
    "ring-only": ("r", "by"),
    "star-only": ("R", "BY"),
    "two-red": ("r", "BR", "ry"),
    "two-blue": ("b", "YB", "by"),
    "two-yellow": ("y", "BY", "yr"),
    "two-purple": ("p", "BP", "py"),
    "two-columns": ("ry", "B"),
    "five-columns": ("r", "b", "Y", "p", "R"),
    "three-stones": ("ry", "B"),
    "six-stones": ("ryb", "BP", "y"),
}
"""A board on which each objective is met."""
NEARLY = {
    "ring-only": ("r", "by", "P"),
    "star-only": ("R", "BY", "p"),
    "two-red": ("r", "BR", "yr"),
    "two-blue": ("b", "yb", "YB"),
    "two-yellow": ("y", "ry", "BY"),
    "two-purple": ("py", "P"),
    "two-columns": ("ry", "B", "p"),
    "five-columns": ("r", "b", "Y", "p"),
    "three-stones": ("ry", "BR"),
    "six-stones": ("ryb", "BP"),
}
"""A board on which it is missed, mostly by one tower or stone."""


def last_board(*towers: str, mine: tuple[str, str], data: Mapping[str, Any] | None = None) -> Story:
    """Seat 0 has these towers and objectives when seat 1 lays the first stone, and it is over."""
    others = tuple(name for name in MET if name not in mine)
    objectives = (mine, (others[0], others[-1]))
    story = Story(objectives=objectives, data={**hands(1), **(data or {})})
    return story.build(*towers).until(1).tell("tops 1")


def beside(name: str) -> tuple[str, str]:
    """An objective, and one that is missed whenever it is looked at here."""
    return (name, "two-columns" if name == "five-columns" else "five-columns")


def add_objectives() -> None:
    """Every objective, met and missed."""
    for ending, boards in (("met", MET), ("unmet", NEARLY)):
        for name, towers in boards.items():
            maker = partial(last_board, *towers, mine=beside(name))
            STORIES[f"objective-{name}-{ending}"] = maker


add_objectives()


@golden
def objective_ring_only_needs_a_tower() -> Story:
    story = Story(objectives=(("ring-only", "five-columns"), OBJECTIVES[0]), data=hands(1))
    return story.tell("b1-a1 N 1:r").idle().tell("tops 1", "tops 1")


@golden
def objective_star_only_needs_a_tower() -> Story:
    story = Story(objectives=(("star-only", "five-columns"), OBJECTIVES[0]), data=hands(1))
    return story.tell("b1-a1 N 1:r").idle().tell("tops 1", "tops 1")


@golden
def objective_looks_at_the_tops_only() -> Story:
    """Towers are of one pattern, so a top tells it; but red stones lie under other tops."""
    return last_board("r", "RB", "ry", "ryp", mine=("two-red", "five-columns"))


@golden
def objective_the_better_of_two_counts() -> Story:
    """Rings only, for 7, and two columns, for 5."""
    return last_board("ry", "b", mine=("two-columns", "ring-only"))


@golden
def objective_the_only_one_met_counts() -> Story:
    """The first would be worth 7."""
    return last_board("ry", "B", mine=("ring-only", "two-columns"))


@golden
def objective_worth_by_house_data() -> Story:
    worth = {name: {"points": 7 if "only" in name else 5, "source": "house"} for name in MET}
    worth["two-columns"]["points"] = 11
    return last_board("ry", "b", mine=("ring-only", "two-columns"), data={"objectives": worth})


@golden
def objectives_count_when_a_seat_is_stuck() -> Story:
    """Seat 0 has three towers with rings on top when seat 1 is stuck."""
    story = Emptying()
    story.setup["objectives"] = [["ring-only", "five-columns"], ["star-only", "six-stones"]]
    story.tell_again()
    while story.seat != 0 or story.left(1):
        story.lay_tops(2 if story.seat else 1)
    story.pick("b3-c3 E")
    return story


# Ties ------------------------------------------------------------------------------------------


@golden
def tie_goes_to_the_earlier_seat() -> Story:
    """One point each, and no objective."""
    return Story(data=hands(1)).build("r").idle().tell("tops 1", "tops 1")


@golden
def tie_goes_to_the_earlier_of_the_seats_that_tie() -> Story:
    story = Story(seats=3, data=hands(40, three=1))
    return story.build("r").idle().idle().idle().tell("tops 1", "tops 1")


@golden
def tie_may_come_about_by_an_objective() -> Story:
    """Seat 0 lays one stone and has an objective for 5; seat 1 lays five, the last on a +1."""
    story = Story(objectives=(("two-red", "six-stones"), OBJECTIVES[1]), data=hands(6))
    return story.build("r", "R", "y", "b", "p").idle().tell("tops 3", "tops 12345")


if __name__ == "__main__":
    write(FOLDER, STORIES, record_of)
