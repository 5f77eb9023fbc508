"""One game of Lords of Scotland: its position, options and chance, and what each audience was told."""

from __future__ import annotations

from typing import Any

from pbem.rules.base import View
from pbem.rules.cards import CardGame
from pbem.rules.lords.facts import rank
from pbem.rules.lords.options import Options
from pbem.rules.lords.position import Position
from pbem.rules.lords.views import view


class Lords(CardGame[Options, Position]):
    """A game of Lords in progress; the rules of each chapter take it."""

    rule_of_turns = "How to Play"

    def view(self, viewer: str) -> View:
        """Return what a viewer may see now."""
        return view(self.position, self.options, self.outcome, viewer)

    def label(self, *parts: str) -> str:
        """Return a label of this round, which says what a draw is for."""
        return "/".join((str(self.position.round), *parts))

    def tell_card(
        self, event: str, card: str, *, seen: bool, owner: str | tuple[str, ...], **public: Any
    ) -> None:
        """Tell of a card: everybody hears which one it is if all have seen it, else only its owners."""
        if seen:
            self.tell(event, **public, card=card)
        else:
            self.tell(event, **public, secret={"card": card}, owner=owner)

    def card_due(self, *label: str) -> str | None:
        """Rules Clarification, L6: draw a card; the discard pile replaces an empty draw pile.

        None if both are empty: what should be drawn is not drawn.
        """
        position = self.position
        position.draw_pile, position.discard = self.renewed(position.draw_pile, position.discard)
        if not position.draw_pile:
            return None
        name = self.chance.draw(self.label(*label), tuple(sorted(position.draw_pile, key=rank)))
        position.draw_pile.remove(name)
        return name
