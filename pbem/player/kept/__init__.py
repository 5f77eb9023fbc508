"""What a player's home keeps of a game, and what it proves."""
