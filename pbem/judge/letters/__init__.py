"""What the judge writes to players, and where it goes."""
