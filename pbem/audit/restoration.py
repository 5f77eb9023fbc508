"""Restores the game of a judge who is lost, from others' files and the judge's secrets (protocol 18).

The bundle of everything can be made without the judge.
Any bundle holds every sealed order file, and so do the players' homes together. The seal root opens them,
the salt root gives the salts of the entries that their reader could not open, the chains give the secret
mixes; and played again, the game writes the hidden entries and the reports anew. Each must fit the leaf that
the judge has signed. So the result is the bundle that the judge would have written, and nothing in it is
believed on trust.

Players' files themselves prove how far they restore a game.
A file is what `pbem game hand-over` writes, or a bundle. Nothing in it is believed: leaves count as far as
a head covers them that the judge has signed, entries by their leaves, sealed files by their hashes. What
was hidden from players is played again with the judge's own secrets (see complete). Two histories that both
were signed are never joined.

Nothing here can show that no later letter was sent: a player may keep the newest one back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pbem.audit.bundle import GENESIS, Files, read_bundle
from pbem.audit.evidence import (
    GM,
    Evidence,
    Unreadable,
    check_keys,
    check_leaves,
    read_leaves,
    read_log,
    read_salts,
)
from pbem.audit.fairness import check_roots, expected_mix, judges_reveal
from pbem.audit.findings import Findings, Missing, Refuted, State
from pbem.audit.orders import check_orders
from pbem.audit.replay import adjudicate
from pbem.errors import AuditFault, ConfigError, PbemError
from pbem.play.adjudicate import following, reported, timeline
from pbem.trust import chance, keys, ledger, signature
from pbem.trust.act_entries import Act
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Chain, Reveal, Roots, make_chain
from pbem.trust.entries import Entry, Extend, Genesis, Received, Refused, Revealed
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import JUDGE_NAMESPACES, OFFICIAL_NAMESPACES, PLAYER_NAMESPACES, Namespace
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import Checkpoint, Receipt, parse_entry
from pbem.trust.rotations import Rotation
from pbem.trust.sealing import open_sealed, seal_key, sealed_name

SIGNERS = "keys/allowed_signers"
GROWING = ("log/leaves", "dice/all.txt")
"""The names of files that grow: an earlier bundle of the game holds only their beginning."""


def complete(
    sources: Sequence[Mapping[str, bytes]], roots: Roots, official: keys.PublicKey | None = None
) -> dict[str, bytes]:
    """Return the bundle of everything from these bundles or players' papers and the judge's secrets.

    `official`: the key of the second official, which papers do not hold.

    Raises:
        ConfigError: something is missing in all of them.
        AuditFault: they contradict each other, or the secrets are not those of the genesis.
    """
    known = _unite_files(sources)
    findings = Findings()
    try:
        found = read_log(Files(known, ()), findings)
        with findings.claim("the secrets are those that the judge fixed in the genesis"):
            check_roots(found, roots)
        _add_seal_keys(found, roots)
        if SIGNERS not in known and not findings.is_refuted:
            known.update(_signers(found, roots, official))
        check_keys(found)
        check_orders(found)
    except Unreadable:
        pass
    _stop_at(findings)
    known.update(_files_of_replay(found, roots))
    if found.history.over:
        known["keys/roots"] = roots.text
    return dict(sorted(known.items()))


def _stop_at(findings: Findings) -> None:
    for row in findings.rows:
        if row.state in (State.REFUTED, State.MISSING):
            kind = ConfigError if row.state == State.MISSING else AuditFault
            raise kind(f"{row.claim}: {row.detail}")


def _unite_files(sources: Sequence[Mapping[str, bytes]]) -> dict[str, bytes]:
    """Return the united files of all sources; where two differ, one must be the beginning of the other."""
    known: dict[str, bytes] = {}
    for name, data in ((name, data) for source in sources for name, data in source.items()):
        have = known.setdefault(name, data)
        if have == data:
            continue
        short, long = sorted((have, data), key=len)
        if name not in GROWING or not long.startswith(short):
            raise AuditFault(f"two of the sources have a file {name}, and the files differ")
        known[name] = long
    return known


def _signers(found: Evidence, roots: Roots, official: keys.PublicKey | None) -> dict[str, bytes]:
    """Return the files that list signers: the keys that the genesis names, as found in their signatures."""
    genesis = found.genesis
    seen = {key.fingerprint: key for key in _signing_keys(found, roots)}
    if official is not None:
        seen[official.fingerprint] = official
    wanted: list[tuple[str, str, tuple[Namespace, ...]]] = [(GM, genesis.gm, JUDGE_NAMESPACES)]
    wanted += [(one.name, one.fingerprint, PLAYER_NAMESPACES) for one in genesis.players]
    wanted += [(*genesis.official, OFFICIAL_NAMESPACES)] if genesis.official else []
    if missing := [name for name, fingerprint, _ in wanted if fingerprint not in seen]:
        raise ConfigError(f"nothing here is signed by {missing[0]}: add a bundle, which holds their key")
    signers = [
        keys.Signer(name=name, game=genesis.game, namespaces=namespaces, key=seen[fingerprint])
        for name, fingerprint, namespaces in wanted
    ]
    files = {SIGNERS: keys.render_signers(signers).encode()}
    for start in {rotation.starts for rotation in found.history.seats.rotations}:
        lines = {one.name: found.history.seats.key_line(one.name, start) for one in signers}
        later = [
            replace(one, key=keys.parse_public(line)) if (line := lines[one.name]) else one for one in signers
        ]
        files[f"{SIGNERS}.from-{start}"] = keys.render_signers(later).encode()
    return files


def _signing_keys(found: Evidence, roots: Roots) -> Iterator[keys.PublicKey]:
    """Yield the public keys in the signatures of a bundle, each of which carries its own."""
    for name, data in found.files.known_files.items():
        if name.endswith(".sig"):
            yield signature.parse(data).key
    for exchange in found.history.exchanges:
        for entry in exchange.received:
            if (sealed := found.files.get(f"sealed/{entry.sealed}.age")) is not None:
                key = seal_key(roots.seal, found.genesis.game, exchange.number, entry.player)
                yield signature.parse(signature.split(open_sealed(sealed, [key])).armor).key


def _add_seal_keys(found: Evidence, roots: Roots) -> None:
    for exchange in found.history.exchanges:
        if exchange.resolved is not None or found.history.over:
            for player in exchange.seals:
                key = seal_key(roots.seal, found.genesis.game, exchange.number, player)
                found.files.known_files[f"keys/exchange-{exchange.number}.{player}.agekey"] = (
                    f"{key.identity}\n".encode()
                )


def _files_of_replay(found: Evidence, roots: Roots) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a replay of the game gives: mixes, dice, the hidden entries, the reports."""
    game = found.genesis.game
    secret = make_chain(game, DRAW_CHAIN, roots.secret_chain)
    assert make_chain(game, OPEN_CHAIN, roots.chain).anchor == found.genesis.anchor, "check_roots has seen it"
    mixes = _secret_mixes(found, secret)
    dice: list[str] = []
    for exchange, adjudicator, result in timeline(found.history, partial(adjudicate, found, mixes)):
        number = exchange.number
        size = exchange.resolved_at + len(result.drawn)
        later = following(found.history, exchange)
        decided: list[Entry] = list(result.drawn)
        for place, drawn in enumerate(decided, exchange.resolved_at + 1):
            yield from _entry(found, roots, place, drawn)
        deadline = later.opened.deadline if later else None
        reports = adjudicator.reports(result, size, found.head_at(size) or "", deadline)
        for place, entry in enumerate(reported(number, reports), size + 1):
            yield from _entry(found, roots, place, entry)
        for report in reports:
            yield f"reports/{report.audience}/{number:04d}.txt", report.text.encode()
        if not exchange.opened.again:
            yield f"mix/{number}.txt", expected_mix(found, exchange, judges_reveal(exchange)).text
            yield f"mix/{number}.secret.txt", mixes[number].text
        dice += [f"{die.text}\n" for die in result.resolve.dice]
    yield "dice/all.txt", "".join(dice).encode()


