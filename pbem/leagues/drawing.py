"""What a round's dice give: its sections, pairings and byes, and later who has which side.

A function of the ledger and of the dice of one call; the judge enters what it gives, the audit compares. Each
format is worked out by its module in formats; here it is handed what the ledger knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbem.leagues import course
from pbem.leagues.entries import DRAW, Paired
from pbem.leagues.formats.knockout import Cup, seeds
from pbem.leagues.lots import shuffled
from pbem.leagues.model import UNDECIDED, Die, Entrant, Pairing, Round, Seat, Sides
from pbem.leagues.parts import Call
from pbem.leagues.replies import Reply
from pbem.leagues.season import Season
from pbem.titles import load

Divisions = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A round as it was drawn."""

    divisions: Divisions
    pairs: tuple[Paired, ...]
    byes: tuple[tuple[str, str], ...]
    half_byes: tuple[str, ...] = ()


def to_draw(season: Season, number: int) -> tuple[str, ...]:
    """Who is asked for a step when a round is drawn: who may be paired in it."""
    playing = tuple(sorted(name for name, member in season.members.items() if member.plays(number)))
    if season.file.format == "sections" and season.rounds:
        groups = list(course.winners(season, playing))
        return tuple(sorted(name for names in groups for name in names)) if len(groups) > 1 else ()
    if season.file.format == "knockout" and season.rounds:
        ahead = cup(season).still_asked()
        return tuple(name for name in playing if name in ahead or season.members[name].eliminator)
    if season.file.format == "ladder" and season.rounds:
        if not any(_challenges(season, number, playing, ladder(season))):
            return ()
        named = {season.name_now(one) for made, *pair in season.challenges if made == number for one in pair}
        return tuple(name for name in playing if name in named)
    return playing


def is_last(season: Season) -> bool:
    """Whether no round comes after the last one that was drawn."""
    match season.file.format:
        case "sections":
            return len(season.rounds) > 1 or not season.file.final
        case "knockout":
            return cup(season).is_over()
        case "swiss" if not season.rounds[-1].made.pairs:  # nobody is left whom somebody has not met
            return True
        case "ladder":  # a period is one in which challenges are played
            return sum(bool(state.made.pairs) for state in season.rounds) >= season.file.rounds
    return len(season.rounds) >= season.file.rounds


def draw_round(season: Season, call: Call, die: Die) -> Drawn:
    """The pairings that a call for the draw of a round gives."""
    number = call.purpose.round
    entrants = [season.members[name].entrant() for name in _there(season, call)]
    match season.file.format:
        case "sections" if season.rounds:
            return _final(season, entrants, die)
        case "sections":
            return _sections(season, entrants, die)
        case "swiss":
            drawn = _swiss(season, number, entrants, die)
            made = _drawn(season, number, (), (drawn,))
            return replace(made, half_byes=half_byes(season, number) if made.pairs else ())
        case "knockout":
            drawn = _knockout(season, number, entrants, die)
        case _:
            drawn = _ladder(season, number, call, die)
    return _drawn(season, number, (), (drawn,))


def half_byes(season: Season, number: int) -> tuple[str, ...]:
    """Who has asked for half a point in place of a game, and has not left."""
    members = sorted(season.members.items())
    return tuple(name for name, member in members if number in member.half_byes and not member.left)


def _there(season: Season, call: Call) -> Sequence[str]:
    """Whom a call for a draw finds: who has left since it was opened is not drawn, but stays in a bracket.

    A substitute who has taken a place meanwhile is drawn for it, where the other stood.
    """
    asked = tuple(map(season.name_now, call.asked))
    if season.file.format == "knockout":
        return asked
    there = tuple(name for name in asked if not season.members[name].left)
    return there if len(there) >= season.file.table_sizes(call.purpose.round)[0] else asked


def _sides(season: Season, number: int) -> Sides:
    """The game's sides, or none if they are bid for."""
    sides = season.file.game_sides(number)
    if season.file.sides == "bids" or len(sides) != 2:
        return UNDECIDED
    return sides[0], sides[1]


def _drawn(season: Season, number: int, divisions: Divisions, rounds: Sequence[Round]) -> Drawn:
    """The rounds of all divisions as one, their pairings numbered through."""
    pairs: list[Paired] = []
    byes: list[tuple[str, str]] = []
    for one in rounds:
        byes += [(one.division, bye.player) for bye in one.byes]
        for pairing in one.pairings:
            for seats in _games(season, number, pairing):
                name = f"{season.file.name}-r{number}-{len(pairs) + 1}"
                pairs.append(Paired(number=len(pairs) + 1, division=one.division, game=name, seats=seats))
    return Drawn(divisions, tuple(pairs), tuple(byes))


def _games(season: Season, number: int, pairing: Pairing) -> tuple[tuple[Seat, ...], ...]:
    """The games of a pairing: one, or two with sides changed."""
    if season.file.sides != "both" or len(pairing.seats) != 2:
        return (pairing.seats,)
    sides = season.file.game_sides(number)
    first, second = (seat.player for seat in pairing.seats)
    there = (Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1]))
    back = (Seat(player=first, side=sides[1]), Seat(player=second, side=sides[0]))
    return there, back


