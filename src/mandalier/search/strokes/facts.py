"""Why a move of dice was chosen: two or three facts of the position, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mandalier.games.dice import rules, texts
from mandalier.games.dice.state import CANVASES, CHOSEN, OFFERED, columns_of, rows_of
from mandalier.games.dice.words import colour_names, icon_names
from mandalier.games.words import listed, numeral, say, say_n
from mandalier.search.bot import Candidate
from mandalier.search.strokes.mind import ACC_INSIDE, ACC_LOST, ACC_TOUCH, block_count
from mandalier.search.strokes.quick import SCATTER_ROW

if TYPE_CHECKING:
    from mandalier.search.strokes.desk import Desk, Found

MOST_FACTS = 3


def per_hundred(share: float) -> int:
    return round(100 * share)


def of_icons(desk: Desk, found: list[Found]) -> tuple[str, ...]:
    """How well the icons reach cards, and how much better than the next set."""
    why = []
    names = icon_names()
    for icon in texts.bits_of(found[0].what):
        why.append((per_hundred(reach_of(desk, icon)), names[icon]))
    why.sort(reverse=True)
    said = [
        say("{icon} touches the card aimed at {n} times of 100", icon=name, n=n)
        for n, name in why[: MOST_FACTS - 1]
    ]
    return (*said, *_margin(found))


def reach_of(desk: Desk, icon: int) -> float:
    """How often the seat's throws of this kind touch the card they are aimed at."""
    s = desk.s
    shares = []
    for cell in range(columns_of(s) * rows_of(s)):
        if s.grid[cell]:
            first = ((desk.seat * 5 + icon) * CANVASES + cell) * SCATTER_ROW
            spots = [float(desk.table[first + i]) for i in range(SCATTER_ROW)]
            there = dict(zip(spots[::2], spots[1::2], strict=True))
            shares.append(there.get(float(cell), 0.0))
    return sum(shares) / max(len(shares), 1)


def _margin(found: list[Found]) -> tuple[str, ...]:
    """How much better the best candidate did than the second."""
    if len(found) < 2:
        return ()
    points = found[0].lead - found[1].lead
    if points < 0.05:
        return ()
    text = say(
        "{points} points more are to be expected than after {move}",
        points=numeral(points),
        move=found[1].text,
    )
    return (text,)


def of_throw(desk: Desk, found: list[Found]) -> tuple[str, ...]:
    """What the throw touches, whom it pushes, how much better it is than another."""
    s, best = desk.s, found[0]
    if s.second == OFFERED:
        return (
            say("a second throw costs nothing")
            if best.text == "again"
            else say("the others' dice lie better for you without another throw"),
            *_margin(found),
        )
    why = []
    target = touched_most(desk, best)
    if target >= 0:
        why.append(
            say(
                "{n} of 100 such throws touch {cell}, worth {value}",
                n=per_hundred(best.mean(ACC_TOUCH + target)),
                cell=texts.cell_text(s, target),
                value=s.value[s.grid[target]],
            )
        )
    lost = best.mean(ACC_LOST)
    if lost >= 0.08:
        why.append(say("{n} of 100 push another seat's die off its card", n=per_hundred(lost)))
    outside = 1 - best.mean(ACC_INSIDE)
    if len(why) < MOST_FACTS - 1 and outside >= 0.25 and s.second != CHOSEN:
        why.append(say("{n} of 100 end outside", n=per_hundred(outside)))
    return (*why, *_colours_wanted(desk, target), *_margin(found))[:MOST_FACTS]


def touched_most(desk: Desk, one: Found) -> int:
    """The card on which a throw brings the most: what it is worth times how often it is touched;
    −1 if it hardly touches any."""
    worth = desk.mind.worth[desk.seat]
    best = max(
        (cell for cell in range(CANVASES) if desk.s.grid[cell]),
        key=lambda cell: one.mean(ACC_TOUCH + cell) * worth[desk.s.grid[cell]],
        default=-1,
    )
    return best if best >= 0 and one.mean(ACC_TOUCH + best) >= 0.05 else -1


