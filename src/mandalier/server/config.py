"""The settings of a server: one TOML file, environment variables, or both.

Every entry is declared here, once: its type and limits, its default, and what it is for.
docs/hosting.md has the list made of that. An environment variable (``MANDALIER_SERVER_PORT`` for
``port`` under ``[server]``) goes before the file, an argument of the command before both.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from mandalier.games.errors import MandalierError
from mandalier.games.words import listed, listed_or, say

PREFIX = "MANDALIER_"
FILE_VARIABLE = "MANDALIER_CONFIG"


SECRETS = ("data.database", "admin.token", "notify.mail_password")
"""Entries that no log and no page shows."""


class ConfigError(MandalierError):
    """A setting that cannot be; the message names the entry and says what would be right."""


def _is(description: str, **limits: Any) -> Any:
    return Meta(description=description, **limits)


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the server listens, and what it is called from outside."""

    host: Annotated[
        str,
        _is("the address to listen on; 127.0.0.1 for this machine alone, as behind a proxy"),
    ] = "0.0.0.0"
    port: Annotated[int, _is("the port to listen on; 0 picks a free one", ge=0, le=65_535)] = 8000
    public_url: Annotated[
        str,
        _is("how browsers reach the server (https://games.example.org); needed behind a proxy"),
    ] = ""
    origins: Annotated[
        list[str],
        _is("other origins whose pages may talk to this server, by a key (Authorization)"),
    ] = []
    proxies: Annotated[
        list[str],
        _is("addresses or networks of proxies whose X-Forwarded-For and -Proto are believed"),
    ] = []


