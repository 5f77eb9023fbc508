"""What an audit ends with is one table, in code, help and protocol; a recorded game ends with 0."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import pbem
from pbem.cli import main
from pbem.errors import AUDIT_STATUSES
from tests.audit.attack import Scene
from tests.audit.stage import write

ROOT = Path(__file__).parents[2]
RECORDED = sorted(path.parent for path in (ROOT / "games").glob("*/README.md"))
PROTOCOL = Path(pbem.__file__).parent / "docs/protocol.md"


def test_help_and_protocol_say_what_the_code_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--help"]) == 0
    helped = capsys.readouterr().out
    table = PROTOCOL.read_text().split("| exit status | what it says |\n|---|---|\n")[1].split("\n\n")[0]
    assert re.findall(r"^\| (\d) \| (.*) \|$", table, re.MULTILINE) == [
        (str(status), meaning) for status, meaning in AUDIT_STATUSES.items()
    ]
    for status, meaning in AUDIT_STATUSES.items():
        assert re.search(rf"^ +{status}  {re.escape(meaning)}$", helped, re.MULTILINE), helped


@pytest.mark.ci
def test_what_cannot_be_read_ends_with_a_status_of_the_table(
    scene: Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = scene.earlier["log/0001.entry"]
    unknown = scene.earlier | {"log/0001.entry": first.replace(b"\nformat 3\n", b"\nformat 9\n")}
    assert unknown != scene.earlier
    assert main(["audit", str(write(unknown, tmp_path / "unknown"))]) == 1
    assert "format '9'" in capsys.readouterr().err
    large = tmp_path / "large.tar"
    with large.open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room
    assert main(["audit", str(large)]) in AUDIT_STATUSES
    assert capsys.readouterr().err.startswith("pbem: ")


@pytest.mark.ci
@pytest.mark.parametrize("game", RECORDED, ids=lambda path: path.name)
def test_the_command_of_a_recorded_game(game: Path) -> None:
    (command,) = re.findall(r"^    (pbem audit .*)$", (game / "README.md").read_text(), re.MULTILINE)
    words = shlex.split(command.replace("$(cat genesis)", (game / "genesis").read_text().strip()))
    done = subprocess.run(words, cwd=game, capture_output=True, text=True, check=False, timeout=120)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0, last
    assert last.endswith("when it is played again; a bundle cannot show more")
