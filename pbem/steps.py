"""The table of next steps: from where a player stands to the one command that goes on from there.

Mails, letters, pages, refusals and the list of games all take it from here, so that they name the same
command for the same place, with the names of the files that are really there. Which step it is may depend on
a side; then it is said inside the seal, or by the player's own program.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

UNKNOWN: Final = {"player": "NAME", "game": "GAME", "judge": "KEY", "file": "MAIL", "exchange": "N"}
"""What stands in a command for what only its reader knows."""


class Step(Enum):
    """Where a player stands, and the command that comes next."""

    NO_KEY = "pbem keygen {player}"
    NO_GAME = "pbem join {game} --as {player} --judge {judge} --out {player}.join"
    LETTER = "pbem receive {file}"
    """A mail has come, and is only to be read."""
    MAIL = "pbem turn {file}"
    """A mail has come that may ask for orders."""
    INVITED = "pbem seal --game {game} --bare --mail {game}-1.eml"
    ASKED = "pbem turn --game {game}"
    """What the judge has sent is received; orders are not yet written."""
    FORM = "pbem seal {file} --mail {game}-{exchange}.eml"
    """Orders are written."""
    REVEAL = "pbem reveal {game} --mail {game}-{exchange}-reveal.eml"
    """An exchange is closed, and its dice wait for the players' secrets."""
    OVER = "pbem page {game}"

    def command(self, **known: str | int) -> str:
        """Return the command; what is not known of it stands there in capitals."""
        return self.value.format(**{**UNKNOWN, **known})
