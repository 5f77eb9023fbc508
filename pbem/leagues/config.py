"""Reads a league's file, league.toml, and checks it; every mistake is reported with its line and reason.

Its keys are in config_reader; presets/ holds four files to begin with. The file is fixed by its hash
when the league is opened: whoever reads its ledger can read the rules that it is run by.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import product
from typing import Any

from pbem.characters import lower
from pbem.leagues.config_reader import TABLES, FileMistakes, Mistake, Reader, lines_of, suggestion
from pbem.leagues.entries import DRAW, SEATS
from pbem.leagues.formats.knockout import LOT, REPLAY
from pbem.leagues.formats.swiss import PairingOptions
from pbem.leagues.model import PreviousSeason, Scoring, WithdrawalScoring
from pbem.rules.base import Rules, UnknownOption
from pbem.titles import UnknownRules, load, names
from pbem.trust.formats import (
    MAX_ENTRANTS,
    MAX_ENTRANTS_TIMES_ROUNDS,
    MAX_FILE_SIZE,
    MAX_GAMES,
    MAX_PAIRINGS,
    MAX_PANEL,
    Limits,
    league_limits,
)

LARGEST = 65_536
MAX_NAME_LENGTH = 40
KNOCKOUT_ROUNDS = 12
PLAYERS = "players"
"""The name of a game's option for the number of players, if the game has such an option."""
Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueFile:
    """The content of a league.toml. Times are UTC; days may be fractions."""

    text: bytes
    """The bytes of the league's file itself, whose hash the ledger's first entry names."""
    name: str
    title: str
    format: str
    """The format of the league: sections, swiss, knockout or ladder."""
    rules: str
    """The title that the league plays, as for `pbem game new --rules`."""
    mode: str
    exchanges: int
    options: Options
    options_of_round: tuple[tuple[int, Options], ...]
    until: datetime
    """The time until which players may enter the league."""
    least: int
    most: int
    last: tuple[PreviousSeason, ...]
    """The earlier seasons whose ratings are taken over; if the league has classes, the best class first."""
    rank: int
    """The class of this league, of which 1 is the best; 0 if there are no classes."""
    late: bool
    """Whether the league takes players after its date for entries, who then play from the next round on."""
    rounds: int
    """Number of rounds of the league; 0 for as many as the format takes."""
    days: float
    """Days that a round lasts, unless `last_dates` says when the round ends."""
    gap_days: float
    """Days between the end of a round and the next draw."""
    last_dates: tuple[datetime, ...]
    warn_days: float
    """Days before a round's last date at which players of unfinished games are warned."""
    draw_days: float
    """Days that players have to answer the call for a draw."""
    rhythm: tuple[tuple[str, Any], ...]
    """The rhythm of each game, as club.toml would state it."""
    size: int
    """Maximum number of players in a section."""
    double: bool
    """Whether each player meets each other player twice, the second time with sides changed."""
    up: int
    down: int
    final: bool
    """Whether the winners of the sections meet in a section of their own."""
    odd: str
    """The rule for a player without an opponent: a bye, or a game against an eliminator."""
    swiss: PairingOptions
    """The options of the league's Swiss draws."""
    half_byes: int
    """Maximum number of half-point byes that an entrant of a Swiss may ask for."""
    seeding: str
    drawn: str
    """The rule that decides a drawn game of a knock-out: lot, replay, or the side that goes on."""
    third: bool
    """Whether a knock-out has a game for the third place."""
    tables: tuple[int, int]
    """The least and the greatest number of players at a table; 0 for the number that the options name, or
    two."""
    reach: int
    """Maximum number of rungs of the ladder that a challenge may reach up."""
    sides: str
    """The way in which sides are given: balanced over the season, by bids, or both (each pairing is played
    twice, with sides changed)."""
    unfinished: str
    """The way in which a game not over at its round's last date is decided: panel, count, director, draw."""
    count: str
    """The name of the title's count that decides an unfinished game if `unfinished` is "count"."""
    panel_days: float
    scoring: Scoring
    forfeits_rated: bool
    replace_days: float
    """Days that the place of a leaver waits for a substitute before the leaver's games are lost."""
    silent_calls: int
    """Unanswered calls in a row that count as withdrawal; 0 if any number is allowed."""
    appeal_days: float
    """Days after a round's last result in which somebody may appeal before the round is over."""
    answer_days: float
    """Days that the director has to answer an appeal; after them the appeal is refused."""
    digest: str
    """The weekday on which the weekly letter is sent, or never."""
    director: str
    assistants: tuple[str, ...]
    panel: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The hash by which the ledger names the league's file."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def ledger(self) -> str:
        """The name of the league's ledger, which no game can have."""
        return f"league.{self.name}"

    @property
    def many_games(self) -> bool:
        """Tell whether a player may have more than one game at once."""
        return self.format in ("sections", "ladder") or self.sides == "both"

    @property
    def most_rounds(self) -> int:
        """The maximum number of rounds; in a knock-out with replays the last rounds have few games."""
        return self.rounds or {"sections": 1 + self.final}.get(self.format, KNOCKOUT_ROUNDS)

    @property
    def most_games(self) -> int:
        """The maximum number of games that an entrant has in a round."""
        winners = -(-self.most // self.size) if self.final else 0
        return self.each * (max(self.size, winners) - 1) if self.format == "sections" else self.each

    @property
    def each(self) -> int:
        """The number of games that two paired players have in a round."""
        return (2 if self.double else 1) * (2 if self.sides == "both" else 1)

    @property
    def seats_with(self) -> str:
        """The purpose of the last call before a round's games, which seats them: bids, or the draw."""
        return SEATS if self.sides == "bids" else DRAW

    @property
    def limits(self) -> Limits:
        """The limits on the files of the league's bundle."""
        return league_limits(
            entrants=self.most,
            rounds=self.most_rounds,
            games=self.most_games,
            panel=len(self.panel),
            carried=MAX_FILE_SIZE if self.last else 0,
        )

    @property
    def officials(self) -> tuple[str, ...]:
        """The names of the director and the assistants, who make rulings."""
        return (self.director, *self.assistants)

    def game_options(self, round_number: int, seats: int) -> dict[str, Any]:
        """Return the options of a round's games at a table of `seats` players."""
        own = dict(dict(self.options_of_round).get(round_number, ()))
        return {**dict(self.options), **own, **({PLAYERS: seats} if self.tables[1] else {})}

    def game_sides(self, round_number: int = 1, seats: int = 0) -> tuple[str, ...]:
        """Return the sides of a round's games, in the game's order, at a table of `seats`; 0: the largest."""
        rules = load(self.rules).rules
        return rules.sides(rules.checked(self.game_options(round_number, seats or self.tables[1])))

    def table_sizes(self, round_number: int) -> range:
        """Return the possible numbers of players in a game of a round."""
        least, most = self.tables
        fixed = most or len(self.game_sides(round_number))
        return range(least or fixed, fixed + 1)

    def last_date(self, round_number: int, begun: datetime) -> datetime:
        """Return the time at which a round that began at the time `begun` ends."""
        if round_number <= len(self.last_dates):
            return self.last_dates[round_number - 1]
        return begun + timedelta(days=self.days)


def read_file(data: bytes) -> LeagueFile:
    """Read and check the bytes of a league.toml.

    Raises:
        FileMistakes: a league cannot be run by this file; the error lists every mistake.
    """
    if len(data) > LARGEST:
        raise FileMistakes((Mistake(0, f"the file has more than {LARGEST:,} bytes"),))
    try:
        text = data.decode()
        found = tomllib.loads(text)
    except UnicodeDecodeError:
        raise FileMistakes((Mistake(0, "the file is not utf-8 text"),)) from None
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        where = re.search(r"\(at line ([0-9]+), column [0-9]+\)", str(problem))
        told = str(problem).partition(" (at")[0]
        line = int(where[1]) if where else 0
        raise FileMistakes((Mistake(line, lower(told[:1]) + told[1:]),)) from None
    except ValueError:  # of int(), which takes so many digits and no more
        raise FileMistakes((Mistake(0, "a number has thousands of digits"),)) from None
    reader = Reader(found, lines_of(text))
    values = reader.values()
    if not reader.mistakes:
        reader.mistakes += _contradictions(values, reader)
    if reader.mistakes:
        raise FileMistakes(tuple(sorted(reader.mistakes, key=lambda one: one.line)))
    return _build(data, values)


@lru_cache(maxsize=64)
def rhythm_in(data: bytes) -> Mapping[str, Any]:
    """Return the rhythm of a league's games, written as a club.toml would have it for each game."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in read_file(data).rhythm}


def _contradictions(values: Mapping[str, Any], reader: Reader) -> list[Mistake]:
    """Return the mistakes that lie in a combination of values of a league's file."""
    found: list[Mistake] = []
    for path, text in _against(values):
        found.append(Mistake(reader.lines.get(path) or reader.lines.get(path.partition(".")[0], 0), text))
    return found


def _against(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not 2 <= values["entries.least"] <= values["entries.most"] <= MAX_ENTRANTS:
        yield "entries.least", f"from 2 to {MAX_ENTRANTS} can play, and `least` cannot be more than `most`"
    form = values["format"]
    if form in ("swiss", "ladder") and not values["rounds.count"]:
        yield "rounds.count", f"a league whose format is {form!r} needs the number of its rounds"
    if form == "swiss" and 0 < values["rounds.count"] <= values["swiss.half_byes"]:
        told = f"there must be fewer half-point byes than the {values['rounds.count']} rounds"
        yield "swiss.half_byes", told
    if form in ("sections", "knockout") and values["rounds.count"]:
        yield "rounds.count", f"{form} takes as many rounds as it needs; leave `count` out"
    if not values["rounds.days"] and not values["rounds.last_dates"]:
        yield "rounds.days", "a round must have an end: `days`, or `last_dates`"
    dates = values["rounds.last_dates"]
    if list(dates) != sorted(set(dates)) or any(one <= values["entries.until"] for one in dates):
        yield "rounds.last_dates", "last dates must be in order, and later than `entries.until`"
    if form == "sections" and values["sections.size"] < 2:
        yield "sections.size", "a section has two players at least"
    if values["unfinished.by"] == "panel" and not values["people.panel"]:
        yield "unfinished.by", "the panel decides, but [people] names no `panel`"
    if (values["unfinished.by"] == "count") != bool(values["unfinished.count"]):
        yield "unfinished.count", '`count` must be there if `by` is "count", and only then'
    yield from _against_limits(values)
    yield from _against_game(values)


def _against_limits(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a key and a text for each setting by which a ledger could outgrow its bundle (trust.formats)."""
    if len(values["name"]) > MAX_NAME_LENGTH:
        yield "name", f"the name has more than {MAX_NAME_LENGTH} characters"
    if len(values["people.panel"]) > MAX_PANEL:
        yield "people.panel", f"the panel has {MAX_PANEL} members at most"
    if values["last.class"] > len(values["last.leagues"]):
        yield "last.class", "too high: `leagues` must name the league of each class, the best first"
    most, rounds = values["entries.most"], values["rounds.count"]
    if most * rounds > MAX_ENTRANTS_TIMES_ROUNDS:
        yield (
            "rounds.count",
            (
                f"{most} entrants times {rounds} rounds are more than {MAX_ENTRANTS_TIMES_ROUNDS:,}: let "
                "fewer enter (`most` in [entries]), or play at most "
                f"{MAX_ENTRANTS_TIMES_ROUNDS // most} rounds"
            ),
        )
    if values["format"] != "sections":
        return
    twice = (1 + values["sections.double"]) * (1 + (values["sides.by"] == "both"))
    size = values["sections.size"]
    winners = -(-most // size) if values["sections.final"] else 0
    games = (max(size, winners) - 1) * twice
    if games > MAX_GAMES:
        where = (
            f" in a final of {winners} winners (`most` in [entries] lets fewer enter)"
            if winners > size
            else ""
        )
        told = f"everybody would have {games} games at once{where}, and {MAX_GAMES} are allowed"
        yield "sections.size", told
    elif most * games > 2 * MAX_PAIRINGS:
        yield (
            "entries.most",
            (
                f"{most} entrants with {games} games each are more than {MAX_PAIRINGS:,} games in a round: "
                f"let at most {2 * MAX_PAIRINGS // games} enter"
            ),
        )


def _against_game(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    try:
        rules = load(values["game.rules"]).rules
    except UnknownRules:
        name, known = values["game.rules"], names()
        told = f"there is no game called {name!r}; there are {', '.join(known)}{suggestion(name, known)}"
        yield "game.rules", told
        return
    yield from _against_seats(values, rules)
    yield from _against_counts(values, rules)


def _against_seats(values: Mapping[str, Any], rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield a key and a text for each mistake about a game's number of players, and about its options."""
    least, most = values["tables.least"], values["tables.most"]
    if (least or most) and not 2 <= least <= most <= MAX_ENTRANTS:
        yield "tables.least", "a table has two players at least, and `least` cannot be more than `most`"
        return
    if values["entries.least"] < least:
        yield "entries.least", f"a table needs {least} players, but the league may begin with fewer"
    common = dict(values["game.options"])
    sides: tuple[str, ...] = ()
    sizes: list[dict[str, Any]] = [{PLAYERS: many} for many in range(least, most + 1)] if most else [{}]
    for (number, own), size in product(((0, ()), *values["game.round"]), sizes):
        path = f"game.round.{number}" if number else "game.options"
        given = {**common, **dict(own)}
        if size.keys() & given.keys():
            yield path, f"[tables] says how many play, and the option {PLAYERS!r} says it too: leave one out"
            return
        try:
            sides = rules.sides(rules.checked({**given, **size}))
        except UnknownOption as problem:
            yield ("tables.least" if size else path), str(problem)
    yield from _against_many(values, rules.title, sides)


def _against_many(values: Mapping[str, Any], title: str, sides: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield a key and a text for each setting that belongs only to games of two, or only to larger tables."""
    form, by, seats = values["format"], values["sides.by"], len(sides)
    if seats > 2 and form != "swiss":
        told = f"{title} is for {seats} players, and {form} for games of two: larger tables need 'swiss'"
        yield "format", told
    most_new = values["entries.least"] // 2
    if form == "swiss" and seats == 2 and values["rounds.count"] > most_new and not values["swiss.stuck"]:
        yield (
            "rounds.count",
            (
                f"with the {values['entries.least']} entrants of `least`, new opponents are certain for "
                f"{most_new} rounds only: play fewer, or say in [swiss] what happens then, "
                '`stuck = "rematch"` or "end"'
            ),
        )
    if seats > 2 and by != "balanced":
        yield "sides.by", f"{title} is for {seats} players: `by` must be 'balanced', not {by!r}"
    if by == "bids" and load(values["game.rules"]).bids is None:
        yield "sides.by", f"{title} has no bids for sides"
    deciders, drawn = (LOT, REPLAY, *sides), values["knockout.drawn"]
    if form == "knockout" and drawn not in deciders:
        told = f"{drawn!r} cannot decide a drawn game; {', '.join(deciders)} can{suggestion(drawn, deciders)}"
        yield "knockout.drawn", told
    if by == "both" and form in ("knockout", "ladder"):
        yield "sides.by", f"in a {form} each pairing is one game: `by` must be 'balanced' or 'bids'"


def _against_counts(values: Mapping[str, Any], rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield a key and a text for each mistake about counts that break ties or decide an unfinished game."""
    from pbem.leagues.standings import SIMPLE, WHOLE_TABLE, count_names, tie_break_fault

    known_breaks, counts = (*SIMPLE, *WHOLE_TABLE), count_names(values["game.rules"])
    for phrase in values["scoring.tie_breaks"]:
        _, _, count = phrase.partition(" ")
        if (wrong := tie_break_fault(phrase)) is not None:
            yield "scoring.tie_breaks", f"{wrong}{suggestion(phrase, known_breaks)}"
        elif count and count.partition("/")[0] not in counts:
            yield "scoring.tie_breaks", f"{_count_fault(rules.title, count, counts)}"
    if (count := values["unfinished.count"]) and count not in counts:
        yield "unfinished.count", _count_fault(rules.title, count, counts)


def _count_fault(title: str, count: str, counts: tuple[str, ...]) -> str:
    return f"{title} counts {', '.join(counts) or 'nothing'}, not {count!r}{suggestion(count, counts)}"


def _build(data: bytes, values: Mapping[str, Any]) -> LeagueFile:
    form = values["format"]
    worth = ("win", "draw", "loss", "bye", "forfeit", "annulled", "tie_breaks")
    score = {key: values[f"scoring.{key}"] for key in worth}
    return LeagueFile(
        text=data,
        name=values["name"],
        title=values["title"] or values["name"],
        format=form,
        rules=values["game.rules"],
        mode=values["game.mode"],
        exchanges=values["game.exchanges"],
        options=values["game.options"],
        options_of_round=values["game.round"],
        until=values["entries.until"],
        least=values["entries.least"],
        most=values["entries.most"],
        last=values["last.leagues"],
        rank=values["last.class"],
        late=values["entries.late"] == "next-round",
        rounds=values["rounds.count"],
        days=values["rounds.days"],
        gap_days=values["rounds.gap_days"],
        last_dates=values["rounds.last_dates"],
        warn_days=values["rounds.warn_days"],
        draw_days=values["draws.days"],
        rhythm=tuple((key, values[f"rhythm.{key}"]) for key in TABLES["rhythm"]),
        size=values["sections.size"],
        double=values["sections.double"],
        up=values["sections.up"],
        down=values["sections.down"],
        final=values["sections.final"],
        odd=values["knockout.odd"] if form == "knockout" else values["swiss.odd"],
        swiss=PairingOptions(
            bye=values["swiss.odd"],
            stuck=values["swiss.stuck"] or "rematch",
            order=values["swiss.order"],
            seeded=values["swiss.seeding"] == "rating",
            apart=frozenset(map(frozenset, values["swiss.apart"])),
        ),
        half_byes=values["swiss.half_byes"],
        seeding=values["knockout.seeding"],
        drawn=values["knockout.drawn"],
        third=values["knockout.third"],
        tables=(values["tables.least"], values["tables.most"]),
        reach=values["ladder.reach"],
        sides=values["sides.by"],
        unfinished=values["unfinished.by"],
        count=values["unfinished.count"],
        panel_days=values["unfinished.panel_days"],
        scoring=Scoring(**score, leavers=WithdrawalScoring(values["scoring.leavers"])),
        forfeits_rated=values["scoring.forfeits_rated"],
        replace_days=values["leaving.replace_days"],
        silent_calls=values["leaving.silent_calls"],
        appeal_days=values["appeals.days"],
        answer_days=values["appeals.answer_days"],
        digest=values["digest.day"],
        director=values["people.director"],
        assistants=values["people.assistants"],
        panel=values["people.panel"],
    )
