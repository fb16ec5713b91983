"""What a game module provides.

The functions below are slots: a driver (a simulation, a search, the Python API) calls them by
these names, and `kernel.bind` puts those of the game at hand in their place. `GameModule` lists
the rest. Every state has the fields of `COMMON`; its other fields are the game's own.

A state is full, or *hidden*: made by `hide`, it holds what one viewer may know and nothing else.
Everything that leaves the table is made from a hidden state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mandalier.games.kernel import Array, Record, Twin, optional_slot, rule, slot

SPECTATOR = 7
"""The viewer who has no seat."""
MAX_SEATS = 5
NO_BANK = np.zeros(1, "i2")

COMMON: list[Any] = [
    ("rng", "i8", (4,)),  # the generator of chance; all zero in a hidden state
    ("seats", "i1"),  # how many
    ("viewer", "i1"),  # 0 in a full state; in a hidden one 1 + the seat it is for
    ("over", "i1"),  # 0 while the game runs; then 1 + the number of the end reason
    ("chance", "i1"),  # 1 when chance has to be rolled before anybody moves
]
"""The fields every state begins with."""


@slot
def shuffle_up(s: Record, seats: int, seed: int) -> None:
    """Put everything in random order, in a record full of zeros but for its options; nothing is
    dealt yet. The same seed, the same order."""


@slot
def lay_out(s: Record) -> None:
    """Deal what `shuffle_up` (or `set_up`) has put in order."""


@rule
def deal(s: Record, seats: int, seed: int) -> None:
    """Shuffle and set up a game in a record full of zeros but for its options."""
    shuffle_up(s, seats, seed)
    lay_out(s)


@slot
def waiting(s: Record) -> int:
    """Who may move now: bit i for seat i; 0 when the game is over or chance is due."""
    raise NotImplementedError


@slot
def legal(s: Record, seat: int, out: Array) -> int:
    """Write the numbers of the seat's legal moves, ascending, and return how many; 0 if it may
    not move now. A full state and the one hidden for this seat give the same."""
    raise NotImplementedError


@slot
def play(s: Record, seat: int, move: int) -> None:
    """Carry out a legal move, up to the end of the turn or to the next chance."""


@slot
def roll(s: Record, bank: Array) -> None:
    """When chance is due: draw its outcome by the generator in the state, into the state.

    `bank` is what the module's `bank()` gives, if it has one: data too large to be compiled in."""


@slot
def resume(s: Record) -> None:
    """Go on with the turn after the outcome of chance has been put into the state."""


@slot
def hide(s: Record, seat: int) -> None:
    """Wipe all that this seat (or SPECTATOR) cannot know, to one form: states it cannot tell
    apart become the same bytes."""


@slot
def imagine(s: Record, seed: int) -> None:
    """Turn a hidden state into one full world that its viewer cannot rule out."""


@slot
def reshuffle(s: Record, seed: int) -> None:
    """Put anew what no seat knows of a full state (the order of a deck), and start the generator
    from this seed: every view stays what it is."""


@slot
def score(s: Record, out: Array) -> int:
    """Write each seat's points as they stand; return the winners, bit i for seat i."""
    raise NotImplementedError


@slot
def appraise(s: Record, out: Array) -> None:
    """Write what each seat stands to make of the position, in hundredths of points, at a glance:
    for players that do not look ahead. The points made count whole."""


# What reads many records at once, where moves have more to say than their numbers: see record.py. A
# game whose MOVE_TEXTS tell all does without, and so may any other: `replay` knows the texts.


@optional_slot
def enter(s: Record, seat: int, numbers: Array, first: int, n: int, out: Array) -> bool:
    """Put what an entry of a record says beyond a move's number into the state, or the outcome of
    the chance that is due (seat −1): n numbers from `first` on, as the module's `entry_numbers`
    gives them, for a move its number first. False if the rules allow it not here."""
    return False


# For servers: see sketch.py. A game without it is told by `describe`, which is slower.


@optional_slot
def sketch(s: Record, out: Array) -> int:
    """Write what `describe` tells of a hidden record, as JSON without its outer brackets; return
    how many bytes."""
    return 0


# What exact search needs: see search/exact.py. A game without these slots is not searched so.

STANDING = 16  # of a point, in `standing`
NOT_EXACT = 0  # a `stage` that is not searched


@optional_slot
def stage(s: Record) -> int:
    """Which part of the game this is, if it is one that may be searched move by move (in imagined
    worlds, if anything is hidden that matters); NOT_EXACT if it is not worth it. The search goes on
    while this stays the same: to the end of the game, or to where chance has a say."""
    return NOT_EXACT


@optional_slot
def standing(s: Record, out: Array) -> None:
    """Write STANDING times each seat's points as they stand, and at the end of the game a number
    below half of STANDING more, so that the seats rank by it as the rules rank them."""


@optional_slot
def digest(s: Record) -> int:
    """A number (0 to 2**62 − 1) for all that matters to the rest of the game but the points made
    so far: where it is the same, the same moves give the same points (unless two hashes of 62 bits
    happen to be equal)."""
    return 0


@optional_slot
def bounds(s: Record, out: Array) -> None:
    """For two seats: write the least and the most that seat 0's lead can still change by until the
    stage is over, in units of `standing`; quickly, so that the truth need not be near."""


