"""The rules of Harvest.

1. Each farm is dealt four cards out of 1 to 15, which nobody else sees.
2. Each round a crop is worth what a die shows.
3. All farms bid one card at once, and the highest card wins the crop.
4. When all cards are bid, the farm with the most points wins; those with as many share the win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.rules.base import Ask, Chance, Head, Outcome, UnknownOption, View
from pbem.rules.flow import together
from pbem.rules.telling import Telling

FARMS = ("north", "south", "west")
CARDS = tuple(str(number) for number in range(1, 16))
HAND = 4


class Harvest(Telling):
    """A game in progress."""

    def __init__(self, chance: Chance, position: View | None, stops: bool) -> None:
        super().__init__(stops)
        self.chance = chance
        given = position or {}
        self.round: int = given.get("round", 0)
        self.crop: int = given.get("crop", 0)
        self.hands: dict[str, list[str]] = {
            farm: list(given["hands"][farm]) if given else [] for farm in FARMS
        }
        self.played: list[str] = list(given.get("played", ()))
        self.scores: dict[str, int] = dict(given.get("scores", dict.fromkeys(FARMS, 0)))
        self.run(self.play())

    # -- the rules

    async def play(self) -> Outcome:
        """1 to 4, from where the position stands."""
        if not self.round:
            self.deal()
        while any(self.hands.values()):
            if not self.crop:
                self.round += 1
                self.crop = self.chance.roll(f"{self.round}/crop")
                self.tell("crop", round=self.round, worth=self.crop)
            bids = await together(*(self.bid(farm) for farm in FARMS))
            self.reap(dict(zip(FARMS, (bid.split()[1] for bid in bids), strict=True)))
        return self.end()

    def deal(self) -> None:
        """1: four cards to each."""
        deck = list(CARDS)
        for farm in FARMS:
            for number in range(1, HAND + 1):
                card = self.chance.draw(f"0/deal/{farm}/card-{number}", tuple(deck))
                deck.remove(card)
                self.hands[farm].append(card)
            self.hands[farm].sort(key=int)
            self.tell("deal", secret={"cards": list(self.hands[farm])}, owner=farm, farm=farm)

    def bid(self, farm: str) -> Ask:
        """3: which card; who says nothing bids the lowest."""
        hand = self.hands[farm]
        return Ask(
            farm,
            "bid",
            "3",
            lambda: [f"bid {card}" for card in hand],
            public=True,
            preferred=lambda: f"bid {hand[0]}",
        )

    def reap(self, bids: Mapping[str, str]) -> None:
        """3: the highest card wins the crop."""
        for farm, card in bids.items():
            self.hands[farm].remove(card)
            self.played.append(card)
        best = max(FARMS, key=lambda farm: int(bids[farm]))
        self.scores[best] += self.crop
        self.tell("bids", round=self.round, bids=dict(bids), winner=best, worth=self.crop)
        self.crop = 0

    def end(self) -> Outcome:
        """4: who has how many points, in which place."""
        points = sorted(set(self.scores.values()), reverse=True)
        places = tuple(tuple(farm for farm in FARMS if self.scores[farm] == one) for one in points)
        winner = places[0][0] if len(places[0]) == 1 else None
        return Outcome(winner, f"{points[0]} points", places)

    # -- what is seen

    def view(self, viewer: str) -> View:
        """All but other hands is public."""
        return Head("harvest", viewer, (f"round {self.round}",), {}, self.outcome).view(
            round=self.round,
            crop=self.crop,
            hands={
                farm: list(hand) if viewer in (farm, "gm") else len(hand) for farm, hand in self.hands.items()
            },
            played=list(self.played),
            scores=dict(self.scores),
        )


def imagine(view: View) -> View:
    """A position that looks like this to a side: the others hold the lowest cards that it has not seen."""
    known = [hand for hand in view["hands"].values() if isinstance(hand, list)]
    seen = {*view["played"], *(card for hand in known for card in hand)}
    unseen = [card for card in CARDS if card not in seen]
    hands = {
        farm: hand if isinstance(hand, list) else [unseen.pop(0) for _ in range(hand)]
        for farm, hand in view["hands"].items()
    }
    return {**view, "viewer": "gm", "hands": hands}


class HarvestRules:
    """The rule set."""

    name = "harvest"
    title = "Harvest"
    stops: Mapping[str, frozenset[str]] = {}

    def sides(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Always three."""
        return FARMS

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """There are no options."""
        for name in options:
            raise UnknownOption(f"Harvest has no option called {name!r}")
        return {}

    def leave(self, position: View | None, side: str, gone: tuple[str, ...]) -> Outcome | None:
        """R1: the others play on, and the farm bids its lowest card."""
        return None

    def draw_owner(self, label: str) -> str:
        """1: a card is seen by the farm that it is dealt to."""
        return label.split("/")[2]

    def start(
        self, options: Mapping[str, Any], chance: Chance, position: View | None = None, stops: bool = False
    ) -> Harvest:
        """A game from its deal, or from a position."""
        self.checked(options)
        return Harvest(chance, position, stops)


RULES = HarvestRules()
