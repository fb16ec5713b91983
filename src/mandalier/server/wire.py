"""What lies between the application and the network: uvicorn's protocols, for our use.

The head of a request is bounded, in bytes and in time: the guard sees requests whose head has come,
and who never sends the end of one, or sends heads without end, is turned away here. And what is sent
to a WebSocket at one time goes out together.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LARGEST_HEAD = 65_536  # bytes: address and headers of one request
HEAD_S = 20.0
"""So long the head of a request may take to come, from the connection or the request before on."""


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's HTTP, for those who come to the end of what they want to say."""

    largest_head = LARGEST_HEAD
    head_s = HEAD_S

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head = 0
        self._in_head = False
        self._waiting: asyncio.TimerHandle | None = None

    # uvicorn itself narrows what asyncio hands over
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:
            self._head += len(data)
            if self._head > self.largest_head:
                self._turn_away(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head, self._in_head = 0, True
        self._wait()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._wait_no_more()
        super().on_headers_complete()

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.head_s, self._turn_away, 408)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _turn_away(self, status: int) -> None:
        self._in_head = False
        self._wait_no_more()
        if not self.transport.is_closing():
            self.transport.write(
                STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n"
            )
            self.transport.close()


class Gathering:
    """A transport that writes at the end of a round; all else is that of the transport within."""

    def __init__(self, within: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._within = within
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def close(self) -> None:
        self._flush()
        self._within.close()

    def _flush(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            if not self._within.is_closing():
                self._within.write(b"".join(waiting))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)


class GatheringSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket: what one round of the loop sends goes out in one write. A move brings its
    player an answer and a position, and a write costs more than making either."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        within = cast(asyncio.Transport, transport)
        super().connection_made(cast(asyncio.Transport, Gathering(within, self.loop)))
