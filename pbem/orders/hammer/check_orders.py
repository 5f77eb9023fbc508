"""The check for what is wrong or doubtful about orders, as far as their writer's view shows it.

A fault is something that is wrong whatever the enemy hides or does; everything else is a remark. The moves
are looked at in check_moves.py; each function here is named by the row of its verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from pbem.orders.base import listed
from pbem.orders.hammer.check_moves import absence, check_moves
from pbem.orders.hammer.conditions import World
from pbem.orders.hammer.vocabulary import Sight, can_hold
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.parsed_orders import (
    ASK,
    EVERYTHING,
    FULL,
    Case,
    Choice,
    Compare,
    Condition,
    Order,
    Part,
    Plan,
    every_order,
    plans,
    singles,
)
from pbem.orders.kit.vocabulary import FOR_ALL, Problem
from pbem.rules.hammer import RULES
from pbem.rules.hammer.facts import AREAS, BLOCKS, CATHEDRALS, DECK, ENGLAND, ENGLAND_AREA, EVENTS, OFF_MAP
from pbem.rules.hammer.sequence import TURN_PHASES
from pbem.rules.hammer.winter_7 import LEAVERS

EVENT_KINDS = frozenset(
    ("king", "herald", "pillage", "pillage-hit", "pillage-build", "sail", "victuals", "truce")
)
"""The kinds of Ask that events of a turn bring."""
EVENT_OF = {"herald": "herald", "pillage": "pillage", "sail": "sea move", "truce": "truce"}
"""The verbs whose lines answer the event of one card only, each with that card."""
COMBAT = frozenset(("fire", "pass", "retreat"))
"""The verbs of a block's Combat Turn."""
WINTER_KINDS = RULES.stops["winter"] | RULES.stops["builds"]
"""The kinds of Ask that only a winter brings."""


MAX_VARIANTS = 40
"""Maximum number of cases of which the moves are tried; no file needs as many."""

ANSWERED_IN_WINTER = {
    "edward": "write 'winter Edward' or 'disband Edward'",
    "disband": "write 'keep ...' or 'disband ...'",
}
"""The topics that only their player sees asked, with what to write in winter in place of `ask`."""

TOPICS_OF_WINTER = frozenset(("home", "edward", "disband"))
"""The topics that come up only in a winter: outside the winter section nothing stops the game for them."""


def check_file(checker: Checker) -> None:
    """Check the card, each case's moves, orders that come too late, and blocks that are out of the game."""
    sight: Sight = checker.sight
    turn = checker.orders.section("turn")
    _check_cards(checker)
    if not sight.is_winter:
        for variant in islice(_variants(turn, checker), MAX_VARIANTS if _may_still_move(sight) else 0):
            check_moves(variant, card_of(checker), checker)
    for order in every_order(turn):
        _check_time(order, checker)
        _check_event(order, checker)
    _check_plans(checker)
    has_card = bool(_ordered_cards(checker))
    for section in ("turn", "winter"):
        for order in every_order(checker.orders.section(section)):
            _check_condition(order, checker)
            if order.verb == ASK:
                _check_ask(order, checker, section, has_card=has_card)


# -- the card


def _ordered_cards(checker: Checker) -> list[Order]:
    return [order for order in every_order(checker.orders.section("turn")) if order.verb == "card"]


def card_of(checker: Checker) -> str:
    """Return the card of this turn, if it is on the table or validly ordered; empty if it is not known."""
    sight: Sight = checker.sight
    if sight.own_card is not None:
        return sight.own_card
    ordered = _ordered_cards(checker)
    if not ordered or sight.is_winter or ordered[0].names[0] not in sight.hand:
        return ""
    return ordered[0].names[0]


