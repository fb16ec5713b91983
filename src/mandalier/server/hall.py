"""All tables of a server: made, found, put away, woken when something is due."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from mandalier.games.errors import MandalierError
from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server.accounts import new_id
from mandalier.server.clock import DAY
from mandalier.server.fairness import new_secret
from mandalier.server.metrics import Metrics
from mandalier.server.sitting import SERVER, Actor, OpenRematch, Refusal, Sitting
from mandalier.server.store import GATHER_S, MANY, Event, Store, StoreError
from mandalier.server.table import Table, now_ms
from mandalier.server.thinkers import Thinkers, check_level

log = logging.getLogger("mandalier.hall")

HORIZON_S = 60.0
SWEEP_S = 5.0
NOTE_S = 0.5
IDLE_MS = 60_000
RETRY_S = 1.0
MOST_OPEN_TABLES = 50
"""Tables that are not over which one person may have made."""
THROWERS = 2
PAGE = 50
MOST_CLOSED = 500
TABLE_ID = re.compile(r"[\w-]{1,32}", re.ASCII)


class Hall:
    """The tables this server has at hand."""

    horizon_s = HORIZON_S
    idle_ms = IDLE_MS

    def __init__(self, store: Store, thinkers: Thinkers | None = None) -> None:
        self.store = store
        self.thinkers = thinkers or Thinkers()
        self.throwing = ThreadPoolExecutor(THROWERS, "throw")
        self.tables: dict[str, Table] = {}
        self.most_open_tables = MOST_OPEN_TABLES
        self._loading: dict[str, asyncio.Future[Table]] = {}
        self._heard: dict[str, Event] = {}
        """What has come to tables last while they were read."""
        self._behind: dict[str, Table] = {}
        self._is_following = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._noted: dict[str, tuple[str, int | None]] = {}
        self._told: dict[str, tuple[str, int | None]] = {}
        self._newest = 0
        self.prepares_bots = False
        """Whether bots are made ready for a game as soon as somebody makes a table for it."""
        self._prepared: set[str] = set()
        self._ticking: asyncio.Task[None] | None = None
        self.watch: Callable[[Table], None] = lambda table: None
        """Told of every change at a table: for notices to people who are away."""
        self.metrics: Metrics | None = None

    async def open(self) -> None:
        await self.store.open()
        self.store.hint = self._hinted
        self.store.missed = self.catch_up_all
        await self._load_due()
        self._ticking = self.spawn(self._tick())

    async def close(self) -> None:
        if self._ticking:
            self._ticking.cancel()
        for table in self.tables.values():
            table.put_away()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._write_notes()
        await self.store.close()
        self.thinkers.close()
        self.throwing.shutdown(wait=False, cancel_futures=True)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something beside; it is kept from vanishing, and what goes wrong is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("something failed beside", exc_info=error)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_later(seconds, call)

    # Tables ----------------------------------------------------------------------------------

    def _prepare(self, game: str) -> None:
        if self.prepares_bots and game not in self._prepared:
            self._prepared.add(game)
            self.spawn(self.thinkers.prepare(game))

    async def create(self, config: p.TableConfig, host: str) -> Table:
        """Make a table. Raises Refusal."""
        try:
            sitting = self._new_sitting(config, host)
            if config.fill_with:
                check_level(config.fill_with, config.game)
        except MandalierError as error:
            raise Refusal("bad_table", str(error)) from None
        await self._check_room(host)
        await self.store.write(
            (
                "INSERT INTO tables (id, game, status, visibility, host, created, due, secret,"
                " config) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    sitting.table,
                    config.game,
                    sitting.status,
                    config.visibility,
                    host,
                    sitting.created,
                    None,
                    sitting.gathering.secret.hex(),
                    msgspec.json.encode(sitting.config).decode(),
                ),
            )
        )
        self._prepare(config.game)
        return self._keep(sitting)

    def _new_sitting(self, config: p.TableConfig, host: str) -> Sitting:
        self._newest = max(now_ms(), self._newest + 1)  # lists go by it: no two are alike
        made = Sitting(new_id(9), config, host, self._newest, new_secret())
        options = made.game.check_options(config.options)
        made.config = msgspec.structs.replace(config, seats=len(made.places), options=options)
        return made

    async def _check_room(self, host: str) -> None:
        rows = await self.store.rows(
            "SELECT COUNT(*) FROM tables WHERE host = ? AND status NOT IN ('over', 'closed')",
            (host,),
        )
        if rows[0][0] >= self.most_open_tables:
            text = say("you have {n} tables that are not over; close some first", n=rows[0][0])
            raise Refusal("bad_table", text)

    def _keep(self, sitting: Sitting) -> Table:
        table = self.tables[sitting.table] = Table(self, sitting)
        sitting.game.warm_up()
        return table

    async def table(self, table_id: str) -> Table:
        """The table with this id. Raises Refusal."""
        found = self.tables.get(table_id)
        if found is not None:
            return found
        if not TABLE_ID.fullmatch(table_id):
            raise Refusal("no_such_table", say("there is no such table"))
        if table_id in self._loading:
            return await asyncio.shield(self._loading[table_id])
        loading = self._loading[table_id] = asyncio.get_running_loop().create_future()
        try:
            table = await self._load(table_id)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                loading.cancel()
            else:
                loading.set_exception(error)
                loading.exception()  # it is raised here, too
            raise
        else:
            loading.set_result(table)
            return table
        finally:
            del self._loading[table_id]
            if event := self._heard.pop(table_id, None):
                self._hinted(event)

    async def _load(self, table_id: str) -> Table:
        rows = await self.store.rows(
            "SELECT host, created, secret, config FROM tables WHERE id = ?", (table_id,)
        )
        if not rows:
            raise Refusal("no_such_table", say("there is no such table"))
        host, created, secret, config = rows[0]
        sitting = Sitting(
            table_id,
            msgspec.json.decode(config, type=p.TableConfig),
            host,
            created,
            bytes.fromhex(secret),
        )
        for event in await self.store.events(table_id):
            sitting.apply(event)
        table = self._keep(sitting)
        table.wake_up()
        return table

    async def rematch(self, table: Table, actor: Actor, client: str) -> str:
        """The table of the next game: made by whoever asks first. Raises Refusal."""
        old = table.sitting
        if old.rematch:
            return old.rematch
        if not old.is_done:
            raise Refusal("not_now", say("the game is not over"))
        if not old.seats_of(actor.person):
            raise Refusal("not_your_seat", say("you do not sit at this table"))
        made = await self.create(old.config, actor.person)
        try:
            await table.submit(OpenRematch(made.id), actor, client)
        except Refusal:
            await made.submit(p.Close("", made.id), actor)
            if table.sitting.rematch:
                return table.sitting.rematch
            raise
        here = await self._known([place.person for place in old.places])
        for seat, place in enumerate(old.places):
            there = (seat + 1) % len(old.places)
            if place.kind == "bot":
                await made.submit(p.AddBot("", made.id, place.bot or "", there), actor)
            elif place.person in here:
                sitter = Actor(place.person, place.name, place.kind)
                await made.submit(p.Sit("", made.id, there, place.name), sitter)
        return made.id

    async def _known(self, people: list[str]) -> set[str]:
        """Those of these people who may still play here."""
        marks = ", ".join("?" * len(people))
        rows = await self.store.rows(
            f"SELECT id FROM people WHERE banned = '' AND id IN ({marks})", people
        )
        return {row[0] for row in rows}

    async def public(
        self, before: int | None, game: str | None
    ) -> tuple[list[p.TableInfo], int | None]:
        """Tables that anybody may join or watch, the newest first, and where the next page
        begins."""
        sql = (
            "SELECT id, created FROM tables WHERE visibility = 'public'"
            " AND status IN ('gathering', 'playing', 'paused', 'sealing')"
        )
        values: list[Any] = []
        if before is not None:
            sql += " AND created < ?"
            values.append(before)
        if game is not None:
            sql += " AND game = ?"
            values.append(game)
        rows = await self.store.rows(f"{sql} ORDER BY created DESC LIMIT {PAGE}", values)
        tables = await self.readable(row[0] for row in rows)
        following = rows[-1][1] if len(rows) == PAGE else None
        return [table.info_for("") for table in tables], following

    async def readable(self, ids: Iterable[str]) -> list[Table]:
        """These tables, but for those that this server cannot show."""
        found = []
        for table_id in ids:
            with contextlib.suppress(Refusal):
                found.append(await self.table(table_id))
        return found

    async def results(
        self, person: str, before: int | None, game: str | None
    ) -> tuple[list[p.GameResult], int | None]:
        """How games ended: somebody's, or with nobody named those at public tables; the newest
        table first, and where the next page begins."""
        sql = "SELECT t.id, t.created FROM tables t WHERE t.status = 'over'"
        values: list[Any] = []
        if person:
            sql += (
                " AND EXISTS (SELECT 1 FROM events e"
                " WHERE e.person = ? AND e.tbl = t.id AND e.kind = 'sit'"
                " AND e.kind <> 'move')"  # the condition of the index
            )
            values.append(person)
        else:
            sql += " AND t.visibility = 'public'"
        for column, value in (("t.created < ?", before), ("t.game = ?", game)):
            if value is not None:
                sql += f" AND {column}"
                values.append(value)
        rows = await self.store.rows(f"{sql} ORDER BY t.created DESC LIMIT {PAGE}", values)
        found = []
        for table in await self.readable(row[0] for row in rows):
            sitting = table.sitting
            mine = sitting.seats_of(person)
            info = table.info_for(person)
            if info.outcome is not None and (mine or not person):
                found.append(
                    p.GameResult(
                        table.id,
                        info.config.game,
                        info.seats,
                        info.outcome,
                        mine,
                        info.created,
                    )
                )
        return found, rows[-1][1] if len(rows) == PAGE else None

    async def of_person(self, person: str) -> tuple[list[p.TableInfo], list[str]]:
        """The tables somebody made or sits at that are not over, the newest first, and at which of
        them it is their turn."""
        rows = await self.store.rows(
            "SELECT DISTINCT t.id, t.created FROM tables t LEFT JOIN events e"
            " ON e.tbl = t.id AND e.person = ? AND e.kind = 'sit'"
            " AND e.kind <> 'move'"
            " WHERE (t.host = ? OR e.person IS NOT NULL)"
            " AND t.status IN ('gathering', 'playing', 'paused', 'sealing')"
            f" ORDER BY t.created DESC LIMIT {PAGE}",
            (person, person),
        )
        mine = [
            table
            for table in await self.readable(row[0] for row in rows)
            if table.sitting.host == person or table.sitting.seats_of(person)
        ]
        turns = [
            table.id
            for table in mine
            if set(table.sitting.waiting) & set(table.sitting.seats_of(person))
        ]
        return [table.sitting.info for table in mine], turns

    # What is due -----------------------------------------------------------------------------

    def _hinted(self, event: Event) -> None:
        """Somebody has appended to a table, says the store: another server, or this one."""
        table = self.tables.get(event.table)
        if table is None:
            if event.table in self._loading:
                self._heard[event.table] = event
        elif event.seq > table.sitting.seq and event.seq != table.appending:
            try:
                is_taken = table.take_next(event)
            except Refusal as refusal:  # not to be played here; the others of this note are
                log.warning("%s: %s", table.id, refusal)
                return
            if not is_taken:
                self.read_on(table)

    def read_on(self, table: Table) -> None:
        """A table may be behind what has been appended to it."""
        self._behind[table.id] = table
        if not self._is_following:
            self._is_following = True
            self.spawn(self._follow())

    async def _follow(self) -> None:
        """Read what others have appended, of all tables that are behind at a time."""
        try:
            while self._behind:
                behind, self._behind = self._behind, {}
                try:
                    known = {key: table.sitting.seq for key, table in behind.items()}
                    found = await self.store.events_of(known)
                except StoreError as error:
                    log.warning("%s tables are behind: %s", len(behind), error)
                    self._behind = {**behind, **self._behind}
                    await asyncio.sleep(RETRY_S)
                    continue
                for key, events in found.items():
                    if behind[key].lock.locked():  # it takes them afterwards; the others go on
                        self.spawn(behind[key].take(events))
                    else:
                        with contextlib.suppress(Refusal):  # it has been dropped
                            await behind[key].take(events)
                if len(behind) >= MANY:  # when so many come, they come better together
                    await asyncio.sleep(GATHER_S)
        finally:
            self._is_following = False

    async def catch_up_all(self) -> None:
        """Hints may have been lost."""
        for table in tuple(self.tables.values()):
            await table.catch_up()

    def note(self, table: Table) -> None:
        """Keep a table's row up to date: status, and when something is due. It is for lists and
        for waking tables; the events are the truth."""
        self._noted[table.id] = (table.sitting.status, table.due_ms)
        self.watch(table)

    async def _tick(self) -> None:
        swept = time.monotonic()
        while True:
            await asyncio.sleep(NOTE_S)
            try:
                await self._write_notes()
                if time.monotonic() - swept > SWEEP_S:
                    swept = time.monotonic()
                    await self._load_due()
                    self._put_away_idle()
            except MandalierError as error:
                log.warning("the store does not answer: %s", error)
            except Exception:
                log.exception("what was due could not be seen to")

    async def _write_notes(self) -> None:
        noted, self._noted = self._noted, {}
        changed = {key: note for key, note in noted.items() if self._told.get(key) != note}
        if changed:
            try:
                await self.store.write(
                    *[
                        ("UPDATE tables SET status = ?, due = ? WHERE id = ?", (status, due, key))
                        for key, (status, due) in sorted(changed.items())
                    ]
                )
            except StoreError:
                self._noted = {**noted, **self._noted}
                raise
            self._told.update(changed)

    async def _load_due(self) -> None:
        """Tables at which something is due soon have to be at hand."""
        horizon = now_ms() + int(self.horizon_s * 1000)
        rows = await self.store.rows(
            "SELECT id FROM tables WHERE due IS NOT NULL AND due < ?"
            " AND status NOT IN ('over', 'closed')",
            (horizon,),
        )
        for (table_id,) in rows:
            try:
                (await self.table(table_id))._set_timer()
            except Refusal:
                continue
            except Exception:
                log.exception("table %s cannot be read", table_id)

    async def close_idle(self, waiting_days: int, idle_days: int) -> int:
        """Close tables that nobody has touched for so many days: those that wait for players, and
        those with a game on them. How many were closed."""
        closed = 0
        for statuses, days in (
            (("gathering", "sealing"), waiting_days),
            (("playing", "paused"), idle_days),
        ):
            before = now_ms() - days * DAY
            rows = await self.store.rows(
                "SELECT t.id FROM tables t WHERE t.status IN (?, ?) AND t.created < ? AND NOT EXISTS"
                " (SELECT 1 FROM events e WHERE e.tbl = t.id AND e.at >= ?) ORDER BY t.created"
                f" LIMIT {MOST_CLOSED}",
                (*statuses, before, before),
            )
            for (table_id,) in rows:
                try:
                    table = await self.table(table_id)
                    if table.sitting.changed < before:
                        await table.submit(p.Close("", table_id), SERVER)
                        closed += 1
                except Refusal as refusal:  # it is over by now, or under rules of another version
                    log.debug("%s stays open: %s", table_id, refusal)
        return closed

    def _put_away_idle(self) -> None:
        for table in [table for table in self.tables.values() if table.is_idle]:
            self.drop(table)

    def drop(self, table: Table) -> None:
        """Have a table no more at hand; it is read again when somebody asks for it."""
        table.put_away()
        self.tables.pop(table.id, None)
        self._told.pop(table.id, None)
