"""How long a league waits for people: for a substitute, for objections to results, for who is silent.

Judge and audit ask here, so that what was waited for too short or not at all is refuted. Each wait is bounded
by the file, and no two of the same kind follow each other, so nobody can stall a league.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.leagues.entries import Paired
from pbem.leagues.parts import Call, RoundState

if TYPE_CHECKING:
    from pbem.leagues.season import Season

SILENT = "silent"
"""Why somebody takes part no more who has left too many calls unanswered."""
LONGEST_ABSENCE = 2
"""So many rounds running somebody may be absent from a ladder, where a place can be won from them alone."""


def vacant_until(season: Season, pair: Paired) -> datetime:
    """Until when the empty places of a pairing wait for substitutes.

    A place waits once in a round: a substitute who leaves as well does not prolong it.
    """
    since = (
        at
        for player in pair.players
        if season.members[season.name_now(player)].left and (at := season.members[player].left_at) is not None
    )
    return max(since, default=season.genesis.at) + timedelta(days=season.file.replace_days)


def settled_at(season: Season, state: RoundState) -> datetime:
    """When a round all of whose pairings have results is over, by what is in the ledger now.

    Results can be appealed against for `appeal_days` after the last one. The first correction after it opens
    these days once more, no later one does. An appeal made in time is waited for until it is answered, or its
    `answer_days` are over.
    """
    file = season.file
    last = max((one.at for one in state.outcomes), default=None)
    if last is None or not file.appeal_days:
        return last or state.made.at
    window = timedelta(days=file.appeal_days)
    until = last + window
    corrected = next((at for at in state.corrected if at >= last), None)
    if corrected is not None:
        until = max(until, corrected + window)
    waits = (one.at + timedelta(days=file.answer_days) for one in season.appeals.values() if one.at <= until)
    return max(until, *waits, until)


def count_silence(season: Season, call: Call, at: datetime) -> None:
    """Note who has left a call unanswered that is closed now; who has done so too often counts as withdrawn.

    A call that nobody has answered counts for nobody: then it is the mail that did not work.
    """
    refused = {entry.player for entry in call.refused}
    if not call.received:
        return
    for player in call.asked:
        member = season.members[player]
        if player not in call.waiting or player in refused:
            member.silent = 0
            continue
        member.silent += 1
        if 0 < season.file.silent_calls <= member.silent and not member.left:
            member.left, member.left_at = SILENT, at


def longest_run(spans: list[tuple[int, int]]) -> int:
    """How many rounds running somebody is absent at most, by the first and last round of each absence."""
    longest, begin, end = 0, 0, -1
    for first, last in sorted(spans):
        if first > end + 1:
            begin = first
        end = max(end, last)
        longest = max(longest, end - begin + 1)
    return longest
