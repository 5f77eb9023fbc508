"""The club's machine dies, and a backup is all that is left (protocol 18)."""

from __future__ import annotations

import re
import shutil

import pytest

from pbem.player import Home
from tests.disputes.story import GAME, SIDES, Story

pytestmark = pytest.mark.ci


def back_up(story: Story) -> None:
    """An archive of the club, when all letters have been read."""
    for name in SIDES:
        story.receive(name)
    story.pbem("backup", story.folder / "club.tar.gz")


def restore(story: Story) -> None:
    """The machine is gone; the backup is restored on another."""
    shutil.rmtree(story.folder / "club")
    told = story.pbem("restore", story.folder / "club.tar.gz", story.folder / "club")
    assert "pbem club confirm stirling SIZE HEAD" in told.err
    assert "before: pbem club take-over" in told.out
    story.pbem("take-over")


def head_of(story: Story, name: str) -> tuple[str, str]:
    """Size and head at the end of the last report that a player has received."""
    reports = sorted((story.folder / name / "games" / GAME / "reports").glob("*.txt"))
    found = re.findall(
        r"The ledger holds (\d+) entries; its head is\n\s+([0-9a-f]{64})", reports[-1].read_text()
    )
    size, head = found[-1]
    return size, head


def last_head(story: Story) -> tuple[str, str]:
    """The highest checkpoint that alice keeps."""
    kept = sorted((story.folder / "alice/games" / GAME / "held").glob("checkpoint*.txt"))
    lines = dict(line.split(" ", 1) for line in kept[-1].read_text().splitlines())
    return lines["size"], lines["head"]


def test_a_game_goes_on_exactly_when_the_backup_is_up_to_date(played: Story) -> None:
    back_up(played)
    restore(played)
    assert "nothing is signed for them before you enter" in played.pbem("run", status=1).err
    played.pbem("confirm", GAME, *last_head(played))
    played.exchange(alice="done\n", bob="done\n")
    played.bundle()
    assert "Exchange 4 has been played" in played.receive("bob")


def test_what_is_lost_is_named_and_nothing_is_signed(played: Story) -> None:
    """The attack, or the accident: the judge goes on from an old copy and signs a second history."""
    back_up(played)
    played.exchange(alice="done\n", bob="done\n")
    for name in SIDES:
        played.receive(name)
    restore(played)
    told = played.pbem("confirm", GAME, *last_head(played), status=1)
    assert re.search(r"the backup of stirling is too old: .* entries \d+ to \d+ are lost", told.err)
    assert "nothing is signed for them before you enter" in played.pbem("run", status=1).err


def test_a_head_that_is_not_the_highest_does_not_do(played: Story) -> None:
    """The attack: an old head is entered, so that a later one need not be kept to."""
    back_up(played)
    restore(played)
    size, head = head_of(played, "alice")
    assert "was signed after that one" in played.pbem("confirm", GAME, size, head, status=1).err
    assert "this ledger has the head" in played.pbem("confirm", GAME, size, "0" * 64, status=1).err


def test_the_game_master_does_nothing_to_a_game_that_waits(played: Story) -> None:
    back_up(played)
    restore(played)
    told = played.pbem("act", GAME, "hold", "--reason", "x", status=1)
    assert "was restored from a backup" in told.err


def give_up(story: Story, name: str, *words: object, status: int = 0) -> str:
    """What a player is told who consents that the restored game is put away."""
    path = story.folder / f"{name}.consent"
    return story.pbem("consent", GAME, 4, *words, "--as", name, "--out", path, home=name, status=status).err


def test_a_player_gives_a_game_up_only_knowing_what_is_lost(played: Story) -> None:
    """The attack: a judge restores an old backup and has the game put away, and nobody looks what is lost."""
    back_up(played)
    backed_up = last_head(played)
    played.exchange(alice="done\n", bob="done\n")
    for name in SIDES:
        played.receive(name)
    restore(played)
    put = ("put-away", GAME, "--reason", "the disk died")
    told = played.pbem(*put, status=1).err
    what = ("put-away", *backed_up)
    assert f"pbem sign consent {GAME} 4 {' '.join(what)}" in told
    told = give_up(played, "alice", *what, status=1)
    lost = int(last_head(played)[0]) - int(backed_up[0])
    assert f"{lost} entries of {GAME} that the judge has signed" in told
    assert "exchange 4 as it was played" in told
    assert not (played.folder / "alice.consent").exists()
    assert "are lost, not 1" in give_up(played, "alice", *what, "--lost", 1, status=1)
    for name in SIDES:
        assert give_up(played, name, *what, "--lost", lost) == ""
    given = [part for name in SIDES for part in ("--consent", played.folder / f"{name}.consent")]
    assert "is put away" in played.pbem(*put, *given).out


def test_a_player_gives_a_game_up_by_the_judge_s_last_head_alone(played: Story) -> None:
    """A head that is not theirs is another history; one beyond this ledger is not known here."""
    back_up(played)
    size, head = last_head(played)
    restore(played)
    assert "name the judge's head at which" in give_up(played, "alice", "put-away", status=1)
    assert "two histories" in give_up(played, "alice", "put-away", size, "e" * 64, status=1)
    assert "receive" in give_up(played, "alice", "put-away", int(size) + 1, head, status=1)
    before = int(size) - 1
    wrong = Home(played.folder / "alice").folder(GAME).chronicle()
    assert wrong is not None
    give_up(played, "alice", "put-away", before, wrong.head_at(before), "--lost", 1)
    put = ("put-away", GAME, "--reason", "the disk died", "--consent", played.folder / "alice.consent")
    assert f"not to 'put-away {size} {head}'" in played.pbem(*put, status=1).err
