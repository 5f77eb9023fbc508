"""The rows and cells of the tables on a league's pages, and how numbers and results are written in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from pbem.characters import capitalize, upper
from pbem.leagues.model import Bye, Ending, LeagueView, Pairing, Rating, Result, Round, Standing, next_words
from pbem.leagues.standings import shares_of_places
from pbem.trust.times import times_in

HALF = Fraction(1, 2)
MAX_DENOMINATOR = 12
"""The largest denominator of a printed fraction; others are easier to read as decimal numbers."""


def amount(value: Fraction | None) -> str:
    """Return a number as people write it: 3, 3½, 2 1/3, or 0.269; a dash for None."""
    if value is None:
        return "-"
    if value.denominator == 1:
        return str(value.numerator)
    sign, whole, rest = "-" if value < 0 else "", abs(value) // 1, abs(value) % 1
    if rest == HALF:
        return f"{sign}{whole or ''}½"
    if value.denominator <= MAX_DENOMINATOR:
        return f"{sign}{f'{whole} ' if whole else ''}{rest}"
    thousandths = round(abs(value) * 1000)
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03}"


def mark(share: Fraction, place: int, seats: int, ending: Ending) -> str:
    """Return a player's result as in a table: 1, ½ or 0 of two, the place of more; + or - for a forfeit."""
    if ending is Ending.ANNULLED:
        return "x"
    if ending is Ending.FORFEITED:
        return "+" if place == 1 else "-"
    if seats > 2:
        return f"{place}/{seats}"
    return amount(share)


def bye_name(bye: Bye) -> str:
    """Return the name of a kind of bye."""
    return "half-point bye" if bye.half else "bye"


def side_name(side: str) -> str:
    """Return a side's name as people write it."""
    return " ".join(map(capitalize, side.split("-")))


def tie_break_name(name: str) -> str:
    """Return the name of a tie-break as a heading: Buchholz, Sonneborn-Berger, Total nobles."""
    return "Sonneborn-Berger" if name == "sonneborn-berger" else upper(name[:1]) + name[1:]


Named = tuple[str, str]
"""A player, together with a value that is shown for the player."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A row for one game; `marks` are parallel to `seats` (player and side), and empty without a result."""

    round: int
    division: str
    number: int
    seats: tuple[tuple[str, str], ...]
    marks: tuple[str, ...]
    said: str
    """The words for how the game ended, or that the game is open."""
    day: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a cross-table; `said` gives the content of the cell in words."""

    text: str
    said: str = ""
    own: bool = False
    """Whether the cell stands where a player's row meets the same player's column."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The cross-table of a division: headings above, and for each player a row of cells."""

    division: str
    heads: tuple[tuple[str, str], ...]
    """The headings of the columns, each in a short and a long form."""
    rows: tuple[tuple[Standing, tuple[Cell, ...]], ...]


