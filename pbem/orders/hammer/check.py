"""A dry run of a file against its writer's own view: what cannot be, and what is probably not meant.

A fault is something that is wrong whatever the enemy hides or does; everything else is a remark. The
moves are looked at in check_moves.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.orders.faults import Fault, listed
from pbem.orders.hammer.asking import ANSWERED_IN_WINTER
from pbem.orders.hammer.chances import never
from pbem.orders.hammer.check_moves import absence, check_moves
from pbem.orders.hammer.conditions import singles
from pbem.orders.hammer.findings import Findings
from pbem.orders.hammer.select import every_order
from pbem.orders.hammer.sight import Sight
from pbem.orders.hammer.tree import FULL, Choice, Compare, Condition, Fact, Order, Orders, Part, Plan
from pbem.orders.hammer.vocabulary import can_hold
from pbem.rules.base import View
from pbem.rules.hammer.facts import AREAS, BLOCKS, CATHEDRALS, ENGLAND, ENGLAND_AREA, EVENTS, OFF_MAP
from pbem.rules.hammer.options import read_options
from pbem.rules.hammer.winter_7 import LEAVERS

PHASES = ("set-up", "cards", "events", "first move", "second move", "battles", "turn end")
EVENT_VERBS = frozenset(("crown", "event", "herald", "pillage", "sail", "truce"))
MOVE_VERBS = frozenset(("move", "main attack"))
BATTLE_VERBS = frozenset(("battles", "battle", "fire", "retreat", "forced retreat", "regroup", "hit"))
TURN_VERBS = EVENT_VERBS | MOVE_VERBS | BATTLE_VERBS | {"card", "raid"}


def check_orders(orders: Orders, view: View) -> tuple[Fault, ...]:
    """Faults and remarks; `view` is that of the side which wrote the orders."""
    return Checker(orders, Sight(view, orders.side)).check()


class Checker:
    """Checks one file."""

    def __init__(self, orders: Orders, sight: Sight) -> None:
        self.orders = orders
        self.sight = sight
        self.side = orders.side
        self.findings = Findings(orders)
        self.note = self.findings.note
        self.options = read_options(sight.options)

    def check(self) -> tuple[Fault, ...]:
        """Every finding, in the order of the text."""
        turn, winter = self.orders.turn, self.orders.winter
        card = self._card()
        for line, why in never(turn, self.side, card, self.sight.enemy_card or ""):
            self.findings.note_line(line, why, "4.1")
        if not self.sight.is_winter:
            for variant in _variants(turn):
                check_moves(variant, self.sight, self.options, card, self.findings)
        for order in every_order(turn):
            self._check_time(order)
            self._check_turn_order(order)
        for order in (*every_order(turn), *every_order(winter)):
            if order.verb == "ask":
                self._check_ask(order)
        for section in (turn, winter, self.orders.doctrine or ()):
            for order in every_order(section):
                self._check_winter_order(order)
            self._check_unreachable(section)
            for plan in _all_plans(section):
                self._check_unreachable(plan.parts)
                for order in every_order(plan.parts):
                    self._check_fighters(order)
        for order in (*every_order(turn), *every_order(winter)):
            self._check_condition(order, order.when)
        return self.findings.faults()

    # -- the turn

    def _card(self) -> str:
        """The card of this turn, if one is on the table or rightly ordered; empty if not known."""
        if self.sight.own_card is not None:
            return self.sight.own_card
        ordered = [order for order in every_order(self.orders.turn) if order.verb == "card"]
        for later in ordered[1:]:
            self.note(
                later,
                later.names[0],
                f"you have ordered the card {ordered[0].names[0]} already",
                "3.1",
                remark=True,
            )
        if not ordered or self.sight.is_winter:
            return ""
        card, hand = ordered[0].names[0], tuple(dict.fromkeys(self.sight.hand))
        if card not in hand:
            self.note(ordered[0], card, f"the card {card} is not in your hand", "3.0", legal=hand)
            return ""
        return card

    def _check_time(self, order: Order) -> None:
        """Is it too late, or the wrong season, for this line?"""
        sight = self.sight
        if sight.is_winter:
            if order.verb in TURN_VERBS:
                self.note(
                    order, order.verb, f"in winter nobody is asked for '{order.verb}'", "7.0", remark=True
                )
            return
        if sight.phase not in PHASES:
            return
        now = PHASES.index(sight.phase)
        last = {"card": "cards", **dict.fromkeys(EVENT_VERBS, "events")}.get(order.verb)
        if order.verb in MOVE_VERBS and sight.is_first is not None:
            last = "first move" if sight.is_first else "second move"
        if last and now > PHASES.index(last):
            self.note(order, order.verb, f"it is too late in the turn for '{order.verb}'", "4.0", remark=True)
        elif order.verb == "card" and sight.own_card is not None:
            self.note(order, order.verb, f"you have played the card {sight.own_card}", "3.1", remark=True)

    def _check_turn_order(self, order: Order) -> None:
        match order.verb:
            case "crown" | "event":
                self._check_crown(order)
            case "herald":
                self._check_herald(order)
            case "pillage":
                self._check_pillage(order)
            case "sail":
                self._check_sail(order)
            case "raid":
                self._check_raid(order)
            case _:
                self._check_fighters(order)

    def _check_ask(self, order: Order) -> None:
        """Is the question one that the judge can stop for, and not asked already?"""
        topic = order.names[0] if order.picks else "combat"
        if self.sight.is_winter and topic in ANSWERED_IN_WINTER:
            said = f"this is asked now and not again: {ANSWERED_IN_WINTER[topic]}"
            self.note(order, order.verb, said, "protocol 13")
        elif not self.sight.is_winter and topic == "builds" and order in every_order(self.orders.turn):
            said = "only you would see that you are asked for steps of Pillage or Victuals: write 'build ...'"
            self.note(order, order.verb, f"{said}; for winter write this line under 'winter:'", "protocol 13")
        elif topic == "everything" and self.sight.phase == "cards" and not self._names_a_card():
            said = "the card is asked now, and of both at once; without a line 'card ...' its default counts"
            self.note(order, order.verb, said, "3.1")

    def _names_a_card(self) -> bool:
        """Is there a line with a card, or no choice of one?"""
        return not self.sight.hand or any(order.verb == "card" for order in every_order(self.orders.turn))

    def _check_crown(self, order: Order) -> None:
        if not can_hold(self.side, "King"):
            self.note(order, order.verb, "only the Scots crown a king", "6.2")
        elif self.sight.crowned and order.verb == "crown":
            self.note(
                order,
                order.verb,
                "a king has been crowned already, and there is one coronation in a game",
                "6.2",
            )
        elif "Balliol" in order.names and self.sight.year < EVENTS.balliol_from_year:
            self.note(order, "Balliol", f"Balliol returns in {EVENTS.balliol_from_year} or later", "6.22")
        else:
            for name in order.names:
                if why := self._not_to_be_crowned(name):
                    self.note(
                        order, name, f"as things stand {name} is not crowned: {why}", "6.21", remark=True
                    )

    def _not_to_be_crowned(self, name: str) -> str:
        """6.21: what stands between Bruce or Comyn and the crown; empty if nothing does."""
        wallace, candidate = self.sight.block("Wallace"), self.sight.own(name)
        if name == "Balliol":
            return ""
        if wallace is not None and wallace.area != OFF_MAP:
            return "Wallace lives"
        if candidate is None or candidate.area != EVENTS.crown_area:
            return f"he is not in {EVENTS.crown_area}"
        return ""

    def _check_herald(self, order: Order) -> None:
        for name in order.names:
            if name == "none":
                continue
            owned = self.sight.holds_noble(name)
            if owned:
                self.note(order, name, f"{name} is on your side already", "3.12")
            elif owned is None:
                self.note(order, name, f"{name} is dead", "5.8")
            elif BLOCKS[name].black_cross:
                self.note(order, name, f"{name} never changes sides", "2.22")

    def _check_pillage(self, order: Order) -> None:
        sight = self.sight
        possible = [
            area
            for area in AREAS
            if sight.is_theirs(area)
            and any(sight.blocks_in(near, self.side) for near in AREAS[area].neighbours)
        ]
        for area in order.names:
            if area not in ("none", "rest") and area not in possible:
                why = (
                    "is not next to blocks of yours"
                    if sight.is_theirs(area)
                    else "holds no enemy blocks alone"
                )
                self.note(
                    order, area, f"{area} {why} now", "3.12", legal=possible, remark=sight.phase != "events"
                )

    def _check_sail(self, order: Order) -> None:
        if order.names == ("none",):
            return
        sight = self.sight
        ports = [area for area in AREAS if AREAS[area].coastal and sight.is_mine(area)]
        for area in order.areas:
            if not AREAS[area].coastal:
                self.note(order, area, f"{area} has no coast", "3.12", legal=ports)
            elif area not in ports:
                self.note(order, area, f"{area} is not friendly now", "3.12", legal=ports, remark=True)
        starts: dict[str, str] = {}
        for name in order.names:
            if name not in BLOCKS:
                continue
            block = sight.own(name)
            if block is None:
                self.note(order, name, absence(name, sight), "3.12")
            elif not BLOCKS[name].move:
                self.note(order, name, f"the {name} cannot use the Sea Move", "3.12")
            elif not AREAS[block.area].coastal:
                self.note(order, name, f"{name} is in {block.area}, which has no coast", "3.12")
            else:
                starts.setdefault(block.area, name)
                if len(starts) > 1:
                    self.note(
                        order,
                        name,
                        f"all blocks of a Sea Move start in one area, not in {listed(starts)}",
                        "3.12",
                    )

    def _check_raid(self, order: Order) -> None:
        if not can_hold(self.side, "Edward"):
            self.note(
                order, order.verb, "a border raid costs England a block, and never you", "5.9", remark=True
            )
        for name in order.names:
            if name == "nobles" or (name in BLOCKS and BLOCKS[name].noble):
                self.note(order, name, "a raid never costs a noble", "5.9")

    def _check_fighters(self, order: Order) -> None:
        """Blocks named for a battle that can never be the side's again, or are the enemy's now."""
        if order.verb in ("battles", "battle") or order.verb not in BATTLE_VERBS | {"pass", "hits"}:
            return
        for name in order.names:
            if name in BLOCKS and self.sight.own(name) is None:
                block = self.sight.block(name)
                if block is None or block.side != self.side:
                    self.note(order, name, f"{absence(name, self.sight)}", "2.22", remark=True)

    # -- winter

    def _check_winter_order(self, order: Order) -> None:
        match order.verb:
            case "home":
                for name in order.names:
                    self._check_home(order, name)
            case "winter":
                if order.names[:1] != ("Edward",):
                    self.note(order, order.names[0], "only Edward is asked for winter quarters", "7.4")
            case "keep" | "disband":
                self._check_disbanding(order)
            case "draw":
                self._check_draw(order)
            case "build":
                self._check_build(order)

    def _check_disbanding(self, order: Order) -> None:
        for name in order.names:
            block = BLOCKS.get(name)
            if block is None:
                continue
            if order.verb == "disband" and block.noble and not block.black_cross:
                self.note(order, name, f"{name} is a noble, and nobles do not disband", "7.5")
            if order.verb == "keep" and block.side == ENGLAND and block.kind in LEAVERS:
                message = f"{name} goes to the pool unless it stands with a wintering Edward"
                self.note(order, name, message, "7.31", remark=True)

    def _check_home(self, order: Order, name: str) -> None:
        if name not in BLOCKS:
            return
        places = _winter_places(name)
        if not places:
            home = BLOCKS[name].homes
            why = f"goes to {home[0]} unasked" if home else "has no home"
            self.note(
                order, name, f"{name} {why}; asked are Bruce, Comyn, Moray, the King and Wallace", "7.1"
            )
            return
        block = self.sight.own(name)
        stays = block.area if block and name in ("Moray", "King", "Wallace") else ""
        for area in order.areas:
            if area not in places and area != stays:
                legal = (*places, *(["stay"] if stays else []))
                self.note(order, area, f"{name} cannot winter in {area}", "7.1", legal=legal)
        if order.stay and name in ("Bruce", "Comyn"):
            self.note(order, "stay", f"{name} goes home in winter", "7.12", legal=places)

    def _check_draw(self, order: Order) -> None:
        if not can_hold(self.side, "King"):
            self.note(order, order.verb, "only the Scots draw blocks; the English have their levy", "7.62")
            return
        for area in order.names:
            if area in AREAS and AREAS[area].limit(self.side) < 2:
                message = f"no block can be drawn in {area}: beside the block that holds it there is no room"
                self.note(order, area, message, "7.62")

    def _check_build(self, order: Order) -> None:
        for name in order.names:
            if name not in BLOCKS:
                continue
            if BLOCKS[name].side != self.side and not BLOCKS[name].noble:
                continue
            english = not can_hold(self.side, "King")
            in_winter = order.verb == "build" and self.sight.is_winter
            if english and in_winter and BLOCKS[name].kind not in ("infantry", "noble"):
                self.note(order, name, f"in winter only infantry and nobles are built up, not {name}", "7.63")
            if BLOCKS[name].noble and self.sight.holds_noble(name) is not True:
                self.note(order, name, absence(name, self.sight), "2.22", remark=True)
        for pick in order.picks:
            if pick.name in BLOCKS and pick.count != FULL and pick.count >= BLOCKS[pick.name].max:
                most = BLOCKS[pick.name].max
                self.note(
                    order, pick.name, f"{pick.name} has {most} steps when it is full", "2.11", remark=True
                )

    # -- lines that cannot count

    def _check_unreachable(self, parts: Sequence[Part]) -> None:
        """A line after one that has settled the same question for everybody."""
        settled: dict[str, int] = {}
        for part in parts:
            if not isinstance(part, Order) or part.when is not None:
                continue
            topic = "combat turns" if part.verb in ("fire", "pass") else part.verb
            if (
                topic in ("hits", "battles", "raid", "combat turns")
                and topic in settled
                and not _names_somebody(part)
            ):
                message = f"this never counts: line {settled[topic]} has settled it for all"
                self.note(part, part.verb, message, remark=True)
            if not part.but and (not part.picks or any(name in ("all", "rest") for name in part.names)):
                settled.setdefault(topic, part.line)

    def _check_condition(self, order: Order, condition: Condition | None) -> None:
        """Conditions about blocks that are not in play."""
        if condition is None:
            return
        for single in singles(condition):
            names = single.names if isinstance(single, Fact) and single.what in ("in", "on map") else ()
            if isinstance(single, Compare):
                names = tuple(quantity.block for quantity in (single.left, single.right) if quantity.block)
            for name in names:
                if (
                    can_hold(self.side, name)
                    and BLOCKS[name].side == self.side
                    and self.sight.block(name) is None
                ):
                    self.note(order, name, f"{name} is out of the game", remark=True)


def _names_somebody(order: Order) -> bool:
    return order.verb in ("fire", "pass") and any(name in BLOCKS for name in order.names)


def _winter_places(name: str) -> tuple[str, ...]:
    """7.12, 7.1, 7.2, 7.5: the areas between which a block's owner may be asked to choose."""
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


def _variants(parts: Sequence[Part]) -> Iterator[list[Order]]:
    """The orders that may have to be carried out together: those outside cases, with each case in turn."""
    outside = [part for part in parts if isinstance(part, Order)]
    cases = [case for part in parts if isinstance(part, Choice) for case in part.cases]
    if not cases:
        yield outside
    for case in cases:
        inside = [order for order in case.parts if isinstance(order, Order)]
        yield sorted([*outside, *inside], key=lambda order: order.line)


def _all_plans(parts: Sequence[Part]) -> Iterator[Plan]:
    for part in parts:
        if isinstance(part, Plan):
            yield part
        elif isinstance(part, Choice):
            for case in part.cases:
                yield from (inner for inner in case.parts if isinstance(inner, Plan))
