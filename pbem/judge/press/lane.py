"""How a message is told from orders, and what is said of it before it is opened."""

from __future__ import annotations

from pbem.judge.club import Club
from pbem.trust import sealing

FOR_GM, NOTED = "press gm ", "press waits"
"""Names of notes: see desk."""
KIND = "press"
"""The kind in the names of all letters about press: carriers see no more."""
WAITS = "press: it waits for the next pass, because many messages came"
SEALED_ONLY = (
    "a message is passed on only if it is sealed to the judge and signed by its writer, because anybody can "
    "forge the sender of a mail: write it on the page, under Talk, or with: pbem press GAME --to NAME "
    "--mail FILE"
)


def is_press(club: Club, sealed: bytes) -> bool:
    """Tell whether a file is sealed as messages are; orders never are."""
    return sealing.is_sealed_to(sealed, club.key.public)
