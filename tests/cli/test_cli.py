"""The command line: what it prints, how it ends, and that bad input gets one clear line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mandalier
from mandalier.cli import build_parser, main
from mandalier.games.kernel import can_compile
from mandalier.games.record import dumps, replay
from tests.support import TABLES, plays

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command; the status, what it printed, and what it complained."""

    def run(*arguments: str, keys: str = "") -> tuple[int, str, str]:
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
    """A file of three records, one of them unfinished."""
    file = tmp_path / "games.jsonl"
    lines = []
    for seed in range(3):
        *_, state = plays("sand", 2, seed)
        record = state.record()
        if seed == 2:
            del record["result"]
            record["moves"] = record["moves"][:7]
        lines.append(dumps(record) + "\n")
    file.write_text("".join(lines))
    return file


def commands() -> list[str]:
    actions: Any = build_parser()._actions
    return [name for action in actions if action.dest == "command" for name in action.choices]


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    status, out, _ = run(command, "--help")
    assert status == 0
    assert f"Example: mandalier {command}" in " ".join(out.split())


def test_every_example_in_the_help_is_a_command_that_parses() -> None:
    actions: Any = build_parser()._actions
    (choices,) = [action.choices for action in actions if action.dest == "command"]
    for parser in choices.values():
        words = parser.epilog.split("mandalier ", 1)[1].split()
        assert build_parser().parse_args(words).command == words[0]


# Bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["chess"], "invalid choice"),
        (["simulate"], "GAME"),
        (["simulate", "chess"], "there is no game 'chess'"),
        (["simulate", "sand", "--seats", "3"], "2 seats, not 3"),
        (["simulate", "sand", "--seats", "two"], "--seats"),
        (["simulate", "sand", "--games", "0"], "above 0"),
        (["simulate", "sand", "--games", "-5"], "above 0"),
        (["simulate", "sand", "--workers", "0"], "above 0"),
        (["simulate", "sand", "--seed", "-1"], "a seed is a whole number"),
        (["simulate", "sand", "--seed", "99999999999999999999"], "a seed is a whole number"),
        (["simulate", "sand", "--bots", "me"], "no bot 'me'"),
        (["simulate", "sand", "--bots", ""], "no bot ''"),
        (["simulate", "sand", "--option", "x"], "NAME=VALUE"),
        (["simulate", "sand", "--option", "x=y"], "no JSON"),
        (["simulate", "sand", "--option", "x=1"], "no option"),
        (["simulate", "sand", "--data", "nowhere.toml"], "nowhere.toml"),
        (["simulate", "sand", "--games", "3", "--out", "no/such/folder/x"], "no/such/folder/x"),
        (["simulate", "sand", "--games", "3", "--out", ""], "--out: '': no file can be written"),
        (["simulate", "sand", "--games", "3", "--out", "."], "no file can be written there"),
        (["simulate", "sand", "--games", "3", "--out", "x", "--journal", "./x"], "and the journal"),
        (["simulate", "sand", "--games", "3", "--out", os.devnull], "no ordinary file"),
        (["simulate", "sand", "--seed", "x"], "'x' is no whole number"),
        (["check", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["check", "."], "directory"),
        (["legal", "nowhere.jsonl"], "No such file"),
        (["show", "nowhere.jsonl"], "No such file"),
        (["show", ""], "'': No such file"),
        (["show", "sand", "--png", "x.png", "--width", "1000000"], "10000 pixels at most"),
        (["show", "sand", "--svg", "no/such/folder/x.svg"], "no file can be written there"),
        (["show", "sand hand=zz,r"], "'z' is none of the letters"),
        (["show", "sand"], ""),
        (["show", "sand colour=3"], "no such field"),
        (["show", "sand", "--seat", "5"], "no seat 5"),
        (["show", "sand", "--ply", "0"], "--ply does not go with a fresh deal"),
        (["show", "sand", "--line", "2"], "--line does not go with a fresh deal"),
        (["show", "nowhere.jsonl", "--seats", "3"], "--seats does not go with a record"),
        (["show", "nowhere.jsonl", "--option", "x=1"], "--option does not go with a record"),
        (["show", "stones seats=2", "--data", "x.toml"], "--data does not go with a position"),
        (["perft", "stones seats=2", "--seats", "3"], "--seats does not go with a position"),
        (["perft", "chess"], "no game"),
        (["perft", "sand", "--depth", "0"], "above 0"),
        (["perft", "sand", "--depth", "1000"], "never end"),
        (["play", "chess"], "no game"),
        (["play", "sand", "--seats", "me,clever"], "no bot 'clever'"),
        (["play", "sand", "--seats", "me,program:no-such-program"], "no program"),
        (["play", "sand", "--seats", "me,me,me"], "2 seats"),
        (["play", "pyramids", "--seats", "9"], "not 9"),
        (["play", "pyramids", "--seats", "9" * 5000], "seats, not 999999999"),
        (["play", "sand", "--record", "no/such/folder/x"], "no file can be written there"),
        (["film", "nowhere.jsonl", "--gif", "no/such/x.gif"], "no file can be written there"),
        (["film", "x.jsonl", "--gif", "x.gif", "--hold", "60001"], "60000 milliseconds at most"),
        (["dice", "throw", "--icon", "F", "--lying", "foo"], "'foo' is no die"),
        (["dice", "throw", "--icon", "L", "--speed", "9999"], "it is from 400 to 1250"),
        (["dice", "error", "--lying", "99"], "23 at most"),
        (["dice", "error", "--seed", "-1"], "a seed is a whole number"),
        (["dice", "scatter", "--throws", "1"], "needs two throws or more"),
        (["dice", "scatter", "--seed", "-1"], "a seed is a whole number"),
        (["dice", "bank", "--out", "bank.npy", "--seed", "-1"], "a seed is a whole number"),
        (["dice", "bank", "--out", "no/such/bank.npy"], "no file can be written there"),
        (["--lang", "xx", "simulate"], "xx"),
    ],
)
def test_bad_input_gets_one_clear_line_and_status_2(
    run: Run, arguments: list[str], words: str
) -> None:
    status, _, err = run(*arguments)
    if not words:
        assert (status, err) == (0, "")
        return
    assert status == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err


