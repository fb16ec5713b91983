"""Pictures of the dice: one throw seen from above as an animation, and the scatter of the icons.

Everything is drawn from plain polygons, so the SVG and the GIF show the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from mandalier.draw.style import PIPS
from mandalier.games.dice import cube
from mandalier.games.dice.cube import Quaternion
from mandalier.games.dice.gesture import Table
from mandalier.games.dice.physics import Outcome
from mandalier.games.dice.study import Scatter
from mandalier.games.dice.trajectory import Track, unpack_trajectory

PAPER, CARD, INK = "#efece4", "#fbfaf6", "#1b1b1d"
SEAT_COLOURS = ("#c8261c", "#1f4e9e", "#e8b81c", "#2b2b2e")
PIP_COLOURS = ("#fff6f0", "#f2f6ff", "#2a2208", "#f4f1e6")
ICON_COLOURS = {"L": "#1f4e9e", "R": "#c8261c", "B": "#2b2b2e", "D": "#b98a00", "F": "#5c7a5a"}
ICON_NAMES = {"L": "left hand", "R": "right hand", "B": "blind", "D": "drop", "F": "flick"}

CAMERA = 12000.0  # height of the eye over the table, in tenths of a millimetre
MARGIN = 1250.0  # table shown round the grid
CARD_SIDE = 780.0
HOLD_MS = 1600

Point = tuple[float, float]
Shape = tuple[str, list[Point]]  # a filled polygon, in tenths of a millimetre


# ---------------------------------------------------------------------------------------- one die


def _shade(colour: str, light: float) -> str:
    """A colour made darker (light below 1) or lighter."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    if light <= 1:
        mixed = [round(v * light) for v in parts]
    else:
        mixed = [round(v + (255 - v) * (light - 1)) for v in parts]
    return "#" + "".join(f"{v:02x}" for v in mixed)


def _seen(x: float, y: float, z: float, middle: Point) -> Point:
    """Where a point of the world appears on the table, seen from over the grid's middle."""
    grow = CAMERA / (CAMERA - z)
    return (middle[0] + (x - middle[0]) * grow, middle[1] + (y - middle[1]) * grow)


def die_shapes(seat: int, place: Sequence[float], turn: Quaternion, middle: Point) -> list[Shape]:
    """A die as polygons: its shadow, the sides that are seen, and their pips."""
    x, y, z = place
    shapes: list[Shape] = [(_shade(PAPER, 0.8), _shadow(x, y, z, turn))]
    for (axis, sign), face in cube.FACE_OF_AXIS.items():
        normal = [0.0, 0.0, 0.0]
        normal[axis] = sign
        up = cube.rotated(turn, normal)
        towards = ((middle[0] - x) / CAMERA * up[0] - (middle[1] - y) / CAMERA * up[1]) + up[2]
        if towards > 0.01:
            shapes += _face_shapes(seat, face, axis, sign, (x, y, z), turn, middle, up)
    return shapes


def _shadow(x: float, y: float, z: float, turn: Quaternion) -> list[Point]:
    """The die's outline thrown onto the table, a little aside."""
    lift = max(0.0, z - 80) * 0.35
    corners = []
    for a in (-80, 80):
        for b in (-80, 80):
            for c in (-80, 80):
                u, v, w = cube.rotated(turn, (a, b, c))
                corners.append((x + u + lift + 0.2 * (w + 80), y - v + lift + 0.2 * (w + 80)))
    return _hull(corners)


def _hull(points: list[Point]) -> list[Point]:
    """The outline of some points."""
    points = sorted(points)
    sides: list[list[Point]] = []
    for ordered in (points, points[::-1]):
        kept: list[Point] = []
        for p in ordered:
            while (
                len(kept) > 1
                and (
                    (kept[-1][0] - kept[-2][0]) * (p[1] - kept[-2][1])
                    - (kept[-1][1] - kept[-2][1]) * (p[0] - kept[-2][0])
                )
                <= 0
            ):
                kept.pop()
            kept.append(p)
        sides.append(kept[:-1])
    return sides[0] + sides[1]


def _face_shapes(
    seat: int,
    face: int,
    axis: int,
    sign: int,
    place: tuple[float, float, float],
    turn: Quaternion,
    middle: Point,
    up: tuple[float, float, float],
) -> list[Shape]:
    def on_face(a: float, b: float) -> Point:
        spot = [0.0, 0.0, 0.0]
        spot[axis] = 80.0 * sign
        spot[(axis + 1) % 3] = a
        spot[(axis + 2) % 3] = b
        u, v, w = cube.rotated(turn, spot)
        return _seen(place[0] + u, place[1] - v, place[2] + w, middle)

    light = 0.62 + 0.4 * max(0.0, up[2]) + 0.1 * (up[1] - up[0])
    r = 14.0  # the corners are cut a little, as the die's edges are round
    outline = [
        on_face(a, b)
        for a, b in (
            (-80, -80 + r),
            (-80 + r, -80),
            (80 - r, -80),
            (80, -80 + r),
            (80, 80 - r),
            (80 - r, 80),
            (-80 + r, 80),
            (-80, 80 - r),
        )
    ]
    shapes = [(_shade(SEAT_COLOURS[seat % 4], min(1.12, max(0.35, light))), outline)]
    for p, q in PIPS[face]:
        ring = [
            on_face(42 * p + 14 * math.cos(angle), 42 * q + 14 * math.sin(angle))
            for angle in (k * math.pi / 5 for k in range(10))
        ]
        shapes.append((PIP_COLOURS[seat % 4], ring))
    return shapes


