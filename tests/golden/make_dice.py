"""Makes the golden records of dice, each by itself: ``python -m tests.golden.make_dice NAME``.

Without a name it lists them. A record lays the cards it is about where it needs them; the rest of
the grid is filled with the other canvases in their order. Where dice land is told, not simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mandalier.games.game import State
from mandalier.games.record import replay
from tests.golden import write

FOLDER = Path(__file__).parent / "dice"
SHAPES = {2: (5, 5), 3: (6, 5), 4: (6, 6)}
CARD = 780
OUT = "out"
"""A landing outside, free."""
GESTURES = {
    "L": "throw L 0 800 0",
    "R": "throw R 0 800 0",
    "B": "throw B 0 800 0",
    "D": "throw D 390 390",
    "F": "throw F 390 0 1500",
}

STORIES: dict[str, Callable[[], Story]] = {}
"""The maker of each record, by its name."""


def record_of(name: str) -> dict[str, Any]:
    """The golden record of this name, made anew."""
    return STORIES[name]().state.record()


def golden(maker: Callable[[], Story]) -> Callable[[], Story]:
    """Name a record as its maker, with dashes."""
    STORIES[maker.__name__.replace("_", "-")] = maker
    return maker


def grid_with(seats: int, given: Mapping[str, int]) -> list[list[int]]:
    """A grid with these canvases at these cells."""
    columns, rows = SHAPES[seats]
    rest = [card for card in range(1, 37) if card not in given.values()]
    names = [[f"{'abcdef'[column]}{row + 1}" for column in range(columns)] for row in range(rows)]
    return [[given[name] if name in given else rest.pop(0) for name in row] for row in names]


def middle(cell: str) -> tuple[int, int]:
    """The middle of a cell, in tenths of a millimetre."""
    column, row = "abcdef".index(cell[0]), int(cell[1]) - 1
    return column * CARD + CARD // 2, row * CARD + CARD // 2


class Story:
    """A game that is told: who throws and who collects follows from the rules."""

    def __init__(self, given: Mapping[str, int] | None = None, seats: int = 2) -> None:
        grid = grid_with(seats, given or {})
        form = {"mandalier": 1, "game": "dice", "rules": 1, "seats": seats, "options": {}}
        self.state: State = replay({**form, "setup": {"grid": grid}, "moves": []})

    @property
    def seat(self) -> int:
        return self.state.waiting[0]

    def ready(self, *icons: str) -> Story:
        """Each seat prepares these icons (the same for all if only one text is given)."""
        for seat in range(self.state.seats):
            self.state.move(f"ready {icons[seat % len(icons)]}", seat)
        return self

    def throw(self, *landings: str) -> Story:
        """The seats throw in turn, by the first icon each has left. A landing is "c3 5" (the
        middle of a cell, and a face), OUT (and the second throw is left), or an outcome after
        ``land``, with ? for the die."""
        for landing in landings:
            seat = self.seat
            told = self.state.view().describe()["seats"][seat]
            left = [icon for icon in told["prepared"] if icon not in told["used"]]
            self.fly(GESTURES[left[0]], landing)
            if landing == OUT:
                self.state.move("leave", seat)
        return self

    def fly(self, move: str, landing: str) -> Story:
        """The throw of a move lands."""
        self.state.move(move)
        throwing = self.state.view().describe()["throw"]
        die = f"{throwing['seat']}.{throwing['die']}"
        if landing == OUT:
            landing = "free ? -500 -500 0 1"
        elif landing[0] in "abcdef" and landing[1].isdigit():
            cell, _, face = landing.partition(" ")
            x, y = middle(cell)
            landing = f"free ? {x} {y} 0 {face}"
        self.state.roll("land " + landing.replace("?", die))
        return self

    def play(self, *moves: str) -> Story:
        """The seat to move plays these moves."""
        for move in moves:
            self.state.move(move, self.seat)
        return self

    def done(self) -> Story:
        """All who have yet to collect say that they are done."""
        while self.state.legal(self.seat)[-1] == "done":
            self.play("done")
        return self

    def round(self, takes: Mapping[int, tuple[str, ...]] | None = None) -> Story:
        """A whole round in which each seat takes these cells with a six each, in the middle."""
        wanted = {seat: list((takes or {}).get(seat, ())) for seat in range(self.state.seats)}
        collected = {seat: list(cells) for seat, cells in wanted.items()}
        self.ready("LRBDF"[: self.state.view().describe()["round"] + 1])
        while self.state.view().describe()["phase"] == "strokes":
            cells = wanted[self.seat]
            self.throw(f"{cells.pop(0)} 6" if cells else OUT)
        while self.state.view().describe()["phase"] == "collect":
            for number, cell in enumerate(collected[self.seat], 1):
                self.play(f"take {cell} {number}")
            self.play("done")
        return self

    def keep(self, pictures: Mapping[int, tuple[int, ...]]) -> Story:
        """Each seat keeps these cards."""
        for seat, cards in pictures.items():
            for card in cards:
                self.state.move(f"keep {card}", seat)
        return self


# Setup and preparing ---------------------------------------------------------------------------


@golden
def setup_two_seats_five_by_five() -> Story:
    return Story()


@golden
def setup_three_seats_six_wide_by_five() -> Story:
    return Story(seats=3)


@golden
def setup_four_seats_six_by_six() -> Story:
    return Story(seats=4)


@golden
def prepare_different_icons_one_more_than_the_round() -> Story:
    return Story().round().round().ready("LRBD", "RBDF")


@golden
def prepare_is_shown_when_all_have_chosen() -> Story:
    return Story(seats=3).ready("LD", "BF", "DF")


@golden
def prepare_in_round_four_all_five_is_a_move_too() -> Story:
    return Story().round().round().round().ready("LRBDF")


@golden
def first_player_is_the_next_seat_each_round() -> Story:
    return Story(seats=3).round().round().round().round()


# Strokes ---------------------------------------------------------------------------------------


@golden
def strokes_one_die_each_in_turn_order() -> Story:
    return Story(seats=3).round().ready("LDF").throw(*["a1 1", "b1 1", "c1 1"] * 3)


@golden
def strokes_by_any_of_the_icons_left() -> Story:
    return Story().ready("LD").fly("throw D 1950 1170", "c2 4").throw("a1 1").throw("b1 1")


@golden
def inside_a_die_stays_be_there_a_gap_or_a_card() -> Story:
    return Story({"a1": 1}).round({0: ("a1",)}).ready("LDF").throw("a1 3", "b2 4")


@golden
def outside_free_the_same_die_is_thrown_the_same_way_once_more() -> Story:
    story = Story().ready("LD").fly("throw L 0 800 0", OUT).play("again")
    return story.fly("throw L 50 700 0", "c3 5").throw("a1 1")


@golden
def outside_again_the_second_result_stands() -> Story:
    story = Story().ready("LD").fly("throw L 0 800 0", OUT).play("again")
    return story.fly("throw L 0 800 0", OUT)


@golden
def outside_left_the_die_is_lost() -> Story:
    return Story().ready("LD").throw(OUT)


@golden
def outside_after_a_hit_there_is_no_second_throw() -> Story:
    return Story().ready("LD").throw("c3 5", "hit ? 1950 -20 0 2; 0.1 2100 1950 10 4")


@golden
def hit_dice_stay_where_they_come_to_rest_with_the_face_they_show() -> Story:
    return Story().ready("LD").throw("c3 5", "hit ? 1950 2000 450 6; 0.1 2750 1170 3500 2")


@golden
def hit_dice_that_go_outside_are_lost_for_the_round() -> Story:
    return Story().ready("LD").throw("c3 5", "hit ? 1950 1950 0 6; 0.1 3901 1950 0 2")


@golden
def hit_by_a_second_throw_too() -> Story:
    story = Story().ready("LD").throw("c3 5").fly("throw L 0 800 0", OUT).play("again")
    return story.fly("throw L 0 800 0", "hit ? 500 500 0 6; 0.1 -10 1950 0 2")


@golden
def r1_inside_is_the_centre_in_the_rectangle_with_its_border() -> Story:
    """On the corner, on the far corner; a step outside, and a step outside below."""
    story = Story().ready("LD").throw("free ? 0 0 300 2", "free ? 3900 3900 0 3")
    return story.throw("free ? -1 500 0 6").play("leave").throw("free ? 500 3901 0 6")


@golden
def r1_a_lost_die_can_be_neither_hit_nor_used() -> Story:
    return Story().ready("LD").throw(OUT, "c3 1", "a1 6", "b1 6")


@golden
def r2_a_touch_needs_more_than_one_square_millimetre() -> Story:
    """10 by 10 tenths of a corner on a1, then 11 by 10."""
    return Story().ready("LD").throw("free ? 850 850 0 1", "free ? 849 850 0 1")


@golden
def r2_the_footprint_is_turned_by_the_yaw() -> Story:
    """Left of b1 by 90: level it does not reach it, turned by 45° its corner does."""
    return Story().ready("LD").throw("free ? 690 390 0 1", "free ? 690 390 450 1")


@golden
def r3_every_die_of_an_outcome_lies_on_a_face() -> Story:
    return Story().ready("LD").throw("c3 5", "hit ? 1950 2120 0 1; 0.1 1950 1950 0 6")


# Collecting ------------------------------------------------------------------------------------


@golden
def collect_from_the_first_player_in_turn_order() -> Story:
    return Story(seats=3).round().ready("LDF").throw(*[OUT] * 9).done()


@golden
def collect_a_die_that_reaches_the_value_takes_the_card() -> Story:
    """A 4 takes a card worth 4 and leaves a gap."""
    return Story({"c3": 19}).ready("LD").throw("c3 4", OUT, OUT, OUT).play("take c3 1", "done")


@golden
def collect_faces_add_up() -> Story:
    """3 and 4 take a card worth 7, which neither could."""
    story = Story({"c3": 36}).ready("LD")
    return story.throw("c3 3", OUT, "free ? 1750 1750 0 4", OUT).play("take c3 12", "done")


@golden
def collect_a_boost_fills_the_place() -> Story:
    """A 3 and blank 38 (worth 2) take a card worth 5."""
    story = Story({"c3": 25}).ready("LD").throw("c3 3", OUT, OUT, OUT)
    return story.play("take c3 1 +38", "done")


@golden
def collect_a_canvas_may_boost_and_a_card_taken_a_moment_ago() -> Story:
    story = Story({"a1": 13, "c3": 29}).ready("LD").throw("a1 3", OUT, "c3 2", OUT)
    return story.play("take a1 1", "take c3 2 +13", "done")


@golden
def collect_a_boost_only_if_the_dice_alone_do_not_reach() -> Story:
    return Story({"c3": 13}).ready("LD").throw("c3 3", OUT, OUT, OUT)


@golden
def collect_with_more_dice_than_needed() -> Story:
    story = Story({"c3": 13}).ready("LD").throw("c3 3", OUT, "free ? 1750 1750 0 6", OUT)
    return story.play("take c3 12")


@golden
def collect_a_die_on_several_cards_takes_one_of_them() -> Story:
    """A die on the corner of four cards; used, it leaves the table."""
    story = Story({"b2": 13, "c2": 14, "b3": 15, "c3": 16}).ready("LD")
    return story.throw("free ? 1560 1560 0 3", OUT, OUT, OUT).play("take c2 1")


@golden
def collect_dice_of_one_take_all_touch_the_card() -> Story:
    return Story({"c3": 36}).ready("LD").throw("c3 3", OUT, "d3 4", OUT)


@golden
def contests_the_highest_sum_has_priority() -> Story:
    """Seat 0 shows 4 on c3, seat 1 shows 2 and 3."""
    story = Story({"c3": 13}).ready("LD")
    return story.throw("c3 4", "free ? 1750 1750 0 2", OUT, "free ? 2150 2150 0 3").play("done")


@golden
def contests_a_tie_goes_to_the_earlier_seat_of_this_round() -> Story:
    """In round 2 seat 1 comes first: 4 against 4."""
    story = Story({"c3": 13}).round().ready("LDF")
    return story.throw("c3 4", "free ? 1750 1750 0 4", *[OUT] * 4)


@golden
def contests_boosts_do_not_count() -> Story:
    """3 with a boost of 3 against 4: the card stays with the 4."""
    story = Story({"c3": 22}).ready("LD")
    return story.throw("c3 3", "free ? 1750 1750 0 4", OUT, OUT).play("done", "take c3 1")


@golden
def contests_used_dice_no_longer_count() -> Story:
    """Seat 0's 3 and 2 beat the 4 on c3; once the 2 has gone to d3, the 3 does not."""
    story = Story({"c3": 13, "d3": 7}).ready("LD")
    story.throw("c3 3", "free ? 1750 1750 0 4", "free ? 2340 1950 0 2", OUT)
    return story.play("take d3 2")


