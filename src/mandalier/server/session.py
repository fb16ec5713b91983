"""One client's connection, whatever carries it: what it looks at, and what waits to be sent.

What waits is bounded. Of a table only the newest position is sent, made when its turn comes; so a
slow client slows nobody and costs no memory. Answers are kept in order; who does not read them is
disconnected.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.words import say, speaking
from mandalier.server import protocol as p
from mandalier.server.hall import Hall
from mandalier.server.limits import Limiter
from mandalier.server.look_back import recall, sums
from mandalier.server.protocol_stage import Motion
from mandalier.server.scene import Known, Style, encode
from mandalier.server.sitting import STAND_IN, Actor, Refusal, known_bot
from mandalier.server.store import Event
from mandalier.server.table import Table, now_ms

log = logging.getLogger("mandalier.session")

MOST_ANSWERS = 256
MOST_WATCHED = 32
CHAT_SHOWN = 50
BEAT_S = 15.0
SMOOTHING = 0.3

decode = msgspec.json.Decoder(p.ClientMessage).decode

Write = Callable[[Sequence[bytes]], bool]
"""Sends messages at once; False, and nothing sent, if that cannot be."""
WRITE = "mandalier.write"
"""The extension of ASGI by which a connection that can do this offers it."""


@dataclass(slots=True)
class Limits:
    """How fast a client may send: so many messages a second, after a burst; and a person: so many
    chat lines, and questions to bots."""

    per_second: float = 30.0
    burst: float = 60.0
    chat_per_second: float = 0.5
    chat_burst: float = 5.0
    refusals_per_second: float = 5.0
    refusals_burst: float = 200.0
    hints_per_second: float = 0.5
    hints_burst: float = 10.0
    chat: Limiter = field(init=False)
    """By person: it is the same however many connections they have, and by POST."""
    hints: Limiter = field(init=False)

    def __post_init__(self) -> None:
        self.chat = Limiter(self.chat_per_second, self.chat_burst)
        self.hints = Limiter(self.hints_per_second, self.hints_burst)


class Bucket:
    """Lets so many through at once, and so many a second."""

    __slots__ = ("_left", "_most", "_rate", "_since")

    def __init__(self, rate: float, most: float) -> None:
        self._rate = rate
        self._most = most
        self._left = most
        self._since = time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._since) * self._rate)
        self._since = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


@dataclass(frozen=True, slots=True)
class Who:
    """The person behind a connection."""

    person: str
    name: str
    may_play: bool = True
    is_owner: bool = True
    """Whether it is themselves, and not a program that a key lets act for them."""
    credential: str = ""
    """The hash of the cookie or key that was shown."""


class TooSlow(Exception):
    """The client does not read what it is sent."""


class Closing(Exception):
    """The connection has to be closed, with a code of `protocol.CLOSE_CODES`."""

    def __init__(self, code: int, reason: str = "") -> None:
        self.code = code
        super().__init__(reason)


class Look:
    """A session's eye on one table."""

    __slots__ = ("dirty", "known", "person", "seat", "session", "since", "table")

    def __init__(self, session: Session, table: Table, seat: int | None, since: int | None) -> None:
        self.session = session
        self.person = session.who.person
        self.table = table
        self.seat = seat
        self.since = since
        self.known = Known()
        self.dirty = False

    def wake(self) -> None:
        if not self.dirty:
            self.dirty = True
            self.session.put(self)

    def hear(self, event: Event) -> None:
        if self.viewer == SPECTATOR and self.table.sitting.config.spectator_delay_s:
            return
        self.session.put(_said(event))

    @property
    def viewer(self) -> int:
        """From which seat this looks: the one asked for if it is theirs, else the one of theirs
        that may move, else their first."""
        mine = self.table.sitting.seats_of(self.person)
        if not mine or self.seat == -1:
            return SPECTATOR
        if self.seat in mine:
            return self.seat
        if len(mine) == 1:
            return mine[0]
        waiting = self.table.sitting.waiting
        return next((seat for seat in mine if seat in waiting), mine[0])


