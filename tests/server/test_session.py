"""What a connection sends, and in which order, whether or not its client keeps up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, cast

from mandalier.server.session import Session, Who
from tests.server.harness import run


class Line:
    """A connection that can be written to without waiting, unless its client is behind."""

    def __init__(self) -> None:
        self.is_behind = False
        self.writes: list[list[int]] = []

    def write(self, messages: Sequence[bytes]) -> bool:
        if messages and not self.is_behind:
            self.writes.append([json.loads(message)["n"] for message in messages])
        return not self.is_behind


def test_what_comes_of_one_moment_goes_out_in_one_write() -> None:
    async def work() -> None:
        session, line = Session(cast(Any, None), Who("ada", "Ada")), Line()
        session.write = line.write
        session.beat()
        session.beat()
        assert line.writes == []
        await asyncio.sleep(0)
        assert line.writes == [[1, 2]]

    run(work())


def test_nothing_overtakes_a_message_that_waits_for_a_slow_client() -> None:
    async def work() -> None:
        session, line = Session(cast(Any, None), Who("ada", "Ada")), Line()
        session.write = line.write
        line.is_behind = True
        session.beat()
        await asyncio.sleep(0)
        assert json.loads(await session.next())["n"] == 1  # it is on its way now
        line.is_behind = False
        session.beat()
        await asyncio.sleep(0)
        assert line.writes == []
        assert json.loads(await session.next())["n"] == 2  # the first has gone
        waiting = asyncio.ensure_future(session.next())
        await asyncio.sleep(0)
        session.beat()
        await asyncio.sleep(0)
        assert line.writes == [[3]]
        waiting.cancel()

    run(work())
