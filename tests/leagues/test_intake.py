"""A file for a league meets the same guards at the judge's desk as one for a game."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from pbem.cli import main
from pbem.errors import LedgerError
from pbem.judge.book import MissingReceipt, note_newer, read_claims
from pbem.judge.deadlines.waits_for_mail import LOOKED, WAITS
from pbem.judge.intake import desk
from pbem.judge.intake.player_files import Verdict
from pbem.judge.leagues.book import begin_league
from pbem.judge.leagues.steps import run_leagues
from pbem.judge.tables.note_tables import RESTORED
from pbem.judge.upkeep.backups import confirm
from pbem.mail.command_runner import _head
from pbem.trust.armor import find_sealed
from pbem.trust.ledger import Checkpoint, sign_statement
from pbem.trust.orderfile import Seen
from pbem.trust.sealing import to_armor
from pbem.trust.times import utc_text
from tests.leagues.world import Called, World, file_of

LEDGER = "league.cup"


@pytest.fixture
def world(called: Called) -> World:
    """A league whose first call is open."""
    return called(file_of("swiss"), "ann", "ben")


def sent(world: World, player: str, **changed: Any) -> Verdict:
    """What the desk says to an answer of somebody's."""
    (verdict,) = desk.submit(world.club, to_armor(world.reply(player, **changed)).encode())
    return verdict


def test_a_file_for_a_restored_league_is_kept_until_it_goes_on(world: World) -> None:
    """It was told to go away, and had to be sent again."""
    book = world.book
    with world.club.store.step():
        world.club.store.put_note(RESTORED, "2027-02-01T00:00:00Z")
    told = sent(world, "ann")
    assert "this file is kept, and counts when the game goes on" in told.text
    confirm(world.club, LEDGER, book.size, book.head)
    (verdict,) = desk.take_in_waiting(world.club)
    assert verdict.is_accepted, verdict.text


def test_a_restored_league_answers_no_file_by_what_it_has_lost(world: World) -> None:
    """Not even one of which nothing would be entered: its player may have been told more than it knows."""
    reply = to_armor(world.reply("ann")).encode()
    texts = [desk.submit(world.club, reply)[0].text for _ in range(2)]
    assert texts[1] == "these orders of ann were received before"
    with world.club.store.step():
        world.club.store.put_note(RESTORED, "2027-02-01T00:00:00Z")
    (verdict,) = desk.submit(world.club, reply)
    assert "this file is kept, and counts when the game goes on" in verdict.text


def test_a_damaged_league_keeps_no_file_from_another(world: World) -> None:
    """Every answer to any league of the club was turned away with the words of the damage."""
    other = file_of("swiss").replace(b'"cup"', b'"bowl"')
    begin_league(world.club, other.replace(b"2027-01-31", b"2027-09-30"))
    world.club.store._change("UPDATE league_entry SET text = x'00' WHERE league = 'league.bowl'")
    world.club.leagues.forget("league.bowl")
    assert sent(world, "ann").is_accepted


def test_what_may_be_for_a_damaged_league_is_kept(world: World) -> None:
    """It is looked at again, when its ledger can be read."""
    reply = to_armor(world.reply("ann")).encode()
    world.club.store._change("UPDATE league_entry SET text = x'00' WHERE number = 2")
    world.club.leagues.forget(LEDGER)
    (verdict,) = desk.submit(world.club, reply)
    assert "entry 2 of league.cup was changed" in verdict.apart


def test_after_a_restore_the_receipted_file_comes_first(world: World) -> None:
    """Two receipts of one number would be two stories; and no call is closed without what was receipted."""
    lost = MissingReceipt("ann", f"{LEDGER}-receipt-0001.txt", "abcdef")
    book = world.book
    confirm(world.club, LEDGER, book.size, book.head, [lost])
    assert "send that file again" in sent(world, "ann").text
    world.later(6)
    (done,) = [one for one in run_leagues(world.club, {}) if one.is_stopped]
    assert "was sent to ann for orders that are not here" in done.text


def test_a_head_that_is_not_here_stops_a_league(world: World) -> None:
    """The judge's key has signed it: another folder goes on with the league."""
    checkpoint = Checkpoint(game=LEDGER, size=9, head="a" * 64)
    told: list[str] = []

    class Reply:
        def tell(self, *lines: str) -> None:
            told.extend(lines)

    _head(world.club, Reply(), checkpoint.text + sign_statement(checkpoint, world.club.key))  # type: ignore[arg-type]
    assert "is not in the judge's ledger" in told[0]
    world.answer(["ann", "ben"])
    (done,) = [one for one in run_leagues(world.club, {}) if one.is_stopped]
    assert "was played further in another folder" in done.text
    book = world.book
    with pytest.raises(LedgerError, match="it would have two histories"):
        confirm(world.club, LEDGER, book.size, book.head)


