"""Checks the hashes and signatures of a bundle: log, keys, checkpoints; reads a league's log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pbem.audit.bundle import GENESIS, Files
from pbem.audit.findings import Findings, Missing, Refuted, State, Unprovable
from pbem.characters import split_lines
from pbem.errors import ConfigError, PbemError
from pbem.leagues.config import LeagueFile, read_file
from pbem.leagues.earlier_results import CARRIED, NOTHING, Carried, parse_carried
from pbem.leagues.entries import LeagueGenesis, parse_league_entry
from pbem.play.history import History
from pbem.trust import keys, ledger
from pbem.trust.chance import Reveal, Roots, parse_roots
from pbem.trust.entries import Entry, Genesis, Open, Other
from pbem.trust.faults import ChainFault, LedgerFault, SignatureFault, UnknownFormat
from pbem.trust.formats import MAX_ENTRY_SIZE, MAX_FILE_SIZE
from pbem.trust.identifiers import (
    JUDGE_NAMESPACES,
    OFFICIAL_NAMESPACES,
    PLAYER_NAMESPACES,
    Namespace,
    is_hash,
)
from pbem.trust.ledger import parse_entry
from pbem.trust.orderfile import LateReveal, OrderFile
from pbem.trust.proof import Fault, UniqueItems

GM = "gm"


class Unreadable(Exception):
    """Raised when a bundle is so damaged that nothing further can be checked."""


@dataclass
class Evidence:
    """The parts of a bundle that have been read and checked so far."""

    files: Files
    findings: Findings
    leaves: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    salts: dict[int, str] = field(default_factory=dict)
    entries: list[Entry | None] = field(default_factory=list)
    """The entries of the ledger, entry n at n - 1; None for an entry that this bundle does not open."""
    history: History = field(init=False)
    signers: dict[str, keys.PublicKey] = field(default_factory=dict)
    opened: dict[tuple[int, str], OrderFile] = field(default_factory=dict)
    """The order files that count, by exchange and player, where their seal key is disclosed."""
    late: dict[tuple[int, str], LateReveal] = field(default_factory=dict)
    """The reveals after the close, by exchange and player, where their seal key is disclosed."""
    derived: list[str] = field(default_factory=list)
    """The names of files that the bundle lacks and that follow from its other files."""
    rewritten: dict[str, str] = field(default_factory=dict)
    """The true text of changed reports, by file name; known when the game has been played again."""
    _numbers: dict[int, int] = field(default_factory=dict)

    @property
    def genesis(self) -> Genesis:
        """The genesis of the game, which is the first entry of its ledger."""
        return self.history.genesis

    @cached_property
    def repeats(self) -> tuple[Fault, ...]:
        """The faults of items that come twice in the ledger though they must be unique, such as files."""
        once, faults = UniqueItems(), list[Fault]()
        for entry in self.entries:
            faults += once.faults(entry)
            once.take(entry)
        return tuple(faults)

    def number_of(self, entry: Entry) -> int:
        """Return the number of an entry that this bundle opens."""
        if not self._numbers:
            self._numbers = {id(one): number for number, one in enumerate(self.entries, 1) if one is not None}
        return self._numbers[id(entry)]

    @cached_property
    def roots(self) -> Roots | None:
        """Return the judge's secrets as the bundle gives them, whether they are true or not."""
        return roots_in(self.files)

    def given_file(self, name: str, expected: bytes) -> bytes:
        """Return a file that also follows from others, or `expected` where the bundle lacks the file."""
        data = self.files.get(name)
        if data is None:
            self.derived.append(name)
        return expected if data is None else data

    def known_before(self, exchange: int, who: str) -> Reveal:
        """Return the latest step of a chain that was revealed before an exchange; its anchor if none was."""
        anchor = next(anchor for anchor in self.history.anchors if anchor.who == who)
        for past in reversed(self.history.exchanges[: exchange - 1]):
            for reveal in past.resolved.reveals if past.resolved else ():
                if reveal.who == who:
                    return replace(reveal, under=anchor.under)
        return anchor

    def key_of(self, name: str, exchange: int) -> keys.PublicKey:
        """Return the public key with which a player or the judge, called `name`, signs in an exchange."""
        line = self.history.seats.key_line(name, exchange)
        return keys.parse_public(line) if line else self.signers[name]

    def judge_at(self, size: int) -> keys.PublicKey:
        """Return the judge's key that counts for a ledger of this size."""
        fingerprint = self.history.seats.judge_at(size)
        later = [keys.parse_public(one.key) for one in self.history.seats.of(GM)]
        return next(key for key in (self.signers[GM], *later) if key.fingerprint == fingerprint)

    def head_at(self, size: int) -> str | None:
        """Return the head of the ledger after `size` entries; None if the ledger is shorter."""
        if size == 0:
            return ledger.EMPTY_HEAD
        return self.heads[size - 1] if size <= len(self.heads) else None


