"""Knock-out, a format in which losers leave and the bracket is made once.

Players are seeded by rating, equal ones by lot. The bracket has a place for each of the next power of two:
the first seed meets the last, and the two best can meet in the final alone. Places without a player are
byes of the best seeds, so there are byes in the first round only. Later somebody has no opponent only where
nobody came through: both have left, their game was annulled, or an *eliminator* won, a volunteer who cannot
advance and meets whoever has no opponent, the lowest seeds first.

Who came through is read from the round that follows, so a lot that decided is not drawn again. A game that
decides nothing is decided as the file says: by lot, by the side that goes on then, or by one more game with
sides changed, and after that by lot. A drawn final is decided by lot in a round without games, of which its
winner has the bye.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbem.leagues.formats.round_robin import by_rating
from pbem.leagues.model import (
    UNDECIDED,
    Bracket,
    Bye,
    Die,
    Ending,
    Entrant,
    Match,
    Pairing,
    Place,
    Result,
    Round,
    Seat,
    Sides,
)

LOT, REPLAY = "lot", "replay"
Couple = tuple[str, ...]
"""The players who may go on from two places: one, both while nothing is decided, or nobody."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the bracket that was drawn; the last may be one place, of the winner of a drawn final."""

    places: tuple[str, ...]
    """The players in the places of the stage when it was drawn; "" for nobody."""
    rounds: tuple[Round, ...]
    """The rounds in which the games of the stage were played, and those in which they were repeated."""
    through: tuple[Couple, ...]
    """The players who may go on from each pair of places, even if they have left since."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The course of a knock-out so far, as read from its rounds and results."""

    stages: list[Stage]
    places: list[Couple]
    """The players who may go on from each place of the bracket after the last round."""
    reached: dict[str, int]
    """The number of stages of the bracket that each player reached."""
    third: Couple
    """The players who may be third: one, both while the game is undecided or drawn, or nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cup:
    """A knock-out as far as it has been played, with its rounds and results.

    `order` is that of the seeds; `gone` are those who have left, and nobody's opponents any more. `drawn`
    says what decides a drawn game: "lot", "replay", or the side that goes on. With `third` the losers of
    the semi-finals play for the third place.
    """

    order: tuple[str, ...]
    rounds: tuple[Round, ...]
    results: tuple[Result, ...]
    eliminators: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    drawn: str = LOT
    third: bool = False

    def stages(self) -> tuple[Stage, ...]:
        """Return the stages of the bracket that were drawn."""
        return tuple(self._read().stages)

    def third_place(self) -> Couple:
        """Return the winner of the game for the third place; both players while the game is open or drawn."""
        return self._read().third

    def ahead(self) -> tuple[Couple, ...]:
        """Return the players who may go on from each game or bye of the last round, place by place."""
        return tuple(
            tuple(name for name in couple if name not in self.gone) for couple in self._read().places
        )

    def still_asked(self) -> frozenset[str]:
        """Return the players who may have a game, or draw a lot, in the next round."""
        ahead = self.ahead()
        named = {name for couple in ahead for name in couple}
        if self.third and len(ahead) == 2:
            named.update(self._semi_finalists([]))
        return frozenset(named - self.gone)

    def is_over(self) -> bool:
        """Tell whether the knock-out is over: nobody has to play or draw lots any more."""
        return bool(self.rounds) and sum(map(len, self.ahead())) < 2

    def ranks(self) -> dict[str, int]:
        """Return everybody's rank: the farther a player came, the higher; equally far is an equal rank."""
        read, (last, *more) = self._read(), self.ahead() or ((),)
        first = read.places[0] if len(read.places[0]) == 1 else last
        ranks = {name: 2 * stages for name, stages in read.reached.items()}
        if not more and len(first) == 1 and self.rounds and self.rounds[-1].pairings:
            ranks[first[0]] += 2
        for name in read.third if len(read.third) == 1 else ():
            ranks[name] += 1
        return ranks

    def next_round(self, die: Die, *, asked: Iterable[str] = (), sides: Sides = UNDECIDED) -> Round:
        """Draw the next round of the knock-out among the players in `asked` (all, if nobody is named).

        Each game that these players have had must have a result. Dice: `round-N/through/PLACE` for lots of
        the round N before, `round-N/sides/GAME`.
        """
        number = len(self.rounds) + 1
        here = set(asked) or {*self.order, *self.eliminators}
        ahead = [tuple(name for name in couple if name in here) for couple in self.ahead()]
        if again := self._again(ahead):
            pairings = [self._swap_sides(pairing, place) for place, pairing in enumerate(again, 1)]
            return Round(number=number, pairings=tuple(pairings))
        places = [self._through(couple, place, die) for place, couple in enumerate(ahead, 1)]
        if len(places) == 1:
            return Round(number=number, pairings=(), byes=tuple(Bye(player=name) for name in places if name))
        return self._draw_round(number, places, here, die, sides)

    def _through(self, couple: Couple, place: int, die: Die) -> str:
        """Return the player who goes on from a place of the bracket; "" if nobody does."""
        if len(couple) < 2:
            return couple[0] if couple else ""
        return couple[die(len(couple), f"round-{len(self.rounds)}/through/{place}") - 1]

    def _draw_round(
        self, number: int, places: Sequence[str], here: set[str], die: Die, sides: Sides
    ) -> Round:
        couples = [(places[at], places[at + 1]) for at in range(0, len(places), 2)]
        games = [couple for couple in couples if all(couple)]
        alone = [name for couple in couples if not all(couple) for name in couple if name]
        alone.sort(key=self.order.index, reverse=True)
        free = [name for name in sorted(self.eliminators & here) if name not in self.gone]
        games += [(name, guest) for name, guest in zip(alone, free, strict=False)]
        if self.third and len(places) == 2:
            losers = [name for name in self._semi_finalists(places) if name in here - self.gone]
            games += [(losers[0], losers[1])] if len(losers) == 2 else []
        return Round(
            number=number,
            pairings=tuple(
                Pairing(number=game, seats=_seat_couple(couple, sides, die, f"round-{number}/sides/{game}"))
                for game, couple in enumerate(games, 1)
            ),
            byes=tuple(Bye(player=name) for name in sorted(alone[len(free) :], key=self.order.index)),
        )

    def _semi_finalists(self, finalists: Sequence[str]) -> list[str]:
        """Return the losers of a knock-out's semi-finals, who may play for the third place."""
        reached = self._read().reached
        most = max(reached.values()) if self.rounds else 0
        return [name for name in self.order if reached[name] == most and name not in finalists]

    def _again(self, ahead: Iterable[Couple]) -> list[Pairing]:
        """Return the games of the last round that have to be played once more."""
        if self.drawn != REPLAY or not self.rounds:
            return []
        tied = {frozenset(couple) for couple in ahead if len(couple) == 2}
        played = [pairing for pairing in self.rounds[-1].pairings if _players(pairing) in tied]
        before = {_players(pairing) for one in self.rounds[:-1] for pairing in one.pairings}
        return [pairing for pairing in played if _players(pairing) not in before]

    @staticmethod
    def _swap_sides(pairing: Pairing, number: int) -> Pairing:
        first, second = pairing.seats
        seats = Seat(player=second.player, side=first.side), Seat(player=first.player, side=second.side)
        return Pairing(number=number, seats=seats)

    # reading what was played

    def _read(self) -> _Read:
        met: list[Couple] = [(name,) if name else () for name in bracket(self.order)]
        places, stages = met, list[Stage]()
        reached = dict.fromkeys(self.order, 1)
        third: Couple = ()
        outcomes = self._outcomes()
        for at, played in enumerate(self.rounds):
            games = {_players(pairing): pairing for pairing in played.pairings}
            if any(len(couple) == 2 and frozenset(couple) in games for couple in met):  # once more
                again = [
                    both if frozenset(both) in games else on for both, on in zip(met, places, strict=True)
                ]
                places = [self._who_goes_on(couple, games, outcomes, at) for couple in again]
                rounds = (*stages[-1].rounds, played)
                stages[-1] = replace(stages[-1], rounds=rounds, through=tuple(places))
                continue
            places = self._stood(met, played)
            for name in (name for couple in places for name in couple):
                reached[name] += at > 0
            stood = tuple("".join(couple[:1]) for couple in places)
            if len(places) > 1:
                met = [places[at] + places[at + 1] for at in range(0, len(places), 2)]
                if len(met) == 1:
                    others = (players for players in games if not players & {*met[0], *self.eliminators})
                    third = self._who_goes_on(tuple(sorted(next(others, ()))), games, outcomes, at)
                places = [self._who_goes_on(couple, games, outcomes, at) for couple in met]
            stages.append(Stage(stood, (played,), tuple(places)))
        return _Read(stages, places, reached, third)

    def _stood(self, met: Sequence[Couple], played: Round) -> list[Couple]:
        """Return the players drawn into a round from each place of the bracket.

        `met` are those who met there before, or stand there.

        Only the round as it was drawn decides this: a later correction changes nobody's place in it. A player
        with a bye or against an eliminator stands alone. The game for the third place comes last.
        """
        byes = {bye.player for bye in played.byes}
        if len(met) < 2:
            return [tuple(name for name in met[0] if name in byes)]
        guests = {
            name
            for pairing in played.pairings
            if (one := _players(pairing)) & self.eliminators
            for name in one
        }
        alone = (byes | guests) - self.eliminators
        stood: list[Couple] = []
        for above, below in zip(met[::2], met[1::2], strict=True):
            if here := alone & {*above, *below}:
                stood += [tuple(name for name in couple if name in here) for couple in (above, below)]
                continue
            found = (
                [tuple(name for name in couple if name in players) for couple in (above, below)]
                for players in map(_players, played.pairings)
                if players & set(above) and players & set(below)
            )
            stood += next(found, [(), ()])
        return stood

    def _outcomes(self) -> Mapping[tuple[int, int], Result]:
        return {(result.round, result.pairing): result for result in self.results}

    def _who_goes_on(
        self,
        couple: Couple,
        games: Mapping[frozenset[str], Pairing],
        outcomes: Mapping[tuple[int, int], Result],
        at: int,
    ) -> Couple:
        """Return the players who may go on from a pair of places after the game between them, if any."""
        pairing = next((game for players, game in games.items() if players >= set(couple)), None)
        if not couple or pairing is None:
            return couple
        if (result := outcomes.get((self.rounds[at].number, pairing.number))) is None:
            return couple
        if result.ending is Ending.ANNULLED:
            return ()
        rows = zip(result.seats, result.places, strict=True)
        best = [seat for seat, place in rows if place == 1]
        if len(best) > 1 and (favoured := [seat for seat in best if seat.side == self.drawn]):
            best = favoured
        return tuple(seat.player for seat in best if seat.player not in self.eliminators)