def _check_cards(checker: Checker) -> None:
    sight: Sight = checker.sight
    if sight.own_card is not None or not (ordered := _ordered_cards(checker)):
        return
    first, *later = ordered
    card = first.names[0]
    for order in later:
        message = f"line {first.line} plays the card {card}, and only that line counts"
        checker.note(order, order.names[0], message, "3.1", remark=True)
    if not sight.is_winter and card not in sight.hand:
        checker.note(
            first, card, f"the card {card} is not in your hand", "3.0", legal=dict.fromkeys(sight.hand)
        )


def worlds(checker: Checker) -> Sequence[World]:
    """4.1: return every pair of cards that there can be, from one's own and the enemy's as far as known."""
    cards = tuple(dict.fromkeys(DECK))
    own, enemy = card_of(checker), checker.sight.enemy_card
    return [
        (checker.side, mine, theirs)
        for mine in ((own,) if own else cards)
        for theirs in ((enemy,) if enemy else cards)
    ]


def why_never(checker: Checker) -> Problem:
    """4.1: return the reason why a line applies with no pair of cards that there can be."""
    own, enemy = card_of(checker), checker.sight.enemy_card
    if enemy:
        return Problem(f"this condition cannot be true: the cards are {own} against {enemy}", "4.1")
    return Problem(
        f"this condition can never be true with the card {own}"
        if own
        else "this condition can never be true",
        "4.1",
    )


# -- whole files


def _may_still_move(sight: Sight) -> bool:
    last = "first move" if sight.is_first else "second move"
    return sight.phase in TURN_PHASES and TURN_PHASES.index(sight.phase) <= TURN_PHASES.index(last)


def _variants(parts: Sequence[Part], checker: Checker) -> Iterator[list[Order]]:
    """Yield the orders that may apply together: those outside cases, with each case in turn.

    Of lines with conditions of their own those go together that apply with the same pair of cards. What
    another condition decides is tried with the lines that have none, and with those that share it.
    """
    outside = [part for part in parts if isinstance(part, Order)]
    cases = [case for part in parts if isinstance(part, Choice) for case in part.cases]
    known: set[tuple[int, ...]] = set()
    for case in cases or [Case(when=None)]:
        inside = [order for order in case.parts if isinstance(order, Order)]
        orders = sorted([*outside, *inside], key=lambda order: order.line)
        for variant in _together(orders, case.when, checker):
            if (key := tuple(id(order) for order in variant)) not in known:
                known.add(key)
                yield variant


def _together(orders: Sequence[Order], when: Condition | None, checker: Checker) -> Iterator[list[Order]]:
    """Yield orders that apply together, for every pair of cards with which a condition may hold."""
    for world in worlds(checker):
        if checker.judged(when, world) is False:
            continue
        judged = [(order, checker.judged(order.when, world)) for order in orders]
        unknown = list(dict.fromkeys(order.when for order, holds in judged if holds is None))
        for shared in unknown or [None]:
            yield [order for order, holds in judged if holds or (holds is None and order.when == shared)]


def _check_time(order: Order, checker: Checker) -> None:
    """Remark on a line for which it is too late in the turn, or the wrong season."""
    sight: Sight = checker.sight
    verb = order.verb
    kinds = frozenset(checker.rows.by_verb[verb].kinds)
    if sight.is_winter:
        if kinds and not kinds & WINTER_KINDS:
            checker.note(order, verb, f"'{verb}' has no use in winter", "7.0", remark=True)
        return
    if sight.phase not in TURN_PHASES:
        return
    last = "cards" if verb == "card" else "events" if kinds and kinds <= EVENT_KINDS else None
    if kinds == {"move"} and sight.is_first is not None:
        last = "first move" if sight.is_first else "second move"
    if kinds == {"battle"} and sight.is_first is False:
        checker.note(
            order, verb, "the side that moves first chooses the order of the battles", "5.1", remark=True
        )
    if verb in COMBAT and not sight.battle:
        said = (
            "outside a plan this line answers only one question; below 'plan any:' it counts in every battle"
        )
        checker.note(order, verb, said, "5.0", remark=True)
    if last and TURN_PHASES.index(sight.phase) > TURN_PHASES.index(last):
        checker.note(order, verb, f"it is too late in the turn for '{verb}'", "4.0", remark=True)
    elif verb == "card" and sight.own_card is not None:
        checker.note(order, verb, f"you have played the card {sight.own_card}", "3.1", remark=True)