def read_log(files: Files, findings: Findings) -> Evidence:
    """Check the log of a bundle and read it: every leaf, every opened entry, the order of entries.

    Raises:
        Unreadable: without a readable log nothing else means anything.
        ConfigError: the bundle is of a format that this release does not read.
    """
    check_format(files, parse_entry)
    found = Evidence(files, findings)
    start = len(findings.rows) + 1  # what does not belong in a bundle is named, and stops nothing
    with findings.claim("only files of a bundle are in the bundle"):
        if files.foreign:
            raise Refuted(f"{files.foreign[0]} does not belong in a bundle")
    game = ""
    with findings.claim("the log holds every leaf, in order"):
        found.leaves = read_leaves(files)
        game = _game_of(found)
        found.heads = ledger.fold(game, found.leaves)
    stop_if_refuted(findings, start)
    with findings.claim("every entry in the bundle fits its leaf"):
        _derive_salts(found)
        check_leaves(files, found.leaves)
        found.salts = read_salts(files, len(found.leaves))
    stop_if_refuted(findings, start)
    misfit: Missing | PbemError | None = None
    with findings.claim("every entry is written as its kind demands"):
        for number, entry in enumerate(
            read_entries(files, len(found.leaves), parse_entry, MAX_ENTRY_SIZE), 1
        ):
            if misfit is None:  # what follows a misfit is read and not kept, however much it is
                misfit = _add(found, number, entry)
    stop_if_refuted(findings, start)
    with findings.claim("the entries follow each other as the protocol demands"):
        if misfit is not None:
            raise misfit
        if found.entries[-1] is None:
            raise Missing(
                f"{_entry(len(found.entries))} is missing: an exchange is opened, or the game is over"
            )
    stop_if_refuted(findings, start)
    return found


def _add(found: Evidence, number: int, entry: Entry | None) -> Missing | PbemError | None:
    """Add an entry to the history; return the fault if it cannot come next, or what is missing, else None."""
    found.entries.append(entry)
    if number == 1:
        assert isinstance(entry, Genesis), "its game was read"
        found.history = History(entry)
        return None
    history = found.history
    try:
        history.add(entry)
    except LedgerFault as fault:
        last = history.last
        if entry is None:
            return Missing(f"{_entry(number)} is missing: what stands there is open to all")
        opens = isinstance(entry, Open)
        if last and last.hidden and not opens and getattr(entry, "exchange", 0) == last.number + 1:
            return Missing(f"the entry that opens exchange {last.number + 1} is missing")
        return fault
    return None


def _entry(number: int) -> str:
    return f"log/{number:04d}.entry"


def roots_in(files: Files) -> Roots | None:
    """Return the judge's secrets in a bundle, if their file is there and well-formed; else None."""
    try:
        return parse_roots(files.get("keys/roots") or b"")
    except ChainFault:
        return None


def check_format(files: Files, parse: Callable[[bytes], Entry]) -> None:
    """Raise ConfigError if the bundle is of a format that this release does not read.

    Raises:
        ConfigError: the format is one that this release does not read.
    """
    try:
        parse(files.get(GENESIS) or b"")
    except UnknownFormat as fault:
        raise ConfigError(f"nothing can be said of this bundle: {fault}") from None
    except LedgerFault:
        return  # that is a finding


def stop_if_refuted(findings: Findings, start: int = 0) -> None:
    """Raise Unreadable if any finding from number `start` on is refuted, or lacks a file that it needs."""
    if any(row.state in (State.REFUTED, State.MISSING) for row in findings.rows[start:]):
        raise Unreadable


