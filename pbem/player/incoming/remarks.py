"""Remarks on letters: what a player should look at, though nothing is refused for it."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem import __version__
from pbem.errors import PbemError
from pbem.letter_checks import last_report, missing_lines
from pbem.play.history import Exchange
from pbem.play.setting import rules_hash
from pbem.player.store.game_papers import Chronicle
from pbem.player.store.game_store import GameFolder, Membership
from pbem.player.store.known_files import RECEIPTED, files_in_words, known_files, own_files
from pbem.trust.act_entries import CORRECT, VOIDING, Act
from pbem.trust.entries import GAME_OPTION
from pbem.trust.keys import PublicKey
from pbem.trust.ledger import parse_entry
from pbem.trust.letters import REPORT, ReportLetter
from pbem.trust.rotations import GM, Rotation, rotation_in_words
from pbem.trust.times import utc_text

CLOCKS_DIFFER = timedelta(hours=1)
"""Maximum lead of the judge's clock over the player's at which nothing is remarked."""


def remarks_on(
    folder: GameFolder, kept: Chronicle | None, chronicle: Chronicle, member: Membership, judge: PublicKey
) -> list[str]:
    """Return remarks on all that a letter adds to the ledger and that the player should look at."""
    remarks = []
    if kept is None:
        remarks.append(
            f"the judge of {folder.game} has the key {judge.fingerprint}, and the game's first entry has "
            f"the head {chronicle.heads[0]}: compare both with what the club has announced"
        )
    rotated = kept.history.seats.rotations if kept else []
    for one in chronicle.history.seats.rotations[len(rotated) :]:
        remarks += _rotation(one, member, new=kept is None)
    remarks += _acts(kept, chronicle, member.player)
    remarks += _agreed(kept, chronicle, member.player)
    first = chronicle.plays_from(member.player, member.public.fingerprint)
    past = {one.number for one in kept.history.exchanges if one.closed} if kept else set()
    for exchange in chronicle.history.exchanges:
        if exchange.closed is not None and exchange.number not in past:
            remarks += _time_remarks(exchange)
            remarks += _own_remarks(folder, chronicle, exchange.number) if exchange.number >= first else []
    return remarks


def invitation_remarks(folder: GameFolder, letter: ReportLetter, chronicle: Chronicle) -> list[str]:
    """Return remarks on what a game's first letter leaves unsaid, or that another invitation was kept."""
    if letter.kind == REPORT and letter.exchange > 0:
        return []
    if folder.chronicle() is None:
        left = "; ".join(missing_lines(letter.report, chronicle.genesis))
        return (
            [f"the game's first entry says, and this letter does not in these words: {left}"] if left else []
        )
    if letter.kind == REPORT and folder.report(0) not in (None, letter.report):
        return [
            "this is another invitation than the one that was received first, which is kept: compare them"
        ]
    return []


def opened_remarks(letter: ReportLetter, chronicle: Chronicle) -> list[str]:
    """Return a remark on which exchange is open, if the newest counting report was made for another one."""
    current, last = chronicle.history.current, last_report(chronicle.history)
    if letter.kind != REPORT or current is None or last is None or last.number != letter.exchange:
        return []
    if last.number + 1 == current.number:
        return []
    remark = (
        f"the exchanges after {last.number} are void: this report shows where the game stands. "
        f"Exchange {current.number} is open now, and your orders are for it"
    )
    return [remark]


def _rotation(rotation: Rotation, member: Membership, *, new: bool) -> list[str]:
    """Return remarks on a new key; `new` tells whether the game has only now come into this home."""
    said = rotation_in_words(rotation)
    if rotation.player == GM:
        said += f": {rotation.fingerprint}, and no longer {rotation.old}; that key has signed it, or the"
        return [f"{said} recovery key of the genesis; compare it with what the club has announced"]
    if rotation.player == member.player and not new:
        said += "; if that was not your wish, tell the club at once"
    given = [said]
    if any(name == member.player for name, _ in rotation.consents) and not new:
        given.append(f"the ledger says that you have consented to it; if you have not, tell the club: {said}")
    return given


def _acts(kept: Chronicle | None, chronicle: Chronicle, player: str) -> list[str]:
    """Return remarks on the game master's acts since the last letter, and on the consents that they name."""
    known = [act for one in kept.history.exchanges for act in one.acts] if kept else []
    acts = [act for one in chronicle.history.exchanges for act in one.acts]
    remarks = []
    for act in acts[len(known) :]:
        remarks.append(f"the game master, in exchange {act.exchange}: {act.said} ({act.reason})")
        remarks += _consequences(chronicle, act)
        if any(name == player for name, _ in act.consents):
            remarks.append(
                f"the ledger says that you have consented to it; if you have not, tell the club: {act.said}"
            )
    return remarks


