"""The judge's letters to players, and the addresses to which they are sent."""
