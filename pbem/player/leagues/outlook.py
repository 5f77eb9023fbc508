"""The outlook of a league for its entrant: table, who is met next and until when, what is asked of them.

All of it is read from the entries that the judge has sent, and all of it is public. The ledger does not hold
the league's file, so points and tie-breaks are not here: the league's pages have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import TYPE_CHECKING

from pbem.leagues.entries import Ended, Finished, Opened, Paired, Pairings, Ruled, Said, Substituted
from pbem.leagues.model import Ending, outcome_text
from pbem.leagues.statements import ENTER, SUBSTITUTE, WITHDRAW
from pbem.trust.identifiers import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbem.leagues.statements import Statement
    from pbem.player.leagues.league import PlayersLeague
    from pbem.trust.entries import Entry

MAX_LETTERS = 20
"""Maximum number of the judge's letters that are shown, the newest first."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The present result of a pairing, and the entry that gives the result."""

    entry: int
    places: tuple[tuple[str, int], ...]
    counts: bool
    """Whether the outcome counts for the table; that of an annulled game does not."""
    words: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game that the league has drawn for the entrant and that has no result yet."""

    game: str
    round: int
    opponents: tuple[str, ...]
    until: datetime
    is_open: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line in the table of a league."""

    player: str
    played: int
    won: int
    drawn: int
    lost: int
    has_left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The state of a league as its entrant sees it."""

    league: str
    """The name of the league's ledger."""
    player: str
    is_entered: bool
    """Whether the league's ledger, as far as the player's home has it, lists the player as entered."""
    is_over: bool
    round: int
    call: int
    """The number of the open call that asks the entrant; 0 if there is none."""
    deadline: datetime | None
    """The time by which the open call has to be answered; None if no call asks the entrant."""
    is_answered: bool
    meetings: tuple[Meeting, ...]
    table: tuple[Row, ...]
    pairings: tuple[tuple[int, str, tuple[str, ...], str], ...]
    """The round, game, players and result in words of every pairing."""
    players: tuple[str, ...]
    """The names of all players of the league, without those who have left."""
    letters: tuple[str, ...]
    """The judge's letters, the newest first; they show the bracket, where there is one."""

    @property
    def next_due(self) -> datetime | None:
        """The next time by which the entrant has to answer or play; None if there is none."""
        asked = [self.deadline] if self.deadline and not self.is_answered else []
        return min([*asked, *(one.until for one in self.meetings)], default=None)


@dataclass(slots=True)
class _Reading:
    """The facts of a league's ledger, gathered entry by entry."""

    names: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    offers: dict[str, str] = field(default_factory=dict)
    """Offers to take a place in the league, by player: the name of its holder, or "" for the first who
    leaves."""
    heirs: dict[str, str] = field(default_factory=dict)
    drawn: list[tuple[Pairings, Paired]] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    outcomes: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    is_over: bool = False

    def take(self, number: int, entry: Entry, league: str) -> None:
        """Take in the facts of the next entry of the league's ledger."""
        match entry:
            case Said():
                self._hear(entry.statement(league))
            case Substituted():
                self._replace(entry.of, entry.player)
            case Pairings():
                self.drawn += [(entry, pair) for pair in entry.pairs]
            case Opened():
                self.opened.add(entry.game)
            case Ended():
                self._end(number, (entry.round, entry.pairing), entry.ending, entry.places, entry.reason)
            case Ruled():
                self._rule(number, entry)
            case Finished():
                self.is_over = True

    def _hear(self, said: Statement) -> None:
        if said.say == ENTER:
            self._add(said.player)
        elif said.say == SUBSTITUTE:
            self.offers[said.player] = said.of
        elif said.say == WITHDRAW and self.offers.pop(said.player, None) is None:
            self.left.add(said.player)

    def _add(self, name: str) -> None:
        self.left.discard(name)
        if name not in self.names:
            self.names.append(name)

    def _replace(self, of: str, player: str) -> None:
        self.offers.pop(player, None)
        self.heirs[of] = player
        self.names = [name for name in self.names if name != of]
        self._add(player)

    def _rule(self, number: int, entry: Ruled) -> None:
        match entry.decides:
            case ("result" | "correct", of, pairing, word, *numbered) if is_number(of) and is_number(pairing):
                pairs = [one.partition("=") for one in numbered]
                places = tuple((name, int(place)) for name, _, place in pairs if is_number(place))
                self._end(number, (int(of), int(pairing)), Ending(word), places, "")
            case ("expel", name, *_):
                self.left.add(name)
            case ("admit", name, *_) if name in self.offers:
                self._replace(self.offers[name], name)
            case ("readmit", name, *_):
                self.left.discard(name)
            case ("cancel", *_):
                self.is_over = True

    def _end(
        self,
        number: int,
        of: tuple[int, int],
        ending: Ending,
        places: Sequence[tuple[str, int]],
        reason: str,
    ) -> None:
        named = tuple((self.now(name), place) for name, place in places)
        words = outcome_text(ending, named, reason)
        self.outcomes[of] = Outcome(number, named, ending is not Ending.ANNULLED, words)

    def now(self, player: str) -> str:
        """Return who has a player's place now, after substitutions; a circle of these ends at the last."""
        had = set[str]()
        while player in self.heirs and player not in had:
            had.add(player)
            player = self.heirs[player]
        return player

    def table(self) -> tuple[Row, ...]:
        """Return the rows of the league's table, those with the most wins first."""
        rows = {name: [0, 0, 0] for name in self.names}
        for outcome in self.outcomes.values():
            best = [place for _, place in outcome.places]
            for name, place in outcome.places if outcome.counts else ():
                what = 2 if place > min(best) else 1 if best.count(min(best)) > 1 else 0
                rows.setdefault(self.now(name), [0, 0, 0])[what] += 1
        found = (Row(name, sum(one), one[0], one[1], one[2], name in self.left) for name, one in rows.items())
        return tuple(sorted(found, key=lambda row: (-row.won, -row.drawn, row.lost, row.player)))


