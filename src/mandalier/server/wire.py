"""What lies between the application and the network: uvicorn's protocols, for our use.

The head of a request is bounded, in bytes and in time: the guard sees requests whose head has come,
and who never sends the end of one, or sends heads without end, is turned away here. And a WebSocket can
be written to without waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

from mandalier.server.session import WRITE

LARGEST_HEAD = 65_536  # bytes: address and headers of one request
MAY_WAIT = 4
DEFLATE = ServerPerMessageDeflateFactory(
    server_max_window_bits=11,
    client_max_window_bits=11,
    compress_settings={"level": 4, "memLevel": 4},
)
"""A position repeats what came one or two thousand bytes before. uvicorn's own settings take 16 kB
more for each connection, and save 50 bytes a move."""
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


class LiveSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which also writes without waiting.

    What comes of one move goes out in one write, at once, where the client keeps up: a task that
    wakes, and a write, cost more than making a message. It is offered to the application as an
    extension of ASGI by the name of `WRITE`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.conn.available_extensions:
            self.conn.available_extensions = [DEFLATE]

    async def run_asgi(self) -> None:
        extensions = cast(dict[str, Any], self.scope["extensions"])
        extensions[WRITE] = self.write
        await super().run_asgi()

    def write(self, messages: Sequence[bytes]) -> bool:
        """Send texts; False, and nothing sent, while the client is behind or when it has gone."""
        if self.close_sent or self.disconnected or not self.writable.is_set():
            return False
        if not messages:
            return True
        try:
            for message in messages:
                self.conn.send_text(message)
        except InvalidState:  # it is about to go
            return False
        self.transport.write(b"".join(self.conn.data_to_send()))
        return True

    def send_receive_event_to_app(self) -> None:
        """uvicorn stops reading at each message until the application has taken it; a few may wait,
        which saves as many calls to the system as there are messages."""
        if self.read_paused or self.queue.qsize() >= MAY_WAIT:
            super().send_receive_event_to_app()
            return
        self.read_paused = True  # so it takes it
        super().send_receive_event_to_app()
        self.read_paused = False
