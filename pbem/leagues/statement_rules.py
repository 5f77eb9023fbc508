"""The rules for players' statements in a league: whether one can be made now, and what it changes."""

from __future__ import annotations

from datetime import datetime

from pbem.leagues.entries import Substituted
from pbem.leagues.facts import Appeal, Member, Offer, SeasonFacts
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
    check_allowed,
)
from pbem.leagues.timeouts import MAX_ABSENCE_ROUNDS, leave, longest_run
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.identifiers import split_who, who_of
from pbem.trust.keys import parse_public


def check_said(season: SeasonFacts, said: Statement, at: datetime) -> None:
    """Check that a player's statement can be made now. Raises LedgerFault with the reason."""
    if said.league != season.genesis.game:
        raise LedgerFault(f"it is about {said.league}, not about {season.genesis.game}")
    if said.judge != season.genesis.gm:
        raise LedgerFault(
            f"it is for the league {season.file.name} of the judge {said.judge}; the judge of this league is "
            f"{season.genesis.gm}"
        )
    if said.genesis != season.genesis_head:
        raise LedgerFault(
            f"it is for another league called {season.file.name}, with the first head {said.genesis}; the "
            f"first head of this league is {season.genesis_head}"
        )
    if season.is_over:
        raise LedgerFault(f"{season.file.name} is over")
    season.quota.check(said, at)
    match said.say:
        case _ if said.say in (ENTER, SUBSTITUTE):
            _check_entry(season, said)
        case _ if said.say == VOTE:
            _check_vote(season, said)
        case _ if said.say == NEW_KEY:
            _check_new_key(season, said)
        case _ if said.say == WITHDRAW and said.player in season.offers:
            return
        case _ if said.player not in season.members and said.player not in dict(season.genesis.people):
            raise LedgerFault(f"{said.player} does not play in {season.file.name}")
        case _ if said.say == APPEAL:
            _check_appeal(season, said)
        case _ if said.player not in season.members or season.members[said.player].leaving_reason:
            raise LedgerFault(f"{said.player} has left {season.file.name}")
        case _:
            _check_plan(season, said)


def _check_entry(season: SeasonFacts, said: Statement) -> None:
    assert said.key is not None
    people = dict(season.genesis.people)
    line, known = season.key_of(said.player), said.player in people
    if said.player in season.members or said.player in season.offers or (line and not known):
        raise LedgerFault(f"somebody called {said.player} has entered already")
    if known:
        due = parse_public(line).fingerprint if line else people[said.player]
        if said.key.fingerprint != due:
            raise LedgerFault(f"[people] names {said.player}, who must enter with their key {due}")
    elif season.keys.is_known(said.key.line):
        raise LedgerFault("somebody who has entered already has, or had, this key")
    season.carried.check_enters(said.player, said.key.fingerprint)
    if said.games > 1 and not season.file.many_games:
        raise LedgerFault(
            f"in {season.file.name} everybody plays one game at a time: leave out the number of games"
        )
    if said.say == SUBSTITUTE:
        _check_offer(season, said.of)
    else:
        season.carried.check_class(said.player, season.file.rank, len(season.file.last))
        _check_open(season)


def _check_offer(season: SeasonFacts, of: str) -> None:
    """Check an offer to play on for the player `of`; "" offers to take whatever place becomes free first."""
    if of:
        _check_free(season, of)
    elif not season.file.replace_days:
        raise LedgerFault(
            f"{season.file.name} has no list of substitutes: its replace_days is 0, and no place waits"
        )


def _check_free(season: SeasonFacts, of: str) -> None:
    if of not in season.members or not season.members[of].leaving_reason or of in season.successors:
        raise LedgerFault(f"{of} has not left, or has a substitute")


