"""``mandalier play`` with bots of all kinds: by name, with a time, explained, replaced."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mandalier.cli import main, players
from mandalier.cli.players import Players, first_there, why
from mandalier.games.game import deal, game
from mandalier.games.record import replay
from mandalier.search.bot import MAKERS, Budget, Candidate, Thought, bot
from tests.support import plays

Run = Callable[..., tuple[int, str, str]]

PROGRAM = """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    if "legal" not in ask:
        print(json.dumps({"id": ask["id"], "protocol": 1, "name": "first"}), flush=True)
    else:
        print(json.dumps({"id": ask["id"], "move": ask["legal"][0]}), flush=True)
"""


@pytest.fixture(autouse=True)
def _no_process_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "warm_up", lambda found, names: None)


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


def program(folder: Path, code: str) -> str:
    file = folder / "my_bot.py"
    file.write_text(code)
    return "program:" + shlex.join([sys.executable, str(file)])


def test_searching_bots_play_a_game_to_its_end(run: Run, tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    seats = "mcts:20,mcts:30,eager"
    status, out, err = run("play", "pyramids", "--seats", seats, "--seed", 4, "--record", record)
    assert (status, err) == (0, "")
    assert "seat 1 (mcts:30)" in out
    assert replay(json.loads(record.read_text())).over


def test_the_same_seed_gives_the_same_game_against_a_searching_bot(run: Run) -> None:
    game = ("play", "pyramids", "--seats", "mcts:20,eager", "--seed", 4)
    assert run(*game) == run(*game)


def test_a_program_plays_at_the_table(run: Run, tmp_path: Path) -> None:
    name = program(tmp_path, PROGRAM)
    status, out, err = run("play", "pyramids", "--seats", f"{name},eager", "--seed", 4)
    assert (status, err) == (0, "")
    assert "wins" in out
    assert "plays on in its place" not in out


def test_a_bot_that_fails_is_replaced_and_the_game_of_a_person_goes_on(
    run: Run, tmp_path: Path
) -> None:
    name = program(tmp_path, "import sys; sys.exit(3)")
    keys = "".join(f"{place}\n" for place in range(1, 76))
    status, out, _ = run("play", "pyramids", "--seats", f"me,{name}", "--seed", 4, keys=keys)
    assert status == 0
    assert out.count("eager plays on in its place.") == 1
    assert "win" in out


def test_a_bot_has_a_budget_of_its_own(run: Run) -> None:
    status, out, _ = run("play", "pyramids", "--seats", "mcts:1000@30it,eager", "--seed", 4)
    assert status == 0
    assert (
        out.replace("@30it", "").replace("1000", "30")
        == run("play", "pyramids", "--seats", "mcts:30,eager", "--seed", 4)[1]
    )


def test_think_gives_every_bot_that_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = []

    class Noting:
        name = "noting"

        def think(self, view: Any, budget: Budget, seed: int) -> Thought:
            budgets.append(budget)
            return Thought(view.legal()[0])

    monkeypatch.setattr(players, "bot", lambda name: Noting())
    assert run("play", "pyramids", "--seats", "eager,eager", "--think", 40)[0] == 0
    assert set(budgets) == {Budget(ms=40)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seats", "me,clever"], "there is no bot 'clever'"),
        (["--seats", "me,mcts:none"], "mcts:none"),
        (["--seats", "me,program:no-such-program-here"], "no-such-program-here"),
        (["--seats", "me,eager", "--think", "0"], "above 0"),
        (["--seats", "me,eager", "--think", "soon"], "above 0"),
    ],
)
def test_a_bad_name_or_time_gets_one_clear_line_and_status_2(
    run: Run, arguments: list[str], words: str
) -> None:
    status, out, err = run("play", "sand", *arguments)
    assert status == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert out == ""


def test_a_hint_shows_candidates_and_why(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "HINT_MS", 30.0)
    _, out, _ = run("play", "sand", "--seed", 3, "--seats", "me,eager", keys="hint\nq\n")
    told = out[out.index("seat 0 >") :].splitlines()
    shown = [line for line in told if " %  " in line]
    legal = deal("sand", 2, 3).legal()
    assert 1 <= len(shown) <= 5
    assert any(line.split()[3] in legal for line in shown)
    assert any(line.startswith("  · ") for line in told)


def test_why_explains_the_last_move_of_a_bot(run: Run) -> None:
    keys = "why\n1\nwhy\nundo\nwhy\nq\n"
    _, out, _ = run("play", "sand", "--seed", 3, "--seats", "me,mcts:50", keys=keys)
    assert out.count("No bot has moved yet.") == 2
    explained = out.split("seat 1 (mcts:50): ")[2]
    assert "·" in explained.splitlines()[1]


def test_help_lists_the_bots(run: Run) -> None:
    _, out, _ = run("play", "sand", "--seed", 3, keys="help\nq\n")
    listed = out[out.index("Bots to sit with") :]
    for name in MAKERS:
        assert name in listed


def test_the_opponent_nobody_named_is_there(run: Run) -> None:
    _, out, _ = run("play", "sand", "--seed", 3, keys="q\n")
    assert f"1: {first_there(players.OPPONENTS)}" in out


def test_a_move_is_explained_to_others_without_what_its_seat_holds() -> None:
    """The reasons a person gets depend on that person's view alone, not on what the bot told."""
    for state in plays("sand", 2, 6):
        if not state.waiting:
            continue
        seat = state.waiting[0]
        watcher = 1 - seat
        move = state.legal(seat)[0]
        secret = Thought(
            move, (Candidate(move, 0.6, 1.0), Candidate("m1r", 0.1, -9.0)), ("secret",)
        )
        told = why(state.view(watcher), secret, seat)
        assert told == why(state.view(watcher), Thought(move), seat)
        assert not any("secret" in text or "for a field" in text for text in told)
        assert why(state.view(seat), secret, seat) == ("secret",)


def test_the_compiled_rules_are_waited_for_once_and_only_by_bots_that_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from mandalier.cli import common

    waited = []

    class Warming:
        def wait(self) -> None:
            waited.append(True)

    monkeypatch.setattr(players, "warm_up", lambda found, names: Warming())
    found = game("pyramids")
    view = deal("pyramids", 2, 1).view(0)
    table = Players(found, ["mcts:10", None], common.console(), None)
    table.think(view, 1)
    table.think(view, 1)
    assert waited == [True]
    Players(found, ["eager", None], common.console(), None).think(view, 1)
    assert waited == [True]


def test_every_bot_that_may_be_named_first_is_one_that_can_be_made() -> None:
    for names in (players.OPPONENTS, players.HINTERS):
        bot(first_there(names))
