"""The order file: written as a draft, signed by the player, sealed to the judge.

Sealed file (age) > signed text, padded to a multiple of 8,192 bytes > header, "---", body:

    pbem1 orders
    game hearth
    exchange 3
    player alice
    side north
    rev 1
    seal age1...                       the recipient it was sealed to
    seen 15 <head>                     the ledger that the player has verified; optional
    reveal alice.1 3 <64 hex>          their chain's step for this exchange; optional
    ---
    move all to harbour

We write the header in this order. From others any order is taken, but every word once at most, one
blank between fields, and no word but these. Lines end in LF or CR LF. The body is UTF-8 text, kept exactly as
signed; with its padding the signed text has at most 32,768 bytes. What the body's lines mean is not decided
here, and no line of it can make the file invalid. The signature (namespace pbem1-orders) covers every byte
above its armor.

The reveal after the close, in games where orders carry none, is signed in the same namespace:

    pbem1 reveal
    game hearth
    exchange 3
    player alice
    seen 19 <close head>
    reveal alice.1 3 <64 hex>

A draft is what a person writes, before the player's program signs and seals it:

    pbem1 orders
    game hearth
    exchange 3
    side north
    ---
    move ford hill

The program adds `player`, `rev`, `seal`, `seen` and `reveal`; if a draft has them, they count for nothing.
A draft may come back out of a mail: quoted, with odd blanks, unseen signs or a smart dash for the
line ---, below any amount of other text. Only the head is read here; the body is handed on as it is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbem.characters import BLANKS, lower, split_lines, strip_blanks
from pbem.trust import sealing, signature
from pbem.trust.chance import Reveal, check_reveal, parse_reveal
from pbem.trust.faults import IdentifierFault, OrderFileFault
from pbem.trust.identifiers import (
    Namespace,
    check_game_id,
    check_player_name,
    check_token,
    is_hash,
    is_number,
    quote,
    split_who,
)
from pbem.trust.keys import PublicKey

MAX_BODY_SIZE = 28_000
"""Maximum size in bytes of the orders that a player writes; they fit into a file with head and signature."""
LATE = "late"
"""The reason for refusing a file whose exchange takes no more orders."""
_MAX_HEADER_SIZE = 4_096
ORDER_WORDS = ("game", "exchange", "player", "side", "rev", "seal", "seen", "reveal")
_REVEAL_WORDS = ("game", "exchange", "player", "seen", "reveal")
_NEEDED = {
    "orders": ("game", "exchange", "player", "side", "rev", "seal"),
    "reveal": ("game", "exchange", "player", "seen", "reveal"),
}
RECENT_EXCHANGES = 3
"""The number of exchanges, the open one included, for which a file that arrives is recognised by its seal key
(protocol 3)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A ledger's size and head, as a player co-signs it."""

    size: int
    head: str

    @property
    def text(self) -> str:
        """The size and head of the ledger as an order file writes them, in the two fields after `seen`."""
        return f"{self.size} {self.head}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFile:
    """The content of an order file, without its signature."""

    game: str
    exchange: int
    player: str
    side: str
    rev: int
    seal: str
    seen: Seen | None = None
    reveal: Reveal | None = None
    body: str = ""

    @property
    def text(self) -> bytes:
        """The bytes of the order file that are signed."""
        lines = ["pbem1 orders", f"game {self.game}", f"exchange {self.exchange}", f"player {self.player}"]
        lines += [f"side {self.side}", f"rev {self.rev}", f"seal {self.seal}"]
        lines += [f"seen {self.seen.text}"] if self.seen else []
        lines += [f"reveal {self.reveal.text}"] if self.reveal else []
        body = self.body if not self.body or self.body.endswith("\n") else f"{self.body}\n"
        return ("\n".join([*lines, "---", ""]) + body).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class LateReveal:
    """A player's reveal after the close of an exchange."""

    game: str
    exchange: int
    player: str
    seen: Seen
    reveal: Reveal

    @property
    def text(self) -> bytes:
        """The bytes of the reveal that are signed."""
        return (
            f"pbem1 reveal\ngame {self.game}\nexchange {self.exchange}\nplayer {self.player}\n"
            f"seen {self.seen.text}\nreveal {self.reveal.text}\n"
        ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedFile:
    """The file that the judge expects of one player in one exchange: its names, key and recipient."""

    game: str
    exchange: int
    player: str
    side: str
    key: PublicKey
    seal: str


# Writing


def check_writable(text: bytes) -> OrderFile:
    """Return the order file in a text about to be signed; raise a fault if it is malformed or too large."""
    orders = parse_orders(text)
    if (size := len(orders.body.encode())) > MAX_BODY_SIZE:
        raise OrderFileFault(
            f"the orders have {size:,} bytes; {MAX_BODY_SIZE:,} are accepted at most", reason="too-large"
        )
    return orders


# Reading


def open_orders(sealed: bytes, key: sealing.SealKey, due: ExpectedFile) -> OrderFile:
    """Return the order file in a binary age file, opened with `key` and verified against what is `due`."""
    return verify_orders(sealing.open_orders_with(sealed, key), due)


def verify_orders(plaintext: bytes, due: ExpectedFile) -> OrderFile:
    """Return the order file in an opened seal; each defect raises a TrustFault with a message of its own.

    `seen` and `reveal` are checked apart, by check_seen and chance.check_reveal, for the ledger decides.
    """
    orders = own_orders(plaintext, due)
    check_side(orders, due)
    return orders


def own_orders(plaintext: bytes, due: ExpectedFile) -> OrderFile:
    """Return the order file in an opened seal, if the file is its player's own (protocol 3).

    That is: signed by the key that is due, for this game, exchange and player.

    Raises:
        TrustFault: the file is not their own. Whoever made it, the ledger says nothing of it.
    """
    signed = signature.split(_whole(plaintext))
    orders = parse_orders(signed.body)
    _check_address(orders, due)
    signature.verify(signed.armor, signed.body, Namespace.ORDERS, due.key)
    return orders


def check_side(orders: OrderFile, due: ExpectedFile) -> None:
    """Raise OrderFileFault unless an order file names its player's side and the recipient it is sealed to."""
    if orders.side != due.side:
        raise OrderFileFault(
            f"the file says side {orders.side}, but {due.player} plays {due.side}", reason="wrong-side"
        )
    if orders.seal != due.seal:
        raise OrderFileFault(
            f"the file was written to be sealed to {orders.seal}, not to {due.seal}", reason="wrong-seal"
        )


def verify_late_reveal(plaintext: bytes, due: ExpectedFile) -> LateReveal:
    """Return the late reveal in an opened seal, after verifying its signature."""
    signed = signature.split(_whole(plaintext))
    late = parse_late_reveal(signed.body)
    _check_address(late, due)
    signature.verify(signed.armor, signed.body, Namespace.ORDERS, due.key)
    return late


def is_late_reveal(plaintext: bytes) -> bool:
    """Tell whether the text in an opened seal is a reveal after the close, rather than orders."""
    return plaintext.startswith(b"pbem1 reveal")


def _whole(plaintext: bytes) -> bytes:
    if len(plaintext) > sealing.MAX_ORDERS_SIZE:
        most = f"{sealing.MAX_ORDERS_SIZE:,} are accepted at most"
        raise OrderFileFault(
            f"the file has {len(plaintext):,} bytes with its padding; {most}", reason="too-large"
        )
    return plaintext


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The facts in the ledger that decide whether a file counts, as they are when the file comes."""

    takes: bool
    """Whether the exchange still takes orders: it is the last one, and neither closed nor void."""
    opened: int
    """The number of the entry that opened the exchange."""
    head_at: Callable[[int], str | None]
    """Function of a number of entries that returns the head after them; None where the ledger is shorter."""
    known: Reveal | None
    """The last proven step of the player's chain in force; None if no chain is in force."""
    after_close: bool
    revisions: frozenset[int]
    """The revisions of the player's orders that were received already for this exchange."""


def check_counts(orders: OrderFile, due: ExpectedFile, standing: Standing) -> None:
    """Raise a fault unless a player's own file counts; its reason is the one that the ledger has to name.

    The reasons are tried in the order of protocol 3.
    """
    if not standing.takes:
        raise OrderFileFault(f"exchange {orders.exchange} takes no more orders", reason=LATE)
    check_side(orders, due)
    if standing.known is not None or orders.seen is not None:
        check_seen(orders.seen, standing.opened, standing.head_at)
    if standing.known is not None and not standing.after_close:
        check_order_reveal(orders, standing.known)
    else:
        check_no_reveal(orders, late=standing.after_close)
    if orders.rev in standing.revisions:
        raise OrderFileFault(
            f"revision {orders.rev} of these orders was received before, with other content",
            reason="rev-taken",
        )


def check_late(
    late: LateReveal, closed: int, head_at: Callable[[int], str | None], known: Reveal | None
) -> None:
    """Raise a fault unless a reveal after the close is valid (protocol 20).

    `closed`: the entry that closed its exchange, 0 if none has. `known`: the last proven step of the chain in
    force; None if none is. `head_at`: as `check_seen` has it.
    """
    if not closed:
        raise OrderFileFault(f"exchange {late.exchange} is not closed", reason="early-reveal")
    check_seen(late.seen, closed, head_at)
    if known is None:
        raise OrderFileFault(
            f"no chain of {late.player} is in force in exchange {late.exchange}", reason="early-reveal"
        )
    check_order_reveal(late, known)


def check_seen(seen: Seen | None, opened: int, head_at: Callable[[int], str | None]) -> None:
    """Raise OrderFileFault unless `seen` names a head of the ledger at or after its entry `opened`.

    `head_at` gives the head after so many entries, or None where the ledger does not reach.
    """
    if seen is None:
        raise OrderFileFault("the file does not say which ledger was seen", reason="no-seen")
    if (head := head_at(seen.size)) is None:
        raise OrderFileFault(
            f"the file has seen {seen.size} entries; the ledger is shorter", reason="bad-seen"
        )
    if head != seen.head:
        raise OrderFileFault(
            f"the file has seen the head {seen.head} at entry {seen.size}, where this ledger has {head}",
            reason="bad-seen",
        )
    if seen.size < opened:
        raise OrderFileFault(
            f"the file has seen {seen.size} entries; the exchange was opened by entry {opened}",
            reason="old-seen",
        )


def check_order_reveal(orders: OrderFile | LateReveal, known: Reveal) -> None:
    """Raise a fault unless a file reveals its exchange's step of the chain that has the step `known`."""
    if orders.reveal is None:
        raise OrderFileFault("the file reveals no step of the player's chain", reason="no-reveal")
    if orders.reveal.step != orders.exchange:
        raise OrderFileFault(
            f"the file reveals step {orders.reveal.step}, in exchange {orders.exchange}; both must be equal",
            reason="wrong-step",
        )
    check_reveal(orders.game, orders.reveal, known)


def check_no_reveal(orders: OrderFile, *, late: bool) -> None:
    """Raise OrderFileFault if orders reveal a step where none is due. `late`: reveals follow the close."""
    if orders.reveal is not None:
        why = "in this game orders carry no reveal: it is sent after the close"
        if not late:
            why = (
                f"the file reveals, and no chain of {orders.player} is in force in exchange {orders.exchange}"
            )
        raise OrderFileFault(why, reason="early-reveal")


def parse_orders(text: bytes) -> OrderFile:
    """Return the order file whose signed bytes are given."""
    header, body = _cut_header(text)
    words = _read_header(header, "orders", ORDER_WORDS)
    return OrderFile(
        game=check_game_id(words["game"]),
        exchange=_number(words, "exchange"),
        player=check_player_name(words["player"]),
        side=check_token(words["side"], "side"),
        rev=_number(words, "rev"),
        seal=sealing.check_recipient(words["seal"]),
        seen=parse_seen(words["seen"]) if "seen" in words else None,
        reveal=_reveal(words) if "reveal" in words else None,
        body=body,
    )


def parse_late_reveal(text: bytes) -> LateReveal:
    """Return the late reveal in the bytes that were signed."""
    if len(text) > _MAX_HEADER_SIZE:
        raise OrderFileFault("the reveal is too long", reason="too-large")
    words = _read_header(_decode(text), "reveal", _REVEAL_WORDS)
    return LateReveal(
        game=check_game_id(words["game"]),
        exchange=_number(words, "exchange"),
        player=check_player_name(words["player"]),
        seen=parse_seen(words["seen"]),
        reveal=_reveal(words),
    )


def parse_seen(fields: str) -> Seen:
    """Return the size and head of a ledger that the fields `<size> <head>` write."""
    size, _, head = fields.partition(" ")
    if not is_number(size) or not is_hash(head):
        raise OrderFileFault(f"{quote(fields, 90)} is not a ledger head; one is a number and 64 hex digits")
    return Seen(int(size), head)


def _check_address(read: OrderFile | LateReveal, due: ExpectedFile) -> None:
    for what, found, wanted in (
        ("game", read.game, due.game),
        ("exchange", str(read.exchange), str(due.exchange)),
        ("player", read.player, due.player),
    ):
        if found != wanted:
            raise OrderFileFault(
                f"the file is for {what} {found}; expected was {what} {wanted}", reason=f"wrong-{what}"
            )


def _cut_header(text: bytes) -> tuple[str, str]:
    match = re.search(rb"^---\r?\n", text[:_MAX_HEADER_SIZE], re.MULTILINE)
    if match is None:
        if not text.strip(b"\0\r\n "):
            raise OrderFileFault("the file is empty", reason="empty")
        raise OrderFileFault("the file has no line --- between its head and the orders")
    return _decode(text[: match.start()]), _decode(text[match.end() :])


def _decode(text: bytes) -> str:
    if b"\0" in text:
        raise OrderFileFault("the file is not text: it holds the byte 0")
    try:
        return text.decode()
    except UnicodeDecodeError as problem:
        line = text.count(b"\n", 0, problem.start) + 1
        raise OrderFileFault(f"the file is not utf-8 text: line {line} holds other bytes") from None


def _read_header(header: str, kind: str, known: tuple[str, ...]) -> dict[str, str]:
    first, *lines = header.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if first != f"pbem1 {kind}":
        raise OrderFileFault(f"the file begins with {quote(first)}, not with 'pbem1 {kind}'")
    words: dict[str, str] = {}
    for number, line in enumerate(lines, 2):
        word, _, rest = line.partition(" ")
        if word not in known:
            raise OrderFileFault(f"line {number}: the head of the file has no place for {quote(line)}")
        if word in words:
            raise OrderFileFault(f"line {number}: {word} stands in the head twice")
        words[word] = rest
    for word in _NEEDED[kind]:
        if word not in words:
            raise OrderFileFault(f"the head of the file has no line {word!r}")
    return words


def _number(words: dict[str, str], word: str) -> int:
    if not is_number(words[word]) or words[word] == "0":
        raise OrderFileFault(f"{word} {quote(words[word])} is not a number from 1 to 999,999,999")
    return int(words[word])


def _reveal(words: dict[str, str]) -> Reveal:
    reveal = parse_reveal(words["reveal"])
    if split_who(reveal.who)[0] != words["player"]:
        raise OrderFileFault(
            f"the file of {words['player']} reveals the chain {reveal.who}", reason="wrong-chain"
        )
    return reveal


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The orders that a person wrote, before they are signed. A field that the head leaves out is None."""

    game: str | None
    exchange: int | None
    side: str | None
    body: str
    body_line: int
    """The number, from 1, of the draft's line on which the body begins, for messages about the body."""


BEGIN_FORM, END_FORM = "begin orders", "end orders"

_FORM = re.compile(rf"^pbem1 orders\n.*?(?:^{END_FORM}$|(?=^HOW TO CHECK$)|\Z)", re.MULTILINE | re.DOTALL)
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_QUOTING = re.compile(r"[\s>|*]+")
_RULE = re.compile(r"[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+")
_NO_ORDER = frozenset(("game", "exchange"))
"""The words of a draft's head with which no game's orders begin."""
MAX_DRAFT_SIZE = 1_048_576
"""Maximum length in bytes, and in characters, of a draft; the orders in it may be far shorter."""


def form_in(report: str) -> str:
    """Return the order form of a report, from its line `pbem1 orders` to its end; "" if there is none."""
    found = _FORM.search(report)
    return f"{found[0].rstrip(BLANKS)}\n" if found else ""


def parse_draft(text: str) -> Draft:
    """Return the game, exchange, side and orders of a draft, wherever in a text it begins.

    The head's lines may be quoted, in any case and with any blanks; other words in it are left to the
    program that signs. A whole report with the form filled in is a draft: what stands above its line
    `pbem1 orders` is passed over, and what stands below the form's last line.

    """
    if len(text) > MAX_DRAFT_SIZE:
        raise OrderFileFault("the file is too long for orders", reason="too-large")
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if _plain(line) == "pbem1 orders"), None)
    if start is None:
        raise OrderFileFault("the file has no line 'pbem1 orders', with which orders begin")
    head: dict[str, str] = {}
    for number, line in enumerate(lines[start + 1 :], start + 1):
        plain = _plain(line)
        if _RULE.fullmatch(plain):
            break
        word, _, rest = plain.partition(" ")
        if plain and word not in ORDER_WORDS:
            raise OrderFileFault(f"line {number + 1}: {quote(plain)} cannot stand above the line ---")
        if plain and head.setdefault(word, rest) != rest:
            raise OrderFileFault(f"line {number + 1}: {word} is given twice, and differs")
    else:
        raise OrderFileFault("the file has no line --- between its head and the orders")
    return _draft(head, "".join(_form(lines[number + 1 :])), number + 2)


