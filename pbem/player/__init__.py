"""The player's side: keys, joining, letters in, orders out, and evidence against the judge.

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

    home       the one object that commands and tests use
    keyring    the player's keys
    keeping    the files of one game; ledgerfile, held, sent: parts of it; files: how they are written
    joining    join files, and new keys for a seat
    incoming   files from the judge, opened; parts: what is in them
    mailfile   what a player saved of their mail
    letters_in takes in reports; receipts: receipts and their words
    chronicle  what the kept ledger must be; remarks: what a player should look at in it
    evidence   what is kept when it is not
    copies     keeps opponents' sealed orders
    mailing    sealed orders as a mail
    drafts     what a person wrote
    status     where a game stands; glance: the same, at once, while no file has changed
    ordering   signs and seals orders, the only place that reveals a step of the chain
    checking   looks through orders with the game's own language, if it is installed
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.player.home import Home
    from pbem.player.incoming.letters_in import Arrival
    from pbem.player.incoming.take_in import Delivery
    from pbem.player.outgoing.ordering import SealedOrders
    from pbem.player.place import default_home
    from pbem.player.status import GameStatus

__all__ = ["Arrival", "Delivery", "GameStatus", "Home", "SealedOrders", "default_home"]

_PLACES = {
    "Arrival": "incoming.letters_in",
    "Delivery": "incoming.take_in",
    "GameStatus": "status",
    "Home": "home",
    "SealedOrders": "outgoing.ordering",
    "default_home": "place",
}


def __getattr__(name: str) -> object:
    """What is named is imported when it is asked for: a glance needs little of it."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
