"""The facts and measures that Hammer's conditions may speak of, each with its phrases and how it is judged.

A condition may use only what its writer sees at that moment. Strengths and names of enemy blocks are seen
in a battle alone, so outside a plan they are refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.orders.hammer.vocabulary import OUR, THEIR, Sight, can_hold, is_of_group
from pbem.orders.kit.parsed_orders import Comparison, Term
from pbem.orders.kit.vocabulary import Fact, Measure, Problem, Written, phrases
from pbem.rules.hammer.cards_3 import decide_player_1
from pbem.rules.hammer.facts import AREAS, MAX_ROUNDS, SIDES

FOG = "2.0"
"""The section of the rulebook by which blocks stand upright and only their owner sees their faces."""

EXAMPLES = (
    "first",
    "second against 2",
    "none of my areas is attacked",
    "Fife is attacked",
    "Mar is mine",
    "round 2",
    "Wallace strength at most 1",
    "our strength less than their strength",
    "they have archers",
)

FACE_UP = frozenset(("combat", "hits"))
"""The topics that are asked while the blocks of a battle are face up."""

World = tuple[str, str, str]
"""A side, the card that it plays, and the card that the enemy plays."""

Refuse = Callable[[Written], Problem | None]


def _hidden_problem(why: str) -> Problem:
    return Problem(f"{why}; a condition may use only what you can see", FOG)


def _own_only(why: str) -> Refuse:
    """Return a test that refuses, with this reason, a fact about a block that can never be the side's."""

    def refuse(written: Written) -> Problem | None:
        seen = all(can_hold(written.side, name) for name in written.term.names())
        return None if seen else _hidden_problem(why)

    return refuse


def _edward_only(written: Written) -> Problem | None:
    name = written.term.name()
    return None if name == "Edward" else Problem(f"{name} has no winter quarters; only Edward has", "7.4")


def _strength_of_block(written: Written) -> Problem | None:
    name = written.term.name()
    if written.in_plan or can_hold(written.side, name):
        return None
    return _hidden_problem(f"you cannot see how strong {name} is until it fights")


def _own_strength(written: Written) -> Problem | None:
    theirs = written.term.name() == THEIR
    return _hidden_problem("you cannot see how strong enemy blocks are until they fight") if theirs else None


def _here(what: str) -> Refuse:
    """Return a test that refuses a number of `the battle` outside a plan: there an area has to be named."""

    def refuse(written: Written) -> Problem | None:
        whose = written.term.name()
        if written.in_plan:
            return None
        if whose == THEIR and what == "strength":
            return _own_strength(written)
        return Problem(f"outside a plan write where: '{whose} {what} in Fife'")

    return refuse


def _rounds(how: Comparison, number: int) -> Problem | None:
    possible = 1 <= number <= MAX_ROUNDS or (number >= 1 and how not in ("is", "at least"))
    return None if possible else Problem(f"a battle has rounds 1 to {MAX_ROUNDS}", "5.3")


# -- what only its writer sees when a pause comes


def _always(_: Written) -> bool:
    return True


def _face_down(written: Written) -> bool:
    return written.topic not in FACE_UP


def _ours(written: Written) -> bool:
    return written.term.name() == OUR


def _ours_face_down(written: Written) -> bool:
    return _ours(written) and _face_down(written)


def _own_block(written: Written) -> bool:
    return can_hold(written.side, written.term.name())


# -- judged


def _first(world: World) -> bool:
    side, own, enemy = world
    return decide_player_1(*(own if of == side else enemy for of in SIDES)) == side


def _cards_are_known(sight: Sight) -> bool:
    """4.1: tell whether both cards are known: those of a turn lie face up, and a winter has none."""
    return sight.is_first is not None or sight.is_winter


def _stands_in(term: Term, sight: Sight) -> bool:
    block = sight.own(term.name())
    return block is not None and block.area == term.name(1)


def _has(side_of: Callable[[Sight], str]) -> Callable[[Term, Sight], bool]:
    def holds(term: Term, sight: Sight) -> bool:
        return any(
            block.name == name or is_of_group(block.name, name)
            for block in sight.fighting(side_of(sight))
            for name in term.names()
        )

    return holds