def _colours_wanted(desk: Desk, cell: int) -> tuple[str, ...]:
    """The colour of a card whose mastery is most in the balance."""
    s = desk.s
    card = s.grid[cell] if cell >= 0 else 0
    weights = desk.mind.weight[desk.seat]
    wanted = [(weights[i], i) for i in range(4) if block_count(s, card, i) and weights[i] > 0.8]
    if not wanted:
        return ()
    points, colour = max(wanted)
    return (
        say(
            "a {colour} block is worth {points} points to you now",
            colour=colour_names()[colour],
            points=numeral(points),
        ),
    )


def of_takes(desk: Desk, best: Candidate, hands: list[int]) -> tuple[str, ...]:
    """Who has priority, what it does to the masteries, what another seat would have had."""
    s, seat = desk.s, desk.seat
    why = []
    if best.move.startswith("take "):
        cell = _cell_of(s, best.move)
        rivals = [
            (rules.sum_on(s, other, cell), other) for other in range(s.seats) if other != seat
        ]
        other_sum, other = max(rivals)
        if other_sum:
            why.append(
                say(
                    "has priority on {cell}: {n} there, seat {seat} has {m}",
                    cell=texts.cell_text(s, cell),
                    n=rules.sum_on(s, seat, cell),
                    seat=other,
                    m=other_sum,
                )
            )
    why += _masteries_gained(s, seat, hands)
    if best.move == "done" and not why:
        why.append(say("nothing that could be taken would do any good"))
    gained = len(texts.bits_of(hands[seat])) - len(texts.bits_of(s.hand[seat]))
    if gained > 0:
        values = rules.values_of(s, hands[seat]) - rules.values_of(s, s.hand[seat])
        why.append(
            say_n(
                "takes {n} point of value into the hand",
                "takes {n} points of value into the hand",
                values,
            )
        )
    return tuple(why[:MOST_FACTS])


def _cell_of(s: Any, text: str) -> int:
    """The cell of a take."""
    name = text.split()[1]
    return (int(name[1:]) - 1) * columns_of(s) + texts.COLUMN_LETTERS.index(name[0])


def _masteries_gained(s: Any, seat: int, hands: list[int]) -> list[str]:
    """The colours of which a seat has most with these hands, and had not before."""
    gained = []
    for colour in range(4):
        before = [rules.blocks_in(s, s.hand[i]) >> 10 * colour & 1023 for i in range(s.seats)]
        after = [rules.blocks_in(s, hands[i]) >> 10 * colour & 1023 for i in range(s.seats)]
        if _leads(after, seat) and not _leads(before, seat):
            gained.append(colour_names()[colour])
    return [say("takes the lead in {colours} blocks", colours=listed(gained))] if gained else []


def _leads(blocks: list[int], seat: int) -> bool:
    return all(blocks[seat] > n for i, n in enumerate(blocks) if i != seat)


def of_picture(desk: Desk, cards: int) -> tuple[str, ...]:
    """What the picture is worth, and the colours no other hand can match."""
    s, seat = desk.s, desk.seat
    why = [say("this picture is worth {n} points by its values", n=rules.values_of(s, cards))]
    certain, likely = [], []
    for colour in range(4):
        own = rules.blocks_in(s, cards) >> 10 * colour & 1023
        most = [_most_blocks(s, other, colour) for other in range(s.seats) if other != seat]
        if own > max(most):
            certain.append(colour_names()[colour])
        elif own and own >= max(most) - 1:
            likely.append(colour_names()[colour])
    if certain:
        why.append(say("no other hand can show as many {colours} blocks", colours=listed(certain)))
    if likely:
        why.append(say("another seat would have to show all its {colours}", colours=listed(likely)))
    return tuple(why[:MOST_FACTS])


def _most_blocks(s: Any, seat: int, colour: int) -> int:
    """The most blocks of a colour that a seat's picture can show."""
    blocks = sorted((block_count(s, c, colour) for c in texts.bits_of(s.hand[seat])), reverse=True)
    return sum(blocks[: rules.picture_size(s)])