_READ: dict[tuple[str, str], Outlook] = {}
"""The last reading of each league, by its folder and by the names, sizes and times of its files."""


def outlook_of(league: PlayersLeague) -> Outlook:
    """Return the outlook of a league for its entrant, as its ledger gives it.

    Raises:
        PbemError: nobody has entered the league from here, or what is kept is damaged.
    """
    key = str(league.path), _marks(league)
    if key not in _READ:
        for other in [one for one in _READ if one[0] == key[0]]:
            del _READ[other]
        _READ[key] = _read(league)
    return _READ[key]


def _marks(league: PlayersLeague) -> str:
    """Return the names, sizes and times of a league's files, by which a change is noticed."""
    files = sorted(path for path in league.path.rglob("*") if path.is_file())
    return " ".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files)


def _read(league: PlayersLeague) -> Outlook:
    member, kept = league.folder.member(), league.kept_ledger()
    read = _Reading()
    for number, entry in enumerate(kept.entries, 1):
        read.take(number, entry, league.ledger)
    call = kept.calls.current if kept.calls else None
    is_asked = call is not None and call.closed is None and member.player in dict(call.opened.seals)
    number = call.number if call is not None and is_asked else 0
    return Outlook(
        league=league.ledger,
        player=member.player,
        is_entered=member.player in read.names and member.player not in read.left,
        is_over=read.is_over,
        round=max((made.round for made, _ in read.drawn), default=0),
        call=number,
        deadline=call.opened.deadline if call is not None and is_asked else None,
        is_answered=bool(number) and any(one.sealed for one in league.folder.sent_files.orders_of(number)),
        meetings=() if read.is_over else tuple(_meetings(read, member.player)),
        table=read.table(),
        pairings=tuple(_pairings(read)),
        players=tuple(sorted(name for name in read.names if name not in read.left)),
        letters=tuple(islice(_letters(league, len(kept.exchanges)), MAX_LETTERS)),
    )


def _meetings(read: _Reading, player: str) -> Iterator[Meeting]:
    for made, pair in read.drawn:
        names = tuple(map(read.now, pair.players))
        if player in names and (made.round, pair.number) not in read.outcomes:
            others = tuple(name for name in names if name != player)
            yield Meeting(pair.game, made.round, others, made.until, pair.game in read.opened)


def _pairings(read: _Reading) -> Iterator[tuple[int, str, tuple[str, ...], str]]:
    for made, pair in read.drawn:
        outcome = read.outcomes.get((made.round, pair.number))
        said = f"{outcome.words} (entry {outcome.entry})" if outcome else ""
        yield made.round, pair.game, tuple(map(read.now, pair.players)), said


def _letters(league: PlayersLeague, calls: int) -> Iterator[str]:
    return chain.from_iterable(league.folder.notices(number) for number in range(calls, -1, -1))