@golden
def r4_a_boosting_card_is_an_ordinary_card_at_once() -> Story:
    """Seat 0 boosts with blank 37; its other die shows less than seat 1's, which takes it."""
    story = Story({"c3": 13}).ready("LD")
    story.throw("c3 2", "free ? 1750 1750 0 2", "free ? 2150 2150 0 1", OUT)
    return story.play("take c3 1 +37", "done", "take c3 1", "done")


@golden
def r5_priority_is_compared_seat_by_seat() -> Story:
    """4 against 3 and 3: the two do not add up."""
    story = Story({"c3": 13}, seats=3).ready("LD")
    story.throw("c3 4", "free ? 1750 1750 0 3", "free ? 2150 2150 0 3", OUT, OUT, OUT)
    return story.play("take c3 1")


@golden
def r5_priority_holds_though_the_other_could_not_take_the_card() -> Story:
    """2 against 3 on a card worth 7, which 3 and a blank do not reach, but 2 and a 6 do."""
    story = Story({"c3": 34, "a1": 30}).round({1: ("a1",)}).ready("LDF")
    return story.throw("free ? 1750 1750 0 2", "c3 3", *[OUT] * 4)


@golden
def r5_seats_that_are_done_no_longer_count() -> Story:
    """Seat 0 leaves its 6 on c3 and is done: seat 1's 3 may take the card."""
    story = Story({"c3": 13}).ready("LD")
    return story.throw("c3 6", "free ? 1750 1750 0 3", OUT, OUT).play("done", "take c3 1")


