"""What is asked of a side, in a few words for each kind of Ask and each public stop."""

from __future__ import annotations

QUESTIONS: dict[str, str] = {
    "card": "the card you play",
    "king": "a coronation instead of your event",
    "herald": "the noble your herald calls",
    "pillage": "the area you pillage",
    "pillage-hit": "which of your strongest blocks the pillage hits",
    "pillage-build": "who gains from the pillage",
    "sail": "your sea move",
    "victuals": "who gains from the victuals",
    "truce": "whether you use the truce",
    "move": "your moves",
    "battle": "the next battle",
    "combat": "a combat turn: fire, pass or retreat",
    "hit": "which of your strongest blocks is hit",
    "retreat": "where your blocks retreat",
    "regroup": "your regroup",
    "raid": "the block that the border raid costs you",
    "home": "where a block winters",
    "edward": "whether Edward winters in Scotland",
    "disband": "the blocks you disband",
    "build": "your builds",
}

STOPS: dict[str, str] = {
    "cards": "your card, and orders for the turn that follows",
    "winter": "your winter: homes, the kings, disbanding",
    "builds": "your builds",
}
