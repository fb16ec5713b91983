"""Fair deals: nobody at the table, the host included, can choose what is dealt or thrown.

Before the deal the table publishes a *commitment*, the hash of a secret. Every seat adds a *word*.
Secret and words together give the seeds of the deal and of every later chance. After the game the
secret is shown, on a *fair sheet* that also has the words and the record, and anybody can deal again
and compare (`check_sheet` here, docs/fair_check.py without this package).

All of it, byte by byte, with TAG = ``mandalier fair 1`` and a line feed, and numbers in decimal:

    secret      32 random bytes
    commitment  SHA-256(TAG "commitment" LF secret), in hexadecimal
    seal        SHA-256(TAG "seal" LF word in UTF-8), in hexadecimal
    sealed      HMAC-SHA-256(key secret, TAG "words" LF, and for each seat in order the line
                "SEAT WORD" LF, WORD being the word in UTF-8 in hexadecimal, "-" for no word)
    deal        SEED(TAG "deal" LF)
    chance k    SEED(TAG "chance " k LF), k = 1 for the first entry of chance in the record
    SEED(m)     the first 8 bytes of HMAC-SHA-256(key sealed, m) as a big-endian number, halved and
                rounded down: 63 bits

The deal is `shuffle_up` with its seed; before chance k the generator in the state is started anew
with its seed. So chance depends on the sealed seed and its number alone, never on time, on how often
a server was restarted, or on what was looked at.

A host who plays, and knows the secret, must not be the last to say a word: he could try words until
the deal suits him. Therefore a seat may *seal* its word first. Seals are collected until the start
and then shown; only then are the words behind them asked for. A word that does not come in time is
left out, so nobody can stop the game; all that leaves to cheats is to keep a sealed word back.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mandalier.games.contract import MAX_SEATS
from mandalier.games.errors import MandalierError, RecordError
from mandalier.games.game import GAMES, State, game
from mandalier.games.record import LONGEST, Fault, check_form, replay
from mandalier.games.words import listed, say

VERSION = 1
TAG = b"mandalier fair 1\n"
SECRET_BYTES = 32
LONGEST_WORD = 64  # characters
SEAT_NUMBERS = tuple(map(str, range(MAX_SEATS)))
FIELDS = ("fair", "commitment", "words", "record")
MORE_FIELDS = ("secret", "seals", "engine")


class FairnessError(MandalierError):
    """Something the fair deal does not allow, in words."""


# The derivation --------------------------------------------------------------------------------


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def commitment_of(secret: bytes) -> str:
    """What the table publishes of its secret before the deal."""
    return hashlib.sha256(TAG + b"commitment\n" + secret).hexdigest()


def seal_of(word: str) -> str:
    """What a seat shows of its word before all words are in."""
    return hashlib.sha256(TAG + b"seal\n" + word.encode()).hexdigest()


def sealed_seed(secret: bytes, words: Sequence[str | None]) -> bytes:
    """The seed all chance of a game comes from."""
    lines = (
        f"{seat} {'-' if word is None else word.encode().hex()}\n"
        for seat, word in enumerate(words)
    )
    return hmac.digest(secret, TAG + b"words\n" + "".join(lines).encode(), "sha256")


def check_word(word: object) -> str:
    """A word as a seat may give it: any text that can be read, and compared by its bytes."""
    if not isinstance(word, str) or not 1 <= len(word) <= LONGEST_WORD or not word.isprintable():
        raise FairnessError(
            say("a word is a text of 1 to {n} characters that can be printed", n=LONGEST_WORD)
        )
    return word


def check_seal(seal: object) -> str:
    if not isinstance(seal, str) or not _is_hex(seal, 32):
        raise FairnessError(say("a seal is 64 hexadecimal digits, in small letters"))
    return seal


def _is_hex(text: object, n: int) -> bool:
    return isinstance(text, str) and len(text) == 2 * n and not set(text) - set("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Fair:
    """A game's secret and words: where its chance comes from."""

    secret: bytes = field(repr=False)
    words: tuple[str | None, ...]
    seals: tuple[str | None, ...]

    @property
    def commitment(self) -> str:
        return commitment_of(self.secret)

    @property
    def deal_seed(self) -> int:
        return self._seed("deal")

    def chance_seed(self, k: int) -> int:
        """The seed of chance number k, from 1."""
        return self._seed(f"chance {k}")

    def _seed(self, what: str) -> int:
        key = sealed_seed(self.secret, self.words)
        found = hmac.digest(key, TAG + what.encode() + b"\n", "sha256")
        return int.from_bytes(found[:8], "big") >> 1

    def deal(self, name: str, options: Mapping[str, Any] | None = None) -> State:
        return State.dealt(game(name), len(self.words), self.deal_seed, options)

    def roll(self, state: State) -> None:
        """Draw the chance that is due."""
        drawn = sum(entry.startswith("* ") for entry in state.entries(0))
        state.reseed(self.chance_seed(drawn + 1))
        state.roll()

    def play(self, state: State, move: str, seat: int | None = None) -> None:
        """Play a move, and whatever chance follows it."""
        state.move(move, seat)
        while state.chance_due:
            self.roll(state)

    @property
    def public(self) -> dict[str, Any]:
        """What everybody may know while the game runs."""
        return {
            "fair": VERSION,
            "commitment": self.commitment,
            "words": list(self.words),
            **({"seals": list(self.seals)} if any(self.seals) else {}),
        }

    def sheet(self, record: Mapping[str, Any], *, over: bool) -> dict[str, Any]:
        """The fair sheet of a game that is over (by its rules, or because the table closed)."""
        if not over:
            raise FairnessError(say("the secret is shown when the game is over"))
        engine = _engine_of(record)
        return {
            **self.public,
            "secret": self.secret.hex(),
            **({"engine": engine} if engine else {}),
            "record": dict(record),
        }

    def kept(self) -> dict[str, Any]:
        """All of it as data, for the store alone."""
        return {
            "secret": self.secret.hex(),
            "words": list(self.words),
            "seals": list(self.seals),
        }

    @classmethod
    def restored(cls, kept: Mapping[str, Any]) -> Fair:
        """The inverse of `kept`."""
        return cls(bytes.fromhex(kept["secret"]), tuple(kept["words"]), tuple(kept["seals"]))


