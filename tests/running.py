"""Python in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def python(
    *words: str | Path,
    check: bool = True,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    **more: str,
) -> subprocess.CompletedProcess[str]:
    """What `python WORDS` comes to; `more` is added to the environment, which is ours if none is given."""
    environment = {**(os.environ if env is None else env), **more}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=check)
