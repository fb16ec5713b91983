"""The positions that show what a game looks like, from the middle of games between bots.

python -m tests.draw.make_samples
"""

from __future__ import annotations

from pathlib import Path

import mandalier
from mandalier.games.game import GAMES

SAMPLES = Path(mandalier.__file__).parent / "draw" / "samples.txt"
SEED = 7
SHARE = 0.45  # of the game
BY = "eager"


def sample(game: str) -> str:
    """A line of text, as `mandalier.position` reads it."""
    options = getattr(GAMES[game].module, "QUICK_OPTIONS", None)
    state = mandalier.deal(game, seed=SEED, options=options)
    passed = [state.position]
    while not state.over:
        seat = state.waiting[0]
        state.play(mandalier.bot_move(state.view(seat), BY, seed=len(passed)), seat)
        passed.append(state.position)
    return passed[int(SHARE * len(passed))]


if __name__ == "__main__":
    SAMPLES.write_text("".join(f"{sample(game)}\n" for game in GAMES), "utf-8")
