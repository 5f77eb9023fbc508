"""Hashes and signatures: the log, the keys, the checkpoints, the order files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from pbem.audit.bundle import Files
from pbem.audit.findings import Findings, Refuted, Unprovable
from pbem.play.history import Exchange, History
from pbem.trust import keys, ledger, sealing
from pbem.trust.chains import Reveal
from pbem.trust.entries import (
    AFTER_CLOSE,
    Entry,
    Genesis,
    Open,
    Other,
    Received,
    Refused,
    Revealed,
)
from pbem.trust.entry_parser import parse_entry
from pbem.trust.faults import SignatureFault, TrustFault
from pbem.trust.identifiers import is_hash
from pbem.trust.namespaces import JUDGE_NAMESPACES, OFFICIAL_NAMESPACES, PLAYER_NAMESPACES, Namespace
from pbem.trust.orderfile import (
    Due,
    LateReveal,
    OrderFile,
    check_no_reveal,
    check_order_reveal,
    check_seen,
    open_orders,
    verify_late,
    verify_late_reveal,
)

GM = "gm"
LATE = "late"
"""Why a file is refused that its player has signed for an exchange that was closed."""


Arrived = Received | Refused | Revealed


class Unreadable(Exception):
    """The bundle is so damaged that nothing further can be checked."""


@dataclass(slots=True)
class Evidence:
    """What of a bundle has been read and checked so far."""

    files: Files
    findings: Findings
    leaves: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    salts: dict[int, str] = field(default_factory=dict)
    entries: list[Entry | None] = field(default_factory=list)
    """Entry n at n - 1; None where this bundle does not open it."""
    history: History = field(init=False)
    signers: dict[str, keys.PublicKey] = field(default_factory=dict)
    opened: dict[tuple[int, str], OrderFile] = field(default_factory=dict)
    """(exchange, player) -> the order file that counts, where its seal key is disclosed."""
    late: dict[tuple[int, str], LateReveal] = field(default_factory=dict)
    """(exchange, player) -> the reveal after the close, where its seal key is disclosed."""
    rewritten: dict[str, str] = field(default_factory=dict)
    """What reports that were changed afterwards must read, by file name; known when all is played again."""

    @property
    def genesis(self) -> Genesis:
        """The first entry."""
        return self.history.genesis

    def known_before(self, exchange: int, who: str) -> Reveal:
        """The latest step of a chain that was resolved before an exchange, or its anchor."""
        for past in reversed(self.history.exchanges[: exchange - 1]):
            for reveal in past.resolved.reveals if past.resolved else ():
                if reveal.who == who:
                    return reveal
        return next(anchor for anchor in self.history.anchors if anchor.who == who)

    def key_of(self, name: str, exchange: int) -> keys.PublicKey:
        """The key that somebody signs an exchange with."""
        line = self.history.seats.key_line(name, exchange)
        return keys.parse_public(line) if line else self.signers[name]

    def judge_at(self, size: int) -> keys.PublicKey:
        """The judge's key for a ledger of this size."""
        fingerprint = self.history.seats.judge_at(size)
        later = [keys.parse_public(one.key) for one in self.history.seats.of(GM)]
        return next(key for key in (self.signers[GM], *later) if key.fingerprint == fingerprint)

    def head_at(self, size: int) -> str | None:
        """The head after so many entries."""
        if size == 0:
            return ledger.EMPTY_HEAD
        return self.heads[size - 1] if size <= len(self.heads) else None


def read_log(files: Files, findings: Findings) -> Evidence:
    """Claims about the log: every leaf, every opened entry, the order of entries.

    Raises:
        Unreadable: without a readable log nothing else means anything.
    """
    found = Evidence(files, findings)
    start = len(findings.rows) + 1  # what does not belong in a bundle is named, and stops nothing
    with findings.claim("nothing but a bundle's files is in the bundle"):
        if files.foreign:
            raise Refuted(f"{files.foreign[0]} does not belong in a bundle")
    game = ""
    with findings.claim("the log holds every leaf, in order"):
        _read_leaves(found)
        game = _game_of(found)
        found.heads = ledger.fold(game, found.leaves)
    stop_if_refuted(findings, start)
    with findings.claim("every entry in the bundle is the one that its leaf commits to"):
        _check_leaves(found)
        _read_entries(found)
    stop_if_refuted(findings, start)
    with findings.claim("the entries follow each other as the protocol demands"):
        first = found.entries[0] if found.entries else None
        if not isinstance(first, Genesis):
            raise Refuted("entry 1 is not the genesis")
        found.history = History(first)
        for entry in found.entries[1:]:
            found.history.add(entry)
    stop_if_refuted(findings, start)
    return found


