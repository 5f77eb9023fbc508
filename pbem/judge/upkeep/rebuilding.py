"""Adds to a restored club the entries of a game that players have handed over, as far as they are proven.

They come as the bundle of everything up to some signed head (pbem.audit.restoration), which fits what the
backup has. The letters are written again as they were, and count as sent: players have them. Of a notice only
that it was sent is known.

A player may keep the newest letter back, so nothing that players hand over shows the highest head that was
sent. A game that was rebuilt goes on only if the counter in the mailbox, the judge's whole sent mail or a
journal shows it; until then, or for good, it is held, and may be put away (protocol 18).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pbem.errors import ConfigError, LedgerError
from pbem.judge.acts import kept_consent, reason_of
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.book import Book, MissingReceipt, await_receipts, load_book, receipt_name
from pbem.judge.club import Club
from pbem.judge.export import ALL, Bundle
from pbem.judge.letters.addresses import post_of, webpage_of
from pbem.judge.letters.letters_out import (
    INVITATION,
    hash_text,
    invitation,
    reader_of,
    send_reports,
    signer_of,
)
from pbem.judge.tables.database import CheckpointRow, EntryRow
from pbem.judge.tables.note_tables import CONTRADICTED, PUT_AWAY, REBUILT
from pbem.play.history import History
from pbem.trust import act_entries, keys
from pbem.trust.entries import Close, Genesis, Received, Reported
from pbem.trust.ledger import EMPTY_HEAD, Checkpoint, Receipt, head, leaf, parse_game_entry
from pbem.trust.letters import NOTICE, REPORT
from pbem.trust.times import utc_text

NOT_SENT_AGAIN = "-"
"""Mark in place of the time of sending, for a letter that was sent and whose text is not kept here."""


def own_files(club: Club, game: str) -> dict[str, bytes]:
    """Return the bundle of all that the backup has of a game; empty if the game is not in the backup."""
    if game not in club.store.games():
        return {}
    return dict(Bundle(club, club.book(game), ALL).files())


def official_key(club: Club, beginnings: Iterable[Mapping[str, bytes]]) -> keys.PublicKey | None:
    """Return the key of a game's second official, if it is known. `beginnings`: files with a genesis."""
    for files in beginnings:
        genesis = parse_game_entry(files["log/0001.entry"])
        if isinstance(genesis, Genesis) and genesis.official:
            line = club.store.key_line(*genesis.official)
            return keys.parse_public(line) if line else None
    return None


def add_rebuilt(club: Club, game: str, size: int, files: Mapping[str, bytes]) -> int:
    """Add the entries of a bundle that the club lacks, with their files; return the number of entries.

    Raises:
        ConfigError: a player of a new game is not enrolled in this club.
        LedgerError: the entries do not fit those that the club has.
    """
    store = club.store
    with store.step():
        known = store.entries(game)
        if game not in store.games():
            _check_enrolled(club, files)
            store.add_game(game)
        before = known[-1].head if known else EMPTY_HEAD
        for number in range(len(known) + 1, size + 1):
            text = files[f"log/{number:04d}.entry"]
            salt = files[f"log/{number:04d}.salt"].decode().removesuffix("\n")
            row = EntryRow(number, text, salt, own := leaf(salt, text), head(game, number, before, own))
            store.add_entry(game, row)
            before = row.head
        signed = _missing_checkpoints(
            files, size, {row.size for row in store.checkpoints(game)}, store.entries(game)
        )
        for checkpoint in signed:
            store.add_checkpoint(game, checkpoint)
        book = load_book(store, game, club.roots(game))
        for name, data in files.items():
            if name.startswith("sealed/"):
                store.add_sealed(name[7:-4], data)
            elif name.startswith("reports/"):
                store.add_sealed(hash_text(data.decode()), data)
        _write_letters(club, book, [row.size for row in signed])
        _note_receipts(club, book, len(known))
        store.put_note(f"{REBUILT}{game}", utc_text(club.clock()))
        club.books.forget(game)
    return size - len(known)


