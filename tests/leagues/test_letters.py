"""What a league writes of its own accord: the week, and that a round ends soon. Each once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.judge.leagues.status import needs
from pbem.judge.leagues.weekly import send_digests
from pbem.mail.envelope import envelope_of
from pbem.mail.subjects import about
from tests.leagues.world import World, file_of, key_of, make_world

MAIL = {"mail": {"address": "judge@club.example", "outbox": {"host": "127.0.0.1"}}}
FILE = file_of("swiss", rounds="count = 2\ndays = 40\nwarn_days = 10")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[World]:
    """Ann and ben, whose game of the first round is open; the director has an address as well."""
    world = make_world(tmp_path, FILE)
    with closing(world.club.store):
        world.club.settings = MAIL
        for name in ("ann", "ben", "dora"):
            world.club.add_player(name, key_of(name).public, f"{name}@example.org")
        assert list(send_digests(world.club)) == []
        world.enter("ann", "ben")
        world.later(31)
        world.run()
        world.seat()
        yield world


def written(world: World, part: str) -> dict[tuple[str, str], str]:
    """Player and name -> text, of the letters of one sort."""
    return {(one.player, one.name): one.text for one in world.club.store.letters() if f"-{part}-" in one.name}


def test_the_week_is_told_once_to_players_and_director(two: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the first pass of its day or after; a judge that dies meanwhile repeats and loses nothing."""
    add, left = two.club.store.add_letter, [2]

    def dying(*values: object, **more: object) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        add(*values, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(two.club.store, "add_letter", dying)
        with pytest.raises(KeyboardInterrupt):
            list(send_digests(two.club))
    assert written(two, "week-of") == {}
    assert "2 players and the director" in next(send_digests(two.club)).text
    assert list(send_digests(two.club)) == []
    told = {player: text for (player, _), text in written(two, "week-of").items()}
    assert set(told) == {"ann", "ben", "dora"}
    assert "cup-r1-1: you " in told["ann"]
    assert "waiting for ann and ben, until 2027-02-0" in told["ann"]
    assert "place  player  points  games" in told["ann"]
    assert "ann: enter" in told["dora"]
    assert "round 1 is drawn: 1 games, 0 byes" in told["dora"]
    assert "For you to decide\n\nNothing." in told["dora"]
    letter = next(one for one in two.club.store.letters() if "-week-of-" in one.name)
    assert about(envelope_of(letter)).said == "the week"

    two.later(7)
    next(send_digests(two.club))
    latest = {player: text for (player, name), text in written(two, "week-of").items() if "-02-" in name}
    assert "Nothing has happened." in latest["dora"]
    assert "The week" not in latest["ann"]


def test_each_letter_says_what_comes_next_and_when(two: World) -> None:
    """Once, at its end; a letter that a league is over says nothing of the kind."""
    told = [one.text for one in two.club.store.letters() if "-notice-" in one.name]
    assert told
    assert all(text.count("\nNext: ") == 1 for text in told)
    assert "\nNext: answers of ann, ben for the draw of round 1 are waited for until 2027-" in told[0]
    two.rule("extend", "1", "2028-01-01T20:00:00Z")
    latest = [one.text for one in two.club.store.letters() if "-notice-" in one.name][-1]
    assert latest.endswith("Next: in round 1 1 game goes on, until 2028-01-01T20:00:00Z at the latest.\n")
    two.rule("cancel")
    latest = [one.text for one in two.club.store.letters() if "-notice-" in one.name][-1]
    assert "Next" not in latest


@pytest.mark.parametrize(
    ("data", "settings"), [(FILE + b'[digest]\nday = "never"\n', MAIL), (FILE, {})], ids=["never", "no mail"]
)
def test_without_mail_or_wish_no_week_is_told(
    tmp_path: Path, data: bytes, settings: dict[str, object]
) -> None:
    world = make_world(tmp_path, data)
    with closing(world.club.store):
        world.club.settings = settings
        for _ in range(4):
            assert list(send_digests(world.club)) == []
            world.later(7)
        assert written(world, "week-of") == {}


@pytest.mark.ci
def test_before_its_last_date_a_round_warns_once(two: World) -> None:
    """Those whose games go on, and the director's status; again only if the last date is moved."""
    until = two.book.season.rounds[0].until
    assert list(needs(two.club)) == []
    two.clock.now = until - timedelta(days=10, seconds=1)
    assert two.run() == []
    two.later(1)
    (done,) = two.run()
    assert "2 players are warned" in done.text
    told = written(two, "last-date")
    assert {player for player, _ in told} == {"ann", "ben"}
    assert all("decided by the director" in text for text in told.values())
    (soon,) = needs(two.club)
    assert not soon.waits
    assert "not over: cup-r1-1 (" in soon.text
    two.later(1)
    assert two.run() == []
    two.rule("extend", "1", f"{until + timedelta(days=30):%Y-%m-%dT%H:%M:%SZ}")
    assert list(needs(two.club)) == []
    assert two.run() == []
    two.later(30)
    assert "2 players are warned" in two.run()[-1].text
    two.play(two.open_pairs(), lambda pair: min(pair.players))
    two.run()
    assert list(needs(two.club)) == []
    assert len(written(two, "last-date")) == 4


@pytest.mark.ci
def test_a_league_whose_ledger_is_damaged_stops_nothing_else(two: World) -> None:
    """The judge, the week's letter and the status say so, or leave it alone; none of them dies of it."""
    two.later(7)
    two.club.store._change("UPDATE league_entry SET text = x'00' WHERE number = 2")
    two.club.store._change("UPDATE league SET due = '2027-01-01T00:00:00Z'")
    two.club.leagues.forget("league.cup")
    (done,) = two.run()
    assert done.stopped
    assert done.league == "cup"
    assert list(send_digests(two.club)) == []
    (need,) = needs(two.club)
    assert need.text.startswith("stopped: ")
