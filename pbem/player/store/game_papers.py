r"""The papers of a game in a home: its ledger, the judge's signed statements, and what the player signed.

The ledger is one file, so that it is stored whole or not at all. Its numbers start at 1 and go on without a
gap, and its lines are those of the report letters, gathered:

    leaf 1 <64 hex>
    entry 1 <salt> <base64>          its text, if the reader may open it
    leaf 2 <64 hex>

The folder `held` has the judge's statements, as evidence if they disagree. `<name>.txt` and `<name>.txt.sig`
are exactly what was signed and the signature, so that stock tools check them:

    ssh-keygen -Y verify -f allowed_signers -I gm@hearth -n pbem1-checkpoint \
        -s held/checkpoint-0006.txt.sig < held/checkpoint-0006.txt

Evidence gets a folder of its own, with a README that says what it shows and how to check it, and is never
overwritten: the same contradiction met twice finds its folder there already.

The folder `sent` has the files that the player has signed:

    0003-2.txt .txt.sig .age    exchange 3, revision 2: the signed bytes, the signature, the sealed file
    0003-reveal.txt ...         exchange 3: the reveal after the close

The signed bytes are written first, and only if the name is free: from that moment the revision belongs to
this content, however the program ends. A revision without its `.age` is sealed when it is asked for again.

The ledger is proven as far as the player can see it. Beyond the order of entries, which `play.history` keeps,
it must hold that

    every opened entry is, with its salt, the text of its leaf
    the first entry is the genesis of this game
    nothing comes twice of which there is one, and those contribute who must, no others (`trust.proof`)
    every resolution follows from its reveals (`trust.proof`)

Entries that the reader cannot open are leaves to them. Which questions were asked, and whether labels
were the right ones, is not looked at here: that takes the rules.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pbem.characters import split_lines
from pbem.play.history import Exchange, History
from pbem.player import files
from pbem.player.faults import Damaged
from pbem.trust import ledger, signature
from pbem.trust.entries import Enrolled, Entry, Genesis
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import Namespace, is_hash
from pbem.trust.keys import PrivateKey, PublicKey
from pbem.trust.ledger import Checkpoint, Receipt, parse_game_entry
from pbem.trust.letters import OpenEntry
from pbem.trust.life import AskedExchange
from pbem.trust.proof import UniqueItems, prove_next
from pbem.trust.rotations import RotationFile
from pbem.trust.sealing import ORDERS_UNIT, seal_signed, sealed_name

Statement = TypeVar("Statement", Checkpoint, Receipt)
Verify = Callable[[bytes, bytes, PublicKey], Statement]
REVEAL = "reveal"
_NAME = re.compile(r"(?P<exchange>[0-9]{4,})-(?P<rev>[1-9][0-9]{0,8})\.txt")


@dataclass(frozen=True, slots=True)
class Proven(ABC):
    """A proven ledger of a game or a league."""

    game: str
    leaves: tuple[str, ...]
    heads: tuple[str, ...]
    opened: Mapping[int, OpenEntry]

    @property
    @abstractmethod
    def exchanges(self) -> Sequence[AskedExchange]:
        """The exchanges of a game, or the calls of a league."""

    @abstractmethod
    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the fingerprints of the judge's keys in an exchange or call."""

    @property
    def size(self) -> int:
        """The number of entries in the ledger."""
        return len(self.leaves)

    @property
    def head(self) -> str:
        """The head of the ledger after its last entry."""
        return self.heads[-1]

    def head_at(self, size: int) -> str | None:
        """Return the head after `size` entries; None if the ledger is shorter."""
        return self.heads[size - 1] if 1 <= size <= len(self.heads) else None


