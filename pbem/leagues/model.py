"""The facts about leagues that drawing, playing and counting hand to one another.

Nothing here decides anything. Whoever draws (`formats`), counts (`standings`, `ratings`) or shows (`pages`)
takes these and gives these; all of it is public, since a league's ledger is.

- A *division* is a class or a section, "" where the league has none; a *round* is numbered from 1.
- A *player* is a token as in games; a *side* is the game's word for it, "" while it is not yet decided.
- A *place* is 1 for the first; equal places are shared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from operator import itemgetter

Die = Callable[[int, str], int]
"""A function of `sides` (2 to 256) and `label` that gives 1 to `sides`, a joint die of the ledger; each label
is asked once."""

Sides = tuple[str, str]
"""The two sides of a game, in the order in which the league names them."""

UNDECIDED: Sides = ("", "")
"""The sides of a game for which players bid, or on which they agree, after the pairing."""


OVER = "it is over"
"""The words in place of the next event for a league that is over."""


def next_words(coming: str) -> str:
    """Return the sentence that tells the next event of a league, or that the league is over."""
    return "It is over." if coming == OVER else f"Next: {coming}."


class Ending(StrEnum):
    """The way in which a game came to its result."""

    PLAYED = "played"
    ADJUDICATED = "adjudicated"
    FORFEITED = "forfeited"
    ANNULLED = "annulled"


_ENDED_BY = {" concedes": "conceded", " agreed on a draw": "draw agreed"}
"""The words that end the reason of a result by concession or agreement, with the words for such an ending."""


def how_ended(ending: Ending, reason: str) -> str:
    """Return how a game came to its result, in words; a conceded game was not played out."""
    said = next((words for end, words in _ENDED_BY.items() if reason.endswith(end)), "")
    return said if said and ending is Ending.PLAYED else ending.value


def outcome_text(ending: Ending, places: Sequence[tuple[str, int]], reason: str = "") -> str:
    """Return how a game ended and who won it, in words that are public: `played: ann beats ben`."""
    order = sorted(places, key=itemgetter(1))
    names = [name for name, _ in order]
    if ending is Ending.ANNULLED:
        told = " and ".join(names)
    elif len(order) != 2:
        told = ", ".join(f"{name} {place}{_ORDINAL.get(place, 'th')}" for name, place in order)
    elif order[0][1] == order[1][1]:
        told = f"{names[0]} and {names[1]} draw"
    else:
        told = f"{names[0]} beats {names[1]}"
    return f"{how_ended(ending, reason)}: {told}"


_ORDINAL = {1: "st", 2: "nd", 3: "rd"}


class WithdrawalScoring(StrEnum):
    """The rule of a league for the games of a player who leaves before the end."""

    ANNULLED = "annulled"
    """A leaver's games do not count for the standings."""
    HALF_PLAYED = "half-played"
    """A leaver's results stand and the other games are lost if half are played; otherwise none counts."""
    OPEN_LOST = "open-lost"
    """A leaver's results stand, and only the leaver's unfinished games are lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A participant of a league.

    `rating` is what they told when they entered, None for none; an
    `eliminator` plays whoever would else have no game, and cannot advance.
    """

    name: str
    rating: int | None = None
    eliminator: bool = False


