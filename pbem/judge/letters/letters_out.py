"""Writes the judge's letters: invitations, notices, reports, copies, receipts; each goes to one player alone.

A letter is put into the outbox in the same transaction as the entries it tells of. Names of letters are
fixed by what they are about, so that writing one twice keeps one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pbem.guides import chosen_options, guide_to, title_of
from pbem.judge.book import Book, LedgerBook, receipt_name
from pbem.judge.letters.addresses import RELAY, WebPage, addresses_for
from pbem.judge.tables.database import OVER, CheckpointRow
from pbem.judge.tables.packing import Part, Unsealed
from pbem.judge.tables.store import Store
from pbem.rendering import render
from pbem.reports.packing import unpack_view
from pbem.rules.base import EVERYBODY, read_head
from pbem.steps import Step
from pbem.trust import keys, signature
from pbem.trust.entries import GAME_OPTION, Drawn, Enrolled, Entry, Received, Reported
from pbem.trust.identifiers import Namespace
from pbem.trust.ledger import Checkpoint, Receipt, echo_salt
from pbem.trust.letters import (
    COPY,
    FORECAST,
    NOTICE,
    REPORT,
    ForecastLetter,
    OpenEntry,
    OrdersCopy,
    ReportLetter,
    sign_copy,
    sign_forecast,
    sign_report,
    with_salt,
    without_salt,
)
from pbem.trust.rotations import GM, Rotation
from pbem.trust.sealing import COPY_UNIT, RECEIPT_SIZE, common_size, cut_text, seal, size_for, to_armor
from pbem.trust.times import clock_line, utc_text

INVITATION = 0
PUBLIC = "public"
_SIGNED = 2_048
"""Maximum size in bytes of the head of a forecast letter and its signature together."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The person who gets a seat's letters, and the key that they are sealed to."""

    person: str
    key: keys.PublicKey


def reader_of(store: Store, book: Book, player: str) -> Reader:
    """Return the person who now gets a seat's letters, with their key."""
    seats = book.history.seats
    return _reader(store, book, player, seats.person(player), seats.newest(player))


def signer_of(store: Store, book: Book, player: str, exchange: int) -> Reader:
    """Return the person who signs for a seat in an exchange, with their key.

    Letters about the orders of that exchange go to this person, even if they have left the seat.
    """
    return _reader(store, book, player, *book.history.seats.signer(player, exchange))


def _reader(store: Store, book: Book, player: str, person: str, newest: Rotation | None) -> Reader:
    enrolled = next(one for one in book.history.genesis.players if one.name == player)
    key = newest.key if newest else store.key_line(player, enrolled.fingerprint)
    return Reader(person, keys.parse_public(key))


def invite(
    store: Store, book: Book, judge: keys.PrivateKey, page: WebPage | None = None, clock: str = ""
) -> None:
    """Send each player a game's first letter, which asks to accept the genesis.

    `page`: the club's page. `clock`: the rules of the game's deadlines, in words.
    """
    texts = {player.side: invitation(book, player, page, clock) for player in book.history.genesis.players}
    send_reports(store, book, judge, book.sign(judge), INVITATION, texts)


def invitation(book: Book, player: Enrolled, page: WebPage | None = None, clock: str = "") -> str:
    """Return the text that asks a player to accept the genesis; `page` and `clock` are as for `invite`."""
    genesis = book.history.genesis
    options = dict(genesis.options)
    rules = str(options.pop(GAME_OPTION, ""))
    text = render(
        "invitation.txt.j2",
        genesis=genesis,
        rules=rules,
        guide=guide_to(rules),
        title=title_of(rules),
        page=page,
        chosen=chosen_options(rules, options),
        player=player,
        accept=Step.INVITED.command(game=book.game),
        head=book.head_at(1),
        opened=book.history.exchanges[0].opened,
    )
    text += clock_line(clock) if clock else ""
    return f"{text}\n{render('mail/rated.txt.j2')}" if genesis.rated else text


def send_roots(store: Store, book: Book) -> None:
    """Send a game's second official the judge's secrets of the game, sealed to them alone (trust 12.19).

    What the seal holds is the file keys/roots, so that age alone opens it.
    """
    official = book.history.genesis.official
    if official is None:
        return
    key = keys.parse_public(store.key_line(*official))
    text = render("mail/roots.txt.j2", game=book.game, head=book.head_at(1))
    data = to_armor(seal(book.roots.text, [key])).encode()
    store.add_letter(book.game, official[0], f"{book.game}-roots.txt", data, text=text)


