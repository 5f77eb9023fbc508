"""Bots play by order files that people could have written."""
