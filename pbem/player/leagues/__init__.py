"""A player's leagues: what they sign, and the ledger that comes to them."""
