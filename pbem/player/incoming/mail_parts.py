"""Parts of a file that a player saved, and the intake of receipts, forecasts, and copies of orders.

The file is a text, a whole mail, several in one, or forwarded ones. Mail programs encode what they save: the
body in base64, a forwarded mail as an attachment, a sealed file as bytes. `readable` undoes that and nothing
else. A text that is no mail, or in which nothing is encoded, stays as it is.

Sealed parts are found wherever they stand in a text, however a mail program has mangled it. An open part is a
signed text from its line `pbem1 report` (or `notice`, `copy`, `forecast`, `receipt`, `said`, `box`) to the
end of its signature; its line ends are restored, and nothing else. What a seal held and is none of these may
be the entries that a league's letter names, or the plain words of a receipt.

A receipt is the judge's word that a sealed file of this player arrived. It is numbered, so a gap shows that
one is missing, and two of one number, or two of one revision, convict the judge. Its words travel sealed
apart from it; they are known by the hash that it names.

What is sealed to the judge is a copy of somebody's orders (protocol 7), kept unopened, for only the judge's
key opens it. What a player has mailed to everybody proves that they sent it, and is kept under `held/sealed`.
What the judge passes on proves that they had it, and is kept with their signature under `held/relayed`. The
audit looks at both.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pbem.characters import lower, strip_blanks
from pbem.player.faults import Contradiction, Damaged, NotOurs
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.store.evidence import check_receipts, receipt_evidence
from pbem.player.store.game_papers import Proven, SignedReceipt
from pbem.player.store.game_store import Folder, GameFolder
from pbem.player.store.known_files import files_in_words, known_files
from pbem.trust import signature
from pbem.trust.armor import MAX_TEXT_SIZE, find_sealed
from pbem.trust.faults import ArmorFault
from pbem.trust.ledger import Receipt, verify_receipt
from pbem.trust.letters import (
    BOX,
    COPY,
    ENTRIES,
    FORECAST,
    NOTICE,
    PRESS,
    PRESS_TERMS,
    REPORT,
    UNSIGNED,
    OrdersCopy,
    read_copy,
    read_forecast,
    without_salt,
)
from pbem.trust.sealing import AGE_MAGIC, is_orders, sealed_name, to_armor
from pbem.trust.signature import END, unify_line_ends

if TYPE_CHECKING:
    from email.message import Message

RECEIPT = "receipt"
SAID = "said"
"""The kind of a receipt for a statement about a league."""
WORDS = "words"
PLAIN = "plain"
"""The kind of letters in plain words that are not signed, and say so."""
ANSWER = "answer"
"""The kind of mails that call themselves an answer of the judge's in plain words, and hold nothing else."""
ORDERS = "orders"
"""The kind of sealed orders that their player sent to everybody."""

_BEGIN = re.compile(rb"^pbem1 (?:report|notice|copy|forecast|receipt|said|box)\n", re.MULTILINE)
_FIRST = re.compile(
    rb"pbem1 (report|notice|copy|forecast|receipt|said|box|entries|press-letter|press-terms)\r?\n"
)
_GAME = re.compile(rb"^game ([a-z0-9._-]{1,64})\r?$", re.MULTILINE)
_PLACE = re.compile(rb"^(?:leaf|number|entry) ([0-9]{1,9})\b", re.MULTILINE)
_HEAD = 1_024
_RANKS = {
    ENTRIES: 0,
    REPORT: 0,
    NOTICE: 0,
    RECEIPT: 1,
    SAID: 1,
    WORDS: 2,
    BOX: 3,
    FORECAST: 3,
    COPY: 3,
    PRESS_TERMS: 3,
    PRESS: 4,
    ORDERS: 3,
    PLAIN: 4,
    ANSWER: 4,
}

