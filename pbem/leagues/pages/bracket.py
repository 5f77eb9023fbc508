"""Writes the bracket of a knock-out in words, for letters and for those who do not see its picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.characters import lower, plain
from pbem.leagues.model import Bracket, Ending, Match, Place, Result

MAX_PLACES = 64
"""Maximum number of places of a bracket's stage that is shown; larger ones appear only round by round."""
_STAGES = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}

Told = tuple[str, tuple[str, ...]]
"""A heading, together with the lines of text below it."""
Outcomes = dict[tuple[int, int], Result]


def shown_stages(bracket: Bracket) -> tuple[tuple[str, tuple[Match, ...]], ...]:
    """Return the stages of a bracket that are shown, with their names."""
    found = []
    for at, matches in enumerate(bracket.stages):
        places = 2 * len(matches)
        name = (
            "First round" if not at and any(map(is_bye, matches)) else _STAGES.get(places, f"Last {places}")
        )
        if places <= MAX_PLACES:
            found.append((name, matches))
    return tuple(found)


def outcomes(results: Sequence[Result]) -> Outcomes:
    """Return the results of a league by round and pairing."""
    return {(one.round, one.pairing): one for one in results}


def in_words(bracket: Bracket, results: Sequence[Result]) -> tuple[Told, ...]:
    """Return the known stages of a bracket in words: who meets whom, the results, and who goes on."""
    known, told, to_come = outcomes(results), list[Told](), list[str]()
    stages = shown_stages(bracket)
    for at, (name, matches) in enumerate(stages):
        goes_on = "wins" if at == len(stages) - 1 else "goes on"
        byes = [match for match in matches if matches is bracket.stages[0] and is_bye(match)]
        lines = [line for match in matches if match not in byes for line in _line(match, known, goes_on)]
        if byes:
            names = ", ".join(_names(place) for match in byes for place in match.places if place.names)
            lines.append(f"{'Bye' if len(byes) == 1 else 'Byes'}: {names}")
        if lines:
            told.append((name, tuple(lines)))
        else:
            to_come.append(name)
    if bracket.third is not None:
        lines = list(_line(bracket.third, known, "is third"))
        if lines:
            told.append(("Third place", tuple(lines)))
        else:
            to_come.append("third place")
    if to_come:
        told.append(("Then", (lower(", ".join(to_come)),)))
    return tuple(told)


def is_bye(match: Match) -> bool:
    """Tell whether somebody goes on without a game from a match of the first stage."""
    return not match.games and any(place.settled and not place.names for place in match.places)


def is_over(match: Match, known: Outcomes) -> bool:
    """Tell whether a match of a bracket was drawn, and all of its games have results."""
    return bool(match.games) and all(game in known for game in match.games)


def place_in_words(place: Place, nobody: str = "nobody") -> str:
    """Return the player at a place of a bracket, or those who may come to it; "" if nothing is known."""
    return _names(place) or (nobody if place.settled else "")


def _line(match: Match, known: Outcomes, goes_on: str) -> Iterator[str]:
    above, below = match.places
    if not (above.names or below.names):
        return
    if match.guest:
        met = f"{_names(above) or _names(below)} - {plain(match.guest)} (eliminator)"
    elif any(place.settled and not place.names for place in match.places):
        alone = f"{_names(above) or _names(below)} has no opponent"
        yield f"{alone} and {goes_on}" if match.winner.settled else alone
        return
    else:
        met = " - ".join(place_in_words(place) or "not known yet" for place in match.places)
    yield f"{met}: {came}" if (came := _came(match, known, goes_on)) else met


def _came(match: Match, known: Outcomes, goes_on: str) -> str:
    """Return the results of a bracket's match in words; "" until the match is drawn."""
    if not match.games:
        return ""
    how = ", then ".join(_ending_in_words(known[game]) if game in known else "open" for game in match.games)
    if not match.winner.settled:
        return f"{how}, not decided yet" if is_over(match, known) else how
    told = "" if how == Ending.PLAYED else f" ({how})"
    if len(match.winner.names) > 1:  # of a drawn game for the third place
        return f"both are third{told}"
    return f"{place_in_words(match.winner)} {goes_on}{told}"


def _ending_in_words(result: Result) -> str:
    """Return how the game of a result ended, in a word."""
    if result.ending in (Ending.PLAYED, Ending.ADJUDICATED) and len(set(result.places)) == 1:
        return "drawn"
    return result.how


def _names(place: Place) -> str:
    return " or ".join(map(plain, place.names))