def _check_event(order: Order, checker: Checker) -> None:
    """3.12: remark on a line for an event where its writer does not play the card that brings it."""
    sight: Sight = checker.sight
    event = EVENT_OF.get(order.verb)
    if event is None or sight.is_winter or sight.phase not in ("cards", "events"):
        return
    card = card_of(checker)
    if card == event or (not card and _ordered_cards(checker)):
        return
    why = f"you play the card {card}" if card else f"no line plays it: write 'card {event}'"
    if event not in sight.hand and sight.phase == "cards":
        why = f"you do not hold it{f', and you play the card {card}' if card else ''}"
    said = f"this counts only if you play the card {event}; {why}"
    checker.note(order, order.verb, said, "3.12", remark=True)


def _check_plans(checker: Checker) -> None:
    """5.31: remark on a plan of conditional lines, since the game stops where none of them holds."""
    every = [plan for _, parts in checker.orders.sections for plan in plans(parts)]
    spared = {name for plan in every if _fights_on(plan) for name in plan.names or ("",)}
    for plan in plans(checker.orders.section("turn")):
        orders = [order for order in every_order(plan.parts) if order.verb in COMBAT]
        if not orders or any(order.verb == ASK for order in every_order(plan.parts)) or _fights_on(plan):
            continue
        if "" not in spared and not (plan.names and spared.issuperset(plan.names)):
            said = (
                "the lines of this plan are for some cases or blocks only: in all others the game stops to "
                "ask you; to prevent that, write 'fire' as the last line of this plan"
            )
            checker.remark_on_line(plan.line, Problem(said, "5.31"), pause=True)
            return
    _check_ends(checker, every)


ENDS = {
    "regroup": ("who regroups when you win", "'regroup none'"),
    "forced retreat": ("where blocks go if they must retreat", "'forced retreat all'"),
}
"""The questions at the end of a battle, in words, each with a line that answers it in every case."""


def _check_ends(checker: Checker, every: Sequence[Plan]) -> None:
    """5.5, 5.6: remark on plans that fight and say nothing of what comes after the fight."""
    fought = [plan for plan in plans(checker.orders.section("turn")) if _fights_on(plan)]
    if not fought:
        return
    about = set(fought[0].names)
    here = (plan for plan in every if not plan.names or about & {*plan.names})
    lines = [order for plan in here for order in every_order(plan.parts)]
    spoken = {order.verb for order in (*lines, *every_order(checker.orders.section("turn")))}
    asked = {checker.rows.topic(order).name for order in lines if order.verb == ASK}
    if missing := [verb for verb in ENDS if verb not in spoken | asked]:
        what, lines_for = ([ENDS[verb][part] for verb in missing] for part in (0, 1))
        said = f"no line says {listed(what, 'or')}: then the game stops to ask you; "
        said += f"to prevent that, write in this plan: {', '.join(lines_for)}"
        checker.remark_on_line(fought[0].line, Problem(said, "5.6"), pause=True)


def _fights_on(plan: Plan) -> bool:
    """Tell whether a plan says something for every block in every case."""
    return any(
        isinstance(part, Order)
        and part.verb in COMBAT
        and part.when is None
        and not part.but
        and (not part.picks or any(name in FOR_ALL for name in part.names))
        for part in plan.parts
    )


