"""The verbs of First War's orders: what each line answers, how it is said back, what may be a slip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pbem.orders.base import Dropped
from pbem.orders.first_war.vocabulary import GROUPS, MY, Sight, kind_in_words, of_group, written
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.parsed_orders import FULL, Order, Pick
from pbem.orders.kit.proposals import picked
from pbem.orders.kit.vocabulary import FOR_ALL, AsStep, Clause, Count, Fallback, Occasion, Step, Verb
from pbem.rules.base import Ask
from pbem.rules.first_war.battle import CASUALTIES
from pbem.rules.first_war.facts import KINDS
from pbem.rules.first_war.season import worth

TARGETS = CASUALTIES[::-1]
"""The kinds of Unit in the order in which a card hits them if its line names no targets: the best first."""


def matching_answers(order: Order, candidates: Sequence[str], elsewhere: Sequence[str] = ()) -> list[str]:
    """Return the kinds among `candidates` that an order's list means, in the order of that list."""
    found = picked(order, [kind_in_words(kind) for kind in candidates], elsewhere, _in_group)
    return [written(name) for name in found if not any(_in_group(name, word) for word in order.left_out)]


def _in_group(name: str, group: str) -> bool:
    return of_group(written(name), group)


# -- deploying


def deploy_steps(order: Order, _sight: Any, orders: Sequence[Order]) -> Iterator[Step]:
    """Yield a deploy line's steps, one for each entry.

    `all` and `rest` give one for each kind of Unit, in the card list's order.
    """
    elsewhere = [name for other in orders for name in (*other.names, *other.left_out)]
    for pick in order.picks:
        if pick.name not in FOR_ALL:
            yield Step(order, pick.name, pick.count)
            continue
        whole = Order(verb=order.verb, picks=(Pick(pick.name),), but=order.but)
        for kind in matching_answers(whole, [kind for kind in KINDS if KINDS[kind].unit], elsewhere):
            yield Step(order, kind_in_words(kind), FULL, named=False)


def deploy_step(occasion: Occasion) -> Iterator[str]:
    """Yield the answers that deploy the list entry whose turn it is."""
    able = sorted(occasion.able("deploy"), key=list(KINDS).index)
    entry = Order(verb="deploy", picks=(Pick(occasion.step.name),), but=occasion.order.but)
    yield from (f"deploy {kind}" for kind in matching_answers(entry, able))


# -- cards that are played


def plays(verb: str, silence: str) -> Callable[[Occasion], Iterator[str]]:
    """Return a function that proposes, best first, to play each card of a line on each target it names."""

    def proposes(occasion: Occasion) -> Iterator[str]:
        order, sight = occasion.order, occasion.sight
        if order.nobody:
            yield silence
            return
        able = [text.removeprefix(f"{verb} ") for text in occasion.ask.legal if text.startswith(f"{verb} ")]
        cards = list(dict.fromkeys(play.partition(" on ")[0] for play in able))
        elsewhere = [name for line in occasion.others if line.order is not order for name in line.order.names]
        for card in matching_answers(order, sorted(cards, key=list(KINDS).index), elsewhere):
            hit = [play.partition(" on ")[2] for play in able if play.partition(" on ")[0] == card]
            yield from (
                f"{verb} {card}{f' on {unit}' if unit else ''}" for unit in aimed(order, hit, sight.side)
            )

    return proposes


def aimed(order: Order, possible: Sequence[str], side: str) -> Iterator[str]:
    """Yield the targets that a line means, out of the possible ones.

    A line without a list of targets means those of the enemy, the best first.
    """
    by_name = {target_name(target, side): target for target in possible}
    theirs = [kind_in_words(kind) for kind in TARGETS if kind_in_words(kind) in by_name]
    if "" in by_name:
        yield ""
    elif not order.has("on"):
        yield from (by_name[name] for name in theirs)
    for name in order.all("on"):
        if name in by_name:
            yield by_name[name]
        elif name in FOR_ALL:
            yield from (by_name[one] for one in theirs if one not in order.all("on"))
        else:
            whose, group = (MY, name.removeprefix(MY)) if name.startswith(MY) else ("", name)
            able = (f"{whose}{kind_in_words(kind)}" for kind in TARGETS if of_group(kind, group))
            yield from (by_name[one] for one in able if one in by_name)


def passed_over(order: Order, sight: Sight) -> Iterator[Dropped]:
    """F12: yield the cards of a line that the writer holds and for which no target was in play."""
    aimed_at = [kind.id for kind in KINDS.values() if (kind.type, bool(kind.hits)) == (order.verb, True)]
    held = [card for card in aimed_at if KINDS[card].usable(sight.side) and sight.holds(card)]
    on = f" on {', '.join(order.all('on'))}" if order.has("on") else ""
    for card in matching_answers(order, held):
        nobody = f"the enemy had no {' or '.join(KINDS[card].hits)} in play"
        why = "none of these Units was in play" if on else nobody
        yield Dropped(order.line, f"{order.verb} {kind_in_words(card)}{on}", why, "F12")


