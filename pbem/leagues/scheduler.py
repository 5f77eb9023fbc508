"""Decides the judge's next act in a league: one at a time, by the ledger, the time and the games.

Nothing is done here. Whoever does an act enters what it gives and asks again; so a judge that was stopped
between two acts goes on with the next, and none is done twice.

A substitute from the list is such an act. The place that has been free longest goes to the first on the list,
the next to the second. It is taken while its days go on, or by who was on the list when they were over; a
game whose seat has waited before in this round is lost first. A place with nothing left to play is taken by
nobody.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from pbem.leagues.entries import (
    BY_COUNT,
    BY_GAME,
    BY_LEAVING,
    BY_PANEL,
    BY_RULE,
    DRAW,
    SEATS,
    Ended,
    GameAt,
    Paired,
    Purpose,
)
from pbem.leagues.facts import RoundState
from pbem.leagues.model import Ending
from pbem.leagues.round_drawing import cup, is_last, most_games, to_draw
from pbem.leagues.season import Season
from pbem.leagues.statements import Places
from pbem.leagues.timeouts import is_too_late, listed_substitutes, seats_until, settled_at, vacant_until
from pbem.trust.times import utc_text

MAX_GAMES_NAMED = 12
"""Maximum number of games that a line for the director names."""

WHY = ' --reason "..."'
"""The end of the command line for a ruling, which leaves room for the reason that every ruling needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFacts:
    """The facts about a game that its league uses; `places` are by the names in the game's genesis."""

    size: int
    head: str
    places: Places
    ending: Ending = Ending.PLAYED
    counts: tuple[tuple[str, int], ...] = ()
    reason: str = ""


class Games(Protocol):
    """Interface to the games of a league as the judge has them."""

    def ended_game(self, game: str) -> GameFacts | None:
        """Return the facts of a game that is over; None while the game goes on."""

    def counted_game(self, game: str, count: str) -> GameFacts | None:
        """Return the facts of a game, with places by one of its title's counts; None if they are unknown."""

    def seated_people(self, game: str) -> Container[str] | None:
        """Return the people in a game's seats now; None if they are unknown."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """The act of calling for the next steps of the players' chains."""

    purpose: Purpose
    players: tuple[str, ...]
    chains: int = 0
    """Number of chains that each player is asked for, if the call seats the games of its round."""
    games: int = 0
    """Maximum number of games of the round; the call fixes the judge's part in the dice of each."""


@dataclass(frozen=True, slots=True)
class CloseCall:
    """The act of closing the open call, resolving the call's dice, and entering the draw that follows."""

    number: int


@dataclass(frozen=True, slots=True)
class OpenGame:
    """The act of opening the game of a pairing."""

    round: int
    pair: Paired


@dataclass(frozen=True, slots=True)
class EnterResult:
    """The act of entering the result of a pairing."""

    entry: Ended


@dataclass(frozen=True, slots=True)
class EndRound:
    """The act of ending a round of a league."""

    round: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The act of ending the league and entering its tables."""


@dataclass(frozen=True, slots=True)
class TakePlace:
    """The act by which a substitute from the list takes a leaver's place."""

    player: str
    of: str


Act = TakePlace | OpenCall | CloseCall | OpenGame | EnterResult | EndRound | Finish


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that only the director can make, with its command; or news for the director, without one."""

    about: str
    text: str
    command: str
    waits: bool = True
    """Whether the league waits for the director's decision."""


def next_act(season: Season, now: datetime, games: Games) -> Act | None:
    """Return the judge's next act in a league; None if something else has to happen first."""
    if season.is_over:
        return None
    if (place := next(due_places(season), None)) is not None:
        return _over_before(season, place, now, games) or place
    if (call := season.call) is not None:
        deadline = call.opened.deadline
        if not call.waiting or (deadline is not None and deadline <= now):
            return CloseCall(call.number)
        return None
    state = season.round
    if state is None or state.over_at is not None:
        return _draw(season, state, now)
    if not season.is_seated and (players := season.players_to_seat(state)):
        return _call(season, Purpose(SEATS, state.number), players)
    playing = season.running_games(state)
    for pair in state.unfinished_pairs:
        if (act := act_of_pair(season, state, pair, now, games, playing)) is not None:
            return act
    if state.unfinished_pairs or now < settled_at(season, state):
        return None
    return EndRound(state.number)


def _over_before(season: Season, place: TakePlace, now: datetime, games: Games) -> Act | None:
    """Return the act of entering the result of a game that was over before `place` is taken in it."""
    for pair in games_with(season, place.of):
        state = season.rounds[-1]
        if (act := _result(season, state, pair, now, games)) is not None:
            return act
    return None


