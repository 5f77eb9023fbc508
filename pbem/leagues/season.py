"""The events of a league's ledger: who takes part, what was called, drawn, played and decided.

The order of entries is part of the protocol and is checked here:

    league, then what is said (enter, ...); for each round: open (for draw), any of received and refused,
    close, resolve, pairings; open (for seats), received ..., close, resolve; then a game and a result for
    each pairing; round-over. At the end: over. What is said, and rulings, stand anywhere.

Below it stands what a season has come to in the words of the model: its entrants, rounds, results and tables.

The facts that come of the entries are in pbem.leagues.facts. What follows from them is worked out in
round_drawing (pairings), standings and scheduler (what the judge has to do next).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from datetime import datetime
from functools import partial

from pbem.leagues.entries import (
    DRAW,
    SEATS,
    Ended,
    Finished,
    Opened,
    Pairings,
    RoundOver,
    Ruled,
    Said,
    Substituted,
    purpose_of,
)
from pbem.leagues.facts import RoundState, SeasonFacts
from pbem.leagues.model import Bye, Entrant, Pairing, Result, Round, Seat, Standing
from pbem.leagues.rulings import take_ruling
from pbem.leagues.standings import rank_places, standings
from pbem.leagues.statement_rules import check_said, take_said, take_substitute
from pbem.leagues.statements import Statement
from pbem.leagues.timeouts import count_silence
from pbem.trust.entries import Close, Entry, NewRules, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault


class Season(SeasonFacts):
    """The state of a league after its entries so far, to which `add` brings the next entry."""

    def add(self, entry: Entry) -> None:
        """Read the next entry of the ledger. Raises LedgerFault if the entry cannot come next."""
        was_whole, self.is_whole = self.is_whole, False
        self._take(entry)
        self.size += 1
        self.is_whole = was_whole

    def _take(self, entry: Entry) -> None:
        if self.is_over:
            raise self._misplaced_entry("the league is over")
        at = getattr(entry, "at", None)
        if at is not None:
            if at < self.last_at:
                raise self._misplaced_entry("it is dated earlier than the entry before it")
            self.last_at = at
        if isinstance(entry, Received | Refused | Close | Resolve):
            self._in_call(entry)
        else:
            self._add_own(entry)

    def _add_own(self, entry: Entry) -> None:
        match entry:
            case Said():
                self._follow(partial(take_said, self, entry.statement(self.genesis.game), entry.at))
                self.statement_hashes.add(entry.sha256)
            case Open():
                self._open(entry)
            case Pairings():
                self._pairings(entry)
            case Opened():
                self._take_opened(entry)
            case Ended():
                self._take_ended(entry)
            case RoundOver():
                self._round_over(entry)
            case Ruled():
                self._follow(partial(take_ruling, self, entry))
            case Substituted():
                self._follow(partial(take_substitute, self, entry))
            case Finished():
                self._finish(entry)
            case NewRules():
                self.rules = entry.rules
            case _:
                raise self._misplaced_entry("a league has no such entry")

    def check_said(self, said: Statement, at: datetime) -> None:
        """Check that a statement can be made now. Raises LedgerFault with the reason."""
        check_said(self, said, at)

    def _follow(self, take: Callable[[], None]) -> None:
        """Call the function that takes in an entry; any LedgerFault that it raises names the entry."""
        try:
            take()
        except LedgerFault as fault:
            raise self._misplaced_entry(str(fault)) from None

    def _open(self, entry: Open) -> None:
        purpose = purpose_of(entry)
        self._follow(partial(self.call_log.check_opens, entry))
        if self.drawn_call is not None:
            raise self._misplaced_entry(
                "there can be no call before the round that was drawn has its pairings"
            )
        last = self.round
        if purpose.what == DRAW:
            if purpose.round != len(self.rounds) + 1 or (last is not None and last.over_at is None):
                raise self._misplaced_entry("a round is drawn when the one before it is over")
            asked = {name for name, member in self.members.items() if member.plays(purpose.round)}
        else:
            is_drawn = self.file.seats_with == SEATS and purpose.round == len(self.rounds)
            if not is_drawn or self.is_seated or self.rounds[-1].opened_games:
                raise self._misplaced_entry(
                    "a call for seats follows the draw of a round that takes bids for sides"
                )
            asked = set(self.players_to_seat(self.rounds[-1]))
        if not {player for player, _ in entry.seals} <= asked or entry.again or not entry.deadline:
            raise self._misplaced_entry("a call asks those who take part, and has a deadline")
        self._follow(partial(self.call_log.open, entry, self.next_number))

    def _in_call(self, entry: Received | Refused | Close | Resolve) -> None:
        call = self.call
        self._follow(partial(self.call_log.take, entry, self.next_number))
        if isinstance(entry, Close) and call is not None:
            count_silence(self, call, self.last_at)

    def _pairings(self, entry: Pairings) -> None:
        call = self.drawn_call
        if call is None or entry.round != len(self.rounds) + 1:
            raise self._misplaced_entry("pairings follow the resolution of their draw")
        fixed = len(call.seating.games) if call.seating else 0
        if self.file.seats_with == DRAW and len(entry.pairs) > fixed:
            raise self._misplaced_entry(f"its call fixes the judge's part in {fixed} games, and it has more")
        if [pair.number for pair in entry.pairs] != list(range(1, len(entry.pairs) + 1)):
            raise self._misplaced_entry("pairings are numbered from 1")
        named = {player for pair in entry.pairs for player in pair.players} | {*entry.half_byes}
        if not named <= self.members.keys():
            raise self._misplaced_entry("only players who have entered can be paired or have a bye")
        self.rounds.append(RoundState(entry, entry.until))

    def _take_opened(self, entry: Opened) -> None:
        number, pairing = entry.about
        pair = self.pair(number, pairing)
        state = self.rounds[number - 1]
        if not self.is_seated or number != len(self.rounds):
            raise self._misplaced_entry("a game is opened after the call that seats its round")
        if pairing in state.opened_games or state.outcome(pairing) is not None:
            raise self._misplaced_entry("the game of this pairing is opened already, or not needed")
        if entry.game != pair.game or {seat.player for seat in entry.seats} != set(pair.players):
            raise self._misplaced_entry("the game is not the one of its pairing")
        if (
            self.has_game_limits(pair)
            and (name := self.player_at_limit(pair, self.running_games(state))) is not None
        ):
            raise self._misplaced_entry(f"{name} plays as many games as they wish")
        state.opened_games[pairing] = entry
        state.seated_players[pairing] = frozenset(map(self.name_now, pair.players))

    def _take_ended(self, entry: Ended) -> None:
        pair = self.pair(entry.round, entry.pairing)
        state = self.rounds[entry.round - 1]
        if state.outcome(entry.pairing) is not None:
            raise self._misplaced_entry("this pairing has a result")
        if {player for player, _ in entry.places} != set(pair.players):
            raise self._misplaced_entry("a result has a place for everybody who plays, and for nobody else")
        if entry.game and (entry.game.game != pair.game or entry.pairing not in state.opened_games):
            raise self._misplaced_entry("the result is of another game")
        state.results[entry.pairing] = entry
        self.results_at[self.next_number] = entry.round, entry.pairing
        if len(pair.players) > 2:
            gone = (one for one in pair.players if self.members[self.name_now(one)].leaving_reason)
            state.absent_players[entry.pairing] = tuple(gone)

    def _round_over(self, entry: RoundOver) -> None:
        last = self.round
        if last is None or entry.round != last.number or last.over_at is not None or last.unfinished_pairs:
            raise self._misplaced_entry("a round is over when each of its pairings has a result")
        last.over_at = entry.at

    def _finish(self, entry: Finished) -> None:
        last = self.round
        if last is None or last.over_at is None:
            raise self._misplaced_entry("a league is over when its last round is")
        self.end_entry = entry

    def _misplaced_entry(self, why: str) -> LedgerFault:
        return LedgerFault(f"entry {self.next_number} cannot stand there: {why}")


FINAL_SECTION = "final"
"""The name of the division in which the winners of sections meet."""
Tables = tuple[tuple[str, tuple[Standing, ...]], ...]


def entrants_of(season: Season) -> tuple[Entrant, ...]:
    """Return every player who has entered and was not replaced, by name."""
    return tuple(
        member.entrant() for name, member in sorted(season.members.items()) if name not in season.successors
    )


def leavers_of(season: Season) -> frozenset[str]:
    """Return the players who left with games to play and have no substitute."""
    return frozenset(
        name
        for name, member in season.members.items()
        if member.leaving_reason and not member.played_all and name not in season.successors
    )


def season_standings(season: Season, ranks: Mapping[str, int] | None = None) -> Tables:
    """Return each division's table by points and tie-breaks; `ranks`: how far each came in a knock-out."""
    gone, played, drawn = leavers_of(season), results_of(season), rounds_of(season)
    found = []
    for division, players in _divisions(season):
        table = standings(
            tuple(one for one in entrants_of(season) if one.name in players),
            tuple(one for one in played if one.division == division),
            season.file.scoring,
            rounds=tuple(one for one in drawn if one.division == division),
            left=gone & players,
            ranks=ranks,
        )
        found.append((division, table))
    return tuple(found)


