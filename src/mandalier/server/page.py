"""The page's files: read once, sent compressed, and kept by browsers where a name has a hash."""

from __future__ import annotations

import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from mandalier.games.words import LANGUAGES

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
SHELLS = ("/", "/new", "/settings", "/you", "/games/{game:str}", "/t/{table:str}")
"""The addresses the page's router knows (web/src/router.ts)."""


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


class PageFiles:
    """All files of a built page."""

    def __init__(self, folder: Path) -> None:
        self.shell = (folder / "index.html").read_text("utf-8")
        self.files = {
            path.relative_to(folder).as_posix(): _read(path, folder)
            for path in folder.rglob("*")
            if path.is_file()
            and path.suffix not in ENCODINGS.values()
            and path.name not in ("index.html", "built.json")
        }

    async def file(self, request: Request) -> Response:
        found = self.files.get(request.path_params["path"])
        return found.answer(request) if found else PlainTextResponse("not found", 404)

    def page(self, request: Request, about: str = "") -> Response:
        """The page, whatever the address; `about` is what is said of it to who links to it."""
        language = preferred(request)
        text = self.shell.replace('lang="en"', f'lang="{language}"', 1)
        text = text.replace("<!--about-->", about, 1)
        headers = {"cache-control": ASK_AGAIN, "vary": "accept-language"}
        return Response(text, media_type="text/html", headers=headers)

    async def plain_page(self, request: Request) -> Response:
        return self.page(request)

    @property
    def routes(self) -> list[BaseRoute]:
        """The page at each of its addresses, and its files; to come last of all routes."""
        return [
            *(Route(path, self.plain_page) for path in SHELLS),
            Route("/{path:path}", self.file),
        ]


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