def _said(event: Event) -> p.Said:
    data = event.data
    return p.Said(0, event.table, event.seq, data["name"], event.seat, data["text"], event.at)


class Session:
    """A connection's state; `handle` takes its messages, `next` gives what to send."""

    def __init__(self, hall: Hall, who: Who, limits: Limits | None = None) -> None:
        self.hall = hall
        self.who = who
        self.style = Style()
        self.delay_ms = 0.0
        self._acts = Actor(who.person, who.name)
        self.looks: dict[str, Look] = {}
        self.closing: Closing | None = None
        limits = limits or Limits()
        self._messages = Bucket(limits.per_second, limits.burst)
        self._limits = limits
        self._refusals = Bucket(limits.refusals_per_second, limits.refusals_burst)
        self._waiting: list[Any] = []  # few; a deque would take as much as all else here
        self._answers = 0
        self._ready = asyncio.Event()
        self.write: Write | None = None
        """Sends without waiting, where the connection can."""
        self._is_due = False
        self._is_held = False
        """Whether a message of `next` is on its way: then no other may overtake it."""
        self._n = 0
        self._beats: dict[float, float] = {}
        self._beating: asyncio.TimerHandle | None = None
        self._thinking: asyncio.Task[None] | None = None

    # What is to be sent ----------------------------------------------------------------------

    def put(self, item: Any) -> None:
        """An answer, or a look that has something new."""
        if not isinstance(item, Look):
            if self._answers >= MOST_ANSWERS:
                self.close(Closing(4008))
                return
            self._answers += 1
        self._waiting.append(item)
        if self.write is None:
            self._ready.set()
        elif not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._write_all)

    def _write_all(self) -> None:
        """Send what waits; if the client is behind, it is for `next` to wait for it."""
        self._is_due = False
        if self.closing or self._is_held or not self.write or not self.write(()):
            self._ready.set()
            return
        made = []
        try:
            while self._waiting:
                if (found := self._pop()) is not None:
                    made.append(found)
        except Exception:
            log.exception("a message could not be made")
            self.close(Closing(1011))
        self.write(made)

    def close(self, closing: Closing) -> None:
        self.closing = self.closing or closing
        self._ready.set()

    async def next(self) -> bytes:
        """The next message to send. Raises Closing when there will be none."""
        self._is_held = False
        while True:
            while not self._waiting:
                if self.closing:
                    raise Closing(self.closing.code)  # kept, it would hold what raises it
                self._ready.clear()
                await self._ready.wait()
            if self.closing and self.closing.code == 4008:
                raise Closing(self.closing.code)
            if (found := self._pop()) is not None:
                self._is_held = True
                return found

    def _pop(self) -> bytes | None:
        item = self._waiting.pop(0)
        if not isinstance(item, Look):
            self._answers -= 1
            self._n += 1
            return encode(msgspec.structs.replace(item, n=self._n))
        item.dirty = False
        if self.looks.get(item.table.id) is not item:
            return None
        position = self._position(item, item.known, self._n + 1)
        if position is None:
            return None
        self._n += 1
        item.since = position.at
        return encode(position)

    def _position(self, look: Look, known: Known | None = None, n: int = 0) -> p.Position | None:
        person = self.who.person
        return position_of(look.table, look.viewer, person, self.style, look.since, known, n)

    def beat(self) -> None:
        """Ask for a sign of life."""
        now = time.monotonic()
        if len(self._beats) > 3:
            self.close(Closing(4000))
            return
        self._beats[now] = now
        self.put(p.ServerBeat(0, now, round(self.delay_ms, 1)))

    def keep_beating(self) -> None:
        """Ask now, and every so often."""
        self.beat()
        self._beating = asyncio.get_running_loop().call_later(BEAT_S, self.keep_beating)

    def end(self) -> None:
        """The connection has gone."""
        if self._beating:
            self._beating.cancel()
        if self._thinking:
            self._thinking.cancel()
        for look in self.looks.values():
            look.table.drop_watcher(look)
        self.looks.clear()
        self.write = None

    # What comes in ---------------------------------------------------------------------------

    async def handle(self, raw: bytes | str) -> None:
        """Carry out a message and put the answer among what is to be sent; never raises."""
        with speaking(self.style.language):
            answer = await self.answer(raw, beside=True)
        if answer is not None:
            self.put(answer)

    async def answer(
        self, raw: bytes | str, beside: bool = False
    ) -> p.Done | p.Refused | p.Welcome | None:
        """The answer to a message, for whoever waits for it. With `beside`, what takes long is
        answered later: moves and beats do not wait for a bot that thinks about a hint."""
        message: Any = None
        try:
            if len(raw) > p.LARGEST_MESSAGE:
                raise Refusal("too_large", p.REFUSALS["too_large"])
            if not self._messages.take():
                raise Refusal("too_fast", say("too many messages; wait a little"))
            message = _read(raw)
            if beside and type(message) is p.Hint:
                if self._thinking and not self._thinking.done():
                    raise Refusal("too_fast", say("one question to a bot at a time"))
                self._thinking = self.hall.spawn(self._answer_later(message))
                return None
        except Refusal as refusal:
            return self._refused_by(message, refusal, raw)
        return await self._answer(message)

    async def _answer_later(self, message: Any) -> None:
        answer = await self._answer(message)
        if answer is not None:
            self.put(answer)

    async def _answer(self, message: Any) -> p.Done | p.Refused | p.Welcome | None:
        try:
            return await self._carry_out(message)
        except Refusal as refusal:  # kept in a name, it would hold this frame, and that it
            return self._refused_by(message, refusal)
        except MandalierError as error:
            log.warning("a message could not be carried out: %s", error)
            refused = Refusal("busy", say("the server cannot do this now; send it again"))
        except Exception:
            log.exception("a message could not be carried out")
            refused = Refusal("busy", say("something failed in the server; it is in its log"))
        return self._refused_by(message, refused)

    def _refused_by(self, message: Any, refused: Refusal, raw: bytes | str = b"") -> p.Refused:
        if self.hall.metrics:
            self.hall.metrics.refusals.labels(refused.code).inc()
        if not self._refusals.take():
            self.close(Closing(4009))
        return self._refused(raw, message, refused)

    def _refused(self, raw: bytes | str, message: Any, refusal: Refusal) -> p.Refused:
        position: Any = None
        look = self._look_after(getattr(message, "table", ""))
        if look is not None:
            position = self._position(look)
        known = _id_of(raw) if message is None else getattr(message, "id", None)
        return p.Refused(0, known, refusal.code, refusal.reason, position)

    def _look_after(self, table_id: str) -> Look | None:
        """From where to see how things stand at a table: as this client watches it, or, if it does
        not, as it would."""
        if found := self.looks.get(table_id):
            return found
        table = self.hall.tables.get(table_id)
        if table is None:
            return None
        try:
            check_sight(table, self.who.person)
        except Refusal:
            return None
        return Look(self, table, None, table.sitting.at)

    async def _carry_out(self, message: Any) -> p.Done | p.Welcome | None:
        if type(message) is p.Move:  # by far the most frequent
            return await self._submit(message)
        if isinstance(message, p.Hello):
            return self._hello(message)
        if isinstance(message, p.Beat):
            self._measure(message)
            return None
        if isinstance(message, p.Unwatch):
            if look := self.looks.pop(message.table, None):
                look.table.drop_watcher(look)
            return p.Done(0, message.id, 0)
        if isinstance(message, p.Watch):
            return await self._watch(message)
        table = await self._table(message.table)
        if isinstance(message, p.Hint):
            return await self._hint(table, message)
        if isinstance(message, p.Explain | p.Why):
            return self._in_words(table, message)
        if isinstance(message, p.Recall):
            viewer = self._viewer(table, message.seat)
            return self._told(table, message.id, recall(table, message.ply, viewer, self.style))
        if isinstance(message, p.Sums):
            viewer = self._viewer(table, message.seat)
            return self._told(table, message.id, sums(table, viewer, self.style.language))
        self._must_play()
        if isinstance(message, p.Premove):
            table.premove(message, self._actor)
            return p.Done(0, message.id, table.sitting.seq)
        if isinstance(message, p.Rematch):
            made = await self.hall.rematch(table, self._actor, message.id)
            return p.Done(0, message.id, table.sitting.seq, {"table": made})
        if isinstance(message, p.Chat) and not self._limits.chat.allows(self.who.person):
            raise Refusal("too_fast", say("too many messages; wait a little"))
        return await self._submit(message)

    async def _submit(self, message: Any) -> p.Done:
        look = self.looks.get(message.table)
        table = look.table if look else await self._table(message.table)
        self._must_play()
        return p.Done(0, message.id, await table.submit(message, self._actor, message.id))

    def _must_play(self) -> None:
        if not self.who.may_play:
            raise Refusal("banned", say("you may watch here, not play"))

    @property
    def _actor(self) -> Actor:
        lag_ms = int(self.delay_ms)
        if self._acts.lag_ms != lag_ms:
            self._acts = Actor(self.who.person, self.who.name, lag_ms=lag_ms)
        return self._acts

    def _hello(self, message: p.Hello) -> p.Welcome:
        from mandalier import __version__

        if message.protocol != p.VERSION:
            raise Refusal("version", say("this server speaks version {n}", n=p.VERSION))
        self.style = Style(
            message.form,
            message.language,
            message.explain,
            message.theme,
            message.arrangement,
            message.parts,
        )
        for look in self.looks.values():
            look.since = None
            look.known = Known()
            look.wake()
        return p.Welcome(0, p.VERSION, __version__, self.who.person, self.who.name, BEAT_S)

    def _measure(self, message: p.Beat) -> None:
        sent = self._beats.pop(message.time, None)
        if sent is not None:
            self._beats.clear()
            took = (time.monotonic() - sent) * 1000
            self.delay_ms += (took - self.delay_ms) * (SMOOTHING if self.delay_ms else 1.0)

    async def _watch(self, message: p.Watch) -> p.Done:
        table = await self._table(message.table)
        if message.table not in self.looks and len(self.looks) >= MOST_WATCHED:
            raise Refusal("too_fast", say("you look at {n} tables already", n=MOST_WATCHED))
        old = self.looks.pop(message.table, None)
        look = Look(self, table, message.seat, message.since)
        self.looks[message.table] = look
        table.add_watcher(look)
        if old:
            table.drop_watcher(old)
        if not (look.viewer == SPECTATOR and table.sitting.config.spectator_delay_s):
            for event in table.sitting.said[-CHAT_SHOWN:]:
                if message.since is None or event.seq > message.since:
                    look.hear(event)
        look.wake()
        return p.Done(0, message.id, table.sitting.seq)

    async def _table(self, table_id: str) -> Table:
        table = await self.hall.table(table_id)
        check_sight(table, self.who.person)
        return table

    # Questions -------------------------------------------------------------------------------

    async def _hint(self, table: Table, message: p.Hint) -> p.Done:
        sitting = table.sitting
        if sitting.config.hints != "advice":
            raise Refusal("no_hints", say("at this table there is no advice"))
        seat = self._to_move(table, message.seat)
        if not self._limits.hints.allows(self.who.person):
            raise Refusal("too_fast", say("the bots have been asked often; wait a little"))
        assert sitting.state is not None
        at = sitting.at
        level = known_bot(message.bot or STAND_IN, sitting.config.game)
        try:
            thought = await self.hall.thinkers.think(
                sitting.state.view(seat),
                level,
                seed=at,
                language=self.style.language,
            )
        except MandalierError as error:
            raise Refusal("busy", str(error)) from None
        data = {"at": at, **msgspec.to_builtins(thought)}
        return p.Done(0, message.id, sitting.seq, data)

    @staticmethod
    def _told(table: Table, id: str, data: Any) -> p.Done:
        return p.Done(0, id, table.sitting.seq, msgspec.to_builtins(data))

    def _viewer(self, table: Table, seat: int | None) -> int:
        """Whose eyes a question is asked with."""
        mine = table.sitting.seats_of(self.who.person)
        look = self.looks.get(table.id)
        if seat is None and look is not None:
            return look.viewer
        if seat == -1 or not mine:
            return SPECTATOR
        return seat if seat in mine else mine[0]

    def _to_move(self, table: Table, seat: int | None) -> int:
        """The seat of theirs that is to move, if they have one."""
        sitting = table.sitting
        mine = [i for i in sitting.seats_of(self.who.person) if i in sitting.waiting]
        if seat is not None:
            mine = [i for i in mine if i == seat]
        if not mine:
            raise Refusal("not_your_turn", say("it is not your turn"))
        return mine[0]

    def _in_words(self, table: Table, message: p.Explain | p.Why) -> p.Done:
        from mandalier.draw import why

        sitting = table.sitting
        if sitting.state is None:
            raise Refusal("not_now", say("the game has not begun"))
        if isinstance(message, p.Why):
            mine = sitting.seats_of(self.who.person)
            seat = message.seat if message.seat in mine else (mine[0] if mine else SPECTATOR)
            return p.Done(
                0, message.id, sitting.seq, {"why": why(sitting.state.view(seat), message.clicks)}
            )
        seat = self._to_move(table, message.seat)
        try:
            sitting.state.check(message.move, seat)
            says = sitting.state.view(seat).explain(message.move)
        except MandalierError as error:
            raise Refusal("illegal", getattr(error, "reason", str(error))) from None
        return p.Done(0, message.id, sitting.seq, {"at": sitting.at, "says": says})


