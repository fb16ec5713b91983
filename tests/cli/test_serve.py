"""What `mandalier serve` says when it starts, or cannot."""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mandalier.cli import main, serve
from mandalier.server.config import Config, Server
from tests.cli.test_hosting import server


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that says why there is no server."""
    assert main(["serve", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_port_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "--port=70000", f"--data-folder={tmp_path}")
    assert "70000 is no port: they go from 0 to 65535" in said


def test_here_and_another_address_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--here", "--host=0.0.0.0", f"--data-folder={tmp_path}"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "--here" in said
    assert "--host" in said


def test_a_port_that_is_taken_is_refused_with_a_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused(capsys, "--here", f"--port={port}", f"--data-folder={tmp_path}")
    assert f"something listens at 127.0.0.1:{port} already" in said
    assert "--port" in said


def test_a_second_server_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with server(f"--data-folder={tmp_path}"):
        command = [sys.executable, "-m", "mandalier", "serve", "--port=0"]
        second = subprocess.run(
            [*command, f"--data-folder={tmp_path}"], capture_output=True, text=True, check=False
        )
    assert second.returncode == 2
    assert second.stdout == ""
    assert "belongs to another server that is running" in second.stderr
    assert second.stderr.count("\n") == 1


def test_an_address_of_six_is_printed_as_browsers_take_it(tmp_path: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with server(f"--data-folder={tmp_path}", "--host=::1") as base:
        assert base.startswith("http://[::1]:")


def announced(capsys: pytest.CaptureFixture[str], settings: Config, *, quiet: bool = False) -> str:
    parsed = argparse.Namespace(quiet=quiet, open=False)
    serve._announce("http://127.0.0.1:8000", 8000, settings, parsed)
    return capsys.readouterr().out


def test_who_opens_tables_is_shown_a_link_and_a_code_to_share(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_address_on_the_network", lambda: "192.168.1.7")
    said = announced(capsys, Config())
    assert "On your network: http://192.168.1.7:8000/" in said
    assert "▀" in said
    assert "▀" not in announced(capsys, Config(), quiet=True)
    public = Config(server=Server(public_url="https://games.example.org"))
    said = announced(capsys, public)
    assert "https://games.example.org/" in said
    assert "192.168" not in said


def test_a_machine_without_a_network_is_told_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_address_on_the_network", lambda: None)
    assert "on no network" in announced(capsys, Config())


def test_a_server_of_this_machine_alone_shows_no_link_to_the_network(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_address_on_the_network", lambda: "192.168.1.7")
    said = announced(capsys, Config(server=Server(host="127.0.0.1")))
    assert "127.0.0.1:8000" in said
    assert "192.168" not in said
