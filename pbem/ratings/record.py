"""The facts about rated games in public ledgers, the ratings that follow, and the file with both.

The file ratings.txt, characters in UTF-8, each line ended by LF:

    pbem1 ratings
    judge SHA256:...                    the judge of each club
    name SHA256:... <name>              the names that a key has had; none of whoever was forgotten
    link <old> <new> <ledger> <entry>   two keys, as SHA256:..., of one identity, and the entry of the new one
    game <title> <scenario|-> <UTC> <first> <ledger> <entry> played|adjudicated|forfeited|annulled
    seat <side|-> SHA256:... <place>    each seat of that game; with `gone` if it is not rated for its player
    rating <title> <side|-> SHA256:... <value> <deviation> <volatility> <games> <provisional> <from tables>

`<first>` is the head of the game's first entry, `<ledger>` the first head of the ledger with the result: the
game's own, or its league's. `<entry>` is the leaf, in that ledger, of the entry with the result or the new
key. The time is that of the result; outside leagues, of the last dated entry before `over`.

All lines of a kind are sorted: games by time, then first head; seats by side; ratings as a league has them.
So the same games give the same bytes. A rating names an identity by the smallest of its keys; its side - is
over all sides; its last two words are yes or no. What a rating is follows from the lines above it.

Ratings follow from the facts of ledgers: identities, the games of a period, then Glicko-2. An identity is a
key and the keys that links join to it; a name counts for nothing. A period is a month by the times of results
(UTC), in which all games count at once, in the order of the record. Which endings are rated, how sides are
weighed and how numbers are rounded is decided where a league's ratings are (`pbem.leagues.ratings`). A game
of which one identity has two seats is not rated.

A game outside leagues is rated if its genesis says so and whoever has a seat at the end has signed orders in
it; the first of them accepted the invitation that said so. Its result is its own last entry `over`.

A key follows another if its holder has signed so: by the old key, or by the recovery key that the ledger
named before they took part. A key that others have granted, or a league's director, counts in its ledger,
and begins an identity of its own: else a judge with invented players could take anybody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbem.characters import split_lines
from pbem.errors import ConfigError, PbemError
from pbem.leagues.entries import Said
from pbem.leagues.model import Ending, Rating, Result, Seat
from pbem.leagues.ratings import ratings
from pbem.leagues.results_table import rated_players
from pbem.leagues.season import Season
from pbem.leagues.statements import NEW_KEY
from pbem.play.adjudicate import game_places, genesis_options, option_value, setting_of
from pbem.play.history import History
from pbem.rules import load
from pbem.trust.act_entries import is_forfeit
from pbem.trust.entries import GAME_OPTION, Entry, Received
from pbem.trust.identifiers import check_player_name, check_token, is_fingerprint, is_hash, is_number, quote
from pbem.trust.keys import parse_public
from pbem.trust.rotations import GM, Rotation
from pbem.trust.times import parse_utc, utc_text

FIRST = "pbem1 ratings"
RATINGS = "ratings.txt"
"""Name of the file of ratings in a club's folder."""
MAX_RATINGS_SIZE = 32_000_000
"""Maximum size in bytes of a file of ratings."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A seat of a rated game: its side, the key of its last player, and the place that it reached."""

    side: str
    key: str
    place: int
    is_gone: bool = False
    """Whether the player left the game before its end, so that the game does not change their rating."""

    @property
    def line(self) -> str:
        """The line of the file of ratings for this seat."""
        return f"seat {self.side or '-'} {self.key} {self.place}{' gone' if self.is_gone else ''}"


