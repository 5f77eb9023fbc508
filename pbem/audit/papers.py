"""Compares papers that players kept with a bundle of a game or a league, and explains papers of press.

A folder of `NAME.txt` with `NAME.txt.sig`, or with the signature below the text in the same file; and below
it, in `sealed`, order files that players sent to everybody, and in `relayed` those that the judge passed on,
each in a text that the judge has signed. A bundle may be whole in itself and still not be the history that
the players were shown; only what they kept can tell. Whoever wants to accuse an honest judge may put anything
there: so each paper is sorted first by who has signed it, and the judge's own alone count.

A paper by which a reader shows a message to others convicts nobody.
A paper holds the judge's receipt and what the writer signed. That the signatures hold is seen from it alone;
whose keys they are, only from a bundle of the game. What was not written cannot be shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pbem.audit.bundle import read_bundle
from pbem.audit.evidence import read_log
from pbem.audit.findings import Findings, Missing, Refuted, Unprovable
from pbem.characters import split_lines
from pbem.errors import PbemError
from pbem.trust import signature
from pbem.trust.armor import find_sealed
from pbem.trust.entries import Entry, Genesis, Received
from pbem.trust.faults import TrustFault
from pbem.trust.formats import (
    MAX_COPY_SIZE,
    MAX_FILE_SIZE,
    MAX_HELD_FILES,
    MAX_HELD_SEALED_SIZE,
    MAX_HELD_STATEMENT_SIZE,
)
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import (
    EMPTY_HEAD,
    Checkpoint,
    Receipt,
    SaidReceipt,
    parse_checkpoint,
    parse_receipt,
    parse_said,
    verify_checkpoint,
    verify_receipt,
    verify_said,
)
from pbem.trust.letters import REPORT, OrdersCopy, ReportLetter, read_copy, read_report
from pbem.trust.press import GM, GREY, NOBODY, PressShown, read_paper, show_paper
from pbem.trust.rotations import Rotation
from pbem.trust.sealing import sealed_name
from pbem.trust.signature import parse, split
from pbem.trust.times import utc_text

KEPT = "the bundle agrees with what players kept"
"""The claim that a bundle agrees with the receipts and checkpoints that players kept."""
Paper = Checkpoint | Receipt | SaidReceipt
_FORMS: tuple[tuple[bytes, Callable[[bytes], Paper], Callable[[bytes, bytes, PublicKey], Paper]], ...] = (
    (b"pbem1 checkpoint\n", parse_checkpoint, verify_checkpoint),
    (b"pbem1 receipt\n", parse_receipt, verify_receipt),
    (b"pbem1 said\n", parse_said, verify_said),
)
"""The first bytes of papers of each kind, and how that kind is read and verified."""
MAX_NAMED_COPIES = 5
"""Maximum number of copies missing from the ledger that are opened and named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFacts:
    """Facts in a bundle that papers can contradict; an *exchange* of a league is a call."""

    name: str
    """The name of the bundle's ledger: that of a game, or of a league."""
    what: str
    """A phrase that names the game or league, for messages."""
    heads: Sequence[str]
    received: Sequence[Received]
    takes_from: int | None
    """The first exchange for which files may still be received; None if all exchanges are over."""
    judge_at: Callable[[int], str]
    """A function that returns the fingerprint of the judge's key for a ledger of a given size."""
    judges_in: Callable[[int], Collection[str]]
    """A function that returns the fingerprints of the judge's keys in an exchange."""
    people: Collection[str]
    """The fingerprints of the keys of everybody who signs or has signed anything in the ledger."""
    sealed: Collection[str]
    """The names of all sealed files in the ledger."""
    said: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """The player and the hash of each statement in a league's ledger, by the number of its entry."""
    reported: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """The hash of the report to each audience on each exchange, as far as its entry can be read."""
    whose: Callable[[bytes], str] = field(default=lambda _: "")
    """A function that returns the owner of a sealed file that the ledger does not list; "" if unknown."""
    lie: Callable[[ReportLetter], str] = field(default=lambda _: "")
    """A function that returns how an invitation or notice contradicts the ledger; "" if it does not."""

    def head_at(self, size: int) -> str | None:
        """Return the head of the ledger after `size` entries; None if the ledger is shorter."""
        if size == 0:
            return EMPTY_HEAD
        return self.heads[size - 1] if size <= len(self.heads) else None

    def may_come(self, exchange: int) -> bool:
        """Tell whether files of an exchange may still be received."""
        return self.takes_from is not None and exchange >= self.takes_from


