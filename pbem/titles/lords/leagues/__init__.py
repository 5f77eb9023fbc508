"""The numbers that leagues count of a game of Lords of Scotland, from what all can see."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.rules.base import View


def points(view: View) -> Mapping[str, int]:
    """Return the points that each side has won."""
    found: Mapping[str, int] = view.get("scores", {})
    return found


COUNTS = {"points": points}
