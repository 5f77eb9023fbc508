"""Keeps mailed consents and new keys for the game master; claims and more time may be granted at once.

A claim is a consent like any other (trust.acts), of the opponent, to the act `claim <player>`. That the
player has been silent is in the ledger for all to see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pbem.errors import ConfigError, PbemError
from pbem.judge.acts.entering import act, check_consent, why_unheard
from pbem.judge.acts.player_key import check_rotation
from pbem.judge.agenda import Agenda
from pbem.judge.book import Book
from pbem.judge.club import Club
from pbem.judge.deadlines.agreed_time import check_time, give_time, is_given
from pbem.judge.deadlines.rhythm import GRANT
from pbem.judge.intake.waiting_list import FOLDER, late_statements
from pbem.trust.act_entries import CLAIM, LEAST_SILENCE, Consent
from pbem.trust.entries import EXTEND
from pbem.trust.rotations import KeyChange

MAX_CONSENTS = 10
"""Maximum number of consents that one player may send in one exchange."""


@dataclass(frozen=True, slots=True)
class StoredConsent:
    """The result of taking in a player's signed consent."""

    consent: Consent
    person: str
    """The person in the consenting seat."""
    done: str
    """A line about the act, if it was done at once; "" if the game master has to decide."""
    path: str


def take_consent(club: Club, text: bytes) -> StoredConsent:
    """Check and keep a player's consent to an act in the open exchange.

    Raises:
        PbemError: the consent is not signed by somebody whose consent counts, or is for another moment.
    """
    book, consent = check_consent(club, text)
    path = _place(club, f"{consent.game}-{consent.exchange}-{consent.by}-", consent.text, "consent")
    what, _, of = consent.to.partition(" ")
    if what == EXTEND:
        return _take_time(club, book, consent, text, path)
    rhythm = club.rhythm(consent.game)
    silence = book.history.silence(of) if what == CLAIM else 0
    if what == CLAIM and of not in (player.name for player in book.history.genesis.players):
        raise ConfigError(f"{of} does not play {consent.game}")
    if what == CLAIM and silence < LEAST_SILENCE:
        raise ConfigError(
            f"{of} has sent nothing for {silence} exchanges in a row of {consent.game}; "
            f"you can claim a game after {LEAST_SILENCE}, if nothing has come for the open exchange"
        )
    if what == CLAIM and (unheard := why_unheard(club, book)):
        raise ConfigError(unheard)
    path.write_bytes(text)
    done = ""
    if what == CLAIM and rhythm.claims == GRANT and silence >= max(LEAST_SILENCE, rhythm.silent_exchanges):
        try:
            reason = f"{of} has sent nothing for {silence} exchanges"
            done = act(club, consent.game, CLAIM, of, reason=reason, consents=[text])
        except PbemError:  # another opponent has not claimed it: the game master looks
            done = ""
    return StoredConsent(consent, book.history.seats.person(consent.by), done, str(path))


def _take_time(club: Club, book: Book, consent: Consent, text: bytes, path: Path) -> StoredConsent:
    """Keep a consent to a later deadline, which is moved as soon as all players have signed the same."""
    if is_given(book, consent):
        done = f"{consent.to} is entered"
    else:
        check_time(club, book, consent)
        path.write_bytes(text)
        done = give_time(club, book, consent)
    return StoredConsent(consent, book.history.seats.person(consent.by), done, str(path))


def take_rotation(club: Club, data: bytes) -> tuple[KeyChange, Path]:
    """Check and keep a seat's new key for the open exchange; return the key change and its file.

    The game master enters the key: a thief of the old key could sign this, too.

    Raises:
        PbemError: the key change is not signed as required, or is for another moment.
    """
    change = check_rotation(club, data)
    path = _place(club, f"{change.game}-{change.exchange}-{change.player}-", change.text, "rotation")
    path.write_bytes(data)
    return change, path


def _place(club: Club, start: str, text: bytes, kind: str) -> Path:
    """Return the path for a player's signed statement, if they may send one more in this exchange."""
    folder = club.path / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    path = folder / f"{start}{hashlib.sha256(text).hexdigest()[:8]}.{kind}"
    if not path.exists() and sum(1 for _ in folder.glob(f"{start}*.{kind}")) >= MAX_CONSENTS:
        raise ConfigError(f"you have signed {MAX_CONSENTS} {kind}s in this exchange; you cannot sign more")
    return path


def answer_late(club: Club, agendas: Iterable[Agenda]) -> dict[str, str]:
    """Write once to each player whose consent or new key came too late to be entered.

    Returns the game master's lines about such new keys, by the names of their alerts.
    """
    found = late_statements(club, agendas)
    for late in found:
        person = club.book(late.game).history.seats.person(late.player)
        if late.key:
            text = (
                f"Your new key for {late.game}, {late.key}, was not entered: exchange {late.exchange}, for "
                f"which you signed it, has ended. {late.old} goes on to count. Sign the new key again, with "
                f"what you signed it with before, for exchange {late.current}, which is open now, and send "
                f"it at once:\n\n    pbem sign rotation {late.game} {late.current} --as {late.player} "
                f"--new KEY --out {late.player}.rotation\n\nConsents of others to it must be signed again, "
                "too, for they name the file.\n"
            )
        else:
            text = (
                f"You have signed '{late.to}' for exchange {late.exchange} of {late.game}. It was not "
                "entered before that exchange ended, and cannot be any more. If you still want it, sign it "
                f"again for exchange {late.current}, which is open now:\n\n"
                f"    pbem sign consent {late.game} {late.current} {late.to} --as {late.player}\n"
            )
        with club.store.step():
            name = f"{late.game}-{late.exchange:04d}-late-{late.sha256[:8]}.txt"
            club.store.add_letter(late.game, person, name, b"", text=text)
    return {f"late {one.game} {one.player} {one.exchange}": one.line for one in found if one.key}