def check_leaves(files: Files, leaves: Sequence[str]) -> None:
    """Check that every entry hashes to its leaf; name the changed ones. Raises Refuted if there are any."""
    wrong: dict[int, str] = {}
    for number, leaf in enumerate(leaves, 1):
        name = f"log/{number:04d}"
        text, salt_file = files.get(f"{name}.entry"), files.get(f"{name}.salt")
        if text is None or salt_file is None:
            continue
        salt = salt_file.decode("ascii", errors="replace").removesuffix("\n")
        if is_hash(salt) and (computed := ledger.leaf(salt, text)) != leaf:
            wrong[number] = computed
    if wrong:
        first, *others = wrong
        more = f"; entries {', '.join(map(str, others))} as well" if others else ""
        raise Refuted(f"the leaf of entry {first}", leaves[first - 1], f"{wrong[first]}{more}")


def read_leaves(files: Files) -> list[str]:
    """Return the leaves of a bundle's log. Raises Refuted or Missing if they are not as they must be."""
    data = files.get("log/leaves")
    if data is None:
        raise Missing("log/leaves is missing")
    text, leaves = data.decode("ascii", errors="replace"), list[str]()
    for number, line in enumerate(split_lines(text), 1):
        first, _, leaf = line.partition(" ")
        if first != str(number) or not is_hash(leaf):
            raise Refuted(f"log/leaves, line {number}", f"{number} and 64 hex digits", line)
        leaves.append(leaf)
    if not leaves or text != "".join(f"{n} {leaf}\n" for n, leaf in enumerate(leaves, 1)):
        raise Refuted("log/leaves is not written as its format demands")
    return leaves


def _game_of(found: Evidence) -> str:
    data = found.files.get("log/0001.entry")
    if data is None:
        raise Missing("log/0001.entry is missing")
    entry = parse_entry(data)
    if not isinstance(entry, Genesis):
        raise Refuted("log/0001.entry", "a genesis", entry.kind)
    return entry.game


def _derive_salts(found: Evidence) -> None:
    """Add the salts that the bundle lacks, derived from the judge's secrets."""
    if found.roots is None:
        return
    game = _game_of(found)
    for number in range(1, len(found.leaves) + 1):
        name = f"log/{number:04d}.salt"
        if found.files.get(_entry(number)) is not None:
            found.files.known_files[name] = found.given_file(
                name, f"{ledger.salt(found.roots.salt, game, number)}\n".encode()
            )


def read_salts(files: Files, size: int) -> dict[int, str]:
    """Return the salts of the entries that a log of some size opens, by the entries' numbers.

    Raises:
        Refuted: a salt is not written as its format demands, or the log has no entry there.
        Missing: an entry has no salt, or a salt no entry.
    """
    halves, salts = list[str](), dict[int, str]()
    for number in range(1, size + 1):
        name = f"log/{number:04d}"
        is_there, salt_file = f"{name}.entry" in files.known_files, files.get(f"{name}.salt")
        if not is_there or salt_file is None:
            if is_there or salt_file is not None:
                halves.append(f"{name}.{'salt' if is_there else 'entry'} is missing")
            continue
        salt = salt_file.decode("ascii", errors="replace").removesuffix("\n")
        if not is_hash(salt) or salt_file != f"{salt}\n".encode():
            raise Refuted(f"{name}.salt", "64 hex digits", salt_file)
        salts[number] = salt
    for name in files.known_files:
        match = re.fullmatch(r"log/([0-9]+)\.(?:entry|salt)", name)
        if match and not 1 <= int(match[1]) <= size:
            raise Refuted(f"{name} belongs to no entry: log/leaves has none of this number")
        if match and f"{int(match[1]):04d}" != match[1]:
            raise Refuted(f"{name} is not a name that a bundle has")
    if halves:
        raise Missing(*halves)
    return salts


def read_entries(
    files: Files, size: int, parse: Callable[[bytes], Entry], most: int = MAX_FILE_SIZE
) -> Iterator[Entry | None]:
    """Yield the entries of a bundle's log of some size, None for each entry that the bundle does not open.

    `most`: bytes that an entry may have.

    Raises:
        Refuted: an entry is not written as its format demands, or is larger than any honest one.
    """
    for number in range(1, size + 1):
        text = files.get(_entry(number))
        if text is not None and len(text) > most:
            raise Refuted(f"{_entry(number)} has {len(text):,} bytes; no entry has more than {most:,}")
        entry = parse(text) if text is not None else None
        if entry is not None and entry.text != text:
            raise Refuted(f"{_entry(number)} is not written as its format demands")
        yield entry


