"""What the server writes about itself: lines for people, or one JSON object a line.

No secret gets into a line: cookies, tokens and recovery codes are cut out wherever they stand, and
what a game keeps hidden is never logged.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import traceback
from typing import Any, TextIO

from mandalier.server.config import Log

SECRET = re.compile(
    r"\bmd[a-z]_[\w-]{16,}"  # cookies and tokens
    r"|\b(?:[0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}\b"  # recovery codes
    r"|(?<=://)[^/\s:@]*:[^/\s@]*(?=@)"  # user and password in an address
    r"|(?i:(?<=bearer )[\w.~+/=-]+)"
)
CUT_OUT = "[secret]"
USUAL = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


FAULTS_OF_CLIENTS = (
    "Invalid HTTP request received.",
    "Invalid UTF-8 sequence received from client.",
)
"""What uvicorn says of bytes that are no HTTP or no WebSocket."""


def without_secrets(text: str) -> str:
    return SECRET.sub(CUT_OUT, text)


def more(record: logging.LogRecord) -> dict[str, Any]:
    """What was said besides the message (`extra=`)."""
    return {name: value for name, value in vars(record).items() if name not in USUAL}


class Lines(logging.Formatter):
    """Lines for people."""

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        parts = [at, record.levelname.lower(), record.getMessage()]
        parts += [f"{name}={value}" for name, value in more(record).items()]
        if record.exc_info and record.exc_info[0]:
            parts.append("\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip())
        return without_secrets(" ".join(parts))


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "at": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}"
            f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **more(record),
        }
        if record.exc_info and record.exc_info[0]:
            said["error"] = "".join(traceback.format_exception(*record.exc_info))
        return without_secrets(json.dumps(said, ensure_ascii=False, default=str))


def set_up(config: Log, stream: TextIO | None = None) -> None:
    """Have all loggers write as the settings say."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if config.format == "json" else Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(config.level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.addFilter(_belongs_in_the_log)
    logging.getLogger("uvicorn.access").disabled = True  # the guard writes these lines


def _belongs_in_the_log(record: logging.LogRecord) -> bool:
    """Whether a line of uvicorn's is written. Bytes that mean nothing are no error of this server,
    and nobody outside is to fill its log with them."""
    if record.getMessage() not in FAULTS_OF_CLIENTS:
        return True
    record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
    record.exc_info = None
    return logging.getLogger().isEnabledFor(logging.INFO)
