"""The keys and chains that count in a league after each entry (protocol of leagues, L12 and L13).

A key counts from the entry that names it: that of an entry, or a new one for which the old one has signed. A
new one for which it has not, because it is lost, is wished for, and counts when the director has ruled so.
The chain that is named with a key counts with it, in calls that are opened later.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pbem.leagues.entries import KEY, Ruled, Said
from pbem.leagues.statements import NEW_KEY, Statement
from pbem.trust.chance import Reveal
from pbem.trust.entries import Entry


@dataclass(slots=True)
class Keys:
    """The keys of a league's players, each as the line of a public key."""

    current_keys: dict[str, str] = field(default_factory=dict)
    """The key of each player that counts now."""
    chains: dict[str, Reveal] = field(default_factory=dict)
    """The anchor of each entrant's chain that counts now."""
    anchors: dict[str, Reveal] = field(default_factory=dict)
    """The anchors of all chains that have ever counted, by the chain's name."""
    requested_keys: dict[str, Statement] = field(default_factory=dict)
    """The requests for a new key that the old key has not signed, by player."""
    named_keys: dict[str, list[str]] = field(default_factory=dict)
    """Every key that each player has named, in order."""

    def take(self, entry: Entry, league: str) -> None:
        """Apply the keys and chains in an entry of a ledger that is known to be right."""
        match entry:
            case Said():
                self.say(entry.statement(league))
            case Ruled(decides=(what, player)) if what == KEY and player in self.requested_keys:
                self.grant(player)

    def say(self, said: Statement) -> None:
        """Apply the keys and chains that a statement names."""
        if said.key is None:
            return
        self.named_keys.setdefault(said.player, []).append(said.key.line)
        if said.say == NEW_KEY and not said.by:
            self.requested_keys[said.player] = said
        else:
            self._count(said)
            self.requested_keys.pop(said.player, None)

    def grant(self, player: str) -> None:
        """Make the key count that a player has asked for."""
        self._count(self.requested_keys.pop(player))

    def _count(self, said: Statement) -> None:
        assert said.key is not None, "it is what they wish for"
        self.current_keys[said.player] = said.key.line
        if said.anchor is not None:
            self.chains[said.player] = self.anchors[said.anchor.who] = said.anchor

    def is_known(self, line: str) -> bool:
        """Tell whether any player has ever named a key, which is given by its line."""
        return any(line in lines for lines in self.named_keys.values())
