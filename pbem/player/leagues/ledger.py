"""The ledger of a league in an entrant's hands, proven and kept as a game's is (player.store)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pbem.characters import split_lines
from pbem.leagues.calls import Calls, prove_call
from pbem.leagues.entries import LeagueGenesis, parse_league_entry
from pbem.leagues.state import Call
from pbem.player import files
from pbem.player.faults import Damaged, NotJoined
from pbem.player.keyring import Keyring
from pbem.player.store.chronicle import Proven, read_entries
from pbem.player.store.game_store import Folder
from pbem.trust import keys, ledger
from pbem.trust.entries import Entry
from pbem.trust.faults import LedgerFault
from pbem.trust.letters import OpenEntry
from pbem.trust.shares import UniqueItems


class Member(NamedTuple):
    """The player's part in a league: their name, their key, and the league's judge and first head."""

    player: str
    key_file: str
    judge: str
    genesis: str
    """The head of the league's first entry."""
    instead_of: str = ""
    """The entrant whose place the player takes; "" if they take nobody's."""

    @property
    def text(self) -> bytes:
        """Return the content of the file `player`, which keeps the player's part in the league."""
        lines = [f"player {self.player}", f"key {self.key_file}"]
        lines += [f"judge {self.judge}", f"genesis {self.genesis}"]
        lines += [f"of {self.instead_of}"] if self.instead_of else []
        return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True, slots=True)
class LeagueChronicle(Proven):
    """The league's ledger as far as the judge has sent it."""

    entries: tuple[Entry, ...]
    calls: Calls | None
    """The league's calls; None before the league's first entry has come."""

    @property
    def exchanges(self) -> Sequence[Call]:
        """The calls of the league, which are its exchanges."""
        return self.calls.exchanges if self.calls else ()

    def judges_in(self, exchange: int) -> Collection[str]:
        """Return the key of the league's judge, which is the only one that the league has."""
        first = self.entries[0] if self.entries else None
        return (first.gm,) if isinstance(first, LeagueGenesis) else ()


def read_league_chronicle(
    name: str, leaves: Sequence[str], opened: Mapping[int, OpenEntry]
) -> LeagueChronicle:
    """Return the league's ledger with given leaves and entries, read by the rules of judge and audit.

    Raises:
        LedgerFault: no league can have such a ledger.
    """
    entries, calls, once = list[Entry](), None, UniqueItems()
    for number, entry in enumerate(read_entries(leaves, opened, parse_league_entry), 1):
        if entry is None:
            raise LedgerFault(
                f"entry {number} does not come with its leaf, and nothing in a league is hidden"
            )
        if calls is None:
            if not isinstance(entry, LeagueGenesis) or entry.game != name:
                raise LedgerFault(f"the ledger does not begin as that of {name}")
            calls = Calls(entry)
        else:
            try:
                prove_call(calls, once, entry)
                calls.read(entry, number)
            except LedgerFault as fault:
                raise LedgerFault(f"entry {number}: {fault}") from None
        once.take(entry)
        entries.append(entry)
    return LeagueChronicle(
        name, tuple(leaves), tuple(ledger.fold(name, leaves)), dict(opened), tuple(entries), calls
    )


class LeagueFolder(Folder):
    """The folder of one league in the player's home."""

    def __init__(self, path: Path, keyring: Keyring) -> None:
        super().__init__(path)
        self._keyring = keyring

    def find_member(self) -> Member | None:
        """Return the player's part in the league; None if nobody takes part from this home."""
        if (data := files.read_file(self.path / "player")) is None:
            return None
        words = dict(line.split(" ", 1) for line in split_lines(data.decode()))
        return Member(words["player"], words["key"], words["judge"], words["genesis"], words.get("of", ""))

    def member(self) -> Member:
        """Return the player's part in the league.

        Raises:
            NotJoined: nobody takes part from this home.
        """
        if (member := self.find_member()) is None:
            name = self.game.removeprefix("league.")
            others = ", ".join(
                path.parent.name.removeprefix("league.") for path in sorted(self.path.parent.glob("*/player"))
            )
            told = f"you have entered {others} from here; " if others else ""
            raise NotJoined(f"{told}pbem league enter {name} enters {name}, which you have not")
        return member

    @property
    def player(self) -> str:
        """Return the name of the player who takes part in the league."""
        return self.member().player

    @property
    def expected_file(self) -> str:
        """Return the fingerprint of the judge whom the player's entry in the league names."""
        return self.member().judge

    def chronicle(self) -> LeagueChronicle | None:
        """Return the kept ledger of the league; None before its first letter."""
        leaves, opened = self.ledger()
        if not leaves:
            return None
        try:
            kept = read_league_chronicle(self.game, leaves, opened)
        except LedgerFault as fault:
            raise Damaged(f"the ledger kept in {self.path} is damaged: {fault}") from None
        self.check_signed(kept)
        return kept

    def plays_from(self, chronicle: Proven) -> tuple[int, int]:
        """Return the call from which this home's key counts, and how many files earlier keys signed."""
        assert isinstance(chronicle, LeagueChronicle)
        member = self.member()
        mine = self._keyring.public(member.key_file).line
        named = chronicle.calls.keys.named_keys.get(member.player, []) if chronicle.calls else []
        signed = [
            (call.number, call.signing_keys[entry.sealed])
            for call in chronicle.exchanges
            for entry in call.received
            if entry.player == member.player
        ]
        if not named or keys.parse_public(named[0]).line == mine:
            return 1, 0
        before = next((place for place, (_, line) in enumerate(signed) if line == mine), len(signed))
        return (signed[before - 1][0] if before else 1), before
