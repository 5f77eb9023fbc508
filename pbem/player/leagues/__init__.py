"""A player's leagues: their signed statements, and the ledger that comes to them."""