def _agreed(kept: Chronicle | None, chronicle: Chronicle, player: str) -> list[str]:
    """Return remarks on deadlines that this player has agreed on, by the ledger, since the last letter."""
    known = {one.text for past in kept.history.exchanges for one in past.extended} if kept else set()
    found = [one for past in chronicle.history.exchanges for one in past.extended]
    return [
        f"the ledger says that you have agreed to end exchange {one.exchange} at {utc_text(one.deadline)}; "
        "if you have not, tell the club"
        for one in found
        if one.text not in known and any(name == player for name, _ in one.consents)
    ]


def _consequences(chronicle: Chronicle, act: Act) -> list[str]:
    """Return remarks on what a game master's act does to the game where the act's words do not say so."""
    remarks = []
    exchanges = chronicle.history.exchanges
    if act.what in VOIDING:
        voided_by = exchanges[act.exchange - 1].voided_by
        void = [str(one.number) for one in exchanges if one.voided_by == voided_by]
        remarks.append(
            f"no longer valid, but still in the ledger: exchange{'s' * (len(void) > 1)} {', '.join(void)}"
        )
    if act.what == CORRECT and act.exchange < len(exchanges):
        remarks.append(
            f"exchange {act.of} was played again as exchange {act.exchange + 1}, "
            "with the same orders and the same dice"
        )
    if act.rules:
        remarks.append(f"the game goes on with another release of this program, which plays {act.rules[:16]}")
    return remarks


def _own_remarks(folder: GameFolder, chronicle: Chronicle, exchange: int) -> list[str]:
    """Return remarks on differences between the files that the ledger received and those the player sent."""
    files = known_files(folder, chronicle, exchange)
    remarks = files_in_words(files)
    if any(one.sealed for one in own_files(files)) and all(one.state != RECEIPTED for one in files):
        remarks.append(
            f"exchange {exchange} was closed without your orders: "
            "the ledger shows that nothing that you sealed was received"
        )
    return remarks


def _time_remarks(exchange: Exchange) -> list[str]:
    """Return remarks on doubtful times of an exchange (protocol 8), which are only the judge's word."""
    remarks = []
    deadline = exchange.opened.deadline
    for extension in exchange.extended:
        if deadline is not None and extension.at > deadline + exchange.paused:
            remarks.append(
                f"the deadline of exchange {exchange.number} was moved only at {utc_text(extension.at)}, "
                f"after it had passed (protocol 8)"
            )
        if deadline is not None and extension.deadline <= deadline:
            remarks.append(
                f"the deadline of exchange {exchange.number} was moved from {utc_text(deadline)} to "
                f"{utc_text(extension.deadline)}, an earlier one (protocol 8)"
            )
        deadline = extension.deadline
    deadline = exchange.deadline
    closed = exchange.closed
    missing = sorted(exchange.awaited - {entry.player for entry in exchange.received})
    if closed and closed.at and deadline and missing and closed.at < deadline:
        remarks.append(
            f"exchange {exchange.number} was closed at {utc_text(closed.at)}, before its deadline "
            f"{utc_text(deadline)}, though {' and '.join(missing)} had not sent (protocol 8)"
        )
    return remarks


def clock_remarks(chronicle: Chronicle, known: int, now: datetime) -> list[str]:
    """Return a remark if the latest entry after the first `known` is dated later than the player's clock."""
    dated = []
    for number in range(known + 1, chronicle.size + 1):
        if (opened := chronicle.opened.get(number)) is not None:
            entry = parse_entry(opened.text)
            if (at := getattr(entry, "at", None)) is not None:
                dated.append((at, number, entry.kind))
    if not dated or (last := max(dated))[0] <= now + CLOCKS_DIFFER:
        return []
    at, number, kind = last
    here = utc_text(now.replace(microsecond=0))
    remark = (
        f"the judge dates entry {number} ({kind}) {utc_text(at)}, and this machine's clock says {here}: "
        f"one of the two clocks is wrong; if it is the judge's, players had more or less time to answer "
        f"than the ledger says (protocol 8)"
    )
    return [remark]


def rules_remarks(chronicle: Chronicle) -> list[str]:
    """Return a remark if the rules of the game differ from those of this program (protocol 12)."""
    name = dict(chronicle.genesis.options).get(GAME_OPTION)
    if name is None:
        return []
    try:
        installed = rules_hash(str(name))
    except PbemError as fault:
        return [f"this program cannot show that the game is played by its rules: {fault}"]
    due = chronicle.history.rules
    if installed == due:
        return []
    remark = (
        f"the game is played by the rules {due[:16]}; this program (pbem {__version__}) has "
        f"{installed[:16]}: checks and forecasts made here may be wrong, and only the release that has those "
        "rules can show that orders were followed; ask the judge which one it is (protocol 12)"
    )
    return [remark]
