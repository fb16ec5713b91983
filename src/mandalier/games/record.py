"""The record: the whole text of a game, as one JSON object.

    {"mandalier": 1, "game": "sand", "rules": 1, "seats": 2, "options": {},
     "setup": {"deck": "rroyg…"},
     "moves": ["0 f2g2", "1 m1r", "* shuffle gkyr…", "0 cr"],
     "result": {"reason": "river", "scores": [41, 37], "winners": [0]}}

A file of many games is JSON lines. Replaying needs no randomness: chance is in the record.
`replay` plays a record move by move and says what is wrong with it; `Checker` does the same for
many, at the speed of the compiled rules.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mandalier.games import kernel
from mandalier.games.contract import MAX_SEATS, enter, legal, play, resume
from mandalier.games.engine import CHANCE, OVER
from mandalier.games.errors import RecordError
from mandalier.games.game import GAMES, RECORD_VERSION, Game, State
from mandalier.games.kernel import Array, rule
from mandalier.games.words import listed, say

FIELDS = ("mandalier", "game", "rules", "seats", "options", "setup", "moves")
LONGEST = 10_000_000  # characters of one record: far beyond any game


def dumps(record: Mapping[str, Any]) -> str:
    """The record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def loads(line: str | bytes) -> dict[str, Any]:
    """One line of JSON as a record, its form checked. Raises RecordError."""
    if len(line) > LONGEST:
        raise RecordError(say("a line of {n} characters is no record", n=len(line)))
    try:
        record = json.loads(line, object_pairs_hook=_without_doubles)
    except RecordError:
        raise
    except (ValueError, RecursionError) as error:
        raise RecordError(say("this is no JSON: {error}", error=error)) from None
    return check_form(record)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RecordError(
            say("a field is there twice in {fields}", fields=", ".join(k for k, _ in pairs))
        )
    return found


def check_form(record: Any) -> dict[str, Any]:
    """See that data has the form of a record of a game and version known here."""
    if not isinstance(record, dict):
        raise RecordError(say("a record is a JSON object"))
    if missing := [name for name in FIELDS if name not in record]:
        raise RecordError(say("the record has no {fields}", fields=listed(missing)))
    if extra := [name for name in record if name not in (*FIELDS, "result")]:
        raise RecordError(
            say("a record has no field {fields}", fields=listed(list(map(repr, extra))))
        )
    if not _is(record["mandalier"], RECORD_VERSION):
        raise RecordError(say("this is no record of version {n}", n=RECORD_VERSION))
    if not isinstance(record["game"], str) or record["game"] not in GAMES:
        raise RecordError(say("there is no game {name}", name=repr(record["game"])))
    rules = GAMES[record["game"]].module.RULES
    if not _is(record["rules"], rules):
        raise RecordError(
            say(
                "the rules of {game} known here are version {known}, not {rules}",
                game=record["game"],
                known=rules,
                rules=repr(record["rules"]),
            )
        )
    if type(record["seats"]) is not int:
        raise RecordError(say("seats is a whole number, not {found}", found=repr(record["seats"])))
    for name, kind in (("options", dict), ("setup", dict), ("moves", list)):
        if not isinstance(record[name], kind):
            raise RecordError(say("{field} has the wrong type", field=name))
    for ply, entry in enumerate(record["moves"]):
        if not isinstance(entry, str):
            raise RecordError(say("an entry is a text"), ply)
    return record


def _is(value: Any, number: int) -> bool:
    return type(value) is int and value == number


def start(record: Mapping[str, Any], seed: int = 0) -> State:
    """The game of a record right after its setup."""
    game = GAMES[record["game"]]
    try:
        return State.from_setup(game, record["seats"], record["setup"], record["options"], seed)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise RecordError(say("setup: {error}", error=error)) from None


