"""From the lobby to a game, as people do it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from mandalier.games.game import GAMES
from tests.e2e import players
from tests.e2e.conftest import Visit
from tests.e2e.visit import DESKTOP, LANDSCAPE, PHONE

PAGES = ["/", "/new?game=stones", "/games/pyramids", "/settings", "/you", "/nowhere"]


def settled(page: Page) -> Page:
    """The page, when it has shown what it has to show."""
    expect(page.locator("main h1, main .room")).to_be_visible()
    page.wait_for_load_state("networkidle")
    return page


def new_table(page: Page, game: str, **clicks: str) -> str:
    """Open a table by the form; its path."""
    settled(page)
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + f"/new?game={game}")
    for group, choice in clicks.items():
        page.get_by_role("group", name=group).get_by_text(choice, exact=True).click()
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url("**/t/*")
    expect(page.locator(".seats")).to_be_visible()
    return "/t/" + page.url.rsplit("/", 1)[1]


@pytest.mark.parametrize("game", GAMES)
def test_one_click_in_the_lobby_starts_a_game_against_a_bot(visitor: Visit, game: str) -> None:
    page = settled(visitor().visit("/"))
    title = GAMES[game].title
    page.get_by_role("button", name=f"Play {title} against a bot").click()
    expect(page.locator("main svg[role=group]")).to_be_visible()


def test_a_guest_has_a_name_and_can_change_it(visitor: Visit) -> None:
    page = settled(visitor().visit("/you"))
    page.get_by_label("Your name at the tables").fill("Ada Lovelace")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".you .name")).to_have_text("Ada Lovelace")
    page.reload()
    expect(page.locator(".you .name")).to_have_text("Ada Lovelace")


def test_two_people_meet_by_a_link_and_the_game_begins(visitor: Visit) -> None:
    ada, bob = visitor(), visitor()
    path = new_table(ada.visit("/"), "sand")
    expect(ada.page.get_by_role("button", name="Share this screen")).to_be_visible()
    page = bob.visit(path)
    page.get_by_role("button", name="Sit here").click()
    for one in (ada, bob):
        expect(one.page.locator("main svg[role=group]")).to_be_visible()


def test_a_reload_keeps_the_seat(visitor: Visit) -> None:
    page = visitor().visit("/")
    new_table(page, "stones")
    expect(page.locator(".seats em")).to_have_text("you")
    page.reload()
    expect(page.locator(".seats em")).to_have_text("you")


def test_your_tables_say_where_it_is_your_turn(visitor: Visit) -> None:
    ada = visitor()
    waiting, playing = players.new_table(ada, "stones", bot=None), players.new_table(ada, "sand")
    page = settled(ada.visit("/"))
    rows = page.locator(".tables").first.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.filter(has=page.locator(f'a[href="/t/{playing}"]'))).to_contain_text("Your turn")
    other = rows.filter(has=page.locator(f'a[href="/t/{waiting}"]'))
    expect(other).to_contain_text("1 seat free")
    expect(rows.first).to_contain_text("Your turn")


def test_the_host_fills_seats_with_bots_and_takes_them_away_again(visitor: Visit) -> None:
    ada, bob = visitor(), visitor()
    path = new_table(ada.visit("/"), "pyramids", Seats="3")
    ada.page.get_by_role("button", name="Add bot").first.click()
    expect(ada.page.get_by_role("button", name=re.compile("^Remove"))).to_have_count(1)
    bob.visit(path)
    expect(bob.page.get_by_role("button", name="Sit here")).to_have_count(1)
    expect(bob.page.get_by_role("button", name=re.compile("^Remove|^Add"))).to_have_count(0)
    ada.page.get_by_role("button", name=re.compile("^Remove")).click()
    expect(bob.page.get_by_role("button", name="Sit here")).to_have_count(2)
    ada.page.get_by_role("button", name="Start, bots on free seats").click()
    expect(ada.page.locator("main svg[role=group]")).to_be_visible()


def test_somebody_beside_you_may_sit_at_the_same_screen(visitor: Visit) -> None:
    page = visitor().visit("/")
    new_table(page, "stones", Seats="3")
    page.get_by_role("button", name="Share this screen").first.click()
    page.get_by_label("Who sits down beside you?").fill("Grace")
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator(".seats")).to_contain_text("Grace")
    expect(page.locator(".seats em")).to_have_count(2)


def test_what_is_chosen_for_a_table_is_what_it_gets(visitor: Visit) -> None:
    ada = visitor()
    path = new_table(
        ada.visit("/"),
        "stones",
        **{"Stacks": "all stones are seen", "Clock": "Whole game", "Who may join": "Everybody"},
    )
    config = ada.context.request.get(f"{ada.base}/api/v1/tables{path[2:]}").json()["table"][
        "config"
    ]
    assert config["options"] == {"open stacks": True}
    assert config["clock"] == {"kind": "game", "seconds": 900, "increment": 10, "days": 3}
    page = settled(visitor().visit("/"))
    expect(page.locator(f'.tables a[href="{path}"]')).to_contain_text("1 seat free")


def test_the_page_speaks_the_language_of_the_browser_and_another_if_asked(visitor: Visit) -> None:
    ada = visitor(locale="pt-BR")
    page = settled(ada.visit("/settings"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Configurações")
    page.get_by_text("Français").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Réglages")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Réglages")
    assert page.locator("html").get_attribute("lang") == "fr"
    page.get_by_text("English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")


def test_a_bot_is_called_by_its_level_in_the_language_of_the_reader(visitor: Visit) -> None:
    ada = visitor(locale="fr-FR")
    table = players.new_table(ada, "stones", bot=None, start_when_full=False)
    players.say(ada, table, "addbot", seat=1, bot="journeyman")
    page = ada.visit(f"/t/{table}")
    expect(page.locator(".seats")).to_contain_text("Compagnon")
    players.say(ada, table, "start")
    expect(page.locator(".people")).to_contain_text("Compagnon")
    expect(page.locator(".board > svg")).to_contain_text("Compagnon")


def test_a_recovery_code_brings_the_name_to_another_device(visitor: Visit) -> None:
    ada, other = visitor(), visitor()
    page = settled(ada.visit("/you"))
    page.get_by_label("Your name at the tables").fill("Emmy")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Get recovery codes").click()
    code = page.locator(".codes code").first.inner_text()
    assert ada.faults() == []
    elsewhere = settled(other.visit("/you"))
    elsewhere.get_by_label("I have a code").fill(code)
    elsewhere.get_by_role("button", name="Come back").click()
    expect(elsewhere.locator(".you .name")).to_have_text("Emmy")


def test_who_wants_to_be_told_of_a_turn_by_mail_is_asked_for_the_code(visitor: Visit) -> None:
    ada = visitor()
    players.new_table(ada, "sand")
    page = settled(ada.visit("/you"))
    page.get_by_label("By e-mail").fill("ada@example.org")
    page.get_by_role("button", name="Add").first.click()
    told = page.locator(".told li")
    expect(told).to_contain_text("ada@example.org")
    ada.forgive("400 (Bad Request)")
    told.get_by_label("The code from the e-mail").fill("00000000")
    told.get_by_role("button", name="Confirm").click()
    expect(page.locator(".toast.problem")).to_contain_text("this is not the code")
    assert ada.faults() == []
    told.get_by_role("button", name="End").click()
    expect(told).to_have_count(0)


def test_games_one_has_played_are_listed_and_open_again(visitor: Visit) -> None:
    ada = visitor()
    table = players.new_table(ada, "pyramids")
    players.say(ada, table, "resign", seat=0)
    results = f"{ada.base}/api/v1/me/results"
    while not ada.context.request.get(results).json()["results"]:
        ada.page.wait_for_timeout(50)  # a server notes ends of games a moment later
    page = settled(ada.visit("/you"))
    played = page.locator(f'.list a[href="/t/{table}"]')
    expect(played).to_contain_text("lost")
    assert ada.faults() == []
    played.click()
    expect(page.locator(".result h2")).to_contain_text("has won")


def test_who_asks_to_be_forgotten_is(visitor: Visit) -> None:
    page = settled(visitor().visit("/you"))
    page.get_by_label("Your name at the tables").fill("Nobody")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Forget me").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator(".you .name")).to_have_text("Nobody")
    page.get_by_role("button", name="Forget me").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget me").click()
    expect(page.locator(".you .name")).to_have_text("You")


def test_a_table_that_is_not_there_is_said_to_be_missing(visitor: Visit) -> None:
    page = visitor().visit("/t/nosuchtable")
    expect(page.get_by_role("heading", level=1)).to_have_text("No table here")


def test_dark_and_large_are_kept(visitor: Visit) -> None:
    page = settled(visitor().visit("/settings"))
    page.get_by_text("Night", exact=True).click()
    page.get_by_text("Larger", exact=True).click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-size", "larger")


def test_the_rules_of_a_game_open_on_its_page(visitor: Visit) -> None:
    page = settled(visitor().visit("/games/dice"))
    page.get_by_text("The rules in full").click()
    expect(page.locator(".rules .prose")).to_contain_text("The exhibition")


BROWSERS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone, dark": {"viewport": PHONE, "color_scheme": "dark", "is_mobile": True},
    "landscape, in French": {"viewport": LANDSCAPE, "locale": "fr-FR"},
}


@pytest.mark.parametrize("browser_kind", BROWSERS)
def test_no_page_has_a_fault_that_axe_finds_or_is_wider_than_the_screen(
    visitor: Visit, browser_kind: str
) -> None:
    ada = visitor(**BROWSERS[browser_kind])
    for path in PAGES:
        if path == "/nowhere":
            ada.forgive("404")
        page = settled(ada.visit(path))
        for summary in page.locator("summary").all():
            summary.click()
        assert ada.faults() == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]


def test_the_waiting_room_and_its_dialogue_have_no_fault(visitor: Visit) -> None:
    ada = visitor(viewport=PHONE)
    page = ada.visit("/")
    new_table(page, "stones", Seats="4")
    page.get_by_role("button", name="Add bot").first.click()
    assert ada.faults() == []
    page.get_by_role("button", name="Share this screen").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert ada.faults() == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("browser_kind", BROWSERS)
def test_no_dialogue_about_you_has_a_fault(visitor: Visit, browser_kind: str) -> None:
    ada = visitor(**BROWSERS[browser_kind])
    players.new_table(ada, "sand")
    page = settled(ada.visit("/you"))
    dialogue = page.get_by_role("dialog")
    page.locator(".box .button").first.click()
    expect(dialogue.locator("code")).not_to_have_count(0)
    assert ada.faults() == []
    page.keyboard.press("Escape")
    for n in (-2, -1):
        page.locator(".box").last.locator(".button").nth(n).click()
        expect(dialogue).to_be_visible()
        assert ada.faults() == []
        page.keyboard.press("Escape")
        expect(dialogue).to_have_count(0)


def test_large_text_fits_a_small_phone(visitor: Visit) -> None:
    ada = visitor(viewport=PHONE)
    page = settled(ada.visit("/settings"))
    page.get_by_text("Larger", exact=True).click()
    for path in PAGES[:-1]:
        page = settled(ada.visit(path))
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


def test_the_page_can_be_installed_and_opens_without_network(visitor: Visit) -> None:
    ada = visitor()
    page = settled(ada.visit("/"))
    answer = ada.context.request.get(f"{ada.base}/manifest.webmanifest")
    manifest = json.loads(answer.text())
    assert manifest["display"] == "standalone"
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    for icon in manifest["icons"]:
        assert ada.context.request.get(ada.base + icon["src"]).ok
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    controlled = "navigator.serviceWorker.addEventListener('controllerchange', done)"
    page.evaluate(
        f"new Promise((done) => navigator.serviceWorker.controller ? done() : {controlled})"
    )
    ada.forgive("ERR_INTERNET_DISCONNECTED")
    ada.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Four art games, one table")
    expect(page.locator(".toast")).to_contain_text("The server does not answer")
