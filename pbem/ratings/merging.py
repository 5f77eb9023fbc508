"""Computes ratings from bundles, and shows which statements of clubs' files the bundles do not prove.

A club's folder holds its ratings.txt, and beside it the bundles of games and leagues that the file names.
Every bundle is audited. A game outside leagues counts if its bundle holds as a whole; a league's game if the
league's bundle holds, and the game's own is there and holds. Of a game that the league has adjudicated, the
own bundle may leave open what is open while a game goes on. The merged file has what was checked and nothing
else; what a club's file says beyond that is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pbem.audit.bundle import GENESIS, LEAGUE_FIRST, Files, read_bundle
from pbem.audit.evidence import read_leaves, read_record
from pbem.audit.findings import Finding, Findings, Missing, Refuted, State
from pbem.audit.game import audit_files
from pbem.audit.leagues import audit_league, gaps
from pbem.errors import MISSING_STATUS, REFUTED_STATUS, ConfigError, PbemError
from pbem.leagues.entries import Opened
from pbem.leagues.model import Ending
from pbem.leagues.season import Season
from pbem.play.history import History
from pbem.ratings.record import (
    MAX_RATINGS_SIZE,
    RATINGS,
    KeyLink,
    RatedGame,
    Record,
    compute_ratings,
    facts_of_game,
    facts_of_league,
    joined,
    parse_ratings,
    rating_lines,
    relevant,
)
from pbem.trust import ledger
from pbem.trust.entries import Genesis
from pbem.trust.ledger import parse_entry

OTHERWISE = "the bundle of its ledger says otherwise"
LEFT_OUT = "a bundle has this result, and no file; a file may be older than the bundle"


class Claim(NamedTuple):
    """A statement of a club's file about one game or key link, with the reason why it is not proven."""

    about: str
    why: str

    def __str__(self) -> str:
        return f"{self.about}: {self.why}"


def _about(one: RatedGame | KeyLink) -> str:
    """Return the words that name a game or key link."""
    if isinstance(one, KeyLink):
        return f"the new key {one.new} of {one.old}, ledger {one.ledger}"
    return f"{one.title}, {one.at[:10]}, first head {one.first}"


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of merging the ratings of several clubs."""

    record: Record
    """The facts that the bundles prove."""
    unchecked: tuple[Claim, ...]
    """The games and key links of the clubs' files that could not be checked and so do not count."""
    refuted: tuple[str, ...]
    """The statements of the clubs' files that a bundle contradicts, each with the reason."""

    @property
    def status(self) -> int:
        """The exit status: that of an audit whose worst finding is the same."""
        return REFUTED_STATUS if self.refuted else MISSING_STATUS if self.unchecked else 0


@dataclass(slots=True)
class _Checked:
    """The facts in all bundles, and the reasons why some bundles are not valid."""

    facts: list[Record] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    """The reason why the bundle of a ledger is not valid as a whole; "" if it is valid."""
    refuted: set[str] = field(default_factory=set)
    """The first heads of the ledgers whose bundles are refuted, or lack what they must hold."""

    open: dict[str, str] = field(default_factory=dict)
    """The reasons why no bundle shows that a game was opened by its league, by the game's first head."""

    def why_not(self, one: RatedGame | KeyLink) -> str:
        """Return the reason why a game or link cannot be checked; "" if valid bundles of it are there."""
        why = self.faults.get(one.ledger, "the bundle of its ledger is not there")
        if why or isinstance(one, KeyLink) or one.first == one.ledger:
            return why
        if one.first not in self.faults:
            return "its league's bundle is there, and its own is not"
        if one.first in self.open:
            return self.open[one.first]
        decided = one.ending is Ending.ADJUDICATED and one.first not in self.refuted
        return "" if decided else self.faults[one.first]


def merge_clubs(folders: Iterable[Path]) -> Merged:
    """Compute ratings from the bundles in clubs' folders, and compare the clubs' own files with them.

    Raises:
        ConfigError: a folder has no file of ratings, or that file is not written as its format demands.
    """
    given = sorted(set(folders))
    claims = [(folder, *_read_claims(folder)) for folder in given]
    checked = _check_bundles(_find_bundles(given))
    found = joined(checked.facts)
    able = frozenset(game for game in found.games if not checked.why_not(game))
    unchecked, refuted = set[Claim](), list[str]()
    for folder, record, lines in claims:
        if lines != rating_lines(compute_ratings(record)):
            refuted.append(f"{folder}: its ratings are not those that follow from its games")
        beyond: list[RatedGame | KeyLink] = [*(record.games - able), *(record.links - found.links)]
        for one in beyond:
            if why := checked.why_not(one):
                unchecked.add(Claim(_about(one), why))
            else:
                refuted.append(f"{folder}: {Claim(_about(one), OTHERWISE)}")
        keys = {key for game in able & record.games for key in game.keys}
        refuted += (
            f"{folder}: {key} is called {name}, and no ledger calls it so"
            for key, name in sorted(record.names - found.names)
            if key in keys
        )
    told = joined(record for _, record, _ in claims)
    named = {game.first for game in told.games}
    refuted += (str(Claim(_about(game), LEFT_OUT)) for game in sorted(able) if game.first not in named)
    merged = replace(found, games=able, names=found.names & told.names)
    return Merged(relevant(merged), tuple(sorted(unchecked)), tuple(sorted(set(refuted))))


