"""A game's ledger, checked as a whole and appended to, and the notes of what keeps it from going on."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from pbem.errors import LedgerError
from pbem.judge.letters.addresses import NO_POST, Post
from pbem.judge.tables.database import CheckpointRow, EntryRow
from pbem.judge.tables.note_tables import CONFIRMED, CONTRADICTED, RESTORED
from pbem.judge.tables.store import Store
from pbem.judge.upkeep.folder_identity import check_folder
from pbem.play.history import History
from pbem.trust import ledger
from pbem.trust.chance import Roots
from pbem.trust.entries import Entry, Genesis, Received, Refused, Reported, Revealed
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import parse_game_entry
from pbem.trust.proof import UniqueItems, prove_next

AWAITED = "awaited"
"""Name of the note that lists receipts whose orders are missing in the database."""
NEWER = "newer"
"""Name of the note that holds the proof that a game went on in another copy of the folder: a head that the
ledger here lacks, and a sentence."""
CLAIMED = "claimed"
"""Name of the note that holds players' claims, since the last pass, that a ledger is longer than in this
club's folder."""


class Unconfirmed(LedgerError):
    """Raised if a ledger was restored and nobody has entered the highest of its heads that was ever sent."""

    def __init__(self, text: str, ledger: str) -> None:
        super().__init__(text)
        self.ledger = ledger


class MissingReceipt(NamedTuple):
    """A receipt that the judge has sent, although the orders that it confirms are missing in the database."""

    player: str
    name: str
    file: str = ""
    """The beginning of the SHA-256 of the receipted file; "" if the receipt's mail does not name it."""

    def is_here(self, receipted: Mapping[tuple[str, str], str]) -> bool:
        """Tell whether the receipt's file is known; `receipted`: (player, receipt) -> hash of the file."""
        file = receipted.get((self.player, self.name))
        return file is not None and (not file or file.startswith(self.file))


def receipt_name(game: str, number: int) -> str:
    """Return the file name of the receipt with this number for a player of a game."""
    return f"{game}-receipt-{number:04d}.txt"


