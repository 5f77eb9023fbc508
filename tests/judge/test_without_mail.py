"""A club without mail: its letters are files, and what players have signed is handed in."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.judge.acts import act
from pbem.judge.agenda import read_agendas
from pbem.judge.deadlines.running_deadlines import remind
from pbem.judge.letters.letter_files import deliver
from pbem.judge.newgame import new_game
from pbem.judge.tables.database import AbsenceRow
from pbem.judge.tables.note_tables import DISAGREES
from pbem.mail.mail_problems import other_ways
from pbem.service.doctor import examine
from tests.judge.every_game import run_pass
from tests.judge.table import GAME, TITLE, Table


def _absence(table: Table, name: str = "alice") -> bytes:
    return table.absence(date(2026, 1, 6), date(2026, 1, 12), name, table.people["alice"].key)


def test_a_player_receives_a_letter_that_is_only_words(
    table: Table, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reminder beside reports is shown, as what nobody has signed; one that lost its end is no letter."""
    monkeypatch.setenv("PBEM_HOME", str(tmp_path / "home"))
    table.go()
    table.clock.pass_days(6)
    assert list(remind(table.club, read_agendas(table.club).values()))
    path = next(path for path in deliver(table.club) if "reminder" in path.name)
    assert main(["receive", str(path)]) == 0
    told = capsys.readouterr()
    assert "the judge has no orders from you" in told.out
    assert "nobody has signed this; it proves nothing" in told.err
    cut = tmp_path / "cut.txt"
    cut.write_text(path.read_text(encoding="utf-8").partition("\nNobody")[0], encoding="utf-8")
    assert main(["receive", str(cut)]) == 1
    assert "holds nothing sealed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("senders", "delay", "is_told"),
    [(("bob",), 0, True), ((), 0, False), (("bob",), 2, False), (("nobody else plays",), 0, False)],
)
def test_a_reminder_says_whose_file_alone_is_awaited_where_everybody_may_know(
    table: Table, senders: tuple[str, ...], delay: int, is_told: bool
) -> None:
    table.club.settings = {**table.club.settings, "public": {"delay_exchanges": delay}}
    table.go()
    table.clock.pass_days(6)
    for name in table.people.keys() & senders:
        table.send(name)
    agenda = read_agendas(table.club)[GAME]
    if senders == ("nobody else plays",):
        agenda = agenda._replace(players=("alice",), waiting=("alice",), senders=("alice",))
    assert list(remind(table.club, [agenda]))
    (text,) = [one.text for one in table.club.store.letters_to(GAME, "alice") if "reminder" in one.name]
    assert ("Yours is the last file that is awaited: all others are in." in text) == is_told


def test_a_signed_absence_is_handed_in(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "absence.txt"
    path.write_bytes(_absence(table))
    table.club.store.close()
    assert main(["submit", str(path), "--club", str(table.club.path)]) == 0
    assert capsys.readouterr().out == "absence of alice, 2026-01-06 until 2026-01-12\n"
    table.reopen()
    (row,) = table.club.store.absences("alice")
    assert (row.begins, row.ends) == ("2026-01-06", "2026-01-12")


def test_an_absence_that_another_signed_is_not_taken(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "absence.txt"
    path.write_bytes(_absence(table, name="bob"))
    table.club.store.close()
    assert main(["submit", str(path), "--club", str(table.club.path)]) == 1
    assert "signed statement refused" in capsys.readouterr().err
    table.reopen()
    assert list(table.club.store.absences("bob")) == []


def _status(table: Table, capsys: pytest.CaptureFixture[str]) -> str:
    table.club.store.close()
    main(["status", "--club", str(table.club.path)])
    told = capsys.readouterr()
    assert "fault" not in told.err, told.err
    table.reopen()
    return told.out


def test_status_shows_hold_and_over(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    table.go(2)
    assert "on hold" not in _status(table, capsys)
    act(table.club, GAME, "hold", reason="holidays", consents=[])
    assert f'; on hold: pbem game act {GAME} resume --reason "..."' in _status(table, capsys)
    (ledgers,) = (one for one in examine(table.club) if one.what == "ledgers")
    assert ledgers.state == "right", "the doctor has nothing to find: the status says it"


def test_a_finished_game_waits_for_nothing(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    """Though a mistake in its settings, or what was kept of it, has held it up before."""
    table.go()
    act(table.club, GAME, "concede", "bob", reason="so signed", consents=[table.consent("concede bob")])
    with table.club.store.step():
        table.club.store.put_note(f"{DISAGREES}{GAME}", "held: it does not fit")
    with (table.club.path / "club.toml").open("a") as file:
        file.write(f"[rhythm.{GAME}]\ndais = 7\n")
    assert main(["status", "--club", str(table.club.path)]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith(f"{GAME}: ")]
    assert line.endswith("; over")
    (ledgers,) = (one for one in examine(table.club) if one.what == "ledgers")
    assert ledgers.state == "right"


def test_status_tells_of_letters_that_nothing_mails(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    table.go(1)
    told = _status(table, capsys)
    assert "letters will be sent in the next pass" in told
    assert len(deliver(table.club)) > 1
    assert deliver(table.club) == []  # what has left is not written again
    (told,) = other_ways(table.club)
    assert told.startswith("nothing is mailed, because the club has no [mail] outbox; letters are in")
    assert told.endswith("look at it with: pbem club doctor")


def test_a_bare_receipt_names_the_orders_that_still_rule(table: Table) -> None:
    table.go()
    for name, body in (("alice", "card 1\nplan any:\npass\n"), ("bob", "card 1\n")):
        table.send(name, body)
    run_pass(table.club)
    for name in ("alice", "bob"):
        table.send(name)
    said = {letter.player: letter.text for letter in table.club.store.letters() if "-receipt-" in letter.name}
    assert "This file orders nothing new. What you sent before still counts:" in said["alice"]
    assert "In any battle:" in said["alice"]
    assert "Nothing was ordered." in said["bob"]


def test_who_is_away_when_an_exchange_is_opened_has_the_days_after_it(table: Table) -> None:
    """In a game that goes on, and in one that begins."""
    with table.club.store.step():
        table.club.store.add_absence(AbsenceRow("alice", "2026-01-05", "2026-01-12", "2026-01-01", b""))
    table.go()
    seats = {one.side: replace(one.join(), game="next") for one in table.people.values()}
    begun = new_game(table.club, "next", TITLE.name, dict(TITLE.excerpt or {}), seats)
    for book in (table.book, begun):
        opened = book.history.exchanges[-1].opened
        assert [line.rpartition(" ")[0] for line in opened.extra] == ["absence alice"]
        assert opened.deadline is not None
        assert opened.deadline.date() > date(2026, 1, 12)


@pytest.mark.parametrize("order", [("bad", "good"), ("good", "bad")])
def test_of_two_files_the_bad_one_decides_the_status_and_both_are_told(
    order: tuple[str, str], table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good").write_bytes(table.sealed("alice"))
    (tmp_path / "bad").write_bytes(b"no orders\n")
    table.club.store.close()
    files = [str(tmp_path / name) for name in order]
    assert main(["submit", *files, "--club", str(table.club.path)]) == 1
    told = capsys.readouterr()
    assert "received" in told.out
    assert "nothing sealed" in told.out + told.err
    table.reopen()
    assert [one.player for one in table.book.history.exchanges[0].received] == ["alice"]
