"""Check of a league's letter against its reader's entries, for contradictions in results and opponents.

No entry holds the hash of such a letter. What else it says is the judge's word alone (protocol of leagues).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pbem.leagues.entries import Ended, Pairings, Ruled, Substituted
from pbem.leagues.model import Ending, outcome_text
from pbem.trust.entries import Entry
from pbem.trust.identifiers import is_number, quote
from pbem.trust.letters import ReportLetter

_RESULT = re.compile(r"^entry ([0-9]{1,9}): pairing ([0-9]{1,9}), (.*)$", re.MULTILINE)
_MEETING = re.compile(r"^You meet ([^ \n]+(?: and [^ \n]+)*) in ([^ \n]+)\.$", re.MULTILINE)


def find_contradiction(letter: ReportLetter, entries: Sequence[Entry]) -> str:
    """Return how a league's letter contradicts its ledger; "" if no contradiction shows."""
    return next(_lies(letter, entries[: letter.checkpoint.size]), "")


def _lies(letter: ReportLetter, entries: Sequence[Entry]) -> Iterator[str]:
    heirs = {one.of: one.player for one in entries if isinstance(one, Substituted)}
    for number, pairing, outcome in _RESULT.findall(letter.report):
        entry = entries[int(number) - 1] if 1 <= int(number) <= len(entries) else None
        true = _outcome_in(entry, heirs)
        if true != (pairing, outcome):
            has = f"pairing {true[0]}, {true[1]}" if true else "no result"
            says = f"it says of entry {number}: pairing {pairing}, {quote(outcome)}"
            yield f"{says}; there the ledger has {has}"
    games = {pair.game: pair for one in entries if isinstance(one, Pairings) for pair in one.pairs}
    for others, game in _MEETING.findall(letter.report):
        players = [_heir(name, heirs) for name in games[game].players] if game in games else []
        if sorted(players) != sorted([letter.player, *others.split(" and ")]):
            has = " and ".join(players) or "nobody"
            yield f"it says that you meet {quote(others)} in {quote(game)}; there the ledger has {has}"


def _heir(player: str, heirs: Mapping[str, str]) -> str:
    """Return who has a player's place now, after substitutions; a circle of these ends at its last name."""
    had = set[str]()
    while player in heirs and player not in had:
        had.add(player)
        player = heirs[player]
    return player


def _outcome_in(entry: Entry | None, heirs: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the pairing and the outcome that an entry decides, in words; None if it decides none."""
    match entry:
        case Ended():
            pairing, ending, places, reason = (
                str(entry.pairing),
                entry.ending,
                list(entry.places),
                entry.reason,
            )
        case Ruled(decides=("result" | "correct", _, pairing, word, *numbered)):
            ending, reason = Ending(word), ""
            pairs = [one.partition("=") for one in numbered]
            places = [(name, int(place)) for name, _, place in pairs if is_number(place)]
        case _:
            return None
    named = [(_heir(name, heirs), place) for name, place in places]
    return pairing, outcome_text(ending, named, reason)
