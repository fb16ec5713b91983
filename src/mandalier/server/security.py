"""The guard at the door: a plain ASGI middleware that every request and socket passes.

- *Host and Origin.* A page of another site cannot talk to this server with somebody's cookie: POST
  and WebSocket must come from an origin of this server. Nor can it rebind its own name to this
  machine: without `server.public_url` only addresses and local names are answered.
- *Sizes and rates.* Bodies, requests and open sockets of one address are bounded.
- *Headers.* No script, style or frame but our own (CSP without exceptions for inline code).
- *Errors.* What goes wrong inside is logged here with a number, and answered with that number.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect

from mandalier.games.words import say
from mandalier.server.config import Config
from mandalier.server.limits import Counted, Limiter, per_hour

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("mandalier.requests")

LARGEST_BODY = 256 * 1024  # house data of a table is the largest anybody sends
BODY_S = 60.0  # so long a body may take to come
LOCAL_ENDINGS = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Names that nobody can register, and so nobody outside can point at this machine."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
BURST_S = 10  # so many seconds' worth of requests may come at once

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
)
HSTS = (b"strict-transport-security", b"max-age=31536000")


class TooLarge(Exception):
    """A body beyond LARGEST_BODY."""


class TooLate(Exception):
    """A body that has not come after BODY_S."""


def header(scope: Scope, name: bytes) -> str | None:
    """One header of a request; None if it is not there, or is there several times and unlike."""
    found = {value for key, value in scope["headers"] if key == name}
    return str(found.pop(), "latin-1") if len(found) == 1 else None


class Addresses:
    """Which address a request comes from, if it may have passed proxies we know."""

    def __init__(self, proxies: Iterable[str]) -> None:
        self.proxies = [ipaddress.ip_network(proxy) for proxy in proxies]

    def is_proxy(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.proxies)

    def of(self, scope: Scope) -> str:
        """The address of the client: behind proxies, the last one that is none of them."""
        client = scope.get("client")
        address = str(client[0]) if client else ""
        if not self.is_proxy(address):
            return address
        forwarded = b",".join(v for k, v in scope["headers"] if k == b"x-forwarded-for")
        for part in reversed(forwarded.decode("latin-1").split(",")):
            found = part.strip()
            try:
                ipaddress.ip_address(found)
            except ValueError:
                break
            address = found
            if not self.is_proxy(found):
                break
        return address

    def scheme(self, scope: Scope) -> str:
        """http or https, as the browser sees it."""
        client = scope.get("client")
        own = {"ws": "http", "wss": "https"}.get(scope["scheme"], str(scope["scheme"]))
        if client and self.is_proxy(str(client[0])):
            told = header(scope, b"x-forwarded-proto") or ""
            return told if told in ("http", "https") else own
        return own


def network_of(address: str) -> str:
    """What limits count by: an IPv4 address, or the /64 network a household has in IPv6."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 6:
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return address


def host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


