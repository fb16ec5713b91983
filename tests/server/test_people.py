"""People over HTTP: coming, coming back, being kept out, being forgotten."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from mandalier.server import protocol as p
from mandalier.server.config import UNLIMITED, Admin, Config, Notify, Server
from mandalier.server.hall import Hall
from mandalier.server.house import House
from mandalier.server.session import Session, Who
from mandalier.server.sitting import Actor
from mandalier.server.store import Sqlite
from mandalier.server.table import Table

HERE = "http://127.0.0.1:8000"
ADMIN = "an admin's token of enough letters"


class Place:
    """A running server, and browsers and programs that ask it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.hall = house.hall

    def client(self, **headers: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app=self.house.asgi, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url=HERE, headers=headers)

    def browser(self) -> httpx.AsyncClient:
        """Keeps cookies, and says where its pages come from."""
        return self.client(origin=HERE)

    @property
    def admin(self) -> httpx.AsyncClient:
        return self.client(authorization=f"Bearer {ADMIN}")

    async def guest(self, name: str) -> httpx.AsyncClient:
        made = self.browser()
        assert (await made.post("/api/v1/guests", json={"name": name})).status_code == 201
        return made

    async def game(self, *browsers: httpx.AsyncClient) -> Table:
        """A game that these people play, the first as the host, some chat said."""
        me = await idea_of(browsers[0])
        table = await self.hall.create(p.TableConfig("pyramids", seats=len(browsers)), me["id"])
        for seat, browser in enumerate(browsers):
            who = await idea_of(browser)
            actor = Actor(who["id"], who["name"])
            await table.submit(p.Sit(f"s{seat}", table.id, seat), actor, f"s{seat}")
            await table.submit(p.Chat(f"c{seat}", table.id, f"hello from {who['name']}"), actor)
        await until(lambda: table.sitting.status == "playing")
        return table


async def idea_of(browser: httpx.AsyncClient) -> Any:
    return (await browser.get("/api/v1/me")).json()


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(3000):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to be")


@asynccontextmanager
async def opened(folder: Path, **sections: Any) -> AsyncIterator[Place]:
    settings = {"admin": Admin(token=ADMIN), "limits": UNLIMITED, **sections}
    hall = Hall(Sqlite(folder / "tables.db"))
    house = House(Config(**settings), hall, folder, base=HERE, page=None)
    await house.open()
    try:
        yield Place(house)
    finally:
        await house.close()


def story(folder: Path, tell: Callable[[Place], Awaitable[None]], **sections: Any) -> None:
    async def run() -> None:
        async with opened(folder, **sections) as place:
            await tell(place)

    asyncio.run(run())


# Coming ----------------------------------------------------------------------------------------


