"""The site's own Python under Node: the page's interpreter, packages and primitives without a browser."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def python_of(site: Path, code: str, given: str = "") -> str:
    """Return the text that `code` leaves in `found`; `given` is a text that it has, /project the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "code.py"), Path(folder, "given")
        for path, text in zip(files, (code, given), strict=True):
            path.write_text(text, encoding="utf-8")
        command = ["node", *map(str, (HERE / "run_python.mjs", site, HERE.parents[1], *files))]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix("\n")
