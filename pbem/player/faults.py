"""Errors between a player, their home and the judge."""

from collections.abc import Iterator
from contextlib import contextmanager

from pbem.errors import ConfigError, LedgerError, OrderError, PbemError, SealError


class NotJoined(ConfigError):
    """A command concerns a game that is not played from this home."""


class NotOurs(SealError):
    """A letter is not meant for this player, or not for the game as they joined it."""


class Refused(OrderError):
    """The player's program refuses to sign something; nothing was revealed."""


class Incomplete(LedgerError):
    """A letter does not continue the kept ledger: earlier ones are missing."""


class Damaged(LedgerError):
    """A file of the home is not as it was stored."""


class Contradiction(LedgerError):
    """The judge signed something that cannot be true; it is kept as evidence with their signature."""


class Fork(Contradiction):
    """The judge signed two histories of one game."""


class DamagedPosition(LedgerError):
    """The machine-readable part of a report holds no position of a game, whoever signed it."""


@contextmanager
def reading_position() -> Iterator[None]:
    """Turn any error about a position that no honest judge writes into DamagedPosition.

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