def _check_ask(order: Order, checker: Checker, section: str, *, has_card: bool) -> None:
    """Note an `ask` about a question for which the judge cannot stop, or that is asked already."""
    sight: Sight = checker.sight
    topic = checker.rows.topic(order).name
    if sight.is_winter and topic in ANSWERED_IN_WINTER:
        said = f"you are asked this now, and not again: {ANSWERED_IN_WINTER[topic]}"
        checker.note(order, order.verb, said, "protocol 13")
    elif not sight.is_winter and topic == "builds" and section == "turn":
        said = "only you can see this question for Pillage and Victuals, so the game does not stop: "
        said += "write 'build ...'; for winter write this line under 'winter:'"
        checker.note(order, order.verb, said, "protocol 13")
    elif not sight.is_winter and topic in TOPICS_OF_WINTER and section == "turn":
        said = "only you can see this question when it is asked, so here the game does not stop for it: "
        said += "write this line under 'winter:'; then it stops when the winter begins"
        checker.note(order, order.verb, said, "protocol 13")
    elif topic == EVERYTHING and sight.phase == "cards" and sight.hand and not has_card:
        said = "both sides choose a card now; without a line 'card ...' the judge plays the default"
        checker.note(order, order.verb, said, "3.1")


def _check_condition(order: Order, checker: Checker) -> None:
    """Remark on conditions about blocks that are out of the game."""
    for single in singles(order.when):
        terms = (single.left, single.right) if isinstance(single, Compare) else (single,)
        for term in terms:
            name = term.name() if term.what in ("in", "on map", "block strength") else ""
            if name in BLOCKS and BLOCKS[name].side == checker.side and checker.sight.is_out(name):
                checker.note(order, name, f"{name} is out of the game", remark=True)


# -- events


def check_crown(order: Order, checker: Checker) -> None:
    """6.2: note what is wrong with an order to crown a king: who crowns whom, and when."""
    sight: Sight = checker.sight
    if not can_hold(checker.side, "King"):
        checker.note(order, order.verb, "only the Scots crown a king", "6.2")
    elif sight.crowned and order.verb == "crown":
        message = "a king has been crowned already, and only one is crowned in a game"
        checker.note(order, order.verb, message, "6.2")
    elif "Balliol" in order.names and sight.year < EVENTS.balliol_from_year:
        checker.note(order, "Balliol", f"Balliol returns in {EVENTS.balliol_from_year} or later", "6.22")
    else:
        for name in order.names:
            if why := _not_to_be_crowned(name, sight):
                message = f"{name} cannot be crowned now: {why}"
                checker.note(order, name, message, "6.21", remark=True)


def _not_to_be_crowned(name: str, sight: Sight) -> str:
    """6.21: return what keeps Bruce or Comyn from being crowned now; empty if nothing does."""
    wallace, candidate = sight.block("Wallace"), sight.own(name)
    if name == "Balliol":
        return ""
    if wallace is not None and wallace.area != OFF_MAP:
        return "Wallace is alive"
    if candidate is None or candidate.area != EVENTS.crown_area:
        return f"he is not in {EVENTS.crown_area}"
    return ""


def check_herald(order: Order, checker: Checker) -> None:
    """3.12: note names to which no herald goes: nobles who are dead, one's own, or never change sides."""
    for name in order.names:
        if name == "none":
            continue
        owned = checker.sight.holds_noble(name)
        if owned:
            checker.note(order, name, f"{name} is yours already", "3.12")
        elif owned is None:
            checker.note(order, name, f"{name} is dead", "5.8")
        elif BLOCKS[name].black_cross:
            checker.note(order, name, f"{name} never changes sides", "2.22")


def check_pillage(order: Order, checker: Checker) -> None:
    """3.12: note areas that cannot be pillaged: an area must hold enemy blocks alone, next to one's own."""
    sight: Sight = checker.sight
    possible = [
        area
        for area in AREAS
        if sight.is_theirs(area)
        and any(sight.blocks_in(near, checker.side) for near in AREAS[area].neighbours)
    ]
    for area in order.names:
        if area not in ("none", "rest") and area not in possible:
            theirs = sight.is_theirs(area)
            why = "is not next to blocks of yours" if theirs else "is not held by the enemy alone"
            remark = sight.phase != "events"
            checker.note(order, area, f"{area} {why} now", "3.12", legal=possible, remark=remark)


