"""The ledger: the shell folds it, the judge's signature binds it, and two heads of one size convict him."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import keys, ledger
from pbem.trust.faults import ChainFault, LedgerFault, SignatureFault
from pbem.trust.identifiers import JUDGE_NAMESPACES, Namespace
from pbem.trust.ledger import Checkpoint, Receipt
from tests.trust.stock import fails, run, shell

ROOT = bytes(range(32))
JUDGE, MALLORY = keys.generate("gm"), keys.generate("mallory")
ENTRIES = [b"genesis hearth\nbeacon none\n", b"open 1\n", "hold 1\nwhy m\u00fcde\n".encode(), b"close 1\n"]
SALTS = [ledger.salt(ROOT, "hearth", number) for number in range(1, 5)]
LEAVES = [ledger.leaf(salt, entry) for salt, entry in zip(SALTS, ENTRIES, strict=True)]
HEADS = ledger.fold("hearth", LEAVES)
CHECKPOINT = Checkpoint(game="hearth", size=4, head=HEADS[-1])
RECEIPT = Receipt(game="hearth", exchange=1, player="alice", rev=2, sealed="c" * 64, number=3, echo="d" * 64)


def test_openssl_derives_the_salts() -> None:
    script = (
        'printf %s "pbem1 salt hearth 2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -r | cut -c1-64'
    )
    assert shell(script, ROOT.hex()) == SALTS[1]


def test_sha256sum_hashes_leaf_and_head(tmp_path: Path) -> None:
    """The two commands as the documentation gives them."""
    (tmp_path / "0003.salt").write_text(f"{SALTS[2]}\n")
    (tmp_path / "0003.entry").write_bytes(ENTRIES[2])
    script = """
        cd "$1"
        { printf 'pbem1 leaf %s\\n' $(cat 0003.salt); cat 0003.entry; } | sha256sum | cut -d' ' -f1
        printf 'pbem1 head %s %d %s %s\\n' hearth 3 $2 $3 | sha256sum | cut -d' ' -f1
    """
    assert shell(script, str(tmp_path), HEADS[1], LEAVES[2]).split() == [LEAVES[2], HEADS[2]]


def test_a_shell_loop_folds_the_ledger() -> None:
    script = """
        head=0000000000000000000000000000000000000000000000000000000000000000
        while read n leaf; do
            head=$(printf 'pbem1 head hearth %d %s %s\\n' $n $head $leaf | sha256sum | cut -d' ' -f1)
        done
        echo $head
    """
    lines = "".join(f"{number} {leaf}\n" for number, leaf in enumerate(LEAVES, 1))
    assert shell(script, stdin=lines.encode()) == HEADS[-1]


def test_a_fold_goes_on_where_another_ended() -> None:
    assert ledger.fold("hearth", LEAVES[2:], size=2, start=HEADS[1]) == HEADS[2:]
    assert ledger.fold("hearth", []) == []


def test_every_change_of_a_ledger_changes_its_head() -> None:
    heads = {HEADS[-1], *(ledger.fold(game, LEAVES)[-1] for game in ("hearth2", "hearth-1"))}
    heads |= {ledger.fold("hearth", LEAVES[:size])[-1] for size in (1, 2, 3)}
    heads.add(ledger.fold("hearth", [LEAVES[1], LEAVES[0], *LEAVES[2:]])[-1])
    heads.add(ledger.fold("hearth", LEAVES, size=1)[-1])
    for number, entry in enumerate(ENTRIES):
        for place in range(len(entry)):
            changed = entry[:place] + bytes([entry[place] ^ 1]) + entry[place + 1 :]
            leaves = [*LEAVES[:number], ledger.leaf(SALTS[number], changed), *LEAVES[number + 1 :]]
            heads.add(ledger.fold("hearth", leaves)[-1])
    assert len(heads) == 8 + sum(map(len, ENTRIES))


def test_a_leaf_without_its_salt_is_not_guessed() -> None:
    """Entries are few and plain; without the salt their hash would tell which it is."""
    assert ledger.leaf("0" * 64, ENTRIES[1]) != LEAVES[1]
    assert len(set(SALTS)) == len(SALTS)
    with pytest.raises(ChainFault, match="exactly 32 bytes"):
        ledger.salt(ROOT + b"\0", "hearth", 1)


def test_checkpoint_and_receipt_are_what_their_formats_show() -> None:
    assert CHECKPOINT.text.decode() == f"pbem1 checkpoint\ngame hearth\nsize 4\nhead {HEADS[-1]}\n"
    assert RECEIPT.text.decode() == (
        "pbem1 receipt\ngame hearth\nexchange 1\nplayer alice\nrev 2\n"
        f"sealed {'c' * 64}\nnumber 3\necho {'d' * 64}\n"
    )


def test_what_the_judge_signs_is_verified_and_nothing_else_is() -> None:
    for statement, verify in ((CHECKPOINT, ledger.verify_checkpoint), (RECEIPT, ledger.verify_receipt)):
        armor = ledger.sign_statement(statement, JUDGE)
        assert verify(statement.text, armor, JUDGE.public) == statement
        with pytest.raises(SignatureFault, match="was made with the key"):
            verify(statement.text, ledger.sign_statement(statement, MALLORY), JUDGE.public)
    bigger = replace(CHECKPOINT, size=5)
    with pytest.raises(SignatureFault, match="this is not the text that was signed"):
        ledger.verify_checkpoint(bigger.text, ledger.sign_statement(CHECKPOINT, JUDGE), JUDGE.public)


def test_ssh_keygen_verifies_a_checkpoint_and_no_receipt_in_its_place(tmp_path: Path) -> None:
    signer = keys.Signer(name="gm", game="hearth", namespaces=JUDGE_NAMESPACES, key=JUDGE.public)
    (tmp_path / "allowed").write_text(keys.render_signers([signer]))
    (tmp_path / "sig").write_bytes(ledger.sign_statement(CHECKPOINT, JUDGE))
    command = (*("ssh-keygen", "-Y", "verify", "-f"), tmp_path / "allowed", "-s", tmp_path / "sig")
    run(*command, "-I", "gm@hearth", "-n", Namespace.CHECKPOINT, stdin=CHECKPOINT.text)
    assert fails(*command, "-I", "gm@hearth", "-n", Namespace.RECEIPT, stdin=CHECKPOINT.text)


def test_every_changed_byte_of_a_statement_is_refused() -> None:
    for statement, verify in ((CHECKPOINT, ledger.verify_checkpoint), (RECEIPT, ledger.verify_receipt)):
        armor, text = ledger.sign_statement(statement, JUDGE), statement.text
        for place in range(len(text)):
            for damaged in (text[:place], text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :]):
                with pytest.raises((LedgerFault, SignatureFault)):
                    verify(damaged, armor, JUDGE.public)
        with pytest.raises(LedgerFault):
            verify(text + b"\n", armor, JUDGE.public)


@pytest.mark.ci
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading_of_a_statement(data: bytes) -> None:
    for hostile in (data, b"pbem1 checkpoint\n" + data, b"pbem1 receipt\n" + base64.b64encode(data) + b"\n"):
        with pytest.raises(LedgerFault):
            ledger.parse_checkpoint(hostile)
        with pytest.raises(LedgerFault):
            ledger.parse_receipt(hostile)


@pytest.mark.parametrize(
    ("changes", "convicts"),
    [
        ({}, False),
        ({"echo": "e" * 64}, False),
        ({"sealed": "e" * 64}, True),
        ({"number": 4}, True),
        ({"number": 4, "rev": 3, "sealed": "e" * 64}, False),
        ({"rev": 3}, True),
        ({"exchange": 2, "number": 4}, False),
        ({"player": "bob"}, False),
        ({"game": "dunbar"}, False),
    ],
)
def test_two_receipts_of_one_number_or_one_revision_convict_the_judge(
    changes: dict[str, str | int], convicts: bool
) -> None:
    assert RECEIPT.contradicts(replace(RECEIPT, **changes)) is convicts  # type: ignore[arg-type]
