"""The page's outbox: what is sealed waits, and what a box answers is looked at before it counts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.faults import Refused
from pbem.trust.keys import load_private
from pbem.trust.post_box import BoxLetter, Deed, sign_box_letter, verify_request
from pbem.web import outbox
from pbem.web.api import Api
from pbem.web.outbox import BoxCall
from pbem.web.table import Received
from tests.player.judge import GAME, START, Judge
from tests.player.test_web import JUDGE, given

BOX, OTHER = "https://box.club.example/", "https://other.example/box/"


def named(judge: Judge, url: str = BOX, hours: int = 0) -> bytes:
    letter = BoxLetter(game=GAME, url=url, made=START + timedelta(hours=hours))
    return judge.sealed(sign_box_letter(letter, judge.key)).encode()


@pytest.fixture
def api(alice: Home, invited: Judge) -> Api:
    """Of a player who is invited to a game with a box, and has saved their home."""
    alice.receive(named(invited))
    return opened(alice)


def opened(home: Home, passphrase: str = "") -> Api:
    """The page of a home, which was just loaded, with the key unlocked."""
    found = Api(home.path, clock=lambda: START)
    found.unlock("alice", passphrase)
    found.saved()
    return found


def state(api: Api) -> str:
    return api.standing().games[0].state


def stored(body: str) -> str:
    """What a box answers that has stored this."""
    return json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()})


def letters(mails: Mapping[int, bytes], more: bool = False, **said: Any) -> str:
    """What a box answers that has these letters."""
    rows = [{"number": number, "mail": base64.b64encode(mail).decode()} for number, mail in mails.items()]
    return json.dumps({"time": "2026-11-28T03:00:00Z", "letters": rows, "more": more, **said})


def test_what_is_sealed_waits_is_posted_and_is_received_by_the_judges_word_alone(
    api: Api, alice: Home, invited: Judge
) -> None:
    assert api.standing().games[0].box == BOX
    made = api.seal(GAME, "", post=True)
    assert state(api) == "to be sent"
    again = opened(alice)
    assert state(again) == "to be sent"
    assert again.last_sealed(GAME) == made
    (waiting,) = again.waiting()
    assert (waiting.number, waiting.box, waiting.text) == (1, BOX, made.text)

    call = again.posting(1)
    assert (call.url, call.body) == (f"{BOX}post", made.text)
    digest = hashlib.sha256(call.body.encode()).hexdigest()
    assert verify_request(call.header, Deed.POST, BOX, digest, START) == alice.keys.public("alice")
    for lie in (
        stored("another"),
        "{}",
        "[]",
        "<html>",
        "[" * 9_000,
        stored(made.text) + " " * outbox.MAX_ANSWER_SIZE,
    ):
        with pytest.raises(Refused):
            again.posted(1, lie)
    assert state(again) == "to be sent"
    line = again.posted(1, stored(made.text))
    assert line is not None
    assert line.state == state(again) == "sent"
    assert again.waiting() == ()
    with pytest.raises(Refused, match="does not wait to be sent any more"):
        again.posting(1)

    sealed = alice.place(GAME).sent_files.orders_of(1)[-1].sealed or b""
    receipt = invited.signed_receipt(invited.receipt(1, "alice", made.rev, sealed))
    again.fetched(BOX, "alice", letters({1: receipt}))
    assert state(again) == "receipted"


def test_what_waits_keeps_its_order_and_waits_once(api: Api) -> None:
    api.join("dunbar", "alice", JUDGE, box=BOX)
    api.saved()
    api.seal(GAME, "", post=True)
    assert api.send(GAME).state == "to be sent"
    assert [(one.number, one.game, one.rev) for one in api.waiting()] == [(1, "dunbar", 0), (2, GAME, 1)]
    api.posted(1, stored(api.waiting()[0].text))
    assert [one.number for one in api.waiting()] == [2]
    assert api.handed(GAME, 1, 1).state == "handed over", "it was mailed instead"
    assert api.waiting() == ()
    assert api.send(GAME).state == "to be sent", "it may be posted all the same"


def test_a_game_without_a_box_is_mailed(alice: Home, invited: Judge) -> None:
    api = opened(alice)
    api.seal(GAME, "", post=True)
    assert (state(api), api.waiting(), api.readers()) == ("sealed", (), ())
    api.receive(given(named(invited)))
    assert (state(api), api.send(GAME).state) == ("sealed", "to be sent")


def test_letters_are_kept_and_then_acknowledged(api: Api, alice: Home, invited: Judge) -> None:
    assert [(one.box, one.key) for one in api.readers()] == [(BOX, "alice")]
    call = api.fetching(BOX, "alice")
    assert (call.url, call.body) == (f"{BOX}fetch", "since 0\n")
    digest = hashlib.sha256(call.body.encode()).hexdigest()
    assert verify_request(call.header, Deed.FETCH, BOX, digest, START) == alice.keys.public("alice")
    come = {3: named(invited, OTHER, hours=1), 7: b"Subject: none\n\n"}
    found = api.fetched(BOX, "alice", letters(come, more=True))
    assert [one["kind"] for one in found.received.arrivals] == ["box"]
    assert found.more
    assert isinstance(found.acknowledgement, BoxCall)
    assert (found.acknowledgement.url, found.acknowledgement.body) == (f"{BOX}acknowledge", "through 7\n")
    assert api.standing().games[0].box == OTHER, "the box has moved"
    again = opened(alice)
    assert again.fetching(BOX, "alice").body == "since 7\n"
    assert again.fetching(OTHER, "alice").body == "since 0\n", "another box counts by itself"
    none = again.fetched(BOX, "alice", letters({}, more=True))
    assert (none.more, none.acknowledgement) == (False, None), "a box that says so for ever is left"


def test_a_letter_that_was_refused_is_tried_again_with_the_next(
    api: Api, alice: Home, invited: Judge
) -> None:
    """As when the box has held back the one before it."""
    since = len(invited.entries)
    invited.close(1)
    invited.resolve(1)
    first = invited.mail(invited.letter(1, since=since)).encode()
    later = len(invited.entries)
    invited.close(2)
    invited.resolve(2)
    second = invited.mail(invited.letter(2, since=later)).encode()

    def fetch(mails: dict[int, bytes]) -> Received:
        return api.fetched(BOX, "alice", letters(mails)).received

    assert [source for source, _ in fetch({1: second}).faults] == ["letter 1"]
    assert (fetch({}).faults, api.fetching(BOX, "alice").body) == ((), "since 1\n")
    found = fetch({2: first})
    assert found.faults == ()
    assert [(one["kind"], one["exchange"], one["new"]) for one in found.arrivals] == [
        ("report", 1, True),
        ("report", 2, True),
    ]
    assert not list(alice.path.glob("boxes/*/fetched/*")), "what was taken in is not kept twice"


def test_of_letters_that_are_refused_only_the_last_are_kept(api: Api, alice: Home) -> None:
    """A box that sends rubbish fills no home."""
    api.fetched(BOX, "alice", letters(dict.fromkeys(range(1, 150), b"-----BEGIN AGE")))
    kept = sorted(int(path.stem) for path in alice.path.glob("boxes/*/fetched/*"))
    assert kept == [*range(150 - outbox.MAX_KEPT_LETTERS, 150)]


ODD: dict[str, Callable[[], str]] = {
    "no JSON": lambda: "<html>",
    "a list": lambda: "[]",
    "no letters": lambda: "{}",
    "letters that are no list": lambda: '{"letters": {}}',
    "a letter that is a text": lambda: '{"letters": ["x"]}',
    "a number that is true": lambda: '{"letters": [{"number": true, "mail": ""}]}',
    "no mail": lambda: '{"letters": [{"number": 1}]}',
    "no base64": lambda: '{"letters": [{"number": 1, "mail": "*"}]}',
    "a number below zero": lambda: letters({-1: b""}),
    "a number that is far too large": lambda: letters({10**12: b""}),
    "numbers that do not rise": lambda: letters({2: b"", 1: b""}),
    "nested without end": lambda: "[" * 100_000,
    "too many letters": lambda: letters(dict.fromkeys(range(1, outbox.MAX_LETTERS + 2), b"")),
    "too long": lambda: letters({1: b"x" * outbox.MAX_ANSWER_SIZE}),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_answer_changes_nothing(what: str, api: Api) -> None:
    with pytest.raises(PbemError, match="the post box"):
        api.fetched(BOX, "alice", ODD[what]())
    assert api.fetching(BOX, "alice").body == "since 0\n"


@pytest.mark.ci
def test_so_many_letters_are_taken(api: Api) -> None:
    found = api.fetched(BOX, "alice", letters(dict.fromkeys(range(1, outbox.MAX_LETTERS + 1), b"")))
    assert found.acknowledgement is not None


def test_a_locked_key_posts_unsigned_and_fetches_nothing(api: Api, alice: Home) -> None:
    """What waits is sealed already; the lane for what nobody signs is smaller."""
    api.seal(GAME, "", post=True)
    path = alice.path / "keys/alice"
    path.write_bytes(load_private(path.read_bytes()).to_openssh("a horse", rounds=4))
    locked = Api(alice.path, clock=lambda: START)
    assert locked.readers() == ()
    assert locked.posting(1).header == ""
    assert locked.posting(1).body
    locked.unlock("alice", "a horse")
    assert locked.posting(1).header
    assert len(locked.readers()) == 1


def test_a_join_is_posted_and_the_invitation_is_fetched(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", clock=lambda: START)
    home.keygen("alice")
    api = opened(home)
    made = api.join(GAME, "alice", JUDGE, linked=True, box=BOX)
    (line,) = api.standing().games
    assert (line.state, line.box, line.joined) == ("joining", BOX, False)
    assert [one.text for one in api.waiting()] == [made.text]
    api.posted(1, stored(made.text))
    (line,) = api.standing().games
    assert (line.state, line.joined) == ("joining", True)
    assert [(one.box, one.key) for one in api.readers()] == [(BOX, "alice")]
    for odd in ("http://box.club.example/", "javascript:alert()", "https://box.club.example"):
        with pytest.raises(PbemError, match="is not the address of a post box"):
            api.join("dunbar", "alice", JUDGE, box=odd)


def test_what_is_damaged_in_the_storage_is_left_out(api: Api, alice: Home) -> None:
    api.seal(GAME, "", post=True)
    folder = alice.path / "page"
    good = json.loads((folder / "outbox-000001.json").read_text())
    odd = (json.dumps(good | change) for change in ({"rev": "1"}, {"more": 1}, {}))
    for number, bad in enumerate(("", "x", "[]", "{}", "[" * 9_000, *odd), 2):
        (folder / f"outbox-{number:06}.json").write_text(bad)
    assert [one.number for one in api.waiting()] == [1]
    api.fetched(BOX, "alice", letters({5: b""}))
    (through,) = alice.path.glob("boxes/*/through")
    for bad in ("x", "", "-1\n", "5"):
        through.write_text(bad)
        assert api.fetching(BOX, "alice").body in ("since 0\n", "since 5\n")
    (alice.path / f"games/{GAME}/box").write_text("x")
    assert (api.standing().games[0].box, api.readers()) == ("", ())


def test_what_waits_for_a_game_that_was_forgotten_is_posted_all_the_same(api: Api, alice: Home) -> None:
    made = api.seal(GAME, "", post=True)
    alice.forget(GAME)
    assert api.posting(1).header == ""
    assert api.posted(1, stored(made.text)) is None
