"""``mandalier serve``: the table server."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandalier.cli import common
from mandalier.games.errors import MandalierError
from mandalier.games.words import say

if TYPE_CHECKING:
    from mandalier.server.config import Config

DATABASE = "tables.db"
GRACE_S = 5
EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that stand for all addresses of this machine."""


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "serve",
        say("open the tables to browsers and programs, here or on a network"),
        "mandalier serve --open",
        run,
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar=say("FILE"),
        help=say("settings (TOML; docs/hosting.md); what is said here goes before them"),
    )
    parser.add_argument(
        "--data-folder",
        type=Path,
        metavar=say("FOLDER"),
        help=say("where games are kept (default: a folder of yours for such data)"),
    )
    parser.add_argument(
        "--database",
        metavar="postgresql://…",
        help=say("a PostgreSQL database, for several servers, instead of a file in the folder"),
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--host",
        help=say("the address to listen on (default: all of this machine's)"),
    )
    where.add_argument(
        "--here", action="store_true", help=say("let nobody in but browsers on this machine")
    )
    parser.add_argument("--port", type=int, help=say("the port (default: 8000; 0: any free one)"))
    parser.add_argument(
        "--base", metavar="https://…", help=say("the address in links, behind a proxy")
    )
    parser.add_argument(
        "--bots",
        type=common.whole_number,
        metavar=say("N"),
        help=say("how many bots think at the same time (default: one less than processors)"),
    )
    parser.add_argument(
        "--no-limits",
        action="store_true",
        help=say("take messages as fast as they come: for load tests, and among programs"),
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help=say("show the tables in a browser, if there is one here"),
    )
    parser.add_argument("--quiet", action="store_true", help=say("print the address only"))


def data_folder(asked: str | Path | None) -> Path:
    """The folder asked for, or where this system keeps such data."""
    if asked:
        return Path(asked)
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/mandalier"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "mandalier"


def run(parsed: argparse.Namespace) -> int:
    import uvicorn

    from mandalier.server import logs, protocol, store
    from mandalier.server.hall import Hall
    from mandalier.server.house import House
    from mandalier.server.session import Limits
    from mandalier.server.thinkers import Thinkers
    from mandalier.server.wire import BoundedHttp, LiveSocket

    settings = settings_of(parsed)
    logs.set_up(settings.log)
    host = settings.server.host
    listening = _listening(host, settings.server.port, parsed)
    port = listening.getsockname()[1]
    folder = data_folder(settings.data.folder)
    hall = Hall(
        store.store_for(settings.data.database or folder / DATABASE),
        Thinkers(parsed.bots or settings.bots.workers or None),
    )
    hall.prepares_bots = not parsed.no_limits  # load tests measure something else
    limits = None
    if parsed.no_limits:
        limits = Limits(*[1e9] * 8)
        hall.most_open_tables = 10**9
    here = f"http://{'127.0.0.1' if host in EVERYWHERE else _in_addresses(host)}:{port}"
    house = House(
        settings, hall, folder, base=_on_the_network(settings, port) or here, limits=limits
    )
    config = uvicorn.Config(
        house.asgi,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=BoundedHttp,  # uvicorn's httptools
        ws=LiveSocket,
        ws_max_size=4 * protocol.LARGEST_MESSAGE,
        ws_ping_interval=None,  # beats are messages of the protocol
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the guard knows which proxies to believe
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
    )
    server = _server(config, house, lambda: _announce(here, port, settings, parsed))
    with contextlib.suppress(KeyboardInterrupt), listening:
        server.run(sockets=[listening])
    if server.failed:
        raise server.failed
    return 0


