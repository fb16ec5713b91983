"""What docs/protocol.md says besides the messages, and the list of HTTP routes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, get_args

from mandalier.server import protocol as p
from mandalier.server import protocol_people as pp
from mandalier.server.notify import Subscribed


@dataclass(frozen=True)
class HttpRoute:
    """One operation of the HTTP interface."""

    method: str
    path: str
    name: str
    what: str
    answer: Any = None
    body: Any = None
    status: int = 200
    known: bool = False
    admin: bool = False
    media: str = "application/json"
    query: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def in_path(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)


_SEAT: dict[str, Any] = {"type": "integer", "minimum": -1, "maximum": 4}
_LOOK: dict[str, dict[str, Any]] = {
    "form": {"type": "string", "enum": ["data", "picture"]},
    "explain": {"type": "string", "enum": ["0", "1"]},
    "language": {"type": "string", "enum": ["en", "fr", "pt"]},
    "theme": {"type": "string", "enum": ["light", "dark"]},
    "arrangement": {"type": "string", "enum": ["wide", "tall"]},
    "seat": _SEAT,
}
_PAGE: dict[str, dict[str, Any]] = {
    "before": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    "game": {"type": "string"},
}
_TABLE = "/api/v1/tables/{table}"
_ME = "/api/v1/me"
_NOTICES = "/api/v1/notifications"
_ADMIN = "/api/v1/admin"

ROUTES = (
    HttpRoute(
        "POST", "/api/v1/guests", "newGuest", "come in as a guest", p.GuestOut, p.GuestIn, 201
    ),
    HttpRoute("GET", "/api/v1/me", "me", "who you are", p.PersonOut, known=True),
    HttpRoute(
        "GET", "/api/v1/me/tables", "myTables", "your tables that go on", p.TablesOut, known=True
    ),
    HttpRoute(
        "GET",
        "/api/v1/me/results",
        "myResults",
        "how your games ended, the newest table first; `next` is `before` of the next page",
        p.ResultsOut,
        known=True,
        query=_PAGE,
    ),
    HttpRoute(
        "GET",
        "/api/v1/results",
        "results",
        "how games at public tables ended, the newest table first",
        p.ResultsOut,
        query=_PAGE,
    ),
    HttpRoute("GET", "/api/v1/games", "games", "the games", p.GamesOut),
    HttpRoute("GET", "/api/v1/bots", "bots", "the bots", p.BotsOut),
    HttpRoute(
        "GET",
        "/api/v1/tables",
        "tables",
        "public tables, the newest first; `next` is `before` of the next page",
        p.TablesOut,
        query=_PAGE,
    ),
    HttpRoute(
        "POST",
        "/api/v1/tables",
        "newTable",
        "make a table",
        p.TableOut,
        p.TableConfig,
        201,
        known=True,
    ),
    HttpRoute("GET", _TABLE, "table", "a table, and its link", p.TableOut),
    HttpRoute("GET", f"{_TABLE}/seats", "seats", "who sits there", p.SeatsOut),
    HttpRoute("GET", f"{_TABLE}/result", "result", "how it ended", p.ResultOut),
    HttpRoute(
        "GET", f"{_TABLE}/position", "position", "as you may see it", p.Position, query=_LOOK
    ),
    HttpRoute("GET", f"{_TABLE}/record", "record", "the record (docs/records.md), when it is over"),
    HttpRoute("GET", f"{_TABLE}/fair", "fair", "the fair sheet, when it is over"),
    HttpRoute(
        "GET",
        f"{_TABLE}/stream",
        "stream",
        "server-sent events: what a socket that watches this table is sent",
        media="text/event-stream",
        query={
            **_LOOK,
            "since": {"type": "string", "pattern": "^[0-9]{1,15}$"},
            "parts": {"type": "string", "enum": ["0", "1"]},
        },
    ),
    HttpRoute(
        "POST",
        "/api/v1/messages",
        "message",
        "a message that names a table",
        p.AnswerOut,
        p.TableMessage,
        known=True,
    ),
    HttpRoute("PATCH", _ME, "rename", "another name", p.PersonOut, pp.RenameIn, known=True),
    HttpRoute(
        "DELETE",
        _ME,
        "deleteMe",
        "forget all about you; games you played in stay, without you",
        pp.DoneOut,
        known=True,
    ),
    HttpRoute("GET", f"{_ME}/export", "exportMe", "all that is kept about you", known=True),
    HttpRoute(
        "POST",
        f"{_ME}/codes",
        "newCodes",
        "recovery codes, in the place of earlier ones; a guest becomes an account",
        pp.CodesOut,
        status=201,
        known=True,
    ),
    HttpRoute(
        "POST", "/api/v1/recover", "recover", "come back by a code", pp.RecoveredOut, pp.RecoverIn
    ),
    HttpRoute("POST", "/api/v1/logout", "logOut", "make this key worthless", pp.DoneOut),
    HttpRoute(
        "POST",
        "/api/v1/logout/everywhere",
        "logOutEverywhere",
        "make all your keys worthless, but not the recovery codes",
        pp.DoneOut,
        known=True,
    ),
    HttpRoute("GET", f"{_ME}/tokens", "tokens", "your programs' keys", pp.TokensOut, known=True),
    HttpRoute(
        "POST",
        f"{_ME}/tokens",
        "newToken",
        "a key for a program that acts for you",
        pp.TokenOut,
        pp.TokenIn,
        201,
        known=True,
    ),
    HttpRoute(
        "DELETE",
        f"{_ME}/tokens/{{token}}",
        "takeBackToken",
        "make a program's key worthless",
        pp.DoneOut,
        known=True,
    ),
    HttpRoute(
        "GET",
        _NOTICES,
        "notices",
        "how you are told of your turn when you are away",
        pp.NoticesOut,
        known=True,
    ),
    HttpRoute(
        "POST", _NOTICES, "subscribe", "be told", Subscribed, pp.SubscribeIn, 201, known=True
    ),
    HttpRoute(
        "POST",
        f"{_NOTICES}/{{notice}}/confirm",
        "confirm",
        "an e-mail address, by the code sent to it",
        pp.DoneOut,
        pp.ConfirmIn,
        known=True,
    ),
    HttpRoute(
        "POST", f"{_NOTICES}/{{notice}}/test", "testNotice", "send one", pp.DoneOut, known=True
    ),
    HttpRoute(
        "DELETE",
        f"{_NOTICES}/{{notice}}",
        "unsubscribe",
        "be told no more",
        pp.DoneOut,
        known=True,
    ),
    HttpRoute(
        "GET",
        f"{_NOTICES}/stop",
        "stopPage",
        "where the link at the foot of an e-mail leads",
        media="text/html",
        query={"key": {"type": "string"}},
    ),
    HttpRoute(
        "POST",
        f"{_NOTICES}/stop",
        "stop",
        "be told no more, by that link",
        media="text/html",
        query={"key": {"type": "string"}},
    ),
    HttpRoute("GET", f"{_ADMIN}/status", "status", "how the server is", pp.StatusOut, admin=True),
    HttpRoute(
        "GET",
        f"{_ADMIN}/people",
        "people",
        "who there is, by id; `next` is `after` of the next page",
        pp.PeopleOut,
        admin=True,
        query={"after": {"type": "string"}, "search": {"type": "string"}},
    ),
    HttpRoute(
        "GET",
        f"{_ADMIN}/people/{{person}}",
        "exportPerson",
        "all that is kept about somebody",
        admin=True,
    ),
    HttpRoute(
        "DELETE",
        f"{_ADMIN}/people/{{person}}",
        "deletePerson",
        "forget somebody",
        pp.DoneOut,
        admin=True,
    ),
    HttpRoute(
        "POST",
        f"{_ADMIN}/people/{{person}}/ban",
        "ban",
        "keep somebody from playing, or let them again",
        pp.DoneOut,
        pp.BanIn,
        admin=True,
    ),
    HttpRoute(
        "GET",
        f"{_ADMIN}/tables",
        "adminTables",
        "tables of a status, public or not, the newest first",
        pp.AdminTablesOut,
        admin=True,
        query={
            "status": {"type": "string", "enum": list(get_args(p.Status))},
            "before": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        },
    ),
    HttpRoute(
        "POST",
        f"{_ADMIN}/tables/{{table}}/close",
        "closeTable",
        "end a table without a result",
        pp.DoneOut,
        admin=True,
    ),
    HttpRoute("GET", "/api/v1/openapi.json", "openapi", "this interface, for programs"),
)

HTTP = """
For all that is not live. `/api/v1/openapi.json` describes it to programs. A refusal is a
`ProblemOut` with a code of the list above; its status is 400 for what cannot be read, 401 without a
valid key, 403 for what is not yours, 404, 413, 429, 503, and 409 for all that is against the rules or
comes at the wrong time.

