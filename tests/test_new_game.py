"""A new game: what `pbem new-game` writes is what the guide shows, and it can be played as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.guides import BEYOND, GAMES, guide, own_name, skeleton
from tests.running import python

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def begin(folder: Path, name: str = "tarn") -> Path:
    """A new game in a folder."""
    assert main(["new-game", name, str(folder)]) == 0
    return folder


def test_every_block_of_the_guide_is_in_a_file_and_every_line_of_a_file_in_a_block() -> None:
    written = skeleton(own_name(), whole=True)
    for language, block in BLOCK.findall(guide(GAMES)):
        assert language
        assert any(block in text for text in (*written.values(), *skeleton(own_name()).values())), block
    shown = "".join(block for _, block in BLOCK.findall(guide(GAMES).partition(BEYOND)[0]))
    lines = [line for text in skeleton(own_name()).values() for line in text.splitlines()]
    assert sorted(filter(None, lines)) == sorted(filter(None, shown.splitlines()))


def test_a_new_game_is_the_guide_s_under_another_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begin(tmp_path / "games" / "north", "my_tarn")
    shown = capsys.readouterr().out
    written = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert set(written) >= {"pyproject.toml", "my_tarn/__init__.py", "tests/test_my_tarn.py"}
    assert all(f"{folder / path}\n" in shown for path in written)
    assert "pytest --pbem-title my_tarn\n" in shown
    back = {
        path.replace("my_tarn", own_name()): text.replace("my_tarn", own_name()).replace(
            "My Tarn", own_name().title()
        )
        for path, text in written.items()
    }
    assert back == skeleton(own_name())
    assert not [path for path, text in written.items() if own_name() in f"{path}{text}".lower()]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Tarn", "'Tarn' is not a name of a package: .* between them, such as tarn"),
        ("two-words", "such as two_words"),
        ("2nd", "it begins with a letter"),
        ("a__b", "such as a_b"),
        ("", "'' is not a name of a package"),
        ("../tarn", "such as tarn"),
        ("été", "not a name of a package"),
        ("class", "a word or a module of Python itself"),
        ("json", "a word or a module of Python itself"),
        ("tests", "tests is a folder of every game"),
        ("lords", "a game called lords is installed"),
        ("click", "a package called click is installed"),
    ],
)
def test_a_name_that_would_not_do_is_refused_and_nothing_is_written(
    name: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-game", name, str(tmp_path / "new")]) == 1
    told = capsys.readouterr().err
    assert re.match(f"pbem: .*{reason}", told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "file", "link to nowhere"])
def test_what_is_there_is_left_alone(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "tarn"
    if kind == "folder":
        there.mkdir()
    elif kind == "file":
        there.write_text("mine")
    else:
        there.symlink_to(tmp_path / "nowhere")
    assert main(["new-game", "tarn", str(there)]) == 1
    assert f"{there} is there already; name another folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [there]


@pytest.mark.ci
def test_a_new_game_is_installed_listed_tried_and_played_to_its_end(project: Path, tmp_path: Path) -> None:
    """By pip, in a folder of its own; the last of its tests plays it by a judge and audits it."""
    folder, site = begin(tmp_path / "tarn"), tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", site, folder], capture_output=True, check=True)
    installed = os.environ | {"PYTHONPATH": f"{project}{os.pathsep}{site}"}

    def run(*words: str) -> str:
        done = python("-m", *words, check=False, cwd=tmp_path, env=installed)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert re.search(r"--rules \[.*\btarn\b.*\]", run("pbem", "new", "--help"))
    assert " passed" in run("pytest", "-q", "-p", "no:cacheprovider", "--pbem-title", "tarn", str(folder))


@pytest.mark.ci
def test_what_the_guide_shows_is_typed_and_tidy(project: Path, tmp_path: Path) -> None:
    for name, whole in (("tarn", False), ("loch", True)):
        folder = tmp_path / name
        for path, text in skeleton(name, whole=whole).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        ruff = [sys.executable, "-m", "ruff"]
        settings = ["--no-cache", "--config", str(project / "pyproject.toml")]
        ignored = ["--ignore", "INP001,S603"]  # a folder of tests that is no package, as pytest has it
        for words in (["check", *settings, *ignored, "."], ["format", "--check", *settings, "."]):
            done = subprocess.run([*ruff, *words], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout
        done = python(
            "-m", "mypy", "--strict", "--cache-dir", tmp_path / "mypy", ".", check=False, cwd=folder
        )
        assert done.returncode == 0, done.stdout
