"""Ed25519 keys in OpenSSH's own formats, and the files of keys and secrets that only their owner may read.

    Private key file    "openssh-key-v1" in PEM, with or without a passphrase (aes256-ctr, bcrypt, 64 rounds),
                        as `ssh-keygen -t ed25519 -a 64` writes it. On disk it is readable by its owner alone.
    Public key line     "ssh-ed25519 " + base64(blob) [+ " " + comment]
    blob                uint32 11, "ssh-ed25519", uint32 32, the 32 bytes of the key
    fingerprint         "SHA256:" + base64(SHA-256(blob)) without "="
    allowed_signers     <name>@<game> namespaces="<namespace>[,<namespace>...]" ssh-ed25519 <base64>

A key that comes from outside is accepted only if it is the canonical encoding of a point of prime order.
Under a small-order key one signature fits every message, so its owner could later say that anyone might
have signed; ssh-keygen and `cryptography` both take such keys.

Not here: other key types, certificates, agents and hardware keys (`ssh-keygen -Y sign` serves those).
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pbem.characters import BLANKS, is_plain, lower, strip_blanks
from pbem.trust.faults import KeyFault
from pbem.trust.identifiers import WORD, Namespace, check_game_id, quote

# `primitives` is loaded where a signature is made or checked: many commands do neither.

PASSPHRASE_ROUNDS = 64
"""Number of bcrypt rounds in a new key file, which takes about 0.4 s to unlock."""

MAX_KEY_FILE_SIZE = 16_384
_BLOB_HEAD = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
_BLOB_SIZE = len(_BLOB_HEAD) + 32
_PRIVATE_HEAD = b"-----BEGIN OPENSSH PRIVATE KEY-----"

_SIGNER_LINE = re.compile(
    rf"(?P<name>{WORD})@(?P<game>{WORD}) "
    r'namespaces="(?P<namespaces>[a-z0-9-]+(?:,[a-z0-9-]+)*)" '
    r"(?P<key>ssh-ed25519 [A-Za-z0-9+/]+={0,2})"
)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The public half of a key pair; two are equal if their 32 bytes are, whatever the comment."""

    raw: bytes
    comment: str = field(default="", compare=False)

    @property
    def blob(self) -> bytes:
        """The binary form of the key, as OpenSSH hashes and embeds it."""
        return _BLOB_HEAD + self.raw

    @property
    def line(self) -> str:
        """The public key line without comment, as it stands in an enrolment and in allowed_signers."""
        return f"ssh-ed25519 {base64.b64encode(self.blob).decode()}"

    @property
    def file_line(self) -> str:
        """The content of the key's `.pub` file: the public key line with its comment and a line's end."""
        return f"{self.line} {self.comment}\n" if self.comment else f"{self.line}\n"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key, exactly as `ssh-keygen -l` prints it."""
        return f"SHA256:{base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip('=')}"

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Tell whether the bare 64-byte Ed25519 `signature` under `message` was made with the key's pair."""
        from pbem.trust import primitives

        return primitives.verifies(self.raw, signature, message)


class PrivateKey:
    """A key pair that can sign, unlocked in memory; it never prints itself."""

    __slots__ = ("public", "seed")

    def __init__(self, seed: bytes, comment: str = "") -> None:
        from pbem.trust import primitives

        self.seed = seed
        self.public = PublicKey(primitives.public_of(seed), comment)

    def __repr__(self) -> str:
        return f"PrivateKey({self.public.fingerprint})"

    def sign_raw(self, message: bytes) -> bytes:
        """Return the bare 64-byte Ed25519 signature of `message`; for anything kept use signature.sign."""
        from pbem.trust import primitives

        return primitives.sign(self.seed, message)

    def to_openssh(self, passphrase: str = "", rounds: int = PASSPHRASE_ROUNDS) -> bytes:
        """Return the key as a private key file of OpenSSH's, locked if `passphrase` is not empty."""
        from pbem.trust import primitives

        return primitives.write_key_file(self.seed, passphrase.encode(), rounds)


def generate(comment: str = "") -> PrivateKey:
    """Return a new key pair of Ed25519."""
    return PrivateKey(os.urandom(32), _checked_comment(comment))


