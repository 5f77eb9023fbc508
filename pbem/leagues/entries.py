"""The entries of a league's ledger that games do not have (entries of both are in trust.entries).

A league's ledger is a game's in all that is hashed and signed: salted leaves, heads, checkpoints, receipts,
chains and mixes, under the name `league.<name>`, which no game can have. Of a game's entries it has `open`,
`received`, `refused`, `close`, `resolve` and `rules`: a *call* is an exchange that asks for no orders but for
the next step of each chain, and `open` has one line more, `for draw <round>` or `for seats <round>`; below
it, if it seats the games of the round, what it fixes for them (pbem.leagues.calls). Its own:

    league league.spring-2027                   said <player> <sha256 of the signed text>
    format 2                                    at <UTC>
    file <sha256 of league.toml>                (what is said: see statements, from `say` on)
    gm SHA256:...
    rules <sha256>      of the program          pairings <round>
    anchor gm.1 0 <hex>                         at <UTC>
    commit salt-root <hex>                      until <UTC>                  the last date
    commit seal-root <hex>                      division <name> <player> ...           each, if there are any
    person <name> SHA256:...    each            pair <number> <division|-> <game> <player> <side|-> ...   each
    carried <sha256>    optional: of carried    bye <division|-> <player>              each
    at <UTC>                                    half-bye <player>                      each

    game <game> <its first head>
    about <round> <pairing>                     result <round> <pairing>
    seat <player> <side>            each        game <game> <size> <head>      of its ledger, if it was read
    bid <player> <words>            each        ending played|adjudicated|forfeited|annulled
    option <name> <value>           each        by game|count|panel|director|leaving|rule
    at <UTC>                                    place <player> <place>         each
                                                count <name> <number>          each
    round-over <round>                          reason <text>                  optional
    at <UTC>                                    at <UTC>

    ruling <number>                             over
    by <name>                                   standings <sha256>             of standings.csv
    decides <what> <of what> ...                ratings <sha256>               of ratings.csv
    reason <text>                               move <player> up|down          each
    at <UTC>                                    at <UTC>

    substitute <player> <of whom>
    at <UTC>
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Annotated, ClassVar

from pbem.leagues.model import Ending, Seat
from pbem.leagues.statements import Places, Statement, parse_lines
from pbem.trust.chance import OPEN_CHAIN
from pbem.trust.entries import Close, Entry, NewRules, Open, Received, Refused, Resolve
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.fields import (
    FINGERPRINT,
    HASH,
    NUMBER,
    PLAYER,
    TEXT,
    TIME,
    Line,
    Lines,
    Maybe,
    Pairs,
    Value,
    token,
)
from pbem.trust.formats import FORMAT
from pbem.trust.identifiers import check_game_id, check_player_name, check_token, is_number, quote
from pbem.trust.ledger import parse_entry

DRAW, SEATS = "draw", "seats"
ENTRANT = "entrant"
"""The word that stands for the side of a player in files that answer a call."""
BY_GAME, BY_COUNT, BY_PANEL, BY_DIRECTOR = "game", "count", "panel", "director"
BY_LEAVING, BY_RULE = "leaving", "rule"

EXTEND, EXPEL, RESULT, CORRECT = "extend", "expel", "result", "correct"
ANSWER, START, CANCEL, ADMIT, READMIT, KEY = "answer", "start", "cancel", "admit", "readmit", "key"
_PLACES = "ROUND PAIRING played|adjudicated|forfeited|annulled NAME=PLACE NAME=PLACE"
RULINGS = {
    RESULT: _PLACES,
    CORRECT: _PLACES,
    EXTEND: "ROUND 2027-07-01T20:00:00Z",
    EXPEL: "NAME",
    ADMIT: "NAME",
    READMIT: "NAME",
    KEY: "NAME",
    ANSWER: "ENTRY upheld|dismissed",
    START: "",
    CANCEL: "",
}
"""The kinds of rulings, each with the form of the words that follow its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """One pairing of a round, with the name of its game."""

    number: int
    division: str
    game: str
    seats: tuple[Seat, ...]

    @property
    def text(self) -> str:
        """Return the fields of the pairing as an entry writes them after the word `pair`."""
        seats = " ".join(f"{seat.player} {seat.side or '-'}" for seat in self.seats)
        return f"{self.number} {self.division or '-'} {self.game} {seats}"

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the pairing."""
        return tuple(seat.player for seat in self.seats)


@dataclass(frozen=True, slots=True)
class GameAt:
    """A reference to a game, with the size and the head of the game's ledger."""

    game: str
    size: int
    head: str

    @property
    def text(self) -> str:
        """Return the reference as the fields of a line in an entry."""
        return f"{self.game} {self.size} {self.head}"


def _words(text: str, least: int, most: int) -> list[str]:
    words = text.split(" ")
    if not least <= len(words) <= most or not all(words):
        raise LedgerFault(f"{quote(text)} has {len(words)} fields, and needs {least}")
    return words


