"""The arena: fair deals, the same result for any way of sharing the work, and no bot can break it."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mandalier.games.errors import MandalierError
from mandalier.games.game import View
from mandalier.games.record import Checker, loads
from mandalier.lab import arena as arena_room
from mandalier.lab import match as match_room
from mandalier.lab.arena import Match, MatchResult, arena
from mandalier.lab.intervals import Stop
from mandalier.lab.match import Entrant, Seats, play_game, split_names
from mandalier.search.bot import MAKERS, NO_LIMIT, Budget, Thought
from tests.support import TABLES

TIMES = ("think_s", "longest_s")


def games_of(result: MatchResult) -> list[dict[str, Any]]:
    """What was played, but for the times."""
    return [
        {name: value for name, value in played.data().items() if name not in TIMES}
        for played in result.played
    ]


def match(*bots: str, name: str = "sand", games: int = 12, seed: int = 5, **how: Any) -> Match:
    return Match.of(name, bots, games=games, seed=seed, **how)


class Odd:
    """A bot that goes wrong in the way its name says."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._how = name.partition(":")[2]

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0) -> Thought:
        if self._how == "crash":
            raise ZeroDivisionError("oh dear")
        if self._how == "sleep":
            time.sleep(30)
        if self._how == "stubborn":
            end = time.monotonic() + 30
            while time.monotonic() < end:
                try:
                    time.sleep(30)
                except Exception:
                    continue
        if self._how == "none":
            return None  # type: ignore[return-value]
        return Thought("no such move")


@pytest.fixture
def odd_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAKERS, "odd", (__name__, "Odd"))
    monkeypatch.setattr(match_room, "WARM_S", 0.2)


# Fairness


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_bot_against_itself_scores_exactly_the_fair_share(name: str, seats: int) -> None:
    for bots in (("random", "random"), ("random",) * seats):
        result = arena(match(*bots, name=name, seats=seats, games=2 * seats), workers=1)
        assert result.games == 2 * seats
        for standing in result.standings:
            assert standing.share == pytest.approx(1 / seats)
            assert standing.lead == pytest.approx(0)
            assert standing.elo == pytest.approx(0, abs=1e-6)


def test_each_bot_has_each_seat_equally_often() -> None:
    table = match("eager", "random", name="stones", seats=4)
    assert [table.seating(k) for k in range(4)] == [
        (0, 1, 1, 1),
        (1, 0, 1, 1),
        (1, 1, 0, 1),
        (1, 1, 1, 0),
    ]
    three = match("eager", "greedy", "random", name="stones", seats=3)
    assert [three.seating(k) for k in range(3)] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    assert [match("eager", "random").seating(k) for k in range(2)] == [(0, 1), (1, 0)]


def test_a_against_b_is_the_mirror_of_b_against_a() -> None:
    one = arena(match("eager", "random"), workers=1).standing()
    other = arena(match("random", "eager"), workers=1).standing()
    assert one.share == pytest.approx(1 - other.share)
    assert one.lead == pytest.approx(-other.lead)
    assert one.elo_span == pytest.approx([-elo for elo in reversed(other.elo_span)])


def test_the_deal_is_the_same_in_all_rotations_and_another_in_the_next() -> None:
    seats = Seats(match("random", "greedy"))
    setups = [play_game(seats, number)[1].record()["setup"] for number in range(4)]
    assert setups[0] == setups[1] != setups[2] == setups[3]


def test_a_stronger_bot_is_found_stronger_and_a_table_counts_by_its_fair_share() -> None:
    result = arena(match("eager", "random", name="pyramids", seats=3, games=30), workers=1)
    standing = result.standing()
    assert standing.elo_span[0] > 200
    assert standing.lead_span[0] > 0
    assert result.outcomes()[1.0] == 10


# The work


def test_any_way_of_sharing_out_the_work_gives_the_same_games() -> None:
    asked = match("eager", "random", games=40)
    alone = arena(asked, workers=1)
    assert games_of(arena(asked, workers=2)) == games_of(alone)
    assert games_of(arena(asked, executor=ThreadPoolExecutor(2))) == games_of(alone)


def test_game_k_does_not_depend_on_how_many_are_played() -> None:
    few, many = (arena(match("greedy", "random", games=n), workers=1) for n in (6, 10))
    assert games_of(many)[:6] == games_of(few)


