"""What the pages show is what happens: their code runs, their commands print what they say.

On a page the blocks run from top to bottom, in one folder of their own: ```python (blocks of a page
share a namespace; one with prompts is a doctest), ```console (each line ``$ mandalier …``, and what
it prints; ``…`` stands for anything), and any block that begins with a comment that is only a file's
name (``# name.toml``, ``// name.js``), which is that file.
"""

from __future__ import annotations

import contextlib
import doctest
import hashlib
import importlib.util
import io
import os
import random
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mandalier.cli import build_parser, main
from mandalier.games import kernel
from mandalier.games.game import GAMES, Game
from tests.games import test_conformance

ROOT = Path(__file__).resolve().parent.parent
NEW_GAME = ROOT / "docs" / "adding-a-game.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
TYPED = re.compile(r"^(?:seat \d+ )?> (.*)$")
"""A line of a session in which somebody typed something."""


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)


def prose_of(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def slug(heading: str) -> str:
    """The anchor a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


# Running a page --------------------------------------------------------------------------------


def run_doctest(page: Path, block: Block, names: dict[str, Any]) -> None:
    parser = doctest.DocTestParser()
    test = parser.get_doctest(block.text, names, page.name, str(page), block.line - 1)
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.write, clear_globs=False)
    assert runner.failures == 0, said.getvalue()
    names.update(test.globs)


def run_plain(page: Path, block: Block, names: dict[str, Any]) -> None:
    code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
    exec(code, names)


def commands_of(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, and the lines under it."""
    command, shown = "", []  # type: tuple[str, list[str]]
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command:
        yield command, shown


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether lines were printed as shown; "…" stands for anything."""
    parts = [re.escape(part) for part in "\n".join(shown).split("…")]
    return re.fullmatch(".*".join(parts), "\n".join(printed), re.DOTALL) is not None


def run_command(
    command: str,
    shown: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "mandalier", f"only mandalier can be run here: {command}"
    typed = iter([found[1] for line in shown if (found := TYPED.match(line))])

    def answer(prompt: str = "") -> str:
        """What the session shows as typed, echoed as a terminal would."""
        try:
            text = next(typed)
        except StopIteration:
            raise EOFError from None
        print(prompt + text)
        return text

    monkeypatch.setattr("builtins.input", answer)
    capsys.readouterr()
    with contextlib.suppress(SystemExit):
        main(arguments)
    out, err = capsys.readouterr()
    printed = [line.rstrip() for line in (out + err).strip("\n").splitlines()]
    if shown:
        shown = [line.rstrip() for line in "\n".join(shown).strip("\n").splitlines()]
        assert matches(shown, printed), "\n".join([f"$ {command}", *printed])


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_shows_happens(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    if page == NEW_GAME:
        register_new_game(monkeypatch)
    random.seed(7)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.language == "console":
            for command, shown in commands_of(block):
                run_command(command, shown, monkeypatch, capsys)
        elif found := re.match(r"(?:#|//) ([\w-]+\.\w+)\n", block.text):
            (tmp_path / found[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "python" and ">>>" in block.text:
            run_doctest(page, block, names)
        elif block.language == "python" and page != NEW_GAME:
            run_plain(page, block, names)


# The game of the page that adds one ------------------------------------------------------------


def new_game_file() -> Path:
    """The module the page's blocks make, where it stays the same file while the page does not
    change: so its compiled rules are found again."""
    parts = [b.text for b in blocks_of(NEW_GAME) if b.language == "python" and ">>>" not in b.text]
    text = "\n\n".join(parts)
    folder = kernel.cache_folder() / "docs" / hashlib.sha256(text.encode()).hexdigest()[:16]
    made = folder / "kiln.py"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder)
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, made)
    return made


_new_game: list[ModuleType] = []


def register_new_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the module in its place and its row into GAMES, for one test."""
    name = "mandalier.games.kiln"
    if not _new_game:
        spec = importlib.util.spec_from_file_location(name, new_game_file())
        assert spec is not None
        assert spec.loader is not None
        _new_game.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(_new_game[0])
    monkeypatch.setitem(sys.modules, name, _new_game[0])
    monkeypatch.setitem(GAMES, "kiln", Game("kiln", name))


def conformance() -> list[Callable[[str, int], None]]:
    found = [fn for name, fn in vars(test_conformance).items() if name.startswith("test_")]
    return found if kernel.can_compile() else [fn for fn in found if "compiled" not in fn.__name__]


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("law", conformance(), ids=lambda law: law.__name__.removeprefix("test_"))
def test_the_game_added_on_the_page_keeps_what_every_game_keeps(
    law: Callable[[str, int], None], seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    register_new_game(monkeypatch)
    law("kiln", seats)


# What has to be there --------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(prose_of(page)):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", prose_of(target), re.MULTILINE)
            assert anchor in map(slug, headings), f"{page.name}: {link}"


def test_every_command_is_documented() -> None:
    said = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    actions: Any = build_parser()._actions
    commands = [name for one in actions if one.dest == "command" for name in one.choices]
    assert [name for name in commands if f"mandalier {name} " not in said] == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_command_named_on_a_page_can_be_given(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for found in re.findall(r"`(mandalier [a-z]+ [^`…]+)`", prose_of(page)):
        refused = False
        try:
            build_parser().parse_args(shlex.split(found)[1:])
        except SystemExit as exit:
            refused = bool(exit.code)
        assert not refused, f"{page.name}: {found}: {capsys.readouterr().err}"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_page_with_its_moves_and_the_readme_leads_there(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    for example in GAMES[name].module.help_texts():
        assert f"`{example}`" in text, f"{page.name} does not show {example}"
    assert f"(docs/{name}.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_no_page_names_a_place_on_somebodys_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:home|root|work|tmp|Users|usr)/", text)
