"""Draws a round of a league from dice: its sections, pairings and byes, and later the sides.

A function of the ledger and of the dice of one call; the judge enters what it gives, the audit compares. Each
format has its own course from round to round (`FORMATS`), for which `formats` has the calculations; nothing
else asks which of them it is to draw a round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pbem.leagues.calls import Call, Reply, Sent, game_name
from pbem.leagues.entries import DRAW, SEATS, Paired, Purpose
from pbem.leagues.facts import RoundState
from pbem.leagues.formats import shuffled
from pbem.leagues.formats.knockout import Cup, seeds
from pbem.leagues.formats.round_robin import by_rating, schedule, sections
from pbem.leagues.formats.swiss import NoPairing, pair_players
from pbem.leagues.formats.tables import draw_tables
from pbem.leagues.model import UNDECIDED, Die, Ending, Entrant, Pairing, Result, Round, Seat, Sides
from pbem.leagues.season import FINAL_SECTION, Season, leavers_of, results_of, rounds_of, section_winners
from pbem.titles import load
from pbem.trust.formats import MAX_GAMES

Divisions = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pairings and byes of a round as it was drawn."""

    divisions: Divisions
    pairs: tuple[Paired, ...]
    byes: tuple[tuple[str, str], ...]
    half_byes: tuple[str, ...] = ()


class Format(ABC):
    """The course of a league's rounds in one format; a format overrides the methods in which it differs."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return the players who are asked for a step of their chains when a round is drawn."""
        return playing

    def present_players(self, season: Season, call: Call) -> Sequence[str]:
        """Return the players whom a call for a draw finds: those asked who have not left since.

        If too few for a game are left, all who were asked are returned. A substitute who has taken a place
        meanwhile stands where the leaver stood.
        """
        asked = tuple(map(season.name_now, call.asked))
        there = tuple(name for name in asked if not season.members[name].leaving_reason)
        return there if len(there) >= season.file.table_sizes(call.purpose.round)[0] else asked

    def entrants(self, season: Season, call: Call) -> list[Entrant]:
        """Return the players whom a call for a draw finds, in the form of entrants for the calculation."""
        return [season.members[name].entrant() for name in self.present_players(season, call)]

    @abstractmethod
    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the pairings of a round that follow from a call for its draw."""

    def is_last(self, season: Season) -> bool:
        """Tell whether no round of the league comes after the last one that was drawn."""
        return len(season.rounds) >= season.file.rounds


def sides_of(season: Season, number: int) -> Sides:
    """Return the sides of the league's game, or none if players bid for them."""
    sides = season.file.game_sides(number)
    if season.file.sides == "bids" or len(sides) != 2:
        return UNDECIDED
    return sides[0], sides[1]


def one_round(season: Season, number: int, divisions: Divisions, rounds: Sequence[Round]) -> Drawn:
    """Return the rounds of all divisions as one round, with pairings numbered from first to last."""
    pairs: list[Paired] = []
    byes: list[tuple[str, str]] = []
    for one in rounds:
        byes += [(one.division, bye.player) for bye in one.byes]
        for pairing in one.pairings:
            for seats in _games(season, number, pairing):
                name = game_name(season.file.ledger, number, len(pairs) + 1)
                pairs.append(Paired(number=len(pairs) + 1, division=one.division, game=name, seats=seats))
    return Drawn(divisions, tuple(pairs), tuple(byes))


def _games(season: Season, number: int, pairing: Pairing) -> tuple[tuple[Seat, ...], ...]:
    """Return the seats of the games of a pairing: one game, or two with sides changed."""
    if season.file.sides != "both" or len(pairing.seats) != 2:
        return (pairing.seats,)
    sides = season.file.game_sides(number)
    first, second = (seat.player for seat in pairing.seats)
    there = (Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1]))
    back = (Seat(player=first, side=sides[1]), Seat(player=second, side=sides[0]))
    return there, back


def recorded_dice(call: Call) -> Die:
    """Return the dice that a resolved call has recorded."""
    assert call.resolved is not None
    start = f"{call.purpose.what}-{call.purpose.round}/"
    values = {die.label.removeprefix(start): die.value for die in call.resolved.dice}
    return lambda _, label: values[label]