@dataclass(frozen=True, slots=True)
class Chronicle(Proven):
    """A proven ledger of a game."""

    history: History

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """The exchanges of the game, as its ledger's history has them."""
        return self.history.exchanges

    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the fingerprints of the judge's keys in an exchange."""
        return self.history.seats.judges_in(exchange)

    @property
    def genesis(self) -> Genesis:
        """The genesis of the game, which is the ledger's first entry."""
        return self.history.genesis

    def enrolled_player(self, player: str) -> Enrolled | None:
        """Return a player as genesis names them; None if genesis does not."""
        return next((one for one in self.genesis.players if one.name == player), None)

    def plays_from(self, player: str, fingerprint: str) -> int:
        """Return the first exchange in which a seat is played with a key; 1 for the key in genesis."""
        found = [one.starts for one in self.history.seats.of(player) if one.fingerprint == fingerprint]
        enrolled = self.enrolled_player(player)
        return found[0] if found and enrolled and enrolled.fingerprint != fingerprint else 1

    def received_before(self, player: str, exchange: int) -> int:
        """Return how many files of a seat were received before an exchange was opened."""
        past = self.history.exchanges[: exchange - 1]
        return sum(entry.player == player for one in past for entry in one.received)

    def report_hash(self, exchange: int, audience: str) -> str | None:
        """Return the hash of an audience's report on an exchange; None if its entry cannot be read."""
        if not 1 <= exchange <= len(self.history.exchanges):
            return None
        found = self.history.exchanges[exchange - 1].reported
        return next((entry.sha256 for entry in found if entry.audience == audience), None)


def read_chronicle(game: str, leaves: Sequence[str], opened: Mapping[int, OpenEntry]) -> Chronicle:
    """Return the proven ledger that has the given leaves; `opened` are the entries that can be read.

    Raises:
        LedgerFault: the leaves and entries are not those of a valid ledger.
    """
    return _proven(game, tuple(leaves), tuple(sorted(opened.items())))


@lru_cache(maxsize=8)
def _proven(game: str, leaves: tuple[str, ...], shown: tuple[tuple[int, OpenEntry], ...]) -> Chronicle:
    """Return a proven ledger; results are cached, as a letter's ledger is stored and then read again."""
    opened = dict(shown)
    entries = read_entries(leaves, opened, parse_game_entry)
    first = entries[0] if entries else None
    if not isinstance(first, Genesis):
        raise LedgerFault("the first entry is not a genesis, with which a ledger begins")
    if first.game != game:
        raise LedgerFault(f"this is the ledger of {first.game}, not of {game}")
    history = History(first)
    once = UniqueItems()
    for number, entry in enumerate(entries[1:], 2):
        _prove(number, entry, history, once)
        history.add(entry)
        once.take(entry)
    return Chronicle(game, leaves, tuple(ledger.fold(game, leaves)), opened, history)


def read_entries(
    leaves: Sequence[str], opened: Mapping[int, OpenEntry], parse: Callable[[bytes], Entry]
) -> list[Entry | None]:
    """Return a ledger's entries, each checked against its leaf; None where it cannot be read.

    Raises:
        LedgerFault: an entry does not fit its leaf.
    """
    found: list[Entry | None] = []
    for number, leaf in enumerate(leaves, 1):
        one = opened.get(number)
        if one is not None and ledger.leaf(one.salt, one.text) != leaf:
            raise LedgerFault(f"entry {number} does not fit its leaf: its text or its salt was changed")
        found.append(parse(one.text) if one is not None else None)
    return found


def _prove(number: int, entry: Entry | None, history: History, once: UniqueItems) -> None:
    """Check the next entry of a ledger by the rules that judge and audit apply too."""
    try:
        prove_next(history, once, entry)
    except LedgerFault as fault:
        raise LedgerFault(f"entry {number}: {fault}") from None


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A head of a ledger with the judge's signature."""

    checkpoint: Checkpoint
    armor: bytes


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """A receipt with the judge's signature."""

    receipt: Receipt
    armor: bytes


