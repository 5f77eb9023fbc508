"""Checks reveals, mixes, dice, times, secrets: all follow from what was fixed before anyone could know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Refuted, Unprovable, compare_text, refuse_of
from pbem.play.history import Exchange
from pbem.trust import chance
from pbem.trust.chance import (
    DRAW_CHAIN,
    OPEN_CHAIN,
    Reveal,
    Roots,
    check_reveal,
    commitment,
    make_chain,
    parse_roots,
    take_proven,
)
from pbem.trust.entries import AFTER_CLOSE, Close, Extend, Received, Refused, Resolve, Revealed
from pbem.trust.faults import ChainFault
from pbem.trust.identifiers import split_who
from pbem.trust.ledger import salt
from pbem.trust.proof import (
    DICE,
    MIXES,
    SHARES,
    STEPS,
    Fault,
    again_faults,
    label_faults,
    share_faults,
    shares_of,
)
from pbem.trust.sealing import seal_key
from pbem.trust.times import utc_text

DRAWN_LATER = "what the players' shares in the dice come from was fixed before the game was drawn"


def check_times(found: Evidence) -> None:
    """Check the claim that by the judge's own clock every exchange was closed when due (protocol 8).

    These times are the judge's word. They must at least agree with each other and with the entries' order.
    """
    with found.findings.claim("no exchange was closed early, extended late or received after its close"):
        clock: datetime | None = None
        for number, entry in enumerate(found.entries, 1):
            at = getattr(entry, "at", None)
            if at is None:
                if isinstance(entry, Received | Close | Extend | Refused | Revealed):
                    raise Refuted(f"entry {number} ({entry.kind}) has no time")
                continue
            if clock is not None and at < clock:
                raise Refuted(
                    f"entry {number} ({entry.kind if entry else ''}) is dated {utc_text(at)}, "
                    f"after an entry of {utc_text(clock)}"
                )
            clock = at
        for exchange in found.history.exchanges:
            _check_times(exchange)
            if found.genesis.mode == AFTER_CLOSE:
                _check_reveal_times(found, exchange)


def _check_times(exchange: Exchange) -> None:
    where = f"exchange {exchange.number}"
    deadline = exchange.opened.deadline
    if not exchange.seals:
        return
    if deadline is None:
        raise Refuted(f"{where} has no deadline")
    for extension in exchange.extended:
        if extension.at > deadline + exchange.paused_until(extension.at):
            raise Refuted(f"{where} was extended after its deadline")
        if extension.deadline <= deadline:
            raise Refuted(f"the deadline of {where} was moved to an earlier one")
        deadline = extension.deadline
    if exchange.closed is None or exchange.closed.at is None:
        return
    everybody = {entry.player for entry in exchange.received} >= exchange.awaited
    if not everybody and exchange.closed.at < deadline + exchange.paused_until(exchange.closed.at):
        missing = sorted(exchange.awaited - {entry.player for entry in exchange.received})
        raise Refuted(f"{where} was closed before its deadline, without the orders of {', '.join(missing)}")


def _check_reveal_times(found: Evidence, exchange: Exchange) -> None:
    """Check the deadline of reveals after the close, which is separate from that of orders (protocol 20).

    A resolve entry is not dated; what is entered next shows that it was resolved by then.
    """
    where, closed = f"exchange {exchange.number}", exchange.closed
    if closed is None or not exchange.seals:
        return
    if closed.deadline is None:
        raise Refuted(f"{where} was closed without a deadline for the reveals")
    awaited = found.history.seats.contributors(exchange.number) - {*exchange.left}
    missing = sorted(awaited - {entry.player for entry in exchange.revealed})
    if not missing or exchange.resolved is None:
        return
    for entry in found.entries[exchange.resolved_at :]:
        if (at := getattr(entry, "at", None)) is not None:
            if at < closed.deadline:
                raise Refuted(f"{where} was resolved before its deadline, without the reveal of {missing[0]}")
            return


def check_reveals(found: Evidence) -> None:
    """Check the claims that all who share in the dice revealed their next step, and nobody was left out."""
    faults = list(_share_faults(found))
    for claim in (STEPS, SHARES):
        with found.findings.claim(claim):
            refuse_of(claim, faults)
    if found.genesis.drawn is not None:
        ledger, call = found.genesis.drawn
        with found.findings.claim(DRAWN_LATER):
            raise Unprovable(f"the bundle of {ledger} shows it, by its call {call}")


def _share_faults(found: Evidence) -> Iterator[Fault]:
    """Yield the faults in the players' shares in each exchange's dice, by the rule of judge and players."""
    known = {anchor.who: anchor for anchor in found.history.anchors}
    after_close = found.genesis.mode == AFTER_CLOSE
    for exchange in found.history.exchanges:
        resolve = exchange.resolved
        if resolve is None:
            continue
        if exchange.opened.again:
            yield from again_faults(resolve)
            continue
        files = found.late if after_close else found.opened
        there = {player: files.get((exchange.number, player)) for player in exchange.seals}
        signed = {player: file.reveal for player, file in there.items() if file is not None}
        yield from share_faults(
            shares_of(found.history, exchange, known=known.get, signed=signed, used=()), resolve
        )
        take_proven(known, resolve.reveals)


def check_shares(found: Evidence) -> None:
    """Check the claim about who has a share in the dice (protocol 1): whoever alone has one foresees them."""
    resolved = [one.resolved for one in found.history.exchanges if one.resolved and not one.opened.again]
    shares = Counter(split_who(reveal.who)[0] for resolve in resolved for reveal in resolve.reveals)
    counts = ", ".join(f"{player.name} in {shares[player.name]}" for player in found.genesis.players)
    with found.findings.claim(f"players had a share in the dice of {len(resolved)} exchanges: {counts}"):
        alone = [str(resolve.exchange) for resolve in resolved if resolve.dice and len(resolve.reveals) == 1]
        if alone:
            raise Unprovable(
                f"only the judge revealed for exchange {', '.join(alone)}, and could know its dice before"
            )


def judges_reveal(exchange: Exchange) -> Reveal:
    """Return the step of their chain for open dice that the judge revealed in an exchange."""
    for reveal in exchange.resolved.reveals if exchange.resolved else ():
        if reveal.who == OPEN_CHAIN:
            return reveal
    raise Refuted(f"exchange {exchange.number} reveals nothing of {OPEN_CHAIN}")


def expected_mix(found: Evidence, exchange: Exchange, judge: Reveal) -> chance.Mix:
    """Return the mix of an exchange, built anew from its parts."""
    resolve = exchange.resolved
    assert resolve is not None
    reveals = {reveal.who: reveal for reveal in resolve.reveals}
    return chance.build_mix(
        found.genesis.game,
        exchange.number,
        gm=judge,
        players=[(who, reveals.get(who)) for who in found.history.seats.lines_in(exchange.number).values()],
    )


def check_dice(found: Evidence) -> None:
    """Check the claims that the mix files hold nothing but the reveals, and every die follows from them."""
    resolved = [exchange for exchange in found.history.exchanges if exchange.resolved]
    with found.findings.claim(MIXES):
        for exchange in resolved:
            assert exchange.resolved is not None
            source = found.history.source(exchange)
            if source is not exchange:
                _check_source(exchange.number, exchange.resolved, source)
                continue
            judge = judges_reveal(exchange)
            mix = expected_mix(found, exchange, judge)
            name = f"mix/{exchange.number}.txt"
            _check_mix(name, mix, found.given_file(name, mix.text))
            if exchange.resolved.mix != mix.name:
                raise Refuted(f"the mix of exchange {exchange.number}", mix.name, exchange.resolved.mix)
        _no_other(found, "mix/", {found.history.source(exchange).number for exchange in resolved})
    with found.findings.claim(DICE):
        lines: list[str] = []
        for exchange, used in _labels(found):
            assert exchange.resolved is not None
            key = bytes.fromhex(exchange.resolved.mix)
            refuse_of(DICE, label_faults(exchange.resolved, found.history.source(exchange).number, used))
            for die in exchange.resolved.dice:
                chance.check_die(key, die)
                lines.append(f"{die.text}\n")
        text = "".join(lines)
        compare_text("dice/all.txt", text, found.given_file("dice/all.txt", text.encode()))


def _labels(found: Evidence) -> Iterator[tuple[Exchange, set[str]]]:
    """Yield each resolved exchange with the labels of earlier dice that were not void by then."""
    used: dict[str, Exchange] = {}
    for exchange in found.history.exchanges:
        if exchange.resolved is not None:
            yield (
                exchange,
                {label for label, one in used.items() if not 0 < one.voided_by < exchange.opened_at},
            )
            used.update((die.label, exchange) for die in exchange.resolved.dice)


def _check_source(number: int, resolve: Resolve, source: Exchange) -> None:
    """Check that an exchange which is played again has the key of its first dice."""
    mix = source.resolved.mix if source.resolved else ""
    if resolve.mix != mix:
        raise Refuted(
            f"the mix of exchange {number}, which plays exchange {source.number} again", mix, resolve.mix
        )


def _check_mix(name: str, mix: chance.Mix, data: bytes) -> None:
    try:
        chance.check_mix(data, mix)
    except ChainFault as fault:
        why = str(fault)
    else:
        return
    try:
        compare_text(name, mix.text.decode(), data)
    except Refuted as difference:
        raise Refuted(f"{why}: {difference}") from None


def _no_other(found: Evidence, folder: str, numbers: set[int]) -> None:
    for path in found.files.known_files:
        if path.startswith(folder):
            number = path.removeprefix(folder).partition(".")[0]
            if int(number) not in numbers or str(int(number)) != number:
                raise Refuted(f"there is no resolved exchange for {path}")


def check_secrets(found: Evidence) -> dict[int, chance.Mix]:
    """Check the claims about secrets opened at the end; return the secret mixes that are disclosed."""
    roots = None
    with found.findings.claim("the judge's secrets are those that the genesis fixes"):
        data = found.files.get("keys/roots")
        if data is None:
            raise Unprovable("they are disclosed when the game is over")
        if not found.history.over:
            raise Refuted("keys/roots is disclosed while the game goes on")
        roots = parse_roots(data)
        check_roots(found, roots)
    mixes: dict[int, chance.Mix] = {}
    with found.findings.claim(
        "every secret mix is made of the judge's secret chain and the players' reveals"
    ):
        known = next(anchor for anchor in found.genesis.anchors if anchor.who == DRAW_CHAIN)
        missing = 0
        roots = found.roots
        chain = make_chain(found.genesis.game, DRAW_CHAIN, roots.secret_chain) if roots is not None else None
        for exchange in found.history.exchanges:
            name = f"mix/{exchange.number}.secret.txt"
            data = found.files.get(name)
            if data is None and chain is not None and exchange.resolved and not exchange.opened.again:
                secret = Reveal(DRAW_CHAIN, exchange.number, chain.reveal(exchange.number))
                data = found.given_file(name, expected_mix(found, exchange, secret).text)
            if exchange.resolved is None or exchange.opened.again or data is None:
                missing += exchange.resolved is not None and not exchange.opened.again
                continue
            reveal = Reveal(DRAW_CHAIN, exchange.number, chance.parse_mix(data).gm)
            check_reveal(found.genesis.game, reveal, known)
            known = reveal
            mixes[exchange.number] = expected_mix(found, exchange, reveal)
            _check_mix(f"mix/{exchange.number}.secret.txt", mixes[exchange.number], data)
        if missing:
            raise Unprovable(f"{missing} of them are not disclosed to this reader")
    return mixes


def check_roots(found: Evidence, roots: Roots) -> None:
    """Check that the secrets are those that genesis fixed and the judge has used. Raises Refuted."""
    game, genesis = found.genesis.game, found.genesis
    for what, expected, value in (
        ("the anchor of gm.1", genesis.anchor, make_chain(game, OPEN_CHAIN, roots.chain).anchor),
        (
            "the anchor of gm-secret.1",
            genesis.secret_anchor,
            make_chain(game, DRAW_CHAIN, roots.secret_chain).anchor,
        ),
        ("the commitment to the salts", genesis.salt_commitment, commitment(game, "salt-root", roots.salt)),
        ("the commitment to the seals", genesis.seal_commitment, commitment(game, "seal-root", roots.seal)),
    ):
        if expected != value:
            raise Refuted(what, expected, value)
    for number, used in found.salts.items():
        if (derived := salt(roots.salt, game, number)) != used:
            raise Refuted(f"the salt of entry {number}", derived, used)
    for exchange in found.history.exchanges:
        for player, recipient in exchange.opened.seals:
            if (derived := seal_key(roots.seal, game, exchange.number, player).recipient) != recipient:
                raise Refuted(f"the seal of {player} in exchange {exchange.number}", derived, recipient)
