"""A whole server, from its settings: tables, people, notices, the admin, and the guard before all."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from mandalier.games.errors import MandalierError
from mandalier.server.admin import Admin, admin_token
from mandalier.server.app import PAGE_FOLDER, App, build
from mandalier.server.config import Config
from mandalier.server.hall import Hall
from mandalier.server.metrics import CONTENT_TYPE, Metrics
from mandalier.server.notify import Notifier
from mandalier.server.people import People
from mandalier.server.security import Guard
from mandalier.server.session import Limits

log = logging.getLogger("mandalier.house")

HEALTH_S = 2.0
SWEEP_S = 3600.0


class House:
    """A server: `asgi` is the application, `open` and `close` go around it."""

    def __init__(
        self,
        config: Config,
        hall: Hall,
        folder: Path,
        *,
        base: str = "",
        limits: Limits | None = None,
        page: Path | None = PAGE_FOLDER,
    ) -> None:
        self.config = config
        self.hall = hall
        self.metrics = hall.metrics = Metrics()
        base = config.server.public_url.rstrip("/") or base.rstrip("/")
        limits = limits or Limits(per_second=config.limits.messages_per_second)
        self.notifier = Notifier(hall.store, config.notify, base, metrics=self.metrics)
        hall.watch = self.notifier.look
        self._admin_token = admin_token(folder, config.admin.token)
        starlette = build(hall, limits=limits, base=base, page=page, more=self._furnish)
        self.guard = self.asgi = Guard(starlette, config)
        self.guard.observe = self.metrics.observe_request
        self._tasks: list[asyncio.Task[None]] = []
        self._measure()

    def _measure(self) -> None:
        ask = self.metrics.ask
        ask("sessions", "clients connected", lambda: len(self.app.sessions))
        ask("tables", "tables in memory", lambda: len(self.hall.tables))
        ask("open_sockets", "sockets and streams open", lambda: len(self.guard.sockets))

    def _furnish(self, app: App) -> list[BaseRoute]:
        """The rooms beside the tables."""
        self.app = app
        self.people = People(app, self.notifier)
        self.admin = Admin(app, self.people, self._admin_token)
        return [
            *self.people.routes,
            *self.admin.routes,
            Route("/healthz", self.health),
            Route("/metrics", self.numbers),
        ]

    async def open(self) -> None:
        await self.app.open()
        await self.notifier.open()
        self._tasks = [
            asyncio.ensure_future(self.people.look_out()),
            asyncio.ensure_future(self._sweep()),
        ]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.notifier.close()
        await self.app.close()

    async def say_goodbye(self) -> None:
        await self.app.say_goodbye()

    async def _sweep(self) -> None:
        while True:
            try:
                data = self.config.data
                await self.hall.close_idle(data.waiting_days, data.idle_days)
                await self.people.sweep(data.guest_days)
            except MandalierError as error:
                log.warning("what is old stays: %s", error)
            except Exception:
                log.exception("what is old stays")
            await asyncio.sleep(SWEEP_S)

    # For those who watch over servers --------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Whether clients should be sent here: the store answers, and nobody is closing."""
        if self.app.is_closing:
            return JSONResponse({"status": "closing"}, 503)
        try:
            await asyncio.wait_for(self.hall.store.rows("SELECT 1"), HEALTH_S)
        except (MandalierError, TimeoutError):
            return JSONResponse({"status": "no store"}, 503)
        return JSONResponse({"status": "ok"})

    async def numbers(self, request: Request) -> Response:
        """The counters, for Prometheus."""
        who = self.config.admin.metrics
        allowed = who == "open" or (who == "local" and is_local(request))
        if not allowed and (who == "off" or not self.admin.is_admin(request)):
            return JSONResponse({"code": "unknown_person", "reason": "not for you"}, 403)
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)


def is_local(request: Request) -> bool:
    """Whether a request was made on this machine, and not passed on by a proxy on it."""
    if any(name in request.headers for name in ("x-forwarded-for", "forwarded", "via")):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
