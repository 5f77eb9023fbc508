"""How the bots of First War are measured."""

from tests.bots.matches import Matches

MATCHES = Matches(tables={"2 players": {}}, seatings={"a sheet for each season": ("marshal",)})