Programs send their key as `Authorization: Bearer …`; browsers have it in a cookie that no script can
read. What a browser changes by POST, PATCH or DELETE has to come from a page of this server. What is
under `/api/v1/admin` takes the admin's token (docs/hosting.md).
"""

OPENING = """# The protocol

*Made from `src/mandalier/server/protocol.py` by `make protocol`.*

`mandalier serve` opens the tables. A client talks to one over a WebSocket at `/api/v1/live`. Every message is one JSON object with a
`type`, at most 16,384 bytes long from client to server. What a message does not need may be left out,
and unknown fields are ignored. The number of this protocol is 1.

## A game, start to end

A key first, from `POST /api/v1/guests` with `{"name": "Ada"}`: a browser gets it as a cookie, a
program reads `token`. Then a table, `POST /api/v1/tables`:

```json
{"game": "sand", "visibility": "link", "clock": {"kind": "game", "seconds": 900, "increment": 10}}
```

The answer has the table's `id`, and the `link` to send to a friend. Now open the socket and say

```json
{"type": "hello", "protocol": 1, "form": "data", "language": "en"}
{"type": "watch", "id": "1", "table": "TABLE"}
{"type": "sit", "id": "2", "table": "TABLE", "seat": 0}
```

The server answers with `welcome`, `done` for each `id`, and a `position` whenever something has
changed. When the other seat is taken, by a friend or with `addbot`, the game is dealt (or at once by
`start`, which can fill empty seats with bots). A position as `data`:

