"""Fair deals: what is dealt follows from the secret and the words, and whoever cheats is named."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mandalier.cli import main
from mandalier.games.errors import RecordError
from mandalier.games.game import State
from mandalier.games.record import replay
from mandalier.server.fairness import (
    Fair,
    FairnessError,
    Gathering,
    Noted,
    SheetChecker,
    check_sheet_form,
    commitment_of,
    seal_of,
)
from tests.support import OPTIONS, TABLES, state_bytes

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "fair_check.py"
SECRET = bytes(range(32))
MEETS_A_RESHUFFLE = 1  # the moves of this seed, at sand


def fair_of(seats: int) -> Fair:
    """Seat 0 says its word openly, seat 1 seals it, the others say none."""
    gathering = Gathering(seats, SECRET)
    gathering.word(0, "lighthouse")
    gathering.seal(1, seal_of("mañana"))
    gathering.close()
    gathering.word(1, "mañana")
    return gathering.fair()


def played(name: str, seats: int, options: dict[str, Any], plies: int = 10_000) -> State:
    fair, chooser = fair_of(seats), random.Random(MEETS_A_RESHUFFLE)
    state = fair.deal(name, options)
    while not state.over and len(state.log) < plies:
        seat = chooser.choice(state.waiting)
        fair.play(state, chooser.choice(state.legal(seat)), seat)
    return state


@cache
def _sheet(name: str, seats: int) -> dict[str, Any]:
    state = played(name, seats, OPTIONS.get(name, {}))
    return fair_of(seats).sheet(state.record(), over=state.over)


def sheet_of(name: str, seats: int = 2) -> dict[str, Any]:
    """The fair sheet of a whole game, to be spoilt."""
    return copy.deepcopy(_sheet(name, seats))


def fault_of(sheet: dict[str, Any], noted: Noted | None = None) -> str:
    """What the checker says of a line; "" if nothing."""
    found = list(SheetChecker(noted).faults([json.dumps(sheet)]))
    return str(found[0]) if found else ""


def reshuffle_at(sheet: dict[str, Any]) -> int:
    return next(i for i, entry in enumerate(sheet["record"]["moves"]) if entry[0] == "*")


def swapped(text: str) -> str:
    """The text with two unlike neighbours changed over."""
    i = next(i for i in range(len(text) - 1) if text[i] != text[i + 1])
    return text[:i] + text[i + 1] + text[i] + text[i + 2 :]


# The derivation --------------------------------------------------------------------------------


def test_seeds_are_derived_as_the_page_says() -> None:
    tag, fair = b"mandalier fair 1\n", fair_of(3)
    assert fair.commitment == hashlib.sha256(tag + b"commitment\n" + SECRET).hexdigest()
    lines = f"0 {b'lighthouse'.hex()}\n1 {'mañana'.encode().hex()}\n2 -\n".encode()
    key = hmac.new(SECRET, tag + b"words\n" + lines, "sha256").digest()
    deal = hmac.new(key, tag + b"deal\n", "sha256").digest()
    third = hmac.new(key, tag + b"chance 3\n", "sha256").digest()
    assert fair.deal_seed == int.from_bytes(deal[:8], "big") // 2
    assert fair.chance_seed(3) == int.from_bytes(third[:8], "big") // 2
    assert fair.deal_seed < 2**63


def test_every_secret_word_and_chance_gives_a_seed_of_its_own() -> None:
    fairs = [
        Fair(secret, words, (None, None))
        for secret in (SECRET, bytes(32))
        for words in ((None, None), ("a", None), (None, "a"), ("a", "a"), ("", None), ("-", None))
    ]
    seeds = [seed for f in fairs for seed in (f.deal_seed, f.chance_seed(1), f.chance_seed(11))]
    assert len(set(seeds)) == len(seeds)


def test_chance_does_not_depend_on_what_was_drawn_before() -> None:
    sheet = sheet_of("sand")
    at = reshuffle_at(sheet)
    restarted = replay(sheet["record"], at, seed=999)  # as after a restart of the server
    fair_of(2).roll(restarted)
    assert restarted.log[-1] == sheet["record"]["moves"][at]


def test_reseed_decides_what_chance_draws() -> None:
    sheet = sheet_of("sand")
    drawn: list[str] = []
    for seed in (1, 1, 2):
        state = replay(sheet["record"], reshuffle_at(sheet), seed=len(drawn))
        state.reseed(seed)
        state.roll()
        drawn.append(state.log[-1])
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_game_comes_back_from_what_the_store_keeps() -> None:
    fair = fair_of(3)
    assert Fair.restored(json.loads(json.dumps(fair.kept()))) == fair
    gathering = Gathering(2, SECRET)
    gathering.word(1, "x")
    again = Gathering.restored(json.loads(json.dumps(gathering.kept())))
    assert again.fair() == gathering.fair()


# Before the deal -------------------------------------------------------------------------------


def test_a_seat_that_never_says_a_word_does_not_stop_the_game() -> None:
    gathering = Gathering(2)
    assert gathering.fair().deal("pyramids").waiting == (0,)
    sealed = Gathering(2)
    sealed.seal(0, seal_of("kept back"))
    sealed.close()
    assert sealed.missing == [0]
    assert sealed.fair().words == (None, None)


@pytest.mark.parametrize("word", ["", "x" * 65, "a\nb", "\x00", "\ud800", 5, None])
def test_a_word_is_a_text_that_can_be_read(word: object) -> None:
    with pytest.raises(FairnessError, match="1 to 64 characters"):
        Gathering(2).word(0, word)


@pytest.mark.parametrize("seal", ["", "0" * 63, "G" * 64, "A" * 64, 5, None])
def test_a_seal_is_a_hash(seal: object) -> None:
    with pytest.raises(FairnessError, match="64 hexadecimal digits"):
        Gathering(2).seal(0, seal)


def test_words_cannot_be_changed_added_late_or_swapped_for_another_than_the_sealed_one() -> None:
    gathering = Gathering(4, SECRET)
    gathering.word(0, "first")
    gathering.word(0, "first")  # said again: the same answer
    with pytest.raises(FairnessError, match="has said its word"):
        gathering.word(0, "second")
    with pytest.raises(FairnessError, match="has said its word"):
        gathering.seal(0, seal_of("second"))
    gathering.seal(1, seal_of("one"))
    gathering.seal(1, seal_of("two"))  # until the start it may think again
    with pytest.raises(FairnessError, match="said after the start"):
        gathering.word(1, "two")
    gathering.close()
    with pytest.raises(FairnessError, match="not the word this seat has sealed"):
        gathering.word(1, "one")
    for late in (gathering.word, gathering.seal):
        with pytest.raises(FairnessError, match="until the start"):
            late(2, "0" * 64)
    gathering.word(1, "two")
    assert gathering.fair().words == ("first", "two", None, None)


def test_who_leaves_before_the_start_takes_the_word_along() -> None:
    gathering = Gathering(2)
    gathering.word(0, "mine")
    gathering.leave(0)
    gathering.word(0, "that of the next one to sit here")
    assert gathering.words[0] == "that of the next one to sit here"


def test_neither_what_is_public_nor_a_repr_tells_the_secret() -> None:
    gathering = Gathering(2, SECRET)
    shown = f"{gathering.public} {gathering.fair().public} {gathering.fair()!r} {gathering!r}"
    assert SECRET.hex() not in shown
    assert repr(SECRET) not in shown
    assert gathering.public["commitment"] == commitment_of(SECRET)


def test_the_secret_is_not_shown_before_the_end() -> None:
    state = played("sand", 2, {}, plies=10)
    with pytest.raises(FairnessError, match="when the game is over"):
        fair_of(2).sheet(state.record(), over=False)


# Checking --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_fair_game_is_found_fair(name: str, seats: int) -> None:
    checker = SheetChecker()
    checker.check(sheet_of(name, seats))
    chances = sum(entry[0] == "*" for entry in sheet_of(name, seats)["record"]["moves"])
    assert (checker.chances, checker.taken_on_trust) == (chances, 0)


def test_a_table_that_closed_before_the_end_is_checked_as_far_as_it_went() -> None:
    state = played("sand", 2, {}, plies=10)
    assert fault_of(fair_of(2).sheet(state.record(), over=True)) == ""


def alter_deck(sheet: dict[str, Any]) -> str:
    deck = sheet["record"]["setup"]["deck"]
    sheet["record"]["setup"]["deck"] = swapped(deck)
    return r"line 1: setup: deck\[\d+\] is .*secret and words give"


def alter_shuffle(sheet: dict[str, Any]) -> str:
    at = reshuffle_at(sheet)
    word, _, deck = sheet["record"]["moves"][at][2:].partition(" ")
    sheet["record"]["moves"][at] = f"* {word} {swapped(deck)}"
    return rf"line 1: ply {at}: chance is .*shuffle.*, but secret and words give .*shuffle"


def alter_word(sheet: dict[str, Any]) -> str:
    sheet["words"][0] = "lighthouse "
    return r"line 1: setup: deck\[\d+\]"


def alter_sealed_word(sheet: dict[str, Any]) -> str:
    sheet["words"][1] = "manana"
    return "line 1: the word of seat 1 is not the one it sealed"


def drop_word(sheet: dict[str, Any]) -> str:
    sheet["words"][1] = None
    return r"line 1: setup: deck\[\d+\]"


def alter_secret(sheet: dict[str, Any]) -> str:
    sheet["secret"] = bytes(32).hex()
    return "line 1: the secret is not the one the table committed to"


def alter_secret_and_commitment(sheet: dict[str, Any]) -> str:
    sheet["secret"] = bytes(32).hex()
    sheet["commitment"] = commitment_of(bytes(32))
    return r"line 1: setup: deck\[\d+\]"


def hide_secret(sheet: dict[str, Any]) -> str:
    del sheet["secret"]
    return "line 1: the sheet has no secret: it is shown when the game is over"


def alter_move(sheet: dict[str, Any]) -> str:
    sheet["record"]["moves"][3] = sheet["record"]["moves"][2]
    return "line 1: ply 3: "


def alter_result(sheet: dict[str, Any]) -> str:
    sheet["record"]["result"]["scores"][0] += 1
    return "line 1: result: scores"


def pretend_simulation(sheet: dict[str, Any]) -> str:
    sheet["engine"] = "another one"
    alter_shuffle(sheet)
    return "line 1: engine: nothing is simulated"


TRICKS: list[Callable[[dict[str, Any]], str]] = [
    alter_deck,
    alter_shuffle,
    alter_word,
    alter_sealed_word,
    drop_word,
    alter_secret,
    alter_secret_and_commitment,
    hide_secret,
    alter_move,
    alter_result,
    pretend_simulation,
]


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_what_was_altered_is_named(trick: Callable[[dict[str, Any]], str]) -> None:
    sheet = sheet_of("sand")
    expected = trick(sheet)
    with pytest.raises(AssertionError, match=expected):
        raise AssertionError(fault_of(sheet))


@pytest.mark.parametrize("name", ["stones", "pyramids", "dice"])
def test_an_altered_setup_is_named_in_every_game(name: str) -> None:
    sheet = sheet_of(name)
    setup = sheet["record"]["setup"]
    rows = setup.get("stacks") or setup.get("path") or setup["grid"]
    i = next(i for i in range(len(rows) - 1) if rows[i] != rows[i + 1])
    rows[i], rows[i + 1] = rows[i + 1], rows[i]
    assert f"line 1: setup: {'path' if name == 'pyramids' else ''}" in fault_of(sheet)


def test_an_altered_throw_is_named_with_its_ply() -> None:
    sheet = sheet_of("dice")
    moves = sheet["record"]["moves"]
    at = [i for i, entry in enumerate(moves) if entry[0] == "*"][3]
    *rest, face = moves[at].split(" ")
    moves[at] = " ".join([*rest, str(int(face) % 6 + 1)])
    assert f"line 1: ply {at}: chance is " in fault_of(sheet)


def test_throws_by_physics_are_simulated_again() -> None:
    pytest.importorskip("mujoco")
    state = played("dice", 2, {}, plies=12)
    sheet = fair_of(2).sheet(state.record(), over=True)
    throws = sum(entry[0] == "*" for entry in state.log)
    checker = SheetChecker()
    checker.check(sheet)
    assert (throws > 0, checker.chances) == (True, throws)
    at = reshuffle_at(sheet)
    altered = copy.deepcopy(sheet)
    *rest, face = altered["record"]["moves"][at].split(" ")
    altered["record"]["moves"][at] = " ".join([*rest, str(int(face) % 6 + 1)])
    assert f"ply {at}: chance is" in fault_of(altered)


def test_throws_of_another_simulation_are_counted_as_taken_on_trust() -> None:
    state = played("dice", 2, {}, plies=12)
    sheet = fair_of(2).sheet(state.record(), over=True)
    sheet["engine"] = "dice 0, of another time"
    checker = SheetChecker()
    checker.check(sheet)
    throws = sum(entry[0] == "*" for entry in state.log)
    assert (checker.chances, checker.taken_on_trust) == (0, throws)
    assert throws > 0


def test_what_a_player_noted_is_compared() -> None:
    sheet = sheet_of("pyramids")
    right = Noted(commitment_of(SECRET), {0: "lighthouse", 1: "mañana"})
    assert fault_of(sheet, right) == ""
    assert "was noted before the deal" in fault_of(sheet, Noted("0" * 64))
    assert 'seat 0 is "lighthouse", not "tower"' in fault_of(sheet, Noted(words={0: "tower"}))
    assert "seat 5 is null" in fault_of(sheet, Noted(words={5: "tower"}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fair": 2}, "no fair sheet of version 1"),
        ({"fair": True}, "no fair sheet of version 1"),
        ({"commitment": "abc"}, "commitment: 64"),
        ({"secret": "abc"}, "secret: 64"),
        ({"words": ["x"]}, "words: a list with an entry for each of 2 seats"),
        ({"words": [1, None]}, "words: a word is a text"),
        ({"seals": [1, None]}, "seals: a seal is"),
        ({"engine": 5}, "engine has the wrong type"),
        ({"record": []}, "a record is a JSON object"),
        ({"more": 1}, "no field 'more'"),
    ],
)
def test_a_sheet_in_another_form_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    assert said in fault_of({**sheet_of("pyramids"), **change})


def test_what_is_no_sheet_at_all_is_refused_in_words() -> None:
    with pytest.raises(RecordError, match="JSON object"):
        check_sheet_form([])
    with pytest.raises(RecordError, match="has no commitment, words and record"):
        check_sheet_form({"fair": 1})
    found = [str(fault) for fault in SheetChecker().faults(["{", "", "[" * 100_000])]
    assert [text[:23] for text in found] == ["line 1: this is no JSON", "line 3: this is no JSON"]


# The commands ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A file of fair sheets, and one whose third line is not fair."""
    sheets = [sheet_of(name) for name in ("sand", "stones", "pyramids", "dice")]
    spoilt = copy.deepcopy(sheets)
    path = spoilt[2]["record"]["setup"]["path"]
    path.reverse()
    names = []
    for name, lines in (("fair", sheets), ("spoilt", spoilt)):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(json.dumps(sheet) for sheet in lines), encoding="utf-8")
        names.append(str(file))
    return names[0], names[1]