def test_a_league_goes_on_when_what_was_noted_is_settled(world: World) -> None:
    with world.club.store.step():
        note_newer(world.club.store, LEDGER, "somebody said so")
    world.answer(["ann", "ben"])
    book = world.book
    size = book.size
    assert [one for one in run_leagues(world.club, {}) if one.is_stopped]
    confirm(world.club, LEDGER, size, book.head)
    assert not [one for one in run_leagues(world.club, {}) if one.is_stopped]
    assert size < world.book.size


def test_after_an_act_that_failed_halfway_nothing_of_it_is_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call was closed in memory alone: what is noted of the league is what its ledger says."""
    world.answer(["ann", "ben"])

    def fail(*_: object) -> None:
        raise LedgerError("halfway")

    with monkeypatch.context() as broken:
        broken.setattr("pbem.judge.leagues.steps.mix_of", fail)
        assert [one.text for one in run_leagues(world.club, {}) if one.is_stopped] == ["stopped: halfway"]
    assert world.club.store.leagues()[0].head == world.book.head
    assert not [one for one in run_leagues(world.club, {}) if one.is_stopped], "tried again at once"
    assert world.book.season.call is None, "all answers were in"


def test_who_has_seen_a_longer_ledger_is_noted(world: World) -> None:
    sent(world, "ann", seen=Seen(99, "a" * 64))
    assert read_claims(world.club.store) == {(LEDGER, "ann"): 99}


def test_a_fault_in_a_league_harms_one_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong when the leagues of a club are asked for a key: the others of a mail are read."""
    reply = to_armor(world.reply("ann")).encode()

    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    found = desk.open_desk(world.club)
    monkeypatch.setattr("pbem.judge.leagues.desk.load_league", broken)
    with world.club.store.step():
        (sealed,) = find_sealed(reply)
        assert "boom" in desk.take_sealed(found, sealed).apart


def test_a_call_past_its_deadline_waits_for_a_look_at_the_mailbox_and_for_its_letters(called: Called) -> None:
    """What keeps it open is noted; the letters of who has answered do not, and it ends when nothing does."""
    world = called(file_of("swiss"), "ann", "ben", "cat")
    store, note, found = world.club.store, f"{WAITS}{LEDGER}", []
    world.answer(["ann"])
    call = world.book.season.call
    assert call is not None
    assert call.opened.deadline is not None
    ends = call.opened.deadline
    his, theirs = ([one.id for one in store.first_copies(LEDGER, name)] for name in ("ben", "cat"))
    world.club.settings = {"mail": {"inbox": {"host": "x"}, "outbox": {"host": "x"}}}
    assert world.after(4.9) == []
    assert store.note(note) == ""
    world.clock.now = ends + timedelta(hours=1)
    for looked, sent in ((None, ()), (-1, ()), (0, ()), (0, his), (-1, theirs), (0, ())):
        with store.step():
            for letter in sent:
                store.mark_sent(letter, utc_text(ends))
            if looked is not None:
                store.put_note(LOOKED, utc_text(ends + timedelta(seconds=looked)))
        done = next(run_leagues(world.club, {}), None)
        found.append((store.note(note), done and done.text, store.leagues()[0].due == utc_text(ends)))
    mailbox = "1 the judge has not read the whole mailbox since its deadline"
    assert found == [
        (mailbox, None, True),
        (mailbox, None, True),
        ("1 letters to ben have not been sent", None, True),
        ("1 letters to cat have not been sent", None, True),
        (mailbox, None, True),
        ("", "call 1 is resolved, 1 of 3 have a share in its dice; round 1 has 1 games and 1 byes", True),
    ]
    assert any(not one.sent for one in store.first_copies(LEDGER, "ann")), "hers has not left"


def test_of_two_damaged_leagues_both_are_told(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    other = file_of("swiss").replace(b'"cup"', b'"bowl"')
    begin_league(world.club, other.replace(b"2027-01-31", b"2027-09-30"))
    with world.club.store.step():
        world.club.store._change("UPDATE league_entry SET text = x'00'")
    for words in ("run", "run --what-if", "status"):
        assert main(["league", *words.split(), "--club", str(world.club.path)]) == 1
        told = re.findall(r"^(?:league\.)?(\w+): stopped: ", "".join(capsys.readouterr()), re.MULTILINE)
        assert sorted(told) == ["bowl", "cup"], words
