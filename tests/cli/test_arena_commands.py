"""`mandalier arena` and `mandalier ladder`: what they print, write and refuse."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mandalier.cli import main
from mandalier.lab.match import Played, play_game


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as exit:
        status = int(exit.code or 0)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_match_tells_elo_wins_and_lead_with_intervals_and_its_origin(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(
        capsys,
        "arena",
        "sand",
        "--bots",
        "eager,greedy",
        "--games",
        "20",
        "--seed",
        "7",
        "--workers",
        "1",
    )
    assert status == 0
    assert out.startswith("sand/2 eager v greedy, 20 games, seed 7, commit ")
    assert " to " in out
    assert "ended by: " in out


def test_with_json_a_program_can_read_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys,
        *("arena", "pyramids", "--seats", "3", "--bots", "eager,greedy,random", "--games", "7"),
        *("--seed", "7", "--workers", "1", "--iterations", "5", "--json"),
    )
    data = json.loads(out)
    assert status == 0
    assert data["games"] == 9  # whole deals
    assert data["bots"] == ["eager@5it", "greedy@5it", "random@5it"]
    assert [standing["bot"] for standing in data["standings"]] == data["bots"]
    assert sum(standing["share"] for standing in data["standings"]) == pytest.approx(1)


def test_dice_are_thrown_from_the_bank_unless_physics_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = (
        "arena",
        "dice",
        "--bots",
        "random,random",
        "--games",
        "1",
        "--seed",
        "7",
        "--workers",
        "1",
        "--json",
    )
    assert json.loads(run(capsys, *one)[1])["options"] == {"outcomes": "surrogate"}
    assert json.loads(run(capsys, *one, "--physics")[1])["options"] == {}


def test_a_clear_match_says_why_it_stopped_early(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(
        capsys,
        *("arena", "sand", "--bots", "eager,random", "--games", "400", "--seed", "7"),
        *("--stop-early", "--workers", "1"),
    )
    assert "stopped early: eager is stronger than +0 Elo" in out


def test_ctrl_c_keeps_what_was_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out_file = tmp_path / "games.jsonl"
    command = (
        "arena",
        "sand",
        "--bots",
        "eager,random",
        "--games",
        "20",
        "--seed",
        "7",
        "--workers",
        "1",
        "--out",
        out_file,
    )

    def interrupted(seats: object, number: int, is_stopped: object) -> object:
        if number == 7:
            raise KeyboardInterrupt
        return play_game(seats, number, is_stopped)  # type: ignore[arg-type]

    monkeypatch.setattr("mandalier.lab.arena.play_game", interrupted)
    status, out, _ = run(capsys, *command)
    assert status == 130
    assert "stopped after 6 of 20 games" in out
    assert len(out_file.read_text().splitlines()) == 7
    monkeypatch.setattr("mandalier.lab.arena.play_game", play_game)
    status, out, _ = run(capsys, *command)
    assert status == 0
    assert "20 games" in out
    assert len(out_file.read_text().splitlines()) == 20


def test_forfeits_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(
        capsys,
        "arena",
        "sand",
        "--bots",
        "random,greedy",
        "--games",
        "20",
        "--limit",
        "1e-9",
        "--workers",
        "1",
    )
    assert "at seat 0 forfeits (late): no move after 1e-09 seconds" in out
    assert "15 more forfeits" in out


def test_a_ladder_is_printed_written_and_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = (
        "ladder",
        "sand",
        "--bots",
        "random,greedy,eager",
        "--games",
        "8",
        "--workers",
        "1",
        "--out",
        tmp_path,
    )
    status, out, _ = run(capsys, *command)
    assert status == 0
    assert "above the next" in out
    data = json.loads((tmp_path / "sand-2.json").read_text())
    assert data["rungs"][0]["bot"] == "eager"
    assert (tmp_path / "sand-2.svg").read_text().startswith("<svg")
    assert json.loads(run(capsys, *command, "--json")[1]) == data


def test_a_game_kept_in_a_journal_comes_back_as_it_was() -> None:
    played = Played(3, (0.5, 0.5), (4, 4), "deck", (2, 2), (0.1, 0.2), (0.1, 0.1), {"seat": 1})
    assert Played.of(json.loads(json.dumps(played.data()))) == played


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["arena"], "GAME"),
        (["arena", "sand"], "--bots"),
        (["arena", "chess", "--bots", "random,random"], "there is no game 'chess'"),
        (["arena", "sand", "--bots", "random"], "between 2 bots, not 1"),
        (["arena", "sand", "--bots", "random,"], "no bot ''"),
        (["arena", "sand", "--bots", "random,clever"], "no bot 'clever'"),
        (["arena", "sand", "--bots", "random,greedy", "--games", "0"], "above 0"),
        (["arena", "sand", "--bots", "random,greedy", "--ms", "0"], "above 0"),
        (["arena", "sand", "--bots", "random,greedy", "--ms", "-3"], "above 0"),
        (["arena", "sand", "--bots", "random,greedy", "--limit", "0"], "above 0"),
        (["arena", "sand", "--bots", "random,greedy", "--seats", "3"], "2 seats, not 3"),
        (["arena", "sand", "--bots", "random,greedy", "--stop-early", "50"], "0:50"),
        (["arena", "sand", "--bots", "random,greedy", "--stop-early=50:0"], "below the second"),
        (
            ["arena", "sand", "--bots", "random,greedy", "--stop-early", "--error", "1"],
            "error rate",
        ),
        (["arena", "sand", "--bots", "random,program:no-such-thing"], "no program"),
        (["arena", "sand", "--bots", "random,program:'x"], "quote"),
        (["arena", "sand", "--bots", "random,greedy", "--out", "no/such/folder"], "no/such/folder"),
        (["ladder", "sand", "--bots", "random"], "two bots"),
        (["ladder", "sand", "--bots", "random,random"], "twice"),
        (["ladder", "sand", "--games", "0"], "above 0"),
    ],
)
def test_bad_input_gets_one_clear_line_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1


SLOW = """
import time
from mandalier.search.bot import Thought

