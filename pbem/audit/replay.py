"""Plays a game again, and compares every exchange, label, draw, report, act and ending with the ledger."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pbem.audit.evidence import Evidence
from pbem.audit.fairness import judges_reveal
from pbem.audit.findings import (
    Missing,
    OtherRules,
    Refuted,
    State,
    Unprovable,
    compare,
    compare_text,
    refuse_of,
)
from pbem.play.adjudicate import (
    Adjudicate,
    Adjudication,
    Adjudicator,
    act_over_entry,
    following,
    over_entry,
    reported,
    timeline,
)
from pbem.play.history import Exchange, History, bases_of
from pbem.play.setting import rules_hash
from pbem.rules import Outcome, names
from pbem.rules.base import UnknownOption
from pbem.trust import chance
from pbem.trust.act_entries import AGREE_DRAW, LEAVING, Act, Consent, parse_consent, verify_consent
from pbem.trust.chance import DRAW_CHAIN, Reveal
from pbem.trust.entries import AFTER_CLOSE, GAME_OPTION, Extend, NewRules, Other
from pbem.trust.faults import LedgerFault, TrustFault
from pbem.trust.orderfile import OrderFile
from pbem.trust.proof import TOLD
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


PUBLIC = "public"
BY_ITS_RULES = "the rules that play it again are those that the game was played by"
ALIKE = "played again, every exchange is as the ledger says"

Progress = Callable[[int, int], None]
"""A function that is called with the numbers of exchanges done and of all exchanges."""


def check_reports(found: Evidence) -> None:
    """Check the claim that every report is the one to which its entry commits."""
    with found.findings.claim("every report in the bundle fits the ledger"):
        expected: dict[str, str] = {}
        for exchange in found.history.exchanges:
            for entry in exchange.reported:
                expected[f"reports/{entry.audience}/{exchange.number:04d}.txt"] = entry.sha256
        lacking = []
        for name, sha256 in expected.items():
            data = found.files.get(name)
            if data is None:
                lacking.append(f"{name} is missing")
                continue
            if (found_hash := hashlib.sha256(data).hexdigest()) != sha256:
                raise Refuted(f"the hash of {name}", sha256, found_hash)
        for name in found.files.known_files:
            if name.startswith("reports/") and name not in expected:
                raise Refuted(f"no opened entry has the hash of {name}")
        if lacking:
            raise Missing(*lacking)
    with found.findings.claim(TOLD):
        refuse_of(TOLD, found.repeats)
        audiences = {*(player.side for player in found.genesis.players), PUBLIC}
        finished = found.history.exchanges if found.history.over else found.history.exchanges[:-1]
        for exchange in finished:
            if exchange.resolved is not None:
                _check_audiences(exchange, audiences)


def _check_audiences(exchange: Exchange, audiences: set[str]) -> None:
    """Check that an exchange has a report to every audience (protocol 9), sealed ones among them."""
    told = [entry.audience for entry in exchange.reported]
    if strange := sorted(set(told) - audiences):
        raise Refuted(f"exchange {exchange.number} reports to {strange[0]}, who does not play")
    missing = sorted(audiences - set(told))
    if PUBLIC in missing and len(missing) <= exchange.hidden:
        raise Missing(f"the entry of the report to the public on exchange {exchange.number} is missing")
    if len(missing) > exchange.hidden:
        raise Refuted(f"exchange {exchange.number} has no report to {', '.join(missing)}")


def check_replay(found: Evidence, mixes: dict[int, chance.Mix], progress: Progress | None = None) -> None:
    """Check the claims that the pinned rules, played again, give exactly the game of the ledger."""
    genesis, history = found.genesis, found.history
    with found.findings.claim("every exchange was opened under the rules that were in force"):
        rules = genesis.rules
        for exchange in history.exchanges:
            if exchange.opened.rules != rules:
                where = f"the judge opens exchange {exchange.number} under other rules"
                raise Refuted(where, rules, exchange.opened.rules)
            rules = exchange.rules  # protocol 12: a release that has played all of it alike may follow
    name = dict(genesis.options).get(GAME_OPTION, "")
    installed = rules_hash(name) if name in names() else ""
    with found.findings.claim(BY_ITS_RULES):
        if installed != rules:
            raise OtherRules(
                f"this release plays {installed[:16] or 'no such game'}, the game was played by "
                f"{rules[:16]}; audit it with that release as well"
            )
    alike: list[Exchange] = []
    with found.findings.claim(ALIKE):
        other = _play_all(found, mixes, installed, progress, alike)
        if other:
            raise OtherRules(_other_release(other))
    if found.findings.rows[-1].state is State.OPEN and alike:
        with found.findings.claim(f"played again, {_exchange_list(alike)} as the ledger says"):
            pass
    for name, text in sorted(found.rewritten.items())[:1]:
        with found.findings.claim(
            "every report in the bundle reads as the game gives it when it is played again"
        ):
            compare_text(name, text, found.files.known_files[name])


def _play_all(
    found: Evidence,
    mixes: dict[int, chance.Mix],
    installed: str,
    progress: Progress | None,
    alike: list[Exchange],
) -> list[tuple[Exchange, str]]:
    """Play every exchange again, and add to `alike` those that come out as they were.

    Return the exchanges that another release played and this one plays otherwise, each with the difference.
    """
    history, other = found.history, []
    resolved = [exchange for exchange in history.exchanges if exchange.resolved]
    _check_all_open(found, resolved, mixes)
    try:
        leaving = _leaving(history)
        _check_leaving(found, Adjudicator(found.genesis), leaving[0])
        played = timeline(history, _once(partial(adjudicate, found, mixes)))
        for done, (exchange, adjudicator, result) in enumerate(played, 1):
            try:
                _check_exchange(found, adjudicator, exchange, result)
                _check_leaving(found, adjudicator, leaving[exchange.number])
            except Refuted as difference:
                if history.answers(installed, exchange):
                    raise
                other.append((exchange, str(difference)))
            else:
                alike.append(exchange)
            if progress is not None:
                progress(done, len(resolved))
    except UnknownOption as problem:
        raise Refuted(f"the options of the genesis: {problem}") from None
    return other


def _once(adjudicate: Adjudicate) -> Adjudicate:
    """Return `adjudicate` with a check that an exchange played more than once comes out alike."""
    outcomes: dict[int, tuple[object, ...]] = {}

    def compared(adjudicator: Adjudicator, exchange: Exchange) -> Adjudication:
        result = adjudicate(adjudicator, exchange)
        if outcomes.setdefault(exchange.number, result.outcome) != result.outcome:
            raise Refuted(
                f"by the house rules of a later correction exchange {exchange.number} changes too; "
                "so this exchange had to be corrected"
            )
        return result

    return compared


def _other_release(other: list[tuple[Exchange, str]]) -> str:
    """Return a sentence on the exchanges that another release played and that this one plays otherwise."""
    releases = " and ".join(dict.fromkeys(exchange.rules[:16] for exchange, _ in other))
    many = "s" * (len(other) > 1)
    numbers = ", ".join(str(exchange.number) for exchange, _ in other)
    return (
        f"this release cannot prove exchange{many} {numbers}, played by {releases}; audit the bundle "
        f"with that release as well (the first difference: {other[0][1]})"
    )


def _exchange_list(exchanges: list[Exchange]) -> str:
    numbers = ", ".join(str(exchange.number) for exchange in exchanges)
    return f"exchanges {numbers} are" if len(exchanges) > 1 else f"exchange {numbers} is"


def _check_all_open(found: Evidence, resolved: list[Exchange], mixes: dict[int, chance.Mix]) -> None:
    closed = sum(
        (exchange.number, player) not in found.opened
        for exchange in resolved
        for player in exchange.counted()
    )
    closed += sum(
        (exchange.number, entry.player) not in found.late
        for exchange in resolved
        for entry in exchange.revealed
    )
    hidden = sum(entry is None for entry in found.entries)
    secret = sum(found.history.source(exchange).number not in mixes for exchange in resolved)
    if closed or hidden or secret:
        raise Unprovable(
            f"{closed} order files and {hidden} entries are closed to this reader; "
            "only the bundle of everything can be played again"
        )


def adjudicate(
    found: Evidence, mixes: dict[int, chance.Mix], adjudicator: Adjudicator, exchange: Exchange
) -> Adjudication:
    """Return the adjudication of an exchange that is resolved once more with the ledger's files and mixes."""
    source = found.history.source(exchange)
    number = source.number
    files = {player: found.opened[number, player] for player in source.counted()}
    return adjudicator.resolve(
        found.history,
        exchange,
        files,
        _reveals(found, number, files) or found.history.brought(source),
        judges_reveal(source),
        Reveal(DRAW_CHAIN, number, mixes[number].gm),
    )