class Shown:
    """A league in the form in which templates read it."""

    amount = staticmethod(amount)
    side_name = staticmethod(side_name)
    tie_break_name = staticmethod(tie_break_name)

    def __init__(self, league: LeagueView) -> None:
        self.league = league
        self._results = {(one.round, one.division, one.pairing): one for one in league.results}
        self._open = {(number, pairing): game for number, pairing, game in league.open_games}

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """The numbers of the league's rounds."""
        return tuple(sorted({drawn.number for drawn in self.league.rounds}))

    @property
    def next(self) -> str:
        """The sentence that tells what happens next and when, or that the league is over."""
        return times_in(next_words(self.league.coming))

    def last_date(self, number: int) -> str:
        """Return the last date of a round; "" if the round has none."""
        return dict(self.league.deadlines).get(number, "")

    def games(self, number: int) -> tuple[tuple[str, tuple[GameRow, ...], tuple[Named, ...]], ...]:
        """Return, for each division of a round, the name of the division, its games and its byes."""
        return tuple(
            (
                drawn.division,
                tuple(self._game(drawn, pairing) for pairing in drawn.pairings),
                tuple((bye.player, bye_name(bye)) for bye in drawn.byes),
            )
            for drawn in self.league.rounds
            if drawn.number == number
        )

    def games_of(self, player: str) -> tuple[GameRow, ...]:
        """Return the games of a player, in the order of rounds."""
        rows = [
            self._game(drawn, pairing)
            for drawn in self.league.rounds
            for pairing in drawn.pairings
            if player in {seat.player for seat in pairing.seats}
        ]
        return tuple(sorted(rows, key=lambda row: (row.round, row.number)))

    def byes_of(self, player: str) -> tuple[tuple[int, str], ...]:
        """Return the byes of a player, with their rounds."""
        return tuple(
            (drawn.number, bye_name(bye))
            for drawn in self.league.rounds
            for bye in drawn.byes
            if bye.player == player
        )

    def _game(self, drawn: Round, pairing: Pairing) -> GameRow:
        result = self._results.get((drawn.number, drawn.division, pairing.number))
        seats = result.seats if result else pairing.seats
        name = self._open.get((drawn.number, pairing.number), "")
        return GameRow(
            round=drawn.number,
            division=drawn.division,
            number=pairing.number,
            seats=tuple((seat.player, side_name(seat.side)) for seat in seats),
            marks=marks(result) if result else ("",) * len(seats),
            said=result.how if result else f"open: {name}" if name else "open",
            day=result.day if result else "",
        )

    def standings_of(self, player: str) -> tuple[tuple[str, Standing], ...]:
        """Return the player's lines in the tables of standings of all divisions."""
        return tuple(
            (division, line)
            for division, table in self.league.standings
            for line in table
            if line.player == player
        )

    def ratings_of(self, player: str) -> tuple[Rating, ...]:
        """Return the ratings of a player, the one over all sides first."""
        return tuple(rating for rating in self.league.ratings if rating.player == player)

    @cached_property
    def rating_tables(self) -> tuple[tuple[str, tuple[Rating, ...]], ...]:
        """Return the tables of ratings: over all, then for each side; the best player first."""
        sides = sorted({(rating.game, rating.side) for rating in self.league.ratings})
        return tuple(
            (
                f"With {side_name(side)}" if side else "Over all",
                tuple(one for one in self.league.ratings if (one.game, one.side) == (game, side)),
            )
            for game, side in sides
        )

    @cached_property
    def cross_tables(self) -> tuple[CrossTable, ...]:
        """Return a cross-table for each division: a square where all meet, else a column for each round."""
        square = self.league.format == "sections"
        return tuple(
            self._square(division, table) if square else self._by_round(division, table)
            for division, table in self.league.standings
        )

    def _of_division(self, division: str) -> Iterator[tuple[Round, Pairing, Result | None]]:
        for drawn in self.league.rounds:
            if drawn.division == division:
                for pairing in drawn.pairings:
                    key = (drawn.number, division, pairing.number)
                    yield drawn, pairing, self._results.get(key)

    def _square(self, division: str, table: tuple[Standing, ...]) -> CrossTable:
        met: dict[tuple[str, str], list[Cell]] = {}
        for _, pairing, result in self._of_division(division):
            shown = marks(result) if result else ("·",) * len(pairing.seats)
            seats = result.seats if result else pairing.seats
            for seat, text in zip(seats, shown, strict=True):
                for other in seats:
                    if other.player != seat.player:
                        ending = result.how if result else "open"
                        said = f"{seat.player} as {side_name(seat.side)}: {text} ({ending})"
                        met.setdefault((seat.player, other.player), []).append(Cell(text, said))
        rows = [
            (line, tuple(_met(met.get((line.player, one.player), []), line is one) for one in table))
            for line in table
        ]
        heads = tuple((str(number), line.player) for number, line in enumerate(table, 1))
        return CrossTable(division, heads, tuple(rows))

    def _by_round(self, division: str, table: tuple[Standing, ...]) -> CrossTable:
        numbers = {line.player: number for number, line in enumerate(table, 1)}
        found: dict[tuple[str, int], list[Cell]] = {}
        for drawn, pairing, result in self._of_division(division):
            seats = result.seats if result else pairing.seats
            shown = marks(result) if result else ("·",) * len(seats)
            for seat, text in zip(seats, shown, strict=True):
                others = [other.player for other in seats if other.player != seat.player]
                whom = ",".join(str(numbers.get(other, "?")) for other in others)
                said = f"round {drawn.number}: {text} against {', '.join(others)}"
                if seat.side:
                    said += f", as {side_name(seat.side)}"
                found.setdefault((seat.player, drawn.number), []).append(Cell(f"{text} ({whom})", said))
        for drawn in self.league.rounds:
            for bye in drawn.byes if drawn.division == division else ():
                said = f"round {drawn.number}: a {bye_name(bye)}"
                found[bye.player, drawn.number] = [Cell("½ bye" if bye.half else "bye", said)]
        rounds = sorted({drawn.number for drawn in self.league.rounds if drawn.division == division})
        rows = [
            (line, tuple(_met(found.get((line.player, number), [])) for number in rounds)) for line in table
        ]
        return CrossTable(division, tuple((str(number), f"Round {number}") for number in rounds), tuple(rows))


def _met(cells: list[Cell], own: bool = False) -> Cell:
    """Return the cells of several games of two players as one cell."""
    return Cell(" ".join(cell.text for cell in cells), "; ".join(cell.said for cell in cells), own)


def marks(result: Result) -> tuple[str, ...]:
    """Return the result of each seat of a game, as a table shows it."""
    shares = shares_of_places(result.places)
    return tuple(
        mark(share, place, len(result.seats), result.ending)
        for share, place in zip(shares, result.places, strict=True)
    )