class Sections(Format):
    """The league format that splits entrants into sections: all in one meet; all rounds are drawn at once."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return who is asked for a step of their chains: all, or the section winners for a final section."""
        if not season.rounds:
            return playing
        groups = list(section_winners(season, playing))
        return tuple(sorted(name for names in groups for name in names)) if len(groups) > 1 else ()

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the draw of the sections' rounds, or of the section of their winners."""
        return (_draw_final if season.rounds else _draw_sections)(season, self.entrants(season, call), die)

    def is_last(self, season: Season) -> bool:
        """Tell whether no draw follows: the league has no final section, or the final section was drawn."""
        return len(season.rounds) > 1 or not season.file.final


def _draw_sections(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    drawn = sections(entrants, season.file.size, die)
    divisions = tuple((str(number), players) for number, players in enumerate(drawn, 1))
    rounds = [
        one
        for division, players in divisions
        for one in schedule(players, season.file.double, sides=sides_of(season, 1), division=division)
    ]
    made = one_round(season, 1, divisions, rounds)
    return Drawn(divisions, made.pairs, ())  # a free turn of a table is no bye


def _draw_final(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    """Return the draw of a section for the winners of all sections; a shared first place goes by lot."""
    there = {one.name: one for one in entrants}
    groups = enumerate(section_winners(season, there), 1)
    chosen = [there[shuffled(names, die, f"final/first-{number}")[0]] for number, names in groups]
    if len(chosen) < 2:  # all others have left while it was called for
        chosen = list(entrants)
    (players,) = sections(chosen, len(chosen), die, "final")
    sides = sides_of(season, season.rounds[-1].number + 1)
    rounds = schedule(players, season.file.double, sides=sides, division=FINAL_SECTION)
    return replace(one_round(season, len(season.rounds) + 1, ((FINAL_SECTION, players),), rounds), byes=())


class Swiss(Format):
    """The Swiss format, in which each round is drawn by the results of those before."""

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the draw of a round in pairs or at tables; half-point byes are granted if anybody plays."""
        number = call.purpose.round
        by = _draw_at_tables if season.file.table_sizes(number)[-1] > 2 else _draw_pairs
        made = one_round(season, number, (), (by(season, number, self.entrants(season, call), die),))
        return replace(made, half_byes=half_byes(season, number) if made.pairs else ())

    def is_last(self, season: Season) -> bool:
        """Tell whether the last round of a Swiss was drawn, or an empty one for lack of new couples."""
        return not season.rounds[-1].pairings.pairs or super().is_last(season)


def half_byes(season: Season, number: int) -> tuple[str, ...]:
    """Return the players who asked for half a point in place of a game and have not left."""
    members = sorted(season.members.items())
    return tuple(name for name, member in members if number in member.half_byes and not member.leaving_reason)


def _draw_pairs(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    try:
        return pair_players(
            entrants,
            results_of(season),
            rounds_of(season),
            die,
            wishes=season.file.swiss,
            sides=sides_of(season, number),
            rules=season.file.scoring,
            left=leavers_of(season),
        )
    except NoPairing:  # only where the file says that the season ends then
        return Round(number=number, pairings=())


def _draw_at_tables(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    sizes = season.file.table_sizes(number)
    sides = {seats: season.file.game_sides(number, seats) for seats in sizes}
    players = [one.name for one in entrants]
    return draw_tables(players, sizes[0], sizes[-1], rounds_of(season), die, sides=sides)


class Knockout(Format):
    """The knock-out format, whose bracket is made by the first draw."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return who is asked for a step of their chains: players who have not lost, and eliminators."""
        if not season.rounds:
            return playing
        ahead = cup(season).still_asked()
        return tuple(name for name in playing if name in ahead or season.members[name].eliminator)

    def present_players(self, season: Season, call: Call) -> Sequence[str]:
        """Return all players who were asked: a player who has left since stays in the bracket."""
        return tuple(map(season.name_now, call.asked))

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the pairings and byes of the next round of the bracket, as the dice draw them."""
        number, there = call.purpose.round, self.present_players(season, call)
        drawn = cup(season, die).next_round(die, asked=there, sides=sides_of(season, number))
        return one_round(season, number, (), (drawn,))

    def is_last(self, season: Season) -> bool:
        """Tell whether the bracket has been played to its end."""
        return cup(season).is_over()


def cup(season: Season, die: Die | None = None) -> Cup:
    """Return the present state of the knock-out; `die` is that of the first draw while that is being made."""
    call = season.calls[0]
    drawn = season.file.seeding == "draw"
    entrants = [season.members[name].entrant() for name in call.asked]
    order = seeds(
        [replace(one, rating=None) for one in entrants] if drawn else entrants,
        die if die is not None and not season.rounds else recorded_dice(call),
    )
    return Cup(
        order=tuple(map(season.name_now, order)),
        rounds=rounds_of(season),
        results=results_of(season),
        eliminators=frozenset(
            season.name_now(name) for name, member in season.members.items() if member.eliminator
        ),
        gone=leavers_of(season),
        drawn=season.file.drawn,
        third=season.file.third,
    )


class Ladder(Format):
    """The ladder format, in which the first draw makes an order that challenges change."""

    def asked(self, season: Season, number: int, playing: tuple[str, ...]) -> tuple[str, ...]:
        """Return the players who challenge or are challenged, if any challenge counts."""
        if not season.rounds:
            return playing
        if not any(_challenges(season, number, playing, ladder(season))):
            return ()
        named = {season.name_now(one) for made, *pair in season.challenges if made == number for one in pair}
        return tuple(name for name in playing if name in named)

    def draw(self, season: Season, call: Call, die: Die) -> Drawn:
        """Return the pairings of the challenges that count; sides for which nobody bids are drawn by lot."""
        number = call.purpose.round
        order = ladder(season, die if not season.rounds else None)
        sides = sides_of(season, number)
        pairings: list[Pairing] = []
        asked = tuple(map(season.name_now, call.asked))
        fixed = len(call.seating.games) if call.seating else None  # a challenge may come after its call
        for couple in map(list, islice(_challenges(season, number, asked, order), fixed)):
            if sides != UNDECIDED and die(2, f"sides/{len(pairings) + 1}") == 2:
                couple.reverse()
            pairings.append(
                Pairing(
                    number=len(pairings) + 1,
                    seats=tuple(Seat(player=one, side=side) for one, side in zip(couple, sides, strict=True)),
                )
            )
        return one_round(season, number, (), (Round(number=number, pairings=tuple(pairings)),))

    def is_last(self, season: Season) -> bool:
        """Tell whether no round comes any more.

        That is when as many rounds with challenges were drawn as the league's file sets.
        """
        return sum(bool(state.pairings.pairs) for state in season.rounds) >= season.file.rounds


def _challenges(
    season: Season, number: int, asked: Sequence[str], order: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the challenges that count in a round, in the order in which they were made."""
    games: dict[str, int] = {}
    for made, *names in season.challenges:
        challenger, challenged = map(season.name_now, names)
        busy = frozenset(name for name, count in games.items() if count >= max(1, season.members[name].games))
        if made != number or not {challenger, challenged} <= set(asked):
            continue
        if may_challenge(order, challenger, challenged, season.file.reach, busy) is None:
            for name in (challenger, challenged):
                games[name] = games.get(name, 0) + 1
            yield challenger, challenged


def ladder(season: Season, die: Die | None = None) -> tuple[str, ...]:
    """Return the present order of the ladder, the top first; empty before its first draw.

    `die`: of the first draw, while that is being made.
    """
    first = next((call for call in season.calls if call.purpose.what == DRAW), None)
    if first is None or (first.resolved is None and die is None):
        return ()
    start = [season.members[name].entrant() for name in first.asked]
    order: tuple[str, ...] = tuple(
        map(season.name_now, by_rating(start, die or recorded_dice(first), "ladder"))
    )
    late = [
        name for name in season.members if name not in first.asked and name not in season.successors.values()
    ]
    order += tuple(season.name_now(name) for name in late)
    for result in results_of(season):
        order = order_after(order, result)
    return tuple(name for name in order if not season.members[name].leaving_reason)


def may_challenge(
    order: Sequence[str], challenger: str, challenged: str, reach: int, busy: frozenset[str] = frozenset()
) -> str | None:
    """Return the reason why a challenge may not be made; None if the challenge is allowed.

    `order` has the top of the ladder first; a challenge goes up, over at most `reach` rungs; `busy` are those
    who play as many games as they want.
    """
    for name in (challenger, challenged):
        if name not in order:
            return f"{name} is not on the ladder"
    rungs = order.index(challenger) - order.index(challenged)
    if rungs == 0:
        return f"{challenger} cannot challenge themselves"
    if rungs < 0:
        return f"{challenged} is below {challenger}; a challenge must go up"
    if rungs > reach:
        highest = order[max(0, order.index(challenger) - reach)]
        return (
            f"{challenged} is {rungs} rungs above; the highest that {challenger} can challenge is {highest}"
        )
    for name in (challenger, challenged):
        if name in busy:
            return f"{name} already plays as many games as they want"
    return None


def order_after(order: Sequence[str], result: Result) -> tuple[str, ...]:
    """Return the ladder after a game: a winner from below takes the loser's rung, those between go down one.

    A draw or an annulled game changes nothing; a forfeited one counts.
    """
    if result.ending is Ending.ANNULLED or len(set(result.places)) == 1:
        return tuple(order)
    ranked = sorted(zip(result.places, result.seats, strict=True), key=lambda row: row[0])
    winner, loser = (seat.player for _, seat in ranked)
    if winner not in order or loser not in order or order.index(winner) < order.index(loser):
        return tuple(order)
    rung = order.index(loser)
    return (*order[:rung], winner, *(name for name in order[rung:] if name != winner))


FORMATS: Mapping[str, Format] = {
    "sections": Sections(),
    "swiss": Swiss(),
    "knockout": Knockout(),
    "ladder": Ladder(),
}
"""The formats of leagues, by their names in league.toml."""


def to_draw(season: Season, number: int) -> tuple[str, ...]:
    """Return the players who may be paired in a round, and who are asked for a step when it is drawn."""
    playing = tuple(sorted(name for name, member in season.members.items() if member.plays(number)))
    return FORMATS[season.file.format].asked(season, number, playing)


def is_last(season: Season) -> bool:
    """Tell whether no round of the league comes after the last one that was drawn."""
    return FORMATS[season.file.format].is_last(season)


def draw_round(season: Season, call: Call, die: Die) -> Drawn:
    """Return the pairings of a round that follow from a call for its draw."""
    return FORMATS[season.file.format].draw(season, call, die)


def seats_of(
    season: Season, pair: Paired, bids: Mapping[str, str], die: Die
) -> tuple[tuple[Seat, ...], tuple[tuple[str, str], ...]]:
    """Return the seats in a pairing's game with their sides, and the game's options that bids decide.

    `bids`: player -> what they bid, of those who have. Where the draw has given sides, they stand.
    """
    if all(seat.side for seat in pair.seats):
        return pair.seats, ()
    bidding = load(season.file.rules).bids
    assert bidding is not None, "the league's file was checked"
    first, second = pair.players
    sides, options = bidding.decide((first, second), bids, die, f"bids/{pair.number}")
    return tuple(Seat(player=player, side=sides[player]) for player in pair.players), options


def most_games(season: Season, purpose: Purpose, asked: Sequence[str]) -> tuple[int, int]:
    """Return the most games that one player, and that all players, may get by a call; 0 if it seats none.

    The call fixes the judge's part in so many, and each who is asked sends so many chains.
    """
    file = season.file
    if purpose.what != file.seats_with:
        return 0, 0
    if purpose.what == SEATS:
        state = season.rounds[-1]
        return max(state.turns.values()), len(state.pairings.pairs)
    if file.format == "ladder":
        own = [min(max(1, season.members[one].games), MAX_GAMES) for one in asked]
        return max(own), sum(own) // 2
    most = min(file.most_games, file.each * (len(asked) - 1))
    return most, len(asked) * most // file.table_sizes(purpose.round)[0]


def chains_for(
    season: Season, state: RoundState, pair: Paired, replies: Mapping[str, Reply]
) -> dict[str, Sent]:
    """Return, by player, the chain that the player sent for a game; `replies` are those to its call."""
    turns = {season.name_now(player): state.turns[pair.number, player] for player in pair.players}
    return {
        name: sent
        for name, turn in turns.items()
        for sent in replies.get(name, Reply()).chains
        if sent.number == turn
    }


def bids_for(season: Season, pair: Paired, replies: Mapping[str, Reply]) -> dict[str, str]:
    """Return the bids in a pairing's game, by player; a substitute's bid stands under the player's name."""
    said = {player: replies.get(season.name_now(player), Reply()).bids for player in pair.players}
    return {player: dict(bids)[pair.game] for player, bids in said.items() if pair.game in dict(bids)}
