"""Mail addresses that players share, and the way that copies of orders take (protocol 7).

From club.toml:

[mail]
copies = "relay"                # players who have both shared their address send each other copies, and the
                                # judge passes on the others; "direct": no others; "off": no copies at all
[mail.game.dunbar-7]
copies = "off"                  # the same for one game

A player's address is told to opponents if that player has signed that it may be (trust.profile), and only
while it is the one that is enrolled. It stands in letters, never in a ledger. A mail tells where it is from:
who shares no address is told nobody to send copies to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pbem.characters import plain
from pbem.errors import ConfigError
from pbem.judge.tables.rows import ProfileRow
from pbem.judge.tables.store import Store
from pbem.trust.faults import IdentifierFault
from pbem.trust.identifiers import is_address, shown_value, typed_address
from pbem.trust.times import is_ahead, parse_utc, utc_text

if TYPE_CHECKING:  # orders are taken in without any letter
    from pbem.trust.letters import Addresses
    from pbem.trust.player_statements import Join, Profile

DIRECT, RELAY, OFF = "direct", "relay", "off"
WAYS = (DIRECT, RELAY, OFF)


@dataclass(frozen=True, slots=True)
class Post:
    """The judge's address for a game's orders, and how copies of orders are sent: one of `WAYS`."""

    judge: str = ""
    """The judge's address for orders; "" if the club has no mail."""
    copies: str = RELAY


NO_POST = Post()


def post_of(settings: Mapping[str, Any], game: str) -> Post:
    """Return the address for a game's orders, and how copies of orders are sent, from a club's settings.

    An invalid table [mail.game.GAME] is ignored here: `check_own_post` reports it, the game waits, and orders
    for the game are still accepted meanwhile.

    Raises:
        ConfigError: `copies` in the club's table [mail] is invalid.
    """
    mail = settings.get("mail")
    if not isinstance(mail, Mapping):
        return NO_POST
    way = mail.get("copies", RELAY)
    _check_way(way, "mail")
    games = mail.get("game", {})
    own = games.get(game, {}) if isinstance(games, Mapping) else {}
    with contextlib.suppress(ConfigError):  # it is told where the game waits
        way = _own_way(own, game, way)
    try:
        return Post(typed_address(str(mail.get("address", ""))), way)
    except IdentifierFault:  # who reads [mail] as a whole refuses it
        return Post("", way)


def check_own_post(settings: Mapping[str, Any], game: str) -> None:
    """Raise ConfigError if the table [mail.game.GAME] of a game is invalid."""
    mail = settings.get("mail")
    games = mail.get("game", {}) if isinstance(mail, Mapping) else {}
    _own_way(games.get(game, {}) if isinstance(games, Mapping) else {}, game, RELAY)


def _own_way(own: object, game: str, way: str) -> str:
    """Return the setting `copies` from `own`, the table [mail.game.GAME]; `way` if the table lacks it.

    Raises:
        ConfigError: the table is invalid.
    """
    table = f"mail.game.{plain(game)[:64]}"
    if not isinstance(own, Mapping):
        raise ConfigError(f"club.toml: {table} must be a table, [{table}]")
    if unknown := sorted(own.keys() - {"copies"}):
        name = plain(unknown[0])[:64]
        raise ConfigError(f"club.toml, [{table}]: no setting called {name}; there are copies")
    found = own.get("copies", way)
    _check_way(found, table)
    return str(found)


def _check_way(way: object, table: str) -> None:
    if way not in WAYS:
        raise ConfigError(
            f"club.toml, [{table}]: copies must be one of {', '.join(WAYS)}, not {shown_value(way)}"
        )


def addresses_for(store: Store, post: Post, player: str, others: list[str]) -> Addresses:
    """Return the mail addresses that a letter to a player may name; `others` are their opponents."""
    from pbem.trust.letters import Addresses

    if not is_address(post.judge):
        return Addresses()
    own = store.address(player)
    shared = shared_addresses(store, [player, *others]) if others and post.copies != OFF else {}
    goals = others if player in shared else []
    return Addresses(
        judge=post.judge,
        own=own if is_address(own) else "",
        copies=tuple(dict.fromkeys(shared[name] for name in goals if name in shared)),
    )


def shared_addresses(store: Store, players: list[str]) -> dict[str, str]:
    """Return the addresses of those players who have agreed that opponents may know them."""
    shared = {}
    for name in players:
        wish, address = store.profile(name), store.address(name)
        if wish is not None and is_address(address) and wish.share.lower() == address.lower():
            shared[name] = address
    return shared


def keep_join_wishes(store: Store, join: Join) -> None:
    """Store a player's wishes from a join file, unless the player has signed a profile."""
    known = store.profile(join.player)
    if (join.zone or join.share or join.publish) and (known is None or not known.made):
        store.put_profile(_merge_wishes(known or ProfileRow(join.player), join))


def keep_profile(store: Store, profile: Profile, now: datetime) -> bool:
    """Store a player's profile; return False if a later one is stored. Profiles dated ahead are replaced."""
    known = store.profile(profile.player) or ProfileRow(profile.player)
    made = utc_text(profile.made)
    if made <= known.made and not is_ahead(parse_utc(known.made), now):
        return False
    store.put_profile(_merge_wishes(known, profile)._replace(made=made))
    return True


def _merge_wishes(known: ProfileRow, wishes: Join | Profile) -> ProfileRow:
    """Return a player's stored wishes, updated by those that a join or profile states."""
    from pbem.trust.player_statements import NOBODY

    share = wishes.share or known.share
    return ProfileRow(
        known.player,
        wishes.zone or known.zone,
        "" if share == NOBODY else share,
        known.made,
        wishes.publish or known.publish,
    )
