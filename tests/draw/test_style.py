"""The colours keep apart for every eye, texts can be read, and the writer escapes."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from mandalier import draw
from mandalier.draw import dice_stage, pyramids, sand, stones
from mandalier.draw.style import (
    BLOCKS,
    PYRAMIDS,
    SAND,
    SEATS,
    STONES,
    THEMES,
    Theme,
    contrast,
    ink_on,
    linear,
    luminance,
    mixed,
)
from mandalier.draw.svg import Written, el, escaped, write
from tests.support import TABLES, plays

Triple = tuple[float, float, float]
PALETTES = {
    "sand": SAND,
    "stones": STONES,
    "pyramids": PYRAMIDS,
    "blocks": BLOCKS,
    "seats": {str(i): colour for i, colour in enumerate(SEATS)},
}
# Full dichromacy, after Machado, Oliveira and Fernandes (2009), on linear light.
EYES: dict[str, tuple[Triple, Triple, Triple]] = {
    "trichromat": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanope": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranope": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanope": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
APART = 0.13  # in Oklab, where black and white are 1 apart; 0.02 is just seen side by side
STEP = 0.08  # in lightness, for an eye without any colour
READ_AT = 11.0  # pixels a letter has to be high on the narrowest phone
NARROWEST = 360


def seen(colour: str, eye: str) -> Triple:
    light = linear(colour)
    r, g, b = (
        min(1.0, max(0.0, sum(m * v for m, v in zip(row, light, strict=True)))) for row in EYES[eye]
    )
    return r, g, b


def oklab(light: Triple) -> Triple:
    """The colour space of Björn Ottosson, in which distances are about what is seen."""
    r, g, b = light
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("eye", EYES)
def test_colours_keep_apart_for_every_eye(palette: str, eye: str) -> None:
    for (one, a), (other, b) in combinations(PALETTES[palette].items(), 2):
        apart = math.dist(oklab(seen(a, eye)), oklab(seen(b, eye)))
        assert apart >= APART, (palette, eye, one, other, apart)


@pytest.mark.parametrize("palette", PALETTES)
def test_colours_keep_apart_without_any_colour(palette: str) -> None:
    for (one, a), (other, b) in combinations(PALETTES[palette].items(), 2):
        step = abs(oklab(linear(a))[0] - oklab(linear(b))[0])
        assert step >= STEP, (palette, one, other, step)


def test_every_colour_has_a_second_sign_of_its_own() -> None:
    for signs, colours in (
        (sand.SIGNS, SAND),
        (stones.OUTLINES, STONES),
        (pyramids.PIPS, PYRAMIDS),
        (
            {c: v for c, v in dice_stage.SIGNS.items() if v},
            {c: v for c, v in BLOCKS.items() if c != "w"},
        ),
    ):
        assert set(signs) == set(colours)
        assert len(set(signs.values())) == len(signs)


@pytest.mark.parametrize("palette", PALETTES)
def test_signs_read_well_on_their_colour(palette: str) -> None:
    for colour in PALETTES[palette].values():
        assert contrast(ink_on(colour), colour) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_texts_read_well_on_the_table_and_on_boards(theme: Theme) -> None:
    for ground in (theme.paper, theme.board, theme.deep):
        assert contrast(theme.ink, ground) >= 7
        assert contrast(theme.soft, ground) >= 4.5
        assert contrast(theme.accent, ground) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5


def test_contrast_is_that_of_the_web_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert luminance("#ff0000") == pytest.approx(0.2126)
    assert mixed("#000000", "#ffffff", 0.5) == "#808080"


def text_sizes(element: ET.Element, scale: float = 1.0) -> list[tuple[float, str]]:
    """The size of each text as drawn, in units of the picture."""
    found = re.search(r"scale\(([\d.]+)", element.get("transform", ""))
    scale *= float(found[1]) if found else 1.0
    sizes = []
    if element.tag.endswith("}text"):
        sizes.append((scale * float(element.get("font-size", 0)), element.text or ""))
    for child in element:
        sizes += text_sizes(child, scale)
    return sizes


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_every_text_can_be_read_on_the_narrowest_phone(name: str, seats: int) -> None:
    for ply, state in enumerate(plays(name, seats, 8)):
        if ply % 11 and not state.over:
            continue
        root = ET.fromstring(draw.picture(state.view(0), arrangement="tall"))
        wide = float(root.get("viewBox", "").split()[2])
        for size, text in text_sizes(root):
            assert size * NARROWEST / wide >= READ_AT, (text, size)


# The writer


def test_texts_and_attributes_are_escaped() -> None:
    made = write(el("a", {"b": "\"<&>'"}, "<script>&"))
    assert made == '<a b="&quot;&lt;&amp;&gt;&#39;">&lt;script&gt;&amp;</a>'
    assert ET.fromstring(made).get("b") == "\"<&>'"


@pytest.mark.parametrize("hostile", ["\x00\x08\x1f", "\ud800", "\uffff", "\x85\x9b", "]]>", "a\nb"])
def test_what_xml_cannot_hold_is_left_out(hostile: str) -> None:
    ET.fromstring(f"<a b='{escaped(hostile)}'>{escaped(hostile)}</a>".encode())


def test_what_is_written_already_is_not_escaped_again() -> None:
    once = write(el("b", None, "&"))
    assert isinstance(once, Written)
    assert write(el("a", None, once)) == "<a><b>&amp;</b></a>"


def test_numbers_are_short_and_nothing_is_left_out() -> None:
    assert (
        write(el("a", {"x": 1.04, "y": 2.0, "z": -0.25, "w": None})) == '<a x="1" y="2" z="-0.2"/>'
    )
