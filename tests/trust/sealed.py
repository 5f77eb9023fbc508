"""Files as players send them: what is sealed, what a file holds."""

from __future__ import annotations

from pbem.trust import padding, sealing
from pbem.trust.armor import find_sealed
from pbem.trust.chains import Chain, Reveal
from pbem.trust.keys import PrivateKey
from pbem.trust.namespaces import Namespace
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


def seal_orders(orders: OrderFile, key: PrivateKey) -> bytes:
    """`orders` signed, padded and sealed to their own `seal`: the binary age file."""
    check_writable(orders.text)
    return sealing.seal_signed(orders.text, key, Namespace.ORDERS, [orders.seal], padding.ORDERS_UNIT)


def seal_late_reveal(late: LateReveal, key: PrivateKey, recipient: str) -> bytes:
    """A late reveal signed, padded like orders and sealed to the exchange's seal key."""
    parse_late_reveal(late.text)
    return sealing.seal_signed(late.text, key, Namespace.ORDERS, [recipient], padding.ORDERS_UNIT)


def only_sealed(data: bytes) -> bytes:
    """The one binary age file in the bytes of a file."""
    (found,) = find_sealed(data)
    return found
