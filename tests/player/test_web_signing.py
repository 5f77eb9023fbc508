"""What a player signs in the page about a game: each form gives the text that the judge reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from pbem.player import Home
from pbem.player.faults import Refused
from pbem.trust import signature
from pbem.trust.act_entries import parse_consent, verify_consent
from pbem.trust.fields import read_signed, verify_signed
from pbem.trust.player_statements import Absence, Profile
from pbem.trust.post_box import BoxLetter, sign_box_letter
from pbem.trust.rotations import read_rotation
from pbem.web.api import Api
from pbem.web.door import CALLS
from tests.player.judge import GAME, START, Judge

BOX = "https://box.club.example/"


@pytest.fixture
def api(alice: Home, play: Callable[[int], None]) -> Api:
    """Of a player who has accepted a game, with exchange 2 open."""
    play(1)
    found = Api(alice.path, clock=lambda: START)
    found.unlock("alice", "")
    found.saved()
    return found


def names(api: Api, about: str = GAME) -> list[str]:
    return [form.name for form in api.forms(about)]


def test_what_is_offered_follows_from_the_ledger(api: Api, alice: Home) -> None:
    found = names(api)
    assert found[:2] == ["absence", "profile"]
    assert "concede" in found
    assert "claim" not in found, "bob has sent something"
    assert "enter" not in found
    (of,) = next(one for one in api.forms(GAME) if one.name == "new-seat-key").fields[:1]
    assert of.choices == ("bob",)
    alice.join("dunbar", player="alice", judge="SHA256:" + "A" * 43)
    assert names(api, "dunbar") == ["absence", "profile"], "nothing is open there"


def test_a_silent_opponent_is_claimed_from(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.play.history import History

    monkeypatch.setattr(History, "silence", lambda *_: 2)
    claim = next(one for one in api.forms(GAME) if one.name == "claim")
    assert claim.due
    assert claim.fields[0].choices == ("bob",)
    signed = api.sign("claim", GAME, {"of": "bob"}).text.encode()
    assert parse_consent(signature.split(signed).body).to == "claim bob"


@pytest.mark.parametrize(
    ("text", "given", "to"),
    [
        ("concede", {}, "concede alice"),
        ("agree-draw", {}, "agree-draw"),
        ("roll-back", {"of": "1"}, "roll-back 1"),
        ("correct", {"of": "1", "change": "border_control=battle"}, "correct 1 border_control=battle"),
        ("go-on", {"change": "rules=" + "0" * 64}, "go-on rules=" + "0" * 64),
        ("new-seat-key", {"of": "bob", "sha256": "1" * 64}, f"rotate bob {'1' * 64}"),
    ],
)
def test_each_consent_is_that_of_the_command(
    text: str, given: dict[str, str], to: str, api: Api, alice: Home
) -> None:
    made = api.sign(text, GAME, given)
    parts = signature.split(made.text.encode())
    consent = parse_consent(parts.body)
    verify_consent(parts.armor, consent, alice.keys.public("alice"))
    assert (consent.to, consent.by, consent.exchange) == (to, "alice", 2)
    assert made.text.encode() == alice.consent(GAME, 2, "alice", to)


def test_a_game_that_is_put_away_names_what_is_lost(api: Api, alice: Home) -> None:
    chronicle = alice.folder(GAME).chronicle()
    assert chronicle is not None
    size = chronicle.size - 3
    given = {"size": str(size), "head": chronicle.heads[size - 1], "lost": "2"}
    with pytest.raises(Refused, match="are lost, not 2"):
        api.sign("put-away", GAME, given)
    assert api.sign("put-away", GAME, given | {"lost": "3"}).text


def test_absence_and_profile_name_the_games_judge(api: Api, alice: Home, judge: Judge) -> None:
    public = alice.keys.public("alice")
    made = api.sign("absence", GAME, {"begins": "2026-12-01", "ends": "2026-12-05"})
    absence, body, armor = read_signed(Absence, made.text.encode())
    verify_signed(body, armor, public)
    assert absence.judge == judge.key.public.fingerprint
    given = {"zone": "Europe/London", "publish": "no", "unshare": "yes", "share": "x@example.org"}
    given |= {"avoid": "bob, carol"}
    profile, body, armor = read_signed(Profile, api.sign("profile", GAME, given).text.encode())
    verify_signed(body, armor, public)
    assert (profile.zone, profile.publish, profile.share) == ("Europe/London", "no", "-")
    assert profile.avoid == "bob,carol"


@pytest.mark.ci
def test_a_new_key_is_made_and_signed_by_the_old_one(api: Api, alice: Home) -> None:
    with pytest.raises(Refused, match="to make it, give it a passphrase"):
        api.sign("rotation", GAME, {"new": "alice2"})
    assert alice.keys.names() == ("alice",)
    made = api.sign("rotation", GAME, {"new": "alice2", "passphrase": "x", "chain": "2"})
    rotation = read_rotation(made.text.encode())
    assert rotation.change.new == alice.keys.public("alice2").line
    assert made.remarks == ()
    lost = api.sign("rotation", GAME, {"new": "alice2", "lost": "yes"})
    change = read_rotation(lost.text.encode()).change
    assert lost.remarks == (f"For others to consent: player alice, hash {change.sha256}",)


@pytest.mark.ci
def test_the_recovery_key_is_shown_once_and_may_replace_the_key(api: Api, alice: Home) -> None:
    before = {path for path in alice.path.rglob("*") if path.is_file()}
    fingerprint, private = api.recovery_key("alice")
    assert private.startswith("-----BEGIN OPENSSH PRIVATE KEY-----")
    assert all(private.encode() not in path.read_bytes() for path in alice.path.rglob("*") if path.is_file())
    assert {path for path in alice.path.rglob("*") if path.is_file()} - before
    given = {"new": "alice2", "passphrase": "x", "recovery": private}
    armor = read_rotation(api.sign("rotation", GAME, given).text.encode()).by
    assert signature.parse(armor).key.fingerprint == fingerprint
    assert len(api.sheet(GAME, 2, 4)) == 6


def test_what_is_signed_waits_for_the_box_and_says_nothing_of_orders(
    api: Api, alice: Home, judge: Judge
) -> None:
    letter = BoxLetter(game=GAME, url=BOX, made=START + timedelta(hours=1))
    alice.receive(judge.sealed(sign_box_letter(letter, judge.key)).encode())
    api.seal(GAME, "", post=True)
    made = api.sign("concede", GAME, {})
    orders, signed = api.waiting()
    for one in (orders, signed):
        api.posted(one.number, json.dumps({"sha256": hashlib.sha256(one.text.encode()).hexdigest()}))
    assert (signed.text, signed.signed) == (made.text, "concede")
    assert api.standing().games[0].state == "sent", "of the orders"
    assert api.waiting() == ()


def test_the_page_asks_for_nothing_else() -> None:
    assert {"forms", "sign", "leagues", "league", "sheet", "recovery_key", "show"} <= CALLS.keys()
    assert not any(name.startswith("_") for name in CALLS)
    assert "seed_of" not in CALLS
