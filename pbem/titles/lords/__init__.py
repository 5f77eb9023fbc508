"""The title of Lords of Scotland: the places where its parts lie, and what leagues count of a game."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.rules.base import View
from pbem.titles import Title

TITLE = Title(
    "lords",
    files=("pbem.rules.lords", "pbem.orders.lords", "pbem.titles.lords.reports"),
    rules="pbem.rules.lords:RULES",
    orders="pbem.orders.lords:LANGUAGE",
    words="pbem.titles.lords.reports:WORDS",
    bots="pbem.titles.lords.bots:BOTS",
    imagine="pbem.rules.lords.game:imagine",
    worlds="pbem.titles.lords.forecast:WORLDS",
    pictures="pbem.titles.lords.pictures:PAINTER",
    playback="pbem.titles.lords.playback:PLAYBACK",
    tracker="pbem.titles.lords.playback:TRACKER",
    counts="pbem.titles.lords:COUNTS",
    twin="pbem.titles.lords.testing:twin",
    resumes=True,
    variants=(
        {"players": 2},
        {"players": 3, "discard_pile_public": False},
        {"players": 4, "use_bruce": True},
        {"players": 5},
    ),
)


def points(view: View) -> Mapping[str, int]:
    """Return the points that each side has won."""
    found: Mapping[str, int] = view.get("scores", {})
    return found


COUNTS = {"points": points}