def _edward_winters(term: Term, sight: Sight) -> bool:
    area, wanted = sight.edward_winters, term.name(1)
    return area is not None and (area == wanted if wanted else area in AREAS)


def _is_reinforced(term: Term, sight: Sight) -> bool:
    return sight.memory.reinforcements <= int(term.name() or 0)


def _area(state: str, *other_words: str, holds: Callable[[Sight, str], bool]) -> Fact:
    words = "|".join((state, *other_words))
    return Fact(
        name=state,
        phrases=phrases(f"{{area}} is|are {words}", f"{{area}} {words}"),
        holds=lambda term, sight: holds(sight, term.name()),
        example=f"Fife is {state}",
    )


FACTS = (
    Fact(
        name="first",
        phrases=phrases("first", "i am first", "i move first"),
        scope="outside",
        holds=lambda _, sight: sight.is_first is True,
        in_world=lambda _, world: _first(world),
        settled=_cards_are_known,
    ),
    Fact(
        name="second",
        phrases=phrases("second", "i am second", "i move second"),
        scope="outside",
        holds=lambda _, sight: sight.is_first is False,
        in_world=lambda _, world: not _first(world),
        settled=_cards_are_known,
    ),
    Fact(
        name="against",
        phrases=phrases("against {card+}"),
        scope="outside",
        joins=True,
        holds=lambda term, sight: sight.enemy_card in term.names(),
        in_world=lambda term, world: world[2] in term.names(),
        settled=_cards_are_known,
        example="against 2",
    ),
    Fact(
        name="attacked only",
        phrases=phrases(
            "none of my areas is|are attacked",
            "only {area,} attacked",
            "only {area,} is|are attacked",
            "no area of mine is attacked",
            "nothing of mine is attacked",
        ),
        scope="outside",
        holds=lambda term, sight: sight.memory.attacked <= set(term.names()),
        example="only Fife attacked",
    ),
    Fact(
        name="attacked at all",
        phrases=phrases(
            "one of my areas is|are attacked",
            "any of my areas is|are attacked",
            "an area of mine is attacked",
            "i am attacked",
            "attacked",
        ),
        scope="outside",
        holds=lambda _, sight: bool(sight.memory.attacked),
        example="one of my areas is attacked",
    ),
    Fact(
        name="reinforced",
        phrases=phrases(
            "none of my battles is|are reinforced",
            "at most {#blocks} [block|blocks] reinforce|reinforces",
            "no battle of mine is reinforced",
        ),
        scope="outside",
        holds=_is_reinforced,
        example="at most 2 reinforce",
    ),
    _area("attacked", holds=lambda sight, area: area in sight.memory.attacked),
    _area("mine", "ours", "friendly", holds=Sight.is_mine),
    _area("theirs", "hostile", holds=Sight.is_theirs),
    _area("empty", "vacant", holds=Sight.is_empty),
    _area("contested", holds=Sight.is_contested),
    Fact(
        name="in",
        phrases=phrases("{block} in {area}", "{block} is in {area}"),
        refuse=_own_only("you cannot see where an enemy block is until it fights"),
        secret=_always,
        holds=_stands_in,
        example="Wallace in Fife",
    ),
    Fact(
        name="on map",
        phrases=phrases("{block} on the map", "{block} is on [map]", "{block} on"),
        refuse=_own_only("you cannot see where an enemy block is until it fights"),
        secret=_always,
        holds=lambda term, sight: sight.own(term.name()) is not None,
        example="Wallace on the map",
    ),
    Fact(
        name="noble mine",
        phrases=phrases("noble {noble} is mine|ours", "noble {noble} mine|ours"),
        holds=lambda term, sight: sight.holds_noble(term.name()) is True,
        example="noble Ross is mine",
    ),
    Fact(
        name="noble theirs",
        phrases=phrases("noble {noble} is theirs", "noble {noble} theirs"),
        holds=lambda term, sight: sight.holds_noble(term.name()) is False,
        example="noble Ross is theirs",
    ),
    Fact(
        name="attacking",
        phrases=phrases("attacking", "i attack", "i am attacking"),
        scope="plan",
        holds=lambda _, sight: sight.attacks_here,
    ),
    Fact(
        name="defending",
        phrases=phrases("defending", "i defend", "i am defending"),
        scope="plan",
        holds=lambda _, sight: bool(sight.battle) and not sight.attacks_here,
    ),
    Fact(
        name="event battle",
        phrases=phrases("event battle"),
        scope="plan",
        holds=lambda _, sight: sight.is_event_battle,
    ),
    Fact(
        name="they have",
        phrases=phrases("they have {block or kind+}"),
        scope="plan",
        holds=_has(lambda sight: sight.enemy),
        example="they have archers",
    ),
    Fact(
        name="we have",
        phrases=phrases("we have {block or kind+}", "i have {block or kind+}"),
        scope="plan",
        secret=_face_down,
        holds=_has(lambda sight: sight.side),
        example="we have King",
    ),
    Fact(
        name="drawn",
        phrases=phrases("drawn {block+}"),
        refuse=_own_only("you cannot see which blocks the enemy draws"),
        secret=_always,
        holds=lambda term, sight: any(name in sight.memory.drawn for name in term.names()),
        example="drawn Norse",
    ),
    Fact(
        name="winters",
        phrases=phrases("{block} winters in {area}", "{block} winters"),
        refuse=_edward_only,
        holds=_edward_winters,
        example="Edward winters in Mar",
    ),
)


