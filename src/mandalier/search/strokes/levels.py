"""Dice players from novice to master: each lacks something that people lack.

A novice throws at values, one die at a time, as if nobody else were at the table, and exhibits what
is most valuable. Apprentices and journeymen see ever more of the masteries; an adept reckons with
the others' dice and with the throws to come; an expert searches what to take, and all choices of the
exhibition. Below the expert each has a hand it likes to throw by, if it has a personality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mandalier.games.dice.state import ICONS
from mandalier.search.bot import Budget


@dataclass(frozen=True, slots=True)
class DiceLevel:
    """How long a level thinks, and in what style."""

    budget: Budget
    style: Mapping[str, Any] = field(default_factory=dict)
    likes: bool = True
    """Whether its personality shows in an icon it likes."""

    def style_of(self, personality: int) -> dict[str, Any]:
        """The style of one of its personalities; 0 likes nothing above the rest."""
        liking = ICONS[personality * 7 % 5] if self.likes and personality else ""
        return {**self.style, "liking": liking}


_BLUNT = {"collect": "greedy", "physics": False}
_SHORT = {**_BLUNT, "contests": False, "ahead": False}

LEVELS: Mapping[str, DiceLevel] = {
    "novice": DiceLevel(
        Budget(iterations=20),
        {**_SHORT, "mastery": 0.0, "exhibition": "values", "aims": 6, "doubt": 0.04},
    ),
    "apprentice": DiceLevel(
        Budget(iterations=30),
        {**_SHORT, "mastery": 0.25, "exhibition": "values", "aims": 8, "doubt": 0.03},
    ),
    "journeyman": DiceLevel(
        Budget(iterations=60),
        {**_SHORT, "mastery": 0.5, "exhibition": "best", "aims": 10, "doubt": 0.05},
    ),
    "adept": DiceLevel(
        Budget(iterations=110),
        {**_BLUNT, "mastery": 0.8, "exhibition": "best", "aims": 16, "doubt": 0.07},
    ),
    "expert": DiceLevel(Budget(iterations=180), {"physics": False, "doubt": 0.015}, likes=False),
    "master": DiceLevel(Budget(ms=900), likes=False),
}