def _secret_mixes(found: Evidence, secret: Chain) -> dict[int, chance.Mix]:
    return {
        exchange.number: expected_mix(
            found, exchange, Reveal(DRAW_CHAIN, exchange.number, secret.reveal(exchange.number))
        )
        for exchange in found.history.exchanges
        if exchange.resolved is not None and not exchange.opened.again
    }


def _entry(found: Evidence, roots: Roots, number: int, entry: Entry) -> Iterator[tuple[str, bytes]]:
    """Yield the file of an entry from the replay, and its salt; the entry must match its signed leaf."""
    salt = ledger.salt(roots.salt, found.genesis.game, number)
    if number > len(found.leaves) or ledger.leaf(salt, entry.text) != found.leaves[number - 1]:
        raise AuditFault(
            f"entry {number} is not what the game gives when this release plays it again ({entry.lines[0]})"
        )
    yield f"log/{number:04d}.entry", entry.text
    yield f"log/{number:04d}.salt", f"{salt}\n".encode()


JudgeKey = Callable[[str], PublicKey | None]
"""A function that returns the judge's key with a given fingerprint; None if there was no such key."""
OWN = "the backup"


class TwoHistories(PbemError):
    """Raised when two histories of one game were signed; neither of them is continued."""


class HandedOver(NamedTuple):
    """A file that one player has handed over about one game."""

    label: str
    """The name of the handed-over file."""
    files: MutableMapping[str, bytes]


