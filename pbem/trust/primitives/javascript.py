"""The backend for a browser: JavaScript libraries that the page provides as `pbem_primitives`.

`pbem/web/site/primitives.js` is what it makes known; every call takes and gives bytes, and returns at once.
Key files and age files are read and written in Python on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pbem_primitives  # type: ignore[import-not-found]
from pyodide.ffi import to_js  # type: ignore[import-not-found]

from pbem.trust.primitives import age, openssh


def public_of(seed: bytes) -> bytes:
    """Return the Ed25519 public key of a seed of 32 bytes."""
    return _bytes(pbem_primitives.publicOf(to_js(seed)))


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64 bytes of the Ed25519 signature of a message."""
    return _bytes(pbem_primitives.sign(to_js(seed), to_js(message)))


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether an Ed25519 signature of a message was made with a given public key's private half."""
    return bool(pbem_primitives.verifies(to_js(public), to_js(signature), to_js(message)))


def agree(secret: bytes, share: bytes) -> bytes | None:
    """Return the shared secret of X25519 from a secret and a share; None if the share is of low order."""
    return _perhaps(pbem_primitives.agree(to_js(secret), to_js(share)))


def agreement_public(secret: bytes) -> bytes:
    """Return the X25519 share, or public key, of a secret."""
    return _bytes(pbem_primitives.agreementPublic(to_js(secret)))


def chacha_seal(key: bytes, nonce: bytes, plain: bytes) -> bytes:
    """Encrypt bytes by ChaCha20-Poly1305; the tag stands at the end."""
    return _bytes(pbem_primitives.chachaSeal(to_js(key), to_js(nonce), to_js(plain)))


def chacha_open(key: bytes, nonce: bytes, sealed: bytes) -> bytes | None:
    """Decrypt bytes by ChaCha20-Poly1305; return None if the tag is wrong."""
    return _perhaps(pbem_primitives.chachaOpen(to_js(key), to_js(nonce), to_js(sealed)))


def aes256_ctr(key: bytes, counter: bytes, data: bytes) -> bytes:
    """Encrypt or decrypt bytes by AES-256 in counter mode."""
    return _bytes(pbem_primitives.aesCtr(to_js(key), to_js(counter), to_js(data)))


def bcrypt_kdf(passphrase: bytes, salt: bytes, size: int, rounds: int) -> bytes:
    """Return the key of `size` bytes that OpenSSH makes of a passphrase, by its bcrypt_pbkdf."""
    return _bytes(pbem_primitives.bcryptKdf(to_js(passphrase), to_js(salt), size, rounds))


def write_key_file(seed: bytes, passphrase: bytes, rounds: int) -> bytes:
    """Return an OpenSSH private key file with the key of a seed, locked if the passphrase is not empty."""
    return openssh.write(seed, public_of(seed), passphrase, rounds, LOCKS)


def read_key_file(data: bytes, passphrase: bytes) -> bytes:
    """Return the seed in a private key file of OpenSSH. A passphrase for a file that has none is ignored."""
    return openssh.read(data, passphrase, LOCKS)


def age_seal(plaintext: bytes, recipients: Sequence[str]) -> bytes:
    """Return the binary age file for recipients: "age1...", or the line of an ssh-ed25519 key."""
    return age.seal(plaintext, recipients, CIPHERS)


def age_seal_drawing(plaintext: bytes, recipients: Sequence[str], draw: Callable[[int], bytes]) -> bytes:
    """Return an age file whose random bytes `draw` gives, so that the same file can be made again."""
    return age.seal(plaintext, recipients, CIPHERS, draw)


def age_open(sealed: bytes, keys: Sequence[str | bytes]) -> bytes:
    """Return the plaintext of an age file that a key opens: an age identity, or an ssh-ed25519 key's seed."""
    return age.unseal(sealed, keys, CIPHERS)


def age_recipient(identity: str) -> str:
    """Return the recipient "age1..." of an age identity."""
    return age.recipient_of(identity, CIPHERS)


def check_age_recipient(text: str) -> None:
    """Raise OddRecipient unless a text is a recipient "age1..."."""
    age.read_recipient(text)


LOCKS = openssh.Locks(aes256_ctr=aes256_ctr, bcrypt_kdf=bcrypt_kdf)
CIPHERS = age.Ciphers(
    agree=agree,
    agreement_public=agreement_public,
    chacha_seal=chacha_seal,
    chacha_open=chacha_open,
    public_of=public_of,
)


def _bytes(found: Any) -> bytes:
    made: bytes = found.to_bytes()
    return made


def _perhaps(found: Any) -> bytes | None:
    return None if found is None else _bytes(found)
