"""Consents that come by mail: kept for the game master; a claim is granted at once if the club wants it so.

A claim is a consent like any other (trust.acts), of the opponent, to the act `claim <player>`. That the
player has been silent is in the ledger for all to see.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pbem.errors import ConfigError, PbemError
from pbem.judge.acts.entering import act, check_consent, why_unheard
from pbem.judge.club import Club
from pbem.judge.deadlines.rhythm import GRANT
from pbem.judge.intake.waiting import FOLDER
from pbem.trust.act_entries import CLAIM, LEAST_SILENCE, Consent

MOST_CONSENTS = 10
"""So many one player may send in one exchange."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a consent."""

    consent: Consent
    person: str
    """Who has the seat of whoever consents."""
    done: str
    """What was done at once; "" if the game master has to decide."""
    path: str


def take_consent(club: Club, text: bytes) -> Kept:
    """Check and keep a consent to an act in the exchange that is open.

    Raises:
        PbemError: it is not signed by somebody who has a say, or is for another moment.
    """
    book, consent = check_consent(club, text)
    folder = club.path / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    short = hashlib.sha256(consent.text).hexdigest()[:8]
    start = f"{consent.game}-{consent.exchange}-{consent.by}-"
    path = folder / f"{start}{short}.consent"
    if not path.exists() and sum(1 for _ in folder.glob(f"{start}*")) >= MOST_CONSENTS:
        raise ConfigError(f"you have signed {MOST_CONSENTS} consents in this exchange; you cannot sign more")
    what, _, of = consent.to.partition(" ")
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
    return Kept(consent, book.history.seats.person(consent.by), done, str(path))
