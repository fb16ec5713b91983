"""Where results come from."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path


@cache
def commit() -> str:
    """The commit of the code that runs, with "-dirty" if files were changed since; in an installed
    package its version."""
    from mandalier import __version__

    here = Path(__file__).resolve()
    git = ["git", "-C", str(here.parent)]
    try:
        # the folder may lie in somebody else's repository
        for arguments in (
            ["ls-files", "--error-unmatch", here.name],
            ["describe", "--always", "--dirty"],
        ):
            done = subprocess.run([*git, *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"v{__version__}"
    return done.stdout.strip()
