"""Acts of the game master on a game or on keys, each with its reason and its consents."""
