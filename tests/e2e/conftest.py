"""A real server and a real browser.

Playwright keeps an event loop in this thread while it runs, so it is closed after each module:
tests of other modules have loops of their own.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests import messages
from tests.e2e import visit

pytest.importorskip("playwright")

from playwright.sync_api import Browser, expect, sync_playwright

expect.set_options(timeout=visit.PATIENCE_MS)

Visit = Callable[..., visit.Visitor]


@pytest.fixture(scope="session")
def page_built() -> None:
    """The page of the sources that are here. Workers of one run build one after the other."""
    import fcntl

    with (messages.ROOT / "web" / "build.py").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        messages.page_build().build()


@pytest.fixture(scope="session")
def served(page_built: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of our own."""
    folder = tmp_path_factory.mktemp("tables")
    with serving(folder) as base:
        yield base


NOTICES = {
    "MANDALIER_NOTIFY_MAIL_SERVER": "127.0.0.1:9",  # where nobody listens
    "MANDALIER_NOTIFY_MAIL_FROM": "tables@example.org",
    "MANDALIER_NOTIFY_WEBHOOKS": "true",
    "MANDALIER_NOTIFY_PUSH": "true",
    "MANDALIER_NOTIFY_PUSH_CONTACT": "mailto:tables@example.org",
}
"""The ways to be told of a turn are there to be chosen."""


class serving:  # noqa: N801 - used as a context manager
    """A server on a free port, with this data folder."""

    def __init__(self, folder: Path, *more: str) -> None:
        command = [sys.executable, "-m", "mandalier", "serve", "--quiet", "--no-limits", "--here"]
        self.log = (folder / "server.log").open("a+")
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--data-folder", str(folder), *more],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, "MANDALIER_LANG": "en", **NOTICES},
        )

    def __enter__(self) -> str:
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://\S+?(?=/?$)", said.strip())
        assert found, f"the server said {said!r}"
        return found[0]

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.log.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if visit.chromium() is None:
        pytest.skip("there is no Chromium here")
    if shutil.which("node") is None:
        pytest.skip("there is no Node here")
    with sync_playwright() as playwright:
        found = visit.launch(playwright)
        yield found
        found.close()


@pytest.fixture
def visitor(browser: Browser, served: str) -> Iterator[Visit]:
    """Make visitors: `visitor(viewport=PHONE, locale="fr-FR")`. At the end none may complain."""
    with ExitStack() as stack:

        def enter(**how: Any) -> visit.Visitor:
            return stack.enter_context(visit.visiting(browser, served, **how))

        yield enter
