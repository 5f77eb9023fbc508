"""Intake of reports and notices into the kept ledger; a letter is refused unless all checks hold.

    the signature is that of the judge whom the first letter named, and genesis with them; or of the key that
        has replaced theirs, which the letter that brings it proves
    it is for this player and their side
    its leaves go on exactly from the kept ledger, and fold to the checkpoint that comes with them
    no head that was ever kept contradicts them
    the ledger is one (`chronicle`)
    genesis enrols this player with the key and the chain that they joined with
    the report is the one whose hash the ledger holds

    the position that a notice shows is that of the last report that counts (`store.game_store`)

Whatever the judge signed that cannot be true is kept as evidence before it is refused. If only the letter's
text is untrue, its entries are taken in: later letters go on from them. A letter that was taken in before
changes nothing.

The judge's letter that names the post box of a game or league is kept as it was signed, and counts only
by the key of the game's judge; a later one takes its place. A home asks no other box, but the one that its
player has typed (`box_client`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from pbem import letter_checks
from pbem.characters import lower
from pbem.player import files
from pbem.player.faults import Contradiction, Damaged, Incomplete, NotOurs
from pbem.player.incoming.remarks import (
    clock_remarks,
    invitation_remarks,
    opened_remarks,
    remarks_on,
    rules_remarks,
)
from pbem.player.keyring import Keyring
from pbem.player.store.evidence import Statement, check_receipts, fork_evidence, keep_fault
from pbem.player.store.game_papers import Chronicle, Proven, SignedCheckpoint, read_chronicle
from pbem.player.store.game_store import Folder, GameFolder, Membership, committed_report
from pbem.trust import ledger, signature
from pbem.trust.entries import Enrolled, Entry, Genesis
from pbem.trust.faults import LedgerFault, SignatureFault, TrustFault
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import parse_entry
from pbem.trust.letters import BOX, REPORT, OpenEntry, ReportLetter, read_report
from pbem.trust.player_statements import read_join
from pbem.trust.post_box import BoxLetter, read_box_letter
from pbem.trust.rotations import GM, Rotation, read_rotation, verify_rotation

Grown = TypeVar("Grown", bound=Proven)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One thing that the player's program received, with what the player is told about it."""

    kind: str
    """The kind of the received thing: "report", "notice", "receipt", its "words", "forecast", others'
    "orders", "copy", "box", "press" or "plain"."""
    game: str
    exchange: int
    text: str
    new: bool
    """Whether the thing was received for the first time."""
    remarks: tuple[str, ...] = ()
    faults: tuple[Contradiction, ...] = ()
    """Contradictions that a letter proves; evidence is kept, and the letter's entries are taken in anyway."""


def take_letter(
    folder: GameFolder, text: bytes, keyring: Keyring, genesis_head: str | None, now: datetime
) -> Arrival:
    """Take in a signed report or notice of a game; `now` is the time by the player's own clock.

    Raises:
        SealError: the letter is not the judge's, or not for this player.
        Incomplete: letters before this one are missing.
        Contradiction: the judge signed something impossible; evidence was kept.
        Fork: the judge signed two histories.
    """
    statement = Statement(folder, text)
    kept = folder.chronicle()
    judge, letter = _read(statement, kept)
    chronicle = extend_ledger(statement, kept, letter, read_chronicle)
    member = folder.find_membership()
    if member is None and chronicle.genesis.drawn is not None:
        from pbem.player.leagues.ledger import seat_drawn

        member = seat_drawn(folder, chronicle, letter.player, keyring)
    member = member or _membership_by_genesis(folder, chronicle, letter.player, keyring)
    _check_reader(letter, member, chronicle)
    if kept is None:
        _check_enrolment(folder, chronicle, member, judge)
    if genesis_head is not None and chronicle.heads[0] != lower(genesis_head):
        raise NotOurs(
            f"the genesis of {folder.game} has the head {chronicle.heads[0]}; you expected {genesis_head}"
        )
    lie = contradiction_of_report(folder, letter, chronicle)
    if lie and kept is None and letter.exchange == 0:
        raise keep_fault(statement, lie)
    told = invitation_remarks(folder, letter, chronicle) if not lie else []
    new = _keep(folder, letter, chronicle, member, judge, is_true=not lie)
    faults = (keep_fault(statement, lie),) if lie else ()
    remarks = remarks_on(folder, kept, chronicle, member, judge) + told
    remarks += opened_remarks(letter, chronicle) if not lie else []
    remarks += clock_remarks(chronicle, kept.size if kept else 0, now)
    if new:
        remarks += rules_remarks(chronicle)
    check_receipts(folder, chronicle, folder.judge_statements.receipts())
    return Arrival(
        kind=letter.kind,
        game=folder.game,
        exchange=letter.exchange,
        text=letter.report,
        new=new or bool(lie),
        remarks=tuple(remarks),
        faults=faults,
    )


