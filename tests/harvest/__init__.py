"""A small game for three, which is written, installed and played as anybody outside would do it."""