def stop_after(games: int, error: type[BaseException]) -> Any:
    def stop(done: int, total: int) -> None:
        if done >= games:
            raise error

    return stop


def test_a_match_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    asked = match("eager", "random", games=20)
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    expected = arena(asked, out=whole, workers=1)
    stopped = arena(asked, out=part, workers=1, progress=stop_after(7, KeyboardInterrupt))
    assert stopped.interrupted
    assert stopped.games == 6  # whole deals
    with open(f"{part}.journal", "a") as file:
        file.write('{"games": [')  # what a kill leaves behind
    again = arena(asked, out=part, workers=1)
    assert games_of(again) == games_of(expected)
    assert not again.interrupted
    assert part.read_text() == whole.read_text()


def test_a_finished_match_is_not_played_again_but_can_be_made_longer(tmp_path: Path) -> None:
    journal = tmp_path / "match.journal"
    first = arena(match("eager", "random", games=6), journal=journal, workers=1)
    before = journal.read_bytes()
    assert games_of(arena(match("eager", "random", games=6), journal=journal)) == games_of(first)
    assert journal.read_bytes() == before
    longer = arena(match("eager", "random", games=10), journal=journal, workers=1)
    assert games_of(longer) == games_of(arena(match("eager", "random", games=10), workers=1))


def test_a_journal_of_another_match_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "match.journal"
    arena(match("eager", "random", games=2), journal=journal, workers=1)
    for other in (match("greedy", "random", games=2), match("eager", "random", games=2, seed=6)):
        with pytest.raises(MandalierError, match="another run"):
            arena(other, journal=journal, workers=1)
    arena(match("greedy", "random", games=2), journal=journal, workers=1, overwrite=True)


def test_records_of_a_match_check_and_give_its_points(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    result = arena(match("eager", "random", name="dice", games=4), out=out, workers=1)
    lines = out.read_text().splitlines()
    assert list(Checker().faults(lines)) == []
    assert [tuple(loads(line)["result"]["scores"]) for line in lines] == [
        played.points for played in result.played
    ]


# Stopping early


def test_a_clear_match_stops_early_at_the_same_game_however_it_is_shared(tmp_path: Path) -> None:
    asked = match("eager", "random", games=400)
    alone = arena(asked, stop=Stop.of(0, 50), workers=1, journal=tmp_path / "j")
    assert alone.verdict == "stronger"
    assert alone.games < 100
    assert (tmp_path / "j").read_text().count("\n") == 1 + alone.games  # nothing after that
    assert games_of(arena(asked, stop=Stop.of(0, 50), executor=ThreadPoolExecutor(2))) == games_of(
        alone
    )
    again = arena(asked, stop=Stop.of(0, 50), workers=1, journal=tmp_path / "j")
    assert (again.verdict, again.games) == ("stronger", alone.games)
    weak = arena(match("random", "eager", games=400), stop=Stop.of(0, 50), workers=1)
    assert weak.verdict == "weaker"


# Bots that go wrong


@pytest.mark.usefixtures("odd_bots")
@pytest.mark.parametrize(
    ("how", "why", "words"),
    [
        ("crash", "crash", "ZeroDivisionError: oh dear"),
        ("nonsense", "illegal", "no such move"),
        ("none", "illegal", "None"),
        ("sleep", "late", "no move after 0.2 seconds"),
        ("stubborn", "late", "no move after 0.2 seconds"),
    ],
)
def test_a_bot_that_goes_wrong_loses_the_game_and_no_more(how: str, why: str, words: str) -> None:
    result = arena(match(f"odd:{how}", "random", games=2, limit_s=0.2), workers=1)
    assert [forfeit["why"] for forfeit in result.forfeits] == [why, why]
    assert [forfeit["seat"] for forfeit in result.forfeits] == [0, 1]
    assert all(words in forfeit["words"] for forfeit in result.forfeits)
    assert result.standing().share == 0
    assert [played.reason for played in result.played] == ["forfeit", "forfeit"]


@pytest.mark.usefixtures("odd_bots")
def test_a_bot_that_is_late_without_an_alarm_loses_all_the_same() -> None:
    asked = match("random", "greedy", games=2, limit_s=1e-9)
    result = arena(asked, executor=ThreadPoolExecutor(1))
    assert [forfeit["why"] for forfeit in result.forfeits] == ["late", "late"]


@pytest.mark.usefixtures("odd_bots")
def test_after_a_forfeit_the_others_share_the_win_and_the_deal_has_no_lead() -> None:
    asked = match("random", "odd:crash", name="stones", seats=3, games=3)
    result = arena(asked, workers=1)
    for played in result.played:
        assert played.forfeit is not None
        assert sorted(played.shares) == [0, 0.5, 0.5]
        assert played.shares[played.forfeit["seat"]] == 0
    assert result.deal_leads() == []
    json.dumps(result.data(), allow_nan=False)


def test_a_program_plays_and_one_that_fails_forfeits(tmp_path: Path) -> None:
    failing = tmp_path / "failing.py"
    failing.write_text("raise SystemExit(3)\n")
    result = arena(match(f'program:"{sys.executable}" "{failing}"', "random", games=2), workers=1)
    assert [forfeit["why"] for forfeit in result.forfeits] == ["program", "program"]
    assert "status 3" in result.forfeits[0]["words"]


# Names and data


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b", ("a", "b")),
        (" a , b:1@5ms ", ("a", "b:1@5ms")),
        ('program:x "1,2",b', ('program:x "1,2"', "b")),
        ("program:x '1,2',b", ("program:x '1,2'", "b")),
        (r"program:x 1\,2,b", (r"program:x 1\,2", "b")),
        ("a", ("a",)),
        ("a,", ("a", "")),
    ],
)
def test_names_are_parted_at_commas_that_are_not_quoted(text: str, names: tuple[str, ...]) -> None:
    assert split_names(text) == names