def send_reports(
    store: Store,
    book: Book,
    judge: keys.PrivateKey,
    checkpoint: CheckpointRow,
    exchange: int,
    texts: Mapping[str, str],
    kind: str = REPORT,
    name: str = "",
    readers: Mapping[str, Reader | None] | None = None,
) -> None:
    """Put a report or notice for every player, with the new entries of the ledger, into the outbox.

    `texts`: side -> its text; that of the public is sent to nobody, and gives the game's time that mails
    may tell. The letters are all of one size. `readers`: seat -> the reader who gets the letter instead of
    the seat's present one; None: nobody gets it.
    """
    moment = moment_of(texts.get(PUBLIC, ""))
    letters = []
    for player in book.history.genesis.players:
        reader = (readers or {}).get(player.name, reader_of(store, book, player.name))
        if reader is not None:
            letter = _report(store, book, checkpoint, exchange, player, reader, texts[player.side], kind)
            letters.append((reader, texts[player.side], sign_report(letter, judge)))
    size = common_size(signed for _, _, signed in letters)
    name = name or f"{book.game}-{exchange:04d}-{kind}.txt"
    for reader, text, signed in letters:
        _queue_letter(
            store,
            book,
            reader,
            name,
            unsealed_letter(reader.key, (signed, size), base=hash_text(text)),
            text,
            moment,
        )


def send_whole(
    store: Store,
    book: Book,
    judge: keys.PrivateKey,
    checkpoint: CheckpointRow,
    exchange: int,
    player: Enrolled,
    texts: Mapping[str, str],
    kind: str,
    name: str,
) -> None:
    """Put one report or notice for one seat, with the whole ledger, into the outbox."""
    reader, text = reader_of(store, book, player.name), texts[player.side]
    letter = _report(store, book, checkpoint, exchange, player, reader, text, kind, whole=True)
    signed = sign_report(letter, judge)
    data = unsealed_letter(reader.key, (signed, common_size([signed])), base=hash_text(text))
    _queue_letter(store, book, reader, name, data, text, moment_of(texts.get(PUBLIC, "")))


def moment_of(public: str) -> str:
    """Return the game's time in a report to the public; OVER if the game is over, "" without a report."""
    view = unpack_view(public)
    if view is None:
        return ""
    head = read_head(view)
    return OVER if head.outcome is not None else " ".join(head.moment[:2])


def _report(
    store: Store,
    book: Book,
    checkpoint: CheckpointRow,
    exchange: int,
    player: Enrolled,
    reader: Reader,
    text: str,
    kind: str,
    *,
    whole: bool = False,
) -> ReportLetter:
    """Return the letter with a seat's report, and the ledger's entries since the last one or all of them."""
    told = 0 if whole else _told_before(store, book, checkpoint)
    return ReportLetter(
        kind=kind,
        game=book.game,
        exchange=exchange,
        player=player.name,
        audience=player.side,
        report=text,
        leaves=tuple((row.number, row.leaf) for row in book.rows[told:]),
        opened=tuple(
            (row.number, OpenEntry(row.salt, row.text))
            for row, entry in zip(book.rows, book.entries, strict=True)
            if row.number > told and may_open(entry, player.side)
        ),
        proofs=tuple(
            store.named_file(entry.text_sha256)
            for row, entry in zip(book.rows, book.entries, strict=True)
            if row.number > told and isinstance(entry, Rotation) and entry.player == GM
        ),
        checkpoint=Checkpoint(game=book.game, size=checkpoint.size, head=checkpoint.head),
        signature=checkpoint.signature,
        addresses=addresses_for(store, book.post, reader.person, _people(book, _others(book, player.name))),
    )


def _queue_letter(
    store: Store, book: Book, reader: Reader, name: str, data: Unsealed, text: str, moment: str
) -> None:
    current = book.history.current
    until = None if current is None else current.closed.deadline if current.closed else current.deadline
    deadline = utc_text(until) if until else ""
    store.add_letter(
        book.game, reader.person, name, data,
        text=text, deadline=deadline, key=reader.key.line, moment=moment,
    )  # fmt: skip


def notify_close(store: Store, book: Book, judge: keys.PrivateKey) -> None:
    """Write to every player that the open exchange is closed and reveals are due (mode after-close)."""
    exchange = book.history.current
    assert exchange is not None
    reveal = Step.REVEAL.command(game=book.game, exchange=exchange.number)
    text = render("close.txt.j2", game=book.game, exchange=exchange, reveal=reveal)
    texts = dict.fromkeys((player.side for player in book.history.genesis.players), text)
    send_reports(store, book, judge, book.sign(judge), exchange.number, texts, NOTICE)


