"""Private key files of OpenSSH with an Ed25519 key, over a backend's cipher and key derivation.

"openssh-key-v1" NUL, then strings, each after its length as uint32 (OpenSSH's PROTOCOL.key): cipher, key
derivation, its options, uint32 1, the public blob, the private part. The private part, padded with 1, 2, 3...
to a multiple of the cipher's block: uint32 twice the same, "ssh-ed25519", public key, seed and public key,
comment.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_bytes

from pbem.trust.faults import Locked, OtherKind, Unreadable, WrongPassphrase

_BEGIN, _END = b"-----BEGIN OPENSSH PRIVATE KEY-----", b"-----END OPENSSH PRIVATE KEY-----"
_MAGIC = b"openssh-key-v1\0"
_KIND = b"ssh-ed25519"
_CIPHER, _KDF, _NONE = b"aes256-ctr", b"bcrypt", b"none"
_KEY, _COUNTER, _SALT = 32, 16, 16
_LINE = 70
_MAX_ROUNDS = 4_096


@dataclass(frozen=True, slots=True)
class Locks:
    """The cipher and the key derivation that a backend gives for locked key files."""

    aes256_ctr: Callable[[bytes, bytes, bytes], bytes]
    bcrypt_kdf: Callable[[bytes, bytes, int, int], bytes]

    def turn(self, passphrase: bytes, salt: bytes, rounds: int, data: bytes) -> bytes:
        """Encrypt or decrypt the private part of a key file by its passphrase."""
        made = self.bcrypt_kdf(passphrase, salt, _KEY + _COUNTER, rounds)
        return self.aes256_ctr(made[:_KEY], made[_KEY:], data)


def write(seed: bytes, public: bytes, passphrase: bytes, rounds: int, locks: Locks) -> bytes:
    """Return an OpenSSH private key file, locked if the passphrase is not empty."""
    check = token_bytes(4)
    private = check + check + _string(_KIND) + _string(public) + _string(seed + public) + _string(b"")
    block = _COUNTER if passphrase else 8
    private += bytes(range(1, 1 + -len(private) % block))
    cipher, kdf, options = _NONE, _NONE, b""
    if passphrase:
        salt = token_bytes(_SALT)
        cipher, kdf, options = _CIPHER, _KDF, _string(salt) + struct.pack(">I", rounds)
        private = locks.turn(passphrase, salt, rounds, private)
    blob = _string(_KIND) + _string(public)
    head = _MAGIC + _string(cipher) + _string(kdf) + _string(options) + struct.pack(">I", 1)
    text = base64.b64encode(head + _string(blob) + _string(private))
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return b"\n".join([_BEGIN, *lines, _END, b""])


def read(data: bytes, passphrase: bytes, locks: Locks) -> bytes:
    """Return the seed in an OpenSSH private key file.

    Raises:
        Locked, WrongPassphrase, OtherKind, Unreadable.
    """
    try:
        return _read(data, passphrase, locks)
    except (struct.error, binascii.Error):
        raise Unreadable("it is damaged") from None


def _read(data: bytes, passphrase: bytes, locks: Locks) -> bytes:
    inner, ended, _ = data.removeprefix(_BEGIN).partition(_END)
    binary = base64.b64decode(b"".join(inner.split()), validate=True)
    if not ended or not binary.startswith(_MAGIC):
        raise Unreadable("it is not of OpenSSH's form")
    cipher, rest = _take(binary[len(_MAGIC) :])
    kdf, rest = _take(rest)
    options, rest = _take(rest)
    (count,) = struct.unpack_from(">I", rest)
    blob, rest = _take(rest[4:])
    private, rest = _take(rest)
    if count != 1 or rest:
        raise Unreadable("it holds more than one key")
    if (cipher, kdf) == (_CIPHER, _KDF):
        if not passphrase:
            raise Locked
        salt, tail = _take(options)
        (rounds,) = struct.unpack(">I", tail)
        if not 0 < rounds <= _MAX_ROUNDS or not salt:
            raise Unreadable(f"it asks for {rounds:,} rounds")
        private = locks.turn(passphrase, salt, rounds, private)
        if private[:4] != private[4:8]:
            raise WrongPassphrase
    elif (cipher, kdf) != (_NONE, _NONE):
        raise Unreadable(
            "it is locked in a way that is not read here; ssh-keygen -p -Z aes256-ctr changes it"
        )
    elif private[:4] != private[4:8]:
        raise Unreadable("it is damaged")
    return _seed(private[8:], blob)


def _seed(private: bytes, blob: bytes) -> bytes:
    kind, rest = _take(private)
    if kind != _KIND:
        raise OtherKind
    public, rest = _take(rest)
    pair, rest = _take(rest)
    _, padding = _take(rest)
    whole = len(pair) == 64 and pair[32:] == public and blob == _string(_KIND) + _string(public)
    if not whole or padding != bytes(range(1, 1 + len(padding))):
        raise Unreadable("it is damaged")
    return pair[:32]


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _take(data: bytes) -> tuple[bytes, bytes]:
    """Return the string at the beginning of some bytes, and the bytes after it."""
    (size,) = struct.unpack_from(">I", data)
    if len(data) < 4 + size:
        raise Unreadable("it is cut short")
    return data[4 : 4 + size], data[4 + size :]
