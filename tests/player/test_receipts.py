"""Receipts: signed, numbered, and of our own files; their words come sealed apart."""

from __future__ import annotations

import shutil

import pytest

from pbem.player import Home
from pbem.player.faults import Contradiction
from pbem.player.incoming.mail_parts import MAX_MISSING_RECEIPTS
from pbem.trust import sealing, signature
from pbem.trust.entries import Received, Refused
from pbem.trust.identifiers import Namespace
from tests.player.judge import START, Judge
from tests.player.test_receive import crlf, quoted
from tests.player.tools import folder, refused, stock_verifies, tree

WORDS = "You said that you are ready.\n"


def ordered(alice: Home, judge: Judge, body: str = "", words: str = WORDS) -> tuple[bytes, str]:
    """Orders of alice's, and the signed receipt for them."""
    exchange = alice.games()[0].exchange
    assert exchange is not None
    orders = alice.seal(f"pbem1 orders\n---\n{body}")
    receipt = judge.receipt(exchange, "alice", orders.rev, orders.sealed, words)
    return orders.sealed, judge.signed_receipt(receipt).decode()


def test_a_receipt_is_kept_for_ssh_keygen(alice: Home, invited: Judge) -> None:
    sealed, receipt = ordered(alice, invited)
    (arrival,) = alice.receive(receipt.encode())
    assert (arrival.kind, arrival.exchange, arrival.new, arrival.remarks) == ("receipt", 1, True, ())
    (file,) = alice.folder("hearth").sent_files.orders()
    assert file.sealed == sealed
    assert arrival.text == (
        "receipt 1: the judge of hearth has your orders for exchange 1, revision 1 "
        f"(sealed file {file.name})\n"
    )
    place = folder(alice)
    stock_verifies(place / "held", "receipt-0001.txt", "pbem1-receipt", place / "allowed_signers")
    assert alice.games()[0].receipted == (1,)


def test_a_receipt_and_its_words_come_in_one_mail(alice: Home, invited: Judge) -> None:
    _, receipt = ordered(alice, invited)
    mail = f"{receipt}\n{quoted(invited.sealed(WORDS.encode()))}"
    first, second = alice.receive(mail.encode())
    assert (first.kind, second.kind, second.text) == ("receipt", "words", WORDS)
    assert tree(folder(alice))["echoes/0001.txt"].decode() == WORDS
    before = tree(alice.path)
    assert [arrival.new for arrival in alice.receive(mail.encode())] == [False, False]
    assert tree(alice.path) == before


@pytest.mark.parametrize("words", [WORDS, "", "no line's end", f"{WORDS}\n\n"])
def test_words_may_end_as_they_like(alice: Home, invited: Judge, words: str) -> None:
    _, receipt = ordered(alice, invited, words=words)
    alice.receive(receipt.encode())
    damaged = shutil.copytree(folder(alice), folder(alice).with_name("a-damaged-game"))
    (damaged / "held/receipt-0001.txt").write_bytes(b"x")
    (arrival,) = alice.receive(invited.sealed(words.encode()).encode())
    assert arrival.text == words


@pytest.mark.parametrize("sealed", [True, False])
def test_a_receipt_comes_sealed_or_with_other_line_ends(alice: Home, invited: Judge, sealed: bool) -> None:
    _, receipt = ordered(alice, invited)
    came = quoted(invited.sealed(receipt.encode())) if sealed else crlf(receipt)
    assert alice.receive(came.encode())[0].new


def test_words_before_their_receipt(alice: Home, invited: Judge) -> None:
    fault = refused(alice, invited.sealed(WORDS.encode()))
    assert "if it explains a new receipt, receive that receipt first" in str(fault)


def test_a_gap_is_remarked_until_it_is_filled(alice: Home, invited: Judge) -> None:
    receipts = [ordered(alice, invited, body=f"{number}\n")[1] for number in range(1, 5)]
    (arrival,) = alice.receive(receipts[3].encode())
    (remark,) = arrival.remarks
    assert remark == (
        "receipts 1 and 2 and 3 did not come: "
        "ask the judge to send again; a number that stays missing is evidence"
    )
    assert alice.games()[0].missing_receipts == (1, 2, 3)
    alice.receive(receipts[0].encode())
    (arrival,) = alice.receive(receipts[1].encode())
    assert arrival.remarks == (
        "receipt 3 did not come: ask the judge to send again; a number that stays missing is evidence",
    )
    assert arrival.remarks[0] in alice.seal("pbem1 orders\n---\n5\n").remarks
    (arrival,) = alice.receive(receipts[2].encode())
    assert arrival.remarks == ()
    assert alice.games()[0].missing_receipts == ()


def test_a_receipt_with_a_number_beyond_all_keeps_no_reader_busy(alice: Home, invited: Judge) -> None:
    sealed, _ = ordered(alice, invited)
    invited.receipts["alice"] = 10**9 - 2
    alice.receive(invited.signed_receipt(invited.receipt(1, "alice", 1, sealed)))
    (game,) = alice.games()
    assert game.missing_receipts == tuple(range(1, MAX_MISSING_RECEIPTS + 1))


def test_a_receipt_for_no_exchange_at_all(alice: Home, invited: Judge) -> None:
    """The attack: it names the player's file, and is for none of the exchanges of which the ledger tells."""
    sealed, _ = ordered(alice, invited)
    with pytest.raises(Contradiction, match="receipt 2 says exchange 0, revision 1; the file"):
        alice.receive(invited.signed_receipt(invited.receipt(0, "alice", 1, sealed)))
    assert alice.games()[0].orders == "sealed"


