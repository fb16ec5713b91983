"""Screenshots of the table, to be looked at: every game, tall and wide.

python -m tests.e2e.golden sand-tall     take one of them anew, then look at it before it is committed
python -m tests.e2e.golden               their names

The position is a sample that never changes, and it comes from here instead of from a table: the page
is told it over a socket that leads nowhere.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Browser, WebSocketRoute, sync_playwright

from mandalier import draw
from mandalier.games.game import GAMES
from mandalier.games.words import speaking
from mandalier.server import protocol as p
from mandalier.server.scene import Style, encode, picture_of
from tests.e2e import visit

FOLDER = Path(__file__).parent / "golden"
SIZES: dict[str, dict[str, Any]] = {
    "tall": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "wide": {"viewport": {"width": 1120, "height": 640}},
}
NAMES = [f"{game}-{size}" for game in GAMES for size in SIZES]
COLOURS = 64
PEOPLE = ("Ada", "Bea", "Cleo", "Dora", "Eve")
TABLE = "golden"
TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def position(game: str, arrangement: Any) -> p.Position:
    """The sample of a game as a table would send it to the seat that is to move."""
    state = draw.sample(game)
    seat = state.waiting[0]
    names = PEOPLE[: state.seats]
    style = Style("picture", "en", False, "light", arrangement)
    with speaking("en"):
        view = picture_of(state.view(seat), style, names)
    info = p.TableInfo(
        TABLE,
        p.TableConfig(game, state.seats),
        names[0],
        "playing",
        [p.SeatInfo(i, "person", name) for i, name in enumerate(names)],
        True,
        {},
        0,
    )
    return p.Position(1, TABLE, 9, 9, seat, [seat], list(state.waiting), info, view, 0, [])


def take(browser: Browser, base: str, name: str) -> Image.Image:
    """The screenshot of this name."""
    game, _, size = name.partition("-")
    n = 0

    def answer(line: WebSocketRoute, message: dict[str, Any]) -> None:
        nonlocal n
        found: list[Any] = []
        if message["type"] == "hello":
            found = [p.Welcome(0, p.VERSION, "", "ada", "Ada", 600.0)]
        elif message["type"] == "watch":
            found = [p.Done(0, message["id"], 9), position(game, size)]
        for one in found:
            n += 1
            line.send(json.dumps({**json.loads(encode(one)), "n": n}))

    def connect(line: WebSocketRoute) -> None:
        line.on_message(lambda text: answer(line, json.loads(text)))

    with visit.visiting(browser, base, reduced_motion="reduce", **SIZES[size]) as ada:
        ada.page.route_web_socket("**/api/v1/live", connect)
        page = ada.visit(f"/t/{TABLE}")
        page.wait_for_selector(".board > svg")
        page.evaluate("() => document.fonts.ready")
        page.evaluate(visit.REST)
        page.evaluate(TWO_FRAMES)
        shot = page.screenshot(animations="disabled")
    return Image.open(io.BytesIO(shot)).convert("RGB")


def difference(one: Image.Image, other: Image.Image) -> float:
    """The share of a picture that is clearly another colour; 1 if the sizes differ. A blur first:
    letters are drawn a little differently everywhere."""
    if one.size != other.size:
        return 1.0
    small = (one.width // 4, one.height // 4)
    a, b = (each.convert("RGB").resize(small, Image.Resampling.BOX) for each in (one, other))
    apart = ImageChops.difference(a, b).convert("L").point(lambda value: 255 if value > 24 else 0)
    return sum(1 for value in apart.tobytes() if value) / (small[0] * small[1])


def main() -> None:
    from tests import messages
    from tests.e2e.conftest import serving

    wanted = sys.argv[1:]
    if not wanted or not set(wanted) <= set(NAMES):
        sys.exit("\n".join(NAMES))
    messages.page_build().build()
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as base,
        sync_playwright() as playwright,
    ):
        browser = visit.launch(playwright)
        for name in wanted:
            shot = take(browser, base, name)
            quiet = shot.quantize(COLOURS, dither=Image.Dither.NONE)
            quiet.save(FOLDER / f"{name}.png", optimize=True)
            print(FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
