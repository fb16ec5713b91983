"""The server as an ASGI application: the WebSocket, its fallback, the HTTP interface, the page."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES
from mandalier.games.words import LANGUAGES, say, speaking
from mandalier.server import protocol as p
from mandalier.server.accounts import COOKIE, COOKIE_DAYS, Accounts, hash_of
from mandalier.server.hall import Hall
from mandalier.server.page import Page
from mandalier.server.pictures import Pictures
from mandalier.server.scene import Style, encode
from mandalier.server.security import TooLate, host_name
from mandalier.server.session import (
    BEAT_S,
    WRITE,
    Closing,
    Limits,
    Session,
    Who,
    check_sight,
    position_of,
)
from mandalier.server.sitting import Refusal
from mandalier.server.store import StoreError

log = logging.getLogger("mandalier.app")

HELLO_S = 10.0
GC_THRESHOLDS = (3_000, 300, 50)
"""Moves make and drop much, and none of it in circles. To look at what is new takes milliseconds when
there are a thousand tables: it is done often, and what has been looked at once is left alone."""
GOODBYE_S = 1.0
LOOPBACK = ("127.0.0.1", "::1", "localhost")
RETURN_MS = (500, 4_000)
POSITION = b'{"type":"position"'
PAGE_FOLDER = Path(__file__).parent.parent / "web"
STATUS_OF = {
    "unknown_person": 401,
    "banned": 403,
    "not_by_token": 403,
    "not_the_host": 403,
    "not_your_seat": 403,
    "no_such_table": 404,
    "no_such_seat": 404,
    "too_large": 413,
    "too_fast": 429,
    "busy": 503,
    "bad_message": 400,
    "bad_table": 400,
}
"""HTTP's numbers for refusals; all others are 409."""


