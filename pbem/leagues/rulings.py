"""The rulings of the director and the assistants: whether one can be made now, and what it changes."""

from __future__ import annotations

from datetime import datetime

from pbem.characters import BLANKS
from pbem.leagues.entries import EXPEL, RESULT, RULINGS, Ruled
from pbem.leagues.facts import Outcome, RoundState, SeasonFacts
from pbem.leagues.model import Ending
from pbem.leagues.statement_rules import take_place
from pbem.leagues.statements import parse_places
from pbem.leagues.timeouts import SILENT, first_on_list, leave
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import is_number, quote
from pbem.trust.times import parse_utc


def take_ruling(season: SeasonFacts, entry: Ruled) -> None:
    """Apply a ruling to the season. Raises LedgerFault if the ruling cannot be made now."""
    if entry.number != len(season.rulings) + 1:
        raise LedgerFault(f"ruling {len(season.rulings) + 1} is the next")
    if entry.by not in season.file.officials:
        raise LedgerFault(
            f"{entry.by} is neither director nor assistant: {', '.join(season.file.officials)} are"
        )
    try:
        _rule(season, entry)
    except LedgerFault:
        raise
    except (ValueError, TrustFault) as fault:
        raise LedgerFault(f"the ruling is not written as its format demands: {fault}") from None
    season.quota.take_ruling()
    season.rulings.append(entry)


def _rule(season: SeasonFacts, entry: Ruled) -> None:
    match entry.decides:
        case [("result" | "correct") as what, number, pairing, ending, *places]:
            game = _round(season, number).number, _number(pairing)
            _rule_result(season, entry, what, *game, _ending(ending), ",".join(places))
        case ["extend", number, until]:
            state = _round(season, number)
            if state.over_at is not None or parse_utc(until) <= state.last_date:
                raise LedgerFault("a last date can be moved to a later one while its round goes on")
            state.last_date = parse_utc(until)
        case ["expel", player] if player in season.members and not season.members[player].leaving_reason:
            leave(season, player, EXPEL, entry.at)
        case ["expel", player] if player in season.offers:
            del season.offers[player]
        case ["admit", player] if player in season.offers and not season.offers[player].is_listed:
            _admit(season, player, entry.at)
        case ["readmit", player] if _can_return(season, player):
            member = season.members[player]
            member.leaving_reason, member.left_at, member.played_all, member.unanswered_calls = (
                "",
                None,
                False,
                0,
            )
        case ["key", player] if player in season.keys.requested_keys:
            _grant(season, entry.by, player)
        case ["answer", number, ("upheld" | "dismissed")] if _number(number) in season.appeals:
            season.answered_appeals[_number(number)] = season.appeals.pop(_number(number)), entry
        case ["start"] if not season.calls:
            season.started_at = entry.at
        case ["cancel"]:
            season.is_cancelled = True
        case _:
            raise LedgerFault(_why_not(season, entry.decides))


def _number(text: str) -> int:
    if not is_number(text):
        raise LedgerFault(f"{quote(text)} is not a number")
    return int(text)


def _round(season: SeasonFacts, text: str) -> RoundState:
    number = _number(text)
    if not 1 <= number <= len(season.rounds):
        raise LedgerFault(f"round {number} has not been drawn")
    return season.rounds[number - 1]


def _why_not(season: SeasonFacts, decides: tuple[str, ...]) -> str:
    """Return the reason why a ruling, which `take_ruling` has not applied, cannot be made."""
    match decides:
        case ["expel", player]:
            return f"{player} does not play in {season.file.name}, or has left"
        case ["admit", player] if player in season.offers:
            return f"{player} is on the list of substitutes, and gets a place without a ruling"
        case ["admit", player]:
            return f"{player} does not offer to take anybody's place"
        case ["readmit", _] if season.file.format == "knockout":
            return "a player who was silent in a knock-out is out of its bracket, and cannot return"
        case ["readmit", player]:
            return f"{player} cannot return: they were not silent, or somebody plays on for them"
        case ["key", player]:
            return f"{player} has not asked for a new key"
        case ["answer", number, ("upheld" | "dismissed")]:
            return f"entry {number} is not an appeal that waits for an answer"
        case ["start"]:
            return "the league has begun"
        case [what, *_] if what in RULINGS:
            return f"write it like this: {what} {RULINGS[what]}".rstrip(BLANKS)
    return f"there is no ruling {quote(decides[0])}; the rulings are {', '.join(RULINGS)}"


def _ending(word: str) -> Ending:
    try:
        return Ending(word)
    except ValueError:
        raise LedgerFault(f"a game cannot end {quote(word)}; write one of {', '.join(Ending)}") from None


def _rule_result(
    season: SeasonFacts, entry: Ruled, what: str, number: int, pairing: int, ending: Ending, places: str
) -> None:
    pair, state = season.pair(number, pairing), season.rounds[number - 1]
    known = state.outcome(pairing)
    if entry.by in map(season.name_now, pair.players):
        raise LedgerFault(f"{entry.by} plays in this game: another official must rule on it")
    if (known is None) != (what == RESULT):
        what = "has a result already: correct it" if known else "has no result yet to correct"
        raise LedgerFault(f"pairing {pairing} of round {number} {what}")
    placed = parse_places(places)
    if {player for player, _ in placed} != set(pair.players):
        raise LedgerFault(f"the game is between {', '.join(pair.players)}")
    counts = known.counts if known else ()
    if known:
        state.correction_times.append(entry.at)
    season.results_at[season.next_number] = number, pairing
    state.ruled_results[pairing] = Outcome(ending, placed, counts, known.at if known else entry.at, True)


def _grant(season: SeasonFacts, by: str, player: str) -> None:
    """Make a key that a player asked for count, unless a call is open, whose files it could replace."""
    if by == player:
        raise LedgerFault(f"{by} cannot rule on their own key: another official must")
    if season.call is not None and player in season.call.asked:
        raise LedgerFault(f"call {season.call.number} is open: rule on the key of {player} when it is closed")
    season.keys.grant(player)


def _can_return(season: SeasonFacts, player: str) -> bool:
    """Tell whether a player counts as withdrawn for silence and can return, since nobody plays on for them.

    Nobody returns to a bracket: what the draws have made of their absence stands.
    """
    member = season.members.get(player)
    if member is None or player in season.successors or season.file.format == "knockout":
        return False
    return member.leaving_reason == SILENT


def _admit(season: SeasonFacts, player: str, at: datetime) -> None:
    of = season.offers[player].statement.of
    if not season.members[of].leaving_reason or of in season.successors:
        raise LedgerFault(f"{of} plays again, or has a substitute")
    if (first := first_on_list(season, of)) is not None:
        raise LedgerFault(f"{first} is first on the list of substitutes, and gets the place before {player}")
    take_place(season, player, of, at)
