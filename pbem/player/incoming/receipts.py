"""Intake of receipts, their explanations in plain words, and the forecasts that follow them.

A receipt is the judge's word that a sealed file of this player arrived. It is numbered, so a gap shows
that one is missing, and two of one number, or two of one revision, convict the judge. Its words travel
sealed apart from it; they are known by the hash that it names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import islice

from pbem.player.faults import Contradiction, Damaged, NotOurs
from pbem.player.incoming.letters_in import Arrival, check_known_judge
from pbem.player.incoming.mail_parts import RECEIPT, WORDS
from pbem.player.store.chronicle import Proven
from pbem.player.store.evidence import check_receipts, receipt_evidence
from pbem.player.store.game_papers import SignedReceipt
from pbem.player.store.game_store import Folder, GameFolder
from pbem.player.store.known_files import files_in_words, known_files
from pbem.trust import signature
from pbem.trust.ledger import Receipt, verify_receipt
from pbem.trust.letters import FORECAST, read_forecast, without_salt

MAX_MISSING_RECEIPTS = 32
"""Maximum number of missing receipts that are named; a player may send as many files in two exchanges."""
_MAX_ENDINGS = 4
"""Maximum number of line ends that a text may end in before padding adds more."""


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
