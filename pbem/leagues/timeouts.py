"""The waiting times of a league: for a substitute, for appeals, and for silent players.

Judge and audit ask here, so that what was waited for too short or not at all is refuted. Each wait is bounded
by the file, and no two of the same kind follow each other, so nobody can stall a league.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.leagues.calls import Call
from pbem.leagues.entries import Paired
from pbem.leagues.facts import RoundState, SeasonFacts
from pbem.leagues.statements import WITHDRAW

SILENT = "silent"
"""The reason for leaving that is recorded for a player who left too many calls unanswered."""
MAX_ABSENCE_ROUNDS = 2
"""Maximum number of rounds in a row for which a player may be absent from a ladder."""


def waits_until(season: SeasonFacts, name: str) -> datetime | None:
    """Return until when a leaver's place waits for a substitute; None if the player has not left."""
    left = season.members[name].left_at
    return None if left is None else left + timedelta(days=season.file.replace_days)


def vacant_until(season: SeasonFacts, pair: Paired) -> datetime:
    """Return until when the empty places of a pairing wait for substitutes.

    A place waits once in a round: a substitute who leaves as well does not prolong it.
    """
    ends = (
        until
        for player in pair.players
        if season.members[season.name_now(player)].leaving_reason
        and (until := waits_until(season, player)) is not None
    )
    return max(ends, default=season.genesis.at)


def seats_until(season: SeasonFacts, state: RoundState, pair: Paired) -> dict[str, datetime]:
    """Return the players who took a place in a running game, and until when they must take its seat.

    Each has as many days as a place waits for a substitute; then the game is lost as if nobody had come.
    """
    days, sat = timedelta(days=season.file.replace_days), state.seated_players.get(pair.number)
    later = (season.members[name] for name in map(season.name_now, pair.players) if sat and name not in sat)
    return {one.name: one.took_at + days for one in later if one.took_at is not None}


def is_too_late(season: SeasonFacts, pair: Paired, name: str) -> bool:
    """Tell whether a player left after their seat had waited once in the round, so that the game is lost."""
    left = season.members[name].left_at
    return any(
        left is not None and (until := waits_until(season, player)) is not None and left > until
        for player in pair.players
        if season.name_now(player) == name
    )


def listed_substitutes(season: SeasonFacts, of: str) -> tuple[str, ...]:
    """Return the people on the list of substitutes who may take a leaver's place, in order.

    They offered before the days were over for which the place waits. When the judge looks at the list does
    not matter, so that no pause of the judge's takes a place from them.
    """
    until = waits_until(season, of)
    if until is None or of in season.successors or not season.file.replace_days:
        return ()
    return tuple(name for name, offer in season.offers.items() if offer.is_listed and offer.at <= until)


def first_on_list(season: SeasonFacts, of: str) -> str | None:
    """Return the first on the list of substitutes, who precedes those the director admits; None if nobody."""
    return next(iter(listed_substitutes(season, of)), None)


def settled_at(season: SeasonFacts, state: RoundState) -> datetime:
    """Return the time at which a round with all results is over, by the present entries of the ledger.

    Results can be appealed against for `appeal_days` after the last one. The first correction after it opens
    these days once more, no later one does. An appeal made in time is waited for until it is answered, or its
    `answer_days` are over.
    """
    file = season.file
    last = max((one.at for one in state.outcomes), default=None)
    if last is None or not file.appeal_days:
        return last or state.pairings.at
    window = timedelta(days=file.appeal_days)
    until = last + window
    corrected = next((at for at in state.correction_times if at >= last), None)
    if corrected is not None:
        until = max(until, corrected + window)
    waits = (one.at + timedelta(days=file.answer_days) for one in season.appeals.values() if one.at <= until)
    return max(until, *waits, until)


def count_silence(season: SeasonFacts, call: Call, at: datetime) -> None:
    """Count a closed call that players left unanswered; too many in a row count as withdrawal.

    A call that nobody has answered counts against nobody, since then it is the mail that did not work.
    """
    refused = {entry.player for entry in call.refused}
    if not call.received:
        return
    for player in call.asked:
        member = season.members[player]
        if player not in call.waiting or player in refused:
            member.unanswered_calls = 0
            continue
        member.unanswered_calls += 1
        if 0 < season.file.silent_calls <= member.unanswered_calls and not member.leaving_reason:
            leave(season, player, SILENT, at)


def leave(season: SeasonFacts, name: str, why: str, at: datetime) -> None:
    """Record that a player leaves; one who leaves by choice after their last game has played the season."""
    member = season.members[name]
    member.leaving_reason, member.left_at = why, at
    file = season.file
    ends = file.final and len(season.rounds) > 0 and len(season.rounds[0].pairings.divisions) > 1
    last = {"sections": 1 + ends, "swiss": file.rounds}.get(file.format, 0)
    member.played_all = (
        why == WITHDRAW
        and 0 < last <= len(season.rounds)
        and not any(name in map(season.name_now, pair.players) for pair in season.rounds[-1].unfinished_pairs)
    )


def longest_run(spans: list[tuple[int, int]]) -> int:
    """Return the longest run of rounds in absence, from the first and last round of each absence."""
    longest, begin, end = 0, 0, -1
    for first, last in sorted(spans):
        if first > end + 1:
            begin = first
        end = max(end, last)
        longest = max(longest, end - begin + 1)
    return longest
