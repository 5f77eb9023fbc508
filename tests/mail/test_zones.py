"""Each player's own time zone: named at joining or by a signed profile, shown beside UTC."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from email.message import Message
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import PbemError
from pbem.judge.newgame import new_game
from pbem.judge.tables.database import ProfileRow
from pbem.player import Home
from pbem.trust import keys
from pbem.trust.fields import read_signed, sign_fields
from pbem.trust.player_statements import Absence, Join, Profile, read_join
from pbem.trust.times import HERE, MAX_AHEAD, find_zone, local_text, times_in, utc_text
from tests.mail.postal import Postal
from tests.mail.test_passes import body
from tests.running import python

pytestmark = pytest.mark.dated


SUMMER = datetime(2026, 8, 15, 19, tzinfo=UTC)


def profile(postal: Postal, zone: str, minutes: int = 0) -> bytes:
    made = postal.table.clock() + timedelta(minutes=minutes)
    judge = postal.table.club.key.public.fingerprint
    wish = Profile(player="alice", judge=judge, zone=zone, made=made)
    return sign_fields(wish, postal.table.people["alice"].key)


def text(mail: Message) -> str:
    return " ".join(body(mail).split())


def calendar(mail: Message) -> bytes:
    (part,) = [part for part in mail.walk() if part.get_content_type() == "text/calendar"]
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return data


def test_a_moment_in_a_zone_and_in_utc() -> None:
    assert (
        local_text(SUMMER, "Europe/London")
        == "Saturday 2026-08-15 20:00 in Europe/London (2026-08-15 19:00 UTC)"
    )
    assert local_text(SUMMER) == local_text(SUMMER, "UTC") == "2026-08-15 19:00 UTC"


def test_letters_say_the_deadline_in_the_player_s_zone(postal: Postal) -> None:
    postal.deliver(profile(postal, "America/New_York"))
    alice, bob = postal.mails("alice"), postal.mails("bob")
    assert any("Letters to you will give deadlines in America/New_York" in text(mail) for mail in alice)
    invitation = next(mail for mail in alice if mail.is_multipart() and "-0000-" in mail.as_string())
    assert "The deadline is Thursday 2026-01-08 07:00 in America/New_York (2026-01-08 12:00 UTC)." in text(
        invitation
    )
    assert "The deadline is 2026-01-08 12:00 UTC." in text(bob[0])
    assert b"DTSTART:20260108T120000Z" in calendar(invitation)


@pytest.mark.ci
def test_reminders_say_it_too(postal: Postal) -> None:
    postal.send(profile(postal, "Asia/Tokyo"))
    postal.table.go()
    for _ in range(5):
        postal.run()
        postal.table.clock.pass_days(1.5)
    assert any(
        "is open until Thursday 2026-01-08 21:00 in Asia/Tokyo" in text(mail)
        for mail in postal.mails("alice")
    )


def test_a_later_profile_counts_whatever_comes_first(postal: Postal) -> None:
    postal.deliver(profile(postal, "Asia/Tokyo", minutes=5))
    postal.deliver(profile(postal, "Europe/Paris"))
    assert postal.table.club.store.profiles()["alice"].zone == "Asia/Tokyo"


def test_a_zone_that_there_is_not_is_refused(postal: Postal) -> None:
    postal.deliver(profile(postal, "Europe/Atlantis"))
    assert any("there is no time zone 'Europe/Atlantis'" in text(mail) for mail in postal.mails("alice"))
    assert postal.table.club.store.profiles() == {}


@pytest.mark.parametrize("what", ["absence", "profile"])
def test_what_was_signed_for_another_judge_changes_nothing(postal: Postal, what: str) -> None:
    """A stranger mails what alice, with the same key, has sent to another club."""
    key, made = postal.table.people["alice"].key, postal.table.clock()
    judge = keys.generate("other").public.fingerprint
    if what == "absence":
        ends = made.date() + timedelta(days=9)
        signed = sign_fields(
            Absence(player="alice", judge=judge, begins=made.date(), ends=ends, made=made), key
        )
    else:
        signed = sign_fields(Profile(player="alice", judge=judge, zone="Asia/Tokyo", made=made), key)
    postal.send(signed, "mallory@example.org")
    told = [line.text for line in postal.run()]
    assert any(f"it was signed for another judge, {judge}" in line for line in told), told
    store = postal.table.club.store
    assert (store.profiles(), store.absences()) == ({}, [])


def test_a_zone_is_named_at_joining(postal: Postal) -> None:
    club = postal.table.club
    key = keys.generate("carol")
    wish = Join(game="dunbar", player="carol", key=key.public, zone="Europe/Paris")
    join = read_join(sign_fields(wish, key))
    club.add_player("carol", key.public, "carol@example.org")
    new_game(club, "dunbar", "hammer", {"scenario": "braveheart"}, {"scotland": join, "england": "bob"})
    postal.run()
    assert "13:00 in Europe/Paris" in text(postal.mails("carol")[0])


def test_the_command_signs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    public = home.keygen("alice")
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    out = tmp_path / "profile"
    words = ["profile", "--as", "alice", "--zone", "Europe/London", "--out", str(out)]
    assert main(words) == 1, "no game here says which judge it is for"
    assert main([*words, "--judge", public.fingerprint]) == 0
    found, signed, _ = read_signed(Profile, out.read_bytes())
    assert (found.zone, found.share) == ("Europe/London", "")
    assert signed.startswith(
        f"pbem1 profile\nplayer alice\njudge {public.fingerprint}\nzone Europe/London\nmade ".encode()
    )
    assert public.fingerprint
    assert main(["profile", "--as", "alice", "--zone", "Europe/Berln"]) == 1
    assert main(["profile", "--as", "alice"]) == 1


@pytest.mark.parametrize("name", ["", "Europe", "../etc/passwd", "Europe/London\nx", "x" * 300, "/UTC"])
def test_what_names_no_zone(name: str) -> None:
    with pytest.raises(PbemError, match="there is no time zone"):
        find_zone(name)


def test_a_machine_without_a_table_of_zones_says_what_to_do() -> None:
    code = (
        "import sys; sys.modules['tzdata'] = None\n"
        "from pbem.trust.times import find_zone, local_text, UTC\n"
        "from datetime import datetime\n"
        "assert find_zone('UTC') is UTC\n"
        "print(local_text(datetime(2026, 8, 15, 19, tzinfo=UTC), 'Europe/London'))\n"
        "try: find_zone('Europe/London')\n"
        "except Exception as fault: print(fault)\n"
    )
    env = {**os.environ, "PYTHONTZPATH": "/nowhere"}
    done = python("-c", code, env=env)
    assert done.stdout == (
        "2026-08-15 19:00 UTC\n"
        "this machine has no table of time zones: install one (pip install tzdata), or say UTC\n"
    )


AHEAD = 2 * MAX_AHEAD // timedelta(minutes=1)
"""Minutes by which a clock is ahead that no honest one is."""


def test_a_profile_of_a_clock_that_is_ahead_is_refused_and_locks_nobody_out(postal: Postal) -> None:
    postal.deliver(profile(postal, "Asia/Tokyo", minutes=AHEAD))
    assert any(
        "What you signed was not accepted: it says that" in text(mail) for mail in postal.mails("alice")
    )
    assert postal.table.club.store.profiles() == {}
    postal.deliver(
        profile(postal, "Asia/Tokyo", minutes=23 * 60)
    )  # zones and clocks differ by less than a day
    assert postal.table.club.store.profiles()["alice"].zone == "Asia/Tokyo"
    postal.deliver(profile(postal, "Europe/Paris", minutes=-60 * 24 * 365))
    assert any("A later profile of yours is known" in text(mail) for mail in postal.mails("alice"))
    assert postal.table.club.store.profiles()["alice"].zone == "Asia/Tokyo"


def test_a_profile_that_was_kept_from_further_ahead_gives_way(postal: Postal) -> None:
    later = utc_text(postal.table.clock() + timedelta(days=730))
    postal.table.club.store.put_profile(ProfileRow("alice", "Asia/Tokyo", "", later))
    postal.deliver(profile(postal, "Europe/Paris"))
    assert postal.table.club.store.profiles()["alice"].zone == "Europe/Paris"


def test_an_absence_of_a_clock_that_is_ahead_is_refused(postal: Postal) -> None:
    key, now = postal.table.people["alice"].key, postal.table.clock()
    judge = postal.table.club.key.public.fingerprint
    for ahead in (timedelta(days=2), timedelta(hours=23), timedelta(days=-40)):
        day = (now + timedelta(days=60) + ahead).date()
        absence = Absence(player="alice", judge=judge, begins=day, ends=day, made=now + ahead)
        postal.deliver(sign_fields(absence, key))
    assert len(postal.table.club.store.absences()) == 2


def test_a_text_s_moments_in_a_zone() -> None:
    said = "demo: open, until 2026-08-15T19:00:00Z; by 2026-02-30T19:00:00Z"
    assert times_in(said) == "demo: open, until 2026-08-15 19:00 UTC; by 2026-02-30T19:00:00Z"
    assert "until Saturday 2026-08-15 20:00 in Europe/London (2026-08-15 19:00 UTC);" in times_in(
        said, "Europe/London"
    )


@pytest.mark.parametrize(
    ("zone", "said"),
    [("JST-9", "Sunday 2026-08-16 04:00 here (2026-08-15 19:00 UTC)"), ("UTC0", "2026-08-15 19:00 UTC")],
)
def test_a_page_of_one_s_own_goes_by_the_machine_s_clock(
    zone: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert times_in("2026-08-15T19:00:00Z", HERE) == said
    monkeypatch.undo()
    time.tzset()


def test_answers_say_deadlines_in_the_zone_of_whoever_asks(postal: Postal) -> None:
    postal.deliver(profile(postal, "Asia/Tokyo"))
    for name in ("alice", "bob"):
        postal.mails(name)
        postal.deliver("status\n", f"{name}@example.org")
    assert "until Thursday 2026-01-08 21:00 in Asia/Tokyo (2026-01-08 12:00 UTC)" in text(
        postal.mails("alice")[-1]
    )
    assert "until 2026-01-08 12:00 UTC" in text(postal.mails("bob")[-1])


def test_a_page_says_when_orders_are_due_in_its_reader_s_zone(postal: Postal) -> None:
    """What the report itself says is hashed and stays as it was written."""
    postal.settle(reports="open")
    postal.deliver(profile(postal, "Asia/Tokyo"))
    postal.go()
    report = postal.mails("alice")[-1]
    (page,) = [part for part in report.walk() if part.get_content_type() == "text/html"]
    shown = page.get_payload(decode=True)
    assert isinstance(shown, bytes)
    assert b"until Thursday 2026-01-08 21:00 in Asia/Tokyo" in b" ".join(shown.split())
    assert "is open until 2026-01-08T12:00:00Z" in text(report)
