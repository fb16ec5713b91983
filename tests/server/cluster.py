"""A PostgreSQL of the tests' own, in a temporary folder."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

USER = "postgres"


@functools.cache
def binaries() -> Path | None:
    """The folder of PostgreSQL's programs."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for root in (Path("/usr/lib/postgresql"), Path("/opt/homebrew/opt"), Path("/usr/local/opt")):
        folders += sorted(root.glob("*/bin"), reverse=True)
    return next(
        (found for found in folders if (found / "initdb").exists() and (found / "pg_ctl").exists()),
        None,
    )


class Cluster:
    """A running PostgreSQL that can be killed and started again."""

    def __init__(self, folder: Path, bin_folder: Path, durable: bool = False) -> None:
        self.folder = folder
        self._durable = durable
        self._bin = bin_folder
        self._as_root = os.geteuid() == 0
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        if self._as_root:
            shutil.chown(folder, USER)
        self.data = folder / "data"
        self._run("initdb", "-D", str(self.data), "-U", USER, "-A", "trust", "-N", "-E", "UTF8")
        self.start()

    @property
    def address(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
            " -c max_connections=60 -c shared_buffers=32MB"
            f" -c fsync={'on' if self._durable else 'off'}"  # off outlives kill -9, not a power cut
        )
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-o", options, "-l", log, "-w", "start")

    def kill(self) -> None:
        """kill -9 of the whole server."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, 9)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and Path(f"/proc/{pid}").exists():
            time.sleep(0.02)
        time.sleep(0.3)  # its children notice, and let go of the shared memory
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def database(self, name: str) -> str:
        """The address of a new, empty database."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, name)
        return self.address.removesuffix("postgres") + name

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        if self._as_root:
            command = ["runuser", "-u", USER, "--", *command]
        done = (
            subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                cwd="/",
                timeout=60,
            )
            if program != "pg_ctl"
            else _quiet(command)
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr or done.stdout}")


def _quiet(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Without pipes: the server that is started would hold them open."""
    return subprocess.run(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd="/",
        timeout=60,
    )


@contextlib.contextmanager
def cluster(durable: bool = False) -> Iterator[Cluster]:
    """A cluster for the time of the block; the test is skipped where there is no PostgreSQL."""
    found = binaries()
    if found is None:
        pytest.skip("PostgreSQL's programs are not here: make system")
    folder = Path(tempfile.mkdtemp(prefix="mandalier-pg-", dir="/tmp"))
    made = None
    try:
        made = Cluster(folder, found, durable)
        yield made
    finally:
        if made:
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)
