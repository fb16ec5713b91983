"""People over HTTP: names, coming back, tokens, notices, and being forgotten."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server import protocol_people as pp
from mandalier.server.accounts import COOKIE, DAY_MS, AccountError, now_ms
from mandalier.server.app import (
    App,
    Handler,
    from_a_browser,
    guarded,
    json_answer,
    read_body,
    with_cookie,
)
from mandalier.server.notify import Notifier
from mandalier.server.session import Closing
from mandalier.server.sitting import SERVER, Forget

ALIAS = "gone-"
"""How the ids begin that stand in for people who are forgotten."""
LOOK_S = 5.0


class People:
    """The routes, and what forgetting somebody takes."""

    def __init__(self, app: App, notifier: Notifier) -> None:
        self.app = app
        self.accounts = app.accounts
        self.hall = app.hall
        self.notifier = notifier

    # Who I am

    async def rename(self, request: Request) -> Response:
        who = await self.app.owner(request)
        given: pp.RenameIn = await read_body(request, pp.RenameIn)
        name = await self.accounts.rename(who.person, given.name)
        person = await self.accounts.person(who.person)
        assert person is not None
        return json_answer(p.PersonOut(person.id, name, person.kind))

    async def new_codes(self, request: Request) -> Response:
        who = await self.app.owner(request)
        return json_answer(pp.CodesOut(await self.accounts.new_recovery_codes(who.person)), 201)

    async def recover(self, request: Request) -> Response:
        given: pp.RecoverIn = await read_body(request, pp.RecoverIn)
        person, secret, left = await self.accounts.recover(given.code)
        if not from_a_browser(request):
            return json_answer(pp.RecoveredOut(person.id, person.name, secret, left))
        answer = json_answer(pp.RecoveredOut(person.id, person.name, "", left))
        return with_cookie(answer, secret, request)

    async def log_out(self, request: Request) -> Response:
        secret = self.app.secret_of(request)
        if secret and await self.app.who(request):
            await self._close(await self.accounts.forget(secret))
        return _without_cookie(json_answer(pp.DoneOut()))

    async def log_out_everywhere(self, request: Request) -> Response:
        who = await self.app.owner(request)
        await self._close(await self.accounts.forget_all(who.person))
        return _without_cookie(json_answer(pp.DoneOut()))

    async def _close(self, credentials: list[str]) -> None:
        """Close what these keys have opened, here and (they look now and then) on other servers."""
        self.app.close_sessions(*credentials)
        await self.hall.store.write(
            *[
                (
                    "INSERT INTO gone (person, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    (one, now_ms()),
                )
                for one in credentials
            ]
        )

    async def export(self, request: Request) -> Response:
        who = await self.app.owner(request)
        return json_answer(await self.export_of(who.person))

    async def export_of(self, person: str) -> dict[str, Any]:
        """All that is kept about somebody."""
        subscriptions = await self.notifier.subscriptions(person)
        return {
            **await self.accounts.export(person),
            "notices": msgspec.to_builtins(subscriptions),
        }

    async def delete(self, request: Request) -> Response:
        who = await self.app.owner(request)
        await self.forget(who.person)
        return _without_cookie(json_answer(pp.DoneOut()))

    # Tokens

    async def tokens(self, request: Request) -> Response:
        who = await self.app.must_know(request)
        return json_answer(pp.TokensOut(await self.accounts.tokens(who.person)))

    async def new_token(self, request: Request) -> Response:
        who = await self.app.owner(request)
        given: pp.TokenIn = await read_body(request, pp.TokenIn)
        scopes = [scope for scope in given.scopes if scope != "play" or who.may_play]
        token = await self.accounts.new_token(who.person, given.label, scopes)
        return json_answer(pp.TokenOut(token), 201)

    async def take_back(self, request: Request) -> Response:
        who = await self.app.owner(request)
        await self._close(await self.accounts.take_back(who.person, request.path_params["token"]))
        return json_answer(pp.DoneOut())

    # Notices

    async def notices(self, request: Request) -> Response:
        who = await self.app.must_know(request)
        ways: Any = self.notifier.delivery.ways
        found = await self.notifier.subscriptions(who.person)
        return json_answer(pp.NoticesOut(ways, self.notifier.public_key, found))

    async def subscribe(self, request: Request) -> Response:
        who = await self.app.owner(request)
        given: pp.SubscribeIn = await read_body(request, pp.SubscribeIn)
        made = await self.notifier.subscribe(who.person, given.way, given.address, given.language)
        return json_answer(made, 201)

    async def confirm(self, request: Request) -> Response:
        who = await self.app.owner(request)
        given: pp.ConfirmIn = await read_body(request, pp.ConfirmIn)
        await self.notifier.confirm(who.person, request.path_params["notice"], given.code)
        return json_answer(pp.DoneOut())

    async def unsubscribe(self, request: Request) -> Response:
        who = await self.app.owner(request)
        await self.notifier.end(who.person, request.path_params["notice"])
        return json_answer(pp.DoneOut())

    async def test_notice(self, request: Request) -> Response:
        who = await self.app.owner(request)
        await self.notifier.test(who.person, request.path_params["notice"])
        return json_answer(pp.DoneOut())

    async def stop_page(self, request: Request) -> Response:
        """The link at the foot of an e-mail: a button, because programs follow links too."""
        button, text = say("No more messages"), say("Shall this server stop writing to you?")
        return HTMLResponse(
            "<!doctype html><meta charset=utf-8><title>Mandalier</title>"
            f'<form method="post"><p>{text}</p><button>{button}</button></form>'
        )

    async def stop(self, request: Request) -> Response:
        found = await self.notifier.stop(request.query_params.get("key", ""))
        text = (
            say("No more messages will come.") if found else say("This link is not valid any more.")
        )
        return HTMLResponse(
            f"<!doctype html><meta charset=utf-8><title>Mandalier</title><p>{text}</p>",
            200 if found else 404,
        )

    @property
    def routes(self) -> list[BaseRoute]:
        endpoints: list[tuple[str, str, Handler]] = [
            ("PATCH", "/me", self.rename),
            ("DELETE", "/me", self.delete),
            ("GET", "/me/export", self.export),
            ("POST", "/me/codes", self.new_codes),
            ("POST", "/recover", self.recover),
            ("POST", "/logout", self.log_out),
            ("POST", "/logout/everywhere", self.log_out_everywhere),
            ("GET", "/me/tokens", self.tokens),
            ("POST", "/me/tokens", self.new_token),
            ("DELETE", "/me/tokens/{token:str}", self.take_back),
            ("GET", "/notifications", self.notices),
            ("POST", "/notifications", self.subscribe),
            ("GET", "/notifications/stop", self.stop_page),
            ("POST", "/notifications/stop", self.stop),
            ("POST", "/notifications/{notice:str}/confirm", self.confirm),
            ("POST", "/notifications/{notice:str}/test", self.test_notice),
            ("DELETE", "/notifications/{notice:str}", self.unsubscribe),
        ]
        return [
            Route(f"/api/v1{path}", guarded(handler), methods=[method])
            for method, path, handler in endpoints
        ]

    # Being forgotten -------------------------------------------------------------------------

    async def forget(self, person: str) -> None:
        """Delete what is kept about somebody. Games they took part in stay, without them: another
        id that means nothing stands where theirs stood, names and chat lines are empty."""
        if await self.accounts.person(person) is None:
            raise AccountError(say("there is no such person"))
        store, alias = self.hall.store, ALIAS + secrets.token_urlsafe(9)
        await store.write(
            (
                "INSERT INTO gone (person, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (person, now_ms()),
            ),
            ("DELETE FROM credentials WHERE person = ?", (person,)),
        )
        self.app.close_sessions(person)
        await self.notifier.forget(person)
        tables = await store.rows(
            "SELECT tbl FROM events WHERE person = ? AND kind <> 'move'"
            " UNION SELECT id FROM tables WHERE host = ?",
            (person, person),
        )
        for (table_id,) in tables:
            await self._forget_at(table_id, person, alias)
        await store.write(("DELETE FROM people WHERE id = ?", (person,)))

    async def _forget_at(self, table_id: str, person: str, alias: str) -> None:
        table = await self.hall.table(table_id)
        await table.submit(Forget(person, alias), SERVER)
        store = self.hall.store
        rows = await store.rows("SELECT seq, person, data FROM events WHERE tbl = ?", (table_id,))
        changed: list[tuple[str, tuple[Any, ...]]] = [
            ("UPDATE tables SET host = ? WHERE id = ? AND host = ?", (alias, table_id, person))
        ]
        for seq, who, data in rows:
            cleaned = without(person, alias, msgspec.json.decode(data), who == person)
            if who == person or cleaned is not None:
                text = data if cleaned is None else msgspec.json.encode(cleaned).decode()
                changed.append(
                    (
                        "UPDATE events SET person = ?, client = NULL, data = ?"
                        " WHERE tbl = ? AND seq = ?",
                        (alias if who == person else who, text, table_id, seq),
                    )
                )
        await store.write(*changed)

    # Other servers ---------------------------------------------------------------------------

    async def look_out(self) -> None:
        """Close the connections of people whom another server has banned or forgotten."""
        while True:
            await asyncio.sleep(LOOK_S)
            await self.close_unwelcome()

    async def close_unwelcome(self) -> None:
        banned = await self.hall.store.rows("SELECT id FROM people WHERE banned <> ''")
        gone = await self.hall.store.rows("SELECT person FROM gone")
        unwelcome = {row[0] for row in banned}
        self.app.close_sessions(*(row[0] for row in gone))
        for session in tuple(self.app.sessions):
            if session.who.may_play and session.who.person in unwelcome:
                session.close(Closing(4003))

    async def sweep(self, guest_days: int) -> None:
        await self.accounts.sweep(guest_days)
        before = now_ms() - DAY_MS
        await self.hall.store.write(("DELETE FROM gone WHERE at < ?", (before,)))


def without(person: str, alias: str, data: Any, is_theirs: bool) -> Any:
    """An event's data without somebody; None if they are not in it."""
    if not isinstance(data, dict):
        return None
    made = dict(data)
    if made.get("person") == person:
        made["person"] = alias
    if (is_theirs or data.get("person") == person) and "name" in made:
        made["name"] = ""
    if is_theirs and "text" in made:
        made["text"] = ""
    return made if made != data else None


def _without_cookie(response: Response) -> Response:
    response.delete_cookie(COOKIE)
    return response
