"""The format of ledgers and their bundles, which the genesis names, and the limits that the format sets.

A game is at most so many exchanges long; so each player's files, and with them the bundle, have a limit that
follows from the genesis (protocol 21 and "Limits"). A later format gets a name of its own and limits of its
own beside these; what is written here for a format never changes after the first release.
"""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "3"
"""The format that this release writes, and the only one so far."""
MAX_EXCHANGES = 600
"""Maximum number of exchanges in a game, unless its genesis says otherwise."""
MAX_ABSENCE_DAYS = 42
"""Maximum number of days by which one player's absences move the deadlines of a game."""
MAX_SEATS_TIMES_EXCHANGES = 2_000
MAX_IN_EXCHANGE = 16
"""Maximum number of one player's files that are entered in one exchange."""
MAX_KEYS_IN_EXCHANGE = 2
"""Maximum number of new keys that a seat, or the judge, has in one exchange."""
MAX_ACTS_IN_EXCHANGE = 16
"""Maximum number of extensions, holds, looks (of the game master at what one side sees) and changes of
release that are entered in one exchange, all together."""
MAX_FILE_SIZE = 2_000_000
"""Maximum size in bytes of a file of a bundle."""
MAX_ENTRY_SIZE = 131_072
"""Maximum size in bytes of an entry of a game; an honest exchange needs 28,000 to be opened, closed and
resolved."""
MAX_LEAVES_SIZE = 80_000_000
"""Maximum size in bytes of a bundle's list of leaves: its size with as many entries as a bundle can name."""
MAX_STATEMENT_SIZE = 4_096
"""Maximum size in bytes, without its signature, of a signed text that is not an order file."""
MAX_MIX_SIZE = 524_288
"""Maximum size in bytes of a mix file; those of the largest leagues are smaller."""

MAX_ENTRANTS = 2_000
"""Maximum number of entrants who take part in a league at once."""
MAX_ENTRANTS_TIMES_ROUNDS = 30_000
MAX_GAMES = 50
"""Maximum number of games that an entrant has in one round."""
MAX_PAIRINGS = 5_000
"""Maximum number of games in a round of a league."""
MAX_PANEL = 9
MAX_SEALED_REPLY_SIZE = 17_408
"""Maximum size in bytes of a sealed file that answers a league's call."""
MAX_STATEMENTS_IN_DAY = 8
"""Maximum number of statements by an entrant on one day (UTC), without withdrawals, new keys and votes."""
MAX_NEW_KEYS = 4
"""Maximum number of new keys of an entrant in a league; keys that the old key has not signed have a count of
their own."""
MAX_VOTES = 3
"""Maximum number of votes of one member of the panel on one game; the last vote counts."""
MAX_OFFERS = 8
"""Maximum number of entrants who offer to play on for one who has left."""

MAX_HELD_STATEMENT_SIZE = 10_000
"""Maximum size in bytes of a receipt or checkpoint among the papers that players kept."""
MAX_COPY_SIZE = 100_000
"""Maximum size in bytes of a file that the judge passed on, with the judge's words about it."""
MAX_HELD_SEALED_SIZE = 1_000_000
"""Maximum size in bytes of a file of sealed orders among the papers that players kept."""
MAX_HELD_FILES = 100_000
"""Maximum number of files that are read of the papers that players kept."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum number of files and the maximum size of a bundle."""

    files: int
    size: int
    """Maximum size in bytes of all files of the bundle together."""


def largest(name: str) -> int:
    """Return the maximum size in bytes of a bundle's file, by its name, whatever folder that begins with."""
    if name.endswith("log/leaves"):
        return MAX_LEAVES_SIZE
    return MAX_STATEMENT_SIZE if name.split("/")[-2:-1] == ["papers"] else MAX_FILE_SIZE


def limits(players: int, exchanges: int) -> Limits:
    """Return the limits of a game's bundle, by the numbers of players and exchanges in its genesis."""
    return Limits(
        files=exchanges * (60 * players + 300),
        size=exchanges * (170_000 * players + 160_000),
    )


def most_said(rounds: int) -> int:
    """Return the maximum number of an entrant's statements in a league, without withdrawals, keys, votes."""
    return 8 + 2 * rounds


def most_entries(entrants: int) -> int:
    """Return the maximum number of people who enter a league for `entrants`, with those who have left."""
    return entrants + entrants // 4 + 8


def most_listed(entrants: int) -> int:
    """Return the maximum number of substitutes that a league lists, with those who left or have a place."""
    return 8 + entrants // 4


def most_rulings(entrants: int, rounds: int, games: int) -> int:
    """Return the maximum number of rulings in a league; `games`: those of one entrant in one round."""
    return 100 + entrants * (4 + rounds * games)


def league_limits(*, entrants: int, rounds: int, games: int, panel: int, carried: int = 0) -> Limits:
    """Return the limits of a league's bundle, by the numbers in the league's file.

    `entrants`: the most who take part at once; `rounds`: in all; `games`: of one entrant in one round;
    `panel`: how many vote; `carried`: the bytes of what the league takes over from another.
    """
    names = most_entries(entrants) + entrants  # those who have entered, and those who have offered to play on
    pairings = entrants * rounds * games // 2
    calls = 2 * rounds
    said = names * (most_said(rounds) + 2 * MAX_NEW_KEYS + 2) + panel * pairings * MAX_VOTES
    sent = most_entries(entrants) * 2 * calls
    ruled = most_rulings(entrants, rounds, games)
    entries = 1 + said + sent + 3 * calls + 2 * pairings + 3 * rounds + ruled + 1_000  # 1,000 new releases
    entries += most_listed(entrants)  # each of whom takes one place
    return Limits(
        files=4 * entries + 2 * said + sent + calls * (entrants + 1) + 10,
        size=(
            entries * 700  # a leaf, a salt, a signed head
            + said * (2 * MAX_STATEMENT_SIZE + 400)
            + sent * (MAX_SEALED_REPLY_SIZE + 300)
            + calls * entrants * 700  # a seal key; lines in open, resolve and mix; a die
            + pairings * 4_500  # in pairings, opened, with its result
            + ruled * 2_500
            + entrants * 4_000  # in the tables
            + 1_000_000
            + carried
        ),
    )


BEFORE_GENESIS = Limits(files=40_000, size=60_000_000)
"""The limits of what is read of a bundle before its genesis is found, which sets the real limits."""

MAX_LEAGUE_SIZE = league_limits(
    entrants=MAX_ENTRANTS,
    rounds=MAX_ENTRANTS_TIMES_ROUNDS // MAX_ENTRANTS,
    games=2,
    panel=0,
    carried=MAX_FILE_SIZE,
)
"""The limits of what is read of a league's bundle before its file is found, which sets the real limits."""


def default_exchanges(players: int) -> int:
    """Return the maximum number of exchanges of a game by its number of players, where no other is set."""
    return min(MAX_EXCHANGES, MAX_SEATS_TIMES_EXCHANGES // max(1, players))


def files_left(*, exchange: int, exchanges: int, entered: int, here: int, received: bool) -> tuple[int, int]:
    """Return the numbers of files of a player that may still be entered now: received and refused ones.

    `exchange`: the one in progress; `exchanges`: the most there will be; `entered`: the player's files so
    far; `here`: those of them in this exchange; `received`: whether one of these was received. One file is
    reserved for each exchange to come, and one for this exchange until a file was received in it.
    """
    left = min(2 * exchanges - entered - (exchanges - exchange), MAX_IN_EXCHANGE - here)
    return max(0, left), max(0, left - (not received))