def lost_of(game: str, size: int, signed: Checkpoint | None) -> str:
    """Return words that show that more of a game was signed than could be rebuilt; "" if nothing shows it."""
    if signed is None or signed.size <= size:
        return ""
    said = f"players hold a head of {signed.size} entries of {game} that the judge has signed"
    return f"{said}; {size} could be rebuilt: what is missing is lost"


def await_lost(club: Club, game: str, receipts: Iterable[Receipt]) -> list[MissingReceipt]:
    """Note as awaited the files that players have receipts for and the club lacks; return the receipts."""
    store = club.store
    if game not in store.games():
        return []
    book = club.book(game)
    lost = [
        MissingReceipt(
            signer_of(store, book, one.player, one.exchange).person,
            receipt_name(game, one.number),
            one.sealed,
        )
        for one in receipts
        if one.exchange <= len(book.history.exchanges) and one.player in book.history.playing
    ]
    with store.step():
        await_receipts(store, game, lost)
    return lost


def check_by_hand(club: Club, game: str) -> None:
    """Refuse a head typed in for a rebuilt game, since players' files do not prove the highest head.

    Raises:
        LedgerError: the game was rebuilt, and nothing has shown its highest head.
    """
    store = club.store
    if store.note(f"{REBUILT}{game}") and not store.note(f"{CONTRADICTED}{game}"):  # that is told by itself
        raise LedgerError(
            f"{game} was rebuilt from players' files, and one of them may have a later letter than they "
            "handed over: only the judge's whole sent mail shows that there is none (pbem club confirm "
            f"{game} --sent MAILDIR), or the counter in the mailbox, which the first pass reads; "
            f"without both the game is put away (pbem club put-away {game})"
        )


def _check_enrolled(club: Club, files: Mapping[str, bytes]) -> None:
    genesis = parse_game_entry(files["log/0001.entry"])
    assert isinstance(genesis, Genesis), "it was read"
    for player in genesis.players:
        if not club.store.key_line(player.name, player.fingerprint):
            raise ConfigError(
                f"{genesis.game} was begun after the backup, and {player.name} with the key "
                f"{player.fingerprint} is not enrolled in it: pbem club player add {player.name} JOIN"
            )


def _missing_checkpoints(
    files: Mapping[str, bytes], size: int, known: set[int], rows: Sequence[EntryRow]
) -> list[CheckpointRow]:
    """Return the signed heads in a bundle that the club lacks, by size."""
    names = (name for name in files if name.startswith("checkpoints/") and name.endswith(".sig"))
    sizes = {int(name[12:-4]): files[name] for name in names}
    return [
        CheckpointRow(number, rows[number - 1].head, armor)
        for number, armor in sorted(sizes.items())
        if number <= size and number not in known
    ]


def _write_letters(club: Club, book: Book, sizes: Sequence[int]) -> None:
    """Write the letters with the heads of these sizes again, each by the ledger of its time."""
    if not sizes:
        return
    signed = {row.size: row for row in book.checkpoints()}
    genesis = book.entries[0]
    assert isinstance(genesis, Genesis), "it was read"
    then = Book(book.store, book.game, book.roots, History(genesis), book.rows[:1], book.entries[:1])
    then.post = post_of(club.settings, book.game)
    told = 0
    for number in range(1, book.size + 1):
        if number > 1:
            then.history.add(book.entries[number - 1])
        if number in signed:
            if number in sizes:
                then.rows, then.entries = book.rows[:number], book.entries[:number]
                _write_again(club, then, signed[number], told)
            told = number


def _write_again(club: Club, book: Book, checkpoint: CheckpointRow, told: int) -> None:
    """Write the letters of one head again: a report, an invitation, or the mark that a notice was sent."""
    store, since = club.store, book.entries[told:]
    if reported := [one for one in since if isinstance(one, Reported)]:
        exchange = reported[-1].exchange
        texts = {one.audience: store.named_file(one.sha256).decode() for one in reported}
        _send(club, book, checkpoint, exchange, texts)
    elif told == 0:
        page, clock = webpage_of(club.settings), club.rhythm(book.game).in_words
        texts = {one.side: invitation(book, one, page, clock) for one in book.history.genesis.players}
        _send(club, book, checkpoint, INVITATION, texts)
    else:
        number = book.history.exchanges[-1].number
        mark = "" if isinstance(book.entries[-1], Close) else f"-{checkpoint.size}"
        name = f"{book.game}-{number:04d}-{NOTICE}{mark}.txt"
        for player in book.history.genesis.players:
            person = reader_of(store, book, player.name).person
            store.add_letter(book.game, person, name, b"")
            _mark_sent(club, book, person, name, NOT_SENT_AGAIN)


