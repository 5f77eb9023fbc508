"""Answers to a referee's two questions about a game that has been played.

They are: what caused an event, and what if an order had been another? Both play the game again in memory;
nothing is written.
"""
