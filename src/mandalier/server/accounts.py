"""Who is who: guests, accounts, programs.

Whoever comes gets an identity at once, as a *guest*: a name, and a cookie with 256 random bits. A
guest who wants to come back from another machine makes it an *account*, by recovery codes: shown
once, each good for one return. There is no e-mail address to give and no password to choose, to
leak, or to forget. *Programs* and outside bots have tokens with scopes.

The database holds hashes of cookies, codes and tokens only. All of these are random and long, so a
plain SHA-256 keeps them (slow hashes are for what people choose), and looking one up by its hash
tells nothing by how long it takes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from mandalier.games.errors import MandalierError
from mandalier.games.words import listed, say
from mandalier.server.names import check_name

COOKIE = "mandalier"
DAY_MS = 86_400_000
COOKIE_DAYS = 400  # what browsers keep at most
RECOVERY_CODES = 8
CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O and U
CODE_GROUPS, CODE_GROUP = 4, 5  # 100 bits
MISREAD = str.maketrans("ILO", "110")
SCOPES = ("play", "read", "admin")
MOST_TOKENS = 20
LONGEST_LABEL = 40
SECRET_LENGTHS = range(20, 100)

MIGRATION: tuple[str, ...] = (
    "CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL,"
    " created BIGINT NOT NULL, seen BIGINT NOT NULL, banned TEXT NOT NULL)",
    "CREATE INDEX people_by_seen ON people (kind, seen)",
    "CREATE TABLE credentials (hash TEXT PRIMARY KEY, person TEXT NOT NULL, kind TEXT NOT NULL,"
    " label TEXT NOT NULL, scopes TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT)",
    "CREATE INDEX credentials_by_person ON credentials (person, kind)",
)
"""The tables of this module, for the store's list of migrations."""


class AccountError(MandalierError):
    """What an account cannot do; the message tells no more than its owner may know."""


class Keeper(Protocol):
    """What is needed of a store."""

    async def write(self, *statements: tuple[str, Sequence[Any]]) -> None: ...

    async def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]: ...


class Person(Struct, frozen=True):
    """Somebody. `banned` is the reason, "" for nearly all."""

    id: str
    name: str
    kind: str
    """guest, account or program"""
    created: int
    seen: int
    banned: str = ""

    @property
    def is_banned(self) -> bool:
        return bool(self.banned)


class Identity(Struct, frozen=True):
    """A person, and what the cookie or token that was shown is good for."""

    person: Person
    scopes: tuple[str, ...]
    kind: str
    """cookie or token"""

    def may(self, scope: str) -> bool:
        return scope in self.scopes


class TokenInfo(Struct, frozen=True):
    """A token as its owner sees it later: not the token itself."""

    id: str
    label: str
    scopes: list[str]
    created: int


