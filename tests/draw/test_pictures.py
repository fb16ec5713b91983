"""What every picture keeps, for every game and number of seats."""

from __future__ import annotations

import random
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandalier
from mandalier import draw
from mandalier.games.contract import SPECTATOR
from mandalier.games.game import GAMES, State, View
from mandalier.games.words import speaking
from tests.support import TABLES, plays, some_state, viewers

SVG = "{http://www.w3.org/2000/svg}"
SEED = st.integers(0, 2**40)
each_table = pytest.mark.parametrize(("name", "seats"), TABLES)


def views(name: str, seats: int, seed: int, step: int = 5) -> Iterator[View]:
    """The viewers of a random game, by turns, at every so many plies and at its end."""
    chooser = random.Random(seed)
    states: list[State] = []
    for ply, state in enumerate(plays(name, seats, seed)):
        if ply % step == 0 or state.over:
            states.append(state.copy())
            for seat in {chooser.choice(viewers(seats)), *state.waiting[:1]}:
                yield states[-1].view(seat)


def ids_of(svg: str) -> list[str]:
    return [key for element in ET.fromstring(svg).iter() if (key := element.get("id"))]


@each_table
@pytest.mark.parametrize("arrangement", draw.ARRANGEMENTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_is_valid_xml_with_unique_ids(
    name: str, seats: int, arrangement: draw.Arrangement, theme: draw.ThemeName
) -> None:
    for view in views(name, seats, 1, 9):
        svg = draw.picture(view, arrangement=arrangement, theme=theme)
        root = ET.fromstring(svg)
        assert root.tag == SVG + "svg"
        ids = ids_of(svg)
        assert len(ids) == len(set(ids))


@each_table
def test_every_legal_move_has_a_path_in_the_picture(name: str, seats: int) -> None:
    for view in views(name, seats, 2, 3):
        paths = draw.clicks(view)
        assert {move for move, _ in paths} == set(view.legal())
        for arrangement in ("wide", "tall"):
            ids = set(ids_of(draw.picture(view, arrangement=arrangement)))
            assert {key for _, path in paths for key in path} <= ids


@each_table
def test_no_path_is_the_beginning_of_another(name: str, seats: int) -> None:
    for view in views(name, seats, 3, 3):
        paths = [tuple(path) for _, path in draw.clicks(view)]
        assert all(paths)
        assert len(paths) == len(set(paths))
        whole = set(paths)
        for path in paths:
            assert not any(path[:n] in whole for n in range(1, len(path)))


@each_table
def test_a_tree_leads_to_every_move_with_what_it_does(name: str, seats: int) -> None:
    for view in islice(views(name, seats, 4, 7), 8):
        found: dict[str, str] = {}

        def walk(node: dict[str, object], found: dict[str, str] = found) -> None:
            for key, below in node.items():
                if key == "move":
                    found[str(below)] = str(node["says"])
                elif isinstance(below, dict):
                    walk(below)

        walk(draw.tree(view))
        assert set(found) == set(view.legal())
        for move in view.legal()[:5]:
            assert found[move] == view.explain(move)


@settings(max_examples=80, deadline=None)
@given(table=st.sampled_from(TABLES), seed=SEED, plies=st.integers(0, 120), world=SEED)
def test_positions_a_seat_cannot_tell_apart_look_alike(
    table: tuple[str, int], seed: int, plies: int, world: int
) -> None:
    name, seats = table
    state = some_state(name, seats, seed, plies)
    for seat in viewers(seats):
        one, other = state.view(seat), state.view(seat).imagine(world).view(seat)
        for arrangement in draw.ARRANGEMENTS:
            assert draw.picture(one, arrangement=arrangement) == draw.picture(
                other, arrangement=arrangement
            )
        assert draw.clicks(one) == draw.clicks(other)
        assert draw.words(one) == draw.words(other)


@each_table
def test_what_can_be_touched_has_a_role_and_a_name(name: str, seats: int) -> None:
    for view in views(name, seats, 5, 9):
        clicked = {key for _, path in draw.clicks(view) for key in path}
        root = ET.fromstring(draw.picture(view))
        things = {element.get("id"): element for element in root.iter() if element.get("id")}
        for key in clicked:
            title = things[key].find(SVG + "title")
            assert things[key].get("role") == "img"
            assert title is not None
            assert title.text


@each_table
def test_nothing_with_an_id_has_a_transform_of_its_own(name: str, seats: int) -> None:
    for view in views(name, seats, 6, 15):
        root = ET.fromstring(draw.picture(view))
        drawn = [e for part in root if part.tag != SVG + "defs" for e in part.iter()]
        assert [e.get("id") for e in drawn if e.get("id") and e.get("transform")] == []


@each_table
def test_a_hostile_name_stays_a_name(name: str, seats: int) -> None:
    hostile = '"><script>alert(1)</script>&\x00\ud800'
    view = some_state(name, seats, 1, 4).view(0)
    svg = draw.picture(view, names=[hostile] * seats)
    root = ET.fromstring(svg)
    assert not list(root.iter(SVG + "script"))
    assert "<script>alert(1)</script>" in "".join(root.itertext())


@each_table
def test_a_spectator_has_a_picture_and_no_clicks(name: str, seats: int) -> None:
    view = some_state(name, seats, 3, 6).view()
    assert view.seat == SPECTATOR
    assert draw.clicks(view) == []
    assert draw.tree(view) == {}
    assert draw.picture(view) != draw.picture(some_state(name, seats, 3, 6).view(1))


@each_table
def test_words_tell_whose_turn_it_is(name: str, seats: int) -> None:
    for view in views(name, seats, 7, 9):
        mine = view.describe()["waiting"]
        assert ("It is your turn." in draw.words(view)) == (view.seat in mine)


@each_table
@pytest.mark.parametrize("language", ["en", "fr", "pt"])
def test_who_may_move_is_told_what_can_be_done(name: str, seats: int, language: str) -> None:
    with speaking(language):
        for state in islice(plays(name, seats, 5), 0, None, 3):
            for seat in viewers(seats):
                told = draw.prompt(state.view(seat))
                assert bool(told) == (seat in state.waiting)
                assert "{" not in told
                assert len(told) < 120


@each_table
def test_a_notebook_shows_the_picture_of_the_seat_to_move(name: str, seats: int) -> None:
    state = some_state(name, seats, 3, 1)
    assert state._repr_svg_() == draw.picture(state.view(state.waiting[0]))
    assert state.view()._repr_svg_() == draw.picture(state.view())


def test_importing_mandalier_leaves_pictures_for_later() -> None:
    code = "import sys, mandalier; sys.exit('mandalier.draw' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ANY_ID = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["hand0-r-1", "mountain1", "mountain1-r", "field2-0", "discard", "hand0-x", "mountain", "field",
         "artist-a1", "circle-b2", "circle-zz", "stack-5", "stack-x", "column0-3", "score-p", "score-",
         "confirm-tops", "p17", "place-3", "p99999", "pawn-0", "icon-L", "icon-Z", "cell-c3", "cell-z9",
         "die-0-1", "die-9-9", "die-x", "card-3", "card-x", "again", "leave", "done"]
    ),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 50),
    plies=st.integers(0, 60),
    ids=st.lists(ANY_ID, max_size=4),
)
def test_any_clicks_may_be_asked_about(
    table: tuple[str, int], seed: int, plies: int, ids: list[str]
) -> None:
    state = some_state(*table, seed, plies)
    for seat in viewers(table[1]):
        assert isinstance(draw.why(state.view(seat), ids), str)


