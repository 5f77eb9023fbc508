"""Tries a key on the recipient line of an order file, as age-encryption.org/v1 says under X25519."""

import hmac
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pbem.trust.sealing import bech32_decode


def unwraps(identity: str, share: bytes, wrapped: bytes) -> bool:
    """Does this key open this recipient line?"""
    private, public = _read(identity)
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(share))
    except ValueError:  # a share of low order: it opens for nobody
        return False
    pseudorandom = hmac.digest(share + public, shared, "sha256")
    wrap = hmac.digest(pseudorandom, b"age-encryption.org/v1/X25519\x01", "sha256")
    try:
        ChaCha20Poly1305(wrap).decrypt(bytes(12), wrapped, None)
    except InvalidTag:
        return False
    return True


@lru_cache(maxsize=16_384)
def _read(identity: str) -> tuple[X25519PrivateKey, bytes]:
    private = X25519PrivateKey.from_private_bytes(bech32_decode(identity.lower()))
    return private, private.public_key().public_bytes_raw()