_ENCODED = re.compile(
    rb"^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)", re.IGNORECASE | re.MULTILINE
)
_HEADED = re.compile(rb"\A(?:>?From [^\n]*\n)?[!-9;-~]+:[ \t]*[^\n]*\n")
_MBOX = re.compile(rb"^From [^\n]*\n(?=[!-9;-~]+:)", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_ANSWER = re.compile(rb"^message-id:\s*<pbem1\.club\.answer\.", re.IGNORECASE | re.MULTILINE)
"""Pattern of the Message-ID that the judge gives to answers in plain words (`pbem.mail.envelope`)."""
_DEEPEST = 5
"""Maximum depth to which mails inside mails are opened; forwarding a forwarded mail makes three."""
_MAX_PARTS = 200
MAX_MISSING_RECEIPTS = 32
"""Maximum number of missing receipts that are named; a player may send as many files in two exchanges."""
_MAX_ENDINGS = 4
"""Maximum number of line ends that a text may end in before padding adds more."""
_MAX_HEAD_SIZE = 65_536
_ARMOR = re.compile(r"BEGIN AGE ENCRYPTED FILE.*", re.DOTALL)
_END = re.compile(rb"(?<=END AGE ENCRYPTED FILE)")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a mailed file, opened and not verified."""

    kind: str
    game: str
    """The game that the part names; "" if it names none."""
    place: int
    """The number of the part's first ledger entry, or of the receipt, by which letters are put in order."""
    text: bytes

    @property
    def rank(self) -> tuple[int, str, int]:
        """The sort key by which parts are taken in: reports, then receipts, then the words of receipts."""
        return _RANKS[self.kind], self.game, self.place


def read_part(text: bytes) -> Part:
    """Return an opened text as a part, whose kind its own first lines tell."""
    first = _FIRST.match(text)
    if first is None:
        return Part(WORDS, "", 0, text)
    game, place = _GAME.search(text, 0, _HEAD), _PLACE.search(text)
    return Part(first[1].decode(), game[1].decode() if game else "", int(place[1]) if place else 0, text)


def find_plain(data: bytes) -> Iterator[Part]:
    """Yield a part for a letter that calls itself unsigned, without text if other text follows the letter."""
    text, found, rest = data.decode("utf-8", errors="replace").partition(UNSIGNED)
    if found:
        yield Part(PLAIN, "", 0, b"" if strip_blanks(rest) else text.encode())


def find_open(data: bytes) -> Iterator[bytes]:
    """Yield the signed texts that stand unsealed in a file."""
    data = unify_line_ends(data)
    at = 0
    while begin := _BEGIN.search(data, at):
        end = data.find(b"\n" + END, begin.end())
        if end < 0:
            return
        at = end + 1 + len(END)
        yield data[begin.start() : at] + b"\n"


def is_plain_answer(data: bytes) -> bool:
    """Tell whether mails call themselves answers of the judge's in plain words, as anybody can write."""
    return all(_HEADED.match(mail) and _ANSWER.search(_BLANK_LINE.split(mail, 1)[0]) for mail in _mails(data))


def _mails(data: bytes) -> list[bytes]:
    """Return the mails in a file, without the lines that part them."""
    return [mail for mail in _MBOX.split(data) if mail.strip()]


def readable(data: bytes, depth: int = 0) -> bytes:
    """Return a file's text with all encoded parts of its mails decoded; a file without mails is unchanged."""
    encoded = _ENCODED.search(data)
    if depth >= _DEEPEST or len(data) > MAX_TEXT_SIZE or not encoded or not _HEADED.match(data):
        return data
    from email import policy  # for what is a mail alone: most files are none
    from email.parser import BytesParser

    texts: list[bytes] = []
    for mail in _mails(data):
        try:
            message = BytesParser(policy=policy.compat32).parsebytes(mail)
            texts += [_decode_part(part, depth) for part in message.walk() if not part.is_multipart()][
                :_MAX_PARTS
            ]
        except (RecursionError, ValueError, LookupError, binascii.Error):
            texts.append(mail)  # too odd to be read as a mail
    return b"\n".join(texts)


def _decode_part(part: Message, depth: int) -> bytes:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    if content.startswith(AGE_MAGIC):
        return to_armor(content).encode()
    return readable(content, depth + 1)


def take_receipt(folder: Folder, text: bytes) -> Arrival:
    """Take in a receipt that the judge has signed.

    Raises:
        SealError: the receipt is not the judge's, or not for this player.
        Contradiction: the receipt contradicts what the judge signed before, or the file that it names.
    """
    player = folder.player
    judge = check_known_judge(folder, text)
    signed = signature.split(text)
    receipt = verify_receipt(signed.body, signed.armor, judge)
    if receipt.player != player:
        raise NotOurs(f"this receipt is for {receipt.player}; you play {folder.game} as {player}")
    chronicle = folder.chronicle()
    if chronicle is not None and judge.fingerprint not in chronicle.judges_in(receipt.exchange):
        raise NotOurs(f"in exchange {receipt.exchange} {judge.fingerprint} was not the judge's key")
    held = folder.judge_statements.receipts()
    new = SignedReceipt(receipt, signed.armor)
    for kept in held.values():
        if receipt.contradicts(kept.receipt):
            raise receipt_evidence(folder, kept, new)
    if receipt.number not in held:
        folder.judge_statements.keep_receipt(new)
    first, _ = folder.plays_from(chronicle) if chronicle else (1, 0)
    remarks = missing_remarks({*held, receipt.number}, folder, chronicle)
    _check_named(folder, receipt)
    if receipt.exchange >= first:
        named = (
            one for one in known_files(folder, chronicle, receipt.exchange) if one.sealed == receipt.sealed
        )
        remarks += files_in_words(named)
    if chronicle is not None:
        check_receipts(folder, chronicle, {receipt.number: new, **held})
    what = "orders for exchange" if isinstance(folder, GameFolder) else "answer to call"
    return Arrival(
        kind=RECEIPT,
        game=folder.game,
        exchange=receipt.exchange,
        text=f"receipt {receipt.number}: the judge of {folder.game} has your {what} "
        f"{receipt.exchange}, revision {receipt.rev} (sealed file {receipt.sealed})\n",
        new=receipt.number not in held,
        remarks=tuple(remarks),
    )


def take_words(folders: Iterable[Folder], text: bytes) -> Arrival:
    """Take in the plain words of a receipt that is kept.

    Raises:
        NotOurs: no kept receipt names the hash of the words.
    """
    bare = text.rstrip(b"\n")
    forms = {hashlib.sha256(form).hexdigest(): form for form in _endings(bare)}
    for folder in folders:
        try:
            held = folder.judge_statements.receipts()
        except Damaged:
            continue  # its own letters say so
        for number, signed in held.items():
            if (words := forms.get(signed.receipt.echo)) is not None:
                return Arrival(
                    kind=WORDS,
                    game=folder.game,
                    exchange=signed.receipt.exchange,
                    text=without_salt(words.decode("utf-8", errors="replace")),
                    new=folder.keep_echo(number, words),
                )
    raise NotOurs(
        "this sealed text is not a report, and does not belong to a receipt that you have; if it explains "
        "a new receipt, receive that receipt first"
    )


def take_forecast(folder: GameFolder, text: bytes) -> Arrival:
    """Take in the judge's forecast of orders: it follows their receipt, and binds nobody.

    Raises:
        SealError: the forecast is not the judge's, or not for this player.
    """
    member = folder.membership()
    foretold = read_forecast(text, check_known_judge(folder, text))
    if foretold.player != member.player:
        raise NotOurs(f"this forecast is for {foretold.player}; you play {folder.game} as {member.player}")
    exchange = _exchange_of(folder, foretold.sealed)
    remarks: tuple[str, ...] = ()
    if exchange is None:
        remarks = (f"this is about a sealed file ({foretold.sealed}) that nothing here knows as yours",)
    elif exchange != foretold.exchange:
        remarks = (f"it says exchange {foretold.exchange}; its file is for exchange {exchange}",)
    return Arrival(
        kind=FORECAST,
        game=folder.game,
        exchange=foretold.exchange,
        text=foretold.forecast,
        new=bool(remarks) or folder.keep_forecast(foretold.sealed, foretold.forecast),
        remarks=remarks,
    )


def _exchange_of(folder: GameFolder, sealed: str) -> int | None:
    """Return the exchange of a player's sealed file, sent from this home or named by judge or ledger."""
    known = {one.receipt.sealed: one.receipt.exchange for one in folder.judge_statements.receipts().values()}
    if (chronicle := folder.chronicle()) is not None:
        entries = [entry for one in chronicle.exchanges for entry in one.received]
        known |= {entry.sealed: entry.exchange for entry in entries if entry.player == folder.player}
    known |= {file.name: file.exchange for file in folder.sent_files.orders() if file.name is not None}
    return known.get(sealed)


def missing_receipts(numbers: Iterable[int], folder: Folder, chronicle: Proven | None) -> list[int]:
    """Return the first numbers of receipts that are missing among those given before the last kept one.

    There are `MAX_MISSING_RECEIPTS` at most: a judge who skips a billion numbers keeps no reader busy.
    Receipts for files that another key of the seat signed, before this home's key counted, are not missing.
    """
    known = set(numbers)
    _, before = folder.plays_from(chronicle) if chronicle is not None else (1, 0)
    gaps = (number for number in range(before + 1, max(known, default=0)) if number not in known)
    return list(islice(gaps, MAX_MISSING_RECEIPTS))


def missing_remarks(numbers: Iterable[int], folder: Folder, chronicle: Proven | None) -> list[str]:
    """Return advice about missing receipts, in sentences; empty if none is missing."""
    if not (gap := missing_receipts(numbers, folder, chronicle)):
        return []
    which = "receipt" if len(gap) == 1 else "receipts"
    numbered = f"{which} {' and '.join(map(str, gap))}"
    return [f"{numbered} did not come: ask the judge to send again; a number that stays missing is evidence"]


def _check_named(folder: Folder, receipt: Receipt) -> None:
    """Check that a receipt names a file of this home as the file was sent. Raises Contradiction."""
    file = next((one for one in folder.sent_files.orders() if one.name == receipt.sealed), None)
    if file is not None and (file.exchange, file.rev) != (receipt.exchange, receipt.rev):
        raise Contradiction(
            f"receipt {receipt.number} says exchange {receipt.exchange}, revision {receipt.rev}; "
            f"the file that it names was sent for exchange {file.exchange} as revision {file.rev}; "
            f"it is kept as held/receipt-{receipt.number:04}.txt"
        )


def _endings(bare: bytes) -> list[bytes]:
    return [bare + b"\n" * count for count in range(_MAX_ENDINGS + 1)]


def game_of(folders: Iterable[GameFolder], mail: bytes, sealed: bytes) -> GameFolder:
    """Return the game of sealed orders in a mail: that of a ledger or the words, or else the home's only one.

    Raises:
        NotOurs: the mail names no game or several.
    """
    known = {folder.game: folder for folder in folders}
    named = _in_ledgers(known, sealed) or _in_words(known, mail, sealed) or sorted(known)
    if len(named) != 1:
        raise NotOurs(
            "these are sealed orders for a judge, and the mail does not name the game; if they are an "
            "opponent's, keep them with: pbem receive --copy-of GAME"
        )
    return known[named[0]]


def sort_copies(folders: Iterable[GameFolder], game: str, mail: bytes) -> tuple[list[bytes], list[str]]:
    """Return the sealed orders in a mail that are to be kept for a game, and why the other files are not.

    The only file of a mail is of the game that the player names, unless the ledger of another game has it.
    """
    known, found = {folder.game: folder for folder in folders}, find_sealed(mail)
    kept, others = [], []
    for sealed in found:
        name, named = sealed_name(sealed), _in_ledgers(known, sealed)
        if len(found) > 1:
            named = named or _in_words(known, mail, sealed)
        if not is_orders(sealed):
            others.append(f"{name} is a letter to a player and no orders; not kept: pbem receive takes it")
        elif named in ([], [game]):
            kept.append(sealed)
        elif len(named) == 1:
            others.append(
                f"{name} is of {named[0]}, and not kept here; to keep it: pbem receive --copy-of {named[0]}"
            )
        else:
            others.append(
                f"{name} may be of {' or '.join(named)}, which the mail names; not kept: save it by itself"
            )
    return kept, others


def _in_ledgers(known: Mapping[str, GameFolder], sealed: bytes) -> list[str]:
    """Return the games whose ledgers have received a sealed file, which can be one at most."""
    return [game for game, folder in known.items() if sealed_name(sealed) in _received(folder)]


def _received(folder: GameFolder) -> set[str]:
    with suppress(Damaged):  # its own commands say so
        chronicle = folder.chronicle()
        return {entry.sealed for one in (chronicle.exchanges if chronicle else ()) for entry in one.received}
    return set()


def _in_words(known: Mapping[str, GameFolder], mail: bytes, sealed: bytes) -> list[str]:
    """Return the games that a mail names between the sealed file before and this one, or else at its head."""
    for piece in _END.split(mail):
        with suppress(ArmorFault):
            if sealed in find_sealed(piece) and (named := _named(known, piece)):
                return named
    return _named(known, mail)


def _named(known: Mapping[str, GameFolder], text: bytes) -> list[str]:
    words = lower(_ARMOR.sub("", text[:_MAX_HEAD_SIZE].decode("utf-8", errors="replace")))
    return sorted(known.keys() & {word.rstrip(".,") for word in _WORD.findall(words)})


def take_copy(folder: GameFolder, sealed: bytes) -> Arrival:
    """Keep a copy of orders that a player sent to everybody."""
    name = sealed_name(sealed)
    current = folder.chronicle()
    exchange = current.history.exchanges[-1].number if current and current.history.exchanges else 0
    if folder.sent_files.holds(sealed):
        text, new = f"these are your own sealed orders for {folder.game} ({name}); nothing is kept\n", False
    else:
        new = folder.judge_statements.keep_copy(sealed)[1]
        text = (
            f"a copy of an opponent's sealed orders for {folder.game} is kept, unopened, as proof that they "
            f"were sent:\nheld/sealed/{name}.age\n"
        )
    return Arrival(kind=ORDERS, game=folder.game, exchange=exchange, text=text, new=new)


def take_relayed(folder: GameFolder, text: bytes) -> Arrival:
    """Keep orders that the judge passed on, apart from copies that players sent themselves."""
    member = folder.membership()
    relayed = read_copy(text, check_known_judge(folder, text))
    if relayed.to != member.player:
        raise NotOurs(f"this copy is for {relayed.to}; you play {folder.game} as {member.player}")
    sealed, *more = find_sealed(relayed.armor.encode())
    if more or not is_orders(sealed):
        raise NotOurs("the judge's letter should hold one file of sealed orders, and does not")
    name, signed = sealed_name(sealed), signature.split(text)
    return Arrival(
        kind=COPY,
        game=folder.game,
        exchange=relayed.exchange,
        text=f"sealed orders of {relayed.player} for {folder.game}, exchange {relayed.exchange}, passed on "
        f"by the judge, are kept unopened, as proof that the judge had them:\nheld/relayed/{name}.txt\n",
        new=folder.judge_statements.keep_relayed(name, signed.body + signed.armor),
        remarks=_copy_remarks(folder, relayed, name),
    )


def _copy_remarks(folder: GameFolder, relayed: OrdersCopy, name: str) -> tuple[str, ...]:
    """Return remarks on how the judge's word about a passed-on file differs from the kept ledger."""
    if (chronicle := folder.chronicle()) is None:
        return ()
    opponents = [one.name for one in chronicle.genesis.players if one.name != folder.player]
    if relayed.player not in opponents:
        return (f"{relayed.player} is not your opponent in {folder.game}; you play {', '.join(opponents)}",)
    if not 1 <= relayed.exchange <= len(chronicle.exchanges):
        return ()
    exchange = chronicle.exchanges[relayed.exchange - 1]
    received = {(entry.player, entry.sealed) for entry in exchange.received}
    if exchange.closed is None or (relayed.player, name) in received:
        return ()
    remark = (
        f"exchange {relayed.exchange} is closed, and the ledger has not received this file of "
        f"{relayed.player}: the judge has signed that they had it (pbem audit --held)"
    )
    return (remark,)
