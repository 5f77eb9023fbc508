"""A player asks for more time and grants it, on the page in one tap each, and at the command line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from pbem.errors import LedgerError
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.trust.act_entries import Act, Consent, parse_consent, verify_consent
from pbem.trust.entries import Close, Extend
from pbem.trust.fields import ConsentRef, read_signed, verify_signed
from pbem.trust.player_statements import Absence
from pbem.trust.press import (
    GM,
    WHITE,
    PressLetter,
    PressPaper,
    PressReceipt,
    content_hash,
    sign_letter,
    sign_receipt,
)
from pbem.trust.signature import split
from pbem.trust.times import utc_text
from pbem.web.api import Api
from tests.player.judge import DEADLINE, GAME, START, Judge
from tests.player.test_press import terms
from tests.player.test_web_outbox import BOX, named, opened, state, stored

LATER = utc_text(DEADLINE + timedelta(days=1))
ASKS = f"bob asks for more time.\n    pbem sign consent {GAME} 1 extend {LATER} --as NAME\n"


def signed(text: str | bytes, home: Home) -> Consent:
    """What a consent says, whose signature is that of the player's key."""
    found = split(text.encode() if isinstance(text, str) else text)
    consent = parse_consent(found.body)
    verify_consent(found.armor, consent, home.keys.public("alice"))
    return consent


def told(judge: Judge, text: str, writer: str = GM) -> bytes:
    """The judge's letter with words of the director."""
    receipt = PressReceipt(
        game=GAME,
        writer=writer,
        kind=WHITE,
        to=("alice",),
        content=content_hash("more time", text),
        at=START,
    )
    paper = PressPaper(receipt=sign_receipt(receipt, judge.key), subject="more time", text=text)
    return sign_letter(PressLetter(game=GAME, reader="alice", paper=paper), judge.key)


@pytest.fixture
def api(alice: Home, invited: Judge) -> Api:
    """The page of a player whose game has press and a box."""
    alice.receive(named(invited))
    alice.press(GAME).take(terms(invited, WHITE))
    return opened(alice)


def test_one_tap_asks_for_a_day_more_and_goes_by_the_box(api: Api, alice: Home) -> None:
    assert api.talk(GAME).more_time
    made = api.more_time(GAME, post=True)
    consent = signed(made.text, alice)
    assert (consent.to, consent.exchange, consent.by) == (f"extend {LATER}", 1, "alice")
    assert utc_text(DEADLINE + timedelta(days=1)) == LATER
    (waiting,) = api.waiting()
    assert (waiting.box, waiting.text) == (BOX, made.text)
    talk = api.talk(GAME)
    assert (talk.more_time, talk.signed) == (False, LATER)
    assert opened(alice).talk(GAME) == talk, "another start of the page knows it"


def test_one_tap_grants_what_somebody_asks_for(api: Api, alice: Home, invited: Judge) -> None:
    press = alice.press(GAME)
    press.take(told(invited, ASKS))
    (line,) = api.talk(GAME).lines
    assert line.grants == LATER
    assert signed(api.more_time(GAME, line.grants).text, alice).to == f"extend {LATER}"
    assert [one.grants for one in api.talk(GAME).lines] == [""]
    assert api.waiting() == (), "who does not post it mails it"


NO_ASKS = (
    ASKS.replace(f"{GAME} 1", f"{GAME} 2"),
    ASKS.replace(GAME, "dunbar"),
    ASKS.replace(LATER, utc_text(DEADLINE)),
    ASKS.replace("extend", "concede"),
    ASKS.replace("\n    pbem", " pbem"),
)
"""Words of the director that ask for nothing that can be granted now."""


@pytest.mark.parametrize("text", NO_ASKS)
def test_other_words_offer_nothing_to_sign(api: Api, alice: Home, invited: Judge, text: str) -> None:
    alice.press(GAME).take(told(invited, text))
    assert [one.grants for one in api.talk(GAME).lines] == [""]


def test_a_player_cannot_ask_in_the_judges_words(api: Api, alice: Home) -> None:
    api.write_message(GAME, ["all"], ASKS)
    assert [one.grants for one in api.talk(GAME).lines] == [""]


def test_a_message_goes_by_the_box_as_orders_do_and_says_nothing_of_them(api: Api) -> None:
    api.seal(GAME, "", post=True)
    api.posted(1, stored(api.posting(1).body))
    assert state(api) == "sent"
    made = api.write_message(GAME, ["all"], "Peace?", post=True)
    (waiting,) = api.waiting()
    assert (waiting.box, waiting.text) == (BOX, made.text)
    assert state(api) == "sent"
    api.posted(waiting.number, stored(api.posting(waiting.number).body))
    assert (api.waiting(), state(api)) == ((), "sent")


def test_who_is_asked_for_nothing_cannot_move_a_deadline(alice: Home, invited: Judge) -> None:
    with pytest.raises(Refused, match="open until 2026-11-28T18:00:00Z"):
        alice.more_time(GAME, utc_text(DEADLINE))
    with pytest.raises(LedgerError, match="is not a time"):
        alice.more_time(GAME, "tomorrow")
    with pytest.raises(Refused, match="open until"):
        alice.consent(GAME, 1, "alice", f"extend {utc_text(DEADLINE)}")
    assert signed(alice.consent(GAME, 1, "alice", f"extend {LATER}"), alice).to == f"extend {LATER}"


def test_a_game_without_an_open_deadline_gets_no_other(alice: Home) -> None:
    alice.join("dunbar", player="alice", judge=None)
    with pytest.raises(Refused, match="no exchange of dunbar waits for orders"):
        alice.more_time("dunbar")