def seeds(entrants: Sequence[Entrant], die: Die, label: str = "seed") -> tuple[str, ...]:
    """Return the seeding of all but the eliminators: by rating, the unrated last, equal ones by lot."""
    return by_rating([entrant for entrant in entrants if not entrant.eliminator], die, label)


def bracket(order: Sequence[str]) -> tuple[str, ...]:
    """Return a bracket's players from the top, "" for a bye: of eight, seeds 1, 8, 4, 5, 2, 7, 3, 6."""
    places = [0]
    while len(places) < len(order):
        last = 2 * len(places) - 1
        places = [one for place in places for one in (place, last - place)]
    return tuple(order[place] if place < len(order) else "" for place in places)


def _players(pairing: Pairing) -> frozenset[str]:
    return frozenset(seat.player for seat in pairing.seats)


def _seat_couple(couple: Sequence[str], sides: Sides, die: Die, label: str) -> tuple[Seat, ...]:
    if sides == UNDECIDED:
        return tuple(Seat(player=player) for player in couple)
    first, second = couple if die(2, label) == 1 else reversed(couple)
    return Seat(player=first, side=sides[0]), Seat(player=second, side=sides[1])


OPEN = Place(settled=False)
NOBODY = Place()


def bracket_of(cup: Cup) -> Bracket | None:
    """Return the whole bracket of a knock-out; None until its first round is drawn."""
    drawn = cup.stages()
    if not drawn:
        return None
    stages = []
    for at, stage in enumerate(drawn):
        following = drawn[at + 1].places if at + 1 < len(drawn) else ()
        if stage.through and len(stage.places) > 1:
            stages.append(tuple(_stage_matches(cup, stage, following)))
    places = [_without(cup.gone, match.winner) for match in stages[-1]]
    for _ in range(len(stages), len(bracket(cup.order)).bit_length() - 1):
        stages.append(tuple(_to_come(places)))
        places = [OPEN] * len(stages[-1])
    return Bracket(stages=tuple(stages), third=_third(cup, drawn, stages) if cup.third else None)


