"""A table on this server, and its one door.

`Table.submit` validates, appends to the store, applies, and only then tells anyone, in this order,
for people, programs, bots, premoves and clocks alike. What other servers append to the same table
comes in through `catch_up`.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import random
import time
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from mandalier.games.contract import SPECTATOR
from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server.frame import Frame
from mandalier.server.sitting import (
    SERVER,
    Actor,
    AutoStart,
    Deal,
    Flag,
    Forget,
    Message,
    OpenRematch,
    Refusal,
    Sitting,
)
from mandalier.server.store import Conflict, Event, StoreError

if TYPE_CHECKING:
    from mandalier.server.hall import Hall

log = logging.getLogger("mandalier.table")

TRIES = 8
MOST_EVENTS = 10_000
"""At one table; then there is no more chat, no undo, no coming and going, and nobody can fill the
disk with those."""
MOVED = {"move"}
TO_THE_END = (p.Move, p.Resign, p.Close, AutoStart, Deal, Flag, Forget, OpenRematch)
"""What brings a game nearer to its end, and what comes after it."""
WORDS_MS = 10_000
"""So long a table waits for words behind seals."""
START_MS = 2_000
"""So long a full table waits for the words of its people."""
STANDBY_S = (2.0, 4.0)
"""When another server has appended last, it is that one's bots that think; unless nothing comes."""
PACE_MS = (700, 1_600)
RETRY_S = 2.0


