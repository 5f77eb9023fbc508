"""The web page for players that a club recommends: its address, and the hash that it must show.

    [page]
    address = "https://play.club.example/"
    sha256 = "..."      # what `pbem club web` printed when the club built the page
    boxes = ["https://box.club.example/"]   # as they were named then; may be left out

It stands in club.toml and in each invitation, which the judge signs: whoever serves the page cannot change
what players compare it with. A link to join a game, ADDRESS#join/GAME/KEY, or to enter a league,
ADDRESS#enter/LEAGUE/HEAD/KEY, only fills in what players would type: who follows it still compares the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from pbem.errors import ConfigError
from pbem.trust.faults import OrderFileFault
from pbem.trust.identifiers import is_hash
from pbem.trust.post_box import check_box_url

LONGEST = 200
"""Maximum number of characters of the address of a web page."""
EXAMPLE = 'address = "https://play.club.example/"'


@dataclass(frozen=True, slots=True)
class WebPage:
    """The address and the hash of the web page for players that a club recommends; both are public."""

    address: str
    sha256: str
    boxes: tuple[str, ...] = ()
    """Addresses of the post boxes that the page may talk to; the page's hash depends on them."""
    box: str = ""
    """The post box of the club, which links name; "" if there is none, or the page may not talk to it."""

    def link_to_join(self, game: str, judge: str) -> str:
        """Return an address at which the players' page fills in a game and its judge's fingerprint."""
        return self._link(f"join/{game}/{judge}")

    def link_to_enter(self, league: str, genesis: str, judge: str) -> str:
        """Return an address at which the players' page fills in a league, its first head and judge's key."""
        return self._link(f"enter/{league}/{genesis}/{judge}")

    def _link(self, place: str) -> str:
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


HERE = ("localhost", "127.0.0.1", "::1")
"""Names of hosts on which a page may be tried without TLS."""
