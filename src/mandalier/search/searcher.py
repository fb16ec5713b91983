"""The search of mcts.py at work: budgets, clocks, and what was found, in the words of bot.py."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any

from mandalier.games.engine import Engine
from mandalier.games.errors import MandalierError
from mandalier.games.game import View, check_seed
from mandalier.games.kernel import to_bytes
from mandalier.games.words import say
from mandalier.search import mcts
from mandalier.search.bot import NO_LIMIT, Budget, Candidate, Thought, check_view
from mandalier.search.net import Net, shipped_net

CHUNK_MS = 4.0  # how long the search runs before it looks at the clock
SPARE_MS = 2.0  # kept back for what comes after the search
NODES = 1_200_000  # 67 MB, taken as it is needed
TWIN_NODES = 20_000
FEW = 400  # up to so many iterations, moves race at the root (see mcts.halve)
RACERS = 16
ALONE = 64  # iterations for a move without an alternative
SHOWN = 5  # candidates whose expected line is told
LINE = 6  # moves of such a line
LOOKED_AT = 2_000  # positions of an old tree, at most, when the one at hand is looked for in it
WORTH_KEEPING = 50  # visits of a node that is worth going on from


@dataclass(frozen=True, slots=True)
class Style:
    """How a search thinks: the fields of mcts.STYLE."""

    by_net: int = 0
    horizon: int = mcts.LONGEST
    playout: int = mcts.TO_THE_END
    explore: float = 1.0
    lead_part: float = 0.25
    lead_scale: float = 20.0
    blind: float = 0.0
    even: float = 0.0


def asked(net: Net | None) -> int:
    """How a search values positions with this net: the field by_net of its style."""
    if net is None:
        return 0
    return mcts.BY_ALL if net.sees_aside else mcts.BY_MOVER


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found of one move, by its number."""

    move: int
    visits: int
    worth: float
    win: float
    lead: float
    prior: float
    node: int


def _set(engine: Engine, record: Any, name: str, value: Any) -> None:
    if engine.compiled:
        record[name] = value
    else:
        setattr(record, name, value)


def set_style(engine: Engine, desk: mcts.Desk, style: Style) -> None:
    """Have a search think in this style from now on."""
    for field in fields(style):
        _set(engine, desk.style[0], field.name, getattr(style, field.name))


