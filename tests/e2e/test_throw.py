"""Dice that are thrown by hand: each icon has its gesture, and everybody sees the same throw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visit
from tests.e2e.players import new_table, position, say, sit_down
from tests.e2e.visit import DESKTOP, PHONE, Visitor

CALM: dict[str, Any] = {"reduced_motion": "reduce"}
NO_WEBGL = """
const before = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith('webgl') ? null : before.call(this, kind, ...more);
};
"""
REMEMBER = """() => {
  window.shown = [];
  const look = () => {
    const at = document.querySelector('.throwing')?.dataset.playing;
    if (at && window.shown.at(-1) !== at) window.shown.push(at);
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true});
}"""
"""Which throws a page shows."""
Point = tuple[float, float]


def table_with(visitor: Visitor, icons: str) -> tuple[str, Page]:
    """A table at which these two icons are prepared, and it is the visitor's throw."""
    table = new_table(visitor, "dice")
    page = sit_down(visitor, table)
    seen = position(visitor, table)
    say(visitor, table, "move", at=seen["at"], move=f"ready {icons}", seat=0)
    expect(page.locator(".log button")).to_have_count(2)
    page.wait_for_selector(f'.target[data-id="icon-{icons[0]}"]')
    return table, page


def take(page: Page, icon: str) -> Any:
    """Choose a way to throw; the table on which it is aimed."""
    page.locator(f'.target[data-id="icon-{icon}"]').click()
    expect(page.locator(".throwing[data-kind]")).to_be_visible()
    page.wait_for_function("() => document.querySelector('.throwing input')")
    return page.locator(".throwing")


def spot(page: Page, right: float, down: float) -> Point:
    """A place of the table on the screen, from 0 to 1."""
    box = page.locator(".throwing").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * right, box["y"] + box["height"] * down


def gesture(visitor: Visitor, way: Sequence[Point], took_s: float, touch: bool = False) -> None:
    """Press, move along and let go, as quickly as this whatever the machine does meanwhile."""
    line = visitor.context.new_cdp_session(visitor.page)
    now = float(visitor.page.evaluate("() => (performance.timeOrigin + performance.now()) / 1000"))
    for i, (x, y) in enumerate((*way, way[-1])):
        at = {"timestamp": now + took_s * min(i, len(way) - 1) / (len(way) - 1)}
        if touch:
            kind = ("touchStart", "touchMove", "touchEnd")[(i > 0) + (i == len(way))]
            points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
            line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, **at})
        else:
            kind = ("mousePressed", "mouseMoved", "mouseReleased")[(i > 0) + (i == len(way))]
            held = {"button": "left", "buttons": int(i < len(way)), "clickCount": 1}
            line.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **held, **at})
    line.detach()


def along(start: Point, end: Point, steps: int = 8) -> list[Point]:
    share = [i / steps for i in range(steps + 1)]
    return [(start[0] + (end[0] - start[0]) * s, start[1] + (end[1] - start[1]) * s) for s in share]


def thrown(visitor: Visitor, table: str) -> list[int]:
    """The numbers of the first throw of the log."""
    page = visitor.page
    page.wait_for_function(
        "() => [...document.querySelectorAll('.log code')].some((e) => e.textContent.startsWith('throw'))"
    )
    texts = [line["text"] or "" for line in position(visitor, table)["log"] if line["who"] == 0]
    first = next(text for text in texts if text.startswith("throw"))
    return [int(n) for n in first.split()[2:]]


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize("icon", "LRB")
def test_a_swipe_throws_the_way_it_goes(visitor: Visit, icon: str, touch: bool) -> None:
    how = (
        {"viewport": PHONE, "has_touch": True, "is_mobile": True}
        if touch
        else {"viewport": DESKTOP}
    )
    ada = visitor(**CALM, **how)
    table, page = table_with(ada, {"L": "LF", "R": "RF", "B": "BF"}[icon])
    take(page, icon)
    start = spot(page, 0.5, 0.8)
    gesture(ada, along(start, (start[0] - 60, start[1] - 220)), 0.2, touch)
    direction, speed, spin = thrown(ada, table)
    assert 50 < direction < 600  # to the left
    assert 400 < speed <= 1250
    assert spin == 0


