"""How much work mails and players are, in counts: what does not grow with the club, and what is done once."""

from __future__ import annotations

import mailbox
from collections import Counter
from collections.abc import Iterator
from email.headerregistry import ParameterizedMIMEHeader
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.judge import book
from pbem.judge.adjudication import run_game
from pbem.judge.agenda import Agenda
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import Rhythm
from pbem.judge.game_status import status_lines
from pbem.judge.intake.desk import open_desk
from pbem.judge.tables.store import Store
from pbem.mail.compose import as_bytes, compose
from pbem.mail.inbox import Inbox
from pbem.mail.settings import read_settings
from pbem.service.one_pass import Pass
from tests.judge.table import GAME, SEATS, Table, make_table
from tests.mail.postal import mail, write_settings


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A club that mails, and passes copies on."""
    table = make_table(tmp_path)
    write_settings(table, {"copies": "relay", "outbox": {"sendmail": "true"}})
    return table


def test_an_exchange_reads_none_but_its_own_players(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Receipts, copies and reports are written for those who play, however many are in the club."""
    read: Counter[str] = Counter()

    def counted(what: str) -> None:
        whole = getattr(Store, what)

        def reading(store: Store) -> object:
            read[what] += 1
            return whole(store)

        monkeypatch.setattr(Store, what, reading)

    for what in ("players", "profiles", "games"):
        counted(what)
    for name in SEATS:
        (verdict,) = table.send(name)
        assert verdict.new
    assert run_game(table.club, GAME)
    assert {name for _, name, _ in table.club.store.letter_names(GAME)} > {f"{GAME}-0001-report.txt"}
    assert read == {}


def test_a_pass_looks_up_the_rhythm_of_a_game_whose_deadline_is_far_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a club of 10,000 games nearly all are such."""
    table.go()
    list(Pass(table.club).run())
    asked: list[str] = []
    rhythm = Club.rhythm

    def asking(club: Club, game: str) -> Rhythm:
        asked.append(game)
        return rhythm(club, game)

    monkeypatch.setattr(Club, "rhythm", asking)
    list(Pass(table.club).run())
    assert asked == [GAME], "whether a reminder is due"
    asked.clear()
    table.clock.pass_days(6.5)
    list(Pass(table.club, after_gap=True).run())
    assert len(asked) > 1, "it is near now"


class Walked(dict[str, Agenda]):
    """Agendas that count how often somebody goes through all of them."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        self.times += 1
        return super().__iter__()

    def values(self) -> Any:
        self.times += 1
        return super().values()


def test_for_a_mail_that_names_its_game_no_other_is_looked_at(table: Table) -> None:
    desk, settings = open_desk(table.club), read_settings(table.club.settings, table.club.path)
    assert settings is not None
    desk.agendas = walked = Walked(desk.agendas)
    inbox = Inbox(table.club, settings, desk)
    games = inbox._games_by_address  # once for all mails
    assert games
    walked.times = 0
    for name in SEATS:
        raw = mail(table.sealed(name), f"{name}@example.org", Subject=f"Re: {GAME} for {name}")
        with table.club.store.step():
            table.club.store.add_incoming("2026-01-01T12:00:00Z", raw, "", name)
    taken = [one.text for one in inbox.take_in()]
    assert ["received" in text for text in taken] == [True] * len(SEATS)
    assert walked.times == 0


def test_what_headers_of_mails_share_is_read_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """To read the headers that it is given takes the library longer than all else of a receipt's mail."""
    table.go()
    settings = read_settings(table.club.settings, table.club.path)
    assert settings is not None
    receipts = [one for one in table.club.store.letters() if "-receipt-" in one.name]
    assert len(receipts) == len(SEATS)
    compose(receipts[0], "first@example.org", settings)
    read: list[str] = []
    parse = ParameterizedMIMEHeader.parse.__func__  # type: ignore[attr-defined]

    def parsing(header: type, value: str, kwds: dict[str, object]) -> None:
        read.append(value)
        parse(header, value, kwds)

    monkeypatch.setattr(ParameterizedMIMEHeader, "parse", classmethod(parsing))
    mail = compose(receipts[1], "second@example.org", settings)
    named = [part.get_filename() for part in mail.walk() if part.get_filename()]
    assert named
    assert len(read) <= len(named), read


def test_a_mail_leaves_as_the_library_writes_it(table: Table) -> None:
    """Every kind of letter of an exchange, written at once and line by line."""
    table.go()
    settings = read_settings(table.club.settings, table.club.path)
    assert settings is not None
    letters = table.club.store.letters()
    assert len({one.name.split("-")[2] for one in letters}) > 1
    for letter in letters:
        composed = compose(letter, "first@example.org", settings)
        assert as_bytes(composed) == composed.as_bytes()


@given(st.text("aF.\r\n \x0b\udce9", max_size=24), st.text("a\r\n", max_size=6))
def test_line_ends_are_written_as_the_library_writes_them(text: str, around: str) -> None:
    message, part = EmailMessage(policy=SMTP), EmailMessage(policy=SMTP)
    part.set_payload(text)
    message.make_mixed("mixed")
    message.attach(part)
    message.preamble = message.epilogue = around
    assert as_bytes(message) == message.as_bytes()


GROWS = ("incoming", "letter", "entry", "sealed")
"""Tables that grow with each exchange of a club."""


def test_no_mail_has_the_database_look_at_every_mail_and_letter(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statement of a pass finds its rows by an index, as the database itself explains it."""
    box = table.club.path.parent / "box"
    mailbox.Maildir(box)
    write_settings(table, {"copies": "relay", "inbox": {"maildir": str(box)}, "outbox": {"sendmail": "true"}})
    list(Pass(table.club).run())
    for name in SEATS:
        mailbox.Maildir(box).add(mail(table.sealed(name), f"{name}@example.org"))
    statements: list[str] = []
    table.club.store.connection.set_trace_callback(statements.append)
    lines = [line.text for line in Pass(table.club).run()]
    table.club.store.connection.set_trace_callback(None)
    assert any("2 mails fetched" in line for line in lines)
    assert any("is open" in line for line in lines)
    found = set()
    for statement in {one for one in statements if one.startswith(("SELECT", "UPDATE", "DELETE"))}:
        plan = table.club.store.connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        found |= {f"{row[3]}: {statement}" for row in plan if row[3] in {f"SCAN {name}" for name in GROWS}}
    assert found == set()


def test_status_reads_no_ledger_after_a_pass(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pass has read those that have grown, and keeps each game's line."""
    box = table.club.path.parent / "box"
    mailbox.Maildir(box)
    write_settings(table, {"inbox": {"maildir": str(box)}, "outbox": {"sendmail": "true"}})
    read: list[str] = []
    load = book.load_book

    def loading(*given: object) -> object:
        read.append(str(given[1]))
        return load(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(book, "load_book", loading)
    for names in (SEATS, SEATS, ["alice"]):
        for name in names:
            mailbox.Maildir(box).add(mail(table.sealed(name), f"{name}@example.org"))
        list(Pass(table.club).run())
        table.reopen()
        read.clear()
        (line,) = status_lines(table.club).values()
        assert read == []
    assert "waiting for bob" in line
