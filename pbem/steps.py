"""The table of next steps, which leads from a player's place in a game to the command that comes next.

Mails, letters, pages, refusals and the list of games all take it from here, so that they name the same
command for the same place, with the names of the files that are really there. Which step it is may depend on
a side; then it is said inside the seal, or by the player's own program.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

UNKNOWN: Final = {"player": "NAME", "game": "GAME", "judge": "KEY", "file": "MAIL", "exchange": "N"}
"""The words that stand in a command for values that only its reader knows."""


class Step(Enum):
    """A player's place in a game, with the command that comes next."""

    NO_KEY = "pbem keygen {player}"
    NO_GAME = "pbem join {game} --as {player} --judge {judge} --out {player}.join"
    LETTER = "pbem receive {file}"
    """The player's next step after a mail that is only to be read."""
    MAIL = "pbem turn {file}"
    """The player's next step after a mail that may ask for orders."""
    INVITED = "pbem seal --game {game} --bare --mail {game}-1.eml"
    ASKED = "pbem turn --game {game}"
    """The step after a received letter that asks for orders, which are not yet written."""
    FORM = "pbem seal {file} --mail {game}-{exchange}.eml"
    """The player's next step after orders were written."""
    REVEAL = "pbem reveal {game} --mail {game}-{exchange}-reveal.eml"
    """The step after an exchange was closed, when its dice wait for the players' secrets."""
    CALL = "pbem league reply {game}"
    """The step of a league's entrant after a letter that calls for an answer."""
    OVER = "pbem page {game}"

    def command(self, **known: str | int) -> str:
        """Return the next step's command, with words in capitals in place of values that are not known."""
        return self.value.format(**{**UNKNOWN, **known})
