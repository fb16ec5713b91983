"""``mandalier dice``: throws and measures, for people and for programs."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mandalier.cli import main
from mandalier.games.dice.trajectory import unpack_trajectory

ICONS = ["L", "R", "B", "D", "F"]
FLICK = [
    "throw",
    "--icon",
    "F",
    "--x",
    "1950",
    "--speed",
    "1500",
    "--hand",
    "steady",
    "--seed",
    "1",
]
AT_A_DIE = [*FLICK, "--lying", "1.1 1950 2400 0 4"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["dice", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(printed(capsys, *arguments, "--json"))


def test_a_throw_as_json_says_what_its_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    gesture, outcome, *_ = printed(capsys, *AT_A_DIE).splitlines()
    found = data(capsys, *AT_A_DIE)
    assert (gesture, outcome) == (found["gesture"], f"* {found['outcome']}")
    thrown, struck = found["landed"]
    assert f"0.1 {thrown['x']} {thrown['y']} {thrown['yaw']} {thrown['face']};" in outcome
    assert (thrown["seat"], thrown["die"], struck["seat"], struck["die"]) == (0, 1, 1, 1)
    assert found["hits"][0]["first"] == [0, 1]
    assert 0 < found["hits"][0]["ms"] < found["settled_ms"]
    tracks = unpack_trajectory(base64.b64decode(found["trajectory"]))
    assert [(track.seat, track.die) for track in tracks] == [(0, 1), (1, 1)]


def test_a_throw_tells_the_seed_that_throws_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    drop = ["throw", "--icon", "D"]
    told = printed(capsys, *drop)
    seed = told.split("seed ")[1].strip()
    assert printed(capsys, *drop, "--seed", seed) == told
    assert data(capsys, *drop, "--seed", seed)["seed"] == int(seed)


@pytest.mark.parametrize("name", ["throw.gif", "throw", "throw.jpeg"])
def test_a_throw_becomes_a_gif_of_any_name(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed(capsys, *FLICK, "--gif", str(tmp_path / name))
    with Image.open(tmp_path / name) as image:
        assert image.format == "GIF"


def test_a_scatter_is_a_table_json_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["scatter", "--throws", "3"]
    files = ["--svg", str(tmp_path / "a.svg"), "--png", str(tmp_path / "a.png")]
    found = data(capsys, *few, *files)
    assert [row["icon"] for row in found["icons"]] == ICONS
    assert all(len(row["points"]) == row["throws"] == 3 for row in found["icons"])
    table = printed(capsys, *few)
    assert all(f"`{row['gesture']}`" in table for row in found["icons"])
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg")
    image = Image.open(io.BytesIO((tmp_path / "a.png").read_bytes()))
    assert image.width == 1400


def test_a_scatter_takes_other_throws_by_another_seed(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["scatter", "--throws", "2"]
    one, same, other = (data(capsys, *few, "--seed", seed)["icons"] for seed in ("1", "1", "2"))
    assert one == same
    assert [row["points"] for row in one] != [row["points"] for row in other]
    assert [row["gesture"] for row in one] == [row["gesture"] for row in other]


def test_the_error_of_the_bank_is_a_table_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    glance = ["error", "--scenes", "1", "--throws", "5", "--lying", "3"]
    found = data(capsys, *glance)
    table = printed(capsys, *glance)
    for aimed in ("anywhere", "at_die"):
        assert [row["icon"] for row in found[aimed]] == ICONS
        for row in found[aimed]:
            assert f"| {row['icon']} | 1 | {row['variation']:.3f} |" in table
