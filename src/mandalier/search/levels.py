"""The levels, from novice to master, the same names for every game; and what bots there are.

Each game's levels are meant to lie some 150 to 200 Elo apart; how far they do is measured by
`mandalier ladder` and told in bench/results.md.
After a colon stands a personality, a number from 1: "adept:3" likes something that "adept:4" does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES, View
from mandalier.games.words import say
from mandalier.search.bot import LEVELS as NAMES
from mandalier.search.bot import MAKERS, NO_LIMIT, Budget, Candidate, Thought, check_view
from mandalier.search.player import Level, Liking, Player
from mandalier.search.searcher import Style

if TYPE_CHECKING:
    from mandalier.search.strokes.levels import DiceLevel

MASTER_MS = 850.0
"""With what comes before and after, well within a second, on a machine that has more to do too."""


def _ladder(*levels: Level) -> Mapping[str, Level]:
    return dict(zip(NAMES, levels, strict=True))


GLANCE = Style(horizon=1, playout=0, lead_part=0.5)
"""It judges right after its own move."""


def _short(moves: int) -> Style:
    """It sees so many moves ahead."""
    return Style(horizon=moves)


LEVELS: Mapping[str, Mapping[str, Level]] = {
    "sand": _ladder(
        Level(Budget(iterations=60), GLANCE, notices=0.5, doubt=0.06, liking=0.05),
        Level(
            Budget(iterations=80),
            Style(horizon=2, playout=2, blind=0.6, lead_part=0.5),
            notices=0.55,
            doubt=0.04,
            liking=0.03,
        ),
        Level(
            Budget(iterations=400),
            Style(horizon=4, blind=0.3),
            notices=0.75,
            doubt=0.01,
            liking=0.02,
        ),
        Level(Budget(iterations=1500), Style(horizon=6, blind=0.2), notices=0.85, liking=0.02),
        Level(Budget(iterations=8000), liking=0.01),
        Level(Budget(ms=MASTER_MS), exact=0.3, nets=True),
    ),
    "stones": _ladder(
        Level(Budget(iterations=60), GLANCE, notices=0.6, doubt=0.035, liking=0.05),
        Level(Budget(iterations=10), _short(2), notices=0.6, doubt=0.075, liking=0.03, nets=True),
        Level(Budget(iterations=20), _short(4), notices=0.9, doubt=0.003, liking=0.02, nets=True),
        Level(Budget(iterations=42), _short(6), liking=0.02, nets=True),
        Level(Budget(iterations=220), _short(8), liking=0.01, nets=True),
        Level(Budget(ms=MASTER_MS), exact=0.3, nets=True),
    ),
    "pyramids": _ladder(
        Level(Budget(iterations=70), GLANCE, notices=0.45, doubt=0.04, liking=0.08),
        Level(Budget(iterations=150), GLANCE, notices=0.75, doubt=0.014, liking=0.04),
        Level(Budget(iterations=18), _short(4), notices=0.75, doubt=0.015, liking=0.02, nets=True),
        Level(Budget(iterations=60), _short(6), notices=0.95, liking=0.02, nets=True),
        Level(Budget(iterations=400), _short(8), liking=0.01, nets=True),
        Level(Budget(ms=MASTER_MS), exact=0.6, nets=True),
    ),
}
"""[game][level], but for dice, whose levels are in strokes/levels.py."""


# What they like --------------------------------------------------------------------------------


def _likes_colour_of_sand(personality: int) -> Liking:
    colour = "roygpk"[personality % 6]
    return lambda view, move: colour in move


def _likes_turn_of_stones(personality: int) -> Liking:
    """To build tall (pick), to score colours, or tops."""
    kind = ("pick", "score", "tops")[personality % 3]
    return lambda view, move: (move.split()[0] if move[1].isalpha() else "pick") == kind


def _likes_colour_of_pyramids(personality: int) -> Liking:
    colour = personality % 5

    def likes(view: View, move: str) -> bool:
        return (int(view.look().path[int(move) - 1]) - 1) // 3 == colour

    return likes


LIKINGS = {
    "sand": _likes_colour_of_sand,
    "stones": _likes_turn_of_stones,
    "pyramids": _likes_colour_of_pyramids,
}


# By name ---------------------------------------------------------------------------------------


class AtLevel:
    """A bot of a level, for any game: "master", or with a personality "adept:3"."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.level, colon, number = name.partition(":")
        if colon and not (number.isascii() and number.isdecimal() and 1 <= int(number) <= 999):
            text = say(
                "{name}: after a level comes the number of a personality, as in adept:3", name=name
            )
            raise MandalierError(text)
        self.personality = int(number or 0)
        self._players: dict[str, Player] = {}

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        check_view(view)
        if view.game.name not in LEVELS:
            from mandalier.search import strokes

            return strokes.think_as(self.level, view, budget, seed, self.personality)
        return self._player(view).think(view, budget, seed)

    def weigh(
        self, view: View, move: int, budget: Budget = NO_LIMIT, seed: int = 0
    ) -> Candidate | None:
        """What it expects of one move, by its number; None where it cannot say."""
        if check_view(view).game.name not in LEVELS:
            return None
        return self._player(view).weigh(view, move, budget, seed)

    def _player(self, view: View) -> Player:
        name = view.game.name
        if name not in self._players:
            liking = LIKINGS[name](self.personality) if self.personality else None
            self._players[name] = Player(self.name, LEVELS[name][self.level], liking)
        return self._players[name]


