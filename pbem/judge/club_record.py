"""Reads a game of the club as a record, from which explanations and what-ifs are made."""

from __future__ import annotations

from dataclasses import replace

from pbem.disputes.record import ALL, Record
from pbem.judge.club import Club
from pbem.judge.export import PUBLIC, Bundle
from pbem.judge.intake.reopened_files import counted_files, reveals
from pbem.judge.public_book import public_book
from pbem.trust.chains import DRAW_CHAIN, Reveal
from pbem.trust.entries import AFTER_CLOSE


def read_record(club: Club, game: str, reader: str = ALL) -> Record:
    """Return a game's record with no more in it than `reader` may know."""
    book = public_book(club, game) if reader == PUBLIC else club.book(game)
    secret = club.secret_chain(game)
    sources = [book.history.source(exchange) for exchange in book.history.resolved]
    files, late = {}, {}
    for exchange in sources:
        number = exchange.number
        counted = counted_files(club, book, exchange)
        files.update({(number, player): file for player, file in counted.items()})
        if book.history.genesis.mode == AFTER_CLOSE:
            revealed = reveals(club, book, exchange, counted)
            late.update({(number, player): reveal for player, reveal in revealed.items()})
    record = Record(
        genesis=book.history.corrected,
        history=book.history,
        reader=ALL,
        files=files,
        late=late,
        secrets={
            exchange.number: Reveal(DRAW_CHAIN, exchange.number, secret.reveal(exchange.number))
            for exchange in sources
        },
    )
    if reader == ALL:
        return record
    return replace(record.narrow_to(reader), reports=Bundle(club, book, reader).reports())
