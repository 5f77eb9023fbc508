"""The letters that the judge sends players: reports and notices, copies, forecasts, receipts.

Report: signed by the judge in the namespace pbem1-report; between the lines `---` and `pbem1 ledger` the
report exactly as its ledger entry hashes it, then the ledger as far as this player has not got it:

    pbem1 report
    game hearth
    exchange 3                          the exchange it reports; 0 is the invitation
    player alice
    audience north
    judge judge@club.example            where orders go, if the club plays by mail
    address alice@example.org           where this player's letters go
    copies bob@example.org ...          opponents whom they may send a copy of their orders
    ---
    (the report's own lines)
    pbem1 ledger
    leaf 14 <64 hex>                    every new entry
    entry 14 <salt> <base64>            its text, if this player may open it
    proof <base64>                      the rotation file of each new key of the judge's among these entries
    checkpoint 20 <head> <base64>       the judge's signature under that checkpoint, of the last leaf

Notice: as a report, but its first line is `pbem1 notice`, and no ledger entry hashes it. It brings the
ledger when there is nothing to report: an exchange was closed and reveals are due, a deadline was moved.
`exchange` is the one it is about.

A league's notice whose new entries would be long names them instead. They stand beside it, in texts that
are the same for all who have got as far: nobody has signed these, for the letter says their hashes. They are
sealed like the letter:

    beside <sha256>                     of each text, in place of all leaves and entries

    pbem1 entries
    game league.spring-2027
    leaf 14 <64 hex>                    as in a letter
    entry 14 <salt> <base64>

Copy: sealed orders that the judge passes on, signed like a report: so they had them (protocol 7):

    pbem1 copy
    game hearth
    exchange 3
    player alice                        whose orders they are
    to bob
    ---
    (the armor of the file)

Forecast: what orders will do, as far as their writer can see, signed like a report. It binds nobody:

    pbem1 forecast
    game hearth
    exchange 3
    player alice                        whose orders they are
    sealed <sha256>                     the file
    ---
    (the forecast's own lines)

Receipt: the receipt of `ledger.Receipt` and its signature, as one signed text.

All are sealed to the player's key, padded (sealing.py). The words of a receipt travel apart
from it. Their last line is `salt <64 hex>`, so that the hash by which the receipt names them tells nobody
what they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbem.characters import split_lines
from pbem.trust.faults import LedgerFault, OrderFileFault
from pbem.trust.identifiers import (
    Namespace,
    check_address,
    check_game_id,
    check_player_name,
    check_token,
    is_hash,
    is_number,
    quote,
)
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.ledger import Checkpoint, verify_checkpoint
from pbem.trust.sealing import LETTER_SIZE, cut_text
from pbem.trust.signature import sign_text, verify_text

MAX_SIZE_WITHIN = LETTER_SIZE // 2
"""Maximum size in bytes of new entries in a league's letter itself; longer ones stand beside the letter."""
MAX_SIZE_BESIDE = 1_048_576
"""Maximum size in bytes of a text beside a letter; a text that would be longer goes on in another one."""
_SALT = "salt "
LEDGER_LINE = "pbem1 ledger"
BESIDE = "beside"
REPORT = "report"
NOTICE = "notice"
ENTRIES = "entries"
COPY = "copy"
FORECAST = "forecast"
BOX = "box"
PRESS, PRESS_TERMS = "press-letter", "press-terms"
"""The kinds of letters that the judge sends about press."""
UNSIGNED = "Nobody has signed this letter; it proves nothing, and is not kept."
"""The last line of a letter in plain words alone, by which a player's program tells it from a torn letter."""
_HEAD = ("game", "exchange", "player", "audience")


def with_salt(words: str, salt: str, size: int) -> str:
    """Return a receipt's words as hashed and sealed: at most `size` bytes, with the salt in the last line."""
    line = f"{_SALT}{salt}\n"
    return f"{cut_text(words, size - len(line))}{line}"


