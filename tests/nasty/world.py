"""A club with two games and a league, a player's home and their files: every command has something to do."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pbem.cli import main
from pbem.judge.club import open_club
from pbem.titles import default_name
from tests.conftest import chance
from tests.judge.table import is_the_same
from tests.leagues.world import file_of
from tests.nasty.values import faults

LEAGUE = file_of("swiss").replace(b"2027-01-31", b"2090-01-31")


@dataclass(frozen=True)
class Told:
    """What a command has said, and what it ended with."""

    status: int
    text: str


@contextmanager
def placed(folder: Path) -> Iterator[None]:
    """Be where this world's commands are typed."""
    before = dict(os.environ)
    os.environ.update(PBEM_CLUB=str(folder / "club"), PBEM_HOME=str(folder / "home"), EDITOR="true")
    try:
        with chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def type_in(*words: str) -> Told:
    """Type a command, with nothing as its input."""
    said, stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace"), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO())
    try:
        with redirect_stdout(said), redirect_stderr(said):
            status = main([*words])
    finally:
        sys.stdin = stdin
    said.flush()
    return Told(status, said.buffer.getvalue().decode())


def done(*words: str) -> str:
    """Type a command that goes well; what it says."""
    told = type_in(*words)
    assert told.status == 0, (words, told.text)
    return told.text


def world(folder: Path) -> Path:
    """A world of its own in a new folder."""
    shutil.copytree(_made().name, folder, symlinks=True)
    is_the_same(folder / "club")
    return folder


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    made = tempfile.TemporaryDirectory()
    place = Path(made.name)
    with chance.of("a world of nasty values"), placed(place):
        _make(place)
    return made


def _make(place: Path) -> None:
    done("init", "club")
    for name in ("bob", "alice", "carol", "alice2"):
        os.environ["PBEM_HOME"] = str(place / ("bob" if name == "bob" else "home"))
        done("keygen", name)
        shutil.copy(place / os.environ["PBEM_HOME"] / f"keys/{name}.pub", place / f"{name}.pub")
        if name != "alice2":
            done("player", "add", name, f"{name}.pub", "--address", f"{name}@example.org")
    for game in ("demo", "other"):
        for name, home in (("bob", "bob"), ("alice", "home")):
            os.environ["PBEM_HOME"] = str(place / home)
            done("join", game, "--as", name, "--judge", "club/keys/gm.pub", "--out", f"{name}.{game}.join")
        seats = ("--seat", f"england=bob.{game}.join", "--seat", f"scotland=alice.{game}.join")
        done("new", game, "--option", "scenario=braveheart", *seats)
        done("receive", f"club/out/alice/{game}-0000-report.txt")
    for name, home in (("bob", "bob"), ("alice", "home")):
        os.environ["PBEM_HOME"] = str(place / home)
        if name == "bob":
            done("receive", "club/out/bob/other-0000-report.txt")
        done("join", "third", "--as", name, "--judge", "club/keys/gm.pub", "--out", f"{name}.third.join")
        done("seal", "--bare", "--game", "other", "--out", f"{name}.age")
        done("submit", f"{name}.age")
    done("run")
    shutil.copy(place / "club/out/alice/other-0001-report.txt", place / "report.txt")
    shutil.copy(place / "club/out/alice/other-0001-report.txt", place / "orders.txt")
    (place / "read.txt").write_text(done("receive", "report.txt"))
    done("rotate", "other", "2", "--as", "alice", "--new", "alice2", "--out", "rotation.txt")
    done("seal", "--bare", "--game", "demo", "--out", "orders.age")
    done("practice", "practised", "--side", "scotland")
    done("export", "other", "--as", "all", "--reason", "asked", "--into", "bundle")
    done("backup", "backup.tar.gz")
    (place / "orders.txt").write_text("begin orders 2\nend orders\n")
    (place / "league.toml").write_bytes(LEAGUE)
    (place / "league2.toml").write_bytes(LEAGUE.replace(b'"cup"', b'"bowl"'))
    done("league", "new", "league.toml")
    with (place / "club/club.toml").open("a") as file:
        file.write('[site]\nname = "The Hearth"\n')
    done("seat", "offer", "offered", "--rules", default_name())
    done("ratings", "export", "rated-before")
    found = facts(place)
    named = ("--judge", "club/keys/gm.pub", "--genesis", found["{cup}"], "--out", "enters.txt")
    done("league", "enter", "cup", "--as", "alice", *named)
    done("submit", "enters.txt")
    (place / "mail.eml").write_text("From: alice@example.org\nSubject: hello\n\nhelp\n")
    (place / "pass").write_text("secret\n")


def facts(place: Path) -> dict[str, str]:
    """Return what lines name: the first heads of the game and of the league, and a game that is installed."""
    with closing(open_club(place / "club").store) as store:
        heads = {"genesis": store.entries("other"), "cup": store.league_entries("league.cup")}
        first = {f"{{{name}}}": rows[0].head for name, rows in heads.items()}
    return {**first, "{rules}": default_name()}


def look_round(why: str) -> None:
    """Let the judge make a pass, and look at the club: both games go on, and the program has no fault."""
    for command in ("run", "status", "doctor"):
        told = type_in(command)
        assert faults(told.text) == [], (why, told.text)
        assert "stopped: " not in told.text, (why, told.text)
        if command == "status":
            assert {"demo: ", "other: "} <= {
                line.partition(" ")[0] + " " for line in told.text.splitlines()
            }, why
