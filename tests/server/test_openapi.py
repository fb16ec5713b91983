"""The HTTP interface is what its OpenAPI document says, whatever it is asked: schemathesis makes the
requests from the document, right ones and wrong ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mandalier.server.protocol_docs import openapi
from mandalier.server.protocol_text import ROUTES, HttpRoute
from tests.server.harness import bearer
from tests.server.process import PATIENCE_S, Process

EXAMPLES = max(10, int(os.environ.get("MANDALIER_FUZZ", "20000")) // 1000)
ADMIN = "an admin's token of enough letters"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ASKED = [route for route in ROUTES if route.name != "stream"]  # that one does not end
KINDS = [(route, GenerationMode.POSITIVE) for route in ASKED] + [
    (route, GenerationMode.NEGATIVE)
    for route in ASKED
    if route.body or route.query or route.in_path  # else there is nothing to get wrong
]


class Place:
    """A server, and tables on it that are gathering, being played, and over."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.http = httpx.Client(base_url=process.base, timeout=PATIENCE_S)
        self.tables = [self._table(played, over) for played, over in ((0, 0), (1, 0), (1, 1))]

    def key(self) -> str:
        answer = self.http.post("/api/v1/guests", json={"name": "Ada"})
        self.http.cookies.clear()
        return str(answer.json()["token"])

    def _table(self, played: int, over: int) -> str:
        key = self.key()
        config = {"game": "sand", "fill_with": "random", "bot_pace": False, "visibility": "public"}
        answer = self.http.post("/api/v1/tables", json=config, headers=bearer(key))
        table = str(answer.json()["table"]["id"])
        begin: list[dict[str, Any]] = [{"type": "sit", "seat": 0}, {"type": "start"}]
        end: list[dict[str, Any]] = [{"type": "resign"}]
        steps = begin * played + end * over
        for step in steps:
            message = {**step, "id": str(step["type"]), "table": table}
            for _ in range(500):  # the deal follows a start a moment later
                answer = self.http.post("/api/v1/messages", json=message, headers=bearer(key))
                if answer.json()["answer"]["type"] == "done":
                    break
            else:
                raise AssertionError(answer.text)
        return table


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("openapi")
    process = Process(folder, f"--data-folder={folder}")
    loop = asyncio.new_event_loop()
    patch = pytest.MonkeyPatch()
    patch.setenv("MANDALIER_ADMIN_TOKEN", ADMIN)
    try:
        loop.run_until_complete(process.start())
        made = Place(process)
        yield made
        made.http.close()
        assert not process.log.read_text(), process.log.read_text()[:5_000]
    finally:
        loop.run_until_complete(process.stop())
        patch.undo()
        loop.close()


def cases(route: HttpRoute, mode: GenerationMode, tables: list[str]) -> Any:
    """Requests of one kind, about tables that are there and others."""
    schema = schemathesis.openapi.from_dict(openapi())
    operation = schema[route.path][route.method]
    made = [operation.as_strategy(generation_mode=mode)]
    if "table" in route.in_path:
        for table in tables:
            there = {"table": table}
            made.append(operation.as_strategy(generation_mode=mode, path_parameters=there))
    return st.one_of(made)


@pytest.mark.parametrize(("route", "mode"), KINDS, ids=lambda one: one.name.lower())
def test_whatever_the_interface_is_asked_it_answers_as_documented(
    place: Place, route: HttpRoute, mode: GenerationMode
) -> None:
    key = ADMIN if route.admin else place.key()

    @settings(max_examples=EXAMPLES)
    @given(cases(route, mode, place.tables))
    def ask(case: Any) -> None:
        response = case.call(base_url=place.process.base, headers=bearer(key))
        case.validate_response(response, checks=CHECKS)

    ask()
