"""Texts for people, in their language.

The English text is the key; ``locales/LANGUAGE/LC_MESSAGES/mandalier.po`` holds the others (see
CONTRIBUTING.md for ``make messages``). `say` looks a text up and fills in its names:
``say("draw {n} cards", n=3)``.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gettext import NullTranslations

LANGUAGES = {"en": "English", "fr": "Français", "pt": "Português (Brasil)"}
WITH_COMMA = ("fr", "pt")
"""Languages that write 1,5 and not 1.5."""

_language: ContextVar[str] = ContextVar("language", default="en")


@lru_cache(maxsize=len(LANGUAGES))
def _catalogue(language: str) -> NullTranslations:
    import gettext

    folder = Path(__file__).parent.parent / "locales"
    return gettext.translation("mandalier", folder, [language], fallback=True)


@lru_cache(maxsize=1 << 12)
def _translated(language: str, text: str) -> str:
    return _catalogue(language).gettext(text)


def spoken() -> str:
    """The language at hand."""
    return _language.get()


def say(text: str, /, **values: Any) -> str:
    """The text in the language at hand, its {names} filled in."""
    found = _translated(_language.get(), text)
    return found.format(**_written(values)) if values else found


def say_n(one: str, many: str, n: int, /, **values: Any) -> str:
    """The text for one or for many, {n} and other names filled in."""
    return _catalogue(_language.get()).ngettext(one, many, n).format(n=n, **_written(values))


def numeral(value: float, form: str = ".1f") -> str:
    """A number as the language at hand writes it."""
    text = format(value, form)
    return text.replace(".", ",") if _language.get() in WITH_COMMA else text


class _Fraction(float):
    """A number in a text."""

    def __format__(self, form: str) -> str:
        return numeral(float(self), form)


def _written(values: dict[str, Any]) -> dict[str, Any]:
    """The values of a text, numbers as the language at hand writes them."""
    if _language.get() not in WITH_COMMA:
        return values
    return {k: _Fraction(v) if isinstance(v, float) else v for k, v in values.items()}


def listed(words: list[str]) -> str:
    """Words joined with commas and a last "and"."""
    if len(words) < 2:
        return "".join(words)
    return say("{first} and {last}", first=", ".join(words[:-1]), last=words[-1])


def listed_or(words: list[str]) -> str:
    """Words joined with commas and a last "or"."""
    if len(words) < 2:
        return "".join(words)
    return say("{first} or {last}", first=", ".join(words[:-1]), last=words[-1])


class speaking:  # noqa: N801 (it is used as a function)
    """Say everything inside in this language."""

    __slots__ = ("_language", "_token")

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"no such language: {language!r} (there are {', '.join(LANGUAGES)})")
        self._language = language

    def __enter__(self) -> None:
        self._token = _language.set(self._language)

    def __exit__(self, *_: object) -> None:
        _language.reset(self._token)


def preferred_language() -> str:
    """The language the user's environment asks for, if we speak it; else English."""
    asked = os.environ.get("MANDALIER_LANG") or os.environ.get("LC_ALL")
    asked = asked or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    if not asked:
        import locale

        asked = locale.getlocale()[0] or "en"
    found = asked[:2].lower()
    return found if found in LANGUAGES else "en"
