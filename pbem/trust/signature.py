"""SSHSIG: the signatures of `ssh-keygen -Y sign`, byte for byte.

Armor: the line "-----BEGIN SSH SIGNATURE-----", the base64 of the blob in lines of 70 characters (the last
may be shorter), the line "-----END SSH SIGNATURE-----"; every line ends in LF. 314 bytes with our namespaces
or nearly so. Blob (a string is a uint32 length, big-endian, and that many bytes):

    "SSHSIG"            six bytes
    uint32              1
    string              the public key: string "ssh-ed25519", string of 32 bytes
    string              namespace
    string              reserved: empty
    string              "sha512" or "sha256"
    string              signature: string "ssh-ed25519", string of 64 bytes

What is signed: "SSHSIG", string namespace, string reserved, string hash name, string hash(text).

We sign with sha512, as ssh-keygen does, and accept sha256 too. Everything else is refused: other
versions, keys and hashes, bytes too many, armor that is not its own re-encoding.

Ed25519 signature bytes are malleable (ssh-keygen 9.2 accepts S + L, we refuse it), so no signature is
ever hashed or used as a name for anything.

A **signed text** is one stream: the body, which ends in a line's end, then the armor, then padding of LF
only. The signature covers every byte before the first line that begins with BEGIN, CRs included. There is one
way to write what follows the body, so that no two readers cut it differently.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from pbem.trust.faults import KeyFault, SignatureFault
from pbem.trust.identifiers import Namespace, quote
from pbem.trust.keys import PrivateKey, PublicKey, check_order

BEGIN = b"-----BEGIN SSH SIGNATURE-----"
END = b"-----END SSH SIGNATURE-----"
MAX_ARMOR_SIZE = 2_048

_MAGIC = b"SSHSIG"
_VERSION = b"\x00\x00\x00\x01"
_KEY_TYPE = b"ssh-ed25519"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_LINE = 70
_BEGIN_LINE = re.compile(rb"^" + BEGIN, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Signature:
    """The content of a well-formed armored signature. Nothing is verified yet."""

    key: PublicKey
    namespace: str
    hash_name: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class SignedText:
    """A signed text, split into its body and the armor of its signature, which is not verified."""

    body: bytes
    armor: bytes


def sign(key: PrivateKey, namespace: Namespace, text: bytes) -> bytes:
    """Return the armored signature of `text`, the same bytes as `ssh-keygen -Y sign` makes."""
    signed = _signed_bytes(namespace.encode(), b"sha512", text)
    return _armor(key.public, namespace.encode(), b"sha512", key.sign_raw(signed))


def verify(armor: bytes, text: bytes, namespace: Namespace, key: PublicKey) -> None:
    """Raise SignatureFault unless `armor` is the signature of `key` under `text` in `namespace`."""
    signature = parse(armor)
    if signature.namespace != namespace:
        raise SignatureFault(
            f"the signature was made for {quote(signature.namespace)}, not for {namespace.value!r}",
            reason="wrong-namespace",
        )
    if signature.key != key:
        raise SignatureFault(
            f"the signature was made with the key {signature.key.fingerprint}, not with {key.fingerprint}",
            reason="wrong-key",
        )
    signed = _signed_bytes(namespace.encode(), signature.hash_name.encode(), text)
    if not key.verifies(signature.raw, signed):
        raise SignatureFault(
            "this is not the text that was signed: something in it was changed", reason="tampered"
        )


@lru_cache(maxsize=4_096)
def parse(armor: bytes) -> Signature:
    """Return the parts of an armored signature, which must be exactly as we or ssh-keygen would write it."""
    reader = _Reader(_dearmor(armor))
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise _malformed_fault("it does not begin as an ssh signature does")
    if reader.take(4) != _VERSION:
        raise _malformed_fault("its version is not 1")
    key = _parse_key(reader.string())
    namespace = _ascii(reader.string(), "namespace")
    if reader.string():
        raise _malformed_fault("its reserved part is not empty")
    hash_name = _ascii(reader.string(), "hash name")
    if hash_name.encode() not in _HASHES:
        raise SignatureFault(
            f"the signature rests on the hash {quote(hash_name)}; only sha512 and sha256 are accepted",
            reason="weak-hash",
        )
    inner = _Reader(reader.string())
    reader.finish()
    if inner.string() != _KEY_TYPE:
        raise _malformed_fault("it is not an ed25519 signature")
    raw = inner.string()
    inner.finish()
    if len(raw) != 64:
        raise _malformed_fault("its ed25519 part is not 64 bytes long")
    return Signature(key, namespace, hash_name, raw)


def sign_text(key: PrivateKey, namespace: Namespace, body: bytes) -> bytes:
    """Return `body` and its armored signature as one signed text, without padding."""
    if not body.endswith(b"\n"):
        raise SignatureFault("a text must end with a line's end before it is signed")
    if _BEGIN_LINE.search(body):
        raise SignatureFault("the text holds a signature already; sign the part above it")
    return body + sign(key, namespace, body)


def split(text: bytes) -> SignedText:
    """Split a signed text at its first BEGIN line; nothing but LFs may follow the signature."""
    if (match := _BEGIN_LINE.search(text)) is None:
        raise SignatureFault(
            "the text is not signed: no line -----BEGIN SSH SIGNATURE----- is in it", reason="unsigned"
        )
    body, rest = text[: match.start()], text[match.start() :]
    armor, end, padding = rest.partition(b"\n" + END + b"\n")
    if not end:
        raise _malformed_fault("it has no line -----END SSH SIGNATURE-----, or its lines end in CR LF")
    if padding.strip(b"\n"):
        raise _malformed_fault("something other than empty lines follows it", reason="trailing-bytes")
    return SignedText(body, armor + end)


def split_unsealed(text: bytes) -> SignedText:
    """Split a signed text that was not sealed, as `split` does, after its lines were made to end in LF."""
    return split(unify_line_ends(text))


def unify_line_ends(text: bytes) -> bytes:
    """Return a text that was not sealed as it was signed, with LF where a mail program or editor put CR LF.

    A CR alone stays, and no text that is signed has one.
    """
    return text.replace(b"\r\n", b"\n")


def verify_text(text: bytes, namespace: Namespace, key: PublicKey) -> bytes:
    """Return the body of a signed text; raise SignatureFault unless its signature is valid."""
    signed = split(text)
    verify(signed.armor, signed.body, namespace, key)
    return signed.body


def _signed_bytes(namespace: bytes, hash_name: bytes, text: bytes) -> bytes:
    digest = _HASHES[hash_name](text).digest()
    return _MAGIC + _string(namespace) + _string(b"") + _string(hash_name) + _string(digest)


def _armor(key: PublicKey, namespace: bytes, hash_name: bytes, raw: bytes) -> bytes:
    blob = _MAGIC + _VERSION + _string(key.blob) + _string(namespace) + _string(b"") + _string(hash_name)
    return _wrap(blob + _string(_string(_KEY_TYPE) + _string(raw)))


def _wrap(blob: bytes) -> bytes:
    return from_line(base64.b64encode(blob).decode())


def from_line(text: str) -> bytes:
    """Return the armor of a signature that stands in one line, as in_a_line writes it."""
    lines = [text[start : start + _LINE].encode() for start in range(0, len(text), _LINE)]
    return b"\n".join([BEGIN, *lines, END, b""])


def in_a_line(armor: bytes) -> str:
    """Return an armored signature without its first and last line, and without its breaks."""
    return b"".join(armor.split(b"\n")[1:-2]).decode()


def _dearmor(armor: bytes) -> bytes:
    if len(armor) > MAX_ARMOR_SIZE:
        raise _malformed_fault("it is far too long")
    lines = armor.split(b"\n")
    if len(lines) < 4 or lines[0] != BEGIN or lines[-2:] != [END, b""]:
        raise _malformed_fault("it must stand between its BEGIN and END lines, and nothing else may")
    try:
        blob = base64.b64decode(b"".join(lines[1:-2]), validate=True)
    except ValueError:
        raise _malformed_fault("it is not base64") from None
    if _wrap(blob) != armor:
        raise _malformed_fault("its lines are not as ssh-keygen writes them")
    return blob


def _parse_key(blob: bytes) -> PublicKey:
    reader = _Reader(blob)
    if (kind := reader.string()) != _KEY_TYPE:
        raise SignatureFault(
            f"the signature was made with a key of type {_in_quotes(kind)}, not ssh-ed25519",
            reason="wrong-key-type",
        )
    raw = reader.string()
    reader.finish()
    if len(raw) != 32:
        raise _malformed_fault("its key is not 32 bytes long")
    key = PublicKey(raw)
    try:
        check_order(key)
    except KeyFault as fault:
        raise SignatureFault(f"the signature counts for nothing: {fault}", reason="weak-key") from None
    return key


class _Reader:
    """A reader of a blob's fields from front to back, for which a missing part makes the blob malformed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) < size:
            raise _malformed_fault("it is cut short")
        self._at += size
        return part

    def string(self) -> bytes:
        return self.take(int.from_bytes(self.take(4), "big"))

    def finish(self) -> None:
        if self._at != len(self._data):
            raise _malformed_fault("it holds more bytes than it should")


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _in_quotes(data: bytes) -> str:
    return quote(data.decode("ascii", errors="replace"))


def _ascii(data: bytes, what: str) -> str:
    if not data.isascii():
        raise _malformed_fault(f"its {what} is not plain text")
    return data.decode()


def _malformed_fault(why: str, reason: str = "malformed-signature") -> SignatureFault:
    return SignatureFault(f"the signature is malformed: {why}", reason=reason)
