"""Bots that play Lords of Scotland."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.bots import Bot
from pbem.titles.lords.bots.chief import Chief
from pbem.titles.lords.bots.random_player import RandomPlayer

BOTS: Mapping[str, Callable[[str], Bot]] = {"chief": Chief, "random": RandomPlayer}