def replay(record: Mapping[str, Any], ply: int | None = None, seed: int = 0) -> State:
    """The game of a record, up to before entry `ply` of its moves (or all of it, with its result
    checked). The seed is for chance yet to come. Raises RecordError."""
    record = check_form(record)
    state = start(record, seed)
    entries = record["moves"]
    if ply is not None:
        if not 0 <= ply <= len(entries):
            raise RecordError(
                say("ply is a number from 0 to {n}, not {ply}", n=len(entries), ply=ply)
            )
        entries = entries[:ply]
    for at, entry in enumerate(entries):
        play_entry(state, at, entry)
    if ply is None:
        _check_result(state, record)
    return state


def play_entry(state: State, ply: int, entry: str) -> None:
    """Play one entry of a record. Raises RecordError with the ply."""
    who, space, text = entry.partition(" ")
    try:
        if who == "*" and space:
            state.roll(text)
        elif who in map(str, range(MAX_SEATS)) and space:
            state.move(text, int(who))
        else:
            raise ValueError(
                say(
                    "{entry}: an entry is a seat or *, a space, and what it does", entry=repr(entry)
                )
            )
    except ValueError as error:
        raise RecordError(str(error), ply) from None


def _check_result(state: State, record: Mapping[str, Any]) -> None:
    due = state.record().get("result")
    if due is None and "result" in record:
        raise RecordError(say("the game is not over, yet the record has a result"))
    if due is not None:
        _compare_result(record.get("result"), due)


def _compare_result(found: Any, due: Mapping[str, Any]) -> None:
    if not isinstance(found, dict):
        raise RecordError(say("the game is over, yet the record has no result"))
    if _same(found, due):
        return
    for name, value in due.items():
        if name not in found:
            raise RecordError(say("the result has no {field}", field=name))
        if json.dumps(found[name]) != json.dumps(value):
            raise RecordError(
                say(
                    "result: {field} is {found}, but the game ends with {due}",
                    field=name,
                    found=json.dumps(found[name]),
                    due=json.dumps(value),
                )
            )
    if extra := [name for name in found if name not in due]:
        raise RecordError(
            say("a result has no field {fields}", fields=listed(list(map(repr, extra))))
        )


# Many records ----------------------------------------------------------------------------------


CHANCE_ENTRY = -1
MOST_TABLES = 64  # kept, of different options


@rule
def follow(states: Array, entries: Array, first: int, n: int, out: Array) -> int:
    """Play entries first … n − 1 (64 × move + seat); stop at one that is chance or not legal, and
    return its index."""
    s = states[0]
    for i in range(first, n):
        entry = entries[i]
        if entry < 0:
            return i
        seat = entry & 63
        move = entry >> 6
        count = legal(s, seat, out)
        low = 0
        high = count
        while low < high:
            middle = (low + high) >> 1
            if out[middle] < move:
                low = middle + 1
            else:
                high = middle
        if low == count or out[low] != move:
            return i
        play(s, seat, move)
    return n


@rule
def follow_numbers(states: Array, numbers: Array, n: int, out: Array) -> bool:
    """Play entries, each as how many numbers it has, its seat (−1 for chance), and these numbers.
    False at one that is not legal."""
    s = states[0]
    at = 0
    while at < n:
        count = numbers[at]
        seat = numbers[at + 1]
        first = at + 2
        at = first + count
        if (s.chance != 0) != (seat < 0) or not enter(s, seat, numbers, first, count, out):
            return False
        if seat < 0:
            resume(s)
        else:
            play(s, seat, numbers[first])
    return True


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one line of a file."""

    line: int
    ply: int | None
    reason: str

    def __str__(self) -> str:
        at = "" if self.ply is None else say("ply {ply}: ", ply=self.ply)
        return say("line {line}: {rest}", line=self.line, rest=at + self.reason)


def _same(one: Any, other: Any) -> bool:
    """Whether data is the same JSON (1 is not 1.0, and not true)."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class Checker:
    """Replays records fast. What it doubts it hands to `replay`, which has the words."""

    def __init__(self) -> None:
        self._ways: dict[str, _Way] = {}
        self.games = 0
        self.moves = 0

    def fault(self, line: str | bytes, number: int) -> Fault | None:
        """What is wrong with this line; None if nothing is."""
        try:
            record = loads(line)
            self.games += 1
            self.moves += len(record["moves"])
            if not self._way(record["game"]).agrees(record):
                replay(record)
        except RecordError as error:
            return Fault(number, error.ply, error.reason)
        return None

    def faults(self, lines: Iterable[str | bytes]) -> Iterator[Fault]:
        """The faults of a file of records; it is read as it goes."""
        for number, line in enumerate(lines, start=1):
            if line.strip():
                found = self.fault(line, number)
                if found:
                    yield found

    def _way(self, name: str) -> _Way:
        if name not in self._ways:
            self._ways[name] = _Way(GAMES[name])
        return self._ways[name]


