"""Bots think in processes of their own, which know nothing but the view they are given.

A worker that crashes, or does not answer in time, is replaced, and its question asked again: nothing
is lost but the time. Questions that nobody waits for any more are dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import queue
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from mandalier.games.errors import MandalierError
from mandalier.games.game import Game, View, deal
from mandalier.games.kernel import WarmUp
from mandalier.games.words import listed_or, say, speaking
from mandalier.search.bot import Budget, Thought, bot
from mandalier.search.levels import bots_for, levels_of, roster
from mandalier.search.warm import warm_up
from mandalier.server.protocol import BotOut

log = logging.getLogger("mandalier.thinkers")

MOST_WAITING = 2_000
TRIES = 3
PATIENCE_S = 60.0
"""A worker that has not answered after so long is given up: it may have to compile first."""
READY_S = 5.0
"""For so long a worker waits for compiled rules, once for each game."""
WARMED = ("master", "novice", "eager")
"""Bots that between them use all that is compiled for bots."""
LOOK_S = 0.1
"""How often it is looked whether anybody still wants the answer."""
GRACE_S = 2.0
"""For so long a worker may go on with what nobody wants any more: most end by themselves sooner,
and starting another costs time, too."""
LEAST_MS = 20.0
"""Even in a hurry a bot thinks for so long."""
NICE = 5


class Busy(MandalierError):
    """Too many questions are waiting."""


MOST_ITERATIONS = 20_000
"""Of a bot whose name tells its own, as "mcts:1000": guests name bots, and all wait for the workers."""


def check_level(name: str, game: str) -> str:
    """The name of a bot. Raises MandalierError if there is none of this name that plays the game,
    or if it would think for longer than others should wait."""
    bot(name)
    kind, _, number = name.partition(":")
    if any(one.name == kind and game not in one.games for one in roster()):
        bots = listed_or(bots_for(game))
        raise MandalierError(
            say("there is no bot {name} here; it is {bots}", name=repr(name), bots=bots)
        )
    if number.isdecimal() and int(number) > MOST_ITERATIONS:
        text = say(
            "{name}: a bot at a table has at most {n} iterations", name=name, n=MOST_ITERATIONS
        )
        raise MandalierError(text)
    return name


def hurried(name: str, game: str, most_ms: float) -> Budget | None:
    """A budget for a bot that would think for longer; None where its own will do. Bots that count
    iterations are quick as they are."""
    level = levels_of(game).get(name.partition(":")[0])
    own = level.budget.ms if level else None
    return Budget(ms=max(LEAST_MS, most_ms)) if own is not None and own > most_ms else None


def levels() -> list[BotOut]:
    """The bots a table can ask for."""
    return [BotOut(one.name, one.words, list(one.games), one.title) for one in roster()]


_warming: dict[str, WarmUp | None] = {}


def get_ready(found: Game, seconds: float = READY_S) -> None:
    """Have the bots of this process search compiled: a thousand times as much in the same time.
    What is in the cache is there at once. The first time on a machine it is compiled meanwhile, by
    another process, and until then thoughts are those of the twin."""
    if found.name not in _warming:
        _warming[found.name] = warm_up(found, WARMED)
        if (warming := _warming[found.name]) is not None:
            warming.wait(seconds)


def _think(view: View, name: str, budget: Budget, seed: int, language: str) -> Thought:
    """What a worker does with a question."""
    get_ready(view.game)
    with speaking(language):
        return bot(name).think(view, budget, seed)


@dataclass
class _Question:
    what: tuple[View, str, Budget, int, str]
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Thought]
    tries: int = 0

    @property
    def is_open(self) -> bool:
        return not self.answer.cancelled()

    def settle(self, found: Any) -> None:
        def put() -> None:
            if self.answer.done():
                return
            if isinstance(found, BaseException):
                self.answer.set_exception(found)
            else:
                self.answer.set_result(found)

        with contextlib.suppress(RuntimeError):  # the loop has gone
            self.loop.call_soon_threadsafe(put)


class Thinkers:
    """So many worker processes, started when they are first needed."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or max(1, (os.cpu_count() or 2) - 1)
        self._questions: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._running: dict[int, Any] = {}
        self._closed = False
        self.asked = 0
        self.crashes = 0

    async def think(
        self,
        view: View,
        name: str,
        *,
        seed: int,
        budget: Budget | None = None,
        language: str = "en",
    ) -> Thought:
        """A bot's thought. Raises MandalierError if it cannot be had."""
        if self._questions.qsize() >= MOST_WAITING or self._closed:
            raise Busy(say("the bots have too much to think about now"))
        loop = asyncio.get_running_loop()
        what = (view, name, budget or Budget(), seed, language)
        question = _Question(what, loop, loop.create_future())
        self._questions.put(question)
        self.asked += 1
        if len(self._threads) < min(self.workers, self.asked):
            self._start()
        return await question.answer

    async def move(self, view: View, name: str, seed: int, most_ms: float | None = None) -> str:
        """A bot's move, thought about for this long at most."""
        budget = hurried(name, view.game.name, most_ms) if most_ms is not None else None
        return (await self.think(view, name, seed=seed, budget=budget)).move

    async def prepare(self, game: str) -> None:
        """Have a worker ready for a game: what it needs is compiled before a clock runs."""
        state = deal(game, seed=0)
        view = state.view(state.waiting[0])
        with contextlib.suppress(MandalierError):
            await self.think(view, "master", seed=0, budget=Budget(iterations=1))

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return self._questions.qsize()

    @property
    def processes(self) -> list[int]:
        """The workers, by process id."""
        return [process.pid for process in self._running.values() if process.pid]

    def close(self) -> None:
        self._closed = True
        for _ in self._threads:
            self._questions.put(None)
        for process in list(self._running.values()):
            process.kill()
        for thread in self._threads:
            thread.join(5)

    # One thread keeps one worker

    def _start(self) -> None:
        number = len(self._threads)
        thread = threading.Thread(
            target=self._keep, args=(number,), name=f"thinker-{number}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _keep(self, number: int) -> None:
        line: Connection | None = None
        while (question := self._questions.get()) is not None and not self._closed:
            while question.is_open and not self._closed:
                question.tries += 1
                try:
                    if line is None:
                        line = self._spawn(number)
                    line.send(question.what)
                    if self._wait(line, question):
                        question.settle(line.recv())
                    else:
                        self._give_up(number, line)
                        line = None
                    break
                except (OSError, EOFError, TimeoutError) as error:
                    self._give_up(number, line)
                    line = None
                    self.crashes += 1
                    log.warning("a worker for bots failed (%r); another takes over", error)
                    if question.tries >= TRIES or self._closed:
                        question.settle(MandalierError(say("the bot does not answer")))
                        break
        self._give_up(number, line)

    def _wait(self, line: Connection, question: _Question) -> bool:
        """Wait for a worker's answer. False: nobody wants it any more, and it does not come soon."""
        end, grace = time.monotonic() + PATIENCE_S, GRACE_S
        while not line.poll(LOOK_S):
            if time.monotonic() > end:
                raise TimeoutError
            if not question.is_open:
                grace -= LOOK_S
                if grace < 0:
                    return False
        return True

    def _spawn(self, number: int) -> Connection:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=_work, args=(there,), name=f"mandalier-thinker-{number}", daemon=True
        )
        process.start()
        there.close()
        self._running[number] = process
        return here

    def _give_up(self, number: int, line: Connection | None) -> None:
        process = self._running.pop(number, None)
        if line is not None:
            line.close()
        if process is not None:
            process.kill()
            process.join(5)


def _work(line: Connection) -> None:
    """A worker: questions in, thoughts out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICE)
    while True:
        try:
            what = line.recv()
        except (EOFError, OSError):
            return
        answer: Any
        try:
            answer = _think(*what)
        except Exception as error:
            answer = MandalierError(str(error) or repr(error))
        with contextlib.suppress(OSError):
            line.send(answer)
