"""The signature ES256 (RFC 7518), which push services want of whoever wakes a device; the page makes none.

A key is P-256, as PEM (PKCS 8) without a passphrase. Its public half is the 65 bytes of the point.
"""

from __future__ import annotations

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from pbem.trust.faults import Unreadable

_SIZE = 32


def make_key() -> bytes:
    """Return a new private key for ES256 as PEM."""
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def point_of(pem: bytes) -> bytes:
    """Return the public half of a key.

    Raises:
        Unreadable: the key is not written as P-256 keys are.
    """
    return (
        _read(pem)
        .public_key()
        .public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    )


def sign(pem: bytes, message: bytes) -> bytes:
    """Return the 64 bytes of the signature of a message: r, then s.

    Raises:
        Unreadable: the key is not written as P-256 keys are.
    """
    numbers = decode_dss_signature(_read(pem).sign(message, ec.ECDSA(hashes.SHA256())))
    return b"".join(number.to_bytes(_SIZE, "big") for number in numbers)


def _read(pem: bytes) -> ec.EllipticCurvePrivateKey:
    try:
        key = serialization.load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise Unreadable("it is not a key as PEM") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise Unreadable("it is not a key of P-256")
    return key
