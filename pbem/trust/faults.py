"""Faults of things that should have been signed, sealed, revealed or entered in a ledger.

Each fault carries, beside the message for a person, a `reason`: one token, which a ledger entry `refused`
names if the file is its player's own. A reason says nothing about what a file contains.

The last ones are those of backends (primitives); `keys` and `sealing` turn them into words for people.
"""

from typing import ClassVar

from pbem.errors import LedgerError, OrderError, SealError


class TrustFault(SealError):
    """The base class of faults in signed evidence: the check failed, and nothing in it may be used."""

    usual_reason: ClassVar[str] = "fault"

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason or self.usual_reason


class IdentifierFault(TrustFault):
    """The fault of a game id, player name or label that the formats cannot carry."""

    usual_reason = "bad-name"


class KeyFault(TrustFault):
    """The fault of a key that cannot be read, unlocked or accepted."""

    usual_reason = "bad-key"


class SignatureFault(TrustFault):
    """The fault of a signature that is malformed, or not made by the right key under the right text."""

    usual_reason = "bad-signature"


class SealFault(TrustFault):
    """The fault of an age file that does not open, or is not fit to be opened."""

    usual_reason = "does-not-open"


class ArmorFault(SealFault):
    """The fault of a text that holds no armor, or only armor beyond repair."""

    usual_reason = "bad-armor"


class ChainFault(TrustFault):
    """The fault of a reveal, mix file or die that does not follow from what was fixed before."""

    usual_reason = "bad-reveal"


class OrderFileFault(TrustFault, OrderError):
    """The fault of a file that is not the signed text that was expected; none of the file's lines counts."""

    usual_reason = "bad-file"


class LedgerFault(LedgerError):
    """The fault of an entry, checkpoint or receipt that is not written as its format demands."""


class UnknownFormat(LedgerFault):
    """The fault of a ledger in a format that this release does not read and can say nothing about."""


class Locked(Exception):
    """Raised if a key file needs a passphrase and none was given."""


class WrongPassphrase(Exception):
    """Raised if a passphrase does not open a key file."""


class Unreadable(Exception):
    """Raised if a key file is damaged, or of a kind that is not read; the message says more."""


class OtherKind(Exception):
    """Raised if a key file is whole, and its key is not an Ed25519 key."""


class OddRecipient(Exception):
    """Raised if a text is not a valid age recipient."""


class OddIdentity(Exception):
    """Raised if a text is not a valid age identity."""


class NoKeyFits(Exception):
    """Raised if an age file is sealed to other keys."""


class Broken(Exception):
    """Raised if an age file does not open because it is damaged."""
