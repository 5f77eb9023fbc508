"""Files as players send them: what is sealed, what a file holds."""

from __future__ import annotations

from typing import Protocol

from pbem.play.history import History
from pbem.trust import sealing
from pbem.trust.armor import find_sealed
from pbem.trust.chance import Chain, Reveal
from pbem.trust.identifiers import Namespace
from pbem.trust.keys import PrivateKey
from pbem.trust.orderfile import LateReveal, OrderFile, Seen, check_writable, parse_late_reveal


def sample_orders(seal: sealing.SealKey, chain: Chain, body: str) -> OrderFile:
    """Alice's orders for exchange 3."""
    return OrderFile(
        game="hearth",
        exchange=3,
        player="alice",
        side="scotland",
        rev=1,
        seal=seal.recipient,
        seen=Seen(15, "a" * 64),
        reveal=Reveal(chain.who, 3, chain.reveal(3)),
        body=body,
    )


class Ledger(Protocol):
    """A game's ledger as its reader sees it: a judge's book, a home's chronicle."""

    @property
    def history(self) -> History: ...
    @property
    def size(self) -> int: ...
    @property
    def head(self) -> str: ...


def orders_for(
    ledger: Ledger, player: str, chain: Chain | None, number: int = 0, /, **changed: object
) -> OrderFile:
    """What a player's program would sign for an exchange, by default the last; `changed` replaces parts.

    Without a chain it reveals nothing.
    """
    genesis, number = ledger.history.genesis, number or len(ledger.history.exchanges)
    parts: dict[str, object] = {
        "game": genesis.game,
        "exchange": number,
        "player": player,
        "side": next(one.side for one in genesis.players if one.name == player),
        "rev": 1,
        "seal": ledger.history.exchanges[number - 1].seals[player],
        "seen": Seen(ledger.size, ledger.head),
        "reveal": None if chain is None else Reveal(chain.who, number, chain.reveal(number)),
        "body": "",
    }
    return OrderFile(**(parts | changed))  # type: ignore[arg-type]


def seal_orders(orders: OrderFile, key: PrivateKey) -> bytes:
    """`orders` signed, padded and sealed to their own `seal`: the binary age file."""
    check_writable(orders.text)
    return sealing.seal_signed(orders.text, key, Namespace.ORDERS, [orders.seal], sealing.ORDERS_UNIT)


def seal_late_reveal(late: LateReveal, key: PrivateKey, recipient: str) -> bytes:
    """A late reveal signed, padded like orders and sealed to the exchange's seal key."""
    parse_late_reveal(late.text)
    return sealing.seal_signed(late.text, key, Namespace.ORDERS, [recipient], sealing.ORDERS_UNIT)


def only_sealed(data: bytes) -> bytes:
    """The one binary age file in the bytes of a file."""
    (found,) = find_sealed(data)
    return found
