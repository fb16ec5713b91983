"""The ladder: strengths that were put in come out, neighbours meet, and it goes on where it was."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mandalier.games.errors import MandalierError
from mandalier.lab.intervals import share_of
from mandalier.lab.ladder import (
    ANCHORS,
    Ladder,
    Meeting,
    fit,
    plot,
    resampled,
    rungs,
    span_of,
)
from mandalier.search.bot import bot

ELO = np.array([0.0, 150.0, 320.0, 500.0])


def meetings(deals: int, seed: int, seats: int = 2) -> list[Meeting]:
    """Neighbours' games as bots of this strength play them."""
    generator = np.random.default_rng(seed)
    found = []
    for a in range(len(ELO) - 1):
        for challenger, table in ((a, a + 1), (a + 1, a)):
            p = share_of(float(ELO[challenger] - ELO[table]), seats)
            wins = generator.binomial(seats, p, deals) / seats
            found.append(Meeting(challenger, table, tuple(wins)))
    return found


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_strengths_that_were_put_in_come_out(seats: int) -> None:
    games = meetings(4000, 1, seats)
    found = fit(len(ELO), games, seats, [np.ones(len(m.shares) + 1) for m in games])
    assert found - found[0] == pytest.approx(ELO, abs=25)


def test_intervals_of_steps_cover_the_truth() -> None:
    covered = 0
    for seed in range(25):
        samples = resampled(len(ELO), meetings(25, seed), 2, seed)
        for a in range(len(ELO) - 1):
            low, high = span_of(samples[:, a + 1] - samples[:, a])
            covered += low <= ELO[a + 1] - ELO[a] <= high
    assert covered / 75 > 0.88


def test_a_bot_that_lost_all_its_games_has_a_finite_place_with_a_wide_interval() -> None:
    games = [Meeting(0, 1, (0.0,) * 20), Meeting(1, 2, (0.5,) * 20)]
    found = fit(3, games, 2, [np.ones(21), np.ones(21)])
    assert 300 < found[1] - found[0] < 1200
    assert found[2] == pytest.approx(found[1])
    samples = resampled(3, games, 2, 1)
    low, high = span_of(samples[:, 1] - samples[:, 0])
    assert high - low > 300


def small(seats: int = 2, name: str = "sand", games: int = 12) -> Ladder:
    return Ladder(name, ("eager", "random", "greedy"), seats=seats, games=games, seed=3)


@pytest.mark.parametrize(("name", "seats"), [("sand", 2), ("pyramids", 3)])
def test_the_strongest_is_on_top_and_neighbours_have_met(
    name: str, seats: int, tmp_path: Path
) -> None:
    result = small(seats, name).climb(tmp_path, workers=1)
    order = [rung.bot for rung in result.rungs]
    assert order[0] == "eager"
    assert result.rungs[0].elo == 0  # where the scale begins
    assert [rung.elo for rung in result.rungs] == sorted(
        (rung.elo for rung in result.rungs), reverse=True
    )
    met = {frozenset(e.title for e in match.match.entrants) for match in result.matches}
    for one, other in pairwise(order):
        assert frozenset((one, other)) in met
        played = [
            m.games for m in result.matches if {e.title for e in m.match.entrants} == {one, other}
        ]
        assert sum(played) >= 12
    assert result.rungs[-1].step is None
    assert result.rungs[0].step == pytest.approx(result.rungs[0].elo - result.rungs[1].elo)


def test_the_same_ladder_again_plays_nothing_and_says_the_same(tmp_path: Path) -> None:
    first = small().climb(tmp_path, workers=1)
    journals = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = small().climb(tmp_path, workers=1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == journals
    assert again.data() == first.data()
    assert small().climb(workers=1).data()["rungs"] != []


def test_overwriting_plays_every_pair_anew_and_none_twice(tmp_path: Path) -> None:
    first = small().climb(tmp_path, workers=1)
    for journal in tmp_path.glob("*.journal"):
        journal.write_text('{"match": "another"}\n')
    with pytest.raises(MandalierError, match="another run"):
        small().climb(tmp_path, workers=1)
    again = small().climb(tmp_path, workers=1, overwrite=True)
    assert [(rung.bot, rung.elo) for rung in again.rungs] == [
        (rung.bot, rung.elo) for rung in first.rungs
    ]
    lines = [path.read_text().count("\n") for path in tmp_path.glob("*.journal")]
    assert all(count in {9, 13} for count in lines)  # a header, then games


def test_a_ladder_that_was_interrupted_says_so_and_goes_on(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    part = small().climb(tmp_path, workers=1, progress=stop)
    assert part.interrupted
    assert len(part.rungs) == 3
    whole = small().climb(tmp_path, workers=1)
    assert not whole.interrupted
    steps = [(rung.bot, rung.elo) for rung in small().climb(workers=1).rungs]
    assert [(rung.bot, rung.elo) for rung in whole.rungs] == steps


def test_slow_bots_play_fewer_games() -> None:
    bots = ("random", "greedy", "eager")
    result = Ladder("sand", bots, games=12, seed=3, few={"greedy": 4}).climb(workers=1)
    for match in result.matches:
        slow = any(entrant.name == "greedy" for entrant in match.match.entrants)
        assert match.games == (4 if slow else 12)
    assert len(result.matches) >= 2


def test_data_and_plot_tell_the_bots_and_where_it_comes_from(tmp_path: Path) -> None:
    result = small().climb(tmp_path, workers=1)
    data = json.loads(json.dumps(result.data(), allow_nan=False))
    assert {rung["bot"] for rung in data["rungs"]} == {"eager", "random", "greedy"}
    assert "seed 3" in data["line"]
    assert "commit" in data["line"]
    picture = ElementTree.fromstring(plot(result))
    texts = {element.text for element in picture.iter() if element.text}
    assert {"eager", "random", "greedy", data["line"]} <= texts


def test_the_anchors_and_all_levels_are_ranked_if_none_are_named() -> None:
    names = rungs()
    assert set(ANCHORS) <= set(names)
    for name in names:
        bot(name)


@pytest.mark.parametrize(
    ("bots", "how", "words"),
    [
        (("random",), {}, "two bots"),
        (("random", "greedy", "random"), {}, "random is on the ladder twice"),
        (("random", "clever"), {}, "no bot"),
        (("random", "greedy"), {"reach": 0}, "at least 1"),
        (("random", "greedy"), {"seats": 7}, "not 7"),
        (("random", "greedy"), {"few": {"eager": 2}}, "eager is not on the ladder"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(
    bots: tuple[str, ...], how: dict[str, Any], words: str
) -> None:
    with pytest.raises(MandalierError, match=words):
        Ladder("sand", bots, **how)