def test_a_file_said_back_in_other_words_accuses_nobody(alice: Home, invited: Judge) -> None:
    """A judge who was restored under another release may do so."""
    sealed, receipt = ordered(alice, invited)
    alice.receive(receipt.encode())
    before = tree(alice.path)
    invited.receipts.clear()
    again = invited.signed_receipt(invited.receipt(1, "alice", 1, sealed, words="in other words\n"))
    (arrival,) = alice.receive(again)
    assert not arrival.new
    assert tree(alice.path) == before


def test_one_number_given_twice(alice: Home, invited: Judge) -> None:
    _, first = ordered(alice, invited, body="1\n")
    invited.receipts.clear()
    _, second = ordered(alice, invited, body="2\n")
    alice.receive(first.encode())
    fault = refused(alice, second)
    assert isinstance(fault, Contradiction)
    (place,) = (folder(alice) / "held").glob("fault-*")
    assert str(fault) == (
        "receipt 1 was given twice, for different things; the judge has signed both, "
        f"and they are kept as evidence in {place}"
    )
    for name in ("kept.txt", "received.txt"):
        stock_verifies(place, name, "pbem1-receipt")


def test_one_revision_given_two_receipts(alice: Home, invited: Judge) -> None:
    sealed, first = ordered(alice, invited)
    again = invited.receipt(1, "alice", 1, sealed, "other words\n")
    alice.receive(first.encode())
    fault = refused(alice, invited.signed_receipt(again))
    assert str(fault).startswith("receipts 1 and 2 are both for exchange 1, revision 1; the judge has signed")


def test_a_receipt_for_another_file_of_the_player(alice: Home, invited: Judge) -> None:
    """Under the number of one that was sealed here, which it does not make receipted."""
    ordered(alice, invited)
    invited.receipts.clear()
    receipt = invited.receipt(1, "alice", 1, b"sealed elsewhere", WORDS)
    (arrival,) = alice.receive(invited.signed_receipt(receipt))
    (remark,) = arrival.remarks
    assert remark.startswith(
        "revision 1 of your orders for exchange 1 is another file of yours, "
        f"{receipt.sealed[:16]}, which was not sealed in this home"
    )
    assert remark.endswith("this is evidence against the judge: held/receipt-0001.txt")
    assert "held/receipt-0001.txt" in tree(folder(alice))
    (status,) = alice.games()
    assert (status.orders, status.receipted, status.remarks) == ("another file", (), (remark,))
    again = alice.seal("pbem1 orders\n---\n")
    assert again.rev == 2, "the same words again are a new file"
    assert again.remarks[0].startswith("this overrules revision 1, another file of yours")
    assert alice.games()[0].orders == "sealed"
    assert alice.seal("pbem1 orders\n---\n").sealed == again.sealed


def test_a_receipt_for_a_file_of_another_number(alice: Home, invited: Judge) -> None:
    """What was sealed as revision 1 cannot have come as revision 2."""
    orders = alice.seal(None)
    receipt = invited.receipt(1, "alice", 2, orders.sealed, WORDS)
    with pytest.raises(Contradiction, match="the file that it names was sent for exchange 1 as revision 1"):
        alice.receive(invited.signed_receipt(receipt))


def test_a_refused_file_is_not_sealed_again(alice: Home, invited: Judge) -> None:
    """The ledger names it, and the file that took its number."""
    file = alice.seal("pbem1 orders\n---\n")
    invited.add(
        Received(exchange=1, player="alice", rev=1, sealed="e" * 64, at=START),
        Refused(exchange=1, player="alice", of=1, sealed=file.name, reason="rev-taken", at=START),
    )
    alice.receive(invited.mail(invited.notice(1, since=2)).encode())
    (status,) = alice.games()
    assert [(one.rev, one.is_here, one.state) for one in status.files] == [
        (1, False, "receipted"),
        (1, True, "refused"),
    ]
    assert status.orders == "another file"
    assert alice.seal("pbem1 orders\n---\n").rev == 2


def test_a_receipt_that_is_another_statement(alice: Home, invited: Judge) -> None:
    """The judge's signature under a report is none under a receipt."""
    orders = alice.seal(None)
    receipt = invited.receipt(1, "alice", 1, orders.sealed, WORDS)
    fault = refused(alice, signature.sign_text(invited.key, Namespace.REPORT, receipt.text))
    assert str(fault) == "the signature was made for 'pbem1-report', not for 'pbem1-receipt'"


def test_a_judge_who_denies_his_receipt(alice: Home, invited: Judge) -> None:
    """He gave a receipt, and the ledger does not name the orders."""
    elsewhere = sealing.seal(b"of another device", [invited.key.public])
    alice.receive(invited.signed_receipt(invited.receipt(3, "alice", 1, elsewhere)))  # checked when that ends
    _, receipt = ordered(alice, invited)
    alice.receive(receipt.encode())
    invited.close(1)
    invited.resolve(1)
    with pytest.raises(Contradiction) as caught:
        alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    assert str(caught.value) == (
        "the judge gave you receipt 2 for orders of exchange 1, and the ledger does not name them; "
        "held/receipt-0002.txt and the checkpoints prove it"
    )
    assert alice.folder("hearth").report(1) == invited.report_text(1, "north")


def test_a_receipt_that_comes_after_the_denial(alice: Home, invited: Judge) -> None:
    _, receipt = ordered(alice, invited)
    invited.close(1)
    invited.resolve(1)
    alice.receive(invited.mail(invited.letter(1, since=2)).encode())
    with pytest.raises(Contradiction, match="and the ledger does not name them"):
        alice.receive(receipt.encode())