def check_known_judge(folder: Folder, text: bytes) -> PublicKey:
    """Return the judge's key that signed a text; the key must have been known before."""
    if folder.judge() is None and not folder.expected_file:
        raise NotOurs(f"the judge of {folder.game} is not known yet: receive the judge's invitation first")
    key = signature.parse(signature.split(text).armor).key
    if not folder.is_judge(key):
        raise _not_judge(folder, key)
    return key


def _not_judge(folder: Folder, key: PublicKey, why: str = "") -> SignatureFault:
    pinned = folder.judge()
    known = folder.expected_file or (pinned.fingerprint if pinned else "no such key")
    return SignatureFault(
        f"this is signed with the key {key.fingerprint}; the judge of {folder.game} has the key {known}{why}",
        reason="wrong-key",
    )


def _read(statement: Statement, kept: Chronicle | None) -> tuple[PublicKey, ReportLetter]:
    """Return a letter and its signer's key, which must be the judge's in a ledger as long as the letter's."""
    folder = statement.folder
    key = signature.parse(signature.split(statement.text).armor).key
    known = folder.judges()
    try:
        letter = read_report(statement.text, key)
        entries = _new_entries(letter, kept.size if kept else 0)
    except LedgerFault as fault:
        if known and key not in known:
            raise _not_judge(folder, key) from None
        raise keep_fault(statement, str(fault)) from None
    try:
        due = _judge_of(kept, letter, entries)
    except (TrustFault, LedgerFault) as fault:
        raise _not_judge(
            folder, key, f", and nothing proves that it was replaced: {fault}; tell the club"
        ) from None
    if known and key.fingerprint != due:
        why = f"; in this game it must be {due}" if key in known else ""
        if letter.exchange == 0:  # an invitation
            why += f"; if the one that invited you before is not the judge: pbem games --forget {folder.game}"
        raise _not_judge(folder, key, why)
    return key, letter


def _new_entries(letter: ReportLetter, before: int) -> list[Entry]:
    """Return the entries that a letter opens after the first `before` entries, which are known.

    Raises:
        LedgerFault: an entry cannot be read.
    """
    found = []
    for number, opened in letter.opened:
        if number > before:
            try:
                found.append(parse_entry(opened.text))
            except TrustFault as fault:
                raise LedgerFault(f"entry {number} in it cannot be read: {fault}") from None
    return found


def _judge_of(kept: Chronicle | None, letter: ReportLetter, entries: Sequence[Entry]) -> str:
    """Return the fingerprint of the judge's key after the entries of a letter, which prove any new keys."""
    size, before = letter.checkpoint.size, kept.size if kept else 0
    if size <= before:
        assert kept is not None
        return kept.history.seats.judge_at(size)
    genesis = kept.genesis if kept else entries[0] if entries else None
    first = kept.leaves[:1] if kept else [leaf for _, leaf in letter.leaves[:1]]
    if not isinstance(genesis, Genesis) or not first:
        return ""  # no first letter, as will be found
    (head,) = ledger.fold(letter.game, first)
    found = kept.history.seats.judge_at(before) if kept else genesis.gm
    proofs = {file.change.sha256: file for file in map(read_rotation, letter.proofs)}
    for entry in entries:
        if isinstance(entry, Rotation) and entry.player == GM:
            file = proofs.get(entry.text_sha256)
            if file is None or file.change != entry.change(letter.game, head):
                raise LedgerFault("the letter does not hold the text that its signer signed")
            verify_rotation(file, found, genesis.gm_recovery)
            found = entry.fingerprint
    return found