@golden
def collect_ends_with_done_also_with_nothing_to_take() -> Story:
    return Story().ready("LD").throw(OUT, OUT, OUT, OUT).play("done", "done")


@golden
def after_a_round_dice_go_back_and_gaps_stay() -> Story:
    story = Story({"c3": 13}).ready("LD").throw("c3 3", "a1 1", OUT, OUT)
    return story.play("take c3 1", "done", "done")


# The exhibition --------------------------------------------------------------------------------


def exhibition(taken: Mapping[int, Mapping[int, tuple[int, ...]]], seats: int = 2) -> Story:
    """A game up to its exhibition; the canvases each seat takes in each round."""
    cards = [card for of in taken.values() for ids in of.values() for card in ids]
    columns, rows = SHAPES[seats]
    names = [f"{'abcdef'[i % columns]}{i // columns + 1}" for i in range(columns * rows)]
    cells = dict(zip(cards, names, strict=False))
    story = Story({name: card for card, name in cells.items()}, seats)
    for number in range(1, 5):
        of = taken.get(number, {})
        story.round({seat: tuple(cells[card] for card in ids) for seat, ids in of.items()})
    return story


@golden
def exhibition_of_the_largest_even_number_not_above_the_smallest_hand() -> Story:
    """Hands of 5 and 8: pictures of 4."""
    return exhibition({1: {0: (1, 2), 1: (3, 4)}, 2: {1: (5, 6, 7)}})


