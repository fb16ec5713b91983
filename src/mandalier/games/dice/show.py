"""The position as lines of text."""

from __future__ import annotations

from typing import Any

from mandalier.games.dice.rules import die_in_hand, first_player, has_chosen, picture_size
from mandalier.games.dice.state import (
    ALL_DICE,
    BLOCK_NAMES,
    BLOCKS,
    CARD,
    CHOSEN,
    DICE,
    EXHIBIT,
    OFFERED,
    ROUNDS,
    UNSEEN,
    UNSEEN_CARDS,
    columns_of,
    rows_of,
)
from mandalier.games.dice.texts import COLUMN_LETTERS, bits_of, cell_text, die_name, icons_text
from mandalier.games.dice.words import blocks_text, icon_names, phase_names
from mandalier.games.position import Paint
from mandalier.games.words import say


def board(s: Any, paint: Paint) -> list[str]:
    return [*_situation(s, paint), *_grid_lines(s, paint), "", *_seat_lines(s, paint)]


def _situation(s: Any, paint: Paint) -> list[str]:
    said = say("round {n} of {all}, {phase}", n=s.round, all=ROUNDS, phase=phase_names()[s.phase])
    if s.phase == EXHIBIT:
        said += ", " + say("pictures of {n} cards", n=picture_size(s))
    else:
        said += ", " + say("seat {seat} is first player", seat=first_player(s))
    if s.second == OFFERED:
        said += ", " + say("a second throw is offered")
    elif s.second == CHOSEN:
        said += ", " + say("a second throw ({icon})", icon=icon_names()[s.icon - 1])
    elif s.icon:
        said += ", " + say(
            "die {die} is in the air", die=die_name(s.turn * DICE + die_in_hand(s, s.turn))
        )
    return [paint(said, "bold")]


def _grid_lines(s: Any, paint: Paint) -> list[str]:
    """Each cell's card (value and blocks) and, under it, the dice there: seat.number:face."""
    columns, rows = columns_of(s), rows_of(s)
    width = min(12, 76 // columns)
    lines = ["   " + "".join(COLUMN_LETTERS[c].center(width) for c in range(columns))]
    for row in range(rows):
        cells = range(row * columns, (row + 1) * columns)
        lines.append(f"{row + 1:2} " + "".join(_card_cell(s, cell, width, paint) for cell in cells))
        lines.append("   " + "".join(_dice_cell(s, cell, width, paint) for cell in cells))
    return [line.rstrip() for line in lines]


def _in_cell(shown: str, painted: str, width: int) -> str:
    left = (width - len(shown)) // 2
    return " " * left + painted + " " * (width - len(shown) - left)


def _blocks_painted(s: Any, card: int, paint: Paint) -> str:
    styles = dict(zip(BLOCKS, BLOCK_NAMES, strict=True))
    letters = blocks_text(s, card)
    return "".join(paint(letter, styles.get(letter, "dim")) for letter in letters)


def _card_cell(s: Any, cell: int, width: int, paint: Paint) -> str:
    card = s.grid[cell]
    if not card:
        return _in_cell("·", paint("·", "dim"), width)
    value = str(s.value[card])
    shown = f"{value} {blocks_text(s, card)}"
    return _in_cell(shown, paint(value, "bold") + " " + _blocks_painted(s, card, paint), width)


def _dice_cell(s: Any, cell: int, width: int, paint: Paint) -> str:
    dice = []
    for i in range(ALL_DICE):
        seat, k = divmod(i, DICE)
        if s.face[seat][k] and _centre_cell(s, seat, k) == cell:
            dice.append(f"{die_name(i)}:{s.face[seat][k]}")
    fit = (width + 1) // len("1.2:6 ")
    if len(dice) > fit:
        dice[fit - 1 :] = [f"+{len(dice) - fit + 1}"]
    shown = " ".join(dice)
    return _in_cell(shown, paint(shown, "green") if shown else "", width)


def _centre_cell(s: Any, seat: int, k: int) -> int:
    column = min(s.x[seat][k] // CARD, columns_of(s) - 1)
    row = min(s.y[seat][k] // CARD, rows_of(s) - 1)
    return int(row * columns_of(s) + column)


def _seat_lines(s: Any, paint: Paint) -> list[str]:
    lines = []
    for seat in range(s.seats):
        name = say("seat {seat}", seat=seat)
        lines.append(paint(name, "bold") + "  " + _palette(s, seat))
        if dice := _dice_line(s, seat):
            lines.append("  " + dice)
        lines += _cards_lines(s, say("hand"), s.hand[seat] & ~s.kept[seat], paint)
        if s.kept[seat] > UNSEEN_CARDS:
            lines += _cards_lines(s, say("picture"), s.kept[seat], paint)
    return lines


def _palette(s: Any, seat: int) -> str:
    if s.phase == EXHIBIT:
        done = has_chosen(s, seat)
        return say("picture complete") if done else say("picture not complete yet")
    if not s.prepared[seat]:
        return say("nothing prepared yet")
    if s.prepared[seat] == UNSEEN:
        return say("has prepared")
    left = icons_text(s.prepared[seat] & ~s.used[seat]) or "–"
    return say("prepared: {icons}, left: {left}", icons=icons_text(s.prepared[seat]), left=left)


def _dice_line(s: Any, seat: int) -> str:
    """The seat's dice: number, face, and the cells it touches."""
    dice = []
    for k in range(DICE):
        if face := s.face[seat][k]:
            cells = "/".join(cell_text(s, cell) for cell in bits_of(s.touch[seat][k]))
            dice.append(f"{k + 1}:{face} {cells}")
    return say("dice: {dice}", dice="   ".join(dice)) if dice else ""


def _cards_lines(s: Any, name: str, cards: int, paint: Paint) -> list[str]:
    """Cards as number:value blocks, in lines of 80 characters."""
    lines, line, length = [], f"  {name}:", len(name) + 3
    for card in bits_of(cards):
        start = f"{card}:{s.value[card]}"
        blocks = blocks_text(s, card)
        size = len(start) + len(blocks) + 2
        if length + size > 80:
            lines.append(line)
            line, length = " " * (len(name) + 3), len(name) + 3
        line += f" {start}" + _blocks_painted(s, card, paint) + " "
        length += size
    return [*lines, line.rstrip() if cards else f"  {name}: –"]
