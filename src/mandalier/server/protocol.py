"""Every message between a client and the server, and every body of the HTTP interface.

What is declared here is all there is: docs/protocol.md, the OpenAPI document and the client's types
are made from it (`python -m mandalier.server.protocol_docs`). A message is a JSON object with a
`type`. Unknown fields are ignored, so that either side may be the newer one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from mandalier.server.protocol_stage import Motion, Stage

VERSION = 1
LARGEST_MESSAGE = 16_384  # bytes a client may send at once
LONGEST_CHAT = 500

Form = Literal["data", "picture"]
Language = Literal["en", "fr", "pt"]
SeatKind = Literal["open", "person", "program", "bot"]
Status = Literal["gathering", "sealing", "playing", "paused", "over", "closed"]
Hints = Literal["none", "legal", "advice"]
Visibility = Literal["public", "link"]


NO_CONTROLS = r"^[^\x00-\x1f\x7f]*$"
"""Text as every database takes it."""


def _text(most: int, about: str, pattern: str | None = None) -> Any:
    return Meta(min_length=1, max_length=most, pattern=pattern, description=about)


Id = Annotated[
    str,
    _text(
        64,
        "made up by the client; a message sent again with it gets the first answer again",
        NO_CONTROLS,
    ),
]
TableId = Annotated[str, _text(32, "the table")]
Seat = Annotated[int, Meta(ge=0, le=4, description="a seat's number, from 0")]
MoveText = Annotated[str, _text(200, "the text of a move, as in docs/<game>.md")]
BotName = Annotated[str, Meta(max_length=20, description="a level, from GET /api/v1/bots")]
Short = Annotated[str, Meta(max_length=40)]
At = Annotated[int, Meta(ge=0)]
Name = Annotated[str, _text(40, "a name to show")]


# Tables ----------------------------------------------------------------------------------------


class ClockRule(Struct, frozen=True, forbid_unknown_fields=True):
    """How time is kept. `move`: so many seconds for each turn; `game`: so many for the whole game,
    and `increment` seconds more after each move; `days`: so many days for each turn. Whose time for
    the game is up has lost; whose time for a turn is up is played for by a bot until they `return`.
    """

    kind: Literal["none", "move", "game", "days"] = "none"
    seconds: Annotated[int, Meta(ge=1, le=86_400)] = 300
    increment: Annotated[int, Meta(ge=0, le=600)] = 0
    days: Annotated[int, Meta(ge=1, le=30)] = 3


class TableConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table is to be."""

    game: Annotated[str, _text(20, "sand, stones, pyramids or dice")]
    seats: Annotated[
        Annotated[int, Meta(ge=1, le=5)] | None, Meta(description="null: the game's least")
    ] = None
    options: Annotated[
        dict[str, Any], Meta(description="the game's options, house data under `data` included")
    ] = {}
    clock: ClockRule = ClockRule()
    visibility: Annotated[
        Visibility, Meta(description="whether the list of tables shows it, or the link alone")
    ] = "link"
    hints: Annotated[
        Hints, Meta(description="none; the legal moves; or a bot's advice as well")
    ] = "advice"
    spectators: bool = True
    spectator_delay_s: Annotated[int, Meta(ge=0, le=86_400)] = 0
    chat: bool = True
    undo: Annotated[
        bool, Meta(description="whether moves may be taken back if all people here agree")
    ] = True
    start_when_full: bool = True
    bot_pace: Annotated[
        bool, Meta(description="bots take their time, as people do; false: they answer at once")
    ] = True
    fill_with: Annotated[
        BotName | None, Meta(description="a bot level that fills empty seats at a start")
    ] = None


class SeatInfo(Struct, frozen=True):
    """Who sits on a seat."""

    seat: int
    kind: SeatKind
    name: str = ""
    bot: str | None = None
    """A bot's level; also the bot that stands in for somebody who has left."""
    away: bool = False
    """Whether its person has left, and a bot plays meanwhile."""
    out: bool = False
    """Whether it has resigned or lost on time."""


