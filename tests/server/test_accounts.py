"""Who is who: guests, accounts, programs, and what of it is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest

from mandalier.server.accounts import (
    COOKIE_DAYS,
    DAY_MS,
    MIGRATION,
    MOST_TOKENS,
    RECOVERY_CODES,
    AccountError,
    Accounts,
    new_id,
    plain_code,
)
from mandalier.server.names import LONGEST_NAME, NameRefused, check_name, skeleton, told_apart
from tests.server.keeper import MemoryKeeper


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


class Calendar:
    now = 1_000 * DAY_MS

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def keeper() -> MemoryKeeper:
    return MemoryKeeper(MIGRATION)


@pytest.fixture
def accounts(keeper: MemoryKeeper, calendar: Calendar) -> Accounts:
    return Accounts(keeper, calendar)


# Guests ----------------------------------------------------------------------------------------


def test_a_guest_is_known_by_the_cookie_alone(accounts: Accounts) -> None:
    ada, cookie = run(accounts.guest("Ada"))
    ben, other = run(accounts.guest("Ben"))
    assert run(accounts.identify(cookie)).person == ada
    assert run(accounts.identify(other)).person == ben
    assert len(cookie) > 43  # 256 bits
    for wrong in (
        cookie[:-1],
        cookie + "a",
        cookie.swapcase(),
        "",
        None,
        5,
        "x" * 10_000,
        "\ud800",
    ):
        assert run(accounts.identify(wrong)) is None


def test_the_database_holds_no_cookie_token_or_code(
    accounts: Accounts, keeper: MemoryKeeper
) -> None:
    ada, cookie = run(accounts.guest("Ada"))
    token = run(accounts.new_token(ada.id, "my bot"))
    codes = run(accounts.new_recovery_codes(ada.id))
    kept = keeper.everything()
    assert "Ada" in kept
    for secret in (cookie, token, *codes, *map(plain_code, codes)):
        assert secret not in kept


def test_a_cookie_lives_on_while_it_is_used_and_ends_when_it_is_not(
    accounts: Accounts, calendar: Calendar
) -> None:
    _, cookie = run(accounts.guest("Ada"))
    for _ in range(5):
        calendar.now += (COOKIE_DAYS - 1) * DAY_MS
        assert run(accounts.identify(cookie)) is not None
    calendar.now += (COOKIE_DAYS + 1) * DAY_MS
    assert run(accounts.identify(cookie)) is None


def test_a_cookie_that_was_forgotten_lets_nobody_in(accounts: Accounts) -> None:
    ada, cookie = run(accounts.guest("Ada"))
    token = run(accounts.new_token(ada.id, "bot"))
    run(accounts.forget(cookie))
    assert run(accounts.identify(cookie)) is None
    assert run(accounts.identify(token)) is not None
    run(accounts.forget_all(ada.id))
    assert run(accounts.identify(token)) is None


# Coming back -----------------------------------------------------------------------------------


def test_a_recovery_code_lets_its_owner_back_in_once(accounts: Accounts) -> None:
    ada, _ = run(accounts.guest("Ada"))
    codes = run(accounts.new_recovery_codes(ada.id))
    assert len(set(codes)) == RECOVERY_CODES
    person, cookie, left = run(accounts.recover(codes[0]))
    assert (person.id, person.kind, left) == (ada.id, "account", RECOVERY_CODES - 1)
    assert run(accounts.identify(cookie)).person.id == ada.id
    with pytest.raises(AccountError, match="no recovery code, or it has been used"):
        run(accounts.recover(codes[0]))


def test_of_two_who_use_a_code_at_once_one_gets_in(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = run(accounts.guest("Ada"))
    code = run(accounts.new_recovery_codes(ada.id))[0]
    find = accounts.person
    second: list[Any] = []

    async def while_somebody_else_uses_it(person: str) -> Any:
        if not second:
            second.append("begun")
            second.append(await accounts.recover(code))
        return await find(person)

    monkeypatch.setattr(accounts, "person", while_somebody_else_uses_it)
    with pytest.raises(AccountError, match="used"):
        run(accounts.recover(code))
    assert len(second) == 2


def test_a_code_may_be_typed_as_people_type(accounts: Accounts) -> None:
    ada, _ = run(accounts.guest("Ada"))
    code = run(accounts.new_recovery_codes(ada.id))[0]
    typed = " " + code.lower().replace("-", " ").replace("0", "o").replace("1", "l") + "\n"
    assert run(accounts.recover(typed))[0].id == ada.id


def test_new_codes_replace_the_old_ones(accounts: Accounts) -> None:
    ada, _ = run(accounts.guest("Ada"))
    old = run(accounts.new_recovery_codes(ada.id))
    run(accounts.new_recovery_codes(ada.id))
    for code in (old[0], "", "x", None, 5, "ABCDE-ABCDE-ABCDE-ABCDE", "0" * 5000):
        with pytest.raises(AccountError):
            run(accounts.recover(code))


# Tokens ----------------------------------------------------------------------------------------


def test_a_token_has_its_scopes_and_can_be_taken_back(accounts: Accounts) -> None:
    ada, _ = run(accounts.guest("Ada"))
    ben, _ = run(accounts.guest("Ben"))
    token = run(accounts.new_token(ada.id, "archive", ["read"]))
    found = run(accounts.identify(token))
    assert (found.may("read"), found.may("play"), found.kind) == (True, False, "token")
    (listed,) = run(accounts.tokens(ada.id))
    assert (listed.label, listed.scopes) == ("archive", ["read"])
    run(accounts.take_back(ben.id, listed.id))  # not Ben's to take
    assert run(accounts.identify(token)) is not None
    run(accounts.take_back(ada.id, listed.id))
    assert run(accounts.identify(token)) is None


@pytest.mark.parametrize(
    ("label", "scopes"),
    [("", ["play"]), ("x" * 41, ["play"]), (5, ["play"]), ("x", []), ("x", ["fly"])],
)
def test_a_token_that_cannot_be_is_refused(
    accounts: Accounts, label: object, scopes: list[str]
) -> None:
    ada, _ = run(accounts.guest("Ada"))
    with pytest.raises(AccountError):
        run(accounts.new_token(ada.id, label, scopes))


def test_nobody_piles_up_tokens(accounts: Accounts) -> None:
    ada, _ = run(accounts.guest("Ada"))
    for _ in range(MOST_TOKENS):
        run(accounts.new_token(ada.id, "bot"))
    with pytest.raises(AccountError, match="more than 20 tokens"):
        run(accounts.new_token(ada.id, "bot"))


# Running a server ------------------------------------------------------------------------------


def test_people_are_listed_page_by_page_and_found_by_name(accounts: Accounts) -> None:
    for name in ("Ada", "Ben", "100%", "Bea"):
        run(accounts.guest(name))
    first = run(accounts.people(limit=3))
    rest = run(accounts.people(after=first[-1].id))
    assert {person.name for person in first + rest} == {"Ada", "Ben", "100%", "Bea"}
    assert {person.name for person in run(accounts.people(search="be"))} == {"Ben", "Bea"}
    assert [person.name for person in run(accounts.people(search="%"))] == ["100%"]


def test_a_ban_shows_and_can_be_lifted(accounts: Accounts) -> None:
    ada, cookie = run(accounts.guest("Ada"))
    run(accounts.ban(ada.id, "insults"))
    assert run(accounts.identify(cookie)).person.is_banned
    run(accounts.ban(ada.id, ""))
    assert not run(accounts.identify(cookie)).person.is_banned


def test_guests_long_gone_are_forgotten_unless_they_are_at_a_table(
    accounts: Accounts, keeper: MemoryKeeper, calendar: Calendar
) -> None:
    old, cookie = run(accounts.guest("Old"))
    player, _ = run(accounts.guest("Player"))
    account, _ = run(accounts.guest("Account"))
    run(accounts.new_recovery_codes(account.id))
    row = ("t", 1, "sit", 0, 0, player.id, None, "{}")
    run(keeper.write(("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)))
    calendar.now += 91 * DAY_MS
    young, _ = run(accounts.guest("Young"))
    run(accounts.sweep(90))
    assert {p.id for p in run(accounts.people())} == {player.id, account.id, young.id}
    assert run(accounts.identify(cookie)) is None
    assert old.id not in keeper.everything()


def test_an_export_has_everything_and_lets_nobody_in(
    accounts: Accounts, keeper: MemoryKeeper
) -> None:
    ada, cookie = run(accounts.guest("Ada"))
    token = run(accounts.new_token(ada.id, "my bot"))
    data = json.dumps({"text": "hello", "name": "Ada"})
    row = ("t", 1, "chat", 5, 0, ada.id, None, data)
    run(keeper.write(("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)))
    export = run(accounts.export(ada.id))
    text = json.dumps(export)
    assert export["person"]["name"] == "Ada"
    assert export["events"][0]["data"]["text"] == "hello"
    assert export["tokens"][0]["label"] == "my bot"
    assert cookie not in text
    assert token not in text
    with pytest.raises(AccountError, match="no such person"):
        run(accounts.export("nobody"))


# Names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Zoe\u0308", "Zoë"),
        ("Ольга", "Ольга"),
        ("Ωmega", None),
        ("小明 Ming", "小明 Ming"),
        ("O'Brien-Smith", "O'Brien-Smith"),
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
        ("x" * (LONGEST_NAME + 1), None),
        ("", None),
        ("   ", None),
        ("...", None),
        ("a\u202eb", None),  # writes what follows backwards
        ("a\u200bb", None),  # a space without width
        ("a\x00b", None),
        ("\ud800", None),
        ("Z\u0351\u0352\u0353\u0354algo", None),
        ("Αda", None),  # a Greek capital alpha
        ("pаypal", None),  # a Cyrillic a
        ("Admin", None),
        ("аdmіn", None),
        ("M0derator", None),
        ("ѕуѕтем", None),
        (5, None),
        (None, None),
    ],
)
def test_a_name_is_one_short_line_in_one_script(given: object, kept: str | None) -> None:
    if kept is None:
        with pytest.raises(NameRefused):
            check_name(given)
    else:
        assert check_name(given) == kept
        assert check_name(kept) == kept


def test_names_that_look_alike_are_told_apart() -> None:
    assert skeleton("Ada") == skeleton("АDА") == skeleton("ａｄａ") == skeleton("Ädá") == "ada"
    assert skeleton("Ada") != skeleton("Ida")
    assert told_apart("Ada", ["Ben"]) == "Ada"
    assert told_apart("Ada", ["ADA"]) == "Ada 2"
    assert told_apart("Ada", ["ADA", "Ada 2"]) == "Ada 3"
    longest = "x" * LONGEST_NAME
    assert len(told_apart(longest, [longest])) == LONGEST_NAME


def test_an_id_can_be_given_to_a_command() -> None:
    made = [new_id(9) for _ in range(2000)]
    assert len(set(made)) == 2000
    assert not any(one.startswith("-") for one in made)
