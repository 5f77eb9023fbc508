"""The format that a ledger and its bundles are written in, named by the genesis, and the limits it sets.

A game is at most so many exchanges long; so each player's files, and with them the bundle, have a limit that
follows from the genesis (protocol 21 and "Limits"). A later format gets a name of its own and limits of its
own beside these; what is written here for a format never changes after the first release.
"""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "3"
"""The format that this release writes, and the only one so far."""
MOST_EXCHANGES = 600
"""So many exchanges a game has at most, unless its genesis says otherwise."""
MOST_SEATS_TIMES_EXCHANGES = 2_000
MOST_IN_EXCHANGE = 16
"""So many files of one player are entered in one exchange."""
MOST_KEYS_IN_EXCHANGE = 2
"""So many new keys a seat, or the judge, has in one exchange."""
MOST_ACTS_IN_EXCHANGE = 16
"""So many extensions, holds, looks and new rules are entered in one exchange."""
LARGEST_FILE = 2_000_000
"""Bytes of any file of a bundle."""
LARGEST_HELD_STATEMENT = 10_000
"""Bytes of a receipt or checkpoint among what players kept."""
LARGEST_COPY = 100_000
"""Bytes of a file that the judge passed on, with the judge's words about it."""
LARGEST_HELD_SEALED = 1_000_000
"""Bytes that are read of a file of sealed orders among what players kept."""
MOST_HELD = 100_000
"""So many files of what players kept are read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a bundle may be."""

    files: int
    size: int
    """In bytes."""


def limits(players: int, exchanges: int) -> Limits:
    """How large the bundle of a game may be, by its genesis."""
    return Limits(
        files=exchanges * (60 * players + 300),
        size=exchanges * (170_000 * players + 160_000),
    )


BEFORE_GENESIS = Limits(files=40_000, size=60_000_000)
"""What of a bundle is read before its genesis is found, which says how large it may be."""


def default_exchanges(players: int) -> int:
    """How many exchanges a game of so many players has at most, if nobody says otherwise."""
    return min(MOST_EXCHANGES, MOST_SEATS_TIMES_EXCHANGES // max(1, players))


def files_left(*, exchange: int, exchanges: int, entered: int, here: int, received: bool) -> tuple[int, int]:
    """How many more files of a player may be entered now: received ones, and refused ones.

    `exchange`: the one in progress; `exchanges`: the most there will be; `entered`: so far, `here` in this
    exchange; `received`: whether one of them was received in this exchange. One is kept for each exchange to
    come, and one for this one until something was received in it.
    """
    left = min(2 * exchanges - entered - (exchanges - exchange), MOST_IN_EXCHANGE - here)
    return max(0, left), max(0, left - (not received))
