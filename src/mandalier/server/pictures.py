"""Pictures over HTTP: what a game looks like, a table for those who are sent its link, QR codes."""

from __future__ import annotations

import asyncio
import io
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.game import GAMES
from mandalier.games.words import LANGUAGES, say, speaking
from mandalier.server.sitting import Refusal

if TYPE_CHECKING:
    from mandalier.server.app import App

PNG_WIDTH = 1200  # what those who preview links ask for
KEEP = "public, max-age=86400"
KEEP_TABLE = "no-cache"
LONGEST_PATH = 200


@lru_cache(maxsize=128)
def sample_picture(game: str, arrangement: Any, theme: Any, language: str) -> str:
    """What a game looks like: small, or as one seat sees it."""
    from mandalier import draw

    viewer = SPECTATOR if arrangement == "thumb" else 0
    with speaking(language):
        view = draw.sample(game).view(viewer)
        return str(draw.picture(view, arrangement=arrangement, theme=theme))


@lru_cache(maxsize=128)
def _png(svg: str) -> bytes | None:
    """The picture as PNG; None where the library for that is not installed."""
    from mandalier.draw.export import png

    try:
        return png(svg, PNG_WIDTH)
    except MandalierError:
        return None


async def _apart(work: Any) -> Any:
    """Work that takes a while, beside the tables."""
    return await asyncio.get_running_loop().run_in_executor(None, work)


class Pictures:
    """The routes."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def game(self, request: Request) -> Response:
        """A game's picture: /pictures/NAME.svg or .png, with arrangement, theme and language."""
        name, ending = request.path_params["name"], request.path_params["ending"]
        asked = request.query_params
        theme = "dark" if asked.get("theme") == "dark" else "light"
        arrangement = asked.get("arrangement", "thumb")
        language = asked.get("language", "en")
        known = arrangement in ("thumb", "wide", "tall") and language in LANGUAGES
        if name not in GAMES or ending not in ("svg", "png") or not known:
            raise Refusal("no_such_table", say("there is no such picture"))
        svg = await _apart(partial(sample_picture, name, arrangement, theme, language))
        return await self._answer(svg, ending, KEEP)

    async def table(self, request: Request) -> Response:
        """A table as a spectator sees it; before its game, or where nobody may look, the game."""
        table = await self.app.hall.table(request.path_params["table"])
        sitting = table.sitting
        frame = table.frame_for(SPECTATOR) if sitting.config.spectators else None
        if frame is None or frame.scene is None:
            svg = await _apart(partial(sample_picture, sitting.config.game, "wide", "light", "en"))
        else:
            from mandalier import draw

            names = tuple(seat.name for seat in frame.info.seats)
            svg = str(draw.picture(frame.scene.state.view(SPECTATOR), names=names))
        return await self._answer(svg, request.path_params["ending"], KEEP_TABLE)

    async def _answer(self, svg: str, ending: str, keep: str) -> Response:
        headers = {"cache-control": keep}
        if ending == "svg":
            return Response(svg, media_type="image/svg+xml", headers=headers)
        made = await _apart(partial(_png, svg))
        if made is None:
            raise Refusal("no_such_table", say("this server makes no PNG"))
        return Response(made, media_type="image/png", headers=headers)

    async def code(self, request: Request) -> Response:
        """A QR code for a page of this server: /qr.svg?path=/t/TABLE."""
        import segno

        path = request.query_params.get("path", "/")
        if not path.startswith("/") or path.startswith("//") or len(path) > LONGEST_PATH:
            raise Refusal("bad_message", say("a path begins with / and is not long"))
        made = segno.make(self.app.link(request, path), error="m", micro=False)
        out = io.BytesIO()
        made.save(
            out, kind="svg", border=3, dark="#17140f", light="#fffdf6", xmldecl=False, omitsize=True
        )
        return Response(out.getvalue(), media_type="image/svg+xml", headers={"cache-control": KEEP})

    @property
    def routes(self) -> list[BaseRoute]:
        from mandalier.server.app import guarded

        return [
            Route("/pictures/{name:str}.{ending:str}", guarded(self.game)),
            Route("/t/{table:str}/picture.{ending:str}", guarded(self.table)),
            Route("/qr.svg", guarded(self.code)),
        ]