def check_genesis(found: Evidence, pinned: str | None) -> None:
    """Check the claim that a bundle is of the game that the players joined, whose first head is `pinned`."""
    with found.findings.claim("the genesis is the one that the players joined"):
        if pinned is None:
            raise Unprovable(f"no head was given to compare it with; it is {found.heads[0]}")
        if found.heads[0] != pinned:
            raise Refuted("the first head", pinned, found.heads[0])


def check_keys(found: Evidence) -> None:
    """Check the claim that the keys in a bundle are those that the genesis names."""
    signers: tuple[keys.Signer, ...] = ()
    with found.findings.claim("the keys are those of the genesis"):
        data = found.files.get("keys/allowed_signers")
        if data is None:
            raise Missing("keys/allowed_signers is missing")
        text = data.decode("ascii", errors="replace")
        signers = keys.parse_signers(text)
        expected: dict[str, tuple[str, tuple[Namespace, ...]]] = {
            GM: (found.genesis.gm, JUDGE_NAMESPACES)
        } | {player.name: (player.fingerprint, PLAYER_NAMESPACES) for player in found.genesis.players}
        if found.genesis.official is not None:
            name, fingerprint = found.genesis.official
            expected[name] = fingerprint, OFFICIAL_NAMESPACES
        if [signer.name for signer in signers] != list(expected):
            raise Refuted("keys/allowed_signers", list(expected), [signer.name for signer in signers])
        for signer in signers:
            fingerprint, namespaces = expected[signer.name]
            if signer.key.fingerprint != fingerprint:
                raise Refuted(f"the key of {signer.name}", fingerprint, signer.key.fingerprint)
            if signer.namespaces != namespaces or signer.game != found.genesis.game:
                raise Refuted(f"the line of {signer.name} in keys/allowed_signers is not as it must be")
            found.signers[signer.name] = signer.key
        if keys.render_signers(signers) != text:
            raise Refuted("keys/allowed_signers is not written as its format demands")
    if signers and len(found.signers) == len(signers):
        _check_rotated(found, signers)


def _check_rotated(found: Evidence, signers: tuple[keys.Signer, ...]) -> None:
    """Check the claim that after every new key a file lists those who sign from then on (protocol 16)."""
    expected = {}
    for start in {rotation.starts for rotation in found.history.seats.rotations}:
        later = [replace(signer, key=found.key_of(signer.name, start)) for signer in signers]
        expected[f"keys/allowed_signers.from-{start}"] = keys.render_signers(later).encode()
    there = {
        name: data
        for name, data in found.files.known_files.items()
        if name.startswith("keys/allowed_signers.")
    }
    if not expected and not there:
        return
    with found.findings.claim("after every new key the bundle says who signs from then on"):
        due = {name: found.given_file(name, data) for name, data in expected.items()}
        for name in sorted({*there, *due}):
            if due.get(name) != expected.get(name) or name not in expected:
                raise Refuted(f"{name} is not what the rotations in the ledger give")


def check_checkpoints(found: Evidence) -> None:
    """Check the claims that the judge signed every head that they had to sign, and no other."""
    sizes = sorted(
        int(match[1])
        for name in found.files.known_files
        if (match := re.fullmatch(r"checkpoints/([0-9]+)\.(?:txt|sig)", name))
    )
    with found.findings.claim("every checkpoint is signed by the judge and fits the log"):
        lacking = [size for size in dict.fromkeys(sizes) if not _check_checkpoint(found, size)]
        if lacking:
            raise Missing(*(f"checkpoints/{size:04d}.sig is missing" for size in lacking))
    with found.findings.claim("a signed head covers every exchange"):
        needed = [
            number
            for number, entry in enumerate(found.entries, 1)
            if (isinstance(entry, Open) and entry.seals)
            or (isinstance(entry, Other) and entry.word == "over")
        ]
        if missing := [size for size in needed if size not in sizes]:
            raise Missing(*(f"the checkpoint at entry {size} is missing" for size in missing))
        if not sizes or sizes[-1] < len(found.leaves):
            first, last = (sizes[-1] if sizes else 0) + 1, len(found.leaves)
            stand = f"entry {last}" if first == last else f"entries {first} to {last}"
            raise Unprovable(f"no signed head covers {stand} yet")
    with found.findings.claim("the bundle is the whole game"):
        if not found.history.over:
            raise Unprovable(
                f"it ends at entry {len(found.leaves)}; whether the judge has gone on since, "
                "only a later checkpoint that somebody kept can show"
            )


