"""Anyone's bot, in any language: a program on standard input and output, one line of JSON each way.

    {"protocol": 1, "id": 3, "game": "sand", "seat": 0, "view": {…}, "position": "sand …",
     "legal": ["m1r", …], "budget": {"ms": 500, "iterations": null}, "seed": 7}
    {"id": 3, "move": "m1r"}

It is told what its seat may know and nothing else. What it says on standard error goes to ours, with
its name before each line. docs/bots.md tells the whole protocol.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from mandalier.games.errors import MandalierError
from mandalier.games.game import View, check_seed
from mandalier.games.words import listed, say
from mandalier.search.bot import NO_LIMIT, Budget, Candidate, Thought, check_view

PROTOCOL = 1
HELLO_S = 20.0  # to start and say who it is
MOVE_S = 60.0  # for a move without a budget of time
LATE_S = 2.0  # more than twice its budget, and it is killed
END_S = 1.0  # to end by itself when its input ends
LONGEST = 1_000_000  # characters of an answer
SHOWN = 60  # of them, in an error


class ProgramError(MandalierError):
    """What a program did wrong: it did not start, ended, came too late or answered nonsense."""


def patience_s(budget: Budget) -> float:
    """How long a program is waited for before it is killed."""
    return MOVE_S if budget.ms is None else 2 * budget.ms / 1000 + LATE_S


class Program:
    """A bot that is a program of its own. It is started when it is first asked and may be asked any
    number of times; after anything it did wrong it is killed, and started anew when asked again."""

    def __init__(self, name: str) -> None:
        self.name = name
        kind, _, command = name.partition(":")
        try:
            self.command = shlex.split(command)
        except ValueError as error:
            raise MandalierError(f"{name}: {error}") from None
        if not self.command:
            text = say('after {kind}: comes a command, as in "program:python my_bot.py"', kind=kind)
            raise MandalierError(text)
        if shutil.which(self.command[0]) is None:
            raise MandalierError(say("there is no program {name}", name=repr(self.command[0])))
        self._running: _Running | None = None
        self._asked = 0

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        check_view(view)
        self._start()
        self._asked += 1
        request = {
            "protocol": PROTOCOL,
            "id": self._asked,
            "game": view.game.name,
            "seat": view.seat,
            "view": view.describe(),
            "position": view.position,
            "legal": view.legal(),
            "budget": {"ms": budget.ms, "iterations": budget.iterations},
            "seed": check_seed(seed),
        }
        return _thought(self._ask(request, patience_s(budget)), self.name)

    def close(self) -> None:
        """End the program: its input ends, and if it does not follow it is killed."""
        running, self._running = self._running, None
        if running is not None:
            running.end(END_S)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _start(self) -> None:
        """See that it runs, and that it speaks this protocol."""
        if self._running is not None:
            return
        try:
            self._running = _Running(self.command)
        except OSError as error:
            text = say("{name} does not start: {error}", name=self.command[0], error=error.strerror)
            raise ProgramError(text) from None
        weakref.finalize(self, self._running.end, 0.0)
        hello = {"protocol": PROTOCOL, "id": 0, "hello": f"mandalier {_version()}"}
        answer = self._ask(hello, HELLO_S)
        if answer.get("protocol") != PROTOCOL:
            self.close()
            raise ProgramError(
                say(
                    'it is to answer the greeting with "protocol": {n}, and said {found}',
                    n=PROTOCOL,
                    found=_short(answer),
                )
            )

    def _ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Its answer to a request. Whatever goes wrong, it is killed."""
        assert self._running is not None
        running, self._running = self._running, None
        try:
            answer = _answer(running.exchange(json.dumps(request), seconds), request["id"])
        except BaseException:
            running.end(0.0)
            raise
        self._running = running
        return answer


def _version() -> str:
    try:
        return metadata.version("mandalier")
    except metadata.PackageNotFoundError:  # run from a folder of files
        return "?"