# check


def test_check_says_all_right_and_status_0(run: Run, games: Path) -> None:
    status, out, _ = run("check", games)
    assert (status, out) == (0, "3 records: all right\n")


def test_check_names_file_line_ply_and_reason(run: Run, games: Path) -> None:
    lines = games.read_text().splitlines()
    record = json.loads(lines[1])
    record["moves"][4] = "0 m1z"
    lines[1] = dumps(record)
    games.write_text("\n".join(lines))
    status, out, _ = run("check", games)
    assert status == 1
    first, last = out.splitlines()
    assert first.startswith(f"{games}: line 2: ply 4: 'm1z': a move looks like")
    assert last == "3 records: 1 is wrong"


def test_check_as_json_is_for_programs(run: Run, games: Path) -> None:
    games.write_text(games.read_text() + "no record\n")
    status, out, _ = run("check", games, "--json")
    found = json.loads(out)
    assert status == 1
    assert (found["records"], found["wrong"]) == (3, 1)
    assert found["faults"][0]["line"] == 4
    assert found["faults"][0]["ply"] is None


def test_check_reads_standard_input(games: Path) -> None:
    command = [sys.executable, "-m", "mandalier", "check", "-"]
    with open(games, "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "3 records: all right\n")


def test_check_shows_only_so_many_faults_and_counts_them_all(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_text("{}\n" * 50)
    status, out, _ = run("check", file, "--faults", "3")
    assert status == 1
    assert len(out.splitlines()) == 4
    assert "50 are wrong" in out


def test_checks_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    *_, state = plays("pyramids", 2, 1)
    line = dumps(state.record()) + "\n"
    code = """
import sys, tracemalloc
from mandalier.cli import main
main(["check", sys.argv[1]])
tracemalloc.start()
main(["check", sys.argv[1]])
print(tracemalloc.get_traced_memory()[1] // 1024)
"""
    sizes = []
    for n in (100, 10_000):
        file = tmp_path / f"{n}.jsonl"
        file.write_text(line * n)
        done = subprocess.run(
            [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
        )
        *_, last = done.stdout.splitlines()
        sizes.append(int(last))
    assert sizes[1] < sizes[0] + 300, f"{sizes} kB at most"


def test_a_line_without_end_is_refused_without_reading_it_whole(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    file.write_text("x" * 25_000_000 + "\n{}\n")
    status, out, _ = run("check", file)
    assert status == 1
    assert "line 1: a line of" in out
    assert "line 2: the record has no" in out


# legal and show


def test_legal_lists_the_moves_before_an_entry(run: Run, games: Path) -> None:
    record = json.loads(games.read_text().splitlines()[1])
    for ply in range(0, 40, 3):
        status, out, _ = run("legal", games, "--line", "2", "--ply", ply)
        state = replay(record, ply)
        assert status == 0
        assert out.split() == (state.legal() if state.waiting else [])
    assert "m1" in run("legal", games, "--ply", "0")[1]


def test_legal_before_a_shuffle_lists_nothing(run: Run, games: Path) -> None:
    record = json.loads(games.read_text().splitlines()[0])
    ply = next(i for i, entry in enumerate(record["moves"]) if entry.startswith("*"))
    assert (
        run("legal", games, "--ply", ply) == (0, "\n", "")
        or run("legal", games, "--ply", ply)[1] == ""
    )


def test_legal_says_what_is_wrong_with_its_place(run: Run, games: Path) -> None:
    status, _, err = run("legal", games, "--line", "9")
    assert (status, "has no line 9" in err) == (2, True)
    status, _, err = run("legal", games, "--ply", "999")
    assert (status, "ply is a number from 0" in err) == (2, True)


def test_show_prints_a_position_text_that_show_reads(run: Run, games: Path) -> None:
    _, line, _ = run("show", games, "--line", "3", "--text")
    assert isinstance(mandalier.position(line), mandalier.State)
    _, board, _ = run("show", line.strip())
    assert board == run("show", games, "--line", "3")[1]
    assert "mandala 1" in board


def test_show_as_a_seat_or_a_spectator_keeps_secrets(run: Run, games: Path) -> None:
    _, seat, _ = run("show", games, "--line", "3", "--seat", "1")
    assert "hidden" in seat
    _, spectator, _ = run("show", games, "--line", "3", "--spectator", "--json")
    assert json.loads(spectator)["seats"][0]["hand"] is None


def test_nothing_is_coloured_when_nobody_looks(run: Run, games: Path) -> None:
    assert "\x1b" not in run("show", games)[1]


# perft and simulate


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_perft_of_one_move_is_the_number_of_legal_moves(run: Run, name: str, seats: int) -> None:
    _, out, _ = run("perft", name, "--seats", seats, "--seed", "4", "--depth", "1", "--json")
    state = mandalier.deal(name, seats, 4)
    assert json.loads(out)["perft"] == {"1": sum(len(state.legal(seat)) for seat in state.waiting)}


def test_perft_of_a_position_text(run: Run) -> None:
    line = mandalier.deal("pyramids", 2, 1).position
    _, out, _ = run("perft", line, "--depth", "2")
    assert [row.split()[1] for row in out.splitlines()] == ["75", "5,476"]
    status, _, err = run("perft", mandalier.deal("sand", 2, 1).view(0).position)
    assert (status, "this is a view" in err) == (2, True)


def test_simulate_prints_a_table_or_json(run: Run) -> None:
    status, out, _ = run("simulate", "sand", "--games", "50", "--seed", "3", "--workers", "1")
    assert status == 0
    assert "50 games" in out
    _, out, _ = run("simulate", "sand", "--games", "50", "--seed", "3", "--workers", "1", "--json")
    assert json.loads(out)["games"] == 50


def test_simulate_writes_records_that_check(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run("simulate", "stones", "--games", "30", "--seats", "3", "--out", out)[0] == 0
    assert run("check", out)[1] == "30 records: all right\n"
    status, _, err = run("simulate", "stones", "--games", "31", "--seats", "3", "--out", out)
    assert (status, "another run" in err) == (2, True)


def test_a_reader_that_leaves_is_no_error(games: Path) -> None:
    command = f"{sys.executable} -m mandalier show {games} | true"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_bench_prints_figures_or_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if not can_compile():
        pytest.skip("measures compiled rules")
    monkeypatch.setattr("mandalier.lab.bench.LIMIT_GAMES", 50)
    monkeypatch.setattr("mandalier.lab.bench.COPIES", 1000)
    status, out, _ = run("bench", "--only", "engines", "--only", "copy", "--repeat", "1", "--json")
    found = json.loads(out)
    assert status == 0
    assert set(found) == {"machine", "engines", "copy"}
    for table in found["engines"].values():
        assert table["moves_per_s"] > 0
        assert table.get("same_games", True)
    assert "sand" in run("bench", "--only", "copy", "--repeat", "1")[1]


# play


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_whole_game_can_be_played_by_numbers(
    run: Run, tmp_path: Path, name: str, seats: int
) -> None:
    record = tmp_path / "played.jsonl"
    game = ["play", name, "--seats", seats, "--seed", "5", "--record", record]
    keys = "1\n" * 500 if name != "pyramids" else "".join(f"{place}\n" for place in range(1, 76))
    status, out, err = run(*game, *(["--surrogate"] if name == "dice" else []), keys=keys)
    assert (status, err) == (0, "")
    assert "win" in out
    assert replay(json.loads(record.read_text())).over
    assert run("check", record)[0] == 0


def test_the_table_explains_refuses_undoes_and_hints(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "saved.jsonl"
    keys = [
        "help",
        "rules",
        "moves",
        "",
        "m1q",
        "f1k9",
        "hint",
        "undo",
        "1",
        "log",
        "undo",
        "board",
    ]
    status, out, _ = run(
        "play", "sand", "--seed", "3", keys="\n".join([*keys, "save", f"save {saved}", "quit", ""])
    )
    assert status == 0
    assert "place a red card on mountain 1" in out
    assert "two mandalas" in out.lower()
    assert "a move looks like" in out
    assert "There is nothing to take back." in out
    assert "Name a file" in out
    assert json.loads(saved.read_text())["moves"] == []


def test_the_table_lists_the_moves_that_begin_like_this(run: Run) -> None:
    _, out, _ = run("play", "sand", "--seed", "3", keys="moves f2\nq\n")
    listed = [
        line.split()[1]
        for line in out.splitlines()
        if line.split()[:1] and line.split()[0].isdigit()
    ]
    assert listed
    assert all(move.startswith("f2") for move in listed)


def test_two_people_at_one_keyboard_do_not_see_each_others_hands(run: Run) -> None:
    _, out, _ = run("play", "sand", "--seats", "me,me", "--seed", "3", keys="\n1\n\n1\nq\n")
    assert out.count("press Enter when nobody else looks") >= 2
    for board in out.split("press Enter when nobody else looks")[1:]:
        assert board.count("hidden") >= 2 or "hand:" not in board


def test_who_comes_to_the_keyboard_is_told_what_the_other_played(run: Run) -> None:
    keys = "\n1\n\nlog\nq\n"
    _, out, _ = run("play", "sand", "--seats", "me,me", "--seed", "3", keys=keys)
    mine, theirs = out.split("press Enter when nobody else looks")[1:]
    played = next(line for line in mine.splitlines() if "seat 0 (me): " in line)
    assert played[played.index("seat 0 (me)") :] in theirs[: theirs.index("as seat 1 sees it")]


@pytest.mark.parametrize("bots", [["eager", "me"], ["eager", "greedy", "me"]])
def test_what_a_bot_prepares_is_told_once_all_have_chosen(run: Run, bots: list[str]) -> None:
    asked = ("play", "dice", "--surrogate", "--seats", ",".join(bots), "--seed", "5")
    keys = "log\nwhy\nready LD\nlog\nundo\nlog\nq\n"
    _, out, _ = run(*asked, keys=keys)
    me = len(bots) - 1
    before, first_log, why, after, second_log, undone, third_log, *_ = out.split(f"seat {me} > ")
    assert "seat 0 (eager) has chosen, in secret." in before
    assert "ready" not in before
    assert first_log.count("…") == me
    assert "ready" not in first_log
    assert "still a secret" in why
    for seat, bot in enumerate(bots[:-1]):
        assert f"seat {seat} ({bot}): ready " in after
        assert f"{bot} {seat}: ready " in second_log
    assert "ready" not in undone
    assert third_log.count("…") == me


def test_the_pictures_of_bots_are_told_when_the_game_is_over(run: Run) -> None:
    asked = ("play", "dice", "--surrogate", "--seats", "random,me", "--seed", "2")
    _, out, _ = run(*asked, keys="1\n" * 200)
    exhibition = out[out.index("pictures of") :]
    assert "seat 0 (random): keep" not in exhibition
    assert out.count("seat 0 (random) has chosen, in secret.") == 5  # four rounds, and at the end
    assert "You win." in out


def test_the_log_keeps_the_order_of_a_shuffled_deck(run: Run) -> None:
    asked = ("play", "sand", "--seats", "me,random", "--seed", "3")
    _, out, _ = run(*asked, keys="1\nlog\n" * 60)
    assert "shuffled into a new deck" in out
    assert "*: …" in out
    assert "*: shuffle" not in out


def test_bots_alone_play_to_the_end(run: Run) -> None:
    _, out, _ = run("play", "pyramids", "--seats", "greedy,random,greedy", "--seed", "2")
    assert "wins" in out


def test_the_end_of_the_input_leaves_the_table_quietly(run: Run) -> None:
    assert run("play", "sand", "--seed", "3", keys="")[0] == 0
    assert run("play", keys="9\nx\nsand\n")[0] == 0
    assert run("play", keys="q\n")[0] == 0


def test_a_record_file_that_cannot_be_written_is_told(run: Run, tmp_path: Path) -> None:
    status, out, err = run("play", "sand", "--record", tmp_path / "no" / "x", keys="q\n")
    assert (status, out) == (2, "")  # before the game, not after it
    assert "no file can be written there" in err


def test_the_table_takes_any_nonsense_for_a_move_that_is_none(run: Run) -> None:
    nonsense = ["9" * 5000, "save a\0b", "\0", "[bold]", "moves \x1b[31m", "0", "-1", "undo", "why"]
    status, out, err = run("play", "sand", "--seed", "3", keys="\n".join([*nonsense, "q"]))
    assert (status, err) == (0, "")
    assert "no file can have this name" in out


def test_leaving_by_an_interrupt_keeps_the_record(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed = iter(["9"])

    def answer(_: str = "") -> str:
        try:
            return next(typed)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("builtins.input", answer)
    kept = tmp_path / "game.jsonl"
    status, _, err = run(
        "play", "pyramids", "--seats", "me,random", "--seed", "1", "--record", kept
    )
    assert (status, err.strip()) == (130, "")
    (line,) = kept.read_text().splitlines()
    assert json.loads(line)["moves"][0] == "0 9"


def test_help_tells_of_numbers_only_where_they_are_no_moves(run: Run) -> None:
    words = "play the move with this number"
    assert words in run("play", "sand", "--seats", "me,random", keys="help\nq\n")[1]
    assert words not in run("play", "pyramids", "--seats", "me,random", keys="help\nq\n")[1]


def test_a_terminal_gets_lines_broken_between_words(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    rules = ("play", "sand", "--seats", "me,random", "--seed", "3")
    as_it_is = run(*rules, keys="rules\nq\n")[1]
    monkeypatch.setattr("mandalier.cli.common.sys.stdout.isatty", lambda: True)
    broken = run(*rules, keys="rules\nq\n")[1]
    goal = broken[broken.index("Two mandalas lie") : broken.index("after the deck.")]
    assert max(map(len, goal.splitlines())) <= 50
    assert " ".join(goal.split()) in as_it_is


def test_a_screen_that_lacks_a_letter_gets_it_spelt(games: Path) -> None:
    for command in (("show", "sand", "--seed", "3"), ("show", str(games), "--json")):
        done = subprocess.run(
            [sys.executable, "-m", "mandalier", "--lang", "fr", *command],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.stdout.isascii()
    assert json.loads(done.stdout)["game"] == "sand"


def test_bench_without_compiled_rules_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANDALIER_JIT", "0")
    status, _, err = run("bench", "--only", "copy")
    assert (status, len(err.splitlines())) == (2, 1)
    assert "numba is needed" in err


def test_a_warning_is_one_line_without_a_place_in_the_program(tmp_path: Path) -> None:
    package = tmp_path / "numba"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('Numba needs another NumPy')")
    path = os.pathsep.join([str(tmp_path), str(Path(mandalier.__file__).parent.parent)])
    done = subprocess.run(
        [sys.executable, "-m", "mandalier", "simulate", "pyramids", "--games", "2", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path, "MANDALIER_JIT": "1"},
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith("mandalier: rules are not compiled, as numba fails")


def test_the_module_runs_like_the_command(games: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mandalier", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"mandalier {mandalier.__version__}"


def test_the_language_may_be_named_anywhere(run: Run) -> None:
    first = run("--lang", "fr", "simulate", "chess")
    assert run("simulate", "chess", "--lang", "fr") == first
    assert run("simulate", "--lang=fr", "chess") == first
    assert "n'y a pas" in first[2] or "jeu" in first[2]


def test_an_interrupt_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mandalier.cli.simulate.simulate", interrupted)
    status, _, err = run("simulate", "sand")
    assert (status, err.strip()) == (130, "")


def test_the_language_of_the_environment_is_spoken(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MANDALIER_LANG", "fr")
    french = run("simulate", "chess")[2]
    assert french != run("--lang", "en", "simulate", "chess")[2]
    assert os.environ["MANDALIER_LANG"] == "fr"
