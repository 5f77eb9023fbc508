"""The judge's letters to players, and where they go."""
