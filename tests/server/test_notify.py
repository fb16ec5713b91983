"""Telling people who are away: once, in the ways they asked for, and never at a table's cost."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from email import message_from_string
from types import SimpleNamespace
from typing import Any

import pytest

from mandalier.games.errors import MandalierError
from mandalier.games.game import game
from mandalier.server import notify, outgoing, push
from mandalier.server.config import Notify
from mandalier.server.deliver import Delivery
from mandalier.server.metrics import Metrics
from mandalier.server.notify import MIGRATION, RETRY_MS, Notifier, NotifyError
from tests.server.fakes import Inbox, Mailbox, hook_server, mail_server
from tests.server.keeper import MemoryKeeper

HOUR_MS = 3_600_000


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as box:
        yield box


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with hook_server() as box:
        yield box


class Calendar:
    def __init__(self) -> None:
        self.now = 1_000 * 24 * HOUR_MS

    def __call__(self) -> int:
        return self.now


class World:
    """A notifier, its store and its time."""

    def __init__(self, **settings: Any) -> None:
        settings = {"webhooks": True, "allow_private": True, "after_s": 0, **settings}
        self.config = Notify(**settings)
        self.keeper = MemoryKeeper(MIGRATION)
        self.calendar = Calendar()
        self.metrics = Metrics()
        self.notifier = self.another()

    def another(self) -> Notifier:
        """A server on the same store."""
        return Notifier(
            self.keeper,
            self.config,
            "https://games.example.org",
            metrics=self.metrics,
            clock=self.calendar,
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Notifier]:
        await self.notifier.open()
        try:
            yield self.notifier
        finally:
            await self.notifier.close()

    def outcomes(self) -> dict[str, float]:
        found = re.findall(
            r'notifications_total\{outcome="([\w ]+)",way="\w+"\} (\S+)',
            self.metrics.text().decode(),
        )
        return {outcome: float(n) for outcome, n in found}


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(3000):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to be")


def place(person: str, kind: str = "person") -> Any:
    return SimpleNamespace(person=person, kind=kind, by_person=kind == "person")


def table(
    waiting: tuple[int, ...] = (0,),
    *,
    moves: int = 0,
    here: tuple[str, ...] = (),
    over: bool = False,
) -> Any:
    """A table, as far as a notifier looks at one: Ada at seat 0, Ben at seat 1."""
    sitting = SimpleNamespace(
        status="over" if over else "playing",
        status_since=1_000 * 24 * HOUR_MS,
        waiting=() if over else waiting,
        places=[place("ada"), place("ben")],
        moves=[SimpleNamespace(seat=0)] * moves,
        game=game("sand"),
    )
    watchers = [SimpleNamespace(person=person) for person in here]
    return SimpleNamespace(id="t1", sitting=sitting, watchers=watchers)


# Turns -----------------------------------------------------------------------------------------


def test_who_is_away_is_told_once_a_turn(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        async with world.open() as notifier:
            await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
            notifier.look(table())
            notifier.look(table())
            await until(lambda: len(inbox.posts) == 1)
            notifier.look(table())  # as when the table is read anew
            notifier.look(table(moves=1))
            await until(lambda: len(inbox.posts) == 2)
            await asyncio.sleep(0.1)
            assert len(inbox.posts) == 2

    run(story())
    path, _, body = inbox.posts[0]
    assert (path, json.loads(body)) == (
        "/ada",
        {
            "title": "Mandala: it is your turn",
            "text": "The others wait for your move.",
            "link": "https://games.example.org/t/t1",
            "kind": "turn",
            "table": "t1",
        },
    )


def test_who_is_here_or_did_not_ask_is_not_told(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        async with world.open() as notifier:
            await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
            notifier.look(table(here=("ada",)))
            notifier.look(table(waiting=(1,)))
            await asyncio.sleep(0.1)

    run(story())
    assert inbox.posts == []


def test_who_is_at_another_server_is_not_told_by_this_one(inbox: Inbox) -> None:
    world = World()
    world.keeper.is_shared = True  # type: ignore[attr-defined]

    async def story() -> None:
        async with world.open() as here:
            await here.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
            there = world.another()
            there.excuse_s = here.excuse_s = 0.3
            await there.open()
            there.look(table())
            here.look(table(here=("ada",)))
            await asyncio.sleep(1)
            assert inbox.posts == []
            there.look(table(moves=1))  # the next turn: she is nowhere
            here.look(table(moves=1))
            await until(lambda: len(inbox.posts) == 1)
            await asyncio.sleep(0.5)
            assert len(inbox.posts) == 1
            await there.close()

    run(story())


def test_who_comes_back_in_time_is_not_told(inbox: Inbox) -> None:
    world = World(after_s=0)

    async def story() -> None:
        async with world.open() as notifier:
            await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
            playing = table()
            notifier.look(playing)
            playing.sitting.waiting = (1,)  # Ada has moved
            await asyncio.sleep(0.1)

    run(story())
    assert inbox.posts == []


def test_the_end_is_told_while_it_is_news(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        async with world.open() as notifier:
            await notifier.subscribe("ben", "hook", f"{inbox.url}/ben", "fr")
            notifier.look(table(over=True))
            await until(lambda: len(inbox.posts) == 1)
            world.calendar.now += 25 * HOUR_MS
            run_before = len(inbox.posts)
            other = table(over=True)
            other.id = "t2"
            notifier.look(other)  # somebody looks at an old game
            await asyncio.sleep(0.1)
            assert len(inbox.posts) == run_before

    run(story())
    assert json.loads(inbox.posts[0][2])["kind"] == "over"


def test_nobody_is_told_more_than_so_often(inbox: Inbox) -> None:
    world = World(per_hour=3)

    async def story() -> None:
        async with world.open() as notifier:
            await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
            for moves in range(6):
                notifier.look(table(moves=moves))
                await asyncio.sleep(0.03)
            await until(lambda: world.outcomes().get("too many", 0) >= 1)
            await until(lambda: len(inbox.posts) == 3)
            await asyncio.sleep(0.1)

    run(story())
    assert len(inbox.posts) == 3


def test_looking_costs_nothing_while_nobody_subscribes() -> None:
    notifier = World().notifier
    notifier.look(None)  # type: ignore[arg-type]  # it is not even looked at


# Trying again ----------------------------------------------------------------------------------


def test_what_fails_is_tried_again_later_and_later_and_then_no_more(inbox: Inbox) -> None:
    world = World()
    inbox.answers = [500]

    async def story() -> None:
        notifier = world.notifier
        await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        assert await notifier.send_due() == 1
        for wait in RETRY_MS:
            world.calendar.now += wait - 1
            assert await notifier.send_due() == 0
            world.calendar.now += 1
            assert await notifier.send_due() == 1
        world.calendar.now += 1000 * HOUR_MS
        assert await notifier.send_due() == 0
        await notifier.close()

    run(story())
    assert len(inbox.posts) == 1 + len(RETRY_MS)
    assert world.outcomes() == {"failed": len(RETRY_MS), "given up": 1}


def test_what_fails_for_a_while_arrives_once(inbox: Inbox) -> None:
    world = World()
    inbox.answers = [503, 302, 200]

    async def story() -> None:
        notifier = world.notifier
        await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        for _ in range(10):
            world.calendar.now += 5 * HOUR_MS
            await notifier.send_due()
        await notifier.close()

    run(story())
    assert [path for path, _, _ in inbox.posts] == ["/ada"] * 3  # no redirect was followed
    assert world.outcomes() == {"failed": 2, "sent": 1}


def test_a_notice_survives_a_restart_and_is_sent_by_one_of_two_servers(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        first = world.notifier
        await first.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
        await first._tell("ada", "t1", "Mandala", "0.0")
        await first.close()
        second, third = world.another(), world.another()
        sent = await asyncio.gather(second.send_due(), third.send_due())
        assert sorted(sent) == [0, 1]
        await second._tell("ada", "t1", "Mandala", "0.0")  # the same turn again
        assert await third.send_due() == 0
        await second.close()
        await third.close()

    run(story())
    assert len(inbox.posts) == 1


def test_a_server_that_dies_while_sending_leaves_the_next_try(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        notifier = world.notifier
        await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        rows = await world.keeper.rows("SELECT id FROM notices")
        assert await notifier._claim(rows[0][0], 0)  # and then nothing more is heard of it
        assert await notifier.send_due() == 0
        world.calendar.now += RETRY_MS[0]
        assert await notifier.send_due() == 1
        await notifier.close()

    run(story())
    assert len(inbox.posts) == 1


def test_an_address_that_is_gone_is_forgotten(inbox: Inbox) -> None:
    world = World()
    inbox.answers = [410]

    async def story() -> list[Any]:
        notifier = world.notifier
        await notifier.subscribe("ada", "hook", f"{inbox.url}/ada", "en")
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        await notifier.send_due()
        await notifier.close()
        return await notifier.subscriptions("ada")

    assert run(story()) == []
    assert world.outcomes() == {"gone": 1}


# Webhooks --------------------------------------------------------------------------------------


def test_a_webhook_can_check_who_speaks(inbox: Inbox) -> None:
    world = World()

    async def story() -> str:
        notifier = world.notifier
        made = await notifier.subscribe("ada", "hook", f"{inbox.url}/ada?x=1", "en")
        await notifier.test("ada", made.id)
        await notifier.send_due()
        await notifier.close()
        assert made.secret is not None
        return made.secret

    secret = run(story())
    path, headers, body = inbox.posts[0]
    at, given = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["mandalier-signature"]).groups()  # type: ignore[union-attr]
    assert hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest() == given
    assert (path, abs(int(at) - time.time()) < 60) == ("/ada?x=1", True)
    assert secret not in body.decode()


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[2002:a00:1::1]/",
        "https://0.0.0.0/",
        "https://2130706433/",
        "https://0x7f.1/",
    ],
)
def test_a_webhook_into_a_private_network_is_refused(url: str) -> None:
    delivery = Delivery(Notify(webhooks=True))
    with pytest.raises(MandalierError, match=r"private network|cannot be found"):
        delivery.check_address("hook", url)
    with pytest.raises(MandalierError, match=r"private network|cannot be found"):
        outgoing.post(url, {}, b"")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://",
        "https://user:password@example.org/",
        "https://example.org:99999/",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://example.org/" + "x" * 1000,
        "file:///etc/passwd",
        "",
        None,
        5,
    ],
)
def test_a_webhook_that_is_no_web_address_is_refused(url: object) -> None:
    with pytest.raises(MandalierError, match="begins with https://"):
        Delivery(Notify(webhooks=True)).check_address("hook", url)


def test_a_name_that_changes_its_address_is_not_followed_into_a_private_network(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def turncoat(host: str, port: int, **more: Any) -> list[Any]:
        asked.append(host)
        address = "8.8.8.8" if len(asked) == 1 else "127.0.0.1"
        return [(2, 1, 6, "", (address, port))]

    monkeypatch.setattr("mandalier.server.outgoing.socket.getaddrinfo", turncoat)
    Delivery(Notify(webhooks=True)).check_address("hook", "https://turncoat.example/")
    with pytest.raises(MandalierError, match="private network"):
        outgoing.post("https://turncoat.example/", {}, b"")
    assert inbox.posts == []


# E-mail ----------------------------------------------------------------------------------------


def mail_world(mailbox: Mailbox) -> World:
    return World(
        mail_server=f"127.0.0.1:{mailbox.port}",
        mail_from="table@games.example.org",
        mail_security="none",
    )


async def confirmed(world: World, mailbox: Mailbox, person: str = "ada") -> str:
    made = await world.notifier.subscribe(person, "mail", f"{person}@example.org", "en")
    await world.notifier.send_due()
    code = re.search(r"Your code: (\d{8})", mailbox.letters[-1][1])
    assert code is not None
    await world.notifier.confirm(person, made.id, code[1])
    return made.id


def test_an_e_mail_address_is_told_nothing_until_it_is_confirmed(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> None:
        notifier = world.notifier
        made = await notifier.subscribe("ada", "mail", "ada@example.org", "en")
        assert not made.confirmed
        assert not notifier.people
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        await notifier.send_due()
        assert len(mailbox.letters) == 1  # the code
        with pytest.raises(NotifyError, match="not the code"):
            await notifier.confirm("ben", made.id, "00000000")
        mailbox.letters.clear()
        await notifier.end("ada", made.id)
        await confirmed(world, mailbox)
        await notifier._tell("ada", "t1", "Mandala", "0.0")
        await notifier.send_due()
        await notifier.close()

    run(story())
    to, text = mailbox.letters[-1]
    letter = message_from_string(text)
    assert (to, letter["subject"]) == ("ada@example.org", "Mandala: it is your turn")
    assert "https://games.example.org/t/t1" in letter.get_payload()
    assert letter["list-unsubscribe-post"] == "List-Unsubscribe=One-Click"


def test_a_code_cannot_be_guessed(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> None:
        notifier = world.notifier
        made = await notifier.subscribe("ada", "mail", "ada@example.org", "en")
        await notifier.send_due()
        code = re.search(r"Your code: (\d{8})", mailbox.letters[-1][1])
        assert code is not None
        for guess in ["99999999", "", None, 5, "x"]:
            with pytest.raises(NotifyError):
                await notifier.confirm("ada", made.id, guess)
        for _ in range(5):
            with pytest.raises(NotifyError):
                await notifier.confirm("ada", made.id, "99999998")
        with pytest.raises(NotifyError):
            await notifier.confirm("ada", made.id, code[1])
        assert await notifier.subscriptions("ada") == []
        await notifier.close()

    run(story())


def test_nobody_can_fill_somebody_elses_mailbox(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> int:
        refused = 0
        for person in range(20):
            try:
                await world.notifier.subscribe(f"p{person}", "mail", "Victim@example.org", "en")
            except NotifyError:
                refused += 1
        await world.notifier.close()
        return refused

    assert run(story()) == 17


def test_the_link_at_the_foot_ends_it(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> None:
        made = await confirmed(world, mailbox)
        await world.notifier.test("ada", made)
        await world.notifier.send_due()
        letter = message_from_string(mailbox.letters[-1][1])
        key = letter["list-unsubscribe"].strip("<>").partition("key=")[2]
        assert not await world.notifier.stop(key[:-1] + ("0" if key[-1] != "0" else "1"))
        assert not await world.notifier.stop("")
        assert await world.notifier.stop(key)
        assert await world.notifier.subscriptions("ada") == []
        await world.notifier.close()

    run(story())


def test_an_address_the_mail_server_refuses_for_good_is_forgotten(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> None:
        made = await confirmed(world, mailbox)
        mailbox.answer = "450 later"
        await world.notifier.test("ada", made)
        await world.notifier.send_due()
        assert len(await world.notifier.subscriptions("ada")) == 1
        mailbox.answer = "550 no such user"
        world.calendar.now += HOUR_MS
        await world.notifier.send_due()
        assert await world.notifier.subscriptions("ada") == []
        await world.notifier.close()

    run(story())


@pytest.mark.parametrize(
    "address",
    ["ada", "ada@host", "a@b.c\r\nBcc: x@y.zz", "a b@c.dd", "<a@b.cc>", "a@b.cc,d@e.ff", 5],
)
def test_what_is_no_e_mail_address_is_refused(address: object, mailbox: Mailbox) -> None:
    with pytest.raises(MandalierError, match="no e-mail address"):
        mail_world(mailbox).notifier.delivery.check_address("mail", address)


# Web push --------------------------------------------------------------------------------------

# The example of RFC 8291, section 5 and appendix A
BROWSER = (
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "BTBZMqHH6r4Tts7J_aSIgg",
)
OWN_KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
EXPECTED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6"
    "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulc"
    "y4a-fN"
)


def test_push_messages_are_encrypted_as_the_standard_shows() -> None:
    to = push.Subscription("", push.unb64(BROWSER[0]), push.unb64(BROWSER[1]))
    made = push.encrypted(
        b"When I grow up, I want to be a watermelon",
        to,
        push.read_key(OWN_KEY),
        push.unb64(SALT),
    )
    assert push.b64(made) == EXPECTED


def test_a_push_service_can_check_who_pushes() -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    key = push.read_key(push.new_key())
    header = push.vapid("https://push.example:8443/a/b", "mailto:me@example.org", key, 1_000)
    token, public = re.fullmatch(r"vapid t=(\S+), k=(\S+)", header).groups()  # type: ignore[union-attr]
    signed, _, signature = token.rpartition(".")
    claims = json.loads(push.unb64(signed.split(".")[1]))
    assert claims == {
        "aud": "https://push.example:8443",
        "exp": 1_000 + push.TOKEN_S,
        "sub": "mailto:me@example.org",
    }
    raw = push.unb64(signature)
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), push.unb64(public))
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    point.verify(der, signed.encode(), ec.ECDSA(SHA256()))


def test_a_browser_is_pushed_to_with_one_key_of_all_servers(inbox: Inbox) -> None:
    world = World(push=True, push_contact="mailto:me@example.org", webhooks=False)
    given = {"endpoint": f"{inbox.url}/p", "keys": {"p256dh": BROWSER[0], "auth": BROWSER[1]}}

    async def story() -> None:
        other = world.another()
        async with world.open() as notifier:
            await other.open()
            assert notifier.public_key == other.public_key
            await other.close()
            made = await notifier.subscribe("ada", "push", given, "en")
            assert (await notifier.subscriptions("ada"))[0].address == inbox.url[7:]
            await notifier.test("ada", made.id)
            await until(lambda: len(inbox.posts) == 1)

    run(story())
    path, headers, body = inbox.posts[0]
    assert (path, headers["content-encoding"]) == ("/p", "aes128gcm")
    assert headers["authorization"].startswith("vapid t=")
    assert b"test" not in body


@pytest.mark.parametrize(
    "given",
    [
        {},
        None,
        [],
        {"endpoint": "https://push.example/"},
        {"endpoint": "https://push.example/", "keys": {"p256dh": "AAAA", "auth": BROWSER[1]}},
        {"endpoint": "https://push.example/", "keys": {"p256dh": BROWSER[0], "auth": "AAAA"}},
        {"endpoint": "http://push.example/", "keys": {"p256dh": BROWSER[0], "auth": BROWSER[1]}},
        {"endpoint": 5, "keys": {"p256dh": BROWSER[0], "auth": BROWSER[1]}},
        {"endpoint": "https://push.example/", "keys": {"p256dh": 5, "auth": BROWSER[1]}},
    ],
)
def test_what_is_no_subscription_is_refused(given: Any) -> None:
    with pytest.raises(MandalierError, match=r"no subscription|begins with https"):
        push.read_subscription(given)


# Subscriptions ---------------------------------------------------------------------------------


def test_all_is_off_unless_it_is_turned_on() -> None:
    notifier = Notifier(MemoryKeeper(MIGRATION), Notify(), "http://localhost")
    assert not notifier.is_on
    with pytest.raises(MandalierError, match="does not send such notices"):
        run(notifier.subscribe("ada", "hook", "https://example.org/", "en"))


def test_somebodys_subscriptions_are_theirs_alone_and_go_with_them(inbox: Inbox) -> None:
    world = World()

    async def story() -> None:
        notifier = world.notifier
        made = await notifier.subscribe("ada", "hook", inbox.url, "en")
        await notifier.end("ben", made.id)
        with pytest.raises(NotifyError, match="no such subscription"):
            await notifier.test("ben", made.id)
        await notifier.test("ada", made.id)
        assert len(await notifier.subscriptions("ada")) == 1
        await notifier.forget("ada")
        assert inbox.url not in world.keeper.everything()
        assert not notifier.people
        await notifier.close()

    run(story())


def test_nobody_has_too_many_subscriptions(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "MOST_SUBSCRIPTIONS", 2)
    world = World()

    async def story() -> None:
        for _ in range(2):
            await world.notifier.subscribe("ada", "hook", inbox.url, "en")
        with pytest.raises(NotifyError, match="more than 2 subscriptions"):
            await world.notifier.subscribe("ada", "hook", inbox.url, "en")
        await world.notifier.close()

    run(story())


def test_old_notices_and_addresses_never_confirmed_are_swept_away(mailbox: Mailbox) -> None:
    world = mail_world(mailbox)

    async def story() -> None:
        made = await confirmed(world, mailbox)
        await world.notifier.subscribe("ben", "mail", "ben@example.org", "en")
        await world.notifier.test("ada", made)
        world.calendar.now += 31 * 24 * HOUR_MS
        await world.notifier.sweep()
        assert await world.keeper.rows("SELECT id FROM notices") == []
        assert await world.keeper.rows("SELECT person FROM subscriptions") == [("ada",)]
        await world.notifier.close()

    run(story())
