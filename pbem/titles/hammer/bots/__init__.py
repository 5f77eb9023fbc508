"""Bots that play Hammer of the Scots."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.bots import Bot
from pbem.titles.hammer.bots.captain import Captain
from pbem.titles.hammer.bots.random_player import RandomPlayer

BOTS: Mapping[str, Callable[[str], Bot]] = {
    "captain": Captain,
    "random": RandomPlayer,
}
