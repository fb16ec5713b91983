"""The icons of the page, from one drawing: python web/make_icons.py (needs resvg-py).

A mandala of six petals in the colours of the sand, seen at night.
"""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

from resvg_py import svg_to_bytes

FOLDER = Path(__file__).resolve().parent / "static" / "icons"
PETALS = ("#c8361c", "#e0912b", "#fbdc74", "#7cc0a2", "#1fa9c2", "#8a4fd0")
NIGHT, GOLD = "#14161d", "#c9b994"


def petal(turn: int, reach: float, colour: str) -> str:
    """One petal from the middle outwards."""
    angle = turn * pi / 3 - pi / 2
    tip = cos(angle) * reach, sin(angle) * reach
    half = 0.62 * reach
    left = cos(angle - 0.5) * half, sin(angle - 0.5) * half
    right = cos(angle + 0.5) * half, sin(angle + 0.5) * half
    path = (
        f"M0 0C{left[0]:.2f} {left[1]:.2f} {left[0] * 1.28:.2f} {left[1] * 1.28:.2f} "
        f"{tip[0]:.2f} {tip[1]:.2f}C{right[0] * 1.28:.2f} {right[1] * 1.28:.2f} "
        f"{right[0]:.2f} {right[1]:.2f} 0 0Z"
    )
    return f'<path d="{path}" fill="{colour}" fill-opacity=".92" stroke="{NIGHT}"/>'


def icon(corner: float, size: float) -> str:
    """The drawing on a ground with such corners; `size` is the mandala's share of it."""
    reach = 32 * size
    petals = "".join(petal(turn, reach, colour) for turn, colour in enumerate(PETALS))
    dots = "".join(
        f'<circle cx="{cos(turn * pi / 3 - pi / 3) * reach * 0.86:.2f}" '
        f'cy="{sin(turn * pi / 3 - pi / 3) * reach * 0.86:.2f}" r="1.3" fill="{GOLD}"/>'
        for turn in range(6)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<rect width="64" height="64" rx="{corner}" fill="{NIGHT}"/>'
        f'<g transform="translate(32 32)"><circle r="{reach * 1.06:.2f}" fill="none" '
        f'stroke="{GOLD}" stroke-opacity=".7"/>{dots}{petals}'
        f'<circle r="{reach * 0.12:.2f}" fill="{NIGHT}" stroke="{GOLD}"/></g></svg>\n'
    )


def main() -> None:
    plain, maskable = icon(14, 0.8), icon(0, 0.62)
    (FOLDER / "icon.svg").write_text(plain, "utf-8")
    for name, svg, pixels in (
        ("icon-192.png", plain, 192),
        ("icon-512.png", plain, 512),
        ("maskable-512.png", maskable, 512),
        ("apple-touch-icon.png", icon(0, 0.72), 180),
    ):
        (FOLDER / name).write_bytes(bytes(svg_to_bytes(svg_string=svg, width=pixels)))


if __name__ == "__main__":
    main()
