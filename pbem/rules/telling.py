"""A game that remembers what each audience was told."""

from __future__ import annotations

from typing import Any

from pbem.rules.base import Event
from pbem.rules.flow import Flow


class Telling(Flow):
    """A flow of rules that tells what happens, and tells each audience only what it may know."""

    def __init__(self, stops: bool) -> None:
        super().__init__(stops)
        self._told: list[tuple[Event, Event, tuple[str, ...]]] = []  # event for all, with secret, its owners

    def tell(
        self,
        event: str,
        *,
        secret: dict[str, Any] | None = None,
        owner: str | tuple[str, ...] = (),
        **public: Any,
    ) -> None:
        """Tell everybody that something happened; only its owners and the judge learn what `secret` adds.

        Every audience gets the same events in the same order, so their number betrays nothing.
        """
        plain = {"event": event, **public}
        owners = (owner,) if isinstance(owner, str) else owner
        self._told.append((plain, {**plain, **secret} if secret else plain, owners))
        self.heard()

    def heard(self) -> None:
        """Let what was told have its effects; it is called after each telling, and a game may override it."""

    def told(self, audience: str, after: int = 0) -> list[Event]:
        """Return what an audience has been told so far, without the first `after` events."""
        return [
            full if audience == "gm" or audience in owners else plain
            for plain, full, owners in self._told[after:]
        ]