@dataclass(slots=True)
class _Source:
    """The part of a player's handed-over file that counts, because the judge's signature covers it."""

    label: str
    leaves: list[str]
    heads: list[str]
    files: Mapping[str, bytes]
    size: int = 0
    """Number of entries that a signed head covers."""
    signed: dict[int, str] = field(default_factory=dict)
    """The heads in the file that the judge has signed, by size; they may be of another history than the
    leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A restored game, as far as players' files and the judge's secrets prove it."""

    game: str
    size: int
    """Number of entries in `files`, or in the backup if nothing could be added."""
    files: Mapping[str, bytes]
    """The files of the bundle of everything up to entry `size`; empty if nothing could be added."""
    signed: Checkpoint | None
    """The highest head that is known to be signed; None if there is none."""
    receipts: tuple[Receipt, ...]
    """The receipts that were given for order files that are not in `files`."""
    missing: str
    """The reason why the entries after `size` cannot be rebuilt; "" if no more are known to be signed."""
    faults: tuple[str, ...]
    """Sentences about files, or parts of files, that do not count."""


def read_handed_over(paths: Iterable[Path]) -> tuple[dict[str, list[HandedOver]], list[str]]:
    """Return the handed-over files by game, and a sentence for each file that cannot be read."""
    found: dict[str, list[HandedOver]] = {}
    faults: list[str] = []
    for path in paths:
        try:
            files = read_bundle(path).known_files
            game = _game_in(files)
        except PbemError as problem:
            faults.append(f"{path} is not used: {problem}")
            continue
        found.setdefault(game, []).append(HandedOver(path.name, files))
    return found, faults


def _game_in(files: Mapping[str, bytes]) -> str:
    entry = parse_entry(files[GENESIS]) if GENESIS in files else None
    if not isinstance(entry, Genesis):
        raise LedgerFault("it holds no beginning of a game")
    return entry.game


def rebuild(
    game: str,
    handed: Sequence[HandedOver],
    own: Mapping[str, bytes],
    roots: Roots,
    judge: JudgeKey,
    *,
    official: PublicKey | None = None,
    has_file: Callable[[str], bool] = lambda _: False,
) -> Rebuilt:
    """Return a game as far as the handed-over files, the backup and the judge's secrets prove it.

    `own`: the bundle of everything as the backup gives it; empty if it does not know the game. `has_file`:
    whether the backup holds a signed text, by its hash.

    Raises:
        TwoHistories: the judge's key has signed two histories of the game.
    """
    faults: list[str] = []
    sources = [source for one in handed if (source := _source(game, one, judge, faults)) is not None]
    here = _own_source(game, own)
    every = [*sources, here] if here else sources
    longest = max(every, key=lambda one: one.size, default=None)
    kept = here.size if here else 0
    if longest is None:
        return Rebuilt(
            game=game, size=0, files={}, signed=None, receipts=(), missing="", faults=tuple(faults)
        )
    _check_one_history(game, every, longest)
    known = _unite_papers(every, longest)
    entries = _entries(known, longest.size)
    known |= _order_files(every, entries, faults)
    sizes = sorted({size for one in every for size in one.signed if kept < size <= longest.size})
    top = max((size, head) for one in every for size, head in one.signed.items())
    signed = Checkpoint(game=game, size=top[0], head=top[1])
    missing = _beyond(longest, signed)
    for number, entry in entries.items():
        if number > kept and (lost := _lost_text(entry, has_file)):
            sizes = [size for size in sizes if size < number]
            missing = f"entry {number} rests on {lost}, which is in no file"
            break
    files, reason = _furthest(known, sizes, entries, roots, official)
    size = max((int(name[4:-6]) for name in files if name.endswith(".entry")), default=kept)
    named = {one.sealed for number, one in entries.items() if isinstance(one, Received) and number <= size}
    receipts = tuple(one for one in _receipts(game, handed, judge) if one.sealed not in named)
    return Rebuilt(
        game=game, size=size, files=files, signed=signed, receipts=receipts,
        missing=reason or missing, faults=tuple(faults),
    )  # fmt: skip