class Guard:
    """The middleware."""

    body_s = BODY_S

    def __init__(self, app: App, config: Config) -> None:
        self.app = app
        server, limits = config.server, config.limits
        self.addresses = Addresses(server.proxies)
        self.public = server.public_url.rstrip("/")
        self.origins = {origin.rstrip("/") for origin in server.origins}
        self.names = {host_name(urlsplit(url).netloc) for url in (self.public, *self.origins)}
        self.names |= {socket.gethostname().lower(), server.host.lower()}
        per_second = limits.requests_per_minute / 60
        self.requests = Limiter(per_second, per_second * BURST_S)
        self.sockets = Counted(limits.sockets_per_address)
        self.seldom = {
            ("POST", "/api/v1/guests"): per_hour(limits.guests_per_hour),
            ("POST", "/api/v1/tables"): per_hour(limits.tables_per_hour),
            ("POST", "/api/v1/recover"): per_hour(limits.recoveries_per_hour),
        }
        self._advised: set[str] = set()
        self.observe: Callable[[str, int, float], None] = lambda method, status, seconds: None

    def _advise(self, what: str, *values: object) -> None:
        """Tell the host, once, of a setting that seems to be missing."""
        if what not in self._advised:
            self._advised.add(what)
            log.warning(what, *values)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        is_socket = scope["type"] == "websocket"
        address = self.addresses.of(scope)
        client = scope.get("client")
        if client and address == client[0] and header(scope, b"x-forwarded-for"):
            if not self.addresses.is_proxy(address):
                self._advise(
                    "%s passes requests on for others, and is not in server.proxies: all its "
                    "clients count as one, and pages by https may not talk to this server",
                    address,
                )
        scope.setdefault("state", {})["address"] = address
        scheme = self.addresses.scheme(scope)
        scope["state"]["secure"] = scheme == "https"
        scope["scheme"] = {"http": "ws", "https": "wss"}[scheme] if is_socket else scheme
        if is_socket:
            await self._socket(scope, receive, send, network_of(address))
        else:
            await self._request(scope, receive, send, network_of(address))

    # Requests

    async def _request(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        began, status = time.perf_counter(), 0
        number = secrets.token_hex(8)
        secure = scope["state"]["secure"]

        let_in = self._let_in(scope)
        scope["state"]["let_in"] = bool(let_in)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = with_headers(message.get("headers", ()), secure)
                message = {**message, "headers": headers + let_in}
            await send(message)

        try:
            if let_in and scope["method"] == "OPTIONS":
                await answer({"type": "http.response.start", "status": 204, "headers": []})
                await answer({"type": "http.response.body", "body": b""})
            elif refused := self._refused(scope, client):
                await answer_problem(answer, *refused)
            elif scope["path"].endswith("/stream"):
                await self._stream(scope, receive, answer, client)
            else:
                await self.app(scope, self._measured(receive), answer)
        except TooLarge:
            if not status:
                await answer_problem(answer, 413, "too_large", _too_large())
        except TooLate as error:
            if not status:
                await answer_problem(answer, 400, "bad_message", str(error))
        except ClientDisconnect:  # before the whole body had come; there is nobody to answer
            status = status or 400
        except Exception:
            log.exception("error %s in %s %s", number, scope["method"], scope["path"])
            if status:
                raise
            text = say("something went wrong here (number {number})", number=number)
            await answer_problem(answer, 500, "error", text)
        finally:
            seconds = time.perf_counter() - began
            self.observe(scope["method"], status, seconds)
            log.info(
                "%s %s %s",
                scope["method"],
                scope["path"],
                status,
                extra={"ms": round(1000 * seconds, 2), "address": scope["state"]["address"]},
            )

    def _let_in(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """What lets a page of one of `server.origins` read an answer. Its cookies stay outside: it
        says who it is by a key."""
        origin = header(scope, b"origin")
        if origin is None or origin not in self.origins:
            return []
        return [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-allow-methods", b"GET, POST, PATCH, DELETE"),
            (b"access-control-allow-headers", b"authorization, content-type"),
            (b"access-control-max-age", b"600"),
            (b"vary", b"origin"),
        ]

    async def _stream(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        """An answer that stays open counts as a socket."""
        if not self.sockets.take(client):
            await answer_problem(send, 429, "too_fast", say("too many connections"))
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets.give_back(client)

    def _refused(self, scope: Scope, client: str) -> tuple[int, str, str] | None:
        """The status, code and reason of a request that goes no further."""
        if not self._is_our_name(scope):
            self._advise(
                "a request came for %r; if that is this server, say so in server.public_url",
                header(scope, b"host"),
            )
            return 421, "wrong_host", say("this server is not known by that name")
        if scope["method"] not in SAFE_METHODS and not self._is_our_origin(scope):
            return 403, "wrong_origin", say("this comes from a page of another site")
        query = scope.get("query_string", b"")
        if "\0" in scope["path"] or b"%00" in query or b"\0" in query:  # not for every database
            return 400, "bad_message", say("there is nothing at this address")
        length = header(scope, b"content-length")
        if length is not None and (not length.isdecimal() or int(length[:20]) > LARGEST_BODY):
            return 413, "too_large", _too_large()
        seldom = self.seldom.get((scope["method"], scope["path"]))
        if not self.requests.allows(client) or (seldom is not None and not seldom.allows(client)):
            return 429, "too_fast", say("too many requests; wait a little")
        return None

    def _measured(self, receive: Receive) -> Receive:
        """What reads a body, and stops reading one that is too large."""
        read, until = 0, time.monotonic() + self.body_s

        async def measured() -> Message:
            nonlocal read
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise TooLate(say("the request did not come to its end")) from None
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > LARGEST_BODY:
                    raise TooLarge
            return message

        return measured

    def _is_our_name(self, scope: Scope) -> bool:
        name = host_name(header(scope, b"host") or "")
        if not name:
            return False
        if name in self.names or "." not in name or name.endswith(LOCAL_ENDINGS):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_our_origin(self, scope: Scope) -> bool:
        """Whether a request that could change something was not made by another site's page.
        Programs send no Origin; browsers do, or tell by Sec-Fetch-Site."""
        origin = header(scope, b"origin")
        if origin is None:
            several = any(key == b"origin" for key, _ in scope["headers"])
            site = header(scope, b"sec-fetch-site")
            return not several and site in (None, "same-origin", "none")
        if origin in self.origins or (self.public and origin == self.public):
            return True
        own = f"{self.addresses.scheme(scope)}://{header(scope, b'host')}"
        return origin.lower() == own.lower()

    # Sockets

    async def _socket(self, scope: Scope, receive: Receive, send: Send, client: str) -> None:
        if not self._is_our_name(scope) or not self._is_our_origin(scope):
            await refuse_socket(scope, receive, send, 403)
            return
        if not self.requests.allows(client) or not self.sockets.take(client):
            await refuse_socket(scope, receive, send, 429)
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self.sockets.give_back(client)


def with_headers(headers: Iterable[tuple[bytes, bytes]], secure: bool) -> list[tuple[bytes, bytes]]:
    """A response's headers with those of the guard; what the response says itself goes first."""
    made = [(bytes(key), bytes(value)) for key, value in headers]
    there = {key.lower() for key, _ in made}
    return made + [
        (key, value) for key, value in (HEADERS + ((HSTS,) if secure else ())) if key not in there
    ]


async def answer_problem(send: Send, status: int, code: str, reason: str) -> None:
    body = json.dumps({"code": code, "reason": reason}, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if status == 429:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refuse_socket(scope: Scope, receive: Receive, send: Send, status: int) -> None:
    """Answer a handshake with a status instead of a socket."""
    await receive()  # websocket.connect
    if "websocket.http.response" in scope.get("extensions", {}):
        headers = [(b"content-length", b"0")]
        if status == 429:
            headers.append((b"retry-after", b"5"))
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b""})
    else:
        await send({"type": "websocket.close", "code": 1008})


def _too_large() -> str:
    return say("a request has at most {n} bytes", n=LARGEST_BODY)
