"""Replaces the judge's signing key, in every running game.

Whoever receives the next letter finds in it what the old or the recovery key has signed, and believes the
new key by that alone. Games that are over keep the key that signed them.
"""

from __future__ import annotations

from pbem.errors import ConfigError
from pbem.judge.book import Book
from pbem.judge.club import GM, Club, finish_new_key, open_club
from pbem.judge.letters.letters_out import notify
from pbem.trust import keys
from pbem.trust.private_files import write_private_file
from pbem.trust.rotations import KeyChange, Rotation, read_rotation, sign_rotation, verify_rotation


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
