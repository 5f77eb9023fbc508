"""What stands in the tables of a club's database: named tuples, a quarter of the work to define."""

from __future__ import annotations

from typing import NamedTuple


class PlayerRow(NamedTuple):
    """A player as the club knows them."""

    name: str
    key: str
    address: str


class EntryRow(NamedTuple):
    """One entry of a ledger as stored."""

    number: int
    text: bytes
    salt: str
    leaf: str
    head: str


class CheckpointRow(NamedTuple):
    """A head that the judge has signed."""

    size: int
    head: str
    signature: bytes


class IncomingRow(NamedTuple):
    """Something that arrived."""

    id: int
    at: str
    raw: bytes
    sender: str
    source: str = ""
    """Where a mail lay in its mailbox; "" for what was handed in as a file."""
    size: int = 0
    """Of a mail, whose raw bytes may have been cut."""


OVER = "over"
"""The moment of a letter that tells the end of its game."""


class LetterRow(NamedTuple):
    """Something for a player or, if `player` is "", an answer to an address.

    `name` is also its file name; `sent` is when it left, or "".
    """

    id: int
    game: str
    player: str
    name: str
    data: bytes
    sent: str
    at: str = ""
    """When it was written."""
    text: str = ""
    """What it says, in plain words; `data` is the same signed and sealed."""
    address: str = ""
    """Where an answer goes; letters to players go to where these are enrolled."""
    answers: str = ""
    """The Message-ID of the mail that it answers."""
    deadline: str = ""
    """Until when the exchange is open that it asks about."""
    key: str = ""
    """The public key that it is sealed to, as one line of text."""
    copy: int = 0
    """0 until it is asked for again; then another number each time."""
    tries: int = 0
    retry: str = ""
    """Not to be tried again before this time."""
    trouble: str = ""
    failed: str = ""
    """When it was given up, or came back; "" as long as it is tried or has arrived as far as is known."""
    sealed: str = ""
    """Of a receipt: the SHA-256 of the sealed file that it is for."""
    moment: str = ""
    """Of a letter that tells where a game stands: what the public view calls the time, or OVER."""
    calendar: int = 0
    """Of a letter with a deadline: which of its reader's own in this game it is, a number that grows."""


class UnsentRow(NamedTuple):
    """A letter that is still to leave, without what it says."""

    id: int
    player: str
    name: str
    address: str
    retry: str
    tries: int


class AbsenceRow(NamedTuple):
    """A player's signed word that they are away, from one day to another, both included."""

    player: str
    begins: str
    ends: str
    made: str
    statement: bytes


class ProfileRow(NamedTuple):
    """What a player has said, signed, of their zone and of the address that may be told."""

    player: str
    zone: str = ""
    share: str = ""
    made: str = ""
    """When they signed it; "" if it stood in a join file."""


class AlertRow(NamedTuple):
    """Something that is wrong, since when, and when the game master was told of it ("" if not yet)."""

    name: str
    since: str
    told: str
    text: str


class LeagueRow(NamedTuple):
    """A league as the club knows it without reading its ledger."""

    name: str
    """Of its ledger."""
    file: bytes
    head: str = ""
    """The head of the ledger for which the rest holds."""
    due: str = ""
    """When something may be due though nothing has come; "" if nothing."""
    over: int = 0
    trouble: str = ""
    """Why it does not go on by itself."""
