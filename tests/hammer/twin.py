"""Another world of the game that looks the same to one of its sides."""

from __future__ import annotations

import random

from pbem.rules.base import View
from tests.hammer.worlds import twin_of


def twin(position: View, viewer: str, chooser: random.Random) -> View:
    """Hidden blocks, their strengths and the hidden hand are exchanged."""
    return twin_of(position, viewer, chooser).position
