"""A browser that visits the page, and remembers what went wrong in its console."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # WebGL stays; pages drawn by it cost twice the processor
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
LANDSCAPE = {"width": 740, "height": 360}
PATIENCE_MS = 20_000
REST = """() => Promise.all(document.getAnimations()
  .filter((each) => each.effect.getComputedTiming().endTime < Infinity)
  .map((each) => each.finished.catch(() => null)))"""
IGNORED = ("GPU stall", "GL Driver Message", "Automatic fallback to software WebGL")
"""What Chromium says of its own drawing on a machine without a graphics card."""


def chromium() -> str | None:
    """The browser of this machine."""
    named = os.environ.get("CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome")
    return named or next(filter(None, map(shutil.which, names)), None)


def launch(playwright: Playwright) -> Browser:
    path = chromium()
    assert path is not None
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS))


class Visitor:
    """Somebody with a browser of their own: cookies, settings, and a list of complaints."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.context = context
        self.base = base
        self.complaints: list[str] = []
        self.forgiven: tuple[str, ...] = IGNORED
        context.set_default_timeout(PATIENCE_MS)
        context.on("page", self._listen)
        self.page = context.new_page()

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"{error}"))
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if not any(part in message.text for part in self.forgiven):
            self.complaints.append(f"{message.type}: {message.text} {message.location}")

    def forgive(self, part: str) -> None:
        """A complaint that belongs to what a test does (a lost network, say)."""
        self.forgiven += (part,)

    def visit(self, path: str = "/") -> Page:
        self.page.goto(f"{self.base}{path}")
        return self.page

    def faults(self, within: str | None = None) -> list[str]:
        """What axe finds wrong with the page as it is shown, when all that moves has come to rest."""
        self.page.evaluate(REST)
        text = AXE.read_text("utf-8")
        self.page.evaluate(f"() => {{ {text} }}") if not self._has_axe() else None
        found: Any = self.page.evaluate(
            "(within) => axe.run(within || document, {resultTypes: ['violations']})", within
        )
        return [
            f"{each['id']}: {each['help']}: {node['html'][:200]} ({node['failureSummary']})"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def _has_axe(self) -> bool:
        return bool(self.page.evaluate("() => 'axe' in window"))


@contextmanager
def visiting(browser: Browser, base: str, **how: Any) -> Iterator[Visitor]:
    """A visitor; when they go, they have nothing to complain about."""
    how.setdefault("viewport", DESKTOP)
    how.setdefault("locale", "en-GB")
    context = browser.new_context(**how)
    visitor = Visitor(context, base)
    try:
        yield visitor
    finally:
        context.close()
    assert not visitor.complaints, "\n".join(visitor.complaints)
