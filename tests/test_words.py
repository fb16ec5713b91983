"""Texts for people: every one in every language, with the same names to fill in."""

from __future__ import annotations

import ast
import gettext
import string
from pathlib import Path
from typing import Any

import pytest

import mandalier
from mandalier.games.game import GAMES
from mandalier.games.words import (
    LANGUAGES,
    listed,
    numeral,
    preferred_language,
    say,
    say_n,
    speaking,
)
from tests import messages
from tests.support import plays


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def as_list(text: Any) -> list[str]:
    return list(text) if isinstance(text, tuple | list) else [text]


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_every_text_is_translated_and_none_is_left_over(language: str) -> None:
    found = messages.catalogue(language)
    translated = {str(as_list(m.id)[0]) for m in found if m.id and all(as_list(m.string))}
    in_code = {as_list(text)[0] for _, text in messages.said()}
    assert in_code - translated == set(), "run make messages, and translate"
    assert translated - in_code == set(), "run make messages"


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_a_translation_fills_in_the_same_names(language: str) -> None:
    for message in messages.catalogue(language):
        if message.id:
            expected = set().union(*map(names_in, as_list(message.id)))
            for text in as_list(message.string):
                assert names_in(text) <= expected, text
            assert set().union(*map(names_in, as_list(message.string))) == expected, message.id


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_the_compiled_catalogue_is_that_of_its_source(language: str) -> None:
    with open(messages.mo_of(language), "rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in messages.catalogue(language):
        if message.id and not message.pluralizable:
            shown = messages.typeset(language, str(message.string))
            assert compiled.gettext(str(message.id)) == shown


def test_no_french_line_ends_before_its_colon() -> None:
    with speaking("fr"):
        assert say("Example: {example}", example="x") == "Exemple\N{NO-BREAK SPACE}: x"
    assert messages.typeset("fr", "« oui » : a:b ?") == "«\xa0oui\xa0»\xa0: a:b\xa0?"
    assert messages.typeset("pt", "sim : não") == "sim : não"


def test_numbers_are_written_as_the_language_writes_them() -> None:
    for language, half, text in (("en", "+0.5", "in 2.5 s"), ("fr", "+0,5", "en 2,5 s")):
        with speaking(language):
            assert numeral(0.5, "+.1f") == half
            assert say("in {seconds:.1f} s", seconds=2.5) == text
            assert say("{first} and {last}", first=3, last="1.5").endswith("1.5")  # texts stay


def test_every_text_that_is_said_is_gathered() -> None:
    gathered = {message for _, message in messages.said() if isinstance(message, str)}
    for file in messages.SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                text = node.args[0] if node.func.id == "say" and node.args else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    assert text.value in gathered, f"{file.name}, line {node.lineno}: {text.value}"


def test_texts_are_gathered_from_the_whole_code() -> None:
    files = {file for file, _ in messages.said()}
    folder = Path(mandalier.__file__).parents[2]
    for found in GAMES.values():  # of a package, one of its files
        home = Path(str(found.module.__file__)).relative_to(folder)
        place = home.parent if home.stem == "__init__" else home
        assert any(Path(file).is_relative_to(place) for file in files)
    assert any(file.startswith("src/mandalier/cli/") for file in files)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_is_told_in_every_language(name: str, language: str) -> None:
    with speaking(language):
        for state in plays(name, GAMES[name].seats[0], 3):
            assert state.show()
            for seat in state.waiting:
                view = state.view(seat)
                for move in view.legal()[:10]:
                    assert view.explain(move)
        assert GAMES[name].module.goal()


def test_an_error_speaks_the_language_at_hand() -> None:
    state = mandalier.deal("sand", seed=1)
    said = set()
    for language in LANGUAGES:
        with speaking(language), pytest.raises(mandalier.IllegalMove) as refused:
            state.play("cr")
        said.add(refused.value.reason)
    assert len(said) == len(LANGUAGES)


def test_a_language_nobody_speaks_is_refused() -> None:
    with pytest.raises(ValueError, match="no such language"), speaking("xx"):
        pass


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"MANDALIER_LANG": "fr"}, "fr"),
        ({"LANG": "pt_BR.UTF-8"}, "pt"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "fr_FR"}, "en"),
        ({"LANG": "de_DE", "MANDALIER_LANG": "fr"}, "fr"),
    ],
)
def test_the_environment_chooses_the_language(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MANDALIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert preferred_language() == expected


def test_words_are_filled_in_and_counted() -> None:
    assert (
        say("there is no seat {seat} at this table", seat=3) == "there is no seat 3 at this table"
    )
    assert [say_n("{n} record", "{n} records", n) for n in (1, 2)] == ["1 record", "2 records"]
    assert listed(["a", "b", "c"]) == "a, b and c"
