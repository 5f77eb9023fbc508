"""Checks order files: each is there, signed by its player, and was rightly received or refused."""

from __future__ import annotations

import re

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Missing, Refuted, Unprovable, refuse_of
from pbem.characters import upper
from pbem.play.history import Exchange
from pbem.trust import sealing
from pbem.trust.entries import AFTER_CLOSE, Received, Refused, Revealed
from pbem.trust.faults import TrustFault
from pbem.trust.orderfile import (
    ExpectedFile,
    OrderFile,
    Standing,
    check_counts,
    check_late,
    own_orders,
    verify_late_reveal,
)
from pbem.trust.proof import ONCE

Arrived = Received | Refused | Revealed


def check_orders(found: Evidence) -> None:
    """Check the claims that every order file is there, signed by its player, and rightly treated."""
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
        for path in found.files.known_files:
            if path.startswith("sealed/") and path[7:-4] not in named:
                raise Refuted(f"{path} was never received")
        if lacking:
            raise Missing(*lacking)
    with found.findings.claim(ONCE):
        refuse_of(ONCE, found.repeats)
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
    """Return a description of an order file by its entry in the ledger."""
    if isinstance(entry, Received):
        return f"the orders of {entry.player} for exchange {exchange.number}, revision {entry.rev}"
    if isinstance(entry, Revealed):
        return f"the reveal of {entry.player} for exchange {exchange.number}"
    return f"a file of {entry.player} for exchange {entry.of} that was refused"


def _identities(found: Evidence) -> dict[tuple[int, str], str]:
    """Return the disclosed seal keys of order files, by exchange and player."""
    identities = {}
    for path, data in found.files.known_files.items():
        match = re.fullmatch(r"keys/exchange-([0-9]+)\.([a-z0-9._-]+)\.agekey", path)
        if match is None:
            continue
        number, player = int(match[1]), match[2]
        identity = data.decode("ascii", errors="replace").removesuffix("\n")
        if data != f"{identity}\n".encode() or identity != upper(identity):
            raise Refuted(f"{path} is not written as its format demands")
        exchanges = found.history.exchanges
        recipient = exchanges[number - 1].seals.get(player) if 1 <= number <= len(exchanges) else None
        if recipient is None or f"keys/exchange-{number}.{player}.agekey" != path:
            raise Refuted(f"{path} belongs to no exchange and player of this game")
        if (derived := sealing.recipient_of(identity)) != recipient:
            raise Refuted(f"the recipient of {path}", recipient, derived)
        identities[number, player] = identity
    return _derive_keys(found) | identities


def _derive_keys(found: Evidence) -> dict[tuple[int, str], str]:
    """Return the seal keys of order files that the bundle lacks and that follow from the judge's secrets."""
    keys = {}
    for exchange in found.history.exchanges if found.roots else ():
        for player, recipient in exchange.seals.items():
            assert found.roots is not None
            key = sealing.seal_key(found.roots.seal, found.genesis.game, exchange.number, player)
            name = f"keys/exchange-{exchange.number}.{player}.agekey"
            if key.recipient == recipient:
                found.given_file(name, b"")
                keys[exchange.number, player] = key.identity
    return keys


def _check_file(
    found: Evidence,
    exchange: Exchange,
    entry: Arrived,
    name: str,
    identities: dict[tuple[int, str], str],
) -> bool:
    """Tell whether an order file could be opened; raise if the judge's entry about the file is not true."""
    data = found.files.get(f"sealed/{name}.age") or b""
    if isinstance(entry, Refused):
        return _check_refused(found, entry, data, identities)
    if isinstance(entry, Revealed):
        return _check_late(found, exchange, entry, data, identities)
    identity = identities.get((exchange.number, entry.player))
    if identity is None:
        return False
    try:
        orders = _counting(found, exchange, entry.player, data, identity, found.number_of(entry))
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
    """Tell whether a refused order file could be opened; raise if it is not its player's, or had to count."""
    identity = identities.get((entry.of, entry.player))
    if identity is None:
        return False
    where = f"sealed/{entry.sealed}.age, refused in exchange {entry.exchange}"
    exchange = found.history.exchanges[entry.of - 1]
    try:
        orders = own_orders(sealing.open_orders_with(data, identity), _due(found, exchange, entry.player))
    except TrustFault as fault:
        raise Refuted(f"{where}, is not a file of {entry.player} for exchange {entry.of}: {fault}") from None
    try:
        _check_counts(found, exchange, entry.player, orders, found.number_of(entry))
    except TrustFault as fault:
        if fault.reason != entry.reason:
            raise Refuted(f"why {where}", fault.reason, entry.reason) from None
        return True
    raise Refuted(f"valid orders of {entry.player} for exchange {entry.of} were refused")


def whose_orders(found: Evidence, data: bytes) -> str:
    """Return the owner of a sealed file that the ledger does not list, if a seal key in the bundle opens it.

    The owner is told in words; "" if no seal key in the bundle opens the file. A bundle of everything has one
    for every exchange and player.
    """
    for (number, player), identity in _identities(found).items():
        exchange = found.history.exchanges[number - 1]
        try:
            by = exchange.closed_at or len(found.entries) + 1
            orders = _counting(found, exchange, player, data, identity, by)
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
    """Tell whether a player's reveal after the close could be opened; raise if it is not a valid one."""
    identity = identities.get((exchange.number, entry.player))
    if identity is None:
        return False
    if len(data) > sealing.MAX_SEALED_REVEAL_SIZE:
        raise Refuted(f"the reveal of {entry.player} for exchange {exchange.number} is too large")
    late = verify_late_reveal(sealing.open_orders_with(data, identity), _due(found, exchange, entry.player))
    number = found.number_of(entry)
    who = found.history.seats.chain_of(entry.player, exchange.number)
    known = found.known_before(exchange.number, who) if who is not None else None
    check_late(late, exchange.closed_at, lambda size: found.head_at(size) if size < number else None, known)
    found.late[exchange.number, entry.player] = late
    return True


def _due(found: Evidence, exchange: Exchange, player: str) -> ExpectedFile:
    enrolled = next(one for one in found.genesis.players if one.name == player)
    return ExpectedFile(
        game=found.genesis.game,
        exchange=exchange.number,
        player=player,
        side=enrolled.side,
        key=found.key_of(player, exchange.number),
        seal=exchange.seals[player],
    )


def _counting(
    found: Evidence, exchange: Exchange, player: str, data: bytes, identity: str, number: int
) -> OrderFile:
    """Return the order file in a sealed file; raise if it is not the player's, or could not count.

    `number`: the number of the entry by which the sealed file came.
    """
    due = _due(found, exchange, player)
    orders = own_orders(sealing.open_orders_with(data, identity), due)
    _check_counts(found, exchange, player, orders, number)
    return orders


def _check_counts(found: Evidence, exchange: Exchange, player: str, orders: OrderFile, number: int) -> None:
    """Check that an order file counted (protocol 3), by the ledger before entry `number`."""
    who = found.history.seats.chain_of(player, exchange.number)
    later = found.history.exchanges[exchange.number :]
    ended = exchange.closed_at or (later[0].opened_at if later else number)
    earlier = (entry for entry in exchange.received if found.number_of(entry) < number)
    standing = Standing(
        takes=number <= ended,
        opened=exchange.opened_at,
        head_at=lambda size: found.head_at(size) if size < number else None,
        known=found.known_before(exchange.number, who) if who is not None else None,
        after_close=found.genesis.mode == AFTER_CLOSE,
        revisions=frozenset(entry.rev for entry in earlier if entry.player == player),
    )
    check_counts(orders, _due(found, exchange, player), standing)
