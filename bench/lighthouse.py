"""What Lighthouse says of the page, as JSON: python bench/lighthouse.py [--form mobile]

Each page of a server of its own is opened as Lighthouse does: as a phone on a slow line with a slow
processor, or as a desktop computer. Scores of 100, and the audits that were not passed. Needs the page
(make web), Chromium, and `npx` with the package index (the package is not among our dependencies: it
is 100 MB, and nothing we ship or test needs it).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e import players, visit
from tests.e2e.conftest import serving

from mandalier.games.game import GAMES

KINDS = ("performance", "accessibility", "best-practices")
PAGES = ("/", "/new", "/games/pyramids", "/settings", "/you")


def audit(url: str, form: str) -> dict[str, Any]:
    command = [
        *(os.environ.get("LIGHTHOUSE") or "npx --yes lighthouse@13").split(),
        *(url, "--quiet", "--output=json", f"--only-categories={','.join(KINDS)}"),
        "--chrome-flags=--headless=new --no-sandbox",
        *(["--preset=desktop"] if form == "desktop" else []),
    ]
    environment = {**os.environ, "CHROME_PATH": visit.chromium() or ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)
    scores = {name: round(100 * kind["score"]) for name, kind in found["categories"].items()}
    failed = {
        ref["id"]: found["audits"][ref["id"]].get("displayValue", "")
        for kind in found["categories"].values()
        for ref in kind["auditRefs"]
        if ref["weight"] and (found["audits"][ref["id"]]["score"] or 0) < 0.9
        if found["audits"][ref["id"]]["scoreDisplayMode"] not in ("notApplicable", "manual")
    }
    return {**scores, **({"not passed": failed} if failed else {})}


def main() -> None:
    parser = argparse.ArgumentParser(description="Audit the pages of a server of our own.")
    parser.add_argument("--form", choices=("desktop", "mobile"), default="desktop")
    parser.add_argument("--only", nargs="*", help="addresses, such as / or stones for a table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as base:
        with sync_playwright() as playwright:
            browser = visit.launch(playwright)
            with visit.visiting(browser, base) as ada:
                tables = {game: f"/t/{players.new_table(ada, game)}" for game in GAMES}
            browser.close()
        pages = {**{path: path for path in PAGES}, **tables}
        wanted = given.only or pages
        found = {name: audit(base + pages[name], given.form) for name in wanted}
    print(json.dumps({"form": given.form, **found}, indent=2))


if __name__ == "__main__":
    main()
