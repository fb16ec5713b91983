"""The files in deploy/, as far as they can be tried without systemd and containers."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from mandalier.server.config import entries, read_config
from tests import messages

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"


def dockerfile() -> str:
    """The Dockerfile, each command on one line."""
    return (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def ignored(path: Path) -> bool:
    """Whether .dockerignore keeps a path of the repository out."""
    patterns = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    name = path.relative_to(ROOT).as_posix()
    return any(fnmatch.fnmatch(name, pattern.replace("**/", "*")) for pattern in patterns)


def test_what_the_dockerfile_copies_is_enough_to_build_the_package(tmp_path: Path) -> None:
    messages.page_build().build()  # else it would be built there, which takes Node
    for copied in re.findall(r"^COPY (?!--from)(.+)$", dockerfile(), re.MULTILINE):
        *names, to = copied.split()
        for name in names:
            there = tmp_path / to / (name if to == "./" else "")
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name,
                    there,
                    ignore=lambda folder, found: [n for n in found if ignored(Path(folder) / n)],
                )
            else:
                shutil.copy(ROOT / name, there)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "mandalier/web/index.html" in names
    assert "mandalier/server/app.py" in names


def test_the_image_has_what_the_files_beside_it_ask_for() -> None:
    found = re.search(r'pip install .*"\.\[(.*)\]"', dockerfile())
    assert found is not None
    extras = set(found[1].split(","))
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extras <= set(known["optional-dependencies"])
    assert {"postgres", "push"} <= extras  # compose.yaml has PostgreSQL; push is in the settings


def test_what_is_large_and_not_needed_stays_out_of_the_image() -> None:
    for name in (".venv", ".git", "web/node_modules", "src/mandalier/__pycache__"):
        assert ignored(ROOT / name), name
    for name in ("src/mandalier/server/app.py", "web/src/socket.ts", "hatch_build.py"):
        assert not ignored(ROOT / name), name


def test_the_settings_file_of_the_example_is_right() -> None:
    config = read_config(DEPLOY / "mandalier.toml", {})
    assert config.server.public_url


def test_every_variable_in_deploy_is_a_setting() -> None:
    known = {entry.variable for entry in entries()} | {"MANDALIER_CACHE", "MANDALIER_SITE"}
    for file in DEPLOY.iterdir():
        said = set(re.findall(r"\bMANDALIER_[A-Z_]+", file.read_text(encoding="utf-8")))
        assert said <= known, file.name