class LedgerBook(ABC):
    """The ledger of a game or a league: entries, each with its salt and head."""

    __slots__ = ()

    roots: Roots
    rows: list[EntryRow]
    entries: list[Entry]
    unique_items: UniqueItems

    @property
    def size(self) -> int:
        """The number of entries in the ledger."""
        return len(self.rows)

    @property
    def head(self) -> str:
        """The head of the ledger after its last entry."""
        return self.rows[-1].head

    def head_at(self, size: int) -> str | None:
        """Return the head of the ledger after `size` entries; None if the ledger is shorter."""
        if size == 0:
            return ledger.EMPTY_HEAD
        return self.rows[size - 1].head if size <= len(self.rows) else None

    def time(self, now: datetime) -> datetime:
        """Return the time for an entry made now: never before the last entry, even if the clock was set back.

        An audit takes entries whose times go back for entries that were put in later.
        """
        dates = (getattr(entry, "at", None) for entry in reversed(self.entries))
        return max(now, next((at for at in dates if at is not None), now))

    def read_unique_items(self, entry: Entry) -> UniqueItems:
        """Return the values in the ledger that may occur once only, brought up to date if `entry` has one.

        The collection is kept, and each update adds the values of entries made since the last one.
        """
        if isinstance(entry, Received | Refused | Revealed | Reported):
            for one in self.entries[self.unique_items.entries_read :]:
                self.unique_items.take(one)
        return self.unique_items

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the ledger."""

    @abstractmethod
    def checkpoints(self) -> Iterable[CheckpointRow]:
        """Return the heads of the ledger that the judge has signed."""

    @abstractmethod
    def append(self, entry: Entry) -> None:
        """Add an entry to the ledger. Raises LedgerFault if it may not come next."""

    def _with_time(self, entry: Entry) -> Entry:
        """Return the entry that comes next in the ledger, dated by `time`."""
        at = getattr(entry, "at", None)
        if at is None or (dated := self.time(at)) == at:
            return entry
        return replace(entry, at=dated)  # type: ignore[call-arg]  # every entry but these has no `at`

    def _add(self, entry: Entry, store: Store, name: str, add: Callable[[str, EntryRow], None]) -> None:
        check_restored(store, name)
        row = next_row(self.roots, name, self.rows, entry)
        add(name, row)
        self.rows.append(row)
        self.entries.append(entry)


def next_row(roots: Roots, name: str, rows: Sequence[EntryRow], entry: Entry) -> EntryRow:
    """Return the row that the database stores for an entry after these rows of a ledger."""
    number, before = len(rows) + 1, rows[-1].head if rows else ledger.EMPTY_HEAD
    salt = ledger.salt(roots.salt, name, number)
    leaf = ledger.leaf(salt, entry.text)
    return EntryRow(number, entry.text, salt, leaf, ledger.head(name, number, before, leaf))


@dataclass(slots=True)
class Book(LedgerBook):
    """A game's checked ledger; each appended entry goes to the store at once, in the caller's transaction."""

    store: Store = field(repr=False)
    game: str
    roots: Roots = field(repr=False)
    history: History
    rows: list[EntryRow] = field(repr=False)
    entries: list[Entry] = field(repr=False)
    post: Post = NO_POST
    """The judge's address for orders of the game, and how copies of orders are sent."""
    unique_items: UniqueItems = field(default_factory=UniqueItems, repr=False)

    @property
    def name(self) -> str:
        """The name of the ledger."""
        return self.game

    def checkpoints(self) -> Iterable[CheckpointRow]:
        """Return the heads of the ledger that the judge has signed."""
        return self.store.checkpoints(self.game)

    def is_at(self, size: int, head: str) -> bool:
        """Tell whether this copy of a game's ledger and history is whole and has the given size and head.

        It is not if entries were undone with their transaction, or one was refused halfway.
        """
        return self.size == self.history.size == size and self.head == head

    def append(self, entry: Entry) -> None:
        """Add an entry to the ledger, dated by `time`.

        Raises:
            LedgerFault: the entry cannot stand there, or is one that players and audit would refuse.
        """
        entry = self._with_time(entry)
        parse_game_entry(entry.text)  # what cannot be read again would stop the game for ever
        prove_next(self.history, self.read_unique_items(entry), entry)
        self.history.add(entry)
        self._keep(entry)
        if self.history.over:
            self.store.drop_derived(self.game)

    def _keep(self, entry: Entry) -> None:
        self._add(entry, self.store, self.game, self.store.add_entry)

    def sign(self, judge: PrivateKey) -> CheckpointRow:
        """Sign the present head of the ledger and return the checkpoint."""
        check_restored(self.store, self.game)
        checkpoint = ledger.Checkpoint(game=self.game, size=self.size, head=self.head)
        row = CheckpointRow(self.size, self.head, ledger.sign_statement(checkpoint, judge))
        self.store.add_checkpoint(self.game, row)
        return row


def check_restored(store: Store, name: str) -> None:
    """Refuse to sign after a restore until the highest head ever sent has been entered (12.18).

    A copy of a club's folder does not sign anything either.

    Raises:
        Elsewhere: this folder is a copy of the club's folder.
        Unconfirmed: the highest head of the ledger called `name` has not been entered.
    """
    check_folder(store)
    restored = store.note(RESTORED)
    if restored and store.note(f"{CONFIRMED}{name}") != restored:
        raise Unconfirmed(
            f"{name} was restored from a backup: enter the highest head that was sent: pbem club confirm",
            name,
        )


def note_begun(store: Store, name: str) -> None:
    """Note that a new ledger begins, so that an earlier restore does not ask for its highest head."""
    if restored := store.note(RESTORED):
        store.put_note(f"{CONFIRMED}{name}", restored)


def await_receipts(store: Store, game: str, receipts: Iterable[MissingReceipt]) -> None:
    """Note, after a restore, receipts that were sent for orders that the database lacks."""
    store.put_note(f"{AWAITED} {game}", json.dumps(sorted(receipts)))


def note_newer(store: Store, game: str, said: str, size: int = 0, head: str = ledger.EMPTY_HEAD) -> None:
    """Note a proof, which no player can make, that the game went on in another copy of the folder.

    `size` and `head`: the head that the judge's key has signed, if that is the proof.
    """
    store.put_note(f"{NEWER} {game}", f"{size} {head} {said}")


def check_newest(store: Store, name: str) -> None:
    """Refuse to end an exchange or call if a game is known to go on in another copy of the folder.

    Raises:
        LedgerError: the game or league goes on elsewhere; the message says how that is known.
    """
    _, _, said = _newer(store, name)
    if said:
        what = "league" if name.startswith("league.") else "game"
        raise LedgerError(
            f"{said}: this {what} was played further in another folder. Put this folder away, and run the "
            f"judge in the other. Only if everything that was ever sent is here, enter the last head that "
            f"was sent: pbem club confirm {name} SIZE HEAD"
        )


