"""What can be wrong between a player, their home and the judge."""

from pbem.errors import ConfigError, LedgerError, OrderError, SealError


class NotJoined(ConfigError):
    """Something concerns a game that is not played from this home."""


class NotOurs(SealError):
    """A letter that is not meant for this player, or not for the game as they joined it."""


class Refused(OrderError):
    """The player's program does not sign this; nothing was revealed."""


class Incomplete(LedgerError):
    """A letter does not go on where the kept ledger ends: earlier ones are missing."""


class Damaged(LedgerError):
    """What the home has kept is not as it was stored."""


class Contradiction(LedgerError):
    """The judge signed something that cannot be: their signature under it has been kept as evidence."""


class Fork(Contradiction):
    """The judge signed two histories of one game."""
