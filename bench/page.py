"""How fast the page comes over a slow line, as JSON: python bench/page.py

A browser without cache, at 4 Mbit/s with 100 ms of delay, opens the lobby, and a game that is being
played. `playable_ms` is when the board can be clicked (the lobby: when Play can). Sizes are those of
what was sent, compressed. Needs the page (make web) and Chromium.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e import visit
from tests.e2e.conftest import serving

TIMES = 5
LINE = {
    "offline": False,
    "latency": 100,
    "downloadThroughput": 500_000,
    "uploadThroughput": 500_000,
}
WATCH = """
(() => {
  window.measured = {shift: 0, long_tasks_ms: 0};
  const see = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({type, buffered: true});
  see("largest-contentful-paint", (e) => (measured.largest_paint_ms = e.startTime));
  see("layout-shift", (e) => (measured.shift += e.hadRecentInput ? 0 : e.value));
  see("longtask", (e) => (measured.long_tasks_ms += e.duration - 50));
  const look = () => {
    if (document.querySelector(READY)) measured.playable_ms = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})();
"""


def visit_once(browser: Browser, url: str, ready: str, cookies: Any = ()) -> dict[str, float]:
    """One cold visit."""
    context = browser.new_context(viewport=visit.DESKTOP, locale="en-GB", service_workers="block")
    context.add_cookies(list(cookies))
    page = context.new_page()
    page.add_init_script(WATCH.replace("READY", json.dumps(ready)))
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", LINE)
    sizes: dict[str, float] = {"Script": 0, "Stylesheet": 0, "All": 0}
    kinds: dict[str, str] = {}
    line.on("Network.responseReceived", lambda e: kinds.update({e["requestId"]: e["type"]}))

    def count(event: Any) -> None:
        kind, size = kinds.get(event["requestId"], ""), event["encodedDataLength"] / 1000
        sizes["All"] += size
        if kind in sizes:
            sizes[kind] += size

    line.on("Network.loadingFinished", count)
    page.goto(url)
    page.wait_for_function("measured.playable_ms > 0")
    page.wait_for_timeout(500)
    found: dict[str, float] = page.evaluate("measured")
    first = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    found["first_paint_ms"] = page.evaluate(first)
    found |= {f"{kind.lower()}_kb": size for kind, size in sizes.items()}
    context.close()
    return found


def summary(visits: list[dict[str, float]]) -> dict[str, float]:
    names = visits[0].keys()
    return {name: round(statistics.median(v.get(name, 0) for v in visits), 3) for name in names}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as base,
        sync_playwright() as playwright,
    ):
        browser = visit.launch(playwright)
        with visit.visiting(browser, base) as ada:
            page = ada.visit("/")
            page.get_by_role("button", name="Play").first.click()
            page.wait_for_selector("main svg[role=group]")
            game, cookies = page.url, ada.context.cookies()
        found = {
            "line": "4 Mbit/s, 100 ms",
            "visits": TIMES,
            "lobby": summary([visit_once(browser, base, ".card button") for _ in range(TIMES)]),
            "table": summary(
                [
                    visit_once(browser, game, "main svg[role=group] [role=button]", cookies)
                    for _ in range(TIMES)
                ]
            ),
        }
        browser.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
