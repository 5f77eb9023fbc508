"""The copy of a player's home that a post box keeps: signed by the player, padded, and sealed.

    pbem1 home-copy
    key SHA256:...                      of the player, who signs
    box https://box.club.example/       for which box it is made
    generation 7                        one more than that of the copy whose place it takes
    made 2026-11-28T03:00:00Z
    zip <sha256>                        of the home, as a zip

This text and its signature (namespace pbem1-box), LFs as padding, then the zip: all that is one age file,
sealed to the player's key and to a *copy key* of its own, an age identity that can sign nothing. Printed, it
is the recovery sheet: `age -d -i SHEET COPY` gives what `unzip` reads. The whole has 65,536 bytes, or that
doubled as often as it takes, from 1,048,576 on a multiple of that: so its size hardly tells what is in it.

Whoever keeps it can read nothing, and make none: only its own player's signature counts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pbem.trust.entry_fields import TEXT, TIME, Line
from pbem.trust.faults import OrderFileFault, SealFault
from pbem.trust.keys import PrivateKey
from pbem.trust.namespaces import Namespace
from pbem.trust.padding import LETTER_SIZE
from pbem.trust.post_box import check_box_url
from pbem.trust.primitives import bech32
from pbem.trust.sealing import open_sealed, recipient_of, seal
from pbem.trust.signature import END, sign_text, verify_text
from pbem.trust.text_fields import COUNT, DIGEST, FieldText, read_text

MAX_HOME_SIZE = 5_242_880
"""Maximum size in bytes of a copy of a player's home before the copy is sealed; in armor such a copy still
has room in a post box."""
_MAX_SEALED_SIZE = MAX_HOME_SIZE + 16_384
_STEP = 1_048_576
_HEAD = 1_024
"""Maximum size in bytes of the signed text about a copy of a home, with its signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeCopyText(FieldText):
    """The text that a player signs about a copy of their home: its box, number, time and SHA-256."""

    form: ClassVar[str] = "pbem1 home-copy"
    called: ClassVar[str] = "the copy of a home"

    key: Annotated[str, Line("key", TEXT)]
    box: Annotated[str, Line("box", TEXT)]
    generation: Annotated[int, Line("generation", COUNT)]
    made: Annotated[datetime, Line("made", TIME)]
    zip_sha256: Annotated[str, Line("zip", DIGEST)]


def make_copy_key() -> str:
    """Return a new copy key: an age identity."""
    return bech32.encode("age-secret-key-", os.urandom(32)).upper()


def copy_size(size: int) -> int:
    """Return the padded size in bytes of a copy of a home that has `size` bytes without padding.

    Raises:
        SealFault: the copy is larger than a post box takes.
    """
    if size > MAX_HOME_SIZE:
        raise SealFault(
            f"the home has {size:,} bytes as a zip; a post box keeps a copy of {MAX_HOME_SIZE:,} at most",
            reason="too-large",
        )
    padded = LETTER_SIZE
    while padded < size and padded < _STEP:
        padded *= 2
    return padded if padded >= size else -(-size // _STEP) * _STEP


def seal_copy(
    data: bytes, box: str, generation: int, made: datetime, key: PrivateKey, copy_key: str
) -> bytes:
    """Return the sealed copy of a home that is given as a zip."""
    said = HomeCopyText(
        key=key.public.fingerprint,
        box=check_box_url(box),
        generation=generation,
        made=made.replace(microsecond=0),
        zip_sha256=hashlib.sha256(data).hexdigest(),
    )
    head = sign_text(key, Namespace.BOX, said.text)
    size = copy_size(len(head) + len(data))
    plaintext = head + b"\n" * (size - len(head) - len(data)) + data
    return seal(plaintext, [recipient_of(copy_key), key.public])


def open_copy(sealed: bytes, box: str, keys: Sequence[PrivateKey]) -> tuple[HomeCopyText, bytes]:
    """Return the text that a player signed about a copy of their home, and the home as a zip.

    `keys`: the player's own.

    Raises:
        TrustFault: the file is not a copy of the home of this player from this box.
    """
    data = open_sealed(sealed, keys, _MAX_SEALED_SIZE)
    end = data.find(END + b"\n", 0, _HEAD)
    if end < 0:
        raise HomeCopyText.misfit()
    head, rest = data[: end + len(END) + 1], data[end + len(END) + 1 :].lstrip(b"\n")
    said = read_text(HomeCopyText, verify_text(head, Namespace.BOX, keys[0].public))
    if said.key != keys[0].public.fingerprint:
        raise HomeCopyText.misfit()
    if said.box != box:
        raise OrderFileFault(f"this copy of a home was made for another box, {said.box}")
    if hashlib.sha256(rest).hexdigest() != said.zip_sha256:
        raise OrderFileFault("the copy of a home is not the one that was signed", reason="tampered")
    return said, rest
