"""The README's two blocks are found by the script that CI runs them with."""

import subprocess
from pathlib import Path

import pytest

from tests.running import python

FIRST_SCREEN_LINES = 45


def block(script: Path, section: str) -> subprocess.CompletedProcess[str]:
    return python(script, section, check=False)


@pytest.mark.parametrize(
    ("section", "contains"), [("Try it", "pip install ."), ("Test it", "\npytest -n auto\n")]
)
def test_each_block_is_there_once(section: str, contains: str, project: Path) -> None:
    found = block(project / ".ci/readme_block.py", section)
    assert found.returncode == 0, found.stderr
    assert contains in found.stdout


def test_both_blocks_are_on_the_first_screen(project: Path) -> None:
    first = (project / "README.md").read_text().splitlines()[:FIRST_SCREEN_LINES]
    assert {"## Try it", "## Test it"} <= set(first)


@pytest.mark.parametrize(
    ("readme", "told"),
    [
        ("# pbem\n", "0 sections"),
        ("## Try it\n\nno commands\n\n## Next\n\n```sh\nls\n```\n", "0 sh blocks"),
        ("## Try it\n\n```sh\nls\n```\n\n```sh\nls\n```\n", "2 sh blocks"),
        ("## Try it\n\n```sh\nls\n```\n\n## Try it\n", "2 sections"),
    ],
)
def test_another_number_of_blocks_is_refused(readme: str, told: str, tmp_path: Path, project: Path) -> None:
    script = tmp_path / ".ci/readme_block.py"
    script.parent.mkdir()
    script.write_text((project / ".ci/readme_block.py").read_text())
    (tmp_path / "README.md").write_text(readme)
    found = block(script, "Try it")
    assert found.returncode == 1
    assert told in found.stderr
