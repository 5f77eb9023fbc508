"""What stands in notes of several games at once is seen of each of them, and of no other."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import ConfigError
from pbem.judge.agenda import (
    UNCONFIRMED,
    check_ledgers,
    held_games,
    note_held,
    read_agendas,
    standing_line,
    unconfirmed_ledgers,
)
from pbem.judge.deadlines import waits_for_mail
from pbem.judge.export import export
from pbem.judge.intake import quarantine
from pbem.judge.intake.desk import keep_apart
from pbem.judge.intake.player_files import Verdict
from pbem.judge.newgame import new_game
from pbem.judge.tables.note_tables import CHECKED, CONFIRMED, DISAGREES, PUT_AWAY, RESTORED
from pbem.trust.times import utc_text
from tests.judge.table import GAME, SEATS, START, TITLE, Table


@pytest.mark.ci
def test_each_note_of_a_game_is_in_its_agenda(table: Table) -> None:
    """Two games of each kind: put away, in dispute, unconfirmed; one is as it was."""
    club = table.club
    seats = {side: name for name, side in SEATS.items()}
    for game in "bcdefg":
        new_game(club, game, TITLE.name, TITLE.excerpt or {}, seats)
    before = read_agendas(club)
    notes = {f"{PUT_AWAY}b": "x", f"{PUT_AWAY}c": "x", f"{DISAGREES}d": "one", f"{DISAGREES}e": "two"}
    notes |= {RESTORED: "now", f"{CONFIRMED}{GAME}": "now", f"{CONFIRMED}f": "before"}
    with club.store.step():
        for name, value in notes.items():
            club.store.put_note(name, value)
    away = {"over": True, "exchange": 0, "waiting": (), "senders": ()}
    changed: dict[str, dict[str, Any]] = {
        "b": away,
        "c": away,
        "d": {"trouble": "one", "exchange": 0},
        "e": {"trouble": "two", "exchange": 0},
        "f": {"trouble": UNCONFIRMED, "exchange": 0},
        "g": {"trouble": UNCONFIRMED, "exchange": 0},
    }
    after = read_agendas(club)
    assert after == {game: one._replace(**changed.get(game, {})) for game, one in before.items()}
    assert [standing_line(after[game]).partition(": ")[2] for game in (GAME, "b", "d", "f")] == [
        "exchange 1 open, waiting for alice and bob, until 2026-01-08T12:00:00Z",
        "over",
        "held by the judge",
        "held by the judge",
    ]
    assert unconfirmed_ledgers(club) == ["d", "e", "f", "g"]
    for game, why in (("d", "why d"), ("e", "why e"), ("f", "why f"), ("f", "")):
        note_held(club, game, why)
    assert held_games(club) == {"d": "why d", "e": "why e"}
    checked = []
    for most in (1, 3, 3, 3, None):
        check_ledgers(club, most)
        checked.append(club.store.note(CHECKED))
    assert checked == ["b", GAME, "g", "d", "g"]


@pytest.mark.parametrize(
    ("whys", "said"),
    [(("", ""), []), (("", "two", "three"), ["bob in demo: two"]), (("one", ""), ["bob in demo: one"])],
)
def test_any_file_of_a_mail_can_set_it_apart(table: Table, whys: tuple[str, ...], said: list[str]) -> None:
    quarantine.set_apart(table.club, quarantine.FILE, 7, "before")
    keep_apart(table.club, 7, [Verdict(False, "", GAME, "bob", apart=why) for why in whys])
    assert [one.why for one in quarantine.all_apart(table.club)] == said


@pytest.mark.parametrize(
    ("audience", "reason", "words"), [("mars", "why", "not for mars"), (SEATS["bob"], " ", "add --reason")]
)
def test_a_bundle_that_is_refused_enters_no_look(
    table: Table, tmp_path: Path, audience: str, reason: str, words: str
) -> None:
    before = table.ledger()
    with pytest.raises(ConfigError, match=words):
        export(table.club, GAME, audience, tmp_path / "bundle", reason)
    assert table.ledger() == before
    assert not (tmp_path / "bundle").exists()


HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
BY_MAIL = {"mail": {"outbox": {"host": "x"}}}


def answered_by(until: datetime) -> str:
    return f"the report was sent late, and bob has until {utc_text(until)} to answer it"


@pytest.mark.parametrize(
    ("settings", "letters", "now", "said"),
    [
        ({}, {"1-report": None}, 7 * HOUR, ""),
        (BY_MAIL, {"1-report": None}, 7 * HOUR, "letters to bob have not been sent"),
        (BY_MAIL, {"1-report": 6 * HOUR}, 7 * HOUR, ""),
        (BY_MAIL, {"1-receipt-0001": 7 * HOUR}, 7 * HOUR, ""),
        (BY_MAIL, {"1-report": 6 * HOUR + SECOND}, 7 * HOUR, answered_by(START + 30 * HOUR + SECOND)),
        (BY_MAIL, {"1-report": 6 * HOUR + SECOND}, 30 * HOUR, answered_by(START + 30 * HOUR + SECOND)),
        (BY_MAIL, {"1-report": 6 * HOUR + SECOND}, 30 * HOUR + SECOND, ""),
        (BY_MAIL, {"1-report": 9 * HOUR, "2-report": 7 * HOUR}, 32 * HOUR, answered_by(START + 33 * HOUR)),
        (BY_MAIL, {"1-report": 9 * HOUR, "2-report": None}, 10 * HOUR, "letters to bob have not been sent"),
    ],
)
def test_an_exchange_waits_for_who_had_the_report_late(
    table: Table, settings: dict[str, object], letters: dict[str, timedelta | None], now: timedelta, said: str
) -> None:
    """Letters are written at the start, and sent so long after it, or not yet."""
    club = table.club
    with club.store.step():
        for letter in club.store.letters():
            club.store.mark_sent(letter.id, utc_text(START))
        for name in letters:
            club.store.add_letter(GAME, "bob", f"{name}.txt", b"", text="x")
        for letter in club.store.first_copies(GAME, "bob"):
            if after := letters.get(letter.name.removesuffix(".txt")):
                club.store.mark_sent(letter.id, utc_text(START + after))
    club.settings = settings
    table.clock.now = START + now
    assert waits_for_mail.why_mail_delays(club, GAME, "bob") == said
    assert waits_for_mail.why_mail_delays(club, GAME, "alice") == ""


def test_each_trouble_with_a_readers_mail_has_three_days_of_its_own(table: Table) -> None:
    club = table.club
    with club.store.step():
        for letter in club.store.letters():
            club.store.mark_sent(letter.id, utc_text(START))
        club.store.add_letter(GAME, "bob", "1-report.txt", b"", text="x")
    club.settings = BY_MAIL
    waits = []
    for days, trouble in enumerate(("put off", "put off", "", "put off", "put off", "put off", "put off")):
        table.clock.now = START + days * 24 * HOUR
        with club.store.step():
            club.store.mark_trouble(club.store.letters()[-1].id, trouble)
        waits.append(bool(waits_for_mail.why_mail_delays(club, GAME, "bob")))
    assert waits == [True] * 6 + [False]
