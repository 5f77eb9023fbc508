"""Tells messages from orders, and holds the words about messages that have not been opened."""

from __future__ import annotations

from pbem.judge.club import Club
from pbem.trust import sealing

FOR_GM, NOTED = "press gm ", "press waits"
"""Prefix of the notes of papers for the director, and name of the note that messages wait; see desk."""
KIND = "press"
"""The word in the names of all letters about press; carriers see no more of what kind a letter is."""
WAITS = "press: it waits for the next pass, because many messages came"
SEALED_ONLY = (
    "a message is passed on only if it is sealed to the judge and signed by its writer, because anybody can "
    "forge the sender of a mail: write it on the page, under Talk, or with: pbem press GAME --to NAME "
    "--mail FILE"
)


def is_press(club: Club, sealed: bytes) -> bool:
    """Tell whether a file is sealed as messages between players are, and as orders never are."""
    return sealing.is_sealed_to(sealed, club.key.public)