class Held:
    """The folder `held` of a game, with what the judge has signed."""

    def __init__(self, path: Path, judges: tuple[PublicKey, ...]) -> None:
        self.path = path
        self._judges = judges

    def checkpoints(self) -> dict[int, SignedCheckpoint]:
        """Return the kept heads by size, with their signatures verified."""
        return {one.checkpoint.size: one for one in self._heads("checkpoint-*.txt")}

    def checkpoint(self, size: int) -> SignedCheckpoint | None:
        """Return the kept head of `size` entries with its signature verified; None if there is none."""
        return next(self._heads(f"{_head_of(size)}.txt"), None)

    def receipts(self) -> dict[int, SignedReceipt]:
        """Return the kept receipts by number, with their signatures verified."""
        kept = self._read_kept("receipt-*.txt", ledger.verify_receipt)
        return {one.number: SignedReceipt(one, armor) for one, armor in kept}

    def keep_checkpoint(self, signed: SignedCheckpoint) -> None:
        """Keep a signed head of the ledger."""
        self._keep(_head_of(signed.checkpoint.size), signed.checkpoint.text, signed.armor)

    def keep_receipt(self, signed: SignedReceipt) -> None:
        """Keep a signed receipt."""
        self._keep(f"receipt-{signed.receipt.number:04}", signed.receipt.text, signed.armor)

    def keep_copy(self, sealed: bytes) -> tuple[Path, bool]:
        """Keep sealed orders that another player sent to all (7); return path, and whether they are new."""
        path = self.path / f"sealed/{sealed_name(sealed)}.age"
        return path, files.write_new(path, sealed)

    def keep_relayed(self, name: str, signed: bytes) -> bool:
        """Keep the judge's signed word that they had an opponent's sealed file; return whether it is new."""
        return files.write_new(self.path / f"relayed/{name}.txt", signed)

    def keep_evidence(self, name: str, content: Mapping[str, bytes]) -> Path:
        """Keep evidence in a folder of its own, whose name depends on the content; return the folder."""
        digest = hashlib.sha256()
        for file, data in sorted(content.items()):
            digest.update(f"{file} {len(data)}\n".encode() + data)
        folder = self.path / f"{name}-{digest.hexdigest()[:12]}"
        for file, data in content.items():
            files.write_once(folder / file, data)
        return folder

    def forks(self) -> tuple[Path, ...]:
        """Return the folders with proof that the judge has signed two histories."""
        return tuple(sorted(self.path.glob("fork-*")))

    def evidence(self) -> tuple[Path, ...]:
        """Return the folders that prove something against the judge: two histories, or untrue statements."""
        return (*self.forks(), *sorted(self.path.glob("fault-*")))

    def keep_rotation(self, file: RotationFile) -> None:
        """Keep the proof that a new key of the judge has replaced the old one."""
        path = self.path / f"judge-{file.change.sha256[:12]}.txt"
        for name, data in ((".by.sig", file.by), (".new.sig", file.new), (".txt", file.change.text)):
            files.write_new(path.with_suffix(name), data)

    def _heads(self, names: str) -> Iterator[SignedCheckpoint]:
        kept = self._read_kept(names, ledger.verify_checkpoint)
        return (SignedCheckpoint(one, armor) for one, armor in kept)

    def _read_kept(self, names: str, verify: Verify[Statement]) -> Iterator[tuple[Statement, bytes]]:
        for path in sorted(self.path.glob(names)):
            text, armor = files.read_file(path) or b"", files.read_file(_signature(path)) or b""
            if not self._judges:
                raise Damaged(
                    f"the judge's key is missing beside {self.path}, but files there are signed with it"
                )
            try:
                yield _verify(verify, text, armor, self._judges), armor
            except (TrustFault, LedgerFault) as fault:
                raise Damaged(f"{path} is damaged: {fault}") from None

    def _keep(self, name: str, text: bytes, armor: bytes) -> None:
        """Keep a statement and its signature; the signature is written first, for alone it says nothing."""
        path = self.path / f"{name}.txt"
        if not path.exists():
            files.write(_signature(path), armor)
        files.write_once(path, text)


@lru_cache(maxsize=4_096)
def _verify(verify: Verify[Statement], text: bytes, armor: bytes, judges: tuple[PublicKey, ...]) -> Statement:
    """Return a statement whose signature is by one of the given keys; the result is cached by its bytes."""
    signer = signature.parse(armor).key
    return verify(text, armor, signer if signer in judges else judges[-1])


def _head_of(size: int) -> str:
    return f"checkpoint-{size:04}"


def _signature(path: Path) -> Path:
    return path.with_name(f"{path.name}.sig")


def write_ledger(leaves: tuple[str, ...], opened: Mapping[int, OpenEntry]) -> bytes:
    """Return the content of the ledger's file for these leaves and entries."""
    lines: list[str] = []
    for number, leaf in enumerate(leaves, 1):
        lines.append(f"leaf {number} {leaf}\n")
        if entry := opened.get(number):
            lines.append(f"entry {number} {entry.salt} {base64.b64encode(entry.text).decode()}\n")
    return "".join(lines).encode()