class Offer(Struct, frozen=True):
    """Something that waits for the others' consent."""

    what: Literal["undo", "pause", "resume"]
    seat: int
    agreed: list[int]


class Outcome(Struct, frozen=True):
    """How a game ended. The reason is one of the game's, or `resigned`, `time`, `closed`."""

    reason: str
    scores: list[int]
    winners: list[int]


class TableInfo(Struct, frozen=True):
    """A table, but for the game on it."""

    id: str
    config: TableConfig
    host: str
    status: Status
    seats: list[SeatInfo]
    chat: bool
    fair: dict[str, Any]
    """The commitment, the words and the seals (see docs/fairness)."""
    created: int
    offers: list[Offer] = []
    outcome: Outcome | None = None
    rematch: str | None = None
    """The table of the next game."""


class Clocks(Struct, frozen=True):
    """Milliseconds left for each seat at the time `now` of the server; who is in `running` is
    using them up."""

    now: int
    left: list[int]
    running: list[int]


class LogLine(Struct, frozen=True):
    """One entry of the record, as far as the seat may know it."""

    who: int | None
    """The seat; null for chance."""
    text: str | None
    """The entry's text; null while it is hidden."""
    words: str = ""


class LegalMove(Struct, frozen=True):
    """A legal move, and what it does."""

    move: str
    words: str


class PlainView(Struct, frozen=True, tag_field="form", tag="data"):
    """A position for programs."""

    view: dict[str, Any]
    legal: list[str | LegalMove]


class PictureView(Struct, frozen=True, tag_field="form", tag="picture"):
    """A position for a page: SVG whose elements have ids."""

    svg: str
    """The whole; empty where `parts` has it."""
    paths: dict[str, Any]
    """The legal moves as ids to click: a tree of ids, at its ends `{"move": text}`, if there are
    few also `"says"`: what the move does (else ask by `explain`)."""
    words: str
    """The position read aloud."""
    stage: Stage | None = None
    """The table for throws, while there are any."""
    prompt: str = ""
    """What you can do now, in a sentence; empty when you are not to move."""
    parts: list[str | list[int]] | None = None
    """The SVG in parts, if `hello` asked for that: put together they are the whole. In the place of
    parts that you have there is where: [1, 4] are parts 1, 2 and 3 of those you have of this table,
    counted from 0. You have the parts of its last `position` message on this connection; after
    `hello` and `watch` a position brings them all. (A position within `refused` is whole and
    changes nothing of that.)"""


class Part(Struct, frozen=True):
    """A part of a score."""

    words: str
    points: int


class Gained(Struct, frozen=True):
    """Points that an entry of the log brought, or cost; those of the setup have `ply` −1."""

    ply: int
    points: int


class Sum(Struct, frozen=True):
    """A seat's points as far as you may know them: what they are made of, and when they came."""

    seat: int
    points: int
    parts: list[Part]
    gained: list[Gained]


class SumsData(Struct, frozen=True):
    """The `data` of the answer to `sums`."""

    at: int
    sums: list[Sum]


class RecallData(Struct, frozen=True):
    """The `data` of the answer to `recall`: the position after so many entries of the log."""

    ply: int
    seat: int | None
    view: PlainView | PictureView
    motion: Motion | None = None
    """With a picture: what was thrown to get there."""


# From the client -------------------------------------------------------------------------------


class _FromClient(Struct, frozen=True, tag_field="type", tag=str.lower):
    pass


class Hello(_FromClient, frozen=True):
    """Comes first: the protocol's version, who you are, and how positions should come."""

    protocol: int = VERSION
    token: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="a program's token, if no header carries it"),
    ] = None
    form: Form = "picture"
    language: Language = "en"
    explain: Annotated[
        bool, Meta(description="with `data`: each legal move and log line in words, too")
    ] = False
    theme: Literal["light", "dark"] = "light"
    arrangement: Literal["wide", "tall"] = "wide"
    parts: Annotated[
        bool, Meta(description="with `picture`: send only those parts that have changed")
    ] = False


class Beat(_FromClient, frozen=True):
    """The answer to the server's `beat`, at once and with its `time`: this measures the delay that
    clocks make up for."""

    time: float


