"""The part of the page's api for texts that a player signs besides orders; it imports `signing` late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.player import Home
    from pbem.player.leagues.outlook import Outlook
    from pbem.web.mails import Outgoing
    from pbem.web.outbox import Outbox
    from pbem.web.signing import Form, LeagueLine, SigningDesk


class SigningCalls:
    """The part of `Api` for signed texts besides orders; `Api` has a home, a clock and an outbox for it."""

    _home: Home
    _clock: Callable[[], datetime]

    if TYPE_CHECKING:

        def _post(self) -> Outbox: ...
        def _is_saved(self) -> bool: ...

    def _desk(self) -> SigningDesk:
        from pbem.web.signing import SigningDesk

        return SigningDesk(self._home, self._post())

    def forms(self, about: str) -> tuple[Form, ...]:
        """Return the forms for texts to sign about a game, a league, or ("") a league unknown here."""
        return self._desk().forms(about)

    def sign(self, text: str, about: str, given: Mapping[str, str], box: str = "") -> Outgoing:
        """Sign a text of the table, and post it if there is a post box; `box`: the one that a link named.

        Raises:
            Refused: a field is not filled in as it must be.
        """
        return self._desk().sign(text, about, given, box, is_saved=self._is_saved())

    def leagues(self) -> tuple[LeagueLine, ...]:
        """Return the leagues that were entered from this home."""
        return self._desk().leagues() if (self._home.path / "leagues").exists() else ()

    def league(self, name: str) -> Outlook:
        """Return the state of a league for its entrant."""
        return self._desk().outlook(name)

    def sheet(self, game: str, first: int, last: int) -> tuple[str, ...]:
        """Return the player's reveals of a game, to be printed."""
        return self._home.sheet(game, first, last)

    def recovery_key(self, name: str) -> tuple[str, str]:
        """Make a recovery key for a key; return its fingerprint and its file, which is only printed."""
        public, private = self._home.keygen_recovery(name)
        return public.fingerprint, private.decode()