def check_sail(order: Order, checker: Checker) -> None:
    """3.12: note what is wrong with a Sea Move, which goes from one coast to friendly ones."""
    sight: Sight = checker.sight
    if order.nobody:
        return
    ports = [area for area in AREAS if AREAS[area].coastal and sight.is_mine(area)]
    for area in order.all("to"):
        if not AREAS[area].coastal:
            checker.note(order, area, f"{area} has no coast", "3.12", legal=ports)
        elif area not in ports:
            checker.note(order, area, f"{area} is not friendly now", "3.12", legal=ports, remark=True)
    starts: dict[str, str] = {}
    for name in order.names:
        if name not in BLOCKS:
            continue
        block = sight.own(name)
        if block is None:
            checker.note(order, name, absence(name, sight), "3.12")
        elif not BLOCKS[name].move:
            checker.note(order, name, f"the {name} cannot use the Sea Move", "3.12")
        elif not AREAS[block.area].coastal:
            checker.note(order, name, f"{name} is in {block.area}, which has no coast", "3.12")
        else:
            starts.setdefault(block.area, name)
            if len(starts) > 1:
                message = f"all blocks of a Sea Move start in one area, not in {listed(starts)}"
                checker.note(order, name, message, "3.12")


# -- battles


def check_raid(order: Order, checker: Checker) -> None:
    """5.9: note what is wrong with a raid order: a raid costs England a block that is no noble."""
    if not can_hold(checker.side, "Edward"):
        message = "only England loses a block to a border raid"
        checker.note(order, order.verb, message, "5.9", remark=True)
    for name in order.names:
        if name == "nobles" or (name in BLOCKS and BLOCKS[name].noble):
            checker.note(order, name, "a border raid never costs you a noble", "5.9")


def check_retreat(order: Order, checker: Checker) -> None:
    """5.5: remark on a retreat to an area that does not border the battle; the Norse alone may sail."""
    check_fighters(order, checker)
    fought = [name for name in checker.plan.names if name in AREAS] if checker.plan else []
    if not fought or order.names == ("Norse",):
        return
    for area in order.all("to"):
        if area in AREAS and not any(area in AREAS[one].neighbours for one in fought):
            near = list(dict.fromkeys(name for one in fought for name in AREAS[one].neighbours))
            said = f"{area} has no border with {listed(fought, 'or')}, so no block can retreat there by land"
            checker.note(order, area, said, "5.5", legal=near, remark=True)


def check_hits(order: Order, checker: Checker) -> None:
    """5.41: note a list for hits that ends before everybody is named, since the game may stop for it."""
    check_fighters(order, checker)
    if order.when is None and not any(name in FOR_ALL for name in order.names):
        whole = f"{order.verb} {', '.join((*order.names, 'rest'))}"
        said = f"if none of these can take a hit, the game stops to ask you; to prevent that, write '{whole}'"
        checker.note(order, order.verb, said, "5.41", pause=True)


def check_fighters(order: Order, checker: Checker) -> None:
    """Remark on blocks named for a battle that the enemy has now, or that can never be the side's again."""
    if checker.section != "turn" and not checker.in_plan:
        return
    for name in order.names:
        if name in BLOCKS and checker.sight.own(name) is None:
            block = checker.sight.block(name)
            if block is None or block.side != checker.side:
                checker.note(order, name, absence(name, checker.sight), "2.22", remark=True)


# -- winter


def check_edward(order: Order, checker: Checker) -> None:
    """7.4: note a name other than Edward's, since Edward alone has winter quarters."""
    if order.names[:1] != ("Edward",):
        checker.note(order, order.names[0], "'winter' is for Edward alone", "7.4")


