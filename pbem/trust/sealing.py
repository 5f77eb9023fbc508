"""Sealing, by age version 1 files, with one seal key for each exchange and player.

Seal key: `secret = HMAC-SHA256(seal_root, "pbem1 seal <game> <exchange> <player>")`, 32 bytes. Identity
and recipient are age's own X25519 forms, bech32 with the prefixes "AGE-SECRET-KEY-" (upper case) and
"age". Publishing one identity lets anyone run `age -d` on the mails of one player in one exchange, and
on no others. An `.agekey` file is the identity and LF.

Sealed file: age-encryption.org/v1, written by pyrage, binary. Its name is the SHA-256 of these bytes,
never of the armored text. Armor: "-----BEGIN AGE ENCRYPTED FILE-----", base64 in lines of 64 characters,
"-----END AGE ENCRYPTED FILE-----", each line ended by LF, as the age command writes it.

Order files are taken in one writing only, that of pyrage or of the age command (see protocol, "The order
file"): one X25519 stanza, beside it at most one of pyrage's grease stanzas, base64 without spare bits, no
last chunk that is empty. So a file opens with one key alone, and age and pyrage agree on all that is taken.

Sealed to players: age's ssh-ed25519 recipients, i.e. the player's signing key.

Padding fills texts up to a few sizes before they are sealed, so that a size tells nothing.
A signed text is filled up with LF after the signature's END line: an order file to a multiple of 8,192 bytes.
A letter of the judge's is filled up to 65,536 bytes, the size of every normal letter: a report, a notice, a
forecast, the words of a receipt (protocol 6); letters that are written together are as large as the largest.
A receipt has 4,096 bytes, a copy, which brings nothing but ciphertext, the next multiple of 16,384.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pbem.characters import lower
from pbem.trust import primitives, signature
from pbem.trust.faults import Broken, NoKeyFits, OddIdentity, OddRecipient, SealFault
from pbem.trust.identifiers import Namespace, check_game_id, check_player_name, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.primitives import age

MAX_ORDERS_SIZE = 32_768
"""Maximum size in bytes of a signed order text with its padding: some ten times a long one."""
MAX_SEALED_ORDERS_SIZE = MAX_ORDERS_SIZE + 1_024
MAX_SEALED_REPORT_SIZE = 4_194_304

AGE_MAGIC = b"age-encryption.org/v1\n"
ARMOR_BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----"
ARMOR_END = "-----END AGE ENCRYPTED FILE-----"
_ARMOR_LINE = 64
_MAX_HEADER_SIZE = 16_384
_BASE64_32 = rb"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]"
"""The pattern of 32 bytes in base64 without "=" and without spare bits."""
_HEADER = re.compile(
    rb"age-encryption\.org/v1\n"
    rb"-> X25519 (%(hash)s)\n(%(hash)s)\n"
    rb"(?:-> [!-~]{1,8}-grease(?: [!-~]{1,8}){0,4}\n((?:[A-Za-z0-9+/]{64}\n){0,2}[A-Za-z0-9+/]{0,63}\n))?"
    rb"--- %(hash)s\n" % {b"hash": _BASE64_32}
)
_MAX_GREASE = 99
_NONCE, _CHUNK, _TAG = 16, 65_536, 16

NO_IDENTITY = "this is not an age identity; one begins with AGE-SECRET-KEY-1"


@dataclass(frozen=True, slots=True)
class SealKey:
    """The key that one player's orders for one exchange are sealed to."""

    game: str
    exchange: int
    player: str
    recipient: str
    identity: str = field(repr=False)


@lru_cache(maxsize=16_384)
def seal_key(seal_root: bytes, game: str, exchange: int, player: str) -> SealKey:
    """Return the seal key of `player` in `exchange`, from the judge's secret root."""
    if len(seal_root) != 32:
        raise SealFault("a seal root has 32 bytes")
    context = f"pbem1 seal {check_game_id(game)} {exchange} {check_player_name(player)}"
    identity = age.identity_of(hmac.digest(seal_root, context.encode(), "sha256"))
    return SealKey(game, exchange, player, recipient_of(identity), identity)


def recipient_of(identity: str) -> str:
    """Return the "age1..." recipient of an "AGE-SECRET-KEY-1..." identity, as `age-keygen -y` prints it."""
    try:
        return primitives.age_recipient(identity)
    except OddIdentity:
        raise SealFault(NO_IDENTITY) from None


def check_recipient(text: str) -> str:
    """Return `text` itself if it is an X25519 recipient, written as age writes it."""
    if text != lower(text) or len(text) != 62 or not text.isascii():
        raise SealFault(f"{quote(text)} is not an age recipient; one is age1 and 58 small letters and digits")
    try:
        primitives.check_age_recipient(text)
    except OddRecipient:
        raise SealFault(f"{quote(text)} is not an age recipient: a character in it is wrong") from None
    return text