@dataclass(frozen=True, slots=True, order=True)
class RatedGame:
    """One game that may count for ratings; the order of games is that of time, then of first heads."""

    at: str
    first: str
    """The head of the first entry of the game's ledger."""
    ledger: str
    """The head of the first entry of the ledger that has the game's result."""
    entry: str
    """The leaf of the ledger entry with the game's result."""
    title: str
    scenario: str
    ending: Ending
    places: tuple[Place, ...]

    @property
    def lines(self) -> list[str]:
        """The lines of the file of ratings for this game."""
        where = f"{self.at} {self.first} {self.ledger} {self.entry} {self.ending}"
        return [f"game {self.title} {self.scenario or '-'} {where}", *(one.line for one in self.places)]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of those who played the game, seat by seat."""
        return tuple(one.key for one in self.places)


@dataclass(frozen=True, slots=True, order=True)
class KeyLink:
    """The entry of a ledger by which the holder of one key has named another key as their own."""

    old: str
    new: str
    ledger: str
    entry: str

    @property
    def line(self) -> str:
        """The line of the file of ratings for this key link."""
        return f"link {self.old} {self.new} {self.ledger} {self.entry}"


@dataclass(frozen=True, slots=True)
class Record:
    """The facts of any number of ledgers, from which ratings are computed."""

    judges: frozenset[str] = frozenset()
    names: frozenset[tuple[str, str]] = frozenset()
    """Pairs of a key and a name that the key's holder has had."""
    links: frozenset[KeyLink] = frozenset()
    games: frozenset[RatedGame] = frozenset()

    @property
    def lines(self) -> list[str]:
        """The lines of the file of ratings for these facts."""
        return [
            FIRST,
            *(f"judge {judge}" for judge in sorted(self.judges)),
            *(f"name {key} {name}" for key, name in sorted(self.names)),
            *(link.line for link in sorted(self.links)),
            *(line for game in sorted(self.games) for line in game.lines),
        ]


def joined(records: Iterable[Record]) -> Record:
    """Return the facts of several records joined in one."""
    parts = tuple(records)
    return Record(
        judges=frozenset().union(*(one.judges for one in parts)),
        names=frozenset().union(*(one.names for one in parts)),
        links=frozenset().union(*(one.links for one in parts)),
        games=frozenset().union(*(one.games for one in parts)),
    )


def parse_ratings(data: bytes) -> tuple[Record, tuple[str, ...]]:
    """Return the facts in a file of ratings, and its lines with ratings; none of them is checked.

    Raises:
        ConfigError: the file is not written as its format demands.
    """
    if len(data) > MAX_RATINGS_SIZE:
        raise ConfigError(f"a file of ratings has at most {MAX_RATINGS_SIZE:,} bytes, and this one has more")
    lines = split_lines(data.decode("utf-8", errors="replace"))
    if not lines or lines[0] != FIRST:
        raise ConfigError(f"a file of ratings begins with the line {FIRST!r}, and this one does not")
    own = [line for line in lines[1:] if not line.startswith("rating ")]
    record = joined(_read_parts(own))
    ratings = tuple(line for line in lines if line.startswith("rating "))
    if "".join(f"{line}\n" for line in (*record.lines, *ratings)).encode() != data:
        raise ConfigError("the file of ratings is not written as its format demands")
    return record, ratings


def _read_parts(lines: Iterable[str]) -> Iterator[Record]:
    """Yield a record for each line of a file of ratings, or for each game with its seats."""
    game: list[str] = []
    for line in (*lines, ""):
        if line.startswith("seat ") and game:
            game.append(line)
            continue
        if game:
            yield Record(games=frozenset({_read_game(*game)}))
        game = [line] if line.startswith("game ") else []
        if line and not game:
            yield _read_line(line)


def _read_line(line: str) -> Record:
    match line.split(" "):
        case ["judge", judge] if is_fingerprint(judge):
            return Record(judges=frozenset({judge}))
        case ["name", key, name] if is_fingerprint(key) and _is_name(name):
            return Record(names=frozenset({(key, name)}))
        case ["link", old, new, *where] if is_fingerprint(old) and is_fingerprint(new):
            match where:
                case [ledger, entry] if _are_hashes(where):
                    return Record(links=frozenset({KeyLink(old, new, ledger, entry)}))
    raise _odd(line)


