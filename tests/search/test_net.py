"""Nets: that they say the same everywhere, and that no wrong one is ever asked."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mandalier
from mandalier.games import kernel
from mandalier.games.contract import MAX_SEATS
from mandalier.games.engine import Engine
from mandalier.games.game import GAMES, State, game
from mandalier.games.kernel import Array, rule
from mandalier.search import net as nets
from mandalier.search import searcher
from mandalier.search.bot import Budget, bot
from mandalier.search.mcts import BY_ALL, BY_MOVER, WORLD
from mandalier.search.net import (
    Net,
    appraise_moves,
    appraise_position,
    flatten,
    net_file,
    read_net,
    shipped_net,
    sights_version,
    sizes,
)
from mandalier.search.searcher import Searcher, Style
from tests.support import TABLES, engines, plays

WITH_NETS = [name for name, found in GAMES.items() if hasattr(found.module, "SIGHTS")]
TABLES_WITH_NETS = [(name, seats) for name, seats in TABLES if name in WITH_NETS]
needs_numba = pytest.mark.skipif(not kernel.can_compile(), reason="compares with compiled rules")
every_game = pytest.mark.parametrize("name", WITH_NETS)
LARGEST = 1_000_000  # bytes


def module_of(name: str) -> ModuleType:
    module: Any = game(name).module
    return module  # type: ignore[no-any-return]


def some_net(name: str, seed: int = 1, widths: tuple[int, int, int, int] = (16, 24, 16, 8)) -> Net:
    """A net that has learnt nothing."""
    module: Any = module_of(name)
    h1, h2, h3, hp = widths
    numbers = [*module.SIGHTS, h1, h2, h3, module.NOTICED, hp]
    chance = np.random.default_rng(seed)
    parts = {part: chance.normal(0, 0.1, shape) for part, shape in sizes(numbers)}
    return Net(flatten(numbers, parts), {}, "some.net")


@rule
def appraise_all(
    states: Array,
    seat: int,
    n: int,
    out: Array,
    net: Array,
    sights: Array,
    noticed: Array,
    work: Array,
    found: Array,
    points: Array,
    logits: Array,
) -> None:
    at = appraise_position(states[0], seat, net, sights, work, found, points)
    appraise_moves(states[0], seat, n, out, net, at, noticed, work, logits)


class Appraiser:
    """A net and an engine that asks it."""

    def __init__(self, engine: Engine, net: Net) -> None:
        module = engine.game
        g, e, p = module.SIGHTS
        self.engine, self.net = engine, net
        self.states, self.out = engine.states(1), engine.move_list()
        self.sights, self.noticed = engine.array(g + e * p), engine.array(module.NOTICED)
        self.work = np.zeros(nets.WORK, "f4")
        self.wins, self.points = engine.array(MAX_SEATS, "f8"), engine.array(MAX_SEATS, "f8")
        self.logits = engine.array(module.MOVES, "f8")
        self.appraise = engine.bind(appraise_all)

    def __call__(self, state: State, seat: int) -> tuple[list[float], list[float], list[float]]:
        """Chances to win, points, and logits of the legal moves."""
        return self.of(state.look(), seat)

    def of(self, s: Any, seat: int) -> tuple[list[float], list[float], list[float]]:
        self.engine.write(s, self.states)
        n = self.engine.legal_at(self.states, 0, seat, self.out)
        self.appraise(
            self.states,
            seat,
            n,
            self.out,
            self.net.flat,
            self.sights,
            self.noticed,
            self.work,
            self.wins,
            self.points,
            self.logits,
        )
        seats = s.seats
        return list(self.wins[:seats]), list(self.points[:seats]), list(self.logits[:n])


# What nets say ---------------------------------------------------------------------------------


@needs_numba
@pytest.mark.parametrize(("name", "seats"), TABLES_WITH_NETS)
def test_compiled_and_interpreted_nets_agree_to_the_last_digit(name: str, seats: int) -> None:
    shipped = shipped_net(module_of(name))
    for net in [some_net(name)] + ([shipped] if shipped else []):
        one, other = (Appraiser(engine, net) for engine in engines(name))
        for ply, state in enumerate(plays(name, seats, 31)):
            if not state.over and ply % 11 == 0:
                seat = state.waiting[0]
                assert one(state, seat) == other(state, seat)


@needs_numba
@pytest.mark.parametrize(("name", "seats"), [("sand", 2), ("stones", 3), ("pyramids", 5)])
@pytest.mark.parametrize("by_net", [BY_MOVER, BY_ALL])
def test_compiled_and_interpreted_search_by_net_find_the_same(
    name: str, seats: int, by_net: int
) -> None:
    net = some_net(name, 5)
    *_, state = (one for ply, one in zip(range(9), plays(name, seats, 8), strict=False))
    view = state.view(state.waiting[0])
    found = [
        Searcher(e, Style(by_net=by_net), net).run(view, Budget(iterations=40), 7)
        for e in engines(name)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(("name", "seats"), TABLES_WITH_NETS)
def test_chances_to_win_are_chances(name: str, seats: int) -> None:
    ask = Appraiser(game(name).fastest, some_net(name))
    for ply, state in enumerate(plays(name, seats, 4)):
        if not state.over and ply % 4 == 0:
            wins, points, logits = ask(state, state.waiting[0])
            assert sum(wins) == pytest.approx(1)
            assert min(wins) > 0
            assert np.isfinite(points).all()
            assert np.isfinite(logits).all()


@every_game
def test_a_net_says_the_same_of_all_a_seat_cannot_tell_apart(name: str) -> None:
    ask = Appraiser(game(name).fastest, some_net(name))
    for ply, state in enumerate(plays(name, GAMES[name].seats[0], 12)):
        if state.over or ply % 11:
            continue
        seat = state.waiting[0]
        said = [ask(one, seat) for one in (state, *(state.view(seat).imagine(k) for k in (1, 2)))]
        assert said[0] == said[1] == said[2]


@every_game
@pytest.mark.parametrize("by_net", [BY_MOVER, BY_ALL])
def test_a_search_by_net_thinks_the_same_of_all_a_seat_cannot_tell_apart(
    name: str, by_net: int
) -> None:
    search = Searcher(game(name).fastest, Style(by_net=by_net), some_net(name))
    for ply, state in enumerate(plays(name, GAMES[name].seats[-1], 13)):
        if state.over or ply % 13:
            continue
        seat = state.waiting[0]
        views = [state.view(seat), *(state.view(seat).imagine(k).view(seat) for k in (1, 2))]
        found = [search.run(view, Budget(iterations=60), 5) for view in views]
        assert found[0] == found[1] == found[2]


@needs_numba
def test_a_leaf_is_worth_what_all_seats_expect_of_it_in_the_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searcher, "FEW", 0)
    view, net = mandalier.deal("sand", seed=3).view(0), some_net("sand")
    engine = game("sand").compiled
    search, ask = Searcher(engine, Style(by_net=BY_ALL), net), Appraiser(engine, net)
    found = search.run(view, Budget(iterations=1), 1)
    leaf = engine.read(search.desk.states, WORLD)
    expected = [ask.of(leaf, seat)[0][0] for seat in range(2)]
    assert expected[0] != expected[1]
    assert found[0].visits == 1
    assert found[0].win == pytest.approx(sum(expected) / 2)


# Files -----------------------------------------------------------------------------------------


@every_game
def test_a_net_that_is_written_can_be_read(name: str) -> None:
    net = some_net(name)
    file, data = net_file(module_of(name), net.flat, {"seed": 4})
    read = read_net(data, module_of(name), file)
    assert read.origin == {"seed": 4}
    assert np.array_equal(read.flat, net.flat.astype("f2").astype("f4"))


def test_the_name_of_a_net_tells_its_contents() -> None:
    module = module_of("sand")
    one = net_file(module, some_net("sand", 1).flat, {})
    assert one[0] != net_file(module, some_net("sand", 2).flat, {})[0]
    assert one == net_file(module, some_net("sand", 1).flat, {})


def renamed(data: bytes) -> tuple[bytes, str]:
    """A file, under the name its contents ask for."""
    return data, f"sand-{hashlib.sha256(data).hexdigest()[:12]}.net"


def with_head(data: bytes, change: Callable[[dict[str, Any]], None]) -> tuple[bytes, str]:
    line, _, rest = data.partition(b"\n")
    head = json.loads(line)
    change(head)
    return renamed(json.dumps(head).encode() + b"\n" + rest)


@pytest.fixture
def written() -> tuple[bytes, str]:
    file, data = net_file(module_of("sand"), some_net("sand").flat, {})
    return data, file


def test_a_net_that_was_cut_short_or_tampered_with_is_refused(written: tuple[bytes, str]) -> None:
    data, name = written
    flipped = bytearray(data)
    flipped[-5] ^= 1
    for bad in (data[:-2], data[: len(data) // 2], b"", bytes(flipped)):
        with pytest.raises(mandalier.MandalierError, match=r"damaged.*install mandalier again"):
            read_net(bad, module_of("sand"), name)


@pytest.mark.parametrize("field", ["format", "rules", "features", "numbers"])
def test_a_net_for_other_rules_or_features_is_refused_in_words(
    field: str, written: tuple[bytes, str]
) -> None:
    place = ["format", "rules", "features", "numbers"].index(field)

    def older(head: dict[str, Any]) -> None:
        head["sights"][place] += 1

    with pytest.raises(mandalier.MandalierError, match=r"another version of the rules.*train it"):
        read_net(*_for_reading(with_head(written[0], older)))


def _for_reading(file: tuple[bytes, str]) -> tuple[bytes, ModuleType, str]:
    return file[0], module_of("sand"), file[1]


def test_a_net_of_another_game_is_refused(written: tuple[bytes, str]) -> None:
    data, name = written
    with pytest.raises(mandalier.MandalierError, match="a net for sand, not for stones"):
        read_net(data, module_of("stones"), name)


def test_a_file_with_a_good_name_that_is_no_net_is_refused(written: tuple[bytes, str]) -> None:
    data, _ = written
    for bad in (b"hello\n", b"[]\n", b"{}\n", b'{"game": 1}\n', b"\xff\xfe\n"):
        with pytest.raises(mandalier.MandalierError, match="does not begin as one"):
            read_net(*_for_reading(renamed(bad)))
    for cut in (data[:-2], data + b"\0\0"):
        with pytest.raises(mandalier.MandalierError, match="bytes of weights"):
            read_net(*_for_reading(renamed(cut)))


def test_a_net_too_wide_to_be_worked_with_is_refused(written: tuple[bytes, str]) -> None:
    def widened(head: dict[str, Any]) -> None:
        head["numbers"][nets.H1] = 1000

    with pytest.raises(mandalier.MandalierError, match="no net"):
        read_net(*_for_reading(with_head(written[0], widened)))


# Those that come with the package --------------------------------------------------------------


def shipped() -> list[str]:
    folder = files("mandalier.search") / nets.WEIGHTS
    return [file.name for file in folder.iterdir() if file.name.endswith(".net")]


@every_game
def test_one_small_net_comes_with_each_game(name: str) -> None:
    assert len([file for file in shipped() if file.startswith(f"{name}-")]) == 1
    net = shipped_net(module_of(name))
    assert net is not None
    assert net.origin["plan"]["game"] == name
    data = (files("mandalier.search") / nets.WEIGHTS / net.name).read_bytes()
    assert len(data) < LARGEST
    assert json.loads(data.partition(b"\n")[0])["sights"] == sights_version(module_of(name))


def test_no_net_comes_for_a_game_that_is_not_there() -> None:
    assert {file.partition("-")[0] for file in shipped()} <= set(WITH_NETS)


@every_game
def test_the_bot_net_thinks_by_the_net_of_the_game(name: str) -> None:
    view = mandalier.deal(name, seed=3).view(mandalier.deal(name, seed=3).waiting[0])
    thought = bot("net:60").think(view, seed=2)
    assert thought.move in view.legal()
    assert thought.iterations == 60
    assert thought == bot("net:60").think(view, seed=2)


def test_the_bot_net_says_so_where_there_is_no_net() -> None:
    state = mandalier.deal("dice", seed=1, options={"outcomes": "surrogate"})
    view = state.view(state.waiting[0])
    with pytest.raises(mandalier.MandalierError, match="no net for dice"):
        bot("net:60").think(view, seed=2)


@every_game
def test_the_net_of_the_game_prefers_what_wins(name: str) -> None:
    """With as many iterations it wins three of four games against playing on at random."""
    chooser, won, games = random.Random(5), 0.0, 0
    for k in range(6):
        for own in (0, 1):
            state = mandalier.deal(name, seats=2, seed=k)
            bots = {own: bot("net:40"), 1 - own: bot("mcts:40")}
            while not state.over:
                seat = state.waiting[0]
                thought = bots[seat].think(state.view(seat), seed=chooser.getrandbits(40))
                state.play(thought.move, seat)
            assert state.result is not None
            won += (own in state.result.winners) / len(state.result.winners)
            games += 1
    assert won >= 0.75 * games