class Watcher(Protocol):
    """Somebody who looks at a table."""

    person: str

    def wake(self) -> None:
        """There is something new to see."""

    def hear(self, event: Event) -> None:
        """Something was said."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Table:
    """One table of this server."""

    def __init__(self, hall: Hall, sitting: Sitting) -> None:
        self.hall = hall
        self.sitting = sitting
        self.lock = asyncio.Lock()
        self.watchers: set[Watcher] = set()
        self.premoves: dict[int, str] = {}
        self.used_ms = now_ms()
        self.frames: list[Frame] = []
        """What spectators with a delay have yet to see, oldest first."""
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._frame: Frame | None = None
        self._slow = _is_slow(sitting)
        self.appending = 0
        """The number that is being appended from here; else 0."""
        self._absent: list[int] | None = None

    @property
    def id(self) -> str:
        return self.sitting.table

    # Who is here -----------------------------------------------------------------------------

    def add_watcher(self, watcher: Watcher) -> None:
        """Somebody looks from now on."""
        before = self.absent
        self.watchers.add(watcher)
        self._absent = None
        self._tell_presence(before)

    def drop_watcher(self, watcher: Watcher) -> None:
        before = self.absent
        self.watchers.discard(watcher)
        self._absent = None
        self._tell_presence(before)

    def _tell_presence(self, before: list[int]) -> None:
        if before != self.absent:
            for watcher in tuple(self.watchers):
                watcher.wake()

    @property
    def absent(self) -> list[int]:
        """Seats whose people are not connected. Where several servers share the tables each knows
        of its own connections only, so then nobody is said to be absent."""
        if self.hall.store.is_shared:
            return []
        if self._absent is None:
            here = {watcher.person for watcher in self.watchers}
            self._absent = [
                seat
                for seat, place in enumerate(self.sitting.places)
                if place.by_person and place.person not in here
            ]
        return self._absent

    # The one door ----------------------------------------------------------------------------

    async def submit(self, message: Message, actor: Actor, client: str | None = None) -> int:
        """Carry out a message: the number of its event. Raises Refusal.

        A client id that was there before gets the number it got then."""
        key = f"{actor.person}:{client}" if client else None
        async with self.lock:
            self.used_ms = now_ms()
            began = time.perf_counter()
            for _ in range(TRIES):
                known = self.sitting.answers.get(key) if key else None
                if known is not None:
                    return known
                if self.sitting.seq >= MOST_EVENTS and not isinstance(message, TO_THE_END):
                    raise Refusal("not_now", say("so much has happened here: play to the end"))
                now = max(now_ms(), self.sitting.changed)
                draft = await self._decide(message, actor, now)
                event = Event(
                    self.id,
                    self.sitting.seq + 1,
                    draft.kind,
                    now,
                    draft.seat,
                    actor.person,
                    key,
                    draft.data,
                )
                self.appending = event.seq
                try:
                    if not await self._append(event):
                        continue
                except asyncio.CancelledError:
                    self.hall.read_on(self)
                    raise
                except StoreError as error:
                    self.hall.read_on(self)
                    log.warning("append failed: %s", error)
                    raise Refusal("busy", say("the server cannot keep this now")) from None
                finally:
                    self.appending = 0
                self.sitting.apply(event, draft.state)
                self._publish([event], mine=True)
                if self.hall.metrics:
                    self.hall.metrics.count_event(event.kind, time.perf_counter() - began)
                return event.seq
        raise Refusal("busy", say("too many servers write to this table; try again"))

    async def _append(self, event: Event) -> bool:
        """Keep an event; if others have been quicker, read on instead."""
        try:
            await self.hall.store.append(event)
        except Conflict:
            await self._read_on()
            return False
        return True

    async def _decide(self, message: Message, actor: Actor, now: int) -> Any:
        if self._slow and isinstance(message, p.Move):
            # a simulated throw takes a while: other tables go on meanwhile
            return await asyncio.get_running_loop().run_in_executor(
                self.hall.throwing,
                contextvars.copy_context().run,
                self.sitting.decide,
                message,
                actor,
                now,
            )
        return self.sitting.decide(message, actor, now)

    async def catch_up(self) -> None:
        """Read what others have appended."""
        async with self.lock:
            await self._read_on()

    async def _read_on(self) -> None:
        self._take(await self.hall.store.events(self.id, self.sitting.seq))

    async def take(self, events: list[Event]) -> None:
        """Carry out what others have appended, as far as it is new."""
        async with self.lock:
            self._take([event for event in events if event.seq > self.sitting.seq])

    def take_next(self, event: Event) -> bool:
        """Carry out an event of others at once; False if it is not the next one here, or is not told,
        or if something is under way here."""
        if self.lock.locked() or not event.kind or event.seq != self.sitting.seq + 1:
            return False
        self._take([event])
        return True

    def _take(self, events: list[Event]) -> None:
        try:
            for event in events:
                self.sitting.apply(event)
        except Refusal:  # a newer server has dealt by rules this one has not
            self.hall.drop(self)
            raise
        if events:
            self._publish(events, mine=False)

    # Telling ---------------------------------------------------------------------------------

    def _publish(self, events: list[Event], mine: bool) -> None:
        self._frame = None
        if self.sitting.config.spectator_delay_s:
            self._keep_frame()
        kinds = {event.kind for event in events}
        if kinds != MOVED:
            self._absent = None
            for event in events:
                if event.kind == "chat":
                    for watcher in tuple(self.watchers):
                        watcher.hear(event)
        for watcher in tuple(self.watchers):
            watcher.wake()
        self._follow(mine, kinds)

    @property
    def frame(self) -> Frame:
        """The table as it is."""
        if self._frame is None:
            self._frame = Frame.of(self.sitting, self.sitting.changed)
        return self._frame

    def frame_for(self, viewer: int) -> Frame | None:
        """What this viewer may see by now; None if that is nothing yet."""
        delay = self.sitting.config.spectator_delay_s * 1000
        if viewer != SPECTATOR or not delay or self.sitting.state is None:
            return self.frame
        shown = [frame for frame in self.frames if frame.ms <= now_ms() - delay]
        return shown[-1] if shown else None

    def info_for(self, person: str) -> p.TableInfo:
        """Who sits here, and how it ended, as this person may know by now."""
        if self.sitting.seats_of(person):
            return self.sitting.info
        if (frame := self.frame_for(SPECTATOR)) is not None:
            return frame.info
        info = self.sitting.info  # nothing of the game is to be seen yet
        return msgspec.structs.replace(info, status="playing", offers=[], outcome=None)

    def _keep_frame(self) -> None:
        delay = self.sitting.config.spectator_delay_s
        old = [frame for frame in self.frames if frame.ms <= now_ms() - delay * 1000]
        self.frames = self.frames[max(0, len(old) - 1) :]
        self.frames.append(self.frame)
        self.hall.later(delay + 0.02, self._show_spectators)

    def _show_spectators(self) -> None:
        for watcher in tuple(self.watchers):
            watcher.wake()

    # What follows an event -------------------------------------------------------------------

    def wake_up(self) -> None:
        """The table has been read from the store: see what is due."""
        if self.sitting.config.spectator_delay_s:
            self._keep_frame()
        self._follow(mine=False, kinds=set())

    def _follow(self, mine: bool, kinds: set[str]) -> None:
        sitting = self.sitting
        if sitting.status == "gathering" and sitting.config.start_when_full and sitting.is_full:
            if sitting.words_are_in:
                self.hall.spawn(self._try(AutoStart()))
        elif sitting.status == "sealing" and not sitting.gathering.missing:
            self.hall.spawn(self._try(Deal()))
        if sitting.is_done or kinds & {"undo", "close", "pause"}:
            self._stop_thinking()
        if sitting.is_done:
            self.premoves.clear()
        else:
            self._start_thinking(mine)
            if self.premoves:
                self._play_premoves()
        self._set_timer()
        self.hall.note(self)

    async def _try(self, message: Message, actor: Actor = SERVER) -> None:
        """Something the server does by itself; another server may have been quicker."""
        try:
            await self.submit(message, actor)
        except Refusal as refusal:
            log.debug("%s: %s", self.id, refusal)

    @property
    def due_ms(self) -> int | None:
        """When something happens here without anybody doing anything."""
        sitting = self.sitting
        if sitting.status == "sealing":
            return sitting.status_since + WORDS_MS
        if sitting.status == "gathering" and sitting.config.start_when_full and sitting.is_full:
            return self.sitting.changed + START_MS
        if sitting.status == "playing":
            return sitting.clock.deadline
        return None

    def _set_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        due = self.due_ms
        if due is not None:
            wait = max(0.0, (due - now_ms()) / 1000)
            if wait < self.hall.horizon_s:
                self._timer = asyncio.get_running_loop().call_later(wait, self._ring)

    def _ring(self) -> None:
        sitting = self.sitting
        if sitting.status == "sealing":
            self.hall.spawn(self._try(Deal()))
        elif sitting.status == "gathering":
            self.hall.spawn(self._try(AutoStart()))
        elif sitting.status == "playing":
            seat = sitting.clock.first_to_fall
            if seat is not None and sitting.clock.is_up(seat, now_ms()):
                self.hall.spawn(self._try(Flag(seat)))
            else:
                self._set_timer()

    # Bots ------------------------------------------------------------------------------------

    def _start_thinking(self, mine: bool) -> None:
        sitting = self.sitting
        if not self._thinking and all(place.by_person for place in sitting.places):
            return
        people = [place for place in sitting.places if place.kind in ("person", "program")]
        if people and not any(place.by_person for place in people):
            self._stop_thinking()  # all have left: the game waits for them
            return
        for seat in list(self._thinking):
            if seat not in sitting.waiting or sitting.places[seat].by_bot is None:
                self._thinking.pop(seat).cancel()
        for seat in sitting.waiting:
            level = sitting.places[seat].by_bot
            if level and (seat not in self._thinking or self._thinking[seat].done()):
                wait = 0.0 if mine or self.watchers else random.uniform(*STANDBY_S)
                turn = self._bot_turn(seat, level, sitting.at, wait)
                self._thinking[seat] = self.hall.spawn(turn)

    def _stop_thinking(self) -> None:
        for task in self._thinking.values():
            task.cancel()
        self._thinking.clear()

    async def _bot_turn(self, seat: int, level: str, at: int, wait: float) -> None:
        """One move of a bot."""
        await asyncio.sleep(wait)
        began = time.monotonic()
        state = self.sitting.state
        assert state is not None
        share = self.sitting.clock.share_of(seat, now_ms())
        try:
            move = await self.hall.thinkers.move(
                state.view(seat), level, _bot_seed(self.id, at), share
            )
        except MandalierError as error:
            log.warning(
                "%s: the bot %s does not answer (%s); one that does plays", self.id, level, error
            )
            move = random.choice(state.legal(seat))
        if self.sitting.config.bot_pace:
            pace = pace_ms(share) / 1000
            await asyncio.sleep(max(0.0, pace - (time.monotonic() - began)))
        # from here on it is not to be cancelled by what it does itself
        self._thinking.pop(seat, None)
        self.hall.spawn(self._bot_move(seat, at, move))

    async def _bot_move(self, seat: int, at: int, move: str) -> None:
        actor = Actor("", kind="bot", bot_of=seat)
        try:
            await self.submit(p.Move("", self.id, at, move), actor, f"bot:{seat}:{at}")
        except Refusal as refusal:
            log.debug("%s: bot at %s: %s", self.id, seat, refusal)
            if refusal.code == "busy":
                await asyncio.sleep(RETRY_S)
                self._follow(mine=True, kinds=set())

    # Premoves --------------------------------------------------------------------------------

    def premove(self, message: p.Premove, actor: Actor) -> None:
        """Keep a move for later. Raises Refusal."""
        seat = self.sitting._own_seat(actor, message.seat)
        if not message.move:
            self.premoves.pop(seat, None)
            return
        if self.sitting.status not in ("playing", "paused"):
            raise Refusal("not_now", say("the game is not being played"))
        self.premoves[seat] = message.move
        self._play_premoves()

    def _play_premoves(self) -> None:
        for seat in self.sitting.waiting:
            place = self.sitting.places[seat]
            if seat in self.premoves and place.by_person:
                move = self.premoves.pop(seat)
                actor = Actor(place.person)
                self.hall.spawn(self._try(p.Move("", self.id, self.sitting.at, move, seat), actor))

    # The end ---------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether nothing would be missed if the table were put away."""
        busy = self.watchers or self._thinking or self._timer or self.lock.locked()
        return not busy and now_ms() - self.used_ms > self.hall.idle_ms

    def put_away(self) -> None:
        self._stop_thinking()
        if self._timer:
            self._timer.cancel()


def pace_ms(share: float | None) -> float:
    """How long a bot takes for a move: as people do, and no more than its clock allows."""
    pace = random.uniform(*PACE_MS)
    return pace if share is None else min(pace, share)


def _is_slow(sitting: Sitting) -> bool:
    """Whether chance at this table is simulated."""
    uses = getattr(sitting.game.module, "uses_outcome", None)
    return bool(uses and uses(sitting.game.check_options(sitting.config.options)))


def _bot_seed(table: str, at: int) -> int:
    """The same on every server, so that two that think for one seat think the same."""
    import hashlib

    return int.from_bytes(hashlib.sha256(f"{table}:{at}".encode()).digest()[:7], "big")
