"""What the HTTP interface lists, and what it says where there is nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from mandalier.games.game import GAMES
from tests.server.harness import Server, bearer, run, running


async def over(server: Server, **config: Any) -> tuple[str, str, str]:
    """A game that seat 0 has given up: the table and both keys."""
    async with server.seated(**config) as (one, other):
        await one.done("resign")
        await other.until(lambda c: c.status == "over")
        return one.table, one.key, other.key


def test_results_are_listed_for_their_people_and_at_public_tables_for_all(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path / "t.db") as server:
            hidden, key, _ = await over(server)
            shown, _, winner = await over(server, visibility="public")
            await server.hall._write_notes()
            mine = (await server.get("/me/results", key))["results"]
            assert [result["table"] for result in mine] == [hidden]
            assert (mine[0]["mine"], mine[0]["outcome"]["winners"]) == ([0], [1])
            assert mine[0]["outcome"]["reason"] == "resigned"
            assert (await server.get("/me/results", winner))["results"][0]["mine"] == [1]
            for query in ("", "?game=sand"):
                public = await server.get(f"/results{query}")
                assert [result["table"] for result in public["results"]] == [shown]
            assert (await server.get("/results?game=dice"))["results"] == []
            before = public["results"][0]["started"]
            assert (await server.get(f"/results?before={before}"))["results"] == []

    run(work())


def test_a_long_list_comes_in_pages_without_gap_or_repetition(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path / "t.db") as server:
            server.hall.most_open_tables = 60
            key = await server.key()
            made = [await server.table(key, visibility="public") for _ in range(60)]
            seen, query = [], ""
            while True:
                page = await server.get(f"/tables{query}")
                seen += [table["id"] for table in page["tables"]]
                if page["next"] is None:
                    break
                query = f"?before={page['next']}"
            assert sorted(seen) == sorted(made)

    run(work())


def test_a_refusal_over_http_shows_how_things_stand(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path / "t.db") as server, server.seated() as (one, _):
            body = {"type": "move", "id": "x", "table": one.table, "at": 1, "move": "m1r"}
            sent = await server.http.post("/api/v1/messages", json=body, headers=bearer(one.key))
            answer = sent.json()["answer"]
            assert answer["code"] == "stale"
            assert answer["position"]["at"] == one.at
            assert answer["position"]["seat"] == 0
            stranger = await server.key("Eve")
            sent = await server.http.post("/api/v1/messages", json=body, headers=bearer(stranger))
            assert sent.json()["answer"]["position"]["seat"] is None

    run(work())


def test_a_table_nobody_may_watch_shows_nothing_in_a_refusal(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            running(tmp_path / "t.db") as server,
            server.seated(spectators=False) as (one, _),
        ):
            body = {"type": "move", "id": "x", "table": one.table, "at": 1, "move": "m1r"}
            stranger = await server.key("Eve")
            sent = await server.http.post("/api/v1/messages", json=body, headers=bearer(stranger))
            assert sent.json()["answer"]["position"] is None

    run(work())


def test_where_there_is_nothing_programs_are_told_so_as_json(tmp_path: Path) -> None:
    async def work() -> None:
        async with running(tmp_path / "t.db") as server:
            missing = await server.http.get("/api/v1/nothing")
            assert (missing.status_code, missing.json()["code"]) == (404, "not_there")
            wrong = await server.http.post("/api/v1/games")
            assert (wrong.status_code, wrong.json()["code"]) == (405, "not_there")
            assert set(wrong.headers["allow"].split(", ")) == {"GET", "HEAD"}
            page = await server.http.get("/nothing")
            assert page.status_code == 404
            assert page.headers["content-type"].startswith("text/plain")

    run(work())


def test_a_game_under_rules_the_server_has_not_is_left_alone_and_spoils_no_list(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        async with running(tmp_path / "t.db") as server:
            async with server.seated(visibility="public") as (one, _):
                old, key = one.table, one.key
            new = await server.table(key, visibility="public")
            await server.hall._write_notes()
            rows = await server.hall.store.rows(
                "SELECT seq, data FROM events WHERE tbl = ? AND kind = 'deal'", (old,)
            )
            ((seq, data),) = rows
            dealt = msgspec.json.decode(data)
            assert dealt["rules"] == GAMES["sand"].module.RULES
            dealt["rules"] += 1
            changed = msgspec.json.encode(dealt).decode()
            await server.hall.store.write(
                ("UPDATE events SET data = ? WHERE tbl = ? AND seq = ?", (changed, old, seq))
            )
            server.hall.drop(server.hall.tables[old])
            answer = await server.http.get(f"/api/v1/tables/{old}")
            assert (answer.status_code, answer.json()["code"]) == (409, "old_rules")
            assert "version 2 of the rules of Mandala" in answer.json()["reason"]
            listed = (await server.get("/tables"))["tables"]
            assert [table["id"] for table in listed] == [new]

    run(work())
