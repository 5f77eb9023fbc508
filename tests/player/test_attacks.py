"""Letters that are wrong. Each is refused with its own words, and nothing of it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pbem.errors import PbemError
from pbem.player import Home
from pbem.player.faults import Contradiction, Incomplete, Refused
from pbem.player.outgoing import ordering
from pbem.trust import keys, ledger, sealing, signature
from pbem.trust.chance import Die, Reveal, die
from pbem.trust.identifiers import Namespace
from pbem.trust.letters import ReportLetter
from tests.player.judge import GAME, Judge
from tests.player.tools import Play, folder, refused, stock_verifies, tree

SOMEBODY = keys.generate("mallory")


# Who signs, and for whom


def test_early_harvest_by_a_stranger(alice: Home, play: Play, invited: Judge) -> None:
    """A forged request for exchange 9 would bare the steps 1 to 9."""
    play(2)
    known = len(invited.entries)
    mallory = replace(invited, key=SOMEBODY, entries=list(invited.entries), salts=list(invited.salts))
    for exchange in range(3, 9):
        mallory.close(exchange)
        mallory.resolve(exchange)
    told = str(refused(alice, mallory.mail(mallory.letter(8, since=known))))
    assert told.startswith("this is signed with the key")
    assert alice.seal(None).exchange == 3


def test_early_harvest_by_the_judge(alice: Home, play: Play, invited: Judge) -> None:
    """The judge himself cannot open exchange 9 after exchange 2."""
    play(2)
    known = len(invited.entries)
    invited.close(3)
    invited.add(invited.resolution(3))
    invited.open(9)
    fault = refused(alice, invited.mail(invited.notice(9, since=known)))
    assert isinstance(fault, Contradiction)
    assert "exchange 4 must be opened next, when the last one is resolved" in str(fault)
    with pytest.raises(PbemError) as caught:
        alice.seal("pbem1 orders\nexchange 9\n---\n")
    assert str(caught.value) == (
        "these orders are for exchange 9; your ledger has opened exchange 3, and no later one, so no "
        "later step may be revealed"
    )


def test_a_checkpoint_signed_by_another(alice: Home, invited: Judge) -> None:
    letter = invited.letter(0)
    other = replace(letter, signature=ledger.sign_statement(letter.checkpoint, SOMEBODY))
    assert "the signature was made with the key" in str(refused(alice, invited.mail(other)))


def test_an_invitation_with_a_head_that_its_entries_do_not_have(alice: Home, judge: Judge) -> None:
    letter = judge.letter(0)
    head = replace(letter.checkpoint, head="ab" * 32)
    mail = judge.mail(replace(letter, checkpoint=head, signature=ledger.sign_statement(head, judge.key)))
    assert str(refused(alice, mail)) == (
        "this cannot begin a game: its head at entry 2 is not that of the ledger that the judge showed you"
    )


def test_a_player_as_judge(alice: Home, bob: Home, judge: Judge) -> None:
    """A letter signed by bob begins no game if its genesis names the judge."""
    letter = judge.letter(0)
    key = bob.keys.unlock("bob")
    mallory = replace(judge, key=key)
    mail = mallory.mail(replace(letter, signature=ledger.sign_statement(letter.checkpoint, key)))
    assert str(refused(alice, mail)) == (
        f"the invitation is signed with the key {key.public.fingerprint}; "
        f"its own genesis says that the judge has the key {judge.key.public.fingerprint}"
    )


def test_a_letter_sealed_to_another(alice: Home, bob: Home, judge: Judge) -> None:
    mine = alice.keys.public("alice").fingerprint
    told = str(refused(alice, judge.mail(judge.letter(0, "bob"))))
    assert told.startswith(f"this is sealed to somebody else; your keys are: alice {mine}. ")


def test_another_genesis_than_the_pinned_one(alice: Home, judge: Judge) -> None:
    fault = refused(alice, judge.mail(judge.letter(0)), genesis="a" * 64)
    assert str(fault) == f"the genesis of hearth has the head {judge.heads[0]}; you expected {'a' * 64}"


# A judge's signature under what cannot be


def other_report(letter: ReportLetter) -> ReportLetter:
    return replace(letter, report="Exchange 1, as somebody else saw it.\n")


def test_a_letter_that_contradicts_itself(alice: Home, play: Play, invited: Judge) -> None:
    """It is kept as evidence, once, which stock tools verify."""
    play(1)
    letter = invited.mail(other_report(invited.letter(1)))
    fault = refused(alice, letter)
    told = "the report of exchange 1 is not the one that the ledger names"
    assert isinstance(fault, Contradiction)
    (place,) = (folder(alice) / "held").glob("fault-*")
    assert str(fault) == (f"{told}; the judge has signed this, and the letter is kept as evidence in {place}")
    stock_verifies(place, "letter.txt", "pbem1-report")
    assert told in (place / "README").read_text()
    kept = tree(alice.path)
    refused(alice, letter)
    assert tree(alice.path) == kept


def test_orders_received_and_left_out(alice: Home, bob: Home, invited: Judge) -> None:
    """The judge leaves out the reveal of a player whose orders he entered as received."""
    invited.receive(1, "alice", alice.seal(None).sealed)
    invited.receive(1, "bob", bob.seal(None).sealed)
    del invited.reveals["alice"]
    invited.close(1)
    invited.resolve(1)
    fault = refused(alice, invited.mail(invited.letter(1, since=2)))
    assert "who contributed to exchange 1: alice is left out, whose file was received; the" in str(fault)


def test_a_reveal_without_orders(alice: Home, bob: Home, invited: Judge) -> None:
    invited.receive(1, "bob", bob.seal(None).sealed)
    reveal = invited.read(1, "alice", alice.seal(None).sealed).reveal
    assert reveal is not None
    invited.reveals["alice"] = reveal
    invited.close(1)
    invited.resolve(1)
    fault = refused(alice, invited.mail(invited.letter(1, since=2)))
    assert "who contributed to exchange 1: alice stands there, of whom no step was due; the" in str(fault)


# What is missing or broken


def test_letters_before_it_are_missing(alice: Home, bob: Home, invited: Judge) -> None:
    for exchange in (1, 2):
        known = len(invited.entries)
        invited.close(exchange)
        invited.resolve(exchange)
    fault = refused(alice, invited.mail(invited.letter(2, since=known)))
    assert isinstance(fault, Incomplete)
    assert str(fault) == (
        f"the letter begins at entry {known + 1} of hearth, and your ledger ends at entry 2: "
        "receive the letters before it first, or ask the judge to send them again"
    )
    assert not bob.games()[0].trouble


def text_of(judge: Judge) -> str:
    return judge.signed(judge.letter(0)).decode()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (lambda _: b"x" * 20_000_000, "the file has 20,000,000 bytes; 16,777,216 are read at most"),
        (lambda _: b"Dear Alice, see you at the table!\n", "the file holds nothing sealed"),
        (
            lambda judge: text_of(judge).replace("saw it", "saw It").encode(),
            "this is not the text that was signed: something in it was changed",
        ),
        (
            lambda judge: judge.sealed(b"Dear Alice, see you at the table!\n").encode(),
            "this sealed text is not a report, and does not belong to a receipt",
        ),
        (
            lambda judge: judge.sealed(b"pbem1 report\n\xff\xfe").encode(),
            "the letter does not say for which game it is",
        ),
        (
            lambda _: sealing.to_armor(sealing.seal(b"x" * 5_000, [SOMEBODY.public])).encode(),
            "this is sealed to somebody else",
        ),
        pytest.param(
            lambda judge: judge.sealed(b"x" * 5_000_000).encode(),
            "bytes; 4,194,304 are accepted at most",
            marks=pytest.mark.ci,
        ),
    ],
)
def test_broken_files(alice: Home, judge: Judge, data: Callable[[Judge], bytes], told: str) -> None:
    assert told in str(refused(alice, data(judge)))


@pytest.mark.ci
def test_no_byte_of_a_letter_may_change(alice: Home, play: Play, invited: Judge) -> None:
    """Whatever is flipped in a signed letter, it is not taken; a sample of its bytes."""
    play(1)
    known = len(invited.entries)
    invited.close(2)
    invited.resolve(2)
    text = invited.signed(invited.letter(2, since=known))
    before = tree(alice.path)
    for at in range(0, len(text) - 1, 41):
        changed = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]
        with pytest.raises(PbemError):
            alice.receive(invited.sealed(changed).encode())
    assert tree(alice.path) == before


def test_another_damaged_game_is_no_hindrance(alice: Home, judge: Judge) -> None:
    alice.join("dunbar", player="alice", judge=None)
    (alice.path / "games/dunbar/player").write_text("nonsense\n")
    alice.receive(judge.mail(judge.letter(0)).encode())
    orders = alice.seal(None, game=GAME)
    receipt = judge.signed_receipt(judge.receipt(1, "alice", 1, orders.sealed, "words\n"))
    alice.receive(receipt)
    (arrival,) = alice.receive(judge.sealed(b"words\n").encode())
    assert arrival.kind == "words"
    assert [status.trouble != "" for status in alice.games()] == [True, False]


def test_a_good_letter_beside_a_stranger_s_is_taken(alice: Home, judge: Judge) -> None:
    """A thread may quote what was sealed to somebody else."""
    text = judge.mail(judge.letter(0, "bob")) + judge.mail(judge.letter(0))
    (arrival,) = alice.receive(text.encode())
    assert arrival.new


def test_a_good_letter_beside_a_broken_one_is_taken(alice: Home, judge: Judge) -> None:
    bad = judge.sealed(b"Dear Alice!\n")
    delivery = alice.deliver({"mail": (bad + judge.mail(judge.letter(0))).encode()})
    assert [arrival.exchange for arrival in delivery.arrivals] == [0]
    assert [source for source, _ in delivery.faults] == ["mail"]


def test_of_several_files_it_is_told_which_held_nothing(alice: Home, judge: Judge) -> None:
    """A file that nobody sealed is told beside the letter that was taken."""
    files = {"letter": judge.mail(judge.letter(0)).encode(), "photo": b"no letter", "nothing": b""}
    delivery = alice.deliver(files)
    assert [arrival.exchange for arrival in delivery.arrivals] == [0]
    assert [source for source, _ in delivery.faults] == ["photo", "nothing"]


# What was kept


def test_a_kept_head_that_another_key_has_signed_is_none(alice: Home, invited: Judge) -> None:
    """A home that somebody could write to: whose head it is, its signature says."""
    path = folder(alice) / "held/checkpoint-0002.txt"
    stranger = signature.sign(keys.generate("mallory"), Namespace.CHECKPOINT, path.read_bytes())
    path.with_name(f"{path.name}.sig").write_bytes(stranger)
    with pytest.raises(PbemError, match="is damaged: the signature was made with the key"):
        alice.seal(None, game=GAME)


def test_no_other_step_leaves_than_the_one_that_counts(
    alice: Home, play: Play, invited: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is signed is asked what the judge asks of it: a fault that takes a later step bares nothing."""
    play(1)
    chain = alice.folder(GAME).chain("alice.1")
    assert chain is not None
    later = Reveal("alice.1", 9, chain.reveal(9))
    monkeypatch.setattr(ordering, "_reveal_with_orders", lambda *_: later)
    with pytest.raises(Refused, match=r"nothing is signed for hearth.*reveals step 9, in exchange 2"):
        alice.seal(None)


def test_a_die_that_falls_a_second_time_in_a_game(alice: Home, play: Play, invited: Judge) -> None:
    """Whoever knows how a label fell could have chosen the second exchange for it (protocol 14)."""
    play(1)
    known = len(invited.entries)
    invited.close(2)
    resolve = invited.resolution(2)
    label = "1297.1/battle-1/fife/round-1/wallace/die-1"
    again = Die(2, 6, label, die(bytes.fromhex(resolve.mix), 6, label))
    invited.add(replace(resolve, dice=(again,)))
    fault = refused(alice, invited.mail(invited.notice(2, since=known)))
    assert f"the label {label} in exchange 2 is used twice" in str(fault)
