"""How fast the page is, as JSON: python bench/page.py

A browser without cache, at 4 Mbit/s with 100 ms of delay, opens the lobby, and a game of each kind
that is being played. `playable_ms` is when the board can be clicked (the lobby: when Play can). Sizes
are those of what was sent, compressed.

Two browsers play each other: `other_screen_ms` is from the click in one to the first picture of the
move in the other, in three parts: until the move is sent, until the other browser has it, until it is
drawn there. `page_work_ms` is the processor's time each page needs for a move, its own or another's,
with all its motion; it hardly depends on what else the machine does. `frames_s` are frames a second
while pieces move, `slow_frames` the share that took longer than two of 60 a second, here without a
graphics card.

Needs the page (make web) and Chromium.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.e2e import players, visit
from tests.e2e.conftest import serving

from mandalier.games.game import GAMES

TIMES = 5
MOVES = 12
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
    page.evaluate(
        "new Promise((done) => { const look = () => measured.playable_ms > 0 ? done()"
        " : requestAnimationFrame(look); look(); })"
    )
    page.wait_for_load_state("networkidle")
    found: dict[str, float] = page.evaluate("measured")
    first = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    found["first_paint_ms"] = page.evaluate(first)
    found |= {f"{kind.lower()}_kb": size for kind, size in sizes.items()}
    context.close()
    return found


def summary(visits: list[dict[str, float]]) -> dict[str, float]:
    names = visits[0].keys()
    return {name: round(statistics.median(v.get(name, 0) for v in visits), 3) for name in names}


LISTEN = """
(() => {
  const now = () => performance.timeOrigin + performance.now();
  window.clock = {now, clicked: 0, sent: 0, received: 0, changed: 0, frames: []};
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", () => (clock.received ||= now()));
    }
    send(what) {
      clock.sent ||= now();
      super.send(what);
    }
  };
  addEventListener("pointerup", () => Object.assign(clock, {clicked: now(), sent: 0}), true);
})();
"""
CLOCK = """
(() => {
  const board = document.querySelector(".board");
  new MutationObserver(() => {
    if (clock.waiting) return;
    clock.waiting = true;
    requestAnimationFrame(() => (clock.changed = clock.now()));
  }).observe(board, {subtree: true, childList: true, attributes: true});
  clock.reset = () => Object.assign(clock, {received: 0, changed: 0, waiting: false, frames: []});
  const frame = (at) => {
    if (document.querySelector(".flying")) clock.frames.push(at);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();
"""
SEEN = """new Promise((done) => {
  const look = () => clock.changed && !document.querySelector(".flying")
    ? done([clock.received, clock.changed, clock.frames]) : requestAnimationFrame(look);
  look();
})"""


def _busy(line: CDPSession) -> float:
    """Seconds of processor that a page's main thread has used."""
    found = line.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def two_screens(browser: Browser, base: str) -> dict[str, float]:
    """Two browsers at a game of pyramids, moving in turns."""
    delays: list[float] = []
    parts: list[tuple[float, float, float]] = []
    gaps: list[float] = []
    with visit.visiting(browser, base) as ada, visit.visiting(browser, base) as bob:
        table = players.new_table(ada, "pyramids", bot=None)
        bob.context.request.post(
            f"{base}/api/v1/guests", data={"name": "Bob"}, headers={"origin": base}
        )
        players.say(bob, table, "sit", seat=1)
        players.say(ada, table, "start")
        for one in (ada, bob):
            one.page.add_init_script(LISTEN)
        pages: list[Page] = [players.sit_down(one, table) for one in (ada, bob)]
        for page in pages:
            page.evaluate(CLOCK)
        lines = [page.context.new_cdp_session(page) for page in pages]
        for line in lines:
            line.send("Performance.enable", {"timeDomain": "threadTicks"})
        busy = [_busy(line) for line in lines]
        for n in range(MOVES):
            mover, other = pages if n % 2 == 0 else pages[::-1]
            lit = mover.locator(".target")
            lit.first.wait_for()
            other.evaluate("clock.reset()")
            lit.first.click()
            received, changed, frames = other.evaluate(SEEN)
            clicked, sent = mover.evaluate("[clock.clicked, clock.sent]")
            delays.append(changed - clicked)
            parts.append((sent - clicked, received - sent, changed - received))
            gaps += [b - a for a, b in pairwise(frames)]
        worked = sum(_busy(line) - before for line, before in zip(lines, busy, strict=True))
    return {
        "moves": MOVES,
        "other_screen_ms": round(statistics.median(delays), 1),
        "other_screen_slowest_ms": round(max(delays), 1),
        "click, way, picture_ms": [
            round(statistics.median(p), 1) for p in zip(*parts, strict=True)
        ],
        "page_work_ms": round(1000 * worked / (2 * MOVES), 1),
        "frames_s": round(1000 / statistics.mean(gaps), 1),
        "slow_frames": round(sum(gap > 2 * 1000 / 60 for gap in gaps) / len(gaps), 3),
    }


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as base,
        sync_playwright() as playwright,
    ):
        browser = visit.launch(playwright)
        with visit.visiting(browser, base) as ada:
            tables = {game: players.new_table(ada, game) for game in GAMES}
            cookies = ada.context.cookies()
        found: dict[str, Any] = {
            "line": "4 Mbit/s, 100 ms",
            "visits": TIMES,
            "lobby": summary([visit_once(browser, base, ".card button") for _ in range(TIMES)]),
        }
        for game, table in tables.items():
            found[game] = summary(
                [visit_once(browser, f"{base}/t/{table}", ".target", cookies) for _ in range(TIMES)]
            )
        found["two screens"] = two_screens(browser, base)
        browser.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
