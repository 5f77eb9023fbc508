"""The verbs of Lords' orders: how each reads, what it answers, how it is checked and said back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pbem.characters import is_decimal
from pbem.orders.kit.checker import Checker
from pbem.orders.kit.parsed_orders import Choice, Order, Part, Plan, every_order
from pbem.orders.kit.vocabulary import Clause, Occasion, Problem, Verb
from pbem.orders.lords.vocabulary import BEST, BY_RULE, HIDDEN, REST, WEAKEST, Sight
from pbem.rules.base import Ask
from pbem.rules.lords.facts import CARDS, CLANS, by_strength

CHAIN = "then muster"
AIMED = frozenset(("cockburn", "ferguson", "wemyss"))
"""Clan Powers: the Clans whose power is used on a card, beside the Scotts, who copy."""

# -- which answers a list means


def matching_answers(words: Sequence[str], answers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the answers that a list means, best first, from pairs of an answer and its card ("?" if unseen).

    A word is a card, a clan, `best`, `weakest`, `hidden` or `rest`; of several the strongest is meant first.
    """
    seen = sorted(
        (one for one in answers if one[1] != "?"), key=lambda one: by_strength(one[1]), reverse=True
    )
    hidden = [text for text, card in answers if card == "?"]
    for word in words:
        if word == HIDDEN:
            yield from hidden
        elif word == REST:
            yield from (*(text for text, _ in seen), *hidden)
        else:
            ordered = reversed(seen) if word == WEAKEST else seen
            yield from (text for text, card in ordered if word in (card, CARDS[card].clan, BEST, WEAKEST))


def recruit(occasion: Occasion) -> Iterator[str]:
    """On Your Turn A: yield answers that recruit by slot, by name or by rule."""
    sight: Sight = occasion.sight
    slots = [(f"recruit {slot}", name) for slot, name in enumerate(sight.view["recruits"], 1) if name]
    for word in occasion.order.names:
        if is_decimal(word):
            yield f"recruit {word}"
        else:
            yield from matching_answers([word], slots)


def muster(occasion: Occasion) -> Iterator[str]:
    """On Your Turn B: yield answers for a card; then for its power, and on whom a copied one is used."""
    order, ask, sight = occasion.order, occasion.ask, occasion.sight
    if ask.kind in ("turn", "muster"):
        facing = "up" if order.has("up") else "down"
        yield from (f"muster {card} {facing}" for card in cards_meant(order, sight))
    elif ask.kind == "target":
        yield from answers_of("use", order.all("on") or order.all("use"), ask, sight)
    else:
        yield from answers_of(
            "use" if order.has("use") else "copy", order.all("use") or order.all("copy"), ask, sight
        )


def power(occasion: Occasion) -> Iterator[str]:
    """Clan Powers: yield the answers of a line to a question about a power."""
    order, ask = occasion.order, occasion.ask
    words = order.all("on") if ask.kind == "target" and order.verb == "copy" else order.names
    return answers_of("use" if ask.kind == "target" else order.verb, words, ask, occasion.sight)


def cards_meant(order: Order, sight: Sight) -> Iterator[str]:
    """Yield the cards of the hand that an order may muster, the best first; `best` is the strongest."""
    return matching_answers(order.names, [(card, card) for card in sight.hand])


def answers_of(verb: str, words: Sequence[str], ask: Ask, sight: Sight) -> Iterator[str]:
    """Yield the answers that use or copy a power on what a list means; without a list, on anybody.

    The side's own Followers are meant only by name.
    """
    if verb in ask.legal:  # a power without a target
        yield verb
    legal = [text.removeprefix(f"{verb} ") for text in ask.legal if text.startswith(f"{verb} ")]
    known = [(target, sight.card_of(target)) for target in legal]
    others = [(t, card) for t, card in known if verb == "copy" or not t.startswith(f"{sight.side}/")]
    for word in words or (REST,):
        owner, _, name = word.rpartition("/")
        if word in (*BY_RULE, REST, *CLANS):
            found = matching_answers([word], others)
        elif name in CLANS:
            found = matching_answers([name], [one for one in known if one[0].startswith(f"{owner}/")])
        else:
            found = (text for text in sight.canonical(word) if text in legal)
        yield from (f"{verb} {target}" for target in found)


def is_about(order: Order, ask: Ask, sight: Sight) -> bool:
    """Tell whether a line about a card speaks to this question.

    A line speaks to a question about its card's power only if it says how the power is used.

    L19: a Makgill's extra card is that of another line than the Makgill's own.
    """
    cards = tuple(cards_meant(order, sight))
    if ask.kind in ("power", "target"):
        return (order.has("use") or order.has("copy")) and sight.latest() in cards
    return ask.kind != "muster" or not cards or not set(cards).isdisjoint(sight.view["hands"][sight.side])


