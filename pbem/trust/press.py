"""Press: the messages of players to each other, outside the ledger, and the judge's texts about them.

Message: signed by its writer and sealed to the judge's own key (ssh-ed25519), with whom alone it counts:

    pbem1 press
    game hearth                         or a league: league.spring-2027
    genesis <head 1>                    another game may be called so too
    writer alice                        the seat, as genesis names it
    as white                            white: readers see who wrote; grey: they do not
    to bob side/north                   or `all`, or `gm`; sorted, each once
    number 4                            counts the writer's messages of this kind to these very readers
    made 2026-07-20T18:00:00Z
    about <base64>                      only in a report to gm: the paper that it is about
    subject <plain line>                may be left out
    ---
    (the text: plain lines, at most 16,384 bytes)

The number counts for one writer, kind and set of readers, so that it tells a reader nothing of what the
writer has written to others.

Closed: the one entry of a ledger that has to do with press. Programs that do not know it pass it over:

    press 3 closed                      while this exchange is the last that was opened
    at <UTC>
    reason <plain line>

Receipt: the judge's countersignature. Of a grey message its readers get one that does not name the writer,
and has no number and no hash of what the writer signed: with these anybody could try out who it was.

    pbem1 press-receipt
    game hearth
    writer alice                        - in what readers of a grey message get; gm for the judge's own words
    as white
    to bob side/north
    number 4                            0 without a writer
    message <sha256>                    of the bytes that the writer signed; - without a writer
    text <sha256>                       of subject, line end and text
    at <UTC>                            the judge's word

Letter: what a reader, or the writer as `reader`, gets from the judge, padded to the size of any letter:

    pbem1 press-letter
    game hearth
    reader bob
    receipt <base64>                    the signed receipt
    message <base64>                    the signed message, if it is white or its reader has written it; else
    subject <plain line>                may be left out
    text <base64>                       nothing of these three for the writer of a report: they have it

Terms: what a game's or league's press is, by club.toml:

    pbem1 press-terms
    game hearth
    press white                         none, public, white or grey: each allows what those before it do
    made <UTC>

Paper: what a reader shows to others: receipt and message or text, as in a letter, and nothing above them but
`pbem1 press-paper`. It needs no signature of its own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pbem.characters import is_plain, is_plain_line
from pbem.trust.entries import Entry, Other
from pbem.trust.faults import TrustFault
from pbem.trust.identifiers import Namespace, check_player_name, check_token, is_hash, is_number, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.letters import PRESS, PRESS_TERMS
from pbem.trust.sealing import LETTER_SIZE
from pbem.trust.signature import BEGIN, parse, sign_text, split, verify, verify_text
from pbem.trust.times import parse_utc, utc_text

LETTER, TERMS = PRESS, PRESS_TERMS
MESSAGE, RECEIPT, PAPER = "press", "press-receipt", "press-paper"
ALL, GM, NOBODY = "all", "gm", "-"
"""The words for all readers, for the judge and for an unnamed writer, in place of a player's name."""
SIDE = "side/"
"""The prefix to the name of a side, which no player's name can begin with."""
NONE, PUBLIC, WHITE, GREY = "none", "public", "white", "grey"
KINDS = (NONE, PUBLIC, WHITE, GREY)
"""The kinds of press that a game may have; each kind allows what those before it allow."""
OPEN_END = (
    "What is private stays so after the end: nobody publishes it for you. But whoever got a message can \
show it to anybody, with proof that you wrote it."
)
"""The warning that a player reads before they write their first message."""

MAX_TEXT_SIZE = 16_384
MAX_SUBJECT_LENGTH = 200
MAX_READERS = 32
MAX_SEALED_SIZE = LETTER_SIZE + 1_024
"""Maximum size in bytes of a sealed message."""
MAX_SIGNED_SIZE = LETTER_SIZE
PRESS_UNIT = LETTER_SIZE
"""Size in bytes to which messages, and letters about them, are filled up: that of any letter."""
_HEAD = ("game", "genesis", "writer", "as", "to", "number", "made")
_SPLIT = b"---\n"


