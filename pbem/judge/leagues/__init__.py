"""The judge's side of leagues: their ledgers, what is said and sent, and the steps that a pass takes."""