def _read(raw: bytes | str) -> Any:
    try:
        return decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        text = say("this is no message of the protocol: {error}", error=error)
        raise Refusal("bad_message", text) from None


class _WithId(msgspec.Struct):
    id: p.Id | None = None


def _id_of(raw: bytes | str) -> str | None:
    """The id of something that is no message, so that who sent it knows what is refused."""
    if len(raw) > p.LARGEST_MESSAGE:
        return None
    try:
        return msgspec.json.decode(raw, type=_WithId).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def check_sight(table: Table, person: str) -> None:
    """See that somebody may look at a table."""
    sitting = table.sitting
    if sitting.config.spectators or sitting.status == "gathering":
        return
    if person != sitting.host and not sitting.seats_of(person):
        raise Refusal("no_such_table", say("there is no such table"))


def position_of(
    table: Table,
    viewer: int,
    person: str,
    style: Style,
    since: int | None,
    known: Known | None = None,
    n: int = 0,
) -> p.Position | None:
    """A table as one viewer may see it now, for the message number n; None if that is nothing yet.
    Of a picture, what is `known` is left out, and the rest is known from then on."""
    frame = table.frame_for(viewer)
    if frame is None:
        return None
    scene, sitting = frame.scene, table.sitting
    mine = sitting.seats_of(person)
    info: Any = msgspec.Raw(frame.info_json)
    view: Any = None
    log: Any = []
    first = 0
    motions: list[Motion] = []
    if scene is not None:
        first = scene.log_from(since)
        view = msgspec.Raw(scene.sight_of(viewer, style, frame.names_for(style), known))
        log = msgspec.Raw(scene.log_of(viewer, style, first))
        delay_ms = sitting.config.spectator_delay_s * 1000 if viewer == SPECTATOR else 0
        motions = scene.motions(since, viewer, style, now_ms(), delay_ms)
    return p.Position(
        n,
        table.id,
        scene.at if scene else 0,
        frame.seq,
        None if viewer == SPECTATOR else viewer,
        mine,
        list(frame.waiting),
        info,
        view,
        first,
        log,
        frame.clocks_at(now_ms()) if frame.left else None,
        table.premoves.get(viewer),
        private=len(mine) > 1 and viewer >= 0 and scene is not None and scene.is_private(viewer),
        absent=table.absent,
        motions=motions,
        hosting=person == sitting.host,
    )
