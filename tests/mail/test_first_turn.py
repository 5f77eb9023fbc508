"""pbem/docs/first-turn.md is true: its commands are run as they are printed, and show what it says."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.club import open_club
from pbem.player import Home
from pbem.service.one_pass import Pass
from tests.mail.postal import JUDGE
from tests.mail.servers import Post, arrival, smtp_server

pytestmark = pytest.mark.ci

BLOCK = re.compile(r"^```(sh|text|orders)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GAME = "dunbar-7"


@dataclass
class Club:
    """What is beyond the page: the judge, and bob."""

    folder: Path
    post: Post
    bob: Home

    def arrives(self, name: str, at: Path) -> None:
        """The mail that the page calls so is there."""
        {"invitation.eml": self._begin, "report.eml": self._accepted, "receipt.eml": self._ordered}[name](at)
        mails = sorted((self.post.box("alice") / "new").iterdir(), key=arrival)
        kind = {"invitation.eml": "-0000-report", "report.eml": "-0001-report", "receipt.eml": "-receipt-"}[
            name
        ]
        (found,) = [path for path in mails if re.search(rf'filename="{GAME}-?\S*{kind}', path.read_text())][
            -1:
        ]
        shutil.copyfile(found, at / name)

    def _begin(self, at: Path) -> None:
        self.bob.keygen("bob")
        (at / "bob.join").write_bytes(self.bob.join(GAME, player="bob", judge=None))
        for name in ("alice", "bob"):
            club(
                "player",
                "add",
                name,
                at / f"{name}.join",
                "--address",
                f"{name}@example.org",
                folder=self.folder,
            )
        seats = ("--seat", f"scotland={at / 'alice.join'}", "--seat", f"england={at / 'bob.join'}")
        club("new", GAME, *seats, folder=self.folder)
        self._pass()

    def _accepted(self, at: Path) -> None:
        for path in sorted((self.post.box("bob") / "new").iterdir()):
            self.bob.deliver({"": path.read_bytes()})
        club("submit", at / "dunbar-7-1.eml", folder=self.folder)
        (at / "bob.age").write_text(self.bob.seal(None).armor)
        club("submit", at / "bob.age", folder=self.folder)
        self._pass()

    def _ordered(self, at: Path) -> None:
        club("submit", at / "dunbar-7-2.eml", folder=self.folder)
        self._pass()

    def _pass(self) -> None:
        opened = open_club(self.folder)
        list(Pass(opened).run())
        opened.store.close()


def club(*arguments: str | Path, folder: Path) -> None:
    """A command of the judge's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBEM_CLUB", str(folder))
        assert main([str(one) for one in arguments]) == 0


@pytest.fixture
def beyond(tmp_path: Path) -> Iterator[Club]:
    """A judge who plays by mail."""
    post = Post(tmp_path / "post")
    with smtp_server(post) as port:
        assert main(["init", str(tmp_path / "club"), "--name", "test"]) == 0
        settings = tmp_path / "club" / "club.toml"
        settings.write_text(
            f'{settings.read_text()}\n[mail]\naddress = "{JUDGE}"\n'
            f'[mail.inbox]\nmaildir = "{post.box("judge")}"\n[mail.outbox]\n'
            f'host = "127.0.0.1"\nport = {port}\ntls = "none"\n'
        )
        yield Club(tmp_path / "club", post, Home(tmp_path / "bob"))


def test_the_page_is_true(
    beyond: Club,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (project / "pbem/docs/first-turn.md").read_text(encoding="utf-8")
    desk = tmp_path / "desk"
    desk.mkdir()
    shutil.copyfile(beyond.folder / "keys/gm.pub", desk / "gm.pub")
    monkeypatch.chdir(desk)
    monkeypatch.setenv("PBEM_HOME", str(tmp_path / "alice"))
    (orders,) = [said for kind, said in BLOCK.findall(page) if kind == "orders"]
    editor = tmp_path / "editor"
    (tmp_path / "written").write_text(orders)
    editor.write_text(f'#!/bin/sh\nsed -i \'/^---$/q\' "$1"; cat {tmp_path}/written >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.setattr("sys.stdin", io.StringIO("s\n"))
    shown, commands = "", 0
    for kind, block in BLOCK.findall(page):
        if kind == "sh":
            shown = ""
            for line in block.splitlines():
                words = line.split()
                for name in words:
                    if (
                        name.endswith(".eml")
                        and words[1] in ("turn", "receive")
                        and not (desk / name).exists()
                    ):
                        beyond.arrives(name, desk)
                capsys.readouterr()
                assert main(words[1:]) == 0, (line, capsys.readouterr())
                got = capsys.readouterr()
                shown += got.out + got.err
                commands += 1
        elif kind == "text":
            for line in block.splitlines():
                assert line in shown, (line, shown)
    assert commands == 11
