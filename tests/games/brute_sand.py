"""The rules of sand a second time, as slowly and plainly as they read, to compare the game with.

Nothing of the game module is used here. Cards are letters, piles are lists of them, and a draw
takes one card after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

COLOURS = "roygpk"
SPECTATOR = 2


class Witness:
    """What the rules let one viewer keep in mind about the deck (R8)."""

    def __init__(self, viewer: int) -> None:
        self.viewer = viewer
        self.sees_a_shuffle(COLOURS * 18)

    def sees_a_shuffle(self, deck: Iterable[str]) -> None:
        self.deck_and_drawn_by_others = Counter(deck)
        self.drawn_by_others = 0

    def sees_a_draw(self, seat: int, card: str) -> None:
        if seat == self.viewer:
            self.deck_and_drawn_by_others[card] -= 1
        else:
            self.drawn_by_others += 1

    def sees_a_refill(self, card: str) -> None:
        self.deck_and_drawn_by_others[card] -= 1

    @property
    def letters(self) -> str:
        return "".join(colour * self.deck_and_drawn_by_others[colour] for colour in COLOURS)


class Brute:
    """A game. Chance to come is handed in with the move it follows."""

    def __init__(self, deck: str) -> None:
        self.deck = list(deck)  # the top first
        self.discard: list[str] = []
        self.mountain: list[list[str]] = [[], []]
        self.field: list[list[list[str]]] = [[[], []], [[], []]]  # [mandala][seat]
        self.hand: list[list[str]] = [[], []]
        self.cup: list[list[str]] = [[], []]
        self.river: list[list[str]] = [[], []]
        self.turn = 0
        self.claiming: int | None = None
        self.completed_by = 0
        self.deck_out = False
        self.discards_in_row = 0
        self.reason = ""
        self.shuffles: list[str] = []
        self.witnesses = [Witness(viewer) for viewer in range(3)]
        self._refill(0)
        self._refill(1)
        for seat in (0, 1):
            self._draw(seat, self.hand[seat], 6)
        for seat in (0, 1):
            self._draw(seat, self.cup[seat], 2)

    # The deck

    def _next_card(self) -> str:
        """The top card; "" if there is none, even after a shuffle."""
        if not self.deck:
            self._run_out()
        if not self.deck:
            return ""
        return self.deck.pop(0)

    def _run_out(self) -> None:
        self.deck_out = True
        if self.discard:
            outcome = self.shuffles.pop(0)
            assert sorted(outcome) == sorted(self.discard), "the shuffle is not of the discard"
            self.deck, self.discard = list(outcome), []
            for witness in self.witnesses:
                witness.sees_a_shuffle(outcome)

    def _draw(self, seat: int, pile: list[str], count: int) -> None:
        for _ in range(count):
            card = self._next_card()
            if card:
                pile.append(card)
                for witness in self.witnesses:
                    witness.sees_a_draw(seat, card)
                if not self.deck:
                    self._run_out()

    def _refill(self, mandala: int) -> None:
        for _ in range(2):
            card = self._next_card()
            if card:
                self.mountain[mandala].append(card)
                for witness in self.witnesses:
                    witness.sees_a_refill(card)
                if not self.deck:
                    self._run_out()

    # Moves

    def legal(self) -> set[str]:
        if self.reason:
            return set()
        if self.claiming is not None:
            return {"c" + colour for colour in self.mountain[self.claiming]}
        hand = self.hand[self.turn]
        moves = set()
        for colour in COLOURS:
            held = hand.count(colour)
            for count in range(1, held + 1):
                moves.add(f"d{colour}{count}")
            for mandala in (0, 1):
                mine = self.field[mandala][self.turn]
                theirs = self.field[mandala][1 - self.turn]
                if held and colour not in mine and colour not in theirs:
                    if len(hand) > 1 or self.deck or self.discard:
                        moves.add(f"m{mandala + 1}{colour}")
                if colour not in self.mountain[mandala] and colour not in theirs:
                    for count in range(1, held + 1):
                        if count < len(hand):
                            moves.add(f"f{mandala + 1}{colour}{count}")
        return moves

    def play(self, move: str, shuffles: Iterable[str] = ()) -> None:
        self.shuffles = list(shuffles)
        seat = self.turn
        if move[0] == "m":
            self._mountain(seat, int(move[1]) - 1, move[2])
        elif move[0] == "f":
            self._field(seat, int(move[1]) - 1, move[2], int(move[3]))
        elif move[0] == "d":
            self._discard(seat, move[1], int(move[2]))
        else:
            self._claim(seat, move[1])
        assert not self.shuffles, "a shuffle that was not due"

    def _mountain(self, seat: int, mandala: int, colour: str) -> None:
        self.discards_in_row = 0
        self.hand[seat].remove(colour)
        self.mountain[mandala].append(colour)
        self._draw(seat, self.hand[seat], min(3, 8 - len(self.hand[seat])))
        self._end_turn(seat, mandala)

    def _field(self, seat: int, mandala: int, colour: str, count: int) -> None:
        self.discards_in_row = 0
        for _ in range(count):
            self.hand[seat].remove(colour)
            self.field[mandala][seat].append(colour)
        self._end_turn(seat, mandala)

    def _discard(self, seat: int, colour: str, count: int) -> None:
        self.discards_in_row += 1
        for _ in range(count):
            self.hand[seat].remove(colour)
            self.discard.append(colour)
        self._draw(seat, self.hand[seat], count)
        self.turn = 1 - seat
        if self.discards_in_row == 40:
            self.reason = "stalled"

    def _claim(self, seat: int, colour: str) -> None:
        assert self.claiming is not None
        mandala = self.claiming
        cards = [card for card in self.mountain[mandala] if card == colour]
        self.mountain[mandala] = [card for card in self.mountain[mandala] if card != colour]
        if not self.field[mandala][seat]:
            self.discard += cards
        else:
            if colour not in self.river[seat]:
                self.river[seat].append(cards.pop())
            self.cup[seat] += cards
        self.turn = 1 - seat
        if not self.mountain[mandala]:
            self._destroyed(mandala)

    def _end_turn(self, seat: int, mandala: int) -> None:
        self.turn = 1 - seat
        first, second = self.field[mandala]
        if len(set(self.mountain[mandala] + first + second)) < 6:
            return
        self.completed_by = seat
        if not first and not second:
            self.discard += self.mountain[mandala]
            self.mountain[mandala] = []
            self._destroyed(mandala)
        else:
            self.claiming = mandala
            if len(first) > len(second):
                self.turn = 0
            elif len(second) > len(first):
                self.turn = 1

    def _destroyed(self, mandala: int) -> None:
        self.claiming = None
        self.turn = 1 - self.completed_by
        for seat in (0, 1):
            self.discard += self.field[mandala][seat]
            self.field[mandala][seat] = []
        if 6 in (len(self.river[0]), len(self.river[1])):
            self.reason = "river"
        elif self.deck_out:
            self.reason = "deck"
        elif any(not self._in_play(colour) for colour in COLOURS):
            self.reason = "locked"
        else:
            self._refill(mandala)

    def _in_play(self, colour: str) -> bool:
        piles = [self.deck, self.discard, *self.hand, *self.mountain, *self.field[0]]
        return any(colour in pile for pile in [*piles, *self.field[1]])

    # The end

    def points(self, seat: int) -> int:
        river = self.river[seat]
        return sum(river.index(card) + 1 for card in self.cup[seat] if card in river)

    def scores(self) -> tuple[int, int]:
        return self.points(0), self.points(1)

    def winners(self) -> tuple[int, ...]:
        ranks = [(self.points(seat), -len(self.cup[seat])) for seat in (0, 1)]
        return tuple(seat for seat in (0, 1) if ranks[seat] == max(ranks))


def count_sequences(deck: str, moves: tuple[str, ...], depth: int) -> int:
    """Sequences of `depth` more moves after these, each replayed from the start (no shuffle may
    come within them)."""
    table = Brute(deck)
    for move in moves:
        table.play(move)
    legal = table.legal()
    if depth == 1:
        return len(legal)
    return sum(count_sequences(deck, (*moves, move), depth - 1) for move in legal)
