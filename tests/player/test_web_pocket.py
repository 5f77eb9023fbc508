"""The fetch key of a browser: what it signs, to whom it is named, and that it is withdrawn."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import timedelta

import pytest

from pbem.player import Home
from pbem.player.faults import Refused
from pbem.trust.faults import OrderFileFault, SignatureFault
from pbem.trust.fields import read_signed, verify_signed
from pbem.trust.keys import PrivateKey, load_private
from pbem.trust.player_statements import FetchKey
from pbem.trust.post_box import Deed, verify_request
from pbem.web.api import Api
from tests.player.judge import START, Judge
from tests.player.test_web_outbox import BOX, OTHER, letters, named, opened

POCKET = PrivateKey(b"p" * 32)
PUBLIC = base64.b64encode(POCKET.public.raw).decode()


@pytest.fixture
def api(alice: Home, invited: Judge) -> Api:
    """Of a player who has a game with a box."""
    alice.receive(named(invited))
    return opened(alice)


def statements(api: Api, alice: Home) -> list[FetchKey]:
    """What waits to be posted, which alice must have signed."""
    found = []
    for one in api.waiting():
        said, body, armor = read_signed(FetchKey, one.text.encode())
        verify_signed(body, armor, alice.keys.public("alice"))
        found.append(said)
    return found


def locked(home: Home) -> Api:
    """The same home, whose key is locked."""
    path = home.path / "keys/alice"
    path.write_bytes(load_private(path.read_bytes()).to_openssh("a horse", rounds=4))
    return Api(home.path, clock=lambda: START)


def test_it_is_named_once_to_each_judge_and_withdrawn(api: Api, alice: Home, invited: Judge) -> None:
    assert api.pockets() == ()
    assert (api.offer("alice", PUBLIC), api.offer("alice", PUBLIC)) == (1, 0)
    (said,) = statements(api, alice)
    assert (said.player, said.judge, said.key) == ("alice", invited.key.public.fingerprint, POCKET.public)
    assert not said.is_withdrawn
    assert api.pockets() == ("alice",)
    api.withdraw("alice")
    assert [one.is_withdrawn for one in statements(api, alice)] == [False, True]
    assert (api.pockets(), api.peeks()) == ((), ())
    api.withdraw("alice")
    assert len(api.waiting()) == 2


def test_a_new_key_of_the_browser_is_named_anew(api: Api, alice: Home) -> None:
    api.offer("alice", PUBLIC)
    other = PrivateKey(b"q" * 32).public
    assert api.offer("alice", base64.b64encode(other.raw).decode()) == 1
    assert [one.key for one in statements(api, alice)] == [POCKET.public, other]


def test_the_players_own_key_is_no_fetch_key(api: Api, alice: Home) -> None:
    own = base64.b64encode(alice.keys.public("alice").raw).decode()
    with pytest.raises(OrderFileFault, match="a key of its own"):
        api.offer("alice", own)
    for bad in ("", "*", base64.b64encode(b"x").decode()):
        with pytest.raises(Refused, match="not a key or a signature"):
            api.offer("alice", bad)
    assert api.waiting() == ()


def test_a_locked_page_asks_by_it_and_keeps_nothing(api: Api, alice: Home, invited: Judge) -> None:
    api.offer("alice", PUBLIC)
    api.fetched(BOX, "alice", letters({3: named(invited, hours=1)}))
    page = locked(alice)
    (peek,) = page.peeks()
    signature = base64.b64encode(POCKET.sign_raw(base64.b64decode(peek.message))).decode()
    call = page.peeking(peek.box, peek.key, peek.time, signature)
    assert (call.url, call.body) == (f"{BOX}fetch", "since 3\n")
    digest = hashlib.sha256(call.body.encode()).hexdigest()
    assert verify_request(call.header, Deed.FETCH, BOX, digest, START) == POCKET.public
    forged = page.peeking(peek.box, peek.key, peek.time, base64.b64encode(bytes(64)).decode())
    with pytest.raises(SignatureFault):
        verify_request(forged.header, Deed.FETCH, BOX, digest, START)
    waits = letters({4: named(invited, OTHER, hours=2), 7: b"x"})
    before = {path: path.read_bytes() for path in alice.path.rglob("*") if path.is_file()}
    assert page.peeked(BOX, "alice", waits) == 2
    assert page.peeked(BOX, "alice", letters({})) == 0
    with pytest.raises(Refused, match="the post box"):
        page.peeked(BOX, "alice", "<html>")
    assert {path: path.read_bytes() for path in alice.path.rglob("*") if path.is_file()} == before


def test_a_box_that_has_moved_is_asked_where_it_is(api: Api, alice: Home, invited: Judge) -> None:
    api.offer("alice", PUBLIC)
    api.fetched(BOX, "alice", letters({1: named(invited, OTHER, hours=1)}))
    assert [one.box for one in api.peeks()] == [OTHER]
    api.fetched(OTHER, "alice", letters({1: named(invited, "", hours=2)}))
    assert api.peeks() == ()


def test_what_is_damaged_in_the_storage_is_left_out(api: Api, alice: Home) -> None:
    api.offer("alice", PUBLIC)
    path = alice.path / "page/pocket.json"
    good = json.loads(path.read_text())["alice"]
    odd: tuple[object, ...] = (
        {"alice": []},
        {"alice": good | {"games": [1]}},
        {"alice": good | {"more": 1}},
        {"bob": good},
    )
    for bad in ("x", "[]", "[" * 9_000, *map(json.dumps, odd)):
        path.write_text(bad)
        assert (api.pockets(), api.peeks()) == ((), ())


def test_requests_are_of_the_time_that_was_signed(api: Api, alice: Home) -> None:
    api.offer("alice", PUBLIC)
    later = Api(alice.path, clock=lambda: START + timedelta(minutes=1))
    (first,), (second,) = api.peeks(), later.peeks()
    assert first.message != second.message
    signature = base64.b64encode(POCKET.sign_raw(base64.b64decode(first.message))).decode()
    call = later.peeking(first.box, first.key, first.time, signature)
    digest = hashlib.sha256(call.body.encode()).hexdigest()
    assert verify_request(call.header, Deed.FETCH, BOX, digest, START) == POCKET.public
