"""A game at a table, as its events have made it: seats, words, deal, moves, clocks, the end.

`decide` says what event a message comes to, or refuses it; `apply` carries an event out. Nothing
else changes a sitting, so whoever applies the same events, after a crash or on another server, has
the same sitting. Both are plain functions of what is here: no store, no sockets, no time of day.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from mandalier.games.errors import IllegalMove, MandalierError
from mandalier.games.game import State, game
from mandalier.games.words import say
from mandalier.server import protocol as p
from mandalier.server.clock import MOST_LAG, Clock
from mandalier.server.fairness import Fair, FairnessError, Gathering
from mandalier.server.names import NameRefused, check_name, told_apart
from mandalier.server.scene import Scene
from mandalier.server.store import Event

STAND_IN = "eager"
"""The bot that plays for somebody who has left, unless another is named."""
MARKS_KEPT = 64
WORLDS_TRIED = 4


class Refusal(Exception):
    """A message that is not carried out: a code of `protocol.REFUSALS`, and why, in words."""

    def __init__(self, code: str, reason: str) -> None:
        assert code in p.REFUSALS, code
        self.code = code
        self.reason = reason
        super().__init__(f"{code}: {reason}")


class Actor(msgspec.Struct, frozen=True, gc=False):
    """Who sends a message."""

    person: str
    name: str = ""
    kind: p.SeatKind = "person"
    bot_of: int | None = None
    """The seat a bot plays here; for the table's own bots alone."""
    lag_ms: int = 0


SERVER = Actor("")


class Deal(msgspec.Struct, frozen=True):
    """The server deals: all words are in, or time for them is up."""


class AutoStart(msgspec.Struct, frozen=True):
    """The server starts a table that is full."""


class Flag(msgspec.Struct, frozen=True):
    """The time of a seat is up."""

    seat: int


class OpenRematch(msgspec.Struct, frozen=True):
    """The table of the next game has been made."""

    table: str
    id: str = ""


class Forget(msgspec.Struct, frozen=True):
    """Somebody is to be forgotten here: another id stands in for theirs."""

    person: str
    alias: str


Message = p.TableMessage | Deal | AutoStart | Flag | OpenRematch | Forget


class Draft(msgspec.Struct):
    """An event to be appended; `state` is the game after it, if it was worked out on the way."""

    kind: str
    seat: int | None = None
    data: dict[str, Any] = {}
    state: State | None = None


@dataclass(slots=True)
class Place:
    """A seat, and who sits there."""

    kind: p.SeatKind = "open"
    person: str = ""
    name: str = ""
    bot: str | None = None
    away: bool = False
    out: bool = False

    @property
    def by_person(self) -> bool:
        """Whether somebody decides here who can be asked."""
        return self.kind in ("person", "program") and not self.away and not self.out

    @property
    def by_bot(self) -> str | None:
        """The level of the bot that plays here, if one does."""
        if self.kind == "bot":
            return self.bot
        if self.kind in ("person", "program") and (self.away or self.out):
            return self.bot or STAND_IN
        return None


class Played(msgspec.Struct, frozen=True, gc=False):
    """A move, and the chance that followed it."""

    seat: int
    text: str
    chance: Sequence[str] = ()


@dataclass(slots=True)
class Asked:
    """An offer that waits for consent."""

    seat: int
    person: str
    agreed: list[str] = field(default_factory=list)
    drop: list[int] = field(default_factory=list)


