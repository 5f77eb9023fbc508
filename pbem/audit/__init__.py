"""Checks the bundle of a game or league offline, with no database and no secret, and says what is proven.

bundle      reads a folder or archive from anybody, trusting nothing about it
findings    what a check can say: proven, not provable yet, refuted
evidence    log, keys, checkpoints: hashes and signatures; a league's log
orders      order files: whose they are, and whether they were rightly received or refused
fairness    reveals, mixes, dice: nobody chose a value
replay      the game played again and compared, entry by entry and report by report; the game master's acts
papers      what players kept, against what the bundle says; what a paper of press shows
restoration a game whose judge is lost, out of players' files and the judge's secrets
game        the whole audit of a game's bundle, claim by claim
leagues     the whole audit of a league's bundle; league_replay: its ledger, entry by entry
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pbem.audit.findings import Findings
    from pbem.audit.replay import Progress


def audit(
    bundle: Path,
    genesis: str | None = None,
    held: Path | None = None,
    progress: Progress | None = None,
    games: Path | None = None,
    last: Sequence[Path] = (),
) -> Findings:
    """Audit the bundle of a game or league, and return the findings.

    `genesis`: the first head that its ledger must have; `held`: a folder with papers that players kept.

    For the bundle of a league, `games` is a folder with those of its games, `last` are the bundles of earlier
    seasons whose results it takes over.

    Raises:
        ConfigError: there is no bundle to be read.
    """
    from pbem.audit.bundle import read_bundle
    from pbem.audit.game import audit_files
    from pbem.audit.leagues import GameBundles, audit_league, is_league

    files = read_bundle(bundle)
    if is_league(files):
        return audit_league(
            files, genesis, held, GameBundles(games) if games else None, [*map(read_bundle, last)]
        )
    return audit_files(files, genesis, held, progress)
