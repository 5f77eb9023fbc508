"""Checks the game master's acts: shows each with its reason, and checks the consent that it needed."""

from __future__ import annotations

import re
from dataclasses import replace

from pbem.audit.evidence import Evidence
from pbem.audit.findings import Missing, Refuted
from pbem.play.adjudicate import act_over_entry
from pbem.rules import Outcome
from pbem.trust.act_entries import AGREE_DRAW, Act, Consent, parse_consent, verify_consent
from pbem.trust.entries import Extend, NewRules
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.rotations import Rotation, RotationFile, rotation_in_words, verify_rotation
from pbem.trust.times import utc_text


def check_acts(found: Evidence) -> None:
    """Add a claim for each act of the game master; refute consents in the bundle that no act names."""
    named: set[str] = set()
    rotated: set[str] = set()
    for number, entry in enumerate(found.entries, 1):
        if isinstance(entry, Act):
            who = "".join(f", with the consent of {name}" for name, _ in entry.consents)
            claim = f"entry {number}, exchange {entry.exchange}: {entry.said}{who} ({entry.reason})"
            named |= {given.sha256 for _, given in entry.consents}
            with found.findings.claim(claim):
                _check_act(found, number, entry)
        elif isinstance(entry, Extend):
            reason = "; ".join(line.removeprefix("reason ") for line in entry.extra)
            if entry.consents:
                reason = f"agreed on by {', '.join(name for name, _ in entry.consents)}"
            named |= {given.sha256 for _, given in entry.consents}
            with found.findings.claim(
                f"entry {number}, exchange {entry.exchange}: extended to {utc_text(entry.deadline)} "
                f"({reason or 'no reason given'})"
            ):
                _check_consents(found, number, entry, entry.agreed)
        elif isinstance(entry, Rotation):
            rotated.add(entry.text_sha256)
            named |= {given.sha256 for _, given in entry.consents}
            with found.findings.claim(f"entry {number}: {rotation_in_words(entry)}"):
                _check_rotation(found, entry)
                to = entry.change(found.genesis.game, found.heads[0]).consent
                _check_consents(found, number, entry, to)
        elif isinstance(entry, NewRules):
            with found.findings.claim(f"entry {number}: the game goes on under the rules {entry.rules[:16]}"):
                pass
    if strange := sorted(_signers_named(found, "rotations") - rotated):
        with found.findings.claim("every rotation in the bundle belongs to an entry"):
            raise Refuted(f"no entry names rotations/{strange[0]}.txt")
    if strange := sorted(_signers_named(found, "consents") - named):
        with found.findings.claim("every consent in the bundle belongs to an act"):
            raise Refuted(f"no act names consents/{strange[0]}.txt")


def _signers_named(found: Evidence, folder: str) -> set[str]:
    return {
        match[1]
        for name in found.files.known_files
        if (match := re.fullmatch(rf"{folder}/([0-9a-f]+)\..+", name))
    }


def _check_rotation(found: Evidence, entry: Rotation) -> None:
    change = entry.change(found.genesis.game, found.heads[0])
    if change.sha256 != entry.text_sha256:
        raise Refuted("the text of the rotation", change.sha256, entry.text_sha256)
    name = f"rotations/{entry.text_sha256}"
    by, new = (found.files.get(f"{name}{end}") for end in (".by.sig", ".new.sig"))
    text = found.given_file(f"{name}.txt", change.text)
    if new is None or (by is None and not entry.consents):
        raise Missing(f"{name}{'.new' if new is None else '.by'}.sig is missing")
    if text != change.text:
        raise Refuted(f"the text of {name}.txt", change.text, text)
    before = found.history.seats.before(entry)
    old = before.fingerprint(entry.player, entry.starts)
    file, recovery = RotationFile(change, by or b"", new), before.recovery(entry.player)
    try:
        verify_rotation(file, old, recovery, consented=bool(entry.consents))
    except TrustFault as fault:
        raise Refuted(f"{name}: {fault}") from None


def _check_act(found: Evidence, number: int, act: Act) -> None:
    """Check an act's consents and the ending that it brings; the log has shown that no consent is missing."""
    _check_consents(found, number, act, act.said)
    alone = [player.side for player in found.genesis.players if player.name in found.history.playing]
    if act.what == AGREE_DRAW:
        check_ending(found, number, act, None)
    elif found.history.ended_by == act and len(alone) == 1:
        check_ending(found, number, act, Outcome(alone[0], ""))


def check_ending(found: Evidence, number: int, act: Act, outcome: Outcome | None) -> None:
    """Check that the entry after entry `number`, an act that ended a game, names the right ending."""
    if number < len(found.entries):
        over, expected = found.entries[number], act_over_entry(act, outcome)
        if over != expected:
            raise Refuted("how the game ended", expected.text, over.text if over else "")


def _check_consents(found: Evidence, number: int, entry: Act | Extend | Rotation, to: str) -> None:
    """Check each consent that an entry names: signer's key, ledger's history, and that it is for this act."""
    for name, (sha256, size) in entry.consents:
        if size >= number:
            raise Refuted(f"{name} consented to entry {number}, and names entry {size}, which came later")
        consent = Consent(
            game=found.genesis.game,
            genesis=found.heads[0],
            seen=(size, found.heads[size - 1]),
            exchange=entry.exchange,
            by=name,
            to=to,
        )
        _check_history(found, consent, found.files.get(f"consents/{sha256}.txt"))
        if consent.sha256 != sha256:
            raise Refuted(f"what {name} consented to", consent.sha256, sha256)
        text = found.given_file(f"consents/{sha256}.txt", consent.text)
        armor = found.files.get(f"consents/{sha256}.sig")
        if armor is None:
            raise Missing(f"consents/{sha256}.sig is missing")
        if text != consent.text:
            raise Refuted(f"the text of consents/{sha256}.txt", consent.text, text)
        try:
            verify_consent(armor, consent, found.key_of(name, entry.exchange))
        except TrustFault as fault:
            raise Refuted(f"consents/{sha256}.sig: {fault}") from None


def _check_history(found: Evidence, consent: Consent, text: bytes | None) -> None:
    """Check that a consent names the head that the ledger has at the consent's entry."""
    try:
        signed = parse_consent(text or b"")
    except LedgerFault:
        return  # it is compared with what it must be
    if signed == replace(consent, seen=signed.seen) and signed.seen != consent.seen:
        said = f"{consent.by} consented in another history: the head of entry {signed.seen[0]}"
        raise Refuted(said, str(found.head_at(signed.seen[0])), signed.seen[1])
