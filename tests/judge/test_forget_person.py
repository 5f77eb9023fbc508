"""A person is forgotten everywhere: something of theirs is put into each place, and looked for afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.desk.deeds import DEEDS, command_of
from pbem.judge.club import open_club
from tests.web.table import CommandPlayer, Judge, pbem

pytestmark = pytest.mark.ci
ADDRESS = "alice.a@mail.example"
CLUB = """
[site]
name = "The Hearth"
[box]
folder = "box"
url = "https://box.club.example/"
[press]
kind = "grey"
"""


def kept(club: Path, *words: bytes) -> list[str]:
    """Where one of these words stands, in files and in the database; there are no backups here."""
    found = [
        path.relative_to(club).as_posix()
        for path in sorted(club.rglob("*"))
        if path.is_file() and any(word in path.read_bytes() for word in words)
    ]
    store = open_club(club).store
    rows = [
        f"incoming {number}" for number, raw in store.stored_arrivals() if any(word in raw for word in words)
    ]
    notes = [name for name, note in store.notes("").items() if any(word in note.encode() for word in words)]
    store.close()
    return [*found, *rows, *notes]


@pytest.fixture
def over(tmp_path: Path) -> tuple[Judge, CommandPlayer]:
    """A club in whose every place there is something of alice, whose one game has been agreed a draw."""
    judge = Judge(tmp_path)
    with (judge.club / "club.toml").open("a") as settings:
        settings.write(CLUB)
    pair = [CommandPlayer(name, tmp_path / "homes") for name in ("alice", "bob")]
    joins = {side: one.join("first", judge) for side, one in zip(("scotland", "england"), pair, strict=True)}
    judge.open("first", "hammer", joins, scenario="braveheart")
    alice, bob = pair
    for one in pair:
        one.read_letters(judge)
    out = tmp_path / "signed.txt"

    def signed(player: CommandPlayer, *words: object) -> Path:
        pbem("sign", *words, "--out", out, "--force", PBEM_HOME=player.home)
        return out

    public = alice.home / f"keys/{alice.name}.pub"
    judge.run("player", "add", "alice", public, "--address", ADDRESS)
    profile = ("profile", "--as", "alice", "--zone", "Europe/Lisbon", "--share-address", ADDRESS, "--publish")
    wishes = signed(alice, *profile, "--avoid", "dorothea").read_text()
    by_desk = command_of(DEEDS["submit"], {"signed": wishes}, judge.club)
    judge.run("submit", by_desk[-1])
    judge.run("submit", signed(bob, "profile", "--as", "bob", "--publish"))
    judge.run(
        "submit", signed(alice, "absence", "--as", "alice", "--from", "2090-01-01", "--until", "2090-01-03")
    )
    judge.run("run")
    consents = []
    for one in pair:
        path = tmp_path / f"{one.name}.consent"
        path.write_bytes(signed(one, "consent", "first", 1, "agree-draw", "--as", one.name).read_bytes())
        judge.run("submit", path)
        consents += ["--consent", path]
    judge.run("game", "act", "first", "agree-draw", "--reason", "agreed", *consents)
    judge.run("run", may_fail=True)
    judge.run("site", judge.club / "www")
    return judge, alice


def test_each_place_forgets_a_person(over: tuple[Judge, CommandPlayer]) -> None:
    judge, alice = over
    before = kept(judge.club, ADDRESS.encode(), b"Europe/Lisbon", b"2090-01-01", b"dorothea")
    assert before, "there is something to forget"
    assert any((judge.club / "out/alice").iterdir())
    assert list((judge.club / "consents").glob("*-alice-*"))
    assert "alice" in (judge.club / "www/index.html").read_text(encoding="utf-8")
    told = judge.run("forget", "alice")
    assert "alice is forgotten" in told
    judge.run("site", judge.club / "www")
    assert kept(judge.club, ADDRESS.encode(), b"Europe/Lisbon", b"2090-01-01", b"dorothea") == []
    assert not (judge.club / "out/alice").exists()
    assert not list((judge.club / "consents").glob("*-alice-*"))
    pages = b"".join(path.read_bytes() for path in (judge.club / "www").rglob("*.html"))
    assert b"alice" not in pages
    assert b"alice" not in b"".join(path.read_bytes() for path in (judge.club / "www").rglob("*.xml"))
    assert alice.name in judge.run("game", "info", "first"), "the ledger's names stay, and are said to"
    assert "ledgers keep their name and key" in told
