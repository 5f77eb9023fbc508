"""Addresses in the judge's letters: of players who share theirs, and of the club's page for players.

From club.toml:

    [mail]
    copies = "relay"        # players who have both shared their address send each other copies (protocol 7),
                            # and the judge passes on the others; "direct": no others; "off": no copies
    [mail.game.dunbar-7]
    copies = "off"          # the same for one game

    [page]
    address = "https://play.club.example/"
    sha256 = "..."          # what `pbem club web` printed when the club built the page
    boxes = ["https://box.club.example/"]   # as they were named then; may be left out

A player's address is told to opponents if that player has signed that it may be (in a profile), and only
while it is the one that is enrolled. It stands in letters, never in a ledger. A mail tells where it is from:
who shares no address is told nobody to send copies to.

The page stands in each invitation, which the judge signs: whoever serves the page cannot change what players
compare it with. A link to join a game, ADDRESS#join/GAME/KEY, or to enter a league,
ADDRESS#enter/LEAGUE/HEAD/KEY, only fills in what players would type: who follows it still compares the key.
Where the title is known, the link names it (#join-lords/GAME/KEY), and the page shows that game's table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pbem.characters import plain
from pbem.errors import ConfigError
from pbem.judge.tables.database import ProfileRow
from pbem.judge.tables.store import Store
from pbem.trust.faults import IdentifierFault, OrderFileFault
from pbem.trust.identifiers import is_address, is_hash, shown_value, typed_address
from pbem.trust.times import is_ahead, parse_utc, utc_text

if TYPE_CHECKING:
    from pbem.trust.letters import Addresses
    from pbem.trust.player_statements import Join, Profile

DIRECT, RELAY, OFF = "direct", "relay", "off"
WAYS = (DIRECT, RELAY, OFF)
LONGEST = 200
"""Maximum number of characters of the address of a web page."""
EXAMPLE = 'address = "https://play.club.example/"'
HERE = ("localhost", "127.0.0.1", "::1")
"""Names of hosts on which a page may be tried without TLS."""


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


@dataclass(frozen=True, slots=True)
class WebPage:
    """The address and the hash of the web page for players that a club recommends; both are public."""

    address: str
    sha256: str
    boxes: tuple[str, ...] = ()
    """Addresses of the post boxes that the page may talk to; the page's hash depends on them."""
    box: str = ""
    """The post box of the club, which links name; "" if there is none, or the page may not talk to it."""

    def link_to_join(self, game: str, judge: str, title: str = "") -> str:
        """Return an address at which the players' page fills in a game and its judge's fingerprint."""
        return self._link("join", title, game, judge)

    def link_to_enter(self, league: str, genesis: str, judge: str, title: str = "") -> str:
        """Return an address at which the players' page fills in a league, its first head and judge's key."""
        return self._link("enter", title, league, genesis, judge)

    def _link(self, view: str, title: str, *filled: str) -> str:
        place = "/".join((f"{view}-{title}" if title else view, *filled))
        where = f"/{quote(self.box, safe='')}" if self.box else ""
        return f"{self.address.partition('#')[0]}#{place}{where}"


def webpage_of(settings: Mapping[str, Any]) -> WebPage | None:
    """Return the web page for players that club.toml names; None if it names none.

    Raises:
        ConfigError: the setting has a mistake, which is named with its line.
    """
    if (said := settings.get("page")) is None:
        return None
    if not isinstance(said, dict) or (odd := said.keys() - {"address", "sha256", "boxes"}):
        what = f"no {min(odd)}" if isinstance(said, dict) else "a table"
        raise ConfigError(f"club.toml: [page] has {what}; it needs address and sha256")
    address, sha256 = (said.get(name) for name in ("address", "sha256"))
    if not isinstance(address, str) or not _is_address(address):
        raise ConfigError(f"club.toml: [page] needs an address that begins with https://, as {EXAMPLE}")
    if not isinstance(sha256, str) or not is_hash(sha256):
        raise ConfigError(
            "club.toml: [page] needs sha256, the 64 digits that 'pbem club web' prints at its end"
        )
    try:
        boxes = _boxes(said.get("boxes", []))
    except OrderFileFault:
        raise ConfigError(
            "club.toml: [page] boxes is a list of the addresses that 'pbem club web --box' was given, "
            'as boxes = ["https://box.club.example/"]'
        ) from None
    given = settings.get("box")
    box = str(given.get("url", "")) if isinstance(given, dict) else ""
    return WebPage(address, sha256, boxes, box if box in boxes else "")


def _boxes(said: object) -> tuple[str, ...]:
    """Return the addresses of post boxes that a setting lists, in order."""
    from pbem.trust.post_box import check_box_url  # orders are taken in without any letter

    named = said if isinstance(said, list) else [""]
    return tuple(sorted({check_box_url(box if isinstance(box, str) else "") for box in named}))


def _is_address(text: str) -> bool:
    """Tell whether a text is an address of a web page; without TLS it must be on this machine."""
    if len(text) > LONGEST or not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HERE)
    )