@dataclass(frozen=True, slots=True)
class PreviousSeason:
    """An earlier season: the name of its league, and the first and the last head of its ledger."""

    name: str
    genesis: str
    end: str

    @property
    def text(self) -> str:
        """Return the season as a league's file names it."""
        return f"{self.name} {self.genesis} {self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """The seat of a player in a game, with the side."""

    player: str
    side: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One game to be played, by two players or a table of three to five; numbered from 1 within its round."""

    number: int
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bye:
    """A round that a player has without a game and through no fault; `half` if the player asked for it."""

    player: str
    half: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The pairings and byes of one round of one division."""

    number: int
    division: str = ""
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one pairing, with places, counts and the way in which the game ended.

    `game` is the title and `scenario` its scenario; `places` and `seats` are parallel. `counts` are numbers
    of the title's own that a tie-break may name: `name/side` is that side's, a bare `name` is the winner's. A
    forfeited game counts for standings and not for ratings. `gone` are those who had left before the game of
    their table was over: they are last in it, and it is not rated for them. `reason` is that of
    its entry. `day` is a UTC date, YYYY-MM-DD.
    """

    round: int
    division: str = ""
    pairing: int
    game: str
    scenario: str = ""
    seats: tuple[Seat, ...]
    places: tuple[int, ...]
    gone: tuple[str, ...] = ()
    ending: Ending = Ending.PLAYED
    reason: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    day: str

    @property
    def how(self) -> str:
        """Return how the game ended, in a word or two."""
        return how_ended(self.ending, self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """The rules that turn results into points and separate equal points; see `standings`.

    A table of n gives (n - place) / (n - 1) of a win; shared places share. `forfeit` is what the winner of a
    forfeited game gets; who forfeits gets nothing. `annulled` is what a game that does not count is worth to
    whoever has not left; like a bye it has no opponent. `tie_breaks` are in the words of
    `pbem.leagues.standings`.
    """

    win: Fraction = Fraction(1)
    draw: Fraction = Fraction(1, 2)
    loss: Fraction = Fraction(0)
    bye: Fraction = Fraction(1)
    forfeit: Fraction = Fraction(1)
    annulled: Fraction = Fraction(0)
    tie_breaks: tuple[str, ...] = ()
    leavers: WithdrawalScoring = WithdrawalScoring.HALF_PLAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A line of a table of standings; `tie_breaks` are parallel to those of `Scoring`, or None."""

    place: int
    player: str
    played: int
    points: Fraction
    tie_breaks: tuple[Fraction | None, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A player's Glicko-2 rating in a game, over all ("") or with one side; see `ratings`.

    `value` and `deviation` have two decimals, `volatility` has five. `from_tables` is true if any of its
    games had more than two seats, which count as pairs by place.
    """

    player: str
    game: str
    side: str = ""
    value: Decimal
    deviation: Decimal
    volatility: Decimal
    games: int
    provisional: bool
    from_tables: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A public decision of the director or an assistant, with its reason."""

    number: int
    day: str
    by: str
    about: str
    decision: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An appeal against an entry, and the answer to it; `answer` is "" while the appeal waits."""

    number: int
    day: str
    by: str
    entry: int
    reason: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """An event of a league at a UTC time; `key` is a permanent mark that no other news of the league has."""

    key: str
    at: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place of a knock-out's bracket, with its player or, until `settled`, those who may come to it.

    Settled and without a name it is a bye in the first stage, and later nobody has come through to it.
    """

    names: tuple[str, ...] = ()
    settled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match of a bracket: two places that meet, and who goes on from them.

    `guest` is the eliminator whom somebody without an opponent meets. `games` are round and pairing of what
    was drawn, more than one if it was played again. `winner` is who goes on, also if they have left since.
    """

    places: tuple[Place, Place]
    guest: str = ""
    games: tuple[tuple[int, int], ...] = ()
    winner: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """The bracket of a knock-out from its first stage to the final; neighbours in a stage meet next.

    `third` is the game for the third place; None where there is none.
    """

    stages: tuple[tuple[Match, ...], ...]
    third: Match | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueView:
    """A league in the form in which its pages show it: all of it is public.

    `standings` are pairs of division and table, `deadlines` of round number and UTC date, `open_games` are
    round, pairing and the game's name. `id` is its name in commands, `judge` the fingerprint of the judge's
    key, `genesis` the head of its first entry, which no other league has, `coming` what comes next and when,
    `closed` why nobody can enter now, `substitutes` whether somebody can still be a substitute,
    `rules` are pairs of heading and text, `dates` are key, UTC time and what happens then; `bracket` is that
    of a knock-out whose first round is drawn.
    """

    name: str
    format: str
    entrants: tuple[Entrant, ...]
    rounds: tuple[Round, ...]
    results: tuple[Result, ...]
    tie_breaks: tuple[str, ...]
    standings: tuple[tuple[str, tuple[Standing, ...]], ...]
    ratings: tuple[Rating, ...] = ()
    deadlines: tuple[tuple[int, str], ...] = ()
    rulings: tuple[Ruling, ...] = ()
    open_games: tuple[tuple[int, int, str], ...] = ()
    judge: str = ""
    genesis: str = ""
    id: str = ""
    coming: str = ""
    closed: str = ""
    substitutes: bool = False
    rules: tuple[tuple[str, str], ...] = ()
    dates: tuple[tuple[str, str, str], ...] = ()
    appeals: tuple[Heard, ...] = ()
    news: tuple[News, ...] = ()
    bracket: Bracket | None = None
