"""The page's pure modules, tried by Node alone: drafts, undo, steps, the map's geometry, the state."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.moments import documents
from pbem.trust.chance import die
from pbem.web.build import SITE

UNITS = Path(__file__).parent / "units"
VIEWER = Path(documents.__file__).with_name("viewer")


@pytest.mark.skipif(
    shutil.which("node") is None and os.environ.get("CI") != "true", reason="no Node is installed"
)
def test_the_pages_modules_do_what_their_tests_say(tmp_path: Path) -> None:
    shutil.copytree(SITE, tmp_path / "pbem/web/site")
    shutil.copytree(VIEWER, tmp_path / "pbem/moments/viewer")
    units = shutil.copytree(UNITS, tmp_path / "tests/web/units")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")  # as a browser takes them
    files = sorted(map(str, units.glob("*.test.mjs")))
    assert files
    dice = [[label, die(b"\7" * 32, 6, label)] for label in (f"1297.1/battle-{n}/die-1" for n in range(200))]
    given = os.environ | {"PBEM_DICE": json.dumps(dice)}
    done = subprocess.run(["node", "--test", *files], check=False, capture_output=True, text=True, env=given)
    assert done.returncode == 0, done.stdout
