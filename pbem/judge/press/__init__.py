"""Press at the judge: players' messages are taken in and sent on, and the director acts on press.

Messages are told from orders here: a pass without messages loads nothing else of press.
"""

from __future__ import annotations

from pbem.judge.club import Club
from pbem.trust import sealing

NOTED = "press waits"
"""Name of the note which says that messages wait for the next pass; see pbem.judge.press.desk."""
KIND = "press"
"""The word in the names of all letters about press, which hides from carriers what kind each is."""
WAITS = "press: it waits for the next pass, because many messages came"
SEALED_ONLY = (
    "a message is passed on only if it is sealed to the judge and signed by its writer, because anybody can "
    "forge the sender of a mail: write it on the page, under Talk, or with: pbem press GAME --to NAME "
    "--mail FILE"
)


def is_press(club: Club, sealed: bytes) -> bool:
    """Tell whether a file is sealed to the judge's own key, as messages are and orders are not."""
    return sealing.is_sealed_to(sealed, club.key.public)
