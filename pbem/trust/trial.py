"""Trial of a key on the recipient line of an order file, as age-encryption.org/v1 says under X25519."""

import hmac
from functools import lru_cache

from pbem.characters import lower
from pbem.trust.primitives import agree, agreement_public, bech32, chacha_open


def unwraps(identity: str, share: bytes, wrapped: bytes) -> bool:
    """Tell whether an age identity opens a recipient line, given by its share and wrapped file key."""
    secret = _secret(identity)
    shared = agree(secret, share)
    if shared is None:  # a share of low order: it opens for nobody
        return False
    pseudorandom = hmac.digest(share + agreement_public(secret), shared, "sha256")
    wrap = hmac.digest(pseudorandom, b"age-encryption.org/v1/X25519\x01", "sha256")
    return chacha_open(wrap, bytes(12), wrapped) is not None


@lru_cache(maxsize=16_384)
def _secret(identity: str) -> bytes:
    return bech32.decode(lower(identity))