def extend_ledger(
    statement: Statement,
    kept: Grown | None,
    letter: ReportLetter,
    read: Callable[[str, Sequence[str], Mapping[int, OpenEntry]], Grown],
) -> Grown:
    """Return the kept ledger with the entries that a letter adds and that `read` proves.

    Raises:
        Incomplete: letters before this one are missing.
        Contradiction: the judge signed something impossible; evidence was kept.
        Fork: the judge signed two histories.
    """
    leaves = kept.leaves if kept else ()
    numbers = [number for number, _ in letter.leaves]
    size = letter.checkpoint.size
    expected = list(range(size + 1 - len(numbers), size + 1))
    if size < 1 or numbers != expected or expected[:1] == [0]:
        raise keep_fault(statement, f"its leaves are not those up to its checkpoint at entry {size}")
    if (first := numbers[0] if numbers else size) > len(leaves) + bool(numbers):
        raise Incomplete(
            f"the letter begins at entry {first} of {letter.game}, and your ledger ends at entry "
            f"{len(leaves)}: receive the letters before it first, or ask the judge to send them again"
        )
    grown = leaves + tuple(leaf for number, leaf in letter.leaves if number > len(leaves))
    shown = leaves[: first - 1] + tuple(leaf for _, leaf in letter.leaves) if numbers else leaves[:size]
    signed = SignedCheckpoint(letter.checkpoint, letter.signature)
    if shown != grown[: len(shown)]:
        differs = next(number for number, leaf in letter.leaves if leaf != grown[number - 1])
        raise fork_evidence(
            statement, signed, shown, f"entry {differs} is not the one that the judge showed you before"
        )
    heads = ledger.fold(letter.game, grown)
    if heads[size - 1] != letter.checkpoint.head:
        raise fork_evidence(
            statement,
            signed,
            shown,
            f"its head at entry {size} is not that of the ledger that the judge showed you",
        )
    for known in statement.folder.judge_statements.checkpoints().values():
        checkpoint = known.checkpoint
        if checkpoint.size <= len(heads) and heads[checkpoint.size - 1] != checkpoint.head:
            raise fork_evidence(
                statement, signed, shown, f"it does not fit the head at entry {checkpoint.size} kept before"
            )
    opened = {**dict(letter.opened), **(kept.opened if kept else {})}
    for number, entry in letter.opened:
        if opened[number] != entry:
            raise keep_fault(statement, f"it shows another text for entry {number} than before")
    try:
        return read(letter.game, grown, opened)
    except LedgerFault as fault:
        raise keep_fault(statement, str(fault)) from None


def _membership_by_genesis(
    folder: GameFolder, chronicle: Chronicle, player: str, keyring: Keyring
) -> Membership:
    """Return the membership in a game that was not joined, as genesis may enrol a player without a chain."""
    enrolled = chronicle.enrolled_player(player)
    if enrolled is not None and enrolled.anchor is None:
        for name in keyring.names():
            if (public := keyring.public(name)).fingerprint == enrolled.fingerprint:
                return Membership(player, name, public)
    return folder.membership()


def _check_reader(letter: ReportLetter, member: Membership, chronicle: Chronicle) -> None:
    if letter.player != member.player:
        raise NotOurs(f"this letter is for {letter.player}; you play {letter.game} as {member.player}")
    enrolled = chronicle.enrolled_player(member.player)
    if enrolled is None:
        raise NotOurs(f"the genesis of {letter.game} does not enrol {member.player}")
    if letter.audience != enrolled.side:
        raise NotOurs(f"this letter tells {letter.audience} what happened; you play {enrolled.side}")


def _check_enrolment(folder: GameFolder, chronicle: Chronicle, member: Membership, judge: PublicKey) -> None:
    """Check that genesis names the judge who signs, and names this player as they joined."""
    enrolled = chronicle.enrolled_player(member.player)
    assert enrolled is not None
    if (gm := chronicle.history.seats.judge_at(chronicle.size)) != judge.fingerprint:
        raise NotOurs(
            f"the invitation is signed with the key {judge.fingerprint}; "
            f"its own genesis says that the judge has the key {gm}"
        )
    if any(one.fingerprint == member.public.fingerprint for one in chronicle.history.seats.of(member.player)):
        _check_replaced(folder, chronicle, member)
        return
    if enrolled.fingerprint != member.public.fingerprint:
        raise NotOurs(
            f"genesis enrols {member.player} with the key {enrolled.fingerprint}; "
            f"yours is {member.public.fingerprint}"
        )
    data = folder.join_file()
    meant = read_join(data).judge if data is not None else None
    if meant is not None and meant != chronicle.genesis.gm:
        raise NotOurs(
            f"you joined {folder.game} of the judge {meant}; this invitation comes from another, "
            f"{chronicle.genesis.gm}: ask the club for its judge's key; if it is this key, give up the "
            f"game ('pbem games --forget {folder.game}') and join again"
        )
    _check_chain(folder, enrolled, member, has_made=data is not None or chronicle.genesis.drawn is not None)
    if data is not None and enrolled.recovery != (recovery := read_join(data).recovery):
        raise NotOurs(
            f"genesis names {enrolled.recovery or 'no key'} as the recovery key of {member.player}; "
            f"you joined with {recovery or 'none'}"
        )


def _check_replaced(folder: GameFolder, chronicle: Chronicle, member: Membership) -> None:
    """Check a home whose key replaced that of genesis: a new chain of the seat must be from this home."""
    for one in chronicle.history.seats.of(member.player):
        if one.fingerprint == member.public.fingerprint and one.anchor is not None:
            chain = folder.chain(one.anchor.who)
            if chain is None or chain.anchor != one.anchor.value:
                raise NotOurs(f"the ledger anchors a chain {one.anchor.who} that was not made in this home")


