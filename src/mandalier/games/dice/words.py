"""What is said to people: the goal, what a position holds, why a move is refused, what it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mandalier.games.dice.geometry import side_of
from mandalier.games.dice.house import COLOURS, RANGES
from mandalier.games.dice.rules import (
    counted,
    die_in_hand,
    first_player,
    gesture_limit,
    has_chosen,
    icons_left,
    list_aims,
    master,
    picture_size,
    rival,
    sum_of,
    sum_on,
)
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    BLOCKS,
    CANVASES,
    CARD,
    CHOSEN,
    COLLECT,
    DICE,
    DONE_MOVE,
    EXHIBIT,
    ICONS,
    KEEP_MOVE,
    LEAVE_MOVE,
    OFFERED,
    PREPARE,
    READY_MOVE,
    SIDES,
    STEADINESS,
    STROKES,
    TARGETS,
    THROW_MOVE,
    UNSEEN,
    UNSEEN_CARDS,
    D,
    F,
    columns_of,
    numbers_of,
    rows_of,
)
from mandalier.games.dice.texts import (
    MOST_COLUMNS,
    bits_of,
    cell_text,
    die_name,
    icons_text,
    setup,
    taken_by,
)
from mandalier.games.kernel import bits_in
from mandalier.games.words import listed, listed_or, say, say_n


def goal() -> str:
    return say(
        "Throw dice onto a grid of cards to win them for a picture. Each round you prepare as many "
        "ways to throw as you have dice (2, then 3, 4 and 5): left hand, right hand, blind, "
        "dropped, flicked. Then all throw in turns; a die may push others away, even off the "
        "table. Your dice on a card take it if they show its value or more, and a card of your "
        "hand may help; where others have dice too, the highest sum comes first. After four rounds "
        "all exhibit as many cards, an even number that all can reach. Their values count, and 8 "
        "points more for most blue blocks, 10 for yellow, 12 for red and 14 for black."
    )


def help_texts() -> dict[str, str]:
    """What each kind of move looks like and does."""
    return {
        "ready LD": say(
            "prepare icons for this round: L left hand, R right hand, B blind, D drop, F flick"
        ),
        "throw R 35 820 12": say(
            "throw by the right hand (L, B alike): direction in tenths of a degree off straight "
            "ahead, positive to the left; speed in mm/s; spin in tenths of a radian a second"
        ),
        "throw D 1950 1170": say(
            "drop a die above this point, in tenths of a millimetre from the top left corner"
        ),
        "throw F 1200 -40 1500": say(
            "flick from this place along your edge (from its left end): direction, speed"
        ),
        "again": say("your die went outside without touching another: throw it once more"),
        "leave": say("or leave it outside"),
        "take c3 14": say("take card c3 with your dice 1 and 4, which touch it"),
        "take c3 14 +17": say("the same, boosted by card 17 of your hand, which fills the place"),
        "done": say("end collecting"),
        "keep 12": say("keep card 12 for your picture; cards are kept in ascending order"),
    }


def icon_names() -> tuple[str, ...]:
    return (say("left hand"), say("right hand"), say("blind"), say("vertical drop"), say("flick"))


def colour_names() -> tuple[str, ...]:
    return (say("red"), say("blue"), say("yellow"), say("black"))


def blocks_text(s: Any, card: int) -> str:
    """The coloured blocks of a card as letters; "w" if all are white."""
    blocks = s.blocks[card]
    return "".join(BLOCKS[i] * (blocks >> 10 * i & 1023) for i in range(4)) or "w"


def card_text(s: Any, card: int) -> str:
    """A card in words: number, value, blocks."""
    return say(
        "card {card} (worth {value}, {blocks})",
        card=card,
        value=s.value[card],
        blocks=blocks_text(s, card),
    )


def cells_text(s: Any, cells: int) -> str:
    return listed([cell_text(s, cell) for cell in bits_of(cells)])


def phase_names() -> tuple[str, ...]:
    return (say("prepare"), say("strokes"), say("collect"), say("exhibition"))


PHASES = ("prepare", "strokes", "collect", "exhibition")


def describe(s: Any) -> dict[str, Any]:
    row = s.viewer - 1
    throwing = s.icon != 0
    return {
        "round": s.round,
        "phase": PHASES[s.phase],
        "first_player": first_player(s),
        "turn": s.turn if s.phase in (STROKES, COLLECT) else None,
        "throw": {
            "seat": s.turn,
            "die": die_in_hand(s, s.turn) + 1,
            "icon": ICONS[s.icon - 1],
            "gesture": s.gesture[: numbers_of(s.icon - 1)] if s.chance else None,
            "second": (None, "offered", "chosen")[s.second],
        }
        if throwing
        else None,
        "grid": [[card or None for card in row] for row in setup(s)["grid"]],
        "cards": {
            str(card): _card_data(s, card)
            for card in [c for c in s.grid if c] + [c for hand in s.hand for c in bits_of(hand)]
        },
        "bonus": dict(zip(COLOURS, s.bonus, strict=True)),
        "picture_size": picture_size(s) if s.phase == EXHIBIT else None,
        "ranges": dict(zip(RANGES, s.ranges, strict=True)),
        "hand": STEADINESS[s.steadiness + 1],
        "seats": [_seat_data(s, seat, seat == row) for seat in range(s.seats)],
    }


def sums(s: Any, seat: int) -> list[tuple[str, int]]:
    """Cards by their value, then the masteries."""
    cards = counted(s, seat, False)
    values = [s.value[card] for card in bits_of(cards)] if cards != UNSEEN_CARDS else []
    parts = []
    for value in sorted(set(values), reverse=True):
        n = values.count(value)
        said = say_n("{n} card worth {value}", "{n} cards worth {value}", n, value=value)
        parts.append((said, int(n * value)))
    for colour, name in enumerate(colour_names()):
        if master(s, colour, False) == seat:
            parts.append((say("most {colour} blocks", colour=name), int(s.bonus[colour])))
    return parts


def _card_data(s: Any, card: int) -> dict[str, Any]:
    blocks = s.blocks[card]
    letters = "".join(BLOCKS[i] * (blocks >> 10 * i & 1023) for i in range(4))
    return {"value": s.value[card], "blocks": letters, "white": blocks >> 40}


def _seat_data(s: Any, seat: int, own: bool) -> dict[str, Any]:
    prepared, kept = s.prepared[seat], s.kept[seat]
    return {
        "side": SIDES[side_of(s, seat)],
        "left_handed": bool(s.left_handed >> seat & 1),
        "has_prepared": bool(prepared),
        "prepared": None if prepared == UNSEEN else icons_text(prepared),
        "used": icons_text(s.used[seat]),
        "hand": bits_of(s.hand[seat]),
        "dice": [
            {
                "die": k + 1,
                "x": s.x[seat][k],
                "y": s.y[seat][k],
                "yaw": s.yaw[seat][k],
                "face": s.face[seat][k],
                "touches": [cell_text(s, cell) for cell in bits_of(s.touch[seat][k])],
            }
            for k in range(DICE)
            if s.face[seat][k]
        ],
        "has_chosen": s.phase == EXHIBIT and has_chosen(s, seat),
        "kept": bits_of(kept) if own or s.over else None,
    }


# Refusals


def _due(s: Any) -> str:
    """What the seat whose turn it is has to do."""
    if s.phase == PREPARE:
        return say("it is time to prepare {n} different icons, like ready LD", n=s.round + 1)
    if s.phase == EXHIBIT:
        return say("it is time to keep {n} cards, like keep 12", n=picture_size(s))
    if s.phase == COLLECT:
        return say("it is time to collect: take cards, then say done")
    if s.second == OFFERED:
        return say("your die went outside: say again to throw it once more, or leave")
    return say(
        "it is time to throw a die, by {icons}",
        icons=listed_or(list(icons_text(icons_left(s, s.turn)))),
    )


def refusal(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    if move < AIM_MOVE:
        icons = move - READY_MOVE + 1
        if s.phase != PREPARE:
            return _due(s)
        n = s.round + 1
        return "" if bits_in(icons) == n else say("you have {n} dice: prepare {n} icons", n=n)
    if move < AGAIN_MOVE:
        return _refuse_throw(s, seat, move, arguments)
    if move <= LEAVE_MOVE:
        return "" if s.phase == STROKES and s.second == OFFERED else _no_second(s)
    if move < DONE_MOVE:
        return _refuse_take(s, seat, move, arguments) if s.phase == COLLECT else _due(s)
    if move == DONE_MOVE:
        return "" if s.phase == COLLECT else _due(s)
    return _refuse_card(s, seat, move - KEEP_MOVE + 1) if s.phase == EXHIBIT else _due(s)


def _no_second(s: Any) -> str:
    if s.phase != STROKES:
        return _due(s)
    why = say("a second throw is offered only after a die went outside without touching another")
    return why + "; " + _due(s)


def _refuse_throw(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    if s.phase != STROKES or s.second == OFFERED:
        return _due(s)
    icon = move - THROW_MOVE if move >= THROW_MOVE else (move - AIM_MOVE) // TARGETS
    left, name = icons_left(s, seat), icon_names()[icon]
    if not left >> icon & 1:
        if s.second == CHOSEN:
            way = icon_names()[s.icon - 1]
            return say("the second throw goes the same way as the first: {icon}", icon=way)
        icons = listed_or(list(icons_text(left)))
        if s.used[seat] >> icon & 1:
            return say("you have used {icon} already; left: {icons}", icon=name, icons=icons)
        return say("you have not prepared {icon}; left: {icons}", icon=name, icons=icons)
    if move < THROW_MOVE:
        return _refuse_aim(s, seat, icon, (move - AIM_MOVE) % TARGETS)
    if len(arguments) != numbers_of(icon):
        return say("the gesture of {icon} has {n} numbers", icon=name, n=numbers_of(icon))
    return refuse_numbers(s, seat, icon, arguments)


def refuse_numbers(s: Any, seat: int, icon: int, arguments: Sequence[int]) -> str:
    if icon == D:
        names = [say("the place to the right"), say("the place down")]
    elif icon == F:
        names = [say("the place along your edge"), say("the direction"), say("the speed")]
    else:
        names = [say("the direction"), say("the speed"), say("the spin")]
    for k, (name, number) in enumerate(zip(names, arguments, strict=True)):
        low, high = (gesture_limit(s, seat, icon, k, end) for end in range(2))
        if not low <= number <= high:
            return say(
                "{name} is {number}; it is from {low} to {high}",
                name=name,
                number=number,
                low=low,
                high=high,
            )
    return ""


def _refuse_aim(s: Any, seat: int, icon: int, target: int) -> str:
    aims = [0] * (5 * TARGETS)
    n = list_aims(s, seat, icon, 0, aims)
    if AIM_MOVE + icon * TARGETS + target in aims[:n]:
        return ""
    return say("there is nothing in reach to aim at there; a gesture of your own may go anywhere")


def _refuse_take(s: Any, seat: int, move: int, arguments: Sequence[int]) -> str:
    dice, cell, boost = taken_by(s, seat, move)
    columns, rows = columns_of(s), rows_of(s)
    for k in bits_of(dice):
        if not s.face[seat][k]:
            return _no_die(s, seat, k)
    if arguments:
        row, column = divmod(arguments[0], MOST_COLUMNS)
        if row >= rows or column >= columns:
            last = cell_text(s, rows * columns - 1)
            return say("the cells are a1 to {last}", last=last)
        cell = row * columns + column
    for k in bits_of(dice):
        if cell < 0 or not s.touch[seat][k] >> cell & 1:
            cells = cells_text(s, s.touch[seat][k])
            return say("your die {n} touches {cells} only", n=k + 1, cells=cells)
    if not s.grid[cell]:
        return say("there is a gap at {cell}, no card", cell=cell_text(s, cell))
    other = rival(s, seat, cell)
    if other >= 0:
        return say(
            "seat {seat} has priority on {cell}: its dice there show {n}, yours {m}",
            seat=other,
            cell=cell_text(s, cell),
            n=sum_on(s, other, cell),
            m=sum_on(s, seat, cell),
        )
    return _refuse_value(s, seat, cell, dice, boost)


def _no_die(s: Any, seat: int, k: int) -> str:
    lying = [str(i + 1) for i in range(DICE) if s.face[seat][i]]
    if not lying:
        return say("none of your dice lies on the table any more: say done")
    if k >= bits_in(s.used[seat]):
        return say(
            "you have thrown no die {n}; yours lying are {dice}", n=k + 1, dice=listed(lying)
        )
    return say(
        "your die {n} does not lie on the table any more; yours lying are {dice}",
        n=k + 1,
        dice=listed(lying),
    )


def _refuse_value(s: Any, seat: int, cell: int, dice: int, boost: int) -> str:
    value, total = s.value[s.grid[cell]], sum_of(s, seat, dice)
    if total >= value:
        if boost:
            return say("the dice show {n} and need no boost for {value}", n=total, value=value)
        return ""
    if not boost:
        helpful = [c for c in bits_of(s.hand[seat]) if total + s.value[c] >= value]
        said = say("the dice show {n}, the card is worth {value}", n=total, value=value)
        if helpful:
            return said + say("; boost it with a card of your hand, like +{card}", card=helpful[0])
        return said + say("; no card of your hand makes up for it")
    if not s.hand[seat] >> boost & 1:
        return say("card {card} is not in your hand", card=boost)
    if total + s.value[boost] < value:
        return say(
            "the dice and the boost come to {n} and {m}, the card is worth {value}",
            n=total,
            m=s.value[boost],
            value=value,
        )
    return ""


def _refuse_card(s: Any, seat: int, card: int) -> str:
    kept, size = s.kept[seat], picture_size(s)
    if not s.hand[seat] >> card & 1:
        return say("card {card} is not in your hand", card=card)
    if kept >> card & 1:
        return say("card {card} is kept already", card=card)
    if kept >> card:
        last = kept.bit_length() - 1
        return say("cards are kept in ascending order, and you have kept {last}", last=last)
    above = bits_in(s.hand[seat] >> card)
    if above < size - bits_in(kept):
        return say(
            "a picture has {size} cards, kept in ascending order; from {card} on you have {n} only",
            size=size,
            card=card,
            n=above,
        )
    return ""


# Explanations


def explain(s: Any, seat: int, move: int) -> str:
    if move < AIM_MOVE:
        icons = [icon_names()[i] for i in bits_of(move - READY_MOVE + 1)]
        return say("prepare {icons}", icons=listed(icons))
    if move < AGAIN_MOVE:
        return _explain_throw(s, seat, move)
    if move == AGAIN_MOVE:
        return say("throw die {n} once more", n=die_in_hand(s, seat) + 1)
    if move == LEAVE_MOVE:
        return say("leave die {n} outside: it is lost for this round", n=die_in_hand(s, seat) + 1)
    if move < DONE_MOVE:
        return _explain_take(s, seat, move)
    if move == DONE_MOVE:
        return say("end collecting")
    card = move - KEEP_MOVE + 1
    n = bits_in(s.kept[seat]) + 1
    size = picture_size(s)
    return say("keep {card}, {n} of {size}", card=card_text(s, card), n=n, size=size)


def _explain_throw(s: Any, seat: int, move: int) -> str:
    n, names = die_in_hand(s, seat) + 1, icon_names()
    if move >= THROW_MOVE:
        name = names[move - THROW_MOVE]
        return say("throw die {n} ({icon}) with a free gesture", n=n, icon=name)
    icon, target = divmod(move - AIM_MOVE, TARGETS)
    if target >= CANVASES:
        other = die_name(target - CANVASES)
        return say("throw die {n} ({icon}) at die {other}", n=n, icon=names[icon], other=other)
    aimed = say(
        "throw die {n} ({icon}) at {cell}", n=n, icon=names[icon], cell=cell_text(s, target)
    )
    return aimed + (", " + card_text(s, s.grid[target]) if s.grid[target] else "")


def _explain_take(s: Any, seat: int, move: int) -> str:
    dice, cell, boost = taken_by(s, seat, move)
    said = say_n(
        "take {card} at {cell} with die {dice}, showing {total}",
        "take {card} at {cell} with dice {dice}, showing {total}",
        bits_in(dice),
        card=card_text(s, s.grid[cell]),
        cell=cell_text(s, cell),
        dice=listed([str(k + 1) for k in bits_of(dice)]),
        total=sum_of(s, seat, dice),
    )
    if boost:
        said += say("; {card} boosts it and fills the place", card=card_text(s, boost))
    return said


def tell_chance(s: Any, outcome: str) -> str:
    """Where the dice of a `land …` entry have come to rest."""
    kind, _, landed = outcome.removeprefix("land ").partition(" ")
    told = []
    for die in landed.split("; "):
        name, x, y, _, face = die.split(" ")
        column, row = int(x) // CARD, int(y) // CARD
        inside = 0 <= int(x) <= CARD * columns_of(s) and 0 <= int(y) <= CARD * rows_of(s)
        if inside:
            cell = min(row, rows_of(s) - 1) * columns_of(s) + min(column, columns_of(s) - 1)
            told.append(
                say(
                    "die {die} shows {face} at {cell}", die=name, face=face, cell=cell_text(s, cell)
                )
            )
        else:
            told.append(say("die {die} lies outside", die=name))
    if kind == "hit":
        return say("{first}; it hit another die: {others}", first=told[0], others=listed(told[1:]))
    return told[0]