def load_private(data: bytes, passphrase: str = "") -> PrivateKey:
    """Return the key pair in the bytes of an OpenSSH private key file.

    Raises KeyFault with its own message for a missing and for a wrong passphrase. A passphrase given for
    a key that has none is ignored.
    """
    from pbem.trust.faults import Locked, WrongPassphrase

    try:
        seed = _seed(data, passphrase)
    except Locked:
        raise KeyFault("the key is locked, and no passphrase was given", reason="locked") from None
    except WrongPassphrase:
        raise KeyFault("the passphrase does not open this key", reason="wrong-passphrase") from None
    loaded = PrivateKey(seed)
    if loaded.public.blob not in _decode_key(data):  # the loader believes the file's secret half
        raise KeyFault("the private key file is damaged: its two halves do not belong together")
    return loaded


def is_locked(data: bytes) -> bool:
    """Tell whether a private key file needs a passphrase."""
    from pbem.trust.faults import Locked

    try:
        _seed(data, "")
    except Locked:
        return True
    return False


def load_private_file(path: Path, passphrase: str = "") -> PrivateKey:
    """Return the key pair in a file that nobody but its owner can read."""
    check_private_mode(path)
    return load_private(_read(path), passphrase)


def parse_public(line: str) -> PublicKey:
    """Return the key of a public key line, checked as for enrolment (see the module's text)."""
    words = re.split(f"[{BLANKS}]+", strip_blanks(line), maxsplit=2)
    if len(words) < 2:
        raise KeyFault(
            f"{quote(strip_blanks(line))} is not a public key line; one is ssh-ed25519 and a long word"
        )
    if words[0] != "ssh-ed25519":
        raise KeyFault(f"a key of type {quote(words[0])} is not accepted; only ssh-ed25519 keys are")
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError):
        raise KeyFault("the public key line is damaged: its second word is not base64") from None
    if base64.b64encode(blob).decode() != words[1]:
        raise KeyFault("the public key line is damaged: its second word is not the usual base64")
    return parse_blob(blob, _checked_comment(words[2]) if len(words) > 2 else "")


def parse_blob(blob: bytes, comment: str = "") -> PublicKey:
    """Return the key of a binary OpenSSH public key, checked as for enrolment."""
    if len(blob) != _BLOB_SIZE or not blob.startswith(_BLOB_HEAD):
        raise KeyFault("the public key is not a whole ssh-ed25519 key")
    key = PublicKey(blob[len(_BLOB_HEAD) :], comment)
    check_order(key)
    return key


def check_order(key: PublicKey) -> None:
    """Raise KeyFault if a key is not a point of prime order."""
    if (fault := _order_fault(key.raw)) is not None:
        raise KeyFault(f"the key {key.fingerprint} is not accepted: {fault}", reason="weak-key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """One line of allowed_signers: a person's key, and the namespaces in which the key may sign in a game."""

    name: str
    game: str
    namespaces: tuple[Namespace, ...]
    key: PublicKey

    @property
    def principal(self) -> str:
        """The name of the signer that `ssh-keygen -Y verify -I` takes: `<name>@<game>`."""
        return f"{self.name}@{self.game}"

    @property
    def line(self) -> str:
        """The signer's line of allowed_signers, without the line's end."""
        return f'{self.principal} namespaces="{",".join(self.namespaces)}" {self.key.line}'


def render_signers(signers: Iterable[Signer]) -> str:
    """Return the text of an allowed_signers file, a line for each signer in the order given."""
    return "".join(f"{signer.line}\n" for signer in signers)


def parse_signers(text: str) -> tuple[Signer, ...]:
    """Return the signers of an allowed_signers file; only lines as `Signer.line` writes them are accepted."""
    if text and not text.endswith("\n"):
        raise KeyFault("allowed_signers does not end with a line's end")
    return tuple(_parse_signer(number, line) for number, line in enumerate(text.split("\n")[:-1], 1))


def _parse_signer(number: int, line: str) -> Signer:
    if (match := _SIGNER_LINE.fullmatch(line)) is None:
        raise KeyFault(f"allowed_signers, line {number}: {quote(line)} is not of the expected form")
    try:
        namespaces = tuple(Namespace(word) for word in match["namespaces"].split(","))
        key = parse_public(match["key"])
    except ValueError:
        raise KeyFault(
            f"allowed_signers, line {number}: {match['namespaces']!r} is not a list of our namespaces"
        ) from None
    except KeyFault as fault:
        raise KeyFault(f"allowed_signers, line {number}: {fault}", reason=fault.reason) from None
    return Signer(name=match["name"], game=check_game_id(match["game"]), namespaces=namespaces, key=key)


def _seed(data: bytes, passphrase: str) -> bytes:
    from pbem.trust import primitives
    from pbem.trust.faults import OtherKind, Unreadable

    _check_is_private(data)
    try:
        return primitives.read_key_file(data, passphrase.encode())
    except OtherKind:
        raise KeyFault(
            "the key is not an ed25519 key; make one with pbem keygen or ssh-keygen -t ed25519"
        ) from None
    except Unreadable as problem:
        raise KeyFault(f"the private key file cannot be read: {_lower(problem)}") from None


def _decode_key(data: bytes) -> bytes:
    """Return the binary form of a private key file; the public key stands in it in the open."""
    return base64.b64decode(data.partition(b"-----END")[0].removeprefix(_PRIVATE_HEAD))


def _check_is_private(data: bytes) -> None:
    if len(data) > MAX_KEY_FILE_SIZE:
        raise KeyFault("the file is too large for a private key")
    if data.startswith((b"ssh-", b"ecdsa-", b"sk-")):
        raise KeyFault("this is a public key; the private key is in the file of the same name without .pub")
    if not data.startswith(_PRIVATE_HEAD):
        raise KeyFault(f"this is not a private key file of OpenSSH; one begins with {_PRIVATE_HEAD.decode()}")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_KEY_FILE_SIZE + 1)
    except OSError as problem:
        raise KeyFault(f"{path}: {_lower(problem.strerror)}") from None


