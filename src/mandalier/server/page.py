"""The page's files: read once, sent compressed, and kept by browsers where a name has a hash."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES
from mandalier.games.words import LANGUAGES, say, speaking
from mandalier.server.sitting import Refusal

if TYPE_CHECKING:
    from mandalier.server.app import App

FOREVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
A_DAY = "public, max-age=86400"
ENCODINGS = {"br": ".br", "gzip": ".gz"}  # the better one first
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
ADDRESSES = {
    "/": "lobby",
    "/new": "new_table",
    "/settings": "settings_page",
    "/you": "you",
    "/games/{game:str}": "game_page",
    "/t/{table:str}": "table_page",
}
"""The addresses the page's router knows, and the chunk each needs (web/src/router.ts)."""


@dataclass(frozen=True)
class File:
    """A file as it goes out: plain, and compressed before."""

    plain: bytes
    compressed: dict[str, bytes]
    kind: str
    keep: str

    def answer(self, request: Request) -> Response:
        accepted = {
            part.split(";")[0].strip()
            for part in request.headers.get("accept-encoding", "").split(",")
        }
        headers = {"cache-control": self.keep}
        body = self.plain
        if self.compressed:
            headers["vary"] = "accept-encoding"
        for name, there in self.compressed.items():
            if name in accepted:
                body, headers["content-encoding"] = there, name
                break
        return Response(body, media_type=self.kind, headers=headers)


class Page:
    """All files of a built page, and the page itself at each of its addresses."""

    def __init__(self, folder: Path, app: App) -> None:
        self.app = app
        self.shell = (folder / "index.html").read_text("utf-8")
        self.files = {
            path.relative_to(folder).as_posix(): _read(path, folder)
            for path in folder.rglob("*")
            if path.is_file()
            and path.suffix not in ENCODINGS.values()
            and path.name not in ("index.html", "built.json", "chunks.json")
        }
        chunks = folder / "chunks.json"
        self.chunks = json.loads(chunks.read_text("utf-8")) if chunks.is_file() else {}

    async def file(self, request: Request) -> Response:
        found = self.files.get(request.path_params["path"])
        if found:
            return found.answer(request)
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse("not found", 404)
        answer = await self.page(request, "")  # which says it more kindly
        answer.status_code = 404
        return answer

    def at(self, chunk: str) -> Callable[[Request], Awaitable[Response]]:
        """The page at an address: what it will need is named at once, so that it is not waited for."""

        async def page(request: Request) -> Response:
            return await self.page(request, chunk)

        return page

    async def page(self, request: Request, chunk: str) -> Response:
        """The page. It tells who is here, so that nobody has to ask, and what is at this address,
        for those who preview links."""
        language = preferred(request)
        with speaking(language):
            needed = [*self.chunks.get(chunk, []), *self.chunks.get(language, [])]
            early = [f'<link rel="modulepreload" href="{path}">' for path in needed]
            about = [*early, await self._person(request), *await self._preview(request)]
        text = self.shell.replace('lang="en"', f'lang="{language}"', 1)
        text = text.replace("<!--about-->", "\n".join(filter(None, about)), 1)
        headers = {"cache-control": "private, no-cache", "vary": "accept-language, cookie"}
        return Response(text, media_type="text/html", headers=headers)

    async def _person(self, request: Request) -> str:
        secret = self.app.secret_of(request)
        try:
            found = await self.app.accounts.identify(secret) if secret else None
        except MandalierError:
            return ""
        if found is None:
            return ""
        person = found.person
        told = json.dumps({"id": person.id, "name": person.name, "kind": person.kind})
        return _meta("name", "person", told)

    async def _preview(self, request: Request) -> list[str]:
        title, about, picture = (
            "Mandalier",
            say("Four art games at one table"),
            "/icons/icon-512.png",
        )
        name = request.path_params.get("game")
        table_id = request.path_params.get("table")
        if name in GAMES:
            title, about = GAMES[name].title, GAMES[name].module.goal()
            picture = f"/pictures/{name}.png?arrangement=wide"
        elif table_id:
            try:
                table = await self.app.hall.table(table_id)
            except (Refusal, MandalierError):
                return []
            title = say("A table of {game}", game=GAMES[table.sitting.config.game].title)
            about = say("Take a seat, or watch.")
            picture = f"/t/{table_id}/picture.png"
        link = self.app.link
        return [
            _meta("property", "og:title", title),
            _meta("property", "og:description", about),
            _meta("property", "og:type", "website"),
            _meta("property", "og:url", link(request, request.url.path)),
            _meta("property", "og:image", link(request, picture)),
            _meta("name", "twitter:card", "summary_large_image"),
        ]

    @property
    def routes(self) -> list[BaseRoute]:
        """The page at each of its addresses, and its files; to come last of all routes."""
        return [
            *(Route(path, self.at(chunk)) for path, chunk in ADDRESSES.items()),
            Route("/{path:path}", self.file),
        ]


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}">'


def _read(path: Path, folder: Path) -> File:
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    compressed = {
        name: path.with_name(path.name + ending).read_bytes()
        for name, ending in ENCODINGS.items()
        if path.with_name(path.name + ending).is_file()
    }
    keep = A_DAY
    if path.name == "sw.js" or path.suffix == ".webmanifest":
        keep = ASK_AGAIN
    elif re.search(r"-[A-Z0-9]{8}\.\w+$", path.name):
        keep = FOREVER
    return File(path.read_bytes(), compressed, kind or "application/octet-stream", keep)


def preferred(request: Request) -> str:
    """The language a browser asks for, if we speak it."""
    for part in request.headers.get("accept-language", "").split(","):
        if part.strip()[:2].lower() in LANGUAGES:
            return part.strip()[:2].lower()
    return "en"