# Before the deal -------------------------------------------------------------------------------


class Gathering:
    """Words and seals as they come in, until the deal.

    gathering = Gathering(seats=2)     publish gathering.commitment
    gathering.seal(0, "…")             until the start: a seal, or a word said openly
    gathering.word(1, "…")
    gathering.close()                  the start: no seals any more, publish gathering.public
    gathering.word(0, "…")             the words behind seals, while gathering.missing
    gathering.fair()                   deal; who has not said a word has none
    """

    def __init__(self, seats: int, secret: bytes | None = None) -> None:
        self.secret = secret or new_secret()
        self.words: list[str | None] = [None] * seats
        self.seals: list[str | None] = [None] * seats
        self.closed = False

    @property
    def commitment(self) -> str:
        return commitment_of(self.secret)

    def seal(self, seat: int, seal: object) -> None:
        """A seat shows the seal of a word it will say after the start."""
        self._before_the_start()
        if self.words[seat] is not None:
            raise FairnessError(say("this seat has said its word already"))
        self.seals[seat] = check_seal(seal)

    def word(self, seat: int, word: object) -> None:
        """A seat says its word: openly before the start, or the one it sealed after it."""
        text = check_word(word)
        seal = self.seals[seat]
        if self.words[seat] is not None:
            if self.words[seat] != text:
                raise FairnessError(say("this seat has said its word already"))
        elif seal is None:
            self._before_the_start()
        elif not self.closed:
            raise FairnessError(say("a sealed word is said after the start, when all seals lie"))
        elif not hmac.compare_digest(seal, seal_of(text)):
            raise FairnessError(say("this is not the word this seat has sealed"))
        self.words[seat] = text

    def leave(self, seat: int) -> None:
        """Whoever sat here has left before the start, and takes the word along."""
        self._before_the_start()
        self.words[seat] = self.seals[seat] = None

    def close(self) -> None:
        self.closed = True

    def _before_the_start(self) -> None:
        if self.closed:
            raise FairnessError(say("words are gathered until the start, and that is past"))

    @property
    def missing(self) -> list[int]:
        """Seats whose seal lies, and whose word has not come."""
        return [
            seat
            for seat, (word, seal) in enumerate(zip(self.words, self.seals, strict=True))
            if seal is not None and word is None
        ]

    @property
    def public(self) -> dict[str, Any]:
        """What everybody may know: open words are said, so that each seat sees its own was heard."""
        return {
            "fair": VERSION,
            "commitment": self.commitment,
            "words": list(self.words),
            "seals": list(self.seals),
        }

    def fair(self) -> Fair:
        """Where the chance of the game will come from."""
        self.close()
        return Fair(self.secret, tuple(self.words), tuple(self.seals))

    def kept(self) -> dict[str, Any]:
        """All of it as data, for the store alone."""
        return {
            "secret": self.secret.hex(),
            "words": list(self.words),
            "seals": list(self.seals),
            "closed": self.closed,
        }

    @classmethod
    def restored(cls, kept: Mapping[str, Any]) -> Gathering:
        """The inverse of `kept`."""
        made = cls(len(kept["words"]), bytes.fromhex(kept["secret"]))
        made.words, made.seals = list(kept["words"]), list(kept["seals"])
        made.closed = kept["closed"]
        return made