# -------------------------------------------------------------------------------------- the throw


def _at(track: Track, picture: int) -> tuple[tuple[int, int, int], Quaternion]:
    """A die's pose at a picture: at rest before and after its track."""
    k = min(max(picture - track.start, 0), len(track.places) - 1)
    return track.places[k], track.turns[k]


def _still_and_moving(table: Table, outcome: Outcome) -> tuple[list[Shape], list[Track]]:
    tracks = unpack_trajectory(outcome.trajectory)
    middle = _middle(table)
    moving = {(t.seat, t.die) for t in tracks}
    still: list[Shape] = []
    for d in table.dice:
        if (d.seat, d.die) not in moving:
            turn = cube.lying(d.face, math.radians(d.yaw / 10))
            still += die_shapes(d.seat, (d.x, d.y, 80), turn, middle)
    return still, list(tracks)


def _middle(table: Table) -> Point:
    return (table.columns * CARD_SIDE / 2, table.rows * CARD_SIDE / 2)


def _pictures(tracks: Sequence[Track], table: Table) -> list[list[Shape]]:
    """The moving dice, picture by picture, the higher ones over the lower."""
    count = max(t.start + len(t.places) for t in tracks)
    middle = _middle(table)
    pictures = []
    for k in range(count):
        poses = sorted(((t.seat, *_at(t, k)) for t in tracks), key=lambda pose: pose[1][2])
        pictures.append([s for seat, p, q in poses for s in die_shapes(seat, p, q, middle)])
    return pictures


def _svg_shapes(shapes: Sequence[Shape]) -> str:
    return "".join(
        f'<path fill="{colour}" d="M'
        + "L".join(f"{round(x)} {round(y)}" for x, y in points)
        + 'Z"/>'
        for colour, points in shapes
    )


def _grid_svg(table: Table) -> str:
    """The cards as a calm grid of black lines."""
    wide, high = table.columns * CARD_SIDE, table.rows * CARD_SIDE
    lines = [f'<rect width="{wide:g}" height="{high:g}" fill="{CARD}"/>']
    for column in range(table.columns + 1):
        heavy = 34 if column in (0, table.columns) else 16
        lines.append(
            f'<path d="M{column * CARD_SIDE:g} 0V{high:g}" stroke="{INK}" stroke-width="{heavy}"/>'
        )
    for row in range(table.rows + 1):
        heavy = 34 if row in (0, table.rows) else 16
        lines.append(
            f'<path d="M0 {row * CARD_SIDE:g}H{wide:g}" stroke="{INK}" stroke-width="{heavy}" '
            'stroke-linecap="square"/>'
        )
    return "".join(lines)


def throw_svg(table: Table, outcome: Outcome, title: str = "A throw", slower: float = 2.0) -> str:
    """One throw as an animated SVG: so many times slower than it is, then held, again and again."""
    still, tracks = _still_and_moving(table, outcome)
    pictures = _pictures(tracks, table)
    picture_ms = slower * 1000 / 60
    total = picture_ms * len(pictures) + HOLD_MS
    groups = []
    for k, shapes in enumerate(pictures):
        begin = picture_ms * k / total
        end = 1.0 if k == len(pictures) - 1 else picture_ms * (k + 1) / total
        shown = ("hidden;visible;hidden", f"0;{begin:.5f};{end:.5f}")
        if k == 0:
            shown = ("visible;hidden", f"0;{end:.5f}")
        elif end == 1.0:
            shown = ("hidden;visible", f"0;{begin:.5f}")
        groups.append(
            f'<g visibility="hidden">{_svg_shapes(shapes)}<animate attributeName="visibility" '
            f'calcMode="discrete" values="{shown[0]}" keyTimes="{shown[1]}" '
            f'dur="{total:.0f}ms" repeatCount="indefinite"/></g>'
        )
    return (
        _open(table, title)
        + _grid_svg(table)
        + _path_svg(tracks)
        + _svg_shapes(still)
        + "".join(groups)
        + "</svg>\n"
    )


def _open(table: Table, title: str) -> str:
    wide, high = table.columns * CARD_SIDE, table.rows * CARD_SIDE
    across, down = wide + 2 * MARGIN, high + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{720 * down / across:.0f}" '
        f'viewBox="{-MARGIN:g} {-MARGIN:g} {across:g} {down:g}" role="img" '
        f"aria-label={quoteattr(title)}><title>{escape(title)}</title>"
        f'<rect x="{-MARGIN:g}" y="{-MARGIN:g}" width="100%" height="100%" fill="{PAPER}"/>'
    )