def read_ledger(data: bytes) -> tuple[tuple[str, ...], dict[int, OpenEntry]]:
    """Return the leaves that the ledger's file holds, and the entries that can be opened.

    Raises:
        Damaged: a line is not as it was written; the message names it.
    """
    leaves: list[str] = []
    opened: dict[int, OpenEntry] = {}
    for place, line in enumerate(split_lines(data.decode("ascii", errors="replace")), 1):
        match line.split(" "):
            case ["leaf", number, leaf] if number == str(len(leaves) + 1) and is_hash(leaf):
                leaves.append(leaf)
            case ["entry", number, salt, text] if number == str(len(leaves)) and is_hash(salt):
                opened[len(leaves)] = OpenEntry(salt, _decode(text, place))
            case _:
                raise Damaged(f"its line {place} is not as it was written")
    return tuple(leaves), opened


def _decode(text: str, place: int) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise Damaged(f"its line {place} is not as it was written") from None


@dataclass(frozen=True, slots=True)
class SentFile:
    """One order file that was signed in this home."""

    exchange: int
    rev: int
    text: bytes
    sealed: bytes | None
    """The sealed bytes; None if the program was stopped before sealing."""

    @property
    def name(self) -> str | None:
        """The hash by which ledger and receipts name the sealed file."""
        return None if self.sealed is None else sealed_name(self.sealed)


class Sent:
    """The folder `sent` of a game, which keeps the order files and reveals that were signed in this home."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def orders(self) -> tuple[SentFile, ...]:
        """Return every order file that was signed in this home, by exchange and revision."""
        return self._find_files("*.txt")

    def orders_of(self, exchange: int | None) -> tuple[SentFile, ...]:
        """Return the order files of an exchange, by revision; no other file is read."""
        return self._find_files(f"{exchange:04}-*.txt") if exchange is not None else ()

    def _find_files(self, names: str) -> tuple[SentFile, ...]:
        found = [match for path in self.path.glob(names) if (match := _NAME.fullmatch(path.name))]
        numbers = sorted((int(match["exchange"]), int(match["rev"])) for match in found)
        return tuple(self._read(exchange, rev) for exchange, rev in numbers)

    def holds(self, sealed: bytes) -> bool:
        """Tell whether a sealed file was made in this home."""
        return any(path.read_bytes() == sealed for path in self.path.glob("*.age"))

    def reserve(self, exchange: int, rev: int, text: bytes) -> bool:
        """Reserve a revision for the bytes that are to be signed; return False if the revision is taken."""
        return files.write_new(self._orders(exchange, rev), text)

    def finish(self, exchange: int, rev: int, key: PrivateKey, recipient: str) -> bytes:
        """Sign and seal the reserved bytes; return the sealed file, always the same one."""
        return _finish(self._orders(exchange, rev), key, recipient)

    def signer(self, exchange: int, rev: int) -> PublicKey | None:
        """Return the key that signed a revision; None if the program was stopped before it signed."""
        path = self._orders(exchange, rev)
        armor = files.read_file(path.with_name(f"{path.name}.sig"))
        return None if armor is None else signature.parse(armor).key

    def finish_reveal(self, exchange: int, text: bytes, key: PrivateKey, recipient: str) -> bytes:
        """Sign and seal a reveal after the close; a reveal that was made before stays as it is."""
        path = self.path / f"{exchange:04}-{REVEAL}.txt"
        files.write_new(path, text)
        return _finish(path, key, recipient)

    def reveal(self, exchange: int) -> bytes | None:
        """Return the sealed reveal that was sent after the close of an exchange."""
        return files.read_file(self.path / f"{exchange:04}-{REVEAL}.age")

    def _orders(self, exchange: int, rev: int) -> Path:
        return self.path / f"{exchange:04}-{rev}.txt"

    def _read(self, exchange: int, rev: int) -> SentFile:
        path = self._orders(exchange, rev)
        return SentFile(exchange, rev, path.read_bytes(), files.read_file(path.with_suffix(".age")))


def _finish(path: Path, key: PrivateKey, recipient: str) -> bytes:
    target = path.with_suffix(".age")
    if (sealed := files.read_file(target)) is not None:
        return sealed
    text = path.read_bytes()
    files.write(path.with_name(f"{path.name}.sig"), signature.sign(key, Namespace.ORDERS, text))
    files.write_new(target, seal_signed(text, key, Namespace.ORDERS, [recipient], ORDERS_UNIT))
    return target.read_bytes()
