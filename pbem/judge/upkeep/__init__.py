"""Keeps a club's folder safe: backups, the journal, restore, and a check that it is no copy."""
