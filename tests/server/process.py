"""`mandalier serve` as a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

PATIENCE_S = 120.0


class Process:
    """`mandalier serve` as a process of its own, at a port of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.arguments = arguments
        self.process: asyncio.subprocess.Process | None = None
        self.log = folder / f"{self.port}.log"

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "mandalier",
                "serve",
                "--quiet",
                "--no-limits",
                "--here",
                f"--port={self.port}",
                *self.arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # rules as plain Python: nothing has to be compiled or loaded at each of many starts
                env={**os.environ, "MANDALIER_LANG": "en", "MANDALIER_JIT": "0"},
            )
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_S)
        assert b"open at" in line, line

    async def stop(self, how: signal.Signals = signal.SIGKILL) -> int | None:
        """End it, if it runs; its exit status."""
        if self.process is None:
            return None
        if self.process.returncode is None:
            self.process.send_signal(how)
        assert self.process.stdout is not None
        await self.process.stdout.read()  # so that its pipe is closed, too
        return await self.process.wait()

    @property
    def complaints(self) -> str:
        """What it did not expect."""
        said = self.log.read_text()
        at = said.find("Traceback")
        return said[max(0, at - 500) : at + 5_000] if at >= 0 else ""

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def memory_kb(self) -> int:
        """What it has of the machine's memory now."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])
