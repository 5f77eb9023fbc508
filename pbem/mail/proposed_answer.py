"""The answer to one mail, before it is decided whether and where it is sent (see pbem.mail.answers)."""

from __future__ import annotations

from dataclasses import dataclass, field

from pbem.characters import lower
from pbem.judge.tables.rows import IncomingRow
from pbem.mail.headers import Head

ORDERS, ASKED, SIGNED, JOINED, PRESS = "orders", "asked", "signed", "joined", "press"
LIMITED, OTHER = "limited", "other"
KINDS = (ORDERS, ASKED, SIGNED, JOINED, PRESS, LIMITED, OTHER)
"""Kinds of answers, the most needed first; each has a quota of its own."""


@dataclass(slots=True)
class Reply:
    """The answer to one mail, collected while the mail is handled."""

    row: IncomingRow
    head: Head
    about_us: bool = False
    """Whether the mail names a game, or brings a wish to join."""
    about: str = OTHER
    to_signer: dict[str, list[str]] = field(default_factory=dict)
    """Lines of the answer for those who signed something in the mail, by their enrolled address."""
    lines: list[str] = field(default_factory=list)
    """Lines of the answer for the sender of the mail."""
    page: str = ""
    """The answer to the commands in the mail as a whole text, for the sender of the mail; "" for none."""
    has_receipt: bool = False
    """Whether the mail held orders that were accepted; their receipt is then an answer to the mail."""
    words: str = ""
    """The words of the mail that are for a person, or that nothing was taken from."""
    is_owed: bool = False
    """Whether the sender, who has used up this day's answers, gets this one in the next day's letter."""
    join: str = ""
    """The name of the file in which a wish to join is kept; "" if the mail brings no wish."""

    def tell(self, *lines: str) -> None:
        """Add lines to the answer for the sender of the mail, whoever that is."""
        self.lines += [line for line in lines if line not in self.lines]

    def is_about(self, what: str) -> None:
        """Note what kind of answer the mail needs; of several kinds the one that is needed most counts."""
        self.about = min(self.about, what, key=KINDS.index)

    def tell_signer(self, address: str, *lines: str) -> None:
        """Add lines to the answer for whoever signed something in the mail, at the enrolled address."""
        if address:
            self.to_signer.setdefault(lower(address), []).extend(lines)
