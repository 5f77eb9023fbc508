r"""The ledger: salted leaves in a hash chain, the parser of its entries, and what the judge signs about it.

    salt_n      HMAC-SHA256(salt_root, "pbem1 salt <game> <n>"), in hex; n counts entries from 1
    leaf_n      SHA256("pbem1 leaf <salt_n>\n" || the entry's bytes)
    head_n      SHA256("pbem1 head <game> <n> <head_{n-1}> <leaf_n>\n"); head_0 is 64 zeros

Entries are hashed as the bytes they are and never written anew (see entries). Three texts are signed:

    pbem1 checkpoint                   namespace pbem1-checkpoint
    game hearth
    size 6
    head <hex>

    pbem1 receipt                      namespace pbem1-receipt
    game hearth
    exchange 1
    player alice
    rev 1
    sealed <sha256 of the binary age file>
    number 1                           counts the receipts of one player in one game, from 1
    echo <sha256>                      of the orders in plain words, which travel as another sealed part and
                                       end in a salt: HMAC-SHA256(salt_root, "pbem1 echo <game> <sealed>")

    pbem1 said                         namespace pbem1-receipt
    game league.cup
    player ann
    said <sha256 of the text that they have signed>
    entry 17                           the number under which the ledger has it
    next <words>                       what happens next in the league, and when, as it stood then

Every line ends in LF, and nothing follows the last. Two signed checkpoints of one size with different
heads prove to anyone that the judge has shown two histories.

The parser reads an entry by the table of its kind (entries).
The first line must be exactly as its kind demands. A word that may stand once only is refused the second
time; words that are not known go to `extra`. An unknown kind is an `Other`. That the lines stand in the order
in which they are written, the audit sees by writing the entry again.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, TypeVar

from pbem.characters import is_plain_line
from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.act_entries import Act
from pbem.trust.chance import check_key
from pbem.trust.entries import (
    Close,
    Drawn,
    Entry,
    Extend,
    Genesis,
    NewRules,
    Open,
    Other,
    Received,
    Refused,
    Reported,
    Resolve,
    Revealed,
)
from pbem.trust.faults import IdentifierFault, LedgerFault, TrustFault, UnknownFormat
from pbem.trust.fields import (
    GAME,
    PLAYER,
    Body,
    FieldText,
    Line,
    Value,
    check_rest,
    line_table,
    read_lines,
    read_text,
    write_first,
)
from pbem.trust.formats import FORMAT, MAX_STATEMENT_SIZE
from pbem.trust.identifiers import Namespace, is_hash, is_number, is_token, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.rotations import Rotation

_Statement = TypeVar("_Statement", "Checkpoint", "Receipt", "SaidReceipt")

EMPTY_HEAD = "0" * 64


def salt(salt_root: bytes, game: str, number: int) -> str:
    """Return the salt of a ledger's entry, by its number, in hex."""
    check_key(salt_root)
    return hmac.digest(salt_root, f"pbem1 salt {game} {number}".encode("ascii"), "sha256").hex()


def echo_salt(salt_root: bytes, game: str, sealed: str) -> str:
    """Return the salt, in hex, of the words that a sealed file's receipt names by their hash."""
    check_key(salt_root)
    return hmac.digest(salt_root, f"pbem1 echo {game} {sealed}".encode("ascii"), "sha256").hex()


def leaf(salt_hex: str, entry: bytes) -> str:
    """Return the leaf of an entry: the hash of its salt and bytes, which everyone may see."""
    return hashlib.sha256(b"pbem1 leaf %s\n" % salt_hex.encode("ascii") + entry).hexdigest()


def head(game: str, number: int, previous: str, leaf_hex: str) -> str:
    """Return the head of a ledger after entry `number`."""
    return hashlib.sha256(f"pbem1 head {game} {number} {previous} {leaf_hex}\n".encode("ascii")).hexdigest()


def fold(game: str, leaves: Iterable[str], *, size: int = 0, start: str = EMPTY_HEAD) -> list[str]:
    """Return the heads after each of `leaves`, which follow on head `start` of a ledger of `size` entries."""
    heads = []
    for number, leaf_hex in enumerate(leaves, size + 1):
        start = head(game, number, start, leaf_hex)
        heads.append(start)
    return heads


