"""A league of eight by mail: entries, calls, replies and receipts over a real mail server."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.judge.leagues.book import begin_league
from pbem.leagues import table
from pbem.trust.sealing import to_armor
from tests.leagues.world import World, by_name, file_of
from tests.mail.postal import Postal

EIGHT = ("ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal")
FILE = file_of("swiss", rounds="count = 2\ndays = 100").replace(b"2027-01-31", b"2026-01-31")


def replies(postal: Postal, world: World) -> None:
    """Everybody who is asked mails a reply; the next pass takes them in, and goes on."""
    call = world.book.season.call
    assert call is not None
    for name in call.asked:
        postal.send(to_armor(world.reply(name)), sender=f"{name}@example.org")
    postal.run()


@pytest.mark.ci
def test_a_league_of_eight_plays_two_rounds_by_mail(postal: Postal) -> None:
    club, clock = postal.table.club, postal.table.clock
    begin_league(club, FILE)
    world = World(club, clock)
    for name in EIGHT:
        postal.send(world.entry(name).decode(), sender=f"{name}@example.org")
    postal.run()
    assert set(world.book.season.members) == set(EIGHT)
    assert club.store.player("ann").address == "ann@example.org"  # type: ignore[union-attr]
    clock.now = datetime(2026, 2, 1, 12, tzinfo=UTC)
    postal.run(after_gap=True)
    for _ in range(2):
        replies(postal, world)
        replies(postal, world)
        world.play(world.open_pairs(), by_name)
        postal.run()
    season = world.book.season
    assert season.over
    assert sum(row.points for _, rows in table.tables(season) for row in rows) == 8
    assert all(not call.resolved.absent for call in season.calls if call.resolved)
    subjects = [str(mail["Subject"]) for mail in postal.mails("ann")]
    assert sum("league.cup" in subject for subject in subjects) >= 4, subjects