def without_salt(text: str) -> str:
    """Return the words of a receipt as people read them, without the line of the salt."""
    words, _, last = text.rstrip("\n").rpartition("\n")
    return f"{words}\n" if last.startswith(_SALT) and is_hash(last.removeprefix(_SALT)) else text


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """A ledger entry that the reader of a letter may open: its salt and text."""

    salt: str
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The mail addresses in a letter: the judge's, the player's, and those of opponents who take copies."""

    judge: str = ""
    """The judge's mail address; "" if the club does not play by mail, and then the others are empty too."""
    own: str = ""
    copies: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """The lines of the addresses, as they stand in a letter's head."""
        rows = (("judge", self.judge), ("address", self.own), ("copies", " ".join(self.copies)))
        return [f"{word} {value}" for word, value in rows if value]


def parse_addresses(words: Mapping[str, str]) -> Addresses:
    """Return the addresses in the words of a letter's head."""
    found = Addresses(
        judge=words.get("judge", ""),
        own=words.get("address", ""),
        copies=tuple(words["copies"].split(" ")) if "copies" in words else (),
    )
    for address in (*found.copies, *filter(None, (found.judge, found.own))):
        check_address(address)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLetter:
    """One report or notice, and the part of the ledger that goes with it."""

    game: str
    exchange: int
    player: str
    audience: str
    report: str
    leaves: tuple[tuple[int, str], ...]
    opened: tuple[tuple[int, OpenEntry], ...]
    checkpoint: Checkpoint
    signature: bytes
    kind: str = REPORT
    proofs: tuple[bytes, ...] = ()
    """The rotation files of the judge's new keys among the entries."""
    addresses: Addresses = Addresses()
    beside: tuple[str, ...] = ()
    """The SHA-256 of each text beside the letter that holds leaves and entries for which it had no room."""

    @property
    def text(self) -> bytes:
        """The bytes of the letter that are signed."""
        lines = [
            f"pbem1 {self.kind}",
            f"game {self.game}",
            f"exchange {self.exchange}",
            f"player {self.player}",
        ]
        lines += [f"audience {self.audience}", *self.addresses.lines, "---"]
        body = "\n".join([*lines, ""]) + self.report
        if not self.report.endswith("\n") or f"\n{LEDGER_LINE}\n" in body:
            raise LedgerFault("a report must end with a line's end and not hold the line 'pbem1 ledger'")
        ledger = [LEDGER_LINE]
        ledger += [f"{BESIDE} {sha256}" for sha256 in self.beside]
        ledger += [line for row in self.rows for line in row]
        ledger += [f"proof {_encode(proof)}" for proof in self.proofs]
        ledger.append(f"checkpoint {self.checkpoint.size} {self.checkpoint.head} {_encode(self.signature)}")
        return (body + "\n".join([*ledger, ""])).encode()

    @property
    def rows(self) -> Iterator[list[str]]:
        """The lines of the letter about leaves: one for each leaf, and one for its entry if that is open."""
        opened = dict(self.opened)
        for number, leaf in self.leaves:
            entry = opened.get(number)
            yield [f"leaf {number} {leaf}"] + (
                [f"entry {number} {entry.salt} {_encode(entry.text)}"] if entry else []
            )

    @property
    def entries(self) -> tuple[bytes, ...]:
        """The leaves and entries of the letter, as the texts that stand beside it."""
        texts: list[list[str]] = []
        room = 0
        for row in self.rows:
            room -= (size := sum(len(line) + 1 for line in row))
            if room < 0:
                texts.append([self._head])
                room = MAX_SIZE_BESIDE - size
            texts[-1] += row
        return tuple("\n".join([*text, ""]).encode() for text in texts)

    @property
    def _head(self) -> str:
        return f"pbem1 {ENTRIES}\ngame {self.game}"

    def with_entries(self, texts: Sequence[bytes]) -> ReportLetter:
        """Return the letter with the leaves and entries of the texts beside it, in the order of `beside`.

        Raises:
            LedgerFault: the texts are not those of the letter, or not written as their format demands.
        """
        if tuple(hashlib.sha256(text).hexdigest() for text in texts) != self.beside:
            raise LedgerFault("these are not the entries that the letter names")
        rows, lines, head = _Rows(), list[str](), f"{self._head}\n"
        for text in texts:
            written = text.decode("ascii", errors="replace")
            if not written.startswith(head) or not written.endswith("\n"):
                raise LedgerFault("the entries beside the letter are not written as their format demands")
            lines += written.removeprefix(head).removesuffix("\n").split("\n")
        for line in lines:
            rows.take(line)
        whole = replace(self, leaves=tuple(rows.leaves), opened=tuple(rows.opened), beside=())
        if [line for row in whole.rows for line in row] != lines:
            raise LedgerFault("the entries beside the letter are not written as their format demands")
        return whole


