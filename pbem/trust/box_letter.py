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

from pbem.trust.box_request import check_box_url
from pbem.trust.faults import LedgerFault
from pbem.trust.identifiers import check_game_id
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import BOX
from pbem.trust.namespaces import Namespace
from pbem.trust.signature import read_fields, sign_text, verify_text
from pbem.trust.times import parse_utc, utc_text

NO_BOX = "-"
_WORDS = ["game", "url", "push", "made"]
is_push_key = re.compile(r"B[A-Za-z0-9_-]{86}").fullmatch
"""Function that matches a text if it is written as the public key of a sender of push messages (RFC 8292)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxLetter:
    """The judge's letter that names the post box of a game from a moment on."""

    game: str
    url: str
    """The address of the box; "" if the game no longer has one."""
    push: str = ""
    """The public key with which the club signs the push messages that wake players' devices; "" if it sends
    none."""
    made: datetime

    @property
    def text(self) -> bytes:
        """The bytes of the letter that are signed."""
        url, push = self.url or NO_BOX, self.push or NO_BOX
        head = f"pbem1 {BOX}\ngame {self.game}\nurl {url}\npush {push}\n"
        return f"{head}made {utc_text(self.made)}\n".encode()


def sign_box_letter(letter: BoxLetter, judge: PrivateKey) -> bytes:
    """Return the letter about a game's post box as signed text."""
    if letter.url:
        check_box_url(letter.url)
    return sign_text(judge, Namespace.REPORT, letter.text)


def read_box_letter(data: bytes, judge: PublicKey) -> BoxLetter:
    """Return the judge's letter about a game's post box, after verifying the judge's signature."""
    body = verify_text(data, Namespace.REPORT, judge)
    fields = read_fields(body, _WORDS)
    if not fields:
        raise LedgerFault("the judge's letter about a box is not written as its format demands")
    url = "" if fields["url"] == NO_BOX else check_box_url(fields["url"])
    push = "" if fields["push"] == NO_BOX else fields["push"]
    letter = BoxLetter(game=check_game_id(fields["game"]), url=url, push=push, made=parse_utc(fields["made"]))
    if letter.text != body or (push and not is_push_key(push)):
        raise LedgerFault("the judge's letter about a box is not written as its format demands")
    return letter