```json
{"type": "position", "n": 7, "table": "TABLE", "at": 5, "seq": 5, "seat": 0, "mine": [0],
 "waiting": [0], "info": {"status": "playing", "…": "…"},
 "view": {"form": "data", "view": {"game": "sand", "…": "…"}, "legal": ["m1r", "m1o", "…"]},
 "log_from": 0, "log": [], "clocks": {"now": 1790000000000, "left": [900000, 900000], "running": [0]}}
```

Play by sending the text of a legal move with the `at` you look at:

```json
{"type": "move", "id": "3", "table": "TABLE", "at": 5, "move": "m1r"}
```

`done` says that the move is kept for good: it survives a crash of the server at that very moment.
`refused` has a code, the reason in words, and the position as it is. If no answer comes, connect
again and send the same message with the same `id`: it counts once, and the first answer is given
again. Never send it with a new id or another `at`.

Log lines are replaced from `log_from` on. A client that has been away says `watch` with
`"since": <its last at>` and gets what is new only. Messages are numbered by `n`; if one is missing,
`watch` again brings everything.

Every 15 s a `beat` comes, to be answered at once with its `time`. So either side knows that the other
is there, and the clocks can make up for the way a move takes (half a second a move at most).

When the server restarts it says `bye` with `return_after_ms` and closes with 1012.

## Forms

`"form": "picture"` is for pages. `view` has `svg`, whose elements have ids; `paths`, the legal moves
as a tree of ids to click, each end with the text of the move; and `words`, the position read aloud.
What a move in a large tree does is asked by `explain`, why clicks are no move by `why`.

With `"parts": true` in `hello` a picture comes in parts, and only those that have changed: `svg` is
empty, and `parts` has texts, and in the place of those you have where they are among yours. So
`["<svg …>", [1, 5], "<g id=…", [6, 30]]` is a new text, your parts 1 to 4, a new text, and your parts
6 to 29; put together they are the picture, and your parts from now on. Those of the first position
after `hello` or `watch` are all texts. (A `stream` takes `parts=1`.)

`recall` shows any earlier position, with no more in it than you could know then, and `sums` what the
points of each seat are made of.

## Throws

Where something is thrown, a picture has a `stage`: the table as a solid thing, and in `throws` what
may be thrown now. A throw's move is its `move` and a number for each of its `gauges`, in their order:
`throw D 1950 1170`. A page needs no rules for that; what a gesture comes to is the server's to say.

Once it has, everybody at the table gets the same `motions` with the next position: the dice as they
lay, their paths, and where they came to rest. `age_ms` tells how long ago it began, so that all see
the same at the same time. `path`, after base64, is a byte that says 1 and deflated bytes (raw, no
header) that hold whole numbers: seven bits a byte, lowest first, the eighth bit set if more follow,
and of the number the lowest bit is the sign (`n = -(m + 1) / 2` if it is set, else `m / 2`). They
tell how many dice moved, and of each: seat, number, the picture in which it starts, how many pictures
follow (60 a second); x for each of them, then y, then z, each as the change of the step since the
picture before (the first two steps count from 0); then for each picture four numbers, as changes
since the picture before, which begin at 0, 512, 512, 512: the place of the largest part of a
quaternion (w, x, y, z) and the other three parts, of which `p` stands for
`p / (1023 / sqrt 2) - sqrt 1/2`. Lengths are tenths of a millimetre, x to the right and y down as
seat 0 sees it, z up; quaternions are of a die with its 1 up, 2 to the right, 3 away from seat 0, with
y up the page.

## Programs

`"form": "data"` is for programs. With `"explain": true` legal moves are
`{"move": …, "words": …}`, and log lines have words, too.

Nothing that goes out has more in it than the seat may know: it is made from the hidden state.

## Seats, people, bots

Whoever has the link may sit down. Several seats of one person are hot-seat; messages then name the
`seat`, and `watch` with a `seat` chooses from which to look (otherwise the one that is to move).
A program that plays for itself says `"program": true` when it sits down. `addbot`, `rise`, `start`,
`setchat` and `close` are the host's, who made the table.

`undo` takes your last move back: at once if it showed you nothing and your turn goes on (or the move
is still hidden from all others), otherwise by an offer that all other people here answer with `agree`.
`pause` and `resume` are offers, too. `leave` hands the seat to a bot until you `return`; when all
people have left, the game waits. `resign` ends a game of two; of more, a bot plays the seat on.

## Fair deals

`info.fair` shows the commitment to the table's secret from the beginning. Each seat may send a
`word`, or `seal` one and say it after the start; secret and words make the deal and every throw.
When the game is over `/api/v1/tables/{table}/fair` has the sheet that `mandalier check --fair sheet.jsonl`
reads.

## Without WebSocket

`GET /api/v1/tables/{table}/stream` sends the same messages as server-sent events, and
`POST /api/v1/messages` takes the same messages, one a request, and answers with `done` or `refused`.
An event with a position has its `at` as its `id`, so a stream that a browser opens again by itself goes on from
there (programs may say `since`).
"""