class App:
    """What the routes need. Settings that are not here are the others' business."""

    def __init__(self, hall: Hall, *, limits: Limits | None = None, base: str = "") -> None:
        self.hall = hall
        self.accounts = Accounts(hall.store)
        self.limits = limits or Limits()
        self.base = base
        self.sessions: set[Session] = set()
        self.is_closing = False

    async def open(self) -> None:
        """Get everything ready. Raises MandalierError."""
        await self.hall.open()
        _freeze()

    async def close(self) -> None:
        """Keep what is to be kept, and stop."""
        await self.say_goodbye()
        await self.hall.close()

    # Who is it -------------------------------------------------------------------------------

    async def who(self, connection: HTTPConnection, token: str | None = None) -> Who | None:
        """The person of a cookie or a token."""
        secret = token or self.secret_of(connection)
        return await self.who_shows(secret) if secret else None

    async def who_shows(self, secret: str) -> Who | None:
        """The person this cookie or token stands for."""
        found = await self.accounts.identify(secret)
        if found is None:
            return None
        person = found.person
        return Who(
            person.id,
            person.name,
            may_play=found.may("play") and not person.is_banned,
            is_owner=found.kind == "cookie" or person.kind == "program",
            credential=hash_of(secret),
        )

    @staticmethod
    def secret_of(connection: HTTPConnection) -> str | None:
        """The cookie or the token that came along."""
        kind, _, given = connection.headers.get("authorization", "").partition(" ")
        secret = given.strip() if kind.lower() == "bearer" else None
        return secret or connection.cookies.get(COOKIE)

    def link(self, request: Request, path: str) -> str:
        """An address to send to others. That of this machine alone is no use to who asks from
        elsewhere: they are given the one they asked by."""
        own = str(request.base_url).rstrip("/")
        is_ours_alone = host_name(urlsplit(self.base).netloc) in LOOPBACK
        return (own if is_ours_alone or not self.base else self.base) + path

    def close_sessions(self, *gone: str) -> None:
        """Close the connections of people, or by keys, that are not to be here any more."""
        for session in tuple(self.sessions):
            if session.who.person in gone or session.who.credential in gone:
                session.close(Closing(4003))

    async def must_know(self, request: Request) -> Who:
        who = await self.who(request)
        if who is None:
            raise Refusal(
                "unknown_person", say("say who you are: POST /api/v1/guests gives a name and a key")
            )
        return who

    async def owner(self, request: Request) -> Who:
        """The person themselves: a key for a program is not good for what is asked."""
        who = await self.must_know(request)
        if not who.is_owner:
            raise Refusal(
                "not_by_token", say("a program's key cannot do this; its owner can, in a browser")
            )
        return who

    async def player(self, request: Request) -> Who:
        who = await self.must_know(request)
        if not who.may_play:
            raise Refusal("banned", say("you may watch here, not play"))
        return who

    # The WebSocket ---------------------------------------------------------------------------

    async def live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A connection from hello to goodbye. What comes often goes by plain ASGI."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        if self.is_closing:
            await self._bye(socket, None, 1012)
            return
        session = await self._greet(socket)
        if session is None:
            return
        self.sessions.add(session)
        session.write = scope.get("extensions", {}).pop(WRITE, None)
        sending = asyncio.ensure_future(self._send(socket, send, session))
        session.keep_beating()
        try:
            while True:
                message = await receive()
                if message["type"] == "websocket.disconnect":
                    break
                await session.handle(message.get("text") or message.get("bytes") or b"")
                if session.closing:
                    break
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self.sessions.discard(session)
            session.end()
            session.close(Closing(1000))
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await asyncio.wait_for(sending, 5)

    async def _greet(self, socket: WebSocket) -> Session | None:
        """The first message has to be `hello`."""
        try:
            raw = await asyncio.wait_for(socket.receive(), HELLO_S)
            hello = msgspec.json.decode(raw.get("text") or raw.get("bytes") or b"", type=p.Hello)
            who = await self.who(socket, hello.token)
        except (TimeoutError, msgspec.MsgspecError, UnicodeDecodeError):
            await self._refuse(socket, "bad_message", say("the first message is hello"))
            return None
        except StoreError as error:
            log.warning("the store does not answer: %s", error)
            with contextlib.suppress(Exception):
                await self._bye(socket, None, 1012)
            return None
        if who is None:
            await self._refuse(socket, "unknown_person", p.REFUSALS["unknown_person"])
            return None
        if hello.protocol != p.VERSION:
            with speaking(hello.language):
                text = say("this server speaks version {n}", n=p.VERSION)
            await self._refuse(socket, "version", text)
            return None
        session = Session(self.hall, who, self.limits)
        await session.handle(encode(hello))
        return session

    async def _refuse(self, socket: WebSocket, code: str, reason: str) -> None:
        with contextlib.suppress(Exception):
            await socket.send_text(encode(p.Refused(1, None, code, reason)).decode())
            await socket.close(4001)

    async def _send(self, socket: WebSocket, send: Send, session: Session) -> None:
        try:
            while True:
                data = await session.next()
                await send({"type": "websocket.send", "text": data.decode()})
        except Closing as closing:
            if socket.application_state == WebSocketState.CONNECTED:
                with contextlib.suppress(Exception):
                    await self._bye(socket, session, closing.code)
        except (RuntimeError, OSError, WebSocketDisconnect):
            session.close(Closing(1000))
        except Exception:
            log.exception("a message could not be made")
            session.close(Closing(1011))
            with contextlib.suppress(Exception):
                await socket.close(1011)

    async def _bye(self, socket: WebSocket, session: Session | None, code: int) -> None:
        if code == 1012:
            wait = random.randint(*RETURN_MS)
            bye = p.Bye(session._n + 1 if session else 1, "restart", wait)
            await socket.send_text(encode(bye).decode())
        await socket.close(code)

    async def say_goodbye(self) -> None:
        """Ask all clients to come back in a while."""
        self.is_closing = True
        for session in tuple(self.sessions):
            session.close(Closing(1012))
        until = time.monotonic() + GOODBYE_S
        while self.sessions and time.monotonic() < until:
            await asyncio.sleep(0.01)

    # Without WebSocket -----------------------------------------------------------------------

    async def stream(self, request: Request) -> Response:
        """Server-sent events: the messages a socket would bring, for one table."""
        who = await self.who(request) or Who("", "")
        session = Session(self.hall, who, self.limits)
        session.style = _style(request)
        since = request.query_params.get("since") or request.headers.get("last-event-id") or ""
        watch = p.Watch(
            "stream",
            request.path_params["table"],
            int(since) if is_number(since) else None,
            _seat(request),
        )
        with speaking(session.style.language):
            await session._watch(watch)
        return StreamingResponse(
            self._events(session),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _events(self, session: Session) -> AsyncIterator[bytes]:
        self.sessions.add(session)
        try:
            while True:
                try:
                    data = await asyncio.wait_for(session.next(), BEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                yield _event_id(session, data) + b"data: " + data + b"\n\n"
        except Closing as closing:
            if closing.code == 1012:
                bye = p.Bye(session._n + 1, "restart", random.randint(*RETURN_MS))
                yield b"data: " + encode(bye) + b"\n\n"
        finally:
            self.sessions.discard(session)
            session.end()

    async def message(self, request: Request) -> Response:
        """A message of the protocol by POST."""
        who = await self.must_know(request)
        session = Session(self.hall, who, self.limits)
        session.style = _style(request)
        raw = await _body(request)
        with speaking(session.style.language):
            answer = await session.answer(raw)
        if not isinstance(answer, p.Done | p.Refused):
            raise Refusal("bad_message", say("this message goes over a WebSocket only"))
        if isinstance(answer, p.Refused) and answer.code == "bad_message":
            raise Refusal(answer.code, answer.reason)
        return json_answer(p.AnswerOut(answer))


def _event_id(session: Session, data: bytes) -> bytes:
    """What a browser that comes back by itself says it has last had: the `at` of a position."""
    if not data.startswith(POSITION):
        return b""
    return b"".join(b"id: %d\n" % (look.since or 0) for look in session.looks.values())


# Help for routes -------------------------------------------------------------------------------


def json_answer(data: Any, status: int = 200) -> Response:
    return Response(encode(data), status, media_type="application/json")


async def _body(request: Request) -> bytes:
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > 8 * p.LARGEST_MESSAGE:
                raise Refusal("too_large", p.REFUSALS["too_large"])
    except TooLate as error:
        raise Refusal("bad_message", str(error)) from None
    return body


async def read_body(request: Request, kind: Any) -> Any:
    try:
        return msgspec.json.decode(await _body(request), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("bad_message", str(error)) from None


def from_a_browser(request: Request) -> bool:
    """Whether a page of ours asks: then a secret goes into a cookie that no script can read."""
    if request.scope.get("state", {}).get("let_in"):
        return False  # a page of another site that may talk to us: cookies do not go there
    return "origin" in request.headers or "sec-fetch-site" in request.headers


def with_cookie(response: Response, secret: str, request: Request) -> Response:
    response.set_cookie(
        COOKIE,
        secret,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def _language(request: HTTPConnection) -> Any:
    asked = request.query_params.get("language") or request.headers.get("accept-language", "en")
    return asked[:2].lower() if asked[:2].lower() in LANGUAGES else "en"


def _style(request: Request) -> Style:
    asked = request.query_params
    form: Any = asked.get("form", "data")
    return Style(
        form if form in ("data", "picture") else "data",
        _language(request),
        asked.get("explain") in ("1", "true"),
        "dark" if asked.get("theme") == "dark" else "light",
        "tall" if asked.get("arrangement") == "tall" else "wide",
        asked.get("parts") in ("1", "true"),
    )


def _seat(request: Request) -> int | None:
    text = request.query_params.get("seat")
    if text is None:
        return None
    if text not in ("-1", "0", "1", "2", "3", "4"):
        raise Refusal("no_such_seat", say("there is no seat {seat} at this table", seat=text))
    return int(text)


def is_number(text: str) -> bool:
    """Whether this is a whole number that any database can count with."""
    return text.isascii() and text.isdecimal() and len(text) < 16


def _page(request: Request) -> tuple[int | None, str | None]:
    """Which page of a list is asked for, and of which game."""
    before = request.query_params.get("before")
    if before is not None and not is_number(before):
        raise Refusal("bad_message", say("before is a number, from `next` of the page before"))
    return int(before) if before is not None else None, request.query_params.get("game")


def _problem(code: str, reason: str) -> Response:
    return json_answer(p.ProblemOut(code, reason), STATUS_OF.get(code, 409))


Handler = Callable[[Request], Awaitable[Response]]


def guarded(handler: Handler) -> Handler:
    """Refusals as answers, in the language of the request."""

    async def guarded(request: Request) -> Response:
        with speaking(_language(request)):
            try:
                return await handler(request)
            except Refusal as refusal:
                return _problem(refusal.code, refusal.reason)
            except StoreError as error:
                log.warning("the store does not answer: %s", error)
                return _problem("busy", say("the server cannot do this now; send it again"))
            except MandalierError as error:
                return _problem("bad_message", str(error))

    return guarded


# The HTTP interface ----------------------------------------------------------------------------


def _choices(module: Any) -> list[p.ChoiceOut]:
    """What may be chosen when a table of this game is made."""
    made = []
    for choice in getattr(module, "choices", list)():
        values = [p.ValueOut(value, words) for value, words in choice.values]
        made.append(p.ChoiceOut(choice.name, choice.words, choice.about, values))
    return made


class Api:
    """The routes for all that is not live."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.hall = app.hall

    async def new_guest(self, request: Request) -> Response:
        given: p.GuestIn = await read_body(request, p.GuestIn)
        person, secret = await self.app.accounts.guest(given.name)
        out = p.PersonOut(person.id, person.name, person.kind)
        if not from_a_browser(request):
            return json_answer(p.GuestOut(out, secret), 201)
        return with_cookie(json_answer(p.GuestOut(out, ""), 201), secret, request)

    async def me(self, request: Request) -> Response:
        who = await self.app.must_know(request)
        person = await self.app.accounts.person(who.person)
        assert person is not None
        return json_answer(p.PersonOut(person.id, person.name, person.kind))

    async def games(self, request: Request) -> Response:
        found = [
            p.GameOut(
                name,
                game.title,
                game.module.CREDIT,
                list(game.seats),
                game.module.RULES,
                game.module.goal(),
                game.module.help_texts(),
                _choices(game.module),
            )
            for name, game in GAMES.items()
        ]
        return json_answer(p.GamesOut(found))

    async def bots(self, request: Request) -> Response:
        from mandalier.server.thinkers import levels

        return json_answer(p.BotsOut(levels()))

    async def tables(self, request: Request) -> Response:
        found, following = await self.hall.public(*_page(request))
        return json_answer(p.TablesOut(found, str(following) if following else None))

    async def my_tables(self, request: Request) -> Response:
        who = await self.app.must_know(request)
        found, turns = await self.hall.of_person(who.person)
        return json_answer(p.TablesOut(found, turns=turns))

    async def results(self, request: Request) -> Response:
        return self._results_out(await self.hall.results("", *_page(request)))

    async def my_results(self, request: Request) -> Response:
        who = await self.app.must_know(request)
        return self._results_out(await self.hall.results(who.person, *_page(request)))

    @staticmethod
    def _results_out(found: tuple[list[p.GameResult], int | None]) -> Response:
        results, following = found
        return json_answer(p.ResultsOut(results, str(following) if following else None))

    async def new_table(self, request: Request) -> Response:
        who = await self.app.player(request)
        config = await read_body(request, p.TableConfig)
        table = await self.hall.create(config, who.person)
        return json_answer(self._table_out(request, table.sitting.info), 201)

    def _table_out(self, request: Request, info: p.TableInfo) -> p.TableOut:
        return p.TableOut(info, self.app.link(request, f"/t/{info.id}"))

    async def _seen(self, request: Request) -> tuple[Any, Who]:
        who = await self.app.who(request) or Who("", "", may_play=False)
        table = await self.hall.table(request.path_params["table"])
        check_sight(table, who.person)
        return table, who

    async def table(self, request: Request) -> Response:
        table, who = await self._seen(request)
        return json_answer(self._table_out(request, table.info_for(who.person)))

    async def seats(self, request: Request) -> Response:
        table, who = await self._seen(request)
        return json_answer(p.SeatsOut(table.info_for(who.person).seats))

    async def result(self, request: Request) -> Response:
        table, who = await self._seen(request)
        return json_answer(p.ResultOut(table.info_for(who.person).outcome))

    async def position(self, request: Request) -> Response:
        table, who = await self._seen(request)
        mine = table.sitting.seats_of(who.person)
        seat = _seat(request)
        if seat is not None and seat >= 0 and seat not in mine:
            raise Refusal("not_your_seat", say("you do not sit at seat {seat}", seat=seat))
        viewer = seat if seat in mine else (mine[0] if mine and seat is None else SPECTATOR)
        assert viewer is not None
        position = position_of(table, viewer, who.person, _style(request), None)
        if position is None:
            raise Refusal("not_now", say("there is nothing to be seen yet"))
        return json_answer(position)

    async def record(self, request: Request) -> Response:
        """The record: whole when the game is over; until then there is the log of a position."""
        table, who = await self._seen(request)
        if table.info_for(who.person).outcome is None or table.sitting.state is None:
            raise Refusal("not_now", say("the record is shown when the game is over"))
        return json_answer(table.sitting.record())

    async def fair(self, request: Request) -> Response:
        """The fair sheet, secret and words included, when the game is over."""
        table, who = await self._seen(request)
        sitting = table.sitting
        if table.info_for(who.person).outcome is None or sitting.fair is None:
            raise Refusal("not_now", say("the secret is shown when the game is over"))
        return json_answer(sitting.fair.sheet(sitting.record(), over=True))

    async def openapi(self, request: Request) -> Response:
        from mandalier.server.protocol_docs import openapi

        return json_answer(openapi())

    @property
    def routes(self) -> list[BaseRoute]:
        app = self.app
        table = "/tables/{table:str}"
        endpoints: list[tuple[str, str, Handler]] = [
            ("POST", "/guests", self.new_guest),
            ("GET", "/me", self.me),
            ("GET", "/me/tables", self.my_tables),
            ("GET", "/me/results", self.my_results),
            ("GET", "/results", self.results),
            ("GET", "/games", self.games),
            ("GET", "/bots", self.bots),
            ("GET", "/tables", self.tables),
            ("POST", "/tables", self.new_table),
            ("GET", table, self.table),
            ("GET", f"{table}/seats", self.seats),
            ("GET", f"{table}/result", self.result),
            ("GET", f"{table}/position", self.position),
            ("GET", f"{table}/record", self.record),
            ("GET", f"{table}/fair", self.fair),
            ("GET", f"{table}/stream", app.stream),
            ("POST", "/messages", app.message),
            ("GET", "/openapi.json", self.openapi),
        ]
        return [
            Route(f"/api/v1{path}", guarded(handler), methods=[method])
            for method, path, handler in endpoints
        ]


async def not_there(request: Request, error: Exception) -> Response:
    """What is said where there is nothing, or nothing to be done this way."""
    status = getattr(error, "status_code", 404)
    with speaking(_language(request)):
        reason = (
            say("there is nothing at this address") if status == 404 else say("not by this method")
        )
    if request.url.path.startswith("/api/"):
        made = json_answer(p.ProblemOut("not_there", reason), status)
    else:
        made = PlainTextResponse(f"{reason}\n", status)
    made.headers.update(getattr(error, "headers", None) or {})
    return made


async def no_page(request: Request) -> Response:
    """What is said where there is no page."""
    return PlainTextResponse(
        "Mandalier's table server. This build has no page in it.\n\n"
        "  /api/v1/openapi.json   what programs can ask for\n"
        "  /api/v1/live           the WebSocket (docs/protocol.md)\n"
    )


class Plain:
    """An ASGI application; Starlette would take a method for something else."""

    def __init__(self, call: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._call = call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._call(scope, receive, send)


def build(
    hall: Hall,
    *,
    limits: Limits | None = None,
    base: str = "",
    page: Path | None = PAGE_FOLDER,
    more: Callable[[App], list[BaseRoute]] = lambda app: [],
) -> Starlette:
    """The application around a hall."""
    app = App(hall, limits=limits, base=base)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await app.open()
        try:
            yield
        finally:
            await app.close()

    routes: list[BaseRoute] = [
        *Api(app).routes,
        WebSocketRoute("/api/v1/live", Plain(app.live)),
        *more(app),
    ]
    if page is not None and (page / "index.html").is_file():
        routes += [*Pictures(app).routes, *Page(page, app).routes]
    else:
        routes += [Route("/", no_page), Route("/t/{table:str}", no_page)]
    made = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={404: not_there, 405: not_there}
    )
    made.state.mandalier = app
    return made


def _freeze() -> None:
    """What is there at the start stays: the garbage collector need not look at it again."""
    import gc

    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
