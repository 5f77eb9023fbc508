"""Bots that play Hammer of the Scots."""

from __future__ import annotations

from pbem.bots.hammer.recruit import Recruit

__all__ = ["Recruit"]