def _divisions(season: Season) -> list[tuple[str, frozenset[str]]]:
    named = [division for state in season.rounds for division in state.pairings.divisions]
    if not named:
        return [("", frozenset(one.name for one in entrants_of(season)))]
    return [(name, frozenset(map(season.name_now, players))) for name, players in named]


def section_winners(season: Season, there: Container[str]) -> Iterator[tuple[str, ...]]:
    """Yield the winner of each section, or the players in `there` who share its first place."""
    for division, table in season_standings(season):
        first = tuple(row.player for row in table if row.place == 1 and not row.note and row.player in there)
        if first and division != FINAL_SECTION:
            yield first


def results_of(season: Season) -> tuple[Result, ...]:
    """Return every result of a season as it counts now, by rounds and pairings.

    A substitute's results include those that they took over.
    """
    return tuple(_results(season))


def _results(season: Season) -> Iterator[Result]:
    for state in season.rounds:
        scenario = str(season.file.game_options(state.number, 0).get("scenario", ""))
        for pair in state.pairings.pairs:
            outcome = state.outcome(pair.number)
            if outcome is None:
                continue
            opened = state.opened_games.get(pair.number)
            sides = {seat.player: seat.side for seat in (opened.seats if opened else pair.seats)}
            places = dict(outcome.places)
            gone = () if outcome.ruled else state.absent_players.get(pair.number, ())
            yield Result(
                round=state.number,
                division=pair.division,
                pairing=pair.number,
                game=season.file.rules,
                scenario=scenario,
                seats=tuple(
                    Seat(player=season.name_now(player), side=sides[player]) for player in pair.players
                ),
                places=rank_places(len(places) + 1 if one in gone else places[one] for one in pair.players),
                gone=tuple(map(season.name_now, gone)),
                ending=outcome.ending,
                reason=outcome.reason,
                counts=outcome.counts,
                day=outcome.at.date().isoformat(),
            )


def rounds_of(season: Season) -> tuple[Round, ...]:
    """Return every round of a season that was drawn, one for each division."""
    return tuple(one for state in season.rounds for one in _rounds_by_group(season, state))


def _rounds_by_group(season: Season, state: RoundState) -> Iterator[Round]:
    names = [name for name, _ in state.pairings.divisions] or [""]
    for division in names:
        yield Round(
            number=state.number,
            division=division,
            pairings=tuple(
                Pairing(
                    number=pair.number,
                    seats=tuple(
                        Seat(player=season.name_now(seat.player), side=seat.side) for seat in pair.seats
                    ),
                )
                for pair in state.pairings.pairs
                if pair.division == division
            ),
            byes=tuple(
                Bye(player=season.name_now(player))
                for where, player in state.pairings.byes
                if where == division
            )
            + tuple(Bye(player=season.name_now(player), half=True) for player in state.pairings.half_byes),
        )