def test_check_fair_says_what_is_fair(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    fair, spoilt = files
    assert main(["check", "--fair", fair]) == 0
    assert capsys.readouterr().out == "4 fair sheets: all right\n"
    assert main(["check", "--fair", spoilt]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"{spoilt}: line 3: setup: path[")
    assert told[1] == "4 fair sheets: 1 is wrong"
    assert main(["check", "--fair", "--json", spoilt]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["wrong"], found["faults"][0]["line"], found["taken_on_trust"]) == (1, 3, 0)


def test_check_fair_compares_what_was_noted(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    noted = ["--commitment", commitment_of(SECRET), "--word", "0=lighthouse", "--word", "1=mañana"]
    assert main(["check", "--fair", files[0], *noted]) == 0
    assert main(["check", "--fair", files[0], "--word", "0=tower"]) == 1
    assert main(["check", "--fair", files[0], "--word", "tower"]) == 2
    assert main(["check", files[0], "--word", "0=tower"]) == 2
    assert "go with --fair" in capsys.readouterr().err


def test_the_script_that_needs_only_the_standard_library_agrees(files: tuple[str, str]) -> None:
    def run(file: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-O", str(SCRIPT), file],
            capture_output=True,
            text=True,
            check=False,
        )

    right, wrong = map(run, files)
    assert (right.returncode, right.stdout.count("fair"), right.stderr) == (0, 4, "")
    assert (wrong.returncode, wrong.stdout.count("fair")) == (1, 2)
    assert "line 3: " in wrong.stderr
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) < 100


@pytest.mark.parametrize(
    "trick",
    [trick for trick in TRICKS if trick not in (alter_move, alter_result, pretend_simulation)],
    ids=lambda trick: trick.__name__,
)
def test_the_script_sees_through_the_same_tricks(
    trick: Callable[[dict[str, Any]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import fair_check  # type: ignore[import-not-found]

    sheet = sheet_of("sand")
    fair_check.check(sheet)
    trick(sheet)
    with pytest.raises((ValueError, KeyError)):
        fair_check.check(sheet)


def test_replaying_a_fair_record_needs_no_seed() -> None:
    state = played("sand", 2, {})
    assert state_bytes(replay(state.record())) == state_bytes(state)