def stop_if_refuted(findings: Findings, start: int = 0) -> None:
    """Raise Unreadable if any claim from the so-manyth on is refuted."""
    if any(row.state == "refuted" for row in findings.rows[start:]):
        raise Unreadable


def _check_leaves(found: Evidence) -> None:
    """Every entry that is there hashes to its leaf; whatever was changed is named."""
    wrong: dict[int, str] = {}
    for number, leaf in enumerate(found.leaves, 1):
        name = f"log/{number:04d}"
        text, salt_file = found.files.get(f"{name}.entry"), found.files.get(f"{name}.salt")
        if text is None or salt_file is None:
            continue
        salt = salt_file.decode("ascii", errors="replace").removesuffix("\n")
        if is_hash(salt) and (computed := ledger.leaf(salt, text)) != leaf:
            wrong[number] = computed
    if wrong:
        first, *others = wrong
        more = f"; entries {', '.join(map(str, others))} as well" if others else ""
        raise Refuted(f"the leaf of entry {first}", found.leaves[first - 1], f"{wrong[first]}{more}")


def _read_leaves(found: Evidence) -> None:
    text = (found.files.get("log/leaves") or b"").decode("ascii", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        first, _, leaf = line.partition(" ")
        if first != str(number) or not is_hash(leaf):
            raise Refuted(f"log/leaves, line {number}", f"{number} and 64 hex digits", line)
        found.leaves.append(leaf)
    if not found.leaves or text != "".join(f"{n} {leaf}\n" for n, leaf in enumerate(found.leaves, 1)):
        raise Refuted("log/leaves is not written as its format demands")


def _game_of(found: Evidence) -> str:
    entry = parse_entry(found.files.get("log/0001.entry") or b"")
    if not isinstance(entry, Genesis):
        raise Refuted("log/0001.entry", "a genesis", entry.kind)
    return entry.game


def _read_entries(found: Evidence) -> None:
    for number in range(1, len(found.leaves) + 1):
        name = f"log/{number:04d}"
        text, salt_file = found.files.get(f"{name}.entry"), found.files.get(f"{name}.salt")
        if text is None and salt_file is None:
            found.entries.append(None)
            continue
        if text is None or salt_file is None:
            raise Refuted(f"{name}.entry and {name}.salt belong together; one is missing")
        salt = salt_file.decode("ascii", errors="replace").removesuffix("\n")
        if not is_hash(salt) or salt_file != f"{salt}\n".encode():
            raise Refuted(f"{name}.salt", "64 hex digits", salt_file)
        found.salts[number] = salt
        entry = parse_entry(text)
        if entry.text != text:
            raise Refuted(f"{name}.entry is not written as its format demands")
        found.entries.append(entry)
    for name in found.files.known:
        match = re.fullmatch(r"log/(\d+)\.(?:entry|salt)", name)
        if match and not 1 <= int(match[1]) <= len(found.leaves):
            raise Refuted(f"{name} is an entry that log/leaves does not have")
        if match and f"{int(match[1]):04d}" != match[1]:
            raise Refuted(f"{name} is not named as a bundle names it")


def check_genesis(found: Evidence, pinned: str | None) -> None:
    """Claim: this is the game that the players joined."""
    with found.findings.claim("the genesis is the one that was pinned"):
        if pinned is None:
            raise Unprovable(f"no head was given to compare it with; it is {found.heads[0]}")
        if found.heads[0] != pinned:
            raise Refuted("the first head", pinned, found.heads[0])


def check_keys(found: Evidence) -> None:
    """Claim: the keys are those that genesis names."""
    signers: tuple[keys.Signer, ...] = ()
    with found.findings.claim("the keys are those of the genesis"):
        text = (found.files.get("keys/allowed_signers") or b"").decode("ascii", errors="replace")
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
    """Claim: after every new key there is a file of those who sign from then on (protocol 16)."""
    expected = {}
    for start in {rotation.starts for rotation in found.history.seats.rotations}:
        later = [replace(signer, key=found.key_of(signer.name, start)) for signer in signers]
        expected[f"keys/allowed_signers.from-{start}"] = keys.render_signers(later).encode()
    there = {
        name: data for name, data in found.files.known.items() if name.startswith("keys/allowed_signers.")
    }
    if not expected and not there:
        return
    with found.findings.claim("after every new key the bundle says who signs from then on"):
        if there != expected:
            wrong = min(name for name in {*there, *expected} if there.get(name) != expected.get(name))
            raise Refuted(f"{wrong} is not what the rotations in the ledger give")


def check_checkpoints(found: Evidence) -> None:
    """Claims: the judge signed every head he had to sign, and no other."""
    sizes = sorted(
        int(match[1])
        for name in found.files.known
        if (match := re.fullmatch(r"checkpoints/(\d+)\.(?:txt|sig)", name))
    )
    with found.findings.claim("every checkpoint is signed by the judge and fits the log"):
        for size in dict.fromkeys(sizes):
            _check_checkpoint(found, size)
    with found.findings.claim("every exchange stands under a signed head"):
        needed = [
            number
            for number, entry in enumerate(found.entries, 1)
            if (isinstance(entry, Open) and not entry.again)
            or (isinstance(entry, Other) and entry.word == "over")
        ]
        if missing := [size for size in needed if size not in sizes]:
            raise Refuted(f"incomplete: the checkpoint at entry {missing[0]} is missing")
        if not sizes or sizes[-1] < len(found.leaves):
            first = (sizes[-1] if sizes else 0) + 1
            raise Unprovable(f"entries {first} to {len(found.leaves)} stand under no signed head yet")
    with found.findings.claim("the bundle is the whole game"):
        if not found.history.over:
            raise Unprovable(
                f"it ends at entry {len(found.leaves)}; whether the judge has gone on since, "
                "only a later checkpoint that somebody kept can show"
            )


def _check_checkpoint(found: Evidence, size: int) -> None:
    name = f"checkpoints/{size:04d}"
    text, signature = found.files.get(f"{name}.txt"), found.files.get(f"{name}.sig")
    if text is None or signature is None:
        raise Refuted(f"{name}.txt and {name}.sig belong together; one is missing")
    try:
        checkpoint = ledger.verify_checkpoint(text, signature, found.judge_at(size))
    except SignatureFault as fault:
        raise Refuted(f"{name}.sig: {fault}") from None
    if (checkpoint.game, checkpoint.size) != (found.genesis.game, size):
        raise Refuted(f"{name}.txt is for {checkpoint.game} at {checkpoint.size} entries")
    head = found.head_at(size)
    if head != checkpoint.head:
        shown = head or f"only {len(found.leaves)} entries"
        raise Refuted(f"the head at entry {size}", checkpoint.head, shown)


def check_orders(found: Evidence) -> None:
    """Claims: every order file is there, signed by its player, and was rightly received or refused."""
    named: dict[str, tuple[Exchange, Arrived]] = {}
    for exchange in found.history.exchanges:
        arrived: list[Arrived] = [*exchange.received, *exchange.refused, *exchange.revealed]
        for entry in arrived:
            named[entry.sealed] = exchange, entry
    with found.findings.claim("every order file that the ledger names is in the bundle, unchanged"):
        for name, place in named.items():
            data = found.files.get(f"sealed/{name}.age")
            if data is None:
                raise Refuted(f"incomplete: sealed/{name}.age is missing: {_whose(*place)}")
            if sealing.sealed_name(data) != name:
                raise Refuted(f"the hash of sealed/{name}.age", name, sealing.sealed_name(data))
        for path in found.files.known:
            if path.startswith("sealed/") and path[7:-4] not in named:
                raise Refuted(f"{path} was never received")
    with found.findings.claim("no order file and no revision was received twice"):
        _check_repeats(found)
    identities: dict[tuple[int, str], str] = {}
    with found.findings.claim("the seal keys in the bundle are those that the players sealed to"):
        identities = _identities(found)
    there = {
        name: place
        for name, place in named.items()
        if sealing.sealed_name(found.files.get(f"sealed/{name}.age") or b"") == name
    }
    sealed = 0
    with found.findings.claim("every opened order file is its player's, and was rightly received or refused"):
        for name, (exchange, entry) in there.items():
            sealed += not _check_file(found, exchange, entry, name, identities)
    with found.findings.claim("every order file is opened"):
        if sealed:
            raise Unprovable(f"{sealed} of {len(named)} are sealed for this reader")


def _whose(exchange: Exchange, entry: Arrived) -> str:
    """What the ledger says of a file."""
    if isinstance(entry, Received):
        return f"the orders of {entry.player} for exchange {exchange.number}, revision {entry.rev}"
    if isinstance(entry, Revealed):
        return f"the reveal of {entry.player} for exchange {exchange.number}"
    return f"a file that was refused in exchange {exchange.number}"


def _check_repeats(found: Evidence) -> None:
    """Protocol 4: of one revision the first counts; a file that was received gets no second entry."""
    files: set[str] = set()
    for exchange in found.history.exchanges:
        revisions: set[tuple[str, int]] = set()
        for entry in exchange.received:
            where = f"in exchange {exchange.number}"
            if entry.player not in exchange.seals:
                raise Refuted(f"orders of {entry.player} were received {where}, who does not play")
            if entry.sealed in files:
                raise Refuted(f"sealed/{entry.sealed}.age, received {where}, was received before")
            if (entry.player, entry.rev) in revisions:
                raise Refuted(
                    f"revision {entry.rev} of {entry.player}, received {where}, was received before"
                )
            files.add(entry.sealed)
            revisions.add((entry.player, entry.rev))
        if len({entry.player for entry in exchange.revealed}) != len(exchange.revealed):
            raise Refuted(f"the reveal of one player was received twice in exchange {exchange.number}")


def _identities(found: Evidence) -> dict[tuple[int, str], str]:
    """(exchange, player) -> the disclosed seal key."""
    identities = {}
    for path, data in found.files.known.items():
        match = re.fullmatch(r"keys/exchange-(\d+)\.([a-z0-9._-]+)\.agekey", path)
        if match is None:
            continue
        number, player = int(match[1]), match[2]
        identity = data.decode("ascii", errors="replace").removesuffix("\n")
        if data != f"{identity}\n".encode():
            raise Refuted(f"{path} is not written as its format demands")
        exchanges = found.history.exchanges
        recipient = exchanges[number - 1].seals.get(player) if 1 <= number <= len(exchanges) else None
        if recipient is None or f"keys/exchange-{number}.{player}.agekey" != path:
            raise Refuted(f"{path} belongs to no exchange and player of this game")
        if (derived := sealing.recipient_of(identity)) != recipient:
            raise Refuted(f"the recipient of {path}", recipient, derived)
        identities[number, player] = identity
    return identities


def _check_file(
    found: Evidence,
    exchange: Exchange,
    entry: Arrived,
    name: str,
    identities: dict[tuple[int, str], str],
) -> bool:
    """Whether the file could be opened; raises if the judge's word about it is not true."""
    data = found.files.get(f"sealed/{name}.age") or b""
    if isinstance(entry, Refused):
        return _check_refused(found, entry, data, identities)
    if isinstance(entry, Revealed):
        return _check_late(found, exchange, entry, data, identities)
    identity = identities.get((exchange.number, entry.player))
    if identity is None:
        return False
    try:
        orders = _verified(found, exchange, entry.player, data, identity)
    except TrustFault as fault:
        raise Refuted(f"exchange {exchange.number}, {entry.player}: {fault}") from None
    if orders.rev != entry.rev:
        raise Refuted(f"the revision of sealed/{name}.age", entry.rev, orders.rev)
    if exchange.counted()[entry.player] is entry:
        found.opened[exchange.number, entry.player] = orders
    return True


def _check_refused(
    found: Evidence, entry: Refused, data: bytes, identities: dict[tuple[int, str], str]
) -> bool:
    """A late file opens with a key of an exchange that was closed by then, any other with one of its own.

    A file may be sealed to several keys, of which the judge takes the newest: while that of a newer exchange
    is not disclosed, what an older one shows refutes nothing.
    """
    number = found.entries.index(entry) + 1
    is_all = True
    for exchange in reversed(found.history.exchanges[: entry.exchange]):
        is_over = exchange.number < entry.exchange or 0 < exchange.closed_at < number
        able = [player for player in exchange.seals if (exchange.number, player) in identities]
        for player in able:
            identity = identities[exchange.number, player]
            reason = _why_refused(found, exchange, player, data, identity, is_over=is_over)
            if reason == "sealed-to-another":
                continue
            if reason == entry.reason:
                return True
            if exchange.number < entry.exchange and not is_all:
                return False
            if not reason:
                raise Refuted(f"valid orders of {player} for exchange {exchange.number} were refused")
            raise Refuted(f"why sealed/{entry.sealed}.age was refused", reason, entry.reason)
        is_all = is_all and len(able) == len(exchange.seals)
    if is_all:
        raise Refuted(
            f"sealed/{entry.sealed}.age, refused in exchange {entry.exchange}, is sealed to nobody who plays"
        )
    return False


def _why_refused(
    found: Evidence, exchange: Exchange, player: str, data: bytes, identity: str, *, is_over: bool
) -> str:
    """The reason for which a file had to be refused, opened as this player's; empty if there is none."""
    try:
        if is_over:
            verify_late(sealing.open_sealed(data, [identity]), _due(found, exchange, player))
            return LATE
        orders = _verified(found, exchange, player, data, identity)
    except TrustFault as fault:
        return fault.reason
    return "rev-taken" if _taken(exchange, player, orders.rev, sealing.sealed_name(data)) else ""


def whose_orders(found: Evidence, data: bytes) -> str:
    """Whose a sealed file is that the ledger does not name, as far as this bundle's seal keys open it.

    "" if none of them does, which a bundle of the whole game has for every exchange and player.
    """
    for (number, player), identity in _identities(found).items():
        exchange = found.history.exchanges[number - 1]
        key = sealing.SealKey(found.genesis.game, number, player, exchange.seals[player], identity)
        try:
            sealing.find_key(data, [key])
            orders = _verified(found, exchange, player, data, identity)
        except TrustFault as fault:
            if fault.reason == "sealed-to-another":
                continue
            return f"for exchange {number}, which the judge had to refuse: {fault}"
        return f"orders of {player} for exchange {number}, revision {orders.rev}, as {player} has signed them"
    return ""


def _check_late(
    found: Evidence,
    exchange: Exchange,
    entry: Revealed,
    data: bytes,
    identities: dict[tuple[int, str], str],
) -> bool:
    """The reveal after the close, where it can be opened."""
    identity = identities.get((exchange.number, entry.player))
    if identity is None:
        return False
    late = verify_late_reveal(sealing.open_sealed(data, [identity]), _due(found, exchange, entry.player))
    check_seen(late.seen, exchange.closed_at, found.head_at)
    found.late[exchange.number, entry.player] = late
    return True


def _taken(exchange: Exchange, player: str, rev: int, name: str) -> bool:
    return any(
        (entry.player, entry.rev) == (player, rev) and entry.sealed != name for entry in exchange.received
    )


def _due(found: Evidence, exchange: Exchange, player: str) -> Due:
    enrolled = next(one for one in found.genesis.players if one.name == player)
    return Due(
        game=found.genesis.game,
        exchange=exchange.number,
        player=player,
        side=enrolled.side,
        key=found.key_of(player, exchange.number),
        seal=exchange.seals[player],
    )


def _verified(found: Evidence, exchange: Exchange, player: str, data: bytes, identity: str) -> OrderFile:
    due = _due(found, exchange, player)
    key = sealing.SealKey(found.genesis.game, exchange.number, player, exchange.seals[player], identity)
    orders = open_orders(data, key, due)
    who = found.history.seats.chain_of(player, exchange.number)
    if who is not None or orders.seen is not None:
        check_seen(orders.seen, exchange.opened_at, found.head_at)
    late = found.genesis.mode == AFTER_CLOSE
    if who is not None and not late:
        check_order_reveal(orders, found.known_before(exchange.number, who))
    else:
        check_no_reveal(orders, late=late)
    return orders