class _Rows:
    """A reader of a letter's part about the ledger, which collects leaves and entries line by line."""

    def __init__(self) -> None:
        self.leaves: list[tuple[int, str]] = []
        self.opened: list[tuple[int, OpenEntry]] = []

    def take(self, row: str) -> None:
        """Read a line. Raise LedgerFault if it is neither a leaf nor the entry of the last leaf."""
        kind, _, fields = row.partition(" ")
        number, first, *more = [*fields.split(" "), "", ""][:3]
        is_row = is_number(number) and is_hash(first)
        if is_row and kind == "leaf" and not more[0]:
            self.leaves.append((int(number), first))
        elif is_row and kind == "entry" and self.leaves and self.leaves[-1][0] == int(number):
            self.opened.append((int(number), OpenEntry(first, _decode(more[0]))))
        else:
            raise LedgerFault(f"{quote(row)} cannot stand in the ledger part of a report")


def sign_report(letter: ReportLetter, judge: PrivateKey) -> bytes:
    """Return a report letter as signed text."""
    return sign_text(judge, Namespace.REPORT, letter.text)


def read_report(data: bytes, judge: PublicKey) -> ReportLetter:
    """Return the checked content of a report letter, both of whose signatures must be the judge's.

    That the leaves go on from what the reader has, and that the entries fit them, is for them to check.
    """
    return parse_report(verify_text(data, Namespace.REPORT, judge), judge)


def parse_report(body: bytes, judge: PublicKey) -> ReportLetter:
    """Return the report letter in the bytes that were signed."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise LedgerFault("the report is not utf-8 text") from None
    head, _, rest = text.partition("\n---\n")
    report, mark, ledger = rest.rpartition(f"\n{LEDGER_LINE}\n")
    if not mark:  # nor is there any without a line ---
        raise LedgerFault("the report is not written as its format demands")
    letter_kind = NOTICE if head.startswith(f"pbem1 {NOTICE}\n") else REPORT
    words = head_words(f"{head}\n".encode(), letter_kind, (*_HEAD, "judge", "address", "copies"))
    if not set(_HEAD) <= words.keys() or not is_number(words["exchange"]):
        raise LedgerFault("the head of the report is not written as its format demands")
    rows, beside = _Rows(), list[str]()
    proofs: list[bytes] = []
    signed: tuple[Checkpoint, bytes] | None = None
    game = check_game_id(words["game"])
    for row in split_lines(ledger):
        kind, _, fields = row.partition(" ")
        if kind == "proof" and not signed:
            proofs.append(_decode(fields))
            continue
        number, first, *more = [*fields.split(" "), "", ""][:3]
        if signed:
            raise LedgerFault(f"{quote(row)} cannot stand in the ledger part of a report")
        if kind == BESIDE and is_hash(fields):
            beside.append(fields)
        elif kind == "checkpoint" and is_number(number) and is_hash(first):
            signed = Checkpoint(game=game, size=int(number), head=first), _decode(more[0])
        else:
            rows.take(row)
    if signed is None:
        raise LedgerFault("the report comes without a checkpoint")
    verify_checkpoint(signed[0].text, signed[1], judge)
    letter = ReportLetter(
        game=game,
        exchange=int(words["exchange"]),
        player=check_player_name(words["player"]),
        audience=check_token(words["audience"], "audience"),
        report=f"{report}\n",
        leaves=tuple(rows.leaves),
        opened=tuple(rows.opened),
        beside=tuple(beside),
        checkpoint=signed[0],
        signature=signed[1],
        kind=letter_kind,
        proofs=tuple(proofs),
        addresses=parse_addresses(words),
    )
    if letter.text != body:
        raise LedgerFault("the report is not written as its format demands")
    return letter


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersCopy:
    """Sealed orders that the judge passes on to another player."""

    game: str
    exchange: int
    player: str
    """The name of the player whose sealed orders the copy holds."""
    to: str
    armor: str

    @property
    def text(self) -> bytes:
        """The bytes of the copy that are signed."""
        lines = [f"pbem1 {COPY}", f"game {self.game}", f"exchange {self.exchange}"]
        return "\n".join([*lines, f"player {self.player}", f"to {self.to}", "---", self.armor]).encode()


def sign_copy(relayed: OrdersCopy, judge: PrivateKey) -> bytes:
    """Return a copy of sealed orders that the judge passes on, as signed text."""
    return sign_text(judge, Namespace.REPORT, relayed.text)


def read_copy(data: bytes, judge: PublicKey) -> OrdersCopy:
    """Return the copy of sealed orders that the judge passes on.

    The judge's signature is verified; the sealed file in the copy is not looked at.
    """
    words, armor = _split_head(data, judge, COPY, "to")
    return OrdersCopy(
        game=check_game_id(words["game"]),
        exchange=int(words["exchange"]),
        player=check_player_name(words["player"]),
        to=check_player_name(words["to"]),
        armor=armor,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastLetter:
    """The judge's letter that says what one file of orders will do, as far as its writer can see."""

    game: str
    exchange: int
    player: str
    sealed: str
    """The hash of the file of orders, as its receipt names it."""
    forecast: str

    @property
    def text(self) -> bytes:
        """The bytes of the forecast that are signed."""
        lines = [f"pbem1 {FORECAST}", f"game {self.game}", f"exchange {self.exchange}"]
        lines += [f"player {self.player}", f"sealed {self.sealed}", "---", self.forecast]
        return "\n".join(lines).encode()


