"""What holds in every game: random legal play, replay, restart, and what no side may learn."""