class Searcher:
    """A search for one game. It uses its memory again for every thought, so it is for one thread
    at a time."""

    def __init__(
        self, engine: Engine, style: Style, net: Net | None = None, nodes: int = NODES
    ) -> None:
        self.engine = engine
        self.desk = mcts.desk_for(engine, nodes if engine.compiled else TWIN_NODES, net)
        self.iterations = 0
        self.kept = 0
        """How often the search had looked below the position at hand before this thought."""
        self._can_keep = bool(getattr(engine.game, "ALL_OPEN", False))
        self._is_whole = False
        set_style(engine, self.desk, style)
        self._search = engine.bind(mcts.search)

    def run(
        self,
        view: View,
        budget: Budget,
        seed: int,
        overlooked: Callable[[int, float], bool] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[Found]:
        """Search from what a seat knows; what was found, the best first.

        `overlooked(move, prior)` says which moves are not thought of. `stop()` is asked every few
        milliseconds whether to give up, with what was found so far.

        Where nothing is hidden, a search with a budget of time alone goes on from the tree of the
        last such one, if the position came of moves played since then and the seat is the same.
        """
        started = time.perf_counter()
        keeps = self._can_keep and overlooked is None and budget.iterations is None
        found_at = self._in_old_tree(check_view(view)) if keeps and self._is_whole else 0
        self._is_whole = False  # until this thought is at its end
        self.engine.write(view.look(), self.desk.states)
        self.iterations = 0
        count = self._open(seed, found_at)
        if overlooked is not None:
            self._overlook(overlooked)
        if count > 1:
            self._think(budget, seed, started, stop)
        else:
            self._go_on(seed, ALONE if budget.iterations is None else min(ALONE, budget.iterations))
        self._is_whole = keeps
        found = [self._found(child) for child in self._children(0)]
        found.sort(key=lambda one: (one.prior < 0, -one.visits, -one.worth, one.move))
        return self._winner_first(found)

    # Going on from the last thought

    def _open(self, seed: int, found_at: int) -> int:
        """Begin a tree, or go on from a node of the last one; how many moves there are."""
        if found_at == 0:
            self.kept = 0
            return int(self._search(self.desk, mcts.OPEN, seed, 0, 0, 0, 0.0))
        self._search(self.desk, mcts.KEEP, 0, found_at, 0, 0, 0.0)
        visits = [self._get(child, "visits") for child in self._children(0)]
        self.kept = sum(visits)
        return len(visits)

    def _in_old_tree(self, view: View) -> int:
        """The node of this position in the tree of the last thought; 0 if it is not there, was
        hardly looked at, or is another seat's to see."""
        if self._viewer() != view.seat + 1:
            return 0
        wanted = to_bytes(view.look())
        lines: list[tuple[int, ...]] = [()]
        for line in lines:
            for child in self._children(line[-1] if line else 0):
                if self._get(child, "visits") >= WORTH_KEEPING and len(lines) < LOOKED_AT:
                    further = (*line, child)
                    for i, node in enumerate(further):
                        self.desk.line[i] = node
                    due = self._search(self.desk, mcts.FOLLOW, 0, len(further), 0, view.seat, 0.0)
                    if self._world() == wanted:
                        return child
                    if not due:
                        lines.append(further)
        return 0

    def _viewer(self) -> int:
        state = self.desk.states[0]
        return int(state["viewer"] if self.engine.compiled else state.viewer)

    def _world(self) -> bytes:
        world = self.desk.states[mcts.WORLD]
        return bytes(world.tobytes()) if self.engine.compiled else to_bytes(world)

    def _overlook(self, overlooked: Callable[[int, float], bool]) -> None:
        children = [self._found(child) for child in self._children(0)]
        seen = [one for one in children if not overlooked(one.move, one.prior)]
        if seen:
            for one in children:
                if one not in seen:
                    _set(self.engine, self.desk.nodes[one.node], "prior", -1.0)

    def _think(
        self, budget: Budget, seed: int, started: float, stop: Callable[[], bool] | None
    ) -> None:
        most = budget.iterations
        self._race_winner = 0
        if budget.ms is None and most is not None and most <= FEW:
            self._race_winner = self._search(self.desk, mcts.HALVE, seed, 0, most, RACERS, 0.0)
            self.iterations = most
            return
        end = None if budget.ms is None else started + (budget.ms - SPARE_MS) / 1000
        chunk = 16
        while most is None or self.iterations < most:
            before = time.perf_counter()
            if end is not None and before >= end and self.iterations:
                return
            self._go_on(seed, chunk if most is None else min(chunk, most - self.iterations))
            took_ms = (time.perf_counter() - before) * 1000
            if stop is not None and stop():
                return
            chunk = max(1, min(2 * chunk, int(chunk * CHUNK_MS / max(took_ms, 0.01))))

    def _go_on(self, seed: int, iterations: int) -> None:
        self._search(self.desk, mcts.ON, seed, self.iterations, iterations, 0, 0.0)
        self.iterations += iterations

    def _winner_first(self, found: list[Found]) -> list[Found]:
        winner = self._race_winner
        return sorted(found, key=lambda one: one.node != winner) if winner else found

    _race_winner = 0

    # Looking into the tree

    def _get(self, node: int, name: str) -> Any:
        record = self.desk.nodes[node]
        return record[name].item() if self.engine.compiled else getattr(record, name)

    def _children(self, node: int) -> Iterator[int]:
        child = self._get(node, "first")
        while child:
            yield child
            child = self._get(child, "next")

    def _found(self, node: int) -> Found:
        visits = self._get(node, "visits")
        each = max(1, visits)
        return Found(
            move=self._get(node, "move"),
            visits=visits,
            worth=self._get(node, "total") / each,
            win=self._get(node, "win") / each,
            lead=self._get(node, "lead") / each,
            prior=self._get(node, "prior"),
            node=node,
        )

    def line_after(self, node: int, longest: int = LINE) -> list[tuple[int, int]]:
        """The play most looked at after a node: seats and moves."""
        line: list[tuple[int, int]] = []
        while len(line) < longest:
            visits, best = max(
                ((self._get(child, "visits"), child) for child in self._children(node)),
                default=(0, 0),
            )
            if visits < 2:
                break
            line.append((self._get(best, "seat"), self._get(best, "move")))
            node = best
        return line

    def candidates(self, view: View, found: Collection[Found]) -> tuple[Candidate, ...]:
        """What was found, in texts."""
        module, s = view.game.module, view.look()
        texts = getattr(module, "MOVE_TEXTS", None)
        made = []
        for rank, one in enumerate(found):
            line = self.line_after(one.node) if texts and rank < SHOWN else []
            made.append(
                Candidate(
                    move=str(module.text(s, one.move)),
                    win=one.win,
                    lead=one.lead,
                    visits=one.visits,
                    line=tuple(f"{seat} {texts[move]}" for seat, move in line) if texts else (),
                )
            )
        return tuple(made)


class Plain:
    """A search without wiles. Its name says how many iterations it takes, and how it values
    positions: "mcts:1000" by random play to the end, the anchor of the ladder, and "net:1000" by the
    net that comes with the game."""

    def __init__(self, name: str) -> None:
        self.name = name
        kind, _, number = name.partition(":")
        self._by_net = kind == "net"
        if not number.isascii() or not number.isdecimal() or not 1 <= int(number) <= 10**8:
            raise MandalierError(
                say(
                    "{name}: a search is called by its iterations, as in {example}",
                    name=name,
                    example=f"{kind}:1000",
                )
            )
        self._own = Budget(iterations=int(number))
        self._searchers: dict[tuple[str, bool], Searcher] = {}

    def _searcher(self, view: View) -> Searcher:
        engine = check_view(view).game.at_hand
        key = (view.game.name, engine.compiled)
        if key not in self._searchers:
            style, net = Style(lead_part=0.0), None
            if self._by_net:
                net = shipped_net(view.game.module)
                if net is None:
                    text = say("there is no net for {game}", game=view.game.name)
                    raise MandalierError(text)
                style = Style(by_net=asked(net))
            self._searchers[key] = Searcher(engine, style, net)
        return self._searchers[key]

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        searcher = self._searcher(view)
        found = searcher.run(view, budget.or_else(self._own), check_seed(seed))
        candidates = searcher.candidates(view, found)
        return Thought(candidates[0].move, candidates, iterations=searcher.iterations, by=self.name)

    def weigh(self, view: View, move: int, budget: Budget = NO_LIMIT, seed: int = 0) -> Candidate:
        """What this bot expects of one move, by its number, if it looks at no other."""
        searcher = self._searcher(view)
        found = searcher.run(
            view, budget.or_else(self._own), check_seed(seed), lambda other, prior: other != move
        )
        return searcher.candidates(view, [one for one in found if one.move == move])[0]
