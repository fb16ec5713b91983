"""From the start of a bot's process to its first thought: the time of the processor and the memory.

    python bench/start.py [--bot master] [--repeat 7]

The first run of each game compiles, or finds out that nothing is to be compiled, and does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys

from mandalier.games.game import GAMES

FIRST_THOUGHT = """
import sys
from mandalier.games.game import deal, game
from mandalier.search.bot import Budget, bot

name, who = sys.argv[1:]
game(name).load()
state = deal(name, seed=3)
bot(who).think(state.view(state.waiting[0]), Budget(iterations=1), seed=1)

import json, resource, time
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([time.process_time(), used.ru_maxrss / 1024]))
"""


def once(game: str, who: str) -> tuple[float, float]:
    """Seconds of the processor and MB at the first thought of a new process."""
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", FIRST_THOUGHT, game, who]
    done = subprocess.run(command, env=plain, check=True, capture_output=True, text=True)
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--bot", default="master")
    asked.add_argument("--repeat", type=int, default=7)
    args = asked.parse_args()
    print("| game | median, s of the processor | longest | memory, MB |")
    print("|---|---|---|---|")
    for game in GAMES:
        once(game, args.bot)
        found = [once(game, args.bot) for _ in range(args.repeat)]
        times = [seconds for seconds, _ in found]
        most = max(megabytes for _, megabytes in found)
        print(f"| {game} | {statistics.median(times):.2f} | {max(times):.2f} | {most:.0f} |")


if __name__ == "__main__":
    main()