class Watch(_FromClient, frozen=True):
    """Look at a table from now on: answered by `done` and a `position`. Sent again it brings the
    position again, which is what to do after a gap in `n`."""

    id: Id
    table: TableId
    since: Annotated[
        At | None, Meta(description="the last `at` you know: the log goes on from there")
    ] = None
    seat: Annotated[
        Annotated[int, Meta(ge=-1, le=4)] | None,
        Meta(description="with several seats: the one to look from; −1: as a spectator"),
    ] = None


class Unwatch(_FromClient, frozen=True):
    """Look away."""

    id: Id
    table: TableId


class _AtTable(_FromClient, frozen=True):
    id: Id
    table: TableId


class Sit(_AtTable, frozen=True):
    """Take a seat: this one, or a free one by lot. Several seats are hot-seat."""

    seat: Seat | None = None
    name: Name | None = None
    program: bool = False
    """Whether a program plays here: it is shown as such."""


class Rise(_AtTable, frozen=True):
    """Give a seat up again, before the start. The host may also clear anybody's."""

    seat: Seat


class AddBot(_AtTable, frozen=True):
    """The host puts a bot on a seat."""

    bot: BotName
    seat: Seat | None = None


class Start(_AtTable, frozen=True):
    """The host starts; empty seats are filled with bots of this level."""

    fill_with: BotName | None = None


class Move(_AtTable, frozen=True):
    """Play. `at` is that of the position you have in view: if it has changed since, the move is
    refused as `stale` (moves that all make at the same time do not disturb each other)."""

    at: At
    move: MoveText
    seat: Seat | None = None


class Premove(_AtTable, frozen=True):
    """A move to be played as soon as it is this seat's turn, if it is legal then. It lives as long
    as the server; an empty move takes it back."""

    move: Annotated[str, Meta(max_length=200)]
    seat: Seat | None = None


class Undo(_AtTable, frozen=True):
    """Take back your last move: at once where nothing hidden was shown and your turn is not over,
    else if the other people at the table agree."""

    at: At
    seat: Seat | None = None


class Agree(_AtTable, frozen=True):
    """Answer to an offer, yes or no."""

    what: Literal["undo", "pause", "resume"]
    yes: bool = True


class Resign(_AtTable, frozen=True):
    """Give the game up. With two seats it ends, with more a bot plays the seat on."""

    seat: Seat | None = None


class Leave(_AtTable, frozen=True):
    """Go: a bot stands in, and you can come back."""

    seat: Seat | None = None
    bot: BotName | None = None


class Return(_AtTable, frozen=True):
    """Come back to a seat you left."""

    seat: Seat | None = None


class Pause(_AtTable, frozen=True):
    """Ask to stop the clocks (all people agree), or do so if you are alone."""


class Resume(_AtTable, frozen=True):
    """Ask to go on after a pause."""


class Rematch(_AtTable, frozen=True):
    """Open a table like this one for the next game; the same people are seated, each one seat
    further, and it starts."""


class Chat(_AtTable, frozen=True):
    """Say something to the table."""

    text: Annotated[str, _text(LONGEST_CHAT, "what to say")]


class SetChat(_AtTable, frozen=True):
    """The host opens or closes the chat."""

    on: bool


class Word(_AtTable, frozen=True):
    """This seat's word for the deal (docs/fairness)."""

    word: Annotated[str, _text(64, "anything")]
    seat: Seat | None = None


class Seal(_AtTable, frozen=True):
    """The seal of the word this seat will say after the start."""

    seal: Annotated[str, _text(64, "64 hexadecimal digits")]
    seat: Seat | None = None


class Hint(_AtTable, frozen=True):
    """Ask a bot what it would play here."""

    bot: BotName | None = None
    seat: Seat | None = None


class Explain(_AtTable, frozen=True):
    """What a legal move would do, in words: answered in the `data` of `done`."""

    move: MoveText
    seat: Seat | None = None


class Why(_AtTable, frozen=True):
    """Why these clicks, ids of the picture in order, are no move: the rule, in words."""

    clicks: Annotated[list[Short], Meta(max_length=40)]
    seat: Seat | None = None