def _checked_comment(comment: str) -> str:
    if not is_plain(comment):
        raise KeyFault("the comment of a key has characters that cannot stand in a line of text")
    return comment


def _lower(problem: object) -> str:
    text = strip_blanks(str(problem)).rstrip(".")
    return lower(text[:1]) + text[1:]


# The curve of Ed25519, RFC 8032 section 5.1, in extended coordinates (section 5.1.4): only what is needed
# to learn a public key's order. Nothing secret passes through here, so it need not take constant time.

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


@lru_cache(maxsize=4096)
def _order_fault(raw: bytes) -> str | None:
    """Return the reason why 32 bytes cannot be a player's public key; None if they can."""
    number = int.from_bytes(raw, "little")
    y, sign = number & (2**255 - 1), number >> 255
    point = _point(y % _P, sign)
    if point is None:
        return "its bytes are no point of the curve"
    if _is_neutral(_times(8, point)):
        return "it is a small-order key, under which one signature fits every message"
    if y >= _P or not _is_neutral(_times(_ORDER, point)):
        return "no key generator makes such a key, and programs may disagree about its signatures"
    return None


def _point(y: int, sign: int) -> _Point | None:
    """Return the point of Ed25519's curve with the given y and sign of x (RFC 8032 5.1.3).

    A zero x may have either sign.

    Return None if there is no such point.
    """
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if v * x * x % _P != u:
        x = x * _ROOT_OF_MINUS_ONE % _P
        if v * x * x % _P != u:
            return None
    if x & 1 != sign:
        x = -x % _P
    return x, y, 1, x * y % _P


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    result = _NEUTRAL
    while factor:
        if factor & 1:
            result = _add(result, point)
        point = _add(point, point)
        factor >>= 1
    return result


def _is_neutral(point: _Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0


def check_private_mode(path: Path) -> None:
    """Raise KeyFault for a private key file that group or world may read or write, as ssh refuses it."""
    try:
        mode = path.stat().st_mode
    except OSError as problem:
        raise KeyFault(f"{path}: {lower(str(problem.strerror))}") from None
    if not stat.S_ISREG(mode):
        raise KeyFault(f"{path} is not a file")
    if os.name == "posix" and mode & 0o077:
        raise KeyFault(
            f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); run chmod 600 on it",
            reason="open-mode",
        )


def write_private_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write `data` to a file that only the owner can ever read, and write all of it or nothing.

    A file that is there already is kept, and KeyFault raised, unless `replace` is set.
    """
    import tempfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp gives mode 0600
    except OSError as problem:
        raise KeyFault(f"{path} cannot be written: {lower(str(problem.strerror))}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            Path(name).replace(path)
        else:
            _move_new(Path(name), path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _move_new(source: Path, path: Path) -> None:
    """Give a finished file its final name; raise KeyFault if the name is taken."""
    try:
        path.hardlink_to(source)
    except FileExistsError:
        raise KeyFault(f"{path} exists already; move it away before a new one is written there") from None
    except (OSError, NotImplementedError):  # a file system without hard links; a browser has none
        if path.exists():
            raise KeyFault(f"{path} exists already; move it away before a new one is written there") from None
        source.replace(path)
