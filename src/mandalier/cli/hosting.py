"""``mandalier backup`` and ``mandalier admin``: for who runs a server."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from mandalier.cli import common
from mandalier.cli.serve import DATABASE, data_folder
from mandalier.games.errors import MandalierError
from mandalier.games.words import say, say_n

if TYPE_CHECKING:
    from mandalier.server.config import Config

TIMEOUT_S = 30.0
TOKEN_VARIABLE = "MANDALIER_ADMIN_TOKEN"


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "backup",
        say("copy all that a server keeps to a file, while it runs"),
        "mandalier backup /backups",
        backup,
    )
    parser.add_argument(
        "to", type=Path, metavar=say("FILE"), help=say("the file to make, or a folder for it")
    )
    _add_place(parser)
    parser.add_argument(
        "--database",
        metavar="postgresql://…",
        help=say("the PostgreSQL database to copy (by pg_dump), instead of a file in the folder"),
    )
    parser = common.command(
        commands,
        "admin",
        say("look after a running server: its tables and its people"),
        "mandalier admin tables --status playing",
        lambda parsed: int(parsed.act(parsed)),
    )
    acts = parser.add_subparsers(dest="act_name", metavar=say("ACTION"), required=True)
    for name, summary, act in _ACTS:
        one = acts.add_parser(name, help=summary(), description=summary() + ".")
        one.set_defaults(act=act)
        one.add_argument(
            "--server",
            metavar="https://…",
            help=say("where it runs (default: this machine, at the port of the settings)"),
        )
        _add_place(one)
        if name not in ("export",):
            common.add_json(one)
        if name in ("ban", "unban", "export", "forget"):
            one.add_argument(
                "person", metavar=say("PERSON"), help=say("an id, from mandalier admin people")
            )
        if name == "tables":
            one.add_argument(
                "--status",
                default="playing",
                help=say("gathering, sealing, playing (the default), paused, over or closed"),
            )
        elif name == "close":
            one.add_argument("table", metavar=say("TABLE"), help=say("the table's id"))
        elif name == "people":
            one.add_argument("--search", default="", help=say("a part of the name"))
        elif name == "ban":
            one.add_argument("--reason", required=True, help=say("it is kept with the ban"))
        elif name == "forget":
            one.add_argument(
                "--yes", action="store_true", help=say("do it: this cannot be taken back")
            )


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", type=Path, metavar=say("FILE"), help=say("the settings the server has")
    )
    parser.add_argument(
        "--data-folder",
        type=Path,
        metavar=say("FOLDER"),
        help=say("where games are kept (default: a folder of yours for such data)"),
    )


def _settings(parsed: argparse.Namespace) -> Config:
    from mandalier.server.config import read_config

    return read_config(parsed.config)


# Backups ---------------------------------------------------------------------------------------


def backup(parsed: argparse.Namespace) -> int:
    from mandalier.server import backup as copies

    settings = _settings(parsed)
    given = parsed.database or ("" if parsed.data_folder else settings.data.database)
    if given:
        to = copies.place_for(parsed.to, ".dump")
        copies.dump_postgres(given, to)
        print(say("{file}: the database, for pg_restore", file=to))
        return 0
    to = copies.place_for(parsed.to, ".db")
    folder = data_folder(parsed.data_folder or settings.data.folder)
    events = copies.copy_sqlite(folder / DATABASE, to)
    print(say_n("{file}: {n} event", "{file}: {n} events", events, file=to))
    return 0


# The admin -------------------------------------------------------------------------------------


class Remote:
    """The admin's part of a server's HTTP interface."""

    def __init__(self, parsed: argparse.Namespace) -> None:
        settings = _settings(parsed)
        port = settings.server.port
        self.base = (parsed.server or f"http://127.0.0.1:{port}").rstrip("/")
        self._token = settings.admin.token or self._kept_token(parsed, settings)

    @staticmethod
    def _kept_token(parsed: argparse.Namespace, settings: Config) -> str:
        from mandalier.server.admin import TOKEN_FILE

        file = data_folder(parsed.data_folder or settings.data.folder) / TOKEN_FILE
        try:
            return file.read_text(encoding="ascii").strip()
        except OSError as error:
            raise MandalierError(
                say(
                    "{file}: {error}; name the server's --data-folder or --config, or give its "
                    "token as {variable}",
                    file=file,
                    error=error.strerror,
                    variable=TOKEN_VARIABLE,
                )
            ) from None

    def ask(
        self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None
    ) -> Any:
        """The server's answer. Raises MandalierError."""
        import http.client
        import urllib.error
        import urllib.request

        url = f"{self.base}/api/v1/admin{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        try:
            request = urllib.request.Request(url, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                reason = json.load(error)["reason"]
            except (ValueError, KeyError, TypeError):
                reason = f"{error.code} {error.reason}"
            raise MandalierError(f"{self.base}: {reason}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise MandalierError(
                say("{server} does not answer: {error}", server=self.base, error=reason)
            ) from None

    def pages(self, path: str, what: str, turn: str, query: Mapping[str, str]) -> list[Any]:
        """All pages of a list."""
        found: list[Any] = []
        asked = dict(query)
        while True:
            page = self.ask("GET", path, query=asked)
            found += page[what]
            if page["next"] is None:
                return found
            asked[turn] = page["next"]


def _day(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))