def _check_checkpoint(found: Evidence, size: int) -> bool:
    """Tell whether the judge signed the head of a given size; raise if text or signature is a wrong one."""
    name = f"checkpoints/{size:04d}"
    signature = found.files.get(f"{name}.sig")
    due = ledger.Checkpoint(game=found.genesis.game, size=size, head=found.head_at(size) or ledger.EMPTY_HEAD)
    text = found.given_file(f"{name}.txt", due.text)
    if signature is None:
        if text != due.text:
            raise Refuted(f"{name}.txt is not the head of the log")
        return False
    check_head(found.genesis.game, found.heads, size, (text, signature), found.judge_at(size))
    return True


def check_head(
    game: str, heads: Sequence[str], size: int, signed: tuple[bytes, bytes], judge: keys.PublicKey
) -> None:
    """Check that a head is that of the log and is signed by the judge. Raises Refuted if not.

    `signed`: the text of the checkpoint, and the signature under that text.
    """
    name = f"checkpoints/{size:04d}"
    try:
        checkpoint = ledger.verify_checkpoint(*signed, judge)
    except SignatureFault as fault:
        raise Refuted(f"{name}.sig: {fault}") from None
    if (checkpoint.game, checkpoint.size) != (game, size):
        raise Refuted(f"{name}.txt is for {checkpoint.game} at {checkpoint.size} entries")
    head = heads[size - 1] if 0 < size <= len(heads) else None
    if head != checkpoint.head:
        raise Refuted(f"the head at entry {size}", checkpoint.head, head or f"only {len(heads)} entries")


@dataclass(slots=True)
class Record:
    """The parts of a league's bundle that were read."""

    files: Files
    genesis: LeagueGenesis
    file: LeagueFile
    heads: list[str]
    entries: list[Entry]
    carried: Carried
    signers: dict[str, keys.PublicKey] = field(default_factory=dict)

    def checkpoints(self) -> Iterator[int]:
        """Yield the sizes of the ledger at which heads are signed."""
        for name in self.files.known_files:
            if match := re.fullmatch(r"checkpoints/([0-9]+)\.txt", name):
                yield int(match[1])

    def head_at(self, size: int) -> str | None:
        """Return the head of the ledger after `size` entries; None if the ledger is shorter."""
        return self.heads[size - 1] if 0 < size <= len(self.heads) else None


def read_record(files: Files, findings: Findings) -> Record | None:
    """Return the parts of a league's bundle; None, with a finding, if its log or file cannot be read."""
    with findings.claim("only files of a bundle are in the bundle"):
        if files.foreign:
            raise Refuted(f"{files.foreign[0]} does not belong in a bundle")
    found: list[Record] = []
    with findings.claim("every entry is there, and fits its leaf"):
        found.append(_read(files))
    return found[0] if found else None


def _read(files: Files) -> Record:
    leaves = read_leaves(files)
    check_leaves(files, leaves)
    entries = list[Entry]()
    read_salts(files, len(leaves))
    for number, entry in enumerate(read_entries(files, len(leaves), parse_league_entry), 1):
        if entry is None:
            raise Missing(f"entry {number} is missing; in a league all entries are public")
        entries.append(entry)
    genesis = entries[0] if entries else None
    if not isinstance(genesis, LeagueGenesis):
        raise Refuted("entry 1 is not the first entry of a league")
    data = files.get("league.toml")
    if data is None:
        raise Missing("league.toml is missing")
    file = read_file(data)
    if (file.sha256, file.ledger) != (genesis.file, genesis.game):
        raise Refuted("league.toml is not the file that the ledger names")
    return Record(
        files, genesis, file, ledger.fold(genesis.game, leaves), entries, _read_carried(files, genesis, file)
    )


def _read_carried(files: Files, genesis: LeagueGenesis, file: LeagueFile) -> Carried:
    """Return the results taken over from earlier seasons, as the ledger's first entry names them."""
    if not genesis.carried:
        return NOTHING
    data = files.get(CARRIED)
    if data is None:
        raise Missing(f"{CARRIED} is missing")
    found = parse_carried(data, file.rules)
    if found.sha256 != genesis.carried:
        raise Refuted(f"{CARRIED} is not the file that the ledger names")
    return found