def check_signed_head(store: Store, book: LedgerBook) -> None:
    """Refuse a ledger that lacks a head which the judge's key has signed; nobody's word undoes that.

    Raises:
        LedgerError: the ledger lacks such a head.
    """
    size, head, said = _newer(store, book.name)
    if said and book.head_at(size) != head:
        raise LedgerError(
            f"{said}, and this ledger does not have that head: if the game went on in this folder, it "
            f"would have two histories"
        )


def _newer(store: Store, game: str) -> tuple[int, str, str]:
    size, _, rest = store.note(f"{NEWER} {game}").partition(" ")
    head, _, said = rest.partition(" ")
    return int(size or 0), head, said


def forget_newer(store: Store, game: str) -> None:
    """Forget the proof that a game went on elsewhere, since the last head sent was now entered."""
    store.put_note(f"{NEWER} {game}", "")


def note_claim(store: Store, game: str, player: str, size: int) -> None:
    """Note a player's signed claim to have seen a longer ledger than is here; it stops nothing by itself."""
    claims = read_claims(store) | {(game, player): size}
    store.put_note(CLAIMED, json.dumps([[*seat, last] for seat, last in claims.items()]))


def read_claims(store: Store) -> dict[tuple[str, str], int]:
    """Return, by game and player, the length of the ledger that the player has signed as seen."""
    return {(game, player): size for game, player, size in json.loads(store.note(CLAIMED) or "[]")}


def check_receipts(store: Store, game: str) -> None:
    """Refuse to end an exchange while orders for which a player has a receipt are missing in the database.

    Raises:
        LedgerError: orders are missing; the message says whose.
    """
    for one in _missing_receipts(store, game):
        raise LedgerError(
            f"{one.name} was sent to {one.player} for orders that are not here: they are taken when their "
            f"mail is in the mailbox again; ask {one.player} to send the same file once more"
        )


def is_for_another(store: Store, game: str, receipt: MissingReceipt) -> bool:
    """Tell whether a receipt's number was used before a restore, for another file that is still missing."""
    before = (one for one in _missing_receipts(store, game) if one[:2] == receipt[:2])
    return any(not receipt.file.startswith(one.file) for one in before)


def _missing_receipts(store: Store, game: str) -> list[MissingReceipt]:
    """Return the receipts of a game whose orders are still missing in the database."""
    noted = [MissingReceipt(*row) for row in json.loads(store.note(f"{AWAITED} {game}") or "[]")]
    receipted = store.receipt_hashes(game) if noted else {}
    return [one for one in noted if not one.is_here(receipted)]


def begin_book(store: Store, roots: Roots, genesis: Genesis) -> Book:
    """Begin the ledger of a new game with its genesis as the first entry, and return the ledger."""
    if said := store.note(f"{CONTRADICTED}{genesis.game}"):
        raise LedgerError(f"{said}; give the new game another name")
    store.add_game(genesis.game)
    note_begun(store, genesis.game)
    book = Book(store, genesis.game, roots, History(genesis), [], [])
    book._keep(genesis)
    return book


def checked_rows(store: Store, game: str, roots: Roots) -> list[EntryRow]:
    """Return the rows of a stored ledger, after checking each against leaves, heads and signatures.

    Raises:
        LedgerError: a row is not as it was written; the message names it.
    """
    rows = store.entries(game)
    check_rows(game, rows, store.checkpoints(game), roots)
    return rows


def check_rows(game: str, rows: list[EntryRow], checkpoints: Iterable[CheckpointRow], roots: Roots) -> None:
    """Check the rows of a ledger, a game's or a league's, against their leaves, heads and signed heads.

    Raises:
        LedgerError: a row is not as it was written; the message names it.
    """
    if not rows:
        raise LedgerError(f"the ledger of {game} is empty")
    signed = {row.size: row.head for row in checkpoints}
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


def load_book(store: Store, game: str, roots: Roots) -> Book:
    """Return a game's stored ledger with the history that it tells, after checking every row.

    Raises:
        LedgerError: a row is not as it was written; the message names it.
    """
    rows = checked_rows(store, game, roots)
    entries = [parse_game_entry(row.text) for row in rows]
    genesis = entries[0]
    if not isinstance(genesis, Genesis) or genesis.game != game:
        raise LedgerError(f"the ledger of {game} does not begin with its genesis")
    history = History(genesis)
    for entry in entries[1:]:
        history.add(entry)
    return Book(store, game, roots, history, rows, entries)
