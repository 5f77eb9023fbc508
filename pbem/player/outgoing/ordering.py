"""The signing and sealing of orders. No other module gives a step of the player's chain away.

Knowing step i is knowing every step before it, so step i is revealed only if the ledger that was verified,
under the judge's signature, has opened exchange i and resolved the one before; a draft's word for it counts
for nothing. In games that reveal after the close, orders carry no step, and step i is revealed only when
that ledger has closed exchange i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pbem.characters import strip_blanks
from pbem.errors import PbemError
from pbem.orders.base import faults_in_words
from pbem.play.history import READY, Exchange
from pbem.player.faults import Refused
from pbem.player.incoming.mail_parts import missing_remarks
from pbem.player.keyring import LOST, Keyring
from pbem.player.outgoing.drafts import NOTES_OPEN, check_orders, is_first_note
from pbem.player.store.game_papers import Chronicle, Proven
from pbem.player.store.game_store import Folder, GameFolder, Membership, position_in
from pbem.player.store.known_files import known_files, may_count, own_files, refile_in_words
from pbem.trust.act_entries import Consent, sign_consent
from pbem.trust.chance import Chain, Reveal, check_reveal
from pbem.trust.entries import AFTER_CLOSE, Enrolled
from pbem.trust.faults import ChainFault, KeyFault, TrustFault
from pbem.trust.identifiers import Namespace, quote
from pbem.trust.keys import PrivateKey, parse_public
from pbem.trust.orderfile import (
    Draft,
    ExpectedFile,
    LateReveal,
    OrderFile,
    Seen,
    Standing,
    check_counts,
    check_late,
    check_writable,
    parse_late_reveal,
    parse_orders,
)
from pbem.trust.sealing import MAX_SEALED_REVEAL_SIZE, sealed_name, to_armor
from pbem.trust.signature import sign_text
from pbem.trust.times import utc_text

SHOWS_LENGTH = "this file is larger than most: others on its way can see that you wrote a lot, but not what"
UNTIL_THEN = (
    "until then what you sent before goes on to count, and else what the rules do for one who sends nothing"
)
"""The consequence for a player as long as none of the keys that they still have counts."""
BARE = Draft(game=None, exchange=None, side=None, body="", body_line=1)
"""A draft that orders nothing; its file only accepts the genesis, or brings the player's reveal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedOrders:
    """A sealed file of orders or of a reveal, for the judge and the opponents."""

    game: str
    exchange: int
    rev: int
    """The revision of the orders; 0 for a reveal after the close."""
    sealed: bytes
    remarks: tuple[str, ...] = ()

    @property
    def armor(self) -> str:
        """Return the sealed file as text for a mail."""
        return to_armor(self.sealed)

    @property
    def name(self) -> str:
        """The hash by which ledger and receipts name the sealed file."""
        return sealed_name(self.sealed)


def seal_orders(
    folder: GameFolder, keyring: Keyring, draft: Draft, clock: Callable[[], datetime]
) -> SealedOrders:
    """Complete a draft from the verified ledger, sign it and seal it.

    Raises:
        Refused: the draft does not belong to the exchange that is open.
    """
    member, chronicle, enrolled = _standing(folder)
    exchange = _open_exchange(chronicle, draft)
    if draft.side is not None and draft.side != enrolled.side:
        raise Refused(f"these orders are for {draft.side}; you play {enrolled.side} in {folder.game}")
    key = signing_key(folder, keyring, member, chronicle, exchange)
    orders = OrderFile(
        game=folder.game,
        exchange=exchange.number,
        player=member.player,
        side=enrolled.side,
        rev=1,
        seal=exchange.seals[member.player],
        seen=Seen(chronicle.size, chronicle.head),
        reveal=_reveal_with_orders(folder, chronicle, enrolled, exchange),
        body=draft.body,
    )
    sign_text(key, Namespace.ORDERS, orders.text)  # fails before a revision is taken, if it cannot be signed
    refuse_uncounted(orders, key, chronicle.history.standing_of(exchange, member.player, chronicle.head_at))
    rev, text, again = reserve(folder, chronicle, orders, key)
    sealed = folder.sent_files.finish(exchange.number, rev, key, parse_orders(text).seal)
    remarks = [f"these orders were sealed before; this is the same file, revision {rev}"] if again else []
    if key.public != member.public:
        remarks.append(f"signed with the key that took the place of your first one: {key.public.fingerprint}")
    remarks += refile_in_words(known_files(folder, chronicle, exchange.number), rev)
    remarks += [SHOWS_LENGTH] if len(sealed) > MAX_SEALED_REVEAL_SIZE else []
    remarks += _remarks(folder, chronicle, exchange, draft, enrolled, clock())
    return SealedOrders(
        game=folder.game, exchange=exchange.number, rev=rev, sealed=sealed, remarks=tuple(remarks)
    )


