"""The story of a played game: what one reader was shown, step by step, for every way to look back."""
