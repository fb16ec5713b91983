"""The state of the dice game: what a record holds, and how moves are numbered.

Lengths are tenths of a millimetre and angles tenths of a degree, counter-clockwise; x to the right
and y down from the grid's top left corner, as seen by seat 0.
"""

from __future__ import annotations

import numpy as np

from mandalier.games.contract import COMMON
from mandalier.games.kernel import Record, rule

TITLE = "Mondrian, the dice game"
CREDIT = "Israel Cendrero & Sheila Santos"
RULES = 1
SEATS = range(2, 5)
REASONS = ("exhibition",)
ICONS = "LRBDF"
BLOCKS = "rbyk"
BLOCK_NAMES = ("red", "blue", "yellow", "black")
STEADINESS = ("steady", "normal", "shaky")
SIDES = ("bottom", "left", "top", "right")

ROUNDS = 4
CANVASES = 36
BLANKS = 3  # a seat
CARDS = CANVASES + BLANKS * 4
DICE = 5  # a seat
ALL_DICE = 4 * DICE
CARD = 780  # the side of a card
HALF = 80.0  # half the side of a die
REACH = 114  # a die's corners are not so far from its centre
TOUCHED = 100.0  # R2: to touch, more than this is needed, in square tenths of a millimetre

STATE = np.dtype(
    [
        *COMMON,
        # house data, and the table's options
        ("columns", "i1", (3,)),  # [seats − 2] of the grid
        ("rows", "i1", (3,)),  # [seats − 2]
        ("side", "i1", (3, 4)),  # [seats − 2][seat] where it sits, see SIDES
        ("value", "i1", (1 + CARDS,)),  # [card]
        ("blocks", "i8", (1 + CARDS,)),  # [card] ten bits each: red, blue, yellow, black, white
        ("bonus", "i1", (4,)),  # [colour] points for its mastery
        ("ranges", "i2", (4, 2)),  # [direction, speed and spin of a hand, speed of a flick][ends]
        ("start", "i2", (3,)),  # how far outside, and aside, a hand throws; how far outside a flick
        ("steadiness", "i1"),  # −1 steady, 0 normal, 1 shaky
        ("left_handed", "i1"),  # bit i: the left is the better hand of seat i
        ("by_surrogate", "i1"),  # 1 when the table's throws are not simulated but drawn from a bank
        # the table
        ("round", "i1"),  # 1 to 4
        ("phase", "i1"),  # see PREPARE …
        ("turn", "i1"),  # whose stroke it is, or who collects
        ("prepared", "i1", (4,)),  # [seat] its icons as bits; UNSEEN when hidden
        ("used", "i1", (4,)),  # [seat] the icons it has thrown by in this round
        ("icon", "i1"),  # 1 + the icon of the throw in the air, or to be thrown once more
        ("second", "i1"),  # whether that is a second throw, see OFFERED …
        ("gesture", "i2", (3,)),  # of the throw in the air
        ("grid", "i1", (CANVASES,)),  # [cell] the card, 0 in a gap; row by row
        ("hand", "i8", (4,)),  # [seat] bit i: card i
        (
            "kept",
            "i8",
            (4,),
        ),  # [seat] what it exhibits; UNSEEN_CARDS when it is complete, but hidden
        # the dice that lie on the table; all zero for the others
        ("x", "i2", (4, DICE)),  # [seat][number − 1]
        ("y", "i2", (4, DICE)),
        ("yaw", "i2", (4, DICE)),  # 0 to 3599
        ("face", "i1", (4, DICE)),
        ("touch", "i8", (4, DICE)),  # bit i: it touches cell i, be there a card or a gap
        # the outcome of the throw in the air, the thrown die first
        ("hit", "i1"),  # 0 no outcome yet, 1 free, 2 it touched a die
        ("landed_n", "i1"),
        ("landed", "i1", (ALL_DICE,)),  # 5 × seat + number − 1
        ("landed_x", "i4", (ALL_DICE,)),
        ("landed_y", "i4", (ALL_DICE,)),
        ("landed_yaw", "i8", (ALL_DICE,)),
        ("landed_face", "i1", (ALL_DICE,)),
    ],
    align=True,
)

PREPARE, STROKES, COLLECT, EXHIBIT = range(4)
OFFERED, CHOSEN = 1, 2  # the second throw
L, R, B, D, F = range(5)
DIRECTION, HAND_SPEED, HAND_SPIN, FLICK_SPEED = range(4)
OUTSIDE, ASIDE, FLICK_OUTSIDE = range(3)
ALL_ICONS = 31
UNSEEN = 32
UNSEEN_CARDS = 1

# A take is numbered by the dice it uses, by which of the cells they touch it goes to, and by the
# boosting card. A die touches two columns and two rows at most, so whether the column and the row
# are even tells the cell.
TARGETS = CANVASES + ALL_DICE
READY_MOVE = 0  # + icons as bits − 1
AIM_MOVE = READY_MOVE + ALL_ICONS  # + TARGETS × icon + cell, or 36 + die
THROW_MOVE = AIM_MOVE + 5 * TARGETS  # + icon: with a gesture of one's own
AGAIN_MOVE = THROW_MOVE + 5
LEAVE_MOVE = AGAIN_MOVE + 1
TAKE_MOVE = LEAVE_MOVE + 1  # + ((dice as bits − 1) × 4 + corner) × BOOSTS + boosting card, or 0
BOOSTS = 1 + CARDS
DONE_MOVE = TAKE_MOVE + 31 * 4 * BOOSTS
KEEP_MOVE = DONE_MOVE + 1  # + card − 1
MOVES = KEEP_MOVE + CARDS


@rule
def columns_of(s: Record) -> int:
    return int(s.columns[s.seats - 2])


@rule
def rows_of(s: Record) -> int:
    return int(s.rows[s.seats - 2])


def numbers_of(icon: int) -> int:
    """How many numbers a gesture has."""
    return 2 if icon == D else 3
