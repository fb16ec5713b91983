"""The catalogue of texts: gather it from the code, compile it, tell what is missing.

``python tests/messages.py --update`` (make messages) writes new texts into the .po files, drops
those no longer said, and compiles the .mo files the package reads.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "mandalier"
LOCALES = SOURCE / "locales"
KEYWORDS: dict[str, Any] = {"say": None, "say_n": (1, 2)}
DATE = datetime(2026, 1, 1, tzinfo=UTC)
LANGUAGES = ("fr", "pt")  # besides English, which is the key


def po_of(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "mandalier.po"


def mo_of(language: str) -> Path:
    return po_of(language).with_suffix(".mo")


def said() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Every text in the code, with where it is said."""
    methods: Any = [("**.py", "python")]
    for file, _line, message, _comments, _context in extract_from_dir(
        SOURCE, methods, keywords=KEYWORDS
    ):
        yield f"src/mandalier/{file}", message
    yield from page_build().page_texts()


def page_build() -> Any:
    """web/build.py, which is a script of its own."""
    spec = importlib.util.spec_from_file_location("page_build", ROOT / "web" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def template() -> Catalog:
    catalog = Catalog(project="Mandalier", charset="utf-8", fuzzy=False)
    for file, message in said():
        catalog.add(message, locations=[(file, 1)])
    return catalog


def catalogue(language: str) -> Catalog:
    with open(po_of(language), "rb") as file:
        return read_po(file, locale=language)


def update() -> None:
    for language in LANGUAGES:
        path = po_of(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        found = catalogue(language) if path.exists() else Catalog(locale=language)
        found.update(template(), no_fuzzy_matching=True, update_header_comment=False)
        found.obsolete.clear()
        _set_header(found)
        with open(path, "wb") as file:
            write_po(
                file, found, width=100, omit_header=False, sort_output=True, include_lineno=False
            )
        compile_mo(language)
        empty = [message.id for message in found if message.id and not _translated(message)]
        print(f"{language}: {len(found)} texts, {len(empty)} without translation")


def _set_header(found: Catalog) -> None:
    """A header that only changes when somebody means it to."""
    found.project, found.version = "Mandalier", "1"
    found.header_comment = "# The texts of Mandalier; see CONTRIBUTING.md."
    found.creation_date = found.revision_date = DATE
    found.last_translator = found.language_team = "The Mandalier authors"
    found.msgid_bugs_address = "the project's issues"
    found.fuzzy = False


def typeset(language: str, text: str) -> str:
    """A text as it is shown: in French no line ends before a colon, or within quotation marks. The
    .po files are written with plain spaces, which are easier to type and to see."""
    if language != "fr":
        return text
    return re.sub(r" (?=[:;!?»])|(?<=«) ", "\N{NO-BREAK SPACE}", text)


def compile_mo(language: str) -> None:
    found = catalogue(language)
    for message in found:
        if not message.id:
            continue
        if isinstance(message.string, str):
            message.string = typeset(language, message.string)
        elif message.string:
            message.string = tuple(typeset(language, one) for one in message.string)
    with open(mo_of(language), "wb") as file:
        write_mo(file, found)


def _translated(message: Any) -> bool:
    strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(strings)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python tests/messages.py --update")
    update()
