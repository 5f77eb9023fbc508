"""More time that all who play have agreed on is entered by itself, once an exchange, where it is allowed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pbem.audit import audit
from pbem.audit.findings import State
from pbem.errors import ConfigError, LedgerError
from pbem.judge.acts import act, extend
from pbem.judge.agenda import read_agendas
from pbem.judge.export import export
from pbem.judge.intake.consents import StoredConsent, take_consent
from pbem.judge.intake.waiting_list import waiting_consents
from pbem.trust.act_entries import HOLD, LOOK, RESUME
from pbem.trust.entries import Extend
from pbem.trust.formats import MAX_ACTS_IN_EXCHANGE
from pbem.trust.times import utc_text
from tests.audit.script import verify_sh
from tests.judge.every_game import run_pass
from tests.judge.press import read_by
from tests.judge.table import GAME, Table, make_table
from tests.judge.test_press import state

DAY = timedelta(days=1)


def allow(table: Table, days: float = 2) -> None:
    """Have club.toml allow players to agree on so many days."""
    with (table.club.path / "club.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[rhythm]\nagreed_days = {days}\n")
    table.reopen()


@pytest.fixture
def three(tmp_path: Path) -> Table:
    """A table of three whose club lets them agree on two days more."""
    table = make_table(tmp_path, title="lords", players=3)
    allow(table)
    return table


def sign(table: Table, name: str, time: datetime | None = None) -> StoredConsent:
    """A player signs that the open exchange may end at a time, in a day by default."""
    to = f"extend {utc_text(time or table.deadline + DAY)}"
    with table.club.store.step():
        return take_consent(table.club, table.consent(to, by=name))


def agree(table: Table, time: datetime | None = None) -> datetime:
    """All sign it; when the exchange ends then."""
    later = time or table.deadline + DAY
    for name in table.people:
        sign(table, name, later)
    return later


def test_what_all_have_signed_is_entered_by_itself(three: Table) -> None:
    later, size = three.deadline + DAY, three.book.size
    assert [sign(three, name, later).done for name in ("alice", "bob")] == ["", ""]
    assert (three.deadline, three.book.size) == (later - DAY, size)
    assert sign(three, "carol", later).done == f"exchange 1 now ends {utc_text(later)}"
    entry = three.book.entries[-1]
    assert isinstance(entry, Extend)
    assert ([name for name, _ in entry.consents], three.deadline) == (["alice", "bob", "carol"], later)
    told = [one.name for one in three.club.store.letters() if f"notice-{size + 1}" in one.name]
    assert len(told) == 3


def test_the_others_are_told_who_asks_and_how_to_grant_it(three: Table) -> None:
    later = three.deadline + DAY
    sign(three, "alice", later)
    sign(three, "bob", later)
    grant = f"pbem sign consent {GAME} 1 extend {utc_text(later)}"
    for name in ("bob", "carol"):
        (asked,) = read_by(three, name)
        assert "alice asks for more time" in asked.text
        assert grant in asked.text
    assert read_by(three, "alice") == []
    assert waiting_consents(three.club, read_agendas(three.club).values()) == []


def test_a_consent_that_is_mailed_again_and_again_is_told_once(three: Table) -> None:
    later = three.deadline + DAY
    text = three.consent(f"extend {utc_text(later)}", by="alice")
    for _ in range(5):
        with three.club.store.step():
            take_consent(three.club, text)
    assert len(read_by(three, "carol")) == 1
    sign(three, "bob", later + DAY)
    assert [one.text.split(" ")[0] for one in read_by(three, "carol")] == ["alice", "bob"]


def test_a_wish_that_is_not_granted_changes_nothing_else(three: Table) -> None:
    before = state(three)
    sign(three, "alice")
    assert state(three) == before


@pytest.mark.ci
def test_the_bundle_of_such_a_game_is_proven(three: Table, tmp_path: Path) -> None:
    later = agree(three)
    three.go()
    export(three.club, GAME, "public", tmp_path / "bundle")
    findings = audit(tmp_path / "bundle")
    assert not findings.is_refuted
    assert findings.status == 0
    said = f"extended to {utc_text(later)} (agreed on by alice, bob, carol)"
    assert [row.state for row in findings.rows if said in row.claim] == [State.PROVEN]
    code, said = verify_sh(tmp_path / "bundle")
    assert code == 0, said
    assert "every consent that the ledger names was signed" in said


def test_who_plays_no_more_is_not_asked(three: Table) -> None:
    gone = three.consent("concede carol", by="carol")
    act(three.club, GAME, "concede", "carol", reason="x", consents=[gone])
    later = three.deadline + DAY
    sign(three, "alice", later)
    with pytest.raises(ConfigError, match="carol does not play demo"):
        sign(three, "carol", later)
    assert sign(three, "bob", later).done


def test_a_consent_that_comes_again_after_the_entry_changes_nothing(three: Table) -> None:
    consents = [three.consent(f"extend {utc_text(three.deadline + DAY)}", by=name) for name in three.people]
    for text in consents:
        take_consent(three.club, text)
    size = three.book.size
    assert "is entered" in take_consent(three.club, consents[0]).done
    assert three.book.size == size


def test_times_that_not_all_sign_give_nothing(three: Table) -> None:
    size, first = three.book.size, three.deadline
    sign(three, "alice", first + DAY)
    sign(three, "bob", first + DAY)
    assert sign(three, "carol", first + 2 * DAY).done == ""
    assert three.book.size == size
    assert sign(three, "carol", first + DAY).done, "who has signed one time may sign another"


def test_a_club_that_does_not_allow_it_takes_no_such_consent(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    with pytest.raises(ConfigError, match="do not agree on deadlines"):
        sign(table, "alice")


@pytest.mark.parametrize("more", [-DAY, timedelta(), 2 * DAY + timedelta(seconds=1)])
def test_the_time_must_be_later_and_no_later_than_is_allowed(three: Table, more: timedelta) -> None:
    with pytest.raises(ConfigError, match="you can agree on a later time up to"):
        sign(three, "alice", three.deadline + more)
    sign(three, "alice", three.deadline + 2 * DAY)


def test_it_is_a_time_in_utc(three: Table) -> None:
    with pytest.raises(LedgerError, match="is not a time; one is written"):
        take_consent(three.club, three.consent("extend tomorrow", by="alice"))


def test_players_agree_once_an_exchange(three: Table) -> None:
    agree(three)
    with pytest.raises(ConfigError, match="have agreed on more time in exchange 1"):
        sign(three, "alice")
    three.go()
    agree(three)


def test_an_exchange_that_was_on_hold_is_the_game_masters(three: Table) -> None:
    act(three.club, GAME, HOLD, reason="x")
    with pytest.raises(ConfigError, match="was on hold"):
        sign(three, "alice")
    three.clock.pass_days(1)
    act(three.club, GAME, RESUME, reason="x")
    with pytest.raises(ConfigError, match="was on hold"):
        sign(three, "alice")


def test_a_hold_after_it_moves_the_deadline_as_ever(three: Table) -> None:
    later = agree(three)
    act(three.club, GAME, HOLD, reason="x")
    three.clock.pass_days(1)
    act(three.club, GAME, RESUME, reason="x")
    assert three.deadline == later + DAY


def test_nothing_is_agreed_on_after_the_deadline(three: Table) -> None:
    later = three.deadline + DAY
    for name in ("alice", "bob"):
        sign(three, name, later)
    three.clock.now = three.deadline
    with pytest.raises(ConfigError, match="waits for no orders"):
        sign(three, "carol", later)


def test_there_is_room_for_so_many_entries(three: Table) -> None:
    for _ in range(MAX_ACTS_IN_EXCHANGE - 1):
        act(three.club, GAME, LOOK, "gm", reason="x")
    sign(three, "alice")
    extend(three.club, GAME, 1, "x")
    with pytest.raises(ConfigError, match="as often as it can be"):
        sign(three, "bob")


def test_a_pass_that_is_repeated_enters_it_once(three: Table) -> None:
    agree(three)
    size = three.book.size
    run_pass(three.club)
    assert three.book.size == size


def test_a_new_deadline_after_a_hold_is_the_one_that_is_told(table: Table) -> None:
    """Protocol 8: the ledger names it without the hold, which is added when it is read."""
    act(table.club, GAME, HOLD, reason="mail fails")
    table.clock.pass_days(1)
    act(table.club, GAME, RESUME, reason="it is back")
    before = table.deadline
    told = extend(table.club, GAME, 2, "for a friend")
    assert told == table.deadline == before + timedelta(days=2)