@dataclass(frozen=True, slots=True)
class Listed:
    """A bot that anybody may ask for."""

    name: str
    words: str
    """What kind of player it is, in a line."""
    games: tuple[str, ...]
    title: str = ""
    """What a level is called."""


def roster() -> list[Listed]:
    """The bots that a table can ask for by name, the levels first."""
    words = {
        "novice": say("sees what a move brings at once, and little else"),
        "apprentice": say("looks a move ahead, and forgets that others have plans"),
        "journeyman": say("plans a few moves, and misses some threats"),
        "adept": say("plays soundly, and overlooks the unusual"),
        "expert": say("looks far ahead, and seldom errs"),
        "master": say("the strongest: thinks for up to a second"),
        "random": say("any legal move"),
        "greedy": say("what brings most points at once"),
        "eager": say("what promises most at a glance"),
        "aimer": say("throws at the most valuable card in reach"),
        "strokes": say("the master's search, with any number of iterations: strokes:2000"),
    }
    only = {"aimer": ("dice",), "strokes": ("dice",)}
    order = [*NAMES, *(name for name in MAKERS if name not in NAMES)]
    return [
        Listed(name, words[name], only.get(name, tuple(GAMES)), titles().get(name, ""))
        for name in order
        if name in words
    ]


def levels_of(game: str) -> Mapping[str, Level | DiceLevel]:
    """A game's levels, by name."""
    if game in LEVELS:
        return LEVELS[game]
    from mandalier.search.strokes.levels import LEVELS as DICE_LEVELS

    return DICE_LEVELS


def titles() -> dict[str, str]:
    """What the levels are called, in the language at hand."""
    return {
        "novice": say("Novice"),
        "apprentice": say("Apprentice"),
        "journeyman": say("Journeyman"),
        "adept": say("Adept"),
        "expert": say("Expert"),
        "master": say("Master"),
    }


def title_of(name: str) -> str:
    """What a bot is called at a table."""
    return titles().get(name) or name[:1].upper() + name[1:]


def bots_for(game: str) -> list[str]:
    """The names of the bots that play a game."""
    return [one.name for one in roster() if game in one.games]


__all__ = ["LEVELS", "NAMES", "AtLevel", "Listed", "bots_for", "levels_of", "roster", "title_of"]
