"""On Your Turn B, Clan Powers: mustering, the power test, and the effect of each clan's power."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.characters import split_words, strip_blanks
from pbem.rules.flow import ask
from pbem.rules.lords.facts import CLANS, PowerTest, by_strength
from pbem.rules.lords.game import Follower, Lords, Position


async def muster(game: Lords, side: str, name: str, *, up: bool) -> None:
    """On Your Turn B, L12, L15, L16: put a card from a hand into the army of its side.

    A card that lies face-up may use its power at once.
    """
    position = game.position
    position.hands[side].remove(name)
    follower = Follower(name, up, known=[side])
    position.armies[side].append(follower)
    game.tell_card("muster", name, seen=up, owner=side, side=side, up=up)
    if not up:
        return
    if blocking := blockers(position, follower, game.options.test):
        game.tell(
            "power blocked", side=side, card=name, by=[f"{owner}/{other.name}" for owner, other in blocking]
        )
        return
    if uses(position, side, follower, follower.card.clan):
        await power(game, side, follower)
    else:
        game.tell("power without use", side=side, card=name)


async def power(game: Lords, side: str, follower: Follower) -> None:
    """Clan Powers, L15: let the side that mustered a card use the card's power, or leave it."""
    game.position.mustered = [follower.name]
    clan = follower.card.clan
    answers = ["no power", *uses(game.position, side, follower, clan)]
    answer = await ask(side, "power", CLANS[clan].title, answers, "no power")
    if answer == "no power":
        game.tell("power not used", side=side, card=follower.name)
    else:
        await activate(game, side, follower, *split_words(answer))


async def go_on(game: Lords, side: str, name: str, *answered: str) -> None:
    """Clan Powers: go on with the question that is open in a turn in which a card was mustered."""
    follower = next(follower for follower in game.position.armies[side] if follower.name == name)
    await (activate(game, side, follower, *answered) if answered else power(game, side, follower))


def blockers(position: Position, follower: Follower, test: PowerTest) -> list[tuple[str, Follower]]:
    """Clan Powers, Alternative Rules, L12, L13, L14: return the face-up Followers that block a power."""
    card = follower.card

    def blocks(other: Follower) -> bool:
        if other is follower or not other.up or (test.same_clan and other.card.clan != card.clan):
            return False
        lower = other.card.strength < card.strength
        return lower or (test.equal_blocks and other.card.strength == card.strength)

    return [(side, other) for side, other in position.followers() if blocks(other)]


def targets(position: Position, side: str, follower: Follower) -> dict[str, tuple[str, Follower]]:
    """L18, L21: return the Followers that a power may aim at, by the words with which `side` writes them.

    These are all but the one whose power it is. A face-down one of another side is written by its number.
    """
    return {
        f"{owner}/{other.name if other.up or owner == side else f'#{number}'}": (owner, other)
        for owner in position.sides
        for number, other in enumerate(position.armies[owner], 1)
        if other is not follower
    }


def uses(position: Position, side: str, follower: Follower, clan: str) -> list[str]:
    """L16: return what the power of `clan` on this Follower can be used for; nothing if no use is legal."""
    others = targets(position, side, follower)
    match clan:
        case "forsyth":
            return ["use"] if position.draw_pile or position.discard else []
        case "makgill":
            return ["use"] if position.hands[side] else []
        case "cockburn":
            return [f"use {name}" for name in position.supporters]
        case "ferguson":
            return [f"use {target}" for target, (owner, _) in others.items() if owner != side]
        case "wemyss":
            return [f"use {target}" for target in others]
        case "scott":
            return [
                f"copy {target}"
                for target, (_, other) in others.items()
                if other.up and other.card.clan != "scott" and uses(position, side, follower, other.card.clan)
            ]
        case _:
            return ["use"]