def _sections(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    from pbem.leagues.formats.round_robin import schedule, sections

    drawn = sections(entrants, season.file.size, die)
    divisions = tuple((str(number), players) for number, players in enumerate(drawn, 1))
    rounds = [
        one
        for division, players in divisions
        for one in schedule(players, season.file.double, sides=_sides(season, 1), division=division)
    ]
    made = _drawn(season, 1, divisions, rounds)
    return Drawn(divisions, made.pairs, ())  # a free turn of a table is no bye


def _final(season: Season, entrants: Sequence[Entrant], die: Die) -> Drawn:
    """A section of the winners of all sections; who shares a first place is drawn for it."""
    from pbem.leagues.formats.round_robin import schedule, sections

    there = {one.name: one for one in entrants}
    groups = enumerate(course.winners(season, there), 1)
    chosen = [there[shuffled(names, die, f"final/first-{number}")[0]] for number, names in groups]
    if len(chosen) < 2:  # all others have left while it was called for
        chosen = list(entrants)
    (players,) = sections(chosen, len(chosen), die, "final")
    sides = _sides(season, season.rounds[-1].number + 1)
    rounds = schedule(players, season.file.double, sides=sides, division=course.FINAL)
    return replace(_drawn(season, len(season.rounds) + 1, ((course.FINAL, players),), rounds), byes=())


def _swiss(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    from pbem.leagues.formats.swiss import NoPairing, pair

    if season.file.table_sizes(number)[-1] > 2:
        return _tables(season, number, entrants, die)
    try:
        return pair(
            entrants,
            course.results(season),
            course.rounds(season),
            die,
            wishes=season.file.swiss,
            sides=_sides(season, number),
            rules=season.file.scoring,
            left=course.left(season),
        )
    except NoPairing:  # only where the file says that the season ends then
        return Round(number=number, pairings=())


def _tables(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    from pbem.leagues.formats.tables import draw

    sizes = season.file.table_sizes(number)
    sides = {seats: season.file.game_sides(number, seats) for seats in sizes}
    players = [one.name for one in entrants]
    return draw(players, sizes[0], sizes[-1], course.rounds(season), die, sides=sides)


def _knockout(season: Season, number: int, entrants: Sequence[Entrant], die: Die) -> Round:
    asked = [one.name for one in entrants]
    return cup(season, die).next_round(die, asked=asked, sides=_sides(season, number))


def cup(season: Season, die: Die | None = None) -> Cup:
    """The knock-out as it stands. `die`: of the first draw, while that is being made."""
    call = season.calls[0]
    drawn = season.file.seeding == "draw"
    entrants = [season.members[name].entrant() for name in call.asked]
    order = seeds(
        [replace(one, rating=None) for one in entrants] if drawn else entrants,
        die if die is not None and not season.rounds else recorded(call),
    )
    return Cup(
        order=tuple(map(season.name_now, order)),
        rounds=course.rounds(season),
        results=course.results(season),
        eliminators=frozenset(
            season.name_now(name) for name, member in season.members.items() if member.eliminator
        ),
        gone=course.left(season),
        drawn=season.file.drawn,
        third=season.file.third,
    )


def recorded(call: Call) -> Die:
    """The dice of a call that has been resolved, as it recorded them."""
    assert call.resolved is not None
    start = f"{call.purpose.what}-{call.purpose.round}/"
    values = {die.label.removeprefix(start): die.value for die in call.resolved.dice}
    return lambda _, label: values[label]


def _challenges(
    season: Season, number: int, asked: Sequence[str], order: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The challenges that count in a round, in the order in which they were made."""
    from pbem.leagues.formats.ladder import may_challenge

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


def _ladder(season: Season, number: int, call: Call, die: Die) -> Round:
    order = ladder(season, die if not season.rounds else None)
    sides = _sides(season, number)
    pairings: list[Pairing] = []
    asked = tuple(map(season.name_now, call.asked))
    for couple in map(list, _challenges(season, number, asked, order)):
        if sides != UNDECIDED and die(2, f"sides/{len(pairings) + 1}") == 2:
            couple.reverse()
        pairings.append(
            Pairing(
                number=len(pairings) + 1,
                seats=tuple(Seat(player=one, side=side) for one, side in zip(couple, sides, strict=True)),
            )
        )
    return Round(number=number, pairings=tuple(pairings))


def ladder(season: Season, die: Die | None = None) -> tuple[str, ...]:
    """The ladder as it stands, the top first; empty before its first draw.

    `die`: of the first draw, while that is being made.
    """
    from pbem.leagues.formats.ladder import after
    from pbem.leagues.formats.round_robin import by_rating

    first = next((call for call in season.calls if call.purpose.what == DRAW), None)
    if first is None or (first.resolved is None and die is None):
        return ()
    start = [season.members[name].entrant() for name in first.asked]
    order: tuple[str, ...] = tuple(map(season.name_now, by_rating(start, die or recorded(first), "ladder")))
    late = [
        name for name in season.members if name not in first.asked and name not in season.replaced.values()
    ]
    order += tuple(season.name_now(name) for name in late)
    for result in course.results(season):
        order = after(order, result)
    return tuple(name for name in order if not season.members[name].left)


def seats_of(
    season: Season, pair: Paired, bids: Mapping[str, str], die: Die
) -> tuple[tuple[Seat, ...], tuple[tuple[str, str], ...]]:
    """Who has which side in a game, and the options of the game that bids decide.

    `bids`: player -> what they bid, of those who have. Where the draw has given sides, they stand.
    """
    if all(seat.side for seat in pair.seats):
        return pair.seats, ()
    bidding = load(season.file.rules).bids
    assert bidding is not None, "the league's file was checked"
    first, second = pair.players
    sides, options = bidding.decide((first, second), bids, die, f"bids/{pair.number}")
    return tuple(Seat(player=player, side=sides[player]) for player in pair.players), options


def bids_for(season: Season, pair: Paired, replies: Mapping[str, Reply]) -> dict[str, str]:
    """Player, as the pairing names them, -> what they, or their substitute, bid in its game."""
    said = {player: replies.get(season.name_now(player), Reply()).bids for player in pair.players}
    return {player: dict(bids)[pair.game] for player, bids in said.items() if pair.game in dict(bids)}
