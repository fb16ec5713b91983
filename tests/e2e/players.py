"""People who play in a browser: by mouse, by touch, or by keys alone."""

from __future__ import annotations

import random
import time
from typing import Any, Literal

from playwright.sync_api import Page

from tests.e2e.visit import Visitor
from tests.support import OPTIONS

Way = Literal["mouse", "touch", "keys"]
STUCK_S = 120.0

LOOK = """() => {
  const shown = (e) => e && !e.hidden && e.getClientRects().length > 0;
  const lit = [...document.querySelectorAll('.over .target:not(.chosen)')].map((e) => {
    const b = e.getBoundingClientRect();
    return {id: e.dataset.id, x: b.x + b.width / 2, y: b.y + b.height / 2};
  });
  const play = document.querySelector('.bar [data-what=play]');
  const box = play && play.getBoundingClientRect();
  return {
    lit, aims: document.querySelector('.throwing[data-kind]') !== null, over: !document.querySelector('.result').hidden,
    play: shown(play) ? {x: box.x + box.width / 2, y: box.y + box.height / 2} : null,
    focused: document.activeElement?.dataset?.id ?? null,
    log: document.querySelectorAll('.log li button').length,
  };
}"""


def new_table(visitor: Visitor, game: str, bot: str | None = "random", **config: Any) -> str:
    """A table at which the visitor sits, and bots on the other seats; its id."""
    api = visitor.context.request
    origin = {"origin": visitor.base}
    if not api.get(f"{visitor.base}/api/v1/me").ok:
        answer = api.post(f"{visitor.base}/api/v1/guests", data={"name": "Ada"}, headers=origin)
        assert answer.ok, answer.text()
    table = {"game": game, "options": OPTIONS.get(game, {}), "bot_pace": False, **config}
    answer = api.post(f"{visitor.base}/api/v1/tables", data=table)
    assert answer.ok, answer.text()
    made = str(answer.json()["table"]["id"])
    say(visitor, made, "sit", seat=0)
    if bot is not None:
        say(visitor, made, "start", fill_with=bot)
    return made


_count = iter(range(10**9))


def say(visitor: Visitor, table: str, type: str, **fields: Any) -> Any:
    """A message by POST, beside the page."""
    message = {"type": type, "id": f"e2e-{next(_count)}", "table": table, **fields}
    answer = visitor.context.request.post(f"{visitor.base}/api/v1/messages", data=message)
    assert answer.ok, answer.text()
    found = answer.json()["answer"]
    assert found["type"] == "done", found
    return found


def position(visitor: Visitor, table: str, **asked: Any) -> Any:
    """The table as the visitor may see it, as data."""
    query = "&".join(f"{name}={value}" for name, value in {"form": "data", **asked}.items())
    answer = visitor.context.request.get(f"{visitor.base}/api/v1/tables/{table}/position?{query}")
    assert answer.ok, answer.text()
    return answer.json()


def sit_down(visitor: Visitor, table: str) -> Page:
    """The page of a table, when its board is there."""
    page = visitor.visit(f"/t/{table}")
    page.wait_for_selector(".board > svg")
    return page


def play_to_the_end(page: Page, way: Way, seed: int = 1) -> int:
    """Play at random whenever something is lit, until the result is shown: how many moves there
    were in all."""
    chooser = random.Random(seed)
    before, since = None, time.monotonic()
    while True:
        seen = page.evaluate(LOOK)
        if seen["over"]:
            return int(seen["log"])
        if seen["log"] != before:
            before, since = seen["log"], time.monotonic()
        assert time.monotonic() - since < STUCK_S, f"the game does not go on: {seen}"
        if seen["aims"] and not seen["play"]:
            page.wait_for_timeout(20)  # the table to throw on is on its way
        elif seen["lit"]:
            ACT[way](page, seen, chooser)
        else:
            page.wait_for_timeout(20)


def _by_mouse(page: Page, seen: Any, chooser: random.Random) -> None:
    one = seen["play"] if seen["aims"] else chooser.choice(seen["lit"])
    page.mouse.click(one["x"], one["y"])


def _by_touch(page: Page, seen: Any, chooser: random.Random) -> None:
    """A first touch shows what it does, the button plays it."""
    one = seen["play"] or chooser.choice(seen["lit"])
    page.touchscreen.tap(one["x"], one["y"])


def _by_keys(page: Page, seen: Any, chooser: random.Random) -> None:
    if seen["focused"] is None and not seen["aims"]:
        page.keyboard.press("ArrowDown")
        return
    for _ in range(chooser.randrange(3)):
        page.keyboard.press(chooser.choice(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]))
    page.keyboard.press("Enter")


ACT = {"mouse": _by_mouse, "touch": _by_touch, "keys": _by_keys}