# -- numbers

Count = Callable[[Term, Sight], int]


def _side(term: Term, sight: Sight) -> str:
    return sight.side if term.name() == OUR else sight.enemy


def _block_strength(term: Term, sight: Sight) -> int | None:
    block = sight.own(term.name())
    if block is None:
        seen = [seen for seen in sight.fighting(sight.enemy) if seen.name == term.name()]
        block = seen[0] if seen else None
    return block.strength if block else None


def _own_strength_in(term: Term, sight: Sight) -> int:
    blocks = (sight.own(name) for name in sight.mine(term.name(1)))
    return sum(block.strength for block in blocks if block)


def _in_battle(value: Count) -> Callable[[Term, Sight], int | None]:
    return lambda term, sight: value(term, sight) if sight.battle else None


def _total(
    what: str, here: Callable[[Term, Sight], int], there: Callable[[Term, Sight], int]
) -> list[Measure]:
    """Return two measures of strength or reserves: in the battle that is fought, and in a named area."""
    alone: list[str | tuple[str, tuple[tuple[str, ...], ...]]] = [f"{{whose}} {what}"]
    if what == "strength":
        alone += [("ours", ((OUR,),)), ("theirs", ((THEIR,),))]
    return [
        Measure(
            name=f"{what} here",
            phrases=phrases(*alone),
            scope="plan",
            refuse=_here(what),
            secret=_ours_face_down if what == "strength" else None,
            value=_in_battle(here),
            example=f"our {what} at least 2",
        ),
        Measure(
            name=f"{what} there",
            phrases=phrases(f"{{whose}} {what} in {{area}}"),
            refuse=_own_strength if what == "strength" else None,
            secret=_ours if what == "strength" else None,
            value=there,
            example=f"our {what} in Fife at least 2",
        ),
    ]


MEASURES = (
    Measure(
        name="round",
        phrases=phrases("round"),
        scope="plan",
        value=_in_battle(lambda _, sight: sight.battle_moment[1]),
        bounds=_rounds,
        example="round 2",
    ),
    *_total(
        "blocks",
        lambda term, sight: len(sight.fighting(_side(term, sight))),
        lambda term, sight: sight.blocks_in(term.name(1), _side(term, sight)),
    ),
    *_total(
        "strength",
        lambda term, sight: sum(block.strength for block in sight.fighting(_side(term, sight))),
        _own_strength_in,
    ),
    *_total(
        "reserves",
        lambda term, sight: sight.reserves(_side(term, sight)),
        lambda term, sight: sight.reserves_in(term.name(1), _side(term, sight)),
    ),
    Measure(
        name="nobles",
        phrases=phrases("{whose} nobles"),
        value=lambda term, sight: sight.nobles(_side(term, sight)),
        example="our nobles more than their nobles",
    ),
    Measure(
        name="block strength",
        phrases=phrases("{block} strength"),
        refuse=_strength_of_block,
        secret=_own_block,
        value=_block_strength,
        example="Wallace strength at most 1",
    ),
)
