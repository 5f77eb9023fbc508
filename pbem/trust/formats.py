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
MOST_ABSENCE_DAYS = 42
"""By so many days one player's absences move the deadlines of a game at most."""
MOST_SEATS_TIMES_EXCHANGES = 2_000
MOST_IN_EXCHANGE = 16
"""So many files of one player are entered in one exchange."""
MOST_KEYS_IN_EXCHANGE = 2
"""So many new keys a seat, or the judge, has in one exchange."""
MOST_ACTS_IN_EXCHANGE = 16
"""So many extensions, holds, looks and new rules are entered in one exchange."""
LARGEST_FILE = 2_000_000
"""Bytes of any file of a bundle."""
LARGEST_ENTRY = 131_072
"""Bytes of an entry of a game; an honest exchange takes 28,000 to be opened, closed and resolved."""
LARGEST_LEAVES = 80_000_000
"""But of its list of leaves: so large with as many entries as a bundle can name."""
LARGEST_STATEMENT = 4_096
"""Bytes of a signed text that is no order file, without its signature."""
LARGEST_MIX = 524_288

MOST_ENTRANTS = 2_000
"""So many take part in a league at once."""
MOST_ENTRANTS_TIMES_ROUNDS = 30_000
MOST_GAMES = 50
"""So many games an entrant has in one round."""
MOST_PAIRINGS = 5_000
"""So many games a round of a league has."""
MOST_PANEL = 9
LARGEST_SEALED_REPLY = 17_408
"""Bytes of a sealed file for a call."""
MOST_SAID_IN_DAY = 8
"""So many things an entrant says on one day (UTC), withdrawals, new keys and votes left out."""
MOST_NEW_KEYS = 4
"""So many an entrant has in a league; those that the old key has not signed are counted by themselves."""
MOST_VOTES = 3
"""So often one of the panel votes on one game: the last vote counts."""
MOST_OFFERS = 8
"""So many offer to play on for one who has left."""

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


def largest(name: str) -> int:
    """Return how many bytes a file of a bundle has at most, by its name, whatever folder that begins with."""
    if name.endswith("log/leaves"):
        return LARGEST_LEAVES
    return LARGEST_STATEMENT if name.split("/")[-2:-1] == ["papers"] else LARGEST_FILE


def limits(players: int, exchanges: int) -> Limits:
    """Return how large the bundle of a game may be, by its genesis."""
    return Limits(
        files=exchanges * (60 * players + 300),
        size=exchanges * (170_000 * players + 160_000),
    )


def most_said(rounds: int) -> int:
    """Return how much an entrant says in a league of so many rounds, without withdrawals, keys and votes."""
    return 8 + 2 * rounds


def most_entries(entrants: int) -> int:
    """Return how many enter a league for so many, with those who have left again."""
    return entrants + entrants // 4 + 8


def most_listed(entrants: int) -> int:
    """Return how many stand on a league's list of substitutes, with those who have left or have a place."""
    return 8 + entrants // 4


def most_rulings(entrants: int, rounds: int, games: int) -> int:
    """Return how many rulings are made; `games`: of one entrant in one round."""
    return 100 + entrants * (4 + rounds * games)


def league_limits(*, entrants: int, rounds: int, games: int, panel: int, carried: int = 0) -> Limits:
    """Return how large the bundle of a league may be, by its file: at most so many take part at once.

    `rounds`: in all; `games`: of one entrant in one round; `panel`: how many vote; `carried`: the bytes
    of what it takes over.
    """
    names = most_entries(entrants) + entrants  # those who have entered, and those who have offered to play on
    pairings = entrants * rounds * games // 2
    calls = 2 * rounds
    said = names * (most_said(rounds) + 2 * MOST_NEW_KEYS + 2) + panel * pairings * MOST_VOTES
    sent = most_entries(entrants) * 2 * calls
    ruled = most_rulings(entrants, rounds, games)
    entries = 1 + said + sent + 3 * calls + 2 * pairings + 3 * rounds + ruled + 1_000  # 1,000 new releases
    entries += most_listed(entrants)  # each of whom takes one place
    return Limits(
        files=4 * entries + 2 * said + sent + calls * (entrants + 1) + 10,
        size=(
            entries * 700  # a leaf, a salt, a signed head
            + said * (2 * LARGEST_STATEMENT + 400)
            + sent * (LARGEST_SEALED_REPLY + 300)
            + calls * entrants * 700  # a seal key; lines in open, resolve and mix; a die
            + pairings * 4_500  # in pairings, opened, with its result
            + ruled * 2_500
            + entrants * 4_000  # in the tables
            + 1_000_000
            + carried
        ),
    )


BEFORE_GENESIS = Limits(files=40_000, size=60_000_000)
"""What of a bundle is read before its genesis is found, which says how large it may be."""

LARGEST_LEAGUE = league_limits(
    entrants=MOST_ENTRANTS,
    rounds=MOST_ENTRANTS_TIMES_ROUNDS // MOST_ENTRANTS,
    games=2,
    panel=0,
    carried=LARGEST_FILE,
)
"""What of a league's bundle is read before its file is found, which says how large it may be."""


def default_exchanges(players: int) -> int:
    """Return how many exchanges a game of so many players has at most, if nobody says otherwise."""
    return min(MOST_EXCHANGES, MOST_SEATS_TIMES_EXCHANGES // max(1, players))


def files_left(*, exchange: int, exchanges: int, entered: int, here: int, received: bool) -> tuple[int, int]:
    """Return how many more files of a player may be entered now: received ones, and refused ones.

    `exchange`: the one in progress; `exchanges`: the most there will be; `entered`: so far, `here` in this
    exchange; `received`: whether one of them was received in this exchange. One is kept for each exchange to
    come, and one for this one until something was received in it.
    """
    left = min(2 * exchanges - entered - (exchanges - exchange), MOST_IN_EXCHANGE - here)
    return max(0, left), max(0, left - (not received))
