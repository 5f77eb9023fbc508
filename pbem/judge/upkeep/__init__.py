"""Keeps a club's folder whole: backups, the journal, restore, and the folder's identity."""
