"""Where commands write: whole, over their own kind alone, never through a link, and into devices."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.cli.group import pbem
from pbem.cli.options import write_output
from pbem.errors import ConfigError
from pbem.player import Home
from tests.player.judge import GAME

JUDGE = "SHA256:" + "A" * 43


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Alice's home, in which each command works."""
    monkeypatch.setenv("PBEM_HOME", str(tmp_path / "home"))
    found = Home(tmp_path / "home")
    found.keygen("alice")
    return found


def join(out: Path | str, *more: str, game: str = GAME) -> Result:
    """The player joins a game, and the signed file goes there."""
    return CliRunner().invoke(
        pbem, ["join", game, "--as", "alice", "--judge", JUDGE, "--out", str(out), *more]
    )


def absent(out: Path, until: str = "2027-08-14") -> Result:
    """The player is absent."""
    days = ["--from", "2027-08-01", "--until", until]
    return CliRunner().invoke(pbem, ["absent", "--as", "alice", "--judge", JUDGE, *days, "--out", str(out)])


def test_a_new_file_has_the_mode_of_any_new_file_and_the_same_again_is_no_fault(tmp_path: Path) -> None:
    out = tmp_path / "alice.join"
    assert join(out).exit_code == 0
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(out.stat().st_mode) == 0o666 & ~mask
    before = out.read_bytes()
    assert join(out).exit_code == 0
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["home", "alice.join"] or len(
        list(tmp_path.iterdir())
    ) == 2


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (b"my diary\n", "holds something else"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\n", "holds a key"),
        (b"pbem1 join other\n", "holds a join file"),
        (b"pbem1 absence\n", "holds a signed text"),
        (b"begin orders\n", "holds orders"),
    ],
)
def test_what_is_something_else_stays_unless_it_is_forced(tmp_path: Path, there: bytes, said: str) -> None:
    out = tmp_path / "out"
    out.write_bytes(there)
    refused = join(out)
    assert refused.exit_code != 0
    assert isinstance(refused.exception, Exception)
    assert said in str(refused.exception)
    assert "--force" in str(refused.exception)
    assert out.read_bytes() == there
    assert join(out, "--force").exit_code == 0
    assert out.read_bytes().startswith(b"pbem1 join")


def test_what_is_of_no_known_kind_does_not_replace_another_such_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"my diary\n")
    with pytest.raises(ConfigError, match="holds something else"):
        write_output(out, b"something\n")
    assert out.read_bytes() == b"my diary\n"


def test_a_file_of_the_same_purpose_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    out = tmp_path / "alice.absence"
    assert absent(out).exit_code == 0
    out.chmod(0o640)
    other = tmp_path / "hard-link"
    other.hardlink_to(out)
    assert absent(out, "2027-08-20").exit_code == 0
    assert b"2027-08-20" in out.read_bytes()
    assert b"2027-08-14" in other.read_bytes(), "it was replaced, not written over"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


@pytest.mark.parametrize("more", [(), ("--force",)])
@pytest.mark.parametrize("target", ["there", "nothing"])
def test_nothing_is_written_through_a_link(tmp_path: Path, target: str, more: tuple[str, ...]) -> None:
    (tmp_path / "there").write_bytes(b"precious")
    out = tmp_path / "link"
    out.symlink_to(tmp_path / target)
    refused = join(out, *more)
    assert "is a link" in str(refused.exception)
    assert (tmp_path / "there").read_bytes() == b"precious"
    assert not (tmp_path / "nothing").exists()
    assert out.is_symlink()


def test_devices_and_pipes_are_written_to(tmp_path: Path) -> None:
    assert join("/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert join(pipe).exit_code == 0
    reader.join()
    assert read[0].startswith(b"pbem1 join")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.ci
def test_standard_output_by_its_name_is_written_to_wherever_it_goes(tmp_path: Path) -> None:
    words = ["join", GAME, "--as", "alice", "--judge", JUDGE, "--out", "/dev/stdout"]
    with (tmp_path / "file").open("wb") as file:
        subprocess.run([sys.executable, "-m", "pbem", *words], stdout=file, check=True)
    assert (tmp_path / "file").read_bytes().startswith(b"pbem1 join")


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "alice.absence"
    assert absent(out).exit_code == 0
    before = out.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert absent(out, "2027-08-20").exit_code != 0
    assert out.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"home", "alice.absence"}