def _read_pair(text: str) -> Paired:
    number, division, game, *seats = _words(text, 7, 13)
    if len(seats) % 2:
        raise LedgerFault(f"{quote(text)} is not a pairing: each player has a side, or -")
    return Paired(
        number=NUMBER.read(number),
        division=_maybe(division),
        game=check_game_id(game),
        seats=tuple(
            Seat(player=check_player_name(player), side=_maybe(side))
            for player, side in zip(seats[::2], seats[1::2], strict=True)
        ),
    )


def _maybe(text: str) -> str:
    return "" if text == "-" else check_token(text, "word")


def _read_bye(text: str) -> tuple[str, str]:
    division, player = _words(text, 2, 2)
    return _maybe(division), check_player_name(player)


def _read_seat(text: str) -> Seat:
    player, side = _words(text, 2, 2)
    return Seat(player=check_player_name(player), side=check_token(side, "side"))


def _read_about(text: str) -> tuple[int, int]:
    number, pairing = _words(text, 2, 2)
    return NUMBER.read(number), NUMBER.read(pairing)


def _read_game_at(text: str) -> GameAt:
    game, size, head = _words(text, 3, 3)
    return GameAt(check_game_id(game), NUMBER.read(size), HASH.read(head))


def _read_players(text: str) -> tuple[str, ...]:
    return tuple(map(check_player_name, text.split(" ")))


def _read_ending(text: str) -> Ending:
    try:
        return Ending(text)
    except ValueError:
        raise LedgerFault(f"a game cannot end {quote(text)}") from None


def _read_count(text: str) -> int:
    if not is_number(text):
        raise LedgerFault(f"{quote(text)} is not a count")
    return int(text)


