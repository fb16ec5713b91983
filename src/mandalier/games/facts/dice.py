"""Facts of dice: what cards are worth, who masters the colours, what a throw is aimed at."""

from __future__ import annotations

from typing import Any

from mandalier.games.dice.rules import (
    ICON_WORTH,
    blocks_in,
    die_in_hand,
    icons_left,
    legal,
    sum_of,
    sum_on,
)
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    CANVASES,
    DICE,
    DONE_MOVE,
    KEEP_MOVE,
    LEAVE_MOVE,
    MOVES,
    READY_MOVE,
    TARGETS,
    THROW_MOVE,
)
from mandalier.games.dice.texts import bits_of, cell_text, die_name, taken_by
from mandalier.games.dice.words import card_text, colour_names, icon_names
from mandalier.games.facts import Fact
from mandalier.games.kernel import SCRIBBLE
from mandalier.games.words import say, say_n

HIT = 0.2  # the part of a card's value that an aim at it is worth, about


def facts(s: Any, seat: int, move: int) -> list[Fact]:
    if move < AIM_MOVE:
        return _prepared(move - READY_MOVE + 1)
    if move < THROW_MOVE:
        return _aimed(s, seat, *divmod(move - AIM_MOVE, TARGETS))
    if move == AGAIN_MOVE:
        text = say("gives die {n} another chance to land", n=die_in_hand(s, seat) + 1)
        return [Fact("again", ICON_WORTH[s.icon - 1] / 100, text)]
    if move == LEAVE_MOVE:
        return [Fact("again", 0.0, say("risks no other die being pushed away"))]
    if LEAVE_MOVE < move < DONE_MOVE:
        return _taken(s, seat, move)
    if move == DONE_MOVE:
        return _done(s, seat)
    if move >= KEEP_MOVE:
        return _kept(s, seat, move - KEEP_MOVE + 1)
    return []


def _prepared(icons: int) -> list[Fact]:
    found = []
    for icon in bits_of(icons):
        worth = ICON_WORTH[icon] / 100
        text = say(
            "has the {icon}, which brings about {n:.1f} points a throw",
            icon=icon_names()[icon],
            n=worth,
        )
        found.append(Fact(f"icon {icon}", worth, text))
    return found


# Throws


def _aimed(s: Any, seat: int, icon: int, target: int) -> list[Fact]:
    saved = [i for i in bits_of(icons_left(s, seat)) if i != icon]
    found = []
    if saved:
        best = max(saved, key=lambda i: ICON_WORTH[i])
        text = say("saves the {icon} for later", icon=icon_names()[best])
        found.append(Fact(f"saves {best}", ICON_WORTH[best] / 1000, text))
    if target < CANVASES:
        return found + _aimed_at_card(s, seat, icon, target)
    owner, die = divmod(target - CANVASES, DICE)
    cells = [cell for cell in bits_of(s.touch[owner][die]) if s.grid[cell]]
    if cells:
        cell = max(cells, key=lambda cell: s.value[s.grid[cell]])
        text = say(
            "may push die {die} off {card}",
            die=die_name(target - CANVASES),
            card=card_text(s, s.grid[cell]),
        )
        found.append(Fact("pushes", HIT * s.value[s.grid[cell]], text))
    return found


def _aimed_at_card(s: Any, seat: int, icon: int, cell: int) -> list[Fact]:
    card = s.grid[cell]
    if not card:
        return []
    sure = ICON_WORTH[icon] / 300  # how likely it lands there, next to a drop
    text = say("aims at {card} with the {icon}", card=card_text(s, card), icon=icon_names()[icon])
    found = [Fact("aims", HIT * sure * s.value[card], text)]
    mine = sum_on(s, seat, cell)
    best, other = max((sum_on(s, o, cell), o) for o in range(s.seats) if o != seat)
    if mine:
        text = say("adds to the {n} its dice show at {cell}", n=mine, cell=cell_text(s, cell))
        found.append(Fact("adds", HIT * sure * min(mine, s.value[card]), text))
    if best > mine:
        text = say(
            "meets the dice of seat {seat} at {cell}, which show {n}",
            seat=other,
            cell=cell_text(s, cell),
            n=best,
        )
        found.append(Fact("meets", -0.5 * HIT * sure * s.value[card], text))
    return found


