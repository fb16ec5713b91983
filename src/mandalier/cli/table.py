"""``mandalier play``: a game in the terminal, against bots or hot-seat."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mandalier.cli import common
from mandalier.cli.players import (
    HINTERS,
    OPPONENTS,
    SHOWN,
    Players,
    first_there,
    names_of_bots,
    why,
)
from mandalier.games.errors import MandalierError
from mandalier.games.game import (
    GAMES,
    SPECTATOR,
    Game,
    IllegalMove,
    State,
    check_seed,
    deal,
    game,
)
from mandalier.games.kernel import to_bytes
from mandalier.games.record import dumps, replay
from mandalier.games.words import listed, numeral, say
from mandalier.lab.match import split_names
from mandalier.search.bot import Thought

if TYPE_CHECKING:
    from rich.console import Console

ME = "me"
COLUMNS = 3
NARROW = 34
SUBSTITUTE = "eager"  # plays on for a bot that fails


def add_to(commands: common.Commands) -> None:
    parser = common.command(
        commands,
        "play",
        say("play a game here, against bots or with friends at one keyboard"),
        "mandalier play sand --seats me,eager",
        run,
    )
    parser.add_argument(
        "game",
        nargs="?",
        metavar=say("GAME"),
        help=say("the game (you are asked if you name none)"),
    )
    parser.add_argument(
        "--seats",
        help=say(
            "who sits where, with commas between: me, or a bot ({bots}), with a budget of its own as "
            "in mcts:1000@2s; or how many seats",
            bots=", ".join(names_of_bots()),
        ),
    )
    parser.add_argument(
        "--think",
        type=common.positive,
        metavar=say("MS"),
        help=say("how long bots may think about a move, in milliseconds (default: their own time)"),
    )
    common.add_seed(parser)
    parser.add_argument(
        "--record",
        type=common.output_file,
        metavar=say("FILE"),
        help=say("add the record of the game to this file"),
    )
    common.add_options(parser)
    common.add_surrogate(parser)


def run(parsed: argparse.Namespace) -> int:
    screen = common.console(words_whole=True)
    name = parsed.game or _ask_game(screen)
    if name is None:
        return 0
    found = game(name)
    seats = _seats(found, parsed.seats)
    seed = check_seed(parsed.seed)
    state = deal(name, len(seats), seed, common.options_of(parsed))
    bots = Players(found, [None if who == ME else who for who in seats], screen, parsed.think)
    try:
        return Table(state, seats, seed, screen, parsed.record, bots).run()
    finally:
        bots.close()


def _ask_game(screen: Console) -> str | None:
    screen.print(say("Which game?"))
    names = list(GAMES)
    for number, name in enumerate(names, start=1):
        found = GAMES[name]
        screen.print(
            f"  {number}  {name:10} {found.title} ({found.module.CREDIT}), "
            + say(
                "{numbers} seats",
                numbers="–".join(str(n) for n in sorted({found.seats[0], found.seats[-1]})),
            )
        )
    while True:
        answer = _read("> ")
        if answer is None or answer in {"q", "quit"}:
            return None
        if answer in GAMES:
            return answer
        if _is_number(names, answer):
            return names[int(answer) - 1]
        screen.print(say("Type a number from 1 to {n}, or q to leave.", n=len(names)))


def _seats(found: Game, text: str | None) -> list[str]:
    """Who sits where."""
    if text is None or text.isdecimal():
        n = found.check_seats(int(text[:9]) if text else None)
        return [ME] + [first_there(OPPONENTS)] * (n - 1)
    seats = list(split_names(text))
    found.check_seats(len(seats))
    return seats


def _read(prompt: str) -> str | None:
    """A line from the keyboard; None when there are no more."""
    try:
        return input(prompt).strip()
    except EOFError:
        print()
        return None


class Table:
    """One game in the terminal."""

    def __init__(
        self,
        state: State,
        seats: Sequence[str],
        seed: int,
        screen: Console,
        record: Path | None,
        bots: Players,
    ) -> None:
        self.state = state
        self.seats = list(seats)
        self.bots = bots
        self.last: tuple[int, int, Thought] | None = None  # ply, seat and thought of a bot's move
        self.seed = seed
        self.screen = screen
        self.record = record
        # the game before each move of a person, and what was veiled then
        self.before: list[tuple[State, dict[int, str]]] = []
        # entries of the log that nobody but their seat may know yet, and what they say
        self.veiled: dict[int, str] = {}
        self.people = [seat for seat, who in enumerate(seats) if who == ME]
        self.curtained = len(self.people) > 1 and _has_secrets(state)
        self.since: dict[int, list[str]] = {seat: [] for seat in self.people}
        # what happened since each of them was at the screen
        self.commands = {
            "help": self._help,
            "?": self._help,
            "moves": self._list_moves,
            "rules": self._rules,
            "board": self._board,
            "log": self._show_log,
            "hint": self._hint,
            "why": self._why,
            "undo": self._undo,
            "save": self._save,
        }

    def run(self) -> int:
        """Play until the game is over or the people leave."""
        found = self.state.game
        self.screen.print(f"[bold]{found.title}[/] · {found.module.CREDIT}")
        sitting = listed([f"{seat}: {who}" for seat, who in enumerate(self.seats)])
        self.screen.print(say("Seats {seats}. Seed {seed}.", seats=sitting, seed=self.seed))
        self.screen.print(say("Type a move, its number, or help."))
        try:
            self._play_on()
        finally:  # by Ctrl-C too
            self._keep()
        return 0

    def _play_on(self) -> None:
        """Until the game is over or the people leave."""
        while not self.state.over:
            seat = self.state.waiting[0]
            if self.seats[seat] == ME:
                if not self._person(seat):
                    return
            else:
                self._bot(seat)
        self._finish()

    # Bots

    def _bot(self, seat: int) -> None:
        view = self.state.view(seat)
        shown = len(self.state.log)
        try:
            thought = self.bots.think(view, self.seed ^ shown)
            self.state.check(thought.move, seat)
        except (MandalierError, IllegalMove) as error:
            self._replace(seat, error)
            return
        said = view.explain(thought.move)
        self.state.play(thought.move, seat)
        self.last = (shown, seat, thought)
        self._tell(seat, thought.move, said, shown)

    def _replace(self, seat: int, error: Exception) -> None:
        """A bot that fails does not end a person's game: somebody simple takes its place."""
        who = say("seat {seat} ({who})", seat=seat, who=self.seats[seat])
        if not self.people:
            raise MandalierError(f"{who}: {error}") from None
        self.screen.print(f"{_safe(who)}: {_safe(str(error))}")
        self.seats[seat] = SUBSTITUTE
        self.bots.replace(seat, SUBSTITUTE)
        self.screen.print(say("{bot} plays on in its place.", bot=SUBSTITUTE))

    def _tell(self, seat: int, move: str, said: str, shown: int) -> None:
        """Say what was played, which is entry `shown` of the log, and what came of it. A choice that
        the others may not know yet is told when they may."""
        who = _safe(say("seat {seat} ({who})", seat=seat, who=self.seats[seat]))
        played = f"{who}: [bold]{_safe(move)}[/]  [dim]{_safe(said)}[/]"
        public = [played]
        after: list[str] = []
        if self._is_secret(shown):
            public = [say("{who} has chosen, in secret.", who=who)]
            if self._has_just_chosen_in_secret(seat, shown):
                public = []
            self.veiled[shown] = played
        for ply in [ply for ply in self.veiled if not self._is_secret(ply)]:
            revealed = self.veiled.pop(ply)
            if not self.state.over and self.people != [int(self.state.log[ply][0])]:
                after.append(revealed)
        for entry in self.state.log[shown:]:
            if entry.startswith("* "):
                told = self.state.game.module.tell_chance(self.state.look(), entry[2:])
                after.append(f"  [dim]{_safe(told)}[/]")
        for line in [*([played] if self.seats[seat] == ME else public), *after]:
            self.screen.print(line)
        for other in self.people:
            if other != seat:
                self.since[other] += [*public, *after]

    def _is_secret(self, ply: int) -> bool:
        """Whether an entry of the log may be known to nobody, or to its seat alone."""
        secret = self.state.game.module.__dict__.get("secret")
        if secret is None or self.state.over:
            return False
        return bool(secret(self.state.look(), self.state.log[ply]))

    def _has_just_chosen_in_secret(self, seat: int, ply: int) -> bool:
        return ply - 1 in self.veiled and self.state.log[ply - 1].startswith(f"{seat} ")

    # People

    def _person(self, seat: int) -> bool:
        """One turn at the keyboard; False to leave the table."""
        if self.curtained:
            self._curtain(seat)
            for line in self.since[seat]:
                self.screen.print(line)
        self.since[seat] = []
        self._board()
        while True:
            answer = _read(say("seat {seat} > ", seat=seat))
            if answer is None or answer in {"q", "quit", "exit"}:
                return False
            word, _, rest = answer.partition(" ")
            if not answer:
                self._list_moves("")
            elif word in self.commands:
                if self.commands[word](rest.strip()):
                    return True
            elif self._play(seat, answer):
                return True

    def _curtain(self, seat: int) -> None:
        if self.screen.is_terminal:
            self.screen.clear()
        _read(say("Seat {seat}: press Enter when nobody else looks.", seat=seat))

    def _play(self, seat: int, answer: str) -> bool:
        legal = self.state.legal(seat)
        if _is_number(legal, answer):
            answer = legal[int(answer) - 1]
        before = self.state.copy(), dict(self.veiled)
        shown = len(self.state.log)
        try:
            self.state.check(answer, seat)
            said = self.state.view(seat).explain(answer)
            self.state.play(answer, seat)
        except IllegalMove as error:
            self.screen.print(f"[bold]{_safe(error.move)}[/]: {_safe(error.reason)}.")
            self.screen.print(
                "[dim]" + say("Type moves to see what is legal, help for more.") + "[/]"
            )
            return False
        self.before.append(before)
        self._tell(seat, answer, said, shown)
        return True

    def _help(self, rest: str) -> bool:
        for example, text in self.state.game.module.help_texts().items():
            self.screen.print(f"  [bold]{_safe(example):14}[/] {_safe(text)}")
        numbered = not any(move.isdecimal() for move in self.state.legal(self.state.waiting[0]))
        for command, text in (
            ("moves", say("every legal move, with what it does (Enter does the same)")),
            ("moves m1", say("those that begin like this")),
            ("3", say("play the move with this number in the list") if numbered else ""),
            ("rules", say("the game in a few sentences")),
            ("board", say("the table again")),
            ("hint", say("what {bot} would do, and why", bot=first_there(HINTERS))),
            ("why", say("the last move of a bot, explained by what you can see")),
            ("log", say("what was played")),
            ("undo", say("take your last move back")),
            ("save FILE", say("write the record of the game to a file")),
            ("quit", say("leave the table")),
        ):
            if text:
                self.screen.print(f"  [dim]{_safe(command):14}[/] {_safe(text)}")
        bots = listed(names_of_bots())
        self.screen.print(_safe(say("Bots to sit with (play --seats): {bots}.", bots=bots)))
        return False

    def _rules(self, rest: str) -> bool:
        self.screen.print(_safe(self.state.game.module.goal()))
        return False

    def _list_moves(self, rest: str) -> bool:
        seat = self.state.waiting[0]
        view = self.state.view(seat)
        legal = view.legal()
        for number, move in enumerate(legal, start=1):
            if not move.startswith(rest):
                continue
            shown = str(number) if _is_number(legal, str(number)) else ""
            self.screen.print(
                f"  [dim]{shown:>3}[/]  [bold]{_safe(move):10}[/] {_safe(view.explain(move))}"
            )
        return False

    def _board(self, rest: str = "") -> bool:
        seat = self.state.waiting[0]
        self.screen.print()
        self.screen.print(self.state.view(seat).show(common.paint))
        return False

    def _hint(self, rest: str) -> bool:
        view = self.state.view(self.state.waiting[0])
        try:
            thought = self.bots.hint(view, self.seed)
        except MandalierError as error:
            self.screen.print(_safe(str(error)))
            return False
        for one in thought.candidates[:SHOWN]:
            self.screen.print(
                f"  {numeral(100 * one.win, '5.1f')} %  {numeral(one.lead, '+6.1f')}  "
                f"[bold]{_safe(one.move):10}[/] "
                f"[dim]{_safe(view.explain(one.move))}[/]"
            )
        self.screen.print(f"[bold]{_safe(thought.move)}[/]: {_safe(view.explain(thought.move))}")
        self._reasons(why(view, thought, view.seat))
        return False

    def _reasons(self, told: Sequence[str]) -> None:
        for reason in told:
            self.screen.print(f"  · {_safe(reason)}")

    def _why(self, rest: str) -> bool:
        """Explain the last move of a bot, from what the asking seat could see before it."""
        if self.last is None or self.last[0] >= len(self.state.log):
            self.screen.print(say("No bot has moved yet."))
            return False
        ply, seat, thought = self.last
        if ply in self.veiled:
            self.screen.print(say("That choice is still a secret."))
            return False
        view = replay(self.state.record(), ply).view(self.state.waiting[0])
        who = say("seat {seat} ({who})", seat=seat, who=self.seats[seat])
        self.screen.print(f"{_safe(who)}: [bold]{_safe(thought.move)}[/]")
        told = why(view, thought, seat)
        self._reasons(told or [say("There is nothing to be said of it from here.")])
        return False

    def _show_log(self, rest: str) -> bool:
        asking = str(self.state.waiting[0])
        for ply, entry in enumerate(self.state.log):
            who, _, text = entry.partition(" ")
            if who == "*" and self._is_secret(ply) or who != asking and ply in self.veiled:
                text = "…"
            self.screen.print(
                f"  {who if who == '*' else self.seats[int(who)] + ' ' + who}: {_safe(text)}"
            )
        return False

    def _undo(self, rest: str) -> bool:
        if not self.before:
            self.screen.print(say("There is nothing to take back."))
            return False
        self.state, self.veiled = self.before.pop()
        self.since = {seat: [] for seat in self.people}
        self.last = None
        return True

    def _save(self, rest: str) -> bool:
        if not rest:
            self.screen.print(say("Name a file: save game.jsonl"))
            return False
        try:
            self._write(Path(rest))
        except OSError as error:
            self.screen.print(_safe(f"{rest}: {error.strerror}"))
        except ValueError:  # a name with a null character
            self.screen.print(say("{file}: no file can have this name", file=_safe(repr(rest))))
        return False

    # The end

    def _finish(self) -> None:
        result = self.state.result
        assert result is not None
        self.screen.print()
        self.screen.print(self.state.view(SPECTATOR).show(common.paint))
        for seat, points in enumerate(result.scores):
            mark = " *" if seat in result.winners else ""
            who = say("seat {seat} ({who})", seat=seat, who=self.seats[seat])
            self.screen.print(f"  {who}: {points}{mark}")
        if len(result.winners) > 1:
            names = listed([str(seat) for seat in result.winners])
            self.screen.print(say("Seats {seats} share the win.", seats=names))
        elif self.seats[result.winners[0]] == ME and len(self.people) == 1:
            self.screen.print("[bold]" + say("You win.") + "[/]")
        else:
            self.screen.print("[bold]" + say("Seat {seat} wins.", seat=result.winners[0]) + "[/]")

    def _keep(self) -> None:
        if self.record:
            self._write(self.record)

    def _write(self, path: Path) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(dumps(self.state.record()) + "\n")
        self.screen.print(say("The record is in {file}.", file=_safe(str(path))))


def _is_number(legal: Sequence[str], answer: str) -> bool:
    """Whether an answer is a number in the list of moves. (Where moves look like numbers, it is a
    move.)"""
    if not answer.isdecimal() or len(answer) > 9 or any(move.isdecimal() for move in legal):
        return False
    return 1 <= int(answer) <= len(legal)


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _has_secrets(state: State) -> bool:
    """Whether two seats see different things."""
    sights = set()
    for seat in range(2):
        s = state.view(seat).look()
        s.viewer = 0
        sights.add(to_bytes(s))
    return len(sights) > 1


with contextlib.suppress(ImportError):
    import readline  # noqa: F401  # line editing at the prompt, where Python has it