def sign_consent_now(
    folder: GameFolder, keyring: Keyring, chronicle: Chronicle, exchange: Exchange, to: str
) -> bytes:
    """Return the signed consent of a seat's player in the open exchange, by all that this home has."""
    member = folder.membership()
    said = Consent(
        game=folder.game,
        genesis=chronicle.heads[0],
        seen=(chronicle.size, chronicle.head),
        exchange=exchange.number,
        by=member.player,
        to=to,
    )
    return sign_consent(said, signing_key(folder, keyring, member, chronicle, exchange))


def signing_key(
    folder: GameFolder, keyring: Keyring, member: Membership, chronicle: Chronicle, exchange: Exchange
) -> PrivateKey:
    """Return the player's key that is valid in an exchange: the one that they joined with, or a later one."""
    if (line := chronicle.history.seats.key_line(member.player, exchange.number)) is not None:
        for name in keyring.names():
            if keyring.public(name).line == line:
                return keyring.unlock(name)
        raise Refused(
            f"in exchange {exchange.number} {member.player} signs with {parse_public(line).fingerprint}, "
            "and that key is not in this home"
        )
    newest = chronicle.history.seats.newest(member.player)
    if newest is not None and newest.starts > exchange.number and not keyring.is_here(member.key_file):
        raise Refused(
            f"in exchange {exchange.number} {member.player} still signs with {member.public.fingerprint}, "
            f"which is not in this home; the key {newest.fingerprint} counts from exchange {newest.starts} "
            f"on; {UNTIL_THEN}"
        )
    try:
        key = keyring.unlock(member.key_file)
    except KeyFault as fault:
        if fault.reason != LOST:
            raise
        raise KeyFault(f"{fault}; {UNTIL_THEN}", reason=LOST) from None
    if (due := chronicle.history.seats.fingerprint(member.player, exchange.number)) != (
        member.public.fingerprint
    ):
        raise Refused(
            f"in exchange {exchange.number} {member.player} signs with {due}; your new key counts only "
            f"later; {UNTIL_THEN}"
        )
    if key.public != member.public:
        raise Refused(
            f"the key {member.key_file} is no longer the one that you joined {folder.game} with: "
            f"it is {key.public.fingerprint}, and was {member.public.fingerprint}"
        )
    return key


def check_key(folder: GameFolder, keyring: Keyring) -> None:
    """Check that the key that signs in the open exchange is here. Raises Refused, KeyFault."""
    member, chronicle, _ = _standing(folder)
    signing_key(folder, keyring, member, chronicle, _current(chronicle))


