"""Saved positions: each game's after its last resolved exchange, so that a pass plays the new exchange alone.

A saved place is never the truth. It holds for one ledger and one release; another one, or one that this club
has not written, is passed over, and the game is played from its beginning. So is a game whose title does not
resume (`titles`), every game that may end with the pass or was restored, and one in fifty besides, by the
ledger's head: if that arrives elsewhere, nothing more is signed in the game until its game master has looked.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator
from contextlib import contextmanager

from pbem.errors import LedgerError
from pbem.judge.book import Book
from pbem.judge.cache import Played, place_of
from pbem.judge.club import Club
from pbem.judge.tables.note_tables import DISAGREES
from pbem.judge.upkeep.self_seal import mac_of
from pbem.orders.base import NotSaved
from pbem.play import adjudicate
from pbem.play.adjudicate import Adjudicator, setting_of
from pbem.play.setting import rules_hash

PLACE = "place"
PROOF = 64
"""Length in bytes of the proof, in a saved position, that this club has written it."""
SAMPLE = 50
"""Number of loads of saved positions of which one is checked by a replay from the game's beginning."""
LARGEST = 200_000
"""Maximum size in bytes of a packed position; a game with a larger one is played from its beginning."""


class Disagreement(LedgerError):
    """Raised if a replay of a game differs from the game's saved position."""


def installed_rules(book: Book) -> str:
    """Return the hash of the rules by which the installed release plays a game."""
    return rules_hash(setting_of(book.history.genesis).rules.name)


def save_place(club: Club, played: Played) -> None:
    """Save a game's position in place of the one before."""
    try:
        data = adjudicate.save_game(played.adjudicator)
    except NotSaved:
        data = b""
    book = played.book
    if not 0 < len(data) <= LARGEST:
        club.store.drop_derived(book.game)
        return
    kept = base64.b85encode(_proof(club, book, data) + data).decode()
    club.store.put_derived(book.game, PLACE, place_of(book)[2], kept)


def load_place(club: Club, book: Book) -> Adjudicator | None:
    """Load a game's saved position, if it belongs to this very ledger and release; else return None."""
    head, kept = club.store.derived_of(book.game, PLACE)
    if head != place_of(book)[2]:
        return None
    try:
        proven = base64.b85decode(kept)
        proof, data = proven[:PROOF], proven[PROOF:]
        if not hmac.compare_digest(proof, _proof(club, book, data)):
            return None
        return adjudicate.load_game(book.history, data)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, the ledger is there
        return None


def is_sampled(head: str) -> bool:
    """Tell whether a loaded saved position is checked by a replay; the ledger's head alone decides."""
    return int(head, 16) % SAMPLE == 0


def is_alike(one: Adjudicator, other: Adjudicator) -> bool:
    """Tell whether two games have the same position, compared in the form in which they are saved."""
    try:
        return adjudicate.save_game(one) == adjudicate.save_game(other)
    except NotSaved:  # though one of them was
        return False


def check_agrees(club: Club, game: str) -> None:
    """Raise Disagreement if a game differed from its saved position and the game master has not acted yet."""
    if said := club.store.note(f"{DISAGREES}{game}"):
        raise Disagreement(said)


def disagreement(game: str) -> Disagreement:
    """Return the error for the game master if a game differs from its saved position."""
    return Disagreement(
        f"held: what was kept of {game} between two passes does not fit its ledger. Look whether somebody "
        f"else has written to the database, then 'pbem game replay {game}': if everything is the same, the "
        f"game goes on; if not, use 'pbem game act {game} roll-back' for the exchange that it names"
    )


@contextmanager
def note_disagreement(club: Club, game: str) -> Iterator[None]:
    """Note a Disagreement raised within this context, and drop the saved position, in a new transaction."""
    try:
        yield
    except Disagreement as found:
        with club.store.step():
            club.store.put_note(f"{DISAGREES}{game}", str(found))
            club.store.drop_derived(game)
        club.games_cache.forget(game)
        raise


def forget_disagreement(club: Club, game: str) -> None:
    """Forget that a game differed from its saved position: it is now alike, or its reports were made void."""
    name = f"{DISAGREES}{game}"
    if club.store.note(name):
        with club.store.step():
            club.store.drop_note(name)


def _proof(club: Club, book: Book, data: bytes) -> bytes:
    """Return the proof that this club saved a position for these house rules, exchanges, head and release."""
    genesis, numbers, head = place_of(book)
    facts = (genesis.text.decode(), " ".join(map(str, numbers)), head, installed_rules(book))
    return mac_of(club, PLACE, "\n".join(facts).encode() + data)
