"""What people do at a table besides playing a game to its end."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.e2e.conftest import Visit
from tests.e2e.players import LOOK, new_table, position, say, sit_down
from tests.e2e.visit import DESKTOP, PATIENCE_MS, PHONE, Visitor

CALM: dict[str, Any] = {"reduced_motion": "reduce"}


def bar(page: Page) -> Any:
    return page.locator(".bar .words")


def target(page: Page, id: str) -> Any:
    return page.locator(f'.target[data-id="{id}"]')


def middle(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, what: Locator, where: Locator) -> None:
    page.mouse.move(*middle(what))
    page.mouse.down()
    page.mouse.move(*middle(where), steps=5)
    page.mouse.up()


def two_people(visitor: Visit, game: str, **how: Any) -> tuple[Visitor, Visitor, str]:
    """Ada on seat 0, Bob on seat 1, each in a browser of their own, and the table."""
    ada, bob = visitor(**{**CALM, **how}), visitor(**{**CALM, **how})
    table = new_table(ada, game, bot=None)
    api, origin = bob.context.request, {"origin": bob.base}
    assert api.post(f"{bob.base}/api/v1/guests", data={"name": "Bob"}, headers=origin).ok
    say(bob, table, "sit", seat=1)
    say(ada, table, "start")
    return ada, bob, table


NEXT = """([logged, before, patience]) => new Promise((done, fail) => {
  const late = performance.now() + patience;
  const ids = (which) => [...document.querySelectorAll(which)].map((each) => each.dataset.id);
  const look = () => {
    const lit = document.querySelector('.over .target:not(.chosen)');
    const now = JSON.stringify([ids('.target.chosen'), ids('.target:not(.chosen)')]);
    if (document.querySelectorAll('.log li button').length > logged) done(null);
    else if (lit && now !== before) {
      const box = lit.getBoundingClientRect();
      done({now, x: box.x + box.width / 2, y: box.y + box.height / 2});
    } else if (performance.now() > late) fail(new Error('nothing more is lit: ' + now));
    else requestAnimationFrame(look);
  };
  look();
})"""
"""What comes of a click: something else is lit, or a move is made (null)."""


def first_move(page: Page) -> None:
    """Click the first thing lit, each time something else is, until a move is made."""
    logged, before = page.evaluate(LOOK)["log"], ""
    while (seen := page.evaluate(NEXT, [logged, before, PATIENCE_MS])) is not None:
        page.mouse.click(seen["x"], seen["y"])
        before = seen["now"]


def test_two_browsers_play_against_each_other(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "pyramids")
    one, other = sit_down(ada, table), sit_down(bob, table)
    for mover, watcher, n in ((one, other, 1), (other, one, 2)):
        expect(mover.locator("h1.status")).to_have_text("Your turn")
        expect(mover).to_have_title(re.compile("^● Your turn"))
        first_move(mover)
        expect(watcher.locator(".log button")).to_have_count(n)
    # each sees the same log
    assert one.locator(".log").inner_text() == other.locator(".log").inner_text()


def test_what_a_move_does_is_shown_before_it_is_sent(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    page = sit_down(ada, table)
    card = page.locator(".target").first
    card.click()
    target(page, "mountain1").hover()
    expect(bar(page)).to_contain_text("onto mountain 1, then draw")
    page.keyboard.press("Escape")
    expect(page.locator(".target.chosen")).to_have_count(0)
    assert position(ada, table)["log"] == []


def test_a_card_is_dragged_to_the_mountain(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    page = sit_down(ada, table)
    drag(page, page.locator(".target").first, page.locator('.board [id="mountain1"]'))
    expect(page.locator(".log button").first).to_contain_text("onto mountain 1")


def test_a_drag_that_ends_beside_the_board_changes_nothing(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    page = sit_down(ada, table)
    page.mouse.move(*middle(page.locator(".target").first))
    page.mouse.down()
    page.mouse.move(1250, 500, steps=6)
    expect(page.locator(".carried")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".carried")).to_have_count(0)
    expect(page.locator(".target.chosen")).to_have_count(0)
    assert position(ada, table)["log"] == []


def test_a_click_that_is_not_legal_tells_the_rule(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    page = sit_down(ada, table)
    seen = position(ada, table)["view"]["view"]["mandalas"][0]["mountain"]
    hand = {key: page.locator(f'.target[data-id^="hand0-{key}-"]') for key in seen}
    held = [found for found in hand.values() if found.count()]
    if held:  # a colour of the mountain may not go into the field
        held[0].first.click()
        page.locator('.board [id="field1-0"]').click(force=True)
        expect(bar(page)).to_contain_text("lies on the mountain")
    else:
        page.locator(".target").first.click()
    page.locator('.board [id="deck"]').click(force=True)
    expect(bar(page)).to_contain_text("deck", ignore_case=True)


def test_earlier_positions_are_shown_while_the_game_goes_on(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "pyramids")
    page = sit_down(ada, table)
    first_move(page)
    expect(page.locator(".log button")).to_have_count(1)
    say_move(bob, table)
    expect(page.locator(".log button")).to_have_count(2)
    now = page.locator(".board svg").get_attribute("aria-label")
    page.locator(".log button").first.click()
    expect(page.locator("h1.status")).to_have_text("Move 1 of 2")
    expect(page.locator(".board svg")).not_to_have_attribute("aria-label", now)
    expect(page.locator(".target")).to_have_count(0)
    page.locator("[data-what=back]").click()
    expect(page.locator(".board svg")).to_have_attribute("aria-label", now)
    expect(page.locator("h1.status")).to_have_text("Your turn")


def say_move(who: Visitor, table: str, seat: int | None = None) -> None:
    seen = position(who, table)
    say(who, table, "move", at=seen["at"], move=seen["view"]["legal"][0], seat=seen["seat"])


def test_a_lost_connection_comes_back_in_the_middle_of_a_move(visitor: Visit) -> None:
    ada = visitor(**CALM)
    ada.forgive("WebSocket")
    table = new_table(ada, "sand")
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    ada.page.route_web_socket(re.compile("/api/v1/live"), connect)
    page = sit_down(ada, table)
    page.locator(".target").first.click()
    expect(page.locator(".target.chosen")).to_have_count(1)
    lines[-1].close(code=1011)
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator(".notice")).to_be_hidden()
    assert len(lines) > 1
    expect(page.locator(".target.chosen")).to_have_count(1)
    target(page, "mountain2").click()
    expect(page.locator(".log button").first).to_contain_text("onto mountain 2")


def test_a_reload_shows_the_same_table(visitor: Visit) -> None:
    ada, _bob, table = two_people(visitor, "stones")
    page = sit_down(ada, table)
    first_move(page)
    expect(page.locator(".log button")).to_have_count(1)
    before = page.locator(".board svg").get_attribute("aria-label")
    page.reload()
    expect(page.locator(".board > svg")).to_have_attribute("aria-label", before)
    expect(page.locator(".log button")).to_have_count(1)


def test_a_spectator_sees_no_hand_and_lights_nothing(visitor: Visit) -> None:
    ada, _bob, table = two_people(visitor, "sand")
    eve = visitor(**CALM)
    page = sit_down(eve, table)
    expect(bar(page)).to_have_text("You are watching.")
    assert page.locator('.board [id^="hand0-r-"], .board [id^="hand0-y-"]').count() == 0
    assert page.locator(".target").count() == 0
    assert page.locator("[aria-label='Take back']").is_hidden()
    say_move(ada, table)
    expect(page.locator(".log button")).to_have_count(1)
    page.locator(".board").click(position={"x": 200, "y": 200})
    expect(page.locator(".target")).to_have_count(0)


def test_a_curtain_falls_between_two_secret_hands(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand", bot=None)
    say(ada, table, "sit", seat=1, name="Bob")
    say(ada, table, "start")
    page = sit_down_behind_the_curtain(ada, table)
    curtain = page.locator(".curtain")
    expect(curtain).to_contain_text("It is the turn of Ada")
    assert page.locator(".board [data-k]").count() == 0  # nothing is there to be seen
    assert not ada.faults()
    curtain.get_by_role("button").click()
    page.locator(".target").first.wait_for()
    assert page.locator('.target[data-id^="hand0-"]').count() > 0
    first_move(page)
    expect(curtain).to_contain_text("It is the turn of Bob")
    assert page.locator('.board [id^="hand1-"][data-k="back"]').count() > 0
    curtain.get_by_role("button").click()
    page.locator('.target[data-id^="hand1-"]').first.wait_for()
    expect(curtain).to_be_hidden()
    assert page.locator('.board [id^="hand0-"]:not([data-k="back"])[data-k]').count() == 0


def sit_down_behind_the_curtain(who: Visitor, table: str) -> Page:
    page = who.visit(f"/t/{table}")
    page.wait_for_selector(".curtain:not([hidden])")
    return page


def test_without_secrets_two_at_one_screen_need_no_curtain(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "pyramids", bot=None)
    say(ada, table, "sit", seat=1, name="Bob")
    say(ada, table, "start")
    page = sit_down(ada, table)
    for n, name in ((1, "Ada"), (2, "Bob")):
        expect(page.locator("h1.status")).to_have_text(f"{name} to move")
        first_move(page)
        expect(page.locator(".log button")).to_have_count(n)
    expect(page.locator(".curtain")).to_be_hidden()


def test_on_a_big_screen_the_board_shows_no_hand_and_phones_play(visitor: Visit) -> None:
    ada = visitor(**CALM, viewport=PHONE, has_touch=True, is_mobile=True)
    table = new_table(ada, "sand")
    screen = ada.context.new_page()
    screen.set_viewport_size({"width": 1280, "height": 800})
    screen.goto(f"{ada.base}/t/{table}?sofa")
    screen.wait_for_selector(".board > svg")
    # the same person's browser, and yet nobody's hand
    assert screen.locator('.board [id^="hand0-"][data-k]:not([data-k="back"])').count() == 0
    code = screen.locator(".sofa img")
    expect(code).to_be_visible()
    assert code.evaluate("async (image) => (await image.decode(), image.naturalWidth)") > 0
    phone = sit_down(ada, table)
    phone.locator(".target").first.tap()
    target(phone, "mountain1").tap()
    expect(screen.locator(".bar")).not_to_contain_text("onto mountain 1")
    phone.locator("[data-what=play]").tap()
    expect(screen.locator(".board svg")).to_have_attribute(
        "aria-label", re.compile("Mandala 1: on the mountain 3|Mandala 1: on the mountain .* and ")
    )


def test_quick_phrases_are_read_in_ones_own_language(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "sand")
    amelie = visitor(**CALM, locale="fr-FR")
    one, other, french = sit_down(ada, table), sit_down(bob, table), sit_down(amelie, table)
    for page in (one, other, french):
        page.locator("#to-chat").click()
    one.get_by_role("button", name="Good luck!").click()
    expect(other.locator(".said")).to_have_text(re.compile("Ada Good luck!"))
    expect(french.locator(".said")).to_have_text(re.compile(r"Ada Bonne chance\s!"))
    other.get_by_label("Say something").fill("<b>thanks</b>")
    other.keyboard.press("Enter")
    expect(one.locator(".said li").nth(1)).to_have_text(re.compile("Bob <b>thanks</b>"))


def test_a_move_is_taken_back_when_the_other_agrees(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "pyramids")
    one, other = sit_down(ada, table), sit_down(bob, table)
    first_move(one)
    expect(other.locator(".log button")).to_have_count(1)
    one.get_by_role("button", name="Take back").click()
    expect(one.locator(".offer")).to_contain_text("Waiting for the others")
    expect(other.locator(".offer")).to_contain_text("Ada asks to take a move back")
    other.get_by_role("button", name="Agree").click()
    expect(one.locator(".log button")).to_have_count(0)
    expect(one.locator("h1.status")).to_have_text("Your turn")


def test_who_goes_is_shown_as_gone_and_resigning_ends_it(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "pyramids")
    page, other = sit_down(ada, table), sit_down(bob, table)
    expect(page.locator(".people")).not_to_contain_text("not connected")
    other.goto(f"{bob.base}/settings")
    expect(page.locator(".people")).to_contain_text("not connected")
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".result h2")).to_have_text("Bob has won.")
    assert position(bob, table)["info"]["outcome"]["reason"] == "resigned"
    page.get_by_role("button", name="Play again").click()
    expect(page).not_to_have_url(re.compile(table))


def test_every_score_opens_into_its_sum(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    for _ in range(12):
        seen = position(ada, table)
        if 0 in seen["waiting"]:
            say(ada, table, "move", at=seen["at"], move=seen["view"]["legal"][0], seat=0)
    page = sit_down(ada, table)
    page.locator(".player").first.click()
    expect(page.locator("dialog")).to_contain_text("Together")
    assert not ada.faults()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def test_a_hint_shows_a_move_and_why(visitor: Visit) -> None:
    ada = visitor(**CALM)
    table = new_table(ada, "sand")
    page = sit_down(ada, table)
    page.get_by_role("button", name="Hint").click()
    play = page.locator("[data-what=play]")
    expect(play).to_be_visible(timeout=60_000)
    play.click()
    expect(page.locator(".log button").first).to_be_visible()


def test_nothing_at_a_table_is_hard_to_use(visitor: Visit) -> None:
    for how in ({"viewport": DESKTOP}, {"viewport": PHONE, "color_scheme": "dark"}):
        ada = visitor(**CALM, **how)
        for game in ("sand", "stones", "pyramids", "dice"):
            table = new_table(ada, game)
            page = sit_down(ada, table)
            page.locator(".target").first.wait_for()
            assert ada.faults() == []
        if page.locator(".to-panel").is_visible():
            page.locator(".to-panel").click()
            page.locator("#to-chat").click()
            assert ada.faults() == []
        page.get_by_role("button", name="Invite").click()
        assert ada.faults() == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Resign").click()
        assert ada.faults() == []
        page.locator("dialog").get_by_role("button", name="Resign").click()
        page.locator(".result").wait_for()
        assert ada.faults() == []


def test_what_comes_up_during_a_game_has_no_fault(visitor: Visit) -> None:
    ada, bob, table = two_people(visitor, "pyramids")
    eve = visitor(**CALM)
    one, other = sit_down(ada, table), sit_down(bob, table)
    first_move(one)
    one.get_by_role("button", name="Leave").click()
    expect(one.get_by_role("dialog")).to_be_visible()
    assert ada.faults() == []
    one.keyboard.press("Escape")
    one.get_by_role("button", name="Take back").click()
    expect(other.get_by_role("button", name="Agree")).to_be_visible()
    assert ada.faults() + bob.faults() == []
    other.get_by_role("button", name="Decline").click()
    one.locator(".log button").first.click()
    other.goto(f"{bob.base}/settings")  # and is shown as gone
    for path in (f"/t/{table}", f"/t/{table}?sofa"):
        page = eve.visit(path)
        page.wait_for_selector(".board > svg")
        expect(page.locator(".people .gone")).to_have_count(1)
        assert eve.faults() == []