def _result(season: Season, state: RoundState, pair: Paired, now: datetime, games: Games) -> Act | None:
    """Return the act of entering a pairing's result if its game is over; else None."""
    opened = state.opened_games.get(pair.number)
    if opened is None or (facts := games.ended_game(opened.game)) is None:
        return None
    return EnterResult(_from_game(season, state, pair, facts, BY_GAME, facts.ending, now))


def _draw(season: Season, state: RoundState | None, now: datetime) -> Act | None:
    """Return the act of drawing the first round, or the one after a round that is over."""
    if state is not None and is_last(season):
        return Finish()
    if (due := _draw_due(season, state)) is None or now < due:
        return None
    number = state.number + 1 if state else 1
    players = to_draw(season, number)
    if len(players) < season.file.table_sizes(number)[0]:
        return Finish() if state is not None and _is_idle(season, state, now) else None
    return _call(season, Purpose(DRAW, number), players)


def _call(season: Season, purpose: Purpose, players: tuple[str, ...]) -> OpenCall:
    return OpenCall(purpose, players, *most_games(season, purpose, players))


def _is_idle(season: Season, state: RoundState, now: datetime) -> bool:
    """Tell whether a league has no further round: too few players are left, or a ladder was always idle."""
    if season.file.format != "ladder" or _count_entries(season) < season.file.table_sizes(state.number)[0]:
        return True
    periods = season.file.rounds - sum(bool(one.pairings.pairs) for one in season.rounds)
    return state.over_at is not None and now >= state.over_at + timedelta(days=periods * season.file.days)


def _draw_due(season: Season, state: RoundState | None) -> datetime | None:
    """Return the time at which the next round is drawn; None if the director has to decide."""
    if state is not None and state.over_at is not None:
        return state.over_at + timedelta(days=season.file.gap_days)
    if season.started_at is not None:
        return season.started_at
    return season.file.until if _count_entries(season) >= season.file.least else None


def _count_entries(season: Season) -> int:
    return sum(not member.leaving_reason for member in season.members.values())


def act_of_pair(
    season: Season, state: RoundState, pair: Paired, now: datetime, games: Games, playing: Mapping[str, int]
) -> Act | None:
    """Return the judge's next act for a pairing without a result, or None.

    Judge and audit alike call this function: the judge before it enters something, the audit at each entry.
    """
    opened = state.opened_games.get(pair.number)
    if (act := _result(season, state, pair, now, games) or place_in(season, pair)) is not None:
        return act
    late = [name for name, until in _without_seat(season, state, pair, games).items() if until <= now]
    if (places := places_by_withdrawal(season, pair, late)) is not None:
        if now < vacant_until(season, pair):
            return None
        return EnterResult(_make_ended(state, pair, leaving_ends(places), BY_LEAVING, places, now))
    waits = season.has_game_limits(pair) and (
        now >= state.last_date or season.player_at_limit(pair, playing) is not None
    )
    if opened is None and not waits:
        return OpenGame(state.number, pair)
    if now >= state.last_date:
        return _adjudicate(season, state, pair, now, games)
    return None


def _without_seat(season: Season, state: RoundState, pair: Paired, games: Games) -> dict[str, datetime]:
    """Return substitutes in an open game who have not taken over its seat, and until when they must."""
    waits = seats_until(season, state, pair)
    if not waits or (seated := games.seated_people(pair.game)) is None:
        return {}
    return {name: until for name, until in waits.items() if name not in seated}


def places_by_withdrawal(season: Season, pair: Paired, late: Container[str] = ()) -> Places | None:
    """Return the places in a game if at most one of its players has not left; None while others play on.

    `late`: who has not taken the seat of a place that they have.
    """
    names = {player: season.name_now(player) for player in pair.players}
    gone = [player for player, name in names.items() if name in late or season.members[name].leaving_reason]
    if len(pair.players) - len(gone) > 1 or not gone:
        return None
    return tuple(
        (player, 2 if player in gone and len(gone) < len(pair.players) else 1) for player in pair.players
    )


def vacancy(season: Season, pair: Paired) -> datetime | None:
    """Return until when a game that cannot go on waits for a substitute; None if it goes on."""
    return vacant_until(season, pair) if places_by_withdrawal(season, pair) is not None else None


def leaving_ends(places: Places | None) -> Ending:
    """Return the ending of a game that players left: forfeited, or annulled if nobody is left to win it."""
    return Ending.FORFEITED if len({place for _, place in places or ()}) > 1 else Ending.ANNULLED


AT_LAST_DATE = {"draw": BY_RULE, "count": BY_COUNT, "panel": BY_PANEL}
"""A mapping from what the league's file says of unfinished games to the authority that decides them. For any
other word the director rules."""


