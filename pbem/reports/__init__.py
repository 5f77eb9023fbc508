"""The reports of games: from a view and what was told to plain text, by templates.

A game brings its `Words`; plain.py writes what all games' reports have in common,
packing.py the part of a report that a program reads.
"""

from pbem.reports.base import WIDTH, Context, Dice, Echo, Roll

__all__ = ["WIDTH", "Context", "Dice", "Echo", "Roll"]
