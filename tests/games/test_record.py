"""Records: what is wrong with one is found, named by line and ply, and never crashes anything."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandalier.games.errors import RecordError
from mandalier.games.game import State
from mandalier.games.record import Checker, Fault, dumps, loads, replay
from tests.support import TABLES, plays


def record_of(name: str, seats: int, seed: int = 1) -> dict[str, Any]:
    *_, state = plays(name, seats, seed)
    return state.record()


RECORDS = {table: record_of(*table) for table in TABLES}
PLAYED = pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table[0]}-{table[1]}")


def fault_of(record: Any) -> Fault | None:
    """What the fast checker says; it and the plain replay have to agree."""
    line = record if isinstance(record, str | bytes) else json.dumps(record)
    found = Checker().fault(line, 7)
    assert found == _plainly(line)
    return found


def _plainly(line: str | bytes) -> Fault | None:
    try:
        replay(loads(line))
    except RecordError as error:
        return Fault(7, error.ply, error.reason)
    return None


@PLAYED
def test_a_played_game_is_all_right(table: tuple[str, int]) -> None:
    assert fault_of(RECORDS[table]) is None


@PLAYED
def test_every_prefix_of_a_game_is_an_unfinished_game_and_all_right(table: tuple[str, int]) -> None:
    record = copy.deepcopy(RECORDS[table])
    del record["result"]
    while record["moves"]:
        record["moves"].pop()
        assert fault_of(record) is None


def broken(**changes: Any) -> Any:
    def change(record: dict[str, Any]) -> None:
        record.update(changes)

    return change


def without(name: str) -> Any:
    return lambda record: record.pop(name)


def result(name: str, value: Any) -> Any:
    return lambda record: record["result"].update({name: value})


@PLAYED
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("mandalier"), "no mandalier"),
        (without("game"), "no game"),
        (without("rules"), "no rules"),
        (without("seats"), "no seats"),
        (without("options"), "no options"),
        (without("setup"), "no setup"),
        (without("moves"), "no moves"),
        (without("result"), "has no result"),
        (broken(mandalier=2), "version 1"),
        (broken(mandalier=True), "version 1"),
        (broken(mandalier=1.0), "version 1"),
        (broken(game="chess"), "no game 'chess'"),
        (broken(game=["sand"]), "no game"),
        (broken(rules=99), "not 99"),
        (broken(rules=None), "not None"),
        (broken(seats=9), "seats"),
        (broken(seats="2"), "seats"),
        (broken(seats=True), "seats"),
        (broken(options={"fast": 1}), "no option"),
        (broken(options=[]), "options"),
        (broken(setup={}), "setup"),
        (broken(setup=[]), "setup"),
        (broken(moves={}), "moves"),
        (broken(moves="0 m1r"), "moves"),
        (broken(result=None), "no result"),
        (broken(result=[]), "no result"),
        (broken(result={}), "no reason"),
        (broken(colour="blue"), "no field 'colour'"),
        (result("reason", "boredom"), "reason"),
        (result("scores", [1]), "scores"),
        (result("winners", []), "winners"),
        (result("winners", [True]), "winners"),
        (result("loser", 1), "no field 'loser'"),
    ],
)
def test_a_record_broken_in_one_field_is_refused_with_a_reason(
    table: tuple[str, int], change: Any, words: str
) -> None:
    record = copy.deepcopy(RECORDS[table])
    change(record)
    found = fault_of(record)
    assert found is not None
    assert words in found.reason
    assert "\n" not in str(found)


@PLAYED
def test_an_illegal_move_is_named_by_its_ply(table: tuple[str, int]) -> None:
    moves = RECORDS[table]["moves"]
    for ply, entry in enumerate(moves):
        if entry.startswith("*"):
            continue
        seat, _, text = entry.partition(" ")
        waiting = replay(RECORDS[table], ply).waiting
        others = [other for other in range(table[1]) if other not in waiting]
        for wrong in (
            *(f"{other} {text}" for other in others),
            f"{seat} xyz",
            f"{seat}{text}",
            f"{seat}  {text}",
            f" {entry}",
            f"0{entry}",
            f"{entry} ",
            f"9 {text}",
            f"* {text}",
            "",
        ):
            record = copy.deepcopy(RECORDS[table])
            record["moves"][ply] = wrong
            found = fault_of(record)
            assert found is not None, wrong
            assert found.ply == ply, wrong
        if ply > 12:
            break


@PLAYED
def test_a_move_after_the_end_is_refused(table: tuple[str, int]) -> None:
    record = copy.deepcopy(RECORDS[table])
    record["moves"].append(record["moves"][0])
    found = fault_of(record)
    assert found is not None
    assert found.ply == len(record["moves"]) - 1
    assert "over" in found.reason


def test_a_shuffle_that_is_not_due_is_refused() -> None:
    record = copy.deepcopy(RECORDS[("sand", 2)])
    record["moves"].insert(1, "* shuffle rrr")
    found = fault_of(record)
    assert found is not None
    assert (found.ply, "no chance is due" in found.reason) == (1, True)


def test_a_shuffle_with_other_cards_is_refused() -> None:
    record = copy.deepcopy(RECORDS[("sand", 2)])
    ply = next(i for i, entry in enumerate(record["moves"]) if entry.startswith("*"))
    for wrong in (
        "* shuffle",
        "* shuffle ",
        "* mix rr",
        record["moves"][ply][:-1],
        "* shuffle xyz",
    ):
        record["moves"][ply] = wrong
        found = fault_of(record)
        assert found is not None
        assert found.ply == ply


def test_a_shuffle_left_out_is_noticed() -> None:
    record = copy.deepcopy(RECORDS[("sand", 2)])
    ply = next(i for i, entry in enumerate(record["moves"]) if entry.startswith("*"))
    del record["moves"][ply]
    found = fault_of(record)
    assert found is not None
    assert (found.ply, "chance comes first" in found.reason) == (ply, True)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        "3",
        '"game"',
        "{",
        "{}",
        '{"game": "sand", "game": "stones"}',
        "[" * 100_000,
        "\x00",
        b"\xff\xfe\x00",
        b"\x80abc",
        '{"mandalier": NaN}',
        '{"mandalier": 1' + "0" * 5000 + "}",
    ],
)
def test_what_is_no_record_is_called_so(line: str | bytes) -> None:
    found = Checker().fault(line, 1)
    assert found is not None
    assert found.ply is None


def test_a_line_longer_than_any_record_is_refused_unread() -> None:
    assert "no record" in str(Checker().fault("x" * 10_000_001, 1))


@PLAYED
def test_the_fast_way_reads_every_game_itself(table: tuple[str, int]) -> None:
    record = RECORDS[table]
    assert Checker()._way(table[0]).agrees(record)
    unfinished = {**record, "moves": record["moves"][: len(record["moves"]) // 2]}
    del unfinished["result"]
    assert Checker()._way(table[0]).agrees(unfinished)


def first_entry(record: dict[str, Any], words: str) -> tuple[int, str]:
    return next((i, entry) for i, entry in enumerate(record["moves"]) if words in entry)


def with_entry(words: str, change: Any) -> tuple[int, dict[str, Any]]:
    """A game of dice in which the first entry with these words is another."""
    record = copy.deepcopy(RECORDS[("dice", 3)])
    ply, entry = first_entry(record, words)
    record["moves"][ply] = change(entry)
    assert record["moves"][ply] != entry
    return ply, record


def numbers_changed(changes: Mapping[int, int | str]) -> Any:
    """Another entry, by the places of its numbers."""

    def change(entry: str) -> str:
        parts = entry.split(" ")
        for place, number in changes.items():
            parts[place] = str(number)
        return " ".join(parts)

    return change


@pytest.mark.parametrize(
    ("words", "change", "reason"),
    [
        *((f" throw {icon}", numbers_changed({3: 601}), "it is from") for icon in "LRB"),
        *((f" throw {icon}", numbers_changed({3: -601}), "it is from") for icon in "LRB"),
        *((f" throw {icon}", numbers_changed({4: 399}), "it is from") for icon in "LRB"),
        *((f" throw {icon}", numbers_changed({4: 1251}), "it is from") for icon in "LRB"),
        *((f" throw {icon}", numbers_changed({5: 301}), "it is from") for icon in "LRB"),
        *((f" throw {icon}", numbers_changed({5: -301}), "it is from") for icon in "LRB"),
        (" throw D", numbers_changed({3: 4681}), "it is from 0 to 4680"),
        (" throw D", numbers_changed({4: 3901}), "it is from 0 to 3900"),
        (" throw D", numbers_changed({4: -1}), "it is from 0 to 3900"),
        ("0 throw F", numbers_changed({3: 4681}), "it is from 0 to 4680"),
        ("1 throw F", numbers_changed({3: 3901}), "it is from 0 to 3900"),
        (" throw F", numbers_changed({4: 601}), "it is from"),
        (" throw F", numbers_changed({5: 499}), "it is from"),
        (" throw F", numbers_changed({5: 2501}), "it is from"),
        ("* land free", lambda entry: entry + "; 2.1 100 100 0 1", "does not lie on the table"),
        ("* land hit", lambda entry: entry.replace("hit", "free"), "moves no other die"),
        ("* land hit", lambda entry: entry + entry[entry.index(";") :], "is named twice"),
        ("* land hit", lambda entry: entry + "; " + entry[11 : entry.index(";")], "named twice"),
        ("* land", numbers_changed({3: "4.1"}), "an outcome looks like"),
        ("* land", numbers_changed({3: "2.5"}), "the thrown die comes first"),
        ("* land", numbers_changed({4: 10**9 + 1}), "no die lands farther off"),
        ("* land", numbers_changed({5: -(10**9) - 1}), "no die lands farther off"),
        ("* land", lambda entry: entry[:-1] + "7", "an outcome looks like"),
        ("* land", lambda entry: entry[2:], "an entry is a seat or *"),
    ],
)
def test_an_impossible_throw_or_outcome_is_refused_with_its_reason(
    words: str, change: Any, reason: str
) -> None:
    ply, record = with_entry(words, change)
    found = fault_of(record)
    assert found is not None
    assert (found.ply, reason in found.reason) == (ply, True), found


def test_a_throw_at_the_end_of_its_range_is_legal() -> None:
    for words, numbers in (
        *((f" throw {icon}", {3: 600, 4: 1250, 5: -300}) for icon in "LRB"),
        *((f" throw {icon}", {3: -600, 4: 400, 5: 300}) for icon in "LRB"),
        (" throw D", {3: 4680, 4: 3900}),
        (" throw D", {3: 0, 4: 0}),
        ("0 throw F", {3: 4680, 4: -600, 5: 2500}),
        ("1 throw F", {3: 3900, 4: 600, 5: 500}),
    ):
        _, record = with_entry(words, numbers_changed(numbers))
        assert fault_of(record) is None


def test_a_take_goes_to_the_cell_it_names_and_to_no_other_of_its_kind() -> None:
    record = RECORDS[("dice", 3)]
    ply, entry = first_entry(record, " take ")
    seat, word, _, *rest = entry.split(" ")
    legal = replay(record, ply).legal(int(seat))
    for place in range(81):
        cell = "abcdefghi"[place // 9] + str(place % 9 + 1)
        take = " ".join([word, cell, *rest])
        changed = {**record, "moves": [*record["moves"][:ply], f"{seat} {take}"]}
        del changed["result"]
        assert (fault_of(changed) is None) == (take in legal)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places in a record."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


@settings(max_examples=500)
@given(st.sampled_from(TABLES), st.data())
def test_a_record_with_anything_anywhere_is_refused_or_the_same_game(
    table: tuple[str, int], data: st.DataObject
) -> None:
    record = copy.deepcopy(RECORDS[table])
    place = data.draw(st.sampled_from([p for p in _places(record) if p]))
    *path, last = place
    target: Any = record
    for key in path:
        target = target[key]
    value = data.draw(JSON | st.sampled_from(RECORDS[table]["moves"]))
    unchanged = json.dumps(target[last]) == json.dumps(value)
    target[last] = value
    found = fault_of(record)
    if unchanged:
        assert found is None
    elif place[0] in {"mandalier", "game", "rules", "seats", "result"}:
        assert found is not None


@settings(max_examples=300)
@given(st.sampled_from(TABLES), st.data())
def test_a_record_with_letters_changed_never_crashes_the_checker(
    table: tuple[str, int], data: st.DataObject
) -> None:
    line = dumps(RECORDS[table])
    at = data.draw(st.integers(0, len(line) - 1))
    length = data.draw(st.integers(0, 5))
    changed = line[:at] + data.draw(st.text(max_size=5)) + line[at + length :]
    fault_of(changed)


def test_replay_gives_a_game_to_play_on() -> None:
    record = copy.deepcopy(RECORDS[("sand", 2)])
    one, other = (replay(record, 10, seed) for seed in (1, 1))
    assert isinstance(one, State)
    while not one.over:
        move = one.legal()[0]
        one.play(move)
        other.play(move)
    assert one.record() == other.record()
    assert replay(one.record()).result == one.result


def test_a_ply_that_is_not_there_is_refused() -> None:
    record = RECORDS[("sand", 2)]
    for ply in (-1, len(record["moves"]) + 1):
        with pytest.raises(RecordError, match="ply is a number from 0"):
            replay(record, ply)
