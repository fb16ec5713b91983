"""Analysis: costs, verdicts and lessons; the ledger that adds up; calibration."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest

import mandalier
from mandalier.games.game import Game, MandalierError, State, View, game
from mandalier.games.record import replay
from mandalier.lab.analyse import LIMITS, ONLY, How, Review, analyse, look_at, verdict_of
from mandalier.lab.calibrate import Sample, calibrate, picture
from mandalier.lab.calibrate import _bin as bin_of
from mandalier.lab.ledger import (
    CHANCE,
    DEAL,
    DRAW,
    LEAD_UNIT,
    MOVE,
    WIN_UNIT,
    book,
    keep_ledger,
    rounded_to_sum,
    value_entry,
    value_start,
)
from mandalier.lab.values import Playouts, Value, draws, leads_of, result_value
from mandalier.search.bot import Budget, bot
from tests.support import OPTIONS, TABLES, plays, some_state

FEW = "random:12"


@cache
def record_of(name: str, seats: int, seed: int = 3) -> dict[str, Any]:
    """A game of bots that look one move ahead."""
    state = mandalier.deal(name, seats, seed, OPTIONS.get(name))
    thinker = bot("eager")
    while not state.over:
        seat = state.waiting[0]
        state.play(thinker.think(state.view(seat), seed=len(state.log)).move, seat)
    return state.record()


@cache
def review_of(name: str) -> Review:
    record = record_of(name, game(name).seats[0])
    return analyse(record, How.of("mcts:30", ledger=FEW), workers=1)


# The ledger


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_the_parts_of_every_account_add_up_to_the_result_exactly(name: str, seats: int) -> None:
    record = record_of(name, seats)
    ledger = keep_ledger(record, Playouts(FEW))
    scores, winners = record["result"]["scores"], record["result"]["winners"]
    assert len(ledger.accounts) == seats
    for account in ledger.accounts:
        seat = account.seat
        win = WIN_UNIT // len(winners) if seat in winners else 0
        lead = scores[seat] - max(scores[:seat] + scores[seat + 1 :])
        assert sum(part.win for part in account.parts) == account.result.win == win
        assert sum(part.lead for part in account.parts) == account.result.lead == LEAD_UNIT * lead


@pytest.mark.parametrize("name", ["sand", "stones", "dice"])
def test_every_step_belongs_to_the_deal_a_move_or_to_chance(name: str) -> None:
    record = record_of(name, 2, 6)
    ledger = keep_ledger(record, Playouts(FEW))
    kinds = {step.kind for step in ledger.steps}
    assert (
        kinds
        == {
            "sand": {DEAL, MOVE, DRAW, CHANCE},
            "stones": {DEAL, MOVE, DRAW},
            "dice": {DEAL, MOVE, CHANCE},
        }[name]
    )
    assert ledger.steps[0].kind == DEAL
    for step in ledger.steps[1:]:
        assert step.ply is not None
        who = record["moves"][step.ply].partition(" ")[0]
        assert (step.kind == CHANCE) == (who == "*")
        if who != "*":
            assert step.seat == int(who)


def test_nothing_in_pyramids_is_luck_but_the_deal() -> None:
    ledger = keep_ledger(record_of("pyramids", 3), Playouts(FEW))
    assert {step.kind for step in ledger.steps} == {DEAL, MOVE}
    for account in ledger.accounts:
        assert (account.own_luck.win, account.other_luck.lead) == (0, 0)


def test_with_two_seats_one_wins_what_the_other_loses() -> None:
    ledger = keep_ledger(record_of("sand", 2), Playouts(FEW))
    for step in ledger.steps:
        assert sum(step.wins) == 0
        assert sum(step.leads) == 0
    one, other = ledger.accounts
    assert one.own_luck.win == -other.other_luck.win
    assert one.own_play.lead == -other.other_play.lead


def test_an_unfinished_record_adds_up_to_how_it_stands() -> None:
    record = {**record_of("sand", 2)}
    record["moves"] = record["moves"][:20]
    del record["result"]
    ledger = keep_ledger(record, Playouts(FEW))
    assert not ledger.finished
    for account in ledger.accounts:
        assert sum(part.win for part in account.parts) == account.result.win


class Counting:
    """Values positions by the cards in hand: a stand-in whose values are known."""

    name = "counting"

    def value(self, state: State, seed: int = 0) -> Value:
        if state.over:
            return result_value(state)
        s = state.look()
        ahead = s.hand_n[0] - s.hand_n[1]
        return Value((0.5 + ahead / 20, 0.5 - ahead / 20), (float(ahead), float(-ahead)))

    def after(self, state: State, seat: int, move: str, seed: int = 0) -> Value:
        return Value((0.5, 0.5), (0.0, 0.0))

    def baseline(self, game: Game, seats: int, options: Mapping[str, Any]) -> Value:
        return Value((0.5, 0.5), (0.0, 0.0))


def test_a_move_and_what_it_draws_are_booked_apart() -> None:
    record = {**record_of("sand", 2)}
    record["moves"] = record["moves"][:1]
    del record["result"]
    state = mandalier.deal("sand", 2, 3)
    seat, _, move = record["moves"][0].partition(" ")
    assert move[0] in "md"  # it draws
    assert draws(state, int(seat), move)
    ledger = keep_ledger(record, Counting())
    assert [step.kind for step in ledger.steps] == [DEAL, MOVE, DRAW]
    state.play(move)
    held = state.look().hand_n
    ahead = held[0] - held[1]
    assert ledger.accounts[0].own_play.lead == 0
    assert ledger.accounts[0].own_luck.lead == LEAD_UNIT * ahead
    assert ledger.accounts[1].other_luck.lead == -LEAD_UNIT * ahead


def test_a_move_draws_only_if_it_turns_up_what_nobody_knew() -> None:
    seen = set()
    for state in plays("sand", 2, 4):
        for move in state.legal()[::3] if state.waiting else []:
            kind = move[0]
            found = draws(state, state.waiting[0], move)
            seen.add((kind, found))
            if kind == "f" and not found:
                continue
            if kind in "md" and state.look().deck_n > 10:
                assert found
    assert {("m", True), ("d", True), ("f", False), ("c", False)} <= seen
    state = some_state("pyramids", 2, 1, 5)
    assert not any(draws(state, state.waiting[0], move) for move in state.legal())


def test_entries_can_be_valued_in_any_order() -> None:
    record, evaluator = record_of("sand", 2), Playouts(FEW)
    plies = range(len(record["moves"]))
    backwards = [value_entry(record, ply, evaluator, 0) for ply in reversed(plies)]
    first = value_start(record, evaluator, 0)
    again = book(record, evaluator.name, first, backwards[::-1])
    assert again == keep_ledger(record, evaluator)


@pytest.mark.parametrize("name", ["sand", "dice"])
def test_playouts_give_the_same_compiled_and_interpreted(name: str) -> None:
    state = some_state(name, 2, 3, 30)
    found = game(name)
    values = [
        Playouts("eager:2", engine).value(state, 5)
        for engine in (found.compiled, found.interpreted)
    ]
    assert values[0] == values[1]


def test_the_value_of_a_position_does_not_know_the_order_of_the_deck() -> None:
    state = some_state("sand", 2, 3, 12)
    other = state.copy()
    s = other.look()
    s.deck[: s.deck_n] = sorted(s.deck[: s.deck_n])
    other._engine.write(s, other._states)
    means = [Playouts("eager:400").value(one).leads[0] for one in (state, other)]
    assert abs(means[0] - means[1]) < 4.0
    assert result_value(some_state("sand", 2, 3, 10_000)).leads == leads_of(
        some_state("sand", 2, 3, 10_000).scores
    )


def test_shown_parts_add_up_to_the_shown_whole() -> None:
    for parts in ([333, 333, 334], [-149, 50, 51, 49], [60_000, -12_345, 678], [5, -5]):
        shown = rounded_to_sum(parts, 100)
        assert sum(shown) == round(sum(parts) / 100)
        assert all(abs(a * 100 - b) < 100 for a, b in zip(shown, parts, strict=True))


# Moves


@pytest.mark.parametrize("name", ["sand", "stones", "pyramids", "dice"])
def test_every_move_is_judged_and_no_cost_is_below_nothing(name: str) -> None:
    review = review_of(name)
    record = review.record
    moves = [entry for entry in record["moves"] if not entry.startswith("*")]
    assert [f"{look.seat} {look.move}" for look in review.looks] == moves
    for look in review.looks:
        assert look.cost_win >= 0
        assert look.cost_lead >= 0
        if look.verdict == ONLY:
            assert len(look.view.legal()) == 1
            assert look.candidates == ()
            continue
        assert (look.verdict == "best") == (look.best == look.move)
        assert look.verdict == verdict_of(look.cost_win)
        assert look.cost_win == pytest.approx(max(0, look.chosen.win - look.played.win))
        assert look.view == replay(record, look.ply).view(look.seat)


def test_the_best_move_costs_nothing() -> None:
    how = How.of("mcts:200")
    for state in list(_copies("sand", 2, 5))[:30:6]:
        seat = state.waiting[0]
        best = bot("mcts:200").think(state.view(seat), how.budget).move
        look = look_at(state.view(seat), best, how)
        assert (look.cost_win, look.cost_lead) == (0, 0)
        assert look.verdict in ("best", ONLY)


def _copies(name: str, seats: int, seed: int) -> Any:
    return [state.copy() for state in plays(name, seats, seed) if state.waiting]


def test_giving_away_a_won_game_is_a_blunder_that_is_learnt_from() -> None:
    """In pyramids the last pyramids decide who has most of a group."""
    for seed in range(40):
        state = some_state("pyramids", 2, seed, 6)
        if state.over or len(state.legal()) < 3:
            continue
        seat = state.waiting[0]
        thought = bot("mcts:2000").think(state.view(seat))
        values = {one.move: one.win for one in thought.candidates}
        worst = min(values, key=lambda move: values[move])
        if values[thought.move] - values[worst] < 0.6:
            continue
        look = look_at(state.view(seat), worst, How.of("mcts:2000"))
        assert look.verdict == "blunder"
        assert look.best != worst
        assert look.why()
        return
    raise AssertionError("no such position")


def test_a_move_given_with_more_than_its_number_is_judged_as_the_listed_one() -> None:
    for seed in range(30):
        state = some_state("stones", 2, seed, 25)
        scores = [m for m in state.legal() if m.startswith("tops") and len(m) == len("tops 12")]
        if not scores:
            continue
        ordered = f"{scores[0]} > {scores[0][-1]} {scores[0][-2]}"
        state.check(ordered)
        look = look_at(state.view(state.waiting[0]), ordered, How.of("mcts:100"))
        assert look.played.move == scores[0]
        return
    raise AssertionError("no such position")


def test_verdicts_follow_the_limits_that_are_documented() -> None:
    assert [verdict_of(cost) for cost in (0, *LIMITS)] == [
        "best", "best", "good", "inaccuracy", "mistake"
    ]  # fmt: skip
    assert verdict_of(LIMITS[-1] + 1e-9) == "blunder"


def test_the_review_is_plain_data_with_everything_in_it() -> None:
    data = json.loads(json.dumps(review_of("sand").data()))
    assert set(data) == {
        "game", "rules", "seats", "result", "by", "budget", "seed", "moves", "by_seat", "lessons",
        "ledger",
    }  # fmt: skip
    assert set(data["moves"][0]) == {
        "ply", "seat", "move", "verdict", "win", "lead", "cost_win", "cost_lead", "best", "best_win",
        "best_lead", "why", "candidates",
    }  # fmt: skip
    for row in data["by_seat"]:
        assert 0 <= row["accuracy"] <= 100
        verdicts = ("best", "good", "inaccuracy", "mistake", "blunder")
        assert row["moves"] == sum(row[verdict] for verdict in verdicts)
    for lesson in data["lessons"]:
        assert isinstance(mandalier.position(lesson["position"]), View)
    costs = [data["moves"][_index(data, lesson["ply"])]["cost_win"] for lesson in data["lessons"]]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) <= 3
    for account in data["ledger"]["accounts"]:
        for unit in ("win", "lead"):
            parts = [v[unit] for k, v in account.items() if k not in ("seat", "result")]
            assert sum(parts) == account["result"][unit]


def _index(data: Mapping[str, Any], ply: int) -> int:
    return next(i for i, move in enumerate(data["moves"]) if move["ply"] == ply)


def test_one_seat_alone_can_be_judged() -> None:
    record = record_of("sand", 2)
    review = analyse(record, How.of("mcts:20"), seat=1, workers=1)
    assert {look.seat for look in review.looks} == {1}
    assert [row["seat"] for row in review.data(1)["by_seat"]] == [1]
    with pytest.raises(MandalierError, match="no seat 2"):
        analyse(record, How.of("mcts:20"), seat=2)


def test_any_way_of_sharing_out_the_work_gives_the_same_analysis() -> None:
    told = []
    executor = ThreadPoolExecutor(1)
    found = analyse(
        review_of("sand").record,
        How.of("mcts:30", ledger=FEW),
        executor=executor,
        progress=lambda done, total: told.append((done, total)),
    )
    assert found.data() == review_of("sand").data()
    n = len(found.record["moves"])
    assert told == [(k, n) for k in range(1, n + 1)]


def test_a_bot_that_does_not_look_ahead_cannot_judge() -> None:
    with pytest.raises(MandalierError, match="eager does not say what it expects"):
        analyse(record_of("sand", 2), How.of("eager"), workers=1)
    with pytest.raises(MandalierError, match="no bot 'clever'"):
        How.of("clever")
    with pytest.raises(MandalierError, match="playouts are named"):
        How.of("mcts:10", ledger="deep:3")


def test_a_record_that_is_wrong_is_not_analysed() -> None:
    record = {**record_of("sand", 2)}
    record["moves"] = ["0 m1q", *record["moves"][1:]]
    with pytest.raises(MandalierError, match="a move looks like"):
        analyse(record, How.of("mcts:10"), workers=1)


# Calibration


def test_calibration_compares_what_was_expected_with_what_came() -> None:
    found = calibrate("sand", "eager:20", games=6, seed=2)
    assert found.data() == calibrate("sand", "eager:20", games=6, seed=2).data()
    data = found.data()
    assert data["samples"] == sum(one["n"] for one in data["wins"])
    assert data["samples"] == sum(one["n"] for one in data["leads"])
    for one in data["wins"]:
        assert 0 <= one["came"] <= 1
    assert 0 <= data["brier"] <= 1
    by_bot = calibrate("pyramids", "mcts:20", games=2, seats=3, budget=Budget(iterations=20))
    assert by_bot.samples
    root = ET.fromstring(picture(found))
    assert len(root.findall(".//{*}circle")) == len(found.wins) + len(found.leads)


def test_a_bin_tells_the_mean_of_what_came_and_counts_a_game_once() -> None:
    samples = [Sample(0, 0.6, 1, 1, 4), Sample(0, 0.7, 2, 1, 4), Sample(1, 0.8, 3, 0, -2)]
    found = bin_of(samples, lambda s: s.win, lambda s: s.won)
    assert found.n == 3
    assert found.expected == pytest.approx(0.7)
    assert found.came == pytest.approx(2 / 3)
    assert found.error == pytest.approx((2 / 9 / 2) ** 0.5)


def test_playouts_of_good_players_are_fair_to_the_games_they_play() -> None:
    """The mean result of a table's games is its baseline, within what chance allows."""
    found = game("sand")
    whole = Playouts("eager:300").baseline(found, 2, {})
    assert sum(whole.wins) == pytest.approx(1)
    assert whole.win_errors[0] < 0.02
    dealt = [
        Playouts("eager:100").value(mandalier.deal("sand", 2, seed)).wins[0] for seed in range(60)
    ]
    assert sum(dealt) / 60 == pytest.approx(whole.wins[0], abs=0.05)
