"""Age files (age-encryption.org/v1) for X25519 and ssh-ed25519 recipients, over a backend's primitives.

For places where pyrage cannot be loaded, and for files that are to be made again byte for byte, which pyrage
cannot do. The file as a whole is in memory. Written and read as C2SP's
age.md says: a header of stanzas under an HMAC, then the text in chunks of 64 KiB. Neither passphrases nor
other recipients; their stanzas are passed over.

Keys are written in bech32, the encoding of BIP 173, without its limit on length.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from secrets import token_bytes

from pbem.characters import lower, split_words, upper
from pbem.trust.faults import Broken, NoKeyFits, OddIdentity, OddRecipient

_VERSION = b"age-encryption.org/v1\n"
_PLAIN, _SSH = b"X25519", b"ssh-ed25519"
_INFO = b"age-encryption.org/v1/"
_IDENTITY, _RECIPIENT = "age-secret-key-", "age"
_BLOB_HEAD = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
_P = 2**255 - 19
_CHUNK, _TAG, _NONCE, _FILE_KEY, _COLUMNS = 65_536, 16, 16, 16, 64
_STANZA = re.compile(rb"-> ([!-~]+(?: [!-~]+)*)\n((?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{0,63}\n)")
_MAC = re.compile(rb"--- ([A-Za-z0-9+/]{43})\n")


@dataclass(frozen=True, slots=True)
class Ciphers:
    """The primitives of cryptography that a backend gives to the module for age files."""

    agree: Callable[[bytes, bytes], bytes | None]
    agreement_public: Callable[[bytes], bytes]
    chacha_seal: Callable[[bytes, bytes, bytes], bytes]
    chacha_open: Callable[[bytes, bytes, bytes], bytes | None]
    public_of: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class _Stanza:
    words: tuple[bytes, ...]
    body: bytes


def seal(
    plaintext: bytes, recipients: Sequence[str], ciphers: Ciphers, draw: Callable[[int], bytes] = token_bytes
) -> bytes:
    """Return the binary age file for recipients: "age1...", or the line of an ssh-ed25519 key.

    `draw` returns as many random bytes as it is asked for: first the file key, then the nonce, then a secret
    for each recipient.

    Raises:
        OddRecipient: a recipient is neither of these.
    """
    key, nonce = draw(_FILE_KEY), draw(_NONCE)
    stanzas = b"".join(_stanza_text(_wrap(key, recipient, ciphers, draw(32))) for recipient in recipients)
    head = _VERSION + stanzas + b"---"
    mac = _base64(hmac.digest(_derive(key, b"", b"header"), head, "sha256"))
    stream = _derive(key, nonce, b"payload")
    chunks = [plaintext[start : start + _CHUNK] for start in range(0, len(plaintext), _CHUNK)] or [b""]
    sealed = [
        ciphers.chacha_seal(stream, _counter(place, last=place == len(chunks) - 1), chunk)
        for place, chunk in enumerate(chunks)
    ]
    return b"".join([head, b" ", mac, b"\n", nonce, *sealed])


def unseal(sealed: bytes, keys: Sequence[str | bytes], ciphers: Ciphers) -> bytes:
    """Return the plaintext of an age file that a key opens: an age identity, or an ssh-ed25519 key's seed.

    Raises:
        OddIdentity, NoKeyFits, Broken.
    """
    openers = [_opener(key, ciphers) for key in keys]
    stanzas, head, mac, payload = _parse_header(sealed)
    for key in (found for stanza in stanzas for opener in openers if (found := opener(stanza)) is not None):
        if not hmac.compare_digest(hmac.digest(_derive(key, b"", b"header"), head, "sha256"), mac):
            raise Broken
        return b"".join(_decrypt_chunks(key, payload, ciphers))
    raise NoKeyFits


def identity_of(secret: bytes) -> str:
    """Return the identity "AGE-SECRET-KEY-1..." of 32 secret bytes."""
    return upper(bech32_encode(_IDENTITY, secret))


def recipient_of(identity: str, ciphers: Ciphers) -> str:
    """Return the recipient "age1..." of an age identity."""
    return bech32_encode(_RECIPIENT, ciphers.agreement_public(_read_identity(identity)))


def read_recipient(text: str) -> bytes:
    """Return the 32 bytes of a recipient "age1...".

    Raises:
        OddRecipient: the text is not such a recipient.
    """
    try:
        prefix, data = bech32_decode_checked(text)
    except ValueError as problem:
        raise OddRecipient(str(problem)) from None
    if prefix != _RECIPIENT or len(data) != 32:
        raise OddRecipient("it is none of age's")
    return data


def _read_identity(text: str) -> bytes:
    try:
        prefix, data = bech32_decode_checked(text)
    except ValueError:
        raise OddIdentity from None
    if prefix != _IDENTITY or len(data) != 32:
        raise OddIdentity
    return data


# The header


def _parse_header(sealed: bytes) -> tuple[list[_Stanza], bytes, bytes, bytes]:
    """Return the parts of an age file: its stanzas, the bytes under the HMAC, the HMAC, and the rest."""
    if not sealed.startswith(_VERSION):
        raise Broken
    place, stanzas = len(_VERSION), list[_Stanza]()
    while match := _STANZA.match(sealed, place):
        stanzas.append(_Stanza(tuple(match[1].split(b" ")), _unbase64(match[2].replace(b"\n", b""))))
        place = match.end()
    if not stanzas or (end := _MAC.match(sealed, place)) is None:
        raise Broken
    return stanzas, sealed[: place + 3], _unbase64(end[1]), sealed[end.end() :]


def _stanza_text(stanza: _Stanza) -> bytes:
    body = _base64(stanza.body)
    lines = [body[start : start + _COLUMNS] for start in range(0, len(body) + 1, _COLUMNS)]
    return b"\n".join([b"-> " + b" ".join(stanza.words), *lines, b""])


def _wrap(key: bytes, recipient: str, ciphers: Ciphers, secret: bytes) -> _Stanza:
    """Return the stanza with the file key for one recipient; `secret` is used for nothing else."""
    share = ciphers.agreement_public(secret)
    if not recipient.startswith("ssh-"):
        public, kind, tweak = read_recipient(recipient), _PLAIN, None
        words: tuple[bytes, ...] = (_PLAIN,)
    else:
        blob = _read_blob(recipient)
        public, kind, tweak = _montgomery(blob[-32:]), _SSH, _tweak(blob)
        words = (_SSH, _tag(blob))
    if (shared := ciphers.agree(secret, public)) is not None and tweak is not None:
        shared = ciphers.agree(tweak, shared)
    if shared is None:
        raise OddRecipient("its key is of low order")
    wrapped = ciphers.chacha_seal(_derive(shared, share + public, _INFO + kind), bytes(12), key)
    return _Stanza((*words, _base64(share)), wrapped)


def _opener(key: str | bytes, ciphers: Ciphers) -> Callable[[_Stanza], bytes | None]:
    """Return a function from a stanza to the file key in it, or to None if the stanza is for another key."""
    if isinstance(key, str):
        secret, kind, tweak = _read_identity(key), _PLAIN, None
        words: tuple[bytes, ...] = (_PLAIN,)
    else:
        blob = _BLOB_HEAD + ciphers.public_of(key)
        secret, kind, tweak = hashlib.sha512(key).digest()[:32], _SSH, _tweak(blob)
        words = (_SSH, _tag(blob))
    public = ciphers.agreement_public(secret)

    def found(stanza: _Stanza) -> bytes | None:
        if stanza.words[0] != kind:
            return None
        if len(stanza.words) != len(words) + 1 or len(share := _unbase64(stanza.words[-1])) != 32:
            raise Broken
        if stanza.words[:-1] != words:
            return None
        if len(stanza.body) != _FILE_KEY + _TAG:
            raise Broken
        if (shared := ciphers.agree(secret, share)) is not None and tweak is not None:
            shared = ciphers.agree(tweak, shared)
        if shared is None:
            raise Broken
        return ciphers.chacha_open(_derive(shared, share + public, _INFO + kind), bytes(12), stanza.body)

    return found


def _read_blob(line: str) -> bytes:
    words = split_words(line)
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (IndexError, ValueError):
        raise OddRecipient("it is not a public key line") from None
    if words[0] != _SSH.decode() or len(blob) != len(_BLOB_HEAD) + 32 or not blob.startswith(_BLOB_HEAD):
        raise OddRecipient("it is not an ssh-ed25519 key")
    return blob


def _montgomery(public: bytes) -> bytes:
    """Return an Ed25519 key's point on the curve of X25519: u = (1 + y) / (1 - y), RFC 7748 section 4.1."""
    y = int.from_bytes(public, "little") & (2**255 - 1)
    return ((1 + y) * pow(1 - y, -1, _P) % _P).to_bytes(32, "little")


