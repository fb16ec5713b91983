"""Messages that no client should send: malformed, reordered, stale, forged, too large.

Made from the protocol's own declarations, so a new message is covered as soon as it is declared.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import msgspec

from mandalier.server import protocol as p

MESSAGES: tuple[type[msgspec.Struct], ...] = get_args(p.ClientMessage)
SLOW_OR_FINAL = {p.Hint: 0.02, p.Close: 0.02, p.Rematch: 0.1, p.Resign: 0.2, p.Start: 0.3}
"""Messages that make a bot think, or that end what the others are about, come less often."""
NASTY = (
    "",
    " ",
    "\0",
    "null",
    "'; DROP TABLE events; --",
    '" OR 1=1 --',
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "{n} {0} %s %n",
    "\u202e\u200b\ufeff",
    "𝕄" * 30,
    "é" * 200,
    "A" * 64,
    "0",
    "-1",
    "NaN",
    "m1r",
    "ready LD",
    "throw L 0 0 0",
    "throw F 99999999999999999999 0 0",
    "tops 1",
    "20",
    "c" * 200,
    ":bot:0:5",
    "gone-",
)
NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    4,
    5,
    7,
    255,
    2**31,
    2**53,
    2**63 - 1,
    -(2**63),
    1e308,
    0.5,
    True,
    None,
    "1",
    [],
)
DEEP = 5_000


@dataclass
class Known:
    """What a mischievous client knows: tables and moves that are there, and what it has sent."""

    tables: list[str]
    moves: list[str] = field(default_factory=lambda: ["m1r"])
    at: int = 0
    sent: list[str] = field(default_factory=list)


class Garbage:
    """Messages by a seed."""

    def __init__(self, seed: int, known: Known) -> None:
        self.chooser = random.Random(seed)
        self.known = known
        self.count = 0
        self._kinds: Sequence[tuple[Callable[[], str | bytes], float]] = (
            (self.forged, 0.34),
            (self.nearly, 0.20),
            (self.again, 0.10),
            (self.broken, 0.10),
            (self.other_json, 0.08),
            (self.bent, 0.08),
            (self.noise, 0.04),
            (self.large, 0.03),
            (self.deep, 0.03),
        )

    def message(self) -> str | bytes:
        """The next one: text, or bytes for a binary frame."""
        self.count += 1
        makers, shares = zip(*self._kinds, strict=True)
        made: str | bytes = self.chooser.choices(makers, shares)[0]()
        if isinstance(made, str) and len(self.known.sent) < 500:
            self.known.sent.append(made)
        elif isinstance(made, str):
            self.known.sent[self.chooser.randrange(500)] = made
        return made

    # Kinds

    def forged(self) -> str:
        """In the right form, but about tables, seats and positions that are not the sender's."""
        return json.dumps(self._filled(self._kind(), wrong=0.0))

    def nearly(self) -> str:
        """In the right form but for a field or two."""
        made = self._filled(self._kind(), wrong=0.3)
        for name in self.chooser.sample(
            sorted(made), min(len(made), self.chooser.choice((0, 1, 1)))
        ):
            del made[name]
        return json.dumps(made)

    def again(self) -> str:
        """What was sent before, as it was or with something else under the same id."""
        if not self.known.sent:
            return self.forged()
        old = self.chooser.choice(self.known.sent)
        if self.chooser.random() < 0.5:
            return old
        try:
            found = json.loads(old)
        except (ValueError, RecursionError):
            return old
        if not isinstance(found, dict):
            return old
        return json.dumps({**self._filled(self._kind(), wrong=0.1), "id": found.get("id", "x")})

    def broken(self) -> str | bytes:
        """JSON that is cut off, or in which bytes have changed."""
        raw = bytearray(self.forged().encode())
        if self.chooser.random() < 0.5:
            return bytes(raw[: self.chooser.randrange(len(raw))])
        for _ in range(self.chooser.randrange(1, 4)):
            raw[self.chooser.randrange(len(raw))] = self.chooser.randrange(256)
        return bytes(raw)

    def other_json(self) -> str:
        """JSON, but no message of a client."""
        return self.chooser.choice(
            (
                "null",
                "[]",
                "{}",
                '"move"',
                "1e999",
                '{"type": null}',
                '{"type": ["move"]}',
                '{"type": "position", "n": 1, "table": "t", "at": 1, "seq": 1}',
                '{"type": "deal"}',
                '{"type": "flag", "seat": 0}',
                '{"type": "forget", "person": "x", "alias": "y"}',
                '{"type": "openrematch", "table": "t"}',
                '{"type": "autostart"}',
                '{"type": "move", "type": "hello"}',
                '[{"type": "beat", "time": 1}]',
                '{"type": "beat", "time": 1e400}',
                '{"type": "beat", "time": "now"}',
                '{"type": "chat", "id": "\\ud800", "table": "\\udfff", "text": "\\ud800"}',
            )
        )

    def bent(self) -> str:
        """A message with one more field, or with one of another type."""
        made = self._filled(self._kind(), wrong=0.0)
        name = self.chooser.choice([*made, "person", "n", "lag_ms", "bot_of", "__class__"])
        made[name] = self.chooser.choice((*NUMBERS, *NASTY, {"type": "move"}, [[]], made.copy()))
        return json.dumps(made)

    def noise(self) -> str | bytes:
        raw = self.chooser.randbytes(self.chooser.randrange(1, 200))
        return raw if self.chooser.random() < 0.5 else raw.decode("latin-1")

    def large(self) -> str:
        """Just below the most a message may have, above it, or with a number of many digits."""
        size = self.chooser.choice((p.LARGEST_MESSAGE - 200, p.LARGEST_MESSAGE + 1, 60_000))
        which = self.chooser.randrange(3)
        if which == 0:
            return json.dumps({**self._filled(p.Chat, wrong=0.0), "text": "x" * size})
        if which == 1:
            return '{"type": "beat", "time": ' + "9" * size + "}"
        return json.dumps({**self._filled(p.Why, wrong=0.0), "clicks": ["a"] * (size // 5)})

    def deep(self) -> str:
        """Nested further than anybody reads."""
        depth = self.chooser.choice((100, DEEP))
        return self.chooser.choice(
            ("[" * depth, '{"a":' * depth, '{"type":"move","x":' + "[" * depth + "]" * depth + "}")
        )

    # Fields

    def _kind(self) -> type[msgspec.Struct]:
        while True:
            kind = self.chooser.choice(MESSAGES)
            if kind is not p.Hello and self.chooser.random() < SLOW_OR_FINAL.get(kind, 1.0):
                return kind
            if kind is p.Hello and self.chooser.random() < 0.3:
                return kind

    def _filled(self, kind: type[msgspec.Struct], wrong: float) -> dict[str, Any]:
        made: dict[str, Any] = {"type": str(kind.__struct_config__.tag)}
        for one in msgspec.structs.fields(kind):
            if not one.required and self.chooser.random() < 0.4:
                continue
            made[one.encode_name] = (
                self.chooser.choice((*NUMBERS, *NASTY))
                if self.chooser.random() < wrong
                else self._value(kind, one.name, one.type)
            )
        return made

    def _value(self, kind: type[msgspec.Struct], name: str, hint: Any) -> Any:
        pick = self.chooser.choice
        if name == "id":
            return f"g{self.count}" if self.chooser.random() < 0.9 else pick(NASTY)
        if name == "table":
            return pick([*self.known.tables, pick(NASTY)])
        if name in ("at", "since"):
            return max(0, self.known.at + pick((-50, -5, -1, 0, 0, 0, 1, 2**40)))
        if name == "move":
            return pick([*self.known.moves, pick(NASTY)])
        if name == "bot":
            return pick(("random", "greedy", *NASTY))
        if name == "fill_with":
            return pick(("random", *NASTY))
        if name == "token":
            return None if self.chooser.random() < 0.5 else pick(NASTY)
        if name == "text":
            return pick((*NASTY, "".join(self.chooser.choices(string.printable, k=40))))
        if name == "clicks":
            return [
                pick((*NASTY, *self.known.moves))[:40] for _ in range(self.chooser.randrange(5))
            ]
        found = msgspec.inspect.type_info(hint)
        return self._of_info(found)

    def _of_info(self, info: Any) -> Any:
        pick = self.chooser.choice
        if isinstance(info, msgspec.inspect.Metadata):
            return self._of_info(info.type)
        if isinstance(info, msgspec.inspect.UnionType):
            return self._of_info(pick(info.types))
        if isinstance(info, msgspec.inspect.LiteralType):
            return pick(info.values)
        if isinstance(info, msgspec.inspect.BoolType):
            return pick((True, False))
        if isinstance(info, msgspec.inspect.IntType):
            return pick((0, 0, 1, 1, 2, 4, -1))
        if isinstance(info, msgspec.inspect.FloatType):
            return pick((0.0, -1.0, 1e12))
        if isinstance(info, msgspec.inspect.NoneType):
            return None
        return pick(NASTY)