class Recall(_AtTable, frozen=True):
    """An earlier position: the one after `ply` entries of the log, with what you could know then.
    Answered in the `data` of `done` (`RecallData`); the game is not disturbed."""

    ply: Annotated[int, Meta(ge=0, description="0: right after the deal")]
    seat: Annotated[
        Annotated[int, Meta(ge=-1, le=4)] | None,
        Meta(description="with several seats: the one to look from; −1: as a spectator"),
    ] = None


class Sums(_AtTable, frozen=True):
    """Why the score is what it is: answered in the `data` of `done` (`SumsData`)."""

    seat: Annotated[
        Annotated[int, Meta(ge=-1, le=4)] | None,
        Meta(description="with several seats: the one to look from; −1: as a spectator"),
    ] = None


class Close(_AtTable, frozen=True):
    """The host ends the table without a result."""


ClientMessage = (
    Hello
    | Beat
    | Watch
    | Unwatch
    | Sit
    | Rise
    | AddBot
    | Start
    | Move
    | Premove
    | Undo
    | Agree
    | Resign
    | Leave
    | Return
    | Pause
    | Resume
    | Rematch
    | Chat
    | SetChat
    | Word
    | Seal
    | Hint
    | Explain
    | Why
    | Recall
    | Sums
    | Close
)
TableMessage = (
    Sit
    | Rise
    | AddBot
    | Start
    | Move
    | Premove
    | Undo
    | Agree
    | Resign
    | Leave
    | Return
    | Pause
    | Resume
    | Rematch
    | Chat
    | SetChat
    | Word
    | Seal
    | Hint
    | Explain
    | Why
    | Recall
    | Sums
    | Close
)


# From the server -------------------------------------------------------------------------------


class _FromServer(Struct, frozen=True, tag_field="type", tag=str.lower):
    n: int
    """Counts the messages of this connection, from 1. A gap: send `watch` again."""


class Welcome(_FromServer, frozen=True):
    """The answer to `hello`."""

    protocol: int
    version: str
    person: str
    name: str
    beat_s: float
    """How often the server sends a `beat`. Nothing for three times as long: connect anew."""


class Position(_FromServer, frozen=True):
    """The newest position of a table. A slow connection may miss some in between, never the newest.
    Replace your log from line `log_from` on by `log`."""

    table: str
    at: int
    """Which position; send it with a move."""
    seq: int
    """The table's last event, chat included."""
    seat: int | None
    """From whose seat you look; null as a spectator."""
    mine: list[int]
    """Your seats."""
    waiting: list[int]
    """Who may move."""
    info: TableInfo
    view: PlainView | PictureView | None
    """null before the deal."""
    log_from: int
    log: list[LogLine]
    clocks: Clocks | None = None
    premove: str | None = None
    private: bool = False
    """With several seats: whether this one sees what the others may not."""
    absent: list[int] = []
    """Seats whose people have no connection now, as far as this server knows."""
    motions: list[Motion] = []
    """With pictures: what was thrown since the position you had."""
    hosting: bool = False
    """Whether you are the host, who made the table."""


class Done(_FromServer, frozen=True):
    """Your message was carried out, and outlives a crash of the server."""

    id: str
    seq: int
    data: Any = None


class Refused(_FromServer, frozen=True):
    """Your message was not carried out, why, and how things stand."""

    id: str | None
    code: str
    reason: str
    position: Position | None = None


class Said(_FromServer, frozen=True):
    """Somebody said something, at this time (milliseconds since 1970)."""

    table: str
    seq: int
    name: str
    seat: int | None
    text: str
    at: int


class ServerBeat(_FromServer, frozen=True, tag="beat"):
    """Answer with a `beat` with this `time`, at once."""

    time: float
    delay_ms: float
    """Your delay there and back, as measured so far."""


class Bye(_FromServer, frozen=True):
    """The server closes this connection; come back after so long (each client is told another)."""

    reason: str
    return_after_ms: int


ServerMessage = Welcome | Position | Done | Refused | Said | ServerBeat | Bye