# Checking --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Noted:
    """What a player wrote down before the deal."""

    commitment: str | None = None
    words: Mapping[int, str] = field(default_factory=dict)


class SheetChecker:
    """Deals the games of fair sheets again, and says what is not as secret and words have it."""

    def __init__(self, noted: Noted | None = None) -> None:
        self.noted = noted or Noted()
        self.games = 0
        self.moves = 0
        self.chances = 0
        self.taken_on_trust = 0
        """Simulated throws of another version of the simulation than the one here."""

    def faults(self, lines: Iterable[str | bytes]) -> Iterator[Fault]:
        """The faults of a file of fair sheets, one a line; it is read as it goes."""
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    self.check(read_sheet(line))
                except RecordError as error:
                    yield Fault(number, error.ply, error.reason)

    def check(self, sheet: Mapping[str, Any]) -> None:
        """Raise RecordError at the first thing that is wrong."""
        record = sheet["record"]
        self.games += 1
        self.moves += len(record["moves"])
        fair = _opened(sheet)
        self._compare_notes(sheet)
        try:
            state = fair.deal(record["game"], record["options"])
        except MandalierError as error:
            raise RecordError(str(error)) from None
        _compare_setup(record["setup"], state.record()["setup"])
        trusted = _is_on_trust(sheet)
        for ply, entry in enumerate(record["moves"]):
            self._follow(fair, state, ply, entry, trusted)
        replay(record)  # the result, and all else that makes a record

    def _compare_notes(self, sheet: Mapping[str, Any]) -> None:
        noted = self.noted.commitment
        if noted is not None and noted != sheet["commitment"]:
            raise RecordError(
                say(
                    "the commitment is {found}, not {noted}, which was noted before the deal",
                    found=sheet["commitment"],
                    noted=noted,
                )
            )
        for seat, word in self.noted.words.items():
            words = sheet["words"]
            found = words[seat] if seat < len(words) else None
            if found != word:
                raise RecordError(
                    say(
                        "the word of seat {seat} is {found}, not {noted}, which was noted",
                        seat=seat,
                        found=json.dumps(found, ensure_ascii=False),
                        noted=json.dumps(word, ensure_ascii=False),
                    )
                )

    def _follow(self, fair: Fair, state: State, ply: int, entry: str, trusted: bool) -> None:
        who, _, text = entry.partition(" ")
        try:
            if who != "*":
                if who not in SEAT_NUMBERS:
                    raise RecordError(say("an entry is a seat or *, a space, and what it does"))
                state.move(text, int(who))
            elif trusted:
                self.taken_on_trust += 1
                state.roll(text)
            else:
                self.chances += 1
                fair.roll(state)
        except RecordError as error:
            raise RecordError(error.reason, ply) from None
        except ValueError as error:
            raise RecordError(str(error), ply) from None
        if state.log[-1] != entry:
            due = state.log[-1][2:]
            raise RecordError(
                say(
                    "chance is {found}, but secret and words give {due}",
                    found=_short(text, due),
                    due=_short(due, text),
                ),
                ply,
            )


def read_sheet(line: str | bytes) -> dict[str, Any]:
    """One line of JSON as a fair sheet, its form checked. Raises RecordError."""
    if len(line) > LONGEST:
        raise RecordError(say("a line of {n} characters is no fair sheet", n=len(line)))
    try:
        sheet = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(say("this is no JSON: {error}", error=error)) from None
    return check_sheet_form(sheet)