class PressFault(TrustFault):
    """The fault of a message, or of a text of the judge's about one, that breaks its format."""

    usual_reason = "bad-press"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message between players, as its writer signs it."""

    game: str
    genesis: str
    writer: str
    kind: str = WHITE
    to: tuple[str, ...]
    number: int
    made: datetime
    about: bytes = b""
    subject: str = ""
    text: str

    @property
    def body(self) -> bytes:
        """The bytes of the message that are signed."""
        lines = [
            f"pbem1 {MESSAGE}",
            f"game {self.game}",
            f"genesis {self.genesis}",
            f"writer {self.writer}",
            f"as {self.kind}",
            f"to {' '.join(self.to)}",
            f"number {self.number}",
            f"made {utc_text(self.made)}",
            *([f"about {encode_line(self.about)}"] if self.about else []),
            *([f"subject {self.subject}"] if self.subject else []),
            "---",
        ]
        return "".join(f"{line}\n" for line in lines).encode() + self.text.encode()

    @property
    def sha256(self) -> str:
        """The hash of the signed bytes, by which receipts name the message."""
        return hashlib.sha256(self.body).hexdigest()


def content_hash(subject: str, text: str) -> str:
    """Return the hash by which a receipt names the subject and text of a message."""
    return hashlib.sha256(f"{subject}\n{text}".encode()).hexdigest()


def check_text(subject: str, text: str) -> None:
    """Raise PressFault unless the subject and text of a message may be sent and shown as they are."""
    if len(subject) > MAX_SUBJECT_LENGTH or not is_plain_line(subject):
        raise PressFault(f"the subject must be one plain line of at most {MAX_SUBJECT_LENGTH} characters")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise PressFault("the text holds something that is not a character") from None
    if size > MAX_TEXT_SIZE:
        raise PressFault(
            f"the text has {size:,} bytes; {MAX_TEXT_SIZE:,} are taken at most", reason="too-large"
        )
    *lines, last = text.split("\n")
    if last or not any(line.strip(" ") for line in lines):
        raise PressFault("the text is empty, or its last line does not end")
    for place, line in enumerate(lines, 1):
        if not is_plain(line):
            raise PressFault(
                f"line {place} of the text holds a character that nobody sees, or that moves a terminal or "
                "turns the direction of the text"
            )
        if line.startswith(BEGIN.decode()):
            raise PressFault(f"line {place} of the text begins as a signature does; put a blank before it")


def check_readers(to: Sequence[str]) -> tuple[str, ...]:
    """Return the readers of a message, which must be valid names, sorted, and each there only once."""
    if not 1 <= len(to) <= MAX_READERS or list(to) != sorted(set(to)):
        raise PressFault(f"readers are named once each, in order, and at most {MAX_READERS} of them")
    if ALL in to and len(to) > 1:
        raise PressFault("who writes to all names nobody besides")
    for one in to:
        if one in (ALL, GM):
            continue
        if one.startswith(SIDE):
            check_token(one.removeprefix(SIDE), "side")
        else:
            check_player_name(one)
    return tuple(to)


def sign_message(message: Message, key: PrivateKey) -> bytes:
    """Return the message as signed text, without padding."""
    _check_message(message)
    return sign_text(key, Namespace.PRESS, message.body)


def read_message(data: bytes) -> tuple[Message, bytes, bytes]:
    """Return the message in a signed text, with body and armor, by which its signature is verified later."""
    if len(data) > MAX_SIGNED_SIZE:
        raise PressFault("the file is too long for a message", reason="too-large")
    signed = split(data)
    head, mark, text = signed.body.partition(_SPLIT)
    rows = read_rows(head, MESSAGE)
    words = [word for word, _ in rows]
    wanted = [*_HEAD, *(word for word in ("about", "subject") if word in words)]
    if not mark or words != wanted:
        raise PressFault("the message is not written as its format demands")
    fields = dict(rows)
    try:
        said = text.decode()
    except UnicodeDecodeError:
        raise PressFault("the text is not written in UTF-8") from None
    message = Message(
        game=check_token(fields["game"], "game name"),
        genesis=fields["genesis"],
        writer=check_player_name(fields["writer"]),
        kind=fields["as"],
        to=tuple(fields["to"].split(" ")),
        number=read_number(fields["number"]),
        made=parse_utc(fields["made"]),
        about=decode_line(fields["about"]) if "about" in fields else b"",
        subject=fields.get("subject", ""),
        text=said,
    )
    _check_message(message)
    if message.body != signed.body:
        raise PressFault("the message is not written as its format demands")
    return message, signed.body, signed.armor


def verify_message(body: bytes, armor: bytes, key: PublicKey) -> None:
    """Raise SignatureFault unless the given key has signed the message."""
    verify(armor, body, Namespace.PRESS, key)


# The entry


def closing_entry(exchange: int, at: datetime, reason: str) -> Other:
    """Return the entry that closes a game's press."""
    return Other(first=f"press {exchange} closed", extra=(f"at {utc_text(at)}", f"reason {reason}"))


