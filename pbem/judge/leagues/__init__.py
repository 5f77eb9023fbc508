"""The judge's side of leagues: their ledgers, statements, letters, and the steps of a pass."""
