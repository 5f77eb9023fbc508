"""Order files: each is there, signed by its player, and was rightly received or refused."""

from __future__ import annotations

import re

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Missing, Refuted, Unprovable
from pbem.play.history import Exchange
from pbem.trust import sealing
from pbem.trust.entries import AFTER_CLOSE, Received, Refused, Revealed
from pbem.trust.faults import TrustFault
from pbem.trust.orderfile import (
    RECENT_EXCHANGES,
    Due,
    OrderFile,
    check_no_reveal,
    check_order_reveal,
    check_seen,
    open_orders,
    verify_late,
    verify_late_reveal,
)

LATE = "late"
"""Why a file is refused that its player has signed for an exchange that was closed."""

Arrived = Received | Refused | Revealed


def check_orders(found: Evidence) -> None:
    """Claims: every order file is there, signed by its player, and was rightly received or refused."""
    named: dict[str, tuple[Exchange, Arrived]] = {}
    for exchange in found.history.exchanges:
        arrived: list[Arrived] = [*exchange.received, *exchange.refused, *exchange.revealed]
        for entry in arrived:
            named[entry.sealed] = exchange, entry
    with found.findings.claim("every order file that the ledger names is in the bundle, unchanged"):
        lacking = []
        for name, place in named.items():
            data = found.files.get(f"sealed/{name}.age")
            if data is None:
                lacking.append(f"sealed/{name}.age is missing: {_whose(*place)}")
                continue
            if sealing.sealed_name(data) != name:
                raise Refuted(f"the hash of sealed/{name}.age", name, sealing.sealed_name(data))
        for path in found.files.known:
            if path.startswith("sealed/") and path[7:-4] not in named:
                raise Refuted(f"{path} was never received")
        if lacking:
            raise Missing(*lacking)
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
    return _derived(found) | identities


def _derived(found: Evidence) -> dict[tuple[int, str], str]:
    """The seal keys that follow from the judge's secrets, where the bundle lacks them."""
    keys = {}
    for exchange in found.history.exchanges if found.roots else ():
        for player, recipient in exchange.seals.items():
            assert found.roots is not None
            key = sealing.seal_key(found.roots.seal, found.genesis.game, exchange.number, player)
            name = f"keys/exchange-{exchange.number}.{player}.agekey"
            if key.recipient == recipient:
                found.given(name, b"")
                keys[exchange.number, player] = key.identity
    return keys


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
    oldest = max(0, entry.exchange - RECENT_EXCHANGES)
    for exchange in reversed(found.history.exchanges[oldest : entry.exchange]):
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
