"""Telling people who are away that it is their turn.

A table never waits for any of this: it says "look", and that is all. Whoever's turn has come and who
has not come back for a while gets a notice in every way they asked for. Notices are kept in the
store until they went or were tried often enough, so a restart loses none, and of several servers one
sends each. A turn is told once: its notice is named after the table, the seat and the number of the
turn.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from mandalier.games.errors import MandalierError
from mandalier.games.words import LANGUAGES, say, speaking
from mandalier.server.accounts import DAY_MS, Keeper, hash_of, now_ms
from mandalier.server.config import Notify
from mandalier.server.deliver import Delivery, Failed, Gone, Notice
from mandalier.server.limits import Limiter, per_hour

if TYPE_CHECKING:
    from mandalier.server.metrics import Metrics

log = logging.getLogger("mandalier.notify")

RETRY_MS = (30_000, 120_000, 600_000, 3_600_000, 4 * 3_600_000)
"""How long after each try that failed the next one comes; after the last there is none."""
POLL_S = 5.0
REFRESH_S = 30.0
EXCUSE_S = 10.0
"""Of several servers, those where somebody is not leave so much time to one where they are."""
SENDERS = 4
BATCH = 50
MOST_WAITING = 10_000
MOST_SUBSCRIPTIONS = 10
CODE_DIGITS, CODE_TRIES, CODE_MS = 8, 5, 3_600_000
KEPT_DAYS = 30

MIGRATION: tuple[str, ...] = (
    "CREATE TABLE subscriptions (id TEXT PRIMARY KEY, person TEXT NOT NULL, way TEXT NOT NULL,"
    " address TEXT NOT NULL, secret TEXT NOT NULL, language TEXT NOT NULL,"
    " created BIGINT NOT NULL, confirmed INTEGER NOT NULL, code TEXT NOT NULL,"
    " tries INTEGER NOT NULL)",
    "CREATE INDEX subscriptions_by_person ON subscriptions (person)",
    "CREATE TABLE notices (id TEXT PRIMARY KEY, subscription TEXT NOT NULL, created BIGINT NOT NULL,"
    " due BIGINT, tries INTEGER NOT NULL, data TEXT NOT NULL)",
    "CREATE INDEX notices_by_due ON notices (due) WHERE due IS NOT NULL",
    "CREATE TABLE claims (notice TEXT NOT NULL, tries INTEGER NOT NULL,"
    " PRIMARY KEY (notice, tries))",
    "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)
"""The tables of this module, for the store's list of migrations."""


class Table(Protocol):
    """What is looked at of a table (see table.py)."""

    @property
    def id(self) -> str: ...

    @property
    def sitting(self) -> Any: ...

    @property
    def watchers(self) -> Any: ...


class NotifyError(MandalierError):
    """A subscription that cannot be; the message says why."""


class SubscriptionInfo(Struct, frozen=True):
    """A subscription as its owner sees it."""

    id: str
    way: str
    address: str
    confirmed: bool
    created: int


class Subscribed(Struct, frozen=True):
    """A new subscription. A webhook's secret signs what it is sent, and is shown once; an e-mail
    address has to be confirmed by the code that was sent to it."""

    id: str
    way: str
    confirmed: bool
    secret: str | None = None


def shown(way: str, address: str) -> str:
    """An address, as far as a list shows it."""
    if way == "push":
        return str(json.loads(address)[0]).split("/")[2]
    return address


