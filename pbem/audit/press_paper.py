"""Explains what a paper shows, by which a reader shows a message to others; a paper convicts nobody.

A paper holds the judge's receipt and what the writer signed. That the signatures hold is seen from it alone;
whose keys they are, only from a bundle of the game. What was not written cannot be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.audit.bundle import read_bundle
from pbem.audit.evidence import read_log
from pbem.audit.findings import Findings
from pbem.characters import split_lines
from pbem.trust.entries import Entry, Genesis
from pbem.trust.press import GM, GREY, NOBODY, PressShown, read_paper, show_paper
from pbem.trust.rotations import Rotation
from pbem.trust.signature import parse, split
from pbem.trust.times import utc_text


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