def seal(plaintext: bytes, recipients: Iterable[str | PublicKey]) -> bytes:
    """Return the binary age file of `plaintext` for "age1..." recipients and players' keys."""
    texts = [
        recipient.line if isinstance(recipient, PublicKey) else check_recipient(recipient)
        for recipient in recipients
    ]
    if not texts:
        raise SealFault("nothing can be sealed to nobody")
    try:
        return primitives.age_seal(plaintext, texts)
    except OddRecipient as problem:
        raise SealFault(f"nothing can be sealed to {quote(', '.join(texts))}: {problem}") from None


def seal_again(plaintext: bytes, recipient: PublicKey, seed: bytes) -> bytes:
    """Return the age file of `plaintext` for a player's key; the same seed, text and key give the same file.

    What age draws follows from all three, so that a seed that serves twice betrays no more than that two
    texts are the same.
    """
    root = hmac.digest(seed, f"pbem1 again {recipient.line}\n".encode() + plaintext, "sha256")
    numbers = itertools.count()

    def draw(size: int) -> bytes:
        return hmac.digest(root, b"%d" % next(numbers), "sha256")[:size]

    return primitives.age_seal_drawing(plaintext, [recipient.line], draw)


def open_sealed(
    sealed: bytes, keys: Sequence[SealKey | PrivateKey | str], limit: int = MAX_SEALED_REPORT_SIZE
) -> bytes:
    """Return the plaintext of an age file that one of `keys` opens (an identity may be given as text)."""
    check_sealed(sealed, limit)
    try:
        return primitives.age_open(sealed, [_opener(key) for key in keys])
    except OddIdentity:
        raise SealFault(NO_IDENTITY) from None
    except NoKeyFits:
        raise SealFault("this file is sealed to another key", reason="sealed-to-another") from None
    except Broken:
        raise SealFault("the sealed file is damaged: it does not open", reason="damaged") from None


