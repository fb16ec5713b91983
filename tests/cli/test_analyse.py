"""``mandalier analyse``: what it prints and how it refuses."""

from __future__ import annotations

import io
import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import mandalier
from mandalier.cli import main
from mandalier.games.record import dumps
from tests.support import plays

Run = Callable[..., tuple[int, str, str]]
QUICK = ("--bot", "mcts:20", "--ledger", "random:10", "--workers", "1")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*arguments: object, keys: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(keys.encode())))
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as exit:
            status = int(exit.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of two records, the second one unfinished."""
    file = tmp_path / "games.jsonl"
    *_, state = plays("pyramids", 2, 4)
    record = state.record()
    begun = {key: value for key, value in record.items() if key != "result"}
    begun["moves"] = record["moves"][:2]
    file.write_text(dumps(record) + "\n" + dumps(begun) + "\n")
    return file


def test_a_game_is_analysed_in_tables(run: Run, games: Path) -> None:
    status, out, err = run("analyse", games, *QUICK)
    assert (status, err) == (0, "")
    assert "judged by mcts:20" in out
    assert "accuracy" in out
    assert "Luck and play" in out
    assert "before the deal" in out
    assert "result" in out


def test_what_is_printed_in_the_ledger_adds_up(run: Run, games: Path) -> None:
    _, out, _ = run("analyse", games, *QUICK)
    rows = {}
    for line in out[out.index("Luck and play") :].splitlines():
        for title in ("before the deal", "the deal", "its play", "others' play", "result"):
            if line.strip().startswith(title):
                numbers = line.replace("%", " ").strip()[len(title) :].split()
                rows[title] = [float(number) for number in numbers]
    luck = [
        [float(x) for x in line.replace("%", " ").split("moves")[1].split()]
        for line in out.splitlines()
        if line.strip().startswith("luck after")
    ]
    parts = [value for title, value in rows.items() if title != "result"] + luck
    for column, result in enumerate(rows["result"]):
        assert sum(part[column] for part in parts) == pytest.approx(result, abs=1e-6)


def test_the_line_of_a_lesson_can_be_pasted(run: Run, games: Path) -> None:
    _, out, _ = run("analyse", games, *QUICK)
    lines = [line for line in out.splitlines() if "mandalier show '" in line]
    assert lines
    position = lines[0].split("'")[1]
    assert run("show", position)[0] == 0
    assert isinstance(mandalier.position(position), mandalier.View)


def test_one_record_is_json_and_many_are_a_line_each(run: Run, games: Path) -> None:
    _, out, _ = run("analyse", games, "--line", 2, "--json", *QUICK)
    data = json.loads(out)
    assert (data["line"], len(data["moves"]), data["result"]) == (2, 2, None)
    assert data["ledger"]["finished"] is False
    _, out, _ = run("analyse", games, "--all", "--json", *QUICK)
    assert [json.loads(line)["line"] for line in out.splitlines()] == [1, 2]


def test_records_come_from_standard_input_too(run: Run, games: Path) -> None:
    status, out, _ = run("analyse", "-", *QUICK, keys=games.read_text())
    assert status == 0
    assert "pyramids" in out


def test_one_seat_and_no_ledger(run: Run, games: Path) -> None:
    _, out, _ = run("analyse", games, "--seat", 1, "--json", "--bot", "mcts:20", "--ledger", "none")
    data = json.loads(out)
    assert {move["seat"] for move in data["moves"]} == {1}
    assert data["ledger"] is None


def test_the_same_command_gives_the_same_analysis(run: Run, games: Path) -> None:
    assert run("analyse", games, *QUICK, "--json") == run("analyse", games, *QUICK, "--json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name a file of records"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["FILE", "--line", "7"], "has no line 7"),
        (["FILE", "--bot", "clever"], "there is no bot 'clever'"),
        (["FILE", "--bot", "eager"], "eager does not say what it expects"),
        (["FILE", "--ledger", "deep"], "playouts are named"),
        (["FILE", "--ledger", "eager:1"], "playouts are named"),
        (["FILE", "--seat", "4"], "no seat 4"),
        (["FILE", "--ms", "0"], "above 0"),
        (["FILE", "--ms", "nan"], "above 0"),
        (["FILE", "--iterations", "none"], "above 0"),
        (["FILE", "--seed", "-1"], "a seed is a whole number"),
        (["FILE", "--calibrate", "sand"], "not both"),
        (["--calibrate", "chess"], "there is no game 'chess'"),
        (["--calibrate", "sand", "--players", "clever"], "there is no bot 'clever'"),
        (["--calibrate", "sand", "--games", "1", "--svg", "no/such/x.svg"], "no/such/x.svg"),
    ],
)
def test_bad_input_gets_one_clear_line_and_status_2(
    run: Run, games: Path, arguments: list[str], words: str
) -> None:
    given = [str(games) if word == "FILE" else word for word in arguments]
    status, _, err = run("analyse", *given)
    assert status == 2
    assert words in err
    assert len(err.splitlines()) == 1


def test_a_record_that_is_wrong_is_named_with_its_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "wrong.jsonl"
    *_, state = plays("pyramids", 2, 4)
    record = {**state.record(), "moves": ["0 99"]}
    file.write_text("{}\n" + dumps(record) + "\n")
    status, _, err = run("analyse", file, *QUICK)
    assert status == 2
    assert "line 1: the record has no" in err
    status, _, err = run("analyse", file, "--line", 2, *QUICK)
    assert status == 2
    assert f"{file}: line 2: ply 0" in err
    assert "place" in err


def test_calibration_prints_tables_json_and_a_picture(run: Run, tmp_path: Path) -> None:
    svg = tmp_path / "c.svg"
    how = ("--calibrate", "pyramids", "--seats", 3, "--games", 3, "--ledger", "eager:20")
    status, out, _ = run("analyse", *how, "--svg", svg)
    assert status == 0
    assert "Brier score" in out
    assert ET.parse(svg).getroot().tag.endswith("svg")
    data = json.loads(run("analyse", *how, "--json")[1])
    assert (data["game"], data["seats"], data["games"]) == ("pyramids", 3, 3)