def reason_closed(entries: Iterable[Entry]) -> str:
    """Return the reason why the press of a game was closed, from its entries; "" if it was not."""
    for entry in entries:
        if isinstance(entry, Other) and entry.word == MESSAGE and entry.first.endswith(" closed"):
            said = (line.partition(" ")[2] for line in entry.extra if line.startswith("reason "))
            return next(said, "") or "no reason is given"
    return ""


# Inside


def _check_message(message: Message) -> None:
    check_token(message.game, "game name")
    check_player_name(message.writer)
    if message.kind not in (WHITE, GREY):
        raise PressFault(f"{quote(message.kind)} is not a kind of message; write {WHITE} or {GREY}")
    if not is_hash(message.genesis):
        raise PressFault("the message does not name the first head of its game")
    if message.number < 1:
        raise PressFault("messages are numbered from 1")
    check_readers(message.to)
    if message.writer in message.to:
        raise PressFault("nobody writes to themselves")
    if message.about and message.to != (GM,):
        raise PressFault("only a report to the director encloses a message")
    if message.kind == GREY and GM in message.to:
        raise PressFault("the director always sees who writes: write to them as yourself")
    check_text(message.subject, message.text)


def read_rows(data: bytes, kind: str) -> list[tuple[str, str]]:
    """Return the word and the rest of each line of a text, below the first line `pbem1 <kind>`."""
    try:
        first, *lines = data.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise PressFault("the file is not written in UTF-8") from None
    if first != f"pbem1 {kind}" or not all(map(is_plain_line, lines)):
        raise PressFault(f"this is not a pbem1 {kind} of plain lines")
    found = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]
    if len({word for word, _ in found}) != len(found):
        raise PressFault("a line stands there twice")
    return found


def read_number(text: str) -> int:
    """Return the number that a field of a text about press holds."""
    if not is_number(text):
        raise PressFault(f"{quote(text)} is not a number")
    return int(text)


def encode_line(data: bytes) -> str:
    """Return bytes as a field of one line holds them: in base64."""
    return base64.b64encode(data).decode()


