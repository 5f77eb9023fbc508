"""Reads the bundle of a league: its log, its file, and whatever is needed to check the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pbem.audit.bundle import Files
from pbem.audit.evidence import check_leaves, read_entries, read_leaves, read_salts
from pbem.audit.findings import Findings, Missing, Refuted
from pbem.leagues.config import LeagueFile, read_file
from pbem.leagues.earlier_results import CARRIED, NOTHING, Carried, parse_carried
from pbem.leagues.entries import LeagueGenesis, parse_league_entry
from pbem.trust import keys, ledger
from pbem.trust.entries import Entry


@dataclass(slots=True)
class Record:
    """The parts of a league's bundle that were read."""

    files: Files
    genesis: LeagueGenesis
    file: LeagueFile
    heads: list[str]
    entries: list[Entry]
    carried: Carried
    signers: dict[str, keys.PublicKey] = field(default_factory=dict)

    def checkpoints(self) -> Iterator[int]:
        """Yield the sizes of the ledger at which heads are signed."""
        for name in self.files.known_files:
            if match := re.fullmatch(r"checkpoints/([0-9]+)\.txt", name):
                yield int(match[1])

    def head_at(self, size: int) -> str | None:
        """Return the head of the ledger after `size` entries; None if the ledger is shorter."""
        return self.heads[size - 1] if 0 < size <= len(self.heads) else None


def read_record(files: Files, findings: Findings) -> Record | None:
    """Return the parts of a league's bundle; None, with a finding, if its log or file cannot be read."""
    with findings.claim("only files of a bundle are in the bundle"):
        if files.foreign:
            raise Refuted(f"{files.foreign[0]} does not belong in a bundle")
    found: list[Record] = []
    with findings.claim("every entry is there, and fits its leaf"):
        found.append(_read(files))
    return found[0] if found else None


def _read(files: Files) -> Record:
    leaves = read_leaves(files)
    check_leaves(files, leaves)
    entries = list[Entry]()
    read_salts(files, len(leaves))
    for number, entry in enumerate(read_entries(files, len(leaves), parse_league_entry), 1):
        if entry is None:
            raise Missing(f"entry {number} is missing; in a league all entries are public")
        entries.append(entry)
    genesis = entries[0] if entries else None
    if not isinstance(genesis, LeagueGenesis):
        raise Refuted("entry 1 is not the first entry of a league")
    data = files.get("league.toml")
    if data is None:
        raise Missing("league.toml is missing")
    file = read_file(data)
    if (file.sha256, file.ledger) != (genesis.file, genesis.game):
        raise Refuted("league.toml is not the file that the ledger names")
    return Record(
        files, genesis, file, ledger.fold(genesis.game, leaves), entries, _read_carried(files, genesis, file)
    )


def _read_carried(files: Files, genesis: LeagueGenesis, file: LeagueFile) -> Carried:
    """Return the results taken over from earlier seasons, as the ledger's first entry names them."""
    if not genesis.carried:
        return NOTHING
    data = files.get(CARRIED)
    if data is None:
        raise Missing(f"{CARRIED} is missing")
    found = parse_carried(data, file.rules)
    if found.sha256 != genesis.carried:
        raise Refuted(f"{CARRIED} is not the file that the ledger names")
    return found