@dataclass(slots=True)
class HeldPapers:
    """The papers about one game in a folder: the judge's signed statements, and others."""

    checkpoints: list[Checkpoint] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    said: list[SaidReceipt] = field(default_factory=list)
    worthless: list[str] = field(default_factory=list)
    """Sentences about papers that cannot be read, are not validly signed, or are signed by a player."""
    foreign: list[str] = field(default_factory=list)
    """Sentences about statements that are well signed, but by neither this bundle's judge nor its players."""
    relayed: list[OrdersCopy] = field(default_factory=list)
    """The files of players that the judge has signed as received."""
    reports: list[ReportLetter] = field(default_factory=list)
    """The letters with a report that the judge has signed."""
    sealed: list[tuple[bytes, str]] = field(default_factory=list)
    """The sealed order files, with their file names."""

    def take(self, paper: Paper) -> None:
        """Add a paper that the judge has signed to those that are compared with the bundle."""
        match paper:
            case Checkpoint():
                self.checkpoints.append(paper)
            case Receipt():
                self.receipts.append(paper)
            case SaidReceipt():
                self.said.append(paper)


def check_held(findings: Findings, told: BundleFacts, folder: Path | None) -> None:
    """Check the claims that the bundle agrees with every checkpoint and receipt that players kept.

    Only what the judge has signed can refute a bundle. What is newer than the bundle does not: not a receipt
    of an exchange that it leaves open; and a head that goes further shows that something is missing.
    """
    kept = HeldPapers() if folder is None else read_held(folder, told)
    with findings.claim(KEPT):
        if folder is None:
            raise Unprovable("no folder of kept papers was given (--held)")
        _check_heads(told, kept.checkpoints)
        _check_numbers(kept.receipts)
        compare_letters(told, kept.reports)
        newer = [
            f"receipt {receipt.number} of {receipt.player}"
            for receipt in kept.receipts
            if not _is_received(told, receipt)
        ]
        said = [one for one in kept.said if not _is_said(told, one)]
        newer += [f"the receipt of {one.player} for entry {one.entry}" for one in said]
        newer += [f"a copy of a file of {one.player}" for one in kept.relayed if not _is_there(told, one)]
        newer += [f"a letter about exchange {one.exchange}" for one in kept.reports if _is_newer(told, one)]
        left = [f"{what} is newer than this bundle: ask the judge for a later one" for what in newer][:1]
        if doubts := [*kept.foreign, *kept.worthless]:
            left.append(f"all but {len(doubts)} of the papers; {doubts[0]}")
        if left:
            raise Unprovable("; ".join(left))
        if not (kept.checkpoints or kept.receipts or kept.said or kept.relayed or kept.reports):
            raise Unprovable(f"{folder} holds no receipt or checkpoint of {told.name}")
    if kept.checkpoints:
        with findings.claim("the bundle is as new as what players kept"):
            _check_reach(told, kept.checkpoints)
    if kept.sealed:
        _check_copies(findings, told, kept.sealed)


def read_held(folder: Path, told: BundleFacts) -> HeldPapers:
    """Return the papers that players kept about a game, from a folder and the folders below it."""
    kept = HeldPapers()
    for path in _files(folder):
        if path.suffix == ".age":
            _read_copies(path, kept)
        elif path.suffix == ".txt":
            _read_statement(path, told, kept)
    return kept


def _read_copies(path: Path, kept: HeldPapers) -> None:
    """Add the sealed files in a file, binary or armored; the ledger names each by its binary form's hash."""
    try:
        kept.sealed += [(one, path.name) for one in find_sealed(_read(path, MAX_HELD_SEALED_SIZE))]
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")