class Notifier:
    """Who wants to be told how, and telling them."""

    def __init__(
        self,
        store: Keeper,
        config: Notify,
        base: str,
        *,
        delivery: Delivery | None = None,
        metrics: Metrics | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self.store = store
        self.config = config
        self.base = base.rstrip("/")
        self.delivery = delivery or Delivery(config)
        self.metrics = metrics
        self.clock = clock
        self.people: set[str] = set()
        self.excuse_s = EXCUSE_S
        self._limiter = per_hour(config.per_hour)
        self._asking = per_hour(10)
        self._mailing = Limiter(3 / 3600, 3)
        self._waiting: dict[tuple[str, str, str], asyncio.TimerHandle] = {}
        self._threads = ThreadPoolExecutor(SENDERS, "notify")
        self._tasks: set[asyncio.Task[Any]] = set()
        self._new = asyncio.Event()

    @property
    def is_on(self) -> bool:
        return bool(self.delivery.ways)

    async def open(self) -> None:
        if not self.is_on:
            return
        if "push" in self.delivery.ways:
            self.delivery.push_key = await self._push_key()
        await self.refresh()
        self._spawn(self._work())

    async def close(self) -> None:
        for timer in self._waiting.values():
            timer.cancel()
        self._waiting.clear()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _push_key(self) -> str:
        """The key that all servers of a database push with; the first one makes it."""
        from mandalier.server import push

        await self.store.write(
            (
                "INSERT INTO kept (name, value) VALUES ('push key', ?) ON CONFLICT DO NOTHING",
                (push.new_key(),),
            )
        )
        return str((await self.store.rows("SELECT value FROM kept WHERE name = 'push key'"))[0][0])

    @property
    def public_key(self) -> str | None:
        """What a browser needs to subscribe."""
        from mandalier.server import push

        if not self.delivery.push_key:
            return None
        return push.b64(push.public_of(push.read_key(self.delivery.push_key)))

    async def refresh(self) -> None:
        rows = await self.store.rows(
            "SELECT DISTINCT person FROM subscriptions WHERE confirmed = 1"
        )
        self.people = {row[0] for row in rows}

    # Subscriptions ---------------------------------------------------------------------------

    async def subscribe(self, person: str, way: str, address: Any, language: str) -> Subscribed:
        """Somebody wants to be told in this way. Raises MandalierError."""
        if not self._asking.allows(person):
            raise NotifyError(say("that was often enough for now; try again in an hour"))
        loop = asyncio.get_running_loop()
        checked = await loop.run_in_executor(
            self._threads, self.delivery.check_address, way, address
        )
        there = await self.subscriptions(person)
        if len(there) >= MOST_SUBSCRIPTIONS:
            raise NotifyError(
                say("nobody has more than {n} subscriptions; end one first", n=MOST_SUBSCRIPTIONS)
            )
        made, secret = secrets.token_urlsafe(9), secrets.token_urlsafe(24)
        code = "".join(secrets.choice("0123456789") for _ in range(CODE_DIGITS))
        is_mail = way == "mail"
        if is_mail and not self._mailing.allows(checked.lower()):
            raise NotifyError(say("that was often enough for now; try again in an hour"))
        await self.store.write(
            (
                "INSERT INTO subscriptions (id, person, way, address, secret, language, created,"
                " confirmed, code, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
                (
                    made,
                    person,
                    way,
                    checked,
                    secret,
                    language if language in LANGUAGES else "en",
                    self.clock(),
                    int(not is_mail),
                    hash_of(code + made) if is_mail else "",
                ),
            )
        )
        if is_mail:
            with speaking(language if language in LANGUAGES else "en"):
                text = say(
                    "Your code: {code}. If you have not asked for it, do nothing.", code=code
                )
                title = say("Mandalier: is this your address?")
            await self._queue(f"code:{made}", made, Notice(title, text, self.base, {}))
        else:
            self.people.add(person)
        return Subscribed(made, way, not is_mail, secret if way == "hook" else None)

    async def confirm(self, person: str, subscription: str, code: object) -> None:
        """The code that was sent to an address has come back."""
        wrong = NotifyError(say("this is not the code, or its time is up; subscribe again"))
        rows = await self.store.rows(
            "SELECT code, tries, created FROM subscriptions"
            " WHERE id = ? AND person = ? AND confirmed = 0",
            (subscription, person),
        )
        if not rows or not isinstance(code, str):
            raise wrong
        expected, tries, created = rows[0]
        if tries >= CODE_TRIES or self.clock() - created > CODE_MS:
            await self._remove(subscription)
            raise wrong
        if not hmac.compare_digest(expected, hash_of(code.strip() + subscription)):
            await self.store.write(
                ("UPDATE subscriptions SET tries = tries + 1 WHERE id = ?", (subscription,))
            )
            raise wrong
        await self.store.write(
            ("UPDATE subscriptions SET confirmed = 1, code = '' WHERE id = ?", (subscription,))
        )
        self.people.add(person)

    async def subscriptions(self, person: str) -> list[SubscriptionInfo]:
        rows = await self.store.rows(
            "SELECT id, way, address, confirmed, created FROM subscriptions WHERE person = ?"
            " ORDER BY created, id",
            (person,),
        )
        return [
            SubscriptionInfo(made, way, shown(way, address), bool(confirmed), created)
            for made, way, address, confirmed, created in rows
        ]

    async def end(self, person: str, subscription: str) -> None:
        """Somebody does not want to be told in this way any more."""
        if any(found.id == subscription for found in await self.subscriptions(person)):
            await self._remove(subscription)

    async def stop(self, key: str) -> bool:
        """The link at the foot of a message was followed."""
        subscription, _, given = key.partition(".")
        rows = await self.store.rows(
            "SELECT secret FROM subscriptions WHERE id = ?", (subscription,)
        )
        if not rows or not hmac.compare_digest(_stop_key(rows[0][0]).encode(), given.encode()):
            return False
        await self._remove(subscription)
        return True

    async def forget(self, person: str) -> None:
        """Delete all that is kept here about somebody."""
        for found in await self.subscriptions(person):
            await self._remove(found.id)

    async def _remove(self, subscription: str) -> None:
        await self.store.write(
            (
                "DELETE FROM claims WHERE notice IN"
                " (SELECT id FROM notices WHERE subscription = ?)",
                (subscription,),
            ),
            ("DELETE FROM notices WHERE subscription = ?", (subscription,)),
            ("DELETE FROM subscriptions WHERE id = ?", (subscription,)),
        )
        await self.refresh()

    async def test(self, person: str, subscription: str) -> None:
        """Send a notice to see whether it arrives."""
        if not self._asking.allows(person):
            raise NotifyError(say("that was often enough for now; try again in an hour"))
        rows = await self.store.rows(
            "SELECT language FROM subscriptions WHERE id = ? AND person = ? AND confirmed = 1",
            (subscription, person),
        )
        if not rows:
            raise NotifyError(say("there is no such subscription"))
        with speaking(rows[0][0]):
            notice = Notice(say("A test"), say("Notices arrive here."), self.base, {"kind": "test"})
        await self._queue(f"test:{subscription}:{secrets.token_hex(4)}", subscription, notice)

    # Tables ----------------------------------------------------------------------------------

    def look(self, table: Table) -> None:
        """Something has changed at a table. This costs next to nothing, and never waits."""
        if not self.people:
            return
        for person, turn in _due(table, self.clock()).items():
            key = (table.id, person, turn)
            if person in self.people and key not in self._waiting:
                if len(self._waiting) < MOST_WAITING:
                    self._waiting[key] = asyncio.get_running_loop().call_later(
                        self.config.after_s, self._look_again, table, key
                    )

    def _look_again(self, table: Table, key: tuple[str, str, str], excused: bool = False) -> None:
        """Some time has gone by: tell those who have not come. `excused`: other servers have had
        the time to say that they are there."""
        self._waiting.pop(key, None)
        _, person, turn = key
        if _due(table, self.clock()).get(person) != turn:
            return
        is_here = any(watcher.person == person for watcher in table.watchers)
        is_shared = getattr(self.store, "is_shared", False)
        if is_here:
            if is_shared:
                self._spawn(self._excuse(person, table.id, turn))
        elif is_shared and not excused:
            # they may be at another server, which says so about now
            self._waiting[key] = asyncio.get_running_loop().call_later(
                self.excuse_s, self._look_again, table, key, True
            )
        else:
            self._spawn(self._tell(person, table.id, table.sitting.game.title, turn))

    async def _excuse(self, person: str, table: str, turn: str) -> None:
        """Somebody sees their turn here: no server need tell them of it."""
        for subscription, _ in await self._confirmed(person):
            now = self.clock()
            await self.store.write(
                (
                    "INSERT INTO notices (id, subscription, created, due, tries, data)"
                    " VALUES (?, ?, ?, NULL, 0, '[]') ON CONFLICT DO NOTHING",
                    (f"{subscription}:{table}:{turn}", subscription, now),
                )
            )

    async def _confirmed(self, person: str) -> list[tuple[str, str]]:
        """Somebody's subscriptions, and the languages they are in."""
        rows = await self.store.rows(
            "SELECT id, language FROM subscriptions WHERE person = ? AND confirmed = 1", (person,)
        )
        return [(row[0], row[1]) for row in rows]

    async def _tell(self, person: str, table: str, game: str, turn: str) -> None:
        for subscription, language in await self._confirmed(person):
            name = f"{subscription}:{table}:{turn}"
            if await self.store.rows("SELECT 1 FROM notices WHERE id = ?", (name,)):
                continue
            if not self._limiter.allows(person):
                self._count("any", "too many")
                return
            with speaking(language):
                is_over = turn == "over"
                title = (
                    say("{game}: the game is over", game=game)
                    if is_over
                    else say("{game}: it is your turn", game=game)
                )
                text = (
                    say("See how it ended.") if is_over else say("The others wait for your move.")
                )
            kind = "over" if is_over else "turn"
            data = {"kind": kind, "table": table}
            await self._queue(
                name, subscription, Notice(title, text, f"{self.base}/t/{table}", data)
            )

    async def _queue(self, name: str, subscription: str, notice: Notice) -> None:
        now = self.clock()
        await self.store.write(
            (
                "INSERT INTO notices (id, subscription, created, due, tries, data)"
                " VALUES (?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING",
                (name, subscription, now, now, json.dumps(notice)),
            )
        )
        self._new.set()

    # Sending ---------------------------------------------------------------------------------

    async def _work(self) -> None:
        refreshed = asyncio.get_running_loop().time()
        while True:
            try:
                while await self.send_due():
                    pass
                if asyncio.get_running_loop().time() - refreshed > REFRESH_S:
                    refreshed = asyncio.get_running_loop().time()
                    await self.refresh()
                    await self.sweep()
            except Exception:
                log.exception("notices cannot be sent at the moment")
            self._new.clear()
            try:
                await asyncio.wait_for(self._new.wait(), POLL_S)
            except TimeoutError:
                continue

    async def send_due(self) -> int:
        """Send what is due; how many notices were tried."""
        rows = await self.store.rows(
            "SELECT n.id, n.tries, n.data, s.id, s.way, s.address, s.secret, s.language"
            " FROM notices n JOIN subscriptions s ON s.id = n.subscription"
            f" WHERE n.due IS NOT NULL AND n.due <= ? ORDER BY n.due LIMIT {BATCH}",
            (self.clock(),),
        )
        sent = await asyncio.gather(*(self._send(*row) for row in rows))
        return sum(sent)

    async def _send(
        self,
        name: str,
        tries: int,
        data: str,
        subscription: str,
        way: str,
        address: str,
        secret: str,
        language: str,
    ) -> int:
        if not await self._claim(name, tries):
            return 0
        notice = Notice(*json.loads(data))
        stop = f"{self.base}/api/v1/notifications/stop?key={subscription}.{_stop_key(secret)}"
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._threads,
                _in_language,
                language,
                lambda: self.delivery.send(way, address, secret, notice, stop),
            )
        except Gone:
            self._count(way, "gone")
            await self._remove(subscription)
            return 1
        except Failed as failed:
            is_last = tries >= len(RETRY_MS)
            self._count(way, "given up" if is_last else "failed")
            log.warning("notice by %s, try %s: %s", way, tries + 1, failed)
            return 1
        self._count(way, "sent")
        await self.store.write(
            ("UPDATE notices SET due = NULL WHERE id = ?", (name,)),
            ("DELETE FROM claims WHERE notice = ?", (name,)),
        )
        return 1

    async def _claim(self, name: str, tries: int) -> bool:
        """Take a notice, so that no other server sends it; the next try is fixed at once, in case
        this server does not live to tell how it went."""
        again = self.clock() + RETRY_MS[tries] if tries < len(RETRY_MS) else None
        claim = "INSERT INTO claims (notice, tries) VALUES (?, ?)"
        try:
            await self.store.write(
                (claim, (name, tries)),
                ("UPDATE notices SET tries = ?, due = ? WHERE id = ?", (tries + 1, again, name)),
            )
        except Exception:
            if await self.store.rows(
                "SELECT 1 FROM claims WHERE notice = ? AND tries = ?", (name, tries)
            ):
                return False
            raise
        return True

    async def sweep(self) -> None:
        """Let go of notices long told, and of addresses that were never confirmed."""
        now = self.clock()
        before = now - KEPT_DAYS * DAY_MS
        old = "SELECT id FROM notices WHERE created < ?"
        await self.store.write(
            (f"DELETE FROM claims WHERE notice IN ({old})", (before,)),
            ("DELETE FROM notices WHERE created < ?", (before,)),
            ("DELETE FROM subscriptions WHERE confirmed = 0 AND created < ?", (now - DAY_MS,)),
        )

    def _count(self, way: str, outcome: str) -> None:
        if self.metrics:
            self.metrics.notes.labels(way, outcome).inc()


def _in_language(language: str, work: Callable[[], None]) -> None:
    with speaking(language):
        work()


def _stop_key(secret: str) -> str:
    return hmac.new(secret.encode(), b"stop", "sha256").hexdigest()[:32]


def _due(table: Table, now: int) -> dict[str, str]:
    """Who is to be told something at a table, and the name of what: a turn is named by seat and
    number."""
    sitting = table.sitting
    if sitting.status == "over" and now - sitting.status_since < DAY_MS:
        return {place.person: "over" for place in sitting.places if place.person}
    found: dict[str, str] = {}
    for seat in sitting.waiting:
        place = sitting.places[seat]
        if place.by_person and place.person:
            turns: Sequence[Any] = [move for move in sitting.moves if move.seat == seat]
            found[place.person] = f"{seat}.{len(turns)}"
    return found
