"""Running a server: people, tables, and what is going on, for whoever has the admin's token."""

from __future__ import annotations

import contextlib
import hmac
import logging
import os
import secrets
from pathlib import Path

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from mandalier import __version__
from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server import protocol_people as pp
from mandalier.server.accounts import hash_of
from mandalier.server.app import App, Handler, guarded, is_number, json_answer, read_body
from mandalier.server.people import People
from mandalier.server.sitting import SERVER, Actor, Refusal

log = logging.getLogger("mandalier.admin")

TOKEN_FILE = "admin.token"
PAGE = 50
STATUSES = ("gathering", "sealing", "playing", "paused", "over", "closed")


def admin_token(folder: Path, given: str) -> str:
    """The token of the settings, or one that is made once and kept in the data folder, where only
    the owner of the folder can read it."""
    if given:
        return given
    file = folder / TOKEN_FILE
    try:
        return file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
    made = f"mda_{secrets.token_urlsafe(32)}"
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as out:
        out.write(made + "\n")
    return made


class Admin:
    """The routes under /api/v1/admin."""

    def __init__(self, app: App, people: People, token: str) -> None:
        self.app = app
        self.hall = app.hall
        self.people_of = people
        self.accounts = app.accounts
        self._token = hash_of(token)

    def is_admin(self, request: HTTPConnection) -> bool:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(hash_of(given.strip()), self._token)
        return kind.lower() == "bearer" and known

    async def status(self, request: Request) -> Response:
        rows = await self.hall.store.rows("SELECT status, COUNT(*) FROM tables GROUP BY status")
        people = await self.hall.store.rows("SELECT COUNT(*) FROM people")
        return json_answer(
            pp.StatusOut(
                __version__,
                len(self.app.sessions),
                len(self.hall.tables),
                dict(sorted(rows)),
                people[0][0],
            )
        )

    async def people(self, request: Request) -> Response:
        after = request.query_params.get("after", "")
        search = request.query_params.get("search", "")[:40]
        found = await self.accounts.people(after, PAGE, search)
        following = found[-1].id if len(found) == PAGE else None
        return json_answer(
            pp.PeopleOut(
                [
                    pp.PersonInfo(one.id, one.name, one.kind, one.created, one.seen, one.banned)
                    for one in found
                ],
                following,
            )
        )

    async def export(self, request: Request) -> Response:
        return json_answer(await self.people_of.export_of(request.path_params["person"]))

    async def ban(self, request: Request) -> Response:
        given: pp.BanIn = await read_body(request, pp.BanIn)
        person = request.path_params["person"]
        await self.accounts.ban(person, given.reason)
        await self.people_of.close_unwelcome()
        if given.reason:
            await self._clear_seats(person)
        log.info("ban" if given.reason else "ban lifted", extra={"person": person})
        return json_answer(pp.DoneOut())

    async def _clear_seats(self, person: str) -> None:
        """Nobody waits for somebody who may not play: bots stand in, seats become free again."""
        for info in (await self.hall.of_person(person))[0]:
            table = await self.hall.table(info.id)
            for seat in table.sitting.seats_of(person):
                with contextlib.suppress(Refusal):  # a bot plays there already
                    await table.submit(p.Leave("", table.id, seat), Actor(person))

    async def delete(self, request: Request) -> Response:
        person = request.path_params["person"]
        await self.people_of.forget(person)
        log.info("forgotten", extra={"person": person})
        return json_answer(pp.DoneOut())

    async def tables(self, request: Request) -> Response:
        status = request.query_params.get("status", "playing")
        before = request.query_params.get("before", "9" * 15)
        if status not in STATUSES or not is_number(before):
            raise Refusal("bad_message", say("status is one of {all}", all=", ".join(STATUSES)))
        rows = await self.hall.store.rows(
            "SELECT id, created FROM tables WHERE status = ? AND created < ?"
            f" ORDER BY created DESC LIMIT {PAGE}",
            (status, int(before)),
        )
        found = [table.sitting.info for table in await self.hall.readable(row[0] for row in rows)]
        following = str(rows[-1][1]) if len(rows) == PAGE else None
        return json_answer(pp.AdminTablesOut(found, following))

    async def close(self, request: Request) -> Response:
        table = await self.hall.table(request.path_params["table"])
        await table.submit(p.Close("", table.id), SERVER)
        log.info("closed", extra={"table": table.id})
        return json_answer(pp.DoneOut())

    def _for_admin(self, handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            if not self.is_admin(request):
                raise Refusal("unknown_person", say("this is for the admin of the server"))
            return await handler(request)

        return guarded(checked)

    @property
    def routes(self) -> list[BaseRoute]:
        person = "/people/{person:str}"
        endpoints: list[tuple[str, str, Handler]] = [
            ("GET", "/status", self.status),
            ("GET", "/people", self.people),
            ("GET", person, self.export),
            ("DELETE", person, self.delete),
            ("POST", f"{person}/ban", self.ban),
            ("GET", "/tables", self.tables),
            ("POST", "/tables/{table:str}/close", self.close),
        ]
        return [
            Route(f"/api/v1/admin{path}", self._for_admin(handler), methods=[method])
            for method, path, handler in endpoints
        ]
