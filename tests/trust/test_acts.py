"""Entries of what the game master does, and of new keys: written, read, and refused when they are odd."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.trust.act_entries import Act, Consent, lacking, parse_consent, sign_consent, verify_consent
from pbem.trust.chance import Reveal
from pbem.trust.entries import Enrolled, Genesis
from pbem.trust.faults import LedgerFault, SignatureFault
from pbem.trust.fields import ConsentRef
from pbem.trust.keys import PrivateKey, generate
from pbem.trust.ledger import parse_entry
from pbem.trust.rotations import (
    KeyChange,
    Rotation,
    read_rotation,
    rotation_in_words,
    sign_rotation,
    verify_rotation,
)
from pbem.trust.signature import split
from tests.kept import as_kept
from tests.trust.test_entries import GENESIS, SAMPLES

AT = datetime(2026, 5, 3, tzinfo=UTC)
HEAD = "a" * 64
GIVEN = ConsentRef(HEAD, 41)
GIVEN_BY_TWO = (("bob", GIVEN), ("carol", ConsentRef("c" * 64, 42)))
OLD, NEW = (PrivateKey(name * 32).public for name in (b"o", b"n"))
ACT = Act(exchange=4, what="roll-back", of="3", at=AT, reason="a wrong map", consents=(("alice", GIVEN),))


ACTS = (
    ACT,
    replace(ACT, what="correct", change=f"rules={'b' * 64}"),
    replace(ACT, what="correct", change="bid=S1"),
    replace(ACT, what="go-on", of="", change=f"rules={'b' * 64}", consents=GIVEN_BY_TWO),
    replace(ACT, what="hold", of="", consents=()),
)
ROTATION = Rotation(
    exchange=4,
    player="alice",
    at=AT,
    old=OLD.fingerprint,
    key=NEW.line,
    anchor=Reveal("alice.2", 0, "a" * 64),
    recovery=NEW.fingerprint,
    text_sha256=HEAD,
)
ROTATIONS = (
    ROTATION,
    replace(ROTATION, player="gm", anchor=None, recovery=""),
    replace(ROTATION, old=NEW.fingerprint, recovery="", consents=(("alice", GIVEN),), reason="a new chain"),
    replace(ROTATION, anchor=None, person="dave", consents=GIVEN_BY_TWO, reason="she has left"),
)


def test_entries_and_what_follows_from_them_are_as_they_were() -> None:
    """Their texts, whom they are kept from, and the anchors; acts and new keys also in words."""
    said = []
    for entry in (*SAMPLES, *ACTS, *ROTATIONS):
        assert parse_entry(entry.text) == entry
        said.append(f"== {entry.kind}{' (hidden)' * entry.hidden}\n{entry.text.decode()}")
        match entry:
            case Genesis():
                said += [f"  {anchor.text} {anchor.under or 'as ever'}\n" for anchor in entry.anchors]
                said += [f"  {who} {share}\n" for who, share in entry.shares.items()]
            case Act():
                options = entry.corrected(GENESIS).options
                said.append(f"  {entry.said}; release {entry.rules or 'the same'}; {options}\n")
            case Rotation():
                said.append(f"  {rotation_in_words(entry)}\n  from {entry.starts}, {entry.chain_starts}\n")
                change = entry.change("hearth", HEAD)
                signed = sign_rotation(change, None, generate("new"))
                assert read_rotation(signed).change == change
                said.append(f"{change.text.decode()}  {change.consent}\n")
    as_kept(Path(__file__).parent / "golden" / "entries.txt", "".join(said))


@pytest.mark.parametrize(
    "words",
    [
        "smile",
        "hold now",
        "concede",
        "roll-back 3 bid=S1",
        "correct 3",
        "correct bid=S1",
        "correct 3 rules=abc",
        "correct 3 game=chess",
        "correct 3 bid=S1 bid=S2",
        "go-on bid=S1",
        "go-on",
    ],
)
def test_what_no_game_master_can_do_is_refused(words: str) -> None:
    with pytest.raises(LedgerFault, match=f"should be: '{words}' is nothing that a game master can do$"):
        parse_entry(f"act 4 {words}\nat 2026-05-03T00:00:00Z\nreason x\n".encode())


def test_the_official_may_put_a_house_rule_right_but_not_bring_another_release() -> None:
    """Protocol 12: a release that plays a game otherwise waits for all players."""
    players = (*GENESIS.players[:1], Enrolled(name="bob", fingerprint="SHA256:b", side="england"))
    genesis = replace(GENESIS, players=players, official=("olga", "SHA256:o"))
    names = tuple(player.name for player in players)
    for change, of_official, of_all in (("bid=S1", True, True), (f"rules={'b' * 64}", False, True)):
        act = replace(ACT, what="correct", change=change)
        by_official = replace(act, consents=(("olga", GIVEN),))
        by_all = replace(act, consents=tuple((name, GIVEN) for name in names))
        assert (not lacking(by_official, genesis)) is of_official
        assert (not lacking(by_all, genesis)) is of_all


@pytest.mark.parametrize(
    ("what", "of", "names", "left", "lack"),
    [
        ("agree-draw", "", ("alice", "bob", "carol"), (), ""),
        ("agree-draw", "", ("alice", "bob"), (), "carol has not consented"),
        ("agree-draw", "", ("alice", "bob"), ("carol",), ""),
        ("agree-draw", "", ("alice", "bob", "carol"), ("carol",), "carol has no say in it"),
        ("claim", "bob", ("alice",), (), "carol has not claimed the game"),
        ("claim", "bob", ("alice",), ("carol",), ""),
        ("roll-back", "3", ("alice", "bob"), (), "neither all players nor the second official olga"),
        ("roll-back", "3", ("alice", "bob"), ("carol",), ""),
        ("concede", "carol", ("carol",), ("carol",), "carol has no say in it"),
        ("claim", "carol", ("alice", "bob"), ("carol",), "carol does not play"),
    ],
)
def test_the_consent_of_those_counts_who_still_play(
    what: str, of: str, names: tuple[str, ...], left: tuple[str, ...], lack: str
) -> None:
    players = tuple(Enrolled(name=name, fingerprint="", side=name) for name in ("alice", "bob", "carol"))
    genesis = replace(GENESIS, players=players, official=("olga", ""))
    act = replace(ACT, what=what, of=of, consents=tuple((name, GIVEN) for name in names))
    found = lacking(act, genesis, left)
    assert found.startswith(lack)
    assert bool(found) is bool(lack)


def test_a_consent_fits_one_act_of_one_exchange_of_one_game() -> None:
    key = generate("alice")
    consent = Consent(
        game="hearth", genesis=HEAD, seen=(41, "b" * 64), exchange=4, by="alice", to="roll-back 3"
    )
    signed = split(sign_consent(consent, key))
    assert parse_consent(signed.body) == consent
    verify_consent(signed.armor, consent, key.public)
    for other in (
        replace(consent, genesis="0" * 64),
        replace(consent, seen=(40, "b" * 64)),
        replace(consent, seen=(41, "c" * 64)),
        replace(consent, game="dunbar"),
        replace(consent, exchange=5),
        replace(consent, to="roll-back 2"),
        replace(consent, by="bob"),
    ):
        with pytest.raises(SignatureFault):
            verify_consent(signed.armor, other, key.public)


def test_a_new_key_is_signed_by_the_old_or_recovery_key_and_by_itself() -> None:
    old, new, recovery, thief = (generate(name) for name in ("old", "new", "recovery", "thief"))
    change = KeyChange(
        game="hearth",
        genesis=HEAD,
        player="alice",
        exchange=4,
        old=old.public.fingerprint,
        new=new.public.line,
    )
    for by in (old, recovery):
        file = read_rotation(sign_rotation(change, by, new))
        assert file.change == change
        verify_rotation(file, old.public.fingerprint, recovery.public.fingerprint)
    for by, itself in ((thief, new), (old, thief), (new, new)):
        with pytest.raises(SignatureFault):
            verify_rotation(
                read_rotation(sign_rotation(change, by, itself)),
                old.public.fingerprint,
                recovery.public.fingerprint,
            )
    with pytest.raises(SignatureFault):
        verify_rotation(read_rotation(sign_rotation(change, recovery, new)), old.public.fingerprint, None)
    entry = replace(ROTATION, old=change.old, key=change.new, anchor=None, recovery="")
    assert entry.change("hearth", HEAD) == change
    assert entry.change("hearth", "b" * 64).sha256 != change.sha256


@pytest.mark.parametrize(
    ("names", "lack"),
    [
        ((), ""),  # then the old or recovery key has signed
        (("alice",), ""),
        (("bob", "carol"), ""),
        (("olga",), ""),
        (("bob",), "carol has not consented"),
        (("bob", "mallory"), "mallory has no say in it"),
    ],
)
def test_a_key_by_consent_takes_that_of_its_holder_of_all_others_or_of_the_official(
    names: tuple[str, ...], lack: str
) -> None:
    players = tuple(Enrolled(name=name, fingerprint="", side=name) for name in ("alice", "bob", "carol"))
    genesis = replace(GENESIS, players=players, official=("olga", ""))
    entry = replace(ROTATION, recovery="", consents=tuple((name, GIVEN) for name in names))
    assert entry.lacks(genesis) == lack
    for more in (replace(entry, person="dave"), replace(entry, recovery=NEW.fingerprint)):
        assert replace(more, consents=()).lacks(genesis) == "alice has not consented"
    assert entry.starts == (6 if names and "alice" not in names else 5)
    if lack.startswith("carol"):
        assert not entry.lacks(genesis, ["carol"]), "who has left has no say"