# What nets see. A game that has nets provides both slots, SIGHTS, NOTICED and SIGHTS_VERSION, which
# changes with what they say. A game without them is searched by random play.


@optional_slot
def observe(s: Record, seat: int, out: Array) -> None:
    """Write what a seat may know of a position as small whole numbers (−127 to 127), for nets:
    SIGHTS[0] numbers of the whole, then for each of SIGHTS[1] things that are alike (the colours,
    the groups …) SIGHTS[2] numbers. Seats stand in the order of play, the seat itself first. A full
    state and the one hidden for this seat give the same."""


@optional_slot
def notice(s: Record, seat: int, move: int, out: Array) -> None:
    """Write NOTICED small whole numbers about a legal move: what it takes, gives and leaves to
    others, as far as the seat may know."""


@dataclass(frozen=True)
class Choice:
    """An option of a game, in words for people who make a table."""

    name: str
    """Its name among the options."""
    words: str
    about: str
    values: tuple[tuple[Any, str], ...]
    """What it can be, each in words; the default comes first."""


class GameModule(Protocol):
    """The rest of a game module: names, and the texts. These functions take twins.

    `text` and `parse` are each other's inverse, and so are the other pairs. What reads a text or
    data raises ValueError with a sentence for people.
    """

    TITLE: str
    CREDIT: str
    RULES: int
    """The version of the rules; it changes when any game could go another way."""
    SEATS: range
    STATE: np.dtype[Any]
    MOVES: int
    """How many move numbers there are."""
    REASONS: tuple[str, ...]
    """The ways a game ends, in the order of `over`."""
    CODECS: Mapping[str, Any]
    """How fields are written in a position text, where plain numbers would not read well."""

    def goal(self) -> str:
        """The game in a few sentences, for somebody who has never played it."""

    def help_texts(self) -> dict[str, str]:
        """An example of each kind of move text, and what it does."""

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """A table's options, checked; what is at its default is left out."""

    def apply_options(self, s: Twin, options: Mapping[str, Any]) -> None:
        """Write checked options into a record full of zeros, before the deal."""

    def text(self, s: Twin, move: int) -> str:
        """The text of a move."""

    def parse(self, text: str) -> tuple[int, Sequence[int]]:
        """The number of a move, and what else its text says (see `prepare`)."""

    def prepare(self, s: Twin, arguments: Sequence[int]) -> None:
        """Put what a move text says beyond its number into the state, right before the move."""

    def setup(self, s: Twin) -> dict[str, Any]:
        """The setup for the record, after `shuffle_up`."""

    def set_up(self, s: Twin, seats: int, setup: Mapping[str, Any]) -> None:
        """Put a setup in order, in the place of `shuffle_up`."""

    def chance_text(self, s: Twin) -> str:
        """The outcome of chance, after `roll` and before `resume`."""

    def set_chance(self, s: Twin, text: str) -> None:
        """Put an outcome into the state, in the place of `roll`."""

    # A game with the slot `enter` has:
    #   entry_numbers(entry) -> Sequence[int] | None
    #                                     the seat of an entry (−1 for chance), and the numbers that
    #                                     `enter` reads; None if this is no entry of the game

    # A game may have facts, which explanations of moves are made of: a module of its name in
    # games/facts.

    # A game in whose record something is hidden while it is played has:
    #   secret(s, entry) -> bool          whether, the position being s, an entry of the record may
    #                                     as yet be shown to nobody but the seat that made it

    # A game whose tables may differ has:
    #   choices() -> list[Choice]         what people choose when they make a table, in words; house
    #                                     data is not among it

    # A game with the slots of exact search may have ALL_OPEN = True: nothing is hidden from anybody.

    # A game whose chance comes from outside its rules (the physics of dice) has more:
    #   uses_outcome(options) -> bool     whether it does at this table
    #   outcome_engine() -> str           what draws it, and its version: while this is the same,
    #                                     the same state gives the same outcome
    #   outcome(s, options) -> tuple[str, bytes] | None
    #                                     the outcome of the chance that is due, as set_chance
    #                                     takes it, and how it came about, for a screen; None to
    #                                     have `roll` draw it
    #   path_to(s, outcome) -> bytes      how the outcome of the chance that is due in s may have
    #                                     come about, where nothing was kept of it

    def tell_chance(self, s: Twin, outcome: str) -> str:
        """What an outcome of chance did, in words; s is the state after it."""

    def describe(self, s: Twin) -> dict[str, Any]:
        """A hidden state as plain data with names."""

    def sums(self, s: Twin, seat: int) -> list[tuple[str, int]]:
        """What a seat's points are made of, as far as a position tells: words and points, which add
        up to what `score` gives for this state."""

    def refusal(self, s: Twin, seat: int, move: int, arguments: Sequence[int]) -> str:
        """Which rule forbids this move to the seat whose turn it is, in words; "" if none does."""

    def explain(self, s: Twin, seat: int, move: int) -> str:
        """What a legal move does, in words."""

    def board(self, s: Twin, paint: Any) -> list[str]:
        """The position as lines of text; paint(text, style) adds colour."""

    def fault(self, s: Twin) -> str:
        """What makes a state impossible (a piece too many), in words; "" if nothing does."""