def _counted(word: str) -> Value:
    def read(text: str) -> int:
        if not is_number(text):
            raise LedgerFault(f"{word} {quote(text)} is not a number")
        return int(text)

    return Value(read)


def _hashed(word: str) -> Value:
    def read(text: str) -> str:
        if not is_hash(text):
            raise LedgerFault(f"{word} {quote(text)} is not 64 hex digits")
        return text

    return Value(read, length=64)


def _next(text: str) -> str:
    if not is_plain_line(text):
        raise LedgerFault(f"next {quote(text)} has characters that cannot stand in a line of text")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(FieldText):
    """The judge's statement that the ledger of `game` has `size` entries and the head `head`."""

    form: ClassVar[str] = "pbem1 checkpoint"
    called: ClassVar[str] = "the checkpoint"
    fault: ClassVar[type[PbemError]] = LedgerFault

    game: Annotated[str, Line("game", GAME)]
    size: Annotated[int, Line("size", _counted("size"))]
    head: Annotated[str, Line("head", _hashed("head"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(FieldText):
    """The judge's statement that a sealed file, which it names by its hash, arrived as a player's orders."""

    form: ClassVar[str] = "pbem1 receipt"
    called: ClassVar[str] = "the receipt"
    fault: ClassVar[type[PbemError]] = LedgerFault

    game: Annotated[str, Line("game", GAME)]
    exchange: Annotated[int, Line("exchange", _counted("exchange"))]
    player: Annotated[str, Line("player", PLAYER)]
    rev: Annotated[int, Line("rev", _counted("rev"))]
    sealed: Annotated[str, Line("sealed", _hashed("sealed"))]
    number: Annotated[int, Line("number", _counted("number"))]
    echo: Annotated[str, Line("echo", _hashed("echo"))]

    def contradicts(self, other: "Receipt") -> bool:
        """Tell whether two receipts, if both are signed, prove that the judge gave two accounts of one file.

        A different `echo` alone proves nothing: a newer release may use other words for the same orders.
        """
        here, there = (self.game, self.player), (other.game, other.player)
        same_number = self.number == other.number
        same_revision = (self.exchange, self.rev) == (other.exchange, other.rev)
        same = same_number and same_revision and self.sealed == other.sealed
        return here == there and not same and (same_number or same_revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidReceipt(FieldText):
    """The judge's statement that a person's signed text about a league came, and stands in its ledger."""

    form: ClassVar[str] = "pbem1 said"
    called: ClassVar[str] = "the said"
    fault: ClassVar[type[PbemError]] = LedgerFault

    game: Annotated[str, Line("game", GAME)]
    player: Annotated[str, Line("player", PLAYER)]
    said: Annotated[str, Line("said", _hashed("said"))]
    """The hash of the text that the person has signed."""
    entry: Annotated[int, Line("entry", _counted("entry"))]
    coming: Annotated[str, Line("next", Value(_next))]
    """The next event in the league and its time, in words, as planned when the judge signed."""


def sign_statement(statement: Checkpoint | Receipt | SaidReceipt, key: PrivateKey) -> bytes:
    """Return the judge's armored signature under a checkpoint or receipt."""
    return signature.sign(key, _namespace(statement), statement.text)


def verify_checkpoint(text: bytes, armor: bytes, judge: PublicKey) -> Checkpoint:
    """Return the checkpoint in `text`, if the judge has signed it."""
    checkpoint = parse_checkpoint(text)
    signature.verify(armor, text, Namespace.CHECKPOINT, judge)
    return checkpoint


def verify_receipt(text: bytes, armor: bytes, judge: PublicKey) -> Receipt:
    """Return the receipt in `text`, if the judge has signed it."""
    receipt = parse_receipt(text)
    signature.verify(armor, text, Namespace.RECEIPT, judge)
    return receipt


def verify_said(text: bytes, armor: bytes, judge: PublicKey) -> SaidReceipt:
    """Return the receipt for a statement about a league in `text`, if the judge has signed the receipt."""
    receipt = parse_said(text)
    signature.verify(armor, text, Namespace.RECEIPT, judge)
    return receipt


def parse_checkpoint(text: bytes) -> Checkpoint:
    """Return the checkpoint in `text`, which must be exactly as its format says."""
    return _exactly(Checkpoint, text)


def parse_receipt(text: bytes) -> Receipt:
    """Return the receipt in `text`, which must be exactly as its format says."""
    return _exactly(Receipt, text)


def parse_said(text: bytes) -> SaidReceipt:
    """Return the receipt for a league statement in `text`, which must be exactly as its format says."""
    return _exactly(SaidReceipt, text)


def _namespace(statement: Checkpoint | Receipt | SaidReceipt) -> Namespace:
    return Namespace.CHECKPOINT if isinstance(statement, Checkpoint) else Namespace.RECEIPT


def _exactly(kind: type[_Statement], text: bytes) -> _Statement:
    lines = text[:MAX_STATEMENT_SIZE].decode("ascii", errors="replace").split("\n")
    words = list(line_table(kind))
    called = kind.form.removeprefix("pbem1 ")
    if lines[0] != kind.form or [line.partition(" ")[0] for line in lines[1:-1]] != words:
        raise LedgerFault(f"this is no {called}; one has the lines {kind.form}, {', '.join(words)}")
    try:
        statement = read_text(kind, text)
    except IdentifierFault as fault:
        raise LedgerFault(f"{kind.called} is damaged: {fault}") from None
    if not text.isascii():
        raise kind.misfit()
    return statement


MAX_ENTRY_SIZE = 4_194_304
FIRST = ("genesis", "league")
"""The kinds of entry that a ledger can begin with, which name the format of the ledger."""
KINDS: dict[str, type[Entry]] = {
    entry.kind: entry
    for entry in (
        *(Genesis, Open, Received, Refused, Close, Revealed, Resolve, Extend, Drawn, Reported, NewRules),
        *(Act, Rotation),
    )
}


def parse_entry(data: bytes, kinds: Mapping[str, type[Entry]] = KINDS) -> Entry:
    """Return the entry in `data`; raise LedgerFault if it is not written as its kind demands.

    `kinds`: the classes of entries by their words; by default those of a game's ledger.
    """
    first, *lines = _lines(data)
    kind, *_ = first.partition(" ")
    if not is_token(kind):
        raise LedgerFault(f"{quote(first)} does not begin with the kind of an entry")
    if (found := kinds.get(kind)) is None:
        return Other(first=first, extra=tuple(lines))
    try:
        return _read(found, first, Body(lines))
    except UnknownFormat:
        raise
    except (TrustFault, LedgerFault) as fault:
        raise LedgerFault(f"the {kind} entry is not as it should be: {fault}") from None


@lru_cache(maxsize=4_096)
def parse_game_entry(data: bytes) -> Entry:
    """Return an entry of a game's ledger. Results are cached, as entries never change and are read often.

    Raises:
        LedgerFault: the entry is not written as its kind demands.
    """
    return parse_entry(data)


def _read(found: type[Entry], first: str, body: Body) -> Entry:
    values = found.read_first(first.split(" ")[1:])
    if found.kind in FIRST:
        _check_format(values["game"], body)
    values |= read_lines(found, body)
    check_rest(found, body)
    entry = found(**values, extra=tuple(body.lines))
    entry.check()
    if write_first(entry, entry.form) != first:
        raise LedgerFault("its first line does not fit those below it")
    return entry


def _check_format(game: str, body: Body) -> None:
    """Raise UnknownFormat if the ledger has a format that this release does not read."""
    named = [line.removeprefix("format ") for line in body.lines if line.startswith("format ")]
    if named[:1] != [FORMAT]:
        said = f"has the format {quote(named[0])}" if named else "names no format"
        raise UnknownFormat(f"the ledger of {game} {said}; this release reads format {FORMAT}")


def _lines(data: bytes) -> list[str]:
    if len(data) > MAX_ENTRY_SIZE:
        raise LedgerFault("the entry is too large")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise LedgerFault("the entry is not utf-8 text") from None
    *lines, last = text.split("\n")
    if last or not lines or not all(map(is_plain_line, lines)):
        raise LedgerFault("the entry is not plain lines of text, each ended")
    if not all(lines):
        raise LedgerFault("the entry has an empty line")
    return lines
