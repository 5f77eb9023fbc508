"""What a club ought to have entered, worked out from the protocol alone: rules 1, 3, 4, 8, 17 and 21.

It knows no ledger, no key and no mail: files that players have written, in the order in which they lay in the
mailbox, and how many exchanges were closed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_FILES = 16
"""Files of a player that are entered in one exchange (protocol 21)."""
FLAWS = ("wrong-side", "bad-seen", "old-seen", "wrong-step", "bad-reveal")
"""What is wrong in a file, in the order in which it is looked for (protocol 3)."""


@dataclass(frozen=True)
class File:
    """What a player wrote."""

    player: str
    exchange: int
    rev: int
    body: str = ""
    flaws: frozenset[str] = frozenset()
    seen: int = 0
    """Up to which entry they had read."""


@dataclass(frozen=True)
class Sealed:
    """A file as it is sent; `owned`: is it whole, and signed with its player's key?"""

    file: File
    name: str
    owned: bool = True


@dataclass
class Model:
    """What is to be found in the ledger."""

    players: tuple[str, ...]
    exchange: int = 1
    over: bool = False
    received: list[Sealed] = field(default_factory=list)
    refused: list[tuple[Sealed, int, str]] = field(default_factory=list)
    """With the exchange that was open, and why."""

    def here(self, player: str) -> list[File]:
        """What was received of a player in the open exchange."""
        return [
            one.file
            for one in self.received
            if one.file.player == player and one.file.exchange == self.exchange
        ]

    @property
    def complete(self) -> bool:
        """Has everybody sent?"""
        return all(map(self.here, self.players))

    def take(self, sealed: Sealed) -> str:
        """Take a file in: "received", why it is refused, or "" if nothing is entered."""
        file = sealed.file
        known = {one.file for one in self.received} | {one.file for one, _, _ in self.refused}
        if self.over or not sealed.owned or file in known or file.exchange < self.exchange - 2:
            return ""
        reason = self._reason(file)
        refused = sum(one.file.player == file.player and at == self.exchange for one, at, _ in self.refused)
        has = self.here(file.player)
        left = MAX_FILES - len(has) - refused
        if reason:
            if left <= (0 if has else 1):
                return ""
            self.refused.append((sealed, self.exchange, reason))
            return reason
        if left <= 0:
            return ""
        self.received.append(sealed)
        return "received"

    def _reason(self, file: File) -> str:
        if file.exchange < self.exchange:
            return "late"
        wrong = next((flaw for flaw in FLAWS if flaw in file.flaws), "")
        taken = any(one.rev == file.rev for one in self.here(file.player))
        return wrong or ("rev-taken" if taken else "")

    def receipts(self, player: str) -> dict[int, str]:
        """The numbers of a player's receipts, and the file that each names (protocol 17)."""
        return dict(enumerate((one.name for one in self.received if one.file.player == player), 1))

    def counts(self, exchange: int) -> dict[str, str]:
        """Player -> the file that counts: that of the highest revision."""
        found: dict[str, Sealed] = {}
        for one in self.received:
            before = found.get(one.file.player)
            if one.file.exchange == exchange and (before is None or one.file.rev > before.file.rev):
                found[one.file.player] = one
        return {player: one.name for player, one in found.items()}