def seal_reveal(folder: GameFolder, keyring: Keyring, clock: Callable[[], datetime]) -> SealedOrders:
    """Sign and seal the reveal of an exchange that was closed.

    Raises:
        Refused: the verified ledger does not show that close, or orders carry the reveals in this game.
    """
    member, chronicle, enrolled = _standing(folder)
    if chronicle.genesis.mode != AFTER_CLOSE:
        raise Refused(f"in {folder.game} your orders hold the reveal; pbem seal puts it in")
    exchange = _current(chronicle)
    if exchange.closed is None:
        raise Refused(
            f"exchange {exchange.number} of {folder.game} is not closed in your ledger "
            f"({chronicle.size} entries): nothing is revealed before"
        )
    head = chronicle.head_at(exchange.closed_at)
    assert head is not None
    if (who := chronicle.history.seats.chain_of(enrolled.name, exchange.number)) is None:
        raise Refused(f"you have no chain that counts in exchange {exchange.number}: nothing is revealed")
    late = LateReveal(
        game=folder.game,
        exchange=exchange.number,
        player=member.player,
        seen=Seen(exchange.closed_at, head),
        reveal=_step(folder, chronicle, who, exchange),
    )
    parse_late_reveal(late.text)
    try:
        check_late(late, exchange.closed_at, chronicle.head_at, chronicle.history.known(who))
    except TrustFault as fault:
        raise Refused(f"nothing is revealed: {fault}") from None
    remarks = []
    deadline = exchange.closed.deadline
    if deadline is not None and clock() > deadline:
        remarks.append(f"reveals were due until {utc_text(deadline)}")
    key = signing_key(folder, keyring, member, chronicle, exchange)
    sealed = folder.sent_files.finish_reveal(exchange.number, late.text, key, exchange.seals[member.player])
    return SealedOrders(
        game=folder.game, exchange=exchange.number, rev=0, sealed=sealed, remarks=tuple(remarks)
    )


def _standing(folder: GameFolder) -> tuple[Membership, Chronicle, Enrolled]:
    """Return membership, verified ledger and enrolment of a game; refuse if its judge has signed a fork."""
    member = folder.membership()
    if (chronicle := folder.chronicle()) is None:
        raise Refused(
            f"the invitation to {folder.game} has not been received here, so this home does not know which "
            f"exchange is open"
        )
    refuse_forked(folder.game, [str(fork) for fork in folder.judge_statements.forks()])
    enrolled = chronicle.enrolled_player(member.player)
    assert enrolled is not None, "checked when the invitation was received"
    return member, chronicle, enrolled


def _current(chronicle: Chronicle) -> Exchange:
    """Return the exchange of a game that is open and not resolved."""
    if (exchange := chronicle.history.current) is None:
        over = "the game is over" if chronicle.history.over else "no exchange is open"
        raise Refused(f"{over}: the ledger of {chronicle.game} in this home has {chronicle.size} entries")
    return exchange


def _open_exchange(chronicle: Chronicle, draft: Draft) -> Exchange:
    """Return the exchange of a game that takes orders; the draft must be for it."""
    exchange = _current(chronicle)
    if draft.exchange is not None and draft.exchange > exchange.number:
        raise Refused(
            f"these orders are for exchange {draft.exchange}; your ledger has opened exchange "
            f"{exchange.number}, and no later one, so no later step may be revealed"
        )
    if draft.exchange is not None and draft.exchange < exchange.number:
        raise Refused(
            f"these orders are for exchange {draft.exchange}, which is over; {chronicle.game} is at exchange "
            f"{exchange.number}"
        )
    if exchange.closed is not None:
        raise Refused(f"exchange {exchange.number} of {chronicle.game} is closed: it is too late for orders")
    return exchange


def _reveal_with_orders(
    folder: GameFolder, chronicle: Chronicle, enrolled: Enrolled, exchange: Exchange
) -> Reveal | None:
    who = chronicle.history.seats.chain_of(enrolled.name, exchange.number)
    if who is None or chronicle.genesis.mode == AFTER_CLOSE:
        return None
    return _step(folder, chronicle, who, exchange)


def _step(folder: GameFolder, chronicle: Chronicle, who: str, exchange: Exchange) -> Reveal:
    """Return the player's step for the exchange that the verified ledger has opened, and for no other one."""
    current = chronicle.history.current
    assert current is not None
    assert current.number == exchange.number
    known = chronicle.history.known(who)
    chain = folder.chain(who)
    if chain is None:
        raise Refused(f"the secret of your chain is missing: {folder.secret_path(who)}")
    return leaving_step(folder.game, chain, exchange.number, known, folder.secret_path(who))