def _stage_matches(cup: Cup, stage: Stage, following: Sequence[str]) -> Iterator[Match]:
    """Yield the matches of a drawn stage; `following` are the players drawn into the next stage."""
    for at, through in enumerate(stage.through):
        names = stage.places[2 * at], stage.places[2 * at + 1]
        here = tuple(filter(None, names))
        games = list(_games(stage, here))
        guests = {seat.player for _, game in games for seat in game.seats} & cup.eliminators
        keys = tuple((number, game.number) for number, game in games)
        if following and (following[at] or len(through) == 2):
            winner = _place(following[at])
        elif not _over(cup, keys):
            winner = Place(names=here, settled=False)
        else:
            tied = tuple(name for name in here if name not in cup.gone)
            on = tied if len(through) == 2 else through
            winner = Place(names=on, settled=len(on) < 2)
        yield Match(
            places=(_place(names[0]), _place(names[1])),
            guest="".join(sorted(guests)[:1]),
            games=keys,
            winner=winner,
        )


def _games(stage: Stage, couple: Sequence[str]) -> Iterator[tuple[int, Pairing]]:
    """Yield the games that two players had in a stage of the bracket, each after the number of its round."""
    for drawn in stage.rounds if couple else ():
        for pairing in drawn.pairings:
            if {seat.player for seat in pairing.seats} >= set(couple):
                yield drawn.number, pairing


