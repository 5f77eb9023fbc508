"""The seats of a game: who has each in which exchange, and how far their absences have moved its deadlines.

A seat is called by the name that genesis gives its player, for good. Its key, chain and person are those of
the genesis until rotations (trust.rotations) replace them; the judge's key is replaced alike.

How far absences have moved deadlines, and how far they still may, is counted here (protocol 8).
An entry that opens an exchange or moves its deadline says for whom, in further lines, one for each player:

    absence <name> <seconds>

For one player it is MAX_ABSENCE_DAYS at most in a whole game: an absence is no way to stop it.
Judge, players' programs and audit count by this module, for all of them read ledgers by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pbem.characters import is_decimal
from pbem.trust.entries import Enrolled, Extend, Genesis, Open
from pbem.trust.formats import MAX_ABSENCE_DAYS
from pbem.trust.identifiers import split_who, who_of
from pbem.trust.rotations import GM, Rotation


@dataclass(slots=True)
class Seats:
    """The seats of a game, as its ledger has them so far."""

    genesis: Genesis
    rotations: list[Rotation] = field(default_factory=list)
    entered_at: list[int] = field(default_factory=list)
    """The numbers of the ledger entries of the rotations."""

    def of(self, player: str, exchange: int | None = None) -> list[Rotation]:
        """Return the rotations of a seat, or of the judge: all, or those whose key counts in an exchange."""
        return [
            one
            for one in self.rotations
            if one.player == player and (exchange is None or one.starts <= exchange)
        ]

    def key_line(self, player: str, exchange: int) -> str | None:
        """Return the public key line with which a seat signs an exchange; None for the key in the genesis."""
        counting = self.of(player, exchange)
        return counting[-1].key if counting else None

    def newest(self, player: str) -> Rotation | None:
        """Return the rotation with whose key the seat reads from now on; None for the key of the genesis."""
        return self._reader(player)[1]

    def person(self, player: str) -> str:
        """Return the person who gets the letters of a seat from now on."""
        return self._reader(player)[0]

    def signer(self, player: str, exchange: int) -> tuple[str, Rotation | None]:
        """Return the person who signs for a seat in an exchange, and the rotation with whose key they read.

        The person may have left the seat since.
        """
        return self._reader(player, exchange)

    def has_left(self, player: str, exchange: int) -> bool:
        """Tell whether the person who signs for a seat in an exchange left the seat before it was opened."""
        return any(one.person and one.exchange < exchange < one.starts for one in self.of(player))

    def awaited_from(self, player: str, exchange: int) -> str:
        """Return the person whose files for a seat an exchange awaits; "" if they left the seat before it."""
        return "" if self.has_left(player, exchange) else self.signer(player, exchange)[0]

    def _reader(self, player: str, exchange: int | None = None) -> tuple[str, Rotation | None]:
        person, newest = player, None
        for one in self.of(player):
            if exchange is not None and one.starts > exchange and one.person not in {"", person}:
                break
            person, newest = one.person or person, one
        return person, newest

    def recovery(self, player: str) -> str | None:
        """Return the fingerprint of the key that may only replace the seat's key; None if there is none."""
        for one in reversed(self.of(player)):
            if one.consents:
                return one.recovery or None
        return self.genesis.gm_recovery if player == GM else self._find_enrolled(player).recovery

    def fingerprint(self, player: str, exchange: int) -> str:
        """Return the fingerprint of the key with which a seat, or the judge, signs in an exchange."""
        counting = self.of(player, exchange)
        if counting:
            return counting[-1].fingerprint
        return self.genesis.gm if player == GM else self._find_enrolled(player).fingerprint

    def judge_at(self, size: int) -> str:
        """Return the fingerprint of the judge's key at a ledger's size: a new key counts with its entry."""
        found = self.genesis.gm
        for one, number in zip(self.rotations, self.entered_at, strict=True):
            if one.player == GM and number <= size:
                found = one.fingerprint
        return found

    def judges_in(self, exchange: int) -> set[str]:
        """Return the fingerprints of the keys that were the judge's at some time in an exchange."""
        changed = {one.fingerprint for one in self.of(GM) if one.exchange == exchange}
        return changed | {self.fingerprint(GM, exchange)}

    # Chains

    def chain_of(self, player: str, exchange: int) -> str | None:
        """Return the chain from which a seat reveals in an exchange; None if none is in force then."""
        announced = [one for one in self.of(player) if one.anchor and one.exchange < exchange]
        if not announced:
            enrolled = self._find_enrolled(player)
            return enrolled.who if enrolled.anchor else None
        last = announced[-1]
        return last.anchor.who if last.anchor and last.chain_starts <= exchange else None

    def line_of(self, player: str, exchange: int) -> str:
        """Return the chain by which the mix of an exchange names a seat, whether it is in force or not."""
        for one in reversed(self.of(player)):
            if one.anchor and one.chain_starts <= exchange:
                return one.anchor.who
        return self._find_enrolled(player).who

    def lines_in(self, exchange: int) -> dict[str, str]:
        """Return, by player, the chain by which the mix of an exchange names the player's seat."""
        return {player.name: self.line_of(player.name, exchange) for player in self.genesis.players}

    def contributors(self, exchange: int) -> set[str]:
        """Return the seats for which a chain is in force in an exchange."""
        return {one.name for one in self.genesis.players if self.chain_of(one.name, exchange)}

    def next_chain(self, player: str) -> str:
        """Return the name that a new chain of a seat must have."""
        chains = [one.anchor.who for one in self.of(player) if one.anchor]
        if chains:
            return who_of(player, split_who(chains[-1])[1] + 1)
        enrolled = self._find_enrolled(player)
        return who_of(player, 2 if enrolled.anchor else 1)

    # New entries

    def before(self, entry: Rotation) -> Seats:
        """Return the seats as they were just before a rotation was entered."""
        count = next(place for place, one in enumerate(self.rotations) if one is entry)
        return Seats(self.genesis, self.rotations[:count], self.entered_at[:count])

    def add(self, entry: Rotation, number: int) -> None:
        """Take in a rotation, which is entry `number` of the ledger."""
        self.rotations.append(entry)
        self.entered_at.append(number)

    def fault(self, entry: Rotation, left: Collection[str] = ()) -> str:
        """Return the reason why a rotation cannot come next; "" if it can. Signatures are not looked at."""
        if entry.player == GM:
            more = entry.anchor or entry.person or entry.recovery or entry.consents
            return "the judge's new key is a key and nothing else" if more else ""
        if all(player.name != entry.player for player in self.genesis.players):
            return f"{entry.player} does not play"
        if lack := entry.lacks(self.genesis, left):
            return f"the new key of {entry.player} lacks consent: {lack}"
        if entry.consents and not entry.reason:
            return "it gives no reason"
        if any(one.starts > entry.exchange + 1 for one in self.of(entry.player)):
            return f"a new key of {entry.player} is on its way already"
        if entry.anchor and entry.anchor.who != (due := self.next_chain(entry.player)):
            return f"the next chain of {entry.player} is {due}, not {entry.anchor.who}"
        if entry.person and not entry.anchor and self.chain_of(entry.player, entry.exchange):
            return f"{entry.person} needs a chain of their own: {entry.player} knows the old one"
        if entry.fingerprint == self.fingerprint(entry.player, entry.starts) and not entry.anchor:
            return "nothing in it is new"
        return self._person_fault(entry)

    def _person_fault(self, entry: Rotation) -> str:
        official = self.genesis.official[0] if self.genesis.official else ""
        taken = {official} | {
            name
            for other in self.genesis.players
            if other.name != entry.player
            for name in (other.name, self.person(other.name))
        }
        return f"{entry.person} cannot take this seat" if entry.person in taken - {""} else ""

    def _find_enrolled(self, player: str) -> Enrolled:
        return next(one for one in self.genesis.players if one.name == player)