def sign_forecast(foretold: ForecastLetter, judge: PrivateKey) -> bytes:
    """Return a forecast as signed text."""
    return sign_text(judge, Namespace.REPORT, foretold.text)


def read_forecast(data: bytes, judge: PublicKey) -> ForecastLetter:
    """Return the judge's forecast, after verifying the judge's signature."""
    words, forecast = _split_head(data, judge, FORECAST, "sealed")
    if not is_hash(words["sealed"]):
        raise LedgerFault(f"{quote(words['sealed'])} names no sealed file")
    return ForecastLetter(
        game=check_game_id(words["game"]),
        exchange=int(words["exchange"]),
        player=check_player_name(words["player"]),
        sealed=words["sealed"],
        forecast=forecast,
    )


def _split_head(data: bytes, judge: PublicKey, kind: str, last: str) -> tuple[dict[str, str], str]:
    """Check the judge's signature of a letter without a ledger; return the fields of its head, and the rest.

    The fields are game, exchange, player, and the one called `last`; a line `---` ends the head.
    """
    body = verify_text(data, Namespace.REPORT, judge)
    head, _, rest = body.decode(errors="replace").partition("\n---\n")
    words = head_words(f"{head}\n".encode(), kind, ("game", "exchange", "player", last))
    if len(words) != 4 or not is_number(words["exchange"]):
        raise LedgerFault(f"the judge's {kind} is not written as its format demands")
    return words, rest


def head_words(body: bytes, kind: str, known: tuple[str, ...]) -> dict[str, str]:
    """Return the fields of a signed text or a letter's head, whose first line is `pbem1 <kind>`.

    Each other line is a word, a space and a value: the result maps words to values. `known`: the words that
    may stand, each once.
    """
    try:
        first, *lines = body.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise OrderFileFault("the file is not utf-8 text") from None
    if first != f"pbem1 {kind}":
        raise OrderFileFault(f"the file begins with {quote(first)}, not with 'pbem1 {kind}'")
    words: dict[str, str] = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word not in known or word in words:
            raise OrderFileFault(f"the head of the file has no place for {quote(line)}")
        words[word] = rest
    return words


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise LedgerFault(f"{quote(text)} is not base64") from None