def why_closed(season: SeasonFacts) -> str:
    """Return the reason why nobody can enter now in a league that is not over; "" if somebody can."""
    if season.calls and not season.file.late:
        return "entries are closed"
    if season.calls and season.file.format in ("sections", "knockout"):
        return f"the {season.file.format} are drawn, and nobody can enter any more"
    if sum(not one.leaving_reason for one in season.members.values()) >= season.file.most:
        return f"{season.file.most} have entered; no more can enter"
    return ""


def _check_open(season: SeasonFacts) -> None:
    """Check that a player can enter the league now. Raises LedgerFault with the reason."""
    if why := why_closed(season):
        raise LedgerFault(why)


def _check_vote(season: SeasonFacts, said: Statement) -> None:
    assert said.about is not None
    number, pairing = said.about
    pair = season.pair(number, pairing)
    if said.player not in season.file.panel:
        raise LedgerFault(f"{said.player} is not on the panel")
    if said.player in map(season.name_now, pair.players):
        raise LedgerFault(f"{said.player} plays in this game, and cannot vote on it")
    if {player for player, _ in said.places} != set(pair.players):
        raise LedgerFault(f"the game is between {', '.join(pair.players)}")
    if season.rounds[number - 1].outcome(pairing) is not None:
        raise LedgerFault(f"pairing {pairing} of round {number} has a result")


def _check_challenge(season: SeasonFacts, said: Statement) -> None:
    if season.file.format != "ladder":
        raise LedgerFault(f"{season.file.name} is not a ladder, and has no challenges")
    other = season.members.get(said.of)
    if other is None or other.leaving_reason or said.of == said.player:
        raise LedgerFault(f"{said.of} cannot be challenged")


def _check_appeal(season: SeasonFacts, said: Statement) -> None:
    if said.entry > season.size:
        raise LedgerFault(f"the ledger has no entry {said.entry} to appeal against")
    if (said.player, said.entry) in season.appealed_entries:
        raise LedgerFault(f"{said.player} has appealed against entry {said.entry} already")


def _check_plan(season: SeasonFacts, said: Statement) -> None:
    """Check a statement of a participant about rounds to come."""
    if said.say == CHALLENGE:
        _check_challenge(season, said)
    elif said.say == ABSENT and season.file.format == "ladder":
        _check_absence(season, said)
    elif said.say == HALF_BYE:
        _check_half_bye(season, said)


def _check_absence(season: SeasonFacts, said: Statement) -> None:
    """Check a statement of absence: on a ladder nobody keeps a rung by staying away for ever."""
    spans = [*season.members[said.player].absences, *([said.rounds] if said.rounds else [])]
    if longest_run(spans) > MAX_ABSENCE_ROUNDS:
        raise LedgerFault(
            f"on a ladder nobody is absent from more than {MAX_ABSENCE_ROUNDS} rounds in a row, "
            "so that everybody can be challenged"
        )


def _check_half_bye(season: SeasonFacts, said: Statement) -> None:
    """Check a request for a half-point bye: made before its draw is called for, and as the file allows."""
    file, member = season.file, season.members[said.player]
    number, last = said.rounds or (0, 0)
    if not file.half_byes:
        raise LedgerFault(f"{file.name} gives no half-point byes")
    if number != last:
        raise LedgerFault("to ask for a half-point bye, name one round only")
    if member.eliminator:
        raise LedgerFault(f"{said.player} is an eliminator, and needs no bye")
    if number > file.rounds:
        raise LedgerFault(f"{file.name} has {file.rounds} rounds")
    if number < max(season.next_drawn, member.first_round):
        raise LedgerFault(f"it is too late for round {number}: the judge has called for its draw")
    if number in member.half_byes:
        raise LedgerFault(f"{said.player} has asked for a half-point bye in round {number} already")
    if len(member.half_byes) >= file.half_byes:
        raise LedgerFault(f"{said.player} has had or asked for {file.half_byes}; nobody gets more")
    least = file.table_sizes(number)[0]
    if sum(one.plays(number) for one in season.members.values() if one is not member) < least:
        raise LedgerFault(f"fewer than {least} would be left to play in round {number}")


