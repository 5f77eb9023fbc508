"""Ends a restored game whose signed entries are lost: nothing more is signed for it.

The ledger cannot record this end, for any entry would be a second history. The end stands in the database
alone, with the consent of everybody who plays or of the second official, and in an unsigned letter to each
player. A consent names the last head that is here, so that its writer's program can say what is lost after
that head.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pbem.errors import ConfigError
from pbem.judge.acts.entering import kept_consent, reason_of
from pbem.judge.agenda import unconfirmed_ledgers
from pbem.judge.club import Club
from pbem.judge.tables.note_tables import CONTRADICTED, PUT_AWAY
from pbem.trust import act_entries
from pbem.trust.times import utc_text


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
