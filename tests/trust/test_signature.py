"""Signatures: the bytes of ssh-keygen, both ways, and a message of its own for every refusal."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.trust import keys, signature
from pbem.trust.faults import SignatureFault
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import write_private_file
from tests.trust.stock import asking, fails, make_key, run

TEXT = b"pbem1 orders\ngame hearth\n---\nmove fife stirling\n"
KEY = keys.generate("alice hearth")
ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.ci(
    but=(
        "-pbem1-checkpoint",
        "-pbem1-orders",
        "-pbem1-receipt",
        "-pbem1-recover",
        "-pbem1-report",
        "-pbem1-rotate",
        "text3-pbem1-orders",
    )
)
@pytest.mark.parametrize("namespace", list(Namespace))
@pytest.mark.parametrize("text", [TEXT, b"", b"\r\n\r\n", bytes(range(256)) * 300])
def test_our_signature_is_that_of_ssh_keygen(namespace: Namespace, text: bytes, tmp_path: Path) -> None:
    path = make_key(tmp_path)
    key = keys.load_private_file(path)
    theirs = run("ssh-keygen", "-q", "-Y", "sign", "-f", path, "-n", namespace, stdin=text)
    assert signature.sign(key, namespace, text) == theirs
    signature.verify(theirs, text, namespace, key.public)


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
def test_ssh_keygen_signs_with_our_key(passphrase: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private_file(path, KEY.to_openssh(passphrase, rounds=4))
    theirs = run(
        *("ssh-keygen", "-q", "-Y", "sign", "-f", path, "-n", "pbem1-orders"),
        stdin=TEXT,
        **asking(tmp_path, passphrase),
    )
    assert theirs == signature.sign(KEY, Namespace.ORDERS, TEXT)


def test_ssh_keygen_verifies_ours_and_refuses_what_we_refuse(tmp_path: Path) -> None:
    """A recovery key, too, signs nothing but a recovery."""
    signer = keys.Signer(name="alice", game="hearth", namespaces=(Namespace.ORDERS,), key=KEY.public)
    (tmp_path / "allowed").write_text(keys.render_signers([signer]))
    (tmp_path / "sig").write_bytes(signature.sign(KEY, Namespace.ORDERS, TEXT))
    command = ("ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed", "-s", tmp_path / "sig")
    assert b"Good" in run(*command, "-I", "alice@hearth", "-n", "pbem1-orders", stdin=TEXT)
    assert fails(*command, "-I", "alice@hearth", "-n", "pbem1-orders", stdin=TEXT + b"\n")
    assert fails(*command, "-I", "alice@hearth", "-n", "pbem1-rotate", stdin=TEXT)
    assert fails(*command, "-I", "bob@hearth", "-n", "pbem1-orders", stdin=TEXT)
    recovery = replace(signer, namespaces=(Namespace.RECOVER,))
    (tmp_path / "allowed").write_text(keys.render_signers([recovery]))
    assert fails(*command, "-I", "alice@hearth", "-n", "pbem1-orders", stdin=TEXT)


GOOD = signature.sign(KEY, Namespace.ORDERS, TEXT)


def refusal(armor: bytes, text: bytes = TEXT, key: keys.PublicKey = KEY.public) -> SignatureFault:
    with pytest.raises(SignatureFault) as caught:
        signature.verify(armor, text, Namespace.ORDERS, key)
    return caught.value


def test_each_wrong_thing_has_its_own_message() -> None:
    other = keys.generate()
    found = {
        "wrong-namespace": refusal(signature.sign(KEY, Namespace.RECEIPT, TEXT)),
        "wrong-key": refusal(signature.sign(other, Namespace.ORDERS, TEXT)),
        "tampered": refusal(GOOD, TEXT + b" "),
        "malformed-signature": refusal(GOOD[:-1]),
        "weak-hash": refusal(forged(hash_name=b"sha1")),
        "weak-key": refusal(forged(raw_key=(1).to_bytes(32, "little"))),
        "wrong-key-type": refusal(forged(key_type=b"ssh-rsa")),
    }
    assert {reason: fault.reason for reason, fault in found.items()} == {reason: reason for reason in found}
    assert len({str(fault) for fault in found.values()}) == len(found)
    assert str(found["wrong-namespace"]) == (
        "the signature was made for 'pbem1-receipt', not for 'pbem1-orders'"
    )
    assert other.public.fingerprint in str(found["wrong-key"])
    assert str(found["tampered"]) == "this is not the text that was signed: something in it was changed"
    assert "'sha1'; only sha512 and sha256" in str(found["weak-hash"])
    for hash_name in (b"md5", b"sha224", b"sha384", b"sha3_256"):
        assert refusal(forged(hash_name=hash_name)).reason == "weak-hash"


def forged(
    *,
    hash_name: bytes = b"sha512",
    raw_key: bytes = KEY.public.raw,
    key_type: bytes = b"ssh-ed25519",
    version: int = 1,
    reserved: bytes = b"",
    after: bytes = b"",
    after_key: bytes = b"",
    change: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """A signature of our key with one part of it as we would never write it; well formed otherwise."""
    digest = hashlib.new(hash_name.decode(), TEXT).digest()
    head = string(b"pbem1-orders") + string(reserved) + string(hash_name)
    raw = change(KEY.sign_raw(b"SSHSIG" + head + string(digest)))
    blob = b"SSHSIG" + version.to_bytes(4, "big") + string(string(key_type) + string(raw_key) + after_key)
    text = base64.b64encode(blob + head + string(string(b"ssh-ed25519") + string(raw)) + after)
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return b"\n".join([signature.BEGIN, *lines, signature.END, b""])


def string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def test_the_forger_of_these_tests_can_write_a_good_one() -> None:
    assert forged() == GOOD
    signature.verify(forged(hash_name=b"sha256"), TEXT, Namespace.ORDERS, KEY.public)


def test_a_malleable_signature_is_refused() -> None:
    """S and S + L sign the same text for some programs; only S does here."""

    def plus_order(raw: bytes) -> bytes:
        return raw[:32] + (int.from_bytes(raw[32:], "little") + ORDER).to_bytes(32, "little")

    assert refusal(forged(change=plus_order)).reason == "tampered"
    assert refusal(forged(change=lambda raw: raw[:-1])).reason == "malformed-signature"


@pytest.mark.ci
def test_every_part_of_a_signature_is_refused() -> None:
    for start in range(len(GOOD)):
        for end in range(start, len(GOOD) + 1):
            if (start, end) != (0, len(GOOD)):
                refusal(GOOD[start:end])


@pytest.mark.ci
def test_every_changed_bit_of_a_signature_is_refused() -> None:
    for place in range(len(GOOD)):
        for bit in range(8):
            refusal(GOOD[:place] + bytes([GOOD[place] ^ 1 << bit]) + GOOD[place + 1 :])


@pytest.mark.ci
@given(st.binary(max_size=400))
def test_no_bytes_break_the_reading_of_a_signature(blob: bytes) -> None:
    refusal(blob)
    text = base64.b64encode(blob)
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    refusal(b"\n".join([signature.BEGIN, *lines, signature.END, b""]))


NO_ARMOR = st.binary(max_size=200).filter(lambda body: signature.BEGIN not in body)


@pytest.mark.ci
@given(NO_ARMOR, st.integers(0, 3))
def test_a_signed_text_is_split_as_it_was_joined(body: bytes, padding: int) -> None:
    body += b"\n"
    signed = signature.sign_text(KEY, Namespace.ORDERS, body) + b"\n" * padding
    assert signature.split(signed).body == body
    assert signature.verify_text(signed, Namespace.ORDERS, KEY.public) == body


def test_a_signed_text_with_crlf_counts_as_it_was_signed() -> None:
    """The body's own line ends are signed; what follows has one form, for readers cut others differently."""
    body = TEXT.replace(b"\n", b"\r\n")
    armor = signature.sign(KEY, Namespace.ORDERS, body)
    assert signature.verify_text(body + armor + b"\n\n", Namespace.ORDERS, KEY.public) == body
    for odd in (armor.replace(b"\n", b"\r\n"), armor + b"\r\n", armor + b"\n\r\r\n", armor[:-1] + b"\r\n"):
        with pytest.raises(SignatureFault, match="malformed"):
            signature.verify_text(body + odd, Namespace.ORDERS, KEY.public)


def test_the_stock_commands_split_a_signed_text_where_we_do(tmp_path: Path) -> None:
    body = TEXT + b" -----BEGIN SSH SIGNATURE-----\n----BEGIN SSH SIGNATURE----- \n"
    (tmp_path / "t").write_bytes(signature.sign_text(KEY, Namespace.ORDERS, body) + b"\n\n")
    cut = run("sed", "/^-----BEGIN SSH SIGNATURE-----/,$d", tmp_path / "t")
    assert cut == body == signature.split((tmp_path / "t").read_bytes()).body
