"""What makes a state impossible, in words."""

from __future__ import annotations

from typing import Any

from mandalier.games.contract import SPECTATOR
from mandalier.games.dice.geometry import RIGHT, cells_touched
from mandalier.games.dice.rules import first_player, has_chosen, hide, picture_size
from mandalier.games.dice.state import (
    ALL_DICE,
    BLANKS,
    CANVASES,
    COLLECT,
    DICE,
    DIRECTION,
    EXHIBIT,
    OFFERED,
    PREPARE,
    ROUNDS,
    SEATS,
    STATE,
    STROKES,
    UNSEEN,
    UNSEEN_CARDS,
    columns_of,
    numbers_of,
    rows_of,
)
from mandalier.games.dice.texts import bits_of, chance_text, die_name, set_chance
from mandalier.games.dice.words import refuse_numbers
from mandalier.games.kernel import bits_in, new_states
from mandalier.games.words import say


def fault(s: Any) -> str:
    viewer = s.viewer - 1
    if viewer >= s.seats and viewer != SPECTATOR:
        return say("there is no such seat at this table")
    for problem in (_house_fault, _phase_fault, _cards_fault, _icons_fault, _dice_fault):
        if said := problem(s):
            return said
    states = new_states(STATE, 1, False)
    states[0] = s
    if s.viewer:
        hide(states[0], viewer)
        if states[0] != s:
            return say("this shows what its viewer cannot see")
    return ""


def _house_fault(s: Any) -> str:
    grids = zip(s.columns, s.rows, strict=True)
    if any(not (1 <= c <= 9 and 1 <= r <= 9 and c * r <= CANVASES) for c, r in grids):
        return say("a grid has 1 to 9 columns and rows, and {n} cards at most", n=CANVASES)
    for n, sides in zip(SEATS, s.side, strict=True):
        if len(set(sides[:n])) < n or any(side not in range(4) for side in sides):
            return say("each seat sits at a side of its own")
    if any(not 0 <= value <= 30 for value in s.value) or any(
        blocks < 0 or any(blocks >> shift & 1023 > 9 for shift in range(0, 50, 10)) or blocks >> 50
        for blocks in s.blocks
    ):
        return say("a card has a value up to 30, and up to 9 blocks of a colour")
    if any(low > high for low, high in s.ranges) or min(*s.start, *s.bonus) < 0:
        return say("a range goes from its lower to its higher end")
    low, high = s.ranges[DIRECTION]
    if low < -RIGHT or high > RIGHT:
        return say("directions are from {low} to {high}", low=-RIGHT, high=RIGHT)
    if (
        s.steadiness not in (-1, 0, 1)
        or s.left_handed not in range(16)
        or s.by_surrogate not in (0, 1)
    ):
        return say("there is no such setting of the table")
    return ""


def _phase_fault(s: Any) -> str:
    if s.round not in range(1, ROUNDS + 1) or s.phase not in range(4):
        return say("there are {n} rounds, and phases 0 to 3", n=ROUNDS)
    if s.turn not in range(s.seats) or s.phase in (PREPARE, EXHIBIT) and s.turn:
        return say("it is the turn of no such seat")
    if s.phase == EXHIBIT and s.round < ROUNDS:
        return say("the exhibition comes after round {n}", n=ROUNDS)
    throwing = s.icon != 0
    if s.icon not in range(6) or s.second not in range(3) or throwing and s.phase != STROKES:
        return say("there is no such throw")
    if throwing != bool(s.chance or s.second) or s.chance and s.second == OFFERED:
        return say("a throw is in the air, or is offered once more, or neither")
    if any(s.gesture) and not s.chance:
        return say("only a throw in the air has a gesture")
    if s.chance and (problem := _gesture_fault(s)):
        return problem
    return _outcome_fault(s) if s.hit else ""


def _gesture_fault(s: Any) -> str:
    icon = s.icon - 1
    return refuse_numbers(s, s.turn, icon, s.gesture[: numbers_of(icon)])


def _outcome_fault(s: Any) -> str:
    states = new_states(STATE, 1, False)
    states[0] = s
    if not s.chance:
        return say("an outcome belongs to a throw in the air")
    try:
        set_chance(states[0], chance_text(s))
    except ValueError as error:
        return str(error)
    return ""


