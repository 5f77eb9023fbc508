"""The judge's texts about press: receipts, letters and terms; and papers, by which readers show them.

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

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbem.trust.identifiers import check_player_name, check_token, is_hash
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.namespaces import Namespace
from pbem.trust.press import (
    GM,
    GREY,
    KINDS,
    LETTER,
    MAX_SIGNED_SIZE,
    NOBODY,
    PAPER,
    RECEIPT,
    TERMS,
    WHITE,
    Message,
    PressFault,
    check_readers,
    check_text,
    content_hash,
    decode_line,
    encode_line,
    read_message,
    read_number,
    read_rows,
    verify_message,
)
from pbem.trust.signature import parse, sign_text, split, verify_text
from pbem.trust.times import parse_utc, utc_text

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
        """The bytes of the paper as a file."""
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
    """Return a paper from its file; no signature is verified yet."""
    _check_size(data)
    paper = _read_paper(read_rows(data, PAPER))
    if paper.data != data:
        raise PressFault("the paper is not written as its format demands")
    return paper


def show_paper(paper: PressPaper, judge: PublicKey) -> PressShown:
    """Return the facts that a paper shows, after verifying its signatures and that they fit each other.

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