@golden
def exhibition_of_two_cards_at_least() -> Story:
    return exhibition({})


@golden
def exhibition_cards_are_kept_in_ascending_order() -> Story:
    return exhibition({1: {0: (1, 2), 1: (3, 4)}, 2: {0: (13, 19, 25)}}).keep({0: (2, 19, 25)})


@golden
def exhibition_pictures_are_shown_when_all_are_complete() -> Story:
    story = exhibition({1: {0: (1, 2), 1: (3, 4)}})
    return story.keep({1: (3, 4, 41, 42), 0: (1, 2, 38, 39)})


@golden
def score_values_and_masteries() -> Story:
    """Seat 0 has most black (14) and red (12), seat 1 most blue (8) and yellow (10)."""
    story = exhibition({1: {0: (11, 24), 1: (9, 22)}})
    return story.keep({0: (11, 24, 38, 39), 1: (9, 22, 41, 42)})


@golden
def score_a_tie_for_most_gives_the_bonus_to_nobody() -> Story:
    """Both have one black; nobody has yellow; blue and red are single."""
    story = exhibition({1: {0: (24, 21), 1: (29, 23)}})
    return story.keep({0: (21, 24, 38, 39), 1: (23, 29, 41, 42)})


@golden
def score_the_rest_of_the_hand_is_discarded() -> Story:
    story = exhibition({1: {0: (1, 2), 1: (24, 29)}})
    return story.keep({0: (1, 37, 38, 39), 1: (24, 40, 41, 42)})


@golden
def winner_a_tie_goes_to_more_white_blocks() -> Story:
    """6 + 6 and 8 for blue against 7 + 3 and 10 for yellow; 6 white blocks against 8."""
    story = exhibition({1: {0: (31,), 1: (18, 22)}})
    return story.keep({0: (31, 37, 38, 39), 1: (18, 22, 40, 41)})


@golden
def winner_a_further_tie_is_shared() -> Story:
    return exhibition({}).keep({0: (38, 39), 1: (41, 42)})


@golden
def four_seats_play_to_the_end() -> Story:
    taken: dict[int, dict[int, tuple[int, ...]]]
    taken = {1: {0: (30,), 1: (31,), 2: (32,), 3: (33,)}, 4: {2: (25, 26, 27), 3: (28, 29)}}
    pictures = {0: (30, 37, 38, 39), 1: (31, 40, 41, 42), 2: (25, 26, 27, 32), 3: (28, 29, 33, 48)}
    return exhibition(taken, 4).keep(pictures)


if __name__ == "__main__":
    write(FOLDER, STORIES, record_of)
