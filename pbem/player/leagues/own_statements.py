"""A player's statements about a league, and the judge's receipts for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbem.leagues.entries import Said
from pbem.leagues.statements import NEW_KEY, Statement, read_statement, sign_statement
from pbem.player import files
from pbem.player.faults import Contradiction, NotOurs
from pbem.player.leagues.ledger import LeagueChronicle
from pbem.trust import signature
from pbem.trust.keys import PrivateKey
from pbem.trust.ledger import SaidReceipt, parse_said, verify_said


@dataclass(frozen=True, slots=True)
class SaidHere:
    """The folder of a player's statements about one league; `ledger` is the name of the league's ledger."""

    path: Path
    ledger: str

    def sign(self, statement: Statement, key: PrivateKey) -> bytes:
        """Sign a statement about the league and keep it, since a receipt from the judge is expected."""
        signed = sign_statement(statement, key)
        files.write(self.path / f"{statement.sha256}.statement", signed)
        return signed

    def new_keys(self) -> frozenset[str]:
        """Return the keys, as lines, that this home has asked for in place of the player's old ones."""
        texts = (path.read_bytes() for path in sorted(self.path.glob("*.statement")))
        found = (read_statement(text).statement for text in texts)
        return frozenset(one.key.line for one in found if one.say == NEW_KEY and one.key is not None)

    def take(self, text: bytes, member: tuple[str, str]) -> tuple[SaidReceipt, bool]:
        """Keep the judge's receipt for a statement; return the receipt, and whether it is new.

        `member` is the player's name and judge in the league. A member of the panel does not play: then the
        statement that was signed here says whose receipt it must be.

        Raises:
            SealError: the receipt is not the judge's, or for nobody here.
        """
        parts = signature.split(text)
        receipt, (player, judge) = parse_said(parts.body), member
        if (said := files.read_file(self.path / f"{receipt.said}.statement")) is not None:
            statement = read_statement(said).statement
            player, judge = statement.player, statement.judge
        if receipt.player != player:
            raise NotOurs(f"this receipt is for what {receipt.player} has said; nobody did so from here")
        key = signature.parse(parts.armor).key
        if key.fingerprint != judge:
            raise NotOurs(
                f"this is signed with the key {key.fingerprint}; the judge of {self.ledger} has {judge}"
            )
        verify_said(parts.body, parts.armor, key)
        new = files.write_once(self._place(receipt), parts.body + parts.armor)
        return receipt, new

    def _place(self, receipt: SaidReceipt) -> Path:
        return self.path / f"{receipt.entry:06d}-{receipt.said[:12]}.txt"

    def check(self, kept: LeagueChronicle) -> None:
        """Check that each statement with a receipt stands in the ledger that the judge has sent.

        Raises:
            Contradiction: something else stands there, or two receipts are for one entry.
        """
        before: SaidReceipt | None = None
        for path in sorted(self.path.glob("*.txt")):
            receipt = parse_said(signature.split(path.read_bytes()).body)
            if before is not None and before.entry == receipt.entry:
                raise Contradiction(f"the judge has given two receipts for entry {receipt.entry}")
            before = receipt
            if receipt.entry > kept.size:
                continue
            entry = kept.entries[receipt.entry - 1]
            if not isinstance(entry, Said) or (entry.player, entry.sha256) != (receipt.player, receipt.said):
                raise Contradiction(
                    f"by a receipt, entry {receipt.entry} of {self.ledger} is what {receipt.player} said "
                    f"({receipt.said[:16]}), and in its ledger it is something else"
                )
