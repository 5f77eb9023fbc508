"""A league of eight by mail: entries, calls, replies and receipts over a real mail server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from pbem.judge.leagues.book import begin_league
from pbem.leagues import results_table
from pbem.mail.mail_problems import troubles
from pbem.trust import sealing
from pbem.trust.orderfile import RECENT_EXCHANGES
from pbem.trust.sealing import to_armor
from tests.leagues.simulated import SIDES
from tests.leagues.world import World, by_name, file_of
from tests.mail.postal import Postal
from tests.mail.test_passes import body

EIGHT = ("ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal")
FILE = file_of("swiss").replace(b"2027-01-31", b"2026-01-31")


def entered(postal: Postal, names: Sequence[str]) -> World:
    """A league whose entries have come by mail and are closed: its first draw is called for."""
    begin_league(postal.table.club, FILE)
    world = World(postal.table.club, postal.table.clock)
    for name in names:
        postal.send(world.entry(name).decode(), sender=f"{name}@example.org")
    postal.run()
    world.clock.now = datetime(2026, 2, 1, 12, tzinfo=UTC)
    postal.run(after_gap=True)
    return world


def replies(postal: Postal, world: World) -> None:
    """Everybody who is asked mails a reply; the next pass takes them in, and goes on."""
    call = world.book.season.call
    assert call is not None
    for name in call.asked:
        postal.send(to_armor(world.reply(name)), sender=f"{name}@example.org")
    postal.run()


@pytest.mark.ci
def test_a_league_of_eight_plays_two_rounds_by_mail(postal: Postal) -> None:
    world = entered(postal, EIGHT)
    assert set(world.book.season.members) == set(EIGHT)
    assert world.club.store.player("ann").address == "ann@example.org"  # type: ignore[union-attr]
    for _ in range(2):
        replies(postal, world)
        world.play(world.open_pairs(), by_name)
        postal.run()
    season = world.book.season
    assert season.is_over
    assert sum(row.points for _, rows in results_table.tables(season) for row in rows) == 8
    assert all(not call.resolved.absent for call in season.calls if call.resolved)
    subjects = [str(mail["Subject"]) for mail in postal.mails("ann")]
    assert sum("league.cup" in subject for subject in subjects) >= 4, subjects
    assert subjects.count("league.cup: what you signed is in the ledger") == 1, "the receipt for her entry"


def test_who_enters_a_league_gets_one_letter_and_hears_when_they_have_said_it_before(postal: Postal) -> None:
    begin_league(postal.table.club, FILE)
    entry = World(postal.table.club, postal.table.clock).entry("ann").decode()
    postal.run()
    postal.mails("ann")
    postal.deliver(entry, "ann@example.org")
    assert [str(mail["Subject"]) for mail in postal.mails("ann")] == [
        "league.cup: what you signed is in the ledger"
    ]
    postal.deliver(f"Once more:\n\n{entry}", "ann@example.org")
    (told,) = postal.mails("ann")
    assert "ann has said this before" in body(told)


@pytest.mark.ci
def test_a_reply_from_its_players_address_tries_their_keys_and_no_others(
    postal: Postal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file does not say whose it is: all games' keys were tried first, and then all entrants'."""
    world = entered(postal, EIGHT)
    replies(postal, world)
    world.play(world.open_pairs(), by_name)
    postal.run()
    tried: list[str] = []
    tries = sealing.unwraps

    def counted(identity: str, share: bytes, wrapped: bytes) -> bool:
        tried.append(identity)
        return tries(identity, share, wrapped)

    monkeypatch.setattr(sealing, "unwraps", counted)
    replies(postal, world)
    assert world.book.season.calls[1].resolved is not None
    own_game = len(SIDES) * RECENT_EXCHANGES
    assert len(tried) <= len(EIGHT) * (own_game + 1)


@pytest.mark.ci
def test_standings_and_ones_own_games_are_asked_for_by_mail(postal: Postal) -> None:
    """So many answers a day to an address; a stranger is told what everybody may know of a league."""
    world = entered(postal, EIGHT[:2])
    club, clock = world.club, world.clock
    subjects = [str(mail["Subject"]) for mail in postal.mails("ann")]
    assert subjects.count("league.cup: the week") == 1, subjects

    def asked(name: str, text: str, subject: str = "hello") -> str:
        postal.mails(name)
        postal.deliver(text, sender=f"{name}@example.org", Subject=subject)
        return "\n".join(body(one) for one in postal.mails(name) if "about your mail" in one["Subject"])

    told = asked("ann", "my games\n")
    assert "the league waits for answers of ann, ben for the draw of round 1 until" in told
    assert "call 1 waits for your answer until" in told
    often = [asked("ann", "standings\n\n") for _ in range(5)]
    assert "place  player" in often[0]
    assert often[-1] == "", "so many answers a day to commands, and no more"
    replies(postal, world)
    told = asked("ben", "", subject="Re: my games")
    opened = world.book.season.rounds[0].opened_games[1]
    side = {seat.player: seat.side for seat in opened.seats}
    assert f"cup-r1-1: you {side['ben']} against ann {side['ann']}; last date 2026-05-" in told
    assert "exchange 2 open, waiting for ann and ben, until" in told
    clock.pass_days(1)
    world.play(world.open_pairs(), by_name)
    postal.run()
    told = asked("ben", "standings\nmy games\n")
    assert "1      ann     1       1" in told
    assert "2      ben     0       1" in told
    assert "cup-r1-1" not in told
    assert "1      ann     1       1" in asked("mallory", "standings cup\n")
    assert asked("trudy", "my games\n") == ""
    clock.pass_days(1)
    assert "There is no league called cap; there are: cup." in asked("ann", "standings cap\n")
    ledger = [one for one in club.store.letters_to("league.cup", "ann") if one.data]
    for asks, count in (("mallory", 0), ("ann", len(ledger)), ("ann", 0)):
        postal.mails("ann")
        postal.deliver(f"resend cup\n{count}", sender=f"{asks}@example.org")
        assert len([one for one in postal.mails("ann") if "league.cup" in one["Subject"]]) == count

    clock.pass_days(1)
    club.store._change("UPDATE league_entry SET text = x'00' WHERE number = 2")
    club.leagues.forget("league.cup")  # as in the next process
    told = asked("ben", "my games\n")
    assert "the judge has stopped a league" in told


@pytest.mark.ci
def test_no_call_ends_before_the_mailbox_was_looked_at_after_its_deadline(postal: Postal) -> None:
    """The mailbox is away over the deadline, with an answer in it."""
    world = entered(postal, EIGHT[:2])
    club, clock = world.club, world.clock
    postal.send(to_armor(world.reply("ann")), sender="ann@example.org")
    box = postal.post.box("judge")
    aside = box.rename(box.with_name("aside"))
    for _ in range(12):
        clock.pass_days(1)
        postal.run(after_gap=True)
    call = world.book.season.call
    assert call is not None
    assert call.opened.deadline is not None
    assert call.opened.deadline < clock()
    assert any("league.cup waits past its deadline" in text for text in troubles(club))
    aside.rename(box)
    postal.run(after_gap=True)
    assert "ann" in world.book.season.calls[0].counted()
    assert world.book.season.calls[0].resolved is not None
    assert not any("waits past" in text for text in troubles(club))