def _over(cup: Cup, games: Sequence[tuple[int, int]]) -> bool:
    return {(one.round, one.pairing) for one in cup.results}.issuperset(games)


def _place(name: str) -> Place:
    return Place(names=(name,)) if name else NOBODY


def _without(gone: frozenset[str], place: Place) -> Place:
    """Return a place of the bracket, from which players who have left are removed if the place is settled."""
    names = tuple(name for name in place.names if name not in gone)
    return Place(names=names) if place.settled else place


def _to_come(places: Sequence[Place]) -> Iterator[Match]:
    """Yield the matches of a stage that is not drawn yet."""
    for at in range(0, len(places), 2):
        yield Match(places=(places[at], places[at + 1]), winner=OPEN)


def _third(cup: Cup, drawn: Sequence[Stage], stages: Sequence[tuple[Match, ...]]) -> Match | None:
    """Return the match for the third place, between the losers of the semi-finals; None if there is none."""
    final = next((stage for stage in drawn if len(stage.places) == 2), None)
    if final is None:
        one, other = (_loser(cup, match) for match in stages[-2])
        return None if NOBODY in (one, other) else Match(places=(one, other), winner=OPEN)
    outside = {*final.places, *cup.eliminators}
    for pairing in final.rounds[0].pairings:
        first, second = (seat.player for seat in pairing.seats)
        if not {first, second} & outside:
            games = ((final.rounds[0].number, pairing.number),)
            winner = Place(names=cup.third_place(), settled=_over(cup, games))
            return Match(places=(_place(first), _place(second)), games=games, winner=winner)
    return None


def _loser(cup: Cup, semi: Match) -> Place:
    """Return the place of a semi-final's loser in the game for the third place; it may still be open."""
    if NOBODY in semi.places:
        return NOBODY
    if any(not place.settled for place in semi.places):
        return OPEN
    names = tuple(name for place in semi.places for name in place.names)
    if not semi.winner.settled:
        return Place(names=names, settled=False) if semi.games else OPEN
    lost = tuple(name for name in names if name not in semi.winner.names)
    return _without(cup.gone, Place(names=lost)) if len(lost) == 1 else NOBODY