def test_a_slow_hand_does_not_throw(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table, page = table_with(ada, "LF")
    take(page, "L")
    start = spot(page, 0.5, 0.8)
    gesture(ada, along(start, (start[0], start[1] - 60)), 3)
    assert page.locator(".throwing[data-kind]").is_visible()
    assert len(position(ada, table)["log"]) == 2


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_a_die_is_dropped_where_it_is_let_go(visitor: Visit, touch: bool) -> None:
    how = (
        {"viewport": PHONE, "has_touch": True, "is_mobile": True}
        if touch
        else {"viewport": DESKTOP}
    )
    ada = visitor(**CALM, **how)
    table, page = table_with(ada, "DF")
    take(page, "D")
    gesture(ada, along(spot(page, 0.5, 0.6), spot(page, 0.6, 0.4)), 0.6, touch)
    x, y = thrown(ada, table)
    assert 1950 < x <= 3900  # in the right half of the table, and not at its near edge
    assert 0 <= y < 3000


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_a_sling_pulled_further_flicks_faster(visitor: Visit, touch: bool) -> None:
    how = (
        {"viewport": PHONE, "has_touch": True, "is_mobile": True}
        if touch
        else {"viewport": DESKTOP}
    )
    speeds = []
    for far in (40, 110):
        ada = visitor(**CALM, **how)
        table, page = table_with(ada, "LF")
        take(page, "F")
        start = spot(page, 0.5, 0.8)
        gesture(ada, along(start, (start[0] + far / 4, start[1] + far)), 0.7, touch)
        _, direction, speed = thrown(ada, table)
        assert 0 < direction <= 600  # pulled to the right, it flies to the left
        speeds.append(speed)
    assert speeds[0] < speeds[1]


def test_throws_are_aimed_by_keys(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table, page = table_with(ada, "LF")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".throwing[data-kind]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".throwing")).to_be_hidden()
    expect(page.locator(".target:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".throwing[data-kind]")).to_be_focused()
    for key in ("ArrowLeft", "ArrowLeft", "Shift+ArrowUp", "Enter"):
        page.keyboard.press(key)
    numbers = thrown(ada, table)
    assert 20 in numbers  # twice 1° to the left


def test_the_numbers_of_a_throw_have_names_and_words(visitor: Visit) -> None:
    ada = visitor(**CALM)
    _, page = table_with(ada, "LF")
    take(page, "L")
    assert ada.faults() == []
    slider = page.get_by_role("slider", name="direction")
    slider.fill("100")
    expect(slider).to_have_attribute("aria-valuetext", "10° to the right")
    expect(page.locator(".bar .words")).to_contain_text("worth")


def test_without_webgl_the_table_is_flat(visitor: Visit) -> None:
    ada = visitor()
    ada.context.add_init_script(NO_WEBGL)
    table, page = table_with(ada, "LF")
    assert take(page, "F").get_attribute("data-sight") == "flat"
    start = spot(page, 0.5, 0.85)
    gesture(ada, along(start, (start[0], start[1] + 60)), 0.5)
    _, direction, _ = thrown(ada, table)
    assert abs(direction) < 100


def test_the_board_is_hidden_from_a_blind_hand_alone(visitor: Visit) -> None:
    ada = visitor(**CALM)
    _, page = table_with(ada, "LB")
    table = take(page, "B")
    page.locator(".throwing").click(position={"x": 300, "y": 300})
    expect(page.locator(".bar .words")).not_to_contain_text("worth")
    page.keyboard.press("Escape")
    expect(table).to_be_hidden()
    take(page, "L")
    page.locator(".throwing").click(position={"x": 300, "y": 300})
    expect(page.locator(".bar .words")).to_contain_text("worth")


def test_everybody_at_the_table_sees_the_same_throw(visitor: Visit) -> None:
    ada, bob = visitor(viewport=PHONE), visitor(viewport=PHONE)
    table = new_table(ada, "dice", bot=None, options={})  # thrown in earnest
    origin = {"origin": bob.base}
    assert bob.context.request.post(
        f"{bob.base}/api/v1/guests", data={"name": "Bob"}, headers=origin
    ).ok
    say(bob, table, "sit", seat=1)
    say(ada, table, "start")
    pages = sit_down(ada, table), sit_down(bob, table)
    for who, seat in ((ada, 0), (bob, 1)):
        say(who, table, "move", at=position(who, table)["at"], move="ready LF", seat=seat)
    for page in pages:
        expect(page.locator(".log button")).to_have_count(2)
    for page in pages:
        page.evaluate(REMEMBER)
    take(pages[0], "L")
    pages[0].locator("[data-what=play]").click()
    seen = []
    for page in pages:
        page.wait_for_function(
            "() => window.shown.length && document.querySelector('.throwing').hidden",
            timeout=60_000,
        )
        seen.append(page.evaluate("() => window.shown"))
        expect(page.locator(".log button")).to_have_count(4)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 1