# -- in words


def _entry(name: str) -> str:
    said = {BEST: "the strongest", WEAKEST: "the weakest", HIDDEN: "one that lies face-down", REST: "any"}
    if name in CLANS:
        return f"a {CLANS[name].title}"
    return f"the one in slot {name}" if is_decimal(name) else said.get(name, name)


def _else(names: Sequence[str]) -> str:
    return ", else ".join(map(_entry, names))


def _muster(order: Order) -> str:
    extra = order.verb == CHAIN
    said = f"{'If a power lets you, you also' if extra else 'You'} muster {_else(order.names)}"
    if order.has("down"):
        return f"{said} face-down"
    if order.has("copy"):
        on = f" on {_else(order.all('on'))}" if order.all("on") else ""
        return f"{said} face-up and copy {_else(order.all('copy') or (REST,))}{on}"
    if order.has("use"):
        on = f" on {_else(order.all('use'))}" if order.all("use") else ""
        return f"{said} face-up and use its power{on}"
    return f"{said} face-up"


def _copy(order: Order) -> str:
    on = f" on {_else(order.all('on'))}" if order.all("on") else ""
    return f"A Scott copies {_else(order.names or (REST,))}{on}"


def _use(order: Order) -> str:
    return f"If a power works, you use it{f' on {_else(order.names)}' if order.names else ''}"


# -- what can be wrong


def check_file(checker: Checker) -> None:
    """Remark on headings for turns of this round that are over."""
    sight: Sight = checker.sight
    round_, turn = sight.moment
    for part in checker.orders.section("round"):
        for plan in plans_in(part):
            late = [name for name in plan.names if int(name) < turn]
            if late and len(late) == len(plan.names):
                checker.remark_on_line(
                    plan.line, Problem(f"in round {round_} your next turn is turn {turn}", "How to Play")
                )


def plans_in(part: Part) -> Iterator[Plan]:
    """Yield the plans under headings such as `turn 3:` in a part, those in cases too."""
    if isinstance(part, Plan):
        yield part
    elif isinstance(part, Choice):
        yield from (inner for case in part.cases for inner in case.parts if isinstance(inner, Plan))


def check_recruit(order: Order, checker: Checker) -> None:
    """L8, L10: note orders to recruit with a full hand, and cards that do not lie there now."""
    sight: Sight = checker.sight
    if not checker.in_plan and checker.section == "round" and sight.is_full:
        checker.note(order, "", "with ten cards in hand nobody may recruit", "L10")
    for name in order.names:
        if name in CARDS and name not in sight.recruits_up():
            said = f"{name} is not face-up among the Recruits now"
            if name in sight.view["supporters"]:
                said = f"{name} is a Supporter, not a Recruit: write 'claim {name}'"
            checker.note(order, name, said, "L8", legal=sight.recruits_up(), remark=True)
        elif order.when is None and name in (*CLANS, BEST, WEAKEST):
            clans = {CARDS[card].clan for card in sight.recruits_up()}
            if not (name in clans if name in CLANS else clans):
                which = f"no {CLANS[name].title}" if name in CLANS else "no Recruit"
                said = f"{which} lies face-up among the Recruits now, so this finds none"
                checker.note(order, name, said, "L8", remark=True)


def check_muster(order: Order, checker: Checker) -> None:
    """On Your Turn B, L12, L15, L20: note cards that are not held, and powers that cannot be used."""
    check_targets(order, checker)
    sight: Sight = checker.sight
    uses, copies = order.has("use"), order.has("copy")
    now = not checker.in_plan and checker.section == "round" and order.verb == "muster"
    for name in order.names:
        if name in CARDS and name not in sight.hand:
            checker.note(order, name, f"you do not hold {name} now", legal=sight.hand, remark=not now)
        clan = CARDS[name].clan if name in CARDS else name
        if uses and clan == "scott":
            checker.note(order, "use", "a Scott copies: write 'copy' and a Follower", "L20")
        if copies and clan in CLANS and clan != "scott":
            checker.note(order, "copy", f"only a Scott copies; for {name} write 'use'", "L20")
        if now and (uses or copies) and name in sight.hand and (by := sight.blocked_by(name)):
            said = f"at the moment its power would be blocked by {', '.join(by)}"
            checker.note(order, name, said, "L12", remark=True)
    if order.has("up") and order.has("down"):
        checker.note(order, "down", "write up or down, not both", "On Your Turn")
    elif order.has("down") and (uses or copies):
        checker.note(order, "use" if uses else "copy", "a card that lies face-down has no power", "L15")
    elif order.has("up") and not uses and not copies:
        lines = every_order(checker.orders.section("round"), into_plans=True)
        if not any(line.verb in ("use", "copy", "no power") for line in lines):
            said = (
                "this line does not use its power; to use it, add 'use' (for a Scott: 'copy' and a Follower)"
            )
            checker.note(order, "up", said, "L15", remark=True)