def _cards_fault(s: Any) -> str:
    cells = columns_of(s) * rows_of(s)
    places = [card for card in s.grid if card]
    for seat in range(4):
        if s.hand[seat] & 1 or seat >= s.seats and s.hand[seat]:
            return say("there is no such hand at this table")
        places += bits_of(s.hand[seat])
    for card in places:
        if places.count(card) > 1:
            return say("card {card} is there twice", card=card)
    blanks = [card for card in places if card > CANVASES]
    due = list(range(CANVASES + 1, CANVASES + 1 + BLANKS * s.seats))
    if sorted(blanks) != due:
        return say("the blank canvases are {first} to {last}", first=due[0], last=due[-1])
    if len(places) - len(due) != cells:
        return say("there are {n} canvases, not {all}", n=len(places) - len(due), all=cells)
    if any(bits_in(hand) < BLANKS for hand in s.hand[: s.seats]):
        return say("a hand never has fewer than {n} cards", n=BLANKS)
    return _kept_fault(s)


def _kept_fault(s: Any) -> str:
    for seat, kept in enumerate(s.kept):
        if kept and (s.phase != EXHIBIT or seat >= s.seats):
            return say("cards are kept at the exhibition only")
        unseen = kept == UNSEEN_CARDS and s.viewer and seat != s.viewer - 1 and not s.over
        if not unseen and (kept & ~s.hand[seat] or bits_in(kept) > picture_size(s)):
            return say(
                "seat {seat} keeps up to {n} cards of its hand", seat=seat, n=picture_size(s)
            )
    if s.phase == EXHIBIT and all(has_chosen(s, seat) for seat in range(s.seats)) != bool(s.over):
        return say("the game is over when all pictures are complete")
    if s.over and s.phase != EXHIBIT:
        return say("the game ends with the exhibition")
    return ""


def _icons_fault(s: Any) -> str:
    n = s.round + 1
    for seat in range(4):
        prepared, used = s.prepared[seat], s.used[seat]
        if seat >= s.seats or s.phase == EXHIBIT:
            good = not prepared and not used
        elif s.phase == PREPARE:
            unseen = prepared == UNSEEN and s.viewer and seat != s.viewer - 1
            good = not used and (not prepared or unseen or bits_in(prepared) == n and prepared < 32)
        else:
            good = 0 < prepared < 32 and bits_in(prepared) == n and not used & ~prepared
        if not good:
            return say("seat {seat} prepares {n} icons, and throws by these", seat=seat, n=n)
    if s.phase == PREPARE and all(s.prepared[: s.seats]):
        return say("all have prepared, so the strokes have begun")
    if s.phase == COLLECT and s.used != s.prepared:
        return say("all dice are thrown before anybody collects")
    return _strokes_fault(s) if s.phase == STROKES else ""


def _strokes_fault(s: Any) -> str:
    order = [(first_player(s) + i) % s.seats for i in range(s.seats)]
    thrown = [bits_in(s.used[seat]) for seat in order]
    at = order.index(s.turn)
    before = thrown[at] - int(s.icon != 0)
    due = [before + 1] * at + [thrown[at]] + [before] * (s.seats - at - 1)
    if thrown != due or before > s.round or before < 0:
        return say("the seats throw one die each in turn")
    if s.icon and not s.used[s.turn] >> s.icon - 1 & 1:
        return say("the throw in the air goes by an icon that is used")
    return ""


def _dice_fault(s: Any) -> str:
    for i in range(ALL_DICE):
        seat, k = divmod(i, DICE)
        pose = (s.x[seat][k], s.y[seat][k], s.yaw[seat][k])
        touch = s.touch[seat][k]
        if not s.face[seat][k]:
            if any(pose) or touch:
                return say("die {die} lies nowhere", die=die_name(i))
            continue
        thrown = bits_in(s.used[seat]) - int(s.icon != 0 and seat == s.turn)
        if k >= thrown:
            return say("die {die} has not been thrown", die=die_name(i))
        if s.face[seat][k] not in range(1, 7) or touch != cells_touched(s, *pose):
            return say("die {die} lies as no die can", die=die_name(i))
    return ""
