"""A club and players whose every step is a command of this program, run as people run it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.club import open_club
from pbem.judge.upkeep.folder_identity import OWN
from tests.audit.script import verify_sh
from tests.disputes.letters import check_letters

GAME = "stirling"
WHY = ("--reason", "a dispute")
"""What a game master must say before he may see everything of a running game."""
SIDES = {"alice": "scotland", "bob": "england"}


@dataclass(frozen=True, slots=True)
class Run:
    """What a command printed and ended with."""

    status: int
    out: str
    err: str


@dataclass
class Story:
    """A folder in which a story happens."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    sides: Mapping[str, str] = field(default_factory=lambda: SIDES)
    """Player -> side."""
    read: set[str] = field(default_factory=set)
    audit: str = ""
    """What `pbem audit` said of the last bundle."""

    @property
    def genesis(self) -> tuple[str, str]:
        """The option by which somebody without letters of the game names it."""
        club = open_club(self.folder / "club")
        head = str(club.book(GAME).head_at(1))
        club.store.close()
        return "--genesis", head

    def pbem(self, *words: object, home: str = "", status: int | None = 0) -> Run:
        """Run a command in the club's folder, or in a player's home; it must end with `status`, if given."""
        os.environ["PBEM_CLUB"] = str(self.folder / "club")
        os.environ["PBEM_HOME"] = str(self.folder / (home or "nobody"))
        self.capture.readouterr()
        ended = main([str(word) for word in words])
        shown = self.capture.readouterr()
        assert status in (None, ended), (
            f"pbem {' '.join(map(str, words))} ended with {ended}: {shown.out}{shown.err}"
        )
        return Run(ended, shown.out, shown.err)

    def consent(self, to: object, *names: str, exchange: int = 4) -> list[object]:
        """The options that hand in what these people, by default the players, sign that they consent to."""
        given: list[object] = []
        for name in names or self.sides:
            path = self.folder / f"{name}-{str(to).replace(' ', '-')}.consent"
            words = (*str(to).split(), "--as", name, *self.genesis, "--out", path)
            self.pbem("consent", GAME, exchange, *words, home=name)
            given += ["--consent", path]
        return given

    def act(self, to: str, why: str, given: Sequence[object] = (), status: int = 0) -> Run:
        """The game master does what was consented to."""
        return self.pbem("act", GAME, *to.split(), "--reason", why, *given, status=status)

    def begin_with_official(self, *options: str) -> None:
        """A game with a second official, Olga."""
        self.pbem("init", self.folder / "club", "--name", "test")
        self.pbem("keygen", "olga", home="olga")
        self.pbem("player", "add", "olga", self.folder / "olga/keys/olga.pub")
        self.begin("--official", "olga", *options)

    def begin(self, *options: str) -> None:
        """A club, two keys, a game; a club and keys that are there already are used."""
        if not (self.folder / "club").exists():
            self.pbem("init", self.folder / "club", "--name", "test")
        seats: list[str] = []
        for name, side in self.sides.items():
            if not (self.folder / name / "keys" / name).exists():
                self.pbem("keygen", name, home=name)
            join = self.folder / f"{name}.join"
            judge = self.folder / "club/keys/gm.pub"
            self.pbem("join", GAME, "--as", name, "--judge", judge, "--out", join, home=name)
            self.pbem("player", "add", name, join, "--address", f"{name}@example.org")
            seats += ["--seat", f"{side}={join}"]
        self.pbem("new", GAME, *seats, *options)

    def receive(self, name: str) -> str:
        """A player opens every letter that has come; what he is shown."""
        shown = ""
        letters = sorted((self.folder / "club/out" / name).glob("*.txt"), key=_age)
        for letter in letters:
            if f"{name}/{letter.name}" not in self.read:
                self.read.add(f"{name}/{letter.name}")
                got = self.pbem("receive", letter, "--whole", home=name)
                shown += got.out + got.err
        return shown

    def send(self, name: str, body: str = "") -> None:
        """A player writes orders, seals them and hands them in."""
        self.receive(name)
        sealed = self.folder / f"{name}.age"
        if body:
            draft = self.folder / f"{name}.txt"
            draft.write_text(f"pbem1 orders\ngame {GAME}\n---\n{body}", encoding="utf-8")
            self.pbem("seal", draft, "--out", sealed, home=name)
        else:
            self.pbem("seal", "--bare", "--game", GAME, "--out", sealed, home=name)
        self.pbem("submit", sealed)

    def exchange(self, **orders: str) -> str:
        """All send orders, those who are not named bare files, and the judge adjudicates."""
        for name in self.sides:
            self.send(name, orders.get(name, ""))
        return self.pbem("run").out

    def bundle(self, audience: str = "all", status: int = 0) -> Path:
        """Export a bundle and audit it; the script, which knows no rules, refutes nothing.

        Nor does any letter that the judge has written.
        """
        target = self.folder / f"bundle-{audience}"
        shutil.rmtree(target, ignore_errors=True)
        self.pbem("export", GAME, "--as", audience, "--into", target, *WHY)
        self.audit = self.pbem("audit", target, status=status).out
        same, printed = verify_sh(target)
        assert same == 0, printed
        if status == 0:
            homes = [self.folder / name for name in self.sides]
            assert check_letters(target, self.folder / "club", homes, self.folder / "letters")
        return target

    def copied(self, folder: Path) -> Story:
        """The same story in a folder of its own, to be gone on with."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        club = open_club(folder / "club")
        with club.store.step():
            club.store.put_note(OWN, "")  # the club of a story is no copy that somebody runs besides
        club.store.close()
        return Story(folder, self.capture, self.sides, set(self.read))


def _age(path: Path) -> tuple[bool, str]:
    """Reports before receipts and copies, so that each is understood."""
    return "receipt" in path.name or "-copy-" in path.name, path.name
