"""How strong the bots are: each claim by one command, with its interval.

    python bench/strength.py --list
    python bench/strength.py sand-mcts --games 100
    python bench/strength.py all --stop-early
    python bench/strength.py --table

A claim is a match in the arena. What was played is kept in bench/journals, so the same command goes
on where it was stopped, and with more games makes the match longer. The result is printed and added
to bench/strength.jsonl; --table prints what is there, the last of each claim, for results.md.
Bots with a budget of time need a core for each worker.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mandalier.cli.common import progress
from mandalier.games.errors import MandalierError
from mandalier.lab.arena import Match, MatchResult, Stop, arena
from mandalier.lab.bench import machine
from mandalier.lab.intervals import elo_of

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "strength.jsonl"
SEED = 7
FAIR_TIMES = 2.0  # what a master is to have of its fair share at tables of more than two


@dataclass(frozen=True)
class Claim:
    """One bot, or a table of it, that another is to beat."""

    name: str
    game: str
    seats: int
    other: str
    wanted: float
    """The share of the wins."""

    def match(self, bot: str, games: int) -> Match:
        return Match.of(self.game, [bot, self.other], seats=self.seats, games=games, seed=SEED)


CLAIMS = [
    Claim("sand-mcts", "sand", 2, "mcts:10000", 0.85),
    Claim("sand-greedy", "sand", 2, "greedy", 0.99),
    Claim("stones-mcts", "stones", 2, "mcts:10000", 0.80),
    Claim("stones-mcts-3", "stones", 3, "mcts:10000", FAIR_TIMES / 3),
    Claim("stones-mcts-4", "stones", 4, "mcts:10000", FAIR_TIMES / 4),
    Claim("pyramids-mcts", "pyramids", 2, "mcts:10000", 0.80),
    Claim("pyramids-mcts-3", "pyramids", 3, "mcts:10000", FAIR_TIMES / 3),
    Claim("pyramids-mcts-4", "pyramids", 4, "mcts:10000", FAIR_TIMES / 4),
    Claim("pyramids-mcts-5", "pyramids", 5, "mcts:10000", FAIR_TIMES / 5),
    Claim("dice-aimer", "dice", 2, "aimer", 0.75),
]


def measure(claim: Claim, parsed: argparse.Namespace) -> MatchResult:
    """Play the match of a claim."""
    journals = HERE / "journals"
    journals.mkdir(exist_ok=True)
    wanted = elo_of(claim.wanted, claim.seats)
    stop = Stop.of(wanted, wanted + 100) if parsed.stop_early else None
    bot = parsed.bot.replace(":", "_").replace("@", "_")
    with progress(claim.name) as report:
        return arena(
            claim.match(parsed.bot, parsed.games),
            stop=stop,
            workers=parsed.workers,
            journal=journals / f"{claim.name}-{bot}.journal",
            overwrite=parsed.overwrite,
            progress=report,
        )


def found(claim: Claim, result: MatchResult) -> dict[str, Any]:
    """What came of it, with what was wanted and where it was measured."""
    standing = result.standing()
    low, high = standing.share_span
    met = "yes" if low >= claim.wanted else "no" if high < claim.wanted else "open"
    return {
        "claim": claim.name,
        "wanted": round(claim.wanted, 4),
        "met": met,
        "share": round(standing.share, 4),
        "interval": [round(low, 4), round(high, 4)],
        "lead": round(standing.lead, 2),
        "games": result.games,
        "forfeits": len(result.forfeits),
        "think_ms": round(standing.think_ms, 1),
        "longest_ms": round(standing.longest_ms, 1),
        "verdict": result.verdict or None,
        "line": result.line,
        "machine": machine(),
    }


def row(entry: dict[str, Any]) -> str:
    """A row for results.md."""
    low, high = entry["interval"]
    return (
        f"| {entry['line']} | {entry['share']:.1%} ({low:.1%} to {high:.1%}) "
        f"| {entry['wanted']:.0%} | {entry['think_ms']:.0f}, at most {entry['longest_ms']:.0f} ms |"
    )


def table() -> str:
    """The last result of each claim."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    last = {entry["claim"]: entry for entry in map(json.loads, lines)}
    rows = [row(last[claim.name]) for claim in CLAIMS if claim.name in last]
    head = ["| match | wins, 95 % | wanted | a move |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("claims", nargs="*", help="which ones, or all")
    parser.add_argument("--list", action="store_true", help="what can be measured")
    parser.add_argument("--table", action="store_true", help="what has been measured")
    parser.add_argument("--bot", default="master", help="who is to win (default: master)")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--stop-early", action="store_true", help="end when it is clear")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--overwrite", action="store_true")
    parsed = parser.parse_args()
    if parsed.list:
        for claim in CLAIMS:
            print(f"{claim.name:16} {claim.game}/{claim.seats} v {claim.other}: {claim.wanted:.1%}")
        return 0
    if parsed.table:
        print(table())
        return 0
    named = [c.name for c in CLAIMS] if parsed.claims == ["all"] else parsed.claims
    if not named or set(named) - {claim.name for claim in CLAIMS}:
        parser.error("name a claim, or all; --list says which there are")
    for claim in CLAIMS:
        if claim.name in named:
            result = measure(claim, parsed)
            entry = found(claim, result)
            print(row(entry), flush=True)
            if result.interrupted:
                return 130
            with open(RESULTS, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MandalierError as error:
        sys.exit(f"strength: {error}")
