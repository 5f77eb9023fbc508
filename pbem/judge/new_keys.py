"""Enters new keys: a seat's own, one by consent or that of a substitute, and the judge's signing key.

Whoever receives the next letter finds in it what the old or the recovery key has signed, and believes the
judge's new key by that alone. Games that are over keep the key that signed them.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.errors import ConfigError
from pbem.judge.acts import kept_consent, reason_of, refuse_namesake
from pbem.judge.adjudication import replay
from pbem.judge.book import Book, check_restored
from pbem.judge.club import GM, Club, finish_new_key, open_club
from pbem.judge.intake.player_files import key_of
from pbem.judge.letters.addresses import webpage_of
from pbem.judge.letters.letters_out import (
    INVITATION,
    PUBLIC,
    Reader,
    invitation,
    notify,
    reader_of,
    send_whole,
)
from pbem.judge.letters.wishes import refuse_unwilling
from pbem.judge.shown_games import last_report
from pbem.play.history import Exchange
from pbem.trust import keys
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import parse_public, write_private_file
from pbem.trust.letters import REPORT
from pbem.trust.rotations import (
    KeyChange,
    Rotation,
    read_rotation,
    rotation_in_words,
    sign_rotation,
    verify_rotation,
)


def rotate(club: Club, data: bytes, *, reason: str = "", consents: Iterable[bytes] = ()) -> str:
    """Enter a seat's new key, notify all players, send the seat its letters anew; return a line about it.

    Raises:
        ConfigError: the key cannot be entered in the game now. SealError: a signature does not hold.
    """
    file = read_rotation(data)
    change = file.change
    with club.store.step():
        book = club.book(change.game)
        refuse_namesake(book, change.genesis, "this rotation is for")
        exchange, seats = _current(book, change), book.history.seats
        given = [kept_consent(club, book, exchange, change.consent, text) for text in consents]
        entry = Rotation(
            exchange=exchange.number,
            player=change.player,
            at=club.clock(),
            old=change.old,
            key=parse_public(change.new).line,
            anchor=change.anchor,
            recovery=change.recovery,
            person=change.person,
            consents=tuple((consent.by, consent.given) for consent in given),
            reason=reason_of(reason) if given else "",
            text_sha256=change.sha256,
        )
        if not file.by and (
            lack := entry.lacks(book.history.genesis, book.history.left) or ("" if given else "nobody has")
        ):
            raise ConfigError(
                f"the key {entry.fingerprint} for the seat of {change.player}: not without consent ({lack}), "
                "as neither the old nor a recovery key has signed it; one is made with "
                f"'pbem sign consent {book.game} {exchange.number} {change.consent} --as NAME'"
            )
        old = seats.fingerprint(change.player, entry.starts)
        verify_rotation(file, old, seats.recovery(change.player), consented=bool(given))
        _check_key(club, book, entry)
        before = reader_of(club.store, book, change.player)
        try:
            book.append(entry)
        except LedgerFault as fault:
            raise ConfigError(str(fault)) from None
        club.store.add_sealed(change.sha256, file.data)
        _tell(club, book, entry, before)
    return f"{change.game}: {rotation_in_words(entry)}; the key is {entry.fingerprint}"


def check_rotation(club: Club, data: bytes) -> KeyChange:
    """Check a seat's new key that was sent without consents; the consents it needs come separately.

    Raises:
        ConfigError: the key cannot be entered in the game now. SealError: a signature does not hold.
        Unconfirmed: the game was restored, and which exchange is open is not known.
    """
    file = read_rotation(data)
    book = club.book(file.change.game)
    check_restored(club.store, book.game)
    refuse_namesake(book, file.change.genesis, "this rotation is for")
    exchange, seats = _current(book, file.change), book.history.seats
    old = seats.fingerprint(file.change.player, exchange.number + 1)
    verify_rotation(file, old, seats.recovery(file.change.player), consented=not file.by)
    return file.change


def _current(book: Book, change: KeyChange) -> Exchange:
    if all(player.name != change.player for player in book.history.genesis.players):
        raise ConfigError(f"{change.player} does not play in {change.game}")
    exchange = book.history.current
    if exchange is None or exchange.number != change.exchange:
        now = f"exchange {exchange.number} is open" if exchange else "the game is over"
        raise ConfigError(f"this rotation is for exchange {change.exchange} of {change.game}; {now}")
    return exchange


def _check_key(club: Club, book: Book, entry: Rotation) -> None:
    """Refuse a seat's new key if it is somebody else's; a substitute must be enrolled with it and willing."""
    for other in book.history.genesis.players:
        if other.name != entry.player and key_of(club, book, other.name, entry.starts).line == entry.key:
            raise ConfigError(f"this is the key of {other.name} already; use a key that nobody has had")
    if entry.person:
        row = club.store.player(entry.person)
        if row is None or row.key != entry.key:
            raise ConfigError(
                f"{entry.person} is not enrolled with this key: pbem club player add {entry.person} KEYFILE "
                "--address ADDRESS"
            )
        seats, playing = book.history.seats, book.history.playing
        others = (seats.person(one) for one in playing if one != entry.player)
        refuse_unwilling(club.store, book.game, ((entry.person, other) for other in others))


def _tell(club: Club, book: Book, entry: Rotation, before: Reader) -> None:
    """Notify all players of a seat's new key; send the seat all it needs to play on: ledger and last report.

    If the key is entered by consent, the owner of the old key is told in a letter sealed to that key and in
    an unsealed one, for the old key may be lost. The unsealed letter says only what the ledger says.
    """
    text = f"{rotation_in_words(entry)}.\nThe new key is {entry.fingerprint}, the old one was {entry.old}.\n"
    notify(club.store, book, club.key, text, {entry.player: before if entry.consents else None})
    if entry.consents:
        name = f"{book.game}-{entry.exchange:04d}-new-key-{book.size}.txt"
        text += "If you have not asked for it, tell the game master and the other players at once.\n"
        club.store.add_letter(book.game, before.person, name, b"", text=text)
    seat = next(one for one in book.history.genesis.players if one.name == entry.player)
    played = replay(club, book.game)
    number = INVITATION
    if played.last is None:
        clock = club.rhythm(book.game).in_words
        texts = {seat.side: invitation(book, seat, webpage_of(club.settings), clock)}
    else:
        number = played.last.resolution.exchange
        texts = {audience: last_report(club, book.game, audience) for audience in (seat.side, PUBLIC)}
    checkpoint = club.store.checkpoints(book.game)[-1]
    name = f"{book.game}-{entry.exchange:04d}-seat-{checkpoint.size}.txt"
    send_whole(club.store, book, club.key, checkpoint, number, seat, texts, REPORT, name)


def replace_judge_key(club: Club, recovery: keys.PrivateKey | None = None) -> tuple[Club, list[str]]:
    """Make a new key for the judge and enter it in all running games; return the club and these games.

    `recovery`: signs in place of the key that is replaced.

    Raises:
        ConfigError: a game does not name that recovery key.
    """
    new = keys.generate(f"{GM} {club.name}")
    old = keys.parse_public((club.path / "keys" / f"{GM}.pub").read_text(encoding="utf-8"))
    write_private_file(club.path / "keys" / f"{GM}.new", new.to_openssh(), replace=True)
    changed = []
    with club.store.step():
        for game in club.store.games():
            book = club.book(game)
            if not book.history.over:
                _enter(club, book, recovery or club.key, new)
                changed.append(game)
        club.store.put_note(f"judge {old.fingerprint}", old.line)
        club.store.put_note("judge", new.public.fingerprint)
    finish_new_key(club.path, club.store)
    club.store.close()
    return open_club(club.path, club.clock), changed


def _enter(club: Club, book: Book, by: keys.PrivateKey, new: keys.PrivateKey) -> None:
    exchange, seats = book.history.current, book.history.seats
    assert exchange is not None, "a running game has an open exchange"
    change = KeyChange(
        game=book.game,
        genesis=book.rows[0].head,
        player=GM,
        exchange=exchange.number,
        old=seats.judge_at(book.size),
        new=new.public.line,
    )
    data = sign_rotation(change, by, new)
    if by.public.fingerprint not in (change.old, seats.recovery(GM)):
        raise ConfigError(
            f"the genesis of {book.game} does not name {by.public.fingerprint} as a recovery key"
        )
    verify_rotation(read_rotation(data), change.old, seats.recovery(GM))
    entry = Rotation(
        exchange=exchange.number,
        player=GM,
        at=club.clock(),
        old=change.old,
        key=new.public.line,
        text_sha256=change.sha256,
    )
    book.append(entry)
    club.store.add_sealed(change.sha256, data)
    text = (
        f"The judge of {book.game} signs with a new key from here on:\n{entry.fingerprint}\n"
        f"The old one was {entry.old}.\n"
    )
    notify(club.store, book, new, text)