def _read_claims(folder: Path) -> tuple[Record, tuple[str, ...]]:
    path = folder / RATINGS
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_RATINGS_SIZE + 1)
    except OSError as problem:
        why = f"{path} cannot be read: {problem.strerror}; 'pbem ratings export' writes it"
        raise ConfigError(why) from None
    try:
        return parse_ratings(data)
    except ConfigError as fault:
        raise ConfigError(f"{path}: {fault}") from None


class _Bundles(Mapping[str, Files]):
    """The bundles of some games by the games' names; each bundle is read when it is needed."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> Files:
        return read_bundle(self._paths[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class _Found(NamedTuple):
    """A bundle in a club's folder; if several are of one ledger, the longest counts, whatever its name."""

    entries: int
    """Number of entries of the bundle's ledger."""
    files: int
    head: str
    """The last head of the bundle's ledger."""
    path: Path


def _find_bundles(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the bundles that lie directly in these folders, by the first heads of their ledgers."""
    found = dict[str, _Found]()
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if not path.is_dir() and not path.name.endswith(".tar.gz"):
                continue
            files = read_bundle(path)
            if heads := _heads(files):
                one = _Found(len(heads), len(files.known_files), heads[-1], path)
                found[heads[0]] = max(one, found.get(heads[0], one))
    return {first: one.path for first, one in sorted(found.items())}


def _heads(files: Files) -> list[str]:
    """Return the heads of a bundle's ledger, or none if they cannot be read."""
    words = (files.get(GENESIS) or b"").decode("utf-8", errors="replace").split("\n")[0].split(" ")
    try:
        return ledger.fold(words[1], read_leaves(files)) if len(words) == 2 and words[1].isascii() else []
    except (Refuted, Missing):
        return []


def _check_bundles(paths: Mapping[str, Path]) -> _Checked:
    """Audit every bundle, and return the facts for ratings in those that are not refuted."""
    checked = _Checked()
    for first, path in paths.items():
        files = read_bundle(path)
        is_league = (files.get(GENESIS) or b"").startswith(LEAGUE_FIRST)
        try:
            _check_league(checked, first, files, paths) if is_league else _check_game(checked, first, files)
        except PbemError as fault:
            checked.faults[first] = str(fault)
            checked.refuted.add(first)
    return checked


def _check_game(checked: _Checked, first: str, files: Files) -> None:
    found = audit_files(files, first)
    checked.faults[first] = next((f"{row.claim}: {row.detail}" for row in _faults(found) or gaps(found)), "")
    if _faults(found):
        checked.refuted.add(first)
    if checked.faults[first]:
        return
    leaves = read_leaves(files)
    entries = [
        parse_entry(files.known_files[f"log/{number:04d}.entry"]) for number in range(1, len(leaves) + 1)
    ]
    genesis = entries[0]
    assert isinstance(genesis, Genesis), "it was audited"
    history = History(genesis)
    for entry in entries[1:]:
        history.add(entry)
    checked.facts.append(facts_of_game(history, entries, leaves, first))


def _check_league(checked: _Checked, first: str, files: Files, paths: Mapping[str, Path]) -> None:
    record = read_record(files, Findings())
    opened = [entry for entry in record.entries if isinstance(entry, Opened)] if record else []
    games = _Bundles({entry.game: paths[entry.head] for entry in opened if entry.head in paths})
    found = audit_league(files, first, games=games)
    other = "another release has run this league, or a game of it" if found.other_rules else ""
    checked.faults[first] = next((f"{row.claim}: {row.detail}" for row in _faults(found)), other)
    if _faults(found):
        checked.refuted.add(first)
    if checked.faults[first] or record is None:
        return
    for one in opened:
        about = f"{one.game} is the game that was opened"
        for row in found.rows:
            if row.state is State.OPEN and row.claim.startswith(about):
                checked.open[one.head] = row.detail
    season = Season(record.genesis, record.file, first, record.carried)
    for entry in record.entries[1:]:
        season.add(entry)
    checked.facts.append(facts_of_league(season, record.entries, read_leaves(files)))


def _faults(found: Findings) -> list[Finding]:
    """Return the findings of an audit that refute a bundle, or say that it lacks what it must hold."""
    return [row for row in found.rows if row.state in (State.REFUTED, State.MISSING)]
