"""What can go wrong, sorted by whose move it is next.

Every error that a person may see is a `PbemError`. Its text is lower case, has no final stop and
no class or token names; it says what was read, why that cannot be, and what would be right. The
command line prints it after `pbem: ` and ends with the error's `status`.

Packages add their own kinds below these, beside the code that raises them.
"""

from typing import ClassVar

REFUTED_STATUS, MISSING_STATUS, OTHER_RULES_STATUS = 3, 4, 5
AUDIT_STATUSES = {
    0: "nothing is wrong",
    1: "nothing can be said: the bundle is of an unknown format, larger than one can be, or cannot be read",
    2: "the command was misused",
    REFUTED_STATUS: "something is refuted",
    MISSING_STATUS: "something is missing that must be there",
    OTHER_RULES_STATUS: "the game was played by other rules than this release has",
}
"""What `pbem audit` ends with, as its help and protocol 11 say: of 3, 4 and 5 the worst that was found."""


class PbemError(Exception):
    """Something a person can understand and act upon."""

    status: ClassVar[int] = 1
    """What the command ends with: 1 failed, 2 misused, 3 an audit found a fault (AUDIT_STATUSES has all)."""


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