def _path_svg(tracks: Sequence[Track]) -> str:
    """A thin line where each moving die goes."""
    lines = []
    for track in tracks:
        points = "L".join(f"{x} {y}" for x, y, _ in track.places)
        lines.append(
            f'<path d="M{points}" fill="none" stroke="{SEAT_COLOURS[track.seat % 4]}" '
            'stroke-width="9" stroke-opacity=".35" stroke-linejoin="round"/>'
        )
    return "".join(lines)


def throw_gif(table: Table, outcome: Outcome, path: Path, width: int = 480) -> None:
    """One throw as a GIF, at half its speed; needs Pillow."""
    from PIL import Image, ImageDraw

    still, tracks = _still_and_moving(table, outcome)
    wide, high = table.columns * CARD_SIDE, table.rows * CARD_SIDE
    fine = 3  # drawn this many times larger, then made smaller: smooth edges
    scale = fine * width / (wide + 2 * MARGIN)

    def spot(point: Point) -> Point:
        return ((point[0] + MARGIN) * scale, (point[1] + MARGIN) * scale)

    size = (fine * width, round((high + 2 * MARGIN) * scale))
    board = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(board)
    pen.rectangle([spot((0, 0)), spot((wide, high))], fill=CARD)
    for k in range(table.columns + 1):
        heavy = round((34 if k in (0, table.columns) else 16) * scale)
        pen.line([spot((k * CARD_SIDE, 0)), spot((k * CARD_SIDE, high))], INK, heavy)
    for k in range(table.rows + 1):
        heavy = round((34 if k in (0, table.rows) else 16) * scale)
        pen.line([spot((0, k * CARD_SIDE)), spot((wide, k * CARD_SIDE))], INK, heavy)
    frames = []
    for shapes in _pictures(tracks, table):
        frame = board.copy()
        pen = ImageDraw.Draw(frame)
        for colour, points in [*still, *shapes]:
            pen.polygon([spot(p) for p in points], fill=colour)
        frames.append(frame.resize((width, size[1] // fine), Image.Resampling.LANCZOS))
    times = [30] * (len(frames) - 1) + [HOLD_MS]
    frames[0].save(
        path,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=times,
        loop=0,
        optimize=True,
    )


# ------------------------------------------------------------------------------------ the scatter


def scatter_svg(found: Sequence[Scatter], table: Table, column: int = 2, row: int = 3) -> str:
    """Where the icons land that aim at one card: points, and ellipses of one and two deviations."""
    wide, high = table.columns * CARD_SIDE, table.rows * CARD_SIDE
    panel, tall = wide + 900, high + 1750
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {panel * len(found):g} {tall:g}" '
        f'width="1400" height="{1400 * tall / panel / len(found):.0f}" role="img" '
        'font-family="Georgia, serif">'
        "<title>Where throws land that are aimed at one card</title>"
        f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    ]
    for k, one in enumerate(found):
        parts.append(
            f'<g transform="translate({450 + k * panel:g} 650)">'
            f'<text x="0" y="-250" font-size="330" fill="{INK}">{ICON_NAMES[one.icon]}</text>'
            + _grid_svg(table)
            + f'<rect x="{column * CARD_SIDE:g}" y="{row * CARD_SIDE:g}" width="780" height="780" '
            f'fill="#f4d35e" fill-opacity=".55" stroke="{INK}" stroke-width="16"/>'
            + _cloud_svg(one, wide, high)
            + f'<text x="0" y="{high + 420:g}" font-size="230" fill="{INK}">'
            f"{one.touches_aimed:.0%} touch the card</text>"
            f'<text x="0" y="{high + 740:g}" font-size="230" fill="#6b675e">'
            f"{one.spread_mm[0]:.0f} by {one.spread_mm[1]:.0f} mm, {one.outside:.0%} outside</text>"
            "</g>"
        )
    return "".join(parts) + "</svg>\n"


def _cloud_svg(one: Scatter, wide: float, high: float) -> str:
    colour = ICON_COLOURS[one.icon]
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="22"/>'
        for x, y in one.points
        if -400 < x < wide + 400 and -400 < y < high + 900
    )
    x, y = one.middle
    rings = "".join(
        f'<ellipse rx="{10 * n * one.spread_mm[0]:.0f}" ry="{10 * n * one.spread_mm[1]:.0f}" '
        f'fill="{colour}" fill-opacity="{0.2 - 0.06 * n:.2f}" stroke="{colour}" '
        f'stroke-width="{30 / n:g}"/>'
        for n in (2, 1)
    )
    return (
        f'<g fill="{colour}" fill-opacity=".45">{dots}</g>'
        f'<g transform="translate({x:.0f} {y:.0f}) rotate({-one.angle_deg:.1f})">{rings}</g>'
    )