COLUMNS = "id, name, kind, created, seen, banned"


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_id(size: int) -> str:
    """An id of so many random bytes. It is given to commands, so no hyphen begins it: that would make
    an option of it."""
    while (made := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return made


def new_secret(kind: str) -> str:
    """256 random bits; what it is for can be told by its beginning, also by scanners for leaks."""
    return f"md{kind[0]}_{secrets.token_urlsafe(32)}"


def new_code() -> str:
    """A recovery code, such as 7K2MD-…: to be written down."""
    letters = [secrets.choice(CODE_LETTERS) for _ in range(CODE_GROUPS * CODE_GROUP)]
    groups = range(0, len(letters), CODE_GROUP)
    return "-".join("".join(letters[i : i + CODE_GROUP]) for i in groups)


def plain_code(code: str) -> str:
    """A code as it is hashed, however it was typed."""
    return "".join(c for c in code.upper().translate(MISREAD) if c in CODE_LETTERS)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Accounts:
    """People and what they show to prove that they are who they are, in a store."""

    def __init__(self, store: Keeper, clock: Callable[[], int] = now_ms) -> None:
        self.store = store
        self.clock = clock

    # Coming

    async def guest(self, name: object, kind: str = "guest") -> tuple[Person, str]:
        """Somebody new, and the secret for the cookie (for a program: its token)."""
        now = self.clock()
        person = Person(new_id(12), check_name(name), kind, now, now)
        secret, credential = self._credential(person.id, "token" if kind == "program" else "cookie")
        await self.store.write(
            (
                f"INSERT INTO people ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
                (person.id, person.name, kind, now, now, ""),
            ),
            credential,
        )
        return person, secret

    def _credential(
        self,
        person: str,
        kind: str,
        label: str = "",
        scopes: Iterable[str] = ("play", "read"),
        secret: str = "",
    ) -> tuple[str, tuple[str, tuple[Any, ...]]]:
        now = self.clock()
        secret = secret or new_secret(kind)
        expires = now + COOKIE_DAYS * DAY_MS if kind == "cookie" else None
        values = (hash_of(secret), person, kind, label, " ".join(scopes), now, expires)
        return secret, (
            "INSERT INTO credentials (hash, person, kind, label, scopes, created, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            values,
        )

    async def identify(self, secret: object) -> Identity | None:
        """Who shows this cookie or token; None if nobody may. A banned person is returned too:
        what is refused them is for the caller to say."""
        if not isinstance(secret, str) or len(secret) not in SECRET_LENGTHS:
            return None
        wanted = hash_of(secret)
        people = ", ".join(f"p.{name}" for name in COLUMNS.split(", "))
        found = await self.store.rows(
            f"SELECT c.hash, c.kind, c.scopes, c.expires, {people} FROM credentials c"
            " JOIN people p ON p.id = c.person"
            " WHERE c.hash = ? AND c.kind IN ('cookie', 'token')",
            (wanted,),
        )
        if not found:
            return None
        hashed, kind, scopes, expires, *fields = found[0]
        now = self.clock()
        if not hmac.compare_digest(hashed, wanted) or (expires is not None and expires < now):
            return None
        person = Person(*fields)
        if now - person.seen > DAY_MS:
            await self._see(person.id, wanted, kind, now)
        return Identity(person, tuple(scopes.split()), kind)

    async def _see(self, person: str, hashed: str, kind: str, now: int) -> None:
        """Once a day: note that somebody was here, and let the cookie live on."""
        statements: list[tuple[str, Sequence[Any]]] = [
            ("UPDATE people SET seen = ? WHERE id = ?", (now, person))
        ]
        if kind == "cookie":
            later = now + COOKIE_DAYS * DAY_MS
            statements.append(
                ("UPDATE credentials SET expires = ? WHERE hash = ?", (later, hashed))
            )
        await self.store.write(*statements)

    async def person(self, person: str) -> Person | None:
        found = await self.store.rows(f"SELECT {COLUMNS} FROM people WHERE id = ?", (person,))
        return Person(*found[0]) if found else None

    async def rename(self, person: str, name: object) -> str:
        made = check_name(name)
        await self.store.write(("UPDATE people SET name = ? WHERE id = ?", (made, person)))
        return made

    # Coming back

    async def new_recovery_codes(self, person: str) -> list[str]:
        """Codes to write down, in the place of all earlier ones. A guest becomes an account."""
        codes = [new_code() for _ in range(RECOVERY_CODES)]
        rows = [
            self._credential(person, "recovery", secret="recovery " + plain_code(code))[1]
            for code in codes
        ]
        await self.store.write(
            ("DELETE FROM credentials WHERE person = ? AND kind = 'recovery'", (person,)),
            *rows,
            ("UPDATE people SET kind = 'account' WHERE id = ? AND kind = 'guest'", (person,)),
        )
        return codes

    async def recover(self, code: object) -> tuple[Person, str, int]:
        """Come back by a code: who, a new cookie, and how many codes are left. It is used up."""
        refused = AccountError(say("this is no recovery code, or it has been used"))
        plain = plain_code(code) if isinstance(code, str) and len(code) < 100 else ""
        if len(plain) != CODE_GROUPS * CODE_GROUP:
            raise refused
        hashed = hash_of("recovery " + plain)
        found = await self.store.rows(
            "SELECT person FROM credentials WHERE hash = ? AND kind = 'recovery'", (hashed,)
        )
        person = await self.person(found[0][0]) if found else None
        if person is None:
            raise refused
        secret, cookie = self._credential(person.id, "cookie")
        spent = f"spent {hashed}"  # two who use a code at the same time: this key lets one through
        try:
            await self.store.write(
                (
                    "INSERT INTO credentials (hash, person, kind, label, scopes, created, expires)"
                    " VALUES (?, ?, 'spent', '', '', ?, NULL)",
                    (spent, person.id, self.clock()),
                ),
                ("DELETE FROM credentials WHERE hash = ?", (hashed,)),
                cookie,
            )
        except Exception as error:
            if await self.store.rows("SELECT 1 FROM credentials WHERE hash = ?", (spent,)):
                raise refused from error
            raise
        return person, secret, await self.codes_left(person.id)

    async def codes_left(self, person: str) -> int:
        sql = "SELECT COUNT(*) FROM credentials WHERE person = ? AND kind = 'recovery'"
        return int((await self.store.rows(sql, (person,)))[0][0])

    async def forget(self, secret: str) -> list[str]:
        """Make one cookie or token worthless. The hashes of what was, as of all that follow."""
        await self.store.write(("DELETE FROM credentials WHERE hash = ?", (hash_of(secret),)))
        return [hash_of(secret)]

    async def forget_all(self, person: str) -> list[str]:
        """Make all cookies and tokens of somebody worthless; recovery codes stay."""
        theirs = "person = ? AND kind IN ('cookie', 'token')"
        rows = await self.store.rows(f"SELECT hash FROM credentials WHERE {theirs}", (person,))
        await self.store.write((f"DELETE FROM credentials WHERE {theirs}", (person,)))
        return [row[0] for row in rows]

    # Tokens

    async def new_token(
        self, person: str, label: object, scopes: Sequence[object] = ("play", "read")
    ) -> str:
        """A token for a program that acts for somebody. It is shown once."""
        if not isinstance(label, str) or not 1 <= len(label) <= LONGEST_LABEL:
            raise AccountError(
                say("a token has a label of 1 to {n} characters, to know it by", n=LONGEST_LABEL)
            )
        if not scopes or any(scope not in SCOPES for scope in scopes):
            raise AccountError(say("the scopes of a token are {scopes}", scopes=listed([*SCOPES])))
        if len(await self.tokens(person)) >= MOST_TOKENS:
            raise AccountError(
                say("nobody has more than {n} tokens; take one back first", n=MOST_TOKENS)
            )
        secret, row = self._credential(person, "token", label, sorted(set(map(str, scopes))))
        await self.store.write(row)
        return secret

    async def tokens(self, person: str) -> list[TokenInfo]:
        rows = await self.store.rows(
            "SELECT hash, label, scopes, created FROM credentials"
            " WHERE person = ? AND kind = 'token' ORDER BY created, hash",
            (person,),
        )
        return [
            TokenInfo(hashed[:16], label, scopes.split(), created)
            for hashed, label, scopes, created in rows
        ]

    async def take_back(self, person: str, token_id: str) -> list[str]:
        """Make a token worthless, by its id in the list."""
        taken = []
        for (hashed,) in await self.store.rows(
            "SELECT hash FROM credentials WHERE person = ? AND kind = 'token'", (person,)
        ):
            if hmac.compare_digest(hashed[:16].encode(), token_id.encode()):
                await self.store.write(("DELETE FROM credentials WHERE hash = ?", (hashed,)))
                taken.append(hashed)
        return taken

    # Running a server

    async def people(self, after: str = "", limit: int = 100, search: str = "") -> list[Person]:
        """People by id, page by page; with a search, those whose name has it."""
        wanted = "%" + search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = await self.store.rows(
            f"SELECT {COLUMNS} FROM people WHERE id > ? AND LOWER(name) LIKE LOWER(?) ESCAPE '\\'"
            " ORDER BY id LIMIT ?",
            (after, wanted, limit),
        )
        return [Person(*row) for row in rows]

    async def ban(self, person: str, reason: str) -> None:
        """Keep somebody from playing; an empty reason lets them in again."""
        await self.store.write(("UPDATE people SET banned = ? WHERE id = ?", (reason, person)))

    async def sweep(self, guest_days: int) -> None:
        """Let go of cookies that have expired, and of guests not seen for so long whose name is at
        no table."""
        now = self.clock()
        before = now - guest_days * DAY_MS
        gone = (
            "kind = 'guest' AND seen < ? AND NOT EXISTS"
            " (SELECT 1 FROM events e WHERE e.person = people.id AND e.kind <> 'move')"
        )
        await self.store.write(
            ("DELETE FROM credentials WHERE expires IS NOT NULL AND expires < ?", (now,)),
            (
                f"DELETE FROM credentials WHERE person IN (SELECT id FROM people WHERE {gone})",
                (before,),
            ),
            (f"DELETE FROM people WHERE {gone}", (before,)),
        )

    async def export(self, person: str) -> dict[str, Any]:
        """All that is kept about somebody, as data; none of it lets anybody in."""
        found = await self.person(person)
        if found is None:
            raise AccountError(say("there is no such person"))
        events = await self.store.rows(
            "SELECT tbl, seq, kind, at, seat, data FROM events WHERE person = ? AND tbl IN"
            " (SELECT tbl FROM events WHERE person = ? AND kind <> 'move') ORDER BY at, tbl, seq",
            (person, person),
        )
        return {
            "person": {
                "id": found.id,
                "name": found.name,
                "kind": found.kind,
                "created": found.created,
                "seen": found.seen,
                "banned": found.banned,
            },
            "tokens": [
                {"label": token.label, "scopes": token.scopes, "created": token.created}
                for token in await self.tokens(person)
            ],
            "recovery_codes_left": await self.codes_left(person),
            "events": [
                {
                    "table": table,
                    "seq": seq,
                    "kind": kind,
                    "at": at,
                    "seat": seat,
                    "data": json.loads(data),
                }
                for table, seq, kind, at, seat, data in events
            ],
        }
