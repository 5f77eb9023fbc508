"""The signed texts about post boxes: requests, the letter that names a box, and the copy of a home in it.

A request is a text in one header, in the namespace pbem1-box:

    pbem1 box-request
    key SHA256:...                      of the key that signs: a reader's, or a fetch key
    box https://box.club.example/       whom it is meant for: no other box takes it
    time 2026-11-28T03:00:00Z           by the clock of who asks; five minutes either way are taken
    do fetch                            post, fetch, acknowledge, put-copy or get-copy
    body <sha256>                       of the bytes that the request carries

The header `Pbem-Request` is the base64 of this text and its signature, in one line. The key stands in the
signature; `key` says it again, so that a text without its signature shows whose it is. What a request may
do twice is harmless: the same post is the same file, an acknowledgement never goes back, a copy names the
one that it takes the place of. So nothing is kept about requests that were seen.

The address of a box ends in a slash. It is `https`, but for a box on the reader's own machine.

The letter in which the judge says which box a game or league uses is signed in pbem1-report, and comes
sealed, as a notice does. A program that knows no box cannot tell what it is, says so, and goes on.

    pbem1 box
    game hearth                         or a league: league.spring-2027
    url https://box.club.example/       or -: no box any more
    push BKd0...                        the key by which the club wakes devices, or -: it wakes none
    made 2026-11-28T03:00:00Z           of two letters the later counts

The copy of a player's home that a box keeps is signed by the player, padded, and sealed:

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

import base64
import binascii
import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from pbem.errors import PbemError
from pbem.trust.faults import LedgerFault, OrderFileFault, SealFault
from pbem.trust.fields import COUNT, DIGEST, GAME, SIGNER, TEXT, TIME, FieldText, Line, Value, read_text
from pbem.trust.identifiers import Namespace, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import BOX
from pbem.trust.primitives import age
from pbem.trust.sealing import LETTER_SIZE, open_sealed, recipient_of, seal
from pbem.trust.signature import END, SignedText, parse, sign_text, split, verify, verify_text
from pbem.trust.times import utc_text

HEADER = "Pbem-Request"
"""Name of the header that holds a signed request."""
MAX_HEADER_SIZE = 2_048
"""Maximum length in characters of the header that holds a signed request."""
MAX_URL_LENGTH = 200
WINDOW = timedelta(minutes=5)
"""Maximum difference between the clock of the sender of a request and that of the box."""
CLOCK = "clock"
"""The reason that a fault gives for a request whose time is outside the window."""

_HOST = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_IS_URL = re.compile(
    rf"(?:https://{_HOST}|http://(?:127\.0\.0\.1|localhost|\[::1\]))(?::[1-9][0-9]{{0,4}})?/(?:[a-z0-9_-]+/)*"
).fullmatch


class Deed(StrEnum):
    """The actions that a request can ask of a post box."""

    POST = "post"
    FETCH = "fetch"
    ACKNOWLEDGE = "acknowledge"
    PUT_COPY = "put-copy"
    GET_COPY = "get-copy"


def check_box_url(text: str) -> str:
    """Return `text` itself if it can be the address of a box."""
    if len(text) > MAX_URL_LENGTH or _IS_URL(text) is None:
        raise OrderFileFault(
            f"{quote(text)} is not the address of a post box; one is written https://box.club.example/, in "
            "small letters and with a slash at its end"
        )
    return text


BOX_URL = Value(check_box_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxRequest(FieldText):
    """One request to a post box, as the owner of its key signed it."""

    form: ClassVar[str] = "pbem1 box-request"
    called: ClassVar[str] = "the request"

    key: Annotated[str, Line("key", SIGNER)]
    """Fingerprint of the key that signs the request."""
    box: Annotated[str, Line("box", BOX_URL)]
    """Address of the box that the request is meant for."""
    time: Annotated[datetime, Line("time", TIME)]
    deed: Annotated[Deed, Line("do", Value(Deed))]
    body: Annotated[str, Line("body", DIGEST)]
    """SHA-256 of the body that the request carries."""


def sign_request(request: BoxRequest, key: PrivateKey) -> str:
    """Return the value of the header that holds a request and its signature."""
    check_box_url(request.box)
    return base64.b64encode(sign_text(key, Namespace.BOX, request.text)).decode()


def make_request(deed: Deed, box: str, body: bytes, now: datetime, key: PrivateKey) -> str:
    """Return the header of a post box request that is made and signed now and carries the given body."""
    request = BoxRequest(
        key=key.public.fingerprint,
        box=box,
        time=now.replace(microsecond=0),
        deed=deed,
        body=hashlib.sha256(body).hexdigest(),
    )
    return sign_request(request, key)


def read_request(header: str) -> tuple[BoxRequest, SignedText]:
    """Return the request in a header, and its signed text; nothing is verified yet."""
    if len(header) > MAX_HEADER_SIZE:
        raise OrderFileFault(f"the header {HEADER} is too long", reason="too-large")
    try:
        data = base64.b64decode(header.encode("ascii", errors="replace"), validate=True)
    except (binascii.Error, ValueError):
        raise OrderFileFault(f"the header {HEADER} is not base64") from None
    signed = split(data)
    return read_text(BoxRequest, signed.body), signed


def verify_request(header: str, deed: Deed, box: str, body_sha256: str, now: datetime) -> PublicKey:
    """Return the key that signed a request, which must ask this action of this box, with this body.

    Who owns the key is not looked up. `deed`, `box` and `body_sha256` say what the request must hold.

    Raises:
        TrustFault: the header is not such a request. Its reason is `clock` if the time alone is wrong.
    """
    request, signed = read_request(header)
    key = parse(signed.armor).key
    if key.fingerprint != request.key:
        raise OrderFileFault("the request names another key than the one that signed it", reason="wrong-key")
    verify(signed.armor, signed.body, Namespace.BOX, key)
    if request.box != box:
        raise OrderFileFault(f"the request is meant for another box, {request.box}")
    if request.deed is not deed:
        raise OrderFileFault(f"the request was signed to {request.deed}, not to {deed}")
    if request.body != body_sha256:
        raise OrderFileFault("the request was signed for another body than it carries")
    if abs(request.time - now) > WINDOW:
        raise OrderFileFault(
            f"the request is of {utc_text(request.time)}, and the box's clock says {utc_text(now)}",
            reason=CLOCK,
        )
    return key


NO_BOX = "-"
is_push_key = re.compile(r"B[A-Za-z0-9_-]{86}").fullmatch
"""Function that matches a text if it is written as the public key of a sender of push messages (RFC 8292)."""


def _push_key(text: str) -> str:
    if text != NO_BOX and not is_push_key(text):
        raise ValueError(text)
    return "" if text == NO_BOX else text


URL = Value(lambda text: "" if text == NO_BOX else check_box_url(text), lambda url: url or NO_BOX)
PUSH_KEY = Value(_push_key, lambda push: push or NO_BOX)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxLetter(FieldText):
    """The judge's letter that names the post box of a game from a moment on."""

    form: ClassVar[str] = f"pbem1 {BOX}"
    called: ClassVar[str] = "the judge's letter about a box"
    fault: ClassVar[type[PbemError]] = LedgerFault

    game: Annotated[str, Line("game", GAME)]
    url: Annotated[str, Line("url", URL)]
    """The address of the box; "" if the game no longer has one."""
    push: Annotated[str, Line("push", PUSH_KEY)] = ""
    """The public key with which the club signs the push messages that wake players' devices; "" if it sends
    none."""
    made: Annotated[datetime, Line("made", TIME)]


def sign_box_letter(letter: BoxLetter, judge: PrivateKey) -> bytes:
    """Return the letter about a game's post box as signed text."""
    if letter.url:
        check_box_url(letter.url)
    return sign_text(judge, Namespace.REPORT, letter.text)


def read_box_letter(data: bytes, judge: PublicKey) -> BoxLetter:
    """Return the judge's letter about a game's post box, after verifying the judge's signature."""
    return read_text(BoxLetter, verify_text(data, Namespace.REPORT, judge))


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
    return age.identity_of(os.urandom(32))


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
