"""The page as the server gives it: files, headers, what it says of itself, pictures, types."""

from __future__ import annotations

import gzip
import html
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mandalier.games.game import GAMES
from mandalier.server import protocol_docs
from tests.server.harness import Server, run, running

ROOT = Path(__file__).resolve().parents[2]
Work = Callable[[Server], Awaitable[None]]


@pytest.fixture
def with_page(tmp_path: Path) -> Callable[[Work], None]:
    """Do something with a server that has a small page."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text('<html lang="en"><head><!--about--></head></html>')
    script = folder / "assets" / "main-ABCDEFGH.js"
    script.write_text("plain")
    script.with_name(script.name + ".gz").write_bytes(gzip.compress(b"compressed"))
    (folder / "sw.js").write_text("worker")

    def served(work: Work) -> None:
        async def whole() -> None:
            async with running(tmp_path / "tables.db", page=folder) as server:
                await work(server)

        run(whole())

    return served


def test_the_types_of_the_page_are_those_of_the_protocol() -> None:
    written = (ROOT / "web" / "src" / "protocol.ts").read_text("utf-8")
    assert written == protocol_docs.typescript(), "run make protocol"


def test_the_protocol_page_is_that_of_the_protocol() -> None:
    written = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    assert written == protocol_docs.markdown(), "run make protocol"


def test_files_with_a_hash_in_their_name_are_kept_and_all_else_is_asked_for_again(
    with_page: Any,
) -> None:
    async def work(server: Server) -> None:
        script = await server.http.get("/assets/main-ABCDEFGH.js")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-type"].startswith("text/javascript")
        for path in ("/", "/sw.js", "/t/abc", "/games/sand"):
            answer = await server.http.get(path)
            assert answer.status_code == 200
            assert "no-cache" in answer.headers["cache-control"]

    with_page(work)


def test_a_browser_that_takes_compressed_files_gets_them(with_page: Any) -> None:
    async def work(server: Server) -> None:
        path = "/assets/main-ABCDEFGH.js"
        answer = await server.http.get(path, headers={"accept-encoding": "gzip, br"})
        assert (answer.text, answer.headers["content-encoding"]) == ("compressed", "gzip")
        answer = await server.http.get(path, headers={"accept-encoding": "identity"})
        assert answer.text == "plain"

    with_page(work)


def test_the_page_is_in_the_language_the_browser_asks_for(with_page: Any) -> None:
    async def work(server: Server) -> None:
        asked = {"accept-language": "de, pt-BR;q=0.8, en;q=0.5"}
        assert 'lang="pt"' in (await server.http.get("/", headers=asked)).text

    with_page(work)


def test_the_page_tells_who_is_here_and_nobody_else(with_page: Any) -> None:
    async def work(server: Server) -> None:
        key = await server.key('Ada "the" <b>')
        server.http.cookies.set("mandalier", key)
        page = await server.http.get("/")
        told = re.search(r'<meta name="person" content="([^"]*)">', page.text)
        assert told
        assert json.loads(html.unescape(told[1]))["name"] == 'Ada "the" <b>'
        server.http.cookies.clear()
        assert 'name="person"' not in (await server.http.get("/")).text
        assert "private" in page.headers["cache-control"]

    with_page(work)


def test_a_link_to_a_table_says_what_it_is(with_page: Any) -> None:
    async def work(server: Server) -> None:
        table = await server.table(await server.key(), "stones")
        page = (await server.http.get(f"/t/{table}")).text
        assert "Mandala Stones" in page
        picture = re.search(r'"og:image" content="([^"]*)"', page)
        assert picture
        answer = await server.http.get(picture[1])
        assert answer.headers["content-type"] == "image/png"

    with_page(work)


def test_there_is_nothing_at_other_addresses(with_page: Any) -> None:
    async def work(server: Server) -> None:
        for path in ("/assets/other.js", "/built.json", "/pictures/chess.svg", "/t/x/picture.svg"):
            assert (await server.http.get(path)).status_code == 404

    with_page(work)


def test_every_game_has_its_picture(with_page: Any) -> None:
    async def work(server: Server) -> None:
        for game in GAMES:
            answer = await server.http.get(f"/pictures/{game}.svg?theme=dark")
            assert answer.text.startswith("<svg")

    with_page(work)


def test_a_code_leads_to_this_server_only(with_page: Any) -> None:
    async def work(server: Server) -> None:
        code = await server.http.get("/qr.svg", params={"path": "/t/abc"})
        assert code.headers["content-type"] == "image/svg+xml"
        for path in ("//elsewhere.example", "https://elsewhere.example", "/" + 300 * "x"):
            assert (await server.http.get("/qr.svg", params={"path": path})).status_code == 400

    with_page(work)


def test_what_a_game_offers_to_choose_is_what_its_tables_take(with_page: Any) -> None:
    async def work(server: Server) -> None:
        key = await server.key()
        for game in (await server.get("/games"))["games"]:
            for choice in game["choices"]:
                for value in choice["values"]:
                    given = {choice["name"]: value["value"]}
                    made = await server.table(key, game["name"], options=given)
                    config = (await server.get(f"/tables/{made}", key))["table"]["config"]
                    default = choice["values"][0]["value"]
                    kept = config["options"].get(choice["name"], default)
                    assert kept == value["value"]

    with_page(work)