def target_name(target: str, side: str) -> str:
    """Return a target of an answer in the words of orders: `my archers`, `lowland noble`."""
    owner, _, kind = target.rpartition(" ")
    return f"{MY if owner == side else ''}{kind_in_words(kind)}"


def spoken(ask: Ask, answer: str) -> str:
    """Return an answer of the rules as an order line: `event kill traitor on my archers`, `victory none`."""
    if ask.kind == "bonus":
        return f"bonus {answer}"
    if " " not in answer:  # pass, done, keep
        return f"{next(verb.name for verb in VERBS if ask.kind in verb.kinds)} none"
    play, on, target = answer.partition(" on ")
    return kind_in_words(play) + (f"{on}{target_name(target, ask.side)}" if on else "")


def strategy(occasion: Occasion) -> Iterator[str]:
    """Yield answers for `strategy CARDS max 2`, as long as fewer than that many were played in the battle."""
    most = occasion.order.one("max")
    if not most or occasion.sight.strategies_played < int(most):
        yield from plays("strategy", "pass")(occasion)


# -- lists


Rank = Callable[[str, str], Any]
"""Function of a side and a kind that returns the kind's place among others of its group, the lowest first."""


def listed_first(verb: str, rank: Rank, silence: str = "") -> Callable[[Occasion], Iterator[str]]:
    """Return a function that proposes, for lines like `lose archers`, the possible kinds in list order."""

    def proposes(occasion: Occasion) -> Iterator[str]:
        if occasion.order.nobody:
            yield silence
        else:
            able = sorted(occasion.able(verb), key=lambda kind: rank(occasion.sight.side, kind))
            yield from (f"{verb} {kind}" for kind in matching_answers(occasion.order, able))

    return proposes


def listed_last(verb: str, rank: Rank) -> Callable[[Occasion], Iterator[str]]:
    """Return a function that proposes which cards go, for lines like `keep CARDS`: first those not listed."""

    def proposes(occasion: Occasion) -> Iterator[str]:
        side = occasion.sight.side
        able = sorted(occasion.able(verb), key=lambda kind: rank(side, kind))
        kept = [] if occasion.order.nobody else matching_answers(occasion.order, able)
        goes = sorted(
            able, key=lambda kind: kept.index(kind) if kind in kept else len(kept) + able.index(kind)
        )
        yield f"{verb} {goes[-1]}"

    return proposes


# -- slips


def in_hand(order: Order, checker: Checker) -> None:
    """Remark on listed cards of which the writer holds too few now; they may still be drawn."""
    for pick in order.picks:
        kind = KINDS.get(written(pick.name))
        if kind is None:
            continue
        held = checker.sight.holds(kind.id)
        if not held:
            checker.note(order, pick.name, f"{kind.name} is not in your hand now", remark=True)
        elif pick.count != FULL and held < pick.count:
            few = f"you hold only {held} {kind.name} now"
            checker.note(order, pick.name, few, remark=True)


def on_whom(order: Order, checker: Checker) -> None:
    """F12, F15: note a fault or remark where a card can never be played on the Units of its line."""
    in_hand(order, checker)
    kind = KINDS.get(written(order.names[0])) if len(order.picks) == 1 else None
    if kind is None:
        return
    if order.has("on") and not kind.hits:
        checker.note(order, "on", f"{kind.name} is not played on a Unit", "F12", remark=True)
        return
    for name in order.all("on"):
        if name in FOR_ALL:
            continue
        group = name.removeprefix(MY)
        types = GROUPS[group] if group in GROUPS else (KINDS[written(group)].type,)
        if not set(types) & set(kind.hits):
            whom = " and ".join(f"{one}s" for one in kind.hits)
            checker.note(order, name, f"{kind.name} is for {whom} only", "F12")
        elif kind.op == "steal" and name.startswith(MY):
            checker.note(order, name, f"{kind.name} is for Units of the enemy only", "F15")


def before_winter(order: Order, checker: Checker) -> None:
    """Remark on a line about quarters that is written before fall, since it does not count then."""
    if checker.section == "season" and checker.sight.season in ("spring", "summer"):
        message = (
            "this does not count: winter comes after fall; write this line in fall, or under 'doctrine:'"
        )
        checker.note(order, "quarter", message, "Quartering Phase", remark=True)


# -- in words


def _names(order: Order) -> str:
    """Return an order's list in words, with counts: `infantry 2, all others`."""
    words = {"all": "all", "rest": "all others", "none": "none"}
    entries = [_with_count(words.get(pick.name, pick.name), pick) for pick in order.picks]
    but = f" except {', '.join(order.left_out)}" if order.but else ""
    return f"{', '.join(entries)}{but}"