def _read_statement(path: Path, told: BundleFacts, kept: HeldPapers) -> None:
    text = _read(path, MAX_COPY_SIZE)
    if text.startswith(b"pbem1 copy\n"):
        _read_relayed(path, text, told, kept)
        return
    if text.startswith((b"pbem1 report\n", b"pbem1 notice\n")):
        _read_report(path, told, kept)
        return
    text = text[:MAX_HELD_STATEMENT_SIZE]
    form = next((form for form in _FORMS if text.startswith(form[0])), None)
    if form is None:
        return
    _, parse, verify = form
    armor = _read(path.with_name(f"{path.name}.sig"), MAX_HELD_STATEMENT_SIZE)
    try:
        if not armor:
            parts = signature.split(text)
            text, armor = parts.body, parts.armor
        statement = parse(text)
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")
        return
    if statement.game != told.name:
        return
    signer = _signer(text, armor, verify)
    fingerprint = signer.fingerprint if signer else ""
    match statement:
        case Checkpoint():
            is_judge = fingerprint == told.judge_at(statement.size)
        case Receipt():
            is_judge = fingerprint in told.judges_in(statement.exchange)
        case SaidReceipt():
            is_judge = fingerprint == told.judge_at(statement.entry)
    if is_judge:
        kept.take(statement)
    elif signer is None or fingerprint in told.people:
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")
    else:
        kept.foreign.append(
            f"{path.name} proves nothing: its key {signer.fingerprint} is not that of this bundle's judge; "
            "to see whether this bundle is your game, give the head of the genesis that you were told "
            "(--genesis)"
        )


def _read_relayed(path: Path, text: bytes, told: BundleFacts, kept: HeldPapers) -> None:
    """Add an order file that the judge passed on, if a judge's key of that exchange has signed it."""
    try:
        signer = signature.parse(signature.split(text).armor).key
        relayed = read_copy(text, signer)
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")
        return
    if relayed.game != told.name:
        return
    if signer.fingerprint in told.judges_in(relayed.exchange):
        kept.relayed.append(relayed)
    else:
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")


def _read_report(path: Path, told: BundleFacts, kept: HeldPapers) -> None:
    """Add a letter with a report, if the judge has signed the letter."""
    text = _read(path, MAX_FILE_SIZE) + _read(path.with_name(f"{path.name}.sig"), MAX_HELD_STATEMENT_SIZE)
    try:
        signer = signature.parse(signature.split(text).armor).key
        letter = read_report(text, signer)
    except PbemError as fault:
        kept.worthless.append(f"{path.name} proves nothing: {fault}")
        return
    if letter.game != told.name:
        return
    if signer.fingerprint == told.judge_at(letter.checkpoint.size):
        kept.reports.append(letter)
    else:
        kept.worthless.append(f"{path.name} proves nothing: the judge has not signed it")


def compare_letters(told: BundleFacts, letters: list[ReportLetter]) -> None:
    """Raise Refuted if a letter of the judge contradicts the ledger, by its report's hash or its words."""
    for letter in letters:
        due = told.reported.get((letter.exchange, letter.audience)) if letter.kind == REPORT else None
        sent = hashlib.sha256(letter.report.encode()).hexdigest()
        if due is not None and sent != due:
            raise Refuted(
                f"the judge signed another report of exchange {letter.exchange} to {letter.audience} "
                f"than the one that the ledger names",
                sent,
                due,
            )
        if due is None and not _is_newer(told, letter) and (lie := told.lie(letter)):
            what = "invitation" if letter.exchange == 0 else f"letter about exchange {letter.exchange}"
            raise Refuted(
                f"the judge signed another {what} to {letter.player} than the ledger bears out: {lie}"
            )


def _is_newer(told: BundleFacts, letter: ReportLetter) -> bool:
    """Tell whether a letter was written when the ledger was longer than the bundle's."""
    return letter.checkpoint.size > len(told.heads)


