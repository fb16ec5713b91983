"""Names to show: what may be one, and which two look alike.

A name is seen by strangers, next to others. So it is one short line in one script, without
characters that cannot be seen or that pile up, and it does not pass for somebody else's.
"""

from __future__ import annotations

import unicodedata

from mandalier.games.errors import MandalierError
from mandalier.games.words import listed, say

LONGEST_NAME = 24
MOST_MARKS = 2  # on one letter
MIXED_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
"""Scripts that share shapes: a name has letters of one of them."""
LOOKALIKES = str.maketrans(
    "авеікмнорсстуухѕјԁһӏαβεηικμνορτυχ"  # Cyrillic, then Greek
    "0135$@|!",
    "abeikmhopcctyyxsjdhlabenikmvoptuxolessali",
)


class NameRefused(MandalierError):
    """A name nobody can have here; the message says what would be right."""


def check_name(name: object) -> str:
    """A name in the form it is kept and shown in: composed, without spaces around or doubled."""
    if not isinstance(name, str):
        raise NameRefused(say("a name is a text"))
    made = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(made) <= LONGEST_NAME:
        raise NameRefused(say("a name has 1 to {n} characters", n=LONGEST_NAME))
    _check_characters(made)
    scripts = {script for character in made if (script := _script(character))}
    if len(scripts) > 1:
        raise NameRefused(
            say(
                "a name is written in one script, and this mixes {scripts}",
                scripts=listed(sorted(script.title() for script in scripts)),
            )
        )
    if skeleton(made) in RESERVED:
        raise NameRefused(say("this name is kept for those who run the server"))
    return made


def _check_characters(name: str) -> None:
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        if category[0] == "C" or category in ("Zl", "Zp"):
            raise NameRefused(say("a name has no characters that cannot be seen"))
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MOST_MARKS:
            raise NameRefused(say("a name has at most {n} marks on a letter", n=MOST_MARKS))
    if not any(character.isalnum() for character in name):
        raise NameRefused(say("a name has a letter or a number"))


def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    script = unicodedata.name(character, "").partition(" ")[0]
    return script if script in MIXED_SCRIPTS else ""


def skeleton(name: str) -> str:
    """What is left when case, marks, spaces and look-alike letters are ignored: names with the same
    skeleton can be taken for each other."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(LOOKALIKES)
    kept = "".join(c for c in unicodedata.normalize("NFKD", plain) if c.isalnum())
    return kept.replace("i", "l").replace("rn", "m").replace("vv", "w")


RESERVED = frozenset(
    skeleton(name)
    for name in ("admin", "administrator", "host", "mandalier", "moderator", "server", "system")
)


def told_apart(name: str, others: list[str]) -> str:
    """The name, with a number if one of the others looks like it: "Ada" becomes "Ada 2"."""
    taken = {skeleton(other) for other in others}
    if skeleton(name) not in taken:
        return name
    for number in range(2, len(others) + 3):
        tail = f" {number}"
        made = name[: LONGEST_NAME - len(tail)].rstrip() + tail
        if skeleton(made) not in taken:
            return made
    raise AssertionError("more numbers than names")