def _check_exchange(
    found: Evidence, adjudicator: Adjudicator, exchange: Exchange, result: Adjudication
) -> None:
    resolve = exchange.resolved
    assert resolve is not None
    number = exchange.number
    compare(f"exchange {number}", result.resolve.lines, list(resolve.lines))
    compare(
        f"the draws of exchange {number}",
        [line for entry in result.drawn for line in entry.lines],
        [line for entry in exchange.drawn for line in entry.lines],
    )
    _check_ending(found, exchange, result)
    _check_told(found, adjudicator, exchange, result)


def _reveals(found: Evidence, exchange: int, files: dict[str, OrderFile]) -> dict[str, Reveal]:
    if found.genesis.mode == AFTER_CLOSE:
        return {player: late.reveal for (number, player), late in found.late.items() if number == exchange}
    return {player: file.reveal for player, file in files.items() if file.reveal is not None}


def _leaving(history: History) -> Mapping[int, list[tuple[Exchange, Act]]]:
    """Return pairs of an exchange and the act by which a player left in it, by where these acts are played.

    Each is played on the end of an exchange, given by its number; 0 is the beginning of the game.
    """
    found: defaultdict[int, list[tuple[Exchange, Act]]] = defaultdict(list)
    bases = bases_of(history)
    for exchange in history.exchanges:
        base = bases[exchange.number]
        leaving = [(exchange, act) for act in exchange.acts if act.what in LEAVING]
        found[base.number if base is not None else 0] += leaving
    return found


