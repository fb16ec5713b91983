"""The bot that masters of dice are measured against: it aims at the most valuable card in reach.

It prepares the icons that hit best, throws with the best one left at the most valuable card in
reach that its dice do not have yet, takes the most valuable cards it can, boosted by the least
card that does, and exhibits its most valuable cards. It sees neither colours nor the others.
"""

from __future__ import annotations

from typing import Any

from mandalier.games.dice import rules, texts
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    AIM_MOVE,
    CANVASES,
    COLLECT,
    DONE_MOVE,
    EXHIBIT,
    KEEP_MOVE,
    OFFERED,
    PREPARE,
    READY_MOVE,
    TARGETS,
    B,
    D,
    F,
    L,
    R,
)
from mandalier.games.errors import MandalierError
from mandalier.games.game import View, check_seed
from mandalier.games.kernel import GENERATOR as NUMBERS
from mandalier.games.kernel import SCRIBBLE, below, bits_in, new_states, seed_generator
from mandalier.games.words import say
from mandalier.search.bot import NO_LIMIT, Budget, Thought, check_view

BEST_ICONS = (F, D, R, L, B)
"""From the one that touches the card aimed at most often on."""


class Aimer:
    """A bot for dice that aims at the most valuable reachable card with its best icon."""

    def __init__(self, name: str = "aimer") -> None:
        self.name = name

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        check_view(view)
        if view.game.name != "dice":
            raise MandalierError(say("the bot {name} plays dice only", name=self.name))
        s = view.look()
        g: Any = new_states(NUMBERS, 1, False)[0]
        seed_generator(g, check_seed(seed), 1)
        return Thought(str(view.game.module.text(s, self.move(s, view.seat, g))), by=self.name)

    def move(self, s: Any, seat: int, g: Any) -> int:
        """The number of its move in a hidden state."""
        if s.phase == PREPARE:
            return READY_MOVE + sum(1 << icon for icon in BEST_ICONS[: s.round + 1]) - 1
        if s.phase == EXHIBIT:
            picture = rules.best_picture(s, seat) & ~s.kept[seat]
            return KEEP_MOVE + bits_in((picture & -picture) - 1) - 1
        if s.phase == COLLECT:
            return best_take(s, seat)
        if s.second == OFFERED:
            return AGAIN_MOVE
        return aim(s, seat, g)


def aim(s: Any, seat: int, g: Any) -> int:
    """The most valuable card in reach, which its dice do not have yet, with its best icon."""
    left = rules.icons_left(s, seat)
    icon = next(icon for icon in BEST_ICONS if left >> icon & 1)
    out = [0] * TARGETS
    moves = out[: rules.list_aims(s, seat, icon, 0, out)]
    best, most, ties = moves[0], (-1, -1), 0
    for move in moves:
        cell = (move - AIM_MOVE) % TARGETS
        if cell >= CANVASES:
            continue
        value = int(s.value[s.grid[cell]])
        rank = (int(rules.sum_on(s, seat, cell) < value), value)
        if rank > most:
            best, most, ties = move, rank, 1
        elif rank == most:
            ties += 1
            if below(g, ties) == 0:
                best = move
    return best


def best_take(s: Any, seat: int) -> int:
    """The most valuable card by the fewest dice, boosted if the boost is worth less."""
    out = [0] * (DONE_MOVE + SCRIBBLE)
    best, most = DONE_MOVE, (0, 0, 0)
    for move in out[: rules.list_takes(s, seat, out)]:
        if move == DONE_MOVE:
            continue
        dice, cell, boost = texts.taken_by(s, seat, move)
        gain = int(s.value[s.grid[cell]]) - int(s.value[boost])
        rank = (gain, -bits_in(dice), -rules.sum_of(s, seat, dice))
        if gain > 0 and rank > most:
            best, most = move, rank
    return best
