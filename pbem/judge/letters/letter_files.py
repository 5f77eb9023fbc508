"""Writes letters as files, out/<player>/<letter>; writing a letter twice gives the same bytes.

A crash between writing and noting repeats a letter under its own name, and loses none. A pass that writes no
new letter does without letters_out, which loads games and their words.
"""

from __future__ import annotations

import os
from pathlib import Path

from pbem.errors import ConfigError
from pbem.judge.club import Club
from pbem.judge.tables.database import LetterRow
from pbem.judge.tables.note_tables import RESTING
from pbem.trust.times import utc_text


def deliver(club: Club) -> list[Path]:
    """Write every letter that was not sent yet into a file; return the paths of these files.

    Where the club sends mail, only letters of players without an address are left to be written. A restored
    folder writes none before it has begun.
    """
    if club.store.note(RESTING):
        return []
    written: list[Path] = []
    left: list[int] = []
    mailed = {player.name for player in club.store.players() if player.address} if club.mails else set()
    uncovered = club.store.uncovered_letters()
    for row in club.store.unsent_letters(given_up=True):
        if row.id in uncovered or row.player in mailed or not row.player:
            continue
        if (letter := club.store.letter(row.id)) is None:
            continue
        path = club.out / letter.player / letter.name
        _write(path, letter)
        left.append(letter.id)
        written.append(path)
    if left:
        with club.store.step():
            for number in left:
                club.store.mark_sent(number, utc_text(club.clock()))
    return written


def _write(path: Path, letter: LetterRow) -> None:
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(letter.data or _strip_signature(letter.text))
    part.replace(path)


def resend(club: Club, game: str, player: str) -> list[str]:
    """Send a player all letters of a game or league once more; nothing to a player who has left a seat.

    They go by mail in the next pass, if the club mails this player; else as files. Return what was done, in
    lines.
    """
    if (league := league_called(club, game)) and game not in club.store.games():
        return _send_again(club, league, player)
    seats = club.book(game).history.seats
    holders = {one.name: seats.person(one.name) for one in seats.genesis.players}
    player = holders.get(player, player)
    official = seats.genesis.official[0] if seats.genesis.official else ""
    if player not in (*holders.values(), official):
        raise ConfigError(f"{player} has no seat in {game}")
    return _send_again(club, game, player)


def league_called(club: Club, name: str) -> str:
    """Return the name of the ledger of the league called `name`, which may be either name; "" if none."""
    return next((row.name for row in club.store.leagues() if name in (row.name, row.name[7:])), "")


def _send_again(club: Club, game: str, player: str) -> list[str]:
    known, uncovered = club.store.player(player), club.store.uncovered_letters()
    letters = [one for one in club.store.letter_heads(game, player) if one.id not in uncovered]
    if not letters:
        raise ConfigError(f"there are no letters of {game} to {player}")
    if club.mails and known is not None and known.address:
        with club.store.step():
            for letter in letters:
                club.store.send_again(letter.id)
        return [f"{len(letters)} letters will go to {known.address} in the next pass"]
    written = []
    for head in letters:
        path = club.out / head.player / head.name
        if (whole := club.store.letter(head.id)) is not None:
            _write(path, whole)
            written.append(f"wrote {path}")
    return written


def _strip_signature(text: str) -> bytes:
    from pbem.trust.letters import UNSIGNED  # orders are taken in without any such letter

    return f"{text.rstrip()}\n\n{UNSIGNED}\n".encode()
