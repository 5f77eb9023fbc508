"""Keeps a game's files in the player's home, and the proofs that they give."""