class Sitting:
    """One game at one table."""

    def __init__(
        self, table: str, config: p.TableConfig, host: str, created: int, secret: bytes
    ) -> None:
        self.table = table
        self.config = config
        self.host = host
        self.created = created
        self.game = game(config.game)
        seats = self.game.check_seats(config.seats)
        self.places = [Place() for _ in range(seats)]
        self.clock = Clock(config.clock, seats)
        self.gathering = Gathering(seats, secret)
        self.fair: Fair | None = None
        self.status: p.Status = "gathering"
        self.chat = config.chat
        self.seq = 0
        self.status_since = created
        self.changed = created
        """When the last event happened."""
        self.answers: dict[str, int] = {}
        self.setup: dict[str, Any] = {}
        self.state: State | None = None
        self.scene: Scene | None = None
        self.moves: list[Played] = []
        self.offers: dict[str, Asked] = {}
        self.outcome: p.Outcome | None = None
        self.rematch: str | None = None
        self.said: list[Event] = []
        self._info: p.TableInfo | None = None
        self._seats_of: dict[str, list[int]] = {}
        self.info_made: list[Any] = [None, b""]
        self._marks: deque[tuple[int, int, int | None]] = deque(maxlen=MARKS_KEPT)
        """(at, the seats waiting then as bits, who moved to get there)"""

    # Looking ---------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        return self.scene.at if self.scene else 0

    @property
    def waiting(self) -> tuple[int, ...]:
        """Who may move now."""
        if self.status != "playing" or self.state is None:
            return ()
        return self.state.waiting

    @property
    def is_done(self) -> bool:
        return self.status in ("over", "closed")

    def seats_of(self, person: str) -> list[int]:
        """Where somebody sits. Moves leave it as it is."""
        found = self._seats_of.get(person)
        if found is None:
            places = enumerate(self.places)
            found = [i for i, place in places if person and place.person == person]
            if found:  # not for everybody who ever looks on
                self._seats_of[person] = found
        return found

    @property
    def info(self) -> p.TableInfo:
        """The table, as anybody may see it. Most moves leave it as it is."""
        if self._info is None:
            self._info = self._made_info()
        return self._info

    def _made_info(self) -> p.TableInfo:
        return p.TableInfo(
            id=self.table,
            config=self.config,
            host=self._name_of(self.host),
            status=self.status,
            seats=[
                p.SeatInfo(i, s.kind, s.name, s.bot, s.away, s.out)
                for i, s in enumerate(self.places)
            ],
            chat=self.chat,
            fair=self.fair.public if self.fair else self.gathering.public,
            created=self.created,
            offers=[
                p.Offer(what, asked.seat, self._seats_that_agree(asked))  # type: ignore[arg-type]
                for what, asked in self.offers.items()
            ],
            outcome=self.outcome,
            rematch=self.rematch,
        )

    def _name_of(self, person: str) -> str:
        return next((s.name for s in self.places if s.person == person), "")

    def _seats_that_agree(self, asked: Asked) -> list[int]:
        yes = {asked.person, *asked.agreed}
        return [i for i, place in enumerate(self.places) if place.person in yes]

    def record(self) -> dict[str, Any]:
        """The whole game; for when it is over, or for the server itself."""
        assert self.state is not None
        return self.state.record()

    def clocks_at(self, now: int) -> p.Clocks | None:
        if not self.clock.kept or self.state is None:
            return None
        return p.Clocks(now, self.clock.left_at(now), sorted(self.clock.running))

    # Deciding --------------------------------------------------------------------------------

    def decide(self, message: Message, actor: Actor, now: int) -> Draft:
        """The event a message comes to. Raises Refusal."""
        return _DECIDE[type(message)](self, message, actor, now)

    def _must_be(self, *statuses: p.Status) -> None:
        if self.status not in statuses:
            raise Refusal("not_now", _WHY_NOT_NOW[self.status]())

    def _seat_number(self, seat: int) -> int:
        if not 0 <= seat < len(self.places):
            raise Refusal("no_such_seat", say("there is no seat {seat} at this table", seat=seat))
        return seat

    def _own_seat(self, actor: Actor, seat: int | None, among: tuple[int, ...] = ()) -> int:
        """The seat a message is about."""
        if actor.bot_of is not None:
            return actor.bot_of
        mine = self.seats_of(actor.person)
        if seat is not None:
            if self._seat_number(seat) not in mine:
                raise Refusal("not_your_seat", say("you do not sit at seat {seat}", seat=seat))
            return seat
        if not mine:
            raise Refusal("not_your_seat", say("you do not sit at this table"))
        fitting = [i for i in mine if i in among] or mine if len(mine) > 1 else mine
        if len(fitting) > 1:
            raise Refusal("not_your_seat", say("you have several seats: say which one"))
        return fitting[0]

    def _must_host(self, actor: Actor) -> None:
        if actor.person != self.host:
            raise Refusal("not_the_host", say("only the host of the table may do that"))

    # Before the start

    def _sit(self, m: p.Sit, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        free = [i for i, place in enumerate(self.places) if place.kind == "open"]
        if m.seat is None and not free:
            raise Refusal("seat_taken", say("the table is full"))
        seat = free[_lot(len(free))] if m.seat is None else self._seat_number(m.seat)
        place = self.places[seat]
        if place.kind != "open" and place.person != actor.person:
            raise Refusal("seat_taken", say("somebody sits at seat {seat}", seat=seat))
        try:
            name = check_name(m.name) if m.name else actor.name or say("Guest")
        except NameRefused as error:
            raise Refusal("bad_name", str(error)) from None
        name = told_apart(name, [s.name for i, s in enumerate(self.places) if i != seat])
        kind = "program" if m.program else actor.kind
        data = {"kind": kind, "person": actor.person, "name": name}
        return Draft("sit", seat, data)

    def _rise(self, m: p.Rise, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        seat = self._seat_number(m.seat)
        if self.places[seat].person != actor.person or not actor.person:
            self._must_host(actor)
        return Draft("rise", seat)

    def _add_bot(self, m: p.AddBot, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        self._must_host(actor)
        free = [i for i, place in enumerate(self.places) if place.kind == "open"]
        seat = free[0] if m.seat is None and free else m.seat
        if seat is None or self.places[self._seat_number(seat)].kind != "open":
            raise Refusal("seat_taken", say("there is no free seat for a bot"))
        return Draft(
            "sit", seat, {"kind": "bot", "bot": known_bot(m.bot, self.game.name), "name": m.bot}
        )

    def _start(self, m: p.Start, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        self._must_host(actor)
        level = m.fill_with or self.config.fill_with
        free = [i for i, place in enumerate(self.places) if place.kind == "open"]
        if free and not level:
            text = say("seats are free: wait for people, add bots, or name a bot to fill them with")
            raise Refusal("not_now", text)
        fill = known_bot(level, self.game.name) if free and level else ""
        return Draft("start", data={"fill": {str(i): fill for i in free}})

    def _auto_start(self, m: AutoStart, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        if not self.is_full:
            raise Refusal("not_now", _WHY_NOT_NOW["gathering"]())
        return Draft("start", data={"fill": {}})

    @property
    def is_full(self) -> bool:
        return all(place.kind != "open" for place in self.places)

    @property
    def words_are_in(self) -> bool:
        """Whether each person has said, or sealed, a word."""
        g = self.gathering
        return all(
            place.kind != "person" or g.words[i] is not None or g.seals[i] is not None
            for i, place in enumerate(self.places)
        )

    def _word(self, m: p.Word, actor: Actor, now: int) -> Draft:
        self._must_be("gathering", "sealing")
        seat = self._own_seat(actor, m.seat)
        self._try_fairness(lambda g: g.word(seat, m.word))
        return Draft("word", seat, {"word": m.word})

    def _seal(self, m: p.Seal, actor: Actor, now: int) -> Draft:
        self._must_be("gathering")
        seat = self._own_seat(actor, m.seat)
        self._try_fairness(lambda g: g.seal(seat, m.seal))
        return Draft("seal", seat, {"seal": m.seal})

    def _try_fairness(self, step: Callable[[Gathering], None]) -> None:
        try:
            step(Gathering.restored(self.gathering.kept()))
        except FairnessError as error:
            raise Refusal("fairness", str(error)) from None

    def _deal(self, m: Deal, actor: Actor, now: int) -> Draft:
        self._must_be("sealing")
        fair = self.gathering.fair()
        state = fair.deal(self.game.name, self.config.options)
        rules = self.game.module.RULES
        return Draft("deal", data={"setup": state.record()["setup"], "rules": rules}, state=state)

    # Playing

    def _move(self, m: p.Move, actor: Actor, now: int) -> Draft:
        self._must_be("playing")
        assert self.state is not None
        assert self.fair is not None
        waiting = self.state.waiting
        seat = self._own_seat(actor, m.seat, waiting)
        place = self.places[seat]
        if actor.bot_of is None and (place.away or place.out):
            raise Refusal("not_your_seat", say("a bot plays for you; come back first"))
        if actor.bot_of is not None and not place.by_bot:
            raise Refusal("stale", say("the position has changed since"))
        if m.at != self.at and not self._undisturbed(seat, m.at):
            raise Refusal("stale", say("the position has changed since"))
        if seat not in waiting:
            raise Refusal("not_your_turn", say("it is not the turn of seat {seat}", seat=seat))
        lag = max(0, min(actor.lag_ms, MOST_LAG))
        if self.clock.is_up(seat, now):
            raise Refusal("not_now", say("the time of seat {seat} is up", seat=seat))
        trial = self.state.copy()
        try:
            self.fair.play(trial, m.move, seat)
        except IllegalMove as error:
            raise Refusal("illegal", error.reason) from None
        except MandalierError as error:
            raise Refusal("illegal", str(error)) from None
        chance = [entry[2:] for entry in trial.entries(self.state.plies + 1)]
        data: dict[str, Any] = {"move": m.move, "chance": chance} if chance else {"move": m.move}
        if trial.path:
            data["path"] = base64.b64encode(trial.path).decode()
        if lag and self.clock.kept:
            data["lag"] = lag
        return Draft("move", seat, data, trial)

    def _undisturbed(self, seat: int, at: int) -> bool:
        """Whether a seat's turn has gone on since a position, others having moved at their own."""
        since = [mark for mark in self._marks if mark[0] >= at]
        if not since or since[0][0] != at:
            return False
        was_waiting = all(waiting >> seat & 1 for _, waiting, _ in since)
        return was_waiting and all(mover not in (seat, None) for _, _, mover in since[1:])

    def _undo(self, m: p.Undo, actor: Actor, now: int) -> Draft:
        self._must_be("playing")
        seat = self._own_seat(actor, m.seat)
        last = max((i for i, move in enumerate(self.moves) if move.seat == seat), default=None)
        if last is None:
            raise Refusal("no_undo", say("there is no move of yours to take back"))
        if m.at != self.at and not self._is_veiled(last):
            raise Refusal("stale", say("the position has changed since"))
        if self._is_veiled(last):
            return Draft("undo", seat, {"drop": [last]})
        drop = list(range(last, len(self.moves)))
        if self._shows_nothing(last):
            return Draft("undo", seat, {"drop": drop})
        if not self.config.undo:
            raise Refusal("no_undo", say("at this table moves are not taken back"))
        return self._ask("undo", seat, actor, drop)

    def _is_veiled(self, index: int) -> bool:
        """Whether a move is still hidden from the others."""
        assert self.scene is not None
        return self._entry_of(index) in self.scene.veiled

    def _entry_of(self, index: int) -> int:
        return index + sum(len(move.chance) for move in self.moves[:index])

    def _shows_nothing(self, index: int) -> bool:
        """Whether the move was the last one, its turn goes on, and it showed the seat nothing it
        did not know: then every world it can imagine leads to the same view."""
        move = self.moves[index]
        assert self.state is not None
        if index != len(self.moves) - 1 or move.chance or self.state.waiting != (move.seat,):
            return False
        view = self._replayed(self.moves[:index]).view(move.seat)
        for seed in range(WORLDS_TRIED):
            world = view.imagine(seed)
            world.move(move.text, move.seat)
            if world.chance_due or world.view(move.seat) != self.state.view(move.seat):
                return False
        return True

    def _ask(
        self, what: str, seat: int | None, actor: Actor, drop: list[int] | None = None
    ) -> Draft:
        """An offer; what it is about, at once, if there is nobody to ask."""
        if what in self.offers:
            raise Refusal("not_now", say("that has been asked already"))
        seat = self._own_seat(actor, seat) if seat is not None else self._any_seat(actor)
        if not self._others(actor.person):
            return self._granted(what, seat, drop or [])
        return Draft("ask", seat, {"what": what, "person": actor.person, "drop": drop or []})

    def _any_seat(self, actor: Actor) -> int:
        mine = self.seats_of(actor.person)
        if not mine:
            raise Refusal("not_your_seat", say("you do not sit at this table"))
        return mine[0]

    def _others(self, person: str) -> set[str]:
        return {place.person for place in self.places if place.by_person} - {person}

    @staticmethod
    def _granted(what: str, seat: int, drop: list[int]) -> Draft:
        return Draft(what, seat, {"drop": drop} if what == "undo" else {})

    def _agree(self, m: p.Agree, actor: Actor, now: int) -> Draft:
        seat = self._any_seat(actor)
        asked = self.offers.get(m.what)
        if asked is None:
            raise Refusal("nothing_asked", say("nobody has asked for that"))
        if not m.yes:
            return Draft("decline", seat, {"what": m.what})
        if actor.person == asked.person:
            raise Refusal("nothing_asked", say("you have asked for that yourself"))
        if self._others(asked.person) <= {*asked.agreed, actor.person}:
            return self._granted(m.what, asked.seat, asked.drop)
        return Draft("agree", seat, {"what": m.what, "person": actor.person})

    def _pause(self, m: p.Pause, actor: Actor, now: int) -> Draft:
        self._must_be("playing")
        return self._ask("pause", None, actor)

    def _resume(self, m: p.Resume, actor: Actor, now: int) -> Draft:
        self._must_be("paused")
        return self._ask("resume", None, actor)

    def _resign(self, m: p.Resign, actor: Actor, now: int) -> Draft:
        self._must_be("playing", "paused")
        seat = self._own_seat(actor, m.seat)
        if self.places[seat].out:
            raise Refusal("not_now", say("this seat is out of the game"))
        return Draft("resign", seat)

    def _flag(self, m: Flag, actor: Actor, now: int) -> Draft:
        self._must_be("playing")
        if not self.clock.is_up(m.seat, now):
            raise Refusal("not_now", say("the time of seat {seat} is not up", seat=m.seat))
        if self.clock.ends_games or self.places[m.seat].kind == "bot":
            return Draft("timeout", m.seat)
        return Draft("timeout", m.seat, {"bot": self._stand_in(None)})

    def _leave(self, m: p.Leave, actor: Actor, now: int) -> Draft:
        seat = self._own_seat(actor, m.seat)
        if self.status == "gathering":
            return Draft("rise", seat)
        self._must_be("playing", "paused", "sealing")
        if self.places[seat].away:
            raise Refusal("not_now", say("a bot plays for you already"))
        return Draft("leave", seat, {"bot": self._stand_in(m.bot)})

    def _stand_in(self, asked: str | None) -> str:
        """The bot that plays for somebody who is away."""
        return known_bot(asked or self.config.fill_with or STAND_IN, self.game.name)

    def _return(self, m: p.Return, actor: Actor, now: int) -> Draft:
        self._must_be("playing", "paused", "sealing")
        away = tuple(i for i, place in enumerate(self.places) if place.away)
        seat = self._own_seat(actor, m.seat, away)
        if not self.places[seat].away:
            raise Refusal("not_now", say("you are here"))
        return Draft("return", seat)

    def _close(self, m: p.Close, actor: Actor, now: int) -> Draft:
        if actor is not SERVER:
            self._must_host(actor)
        self._must_be("gathering", "sealing", "playing", "paused")
        return Draft("close")

    def _open_rematch(self, m: OpenRematch, actor: Actor, now: int) -> Draft:
        self._must_be("over", "closed")
        if self.rematch:
            raise Refusal("not_now", say("the next game has its table already"))
        return Draft("rematch", data={"table": m.table})

    def _forget(self, m: Forget, actor: Actor, now: int) -> Draft:
        """The event does not say who it was, only where they were."""
        data = {"seats": self.seats_of(m.person), "host": self.host == m.person, "as": m.alias}
        lines = [event.seq for event in self.said if event.person == m.person]
        return Draft("forget", data={**data, "lines": lines})

    # Talking

    def _chat(self, m: p.Chat, actor: Actor, now: int) -> Draft:
        if not self.chat:
            raise Refusal("no_chat", say("the chat of this table is closed"))
        mine = self.seats_of(actor.person)
        if not mine and actor.person != self.host:
            raise Refusal("not_your_seat", say("only those who play here may chat"))
        text = "".join(c if c.isprintable() else " " for c in m.text).strip()
        if not text:
            raise Refusal("bad_message", say("there is nothing in this message"))
        name = self.places[mine[0]].name if mine else actor.name
        return Draft("chat", mine[0] if mine else None, {"text": text, "name": name})

    def _set_chat(self, m: p.SetChat, actor: Actor, now: int) -> Draft:
        self._must_host(actor)
        return Draft("chat_set", data={"on": m.on})

    # Carrying out ----------------------------------------------------------------------------

    def apply(self, event: Event, state: State | None = None) -> None:
        """Carry out an event; `state` is the game after it, where that is known."""
        assert event.seq == self.seq + 1, (self.table, event.seq, self.seq)
        self.seq = event.seq
        self.changed = event.at
        if event.client:
            self.answers[event.client] = event.seq
        offers = bool(self.offers)
        _APPLY[event.kind](self, event, state)
        if event.kind != "move":
            self._seats_of.clear()
        elif not (offers or self.outcome):
            return
        self._info = None

    def _apply_sit(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        data = event.data
        self.places[event.seat] = Place(
            data["kind"], data.get("person", ""), data["name"], data.get("bot")
        )

    def _apply_rise(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        self.places[event.seat] = Place()
        self.gathering.leave(event.seat)

    def _apply_start(self, event: Event, state: State | None) -> None:
        for seat, level in event.data["fill"].items():
            self.places[int(seat)] = Place("bot", "", level, level)
        self.gathering.close()
        self._become("sealing", event.at)

    def _apply_word(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        self.gathering.word(event.seat, event.data["word"])

    def _apply_seal(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        self.gathering.seal(event.seat, event.data["seal"])

    def _apply_deal(self, event: Event, state: State | None) -> None:
        rules, known = event.data.get("rules", 1), self.game.module.RULES
        if rules != known:
            text = say(
                "this game was begun under version {old} of the rules of {game}; this server plays "
                "version {known}",
                old=rules,
                game=self.game.title,
                known=known,
            )
            raise Refusal("old_rules", text)
        self.fair = self.gathering.fair()
        self.setup = event.data["setup"]
        self.state = state or self._dealt()
        self._become("playing", event.at)
        self.clock.turn_to(self.state.waiting, event.at)
        self._stage(event, 0, None)

    def _dealt(self) -> State:
        return self._as_dealt()

    @property
    def _as_dealt(self) -> Callable[[], State]:
        """Makes the game right after the deal. It does not hold the sitting: a scene that did would
        keep a table that is put away until the garbage collector finds the two."""
        options = self.game.check_options(self.config.options)
        return partial(State.from_setup, self.game, len(self.places), self.setup, options, 0)

    def _replayed(self, moves: list[Played]) -> State:
        """The game after these moves; no chance is drawn."""
        state = self._dealt()
        for move in moves:
            state.move(move.text, move.seat)
            for outcome in move.chance:
                state.roll(outcome)
        return state

    def _apply_move(self, event: Event, state: State | None) -> None:
        seat = event.seat
        assert seat is not None
        assert self.state is not None
        before = self.state.plies
        played = Played(seat, event.data["move"], event.data.get("chance", ()))
        if state is None:
            state = self.state.copy()
            state.move(played.text, seat)
            for outcome in played.chance:
                state.roll(outcome)
        self.moves.append(played)
        self.state = state
        self.offers.clear()
        if self.clock.kept:
            self.clock.moved(seat, event.at, event.data.get("lag", 0))
            self.clock.turn_to(state.waiting, event.at)
        shown = len(played.chance) == 1 and "path_to" in self.game.module.__dict__
        path = base64.b64decode(event.data.get("path", "")) if shown else None
        self._stage(event, before, seat, path)
        if result := state.result:
            self._end(event.at, result.reason, result.scores, result.winners)

    def _apply_undo(self, event: Event, state: State | None) -> None:
        dropped = set(event.data["drop"])
        first = self._entry_of(min(dropped))
        self.moves = [move for i, move in enumerate(self.moves) if i not in dropped]
        self.state = self._replayed(self.moves)
        self.offers.clear()
        self.clock.stop(event.at)
        self.clock.turn_to(self.state.waiting, event.at)
        self._stage(event, first, None)

    def _stage(
        self, event: Event, changed_from: int, mover: int | None, path: bytes | None = None
    ) -> None:
        """The position has changed."""
        assert self.state is not None
        before = self.scene
        self.scene = (
            before.then(self.state, event.seq, event.at, changed_from, path)
            if before
            else Scene.first(self.state, event.seq, event.at, self._as_dealt)
        )
        waiting = 0
        for seat in self.state.waiting:
            waiting |= 1 << seat
        self._marks.append((event.seq, waiting, mover))

    def _apply_ask(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        data = event.data
        self.offers[data["what"]] = Asked(event.seat, data["person"], drop=data["drop"])

    def _apply_agree(self, event: Event, state: State | None) -> None:
        self.offers[event.data["what"]].agreed.append(event.data["person"])

    def _apply_decline(self, event: Event, state: State | None) -> None:
        self.offers.pop(event.data["what"], None)

    def _apply_pause(self, event: Event, state: State | None) -> None:
        self.offers.clear()
        self.clock.stop(event.at)
        self._become("paused", event.at)

    def _apply_resume(self, event: Event, state: State | None) -> None:
        assert self.state is not None
        self.offers.clear()
        self._become("playing", event.at)
        self.clock.go_on(self.state.waiting, event.at)

    def _apply_out(self, event: Event, state: State | None) -> None:
        """A seat has resigned or lost on time."""
        assert event.seat is not None
        assert self.state is not None
        reason = "resigned" if event.kind == "resign" else "time"
        place = self.places[event.seat]
        place.out = True
        place.away = False
        place.bot = place.bot or self.config.fill_with or STAND_IN
        self.offers.clear()
        left = [i for i, other in enumerate(self.places) if not other.out]
        if len(left) <= 1:
            self._end(event.at, reason, self.state.scores, tuple(left))
        else:
            self.clock.exempt(event.seat, event.at)

    def _apply_timeout(self, event: Event, state: State | None) -> None:
        """A seat has lost on time; or, where a turn has taken too long, a bot plays on for it."""
        if "bot" not in event.data:
            self._apply_out(event, state)
            return
        assert event.seat is not None
        self._apply_leave(event, state)
        self.clock.exempt(event.seat, event.at)

    def _apply_leave(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        self.places[event.seat].away = True
        self.places[event.seat].bot = event.data["bot"]
        self.offers.clear()

    def _apply_return(self, event: Event, state: State | None) -> None:
        assert event.seat is not None
        self.places[event.seat].away = False
        self.places[event.seat].bot = None
        waiting = self.state.waiting if self.state and self.status == "playing" else ()
        self.clock.come_back(event.seat, waiting, event.at)

    def _apply_close(self, event: Event, state: State | None) -> None:
        scores = self.state.scores if self.state else (0,) * len(self.places)
        self._end(event.at, "closed", scores, ())
        self._become("closed", event.at)

    def _end(
        self, now: int, reason: str, scores: tuple[int, ...], winners: tuple[int, ...]
    ) -> None:
        self.outcome = p.Outcome(reason, list(scores), list(winners))
        self.clock.stop(now)
        self.offers.clear()
        self._become("over", now)

    def _become(self, status: p.Status, now: int) -> None:
        self.status = status
        self.status_since = now

    def _apply_rematch(self, event: Event, state: State | None) -> None:
        self.rematch = event.data["table"]

    def _apply_forget(self, event: Event, state: State | None) -> None:
        alias = event.data["as"]
        if event.data["host"]:
            self.host = alias
        for seat in event.data["seats"]:
            place = self.places[seat]
            if self.status == "gathering":
                self.places[seat] = Place()
                self.gathering.leave(seat)
                continue
            place.person, place.name = alias, ""
            if not self.is_done and place.by_person:
                place.away, place.bot = True, self.config.fill_with or STAND_IN
        self.offers.clear()
        lines = set(event.data["lines"])
        self.said = [
            msgspec.structs.replace(said, person=alias, data={"text": "", "name": ""})
            if said.seq in lines
            else said
            for said in self.said
        ]

    def _apply_chat(self, event: Event, state: State | None) -> None:
        self.said.append(event)

    def _apply_chat_set(self, event: Event, state: State | None) -> None:
        self.chat = bool(event.data["on"])


def _lot(n: int) -> int:
    import secrets

    return secrets.randbelow(n)


def known_bot(level: str, game: str) -> str:
    """The name of a bot that plays this game. Raises Refusal."""
    from mandalier.server.thinkers import check_level

    try:
        return check_level(level, game)
    except MandalierError as error:
        raise Refusal("no_such_bot", str(error)) from None


_WHY_NOT_NOW: Mapping[str, Callable[[], str]] = {
    "gathering": lambda: say("the game has not begun"),
    "sealing": lambda: say("the deal is being prepared"),
    "playing": lambda: say("the game is being played"),
    "paused": lambda: say("the game is paused"),
    "over": lambda: say("the game is over"),
    "closed": lambda: say("the table is closed"),
}

_DECIDE: Mapping[type, Callable[..., Draft]] = {
    p.Sit: Sitting._sit,
    p.Rise: Sitting._rise,
    p.AddBot: Sitting._add_bot,
    p.Start: Sitting._start,
    AutoStart: Sitting._auto_start,
    p.Word: Sitting._word,
    p.Seal: Sitting._seal,
    Deal: Sitting._deal,
    p.Move: Sitting._move,
    p.Undo: Sitting._undo,
    p.Agree: Sitting._agree,
    p.Pause: Sitting._pause,
    p.Resume: Sitting._resume,
    p.Resign: Sitting._resign,
    Flag: Sitting._flag,
    p.Leave: Sitting._leave,
    p.Return: Sitting._return,
    p.Close: Sitting._close,
    OpenRematch: Sitting._open_rematch,
    Forget: Sitting._forget,
    p.Chat: Sitting._chat,
    p.SetChat: Sitting._set_chat,
}
"""What is decided by events. Looking, hints and premoves leave none."""

_APPLY: Mapping[str, Callable[[Sitting, Event, State | None], None]] = {
    "sit": Sitting._apply_sit,
    "rise": Sitting._apply_rise,
    "start": Sitting._apply_start,
    "word": Sitting._apply_word,
    "seal": Sitting._apply_seal,
    "deal": Sitting._apply_deal,
    "move": Sitting._apply_move,
    "undo": Sitting._apply_undo,
    "ask": Sitting._apply_ask,
    "agree": Sitting._apply_agree,
    "decline": Sitting._apply_decline,
    "pause": Sitting._apply_pause,
    "resume": Sitting._apply_resume,
    "resign": Sitting._apply_out,
    "timeout": Sitting._apply_timeout,
    "leave": Sitting._apply_leave,
    "return": Sitting._apply_return,
    "close": Sitting._apply_close,
    "rematch": Sitting._apply_rematch,
    "forget": Sitting._apply_forget,
    "chat": Sitting._apply_chat,
    "chat_set": Sitting._apply_chat_set,
}