def _signer(
    text: bytes, armor: bytes, verify: Callable[[bytes, bytes, PublicKey], Paper]
) -> PublicKey | None:
    """Return the key that signed a statement, as its signature names it; None if that does not hold."""
    try:
        signer = signature.parse(armor).key
        verify(text, armor, signer)
    except TrustFault:
        return None
    return signer


def _files(folder: Path) -> Iterator[Path]:
    for count, path in enumerate(sorted(folder.rglob("*"))):
        if count < MAX_HELD_FILES and path.is_file() and not path.is_symlink():
            yield path


def _read(path: Path, limit: int) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(limit)


def _check_heads(told: BundleFacts, checkpoints: list[Checkpoint]) -> None:
    for checkpoint in checkpoints:
        head = told.head_at(checkpoint.size)
        if head is not None and head != checkpoint.head:
            raise Refuted(
                f"two histories: the judge signed another head at entry {checkpoint.size}",
                checkpoint.head,
                head,
            )
        if head is None and told.takes_from is None:
            raise Refuted(
                f"the judge signed a head at entry {checkpoint.size}; "
                f"in this bundle {told.what} is over at entry {len(told.heads)}"
            )


def _check_reach(told: BundleFacts, checkpoints: list[Checkpoint]) -> None:
    """Refute a bundle that ends before the last head that the judge has signed in a player's paper."""
    last = max(checkpoint.size for checkpoint in checkpoints)
    if last > len(told.heads):
        raise Missing(
            f"stale: this bundle is older than what was signed: it ends at entry {len(told.heads)}, "
            f"and the judge signed a head at entry {last}; ask the judge for a newer one that continues it; "
            "without one, something is hidden"
        )


def _is_received(told: BundleFacts, receipt: Receipt) -> bool:
    """Tell whether the ledger has received a file under its receipt's number, or may still receive it."""
    number = 0
    for entry in told.received:
        number += entry.player == receipt.player
        if (entry.exchange, entry.player, entry.rev, entry.sealed) != (
            receipt.exchange,
            receipt.player,
            receipt.rev,
            receipt.sealed,
        ):
            continue
        if number != receipt.number:
            raise Refuted(
                f"receipt {receipt.number} of {receipt.player} is for the file "
                f"that the ledger received as number {number}"
            )
        return True
    if told.may_come(receipt.exchange) and receipt.number > number:
        return False
    raise Refuted(
        f"the judge gave {receipt.player} receipt {receipt.number} for orders of exchange {receipt.exchange} "
        f"({receipt.sealed}), and the ledger has not received them"
    )


def _is_said(told: BundleFacts, receipt: SaidReceipt) -> bool:
    """Tell whether a league's ledger has a statement where its receipt says, or may have after the bundle."""
    if told.said.get(receipt.entry) == (receipt.player, receipt.said):
        return True
    if receipt.entry > len(told.heads) and told.takes_from is not None:
        return False
    raise Refuted(
        f"by a receipt for {receipt.player}, what they said ({receipt.said}) is entry "
        f"{receipt.entry}; there the ledger has {_at(told, receipt.entry)}"
    )


def _at(told: BundleFacts, number: int) -> str:
    if number > len(told.heads):
        return f"nothing: {told.what} is over at entry {len(told.heads)}"
    player, said = told.said.get(number, ("", ""))
    return f"what {player} said ({said})" if player else "something else"


def _is_there(told: BundleFacts, relayed: OrdersCopy) -> bool:
    """Tell whether the ledger has a file that the judge passed on as its player's, or may still get it."""
    names = [sealed_name(one) for one in find_sealed(relayed.armor.encode())]
    for entry in told.received:
        if (entry.exchange, entry.player) == (relayed.exchange, relayed.player) and [entry.sealed] == names:
            return True
    if told.may_come(relayed.exchange):
        return False
    raise Refuted(
        f"the judge passed on a file of {relayed.player} for exchange {relayed.exchange} "
        f"({', '.join(names) or 'none'}), so the judge had it, and the ledger has not received it"
    )