def check_disbanding(order: Order, checker: Checker) -> None:
    """7.3, 7.5: note blocks that do not disband, and remark on those that go to the pool in any case."""
    for name in order.names:
        block = BLOCKS.get(name)
        if block is None:
            continue
        if order.verb == "disband" and block.noble and not block.black_cross:
            checker.note(order, name, f"{name} is a noble, and nobles do not disband", "7.5")
        if order.verb == "keep" and block.side == ENGLAND and block.kind in LEAVERS:
            message = f"{name} goes to the pool, unless Edward winters in its area"
            checker.note(order, name, message, "7.31", remark=True)


def check_home(order: Order, checker: Checker) -> None:
    """7.1, 7.12, 7.2, 7.5: note blocks that may not choose where to winter, and areas they may not choose."""
    for name in order.names:
        if name not in BLOCKS:
            continue
        places = _winter_places(name)
        if not places:
            home = BLOCKS[name].homes
            why = f"goes to {home[0]} without an order" if home else "has no home"
            message = f"{name} {why}; 'home' is for Bruce, Comyn, Moray, the King and Wallace"
            checker.note(order, name, message, "7.1")
            continue
        block = checker.sight.own(name)
        stays = block.area if block and name in ("Moray", "King", "Wallace") else ""
        for area in order.all("to"):
            if area not in places and area != stays:
                legal = (*places, *(["stay"] if stays else []))
                checker.note(order, area, f"{name} cannot winter in {area}", "7.1", legal=legal)
        if order.has("stay") and name in ("Bruce", "Comyn"):
            checker.note(order, "stay", f"{name} goes home in winter", "7.12", legal=places)


def _winter_places(name: str) -> tuple[str, ...]:
    """7.12, 7.1, 7.2, 7.5: return the areas between which a block's owner may be asked to choose."""
    match name:
        case "Bruce" | "Comyn" | "Moray":
            return BLOCKS[name].homes
        case "King":
            return CATHEDRALS
        case "Wallace":
            return (EVENTS.wallace_refuge,)
        case "Norse" | "French Knights":  # R103, German rules
            return tuple(area.name for area in AREAS.values() if area.coastal and area.name != ENGLAND_AREA)
        case _:
            return ()


def check_draw(order: Order, checker: Checker) -> None:
    """7.62: note a draw by the English, and areas in which there can never be room."""
    if not can_hold(checker.side, "King"):
        message = "only the Scots draw blocks; the English have their levy"
        checker.note(order, order.verb, message, "7.62")
        return
    for area in order.names:
        if area in AREAS and AREAS[area].limit(checker.side) < 2:
            message = f"no block can be drawn in {area}: its castle limit leaves no room for a second block"
            checker.note(order, area, message, "7.62")


def check_build(order: Order, checker: Checker) -> None:
    """7.62, 7.63, 2.11: note blocks that cannot be built up, or not as far as the order says."""
    english = not can_hold(checker.side, "King")
    of_winter = checker.sight.is_winter or checker.section == "winter"
    said = {one.verb for _, parts in checker.orders.sections for one in every_order(parts)}
    if of_winter and not english and not order.nobody and not said & {"draw", ASK}:
        message = "points that your blocks do not need are not used; 'draw Fife' brings new blocks"
        checker.note(order, order.verb, message, "7.62", remark=True)
    for name in order.names:
        if name not in BLOCKS or not (BLOCKS[name].side == checker.side or BLOCKS[name].noble):
            continue
        if english and checker.sight.is_winter and BLOCKS[name].kind not in ("infantry", "noble"):
            message = f"in winter you can build up only infantry and nobles, not {name}"
            checker.note(order, name, message, "7.63")
        if BLOCKS[name].noble and checker.sight.holds_noble(name) is not True:
            checker.note(order, name, absence(name, checker.sight), "2.22", remark=True)
    for pick in order.picks:
        if pick.name in BLOCKS and pick.count != FULL and pick.count >= BLOCKS[pick.name].max:
            most = BLOCKS[pick.name].max
            message = f"{pick.name} has {most} steps when it is full"
            checker.note(order, pick.name, message, "2.11", remark=True)