def settings_of(parsed: argparse.Namespace) -> Config:
    """The settings of file and environment, and what the command says before them."""
    import msgspec

    from mandalier.server.config import UNLIMITED, consistent, read_config

    found = read_config(parsed.config)
    change = msgspec.structs.replace
    said = {
        "host": "127.0.0.1" if parsed.here else parsed.host,
        "port": parsed.port,
        "public_url": parsed.base,
    }
    said = {name: value for name, value in said.items() if value is not None}
    kept = {"folder": parsed.data_folder and str(parsed.data_folder), "database": parsed.database}
    kept = {name: value for name, value in kept.items() if value is not None}
    return consistent(
        change(
            found,
            server=change(found.server, **said),
            data=change(found.data, **kept),
            limits=UNLIMITED if parsed.no_limits else found.limits,
        )
    )


def _listening(host: str, port: int, parsed: argparse.Namespace) -> socket.socket:
    """The socket; who only wants to see the tables is given another port where that one is taken."""
    try:
        return _listen(host, port)
    except MandalierError:
        if not parsed.open or parsed.port is not None:
            raise
        return _listen(host, 0)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        raise MandalierError(_no_place(host, port, error)) from None
    made.set_inheritable(True)
    return made


def _no_place(host: str, port: int, error: OSError | OverflowError) -> str:
    """Why the server cannot listen there, and what to do about it."""
    place = f"{_in_addresses(host)}:{port}"
    if isinstance(error, OverflowError):
        return say("{port} is no port: they go from 0 to 65535", port=port)
    if error.errno == errno.EADDRINUSE:
        return say(
            "something listens at {place} already: a server of yours, perhaps. Stop it, or name "
            "another --port (0: any free one)",
            place=place,
        )
    return f"{place}: {error.strerror or error}"


def _in_addresses(host: str) -> str:
    """A host as addresses have it."""
    return f"[{host}]" if ":" in host else host


def _address_on_the_network() -> str | None:
    """This machine's address as others on the network see it; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept for documents
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if found.startswith("127.") else found


def _on_the_network(settings: Config, port: int) -> str | None:
    """How others on the network reach this server, where it listens to them."""
    if settings.server.host not in EVERYWHERE or settings.server.public_url:
        return None
    found = _address_on_the_network()
    return f"http://{found}:{port}" if found else None


def _announce(here: str, port: int, settings: Config, parsed: argparse.Namespace) -> None:
    address = f"{settings.server.public_url or here}/"
    print(say("The tables are open at {address}", address=address), flush=True)
    if parsed.quiet:
        return
    if parsed.open:
        _show(address)
    if found := _on_the_network(settings, port):
        link = f"{found}/"
        print(say("On your network: {address}", address=link), flush=True)
        _show_code(link)
    elif settings.server.host in EVERYWHERE and not settings.server.public_url:
        print(say("This machine is on no network that others could reach it by."), flush=True)
    print(say("Ctrl+C closes them; games go on when you open again."), flush=True)
    sys.stdout.flush()


def _show_code(link: str) -> None:
    """A link as a QR code, for telephones to look at."""
    import io

    import segno

    drawn = io.StringIO()
    segno.make(link, error="l").terminal(drawn, compact=True)
    with contextlib.suppress(UnicodeEncodeError):  # where these characters are not to be had
        drawn.getvalue().encode(sys.stdout.encoding or "ascii")
        print(drawn.getvalue(), flush=True)


def _show(address: str) -> None:
    """Open a browser on an address, where there is a screen: one in the terminal would not do."""
    import threading
    import webbrowser

    screens = os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY")
    if sys.platform in ("darwin", "win32") or any(screens):
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _server(config: Any, house: Any, ready: Any) -> Any:
    """uvicorn's server, which says when it is ready, and says goodbye before it goes."""
    import uvicorn

    class Server(uvicorn.Server):
        failed: MandalierError | None = None

        async def startup(self, sockets: Any = None) -> None:
            try:
                await house.open()
            except MandalierError as error:
                self.failed = error
                self.should_exit = True
                return
            await super().startup(sockets)
            ready()

        async def shutdown(self, sockets: Any = None) -> None:
            if self.failed:
                return
            await house.say_goodbye()
            await super().shutdown(sockets)
            await house.close()

    return Server(config)