def test_why_a_card_cannot_go_there_is_told_by_the_rule() -> None:
    state = mandalier.deal("sand", seed=7)
    view = state.view(0)
    assert draw.why(view, ["hand0-y-2", "field1-0"]) == ""
    colour = view.describe()["mandalas"][0]["mountain"][0]
    own = [
        key for _, path in draw.clicks(view) for key in path if key.startswith(f"hand0-{colour}")
    ]
    for card in own[:1]:
        assert "lies on the mountain" in draw.why(view, [card, "field1-0"])
    assert "you hold no" in draw.why(view, ["hand0-r-1", "mountain1"])
    assert "not your turn" in draw.why(state.view(1), ["hand1-r-1", "mountain1"])


def test_why_a_pyramid_cannot_be_taken_is_told_by_the_rule() -> None:
    state = mandalier.deal("pyramids", seats=2, seed=7)
    state.play("10")
    state.play("12")
    assert "never goes back" in draw.why(state.view(0), ["p9"])
    assert "never goes back" in draw.why(state.view(0), ["pawn-0", "place-10"])
    assert draw.why(state.view(0), ["p11"]) == ""


def test_why_no_stone_is_given_is_told_by_the_rule() -> None:
    state = mandalier.deal("stones", seats=2, seed=7)
    view = state.view(0)
    artists = view.describe()["artists"]
    start, taken = list(artists)[:2]
    assert "stands on" in draw.why(view, [f"artist-{start}", f"artist-{taken}"])
    assert "no tower stands" in draw.why(view, ["column0-2", "confirm-tops"])


def test_why_a_throw_or_a_take_is_refused_is_told_by_the_rule() -> None:
    state = mandalier.deal("dice", seats=2, seed=7, options={"outcomes": "surrogate"})
    assert "prepare 2 icons" in draw.why(state.view(0), ["icon-L"])
    state.play("ready LD", seat=0)
    state.play("ready RB", seat=1)
    assert "not prepared" in draw.why(state.view(0), ["icon-F", "cell-a1"])
    assert "not prepared" in draw.why(state.view(0), ["icon-F"])
    assert draw.why(state.view(0), ["icon-D", "cell-c3"]) == ""


@each_table
def test_who_has_won_is_shown_at_the_end(name: str, seats: int) -> None:
    *_, state = plays(name, seats, 4)
    assert state.result is not None
    root = ET.fromstring(draw.picture(state.view(), names=[f"N{seat}" for seat in range(seats)]))
    titles = {e.get("id"): e.findtext(SVG + "title") for e in root.iter()}
    for seat in range(seats):
        won = f"N{seat} has won" if seat in state.result.winners else f"N{seat}"
        assert titles[f"seat{seat}"] == won


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_sample_that_goes_on(game: str) -> None:
    state = draw.sample(game)
    assert not state.over
    assert state.game.name == game
