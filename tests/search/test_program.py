"""Bots that are programs of their own: asked line by line, killed when they misbehave, told no more
than their seat may know."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import mandalier
from mandalier.games.errors import MandalierError
from mandalier.games.game import View
from mandalier.lab.arena import Match, arena
from mandalier.search import program as program_room
from mandalier.search.bot import Budget, Candidate, bot
from mandalier.search.program import Program, ProgramError
from mandalier.server.thinkers import check_level, levels
from tests.support import some_state

HELLO = """
import json, sys, os, time
def ask(): return json.loads(sys.stdin.readline())
def say(**answer): print(json.dumps(answer), flush=True)
say(id=ask()["id"], protocol=1, name="a test")
"""
NODE = """
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const ask = JSON.parse(line);
  const answer = ask.hello ? { protocol: 1, name: "last" } : { move: ask.legal[ask.legal.length - 1] };
  console.log(JSON.stringify({ id: ask.id, ...answer }));
});
"""


class Folder:
    """Writes programs and names them as bots."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def name(self, code: str, hello: str = HELLO) -> str:
        file = self.path / "my bot.py"
        file.write_text(hello + code)
        return "program:" + shlex.join([sys.executable, str(file)])

    def __call__(self, code: str, hello: str = HELLO) -> Program:
        made = bot(self.name(code, hello), of_the_house=True)
        assert isinstance(made, Program)
        return made


