"""The commands for who runs a server, on a server that runs."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mandalier.cli import main
from tests.server.cluster import Cluster, binaries, cluster

PATIENCE_S = 60.0


@contextmanager
def server(*arguments: str) -> Iterator[str]:
    """`mandalier serve`, and its address."""
    command = [sys.executable, "-m", "mandalier", "serve", "--port=0", "--quiet"]
    command += [*([] if any("--host" in one for one in arguments) else ["--here"]), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().rpartition(" ")[2].strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


def ask(url: str, body: Any = None, token: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as answer:
        return json.load(answer)


def a_table(base: str, **config: Any) -> tuple[str, str]:
    """Somebody's table, and their token."""
    token = ask(f"{base}/api/v1/guests", {"name": "Ada"})["token"]
    config = {"game": "sand", **config}
    return ask(f"{base}/api/v1/tables", config, token)["table"]["id"], token


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def test_a_backup_of_a_running_server_opens_with_all_its_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with server(f"--data-folder={tmp_path / 'data'}") as base:
        table, token = a_table(base)
        sit = {"type": "sit", "id": "1", "table": table, "seat": 1}
        ask(f"{base}/api/v1/messages", sit, token)
        copies = tmp_path / "copies"
        copies.mkdir()
        status, out, _ = run(capsys, "backup", str(copies), f"--data-folder={tmp_path / 'data'}")
    (copy,) = copies.iterdir()
    assert (status, out) == (0, f"{copy}: 1 event\n")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    (tmp_path / "again").mkdir()
    copy.rename(tmp_path / "again" / "tables.db")
    with server(f"--data-folder={tmp_path / 'again'}") as base:
        seats = ask(f"{base}/api/v1/tables/{table}/seats")["seats"]
        assert [seat["name"] for seat in seats] == ["", "Ada"]


def test_a_backup_spoils_nothing_that_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.db"
    kept.write_text("mine")
    status, _, err = run(capsys, "backup", str(kept), f"--data-folder={tmp_path}")
    assert (status, kept.read_text()) == (2, "mine")
    assert "is there already" in err
    status, _, err = run(capsys, "backup", str(tmp_path / "new.db"), f"--data-folder={tmp_path}")
    assert status == 2
    assert "no server has kept anything there" in err
    assert sorted(tmp_path.iterdir()) == [kept]


def test_a_damaged_database_gives_no_backup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "tables.db"
    with sqlite3.connect(database) as made:
        made.execute("CREATE TABLE events (tbl TEXT, data TEXT)")
        made.executemany(
            "INSERT INTO events VALUES (?, ?)", [(str(i), "x" * 500) for i in range(99)]
        )
    made.close()
    whole = database.read_bytes()
    database.write_bytes(whole[:8192] + os.urandom(4096) + whole[12288:])
    status, _, err = run(capsys, "backup", str(tmp_path / "new.db"), f"--data-folder={tmp_path}")
    assert status == 2
    assert "tables.db" in err
    assert list(tmp_path.glob("new*")) == []


@pytest.fixture(scope="module")
def postgres() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


def test_a_backup_of_postgresql_holds_what_the_servers_kept(
    postgres: Cluster,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = binaries()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    address = postgres.database("backup")
    with server(f"--database={address}", f"--data-folder={tmp_path}") as base:
        table, _ = a_table(base)
    to = tmp_path / "all.dump"
    status, out, err = run(capsys, "backup", str(to), f"--database={address}")
    assert (status, out) == (0, f"{to}: the database, for pg_restore\n"), err
    restore = ["pg_restore", "--data-only", "--table=tables", "--file=-", str(to)]
    assert table in subprocess.run(restore, capture_output=True, text=True, check=True).stdout


def test_the_admin_can_list_close_ban_export_and_forget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with server(f"--data-folder={tmp_path}") as base:
        where = (f"--server={base}", f"--data-folder={tmp_path}")
        table, token = a_table(base, fill_with="random", bot_pace=False)
        ask(f"{base}/api/v1/messages", {"type": "sit", "id": "1", "table": table}, token)
        assert "1 person known\n" in run(capsys, "admin", "status", *where)[1]
        assert table in run(capsys, "admin", "tables", "--status", "gathering", *where)[1]
        assert run(capsys, "admin", "close", table, *where)[:2] == (0, "closed\n")
        assert ask(f"{base}/api/v1/tables/{table}")["table"]["status"] == "closed"
        status, _, err = run(capsys, "admin", "close", table, *where)
        assert status == 2
        assert "the table is closed" in err

        (ada,) = json.loads(run(capsys, "admin", "people", "--json", *where)[1])
        assert run(capsys, "admin", "ban", ada["id"], "--reason", "spam", *where)[0] == 0
        assert "banned: spam" in run(capsys, "admin", "people", "--search", "ad", *where)[1]
        assert run(capsys, "admin", "unban", ada["id"], *where)[0] == 0
        exported = json.loads(run(capsys, "admin", "export", ada["id"], *where)[1])
        assert exported["person"]["banned"] == ""
        assert [event["table"] for event in exported["events"]] == [table]

        status, _, err = run(capsys, "admin", "forget", ada["id"], *where)
        assert status == 2
        assert "--yes" in err
        assert run(capsys, "admin", "forget", ada["id"], "--yes", *where)[0] == 0
        assert json.loads(run(capsys, "admin", "people", "--json", *where)[1]) == []


def test_the_admin_is_told_what_keeps_them_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, _, err = run(capsys, "admin", "status", f"--data-folder={tmp_path}")
    assert status == 2
    assert "MANDALIER_ADMIN_TOKEN" in err
    monkeypatch.setenv("MANDALIER_ADMIN_TOKEN", "another token, long enough")
    with server(f"--data-folder={tmp_path}") as base:  # it has this token, too
        monkeypatch.setenv("MANDALIER_ADMIN_TOKEN", "a wrong token, long enough")
        status, _, err = run(capsys, "admin", "status", f"--server={base}")
        assert status == 2
        assert "this is for the admin" in err
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"--server=http://127.0.0.1:{free.getsockname()[1]}"
        status, _, err = run(capsys, "admin", "status", nobody)
    assert status == 2
    assert "does not answer" in err
