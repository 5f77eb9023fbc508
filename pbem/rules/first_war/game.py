"""One game of First War of Scottish Independence: its position, options and chance, and what was told."""

from __future__ import annotations

from pbem.rules.base import View
from pbem.rules.cards import CardGame
from pbem.rules.first_war.facts import NUMBERS
from pbem.rules.first_war.options import Options
from pbem.rules.first_war.position import Position, put
from pbem.rules.first_war.views import view
from pbem.rules.flow import GameOver


class FirstWar(CardGame[Options, Position]):
    """A game of First War in progress; the rules of each phase are coroutines that take it."""

    rule_of_turns = "Seasonal Turn Sequence"

    def view(self, viewer: str) -> View:
        """Return what a viewer may see now."""
        return view(self.position, self.options, self.outcome, viewer)

    def tell_season(self) -> None:
        """Tell everybody that a season begins, and how many territories each side holds."""
        now = self.position
        self.tell("season", year=now.year, season=now.season, territories=dict(now.territories))

    def label(self, *parts: str) -> str:
        """Return a label of this season, which says what a draw is for."""
        return "/".join((f"{self.position.year}-{self.position.season}", *parts))

    def draw(self, side: str, number: int, *label: str) -> list[str]:
        """Logistics Phase, F5: let a side draw cards; the discard pile replaces a deck that is empty."""
        position = self.position
        drawn: list[str] = []
        for place in range(1, number + 1):
            position.deck, position.discard = self.renewed(position.deck, position.discard)
            if not position.deck:
                break
            card = self.chance.draw(self.label(*label, side, f"card-{place}"), tuple(position.deck))
            position.deck.remove(card)
            put(position.hands[side], card)
            drawn.append(card)
        self.tell("draw", side=side, number=len(drawn), secret={"cards": drawn}, owner=side, why=label[0])
        return drawn

    def nth(self, kind: str) -> str:
        """Return a name for this play of a card that draws cards; no name comes twice in a season."""
        played = self.position.played
        played[kind] = played.get(kind, 0) + 1
        return f"{kind}-{played[kind]}"

    def steal_territory(self, side: str, other: str, number: int) -> None:
        """Territory Tokens, F14: give a side tokens of the other side, which loses no more than it has."""
        territories = self.position.territories
        number = min(number, territories[other])
        territories[side] += number
        territories[other] -= number
        self.tell("territory", side=side, number=number, territories=dict(territories))

    def check_victory(self, side: str) -> None:
        """Victory, F24: end the game at once, even within a phase, if a side holds all twenty territories."""
        if self.position.territories[side] >= NUMBERS.victory:
            raise GameOver(side, "all territories")