def open_orders_with(sealed: bytes, key: SealKey | str) -> bytes:
    """Return the plaintext of a sealed order file that `key` opens, which must have its one valid form."""
    envelope = read_envelope(sealed)
    plaintext = open_sealed(sealed, [key], MAX_SEALED_ORDERS_SIZE)
    chunks = max(1, -(-len(plaintext) // _CHUNK))
    if len(sealed) != envelope.length + _NONCE + len(plaintext) + chunks * _TAG:
        raise SealFault("the sealed file has a chunk too many", reason="odd-envelope")
    return plaintext


def find_key(sealed: bytes, keys: Iterable[SealKey]) -> tuple[SealKey, bytes]:
    """Return the one of `keys` that opens a sealed order file, and the file's plaintext.

    An age file does not say whose it is, so each key is tried. That is done here, on the file's recipient
    line alone, and costs half of what pyrage takes; the key that fits then opens the file as ever. A
    recipient line can be made to fit two keys; the file as a whole opens with one of them at most.
    """
    envelope = read_envelope(sealed)
    fault = SealFault("this file is sealed to another key", reason="sealed-to-another")
    for key in keys:
        if unwraps(key.identity, envelope.share, envelope.wrapped):
            try:
                return key, open_orders_with(sealed, key)
            except SealFault as problem:
                fault = problem
    raise fault


@dataclass(frozen=True, slots=True)
class Envelope:
    """The head of a sealed order file: the content of its one X25519 stanza."""

    share: bytes
    wrapped: bytes
    """The age file's own key, encrypted for whoever has the recipient's key."""
    length: int
    """Length of the whole head in bytes."""


def read_envelope(sealed: bytes) -> Envelope:
    """Return the head of a sealed order file, which must have its one valid form.

    Raises:
        SealFault: the file has another form; the message says how such a file is made.
    """
    check_sealed(sealed, MAX_SEALED_ORDERS_SIZE)
    match = _HEADER.match(sealed)
    if match is None or not _is_grease(match[3] or b"\n"):
        raise SealFault(
            "the file is not sealed as orders are: to one age1... recipient, the one of this exchange, "
            "by pbem seal or age -r; or its first lines were changed on the way: attach it as a file",
            reason="odd-envelope",
        )
    share, wrapped = (base64.b64decode(part + b"=") for part in match.groups()[:2])
    return Envelope(share, wrapped, match.end())


def _is_grease(lines: bytes) -> bool:
    """Tell whether `lines` are the body of a grease stanza, which pyrage adds to keep readers in practice."""
    text = lines.replace(b"\n", b"")
    try:
        body = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        return False
    return len(body) <= _MAX_GREASE and base64.b64encode(body).rstrip(b"=") == text


def check_sealed(sealed: bytes, limit: int) -> None:
    """Raise SealFault for bytes that are not worth opening, by their size, first line and header's length."""
    if not sealed:
        raise SealFault("the file is empty", reason="empty")
    if len(sealed) > limit:
        raise SealFault(
            f"the file has {len(sealed):,} bytes; {limit:,} are accepted at most", reason="too-large"
        )
    if not sealed.startswith(AGE_MAGIC):
        raise SealFault(
            "this is not a sealed file: it does not begin as an age file does", reason="not-sealed"
        )
    end = sealed.find(b"\n---", 0, _MAX_HEADER_SIZE)
    if end < 0:
        raise SealFault("the sealed file is damaged: its head does not end", reason="damaged")


def seal_signed(
    body: bytes, key: PrivateKey, namespace: Namespace, recipients: Iterable[str | PublicKey], unit: int
) -> bytes:
    """Return the binary age file of `body`, signed by `key` and padded to a multiple of `unit` bytes."""
    return seal(pad(signature.sign_text(key, namespace, body), unit), recipients)


def is_sealed_to(sealed: bytes, key: PublicKey) -> bool:
    """Tell whether a file says that it is sealed to a player's key; only opening it shows whether it is.

    Each ssh-ed25519 recipient has a line "-> ssh-ed25519 <tag> <share>" in the head of the file, the tag
    being the base64 of the first four bytes of SHA-256(blob), without "=".
    """
    tag = base64.b64encode(hashlib.sha256(key.blob).digest()[:4]).rstrip(b"=")
    return b"\n-> ssh-ed25519 %s " % tag in sealed[:_MAX_HEADER_SIZE]


def is_orders(sealed: bytes) -> bool:
    """Tell whether a file says that it is sealed to a key of the judge's, as orders are, and to no player."""
    head = sealed[:_MAX_HEADER_SIZE]
    return b"\n-> X25519 " in head and b"\n-> ssh-ed25519 " not in head


def sealed_name(sealed: bytes) -> str:
    """Return the name of a sealed file in ledger, receipts and bundle: the SHA-256 of the binary age file."""
    return hashlib.sha256(sealed).hexdigest()


def to_armor(sealed: bytes) -> str:
    """Return the armored form of a binary age file."""
    text = base64.b64encode(sealed).decode()
    lines = [text[start : start + _ARMOR_LINE] for start in range(0, len(text), _ARMOR_LINE)]
    return "\n".join([ARMOR_BEGIN, *lines, ARMOR_END, ""])


def _opener(key: SealKey | PrivateKey | str) -> str | bytes:
    """Return a key in the form that `primitives.age_open` takes: an identity as text, or a seed."""
    if isinstance(key, PrivateKey):
        return key.seed
    return key.identity if isinstance(key, SealKey) else key


ORDERS_UNIT = 8_192
MAX_SEALED_REVEAL_SIZE = ORDERS_UNIT + 1_024
LETTER_SIZE = 65_536
"""Size in bytes of every normal letter before it is sealed: four times a long report in recorded games."""
RECEIPT_SIZE = 4_096
COPY_UNIT = 16_384
CUT = "Here the rest is left out, as it has no room: pbem check says it all."
"""The last line of words that were cut because they had no room in their letter."""


def pad(text: bytes, unit: int) -> bytes:
    """Return `text` filled up with line ends to the next multiple of `unit` bytes."""
    return text + b"\n" * (-len(text) % unit)


def common_size(texts: Iterable[bytes]) -> int:
    """Return the size in bytes to which letters that are written together are filled up, by the largest."""
    return LETTER_SIZE * max(1, -(-max(map(len, texts), default=0) // LETTER_SIZE))


def size_for(sealed: bytes) -> int:
    """Return the size in bytes of the words about a sealed file, which depends on that file's size alone."""
    return LETTER_SIZE * max(1, -(-len(sealed) // MAX_SEALED_REVEAL_SIZE))


def cut_text(text: str, size: int) -> str:
    """Return a text in at most `size` bytes: a longer one as its first whole lines and the line `CUT`."""
    if len(text.encode()) <= size:
        return text
    kept, room = [], size - len(CUT) - 1
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(f"{line}\n")
    return f"{''.join(kept)}{CUT}\n"


def unwraps(identity: str, share: bytes, wrapped: bytes) -> bool:
    """Tell whether an age identity opens a recipient line, given by its share and wrapped file key."""
    secret = _identity_secret(identity)
    shared = primitives.agree(secret, share)
    if shared is None:  # a share of low order: it opens for nobody
        return False
    pseudorandom = hmac.digest(share + primitives.agreement_public(secret), shared, "sha256")
    wrap = hmac.digest(pseudorandom, b"age-encryption.org/v1/X25519\x01", "sha256")
    return primitives.chacha_open(wrap, bytes(12), wrapped) is not None


@lru_cache(maxsize=16_384)
def _identity_secret(identity: str) -> bytes:
    return age.bech32_decode(lower(identity))
