"""What can go wrong, sorted by whose move it is next.

Every error that a person may see is a `PbemError`. Its text is lower case, has no final stop and
no class or token names; it says what was read, why that cannot be, and what would be right. The
command line prints it after `pbem: ` and ends with the error's `status`.

Packages add their own kinds below these, beside the code that raises them.
"""

from typing import ClassVar


class PbemError(Exception):
    """Something a person can understand and act upon."""

    status: ClassVar[int] = 1
    """What the command ends with: 1 failed, 2 misused, 3 an audit found a fault (4 and 5: pbem.audit)."""


class OrderError(PbemError):
    """An order file or a line of it: the player corrects it and sends it again."""


class SealError(PbemError):
    """A key, signature or seal does not fit: nothing inside may be used."""


class LedgerError(PbemError):
    """The stored game contradicts itself: stop that game and keep the evidence."""


class MailError(PbemError):
    """Mail could not be fetched or sent: the next pass tries again."""


class ConfigError(PbemError):
    """The club's or the player's own set-up: the organiser or player corrects it."""


class AuditFault(PbemError):
    """The audit was able to run, and found something that is not as it was signed."""

    status: ClassVar[int] = 3