def decode_line(text: str) -> bytes:
    """Return the bytes that a field of one line holds in base64; an empty field is a fault."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise PressFault("what should be base64 is not") from None
    if not data or encode_line(data) != text:
        raise PressFault("what should be base64 is not written in its one way")
    return data


_MAX_TERMS_SIZE = 2_048


@dataclass(frozen=True, slots=True, kw_only=True)
class PressReceipt:
    """The judge's signed statement that a message came, and when."""

    game: str
    writer: str
    kind: str
    to: tuple[str, ...]
    number: int = 0
    message: str = NOBODY
    content: str
    at: datetime

    @property
    def body(self) -> bytes:
        """The bytes of the receipt that are signed."""
        return (
            f"pbem1 {RECEIPT}\ngame {self.game}\nwriter {self.writer}\nas {self.kind}\n"
            f"to {' '.join(self.to)}\n"
            f"number {self.number}\nmessage {self.message}\ntext {self.content}\nat {utc_text(self.at)}\n"
        ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PressPaper:
    """A receipt with the message or text that it is for, as a reader shows it to others."""

    receipt: bytes
    message: bytes = b""
    subject: str = ""
    text: str = ""

    @property
    def lines(self) -> list[str]:
        """The lines of the receipt, and of its message or text, as letters and papers hold them."""
        found = [f"receipt {encode_line(self.receipt)}"]
        if self.message:
            return [*found, f"message {encode_line(self.message)}"]
        if not self.text:
            return found
        return [
            *found,
            *([f"subject {self.subject}"] if self.subject else []),
            f"text {encode_line(self.text.encode())}",
        ]

    @property
    def data(self) -> bytes:
        """The bytes of the file in which a reader shows a message, with its receipt, to others."""
        return "".join(f"{line}\n" for line in (f"pbem1 {PAPER}", *self.lines)).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PressLetter:
    """The letter about a message that the judge sends to one reader."""

    game: str
    reader: str
    paper: PressPaper

    @property
    def body(self) -> bytes:
        """The bytes of the letter that are signed."""
        lines = (f"pbem1 {LETTER}", f"game {self.game}", f"reader {self.reader}", *self.paper.lines)
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PressTerms:
    """The judge's signed statement of the kind of press that a game has."""

    game: str
    kind: str
    made: datetime

    @property
    def body(self) -> bytes:
        """The bytes of the terms that are signed."""
        return (f"pbem1 {TERMS}\ngame {self.game}\npress {self.kind}\nmade {utc_text(self.made)}\n").encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PressShown:
    """The facts that a paper, a message with its receipt, shows once its signatures are verified."""

    receipt: PressReceipt
    subject: str
    text: str
    message: Message | None
    """The message that the writer signed; None if the paper does not have it."""
    signer: PublicKey | None
    """The key of the writer's valid signature, whose owner genesis names; None without a signature."""


def sign_receipt(receipt: PressReceipt, judge: PrivateKey) -> bytes:
    """Return the receipt of a message as signed text."""
    _check_receipt(receipt)
    return sign_text(judge, Namespace.PRESS, receipt.body)


def read_receipt(data: bytes, judge: PublicKey) -> PressReceipt:
    """Return the receipt in a signed text. Raise SignatureFault unless the judge's key has signed it."""
    body = verify_text(data, Namespace.PRESS, judge)
    rows = read_rows(body, RECEIPT)
    if [word for word, _ in rows] != ["game", "writer", "as", "to", "number", "message", "text", "at"]:
        raise PressFault("the receipt is not written as its format demands")
    fields = dict(rows)
    receipt = PressReceipt(
        game=check_token(fields["game"], "game name"),
        writer=fields["writer"],
        kind=fields["as"],
        to=tuple(fields["to"].split(" ")),
        number=read_number(fields["number"]),
        message=fields["message"],
        content=fields["text"],
        at=parse_utc(fields["at"]),
    )
    _check_receipt(receipt)
    if receipt.body != body:
        raise PressFault("the receipt is not written as its format demands")
    return receipt


def sign_letter(letter: PressLetter, judge: PrivateKey) -> bytes:
    """Return a letter about a message as signed text, without padding."""
    return sign_text(judge, Namespace.PRESS, letter.body)


def read_letter(data: bytes, judge: PublicKey) -> PressLetter:
    """Return a letter that the judge's key has signed; the receipt and message in it are not checked yet."""
    _check_size(data)
    rows = read_rows(verify_text(data, Namespace.PRESS, judge), LETTER)
    if [word for word, _ in rows[:2]] != ["game", "reader"]:
        raise PressFault("the letter is not written as its format demands")
    letter = PressLetter(
        game=check_token(rows[0][1], "game name"),
        reader=check_player_name(rows[1][1]),
        paper=_read_paper(rows[2:]),
    )
    if letter.body != split(data).body:
        raise PressFault("the letter is not written as its format demands")
    return letter


def sign_terms(terms: PressTerms, judge: PrivateKey) -> bytes:
    """Return the terms of a game's press as signed text."""
    check_token(terms.game, "game name")
    return sign_text(judge, Namespace.PRESS, terms.body)


def read_terms(data: bytes, judge: PublicKey) -> PressTerms:
    """Return the terms of a game's press that the judge's key has signed."""
    body = verify_text(data, Namespace.PRESS, judge)
    rows = read_rows(body, TERMS)
    if len(body) > _MAX_TERMS_SIZE or [word for word, _ in rows] != ["game", "press", "made"]:
        raise PressFault("the terms are not written as their format demands")
    fields = dict(rows)
    kind = fields["press"]
    terms = PressTerms(
        game=check_token(fields["game"], "game name"), kind=kind, made=parse_utc(fields["made"])
    )
    if kind not in KINDS or terms.body != body:
        raise PressFault("the terms are not written as their format demands")
    return terms


def read_paper(data: bytes) -> PressPaper:
    """Return the paper (a receipt with its message) in a file; no signature is verified yet."""
    _check_size(data)
    paper = _read_paper(read_rows(data, PAPER))
    if paper.data != data:
        raise PressFault("the paper is not written as its format demands")
    return paper


def show_paper(paper: PressPaper, judge: PublicKey) -> PressShown:
    """Return the facts that a paper, a message with its receipt, shows, after verifying its signatures.

    Raises:
        TrustFault: a signature is not valid, or does not fit the other one.
    """
    receipt = read_receipt(paper.receipt, judge)
    if not paper.message and not paper.text:
        if receipt.message == NOBODY:
            raise PressFault("the receipt stands without what it is for")
        return PressShown(receipt=receipt, subject="", text="", message=None, signer=None)
    if not paper.message:
        check_text(paper.subject, paper.text)
        if receipt.content != content_hash(paper.subject, paper.text):
            raise PressFault("the receipt is for another text")
        return PressShown(receipt=receipt, subject=paper.subject, text=paper.text, message=None, signer=None)
    message, body, armor = read_message(paper.message)
    signer = parse(armor).key
    verify_message(body, armor, signer)
    named = (message.game, message.writer, message.kind, message.to, message.number, message.sha256)
    if (receipt.game, receipt.writer, receipt.kind, receipt.to, receipt.number, receipt.message) != named:
        raise PressFault("the receipt is for another message")
    if receipt.content != content_hash(message.subject, message.text):
        raise PressFault("the receipt is for another text")
    return PressShown(
        receipt=receipt, subject=message.subject, text=message.text, message=message, signer=signer
    )


def _check_receipt(receipt: PressReceipt) -> None:
    if receipt.writer not in (NOBODY, GM):
        check_player_name(receipt.writer)
    check_readers(receipt.to)
    is_named = receipt.writer not in (NOBODY, GM)
    if receipt.kind not in (WHITE, GREY) or not is_hash(receipt.content):
        raise PressFault("the receipt is not written as its format demands")
    if is_named != is_hash(receipt.message) or is_named != (receipt.number > 0):
        raise PressFault("a receipt names number and hash of a message exactly if it names its writer")
    if not is_named and receipt.message != NOBODY:
        raise PressFault("the receipt is not written as its format demands")
    if receipt.writer == (GM if receipt.kind == GREY else NOBODY):
        raise PressFault("only of a grey message the writer is not named")


def _read_paper(rows: Sequence[tuple[str, str]]) -> PressPaper:
    words, fields = [word for word, _ in rows], dict(rows)
    if words == ["receipt"]:
        return PressPaper(receipt=decode_line(fields["receipt"]))
    if words == ["receipt", "message"]:
        return PressPaper(receipt=decode_line(fields["receipt"]), message=decode_line(fields["message"]))
    if words not in (["receipt", "text"], ["receipt", "subject", "text"]):
        raise PressFault("receipt and message do not stand as their format demands")
    try:
        text = decode_line(fields["text"]).decode()
    except UnicodeDecodeError:
        raise PressFault("the text is not written in UTF-8") from None
    return PressPaper(receipt=decode_line(fields["receipt"]), subject=fields.get("subject", ""), text=text)


def _check_size(data: bytes) -> None:
    if len(data) > MAX_SIGNED_SIZE:
        raise PressFault("the file is too long to be about a message", reason="too-large")