@pytest.fixture
def write(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def view() -> View:
    return mandalier.deal("sand", seed=7).view(0)


def test_a_program_is_asked_with_what_its_seat_may_know_and_its_answer_is_a_thought(
    write: Folder, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
request = ask()
open("request.json", "w").write(json.dumps(request))
say(id=request["id"], move=request["legal"][2], why=["so"], candidates=[
    {"move": "m1r", "win": 0.6, "lead": 2, "visits": 9, "line": ["1 m2g"]}])
"""
    monkeypatch.chdir(write.path)
    with write(code) as program:
        thought = program.think(view, Budget(ms=500), seed=9)
    assert thought.move == view.legal()[2]
    assert thought.why == ("so",)
    assert thought.candidates == (Candidate("m1r", 0.6, 2.0, 9, ("1 m2g",)),)
    assert json.loads((write.path / "request.json").read_text()) == {
        "protocol": 1,
        "id": 1,
        "game": "sand",
        "seat": 0,
        "view": view.describe(),
        "position": view.position,
        "legal": view.legal(),
        "budget": {"ms": 500, "iterations": None},
        "seed": 9,
    }


@pytest.mark.parametrize("name", ["sand", "stones", "pyramids", "dice"])
def test_a_request_is_the_same_for_positions_a_seat_cannot_tell_apart(
    name: str, write: Folder
) -> None:
    state = some_state(name, 2, seed=3, plies=1 if name == "pyramids" else 9)
    seat = state.waiting[0]
    code = """
for line in sys.stdin:
    request = json.loads(line)
    request.pop("id")
    say(id=json.loads(line)["id"], move=str(sorted(request.items())))
"""
    with write(code) as program:
        told = {
            program.think(world.view(seat), seed=1).move
            for world in (state, *(state.view(seat).imagine(seed) for seed in range(4)))
        }
    assert len(told) == 1


ANSWER = 'request = ask()\nsay(id=request["id"], {})\n'


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ask(); sys.exit(3)", "ended with status 3"),
        ("ask(); os.kill(os.getpid(), 9)", "signal 9"),
        ("ask(); os.close(1); time.sleep(9)", "closed its output"),
        ("ask(); print('m1r', flush=True)", "one line of JSON, not m1r"),
        ("ask(); print('[' * 100000, flush=True)", "one line of JSON"),
        ("ask(); print('[1]', flush=True)", "a JSON object"),
        ("ask(); print('x' * 2000000, flush=True)", "more than 1000000"),
        ("ask(); say(id=7, move='m1r')", "answers 7, and was asked 1"),
        ("ask(); say(move='m1r')", "answers null"),
        (ANSWER.format("move=3"), "move is a text, not 3"),
        (ANSWER.format("moves='m1r'"), "no 'moves'"),
        (ANSWER.format("why=[]"), "move is a text, not nothing"),
        (ANSWER.format("move='m1r', why='x'"), "why is a list"),
        (ANSWER.format("move='m1r', why=[1]"), "list of texts"),
        (ANSWER.format("move='m1r', candidates=[1]"), "a candidate is a JSON object"),
        (ANSWER.format("move='m1r', candidates=[{'move': 'm1r'}]"), "win is a number"),
        (
            ANSWER.format(
                "move='m1r', candidates=[{'move': 'm1r', 'win': float('nan'), 'lead': 0}]"
            ),
            "win is a number",
        ),
        (ANSWER.format("error='I am lost'"), "it says: I am lost"),
    ],
)
def test_what_a_program_does_wrong_is_told_in_words(
    write: Folder, view: View, code: str, words: str
) -> None:
    with write(code) as program, pytest.raises(ProgramError, match=words.replace("[", r"\[")):
        program.think(view)


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        ("import sys; sys.stdin.readline(); print('{\"id\": 0}')", '"protocol": 1'),
        ('import sys; print(\'{"id": 0, "protocol": 2}\')', '"protocol": 1'),
        ("raise SystemExit(4)", "status 4"),
    ],
)
def test_a_program_that_greets_otherwise_is_refused(
    write: Folder, view: View, hello: str, words: str
) -> None:
    with write("", hello) as program, pytest.raises(ProgramError, match=words):
        program.think(view)


def test_a_program_that_is_too_late_is_killed_with_its_children_and_started_anew(
    write: Folder, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_room, "LATE_S", 0.5)
    code = """
import subprocess
request = ask()
if request["seed"] == 1:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open("child", "w").write(str(child.pid))
    time.sleep(60)
say(id=request["id"], move="m1r")
"""
    monkeypatch.chdir(write.path)
    with write(code) as program:
        with pytest.raises(ProgramError, match="no answer after"):
            program.think(view, Budget(ms=100), seed=1)
        child = int((write.path / "child").read_text())
        for _ in range(100):
            if not alive(child):
                break
            time.sleep(0.05)
        assert not alive(child)
        assert program.think(view, Budget(ms=100), seed=2).move == "m1r"


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_program_that_reads_nothing_does_not_block(
    write: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_room, "MOVE_S", 0.5)
    state = some_state("dice", 2, seed=3, plies=2)  # its list of throws fills a pipe
    hello = 'import time; print(\'{"id": 0, "protocol": 1}\', flush=True); time.sleep(60)'
    with write("", hello) as program, pytest.raises(ProgramError, match="no answer"):
        program.think(state.view(state.waiting[0]))


def test_it_ends_when_its_input_ends_and_is_killed_if_it_does_not(
    write: Folder, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_room, "END_S", 0.3)
    for after in ("sys.stdin.read(); open('ended', 'w').close()", "time.sleep(60)"):
        monkeypatch.chdir(write.path)
        program = write(ANSWER.format("move=str(os.getpid())") + after)
        pid = int(program.think(view).move)
        program.close()
        assert not alive(pid)
    assert (write.path / "ended").exists()


def test_what_it_says_on_standard_error_is_passed_on_with_its_name(
    write: Folder, view: View, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "print('thinking', file=sys.stderr, flush=True)\n" + ANSWER.format("move='m1r'")
    with write(code) as program:
        program.think(view)
    assert "[my bot.py] thinking\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("program", "a command"),
        ("program:", "a command"),
        ("program:no-such-program-anywhere x", "no program 'no-such-program-anywhere'"),
        ('program:python "my', "quotation"),
    ],
)
def test_a_program_that_cannot_be_is_refused_at_once(name: str, words: str) -> None:
    with pytest.raises(MandalierError, match=words):
        bot(name, of_the_house=True)


def test_a_program_remembers_nothing_from_another_seat_or_game(write: Folder) -> None:
    code = """
asked = set()
for line in sys.stdin:
    request = json.loads(line)
    asked.add(request["seat"])
    if len(asked) > 1:
        sys.exit(5)
    say(id=request["id"], move=request["legal"][0])
"""
    name = write.name(code)
    result = arena(Match.of("sand", (name, name), games=4, seed=3), workers=1)
    assert result.forfeits == []


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_a_program_in_another_language_plays(tmp_path: Path) -> None:
    file = tmp_path / "last.js"
    file.write_text(NODE)
    result = arena(Match.of("pyramids", (f"program:node {file}", "random"), games=2), workers=1)
    assert result.forfeits == []
    assert result.games == 2


def test_no_program_is_left_when_the_one_who_asked_ends(write: Folder, tmp_path: Path) -> None:
    name = write.name(ANSWER.format("move=str(os.getpid())") + "time.sleep(60)")
    asker = f"""
import mandalier
from mandalier.search.bot import bot
print(bot({name!r}, of_the_house=True).think(mandalier.deal("sand", seed=7).view(0)).move)
"""
    done = subprocess.run([sys.executable, "-c", asker], capture_output=True, text=True, check=True)
    assert not alive(int(done.stdout))


def test_only_who_runs_mandalier_may_name_a_program(view: View) -> None:
    """A name that a guest of a server sends must never run a command."""
    name = "program:" + shlex.join([sys.executable, "-c", "open('was run', 'w')"])
    asking: list[Callable[[str], object]] = [
        bot,
        lambda name: check_level(name, "sand"),
        lambda name: mandalier.bot_move(view, name),
    ]
    for asked in asking:
        with pytest.raises(MandalierError, match="no bot"):
            asked(name)
    assert "program" not in {one.name for one in levels()}