def _status(parsed: argparse.Namespace) -> int:
    found = Remote(parsed).ask("GET", "/status")
    if parsed.json:
        common.print_json(found)
        return 0
    print(say("mandalier {version}", version=found["version"]))
    print(say_n("{n} connection", "{n} connections", found["sockets"]))
    print(say_n("{n} person known", "{n} people known", found["people"]))
    kinds = ", ".join(f"{n} {status}" for status, n in found["tables"].items())
    print(say("tables: {kinds}; in memory: {n}", kinds=kinds or "0", n=found["tables_at_hand"]))
    return 0


def _tables(parsed: argparse.Namespace) -> int:
    found = Remote(parsed).pages("/tables", "tables", "before", {"status": parsed.status})
    if parsed.json:
        common.print_json(found)
        return 0
    for table in found:
        seats = ", ".join(seat["name"] or "–" for seat in table["seats"])
        game = table["config"]["game"]
        print(f"{table['id']}  {_day(table['created'])}  {game:8}  {table['status']:9}  {seats}")
    print(say_n("{n} table", "{n} tables", len(found)), file=sys.stderr)
    return 0


def _close(parsed: argparse.Namespace) -> int:
    answer = Remote(parsed).ask("POST", f"/tables/{quote(parsed.table, safe='')}/close")
    return _said(parsed, answer, say("closed"))


def _people(parsed: argparse.Namespace) -> int:
    found = Remote(parsed).pages("/people", "people", "after", {"search": parsed.search})
    if parsed.json:
        common.print_json(found)
        return 0
    for one in found:
        ban = say("banned: {reason}", reason=one["banned"]) if one["banned"] else ""
        print(f"{one['id']}  {_day(one['seen'])}  {one['kind']:8}  {one['name']}  {ban}".rstrip())
    print(say_n("{n} person", "{n} people", len(found)), file=sys.stderr)
    return 0


def _person(parsed: argparse.Namespace) -> str:
    return f"/people/{quote(parsed.person, safe='')}"


def _ban(parsed: argparse.Namespace) -> int:
    reason = parsed.reason if parsed.act_name == "ban" else ""
    answer = Remote(parsed).ask("POST", f"{_person(parsed)}/ban", {"reason": reason})
    return _said(parsed, answer, say("banned") if reason else say("the ban is lifted"))


def _export(parsed: argparse.Namespace) -> int:
    common.print_json(Remote(parsed).ask("GET", _person(parsed)))
    return 0


def _forget(parsed: argparse.Namespace) -> int:
    if not parsed.yes:
        raise MandalierError(
            say("this deletes all that is kept about {person}; say --yes", person=parsed.person)
        )
    answer = Remote(parsed).ask("DELETE", _person(parsed))
    return _said(parsed, answer, say("forgotten; the games stay, without the person"))


def _said(parsed: argparse.Namespace, answer: Any, text: str) -> int:
    if parsed.json:
        common.print_json(answer)
    else:
        print(text)
    return 0


_ACTS: tuple[tuple[str, Callable[[], str], Callable[[argparse.Namespace], int]], ...] = (
    ("status", lambda: say("How the server is"), _status),
    ("tables", lambda: say("Tables of a status, public or not"), _tables),
    ("close", lambda: say("End a table without a result"), _close),
    ("people", lambda: say("Who is known here"), _people),
    ("ban", lambda: say("Keep somebody from playing"), _ban),
    ("unban", lambda: say("Let somebody play again"), _ban),
    ("export", lambda: say("Print all that is kept about somebody, as JSON"), _export),
    ("forget", lambda: say("Delete all that is kept about somebody"), _forget),
)