def test_a_quote_that_is_not_closed_is_refused() -> None:
    with pytest.raises(MandalierError, match="quote"):
        split_names('program:x "1,2')


def test_a_budget_of_its_own_goes_before_the_one_of_all() -> None:
    everyones = Budget(ms=5)
    assert Entrant.of("greedy", everyones).budget == everyones
    assert Entrant.of("greedy@100it", everyones).budget == Budget(iterations=100)
    assert Entrant.of("greedy@1.5s@7it").budget == Budget(1500, 7)
    assert Entrant.of("greedy@1.5s@7it").title == "greedy@1500ms@7it"
    with pytest.raises(MandalierError, match="whole"):
        Entrant.of("greedy@1.5it")


def test_the_data_have_all_that_was_found_and_where_it_came_from() -> None:
    data = arena(match("eager", "random", games=10), workers=1, stop=Stop()).data()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["bots"] == ["eager", "random"]
    assert (data["game"], data["rules"], data["seats"], data["seed"]) == ("sand", 1, 2, 5)
    assert data["games"] == 2 * data["deals"] == 2 * sum(data["deal_shares"].values())
    assert sum(data["reasons"].values()) == data["games"]
    (standing,) = data["standings"]
    low, high = standing["share_interval"]
    assert 0 <= low <= standing["share"] <= high <= 1
    assert data["commits"]
    assert data["line"].startswith(f"sand/2 eager v random, {data['games']} games, seed 5, commit ")
    assert data["line"].endswith("Elo")
    assert data["stop_early"]["verdict"] in {None, "stronger", "weaker"}


@pytest.mark.parametrize(
    ("bots", "how", "words"),
    [
        (("random",), {}, "between 2 bots, not 1"),
        (("random",) * 3, {}, "between 2 bots, not 3"),
        (("random",) * 4, {"name": "stones", "seats": 3}, "between 2 or 3 bots, not 4"),
        (("random", "clever"), {}, "no bot 'clever'"),
        (("random", "random"), {"games": 0}, "at least one game"),
        (("random", "random"), {"limit_s": 0}, "above 0"),
        (("random", "random"), {"seats": 3}, "2 seats, not 3"),
        (("random", "random@0ms"), {}, "above 0"),
    ],
)
def test_a_match_that_cannot_be_is_refused(bots: Any, how: Any, words: str) -> None:
    with pytest.raises(MandalierError, match=words):
        match(*bots, **how)


def test_workers_leave_off_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Set:
        def is_set(self) -> bool:
            return True

    monkeypatch.setattr(arena_room, "_stop", Set())
    assert arena_room.play_shard(match("random", "random"), 0, 5, False).games == []
