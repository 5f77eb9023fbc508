"""The ledger of one league as the judge opens, loads and continues it, as pbem.judge.book does for a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pbem.characters import nearest
from pbem.errors import ConfigError, LedgerError
from pbem.judge.book import LedgerBook, check_restored, check_rows, next_row, note_begun
from pbem.judge.club import Club
from pbem.judge.tables.database import CheckpointRow, EntryRow
from pbem.leagues import release_hash
from pbem.leagues.calls import Call, Reply, prove_call
from pbem.leagues.config import LeagueFile, read_file
from pbem.leagues.earlier_results import NOTHING, Carried, parse_carried
from pbem.leagues.entries import LeagueGenesis, parse_league_entry
from pbem.leagues.season import Season
from pbem.trust import keys, ledger
from pbem.trust.chance import OPEN_CHAIN, Reveal, Roots, commitment, make_chain
from pbem.trust.entries import Entry, NewRules, Open
from pbem.trust.proof import UniqueItems
from pbem.trust.sealing import SealKey, seal_key
from pbem.trust.times import utc_text


@dataclass(slots=True)
class LeagueBook(LedgerBook):
    """A league's checked ledger and its season; every appended entry goes to the store at once."""

    club: Club = field(repr=False)
    file: LeagueFile
    roots: Roots = field(repr=False)
    season: Season = field(repr=False)
    rows: list[EntryRow] = field(repr=False)
    entries: list[Entry] = field(repr=False)
    replies: dict[int, dict[str, Reply]] = field(default_factory=dict, repr=False)
    """The players' answers by resolved call and player, as far as a step of the judge has read them."""
    unique_items: UniqueItems = field(default_factory=UniqueItems, repr=False)

    @property
    def name(self) -> str:
        """The name of the league's ledger."""
        return self.file.ledger

    def checkpoints(self) -> Iterable[CheckpointRow]:
        """Return the heads of the ledger that the judge has signed."""
        return self.club.store.league_checkpoints(self.name)

    def is_at(self, size: int, head: str) -> bool:
        """Tell whether this copy of a league's ledger is whole and has the given size and head."""
        return self.season.is_whole and self.size == self.season.size == size and self.head == head

    def append(self, entry: Entry) -> None:
        """Add an entry to the league's ledger, dated by `time`; enter a change of release before it."""
        if self.season.rules != release_hash() and not isinstance(entry, NewRules):
            self.append(NewRules(rules=release_hash()))
        entry = self._with_time(entry)
        parse_league_entry(entry.text)  # what cannot be read again would stop the league for ever
        prove_call(self.season.call_log, self.read_unique_items(entry), entry)
        self.season.add(entry)
        self._keep(entry)

    def _keep(self, entry: Entry) -> None:
        self._add(entry, self.club.store, self.name, self.club.store.add_league_entry)

    def sign(self) -> CheckpointRow:
        """Sign the present head of the league's ledger and return the checkpoint.

        Raises:
            LedgerError: the judge has another key than the one that the league was opened with.
        """
        check_restored(self.club.store, self.name)
        if self.club.key.public.fingerprint != self.season.genesis.gm:
            raise LedgerError(
                f"{self.name} was opened with the judge's key {self.season.genesis.gm}, and a league goes on "
                "with that one alone"
            )
        checkpoint = ledger.Checkpoint(game=self.name, size=self.size, head=self.head)
        signature = ledger.sign_statement(checkpoint, self.club.key)
        row = CheckpointRow(self.size, self.head, signature)
        self.club.store.add_league_checkpoint(self.name, row)
        return row

    def seal(self, call: int, player: str) -> SealKey:
        """Return the key that a player's files of a call are sealed to."""
        return seal_key(self.roots.seal, self.name, call, player)

    def step(self, call: Call) -> Reveal:
        """Return the step of the judge's own hash chain that belongs to a call."""
        chain = make_chain(self.name, OPEN_CHAIN, self.roots.chain)
        return Reveal(OPEN_CHAIN, call.number, chain.reveal(call.number))

    def seals(self, entry: Open) -> Mapping[str, str]:
        """Return, by player, the recipients to which files for a call are sealed."""
        return dict(entry.seals)


