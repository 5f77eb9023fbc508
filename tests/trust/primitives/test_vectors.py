"""The backends of pbem.trust.primitives: published vectors, and each opens what the other wrote."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from pbem.trust import primitives
from pbem.trust.primitives import age, native, openssh
from tests.trust.primitives.vectors import faults

LOCKS = openssh.Locks(aes256_ctr=native.aes256_ctr, bcrypt_kdf=native.bcrypt_kdf)
CIPHERS = age.Ciphers(
    agree=native.agree,
    agreement_public=native.agreement_public,
    chacha_seal=native.chacha_seal,
    chacha_open=native.chacha_open,
    public_of=native.public_of,
)
OURS = SimpleNamespace(
    **{name: getattr(native, name) for name in primitives.__all__}
    | {
        "write_key_file": lambda seed, passphrase, rounds: openssh.write(
            seed, native.public_of(seed), passphrase, rounds, LOCKS
        ),
        "read_key_file": lambda data, passphrase: openssh.read(data, passphrase, LOCKS),
        "age_seal": lambda text, recipients: age.seal(text, recipients, CIPHERS),
        "age_open": lambda sealed, keys: age.unseal(sealed, keys, CIPHERS),
        "age_recipient": lambda identity: age.recipient_of(identity, CIPHERS),
        "check_age_recipient": age.read_recipient,
    }
)
"""What the page has: key files and age files in Python; only the primitives below them are native here."""
SEED = bytes(range(100, 132))
IDENTITY = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
PYRAGE_TAKES = [
    "stanza_missing_body: opened, expected was header failure",
    "stanza_missing_final_line: opened, expected was header failure",
]
"""Stanzas without a body, which pyrage lets pass. Order files are held to one writing besides (sealing)."""


@pytest.mark.ci
def test_published_vectors_hold() -> None:
    assert faults(OURS) == []  # type: ignore[arg-type]
    assert faults(native) == PYRAGE_TAKES


@pytest.mark.parametrize(("one", "other"), [(native, OURS), (OURS, native)])
@pytest.mark.parametrize("passphrase", [b"", b"correct horse"])
def test_each_opens_what_the_other_wrote(
    one: SimpleNamespace, other: SimpleNamespace, passphrase: bytes
) -> None:
    assert other.read_key_file(one.write_key_file(SEED, passphrase, 4), passphrase) == SEED
    recipient = one.age_recipient(IDENTITY)
    assert other.age_recipient(IDENTITY) == recipient
    text = b"orders\n" * 20_000
    sealed = one.age_seal(text, [recipient])
    assert other.age_open(sealed, [IDENTITY]) == text


@pytest.mark.ci
def test_a_vector_that_is_wrong_is_told() -> None:
    def trusting(public: bytes, signature: bytes, message: bytes) -> bool:
        return True

    takes_all: Callable[[bytes, bytes, bytes], bool] = trusting
    credulous = SimpleNamespace(**vars(OURS) | {"verifies": takes_all})
    assert any("OpenSSL refuses" in fault for fault in faults(credulous))  # type: ignore[arg-type]
