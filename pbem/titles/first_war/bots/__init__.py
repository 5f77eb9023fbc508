"""Bots that play First War of Scottish Independence."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.bots import Bot
from pbem.titles.first_war.bots.marshal import Marshal
from pbem.titles.first_war.bots.random_player import RandomPlayer

BOTS: Mapping[str, Callable[[str], Bot]] = {"marshal": Marshal, "random": RandomPlayer}
