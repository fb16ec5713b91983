"""The pictures of docs/pictures.md, made from games played to a certain point.

python -m tests.draw.make_pictures [NAME …]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

from mandalier import draw
from mandalier.games.game import View, deal
from tests.support import OPTIONS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"


def played(name: str, seats: int, seed: int, plies: int, seat: int) -> View:
    """What a seat sees of a random game after so many moves; along the path of pyramids it goes in
    small steps."""
    state = deal(name, seats, seed, OPTIONS.get(name))
    chooser = random.Random(seed)
    for _ in range(plies):
        mover = chooser.choice(state.waiting)
        moves = state.legal(mover)
        state.play(chooser.choice(moves[:4] if name == "pyramids" else moves), mover)
    return state.view(seat)


PICTURES: dict[str, Callable[[], str]] = {
    "sand": lambda: draw.picture(played("sand", 2, 7, 40, 0)),
    "sand-tall-dark": lambda: draw.picture(
        played("sand", 2, 7, 40, 1), arrangement="tall", theme="dark"
    ),
    "stones": lambda: draw.picture(played("stones", 2, 7, 32, 0)),
    "stones-tall-dark": lambda: draw.picture(
        played("stones", 3, 7, 40, 1), arrangement="tall", theme="dark"
    ),
    "pyramids": lambda: draw.picture(played("pyramids", 3, 7, 18, 0)),
    "pyramids-tall-dark": lambda: draw.picture(
        played("pyramids", 5, 7, 24, 2), arrangement="tall", theme="dark"
    ),
    "dice": lambda: draw.picture(played("dice", 2, 7, 36, 0)),
    "dice-tall-dark": lambda: draw.picture(
        played("dice", 3, 7, 50, 1), arrangement="tall", theme="dark"
    ),
}


def main(names: list[str]) -> int:
    FOLDER.mkdir(exist_ok=True)
    for name in names or list(PICTURES):
        (FOLDER / f"{name}.svg").write_text(PICTURES[name]() + "\n", encoding="utf-8")
        print(FOLDER / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
