"""The whole audit of a game's bundle, claim by claim; and the bundle read as a record for explanations.

A bundle is for the public, for one side, or of everything. It is the least of these that may hold what it
holds; then it must hold all that the judge's program puts into it. Both follow from the ledger, not from a
label.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pbem.audit.bundle import OF_LEAGUES, Files, read_bundle
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
from pbem.audit.findings import Findings, Missing, State, Unprovable
from pbem.audit.orders import check_orders, whose_orders
from pbem.audit.papers import BundleFacts, check_held
from pbem.audit.replay import ALIKE, PUBLIC, Progress, check_acts, check_replay, check_reports
from pbem.disputes.record import ALL, Record
from pbem.errors import AuditFault
from pbem.letter_checks import find_contradiction
from pbem.play.history import Exchange
from pbem.trust.chance import DRAW_CHAIN, Reveal
from pbem.trust.entries import Drawn, Reported
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


def audience_of(found: Evidence) -> str:
    """Return the least audience that may have this bundle: a side, "public" or "all"."""
    sides = {player.name: player.side for player in found.genesis.players}
    audiences = {entry.owner for entry in found.entries if isinstance(entry, Drawn)}
    audiences |= {entry.audience for entry in found.entries if isinstance(entry, Reported)}
    for name in found.files.known_files:
        if name == "keys/roots" or name.endswith(".secret.txt"):
            return ALL
        if match := re.fullmatch(r"keys/exchange-[0-9]+\.([a-z0-9._-]+)\.agekey", name):
            audiences.add(sides.get(match[1], ALL))
        elif match := re.fullmatch(r"reports/([a-z0-9._-]+)/[0-9]+\.txt", name):
            audiences.add(match[1])
    audiences -= {PUBLIC}
    return ALL if len(audiences) > 1 else next(iter(audiences), PUBLIC)


def check_contents(found: Evidence) -> str:
    """Check that a bundle holds all that one of its kind must hold; return the audience that it is for."""
    audience = audience_of(found)
    with found.findings.claim(f"{bundle_name(found, audience)} holds everything that it must hold"):
        if lacking := list(_lacking(found, audience)):
            raise Missing(*lacking)
    if found.derived:
        first, more = found.derived[0], len(set(found.derived)) - 1
        with found.findings.claim(
            f"what the bundle lacks follows from what it holds: {first}{f', and {more} more' if more else ''}"
        ):
            pass
    return audience


def _lacking(found: Evidence, audience: str) -> Iterator[str]:
    """Yield sentences about what is missing from a bundle for this audience."""
    there = {*found.files.known_files, *found.derived}
    for name in _due(found, audience):
        if name not in there:
            yield f"{name} is missing"
    for exchange in found.history.exchanges:
        audiences = {entry.audience for entry in exchange.reported}
        if audience not in (ALL, PUBLIC, *audiences) and exchange.resolved and _is_told(found, exchange):
            yield f"the entry of the report to {audience} on exchange {exchange.number} is missing"


def _due(found: Evidence, audience: str) -> Iterator[str]:
    """Yield the names of files that a bundle for this audience must hold, besides those that all hold."""
    over = found.history.over
    sides = {player.name: player.side for player in found.genesis.players}
    for exchange in found.history.exchanges:
        for player in exchange.seals if exchange.resolved or over else ():
            if audience in (ALL, sides[player]):
                yield f"keys/exchange-{exchange.number}.{player}.agekey"
    if audience == ALL:
        yield from (f"log/{number:04d}.entry" for number in range(1, len(found.entries) + 1))
        for exchange in found.history.exchanges:
            if exchange.resolved and not exchange.opened.again:
                yield f"mix/{exchange.number}.secret.txt"
    if audience == ALL and over:
        yield "keys/roots"


def _is_told(found: Evidence, exchange: Exchange) -> bool:
    """Tell whether an exchange must have its reports: a later exchange was opened, or the game is over."""
    return found.history.over or exchange is not found.history.exchanges[-1]


def bundle_name(found: Evidence, audience: str) -> str:
    """Return a phrase that names a bundle for a given audience."""
    what = {ALL: "the bundle of everything", PUBLIC: "the public's bundle"}.get(
        audience, f"{audience}'s bundle"
    )
    return f"{what} of a game that {'is over' if found.history.over else 'goes on'}"


def content_line(found: Evidence | None, findings: Findings, audience: str, alike: str, *, held: bool) -> str:
    """Return the last line of an audit: one sentence that says what was shown, and what was not.

    `alike`: the claim that the game comes out the same when it is played again.
    """
    if findings.is_refuted or found is None:
        state = State.REFUTED if findings.is_refuted else State.MISSING
        what = "is not what an honest judge writes" if findings.is_refuted else "lacks what it must hold"
        first = next((row for row in findings.rows if row.state == state), None)
        why = f" ({first.claim})" if first else ""
        who = "it does not show whether the judge or somebody else did it"
        return f"this shows that this copy {what}{why}; {who}"
    left = []
    bundle = bundle_name(found, audience)
    missing = sum(row.state == State.MISSING for row in findings.rows)
    is_alike = any(row.claim == alike and row.state == State.PROVEN for row in findings.rows)
    if missing:
        left.append(f"the claims that need the missing files ({missing})")
    if findings.other_rules:
        left.append("that the game's own rules give the same, because this release has others")
    elif not is_alike:
        left.append("that orders were followed, which only a whole bundle of everything shows")
    if any(row.state == State.OPEN and row.claim.startswith("the genesis") for row in findings.rows):
        left.append("that it is the game that the players joined (--genesis)")
    if not held:
        left.append("that players were shown the same (--held)")
    if not found.history.over:
        left.append("what has happened since")
    whose = "this release's" if findings.other_rules else "its"
    again = f" and that by {whose} rules it is the same when it is played again" if is_alike else ""
    rest = f"it does not show {', '.join(left)}" if left else "a bundle cannot show more"
    return (
        f"this shows that the entries, signatures, chains and dice of {bundle} fit each other{again}; {rest}"
    )


_REPORT = re.compile(r"reports/([a-z0-9._-]+)/([0-9]+)\.txt")


def read_record(bundle: Path) -> Record:
    """Return the record of a game, for explaining it, as far as the bundle at a path opens the game.

    Raises:
        AuditFault: the bundle is refuted or incomplete, so that nothing in it is worth explaining.
    """
    return record_in(read_bundle(bundle))


def record_in(files: Files) -> Record:
    """Return the record of a game, for explaining it, as far as the files of a bundle open the game.

    Raises:
        AuditFault: the bundle is refuted or incomplete, so that nothing in it is worth explaining.
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