def parse_bare(text: str) -> Draft:
    """Return the draft in a text; a text without a head is taken as orders from its first line on."""
    lines = [_plain(line) for line in split_lines(text)]
    if "pbem1 orders" in lines:
        return parse_draft(text)
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line), (0, ""))
    if first.partition(" ")[0] in _NO_ORDER:
        raise OrderFileFault(
            f"line {number}: {quote(first)} is a line of the file's head, which needs 'pbem1 orders' above "
            "it and --- below it"
        )
    return Draft(game=None, exchange=None, side=None, body=text, body_line=1)


def _form(lines: list[str]) -> list[str]:
    """Return the orders below a draft's head: the lines between the marks of a form, or else all lines."""
    first = next((number for number, line in enumerate(lines) if _plain(line)), 0)
    if not lines or _plain(lines[first]) != BEGIN_FORM:
        return lines
    last = next((number for number, line in enumerate(lines) if _plain(line) == END_FORM), len(lines) - 1)
    return lines[: last + 1]


def _draft(head: dict[str, str], body: str, body_line: int) -> Draft:
    exchange = head.get("exchange")
    if exchange is not None and (not is_number(exchange) or exchange == "0"):
        raise OrderFileFault(f"exchange {quote(exchange)} is not a number from 1")
    try:
        return Draft(
            game=check_game_id(head["game"]) if "game" in head else None,
            exchange=int(exchange) if exchange else None,
            side=check_token(head["side"], "side") if "side" in head else None,
            body=body,
            body_line=body_line,
        )
    except IdentifierFault as fault:
        raise OrderFileFault(str(fault)) from None


def _plain(line: str) -> str:
    """Return a line of a draft's head as it was meant: in lower case, with single blanks, and not quoted."""
    return lower(strip_blanks(_QUOTING.sub(" ", _UNSEEN.sub("", line))))
