"""Mondrian, the dice game: this package is the game module.

state.py says what a record holds, geometry.py where dice lie and throws go, rules.py has the rules;
house.py, texts.py, words.py, show.py and faults.py have the rest of the module. data.py reads the
house data (deck.toml); physics.py simulates a throw (it alone needs MuJoCo, and is imported by the
first one); surrogate.py draws throws from a bank of simulated ones, for search.
"""

from mandalier.games.dice.faults import fault
from mandalier.games.dice.house import (
    apply_options,
    bank,
    blank,
    choices,
    options,
    outcome,
    outcome_engine,
    path_to,
    uses_outcome,
)
from mandalier.games.dice.rules import (
    appraise,
    enter,
    hide,
    imagine,
    lay_out,
    legal,
    play,
    reshuffle,
    resume,
    roll,
    score,
    shuffle_up,
    waiting,
)
from mandalier.games.dice.show import board
from mandalier.games.dice.state import CREDIT, MOVES, REASONS, RULES, SEATS, STATE, TITLE
from mandalier.games.dice.texts import (
    CODECS,
    chance_text,
    entry_numbers,
    parse,
    prepare,
    secret,
    set_chance,
    set_up,
    setup,
    text,
)
from mandalier.games.dice.words import (
    describe,
    explain,
    goal,
    help_texts,
    refusal,
    sums,
    tell_chance,
)

__all__ = [
    "CODECS",
    "CREDIT",
    "MOVES",
    "QUICK_OPTIONS",
    "REASONS",
    "RULES",
    "SEATS",
    "STATE",
    "TITLE",
    "apply_options",
    "appraise",
    "bank",
    "blank",
    "board",
    "chance_text",
    "choices",
    "describe",
    "enter",
    "entry_numbers",
    "explain",
    "fault",
    "goal",
    "help_texts",
    "hide",
    "imagine",
    "lay_out",
    "legal",
    "options",
    "outcome",
    "outcome_engine",
    "parse",
    "path_to",
    "play",
    "prepare",
    "refusal",
    "reshuffle",
    "resume",
    "roll",
    "score",
    "secret",
    "set_chance",
    "set_up",
    "setup",
    "shuffle_up",
    "sums",
    "tell_chance",
    "text",
    "uses_outcome",
    "waiting",
]
