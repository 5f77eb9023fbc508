"""A rehearsal is safe: a restored folder with the live club's settings stops nothing and sends nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge import adjudication
from pbem.judge.adjudication import Difference
from pbem.judge.book import Book
from pbem.judge.club import Club, open_club
from pbem.judge.upkeep import backups
from pbem.judge.upkeep.folder_identity import Elsewhere, Resting
from tests.judge.table import GAME
from tests.mail.postal import Postal
from tests.mail.test_avoided import open_next
from tests.mail.test_identity import another

pytestmark = pytest.mark.ci
GM = "gm@club.example"


@pytest.fixture
def live(postal: Postal, tmp_path: Path) -> Postal:
    """A club with a journal, whose game master hears of alerts by mail, command and heartbeat."""
    journal = tmp_path / "journal"
    journal.mkdir()
    told = {"address": GM, "command": f"touch {tmp_path}/told", "heartbeat": f"touch {tmp_path}/beaten"}
    postal.settle(watch=told, journal={"folder": str(journal)}, sent_to="sent@club.example")
    postal.run()
    postal.go()
    return postal


def boxes(live: Postal) -> dict[str, bytes]:
    """Every file of the judge's mailbox, by its name, and all mails that have left."""
    found = {str(path): path.read_bytes() for path in live.post.box("judge").rglob("*") if path.is_file()}
    for name in ("alice", "bob", "gm", "sent"):
        found |= {str(path): path.read_bytes() for path in live.post.box(name).rglob("*") if path.is_file()}
    return found


def test_a_restored_folder_rests_until_it_takes_over(
    live: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = live.back_up(tmp_path)
    live.go()
    live.send(live.table.sealed("alice"))
    before, journal = boxes(live), sorted((tmp_path / "journal").iterdir())
    for name in ("told", "beaten"):
        (tmp_path / name).unlink(missing_ok=True)
    folder = tmp_path / "drill"
    assert main(["restore", str(archive), str(folder)]) == 0
    assert f"before: pbem club take-over --club {folder}" in capsys.readouterr().out
    for _ in range(2):
        assert main(["run", "--after-gap", "--club", str(folder)]) == 1
        assert "has not begun: it reads no mail and sends nothing" in capsys.readouterr().err
    club = open_club(folder, live.table.clock)
    drill = another(live, folder)
    with pytest.raises(Resting):
        drill.run()
    (verdict,) = drill.table.send("bob")
    assert not verdict.is_accepted
    club.store.close()
    assert boxes(live) == before
    assert sorted((tmp_path / "journal").iterdir()) == journal
    assert not (tmp_path / "told").exists()
    assert not (tmp_path / "beaten").exists()
    assert not list((folder / "out").rglob("*.txt"))
    live.run()
    live.go()
    assert main(["status", "--club", str(live.table.club.path)]) == 0
    assert "elsewhere" not in capsys.readouterr().err


def test_once_it_has_taken_over_the_other_says_so(
    live: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In status and doctor, also before its next pass ends."""
    archive = live.back_up(tmp_path)
    backups.restore(archive, tmp_path / "other").store.close()
    assert main(["take-over", "--club", str(tmp_path / "other")]) == 0
    other = another(live, tmp_path / "other")
    other.run()
    other.go()
    capsys.readouterr()
    with pytest.raises(Elsewhere):
        live.run()
    path = str(live.table.club.path)
    assert main(["status", "--club", path]) == 1
    assert "put it away" in (told := capsys.readouterr().err) or "goes on" in told
    assert main(["status", "--json", "--club", path]) == 1
    assert "take-over" in json.loads(capsys.readouterr().out)["elsewhere"]
    main(["doctor", "--club", path])
    assert "pbem club take-over" in "".join(capsys.readouterr())
    live.table.club.store.close()
    assert main(["take-over", "--club", path]) == 0
    live.table.club = open_club(Path(path), live.table.clock)
    live.run()
    assert main(["status", "--json", "--club", path]) in (0, 1)
    assert json.loads(capsys.readouterr().out.partition("{")[2].join(("{", "")))["elsewhere"] == ""


def test_a_rehearsal_says_what_would_go_on_and_leaves_nothing(
    live: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = live.back_up(tmp_path)
    before = boxes(live)
    assert main(["restore", str(archive), "--rehearse"]) == 0
    told = capsys.readouterr().out
    assert f"{GAME} would go on\n" in told
    assert "this was a rehearsal" in told
    for record in (tmp_path / "journal").iterdir():
        record.unlink()
    assert main(["restore", str(archive), "--rehearse"]) == 1
    assert f"{GAME} would wait until its highest head that was sent is entered" in capsys.readouterr().out
    assert boxes(live) == before
    assert main(["restore", str(archive)]) == 2
    assert main(["restore", str(archive), str(tmp_path / "x"), "--rehearse"]) == 2
    assert "name either a new folder, or say --rehearse" in capsys.readouterr().err


def test_a_rehearsal_plays_every_game_again(
    live: Postal, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_next(live.table)
    live.run()
    archive = live.back_up(tmp_path)
    played: list[str] = []

    def compare(_: Club, book: Book) -> Difference | None:
        played.append(book.game)
        return Difference(book.game, 1, "what happens") if book.game == GAME else None

    monkeypatch.setattr(adjudication, "compare", compare)
    assert main(["restore", str(archive), "--rehearse"]) == 1
    assert played == ["demo", "next"]
    told = capsys.readouterr().out
    assert "demo would be stopped: the installed rules play it differently" in told
    assert "next would go on" in told, "and it ends with 1 for the first"


def test_a_rehearsal_reads_the_sent_mail(
    postal: Postal, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a journal a game waits; the sent mail says which would be confirmed, and which is too old."""
    postal.settle(sent_to="archive@club.example")
    postal.run()
    postal.go()
    archive, sent = postal.back_up(tmp_path), str(postal.post.box("archive"))
    assert main(["restore", str(archive), "--rehearse"]) == 1
    assert "demo would wait until its highest head" in capsys.readouterr().out
    assert main(["restore", str(archive), "--rehearse", "--sent", sent]) == 0
    told = capsys.readouterr().out
    assert "demo would go on from" in told
    assert "letters of demo in the sent mail are known" in told
    assert "only --sent was read, nothing was sent" in told
    page = " ".join((project / "pbem/docs/operator.md").read_text(encoding="utf-8").split())
    (says,) = re.findall(r'Each line but the last should begin with the game or league and "(.*?)"', page)
    assert all(line.partition(" ")[2].startswith(says) for line in told.splitlines()[:-1])
    postal.go()
    assert main(["restore", str(archive), "--rehearse", "--sent", sent]) == 1
    assert "the sent mail does not confirm it: the backup of demo is too old" in capsys.readouterr().out


def test_the_sent_mail_is_read_by_a_rehearsal_alone(
    tmp_path: Path, live: Postal, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = live.back_up(tmp_path)
    assert main(["restore", str(archive), str(tmp_path / "x"), "--sent", str(tmp_path)]) == 2
    assert "--sent belongs to --rehearse" in capsys.readouterr().err
