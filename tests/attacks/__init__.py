"""Attacks that are composed by chance, rather than listed (tests/audit has the list)."""
