r"""The ledger: salted leaves in a hash chain, and the texts that the judge signs about the ledger.

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
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from pbem.characters import is_plain_line
from pbem.trust import signature
from pbem.trust.chains import check_key
from pbem.trust.faults import IdentifierFault, LedgerFault
from pbem.trust.formats import MAX_STATEMENT_SIZE
from pbem.trust.identifiers import check_game_id, check_player_name, is_hash, is_number, quote
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.namespaces import Namespace

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The judge's statement that the ledger of `game` has `size` entries and the head `head`."""

    game: str
    size: int
    head: str

    @property
    def text(self) -> bytes:
        """The bytes of the checkpoint that are signed."""
        return f"pbem1 checkpoint\ngame {self.game}\nsize {self.size}\nhead {self.head}\n".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The judge's statement that a sealed file, which it names by its hash, arrived as a player's orders."""

    game: str
    exchange: int
    player: str
    rev: int
    sealed: str
    number: int
    echo: str

    @property
    def text(self) -> bytes:
        """The bytes of the receipt that are signed."""
        return (
            f"pbem1 receipt\ngame {self.game}\nexchange {self.exchange}\nplayer {self.player}\n"
            f"rev {self.rev}\nsealed {self.sealed}\nnumber {self.number}\necho {self.echo}\n"
        ).encode()

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
class SaidReceipt:
    """The judge's statement that a person's signed text about a league came, and stands in its ledger."""

    game: str
    player: str
    said: str
    """The hash of the text that the person has signed."""
    entry: int
    coming: str
    """The next event in the league and its time, in words, as planned when the judge signed."""

    @property
    def text(self) -> bytes:
        """The bytes of the receipt that are signed."""
        return (
            f"pbem1 said\ngame {self.game}\nplayer {self.player}\nsaid {self.said}\nentry {self.entry}\n"
            f"next {self.coming}\n"
        ).encode()


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
    return _exactly(text, "checkpoint", ("game", "size", "head"), _checkpoint)


def parse_receipt(text: bytes) -> Receipt:
    """Return the receipt in `text`, which must be exactly as its format says."""
    words = ("game", "exchange", "player", "rev", "sealed", "number", "echo")
    return _exactly(text, "receipt", words, _receipt)


def parse_said(text: bytes) -> SaidReceipt:
    """Return the receipt for a league statement in `text`, which must be exactly as its format says."""
    return _exactly(text, "said", ("game", "player", "said", "entry", "next"), _read_receipt)


def _namespace(statement: Checkpoint | Receipt | SaidReceipt) -> Namespace:
    return Namespace.CHECKPOINT if isinstance(statement, Checkpoint) else Namespace.RECEIPT


def _exactly(
    text: bytes, kind: str, words: tuple[str, ...], build: Callable[[dict[str, str]], _Statement]
) -> _Statement:
    """Return the statement that `build` makes of a text's lines, and that must write the same bytes again."""
    lines = text[:MAX_STATEMENT_SIZE].decode("ascii", errors="replace").split("\n")
    parts = [line.partition(" ") for line in lines[1:-1]]
    if lines[0] != f"pbem1 {kind}" or tuple(word for word, _, _ in parts) != words:
        raise LedgerFault(f"this is no {kind}; one has the lines pbem1 {kind}, {', '.join(words)}")
    try:
        statement = build({word: field for word, _, field in parts})
    except IdentifierFault as fault:
        raise LedgerFault(f"the {kind} is damaged: {fault}") from None
    if statement.text != text:
        raise LedgerFault(f"the {kind} is not written as its format demands")
    return statement


def _checkpoint(fields: dict[str, str]) -> Checkpoint:
    return Checkpoint(
        game=check_game_id(fields["game"]), size=_number(fields, "size"), head=_hash(fields, "head")
    )


def _receipt(fields: dict[str, str]) -> Receipt:
    return Receipt(
        game=check_game_id(fields["game"]),
        exchange=_number(fields, "exchange"),
        player=check_player_name(fields["player"]),
        rev=_number(fields, "rev"),
        sealed=_hash(fields, "sealed"),
        number=_number(fields, "number"),
        echo=_hash(fields, "echo"),
    )


def _read_receipt(fields: dict[str, str]) -> SaidReceipt:
    return SaidReceipt(
        game=check_game_id(fields["game"]),
        player=check_player_name(fields["player"]),
        said=_hash(fields, "said"),
        entry=_number(fields, "entry"),
        coming=_line(fields, "next"),
    )


def _number(fields: dict[str, str], word: str) -> int:
    if not is_number(fields[word]):
        raise LedgerFault(f"{word} {quote(fields[word])} is not a number")
    return int(fields[word])


def _line(fields: dict[str, str], word: str) -> str:
    if not is_plain_line(fields[word]):
        raise LedgerFault(f"{word} {quote(fields[word])} has characters that cannot stand in a line of text")
    return fields[word]


def _hash(fields: dict[str, str], word: str) -> str:
    if not is_hash(fields[word]):
        raise LedgerFault(f"{word} {quote(fields[word])} is not 64 hex digits")
    return fields[word]
