"""What can be wrong with something that should have been signed, sealed, revealed or logged.

Each fault carries, beside the message for a person, a `reason`: one token, which a ledger entry `refused`
names if the file is its player's own. A reason says nothing about what a file contains.
"""

from typing import ClassVar

from pbem.errors import LedgerError, OrderError, SealError


class TrustFault(SealError):
    """A piece of evidence does not hold: nothing in it may be used."""

    usual_reason: ClassVar[str] = "fault"

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason or self.usual_reason


class IdentifierFault(TrustFault):
    """A game id, player name or label that the formats cannot carry."""

    usual_reason = "bad-name"


class KeyFault(TrustFault):
    """A key that cannot be read, unlocked or accepted."""

    usual_reason = "bad-key"


class SignatureFault(TrustFault):
    """A signature that is malformed, or is not that of this key under this text."""

    usual_reason = "bad-signature"


class SealFault(TrustFault):
    """An age file that does not open, or is not fit to be opened."""

    usual_reason = "does-not-open"


class ArmorFault(SealFault):
    """Text that holds no armor, or armor beyond repair."""

    usual_reason = "bad-armor"


class ChainFault(TrustFault):
    """A reveal, mix file or die that does not follow from what was fixed before."""

    usual_reason = "bad-reveal"


class OrderFileFault(TrustFault, OrderError):
    """A file that is not the order file it has to be: no line of it counts."""

    usual_reason = "bad-file"


class LedgerFault(LedgerError):
    """An entry, checkpoint or receipt that is not written as its format demands."""


class UnknownFormat(LedgerFault):
    """A ledger in a format that this release does not read: nothing can be said of it."""
