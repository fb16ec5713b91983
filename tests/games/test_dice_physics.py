"""The laws of a throw: faces fair, nothing explodes, the same call gives the same outcome."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandalier.games.dice import cube, data, physics
from mandalier.games.dice.gesture import (
    Die,
    Gesture,
    Hand,
    Random,
    Table,
    hand_noise,
    noise_scale,
    table_for,
)
from mandalier.games.dice.physics import throw
from mandalier.games.dice.study import (
    any_gesture,
    any_table,
    chi_square_of_faces,
    law_breaks,
    run_gestures,
)
from mandalier.games.dice.trajectory import (
    Track,
    pack_trajectory,
    squeeze,
    unpack_trajectory,
    unsqueeze,
)
from mandalier.games.words import speaking

NORMAL = Hand()
GESTURES = {
    "L": (-100, 900, 40),
    "R": (120, 950, -60),
    "B": (0, 1000, 0),
    "D": (1950, 1700),
    "F": (1900, -30, 1500),
}
ICONS = list(GESTURES)
THOROUGH = bool(os.environ.get("CI"))
"""In CI 20,000 gestures and 20,000 faces of each icon are thrown: minutes of two cores."""


def test_data_counts_the_pieces_of_the_box() -> None:
    house = data.house()
    assert len(house.canvases) == 36
    assert [sum(c.value == v for c in house.canvases) for v in range(1, 8)] == [6, 6, 6, 6, 5, 4, 3]
    assert house.mastery == {"blue": 8, "yellow": 10, "red": 12, "black": 14}
    assert house.canvases[0].white == 1
    assert house.sources["size.die_mm"] == "house"
    assert house.sources["mastery.red"] == "printed"


DECK = (Path(data.__file__).parent / "deck.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("die_g = { is = 5.0", 'die_g = { is = "heavy"', "size.die_g.is"),
        ("die_g = { is = 5.0", "die_g = { is = nan", "size.die_g.is"),
        ("value = 7, blocks", "value = 0, blocks", r"canvases\[34\].value"),
        ('blocks = "rbk"', 'blocks = "rbp"', r"canvases\[2\].blocks"),
        ("id = 3,", "id = 4,", r"canvases\[3\].id"),
        ('points = 12, source = "printed"', 'points = 12, source = "rumour"', "mastery.red.source"),
        ('points = 12, source = "printed"', "points = 12", "mastery.red.source"),
        ("cut = { is", "cuts = { is", "noise.cut"),
        ("[size]", "[size]\ncolour = 3", "size.colour"),
        ("seats_3 = { columns = 6", "seats_3 = { columns = 9", "grid.seats_3"),
        ('["bottom", "left", "top"]', '["bottom", "left", "left"]', "grid.seats_3.sides"),
        ("frame_hz = { is = 60", "frame_hz = { is = 61", "physics.step_hz"),
        ("[size]", "[size", "TOML"),
    ],
)
def test_bad_data_is_refused_by_the_name_of_the_entry(old: str, new: str, named: str) -> None:
    assert old in DECK
    with pytest.raises(ValueError, match=named):
        data.parse(DECK.replace(old, new, 1))


def test_bad_data_is_told_in_the_language_spoken() -> None:
    with (
        speaking("fr"),
        pytest.raises(ValueError, match=r"size\.die_g\.is vaut 'heavy'\s; ce devrait"),
    ):
        data.parse(DECK.replace("die_g = { is = 5.0", 'die_g = { is = "heavy"', 1))


def test_opposite_faces_add_up_to_seven() -> None:
    for (axis, sign), face in cube.FACE_OF_AXIS.items():
        assert face + cube.FACE_OF_AXIS[(axis, -sign)] == 7


def test_each_face_comes_up_in_four_of_the_24_rotations() -> None:
    faces = [cube.face_up(q) for q in cube.ROTATIONS]
    assert sorted(faces) == sorted([face for face in range(1, 7) for _ in range(4)])
    for i, p in enumerate(cube.ROTATIONS):
        for q in cube.ROTATIONS[:i]:
            assert abs(sum(a * b for a, b in zip(p, q, strict=True))) < 0.999


def test_labels_are_even_over_any_physical_orientation() -> None:
    for q in (cube.lying(4, 0.7), cube.lying(1, 3.0)):
        faces = [cube.face_up(cube.times(q, label)) for label in cube.ROTATIONS]
        assert all(faces.count(face) == 4 for face in range(1, 7))


@given(st.integers(1, 6), st.floats(-20, 20))
def test_a_lying_die_is_told_by_its_face_and_yaw(face: int, yaw: float) -> None:
    q = cube.lying(face, yaw)
    assert cube.face_up(q) == face
    assert cube.tilt(q) < 1e-6
    assert math.cos(cube.yaw_of(q, face) - yaw) == pytest.approx(1, abs=1e-9)


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(v * v for v in q) > 0.01))
def test_an_orientation_survives_in_32_bits(q: tuple[float, ...]) -> None:
    size = math.sqrt(sum(v * v for v in q))
    unit = [v / size for v in q]
    again = unsqueeze(squeeze(unit))
    assert abs(sum(a * b for a, b in zip(unit, again, strict=True))) > 1 - 2e-5


@given(st.lists(st.tuples(*[st.integers(-40000, 40000)] * 3), min_size=1, max_size=30))
def test_a_trajectory_unpacks_to_what_was_packed(places: list[tuple[int, int, int]]) -> None:
    turns = tuple(unsqueeze((k % 4, 500, 300 + k, 700)) for k in range(len(places)))
    track = Track(3, 5, 17, tuple(places), turns)
    (again,) = unpack_trajectory(pack_trajectory([track]))
    assert again.places == track.places
    assert (again.seat, again.die, again.start) == (3, 5, 17)
    assert all(
        squeeze(a)[1:] == pytest.approx(squeeze(b)[1:], abs=1)
        for a, b in zip(again.turns, turns, strict=True)
        if squeeze(a)[0] == squeeze(b)[0]
    )


def test_the_generator_gives_its_known_numbers() -> None:
    luck = Random(7, 1)
    assert [luck.next() for _ in range(3)] == KNOWN


KNOWN = [46412736, 3620445133, 2439915088]


@pytest.mark.parametrize("icon", ICONS)
def test_the_same_call_gives_the_same_outcome_in_any_thread(icon: str) -> None:
    table = any_table(Random(5, 0), 12)
    gesture = Gesture(0, 6, icon, GESTURES[icon])
    first = [throw(table, gesture, NORMAL, seed) for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda seed: throw(table, gesture, NORMAL, seed), range(6)))
    assert again == first
    assert len({o.landed for o in first}) == 6


def test_another_process_gives_the_same_outcome() -> None:
    table = any_table(Random(8, 0), 9)
    expected = [throw(table, Gesture(0, 6, i, GESTURES[i]), NORMAL, 3) for i in ICONS]
    code = (
        "from mandalier.games.dice.gesture import Gesture, Hand, Random\n"
        "from mandalier.games.dice.physics import throw\n"
        "from mandalier.games.dice.study import any_table\n"
        f"for icon, numbers in {GESTURES!r}.items():\n"
        "    out = throw(any_table(Random(8, 0), 9), Gesture(0, 6, icon, numbers), Hand(), 3)\n"
        "    print(out.text(), out.hits, out.trajectory.hex())\n"
    )
    path = str(Path(data.__file__).parents[3])
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": path},
    )
    assert run.stdout.splitlines() == [
        f"{o.text()} {o.hits} {o.trajectory.hex()}" for o in expected
    ]


def test_mujoco_is_imported_by_the_first_throw_only() -> None:
    code = (
        "import sys, mandalier.games.dice.physics as p, mandalier.games.dice.gesture as q\n"
        "assert 'mujoco' not in sys.modules\n"
        "p.throw(q.table_for(2), q.Gesture(0, 1, 'D', (9, 9)), q.Hand(), 1)\n"
        "assert 'mujoco' in sys.modules\n"
    )
    path = str(Path(data.__file__).parents[3])
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": path})


# Chosen before the throws: 1 in 1,000 for the five icons together, so 1 in 5,000 each (22.3 with
# 5 degrees of freedom is the chi-square that is passed once in 2,000; 24.1 once in 5,000).
@pytest.mark.long
@pytest.mark.parametrize("icon", ICONS)
def test_faces_are_even(icon: str) -> None:
    assert chi_square_of_faces(icon, 20_000 if THOROUGH else 1000, seed=11) < 24.1


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_random_gestures_on_random_tables_keep_the_laws(part: int) -> None:
    count = 1000 if THOROUGH else 20
    figures = run_gestures(count, 2024, first=1000 * part)
    assert figures.throws == count
    assert figures.longest_ms < 5000


@given(seed=st.integers(0, 2**64 - 1), icon=st.sampled_from(ICONS), dice=st.integers(0, 19))
@settings(max_examples=60, deadline=None)
def test_a_throw_keeps_the_laws(seed: int, icon: str, dice: int) -> None:
    luck = Random(seed, 9)
    table = any_table(luck, dice)
    gesture = any_gesture(luck, table, icon)
    assert law_breaks(table, throw(table, gesture, Hand("shaky"), seed)) == []


@pytest.mark.parametrize("icon", ICONS)
def test_energy_is_never_more_than_at_the_release(icon: str) -> None:
    for seed in range(40):
        out = throw(table_for(2), Gesture(0, 6, icon, GESTURES[icon]), NORMAL, seed)
        if not out.taps:
            assert max(out.energy) <= out.energy[0] * (1 + 1e-6)
        assert out.energy[-1] == pytest.approx(0, abs=0.02)


def test_a_start_inside_another_die_is_moved_clear() -> None:
    under = Die(1, 1, 1950, 4900, 0, 3)
    for icon, numbers in (("B", (0, 400, 0)), ("F", (1950, 0, 500)), ("D", (1950, 3900))):
        table = replace(table_for(2), dice=(under, replace(under, die=2, x=1800, y=4800)))
        out = throw(table, Gesture(0, 1, icon, numbers), NORMAL, 2)
        assert law_breaks(table, out) == []


def test_dice_told_to_lie_in_each_other_are_moved_clear() -> None:
    pile = tuple(Die(1, k, 1950 + k, 1950, 10 * k, 1) for k in range(1, 5))
    out = throw(replace(table_for(2), dice=pile), Gesture(0, 1, "D", (1950, 1950)), NORMAL, 4)
    assert all(abs(d.x - 1950) < 1000 and abs(d.y - 1950) < 1000 for d in out.landed)


def test_stacked_dice_are_tapped_until_they_lie_flat() -> None:
    square = tuple(
        Die(1, 1 + 3 * i + j, 1800 + 165 * i, 1800 + 165 * j, 0, 1)
        for i in range(3)
        for j in range(3)
    )
    table = replace(table_for(2), dice=square)
    tapped = 0
    for seed in range(40):
        out = throw(table, Gesture(0, 1, "D", (1965, 1965)), Hand("steady"), seed)
        tapped += out.taps > 0
        assert law_breaks(table, out) == []
    assert tapped > 0


def test_what_taps_cannot_settle_lies_on_the_face_nearest_to_up() -> None:
    house = data.house()
    house = replace(house, physics=replace(house.physics, taps=0))
    square = tuple(
        Die(1, 1 + 3 * i + j, 1800 + 165 * i, 1800 + 165 * j, 0, 1)
        for i in range(3)
        for j in range(3)
    )
    table = replace(table_for(2), dice=square)
    ruled = 0
    for seed in range(40):
        out = throw(table, Gesture(0, 1, "D", (1965, 1965)), Hand("steady"), seed, house)
        ruled += out.ruled
        assert law_breaks(table, out) == []
    assert ruled > 0


def test_an_error_tells_the_whole_situation() -> None:
    house = data.house()
    run = physics.Throw(table_for(2), Gesture(0, 1, "D", (5, 6)), NORMAL, 77, house)
    run.limit = 1e-9
    with pytest.raises(physics.PhysicsError, match="energy grew") as error:
        run.run()
    call = json.loads(str(error.value).split("the throw: ")[1])
    assert call["seed"] == 77
    assert call["gesture"] == {"seat": 0, "die": 1, "icon": "D", "numbers": [5, 6]}


@pytest.mark.parametrize(
    ("gesture", "words"),
    [
        (Gesture(0, 1, "X", (1, 2)), "icon"),
        (Gesture(0, 1, "D", (1, 2, 3)), "takes x y"),
        (Gesture(0, 1, "D", (1, 9999)), "0 to 3900"),
        (Gesture(0, 1, "R", (0, 2000, 0)), "400 to 1250"),
        (Gesture(2, 1, "R", (0, 900, 0)), "seat 2"),
    ],
)
def test_a_call_that_is_no_throw_is_refused(gesture: Gesture, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        throw(table_for(2), gesture, NORMAL, 0)


def middle(icon: str, numbers: tuple[int, ...], count: int, seed: int) -> tuple[float, ...]:
    """Mean x and y of the landing places, and the standard errors."""
    lands = [
        throw(table_for(2), Gesture(0, 1, icon, numbers), NORMAL, seed + k).landed[0]
        for k in range(count)
    ]
    means = [sum(v) / count for v in zip(*((d.x, d.y) for d in lands), strict=True)]
    spread = [
        math.sqrt(sum((v - mean) ** 2 for v in values) / (count - 1) / count)
        for values, mean in zip(zip(*((d.x, d.y) for d in lands), strict=True), means, strict=True)
    ]
    return (*means, *spread)


# Left and right hands are each other's mirror image when their noise is the same.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("B", (150, 900, 30)), ("B", (-150, 900, 30))),
        (("F", (1500, 100, 1400)), ("F", (2400, -100, 1400))),
        (("D", (1200, 900)), ("D", (2700, 900))),
    ],
)
def test_a_mirrored_gesture_lands_in_the_mirrored_place(
    one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]]
) -> None:
    ax, ay, asx, asy = middle(*one, count=250, seed=1000)
    bx, by, bsx, bsy = middle(*other, count=250, seed=9000)
    assert abs(ax + bx - 3900) < 4 * math.hypot(asx, bsx)
    assert abs(ay - by) < 4 * math.hypot(asy, bsy)


def test_a_left_handed_seat_swaps_the_hands() -> None:
    house = data.house()
    assert hand_noise("L", Hand(left_handed=True), house) == house.noise.right
    assert hand_noise("R", Hand(left_handed=True), house) == house.noise.left
    assert hand_noise("B", Hand(left_handed=True), house) == house.noise.blind
    assert noise_scale("B", Hand("shaky"), house) == 1.5


def test_a_drop_lands_round_its_point() -> None:
    x, y, sx, sy = middle("D", (1950, 1950), count=400, seed=0)
    assert abs(x - 1950) < 4 * sx
    assert abs(y - 1950) < 4 * sy
    assert 0.8 < sx / sy < 1.25


@pytest.mark.parametrize("seat", range(4))
def test_every_seat_throws_towards_the_grid(seat: int) -> None:
    table = table_for(4)
    turn = {"bottom": 0, "left": 1, "top": 2, "right": 3}[table.sides[seat]]
    for icon, aside in (("L", -1300), ("R", 1300), ("B", 0)):
        out = throw(table, Gesture(seat, 1, icon, (0, 900, 0)), Hand("steady"), 5)
        start = unpack_trajectory(out.trajectory)[0].places[0]
        x, y = start[0] - 2340, start[1] - 2340
        for _ in range(turn):
            x, y = y, -x  # seat 1 sits where seat 0's left is
        assert abs(x - aside) < 200
        assert abs(y - 3340) < 200
        assert out.landed[0] != Die(seat, 1, 0, 0, 0, 1)


def test_a_record_line_tells_the_thrown_die_first() -> None:
    table = Table(5, 5, ("bottom", "top"), (Die(1, 2, 1950, 1950, 0, 3),))
    out = throw(table, Gesture(0, 1, "D", (1950, 1950)), Hand("steady"), 1)
    assert out.hit
    assert out.text().startswith("land hit 0.1 ")
    assert "; 1.2 " in out.text()
    assert asdict(out.hits[0])["second"] == (1, 2)
