"""Reads how a game ended from the last entry of its ledger."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.characters import split_words
from pbem.trust.entries import Entry, Other
from pbem.trust.faults import LedgerFault


def game_places(last: Entry, seats: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    """Return each player's place by the entry `over` of a game; equal places are shared.

    `seats`: side -> player.

    Raises:
        LedgerFault: the game does not end with this entry.
    """
    if not isinstance(last, Other) or last.word != "over" or not last.extra:
        raise LedgerFault("the game is not over")
    words = {word: rest for word, _, rest in (line.partition(" ") for line in last.extra)}
    if "places" in words:
        return _rank_players([place.split(" ") for place in words["places"].split(", ")], seats)
    winners = split_words(words.get("winner", words.get("winners", "")))
    rest = [side for side in seats if side not in winners]
    return _rank_players([part for part in (winners, rest) if part], seats)


def _rank_players(parts: list[list[str]], seats: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    for part in parts:
        place = len(found) + 1
        found += [(seats[side], place) for side in part]
    if len(found) != len(seats):
        raise LedgerFault("the last entry of the game does not place everybody")
    return tuple(sorted(found))
