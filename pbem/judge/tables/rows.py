"""Rows of the tables of a club's database, as named tuples, which load faster than dataclasses."""

from __future__ import annotations

from typing import NamedTuple


class PlayerRow(NamedTuple):
    """A player as the club knows them: name, public key, address."""

    name: str
    key: str
    address: str

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key with which the player is enrolled."""
        from pbem.trust.keys import parse_public

        return parse_public(self.key).fingerprint

    @property
    def refusal_of_another_key(self) -> str:
        """The sentence for whoever brings another key under the player's name.

        It is for the player, the director and strangers alike: it says nothing of the key enrolled.
        """
        name = self.name
        return (
            f"{name} is enrolled with another key. If you are {name} and have lost that key, ask the "
            "director, who enters the new one when it is clear that it is you who asks (pbem club player add "
            f"{name} KEYFILE --in-place-of OLD, where pbem club player list shows OLD); anybody else takes "
            "another name"
        )


class EntryRow(NamedTuple):
    """One entry of a ledger, as a row of the database."""

    number: int
    text: bytes
    salt: str
    leaf: str
    head: str


class CheckpointRow(NamedTuple):
    """A head of a ledger that the judge has signed."""

    size: int
    head: str
    signature: bytes


class IncomingRow(NamedTuple):
    """A mail or file that arrived, as a row of the database."""

    id: int
    at: str
    raw: bytes
    sender: str
    source: str = ""
    """The mail's location in its mailbox; "" for a file that was not mailed."""
    size: int = 0
    """The size in bytes of the whole mail, of which the raw bytes may be only the beginning."""


LEAGUE = "league."
"""Prefix of the names of leagues' ledgers; no game's name has it."""
OVER = "over"
"""The value of `moment` in a letter that says that its game is over."""


class LetterRow(NamedTuple):
    """A letter to a player or, if `player` is "", an answer to an address.

    `name` is also its file name; `sent` is when it left, or "".
    """

    id: int
    game: str
    player: str
    name: str
    data: bytes
    sent: str
    at: str = ""
    """The time at which the letter was written."""
    text: str = ""
    """The letter's text in plain words; `data` is the same text, signed and sealed."""
    address: str = ""
    """The address to which an answer goes; letters to players go to their enrolled addresses."""
    answers: str = ""
    """The Message-ID of the mail that the letter answers."""
    deadline: str = ""
    """The deadline of the exchange about which the letter asks."""
    key: str = ""
    """The public key that the letter is sealed to, as one line."""
    copy: int = 0
    """The number of this copy of the letter; 0 for the first."""
    tries: int = 0
    retry: str = ""
    """The earliest time of the next try to send the letter."""
    trouble: str = ""
    failed: str = ""
    """The time at which the letter was given up or came back; "" otherwise."""
    sealed: str = ""
    """The SHA-256 of the sealed file that a receipt confirms."""
    moment: str = ""
    """The game's time by the public view, in a letter with a position, or OVER."""
    calendar: int = 0
    """The number of the letter's deadline among its reader's deadlines in this game, which only grows."""


class UnsentRow(NamedTuple):
    """A letter that is still to be sent, without its text."""

    id: int
    player: str
    name: str
    address: str
    retry: str
    tries: int
    game: str = ""
    copy: int = 0
    """The number of this copy of the letter; 0 for the first."""
    at: str = ""
    """The time at which the letter was written."""
    deadline: str = ""
    """The deadline of the exchange about which the letter asks."""
    sealed: int = 0
    """Size in bytes of the letter as the database keeps it; 0 for a letter that nobody seals."""


class AbsenceRow(NamedTuple):
    """A player's signed absence, from one day to another, both included."""

    player: str
    begins: str
    ends: str
    made: str
    statement: bytes


class ProfileRow(NamedTuple):
    """A player's signed wishes about time zone, address and the club's pages."""

    player: str
    zone: str = ""
    share: str = ""
    made: str = ""
    """The time at which the wishes were signed; "" if they stood in a join file."""
    publish: str = ""
    """The word "yes" if everybody may see the player's games, with the player's name."""


class AlertRow(NamedTuple):
    """A trouble, since when it lasts, and when the game master was alerted to it ("" if not yet)."""

    name: str
    since: str
    told: str
    text: str


class LeagueRow(NamedTuple):
    """A league as the club knows it without reading its ledger."""

    name: str
    """The name of the league's ledger."""
    file: bytes
    head: str = ""
    """The head of the ledger for which the other columns hold."""
    due: str = ""
    """The time at which something may be due in the league even if nothing comes; "" if nothing."""
    over: int = 0
    trouble: str = ""
    """The reason why the league does not go on by itself; "" if it does."""