def check_sheet_form(sheet: Any) -> dict[str, Any]:
    if not isinstance(sheet, dict):
        raise RecordError(say("a fair sheet is a JSON object"))
    if missing := [name for name in FIELDS if name not in sheet]:
        raise RecordError(say("the fair sheet has no {fields}", fields=listed(missing)))
    if extra := [name for name in sheet if name not in FIELDS + MORE_FIELDS]:
        raise RecordError(
            say("a fair sheet has no field {fields}", fields=listed(list(map(repr, extra))))
        )
    if type(sheet["fair"]) is not int or sheet["fair"] != VERSION:
        raise RecordError(say("this is no fair sheet of version {n}", n=VERSION))
    if not _is_hex(sheet["commitment"], 32):
        raise RecordError(say("commitment: 64 hexadecimal digits are needed"))
    if not isinstance(sheet.get("engine", ""), str):
        raise RecordError(say("{field} has the wrong type", field="engine"))
    record = check_form(sheet["record"])
    for name, check in (("words", check_word), ("seals", check_seal)):
        _check_seats(name, sheet.get(name, [None] * record["seats"]), record["seats"], check)
    return sheet


def _check_seats(name: str, found: Any, seats: int, check: Any) -> None:
    if not isinstance(found, list) or len(found) != seats:
        raise RecordError(
            say(
                "{field}: a list with an entry for each of {n} seats is needed", field=name, n=seats
            )
        )
    for entry in found:
        if entry is not None:
            try:
                check(entry)
            except FairnessError as error:
                raise RecordError(f"{name}: {error}") from None


def _opened(sheet: Mapping[str, Any]) -> Fair:
    """Secret and words, after a look at commitment and seals."""
    secret = sheet.get("secret")
    if secret is None:
        raise RecordError(say("the sheet has no secret: it is shown when the game is over"))
    if not _is_hex(secret, SECRET_BYTES):
        raise RecordError(say("secret: 64 hexadecimal digits are needed"))
    words = tuple(sheet["words"])
    seals = tuple(sheet.get("seals") or [None] * len(words))
    fair = Fair(bytes.fromhex(secret), words, seals)
    if fair.commitment != sheet["commitment"]:
        raise RecordError(
            say(
                "the secret is not the one the table committed to: its hash is {found}, not {due}",
                found=fair.commitment,
                due=sheet["commitment"],
            )
        )
    for seat, (word, seal) in enumerate(zip(words, seals, strict=True)):
        if word is not None and seal is not None and seal_of(word) != seal:
            raise RecordError(say("the word of seat {seat} is not the one it sealed", seat=seat))
    return fair


def _engine_of(record: Mapping[str, Any]) -> str:
    """What draws chance from outside the rules at this table, and its version; mostly ""."""
    module = GAMES[record["game"]].module
    uses = getattr(module, "uses_outcome", None)
    return str(module.outcome_engine()) if uses and uses(record["options"]) else ""


def _is_on_trust(sheet: Mapping[str, Any]) -> bool:
    """Whether chance was simulated, by another version than is here to simulate it again."""
    record, engine = sheet["record"], sheet.get("engine")
    uses = getattr(GAMES[record["game"]].module, "uses_outcome", None)
    if not uses or not uses(GAMES[record["game"]].check_options(record["options"])):
        if engine is not None:
            raise RecordError(say("engine: nothing is simulated at this table"))
        return False
    if engine is None:
        raise RecordError(say("the fair sheet has no {fields}", fields="engine"))
    return bool(engine != _engine_of(record))


def _compare_setup(found: Mapping[str, Any], due: Mapping[str, Any]) -> None:
    for name, value in due.items():
        if name not in found:
            raise RecordError(say("setup: there is no {field}", field=name))
        if json.dumps(found[name], sort_keys=True) != json.dumps(value, sort_keys=True):
            at, here, there = _first_difference(found[name], value)
            raise RecordError(
                say(
                    "setup: {place} is {found}, but secret and words give {due}",
                    place=f"{name}{at}",
                    found=here,
                    due=there,
                )
            )
    if extra := [name for name in found if name not in due]:
        raise RecordError(say("a setup has no field {fields}", fields=listed(extra)))


def _first_difference(found: Any, due: Any) -> tuple[str, str, str]:
    """Where two values part, and what stands there in each."""
    alike = type(found) is type(due) and isinstance(due, (list, str)) and len(found) == len(due)
    if alike and len(due) > 1:
        for i, (one, other) in enumerate(zip(found, due, strict=True)):
            if json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True):
                at, here, there = _first_difference(one, other)
                return f"[{i}]{at}", here, there
    return "", json.dumps(found), json.dumps(due)


SHOWN = 24


def _short(text: str, other: str) -> str:
    """A text cut down to where it parts from another."""
    if len(text) <= 2 * SHOWN:
        return text
    parts = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), 0)
    begin = max(0, parts - SHOWN // 2)
    piece = text[begin : begin + SHOWN]
    return ("…" if begin else "") + piece + ("…" if begin + SHOWN < len(text) else "")