NAMES = Value(_read_players, " ".join)
PAIR = Value(_read_pair, lambda pair: str(pair.text))
BYE = Value(_read_bye, lambda bye: f"{bye[0] or '-'} {bye[1]}")
SEAT = Value(_read_seat, lambda seat: f"{seat.player} {seat.side}")
ABOUT = Value(_read_about, lambda about: f"{about[0]} {about[1]}")
GAME_AT = Value(_read_game_at, lambda at: str(at.text))
ENDING = Value(_read_ending)
COUNT = Value(_read_count)
WORDS = Value(lambda text: tuple(text.split(" ")), " ".join)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueGenesis(Entry):
    """The first entry of a league's ledger: everything that is fixed before anybody enters."""

    form: ClassVar[str] = "league {game}"
    beacon: ClassVar[None] = None

    game: Annotated[str, token("league's ledger")]
    """The name of the league's ledger."""
    format: Annotated[str, Line("format", TEXT)] = FORMAT
    file: Annotated[str, Line("file", HASH)]
    gm: Annotated[str, Line("gm", FINGERPRINT)]
    rules: Annotated[str, Line("rules", HASH)]
    anchor: Annotated[str, Line(f"anchor {OPEN_CHAIN} 0", HASH)]
    salt_commitment: Annotated[str, Line("commit salt-root", HASH)]
    seal_commitment: Annotated[str, Line("commit seal-root", HASH)]
    people: Annotated[tuple[tuple[str, str], ...], Pairs("person", FINGERPRINT, PLAYER)] = ()
    """Pairs of name and key fingerprint of those who may vote or rule, if they have a key."""
    carried: Annotated[str, Maybe("carried", HASH)] = ""
    """The hash of the file of results taken over from earlier seasons; "" if nothing is taken over."""
    at: Annotated[datetime, Line("at", TIME)]

    def check(self) -> None:
        """Refuse a league whose ledger has a name that a game could have."""
        if not self.game.startswith("league."):
            raise LedgerFault("a league's ledger is called league.<name>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Entry):
    """The entry of a player's signed statement; `extra` is the statement's content."""

    form: ClassVar[str] = "said {player} {sha256}"

    player: Annotated[str, PLAYER]
    sha256: Annotated[str, HASH]
    at: Annotated[datetime, Line("at", TIME)]

    @classmethod
    def of(cls, statement: Statement, at: datetime) -> Said:
        """Return the ledger entry for a statement made at the time `at`."""
        lines = tuple(statement.lines)
        return cls(player=statement.player, sha256=statement.sha256, at=at, extra=lines)

    def statement(self, league: str) -> Statement:
        """Return the statement of the entry as it was made about the league `league`."""
        return _statement(league, self)


@lru_cache(maxsize=4_096)
def _statement(league: str, said: Said) -> Statement:
    try:
        found = parse_lines(league, said.player, list(said.extra))
    except TrustFault as fault:
        raise LedgerFault(f"this cannot be said about a league: {fault}") from None
    if found.sha256 != said.sha256 or tuple(found.lines) != said.extra:
        raise LedgerFault("it is not the hash of what was said")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairings(Entry):
    """The entry that records the draw of a round."""

    form: ClassVar[str] = "pairings {round}"

    round: Annotated[int, NUMBER]
    at: Annotated[datetime, Line("at", TIME)]
    until: Annotated[datetime, Line("until", TIME)]
    divisions: Annotated[
        tuple[tuple[str, tuple[str, ...]], ...], Pairs("division", NAMES, token("name"))
    ] = ()
    pairs: Annotated[tuple[Paired, ...], Lines("pair", PAIR)]
    byes: Annotated[tuple[tuple[str, str], ...], Lines("bye", BYE)] = ()
    """Pairs of the division and the player of each bye."""
    half_byes: Annotated[tuple[str, ...], Lines("half-bye", PLAYER)] = ()
    """The players who asked for half a point in place of a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Entry):
    """The entry that records that the game of a pairing was opened."""

    form: ClassVar[str] = "game {game} {head}"

    game: Annotated[str, token("game name")]
    head: Annotated[str, HASH]
    """The first head of the ledger of the game."""
    about: Annotated[tuple[int, int], Line("about", ABOUT)]
    """The numbers of the round and of the pairing to which the game belongs."""
    seats: Annotated[tuple[Seat, ...], Lines("seat", SEAT)]
    bids: Annotated[tuple[tuple[str, str], ...], Pairs("bid", TEXT, PLAYER)] = ()
    options: Annotated[tuple[tuple[str, str], ...], Pairs("option", TEXT, TEXT)] = ()
    """Pairs of name and value of the game's options that bids decided."""
    at: Annotated[datetime, Line("at", TIME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Entry):
    """The entry of a pairing's result, which stands unless a ruling changes it."""

    form: ClassVar[str] = "result {round} {pairing}"

    round: Annotated[int, NUMBER]
    pairing: Annotated[int, NUMBER]
    game: Annotated[GameAt | None, Maybe("game", GAME_AT)] = None
    ending: Annotated[Ending, Line("ending", ENDING)]
    by: Annotated[str, Line("by", token("word"))]
    places: Annotated[Places, Pairs("place", NUMBER, PLAYER)]
    counts: Annotated[tuple[tuple[str, int], ...], Pairs("count", COUNT, TEXT)] = ()
    reason: Annotated[str, Maybe("reason", TEXT)] = ""
    at: Annotated[datetime, Line("at", TIME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOver(Entry):
    """The entry that ends a round: every pairing has a result."""

    form: ClassVar[str] = "round-over {round}"

    round: Annotated[int, NUMBER]
    at: Annotated[datetime, Line("at", TIME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(Entry):
    """The entry of a public ruling by the director or an assistant.

    `decides` is `result|correct <round> <pairing> <ending> <alice=1> <bob=2>`, `extend <round> <UTC>`,
    `expel <player>`, `admit <player>` (a substitute), `readmit <player>` (who counted as withdrawn for
    silence), `key <player>` (the new key that they asked for, since theirs is lost),
    `answer <entry> upheld|dismissed`, `start` or `cancel`.
    """

    form: ClassVar[str] = "ruling {number}"

    number: Annotated[int, NUMBER]
    by: Annotated[str, Line("by", PLAYER)]
    decides: Annotated[tuple[str, ...], Line("decides", WORDS)]
    reason: Annotated[str, Line("reason", TEXT)]
    at: Annotated[datetime, Line("at", TIME)]

    @property
    def what(self) -> str:
        """The kind of the ruling, which is the first word of `decides`."""
        return self.decides[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Substituted(Entry):
    """The entry of a substitution: the first free player on the list takes the place of a leaver."""

    form: ClassVar[str] = "substitute {player} {of}"

    player: Annotated[str, PLAYER]
    of: Annotated[str, PLAYER]
    at: Annotated[datetime, Line("at", TIME)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(Entry):
    """The last entry of a league's ledger: the league is over."""

    form: ClassVar[str] = "over"

    standings: Annotated[str, Line("standings", HASH)]
    ratings: Annotated[str, Line("ratings", HASH)]
    moves: Annotated[tuple[tuple[str, str], ...], Pairs("move", token("way"), PLAYER)] = ()
    """Pairs of a player and `up` or `down`, the direction in which the player changes class."""
    at: Annotated[datetime, Line("at", TIME)]


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of a call to a league's players: the draw of a round, or the seats of its games."""

    what: str
    round: int

    @property
    def line(self) -> str:
        """Return the line that states the purpose in the entry `open`."""
        return f"for {self.what} {self.round}"


KINDS: dict[str, type[Entry]] = {
    entry.kind: entry
    for entry in (
        *(LeagueGenesis, Said, Substituted, Pairings, Opened, Ended, RoundOver, Ruled, Finished),
        *(Open, Received, Refused, Close, Resolve, NewRules),
    )
}


@lru_cache(maxsize=16_384)
def parse_league_entry(data: bytes) -> Entry:
    """Parse an entry of a league's ledger; cached, because a pass reads all entries many times.

    Raises:
        LedgerFault: the entry is not written as its kind demands.
    """
    return parse_entry(data, KINDS)


def purpose_of(entry: Open) -> Purpose:
    """Return the purpose of a call from the entry that opens the call."""
    match [line.split(" ") for line in entry.extra[:1]]:
        case [["for", ("draw" | "seats") as what, number]]:
            return Purpose(DRAW if what == DRAW else SEATS, NUMBER.read(number))
    raise LedgerFault(f"call {entry.exchange} does not say what it is for")