def _check_numbers(receipts: list[Receipt]) -> None:
    by_number: dict[tuple[str, int], Receipt] = {}
    for receipt in receipts:
        other = by_number.setdefault((receipt.player, receipt.number), receipt)
        if other != receipt:
            raise Refuted(
                f"the judge gave {receipt.player} two different receipts with the number {receipt.number}"
            )


def _check_copies(findings: Findings, told: BundleFacts, copies: list[tuple[bytes, str]]) -> None:
    """Check copies that went to everybody (protocol 7): each proves that it was sent, not that it arrived."""
    with findings.claim("the ledger has every order file that players sent to everybody"):
        if missing := [(data, file) for data, file in copies if sealed_name(data) not in told.sealed]:
            lines = [f"{len(missing)} of {len(copies)} are not in it"]
            for data, file in missing[:MAX_NAMED_COPIES]:
                whose = told.whose(data)
                lines.append(f"{sealed_name(data)} ({file}){f', {whose}' if whose else ''}")
            lines.append("only receipts show that the judge got them")
            raise Unprovable("; ".join(lines))


def tell_paper(data: bytes, entries: Sequence[Entry] = ()) -> tuple[str, ...]:
    """Return the lines that tell what a paper about a message shows; `entries` are the game bundle's.

    Raises:
        TrustFault: the file is not a paper, or a signature in it does not hold.
    """
    paper = read_paper(data)
    judge = parse(split(paper.receipt).armor).key
    shown = show_paper(paper, judge)
    lines = [
        f"game:     {shown.receipt.game}",
        f"to:       {', '.join(shown.receipt.to)}",
        f"writer:   {_writer(shown)}",
        f"time:     {utc_text(shown.receipt.at)}, which is the judge's word",
        f"judge:    signed with {judge.fingerprint}",
    ]
    if shown.signer is not None:
        lines.append(f"signed:   by the writer, with {shown.signer.fingerprint}")
    if entries:
        lines += [f"bundle:   {line}" for line in _beside(shown, judge.fingerprint, entries)]
    else:
        lines.append("bundle:   none was given, so nothing here says whose these keys are")
    lines += [f"subject:  {shown.subject}"] if shown.subject else []
    lines += ["", *(f"    {line}".rstrip(" ") for line in split_lines(shown.text)), ""]
    lines.append("This shows what was written, by whoever has that key. It does not show whether it is true,")
    lines.append("or what was written besides, and it convicts nobody.")
    return tuple(lines)


def read_entries_of(bundle: Path) -> tuple[Entry, ...]:
    """Return the entries that a game's bundle opens, after a check of its ledger.

    Raises:
        ConfigError: there is no bundle to be read.
    """
    return tuple(filter(None, read_log(read_bundle(bundle), Findings()).entries))


def _writer(shown: PressShown) -> str:
    if shown.receipt.writer == GM:
        return "the director, by the judge's signature"
    if shown.receipt.writer == NOBODY:
        return "not named (grey); that a player of the game wrote it is the judge's word"
    grey = ", grey: its readers were not told" if shown.receipt.kind == GREY else ""
    if shown.signer is None:
        return f"{shown.receipt.writer}, by the judge's word alone{grey}"
    return f"{shown.receipt.writer}{grey}"


def _beside(shown: PressShown, judge: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield sentences from a bundle's entries about the keys and the game of a paper."""
    genesis = entries[0]
    if not isinstance(genesis, Genesis) or genesis.game != shown.receipt.game:
        yield "it is of another game"
        return
    rotations = [one for one in entries if isinstance(one, Rotation)]
    judges = {genesis.gm, *(one.fingerprint for one in rotations if one.player == GM)}
    yield f"the judge's key is {'' if judge in judges else 'not '}one of this game"
    if shown.signer is not None:
        writer = shown.receipt.writer
        owned = {one.fingerprint for one in genesis.players if one.name == writer}
        owned |= {one.fingerprint for one in rotations if one.player == writer}
        yield f"the writer's key is {'' if shown.signer.fingerprint in owned else 'not '}one of {writer}"
