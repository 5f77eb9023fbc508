"""The guide's small game for three, which is written, installed and played as people outside would do it."""