def _check_leaving(
    found: Evidence, adjudicator: Adjudicator, leaving: Sequence[tuple[Exchange, Act]]
) -> None:
    """Check that a game is over if its rules end it for a player who left on this position."""
    for later, act in leaving:
        outcome = adjudicator.leave(later, act)
        if outcome is not None:
            check_ending(found, found.entries.index(act) + 1, act, outcome)
        elif found.history.ended_by == act:
            raise Refuted(f"the game is said to be over when {act.of} leaves; the others play on")


def _check_told(found: Evidence, adjudicator: Adjudicator, exchange: Exchange, result: Adjudication) -> None:
    """Check that every report on an exchange, written again, is that of the ledger."""
    number = exchange.number
    size = exchange.resolved_at + len(result.drawn)
    later = following(found.history, exchange)
    deadline = later.opened.deadline if later else None
    reports = adjudicator.reports(result, size, found.head_at(size) or "", deadline)
    committed = {entry.audience: entry.sha256 for entry in exchange.reported}
    for report in reports:
        name = f"reports/{report.audience}/{number:04d}.txt"
        data = found.files.get(name)
        if data is None:
            continue
        if hashlib.sha256(data).hexdigest() == committed.get(report.audience):
            compare_text(name, report.text, data)
        else:  # the file was changed since, not the game
            found.rewritten[name] = report.text
    expected = [line for entry in reported(number, reports) for line in entry.lines]
    compare(
        f"the reports of exchange {number}",
        expected,
        [line for entry in exchange.reported for line in entry.lines],
    )


def _check_ending(found: Evidence, exchange: Exchange, result: Adjudication) -> None:
    """Check the entry after an exchange: the next exchange is opened, or the game is over (protocol 13)."""
    position = exchange.resolved_at + len(exchange.drawn) + len(exchange.reported)
    after = found.entries[position] if position < len(found.entries) else None
    is_over = isinstance(after, Other) and after.word == "over"
    if result.resolution.outcome is None:
        if is_over:
            raise Refuted(f"the game is said to be over after exchange {exchange.number}; it is not")
    elif not is_over:
        raise Refuted(f"the game is over after exchange {exchange.number}, and the ledger does not say so")
    elif after != over_entry(result.resolution):
        raise Refuted("how the game ended", over_entry(result.resolution).text, after.text if after else "")
