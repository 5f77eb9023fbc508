"""The whole audit of a bundle, claim by claim."""

from __future__ import annotations

from pathlib import Path

from pbem.audit.acts import check_acts
from pbem.audit.bundle import Files, read_bundle
from pbem.audit.evidence import (
    Unreadable,
    check_checkpoints,
    check_genesis,
    check_keys,
    check_orders,
    read_log,
)
from pbem.audit.fairness import check_dice, check_reveals, check_secrets, check_shares, check_times
from pbem.audit.findings import Findings
from pbem.audit.held import check_held
from pbem.audit.replay import Progress, check_replay, check_reports


def audit(
    bundle: Path, genesis: str | None = None, held: Path | None = None, progress: Progress | None = None
) -> Findings:
    """Check a bundle; `genesis` pins its first head, `held` is a folder of what players kept.

    Raises:
        ConfigError: there is no bundle to be read.
    """
    return audit_files(read_bundle(bundle), genesis, held, progress)


def audit_files(
    files: Files, genesis: str | None = None, held: Path | None = None, progress: Progress | None = None
) -> Findings:
    """Check a bundle that has been read."""
    findings = Findings()
    try:
        found = read_log(files, findings)
        check_genesis(found, genesis)
        check_keys(found)
        if findings.refuted:
            return findings
        check_checkpoints(found)
        check_orders(found)
        check_times(found)
        check_acts(found)
        check_reveals(found)
        check_shares(found)
        check_dice(found)
        mixes = check_secrets(found)
        check_reports(found)
        check_held(found, held)
        if not findings.refuted:
            check_replay(found, mixes, progress)
    except Unreadable:
        pass
    return findings
