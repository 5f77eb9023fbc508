"""A player's home, as tests of players have it."""

from tests.player.conftest import _made, alice

__all__ = ["_made", "alice"]
