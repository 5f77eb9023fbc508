"""Signs receipts of files and forecasts of orders, seals each to its reader, and puts it into the outbox.

What these letters say comes from elsewhere: of orders from echoes, of a league's answers from its desk.
"""

from __future__ import annotations

from pbem.judge.book import Book, LedgerBook, receipt_name
from pbem.judge.letters.letters_out import Reader, hash_text, reader_of, unsealed_letter
from pbem.judge.tables.store import Store
from pbem.trust import keys, signature
from pbem.trust.entries import Received
from pbem.trust.ledger import Receipt, echo_salt
from pbem.trust.letters import FORECAST, ForecastLetter, sign_forecast, with_salt, without_salt
from pbem.trust.namespaces import Namespace
from pbem.trust.padding import RECEIPT_SIZE, cut_text, size_for

_SIGNED = 2_048
"""Maximum size in bytes of the head of a forecast letter and its signature together."""


def send_receipt(
    store: Store,
    book: LedgerBook,
    game: str,
    entry: Received,
    number: int,
    reader: Reader,
    words: str,
    judge: keys.PrivateKey,
) -> None:
    """Put a numbered receipt for a player's file, with its plain words, into the outbox."""
    size = size_for(store.named_file(entry.sealed))
    said = with_salt(words, echo_salt(book.roots.salt, game, entry.sealed), size)
    receipt = Receipt(
        game=game,
        exchange=entry.exchange,
        player=entry.player,
        rev=entry.rev,
        sealed=entry.sealed,
        number=number,
        echo=hash_text(said),
    )
    signed = signature.sign_text(judge, Namespace.RECEIPT, receipt.text)
    data = unsealed_letter(reader.key, (signed, RECEIPT_SIZE), (said.encode(), size))
    store.add_letter(
        game, reader.person, receipt_name(game, number), data, text=without_salt(said), sealed=entry.sealed
    )


def send_forecast(store: Store, book: Book, judge: keys.PrivateKey, entry: Received, forecast: str) -> None:
    """Put the forecast of a received order file into the outbox, sealed to who gets the seat's letters."""
    size = size_for(store.named_file(entry.sealed))
    foretold = ForecastLetter(
        game=book.game,
        exchange=entry.exchange,
        player=entry.player,
        sealed=entry.sealed,
        forecast=cut_text(forecast, size - _SIGNED),
    )
    reader = reader_of(store, book, entry.player)
    name = f"{book.game}-{entry.exchange:04d}-{FORECAST}-{entry.rev}.txt"
    data = unsealed_letter(reader.key, (sign_forecast(foretold, judge), size))
    store.add_letter(book.game, reader.person, name, data, text=foretold.forecast)