def _read_game(line: str, *seats: str) -> RatedGame:
    match line.split(" "):
        case ["game", title, scenario, at, first, ledger, entry, ending] if len(seats) > 1:
            if not _are_hashes((first, ledger, entry)):
                raise _odd(line)
            try:
                return RatedGame(
                    at=utc_text(parse_utc(at)),
                    first=first,
                    ledger=ledger,
                    entry=entry,
                    title=check_token(title, "title"),
                    scenario="" if scenario == "-" else check_token(scenario, "scenario"),
                    ending=Ending(ending),
                    places=tuple(sorted(map(_read_place, seats))),
                )
            except (PbemError, ValueError):
                raise _odd(line) from None
    raise _odd(line)


def _read_place(line: str) -> Place:
    match line.split(" "):
        case ["seat", side, key, place, *gone] if is_fingerprint(key) and is_number(place):
            if gone in ([], ["gone"]):
                return Place("" if side == "-" else check_token(side, "side"), key, int(place), bool(gone))
    raise _odd(line)


def _are_hashes(words: Iterable[str]) -> bool:
    return all(map(is_hash, words))


def _is_name(name: str) -> bool:
    try:
        return check_player_name(name) == name
    except PbemError:
        return False


def _odd(line: str) -> ConfigError:
    return ConfigError(f"{quote(line, 120)} cannot be a line of a file of ratings")


def identities(keys: Iterable[str], links: Iterable[KeyLink]) -> Mapping[str, str]:
    """Return each key's identity: the smallest of the keys that are linked with it."""
    found = {key: key for key in keys}
    for link in sorted(links):
        one, other = (found.setdefault(key, key) for key in (link.old, link.new))
        least = min(one, other)
        found |= {key: least for key, now in found.items() if now in (one, other)}
    return found


def relevant(record: Record) -> Record:
    """Return a record without names and links that belong to no player of its games."""
    keys = {key for game in record.games for key in game.keys}
    known = identities(keys, record.links)
    rated = {known[key] for key in keys}
    return replace(
        record,
        names=frozenset((key, name) for key, name in record.names if key in keys),
        links=frozenset(link for link in record.links if known[link.old] in rated),
    )


def compute_ratings(record: Record) -> tuple[Rating, ...]:
    """Return all ratings computed from a record: by title, over all sides first, the best first.

    A rating's `player` is an identity.
    """
    games = sorted(record.games)
    known = identities((key for game in games for key in game.keys), record.links)
    results = (_result(number, game, known) for number, game in enumerate(games, 1))
    return ratings([one for one in results if len({seat.player for seat in one.seats}) == len(one.seats)])


def _result(number: int, game: RatedGame, known: Mapping[str, str]) -> Result:
    """Return a game in the form of a league's rated games; the month counts as its round."""
    return Result(
        round=12 * int(game.at[:4]) + int(game.at[5:7]),
        pairing=number,
        game=game.title,
        scenario=game.scenario,
        seats=tuple(Seat(player=known[one.key], side=one.side) for one in game.places),
        places=tuple(one.place for one in game.places),
        gone=tuple(known[one.key] for one in game.places if one.is_gone),
        ending=game.ending,
        day=game.at[:10],
    )


def rating_lines(found: Iterable[Rating]) -> tuple[str, ...]:
    """Return the lines of a file of ratings that contain the ratings themselves."""
    words = {True: "yes", False: "no"}
    return tuple(
        f"rating {one.game} {one.side or '-'} {one.player} {one.value} {one.deviation} {one.volatility} "
        f"{one.games} {words[one.provisional]} {words[one.from_tables]}"
        for one in found
    )


def ratings_file(record: Record) -> bytes:
    """Return the text of the file of ratings: the facts of a record, and the ratings computed from them."""
    lines = (*record.lines, *rating_lines(compute_ratings(record)))
    return "".join(f"{line}\n" for line in lines).encode()


