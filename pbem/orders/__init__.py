"""The order languages of games: what a player may write, what is wrong with it, and what it answers.

What all languages share is here (lines, cursor, faults); each game's own words are in a package of its own.
"""

from __future__ import annotations

from pbem.orders.base import (
    Answer,
    Dropped,
    Fault,
    Follower,
    Language,
    Orders,
    Parsed,
    Reply,
    Stop,
    Uncovered,
    faults_in_words,
)

__all__ = [
    "Answer",
    "Dropped",
    "Fault",
    "Follower",
    "Language",
    "Orders",
    "Parsed",
    "Reply",
    "Stop",
    "Uncovered",
    "faults_in_words",
]