def _source(game: str, one: HandedOver, judge: JudgeKey, faults: list[str]) -> _Source | None:
    """Return a file as far as signed heads cover it; None, and a sentence in `faults`, if nothing counts."""
    files = Files(one.files, ())
    try:
        leaves = read_leaves(files)
        check_leaves(files, leaves)
        read_salts(files, len(leaves))
    except (Refuted, Missing) as fault:
        faults.append(f"{one.label} is not used: it is damaged, or was changed: {fault}")
        return None
    heads = ledger.fold(game, leaves)
    source = _Source(one.label, leaves, heads, files.known_files)
    for size, head in _signed_heads(game, one, judge, faults):
        source.signed[size] = head
        if size <= len(heads) and heads[size - 1] == head:
            source.size = max(source.size, size)
    if contradicted := [size for size in source.signed if size <= len(heads) and source.size < size]:
        faults.append(
            f"{one.label} counts only up to entry {source.size}: its entries up to {min(contradicted)} have "
            "another head than the judge has signed, so it was changed"
        )
    elif not source.size:
        faults.append(f"{one.label} is not used: no head in it was signed by this judge")
    return source if source.signed else None


def _signed_heads(
    game: str, one: HandedOver, judge: JudgeKey, faults: list[str]
) -> Iterator[tuple[int, str]]:
    """Yield the size and the head of each checkpoint that the judge has signed for a game."""
    for name in sorted(one.files):
        if not (name.startswith("checkpoints/") and name.endswith(".sig")):
            continue
        try:
            armor, text = one.files[name], one.files.get(f"{name[:-4]}.txt", b"")
            key = judge(signature.parse(armor).key.fingerprint)
            if key is None:
                faults.append(f"{one.label}: {name} was signed with a key that this judge has not had")
                continue
            found = ledger.verify_checkpoint(text, armor, key)
        except (LedgerFault, TrustFault) as fault:
            faults.append(f"{one.label}: {name} does not count: {fault}")
            continue
        if (found.game, name) == (game, f"checkpoints/{found.size:04d}.sig") and found.size > 0:
            yield found.size, found.head


def _own_source(game: str, own: Mapping[str, bytes]) -> _Source | None:
    """Return the ledger in the judge's own backup, which was checked when it was restored."""
    if not own:
        return None
    leaves = read_leaves(Files(dict(own), ()))
    heads = ledger.fold(game, leaves)
    sizes = [int(name[12:-4]) for name in own if name.startswith("checkpoints/") and name.endswith(".sig")]
    return _Source(OWN, leaves, heads, own, len(leaves), {size: heads[size - 1] for size in sizes})


def _check_one_history(game: str, sources: Sequence[_Source], longest: _Source) -> None:
    """Raise TwoHistories if two histories of a game were signed."""
    for one in sources:
        for size, head in sorted(one.signed.items()):
            for other in sources:
                if other.signed.get(size, head) != head:
                    raise TwoHistories(
                        f"{one.label} and {other.label} hold two heads of {game} at entry {size}, and the "
                        "judge's key has signed both: that is two histories, and neither goes on"
                    )
        common = min(one.size, longest.size)
        denied = any(
            longest.heads[size - 1] != head for size, head in one.signed.items() if size <= longest.size
        )
        if denied or one.heads[:common] != longest.heads[:common]:
            raise TwoHistories(
                f"{one.label} and {longest.label} hold two histories of {game} that the judge's key has "
                "signed, and neither goes on"
            )


def _beyond(longest: _Source, signed: Checkpoint) -> str:
    if signed.size <= longest.size:
        return ""
    return f"a head of {signed.size} entries was signed, and no file holds the entries after {longest.size}"


def _unite_papers(sources: Sequence[_Source], longest: _Source) -> dict[str, bytes]:
    """Return log, signed heads and signers' keys from all sources, as far as the longest history has them."""
    known: dict[str, bytes] = {}
    for one in sources:
        for name in sorted(one.files):
            folder, _, rest = name.partition("/")
            number = _number(rest)
            if (folder == "log" and 0 < number <= one.size) or (
                folder == "checkpoints" and number in one.signed and number <= longest.size
            ):
                known.setdefault(name, one.files[name])
            elif name == SIGNERS and one.label == OWN:
                known[name] = one.files[name]
    leaves = longest.leaves[: longest.size]
    known["log/leaves"] = "".join(f"{number} {leaf}\n" for number, leaf in enumerate(leaves, 1)).encode()
    return known


