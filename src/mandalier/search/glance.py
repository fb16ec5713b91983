"""Bots that need no search: they choose among the legal moves of a hidden state."""

from __future__ import annotations

from mandalier.games.contract import (
    MAX_SEATS,
    appraise,
    hide,
    imagine,
    legal,
    play,
    resume,
    roll,
    score,
)
from mandalier.games.game import MandalierError, View, check_seed
from mandalier.games.kernel import Array, Record, below, next_word, rule, seed_generator
from mandalier.games.words import listed_or, say
from mandalier.search.bot import NO_LIMIT, Budget, Thought, check_view

RANDOM = 0
GREEDY = 1
EAGER = 2
BOTS = {"random": RANDOM, "greedy": GREEDY, "eager": EAGER}
"""The bots by name; the numbers are for the rules."""

SCRATCH = 2
"""States that `choose` needs after the one it chooses in."""


@rule
def choose(
    states: Array, bot: int, seat: int, g: Record, out: Array, points: Array, bank: Array
) -> int:
    """The number of the move a bot plays in states[0] for a seat that may move.

    It uses up to SCRATCH states more. `g` is the bots' own generator.
    """
    n = legal(states[0], seat, out)
    if bot != RANDOM:
        return look_once(states, bot, seat, n, g, out, points, bank)
    return int(out[below(g, n)])


@rule
def look_once(
    states: Array, bot: int, seat: int, n: int, g: Record, out: Array, points: Array, bank: Array
) -> int:
    """The move after which the seat stands best, in one world it imagines: by the points made so
    far (greedy), or by what the position promises at a glance (eager)."""
    world = states[1]
    states[1] = states[0]
    hide(world, seat)
    imagine(world, next_word(g))
    best = -1
    best_lead = 0
    ties = 0
    for i in range(n):
        states[2] = states[1]
        trial = states[2]
        play(trial, seat, out[i])
        while trial.chance != 0:
            roll(trial, bank)
            resume(trial)
        lead = lead_of(trial, bot, seat, points)
        if best < 0 or lead > best_lead:
            best = i
            best_lead = lead
            ties = 1
        elif lead == best_lead:
            ties += 1
            if below(g, ties) == 0:
                best = i
    return int(out[best])


@rule
def lead_of(s: Record, bot: int, seat: int, points: Array) -> int:
    """How a seat stands to the best other seat."""
    if bot == GREEDY:
        score(s, points)
    else:
        appraise(s, points)
    best = -1
    for other in range(s.seats):
        if other != seat and (best < 0 or points[other] > points[best]):
            best = other
    return int(points[seat] - points[best])


@rule
def choose_at(
    states: Array,
    bot: int,
    seat: int,
    g: Array,
    seed: int,
    out: Array,
    points: Array,
    bank: Array,
) -> int:
    """`choose` with a fresh generator."""
    seed_generator(g[0], seed, 1)
    return choose(states, bot, seat, g[0], out, points, bank)


def bot_number(name: str) -> int:
    """The number of the bot of this name."""
    if name not in BOTS:
        bots = listed_or(list(BOTS))
        raise MandalierError(
            say("there is no bot {name}; it is {bots}", name=repr(name), bots=bots)
        )
    return BOTS[name]


class Glance:
    """A bot that does not search."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._number = bot_number(name)

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        check_view(view)
        engine = view.game.at_hand
        states, g = engine.states(1 + SCRATCH), engine.generators(1)
        engine.write(view.look(), states)
        move = engine.bind(choose_at)(
            states,
            self._number,
            view.seat,
            g,
            check_seed(seed),
            engine.move_list(),
            engine.array(MAX_SEATS),
            engine.bank,
        )
        return Thought(str(view.game.module.text(view.look(), move)), by=self.name)
