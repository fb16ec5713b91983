"""The guard at the door: hosts, origins, sizes, rates, headers, and what errors tell."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from mandalier.server import logs
from mandalier.server.config import Config, Limits, Log, Server
from mandalier.server.limits import MOST_KEYS, Counted, Limiter, per_hour
from mandalier.server.metrics import Metrics
from mandalier.server.security import LARGEST_BODY, Guard, network_of

Message = MutableMapping[str, Any]


class Answer:
    """What a request was answered."""

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.status = int(messages[0].get("status", messages[0].get("code", 0)))
        self.headers = {k.decode(): v.decode() for k, v in messages[0].get("headers", ())}
        self.body = b"".join(m.get("body", b"") for m in messages)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads its body and answers its length."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    if scope["path"] == "/broken":
        raise RuntimeError("the secret is swordfish")
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{size}".encode()})


def ask(
    guard: Guard,
    method: str = "GET",
    path: str = "/",
    headers: dict[str, str] | None = None,
    body: list[bytes] | None = None,
    client: str = "203.0.113.5",
    socket: bool = False,
    more: list[tuple[bytes, bytes]] | None = None,
) -> Answer:
    sent: list[Message] = []
    chunks = list(body or [b""])

    async def receive() -> Message:
        if socket:
            return {"type": "websocket.connect"}
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"host": "localhost:8000", **(headers or {})}
    scope: dict[str, Any] = {
        "type": "websocket" if socket else "http",
        "scheme": "ws" if socket else "http",
        "method": method,
        "path": path,
        "client": (client, 5),
        "headers": [(k.encode(), v.encode()) for k, v in given.items()] + (more or []),
        "extensions": {"websocket.http.response": {}},
    }
    asyncio.run(guard(scope, receive, send))
    return Answer(sent)


@pytest.fixture
def guard() -> Guard:
    return Guard(echo, Config())


# Headers and errors ----------------------------------------------------------------------------


def test_every_answer_forbids_foreign_and_inline_code(guard: Guard) -> None:
    for answer in (
        ask(guard),
        ask(guard, path="/broken"),
        ask(guard, headers={"host": "evil.com"}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "strict-transport-security" not in answer.headers


def test_an_error_tells_a_number_and_nothing_else(
    guard: Guard, caplog: pytest.LogCaptureFixture
) -> None:
    answer = ask(guard, path="/broken")
    assert (answer.status, answer.json["code"]) == (500, "error")
    assert b"swordfish" not in answer.body
    assert b"Runtime" not in answer.body
    number = answer.json["reason"].split("number ")[1].rstrip(")")
    assert number in caplog.text


# Hosts and origins -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("192.168.1.20", 200),
        ("laptop.local:8000", 200),
        ("laptop", 200),
        ("evil.com", 421),  # its name may point here
        ("evil.com:8000", 421),
        ("localhost.evil.com", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_only_names_that_nobody_outside_can_take_are_answered(
    guard: Guard, host: str, status: int
) -> None:
    assert ask(guard, headers={"host": host}).status == status


def test_the_public_name_is_answered_when_it_is_known() -> None:
    config = Config(server=Server(public_url="https://games.example.org"))
    guard = Guard(echo, config)
    assert ask(guard, headers={"host": "games.example.org"}).status == 200
    assert ask(guard, headers={"host": "other.example.org"}).status == 421


@pytest.mark.parametrize("socket", [False, True])
@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),  # a program
        ({"origin": "http://localhost:8000"}, True),
        ({"origin": "http://LOCALHOST:8000"}, True),
        ({"origin": "https://localhost:8000"}, False),
        ({"origin": "http://localhost:8001"}, False),
        ({"origin": "http://localhost:8000.evil.com"}, False),
        ({"origin": "https://evil.com"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site"}, False),
    ],
)
def test_what_changes_something_comes_from_our_own_pages(
    guard: Guard, headers: dict[str, str], allowed: bool, socket: bool
) -> None:
    answer = ask(guard, "POST", headers=headers, socket=socket)
    if socket:
        assert (answer.messages[0]["type"] == "websocket.accept") == allowed
    assert allowed or answer.status == 403


def test_two_unlike_origins_are_none_of_ours(guard: Guard) -> None:
    twice = [(b"origin", b"http://localhost:8000"), (b"origin", b"https://evil.com")]
    assert ask(guard, "POST", more=twice).status == 403


def test_other_origins_can_be_let_in() -> None:
    guard = Guard(echo, Config(server=Server(origins=["https://friend.example"])))
    friend = {"origin": "https://friend.example"}
    for method in ("GET", "POST"):
        answer = ask(guard, method, headers=friend)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "https://friend.example"
        assert "access-control-allow-credentials" not in answer.headers  # no cookie of ours
    asked = ask(guard, "OPTIONS", headers={**friend, "access-control-request-method": "DELETE"})
    assert (asked.status, asked.body) == (204, b"")
    assert "DELETE" in asked.headers["access-control-allow-methods"]
    assert "authorization" in asked.headers["access-control-allow-headers"]
    assert ask(guard, "GET", path="/broken", headers=friend).headers["access-control-allow-origin"]


@pytest.mark.parametrize("origin", ["https://foe.example", "null", "https://friend.example.foe"])
def test_no_other_page_reads_an_answer(origin: str) -> None:
    guard = Guard(echo, Config(server=Server(origins=["https://friend.example"])))
    answer = ask(guard, "GET", headers={"origin": origin})
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-origin" not in ask(guard, headers={}).headers


# Proxies ---------------------------------------------------------------------------------------


def test_behind_a_proxy_clients_are_told_apart_and_https_is_seen() -> None:
    config = Config(
        server=Server(proxies=["10.0.0.0/8"], public_url="https://games.example.org"),
        limits=Limits(requests_per_minute=6),
    )
    guard = Guard(echo, config)

    def come(forwarded: str, client: str = "10.0.0.1") -> Answer:
        headers = {"host": "games.example.org", "x-forwarded-proto": "https"}
        return ask(guard, headers={**headers, "x-forwarded-for": forwarded}, client=client)

    first = come("198.51.100.7")
    assert (first.status, "strict-transport-security" in first.headers) == (200, True)
    assert come("198.51.100.7").status == 429
    assert come("198.51.100.8").status == 200
    # what a client says of itself is not believed, only what our proxies add behind it
    assert come("1.2.3.4, 198.51.100.8").status == 429
    assert come("198.51.100.9, 10.0.0.2").status == 200
    # and nobody but the proxies is believed at all
    assert come("198.51.100.10", client="203.0.113.9").status == 200
    assert come("198.51.100.11", client="203.0.113.9").status == 429


def test_the_host_is_told_once_of_a_proxy_that_is_not_known_and_of_a_name_that_is_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = Guard(echo, Config())
    for _ in range(3):
        ask(guard, headers={"x-forwarded-for": "198.51.100.7"}, client="10.0.0.2")
        ask(guard, headers={"host": "games.example.org"})
    proxy, name = [record.getMessage() for record in caplog.records]
    assert "10.0.0.2 passes requests on" in proxy
    assert "server.proxies" in proxy
    assert "games.example.org" in name
    assert "server.public_url" in name
    caplog.clear()
    known = Guard(
        echo,
        Config(server=Server(public_url="https://games.example.org", proxies=["10.0.0.0/8"])),
    )
    ask(
        known,
        headers={"x-forwarded-for": "198.51.100.7", "host": "games.example.org"},
        client="10.0.0.2",
    )
    assert not caplog.records


def test_a_household_of_ipv6_addresses_is_one_client() -> None:
    assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:2:ffff::9")
    assert network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"


# Sizes and rates -------------------------------------------------------------------------------


def test_a_body_that_is_too_large_is_refused_before_and_while_it_is_read(guard: Guard) -> None:
    assert ask(guard, "POST", body=[b"x" * LARGEST_BODY]).body == str(LARGEST_BODY).encode()
    told = {"content-length": str(LARGEST_BODY + 1)}
    assert ask(guard, "POST", headers=told).json["code"] == "too_large"
    for length in ("-1", "1e3", "9" * 5000):
        assert ask(guard, "POST", headers={"content-length": length}).status == 413
    assert ask(guard, "POST", body=[b"x" * LARGEST_BODY, b"x"]).status == 413


def test_one_address_that_asks_too_often_does_not_keep_others_out() -> None:
    guard = Guard(echo, Config(limits=Limits(requests_per_minute=60)))
    statuses = [ask(guard).status for _ in range(30)]
    assert (statuses[0], statuses[-1]) == (200, 429)
    assert statuses.count(200) in (10, 11)
    assert ask(guard).headers["retry-after"]
    assert ask(guard, client="203.0.113.6").status == 200
    assert ask(guard, socket=True).status == 429


def test_sockets_of_one_address_are_counted_while_they_are_open() -> None:
    counted = Counted(2)
    assert [counted.take("a"), counted.take("a"), counted.take("a"), counted.take("b")] == [
        True,
        True,
        False,
        True,
    ]
    counted.give_back("a")
    assert (counted.take("a"), len(counted)) == (True, 3)


def test_a_bucket_fills_with_time_and_memory_is_bounded() -> None:
    now = [0.0]
    limiter = Limiter(2.0, 4.0, lambda: now[0])
    assert [limiter.allows("a") for _ in range(5)] == [True] * 4 + [False]
    assert limiter.wait_s("a") == 0.5
    now[0] = 0.5
    assert [limiter.allows("a"), limiter.allows("a")] == [True, False]
    now[0] = 1000.0
    assert [limiter.allows("a") for _ in range(5)] == [True] * 4 + [False]
    for key in range(MOST_KEYS + 100):
        limiter.allows(key)
    assert len(limiter) == MOST_KEYS
    assert [per_hour(2).allows("a") for _ in range(1)] == [True]


# Logs and metrics ------------------------------------------------------------------------------


@pytest.fixture
def _quiet_again() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("_quiet_again")
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_gets_into_a_log(form: Any) -> None:
    stream = io.StringIO()
    logs.set_up(Log(level="info", format=form), stream)
    cookie = "mdc_" + "aB3-_" * 9
    log = logging.getLogger("mandalier.test")
    try:
        raise RuntimeError(f"Authorization: Bearer {cookie}")
    except RuntimeError:
        log.exception("cookie %s", cookie, extra={"code": "7K2MD-00000-AAAAA-BBBBB"})
    log.info("to %s", "postgresql://ada:hunter2@db/games", extra={"table": "t1"})
    log.debug("not written")
    text = stream.getvalue()
    for secret in (cookie, cookie[4:], "7K2MD", "hunter2"):
        assert secret not in text
    assert "t1" in text
    assert "db/games" in text
    assert "not written" not in text
    if form == "json":
        lines = [json.loads(line) for line in text.splitlines()]
        assert [line["level"] for line in lines] == ["error", "info"]
        assert lines[1]["table"] == "t1"


@pytest.mark.usefixtures("_quiet_again")
@pytest.mark.parametrize(("level", "lines"), [("warning", 1), ("info", 2)])
def test_nobody_outside_fills_the_log_with_errors(level: Any, lines: int) -> None:
    stream = io.StringIO()
    logs.set_up(Log(level=level), stream)
    log = logging.getLogger("uvicorn.error")
    try:
        b"\xff".decode()
    except UnicodeDecodeError:
        log.exception("Invalid UTF-8 sequence received from client.")
    log.error("out of files")
    text = stream.getvalue()
    assert text.count("\n") == lines
    assert "Traceback" not in text
    assert "error out of files" in text


def test_who_hangs_up_in_the_middle_of_a_body_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise ClientDisconnect

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "scheme": "http", "method": "POST", "path": "/", "client": ("::1", 1)}
    headers = [(b"host", b"localhost")]
    asyncio.run(Guard(app, Config())({**scope, "headers": headers}, _nothing, send))
    assert not sent
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def test_requests_are_measured_and_written_in_the_format_of_prometheus(guard: Guard) -> None:
    metrics = Metrics()
    guard.observe = metrics.observe_request
    ask(guard)
    ask(guard, "POST", headers={"origin": "https://evil.com"})
    ask(guard, "BREW")
    metrics.ask("tables", "tables in memory", lambda: 3)
    text = metrics.text().decode()
    assert 'mandalier_requests_total{method="GET",status="200"} 1.0' in text
    assert 'mandalier_requests_total{method="POST",status="403"} 1.0' in text
    assert 'method="other"' in text
    assert "# TYPE mandalier_request_seconds histogram" in text
    assert "mandalier_tables 3.0" in text
