"""3.0 The cards: each side plays one face down; the higher makes its player Player 1.

Dealing is 7.8's (builds_7_6.py) and 8's (sequence.py); what an event card does is in events_3_12.py.
"""

from __future__ import annotations

from pbem.rules.base import Ask
from pbem.rules.flow import stop, together
from pbem.rules.hammer.facts import DECK, ENGLAND, EVENT_CARDS, HAND_CARDS, MOVE_CARDS, SCOTLAND, SIDES
from pbem.rules.hammer.game import Hammer


async def card_phase(game: Hammer) -> None:
    """3.1: let both sides choose one card at once; when both have, turn both cards up."""
    position = game.position
    position.truce = []
    game.tell("turn", year=position.year, turn=position.turn, cards=len(position.hands[ENGLAND]))
    await stop("cards")  # also with one card left: what its event is for is asked in advance

    english, scottish = await together(*(card_ask(game, side) for side in SIDES))
    for side, answer in ((ENGLAND, english), (SCOTLAND, scottish)):
        card = answer.removeprefix("card ")
        position.hands[side].remove(card)
        position.played[side].append(card)
        position.cards[side] = card
    position.first = player_1(position.cards[ENGLAND], position.cards[SCOTLAND])
    game.tell(
        "cards", england=position.cards[ENGLAND], scotland=position.cards[SCOTLAND], first=position.first
    )


def card_ask(game: Hammer, side: str) -> Ask:
    """3.1, R7: return the question which card a side plays.

    It must play one, and equal cards are one choice.
    """
    hand = game.position.hands[side]
    return Ask(
        side,
        "card",
        "3.1",
        lambda: [f"card {card}" for card in sorted(set(hand))],
        public=len(hand) > 1,
        preferred=lambda: f"card {lowest(hand)}",
    )


def lowest(hand: list[str]) -> str:
    """Return a silent player's card: their lowest Move card, else the first event in the deck's order."""
    return next(card for card in (*MOVE_CARDS, *EVENT_CARDS) if card in hand)


def player_1(english: str | None, scottish: str | None) -> str:
    """3.1, 3.12, 4.1, R8: return who is Player 1: whoever plays an event, else the higher card.

    The English win ties.
    """
    if is_event(english):
        return ENGLAND
    if is_event(scottish):
        return SCOTLAND
    return ENGLAND if (english or "") >= (scottish or "") else SCOTLAND


def is_event(card: str | None) -> bool:
    """3.12: tell whether a card is one of the five event cards."""
    return card in EVENT_CARDS


def both_events(cards: dict[str, str | None]) -> bool:
    """3.12: tell whether both cards are events, which ends the year when this turn is over."""
    return all(is_event(card) for card in cards.values())


def deal(game: Hammer) -> None:
    """3.0, 7.8: shuffle the whole deck and deal five cards to England, then five to Scotland."""
    deck = list(DECK)
    for side in SIDES:
        game.position.played[side] = []
        hand = []
        for number in range(1, HAND_CARDS + 1):
            card = game.chance.draw(game.label("hand", side, f"card-{number}"), tuple(deck))
            deck.remove(card)
            hand.append(card)
        game.position.hands[side] = sorted(hand, key=DECK.index)
        game.tell(
            "hand", side=side, size=len(hand), secret={"cards": list(game.position.hands[side])}, owner=side
        )