def test_a_browser_gets_a_cookie_that_no_script_reads_a_program_a_token(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        answer = await place.browser().post("/api/v1/guests", json={"name": "Ada"})
        assert answer.json()["token"] == ""
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("mandalier=mdc_")
        assert "HttpOnly" in cookie
        assert "samesite=lax" in cookie.lower()
        answer = await place.client().post("/api/v1/guests", json={"name": "Bot"})
        assert "set-cookie" not in answer.headers
        program = place.client(authorization=f"Bearer {answer.json()['token']}")
        assert (await idea_of(program))["name"] == "Bot"
        assert (await place.client().get("/api/v1/me")).status_code == 401

    story(tmp_path, tell)


def test_a_page_of_another_site_that_is_let_in_gets_a_key_and_no_cookie(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        friend = place.client(origin="https://friend.example")
        answer = await friend.post("/api/v1/guests", json={"name": "Ada"})
        assert answer.headers["access-control-allow-origin"] == "https://friend.example"
        assert "set-cookie" not in answer.headers
        key = {"authorization": f"Bearer {answer.json()['token']}"}
        me = await friend.get("/api/v1/me", headers=key)
        assert (me.json()["name"], me.status_code) == ("Ada", 200)

    story(tmp_path, tell, server=Server(origins=["https://friend.example"]))


def test_names_are_checked_wherever_they_are_said(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        for name in ("Admin", "a\u202eb", "x" * 25):
            answer = await place.browser().post("/api/v1/guests", json={"name": name})
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_message")
        ada = await place.guest("Ada")
        assert (await ada.patch("/api/v1/me", json={"name": "Admin"})).status_code == 400
        assert (await ada.patch("/api/v1/me", json={"name": " Ada  L "})).json()["name"] == "Ada L"
        me = await idea_of(ada)
        table = await place.hall.create(p.TableConfig("pyramids", seats=2), me["id"])
        for name, code in (("Admin", "bad_name"), ("Queen", None)):
            body = {"type": "sit", "id": name, "table": table.id, "seat": 0, "name": name}
            answer = await ada.post("/api/v1/messages", json=body)
            assert answer.json().get("answer", {}).get("code") == code
        other = await place.guest("QUEEN")
        body = {"type": "sit", "id": "1", "table": table.id, "seat": 1}
        await other.post("/api/v1/messages", json=body)
        assert [place.name for place in table.sitting.places] == ["Queen", "QUEEN 2"]

    story(tmp_path, tell)


def test_coming_back_by_a_code_on_another_machine(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        codes = (await ada.post("/api/v1/me/codes")).json()["codes"]
        elsewhere = place.browser()
        answer = await elsewhere.post("/api/v1/recover", json={"code": codes[0]})
        assert (answer.json()["codes_left"], answer.json()["token"]) == (len(codes) - 1, "")
        assert (await idea_of(elsewhere))["id"] == (await idea_of(ada))["id"]
        again = await elsewhere.post("/api/v1/recover", json={"code": codes[0]})
        assert again.status_code == 400
        assert (await ada.post("/api/v1/logout")).status_code == 200
        assert (await ada.get("/api/v1/me")).status_code == 401
        assert (await elsewhere.get("/api/v1/me")).status_code == 200
        await elsewhere.post("/api/v1/logout/everywhere")
        assert (await elsewhere.get("/api/v1/me")).status_code == 401

    story(tmp_path, tell)


def test_guessing_codes_is_slow(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        browser = place.browser()
        tried = [
            (await browser.post("/api/v1/recover", json={"code": "AAAAA-AAAAA-AAAAA-AAAAA"}))
            for _ in range(12)
        ]
        assert [answer.status_code for answer in tried] == [400] * 10 + [429] * 2

    story(tmp_path, tell, limits=Config().limits)


def test_a_token_for_reading_cannot_play(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        body = {"label": "archive", "scopes": ["read"]}
        token = (await ada.post("/api/v1/me/tokens", json=body)).json()["token"]
        program = place.client(authorization=f"Bearer {token}")
        assert (await program.get("/api/v1/me/tables")).status_code == 200
        answer = await program.post("/api/v1/tables", json={"game": "sand"})
        assert (answer.status_code, answer.json()["code"]) == (403, "banned")
        (listed,) = (await ada.get("/api/v1/me/tokens")).json()["tokens"]
        assert token not in json.dumps(listed)
        await ada.delete(f"/api/v1/me/tokens/{listed['id']}")
        assert (await program.get("/api/v1/me")).status_code == 401
        body = {"label": "x", "scopes": ["admin"]}
        assert (await ada.post("/api/v1/me/tokens", json=body)).status_code == 400

    story(tmp_path, tell)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "me/codes", None),
        ("POST", "me/tokens", {"label": "another"}),
        ("DELETE", "me/tokens/x", None),
        ("PATCH", "me", {"name": "Eve"}),
        ("DELETE", "me", None),
        ("GET", "me/export", None),
        ("POST", "logout/everywhere", None),
        ("POST", "notifications", {"way": "mail", "address": "eve@example.org"}),
    ],
)
def test_the_key_of_a_program_does_not_open_the_account(
    tmp_path: Path, method: str, path: str, body: Any
) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        made = await ada.post("/api/v1/me/tokens", json={"label": "bot"})
        program = place.client(authorization=f"Bearer {made.json()['token']}")
        answer = await program.request(method, f"/api/v1/{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_by_token")
        assert (await idea_of(ada))["name"] == "Ada"
        assert (await program.post("/api/v1/tables", json={"game": "sand"})).status_code == 201

    story(tmp_path, tell)


def test_a_guest_without_a_browser_owns_its_account(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        made = (await place.client().post("/api/v1/guests", json={"name": "Ada"})).json()
        program = place.client(authorization=f"Bearer {made['token']}")
        assert (await program.post("/api/v1/me/codes")).status_code == 201
        assert (await program.delete("/api/v1/me")).status_code == 200

    story(tmp_path, tell)


def test_what_a_key_has_opened_is_closed_with_it(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        token = (await ada.post("/api/v1/me/tokens", json={"label": "bot"})).json()["token"]
        app = place.house.app
        by_key, by_cookie, elsewhere = (
            Session(place.hall, who)
            for who in (
                await app.who_shows(token),
                await app.who_shows(ada.cookies["mandalier"]),
                await app.who_shows(token),
            )
            if who
        )
        app.sessions |= {by_key, by_cookie}
        (listed,) = (await ada.get("/api/v1/me/tokens")).json()["tokens"]
        await ada.delete(f"/api/v1/me/tokens/{listed['id']}")
        assert by_key.closing is not None
        assert by_key.closing.code == 4003
        assert by_cookie.closing is None
        app.sessions.add(elsewhere)  # as if it were on another server
        await place.house.people.close_unwelcome()
        assert elsewhere.closing is not None
        assert by_cookie.closing is None
        await ada.post("/api/v1/logout")
        assert by_cookie.closing is not None

    story(tmp_path, tell)


# Being forgotten -------------------------------------------------------------------------------


def test_who_is_forgotten_vanishes_and_the_game_stays(tmp_path: Path) -> None:
    kept: dict[str, Any] = {}

    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada Lovelace"), await place.guest("Ben")
        table = await place.game(ada, ben)
        me = await idea_of(ada)
        export = (await ada.get("/api/v1/me/export")).json()
        assert "hello from Ada Lovelace" in json.dumps(export)
        assert "Ben" not in json.dumps(export)
        assert (await ada.delete("/api/v1/me")).status_code == 200
        assert (await ada.get("/api/v1/me")).status_code == 401
        seen = (await ben.get(f"/api/v1/tables/{table.id}")).text
        assert "Ada" not in seen
        assert me["id"] not in seen
        assert table.sitting.places[0].by_bot  # a bot plays on
        assert [event.data["text"] for event in table.sitting.said] == ["", "hello from Ben"]
        await until(lambda: table.sitting.waiting == (1,) and len(table.sitting.moves) > 0)
        move = table.sitting.state.legal(1)[0]  # type: ignore[union-attr]
        body = {"type": "move", "id": "m", "table": table.id, "at": table.sitting.at, "move": move}
        assert (await ben.post("/api/v1/messages", json=body)).json()["answer"]["type"] == "done"
        kept.update(table=table.id, person=me["id"], info=table.sitting.info)

    story(tmp_path, tell)
    for file in tmp_path.glob("tables.db*"):
        assert b"Lovelace" not in _vacuumed(file, tmp_path)

    async def afterwards(place: Place) -> None:
        table = await place.hall.table(kept["table"])  # read anew from the store
        assert table.sitting.places[0].name == ""
        assert table.sitting.host == table.sitting.places[0].person
        everything = await place.hall.store.rows("SELECT person, client, data FROM events")
        assert "Ada" not in str(everything)
        assert kept["person"] not in str(everything)

    story(tmp_path, afterwards)


def _vacuumed(file: Path, folder: Path) -> bytes:
    """What a copy of the database holds, without what was deleted but not yet overwritten."""
    import sqlite3

    if file.name != "tables.db":
        return b""
    copy = folder / "copy.db"
    connection = sqlite3.connect(file)
    connection.execute("VACUUM INTO ?", (str(copy),))
    connection.close()
    data = copy.read_bytes()
    copy.unlink()
    return data


def test_who_is_forgotten_before_the_start_gives_the_seat_up(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada"), await place.guest("Ben")
        config = p.TableConfig("pyramids", seats=3)
        table = await place.hall.create(config, (await idea_of(ben))["id"])
        body = {"type": "sit", "id": "1", "table": table.id, "seat": 1}
        await ada.post("/api/v1/messages", json=body)
        await ada.delete("/api/v1/me")
        assert table.sitting.places[1].kind == "open"

    story(tmp_path, tell)


def test_a_rematch_keeps_a_seat_free_for_whoever_is_forgotten_or_banned(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada, ben, cem = [await place.guest(name) for name in ("Ada", "Ben", "Cem")]
        table = await place.game(ada, ben, cem)
        who = [await idea_of(browser) for browser in (ada, ben, cem)]
        await table.submit(p.Close("x", table.id), Actor(who[0]["id"]), "x")
        await ben.delete("/api/v1/me")
        await place.admin.post(f"/api/v1/admin/people/{who[2]['id']}/ban", json={"reason": "spam"})
        body = {"type": "rematch", "id": "r", "table": table.id}
        made = (await ada.post("/api/v1/messages", json=body)).json()["answer"]["data"]["table"]
        places = (await place.hall.table(made)).sitting.places
        assert [place.name for place in places] == ["", "Ada", ""]
        assert [place.kind for place in places] == ["open", "person", "open"]

    story(tmp_path, tell)


# The admin -------------------------------------------------------------------------------------


def test_the_admin_lists_closes_bans_exports_and_deletes(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada"), await place.guest("Ben")
        table = await place.game(ada, ben)
        admin = place.admin
        status = (await admin.get("/api/v1/admin/status")).json()
        assert status["people"] == 2
        (found,) = (await admin.get("/api/v1/admin/people?search=ad")).json()["people"]
        assert found["name"] == "Ada"
        await place.hall._write_notes()
        (listed,) = (await admin.get("/api/v1/admin/tables?status=playing")).json()["tables"]
        assert listed["id"] == table.id
        who = f"/api/v1/admin/people/{found['id']}"
        assert "hello from Ada" in (await admin.get(who)).text
        await admin.post(f"{who}/ban", json={"reason": "insults"})
        assert [place.away for place in table.sitting.places] == [True, False]  # nobody waits
        body = {"type": "chat", "id": "x", "table": table.id, "text": "more"}
        assert (await ada.post("/api/v1/messages", json=body)).json()["answer"]["code"] == "banned"
        assert (await ada.get(f"/api/v1/tables/{table.id}")).status_code == 200  # may watch
        await admin.post(f"{who}/ban", json={"reason": ""})
        answer = await ada.post("/api/v1/messages", json={**body, "id": "y"})
        assert answer.json()["answer"]["type"] == "done"
        assert (await admin.post(f"/api/v1/admin/tables/{table.id}/close")).status_code == 200
        assert table.sitting.status == "closed"
        assert (await admin.delete(who)).status_code == 200
        assert (await admin.get(who)).status_code == 400
        assert (await admin.delete(who)).json()["reason"] == "there is no such person"

    story(tmp_path, tell)


def test_nobody_else_is_the_admin(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        for client in (ada, place.client(), place.client(authorization=f"Bearer {ADMIN}x")):
            for method, path in (
                ("GET", "status"),
                ("GET", "people"),
                ("GET", "tables"),
                ("GET", "people/x"),
                ("DELETE", "people/x"),
                ("POST", "people/x/ban"),
                ("POST", "tables/x/close"),
            ):
                answer = await client.request(method, f"/api/v1/admin/{path}")
                assert (answer.status_code, answer.json()["code"]) == (401, "unknown_person")

    story(tmp_path, tell)


def test_an_admin_token_is_made_once_and_kept_where_nobody_else_reads_it(tmp_path: Path) -> None:
    tokens = []

    async def tell(place: Place) -> None:
        file = tmp_path / "admin.token"
        tokens.append(file.read_text().strip())
        client = place.client(authorization=f"Bearer {tokens[0]}")
        assert (await client.get("/api/v1/admin/status")).status_code == 200
        assert file.stat().st_mode & 0o077 == 0

    story(tmp_path, tell, admin=Admin())
    story(tmp_path, tell, admin=Admin())
    assert tokens[0] == tokens[1]


def test_a_ban_closes_open_connections_also_of_other_servers(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada"), await place.guest("Ben")
        sessions = []
        for browser in (ada, ben):
            me = await idea_of(browser)
            session = Session(place.hall, Who(me["id"], me["name"]))
            place.house.app.sessions.add(session)
            sessions.append(session)
        people = place.house.people
        await people.close_unwelcome()
        assert [session.closing for session in sessions] == [None, None]
        # as another server would
        await place.house.app.accounts.ban(sessions[0].who.person, "insults")
        gone = ("INSERT INTO gone (person, at) VALUES (?, 0)", (sessions[1].who.person,))
        await place.hall.store.write(gone)
        await people.close_unwelcome()
        codes = [session.closing.code for session in sessions if session.closing]
        assert codes == [4003, 4003]
        await people.sweep(90)
        assert await place.hall.store.rows("SELECT person FROM gone") == []

    story(tmp_path, tell)


# Notices ---------------------------------------------------------------------------------------


def test_notices_are_off_unless_the_host_turns_them_on(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada = await place.guest("Ada")
        assert (await ada.get("/api/v1/notifications")).json()["ways"] == []
        body = {"way": "hook", "address": "https://example.org/"}
        answer = await ada.post("/api/v1/notifications", json=body)
        assert answer.json()["reason"] == "this server does not send such notices"

    story(tmp_path, tell)


def test_who_is_away_is_told_of_their_turn_at_a_real_table(tmp_path: Path) -> None:
    from tests.server.fakes import hook_server

    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada"), await place.guest("Ben")
        body = {"way": "hook", "address": f"{inbox.url}/ada"}
        made = (await ada.post("/api/v1/notifications", json=body)).json()
        assert made["secret"]
        table = await place.game(ada, ben)
        await until(lambda: len(inbox.posts) == 1)
        told = json.loads(inbox.posts[0][2])
        assert (told["table"], told["link"]) == (table.id, f"{HERE}/t/{table.id}")
        while 'way="hook"' not in (await place.admin.get("/metrics")).text:
            await asyncio.sleep(0.01)  # it is counted when the answer has come
        await ada.delete(f"/api/v1/notifications/{made['id']}")
        assert (await ada.get("/api/v1/notifications")).json()["subscriptions"] == []

    with hook_server() as inbox:
        notify = Notify(webhooks=True, allow_private=True, after_s=0)
        story(tmp_path, tell, notify=notify)


# Watching over a server ------------------------------------------------------------------------


def test_health_is_bad_while_closing_and_without_a_store(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        client = place.client()
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        await place.house.say_goodbye()
        assert (await client.get("/healthz")).status_code == 503
        place.house.app.is_closing = False
        await place.hall.store.close()
        assert (await client.get("/healthz")).json() == {"status": "no store"}

    story(tmp_path, tell)


def test_metrics_are_for_this_machine_and_the_admin(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        local = await place.client().get("/metrics")
        assert "mandalier_requests_total" in local.text
        passed_on = place.client(**{"x-forwarded-for": "198.51.100.1"})
        assert (await passed_on.get("/metrics")).status_code == 403
        assert (await place.admin.get("/metrics")).status_code == 200

    story(tmp_path, tell)
    off = Admin(token=ADMIN, metrics="off")

    async def nobody(place: Place) -> None:
        assert (await place.admin.get("/metrics")).status_code == 403

    story(tmp_path, nobody, admin=off)


@pytest.mark.parametrize(
    "path", ["/api/v1/me", "/api/v1/tables", "/api/v1/admin/status", "/", "/x"]
)
def test_every_answer_has_the_guards_headers(path: str, tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        answer = await place.client().get(path)
        assert "default-src 'none'" in answer.headers["content-security-policy"]

    story(tmp_path, tell)


# Tables that were left -------------------------------------------------------------------------


def test_tables_that_nobody_touches_are_closed_in_the_end(tmp_path: Path) -> None:
    async def tell(place: Place) -> None:
        ada, ben = await place.guest("Ada"), await place.guest("Ben")
        host = (await idea_of(ada))["id"]
        day = 86_400_000
        waiting, alive = [
            await place.hall.create(p.TableConfig("pyramids"), host) for _ in range(2)
        ]
        game = await place.game(ada, ben)
        await place.hall._write_notes()
        store = place.hall.store
        for table, days in ((waiting, 20), (alive, 20), (game, 20)):
            await store.write(
                ("UPDATE tables SET created = created - ? WHERE id = ?", (days * day, table.id)),
                ("UPDATE events SET at = at - ? WHERE tbl = ?", (days * day, table.id)),
            )
        for table in (waiting, alive, game):
            place.hall.drop(table)
        alive = await place.hall.table(alive.id)
        await alive.submit(p.Sit("s", alive.id, 1), Actor(host, "Ada"))
        assert await place.hall.close_idle(14, 365) == 1
        for table, status in ((waiting, "closed"), (alive, "gathering"), (game, "playing")):
            assert (await place.hall.table(table.id)).sitting.status == status
        await place.hall._write_notes()
        assert await place.hall.close_idle(14, 365) == 0
        assert await place.hall.close_idle(14, 19) == 1
        assert (await place.hall.table(game.id)).sitting.status == "closed"

    story(tmp_path, tell)
