"""The mail with sealed orders, which goes to the judge, with a copy to the opponents (protocol 7).

Any mail program opens it as a draft or sends it, and so does `sendmail -t`. The addresses are those of the
judge's latest letter. A copy tells its readers from where it comes: so it goes from the enrolled address
alone, and only between players who have both agreed that theirs is told.
"""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from pbem.characters import lower
from pbem.player.faults import Refused
from pbem.player.outgoing.ordering import SealedOrders
from pbem.trust.identifiers import typed_address
from pbem.trust.letters import Addresses

_POLICY = SMTP.clone(linesep="\n", max_line_length=200)


def order_mail(
    orders: SealedOrders,
    player: str,
    addresses: Addresses,
    now: datetime,
    *,
    sender: str = "",
    copies: bool = True,
) -> bytes:
    """Return the mail with sealed orders, in lines that end by line feeds; `sender` replaces the own address.

    Raises:
        Refused: the judge's letters name no address.
    """
    message, sender = _begin_mail(orders.game, addresses, sender)
    others = [address for address in addresses.copies if lower(address) != lower(sender)]
    if copies and others and lower(sender) == lower(addresses.own):  # no other was agreed to be told
        message["Cc"] = ", ".join(others)
    message["Subject"] = f"{orders.game} exchange {orders.exchange}: sealed orders"
    message["Date"] = format_datetime(now)
    if sender:
        message["Message-ID"] = f"<{orders.name[:32]}@{sender.partition('@')[2]}>"
    message.set_content(_text(orders, player, copied="Cc" in message), cte="7bit")
    return message.as_bytes()


def _begin_mail(game: str, addresses: Addresses, sender: str) -> tuple[EmailMessage, str]:
    """Return a mail to the judge without its content, and the address that it comes from, if one is known.

    Raises:
        Refused: the judge's letters name no address.
    """
    if not addresses.judge:
        raise Refused(
            f"the judge's letters of {game} name no mail address; "
            "write the sealed file with --out and send it as the judge has told you"
        )
    sender = typed_address(sender) if sender else addresses.own
    message = EmailMessage(policy=_POLICY)
    if sender:
        message["From"] = sender
    message["To"] = addresses.judge
    return message, sender


def press_mail(game: str, armor: str, addresses: Addresses, now: datetime, *, sender: str = "") -> bytes:
    """Compose the mail that brings a sealed message to the judge, as `order_mail` does it; without copies.

    Raises:
        Refused: the judge's letters name no address.
    """
    message, _ = _begin_mail(game, addresses, sender)
    message["Subject"] = f"{game}: a sealed message"
    message["Date"] = format_datetime(now)
    message.set_content(f"{game}: a message, sealed to the judge, who passes it on.\n\n{armor}", cte="7bit")
    return message.as_bytes()


def statement_mail(game: str, what: str, signed: bytes, addresses: Addresses, now: datetime) -> bytes:
    """Compose the mail that brings something signed to the judge: a consent to more time, or an absence.

    Raises:
        Refused: the judge's letters name no address.
    """
    message, _ = _begin_mail(game, addresses, "")
    message["Subject"] = f"{game}: {what}"
    message["Date"] = format_datetime(now)
    message.set_content(signed.decode("ascii"), cte="7bit")
    return message.as_bytes()


def _text(orders: SealedOrders, player: str, *, copied: bool) -> str:
    what = f"revision {orders.rev}" if orders.rev else "reveal"
    lines = [f"{orders.game}, exchange {orders.exchange}: {what} of {player}, sealed to the judge.", ""]
    if copied:
        lines += [
            "To the other players: this copy proves that the orders were sent. You cannot open it. Save the",
            "whole mail, and keep it with",
            "",
            "  pbem receive MAIL",
            "",
        ]
    return "\n".join([*lines, orders.armor])
