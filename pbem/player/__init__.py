"""The player's side of the program: keys, joining, letters in, orders out, and evidence against the judge.

    from pbem.player import Home

    home = Home(Path("~/pbem").expanduser())
    home.keygen("alice")
    join = home.join("hearth", player="alice", judge=fingerprint)   # to the judge
    for arrival in home.receive(mail):                   # from the judge
        print(arrival.text)
    orders = home.seal(draft)                            # to the judge and the opponents
    print(orders.armor)

Nothing here trusts the judge: what is signed is checked against all that was signed before, and kept. Nothing
here knows a game.

    home        the one object that commands and tests use; contents: its games, leagues and keys
    keyring     its keys
    status      where a game stands: found out, and at a glance
    box_client  talks to the post box of a game
    answering   answers by itself where nothing is to be decided
    files       where the home is and how its files are written; faults: what can be wrong
    incoming/   letters in
        receiving   files from the judge, opened
        mail_parts  what is in a saved mail, and its receipts, forecasts and opponents' sealed orders taken in
        letters_in  takes in reports, and which post box a game uses; remarks: what a player should look at
    outgoing/   orders out
        drafts      what a person wrote
        ordering    signs and seals orders, the only place that reveals a step of the chain
        mailing     sealed orders as a mail
        signing     join files, new keys for a seat, and consents
    store/      the files of one game
        game_store  all of them, which position the program uses, and which earlier orders still rule
        game_papers its ledger, proven, and what was signed
        known_files how the player's files fared
        evidence    what others can check: what the judge signed and cannot be true, or the game as a bundle
    press       what players say to each other; press_store: its files, and how a message is shown
    leagues/    the same for leagues
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.player.files import default_home
    from pbem.player.home import Home
    from pbem.player.incoming.letters_in import Arrival
    from pbem.player.incoming.receiving import Delivery
    from pbem.player.outgoing.ordering import SealedOrders
    from pbem.player.status import GameStatus

__all__ = ["Arrival", "Delivery", "GameStatus", "Home", "SealedOrders", "default_home"]

_PLACES = {
    "Arrival": "incoming.letters_in",
    "Delivery": "incoming.receiving",
    "GameStatus": "status",
    "Home": "home",
    "SealedOrders": "outgoing.ordering",
    "default_home": "files",
}


def __getattr__(name: str) -> object:
    """Import a name of the package when it is first used, because most commands need few of them."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