def _send(club: Club, book: Book, checkpoint: CheckpointRow, exchange: int, texts: Mapping[str, str]) -> None:
    send_reports(club.store, book, club.key, checkpoint, exchange, texts)
    name = f"{book.game}-{exchange:04d}-{REPORT}.txt"
    for player in book.history.genesis.players:
        person = reader_of(club.store, book, player.name).person
        _mark_sent(club, book, person, name, utc_text(_time_of(book) or club.clock()))


def _mark_sent(club: Club, book: Book, person: str, name: str, at: str) -> None:
    letter = club.store.letter_named(book.game, person, name)
    assert letter is not None, "it was written just now"
    if not letter.sent:
        club.store.mark_sent(letter.id, at)


def _time_of(book: Book) -> datetime | None:
    """Return the date of a ledger's last entry that has one."""
    dates = (getattr(entry, "at", None) for entry in reversed(book.entries))
    return next((at for at in dates if at is not None), None)


def _note_receipts(club: Club, book: Book, known: int) -> None:
    """Note that receipts were sent for the files that were added to a rebuilt game."""
    counts: dict[str, int] = {}
    for number, entry in enumerate(book.entries, 1):
        if not isinstance(entry, Received):
            continue
        counts[entry.player] = counts.get(entry.player, 0) + 1
        if number > known:
            person = signer_of(club.store, book, entry.player, entry.exchange).person
            name = receipt_name(book.game, counts[entry.player])
            club.store.add_letter(book.game, person, name, b"", sealed=entry.sealed)
            _mark_sent(club, book, person, name, NOT_SENT_AGAIN)


def put_away(club: Club, game: str, reason: str, consents: Iterable[bytes]) -> str:
    """Put away a game that cannot go on after a restore; return one line about the end.

    Raises:
        ConfigError: the game does not wait after a restore, or a reason or a consent is missing.
    """
    with club.store.step():
        book = club.book(game)
        if game not in unconfirmed_ledgers(club):
            raise ConfigError(
                f"{game} does not wait after a restore; a game that goes on is ended by pbem game act {game}"
            )
        exchange = book.history.current
        assert exchange is not None, "a game that waits is not over"
        last = club.store.checkpoints(game)[-1]
        what = f"{act_entries.PUT_AWAY} {last.size} {last.head}"
        given = {kept_consent(club, book, exchange, what, text).by for text in consents}
        official = book.history.genesis.official
        missing = sorted(set(book.history.playing) - given)
        if missing and (official is None or official[0] not in given):
            raise ConfigError(
                f"{game} is not put away: {' and '.join(missing)} must consent, or the second official; a "
                f"consent is made with 'pbem sign consent {game} {exchange.number} {what} --as NAME'"
            )
        facts = {
            "at": utc_text(club.clock()),
            "reason": reason_of(reason),
            "lost": club.store.note(f"{CONTRADICTED}{game}"),
            "consents": sorted(given),
        }
        club.store.put_note(f"{PUT_AWAY}{game}", json.dumps(facts, sort_keys=True))
        text = (
            f"{game} is put away: the judge was restored from a backup, and what was signed since is\n"
            "lost, so nothing is signed of it again. As far as the judge knows it ended with\n"
            f"exchange {exchange.number}, without a result.\n"
            f"Consent was given by {' and '.join(sorted(given))}.\nReason: {facts['reason']}\n"
        )
        for player in book.history.genesis.players:
            person = book.history.seats.person(player.name)
            club.store.add_letter(game, person, f"{game}-put-away.txt", b"", text=text)
    return f"{game} is put away; its players are told, and nothing is signed of it again"