class _Running:
    """A program that runs."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that it can be killed with all it started
        )
        self._talk: threading.Thread | None = None
        script = next((word for word in command[1:] if not word.startswith("-")), command[0])
        assert self._process.stderr is not None
        self._listener = threading.Thread(
            target=_pass_on, args=(self._process.stderr, Path(script).name), daemon=True
        )
        self._listener.start()

    def exchange(self, line: str, seconds: float) -> str:
        """Write a line and read one. Another thread does it, as either may block for ever."""
        answer: list[bytes] = []
        self._talk = threading.Thread(target=self._exchange, args=(line, answer), daemon=True)
        self._talk.start()
        self._talk.join(seconds)
        if self._talk.is_alive():
            raise ProgramError(say("no answer after {seconds:g} seconds", seconds=seconds))
        found = answer[0] if answer else b""
        if len(found) > LONGEST:
            raise ProgramError(say("an answer of more than {n} characters", n=LONGEST))
        if not found.endswith(b"\n"):
            raise ProgramError(self._end_in_words())
        return found.decode("utf-8", "replace")

    def _exchange(self, line: str, answer: list[bytes]) -> None:
        to, come = self._process.stdin, self._process.stdout
        assert to is not None
        assert come is not None
        with contextlib.suppress(OSError, ValueError):  # it has ended, or was ended
            to.write(line.encode() + b"\n")
            to.flush()
        with contextlib.suppress(OSError, ValueError):
            answer.append(come.readline(LONGEST + 1))

    def _end_in_words(self) -> str:
        try:
            status = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return say("it closed its output")
        if status < 0:
            return say("it was ended by signal {n}", n=-status)
        return say("it ended with status {n}", n=status)

    def end(self, patience: float) -> None:
        """End it and all it started; at once, or if it has not followed the end of its input."""
        process = self._process
        if process.stdin is None or process.stdin.closed:
            return
        if patience and (self._talk is None or not self._talk.is_alive()):
            with contextlib.suppress(OSError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)
        self._kill()
        process.wait()
        for thread in (self._talk, self._listener):
            if thread is not None:
                thread.join(END_S)
        if self._talk is not None and self._talk.is_alive():
            return  # something it started in a session of its own still holds the pipes
        for file in (process.stdin, process.stdout):
            if file is not None:
                with contextlib.suppress(OSError):
                    file.close()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


def _pass_on(said: IO[bytes], name: str) -> None:
    """Pass on what a program says on standard error, line by line."""
    with said:
        while line := said.readline(LONGEST):
            text = line.decode("utf-8", "replace").rstrip("\n")
            with contextlib.suppress(OSError, ValueError):
                print(f"[{name}] {text}", file=sys.stderr, flush=True)


# What it answers -------------------------------------------------------------------------------


def _short(found: Any) -> str:
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _answer(line: str, asked: int) -> dict[str, Any]:
    """A line as the answer to the request of this number."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise ProgramError(
            say("an answer is one line of JSON, not {found}", found=_short(line.strip()))
        ) from None
    if not isinstance(found, dict):
        raise ProgramError(say("an answer is a JSON object, not {found}", found=_short(found)))
    if found.get("id") != asked or isinstance(found.get("id"), bool):
        text = say(
            "it answers {found}, and was asked {id}", found=_short(found.get("id")), id=asked
        )
        raise ProgramError(text)
    if "error" in found:
        raise ProgramError(say("it says: {error}", error=_short(found["error"])))
    return found


def _thought(answer: Mapping[str, Any], name: str) -> Thought:
    """An answer as a thought; what is not said is left out, what is said wrongly is an error."""
    if unknown := [field for field in answer if field not in ("id", "move", "candidates", "why")]:
        text = say(
            "an answer has id, move, candidates and why, but no {fields}",
            fields=listed(list(map(repr, unknown))),
        )
        raise ProgramError(text)
    candidates = _typed(answer, "candidates", list, [])
    why = _typed(answer, "why", list, [])
    if not all(isinstance(text, str) for text in why):
        raise ProgramError(say("why is a list of texts"))
    return Thought(
        move=_typed(answer, "move", str),
        candidates=tuple(map(_candidate, candidates)),
        why=tuple(why),
        by=name,
    )


_REQUIRED: Any = object()


def _kind_in_words(kind: type) -> str:
    words = {str: say("a text"), list: say("a list"), int: say("a whole number")}
    return words.get(kind, say("a number"))


def _typed(found: Mapping[str, Any], field: str, kind: type, otherwise: Any = _REQUIRED) -> Any:
    """A field of an answer, of this type."""
    if field not in found and otherwise is not _REQUIRED:
        return otherwise
    value = found.get(field)
    kinds = (int, float) if kind is float else kind
    good = isinstance(value, kinds) and not isinstance(value, bool)
    if not good or (kind is float and not math.isfinite(value)):  # type: ignore[arg-type]
        said = _short(value) if field in found else say("nothing")
        text = say(
            "{field} is {kind}, not {found}", field=field, kind=_kind_in_words(kind), found=said
        )
        raise ProgramError(text)
    return value


def _candidate(found: Any) -> Candidate:
    if not isinstance(found, dict):
        raise ProgramError(say("a candidate is a JSON object, not {found}", found=_short(found)))
    line = _typed(found, "line", list, [])
    if not all(isinstance(entry, str) for entry in line):
        raise ProgramError(say("a line is a list of entries, as in a record"))
    return Candidate(
        move=_typed(found, "move", str),
        win=float(_typed(found, "win", float)),
        lead=float(_typed(found, "lead", float)),
        visits=_typed(found, "visits", int, 0),
        line=tuple(line),
    )