def check_targets(order: Order, checker: Checker) -> None:
    """L17, L18, Clan Powers: note targets that a power can never be used on."""
    side = checker.sight.side
    clans = [CARDS[name].clan if name in CARDS else name for name in order.names]
    clan = clans[0] if len(set(clans)) == 1 else ""
    for name in order.all("use"):
        owner = name.rpartition("/")[0]
        if clan in CLANS and clan != "scott" and clan not in AIMED:
            said = f"the power of a {CLANS[clan].title} has no target"
            checker.note(order, name, said, CLANS[clan].title, remark=True)
        elif clan == "cockburn" and owner:
            checker.note(order, name, "a Cockburn takes a Supporter, not a Follower", "Cockburn")
        elif clan == "ferguson" and owner == side:
            checker.note(order, name, "a Ferguson takes a Follower of somebody else", "Ferguson")


def check_claim(order: Order, checker: Checker) -> None:
    """L26: note orders to claim Supporters that do not lie there now."""
    for name in order.names:
        if name in CARDS and name not in (there := checker.sight.seen["supporters"]):
            said = f"{name} is not among the Supporters now"
            checker.note(order, name, said, "L26", legal=there, remark=True)


# -- the rows

AFTER = ("power", "target")  # they are asked once the card is mustered
CLAUSES = (
    Clause(word="up", other_words=("face up", "faceup")),
    Clause(word="down", other_words=("face down", "facedown")),
    Clause(word="use", noun="target", many=True, bare=True, answers=AFTER, other_words=("using",)),
    Clause(word="copy", noun="target", many=True, bare=True, answers=AFTER, other_words=("copying",)),
    Clause(word="on", noun="target", many=True),
)

MUSTER = Verb(
    name="muster",
    form="muster CARDS up use TARGETS, or muster CARDS down",
    rule="On Your Turn",
    example="muster wemyss-5 up use red/scott-5, best",
    takes="cards",
    clauses=CLAUSES,
    needs_one_of=("up", "down"),
    missing="up or down? write '{form}'",
    kinds=("turn", "muster", "power", "target"),
    topic="turn",
    about=is_about,
    proposes=muster,
    says=_muster,
    checks=check_muster,
    other_words=("play",),
)

VERBS = (
    Verb(
        name="recruit",
        form="recruit CARDS, or recruit hidden",
        rule="On Your Turn",
        example="recruit wemyss-2, best",
        takes="recruit",
        kinds=("turn",),
        topic="turn",
        proposes=recruit,
        says=lambda order: f"You recruit {_else(order.names)}",
        checks=check_recruit,
        other_words=("take",),
    ),
    MUSTER,
    replace(
        MUSTER,
        name=CHAIN,
        form="then muster CARDS up use TARGETS, or then muster CARDS down",
        rule="Makgill",
        example="then muster scott-4 up copy red/wemyss-5 on blue/#1",
        kinds=("muster", "power", "target"),
        topic="extra",
        other_words=(),
    ),
    Verb(
        name="use",
        form="use TARGETS",
        rule="Clan Powers",
        example="use red/scott-5, best",
        takes="target",
        bare=True,
        kinds=("power", "target"),
        topic="power",
        proposes=power,
        says=_use,
    ),
    Verb(
        name="copy",
        form="copy FOLLOWERS on TARGETS",
        rule="Scott",
        example="copy red/wemyss-5 on blue/#1",
        takes="target",
        bare=True,
        clauses=CLAUSES[-1:],
        kinds=("power", "target"),
        topic="power",
        proposes=power,
        says=_copy,
    ),
    Verb(
        name="no power",
        form="no power",
        rule="L15",
        example="no power",
        kinds=("power",),
        topic="power",
        in_form="",  # whoever leaves `use` blank uses none
        says="You use no power",
    ),
    Verb(
        name="claim",
        form="claim CARDS",
        rule="The End of the Round",
        example="claim scott-11, best",
        takes="cards",
        kinds=("claim",),
        topic="claim",
        proposes=lambda occasion: answers_of("claim", occasion.order.names, occasion.ask, occasion.sight),
        says=lambda order: f"You claim {_else(order.names)}",
        checks=check_claim,
    ),
)