def _adjudicate(season: Season, state: RoundState, pair: Paired, now: datetime, games: Games) -> Act | None:
    """Return the act of entering, by the league's rule, the result of a game not over at its last date."""
    match season.file.unfinished:
        case "draw":
            even = tuple((player, 1) for player in pair.players)
            return EnterResult(_make_ended(state, pair, Ending.ADJUDICATED, BY_RULE, even, now))
        case "count":
            facts = games.counted_game(pair.game, season.file.count)
            if facts is None:
                return None
            return EnterResult(_from_game(season, state, pair, facts, BY_COUNT, Ending.ADJUDICATED, now))
        case "panel":
            places = panel_verdict(season, state, pair)
            if places is None:
                return None
            return EnterResult(_make_ended(state, pair, Ending.ADJUDICATED, BY_PANEL, places, now))
    return None


def panel_verdict(season: Season, state: RoundState, pair: Paired) -> Places | None:
    """Return the places for which over half of the panel voted, without the game's players; else None."""
    voters = [one for one in season.file.panel if one not in map(season.name_now, pair.players)]
    votes = [
        tuple(sorted(places))
        for who, places in season.votes.get((state.number, pair.number), {}).items()
        if who in voters
    ]
    for places in sorted(set(votes)):
        if 2 * votes.count(places) > len(voters):
            return tuple((player, dict(places)[player]) for player in pair.players)
    return None


def _from_game(
    season: Season, state: RoundState, pair: Paired, facts: GameFacts, by: str, ending: Ending, now: datetime
) -> Ended:
    return Ended(
        round=state.number,
        pairing=pair.number,
        game=GameAt(pair.game, facts.size, facts.head),
        ending=ending,
        by=by,
        places=tuple((player, _place(season, player, dict(facts.places))) for player in pair.players),
        counts=facts.counts,
        reason=facts.reason,
        at=now,
    )


def _place(season: Season, player: str, placed: Mapping[str, int]) -> int:
    """Return the place that a result gives a pairing's player, or the substitute in the game's seat."""
    while player not in placed:
        player = season.successors[player]
    return placed[player]


def _make_ended(
    state: RoundState, pair: Paired, ending: Ending, by: str, places: Places, now: datetime
) -> Ended:
    return Ended(round=state.number, pairing=pair.number, ending=ending, by=by, places=places, at=now)


def warned_at(season: Season, state: RoundState) -> datetime:
    """Return the time at which players of a round's unfinished games are warned."""
    return state.last_date - timedelta(days=season.file.warn_days)


def pairs_near_end(season: Season, now: datetime) -> tuple[Paired, ...]:
    """Return the pairings without a result in a round whose last date is near."""
    state = season.round
    if season.is_over or state is None or not warned_at(season, state) <= now < state.last_date:
        return ()
    return state.unfinished_pairs


def next_time(season: Season, now: datetime) -> datetime | None:
    """Return the next time at which something is due though no mail comes: a deadline, last date or draw."""
    if season.is_over:
        return None
    if season.call is not None:
        return season.call.opened.deadline
    state = season.round
    if state is None or state.over_at is not None:
        return _draw_due(season, state)
    if not state.unfinished_pairs:
        return settled_at(season, state)
    warned = warned_at(season, state)
    times = [warned if now < warned else state.last_date]
    times += (at for pair in state.unfinished_pairs if (at := vacancy(season, pair)) is not None and at > now)
    waits = (seats_until(season, state, pair).values() for pair in state.unfinished_pairs)
    times += (at for ends in waits for at in ends if at > now)
    return min(times)


def decisions(season: Season, now: datetime, games: Games) -> Iterator[Decision]:
    """Yield the decisions of a league that only the director can make, and news that asks for none yet."""
    if season.is_over:
        return
    name, entered = season.file.name, _count_entries(season)
    enough = season.file.least if season.started_at is None else season.file.table_sizes(1)[0]
    if not season.calls and now >= season.file.until and entered < enough:
        yield Decision(
            name,
            f"{entered} players have entered, and the league needs {enough} at least",
            f"pbem league rule {name} start{WHY}, or cancel",
        )
    if (
        not season.calls
        and season.started_at is None
        and now < season.file.until
        and entered >= season.file.most
    ):
        until = utc_text(season.file.until)
        text = f"all {entered} places are taken, and entries close at {until}; it can start now"
        yield Decision(name, text, f"pbem league rule {name} start{WHY}", waits=False)
    yield from _appeals(season, now)
    for player, offer in sorted(season.offers.items()):
        of = offer.statement.of
        if (
            offer.is_listed
            or not season.members[of].leaving_reason
            or of in season.successors
            or listed_substitutes(season, of)
        ):
            continue
        text = f"{player} offers to play on for {of}"
        yield Decision(player, text, f"pbem league rule {name} admit {player}{WHY}")
    for player, wish in sorted(season.keys.requested_keys.items()):
        key = wish.key.fingerprint if wish.key else ""
        text = f"{player} has lost their key and asks for {key}; make sure that {player} really asks"
        yield Decision(player, text, f"pbem league rule {name} key {player}{WHY}")
    yield from _of_round(season, now, games)