async def activate(game: Lords, side: str, follower: Follower, verb: str, target: str = "") -> None:
    """Clan Powers, L15: carry out a power; Scott, L20, L33: a copied one works as if printed on the Scott."""
    position = game.position
    position.mustered = [follower.name, verb, target]
    clan = follower.card.clan
    if verb == "copy":
        clan = targets(position, side, follower)[target][1].card.clan
        game.tell("power copied", side=side, card=follower.name, clan=clan, target=target)
        found = uses(position, side, follower, clan)
        answer = await ask(side, "target", "Scott", found, min(found))
        target = strip_blanks(answer.removeprefix("use"))
    game.tell("power", side=side, card=follower.name, clan=clan)
    if not CLANS[clan].immediate:
        follower.power = (
            clan  # L22: it takes effect at the end of the round, for whoever controls the card then
        )
    elif clan == "makgill":
        await makgill(game, side)
    else:
        IMMEDIATE[clan](game, side, follower, target)


async def makgill(game: Lords, side: str) -> None:
    """Makgill, L19: let the side muster one more card, face-up or face-down, whose own power may follow."""
    hand = game.position.hands[side]
    answers = [f"muster {name} {facing}" for name in hand for facing in ("down", "up")]
    silent = f"muster {min(hand, key=by_strength)} down"
    answer = await ask(side, "muster", "Makgill", answers, silent)
    _, name, facing = split_words(answer)
    await muster(game, side, name, up=facing == "up")


def cockburn(game: Lords, side: str, follower: Follower, target: str) -> None:
    """Cockburn, L17: swap the card with a Supporter, which joins the army face-up without using its power."""
    position = game.position
    position.armies[side].remove(follower)
    position.supporters[position.supporters.index(target)] = follower.name
    position.armies[side].append(Follower(target, up=True, known=[side]))
    game.tell("cockburn", side=side, given=follower.name, taken=target)


def ferguson(game: Lords, side: str, follower: Follower, target: str) -> None:
    """Ferguson, L18, L22, L32: swap two Followers between armies; both sides know the face-down card."""
    armies = game.position.armies
    other, taken = targets(game.position, side, follower)[target]
    number = armies[other].index(taken) + 1
    armies[side].remove(follower)
    armies[other].remove(taken)
    armies[other].append(follower)
    armies[side].append(taken)
    taken.known.extend({side} - set(taken.known))
    event: dict[str, Any] = {
        "side": side,
        "given": follower.name,
        "other": other,
        "number": number,
        "up": taken.up,
    }
    game.tell_card("ferguson", taken.name, seen=taken.up, owner=tuple(taken.known), **event)


def forsyth(game: Lords, side: str, _follower: Follower, _target: str) -> None:
    """Forsyth, L10, L19: draw the top card of the draw pile, which only its owner sees."""
    position = game.position
    number = position.forsyths[side] = position.forsyths.get(side, 0) + 1
    name = game.card_due("forsyth", side, f"card-{number}")
    assert name is not None
    position.to_hand(side, name)
    game.tell_card("forsyth", name, seen=False, owner=side, side=side)


def wemyss(game: Lords, side: str, follower: Follower, target: str) -> None:
    """Wemyss, L21: discard a Follower of any army, in sight of all if the discard pile lies open."""
    position = game.position
    other, lost = targets(position, side, follower)[target]
    number = position.armies[other].index(lost) + 1
    position.armies[other].remove(lost)
    position.to_discard([lost.name])
    seen = lost.up or game.options.discard_pile_public
    event: dict[str, Any] = {"side": side, "other": other, "number": number, "up": lost.up}
    game.tell_card("wemyss", lost.name, seen=seen, owner=tuple(lost.known), **event)


IMMEDIATE: dict[str, Callable[[Lords, str, Follower, str], None]] = {
    "cockburn": cockburn,
    "ferguson": ferguson,
    "forsyth": forsyth,
    "wemyss": wemyss,
}
assert {clan.name for clan in CLANS.values() if clan.immediate} == {*IMMEDIATE, "makgill", "scott"}
