"""What the judge writes to players: invitations, reports, receipts. Each goes to its player alone.

A letter is put into the outbox in the same transaction as the entries it tells of. Names of letters are
fixed by what they are about, so that writing one twice keeps one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pbem.judge.addresses import RELAY, addresses_for
from pbem.judge.book import Book
from pbem.judge.store import CheckpointRow, Store
from pbem.rendering import render
from pbem.trust import keys, signature
from pbem.trust.entries import Drawn, Entry, Received, Reported, utc_text
from pbem.trust.ledger import Checkpoint, Receipt
from pbem.trust.letters import (
    COPY,
    NOTICE,
    REPORT,
    REPORT_PADDING,
    OpenEntry,
    Relayed,
    ReportLetter,
    sign_relayed,
    sign_report,
)
from pbem.trust.namespaces import Namespace
from pbem.trust.sealing import pad, seal, to_armor

INVITATION = 0
PUBLIC = "public"


def invite(store: Store, book: Book, judge: keys.PrivateKey) -> None:
    """Ask every player to accept the genesis: the first letter of a game."""
    checkpoint = book.sign(judge)
    for player in book.history.genesis.players:
        text = render(
            "invitation.txt.j2",
            genesis=book.history.genesis,
            player=player,
            head=book.head_at(1),
            opened=book.history.exchanges[0].opened,
        )
        send_report(store, book, judge, checkpoint, INVITATION, player.name, player.side, text)


def send_report(
    store: Store,
    book: Book,
    judge: keys.PrivateKey,
    checkpoint: CheckpointRow,
    exchange: int,
    player: str,
    audience: str,
    text: str,
    kind: str = REPORT,
    name: str = "",
) -> None:
    """Put a report or a notice, and the ledger since the last one, into the outbox."""
    told = _told_before(store, book, checkpoint)
    letter = ReportLetter(
        kind=kind,
        game=book.game,
        exchange=exchange,
        player=player,
        audience=audience,
        report=text,
        leaves=tuple((row.number, row.leaf) for row in book.rows[told:]),
        opened=tuple(
            (row.number, OpenEntry(row.salt, row.text))
            for row, entry in zip(book.rows, book.entries, strict=True)
            if row.number > told and may_open(entry, audience)
        ),
        checkpoint=Checkpoint(game=book.game, size=checkpoint.size, head=checkpoint.head),
        signature=checkpoint.signature,
        addresses=addresses_for(store, book.post, player, _others(book, player)),
    )
    signed = sign_report(letter, judge)
    name = name or f"{book.game}-{exchange:04d}-{kind}.txt"
    current = book.history.current
    until = None if current is None else current.closed.deadline if current.closed else current.deadline
    deadline = utc_text(until) if until else ""
    data = _sealed(store, player, signed, book.history.newest_key(player))
    store.add_letter(book.game, player, name, data, text=text, deadline=deadline)


def notify_close(store: Store, book: Book, judge: keys.PrivateKey) -> None:
    """Tell every player that the open exchange is closed and reveals are due (mode after-close)."""
    exchange = book.history.current
    assert exchange is not None
    checkpoint = book.sign(judge)
    for player in book.history.genesis.players:
        text = render("close.txt.j2", game=book.game, exchange=exchange, player=player)
        send_report(store, book, judge, checkpoint, exchange.number, player.name, player.side, text, NOTICE)


def notify(store: Store, book: Book, judge: keys.PrivateKey, text: str | Mapping[str, str]) -> None:
    """Tell every player of what was just entered; `text` is one for all, or side -> its own."""
    checkpoint = book.sign(judge)
    number = book.history.exchanges[-1].number
    name = f"{book.game}-{number:04d}-{NOTICE}-{checkpoint.size}.txt"
    for player in book.history.genesis.players:
        told = text if isinstance(text, str) else text[player.side]
        send_report(store, book, judge, checkpoint, number, player.name, player.side, told, NOTICE, name)


def relay(store: Store, book: Book, judge: keys.PrivateKey, orders: Received, sealed: bytes) -> None:
    """Pass sealed orders on to the opponents to whom their player could not send them himself."""
    if book.post.copies != RELAY:
        return
    others = _others(book, orders.player)
    direct = addresses_for(store, book.post, orders.player, others).copies
    enrolled = {row.name: row.address for row in store.players()}
    for name in others:
        if enrolled.get(name, "") in direct:
            continue
        passed = Relayed(
            game=book.game, exchange=orders.exchange, player=orders.player, to=name, armor=to_armor(sealed)
        )
        data = _sealed(store, name, sign_relayed(passed, judge), book.history.newest_key(name))
        file = f"{book.game}-{orders.exchange:04d}-{COPY}-{orders.sealed[:12]}.txt"
        store.add_letter(book.game, name, file, data)


def _others(book: Book, player: str) -> list[str]:
    """The opponents of a player."""
    return [other.name for other in book.history.genesis.players if other.name != player]


def _told_before(store: Store, book: Book, checkpoint: CheckpointRow) -> int:
    """The size of the ledger that the players were told of before."""
    return max((row.size for row in store.checkpoints(book.game) if row.size < checkpoint.size), default=0)


def may_open(entry: Entry, audience: str) -> bool:
    """Whether an audience may read an entry while the game runs (protocol 9 and 10)."""
    if isinstance(entry, Drawn):
        return entry.owner == audience
    if isinstance(entry, Reported):
        return entry.audience in (audience, PUBLIC)
    return True


def send_receipt(
    store: Store, receipt: Receipt, words: str, judge: keys.PrivateKey, key: str | None = None
) -> None:
    """Put a receipt and its plain words, each sealed, into the outbox; `receipt.echo` must be theirs.

    `key`: the player's public key, if another has replaced the enrolled one.
    """
    signed = signature.sign_text(judge, Namespace.RECEIPT, receipt.text)
    name = f"{receipt.game}-receipt-{receipt.number:04d}.txt"
    parts = (_sealed(store, receipt.player, text, key) for text in (signed, words.encode()))
    store.add_letter(receipt.game, receipt.player, name, b"\n".join(parts), text=words)


def echo_hash(words: str) -> str:
    """By which a receipt names its plain words."""
    return hashlib.sha256(words.encode()).hexdigest()


def _sealed(store: Store, player: str, text: bytes, key: str | None) -> bytes:
    """Text sealed to a player's key, the enrolled one or `key`, of a size that tells nothing."""
    row = store.player(player)
    assert row is not None, "an enrolled player has a row"
    return to_armor(seal(pad(text, REPORT_PADDING), [keys.parse_public(key or row.key)])).encode()
