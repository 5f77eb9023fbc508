"""The letter in which the judge says which post box a game or league uses, signed in pbem1-report.

    pbem1 box
    game hearth                         or a league: league.spring-2027
    url https://box.club.example/       or -: no box any more
    push BKd0...                        the key by which the club wakes devices, or -: it wakes none
    made 2026-11-28T03:00:00Z           of two letters the later counts

It comes sealed, as a notice does. A program that knows no box cannot tell what it is, says so, and goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from pbem.errors import PbemError
from pbem.trust.box_request import check_box_url
from pbem.trust.entry_fields import TIME, Line, Value
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import BOX
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import sign_text, verify_text
from pbem.trust.text_fields import GAME, FieldText, read_text

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