class Bots(Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays when people do not."""

    workers: Annotated[
        int,
        _is("how many bots think at the same time; 0: one less than processors", ge=0, le=1024),
    ] = 0


class Data(Struct, frozen=True, forbid_unknown_fields=True):
    """Where games are kept."""

    folder: Annotated[
        str, _is("the folder of the SQLite file and of keys; empty: your own for such data")
    ] = ""
    database: Annotated[
        str, _is("postgresql://… for several servers; empty: SQLite in the folder")
    ] = ""
    waiting_days: Annotated[
        int,
        _is(
            "tables that wait for players are closed when nobody came for so many days",
            ge=1,
            le=3650,
        ),
    ] = 14
    idle_days: Annotated[
        int, _is("games are closed when nobody moved for so many days", ge=1, le=3650)
    ] = 365
    guest_days: Annotated[
        int, _is("guests at no table are forgotten when not seen for so many days", ge=1, le=3650)
    ] = 90


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What one client may ask for. All are generous to people and bots that behave."""

    sockets_per_address: Annotated[int, _is("open sockets from one address", ge=1, le=100_000)] = (
        100
    )
    requests_per_minute: Annotated[
        int, _is("HTTP requests from one address, on average", ge=1, le=10_000_000)
    ] = 600
    guests_per_hour: Annotated[int, _is("new guests from one address", ge=1, le=1_000_000)] = 60
    tables_per_hour: Annotated[int, _is("new tables from one address", ge=1, le=1_000_000)] = 120
    messages_per_second: Annotated[
        float, _is("messages on one socket, on average", ge=0.1, le=1_000_000)
    ] = 30.0
    recoveries_per_hour: Annotated[
        int, _is("recovery codes tried from one address", ge=1, le=1_000_000)
    ] = 10


class Log(Struct, frozen=True, forbid_unknown_fields=True):
    """What the server writes to standard error."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        _is("the least important lines to write; info has every request"),
    ] = "warning"
    format: Annotated[
        Literal["text", "json"], _is("lines for people, or one JSON object a line")
    ] = "text"


class Admin(Struct, frozen=True, forbid_unknown_fields=True):
    """Running the server."""

    token: Annotated[
        str,
        _is(
            "opens /api/v1/admin and mandalier admin; empty: one is made and kept in the data folder",
        ),
    ] = ""
    metrics: Annotated[
        Literal["local", "open", "off"],
        _is("who may read /metrics: this machine and the admin, everybody, or nobody"),
    ] = "local"


class Notify(Struct, frozen=True, forbid_unknown_fields=True):
    """Telling people that it is their turn at a slow table. All of it is off unless set."""

    push: Annotated[bool, _is("web push to browsers that ask for it")] = False
    push_contact: Annotated[
        str, _is("mailto: or https: address that push services may write to; needed for push")
    ] = ""
    mail_server: Annotated[str, _is("SMTP server, HOST or HOST:PORT; needed for e-mail")] = ""
    mail_from: Annotated[str, _is("the sender's address; needed for e-mail")] = ""
    mail_user: Annotated[str, _is("user name at the SMTP server")] = ""
    mail_password: Annotated[str, _is("password at the SMTP server")] = ""
    mail_security: Annotated[
        Literal["starttls", "tls", "none"], _is("how to speak to the SMTP server")
    ] = "starttls"
    webhooks: Annotated[bool, _is("people may name an address to be told at")] = False
    allow_private: Annotated[
        bool, _is("such addresses may lie in this machine's own networks (trusted people only)")
    ] = False
    after_s: Annotated[
        int, _is("tell somebody whose turn it is and who is away after so many seconds", ge=0)
    ] = 60
    per_hour: Annotated[int, _is("messages to one person", ge=1, le=10_000)] = 20


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    server: Server = Server()
    data: Data = Data()
    bots: Bots = Bots()
    limits: Limits = Limits()
    log: Log = Log()
    admin: Admin = Admin()
    notify: Notify = Notify()


UNLIMITED = Limits(*[1_000_000_000] * 6)
"""For load tests, and among programs."""


class Entry(NamedTuple):
    """One setting, as the documentation lists it."""

    section: str
    name: str
    kind: Any
    default: Any
    about: str

    @property
    def is_secret(self) -> bool:
        return self.dotted in SECRETS

    @property
    def kind_is_plain(self) -> bool:
        """Whether what values it takes goes without saying."""
        return isinstance(self.kind, (msgspec.inspect.StrType, msgspec.inspect.ListType))

    @property
    def dotted(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return f"{PREFIX}{self.section}_{self.name}".upper()


def entries() -> Iterator[Entry]:
    """Every setting there is."""
    for section in msgspec.structs.fields(Config):
        for field in msgspec.structs.fields(section.type):
            info = msgspec.inspect.type_info(field.type)
            about = ""
            if isinstance(info, msgspec.inspect.Metadata):
                about = str((info.extra_json_schema or {}).get("description", ""))
                info = info.type
            default = field.default
            if default is msgspec.NODEFAULT:
                default = field.default_factory()
            yield Entry(section.encode_name, field.name, info, default, about)


def read_config(file: Path | None = None, environment: Mapping[str, str] | None = None) -> Config:
    """The settings of a file (by default the one MANDALIER_CONFIG names, if it does) and of the
    environment. Raises ConfigError."""
    environment = os.environ if environment is None else environment
    if file is None and (named := environment.get(FILE_VARIABLE)):
        file = Path(named)
    given = _read_file(file) if file else {}
    known = {entry.dotted: entry for entry in entries()}
    values: dict[str, dict[str, Any]] = {}
    for dotted, value in given.items():
        if dotted not in known:
            raise ConfigError(f"{file}: " + _unknown(dotted, known))
        entry = known[dotted]
        try:
            values.setdefault(entry.section, {})[entry.name] = checked(entry, value)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None
    _look_for_slips(environment, [entry.variable for entry in known.values()])
    for entry in known.values():
        if entry.variable in environment:
            try:
                value = checked(entry, _of_text(entry, environment[entry.variable]))
            except ConfigError as error:
                raise ConfigError(f"{entry.variable}: {error}") from None
            values.setdefault(entry.section, {})[entry.name] = value
    return consistent(msgspec.convert(values, Config))


def _read_file(file: Path) -> dict[str, Any]:
    """The file's values by dotted names."""
    try:
        sections = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from None
    found = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise ConfigError(
                f"{file}: " + say("{entry} stands outside a section like [server]", entry=section)
            )
        found.update({f"{section}.{name}": value for name, value in values.items()})
    return found


def _unknown(dotted: str, known: Mapping[str, Entry]) -> str:
    import difflib

    near = difflib.get_close_matches(dotted, known, 1, 0.8)
    section = dotted.partition(".")[0]
    there_are = [name for name in known if name.startswith(f"{section}.")]
    if near:
        return say("there is no {entry}; {near} may be meant", entry=dotted, near=near[0])
    if there_are:
        return say("there is no {entry}; there are {all}", entry=dotted, all=listed(there_are))
    sections = list(dict.fromkeys(entry.section for entry in known.values()))
    return say("there is no {entry}; sections are {all}", entry=dotted, all=listed(sections))


def _look_for_slips(environment: Mapping[str, str], variables: Sequence[str]) -> None:
    """Raise ConfigError for a variable that was meant to be one of ours. What is like none of them
    may belong to somebody else."""
    import difflib

    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in variables:
            if near := difflib.get_close_matches(name, variables, 1, 0.9):
                text = say("there is no {entry}; {near} may be meant", entry=name, near=near[0])
                raise ConfigError(text)


def _of_text(entry: Entry, text: str) -> Any:
    """An environment variable's value, in the type of the entry; whatever else stays text."""
    kind = entry.kind
    if isinstance(kind, msgspec.inspect.BoolType):
        return {
            "true": True,
            "1": True,
            "yes": True,
            "on": True,
            "false": False,
            "0": False,
            "no": False,
            "off": False,
        }.get(text.lower(), text)
    if isinstance(kind, msgspec.inspect.ListType):
        return [part.strip() for part in text.split(",") if part.strip()]
    for wanted, make in ((msgspec.inspect.IntType, int), (msgspec.inspect.FloatType, float)):
        if isinstance(kind, wanted):
            try:
                return make(text)
            except ValueError:
                return text
    return text


_TYPES: Mapping[Any, type] = {
    msgspec.inspect.BoolType: bool,
    msgspec.inspect.IntType: int,
    msgspec.inspect.FloatType: float,
    msgspec.inspect.StrType: str,
    msgspec.inspect.LiteralType: str,
    msgspec.inspect.ListType: list,
}


def checked(entry: Entry, value: Any) -> Any:
    """The value, if it is right for the entry."""
    kind = entry.kind
    if isinstance(kind, msgspec.inspect.FloatType) and type(value) is int:
        value = float(value)
    right = _TYPES[type(kind)]
    fits = type(value) is right
    if fits and isinstance(kind, msgspec.inspect.LiteralType):
        fits = value in kind.values
    if fits and isinstance(kind, msgspec.inspect.ListType):
        fits = all(type(part) is str for part in value)
    if fits and right in (int, float):
        low, high = kind.ge, kind.le
        fits = (low is None or value >= low) and (high is None or value <= high)
    if not fits:
        shown = say("what is there") if entry.is_secret else repr(value)
        raise ConfigError(
            say(
                "{entry} is {needed}, not {found}",
                entry=entry.dotted,
                needed=needed(entry),
                found=shown,
            )
        )
    return value


def needed(entry: Entry) -> str:
    """What values an entry takes, in words."""
    kind = entry.kind
    if isinstance(kind, msgspec.inspect.LiteralType):
        return listed_or([*map(str, kind.values)])
    if isinstance(kind, msgspec.inspect.BoolType):
        return say("true or false")
    if isinstance(kind, msgspec.inspect.ListType):
        return say("a list of texts")
    if isinstance(kind, msgspec.inspect.StrType):
        return say("a text")
    numbers = (
        say("a whole number") if isinstance(kind, msgspec.inspect.IntType) else say("a number")
    )
    if kind.ge is not None and kind.le is not None:
        return say("{numbers} from {low} to {high}", numbers=numbers, low=kind.ge, high=kind.le)
    if kind.ge is not None:
        return say("{numbers} from {low} up", numbers=numbers, low=kind.ge)
    return numbers


def consistent(config: Config) -> Config:
    """See that what one entry needs of another is there."""
    server, notify = config.server, config.notify
    for name, url in [("server.public_url", server.public_url)] + [
        ("server.origins", origin) for origin in server.origins
    ]:
        if url and not _is_origin(url):
            raise ConfigError(
                say(
                    "{entry} is an address like https://games.example.org, without a path, not {found}",
                    entry=name,
                    found=repr(url),
                )
            )
    import ipaddress

    for proxy in server.proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise ConfigError(
                say(
                    "server.proxies are addresses or networks like 10.0.0.0/8, not {found}",
                    found=repr(proxy),
                )
            ) from None
    database = config.data.database
    if database and not database.startswith(("postgresql://", "postgres://")):
        raise ConfigError(say("data.database begins with postgresql://; without it SQLite is used"))
    if notify.push and not notify.push_contact.startswith(("mailto:", "https:")):
        raise ConfigError(
            say("notify.push needs notify.push_contact: an address like mailto:me@example.org")
        )
    if bool(notify.mail_server) != bool(notify.mail_from):
        raise ConfigError(say("e-mail needs both notify.mail_server and notify.mail_from"))
    if config.admin.token and len(config.admin.token) < 20:
        raise ConfigError(say("admin.token has at least 20 characters, so that nobody guesses it"))
    return config


def _is_origin(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.path in ("", "/")
            and not (parts.query or parts.fragment or "@" in parts.netloc)
            and (parts.port or 1) > 0
        )
    except ValueError:
        return False


def documented() -> str:
    """The table of all entries, for docs/hosting.md (`python -m mandalier.server.config`)."""
    lines = ["| entry | default | what it is |", "|---|---|---|"]
    for entry in entries():
        default = "" if entry.default == "" else f"`{_toml(entry.default)}`"
        about = entry.about + ("" if entry.kind_is_plain else f"; {needed(entry)}")
        lines.append(f"| `{entry.dotted}` | {default} | {about} |")
    return "\n".join(lines)


def _toml(value: Any) -> str:
    import json

    return json.dumps(value)


START, END = "by `make protocol` -->\n", "<!-- end of settings -->"


def with_settings(page: str) -> str:
    """The page with the table between its marks made anew."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    return f"{before}{start}{documented()}\n{end}{after}"


if __name__ == "__main__":
    import sys

    file = Path(sys.argv[1])
    file.write_text(with_settings(file.read_text(encoding="utf-8")), encoding="utf-8")
