"""Takes in a player's new key."""

from __future__ import annotations

from pbem.errors import ConfigError
from pbem.judge.bench import key_of
from pbem.judge.club import Club
from pbem.judge.letters import notify
from pbem.trust.faults import LedgerFault
from pbem.trust.keys import parse_public
from pbem.trust.rotations import Rotation, read_rotation, verify_rotation


def rotate(club: Club, data: bytes) -> str:
    """Enter a rotation and tell both players; one line of what was done.

    Raises:
        ConfigError: it does not fit the game as it stands. SealError: a signature does not hold.
    """
    file = read_rotation(data)
    change = file.change
    with club.store.step():
        book = club.book(change.game)
        exchange, genesis = book.history.current, book.history.genesis
        enrolled = next((one for one in genesis.players if one.name == change.player), None)
        if enrolled is None:
            raise ConfigError(f"{change.player} does not play in {change.game}")
        if exchange is None or exchange.number != change.exchange:
            now = f"exchange {exchange.number} is open" if exchange else "the game is over"
            raise ConfigError(f"this rotation is for exchange {change.exchange} of {change.game}; {now}")
        old = key_of(club, book, change.player, exchange.number + 1)
        verify_rotation(file, old, enrolled.recovery)
        for other in genesis.players:
            if key_of(club, book, other.name, exchange.number + 1).line == change.new:
                raise ConfigError(f"this is the key of {other.name} already; a new key must be new")
        entry = Rotation(
            exchange=exchange.number,
            player=change.player,
            at=club.clock(),
            old=change.old,
            key=parse_public(change.new).line,
            text_sha256=change.sha256,
        )
        try:
            book.append(entry)
        except LedgerFault as fault:
            raise ConfigError(str(fault)) from None
        club.store.add_sealed(change.sha256, file.data)
        new = parse_public(change.new).fingerprint
        notify(
            club.store,
            book,
            club.key,
            f"{change.player} signs with a new key from exchange {exchange.number + 1} of {change.game} on:\n"
            f"{new}\nThe old one was {change.old}.\n",
        )
    return f"{change.game}: {change.player} signs with {new} from exchange {exchange.number + 1} on"