def begin_league(club: Club, data: bytes, carried: Carried = NOTHING) -> LeagueBook:
    """Open a league: its file is the ledger's first entry, signed. `carried` is what it takes over.

    Raises:
        ConfigError: the file has mistakes, there is such a league, or a panel's member is not enrolled.
    """
    file = read_file(data)
    if club.store.league(file.ledger) is not None:
        raise ConfigError(f"there is a league called {file.name} already")
    if file.until <= club.clock():
        raise ConfigError(f"entries would be closed already: entries.until is {utc_text(file.until)}")
    if file.last and not carried.people:
        names = ", ".join(one.name for one in file.last)
        raise ConfigError(f"it takes over from {names}: name their bundles, each with --last FOLDER")
    people = []
    for name in dict.fromkeys((*file.officials, *file.panel)):
        known = club.store.player(name)
        if known is not None:
            people.append((name, keys.parse_public(known.key).fingerprint))
        elif name in file.panel:
            raise ConfigError(
                f"{name} is of the panel, which signs its votes, and is not enrolled: "
                f"pbem club player add {name} KEY"
            )
    roots = club.roots(file.ledger)
    genesis = LeagueGenesis(
        game=file.ledger,
        file=file.sha256,
        gm=club.key.public.fingerprint,
        rules=release_hash(),
        anchor=make_chain(file.ledger, OPEN_CHAIN, roots.chain).anchor,
        salt_commitment=commitment(file.ledger, "salt-root", roots.salt),
        seal_commitment=commitment(file.ledger, "seal-root", roots.seal),
        people=tuple(people),
        carried=carried.sha256,
        at=club.clock(),
    )
    head = next_row(roots, file.ledger, [], genesis).head
    with club.store.step():
        club.store.add_league(file.ledger, data)
        note_begun(club.store, file.ledger)
        if carried.people:
            club.store.add_sealed(carried.sha256, carried.text)
        book = LeagueBook(club, file, roots, Season(genesis, file, head, carried), [], [])
        book._keep(genesis)
        book.sign()
    return book


def ledger_of(club: Club, name: str) -> LedgerBook:
    """Return a ledger of the club, a league's or a game's."""
    return load_league(club, name) if name.startswith("league.") else club.book(name)


def load_league(club: Club, name: str) -> LeagueBook:
    """Load a league's ledger: from memory if it has no new entry, else from the database, every row checked.

    `name`: the name of the league, or of its ledger.

    Raises:
        ConfigError: there is no such league.
        LedgerError: a row is not as it was written.
    """
    ledger_name = name if name.startswith("league.") else f"league.{name}"
    kept = club.leagues.get(ledger_name)
    if isinstance(kept, LeagueBook) and kept.is_at(*club.store.league_end(ledger_name)):
        return kept
    row = club.store.league(ledger_name)
    if row is None:
        known = [one.name.removeprefix("league.") for one in club.store.leagues()]
        near = nearest(name, known, 1, 0.6)
        told = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(known) or 'none yet'}"
        raise ConfigError(f"this club has no league called {name.removeprefix('league.')}{told}")
    file, roots = read_file(row.file), club.roots(ledger_name)
    rows = club.store.league_entries(ledger_name)
    check_rows(ledger_name, rows, club.store.league_checkpoints(ledger_name), roots)
    entries = [parse_league_entry(one.text) for one in rows]
    genesis = entries[0]
    if not isinstance(genesis, LeagueGenesis):
        raise LedgerError(f"the ledger of {name} does not begin as a league's does")
    carried = (
        parse_carried(club.store.named_file(genesis.carried), file.rules) if genesis.carried else NOTHING
    )
    season = Season(genesis, file, rows[0].head, carried)
    for entry in entries[1:]:
        season.add(entry)
    book = LeagueBook(club, file, roots, season, rows, entries)
    club.leagues.put(ledger_name, book)
    return book


@dataclass(frozen=True, slots=True)
class Done:
    """One act of the judge in a league, or the reason why the league is stopped."""

    league: str
    text: str
    is_stopped: bool = False
