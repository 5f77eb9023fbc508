"""Makes the bundle of everything without the judge: from others' files and the judge's secrets.

Any bundle holds every sealed order file, and so do the players' homes together. The seal root opens them,
the salt root gives the salts of the entries that their reader could not open, the chains give the secret
mixes; and played again, the game writes the hidden entries and the reports anew. Each must fit the leaf that
the judge has signed. So the result is the bundle that the judge would have written, and nothing in it is
believed on trust.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pbem.audit.bundle import Files
from pbem.audit.evidence import GM, Evidence, Unreadable, check_keys, read_log
from pbem.audit.fairness import check_roots, expected_mix, judges_reveal
from pbem.audit.findings import Findings, State
from pbem.audit.orders import check_orders
from pbem.audit.replay import adjudicate
from pbem.errors import AuditFault, ConfigError
from pbem.play.adjudicate import reported
from pbem.play.timeline import following, timeline
from pbem.trust import chance, keys, ledger, signature
from pbem.trust.chance import DRAW_CHAIN, OPEN_CHAIN, Chain, Reveal, Roots, make_chain
from pbem.trust.entries import Entry
from pbem.trust.identifiers import JUDGE_NAMESPACES, OFFICIAL_NAMESPACES, PLAYER_NAMESPACES, Namespace
from pbem.trust.sealing import open_sealed, seal_key

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