def _order_files(
    sources: Sequence[_Source], entries: Mapping[int, Entry], faults: list[str]
) -> dict[str, bytes]:
    """Return the order files that the ledger names, each checked by its hash."""
    known: dict[str, bytes] = {}
    for file in {one.sealed for one in entries.values() if isinstance(one, Received | Refused | Revealed)}:
        name = f"sealed/{file}.age"
        for one in sources:
            if name not in known and (data := one.files.get(name)) is not None:
                if sealed_name(data) == file:
                    known[name] = data
                else:
                    faults.append(f"{one.label}: {name} is not what its name says, and does not count")
    return known


def _number(name: str) -> int:
    digits = re.match(r"[0-9]{1,6}(?=[.])", name)
    return int(digits[0]) if digits else 0


def _entries(known: Mapping[str, bytes], size: int) -> dict[int, Entry]:
    """Return the entries of a ledger that somebody could open, by number."""
    texts = {number: known.get(f"log/{number:04d}.entry") for number in range(1, size + 1)}
    return {number: parse_entry(text) for number, text in texts.items() if text is not None}


def _lost_text(entry: Entry, has_file: Callable[[str], bool]) -> str:
    """Return words for a signed text that an entry rests on and that nobody has; "" if none is missing."""
    needed: list[tuple[str, str]] = []
    if isinstance(entry, Rotation):
        needed.append(("the signed text of a new key", entry.text_sha256))
    if isinstance(entry, Act | Extend | Rotation):
        needed += [(f"the consent of {name}", sha256) for name, (sha256, _) in entry.consents]
    return next((what for what, sha256 in needed if not has_file(sha256)), "")


def _furthest(
    known: Mapping[str, bytes],
    sizes: Sequence[int],
    entries: Mapping[int, Entry],
    roots: Roots,
    official: PublicKey | None,
) -> tuple[Mapping[str, bytes], str]:
    """Return the bundle up to the last signed head that can be made whole, and why it goes no further.

    Whatever a ledger lacks, each longer one lacks as well, so the head is searched for by halves.
    """
    files: Mapping[str, bytes] = {}
    reason = ""
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2 if files or reason else high - 1  # mostly all of it is there
        try:
            files = _whole(_beginning(known, sizes[middle], entries), sizes[middle], roots, official)
            low = middle + 1
        except PbemError as problem:
            reason = f"entries {_last(sizes, low) + 1} to {sizes[middle]}: {problem}"
            high = middle
    return files, reason if low < len(sizes) else ""


def _last(sizes: Sequence[int], low: int) -> int:
    return sizes[low - 1] if low else 0


def _whole(
    beginning: Mapping[str, bytes], size: int, roots: Roots, official: PublicKey | None
) -> Mapping[str, bytes]:
    """Return the bundle of everything for a ledger's beginning. Raises PbemError if something is missing."""
    files = complete([beginning], roots, official)
    for number in range(1, size + 1):
        if f"log/{number:04d}.entry" not in files:
            raise LedgerFault(f"entry {number} is in no file")
    return files


def _beginning(known: Mapping[str, bytes], size: int, entries: Mapping[int, Entry]) -> dict[str, bytes]:
    """Return the files of a bundle that belong to the first `size` entries of its ledger."""
    named = {
        one.sealed
        for number, one in entries.items()
        if number <= size and isinstance(one, Received | Refused | Revealed)
    }
    found: dict[str, bytes] = {}
    for name, data in known.items():
        folder, _, rest = name.partition("/")
        if folder in ("log", "checkpoints") and name != "log/leaves" and _number(rest) > size:
            continue
        if folder == "sealed" and rest.removesuffix(".age") not in named:
            continue
        found[name] = data
    found["log/leaves"] = b"".join(b"%s\n" % line for line in known["log/leaves"].split(b"\n")[:size])
    return found


def _receipts(game: str, handed: Sequence[HandedOver], judge: JudgeKey) -> Iterator[Receipt]:
    """Yield each receipt of a game that the judge has signed, once."""
    once: set[bytes] = set()
    for one in handed:
        for name in sorted(one.files):
            text, armor = one.files[name], one.files.get(f"{name[:-4]}.sig", b"")
            if not (name.startswith("papers/") and name.endswith(".txt")) or text in once:
                continue
            try:
                key = judge(signature.parse(armor).key.fingerprint)
                receipt = ledger.verify_receipt(text, armor, key) if key else None
            except (LedgerFault, TrustFault):
                continue
            if receipt is not None and receipt.game == game:
                once.add(text)
                yield receipt
