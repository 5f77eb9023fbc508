"""The verbs of Hammer's orders: how each reads, what it answers, how it is checked and said back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pbem.orders.base import listed
from pbem.orders.hammer import answers
from pbem.orders.hammer import check_orders as checks
from pbem.orders.hammer.vocabulary import GROUPS
from pbem.orders.kit import proposals, text
from pbem.orders.kit.parsed_orders import FULL, Order, Pick
from pbem.orders.kit.text import lower_first
from pbem.orders.kit.vocabulary import AsStep, BesidePlans, Clause, Count, Verb

TURN = ("turn",)
FIGHT = ("turn", "plan", "doctrine")
WINTER = ("turn", "winter", "doctrine")

FROM, IN, STAY = (
    Clause(word="from", noun="area"),
    Clause(word="in", noun="area"),
    Clause(word="stay", other_words=("stays",)),
)
TO = Clause(word="to", noun="area", many=True, none="anywhere")
WAY = Clause(word="to", noun="area", way=True, none="anywhere")
TO_WHERE = "to which area? write '{form}'"
TO_OR_STAY = "to which area, or 'stay'? write '{form}'"

# -- phrases

_KINDS = frozenset(GROUPS)
_entry = partial(text.entry, groups=_KINDS)
_else = partial(text.else_, groups=_KINDS)
_then = partial(text.then, groups=_KINDS)


def _does(order: Order, one: str, many: str) -> str:
    return text.does(order, one, many, _KINDS, order.one("from") or order.one("in"))


def _to(order: Order, nowhere: str = "") -> str:
    return f" to {_else(order.all('to'))}" if order.all("to") else nowhere


def _or_nobody(said: Callable[[Order], str], nobody: str) -> Callable[[Order], str]:
    return lambda order: nobody if order.nobody else said(order)


def _move(order: Order) -> str:
    does, start = _does(order, "moves", "move"), order.one("from")
    origin = f" from {start}" if start and f" in {start}" not in does else ""
    *through, last = order.all("to")
    way = f" through {listed(through)}" if through else ""
    return f"{does}{origin}{way} to {last}"


def _main_attack(order: Order) -> str:
    origin = (
        f"from {order.one('from')}"
        if order.one("from")
        else f"with {order.one('by')}"
        if order.one("by")
        else "first"
    )
    return f"The main attack on {order.names[0]} comes {origin}"


TO_MOST_BLOCKS = " to where most of your blocks are"


def _retreat(order: Order) -> str:
    return f"{_does(order, 'retreats', 'retreat')}{_to(order, TO_MOST_BLOCKS)}"


def _regroup(order: Order) -> str:
    does = _does(order, "stays", "stay") if order.has("stay") else _does(order, "regroups", "regroup")
    return f"After the battle {lower_first(does, order)}{_to(order)}"


def _home(order: Order) -> str:
    where = " where he stands" if order.has("stay") else f" in {_else(order.all('to'))}"
    return _does(order, "winters", "winter") + where


def _steps(pick: Pick) -> str:
    name = "the block just drawn" if pick.name == "drawn" else _entry(pick.name)
    if pick.count == FULL:
        return f"{name} as far as possible"
    return f"{name} by {pick.count} step{'s' if pick.count > 1 else ''}"


def _build(order: Order) -> str:
    where = f" in {order.one('in')}" if order.one("in") else ""
    return f"You build up {', then '.join(_steps(pick) for pick in order.picks)}{where}"


def _count(pick: Pick) -> str:
    if pick.count == FULL:
        return "as many blocks as possible"
    return f"{pick.count} block{'s' if pick.count > 1 else ''}"


def _draw(order: Order) -> str:
    return f"You draw {', then '.join(f'{_count(pick)} in {pick.name}' for pick in order.picks)}"


# -- the rows

VERBS = (
    Verb(
        name="card",
        form="card 3",
        rule="3.1",
        example="card 3",
        takes="card",
        many=False,
        kinds=("card",),
        where=TURN,
        says=lambda order: f"You play the card {_else(order.names)}",
        other_words=("play",),
    ),
    Verb(
        name="crown",
        form="crown Bruce",
        rule="6.2",
        example="crown Bruce",
        takes="candidate",
        kinds=("king",),
        where=TURN,
        says=lambda order: f"You crown {_else(order.names)} instead of the event",
        checks=checks.check_crown,
    ),
    Verb(
        name="event",
        form="event",
        rule="6.2",
        example="event",
        kinds=("king",),
        where=TURN,
        in_form="",  # whoever leaves `crown` blank uses the event
        says="You use the event and crown nobody",
        checks=checks.check_crown,
    ),
    Verb(
        name="herald",
        form="herald NOBLES",
        rule="3.12",
        example="herald Ross, Mar",
        takes="noble",
        none=True,
        kinds=("herald",),
        where=TURN,
        proposes=proposals.named("herald", nobody="pass"),
        says=_or_nobody(lambda order: f"The herald calls {_else(order.names)}", "The herald calls nobody"),
        checks=checks.check_herald,
        other_words=("call",),
    ),
    Verb(
        name="pillage",
        form="pillage AREAS",
        rule="3.12",
        example="pillage Lothian, rest",
        takes="areas",
        none=True,
        kinds=("pillage",),
        where=TURN,
        proposes=proposals.named("pillage", nobody="pass"),
        says=_or_nobody(lambda order: f"You pillage {_else(order.names)}", "You pillage nobody"),
        checks=checks.check_pillage,
    ),
    Verb(
        name="sail",
        form="sail BLOCKS from AREA to AREAS",
        rule="3.12",
        example="sail Ross to Moray",
        takes="own blocks",
        none=True,
        clauses=(FROM, TO),
        needs_one_of=("to",),
        missing=TO_WHERE,
        kinds=("sail",),
        where=TURN,
        topic="sail",
        as_step=AsStep(made=answers.block_steps, proposes=answers.sail),
        says=_or_nobody(lambda order: f"{_does(order, 'sails', 'sail')}{_to(order)}", "Nobody sails"),
        checks=checks.check_sail,
    ),
    Verb(
        name="truce",
        form="truce",
        rule="3.12",
        example="truce",
        kinds=("truce",),
        where=TURN,
        in_form="",  # the question says what to write
        says="You declare the truce",
    ),
    Verb(
        name="move",
        form="move BLOCKS from AREA to AREA, AREA",
        rule="4.2",
        example="move Ross to Moray",
        takes="own blocks",
        none=True,
        clauses=(FROM, WAY),
        needs_one_of=("to",),
        missing=TO_WHERE,
        kinds=("move",),
        where=TURN,
        topic="moves",
        as_step=AsStep(proposes=answers.move),
        says=_or_nobody(_move, "Nobody moves"),
    ),
    Verb(
        name="main attack",
        form="main attack AREA from AREA",
        rule="5.32",
        example="main attack Mar by Ross",
        takes="area",
        many=False,
        clauses=(FROM, Clause(word="by", noun="own block")),
        needs_one_of=("from", "by"),
        missing="by which blocks is it made? write 'from' and their area, or 'by' and a block",
        kinds=("move",),
        where=TURN,
        topic="moves",
        as_step=AsStep(ranks=True),  # it only says which of the moves come first
        says=_main_attack,
    ),
    Verb(
        name="battles",
        form="battles AREAS, rest",
        rule="5.1",
        example="battles Mar, rest",
        takes="areas",
        kinds=("battle",),
        where=("turn", "doctrine"),
        settles="all",
        proposes=proposals.named("battle"),
        says=lambda order: f"Battles are fought in this order: {_then(order.names)}",
    ),
    Verb(
        name="battle",
        form="battle AREA",
        rule="5.1",
        example="battle Mar",
        takes="area",
        many=False,
        kinds=("battle",),
        where=TURN,
        beside_plans=BesidePlans(once=("battle",)),
        in_form="",  # for those who fight step by step
        says=lambda order: f"The next battle is for {order.names[0]}",
    ),
    Verb(
        name="fire",
        form="fire BLOCKS",
        rule="5.31",
        example="fire rest",
        takes="own blocks",
        bare=True,
        kinds=("combat",),
        where=FIGHT,
        beside_plans=BesidePlans(once=("combat",)),
        topic="combat",
        settles="each",
        proposes=answers.fight,
        says=lambda order: _does(order, "fights", "fight"),
        checks=checks.check_fighters,
        other_words=("fight",),
    ),
    Verb(
        name="pass",
        form="pass BLOCKS",
        rule="5.31",
        example="pass rest",
        takes="own blocks",
        bare=True,
        kinds=("combat",),
        where=FIGHT,
        beside_plans=BesidePlans(
            once=("combat",), bare_kinds=("herald", "pillage", "sail", "truce", "victuals")
        ),
        topic="combat",
        settles="each",
        proposes=answers.fight,
        says=lambda order: _does(order, "passes", "pass") if order.picks else "You pass",
        checks=checks.check_fighters,
    ),
    Verb(
        name="retreat",
        form="retreat BLOCKS to AREAS",
        rule="5.5",
        example="retreat rest to Mar",
        takes="own blocks",
        clauses=(TO,),
        kinds=("combat",),
        where=FIGHT,
        beside_plans=BesidePlans(once=("combat", "retreat")),
        topic="combat",
        proposes=answers.retreat,
        says=_retreat,
        checks=checks.check_retreat,
        other_words=("withdraw",),
    ),
    Verb(
        name="forced retreat",
        form="forced retreat BLOCKS to AREAS",
        rule="5.5",
        example="forced retreat rest to Mar",
        takes="own blocks",
        clauses=(TO,),
        kinds=("retreat",),
        where=FIGHT,
        beside_plans=BesidePlans(one_affair=True),
        topic="forced retreat",
        proposes=answers.retreat,
        says=lambda order: f"If forced to retreat, {lower_first(_retreat(order), order)}",
        checks=checks.check_retreat,
    ),
    Verb(
        name="hits",
        form="hits BLOCKS",
        rule="5.41",
        example="hits infantry, rest",
        takes="own blocks",
        kinds=("hit", "pillage-hit"),
        where=FIGHT,
        topic="hits",
        settles="all",
        proposes=answers.preferring("hit"),
        says=lambda order: f"If several blocks are equally strong, a hit falls on {_else(order.names)}",
        checks=checks.check_hits,
    ),
    Verb(
        name="hit",
        form="hit BLOCK",
        rule="5.41",
        example="hit Ross",
        takes="own blocks",
        kinds=("hit", "pillage-hit"),
        where=TURN,
        beside_plans=BesidePlans(once=("hit",)),
        proposes=answers.preferring("hit"),
        says=lambda order: f"The hit falls on {_else(order.names)}",
        checks=checks.check_fighters,
    ),
    Verb(
        name="regroup",
        form="regroup BLOCKS to AREAS",
        rule="5.6",
        example="regroup rest to Mar",
        takes="own blocks",
        none=True,
        clauses=(TO, STAY),
        needs_one_of=("to", "stay"),
        missing=TO_OR_STAY,
        kinds=("regroup",),
        where=FIGHT,
        beside_plans=BesidePlans(one_affair=True),
        topic="regroup",
        proposes=answers.regroup,
        says=_or_nobody(_regroup, "Nobody regroups"),
        checks=checks.check_fighters,
    ),
    Verb(
        name="raid",
        form="raid BLOCKS",
        rule="5.9",
        example="raid infantry, rest",
        takes="own blocks",
        kinds=("raid",),
        where=("turn", "doctrine"),
        settles="all",
        proposes=answers.preferring("disband"),
        says=lambda order: f"A border raid costs you {_else(order.names)}",
        checks=checks.check_raid,
    ),
    Verb(
        name="home",
        form="home BLOCK to AREAS",
        rule="7.1",
        example="home Bruce to Annan, Carrick",
        takes="own blocks",
        clauses=(TO, STAY),
        needs_one_of=("to", "stay"),
        missing=TO_OR_STAY,
        kinds=("home",),
        where=WINTER,
        in_form="filled in",
        about=answers.is_home_of,
        proposes=answers.home,
        says=_home,
        checks=checks.check_home,
    ),
    Verb(
        name="winter",
        form="winter Edward",
        rule="7.4",
        example="winter Edward",
        takes="own blocks",
        kinds=("edward",),
        where=WINTER,
        proposes=proposals.word("winter Edward"),
        says=lambda order: f"{order.names[0]} winters in Scotland",
        checks=checks.check_edward,
    ),
    Verb(
        name="disband",
        form="disband BLOCKS",
        rule="7.3",
        example="disband infantry",
        takes="own blocks",
        none=True,
        clauses=(IN,),
        kinds=("disband", "edward", "raid"),
        where=WINTER,
        topic="disband",
        about=answers.is_about_edward,
        proposes=answers.preferring("disband"),
        as_step=AsStep(made=answers.disband_steps),
        says=lambda order: _does(order, "disbands", "disband"),
        checks=checks.check_disbanding,
    ),
    Verb(
        name="keep",
        form="keep BLOCKS",
        rule="7.3",
        example="keep leaders, rest",
        takes="own blocks",
        clauses=(IN,),
        kinds=("disband",),
        where=WINTER,
        topic="disband",
        as_step=AsStep(ranks=True),
        says=lambda order: f"If blocks must disband, you keep first {_then(order.names)}",
        checks=checks.check_disbanding,
    ),
    Verb(
        name="build",
        form="build BLOCK 2, BLOCK, rest",
        rule="7.6",
        example="build rest",
        takes="steps",
        counted=Count("steps"),
        none=True,
        clauses=(IN,),
        kinds=("build", "victuals", "pillage-build"),
        where=WINTER,
        topic="builds",
        as_step=AsStep(proposes=answers.build),
        says=_or_nobody(_build, "You build up no block"),
        checks=checks.check_build,
    ),
    Verb(
        name="draw",
        form="draw AREA 2",
        rule="7.62",
        example="draw Fife 2",
        takes="area",
        counted=Count("steps"),
        none=True,
        kinds=("build",),
        where=WINTER,
        topic="builds",
        says=_or_nobody(_draw, "You draw no blocks"),
        checks=checks.check_draw,
    ),
)