def _with_count(name: str, pick: Pick) -> str:
    """Return an entry's name in words with its count: `infantry 2`, `all lowland nobles`."""
    if pick.count == FULL and pick.name in (kind_in_words(kind) for kind in KINDS):
        return f"all {name}{'' if name.endswith(('s', 'y')) else 's'}"
    return f"{name} {pick.count}" if pick.count > 1 else name


def says_play(what: str, you: str = "You") -> Callable[[Order], str]:
    """Return a function that puts a line into words: `You play Raid`, `You play Events: raid, all others`."""

    def says(order: Order) -> str:
        if order.nobody:
            return f"{you} play no {what}"
        kind = KINDS.get(written(order.names[0])) if len(order.picks) == 1 else None
        cards = kind.name if kind else f"{what}s: {_names(order)}"
        whom = f" on {' or '.join(order.all('on'))}" if order.all("on") else ""
        most = f", at most {order.one('max')}" if order.has("max") else ""
        return f"{you} play {cards}{whom}{most}"

    return says


VERBS = (
    Verb(
        name="deploy",
        form="deploy UNITS, or deploy all except UNITS",
        rule="Recruit Phase",
        example="deploy infantry 2, rest",
        takes="unit",
        counted=Count("cards", 6),
        none=True,
        kinds=("deploy",),
        says=lambda order: "You deploy nothing" if order.nobody else f"You deploy {_names(order)}",
        as_step=AsStep(made=deploy_steps, proposes=deploy_step),
        checks=in_hand,
    ),
    Verb(
        name="bonus",
        form="bonus deploy, or bonus keep",
        rule="Recruit Phase",
        example="bonus keep",
        takes="choice",
        many=False,
        kinds=("bonus",),
        says=lambda order: f"A Unit drawn for Lowland Nobles: you {order.names[0]} it",
        proposes=lambda occasion: iter(occasion.order.names),
    ),
    Verb(
        name="event",
        form="event CARD, or event CARD on UNITS",
        rule="Event Phase",
        example="event betrayal on lowland noble, highland noble",
        takes="event",
        many=False,
        none=True,
        clauses=(Clause(word="on", noun="target", many=True),),
        kinds=("event",),
        says=says_play("Event"),
        proposes=plays("event", "pass"),
        fallback=Fallback(answer="pass", passed_over=passed_over),
        checks=on_whom,
    ),
    Verb(
        name="strategy",
        form="strategy CARDS, or strategy CARDS max 2",
        rule="Battle Phase",
        example="strategy siege, rest max 2",
        takes="strategy",
        none=True,
        clauses=(Clause(word="max", number=Count("Strategy cards", 99)),),
        kinds=("strategy",),
        says=says_play("Strategy card"),
        proposes=strategy,
        fallback=Fallback(answer="pass"),
        checks=in_hand,
    ),
    Verb(
        name="victory",
        form="victory CARD, or victory CARD on UNITS",
        rule="Victory Phase",
        example="victory carnage on nobles, troops",
        takes="victory",
        many=False,
        none=True,
        clauses=(Clause(word="on", noun="target", many=True),),
        kinds=("victory",),
        says=says_play("Victory card", "If you win a season, you"),
        proposes=plays("victory", "done"),
        fallback=Fallback(answer="done", passed_over=passed_over),
        checks=on_whom,
    ),
    Verb(
        name="lose",
        form="lose UNITS, the first of them that is there",
        rule="Victory Phase",
        example="lose infantry, cavalry, rest",
        takes="unit",
        kinds=("casualty",),
        says=lambda order: f"If you lose a season, you lose the first of: {_names(order)}",
        proposes=listed_first("lose", lambda _, kind: CASUALTIES.index(kind)),
    ),
    Verb(
        name="replace",
        form="replace CARDS, the first of them that may be",
        rule="End Phase",
        example="replace leader, rest",
        takes="card",
        none=True,
        kinds=("replace",),
        says=lambda order: f"You replace {'no card' if order.nobody else f'the first of: {_names(order)}'}",
        proposes=listed_first("replace", lambda side, kind: KINDS[kind].usable(side), "keep"),
    ),
    Verb(
        name="keep",
        form="keep CARDS, best first",
        rule="End Phase",
        example="keep victory, strategy, raid, rest",
        takes="card",
        kinds=("discard",),
        says=lambda order: f"When you must discard, you keep these, best first: {_names(order)}",
        proposes=listed_last("discard", worth),
    ),
    Verb(
        name="quarter",
        form="quarter UNITS, best first",
        rule="Quartering Phase",
        example="quarter leader, lowland noble, rest",
        takes="unit",
        kinds=("quarter",),
        other_words=("winter",),
        says=lambda order: f"You keep these Units in winter, best first: {_names(order)}",
        proposes=listed_last("disband", lambda _, kind: -CASUALTIES.index(kind)),
        checks=before_winter,
    ),
)
