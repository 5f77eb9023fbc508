"""A game that was played as moments: what one reader was shown, step by step, for every way to look back."""
