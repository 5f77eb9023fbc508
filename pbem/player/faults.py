"""Errors between a player, their home and the judge."""

from collections.abc import Iterator
from contextlib import contextmanager

from pbem.errors import ConfigError, LedgerError, OrderError, PbemError, SealError


class NotJoined(ConfigError):
    """Raised if a command concerns a game that is not played from this home."""


class NotOurs(SealError):
    """Raised if a letter is not meant for this home's player, or not for the game as they joined it."""


class Refused(OrderError):
    """Raised if the player's program refuses something, such as to sign; nothing was revealed."""


class Incomplete(LedgerError):
    """Raised if a letter does not continue the kept ledger, because earlier ones are missing."""


class Damaged(LedgerError):
    """Raised if a file of the home is not as it was stored."""


class Contradiction(LedgerError):
    """Raised if the judge signed something that cannot be true, which is kept as evidence, signature too."""


class Fork(Contradiction):
    """Raised if the judge signed two histories of one game."""


class DamagedPosition(LedgerError):
    """Raised if the machine-readable part of a report holds no position of a game, whoever signed it."""


@contextmanager
def reading_position() -> Iterator[None]:
    """Turn any error in reading a report's position, which no honest judge causes, into DamagedPosition.

    A game's code reads its own positions without looking at each field. In a letter any text may stand in
    their place, and this is the one place where that is told. Faults of the program's own pass.
    """
    try:
        yield
    except PbemError:
        raise
    except Exception as problem:  # noqa: BLE001 - whatever a game's code dies of, the letter is at fault
        raise DamagedPosition(
            f"the part for programs of this report cannot be read ({type(problem).__name__}): it is damaged, "
            "or no honest program wrote it; read the report itself, and write your orders as text"
        ) from None
