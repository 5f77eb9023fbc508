"""Bots that play Hammer of the Scots."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.bots import Bot
from pbem.bots.hammer.captain import Captain
from pbem.bots.hammer.random_player import RandomPlayer

BOTS: Mapping[str, Callable[[str], Bot]] = {
    "captain": Captain,
    "random": RandomPlayer,
}
