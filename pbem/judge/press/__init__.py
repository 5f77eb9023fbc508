"""What players say to each other: taken in, passed on, and what the director does about it."""
