"""Makes the golden records of sand, each by itself: ``python -m tests.golden.make_sand NAME``.

Without a name it lists them. A record is told as a `Story`: moves, and the cards that are to be
drawn on the way. As the order of a deck is free, a card still to be drawn may be chosen when it is
wanted; the story puts it where it has to be in the setup, or in the last shuffle, and goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mandalier.games.game import deal
from mandalier.games.record import replay
from tests.golden import write

FOLDER = Path(__file__).parent / "sand"
COLOURS = "roygpk"

STORIES: dict[str, Callable[[], Story]] = {}
"""The maker of each record, by its name."""


def record_of(name: str) -> dict[str, Any]:
    """The golden record of this name, made anew."""
    return STORIES[name]().record


def golden(maker: Callable[[], Story]) -> Callable[[], Story]:
    """Name a record as its maker, with dashes."""
    STORIES[maker.__name__.replace("_", "-")] = maker
    return maker


def letters(pile: int) -> str:
    """A pile of the state as letters."""
    return "".join(colour * (pile >> 8 * i & 255) for i, colour in enumerate(COLOURS))


class Story:
    """A game whose deck is put in order as it goes."""

    def __init__(self, mountains: str, hands: tuple[str, str], cups: tuple[str, str]) -> None:
        deck = mountains + "".join(hands) + "".join(cups)
        rest = "".join(colour * (18 - deck.count(colour)) for colour in COLOURS)
        self._start({"deck": deck + rest}, [])

    @classmethod
    def retold(cls, record: dict[str, Any], plies: int) -> Story:
        """The story of a record up to some entry."""
        made = cls.__new__(cls)
        made._start(record["setup"], record["moves"][:plies])
        return made

    def _start(self, setup: dict[str, Any], moves: list[str]) -> None:
        form = {"mandalier": 1, "game": "sand", "rules": 1, "seats": 2, "options": {}}
        self.state = replay({**form, "setup": setup, "moves": moves})

    @property
    def record(self) -> dict[str, Any]:
        return self.state.record()

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self.state.waiting[0]

    def hand(self, seat: int) -> str:
        return letters(self.state.look().hand[seat])

    def left(self) -> str:
        """The deck, its top first."""
        s = self.state.look()
        return "".join(COLOURS[card] for card in reversed(s.deck[: s.deck_n]))

    def stack(self, wanted: str) -> None:
        """Have these cards on top of the deck."""
        left = self.left()
        if left.startswith(wanted):
            return
        rest = list(left)
        for card in wanted:
            rest.remove(card)
        stacked = wanted + "".join(rest)
        setup, moves = self.record["setup"], self.record["moves"]
        shuffles = [ply for ply, entry in enumerate(moves) if entry.startswith("*")]
        if shuffles:
            last = moves[shuffles[-1]]
            moves[shuffles[-1]] = last[: len(last) - len(left)] + stacked
        else:
            deck = setup["deck"]
            setup = {"deck": deck[: len(deck) - len(left)] + stacked}
        self._start(setup, moves)

    def play(self, move: str, draw: str = "", then: str = "") -> None:
        """A move that draws these cards; `then` are the first ones after a shuffle."""
        self.stack(draw)
        self.state.move(move)
        if self.state.chance_due:
            rest = list(letters(self.state.look().discard))
            for card in then:
                rest.remove(card)
            self.state.roll("shuffle " + then + "".join(rest))

    def tell(self, *moves: str) -> Story:
        """Some moves, as "m1r" or, with the cards drawn, "m1r:oyg"."""
        for move in moves:
            text, _, draw = move.partition(":")
            self.play(text, draw)
        return self

    def build(self, mandala: int, colours: str) -> None:
        """Put these colours on a mountain; a seat that lacks the next one exchanges a card."""
        while colours and not self.state.over:
            hand = self.hand(self.seat)
            if colours[0] in hand:
                self.play(f"m{mandala}{colours[0]}")
                colours = colours[1:]
            else:
                spare = max(set(hand) - set(colours), key=lambda card: (hand.count(card), card))
                self.play(f"d{spare}1", draw=colours[0])

    def exhaust(self, left: int, keep: str) -> Story:
        """Discard until so many cards are left in the deck (0: until it has been shuffled). Of
        the colours in `keep` each seat that holds some keeps one."""
        while len(self.left()) > left and not self.state.look().deck_out:
            hand = self.hand(self.seat)
            spare = {card: hand.count(card) - (card in keep) for card in set(hand)}
            card = max(spare, key=lambda card: (spare[card], card))
            count = min(spare[card], len(self.left()) - left)
            self.play(f"d{card}{count}", draw=self.plenty(count, keep))
        return self

    def plenty(self, count: int, keep: str) -> str:
        """So many cards of the deck, of few colours."""
        deck = self.left()
        order = sorted(COLOURS, key=lambda card: (card in keep, -deck.count(card), card))
        return "".join(card * deck.count(card) for card in order)[:count]


def plain_story(first: str, second: str, mountains: str = "royg", cups: str = "ok") -> Story:
    return Story(mountains, (first, second), (cups, cups[::-1]))


# Setup, draws, what may be played --------------------------------------------------------------


@golden
def setup_deals_mountains_hands_and_cups() -> Story:
    return Story("royg", ("rrooyy", "ggppkk"), ("rk", "og"))


@golden
def draw_from_eight_cards_one() -> Story:
    return plain_story("yyyggg", "kkkppp").tell("m1y:ooo", "m1p:ooo", "m1y:k")


@golden
def draw_from_seven_cards_two() -> Story:
    story = plain_story("yyyggg", "kkkppp")
    return story.tell("m1y:ooo", "m1p:ooo", "f2o1", "m1p:o", "m1y:kr")


@golden
def draw_from_six_cards_three() -> Story:
    return plain_story("yyyggg", "kkkppp").tell("m1y:kpk")


@golden
def draw_from_one_card_three() -> Story:
    return plain_story("pppppy", "kkkkkg").tell("f1p5", "f1k5", "m1y:ooo")


@golden
def discard_of_a_whole_hand() -> Story:
    return plain_story("pppppp", "kkkkkk").tell("dp6:rogrog")


@golden
def field_keeps_one_card_in_hand() -> Story:
    return plain_story("pppppp", "kkkkkk").tell("f1p5")


@golden
def colours_of_one_mandala_do_not_bar_the_other() -> Story:
    return plain_story("rrpppp", "ppkkkk", mountains="roog").tell("f2r1", "m1p", "m1r", "f2p1")


# Destroying a mandala --------------------------------------------------------------------------


@golden
def claims_larger_field_chooses_first() -> Story:
    story = Story("ropg", ("ggggry", "ppkooo"), ("gg", "kk"))
    story.tell("f1g4", "f1p2", "m1r:ggg", "f1k1", "m1y:ppp")
    return story.tell("cr", "co", "cy:kk")


@golden
def claims_tie_is_for_the_seat_that_did_not_complete() -> Story:
    story = Story("ropg", ("gykooo", "pppooo"), ("gg", "kk"))
    return story.tell("f1g1", "f1p1", "m1y", "m2p", "m1k", "cr")


@golden
def claims_empty_field_sends_them_to_the_discard() -> Story:
    story = Story("ropg", ("gpyyyy", "ykkkoo"), ("gg", "kk"))
    return story.tell("f1g1", "m1y:ppp", "m1p:rrr", "m1k:r", "cr", "co", "cy", "cp", "ck:gg")


@golden
def claims_new_colour_one_to_the_river_the_rest_to_the_cup() -> Story:
    story = Story("rrpg", ("rgyyyy", "opkkoo"), ("gg", "kk"))
    return story.tell("m1r", "m1o", "f1g1", "f1p1", "m1y", "m1k", "cr")


@golden
def claims_colour_already_in_the_river_all_to_the_cup() -> Story:
    story = Story("rorr", ("gggkyy", "pkoooo"), ("gg", "kk"))
    story.tell("f1g1", "f1p1", "m1y:ooo", "m2k:ypp", "m1k:rr", "co", "cr", "cy", "ck:gg")
    return story.tell("f2p1", "f2g1", "m2y", "m2o", "cy", "cr")


@golden
def claims_last_colour_is_a_move_and_who_did_not_complete_plays_on() -> Story:
    """Seat 0 makes the last claim and plays on, because seat 1 completed the mandala."""
    story = Story("ropg", ("gggyrr", "pkoooo"), ("gg", "kk"))
    return story.tell("f1g3", "f1p1", "m1y:rrr", "f1k1", "cr", "co", "cy:gg")


@golden
def refill_of_two_cards_after_fields_go_to_the_discard() -> Story:
    story = claims_tie_is_for_the_seat_that_did_not_complete()
    return story.tell("co", "cy", "ck:py")


@golden
def r2_both_fields_empty_the_mountain_is_discarded() -> Story:
    story = Story("rory", ("yygggg", "ppkkkk"), ("gg", "kk"))
    return story.tell("m1y:ooo", "m1p:rrr", "m1g:r", "m1k:ryy")


@golden
def r2_counts_as_a_destroyed_mandala() -> Story:
    story = Story("rory", ("yggggg", "pkkkkk"), ("yy", "pp"))
    story.tell("m1y:ppp", "m1p:yyy").exhaust(0, keep="gk")
    story.build(1, "gk")
    return story


# The deck runs out -----------------------------------------------------------------------------


def nearly_out(left: int) -> Story:
    """A deck of so many cards, nothing claimed yet."""
    return plain_story("rrrrrk", "ooooop").exhaust(left, keep="kp")


@golden
def deck_out_by_an_exact_draw() -> Story:
    story = nearly_out(3)
    story.play(story.state.legal()[0])
    return story


@golden
def deck_out_in_the_middle_of_a_draw() -> Story:
    story = nearly_out(1)
    story.play(story.state.legal()[0], then="kp")
    return story


def before_the_last(left: int) -> Story:
    """Mandala 1 lacks black, both seats hold one, and so many cards are left."""
    story = Story("rory", ("gykooo", "pkrrrr"), ("yy", "pp"))
    return story.tell("f1g1", "f1p1", "m1y:ggg", "dr1:g").exhaust(left, keep="k")


@golden
def deck_out_by_the_refill_needs_one_more_mandala() -> Story:
    story = before_the_last(2)
    story.tell("f1k1")
    while story.state.look().claiming:
        story.play(story.state.legal()[0])
    story.build(2, "gopk")
    return story


@golden
def deck_out_in_the_middle_of_a_refill() -> Story:
    story = before_the_last(1)
    story.tell("f1k1")
    while story.state.look().claiming:
        story.play(story.state.legal()[0], then="p")
    return story


@golden
def deck_out_by_the_completing_draw_ends_with_that_mandala() -> Story:
    story = before_the_last(2).tell("m1k")
    while not story.state.over:
        story.play(story.state.legal()[0])
    return story


@golden
def deck_out_earlier_ends_with_the_next_mandala() -> Story:
    story = before_the_last(0).tell("f1k1")
    while not story.state.over:
        story.play(story.state.legal()[0])
    return story


@golden
def shuffle_after_a_discard_contains_its_own_cards() -> Story:
    story = nearly_out(2)
    story.play(f"d{max(story.hand(story.seat), key=story.hand(story.seat).count)}2")
    return story


# Nothing left to draw: R3, R1 ------------------------------------------------------------------


def nothing_left() -> Story:
    """A game without discards in which no mandala is completed, until all cards lie open or are
    held: found among random games. The last draw gets less than is due to it, and in the end a
    seat holds a single card, which R1 keeps from a mountain."""
    for seed in range(1000):
        state, chooser = deal("sand", seed=seed), random.Random(seed)
        short = False
        while moves := [move for move in state.legal() if _only_builds(state, move)]:
            before = state.look()
            move = chooser.choice(moves)
            state.move(move)
            due = min(3, 9 - before.hand_n[before.turn]) if move[0] == "m" else 0
            short = short or 0 < before.deck_n < due
        s = state.look()
        if short and s.deck_n == 0 and s.hand_n[s.turn] == 1 and _barred_by_r1(s):
            return Story.retold(state.record(), len(state.log))
    raise AssertionError("no such game was found")


def _only_builds(state: Any, move: str) -> bool:
    """Whether a move is no discard and neither completes a mandala nor asks for a shuffle."""
    if move.startswith("d"):
        return False
    after = state.copy()
    after.move(move)
    return not (after.over or after.chance_due or after.look().claiming)


def _barred_by_r1(s: Any) -> bool:
    """Whether the one card in hand could go on a mountain but for R1."""
    held = letters(s.hand[s.turn])
    return any(held not in letters(first) + letters(second) for first, second in s.field)


def _ply_of_the_last_draw(story: Story) -> int:
    """The index of the move that empties the deck."""
    record = story.record
    return next(
        ply for ply in range(len(record["moves"])) if replay(record, ply + 1).look().deck_n == 0
    )


@golden
def r3_a_draw_takes_what_there_is() -> Story:
    whole = nothing_left()
    return Story.retold(whole.record, 1 + _ply_of_the_last_draw(whole))


@golden
def r3_a_later_discard_comes_back_through_its_own_shuffle() -> Story:
    whole = nothing_left()
    story = Story.retold(whole.record, 1 + _ply_of_the_last_draw(whole))
    hand = story.hand(story.seat)
    card = max(hand, key=hand.count)
    return story.tell(f"d{card}{hand.count(card)}")


@golden
def r1_no_mountain_move_that_leaves_no_card() -> Story:
    story = nothing_left()
    return story.tell(f"d{story.hand(story.seat)}1")


# The end ---------------------------------------------------------------------------------------


def all_black_on_a_mountain() -> Story:
    """Mandala 1 with all black but the four in the cups; yellow, green and purple are to come."""
    story = Story("kkro", ("kkkkkk", "kkkkkk"), ("kk", "kk"))
    story.tell("m1k:roy", "m1k:roy", *["m1k"] * 10)
    return story.tell("f1r1", "f1o1")


def claim_all(story: Story) -> Story:
    """Claim to the end of the game, the last colours first."""
    while not story.state.over:
        story.play(story.state.legal()[-1])
    return story


@golden
def r4_a_colour_out_of_play_locks_the_game() -> Story:
    story = all_black_on_a_mountain()
    story.build(1, "ygp")
    return claim_all(story)


@golden
def reasons_deck_before_locked() -> Story:
    story = all_black_on_a_mountain().exhaust(0, keep="ygp")
    story.build(1, "ygp")
    return claim_all(story)


def five_in_the_river(cups: tuple[str, str]) -> Story:
    """Seat 0 has all colours but purple in its river; mountain 1 is new, with purple and red."""
    story = Story("roog", ("pgrpky", "ykykog"), cups)
    story.tell("f1p1", "m1y", "m1g", "m1k", "cr", "co", "cy", "cg", "ck:pr")
    return story.tell("f2r1", "m2y", "m2p", "m2k", "co", "cy", "cg", "cp", "ck:gg")


@golden
def river_sixth_colour_finishes_the_claims_of_that_mandala() -> Story:
    story = five_in_the_river(("oy", "oy")).tell("f1k1", "m1o", "m1y", "m1g")
    return story.tell("cp", "co", "cr", "cy", "cg")


@golden
def reasons_river_before_deck() -> Story:
    story = five_in_the_river(("oy", "oy")).tell("f1k1", "m1o").exhaust(0, keep="yg")
    story.build(1, "yg")
    return story.tell("cp", "co", "cr", "cy", "cg")


@golden
def reasons_river_before_locked() -> Story:
    story = five_in_the_river(("kk", "kk")).tell("f1y1")
    story.build(1, "k" * 12 + "og")
    return story.tell("ck", "co", "cp", "cr", "cg")


def forty_discards(total: int) -> Story:
    """Forty discard moves of so many cards in all, the last two by the fortieth."""
    story = Story("royg", ("rrrrrr", "oooooo"), ("kk", "pp"))
    for played in range(39):
        count = (total - 2) // 39 + (played < (total - 2) % 39)
        hand = story.hand(story.seat)
        card = max(hand, key=lambda card: (hand.count(card), card))
        story.play(f"d{card}{count}", draw=story.plenty(count, ""))
    hand = story.hand(story.seat)
    return story.tell(f"d{max(hand, key=hand.count)}2")


@golden
def r5_forty_discards_in_a_row_stall() -> Story:
    return forty_discards(60)


@golden
def r5_the_fortieth_discard_is_carried_out_whole() -> Story:
    """It takes the last two cards of the deck, and the shuffle that can no longer matter is there."""
    return forty_discards(88)


@golden
def r5_another_move_starts_the_count_again() -> Story:
    whole = forty_discards(60)
    story = Story.retold(whole.record, 39)
    field = next(move for move in story.state.legal() if move.startswith("f1"))
    return story.tell(field, *[f"d{story.hand(1 - story.seat)[0]}1"])


@golden
def score_tie_goes_to_the_smaller_cup() -> Story:
    """One point each: seat 0 by a red card of its first cup, seat 1 by one it claims."""
    story = Story("roog", ("yggggk", "poopok"), ("ry", "yg"))
    story.tell("f1y1", "f1p1", "f1g1", "m1o").exhaust(0, keep="k")
    return story.tell("f1k1", "cr", "co")


@golden
def r6_equal_points_and_cups_both_win() -> Story:
    """One point each by a card they claim."""
    story = Story("roog", ("yggrrk", "poopok"), ("yy", "gg"))
    story.tell("f1y1", "f1p1", "f1g1", "m1o", "m1r", "dp1").exhaust(0, keep="k")
    return story.tell("f1k1", "cr", "co")


# Who sees what ---------------------------------------------------------------------------------


@golden
def r7_claimed_cards_stay_known() -> Story:
    return claims_new_colour_one_to_the_river_the_rest_to_the_cup().tell("co", "cy", "ck")


@golden
def r8_a_shuffled_deck_is_known_less_what_was_seen_to_leave_it() -> Story:
    """A refill in the middle of which the deck is shuffled, then a draw by each seat."""
    story = deck_out_in_the_middle_of_a_refill()
    for draw in ("go", "yk"):
        story.play(story.state.legal()[0], draw)
    return story


if __name__ == "__main__":
    write(FOLDER, STORIES, record_of)