WORD = "absence"


def absence_lines(moved: Mapping[str, timedelta]) -> tuple[str, ...]:
    """Return the lines that say for whose absences a deadline is moved, and by how much."""
    return tuple(f"{WORD} {name} {int(by.total_seconds())}" for name, by in sorted(moved.items()))


def moved_by(entry: Open | Extend) -> timedelta:
    """Return the time by which absences have moved the deadline of an entry that stands in a ledger."""
    seconds = (line.rpartition(" ")[2] for line in entry.extra if line.partition(" ")[0] == WORD)
    return timedelta(seconds=sum(map(int, seconds)))


class Absences:
    """The count of time by which the absences of a game's players have moved deadlines, entry by entry."""

    def __init__(self) -> None:
        self._moved = Counter[str]()

    def left(self, player: str) -> timedelta:
        """Return the time by which a player's absences may still move deadlines."""
        return timedelta(days=MAX_ABSENCE_DAYS, seconds=-self._moved[player])

    def add(self, entry: Open | Extend, players: set[str], before: datetime | None) -> str:
        """Count the absences in an entry; return why it cannot stand, or "". `before`: the old deadline."""
        lines = [line.split(" ") for line in entry.extra if line.partition(" ")[0] == WORD]
        names = [line[1] for line in lines if len(line) == 3 and line[1] in players and _is_count(line[2])]
        if len(set(names)) < len(lines):
            return f"its lines {WORD} do not name each player once, and seconds"
        if lines and isinstance(entry, Extend) and before and entry.deadline - before > moved_by(entry):
            return "its deadline is moved by more than the absences that it names"
        for _, name, seconds in lines:
            self._moved[name] += int(seconds)
            if self.left(name) < timedelta():
                return f"absences of {name} move deadlines by more than {MAX_ABSENCE_DAYS} days"
        return ""


def _is_count(text: str) -> bool:
    return is_decimal(text) and len(text) <= 8 and not text.startswith("0")
