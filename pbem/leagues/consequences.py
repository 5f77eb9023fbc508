"""Explains what follows from a statement about a league, before the statement is signed."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.leagues.statements import (
    ABSENT,
    APPEAL,
    CHALLENGE,
    ENTER,
    HALF_BYE,
    NEW_KEY,
    SUBSTITUTE,
    VOTE,
    WITHDRAW,
    Statement,
    places_text,
)


def meaning(said: Statement, games: Sequence[str] = ()) -> str:
    """Return the sentence that tells what follows from a statement about a league.

    `games` are the player's running games, as far as known.
    """
    name = said.player
    rounds, about = said.rounds or (0, 0), said.about or (0, 0)
    going = f", and loses {', '.join(games)}" if games else ", and loses the games that go on"
    return {
        ENTER: f"{name} "
        + ("is not in the table, and meets players without an opponent, " if said.eliminator else "plays ")
        + "from the next round on that the judge has not called yet",
        SUBSTITUTE: f"if the director admits {name}, they have the points, opponents and games of {said.of}"
        if said.of
        else f"{name} is on the list of substitutes, and gets the first free place, with its points, "
        "opponents and games; 'withdraw' takes them off the list",
        WITHDRAW: f"{name} is not paired any more{going}; league.toml says if games that are over count",
        ABSENT: f"{name} is not paired from round {rounds[0]} to round {rounds[1]}",
        HALF_BYE: f"{name} is not paired in round {rounds[0]}, and gets the points of a draw",
        CHALLENGE: f"{name} meets {said.of} in the next round, if the rungs between them, and the number of "
        "their games, allow it",
        VOTE: f"it counts for pairing {about[1]} of round {about[0]}: {places_text(said.places)}; "
        "more than half of the panel decides",
        APPEAL: f"everybody can read it, and the director answers it with a ruling about entry {said.entry}",
        NEW_KEY: f"{name} signs only with the new key "
        + ("from that entry on" if said.by else f"when the director is sure that {name} asks, and rules so"),
    }[said.say]
