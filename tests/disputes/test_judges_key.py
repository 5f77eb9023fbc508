"""The judge's own key is replaced, and every player's program can tell whether it is he who did it."""

from __future__ import annotations

import shutil

import pytest

from pbem.judge.club import open_club
from pbem.judge.letters.letter_files import deliver
from pbem.judge.letters.letters_out import notify
from pbem.player import Home
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import PrivateKey, generate, load_private_file
from pbem.trust.ledger import Checkpoint, Receipt, sign_statement
from pbem.trust.press import PressTerms, sign_terms
from pbem.trust.rotations import KeyChange, Rotation, sign_rotation
from pbem.trust.signature import sign_text
from tests.audit.script import verify_sh
from tests.disputes.story import GAME, SIDES, Story

pytestmark = pytest.mark.ci


def fingerprint(story: Story) -> str:
    """Of the judge's key."""
    return open_club(story.folder / "club").key.public.fingerprint


def checked(story: Story, audience: str) -> str:
    """What the audit says of a bundle and of what alice has kept; the script of stock tools agrees."""
    bundle = story.bundle(audience)
    held = story.folder / "alice/games" / GAME / "held"
    said = story.pbem("audit", bundle, "--held", held).out
    assert "proven   the bundle agrees with what players kept" in said
    status, printed = verify_sh(bundle, held=held)
    assert status == 0, printed
    assert "proves nothing" not in printed
    return said


def test_a_new_key_of_the_judge_is_believed_by_what_the_old_one_signed(played: Story) -> None:
    played.send("bob", "done\n")
    old, club = fingerprint(played), open_club(played.folder / "club")
    press = Home(played.folder / "alice").press(GAME).store
    press.keep_terms(sign_terms(PressTerms(game=GAME, kind="white", made=club.clock()), club.key))
    told = played.pbem("replace-key", "--judge").out
    new = fingerprint(played)
    assert f"judge's key {new}, in stirling" in told
    for name in SIDES:
        shown = played.receive(name)
        assert f"the judge signs with a new key from here on: {new}, and no longer {old}" in shown
    assert press.terms is not None, "what the old key has signed counts on"
    played.exchange(alice="done\n", bob="done\n")
    played.exchange(alice="done\n", bob="done\n")
    for name in SIDES:
        assert "Exchange 5 has been played" in played.receive(name)
    for audience in ("public", "scotland", "all"):
        assert "the judge signs with a new key from here on" in checked(played, audience)
    played.pbem("backup", played.folder / "backup.tar.gz")


def test_the_recovery_key_replaces_a_judge_s_key_that_is_lost(fresh: Story) -> None:
    paper = fresh.folder / "gm-recovery"
    fresh.pbem("init", fresh.folder / "club", "--name", "test", "--recovery", paper)
    fresh.begin()
    fresh.exchange()
    (fresh.folder / "club/keys/gm").unlink()
    fresh.pbem("replace-key", "--judge", "--recovery", paper)
    fresh.exchange(alice="card 2\n", bob="card 1\n")
    for name in SIDES:
        assert "Exchange 2 has been played" in fresh.receive(name)
    checked(fresh, "all")


def test_a_recovery_key_that_the_genesis_does_not_name_is_refused(played: Story) -> None:
    """The attack: somebody with the club's folder makes himself judge by a recovery key of his own."""
    played.pbem("init", played.folder / "other", "--recovery", played.folder / "mine")
    before = fingerprint(played)
    told = played.pbem("replace-key", "--judge", "--recovery", played.folder / "mine", status=1)
    assert "as a recovery key" in told.err
    assert fingerprint(played) == before


@pytest.mark.parametrize("by", [None, generate("recovery")], ids=["itself", "another"])
def test_a_key_that_nobody_has_signed_is_refused_loudly(played: Story, by: PrivateKey | None) -> None:
    """The attack: somebody has the club's folder but not its key, and goes on with one of his own."""
    for name in SIDES:
        played.receive(name)
    thief = generate("thief")
    club = open_club(played.folder / "club", key=thief)
    with club.store.step():
        book = club.book(GAME)
        old = book.history.genesis.gm
        first = str(book.head_at(1))
        change = KeyChange(game=GAME, genesis=first, player="gm", exchange=4, old=old, new=thief.public.line)
        book.append(
            Rotation(
                exchange=4, player="gm", at=club.clock(), old=old, key=change.new, text_sha256=change.sha256
            )
        )  # fmt: skip
        club.store.add_sealed(change.sha256, sign_rotation(change, by or thief, thief))
        notify(club.store, book, thief, "A new key.\n")
    deliver(club)
    for name in SIDES:
        letter = next((played.folder / "club/out" / name).glob("*-notice-*"))
        told = played.pbem("receive", letter, home=name, status=1)
        assert "nothing proves that it was replaced" in told.err
        assert "tell the club" in told.err
        chronicle = Home(played.folder / name).folder(GAME).chronicle()
        assert chronicle is not None
        assert chronicle.history.seats.of("gm") == []
        assert not list((played.folder / name / "games" / GAME / "held").glob("f*-*"))


def test_what_is_signed_with_a_replaced_key_proves_nothing(played: Story) -> None:
    """The attack: who has stolen the judge's old key signs another history, to frame him."""
    stolen = played.folder / "stolen"
    shutil.copy(played.folder / "club/keys/gm", stolen)
    played.pbem("replace-key", "--judge")
    played.exchange(alice="done\n", bob="done\n")
    played.receive("alice")
    bundle = played.bundle("public")
    held = played.folder / "held"
    held.mkdir()
    size = len((bundle / "log/leaves").read_text().splitlines())
    forged = Checkpoint(game=GAME, size=size, head="a" * 64)
    (held / "c.txt").write_bytes(forged.text)
    (held / "c.txt.sig").write_bytes(sign_statement(forged, load_private_file(stolen)))
    said = played.pbem("audit", bundle, "--held", held).out
    assert "c.txt proves nothing: the judge has not signed it" in said
    status, printed = verify_sh(bundle, played.genesis[1], held)
    assert status == 0, printed
    assert "proves nothing" in printed
    receipt = Receipt(
        game=GAME, exchange=5, player="alice", rev=1, sealed="b" * 64, number=9, echo="c" * 64
    )  # fmt: skip
    letter = played.folder / "receipt.txt"
    letter.write_bytes(sign_text(load_private_file(stolen), Namespace.RECEIPT, receipt.text))
    told = played.pbem("receive", letter, home="alice", status=1)
    assert "was not the judge's key" in told.err