def _tweak(blob: bytes) -> bytes:
    return _derive(b"", blob, _INFO + _SSH)


def _tag(blob: bytes) -> bytes:
    return _base64(hashlib.sha256(blob).digest()[:4])


# The text


def _decrypt_chunks(key: bytes, payload: bytes, ciphers: Ciphers) -> Iterator[bytes]:
    stream, place = _derive(key, payload[:_NONCE], b"payload"), 0
    rest = payload[_NONCE:]
    while True:
        chunk, rest = rest[: _CHUNK + _TAG], rest[_CHUNK + _TAG :]
        plain = ciphers.chacha_open(stream, _counter(place, last=not rest), chunk)
        if plain is None or (place and not plain):  # a last chunk is empty only if it is the first
            raise Broken
        yield plain
        if not rest:
            return
        place += 1


def _counter(place: int, *, last: bool) -> bytes:
    return place.to_bytes(11, "big") + (b"\x01" if last else b"\x00")


def _derive(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """Return a key of 32 bytes, derived by HKDF-SHA-256 (RFC 5869)."""
    return hmac.digest(hmac.digest(salt, secret, "sha256"), info + b"\x01", "sha256")


def _base64(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _unbase64(text: bytes) -> bytes:
    """Return the bytes of base64 that is written without "=" and without spare bits."""
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise Broken from None
    if _base64(data) != text:
        raise Broken
    return data


_SIGNS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32_encode(prefix: str, data: bytes) -> str:
    """Return the bech32 encoding of `data` with a prefix, in lower case."""
    bits = int.from_bytes(data, "big")
    count = -(-len(data) * 8 // 5)
    bits <<= count * 5 - len(data) * 8
    values = [bits >> 5 * (count - 1 - place) & 31 for place in range(count)]
    check = _checksum([*_spread(prefix), *values, 0, 0, 0, 0, 0, 0]) ^ 1
    values += [check >> 5 * (5 - place) & 31 for place in range(6)]
    return f"{prefix}1{''.join(_SIGNS[value] for value in values)}"


def bech32_decode(text: str) -> bytes:
    """Return the bytes of a text that `bech32_encode` has written; its checksum is not looked at again."""
    return _bytes([_SIGNS.index(sign) for sign in text.rpartition("1")[2][:-6]])


def bech32_decode_checked(text: str) -> tuple[str, bytes]:
    """Return the prefix and the bytes of a text from outside, which must be in a single case.

    Raises:
        ValueError: the text is not in bech32, or a character in it is wrong.
    """
    if text not in {lower(text), upper(text)} or not text.isascii():
        raise ValueError("it mixes small and capital letters")
    prefix, _, coded = lower(text).rpartition("1")
    values = [_SIGNS.index(sign) for sign in coded]
    if not prefix or _checksum([*_spread(prefix), *values]) != 1:
        raise ValueError("its checksum is wrong")
    data = _bytes(values[:-6])
    # nor has a text of fewer signs than a checksum its own writing
    if bech32_encode(prefix, data) != lower(text):
        raise ValueError("it has spare bits")
    return prefix, data


def _bytes(values: list[int]) -> bytes:
    bits = 0
    for value in values:
        bits = bits << 5 | value
    return (bits >> len(values) * 5 % 8).to_bytes(len(values) * 5 // 8, "big")


def _spread(prefix: str) -> list[int]:
    return [*(ord(sign) >> 5 for sign in prefix), 0, *(ord(sign) & 31 for sign in prefix)]


def _checksum(values: Iterable[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> place & 1 else 0
    return checksum
