"""The keys of league.toml, with their tables, kinds of values, and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pbem.trust.times import WEEKDAYS

FORMATS = ("sections", "swiss", "knockout", "ladder")
SIDES = ("balanced", "bids", "both")
NEVER = "never"
UNFINISHED = ("panel", "count", "director", "draw")
REQUIRED = object()
"""The mark for a key without a default, which the file must give."""


@dataclass(frozen=True, slots=True)
class Key:
    """The definition of one key of a table in league.toml; `words` are the values of a "choice"."""

    kind: str
    default: Any = None
    words: tuple[str, ...] = ()


TABLES: dict[str, dict[str, Key]] = {
    "": {
        "name": Key("token", REQUIRED),
        "title": Key("text", ""),
        "format": Key("choice", REQUIRED, FORMATS),
    },
    "game": {
        "rules": Key("token", REQUIRED),
        "mode": Key("choice", "with-orders", ("with-orders", "after-close")),
        "exchanges": Key("number", 0),
        "options": Key("options", ()),
        "round": Key("rounds", ()),
    },
    "entries": {
        "until": Key("time", REQUIRED),
        "least": Key("number", 2),
        "most": Key("number", 500),
        "late": Key("choice", "no", ("no", "next-round")),
    },
    "last": {
        "leagues": Key("seasons", ()),
        "class": Key("number", 0),
    },
    "rounds": {
        "count": Key("number", 0),
        "days": Key("days", 112),
        "gap_days": Key("days", 0),
        "last_dates": Key("times", ()),
        "warn_days": Key("days", 14),
    },
    "draws": {"days": Key("days", 7)},
    "rhythm": {
        "days": Key("days", 7),
        "weekdays": Key("words", ()),
        "hour": Key("text", ""),
        "zone": Key("text", "UTC"),
        "grace_hours": Key("days", 0),
        "bank_days": Key("days", 0),
        "increment_days": Key("days", 0),
        "absence_days": Key("days", 21),
        "agreed_days": Key("days", 0),
        "reminder_hours": Key("days", 36),
        "silent_exchanges": Key("number", 2),
        "claims": Key("choice", "ask", ("ask", "grant")),
    },
    "sections": {
        "size": Key("number", 7),
        "double": Key("yes", False),
        "up": Key("number", 0),
        "down": Key("number", 0),
        "final": Key("yes", False),
    },
    "swiss": {
        "odd": Key("choice", "bye", ("bye", "eliminator")),
        "stuck": Key("choice", "", ("rematch", "end")),
        "order": Key("choice", "points", ("points", "sides")),
        "seeding": Key("choice", "draw", ("draw", "rating")),
        "apart": Key("couples", ()),
        "half_byes": Key("number", 0),
    },
    "knockout": {
        "odd": Key("choice", "bye", ("bye", "eliminator")),
        "seeding": Key("choice", "rating", ("rating", "draw")),
        "drawn": Key("token", "lot"),
        "third": Key("yes", False),
    },
    "ladder": {"reach": Key("number", 3)},
    "tables": {"least": Key("number", 0), "most": Key("number", 0)},
    "sides": {"by": Key("choice", "balanced", SIDES)},
    "unfinished": {
        "by": Key("choice", "director", UNFINISHED),
        "count": Key("token", ""),
        "panel_days": Key("days", 14),
    },
    "scoring": {
        "win": Key("fraction", Fraction(1)),
        "draw": Key("fraction", Fraction(1, 2)),
        "loss": Key("fraction", Fraction(0)),
        "bye": Key("fraction", Fraction(1)),
        "forfeit": Key("fraction", Fraction(1)),
        "annulled": Key("fraction", Fraction(0)),
        "tie_breaks": Key("phrases", ()),
        "leavers": Key("choice", "half-played", ("annulled", "half-played", "open-lost")),
        "forfeits_rated": Key("yes", False),
    },
    "leaving": {
        "replace_days": Key("days", 0),
        "silent_calls": Key("number", 3),
    },
    "appeals": {
        "days": Key("days", 7),
        "answer_days": Key("days", 7),
    },
    "digest": {"day": Key("choice", "mon", (*WEEKDAYS, NEVER))},
    "people": {
        "director": Key("token", REQUIRED),
        "assistants": Key("words", ()),
        "panel": Key("words", ()),
    },
}
OF_FORMAT = {"sections", "swiss", "knockout", "ladder"}
"""The tables of league.toml that belong to one format, whose name they bear."""
