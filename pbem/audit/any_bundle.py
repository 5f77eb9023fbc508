"""The audit of any bundle, whether of a game or of a league."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbem.audit.bundle import read_bundle
from pbem.audit.findings import Findings
from pbem.audit.game import audit_files
from pbem.audit.league_games import GameBundles
from pbem.audit.leagues import audit_league, is_league
from pbem.audit.replay import Progress


def audit(
    bundle: Path,
    genesis: str | None = None,
    held: Path | None = None,
    progress: Progress | None = None,
    games: Path | None = None,
    last: Sequence[Path] = (),
) -> Findings:
    """Check a bundle; `genesis` is the first head that it must have, `held` a folder of players' papers.

    For the bundle of a league, `games` is a folder with those of its games, `last` are the bundles of earlier
    seasons whose results it takes over.

    Raises:
        ConfigError: there is no bundle to be read.
    """
    files = read_bundle(bundle)
    if is_league(files):
        return audit_league(
            files, genesis, held, GameBundles(games) if games else None, [*map(read_bundle, last)]
        )
    return audit_files(files, genesis, held, progress)
