"""The judge's part in leagues: their ledgers, statements, letters, and the steps of a pass."""
