"""The page as the server gives it: files, headers, types."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from mandalier.server import protocol_docs
from mandalier.server.page import PageFiles

ROOT = Path(__file__).resolve().parents[2]


Get = Callable[..., httpx.Response]


@pytest.fixture
def get(tmp_path: Path) -> Get:
    """A server of a small page."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text('<html lang="en"><head><!--about--></head></html>')
    script = tmp_path / "assets" / "main-ABCDEFGH.js"
    script.write_text("plain")
    script.with_name(script.name + ".gz").write_bytes(gzip.compress(b"compressed"))
    (tmp_path / "sw.js").write_text("worker")
    app = Starlette(routes=PageFiles(tmp_path).routes)

    def get(path: str, **headers: str) -> httpx.Response:
        async def asked() -> httpx.Response:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
                return await client.get(path, headers=given)

        return asyncio.run(asked())

    return get


def test_the_types_of_the_page_are_those_of_the_protocol() -> None:
    written = (ROOT / "web" / "src" / "protocol.ts").read_text("utf-8")
    assert written == protocol_docs.typescript(), "run make protocol"


def test_the_protocol_page_is_that_of_the_protocol() -> None:
    written = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    assert written == protocol_docs.markdown(), "run make protocol"


def test_a_file_with_a_hash_in_its_name_is_kept_forever(get: Get) -> None:
    answer = get("/assets/main-ABCDEFGH.js")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/", "/sw.js", "/t/abc"])
def test_what_has_no_hash_is_asked_for_again(get: Get, path: str) -> None:
    assert get(path).headers["cache-control"] == "no-cache"


def test_a_browser_that_takes_compressed_files_gets_them(get: Get) -> None:
    answer = get("/assets/main-ABCDEFGH.js", accept_encoding="gzip, br")
    assert answer.text == "compressed"
    assert answer.headers["content-encoding"] == "gzip"
    assert get("/assets/main-ABCDEFGH.js", accept_encoding="identity").text == "plain"


def test_the_page_says_in_which_language_it_will_be(get: Get) -> None:
    answer = get("/", accept_language="de, pt-BR;q=0.8, en;q=0.5")
    assert 'lang="pt"' in answer.text


def test_there_is_nothing_at_other_addresses(get: Get) -> None:
    assert get("/assets/other.js").status_code == 404
    assert get("/assets/../../secret").status_code == 404