def facts_of_game(
    history: History, entries: Sequence[Entry | None], leaves: Sequence[str], first: str
) -> Record:
    """Return a finished game's facts for ratings, from its ledger. `first`: the head of the first entry."""
    if not history.over:
        return Record()
    genesis, seats = history.genesis, history.seats
    signed, links = set[str](), list[KeyLink]()
    people = {one.name: one.name for one in genesis.players}
    for entry, leaf in zip(entries, leaves, strict=True):
        if isinstance(entry, Received):
            signed.add(entry.player)
        elif isinstance(entry, Rotation) and entry.player != GM:
            name = entry.player
            if entry.person not in ("", people[name]):
                people[name] = entry.person
                signed.discard(name)
            elif name in signed and not entry.by_others and entry.fingerprint != entry.old:
                links.append(KeyLink(entry.old, entry.fingerprint, first, leaf))
    keys = {
        one.name: newest.fingerprint if (newest := seats.newest(one.name)) else one.fingerprint
        for one in genesis.players
    }
    if not genesis.rated or genesis.drawn is not None or signed != keys.keys():
        return Record(links=frozenset(links))
    dated = (getattr(entry, "at", None) for entry in reversed(entries))
    at = next(one for one in dated if one is not None)
    setting, last = setting_of(history.corrected), entries[-1]
    assert last is not None, "everybody may read that a game is over"
    places = dict(game_places(last, setting.seats))
    options = dict(history.corrected.options)
    game = RatedGame(
        at=utc_text(at),
        first=first,
        ledger=first,
        entry=leaves[-1],
        title=options[GAME_OPTION],
        scenario=options.get("scenario", ""),
        ending=Ending.FORFEITED if is_forfeit(history.ended_by) else Ending.PLAYED,
        places=tuple(sorted(Place(one.side, keys[one.name], places[one.name]) for one in genesis.players)),
    )
    names = frozenset((keys[name], person) for name, person in people.items())
    return Record(frozenset({genesis.gm}), names, frozenset(links), frozenset({game}))


def facts_of_league(season: Season, entries: Sequence[Entry], leaves: Sequence[str]) -> Record:
    """Return the facts for ratings in a league's ledger: its valid results, and its players' new keys."""
    first = season.genesis_head
    links = frozenset(_links_of_league(season, entries, leaves))
    last_of = {about: number for number, about in sorted(season.results_at.items())}
    games, names = set[RatedGame](), set[tuple[str, str]]()
    for result in rated_players(season):
        state = season.rounds[result.round - 1]
        outcome, opened = state.outcome(result.pairing), state.opened_games.get(result.pairing)
        if outcome is None or opened is None:
            continue
        keys = {seat.player: parse_public(season.key_of(seat.player)).fingerprint for seat in result.seats}
        chosen = season.file.game_options(result.round, len(result.seats))
        chosen |= {name: option_value(value) for name, value in opened.options}
        names.update((key, name) for name, key in keys.items())
        games.add(
            RatedGame(
                at=utc_text(outcome.at),
                first=opened.head,
                ledger=first,
                entry=leaves[last_of[result.round, result.pairing] - 1],
                title=result.game,
                scenario=_scenario(result.game, chosen),
                ending=result.ending,
                places=tuple(
                    sorted(
                        Place(seat.side, keys[seat.player], place, seat.player in result.gone)
                        for seat, place in zip(result.seats, result.places, strict=True)
                    )
                ),
            )
        )
    judges = frozenset({season.genesis.gm}) if games else frozenset[str]()
    return Record(judges, frozenset(names), links, frozenset(games))


def _scenario(title: str, chosen: Mapping[str, Any]) -> str:
    """Return the name of the scenario that a game with these options begins from, as its genesis has it."""
    options = genesis_options(title, load(title).checked(chosen))
    return dict(options).get("scenario", "")


def _links_of_league(season: Season, entries: Sequence[Entry], leaves: Sequence[str]) -> Iterator[KeyLink]:
    for entry, leaf in zip(entries, leaves, strict=True):
        if not isinstance(entry, Said):
            continue
        said = entry.statement(season.genesis.game)
        if said.say == NEW_KEY and said.by and said.key is not None:
            yield KeyLink(said.old, said.key.fingerprint, season.genesis_head, leaf)
