"""Age files as nobody's program writes them: odd stanzas with a right checksum, one line for two keys."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from pbem.trust import sealing
from pbem.trust.primitives.age import bech32_decode

_PRIME = 2**130 - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """32 bytes of HKDF-SHA256."""
    return hmac.digest(hmac.digest(salt or bytes(32), secret, "sha256"), info + b"\x01", "sha256")


def base64_of(data: bytes) -> bytes:
    """As age writes it."""
    return base64.b64encode(data).rstrip(b"=")


def public_of(recipient: str) -> bytes:
    """The 32 bytes of an age1... recipient."""
    return bech32_decode(recipient)


def sealed_by_hand(
    text: bytes,
    recipient: str,
    *,
    before: Sequence[bytes] = (),
    after: Sequence[bytes] = (),
    empty_chunk: bool = False,
    file_key: bytes = b"k" * 16,
    secret: bytes = b"s" * 32,
) -> bytes:
    """An age file with whole stanzas `before` and `after` its own; `empty_chunk`: with one chunk too many."""
    share, wrap = _wrap_key(recipient, secret)
    wrapped = ChaCha20Poly1305(wrap).encrypt(bytes(12), file_key, None)
    stanza = b"-> X25519 %s\n%s\n" % (base64_of(share), base64_of(wrapped))
    return _whole(b"".join([*before, stanza, *after]), file_key, text, empty_chunk=empty_chunk)


def sealed_for_two(text: bytes, first: str, second: str) -> bytes:
    """An age file whose one stanza both recipients' keys unwrap, to two file keys; it opens for the first.

    The body of the stanza has one block, so that a ciphertext with one tag under both keys is the solution of
    a linear equation.
    """
    for attempt in range(256):
        secret = bytes([attempt]) * 32
        share, one = _wrap_key(first, secret)
        _, two = _wrap_key(second, secret)
        if (body := _collision(one, two)) is not None:
            file_key = ChaCha20Poly1305(one).decrypt(bytes(12), body, None)
            stanza = b"-> X25519 %s\n%s\n" % (base64_of(share), base64_of(body))
            return _whole(stanza, file_key, text)
    raise AssertionError("one of four attempts ought to do")


def _whole(stanzas: bytes, file_key: bytes, text: bytes, *, empty_chunk: bool = False) -> bytes:
    head = sealing.AGE_MAGIC + stanzas + b"---"
    mac = hmac.digest(hkdf(file_key, b"", b"header"), head, "sha256")
    nonce = b"n" * 16
    cipher = ChaCha20Poly1305(hkdf(file_key, nonce, b"payload"))
    chunks = [text[start : start + 65_536] for start in range(0, len(text), 65_536)] or [b""]
    if empty_chunk:
        chunks.append(b"")
    payload = b"".join(
        cipher.encrypt(place.to_bytes(11, "big") + bytes([place == len(chunks) - 1]), chunk, None)
        for place, chunk in enumerate(chunks)
    )
    return head + b" " + base64_of(mac) + b"\n" + nonce + payload


def _wrap_key(recipient: str, secret: bytes) -> tuple[bytes, bytes]:
    private = X25519PrivateKey.from_private_bytes(secret)
    share, public = private.public_key().public_bytes_raw(), public_of(recipient)
    shared = private.exchange(X25519PublicKey.from_public_bytes(public))
    return share, hkdf(shared, share + public, b"age-encryption.org/v1/X25519")


def _collision(one: bytes, two: bytes) -> bytes | None:
    """A ciphertext and tag of 32 bytes that ChaCha20-Poly1305 takes under both keys, if one is found."""
    (r1, s1), (r2, s2) = _poly_key(one), _poly_key(two)
    lengths = int.from_bytes(bytes(8) + (16).to_bytes(8, "little"), "little") + 2**128
    inverse = pow(r1 * r1 - r2 * r2, -1, _PRIME)
    for carry in range(-4, 5):
        block = (s2 - s1 + carry * 2**128 - lengths * (r1 - r2)) * inverse % _PRIME
        if not 2**128 <= block < 2**129:
            continue
        tags = {((block * r * r + lengths * r) % _PRIME + s) % 2**128 for r, s in ((r1, s1), (r2, s2))}
        if len(tags) == 1:
            return (block - 2**128).to_bytes(16, "little") + tags.pop().to_bytes(16, "little")
    return None


def _poly_key(key: bytes) -> tuple[int, int]:
    stream = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(32))
    return int.from_bytes(stream[:16], "little") & _CLAMP, int.from_bytes(stream[16:], "little")