class _Way:
    """One game's records, by its fastest engine."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.engine = game.fastest
        self.numbers_of = getattr(game.module, "entry_numbers", None)
        self.follow = self.engine.bind(follow_numbers if self.numbers_of else follow)
        self.out = self.engine.move_list()
        self.states = self.engine.states(1)
        self.codes = {
            f"{seat} {text}": move << 6 | seat
            for seat in range(game.seats[-1])
            for move, text in enumerate(getattr(game.module, "MOVE_TEXTS", ()))
        }
        self.tables: dict[str, tuple[Any, Array]] = {}  # by options: a state before its setup

    def agrees(self, record: Mapping[str, Any]) -> bool:
        """Whether the record replays to its result. False too where this way cannot tell."""
        try:
            self._set_up(record)
            if self.numbers_of:
                self._play_numbers([self.numbers_of(entry) for entry in record["moves"]])
            else:
                self._play(record["moves"])
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
            return False
        return _same(self._result(), record.get("result"))

    def _set_up(self, record: Mapping[str, Any]) -> None:
        module = self.game.module
        seats = self.game.check_seats(record["seats"])
        table, states = self._table(record["options"])
        s = kernel.twin_copy(table)
        module.set_up(s, seats, record["setup"])
        self.states[0] = states[0]
        kernel.write_changes(table, s, self.states[0])
        self.engine.lay_out_at(self.states, 0)

    def _table(self, options: Mapping[str, Any]) -> tuple[Any, Array]:
        """A state full of zeros but for these options, as a twin and in an array."""
        key = json.dumps(options)
        if key not in self.tables:
            module = self.game.module
            s = kernel.new_states(module.STATE, 1, False)[0]
            module.apply_options(s, module.options(options))
            if len(self.tables) >= MOST_TABLES:
                self.tables.clear()
            states = self.engine.states(1)
            self.engine.write(s, states)
            self.tables[key] = s, states
        return self.tables[key]

    def _play_numbers(self, entries: list[Sequence[int] | None]) -> None:
        numbers = array("q")
        for entry in entries:
            if entry is None:
                raise ValueError
            numbers.append(len(entry) - 1)
            numbers.extend(entry)
        coded = np.frombuffer(numbers, "i8") if self.engine.compiled else numbers
        if not self.follow(self.states, coded, len(numbers), self.out):
            raise ValueError

    def _play(self, texts: list[str]) -> None:
        entries = [
            CHANCE_ENTRY if entry.startswith("* ") else self.codes.get(entry) for entry in texts
        ]
        if None in entries:
            raise ValueError
        n = len(entries)
        coded = np.array(entries, "i4") if self.engine.compiled else entries
        at = self.follow(self.states, coded, 0, n, self.out)
        while at < n:
            if entries[at] != CHANCE_ENTRY or self.engine.status_at(self.states, 0) != CHANCE:
                raise ValueError
            s = self.engine.read(self.states)
            self.game.module.set_chance(s, texts[at][2:])
            self.engine.write(s, self.states)
            self.engine.resume_at(self.states, 0)
            at = self.follow(self.states, coded, at + 1, n, self.out)

    def _result(self) -> dict[str, Any] | None:
        if self.engine.status_at(self.states, 0) != OVER:
            return None
        s = self.engine.read(self.states)
        points, winners = self.engine.score_at(self.states, 0)
        return {
            "reason": self.game.module.REASONS[s.over - 1],
            "scores": points[: s.seats],
            "winners": [seat for seat in range(s.seats) if winners >> seat & 1],
        }
