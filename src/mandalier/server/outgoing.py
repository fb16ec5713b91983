"""Requests this server makes to addresses that people have named.

Whoever names an address must not reach through this server what they could not reach themselves
(routers, databases, a cloud's metadata): all addresses a name stands for are looked at first, none
may be private, and the connection goes to one that was looked at, so that a name cannot change in
between. Redirects are not followed, and answers are read no further than their status.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from mandalier.games.errors import MandalierError
from mandalier.games.words import say

TIMEOUT_S = 10.0
LONGEST_URL = 1000


class OutgoingError(MandalierError):
    """An address this server does not send to; the message says why."""


class Target(NamedTuple):
    """Where a request goes."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        usual = {"https": 443, "http": 80}[self.scheme]
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == usual else f":{self.port}")


def target_of(url: object, allow_private: bool) -> Target:
    """The parts of an address, if its form is right: https, and no user name in it."""
    wrong = OutgoingError(say("an address to be told at begins with https://"))
    if not isinstance(url, str) or len(url) > LONGEST_URL or not url.isascii() or " " in url:
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise wrong from None
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or not parts.hostname or "@" in parts.netloc:
        raise wrong
    if any(ord(character) < 33 for character in url):
        raise wrong
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(
        parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80), path
    )


def is_public(address: str) -> bool:
    """Whether an address belongs to the internet at large."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if found.version == 6:
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is not None and not is_public(str(inner)):
            return False
        if found in ipaddress.ip_network("64:ff9b::/96"):  # IPv4 behind a translator
            return is_public(str(ipaddress.ip_address(int(found) & 0xFFFFFFFF)))
    return found.is_global and not found.is_multicast


def resolve(target: Target, allow_private: bool) -> list[str]:
    """The addresses a target stands for; raises OutgoingError if one of them is private."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OutgoingError(say("{host} cannot be found", host=target.host)) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(map(is_public, addresses)):
        raise OutgoingError(
            say(
                "{host} lies in a private network, where this server sends nothing",
                host=target.host,
            )
        )
    return addresses


def post(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    allow_private: bool = False,
    context: Callable[[], ssl.SSLContext] = ssl.create_default_context,
) -> int:
    """Send a request and return the status of the answer. Raises OutgoingError for an address that
    may not be, OSError (or http.client.HTTPException) if nobody answers."""
    target = target_of(url, allow_private)
    addresses = resolve(target, allow_private)
    connection = http.client.HTTPConnection(target.host, target.port, timeout=TIMEOUT_S)
    plain = socket.create_connection((addresses[0], target.port), TIMEOUT_S)
    try:
        connection.sock = plain
        if target.scheme == "https":
            connection.sock = context().wrap_socket(plain, server_hostname=target.host)
            connection.default_port = 443
        connection.request("POST", target.path, body, {"User-Agent": "mandalier", **headers})
        return connection.getresponse().status
    finally:
        connection.close()
        plain.close()