# Collecting


def _masters(s: Any, hands: list[int]) -> list[int]:
    """[colour] the seat with strictly most blocks among these cards, or −1."""
    found = []
    for colour in range(4):
        counts = [blocks_in(s, hand) >> 10 * colour & 1023 for hand in hands]
        most = max(counts)
        found.append(counts.index(most) if most and counts.count(most) == 1 else -1)
    return found


def _mastery(s: Any, seat: int, before: list[int], after: list[int], near: float) -> list[Fact]:
    """Masteries of colours won, taken from others, or lost, between two sets of hands."""
    found = []
    changes = zip(_masters(s, before), _masters(s, after), colour_names(), strict=True)
    for colour, (was, now, name) in enumerate(changes):
        bonus = s.bonus[colour]
        if was == now:
            continue
        if now == seat:
            text = say("has most {colour}, {n} points at the end", colour=name, n=bonus)
            found.append(Fact(f"master {colour}", near * bonus, text))
        elif was == seat:
            text = say("gives up most {colour}, {n} points at the end", colour=name, n=bonus)
            found.append(Fact(f"master {colour}", -near * bonus, text))
        elif was >= 0:
            text = say(
                "draws level with seat {seat} in {colour}, {n} points at the end",
                seat=was,
                colour=name,
                n=bonus,
            )
            found.append(Fact(f"master {colour}", 0.5 * near * bonus, text))
    return found


def _taken(s: Any, seat: int, move: int) -> list[Fact]:
    dice, cell, boost = taken_by(s, seat, move)
    card = s.grid[cell]
    found = [Fact("takes", float(s.value[card]), say("takes {card}", card=card_text(s, card)))]
    if boost:
        text = say("pays with {card}", card=card_text(s, boost))
        found.append(Fact("pays", -float(s.value[boost]), text))
    over = sum_of(s, seat, dice) - s.value[card]
    if over > 0:
        text = say_n("uses {n} point of dice too many", "uses {n} points of dice too many", over)
        found.append(Fact("over", -0.3 * over, text))
    rivals = [o for o in range(s.seats) if o != seat and sum_on(s, o, cell)]
    if rivals:
        text = say("takes it before seat {seat} can", seat=rivals[0])
        found.append(Fact("denies", 0.3 * s.value[card], text))
    hands = list(s.hand[: s.seats])
    after = list(hands)
    after[seat] = hands[seat] & ~(1 << boost if boost else 0) | 1 << card
    return found + _mastery(s, seat, hands, after, 0.25 * s.round)


def _done(s: Any, seat: int) -> list[Fact]:
    out = [0] * (MOVES + SCRIBBLE)
    takes = [move for move in out[: legal(s, seat, out)] if LEAVE_MOVE < move < DONE_MOVE]
    if not takes:
        return [Fact("done", 0.0, say("ends collecting, as nothing is left to take"))]
    gains = []
    for move in takes:
        _, cell, boost = taken_by(s, seat, move)
        gains.append(int(s.value[s.grid[cell]] - (s.value[boost] if boost else 0)))
    text = say("leaves cards it could take, the best of them a gain of {n}", n=max(gains))
    return [Fact("done", -float(max(0, *gains)), text)]


# The exhibition


def _kept(s: Any, seat: int, card: int) -> list[Fact]:
    text = say("exhibits {card}", card=card_text(s, card))
    found = [Fact("keeps", float(s.value[card]), text)]
    passed = [
        c for c in bits_of(s.hand[seat]) if c < card and not s.kept[seat] >> c & 1 and s.value[c]
    ]
    above = [c for c in passed if c > max(bits_of(s.kept[seat]), default=0)]
    if above:
        best = max(above, key=lambda c: s.value[c])
        text = say("leaves {card} out", card=card_text(s, best))
        found.append(Fact("leaves out", -float(s.value[best]), text))
    pictures = [s.hand[other] for other in range(s.seats)]
    own = s.kept[seat]
    kept = [own if other == seat else hand for other, hand in enumerate(pictures)]
    with_it = [own | 1 << card if other == seat else hand for other, hand in enumerate(pictures)]
    return found + _mastery(s, seat, kept, with_it, 0.5)
