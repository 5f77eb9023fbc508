"""What reports of Harvest say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.reports.words import Words
from pbem.rules.base import Event, View


class HarvestWords(Words):
    """Names, sentences and the table of a position."""

    template = "position.txt.j2"
    sides = {"north": "North", "south": "South", "west": "West"}  # noqa: RUF012 - a constant
    questions = {"bid": "which card do you bid?"}  # noqa: RUF012

    def story(self, before: View | None, told: Sequence[Event]) -> list[str]:
        """A sentence for each event."""
        return [self.sentence(event) for event in told]

    def sentence(self, event: Event) -> str:
        """One of them."""
        match event["event"]:
            case "deal" if "cards" in event:
                return f"{self.sides[event['farm']]} is dealt {', '.join(event['cards'])}."
            case "deal":
                return f"{self.sides[event['farm']]} is dealt four cards."
            case "crop":
                return f"Round {event['round']}: the crop is worth {event['worth']}."
        bids = ", ".join(f"{self.sides[farm]} {card}" for farm, card in event["bids"].items())
        return f"Bids: {bids}. {self.sides[event['winner']]} wins {event['worth']}."

    def position(self, view: View) -> dict[str, Any]:
        """What position.txt.j2 shows."""
        return {
            "rows": [
                (
                    name,
                    view["scores"][side],
                    ", ".join(view["hands"][side])
                    if isinstance(view["hands"][side], list)
                    else f"{view['hands'][side]} cards",
                )
                for side, name in self.sides.items()
            ]
        }


WORDS = HarvestWords()
