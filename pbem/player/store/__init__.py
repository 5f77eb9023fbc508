"""Modules that keep a game's files in the player's home, and the proofs that these give."""
