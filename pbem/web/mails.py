"""Makes files that the player hands from the page to a mail program; nothing is sent here."""

from __future__ import annotations

from dataclasses import dataclass
from email import policy
from email.parser import BytesParser

from pbem.player import Home, SealedOrders
from pbem.player.faults import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One file to be handed to a mail program."""

    game: str
    file: str
    """The name for the file, with an ending that the browser's share dialog accepts."""
    text: str
    """The text that the mail must contain."""
    to: str = ""
    """The judge's mail address; "" if the letters name none."""
    copies: tuple[str, ...] = ()
    subject: str = ""
    eml: str = ""
    """The address (mailto:) that opens the whole mail as a draft; "" if no address is known."""
    exchange: int = 0
    rev: int = 0
    sealed: str = ""
    """The SHA-256 of the sealed file, by which receipt and ledger name the file."""
    remarks: tuple[str, ...] = ()


def orders_out(home: Home, orders: SealedOrders) -> Outgoing:
    """Return sealed orders as a file for a mail program, with address and subject."""
    what = f"revision-{orders.rev}" if orders.rev else "reveal"
    try:
        eml = home.mail(orders)
    except Refused:  # the club does not play by mail
        eml = b""
    read = BytesParser(policy=policy.default).parsebytes(eml, headersonly=True)
    return Outgoing(
        game=orders.game,
        file=f"{orders.game}-{orders.exchange:04}-{what}.txt",
        text=orders.armor,
        to=str(read["To"] or ""),
        copies=tuple(address.strip() for address in str(read["Cc"] or "").split(",") if address.strip()),
        subject=str(read["Subject"] or f"{orders.game} exchange {orders.exchange}: sealed orders"),
        eml=eml.decode(),
        exchange=orders.exchange,
        rev=orders.rev,
        sealed=orders.name,
        remarks=orders.remarks,
    )
