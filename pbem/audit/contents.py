"""Finds out for whom a bundle is and what it must contain; both follow from the ledger, not from a label.

A bundle is for the public, for one side, or of everything. It is the least of these that may hold what it
holds; then it must hold all that the judge's program puts into it, and the ledger says what that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Findings, Missing, State
from pbem.play.exchange import Exchange
from pbem.trust.entries import Drawn, Reported

ALL, PUBLIC = "all", "public"


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
    """Yield the names of files that a bundle for this audience must hold, beside those for all."""
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
    """Tell whether the reports on an exchange have been entered."""
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
