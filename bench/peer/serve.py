"""`mandalier serve` with the small game among its games: python serve.py serve …"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mandalier.cli import main
from mandalier.games.game import GAMES, Game

GAMES["heaps"] = Game("heaps", "heaps")

if __name__ == "__main__":
    GAMES["heaps"].load_all()
    sys.exit(main())
