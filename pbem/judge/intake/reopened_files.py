"""Opens players' stored files again: their orders, and their reveals sent after the close.

It knows entries, keys and seals, and nothing of any game: whoever takes in a file loads no rules.
"""

from __future__ import annotations

from pbem.errors import LedgerError
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.play.exchange import Exchange
from pbem.trust import keys
from pbem.trust.chains import Reveal
from pbem.trust.entries import AFTER_CLOSE, Received
from pbem.trust.orderfile import ExpectedFile, LateReveal, OrderFile, open_orders, verify_late_reveal
from pbem.trust.sealing import open_orders_with


def expected_file(club: Club, book: Book, exchange: int, player: str) -> ExpectedFile:
    """Return the description of the file that a player is expected to send in an exchange."""
    enrolled = next(one for one in book.history.genesis.players if one.name == player)
    recipient = club.seal(book.game, exchange, player).recipient
    return ExpectedFile(
        game=book.game,
        exchange=exchange,
        player=player,
        side=enrolled.side,
        key=key_of(club, book, player, exchange),
        seal=recipient,
    )


def key_of(club: Club, book: Book, player: str, exchange: int) -> keys.PublicKey:
    """Return the key with which a player signs in an exchange: the genesis' key, or a later one."""
    if (line := book.history.seats.key_line(player, exchange)) is not None:
        return keys.parse_public(line)
    enrolled = next(one for one in book.history.genesis.players if one.name == player)
    line = club.store.key_line(player, enrolled.fingerprint)
    if not line:
        raise LedgerError(f"the key of {player} is not the one that {book.game} was opened with")
    return keys.parse_public(line)


def counted_files(club: Club, book: Book, exchange: Exchange) -> dict[str, OrderFile]:
    """Return, by player, the order file that counts in an exchange, opened again."""
    return {player: open_file(club, book, entry) for player, entry in exchange.counted().items()}


def open_file(club: Club, book: Book, entry: Received) -> OrderFile:
    """Open a received order file again."""
    return open_orders(
        club.store.named_file(entry.sealed),
        club.seal(book.game, entry.exchange, entry.player),
        expected_file(club, book, entry.exchange, entry.player),
    )


def reveals(club: Club, book: Book, exchange: Exchange, files: dict[str, OrderFile]) -> dict[str, Reveal]:
    """Return, by player, the reveal: from the order file or, in the mode after-close, from a later file."""
    if book.history.genesis.mode == AFTER_CLOSE:
        late = {entry.player: club.store.named_file(entry.sealed) for entry in exchange.revealed}
        return {name: late_reveal(club, book, exchange, name, data).reveal for name, data in late.items()}
    return {player: file.reveal for player, file in files.items() if file.reveal is not None}


def late_reveal(club: Club, book: Book, exchange: Exchange, player: str, sealed: bytes) -> LateReveal:
    """Open and check a player's reveal that came after the close."""
    plaintext = open_orders_with(sealed, club.seal(book.game, exchange.number, player))
    return verify_late_reveal(plaintext, expected_file(club, book, exchange.number, player))
