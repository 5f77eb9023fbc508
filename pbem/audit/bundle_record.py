"""Reads a bundle as a record, after the checks of its hashes and signatures."""

from __future__ import annotations

import re
from pathlib import Path

from pbem.audit.bundle import Files, read_bundle
from pbem.audit.evidence import Unreadable, check_checkpoints, check_keys, read_log
from pbem.audit.fairness import check_dice, check_reveals, check_secrets
from pbem.audit.findings import Findings, State
from pbem.audit.orders import check_orders
from pbem.audit.replay import check_reports
from pbem.disputes.record import ALL, Record
from pbem.errors import AuditFault
from pbem.trust.chains import DRAW_CHAIN, Reveal

_REPORT = re.compile(r"reports/([a-z0-9._-]+)/([0-9]+)\.txt")


def read_record(bundle: Path) -> Record:
    """Return the record of what a bundle opens of its game.

    Raises:
        AuditFault: the bundle is refuted; nothing in it is worth explaining.
    """
    return record_in(read_bundle(bundle))


def record_in(files: Files) -> Record:
    """Return the record of what the files of a bundle open of its game.

    Raises:
        AuditFault: the bundle is refuted; nothing in it is worth explaining.
    """
    findings = Findings()
    try:
        found = read_log(files, findings)
        check_keys(found)
        if not findings.is_refuted:
            check_checkpoints(found)
            check_orders(found)
            check_reveals(found)
            check_dice(found)
            check_reports(found)
            mixes = check_secrets(found)
    except Unreadable:
        pass
    if wrong := [row for row in findings.rows if row.state in (State.REFUTED, State.MISSING)]:
        first = min(wrong, key=lambda row: row.state != State.REFUTED)
        what = "refuted" if findings.is_refuted else "incomplete"
        raise AuditFault(
            f"the bundle is {what}, so nothing in it is explained: {first.claim}: {first.detail}"
        )

    reports = {
        (int(match[2]), match[1]): data.decode("utf-8", errors="replace")
        for name, data in found.files.known_files.items()
        if (match := _REPORT.fullmatch(name))
    }
    record = Record(
        genesis=found.history.corrected,
        history=found.history,
        reader=ALL,
        files=found.opened,
        late={place: late.reveal for place, late in found.late.items()},
        secrets={number: Reveal(DRAW_CHAIN, number, mix.gm) for number, mix in mixes.items()},
        reports=reports,
    )
    if record.complete:
        return record
    sides = [player.side for player in found.genesis.players if any(one == player.side for _, one in reports)]
    return Record(
        genesis=found.history.corrected,
        history=found.history,
        reader=sides[0] if sides else "public",
        files=found.opened,
        reports=reports,
    )
