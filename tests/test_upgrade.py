"""pbem/docs/upgrade.md is true: its commands, as they are printed, take a club from one wheel to the next."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import pbem
from tests.running import python
from tests.test_release import build, install, installed_here

pytestmark = pytest.mark.ci

NEXT = "99.0.0"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(project: Path) -> list[list[str]]:
    """The words of each line of the page's block."""
    text = (project / "pbem/docs/upgrade.md").read_text(encoding="utf-8")
    (block,) = BLOCK.findall(text)
    return [shlex.split(line, comments=True) for line in block.splitlines()]


@pytest.fixture(scope="module")
def wheels(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of this release's wheel, and that of one that differs in its version alone."""
    folder = tmp_path_factory.mktemp("wheels")
    build(project, folder / "old")
    (sdist,) = (folder / "old").glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", sdist, "-C", folder], check=True)
    (source,) = folder.glob("pbem-*")
    version = source / "pbem/__init__.py"
    said = version.read_text(encoding="utf-8")
    assert pbem.__version__ in said
    version.write_text(said.replace(pbem.__version__, NEXT), encoding="utf-8")
    (source / "PKG-INFO").unlink()  # it says the version, too
    build(source, folder / "new", "wheel")
    return folder / "old", folder / "new"


def test_the_page_takes_a_club_to_the_next_release(
    project: Path, wheels: tuple[Path, Path], tmp_path: Path
) -> None:
    old, new = wheels
    bare = tmp_path / "bare"
    python("-m", "venv", "--without-pip", bare)
    installed_here(bare / "bin/python", old)

    def run(*words: str) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PBEM"))}
        command = [str(bare / "bin" / words[0]), *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=kept, check=False)
        assert done.returncode == 0, (words, done.stdout + done.stderr)
        return done.stdout

    run("pbem", "demo", "--into", "demo-game")
    shutil.move(tmp_path / "demo-game/club", tmp_path / "club")
    run("pbem", "run", "--after-gap", "--club", "club")
    before = run("pbem", "status", "--club", "club").splitlines()[0]
    assert before.startswith("demo: 129")
    stopped = []
    for words in commands(project):
        if words[0] == "systemctl":
            stopped.append(words[2])
            continue
        if words[1:3] == ["-m", "pip"]:
            (wheel,) = new.glob("*.whl")
            assert words[-1].replace("NEW", NEXT) == wheel.name
            install(bare / "bin/python", "--no-index", "--no-deps", *words[4:-1], str(wheel))
            assert run("pbem", "--version") == f"pbem {NEXT}\n"
            continue
        run(*(word.replace("/srv/", f"{tmp_path}/") for word in words))
    assert stopped == ["stop", "start"]
    assert list((tmp_path / "club-backups").glob("*.tar.gz"))
    run("pbem", "run", "--after-gap", "--club", "club")
    assert run("pbem", "status", "--club", "club").splitlines()[0] == before
    (wheel,) = old.glob("*.whl")
    install(bare / "bin/python", "--no-index", "--no-deps", str(wheel))
    assert run("pbem", "--version") == f"pbem {pbem.__version__}\n"
    assert run("pbem", "status", "--club", "club").splitlines()[0] == before, "and back"