def notify(
    store: Store,
    book: Book,
    judge: keys.PrivateKey,
    text: str | Mapping[str, str],
    readers: Mapping[str, Reader | None] | None = None,
) -> None:
    """Notify every player of the ledger's last entry; `text`: one for all, or side -> its text.

    `readers`: seat -> the reader who gets the notice instead of the seat's present one; None tells nobody.
    """
    checkpoint = book.sign(judge)
    number = book.history.exchanges[-1].number
    name = f"{book.game}-{number:04d}-{NOTICE}-{checkpoint.size}.txt"
    sides = [player.side for player in book.history.genesis.players]
    texts = dict.fromkeys(sides, text) if isinstance(text, str) else text
    send_reports(store, book, judge, checkpoint, number, texts, NOTICE, name, readers)


def relay(store: Store, book: Book, judge: keys.PrivateKey, orders: Received, sealed: bytes) -> None:
    """Send sealed orders on to the opponents to whom their player could not send them.

    The letter is signed, so that it proves that the judge had the orders.
    """
    if book.post.copies != RELAY:
        return
    others = _others(book, orders.player)
    person, _ = book.history.seats.signer(orders.player, orders.exchange)
    direct = addresses_for(store, book.post, person, _people(book, others)).copies
    for name in others:
        reader = reader_of(store, book, name)
        if store.address(reader.person) in direct:
            continue
        passed = OrdersCopy(
            game=book.game, exchange=orders.exchange, player=orders.player, to=name, armor=to_armor(sealed)
        )
        data = unsealed_letter(reader.key, (sign_copy(passed, judge), COPY_UNIT), base=orders.sealed)
        file = f"{book.game}-{orders.exchange:04d}-{COPY}-{orders.sealed[:12]}.txt"
        store.add_letter(book.game, reader.person, file, data)


def send_receipt(
    store: Store,
    book: LedgerBook,
    game: str,
    entry: Received,
    number: int,
    reader: Reader,
    words: str,
    judge: keys.PrivateKey,
) -> None:
    """Put a numbered receipt for a player's file, with its plain words, into the outbox."""
    size = size_for(store.named_file(entry.sealed))
    said = with_salt(words, echo_salt(book.roots.salt, game, entry.sealed), size)
    receipt = Receipt(
        game=game,
        exchange=entry.exchange,
        player=entry.player,
        rev=entry.rev,
        sealed=entry.sealed,
        number=number,
        echo=hash_text(said),
    )
    signed = signature.sign_text(judge, Namespace.RECEIPT, receipt.text)
    data = unsealed_letter(reader.key, (signed, RECEIPT_SIZE), (said.encode(), size))
    store.add_letter(
        game, reader.person, receipt_name(game, number), data, text=without_salt(said), sealed=entry.sealed
    )


def send_forecast(store: Store, book: Book, judge: keys.PrivateKey, entry: Received, forecast: str) -> None:
    """Put the forecast of a received order file into the outbox, sealed to who gets the seat's letters."""
    size = size_for(store.named_file(entry.sealed))
    foretold = ForecastLetter(
        game=book.game,
        exchange=entry.exchange,
        player=entry.player,
        sealed=entry.sealed,
        forecast=cut_text(forecast, size - _SIGNED),
    )
    reader = reader_of(store, book, entry.player)
    name = f"{book.game}-{entry.exchange:04d}-{FORECAST}-{entry.rev}.txt"
    data = unsealed_letter(reader.key, (sign_forecast(foretold, judge), size))
    store.add_letter(book.game, reader.person, name, data, text=foretold.forecast)


def _others(book: Book, player: str) -> list[str]:
    """Return the opponents of a player in a game."""
    return [other.name for other in book.history.genesis.players if other.name != player]


def _people(book: Book, players: list[str]) -> list[str]:
    """Return the names of the people in these seats of a game."""
    return [book.history.seats.person(player) for player in players]


def _told_before(store: Store, book: Book, checkpoint: CheckpointRow) -> int:
    """Return the number of a game's ledger entries at the signed head before a given one; 0 if none."""
    return max((row.size for row in store.checkpoints(book.game) if row.size < checkpoint.size), default=0)


def may_open(entry: Entry, audience: str) -> bool:
    """Tell whether an audience may read a ledger entry while the game runs (protocol 9 and 10)."""
    if isinstance(entry, Drawn):
        return entry.owner in (audience, EVERYBODY)
    if isinstance(entry, Reported):
        return entry.audience in (audience, PUBLIC)
    return True


def unsealed_letter(key: keys.PublicKey, *parts: Part | tuple[bytes, int], base: str = "") -> Unsealed:
    """Return an unsealed letter of texts with their padded sizes; `key`: its reader's key.

    `base`: the SHA-256 of a file in the database that the letter largely repeats; "" if there is none.
    """
    return Unsealed(key.line, tuple(Part(*part) for part in parts), base)


def hash_text(text: str) -> str:
    """Return the hash by which a ledger names a text."""
    return hashlib.sha256(text.encode()).hexdigest()