class Slow:
    name = "slow"
    def __init__(self, name): pass
    def think(self, view, budget=None, seed=0):
        time.sleep(0.002)
        return Thought(view.legal()[0])
"""
RUN = """
import signal, sys
from mandalier.cli import main
from mandalier.search.bot import MAKERS

MAKERS["slow"] = ("slow", "Slow")
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main({arguments}))
"""


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is a signal")
def test_ctrl_c_ends_workers_too_and_what_was_played_counts(tmp_path: Path) -> None:
    journal = tmp_path / "match.journal"
    arguments = ["arena", "sand", "--bots", "slow,random", "--games", "400", "--seed", "7"]
    arguments += ["--workers", "2", "--json", "--journal", str(journal)]
    (tmp_path / "slow.py").write_text(SLOW)
    script = tmp_path / "run.py"
    script.write_text(RUN.format(arguments=arguments))
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # the signal is for the whole group, as from a terminal
    ) as running:
        try:
            for _ in range(600):
                if journal.exists() and journal.read_text().count("\n") > 3:
                    break
                time.sleep(0.1)
            os.killpg(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    data = json.loads(out)
    assert (running.returncode, err.strip()) == (130, "")
    assert data["interrupted"]
    assert 2 <= data["games"] < 400
    assert data["forfeits"] == []


PROGRAM = """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    say = {"protocol": 1} if "hello" in ask else {"move": MOVE}
    print(json.dumps({"id": ask["id"], **say}), flush=True)
"""


def test_a_program_and_a_searching_bot_sit_at_the_terminal_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "last.py"
    file.write_text(PROGRAM.replace("MOVE", 'ask["legal"][-1]'))
    name = f"program:{shlex.join([sys.executable, str(file)])}"
    status, out, _ = run(capsys, "play", "pyramids", "--seats", f"{name},mcts:5", "--seed", "7")
    assert status == 0
    assert f"seat 0 ({name}): 75" in out
    assert "seat 1 (mcts:5): " in out


def test_a_program_that_plays_what_is_forbidden_ends_the_game_with_the_rule_and_the_record(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, record = tmp_path / "last.py", tmp_path / "games.jsonl"
    file.write_text(PROGRAM.replace("MOVE", '"0"'))
    name = f"program:{shlex.join([sys.executable, str(file)])}"
    status, _, err = run(
        capsys, "play", "pyramids", "--seed=1", "--seats", f"random,{name}", "--record", record
    )
    assert status == 2
    assert "seat 1" in err
    assert "Legal here" in err
    assert len(record.read_text().splitlines()) == 1
