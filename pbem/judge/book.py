"""One game's ledger in the judge's hands: read and checked as a whole, appended to entry by entry."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from pbem.errors import LedgerError
from pbem.judge.addresses import NO_POST, Post
from pbem.judge.rows import CheckpointRow, EntryRow
from pbem.judge.store import Store
from pbem.play.history import History
from pbem.trust import ledger
from pbem.trust.chains import Roots
from pbem.trust.entries import Entry, Genesis
from pbem.trust.entry_parser import parse_entry
from pbem.trust.keys import PrivateKey

AWAITED = "awaited"
"""The note of the receipts of a game whose orders are not here."""
NEWER = "newer"
"""The note of who has signed that a game's ledger is longer than here."""
MISTAKEN = "mistaken"
"""The note of who has signed so before the game master entered that it is not."""
RESTORED = "restored"
"""The note that says since when a club has been restored from a backup."""


@dataclass(slots=True)
class Book:
    """A checked ledger. Everything appended goes to the store at once, in the caller's transaction."""

    store: Store = field(repr=False)
    game: str
    roots: Roots = field(repr=False)
    history: History
    rows: list[EntryRow] = field(repr=False)
    entries: list[Entry] = field(repr=False)
    post: Post = NO_POST
    """How the game goes by mail."""

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.rows)

    @property
    def head(self) -> str:
        """The head after the last entry."""
        return self.rows[-1].head

    def head_at(self, size: int) -> str | None:
        """The head after so many entries, or None where the ledger does not reach."""
        if size == 0:
            return ledger.EMPTY_HEAD
        return self.rows[size - 1].head if size <= len(self.rows) else None

    def append(self, entry: Entry) -> None:
        """Add an entry."""
        self.history.add(entry)
        self._keep(entry)

    def _check_restored(self) -> None:
        """12.18: after a restore nothing is signed before the highest head ever sent has been entered."""
        restored = self.store.note(RESTORED)
        if restored and self.store.note(f"confirmed {self.game}") != restored:
            raise LedgerError(
                f"{self.game} was restored from a backup: enter the highest head that was sent: pbem confirm"
            )

    def _keep(self, entry: Entry) -> None:
        self._check_restored()
        number = len(self.rows) + 1
        salt = ledger.salt(self.roots.salt, self.game, number)
        leaf = ledger.leaf(salt, entry.text)
        head = ledger.head(self.game, number, self.head_at(number - 1) or "", leaf)
        row = EntryRow(number, entry.text, salt, leaf, head)
        self.store.add_entry(self.game, row)
        self.rows.append(row)
        self.entries.append(entry)

    def sign(self, judge: PrivateKey) -> CheckpointRow:
        """The judge's signature under the head as it is now."""
        self._check_restored()
        checkpoint = ledger.Checkpoint(game=self.game, size=self.size, head=self.head)
        row = CheckpointRow(self.size, self.head, ledger.sign_statement(checkpoint, judge))
        self.store.add_checkpoint(self.game, row)
        return row


def await_receipts(store: Store, game: str, receipts: Iterable[tuple[str, str]]) -> None:
    """After a restore: players and names of receipts that were sent for orders that are not here."""
    store.put_note(f"{AWAITED} {game}", json.dumps(sorted(receipts)))


def note_newer(store: Store, game: str, player: str, size: int) -> None:
    """A player has signed that they saw a longer ledger than ours: another folder may go on with the game.

    Whoever was wrong about it once is not asked again, or one player could stop the game for ever.
    """
    if player not in store.note(f"{MISTAKEN} {game}").split():
        store.put_note(f"{NEWER} {game}", f"{player} {size}")


def forget_newer(store: Store, game: str) -> None:
    """The game master has entered the last head: whoever signed that there is a longer ledger was wrong."""
    player = store.note(f"{NEWER} {game}").partition(" ")[0]
    mistaken = {*store.note(f"{MISTAKEN} {game}").split(), player}
    store.put_note(f"{MISTAKEN} {game}", " ".join(sorted(mistaken)).strip())
    store.put_note(f"{NEWER} {game}", "")


def check_newest(book: Book) -> None:
    """No exchange ends while somebody may know a newer head than ours.

    Raises:
        LedgerError: a player has signed that there is one; the message says who.
    """
    player, _, size = book.store.note(f"{NEWER} {book.game}").partition(" ")
    if player:
        raise LedgerError(
            f"{player} has signed that the ledger had {size} entries, and here it has {book.size}: if the "
            "club goes on in another folder, put this one away; if not, enter the last head that was "
            f"sent: pbem confirm {book.game} SIZE HEAD"
        )


def check_receipts(store: Store, game: str) -> None:
    """No exchange ends while orders that were receipted are not here.

    Raises:
        LedgerError: some are not; the message says whose.
    """
    for player, name in json.loads(store.note(f"{AWAITED} {game}") or "[]"):
        if not any(letter.name == name for letter in store.letters_to(game, player)):
            raise LedgerError(
                f"{name} was sent to {player} for orders that are not here: they are taken when their mail "
                f"lies in the mailbox again; ask {player} to send the same file once more"
            )


def begin_book(store: Store, roots: Roots, genesis: Genesis) -> Book:
    """A new ledger with its first entry."""
    store.add_game(genesis.game)
    book = Book(store, genesis.game, roots, History(genesis), [], [])
    book._keep(genesis)
    return book


def checked_rows(store: Store, game: str, roots: Roots) -> list[EntryRow]:
    """A stored ledger's rows, each checked against its leaf, its head and the heads that were signed.

    Raises:
        LedgerError: a row is not as it was written; the message names it.
    """
    rows = store.entries(game)
    if not rows:
        raise LedgerError(f"the ledger of {game} is empty")
    signed = {row.size: row.head for row in store.checkpoints(game)}
    head = ledger.EMPTY_HEAD
    for number, row in enumerate(rows, 1):
        if row.number != number:
            raise LedgerError(f"entry {number} of {game} is missing from the database")
        salt = ledger.salt(roots.salt, game, number)
        if row.salt != salt or row.leaf != ledger.leaf(salt, row.text):
            raise LedgerError(f"entry {number} of {game} was changed after it was written")
        head = ledger.head(game, number, head, row.leaf)
        if row.head != head:
            raise LedgerError(f"the head at entry {number} of {game} was changed after it was written")
        if signed.pop(number, head) != head:
            raise LedgerError(f"an entry of {game} up to {number} was changed after its head was signed")
    if signed:
        raise LedgerError(
            f"the ledger of {game} ends at entry {len(rows)}, yet a head of {max(signed)} entries was signed"
        )
    return rows


def load_book(store: Store, game: str, roots: Roots) -> Book:
    """A stored ledger, every row checked, read as a history.

    Raises:
        LedgerError: a row is not as it was written; the message names it.
    """
    rows = checked_rows(store, game, roots)
    entries = [parse_entry(row.text) for row in rows]
    genesis = entries[0]
    if not isinstance(genesis, Genesis) or genesis.game != game:
        raise LedgerError(f"the ledger of {game} does not begin with its genesis")
    history = History(genesis)
    for entry in entries[1:]:
        history.add(entry)
    return Book(store, game, roots, history, rows, entries)
