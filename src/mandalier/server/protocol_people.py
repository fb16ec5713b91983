"""Bodies of the HTTP interface for people: accounts, tokens, notices; and for the admin."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from mandalier.server.accounts import TokenInfo
from mandalier.server.notify import SubscriptionInfo
from mandalier.server.protocol import NO_CONTROLS, Language, Name, TableInfo

Scope = Literal["play", "read"]
Way = Literal["push", "mail", "hook"]
Label = Annotated[
    str, Meta(min_length=1, max_length=40, pattern=NO_CONTROLS, description="to know it by")
]
Code = Annotated[str, Meta(min_length=1, max_length=60)]


class RenameIn(Struct, frozen=True):
    name: Name


class CodesOut(Struct, frozen=True):
    codes: list[str]
    """Each lets you in once, from any browser. They are shown this once: write them down."""


class RecoverIn(Struct, frozen=True):
    code: Code


class RecoveredOut(Struct, frozen=True):
    id: str
    name: str
    token: str
    """For programs; a browser gets a cookie, and this is empty."""
    codes_left: int


class TokenIn(Struct, frozen=True):
    label: Label
    scopes: tuple[Scope, ...] = ("play", "read")


class TokenOut(Struct, frozen=True):
    token: str
    """Shown this once."""


class TokensOut(Struct, frozen=True):
    tokens: list[TokenInfo]


class NoticesOut(Struct, frozen=True):
    ways: list[Way]
    """What this server can do; empty if its host has turned nothing on."""
    push_key: str | None
    """What a browser needs to subscribe to web push."""
    subscriptions: list[SubscriptionInfo]


class SubscribeIn(Struct, frozen=True):
    way: Way
    address: Annotated[
        Any, Meta(description="an e-mail address, an https address, or a browser's subscription")
    ]
    language: Language = "en"


class ConfirmIn(Struct, frozen=True):
    code: Code


class DoneOut(Struct, frozen=True):
    done: bool = True


class PersonInfo(Struct, frozen=True):
    """Somebody, as the admin sees them."""

    id: str
    name: str
    kind: str
    created: int
    seen: int
    banned: str


class PeopleOut(Struct, frozen=True):
    people: list[PersonInfo]
    next: str | None = None


class BanIn(Struct, frozen=True):
    reason: Annotated[
        str, Meta(max_length=200, pattern=NO_CONTROLS, description="empty: the ban is lifted")
    ]


class AdminTablesOut(Struct, frozen=True):
    tables: list[TableInfo]
    next: str | None = None


class StatusOut(Struct, frozen=True):
    version: str
    sockets: int
    tables_at_hand: int
    tables: dict[str, int]
    """How many there are of each status."""
    people: int