def entries(what: str) -> Iterator[object]:
    """What has happened in exchange 1 since the invitation."""
    at = START + timedelta(hours=1)
    if what == "closed":
        yield Close(exchange=1, at=at)
    elif what == "agreed":
        names = (("alice", ConsentRef("a" * 64, 1)), ("bob", ConsentRef("b" * 64, 1)))
        yield Extend(exchange=1, deadline=DEADLINE + timedelta(days=1), at=at, consents=names)
    else:
        yield Act(exchange=1, what="hold", at=at, reason="x")
    if what == "resumed":
        yield Act(exchange=1, what="resume", at=at + timedelta(hours=1), reason="x")


@pytest.mark.parametrize("what", ["closed", "agreed", "held", "resumed"])
def test_the_page_asks_only_where_time_can_be_agreed_on(
    alice: Home, api: Api, invited: Judge, what: str
) -> None:
    known = len(invited.entries)
    invited.add(*entries(what))  # type: ignore[arg-type]
    arrivals = alice.receive(invited.mail(invited.notice(1, since=known)).encode())
    assert not api.talk(GAME).more_time
    remarks = [one for arrival in arrivals for one in arrival.remarks]
    assert any("you have agreed to end exchange 1" in one for one in remarks) == (what == "agreed")


def test_where_there_is_no_press_a_player_is_asked_all_the_same(alice: Home, invited: Judge) -> None:
    page = opened(alice)
    assert page.standing().games[0].press == "none"
    alice.press(GAME).take(told(invited, ASKS))
    assert page.standing().games[0].press == GM
    assert [one.grants for one in page.talk(GAME).lines] == [LATER]


def test_a_player_says_on_the_page_that_they_are_away(api: Api, alice: Home, invited: Judge) -> None:
    made = api.away(GAME, "2026-12-01", "2026-12-09", post=True)
    absence, body, armor = read_signed(Absence, made.text.encode())
    verify_signed(body, armor, alice.keys.public("alice"))
    assert (absence.player, absence.judge) == ("alice", invited.key.public.fingerprint)
    assert (absence.begins.isoformat(), absence.ends.isoformat()) == ("2026-12-01", "2026-12-09")
    assert [one.text for one in api.waiting()] == [made.text]


def test_an_absence_is_for_a_judge_who_is_known(api: Api, alice: Home) -> None:
    alice.join("dunbar", player="alice", judge=None)
    with pytest.raises(Refused, match="the judge of dunbar is not known here"):
        api.away("dunbar", "2026-12-01", "2026-12-09")


@pytest.mark.ci
def test_an_absence_ends_with_orders_only_if_that_was_chosen(alice: Home, invited: Judge) -> None:
    alice.receive(named(invited))
    now = [START]
    api = Api(alice.path, clock=lambda: now[0])
    api.unlock("alice", "")
    begins, ends = START.date() + timedelta(days=2), START.date() + timedelta(days=12)
    assert api.end_absence(GAME) is None, "nobody is away"
    api.away(GAME, begins.isoformat(), ends.isoformat())
    now[0] = START + timedelta(days=5)
    assert api.end_absence(GAME) is None, "that was not chosen"

    api.away(GAME, begins.isoformat(), ends.isoformat(), until_orders=True)
    assert [(one.begins, one.ends, one.until_orders) for one in api.talk(GAME).away] == [
        (begins.isoformat(), ends.isoformat(), True)
    ]
    now[0] = START
    assert api.end_absence(GAME) is None, "it has not begun"
    now[0] = START + timedelta(days=5)
    made = api.end_absence(GAME)
    assert made is not None
    absence, body, armor = read_signed(Absence, made.text.encode())
    verify_signed(body, armor, alice.keys.public("alice"))
    assert (absence.begins, absence.ends) == (begins, START.date() + timedelta(days=4))
    assert api.end_absence(GAME) is None, "it ends once"
    assert api.talk(GAME).away == ()


def test_an_absence_that_begins_today_keeps_this_day(alice: Home, invited: Judge) -> None:
    alice.receive(named(invited))
    api = opened(alice)
    today, later = START.date().isoformat(), (START.date() + timedelta(days=3)).isoformat()
    api.away(GAME, today, later, until_orders=True)
    made = api.end_absence(GAME, post=True)
    assert made is not None
    absence, _, _ = read_signed(Absence, made.text.encode())
    assert (absence.begins, absence.ends) == (START.date(), START.date())
    assert [one.text for one in api.waiting()] == [made.text]
    assert api.end_absence(GAME) is None


def test_a_player_is_told_by_how_many_days_absences_may_still_move_a_game(
    api: Api, invited: Judge, alice: Home
) -> None:
    assert (api.talk(GAME).absence_days, api.talk(GAME).opponents) == (42, 1)
    known = len(invited.entries)
    later = DEADLINE + timedelta(days=3)
    lines = ("absence alice 259200",)
    invited.add(Extend(exchange=1, deadline=later, at=START + timedelta(hours=1), extra=lines))
    alice.receive(invited.mail(invited.notice(1, since=known)).encode())
    assert api.talk(GAME).absence_days == 39


def test_damaged_notes_of_absences_are_passed_over(api: Api) -> None:
    (api._path / f"page/{GAME}.json").write_text('{"away": "x,,2026-12-01"}', encoding="ascii")
    assert api.talk(GAME).away == ()
    assert api.end_absence(GAME) is None