def _appeals(season: Season, now: datetime) -> Iterator[Decision]:
    """Yield the decisions about unanswered appeals; appeals whose time is over count as refused."""
    file = season.file
    for number, said in sorted(season.appeals.items()):
        refused = said.at + timedelta(days=file.answer_days)
        if file.appeal_days and now >= refused:
            continue
        about = season.results_at.get(said.entry)
        game = f", the result of {season.pair(*about).game}" if about else ""
        text = f"{said.player} appeals against entry {said.entry}{game}: {said.reason}"
        if file.appeal_days:
            text += f"; without an answer it is refused at {utc_text(refused)}"
        answer = f"pbem league rule {file.name} answer {number}"
        yield Decision(f"entry {number}", text, f"{answer} upheld{WHY}, or {answer} dismissed{WHY}")


def _of_round(season: Season, now: datetime, games: Games) -> Iterator[Decision]:
    """Yield the director's decisions about games of the last round, and news of games in danger."""
    name = season.file.name
    state = season.round
    if state is not None and (soon := pairs_near_end(season, now)):
        more = f" and {len(soon) - MAX_GAMES_NAMED} more" if len(soon) > MAX_GAMES_NAMED else ""
        told = ", ".join(f"{pair.game} ({', '.join(pair.players)})" for pair in soon[:MAX_GAMES_NAMED]) + more
        text = f"ends at {utc_text(state.last_date)}; not over: {told}"
        yield Decision(f"round {state.number}", text, "", waits=False)
    if state is None or state.over_at is not None:
        return
    for pair in state.unfinished_pairs:
        if (vacant := vacancy(season, pair)) is not None and now < vacant:
            gone = ", ".join(
                one for one in map(season.name_now, pair.players) if season.members[one].leaving_reason
            )
            text = f"the place of {gone} waits for a substitute until {utc_text(vacant)}; then it is lost"
            yield Decision(pair.game, text, "", waits=False)
        for late, until in _without_seat(season, state, pair, games).items():
            text = f"{late} must take the seat by {utc_text(until)}; then it is lost"
            yield Decision(pair.game, text, "", waits=False)
    if now < state.last_date:
        return
    playing = season.running_games(state)
    for pair in state.unfinished_pairs:
        if vacancy(season, pair) is None and act_of_pair(season, state, pair, now, games, playing) is None:
            if season.file.unfinished == "panel" and now < state.last_date + timedelta(
                days=season.file.panel_days
            ):
                continue
            players = ", ".join(pair.players)
            text = f"{pair.game} ({players}) is not over at the last date of round {state.number}"
            places = " ".join(f"{player}=1" for player in pair.players)
            command = f"pbem league rule {name} result {state.number} {pair.number} adjudicated {places}{WHY}"
            yield Decision(pair.game, text, command)


def due_places(season: Season) -> Iterator[TakePlace]:
    """Yield the places that are due to substitutes on the list now, in order."""
    if not any(offer.is_listed for offer in season.offers.values()):
        return
    given: set[str] = set()
    free = [(member.left_at, name) for name, member in season.members.items() if member.left_at is not None]
    for _, of in sorted(free):
        first = next((name for name in listed_substitutes(season, of) if name not in given), None)
        if first is not None and _is_worth_it(season, of):
            given.add(first)
            yield TakePlace(first, of)


def place_in(season: Season, pair: Paired) -> TakePlace | None:
    """Return the place in a game that a substitute from the list takes before anything else is done."""
    gone = {name for name in map(season.name_now, pair.players) if season.members[name].leaving_reason}
    return next((place for place in due_places(season) if place.of in gone), None) if gone else None


def games_with(season: Season, name: str) -> tuple[Paired, ...]:
    """Return the games without a result in which a player has a place."""
    unfinished = season.round.unfinished_pairs if season.round is not None else ()
    return tuple(pair for pair in unfinished if name in map(season.name_now, pair.players))


def _is_worth_it(season: Season, of: str) -> bool:
    """Tell whether a leaver's place has something left to play: a running game, or a round to come."""
    games = games_with(season, of)
    if any(is_too_late(season, pair, of) for pair in games):
        return False
    if games or not season.rounds:
        return True
    if season.file.format == "knockout":
        standing = cup(season)
        return of in replace(standing, gone=standing.gone - {of}).still_asked()
    return season.file.format != "sections" and not is_last(season)