def _check_chain(folder: GameFolder, enrolled: Enrolled, member: Membership, *, has_made: bool) -> None:
    chain = folder.chain(enrolled.who) if has_made else None
    if enrolled.anchor is not None and chain is None:
        raise NotOurs(
            f"genesis anchors a chain of {member.player}, and its secret is not in this home: receive this "
            f"in the home in which you joined"
        )
    if chain is not None and enrolled.anchor != chain.anchor:
        anchored = "another chain" if enrolled.anchor else "no chain"
        raise NotOurs(f"genesis anchors {anchored} for {member.player}; you joined with {chain.anchor}")


def contradiction_of_report(folder: GameFolder, letter: ReportLetter, chronicle: Chronicle) -> str:
    """Return why a letter's words cannot be true beside the ledger; "" if they can."""
    opponents = len(chronicle.genesis.players) - 1
    if (count := len(letter.addresses.copies)) > opponents:
        return f"it names {count} addresses for copies of your orders, and you have {opponents} opponents"
    if letter.kind != REPORT or letter.exchange == 0:
        committed = partial(committed_report, folder, chronicle)
        return letter_checks.find_contradiction(letter, chronicle.history, chronicle.heads, committed)
    exchanges = chronicle.history.exchanges
    if letter.exchange > len(exchanges) or exchanges[letter.exchange - 1].resolved is None:
        return f"it is a report of exchange {letter.exchange}, which the ledger has not resolved"
    reported = chronicle.report_hash(letter.exchange, letter.audience)
    if reported is None:
        return f"the ledger has no entry for the report of exchange {letter.exchange} to you"
    if reported != hashlib.sha256(letter.report.encode()).hexdigest():
        return f"the report of exchange {letter.exchange} is not the one that the ledger names"
    return ""


def _keep(
    folder: GameFolder,
    letter: ReportLetter,
    chronicle: Chronicle,
    member: Membership,
    judge: PublicKey,
    *,
    is_true: bool,
) -> bool:
    """Store a checked letter, the ledger last, its words only if true; return whether anything is new."""
    if folder.find_membership() is None:
        folder.enlist(member, None)
    folder.pin_judge(judge, member.player, member.public)
    for proof in map(read_rotation, letter.proofs):
        folder.judge_statements.keep_rotation(proof)
    is_new = is_true and letter.kind == REPORT and folder.keep_report(letter.exchange, letter.report)
    return keep_letter(folder, letter, chronicle, is_true=is_true) or is_new


def keep_letter(folder: Folder, letter: ReportLetter, chronicle: Proven, *, is_true: bool = True) -> bool:
    """Store a checked letter's content for any ledger, the ledger last; return whether anything is new."""
    if is_true:
        folder.keep_addresses(letter.checkpoint.size, letter.addresses)
    folder.judge_statements.keep_checkpoint(SignedCheckpoint(letter.checkpoint, letter.signature))
    is_new = (
        is_true
        and letter.kind != REPORT
        and folder.keep_notice(letter.exchange, letter.checkpoint.size, letter.report)
    )
    return folder.keep_ledger(chronicle) or is_new


OLDER = "the judge has named a box in a later letter, which counts"


def take_box_letter(folder: Folder, text: bytes) -> Arrival:
    """Take in the judge's letter about a game's box.

    Raises:
        SealError: the letter is not the judge's.
    """
    letter = read_box_letter(text, check_known_judge(folder, text))
    known = _box_letter(folder)
    is_older = known is not None and letter.made < known.made
    if known is None or letter.made > known.made:
        files.write(folder.path / BOX, text)
    said = f"uses the post box {letter.url}" if letter.url else "uses no post box any more"
    return Arrival(
        kind=BOX,
        game=folder.game,
        exchange=0,
        text=f"{folder.game} {said}\n",
        new=known != letter and not is_older,
        remarks=(OLDER,) if is_older else (),
    )


def box_of(folder: Folder) -> str:
    """Return the address of a game's box; "" if its judge has named none.

    Raises:
        Damaged: the letter that is kept is not what the judge has signed.
    """
    letter = _box_letter(folder)
    return letter.url if letter is not None else ""


def push_key_of(folder: Folder) -> str:
    """Return the public key of a game's judge for push messages to devices; "" if no box or key was named.

    Raises:
        Damaged: the letter that is kept is not what the judge has signed.
    """
    letter = _box_letter(folder)
    return letter.push if letter is not None and letter.url else ""


def _box_letter(folder: Folder) -> BoxLetter | None:
    path = folder.path / BOX
    if (data := files.read_file(path)) is None:
        return None
    try:
        key = signature.parse(signature.split(data).armor).key
        if not folder.is_judge(key):
            raise Damaged(f"{path} is not signed by the judge; remove it")
        return read_box_letter(data, key)
    except (TrustFault, LedgerFault):
        raise Damaged(f"{path} is damaged; remove it: the judge can send it again") from None
