"""PNG, GIF and the commands that write them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

import mandalier
from mandalier import draw
from mandalier.cli import main
from mandalier.draw.export import film, png
from mandalier.games.game import GAMES
from mandalier.games.record import dumps
from tests.draw.make_pictures import FOLDER, PICTURES
from tests.support import plays


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file with a short game of pyramids."""
    *_, state = plays("pyramids", 2, 5)
    path = tmp_path / "games.jsonl"
    path.write_text(dumps(state.record()) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_becomes_a_png_of_the_width_asked_for(name: str) -> None:
    svg = draw.picture(mandalier.deal(name, seed=1).view(0))
    image = Image.open(io.BytesIO(png(svg, 320)))
    assert image.width == 320
    assert len(image.convert("RGB").getcolors(100_000) or []) > 100


def test_a_game_becomes_a_film_with_a_frame_for_each_move(tmp_path: Path) -> None:
    *_, state = plays("pyramids", 3, 2)
    record, told = state.record(), []
    path = tmp_path / "film.gif"
    frames = film(record, path, width=200, report=lambda done, total: told.append((done, total)))
    assert frames == len(record["moves"]) + 1
    assert told[-1] == (len(record["moves"]), len(record["moves"]))
    with Image.open(path) as image:
        assert len(ImageSequence.all_frames(image)) == frames
        assert image.info["duration"] > 0


def test_a_film_may_have_any_name(tmp_path: Path) -> None:
    *_, state = plays("pyramids", 2, 2)
    film(state.record(), tmp_path / "film", width=100)
    with Image.open(tmp_path / "film") as image:
        assert image.format == "GIF"


def test_the_film_of_a_spectator_shows_no_hand(tmp_path: Path) -> None:
    state = mandalier.deal("sand", seed=3)
    mine, theirs = tmp_path / "mine.gif", tmp_path / "theirs.gif"
    film(state.record(), mine, seat=0, width=300)
    film(state.record(), theirs, width=300)
    assert mine.read_bytes() != theirs.read_bytes()


def test_show_writes_pictures(tmp_path: Path) -> None:
    svg, bitmap = tmp_path / "a.svg", tmp_path / "a.png"
    given = ["show", "stones", "--seed", "3", "--seat", "1", "--theme", "dark", "--width", "300"]
    assert main([*given, "--svg", str(svg), "--png", str(bitmap)]) == 0
    view = mandalier.deal("stones", seed=3).view(1)
    assert svg.read_text(encoding="utf-8") == draw.picture(view, theme="dark") + "\n"
    with Image.open(bitmap) as image:
        assert image.width == 300


def test_a_picture_without_a_seat_is_a_spectators(tmp_path: Path) -> None:
    svg = tmp_path / "a.svg"
    assert main(["show", "sand", "--seed", "3", "--svg", str(svg)]) == 0
    assert (
        svg.read_text(encoding="utf-8")
        == draw.picture(mandalier.deal("sand", seed=3).view()) + "\n"
    )


def test_film_writes_a_gif(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gif = tmp_path / "out.gif"
    assert main(["film", str(games), "--gif", str(gif), "--width", "200", "--hold", "100"]) == 0
    assert "frames" in capsys.readouterr().out
    with Image.open(gif) as image:
        assert image.format == "GIF"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--seat", "5"], "there is no seat 5"),
        (["--line", "2"], "has no line 2"),
        (["--hold", "0"], "no whole number above 0"),
    ],
)
def test_film_says_what_is_wrong(
    games: Path,
    tmp_path: Path,
    given: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        status = main(["film", str(games), "--gif", str(tmp_path / "x.gif"), *given])
    except SystemExit as left:
        status = int(left.code or 0)
    assert status == 2
    assert said in capsys.readouterr().err


def test_an_unknown_look_is_refused() -> None:
    view = mandalier.deal("sand", seed=1).view(0)
    with pytest.raises(mandalier.MandalierError, match="wide"):
        draw.picture(view, arrangement="square")  # type: ignore[arg-type]
    with pytest.raises(mandalier.MandalierError, match="dark"):
        draw.picture(view, theme="pink")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_in_the_docs_are_current(name: str) -> None:
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert kept == PICTURES[name]() + "\n", f"python -m tests.draw.make_pictures {name}"
    assert f"pictures/{name}.svg" in (FOLDER.parent / "pictures.md").read_text(encoding="utf-8")


def test_no_picture_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(PICTURES)
