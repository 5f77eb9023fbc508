"""Forgets a person who plays no more: removes what the club holds about them and nothing else needs."""

from __future__ import annotations

from shutil import rmtree

from pbem.errors import ConfigError, PbemError
from pbem.judge.agenda import read_agendas
from pbem.judge.club import Club
from pbem.judge.tables.note_tables import FORGOTTEN
from pbem.service.box_round import forget_in_box
from pbem.trust.times import utc_text


def forget(club: Club, player: str) -> int:
    """Remove a player's address, mails, join files, and the texts of letters to them; the ledgers stay.

    Return the number of mails that were removed.

    Raises:
        PbemError: there is no such player, or they are in a game that goes on.
    """
    known = club.store.player(player)
    if known is None:
        raise ConfigError(f"no player called {player} is enrolled")
    playing = [
        one.game for one in read_agendas(club).values() if player in one.seated_people and not one.over
    ]
    if club.store.leagues():
        from pbem.judge.leagues.display import Leagues

        playing += [f"in the league {name}" for name in Leagues(club).leagues_of(player)]
    if playing:
        raise PbemError(
            f"{player} still plays {', '.join(playing)}; when the games are over they can be forgotten"
        )
    from pbem.judge.intake.waiting_list import forget_consents
    from pbem.judge.letters.wishes import forget_wishes
    from pbem.judge.press.desk import forget_press
    from pbem.mail.answers import forget_answers, forget_joins
    from pbem.service.waking import forget_wakes

    with club.store.step():
        count = club.store.forget_incoming(sender=known.address, player=player)
        club.store.forget_letters(player, known.address)
        club.store.forget_player(player)
        club.store.drop_all_derived()  # places of games that others have gone on with hold their orders
        forget_answers(club, player, known.address)
        forget_in_box(club, player, known.key)
        forget_joins(club, player, known.address)
        forget_press(club, player)
        club.store.put_note(f"{FORGOTTEN}{player}", utc_text(club.clock()))  # by ratings too
        forget_wishes(club.store, player)
        forget_wakes(club, player)
    forget_consents(club, player)
    rmtree(club.out / player, ignore_errors=True)
    rmtree(club.path / "desk", ignore_errors=True)  # what counted of its texts is kept elsewhere
    return count
