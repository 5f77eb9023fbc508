"""Orders are read alike by every Python, whatever character stands in them."""

import subprocess
from pathlib import Path

import pytest

from tests.kept import as_kept
from tests.orders.every_sign import block, every_sign
from tests.pythons import oldest_and_newest

KEPT = Path(__file__).parent / "golden" / "every_sign.txt"


@pytest.mark.parametrize("begin", [0x0000, 0x2000, 0x13000], ids=hex)
def test_characters_are_read_as_they_were_on_every_python(begin: int) -> None:
    """Letters with marks; marks and arrows; and where later Unicodes have put format signs."""
    assert block(begin) in KEPT.read_text(encoding="ascii").splitlines()


@pytest.mark.ci
def test_every_character_is_read_as_it_was() -> None:
    as_kept(KEPT, "".join(f"{line}\n" for line in every_sign()))


@pytest.mark.ci
@pytest.mark.parametrize("python", oldest_and_newest(), ids=str)
def test_every_character_is_read_alike_by_oldest_and_newest(python: Path, project: Path) -> None:
    command = [str(python), "-m", "tests.orders.every_sign"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (KEPT.read_text(encoding="ascii"), "")
