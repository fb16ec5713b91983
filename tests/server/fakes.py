"""Servers on 127.0.0.1 that stand in for the world: one takes e-mail, one takes POST."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Mailbox:
    """What has been mailed, and what the server answers to RCPT."""

    def __init__(self) -> None:
        self.port = 0
        self.letters: list[tuple[str, str]] = []  # (to, text)
        self.answer = "250 ok"


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    box = Mailbox()

    class Handler(socketserver.StreamRequestHandler):
        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def handle(self) -> None:
            self.say("220 here")
            to = ""
            while line := self.rfile.readline().decode("utf-8", "replace").strip():
                word = line.split(" ")[0].upper()
                if word == "RCPT":
                    to = line.partition("<")[2].rstrip(">")
                    self.say(box.answer)
                elif word == "DATA":
                    self.say("354 go on")
                    lines = []
                    while (text := self.rfile.readline().decode()) != ".\r\n":
                        lines.append(text)
                    box.letters.append((to, "".join(lines)))
                    self.say("250 kept")
                elif word == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("250 ok")

    with _running(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)) as port:
        box.port = port
        yield box


class Inbox:
    """What has been posted (path, headers, body), and what is answered: the last for all more."""

    def __init__(self) -> None:
        self.url = ""
        self.posts: list[tuple[str, dict[str, str], bytes]] = []
        self.answers = [200]


@contextmanager
def hook_server() -> Iterator[Inbox]:
    box = Inbox()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            box.posts.append((self.path, headers, body))
            status = box.answers.pop(0) if len(box.answers) > 1 else box.answers[0]
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("location", f"{box.url}/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    with _running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        box.url = f"http://127.0.0.1:{port}"
        yield box


@contextmanager
def _running(server: Any) -> Iterator[int]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
