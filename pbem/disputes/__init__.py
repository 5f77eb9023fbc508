"""What a referee asks of a game that has been played: what caused an event, and what if an order had been
another. Both play the game again in memory; nothing is written.
"""
