"""The results of earlier leagues that a league takes over: names with their keys, classes, ratings.

It is a file of its own, carried.txt, which the first entry of the ledger names by its hash:

    player <name> <fingerprint of their last key> <class, 1 the best; 0: none>      each, by name
    rating <name> <side|-> <value> <deviation> <volatility> <games> <from tables: yes|no>    as printed

It follows from the last seasons by `results_table.carry`; league.toml names their first and last heads in
[last].
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pbem.characters import is_decimal, split_lines
from pbem.leagues.model import Rating
from pbem.leagues.ratings import PROVISIONAL
from pbem.trust.faults import LedgerFault
from pbem.trust.formats import MAX_FILE_SIZE
from pbem.trust.identifiers import check_player_name, check_token, is_fingerprint, quote

_NUMBERS = re.compile(
    r"(?P<value>[0-3]?\d{1,3}\.\d\d) (?P<deviation>[1-9]\d{0,2}\.\d\d) (?P<volatility>0\.(?!00000)\d{5})"
    r" (?P<games>\d{1,6}) (?P<tables>yes|no)",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Before:
    """A player of an earlier season, with the key at its end and the present class."""

    fingerprint: str
    rank: int


@dataclass(frozen=True, slots=True)
class Carried:
    """Everything that a league takes over from earlier seasons."""

    people: Mapping[str, Before] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()
    """The ratings that are taken over in the league's own game."""

    @property
    def text(self) -> bytes:
        """Return the content of carried.txt, which says what is taken over."""
        lines = [f"player {name} {one.fingerprint} {one.rank}" for name, one in sorted(self.people.items())]
        for one in self.ratings:
            numbers = f"{one.value} {one.deviation} {one.volatility} {one.games}"
            flag = "yes" if one.from_tables else "no"
            lines.append(f"rating {one.player} {one.side or '-'} {numbers} {flag}")
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def sha256(self) -> str:
        """The hash by which the ledger's first entry names carried.txt; "" if nothing is taken over."""
        return hashlib.sha256(self.text).hexdigest() if self.people else ""

    def ratings_of(self, players: Container[str]) -> tuple[Rating, ...]:
        """Return the ratings with which the players in `players` begin."""
        return tuple(one for one in self.ratings if one.player in players)

    def strength(self, player: str, told: int | None) -> int | None:
        """Return a player's strength for a draw: the overall rating, else the one that they have stated."""
        own = (one.value for one in self.ratings if one.player == player and not one.side)
        return next((int(value.to_integral_value()) for value in own), told)

    def check_enters(self, player: str, fingerprint: str) -> None:
        """Check that a name known from earlier seasons enters with its own key. Raises LedgerFault."""
        before = self.people.get(player)
        if before is not None and before.fingerprint != fingerprint:
            raise LedgerFault(
                f"{player} played an earlier season with the key {before.fingerprint}: enter with that key "
                "and change it later (pbem league new-key), or enter under another name"
            )

    def check_class(self, player: str, here: int, last: int) -> None:
        """Check that a player is in the league's class; newcomers begin in the last. Raises LedgerFault."""
        rank = self.people[player].rank if player in self.people else 0
        if here and (rank or last) != here:
            why = f"is in class {rank}" if rank else f"was in no class, and must begin in class {last}"
            raise LedgerFault(f"{player} {why}; this league is class {here}")


CARRIED = "carried.txt"
"""The name that the file of results taken over has in a bundle."""
NOTHING = Carried()
"""The content of carried.txt for a league without earlier seasons."""


def parse_carried(data: bytes, game: str) -> Carried:
    """Parse a carried.txt; `game` is the title whose ratings the file holds.

    Raises:
        LedgerFault: the file is not as `Carried.text` writes it.
    """
    if len(data) > MAX_FILE_SIZE:
        raise LedgerFault(f"what comes from earlier seasons has more than {MAX_FILE_SIZE:,} bytes")
    people: dict[str, Before] = {}
    ratings: list[Rating] = []
    for line in split_lines(data.decode("ascii", errors="replace")):
        match line.split(" "):
            case ["player", name, fingerprint, rank] if is_fingerprint(fingerprint) and is_decimal(rank):
                people[check_player_name(name)] = Before(fingerprint, int(rank[:3]))
            case ["rating", name, side, *rest] if name in people:
                ratings.append(_rating(name, side, " ".join(rest), game))
            case _:
                raise LedgerFault(f"{quote(line)} cannot be a line of what comes from earlier seasons")
    found = Carried(people, tuple(ratings))
    if found.text != data or not people:
        raise LedgerFault("what comes from earlier seasons is not written as its format demands")
    return found


def _rating(name: str, side: str, numbers: str, game: str) -> Rating:
    if not (match := _NUMBERS.fullmatch(numbers)):
        raise LedgerFault(f"{quote(numbers)} is not a rating")
    return Rating(
        player=name,
        game=game,
        side="" if side == "-" else check_token(side, "side"),
        value=Decimal(match["value"]),
        deviation=Decimal(match["deviation"]),
        volatility=Decimal(match["volatility"]),
        games=int(match["games"]),
        provisional=Decimal(match["deviation"]) > PROVISIONAL,
        from_tables=match["tables"] == "yes",
    )
