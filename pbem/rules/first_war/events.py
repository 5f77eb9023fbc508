"""The Event Phase, and what Event and Victory cards do."""

from __future__ import annotations

from collections.abc import Callable

from pbem.characters import split_words
from pbem.rules.first_war.facts import KINDS, NUMBERS, SIDES, Kind, enemy_of
from pbem.rules.first_war.game import FirstWar, Position, kinds, put, take
from pbem.rules.flow import ask


async def event_phase(game: FirstWar) -> None:
    """Event Phase, F11: let the sides play Events alternately, the English first.

    A side that plays none is out for the rest of the phase.
    """
    position = game.position
    position.to_play = position.to_play or NUMBERS.first_event
    while len(position.out) < len(SIDES):
        side = position.to_play
        if side not in position.out:
            await play_event(game, side)
        position.to_play = enemy_of(side)
    position.out, position.to_play = [], None


async def play_event(game: FirstWar, side: str) -> None:
    """Event Phase, F11: let a side play one Event, or be out for the rest of the phase.

    It is asked whatever it has in its hand, so that no pause tells what is in it.
    """
    position = game.position
    answers = ["pass", *(f"event {play}" for play in plays(position, side, "event"))]
    answer = await ask(side, "event", "Event Phase", answers, "pass", always=True)
    if answer == "pass":
        position.out.append(side)
        game.tell("event pass", side=side)
    else:
        play_card(game, side, answer.removeprefix("event "))


def plays(position: Position, side: str, sort: str) -> list[str]:
    """F6, F12: return the cards of this type that a side may play, each with every target it may have."""
    found: list[str] = []
    for name in kinds(position.hands[side]):
        kind = KINDS[name]
        if kind.type != sort or not kind.usable(side):
            continue
        if not kind.hits:
            found.append(name)
        elif kind.op == "steal":
            found += [f"{name} on {unit}" for unit in targets(position, kind, enemy_of(side))]
        else:
            found += [
                f"{name} on {owner} {unit}" for owner in SIDES for unit in targets(position, kind, owner)
            ]
    return found


def targets(position: Position, kind: Kind, owner: str) -> list[str]:
    """F12: return the kinds of Units that a side has in play and that this card may hit."""
    return [unit for unit in kinds(position.play[owner]) if KINDS[unit].type in kind.hits]


def play_card(game: FirstWar, side: str, play: str) -> None:
    """F24, F28: carry out what a card does, discard it, and then count the territories."""
    name, _, target = play.partition(" on ")
    card = take(game.position.hands[side], name)
    game.tell("play", side=side, card=card, target=target)
    EFFECTS[KINDS[name].op](game, side, KINDS[name], target)
    game.position.to_discard([card])
    game.check_victory(side)


def truce(game: FirstWar, _side: str, _kind: Kind, _target: str) -> None:
    """Truce, F13: note that this season has no Battle Phase and no Victory Phase."""
    game.position.truce = True


def territory(game: FirstWar, side: str, kind: Kind, _target: str) -> None:
    """Occupation, Decisive Victory, F14: take tokens from the other side."""
    game.steal_territory(side, enemy_of(side), kind.number)


def kill(game: FirstWar, _side: str, _kind: Kind, target: str) -> None:
    """Kill Traitor, Needed Elsewhere, Scorched Earth, Massacre, Carnage, F12: discard a Unit in play."""
    owner, unit = split_words(target)
    lost = take(game.position.play[owner], unit)
    game.position.to_discard([lost])
    game.tell("lost", side=owner, card=lost)


def steal(game: FirstWar, side: str, _kind: Kind, target: str) -> None:
    """Betrayal, Submission, F15: bring a Noble of the other side into play on one's own, at once."""
    play = game.position.play
    noble = take(play[enemy_of(side)], target)
    put(play[side], noble)
    game.tell("stolen", side=side, card=noble)


def draw(game: FirstWar, side: str, kind: Kind, _target: str) -> None:
    """Ransoms, Invasion, Guerilla Warfare, Strategic Victory, F16: draw cards, which may be used at once."""
    game.draw(side, kind.number, game.nth(kind.id))


def raid(game: FirstWar, side: str, kind: Kind, _target: str) -> None:
    """Raid, F17: draw cards from the other side's hand and discard them in sight of all.

    If that hand holds fewer cards than the Raid takes, all of them go.
    """
    position, other = game.position, enemy_of(side)
    hand, label = position.hands[other], game.nth(kind.id)
    for place in range(1, min(kind.number, len(hand)) + 1):
        card = game.chance.draw(game.label(label, f"card-{place}"), tuple(hand))
        hand.remove(card)
        position.to_discard([card])
        game.tell("raided", side=other, card=card)


EFFECTS: dict[str, Callable[[FirstWar, str, Kind, str], None]] = {
    "truce": truce,
    "territory": territory,
    "kill": kill,
    "steal": steal,
    "draw": draw,
    "raid": raid,
}
