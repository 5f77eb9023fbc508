"""What a game master does to a game or to keys, each with its reason and its consents."""