REFUSALS = {
    "bad_message": "not JSON, or not a message of this protocol",
    "too_large": "more than 16,384 bytes",
    "too_fast": "too many messages; wait a little",
    "version": "another version of the protocol",
    "unknown_person": "no valid token or cookie",
    "no_such_table": "there is none, or it is not for you to see",
    "no_such_seat": "the table has no such seat",
    "seat_taken": "somebody sits there",
    "not_your_seat": "you do not sit there, or have to say which of your seats",
    "bad_name": "nobody can be called so here; the reason says why",
    "not_the_host": "only who made the table may",
    "not_now": "not at this stage of the table",
    "not_watching": "watch the table first",
    "not_your_turn": "another seat is to move",
    "stale": "the position has changed since; look again",
    "illegal": "the rules forbid it; the reason is the rule in words",
    "no_undo": "there is nothing to take back, or the table does not allow it",
    "nothing_asked": "there is no such offer",
    "no_hints": "the table gives no advice",
    "no_chat": "the chat is closed",
    "no_such_bot": "no bot has this name",
    "fairness": "a word or seal that cannot be",
    "bad_table": "no table can be like this; the reason says why",
    "old_rules": "the game was begun under a version of the rules that this server has not",
    "banned": "this person may not play here",
    "not_by_token": "a program's key cannot do this; its owner can",
    "busy": "the server cannot do it at the moment; send it again",
}
"""The codes of refusals."""

CLOSE_CODES = {
    1000: "you closed it, or all is done",
    1009: "a message larger than the server takes",
    1011: "something failed in the server; it is in its log",
    1012: "the server restarts: come back after `return_after_ms`",
    4000: "no answer to `beat`",
    4001: "no `hello` in time, or not a valid one",
    4003: "you were banned, forgotten or logged out, or your key was taken back",
    4008: "too slow: too many answers were waiting to be read",
    4009: "too many refused messages",
    4010: "too many connections",
}
"""The codes a WebSocket is closed with."""


# The HTTP interface ----------------------------------------------------------------------------


class GuestIn(Struct, frozen=True):
    name: Name


class PersonOut(Struct, frozen=True):
    id: str
    name: str
    kind: str


class GuestOut(Struct, frozen=True):
    person: PersonOut
    token: str
    """For programs: Authorization: Bearer … A browser gets a cookie instead, and this is empty."""


class TableOut(Struct, frozen=True):
    table: TableInfo
    link: str


class TablesOut(Struct, frozen=True):
    tables: list[TableInfo]
    next: str | None = None
    turns: list[str] = []
    """The tables of these at which it is your turn."""


class SeatsOut(Struct, frozen=True):
    seats: list[SeatInfo]


class ValueOut(Struct, frozen=True):
    value: Any
    words: str


class ChoiceOut(Struct, frozen=True):
    """An option of a game that people choose when they make a table."""

    name: str
    """What it is called in `options` of the table."""
    words: str
    about: str
    values: list[ValueOut]
    """The default is the first."""


class GameOut(Struct, frozen=True):
    name: str
    title: str
    credit: str
    seats: list[int]
    rules: int
    goal: str
    moves: dict[str, str]
    choices: list[ChoiceOut]


class GamesOut(Struct, frozen=True):
    games: list[GameOut]


class BotOut(Struct, frozen=True):
    name: str
    words: str
    games: list[str]
    title: str
    """What a level is called; empty for bots that are none, and rather for programs."""


class BotsOut(Struct, frozen=True):
    bots: list[BotOut]


class ResultOut(Struct, frozen=True):
    outcome: Outcome | None


class GameResult(Struct, frozen=True):
    """A game that is over."""

    table: str
    game: str
    seats: list[SeatInfo]
    outcome: Outcome
    mine: list[int]
    """The seats you had."""
    started: int
    """When the table was made, in milliseconds since 1970."""


class ResultsOut(Struct, frozen=True):
    results: list[GameResult]
    next: str | None = None


class AnswerOut(Struct, frozen=True):
    """What a message sent by POST comes to."""

    answer: Done | Refused


class ProblemOut(Struct, frozen=True):
    code: str
    reason: str
