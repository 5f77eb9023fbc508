"""Odds are held against battles fought by the rules themselves."""
