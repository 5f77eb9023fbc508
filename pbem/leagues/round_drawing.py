"""Draws a round of a league from dice: its sections, pairings and byes, and later the sides.

A function of the ledger and of the dice of one call; the judge enters what it gives, the audit compares. Each
format has its own way (`played`); nothing else asks which of them it is to draw a round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.leagues.entries import SEATS, Paired, Purpose
from pbem.leagues.model import Die, Seat
from pbem.leagues.replies import Reply, Sent
from pbem.leagues.round_formats.base import Drawn, Format
from pbem.leagues.round_formats.knockout import Knockout
from pbem.leagues.round_formats.ladder import Ladder
from pbem.leagues.round_formats.sections import Sections
from pbem.leagues.round_formats.swiss import Swiss
from pbem.leagues.season import Season
from pbem.leagues.state import Call, RoundState
from pbem.titles import load
from pbem.trust.formats import MAX_GAMES

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