def leaving_step(ledger: str, chain: Chain, number: int, known: Reveal | None, secret: Path) -> Reveal:
    """Return the step of a chain for an exchange or call that the verified ledger has opened.

    `known`: the latest step that this ledger shows; `secret`: where the chain's secret lies, for the fault.

    Raises:
        Refused: the secret is not that of the chain, or the step is not the next that may be shown.
    """
    reveal = Reveal(chain.who, number, chain.reveal(number))
    try:
        if known is None:
            raise ChainFault(f"nothing anchors {chain.who}")
        check_reveal(ledger, reveal, known)
    except PbemError:
        raise Refused(f"the secret in {secret} does not belong to your chain in the ledger") from None
    return reveal


def refuse_uncounted(orders: OrderFile, key: PrivateKey, standing: Standing) -> None:
    """Refuse a file of orders that judge and audit would not count, whether its revision is free or not.

    Raises:
        Refused: the file would not count, or would show a step before its time.
    """
    due = ExpectedFile(
        game=orders.game,
        exchange=orders.exchange,
        player=orders.player,
        side=orders.side,
        key=key.public,
        seal=orders.seal,
    )
    try:
        check_counts(orders, due, replace(standing, revisions=frozenset()))
    except TrustFault as fault:
        raise Refused(f"nothing is signed for {orders.game}, because it would not count: {fault}") from None


def refuse_forked(name: str, evidence: Sequence[str]) -> None:
    """Refuse to sign for a game or league if its judge has signed two histories. Raises Refused."""
    if evidence:
        raise Refused(
            f"the judge of {name} has signed two histories ({evidence[0]}): "
            "nothing more is signed for it; when the club has decided, move that folder to another place"
        )


def reserve(folder: Folder, chronicle: Proven, orders: OrderFile, key: PrivateKey) -> tuple[int, bytes, bool]:
    """Reserve a revision for an order file; return its number, bytes, and whether it was sealed before.

    Orders equal to the last ones are those: nothing new is signed for them, unless with a new key, or if that
    file cannot count because it was refused or another file of the player's has its number, or a later one.
    """
    body = check_writable(orders.text).body
    sent = folder.sent_files.orders_of(orders.exchange)
    files = known_files(folder, chronicle, orders.exchange)
    signer = folder.sent_files.signer(sent[-1].exchange, sent[-1].rev) if sent else None
    is_same = bool(sent) and parse_orders(sent[-1].text).body == body and signer in (None, key.public)
    if is_same and may_count(files, own_files(files)[-1]):
        return sent[-1].rev, sent[-1].text, sent[-1].sealed is not None
    rev = max((file.rev for file in files), default=0) + 1
    while True:
        text = replace(orders, rev=rev).text
        check_writable(text)
        if folder.sent_files.reserve(orders.exchange, rev, text):
            return rev, text, False
        rev += 1


def _remarks(
    folder: GameFolder,
    chronicle: Chronicle,
    exchange: Exchange,
    draft: Draft,
    enrolled: Enrolled,
    now: datetime,
) -> list[str]:
    remarks = []
    if exchange.deadline is not None and now > exchange.deadline:
        remarks.append(
            f"the deadline was {utc_text(exchange.deadline)}: this counts only if it comes before the "
            f"judge closes the exchange"
        )
    if chronicle.genesis.mode == AFTER_CLOSE:
        remarks.append(
            f"this holds no reveal: when the exchange is closed, send one, by pbem reveal {folder.game}"
        )
    remarks += missing_remarks(folder.judge_statements.receipts(), folder, chronicle)
    report = position_in(folder, chronicle, exchange)
    if is_first_note(folder, report or "", draft.body):
        remarks.append(NOTES_OPEN)
    if exchange.number == READY and strip_blanks(draft.body):
        remarks.append(f"exchange {READY} only accepts the game: your lines in it do not count")
    if strip_blanks(draft.body) and report is not None:
        remarks += _order_remarks(chronicle, enrolled.side, report, draft)
    return remarks


def _order_remarks(chronicle: Chronicle, side: str, report: str, draft: Draft) -> list[str]:
    try:
        faults = check_orders(chronicle.history.corrected, side, report, draft)
    except Exception as bug:  # noqa: BLE001 - orders must leave in time even if the check is broken
        return [f"the orders were signed without a check, because the check failed ({quote(str(bug))})"]
    return [f"these orders were sealed, but look at them again:\n{faults_in_words(faults)}"] if faults else []
