"""The program's errors, sorted by who has to act next.

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
"""The exit statuses of `pbem audit` with their meanings (protocol 11); of 3, 4 and 5 the audit ends with the
worst that it found."""


class PbemError(Exception):
    """The base class of errors that a person can understand and act upon."""

    status: ClassVar[int] = 1
    """Exit status of the command: 1 failed, 2 misused, 3 an audit found a fault (AUDIT_STATUSES has all)."""


class OrderError(PbemError):
    """An error in an order file or a line of it: the player corrects the file and sends it again."""


class SealError(PbemError):
    """An error of a key, signature or seal that does not fit: nothing inside may be used."""


class LedgerError(PbemError):
    """An error of a stored game that contradicts itself: stop that game and keep the evidence."""


class MailError(PbemError):
    """An error of mail that could not be fetched or sent: the next pass tries again."""


class ConfigError(PbemError):
    """An error in the set-up of a club or player: the organiser or player corrects it."""


class AuditFault(PbemError):
    """The error of an audit that was able to run, and found something that is not as it was signed."""

    status: ClassVar[int] = 3
