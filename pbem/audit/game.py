"""The whole audit of a game's bundle, claim by claim."""

from __future__ import annotations

import hashlib
import re
from functools import partial
from pathlib import Path

from pbem.audit.act_claims import check_acts
from pbem.audit.bundle import OF_LEAGUES, Files
from pbem.audit.contents import check_contents, content_line
from pbem.audit.evidence import (
    Evidence,
    Unreadable,
    check_checkpoints,
    check_genesis,
    check_keys,
    read_log,
    stop_if_refuted,
)
from pbem.audit.fairness import check_dice, check_reveals, check_secrets, check_shares, check_times
from pbem.audit.findings import Findings, State, Unprovable
from pbem.audit.held_papers import BundleFacts, check_held
from pbem.audit.orders import check_orders, whose_orders
from pbem.audit.replay import ALIKE, Progress, check_replay, check_reports
from pbem.letter_checks import find_contradiction
from pbem.play.exchange import Exchange
from pbem.trust.letters import ReportLetter


def audit_files(
    files: Files,
    genesis: str | None = None,
    held: Path | None = None,
    progress: Progress | None = None,
    findings: Findings | None = None,
) -> Findings:
    """Check a game's bundle that has been read; each finding is added to `findings` when it is made."""
    findings = findings or Findings()
    leagues = [name for name in files.known_files if re.fullmatch(OF_LEAGUES, name)]
    files = Files(files.known_files, (*files.foreign, *leagues))
    found, audience = None, ""
    try:
        found = read_log(files, findings)
        check_genesis(found, genesis)
        check_keys(found)
        stop_if_refuted(findings, 1)
        check_checkpoints(found)
        check_orders(found)
        check_times(found)
        check_acts(found)
        check_reveals(found)
        check_shares(found)
        check_dice(found)
        mixes = check_secrets(found)
        audience = check_contents(found)
        whole = not findings.is_refuted
        check_reports(found)
        check_held(findings, told_by(found), held)
        if whole:  # a changed report is shown beside what the game gives
            check_replay(found, mixes, progress)
        else:
            with findings.claim(ALIKE):
                raise Unprovable("not played again, because what it needs is refuted")
    except Unreadable:
        found = None
        _say_what_is_left(files, findings)
    findings.shown = content_line(found, findings, audience, ALIKE, held=held is not None)
    return findings


def told_by(found: Evidence) -> BundleFacts:
    """Return the facts in the bundle that players' papers can contradict."""
    history, seats = found.history, found.history.seats
    current, last = history.current, len(history.exchanges)
    is_open = current is not None and current.closed is None
    sealed = set[str]()
    for one in history.exchanges:
        sealed.update(entry.sealed for entry in one.received)
        sealed.update(entry.sealed for entry in one.refused)
        sealed.update(entry.sealed for entry in one.revealed)
    return BundleFacts(
        name=found.genesis.game,
        what="the game",
        heads=found.heads,
        received=[entry for one in history.exchanges for entry in one.received],
        takes_from=None if history.over else last + (not is_open),
        judge_at=seats.judge_at,
        judges_in=seats.judges_in,
        people={signer.fingerprint for signer in found.signers.values()}
        | {rotation.fingerprint for rotation in seats.rotations},
        sealed=sealed,
        reported={
            (entry.exchange, entry.audience): entry.sha256
            for one in history.exchanges
            for entry in one.reported
        },
        whose=partial(whose_orders, found),
        lie=partial(_lie, found),
    )


def _lie(found: Evidence, letter: ReportLetter) -> str:
    """Return how an invitation or notice contradicts the ledger; "" if it does not, as far as can be seen."""

    def committed(exchange: Exchange) -> str | None:
        due = next((one.sha256 for one in exchange.reported if one.audience == letter.audience), None)
        data = found.files.get(f"reports/{letter.audience}/{exchange.number:04d}.txt") or b""
        return data.decode("utf-8") if hashlib.sha256(data).hexdigest() == due else None

    return find_contradiction(letter, found.history, found.heads, committed)


def _say_what_is_left(files: Files, findings: Findings) -> None:
    """Add a finding for each claim that was not checked because it rests on a refuted one."""
    with findings.claim(
        f"the rest of the bundle was not checked, because it needs what is "
        f"{State.REFUTED if findings.is_refuted else State.MISSING}"
    ):
        heads = sum(name.startswith("checkpoints/") and name.endswith(".txt") for name in files.known_files)
        kinds = {"order files": "sealed/", "mixes": "mix/", "reports": "reports/"}
        counts = {
            what: sum(name.startswith(start) for name in files.known_files) for what, start in kinds.items()
        }
        counted = ", ".join(f"{count} {what}" for what, count in ({"heads": heads} | counts).items())
        raise Unprovable(f"{counted}, all dice")