def _check_new_key(season: SeasonFacts, said: Statement) -> None:
    assert said.key is not None
    member, people = season.members.get(said.player), dict(season.genesis.people)
    plays = member is not None and not member.leaving_reason
    if not plays and said.player not in people:
        raise LedgerFault(f"{said.player} does not play in {season.file.name}, and has no key in it")
    line = season.key_of(said.player)
    now = parse_public(line).fingerprint if line else people[said.player]
    if said.old != now:
        raise LedgerFault(f"it replaces the key {said.old}, but {said.player} has the key {now}")
    if season.keys.is_known(said.key.line) or said.key.fingerprint in people.values():
        raise LedgerFault("somebody who has entered has, or had, this key; use a key that nobody has had")
    if said.anchor is not None:
        if not plays:
            raise LedgerFault(f"{said.player} has not entered, and has no chain")
        name, generation = split_who(season.keys.chains[said.player].who)
        if said.anchor.who != (due := who_of(name, generation + 1)):
            raise LedgerFault(f"the next chain of {name} is {due}, not {said.anchor.who}")
    if said.by:
        try:
            check_allowed(said)
        except TrustFault as fault:
            raise LedgerFault(f"the old key has not signed it: {fault}") from None


def take_said(season: SeasonFacts, said: Statement, at: datetime) -> None:
    """Apply a statement to the season. Raises LedgerFault if the statement cannot be made now."""
    check_said(season, said, at)
    season.quota.take(said, at)
    season.keys.say(said)
    if said.player in season.members:
        season.members[said.player].unanswered_calls = 0
    if said.say == ENTER:
        enter(season, said)
    elif said.say == SUBSTITUTE:
        season.offers[said.player] = Offer(said, at)
    elif said.say == WITHDRAW and said.player in season.offers:
        del season.offers[said.player]
    elif said.say == WITHDRAW:
        leave(season, said.player, WITHDRAW, at)
    elif said.say == ABSENT and said.rounds is not None:
        season.members[said.player].absences.append(said.rounds)
    elif said.say == HALF_BYE and said.rounds is not None:
        season.members[said.player].half_byes.append(said.rounds[0])
    elif said.say == CHALLENGE:
        season.challenges.append((len(season.rounds) + 1, said.player, said.of))
    elif said.say == APPEAL:
        season.appeals[season.next_number] = Appeal(said.player, said.entry, said.reason, at)
        season.appealed_entries.add((said.player, said.entry))
    elif said.say == VOTE and said.about is not None:
        season.votes.setdefault(said.about, {})[said.player] = said.places


def enter(season: SeasonFacts, said: Statement) -> None:
    """Enter a player, who takes part from the first round whose draw has not been called for."""
    season.members[said.player] = Member(
        name=said.player,
        rating=season.carried.strength(said.player, said.rating),
        games=said.games,
        eliminator=said.eliminator,
        at=season.next_number,
        first_round=season.next_drawn,
    )


def take_place(season: SeasonFacts, player: str, of: str, at: datetime) -> None:
    """Give a leaver's place to a player who offered: points, opponents, and all that comes."""
    enter(season, season.offers.pop(player).statement)
    before, after = season.members[of], season.members[player]
    after.took_at = at
    after.first_round, after.eliminator = before.first_round, before.eliminator
    after.half_byes = [number for number in before.half_byes if number <= len(season.rounds)]
    season.successors[of] = player


def take_substitute(season: SeasonFacts, entry: Substituted) -> None:
    """Give a place to a substitute from the list; the module scheduler decides whether it is due to them."""
    offer = season.offers.get(entry.player)
    if offer is None or not offer.is_listed:
        raise LedgerFault(f"{entry.player} is not on the list of substitutes")
    _check_free(season, entry.of)
    take_place(season, entry.player, entry.of, entry.at)
    season.substitutions.append(entry)
